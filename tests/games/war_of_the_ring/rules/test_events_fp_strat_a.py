"""Events of the Free Peoples' Strategy deck, first part: fp-strat-01 to fp-strat-09 (R6.4, section 22)."""

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
FP_NATIONS = {"dwarves", "elves", "gondor", "north", "rohan"}


def holding(name: str, **options) -> Position:
    """The Free Peoples have the card and two Event dice."""
    return Position(only_acting_cards(**options)).dice("event event", "army").hand(FP, name)


def started(position: Position, name: str, *tape: int) -> Game:
    return play(position.game(*tape), "face:event", "plan:play-card", f"card:{name}")


def offered(position: Position) -> bool:
    return "plan:play-card" in legal(play(position.game(), "face:event"))


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


def over(game: Game, name: str, final: int = CardZone.DISCARD) -> bool:
    """The card is where it belongs and the Shadow acts."""
    return zone(game, name) == final and (game.side, game.decision) == (SH, Decision.ACTION_DIE)


def politics(game: Game, name: str) -> tuple[int, int]:
    """Steps to war, and 1 if active."""
    index = nation(name)
    return int(game.state.steps_to_war[index]), int(game.state.active[index]) if index < 5 else 1


def controller(game: Game, place: str) -> int:
    return int(game.state.control[SETTLEMENT_INDEX[region(place)]])


# --- fp-strat-01, The Last Battle. ---


@pytest.mark.parametrize("place", ["osgiliath", "gap-of-rohan"])
def test_fp_strat_01_the_last_battle_R6_4_2_goes_to_the_table(place):
    position = (
        holding("fp-strat-01").army(place, rohan=1).place("aragorn", place).place("strider", "replaced")
    )
    assert over(started(position, "fp-strat-01"), "fp-strat-01", CardZone.TABLE)


@pytest.mark.parametrize(
    ("hero", "place", "army"),
    [
        ("aragorn", "minas-tirith", "minas-tirith"),
        ("aragorn", "osgiliath", "lossarnach"),
        ("strider", "osgiliath", "osgiliath"),
    ],
)
@pytest.mark.parametrize("null_events", [False, True])
def test_fp_strat_01_the_last_battle_R6_4_1_condition(hero, place, army, null_events):
    position = holding("fp-strat-01", null_events=null_events).army(army, gondor=1).place(hero, place)
    assert not offered(position)


# --- fp-strat-02 and fp-strat-03: the advance, and the way to the table. ---


@pytest.mark.parametrize(("before", "after"), [(3, 2), (1, 0), (0, 0)])
def test_fp_strat_02_a_power_too_great_R8_3_advances_the_elves_and_stays(before, after):
    game = started(holding("fp-strat-02").politics("elves", before), "fp-strat-02")
    assert over(game, "fp-strat-02", CardZone.TABLE)
    assert politics(game, "elves") == (after, 1)


@pytest.mark.parametrize(("active", "before", "after"), [(0, 3, 2), (0, 1, 1), (1, 1, 0)])
def test_fp_strat_03_tom_bombadil_R8_4_a_passive_north_does_not_reach_war(active, before, after):
    game = started(holding("fp-strat-03").politics("north", before, bool(active)), "fp-strat-03")
    assert over(game, "fp-strat-03", CardZone.TABLE)
    assert politics(game, "north") == (after, active)


# --- fp-strat-04 and fp-strat-07: Companions move, and a nation goes to war. ---


def scattered(name: str, **options) -> Position:
    """Legolas and Gimli at the Grey Havens, Boromir at Edoras, the others in the Fellowship."""
    position = holding(name, **options).fellowship(
        companions=["strider", "meriadoc", "peregrin", "gandalf-grey"]
    )
    position.place("legolas", "grey-havens").place("gimli", "grey-havens")
    return position.place("boromir", "edoras")


def test_fp_strat_04_book_of_mazarbul_R6_4_9_each_companion_may_move_once():
    game = started(scattered("fp-strat-04"), "fp-strat-04")
    assert game.decision == Decision.COMPANION_GROUP
    everybody = {"character:legolas", "character:gimli", "character:boromir", "verb:done"}
    assert legal(game) == everybody
    play(game, "character:legolas", "verb:done")
    two_regions = {"forlindon", "harlindon", "south-ered-luin", "ered-luin", "tower-hills"}
    assert legal_block(game, "region") == two_regions | {"evendim", "north-ered-luin", "the-shire"}
    play(game, "region:ered-luin")
    assert legal(game) == everybody - {"character:legolas"}
    assert politics(game, "dwarves") == (3, 0)  # the condition is tested after the moves
    play(game, "verb:done")
    assert over(game, "fp-strat-04")
    assert politics(game, "dwarves") == (0, 1)
    assert (where(game, "legolas"), where(game, "gimli")) == ("ered-luin", "grey-havens")
    assert where(game, "strider") == "in-fellowship"


def test_fp_strat_04_book_of_mazarbul_a_group_and_nobody_in_time():
    game = started(scattered("fp-strat-04"), "fp-strat-04")
    play(game, "character:legolas", "character:gimli", "verb:done", "region:evendim")
    play(game, "character:boromir", "verb:done", "region:folde")  # nobody is left to move
    assert over(game, "fp-strat-04")
    assert where(game, "legolas") == where(game, "gimli") == "evendim"
    assert politics(game, "dwarves") == (3, 0)


def test_fp_strat_04_book_of_mazarbul_a_companion_who_stands_there_already():
    game = play(started(scattered("fp-strat-04").place("gimli", "erebor"), "fp-strat-04"), "verb:done")
    assert over(game, "fp-strat-04") and politics(game, "dwarves") == (0, 1)
    left = play(started(scattered("fp-strat-04").place("boromir", "erebor"), "fp-strat-04"))
    play(left, "character:boromir", "verb:done", "region:dale", "verb:done")
    assert politics(left, "dwarves") == (3, 0)


def test_fp_strat_04_book_of_mazarbul_R6_4_4_only_the_political_part():
    position = holding("fp-strat-04").fellowship(companions=["gandalf-grey"]).place("gimli", "erebor")
    position.army("erebor", dwarves=1, sauron=1)  # under siege: he cannot move
    game = started(position, "fp-strat-04")
    assert over(game, "fp-strat-04") and politics(game, "dwarves") == (0, 1)


@pytest.mark.parametrize("name", ["fp-strat-04", "fp-strat-07"])
def test_fp_strat_04_fp_strat_07_R6_4_4_nobody_outside_the_fellowship(name):
    assert not offered(holding(name))
    game = started(holding(name, null_events=True), name)
    assert over(game, name)
    assert [politics(game, who) for who in ("dwarves", "north")] == [(3, 0), (3, 0)]


@pytest.mark.parametrize(("destination", "after"), [("bree", (0, 1)), ("north-downs", (3, 0))])
def test_fp_strat_07_fear_fire_foes(destination, after):
    position = scattered("fp-strat-07").place("meriadoc", "weather-hills")
    game = started(position, "fp-strat-07")
    assert legal_block(game, "character") == {"legolas", "gimli", "boromir", "meriadoc"}
    play(game, "character:meriadoc", "verb:done", f"region:{destination}", "verb:done")
    assert over(game, "fp-strat-07") and politics(game, "north") == after
    assert politics(game, "dwarves") == (3, 0)


def test_fp_strat_07_fear_fire_foes_a_companion_in_the_shire():
    position = scattered("fp-strat-07").politics("north", 1, active=True)
    game = play(
        started(position, "fp-strat-07"), "character:gimli", "verb:done", "region:the-shire", "verb:done"
    )
    assert over(game, "fp-strat-07") and politics(game, "north") == (0, 1)


# --- fp-strat-05, The Spirit of Mordor. ---


def test_fp_strat_05_spirit_of_mordor_R6_4_3_R6_4_6_RG10_the_owner_allocates_the_hits():
    position = holding("fp-strat-05").army("dol-guldur", sauron=2, southrons_elite=1, nazgul=1)
    position.army("orthanc", isengard=4, nazgul=1).army("gorgoroth", sauron=1, isengard=1)
    position.place("witch-king", "dol-guldur")
    game = started(position, "fp-strat-05", 5, 6, 5, 4, 1)
    assert legal(game) == {"region:dol-guldur", "region:gorgoroth"}
    play(game, "region:dol-guldur")
    assert (game.side, game.decision) == (SH, Decision.CASUALTY)
    assert legal(game) == {"figure:sauron-regular", "figure:southrons-elite", "nation:southrons"}
    play(game, "nation:southrons", "figure:southrons-regular", "figure:sauron-regular")
    assert over(game, "fp-strat-05")
    assert figures(game, "dol-guldur") == {"sauron": 1, "nazgul": 1}
    assert figures(game, "gorgoroth") == {"sauron": 1, "isengard": 1}
    assert politics(game, "sauron") == (1, 1) and politics(game, "southrons") == (2, 1)


@pytest.mark.parametrize("spare", [False, True])
def test_fp_strat_05_spirit_of_mordor_R6_4_10_RG10_RG11_a_garrison_destroyed_is_captured(spare):
    position = holding("fp-strat-05", card_hits_spare_characters=spare).at_war("elves")
    position.army("dol-guldur", sauron=1, isengard=1, nazgul=1, elves=1).place("witch-king", "dol-guldur")
    reserve = int(position.state.reinforcement_leader[nation("sauron")])
    game = play(started(position, "fp-strat-05", 6, 6, 6, 1, 1), "region:dol-guldur")
    assert controller(game, "dol-guldur") == SH
    play(game, "figure:sauron-regular", "figure:isengard-regular")  # the third hit is lost
    assert over(game, "fp-strat-05")
    assert figures(game, "dol-guldur") == ({"elves": 1, "nazgul": 1} if spare else {"elves": 1})
    assert game.state.reinforcement_leader[nation("sauron")] == reserve + (not spare)
    assert where(game, "witch-king") == ("dol-guldur" if spare else "eliminated")
    assert controller(game, "dol-guldur") == FP
    assert politics(game, "sauron") == (0, 1) and politics(game, "isengard") == (1, 1)  # R7.17.2


def test_fp_strat_05_spirit_of_mordor_misses():
    game = started(holding("fp-strat-05").army("moria", sauron=1, isengard=1), "fp-strat-05", 4, 4, 4, 4, 4)
    play(game, "region:moria")
    assert over(game, "fp-strat-05") and figures(game, "moria") == {"sauron": 1, "isengard": 1}


def test_fp_strat_05_spirit_of_mordor_R6_4_4_no_mixed_army():
    def position(**options) -> Position:
        # Characters and Nazgul of another nation make no army of two nations.
        board = (
            holding("fp-strat-05", **options)
            .army("dol-guldur", sauron=5)
            .army("orthanc", isengard=2, nazgul=2)
        )
        return board.place("witch-king", "orthanc")

    assert not offered(position())
    game = started(position(null_events=True), "fp-strat-05")
    assert over(game, "fp-strat-05") and figures(game, "dol-guldur") == {"sauron": 5}


# --- fp-strat-06, Faramir's Rangers. ---


def test_fp_strat_06_faramirs_rangers_R6_4_6_hits_then_recruits_at_peace():
    position = holding("fp-strat-06").army("south-ithilien", sauron=2).army("north-ithilien", southrons=1)
    position.army("osgiliath", rohan=1).army("minas-morgul", sauron=3)
    game = started(position, "fp-strat-06", 5, 1, 6)
    assert legal(game) == {"region:south-ithilien", "region:north-ithilien"}
    play(game, "region:south-ithilien")
    assert game.side == SH and legal(game) == {"figure:sauron-regular"}
    play(game, "figure:sauron-regular", "figure:sauron-regular")
    assert game.side == FP and legal(game) == {"region:osgiliath"}
    assert legal(play(game, "region:osgiliath")) == {"figure:gondor-regular", "figure:gondor-elite"}
    play(game, "figure:gondor-elite")
    assert over(game, "fp-strat-06")
    assert figures(game, "south-ithilien") == {}
    assert figures(game, "osgiliath") == {"gondor_elite": 1, "gondor_leader": 1, "rohan": 1}
    assert (politics(game, "gondor"), politics(game, "sauron")) == ((2, 0), (1, 1))


def test_fp_strat_06_faramirs_rangers_R6_4_4_only_the_hits():
    position = holding("fp-strat-06").army("osgiliath", sauron=2)
    game = play(started(position, "fp-strat-06", 1, 5, 1), "region:osgiliath", "figure:sauron-regular")
    assert over(game, "fp-strat-06") and figures(game, "osgiliath") == {"sauron": 1}


def test_fp_strat_06_faramirs_rangers_R6_4_4_osgiliath_emptied_by_the_hits_is_not_recruited_in():
    game = started(holding("fp-strat-06").army("osgiliath", sauron=1), "fp-strat-06", 6, 6, 6)
    play(game, "region:osgiliath", "figure:sauron-regular")
    assert over(game, "fp-strat-06") and figures(game, "osgiliath") == {}


def test_fp_strat_06_faramirs_rangers_R6_4_4_R6_4_7_only_recruits():
    game = started(holding("fp-strat-06").army("osgiliath", gondor=1), "fp-strat-06")
    play(game, "region:osgiliath", "figure:gondor-regular")
    assert over(game, "fp-strat-06") and figures(game, "osgiliath") == {"gondor": 2, "gondor_leader": 1}
    full = started(holding("fp-strat-06").army("osgiliath", gondor=10), "fp-strat-06")
    play(full, "region:osgiliath")
    assert over(full, "fp-strat-06") and figures(full, "osgiliath") == {"gondor": 10, "gondor_leader": 1}


@pytest.mark.parametrize("null_events", [False, True])
def test_fp_strat_06_faramirs_rangers_R6_4_4_RG48_neither_half(null_events):
    position = (
        holding("fp-strat-06", null_events=null_events)
        .army("minas-morgul", sauron=3)
        .army("minas-tirith", gondor=3)
    )
    assert offered(position.place("boromir", "osgiliath")) == null_events
    if null_events:
        game = started(position, "fp-strat-06")
        assert over(game, "fp-strat-06") and figures(game, "minas-morgul") == {"sauron": 3}


# --- fp-strat-08, Wisdom of Elrond. ---


@pytest.mark.parametrize(
    ("name", "before", "active", "after"),
    [("north", 1, False, 0), ("dwarves", 3, False, 2), ("gondor", 1, True, 0), ("rohan", 2, True, 1)],
)
def test_fp_strat_08_wisdom_of_elrond_R8_0_activates_then_advances(name, before, active, after):
    game = started(holding("fp-strat-08").politics(name, before, active), "fp-strat-08")
    assert game.side == FP and legal(game) == {f"nation:{who}" for who in FP_NATIONS}
    play(game, f"nation:{name}")
    assert over(game, "fp-strat-08") and politics(game, name) == (after, 1)


def test_fp_strat_08_wisdom_of_elrond_R6_4_4_a_nation_at_war_is_no_choice():
    game = started(holding("fp-strat-08").at_war("elves", "north"), "fp-strat-08")
    assert legal(game) == {"nation:dwarves", "nation:gondor", "nation:rohan"}
    assert not offered(holding("fp-strat-08").at_war(*FP_NATIONS))
    wasted = started(holding("fp-strat-08", null_events=True).at_war(*FP_NATIONS), "fp-strat-08")
    assert over(wasted, "fp-strat-08")


def test_fp_strat_08_wisdom_of_elrond_R8_2_1_rohan_under_wormtongue():
    game = started(holding("fp-strat-08").table("sh-char-22").place("saruman", "orthanc"), "fp-strat-08")
    play(game, "nation:rohan")
    assert over(game, "fp-strat-08") and politics(game, "rohan") == (2, 0)
    stuck = (
        holding("fp-strat-08")
        .table("sh-char-22")
        .place("saruman", "orthanc")
        .politics("rohan", 1, active=False)
    )
    assert legal_block(started(stuck, "fp-strat-08"), "nation") == FP_NATIONS - {
        "rohan"
    }  # nothing would change


# --- fp-strat-09, The Red Arrow. ---


@pytest.mark.parametrize(
    ("before", "active", "after"), [(3, False, 2), (1, False, 1), (1, True, 0), (0, True, 0)]
)
def test_fp_strat_09_the_red_arrow_R8_4_advances_rohan_and_recruits(before, active, after):
    position = holding("fp-strat-09").politics("gondor", 2).politics("rohan", before, active)
    game = started(position, "fp-strat-09")
    assert politics(game, "rohan") == (after, int(active))  # the order of the text
    assert legal(game) == {"region:edoras"}
    assert legal(play(game, "region:edoras")) == {"figure:rohan-regular", "figure:rohan-elite"}
    play(game, "figure:rohan-elite")
    assert over(game, "fp-strat-09")
    assert figures(game, "edoras") == {"rohan_elite": 1, "rohan_leader": 1}


def test_fp_strat_09_the_red_arrow_R6_4_1_R6_4_4_condition_and_parts():
    def position(steps: int, **options) -> Position:
        board = holding("fp-strat-09", **options).politics("gondor", 2).politics("rohan", steps)
        return board.army("edoras", isengard=1).control("edoras", SH)

    assert not offered(holding("fp-strat-09", null_events=True).politics("gondor", 2, active=False))
    game = started(position(3), "fp-strat-09")
    assert over(game, "fp-strat-09") and politics(game, "rohan") == (2, 1)
    assert figures(game, "edoras") == {"isengard": 1}
    assert not offered(position(0))
    assert over(started(position(0, null_events=True), "fp-strat-09"), "fp-strat-09")
