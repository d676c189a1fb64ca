"""R4: the turn, its six phases, alternating actions, passing and skipping."""

from __future__ import annotations

import pytest

from tests.positions import Position, legal, legal_block, play, region, tile
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.codes import (
    CardZone,
    Decision,
    Face,
    Phase,
    Reason,
    Side,
    TurnStage,
    Winner,
)

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
SKIP = "plan:skip"


def new_turn():
    """A position at the start of phase 1; the Fellowship is in Rivendell."""
    return Position().phase(Phase.DRAW, TurnStage.DRAW)


def hand(state, side):
    return int((state.card_zone == CardZone.HAND + side).sum())


def nothing_for_muster(position):
    """All nations wait passive one step before war: a Muster result has no use."""
    for name in ("dwarves", "elves", "gondor", "north", "rohan"):
        position.politics(name, 1, active=False)
    return position.rings(0, 0)


def test_R4_1_R4_3_R4_4_the_phases_in_their_order():
    game = new_turn().game(1, 3, 4, 5, *[2] * 7)
    seen = []
    for choice in ("verb:decline", "character:strider", "count:0", "face:character"):
        seen.append((game.decision, game.side, int(game.state.phase)))
        play(game, choice)
    assert seen == [
        (Decision.DECLARE_FELLOWSHIP, FP, Phase.FELLOWSHIP),
        (Decision.CHOOSE_GUIDE, FP, Phase.FELLOWSHIP),
        (Decision.HUNT_ALLOCATION, SH, Phase.HUNT_ALLOCATION),
        (Decision.ACTION_DIE, FP, Phase.ACTION),
    ]


def test_R4_1_each_phase_is_completed_before_the_next():
    """Nothing is rolled before the allocation, and no action is taken before the roll."""
    game = new_turn().game(1, 3, 4, 5, *[2] * 7)
    play(game, "verb:decline", "character:strider")
    assert game.state.tape_length == 11
    assert game.state.dice.sum() == 0
    play(game, "count:0")
    assert game.state.tape_length == 0
    assert game.state.dice.sum(axis=1).tolist() == [4, 7]


def test_R4_2_dice_come_back_and_each_draws_from_both_decks():
    position = Position().dice("muster").hunt_box(free_peoples=2, shadow=3)
    position.state.ring_used[:] = 1
    game = play(position.game(), "face:muster", SKIP)
    state = game.state
    assert (state.turn, game.decision) == (2, Decision.DECLARE_FELLOWSHIP)
    assert state.hunt_box.tolist() == [0, 0]
    assert state.dice_used.tolist() == [0, 0]
    assert state.pool.tolist() == [4, 7]
    assert state.ring_used.tolist() == [0, 0]
    assert state.deck_size.tolist() == [23, 23, 23, 23]
    zones = state.card_zone.reshape(4, 24)
    assert (zones == CardZone.HAND).sum(axis=1).tolist() == [1, 1, 0, 0]
    assert (zones == CardZone.HAND + SH).sum(axis=1).tolist() == [0, 0, 1, 1]


def test_R4_3_declaration_then_guide():
    position = new_turn().fellowship("rivendell", progress=1)
    game = play(position.game(), "region:trollshaws")
    assert game.state.fellowship_region == region("trollshaws")
    assert game.decision == Decision.CHOOSE_GUIDE
    assert legal(game) == {"character:gandalf-grey", "character:strider"}


def test_R4_3_declaration_entry_into_mordor_then_guide():
    game = play(new_turn().fellowship("minas-morgul").game(), "region:minas-morgul")
    assert (game.state.mordor_step, game.decision) == (1, Decision.CHOOSE_GUIDE)


def test_R4_4_R4_5_dice_of_the_hunt_box_are_not_rolled_and_eyes_join_them():
    game = new_turn().game(1, 1, 1, 1, 6, 6, 6, 6, 2)
    play(game, "verb:decline", "character:strider", "count:2")
    state = game.state
    assert state.tape_length == 0
    assert state.hunt_box.tolist() == [0, 6]
    assert state.dice[SH].tolist() == [0, 1, 0, 0, 0, 0, 0]


def test_R4_5_all_seven_dice_may_be_eyes():
    game = new_turn().game(1, 1, 1, 1, *[6] * 7)
    state = play(game, "verb:decline", "character:strider", "count:0").state
    assert state.hunt_box.tolist() == [0, 7]
    assert state.dice[SH].sum() == 0


def test_R4_6_free_peoples_first_then_in_turn():
    game = Position().dice("muster muster", "muster muster").game()
    order = []
    for _ in range(4):
        order.append(game.side)
        play(game, "face:muster", SKIP)
    assert order == [FP, SH, FP, SH]
    assert game.state.turn == 2


def test_R4_6_free_peoples_act_first_in_every_turn():
    game = play(Position().dice(shadow="muster", acting=SH).game(), "face:muster", SKIP)
    play(game, "verb:decline", "character:strider", "count:0")
    assert (game.decision, game.side) == (Decision.ACTION_DIE, FP)


def test_R4_6_1_a_die_or_a_ring_first():
    game = Position().dice("character event", "army muster").game()
    assert legal(game) == {"face:character", "face:event", "verb:use-ring"}
    game = Position().rings(0, 0).dice("character event", "army muster").game()
    assert legal(game) == {"face:character", "face:event"}
    game = Position().rings(0, 0).dice("character event", "army muster muster").game()
    assert legal(game) == {"face:character", "face:event", "verb:pass"}


def test_GX24_R4_6_2_pass_only_with_fewer_dice():
    assert "verb:pass" not in legal(Position().dice("muster muster muster", "army army army").game())
    assert "verb:pass" not in legal(Position().dice("muster muster muster", "army army").game())
    game = Position().dice("muster muster", "army army army").game()
    assert "verb:pass" in legal(game)
    play(game, "verb:pass")
    assert game.side == SH
    assert game.state.dice[FP, Face.MUSTER] == 2


def test_R4_6_2_passing_again_and_again():
    game = Position().dice("muster", "army army army").game()
    for left in (3, 2):
        assert (game.side, "verb:pass" in legal(game)) == (FP, True)
        play(game, "verb:pass")
        assert (game.side, int(game.state.dice[SH].sum())) == (SH, left)
        play(game, "face:army", SKIP)
    assert (game.side, "verb:pass" in legal(game)) == (FP, False)


def test_R4_6_2_the_shadow_passes_too():
    game = Position().dice("muster muster muster", "army", acting=SH).game()
    assert "verb:pass" in legal(game)
    assert play(game, "verb:pass").side == FP


def test_R4_6_3_the_other_player_goes_on_alone_without_pass():
    game = Position().dice("muster", "army army army").game()
    play(game, "face:muster", SKIP)
    for left in (3, 2, 1):
        assert (game.side, game.decision) == (SH, Decision.ACTION_DIE)
        assert int(game.state.dice[SH].sum()) == left
        assert "verb:pass" not in legal(game)
        play(game, "face:army", SKIP)
    assert game.state.turn == 2


def test_R4_6_4_RG2_skipping_is_always_allowed():
    game = play(Position().rings(0, 0).dice("event muster", "army army").game(), "face:event")
    assert legal_block(game, "plan") == {"draw-card", "skip"}
    state = play(game, "plan:skip").state
    assert state.deck_size.tolist() == [24, 24, 24, 24]
    assert state.dice[FP].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert game.side == SH


@pytest.mark.parametrize(
    ("dice", "opponent", "always", "forced_only"),
    [
        ("event muster", "army army", {"face:event", "face:muster"}, {"face:event"}),
        ("muster", "army", {"face:muster"}, {"face:muster"}),
        ("muster", "army army", {"face:muster", "verb:pass"}, {"verb:pass"}),
    ],
)
def test_R4_6_4_die_skip(dice, opponent, always, forced_only):
    """A Muster result has no use here: it can only be skipped."""
    for option, expected in (("always", always), ("forced_only", forced_only)):
        ruleset = Ruleset(die_skip=option, ask_single=True)
        assert legal(nothing_for_muster(Position(ruleset)).dice(dice, opponent).game()) == expected


@pytest.mark.parametrize(
    ("option", "plans"), [("always", {"draw-card", "skip"}), ("forced_only", {"draw-card"})]
)
def test_R4_6_4_die_skip_with_a_useful_die(option, plans):
    ruleset = Ruleset(die_skip=option, ask_single=True)
    game = play(Position(ruleset).dice("event", "army").game(), "face:event")
    assert legal_block(game, "plan") == plans


def test_R4_6_4_die_skip_forced():
    ruleset = Ruleset(die_skip="forced_only", ask_single=True)
    game = play(nothing_for_muster(Position(ruleset)).dice("muster", "army").game(), "face:muster")
    assert legal_block(game, "plan") == {"skip"}


def test_R4_6_5_used_dice_are_set_aside():
    game = Position().dice("event muster", "army army").game()
    used = int(game.state.dice_used[FP])
    state = play(game, "face:event", "plan:draw-card", "verb:character-deck").state
    assert state.dice_used[FP] == used + 1
    assert state.hunt_box.tolist() == [0, 0]
    assert state.dice[FP].tolist() == [0, 0, 1, 0, 0, 0, 0]


def test_R4_6_5_the_die_that_moved_the_fellowship_hunts():
    game = Position().dice("character", "muster").game()
    used = int(game.state.dice_used[FP])
    state = play(game, "face:character", "plan:move-fellowship").state
    assert state.hunt_box.tolist() == [1, 0]
    assert state.dice_used[FP] == used


def test_R4_6_5_RU42_the_die_that_hid_the_fellowship_is_set_aside():
    game = Position().fellowship("trollshaws", revealed=True).dice("character", "muster").game()
    state = play(game, "face:character", "plan:hide-fellowship").state
    assert (state.revealed, state.hunt_box.tolist()) == (0, [0, 0])


def test_R4_6_6_dice_of_the_hunt_box_do_not_count_for_a_pass():
    assert "verb:pass" not in legal(Position().dice("muster muster", "army army eye eye eye").game())
    game = Position().dice("muster", "army army").hunt_box(free_peoples=3).game()
    assert "verb:pass" in legal(game)


def test_R4_6_6_dice_of_the_hunt_box_are_no_actions():
    game = Position().dice("muster", "eye eye eye").game()
    assert play(game, "face:muster", SKIP).state.turn == 2


def test_R4_6_7_a_battle_is_fought_out_before_the_turn_passes():
    position = Position().at_war("gondor", "sauron").army("minas-tirith", gondor=2)
    position.army("osgiliath", sauron=3).dice("army muster", "muster muster")
    game = play(position.game(6, 1, 1, 1, 1), "face:army", "plan:attack", "region:minas-tirith")
    play(game, "region:osgiliath", "verb:whole-army")
    assert (game.decision, game.side) == (Decision.CASUALTY, SH)
    play(game, "figure:sauron-regular")
    assert (game.decision, game.side) == (Decision.CEASE, FP)
    play(game, "verb:cease")
    assert (game.decision, game.side) == (Decision.ACTION_DIE, SH)


def test_R4_6_7_a_hunt_is_resolved_before_the_turn_passes():
    position = Position().dice("character muster", "muster eye")
    game = play(position.game(6, tile("tile-2-1")), "face:character", "plan:move-fellowship")
    assert (game.decision, game.side) == (Decision.HUNT_DAMAGE, FP)
    play(game, "verb:take-corruption")
    assert (game.decision, game.side, game.state.corruption) == (Decision.ACTION_DIE, SH, 2)


def test_R4_7_idle_turn_in_mordor_before_the_victory_check():
    """4 points for the Free Peoples do not help: the idle turn brings Corruption 12 first."""
    position = Position().phase(Phase.ACTION, TurnStage.END).fellowship(mordor_step=2, corruption=11)
    position.control("moria", FP).control("orthanc", FP)
    assert position.game().result.reason == Reason.CORRUPTION


def test_R4_7_victory_is_checked_at_the_end_of_the_turn_only():
    position = Position().control("moria", FP).control("orthanc", FP).dice("muster muster", "muster")
    game = play(position.game(), "face:muster", SKIP, "face:muster", SKIP)
    assert not game.over
    play(game, "face:muster", SKIP)
    assert game.result.winner == Winner.FREE_PEOPLES


def test_R4_7_nobody_has_won_the_next_turn():
    game = play(Position().dice("muster").game(), "face:muster", SKIP)
    assert (game.over, int(game.state.turn), hand(game.state, FP), hand(game.state, SH)) == (False, 2, 2, 2)
