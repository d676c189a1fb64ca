"""Values of coins, steps, races, regions and skills for a side of the Duel, in points; a victory has the
value ``WIN``."""

from __future__ import annotations

import math

from wotr_agents.games.duel.kernels import kernel
from wotr_agents.games.duel.weights import Weight
from wotr_env.compiler.memory import bit_count
from wotr_env.games.duel.components import (
    BONUS_STEP,
    CARD_CHAPTER,
    COST_SKILLS,
    MOVES,
    NUM_CARDS,
    NUM_CHAPTERS,
    NUM_LANDMARKS,
    NUM_MOVES,
    NUM_RACES,
    NUM_REGIONS,
    NUM_SLOTS,
    SUMMIT,
    Token,
)
from wotr_env.games.duel.state import Place, Tile, has_token, supply
from wotr_env.games.duel.victory import present, races_of

WIN = 100.0


@kernel
def turns_left(state):
    """Number of cards that can still be taken."""
    return bit_count(state.left) + NUM_SLOTS * (NUM_CHAPTERS - 1 - int(state.chapter))


@kernel
def coins_worth(state, held, more, weights):
    """Value of ``more`` additional coins for a side that has ``held`` coins, in points. It is also the cost
    of losing them again."""
    reach = weights[Weight.COIN_RANGE]
    worth = math.exp(-held / reach) - math.exp(-(held + more) / reach)
    late = min(1.0, turns_left(state) / weights[Weight.COIN_END])
    return weights[Weight.COIN] * reach * worth * late


@kernel
def steps_worth(state, side, steps, weights):
    """Value of steps on the ring track for a side, in points, with the bonuses that these steps reach."""
    before = int(state.ring[side])
    after = before + steps
    if after >= SUMMIT:
        return WIN
    worth = steps * weights[Weight.STEP]
    worth += weights[Weight.STEP_CLOSE] * (after * after - before * before) / 2.0
    if before < BONUS_STEP[0] and BONUS_STEP[0] <= after:
        worth += coins_worth(state, int(state.coins[side]), 1, weights)
    if before < BONUS_STEP[1] and BONUS_STEP[1] <= after:
        worth += best_placement(state, side, 1, (1 << NUM_REGIONS) - 1, weights)
    if before < BONUS_STEP[2] and BONUS_STEP[2] <= after:
        worth += weights[Weight.AGAIN]
    if before < BONUS_STEP[3] and BONUS_STEP[3] <= after:
        worth += best_raze(state, side, weights)
    return worth


@kernel
def race_worth(state, side, race, weights):
    """Value of a green card of a race for a side, in points: the race, and the tokens that the card
    brings."""
    held = int(state.races[side, race])
    worth = 0.0
    if held == 0:
        races = races_of(state, side)
        support = races + has_token(state, side, Token.EAGLE)
        if support + 1 >= NUM_RACES:
            return WIN
        worth = weights[Weight.RACE] + weights[Weight.RACE_CLOSE] * support
        if races == 2 and state.council[side] == 0:
            worth += weights[Weight.TOKEN]
    elif held == 1 and state.pile_size[race] > 0:
        worth = weights[Weight.TOKEN]
    return worth


@kernel
def region_slope(state, count, change, weights):
    """Value of being present in ``change`` more regions than ``count``, in points."""
    after = count + change
    if after >= NUM_REGIONS:
        return WIN
    past = 1.0 - turns_left(state) / (NUM_SLOTS * NUM_CHAPTERS)
    each = weights[Weight.REGION] + weights[Weight.REGION_END] * past * past
    return each * change + weights[Weight.REGION_CLOSE] * (after * after - count * count) / 2.0


@kernel
def presence_change(state, side, region, units):
    """Change of a side's presence in a region if it then has ``units`` units there: 1, 0 or -1."""
    if state.fort[region] == 1 + side:
        return 0
    before = 1 if state.units[side, region] > 0 else 0
    after = 1 if units > 0 else 0
    return after - before


@kernel
def shift_worth(state, side, own, own_units, other, other_units, weights):
    """Value of a change on the board for a side, in points.

    Args:
        own: change in the number of regions where the side is present.
        own_units: change in the number of its units.
        other: change in the number of regions where the opponent is present.
        other_units: change in the number of the opponent's units.
    """
    worth = weights[Weight.UNIT] * (own_units - other_units)
    if own != 0:
        worth += region_slope(state, present(state, side), own, weights)
    if other != 0:
        worth -= region_slope(state, present(state, 1 - side), other, weights)
    return worth


@kernel
def placement_worth(state, side, region, count, weights):
    """Value of placing units in a region for a side, in points, after the conflict there."""
    units = int(state.units[side, region])
    enemies = int(state.units[1 - side, region])
    entering = min(count, supply(state, side))
    lost = min(units + entering, enemies)
    own = presence_change(state, side, region, units + entering - lost)
    other = presence_change(state, 1 - side, region, enemies - lost)
    return shift_worth(state, side, own, entering - lost, other, -lost, weights)


@kernel
def best_placement(state, side, count, regions, weights):
    """Value of the best placement in one of ``regions`` (one bit each), in points."""
    best = 0.0
    for region in range(NUM_REGIONS):
        if regions >> region & 1:
            best = max(best, placement_worth(state, side, region, count, weights))
    return best


@kernel
def removal_worth(state, side, region, weights):
    """Value of removing an enemy unit from a region for a side, in points."""
    enemies = int(state.units[1 - side, region])
    other = presence_change(state, 1 - side, region, enemies - 1)
    return shift_worth(state, side, 0, 0, other, -1, weights)


@kernel
def best_removal(state, side, weights):
    """Value of the best removal of an enemy unit, in points; 0 if there is no enemy unit."""
    best = 0.0
    for region in range(NUM_REGIONS):
        if state.units[1 - side, region] > 0:
            best = max(best, removal_worth(state, side, region, weights))
    return best


@kernel
def move_worth(state, side, move, weights):
    """Value of moving a unit for a side, in points, after the conflict at its destination."""
    start = MOVES[move, 0]
    end = MOVES[move, 1]
    enemies = int(state.units[1 - side, end])
    lost = 1 if enemies > 0 else 0
    own = presence_change(state, side, start, int(state.units[side, start]) - 1)
    own += presence_change(state, side, end, int(state.units[side, end]) + 1 - lost)
    other = presence_change(state, 1 - side, end, enemies - lost)
    return shift_worth(state, side, own, -lost, other, -lost, weights)


@kernel
def best_move(state, side, weights):
    """Value of the best move of a unit, in points; 0 if no move has a positive value."""
    best = 0.0
    for move in range(NUM_MOVES):
        if state.units[side, MOVES[move, 0]] > 0:
            best = max(best, move_worth(state, side, move, weights))
    return best


@kernel
def raze_worth(state, side, region, weights):
    """Value of removing the enemy fortress of a region for a side, in points."""
    lost = 0 if state.units[1 - side, region] > 0 else -1
    return weights[Weight.FORT] + shift_worth(state, side, 0, 0, lost, 0, weights)


@kernel
def best_raze(state, side, weights):
    """Value of removing the best enemy fortress, in points; 0 if there is none."""
    best = 0.0
    for region in range(NUM_REGIONS):
        if state.fort[region] == 2 - side:
            best = max(best, raze_worth(state, side, region, weights))
    return best


@kernel
def skill_worth(state, side, skills, count, weights):
    """Value of additional symbols for a side, in points: the coins that these symbols save on cards for which
    the side now has too few symbols.

    Args:
        skills: kinds of symbols, one bit each. If there are several kinds, each cost uses only one of these
            kinds.
        count: number of symbols.
    """
    worth = 0.0
    for item in range(NUM_CARDS + NUM_LANDMARKS):
        if item >= NUM_CARDS:
            if state.landmark[item - NUM_CARDS] >= Tile.TAKEN:
                continue
            weight = weights[Weight.SKILL_TILE]
        else:
            if state.place[item] != Place.UNSEEN or CARD_CHAPTER[item] < state.chapter:
                continue
            soon = CARD_CHAPTER[item] == state.chapter
            weight = weights[Weight.SKILL] if soon else weights[Weight.SKILL_LATER]
        short = 0
        for skill in range(5):
            if skills >> skill & 1:
                short += max(0, COST_SKILLS[item, skill] - int(state.skills[side, skill]))
        worth += weight * min(count, short)
    return worth
