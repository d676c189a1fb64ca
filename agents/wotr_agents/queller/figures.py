"""Where the Queller-style Shadow wants the Witch-king, the Nazgul and the Mouth.

Inspired by the Queller bot by Quitch; written independently. Successive filters are powers of two.
"""

from __future__ import annotations

from wotr_agents.kernels import kernel
from wotr_agents.queller.board import Mark, leaders_at, mark, marked_region, way_strength
from wotr_agents.queller.moves import beside_threat
from wotr_agents.scripted.board import Plane, at
from wotr_env.actions import Block
from wotr_env.codes import Character, Nation, Side, Verb
from wotr_env.components import DISTANCE, NUM_REGIONS, REGION_NATION
from wotr_env.rules.armies import at_war, is_besieger, is_garrison


@kernel
def _near_target(work, region):
    goal = marked_region(work, Mark.TARGET, region)
    return goal >= 0 and DISTANCE[region, goal] <= 1


@kernel
def _becomes_mobile(state, work, region, more):
    """Whether so many points of Leadership make the army of a region mobile."""
    goal = marked_region(work, Mark.TARGET, region)
    if goal < 0 or mark(work, Mark.MOBILE, region) > 0:
        return False
    units = int(state.units[region, Side.SHADOW])
    used = min(5, units)
    gain = max(0, min(used, leaders_at(work, region) + more) - min(used, leaders_at(work, region)))
    return mark(work, Mark.VALUE, region) + gain >= way_strength(state, work, region, goal)


@kernel
def witch_king_rank(state, work, region):
    """How good a place is for the Witch-king."""
    if state.units[region, Side.SHADOW] == 0:
        return 0.0
    goal = marked_region(work, Mark.TARGET, region)
    threat = beside_threat(state, work, region)
    score = 1.0 + mark(work, Mark.VALUE, region) / 16.0
    if threat >= 0:
        score += 1024 if state.units[threat, Side.SHADOW] > 0 else 16
    if mark(work, Mark.MOBILE, region) > 0:
        score += 512
    elif _becomes_mobile(state, work, region, 2):
        score += 128
    if goal >= 0:
        nation = REGION_NATION[goal]
        if nation >= 0 and at_war(state, nation):
            score += 256
        if state.location[Character.GANDALF_WHITE] != goal:
            score += 64
        if state.location[Character.MERIADOC] != goal and state.location[Character.PEREGRIN] != goal:
            score += 32
        if DISTANCE[region, goal] <= 1:
            score += 4
    if is_besieger(state, Side.SHADOW, region):
        score += 8
    return score


@kernel
def nazgul_rank(state, work, region, there):
    """How good a place is for one more Nazgul, if so many are there already."""
    score = 0.0
    if region == state.fellowship_region and state.mordor_step == 0 and there == 0:
        score += 4096
    units = int(state.units[region, Side.SHADOW])
    if units == 0:
        return score
    score += mark(work, Mark.VALUE, region) / 16.0
    threat = beside_threat(state, work, region)
    if threat >= 0:
        score += 2048 if state.units[threat, Side.SHADOW] > 0 else 64
    led = leaders_at(work, region) - int(state.leader[region, Nation.SAURON]) + there
    if led >= min(5, units):
        return score / 16.0
    score += 1024
    if state.location[Character.WITCH_KING] == region:
        score += 512
    if is_garrison(state, Side.SHADOW, region):
        score += 256
    if mark(work, Mark.MOBILE, region) > 0:
        score += 128
    elif _becomes_mobile(state, work, region, 1):
        score += 16
    goal = marked_region(work, Mark.TARGET, region)
    if goal >= 0:
        nation = REGION_NATION[goal]
        if nation >= 0 and state.active[nation] == 1:
            score += 32
    if not is_besieger(state, Side.SHADOW, region):
        score += 8
    if _near_target(work, region):
        score += 4
    return score


@kernel
def mouth_rank(state, work, region):
    """How good a place is for the Mouth of Sauron."""
    units = int(state.units[region, Side.SHADOW])
    if units == 0:
        return 0.0
    score = 1.0 + at(work, Plane.HITS_SHADOW, region) / 16.0
    if leaders_at(work, region) < min(5, units):
        score += 64
    if mark(work, Mark.MOBILE, region) > 0:
        score += 32
    if _near_target(work, region):
        score += 16
    return score


@kernel
def best_witch_king_place(state, work):
    """The best rank of any army for the Witch-king."""
    best = 0.0
    for region in range(NUM_REGIONS):
        best = max(best, witch_king_rank(state, work, region))
    return best


@kernel
def best_nazgul_place(state, work):
    """The best rank of any region for one more Nazgul."""
    best = 0.0
    for region in range(NUM_REGIONS):
        best = max(best, nazgul_rank(state, work, region, int(state.leader[region, Nation.SAURON])))
    return best


@kernel
def figures_gain(state, work):
    """Whether moving Nazgul or the Witch-king improves a place by a whole filter."""
    home = int(state.location[Character.WITCH_KING])
    if home >= 0 and best_witch_king_place(state, work) >= witch_king_rank(state, work, home) + 8:
        return True
    best = best_nazgul_place(state, work)
    for region in range(NUM_REGIONS):
        there = int(state.leader[region, Nation.SAURON])
        if there > 0 and best >= nazgul_rank(state, work, region, there - 1) + 8:
            return True
    return False


@kernel
def rank_minions(state, mask, scores, work):
    """D16: whoever gains a filter by moving, the Witch-king first; then enough."""
    best = best_nazgul_place(state, work)
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            there = int(state.leader[region, Nation.SAURON])
            gain = best - nazgul_rank(state, work, region, there - 1)
            scores[Block.REGION + region] = 1000.0 + 0.1 * gain if gain >= 4 else -10.0
    for character in range(Character.WITCH_KING, Character.SARUMAN):
        if mask[Block.CHARACTER + character]:
            home = int(state.location[character])
            if character == Character.WITCH_KING:
                gain = best_witch_king_place(state, work) - witch_king_rank(state, work, home)
            else:
                gain = 16.0 - mouth_rank(state, work, home)
            scores[Block.CHARACTER + character] = 2000.0 if gain >= 8 else -10.0
    if mask[Block.VERB + Verb.DONE]:
        scores[Block.VERB + Verb.DONE] = 500.0


@kernel
def rank_minion_goals(state, mask, scores, work, character):
    """D16: where the Nazgul (-1), the Witch-king or the Mouth goes."""
    for region in range(NUM_REGIONS):
        if not mask[Block.REGION + region]:
            continue
        if character == Character.WITCH_KING:
            score = witch_king_rank(state, work, region)
        elif character == Character.MOUTH_OF_SAURON:
            score = mouth_rank(state, work, region)
        else:
            score = nazgul_rank(state, work, region, int(state.leader[region, Nation.SAURON]))
        scores[Block.REGION + region] = 1000.0 + score


@kernel
def rank_entries(state, mask, scores, work):
    """D11, D18: where a Minion enters."""
    witch_king = state.chosen_characters >> Character.WITCH_KING & 1
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            if witch_king == 1:
                rank = witch_king_rank(state, work, region)
            else:
                rank = mouth_rank(state, work, region)
            scores[Block.REGION + region] = 1000.0 + rank
