"""The combat round, Cities and Fortifications, how field battles go on and end (R7.9, R7.11, R7.18)."""

import numpy as np
import pytest

from tests.positions import (
    Position,
    attack,
    figures,
    legal,
    legal_block,
    nation,
    play,
    region,
    where,
)
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Side
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX
from wotr_env.games.war_of_the_ring.rules.battle import strength as combat

needed_roll = combat.needed_roll
NORTH_ITHILIEN_EXITS = {"dead-marshes", "eastern-emyn-muil", "osgiliath", "south-ithilien"}


def ithilien(attackers, defenders, target="north-ithilien"):
    """A Shadow army in Dagorlad with two Army dice, against an army in North Ithilien."""
    position = Position().at_war("sauron", "gondor").army("dagorlad", **attackers).army(target, **defenders)
    return position.dice("", "army army army")


def fight(position, *tape):
    return attack(position.game(*tape), "army", "dagorlad", "north-ithilien")


def hits(game):
    """The hits scored by the Free Peoples and by the Shadow, with the tape used up."""
    assert game.state.tape_length == 0
    return tuple(game.state.hits)


# --- R7.9.1, R7.9.2: the order of a round. ---


def test_D21_D22_R7_9_1_R7_9_2_order_of_a_round_without_cards():
    position = Position().at_war("sauron").army("osgiliath", sauron=3).army("minas-tirith", gondor=3)
    game = attack(position.dice("", "army army").game(6, 1, 1, 6, 1, 1), "army", "osgiliath", "minas-tirith")
    seen = []
    for choice in ("verb:fight", "figure:sauron-regular", "figure:gondor-regular", "verb:continue"):
        seen.append((game.side, game.decision))
        play(game, choice)
    seen.append((game.side, game.decision))
    play(game, "verb:stay")
    seen.append((game.side, game.decision))
    assert seen == [  # empty hands: nobody is asked for a Combat card (D21, D22)
        (Side.FREE_PEOPLES, Decision.STRONGHOLD),
        (Side.SHADOW, Decision.CASUALTY),
        (Side.FREE_PEOPLES, Decision.CASUALTY),
        (Side.SHADOW, Decision.CEASE),
        (Side.FREE_PEOPLES, Decision.RETREAT),
        (Side.FREE_PEOPLES, Decision.STRONGHOLD),
    ]


# --- R7.9.5, R7.9.6: the Combat roll and the Leader re-roll. ---


@pytest.mark.parametrize(("die", "hit"), [(1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (6, 1)])
def test_R7_9_5_both_sides_hit_on_five_and_six(die, hit):
    game = fight(ithilien({"sauron": 1}, {"gondor": 2}), die, 1, 1)
    assert hits(game) == (0, hit)
    game = fight(ithilien({"sauron": 2}, {"gondor": 1}), 1, 1, die)
    assert hits(game) == (hit, 0)


def hits_on(target, modifier, *dice):
    return sum(die >= needed_roll(target, modifier) for die in dice)


def test_GX5_R7_9_5_modifiers_and_natural_results():
    every_face = (1, 2, 3, 4, 5, 6)
    assert hits_on(5, 0, *every_face) == 2
    assert [hits_on(5, 1, face) for face in every_face] == [0, 0, 0, 1, 1, 1]
    assert hits_on(5, 4, 1) == 0 and hits_on(5, 9, 1) == 0  # a natural 1 always misses
    assert hits_on(5, 4, 2) == 1
    assert hits_on(5, -2, 6) == 1 and hits_on(6, -3, 6) == 1  # a natural 6 always hits
    assert hits_on(5, -1, 5) == 0
    assert hits_on(6, 0, *every_face) == 1
    assert hits_on(6, 1, 5) == 1


def test_GX3_R7_9_6_only_missed_dice_are_rolled_again():
    position = Position().at_war("gondor").army("osgiliath", gondor=5, gondor_leader=3)
    position.army("south-ithilien", southrons=5).dice("army_muster event", "")
    # 5 dice each; two re-rolls although there are three Leaders.
    game = position.game(1, 3, 5, 5, 6, 1, 1, 1, 1, 1, 4, 5)
    attack(game, "army-muster", "osgiliath", "south-ithilien")
    assert hits(game) == (4, 0)


def test_R7_9_6_the_reroll_is_limited_by_leadership_and_made_once():
    # Three misses, one Nazgul: one die is rolled again; a second miss stays a miss.
    game = fight(ithilien({"sauron": 3, "nazgul": 1}, {"gondor": 1}), 1, 2, 3, 4, 4)
    assert hits(game) == (0, 0)
    game = fight(ithilien({"sauron": 3, "nazgul": 1}, {"gondor": 1}), 1, 2, 3, 4, 6)
    assert hits(game) == (0, 1)


def test_R7_9_6_both_sides_reroll_the_attacker_first():
    position = ithilien({"sauron": 1, "nazgul": 1}, {"gondor": 1, "gondor_leader": 1})
    assert hits(fight(position, 1, 2, 5, 4)) == (0, 1)
    position = ithilien({"sauron": 1, "nazgul": 1}, {"gondor": 1, "gondor_leader": 1})
    assert hits(fight(position, 1, 2, 4, 5)) == (1, 0)


def test_R7_9_6_no_reroll_without_misses():
    game = fight(ithilien({"sauron": 2, "nazgul": 2}, {"gondor": 3}), 5, 6, 1, 1, 1)
    assert hits(game) == (0, 2)


def test_R7_9_6_R7_11_1_the_reroll_has_the_target_number_of_the_combat_roll():
    position = (
        Position().at_war("sauron").army("north-ithilien", sauron=2, nazgul=2).army("osgiliath", gondor=1)
    )
    game = position.dice("", "army army").game(5, 5, 1, 5, 6)
    attack(game, "army", "north-ithilien", "osgiliath")
    assert hits(game) == (0, 1)


def test_R7_9_8_forfeited_leadership_is_subtracted_before_the_reroll():
    position = Position().at_war("gondor").army("osgiliath", gondor=2, gondor_leader=1)
    position.place("gandalf-white", "osgiliath").place("gandalf-grey", "eliminated")
    position.fellowship(companions=["strider"]).army("south-ithilien", southrons=1)
    # White Rider: only the Leader's one die is rolled again, in every round (R14.8).
    game = position.dice("army_muster event", "").game(1, 1, 1, 1, 1, 2, 1, 1)
    attack(game, "army-muster", "osgiliath", "south-ithilien")
    play(game, "verb:accept")
    assert game.decision == Decision.CEASE and game.state.tape_position == 4
    play(game, "verb:continue", "verb:stay")
    assert game.decision == Decision.CEASE and game.state.tape_length == 0


# --- R7.11: Cities and Fortifications. ---


def test_GX31_R7_11_1_a_fortification_protects_in_the_first_round_only():
    position = Position().at_war("sauron").army("north-ithilien", sauron=3).army("osgiliath", gondor=5)
    game = position.dice("", "army army").game(5, 5, 6, 1, 1, 1, 1, 1)
    attack(game, "army", "north-ithilien", "osgiliath")
    assert hits(game) == (0, 1)
    play(game, "figure:gondor-regular", "verb:continue")
    game.with_tape([5, 5, 6, 1, 1, 1, 1])
    play(game, "verb:stay")
    assert hits(game) == (0, 3)


@pytest.mark.parametrize(
    ("origin", "place", "hit"),
    [
        ("folde", "edoras", 0),  # City
        ("orthanc", "fords-of-isen", 0),  # Fortification
        ("edoras", "folde", 1),  # Town
        ("westemnet", "eastemnet", 1),  # open ground
    ],
)
def test_R7_11_1_R7_11_2_where_a_five_hits_in_the_first_round(origin, place, hit):
    position = Position().at_war("isengard").army(origin, isengard=1).army(place, rohan=2)
    if origin != "orthanc":
        position.control(origin, Side.SHADOW)
    game = position.dice("", "army army").game(5, 1, 1)
    attack(game, "army", origin, place)
    assert hits(game) == (0, hit)


def test_R7_11_1_the_defender_of_a_city_hits_on_five():
    position = Position().at_war("isengard").army("folde", isengard=2).control("folde", Side.SHADOW)
    game = position.army("edoras", rohan=2).dice("", "army army").game(1, 1, 5, 6)
    attack(game, "army", "folde", "edoras")
    assert hits(game) == (2, 0)


def test_RU34_a_captured_city_protects_whoever_defends_it():
    position = Position().at_war("rohan").army("folde", rohan=1).army("edoras", isengard=1)
    position.control("edoras", Side.SHADOW).dice("army_muster event", "")
    assert hits(attack(position.game(5, 1), "army-muster", "folde", "edoras")) == (0, 0)
    position = Position().at_war("gondor").army("minas-tirith", gondor=1).army("osgiliath", southrons=1)
    game = position.dice("army_muster event", "").game(5, 1)
    assert hits(attack(game, "army-muster", "minas-tirith", "osgiliath")) == (0, 0)


def test_R7_11_2_a_stronghold_gives_no_bonus_in_the_open():
    position = Position().at_war("sauron").army("osgiliath", sauron=1).army("minas-tirith", gondor=1)
    game = position.dice("", "army army").game(5, 1)
    attack(game, "army", "osgiliath", "minas-tirith")
    play(game, "verb:fight")
    assert hits(game) == (0, 1)


def test_R7_11_2_no_bonus_in_a_sortie_or_against_a_relief():
    position = Position().at_war("gondor").army("minas-tirith", sauron=2, gondor=1)
    game = position.dice("army_muster event", "").game(5, 5, 1)
    assert hits(attack(game, "army-muster", "minas-tirith", "minas-tirith")) == (1, 1)
    position = (
        Position().at_war("gondor").army("minas-tirith", sauron=2, gondor=1).army("lossarnach", gondor=1)
    )
    game = position.dice("army_muster event", "").game(5, 5, 1)
    assert hits(attack(game, "army-muster", "lossarnach", "minas-tirith")) == (1, 1)


# --- R7.18: cease, continue, retreat, advance. ---


def test_D26_D27_R7_18_1_the_attacker_chooses_first_then_the_defender():
    game = fight(ithilien({"sauron": 1}, {"gondor": 1}), 1, 1)
    assert (game.side, legal(game)) == (Side.SHADOW, {"verb:cease", "verb:continue"})
    play(game, "verb:continue")
    assert game.side == Side.FREE_PEOPLES
    assert legal(game) == {"verb:stay"} | {f"region:{name}" for name in NORTH_ITHILIEN_EXITS}
    game.with_tape([1, 1])
    play(game, "verb:stay")
    assert game.decision == Decision.CEASE and game.state.battle_round == 2


def test_R7_18_2_R7_18_7_who_ceases_stays_where_he_is():
    game = fight(ithilien({"sauron": 2}, {"gondor": 2}), 6, 1, 6, 1)
    play(game, "figure:sauron-regular", "figure:gondor-regular", "verb:cease")
    assert game.decision == Decision.ACTION_DIE
    assert figures(game, "dagorlad") == {"sauron": 1}
    assert figures(game, "north-ithilien") == {"gondor": 1}


def test_R7_18_3_the_whole_army_retreats_with_leaders_and_characters():
    position = ithilien({"sauron": 2}, {"gondor": 2, "gondor_leader": 1, "north_elite": 1})
    game = fight(position.place("strider", "north-ithilien"), *[1] * 2, *[1] * 4, 1, 1)
    play(game, "verb:continue", "region:osgiliath")
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.STAY_BEHIND)
    assert legal(game) == {"character:strider", "verb:done"}
    play(game, "verb:done", "verb:decline")
    assert figures(game, "north-ithilien") == {}
    assert figures(game, "osgiliath") == {"gondor": 2, "gondor_leader": 1, "north_elite": 1}
    assert where(game, "strider") == "osgiliath"


def test_R7_18_3_each_character_may_stay_behind():
    position = ithilien({"sauron": 2}, {"gondor": 2, "gondor_leader": 1}).place("strider", "north-ithilien")
    game = fight(position.place("gimli", "north-ithilien"), *[1] * 12)
    play(game, "verb:continue", "region:osgiliath", "character:gimli")
    assert legal(game) == {"character:strider", "verb:done"}
    play(game, "verb:done", "verb:whole-army")
    assert (where(game, "strider"), where(game, "gimli")) == ("osgiliath", "north-ithilien")
    assert figures(game, "osgiliath") == {"gondor": 2, "gondor_leader": 1}
    assert figures(game, "north-ithilien") == {"sauron": 2}


def test_R7_18_3_without_characters_nobody_is_asked_who_stays():
    game = fight(ithilien({"sauron": 2}, {"gondor": 2, "gondor_leader": 1}), *[1] * 4, 1)
    play(game, "verb:continue", "region:osgiliath")
    assert game.decision == Decision.ADVANCE_FIGURES


def test_R7_18_3_retreat_only_to_free_regions():
    position = ithilien({"sauron": 1}, {"gondor": 1}).army("dead-marshes", southrons=1)
    position.place("mouth-of-sauron", "eastern-emyn-muil").army("south-ithilien", nazgul=1)
    game = play(fight(position, 1, 1), "verb:continue")
    # Not Dagorlad (R7.18.4), Dead Marshes (units), Minas Morgul (enemy Settlement); loose figures do
    # not matter.
    assert legal_block(game, "region") == {"eastern-emyn-muil", "osgiliath", "south-ithilien"}


def test_R7_18_4_the_region_the_attack_came_from_is_closed():
    game = play(fight(ithilien({"sauron": 3}, {"gondor": 1}), 1, 1, 1, 1), "verb:continue")
    assert "dagorlad" not in legal_block(game, "region")


def test_R7_18_3_without_a_free_region_there_is_no_retreat():
    position = Position().at_war("sauron").army("gorgoroth", sauron=1).army("nurn", gondor=1)
    position.control("nurn", Side.FREE_PEOPLES).dice("", "army army")
    game = attack(position.game(1, 1, 1, 1), "army", "gorgoroth", "nurn")
    play(game, "verb:continue")
    assert game.decision == Decision.CEASE and game.state.battle_round == 2


@pytest.mark.parametrize("edition", [Ruleset.first_edition, Ruleset.second_edition])
def test_R7_18_3_RG42_a_lost_settlement_is_no_refuge_a_besieged_one_is(edition):
    ruleset = edition(ask_single=True)
    position = Position(ruleset).at_war("sauron").army("north-ithilien", sauron=1)
    position.army("osgiliath", gondor=1)
    position.control("pelargir", Side.SHADOW).dice("", "army army")
    game = play(attack(position.game(1, 1), "army", "north-ithilien", "osgiliath"), "verb:continue")
    assert "pelargir" not in legal_block(game, "region")
    assert {"minas-tirith", "lossarnach", "druadan-forest"} <= legal_block(game, "region")

    position = Position(ruleset).at_war("sauron").army("morannon", sauron=2, gondor=2)
    position.army("dagorlad", gondor=1)
    position.army("noman-lands", sauron=1).dice("", "army army")
    game = play(attack(position.game(1, 1), "army", "noman-lands", "dagorlad"), "verb:continue")
    assert "morannon" in legal_block(game, "region")  # Gondor besieges it (R2.8)
    play(game, "region:morannon", "verb:decline")
    assert figures(game, "morannon") == {"gondor": 3, "sauron": 2}


@pytest.mark.parametrize("edition", [Ruleset.first_edition, Ruleset.second_edition])
def test_R7_18_3_RG42_an_army_between_enemies_and_a_lost_settlement_does_not_retreat(edition):
    position = Position(edition(ask_single=True)).at_war("sauron", "rohan").army("folde", sauron=1)
    position.control("folde", Side.SHADOW).control("westemnet", Side.SHADOW).army("edoras", rohan=1)
    position.dice("", "army army")
    game = play(attack(position.game(1, 1, 1, 1), "army", "folde", "edoras"), "verb:continue")
    assert (game.decision, game.state.battle_round) == (Decision.CEASE, 2)


def test_R7_18_3_RG42_by_option_an_army_retreats_into_an_enemy_settlement_and_captures_it():
    position = Position(Ruleset(ask_single=True, retreat_into="free_for_movement")).at_war("sauron")
    position.army("north-ithilien", sauron=1).army("osgiliath", gondor=1).army("south-ithilien", southrons=1)
    position.control("pelargir", Side.SHADOW).dice("", "army army")
    game = play(attack(position.game(1, 1), "army", "north-ithilien", "osgiliath"), "verb:continue")
    assert "pelargir" in legal_block(game, "region")
    assert not {"south-ithilien", "north-ithilien"} & legal_block(game, "region")
    play(game, "region:pelargir")
    assert game.state.control[SETTLEMENT_INDEX[region("pelargir")]] == Side.FREE_PEOPLES


def test_R7_18_3_no_retreat_into_a_siege_of_ones_own_garrison():
    position = Position().at_war("sauron").army("north-ithilien", sauron=1).army("osgiliath", gondor=1)
    position.army("minas-tirith", gondor=1, sauron=1).dice("", "army army")
    game = play(attack(position.game(1, 1), "army", "north-ithilien", "osgiliath"), "verb:continue")
    assert "minas-tirith" not in legal_block(game, "region")


def test_GX19_R7_18_3_peace_borders_do_not_stop_a_retreat():
    position = Position().at_war("sauron").politics("north", 3).army("vale-of-the-carnen", sauron=2)
    position.army("dale", north=2).dice("", "army army")
    game = attack(position.game(1, 6, 1, 1), "army", "vale-of-the-carnen", "dale")
    play(game, "figure:north-regular", "verb:continue")
    assert "erebor" in legal_block(game, "region")
    play(game, "region:erebor", "verb:decline")
    assert figures(game, "erebor") == {"north": 1}


def test_R7_18_3_a_retreat_merges_and_trims_to_ten():
    position = ithilien({"sauron": 1}, {"gondor": 3}).army("osgiliath", gondor=7, gondor_elite=2)
    game = fight(position, 1, 1, 1, 1)
    play(game, "verb:continue", "region:osgiliath")
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.TRIM_ARMY)
    assert legal(game) == {"figure:gondor-regular", "figure:gondor-elite"}
    play(game, "figure:gondor-regular", "figure:gondor-elite")
    assert figures(game, "osgiliath") == {"gondor": 9, "gondor_elite": 1}
    assert game.state.casualty_regular[nation("gondor")] == 0  # trimmed figures are no casualties
    assert game.decision == Decision.ADVANCE_FIGURES


def test_RG4_R7_18_3_saruman_is_left_behind():
    position = Position().at_war("rohan").army("fords-of-isen", rohan=3).army("orthanc", isengard=2)
    position.place("saruman", "orthanc").dice("army_muster event", "")
    game = attack(position.game(1, 1, 1, 1, 1, 1), "army-muster", "fords-of-isen", "orthanc")
    game.with_tape([1] * 6)
    play(game, "verb:fight", "verb:continue")
    assert legal_block(game, "region") == {"gap-of-rohan"}
    play(game, "region:gap-of-rohan")
    assert where(game, "saruman") == "orthanc"
    assert figures(game, "gap-of-rohan") == {"isengard": 2}


def test_R7_18_3_nazgul_and_minions_go_with_the_army_or_stay():
    position = (
        Position().at_war("gondor").army("osgiliath", gondor=1).army("south-ithilien", southrons=1, nazgul=2)
    )
    position.place("witch-king", "south-ithilien").dice("army_muster event", "")
    game = attack(position.game(1, 1, 1), "army-muster", "osgiliath", "south-ithilien")
    play(game, "verb:continue", "region:east-harondor", "figure:sauron-nazgul")
    assert legal(game) == {"figure:sauron-nazgul", "character:witch-king", "verb:done"}
    play(game, "verb:done", "verb:decline")
    assert figures(game, "east-harondor") == {"southrons": 1, "nazgul": 1}
    assert figures(game, "south-ithilien") == {"nazgul": 1}
    assert where(game, "witch-king") == "east-harondor"


def test_D24_R7_18_5_the_attacking_part_may_advance_wholly_partly_or_not():
    def won():
        position = ithilien({"sauron": 3, "sauron_elite": 1, "nazgul": 1}, {"gondor": 1})
        picks = ("figure:sauron-regular",) * 2 + ("figure:sauron-nazgul",)
        game = attack(position.game(6, 1, 1, 1), "army", "dagorlad", "north-ithilien", *picks)
        return play(game, "figure:gondor-regular")

    game = won()
    assert game.decision == Decision.ADVANCE_FIGURES
    assert legal(game) == {
        "figure:sauron-regular",
        "figure:sauron-nazgul",
        "verb:whole-army",
        "verb:decline",
    }  # not the Elite of the rearguard
    play(game, "verb:whole-army")
    assert figures(game, "north-ithilien") == {"sauron": 2, "nazgul": 1}
    assert figures(game, "dagorlad") == {"sauron": 1, "sauron_elite": 1}

    game = play(won(), "figure:sauron-nazgul")
    assert legal(game) == {"figure:sauron-regular"}  # a unit must go, and the choice is made
    play(game, "figure:sauron-regular")
    assert legal(game) == {"figure:sauron-regular", "verb:done"}
    play(game, "verb:done")
    assert figures(game, "north-ithilien") == {"sauron": 1, "nazgul": 1}
    assert figures(game, "dagorlad") == {"sauron": 2, "sauron_elite": 1}

    game = play(won(), "verb:decline")
    assert figures(game, "north-ithilien") == {}
    assert figures(game, "dagorlad") == {"sauron": 3, "sauron_elite": 1, "nazgul": 1}


def test_R7_18_5_leaders_advance_with_the_last_unit():
    def won(**rearguard):
        army = {"gondor": 1, "gondor_leader": 1}
        position = Position().at_war("gondor").army("osgiliath", **army).army("osgiliath", **rearguard)
        position.army("south-ithilien", southrons=1).dice("army_muster event", "")
        picks = ("figure:gondor-leader", "figure:gondor-regular")
        game = attack(position.game(6, 1), "army-muster", "osgiliath", "south-ithilien", *picks)
        return play(game, "figure:southrons-regular", "figure:gondor-regular", "verb:done")

    assert figures(won(), "south-ithilien") == {"gondor": 1, "gondor_leader": 1}
    stayed = won(rohan=1)
    assert figures(stayed, "south-ithilien") == {"gondor": 1}
    assert figures(stayed, "osgiliath") == {"gondor_leader": 1, "rohan": 1}


def test_R7_18_5_R7_18_7_advance_after_a_retreat():
    game = fight(ithilien({"sauron": 2}, {"gondor": 1}), 1, 1, 1)
    play(game, "verb:continue", "region:osgiliath")
    assert (game.side, game.decision) == (Side.SHADOW, Decision.ADVANCE_FIGURES)
    play(game, "verb:whole-army")
    assert figures(game, "north-ithilien") == {"sauron": 2}


def test_R7_18_6_R7_10_7_nobody_advances_when_both_are_destroyed():
    game = fight(ithilien({"sauron": 1}, {"gondor": 1}), 6, 6)
    play(game, "figure:sauron-regular", "figure:gondor-regular")
    assert game.decision == Decision.ACTION_DIE
    assert figures(game, "north-ithilien") == figures(game, "dagorlad") == {}


def test_R7_18_6_R7_8_4_the_rearguard_of_a_destroyed_attacker_does_not_advance():
    position = ithilien({"sauron": 2}, {"gondor": 1})
    game = attack(position.game(6, 6), "army", "dagorlad", "north-ithilien", "figure:sauron-regular")
    play(game, "figure:sauron-regular", "figure:gondor-regular")
    assert game.decision == Decision.ACTION_DIE
    assert figures(game, "dagorlad") == {"sauron": 1}


def test_R7_18_7_a_battle_may_last_many_rounds_and_leaves_nothing_behind():
    game = fight(ithilien({"sauron": 1}, {"gondor": 1}), *[1] * 12)
    for number in range(1, 6):
        assert game.state.battle_round == number
        play(game, "verb:continue", "verb:stay")
    play(game, "verb:cease")
    assert game.decision == Decision.ACTION_DIE
    for field in ("party_regular", "party_characters", "hits", "misses", "battle_round", "battle_origin"):
        assert not np.any(game.state[field]), field


@pytest.mark.parametrize("option", ["illegal", "disband"])
def test_R7_2_2_R7_16_2_an_advance_beyond_the_stacking_limit(option):
    position = Position(Ruleset(ask_single=True, overstack_voluntary=option)).at_war("gondor")
    position.army("minas-tirith", gondor=4, sauron=1).army("lossarnach", gondor=7).dice(
        "army_muster event", ""
    )
    game = attack(position.game(6, 1, 1, 1, 1, 1), "army-muster", "lossarnach", "minas-tirith")
    play(game, "figure:sauron-regular")
    if option == "illegal":
        assert legal(game) == {"figure:gondor-regular", "verb:decline"}
        play(game, *["figure:gondor-regular"] * 6)
        assert legal(game) == {"verb:done"}
        play(game, "verb:done")
        assert figures(game, "lossarnach") == {"gondor": 1}
    else:
        play(game, "verb:whole-army")
        assert game.decision == Decision.TRIM_ARMY
        play(game, "figure:gondor-regular")
        assert figures(game, "lossarnach") == {}
    assert figures(game, "minas-tirith") == {"gondor": 10}
