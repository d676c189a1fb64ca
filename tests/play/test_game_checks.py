"""``check_game`` holds for every game, and finds each fault that is built into one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.golden import GAMES, GOLDEN, written
from tests.toy_games import BANDIT, HUNT
from tests.toy_race import RACE
from wotr_env.core.codes import GOING_ON
from wotr_env.core.descriptions import Guide, Why
from wotr_env.core.game import Game
from wotr_env.core.kind import ActionSpace, End, Environments
from wotr_env.core.observation_layout import EntitySet
from wotr_env.core.vector import VectorGame
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.game_checks import GameContractError, check_game, playthrough
from wotr_env.play.games import OWN_GAMES, game_kind

WARS = (
    "first",
    "second",
    "first:ask_single=true",
    "first:max_turns=1",
    "first:players=3",
    "second:players=4",
)
DUELS = ("standard", "open", "standard:may_decline=false,revive_triggers=false")
TOWERS = (
    *("two", "three", "four", "drawn", "two:losses=takers", "two:losses=won"),
    "five:qualities=drawn,paths=drawn,may_decline=true,take_back=true,losses=takers",
    "five:paths=1+5+5+5+5+5",
)


@pytest.mark.parametrize("ruleset", WARS)
def test_war_of_the_ring(ruleset):
    found = check_game(WAR_OF_THE_RING, ruleset, games=2, decisions=100, text_every=20)
    assert found.positions > 100 and found.hidden > found.positions


@pytest.mark.parametrize("ruleset", DUELS)
def test_the_duel(ruleset):
    found = check_game(game_kind("duel"), ruleset, games=6, decisions=400, text_every=12)
    assert found.ended == 6 and found.hidden > 100


@pytest.mark.parametrize("ruleset", TOWERS)
def test_the_two_towers(ruleset):
    found = check_game(game_kind("two-towers"), ruleset, games=2, decisions=1000, text_every=24)
    assert found.ended == 2 and found.hidden > 100


def test_every_game_is_checked_and_has_a_playthrough():
    """A new game of this package needs a test above and an entry in ``tests/golden``."""
    assert GAMES == OWN_GAMES.keys() == {"war-of-the-ring", "duel", "two-towers"}


@pytest.mark.parametrize("kind", [BANDIT, HUNT, RACE], ids=lambda kind: kind.name)
def test_games_of_others(kind):
    assert check_game(kind).ended == 8


class Faulty:
    """The kernels of a toy, but for what a subclass does otherwise."""

    def __init__(self):
        self.right = HUNT.kernels

    def __getattr__(self, name):
        return getattr(self.right, name)


class Sees(Faulty):
    def observe(self, states, seats):
        seen = self.right.observe(states, seats).copy()
        seen[:, -1] = states["key"] & np.uint64(1)
        return seen


class TellsNothing(Faulty):
    def observe(self, states, seats):
        return np.zeros_like(self.right.observe(states, seats))


class Writes(Faulty):
    def observe(self, states, seats):
        states["turn"] += 1
        return self.right.observe(states, seats)


class Forgets(Faulty):
    def refresh(self, states, masks):
        self.right.refresh(states, masks)
        masks[:, 0] = False


class Guesses(Faulty):
    def sample_worlds(self, states, seats, seeds):
        states["key"] ^= seeds.astype(np.uint64)


class Misplaces(Faulty):
    def sample_worlds(self, states, seats, seeds):
        self.right.sample_worlds(states, seats, seeds)
        states["at"] = 0


class Invents(Faulty):
    def sample_worlds(self, states, seats, seeds):
        states["at"] = -1


class StepsAll(Faulty):
    def step(self, states, masks, actions, first=0, last=None):
        self.right.step(states, masks, actions)


class LooksAround(Faulty):
    def step(self, states, masks, actions, first=0, last=None):
        self.right.step(states, masks, actions, first, last)
        states["draws"] += len(states) == 1


class GoesOn(Faulty):
    def step(self, states, masks, actions, first=0, last=None):
        over = states["winner"] != GOING_ON
        self.right.step(states, masks, actions, first, last)
        states["turn"][over] += 1


class StartsByPlace(Faulty):
    def start(self, states, masks, seeds, ruleset):
        self.right.start(states, masks, np.asarray(seeds) + np.arange(len(states)), ruleset)


class Concludes(Faulty):
    def conclude(self, states, end_records):
        self.right.conclude(states, end_records)
        end_records["reason"] = 1


class Careless(Game):
    def step(self, action):
        return self if action < 0 else super().step(action)


class Loose(Game):
    def legal(self):
        return super().legal()[:1]


def described(**changes):
    """A layout in which the toy declares objects."""
    told = {"fields": {"part_0": 0}, "actions": {}} | changes
    return {"layout": dataclasses.replace(HUNT.layout, entities=(EntitySet("places", **told),))}


_made = iter(range(100))
TOLD = HUNT.words._replace(position=lambda state: str(state["key"]))
NAMES = HUNT.actions.names
FAULTS = [
    (Sees(), "an observation shows information hidden"),
    (TellsNothing(), "an observation does not show the kind of the decision"),
    (Writes(), "observe changes the game"),
    (Forgets(), "refresh writes a different mask"),
    (Guesses(), "the worlds sampled for a seat depend on information hidden"),
    (Misplaces(), "an observation shows information hidden"),
    (Invents(), "a world is not a valid state after 0 decisions: there is no such position"),
    (StepsAll(), "a step of a range of games changes other games"),
    (LooksAround(), "a game depends on the other games of its batch"),
    (GoesOn(), "a step changes a finished game"),
    (StartsByPlace(), "game 1 of a batch begins differently from a single game"),
    (Concludes(), "an end record must have a reason if and only if the game is over"),
    (
        {"actions": ActionSpace((NAMES[0], *NAMES[:-1]), HUNT.actions.blocks)},
        "two actions have the same name",
    ),
    (
        {"actions": ActionSpace(NAMES, {"do": range(1)})},
        "blocks of actions do not contain each action exactly once",
    ),
    ({"ends": (End("lost", 2.0), *HUNT.ends[1:])}, "the value of an end is outside -1 to 1"),
    ({"ends": (HUNT.ends[1], *HUNT.ends[1:])}, "two ends have the same name"),
    ({"state": np.dtype([("seat", np.int8)])}, "the state has no seat or no winner"),
    ({"words": TOLD}, "words.position reveals hidden information to seat 1"),
    (
        {
            "guide": Guide(
                HUNT.words.decision, dict, {}, why=lambda state: {NAMES[0]: Why("key", str(state["key"]))}
            )
        },
        "guide.why reveals hidden information to seat 1",
    ),
    (
        {"environments": Environments(text=lambda state, _viewer: str(state["key"]))},
        "environments.text reveals hidden information to seat 0",
    ),
    (
        {"environments": Environments(image=lambda state, _viewer: np.array([state["key"]]))},
        "environments.image reveals hidden information to seat 0",
    ),
    (
        {"game": lambda seed, rules: Game(HUNT, seed + 1, rules)},
        "the game differs from the game of its kernels",
    ),
    ({"game": lambda seed, rules: Careless(HUNT, seed, rules)}, "action -1 is illegal but is played"),
    (
        {"game": lambda seed, rules: Loose(HUNT, seed, rules)},
        "the list of legal actions does not match the mask",
    ),
    (
        {"games": lambda number, _seed, rules: VectorGame(HUNT, number, next(_made), rules)},
        "the same seed gives a different game after 0 steps of GameKind.games",
    ),
    ({"learners": lambda _state, _action: frozenset({7})}, "who_learns names a seat that does not exist"),
    (
        {"winners": lambda states: np.ones((len(states), 3), dtype=bool)},
        "a seat outside the winning team wins",
    ),
    (described(fields={"part_0": 0, "part_1": 0}), "the fields of places do not describe the same objects"),
    (described(fields={"nothing": 0}), "the fields of places do not describe the same objects"),
    (described(actions={"do": [0]}), "places do not name an object for each action of do"),
    (described(actions={"do": [99] * len(NAMES)}), "an action of do names an object that places do not have"),
    (described(near=np.ones(3)), "near of places is not bool"),
]


@pytest.mark.parametrize(("fault", "told"), FAULTS, ids=[told for _, told in FAULTS])
def test_a_fault_is_found(fault, told):
    changes = {"kernels": fault} if isinstance(fault, Faulty) else fault
    with pytest.raises(GameContractError, match=told):
        check_game(dataclasses.replace(HUNT, **changes))


@pytest.mark.parametrize("name", GOLDEN)
def test_the_golden_game_is_still_what_is_played(name):
    kept = GOLDEN[name].read_text(encoding="utf-8")
    assert written(name) == kept, "another game is played; if that is meant: python -m tests.golden --write"


def test_a_playthrough_is_as_long_as_wanted():
    assert playthrough(HUNT, decisions=2).count("(") == 3
    assert playthrough(HUNT) == playthrough(HUNT, "standard", 1) != playthrough(HUNT, seed=2)
