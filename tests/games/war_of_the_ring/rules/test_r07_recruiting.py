"""Reinforcements by Muster (R7.4)."""

from __future__ import annotations

import pytest

from tests.positions import Position, figures_at, legal, legal_block, nation, play
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import Decision, Side

SHADOW = Side.SHADOW
FREE_PEOPLES = Side.FREE_PEOPLES


def muster(position: Position, side: Side = FREE_PEOPLES) -> Game:
    """The position with a Muster result spent on recruiting; the other side has a die left."""
    dice = ("muster", "event") if side == FREE_PEOPLES else ("event", "muster")
    return play(position.dice(*dice, acting=side).game(), "face:muster", "plan:recruit")


def action_is_over(game: Game) -> bool:
    return game.decision == Decision.ACTION_DIE


def rohan() -> Position:
    """Rohan At War with a unit in Edoras."""
    return Position().at_war("rohan").army("edoras", rohan=1)


def test_R7_4_1_two_regulars():
    game = muster(rohan())
    assert legal(game) == {"figure:rohan-regular", "figure:rohan-elite", "figure:rohan-leader"}
    play(game, "figure:rohan-regular", "region:helms-deep")
    assert legal(game) == {"figure:rohan-regular", "figure:rohan-leader", "verb:done"}
    play(game, "figure:rohan-regular", "region:folde")
    assert action_is_over(game)
    assert figures_at(game, "helms-deep") == figures_at(game, "folde") == {"rohan": 1}


def test_R7_4_1_two_leaders():
    game = muster(rohan().army("folde", rohan=1))
    play(game, "figure:rohan-leader", "region:edoras")
    assert legal(game) == {"figure:rohan-regular", "figure:rohan-leader", "verb:done"}
    play(game, "figure:rohan-leader", "region:folde")
    assert action_is_over(game)
    assert figures_at(game, "edoras") == figures_at(game, "folde") == {"rohan": 1, "rohan_leader": 1}


@pytest.mark.parametrize(
    "choices",
    [
        ("figure:rohan-regular", "region:folde", "figure:rohan-leader", "region:edoras"),
        ("figure:rohan-leader", "region:edoras", "figure:rohan-regular", "region:folde"),
    ],
)
def test_R7_4_1_a_regular_and_a_leader(choices):
    game = muster(rohan())
    play(game, *choices)
    assert action_is_over(game)
    assert figures_at(game, "edoras") == {"rohan": 1, "rohan_leader": 1}
    assert figures_at(game, "folde") == {"rohan": 1}


def test_R7_4_1_one_elite_is_all():
    game = muster(rohan())
    play(game, "figure:rohan-elite", "region:edoras")
    assert action_is_over(game)
    assert figures_at(game, "edoras") == {"rohan": 1, "rohan_elite": 1}


def test_R7_4_1_a_minion_but_no_companion():
    position = Position().at_war("isengard").dice("event", "muster", acting=SHADOW)
    game = play(position.game(), "face:muster")
    assert legal_block(game, "plan") == {"advance-nation", "recruit", "bring-character", "skip"}
    position = rohan().fellowship("rivendell", companions=["legolas"]).place("strider", "minas-tirith")
    game = play(position.dice("muster", "event").game(), "face:muster")
    assert legal_block(game, "plan") == {"advance-nation", "recruit", "skip"}


def test_R7_4_2_figures_come_from_the_reinforcements_not_from_the_dead():
    position = rohan().dead(rohan=9, rohan_elite=3)
    game = muster(position)
    assert legal_block(game, "figure") == {"rohan-elite", "rohan-leader"}
    play(game, "figure:rohan-elite", "region:folde")
    assert game.state.reinforcement_elite[nation("rohan")] == 1
    assert game.state.casualty_regular[nation("rohan")] == 9


def test_R7_4_2_the_last_regular_leaves_none_for_the_second_figure():
    game = muster(rohan().dead(rohan=8))
    play(game, "figure:rohan-regular", "region:folde")
    assert legal(game) == {"figure:rohan-leader", "verb:done"}
    play(game, "figure:rohan-leader")
    assert legal(game) == {"region:edoras"}


def test_R7_4_3_only_nations_at_war():
    position = Position().at_war("north").army("dale", north=1)
    position.politics("gondor", 1).army("pelargir", gondor=1)
    assert legal_block(muster(position), "figure") == {"north-regular", "north-elite", "north-leader"}


def test_R7_4_3_nazgul_belong_to_sauron():
    figures = legal_block(muster(Position().at_war("isengard"), SHADOW), "figure")
    assert figures == {"isengard-regular", "isengard-elite"}
    figures = legal_block(muster(Position().at_war("sauron"), SHADOW), "figure")
    assert figures == {"sauron-regular", "sauron-elite", "sauron-nazgul"}


def test_R7_4_4_in_a_settlement_of_its_own_nation():
    game = muster(Position().at_war("north", "gondor", "rohan"))
    play(game, "figure:north-regular")
    assert legal_block(game, "region") == {"dale", "the-shire", "bree", "carrock"}
    game = muster(Position().at_war("sauron"), SHADOW)
    play(game, "figure:sauron-elite")
    assert legal_block(game, "region") == {
        "barad-dur",
        "dol-guldur",
        "minas-morgul",
        "morannon",
        "moria",
        "mount-gundabad",
        "angmar",
        "nurn",
    }


def test_R7_4_4_a_fortification_is_no_settlement():
    game = muster(rohan().army("fords-of-isen", rohan=1))
    play(game, "figure:rohan-regular")
    assert legal_block(game, "region") == {"edoras", "folde", "westemnet", "helms-deep"}


def test_R7_4_4_nazgul_in_sauron_strongholds_only():
    game = muster(Position().at_war("sauron"), SHADOW)
    play(game, "figure:sauron-nazgul")
    strongholds = {"barad-dur", "dol-guldur", "minas-morgul", "morannon", "moria", "mount-gundabad"}
    assert legal_block(game, "region") == strongholds
    play(game, "region:moria", "figure:sauron-nazgul")
    assert legal_block(game, "region") == strongholds - {"moria"}


def test_R7_4_5_a_captured_settlement_recruits_for_nobody():
    position = rohan().at_war("isengard").control("folde", SHADOW).army("westemnet", isengard=2)
    position.control("westemnet", SHADOW)
    game = muster(position)
    play(game, "figure:rohan-regular")
    assert legal_block(game, "region") == {"edoras", "helms-deep"}
    game = muster(Position().at_war("isengard").control("folde", SHADOW), SHADOW)
    play(game, "figure:isengard-regular")
    assert legal_block(game, "region") == {"orthanc", "north-dunland", "south-dunland"}


def test_R7_4_5_a_retaken_settlement_recruits_again():
    position = rohan().control("folde", SHADOW)
    position.dice("army_muster army_muster", "event")
    game = play(position.game(), "face:army-muster", "plan:move-armies", "region:edoras", "region:folde")
    play(game, "verb:whole-army", "face:event", "plan:skip", "face:army-muster", "plan:recruit")
    play(game, "figure:rohan-regular")
    assert "folde" in legal_block(game, "region")


def test_R7_4_5_enemy_characters_do_not_matter():
    position = rohan().army("folde", nazgul=2)
    game = muster(position)
    play(game, "figure:rohan-regular", "region:folde")
    assert figures_at(game, "folde") == {"rohan": 1, "nazgul": 2}


def test_GX40_R7_4_5_no_muster_into_a_besieged_stronghold():
    position = Position().at_war("gondor", "sauron").army("minas-tirith", gondor=2, sauron=4)
    game = muster(position)
    play(game, "figure:gondor-regular")
    assert legal_block(game, "region") == {"dol-amroth", "pelargir", "lamedon", "lossarnach"}
    position = Position().at_war("gondor", "sauron").army("minas-tirith", gondor=2, sauron=4)
    assert "gondor-leader" not in legal_block(muster(position), "figure")


def test_R7_4_5_the_besieger_recruits_nothing_in_his_besieged_stronghold():
    position = Position().at_war("isengard").army("orthanc", isengard=2, rohan=4)
    game = muster(position, SHADOW)
    play(game, "figure:isengard-elite")
    assert legal_block(game, "region") == {"north-dunland", "south-dunland"}


def test_R7_4_5_a_full_region_takes_leaders_only():
    position = Position().at_war("rohan").army("edoras", gondor=10)
    game = muster(position)
    play(game, "figure:rohan-regular")
    assert legal_block(game, "region") == {"folde", "westemnet", "helms-deep"}
    position = Position().at_war("rohan").army("edoras", gondor=10)
    game = muster(position)
    play(game, "figure:rohan-leader")
    assert legal_block(game, "region") == {"edoras"}


def test_R7_4_5_full_everywhere():
    position = Position().at_war("dwarves").army("erebor", gondor=10).army("iron-hills", north=10)
    game = muster(position.army("ered-luin", rohan=10))
    assert legal_block(game, "figure") == {"dwarves-leader"}


def test_R7_4_6_two_different_settlements():
    game = muster(rohan())
    play(game, "figure:rohan-regular", "region:edoras", "figure:rohan-regular")
    assert legal_block(game, "region") == {"folde", "westemnet", "helms-deep"}


def test_R7_4_6_two_different_settlements_for_a_unit_and_a_nazgul():
    game = muster(Position().at_war("sauron"), SHADOW)
    play(game, "figure:sauron-regular", "region:moria", "figure:sauron-nazgul")
    assert "moria" not in legal_block(game, "region")


def test_R7_4_6_figures_of_two_nations():
    game = muster(rohan().at_war("gondor"))
    play(game, "figure:rohan-regular", "region:folde")
    assert legal(game) == {
        "figure:rohan-regular",
        "figure:rohan-leader",
        "figure:gondor-regular",
        "verb:done",
    }
    play(game, "figure:gondor-regular", "region:lamedon")
    assert figures_at(game, "folde") == {"rohan": 1}
    assert figures_at(game, "lamedon") == {"gondor": 1}


def test_GX23_R7_4_6_R7_4_7_one_legal_settlement_one_regular():
    position = Position().at_war("dwarves").control("ered-luin", SHADOW).control("iron-hills", SHADOW)
    game = muster(position)
    play(game, "figure:dwarves-regular")
    assert legal(game) == {"region:erebor"}
    play(game, "region:erebor")
    assert action_is_over(game)
    assert figures_at(game, "erebor") == {"dwarves": 1}


def test_R7_4_7_the_second_figure_may_be_declined():
    game = muster(rohan())
    play(game, "figure:rohan-leader", "region:edoras", "verb:done")
    assert action_is_over(game)
    assert game.state.reinforcement_regular[nation("rohan")] == 9
    assert figures_at(game, "edoras") == {"rohan": 1, "rohan_leader": 1}


def test_R7_4_8_RG35_a_leader_needs_a_unit_in_his_place():
    game = muster(Position().at_war("north").army("bree", north=1).army("carrock", elves_elite=1))
    play(game, "figure:north-leader")
    assert legal_block(game, "region") == {"bree", "carrock"}


def test_R7_4_8_RG35_no_leader_where_no_unit_is():
    position = Position().at_war("north").fellowship(companions=["strider"]).place("gimli", "dale")
    game = muster(position)
    assert legal_block(game, "figure") == {"north-regular", "north-elite"}


def test_R7_4_8_a_nazgul_needs_no_unit():
    game = muster(Position().at_war("sauron"), SHADOW)
    play(game, "figure:sauron-nazgul", "region:barad-dur", "verb:done")
    assert figures_at(game, "barad-dur") == {"nazgul": 1}


def test_R7_4_9_a_nation_at_peace_does_not_recruit():
    position = Position().politics("north", 1).politics("elves", 3).army("dale", north=1)
    game = play(position.dice("muster will", "event").game(), "face:muster")
    assert legal_block(game, "plan") == {"advance-nation", "skip"}
    play(game, "plan:advance-nation", "nation:north", "face:event", "plan:skip", "face:will")
    assert "recruit" in legal_block(game, "plan")
    play(game, "plan:recruit")
    assert legal_block(game, "figure") == {"north-regular", "north-elite", "north-leader"}


@pytest.mark.parametrize("face", ["character", "army", "event"])
def test_R7_4_1_only_muster_results_recruit(face):
    game = play(rohan().dice(face, "event").game(), f"face:{face}")
    assert "recruit" not in legal_block(game, "plan")
