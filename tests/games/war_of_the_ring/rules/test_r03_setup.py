"""R3: set-up. The positions are those of a new game's first decision, which comes after phase 1."""

from __future__ import annotations

import pytest

from tests.positions import Position, legal, nation, play, region
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import (
    CardZone,
    Character,
    Decision,
    Location,
    Phase,
    Side,
    TileZone,
    TurnStage,
)
from wotr_env.games.war_of_the_ring.components import (
    NATION_SIDE,
    REGION_IDS,
    REGION_NATION,
    SETTLEMENT_REGIONS,
)

ASK_ALL = Ruleset(ask_single=True)

DEPLOYMENT = """
dwarves    erebor 1 1 1; ered-luin 1 0 0; iron-hills 1 0 0;                      reinforcements 2 4 3
elves      grey-havens 1 1 1; rivendell 0 2 1; woodland-realm 1 1 1; lorien 1 2 1; reinforcements 2 4 0
gondor     minas-tirith 3 1 1; dol-amroth 3 0 0; osgiliath 2 0 0; pelargir 1 0 0; reinforcements 6 4 3
north      bree 1 0 0; carrock 1 0 0; dale 1 0 1; north-downs 0 1 0; the-shire 1 0 0; reinforcements 6 4 3
rohan      edoras 1 1 0; fords-of-isen 2 0 1; helms-deep 1 0 0;                  reinforcements 6 4 3
sauron     barad-dur 4 1 1; dol-guldur 5 1 1; gorgoroth 3 0 0; minas-morgul 5 0 1; moria 2 0 0;
           mount-gundabad 2 0 0; nurn 2 0 0; morannon 5 0 1;                     reinforcements 8 4 4
southrons  far-harad 3 1 0; near-harad 3 1 0; north-rhun 2 0 0; south-rhun 3 1 0; umbar 3 0 0;
           reinforcements 10 3 0
isengard   orthanc 4 1 0; north-dunland 1 0 0; south-dunland 1 0 0;              reinforcements 6 5 0
"""
"""The deployment page of the French rulebook: Regulars, Elites, Leaders or Nazgul."""


def deployment():
    """The page as ``{(nation, place): (regulars, elites, leaders)}``."""
    figures = {}
    for line in DEPLOYMENT.strip().splitlines():
        if not line.startswith(" "):
            owner, _, line = line.partition(" ")
        for entry in filter(None, map(str.strip, line.split(";"))):
            place, *counts = entry.split()
            figures[owner, place] = tuple(map(int, counts))
    return figures


def figures_at(state, owner, place):
    """(Regulars, Elites, Leaders) of a nation in a region or in reinforcement."""
    index = nation(owner)
    pool = place == "reinforcements"
    counts = []
    for kind in ("regular", "elite", "leader"):
        if kind == "leader" and index > nation("sauron"):
            counts.append(0)
        elif pool:
            counts.append(int(state[f"reinforcement_{kind}"][index]))
        else:
            counts.append(int(state[kind][region(place), index]))
    return tuple(counts)


@pytest.fixture(params=[1, 2**40 + 7])
def state(request):
    return Game(seed=request.param, ruleset=ASK_ALL).state


def test_R3_1_fellowship_in_rivendell(state):
    assert state.fellowship_region == region("rivendell")
    assert (state.progress, state.revealed, state.corruption, state.mordor_step) == (0, 0, 0, 0)


def test_R3_2_companions_in_the_fellowship_the_others_aside(state):
    inside = {who for who in Character if state.location[who] == Location.IN_FELLOWSHIP}
    assert inside == set(Character) - {
        Character.ARAGORN,
        Character.GANDALF_WHITE,
        Character.GOLLUM,
        Character.WITCH_KING,
        Character.MOUTH_OF_SAURON,
        Character.SARUMAN,
    }
    assert all(state.location[who] == Location.ASIDE for who in set(Character) - inside)
    assert state.guide == Character.GANDALF_GREY


def test_R3_3_three_rings(state):
    assert state.rings.tolist() == [3, 0]


def test_R3_4_the_hands_hold_only_the_cards_of_phase_1(state):
    zones = state.card_zone.reshape(4, 24)
    assert (zones == CardZone.HAND).sum(axis=1).tolist() == [1, 1, 0, 0]
    assert (zones == CardZone.HAND + 1).sum(axis=1).tolist() == [0, 0, 1, 1]
    assert state.deck_size.tolist() == [23, 23, 23, 23]
    for deck in zones:
        assert sorted(deck[deck < 24].tolist()) == list(range(23))


def test_R3_4_the_decks_are_shuffled_by_chance():
    def order(seed):
        return Game(seed=seed, ruleset=ASK_ALL).state.card_zone.reshape(4, 24).tolist()

    decks = [order(seed) for seed in range(4)]
    assert decks[0] == order(0)
    for deck in range(4):
        assert len({tuple(game[deck]) for game in decks}) == 4
    assert len({tuple(place) for place in decks[0]}) == 4


def test_R3_5_hunt_pool_of_the_standard_tiles(state):
    assert state.tile_zone.tolist() == [TileZone.POOL] * 16 + [TileZone.ASIDE] * 8


def test_R3_6_four_and_seven_dice(state):
    assert state.pool.tolist() == [4, 7]
    game = play(Game(seed=1, ruleset=ASK_ALL), "verb:decline", "character:gandalf-grey", "count:0")
    rolled = game.state.dice.sum(axis=1) + game.state.hunt_box
    assert rolled.tolist() == [4, 7]


def test_R3_7_political_track(state):
    steps = {
        **dict.fromkeys(("dwarves", "elves", "north", "rohan"), 3),
        **dict.fromkeys(("gondor", "southrons"), 2),
        **dict.fromkeys(("isengard", "sauron"), 1),
    }
    for name, count in steps.items():
        assert state.steps_to_war[nation(name)] == count, name
        passive = name in ("dwarves", "gondor", "north", "rohan")
        assert state.active[nation(name)] == (not passive), name


def test_R3_8_deployment_of_the_rulebook(state):
    page = deployment()
    for (owner, place), counts in page.items():
        assert figures_at(state, owner, place) == counts, (owner, place)
    for place in REGION_IDS:
        for owner in ("dwarves", "elves", "gondor", "north", "rohan", "sauron", "isengard", "southrons"):
            if (owner, place) not in page:
                assert figures_at(state, owner, place) == (0, 0, 0), (owner, place)
    assert state.units.sum(axis=0).tolist() == [
        sum(counts[0] + counts[1] for (owner, place), counts in page.items() if on_board(owner, place, side))
        for side in Side
    ]
    assert not state.casualty_regular.any() and not state.casualty_elite.any()
    assert not state.casualty_leader.any()


def on_board(owner, place, side):
    return place != "reinforcements" and NATION_SIDE[nation(owner)] == side


@pytest.mark.parametrize(
    ("option", "erebor", "reinforcements"),
    [("first", (1, 1, 1), (2, 4, 3)), ("second", (1, 2, 1), (2, 3, 3))],
)
def test_R3_8_dwarf_setup(option, erebor, reinforcements):
    state = Game(seed=1, ruleset=Ruleset(dwarf_setup=option, ask_single=True)).state
    assert figures_at(state, "dwarves", "erebor") == erebor
    assert figures_at(state, "dwarves", "reinforcements") == reinforcements
    assert state.units[region("erebor"), Side.FREE_PEOPLES] == erebor[0] + erebor[1]


def test_R3_9_no_markers_turn_1_and_no_choice(state):
    owners = [NATION_SIDE[REGION_NATION[place]] for place in SETTLEMENT_REGIONS]
    assert state.control.tolist() == owners
    assert state.turn == 1


def test_R3_9_the_first_decision_is_the_declaration():
    game = Game(seed=1, ruleset=ASK_ALL)
    assert (game.decision, game.side) == (Decision.DECLARE_FELLOWSHIP, Side.FREE_PEOPLES)
    assert legal(game) == {"verb:decline", "region:rivendell"}


def test_R3_9_a_turn_counter():
    position = Position(setup=True).phase(Phase.ACTION, TurnStage.END)
    assert position.state.turn == 1
    assert position.game().state.turn == 2
