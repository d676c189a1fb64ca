"""The musters of the Queller-style Shadow.

Inspired by the Queller bot by Quitch; written independently.
"""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.queller.board import (
    FULL_ARMY,
    is_aggressive,
    nearest_target,
    way_strength,
)
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Figure, Nation, Side, Verb
from wotr_env.games.war_of_the_ring.components import DISTANCE, NUM_REGIONS, REGION_NATION
from wotr_env.games.war_of_the_ring.rules.armies import at_war, reinforcements_of
from wotr_env.games.war_of_the_ring.rules.figures import figure_action
from wotr_env.games.war_of_the_ring.rules.recruiting import can_recruit_at, figures_placed, first_place
from wotr_env.games.war_of_the_ring.rules.seats import controls_nation
from wotr_env.games.war_of_the_ring.state import MAX_NAZGUL

_STRONGEST_NATION = np.array([Nation.ISENGARD, Nation.SAURON, Nation.SOUTHRONS])
"""The order in which the Shadow nations go to war."""
PREY_RANGE = 4
"""The greatest distance to an undefended target at which troops are mustered; our own choice."""
NAZGUL_WANTED = 6
"""With fewer Nazgul than this on the board, Nazgul are mustered if troops are not wanted anywhere."""


@kernel
def threatened_can_muster(state, queller):
    """Whether a Regular can be mustered in a Stronghold that is threatened."""
    for region in range(NUM_REGIONS):
        if queller.threatened[region]:
            nation = REGION_NATION[region]
            left = state.reinforcement_regular[nation] + state.reinforcement_elite[nation]
            own = controls_nation(state, Side.SHADOW, nation)
            if own and at_war(state, nation) and left > 0:
                if can_recruit_at(state, nation, Figure.REGULAR, region):
                    return True
    return False


@kernel
def isengard_first(state, queller):
    """Whether troops are wanted most in Isengard."""
    best = -1.0
    nation_of_best = -1
    for region in range(NUM_REGIONS):
        nation = REGION_NATION[region]
        if nation < Nation.SAURON or not at_war(state, nation):
            continue
        if controls_nation(state, Side.SHADOW, nation) and can_recruit_at(
            state, nation, Figure.REGULAR, region
        ):
            rank = recruit_rank(state, queller, region)
            if rank > best:
                best = rank
                nation_of_best = nation
    return nation_of_best == Nation.ISENGARD


@kernel
def recruit_rank(state, queller, region):
    """The rank of a region for mustered troops."""
    if queller.threatened[region]:
        return 1000.0
    units = int(state.units[region, Side.SHADOW])
    home = int(state.fellowship_region)
    if home >= 0 and state.mordor_step == 0 and _near_lonely_fellowship(state, region, home):
        return 600.0
    target = queller.target[region]
    if 0 < units < FULL_ARMY:
        score = 300.0 + min(60.0, queller.value[region])
        if queller.mobile[region]:
            score += 128
        elif target >= 0 and is_aggressive(state, queller, region, queller.defence[target] - 3):
            score += 64
        return score
    return _empty_rank(state, queller, region) if units == 0 else 0.0


@kernel
def _near_lonely_fellowship(state, region, home):
    """Whether a place is next to the Fellowship's figure, without an army near it."""
    near = False
    for other in range(NUM_REGIONS):
        if _borders(other, home):
            if state.units[other, Side.SHADOW] > 0:
                return False
            near = near or other == region
    return near


@kernel
def _empty_rank(state, queller, region):
    """The rank of a place without an army, by the nearest target and the nation of the place."""
    goal = nearest_target(queller, region)
    if goal < 0:
        return 50.0
    if state.units[goal, Side.FREE_PEOPLES] == 0 and DISTANCE[region, goal] <= PREY_RANGE:
        if way_strength(state, queller, region, goal) == 0:
            return 800.0
    nation = REGION_NATION[goal]
    score = 100.0 - DISTANCE[region, goal]
    if nation >= 0 and at_war(state, nation):
        return score + 60
    return score + (30 if nation >= 0 and state.active[nation] == 1 else 0)


@kernel
def _borders(region, home):
    return DISTANCE[region, home] <= 1


@kernel
def _nazgul_on_board(state):
    return MAX_NAZGUL - int(state.reinforcement_leader[Nation.SAURON])


@kernel
def _best_place(state, queller, nation, figure, taken):
    """The best rank of a place where a figure may be mustered; -1 if there is none."""
    best = -1.0
    for region in range(NUM_REGIONS):
        if region != taken and REGION_NATION[region] == nation:
            if can_recruit_at(state, nation, figure, region):
                best = max(best, recruit_rank(state, queller, region))
    return best


@kernel
def rank_figures(state, mask, scores, queller):
    """D10: musters an Elite where troops are wanted most, otherwise a Regular, otherwise a Nazgul."""
    taken = first_place(state)
    if mask[Block.VERB + Verb.DONE]:
        scores[Block.VERB + Verb.DONE] = 0.0
    for nation in range(Nation.SAURON, Nation.SOUTHRONS + 1):
        if not at_war(state, nation):
            continue
        for figure in range(Figure.LEADER + 1):
            action = figure_action(nation, figure)
            if not mask[action]:
                continue
            rank = _best_place(state, queller, nation, figure, taken)
            score = 1000.0 + 10 * rank
            if figure == Figure.ELITE:
                score += 5
            elif figure == Figure.REGULAR:
                no_elite = reinforcements_of(state, nation, Figure.ELITE) == 0 or figures_placed(state) == 1
                score += 4 if no_elite else 3
            elif rank < 300 and _nazgul_on_board(state) < NAZGUL_WANTED:
                score += 5000
            scores[action] = score


@kernel
def rank_recruit_regions(state, mask, scores, queller):
    """D10: prefers the regions where troops are wanted most."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            scores[Block.REGION + region] = 1000.0 + recruit_rank(state, queller, region)


@kernel
def rank_nations(scores):
    """D09: prefers the strongest nation."""
    for i in range(_STRONGEST_NATION.size):
        scores[Block.NATION + _STRONGEST_NATION[i]] = 1000.0 - i
