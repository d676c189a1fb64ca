"""Declaring an attack: who pays, who attacks, whom, and what the attack does to politics (R7.8)."""

import pytest

from tests.positions import Position, attack, figures, legal, legal_block, nation, play
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.codes import BattleKind, Decision, Side


def plans(position, die, *tape):
    """The plans for a die, without its prefix."""
    return legal_block(play(position.game(*tape), f"face:{die}"), "plan")


def picking(position, die, origin, target, *picks):
    """The game while the attacking part is being picked."""
    game = position.game()
    return play(game, f"face:{die}", "plan:attack", f"region:{origin}", f"region:{target}", *picks)


def ithilien(**attackers):
    """A Shadow army in Dagorlad and one Gondor Regular in North Ithilien."""
    return Position().at_war("sauron").army("dagorlad", **attackers).army("north-ithilien", gondor=1)


# --- R7.8.1: what pays for an attack. ---


def test_R7_8_1_an_army_result_pays_for_any_army_and_a_character_result_for_one_with_a_leader():
    assert "attack" in plans(ithilien(sauron=2).dice("", "army army"), "army")
    assert "attack" not in plans(ithilien(sauron=2).dice("", "character army"), "character")
    assert "attack" in plans(ithilien(sauron=2, nazgul=1).dice("", "character army"), "character")
    minion = ithilien(sauron=2).place("mouth-of-sauron", "dagorlad")
    assert "attack" in plans(minion.dice("", "character army"), "character")


@pytest.mark.parametrize("face", ["army_muster", "army"])
def test_R7_8_1_army_muster_pays_like_army(face):
    die = face.replace("_", "-")
    assert "attack" in plans(ithilien(sauron=2).dice("", f"{face} army"), die)


@pytest.mark.parametrize("face", ["muster", "event"])
def test_R7_8_1_muster_and_event_results_pay_for_no_attack(face):
    assert "attack" not in plans(ithilien(sauron=2, nazgul=1).dice("", f"{face} army"), face)


@pytest.mark.parametrize(("face", "pays"), [("will", True), ("army_muster", True), ("character", False)])
def test_R7_8_1_the_same_for_the_free_peoples(face, pays):
    position = Position().at_war("gondor").army("osgiliath", gondor=2).army("south-ithilien", southrons=1)
    plan = plans(position.dice(f"{face} event", ""), face.replace("_", "-"))
    assert ("attack" in plan) == pays


def test_R7_8_1_saruman_attacks_from_orthanc_without_moving():
    position = Position().at_war("isengard").place("saruman", "orthanc").army("orthanc", isengard=2)
    position.army("fords-of-isen", rohan=1).dice("", "character army")
    game = picking(position, "character", "orthanc", "fords-of-isen", "figure:isengard-regular")
    assert legal(game) == {"figure:isengard-regular", "character:saruman"}  # no leader yet: not done
    play(game, "character:saruman")
    assert "verb:done" in legal(game)


def test_R7_8_1_isengard_elites_lead_only_while_saruman_is_in_play():
    def position(saruman):
        there = Position().at_war("isengard").place("saruman", saruman)
        there.army("gap-of-rohan", isengard=1, isengard_elite=1).army("fords-of-isen", rohan=1)
        return there.dice("", "character army")

    assert "attack" not in plans(position("aside"), "character")
    game = picking(position("orthanc"), "character", "gap-of-rohan", "fords-of-isen")
    play(game, "figure:isengard-regular")
    assert legal(game) == {"figure:isengard-elite"}
    play(game, "figure:isengard-elite")
    assert legal(game) == {"verb:done"}


def test_RU48_the_attacking_part_itself_must_hold_the_nazgul():
    position = ithilien(sauron=2, nazgul=1).dice("", "character army")
    game = picking(position, "character", "dagorlad", "north-ithilien", "figure:sauron-regular")
    assert legal(game) == {"figure:sauron-regular", "figure:sauron-nazgul"}
    play(game, "figure:sauron-regular")
    assert legal(game) == {"figure:sauron-nazgul"}  # all units are picked, still no leader
    play(game, "figure:sauron-nazgul")
    assert legal(game) == {"verb:done"}


def test_RU48_the_attacking_part_itself_must_hold_the_companion():
    position = Position().at_war("gondor").army("osgiliath", gondor=2).place("strider", "osgiliath")
    position.army("south-ithilien", southrons=1).dice("character event", "")
    game = picking(position, "character", "osgiliath", "south-ithilien", "figure:gondor-regular")
    play(game, "figure:gondor-regular")
    assert legal(game) == {"character:strider"}


@pytest.mark.parametrize("leader", ["goes_along", "in_army"])
def test_RU51_by_option_the_leader_only_belongs_to_the_army_that_attacks(leader):
    ruleset = Ruleset(ask_single=True, character_die_leader=leader)
    position = Position(ruleset).at_war("sauron").army("north-ithilien", gondor=1)
    position.army("dagorlad", sauron=2, nazgul=1).dice("", "character army")
    game = picking(position, "character", "dagorlad", "north-ithilien", "figure:sauron-regular")
    assert ("verb:done" in legal(game)) == (leader == "in_army")
    play(game, "figure:sauron-regular")
    assert ("verb:done" in legal(game)) == (leader == "in_army")


def test_RU51_by_option_too_an_army_without_a_leader_does_not_attack():
    position = Position(Ruleset(ask_single=True, character_die_leader="in_army")).at_war("sauron")
    position.army("north-ithilien", gondor=1).army("dagorlad", sauron=2).dice("", "character army")
    assert "attack" not in plans(position, "character")


def test_RU48_with_an_army_result_the_leader_may_stay_in_the_rearguard():
    position = ithilien(sauron=2, nazgul=1).dice("", "army army")
    game = picking(position, "army", "dagorlad", "north-ithilien", "figure:sauron-regular")
    assert legal(game) == {"figure:sauron-regular", "figure:sauron-nazgul", "verb:done"}


# --- R7.8.2: army, attacking part, target. ---


def test_D14_R7_8_2_targets_are_adjacent_field_armies_and_the_garrison_one_besieges():
    position = Position().at_war("sauron").army("minas-tirith", sauron=3, gondor=2)
    position.army("lossarnach", gondor=1).army("pelargir", gondor=1).army("osgiliath", gondor=1)
    game = play(position.dice("", "army army").game(), "face:army", "plan:attack")
    assert legal(game) == {"region:minas-tirith"}
    play(game, "region:minas-tirith")
    assert legal(game) == {"region:minas-tirith", "region:lossarnach", "region:osgiliath"}


def test_R7_8_2_a_garrison_attacks_only_its_besieger():
    position = Position().at_war("gondor").army("minas-tirith", sauron=3, gondor=2)
    position.army("osgiliath", southrons=1).dice("army_muster event", "")
    game = play(position.game(), "face:army-muster", "plan:attack", "region:minas-tirith")
    assert legal(game) == {"region:minas-tirith"}


def test_R7_8_2_a_besieger_may_be_attacked_from_outside_but_a_garrison_may_not():
    position = Position().at_war("gondor", "sauron").army("minas-tirith", sauron=3, gondor=2)
    position.army("lossarnach", gondor=1).army("druadan-forest", sauron=1)
    position.dice("army_muster event", "army army")
    game = play(position.game(), "face:army-muster", "plan:attack")
    assert legal(game) == {"region:lossarnach", "region:minas-tirith"}
    position.state.acting = Side.SHADOW
    game = play(position.game(), "face:army", "plan:attack")
    assert legal(game) == {"region:minas-tirith"}  # the army in Druadan Forest must first move in


def test_R7_8_2_mountains_and_distance_protect():
    position = Position().at_war("sauron").army("gorgoroth", sauron=3).army("north-ithilien", gondor=1)
    assert "attack" not in plans(position.dice("", "army army"), "army")


def test_R7_8_2_lone_characters_and_nazgul_are_no_target_and_do_not_attack():
    position = (
        Position().at_war("sauron", "gondor").army("dagorlad", sauron=3).place("strider", "north-ithilien")
    )
    assert "attack" not in plans(position.dice("", "army army"), "army")
    position = Position().at_war("sauron").army("dagorlad", nazgul=3).army("north-ithilien", gondor=1)
    assert "attack" not in plans(position.dice("", "army character"), "character")


# --- R7.8.3: At War; R7.8.4: the rearguard. ---


def test_R7_8_3_units_at_peace_are_rearguard_by_force():
    position = Position().at_war("isengard").army("dagorlad", sauron=2, sauron_elite=1, isengard=1, nazgul=1)
    position.army("north-ithilien", gondor=3).dice("", "army army")
    game = picking(position, "army", "dagorlad", "north-ithilien")
    assert legal(game) == {"figure:isengard-regular", "figure:sauron-nazgul", "verb:whole-army"}
    play(game, "verb:whole-army")
    assert game.state.party_regular.sum() == 1 and game.state.party_elite.sum() == 0


def test_R7_8_3_an_army_at_peace_cannot_attack_whoever_leads_it():
    position = Position().army("dagorlad", sauron=3, nazgul=2).place("witch-king", "dagorlad")
    position.army("north-ithilien", gondor=1).dice("", "character army")
    assert "attack" not in plans(position, "character")
    assert "attack" not in plans(position, "army")


def test_GX20_nazgul_of_a_nation_at_peace_fight_with_an_army_at_war():
    position = Position().at_war("isengard").army("dagorlad", isengard=1, nazgul=2)
    position.army("north-ithilien", gondor=2).dice("", "character army")
    game = position.game(1, 1, 1, 6)  # the missed die is re-rolled
    attack(game, "character", "dagorlad", "north-ithilien", "figure:isengard-regular", "figure:sauron-nazgul")
    assert figures(game, "north-ithilien") == {"gondor": 2}
    assert tuple(game.state.hits) == (0, 1)
    play(game, "figure:gondor-regular")
    assert figures(game, "north-ithilien") == {"gondor": 1}


@pytest.mark.parametrize(("bound", "free"), [(True, set()), (False, {"rohan-leader"})])
def test_R7_8_3_leaders_of_a_nation_at_peace(bound, free):
    position = Position(Ruleset(ask_single=True, leaders_bound=bound)).at_war("gondor")
    position.army("osgiliath", gondor=2, gondor_leader=1, rohan=1, rohan_leader=1)
    position.army("south-ithilien", southrons=1).dice("army_muster event", "")
    game = picking(position, "army-muster", "osgiliath", "south-ithilien")
    assert legal_block(game, "figure") == {"gondor-regular", "gondor-leader"} | free


def test_R7_8_4_R7_8_3_a_leader_at_peace_needs_a_unit_that_stays_with_him():
    position = Position().at_war("gondor").army("osgiliath", gondor=2, rohan_leader=1)
    position.army("south-ithilien", southrons=1).dice("army_muster event", "")
    game = picking(position, "army-muster", "osgiliath", "south-ithilien")
    assert legal(game) == {"figure:gondor-regular"}  # not the whole army
    play(game, "figure:gondor-regular")
    assert legal(game) == {"verb:done"}
    lone = Position().at_war("gondor").army("osgiliath", gondor=1, rohan_leader=1)
    lone.army("south-ithilien", southrons=1).dice("army_muster event", "")
    assert "attack" not in plans(lone, "army-muster")


def test_R7_8_4_the_rearguard_takes_no_part():
    position = Position().at_war("sauron").army("dagorlad", sauron=4, sauron_elite=1, nazgul=2)
    position.army("north-ithilien", gondor=5).dice("", "army army")
    # Two dice and no re-roll for the attacker, five for the defender: three hits on two units.
    game = position.game(1, 2, 6, 6, 6, 1, 1)
    attack(game, "army", "dagorlad", "north-ithilien", "figure:sauron-regular", "figure:sauron-regular")
    assert tuple(game.state.hits) == (3, 0)
    assert legal(game) == {"figure:sauron-regular"}  # neither the Elite of the rearguard
    play(game, "figure:sauron-regular", "figure:sauron-regular")
    assert figures(game, "dagorlad") == {"sauron": 2, "sauron_elite": 1, "nazgul": 2}
    assert figures(game, "north-ithilien") == {"gondor": 5}
    assert game.decision == Decision.ACTION_DIE  # the excess hit is lost, the battle over


def test_R7_8_4_no_rearguard_of_leaders_alone():
    position = Position().at_war("gondor").army("osgiliath", gondor=2, gondor_leader=1)
    position.army("south-ithilien", southrons=2).dice("army_muster event", "")
    game = position.game(1, 1, 6, 6, 1)  # two dice, two dice, one re-roll by the Leader who came along
    picks = ("figure:gondor-regular", "figure:gondor-regular")
    attack(game, "army-muster", "osgiliath", "south-ithilien", *picks)
    assert tuple(game.state.hits) == (0, 2)
    assert game.state.tape_length == 0
    play(game, "figure:gondor-regular", "figure:gondor-regular")
    assert figures(game, "osgiliath") == {}
    assert game.state.casualty_leader[nation("gondor")] == 1


def test_R7_8_4_a_leader_may_stay_with_a_unit():
    position = Position().at_war("gondor").army("osgiliath", gondor=2, gondor_leader=1)
    position.army("south-ithilien", southrons=2).dice("army_muster event", "")
    game = position.game(1, 6, 1)  # no re-roll
    attack(game, "army-muster", "osgiliath", "south-ithilien", "figure:gondor-regular")
    play(game, "figure:gondor-regular")
    assert figures(game, "osgiliath") == {"gondor": 1, "gondor_leader": 1}


# --- R7.8.5-R7.8.7: the defenders, the place, politics. ---


def test_R7_8_5_the_whole_defending_army_fights_nations_at_peace_included():
    position = Position().at_war("sauron").army("dagorlad", sauron=1)
    position.army("north-ithilien", gondor=1, rohan=1, rohan_leader=1).place("gimli", "north-ithilien")
    # Defender: two units and a Captain of the West; Leadership 2.
    game = position.dice("", "army army").game(1, 1, 1, 1, 6, 1)
    attack(game, "army", "dagorlad", "north-ithilien")
    assert tuple(game.state.hits) == (1, 0)
    assert game.state.tape_length == 0


def test_R7_8_6_attackers_stay_in_their_region_during_the_battle():
    position = ithilien(sauron=2).dice("", "army army")
    game = attack(position.game(1, 1, 1), "army", "dagorlad", "north-ithilien")
    assert game.decision == Decision.CEASE
    assert figures(game, "dagorlad") == {"sauron": 2}
    assert figures(game, "north-ithilien") == {"gondor": 1}


def test_GX29_R7_8_7_R8_7_an_attacked_nation_becomes_active_and_advances():
    position = Position().at_war("sauron").politics("gondor", 2, active=False)
    position.army("north-ithilien", sauron=3).army("osgiliath", gondor=2).dice("", "army army")
    game = attack(position.game(1, 1, 1, 1, 1), "army", "north-ithilien", "osgiliath")
    gondor = nation("gondor")
    assert (game.state.active[gondor], game.state.steps_to_war[gondor]) == (1, 1)


def test_R7_8_7_once_per_battle_whatever_the_rounds():
    position = ithilien(sauron=2).politics("gondor", 3, active=False).dice("", "army army")
    game = attack(position.game(1, 1, 1, 1, 1, 1), "army", "dagorlad", "north-ithilien")
    play(game, "verb:continue", "verb:stay")
    assert game.decision == Decision.CEASE and game.state.battle_round == 2
    assert game.state.steps_to_war[nation("gondor")] == 2


def test_RU35_R7_8_7_activation_comes_before_the_step():
    position = ithilien(sauron=2).politics("gondor", 1, active=False).dice("", "army army")
    game = attack(position.game(1, 1, 1), "army", "dagorlad", "north-ithilien")
    gondor = nation("gondor")
    assert (game.state.active[gondor], game.state.steps_to_war[gondor]) == (1, 0)


def test_R7_8_7_every_nation_with_a_unit_advances_and_no_other():
    position = Position().at_war("sauron").army("dagorlad", sauron=2)
    position.army("north-ithilien", gondor=1, rohan_elite=1, north_leader=1).dice("", "army army")
    before = position.state.steps_to_war.copy()
    game = attack(position.game(1, 1, 1, 1, 1), "army", "dagorlad", "north-ithilien")
    change = before - game.state.steps_to_war
    assert {name: int(change[nation(name)]) for name in ("gondor", "rohan", "north", "elves")} == {
        "gondor": 1,
        "rohan": 1,
        "north": 0,  # a Leader is no unit
        "elves": 0,
    }
    assert game.state.active[nation("north")] == 0


def test_R7_8_7_an_attacked_shadow_nation_advances_too():
    position = Position().at_war("gondor").army("osgiliath", gondor=2).army("south-ithilien", southrons=2)
    game = attack(
        position.dice("army_muster event", "").game(1, 1, 1, 1), "army-muster", "osgiliath", "south-ithilien"
    )
    assert game.state.steps_to_war[nation("southrons")] == 1
    assert game.state.steps_to_war[nation("sauron")] == 1


def test_R7_8_7_the_attacker_does_not_advance():
    position = Position().at_war("isengard").army("dagorlad", sauron=1, isengard=1)
    position.army("north-ithilien", gondor=1).dice("", "army army")
    game = attack(position.game(1, 1), "army", "dagorlad", "north-ithilien")
    assert game.state.steps_to_war[nation("sauron")] == 1


def test_R7_8_7_each_assault_is_a_new_battle():
    position = Position().at_war("sauron").politics("gondor", 3).army("minas-tirith", sauron=1, gondor=1)
    game = position.dice("", "army army army").game(1, 1, 1, 1)
    for steps in (2, 1):
        attack(game, "army", "minas-tirith", "minas-tirith")
        assert game.decision == Decision.ACTION_DIE
        assert game.state.steps_to_war[nation("gondor")] == steps


def test_R8_7_a_nation_driven_to_war_attacks_at_once():
    position = ithilien(sauron=1).politics("gondor", 1).dice("army_muster event", "army army")
    position.state.acting = Side.SHADOW
    game = attack(position.game(1, 1), "army", "dagorlad", "north-ithilien")
    play(game, "verb:cease", "face:army-muster")
    assert "plan:attack" in legal(game)


# --- R7.8.9: strength and Leadership. A tape of misses for the attacker, then hits for the defender, tells
# exactly how many dice the attacker rolls. ---


def hits_of(position, misses, hits, rerolls=()):
    """The hits of an attack from Dagorlad, or by the Free Peoples from Osgiliath."""
    free_peoples = position.state.acting == Side.FREE_PEOPLES
    way = (
        ("army-muster", "osgiliath", "south-ithilien")
        if free_peoples
        else ("army", "dagorlad", "north-ithilien")
    )
    game = attack(position.game(*[1] * misses, *hits, *rerolls), *way)
    assert game.state.tape_length == 0
    return tuple(game.state.hits)


def gondor_attacks(*companions, **army):
    position = Position().at_war("gondor").army("osgiliath", **army).army("south-ithilien", southrons=5)
    for name in companions:
        position.place(name, "osgiliath")
    return position.dice("army_muster event", "")


@pytest.mark.parametrize(("units", "dice"), [(1, 1), (4, 4), (5, 5), (8, 5)])
def test_R7_8_9_combat_strength_is_the_number_of_units_at_most_five(units, dice):
    position = ithilien(sauron=units).dice("", "army army", acting=Side.SHADOW)
    assert hits_of(position, dice, [6]) == (1, 0)


def test_R7_8_9_a_larger_army_defends_with_five_dice():
    position = Position().at_war("sauron").army("dagorlad", sauron=3).army("north-ithilien", gondor=7)
    position.dice("", "army army", acting=Side.SHADOW)
    assert hits_of(position, 3, [6, 6, 6, 6, 6]) == (5, 0)


@pytest.mark.parametrize(
    ("companions", "dice", "rerolls"),
    [
        (("strider",), 3, 1),
        (("strider", "boromir", "legolas"), 5, 3),
        (("strider", "boromir", "legolas", "gimli"), 5, 4),  # five dice, not six
        (("aragorn",), 3, 2),
        (("meriadoc", "peregrin"), 2, 2),  # Hobbits are no Captains of the West
    ],
)
def test_R7_8_9_captains_of_the_west_add_strength_up_to_five(companions, dice, rerolls):
    position = gondor_attacks(*companions, gondor=2)
    if "aragorn" in companions:
        position.place("strider", "replaced")
    assert hits_of(position, dice, [6] * 5, [1] * rerolls) == (0, 5)


def test_R7_8_9_gandalf_the_white_is_no_captain():
    position = gondor_attacks("gandalf-white", gondor=2).place("gandalf-grey", "eliminated")
    position.fellowship(companions=["strider"])
    game = position.game(1, 1, 6, 6, 6, 6, 6, 1)
    attack(game, "army-muster", "osgiliath", "south-ithilien")
    play(game, "verb:decline")  # The White Rider
    assert tuple(game.state.hits) == (0, 5)
    assert game.state.tape_length == 0


def test_RU40_R7_8_9_leaders_nazgul_and_minions_add_no_strength():
    position = (
        ithilien(sauron=1, nazgul=3).place("witch-king", "dagorlad").place("mouth-of-sauron", "dagorlad")
    )
    position.dice("", "army army", acting=Side.SHADOW)
    assert hits_of(position, 1, [6], [1]) == (1, 0)
    position = gondor_attacks(gondor=1, gondor_leader=4)
    assert hits_of(position, 1, [6] * 5, [1]) == (0, 5)


@pytest.mark.parametrize(
    ("nazgul", "minions", "rerolls"),
    [
        (1, (), 1),
        (0, ("witch-king",), 2),
        (0, ("mouth-of-sauron",), 2),
        (1, ("witch-king", "mouth-of-sauron"), 5),
        (8, (), 5),
    ],
)
def test_R7_8_9_leadership_of_nazgul_and_minions_at_most_five(nazgul, minions, rerolls):
    position = ithilien(sauron=7, nazgul=nazgul)
    for name in minions:
        position.place(name, "dagorlad")
    position.dice("", "army army", acting=Side.SHADOW)
    assert hits_of(position, 5, [6], [1] * rerolls) == (1, 0)


def test_R7_8_9_leadership_of_saruman_and_of_isengard_elites():
    position = Position().at_war("isengard").place("saruman", "orthanc")
    position.army("orthanc", isengard=3, isengard_elite=2).army("fords-of-isen", rohan=1)
    game = position.dice("", "army army").game(1, 1, 1, 1, 1, 6, 1, 1, 1)
    attack(game, "army", "orthanc", "fords-of-isen")
    assert game.state.tape_length == 0
    assert tuple(game.state.hits) == (1, 0)


def test_D29_R7_8_9_the_white_rider_cancels_nazgul_leadership_but_not_the_mouths():
    position = gondor_attacks("gandalf-white", gondor=3).place("gandalf-grey", "eliminated")
    position.fellowship(companions=["strider"]).army("south-ithilien", nazgul=2)
    position.place("witch-king", "south-ithilien").place("mouth-of-sauron", "south-ithilien")
    game = position.game(1, 1, 1, 1, 1, 1, 1, 1, 6, 6)  # 3 dice, 5 dice, only the Mouth's two re-rolls
    attack(game, "army-muster", "osgiliath", "south-ithilien")
    assert legal(game) == {"verb:accept", "verb:decline"}
    play(game, "verb:accept")
    assert game.state.tape_length == 0
    assert tuple(game.state.hits) == (0, 2)


def test_D14_R7_8_2_the_kind_of_battle_follows_from_the_target():
    position = (
        Position().at_war("sauron").army("minas-tirith", sauron=2, gondor=2).army("osgiliath", gondor=1)
    )
    game = attack(position.dice("", "army army").game(6, 6, 1, 1), "army", "minas-tirith", "minas-tirith")
    assert game.state.battle_kind == BattleKind.ASSAULT
    game = attack(position.game(1, 1, 1), "army", "minas-tirith", "osgiliath")
    assert game.state.battle_kind == BattleKind.FIELD
