"""The Hunt: pool, roll and tiles (R10.1-R10.4). Dice and tiles come from the tape in the order drawn."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.positions import Position, legal, legal_block, play, tile
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import (
    Decision,
    Frame,
    HuntCause,
    Phase,
    Side,
    TileKind,
    TileValue,
    TileZone,
    TurnStage,
)
from wotr_env.games.war_of_the_ring.components import REGION_IDS, TILE_IDS, TILE_KIND, TILE_REVEAL, TILE_VALUE

EYE = "tile-eye-r-1"


def hunting(free_peoples: int = 0, shadow: int = 0, **options) -> Position:
    """The Free Peoples are about to act; the Hunt Box holds so many dice of each side."""
    position = Position(Ruleset(ask_single=True, **options)).dice("character character", "army")
    return position.hunt_box(free_peoples, shadow)


def move(position: Position, *tape: int) -> Game:
    """The Fellowship moves by a Character die."""
    return play(position.game(*tape), "face:character", "plan:move-fellowship")


def by_card(position: Position, cause: HuntCause, *tape: int) -> Game:
    """A Hunt caused by a card: no die pays for it."""
    return position.waiting(Frame.HUNT, cause=cause).game(*tape)


def unread(game: Game) -> list[int]:
    """What is left on the tape."""
    state = game.state
    return state.tape[state.tape_position : state.tape_length].tolist()


def no_tile_was_drawn(game: Game) -> bool:
    return (game.state.tile_zone != TileZone.DRAWN).all()


# --- The pool (R10.1). ---


def test_R10_1_1_a_resolved_tile_stays_out_of_the_pool():
    game = play(move(hunting(shadow=1), 6, tile("tile-2-1")), "verb:take-corruption")
    zones = game.state.tile_zone
    assert [TILE_IDS[i] for i in range(24) if zones[i] == TileZone.DRAWN] == ["tile-2-1"]
    assert (zones == TileZone.POOL).sum() == 15


def test_R10_1_1_every_tile_of_the_pool_may_be_drawn_and_no_other():
    position = hunting(shadow=0).pool("tile-3-1", "tile-1-2", "tile-sh-4").fellowship(mordor_step=1)
    drawn = Counter()
    for counter in range(60):
        position.state.counter = 1000 + counter
        game = move(position)
        drawn[TILE_IDS[game.state.hunt_tile]] += 1
    assert set(drawn) == {"tile-3-1", "tile-1-2", "tile-sh-4"}
    assert min(drawn.values()) >= 8  # 20 expected each


@pytest.mark.parametrize("last", ["tile-1-1", "tile-sh-2"])
def test_R10_1_1_with_its_last_tile_the_pool_takes_back_drawn_standard_tiles_only(last):
    position = hunting(shadow=1).pool(last).fellowship(mordor_step=1)
    position.state.tile_zone[tile("tile-sh-1")] = TileZone.DRAWN
    position.state.tile_zone[tile("tile-fp-3")] = TileZone.DRAWN
    position.state.tile_zone[tile("tile-3-1")] = TileZone.REMOVED
    game = move(position, tile(last))
    zones = game.state.tile_zone  # at once, before the tile has its effect
    assert game.decision == Decision.HUNT_DAMAGE and TILE_IDS[game.state.hunt_tile] == last
    assert {TILE_IDS[i] for i in range(24) if zones[i] == TileZone.POOL} == {*TILE_IDS[:16]} - {"tile-3-1"}
    drawn = {TILE_IDS[i] for i in range(24) if zones[i] == TileZone.DRAWN}
    assert drawn == {"tile-sh-1", "tile-fp-3", last} - {*TILE_IDS[:16]}
    assert zones[tile("tile-3-1")] == TileZone.REMOVED


def test_R10_1_1_tiles_do_not_return_while_one_is_left():
    game = play(move(hunting(shadow=1).pool("tile-2-1", "tile-sh-4"), 6, tile("tile-2-1")))
    play(game, "verb:take-corruption")
    assert game.state.corruption == 2
    assert (game.state.tile_zone == TileZone.POOL).sum() == 1


def test_R10_1_1_an_empty_pool_that_could_be_refilled_is_no_position():
    with pytest.raises(ValueError, match="the Hunt Pool is empty and was not refilled"):
        hunting().pool().game()


def test_R10_1_2_R10_1_3_the_pool_at_the_start():
    zones = Game(seed=5).state.tile_zone
    pool = [i for i in range(24) if zones[i] == TileZone.POOL]
    assert Counter((int(TILE_VALUE[i]), int(TILE_REVEAL[i])) for i in pool) == {
        (TileValue.EYE, 1): 4,
        (3, 0): 3,
        (2, 0): 2,
        (2, 1): 1,
        (1, 0): 2,
        (1, 1): 2,
        (0, 1): 2,
    }
    aside = [i for i in range(24) if zones[i] == TileZone.ASIDE]
    assert Counter(int(TILE_KIND[i]) for i in aside) == {TileKind.BLUE: 4, TileKind.RED: 4}


def test_R10_1_3_an_activated_tile_waits_while_the_fellowship_is_not_in_mordor():
    position = hunting(shadow=1).pool("tile-1-1")
    position.state.tile_zone[tile("tile-fp-3")] = TileZone.WAITING
    with pytest.raises(ValueError, match="tape"):
        move(position, 6, tile("tile-fp-3"))
    game = move(position, 6, tile("tile-1-1"))
    assert game.state.tile_zone[tile("tile-fp-3")] == TileZone.WAITING


@pytest.mark.parametrize(
    ("name", "before", "after"), [("tile-fp-3", 5, 3), ("tile-fp-4", 5, 4), ("tile-fp-3", 1, 0)]
)
def test_R10_1_3_R10_6_1_a_negative_tile_heals(name, before, after):
    game = move(hunting().fellowship(mordor_step=2, corruption=before).pool(name))
    assert game.state.corruption == after
    assert game.decision == Decision.ACTION_DIE  # no choice


def test_R10_1_3_R10_4_2_a_die_tile_is_rolled_after_it_is_drawn():
    game = move(hunting().fellowship(mordor_step=2).pool("tile-sh-1"), tile("tile-sh-1"), 4)
    assert game.decision == Decision.HUNT_DAMAGE and game.state.hunt_damage == 4
    assert play(game, "verb:take-corruption").state.corruption == 4


# --- When (R10.2). ---


def test_R10_2_1_each_move_off_the_mordor_track_is_a_roll_of_its_own():
    position = hunting(shadow=1)
    game = move(position, 5, 3, 4)
    assert unread(game) == [3, 4] and no_tile_was_drawn(game)
    play(game, "face:army", "plan:skip", "face:character", "plan:move-fellowship")
    assert unread(game) == [] and no_tile_was_drawn(game)
    assert game.state.progress == 2


def test_R10_2_1_a_card_may_ask_for_a_roll_without_a_move():
    game = by_card(hunting(shadow=2), HuntCause.CARD_ROLL, 6, 6, tile(EYE))
    assert game.state.hunt_damage == 2 and game.state.progress == 0


def test_R10_2_2_a_tile_drawn_by_a_card_on_the_track_is_no_move():
    position = hunting(shadow=4).fellowship(mordor_step=3)
    game = by_card(position.pool("tile-sh-2"), HuntCause.CARD_TILE)
    state = game.state  # an Eye with Stop and Reveal icons
    assert (state.corruption, state.mordor_step, state.revealed) == (0, 3, 1)
    assert state.move_attempted == 0


def test_R10_2_2_a_tile_without_stop_drawn_by_a_card_does_not_advance_either():
    position = hunting().fellowship(mordor_step=3).pool("tile-2-1")
    game = play(by_card(position, HuntCause.CARD_TILE), "verb:take-corruption")
    assert (game.state.corruption, game.state.mordor_step) == (2, 3)


# --- The roll (R10.3). ---


def test_R10_3_1_all_dice_of_the_box_hunt_but_not_the_one_that_pays():
    game = move(hunting(1, 2), 4, 4, 4, 6)
    assert unread(game) == [6]
    assert game.state.hunt_box.tolist() == [2, 2]


def test_R10_3_1_at_most_five_dice():
    game = move(hunting(shadow=7), 1, 1, 1, 1, 1, 6)
    assert unread(game) == [6] and no_tile_was_drawn(game)


@pytest.mark.parametrize(("count", "dice"), [("all_dice", 3), ("shadow_dice", 2)])
def test_R10_3_1_RU1_option_hunt_dice_count(count, dice):
    game = move(hunting(1, 2, hunt_dice_count=count), 4, 4, 4, 4)
    assert len(unread(game)) == 4 - dice and no_tile_was_drawn(game)
    # Whoever rolls, each Free Peoples die still adds 1.
    game = move(hunting(1, 2, hunt_dice_count=count), *[5] * dice, tile(EYE))
    assert game.state.hunt_damage == dice


def test_RU2_the_companions_do_not_limit_the_roll():
    position = hunting(shadow=4).fellowship("rivendell", companions=["legolas"])
    game = move(position, 6, 6, 6, 6, tile(EYE))
    assert game.state.hunt_damage == 4


@pytest.mark.parametrize(
    ("moved", "roll", "hit"), [(0, 5, False), (0, 6, True), (1, 4, False), (1, 5, True), (3, 2, False)]
)
def test_R10_3_2_each_free_peoples_die_adds_one(moved, roll, hit):
    tape = [roll] + [1] * moved + [tile("tile-3-1")]
    game = move(hunting(moved, 1), *tape)
    assert (game.decision == Decision.HUNT_DAMAGE) == hit


@pytest.mark.parametrize("one_fails", [True, False])
def test_R10_3_2_RG1_option_hunt_one_fails(one_fails):
    position = hunting(5, 0, hunt_one_fails=one_fails).dice("character").hunt_box(5, 0)
    game = move(position, 1, 1, 1, 1, 1, tile(EYE))
    if one_fails:
        assert no_tile_was_drawn(game)
    else:
        assert game.state.hunt_damage == 5


def test_R10_3_3_an_empty_box_does_not_hunt():
    position = hunting().fellowship("dol-guldur").army("dol-guldur", sauron=2, nazgul=1)
    game = move(position, 6)
    assert unread(game) == [6] and no_tile_was_drawn(game)
    assert game.state.progress == 1 and game.state.hunt_box.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("place", "figures", "captured", "rerolls"),
    [
        ("eastemnet", {}, False, 0),
        ("eastemnet", {"isengard": 1}, False, 1),
        ("eastemnet", {"isengard": 3}, False, 1),
        ("eastemnet", {"nazgul": 1}, False, 1),
        ("dol-guldur", {}, False, 1),
        ("dol-guldur", {"sauron": 3, "nazgul": 2}, False, 3),
        ("lorien", {}, False, 0),
        ("lorien", {}, True, 1),
    ],
)
def test_R10_3_4_one_reroll_for_each_condition_in_the_region(place, figures, captured, rerolls):
    position = hunting(shadow=5).fellowship(place).army(place, **figures)
    if captured:
        position.control(place, Side.SHADOW)
    game = move(position, *[1] * 9)
    assert len(unread(game)) == 4 - rerolls


def test_R10_3_4_the_witch_king_is_a_nazgul_and_the_mouth_is_not():
    assert unread(move(hunting(shadow=2).fellowship("dale").place("witch-king", "dale"), 2, 2, 3, 4)) == [4]
    position = hunting(shadow=2).fellowship("dale").place("mouth-of-sauron", "dale")
    assert unread(move(position, 2, 2, 3, 4)) == [3, 4]


def test_R10_3_4_a_besieged_shadow_garrison_and_a_besieger_count():
    position = hunting(shadow=2).fellowship("moria").army("moria", sauron=1, elves=1).at_war("elves")
    assert unread(move(position, 2, 2, 3, 3, 4)) == [4]  # Stronghold and unit
    position = hunting(shadow=2).fellowship("lorien").army("lorien", sauron=1, elves=1)
    assert unread(move(position, 2, 2, 3, 4)) == [4]  # the besieger's unit only


def test_R10_3_4_rerolls_look_at_the_figure_not_at_other_regions():
    position = hunting(shadow=2).fellowship("eastemnet", progress=3).army("fangorn", isengard=1, nazgul=1)
    assert unread(move(position, 2, 2, 3)) == [3]


def test_R10_3_4_a_reroll_keeps_the_bonus():
    position = hunting(1, 1).fellowship("eastemnet").army("eastemnet", isengard=1)
    game = move(position, 2, 3, 5, tile(EYE))
    assert game.state.hunt_damage == 1


def test_GX8_three_units_and_two_nazgul_reroll_two_dice_with_a_stronghold_three():
    figures = {"sauron": 3, "nazgul": 2}
    position = hunting(shadow=5).fellowship("eastemnet").army("eastemnet", **figures)
    assert len(unread(move(position, *[2] * 10))) == 3
    position = hunting(shadow=5).fellowship("moria").army("moria", **figures)
    assert len(unread(move(position, *[2] * 10))) == 2


def test_RU41_a_reroll_is_for_another_failed_die_never_for_a_success():
    position = hunting(shadow=2).fellowship("moria").army("moria", sauron=1, nazgul=1)
    game = move(position, 6, 2, 6, tile(EYE))  # one die failed: one re-roll of three
    assert unread(game) == [] and game.state.hunt_damage == 2
    game = move(position, 2, 3, 4, 4, 6)  # each failed die once, though three conditions hold
    assert unread(game) == [6] and no_tile_was_drawn(game)


def test_GX9_the_second_move_of_a_turn_succeeds_on_5_and_rolls_one_die_more():
    game = move(hunting(shadow=1), 5, 4, 5, tile("tile-1-1"))
    assert no_tile_was_drawn(game) and unread(game) == [4, 5, tile("tile-1-1")]
    play(game, "face:army", "plan:skip", "face:character", "plan:move-fellowship")
    assert game.decision == Decision.HUNT_DAMAGE
    assert game.state.hunt_successes == 1 and unread(game) == []


def test_GX10_three_shadow_dice_and_one_of_the_free_peoples():
    game = move(hunting(1, 3), 1, 3, 5, 6, tile(EYE))
    assert game.state.hunt_successes == 2 and game.state.hunt_damage == 2


def test_GX11_RU45_a_random_casualty_of_level_2_on_a_tile_of_3():
    companions = ["strider", "boromir", "legolas", "gimli"]
    position = hunting(1, 3).fellowship("rivendell", progress=2, companions=companions)
    game = move(position, 1, 3, 5, 6, tile("tile-3-1"), 4)
    assert legal(game) == {"verb:take-corruption", "verb:sacrifice-guide", "verb:sacrifice-random"}
    assert game.state.hunt_box.tolist() == [1, 3]
    play(game, "verb:sacrifice-random")
    state = game.state
    assert state.location[4] == -3 and state.corruption == 1
    assert state.progress == 3 and state.revealed == 0
    assert state.hunt_box.tolist() == [2, 3]


# --- The tile (R10.4). ---


def test_R10_4_1_one_tile_however_many_successes():
    game = move(hunting(shadow=3), 6, 6, 6, tile("tile-1-1"))
    play(game, "verb:take-corruption")
    assert game.state.corruption == 1 and (game.state.tile_zone == TileZone.DRAWN).sum() == 1


@pytest.mark.parametrize("name", ["tile-3-2", "tile-2-2", "tile-1-2"])
def test_R10_4_2_a_number_is_the_damage(name):
    game = play(move(hunting(shadow=2), 6, 6, tile(name)), "verb:take-corruption")
    assert game.state.corruption == int(name[5])


def test_R10_4_2_an_eye_is_the_number_of_successes_rerolls_included():
    position = hunting(shadow=3).fellowship("moria").army("moria", sauron=1)
    game = move(position, 6, 2, 2, 6, 2, tile(EYE))
    assert game.state.hunt_damage == 2


@pytest.mark.parametrize("cause", [HuntCause.CARD_TILE, HuntCause.STRONGHOLD])
def test_R10_4_2_an_eye_drawn_without_a_roll_is_0(cause):
    game = by_card(hunting(shadow=4), cause, tile(EYE))
    assert game.state.corruption == 0
    assert game.decision == Decision.ACTION_DIE


# --- The moving die and the allocation (with R5.2.3 and R9.4.4). ---


def test_RU27_a_move_by_a_card_adds_no_die_to_the_box():
    game = by_card(hunting(shadow=1), HuntCause.MOVE, 5)
    assert game.state.hunt_box.tolist() == [0, 1]
    assert legal_block(game, "face") == {"character"}


@pytest.mark.parametrize(
    ("rule", "moved", "least"),
    [("zero", 1, 0), ("one_after_move", 1, 1), ("one_after_move", 0, 0)],
)
def test_R5_2_3_option_hunt_alloc_min(rule, moved, least):
    position = Position(Ruleset(ask_single=True, hunt_alloc_min=rule)).hunt_box(moved, 0)
    position.phase(Phase.DRAW, TurnStage.DRAW).fellowship(companions=["strider", "boromir"])
    game = play(position.game(), "verb:decline")
    assert game.decision == Decision.HUNT_ALLOCATION and game.side == Side.SHADOW
    assert legal_block(game, "count") == {str(n) for n in range(least, 3)}


def test_R11_2_1_a_roll_on_the_track_has_no_rerolls():
    position = hunting(shadow=2).fellowship(mordor_step=2)
    last = REGION_IDS[-1]  # no region is the figure's, not even this one
    position.control(last, Side.SHADOW).army(last, sauron=1, nazgul=1)
    game = by_card(position, HuntCause.CARD_ROLL, 2, 3, 6)
    assert unread(game) == [6] and no_tile_was_drawn(game)
