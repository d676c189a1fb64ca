"""Events of the Shadow's Character deck: The Breaking of the Fellowship, table cards, dice, hits (22.2-22.4).

sh-char-14 to 19, 21 and 22; what the table cards 15 to 17, 21 and 22 do later is in ``test_table_cards``.
"""

from __future__ import annotations

import pytest

from tests.positions import (
    Position,
    card,
    character,
    figures_at,
    legal,
    nation,
    only_acting_cards,
    play,
    region,
    tile,
    where,
)
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side, TileZone
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
COAT, STAFF = "fp-char-05", "fp-char-08"
YES_OR_NO = {"verb:accept", "verb:decline"}


def holding(name: str, dice: str = "character", **options) -> Position:
    """The Shadow acts with the dice and holds the card."""
    position = Position(only_acting_cards(**options)).hand(SH, name)
    return position.dice("event event event", dice, acting=SH)


def offered(position: Position) -> bool:
    return "plan:play-card" in legal(play(position.game(), "face:character"))


def event(position: Position, name: str, *tape: int, die: str = "character") -> Game:
    game = play(position.game(*tape), f"face:{die}", "plan:play-card")
    assert legal(game) == {f"card:{name}"}
    return play(game, f"card:{name}")


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


def finished(game: Game) -> bool:
    return game.state.tape_length == 0 and game.decision == Decision.ACTION_DIE and game.side == FP


def is_over(game: Game, name: str) -> bool:
    """The card is in the public discards, the tape is used up and the Free Peoples act."""
    return zone(game, name) == CardZone.DISCARD and finished(game)


# --- sh-char-14, The Breaking of the Fellowship. ---

BREAKING = "sh-char-14"


def breaking(*companions: str, place: str = "hollin", **fellowship) -> Position:
    return holding(BREAKING).fellowship(place, revealed=True, companions=companions, **fellowship)


def people(*names: str) -> set[str]:
    return {f"character:{name}" for name in names}


def test_sh_char_14_the_breaking_of_the_fellowship_leaves_as_many_behind():
    position = breaking("strider", "boromir", "gimli", "peregrin", corruption=2)
    game = event(position, BREAKING, tile("tile-2-1"))
    assert game.side == FP and legal(game) == people("strider", "boromir", "gimli", "peregrin")
    play(game, "character:gimli")
    assert legal(game) == people("strider", "boromir", "peregrin")
    play(game, "character:boromir")
    assert is_over(game, BREAKING) and game.state.corruption == 2 and game.state.revealed == 1
    assert where(game, "gimli") == where(game, "boromir") == "hollin"
    assert where(game, "strider") == where(game, "peregrin") == "in-fellowship"
    assert game.state.guide == character("strider")
    assert game.state.tile_zone[tile("tile-2-1")] == TileZone.DRAWN


def test_sh_char_14_R9_8_4_a_new_guide_when_he_is_left_behind():
    game = event(breaking("strider", "boromir", "gimli"), BREAKING, tile("tile-1-1"))
    play(game, "character:strider")
    assert game.decision == Decision.CHOOSE_GUIDE and legal(game) == people("boromir", "gimli")
    assert is_over(play(game, "character:gimli"), BREAKING) and game.state.guide == character("gimli")


def test_sh_char_14_R9_3_2_the_guide_is_chosen_again_when_another_is_left_behind():
    position = breaking("strider", "gandalf-grey", "gimli", guide="strider")
    game = play(event(position, BREAKING, tile("tile-1-1")), "character:gimli")
    assert game.decision == Decision.CHOOSE_GUIDE and legal(game) == people("strider", "gandalf-grey")


def test_sh_char_14_all_of_them_if_there_are_fewer():
    game = event(breaking("strider", "boromir"), BREAKING, tile("tile-3-1"))
    play(game, "character:strider", "character:boromir")
    assert is_over(game, BREAKING) and game.state.guide == character("gollum")
    assert where(game, "strider") == where(game, "boromir") == "hollin"


@pytest.mark.parametrize("drawn", ["tile-eye-r-1", "tile-fp-1", "tile-fp-3", "tile-sh-2"])
def test_sh_char_14_an_eye_or_a_blue_tile_has_no_effect(drawn):
    position = breaking("strider", "boromir", corruption=3).pool(drawn, "tile-3-1")
    game = event(position, BREAKING, tile(drawn))
    assert is_over(game, BREAKING) and game.state.corruption == 3
    assert game.state.tile_zone[tile(drawn)] == TileZone.DRAWN


def test_sh_char_14_tile_0_the_die_and_the_icons():
    game = event(breaking("strider", "boromir"), BREAKING, tile("tile-0-r-1"))
    assert is_over(game, BREAKING) and where(game, "strider") == "in-fellowship"
    position = breaking("strider", "boromir", "gimli").pool("tile-sh-1")
    game = play(event(position, BREAKING, tile("tile-sh-1"), 2), "character:boromir", "character:gimli")
    assert is_over(game, BREAKING) and game.state.corruption == 0


def test_sh_char_14_gollum_1_corruption_instead_of_drawing():
    game = event(breaking(), BREAKING)
    assert is_over(game, BREAKING) and game.state.corruption == 1
    assert TileZone.DRAWN not in game.state.tile_zone


def test_sh_char_14_R9_8_3_staying_behind_is_an_entry_that_activates():
    position = breaking("boromir", "gimli", place="minas-tirith")
    game = play(event(position, BREAKING, tile("tile-1-1")), "character:boromir")
    assert is_over(game, BREAKING) and where(game, "boromir") == "minas-tirith"
    assert game.state.active[nation("gondor")] == 1
    game = play(event(breaking("boromir", "gimli"), BREAKING, tile("tile-1-1")), "character:gimli")
    assert game.state.active[nation("gondor")] == game.state.active[nation("dwarves")] == 0


def test_sh_char_14_R11_3_1_R10_2_2_on_the_mordor_track_they_are_eliminated():
    position = breaking("strider", "boromir", "peregrin").fellowship(mordor_step=2, revealed=True)
    game = event(position.pool("tile-sh-3"), BREAKING, tile("tile-sh-3"))
    play(game, "character:boromir", "character:peregrin", "character:strider")
    assert is_over(game, BREAKING)
    assert where(game, "boromir") == where(game, "peregrin") == where(game, "strider") == "eliminated"
    assert game.state.guide == character("gollum") and game.state.mordor_step == 2


def test_sh_char_14_22_4_wizards_staff_and_mithril_coat_work_on_it():
    position = breaking("gandalf-grey", "boromir", "gimli").table(STAFF, COAT)
    game = event(position, BREAKING)
    assert game.decision == Decision.WIZARDS_STAFF and legal(game) == YES_OR_NO
    assert is_over(play(game, "verb:accept"), BREAKING) and TileZone.DRAWN not in game.state.tile_zone
    position = breaking("gandalf-grey", "boromir", "gimli").table(STAFF, COAT)
    game = play(event(position, BREAKING, tile("tile-3-1"), tile("tile-1-1")), "verb:decline")
    assert game.decision == Decision.MITHRIL_COAT and legal(game) == YES_OR_NO
    play(game, "verb:accept", "character:boromir")
    assert is_over(game, BREAKING) and where(game, "boromir") == "hollin"
    assert game.state.tile_zone[tile("tile-3-1")] == TileZone.POOL and zone(game, COAT) == CardZone.DISCARD


def test_sh_char_14_22_4_there_is_no_damage_to_lower():
    position = breaking("boromir", "gimli").table("fp-char-06", "fp-char-07")
    game = event(position, BREAKING, tile("tile-1-1"))
    assert game.decision == Decision.EVENT_CHARACTER
    assert is_over(play(game, "character:boromir"), BREAKING)
    assert zone(game, "fp-char-06") == CardZone.TABLE and zone(game, "fp-char-07") == CardZone.DISCARD


# --- sh-char-15, 16, 17, 21, 22: to the table. ---


@pytest.mark.parametrize("name", ["sh-char-15", "sh-char-16", "sh-char-17"])
def test_sh_char_15_sh_char_16_sh_char_17_R6_5_1_stay_on_the_table(name):
    game = event(holding(name), name)
    assert finished(game) and zone(game, name) == CardZone.TABLE
    assert game.state.dice_used[SH] >= 1 and game.state.dice[SH].sum() == 0


@pytest.mark.parametrize("name", ["sh-char-21", "sh-char-22"])
def test_sh_char_21_sh_char_22_R6_4_1_R6_5_1_saruman_must_be_in_play(name):
    assert not offered(holding(name)) and not offered(holding(name).place("saruman", "eliminated"))
    game = event(holding(name).place("saruman", "orthanc"), name)
    assert finished(game) and zone(game, name) == CardZone.TABLE


def test_sh_char_21_22_4_the_palantirs_own_play_gives_no_draw():
    position = holding("sh-char-21", "event event").place("saruman", "orthanc").hand(SH, "sh-char-16")
    game = play(position.game(), "face:event", "plan:play-card", "card:sh-char-21")
    assert finished(game) and zone(game, "sh-char-21") == CardZone.TABLE
    play(game, "face:event", "plan:skip", "face:event", "plan:play-card", "card:sh-char-16")
    assert game.decision == Decision.PALANTIR_DRAW and game.side == SH


# --- sh-char-18, The Lidless Eye. ---

LIDLESS, SPELLS = "sh-char-18", "sh-char-19"


def test_sh_char_18_the_lidless_eye_turns_up_to_three_dice():
    position = holding(LIDLESS, "character army army muster event eye")
    game = event(position, LIDLESS)
    assert game.side == SH and legal(game) == {"face:army", "face:muster", "face:event"}
    play(game, "face:army")
    assert game.state.hunt_box.tolist() == [0, 2]
    assert legal(game) == {"face:army", "face:muster", "face:event", "verb:done"}
    play(game, "face:army")
    assert legal(game) == {"face:muster", "face:event", "verb:done"}
    play(game, "face:event")
    assert is_over(game, LIDLESS) and game.state.hunt_box.tolist() == [0, 4]
    assert game.state.dice[SH].tolist() == [0, 0, 1, 0, 0, 0, 0] and game.state.dice_used[SH] == 2


def test_sh_char_18_the_lidless_eye_may_stop_sooner_or_run_out_of_dice():
    game = play(event(holding(LIDLESS, "character army army"), LIDLESS), "face:army", "verb:done")
    assert is_over(game, LIDLESS) and game.state.hunt_box.tolist() == [0, 1]
    game = play(event(holding(LIDLESS, "character army army"), LIDLESS), "face:army", "face:army")
    assert is_over(game, LIDLESS) and game.state.hunt_box.tolist() == [0, 2]


def test_sh_char_18_R6_4_4_not_with_the_last_die():
    assert not offered(holding(LIDLESS))
    assert is_over(event(holding(LIDLESS, null_events=True), LIDLESS), LIDLESS)


# --- sh-char-19, Dreadful Spells. ---


def spells() -> Position:
    """Nazgul in Minas Morgul next to an army in South Ithilien; nobody is At War."""
    position = holding(SPELLS).army("minas-morgul", sauron=1, nazgul=3)
    return position.army("south-ithilien", gondor=2, gondor_elite=1, gondor_leader=1)


def test_sh_char_19_R6_4_6_R6_4_3_dreadful_spells_hits_by_the_nazgul_and_the_owner_distributes():
    game = event(spells(), SPELLS, 5, 4, 6)
    assert game.side == SH and legal(game) == {"region:south-ithilien"}
    play(game, "region:south-ithilien")
    assert legal(game) == {"region:minas-morgul"}
    play(game, "region:minas-morgul")
    assert game.side == FP and game.decision == Decision.CASUALTY
    assert legal(game) == {"figure:gondor-regular", "figure:gondor-elite", "nation:gondor"}
    play(game, "figure:gondor-regular", "nation:gondor")
    assert is_over(game, SPELLS)
    assert figures_at(game, "south-ithilien") == {"gondor": 2, "gondor_leader": 1}
    assert figures_at(game, "minas-morgul") == {"sauron": 1, "nazgul": 3}
    assert (game.state.steps_to_war[nation("gondor")], game.state.active[nation("gondor")]) == (2, 0)


def test_sh_char_19_no_hit():
    game = play(event(spells(), SPELLS, 4, 4, 1), "region:south-ithilien", "region:minas-morgul")
    assert is_over(game, SPELLS)
    assert figures_at(game, "south-ithilien") == {"gondor": 2, "gondor_elite": 1, "gondor_leader": 1}


def test_sh_char_19_at_most_five_dice_the_witch_king_one_of_them():
    position = holding(SPELLS).army("minas-morgul", sauron=1, nazgul=1).place("witch-king", "minas-morgul")
    position.army("south-ithilien", gondor=4)
    game = play(event(position, SPELLS, 5, 5), "region:south-ithilien", "region:minas-morgul")
    play(game, "figure:gondor-regular", "figure:gondor-regular")
    assert is_over(game, SPELLS) and figures_at(game, "south-ithilien") == {"gondor": 2}
    position = holding(SPELLS).army("minas-morgul", sauron=1, nazgul=7).place("witch-king", "minas-morgul")
    game = event(position.army("south-ithilien", gondor=8), SPELLS, 5, 5, 5, 5, 5)
    play(game, "region:south-ithilien", "region:minas-morgul", *["figure:gondor-regular"] * 5)
    assert is_over(game, SPELLS) and figures_at(game, "south-ithilien") == {"gondor": 3}


def test_sh_char_19_RG12_the_pair_is_chosen():
    position = spells().army("north-ithilien", gondor=1).army("dagorlad", isengard=1, nazgul=1)
    position.army("osgiliath", gondor=1)  # next to no army with a Nazgul
    game = event(position, SPELLS, 6)
    assert legal(game) == {"region:south-ithilien", "region:north-ithilien"}
    play(game, "region:north-ithilien")
    assert legal(game) == {"region:minas-morgul", "region:dagorlad"}
    play(game, "region:dagorlad", "figure:gondor-regular")
    assert is_over(game, SPELLS) and figures_at(game, "north-ithilien") == {}


def test_sh_char_19_R6_4_1_both_must_be_armies_and_near():
    assert not offered(holding(SPELLS).army("minas-morgul", nazgul=3).army("south-ithilien", gondor=1))
    assert not offered(holding(SPELLS).army("minas-morgul", sauron=3).army("south-ithilien", gondor=1))
    far = holding(SPELLS).army("minas-morgul", sauron=1, nazgul=3).army("osgiliath", gondor=1)
    assert not offered(far)
    alone = holding(SPELLS).army("minas-morgul", sauron=1, nazgul=1).place("boromir", "south-ithilien")
    assert not offered(alone)


@pytest.mark.parametrize(("spare", "fate"), [(False, "eliminated"), (True, "south-ithilien")])
def test_sh_char_19_RG10_R6_4_10_a_destroyed_army_option_card_hits_spare_characters(spare, fate):
    position = holding(SPELLS, card_hits_spare_characters=spare).army("minas-morgul", sauron=1, nazgul=3)
    position.army("south-ithilien", gondor=1, gondor_leader=2).place("boromir", "south-ithilien")
    game = play(event(position, SPELLS, 5, 6, 5), "region:south-ithilien", "region:minas-morgul")
    play(game, "figure:gondor-regular")  # the other hits are lost
    assert is_over(game, SPELLS) and figures_at(game, "south-ithilien") == {}
    assert game.state.casualty_leader[nation("gondor")] == 2 and where(game, "boromir") == fate
    assert figures_at(game, "minas-morgul") == {"sauron": 1, "nazgul": 3}  # no advance


@pytest.mark.parametrize(("spare", "fate"), [(False, "eliminated"), (True, "minas-tirith")])
def test_sh_char_19_RG11_R6_4_10_a_garrison_may_be_hit_and_its_stronghold_falls(spare, fate):
    position = holding(SPELLS, card_hits_spare_characters=spare)
    position.army("minas-tirith", gondor=1, sauron=1, nazgul=1)
    position.place("boromir", "minas-tirith")
    game = event(position, SPELLS, 5)
    assert legal(game) == {"region:minas-tirith"}
    play(game, "region:minas-tirith", "region:minas-tirith", "figure:gondor-regular")
    assert is_over(game, SPELLS) and figures_at(game, "minas-tirith") == {"sauron": 1, "nazgul": 1}
    assert game.state.control[SETTLEMENT_INDEX[region("minas-tirith")]] == SH
    assert where(game, "boromir") == fate
    gondor = nation("gondor")  # advances by the loss of its Stronghold (R8.3 d), passive as before
    assert (game.state.steps_to_war[gondor], game.state.active[gondor]) == (1, 0)


def test_sh_char_19_22_4_a_besieged_shadow_garrison_may_cast_them():
    position = holding(SPELLS).army("minas-morgul", gondor=2, sauron=1, nazgul=2)
    game = play(event(position, SPELLS, 5, 1), "region:minas-morgul", "region:minas-morgul")
    assert is_over(play(game, "figure:gondor-regular"), SPELLS)
    assert figures_at(game, "minas-morgul") == {"gondor": 1, "sauron": 1, "nazgul": 2}


def test_sh_char_19_22_4_an_army_next_to_a_siege_may_hit_the_garrison():
    position = holding(SPELLS).army("minas-tirith", gondor=2, sauron=1).army("osgiliath", sauron=1, nazgul=1)
    game = play(event(position, SPELLS, 6), "region:minas-tirith")
    assert legal(game) == {"region:osgiliath"}
    play(game, "region:osgiliath", "figure:gondor-regular")
    assert figures_at(game, "minas-tirith") == {"gondor": 1, "sauron": 1}
