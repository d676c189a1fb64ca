"""Scores of moving armies, of attacks, and of the choices inside battles."""

from __future__ import annotations

from wotr_agents.kernels import kernel
from wotr_agents.scripted.board import (
    Plane,
    army_hits,
    at,
    battle_kind,
    holds,
    nearness,
    weigh,
    win_chance,
)
from wotr_agents.scripted.odds import ASSAULT, FIELD
from wotr_agents.scripted.weights import Weight
from wotr_env.actions import Block
from wotr_env.codes import BattleKind, Decision, Figure, Nation, Settlement, Side, Verb
from wotr_env.components import (
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_SIDE,
    SETTLEMENT,
    VICTORY_POINTS,
)
from wotr_env.rules.armies import (
    END_NATION,
    FIELD_LIMIT,
    FIRST_NATION,
    besieged,
    casualty_region,
    trim_region,
)
from wotr_env.rules.battle.attack import can_attack_from, is_target
from wotr_env.rules.battle.strength import fighting_units, leadership
from wotr_env.rules.figures import figure_action, kind_of_figure, nation_of_figure
from wotr_env.rules.movement import can_move_from, can_move_to, moving_from
from wotr_env.rules.parties import chosen_units

GUARD_RANGE = 2
GOOD_CHANCE = 0.62
"""An attack is worth while from this chance of victory on."""


@kernel
def points_matter(work, side):
    """How much a victory point counts for a side: more the nearer it is to its goal."""
    return 1.0 + 2.0 * nearness(work, side)


@kernel
def _guard_needed(state, side, region, work):
    """Whether a Settlement must not be left empty."""
    return VICTORY_POINTS[region] > 0 and holds(state, side, region) and at(work, Plane.THREAT, region) > 0


@kernel
def _move_gain(state, side, origin, destination, work):
    """What a move of an army is worth if the enemy lets it."""
    hits = at(work, side, origin)
    score = (
        weigh(work, Weight.PULL)
        * (at(work, Plane.PULL, destination) - at(work, Plane.PULL, origin))
        * min(1.0, hits / 6.0)
    )
    if not holds(state, side, destination) and SETTLEMENT[destination] != Settlement.NONE:
        empty = state.units[destination, 1 - side] == 0
        points = float(VICTORY_POINTS[destination])
        if empty:
            score += 6.0 + weigh(work, Weight.CAPTURE) * points * points_matter(work, side)
            if REGION_SIDE[destination] == side:
                score += 8.0
    joined = at(work, side, destination)
    if joined > 0 and state.units[origin, side] + state.units[destination, side] <= FIELD_LIMIT:
        score += weigh(work, Weight.JOIN)
    if _guard_needed(state, side, origin, work) and state.units[origin, side] == 1:
        score -= weigh(work, Weight.LEAVE) * (1.0 + VICTORY_POINTS[origin])
    if _guard_needed(state, side, destination, work) and joined == 0:
        score += weigh(work, Weight.GUARD) * (1.0 + VICTORY_POINTS[destination])
    return score


@kernel
def _exposure(state, side, origin, destination, work):
    """What a move costs since a stronger enemy is next to its end."""
    if SETTLEMENT[destination] == Settlement.STRONGHOLD:
        return 0.0
    enemy = 0.0
    for i in range(NUM_NEIGHBOURS[destination]):
        other = NEIGHBOURS[destination, i]
        if not besieged(state, other):
            enemy = max(enemy, at(work, 1 - side, other))
    own = at(work, side, origin) + at(work, side, destination)
    return weigh(work, Weight.EXPOSED) * min(6.0, enemy - own) if enemy > 1.5 * own else 0.0


@kernel
def move_score(state, side, origin, destination, work):
    """What a move of an army is worth, in units of an action that is of some use (10)."""
    gain = _move_gain(state, side, origin, destination, work)
    return gain - _exposure(state, side, origin, destination, work)


@kernel
def attack_chance(state, side, origin, target, work, odds):
    """The chance that the whole army of a region wins against the army of another."""
    enemy = 1 - side
    return win_chance(
        odds,
        battle_kind(state, side, origin, target),
        int(at(work, side, origin)),
        int(state.units[origin, side]),
        int(at(work, Plane.LEADERSHIP_FREE_PEOPLES + side, origin)),
        int(at(work, enemy, target)),
        int(state.units[target, enemy]),
        int(at(work, Plane.LEADERSHIP_FREE_PEOPLES + enemy, target)),
    )


@kernel
def attack_score(state, side, origin, target, work, odds):
    """What an attack is worth."""
    chance = attack_chance(state, side, origin, target, work, odds)
    points = 0.0
    if not holds(state, side, target):
        points = float(VICTORY_POINTS[target])
    gain = weigh(work, Weight.ATTACK_BASE) + 0.8 * at(work, 1 - side, target)
    gain += weigh(work, Weight.ATTACK_POINTS) * points * points_matter(work, side)
    gain += 8.0 * max(0.0, at(work, Plane.PULL, target) - at(work, Plane.PULL, origin))
    loss = weigh(work, Weight.ATTACK_LOSS) * at(work, side, origin)
    if holds(state, side, origin):
        loss += 10.0 * VICTORY_POINTS[origin]
    if chance < 0.35:
        return -5.0 - loss * (1.0 - chance)
    return chance * gain - (1.0 - chance) * loss


@kernel
def _may_act(state, side, origin, need, work):
    """Whether there is an army, led if need be: a cheap question before dear ones."""
    led = need == 0 or at(work, Plane.LEADERSHIP_FREE_PEOPLES + side, origin) > 0
    return led and state.units[origin, side] > 0


@kernel
def best_move(state, side, need, work):
    """The best score of a move that is possible now (R7.5); dear questions are asked of good moves only."""
    best = -50.0
    for origin in range(NUM_REGIONS):
        if not _may_act(state, side, origin, need, work):
            continue
        for i in range(NUM_NEIGHBOURS[origin]):
            destination = NEIGHBOURS[origin, i]
            score = _move_gain(state, side, origin, destination, work)
            if score <= best:
                continue
            score -= _exposure(state, side, origin, destination, work)
            if score <= best or not can_move_to(state, side, origin, destination, need):
                continue
            if can_move_from(state, side, origin, need):
                best = score
    return best


@kernel
def best_attack(state, side, need, work, odds):
    """The best score of an attack that is possible now (R7.8)."""
    best = -50.0
    for origin in range(NUM_REGIONS):
        if _may_act(state, side, origin, need, work):
            score = best_attack_from(state, side, origin, work, odds)
            if score > best and can_attack_from(state, side, origin, need):
                best = score
    return best


@kernel
def best_attack_from(state, side, origin, work, odds):
    """The best score of an attack by one army."""
    best = -50.0
    if is_target(state, side, origin, origin):
        best = attack_score(state, side, origin, origin, work, odds)
    for i in range(NUM_NEIGHBOURS[origin]):
        target = NEIGHBOURS[origin, i]
        if is_target(state, side, origin, target):
            best = max(best, attack_score(state, side, origin, target, work, odds))
    return best


@kernel
def score_origin(state, side, mask, scores, work):
    """D13: the army with the best move; enough if none is worth it."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            best = -50.0
            for i in range(NUM_NEIGHBOURS[region]):
                destination = NEIGHBOURS[region, i]
                gain = _move_gain(state, side, region, destination, work)
                if gain > best:
                    best = max(best, gain - _exposure(state, side, region, destination, work))
            scores[Block.REGION + region] = best
    scores[Block.VERB + Verb.DONE] = 1.0


@kernel
def score_destination(state, side, mask, scores, work):
    """D13: where the army goes."""
    origin = moving_from(state)
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            scores[Block.REGION + region] = move_score(state, side, origin, region, work)


@kernel
def score_party(state, side, mask, scores, origin, guard):
    """D13, D14, D24: the whole army, but for a guard of one Regular where it is needed."""
    scores[Block.VERB + Verb.WHOLE_ARMY] = 1.0 if guard else 10.0
    scores[Block.VERB + Verb.DECLINE] = 0.0
    left = int(state.units[origin, side]) - chosen_units(state)
    keep = 1 if guard else 0
    scores[Block.VERB + Verb.DONE] = 6.0 if left <= keep else 2.0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if left > keep:
            scores[figure_action(nation, Figure.ELITE)] = 8.0
            scores[figure_action(nation, Figure.REGULAR)] = 7.0
        scores[figure_action(nation, Figure.LEADER)] = 9.0 if left > keep else 6.5
    for character in range(Block.CHARACTER, Block.NATION):
        if mask[character]:
            scores[character] = 9.0


@kernel
def score_move_figures(state, side, mask, scores, work):
    """D13: who goes."""
    origin = moving_from(state)
    score_party(state, side, mask, scores, origin, _guard_needed(state, side, origin, work))


@kernel
def score_attack_origin(state, side, mask, scores, work, odds):
    """D14: the army with the best attack."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            scores[Block.REGION + region] = best_attack_from(state, side, region, work, odds)


@kernel
def score_attack_target(state, side, mask, scores, work, odds):
    """D14: whom it attacks."""
    origin = int(state.battle_origin)
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            scores[Block.REGION + region] = attack_score(state, side, origin, region, work, odds)


# --- Inside a battle. ---


@kernel
def _party_hits(state, side):
    hits = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        hits += int(state.party_regular[nation]) + 2 * int(state.party_elite[nation])
    return hits


@kernel
def battle_chance(state, side, odds):
    """The chance of a side to win the battle being fought, if it is fought to the end."""
    attacker = int(state.battle_attacker)
    enemy = 1 - attacker
    kind = ASSAULT if state.battle_kind == BattleKind.ASSAULT else FIELD
    chance = win_chance(
        odds,
        kind,
        _party_hits(state, attacker),
        fighting_units(state, attacker),
        leadership(state, attacker),
        army_hits(state, enemy, int(state.battle_target)),
        fighting_units(state, enemy),
        leadership(state, enemy),
    )
    return chance if side == attacker else 1.0 - chance


@kernel
def score_cease(state, side, scores, work, odds):
    """D26: go on while the odds are good."""
    chance = battle_chance(state, side, odds)
    points = VICTORY_POINTS[int(state.battle_target)]
    scores[Block.VERB + Verb.CONTINUE] = chance + 0.08 * points
    scores[Block.VERB + Verb.CEASE] = weigh(work, Weight.GO_ON)


@kernel
def score_retreat(state, side, mask, scores, work, odds):
    """D27: stay while the odds are good, or where points would be lost."""
    target = int(state.battle_target)
    chance = battle_chance(state, side, odds)
    if holds(state, side, target):
        chance += 0.15 * VICTORY_POINTS[target]
    scores[Block.VERB + Verb.STAY] = chance
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            safety = 0.02 * at(work, side, region) - 0.01 * at(work, Plane.THREAT, region)
            pull = 0.02 * at(work, Plane.PULL, region)
            scores[Block.REGION + region] = weigh(work, Weight.RETREAT) + min(0.09, max(-0.09, safety + pull))


@kernel
def score_stronghold(state, side, scores, work, odds):
    """D23: fight in the field only when clearly stronger."""
    scores[Block.VERB + Verb.FIGHT] = battle_chance(state, side, odds)
    scores[Block.VERB + Verb.WITHDRAW] = weigh(work, Weight.WITHDRAW)


@kernel
def score_prolong(state, side, mask, scores, odds):
    """D28: an Elite is worth another round when the assault goes well; the cheapest nation gives it."""
    chance = battle_chance(state, side, odds)
    for action in range(Block.NATION, Block.FIGURE):
        if mask[action]:
            scores[action] = chance + 0.1
    for action in range(Block.FIGURE, Block.COUNT):
        if mask[action]:
            scores[action] = chance + 0.1
    scores[Block.VERB + Verb.ACCEPT] = chance + 0.1
    scores[Block.VERB + Verb.DECLINE] = GOOD_CHANCE
    scores[Block.VERB + Verb.CEASE] = GOOD_CHANCE


@kernel
def score_casualty(state, mask, scores):
    """D25: reduce Elites while that keeps dice, then Regulars, Elites last."""
    side = int(state.seat)
    units = 0
    if state.depth > 0:
        losing = state.decision == Decision.CASUALTY
        region = casualty_region(state) if losing else trim_region(state)
        units = int(state.units[region, side])
    for action in range(Block.NATION, Block.FIGURE):
        if mask[action]:
            scores[action] = 6.0 if units <= 6 else 2.0
    for action in range(Block.FIGURE, Block.COUNT):
        if mask[action]:
            scores[action] = 5.0 if kind_of_figure(action) == Figure.REGULAR else 1.0
            if nation_of_figure(action) == Nation.ISENGARD:
                scores[action] -= 0.1


@kernel
def score_advance(state, side, mask, scores, work):
    """D24: the victors go on, but for a guard."""
    origin = int(state.battle_origin)
    target = int(state.battle_target)
    score_party(state, side, mask, scores, origin, _guard_needed(state, side, origin, work))
    if move_score(state, side, origin, target, work) < -8.0:
        scores[Block.VERB + Verb.DECLINE] = 20.0


@kernel
def score_recruit_region(state, side, mask, scores, work):
    """D10: where figures are needed: behind threatened walls, or near the next goal."""
    for region in range(NUM_REGIONS):
        if not mask[Block.REGION + region]:
            continue
        score = 2.0 * at(work, Plane.PULL, region)
        units = int(state.units[region, side])
        threat = at(work, Plane.THREAT, region)
        if threat > 0 and VICTORY_POINTS[region] > 0:
            score += VICTORY_POINTS[region] * min(3.0, threat / (1.0 + at(work, side, region)))
        if units >= FIELD_LIMIT:
            score -= 10.0
        elif side == Side.SHADOW and units > 0:
            score += 0.5
        scores[Block.REGION + region] = score


@kernel
def score_by_need(state, side, mask, scores, work, decision):
    """Regions of events: where the own side wants figures, or where the enemy is strongest."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            enemy = at(work, 1 - side, region)
            own = at(work, side, region)
            scores[Block.REGION + region] = at(work, Plane.PULL, region) + 0.3 * enemy + 0.1 * own
    if decision == Decision.MINION_DESTINATION:
        for region in range(NUM_REGIONS):
            if mask[Block.REGION + region]:
                scores[Block.REGION + region] = nazgul_goal(state, region, work)


@kernel
def nazgul_goal(state, region, work):
    """How useful a Nazgul is in a region: with a revealed Fellowship, or leading an army that fights."""
    score = 0.0
    if state.fellowship_region == region and state.mordor_step == 0:
        score += 9.0 if state.leader[region, Nation.SAURON] == 0 else 1.0
    units = int(state.units[region, Side.SHADOW])
    if units > 0:
        lacking = min(5, units) - at(work, Plane.LEADERSHIP_SHADOW, region)
        score += max(0.0, lacking) * (0.3 + 0.4 * min(1.0, at(work, Plane.PULL, region)))
        if besieged(state, region):
            score += 0.5 * max(0.0, lacking)
    return score
