"""How the game ends (R12)."""

from __future__ import annotations

import pytest

from tests.positions import Position, legal_block, play, region, tile
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Phase, Reason, Side, TurnStage, Winner
from wotr_env.games.war_of_the_ring.components import REGION_IDS, REGION_SIDE, SETTLEMENT_REGIONS

FP_STRONGHOLDS = ("minas-tirith", "dol-amroth", "helms-deep", "lorien", "rivendell")
FP_CITIES = ("edoras", "pelargir", "dale", "the-shire")
SH_STRONGHOLDS = ("moria", "dol-guldur", "orthanc")
SH_CITIES = ("angmar", "far-harad")


def captured(*places: str, **options) -> Position:
    """Phase 6; these Settlements carry the enemy's control marker."""
    position = Position(Ruleset(ask_single=True, **options)).phase(Phase.VICTORY, TurnStage.END)
    for place in places:
        position.control(place, Side(1 - REGION_SIDE[region(place)]))
    return position


def ending(position: Position) -> tuple:
    """Winner and reason after phase 6, or None and the new turn."""
    game = position.game()
    if not game.over:
        return None, int(game.state.turn)
    return game.result.winner, game.result.reason


GOES_ON = (None, 2)
SHADOW = (Winner.SHADOW, Reason.SHADOW_MILITARY)
FREE_PEOPLES = (Winner.FREE_PEOPLES, Reason.FREE_PEOPLES_MILITARY)


# --- The Ring (R12.1, R12.2). ---


def test_R12_1_corruption_12_wins_at_once():
    position = Position().dice("character character", "army army").hunt_box(0, 1)
    game = play(position.fellowship(corruption=9).game(6, tile("tile-3-1")), "face:character")
    play(game, "plan:move-fellowship", "verb:take-corruption")
    assert game.over and game.legal() == []
    assert (game.result.winner, game.result.reason) == (Winner.SHADOW, Reason.CORRUPTION)
    assert game.result.turn == 1 and game.state.phase == Phase.ACTION


def test_R12_1_corruption_11_does_not_and_more_than_12_is_12():
    position = Position(Ruleset(ask_single=True)).dice("character character", "army").hunt_box(0, 1)
    game = play(position.fellowship(corruption=8).game(6, tile("tile-3-1")), "face:character")
    assert not play(game, "plan:move-fellowship", "verb:take-corruption").over
    game = play(position.fellowship(corruption=11).game(6, tile("tile-3-1")), "face:character")
    play(game, "plan:move-fellowship", "verb:take-corruption")
    assert game.over and game.result.corruption == 12


def test_R12_2_step_6_wins_at_once():
    position = Position().dice("character character", "army army")
    position.fellowship(mordor_step=5, corruption=11).pool("tile-fp-1")
    game = play(position.game(), "face:character", "plan:move-fellowship")
    assert game.over and game.legal() == []
    assert (game.result.winner, game.result.reason) == (Winner.FREE_PEOPLES, Reason.RING_DESTROYED)
    assert (game.result.turn, game.result.corruption, game.result.mordor_step) == (1, 11, 6)


# --- Military victory (R12.3, R12.4, R12.6). ---


def test_R12_3_ten_points_for_the_shadow():
    assert ending(captured(*FP_STRONGHOLDS)) == SHADOW
    assert ending(captured(*FP_STRONGHOLDS[:3], *FP_CITIES)) == SHADOW
    assert ending(captured(*FP_STRONGHOLDS[:4], "edoras")) == GOES_ON  # 9 points


def test_R12_3_towns_are_worth_nothing():
    towns = ("bree", "carrock", "folde", "lamedon", "lossarnach", "iron-hills", "ered-luin", "westemnet")
    assert ending(captured(*FP_STRONGHOLDS[:4], "edoras", *towns)) == GOES_ON


def test_R12_3_R12_4_points_win_in_phase_6_only():
    for places in (FP_STRONGHOLDS, SH_STRONGHOLDS):
        position = captured(*places).phase(Phase.ACTION, TurnStage.ACTIONS).dice("event", "army")
        game = position.game()
        assert game.decision == Decision.ACTION_DIE
        play(game, "face:event", "plan:skip")
        assert not game.over
        play(game, "face:army", "plan:skip")
        assert game.over and game.result.turn == 1


def test_R12_4_four_points_for_the_free_peoples():
    assert ending(captured("moria", "orthanc")) == FREE_PEOPLES
    assert ending(captured("umbar", *SH_CITIES)) == FREE_PEOPLES
    assert ending(captured("moria", "angmar")) == GOES_ON
    assert ending(captured("moria", "angmar", "north-rhun", "nurn")) == GOES_ON


@pytest.mark.parametrize(
    ("rule", "expected"), [("strongholds_and_cities", FREE_PEOPLES), ("strongholds_only", GOES_ON)]
)
def test_R12_4_RU3_option_fp_military(rule, expected):
    assert ending(captured("moria", *SH_CITIES, fp_military=rule)) == expected
    assert ending(captured("moria", "orthanc", fp_military=rule)) == FREE_PEOPLES


def test_RU3_the_option_does_not_touch_the_shadow():
    places = (*FP_STRONGHOLDS[:3], *FP_CITIES)
    assert ending(captured(*places, fp_military="strongholds_only")) == SHADOW


def test_GX33_R12_5_both_military_victories_are_the_shadows():
    assert ending(captured(*FP_STRONGHOLDS, "moria", "orthanc")) == SHADOW


def test_R12_5_the_ring_comes_before_the_points():
    position = captured(*FP_STRONGHOLDS).phase(Phase.ACTION, TurnStage.ACTIONS)
    position.dice("character").fellowship(mordor_step=5).pool("tile-fp-2")
    game = play(position.game(), "face:character", "plan:move-fellowship")
    assert (game.result.winner, game.result.reason) == (Winner.FREE_PEOPLES, Reason.RING_DESTROYED)


def test_R12_5_corruption_beats_the_step_of_the_same_tile():
    position = Position().dice("character").fellowship(mordor_step=5, corruption=11, companions=["gimli"])
    game = play(position.pool("tile-3-1").game(), "face:character", "plan:move-fellowship")
    play(game, "verb:sacrifice-guide")  # one point is left over
    assert (game.result.winner, game.result.mordor_step) == (Winner.SHADOW, 5)


def test_R12_6_points_need_the_marker_of_the_enemy():
    result = captured(*FP_STRONGHOLDS, "moria", "dale").game().result
    assert result.victory_points == (2, 11)
    # One's own Settlements and armies in the field of a siege are worth nothing.
    position = captured().army("minas-tirith", gondor=1, sauron=5).army("lorien", sauron=3, elves=1)
    assert ending(position) == GOES_ON


@pytest.mark.parametrize(("side", "points"), [(Side.FREE_PEOPLES, (0, 20)), (Side.SHADOW, (18, 0))])
def test_R12_6_all_points_of_a_side(side, points):
    places = [REGION_IDS[i] for i in SETTLEMENT_REGIONS if REGION_SIDE[i] == side]
    assert captured(*places).game().result.victory_points == points


# --- The end of time (R12.7). ---


def test_R12_7_there_is_no_turn_limit():
    position = captured()
    position.state.turn = 400
    assert ending(position) == (None, 401)


@pytest.mark.parametrize(
    ("turn", "expected"),
    [(2, (None, 3)), (3, (Winner.DRAW, Reason.TURN_LIMIT)), (4, (Winner.DRAW, Reason.TURN_LIMIT))],
)
def test_R12_7_option_max_turns(turn, expected):
    position = captured(max_turns=3)
    position.state.turn = turn
    assert ending(position) == expected


def test_R12_7_a_victory_in_the_last_turn_counts():
    assert ending(captured(*FP_STRONGHOLDS, max_turns=1)) == SHADOW
    assert ending(captured("moria", "orthanc", max_turns=1)) == FREE_PEOPLES


def test_R12_7_the_next_turn_begins_with_phase_1():
    game = captured().game()
    assert game.state.turn == 2 and game.decision == Decision.DECLARE_FELLOWSHIP
    assert legal_block(game, "region") == {"rivendell"}
