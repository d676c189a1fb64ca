"""Events of the Free Peoples that recruit: fp-strat-13 to fp-strat-24 (R6.4.7, R6.4.8, section 22)."""

from __future__ import annotations

import pytest

from tests.positions import Position, card, figures, legal, only_acting_cards, play
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Nation, Side
from wotr_env.games.war_of_the_ring.components import CARD_IDS

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


def recruited(game: Game, name: str, place: str, *kinds: str) -> dict[str, int]:
    """Recruits in a place with these choices of units; the figures there when the card is discarded."""
    play(game, f"region:{place}", *(f"figure:{kind}" for kind in kinds))
    assert over(game, name)
    return figures(game, place)


def without_deck(position: Position) -> Position:
    """The Free Peoples' Strategy deck is empty."""
    zones = position.state.card_zone[24:48]
    zones[zones < 24] = CardZone.DISCARD
    position.state.deck_size[1] = 0
    return position


def pool(game: Game, name: str) -> tuple[int, int, int]:
    """Regulars, Elites and Leaders left in the reinforcements of a nation."""
    pools = ("reinforcement_regular", "reinforcement_elite", "reinforcement_leader")
    return tuple(int(game.state[kind][Nation[name.upper()]]) for kind in pools)


def hand_size(game: Game) -> int:
    return int((game.state.card_zone == CardZone.HAND + FP).sum())


UNIT_AND_LEADER = {
    "fp-strat-14": ("gondor", "minas-tirith"),
    "fp-strat-17": ("north", "carrock"),
    "fp-strat-18": ("gondor", "dol-amroth"),
    "fp-strat-22": ("dwarves", "erebor"),
}


def unit_and_leader(name: str) -> None:
    """Regular or Elite and a Leader of a nation at peace in an empty place; parts of it; enemies."""
    who, place = UNIT_AND_LEADER[name]
    both = {f"figure:{who}-regular", f"figure:{who}-elite"}
    for kind in ("regular", "elite"):
        game = started(holding(name), name)
        before = pool(game, who)
        assert game.side == FP and legal(game) == {f"region:{place}"}
        play(game, f"region:{place}")
        assert legal(game) == both
        play(game, f"figure:{who}-{kind}")
        assert over(game, name)
        assert figures(game, place) == {who if kind == "regular" else f"{who}_elite": 1, f"{who}_leader": 1}
        spent = (1, 0, 1) if kind == "regular" else (0, 1, 1)
        assert pool(game, who) == tuple(had - gone for had, gone in zip(before, spent, strict=True))
    regulars, elites, leaders = before

    def used(count_regular: int, count_elite: int, count_leader: int) -> Position:
        gone = {who: count_regular, f"{who}_elite": count_elite, f"{who}_leader": count_leader}
        return holding(name).dead(**gone)

    game = play(started(used(regulars, 0, 0), name), f"region:{place}")
    assert legal(game) == {f"figure:{who}-elite"}
    game = started(used(0, elites, leaders), name)  # only a Regular is left
    assert recruited(game, name, place, f"{who}-regular") == {who: 1}
    assert not offered(used(regulars, elites, 0))  # R6.4.8: a Leader needs a unit
    guest = "rohan" if who != "rohan" else "elves"
    game = started(used(regulars, elites, 0).army(place, **{guest: 1}), name)
    assert recruited(game, name, place) == {guest: 1, f"{who}_leader": 1}
    assert not offered(used(regulars, elites, leaders).army(place, **{guest: 1}))
    game = started(holding(name).army(place, **{guest: 10}), name)
    assert recruited(game, name, place) == {guest: 10, f"{who}_leader": 1}
    assert not offered(holding(name).control(place, SH))
    assert not offered(holding(name).army(place, sauron=1).control(place, SH))


def test_fp_strat_17_grimbeorn_R6_4_4_R6_4_7_R6_4_8_unit_and_leader_in_carrock():
    unit_and_leader("fp-strat-17")


def test_fp_strat_22_dains_guard_R6_4_4_R6_4_7_R6_4_8_unit_and_leader_in_erebor():
    unit_and_leader("fp-strat-22")


def test_fp_strat_14_guards_of_the_citadel_R6_4_4_R6_4_7_R6_4_8_unit_and_leader_in_minas_tirith():
    unit_and_leader("fp-strat-14")


def test_fp_strat_18_imrahil_R6_4_4_R6_4_7_R6_4_8_unit_and_leader_in_dol_amroth():
    unit_and_leader("fp-strat-18")


def test_fp_strat_18_GX7_R6_4_4_without_a_gondor_leader_only_the_unit():
    game = started(holding("fp-strat-18").dead(gondor_leader=4), "fp-strat-18")
    assert recruited(game, "fp-strat-18", "dol-amroth", "gondor-elite") == {"gondor_elite": 1}


@pytest.mark.parametrize("name", list(UNIT_AND_LEADER))
def test_fp_strat_14_17_18_22_R7_2_2_voluntary_overstacking_by_option(name):
    who, place = UNIT_AND_LEADER[name]
    guest = "rohan"
    game = started(holding(name, overstack_voluntary="disband").army(place, **{guest: 10}), name)
    play(game, f"region:{place}")
    assert legal(game) == {f"figure:{who}-regular", f"figure:{who}-elite"}
    play(game, f"figure:{who}-regular")
    assert game.decision == Decision.TRIM_ARMY
    play(game, f"figure:{guest}-regular")
    assert over(game, name) and figures(game, place) == {guest: 9, who: 1, f"{who}_leader": 1}


# --- Besieged places (GX40). ---


def test_fp_strat_14_GX40_R6_4_7_R7_13_3_a_garrison_recruits_by_card_up_to_five():
    def position(garrison: int) -> Position:
        board = holding("fp-strat-14").dice("muster event", "army").army("minas-tirith", gondor=garrison)
        return board.army("minas-tirith", sauron=3).at_war("gondor")

    game = play(position(4).army("lossarnach", gondor=1).game(), "face:muster", "plan:recruit")
    play(game, "figure:gondor-regular")
    assert "region:minas-tirith" not in legal(game) and "region:lossarnach" in legal(game)
    game = started(position(4), "fp-strat-14")
    inside = recruited(game, "fp-strat-14", "minas-tirith", "gondor-elite")
    assert inside == {"gondor": 4, "gondor_elite": 1, "gondor_leader": 1, "sauron": 3}
    game = started(position(5), "fp-strat-14")
    inside = recruited(game, "fp-strat-14", "minas-tirith")
    assert inside == {"gondor": 5, "gondor_leader": 1, "sauron": 3}


INTO_A_GARRISON = [
    ("fp-strat-14", "gondor", "minas-tirith"),
    ("fp-strat-15", "elves", "lorien"),
    ("fp-strat-18", "gondor", "dol-amroth"),
    ("fp-strat-21", "elves", "rivendell"),
    ("fp-strat-22", "dwarves", "erebor"),
    ("fp-strat-24", "elves", "woodland-realm"),
]


@pytest.mark.parametrize("check", ["each_move", "end_of_action"])
@pytest.mark.parametrize(("name", "who", "place"), INTO_A_GARRISON)
def test_RG64_GX40_R7_2_2_by_option_a_full_garrison_recruits_and_is_trimmed_to_five(name, who, place, check):
    position = holding(name, overstack_voluntary="disband", stacking_check=check)
    game = started(position.army(place, rohan=5, sauron=2), name)
    game = play(game, f"region:{place}", f"figure:{who}-elite")
    assert game.decision == Decision.TRIM_ARMY and game.side == FP
    assert legal(game) == {f"figure:{who}-elite", "figure:rohan-regular"}
    play(game, "figure:rohan-regular")
    inside = figures(game, place)
    assert (inside["rohan"], inside[f"{who}_elite"], inside["sauron"]) == (4, 1, 2)
    assert over(game, name) and game.state.reinforcement_regular[Nation.ROHAN] > 0


def test_RG64_R7_2_2_by_option_helms_deep_recruits_with_a_companion_inside_in_the_second_edition():
    edition = Ruleset.second_edition(ask_single=True)
    position = Position(edition).dice("event event", "army").hand(FP, "fp-strat-16")
    position.fellowship(companions=["strider"]).place("boromir", "helms-deep")
    position.army("helms-deep", rohan=5, isengard=3)
    game = play(started(position, "fp-strat-16"), "region:helms-deep", "figure:rohan-elite")
    assert game.decision == Decision.TRIM_ARMY
    play(game, "figure:rohan-elite")  # the recruit himself may go
    assert figures(game, "helms-deep") == {"rohan": 5, "rohan_leader": 1, "isengard": 3}
    assert over(game, "fp-strat-16")


def test_fp_strat_22_R6_4_7_FAQ_10_the_besieger_of_a_lost_stronghold_recruits():
    position = holding("fp-strat-22").control("erebor", SH).army("erebor", sauron=2, north=9)
    game = started(position, "fp-strat-22")
    there = recruited(game, "fp-strat-22", "erebor", "dwarves-regular")
    assert there == {"dwarves": 1, "dwarves_leader": 1, "north": 9, "sauron": 2}


# --- fp-strat-13, Cirdan's Ships. ---


def fleet(**options) -> Position:
    return holding("fp-strat-13", **options).at_war("elves")


def test_fp_strat_13_cirdans_ships_R6_4_7_two_units_at_one_coast_with_an_army():
    position = (
        fleet()
        .army("grey-havens", elves_elite=4, sauron=1)
        .army("dol-amroth", gondor=1)
        .army("edoras", rohan=1)
    )
    position.army("umbar", gondor=2, southrons=1).army("pelargir", southrons=1).control("pelargir", SH)
    position.army("forlindon", elves=1).place("legolas", "lamedon").army("druwaith-iaur", rohan=1)
    game = started(position, "fp-strat-13")
    coasts = {"grey-havens", "dol-amroth", "umbar", "forlindon", "druwaith-iaur"}
    assert legal(game) == {f"region:{place}" for place in coasts}
    play(game, "region:dol-amroth")
    assert legal(game) == {"figure:elves-regular", "figure:elves-elite"}
    play(game, "figure:elves-elite")
    assert legal(game) == {"figure:elves-regular", "figure:elves-elite"}
    play(game, "figure:elves-regular")
    assert over(game, "fp-strat-13")
    assert figures(game, "dol-amroth") == {"elves": 1, "elves_elite": 1, "gondor": 1}
    game = started(position, "fp-strat-13")
    assert recruited(game, "fp-strat-13", "grey-havens", "elves-regular") == {
        "elves": 1,
        "elves_elite": 4,
        "sauron": 1,
    }


def test_fp_strat_13_cirdans_ships_R6_4_4_one_figure_or_one_place_left():
    position = fleet().dead(elves=4, elves_elite=10).army("forlindon", elves=1)
    assert not offered(position)
    game = started(fleet().dead(elves=4, elves_elite=9).army("forlindon", elves=1), "fp-strat-13")
    assert recruited(game, "fp-strat-13", "forlindon", "elves-elite") == {"elves": 1, "elves_elite": 1}
    game = started(fleet().army("pelargir", gondor=9), "fp-strat-13")
    assert recruited(game, "fp-strat-13", "pelargir", "elves-regular") == {"elves": 1, "gondor": 9}


def test_fp_strat_13_cirdans_ships_R6_4_1_R6_4_4_condition_or_no_coast():
    assert not offered(holding("fp-strat-13", null_events=True).army("forlindon", elves=1))
    assert not offered(fleet().army("lorien", elves=1).place("legolas", "grey-havens"))
    wasted = started(fleet(null_events=True), "fp-strat-13")
    assert over(wasted, "fp-strat-13")


# --- Recruits and a Strategy card: fp-strat-15, 19, 20, 21, 24. ---


def top_of_strategy_deck(position: Position) -> str:
    zones = position.state.card_zone[24:48]
    return CARD_IDS[24 + int((zones == position.state.deck_size[1] - 1).argmax())]


def elves_and_a_card(name: str, place: str) -> None:
    """An Elven unit of either kind in a Stronghold, then a card; each without the other; neither."""
    for kind, figure in (("regular", "elves"), ("elite", "elves_elite")):
        position = holding(name)
        drawn = top_of_strategy_deck(position)
        game = started(position, name)
        assert legal(game) == {f"region:{place}"}
        assert legal(play(game, f"region:{place}")) == {"figure:elves-regular", "figure:elves-elite"}
        assert hand_size(game) == 0  # the order of the text
        play(game, f"figure:elves-{kind}")
        assert over(game, name) and figures(game, place) == {figure: 1}
        assert hand_size(game) == 1 and game.state.card_zone[card(drawn)] == CardZone.HAND + FP
    lost = started(holding(name).control(place, SH), name)
    assert over(lost, name) and hand_size(lost) == 1 and figures(lost, place) == {}
    no_card = started(without_deck(holding(name)), name)
    assert recruited(no_card, name, place, "elves-elite") == {"elves_elite": 1} and hand_size(no_card) == 0
    assert not offered(without_deck(holding(name)).control(place, SH))
    garrison = started(holding(name).army(place, elves=4, elves_elite=1, sauron=1), name)  # 5 units
    assert over(garrison, name) and figures(garrison, place) == {"elves": 4, "elves_elite": 1, "sauron": 1}


def test_fp_strat_15_galadhrim_R6_2_1_R6_4_4_R6_4_7_a_unit_in_lorien_and_a_card():
    elves_and_a_card("fp-strat-15", "lorien")


def test_fp_strat_21_glorfindel_R6_2_1_R6_4_4_R6_4_7_a_unit_in_rivendell_and_a_card():
    elves_and_a_card("fp-strat-21", "rivendell")


def test_fp_strat_24_thranduil_R6_2_1_R6_4_4_R6_4_7_a_unit_in_the_woodland_realm_and_a_card():
    elves_and_a_card("fp-strat-24", "woodland-realm")


def test_fp_strat_15_R6_2_4_R6_4_2_the_card_has_left_a_full_hand_before_the_draw():
    hand = [f"fp-char-{number:02}" for number in range(1, 6)]
    game = started(holding("fp-strat-15").hand(FP, *hand), "fp-strat-15")
    recruited(game, "fp-strat-15", "lorien", "elves-regular")  # over: nothing to discard
    assert hand_size(game) == 6


@pytest.mark.parametrize(("before", "left", "come"), [(0, 10, 2), (0, 1, 1), (9, 10, 1)])
def test_fp_strat_19_king_brands_men_R6_4_4_regulars_in_dale_and_a_card(before, left, come):
    position = holding("fp-strat-19").dead(north=10 - left)
    if before:
        position.army("dale", elves=4, elves_elite=before - 4)
    game = started(position, "fp-strat-19")
    assert legal(game) == {"region:dale"}
    there = recruited(game, "fp-strat-19", "dale")
    assert there.pop("north") == come and sum(there.values()) == before
    assert hand_size(game) == 1


def test_fp_strat_19_king_brands_men_R6_4_4_only_the_card_or_nothing():
    game = started(holding("fp-strat-19").dead(north=10), "fp-strat-19")
    assert over(game, "fp-strat-19") and hand_size(game) == 1
    assert not offered(without_deck(holding("fp-strat-19")).control("dale", SH))
    wasted = started(
        without_deck(holding("fp-strat-19", null_events=True)).control("dale", SH), "fp-strat-19"
    )
    assert over(wasted, "fp-strat-19") and hand_size(wasted) == 0


def test_fp_strat_20_swords_in_eriador_R6_4_2_both_units_in_order_and_a_card():
    game = started(holding("fp-strat-20"), "fp-strat-20")
    assert legal(game) == {"region:the-shire"}
    assert legal(play(game, "region:the-shire")) == {"figure:north-regular", "figure:north-elite"}
    assert legal(play(game, "figure:north-elite")) == {"region:ered-luin"}
    assert legal(play(game, "region:ered-luin")) == {"figure:dwarves-regular", "figure:dwarves-elite"}
    assert hand_size(game) == 0
    play(game, "figure:dwarves-regular")
    assert over(game, "fp-strat-20") and hand_size(game) == 1
    assert figures(game, "the-shire") == {"north_elite": 1} and figures(game, "ered-luin") == {"dwarves": 1}


def test_fp_strat_20_swords_in_eriador_R6_4_4_one_place_lost_or_both():
    position = holding("fp-strat-20").control("the-shire", SH).army("the-shire", sauron=1)
    game = started(position, "fp-strat-20")
    assert recruited(game, "fp-strat-20", "ered-luin", "dwarves-elite") == {"dwarves_elite": 1}
    assert hand_size(game) == 1 and figures(game, "the-shire") == {"sauron": 1}
    assert offered(position.control("ered-luin", SH))  # the card to draw
    assert not offered(without_deck(position))


# --- fp-strat-16 and fp-strat-23: one of several places in Rohan. ---


def test_fp_strat_16_riders_of_theoden_R6_4_7_edoras_or_a_rohan_region_with_a_companion():
    position = holding("fp-strat-16").fellowship("folde", companions=["gandalf-grey", "meriadoc"])
    position.place("legolas", "eastemnet").place("gimli", "helms-deep").place("strider", "fords-of-isen")
    position.place("boromir", "druadan-forest").army("helms-deep", rohan=3, rohan_elite=2, isengard=1)
    position.army("fords-of-isen", isengard=1).army("westemnet", rohan=1)
    game = started(position, "fp-strat-16")
    assert legal(game) == {"region:edoras", "region:eastemnet", "region:helms-deep"}
    there = recruited(game, "fp-strat-16", "eastemnet", "rohan-regular")
    assert there == {"rohan": 1, "rohan_leader": 1} and figures(game, "edoras") == {}
    game = started(position, "fp-strat-16")
    inside = recruited(game, "fp-strat-16", "helms-deep")  # 5 units under siege
    assert inside == {"rohan": 3, "rohan_elite": 2, "rohan_leader": 1, "isengard": 1}


def test_fp_strat_16_riders_of_theoden_R6_4_4_R6_4_8_nothing_possible():
    assert not offered(holding("fp-strat-16").control("edoras", SH).army("folde", rohan=1))
    assert not offered(holding("fp-strat-16").dead(rohan=10, rohan_elite=5))  # a Leader needs a unit
    game = started(holding("fp-strat-16").control("edoras", SH).place("gimli", "westemnet"), "fp-strat-16")
    assert legal(game) == {"region:westemnet"}


def test_fp_strat_23_eomer_R2_8_R6_4_7_a_free_rohan_region_with_a_settlement():
    position = holding("fp-strat-23").army("helms-deep", rohan=2, isengard=1)  # besieged: not free
    position.army("folde", isengard=1).control("folde", SH).place("gimli", "eastemnet")
    position.army("fords-of-isen", rohan=1)  # a Fortification is no Settlement
    game = started(position, "fp-strat-23")
    assert legal(game) == {"region:edoras", "region:westemnet"}
    assert legal(play(game, "region:westemnet")) == {"figure:rohan-regular", "figure:rohan-elite"}
    play(game, "figure:rohan-elite")
    assert over(game, "fp-strat-23")
    assert figures(game, "westemnet") == {"rohan_elite": 1, "rohan_leader": 1}


def test_fp_strat_23_eomer_R2_8_R6_4_4_besieged_by_rohan_counts_as_free():
    position = holding("fp-strat-23").army("helms-deep", rohan=2, isengard=1).control("helms-deep", SH)
    for place in ("edoras", "folde", "westemnet"):
        position.control(place, SH)
    game = started(position, "fp-strat-23")
    assert legal(game) == {"region:helms-deep"}
    there = recruited(game, "fp-strat-23", "helms-deep", "rohan-regular")
    assert there == {"rohan": 3, "rohan_leader": 1, "isengard": 1}


def test_fp_strat_23_eomer_R6_4_4_no_free_settlement():
    position = holding("fp-strat-23").army("helms-deep", rohan=2, isengard=1)
    for place in ("edoras", "folde", "westemnet"):
        position.control(place, SH)
    assert not offered(position)
