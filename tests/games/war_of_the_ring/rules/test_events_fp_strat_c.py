"""Events of the Free Peoples that move armies and attack: fp-strat-10 to fp-strat-12 (R6.4, section 22)."""

from __future__ import annotations

import pytest

from tests.positions import (
    Position,
    card,
    figures,
    legal,
    legal_block,
    nation,
    only_acting_cards,
    play,
    region,
    where,
)
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX

FP, SH = Side.FREE_PEOPLES, Side.SHADOW


def holding(name: str, **options) -> Position:
    """The Free Peoples have the card and two Event dice."""
    return Position(only_acting_cards(**options)).dice("event event", "army").hand(FP, name)


def started(position: Position, name: str, *tape: int) -> Game:
    return play(position.game(*tape), "face:event", "plan:play-card", f"card:{name}")


def offered(position: Position) -> bool:
    return "plan:play-card" in legal(play(position.game(), "face:event"))


def over(game: Game, name: str) -> bool:
    """The card is discarded and the Shadow acts."""
    discarded = game.state.card_zone[card(name)] == CardZone.DISCARD
    return discarded and (game.side, game.decision) == (SH, Decision.ACTION_DIE)


def controller(game: Game, place: str) -> int:
    return int(game.state.control[SETTLEMENT_INDEX[region(place)]])


# --- fp-strat-10, Help Unlooked For. ---

HELP = "fp-strat-10"


def besieged_city(besieger: int = 5, garrison: int = 3, **options) -> Position:
    """Minas Tirith under siege, two Gondor units in Lossarnach and Shadow armies that besiege nobody."""
    position = holding(HELP, **options).at_war("gondor")
    position.army("minas-tirith", sauron=besieger, gondor=garrison, gondor_leader=1)
    position.army("lossarnach", gondor=2).army("osgiliath", sauron=1).army("west-harondor", southrons=1)
    return position.army("pelargir", gondor=1)


def test_fp_strat_10_help_unlooked_for_R6_4_5_only_the_besieger_is_a_target():
    game = started(besieged_city(), HELP)
    assert game.decision == Decision.ATTACK_ORIGIN
    assert legal(game) == {"region:lossarnach"}  # no sortie, and Pelargir is not adjacent
    assert legal(play(game, "region:lossarnach")) == {"region:minas-tirith"}


def test_fp_strat_10_help_unlooked_for_R6_4_5_fewer_shadow_dice_in_every_round():
    faces = (1, 1, 1, 1) * 2 + (6,) * 8
    game = started(besieged_city(), HELP, *faces)
    play(game, "region:lossarnach", "region:minas-tirith", "verb:whole-army")
    assert int(game.state.steps_to_war[nation("sauron")]) == 0  # attacked: one step
    assert game.decision == Decision.CEASE
    assert game.state.tape_position == 4  # 2 Free Peoples' dice, 5 - 3 Shadow dice
    play(game, "verb:continue")
    assert (game.side, game.decision) == (SH, Decision.RETREAT)
    play(game, "verb:stay")
    assert game.decision == Decision.CEASE and game.state.tape_position == 8
    play(game, "verb:cease")
    assert over(game, HELP)
    assert figures(game, "lossarnach") == {"gondor": 2}
    assert figures(game, "minas-tirith") == {"gondor": 3, "gondor_leader": 1, "sauron": 5}


@pytest.mark.parametrize(("besieger", "garrison", "dice"), [(2, 5, 1), (10, 1, 4), (6, 2, 3), (1, 1, 1)])
def test_fp_strat_10_help_unlooked_for_never_below_one_die(besieger, garrison, dice):
    game = started(besieged_city(besieger, garrison), HELP, *(1,) * 12)
    play(game, "region:lossarnach", "region:minas-tirith", "verb:whole-army")
    assert game.decision == Decision.CEASE and game.state.tape_position == 2 + dice


def test_fp_strat_10_help_unlooked_for_RG21_RG22_a_part_without_leader_relieves():
    game = started(besieged_city(1, 2), HELP, 6, 1)
    play(game, "region:lossarnach", "region:minas-tirith", "figure:gondor-regular", "verb:done")
    play(game, "figure:sauron-regular")
    assert game.decision == Decision.ADVANCE_FIGURES
    play(game, "figure:gondor-regular", "verb:done")
    assert over(game, HELP)
    assert figures(game, "minas-tirith") == {"gondor": 3, "gondor_leader": 1}
    assert figures(game, "lossarnach") == {"gondor": 1}


def test_fp_strat_10_help_unlooked_for_R6_4_5_units_at_peace_do_not_attack():
    position = besieged_city().politics("gondor", 1).army("lossarnach", rohan=1)
    assert not offered(position)
    game = started(position.at_war("rohan"), HELP)
    play(game, "region:lossarnach", "region:minas-tirith")
    assert legal_block(game, "figure") == {"rohan-regular"}


@pytest.mark.parametrize("null_events", [False, True])
def test_fp_strat_10_help_unlooked_for_R6_4_4_RG48_without_a_legal_attack_it_does_nothing(null_events):
    position = holding(HELP, null_events=null_events).at_war("gondor").army("lossarnach", gondor=2)
    position.army("osgiliath", sauron=2).army("dol-amroth", gondor=2, southrons=1)
    assert offered(position) == null_events
    if null_events:
        assert over(started(position, HELP), HELP)


# --- fp-strat-11, Paths of the Woses. ---

WOSES = "fp-strat-11"


def test_fp_strat_11_paths_of_the_woses_R6_4_9_from_rohan_to_minas_tirith():
    position = holding(WOSES).at_war("rohan").army("edoras", rohan=2, rohan_elite=1, rohan_leader=1)
    position.army("folde", rohan=1).army("osgiliath", rohan=1).place("boromir", "edoras")
    position.army("westemnet", isengard=1).control("westemnet", SH).place("legolas", "eastemnet")
    game = started(position, WOSES)
    assert game.side == FP and legal(game) == {"region:edoras", "region:folde"}
    assert legal(play(game, "region:edoras")) == {"region:minas-tirith"}
    play(game, "region:minas-tirith")
    everything = {"figure:rohan-regular", "figure:rohan-elite", "figure:rohan-leader", "character:boromir"}
    assert legal(game) == everything | {"verb:whole-army"}
    play(game, "figure:rohan-elite", "figure:rohan-leader", "character:boromir", "verb:done")
    assert over(game, WOSES)
    assert figures(game, "minas-tirith") == {"rohan_elite": 1, "rohan_leader": 1}
    assert figures(game, "edoras") == {"rohan": 2} and where(game, "boromir") == "minas-tirith"
    assert game.state.active[nation("gondor")] == 1  # R8.2 d


def test_fp_strat_11_paths_of_the_woses_stacking_limit():
    position = holding(WOSES).at_war("rohan").army("folde", rohan=3).army("minas-tirith", gondor=9)
    game = play(started(position, WOSES), "region:folde", "region:minas-tirith")
    assert legal(game) == {"figure:rohan-regular"}
    play(game, "figure:rohan-regular")
    assert legal(game) == {"verb:done"}
    assert figures(play(game, "verb:done"), "minas-tirith") == {"gondor": 9, "rohan": 1}


def siege_of_the_city(**options) -> Position:
    position = holding(WOSES, **options).at_war("rohan").army("folde", rohan=2)
    return position.army("minas-tirith", gondor=1, sauron=3)


def test_fp_strat_11_paths_of_the_woses_next_to_a_besieged_or_lost_city():
    game = play(started(siege_of_the_city(), WOSES), "region:folde")
    assert legal(game) == {"region:druadan-forest", "region:lossarnach", "region:osgiliath"}
    play(game, "region:osgiliath", "verb:whole-army")
    assert over(game, WOSES) and figures(game, "osgiliath") == {"rohan": 2}
    lost = holding(WOSES).at_war("rohan").army("folde", rohan=2).control("minas-tirith", SH)
    lost.army("druadan-forest", sauron=1).control("lossarnach", SH)
    game = play(started(lost, WOSES), "region:folde")
    assert legal(game) == {"region:lossarnach", "region:osgiliath"}
    play(game, "region:lossarnach", "verb:whole-army")
    assert over(game, WOSES) and controller(game, "lossarnach") == FP  # R7.5.11


@pytest.mark.parametrize("null_events", [False, True])
def test_fp_strat_11_paths_of_the_woses_RG18_without_free_destination(null_events):
    position = siege_of_the_city(null_events=null_events).control("lossarnach", SH)
    for place in ("druadan-forest", "lossarnach", "osgiliath"):
        position.army(place, sauron=1)
    assert offered(position) == null_events
    if null_events:  # RG48: the printed condition holds
        game = started(position, WOSES)
        assert over(game, WOSES) and figures(game, "folde") == {"rohan": 2}


def test_fp_strat_11_paths_of_the_woses_RG18_R6_4_1_full_city_peace_or_no_army():
    assert not offered(holding(WOSES).at_war("rohan").army("folde", rohan=2).army("minas-tirith", gondor=10))
    assert not offered(holding(WOSES, null_events=True).politics("rohan", 1).army("folde", rohan=2))
    position = holding(WOSES).at_war("rohan", "gondor").army("osgiliath", rohan=2)
    assert not offered(position.place("boromir", "edoras"))


def test_fp_strat_11_paths_of_the_woses_R6_4_9_peace_borders():
    position = holding(WOSES).at_war("rohan").army("folde", rohan=1, north=1).army("westemnet", north=1)
    game = started(position, WOSES)
    assert legal(game) == {"region:folde"}
    play(game, "region:folde", "region:minas-tirith")
    assert legal_block(game, "figure") == {"rohan-regular"}


def test_fp_strat_11_paths_of_the_woses_out_of_a_besieged_stronghold():
    position = (
        holding(WOSES).at_war("rohan").army("helms-deep", rohan=2, isengard=3).place("legolas", "helms-deep")
    )
    game = started(position, WOSES)
    assert legal(game) == {"region:helms-deep"}
    play(game, "region:helms-deep", "region:minas-tirith", "figure:rohan-regular", "character:legolas")
    play(game, "verb:done")
    assert over(game, WOSES)
    assert figures(game, "minas-tirith") == {"rohan": 1} and where(game, "legolas") == "minas-tirith"
    assert figures(game, "helms-deep") == {"rohan": 1, "isengard": 3}
    assert controller(game, "helms-deep") == FP


def test_fp_strat_11_paths_of_the_woses_R7_17_1_R7_13_8_an_abandoned_stronghold_falls_to_its_besieger():
    position = holding(WOSES).at_war("rohan").army("helms-deep", rohan=2, rohan_leader=1, isengard=3)
    game = play(started(position, WOSES), "region:helms-deep", "region:minas-tirith", "verb:whole-army")
    assert over(game, WOSES)
    assert figures(game, "minas-tirith") == {"rohan": 2, "rohan_leader": 1}
    assert controller(game, "helms-deep") == SH


# --- fp-strat-12, Through a Day and a Night. ---

DAY = "fp-strat-12"


def riders(**options) -> Position:
    """A Rohan army with Gimli in Edoras."""
    position = holding(DAY, **options).at_war("rohan").army("edoras", rohan=2, rohan_leader=1)
    return position.place("gimli", "edoras")


def test_fp_strat_12_through_a_day_and_a_night_R7_5_12_two_regions():
    position = riders().army("westemnet", isengard=1).control("westemnet", SH).control("folde", SH)
    position.army("helms-deep", rohan=2, isengard=1).place("legolas", "helms-deep")  # a garrison
    position.army("eastemnet", rohan=1).place(
        "boromir", "druadan-forest"
    )  # neither is an army with Companion
    game = started(position, DAY)
    assert legal(game) == {"region:edoras"}
    assert legal(play(game, "region:edoras")) == {"region:folde"}
    play(game, "region:folde")
    assert legal(game) == {
        "figure:rohan-regular",
        "figure:rohan-leader",
        "character:gimli",
        "verb:whole-army",
    }
    play(game, "verb:whole-army")
    assert controller(game, "folde") == FP  # entering counts in each region
    assert {"verb:done", "region:eastemnet", "region:druadan-forest"} <= legal(game)
    assert "region:westemnet" not in legal(game)
    play(game, "region:eastemnet")
    assert over(game, DAY)
    assert figures(game, "eastemnet") == {"rohan": 3, "rohan_leader": 1}
    assert where(game, "gimli") == "eastemnet"
    assert figures(game, "edoras") == figures(game, "folde") == {}


def test_fp_strat_12_through_a_day_and_a_night_R6_4_9_a_part_with_the_companion():
    game = play(started(riders(), DAY), "region:edoras", "region:folde", "figure:rohan-regular")
    assert legal(game) == {"figure:rohan-regular", "figure:rohan-leader", "character:gimli"}  # not done
    play(game, "character:gimli", "verb:done", "verb:done")  # and stops after one region
    assert over(game, DAY)
    assert figures(game, "folde") == {"rohan": 1} and where(game, "gimli") == "folde"
    assert figures(game, "edoras") == {"rohan": 1, "rohan_leader": 1}


def test_fp_strat_12_through_a_day_and_a_night_R7_5_12_picks_up_nobody():
    game = started(riders().army("folde", rohan=6, rohan_leader=1, gondor=2), DAY)
    play(game, "region:edoras", "region:folde", "verb:whole-army", "region:druadan-forest")
    assert over(game, DAY)
    assert figures(game, "druadan-forest") == {"rohan": 2, "rohan_leader": 1}
    assert figures(game, "folde") == {"rohan": 6, "rohan_leader": 1, "gondor": 2}


def test_fp_strat_12_through_a_day_and_a_night_R7_5_12_no_passage_through_a_full_region():
    game = play(started(riders().army("folde", rohan=8, gondor=1), DAY), "region:edoras", "region:folde")
    assert "verb:whole-army" not in legal(game)
    play(game, "figure:rohan-regular")
    assert legal(game) == {"figure:rohan-leader", "character:gimli"}  # a second Regular would be the eleventh
    game = started(riders().army("folde", rohan=8, gondor=2), DAY)
    assert legal(play(game, "region:edoras")) == {"region:westemnet"}
    play(game, "region:westemnet", "verb:whole-army")
    assert "region:folde" not in legal(game)


def test_fp_strat_12_through_a_day_and_a_night_RU50_not_home_again_from_a_capture():
    game = started(riders().control("folde", SH), DAY)
    play(game, "region:edoras", "region:folde", "verb:whole-army")
    assert controller(game, "folde") == FP  # it falls on the way, but the way goes on
    assert legal(game) == {
        "verb:done",
        "region:westemnet",
        "region:eastemnet",
        "region:druadan-forest",
    }


def test_fp_strat_12_through_a_day_and_a_night_R7_5_9_at_peace_within_the_borders():
    game = started(riders().politics("rohan", 1), DAY)
    play(game, "region:edoras", "region:folde", "verb:whole-army")
    assert legal_block(game, "region") >= {"eastemnet", "westemnet"}
    assert "region:druadan-forest" not in legal(game)  # Gondor's


@pytest.mark.parametrize("null_events", [False, True])
def test_fp_strat_12_through_a_day_and_a_night_R6_4_4_no_way_or_no_companion(null_events):
    blocked = riders(null_events=null_events).army("folde", isengard=1).control("folde", SH)
    blocked.army("westemnet", isengard=1).control("westemnet", SH)
    alone = holding(DAY, null_events=null_events).at_war("rohan").army("edoras", rohan=2)
    assert offered(blocked) == null_events
    assert not offered(alone.place("gimli", "folde"))  # the condition: an army with a Companion
    if null_events:
        game = started(blocked, DAY)
        assert over(game, DAY) and where(game, "gimli") == "edoras"


def test_fp_strat_12_R7_5_4_the_leaders_go_with_the_whole_army():
    position = Position().hand(Side.FREE_PEOPLES, "fp-strat-12").dice("event", "army")
    position.at_war("gondor", "rohan").place("boromir", "osgiliath")
    position.army("osgiliath", gondor=6, rohan=4, gondor_leader=1, rohan_leader=2)
    game = play(position.game(), "face:event", "plan:play-card", "card:fp-strat-12")
    play(game, "region:osgiliath", "region:minas-tirith", "verb:whole-army", "verb:done")
    assert game.state.leader[region("minas-tirith")].sum() == 3
    assert game.state.leader[region("osgiliath")].sum() == 0
