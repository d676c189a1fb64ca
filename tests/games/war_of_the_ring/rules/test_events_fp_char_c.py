"""Dead Men of Dunharrow, fp-char-22 (sections 22.2-22.4, RG17)."""

from __future__ import annotations

import pytest

from tests.positions import Position, card, figures_at, legal, legal_block, nation, play, region, where
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
NAME = "fp-char-22"
ENDS = {"erech", "lamedon", "pelargir"}
GONDOR = "figure:gondor-regular"


def dead_men(place: str = "edoras", who: str = "strider", **options) -> Position:
    """Strider or Aragorn in Rohan; the Free Peoples hold the card."""
    position = Position(Ruleset(ask_single=True, **options)).hand(FP, NAME)
    position.fellowship("rivendell", companions=["gandalf-grey", "peregrin"]).place("strider", "replaced")
    return position.place(who, place).dice("character character", "army")


def offered(position: Position) -> bool:
    return "plan:play-card" in legal(play(position.game(), "face:character"))


def march(position: Position, end: str, *tape: int, taking: tuple[str, ...] = ()) -> Game:
    """The card is played: to one of its regions, with Companions."""
    game = play(position.game(*tape), "face:character", "plan:play-card", f"card:{NAME}")
    assert game.side == FP and legal(game) == {f"region:{name}" for name in ENDS}
    return play(game, f"region:{end}", *(f"character:{who}" for who in taking), "verb:done")


def is_over(game: Game) -> bool:
    """The card is in the public discards, every outcome of the tape is used, and the Shadow acts."""
    assert game.state.card_zone[card(NAME)] == CardZone.DISCARD and game.state.tape_length == 0
    return game.decision == Decision.ACTION_DIE and game.side == SH


def control(game: Game, place: str) -> int:
    return int(game.state.control[SETTLEMENT_INDEX[region(place)]])


def gondor(game: Game) -> tuple[int, bool]:
    return int(game.state.steps_to_war[nation("gondor")]), bool(game.state.active[nation("gondor")])


@pytest.mark.parametrize("end", sorted(ENDS))
@pytest.mark.parametrize("who", ["strider", "aragorn"])
def test_fp_char_22_dead_men_bring_up_to_three_regulars(end, who):
    position = dead_men(who=who)
    left = int(position.state.reinforcement_regular[nation("gondor")])
    game = march(position, end)
    for _ in range(3):
        assert game.side == FP and legal(game) == {GONDOR, "verb:done"}
        play(game, GONDOR)
    assert is_over(game) and where(game, who) == end and figures_at(game, end) == {"gondor": 3}
    assert game.state.reinforcement_regular[nation("gondor")] == left - 3


def test_fp_char_22_RG64_into_a_full_army_only_by_option():
    game = march(dead_men().army("pelargir", north=10), "pelargir")
    assert is_over(game) and figures_at(game, "pelargir") == {"north": 10}
    position = dead_men(overstack_voluntary="disband", stacking_check="end_of_action")
    game = play(march(position.army("pelargir", north=10), "pelargir"), GONDOR, GONDOR, "verb:done")
    assert game.decision == Decision.TRIM_ARMY
    play(game, "figure:north-regular", "figure:north-regular")
    assert is_over(game) and figures_at(game, "pelargir") == {"gondor": 2, "north": 8}


def test_fp_char_22_R6_4_3_none_need_be_recruited():
    game = play(march(dead_men(), "pelargir"), "verb:done")
    assert is_over(game) and figures_at(game, "pelargir") == {} and where(game, "strider") == "pelargir"
    game = play(march(dead_men(), "pelargir"), GONDOR, "verb:done")
    assert is_over(game) and figures_at(game, "pelargir") == {"gondor": 1}


def test_fp_char_22_companions_of_his_region_go_along_and_arrive():
    position = dead_men("helms-deep").army("helms-deep", rohan=2, rohan_leader=1, isengard=4)  # besieged
    position.place("boromir", "helms-deep").place("legolas", "helms-deep").place("gimli", "edoras")
    game = play(position.game(), "face:character", "plan:play-card", f"card:{NAME}", "region:pelargir")
    assert legal(game) == {"character:boromir", "character:legolas", "verb:done"}
    play(game, "character:boromir")
    assert legal(game) == {"character:legolas", "verb:done"}
    play(game, "verb:done", "verb:done")
    assert is_over(game)
    assert where(game, "strider") == where(game, "boromir") == "pelargir"
    assert where(game, "legolas") == "helms-deep" and where(game, "gimli") == "edoras"
    assert gondor(game) == (2, True)  # R8.2 d, by Boromir


def test_fp_char_22_R8_2_strider_does_not_activate_gondor_and_nobody_in_a_captured_city():
    assert gondor(play(march(dead_men(), "pelargir"), "verb:done")) == (2, False)
    position = dead_men().place("boromir", "edoras").control("pelargir", SH)
    game = play(march(position, "pelargir", taking=("boromir",)), "verb:done")
    assert gondor(game) == (2, False) and control(game, "pelargir") == SH


def test_fp_char_22_at_least_one_unit_takes_control_back():
    game = play(march(dead_men().control("lamedon", SH), "lamedon"), GONDOR, "verb:done")
    assert is_over(game) and control(game, "lamedon") == FP and gondor(game) == (2, False)
    game = play(march(dead_men().control("lamedon", SH), "lamedon"), "verb:done")
    assert is_over(game) and control(game, "lamedon") == SH


def invaded(end: str = "pelargir", **figures: int) -> Position:
    """A Shadow army has taken the place."""
    position = dead_men().army(end, **figures)
    return position if end == "erech" else position.control(end, SH)


def test_fp_char_22_R6_4_6_hits_then_a_retreat_of_the_shadows_choice():
    position = invaded(southrons=3, southrons_elite=1, nazgul=1).place("witch-king", "pelargir")
    game = march(position, "pelargir", 2)
    assert game.side == SH and game.decision == Decision.CASUALTY
    play(game, "figure:southrons-regular", "nation:southrons")  # 2 hits
    assert game.side == SH and game.decision == Decision.EVENT_REGION
    # lamedon and lossarnach are Settlements of the Free Peoples (RG17, R2.8)
    assert legal(game) == {"region:osgiliath", "region:west-harondor"}
    play(game, "region:osgiliath")
    assert legal(game) == {"character:witch-king", "figure:sauron-nazgul", "verb:done"}
    play(game, "figure:sauron-nazgul", "verb:done")  # who are not pinned to their army (R7.18.3)
    assert figures_at(game, "pelargir") == {"nazgul": 1}
    assert figures_at(game, "osgiliath") == {"southrons": 3}
    assert where(game, "witch-king") == "osgiliath"
    play(game, GONDOR, GONDOR, GONDOR)
    assert is_over(game) and control(game, "pelargir") == FP
    assert gondor(game)[0] == 2 and figures_at(game, "pelargir") == {"gondor": 3, "nazgul": 1}


def test_fp_char_22_RG17_retreat_only_to_free_regions_own_settlements_too():
    position = invaded(southrons=3).control("lossarnach", SH).army("osgiliath", gondor=1)
    game = play(march(position, "pelargir", 1), "figure:southrons-regular")
    assert legal_block(game, "region") == {"lossarnach", "west-harondor"}
    play(game, "region:lossarnach")
    assert figures_at(game, "lossarnach") == {"southrons": 2} and legal(game) == {GONDOR, "verb:done"}


def test_fp_char_22_RG17_R7_2_3_the_army_it_joins_is_trimmed():
    position = invaded(southrons=4).army("osgiliath", sauron=8)
    game = play(march(position, "pelargir", 1), "figure:southrons-regular", "region:osgiliath")
    assert game.side == SH and game.decision == Decision.TRIM_ARMY
    play(game, "figure:sauron-regular")
    assert figures_at(game, "osgiliath") == {"sauron": 7, "southrons": 3}
    assert legal(game) == {GONDOR, "verb:done"}


def test_fp_char_22_an_army_destroyed_by_the_hits_takes_its_leaders_along():
    position = invaded(southrons=2, nazgul=2).place("witch-king", "pelargir")
    position.place("mouth-of-sauron", "pelargir")
    game = play(march(position, "pelargir", 6), "figure:southrons-regular", "figure:southrons-regular")
    assert where(game, "witch-king") == where(game, "mouth-of-sauron") == "eliminated"
    assert game.state.reinforcement_leader[nation("sauron")] == 8
    assert figures_at(game, "pelargir") == {}
    play(game, GONDOR, "verb:done")
    assert is_over(game) and control(game, "pelargir") == FP


def test_fp_char_22_an_army_that_cannot_retreat_is_destroyed():
    """Lamedon: dol-amroth and pelargir are the Free Peoples', in erech stands an army of theirs."""
    position = invaded("lamedon", southrons=5, sauron_elite=1, nazgul=1).army("erech", gondor=1)
    position.place("witch-king", "lamedon")
    game = play(march(position, "lamedon", 1), "figure:southrons-regular")
    assert game.side == FP and figures_at(game, "lamedon") == {}
    assert where(game, "witch-king") == "eliminated" and where(game, "strider") == "lamedon"
    assert game.state.reinforcement_leader[nation("sauron")] == 8
    play(game, "verb:done")
    assert is_over(game) and control(game, "lamedon") == SH


def test_fp_char_22_R8_2_erech_has_no_settlement_and_the_retreat_activates_gondor():
    game = play(march(invaded("erech", southrons=2), "erech", 1), "figure:southrons-regular")
    assert game.side == SH and legal_block(game, "region") == {"anfalas"}
    play(game, "region:anfalas")
    assert figures_at(game, "anfalas") == {"southrons": 1} and gondor(game) == (2, True)
    play(game, GONDOR, GONDOR, "verb:done")
    assert is_over(game) and figures_at(game, "erech") == {"gondor": 2}


def test_fp_char_22_nazgul_and_minions_without_an_army_are_left_alone():
    position = dead_men().army("pelargir", nazgul=2).place("witch-king", "pelargir")
    game = play(march(position, "pelargir"), GONDOR, "verb:done")
    assert is_over(game) and figures_at(game, "pelargir") == {"gondor": 1, "nazgul": 2}
    assert where(game, "witch-king") == "pelargir"


@pytest.mark.parametrize(("there", "places"), [(9, 1), (10, 0), (6, 3)])
def test_fp_char_22_R6_4_7_no_more_than_fit(there, places):
    game = march(dead_men().army("pelargir", gondor=there), "pelargir")
    for _ in range(places):
        play(game, GONDOR)
    assert is_over(game) and figures_at(game, "pelargir") == {"gondor": there + places}


@pytest.mark.parametrize("left", [0, 2])
def test_fp_char_22_R6_4_4_no_more_than_the_reinforcements(left):
    game = march(dead_men().dead(gondor=15 - left), "erech")
    for _ in range(left):
        play(game, GONDOR)
    assert is_over(game) and figures_at(game, "erech") == ({"gondor": left} if left else {})


@pytest.mark.parametrize(
    ("who", "place", "can"),
    [
        ("strider", "fords-of-isen", True),
        ("aragorn", "eastemnet", True),
        ("strider", "fangorn", False),
        ("strider", "minas-tirith", False),
        ("boromir", "edoras", False),
    ],
)
def test_fp_char_22_R6_4_1_strider_or_aragorn_in_rohan(who, place, can):
    assert offered(dead_men(place, who, null_events=True)) == can


def test_fp_char_22_R6_4_1_not_while_he_is_in_the_fellowship():
    position = dead_men("edoras", "gimli", null_events=True).place("strider", "in-fellowship")
    assert not offered(position.fellowship("edoras", companions=["strider", "peregrin"]))
