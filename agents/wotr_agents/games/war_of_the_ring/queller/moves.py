"""The armies of the Queller-style Shadow: the ranks of moves and attacks, and the units that take part.

Inspired by the Queller bot by Quitch; written independently. A page of the procedure is a list of steps. The
rank of an action is the number of its step plus the value of the successive filters of the step.
"""

from __future__ import annotations

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.queller.board import (
    FULL_ARMY,
    is_aggressive,
    merged_value,
    toward,
    way_strength,
)
from wotr_agents.games.war_of_the_ring.queller.reading import NOWHERE, TargetRank
from wotr_agents.games.war_of_the_ring.scripted.armies import room_to_join
from wotr_agents.games.war_of_the_ring.scripted.board import holds
from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Figure, Nation, Settlement, Side, Verb
from wotr_env.games.war_of_the_ring.components import (
    DISTANCE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.rules.armies import (
    END_NATION,
    FIRST_NATION,
    UNLIMITED,
    at_war,
    besieged,
    is_besieger,
    is_garrison,
)
from wotr_env.games.war_of_the_ring.rules.battle.attack import can_attack_from, is_target
from wotr_env.games.war_of_the_ring.rules.chosen import chosen_units
from wotr_env.games.war_of_the_ring.rules.figures import figure_action
from wotr_env.games.war_of_the_ring.rules.movement import (
    can_move_from,
    can_move_to,
    moving_from,
    moving_to,
    needed_on_move,
)
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.rules.victory import SHADOW_POINTS, victory_points

NEVER = -1000.0
"""The rank of an action that the procedure does not take."""

_RANKS = len(TargetRank)


class MoveStep(Codes):
    """The steps that move armies."""

    TO_THREAT = 8000  # towards an army that threatens a Stronghold, or into the Stronghold
    TO_PREY = 7000  # towards an undefended target
    TO_FELLOWSHIP = 5500
    WALKOVER = 5400  # into an empty enemy Settlement
    JOIN = 4000  # another army
    MARCH = 3000  # a mobile army, towards its target
    DRIFT = 1000  # any army, towards its target


class AttackStep(Codes):
    """The steps that attack."""

    ON_THREAT = 9000  # on an army that threatens a Stronghold
    WINNING = 7800  # brings the points that win the game
    URGENT = 7600  # with the Fellowship in Mordor, or on a nation at war
    FRESH = 7400  # on a nation not yet at war
    ON_WAY = 3500  # of a siege, or on whoever is in the way


@kernel
def beside_threat(state, queller, region):
    """The weakest threat in a region or next to it; ``NOWHERE`` if there is none."""
    best = region if queller.threatens[region] else NOWHERE
    for i in range(NUM_NEIGHBOURS[region]):
        other = NEIGHBOURS[region, i]
        if queller.threatens[other]:
            if best < 0 or queller.defence[other] < queller.defence[best]:
                best = other
    return best


@kernel
def _threat_move(state, queller, origin, destination, value):
    """The rank of a move towards an army that threatens a Stronghold, or into the Stronghold."""
    threat = beside_threat(state, queller, destination)
    ready = beside_threat(state, queller, origin)
    if threat >= 0 and value >= queller.defence[threat]:
        if ready < 0 or queller.value[origin] < queller.defence[ready]:
            return MoveStep.TO_THREAT + 300 + value
    if queller.threatened[destination] and not queller.threatened[origin]:
        return MoveStep.TO_THREAT + 200 + value
    if queller.mobile[origin] and queller.next_step[origin] == destination:
        for army in range(NUM_REGIONS):
            if queller.threatens[army] and DISTANCE[destination, army] < DISTANCE[origin, army]:
                return MoveStep.TO_THREAT + 100 + queller.value[origin]
    return NEVER


@kernel
def _prey_move(state, queller, origin, destination):
    """The rank of a move of the nearest army to an undefended target."""
    prey = queller.prey[origin]
    if prey < 0 or DISTANCE[destination, prey] >= DISTANCE[origin, prey]:
        return NEVER
    if toward(state, queller, origin, prey, True) != destination:
        return NEVER
    return MoveStep.TO_PREY + 20.0 * (20 - DISTANCE[origin, prey]) + VICTORY_POINTS[prey]


@kernel
def _detour(state, queller, origin, destination):
    """The rank of a move into the Fellowship's region, or into an empty Settlement."""
    target = queller.target[origin]
    farther = target >= 0 and DISTANCE[destination, target] > DISTANCE[origin, target]
    best = NEVER
    if destination == state.fellowship_region and state.mordor_step == 0 and state.hunt_box[Side.SHADOW] > 0:
        if state.units[destination, Side.SHADOW] == 0 and not farther:
            best = float(MoveStep.TO_FELLOWSHIP + queller.value[origin])
    if is_walkover(state, destination):
        nearer = 0.0 if farther else 10.0
        best = max(best, MoveStep.WALKOVER + 20.0 * VICTORY_POINTS[destination] + nearer)
    return best


@kernel
def _join_move(state, queller, origin, destination, value):
    """The rank of a move that merges two armies into one that is mobile, or into a better one."""
    both = queller.board.own_units[origin] + int(state.units[destination, Side.SHADOW])
    if both > FULL_ARMY or is_besieger(state, Side.SHADOW, origin):
        return NEVER
    target = queller.target[destination]
    mine = queller.target[origin]
    if target < 0 or mine < 0:
        return NEVER
    if queller.mobile[origin] or DISTANCE[destination, mine] > DISTANCE[origin, mine]:
        return NEVER
    if not queller.mobile[destination] and value < way_strength(state, queller, destination, target):
        return NEVER
    score = MoveStep.JOIN + (0.0 if queller.mobile[destination] else 500.0)
    if DISTANCE[destination, mine] < DISTANCE[origin, mine]:
        score += 200
    if SETTLEMENT[destination] == Settlement.STRONGHOLD:
        score += 1
    return score + 4 * value + min(20, DISTANCE[origin, mine])


@kernel
def _march(state, queller, origin, destination):
    """The rank of a move of a mobile army towards its target."""
    if not queller.mobile[origin] or queller.next_step[origin] != destination:
        return NEVER
    target = queller.target[origin]
    nation = REGION_NATION[target]
    score = MoveStep.MARCH + queller.value[origin] + 2 * (_RANKS - queller.rank[target])
    if DISTANCE[destination, target] <= 1:
        score += 320
    if nation >= 0 and at_war(state, nation):
        score += 160
    entered = REGION_NATION[destination]
    if REGION_SIDE[destination] != Side.FREE_PEOPLES or state.active[entered] == 1:
        score += 80
    return score


@kernel
def _drift(state, queller, origin, destination, value):
    """The rank of a move towards the target if no army is mobile; merging with others is best."""
    target = queller.target[origin]
    if queller.mobiles > 0 or target < 0 or is_besieger(state, Side.SHADOW, origin):
        return NEVER
    if DISTANCE[destination, target] >= DISTANCE[origin, target]:
        return NEVER
    score = MoveStep.DRIFT + 10.0 * value
    if state.units[target, Side.SHADOW] > 0:
        score += 8
    for i in range(NUM_NEIGHBOURS[destination]):
        other = NEIGHBOURS[destination, i]
        if other != origin and state.units[other, Side.SHADOW] > 0:
            score += 4
            break
    return score


@kernel
def move_rank(state, queller, origin, destination):
    """The rank of a move, ``NEVER`` if the procedure does not make it."""
    units = queller.board.own_units[origin]
    if units <= queller.guard[origin] or is_garrison(state, Side.SHADOW, origin):
        return NEVER
    if is_besieger(state, Side.SHADOW, origin) and queller.mobile[origin]:
        return NEVER
    if room_to_join(state, Side.SHADOW, destination) < 1:
        return NEVER
    joined = state.units[destination, Side.SHADOW] > 0
    value = queller.value[origin]
    if joined:
        value = merged_value(state, queller, origin, destination)
    best = NEVER
    if queller.threats > 0:
        best = _threat_move(state, queller, origin, destination, value)
    best = max(best, _prey_move(state, queller, origin, destination))
    best = max(best, _detour(state, queller, origin, destination))
    if joined:
        best = max(best, _join_move(state, queller, origin, destination, value))
    best = max(best, _march(state, queller, origin, destination))
    return max(best, _drift(state, queller, origin, destination, value))


@kernel
def is_walkover(state, region):
    """Whether a region has an enemy Settlement without an army, of a nation at war."""
    if SETTLEMENT[region] == Settlement.NONE or state.units[region, Side.FREE_PEOPLES] > 0:
        return False
    return holds(state, Side.FREE_PEOPLES, region) and at_war(state, REGION_NATION[region])


@kernel
def attack_rank(state, queller, origin, target):
    """The rank of an attack, ``NEVER`` if the procedure does not make it."""
    enemy = queller.defence[target]
    strong = queller.war_value[origin]
    if is_garrison(state, Side.SHADOW, origin):
        strong = strong // 2
    if strong <= 0:
        return NEVER
    if strong < enemy and not (is_aggressive(state, queller, origin, enemy) or queller.mobile[origin]):
        return NEVER
    if strong < enemy and queller.board.own_units[origin] < FULL_ARMY:
        return NEVER
    nation = REGION_NATION[target]
    war = nation >= 0 and at_war(state, nation)
    siege = besieged(state, target)
    score = strong
    if war:
        score += 100  # such an attack puts no nation to war either
    elif nation >= 0 and state.active[nation] == 1 and REGION_SIDE[target] == Side.FREE_PEOPLES:
        score += 50
    if queller.threatens[target]:
        return AttackStep.ON_THREAT + score
    if queller.rank[target] == TargetRank.NONE and queller.target[origin] != target:
        return AttackStep.ON_WAY + score if queller.next_step[origin] == target else NEVER
    if holds(state, Side.FREE_PEOPLES, target):
        if victory_points(state, Side.SHADOW) + VICTORY_POINTS[target] >= SHADOW_POINTS:
            return AttackStep.WINNING + score
    if state.mordor_step > 0 or (war and not siege):
        return AttackStep.URGENT + score
    return AttackStep.ON_WAY + score if siege else AttackStep.FRESH + score


@kernel
def best_attack_of(state, queller, origin):
    """The rank of the best attack of an army."""
    best = NEVER
    if is_target(state, Side.SHADOW, origin, origin):
        best = attack_rank(state, queller, origin, origin)
    for i in range(NUM_NEIGHBOURS[origin]):
        target = NEIGHBOURS[origin, i]
        if is_target(state, Side.SHADOW, origin, target):
            best = max(best, attack_rank(state, queller, origin, target))
    return best


@kernel
def best_move_of(state, queller, origin, need):
    """The rank of the best legal move of an army."""
    best = NEVER
    for i in range(NUM_NEIGHBOURS[origin]):
        region = NEIGHBOURS[origin, i]
        rank = move_rank(state, queller, origin, region)
        if rank > best and can_move_to(state, Side.SHADOW, origin, region, need):
            best = rank
    return best


@kernel
def read_actions(state, queller):
    """Finds the best attack and the best move of any army, and of any army with a leader."""
    for need in range(2):
        attack = NEVER
        move = NEVER
        for region in range(NUM_REGIONS):
            if queller.board.own_units[region] == 0:
                continue
            if can_attack_from(state, Side.SHADOW, region, need):
                attack = max(attack, best_attack_of(state, queller, region))
            if can_move_from(state, Side.SHADOW, region, need):
                move = max(move, best_move_of(state, queller, region, need))
        queller.best_attack[need] = attack
        queller.best_move[need] = move


@kernel
def rank_origins(state, mask, scores, queller):
    """D13: prefers the army with the best move; ends if there is none, otherwise follows the scripted
    policy."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            rank = best_move_of(state, queller, region, needed_on_move(state))
            if rank > NEVER:
                scores[Block.REGION + region] = rank
    if mask[Block.VERB + Verb.DONE]:
        scores[Block.VERB + Verb.DONE] = 500.0


@kernel
def rank_destinations(state, mask, scores, queller):
    """D13: scores the destinations of the army."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            rank = move_rank(state, queller, moving_from(state), region)
            if rank > NEVER:
                scores[Block.REGION + region] = rank


@kernel
def rank_attackers(state, mask, scores, queller):
    """D14: prefers the army with the best attack."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            rank = best_attack_of(state, queller, region)
            if rank > NEVER:
                scores[Block.REGION + region] = rank


@kernel
def rank_targets(state, mask, scores, queller):
    """D14: scores the targets of the attack."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            rank = attack_rank(state, queller, int(state.battle_origin), region)
            if rank > NEVER:
                scores[Block.REGION + region] = rank


@kernel
def rank_party(state, mask, scores, queller, origin, guard, nazgul_stay, room):
    """Selects the whole army, except for ``guard`` units, a Nazgul if it stays, and units without room."""
    side = deciding_side(state)
    own = queller.board.own_units[origin]
    keep = max(guard, own - max(1, room))
    picked = chosen_units(state)
    spare = own - picked - keep
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
def rank_attacking_figures(state, mask, scores, queller):
    """D14: attacks with all figures."""
    rank_party(state, mask, scores, queller, int(state.battle_origin), 0, 0, UNLIMITED)


@kernel
def rank_movers(state, mask, scores, queller):
    """D13: moves one unit into an empty Settlement that is off the way, otherwise the army except for a
    guard."""
    origin = moving_from(state)
    destination = moving_to(state)
    keep = queller.guard[origin]
    rank = move_rank(state, queller, origin, destination)
    target = queller.target[origin]
    if MoveStep.WALKOVER <= rank < MoveStep.TO_FELLOWSHIP and target >= 0:
        if DISTANCE[destination, target] > DISTANCE[origin, target]:
            keep = max(keep, queller.board.own_units[origin] - 1)
    hunted = origin == state.fellowship_region and state.hunt_box[Side.SHADOW] > 0
    stays = 1 if hunted and state.mordor_step == 0 else 0
    room = room_to_join(state, Side.SHADOW, destination)
    rank_party(state, mask, scores, queller, origin, keep, stays, room)


@kernel
def rank_victors(state, mask, scores, queller):
    """D24: advances if this brings the army nearer to a target, takes a Settlement, or ends a threat."""
    origin = int(state.battle_origin)
    target = int(state.battle_target)
    goal = queller.target[origin]
    useful = holds(state, Side.FREE_PEOPLES, target) or queller.threatens[target]
    if goal >= 0 and DISTANCE[target, goal] < DISTANCE[origin, goal]:
        useful = True
    guard = queller.guard[origin]
    room = room_to_join(state, Side.SHADOW, target)
    rank_party(state, mask, scores, queller, origin, guard, 0, room)
    if mask[Block.VERB + Verb.DECLINE] and not useful:
        scores[Block.VERB + Verb.DECLINE] = 5000.0
