"""What ``wotr play`` tells, and that it tells nothing that a seat may not know."""

from __future__ import annotations

import io
import random

import numpy as np
import pytest
from rich.console import Console

from tests.battles import Battle
from tests.positions import Position, card, play
from tests.terminals import Person, answering, new_game
from wotr_env import Game, Ruleset, sample_world
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side, Verb
from wotr_env.games.war_of_the_ring.components import (
    CARD_NAMES,
    CARD_WORDINGS,
    COMBAT_WORDINGS,
    NUM_CARDS,
    REGION_NAMES,
)
from wotr_env.games.war_of_the_ring.picture import CHARACTER_IDS, picture
from wotr_env.games.war_of_the_ring.seating import given_cards, side_of
from wotr_env.games.war_of_the_ring.words.actions import own_words, public_words
from wotr_env.games.war_of_the_ring.words.events import tell
from wotr_experiments.games.war_of_the_ring.terminal import views
from wotr_experiments.games.war_of_the_ring.terminal.story import line_of

LOOKS = ["hand", "log 50", "armies all", "map", "battle", "region moria", "dice", "hint", "answers"]
PUBLIC = (CardZone.TABLE, CardZone.DISCARD, CardZone.IN_PLAY)
MENTIONED = " ".join(
    text for wording in (*CARD_WORDINGS, *COMBAT_WORDINGS) for text in wording.parts.values()
)


UNMENTIONED = np.array([name not in MENTIONED for name in CARD_NAMES])
"""By card whether no text of cards has its name."""


def hidden_names(state, viewer):
    """Names of the other side's cards that the viewer has not seen, but for those that texts mention."""
    first = (1 - viewer) * NUM_CARDS // 2
    hidden = UNMENTIONED & ~np.isin(state["card_zone"], PUBLIC)
    return [CARD_NAMES[card] for card in np.flatnonzero(hidden) if first <= card < first + NUM_CARDS // 2]


def shown_text(renderable):
    console = Console(width=200, file=io.StringIO())
    console.print(renderable)
    return console.file.getvalue()


@pytest.mark.parametrize(("viewer", "seed"), [(0, 1), (1, 2)])
def test_nothing_hidden_is_shown_in_a_game(viewer, seed, tmp_path):
    """Before every line typed, all that was shown since the last one, commands included."""
    checked = 0

    def extra(person, generator):
        nonlocal checked
        text = person.new_text()
        for name in hidden_names(person.screen.match.game.state, viewer):
            assert name not in text
        checked += 1
        if generator.random() < 0.1:
            return generator.choice(LOOKS)
        return None

    rules = Ruleset.first_edition(max_turns=4)
    saved = new_game(viewer, "random", seed=seed, ruleset=rules, hint_bot="random")
    Person(answering(seed, extra)).sit_down(saved, tmp_path / "game.json").run()
    assert checked > 60


@pytest.mark.parametrize(("players", "viewer"), [(3, 0), (3, 1), (4, 0), (4, 2)])
def test_a_partner_is_shown_nothing_hidden_in_a_game(players, viewer, tmp_path):
    """The same of three and four: only cards that the person has held, given or seen lie open."""
    known, checked = set(), 0
    own = [zone + viewer for zone in (CardZone.HAND, CardZone.FACE_DOWN, CardZone.COMMITTED)]

    def extra(person, generator):
        nonlocal checked
        state, text = person.screen.match.game.state, person.new_text()
        known.update(np.flatnonzero(np.isin(state["card_zone"], (*own, *PUBLIC))).tolist())
        known.update(card for card in given_cards(state) if card * 2 // NUM_CARDS == side_of(viewer))
        for number in set(range(NUM_CARDS)) - known:
            assert not UNMENTIONED[number] or CARD_NAMES[number] not in text
        checked += 1
        if generator.random() < 0.2:
            return generator.choice(["hand", "log 50", "armies all", "map", "dice", "hint", "answers"])
        return None

    rules = Ruleset.first_edition(max_turns=6, players=players)
    saved = new_game(viewer, "random", seed=viewer + 9, ruleset=rules, hint_bot="random")
    person = Person(answering(viewer, extra))
    person.sit_down(saved, tmp_path / "game.json").run()
    assert checked > 50
    seats = rules.seats
    assert all(f"{seat.title}: " in person.text for seat in seats)


def test_a_card_is_located_only_where_it_may_be_known():
    game = Game(5)
    generator = random.Random(0)
    for _ in range(400):
        game.step(generator.choice(game.legal()))
    state = game.state.copy()
    committed = card("fp-char-01")
    state["card_zone"][committed] = CardZone.COMMITTED
    for viewer in Side:
        shown = picture(state, viewer)
        for number in range(NUM_CARDS):
            zone = int(state["card_zone"][number])
            known = (*PUBLIC, CardZone.HAND + viewer, CardZone.FACE_DOWN + viewer)
            words = shown_text(views.card(shown, number, state["options"]))
            assert ("not seen" in words) == (zone not in known)


def test_choices_in_the_hand_are_told_without_the_card():
    """In random games: whichever card is discarded or committed, the words are the same."""
    seen = {Decision.DISCARD_CARD: 0, Decision.COMBAT_CARD: 0}
    for seed in range(4):
        game, generator = Game(seed), random.Random(seed)
        for _ in range(1500):
            if game.over:
                break
            legal = game.legal()
            if game.decision in seen:
                before = game.state
                words = {
                    public_words(before, game.clone().step(action).state, action)
                    for action in legal
                    if action >= Block.PLAN
                    and before["card_zone"][action - Block.CARD] == CardZone.HAND + game.seat
                }
                if words:
                    (only,) = words
                    assert only.endswith("face down")
                    seen[game.decision] += 1
                if game.decision == Decision.COMBAT_CARD:
                    declined = game.clone().step(Block.VERB + Verb.DECLINE).state
                    assert public_words(before, declined, Block.VERB + Verb.DECLINE) is None
            game.step(generator.choice(legal))
    assert all(count > 5 for count in seen.values()), seen


def test_what_is_told_is_the_same_in_every_world_that_the_seat_holds_possible():
    """Choices that need no chance, in the true world and in others."""
    compared = 0
    for seed in range(2):
        game, generator = Game(seed), random.Random(seed)
        rng = np.random.default_rng(seed)
        for _ in range(300):
            if game.over:
                break
            before, viewer = game.state, game.seat
            committed = (before["card_zone"] == CardZone.COMMITTED + 1 - viewer).any()
            action = generator.choice(game.legal())
            trace = game.trace(action)
            after = game.step(action).state
            drawn = (after["deck_size"] != before["deck_size"]).any()
            if committed or drawn or after["counter"] != before["counter"]:
                continue
            other = Game.from_state(sample_world(before, viewer, rng)).trace(action)
            if (other.after["seat"], other.after["decision"]) != (after["seat"], after["decision"]):
                continue
            assert tell(trace, viewer) == tell(other, viewer)
            compared += 1
    assert compared > 100


def test_a_battle_is_told_with_its_cards_rolls_and_losses():
    battle = Battle(
        Side.SHADOW,
        {"gondor": 2, "gondor_leader": 1},
        {"sauron": 3, "nazgul": 1},
        "sh-char-01",
        "fp-strat-01",
        origin="north-ithilien",
        at="osgiliath",
    )
    game = battle.game(6, 2, 1, 4, 5, 1, 1, 1, 1)
    play(game, "face:army", "plan:attack", "region:north-ithilien", "region:osgiliath")
    told = []
    while game.decision in (Decision.COMBAT_CARD, Decision.CASUALTY, Decision.ATTACK_FIGURES):
        names = {game.name_of(each): each for each in game.legal()}
        action = names.get("verb:decline", names.get("verb:whole-army", game.legal()[-1]))
        told += [line_of(sentence) for sentence in tell(game.trace(action), 0)]
        game.step(action)
    texts = [text.strip() for _, text in told]
    assert (
        "The Shadow attacks Osgiliath from North Ithilien: "
        "Sauron 3 Regulars, 1 Nazgul against Gondor 2 Regulars, 1 Leader"
    ) in texts
    assert "Round 1 of the battle for Osgiliath" in texts
    assert "Combat roll of the Shadow: 6 2 1 (6 or more): 1 hit" in texts
    assert "Combat roll of the Free Peoples: 4 5 (5 or more): 1 hit" in texts
    assert "Re-roll by Leadership of the Shadow: 1 (6 or more): 0 hits" in texts
    assert "Lost in Osgiliath: Gondor 1 Regular" in texts
    assert "Lost in North Ithilien: Sauron 1 Regular" in texts


def test_a_move_and_its_figures_are_told():
    game = Position().army("barad-dur", sauron=3, nazgul=1).dice(shadow="army", acting=Side.SHADOW).game()
    play(game, "face:army", "plan:move-armies", "region:barad-dur", "region:gorgoroth")
    choice, moved = tell(game.trace(game.action("verb:whole-army")), 0)[:2]
    assert choice.text == "the whole army"
    text = "  Sauron 3 Regulars, 1 Nazgul move from Barad-dur to Gorgoroth"
    assert line_of(moved) == ("default", text)


def test_bare_answers_get_their_question():
    game = Game(1)
    assert game.decision == Decision.DECLARE_FELLOWSHIP
    words = own_words(game.state, Block.VERB + Verb.DECLINE)
    assert words == "whether to declare the Fellowship in Rivendell: no"
    state = game.state
    state["progress"] = 2
    words = own_words(state, Block.VERB + Verb.DECLINE)
    assert words == "whether to declare the Fellowship at most 2 regions from Rivendell: no"


def test_a_region_is_shown_with_its_neighbours():
    number = REGION_NAMES.index("Rivendell")
    text = shown_text(views.region(picture(Game(1).state, 0), number, 100, 24))
    for words in ("Rivendell (Stronghold)", "the Fellowship", "Elves 2 Elites 1 Leader", "next to it"):
        assert words in text


def test_the_card_of_a_character_tells_where_he_is():
    game = Game(5, Ruleset.second_edition())
    options = game.state["options"]
    places = {
        "gandalf-grey": "guides the Fellowship",
        "gimli": "in the Fellowship",
        "saruman": "not on the board",
    }
    for who, where in places.items():
        words = shown_text(views.character(picture(game.state, 0), CHARACTER_IDS.index(who), options))
        assert words.rstrip().endswith(where)
    state = game.state.copy()
    state["location"][CHARACTER_IDS.index("gimli")] = REGION_NAMES.index("Erebor")
    gimli = shown_text(views.character(picture(state, 1), CHARACTER_IDS.index("gimli"), options))
    assert "Gimli" in gimli and "Captain of the West" in gimli and gimli.rstrip().endswith("in Erebor")
