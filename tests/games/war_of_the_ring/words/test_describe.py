"""Words: for every decision, every action and every position, and never what the seat may not know."""

import random
import re
from collections.abc import Iterator

import numpy as np
import pytest

from tests.positions import wait
from tests.tools.policies import POLICIES
from wotr_env import STATE, Game, Ruleset
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS, Block
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    CardZone,
    Decision,
    Frame,
    HuntCause,
    Location,
    Nation,
    Phase,
    Plan,
    Reason,
    Region,
    Side,
    Verb,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_NAMES,
    COMBAT_NAMES,
    NUM_CARDS,
    SETTLEMENT_INDEX,
)
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.choice import Asked
from wotr_env.games.war_of_the_ring.rules.decisions import DECISIONS
from wotr_env.games.war_of_the_ring.rules.events.program import OPERATIONS
from wotr_env.games.war_of_the_ring.rules.frames import top_frame
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK
from wotr_env.games.war_of_the_ring.words.cards import card_text, combat_text
from wotr_env.games.war_of_the_ring.words.decisions import decision_text, say
from wotr_env.games.war_of_the_ring.words.positions import describe, victory_points


@pytest.fixture
def state():
    return Game(1).state


def line_with(state, words: str) -> str:
    lines = [line for line in describe(state).split("\n") if words in line]
    assert len(lines) == 1, f"{words!r} in {len(lines)} lines"
    return lines[0]


def hand_of(state, seat: int) -> list[int]:
    return np.flatnonzero(state["card_zone"] == CardZone.HAND + seat).tolist()


@pytest.mark.parametrize("decision", Decision)
def test_every_decision_has_a_sentence(state, decision):
    state["decision"] = decision
    text = decision_text(state)
    assert text.endswith(".") and "{" not in text and "\n" not in text
    assert text not in describe(state)  # callers show it after the position
    if decision != Decision.NONE:
        assert text.startswith(("Free Peoples to decide", "Shadow to decide"))


@pytest.mark.parametrize("decision", Decision)
def test_every_action_has_words_in_every_decision(state, decision):
    state["decision"] = decision
    for action in range(NUM_ACTIONS):
        words = say(state, action)
        assert words and "{" not in words
        assert ("unused" in words) == ACTION_NAMES[action].startswith("unused")


@pytest.mark.parametrize("block, codes", [(Block.VERB, Verb), (Block.PLAN, Plan)])
def test_verbs_and_plans_have_words_of_their_own(state, block, codes):
    words = {say(state, block + member) for member in codes}
    assert len(words) == len(codes) and not any(":" in word for word in words)


def test_actions_in_context(state):
    osgiliath = Block.REGION + Region.OSGILIATH
    for decision, words in {
        Decision.ATTACK_TARGET: "attack Osgiliath",
        Decision.RETREAT: "retreat to Osgiliath",
        Decision.REVEAL_REGION: "reveal the Fellowship in Osgiliath",
        Decision.CEASE: "Osgiliath",
    }.items():
        state["decision"] = decision
        assert say(state, osgiliath) == words
    state["decision"] = Decision.CASUALTY
    assert say(state, Block.NATION + Nation.ROHAN) == "reduce an Elite of Rohan"
    assert say(state, Block.FIGURE + 3 * Nation.ROHAN) == "remove a Regular of Rohan"
    state["decision"] = Decision.HUNT_ALLOCATION
    assert say(state, Block.COUNT + 1) == "put 1 die into the Hunt Box"
    assert say(state, Block.COUNT + 2) == "put 2 dice into the Hunt Box"


def test_an_attack_on_the_own_region_is_an_assault_or_a_sortie(state):
    state["decision"] = Decision.ATTACK_TARGET
    state["battle_origin"] = Region.MINAS_TIRITH
    state["seat"] = Side.SHADOW
    assert say(state, Block.REGION + Region.MINAS_TIRITH) == "assault the garrison of Minas Tirith"
    state["seat"] = Side.FREE_PEOPLES
    assert say(state, Block.REGION + Region.MINAS_TIRITH) == "sortie against the besiegers"
    assert say(state, Block.REGION + Region.OSGILIATH) == "attack Osgiliath"


def test_the_start(state):
    text = describe(state)
    assert text.startswith("Turn 1, phase ")
    assert "Fellowship in Rivendell, progress 0, hidden; Corruption 0 of 12" in text
    assert "Guide Gandalf the Grey; with Strider; Boromir; Legolas; Gimli" in text
    assert "3 Elven Rings" in line_with(state, "Free Peoples dice")
    assert "0 Elven Rings" in line_with(state, "Shadow dice")
    assert "Hunt Pool: 16 tiles" in text
    assert "Gondor 2 steps from war, passive" in text and "Sauron 1 step from war" in text
    assert "Victory points: Free Peoples 0 of 4, Shadow 0 of 10" in text
    assert "Minas Tirith - Free Peoples: Gondor 3 Regulars, 1 Elite, 1 Leader" in text
    assert "Barad-dur - Shadow: Sauron 4 Regulars, 1 Elite, 1 Nazgul" in text
    assert line_with(state, "Not in play").endswith("The Witch-king; The Mouth of Sauron; Saruman")
    assert "Battle" not in text and "Hunt for" not in text and "taken by" not in text


def test_only_the_hand_of_the_seat_that_decides_is_shown(state):
    for seat in Side:
        state["seat"] = seat
        own = {CARD_NAMES[card] for card in hand_of(state, seat)}
        text = describe(state)
        assert own and all(name in text for name in own)
        hidden = {CARD_NAMES[card] for card in range(NUM_CARDS)} - own
        cards_shown = text[text.index("Free Peoples cards:") :]
        assert not any(name in cards_shown for name in hidden)


def test_what_is_hidden_does_not_change_the_words():
    game = Game(3)
    choices = random.Random(1)
    for _ in range(150):
        state = game.state
        seat = game.seat
        other = state.copy()
        zones = other["card_zone"]
        for deck in range(4):
            cards = np.arange(deck * CARDS_PER_DECK, (deck + 1) * CARDS_PER_DECK)
            secret = zones[cards] < other["deck_size"][deck]
            if deck // 2 != seat:
                secret |= np.isin(zones[cards], [CardZone.HAND + 1 - seat, CardZone.FACE_DOWN + 1 - seat])
            zones[cards[secret]] = zones[cards[secret]][::-1].copy()
        other["key"] = 0
        assert describe(other) == describe(state)
        game.step(choices.choice(game.legal()))


def test_cards_in_hand_and_on_the_table_are_explained(state):
    state["seat"] = Side.SHADOW
    state["card_zone"][:] = CardZone.DISCARD
    state["card_zone"][4] = CardZone.TABLE
    state["card_zone"][70] = CardZone.HAND + Side.SHADOW
    state["card_zone"][71] = CardZone.TABLE
    text = describe(state)
    for card in (4, 71):
        assert f"on the table: {CARD_NAMES[card]}: {card_text(card, state['options'])}" in text
    assert (
        card_text(70, state["options"]) in text
        and f"{COMBAT_NAMES[70]}: {combat_text(70, state['options'])}" in text
    )


def event_states(policy: str, games: int) -> Iterator[np.record]:
    """The positions in games of a policy in which a choice inside an event or a Combat card is pending."""
    kernel.ensure_compiled()
    rules = Ruleset(max_turns=25, ask_single=True)
    states, masks = np.zeros(games, dtype=STATE), np.zeros((games, NUM_ACTIONS), dtype=np.bool_)
    streams = np.arange(games, dtype=np.int64)
    preferences = POLICIES[policy].preferences()
    inside = [kind for kind, choice in DECISIONS.items() if choice.asked in (Asked.EVENT, Asked.COMBATANT)]
    kernel.new_games(states, masks, streams, rules.encode(), rules.max_turns)
    while (states["winner"] == Winner.NONE).any():
        kernel.random_steps(states, masks, 1, streams, preferences)
        yield from states[np.isin(states["decision"], inside)]


@pytest.mark.parametrize("policy", ["cards", "cards_companions", "cards_sieges"])
def test_choices_inside_cards_have_words_of_their_own(policy):
    asked = set()
    for state in event_states(policy, 20):
        frame = top_frame(state)
        running = (frame.card, frame.step) if frame.kind == Frame.EVENT else (frame.effects,)
        question = (int(state["decision"]), frame.stage, *running)
        if question not in asked:
            text = decision_text(state)
            assert not re.search(
                r"which \w+ to choose|what to do by|nowhere|the nation|a Companion is lost", text
            )
            asked.add(question)
    assert len(asked) > 20


@pytest.mark.parametrize(
    ("op", "decision", "step"),
    [
        (op, decision, step[0] if step else 0)
        for op, operation in OPERATIONS.items()
        for decision, step, _ in operation.questions()
    ],
)
def test_questions_of_events_name_the_card(state, op, decision, step):
    card, place = np.argwhere(EVENT_OPS[:, :, 0] == op)[0]
    wait(state, Frame.EVENT, place, card=card, step=step, place=1, target=2)
    state["decision"] = decision
    text = decision_text(state)
    assert "{" not in text and "to choose for" not in text and "what to do" not in text
    assert CARD_NAMES[card] in text or "flee" in text
    assert f"Event {CARD_NAMES[card]}: {card_text(card, state['options'])}" in describe(state)


def test_table_and_discards_are_public_face_down_cards_are_not(state):
    state["seat"] = Side.SHADOW
    state["card_zone"][0] = CardZone.TABLE
    state["card_zone"][1] = CardZone.DISCARD
    state["card_zone"][2] = CardZone.FACE_DOWN + Side.FREE_PEOPLES
    state["card_zone"][3] = CardZone.COMMITTED + Side.FREE_PEOPLES
    text = describe(state)
    assert f"on the table: {CARD_NAMES[0]}" in text and f"discards: {CARD_NAMES[1]}" in text
    cards = text[text.index("Free Peoples cards:") :]
    assert CARD_NAMES[2] not in cards and "1 discarded face down" in cards
    assert CARD_NAMES[3] not in cards and "combat card committed: face down" in cards
    state["seat"] = Side.FREE_PEOPLES
    assert f"combat card committed: {CARD_NAMES[3]}" in describe(state)


def test_a_siege_names_garrison_and_besiegers(state):
    region = Region.MINAS_TIRITH
    state["regular"][region, Nation.SAURON] = 2
    state["leader"][region, Nation.SAURON] = 1
    state["units"][region, Side.SHADOW] = 2
    line = line_with(state, "Minas Tirith (besieged)")
    assert "Free Peoples garrison: Gondor 3 Regulars" in line
    assert "Shadow besiegers: Sauron 2 Regulars, 1 Nazgul" in line
    state["control"][SETTLEMENT_INDEX[region]] = Side.SHADOW
    assert "Free Peoples besiegers" in line_with(state, "Minas Tirith (besieged)")


def test_characters_on_the_board_and_gone(state):
    state["location"][1] = Region.BREE
    state["location"][2] = Location.ELIMINATED
    assert "Strider" in line_with(state, "  Bree -")
    assert line_with(state, "Eliminated:") == "Eliminated: Boromir"


def test_captures_and_points(state):
    assert victory_points(state) == (0, 0)
    state["control"][SETTLEMENT_INDEX[Region.MINAS_TIRITH]] = Side.SHADOW
    state["control"][SETTLEMENT_INDEX[Region.PELARGIR]] = Side.SHADOW
    state["control"][SETTLEMENT_INDEX[Region.BREE]] = Side.SHADOW
    state["control"][SETTLEMENT_INDEX[Region.ORTHANC]] = Side.FREE_PEOPLES
    state["control"][SETTLEMENT_INDEX[Region.UMBAR]] = Side.FREE_PEOPLES
    state["control"][SETTLEMENT_INDEX[Region.ANGMAR]] = Side.FREE_PEOPLES
    assert victory_points(state) == (5, 3)
    assert "Bree" in line_with(state, "taken by the Shadow")
    assert "Orthanc" in line_with(state, "taken by the Free Peoples")
    state["options"][Option.FP_MILITARY] = 1
    assert victory_points(state) == (4, 3)


def test_the_mordor_track(state):
    state["mordor_step"] = 4
    state["revealed"] = 1
    assert "Fellowship on step 4 of the Mordor Track, revealed" in describe(state)


@pytest.mark.parametrize("kind", BattleKind)
def test_a_battle_in_progress(state, kind):
    wait(state, Frame.BATTLE)
    state["battle_kind"] = kind
    state["battle_attacker"] = Side.SHADOW
    state["battle_origin"] = Region.MINAS_MORGUL
    state["battle_target"] = Region.OSGILIATH
    state["battle_round"] = 2
    state["party_elite"][Nation.SAURON] = 2
    state["combat_card"] = -1
    state["combat_card"][Side.FREE_PEOPLES] = 3
    state["hits"][Side.SHADOW] = 2
    text = describe(state)
    assert "Battle: the Shadow" in text and "Osgiliath" in text and "round 2" in text
    assert "attacking: Sauron 2 Elites" in text and "Shadow: 2 hits, 0 misses" in text
    assert "combat card of the Free Peoples" not in text
    state["card_zone"][3] = CardZone.IN_PLAY
    assert "combat card of the Free Peoples" in describe(state)


@pytest.mark.parametrize("cause", HuntCause)
def test_a_hunt_in_progress(state, cause):
    wait(state, Frame.HUNT)
    state["hunt_cause"] = cause
    state["hunt_successes"] = 1
    state["hunt_tile"] = 4
    state["hunt_damage"] = 3
    assert "1 success, tile 3, damage 3" in line_with(state, "Hunt for" if cause < 3 else "Hunt by")
    state["hunt_tile"] = -1
    assert "no tile yet" in describe(state)


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_has_words(state, phase):
    state["phase"] = phase
    assert f"phase {int(phase)}: " in describe(state)


@pytest.mark.parametrize("winner", set(Winner) - {Winner.NONE})
@pytest.mark.parametrize("reason", Reason)
def test_every_end_has_words(state, winner, reason):
    state["winner"] = winner
    state["reason"] = reason
    assert decision_text(state).startswith("The game is over: ") and "hand:" not in describe(state)


@pytest.mark.parametrize(
    "ruleset", [Ruleset(max_turns=6), Ruleset.second_edition(max_turns=6, ask_single=True)]
)
def test_whole_games_have_words(ruleset):
    game = Game(2, ruleset)
    choices = random.Random(2)
    while not game.over:
        text = describe(game.state)
        question = decision_text(game.state)
        assert "nowhere" not in question and "chosen die" not in question
        _, fellowship, armies, _ = text.split("\n\n")  # the texts of cards have a -1
        assert "{" not in text and "-1" not in fellowship + armies
        words = [say(game.state, action) for action in game.legal()]
        assert len(set(words)) == len(words), f"{game.decision.name}: two actions with the same words"
        game.step(choices.choice(game.legal()))
    assert "The game is over" in game.describe()
