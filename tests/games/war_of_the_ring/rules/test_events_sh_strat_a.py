"""Events of the Shadow's Strategy deck, sh-strat-01 to sh-strat-10: hits, sieges, moves (R6.4)."""

from __future__ import annotations

import pytest

from tests.positions import Position, figures, legal, legal_block, nation, play, where
from tests.shadow_events import begin, board, controller, holding, is_over, offers, reserve, steps, zone
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
VALINOR, URUK_HAI, FOLLY, DAWN, THREATS = (f"sh-strat-0{i}" for i in range(1, 6))
STORMCROW, GATHER, LENGTHENS, MOVING = (f"sh-strat-0{i}" for i in range(6, 10))
CORSAIRS = "sh-strat-10"
SHADOW_NATIONS = ("sauron", "isengard", "southrons")


# --- sh-strat-01, Return to Valinor. ---


def valinor(**options) -> Position:
    return holding(VALINOR, **options).control("lorien", SH)


def test_sh_strat_01_return_to_valinor_RG37_R6_4_6_a_die_per_elven_unit_in_each_free_stronghold():
    position = valinor().army("grey-havens", elves=2, elves_elite=4).army("rivendell", elves=1, sauron=1)
    position.army("woodland-realm", elves_elite=2, north=1).army("dale", elves=1).politics("elves", 3)
    game = begin(position, VALINOR, *(6, 5, 5, 1, 1), *(5, 6), face="army")
    assert game.side == FP and legal(game) == {"figure:elves-regular", "nation:elves"}
    play(game, "figure:elves-regular")
    assert legal(game) == {"nation:elves", "figure:north-regular"}  # the whole army takes the hit
    play(game, "figure:north-regular")
    assert is_over(game, VALINOR) and steps(game, "elves") == (3, True)  # no attack, no advance
    assert board(game, "grey-havens", "woodland-realm") == [
        {"elves": 1, "elves_elite": 4},
        {"elves_elite": 2},
    ]
    assert board(game, "rivendell", "dale") == [{"elves": 1, "sauron": 1}, {"elves": 1}]


@pytest.mark.parametrize(("spare", "fate"), [(False, "eliminated"), (True, "woodland-realm")])
def test_sh_strat_01_RG10_R6_4_10_a_destroyed_army_loses_its_leaders_and_companions(spare, fate):
    position = valinor(card_hits_spare_characters=spare).army("woodland-realm", elves=1, elves_leader=1)
    position.place("legolas", "woodland-realm").army("grey-havens", elves=1).place("gimli", "grey-havens")
    game = play(begin(position, VALINOR, 1, 6), "figure:elves-regular")
    assert is_over(game, VALINOR) and figures(game, "woodland-realm") == {}
    assert game.state.casualty_regular[nation("elves")] == game.state.casualty_leader[nation("elves")] == 1
    assert where(game, "legolas") == fate and controller(game, "woodland-realm") == FP
    assert where(game, "gimli") == "grey-havens" and figures(game, "grey-havens") == {"elves": 1}


def test_sh_strat_01_R6_4_1_R6_4_4_needs_an_elven_stronghold_and_somebody_to_hit():
    assert not offers(holding(VALINOR).army("grey-havens", elves=2))
    assert not offers(holding(VALINOR, null_events=True).army("grey-havens", elves=2))
    nobody = valinor().army("rivendell", elves=1, sauron=1).army("woodland-realm", north=2)
    assert not offers(nobody.army("lorien", sauron=2), "army")
    assert is_over(begin(valinor(null_events=True), VALINOR), VALINOR)


# --- sh-strat-02, The Fighting Uruk-hai. ---


def helms_deep(*cards: str, rohan: int = 2, **besieger: int) -> Position:
    position = holding(URUK_HAI).hand(FP, *cards).at_war("isengard", "rohan")
    position.place("saruman", "orthanc").army("helms-deep", rohan=rohan, **besieger)
    return position


def test_sh_strat_02_the_fighting_uruk_hai_three_rounds_of_assault():
    rounds = (*(5, 5, 5, 1, 1), *(5, 6, 5, 6, 1), *(1, 1, 4))  # attackers hit on 6
    game = begin(helms_deep(isengard=3), URUK_HAI, *rounds, face="army")
    assert legal_block(game, "region") == {"helms-deep"}
    play(game, "region:helms-deep")
    assert legal(game) == {"region:helms-deep"}
    play(game, "region:helms-deep", "verb:whole-army")
    assert game.state.battle_round == 2 and game.side == SH  # nothing was asked after the first round
    play(game, "figure:isengard-regular", "figure:rohan-regular")
    assert is_over(game, URUK_HAI)  # the third round was the last, without an Elite to reduce
    assert figures(game, "helms-deep") == {"isengard": 2, "rohan": 1}


def test_sh_strat_02_R7_14_3_then_elites_may_lengthen_it():
    position = helms_deep(isengard_elite=1, rohan=1)
    # The Elite leads, with Saruman in play: a missed die of his is rolled again.
    game = begin(position, URUK_HAI, *(1, 1, 1) * 3, *(6, 1), face="army")
    play(game, "region:helms-deep", "region:helms-deep", "verb:whole-army")
    assert game.decision == Decision.PROLONG_ASSAULT and game.state.battle_round == 3
    assert legal(game) == {"nation:isengard", "verb:cease"}
    play(game, "nation:isengard", "figure:rohan-regular")
    assert is_over(game, URUK_HAI) and figures(game, "helms-deep") == {"isengard": 1}
    assert controller(game, "helms-deep") == SH


@pytest.mark.parametrize("companion", [None, "gimli"])
def test_sh_strat_02_no_free_peoples_card_in_round_one_without_a_companion(companion):
    position = helms_deep("fp-strat-08", isengard=1)  # Confusion asks for nothing
    if companion:
        position.place(companion, "helms-deep")
    game = begin(position, URUK_HAI, *(1,) * 3, face="army")
    play(game, "region:helms-deep", "region:helms-deep", "verb:whole-army")
    assert game.decision == Decision.COMBAT_CARD and game.side == FP
    assert game.state.battle_round == (1 if companion else 2)


def test_sh_strat_02_R6_4_5_an_attack_of_units_at_war_on_the_siege_of_an_army_with_isengard():
    position = helms_deep(isengard=1, sauron=2).politics("rohan", 3, active=False)
    game = begin(position.politics("sauron", 1), URUK_HAI, face="army")
    play(game, "region:helms-deep", "region:helms-deep")
    assert legal(game) == {"figure:isengard-regular", "verb:whole-army"}
    play(game.with_tape([1] * 9), "verb:whole-army")
    assert is_over(game, URUK_HAI) and steps(game, "rohan") == (2, True)


def test_sh_strat_02_not_without_such_a_siege_saruman_or_war():
    assert offers(helms_deep(isengard=1), "army")
    assert not offers(helms_deep(sauron=1).at_war("sauron"), "army")  # no Isengard unit
    assert not offers(helms_deep(isengard=1).place("saruman", "eliminated"), "army")
    assert not offers(helms_deep(isengard=1).politics("isengard", 1), "army")  # R6.4.5
    field = holding(URUK_HAI).at_war("isengard").place("saruman", "orthanc")
    assert not offers(field.army("fords-of-isen", isengard=1).army("westemnet", rohan=1))
    sortie = holding(URUK_HAI).at_war("isengard").place("saruman", "orthanc")
    assert not offers(sortie.army("orthanc", isengard=1, rohan=1))


def test_sh_strat_02_R6_4_1_the_siege_is_a_printed_condition_also_with_null_events():
    position = holding(URUK_HAI, null_events=True).at_war("isengard").place("saruman", "orthanc")
    assert not offers(position.army("orthanc", isengard=2))


# --- sh-strat-03, Denethor's Folly: the Leader; the effects on the table are tested elsewhere. ---


def test_sh_strat_03_denethors_folly_RG26_the_free_peoples_choose_a_leader_who_dies():
    position = holding(FOLLY).army("minas-tirith", sauron=1, gondor=1, gondor_leader=1)
    game = begin(position.army("minas-tirith", rohan=1, rohan_leader=2), FOLLY, face="army")
    assert game.side == FP and legal(game) == {"figure:gondor-leader", "figure:rohan-leader"}
    play(game, "figure:rohan-leader")
    assert zone(game, FOLLY) == CardZone.TABLE and game.decision == Decision.ACTION_DIE
    found = {"sauron": 1, "gondor": 1, "gondor_leader": 1, "rohan": 1, "rohan_leader": 1}
    assert figures(game, "minas-tirith") == found and game.state.casualty_leader[nation("rohan")] == 1


def test_sh_strat_03_R6_4_4_no_leader_there_the_card_still_goes_to_the_table():
    position = holding(FOLLY).army("minas-tirith", sauron=1, gondor=1).place("boromir", "minas-tirith")
    game = begin(position.army("pelargir", gondor=1, gondor_leader=1), FOLLY)
    assert zone(game, FOLLY) == CardZone.TABLE and game.decision == Decision.ACTION_DIE
    assert figures(game, "pelargir") == {"gondor": 1, "gondor_leader": 1}


def test_sh_strat_03_R6_4_1_only_while_the_shadow_besieges_minas_tirith():
    assert not offers(holding(FOLLY).army("minas-tirith", gondor=1, gondor_leader=1))
    assert not offers(holding(FOLLY).army("minas-tirith", sauron=1).control("minas-tirith", SH))
    besieged_by_fp = holding(FOLLY).army("minas-tirith", gondor=1, gondor_leader=1, sauron=1)
    assert not offers(besieged_by_fp.control("minas-tirith", SH))


# --- sh-strat-04, The Day Without Dawn. ---


def dawn(*names: str, dice: str = "will will character", **options) -> Position:
    position = holding(DAWN, **options).dice(dice, "army army", acting=SH)
    return position.at_war(*names)


def test_sh_strat_04_the_day_without_dawn_all_unused_will_results_are_lost():
    game = begin(dawn(*SHADOW_NATIONS).rings(3, 0), DAWN, face="army")
    assert game.decision == Decision.ACTION_DIE and zone(game, DAWN) == CardZone.DISCARD
    assert game.side == FP and legal_block(game, "face") == {"character"}
    assert game.state.dice[FP].sum() == 1 and game.state.dice_used[FP] == game.state.pool[FP] - 1
    assert game.state.dice[SH].sum() == 1


def test_sh_strat_04_not_with_a_shadow_nation_at_peace_or_without_a_will():
    for name in SHADOW_NATIONS:
        assert not offers(dawn(*set(SHADOW_NATIONS) - {name}), "army")
    assert not offers(dawn(*SHADOW_NATIONS, dice="character muster"), "army")
    game = begin(dawn(*SHADOW_NATIONS, dice="character", null_events=True), DAWN, face="army")
    assert zone(game, DAWN) == CardZone.DISCARD and game.state.dice[FP].sum() == 1


# --- sh-strat-05, Threats and Promises; its effect on the table is tested elsewhere. ---


@pytest.mark.parametrize("face", ["event", "muster", "army_muster"])
def test_sh_strat_05_threats_and_promises_R6_5_1_goes_to_the_table(face):
    position = holding(THREATS, dice=f"{face} {face}").at_war("sauron")
    game = begin(position, THREATS, face=face.replace("_", "-"))
    assert zone(game, THREATS) == CardZone.TABLE and game.decision == Decision.ACTION_DIE
    assert not offers(holding(THREATS).army("moria", sauron=1), "army")


# --- sh-strat-06, Stormcrow. ---


def stormcrow(**options) -> Position:
    position = holding(STORMCROW, **options)
    return position.fellowship("hollin", companions=["gandalf-grey", "strider"])


def test_sh_strat_06_stormcrow_the_nation_steps_back_and_loses_a_figure_of_its_choice():
    position = stormcrow().fellowship("edoras").place("gimli", "carrock").place("boromir", "minas-tirith")
    position.politics("north", 1).politics("rohan", 2, active=False).at_war("gondor")
    position.army("dale", north=1, north_elite=1, north_leader=1, dwarves=1).army("bree", north=1)
    game = begin(position, STORMCROW, face="muster")
    assert game.side == SH and legal(game) == {"nation:north", "nation:rohan"}
    play(game, "nation:north")
    assert steps(game, "north") == (2, True)
    assert game.side == FP and legal(game) == {"region:dale", "region:bree"}
    play(game, "region:dale")
    assert legal(game) == {"figure:north-regular", "figure:north-elite", "figure:north-leader"}
    play(game, "figure:north-elite")
    assert is_over(game, STORMCROW) and steps(game, "rohan") == (2, False)
    assert figures(game, "dale") == {"north": 1, "north_leader": 1, "dwarves": 1}
    assert game.state.casualty_elite[nation("north")] == 1


def test_sh_strat_06_R6_4_4_not_beyond_the_first_box_and_leaders_left_alone_go_too():
    position = stormcrow().place("legolas", "dale").army("dale", north=1, north_leader=2)
    game = begin(position.politics("north", 3, active=False), STORMCROW, face="muster")
    play(game, "nation:north", "region:dale", "figure:north-regular")
    assert is_over(game, STORMCROW) and steps(game, "north") == (3, False)
    assert figures(game, "dale") == {} and where(game, "legolas") == "eliminated"  # R6.4.10
    assert game.state.casualty_leader[nation("north")] == 2


def test_sh_strat_06_R6_4_4_a_nation_without_figures_only_steps_back():
    position = stormcrow().place("legolas", "dale").politics("north", 1)
    game = play(begin(position, STORMCROW, face="muster"), "nation:north")
    assert is_over(game, STORMCROW) and steps(game, "north") == (2, True)


def test_sh_strat_06_R6_4_10_a_garrison_that_loses_its_last_unit_loses_the_stronghold():
    position = stormcrow().place("gimli", "erebor").politics("dwarves", 2)
    position.army("erebor", dwarves=1, dwarves_leader=1, sauron=1)
    game = play(begin(position, STORMCROW, face="muster"), "nation:dwarves", "region:erebor")
    play(game, "figure:dwarves-regular")
    assert is_over(game, STORMCROW) and figures(game, "erebor") == {"sauron": 1}
    assert controller(game, "erebor") == SH and where(game, "gimli") == "eliminated"
    assert steps(game, "dwarves") == (2, True)  # back to 3, then the capture


def no_visitor(**options) -> Position:
    position = stormcrow(**options).place("legolas", "osgiliath").place("boromir", "minas-tirith")
    return position.at_war("gondor").army("dale", north=1)


def test_sh_strat_06_not_for_companions_in_the_fellowship_nations_at_war_or_the_mordor_track():
    assert not offers(no_visitor(), "muster")
    on_the_track = stormcrow().fellowship("edoras", mordor_step=2).army("edoras", rohan=1)
    assert not offers(on_the_track, "muster")


def test_sh_strat_06_R6_4_1_the_visitor_is_a_printed_condition_also_with_null_events():
    assert not offers(no_visitor(null_events=True), "muster")


def test_sh_strat_06_R6_4_4_not_when_nothing_would_change():
    def nothing(**options) -> Position:
        return stormcrow(**options).place("gimli", "erebor").politics("dwarves", 3, active=False)

    assert offers(nothing().army("ered-luin", dwarves=1), "muster")
    assert not offers(nothing(), "muster")
    assert offers(nothing(null_events=True), "muster")


# --- sh-strat-07, Shadows Gather. ---


def gather(*names: str, **options) -> Position:
    return holding(GATHER, **options).at_war(*(names or SHADOW_NATIONS))


def test_sh_strat_07_shadows_gather_three_regions_to_another_army():
    position = gather().army("dagorlad", sauron=3, nazgul=1).army("dol-guldur", southrons=1)
    game = begin(position.place("mouth-of-sauron", "dagorlad"), GATHER, face="army")
    assert legal(game) == {"region:dagorlad", "region:dol-guldur"}
    play(game, "region:dagorlad")
    assert legal(game) == {"region:noman-lands", "region:eastern-emyn-muil"}
    play(game, "region:noman-lands")
    who = {"figure:sauron-regular", "figure:sauron-nazgul", "character:mouth-of-sauron"}
    assert legal(game) == {*who, "verb:whole-army"}
    play(game, "verb:whole-army")
    assert legal(game) == {"region:eastern-brown-lands"}  # nothing is picked up or dropped, no end there
    play(game, "region:eastern-brown-lands")
    assert legal(game) == {"region:dol-guldur"}
    play(game, "region:dol-guldur")
    assert is_over(game, GATHER) and where(game, "mouth-of-sauron") == "dol-guldur"
    places = board(game, "dagorlad", "noman-lands", "eastern-brown-lands", "dol-guldur")
    assert places == [{}, {}, {}, {"sauron": 3, "nazgul": 1, "southrons": 1}]


def test_sh_strat_07_R6_4_9_a_split_at_the_start_and_a_shorter_way():
    position = gather().army("dagorlad", sauron=2).army("morannon", sauron=1).army("gorgoroth", sauron=1)
    game = play(begin(position, GATHER), "region:dagorlad")
    ways = {"morannon", "north-ithilien"}  # no way leads through Dagorlad again
    assert legal_block(game, "region") == ways
    play(game, "region:morannon", "figure:sauron-regular", "verb:done")
    assert {"verb:done", "region:gorgoroth"} <= legal(game)
    play(game, "verb:done")
    assert is_over(game, GATHER)
    assert board(game, "dagorlad", "morannon", "gorgoroth") == [{"sauron": 1}, {"sauron": 2}, {"sauron": 1}]


def test_sh_strat_07_R7_5_12_R7_5_11_entering_effects_in_each_region_crossed():
    position = gather().army("fords-of-isen", isengard=2).army("eastemnet", isengard=1)
    game = begin(position.politics("rohan", 3, active=False), GATHER)
    play(game, "region:fords-of-isen")
    assert legal(game) == {"region:westemnet", "region:fangorn", "region:helms-deep"}
    play(game, "region:westemnet", "figure:isengard-regular", "figure:isengard-regular", "verb:done")
    assert controller(game, "westemnet") == SH and steps(game, "rohan") == (2, True)
    play(game, "region:eastemnet")
    assert figures(game, "eastemnet") == {"isengard": 3} and controller(game, "westemnet") == SH


def test_sh_strat_07_R7_5_12_a_free_peoples_army_on_the_only_way():
    position = gather().army("dagorlad", sauron=1).army("dol-guldur", southrons=1)
    assert not offers(position.army("eastern-brown-lands", rohan=1), "army")


def test_sh_strat_07_R7_5_12_R7_5_9_units_at_peace_keep_to_their_borders_all_the_way():
    position = gather("sauron").army("hollin", isengard=1, sauron=1).army("dimrill-dale", sauron=1)
    game = play(begin(position, GATHER), "region:hollin", "region:moria")  # a region of Sauron
    assert legal(game) == {"figure:sauron-regular", "verb:whole-army"}
    play(game, "verb:whole-army")
    play(game, "region:dimrill-dale")
    assert is_over(game, GATHER)
    assert board(game, "hollin", "dimrill-dale") == [{"isengard": 1}, {"sauron": 2}]
    assert not offers(gather("sauron").army("hollin", isengard=1).army("dimrill-dale", isengard=1), "army")


def test_sh_strat_07_R7_5_8_no_more_units_than_there_is_room_for():
    position = gather().army("dagorlad", sauron=3).army("morannon", sauron=8)
    game = play(begin(position, GATHER), "region:dagorlad", "region:morannon")
    assert legal(game) == {"figure:sauron-regular"}
    play(game, "figure:sauron-regular", "figure:sauron-regular")
    assert legal(game) == {"verb:done"}
    full = gather().army("dagorlad", sauron=10).army("morannon", sauron=10)
    assert not offers(full, "army")


def test_sh_strat_07_R7_5_10_besieged_armies_neither_move_nor_are_joined_but_besiegers_are():
    assert not offers(gather().army("morannon", sauron=1, gondor=1).army("gorgoroth", sauron=1), "army")
    position = gather().army("minas-tirith", sauron=1, gondor=1).army("north-ithilien", sauron=2)
    game = play(begin(position, GATHER), "region:north-ithilien", "region:osgiliath", "verb:whole-army")
    assert "region:minas-tirith" in legal(game) and "verb:done" not in legal(game)
    assert figures(play(game, "region:minas-tirith"), "minas-tirith") == {"sauron": 3, "gondor": 1}


def test_sh_strat_07_R6_4_4_not_with_one_army_or_too_far_away():
    assert not offers(gather().army("dagorlad", sauron=5), "army")
    assert not offers(gather().army("dagorlad", sauron=5).army("moria", sauron=5), "army")


# --- sh-strat-08, The Shadow Lengthens. ---


def lengthens() -> Position:
    return holding(LENGTHENS).at_war(*SHADOW_NATIONS)


def test_sh_strat_08_the_shadow_lengthens_two_different_armies_two_regions_each():
    position = lengthens().army("dagorlad", sauron=2).army("morannon", sauron=1)
    position.army("south-ithilien", sauron=1).army("gorgoroth", sauron=1).army("far-harad", southrons=1)
    game = begin(position, LENGTHENS, face="army")
    assert legal(game) == {
        f"region:{place}" for place in ("dagorlad", "morannon", "south-ithilien", "gorgoroth")
    }
    play(game, "region:dagorlad", "region:morannon", "verb:whole-army")
    assert {"verb:done", "region:gorgoroth"} <= legal(game)
    play(game, "verb:done")
    assert legal(game) == {"region:morannon", "region:south-ithilien", "region:gorgoroth", "verb:done"}
    play(game, "region:south-ithilien")
    assert legal(game) == {"region:minas-morgul"}
    play(game, "region:minas-morgul", "verb:whole-army", "region:gorgoroth")
    assert is_over(game, LENGTHENS)
    places = board(game, "dagorlad", "morannon", "south-ithilien", "minas-morgul", "gorgoroth")
    assert places == [{}, {"sauron": 3}, {}, {}, {"sauron": 2}]


def test_sh_strat_08_R7_5_14_the_second_may_be_the_rest_of_the_first_or_none():
    position = lengthens().army("dagorlad", sauron=2).army("morannon", sauron=1)
    game = play(begin(position, LENGTHENS), "region:dagorlad", "region:morannon", "figure:sauron-regular")
    play(game, "verb:done")
    if "verb:done" in legal(game) and game.decision == Decision.ARMY_DESTINATION:
        play(game, "verb:done")
    assert legal(game) == {"region:dagorlad", "region:morannon", "verb:done"}
    assert is_over(play(game, "verb:done"), LENGTHENS) and figures(game, "morannon") == {"sauron": 2}


def test_sh_strat_08_not_three_regions_away():
    assert not offers(lengthens().army("dagorlad", sauron=3).army("dol-guldur", southrons=1), "army")
    assert offers(lengthens().army("noman-lands", sauron=3).army("dol-guldur", southrons=1), "army")


# --- sh-strat-09, The Shadow Is Moving. ---


def moving(*names: str) -> Position:
    return holding(MOVING).at_war(*names)


def test_sh_strat_09_the_shadow_is_moving_four_armies_one_region_each():
    position = moving(*SHADOW_NATIONS).army("dagorlad", sauron=2).army("moria", sauron=1)
    position.army("umbar", southrons=1).army("orthanc", isengard=1).army("far-harad", southrons=2)
    game = begin(position, MOVING, face="army")
    play(game, "region:dagorlad", "region:morannon", "verb:whole-army")
    origins = {"region:moria", "region:umbar", "region:orthanc", "region:far-harad"}
    assert legal(game) == {*origins, "verb:done"}  # nobody moves twice
    play(game, "region:moria", "region:hollin", "verb:whole-army")
    play(game, "region:far-harad", "region:near-harad", "figure:southrons-regular", "verb:done")
    assert legal(game) == {"region:umbar", "region:orthanc", "region:far-harad", "verb:done"}
    play(game, "region:umbar", "region:near-harad", "verb:whole-army")
    assert is_over(game, MOVING)
    places = board(game, "morannon", "hollin", "near-harad", "orthanc", "far-harad")
    regular = {"southrons": 1}
    assert places == [{"sauron": 2}, {"sauron": 1}, {"southrons": 2}, {"isengard": 1}, regular]


def test_sh_strat_09_up_to_four_and_only_with_all_shadow_nations_at_war():
    game = begin(moving(*SHADOW_NATIONS).army("moria", sauron=1).army("umbar", southrons=1), MOVING)
    assert legal(game) == {"region:moria", "region:umbar"}
    assert is_over(play(game, "region:moria", "region:hollin", "verb:whole-army", "verb:done"), MOVING)
    for name in SHADOW_NATIONS:
        peace = moving(*set(SHADOW_NATIONS) - {name}).army("dagorlad", sauron=1)
        assert not offers(peace, "army")
    assert not offers(moving(*SHADOW_NATIONS).army("barad-dur", nazgul=1), "army")
    assert reserve(game, "southrons") == (23, 6)
