"""The places that the Queller-style Shadow wants for the Witch-king, the Nazgul and the Mouth.

Inspired by the Queller bot by Quitch; written independently. Places pass through successive filters. A place
that passes a filter has a higher rank than all places that do not, so the filters are powers of two.
"""

from __future__ import annotations

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.queller.board import leaders_at, way_strength
from wotr_agents.games.war_of_the_ring.queller.moves import beside_threat
from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Nation, Side, Verb
from wotr_env.games.war_of_the_ring.components import DISTANCE, MAX_DICE, NUM_REGIONS, REGION_NATION
from wotr_env.games.war_of_the_ring.rules.armies import at_war, is_besieger, is_garrison
from wotr_env.games.war_of_the_ring.rules.minions import moving_minion


class WitchKingFilter(Codes):
    """Filters of armies for the Witch-king."""

    BESIEGED_BESIDE_THREAT = 1024
    MOBILE = 512
    TARGET_AT_WAR = 256
    BECOMES_MOBILE = 128
    TARGET_WITHOUT_GANDALF = 64
    TARGET_WITHOUT_HOBBITS = 32
    BESIDE_THREAT = 16
    BESIEGER = 8
    NEAR_TARGET = 4


class NazgulFilter(Codes):
    """Filters of regions for one more Nazgul."""

    FELLOWSHIP = 4096
    BESIEGED_BESIDE_THREAT = 2048
    LACKS_LEADERS = 1024
    WITCH_KING = 512
    GARRISON = 256
    MOBILE = 128
    BESIDE_THREAT = 64
    TARGET_ACTIVE = 32
    BECOMES_MOBILE = 16
    NO_BESIEGER = 8
    NEAR_TARGET = 4


class MouthFilter(Codes):
    """Filters of armies for the Mouth of Sauron."""

    LACKS_LEADERS = 64
    MOBILE = 32
    NEAR_TARGET = 16


CLEAR_GAIN = 8
"""The least gain in rank for which a die is spent."""


@kernel
def _near_target(queller, region):
    goal = queller.target[region]
    return goal >= 0 and DISTANCE[region, goal] <= 1


@kernel
def _becomes_mobile(state, queller, region, more):
    """Whether this many more points of Leadership make the army of a region mobile."""
    goal = queller.target[region]
    if goal < 0 or queller.mobile[region]:
        return False
    units = int(state.units[region, Side.SHADOW])
    used = min(MAX_DICE, units)
    gain = max(0, min(used, leaders_at(queller, region) + more) - min(used, leaders_at(queller, region)))
    return queller.value[region] + gain >= way_strength(state, queller, region, goal)


@kernel
def witch_king_rank(state, queller, region):
    """The rank of a place for the Witch-king; higher is better."""
    if state.units[region, Side.SHADOW] == 0:
        return 0.0
    goal = queller.target[region]
    threat = beside_threat(state, queller, region)
    score = 1.0 + queller.value[region] / 16.0
    if threat >= 0:
        besieged = state.units[threat, Side.SHADOW] > 0
        score += WitchKingFilter.BESIEGED_BESIDE_THREAT if besieged else WitchKingFilter.BESIDE_THREAT
    if queller.mobile[region]:
        score += WitchKingFilter.MOBILE
    elif _becomes_mobile(state, queller, region, 2):
        score += WitchKingFilter.BECOMES_MOBILE
    if goal >= 0:
        nation = REGION_NATION[goal]
        if nation >= 0 and at_war(state, nation):
            score += WitchKingFilter.TARGET_AT_WAR
        if state.location[Character.GANDALF_WHITE] != goal:
            score += WitchKingFilter.TARGET_WITHOUT_GANDALF
        if state.location[Character.MERIADOC] != goal and state.location[Character.PEREGRIN] != goal:
            score += WitchKingFilter.TARGET_WITHOUT_HOBBITS
        if DISTANCE[region, goal] <= 1:
            score += WitchKingFilter.NEAR_TARGET
    if is_besieger(state, Side.SHADOW, region):
        score += WitchKingFilter.BESIEGER
    return score


@kernel
def nazgul_rank(state, queller, region, there):
    """The rank of a place for one more Nazgul, with ``there`` Nazgul already in it; higher is better."""
    score = 0.0
    if region == state.fellowship_region and state.mordor_step == 0 and there == 0:
        score += NazgulFilter.FELLOWSHIP
    units = int(state.units[region, Side.SHADOW])
    if units == 0:
        return score
    score += queller.value[region] / 16.0
    threat = beside_threat(state, queller, region)
    if threat >= 0:
        besieged = state.units[threat, Side.SHADOW] > 0
        score += NazgulFilter.BESIEGED_BESIDE_THREAT if besieged else NazgulFilter.BESIDE_THREAT
    led = leaders_at(queller, region) - int(state.leader[region, Nation.SAURON]) + there
    if led >= min(MAX_DICE, units):
        return score / 16.0
    score += NazgulFilter.LACKS_LEADERS
    if state.location[Character.WITCH_KING] == region:
        score += NazgulFilter.WITCH_KING
    if is_garrison(state, Side.SHADOW, region):
        score += NazgulFilter.GARRISON
    if queller.mobile[region]:
        score += NazgulFilter.MOBILE
    elif _becomes_mobile(state, queller, region, 1):
        score += NazgulFilter.BECOMES_MOBILE
    goal = queller.target[region]
    if goal >= 0:
        nation = REGION_NATION[goal]
        if nation >= 0 and state.active[nation] == 1:
            score += NazgulFilter.TARGET_ACTIVE
    if not is_besieger(state, Side.SHADOW, region):
        score += NazgulFilter.NO_BESIEGER
    if _near_target(queller, region):
        score += NazgulFilter.NEAR_TARGET
    return score


@kernel
def mouth_rank(state, queller, region):
    """The rank of a place for the Mouth of Sauron; higher is better."""
    units = int(state.units[region, Side.SHADOW])
    if units == 0:
        return 0.0
    score = 1.0 + queller.board.hits[Side.SHADOW, region] / 16.0
    if leaders_at(queller, region) < min(MAX_DICE, units):
        score += MouthFilter.LACKS_LEADERS
    if queller.mobile[region]:
        score += MouthFilter.MOBILE
    if _near_target(queller, region):
        score += MouthFilter.NEAR_TARGET
    return score


@kernel
def best_witch_king_place(state, queller):
    """The best rank of any army for the Witch-king."""
    best = 0.0
    for region in range(NUM_REGIONS):
        best = max(best, witch_king_rank(state, queller, region))
    return best


@kernel
def best_nazgul_place(state, queller):
    """The best rank of any region for one more Nazgul."""
    best = 0.0
    for region in range(NUM_REGIONS):
        best = max(best, nazgul_rank(state, queller, region, int(state.leader[region, Nation.SAURON])))
    return best


@kernel
def figures_gain(state, queller):
    """Whether moving Nazgul or the Witch-king improves a place by a whole filter."""
    home = int(state.location[Character.WITCH_KING])
    if (
        home >= 0
        and best_witch_king_place(state, queller) >= witch_king_rank(state, queller, home) + CLEAR_GAIN
    ):
        return True
    best = best_nazgul_place(state, queller)
    for region in range(NUM_REGIONS):
        there = int(state.leader[region, Nation.SAURON])
        if there > 0 and best >= nazgul_rank(state, queller, region, there - 1) + CLEAR_GAIN:
            return True
    return False


@kernel
def rank_minions_to_bring(scores):
    """D11: prefers Saruman, then the Witch-king, then the Mouth."""
    scores[Block.CHARACTER + Character.SARUMAN] = 1003.0
    scores[Block.CHARACTER + Character.WITCH_KING] = 1002.0
    scores[Block.CHARACTER + Character.MOUTH_OF_SAURON] = 1001.0


@kernel
def rank_minions(state, mask, scores, queller):
    """D16: moves Minions that gain a filter by moving, the Witch-king first; then ends."""
    best = best_nazgul_place(state, queller)
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            there = int(state.leader[region, Nation.SAURON])
            gain = best - nazgul_rank(state, queller, region, there - 1)
            scores[Block.REGION + region] = 1000.0 + 0.1 * gain if gain >= NazgulFilter.NEAR_TARGET else -10.0
    for character in range(Character.WITCH_KING, Character.SARUMAN):
        if mask[Block.CHARACTER + character]:
            home = int(state.location[character])
            if character == Character.WITCH_KING:
                gain = best_witch_king_place(state, queller) - witch_king_rank(state, queller, home)
            else:
                gain = MouthFilter.NEAR_TARGET - mouth_rank(state, queller, home)
            scores[Block.CHARACTER + character] = 2000.0 if gain >= CLEAR_GAIN else -10.0
    if mask[Block.VERB + Verb.DONE]:
        scores[Block.VERB + Verb.DONE] = 500.0


@kernel
def rank_minion_goals(state, mask, scores, queller):
    """D16: scores the destinations of the Nazgul, the Witch-king or the Mouth."""
    character = moving_minion(state)
    for region in range(NUM_REGIONS):
        if not mask[Block.REGION + region]:
            continue
        if character == Character.WITCH_KING:
            score = witch_king_rank(state, queller, region)
        elif character == Character.MOUTH_OF_SAURON:
            score = mouth_rank(state, queller, region)
        else:
            score = nazgul_rank(state, queller, region, int(state.leader[region, Nation.SAURON]))
        scores[Block.REGION + region] = 1000.0 + score


@kernel
def rank_entries(state, mask, scores, queller):
    """D11, D18: scores the regions where a Minion can enter."""
    witch_king = state.chosen_characters >> Character.WITCH_KING & 1
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            if witch_king == 1:
                rank = witch_king_rank(state, queller, region)
            else:
                rank = mouth_rank(state, queller, region)
            scores[Block.REGION + region] = 1000.0 + rank
