"""The Fellowship is revealed by the Hunt or a card (R9.6)."""

from __future__ import annotations

import pytest

from tests.positions import Position, legal, legal_block, play, region, tile
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Frame, HuntCause, Side, TileZone
from wotr_env.games.war_of_the_ring.components import TILE_IDS

MOVE = ("face:character", "plan:move-fellowship")
HELMS_DEEP_0 = {"helms-deep"}
HELMS_DEEP_1 = {"fords-of-isen", "westemnet"}
HELMS_DEEP_2 = {"druwaith-iaur", "eastemnet", "edoras", "fangorn", "folde", "gap-of-rohan", "orthanc"}


def options(**changed: str) -> Ruleset:
    return Ruleset(ask_single=True, **changed)


def revealed_by_a_move(position: Position, *tiles: str) -> Game:
    """The last move of the progress is hunted with success: a tile 0 with Reveal, then the others."""
    position.state.progress -= 1
    position.hunt_box(shadow=1).dice("character character")
    return play(position.game(6, tile("tile-0-r-1"), *(tile(name) for name in tiles)), *MOVE)


def card_draws(position: Position, *tiles: str) -> Game:
    """A card draws a Hunt tile in phase 5, whatever the Fellowship does."""
    position.dice("character character").waiting(Frame.HUNT, cause=HuntCause.CARD_TILE)
    return position.game(*(tile(name) for name in tiles))


def stands(game: Game) -> tuple[int, int, int]:
    """Region, progress, revealed."""
    return int(game.state.fellowship_region), int(game.state.progress), int(game.state.revealed)


def drawn(game: Game) -> set[str]:
    """The tiles that are out of the Hunt Pool, by id."""
    return {name for name, zone in zip(TILE_IDS, game.state.tile_zone, strict=True) if zone == TileZone.DRAWN}


def left_on_tape(game: Game) -> int:
    return int(game.state.tape_length) - int(game.state.tape_position)


def test_R9_6_1_a_Revealed_Fellowship_is_not_revealed_again():
    game = card_draws(Position().fellowship("hollin", revealed=True), "tile-0-r-1")
    assert game.decision == Decision.ACTION_DIE
    assert stands(game) == (region("hollin"), 0, 1)
    assert drawn(game) == {"tile-0-r-1"}


def test_R9_6_1_the_Reveal_icon_of_a_tile_drawn_by_a_card_reveals_RG15():
    game = card_draws(Position().fellowship("hollin", progress=2), "tile-0-r-1", "tile-1-1")
    assert game.decision == Decision.REVEAL_REGION
    play(game, "region:dimrill-dale")
    assert game.decision == Decision.HUNT_DAMAGE  # the Stronghold tile of Moria
    play(game, "verb:take-corruption")
    assert stands(game) == (region("dimrill-dale"), 0, 1)
    assert game.state.corruption == 1


def test_R9_6_1_Gollum_reveals_to_lower_the_damage():
    position = Position().fellowship("hollin", progress=1, companions=[]).hunt_box(shadow=1)
    game = play(position.dice("character character").game(6, tile("tile-2-1")), *MOVE, "verb:guide-ability")
    assert game.decision == Decision.REVEAL_REGION
    play(game, "region:trollshaws")
    assert stands(game) == (region("trollshaws"), 0, 1)
    assert game.state.corruption == 1


def test_GX14_RU24_R9_6_2_R9_6_3_the_Fellowship_at_Helms_Deep_is_revealed():
    game = revealed_by_a_move(Position().fellowship("helms-deep", progress=2), "tile-1-1")
    assert game.decision == Decision.REVEAL_REGION and game.side == Side.FREE_PEOPLES
    legal_regions = {"druwaith-iaur", "eastemnet", "fangorn", "fords-of-isen", "gap-of-rohan", "orthanc"}
    assert legal(game) == {f"region:{name}" for name in legal_regions}
    free = play(game.clone(), "region:fangorn")
    assert free.decision == Decision.ACTION_DIE
    assert stands(free) == (region("fangorn"), 0, 1)
    play(game, "region:orthanc")
    assert game.decision == Decision.HUNT_DAMAGE
    play(game, "verb:take-corruption")
    assert stands(game) == (region("orthanc"), 0, 1)
    assert game.state.corruption == 1


def test_RU10_R9_6_3_by_option_Towns_are_allowed():
    towns = Position(options(reveal_forbidden="fp_city_or_stronghold"))
    game = revealed_by_a_move(towns.fellowship("helms-deep", progress=2))
    assert legal_block(game, "region") == HELMS_DEEP_1 | HELMS_DEEP_2 - {"edoras"}


def test_RU10_R9_6_3_captured_Settlements_are_allowed():
    position = Position().fellowship("helms-deep", progress=2)
    for place in ("edoras", "westemnet", "helms-deep"):
        position.control(place, Side.SHADOW)
    game = revealed_by_a_move(position)
    assert legal_block(game, "region") == HELMS_DEEP_0 | HELMS_DEEP_1 | HELMS_DEEP_2 - {"folde"}


def test_R9_6_3_a_Shadow_Settlement_taken_by_the_Free_Peoples_is_allowed():
    position = Position().fellowship("hollin", progress=1).control("north-dunland", Side.FREE_PEOPLES)
    assert "north-dunland" in legal_block(revealed_by_a_move(position), "region")


def test_R9_6_3_a_Fellowship_that_can_leave_a_Settlement_must():
    game = revealed_by_a_move(Position().fellowship("rivendell", progress=1))
    assert legal(game) == {"region:fords-of-bruinen", "region:trollshaws"}
    game = revealed_by_a_move(Position().fellowship("hollin", progress=1))
    assert "hollin" in legal_block(game, "region")


def test_R9_6_2_RG41_by_option_a_Fellowship_revealed_with_progress_leaves_its_region():
    leaving = options(reveal_moves="must_leave")
    game = revealed_by_a_move(Position(leaving).fellowship("hollin", progress=1))
    near = {"fords-of-bruinen", "moria", "north-dunland", "south-downs", "trollshaws"}
    assert legal_block(game, "region") == near
    game = card_draws(Position(leaving).fellowship("hollin"), "tile-0-r-1")  # progress 0
    assert game.decision == Decision.ACTION_DIE and stands(game) == (region("hollin"), 0, 1)
    game = revealed_by_a_move(Position(leaving).fellowship("moria", progress=1), "tile-0-r-2")
    assert "moria" not in legal_block(game, "region")
    play(game, "region:hollin")  # so that leaving the Stronghold costs a tile (R9.6.4)
    assert stands(game) == (region("hollin"), 0, 1) and "tile-0-r-2" in drawn(game)


@pytest.mark.parametrize("place", ["minas-tirith", "edoras", "hollin", "moria"])
def test_GX21_R9_6_2_R9_6_3_with_progress_0_the_figure_stays(place):
    position = Position().fellowship(place).politics("gondor", 2, active=False)
    game = card_draws(position, "tile-0-r-1")
    assert game.decision == Decision.ACTION_DIE
    assert stands(game) == (region(place), 0, 1)
    assert game.state.active[2] == 0  # to be revealed is not to be declared (RU39)


def test_GX16_R9_6_4_revealed_in_Moria_one_tile_with_Eye_value_0():
    game = revealed_by_a_move(Position().fellowship("rivendell", progress=3), "tile-eye-r-1")
    play(game, "region:moria")
    assert game.decision == Decision.ACTION_DIE
    assert drawn(game) == {"tile-0-r-1", "tile-eye-r-1"}
    assert game.state.corruption == 0
    assert stands(game) == (region("moria"), 0, 1)
    # A number counts as usual.
    game = revealed_by_a_move(Position().fellowship("rivendell", progress=3), "tile-3-1")
    play(game, "region:moria", "verb:take-corruption")
    assert game.state.corruption == 3


def test_GX17_R9_6_7_by_the_High_Pass_there_is_no_tile():
    game = revealed_by_a_move(Position().fellowship("rivendell", progress=3))
    play(game, "region:goblins-gate")
    assert game.decision == Decision.ACTION_DIE
    assert drawn(game) == {"tile-0-r-1"}
    assert stands(game) == (region("goblins-gate"), 0, 1)
    play(game, "face:character")
    assert "plan:move-fellowship" not in legal(game)
    assert "plan:hide-fellowship" in legal(game)


@pytest.mark.parametrize(
    ("start", "progress", "destination", "tiles"),
    [
        ("hollin", 1, "moria", 1),  # entered
        ("moria", 1, "dimrill-dale", 1),  # left
        ("hollin", 2, "dimrill-dale", 1),  # RU13: entered and left
        ("moria", 3, "dol-guldur", 2),  # RU13: two different ones
        ("moria", 2, "moria", 0),  # stays
        ("rivendell", 2, "trollshaws", 0),
    ],
)
def test_R9_6_4_RU13_one_tile_for_each_Shadow_Stronghold_entered_or_left(start, progress, destination, tiles):
    game = revealed_by_a_move(
        Position().fellowship(start, progress=progress), *["tile-1-1", "tile-1-2"][:tiles]
    )
    play(game, f"region:{destination}")
    for _ in range(tiles):
        assert game.decision == Decision.HUNT_DAMAGE
        play(game, "verb:take-corruption")
    assert game.decision == Decision.ACTION_DIE
    assert game.state.corruption == tiles
    assert stands(game) == (region(destination), 0, 1)
    assert left_on_tape(game) == 0


@pytest.mark.parametrize(("stay", "tiles"), [("free", 0), ("tile", 1)])
def test_R9_6_4_RG62_by_option_a_Fellowship_revealed_where_it_stays_draws_for_the_Stronghold(stay, tiles):
    def at(place: str, progress: int = 0) -> Position:
        return Position(options(stronghold_stay=stay)).fellowship(place, progress=progress)

    game = card_draws(at("moria"), "tile-0-r-1", "tile-1-1")
    assert (game.decision == Decision.HUNT_DAMAGE) == bool(tiles)
    play(game, *["verb:take-corruption"] * tiles)
    assert stands(game) == (region("moria"), 0, 1) and game.state.corruption == tiles
    game = play(revealed_by_a_move(at("moria", 2), "tile-1-1"), "region:moria")
    assert (game.decision == Decision.HUNT_DAMAGE) == bool(tiles)
    taken = card_draws(at("moria").control("moria", Side.FREE_PEOPLES), "tile-0-r-1", "tile-1-1")
    open_ground = card_draws(at("hollin"), "tile-0-r-1", "tile-1-1")
    assert taken.decision == open_ground.decision == Decision.ACTION_DIE


@pytest.mark.parametrize(("stay", "tiles"), [("free", 1), ("tile", 1)])
def test_R9_6_4_RG62_a_Stronghold_that_is_left_or_entered_costs_one_tile_by_either_option(stay, tiles):
    for start, end in (("moria", "hollin"), ("hollin", "moria")):
        position = Position(options(stronghold_stay=stay)).fellowship(start, progress=1)
        game = play(revealed_by_a_move(position, "tile-1-1", "tile-1-2"), f"region:{end}")
        play(game, *["verb:take-corruption"] * tiles)
        assert game.decision == Decision.ACTION_DIE and game.state.corruption == tiles


def test_R9_6_4_RG62_R9_6_6_on_the_Mordor_Track_there_is_no_Stronghold():
    position = Position(options(stronghold_stay="tile")).fellowship(mordor_step=2)
    assert card_draws(position, "tile-0-r-1", "tile-1-1").decision == Decision.ACTION_DIE


def test_R9_6_4_control_decides_which_Strongholds_count():
    position = Position().fellowship("hollin", progress=2).control("moria", Side.FREE_PEOPLES)
    game = play(revealed_by_a_move(position), "region:dimrill-dale")
    assert game.decision == Decision.ACTION_DIE
    position = Position().fellowship("dimrill-dale", progress=1).control("lorien", Side.SHADOW)
    game = play(revealed_by_a_move(position, "tile-1-1"), "region:lorien")
    assert game.decision == Decision.HUNT_DAMAGE


def test_R9_6_4_the_Reveal_icon_of_a_Stronghold_tile_has_no_effect():
    position = Position().fellowship("hollin", progress=1)
    game = play(revealed_by_a_move(position, "tile-1-r-1"), "region:moria", "verb:take-corruption")
    assert game.decision == Decision.ACTION_DIE
    assert stands(game) == (region("moria"), 0, 1)


@pytest.mark.parametrize(("progress", "tiles"), [(4, 1), (5, 1), (6, 0), (7, 0)])
def test_R9_6_5_the_path_avoids_Shadow_Strongholds_if_the_progress_allows(progress, tiles):
    """From Rivendell to Dimrill Dale: 4 regions through Moria, 6 over the High Pass."""
    position = Position().fellowship("rivendell", progress=progress)
    game = play(revealed_by_a_move(position, *["tile-1-1"][:tiles]), "region:dimrill-dale")
    assert (game.decision == Decision.HUNT_DAMAGE) == bool(tiles)


@pytest.mark.parametrize(
    ("start", "progress", "destination", "captured", "tiles"),
    [
        ("north-anduin-vale", 2, "eastern-mirkwood", "moria", 0),  # by the Narrows, not by Dol Guldur
        ("hollin", 4, "parth-celebrant", "lorien", 1),  # by Moria, then past captured Lorien
    ],
)
def test_R9_6_5_the_path_with_the_fewest_Strongholds_is_taken(start, progress, destination, captured, tiles):
    position = Position().fellowship(start, progress=progress).control(captured, Side.SHADOW)
    game = revealed_by_a_move(position, "tile-1-1", "tile-1-2")
    play(game, f"region:{destination}", *["verb:take-corruption"] * tiles)
    assert game.decision == Decision.ACTION_DIE
    assert game.state.corruption == tiles


def test_R9_6_6_on_the_Mordor_Track_only_the_status_changes():
    position = Position().fellowship(mordor_step=2).dice("character character").hunt_box(shadow=2)
    game = play(position.game(tile("tile-0-r-1")), *MOVE)
    assert game.decision == Decision.ACTION_DIE
    assert game.state.mordor_step == 3
    assert stands(game) == (-1, 0, 1)
    play(game, "face:character")
    assert "plan:move-fellowship" not in legal(game)


def test_R9_6_4_the_revealing_tile_is_finished_first():
    """Its damage, its casualty and the new Guide, then the place, then the Stronghold tile."""
    position = Position().fellowship("hollin", companions=["gimli", "legolas", "strider"]).hunt_box(shadow=1)
    game = position.dice("character character").game(6, tile("tile-eye-r-1"), tile("tile-1-1"))
    play(game, *MOVE)
    assert game.decision == Decision.HUNT_DAMAGE
    assert game.state.revealed == 0
    play(game, "verb:sacrifice-guide")
    assert game.decision == Decision.CHOOSE_GUIDE
    play(game, "character:legolas")
    assert game.decision == Decision.REVEAL_REGION
    play(game, "region:moria")
    assert stands(game) == (region("moria"), 0, 1)
    assert game.decision == Decision.HUNT_DAMAGE
    play(game, "verb:sacrifice-guide")
    assert game.state.guide == Character.GIMLI
    assert game.decision == Decision.ACTION_DIE


def test_RU46_R9_5_8_nobody_is_revealed_past_the_gates():
    game = revealed_by_a_move(Position().fellowship("morannon", progress=2))
    reach = legal_block(game, "region")
    assert {"morannon", "dagorlad", "north-ithilien"} <= reach
    assert not {"minas-morgul", "gorgoroth", "barad-dur", "nurn"} & reach
