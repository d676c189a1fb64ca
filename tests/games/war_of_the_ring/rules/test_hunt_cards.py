"""Tiles and rolls by cards, and the table cards that act in a Hunt (R10.2-R10.5, section 19.3)."""

from __future__ import annotations

import pytest

from tests.positions import Position, card, character, legal, play, tile
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import (
    CardTile,
    CardZone,
    Decision,
    Frame,
    HuntCause,
    Location,
    Side,
    TileZone,
)

EYE = "tile-eye-r-1"
COAT, AXE, HORN, STAFF = "fp-char-05", "fp-char-06", "fp-char-07", "fp-char-08"
CREBAIN = "sh-char-16"
LAST_BATTLE = "fp-strat-01"
DAMAGE = {"verb:take-corruption", "verb:sacrifice-guide", "verb:sacrifice-random"}
YES_OR_NO = {"verb:accept", "verb:decline"}


def hunting(*table: str, shadow: int = 1, **options) -> Position:
    """The Free Peoples are about to act; Shadow dice in the Hunt Box; these cards on the table."""
    position = Position(Ruleset(ask_single=True, **options)).dice("character character", "army")
    return position.hunt_box(0, shadow).table(*table).fellowship("hollin")


def on_the_track(*table: str, **options) -> Position:
    return hunting(*table, **options).fellowship(mordor_step=2)


def move(position: Position, *tape: int) -> Game:
    """The Fellowship moves by a Character die; the tape begins with the Hunt roll, off the Track."""
    return play(position.game(*tape), "face:character", "plan:move-fellowship")


def by_card(position: Position, card_tile: CardTile, *tape: int) -> Game:
    """A card draws a tile."""
    return position.waiting(Frame.HUNT, cause=HuntCause.CARD_TILE, card_tile=card_tile).game(*tape)


def unread(game: Game) -> list[int]:
    return game.state.tape[game.state.tape_position : game.state.tape_length].tolist()


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


def tile_zone(game: Game, name: str) -> int:
    return int(game.state.tile_zone[tile(name)])


def inside(game: Game, name: str) -> bool:
    return game.state.location[character(name)] == Location.IN_FELLOWSHIP


# --- Cards that draw a tile (R10.2, R10.5.6). ---


@pytest.mark.parametrize("card_tile", [CardTile.ORC_PATROL, CardTile.ISILDURS_BANE, CardTile.FOUL_THING])
@pytest.mark.parametrize("dropped", [EYE, "tile-sh-2", "tile-fp-1", "tile-fp-3"])
def test_sh_char_05_sh_char_06_sh_char_07_eye_and_blue_tiles_have_no_effect(card_tile, dropped):
    position = hunting(COAT).fellowship(corruption=3).pool(dropped, "tile-3-1")
    game = by_card(position, card_tile, tile(dropped))
    assert game.decision == Decision.ACTION_DIE and zone(game, COAT) == CardZone.TABLE
    assert (game.state.corruption, game.state.revealed) == (3, 0)
    assert tile_zone(game, dropped) == TileZone.DRAWN


def test_sh_char_05_orc_patrol_other_tiles_are_a_successful_hunt():
    game = by_card(hunting(), CardTile.ORC_PATROL, tile("tile-2-r-1"))
    assert game.decision == Decision.HUNT_DAMAGE and legal(game) == DAMAGE
    play(game, "verb:take-corruption")
    assert (game.state.corruption, game.state.revealed) == (2, 1)
    assert game.state.dice_used[Side.FREE_PEOPLES] == 2 and game.state.hunt_box[Side.FREE_PEOPLES] == 0


def test_RG32_R10_2_2_orc_patrol_on_the_mordor_track_does_not_advance_and_reveal_works():
    game = by_card(on_the_track().pool("tile-sh-4"), CardTile.ORC_PATROL, tile("tile-sh-4"))
    play(game, "verb:take-corruption")
    assert (game.state.mordor_step, game.state.revealed, game.state.corruption) == (2, 1, 1)
    game = play(by_card(on_the_track(), CardTile.ORC_PATROL, tile("tile-2-1")), "verb:take-corruption")
    assert (game.state.mordor_step, game.state.revealed, game.state.move_attempted) == (2, 0, 0)


def test_R10_2_2_a_filtered_eye_does_nothing_on_the_track_either():
    game = by_card(on_the_track(shadow=4), CardTile.ORC_PATROL, tile(EYE))
    assert (game.state.corruption, game.state.revealed, game.state.mordor_step) == (0, 0, 2)


def test_sh_char_06_R10_5_6_isildurs_bane_cannot_be_lowered_by_anything():
    position = hunting(AXE, HORN).fellowship(companions=["boromir", "gimli"], guide="boromir")
    game = by_card(position, CardTile.ISILDURS_BANE, tile("tile-3-1"))
    assert game.decision == Decision.ACTION_DIE and game.state.corruption == 3
    assert zone(game, AXE) == zone(game, HORN) == CardZone.TABLE
    for guides in (["meriadoc", "peregrin"], []):
        position = hunting().fellowship(companions=guides)
        game = by_card(position, CardTile.ISILDURS_BANE, tile("tile-2-r-1"))
        assert game.state.corruption == 2 and game.state.hunt_casualty == 0


def test_RG31_R10_5_6_staff_and_coat_may_be_used_against_isildurs_bane():
    game = by_card(hunting(STAFF, COAT), CardTile.ISILDURS_BANE, tile("tile-3-1"), tile("tile-1-1"))
    assert game.decision == Decision.WIZARDS_STAFF
    play(game, "verb:decline")
    assert game.decision == Decision.MITHRIL_COAT
    play(game, "verb:accept")
    assert game.state.corruption == 1 and tile_zone(game, "tile-3-1") == TileZone.POOL
    game = by_card(hunting(STAFF, COAT), CardTile.ISILDURS_BANE, tile("tile-3-1"))
    play(game, "verb:accept")
    assert game.state.corruption == 0 and unread(game) == [tile("tile-3-1")]


def test_sh_char_07_R10_5_6_foul_thing_takes_a_random_companion_first():
    game = by_card(hunting(), CardTile.FOUL_THING, tile("tile-3-1"), character("legolas"))
    assert game.decision == Decision.CHOOSE_GUIDE  # Gandalf or Strider
    assert not inside(game, "legolas") and game.state.corruption == 1
    game = by_card(hunting(), CardTile.FOUL_THING, tile("tile-1-1"), character("strider"))
    assert game.decision == Decision.ACTION_DIE  # the Guide is Gandalf
    assert not inside(game, "strider") and game.state.corruption == 0


def test_sh_char_07_foul_thing_without_damage_or_companions():
    game = by_card(hunting(), CardTile.FOUL_THING, tile("tile-0-r-1"))
    assert game.state.revealed == 1 and game.state.location[:7].tolist() == [Location.IN_FELLOWSHIP] * 7
    game = by_card(hunting().fellowship(companions=[]), CardTile.FOUL_THING, tile("tile-3-1"))
    assert play(game, "verb:done").state.corruption == 3  # not lowered by Gollum


def test_sh_char_07_foul_thing_may_be_lowered_before():
    game = by_card(hunting(HORN), CardTile.FOUL_THING, tile("tile-1-1"))
    assert legal(game) == {"verb:done", f"card:{HORN}"}
    play(game, f"card:{HORN}")
    assert game.decision == Decision.ACTION_DIE and game.state.corruption == 0
    assert game.state.location[:7].tolist() == [Location.IN_FELLOWSHIP] * 7


def test_sh_char_17_the_balrogs_tile_drops_only_eyes():
    for dropped in (EYE, "tile-sh-2"):
        game = by_card(hunting(shadow=3).pool(dropped), CardTile.BALROG, tile(dropped))
        assert (game.state.corruption, game.state.revealed) == (0, 0)
    position = hunting().fellowship(corruption=5).pool("tile-fp-3")
    assert by_card(position, CardTile.BALROG, tile("tile-fp-3")).state.corruption == 3


@pytest.mark.parametrize(("card_tile", "revealed"), [(CardTile.BALROG, 1), (CardTile.BALROG_UNSEEN, 0)])
def test_sh_char_17_the_reveal_icon_of_the_balrogs_tile(card_tile, revealed):
    game = play(by_card(hunting(), card_tile, tile("tile-1-r-1")), "verb:take-corruption")
    assert (game.state.corruption, game.state.revealed) == (1, revealed)


def test_sh_char_11_R10_2_1_a_roll_by_a_card_is_like_that_of_a_move():
    position = hunting(CREBAIN, shadow=1).waiting(Frame.HUNT, cause=HuntCause.CARD_ROLL)
    game = position.game(5, tile(EYE))
    assert game.decision == Decision.FLOCKS_OF_CREBAIN and game.side == Side.SHADOW
    play(game, "verb:accept")
    assert game.decision == Decision.HUNT_DAMAGE and game.state.hunt_damage == 1
    play(game, "verb:take-corruption")
    assert game.state.revealed == 1 and game.state.hunt_box[Side.FREE_PEOPLES] == 0


# --- sh-char-14, The Breaking of the Fellowship: the tile's number is left for the card. ---


def breaking(position: Position, *tape: int) -> Game:
    return by_card(position, CardTile.BREAKING, *tape)


@pytest.mark.parametrize(
    ("drawn", "tape", "number"),
    [
        ("tile-2-r-1", (), 2),
        ("tile-0-r-1", (), 0),
        ("tile-sh-1", (4,), 4),
        ("tile-sh-4", (), 1),
        (EYE, (), 0),
        ("tile-sh-2", (), 0),
        ("tile-fp-3", (), 0),
    ],
)
def test_sh_char_14_only_the_number_counts(drawn, tape, number):
    position = hunting(HORN).fellowship(corruption=4, companions=["boromir", "meriadoc"]).pool(drawn)
    game = breaking(position, tile(drawn), *tape)
    assert game.decision == Decision.ACTION_DIE and unread(game) == []
    assert game.state.tile_number == number
    assert (game.state.corruption, game.state.revealed) == (4, 0)
    assert zone(game, HORN) == CardZone.TABLE


def test_sh_char_14_wizards_staff_and_mithril_coat_work_on_it():
    game = breaking(hunting(STAFF, COAT), tile("tile-3-1"))
    play(game, "verb:accept")
    assert game.state.tile_number == 0 and unread(game) == [tile("tile-3-1")]
    game = breaking(hunting(STAFF, COAT), tile("tile-3-1"), tile("tile-1-r-1"))
    play(game, "verb:decline", "verb:accept")
    assert game.state.tile_number == 1 and game.state.revealed == 0
    game = breaking(hunting(COAT), tile("tile-3-1"), tile(EYE))
    assert play(game, "verb:accept").state.tile_number == 0


# --- Flocks of Crebain (R10.3.5). ---


def test_R10_3_5_sh_char_16_flocks_of_crebain_add_1_to_every_die_and_reroll():
    position = hunting(CREBAIN, shadow=3).army("hollin", sauron=1)
    game = move(position.fellowship("hollin"), 5, 4, 1, 5, tile(EYE))
    assert game.decision == Decision.FLOCKS_OF_CREBAIN and legal(game) == YES_OR_NO
    play(game, "verb:accept")
    assert game.state.hunt_successes == 2 and game.state.hunt_damage == 2  # 5 and the re-rolled 5
    assert zone(game, CREBAIN) == CardZone.DISCARD


def test_sh_char_16_a_natural_1_fails_and_the_bonus_ends_with_the_roll():
    game = play(move(hunting(CREBAIN, shadow=1), 1), "verb:accept")
    assert game.state.progress == 1 and game.state.corruption == 0
    assert game.decision == Decision.ACTION_DIE


def test_R6_5_2_sh_char_16_may_be_kept():
    game = play(move(hunting(CREBAIN, shadow=1), 5), "verb:decline")
    assert game.decision == Decision.ACTION_DIE and zone(game, CREBAIN) == CardZone.TABLE


def test_sh_char_16_is_not_asked_without_a_roll():
    game = move(hunting(CREBAIN, shadow=0))
    assert game.decision == Decision.ACTION_DIE  # R10.3.3: level 0
    game = move(on_the_track(CREBAIN), tile("tile-2-1"))
    assert game.decision == Decision.HUNT_DAMAGE  # R11.3.2: no roll on the Track
    game = by_card(hunting(CREBAIN), CardTile.ORC_PATROL, tile("tile-2-1"))
    assert game.decision == Decision.HUNT_DAMAGE


# --- Wizard's Staff (R10.5.1). ---


def test_R10_5_1_fp_char_08_wizards_staff_stops_the_tile():
    game = move(hunting(STAFF), 6, tile("tile-3-1"))
    assert game.decision == Decision.WIZARDS_STAFF and game.side == Side.FREE_PEOPLES
    assert legal(game) == YES_OR_NO
    play(game, "verb:accept")
    assert zone(game, STAFF) == CardZone.DISCARD and unread(game) == [tile("tile-3-1")]
    assert (game.state.progress, game.state.corruption, game.state.revealed) == (1, 0, 0)
    assert game.state.hunt_box[Side.FREE_PEOPLES] == 1


def test_fp_char_08_wizards_staff_may_be_kept_and_is_not_asked_without_success():
    game = play(move(hunting(STAFF), 6, tile("tile-3-1")), "verb:decline")
    assert game.decision == Decision.HUNT_DAMAGE and zone(game, STAFF) == CardZone.TABLE
    assert move(hunting(STAFF), 3).decision == Decision.ACTION_DIE


def test_GX44_R10_5_1_a_mordor_move_still_advances_with_the_staff():
    position = on_the_track(STAFF)
    game = play(move(position), "verb:accept")
    assert game.state.mordor_step == 3 and game.state.hunt_box[Side.FREE_PEOPLES] == 1
    assert game.state.move_attempted == 1 and (game.state.tile_zone != TileZone.DRAWN).all()


def test_R10_5_1_the_staff_works_for_stronghold_tiles_too():
    position = hunting(STAFF).fellowship("hollin", progress=1)
    game = play(by_card(position, CardTile.ORC_PATROL, tile("tile-0-r-1")), "verb:decline", "region:moria")
    assert game.decision == Decision.WIZARDS_STAFF
    play(game, "verb:accept")
    assert game.decision == Decision.ACTION_DIE


# --- Mithril Coat and Sting (R10.5.2). ---


def test_R10_5_2_fp_char_05_the_second_tile_counts_and_the_first_goes_back():
    game = move(hunting(COAT), 6, tile("tile-3-1"), tile("tile-1-r-1"))
    assert game.decision == Decision.MITHRIL_COAT and legal(game) == YES_OR_NO
    assert game.side == Side.FREE_PEOPLES and game.state.hunt_tile == tile("tile-3-1")
    play(game, "verb:accept")
    assert game.state.hunt_damage == 1 and zone(game, COAT) == CardZone.DISCARD
    assert tile_zone(game, "tile-3-1") == TileZone.POOL
    assert tile_zone(game, "tile-1-r-1") == TileZone.DRAWN


def test_fp_char_05_the_coat_may_be_kept():
    game = play(move(hunting(COAT), 6, tile("tile-3-1")), "verb:decline")
    assert game.state.hunt_damage == 3 and zone(game, COAT) == CardZone.TABLE


def test_fp_char_05_the_die_of_a_tile_is_rolled_after_the_choice():
    position = on_the_track(COAT).pool("tile-sh-1", "tile-2-1")
    game = move(position, tile("tile-sh-1"), tile("tile-2-1"), 6)
    assert game.decision == Decision.MITHRIL_COAT
    play(game, "verb:accept")
    assert game.state.hunt_damage == 2 and unread(game) == [6]
    position = on_the_track(COAT).pool("tile-sh-1", "tile-2-1")
    game = play(move(position, tile("tile-sh-1"), 6), "verb:decline")
    assert game.state.hunt_damage == 6


def test_fp_char_05_the_first_tile_is_not_drawn_again():
    game = move(hunting(COAT).pool("tile-3-1"), 6, tile("tile-3-1"), tile("tile-3-2"))
    play(game, "verb:accept")  # the pool is filled up with all drawn standard tiles but the first
    assert game.state.hunt_tile == tile("tile-3-2")
    assert tile_zone(game, "tile-3-1") == TileZone.POOL and tile_zone(game, "tile-3-2") == TileZone.DRAWN


def test_R10_5_2_the_filter_of_a_card_applies_to_the_second_tile():
    game = by_card(hunting(COAT), CardTile.ORC_PATROL, tile("tile-3-1"), tile(EYE))
    play(game, "verb:accept")
    assert game.decision == Decision.ACTION_DIE
    assert (game.state.corruption, game.state.revealed) == (0, 0)


# --- Axe and Bow, Horn of Gondor (R10.5.3), and the order of powers (R10.5.5). ---


def test_R10_5_3_fp_char_06_fp_char_07_lower_the_damage_by_1_each():
    game = move(hunting(AXE, HORN), 6, tile("tile-3-1"))
    assert game.decision == Decision.HUNT_REACTION
    assert legal(game) == {"verb:done", f"card:{AXE}", f"card:{HORN}"}
    play(game, f"card:{AXE}")
    assert game.state.hunt_damage == 2 and zone(game, AXE) == CardZone.DISCARD
    assert legal(game) == {"verb:done", f"card:{HORN}"}
    play(game, f"card:{HORN}")
    assert game.decision == Decision.HUNT_DAMAGE and game.state.hunt_damage == 1


def test_fp_char_07_the_horn_can_take_away_all_damage_and_is_not_asked_without():
    game = play(move(hunting(HORN), 6, tile("tile-1-1")), f"card:{HORN}")
    assert game.decision == Decision.ACTION_DIE and game.state.corruption == 0
    game = move(hunting(HORN), 6, tile("tile-0-r-1"))
    assert game.decision == Decision.REVEAL_REGION and zone(game, HORN) == CardZone.TABLE


def test_fp_char_06_the_axe_may_be_kept():
    game = play(move(hunting(AXE), 6, tile("tile-2-1")), "verb:done")
    assert game.decision == Decision.HUNT_DAMAGE and zone(game, AXE) == CardZone.TABLE


def test_R10_5_3_option_one_table_card_per_tile():
    options = {"hunt_table_cards": "one_per_tile"}
    game = play(move(hunting(AXE, HORN, **options), 6, tile("tile-3-1")), f"card:{AXE}")
    assert game.decision == Decision.HUNT_DAMAGE and game.state.hunt_damage == 2
    game = move(hunting(COAT, HORN, **options), 6, tile("tile-3-1"), tile("tile-2-1"))
    play(game, "verb:accept")
    assert game.decision == Decision.HUNT_DAMAGE and zone(game, HORN) == CardZone.TABLE
    game = move(hunting(COAT, HORN), 6, tile("tile-3-1"), tile("tile-2-1"))
    assert play(game, "verb:accept").decision == Decision.HUNT_REACTION


def test_R10_5_4_R10_5_5_cards_have_lapsed_when_a_guide_can_lower_the_damage():
    position = hunting(AXE, HORN).fellowship(companions=["meriadoc"])
    game = move(position, 6, tile("tile-3-1"))
    assert legal(game) == {"verb:done", "verb:guide-ability"}
    assert zone(game, AXE) == zone(game, HORN) == CardZone.DISCARD


def test_R10_5_5_no_card_lowers_what_a_casualty_leaves():
    position = hunting(HORN, guide_ability_after_casualty=True)
    position.fellowship(companions=["strider", "boromir"])
    game = play(move(position, 6, tile("tile-3-1")), "verb:done", "verb:sacrifice-guide")
    assert game.decision == Decision.ACTION_DIE and game.state.corruption == 0
    position = hunting(HORN, guide_ability_after_casualty=True, shadow=5)
    game = play(move(position, 6, 6, 6, 6, 6, tile(EYE)), "verb:done", "verb:sacrifice-guide")
    assert game.state.corruption == 2 and zone(game, HORN) == CardZone.TABLE


# --- The Last Battle (fp-strat-01). ---


def test_fp_strat_01_R9_4_4_the_die_of_a_move_stays_out_of_the_hunt_box():
    game = move(hunting(LAST_BATTLE), 3)
    assert game.state.hunt_box[Side.FREE_PEOPLES] == 0 and game.state.dice_used[Side.FREE_PEOPLES] == 3
    assert zone(game, LAST_BATTLE) == CardZone.TABLE


def test_fp_strat_01_works_on_the_mordor_track():
    game = play(move(on_the_track(LAST_BATTLE), tile("tile-2-1")), "verb:take-corruption")
    assert game.state.mordor_step == 3 and game.state.hunt_box[Side.FREE_PEOPLES] == 0


def test_fp_strat_01_lapses_when_the_fellowship_is_revealed():
    game = play(move(hunting(LAST_BATTLE), 6, tile("tile-0-r-1")), "region:hollin")
    assert zone(game, LAST_BATTLE) == CardZone.DISCARD
    assert game.state.hunt_box[Side.FREE_PEOPLES] == 1  # the card has left the table before the die goes
    game = play(move(on_the_track(LAST_BATTLE), tile("tile-1-r-1")), "verb:take-corruption")
    assert zone(game, LAST_BATTLE) == CardZone.DISCARD
