"""Figures, armies, stacking, Leaders and characters (R1, R7.1-R7.3)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.positions import (
    Position,
    character,
    figures_at,
    legal,
    legal_block,
    nation,
    play,
    region,
)
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Frame, Location, Side, TileZone

SHADOW = Side.SHADOW
FREE_PEOPLES = Side.FREE_PEOPLES


def under_fire(position: Position, side: Side, place: str, hits: int) -> Game:
    """An army outside a battle that has to suffer hits before the next action."""
    return position.waiting(Frame.CASUALTIES, side=side, region=region(place), hits=hits).game()


# --- Components (R1). ---


def test_R1_1_a_nation_never_has_more_figures_than_the_box_holds():
    position = Position().at_war("north").army("dale", north=10).army("bree", north_elite=5)
    position.army("the-shire", gondor=1, north_leader=3)
    game = position.dice("muster", "event").game()
    play(game, "face:muster", "plan:recruit")
    assert legal_block(game, "figure") == {"north-leader"}


def test_R1_1_a_figure_too_many_is_no_position():
    position = Position()
    position.state.regular[region("dale"), nation("north")] = 11
    position.state.units[region("dale"), FREE_PEOPLES] = 11
    with pytest.raises(ValueError, match=r"^regular\[11, 3\] is 11, not from 0 to 10$"):
        position.game()


def test_R1_2_figures_of_the_game():
    state = Game(seed=3).state

    def total(kind: str, nations: slice) -> int:
        return int(state[kind][:, nations].sum() + state[f"reinforcement_{kind}"][nations].sum())

    assert total("regular", slice(0, 5)) + total("elite", slice(0, 5)) == 75
    assert total("leader", slice(0, 5)) == 20
    assert total("regular", slice(5, 8)) + total("elite", slice(5, 8)) == 90
    assert total("leader", slice(5, 6)) == 8
    assert (state.location[: character("gandalf-white")] == Location.IN_FELLOWSHIP).all()
    assert (state.location[character("gandalf-white") :] == Location.ASIDE).all()


def test_R1_3_four_decks_of_24_cards():
    position = Position()
    assert position.state.deck_size.tolist() == [24, 24, 24, 24]
    assert sorted(position.state.card_zone.tolist()) == sorted(list(range(24)) * 4)


def test_R1_4_dice_rings_and_tiles():
    state = Game(seed=3).state
    assert state.pool.tolist() == [4, 7]
    assert state.rings.tolist() == [3, 0]
    assert np.bincount(state.tile_zone, minlength=5).tolist()[: TileZone.POOL + 1] == [8, 0, 16]


def test_R1_4_at_most_six_blue_and_ten_red_dice():
    position = Position().place("aragorn", "edoras").place("gandalf-white", "edoras")
    position.place("strider", "replaced").place("gandalf-grey", "replaced")
    position.fellowship("rivendell", companions=["legolas"])
    position.place("witch-king", "angmar").place("saruman", "orthanc").place("mouth-of-sauron", "nurn")
    game = position.dice("event", "event").game(*[1] * 16)
    play(game, "face:event", "plan:skip", "face:event", "plan:skip")
    while game.decision != Decision.HUNT_ALLOCATION:
        game.step(game.legal()[0])
    play(game, "count:0")
    assert game.state.pool.tolist() == [6, 10]


def test_GX35_R1_1_RU36_ten_gondor_regulars_suffer_seven_hits():
    position = Position().at_war("isengard").army("druadan-forest", gondor=10).army("folde", isengard=5)
    position.control("folde", SHADOW)
    first_round, second_round = [6] * 5 + [1] * 5, [6, 6, 1, 1, 1] + [1] * 5
    game = position.dice("event", "army", acting=SHADOW).game(*first_round, *second_round)
    play(game, "face:army", "plan:attack", "region:folde", "region:druadan-forest", "verb:whole-army")
    assert game.decision == Decision.CASUALTY and legal(game) == {"figure:gondor-regular"}
    play(game, *["figure:gondor-regular"] * 5, "verb:continue", "verb:stay", *["figure:gondor-regular"] * 2)
    assert figures_at(game, "druadan-forest") == {"gondor": 3}
    assert game.state.casualty_regular[nation("gondor")] == 7
    assert game.state.reinforcement_regular[nation("gondor")] == 5


# --- Composition (R7.1). ---


def test_R7_1_1_armies_that_meet_are_one_army():
    position = Position().at_war("north", "dwarves").army("dale", north=2).army("erebor", dwarves=2)
    game = position.dice("army army", "event").game()
    play(
        game, "face:army", "plan:move-armies", "region:erebor", "region:dale", "verb:whole-army", "verb:done"
    )
    assert figures_at(game, "dale") == {"north": 2, "dwarves": 2}
    assert game.side == SHADOW
    play(game, "face:event", "plan:skip", "face:army", "plan:move-armies")
    assert legal_block(game, "region") == {"dale"}
    play(game, "region:dale", "region:old-forest-road", "verb:whole-army")
    assert figures_at(game, "old-forest-road") == {"north": 2, "dwarves": 2}


def test_R7_1_1_an_army_splits_by_moving_a_part_away():
    position = Position().at_war("north", "dwarves").army("dale", north=2, dwarves=2)
    game = position.dice("army", "event").game()
    play(game, "face:army", "plan:move-armies", "region:dale", "region:erebor")
    play(game, "figure:dwarves-regular", "figure:north-regular", "verb:done")
    assert figures_at(game, "dale") == figures_at(game, "erebor") == {"north": 1, "dwarves": 1}


def test_R7_1_2_garrison_and_besieger_are_two_armies():
    position = Position().at_war("sauron", "gondor")
    position.army("minas-tirith", gondor=3, gondor_leader=1, sauron=4, nazgul=1)
    game = position.dice("event", "army", acting=SHADOW).game()
    play(game, "face:army", "plan:move-armies", "region:minas-tirith", "region:osgiliath")
    assert legal(game) == {"figure:sauron-regular", "figure:sauron-nazgul", "verb:whole-army"}
    play(game, "verb:whole-army")
    assert figures_at(game, "minas-tirith") == {"gondor": 3, "gondor_leader": 1}
    assert figures_at(game, "osgiliath") == {"sauron": 4, "nazgul": 1}


def test_R7_1_2_armies_of_both_sides_never_share_a_field():
    with pytest.raises(ValueError, match="no Stronghold"):
        Position().army("dale", north=1, sauron=1).game()


def test_R7_1_3_leaders_and_characters_belong_to_an_army():
    position = Position().at_war("rohan").army("eastemnet", rohan=1, rohan_leader=2)
    position.fellowship(companions=["strider"]).place("legolas", "eastemnet")
    game = position.dice("army", "event").game()
    play(game, "face:army", "plan:move-armies", "region:eastemnet", "region:folde", "verb:whole-army")
    assert figures_at(game, "eastemnet") == {}
    assert figures_at(game, "folde") == {"rohan": 1, "rohan_leader": 2}
    assert game.state.location[character("legolas")] == region("folde")


def test_R7_1_3_without_a_unit_there_is_no_army():
    position = Position().at_war("sauron", "rohan").army("eastemnet", nazgul=3).army("folde", rohan=2)
    game = position.place("witch-king", "eastemnet").dice("army", "army character", acting=SHADOW).game()
    play(game, "face:army")
    assert legal_block(game, "plan") == {"skip"}
    play(game, "plan:skip", "face:army")
    assert legal_block(game, "plan") == {"move-armies", "skip"}  # nothing there to attack
    play(game, "plan:move-armies", "region:folde", "region:eastemnet", "verb:whole-army")
    assert figures_at(game, "eastemnet") == {"rohan": 2, "nazgul": 3}


# --- Stacking (R7.2). ---


def test_R7_2_1_RU14_ten_units_and_any_number_of_leaders():
    position = Position().at_war("north").army("dale", north=8, north_elite=1)
    position.army("old-forest-road", north=2, north_elite=1, north_leader=2)
    game = position.dice("army", "event").game()
    play(game, "face:army", "plan:move-armies", "region:old-forest-road", "region:dale")
    assert legal(game) == {"figure:north-regular", "figure:north-elite", "figure:north-leader"}
    play(game, "figure:north-regular")
    assert legal(game) == {"figure:north-leader", "verb:done"}
    play(game, "figure:north-leader", "figure:north-leader", "verb:done")
    assert figures_at(game, "dale") == {"north": 9, "north_elite": 1, "north_leader": 2}
    assert figures_at(game, "old-forest-road") == {"north": 1, "north_elite": 1}


def test_R7_2_1_a_garrison_of_six_is_no_position():
    Position().army("minas-tirith", gondor=5, sauron=10).game()
    with pytest.raises(ValueError, match="stacking limit"):
        Position().army("minas-tirith", gondor=6, sauron=1).game()


def test_R7_2_1_RU26_field_and_garrison_are_counted_apart():
    position = Position().at_war("sauron").army("minas-tirith", gondor=5, sauron=8)
    position.army("osgiliath", sauron=3)
    game = position.dice("event", "army", acting=SHADOW).game()
    play(game, "face:army", "plan:move-armies", "region:osgiliath", "region:minas-tirith")
    play(game, "figure:sauron-regular", "figure:sauron-regular")
    assert legal(game) == {"verb:done"}
    play(game, "verb:done")
    assert figures_at(game, "minas-tirith") == {"gondor": 5, "sauron": 10}


def test_R7_2_2_RU14_a_move_into_a_full_region_is_illegal():
    position = Position().at_war("north").army("dale", north=10).army("bree", north_elite=1)
    position.army("old-forest-road", north_elite=1)
    game = position.dice("army", "event").game()
    play(game, "face:army", "plan:move-armies", "region:old-forest-road")
    assert legal_block(game, "region") == {
        "carrock",
        "eastern-mirkwood",
        "narrows-of-the-forest",
        "northern-rhovanion",
        "rhosgobel",
        "western-mirkwood",
        "woodland-realm",
    }


def test_R7_2_2_overstack_voluntary_disband_allows_the_move_and_trims():
    ruleset = Ruleset(ask_single=True, overstack_voluntary="disband")
    position = Position(ruleset).at_war("north").army("dale", north=9).army("old-forest-road", north_elite=3)
    game = position.dice("army", "event").game()
    play(game, "face:army", "plan:move-armies", "region:old-forest-road", "region:dale", "verb:whole-army")
    assert game.decision == Decision.TRIM_ARMY
    assert legal(game) == {"figure:north-regular", "figure:north-elite"}
    play(game, "figure:north-regular", "figure:north-elite")
    assert figures_at(game, "dale") == {"north": 8, "north_elite": 2}
    assert game.state.reinforcement_regular[nation("north")] == 2
    assert game.state.reinforcement_elite[nation("north")] == 3
    assert game.state.casualty_regular.sum() + game.state.casualty_elite.sum() == 0


def test_R7_2_2_overstack_voluntary_disband_in_recruiting():
    ruleset = Ruleset(ask_single=True, overstack_voluntary="disband")
    position = Position(ruleset).at_war("north").army("dale", north=9, north_elite=1)
    game = position.dice("muster", "event").game()
    play(game, "face:muster", "plan:recruit", "figure:north-elite", "region:dale")
    assert game.decision == Decision.TRIM_ARMY
    play(game, "figure:north-regular")
    assert figures_at(game, "dale") == {"north": 8, "north_elite": 2}
    assert game.side == SHADOW and game.decision == Decision.ACTION_DIE


def test_GX22_R7_2_3_a_garrison_of_seven_is_trimmed_to_five_when_the_siege_starts():
    position = Position().at_war("isengard").army("helms-deep", rohan=5, rohan_elite=2, rohan_leader=2)
    position.army("westemnet", isengard=6).control("westemnet", SHADOW)
    game = position.dice("event", "army", acting=SHADOW).game()
    play(game, "face:army", "plan:attack", "region:westemnet", "region:helms-deep", "verb:whole-army")
    play(game, "verb:withdraw", "verb:whole-army")
    assert game.decision == Decision.TRIM_ARMY and game.side == FREE_PEOPLES
    assert legal(game) == {"figure:rohan-regular", "figure:rohan-elite"}
    play(game, "figure:rohan-regular", "figure:rohan-elite")
    assert figures_at(game, "helms-deep") == {"rohan": 4, "rohan_elite": 1, "rohan_leader": 2, "isengard": 6}
    assert game.state.reinforcement_regular[nation("rohan")] == 6
    assert game.state.reinforcement_elite[nation("rohan")] == 4
    assert game.state.casualty_regular[nation("rohan")] == game.state.casualty_elite[nation("rohan")] == 0


def test_R7_2_3_RU14_a_retreat_onto_friends_is_trimmed_to_ten():
    position = Position().at_war("isengard").army("westemnet", rohan=3).army("edoras", gondor=8)
    position.army("fords-of-isen", isengard=2)
    game = position.dice("event", "army", acting=SHADOW).game(1, 1, 1, 1, 1)
    play(game, "face:army", "plan:attack", "region:fords-of-isen", "region:westemnet", "verb:whole-army")
    play(game, "verb:continue", "region:edoras")
    assert game.decision == Decision.TRIM_ARMY and game.side == FREE_PEOPLES
    assert legal(game) == {"figure:rohan-regular", "figure:gondor-regular"}
    play(game, "figure:gondor-regular")
    assert figures_at(game, "edoras") == {"rohan": 3, "gondor": 7}
    assert game.decision == Decision.ADVANCE_FIGURES
    assert game.state.reinforcement_regular[nation("gondor")] == 8


def two_moves_to_dale(ruleset: Ruleset) -> Game:
    position = Position(ruleset).at_war("north", "dwarves").army("dale", north=9)
    position.army("erebor", dwarves=2).army("old-forest-road", north_elite=2)
    game = position.dice("army", "event").game()
    return play(game, "face:army", "plan:move-armies", "region:erebor", "region:dale", "verb:whole-army")


def test_R7_2_4_stacking_is_checked_after_each_move():
    game = two_moves_to_dale(Ruleset(ask_single=True, overstack_voluntary="disband"))
    assert game.decision == Decision.TRIM_ARMY
    play(game, "figure:north-regular", "region:old-forest-road", "region:dale", "verb:whole-army")
    assert game.decision == Decision.TRIM_ARMY
    play(game, "figure:north-regular", "figure:north-regular")
    assert figures_at(game, "dale") == {"north": 6, "dwarves": 2, "north_elite": 2}


def test_R7_2_4_stacking_is_checked_at_the_end_of_the_action_by_option():
    options = {"overstack_voluntary": "disband", "stacking_check": "end_of_action"}
    game = two_moves_to_dale(Ruleset(ask_single=True, **options))
    assert game.decision == Decision.ARMY_ORIGIN
    play(game, "region:old-forest-road", "region:dale", "verb:whole-army")
    assert game.decision == Decision.TRIM_ARMY
    play(game, *["figure:north-regular"] * 3)
    assert figures_at(game, "dale") == {"north": 6, "dwarves": 2, "north_elite": 2}
    assert game.decision == Decision.ACTION_DIE and game.side == SHADOW


def test_R7_2_4_stacking_is_checked_when_the_action_stops_early():
    options = {"overstack_voluntary": "disband", "stacking_check": "end_of_action"}
    game = two_moves_to_dale(Ruleset(ask_single=True, **options))
    play(game, "verb:done")
    assert game.decision == Decision.TRIM_ARMY
    play(game, "figure:dwarves-regular")
    assert figures_at(game, "dale") == {"north": 9, "dwarves": 1}


def test_R7_2_4_RG47_recruits_too_are_checked_at_the_end_of_the_action_by_option():
    ruleset = Ruleset(ask_single=True, overstack_voluntary="disband", stacking_check="end_of_action")
    position = Position(ruleset).at_war("north").army("dale", north=6, north_elite=4)
    game = play(position.dice("muster", "event").game(), "face:muster", "plan:recruit")
    play(game, "figure:north-regular", "region:dale")
    assert game.decision == Decision.RECRUIT_FIGURE and figures_at(game, "dale")["north"] == 7
    play(game, "figure:north-regular", "region:carrock")
    assert game.decision == Decision.TRIM_ARMY and legal(game) == {
        "figure:north-regular",
        "figure:north-elite",
    }
    play(game, "figure:north-elite")
    assert figures_at(game, "dale") == {"north": 7, "north_elite": 3}
    assert figures_at(game, "carrock") == {"north": 1}
    assert game.decision == Decision.ACTION_DIE and game.side == SHADOW


@pytest.mark.parametrize("check", ["each_move", "end_of_action"])
def test_R7_2_4_chosen_excess_stays_illegal_whenever_it_is_checked(check):
    position = Position(Ruleset(ask_single=True, stacking_check=check)).at_war("north", "dwarves")
    game = position.army("dale", north=10).army("erebor", dwarves=2).dice("army", "event").game()
    play(game, "face:army", "plan:move-armies", "region:erebor")
    assert legal_block(game, "region") == {"iron-hills", "withered-heath"}


def test_R7_2_5_units_of_a_merged_and_trimmed_army_do_not_move_again():
    game = two_moves_to_dale(Ruleset(ask_single=True, overstack_voluntary="disband"))
    play(game, "figure:dwarves-regular")
    assert legal(game) == {"region:dale", "region:old-forest-road", "verb:done"}
    play(game, "region:dale", "region:withered-heath")
    assert legal(game) == {"figure:north-regular", "verb:whole-army"}


# --- Leaders and characters (R7.3). ---


def test_R7_3_1_a_leader_leads_units_of_any_friendly_nation():
    position = Position().at_war("rohan", "gondor").army("eastemnet", rohan=2, gondor_leader=1)
    position.army("folde", rohan=2)
    game = position.dice("character", "event").game()
    play(game, "face:character", "plan:move-armies")
    assert legal_block(game, "region") == {"eastemnet"}


def test_R7_3_1_a_leader_never_moves_alone():
    position = Position().at_war("rohan").army("eastemnet", rohan=2, rohan_leader=1)
    game = position.dice("character", "event").game()
    assert "plan:move-companions" not in legal(play(game, "face:character"))
    play(game, "plan:move-armies", "region:eastemnet", "region:folde", "figure:rohan-leader")
    assert legal(game) == {"figure:rohan-regular"}


def test_R7_3_2_nazgul_may_be_alone_and_do_not_mind_enemies():
    position = Position().army("dale", north=3, nazgul=1).army("barad-dur", nazgul=1)
    game = position.place("witch-king", "barad-dur").dice("event", "character", acting=SHADOW).game()
    play(game, "face:character", "plan:move-minions", "region:barad-dur", "region:dale")
    play(game, "character:witch-king", "region:dale", "verb:done")
    assert figures_at(game, "dale") == {"north": 3, "nazgul": 2}
    assert game.state.location[character("witch-king")] == region("dale")


@pytest.mark.parametrize(("witch_king", "rerolls"), [(False, [6, 6]), (True, [6, 6, 6, 6])])
def test_R7_3_2_leadership_of_nazgul_and_witch_king(witch_king, rerolls):
    position = Position().at_war("sauron").army("dagorlad", sauron=5, nazgul=2)
    position.army("noman-lands", gondor=10)
    if witch_king:
        position.place("witch-king", "dagorlad")
    game = position.dice("event", "army", acting=SHADOW).game(*[1] * 5, *[1] * 5, *rerolls)
    play(game, "face:army", "plan:attack", "region:dagorlad", "region:noman-lands", "verb:whole-army")
    play(game, *["figure:gondor-regular"] * len(rerolls))
    assert game.decision == Decision.CEASE
    assert figures_at(game, "noman-lands") == {"gondor": 10 - len(rerolls)}


def test_R7_3_3_a_lone_character_stops_nobody_and_is_not_attacked():
    position = Position().at_war("sauron", "isengard").army("westemnet", isengard=2)
    position.control("westemnet", SHADOW)
    position.fellowship(companions=["strider"]).place("boromir", "edoras").place("gimli", "westemnet")
    game = position.dice("event", "army army", acting=SHADOW).game()
    play(game, "face:army")
    assert legal_block(game, "plan") == {"move-armies", "skip"}
    play(game, "plan:move-armies", "region:westemnet", "region:edoras", "verb:whole-army")
    assert figures_at(game, "edoras") == {"isengard": 2}
    assert game.state.location[character("boromir")] == region("edoras")
    assert game.state.location[character("gimli")] == region("westemnet")


def test_R7_3_4_a_leader_without_a_unit_is_removed_at_once():
    position = Position().army("dale", north=1, north_leader=1, gondor_leader=1)
    position.fellowship(companions=["strider"]).place("gimli", "dale").dice("event", "event")
    game = under_fire(position, FREE_PEOPLES, "dale", 2)
    play(game, "figure:north-regular")
    assert figures_at(game, "dale") == {}
    assert game.state.casualty_leader[[nation("north"), nation("gondor")]].tolist() == [1, 1]
    assert game.state.location[character("gimli")] == region("dale")


def test_R7_3_5_free_peoples_losses_are_permanent():
    position = Position().at_war("isengard").army("fords-of-isen", isengard=5)
    position.army("fangorn", rohan=1, rohan_leader=1).fellowship(companions=["strider"])
    position.place("peregrin", "fangorn")
    rolls = [6, 1, 1, 1, 1, 1, 1]  # five attackers, one defender, one re-roll by the Leader
    game = position.dice("event", "army", acting=SHADOW).game(*rolls)
    play(game, "face:army", "plan:attack", "region:fords-of-isen", "region:fangorn", "verb:whole-army")
    play(game, "figure:rohan-regular")
    state = game.state
    assert state.casualty_regular[nation("rohan")] == state.casualty_leader[nation("rohan")] == 1
    assert state.reinforcement_regular[nation("rohan")] == 9
    assert state.location[character("peregrin")] == Location.ELIMINATED


def test_R7_3_5_shadow_units_and_nazgul_return_to_the_reinforcements_but_minions_do_not():
    position = Position().at_war("rohan").army("fangorn", rohan=5)
    position.army("parth-celebrant", sauron=1, nazgul=1).place("mouth-of-sauron", "parth-celebrant")
    position.place("witch-king", "parth-celebrant")
    game = position.dice("army", "event").game(6, 1, 1, 1, 1, 1, 1)
    play(game, "face:army", "plan:attack", "region:fangorn", "region:parth-celebrant", "verb:whole-army")
    play(game, "figure:sauron-regular")
    state = game.state
    assert figures_at(game, "parth-celebrant") == {}
    assert state.reinforcement_regular[nation("sauron")] == 36
    assert state.reinforcement_leader[nation("sauron")] == 8
    assert state.location[character("mouth-of-sauron")] == Location.ELIMINATED
    assert state.location[character("witch-king")] == Location.ELIMINATED


def test_R7_3_5_an_eliminated_elite_goes_to_the_same_pools():
    position = Position().army("dale", north_elite=1, north=1).dice("event", "event")
    game = under_fire(position, FREE_PEOPLES, "dale", 2)
    play(game, "figure:north-elite")
    assert game.state.casualty_elite[nation("north")] == 1
    position = Position().army("umbar", southrons_elite=1, southrons=1).dice("event", "event")
    game = under_fire(position, SHADOW, "umbar", 2)
    play(game, "figure:southrons-elite")
    assert game.state.reinforcement_elite[nation("southrons")] == 6
