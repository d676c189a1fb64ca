"""A complete published game between two strong players, move by move (second edition, eleven turns).

The record is the package's (``wotr_env.play.record.PUBLISHED``). The facts in ``published_game.json`` are
what the account of the game says of the position after so many choices.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.positions import figures
from wotr_env import Game, GameRecord
from wotr_env.games.war_of_the_ring.codes import CardZone, Character, Location, Nation, Side, TileZone, Winner
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    REGION_IDS,
    SETTLEMENT_INDEX,
    TILE_IDS,
    TILE_NAMES,
)
from wotr_env.games.war_of_the_ring.words.positions import victory_points
from wotr_env.play.record import PUBLISHED

FACTS = json.loads(Path(__file__).with_name("published_game.json").read_text(encoding="utf-8"))
"""By the number of choices before: what is so, as arguments of ``fact``."""


def fact(game: Game, what: str, *which):
    """What the position says of a thing that the account tells of."""
    state = game.state
    match what:
        case "hand":
            held = np.flatnonzero(state.card_zone == CardZone.HAND + Side[which[0]])
            return sorted(CARD_IDS[card] for card in held)
        case "army":
            return figures(game, which[0])
        case "fellowship":
            where = int(state.fellowship_region)
            return REGION_IDS[where] if where >= 0 else "mordor"
        case "location":
            where = int(state.location[Character[which[0]]])
            return REGION_IDS[where] if where >= 0 else Location(where).name.lower().replace("_", "-")
        case "steps_to_war" | "active" | "casualty_regular" | "reinforcement_elite" | "reinforcement_leader":
            return int(state[what][Nation[which[0].upper()]])
        case "control":
            return int(state.control[SETTLEMENT_INDEX[REGION_IDS.index(which[0])]])
        case "victory_points":
            return list(victory_points(state))
        case "card_zone":
            return int(state.card_zone[CARD_IDS.index(which[0])])
        case "tile_zone":
            return int(state.tile_zone[TILE_IDS.index(which[0])])
        case "tiles":
            return sorted(TILE_NAMES[tile] for tile in np.flatnonzero(state.tile_zone == TileZone.POOL))
        case "legal":
            return sorted(map(game.name_of, game.legal()))
        case "offered":
            return which[0] in map(game.name_of, game.legal())
        case "result":
            return game.result.to_dict()
        case _:
            return state[what].tolist()


@pytest.fixture(scope="module")
def record():
    (found,) = GameRecord.load(PUBLISHED)
    return found


def test_every_choice_roll_and_draw_of_the_published_game_replays_to_its_end(record):
    assert record.verify().result == record.result
    assert (len(record.actions), sum(len(tape) for _, tape in record.tapes)) == (677, 378)


def test_every_fact_that_is_told_of_the_published_game_holds(record):
    game, compared = record.begun(), 0
    for number in range(len(record.actions) + 1):
        for *asked, told in FACTS.get(str(number), ()):
            assert fact(game, *asked) == told, (number, asked)
            compared += 1
        if number < len(record.actions):
            game.step(record.actions[number])
    assert compared == sum(map(len, FACTS.values())) > 330


def can_win(game):
    """Whether a choice of the Free Peoples, who decide, leads to their victory at once."""
    if game.over:
        return game.state.winner == Winner.FREE_PEOPLES
    assert game.side == Side.FREE_PEOPLES
    return any(can_win(game.clone().step(action)) for action in game.legal())


def test_of_the_last_tiles_seven_win_for_the_shadow_and_six_for_the_free_peoples(record):
    """What the account says of the last step on the Track of Mordor."""
    before = record.replay(676)
    pool = np.flatnonzero(before.state.tile_zone == TileZone.POOL).tolist()
    moved = [before.clone().with_tape([tile]).step(record.actions[676]) for tile in pool]
    assert [sum(can_win(game) == won for game in moved) for won in (False, True)] == [7, 6]
