"""Army movement and what entering a region causes (R7.5)."""

from __future__ import annotations

import pytest

from tests.positions import Position, character, figures_at, legal, legal_block, nation, play, region
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Side
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX

SHADOW = Side.SHADOW
FREE_PEOPLES = Side.FREE_PEOPLES


def moves(position: Position, face: str = "army", side: Side = FREE_PEOPLES) -> Game:
    """The position with a die spent on moving armies; both sides have another such die."""
    own = f"{face} {face}"
    dice = (own, "event") if side == FREE_PEOPLES else ("event", own)
    return play(position.dice(*dice, acting=side).game(), f"face:{face}", "plan:move-armies")


def action_is_over(game: Game) -> bool:
    return game.decision == Decision.ACTION_DIE


def control(game: Game, place: str) -> int:
    return int(game.state.control[SETTLEMENT_INDEX[region(place)]])


def is_at(game: Game, name: str, place: str) -> bool:
    return int(game.state.location[character(name)]) == region(place)


# --- Which armies, which figures (R7.5.1-R7.5.6). ---


def three_armies() -> Position:
    position = Position().at_war("north").army("bree", north=2).army("carrock", north=2)
    return position.army("dale", north=1, north_leader=1)


def test_R7_5_1_an_army_result_moves_two_armies_one_region_each():
    game = moves(three_armies())
    assert legal(game) == {"region:bree", "region:carrock", "region:dale"}
    play(game, "region:bree", "region:south-downs", "verb:whole-army")
    assert legal(game) == {"region:carrock", "region:dale", "verb:done"}
    play(game, "region:carrock")
    assert legal_block(game, "region") == {
        "eagles-eyrie",
        "northern-mirkwood",
        "old-ford",
        "old-forest-road",
        "rhosgobel",
        "western-mirkwood",
    }
    play(game, "region:rhosgobel", "verb:whole-army")
    assert action_is_over(game) and game.side == SHADOW
    assert figures_at(game, "south-downs") == figures_at(game, "rhosgobel") == {"north": 2}


def test_R7_5_1_the_second_army_may_stay():
    game = moves(three_armies())
    play(game, "region:bree", "region:south-downs", "verb:whole-army", "verb:done")
    assert action_is_over(game) and game.side == SHADOW


def test_R7_5_1_R7_5_5_a_character_result_moves_one_army_with_a_leader():
    game = moves(three_armies(), "character")
    assert legal(game) == {"region:dale"}
    play(game, "region:dale", "region:woodland-realm", "verb:whole-army")
    assert action_is_over(game) and game.side == SHADOW


@pytest.mark.parametrize(
    ("side", "face", "movable"),
    [
        (FREE_PEOPLES, "muster", False),
        (FREE_PEOPLES, "event", False),
        (FREE_PEOPLES, "character", True),
        (FREE_PEOPLES, "army_muster", True),
        (FREE_PEOPLES, "will", True),
        (SHADOW, "muster", False),
        (SHADOW, "character", True),
        (SHADOW, "army", True),
    ],
)
def test_R7_5_1_the_results_that_move_armies(side, face, movable):
    position = Position().army("dale", north=1, north_leader=1).army("moria", sauron=1, nazgul=1)
    game = position.dice(face, face, acting=side).game() if face != "will" else position.dice(face).game()
    play(game, f"face:{face.replace('_', '-')}")
    assert ("plan:move-armies" in legal(game)) == movable


def test_R7_5_2_origin_destination_and_figures():
    game = moves(Position().at_war("north", "dwarves").army("dale", north=2, dwarves_elite=1, north_leader=1))
    play(game, "region:dale")
    assert legal_block(game, "region") == {
        "erebor",
        "iron-hills",
        "northern-rhovanion",
        "old-forest-road",
        "vale-of-the-carnen",
        "withered-heath",
        "woodland-realm",
    }
    play(game, "region:erebor")
    assert legal(game) == {
        "figure:north-regular",
        "figure:north-leader",
        "figure:dwarves-elite",
        "verb:whole-army",
    }
    play(game, "figure:dwarves-elite")
    assert legal(game) == {"figure:north-regular", "figure:north-leader", "verb:done"}
    play(game, "figure:north-leader", "verb:done")
    assert figures_at(game, "dale") == {"north": 2}
    assert figures_at(game, "erebor") == {"dwarves_elite": 1, "north_leader": 1}


def test_R7_5_3_a_move_set_needs_a_unit():
    position = Position().at_war("sauron").army("dagorlad", sauron=2, nazgul=1)
    game = moves(position.place("witch-king", "dagorlad"), side=SHADOW)
    play(game, "region:dagorlad", "region:noman-lands", "figure:sauron-nazgul", "character:witch-king")
    assert legal(game) == {"figure:sauron-regular"}
    play(game, "figure:sauron-regular", "verb:done")
    assert figures_at(game, "dagorlad") == {"sauron": 1}
    assert figures_at(game, "noman-lands") == {"sauron": 1, "nazgul": 1}


def army_of_three() -> Position:
    return Position().at_war("north").army("dale", north=3, north_leader=1)


def test_GX37_R7_5_5_a_split_by_a_character_result_takes_the_leader():
    game = moves(army_of_three(), "character")
    play(game, "region:dale", "region:erebor", "figure:north-regular", "figure:north-regular")
    assert legal(game) == {"figure:north-regular", "figure:north-leader"}
    play(game, "figure:north-leader", "verb:done")
    assert figures_at(game, "dale") == {"north": 1}
    assert figures_at(game, "erebor") == {"north": 2, "north_leader": 1}


def test_GX37_R7_5_4_a_split_by_an_army_result_may_leave_the_leader():
    game = moves(army_of_three())
    play(game, "region:dale", "region:erebor", "figure:north-regular", "figure:north-regular", "verb:done")
    assert figures_at(game, "dale") == {"north": 1, "north_leader": 1}
    assert figures_at(game, "erebor") == {"north": 2}


@pytest.mark.parametrize("face", ["army", "character"])
def test_R7_5_4_all_leaders_go_if_no_unit_stays(face):
    game = moves(army_of_three().at_war("gondor").army("dale", gondor_leader=1), face)
    play(game, "region:dale", "region:erebor", *["figure:north-regular"] * 3)
    assert legal(game) == {"verb:done"}
    play(game, "verb:done")
    assert figures_at(game, "dale") == {}
    assert figures_at(game, "erebor") == {"north": 3, "north_leader": 1, "gondor_leader": 1}


def test_R7_5_4_characters_and_nazgul_may_stay_without_a_unit():
    position = Position().at_war("north").army("dale", north=1)
    position.fellowship(companions=["strider"]).place("gimli", "dale").place("legolas", "dale")
    game = moves(position)
    play(game, "region:dale", "region:erebor", "figure:north-regular", "character:gimli", "verb:done")
    assert is_at(game, "legolas", "dale") and is_at(game, "gimli", "erebor")
    game = moves(Position().at_war("sauron").army("moria", sauron=1, nazgul=2), side=SHADOW)
    play(game, "region:moria", "region:hollin", "figure:sauron-regular")
    assert legal(game) == {"figure:sauron-nazgul", "verb:done"}
    play(game, "verb:done")
    assert figures_at(game, "moria") == {"nazgul": 2}


def test_R7_5_5_a_companion_must_go_even_if_no_unit_stays():
    position = Position().at_war("north").army("dale", north=2)
    game = moves(position.fellowship(companions=["strider"]).place("gimli", "dale"), "character")
    play(game, "region:dale", "region:erebor", "figure:north-regular", "figure:north-regular")
    assert legal(game) == {"character:gimli"}


def test_R7_5_5_a_nazgul_must_go_even_if_no_unit_stays():
    game = moves(Position().at_war("sauron").army("moria", sauron=2, nazgul=1), "character", SHADOW)
    play(game, "region:moria", "region:hollin", "figure:sauron-regular", "figure:sauron-regular")
    assert legal(game) == {"figure:sauron-nazgul"}
    play(game, "figure:sauron-nazgul", "verb:done")
    assert figures_at(game, "hollin") == {"sauron": 2, "nazgul": 1}


def test_R7_5_5_the_rest_of_the_leaders_may_stay():
    position = army_of_three().army("dale", north_leader=1)
    game = moves(position, "character")
    play(game, "region:dale", "region:erebor", "figure:north-leader")
    assert legal(game) == {"figure:north-regular", "figure:north-leader"}
    play(game, "figure:north-regular", "verb:done")
    assert figures_at(game, "dale") == {"north": 2, "north_leader": 1}


def test_R7_5_5_saruman_leads_no_move_but_an_isengard_elite_does():
    position = Position().at_war("isengard").army("orthanc", isengard=3).place("saruman", "orthanc")
    game = position.army("south-dunland", isengard=1).dice("event", "character", acting=SHADOW).game()
    play(game, "face:character")
    assert "plan:move-armies" not in legal(game)
    position = Position().at_war("isengard").army("orthanc", isengard=3, isengard_elite=1)
    game = moves(position.place("saruman", "orthanc"), "character", SHADOW)
    play(game, "region:orthanc", "region:gap-of-rohan", *["figure:isengard-regular"] * 3)
    assert legal(game) == {"figure:isengard-elite"}
    play(game, "figure:isengard-elite", "verb:done")
    assert figures_at(game, "gap-of-rohan") == {"isengard": 3, "isengard_elite": 1}
    assert is_at(game, "saruman", "orthanc")


IN_ARMY = Ruleset(ask_single=True, character_die_leader="in_army")


@pytest.mark.parametrize("ruleset", [Ruleset(ask_single=True), IN_ARMY])
def test_R7_5_5_RU51_the_only_leader_of_a_whole_army_may_stay_by_option(ruleset):
    position = Position(ruleset).at_war("sauron").army("moria", sauron=2, nazgul=1)
    game = moves(position, "character", SHADOW)
    play(game, "region:moria", "region:hollin", "figure:sauron-regular")
    assert legal(game) == {"figure:sauron-regular", "figure:sauron-nazgul"}  # a part never goes alone
    play(game, "figure:sauron-regular")
    alone = ruleset == IN_ARMY
    assert legal(game) == {"figure:sauron-nazgul"} | ({"verb:done"} if alone else set())
    if alone:
        play(game, "verb:done")
        assert figures_at(game, "moria") == {"nazgul": 1} and figures_at(game, "hollin") == {"sauron": 2}


@pytest.mark.parametrize("units", [2, 3])
def test_R7_5_5_RU51_by_option_saruman_sends_whole_armies_only(units):
    position = (
        Position(IN_ARMY).at_war("isengard").army("orthanc", isengard=units).place("saruman", "orthanc")
    )
    game = moves(position.army("gap-of-rohan", isengard=8), "character", SHADOW)
    play(game, "region:orthanc")
    assert ("region:gap-of-rohan" in legal(game)) == (units == 2)  # a third finds no room there
    play(game, "region:fords-of-isen", "figure:isengard-regular")
    assert legal(game) == {"figure:isengard-regular"}
    play(game, *["figure:isengard-regular"] * (units - 1), "verb:done")
    assert figures_at(game, "fords-of-isen") == {"isengard": units} and is_at(game, "saruman", "orthanc")


def test_R7_5_4_RU51_by_option_free_peoples_leaders_still_go_with_a_whole_army():
    position = Position(IN_ARMY).at_war("north").army("dale", north=1, north_leader=1)
    game = moves(position.fellowship(companions=["strider"]).place("gimli", "dale"), "character")
    play(game, "region:dale", "region:erebor", "figure:north-regular", "verb:done")
    assert figures_at(game, "erebor") == {"north": 1, "north_leader": 1} and is_at(game, "gimli", "dale")


def test_R7_5_5_RU51_by_option_an_army_without_a_leader_stays():
    position = Position(IN_ARMY).at_war("north").army("dale", north=2).dice("character", "event")
    assert "plan:move-armies" not in legal(play(position.game(), "face:character"))


def test_R7_5_5_without_saruman_an_elite_is_no_leader():
    position = Position().at_war("isengard").army("orthanc", isengard=3, isengard_elite=1)
    game = play(position.dice("event", "character", acting=SHADOW).game(), "face:character")
    assert "plan:move-armies" not in legal(game)


def test_R7_5_5_the_last_place_is_kept_for_the_elite_that_leads():
    position = Position().at_war("isengard").army("orthanc", isengard=3, isengard_elite=1)
    position.army("gap-of-rohan", isengard=8).place("saruman", "orthanc")
    game = moves(position, "character", SHADOW)
    play(game, "region:orthanc", "region:gap-of-rohan", "figure:isengard-regular")
    assert legal(game) == {"figure:isengard-elite"}


def test_R7_5_6_two_armies_exchange_places():
    position = Position().at_war("north", "dwarves").army("dale", north=2, north_leader=1)
    position.army("erebor", dwarves=2, dwarves_leader=1).fellowship(companions=["strider"])
    game = moves(position.place("gimli", "erebor").place("legolas", "dale"))
    play(game, "region:erebor", "region:dale", "verb:whole-army")
    assert legal(game) == {"region:dale", "verb:done"}
    play(game, "region:dale", "region:erebor")
    assert legal(game) == {
        "figure:north-regular",
        "figure:north-leader",
        "character:legolas",
        "verb:whole-army",
    }
    play(game, "verb:whole-army")
    assert figures_at(game, "dale") == {"dwarves": 2, "dwarves_leader": 1} and is_at(game, "gimli", "dale")
    assert figures_at(game, "erebor") == {"north": 2, "north_leader": 1} and is_at(game, "legolas", "erebor")


def test_R7_5_6_moved_and_unmoved_figures_of_a_kind_share_a_region():
    position = Position().at_war("north").army("dale", north=2, north_leader=1).army("bree", north=1)
    game = moves(position.army("erebor", north=3, north_elite=1, north_leader=2))
    play(game, "region:erebor", "region:dale", "figure:north-regular", "figure:north-regular")
    play(game, "figure:north-elite", "figure:north-leader", "verb:done")
    assert legal(game) == {"region:erebor", "region:dale", "region:bree", "verb:done"}
    play(game, "region:dale", "region:withered-heath", "figure:north-regular", "figure:north-regular")
    assert legal(game) == {"figure:north-leader", "verb:done"}  # the Elite and two Regulars came just now
    play(game, "figure:north-leader")
    assert legal(game) == {"verb:done"}
    play(game, "verb:done")
    assert figures_at(game, "dale") == {"north": 2, "north_elite": 1, "north_leader": 1}
    assert figures_at(game, "withered-heath") == {"north": 2, "north_leader": 1}


def test_R7_5_4_R7_5_6_a_leader_stays_with_the_army_that_came():
    position = Position().at_war("north", "dwarves").army("dale", north=2, north_leader=1)
    game = moves(position.army("erebor", dwarves=1))
    play(game, "region:erebor", "region:dale", "verb:whole-army")
    play(game, "region:dale", "region:erebor", "figure:north-regular", "figure:north-regular", "verb:done")
    assert figures_at(game, "dale") == {"dwarves": 1, "north_leader": 1}
    assert figures_at(game, "erebor") == {"north": 2}


def test_R7_5_6_figures_that_have_moved_go_no_further():
    position = Position().at_war("north", "dwarves").army("dale", north=2).army("erebor", dwarves=2)
    game = moves(position)
    play(game, "region:erebor", "region:withered-heath", "verb:whole-army")
    assert legal(game) == {"region:dale", "verb:done"}


def test_R7_5_6_R7_5_8_the_limit_holds_after_each_move_of_an_exchange():
    position = Position().at_war("north", "dwarves").army("dale", north=6)
    game = moves(position.army("erebor", dwarves=5))
    play(game, "region:erebor", "region:dale", *["figure:dwarves-regular"] * 4)
    assert legal(game) == {"verb:done"}


def test_R7_5_6_three_armies_change_places_in_a_ring():
    position = Position().at_war("sauron", "isengard", "southrons").hand(SHADOW, "sh-strat-09")
    position.army("near-harad", sauron=2).army("west-harondor", isengard=2, nazgul=1)
    position.army("umbar", southrons=2).place("witch-king", "near-harad")
    game = position.dice("event", "event event", acting=SHADOW).game()
    play(game, "face:event", "plan:play-card", "card:sh-strat-09")
    play(game, "region:near-harad", "region:west-harondor", "verb:whole-army")
    play(game, "region:west-harondor", "region:umbar")
    assert legal(game) == {"figure:isengard-regular", "figure:sauron-nazgul", "verb:whole-army"}
    play(game, "verb:whole-army", "region:umbar", "region:near-harad", "verb:whole-army")
    assert action_is_over(game)  # nobody is left who has not moved
    assert figures_at(game, "west-harondor") == {"sauron": 2} and is_at(game, "witch-king", "west-harondor")
    assert figures_at(game, "umbar") == {"isengard": 2, "nazgul": 1}
    assert figures_at(game, "near-harad") == {"southrons": 2}


def test_R7_2_5_trimming_frees_nobody_who_has_moved():
    position = Position(Ruleset(ask_single=True, overstack_voluntary="disband")).at_war("gondor")
    position.army("erebor", gondor=2, gondor_leader=1).army("dale", gondor=9, gondor_elite=1)
    game = moves(position)
    play(game, "region:erebor", "region:dale", "verb:whole-army")
    assert game.decision == Decision.TRIM_ARMY
    play(game, "figure:gondor-regular", "figure:gondor-elite", "region:dale", "region:erebor")
    play(game, *["figure:gondor-regular"] * 8)
    assert legal(game) == {"verb:done"}  # two Regulars and the Leader have moved


def test_R7_5_6_units_that_have_not_moved_leave_before_the_merge():
    position = Position().at_war("north", "dwarves").army("dale", north=2).army("erebor", dwarves=2)
    game = moves(position)
    play(game, "region:dale", "region:withered-heath", "figure:north-regular", "verb:done")
    assert legal(game) == {"region:dale", "region:erebor", "verb:done"}
    play(game, "region:erebor", "region:dale", "verb:whole-army")
    assert figures_at(game, "dale") == {"north": 1, "dwarves": 2}


def test_R7_5_6_the_next_action_may_move_the_same_figures():
    game = moves(Position().at_war("north").army("dale", north=2))
    play(game, "region:dale", "region:erebor", "verb:whole-army", "face:event", "plan:skip")
    play(game, "face:army", "plan:move-armies", "region:erebor", "region:dale", "verb:whole-army")
    assert figures_at(game, "dale") == {"north": 2}


def test_R7_5_14_the_part_left_behind_may_be_the_second_move():
    game = moves(army_of_three())
    play(game, "region:dale", "region:erebor", "figure:north-regular", "verb:done")
    assert legal(game) == {"region:dale", "verb:done"}
    play(game, "region:dale", "region:woodland-realm", "verb:whole-army")
    assert figures_at(game, "erebor") == {"north": 1}
    assert figures_at(game, "woodland-realm") == {"north": 2, "north_leader": 1}


def test_R7_5_14_the_part_left_behind_may_follow():
    game = moves(army_of_three())
    play(game, "region:dale", "region:erebor", "figure:north-regular", "verb:done")
    play(game, "region:dale", "region:erebor", "verb:whole-army")
    assert figures_at(game, "erebor") == {"north": 3, "north_leader": 1}


# --- Destinations (R7.5.7-R7.5.10). ---


def test_R7_5_7_RU15_enemy_units_close_a_region_settlements_and_characters_do_not():
    position = Position().at_war("rohan", "sauron").army("eastemnet", rohan=2)
    position.army("fangorn", isengard=1).army("parth-celebrant", nazgul=1).control("folde", SHADOW)
    game = moves(position.place("witch-king", "western-emyn-muil"))
    play(game, "region:eastemnet")
    assert legal_block(game, "region") == {
        "druadan-forest",
        "folde",
        "parth-celebrant",
        "western-brown-lands",
        "western-emyn-muil",
        "westemnet",
    }


def test_R7_5_7_a_stronghold_that_one_besieges_is_free():
    position = Position().at_war("sauron").army("minas-tirith", gondor=2, sauron=3)
    position.army("osgiliath", sauron=2).army("lossarnach", gondor=1)
    game = moves(position, side=SHADOW)
    play(game, "region:osgiliath")
    assert "minas-tirith" in legal_block(game, "region")
    assert "lossarnach" not in legal_block(game, "region")
    play(game, "region:minas-tirith", "verb:whole-army")
    assert figures_at(game, "minas-tirith") == {"gondor": 2, "sauron": 5}


def test_R7_5_7_nobody_joins_a_besieged_garrison():
    position = Position().at_war("gondor").army("minas-tirith", gondor=2, sauron=3)
    game = moves(position.army("lossarnach", gondor=2))
    play(game, "region:lossarnach")
    assert legal_block(game, "region") == {"osgiliath", "pelargir"}


def test_R7_5_8_at_most_ten_units_after_the_move():
    position = Position().at_war("north").army("dale", north=9).army("old-forest-road", north_elite=3)
    game = moves(position)
    play(game, "region:old-forest-road", "region:dale")
    assert legal(game) == {"figure:north-elite"}  # the whole army has no room
    play(game, "figure:north-elite")
    assert legal(game) == {"verb:done"}


def test_R7_5_9_RU16_at_peace_into_own_regions_and_regions_of_no_nation():
    game = moves(Position().army("eastemnet", rohan=2))
    play(game, "region:eastemnet")
    assert legal_block(game, "region") == {
        "fangorn",
        "folde",
        "parth-celebrant",
        "western-brown-lands",
        "western-emyn-muil",
        "westemnet",
    }


def test_R7_5_9_RU16_outside_its_borders_a_unit_at_peace_may_go_on():
    game = moves(Position().army("osgiliath", rohan=1), "army")
    play(game, "region:osgiliath")
    assert legal_block(game, "region") == {
        "dead-marshes",
        "north-ithilien",
        "south-ithilien",
        "west-harondor",
    }


def test_R7_5_9_units_at_peace_stay_behind():
    position = Position().at_war("gondor").army("folde", rohan=1, gondor=2)
    game = moves(position)
    play(game, "region:folde", "region:druadan-forest")
    assert legal(game) == {"figure:gondor-regular", "verb:whole-army"}
    play(game, "verb:whole-army")
    assert figures_at(game, "folde") == {"rohan": 1}
    assert figures_at(game, "druadan-forest") == {"gondor": 2}


def test_R7_5_9_the_shadow_is_bound_too_but_not_its_nazgul():
    position = Position().at_war("isengard").army("fords-of-isen", isengard=1, southrons=1, nazgul=1)
    game = moves(position.place("mouth-of-sauron", "fords-of-isen"), side=SHADOW)
    play(game, "region:fords-of-isen")
    assert "westemnet" in legal_block(game, "region")
    play(game, "region:westemnet", "verb:whole-army")
    assert figures_at(game, "westemnet") == {"isengard": 1, "nazgul": 1}
    assert is_at(game, "mouth-of-sauron", "westemnet")
    assert figures_at(game, "fords-of-isen") == {"southrons": 1}


def test_R7_5_9_companions_never_cause_the_restriction():
    position = Position().at_war("gondor").army("folde", gondor=1).fellowship(companions=["strider"])
    game = moves(position.place("legolas", "folde").place("gimli", "folde"), "character")
    play(game, "region:folde", "region:druadan-forest", "verb:whole-army")
    assert is_at(game, "legolas", "druadan-forest") and is_at(game, "gimli", "druadan-forest")


def led_by_rohan(**options: bool) -> Position:
    position = Position(Ruleset(ask_single=True, **options)).at_war("gondor")
    return position.army("folde", gondor=2, rohan_leader=1)


def test_R7_5_9_RU17_a_leader_at_peace_is_bound_like_a_unit():
    game = moves(led_by_rohan())
    play(game, "region:folde", "region:druadan-forest")
    assert legal(game) == {"figure:gondor-regular"}
    play(game, "figure:gondor-regular")
    assert legal(game) == {"verb:done"}  # the other unit stays with the Leader (R7.5.4)
    game = play(led_by_rohan().dice("character", "event").game(), "face:character", "plan:move-armies")
    play(game, "region:folde")
    assert legal_block(game, "region") == {"eastemnet", "edoras", "westemnet"}


def test_R7_5_9_RU17_a_single_unit_stays_with_a_leader_at_peace():
    game = moves(Position().at_war("gondor").army("folde", gondor=1, rohan_leader=1))
    play(game, "region:folde")
    assert legal_block(game, "region") == {"eastemnet", "edoras", "westemnet"}


def test_R7_5_9_RU17_leaders_bound_off():
    game = moves(led_by_rohan(leaders_bound=False), "character")
    play(game, "region:folde")
    assert legal_block(game, "region") == {"druadan-forest", "eastemnet", "edoras", "westemnet"}
    play(game, "region:druadan-forest", "verb:whole-army")
    assert figures_at(game, "druadan-forest") == {"gondor": 2, "rohan_leader": 1}


def test_R7_5_10_a_garrison_under_siege_does_not_move():
    position = Position().at_war("gondor").army("minas-tirith", gondor=2, gondor_leader=1, sauron=3)
    for face in ("army", "character"):
        game = play(position.dice(face, "event").game(), f"face:{face}")
        assert "plan:move-armies" not in legal(game)
        assert "plan:attack" in legal(game)


# --- Entering a region (R7.5.11-R7.5.13). ---


def test_R7_5_11_activation_then_capture_then_the_political_step():
    position = Position().at_war("sauron").army("old-forest-road", sauron=2).army("rhosgobel", sauron=1)
    position.politics("north", 1, active=False).politics("dwarves", 1, active=False)
    game = moves(position, side=SHADOW)
    play(game, "region:old-forest-road", "region:dale", "verb:whole-army")
    assert control(game, "dale") == SHADOW
    assert game.state.active[nation("north")] == 1 and game.state.steps_to_war[nation("north")] == 0
    assert game.state.active[nation("dwarves")] == 0


def test_R7_5_11_a_region_without_settlement_activates_only():
    position = Position().at_war("sauron").politics("north", 2, active=False).army("gladden-fields", sauron=2)
    game = moves(position, side=SHADOW)
    play(game, "region:gladden-fields", "region:rhosgobel", "verb:whole-army")
    assert game.state.active[nation("north")] == 1 and game.state.steps_to_war[nation("north")] == 2


def test_R7_5_11_companions_activate_after_the_capture():
    position = Position().politics("gondor", 2, active=False).army("lossarnach", gondor=1)
    position.control("pelargir", SHADOW).fellowship(companions=["strider"]).place("boromir", "lossarnach")
    game = moves(position)
    play(game, "region:lossarnach", "region:pelargir", "verb:whole-army")
    assert control(game, "pelargir") == FREE_PEOPLES
    assert game.state.active[nation("gondor")] == 1 and game.state.steps_to_war[nation("gondor")] == 2


def test_R7_5_11_an_army_alone_does_not_activate_its_nation():
    game = moves(Position().politics("gondor", 2, active=False).army("lossarnach", gondor=1, gondor_leader=1))
    play(game, "region:lossarnach", "region:pelargir", "verb:whole-army")
    assert game.state.active[nation("gondor")] == 0


def test_R7_5_11_RU20_an_empty_enemy_stronghold_is_captured_on_entry():
    position = Position().at_war("isengard").army("fords-of-isen", isengard=1)
    game = moves(position.politics("rohan", 3, active=False), side=SHADOW)
    play(game, "region:fords-of-isen", "region:helms-deep", "verb:whole-army")
    assert control(game, "helms-deep") == SHADOW
    assert game.state.steps_to_war[nation("rohan")] == 2


def test_R7_5_13_moving_the_last_besieger_away_lifts_the_siege():
    position = Position().at_war("sauron", "gondor").army("minas-tirith", gondor=3, sauron=2)
    game = position.dice("army", "army army", acting=SHADOW).game()
    play(game, "face:army", "plan:move-armies", "region:minas-tirith", "region:osgiliath")
    play(game, "verb:whole-army", "face:army", "plan:move-armies")
    assert legal(game) == {"region:minas-tirith"}
    play(game, "region:minas-tirith", "region:lossarnach", "verb:whole-army")
    assert figures_at(game, "lossarnach") == {"gondor": 3}


def test_R7_5_13_a_part_of_the_besiegers_keeps_the_siege():
    position = Position().at_war("sauron", "gondor").army("minas-tirith", gondor=3, sauron=2)
    game = position.dice("army", "army army", acting=SHADOW).game()
    play(game, "face:army", "plan:move-armies", "region:minas-tirith", "region:osgiliath")
    play(game, "figure:sauron-regular", "verb:done", "verb:done", "face:army")
    assert legal_block(game, "plan") == {"attack", "skip"}
