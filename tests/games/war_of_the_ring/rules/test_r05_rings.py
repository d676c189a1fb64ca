"""R5.7: Elven Rings."""

from __future__ import annotations

import pytest

from tests.positions import Position, legal, play
from wotr_env.games.war_of_the_ring.codes import Decision, Face, Side

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
RING = "verb:use-ring"
SKIP = "plan:skip"
RESULTS = {"face:character", "face:army", "face:muster", "face:army-muster", "face:event"}


def dice(state, side):
    """The unused dice by name."""
    return sorted(face.name.lower() for face in Face for _ in range(state.dice[side, face]))


def test_R5_7_1_a_ring_is_no_action():
    game = Position().dice("muster event", "army army").game()
    play(game, RING)
    assert game.decision == Decision.RING_DIE
    play(game, "face:event", "face:character")
    assert (game.decision, game.side) == (Decision.ACTION_DIE, FP)
    assert dice(game.state, FP) == ["character", "muster"]
    assert play(game, "face:character", "plan:move-fellowship").side == SH


def test_R5_7_1_not_between_die_and_action_and_not_in_the_opponents_turn():
    game = Position().dice("muster", "army").rings(2, 1).game()
    play(game, "face:muster")
    assert RING not in legal(game)
    play(game, SKIP)
    assert game.side == SH
    play(game, RING, "face:army", "face:event")
    assert game.state.rings.tolist() == [2, 0]


def test_R5_7_1_a_ring_and_then_a_pass():
    game = Position().dice("muster", "army army").game()
    play(game, RING, "face:muster", "face:event")
    assert legal(game) == {"face:event", "verb:pass"}
    play(game, "verb:pass")
    assert (game.side, dice(game.state, FP)) == (SH, ["event"])


def test_R5_7_1_one_of_the_own_unused_dice():
    game = play(Position().dice("muster event will", "army character").game(), RING)
    assert legal(game) == {"face:muster", "face:event", "face:will"}


def test_R5_7_1_nothing_without_a_ring():
    game = Position().rings(0, 1).dice("muster", "army").game()
    assert legal(game) == {"face:muster"}
    assert RING in legal(play(game, "face:muster", SKIP))


@pytest.mark.parametrize("face", ["character", "muster", "army-muster", "event", "will"])
def test_R5_7_2_R5_7_7_results_of_the_free_peoples_are_on_their_die(face):
    game = play(Position().dice(face.replace("-", "_")).game(), RING, f"face:{face}")
    assert legal(game) == RESULTS - {f"face:{face}", "face:army"}


@pytest.mark.parametrize("face", ["character", "army", "muster", "army-muster", "event"])
def test_R5_7_2_results_of_the_shadow(face):
    position = Position().rings(2, 1).dice(shadow=face.replace("-", "_"), acting=SH)
    game = play(position.game(), RING, f"face:{face}")
    assert legal(game) == (RESULTS | {"face:eye"}) - {f"face:{face}"}


def test_R5_7_3_the_ring_goes_to_the_shadow_and_then_out_of_the_game():
    game = Position().dice("muster muster", "army army").game()
    play(game, RING, "face:muster", "face:event")
    assert game.state.rings.tolist() == [2, 1]
    play(game, "face:muster", SKIP)
    assert RING in legal(game)
    play(game, RING, "face:army", "face:character")
    assert game.state.rings.tolist() == [2, 0]


def test_R5_7_4_RU44_one_ring_per_turn_and_player():
    game = Position().rings(2, 1).dice("muster muster", "army army").game()
    play(game, RING, "face:muster", "face:event")
    assert legal(game) == {"face:muster", "face:event"}
    play(game, "face:muster", SKIP, RING, "face:army", "face:character")
    assert legal(game) == {"face:army", "face:character"}
    play(game, "face:army", SKIP)
    assert legal(game) == {"face:event"}
    play(game, "face:event", SKIP)
    assert legal(game) == {"face:character"}


def test_R5_7_4_another_ring_next_turn():
    game = Position().dice("muster").game(*[3] * 11)
    play(game, RING, "face:muster", "face:event", "face:event", SKIP)
    game.with_tape([3] * 11)
    play(game, "verb:decline", "character:strider", "count:0")
    assert game.state.turn == 2
    assert legal(game) == {"face:muster", "verb:pass", RING}


def test_GX25_R5_7_5_a_die_turned_to_an_eye_hunts_at_once():
    game = Position().rings(2, 1).dice("muster", "army muster eye eye", acting=SH).game()
    play(game, RING, "face:army", "face:eye")
    assert game.state.hunt_box.tolist() == [0, 3]
    assert dice(game.state, SH) == ["muster"]
    assert (game.decision, game.side) == (Decision.ACTION_DIE, SH)
    assert legal(game) == {"face:muster"}


def test_R5_7_5_after_the_eye_a_pass_may_become_possible():
    game = Position().rings(2, 1).dice("muster muster", "army muster", acting=SH).game()
    assert "verb:pass" not in legal(game)
    play(game, RING, "face:army", "face:eye")
    assert legal(game) == {"face:muster", "verb:pass"}


def test_R5_7_5_the_last_die_turned_to_an_eye_ends_the_turn_of_the_shadow():
    game = Position().rings(2, 1).dice("muster", "army", acting=SH).game()
    play(game, RING, "face:army", "face:eye")
    assert game.state.hunt_box.tolist() == [0, 1]
    assert (game.decision, game.side) == (Decision.ACTION_DIE, FP)


def test_R5_7_6_RG3_dice_in_the_hunt_box_cannot_be_changed():
    game = Position().rings(2, 1).dice("muster", "army eye eye", acting=SH).game()
    play(game, RING)
    assert legal(game) == {"face:army"}


def test_R5_7_6_RG3_no_ring_with_hunting_dice_only():
    game = Position().rings(2, 1).dice("muster", "eye eye").game()
    assert play(game, "face:muster", SKIP).state.turn == 2


def test_R5_7_7_a_will_of_the_west_may_be_changed():
    game = play(Position().dice("will").game(), RING, "face:will", "face:event")
    assert dice(game.state, FP) == ["event"]
