"""Positions set up by hand come back as they went and survive random play; impossible ones are refused."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from wotr_env import STATE, Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.components import CARD_IDS
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch, check_invariants
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_env.games.war_of_the_ring.setups import position_from, setup_of

FIRST = Ruleset.first_edition()


def at_a_die(seed, dice=1, ruleset=FIRST):
    """A game after random choices, where somebody is to choose an action die."""
    rng = np.random.default_rng(seed)
    game = Game(seed=seed, ruleset=ruleset)
    while not game.over:
        if game.decision == Decision.ACTION_DIE:
            dice -= 1
            if dice <= 0:
                return game
        game.step(int(rng.choice(game.legal())))
    return at_a_die(seed + 1000, dice=1, ruleset=ruleset)


@pytest.fixture(scope="module")
def early():
    """The position at the first action die, as data."""
    return setup_of(at_a_die(1).state)


@pytest.mark.parametrize("edition", ["first_edition", "second_edition"])
@pytest.mark.parametrize("seed", range(6))
def test_a_position_comes_back_as_it_was(edition, seed):
    ruleset = getattr(Ruleset, edition)()
    state = at_a_die(seed, 1 + 17 * seed, ruleset).state
    setup = setup_of(state)
    made = position_from(json.loads(json.dumps(setup)), ruleset, seed)
    assert setup_of(made) == setup
    shown, before = picture(made, None), picture(state, None)
    assert {key: shown[key] for key in shown if key != "decision"} == {
        key: before[key] for key in before if key != "decision"
    }
    for name in ("reinforcement_regular", "reinforcement_elite", "reinforcement_leader", "casualty_elite"):
        assert made[name].tolist() == state[name].tolist()


def play_on(state, seed, most=700):
    """Checks the invariants of all positions at once, which takes hardly longer than those of one."""
    rng = np.random.default_rng(seed)
    game, seen = Game.from_state(state), []
    while not game.over and len(seen) < most:
        game.step(int(rng.choice(game.legal())))
        seen.append(game.state)
    check_batch(np.array(seen, dtype=STATE))


def change(setup, rng):
    """Changes much of a position by chance, within what the rules allow."""
    figures = {}
    homes = {
        "rohan": ["edoras", "helms-deep"],
        "gondor": ["minas-tirith", "pelargir"],
        "north": ["bree", "dale"],
    }
    foes = {
        "sauron": ["gorgoroth", "dol-guldur"],
        "isengard": ["orthanc"],
        "southrons": ["far-harad", "umbar"],
    }
    for nation, places in {**homes, **foes}.items():
        for place in places:
            figures[place] = {nation: [int(rng.integers(1, 4)), int(rng.integers(0, 2)), 0]}
    setup["regions"] = figures
    setup["control"] = {**setup["control"], **dict.fromkeys(["edoras", "helms-deep", "dale"], "free_peoples")}
    for politics in setup["politics"].values():
        steps = int(rng.integers(0, 4))
        politics.update(steps_to_war=steps, active=steps == 0 or bool(rng.integers(2)))
    cards = rng.permutation(96).tolist()
    for side, name in enumerate(("free_peoples", "shadow")):
        own = [CARD_IDS[card] for card in cards if card // 48 == side]
        size = int(rng.integers(0, 7))
        setup["cards"][name] = {
            "hand": own[:size],
            "table": [],
            "discard": own[6:12],
            "face_down": own[12:14],
        }
    setup["characters"]["legolas"] = rng.choice(["edoras", "fellowship", "eliminated"])
    setup["characters"]["saruman"] = rng.choice(["orthanc", "aside", "eliminated"])
    setup["fellowship"].update(
        progress=int(rng.integers(0, 6)), revealed=False, corruption=int(rng.integers(0, 12))
    )
    setup["dice"]["free_peoples"].update(unused={"will": 1, "character": 2, "event": 1}, used=0, hunt_box=0)
    setup["dice"]["shadow"].update(unused={"army": 2, "muster": 2, "army_muster": 1}, used=0, hunt_box=2)
    setup["acting"] = str(rng.choice(["free_peoples", "shadow"]))
    setup["turn"] = int(rng.integers(1, 12))
    return setup


@pytest.mark.parametrize("seed", range(5))
def test_changed_positions_survive_random_play_with_invariants_after_every_step(early, seed):
    rng = np.random.default_rng(seed)
    setup = change(copy.deepcopy(early), rng)
    state = position_from(setup, FIRST, seed)
    check_invariants(state)
    assert Game.from_state(state).decision == Decision.ACTION_DIE and len(Game.from_state(state).legal()) > 1
    play_on(state, seed)


def test_the_mordor_track_and_gollum_can_be_set_up(early):
    setup = copy.deepcopy(early)
    for who, place in setup["characters"].items():
        if place == "fellowship":
            setup["characters"][who] = "eliminated"
    setup["characters"]["gollum"] = "fellowship"
    setup["fellowship"].update(region=None, mordor_step=4, progress=0, revealed=False, guide="gollum")
    state = position_from(setup, FIRST, 3)
    assert picture(state, None)["fellowship"]["mordor_step"] == 4
    play_on(state, 3)


REFUSED = [
    (("characters", "gandalf-white"), "fangorn", "Gandalf the Grey must be replaced"),
    (("characters", "aragorn"), "minas-tirith", "Strider must be replaced"),
    (("characters", "strider"), "replaced", "no character has taken its place"),
    (("characters", "legolas"), "aside", "not aside"),
    (("characters", "saruman"), "edoras", "cannot leave Orthanc"),
    (("characters", "witch-king"), "fellowship", "region, aside or eliminated"),
    (("characters", "gollum"), "fellowship", "no Companion"),
    (("characters", "gimli"), "atlantis", "atlantis"),
    (("characters", "gimli"), 7, "not 7"),
    (("regions", "edoras"), {"rohan": [50, 0, 0]}, "Regulars, not"),
    (("regions", "edoras"), {"rohan": [-1, 0, 0]}, "from 0"),
    (("regions", "edoras"), {"rohan": [1, 0]}, "three numbers"),
    (("regions", "edoras"), {"isengard": [1, 0, 0], "rohan": [1, 0, 0]}, "both sides"),
    (("regions", "edoras"), {"isengard": [1, 0, 0]}, "did not capture"),
    (("regions", "edoras"), {"isengard": [1, 0, 1]}, "no Leaders"),
    (("regions", "erech"), {"gondor": [0, 0, 1]}, "without a unit"),
    (("regions", "erech"), {"mordor": [1, 0, 0]}, "nation"),
    (("regions", "nowhere"), {}, "region"),
    (("regions",), [], "object"),
    (("casualties", "gondor"), [30, 0, 0], "Regulars, not"),
    (("casualties", "sauron"), [1, 0, 0], "nation of the Free Peoples"),
    (("control", "edoras"), "gondor", "who controls"),
    (("politics", "rohan"), {"steps_to_war": 0, "active": False}, "cannot be passive"),
    (("politics", "rohan", "steps_to_war"), 4, "0 to 3"),
    (("fellowship", "corruption"), 12, "0 to 11"),
    (("fellowship", "mordor_step"), 2, "Mordor Track"),
    (("fellowship", "mordor_step"), 6, "0 to 5"),
    (("fellowship", "region"), "gorgoroth", "Mordor Track"),
    (("fellowship", "guide"), "meriadoc", "Level"),
    (("fellowship", "guide"), "saruman", "not in the Fellowship"),
    (("fellowship", "revealed"), 1, "true or false"),
    (("dice", "free_peoples", "unused"), {"eye": 1}, "a die"),
    (("dice", "shadow", "unused"), {"will": 1}, "a die"),
    (("dice", "shadow", "used"), 10, "at most 10"),
    (("dice", "free_peoples", "rings"), 4, "0 to 3"),
    (("dice", "shadow", "rings"), 3, "rings: there are more than three"),
    (("tiles", "nothing"), "pool", "unknown field"),
    (("turn",), 0, "from 1"),
    (("turn",), True, "integer"),
    (("acting",), "gondor", "free_peoples"),
    (("messenger_used",), None, "true or false"),
    (("cards", "shadow", "hand"), ["fp-char-01"], "not a card of the Shadow"),
    (("cards", "shadow", "hand"), ["sh-char-01", "sh-char-01"], "two places"),
    (("cards", "shadow", "table"), ["sh-char-01"], "does not stay"),
    (("cards", "shadow", "hand"), [f"sh-char-{number:02}" for number in range(1, 9)], "limit"),
    (("cards", "shadow", "hand"), [1], "a card"),
]


@pytest.mark.parametrize(("path", "value", "word"), REFUSED)
def test_what_cannot_be_is_refused_in_one_line(early, path, value, word):
    setup = copy.deepcopy(early)
    place = setup
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValueError) as refused:
        position_from(setup, FIRST, 1)
    assert word in str(refused.value) and "\n" not in str(refused.value)


def test_fields_that_are_missing_are_named(early):
    for key in early:
        with pytest.raises(ValueError, match=key):
            position_from({name: value for name, value in early.items() if name != key}, FIRST, 1)
    for nothing in (None, [], "x", 3):
        with pytest.raises(ValueError, match="position"):
            position_from(nothing, FIRST, 1)


def test_nobody_left_with_a_die_is_refused(early):
    setup = copy.deepcopy(early)
    for dice in setup["dice"].values():
        dice["used"] += sum(dice["unused"].values())
        dice["unused"] = {}
    with pytest.raises(ValueError, match="an unused action die"):
        position_from(setup, FIRST, 1)


def test_positions_inside_of_an_action_and_of_more_players_cannot_be_changed():
    game = at_a_die(2)
    game.step(next(action for action in game.legal() if game.name_of(action).startswith("face:")))
    assert game.decision != Decision.ACTION_DIE
    with pytest.raises(ValueError, match="chooses an action die"):
        setup_of(game.state)
    with pytest.raises(ValueError, match="two-player games"):
        setup_of(Game(seed=1, ruleset=Ruleset(players=4)).state)
    with pytest.raises(ValueError, match="two-player games"):
        position_from({}, Ruleset(players=3), 1)
