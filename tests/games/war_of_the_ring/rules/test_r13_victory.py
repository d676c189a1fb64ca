"""Which partner has won (R13.8)."""

from __future__ import annotations

import pytest

from tests.partners import GONDOR, ISENGARD, NATIONS, ROHAN, SAURON, Table
from tests.positions import play, region
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import Reason, Side, Winner
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX
from wotr_env.games.war_of_the_ring.engine.observation_layout import At

FREE_PEOPLES, SHADOW = Side.FREE_PEOPLES, Side.SHADOW


def places_won(game: Game) -> list[int]:
    """What partners are compared by, as everybody sees it."""
    seen = game.observe(0)
    assert (
        seen[At.PLACES_WON : At.PLACES_WON + 4] == game.observe(1)[At.PLACES_WON : At.PLACES_WON + 4]
    ).all()
    return seen[At.PLACES_WON : At.PLACES_WON + 4].tolist()


def taken(table: Table, seat: int, *places: str) -> Table:
    """Settlements that a seat's armies have taken."""
    for place in places:
        table.control(place, SHADOW if seat in (SAURON, ISENGARD) else FREE_PEOPLES)
        index = SETTLEMENT_INDEX[region(place)]
        if seat in (ISENGARD, ROHAN):
            table.state.taken_by_second[index // 32] |= 1 << index % 32
    return table


@pytest.mark.parametrize(
    ("taken_by", "expected"),
    [
        ({}, [0, 0, 0, 0]),
        ({SAURON: ("minas-tirith", "dale"), ISENGARD: ("helms-deep",)}, [-1, 2, 1, -2]),
        ({ISENGARD: ("westemnet", "edoras", "lorien")}, [-1, 0, 2, -1]),  # a Town does not count
        ({ISENGARD: ("edoras",), GONDOR: ("orthanc",), ROHAN: ("moria",)}, [0, -1, 0, -1]),
    ],
)
def test_R13_8_1_places_taken_less_places_lost(taken_by, expected):
    table = Table()
    for seat, places in taken_by.items():
        taken(table, seat, *places)
    assert places_won(table.acts(GONDOR).game()) == expected


def test_R13_8_1_they_are_places_not_points():
    """Two Cities are more than one Stronghold."""
    table = taken(taken(Table(), SAURON, "minas-tirith"), ISENGARD, "edoras", "pelargir")
    assert places_won(table.acts(GONDOR).game())[SAURON : ISENGARD + 1] == [1, 2]


def war() -> Table:
    return Table().at_war(*NATIONS).fellowship("rivendell", companions=["peregrin"])


@pytest.mark.parametrize(
    ("picks", "taker"),
    [
        (("verb:whole-army",), SAURON),
        (("figure:sauron-regular", "figure:southrons-elite", "verb:done"), ISENGARD),  # more Elites
        (("figure:southrons-elite", "verb:done"), ISENGARD),
    ],
)
def test_R13_8_1_who_commands_the_units_that_enter_takes_a_place(picks, taker):
    table = war().army("osgiliath", sauron=3, southrons_elite=1, southrons=1).mixed(SHADOW, "osgiliath")
    game = table.uses(SAURON, "army", "plan:move-armies", "region:osgiliath", "region:pelargir", *picks)
    assert places_won(game) == [-1, *((1, 0) if taker == SAURON else (0, 1)), 0]


def test_R13_8_1_an_assault_is_won_by_who_commands_the_attackers():
    table = war().army("minas-tirith", sauron=1, southrons=3, gondor=1).mixed(SHADOW, "minas-tirith")
    table.acts(ISENGARD, "event event", "army army")
    game = play(table.game(6, 6, 6, 6, 1), "face:army", "plan:attack", "region:minas-tirith")
    play(game, "region:minas-tirith", "verb:whole-army", "figure:gondor-regular")
    assert places_won(game) == [-1, 0, 1, 0]


def test_R13_8_1_the_rearguard_takes_it_if_the_attackers_are_gone():
    table = war().army("minas-tirith", sauron=1, southrons=2, gondor=1).acts(SAURON, "event", "army army")
    game = play(table.game(6, 6), "face:army", "plan:attack", "region:minas-tirith", "region:minas-tirith")
    play(game, "verb:whole-army", "figure:sauron-regular", "figure:gondor-regular")
    assert places_won(game) == [-1, 0, 1, 0]


def test_RG58_R13_8_1_a_place_lost_and_won_back_counts_for_nobody():
    table = taken(war(), GONDOR, "umbar").army("near-harad", southrons=2)
    game = table.uses(ISENGARD, "army", "plan:move-armies", "region:near-harad", "region:umbar")
    assert places_won(game)[ISENGARD] == -1
    play(game, "verb:whole-army")
    assert places_won(game) == [0, 0, 0, 0]


def test_R13_8_1_a_place_taken_again_is_the_last_takers():
    table = taken(war(), SAURON, "pelargir").army("lamedon", gondor=1).army("osgiliath", southrons=1)
    table.acts(GONDOR, "army_muster", "army army").state.next_seat[SHADOW] = ISENGARD
    game = play(table.game(), "face:army-muster", "plan:move-armies", "region:lamedon", "region:pelargir")
    play(game, "verb:whole-army")
    assert places_won(game) == [0, 0, 0, 0]


def test_R13_8_1_the_side_wins_as_in_two_players():
    places = ("minas-tirith", "dol-amroth", "pelargir", "edoras", "helms-deep", "lorien")
    table = war().acts(SAURON, "", "event")
    table = taken(taken(table, SAURON, *places[:4]), ISENGARD, *places[4:])
    game = play(table.game(), "face:event", "plan:skip")
    assert game.result is not None and game.result.winner == Winner.SHADOW
    assert game.result.reason == Reason.SHADOW_MILITARY
    assert places_won(game) == [-4, 4, 2, -2]
