"""Events of the Shadow's Strategy deck, sh-strat-10 to sh-strat-24: the Corsairs and recruits (R6.4)."""

from __future__ import annotations

import pytest

from tests.positions import Position, figures, legal, legal_block, nation, play, where
from tests.shadow_events import begin, board, controller, holding, is_over, offers, reserve, steps
from wotr_env.games.war_of_the_ring.codes import Decision, Side

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
CORSAIRS, DUNLENDINGS, ANGMAR, HALF_ORCS, OLOG_HAI = (f"sh-strat-{i}" for i in range(10, 15))
TROLLS, NEW_POWER, MANY_KINGS, REVEALED, MISTY = (f"sh-strat-{i}" for i in range(15, 20))
ORCS, HORDE, MONSTERS, MUSTERINGS, PITS = (f"sh-strat-{i}" for i in range(20, 25))
SHADOW_NATIONS = ("sauron", "isengard", "southrons")
COAST = {"anfalas", "dol-amroth", "lamedon", "pelargir"}


# --- sh-strat-10, Corsairs of Umbar. ---


def corsairs(**options) -> Position:
    return holding(CORSAIRS, **options).at_war("southrons")


def test_sh_strat_10_corsairs_of_umbar_land_on_an_empty_coast_R7_5_11():
    position = corsairs().army("umbar", southrons=2, southrons_elite=1, nazgul=1)
    game = begin(position.politics("gondor", 2, active=False), CORSAIRS, face="army")
    assert legal_block(game, "region") == COAST == {name[7:] for name in legal(game)}
    play(game, "region:pelargir")
    who = {"figure:southrons-regular", "figure:southrons-elite", "figure:sauron-nazgul"}
    assert legal(game) == {*who, "verb:whole-army"}
    play(game, "figure:southrons-regular", "figure:southrons-elite", "figure:sauron-nazgul", "verb:done")
    assert is_over(game, CORSAIRS) and controller(game, "pelargir") == SH
    landed = {"southrons": 1, "southrons_elite": 1, "nazgul": 1}
    assert board(game, "umbar", "pelargir") == [{"southrons": 1}, landed]
    assert steps(game, "gondor") == (1, True)


def test_sh_strat_10_RG16_a_field_army_is_fought_from_umbar_without_ceasing():
    position = corsairs().army("umbar", southrons=2).army("pelargir", gondor=1)
    game = begin(position, CORSAIRS, *(5, 1, 1), *(5, 1, 1), face="army")  # a City: 6 in round one
    play(game, "region:pelargir", "verb:whole-army")
    assert (game.side, game.decision) == (FP, Decision.RETREAT)  # the Shadow was not asked to cease
    assert legal(game) == {
        "verb:stay",
        *(f"region:{r}" for r in ("lamedon", "lossarnach", "osgiliath", "west-harondor")),
    }
    assert figures(game, "umbar") == {"southrons": 2} and steps(game, "gondor") == (1, True)
    play(game, "verb:stay", "figure:gondor-regular")
    assert game.decision == Decision.ADVANCE_FIGURES
    assert legal(game) == {"figure:southrons-regular", "verb:whole-army"}  # they have to land
    play(game, "figure:southrons-regular", "verb:done")
    assert is_over(game, CORSAIRS) and controller(game, "pelargir") == SH
    assert board(game, "umbar", "pelargir") == [{"southrons": 1}, {"southrons": 1}]


def test_sh_strat_10_R7_12_1_an_army_in_dol_amroth_may_withdraw_and_be_besieged():
    position = corsairs().army("umbar", southrons=2).army("dol-amroth", gondor=6)
    game = play(begin(position, CORSAIRS), "region:dol-amroth", "verb:whole-army")
    assert legal(game) == {"verb:fight", "verb:withdraw"}
    play(game, "verb:withdraw")
    assert "verb:decline" not in legal(game)
    play(game, "verb:whole-army", "figure:gondor-regular")
    assert is_over(game, CORSAIRS) and figures(game, "dol-amroth") == {"southrons": 2, "gondor": 5}
    assert controller(game, "dol-amroth") == FP


def besieged_dol_amroth(besiegers: int, umbar: int, **options) -> Position:
    position = corsairs(**options).army("dol-amroth", southrons=besiegers, gondor=1)
    return position.army("umbar", southrons=umbar - 1, southrons_elite=1)


def test_sh_strat_10_RG16_onto_a_siege_they_join_the_besieger_and_assault_once():
    game = begin(besieged_dol_amroth(1, 2), CORSAIRS, *(5, 5, 5, 1))  # an assault hits on 6
    play(game, "region:dol-amroth", "verb:whole-army")
    assert figures(game, "dol-amroth") == {"southrons": 2, "southrons_elite": 1, "gondor": 1}
    assert legal(game) == {"figure:southrons-regular", "figure:southrons-elite", "verb:whole-army"}
    play(game, "verb:whole-army")  # besiegers and newcomers together
    assert game.decision == Decision.PROLONG_ASSAULT and legal(game) == {"nation:southrons", "verb:cease"}
    play(game, "verb:cease")
    assert is_over(game, CORSAIRS) and controller(game, "dol-amroth") == FP
    game = begin(besieged_dol_amroth(1, 2), CORSAIRS, *(5, 5, 6, 1))
    play(game, "region:dol-amroth", "verb:whole-army", "verb:whole-army", "figure:gondor-regular")
    assert is_over(game, CORSAIRS) and controller(game, "dol-amroth") == SH


def test_sh_strat_10_R7_2_2_no_more_than_ten_join():
    game = play(begin(besieged_dol_amroth(9, 3), CORSAIRS), "region:dol-amroth")
    assert legal(game) == {"figure:southrons-regular", "figure:southrons-elite"}
    play(game, "figure:southrons-elite")
    assert legal(game) == {"verb:done"}
    play(game, "verb:done")
    assert figures(game, "dol-amroth") == {"southrons": 9, "southrons_elite": 1, "gondor": 1}
    # By option they may, and the army is trimmed before the assault.
    game = begin(besieged_dol_amroth(9, 3, overstack_voluntary="disband"), CORSAIRS)
    play(game, "region:dol-amroth", "verb:whole-army")
    assert game.decision == Decision.TRIM_ARMY
    play(game, "figure:southrons-regular", "figure:southrons-regular")
    assert game.decision == Decision.ATTACK_FIGURES
    assert figures(game, "dol-amroth") == {"southrons": 9, "southrons_elite": 1, "gondor": 1}


def test_sh_strat_10_R7_5_9_RG22_units_at_peace_stay_in_umbar():
    def umbar(**units: int) -> Position:
        return corsairs().politics("sauron", 1).army("umbar", **units).army("pelargir", gondor=1)

    for place in ("pelargir", "lamedon"):
        game = play(begin(umbar(southrons=1, sauron=1), CORSAIRS), f"region:{place}")
        assert legal(game) == {"figure:southrons-regular", "verb:whole-army"}
    assert not offers(umbar(sauron=2), "army")


def test_sh_strat_10_not_without_an_army_in_umbar_or_war():
    assert not offers(corsairs().army("near-harad", southrons=3).army("umbar", nazgul=1), "army")
    assert not offers(corsairs().army("umbar", southrons=3).politics("southrons", 1), "army")


def test_sh_strat_10_R7_5_10_a_besieged_garrison_does_not_leave_umbar():
    assert not offers(corsairs().army("umbar", southrons=3, gondor=1), "army")
    assert offers(corsairs().army("umbar", southrons=3, gondor=1).control("umbar", FP), "army")


def test_sh_strat_10_R7_16_1_RG16_they_relieve_dol_amroth_besieged_by_the_free_peoples():
    position = corsairs().control("dol-amroth", SH).army("dol-amroth", gondor=1, southrons=1)
    game = begin(position.army("umbar", southrons=1), CORSAIRS, 5, 1)
    assert legal_block(game, "region") == COAST
    play(game, "region:dol-amroth", "verb:whole-army", "figure:gondor-regular", "verb:whole-army")
    assert is_over(game, CORSAIRS) and figures(game, "dol-amroth") == {"southrons": 2}


# --- sh-strat-11, Rage of the Dunlendings. ---


def dunlendings(**options) -> Position:
    return holding(DUNLENDINGS, **options).at_war("isengard")


def test_sh_strat_11_rage_of_the_dunlendings_recruits_and_up_to_four_units_join():
    position = dunlendings().army("north-dunland", isengard=2, isengard_elite=1, sauron=1)
    position.army("south-dunland", isengard=2).army("orthanc", isengard=1)
    game = begin(position, DUNLENDINGS, face="muster")
    near = "cardolan hollin moria south-downs tharbad enedwaith gap-of-rohan north-dunland south-dunland"
    assert legal_block(game, "region") == set(near.split())  # R2.10
    play(game, "region:hollin")
    assert figures(game, "hollin") == {"isengard": 2}
    assert legal(game) == {"region:north-dunland", "region:south-dunland", "verb:done"}
    play(game, "region:north-dunland")
    assert legal(game) == {"figure:isengard-regular", "figure:isengard-elite"}
    play(game, "figure:isengard-elite", "region:south-dunland", "figure:isengard-regular")
    play(game, "region:south-dunland", "figure:isengard-regular")
    assert legal(game) == {"region:north-dunland", "verb:done"}
    play(game, "region:north-dunland", "figure:isengard-regular")
    assert is_over(game, DUNLENDINGS)  # four have come
    places = board(game, "north-dunland", "south-dunland", "hollin", "orthanc")
    assert places == [{"isengard": 1, "sauron": 1}, {}, {"isengard": 5, "isengard_elite": 1}, {"isengard": 1}]
    assert reserve(game, "isengard") == (12 - 7, 6 - 1)


def test_sh_strat_11_R6_4_4_without_reserves_the_units_may_still_gather_in_a_dunland():
    position = dunlendings().army("south-dunland", isengard=2).army("orthanc", isengard=9)
    game = play(begin(position, DUNLENDINGS), "region:north-dunland")
    assert figures(game, "north-dunland") == {"isengard": 1}  # the last of twelve
    assert legal(game) == {"region:south-dunland", "verb:done"}
    assert is_over(play(game, "verb:done"), DUNLENDINGS)
    empty = dunlendings().army("orthanc", isengard=10).army("moria", isengard=2)
    assert not offers(empty, "muster")


def test_sh_strat_11_R6_4_7_a_free_region_with_room():
    position = dunlendings().army("tharbad", north=1).control("moria", FP).army("hollin", sauron=9)
    position.army("cardolan", southrons=10).army("south-dunland", isengard_elite=1)
    game = begin(position, DUNLENDINGS)
    free = "hollin south-downs enedwaith gap-of-rohan north-dunland south-dunland"
    assert legal_block(game, "region") == set(free.split())
    play(game, "region:hollin")
    assert is_over(game, DUNLENDINGS) and figures(game, "hollin") == {"sauron": 9, "isengard": 1}
    assert not offers(holding(DUNLENDINGS).politics("isengard", 1), "muster")


def test_sh_strat_11_R7_2_2_disband_trims():
    position = dunlendings(overstack_voluntary="disband").army("hollin", sauron=9)
    game = play(begin(position.army("south-dunland", isengard_elite=1), DUNLENDINGS), "region:hollin")
    while game.decision != Decision.ACTION_DIE:
        choice = {
            Decision.EVENT_REGION: "region:south-dunland",
            Decision.EVENT_FIGURE: "figure:isengard-elite",
        }
        play(game, choice.get(game.decision, "figure:sauron-regular"))
    assert figures(game, "hollin") == {"sauron": 7, "isengard": 2, "isengard_elite": 1}


# --- sh-strat-12, Return of the Witch-king. ---


def witch_king(place: str = "osgiliath") -> Position:
    return holding(ANGMAR).place("witch-king", place)


@pytest.mark.parametrize("place", ["osgiliath", "angmar"])
def test_sh_strat_12_return_of_the_witch_king_flies_to_angmar_with_recruits(place):
    game = begin(witch_king(place), ANGMAR, face="muster")
    play(game, *(["region:angmar"] if game.decision == Decision.EVENT_REGION else []))
    assert is_over(game, ANGMAR) and where(game, "witch-king") == "angmar"
    assert figures(game, "angmar") == {"sauron": 2, "sauron_elite": 1}
    assert reserve(game, "sauron") == (34, 5, 8)


def test_sh_strat_12_R6_4_4_he_flies_in_any_case():
    game = begin(witch_king().army("angmar", north=1).control("angmar", FP), ANGMAR)
    assert is_over(game, ANGMAR) and where(game, "witch-king") == "angmar"
    assert figures(game, "angmar") == {"north": 1}
    game = begin(witch_king().control("angmar", FP), ANGMAR)
    assert is_over(game, ANGMAR) and figures(game, "angmar") == {}
    assert not offers(witch_king("angmar").army("angmar", north=1).control("angmar", FP), "muster")
    assert not offers(holding(ANGMAR), "muster") and not offers(witch_king("eliminated"), "muster")


# --- sh-strat-13 and 14: one unit with a Shadow army anywhere. ---


@pytest.mark.parametrize(("name", "owner"), [(HALF_ORCS, "isengard"), (OLOG_HAI, "sauron")])
def test_sh_strat_13_half_orcs_sh_strat_14_olog_hai_a_unit_with_any_shadow_army(name, owner):
    position = holding(name).at_war(owner).army("far-harad", southrons=1).army("minas-tirith", sauron=1)
    position.army("minas-tirith", gondor=1).army("umbar", southrons=5, gondor=1)  # a full garrison
    position.army("moria", southrons=10).army("orthanc", southrons=4, rohan=1).army("nurn", nazgul=1)
    game = begin(position, name, face="army")
    assert legal(game) == {"region:far-harad", "region:minas-tirith", "region:orthanc"}
    play(game, "region:orthanc")
    assert legal(game) == {f"figure:{owner}-regular", f"figure:{owner}-elite"}
    play(game, f"figure:{owner}-elite")
    assert is_over(game, name)
    assert figures(game, "orthanc") == {"southrons": 4, "rohan": 1, f"{owner}_elite": 1}


@pytest.mark.parametrize(("name", "owner"), [(HALF_ORCS, "isengard"), (OLOG_HAI, "sauron")])
def test_sh_strat_13_sh_strat_14_R6_4_4_need_war_an_army_and_a_figure(name, owner):
    assert not offers(holding(name).at_war(owner), "army")
    assert not offers(holding(name).politics(owner, 1).army("moria", southrons=1), "army")


def test_sh_strat_13_R6_4_4_not_without_a_figure_left():
    position = holding(HALF_ORCS).at_war("isengard").army("orthanc", isengard=10)
    assert offers(position.army("north-dunland", isengard=2, isengard_elite=5), "army")
    assert not offers(position.army("south-dunland", isengard_elite=1), "army")


# --- sh-strat-15, Hill-trolls. ---


def test_sh_strat_15_hill_trolls_two_regulars_anywhere_become_elites():
    position = holding(TROLLS).at_war("sauron").army("moria", sauron=1, isengard=1)
    position.army("minas-tirith", sauron=1, gondor=1).army("morannon", sauron=3, rohan=1)
    game = begin(position.army("orthanc", isengard=2), TROLLS, face="army")
    assert legal(game) == {"region:moria", "region:minas-tirith", "region:morannon"}
    play(game, "region:minas-tirith")
    assert legal(game) == {"region:moria", "region:morannon"}
    play(game, "region:morannon")
    assert is_over(game, TROLLS) and reserve(game, "sauron") == (36 - 3, 6 - 2, 8)
    assert board(game, "minas-tirith", "morannon") == [
        {"sauron_elite": 1, "gondor": 1},
        {"sauron": 2, "sauron_elite": 1, "rohan": 1},
    ]


def test_sh_strat_15_R6_4_4_only_as_many_as_there_are_and_both_may_be_in_one_region():
    position = holding(TROLLS).at_war("sauron").army("moria", sauron=3)
    game = play(begin(position, TROLLS), "region:moria", "region:moria")
    assert is_over(game, TROLLS) and figures(game, "moria") == {"sauron": 1, "sauron_elite": 2}
    game = play(begin(position.army("moria", sauron_elite=5), TROLLS), "region:moria")
    assert is_over(game, TROLLS) and figures(game, "moria") == {"sauron": 2, "sauron_elite": 6}


def test_sh_strat_15_not_without_regulars_elites_or_war():
    assert not offers(holding(TROLLS).politics("sauron", 1).army("moria", sauron=3), "army")
    assert not offers(holding(TROLLS).at_war("sauron").army("moria", sauron_elite=1, southrons=2), "army")
    assert not offers(holding(TROLLS).at_war("sauron").army("moria", sauron=2, sauron_elite=6), "army")


# --- Recruits at fixed places. ---


def fixed(position: Position, name: str, *choices: str, face: str = "muster"):
    """Plays a card that names its places: a place to confirm is confirmed, other choices are given."""
    game = begin(position, name, face=face)
    left = list(choices)
    while game.decision in (Decision.EVENT_REGION, Decision.EVENT_FIGURE, Decision.EVENT_OPTION):
        if game.decision == Decision.EVENT_REGION:
            assert len(legal(game)) == 1
            play(game, *legal(game))
        else:
            play(game, left.pop(0))
    assert not left
    return game


def test_sh_strat_16_a_new_power_is_rising_in_three_places():
    position = holding(NEW_POWER).place("saruman", "orthanc").politics("isengard", 1)
    game = fixed(position, NEW_POWER, "figure:isengard-elite", "figure:isengard-regular")
    assert is_over(game, NEW_POWER) and reserve(game, "isengard") == (12 - 5, 6 - 1)
    assert board(game, "north-dunland", "south-dunland") == [{"isengard": 2}] * 2
    assert figures(game, "orthanc") == {"isengard": 1, "isengard_elite": 1}


def test_sh_strat_16_R6_4_7_R6_4_4_a_full_garrison_and_a_lost_town():
    position = holding(NEW_POWER).place("saruman", "orthanc").army("orthanc", isengard=4, rohan=1)
    position.control("north-dunland", FP).army("south-dunland", southrons=9)
    game = fixed(position, NEW_POWER, "figure:isengard-elite")
    assert is_over(game, NEW_POWER) and figures(game, "north-dunland") == {}
    assert figures(game, "south-dunland") == {"southrons": 9, "isengard": 1}
    assert figures(game, "orthanc") == {"isengard": 4, "isengard_elite": 1, "rohan": 1}
    assert not offers(holding(NEW_POWER), "muster")  # no Saruman


def test_sh_strat_18_the_king_is_revealed():
    position = holding(REVEALED).place("strider", "replaced").place("aragorn", "minas-tirith")
    game = fixed(position, REVEALED)
    assert is_over(game, REVEALED) and figures(game, "minas-morgul") == {"sauron": 5, "nazgul": 1}
    assert reserve(game, "sauron") == (31, 6, 7)
    assert not offers(holding(REVEALED).place("strider", "minas-tirith"), "muster")


@pytest.mark.parametrize(
    ("there", "recruited"),
    [
        ({"southrons": 8}, {"sauron": 2, "nazgul": 1}),
        ({"southrons": 10}, {"nazgul": 1}),
        ({"southrons": 3, "gondor": 1}, {"sauron": 2, "nazgul": 1}),  # a garrison of five
        ({"southrons": 5, "gondor": 1}, {"nazgul": 1}),
    ],
)
def test_sh_strat_18_R6_4_7_R6_4_4_as_many_as_there_is_room_for(there, recruited):
    position = holding(REVEALED).place("strider", "replaced").place("aragorn", "edoras")
    game = fixed(position.army("minas-morgul", **there), REVEALED)
    assert is_over(game, REVEALED) and figures(game, "minas-morgul") == {**there, **recruited}


def test_sh_strat_18_R6_4_7_in_a_lost_stronghold_only_if_besieged():
    def lost(**units: int) -> Position:
        position = holding(REVEALED).place("strider", "replaced").place("aragorn", "edoras")
        return position.control("minas-morgul", FP).army("minas-morgul", **units)

    assert not offers(lost(), "muster") and not offers(lost(gondor=1), "muster")
    game = fixed(lost(gondor=1, southrons=1), REVEALED)
    assert figures(game, "minas-morgul") == {"gondor": 1, "southrons": 1, "sauron": 5, "nazgul": 1}


@pytest.mark.parametrize("place", ["mount-gram", "moria"])
def test_sh_strat_19_shadows_on_the_misty_mountains(place):
    game = begin(holding(MISTY), MISTY, face="muster")
    assert legal(game) == {"region:mount-gram", "region:moria"}
    play(game, f"region:{place}", "figure:sauron-regular")
    assert legal(game) == {"figure:sauron-regular", "figure:sauron-elite"}
    play(game, "figure:sauron-elite")
    assert is_over(game, MISTY) and reserve(game, "sauron") == (35, 5, 7)
    assert figures(game, place) == {"sauron": 1, "sauron_elite": 1, "nazgul": 1}


def test_sh_strat_19_R6_4_7_R6_4_4_places_closed_and_figures_missing():
    position = holding(MISTY).army("mount-gram", north=1).army("moria", southrons=9).army("nurn", nazgul=8)
    game = begin(position, MISTY)
    assert legal(game) == {"region:moria"}
    play(game, "region:moria", "figure:sauron-elite")
    assert is_over(game, MISTY) and figures(game, "moria") == {"southrons": 9, "sauron_elite": 1}
    assert not offers(holding(MISTY).army("mount-gram", north=1).control("moria", FP), "muster")


def test_sh_strat_20_orcs_multiplying_again():
    game = fixed(holding(ORCS), ORCS)
    assert is_over(game, ORCS) and reserve(game, "sauron") == (30, 6, 8)
    assert board(game, "dol-guldur", "mount-gundabad") == [{"sauron": 3}, {"sauron": 3}]
    position = holding(ORCS).army("dol-guldur", elves=1).control("dol-guldur", FP)
    position.army("mount-gundabad", sauron=4, dwarves=2)
    game = fixed(position, ORCS)
    assert is_over(game, ORCS)
    assert board(game, "dol-guldur", "mount-gundabad") == [{"elves": 1}, {"sauron": 5, "dwarves": 2}]
    full = holding(ORCS).army("dol-guldur", southrons=10).army("mount-gundabad", southrons=10)
    assert not offers(full, "muster")


@pytest.mark.parametrize("check", ["each_move", "end_of_action"])
def test_sh_strat_20_RG64_by_option_full_garrisons_and_full_regions_recruit_and_are_trimmed(check):
    position = holding(ORCS, overstack_voluntary="disband", stacking_check=check)
    position.army("dol-guldur", southrons=10).army("mount-gundabad", southrons=5, dwarves=2)
    game = begin(position, ORCS, face="muster")
    while game.decision != Decision.ACTION_DIE:  # the places, and six units that leave
        play(game, min(legal(game) - {"figure:sauron-regular"}))
    assert is_over(game, ORCS) and board(game, "dol-guldur", "mount-gundabad") == [
        {"southrons": 7, "sauron": 3},
        {"southrons": 2, "sauron": 3, "dwarves": 2},
    ]


def test_sh_strat_21_horde_from_the_east_in_a_free_region_of_the_eastern_edge():
    position = holding(HORDE).at_war("southrons").army("east-rhun", north=1).control("far-harad", FP)
    game = begin(position.army("khand", southrons=7), HORDE, face="muster")
    assert legal(game) == {"region:south-rhun", "region:khand"}
    play(game, "region:khand")
    assert is_over(game, HORDE) and figures(game, "khand") == {"southrons": 10}
    game = begin(holding(HORDE).at_war("southrons"), HORDE)
    assert legal_block(game, "region") == {"east-rhun", "south-rhun", "khand", "far-harad"}
    play(game, "region:east-rhun")
    assert is_over(game, HORDE) and figures(game, "east-rhun") == {"southrons": 5}
    assert not offers(holding(HORDE).politics("southrons", 1), "muster")


def short_of_orcs(card: str, left: int) -> Position:
    """So many Regulars of Sauron are in the reinforcements; places that the cards name have few units."""
    position = holding(card)
    for place in ("gorgoroth", "nurn", "morannon", "barad-dur"):
        spare = int(position.state.reinforcement_regular[nation("sauron")]) - left
        position.army(place, sauron=min(10, spare))
    return position


@pytest.mark.parametrize(("count", "first", "second"), [(0, 0, 3), (2, 2, 1), (3, 3, 0)])
def test_sh_strat_20_R6_4_4_the_owner_divides_a_short_pool(count, first, second):
    game = fixed(short_of_orcs(ORCS, 3), ORCS, f"count:{count}")
    assert is_over(game, ORCS) and reserve(game, "sauron")[0] == 0
    held = [figures(game, place).get("sauron", 0) for place in ("dol-guldur", "mount-gundabad")]
    assert held == [first, second]


def test_sh_strat_20_R6_4_4_nothing_is_held_back_that_no_other_place_can_have():
    game = play(begin(short_of_orcs(ORCS, 4), ORCS, face="muster"), "region:dol-guldur")
    assert legal(game) == {"count:1", "count:2", "count:3"}
    full = short_of_orcs(ORCS, 4).army("mount-gundabad", southrons=8)
    game = play(begin(full, ORCS, face="muster"), "region:dol-guldur")
    assert legal(game) == {"count:2", "count:3"}
    lost = short_of_orcs(ORCS, 2).control("mount-gundabad", FP)
    assert is_over(fixed(lost, ORCS), ORCS)


def test_sh_strat_16_R6_4_4_regulars_may_be_kept_for_orthanc_only_if_elites_are_short():
    def rising(elites: int) -> Position:
        position = holding(NEW_POWER).place("saruman", "orthanc").army("moria", isengard=10)
        return position.army("gap-of-rohan", isengard=1).army("fords-of-isen", isengard_elite=6 - elites)

    game = play(begin(rising(2), NEW_POWER, face="muster"), "region:north-dunland")
    assert reserve(game, "isengard") == (1, 2) and legal(game) == {"count:0", "count:1"}
    play(game, "count:0", "region:south-dunland")  # the last chance: Orthanc has Elites enough
    assert figures(game, "south-dunland") == {"isengard": 1}
    game = play(begin(rising(1), NEW_POWER, face="muster"), "region:north-dunland", "count:0")
    play(game, "region:south-dunland")
    assert legal(game) == {"count:0", "count:1"}
    play(game, "count:0", "region:orthanc", "figure:isengard-regular", "figure:isengard-elite")
    assert is_over(game, NEW_POWER) and figures(game, "orthanc") == {"isengard": 1, "isengard_elite": 1}


def test_sh_strat_22_R6_4_4_the_owner_chooses_which_places_go_without():
    game = fixed(short_of_orcs(MONSTERS, 1), MONSTERS, "count:0", "count:1")
    assert is_over(game, MONSTERS)
    places = ("angmar", "ettenmoors", "weather-hills", "trollshaws")
    assert board(game, *places) == [{}, {"sauron": 1}, {}, {"sauron_elite": 1}]


def test_sh_strat_22_monsters_roused():
    game = fixed(holding(MONSTERS), MONSTERS)
    assert is_over(game, MONSTERS) and reserve(game, "sauron") == (33, 5, 8)
    places = ("angmar", "ettenmoors", "weather-hills", "trollshaws")
    assert board(game, *places) == [{"sauron": 1}] * 3 + [{"sauron_elite": 1}]
    game = fixed(holding(MONSTERS).army("ettenmoors", north=1).army("trollshaws", elves=1), MONSTERS)
    assert is_over(game, MONSTERS)
    assert board(game, *places) == [{"sauron": 1}, {"north": 1}, {"sauron": 1}, {"elves": 1}]


def test_sh_strat_23_musterings_of_long_planned_war():
    game = fixed(holding(MUSTERINGS).at_war(*SHADOW_NATIONS), MUSTERINGS)
    assert is_over(game, MUSTERINGS)
    assert board(game, "gorgoroth", "nurn") == [{"southrons": 5}, {"sauron": 5}]
    assert reserve(game, "southrons") == (19, 6) and reserve(game, "sauron") == (31, 6, 8)
    for name in SHADOW_NATIONS:
        assert not offers(holding(MUSTERINGS).at_war(*set(SHADOW_NATIONS) - {name}), "muster")


# --- Several places of the player's choice. ---


def test_sh_strat_17_many_kings_three_different_southron_settlements():
    position = holding(MANY_KINGS).control("near-harad", FP).army("umbar", southrons=4, gondor=1)
    game = begin(position, MANY_KINGS, face="muster")
    open_places = {"region:far-harad", "region:north-rhun", "region:south-rhun", "region:umbar"}
    assert legal(game) == open_places
    play(game, "region:umbar")
    assert legal(game) == open_places - {"region:umbar"}
    play(game, "region:far-harad", "region:south-rhun")
    assert is_over(game, MANY_KINGS) and reserve(game, "southrons") == (24 - 9, 6)
    places = board(game, "umbar", "far-harad", "south-rhun", "north-rhun")
    assert places == [{"southrons": 5, "gondor": 1}, {"southrons": 2}, {"southrons": 2}, {}]


def test_sh_strat_17_R6_4_4_as_many_as_are_left_where_their_owner_wants_them():
    position = holding(MANY_KINGS).army("khand", southrons=10).army("nurn", southrons=10)
    position.army("gorgoroth", southrons=1)
    game = play(begin(position, MANY_KINGS), "region:umbar")
    assert (game.side, legal(game)) == (SH, {"count:1", "count:2"})
    assert "how many Regulars of Southrons and Easterlings" in game.describe()
    two = play(game.clone(), "count:2", "region:far-harad")
    assert is_over(two, MANY_KINGS)
    assert board(two, "umbar", "far-harad") == [{"southrons": 2}, {"southrons": 1}]
    assert two.state.moved_count == 0
    play(game, "count:1", "region:far-harad", "count:1", "region:south-rhun")
    assert is_over(game, MANY_KINGS)
    assert board(game, "umbar", "far-harad", "south-rhun") == [{"southrons": 1}] * 3
    assert not offers(position.army("gorgoroth", southrons=3), "muster")


def test_sh_strat_24_pits_of_mordor_three_different_sauron_strongholds():
    position = holding(PITS).at_war("sauron").control("moria", FP).army("morannon", sauron=10)
    game = begin(position, PITS, face="muster")
    strongholds = {
        f"region:{place}" for place in ("barad-dur", "dol-guldur", "minas-morgul", "mount-gundabad")
    }
    assert legal(game) == strongholds
    play(game, "region:minas-morgul", "region:mount-gundabad")
    assert legal(game) == strongholds - {"region:minas-morgul", "region:mount-gundabad"}
    play(game, "region:barad-dur")
    assert is_over(game, PITS) and reserve(game, "sauron") == (36 - 16, 6, 8)
    assert board(game, "minas-morgul", "mount-gundabad", "barad-dur") == [{"sauron": 2}] * 3
    assert not offers(holding(PITS).politics("sauron", 1), "muster")
