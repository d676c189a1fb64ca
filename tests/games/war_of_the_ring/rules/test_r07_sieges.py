"""Strongholds: withdrawing, sieges, assaults, sorties, relief (R7.12-R7.16)."""

import pytest

from tests.positions import Position, attack, figures, legal, legal_block, nation, play, region, where
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Side
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX

FREE_PEOPLES, SHADOW = Side.FREE_PEOPLES, Side.SHADOW


def at_minas_tirith(attackers, defenders):
    """A Shadow army in Osgiliath before a Gondor army in the field of Minas Tirith."""
    position = Position().at_war("sauron", "gondor").army("osgiliath", **attackers)
    return position.army("minas-tirith", **defenders).dice("", "army army army")


def march(position, *tape):
    return attack(position.game(*tape), "army", "osgiliath", "minas-tirith")


def siege(besieger, garrison, **options):
    """Minas Tirith under siege."""
    position = Position(Ruleset(ask_single=True, **options)).at_war("sauron", "gondor")
    return position.army("minas-tirith", **besieger).army("minas-tirith", **garrison)


def assault(position, *tape):
    return attack(position.dice("", "army army army").game(*tape), "army", "minas-tirith", "minas-tirith")


def sortie(position, *tape, picks=()):
    game = position.dice("army_muster army_muster event", "").game(*tape)
    return attack(game, "army-muster", "minas-tirith", "minas-tirith", *picks)


def controller(game, place):
    return Side(int(game.state.control[SETTLEMENT_INDEX[region(place)]]))


# --- R7.12: an army before its own Stronghold. ---


def test_D23_R7_12_1_R7_12_2_the_defender_chooses_before_every_round():
    game = march(at_minas_tirith({"sauron": 2}, {"gondor": 2}))
    for number in range(1, 4):
        assert (game.side, legal(game)) == (FREE_PEOPLES, {"verb:fight", "verb:withdraw"})
        assert game.state.battle_round == number
        game.with_tape([1, 1, 1, 1])
        play(game, "verb:fight", "verb:continue", "verb:stay")


@pytest.mark.parametrize("place", ["osgiliath", "pelargir", "lossarnach"])
def test_R7_12_1_no_choice_without_a_stronghold(place):
    position = Position().at_war("sauron").army("minas-tirith", sauron=1).control("minas-tirith", SHADOW)
    origin = "osgiliath" if place == "pelargir" else "minas-tirith"
    if origin == "osgiliath":
        position = Position().at_war("sauron").army("osgiliath", sauron=1)
    game = position.army(place, gondor=1).dice("", "army army").game(1, 1)
    assert attack(game, "army", origin, place).decision == Decision.CEASE


def test_R7_12_1_R7_17_3_the_captor_of_a_stronghold_may_use_it():
    position = Position().at_war("gondor").army("osgiliath", gondor=1).army("minas-tirith", sauron=1)
    game = position.control("minas-tirith", SHADOW).dice("army_muster event", "").game()
    attack(game, "army-muster", "osgiliath", "minas-tirith")
    assert (game.side, game.decision) == (SHADOW, Decision.STRONGHOLD)
    play(game, "verb:withdraw", "verb:whole-army")
    assert figures(game, "minas-tirith") == {"gondor": 1, "sauron": 1}
    assert controller(game, "minas-tirith") == SHADOW


def test_R7_12_1_a_besieger_cannot_withdraw_into_the_stronghold_he_besieges():
    position = siege({"sauron": 1}, {"gondor": 1}).army("lossarnach", gondor=1).dice("army_muster event", "")
    game = attack(position.game(1, 1), "army-muster", "lossarnach", "minas-tirith")
    assert game.decision == Decision.CEASE


def test_R7_12_3_in_the_open_both_hit_on_five_and_the_defender_may_retreat():
    game = march(at_minas_tirith({"sauron": 2}, {"gondor": 2}), 5, 1, 5, 1)
    play(game, "verb:fight")
    assert tuple(game.state.hits) == (1, 1)
    play(game, "figure:sauron-regular", "figure:gondor-regular", "verb:continue")
    assert legal_block(game, "region") == {"druadan-forest", "lossarnach"}


def test_D24_R7_12_4_withdrawal_ends_the_battle_and_the_attacker_may_begin_a_siege():
    position = at_minas_tirith({"sauron": 3, "nazgul": 1}, {"gondor": 2, "gondor_leader": 1})
    game = play(march(position), "verb:withdraw")
    assert (game.side, game.decision) == (SHADOW, Decision.ADVANCE_FIGURES)
    assert legal(game) == {"figure:sauron-regular", "figure:sauron-nazgul", "verb:whole-army", "verb:decline"}
    play(game, "figure:sauron-regular", "figure:sauron-regular", "verb:done")
    assert figures(game, "minas-tirith") == {"gondor": 2, "gondor_leader": 1, "sauron": 2}
    assert figures(game, "osgiliath") == {"sauron": 1, "nazgul": 1}
    assert controller(game, "minas-tirith") == FREE_PEOPLES
    play(game, "face:army", "plan:attack", "region:minas-tirith")
    assert "region:minas-tirith" in legal(game)  # an assault is possible: the siege has begun


def test_R7_12_4_only_the_attacking_part_advances():
    position = at_minas_tirith({"sauron": 2, "sauron_elite": 1}, {"gondor": 2})
    game = attack(position.game(), "army", "osgiliath", "minas-tirith", "figure:sauron-regular")
    play(game, "verb:withdraw")
    assert legal(game) == {"figure:sauron-regular", "verb:whole-army", "verb:decline"}


def test_RG5_R7_12_4_without_an_advance_there_is_no_siege():
    game = play(march(at_minas_tirith({"sauron": 2}, {"gondor": 7})), "verb:withdraw", "verb:decline")
    assert game.decision == Decision.ACTION_DIE
    assert figures(game, "minas-tirith") == {"gondor": 7}  # nobody is trimmed
    assert figures(game, "osgiliath") == {"sauron": 2}
    attack(game, "army", "osgiliath", "minas-tirith")
    assert game.decision == Decision.STRONGHOLD  # in the field again


def test_R7_12_4_withdrawal_in_a_later_round():
    game = march(at_minas_tirith({"sauron": 2}, {"gondor": 2}), 6, 1, 1, 1)
    play(game, "verb:fight", "figure:gondor-regular", "verb:continue", "verb:stay", "verb:withdraw")
    play(game, "verb:whole-army")
    assert figures(game, "minas-tirith") == {"gondor": 1, "sauron": 2}


# --- R7.13: the siege. ---


def test_GX22_D32_R7_13_2_R7_2_3_the_garrison_is_trimmed_to_five():
    game = march(at_minas_tirith({"sauron": 1}, {"gondor": 6, "gondor_elite": 1, "gondor_leader": 2}))
    play(game, "verb:withdraw", "verb:whole-army")
    assert (game.side, game.decision) == (FREE_PEOPLES, Decision.TRIM_ARMY)
    before = game.state.reinforcement_regular[nation("gondor")]
    play(game, "figure:gondor-regular")
    assert legal(game) == {"figure:gondor-regular", "figure:gondor-elite"}
    play(game, "figure:gondor-regular")
    assert game.decision == Decision.ACTION_DIE
    assert figures(game, "minas-tirith") == {"gondor": 4, "gondor_elite": 1, "gondor_leader": 2, "sauron": 1}
    assert game.state.reinforcement_regular[nation("gondor")] == before + 2
    assert game.state.casualty_regular[nation("gondor")] == 0


def test_R7_13_1_without_a_besieging_unit_there_is_no_siege():
    position = (
        Position().at_war("gondor").army("minas-tirith", gondor=7, nazgul=2)
    )  # loose Nazgul besiege nobody
    game = play(position.dice("army_muster event", "").game(), "face:army-muster", "plan:move-armies")
    assert "region:minas-tirith" in legal(game)


def test_R7_13_3_a_garrison_cannot_move_nor_recruit():
    position = siege({"sauron": 1}, {"gondor": 2, "gondor_leader": 1}).army("pelargir", gondor=1)
    position.dice("army_muster muster", "")
    game = play(position.game(), "face:army-muster", "plan:move-armies")
    assert legal(game) == {"region:pelargir"}
    game = play(position.game(), "face:muster", "plan:recruit", "figure:gondor-regular")
    assert legal_block(game, "region") == {"pelargir", "lossarnach", "lamedon", "dol-amroth"}


def test_R7_13_3_R7_14_4_a_garrison_neither_retreats_nor_withdraws():
    game = assault(siege({"sauron": 1}, {"gondor": 1}), 1, 1)
    assert game.decision == Decision.ACTION_DIE and game.side == SHADOW


def test_R7_13_4_a_besieger_is_reinforced_by_movement_up_to_ten_beside_the_garrison():
    position = siege({"sauron": 8}, {"gondor": 5}).army("osgiliath", sauron=3).dice("", "army army")
    game = play(position.game(), "face:army", "plan:move-armies", "region:osgiliath", "region:minas-tirith")
    play(game, "figure:sauron-regular", "figure:sauron-regular")
    assert legal(game) == {"verb:done"}
    play(game, "verb:done")
    assert figures(game, "minas-tirith") == {"gondor": 5, "sauron": 10}
    assert figures(game, "osgiliath") == {"sauron": 1}


def test_RU26_the_limits_of_field_and_box_are_counted_apart():
    game = siege({"sauron": 10}, {"gondor": 5}).dice("", "army army").game()
    assert figures(game, "minas-tirith") == {"gondor": 5, "sauron": 10}
    with pytest.raises(ValueError, match="stacking"):
        siege({"sauron": 1}, {"gondor": 6}).game()


def test_R7_13_4_a_besieger_may_attack_elsewhere():
    position = siege({"sauron": 2}, {"gondor": 5}).army("osgiliath", gondor=1).dice("", "army army")
    game = attack(position.game(6, 1, 1), "army", "minas-tirith", "osgiliath")
    play(game, "figure:gondor-regular", "figure:sauron-regular", "verb:done")
    assert figures(game, "minas-tirith") == {"gondor": 5, "sauron": 1}


def test_R7_13_5_the_settlement_stays_with_the_garrison():
    game = siege({"sauron": 10}, {"gondor": 1}).dice("", "army army").game()
    assert controller(game, "minas-tirith") == FREE_PEOPLES


def test_R7_13_6_companions_neither_leave_nor_enter_a_siege():
    position = (
        siege({"sauron": 1}, {"gondor": 1}).place("legolas", "minas-tirith").place("gimli", "osgiliath")
    )
    game = play(position.dice("character event", "").game(), "face:character", "plan:move-companions")
    assert legal_block(game, "character") == {"gimli"}
    play(game, "character:gimli", "verb:done")
    assert "minas-tirith" not in legal_block(game, "region")


def test_R7_13_6_nazgul_join_the_besieger():
    position = siege({"sauron": 1}, {"gondor": 1}).army("minas-morgul", nazgul=1).dice("", "character army")
    game = play(position.game(), "face:character", "plan:move-minions", "region:minas-morgul")
    assert "minas-tirith" in legal_block(game, "region")


def test_R7_13_6_characters_go_into_the_box_with_their_army():
    position = at_minas_tirith({"sauron": 1}, {"gondor": 1}).place("boromir", "minas-tirith")
    game = play(march(position), "verb:withdraw", "verb:whole-army")
    # Two dice for the garrison, and one re-roll: Boromir fights inside.
    game.with_tape([1, 1, 1, 6])
    attack(game, "army", "minas-tirith", "minas-tirith")
    assert tuple(game.state.hits) == (1, 0) and game.state.tape_length == 0


def test_R7_13_7_an_outside_army_of_the_besieger_must_first_move_in():
    position = siege({"sauron": 1}, {"gondor": 1}).army("osgiliath", sauron=3).dice("", "army army")
    game = play(position.game(), "face:army", "plan:attack")
    assert legal(game) == {"region:minas-tirith"}


def test_R7_13_8_R7_5_13_moving_the_last_besieger_away_lifts_the_siege():
    position = siege({"sauron": 1, "nazgul": 1}, {"gondor": 5}).dice("army_muster event", "army army")
    position.state.acting = SHADOW
    game = play(position.game(), "face:army", "plan:move-armies", "region:minas-tirith", "region:osgiliath")
    play(game, "verb:whole-army", "face:army-muster", "plan:move-armies", "region:minas-tirith")
    assert legal_block(game, "region") == {
        "druadan-forest",
        "lossarnach",
    }  # the garrison is in the field again


def test_R7_13_8_a_siege_goes_on_while_a_unit_stays():
    position = siege({"sauron": 2}, {"gondor": 5}).dice("army_muster event", "army army")
    position.state.acting = SHADOW
    game = play(position.game(), "face:army", "plan:move-armies", "region:minas-tirith", "region:osgiliath")
    play(game, "figure:sauron-regular", "verb:done", "verb:done", "face:army-muster")
    assert "plan:move-armies" not in legal(game)


def test_R7_13_9_several_assaults_in_one_turn_are_several_battles():
    game = assault(siege({"sauron": 1}, {"gondor": 1}), 1, 1, 1, 1)
    attack(game, "army", "minas-tirith", "minas-tirith")
    assert game.decision == Decision.ACTION_DIE
    assert game.state.dice[SHADOW].sum() == 1 and game.state.tape_length == 0


# --- R7.14: the assault. ---


def test_R7_14_1_the_besieger_or_a_part_attacks():
    position = siege({"sauron": 3}, {"gondor": 1}).dice("", "army army")
    game = position.game(6, 1)
    attack(game, "army", "minas-tirith", "minas-tirith", "figure:sauron-regular")
    assert tuple(game.state.hits) == (0, 1)


def test_R7_14_2_the_assailant_hits_on_six_and_fights_one_round():
    game = assault(siege({"sauron": 3}, {"gondor": 3}), 5, 5, 6, 5, 6, 1)
    assert tuple(game.state.hits) == (2, 1)
    play(game, "figure:sauron-regular", "figure:sauron-regular", "figure:gondor-regular")
    assert game.decision == Decision.ACTION_DIE  # no Elite: no further round is offered
    assert figures(game, "minas-tirith") == {"gondor": 2, "sauron": 1}


def test_GX39_D28_R7_14_3_an_elite_reduced_for_every_further_round():
    quiet = [1, 1, 1]
    game = assault(siege({"sauron_elite": 2}, {"gondor": 1}), *quiet, *quiet, *quiet)
    for number in (1, 2):
        assert (game.side, game.decision) == (SHADOW, Decision.PROLONG_ASSAULT)
        assert legal(game) == {"nation:sauron", "verb:cease"}
        assert game.state.battle_round == number
        play(game, "nation:sauron")
    assert game.decision == Decision.ACTION_DIE  # round 3 is over, no Elite is left
    assert game.state.tape_length == 0
    assert figures(game, "minas-tirith") == {"gondor": 1, "sauron": 2}


def test_R7_14_2_six_in_every_round_of_an_assault():
    game = assault(siege({"sauron_elite": 1}, {"gondor": 1}), 1, 1, 5, 1)
    play(game, "nation:sauron")
    assert tuple(game.state.hits) == (0, 0) and game.decision == Decision.ACTION_DIE
    assert figures(game, "minas-tirith") == {"gondor": 1, "sauron": 1}


def test_RU30_R7_14_3_an_extra_round_is_a_full_round():
    garrison = {"gondor": 1, "gondor_leader": 1}
    game = assault(siege({"sauron_elite": 1, "sauron": 1, "nazgul": 1}, garrison), *[1] * 5)
    game.with_tape([1, 1, 1, 6, 5])  # re-rolls of both sides
    play(game, "nation:sauron")
    assert tuple(game.state.hits) == (1, 1) and game.state.tape_length == 0


def test_R7_14_3_only_attacking_elites_of_which_a_regular_is_left():
    position = siege({"sauron_elite": 1, "isengard_elite": 1, "southrons": 1}, {"gondor": 1}).at_war(
        "isengard"
    )
    position.dice("", "army army").army("orthanc", isengard=10).army("north-dunland", isengard=2)
    game = attack(position.game(1, 1, 1), "army", "minas-tirith", "minas-tirith")
    assert legal(game) == {"nation:sauron", "verb:cease"}

    position = siege({"sauron_elite": 1, "sauron": 1}, {"gondor": 1}).dice("", "army army")
    game = attack(position.game(1, 1), "army", "minas-tirith", "minas-tirith", "figure:sauron-regular")
    assert game.decision == Decision.ACTION_DIE  # the Elite of the rearguard does not count


def test_R7_14_3_no_further_round_when_a_side_is_destroyed():
    game = assault(siege({"sauron_elite": 1}, {"gondor": 1}), 6, 1)
    play(game, "figure:gondor-regular")
    assert game.decision == Decision.ACTION_DIE


def test_R7_14_4_when_the_assailant_stops_the_siege_goes_on():
    game = assault(siege({"sauron_elite": 1}, {"gondor": 1}), 1, 1)
    play(game, "verb:cease")
    assert figures(game, "minas-tirith") == {"gondor": 1, "sauron_elite": 1}
    assert controller(game, "minas-tirith") == FREE_PEOPLES


def test_R7_14_5_R7_17_1_a_destroyed_garrison_loses_the_stronghold():
    position = siege({"sauron": 2}, {"gondor": 1, "gondor_leader": 1}).place("boromir", "minas-tirith")
    game = assault(position, 6, 1, 1, 1, 1, 1)
    play(game, "figure:gondor-regular")
    assert controller(game, "minas-tirith") == SHADOW
    assert figures(game, "minas-tirith") == {"sauron": 2}
    assert where(game, "boromir") == "eliminated"
    assert game.decision == Decision.ACTION_DIE  # nobody advances


@pytest.mark.parametrize(("needs_survivor", "holder"), [(False, SHADOW), (True, FREE_PEOPLES)])
def test_RG6_R7_14_5_mutual_destruction_in_an_assault_option_capture_needs_survivor(needs_survivor, holder):
    position = siege({"sauron": 1}, {"gondor": 1}, capture_needs_survivor=needs_survivor)
    position.politics("gondor", 2).place("legolas", "minas-tirith")
    game = assault(position, 6, 6, 6, 1)
    play(game, "figure:sauron-regular", "figure:gondor-regular")
    assert figures(game, "minas-tirith") == {} and where(game, "legolas") == "eliminated"
    assert controller(game, "minas-tirith") == holder
    # One step for the attack, one for the loss (R7.17.2).
    assert game.state.steps_to_war[nation("gondor")] == (0 if holder == SHADOW else 1)


def test_RG6_R7_14_5_mutual_destruction_in_an_assault_by_the_free_peoples():
    position = Position().at_war("rohan", "isengard").army("orthanc", isengard=1, rohan=1)
    game = position.dice("army_muster event", "").game(6, 6)
    attack(game, "army-muster", "orthanc", "orthanc")
    play(game, "figure:rohan-regular", "figure:isengard-regular")
    assert figures(game, "orthanc") == {} and controller(game, "orthanc") == FREE_PEOPLES


def test_R7_14_5_a_destroyed_besieger_captures_nothing():
    game = assault(siege({"sauron": 1}, {"gondor": 2}), 6, 1, 5)
    play(game, "figure:sauron-regular", "figure:gondor-regular")
    assert figures(game, "minas-tirith") == {"gondor": 1}
    assert controller(game, "minas-tirith") == FREE_PEOPLES


def test_R7_14_5_the_rearguard_of_the_besieger_captures():
    position = siege({"sauron": 2}, {"gondor": 1}).dice("", "army army")
    game = attack(position.game(6, 6), "army", "minas-tirith", "minas-tirith", "figure:sauron-regular")
    play(game, "figure:sauron-regular", "figure:gondor-regular")
    assert figures(game, "minas-tirith") == {"sauron": 1}
    assert controller(game, "minas-tirith") == SHADOW


def test_R7_14_5_R7_13_8_a_destroyed_besieger_ends_the_siege():
    game = assault(siege({"sauron": 1, "nazgul": 1}, {"gondor": 1}), 1, 6, 1)
    play(game, "figure:sauron-regular")
    assert figures(game, "minas-tirith") == {"gondor": 1}
    assert controller(game, "minas-tirith") == FREE_PEOPLES


# --- R7.15: the sortie. ---


def test_R7_15_1_a_sortie_is_a_field_battle_without_round_limit():
    game = sortie(siege({"sauron": 2}, {"gondor": 2}), 5, 1, 5, 1, 1, 1)
    assert tuple(game.state.hits) == (1, 1)
    play(game, "figure:gondor-regular", "figure:sauron-regular", "verb:continue", "verb:stay")
    assert game.decision == Decision.CEASE and game.state.battle_round == 2


def test_R7_15_1_the_rest_stays_in_the_box():
    picks = ("figure:gondor-regular",)
    game = sortie(siege({"sauron": 1}, {"gondor": 3, "gondor_leader": 1}), 1, 6, picks=picks)
    play(game, "figure:gondor-regular")
    assert figures(game, "minas-tirith") == {"gondor": 2, "gondor_leader": 1, "sauron": 1}
    assert game.decision == Decision.ACTION_DIE  # the sortie is destroyed, the siege goes on
    assert controller(game, "minas-tirith") == FREE_PEOPLES


def test_R7_15_2_after_ceasing_the_siege_goes_on():
    game = sortie(siege({"sauron": 1}, {"gondor": 1}), 1, 1)
    play(game, "verb:cease", "face:army-muster")
    assert figures(game, "minas-tirith") == {"gondor": 1, "sauron": 1}
    assert "plan:move-armies" not in legal(game)


def test_R7_15_2_R7_18_3_the_besieger_may_retreat():
    game = sortie(siege({"sauron": 1, "nazgul": 1}, {"gondor": 1}), 1, 1, 1)
    play(game, "verb:continue")
    # Not Lossarnach, a Free Peoples Town.
    assert legal(game) == {"verb:stay", "region:druadan-forest", "region:osgiliath"}
    play(game, "region:osgiliath", "verb:done")
    assert figures(game, "osgiliath") == {"sauron": 1, "nazgul": 1}
    assert figures(game, "minas-tirith") == {"gondor": 1}
    assert game.decision == Decision.ACTION_DIE  # no advance


def test_R7_15_3_a_won_sortie_ends_the_siege_without_an_advance():
    game = sortie(siege({"sauron": 1}, {"gondor": 2}), 6, 1, 1)
    play(game, "figure:sauron-regular")
    assert game.decision == Decision.ACTION_DIE
    play(game, "face:army-muster", "plan:move-armies", "region:minas-tirith")
    assert "region:osgiliath" in legal(game)  # the garrison stands in the field


def test_R7_15_4_a_lost_sortie_of_all_units_loses_the_stronghold():
    position = siege({"sauron": 1}, {"gondor": 1, "gondor_leader": 1}).place("boromir", "minas-tirith")
    position.place("legolas", "minas-tirith")
    # Boromir sorties (two dice, Leadership 2), Legolas stays inside.
    picks = ("figure:gondor-regular", "character:boromir")
    game = sortie(position, 1, 1, 6, 1, 1, picks=picks)
    play(game, "figure:gondor-regular")
    assert controller(game, "minas-tirith") == SHADOW
    assert figures(game, "minas-tirith") == {"sauron": 1}
    assert where(game, "boromir") == "eliminated"
    assert where(game, "legolas") == "minas-tirith"


@pytest.mark.parametrize(("needs_survivor", "holder"), [(False, SHADOW), (True, FREE_PEOPLES)])
def test_RG6_R7_15_4_mutual_destruction_in_a_sortie_option_capture_needs_survivor(needs_survivor, holder):
    position = siege({"sauron": 1}, {"gondor": 1}, capture_needs_survivor=needs_survivor)
    game = sortie(position.place("legolas", "minas-tirith"), 6, 6, picks=("figure:gondor-regular",))
    play(game, "figure:gondor-regular", "figure:sauron-regular")
    assert figures(game, "minas-tirith") == {} and where(game, "legolas") == "minas-tirith"
    assert controller(game, "minas-tirith") == holder


def test_RG6_R7_15_4_mutual_destruction_of_a_sortie_and_its_besieger_with_units_left_inside():
    game = sortie(siege({"sauron": 1}, {"gondor": 2}), 6, 6, picks=("figure:gondor-regular",))
    play(game, "figure:gondor-regular", "figure:sauron-regular")
    assert figures(game, "minas-tirith") == {"gondor": 1}
    assert controller(game, "minas-tirith") == FREE_PEOPLES


def test_R7_15_1_a_shadow_garrison_may_sortie_too():
    position = Position().at_war("isengard").army("orthanc", isengard=2, rohan=1).place("saruman", "orthanc")
    game = position.dice("", "character army").game(6, 1, 1, 1)
    attack(game, "character", "orthanc", "orthanc")
    play(game, "figure:rohan-regular")
    assert figures(game, "orthanc") == {"isengard": 2}
    assert controller(game, "orthanc") == SHADOW


# --- R7.16: the relief. ---


def relief(garrison, army, *tape, option="illegal"):
    position = Position(Ruleset(ask_single=True, overstack_voluntary=option)).at_war("gondor", "sauron")
    position.army("minas-tirith", sauron=1, **garrison).army("lossarnach", **army)
    game = position.dice("army_muster army_muster event", "").game(*tape)
    return attack(game, "army-muster", "lossarnach", "minas-tirith")


def test_R7_16_1_the_garrison_takes_no_part_in_a_relief():
    game = relief({"gondor": 5, "gondor_leader": 2}, {"gondor": 1}, 1, 6)
    assert tuple(game.state.hits) == (0, 1) and game.state.tape_length == 0
    play(game, "figure:gondor-regular")
    assert figures(game, "minas-tirith") == {"gondor": 5, "gondor_leader": 2, "sauron": 1}


def test_R7_16_2_a_destroyed_besieger_lifts_the_siege_and_the_relief_may_advance():
    game = relief({"gondor": 2}, {"gondor": 3}, 6, 1, 1, 1)
    play(game, "figure:sauron-regular", "verb:whole-army")
    assert figures(game, "minas-tirith") == {"gondor": 5}
    play(game, "face:army-muster", "plan:move-armies")
    assert legal(game) == {"region:minas-tirith"}  # one army in the field, garrison and relief


def test_R7_16_2_a_besieger_who_retreats_lifts_the_siege():
    game = relief({"gondor": 2}, {"gondor": 1}, 1, 1)
    play(game, "verb:continue")
    assert legal_block(game, "region") == {"druadan-forest", "osgiliath"}
    play(game, "region:osgiliath", "verb:decline")
    assert figures(game, "minas-tirith") == {"gondor": 2}
    play(game, "face:army-muster", "plan:move-armies")
    assert legal(game) == {"region:minas-tirith", "region:lossarnach"}


def test_R7_16_2_a_relief_that_ceases_does_not_enter():
    game = relief({"gondor": 2}, {"gondor": 2}, 1, 1, 1)
    play(game, "verb:cease", "face:army-muster", "plan:move-armies", "region:lossarnach")
    assert "region:minas-tirith" not in legal(game)


@pytest.mark.parametrize(("option", "stay"), [("illegal", {"gondor": 1}), ("disband", {})])
def test_R7_16_2_the_relief_and_the_garrison_are_ten_together(option, stay):
    game = relief({"gondor": 5}, {"gondor": 6}, 6, 1, 1, 1, 1, 1, option=option)
    play(game, "figure:sauron-regular")
    if option == "illegal":
        assert "verb:whole-army" not in legal(game)
        play(game, *["figure:gondor-regular"] * 5)
        assert legal(game) == {"verb:done"}
        play(game, "verb:done")
    else:
        play(game, "verb:whole-army", "figure:gondor-regular")
    assert figures(game, "minas-tirith") == {"gondor": 10}
    assert figures(game, "lossarnach") == stay
