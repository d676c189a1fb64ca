"""Events of the Shadow's Character deck against the Fellowship: sh-char-01 to 13 (22.2-22.4).

What Orc Patrol, Isildur's Bane and Foul Thing from the Deep change in the Hunt is in ``test_hunt_cards``.
"""

from __future__ import annotations

import pytest

from tests.positions import (
    Position,
    card,
    character,
    figures_at,
    legal,
    legal_block,
    nation,
    only_acting_cards,
    play,
    tile,
    where,
)
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Phase, Side, TileZone, Winner
from wotr_env.games.war_of_the_ring.components import REGION_IDS, TILE_IDS

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
EYE = "tile-eye-r-1"
COAT, HORN = "fp-char-05", "fp-char-07"
WORN, CREBAIN = "sh-char-15", "sh-char-16"
DAMAGE = {"verb:take-corruption", "verb:sacrifice-guide", "verb:sacrifice-random"}
YES_OR_NO = {"verb:accept", "verb:decline"}
FREE_STRONGHOLDS = {
    "dol-amroth",
    "erebor",
    "grey-havens",
    "helms-deep",
    "lorien",
    "minas-tirith",
    "rivendell",
    "woodland-realm",
}


def holding(name: str, **options) -> Position:
    """The Shadow acts with a Character die and holds the card; the Fellowship is Hidden in Hollin."""
    position = Position(only_acting_cards(**options)).hand(SH, name).fellowship("hollin")
    return position.dice("event event", "character", acting=SH)


def offered(position: Position) -> bool:
    return "plan:play-card" in legal(play(position.game(), "face:character"))


def event(position: Position, name: str, *tape: int) -> Game:
    game = play(position.game(*tape), "face:character", "plan:play-card")
    assert legal(game) == {f"card:{name}"}
    return play(game, f"card:{name}")


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


def is_over(game: Game, name: str) -> bool:
    """The card is in the public discards, the tape is used up and the Free Peoples act."""
    done = zone(game, name) == CardZone.DISCARD and game.state.tape_length == 0
    return done and game.decision == Decision.ACTION_DIE and game.side == FP


def fellowship(game: Game) -> tuple[str, int, int, int]:
    """Region of the figure, progress, revealed, Corruption."""
    state = game.state
    place = "mordor" if state.mordor_step > 0 else REGION_IDS[state.fellowship_region]
    return place, int(state.progress), int(state.revealed), int(state.corruption)


# --- sh-char-01 to 04: the special Hunt tiles. ---

TILE_CARDS = [(f"sh-char-0{number}", f"tile-sh-{number}") for number in range(1, 5)]


@pytest.mark.parametrize(("name", "special"), TILE_CARDS)
def test_sh_char_01_sh_char_02_sh_char_03_sh_char_04_R6_4_2_the_tile_waits(name, special):
    position = holding(name)
    before = position.state.tile_zone.copy()
    game = event(position, name)
    assert is_over(game, name) and fellowship(game) == ("hollin", 0, 0, 0)
    assert game.state.tile_zone[tile(special)] == TileZone.WAITING
    assert [TILE_IDS[i] for i in (game.state.tile_zone != before).nonzero()[0]] == [special]


@pytest.mark.parametrize(("name", "special"), TILE_CARDS)
def test_sh_char_01_sh_char_02_sh_char_03_sh_char_04_joins_the_pool_on_the_mordor_track(name, special):
    position = holding(name).fellowship(mordor_step=1)
    before = position.state.tile_zone.copy()
    game = event(position, name)
    assert is_over(game, name) and game.state.tile_zone[tile(special)] == TileZone.POOL
    assert [TILE_IDS[i] for i in (game.state.tile_zone != before).nonzero()[0]] == [special]


def test_sh_char_01_shelobs_lair_comes_in_when_the_fellowship_enters_mordor():
    position = holding("sh-char-01").dice("", "character", acting=SH).fellowship("minas-morgul")
    game = event(position.pool("tile-1-1"), "sh-char-01")
    assert game.state.phase == Phase.FELLOWSHIP  # of the next turn
    assert game.state.tile_zone[tile("tile-sh-1")] == TileZone.WAITING
    play(game, "region:minas-morgul")
    assert game.state.mordor_step == 1 and game.state.tile_zone[tile("tile-sh-1")] == TileZone.POOL
    assert game.state.tile_zone[tile("tile-sh-2")] == TileZone.ASIDE


def test_sh_char_01_shelobs_lair_can_be_drawn_at_once_and_stops_the_fellowship():
    position = holding("sh-char-01").dice("character", "character", acting=SH).pool("tile-3-1")
    game = event(position.fellowship(mordor_step=1), "sh-char-01", tile("tile-sh-1"), 4)
    play(game, "face:character", "plan:move-fellowship")
    assert game.decision == Decision.HUNT_DAMAGE and game.state.hunt_damage == 4  # the die
    play(game, "verb:take-corruption")
    assert (game.state.mordor_step, game.state.corruption) == (1, 4)


# --- sh-char-05 to 07: a Hunt tile. ---

PATROL, BANE, FOUL = "sh-char-05", "sh-char-06", "sh-char-07"
TILE_DRAWS = (PATROL, BANE, FOUL)
CANDLES = "sh-char-08"


@pytest.mark.parametrize("name", [*TILE_DRAWS, CANDLES])
@pytest.mark.parametrize("place", ["bree", "edoras", "lorien", "carrock"])
def test_sh_char_05_sh_char_06_sh_char_07_sh_char_08_R6_4_1_not_in_a_free_peoples_settlement(name, place):
    assert not offered(holding(name).fellowship(place))


@pytest.mark.parametrize("name", [*TILE_DRAWS, CANDLES])
def test_sh_char_05_sh_char_06_sh_char_07_sh_char_08_R0_6_R6_4_1_captured_ones_are_still_theirs(name):
    assert not offered(holding(name).fellowship("lorien").control("lorien", SH))
    assert offered(holding(name).fellowship("moria").control("moria", FP))


@pytest.mark.parametrize("name", [*TILE_DRAWS, CANDLES])
@pytest.mark.parametrize("place", ["hollin", "north-downs", "fords-of-isen", "osgiliath", "moria"])
def test_sh_char_05_sh_char_06_sh_char_07_sh_char_08_R6_4_1_elsewhere(name, place):
    assert offered(holding(name).fellowship(place))  # a Fortification is no Settlement


def test_sh_char_05_R6_4_1_null_events_does_not_set_the_condition_aside():
    assert not offered(holding(PATROL, null_events=True).fellowship("bree"))


def test_sh_char_05_orc_patrol_starts_a_hunt_tile():
    game = event(holding(PATROL), PATROL, tile("tile-2-1"))
    assert game.decision == Decision.HUNT_DAMAGE and game.side == FP and legal(game) == DAMAGE
    play(game, "verb:take-corruption")
    assert is_over(game, PATROL) and fellowship(game) == ("hollin", 0, 0, 2)
    assert game.state.tile_zone[tile("tile-2-1")] == TileZone.DRAWN


def test_sh_char_06_isildurs_bane_starts_a_hunt_tile():
    game = event(holding(BANE), BANE, tile("tile-2-1"))
    assert is_over(game, BANE) and fellowship(game) == ("hollin", 0, 0, 2)


def test_sh_char_07_foul_thing_from_the_deep_starts_a_hunt_tile():
    position = holding(FOUL).fellowship("hollin", companions=["strider", "gimli"])
    game = event(position, FOUL, tile("tile-3-1"), character("gimli"))
    assert is_over(game, FOUL) and fellowship(game) == ("hollin", 0, 0, 1)
    assert where(game, "gimli") == "eliminated" and where(game, "strider") == "in-fellowship"


@pytest.mark.parametrize("name", TILE_DRAWS)
def test_sh_char_05_sh_char_06_sh_char_07_RG32_R11_2_1_legal_on_the_mordor_track(name):
    game = event(holding(name).fellowship(mordor_step=2), name, tile("tile-0-r-1"))
    assert is_over(game, name) and fellowship(game)[2:] == (1, 0) and game.state.mordor_step == 2


@pytest.mark.parametrize("name", TILE_DRAWS)
def test_sh_char_05_sh_char_06_sh_char_07_an_eye_has_no_effect(name):
    game = event(holding(name), name, tile(EYE))
    assert is_over(game, name) and fellowship(game) == ("hollin", 0, 0, 0)


# --- sh-char-08, Candles of Corpses. ---


def test_sh_char_08_candles_of_corpses_each_4_or_more():
    game = event(holding(CANDLES).fellowship(corruption=2), CANDLES, 3, 4, 6)
    assert is_over(game, CANDLES) and fellowship(game) == ("hollin", 0, 0, 4)
    game = event(holding(CANDLES), CANDLES, 1, 2, 3)
    assert is_over(game, CANDLES) and fellowship(game) == ("hollin", 0, 0, 0)


def test_sh_char_08_candles_of_corpses_gollum_only_each_6():
    game = event(holding(CANDLES).fellowship("hollin", companions=[]), CANDLES, 5, 6, 4)
    assert is_over(game, CANDLES) and game.state.corruption == 1


def test_sh_char_08_candles_of_corpses_on_the_mordor_track():
    game = event(holding(CANDLES).fellowship(mordor_step=3), CANDLES, 4, 4, 4)
    assert is_over(game, CANDLES) and game.state.corruption == 3 and game.state.mordor_step == 3


def test_sh_char_08_R9_2_1_corruption_12_ends_the_game():
    game = event(holding(CANDLES).fellowship(corruption=10), CANDLES, 6, 6, 6)
    assert game.state.winner == Winner.SHADOW and game.state.corruption == 12


# --- sh-char-09, Nazgul Search. ---

SEARCH, WEATHER, STRIKE = "sh-char-09", "sh-char-10", "sh-char-11"


@pytest.mark.parametrize("name", [SEARCH, WEATHER, STRIKE])
def test_sh_char_09_sh_char_10_sh_char_11_R6_4_1_R11_2_1_needs_progress_off_the_mordor_track(name):
    def position() -> Position:
        return holding(name).army("barad-dur", nazgul=1)

    assert not offered(position())
    assert not offered(position().fellowship(revealed=True))
    assert not offered(position().fellowship(mordor_step=1, progress=3))
    assert offered(position().fellowship(progress=1))


def test_sh_char_09_nazgul_search_moves_any_and_reveals():
    position = holding(SEARCH).fellowship(progress=1).army("barad-dur", nazgul=2)
    position.place("witch-king", "angmar").place("mouth-of-sauron", "morannon").place("saruman", "orthanc")
    game = event(position, SEARCH)
    assert legal(game) == {"region:barad-dur", "character:witch-king", "verb:done"}  # no Minion but him
    play(game, "region:barad-dur")
    assert legal_block(game, "region") == set(REGION_IDS) - FREE_STRONGHOLDS - {"barad-dur"}
    play(game, "region:hollin")
    assert legal(game) == {"region:barad-dur", "character:witch-king", "verb:done"}
    play(game, "verb:done")
    assert game.decision == Decision.REVEAL_REGION and game.side == FP
    near = {"hollin", "fords-of-bruinen", "moria", "north-dunland", "south-downs", "trollshaws"}
    assert legal(game) == {f"region:{name}" for name in near}
    play(game, "region:trollshaws")
    assert is_over(game, SEARCH) and fellowship(game) == ("trollshaws", 0, 1, 0)
    assert figures_at(game, "hollin") == figures_at(game, "barad-dur") == {"nazgul": 1}


def test_sh_char_09_RG15_R9_6_4_revealed_in_moria_a_tile_is_drawn():
    position = holding(SEARCH).fellowship("hollin", progress=1).place("witch-king", "angmar")
    game = event(position, SEARCH, tile("tile-3-1"))
    play(game, "character:witch-king", "region:hollin", "region:moria")
    assert game.decision == Decision.HUNT_DAMAGE
    play(game, "verb:take-corruption")
    assert is_over(game, SEARCH) and fellowship(game) == ("moria", 0, 1, 3)
    assert where(game, "witch-king") == "hollin"


def test_sh_char_09_a_nazgul_that_is_there_already_need_not_move():
    position = holding(SEARCH).fellowship("hollin", progress=2).army("hollin", nazgul=1)
    game = play(event(position, SEARCH), "verb:done", "region:hollin")
    assert is_over(game, SEARCH) and fellowship(game) == ("hollin", 0, 1, 0)


def test_sh_char_09_a_nazgul_that_leaves_does_not_find_it():
    position = holding(SEARCH).fellowship("hollin", progress=2).army("hollin", nazgul=1)
    game = play(event(position, SEARCH), "region:hollin", "region:moria")
    assert is_over(game, SEARCH) and fellowship(game) == ("hollin", 2, 0, 0)


def test_sh_char_09_RG14_the_move_alone_out_of_reach_of_the_figure():
    position = holding(SEARCH).fellowship("lorien", progress=2).army("barad-dur", nazgul=1)
    game = play(event(position, SEARCH), "region:barad-dur")
    assert "region:lorien" not in legal(game)
    play(game, "region:dale")
    assert is_over(game, SEARCH) and fellowship(game) == ("lorien", 2, 0, 0)


def test_sh_char_09_R7_7_2_they_may_join_the_siege_where_the_figure_stands():
    position = holding(SEARCH).fellowship("lorien", progress=1).army("barad-dur", nazgul=1)
    position.army("lorien", elves=1, sauron=1)
    game = play(event(position, SEARCH), "region:barad-dur", "region:lorien")
    assert legal_block(game, "region") == {"dimrill-dale", "parth-celebrant"}


def test_sh_char_09_22_4_the_move_may_be_empty_and_R6_4_4_without_nazgul_it_is_not_offered():
    game = play(event(holding(SEARCH).fellowship(progress=1).army("dale", nazgul=1), SEARCH), "verb:done")
    assert is_over(game, SEARCH) and fellowship(game) == ("hollin", 1, 0, 0)
    assert not offered(holding(SEARCH).fellowship(progress=1))
    game = event(holding(SEARCH, null_events=True).fellowship(progress=1), SEARCH)
    assert is_over(game, SEARCH) and fellowship(game) == ("hollin", 1, 0, 0)


# --- sh-char-10, Cruel Weather. ---


def test_sh_char_10_cruel_weather_moves_only_the_figure():
    game = event(holding(WEATHER).fellowship(progress=3, corruption=2), WEATHER)
    near = {"fords-of-bruinen", "moria", "north-dunland", "south-downs", "trollshaws"}
    assert game.side == SH and legal(game) == {f"region:{name}" for name in near}
    play(game, "region:moria")
    assert is_over(game, WEATHER) and fellowship(game) == ("moria", 3, 0, 2)


def test_sh_char_10_22_4_no_declaration_nothing_healed_activated_or_lapsed():
    position = holding(WEATHER).fellowship("westemnet", progress=1, corruption=2).table(WORN, CREBAIN)
    game = play(event(position, WEATHER), "region:helms-deep")
    assert is_over(game, WEATHER) and fellowship(game) == ("helms-deep", 1, 0, 2)
    assert game.state.active[nation("rohan")] == 0
    assert zone(game, WORN) == zone(game, CREBAIN) == CardZone.TABLE


def test_sh_char_10_R9_5_8_never_past_the_gates():
    game = event(holding(WEATHER).fellowship("minas-morgul", progress=1), WEATHER)
    assert legal_block(game, "region") == {"north-ithilien", "south-ithilien"}
    game = play(event(holding(WEATHER).fellowship("dagorlad", progress=1), WEATHER), "region:morannon")
    assert is_over(game, WEATHER) and fellowship(game)[0] == "morannon" and game.state.mordor_step == 0


# --- sh-char-11, The Nazgul Strike! ---


def striking(*table: str, **options) -> Position:
    position = holding(STRIKE, **options).table(*table).fellowship("hollin", progress=1)
    return position.army("barad-dur", nazgul=1).hunt_box(0, 1)


def test_sh_char_11_the_nazgul_strike_drops_a_character_card_of_the_table():
    game = event(striking(COAT, HORN, "fp-strat-02", CREBAIN), STRIKE)
    assert legal(game) == {"region:barad-dur", "verb:done"}
    play(game, "region:barad-dur", "region:hollin")
    assert game.side == SH and game.decision == Decision.EVENT_OPTION
    assert legal(game) == {f"card:{COAT}", f"card:{HORN}", "verb:hunt-roll", "verb:decline"}
    play(game, f"card:{HORN}")
    assert is_over(game, STRIKE) and zone(game, HORN) == CardZone.DISCARD
    assert zone(game, COAT) == zone(game, CREBAIN) == zone(game, "fp-strat-02") == CardZone.TABLE
    assert fellowship(game) == ("hollin", 1, 0, 0)


def test_sh_char_11_R10_2_1_the_nazgul_strike_makes_a_hunt_roll_without_a_move():
    game = event(striking(), STRIKE, 5, 6, tile("tile-2-r-1"))
    play(game, "region:barad-dur", "region:hollin")
    assert legal(game) == {"verb:hunt-roll", "verb:decline"}
    play(game, "verb:hunt-roll")  # 5 fails; the Nazgul's re-roll succeeds
    assert game.decision == Decision.HUNT_DAMAGE
    play(game, "verb:take-corruption")
    assert game.decision == Decision.REVEAL_REGION
    play(game, "region:hollin")
    assert is_over(game, STRIKE) and fellowship(game) == ("hollin", 0, 1, 2)
    assert game.state.hunt_box.tolist() == [0, 1] and game.state.move_attempted == 0


def test_sh_char_11_R10_2_1_an_eye_counts_the_successes_of_the_roll():
    game = event(striking().hunt_box(0, 3), STRIKE, 6, 6, 1, 2, tile(EYE))
    play(game, "region:barad-dur", "region:hollin", "verb:hunt-roll")
    assert game.decision == Decision.HUNT_DAMAGE and game.state.hunt_damage == 2


def test_sh_char_11_R10_3_3_R10_3_5_no_dice_no_roll_and_flocks_of_crebain_may_help():
    game = event(striking(CREBAIN).hunt_box(0, 0), STRIKE)
    play(game, "region:barad-dur", "region:hollin", "verb:hunt-roll")
    assert is_over(game, STRIKE) and zone(game, CREBAIN) == CardZone.TABLE
    game = event(striking(CREBAIN), STRIKE, 5, tile("tile-1-1"))
    play(game, "region:barad-dur", "region:hollin", "verb:hunt-roll")
    assert game.decision == Decision.FLOCKS_OF_CREBAIN and legal(game) == YES_OR_NO
    play(game, "verb:accept", "verb:take-corruption")
    assert is_over(game, STRIKE) and fellowship(game) == ("hollin", 1, 0, 1)


def test_sh_char_11_neither_or_no_nazgul_there():
    game = play(event(striking(COAT), STRIKE), "region:barad-dur", "region:hollin", "verb:decline")
    assert is_over(game, STRIKE) and zone(game, COAT) == CardZone.TABLE
    game = play(event(striking(COAT), STRIKE), "region:barad-dur", "region:moria")
    assert is_over(game, STRIKE) and zone(game, COAT) == CardZone.TABLE
    game = play(event(striking(COAT), STRIKE), "verb:done")
    assert is_over(game, STRIKE)


def test_sh_char_11_the_witch_king_is_a_nazgul():
    position = holding(STRIKE).fellowship("hollin", progress=1).place("witch-king", "hollin")
    game = play(event(position, STRIKE), "verb:done")
    assert legal(game) == {"verb:hunt-roll", "verb:decline"}


# --- sh-char-12, Morgul Wound. ---

WOUND, LURE, BREAKING = "sh-char-12", "sh-char-13", "sh-char-14"


@pytest.mark.parametrize("name", [WOUND, LURE, BREAKING])
def test_sh_char_12_sh_char_13_sh_char_14_R6_4_1_only_while_revealed(name):
    assert not offered(holding(name))
    assert not offered(holding(name).fellowship(progress=2))
    assert offered(holding(name).fellowship(revealed=True))
    assert offered(holding(name).fellowship(revealed=True, mordor_step=1))


@pytest.mark.parametrize(("before", "after"), [(0, 2), (3, 5), (4, 5), (10, 11)])
def test_sh_char_12_morgul_wound(before, after):
    game = event(holding(WOUND).fellowship(revealed=True, corruption=before), WOUND)
    assert is_over(game, WOUND) and fellowship(game) == ("hollin", 0, 1, after)


def test_sh_char_12_R9_2_1_morgul_wound_may_end_the_game():
    game = event(holding(WOUND).fellowship(revealed=True, corruption=11), WOUND)
    assert game.state.winner == Winner.SHADOW


# --- sh-char-13, Lure of the Ring. ---


def luring(*companions: str, **fellowship) -> Position:
    return holding(LURE).fellowship("hollin", revealed=True, companions=companions, **fellowship)


@pytest.mark.parametrize(
    ("name", "level"), [("gandalf-grey", 3), ("legolas", 2), ("boromir", 2), ("peregrin", 1)]
)
def test_sh_char_13_lure_of_the_ring_corruption_by_the_level(name, level):
    game = event(luring("gandalf-grey", "legolas", "boromir", "peregrin"), LURE, character(name))
    assert game.side == FP and legal(game) == {f"character:{name}", "verb:take-corruption"}
    play(game, "verb:take-corruption")
    assert is_over(game, LURE) and game.state.corruption == level and where(game, name) == "in-fellowship"


def test_sh_char_13_lure_of_the_ring_or_the_companion_and_a_new_guide():
    game = event(luring("strider", "legolas", "boromir"), LURE, character("strider"))
    play(game, "character:strider")
    assert where(game, "strider") == "eliminated" and game.state.corruption == 0
    assert game.decision == Decision.CHOOSE_GUIDE
    assert legal(game) == {"character:legolas", "character:boromir"}
    assert is_over(play(game, "character:boromir"), LURE) and game.state.guide == character("boromir")


def test_sh_char_13_R14_6_a_hobbit_may_be_taken_alive():
    game = play(event(luring("strider", "peregrin"), LURE, character("peregrin")), "character:peregrin")
    assert game.decision == Decision.TAKE_THEM_ALIVE and game.side == FP


def test_sh_char_13_worn_with_sorrow_asks_only_after_a_hunt():
    position = luring("strider", "boromir").table(WORN, HORN, COAT)
    game = play(event(position, LURE, character("boromir")), "character:boromir")
    assert is_over(game, LURE) and zone(game, COAT) == CardZone.TABLE
    assert zone(game, HORN) == CardZone.DISCARD  # Boromir left (R6.5.4)


def test_sh_char_13_gollum_1_corruption_instead_and_last_companion_brings_gollum():
    game = event(luring(), LURE)
    assert is_over(game, LURE) and game.state.corruption == 1
    game = play(event(luring("gimli"), LURE, character("gimli")), "character:gimli")
    assert is_over(game, LURE) and game.state.guide == character("gollum") and game.state.corruption == 0


def test_sh_char_13_R11_3_1_on_the_mordor_track_he_can_be_eliminated():
    position = luring("strider", "peregrin").fellowship(mordor_step=2, revealed=True)
    game = play(event(position, LURE, character("peregrin")), "character:peregrin")
    assert is_over(game, LURE) and where(game, "peregrin") == "eliminated"  # not taken alive there
