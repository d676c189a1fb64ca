"""Casualties: who removes what, in which order, from and to which pool (R7.10)."""

import pytest

from tests.positions import Position, attack, figures, legal, nation, play, where
from wotr_env.games.war_of_the_ring.codes import Decision, Side

FREE_PEOPLES, SHADOW = Side.FREE_PEOPLES, Side.SHADOW


def gondor_suffers(hits, position=None, **army):
    """Gondor, or the army given, in North Ithilien suffers hits from five Sauron Regulars."""
    position = position or Position()
    position.at_war("sauron").army("dagorlad", sauron=5).army("north-ithilien", **army)
    defenders = min(5, sum(count for name, count in army.items() if not name.endswith("leader")))
    rerolls = min(defenders, sum(count for name, count in army.items() if name.endswith("leader")))
    tape = [6] * hits + [1] * (5 - hits) + [1] * defenders + [1] * rerolls
    return attack(position.dice("", "army army").game(*tape), "army", "dagorlad", "north-ithilien")


def sauron_suffers(hits, *extra, **army):
    """The army in South Ithilien suffers hits from five Gondor Regulars."""
    position = Position().at_war("gondor").army("osgiliath", gondor=5).army("south-ithilien", **army)
    units = min(5, sum(count for name, count in army.items() if name != "nazgul"))
    tape = [6] * hits + [1] * (5 - hits) + [1] * units + [1] * min(units, army.get("nazgul", 0))
    game = position.dice("army_muster event", "").game(*tape, *extra)
    return attack(game, "army-muster", "osgiliath", "south-ithilien")


def outcomes(game, place):
    """All ways to distribute the hits: the armies that may be left."""
    if game.decision != Decision.CASUALTY:
        return {tuple(sorted(figures(game, place).items()))}
    found = set()
    for action in game.legal():
        found |= outcomes(game.clone().step(action), place)
    return found


def pools(game, name, *kinds):
    """What the pools of a nation hold, such as ``casualty_regular``."""
    return tuple(int(game.state[kind][nation(name)]) for kind in kinds)


def test_R7_10_1_the_attacker_removes_first_then_the_defender():
    position = Position().at_war("sauron").army("dagorlad", sauron=2).army("north-ithilien", gondor=2)
    game = attack(position.dice("", "army army").game(6, 1, 6, 1), "army", "dagorlad", "north-ithilien")
    assert (game.side, game.decision) == (SHADOW, Decision.CASUALTY)
    assert legal(game) == {"figure:sauron-regular"}
    play(game, "figure:sauron-regular")
    assert figures(game, "dagorlad") == {"sauron": 1}
    assert (game.side, game.decision) == (FREE_PEOPLES, Decision.CASUALTY)
    play(game, "figure:gondor-regular")
    assert figures(game, "north-ithilien") == {"gondor": 1}
    assert (game.side, game.decision) == (SHADOW, Decision.CEASE)


def test_GX4_R7_10_2_two_hits_on_two_regulars_and_two_elites():
    game = gondor_suffers(2, gondor=2, gondor_elite=2)
    assert legal(game) == {"figure:gondor-regular", "nation:gondor", "figure:gondor-elite"}
    assert outcomes(game, "north-ithilien") == {
        (("gondor_elite", 2),),
        (("gondor", 4),),
        (("gondor", 2), ("gondor_elite", 1)),  # one Elite removed, or reduced and a Regular removed
    }


def test_R7_10_2_the_last_hit_cannot_remove_an_elite():
    game = gondor_suffers(1, gondor=1, gondor_elite=1)
    assert legal(game) == {"figure:gondor-regular", "nation:gondor"}
    game = gondor_suffers(2, gondor=1, gondor_elite=2)
    play(game, "figure:gondor-regular")
    assert legal(game) == {"nation:gondor"}  # one hit left


def test_D25_R7_10_2_the_nation_is_part_of_the_choice():
    game = gondor_suffers(2, gondor=1, rohan_elite=1, elves_elite=1, dwarves=1)
    assert legal(game) == {
        "figure:gondor-regular",
        "figure:dwarves-regular",
        "nation:rohan",
        "figure:rohan-elite",
        "nation:elves",
        "figure:elves-elite",
    }
    play(game, "figure:rohan-elite")
    assert figures(game, "north-ithilien") == {"gondor": 1, "elves_elite": 1, "dwarves": 1}
    assert game.decision == Decision.CEASE


def test_R7_10_2_a_regular_made_from_an_elite_can_take_the_next_hit():
    game = gondor_suffers(2, gondor_elite=1, rohan=1)
    play(game, "nation:gondor")
    assert legal(game) == {"figure:gondor-regular", "figure:rohan-regular"}
    play(game, "figure:gondor-regular")
    assert figures(game, "north-ithilien") == {"rohan": 1}


def test_R7_10_3_excess_hits_are_lost_and_hits_must_be_taken():
    game = gondor_suffers(4, gondor=2)
    for _ in range(2):
        assert legal(game) == {"figure:gondor-regular"}
        play(game, "figure:gondor-regular")
    assert game.decision == Decision.ADVANCE_FIGURES


def test_R7_10_3_leaders_and_characters_never_absorb_hits():
    position = Position().place("gandalf-grey", "north-ithilien").fellowship(companions=["strider"])
    position.at_war("sauron").army("dagorlad", sauron=2).army("north-ithilien", gondor=1, gondor_leader=2)
    game = position.dice("", "army army").game(6, 1, 1, 1, 1, 1)
    attack(game, "army", "dagorlad", "north-ithilien")
    assert legal(game) == {"figure:gondor-regular"}
    game = sauron_suffers(1, sauron=2, nazgul=3)
    assert legal(game) == {"figure:sauron-regular"}


CASUALTIES = ("casualty_regular", "casualty_elite", "reinforcement_regular", "reinforcement_elite")


def change(game, choices, name):
    before = pools(game, name, *CASUALTIES)
    play(game, *choices)
    return tuple(b - a for a, b in zip(before, pools(game, name, *CASUALTIES), strict=True))


def test_R7_10_4_RU25_a_free_peoples_regular_comes_from_the_casualties_first():
    game = gondor_suffers(1, Position().dead(gondor=1), gondor_elite=2)
    assert change(game, ["nation:gondor"], "gondor") == (-1, 1, 0, 0)
    assert figures(game, "north-ithilien") == {"gondor": 1, "gondor_elite": 1}


def test_R7_10_4_RU25_else_from_the_reinforcements():
    game = gondor_suffers(1, gondor_elite=2)
    assert change(game, ["nation:gondor"], "gondor") == (0, 1, -1, 0)


def test_R7_10_4_RU25_shadow_replacements_and_losses_are_reinforcements():
    game = sauron_suffers(1, southrons_elite=2)
    before = pools(game, "southrons", "reinforcement_regular", "reinforcement_elite")
    play(game, "nation:southrons")
    after = pools(game, "southrons", "reinforcement_regular", "reinforcement_elite")
    assert (after[0] - before[0], after[1] - before[1]) == (-1, 1)
    assert figures(game, "south-ithilien") == {"southrons": 1, "southrons_elite": 1}


def test_R7_10_4_R7_3_5_removed_figures_go_to_casualties_or_reinforcements():
    game = gondor_suffers(3, gondor=2, gondor_elite=2)
    assert change(game, ["figure:gondor-regular", "figure:gondor-elite"], "gondor") == (1, 1, 0, 0)
    game = sauron_suffers(3, southrons=2, southrons_elite=2)
    before = pools(game, "southrons", "reinforcement_regular", "reinforcement_elite")
    play(game, "figure:southrons-regular", "figure:southrons-elite")
    after = pools(game, "southrons", "reinforcement_regular", "reinforcement_elite")
    assert (after[0] - before[0], after[1] - before[1]) == (1, 1)


def no_spare_gondor_regular():
    """All 15 Gondor Regulars are on the board."""
    return Position().army("pelargir", gondor=10).army("dol-amroth", gondor=5)


def test_R7_10_5_without_a_spare_regular_the_replacement_is_not_offered():
    game = gondor_suffers(2, no_spare_gondor_regular(), gondor_elite=2, rohan=1)
    assert legal(game) == {"figure:gondor-elite", "figure:rohan-regular"}
    play(game, "figure:rohan-regular")
    # No legal way is left: the Elite is removed for the one hit.
    assert legal(game) == {"figure:gondor-elite"}
    play(game, "figure:gondor-elite")
    assert figures(game, "north-ithilien") == {"gondor_elite": 1}
    assert pools(game, "gondor", "casualty_elite") == (1,)


def test_R7_10_5_the_exception_needs_that_nothing_else_can_take_the_hit():
    game = gondor_suffers(1, no_spare_gondor_regular(), gondor_elite=1, rohan_elite=1)
    assert legal(game) == {"nation:rohan"}


def test_R7_10_5_a_shadow_elite_without_a_spare_regular():
    position = (
        Position().at_war("gondor").army("osgiliath", gondor=2).army("south-ithilien", isengard_elite=2)
    )
    position.army("orthanc", isengard=10).army("north-dunland", isengard=2).dice("army_muster event", "")
    game = attack(position.game(6, 1, 1, 1), "army-muster", "osgiliath", "south-ithilien")
    assert legal(game) == {"figure:isengard-elite"}
    play(game, "figure:isengard-elite")
    assert figures(game, "south-ithilien") == {"isengard_elite": 1}


def test_R7_10_6_leaders_and_characters_die_with_the_last_unit_of_the_defender():
    position = Position().place("boromir", "north-ithilien")
    position.at_war("sauron").army("dagorlad", sauron=5).army("north-ithilien", gondor=1, gondor_leader=1)
    game = position.army("north-ithilien", north_leader=1).dice("", "army army")
    game = attack(game.game(6, *[1] * 4, 1, 1, 1, 1), "army", "dagorlad", "north-ithilien")
    play(game, "figure:gondor-regular")
    assert figures(game, "north-ithilien") == {}
    assert pools(game, "gondor", "casualty_leader") == pools(game, "north", "casualty_leader") == (1,)
    assert where(game, "boromir") == "eliminated"


def test_R7_10_6_nazgul_return_to_the_reinforcements_minions_do_not():
    position = Position().at_war("gondor").army("osgiliath", gondor=3)
    position.army("south-ithilien", southrons=1, nazgul=3).place("witch-king", "south-ithilien")
    position.place("mouth-of-sauron", "south-ithilien").dice("army_muster event", "")
    game = attack(position.game(6, 6, 1, 1, 1), "army-muster", "osgiliath", "south-ithilien")
    play(game, "figure:southrons-regular")
    assert figures(game, "south-ithilien") == {}
    assert pools(game, "sauron", "reinforcement_leader") == (8,)
    assert where(game, "witch-king") == where(game, "mouth-of-sauron") == "eliminated"


def test_R7_10_6_of_the_attacker_only_those_who_took_part():
    position = (
        Position().at_war("sauron").army("dagorlad", sauron=2, nazgul=2).place("witch-king", "dagorlad")
    )
    position.place("mouth-of-sauron", "dagorlad").army("north-ithilien", gondor=1)
    game = position.dice("", "army army").game(1, 6, 1)
    picks = ("figure:sauron-regular", "figure:sauron-nazgul", "character:mouth-of-sauron")
    attack(game, "army", "dagorlad", "north-ithilien", *picks)
    play(game, "figure:sauron-regular")
    assert figures(game, "dagorlad") == {"sauron": 1, "nazgul": 1}
    assert where(game, "mouth-of-sauron") == "eliminated"
    assert where(game, "witch-king") == "dagorlad"
    assert figures(game, "north-ithilien") == {"gondor": 1}
    assert game.decision == Decision.ACTION_DIE


def test_R7_10_6_a_loose_enemy_figure_in_the_region_is_not_touched():
    position = Position().place("strider", "dagorlad").army("north-ithilien", nazgul=1)
    game = gondor_suffers(1, position, gondor=1)
    play(game, "figure:gondor-regular", "verb:decline")
    assert where(game, "strider") == "dagorlad"
    assert figures(game, "north-ithilien") == {"nazgul": 1}


def test_R7_10_7_a_destroyed_side_still_inflicts_its_hits():
    position = Position().at_war("sauron").army("dagorlad", sauron=1, nazgul=1)
    position.army("north-ithilien", gondor=1, gondor_leader=1).dice("", "army army")
    game = attack(position.game(6, 1, 6), "army", "dagorlad", "north-ithilien")
    play(game, "figure:sauron-regular")
    assert figures(game, "north-ithilien") == {"gondor": 1, "gondor_leader": 1}  # losses one after the other
    play(game, "figure:gondor-regular")
    assert figures(game, "dagorlad") == figures(game, "north-ithilien") == {}
    assert pools(game, "gondor", "casualty_leader") == (1,)


def test_GX35_R7_10_2_R1_1_seven_hits_on_ten_regulars():
    position = Position().at_war("sauron").army("osgiliath", sauron=5).army("druadan-forest", gondor=10)
    game = position.dice("", "army army").game(*[6] * 5, *[1] * 5, 6, 6, *[1] * 3, *[1] * 5)
    attack(game, "army", "osgiliath", "druadan-forest")
    play(game, *["figure:gondor-regular"] * 5, "verb:continue", "verb:stay", *["figure:gondor-regular"] * 2)
    assert figures(game, "druadan-forest") == {"gondor": 3}
    assert pools(game, "gondor", "casualty_regular") == (7,)


@pytest.mark.parametrize("hits", [1, 2, 3, 4, 5])
def test_R7_10_2_R7_10_3_every_way_takes_all_hits(hits):
    game = gondor_suffers(hits, gondor=1, gondor_elite=2, rohan_elite=1)
    worth = {"gondor": 1, "gondor_elite": 2, "rohan": 1, "rohan_elite": 2}
    for left in outcomes(game, "north-ithilien"):
        assert sum(worth[name] * count for name, count in left) == 7 - hits
