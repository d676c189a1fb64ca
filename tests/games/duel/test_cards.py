"""Every card and every landmark, by what a step does: numbers written here, not read from the table."""

import numpy as np
import pytest

from tests.games.duel.duels import FELLOWSHIP, SAURON, Duel
from wotr_env.games.duel.components import CARD_IDS, LANDMARK_IDS, LANDMARK_REGION, RACES, REGIONS
from wotr_env.games.duel.words import prices

COINS = {
    **dict.fromkeys(("c1-09", "c1-10", "c1-11", "c1-12"), 2),
    "c2-08": 3,
    "c2-09": 4,
    "c3-01": 5,
    "c3-02": 5,
}
STEPS = {
    **dict.fromkeys(("c1-13", "c1-14", "c1-15", "c1-16", "c2-10", "c2-11", "c2-12"), 1),
    **dict.fromkeys(("c2-13", "c2-14", "c3-03", "c3-04", "c3-05", "c3-06"), 2),
    "c3-07": 3,
}
RACE = {
    **dict.fromkeys(("c1-17", "c2-15"), "elves"),
    **dict.fromkeys(("c1-18", "c2-16"), "dwarves"),
    **dict.fromkeys(("c1-19", "c2-17"), "hobbits"),
    **dict.fromkeys(("c1-20", "c2-18"), "humans"),
    **dict.fromkeys(("c3-08", "c3-09"), "wizards"),
    **dict.fromkeys(("c3-10", "c3-11"), "ents"),
}
UNITS = {
    "c1-21": (1, "gondor rohan"),
    "c1-22": (1, "enedwaith rhovanion"),
    "c1-23": (1, "lindon arnor"),
    "c2-19": (2, "gondor mordor"),
    "c2-20": (2, "lindon enedwaith"),
    "c2-21": (2, "mordor rohan"),
    "c2-22": (2, "lindon rohan"),
    "c2-23": (2, "arnor rhovanion"),
    "c3-12": (3, "enedwaith rohan"),
    "c3-13": (3, "gondor arnor"),
    "c3-14": (3, "rhovanion mordor"),
    "c3-15": (3, "lindon mordor"),
    "c3-16": (3, "rhovanion gondor"),
    "c3-17": (3, "enedwaith arnor"),
}
MANEUVERS = {
    "c3-18": (0, 1, 2),
    "c3-19": (1, 1, 1),
    "c3-20": (1, 2, 0),
    "c3-21": (2, 1, 0),
    "c3-22": (1, 0, 2),
    "c3-23": (0, 0, 3),
}
SKILLS = {
    "c1-01": "R", "c1-02": "R", "c1-03": "S", "c1-04": "S", "c1-05": "C", "c1-06": "C", "c1-07": "K",
    "c1-08": "L",     "c2-01": "K", "c2-02": "L", "c2-03": "RR", "c2-04": "SS", "c2-05": "CC",
    "c2-06": "", "c2-07": "",
}  # fmt: skip
COSTS = {
    "c1-01": "", "c1-02": "", "c1-03": "", "c1-04": "", "c1-05": "", "c1-06": "", "c1-07": "",
    "c1-08": "", "c1-09": "", "c1-10": "", "c1-11": "", "c1-12": "", "c1-13": "S", "c1-14": "C",
    "c1-15": "1", "c1-16": "", "c1-17": "K", "c1-18": "L", "c1-19": "L", "c1-20": "K", "c1-21": "R",
    "c1-22": "", "c1-23": "", "c2-01": "", "c2-02": "", "c2-03": "1", "c2-04": "1", "c2-05": "1",
    "c2-06": "1R", "c2-07": "1KL", "c2-08": "", "c2-09": "", "c2-10": "1", "c2-11": "SC", "c2-12": "RS",
    "c2-13": "SCC", "c2-14": "SSK", "c2-15": "CKL", "c2-16": "SSL", "c2-17": "RRL", "c2-18": "CCK",
    "c2-19": "RRR", "c2-20": "SSC", "c2-21": "RRK", "c2-22": "RSC", "c2-23": "CCL", "c3-01": "RRC",
    "c3-02": "RKL", "c3-03": "RSSS", "c3-04": "RRCC", "c3-05": "RRRC", "c3-06": "SSL", "c3-07": "3",
    "c3-08": "RRLL", "c3-09": "SSKL", "c3-10": "SSKK", "c3-11": "CCKL", "c3-12": "SSCC", "c3-13": "RSKLL",
    "c3-14": "RSSCC", "c3-15": "RRCKK", "c3-16": "RRRLL", "c3-17": "RRCC", "c3-18": "RSCK",
    "c3-19": "SSL", "c3-20": "CCCL", "c3-21": "SCKK", "c3-22": "SSSK", "c3-23": "CCKL",
}  # fmt: skip
"""Coins, then a letter for each skill."""
LANDMARK_COSTS = {
    "helms-deep": "RRRKLL", "erebor": "RSSCKL", "bree": "SSSCCL", "grey-havens": "SSSKLL",
    "minas-tirith": "RRRSKK", "isengard": "RRCCCK", "barad-dur": "CCCKLL",
}  # fmt: skip


def coins_of(cost: str) -> int:
    """The coins of a cost."""
    return int(cost[:1]) if cost[:1].isdigit() else 0


def price_with(item: int, skills: str) -> int:
    """Coins that an item (cards, then landmarks) costs Sauron, who has these skills alone."""
    name = [*CARD_IDS, *LANDMARK_IDS][item]
    game = Duel().offer(name) if name in CARD_IDS else taken(name)
    state = game.state
    state["skills"][SAURON] = [skills.count(letter) for letter in "RSCKL"]
    return int(prices(state)[SAURON, item])


ALONE = [coins_of(cost) + sum(map(str.isalpha, cost)) for cost in COSTS.values()]
"""What each card costs a side that has no skill."""
CHAINS = {
    "c2-10": "c1-14", "c2-11": "c1-13", "c2-15": "c1-17", "c2-16": "c1-18", "c2-17": "c1-19",
    "c2-18": "c1-20", "c2-19": "c1-21", "c2-20": "c1-22", "c2-21": "c1-23", "c3-01": "c2-08",
    "c3-03": "c2-13", "c3-04": "c1-15", "c3-05": "c2-14", "c3-08": "c2-18", "c3-10": "c2-17",
    "c3-12": "c2-20", "c3-13": "c2-21",
}  # fmt: skip


def test_every_card_is_here():
    assert list(COSTS) == CARD_IDS and list(LANDMARK_COSTS) == LANDMARK_IDS
    assert set(CARD_IDS) == {*COINS, *STEPS, *RACE, *UNITS, *MANEUVERS, *SKILLS}


@pytest.mark.parametrize("card", CARD_IDS)
def test_D3_1_price_of_every_card(card):
    game = Duel().offer(card)
    alone = ALONE[CARD_IDS.index(card)]
    game.state["coins"][SAURON] = alone
    assert f"play:{card}" in game.refresh().legal()
    if alone:
        game.state["coins"][SAURON] = alone - 1
        assert f"play:{card}" not in game.refresh().legal()
        game.state["coins"][SAURON] = alone
    game.refresh().do(f"play:{card}")
    bonus = card == "c3-07"  # the third step gives a coin
    assert game.state["coins"][SAURON] == COINS.get(card, 0) + bonus


@pytest.mark.parametrize(("name", "cost"), (COSTS | LANDMARK_COSTS).items())
def test_D3_1_skills_of_every_cost(name, cost):
    """With just these skills only the coins are left to pay, and each that lacks is a coin more."""
    item = [*CARD_IDS, *LANDMARK_IDS].index(name)
    skills = cost.lstrip("0123456789")
    assert price_with(item, skills) == coins_of(cost)
    for place in range(len(skills)):
        assert price_with(item, skills[:place] + skills[place + 1 :]) == coins_of(cost) + 1


@pytest.mark.parametrize(
    ("choice", "card", "before"),
    [
        ("c2-06", "c3-21", 4),  # knowledge
        ("c2-06", "c3-19", 3),  # leadership
        ("c2-07", "c3-02", 3),  # ruse
        ("c2-07", "c3-19", 3),  # strength
        ("c2-07", "c3-20", 4),  # courage
    ],
)
def test_D3_2_every_skill_of_a_choice(choice, card, before):
    item = CARD_IDS.index(card)
    game = Duel().offer(card)
    assert prices(game.state)[SAURON, item] == before
    assert prices(game.own(SAURON, choice).state)[SAURON, item] == before - 1


@pytest.mark.parametrize("card", SKILLS)
def test_grey(card):
    game = Duel().offer(card).do(f"play:{card}")
    assert game.state["skills"][SAURON].tolist() == [SKILLS[card].count(letter) for letter in "RSCKL"]


@pytest.mark.parametrize("card", COINS)
def test_D5_2_yellow(card):
    game = Duel().offer(card).do(f"play:{card}")
    assert game.state["coins"][SAURON] == 12 - ALONE[CARD_IDS.index(card)] + COINS[card]


@pytest.mark.parametrize("card", STEPS)
def test_D5_3_blue(card):
    game = Duel().offer(card).do(f"play:{card}")
    assert game.state["ring"].tolist() == [0, STEPS[card]]


@pytest.mark.parametrize("card", RACE)
def test_green(card):
    game = Duel().offer(card).do(f"play:{card}")
    assert game.state["races"][SAURON].tolist() == [race == RACE[card] for race in RACES]


@pytest.mark.parametrize("card", UNITS)
def test_D5_4_red(card):
    count, regions = UNITS[card]
    for region in regions.split():
        game = Duel().offer(card).units(FELLOWSHIP).units(SAURON).do(f"play:{card}")
        assert game.legal() == {f"place:{each}" for each in regions.split()}
        assert game.do(f"place:{region}").at(region) == [0, count]


@pytest.mark.parametrize("card", MANEUVERS)
def test_D5_5_purple(card):
    removals, coins, moves = MANEUVERS[card]
    game = Duel().offer(card).units(FELLOWSHIP, arnor=3).units(SAURON, mordor=2).do(f"play:{card}")
    for _ in range(removals):
        assert game.legal() == {"remove:arnor", "pass"} and game.state["coins"][FELLOWSHIP] == 12
        game.do("remove:arnor")
    for place in range(moves):
        game.do(("move:mordor:rohan", "move:rohan:gondor", "move:gondor:mordor")[place])
    assert game.state["seat"] == FELLOWSHIP
    assert game.state["coins"][FELLOWSHIP] == 12 - coins
    assert game.at("arnor") == [3 - removals, 0]


@pytest.mark.parametrize(("card", "giver"), CHAINS.items())
def test_D3_5_every_chain(card, giver):
    game = Duel().offer(card)
    assert f"chain:{card}" not in game.legal()
    game.own(SAURON, giver)
    before = int(game.state["coins"][SAURON])
    assert {f"chain:{card}", f"play:{card}"} <= game.legal()
    game.do(f"chain:{card}")
    assert game.state["coins"][SAURON] == before + COINS.get(card, 0)


LANDMARKS = {
    "helms-deep": "rohan", "erebor": "rhovanion", "bree": "arnor", "grey-havens": "lindon",
    "minas-tirith": "gondor", "isengard": "enedwaith", "barad-dur": "mordor",
}  # fmt: skip


def taken(tile: str, forts: int = 0) -> Duel:
    """A landmark that is shown, just taken by Sauron, with other fortresses of his; the map has no units."""
    game = Duel().offer("c2-01").own(FELLOWSHIP, "c1-01").units(FELLOWSHIP).units(SAURON)
    number = LANDMARK_IDS.index(tile)
    others = [each for each in range(7) if each != number]
    game.state["landmark_order"] = [*others[:forts], number, *others[forts:]]
    drawn = max(3, forts + 1)
    game.state["landmark"] = 0
    game.state["landmark"][game.state["landmark_order"][:drawn]] = 1
    for each in others[:forts]:
        game.state["landmark"][each] = 2 + SAURON
        game.state["fort"][LANDMARK_REGION[each]] = 1 + SAURON
    game.state["landmarks_drawn"] = drawn
    return game.refresh()


@pytest.mark.parametrize("tile", LANDMARKS)
def test_D3_4_surcharge_of_every_landmark(tile):
    for forts in range(3):
        game = taken(tile, forts)
        game.state["coins"][SAURON] = 5 + forts
        assert f"landmark:{tile}" not in game.refresh().legal()
        game.state["coins"][SAURON] = 6 + forts
        assert f"landmark:{tile}" in game.refresh().legal()
        if forts:
            assert f"landmark:{tile}" in game.give(SAURON, "no-surcharge").legal()


@pytest.mark.parametrize("tile", LANDMARKS)
def test_D4_1_every_landmark(tile):
    game = taken(tile).do(f"landmark:{tile}")
    assert game.state["fort"][REGIONS.index(LANDMARKS[tile])] == 1 + SAURON
    units = {"helms-deep": 3, "bree": 2, "minas-tirith": 1}.get(tile, 0)
    assert game.at(LANDMARKS[tile]) == [0, units]
    assert game.state["coins"][SAURON] == (11 if tile == "erebor" else 6)
    match tile:
        case "bree":
            game.do("move:arnor:lindon", "move:lindon:arnor")
        case "grey-havens":
            game.do("pile:ents")
            assert len(game.legal()) == 2
            game.do(sorted(game.legal())[0])
            assert game.state["pile_seen"][RACES.index("ents")] == 1
            return
        case "minas-tirith":
            assert game.state["ring"][SAURON] == 2
        case "isengard":
            assert game.legal() == {"strip:c1-01", "pass"}
            game.do("strip:c1-01")
            assert not game.state["skills"].any() and game.state["ring"][SAURON] == 1
        case "barad-dur":
            hidden = game.state["deck"][1, 20:].tolist()
            assert {f"revive:{CARD_IDS[card]}" for card in hidden} <= game.legal()
            game.do(sorted(name for name in game.legal() if name.startswith("revive"))[0])
            assert (game.state["place"] == 2 + SAURON).sum() == 1
            return
    assert game.state["seat"] == FELLOWSHIP
    assert np.count_nonzero(game.state["stack"]) == 0


def test_D4_1_the_move_of_erebor():
    game = taken("erebor").units(SAURON, mordor=1).refresh().do("landmark:erebor")
    assert game.legal() == {"move:mordor:rohan", "move:mordor:gondor", "pass"}
    game.do("move:mordor:rohan")
    assert game.at("rohan") == [0, 1] and game.state["seat"] == FELLOWSHIP
