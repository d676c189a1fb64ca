"""Mordor: entering, the steps of the Track, idle turns (R11)."""

from __future__ import annotations

import pytest

from tests.positions import Position, character, legal, legal_block, play, region, tile
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import (
    Decision,
    Location,
    Phase,
    Reason,
    Side,
    TileZone,
    TurnStage,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import TILE_IDS

EYE = "tile-eye-r-1"
STANDARD = set(TILE_IDS[:16])
EYES = set(TILE_IDS[:4])


def fellowship_phase(place: str, progress: int = 0, **options) -> Position:
    """Phase 2; Strider and Legolas are with the Ring-bearers."""
    position = Position(Ruleset(ask_single=True, **options))
    position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE)
    return position.fellowship(place, progress=progress, companions=["strider", "legolas"])


def on_the_track(step: int, *inside: str, corruption: int = 0, revealed: bool = False, **options) -> Position:
    """Phase 5 with the Fellowship on the Mordor Track and two Character dice."""
    position = Position(Ruleset(ask_single=True, **options)).dice("character character", "army")
    return position.fellowship(
        mordor_step=step,
        corruption=corruption,
        revealed=revealed,
        companions=inside or ["strider", "legolas"],
    )


def move(position: Position, *tape: int) -> Game:
    return play(position.game(*tape), "face:character", "plan:move-fellowship")


def unread(game: Game) -> list[int]:
    state = game.state
    return state.tape[state.tape_position : state.tape_length].tolist()


def hunt_pool(game: Game) -> set[str]:
    return {TILE_IDS[i] for i in range(24) if game.state.tile_zone[i] == TileZone.POOL}


# --- Entering (R11.1). ---


@pytest.mark.parametrize("gate", ["morannon", "minas-morgul"])
def test_R11_1_1_R11_1_2_a_declaration_at_a_gate_enters_mordor_at_once(gate):
    game = play(fellowship_phase("north-ithilien", 3).game(), f"region:{gate}")
    state = game.state
    assert game.decision == Decision.HUNT_ALLOCATION
    assert (state.mordor_step, state.fellowship_region) == (1, -1)
    assert (state.progress, state.revealed) == (0, 0)
    inside = {who for who in range(7) if state.location[who] == Location.IN_FELLOWSHIP}
    assert inside == {character("strider"), character("legolas")}
    assert state.guide == character("strider")


def test_R11_1_1_elsewhere_nothing_is_entered():
    game = play(fellowship_phase("north-ithilien", 3).game(), "region:dagorlad")
    assert (game.state.mordor_step, game.state.fellowship_region) == (0, region("dagorlad"))


def test_R11_1_1_a_fellowship_revealed_at_a_gate_stays_outside():
    game = fellowship_phase("morannon").fellowship(revealed=True).game()
    assert game.decision == Decision.HUNT_ALLOCATION and game.state.mordor_step == 0
    position = Position().dice("character character", "army").hunt_box(0, 1)
    position.fellowship("dagorlad", companions=["gimli"])
    game = play(position.game(6, tile("tile-1-r-1"), tile("tile-0-r-2")), "face:character")
    play(game, "plan:move-fellowship", "verb:take-corruption", "region:morannon")
    assert (game.state.mordor_step, game.state.fellowship_region) == (0, region("morannon"))


@pytest.mark.parametrize("revealed", [False, True])
def test_R11_1_1_option_mordor_entry_figure_present(revealed):
    options = {"mordor_entry": "figure_present", "mordor_mandatory_declare": "never"}
    position = fellowship_phase("minas-morgul", **options).fellowship(revealed=revealed)
    game = position.game()
    if not revealed:
        assert game.decision == Decision.DECLARE_FELLOWSHIP
        play(game, "verb:decline")
    assert game.decision == Decision.ENTER_MORDOR and game.side == Side.FREE_PEOPLES
    assert legal(game) == {"verb:accept", "verb:decline"}
    stayed = play(game.clone(), "verb:decline")
    assert (stayed.state.mordor_step, stayed.state.fellowship_region) == (0, region("minas-morgul"))
    play(game, "verb:accept")
    assert (game.state.mordor_step, game.state.fellowship_region) == (1, -1)
    assert game.state.revealed == revealed


def test_R11_1_1_option_mordor_entry_figure_present_after_a_declaration_at_the_gate():
    game = play(fellowship_phase("dagorlad", 1, mordor_entry="figure_present").game(), "region:morannon")
    assert game.decision == Decision.ENTER_MORDOR and game.state.mordor_step == 0


def test_R11_1_1_option_mordor_entry_figure_present_needs_the_figure():
    game = play(fellowship_phase("dagorlad", 2, mordor_entry="figure_present").game(), "verb:decline")
    assert game.decision == Decision.HUNT_ALLOCATION


def test_GX41_RU4_drawn_standard_and_activated_special_tiles_make_the_new_pool():
    position = fellowship_phase("minas-morgul")
    zones = position.state.tile_zone
    for name in ("tile-3-1", "tile-2-1", EYE):
        zones[tile(name)] = TileZone.DRAWN
    for name in ("tile-fp-1", "tile-sh-3"):
        zones[tile(name)] = TileZone.WAITING
    game = play(position.game(), "region:minas-morgul")
    assert game.state.mordor_step == 1
    assert hunt_pool(game) == STANDARD | {"tile-fp-1", "tile-sh-3"}


@pytest.mark.parametrize("reset", ["all_standard", "eye_only"])
def test_R11_1_3_option_mordor_pool_reset(reset):
    position = fellowship_phase("minas-morgul", mordor_pool_reset=reset)
    zones = position.state.tile_zone
    for name in ("tile-3-1", "tile-2-1", EYE):
        zones[tile(name)] = TileZone.DRAWN
    zones[tile("tile-1-1")] = TileZone.REMOVED
    zones[tile("tile-fp-4")] = TileZone.WAITING
    game = play(position.game(), "region:minas-morgul")
    missing = {"tile-1-1"} | ({"tile-3-1", "tile-2-1"} if reset == "eye_only" else set())
    assert hunt_pool(game) == STANDARD - missing | {"tile-fp-4"}
    assert game.state.tile_zone[tile("tile-1-1")] == TileZone.REMOVED


def test_R11_1_4_no_stronghold_tile_and_no_healing():
    position = fellowship_phase("dagorlad").fellowship(progress=1, corruption=3)
    game = play(position.game(2), "region:morannon")
    assert game.state.mordor_step == 1
    assert game.state.corruption == 3 and unread(game) == [2]
    assert hunt_pool(game) == STANDARD


@pytest.mark.parametrize("step", [0, 1])
def test_R11_1_4_the_mouth_of_sauron_may_enter_from_now_on(step):
    position = Position(Ruleset(ask_single=True)).dice("", "muster")
    if step:
        position.fellowship(mordor_step=step)
    game = play(position.game(), "face:muster")
    assert ("plan:bring-character" in legal(game)) == bool(step)


# --- Position (R11.2). ---


def test_R11_2_1_on_the_track_nothing_is_declared():
    position = fellowship_phase("rivendell").fellowship(mordor_step=2)
    assert position.game().decision == Decision.HUNT_ALLOCATION


def test_R11_2_1_a_move_counts_no_progress():
    game = play(move(on_the_track(2).pool("tile-1-1")), "verb:take-corruption")
    assert (game.state.progress, game.state.fellowship_region) == (0, -1)


# --- Steps (R11.3). ---


def test_R11_3_1_nobody_separates():
    game = play(on_the_track(2).game(), "face:character")
    assert legal_block(game, "plan") == {"skip", "move-fellowship"}


def test_R11_3_1_a_hobbit_who_would_leave_is_eliminated_and_lowers_the_damage():
    position = on_the_track(2, "meriadoc", "peregrin").pool("tile-3-1")
    game = move(position)
    assert legal(game) == {"verb:done", "verb:guide-ability", "verb:both-hobbits"}
    one = play(game.clone(), "verb:guide-ability")
    assert one.state.location[5:7].tolist() == [Location.ELIMINATED, Location.IN_FELLOWSHIP]
    assert one.state.hunt_damage == 2 and one.decision == Decision.HUNT_REACTION
    play(game, "verb:both-hobbits")
    assert game.state.location[5:7].tolist() == [Location.ELIMINATED] * 2
    assert game.state.guide == character("gollum") and game.state.hunt_damage == 1


def test_R11_3_1_nobody_is_taken_alive_in_mordor():
    game = play(move(on_the_track(2, "meriadoc").pool("tile-1-1")), "verb:done", "verb:sacrifice-guide")
    assert game.decision == Decision.ACTION_DIE
    assert game.state.location[character("meriadoc")] == Location.ELIMINATED


def test_R11_3_2_a_move_draws_a_tile_without_a_roll():
    game = move(on_the_track(2), tile("tile-3-2"))  # the Hunt Box is empty
    assert game.decision == Decision.HUNT_DAMAGE
    assert game.state.hunt_damage == 3 and game.state.mordor_step == 2


def test_R11_3_2_a_revealed_fellowship_hides_first():
    game = play(on_the_track(2, revealed=True).game(), "face:character")
    assert legal_block(game, "plan") == {"skip", "hide-fellowship"}
    assert play(game, "plan:hide-fellowship").state.revealed == 0
    assert game.state.mordor_step == 2 and game.state.hunt_box.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("choice", "corruption", "lost"),
    [("take-corruption", 3, None), ("sacrifice-guide", 0, "strider"), ("sacrifice-random", 1, "legolas")],
)
def test_R11_3_3_a_tile_is_taken_as_in_any_hunt(choice, corruption, lost):
    game = move(on_the_track(2), tile("tile-3-1"), character("legolas"))
    assert legal(game) == {"verb:take-corruption", "verb:sacrifice-guide", "verb:sacrifice-random"}
    play(game, f"verb:{choice}")
    assert game.state.corruption == corruption and game.state.mordor_step == 3
    if lost:
        assert game.state.location[character(lost)] == Location.ELIMINATED


def test_GX26_R11_3_4_an_eye_is_as_many_as_the_dice_in_the_box():
    game = move(on_the_track(2).hunt_box(1, 4), tile(EYE))
    assert game.state.hunt_damage == 5 and game.state.mordor_step == 2
    play(game, "verb:take-corruption")
    assert game.state.corruption == 5
    assert (game.state.mordor_step, game.state.revealed) == (3, 1)


@pytest.mark.parametrize(("free_peoples", "shadow"), [(0, 0), (0, 7), (2, 5)])
def test_RU28_an_eye_counts_no_moving_die_and_has_no_maximum(free_peoples, shadow):
    game = move(on_the_track(2, "strider").hunt_box(free_peoples, shadow), tile(EYE))
    if free_peoples + shadow:
        play(game, "verb:take-corruption")
    assert game.state.corruption == free_peoples + shadow
    assert game.state.hunt_box.tolist() == [free_peoples + 1, shadow]


def test_RU28_the_red_eye_counts_the_box_too_and_stops():
    position = on_the_track(2).hunt_box(0, 3).pool("tile-sh-2")
    game = play(move(position), "verb:take-corruption")
    assert game.state.corruption == 3
    assert (game.state.mordor_step, game.state.revealed) == (2, 1)


@pytest.mark.parametrize("name", ["tile-sh-1", "tile-sh-2", "tile-sh-3", "tile-sh-4"])
def test_R11_3_5_a_stop_icon_stops(name):
    tape = (tile(name), 1) if name == "tile-sh-1" else ()
    game = play(move(on_the_track(2).hunt_box(0, 1).pool(name), *tape), "verb:take-corruption")
    assert game.state.mordor_step == 2 and game.state.move_attempted == 1
    assert game.state.revealed == (name in ("tile-sh-2", "tile-sh-4"))


def test_R11_3_5_a_numbered_tile_advances_and_reveals_afterwards():
    game = play(move(on_the_track(2).pool("tile-1-r-1")), "verb:take-corruption")
    assert (game.state.mordor_step, game.state.revealed) == (3, 1)
    assert game.decision == Decision.ACTION_DIE  # nowhere to be revealed: only the status changes


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("name", ["tile-fp-1", "tile-fp-2", "tile-fp-3", "tile-fp-4"])
def test_RU7_option_blue_tiles_stop(name, stop):
    game = move(on_the_track(2, blue_tiles_stop=stop).pool(name))
    assert game.state.mordor_step == (2 if stop else 3) and game.state.revealed == 0


def test_R11_3_6_step_6_destroys_the_ring():
    game = play(move(on_the_track(5, corruption=8).pool("tile-3-1")), "verb:take-corruption")
    assert game.over and game.result.winner == Winner.FREE_PEOPLES
    assert game.result.reason == Reason.RING_DESTROYED
    assert (game.result.mordor_step, game.result.corruption) == (6, 11)


def test_GX27_RU29_corruption_12_beats_the_last_step():
    game = play(move(on_the_track(5, corruption=10).pool("tile-3-1")), "verb:take-corruption")
    assert game.over and game.result.winner == Winner.SHADOW
    assert game.result.reason == Reason.CORRUPTION and game.result.mordor_step == 5


def test_RU29_healing_comes_before_the_last_step_too():
    game = move(on_the_track(5, corruption=11).pool("tile-fp-4"))
    assert game.result.winner == Winner.FREE_PEOPLES and game.result.corruption == 10


# --- Idle turns (R11.3.7). ---


def end_of_turn(position: Position, *actions: str) -> Game:
    """Plays actions, then skips the Shadow's last die; the next turn begins."""
    game = play(position.game(), *actions)
    play(game, "face:army", "plan:skip")
    assert game.over or game.state.turn == 2
    return game


def test_R11_3_7_a_turn_without_a_move_costs_one_corruption():
    position = on_the_track(3, corruption=4).dice("event", "army")
    assert end_of_turn(position, "face:event", "plan:skip").state.corruption == 5


def test_R11_3_7_off_the_track_idling_is_free():
    position = Position(Ruleset(ask_single=True)).dice("event", "army").fellowship("dagorlad", corruption=4)
    assert end_of_turn(position, "face:event", "plan:skip").state.corruption == 4


def test_R11_3_7_a_move_that_was_stopped_is_an_attempt():
    position = on_the_track(3).dice("character", "army").pool("tile-sh-3")
    game = end_of_turn(position, "face:character", "plan:move-fellowship", "verb:take-corruption")
    assert game.state.corruption == 3 and game.state.mordor_step == 3


@pytest.mark.parametrize(("idle", "corruption"), [("move", 1), ("move_or_hide", 0)])
def test_GX28_RU5_option_mordor_idle(idle, corruption):
    position = on_the_track(3, revealed=True, mordor_idle=idle).dice("character", "army")
    game = end_of_turn(position, "face:character", "plan:hide-fellowship")
    assert game.state.corruption == corruption


def test_R11_3_7_each_turn_is_counted_anew():
    position = on_the_track(1).dice("character", "army").pool("tile-fp-1")
    game = end_of_turn(position, "face:character", "plan:move-fellowship")
    assert game.state.corruption == 0
    game.with_tape([3] * 4 + [6] * 7)  # four Muster results; all of the Shadow's are Eyes
    play(game, "count:0", *["face:muster", "plan:skip"] * 4)
    assert game.state.turn == 3 and game.state.corruption == 1


def test_R11_3_7_the_turn_of_entry_counts():
    game = fellowship_phase("morannon").game(*[3] * 4, *[6] * 7)
    play(game, "region:morannon", "count:0", *["face:muster", "plan:skip"] * 4)
    assert game.state.turn == 2
    assert (game.state.mordor_step, game.state.corruption) == (1, 1)


def test_R11_3_7_it_comes_before_the_victory_check():
    position = on_the_track(3, corruption=11).dice("event", "army")
    for place in ("moria", "dol-guldur"):  # 4 points for the Free Peoples
        position.control(place, Side.FREE_PEOPLES)
    game = end_of_turn(position, "face:event", "plan:skip")
    assert game.result.winner == Winner.SHADOW and game.result.reason == Reason.CORRUPTION


def test_GX44_R11_3_8_the_die_of_a_move_goes_to_the_box_and_the_turn_is_not_idle():
    position = on_the_track(2).dice("character", "army").pool("tile-fp-1")
    game = play(position.game(), "face:character", "plan:move-fellowship")
    assert game.state.mordor_step == 3 and game.state.hunt_box.tolist() == [1, 0]
    play(game, "face:army", "plan:skip")
    assert game.state.turn == 2 and game.state.corruption == 0
