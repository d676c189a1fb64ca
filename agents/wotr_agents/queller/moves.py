"""The Queller-style Shadow's armies: how good a move or an attack is, and who takes part.

Inspired by the Queller bot by Quitch; written independently. A page of the procedure is a list of steps; here
each step is a thousand, and its successive filters are lower powers.
"""

from __future__ import annotations

from wotr_agents.kernels import kernel
from wotr_agents.queller.board import (
    FACTS_AT,
    FULL_ARMY,
    Fact,
    Mark,
    fact,
    is_aggressive,
    mark,
    marked_region,
    merged_value,
    toward,
    way_strength,
)
from wotr_agents.scripted.board import holds
from wotr_env.actions import Block
from wotr_env.codes import Figure, Nation, Settlement, Side, Verb
from wotr_env.components import (
    DISTANCE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    VICTORY_POINTS,
)
from wotr_env.rules.armies import END_NATION, FIRST_NATION, at_war, besieged, is_besieger, is_garrison
from wotr_env.rules.battle.attack import can_attack_from, is_target
from wotr_env.rules.figures import figure_action
from wotr_env.rules.movement import can_move_from, can_move_to, moving_from, moving_to, needed_on_move
from wotr_env.rules.parties import chosen_units
from wotr_env.rules.victory import SHADOW_POINTS, victory_points

NEVER = -1000.0
# Steps of moves.
TO_THREAT = 8000
TO_PREY = 7000
MARCH = 3000
DRIFT = 1000
# Steps of attacks.
ON_THREAT = 9000
WINNING = 7800
URGENT = 7600
FRESH = 7400
ON_WAY = 3500


@kernel
def beside_threat(state, work, region):
    """The weakest threat next to a region or in it, -1 if there is none."""
    best = region if mark(work, Mark.THREAT, region) > 0 else -1
    for i in range(NUM_NEIGHBOURS[region]):
        other = NEIGHBOURS[region, i]
        if mark(work, Mark.THREAT, other) > 0:
            if best < 0 or mark(work, Mark.DEFENCE, other) < mark(work, Mark.DEFENCE, best):
                best = other
    return best


@kernel
def _threat_move(state, work, origin, destination, value):
    """Towards an army that threatens a Stronghold, or into the Stronghold."""
    threat = beside_threat(state, work, destination)
    ready = beside_threat(state, work, origin)
    if threat >= 0 and value >= mark(work, Mark.DEFENCE, threat):
        if ready < 0 or mark(work, Mark.VALUE, origin) < mark(work, Mark.DEFENCE, ready):
            return TO_THREAT + 300 + value
    if mark(work, Mark.THREATENED, destination) > 0 and mark(work, Mark.THREATENED, origin) == 0:
        return TO_THREAT + 200 + value
    if mark(work, Mark.MOBILE, origin) > 0 and marked_region(work, Mark.NEXT, origin) == destination:
        for army in range(NUM_REGIONS):
            if mark(work, Mark.THREAT, army) > 0 and DISTANCE[destination, army] < DISTANCE[origin, army]:
                return TO_THREAT + 100 + mark(work, Mark.VALUE, origin)
    return NEVER


@kernel
def _join_move(state, work, origin, destination, value):
    """Two armies become one that is mobile, or a better one."""
    both = int(state.units[origin, Side.SHADOW]) + int(state.units[destination, Side.SHADOW])
    if both > FULL_ARMY or is_besieger(state, Side.SHADOW, origin):
        return NEVER
    target = marked_region(work, Mark.TARGET, destination)
    mine = marked_region(work, Mark.TARGET, origin)
    if target < 0 or mine < 0:
        return NEVER
    moving = mark(work, Mark.MOBILE, origin) + mark(work, Mark.MOBILE, destination)
    if mark(work, Mark.MOBILE, origin) > 0 or DISTANCE[destination, mine] > DISTANCE[origin, mine]:
        return NEVER
    if moving == 0 and value < way_strength(state, work, destination, target):
        return NEVER
    score = 4000.0 if moving > 0 else 4500.0
    if DISTANCE[destination, mine] < DISTANCE[origin, mine]:
        score += 200
    if SETTLEMENT[destination] == Settlement.STRONGHOLD:
        score += 1
    return score + 4 * value + min(20, DISTANCE[origin, mine])


@kernel
def _march(state, work, origin, destination):
    """A mobile army goes on towards its target."""
    if mark(work, Mark.MOBILE, origin) == 0 or marked_region(work, Mark.NEXT, origin) != destination:
        return NEVER
    target = marked_region(work, Mark.TARGET, origin)
    nation = REGION_NATION[target]
    score = MARCH + mark(work, Mark.VALUE, origin) + 2 * (9 - mark(work, Mark.RANK, target))
    if DISTANCE[destination, target] <= 1:
        score += 320
    if nation >= 0 and at_war(state, nation):
        score += 160
    entered = REGION_NATION[destination]
    if REGION_SIDE[destination] != Side.FREE_PEOPLES or state.active[entered] == 1:
        score += 80
    return score


@kernel
def _drift(state, work, origin, destination, value):
    """Without any mobile army: towards the target, best together with others."""
    target = marked_region(work, Mark.TARGET, origin)
    if fact(work, Fact.MOBILES) > 0 or target < 0 or is_besieger(state, Side.SHADOW, origin):
        return NEVER
    if DISTANCE[destination, target] >= DISTANCE[origin, target]:
        return NEVER
    score = DRIFT + 10.0 * value
    if state.units[target, Side.SHADOW] > 0:
        score += 8
    for i in range(NUM_NEIGHBOURS[destination]):
        other = NEIGHBOURS[destination, i]
        if other != origin and state.units[other, Side.SHADOW] > 0:
            score += 4
            break
    return score


@kernel
def move_rank(state, work, origin, destination):
    """The place of a move on the Army page; ``NEVER`` for moves that the procedure does not make."""
    units = int(state.units[origin, Side.SHADOW])
    if units <= mark(work, Mark.GUARD, origin) or is_garrison(state, Side.SHADOW, origin):
        return NEVER
    if is_besieger(state, Side.SHADOW, origin) and mark(work, Mark.MOBILE, origin) > 0:
        return NEVER
    joined = state.units[destination, Side.SHADOW] > 0
    value = int(mark(work, Mark.VALUE, origin))
    if joined:
        value = merged_value(state, work, origin, destination)
    best = NEVER
    if fact(work, Fact.THREATS) > 0:
        best = _threat_move(state, work, origin, destination, value)
    prey = marked_region(work, Mark.PREY, origin)
    if prey >= 0 and DISTANCE[destination, prey] < DISTANCE[origin, prey]:
        if best < TO_PREY and toward(state, work, origin, prey, 1) == destination:
            best = TO_PREY + 20.0 * (20 - DISTANCE[origin, prey]) + VICTORY_POINTS[prey]
    target = marked_region(work, Mark.TARGET, origin)
    farther = target >= 0 and DISTANCE[destination, target] > DISTANCE[origin, target]
    if (
        destination == state.fellowship_region
        and state.mordor_step == 0
        and state.hunt_box[Side.SHADOW] > 0
        and not joined
        and not farther
    ):
        best = max(best, 5500.0 + mark(work, Mark.VALUE, origin))
    if is_walkover(state, destination):
        best = max(best, 5400.0 + 20.0 * VICTORY_POINTS[destination] + (0.0 if farther else 10.0))
    if joined:
        best = max(best, _join_move(state, work, origin, destination, value))
    best = max(best, _march(state, work, origin, destination))
    return max(best, _drift(state, work, origin, destination, value))


@kernel
def is_walkover(state, region):
    """An empty enemy Settlement of a nation at war."""
    if SETTLEMENT[region] == Settlement.NONE or state.units[region, Side.FREE_PEOPLES] > 0:
        return False
    return holds(state, Side.FREE_PEOPLES, region) and at_war(state, REGION_NATION[region])


@kernel
def attack_rank(state, work, origin, target):
    """The place of an attack in the procedure; ``NEVER`` for attacks it does not make."""
    enemy = mark(work, Mark.DEFENCE, target)
    strong = mark(work, Mark.WAR_VALUE, origin)
    if is_garrison(state, Side.SHADOW, origin):
        strong = strong // 2
    if strong <= 0:
        return NEVER
    if strong < enemy and not (
        is_aggressive(state, work, origin, int(enemy)) or mark(work, Mark.MOBILE, origin) > 0
    ):
        return NEVER
    if strong < enemy and state.units[origin, Side.SHADOW] < FULL_ARMY:
        return NEVER
    nation = REGION_NATION[target]
    war = nation >= 0 and at_war(state, nation)
    siege = besieged(state, target)
    score = strong
    if war:
        score += 100  # such an attack puts no nation to war either
    elif nation >= 0 and state.active[nation] == 1 and REGION_SIDE[target] == Side.FREE_PEOPLES:
        score += 50
    if mark(work, Mark.THREAT, target) > 0:
        return ON_THREAT + score
    if mark(work, Mark.RANK, target) == 0 and marked_region(work, Mark.TARGET, origin) != target:
        return ON_WAY + score if marked_region(work, Mark.NEXT, origin) == target else NEVER
    if holds(state, Side.FREE_PEOPLES, target):
        if victory_points(state, Side.SHADOW) + VICTORY_POINTS[target] >= SHADOW_POINTS:
            return WINNING + score
    if state.mordor_step > 0 or (war and not siege):
        return URGENT + score
    return ON_WAY + score if siege else FRESH + score


@kernel
def best_attack_of(state, work, origin):
    """The best attack of an army."""
    best = NEVER
    if is_target(state, Side.SHADOW, origin, origin):
        best = attack_rank(state, work, origin, origin)
    for i in range(NUM_NEIGHBOURS[origin]):
        target = NEIGHBOURS[origin, i]
        if is_target(state, Side.SHADOW, origin, target):
            best = max(best, attack_rank(state, work, origin, target))
    return best


@kernel
def best_move_of(state, work, origin, need):
    """The best legal move of an army."""
    best = NEVER
    for i in range(NUM_NEIGHBOURS[origin]):
        region = NEIGHBOURS[origin, i]
        rank = move_rank(state, work, origin, region)
        if rank > best and can_move_to(state, Side.SHADOW, origin, region, need):
            best = rank
    return best


@kernel
def read_actions(state, work):
    """Finds the best attack and the best move of any army, and of one with a leader."""
    for need in range(2):
        attack = NEVER
        move = NEVER
        for region in range(NUM_REGIONS):
            if state.units[region, Side.SHADOW] == 0:
                continue
            if can_attack_from(state, Side.SHADOW, region, need):
                attack = max(attack, best_attack_of(state, work, region))
            if can_move_from(state, Side.SHADOW, region, need):
                move = max(move, best_move_of(state, work, region, need))
        work[FACTS_AT + Fact.ATTACK + need] = attack
        work[FACTS_AT + Fact.MOVE + need] = move


@kernel
def rank_origins(state, mask, scores, work):
    """D13: the army with the best move; enough if none is left, else as scripted."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            rank = best_move_of(state, work, region, needed_on_move(state))
            if rank > NEVER:
                scores[Block.REGION + region] = rank
    if mask[Block.VERB + Verb.DONE]:
        scores[Block.VERB + Verb.DONE] = 500.0


@kernel
def rank_destinations(state, mask, scores, work):
    """D13: where the army goes."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            rank = move_rank(state, work, moving_from(state), region)
            if rank > NEVER:
                scores[Block.REGION + region] = rank


@kernel
def rank_attackers(state, mask, scores, work):
    """D14: the army with the best attack."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            rank = best_attack_of(state, work, region)
            if rank > NEVER:
                scores[Block.REGION + region] = rank


@kernel
def rank_targets(state, mask, scores, work):
    """D14: whom it attacks."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            rank = attack_rank(state, work, int(state.battle_origin), region)
            if rank > NEVER:
                scores[Block.REGION + region] = rank


@kernel
def rank_party(state, mask, scores, origin, keep, nazgul_stay):
    """The whole army, but for units, and a Nazgul, that stay."""
    side = int(state.seat)
    picked = chosen_units(state)
    spare = int(state.units[origin, side]) - picked - keep
    whole = keep == 0 and nazgul_stay == 0
    if mask[Block.VERB + Verb.WHOLE_ARMY]:
        scores[Block.VERB + Verb.WHOLE_ARMY] = 2000.0 if whole else -500.0
    if mask[Block.VERB + Verb.DONE]:
        scores[Block.VERB + Verb.DONE] = 1000.0
    if mask[Block.VERB + Verb.DECLINE]:
        scores[Block.VERB + Verb.DECLINE] = 0.0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        first = figure_action(nation, Figure.REGULAR)
        if mask[first + Figure.ELITE]:
            scores[first + Figure.ELITE] = 1500.0 if spare > 0 or picked == 0 else 500.0
        if mask[first + Figure.REGULAR]:
            scores[first + Figure.REGULAR] = 1400.0 if spare > 0 or picked == 0 else 500.0
        if mask[first + Figure.LEADER]:
            left = 0
            if nation == Nation.SAURON:
                left = int(state.leader[origin, nation]) - int(state.chosen_leader[nation])
            scores[first + Figure.LEADER] = 500.0 if nazgul_stay and left == 1 else 1600.0
    for action in range(Block.CHARACTER, Block.NATION):
        if mask[action]:
            scores[action] = 1600.0


@kernel
def rank_movers(state, mask, scores, work):
    """D13: who goes: one unit for an empty Settlement out of the way, else all but a guard."""
    origin = moving_from(state)
    destination = moving_to(state)
    keep = int(mark(work, Mark.GUARD, origin))
    rank = move_rank(state, work, origin, destination)
    target = marked_region(work, Mark.TARGET, origin)
    if 5400.0 <= rank < 5500.0 and target >= 0:
        if DISTANCE[destination, target] > DISTANCE[origin, target]:
            keep = max(keep, int(state.units[origin, Side.SHADOW]) - 1)
    hunted = origin == state.fellowship_region and state.hunt_box[Side.SHADOW] > 0
    rank_party(state, mask, scores, origin, keep, 1 if hunted and state.mordor_step == 0 else 0)


@kernel
def rank_victors(state, mask, scores, work):
    """D24: they go on if that brings them nearer to a target, takes a Settlement, or ends a threat."""
    origin = int(state.battle_origin)
    target = int(state.battle_target)
    goal = marked_region(work, Mark.TARGET, origin)
    useful = holds(state, Side.FREE_PEOPLES, target) or mark(work, Mark.THREAT, target) > 0
    if goal >= 0 and DISTANCE[target, goal] < DISTANCE[origin, goal]:
        useful = True
    rank_party(state, mask, scores, origin, int(mark(work, Mark.GUARD, origin)), 0)
    if mask[Block.VERB + Verb.DECLINE] and not useful:
        scores[Block.VERB + Verb.DECLINE] = 5000.0
