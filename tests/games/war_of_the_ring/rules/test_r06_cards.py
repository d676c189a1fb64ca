"""R6.1-R6.3: decks, hands, drawing, discarding, and what a die pays for."""

from __future__ import annotations

import pytest

from tests.positions import Position, card, legal, legal_block, play
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.cards.events import EVENT_CONDITIONS
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Face, Icon, Phase, Side, TurnStage
from wotr_env.games.war_of_the_ring.components import CARD_ICON, CARD_IDS, CARD_WORDINGS
from wotr_env.games.war_of_the_ring.rules import cards as card_rules

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
die_pays_for = card_rules.die_pays_for
SKIP = "plan:skip"
FP_CHARACTER, FP_STRATEGY, SH_CHARACTER, SH_STRATEGY = range(4)
SIX = tuple(f"fp-char-{number:02}" for number in range(1, 7))
DRAW = ("face:event", "plan:draw-card")


def empty(position, *decks):
    """These decks have been drawn; their cards lie face down with their owner."""
    for deck in decks:
        position.state.card_zone[deck * 24 : deck * 24 + 24] = CardZone.FACE_DOWN + deck // 2
        position.state.deck_size[deck] = 0
    return position


def hand(game, side):
    """The cards of a hand."""
    return set((game.state.card_zone == CardZone.HAND + side).nonzero()[0].tolist())


def top(game, deck):
    """The card that is drawn next from a deck."""
    zones = game.state.card_zone
    (index,) = (zones[deck * 24 : deck * 24 + 24] == game.state.deck_size[deck] - 1).nonzero()[0]
    return deck * 24 + int(index)


def new_turn(ruleset=None):
    return Position(ruleset).phase(Phase.DRAW, TurnStage.DRAW)


# --- R6.1: zones. ---


def test_R6_1_1_own_decks_and_hand():
    game = Position().dice("event muster", "event").game()
    tops = [top(game, deck) for deck in range(4)]
    play(game, *DRAW, "verb:strategy-deck", *DRAW, "verb:character-deck")
    assert hand(game, FP) == {tops[FP_STRATEGY]}
    assert hand(game, SH) == {tops[SH_CHARACTER]}


def test_R6_1_1_used_decks_are_not_reshuffled():
    game = empty(new_turn(), FP_CHARACTER, FP_STRATEGY, SH_CHARACTER, SH_STRATEGY).game()
    assert game.decision == Decision.DECLARE_FELLOWSHIP
    assert hand(game, FP) == hand(game, SH) == set()
    assert game.state.deck_size.tolist() == [0, 0, 0, 0]
    assert set(game.state.card_zone[:48].tolist()) == {CardZone.FACE_DOWN}
    assert set(game.state.card_zone[48:].tolist()) == {CardZone.FACE_DOWN + 1}


# --- R6.2: drawing and the hand limit. ---


def test_R6_2_1_an_event_result_draws_from_one_own_deck():
    game = play(Position().dice("event", "muster").game(), *DRAW)
    assert game.decision == Decision.DRAW_DECK
    assert legal(game) == {"verb:character-deck", "verb:strategy-deck"}
    drawn = top(game, FP_STRATEGY)
    play(game, "verb:strategy-deck")
    assert hand(game, FP) == {drawn}
    assert game.state.deck_size.tolist() == [24, 23, 24, 24]
    assert game.side == SH


@pytest.mark.parametrize(
    ("deck", "offered"), [(SH_CHARACTER, "verb:strategy-deck"), (SH_STRATEGY, "verb:character-deck")]
)
def test_R6_2_1_an_empty_deck_is_not_offered(deck, offered):
    game = empty(Position(), deck).dice("", "event", acting=SH).game()
    assert legal(play(game, *DRAW)) == {offered}


def test_RG28_R6_2_1_no_draw_with_both_decks_empty():
    game = empty(Position(), FP_CHARACTER, FP_STRATEGY).dice("event", "event").game()
    assert legal_block(play(game, "face:event"), "plan") == {"skip"}
    assert legal_block(play(game, SKIP, "face:event"), "plan") == {"draw-card", "skip"}


def test_R6_2_1_R4_2_an_empty_deck_gives_nothing_in_phase_1():
    game = empty(new_turn(), FP_CHARACTER).game()
    assert len(hand(game, FP)) == 1
    assert len(hand(game, SH)) == 2


def test_R6_2_1_the_last_card_of_a_deck():
    position = empty(Position(), FP_CHARACTER)
    position.state.card_zone[card("fp-char-07")] = 0
    position.state.deck_size[FP_CHARACTER] = 1
    game = play(position.dice("event event").game(), *DRAW, "verb:character-deck")
    assert hand(game, FP) == {card("fp-char-07")}
    assert legal(play(game, *DRAW)) == {"verb:strategy-deck"}


def test_GX36_RU21_R6_2_2_both_cards_are_drawn_then_two_discarded():
    game = new_turn().hand(FP, *SIX).game()
    assert (game.decision, game.side, len(hand(game, FP))) == (Decision.DISCARD_CARD, FP, 8)
    assert game.state.deck_size.tolist() == [17, 23, 23, 23]
    play(game, "card:fp-char-01")
    assert game.decision == Decision.DISCARD_CARD
    play(game, "card:fp-char-03")
    assert game.decision == Decision.DECLARE_FELLOWSHIP
    assert len(hand(game, FP)) == 6
    face_down = (game.state.card_zone == CardZone.FACE_DOWN).nonzero()[0].tolist()
    assert face_down == [card("fp-char-01"), card("fp-char-03")]
    assert (game.state.card_zone == CardZone.DISCARD).sum() == 0


def test_R6_2_2_a_full_hand_is_no_excess():
    game = new_turn().hand(FP, *SIX[:4]).game()
    assert (game.decision, len(hand(game, FP))) == (Decision.DECLARE_FELLOWSHIP, 6)


@pytest.mark.parametrize(("limit", "discards"), [(6, 0), (5, 1), (4, 2)])
def test_R6_2_2_hand_limit(limit, discards):
    ruleset = Ruleset(hand_limit=limit, ask_single=True)
    game = new_turn(ruleset).hand(FP, *SIX[:4]).game()
    for _ in range(discards):
        assert game.decision == Decision.DISCARD_CARD
        play(game, sorted(legal(game))[0])
    assert (game.decision, len(hand(game, FP))) == (Decision.DECLARE_FELLOWSHIP, limit)


def test_R6_2_2_table_cards_do_not_count():
    position = new_turn().hand(FP, *SIX[:5])
    position.state.card_zone[card("fp-char-01")] = CardZone.TABLE
    game = position.game()
    assert (game.decision, len(hand(game, FP))) == (Decision.DECLARE_FELLOWSHIP, 6)


def test_R6_2_3_any_card_of_the_hand_may_go():
    position = new_turn().hand(SH, *(f"sh-strat-{number:02}" for number in range(1, 6)))
    game = position.game()
    assert (game.decision, game.side) == (Decision.DISCARD_CARD, SH)
    cards = {f"card:{name}" for name in (f"sh-strat-{number:02}" for number in range(1, 6))}
    assert len(hand(game, SH)) == 7
    assert {game.action(name) - game.action("card:fp-char-01") for name in legal(game)} == hand(game, SH)
    assert cards < legal(game)
    new = (legal(game) - cards).pop()
    play(game, new)
    assert game.state.card_zone[card(new.removeprefix("card:"))] == CardZone.FACE_DOWN + SH


def test_RG23_RU43_R6_2_3_drawing_with_a_full_hand():
    """The draw is legal; the discard comes before anything else."""
    game = Position().hand(FP, *SIX).dice("event", "muster").game()
    play(game, *DRAW, "verb:strategy-deck")
    assert (game.decision, game.side, len(hand(game, FP))) == (Decision.DISCARD_CARD, FP, 7)
    play(game, "card:fp-char-02")
    assert (game.decision, game.side) == (Decision.ACTION_DIE, SH)
    assert game.state.card_zone[card("fp-char-02")] == CardZone.FACE_DOWN
    assert len(hand(game, FP)) == 6


def test_R6_2_3_both_players_discard_in_phase_1():
    position = new_turn().hand(FP, *SIX).hand(SH, *(f"sh-char-{number:02}" for number in range(1, 7)))
    game = position.game()
    sides = []
    while game.decision == Decision.DISCARD_CARD:
        sides.append(game.side)
        play(game, sorted(legal(game))[0])
    assert sorted(sides) == [FP, FP, SH, SH]
    assert len(hand(game, FP)) == len(hand(game, SH)) == 6


def test_R6_2_3_a_discarded_card_never_returns():
    position = empty(Position(), FP_CHARACTER, FP_STRATEGY, SH_CHARACTER, SH_STRATEGY)
    position.state.card_zone[card("fp-char-01")] = CardZone.DISCARD
    game = play(position.dice("muster").game(), "face:muster", SKIP)
    assert game.state.turn == 2
    assert hand(game, FP) == set()
    assert game.state.card_zone[card("fp-char-01")] == CardZone.DISCARD


# --- R6.3: paying. ---


def payable(face, side):
    """The cards of a side that a die result pays for, as (deck is Character, icon)."""
    cards = range(48 * side, 48 * side + 48)
    return {
        (number % 48 < 24, Icon(CARD_ICON[number])) for number in cards if die_pays_for(int(face), number)
    }


CHARACTER_CARDS = {(True, Icon.CHARACTER)}
ARMY_CARDS = {(False, Icon.ARMY)}
MUSTER_CARDS = {(False, Icon.MUSTER)}


@pytest.mark.parametrize("side", [FP, SH])
@pytest.mark.parametrize(
    ("face", "cards"),
    [
        (Face.CHARACTER, CHARACTER_CARDS),
        (Face.ARMY, ARMY_CARDS),
        (Face.MUSTER, MUSTER_CARDS),
        (Face.ARMY_MUSTER, ARMY_CARDS | MUSTER_CARDS),
        (Face.EVENT, CHARACTER_CARDS | ARMY_CARDS | MUSTER_CARDS),
        (Face.WILL, CHARACTER_CARDS | ARMY_CARDS | MUSTER_CARDS),
    ],
)
def test_R6_3_1_RU23_RU31_what_a_die_pays_for(side, face, cards):
    assert payable(face, side) == cards


@pytest.mark.parametrize(
    ("name", "faces"),
    [
        ("fp-char-01", {"CHARACTER", "EVENT", "WILL"}),
        ("fp-strat-01", {"ARMY", "ARMY_MUSTER", "EVENT", "WILL"}),
        ("fp-strat-18", {"MUSTER", "ARMY_MUSTER", "EVENT", "WILL"}),
        ("sh-char-01", {"CHARACTER", "EVENT"}),
        ("sh-strat-01", {"ARMY", "ARMY_MUSTER", "EVENT"}),
        ("sh-strat-24", {"MUSTER", "ARMY_MUSTER", "EVENT"}),
    ],
)
def test_R6_3_1_the_results_that_play_a_card(name, faces):
    side_faces = set(Face) - {Face.EYE} if name.startswith("fp") else set(Face) - {Face.EYE, Face.WILL}
    assert {face.name for face in side_faces if die_pays_for(int(face), card(name))} == faces


def test_R6_2_1_one_draw_per_die():
    """A die draws one card; the next needs another die."""
    game = Position().dice("event event", "muster").game()
    play(game, *DRAW, "verb:character-deck")
    assert (len(hand(game, FP)), game.side) == (1, SH)


def test_R6_3_1_an_empty_hand_offers_no_card():
    game = play(Position().dice("event", "event").game(), "face:event")
    assert "plan:play-card" not in legal(game)


def test_R6_3_2_one_card_per_die():
    position = Position().hand(FP, "fp-strat-02", "fp-strat-03").dice("event event", "army")
    game = play(position.game(), "face:event", "plan:play-card")
    assert legal(game) == {"card:fp-strat-02", "card:fp-strat-03"}
    play(game, "card:fp-strat-02")
    assert (game.side, game.decision) == (SH, Decision.ACTION_DIE)
    assert game.state.dice[FP, Face.EVENT] == 1
    assert game.state.card_zone[card("fp-strat-03")] == CardZone.HAND + FP


def test_R6_3_2_the_combat_use_of_a_card_needs_no_die():
    position = Position().hand(FP, "fp-strat-01").at_war("sauron").dice("", "army", acting=SH)
    position.army("south-ithilien", sauron=2).army("osgiliath", gondor=2)
    game = play(position.game(1, 1, 1, 1), "face:army", "plan:attack", "region:south-ithilien")
    play(game, "region:osgiliath", "verb:whole-army")
    assert (game.side, game.decision) == (FP, Decision.COMBAT_CARD)
    assert legal(game) == {"card:fp-strat-01", "verb:decline"}
    play(game, "card:fp-strat-01")
    assert game.state.card_zone[card("fp-strat-01")] == CardZone.DISCARD
    assert game.state.dice.sum() == 0 and game.decision == Decision.CEASE


# --- R6.4.4: cards without any effect. ---

SONG, ORCS, PALANTIR = "fp-char-12", "sh-strat-20", "sh-char-21"


@pytest.mark.parametrize("null_events", [True, False])
def test_RG48_R6_4_4_a_card_without_any_effect_may_be_played_option_null_events(null_events):
    ruleset = Ruleset(ask_single=True, null_events=null_events)
    position = Position(ruleset).dice("event event", "muster").hand(FP, SONG).fellowship(guide="strider")
    game = play(position.game(), "face:event")  # nothing is there to heal
    assert ("plan:play-card" in legal(game)) == null_events
    if null_events:
        play(game, "plan:play-card", f"card:{SONG}")
        assert game.state.card_zone[card(SONG)] == CardZone.DISCARD and game.side == SH
    assert Ruleset().null_events and Ruleset.second_edition().null_events


PRINTED = {
    name for name, wording in zip(CARD_IDS, CARD_WORDINGS, strict=True) if "Condition" in wording.parts
}


def test_RG48_R6_4_1_programs_have_conditions_where_one_is_printed_and_nowhere_else():
    assert {CARD_IDS[index] for index in EVENT_CONDITIONS[:, :, 0].any(axis=1).nonzero()[0]} == PRINTED


@pytest.mark.parametrize("edition", [Ruleset.first_edition, Ruleset.second_edition])
@pytest.mark.parametrize("name", sorted(set(CARD_IDS) - PRINTED))
def test_RG48_R6_4_4_without_a_printed_condition_every_card_is_playable_and_over_on_an_empty_board(
    name, edition
):
    side = FP if name.startswith("fp") else SH
    position = Position(edition(ask_single=True)).fellowship("eastemnet", companions=["strider"])
    position.dice("event event", "event event", acting=side).hand(side, name)
    game = play(position.game(), "face:event", "plan:play-card", f"card:{name}")
    for _ in range(20):
        if game.decision == Decision.ACTION_DIE:
            break
        game.step(game.legal()[-1])
    assert game.decision == Decision.ACTION_DIE and game.side == 1 - side
    assert game.state.card_zone[card(name)] in (CardZone.DISCARD, CardZone.TABLE)


def test_R6_4_4_R6_4_1_a_printed_condition_that_is_not_met_still_forbids_the_card():
    position = Position().dice("event", "muster").hand(FP, "fp-strat-13")  # the Elves are at peace
    assert "plan:play-card" not in legal(play(position.game(), "face:event"))


def test_R6_4_4_R14_1_gandalf_the_grey_draws_after_a_card_without_effect():
    position = Position().dice("event", "muster").hand(FP, SONG).fellowship(guide="gandalf-grey")
    game = play(position.game(), "face:event", "plan:play-card", f"card:{SONG}")
    assert game.decision == Decision.GUIDE_DRAW
    assert len(hand(play(game, "verb:accept"), FP)) == 1


def test_R6_4_4_sh_char_21_the_palantir_draws_after_a_card_without_effect():
    position = Position().dice("", "event", acting=SH).hand(SH, ORCS).table(PALANTIR)
    position.place("saruman", "orthanc").control("dol-guldur", FP).control("mount-gundabad", FP)
    game = play(position.game(), "face:event", "plan:play-card", f"card:{ORCS}")
    assert game.decision == Decision.PALANTIR_DRAW
