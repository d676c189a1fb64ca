"""Captures: by movement, advance and siege, what they cause, and captured Settlements (R7.17)."""

import pytest

from tests.positions import Position, attack, figures, legal, legal_block, nation, play, region
from wotr_env.games.war_of_the_ring.codes import Decision, Phase, Reason, Side, TurnStage, Winner
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX
from wotr_env.games.war_of_the_ring.words.positions import victory_points

FREE_PEOPLES, SHADOW = Side.FREE_PEOPLES, Side.SHADOW


def controller(game, place):
    return Side(int(game.state.control[SETTLEMENT_INDEX[region(place)]]))


def politics(game, name):
    """(steps to war, active) of a nation."""
    return int(game.state.steps_to_war[nation(name)]), bool(game.state.active[nation(name)])


def move(game, die, origin, destination, *picks):
    play(game, f"face:{die}", "plan:move-armies", f"region:{origin}", f"region:{destination}")
    return play(game, *picks, "verb:done") if picks else play(game, "verb:whole-army")


def shadow_in_osgiliath(**army):
    return Position().at_war("sauron").army("osgiliath", **army).dice("", "army army army")


# --- R7.17.1: when. ---


@pytest.mark.parametrize("place", ["lossarnach", "pelargir", "minas-tirith"])
def test_R7_17_1_RU20_an_army_that_enters_captures_a_town_a_city_an_unoccupied_stronghold(place):
    game = move(shadow_in_osgiliath(sauron=2).game(), "army", "osgiliath", place)
    assert controller(game, place) == SHADOW


def test_R7_17_1_a_part_of_an_army_captures_characters_alone_do_not():
    game = move(
        shadow_in_osgiliath(sauron=2).game(), "army", "osgiliath", "pelargir", "figure:sauron-regular"
    )
    assert controller(game, "pelargir") == SHADOW
    position = Position().army("minas-morgul", nazgul=1).dice("", "character army")
    game = play(
        position.game(), "face:character", "plan:move-minions", "region:minas-morgul", "region:pelargir"
    )
    assert figures(game, "pelargir") == {"nazgul": 1}
    assert controller(game, "pelargir") == FREE_PEOPLES


def test_R7_17_1_the_free_peoples_capture_too():
    position = Position().at_war("gondor").army("west-harondor", gondor=1).dice("army_muster event", "")
    game = move(position.game(), "army-muster", "west-harondor", "umbar")
    assert controller(game, "umbar") == FREE_PEOPLES
    assert politics(game, "southrons") == (1, True)
    assert victory_points(game.state) == (2, 0)


def test_R7_17_1_by_an_advance():
    position = shadow_in_osgiliath(sauron=2).army("pelargir", gondor=1)
    game = attack(position.game(6, 1, 1), "army", "osgiliath", "pelargir")
    play(game, "figure:gondor-regular")
    assert controller(game, "pelargir") == FREE_PEOPLES
    declined = play(game.clone(), "verb:decline")
    assert controller(declined, "pelargir") == FREE_PEOPLES
    play(game, "verb:whole-army")
    assert controller(game, "pelargir") == SHADOW


def test_R7_18_8_a_stronghold_left_by_retreat_is_captured_by_the_advance():
    position = shadow_in_osgiliath(sauron=2).army("minas-tirith", gondor=1)
    game = attack(position.game(1, 1, 1), "army", "osgiliath", "minas-tirith")
    play(game, "verb:fight", "verb:continue", "region:lossarnach")
    assert controller(game, "minas-tirith") == FREE_PEOPLES
    assert game.decision == Decision.ADVANCE_FIGURES
    play(game, "verb:whole-army")
    assert controller(game, "minas-tirith") == SHADOW
    assert figures(game, "lossarnach") == {"gondor": 1}


def test_R7_18_8_an_army_destroyed_in_the_open_leaves_its_stronghold_to_the_advance():
    position = shadow_in_osgiliath(sauron=2).army("minas-tirith", gondor=1)
    game = attack(position.game(6, 1, 1), "army", "osgiliath", "minas-tirith")
    play(game, "verb:fight", "figure:gondor-regular")
    assert controller(play(game.clone(), "verb:decline"), "minas-tirith") == FREE_PEOPLES
    assert controller(play(game, "verb:whole-army"), "minas-tirith") == SHADOW


def test_R7_17_1_moving_into_a_siege_captures_nothing():
    position = shadow_in_osgiliath(sauron=2).army("minas-tirith", gondor=1, sauron=1)
    game = move(position.game(), "army", "osgiliath", "minas-tirith")
    assert controller(game, "minas-tirith") == FREE_PEOPLES


def test_R7_17_1_a_fortification_is_no_settlement():
    position = Position().at_war("isengard").army("orthanc", isengard=1).dice("", "army army")
    before = position.state.control.copy()
    game = move(position.game(), "army", "orthanc", "fords-of-isen")
    assert (game.state.control == before).all()
    assert politics(game, "rohan") == (3, True)  # activated by the invasion, no step


# --- R7.17.2: the consequences. ---


def test_R7_17_2_the_nation_becomes_active_by_the_invasion_and_advances_by_the_capture():
    position = shadow_in_osgiliath(sauron=1).politics("gondor", 1, active=False)
    game = move(position.game(), "army", "osgiliath", "lossarnach")
    assert politics(game, "gondor") == (0, True)


def test_R7_17_2_the_nation_of_a_stronghold_taken_by_assault_advances():
    position = Position().at_war("sauron").politics("gondor", 3).army("minas-tirith", sauron=1, rohan=1)
    game = attack(position.dice("", "army army").game(6, 1), "army", "minas-tirith", "minas-tirith")
    assert politics(game, "gondor") == (3, True)  # Rohan was attacked
    play(game, "figure:rohan-regular")
    assert politics(game, "gondor") == (2, True)


def test_GX32_R7_17_2_victory_points_of_captures_and_of_a_retaken_city():
    position = Position().at_war("sauron", "gondor").army("osgiliath", sauron=2).army("lamedon", gondor=1)
    position.dice("army_muster event event event", "army army").rings(0, 0)
    position.state.acting = SHADOW
    game = position.game()
    play(
        game, "face:army", "plan:move-armies", "region:osgiliath", "region:pelargir", "figure:sauron-regular"
    )
    play(game, "verb:done", "region:osgiliath", "region:minas-tirith", "verb:whole-army")
    assert victory_points(game.state) == (0, 3)
    play(game, "face:event", "plan:skip")
    move(game, "army", "pelargir", "lossarnach")
    play(game, "verb:done")  # no second army
    move(game, "army-muster", "lamedon", "pelargir")
    assert controller(game, "pelargir") == FREE_PEOPLES
    assert victory_points(game.state) == (0, 2)


def test_R7_17_2_retaking_gives_no_political_step():
    position = Position().at_war("rohan").politics("gondor", 2, active=False).control("pelargir", SHADOW)
    game = move(
        position.army("west-harondor", rohan=1).dice("army_muster event", "").game(),
        "army-muster",
        "west-harondor",
        "pelargir",
    )
    assert controller(game, "pelargir") == FREE_PEOPLES
    assert politics(game, "gondor") == (2, False)
    position = Position().at_war("isengard").control("nurn", FREE_PEOPLES).army("gorgoroth", isengard=1)
    game = move(position.dice("", "army army").game(), "army", "gorgoroth", "nurn")
    assert controller(game, "nurn") == SHADOW
    assert politics(game, "sauron") == (1, True)


# --- R7.5.11: the order of the entering effects in an advance or a retreat. ---


def test_R7_18_5_R7_5_11_an_advance_activates_the_nation_of_the_region():
    def won():
        position = Position().at_war("isengard").army("fangorn", isengard=1).army("eastemnet", gondor=1)
        game = attack(position.dice("", "army army").game(6, 1), "army", "fangorn", "eastemnet")
        return play(game, "figure:gondor-regular")

    assert politics(play(won(), "verb:decline"), "rohan") == (3, False)
    assert politics(play(won(), "verb:whole-army"), "rohan") == (3, True)


def test_R7_18_3_R7_5_11_a_shadow_retreat_activates_the_nation_it_enters():
    position = Position().at_war("rohan").army("dead-marshes", rohan=1).army("osgiliath", southrons=1)
    game = position.dice("army_muster event", "").game(1, 1)
    attack(game, "army-muster", "dead-marshes", "osgiliath")
    play(game, "verb:continue")
    # Free: no Free Peoples Settlement; Druadan Forest belongs to Gondor.
    assert legal_block(game, "region") == {
        "druadan-forest",
        "north-ithilien",
        "south-ithilien",
        "west-harondor",
    }
    assert politics(game, "gondor") == (2, False)
    play(game, "region:druadan-forest")
    assert politics(game, "gondor") == (2, True)


def test_R7_18_5_R7_5_11_companions_arrive_after_the_capture():
    position = Position().at_war("gondor").army("folde", gondor=1).place("gandalf-grey", "folde")
    position.fellowship(companions=["strider"]).army("edoras", isengard=1).control("edoras", SHADOW)
    # The City protects the Shadow too: a 6 is needed in round 1.
    game = position.dice("army_muster event", "").game(6, 1, 1, 1)
    attack(game, "army-muster", "folde", "edoras")
    play(game, "figure:isengard-regular")
    assert politics(game, "rohan") == (3, False)
    play(game, "verb:whole-army")
    assert controller(game, "edoras") == FREE_PEOPLES
    assert politics(game, "rohan") == (3, True)


# --- R7.17.3-R7.17.5: after the capture. ---


def test_R7_17_3_a_captured_settlement_recruits_for_nobody():
    position = (
        Position().at_war("gondor", "southrons").control("pelargir", SHADOW).control("umbar", FREE_PEOPLES)
    )
    position.dice("muster event", "muster army")
    game = play(position.game(), "face:muster", "plan:recruit", "figure:gondor-regular")
    assert legal_block(game, "region") == {"minas-tirith", "dol-amroth", "lossarnach", "lamedon"}
    position.state.acting = SHADOW
    game = play(position.game(), "face:muster", "plan:recruit", "figure:southrons-regular")
    assert legal_block(game, "region") == {"far-harad", "near-harad", "north-rhun", "south-rhun"}


@pytest.mark.parametrize(("holder", "active"), [(FREE_PEOPLES, True), (SHADOW, False)])
def test_R7_17_3_companions_activate_nobody_in_a_captured_settlement(holder, active):
    position = Position().place("boromir", "lossarnach").control("pelargir", holder)
    game = play(position.dice("character event", "").game(), "face:character", "plan:move-companions")
    play(game, "character:boromir", "verb:done", "region:pelargir")
    assert politics(game, "gondor") == (2, active)


@pytest.mark.parametrize(("holder", "allowed"), [(FREE_PEOPLES, True), (SHADOW, False)])
def test_R7_17_3_no_companion_ability_in_a_captured_settlement(holder, allowed):
    position = Position().place("boromir", "pelargir").control("pelargir", holder)
    game = play(position.dice("event event", "").game(), "face:event")
    assert ("plan:companion-advance" in legal(game)) == allowed


@pytest.mark.parametrize(("holder", "corruption"), [(FREE_PEOPLES, 2), (SHADOW, 3)])
def test_R7_17_3_no_healing_in_a_captured_settlement(holder, corruption):
    position = Position().fellowship("lossarnach", progress=1, corruption=3).control("pelargir", holder)
    game = play(position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game(), "region:pelargir")
    assert game.state.corruption == corruption
    assert politics(game, "gondor") == (2, holder == FREE_PEOPLES)


def test_R7_17_4_control_stays_after_the_units_leave():
    game = move(shadow_in_osgiliath(sauron=1).game(), "army", "osgiliath", "pelargir")
    move(game, "army", "pelargir", "west-harondor")
    assert figures(game, "pelargir") == {}
    assert controller(game, "pelargir") == SHADOW


def test_R7_17_5_military_victory_waits_for_phase_six():
    position = Position().at_war("sauron").army("osgiliath", sauron=1).dice("", "army army")
    for place in ("minas-tirith", "dol-amroth", "helms-deep", "erebor", "edoras"):
        position.control(place, SHADOW)
    game = move(position.game(), "army", "osgiliath", "pelargir")
    assert victory_points(game.state) == (0, 10)
    assert not game.over
    play(game, "face:army", "plan:skip")
    assert (game.result.winner, game.result.reason) == (Winner.SHADOW, Reason.SHADOW_MILITARY)
