"""Scores of army moves, of attacks, and of choices in battles. A score of 10 is that of a useful action."""

from __future__ import annotations

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.scripted.board import (
    NEVER,
    army_hits,
    battle_kind,
    holds,
    read_own_army,
    win_chance,
)
from wotr_agents.games.war_of_the_ring.scripted.odds import ASSAULT, FIELD
from wotr_agents.games.war_of_the_ring.scripted.weights import Weight
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import BattleKind, Decision, Figure, Nation, Settlement, Side, Verb
from wotr_env.games.war_of_the_ring.components import (
    MAX_DICE,
    NEIGHBOURS,
    NUM_NEIGHBOURS,
    NUM_REGIONS,
    REGION_SIDE,
    SETTLEMENT,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.rules.armies import (
    END_NATION,
    FIELD_LIMIT,
    FIRST_NATION,
    UNLIMITED,
    besieged,
    casualty_region,
    stacking_room,
    trim_region,
)
from wotr_env.games.war_of_the_ring.rules.battle.attack import can_attack_from, is_target
from wotr_env.games.war_of_the_ring.rules.battle.retreat import retreats_from
from wotr_env.games.war_of_the_ring.rules.battle.strength import fighting_units, leadership, nazgul_points
from wotr_env.games.war_of_the_ring.rules.chosen import chosen_units
from wotr_env.games.war_of_the_ring.rules.command import meeting_region
from wotr_env.games.war_of_the_ring.rules.figures import figure_action, kind_of_figure, nation_of_figure
from wotr_env.games.war_of_the_ring.rules.movement import can_move_from, can_move_to, moving_from, moving_to
from wotr_env.games.war_of_the_ring.rules.regions import (
    first_region,
    neighbours_among,
    regions_with_units,
    without_first,
)
from wotr_env.games.war_of_the_ring.rules.seats import ALL_NATIONS, deciding_side, nations_of

GOOD_CHANCE = 0.62
"""The least chance of victory, about, for which an Elite is spent to prolong an assault."""


@kernel
def points_matter(board, side):
    """Factor of a victory point for a side; it grows as the side approaches its goal."""
    return 1.0 + 2.0 * board.nearness[side]


@kernel
def room_to_join(state, side, region):
    """Number of units that may enter a region without losses where the rules would let more enter
    (R7.2.2)."""
    if stacking_room(state, side, region) != UNLIMITED:
        return UNLIMITED
    return FIELD_LIMIT - int(state.units[region, side])


@kernel
def _guard_needed(state, side, region, board):
    """Whether a Settlement must keep a guard."""
    return VICTORY_POINTS[region] > 0 and holds(state, side, region) and board.threat[region] > 0


@kernel
def _move_gain(state, side, origin, destination, board):
    """Score of an army move, without the danger from enemy armies near its destination."""
    hits = board.own_hits[origin]
    score = board.weights[Weight.PULL] * (board.pull[destination] - board.pull[origin]) * min(1.0, hits / 6.0)
    if not holds(state, side, destination) and SETTLEMENT[destination] != Settlement.NONE:
        empty = state.units[destination, 1 - side] == 0
        points = float(VICTORY_POINTS[destination])
        if empty:
            score += 6.0 + board.weights[Weight.CAPTURE] * points * points_matter(board, side)
            if REGION_SIDE[destination] == side:
                score += 8.0
    joined = board.hits[side, destination]
    if joined > 0 and board.own_units[origin] + state.units[destination, side] <= FIELD_LIMIT:
        score += board.weights[Weight.JOIN]
    if _guard_needed(state, side, origin, board) and state.units[origin, side] == 1:
        score -= board.weights[Weight.LEAVE] * (1.0 + VICTORY_POINTS[origin])
    if _guard_needed(state, side, destination, board) and joined == 0:
        score += board.weights[Weight.GUARD] * (1.0 + VICTORY_POINTS[destination])
    return score


@kernel
def _exposure(state, side, origin, destination, board):
    """Reduction of the score of a move whose destination is next to a stronger enemy."""
    if SETTLEMENT[destination] == Settlement.STRONGHOLD:
        return 0.0
    enemy = 0.0
    for i in range(NUM_NEIGHBOURS[destination]):
        other = NEIGHBOURS[destination, i]
        if not besieged(state, other):
            enemy = max(enemy, board.hits[1 - side, other])
    own = board.own_hits[origin] + board.hits[side, destination]
    return board.weights[Weight.EXPOSED] * min(6.0, enemy - own) if enemy > 1.5 * own else 0.0


@kernel
def move_score(state, side, origin, destination, board):
    """Score of an army move; 10 is the score of a useful action."""
    gain = _move_gain(state, side, origin, destination, board)
    return gain - _exposure(state, side, origin, destination, board)


@kernel
def attack_chance(state, side, origin, target, board, odds):
    """The winning chance of an attack by all units that may attack from a region against the army of
    another."""
    enemy = 1 - side
    return win_chance(
        odds,
        battle_kind(state, side, origin, target),
        board.own_hits[origin],
        board.own_units[origin],
        board.own_leadership[origin],
        board.hits[enemy, target],
        int(state.units[target, enemy]),
        board.leadership[enemy, target],
    )


@kernel
def attack_score(state, side, origin, target, board, odds):
    """Score of an attack."""
    chance = attack_chance(state, side, origin, target, board, odds)
    points = 0.0
    if not holds(state, side, target):
        points = float(VICTORY_POINTS[target])
    gain = board.weights[Weight.ATTACK_BASE] + 0.8 * board.hits[1 - side, target]
    gain += board.weights[Weight.ATTACK_POINTS] * points * points_matter(board, side)
    gain += 8.0 * max(0.0, board.pull[target] - board.pull[origin])
    loss = board.weights[Weight.ATTACK_LOSS] * board.own_hits[origin]
    if holds(state, side, origin):
        loss += 10.0 * VICTORY_POINTS[origin]
    if chance < 0.35:
        return -5.0 - loss * (1.0 - chance)
    return chance * gain - (1.0 - chance) * loss


@kernel
def _may_act(origin, need, board):
    """Whether there is an army, with a leader if ``need`` is 1; a fast check before slow ones."""
    led = need == 0 or board.own_leadership[origin] > 0
    return led and board.own_units[origin] > 0


@kernel
def best_move(state, side, need, board):
    """The best score of a move that is possible now (R7.5); slow checks are made only for good moves."""
    best = NEVER
    low, high = regions_with_units(state, side)
    while low | high != 0:
        origin = first_region(low, high)
        low, high = without_first(low, high)
        if not _may_act(origin, need, board):
            continue
        for i in range(NUM_NEIGHBOURS[origin]):
            destination = NEIGHBOURS[origin, i]
            score = _move_gain(state, side, origin, destination, board)
            if score <= best or room_to_join(state, side, destination) < 1:
                continue
            score -= _exposure(state, side, origin, destination, board)
            if score <= best or not can_move_to(state, side, origin, destination, need):
                continue
            if can_move_from(state, side, origin, need):
                best = score
    return best


@kernel
def best_attack(state, side, need, board, odds):
    """The best score of an attack that is possible now (R7.8)."""
    best = NEVER
    low, high = regions_with_units(state, side)
    while low | high != 0:
        origin = first_region(low, high)
        low, high = without_first(low, high)
        if _may_act(origin, need, board):
            score = best_attack_from(state, side, origin, board, odds)
            if score > best and can_attack_from(state, side, origin, need):
                best = score
    return best


@kernel
def best_attack_from(state, side, origin, board, odds):
    """The best score of an attack by one army."""
    best = NEVER
    if is_target(state, side, origin, origin):
        best = attack_score(state, side, origin, origin, board, odds)
    low, high = regions_with_units(state, 1 - side)
    low, high = neighbours_among(origin, low, high)
    while low | high != 0:
        target = first_region(low, high)
        low, high = without_first(low, high)
        if is_target(state, side, origin, target):
            best = max(best, attack_score(state, side, origin, target, board, odds))
    return best


@kernel
def score_origin(state, side, mask, scores, board):
    """D13: prefers the army with the best move; ends if no move scores above 1."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            best = NEVER
            for i in range(NUM_NEIGHBOURS[region]):
                destination = NEIGHBOURS[region, i]
                gain = _move_gain(state, side, region, destination, board)
                if gain > best and room_to_join(state, side, destination) > 0:
                    best = max(best, gain - _exposure(state, side, region, destination, board))
            scores[Block.REGION + region] = best
    scores[Block.VERB + Verb.DONE] = 1.0


@kernel
def score_destination(state, side, mask, scores, board):
    """D13: scores the destinations of the army."""
    origin = moving_from(state)
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            full = room_to_join(state, side, region) < 1
            scores[Block.REGION + region] = NEVER if full else move_score(state, side, origin, region, board)


@kernel
def score_party(state, side, mask, scores, board, origin, guard, room):
    """D13, D14, D24: selects the whole army, except for a guard of one Regular where it is needed, and units
    without room."""
    own = board.own_units[origin]
    keep = 1 if guard and own == state.units[origin, side] else 0  # a partner's units stay as a guard
    keep = max(keep, own - max(1, room))
    scores[Block.VERB + Verb.WHOLE_ARMY] = 10.0 if keep == 0 else 1.0
    scores[Block.VERB + Verb.DECLINE] = 0.0
    left = own - chosen_units(state)
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
def score_move_figures(state, side, mask, scores, board):
    """D13: selects the figures that move."""
    origin = moving_from(state)
    guard = _guard_needed(state, side, origin, board)
    room = room_to_join(state, side, moving_to(state))
    score_party(state, side, mask, scores, board, origin, guard, room)


@kernel
def score_attack_origin(state, side, mask, scores, board, odds):
    """D14: prefers the army with the best attack."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            scores[Block.REGION + region] = best_attack_from(state, side, region, board, odds)


@kernel
def score_attack_target(state, side, mask, scores, board, odds):
    """D14: scores the targets of the attack."""
    origin = int(state.battle_origin)
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            scores[Block.REGION + region] = attack_score(state, side, origin, region, board, odds)


@kernel
def score_attack_figures(state, side, mask, scores, board):
    """D14: attacks with all figures."""
    score_party(state, side, mask, scores, board, int(state.battle_origin), False, UNLIMITED)


# --- Partners. ---


@kernel
def score_merge(state, side, scores, board, odds):
    """R13.6.1: merges the armies, unless the merged army attacks worse than the player's part alone."""
    region = meeting_region(state)
    read_own_army(state, side, nations_of(state, int(state.seat)), region, board)
    alone = best_attack_from(state, side, region, board, odds)
    read_own_army(state, side, ALL_NATIONS, region, board)
    together = best_attack_from(state, side, region, board, odds)
    scores[Block.VERB + Verb.ACCEPT] = 1.0 + max(0.0, together)
    scores[Block.VERB + Verb.DECLINE] = max(0.0, alone)


# --- Inside a battle. ---


@kernel
def _party_hits(state, side):
    hits = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        hits += int(state.party_regular[nation]) + 2 * int(state.party_elite[nation])
    return hits


@kernel
def battle_chance(state, side, odds):
    """The chance of a side to win the current battle, if it is fought to the end."""
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
def score_cease(state, side, scores, board, odds):
    """D26: continues while the odds are good."""
    chance = battle_chance(state, side, odds)
    points = VICTORY_POINTS[int(state.battle_target)]
    scores[Block.VERB + Verb.CONTINUE] = chance + 0.08 * points
    scores[Block.VERB + Verb.CEASE] = board.weights[Weight.GO_ON]


@kernel
def score_retreat(state, side, mask, scores, board, odds):
    """D27: stays while the odds are good, or where points would be lost."""
    target = int(state.battle_target)
    chance = battle_chance(state, side, odds)
    if holds(state, side, target):
        chance += 0.15 * VICTORY_POINTS[target]
    scores[Block.VERB + Verb.STAY] = chance
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            safety = 0.02 * board.hits[side, region] - 0.01 * board.threat[region]
            pull = 0.02 * board.pull[region]
            scores[Block.REGION + region] = board.weights[Weight.RETREAT] + min(
                0.09, max(-0.09, safety + pull)
            )


@kernel
def score_stay_behind(state, scores):
    """D47: retreats with all figures, except for one Nazgul where the Fellowship is hunted."""
    scores[Block.VERB + Verb.DONE] = 1.0
    origin = retreats_from(state)
    nazgul = state.chosen_leader[Nation.SAURON]
    if origin == state.fellowship_region and nazgul == state.leader[origin, Nation.SAURON]:
        scores[figure_action(Nation.SAURON, Figure.LEADER)] = 2.0


@kernel
def score_stronghold(state, side, scores, board, odds):
    """D23: fights in the field only if the army is clearly stronger."""
    scores[Block.VERB + Verb.FIGHT] = battle_chance(state, side, odds)
    scores[Block.VERB + Verb.WITHDRAW] = board.weights[Weight.WITHDRAW]


@kernel
def score_white_rider(state, scores):
    """D29: uses the ability against two or more Nazgul."""
    scores[Block.VERB + Verb.ACCEPT] = nazgul_points(state) - 1.5
    scores[Block.VERB + Verb.DECLINE] = 0.0


@kernel
def score_prolong(state, side, mask, scores, odds):
    """D28: spends an Elite on another round if the assault goes well, from the cheapest nation."""
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
    """D25: reduces Elites while this keeps dice, then removes Regulars, and Elites last."""
    side = deciding_side(state)
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
def score_advance(state, side, mask, scores, board):
    """D24: advances, except for a guard."""
    origin = int(state.battle_origin)
    target = int(state.battle_target)
    guard = _guard_needed(state, side, origin, board)
    room = room_to_join(state, side, target)
    score_party(state, side, mask, scores, board, origin, guard, room)
    if move_score(state, side, origin, target, board) < -8.0:
        scores[Block.VERB + Verb.DECLINE] = 20.0


@kernel
def score_recruit_region(state, side, mask, scores, board):
    """D10: prefers regions that need figures: threatened walls, or regions near the next goal."""
    for region in range(NUM_REGIONS):
        if not mask[Block.REGION + region]:
            continue
        score = 2.0 * board.pull[region]
        units = int(state.units[region, side])
        threat = board.threat[region]
        if threat > 0 and VICTORY_POINTS[region] > 0:
            score += VICTORY_POINTS[region] * min(3.0, threat / (1.0 + board.hits[side, region]))
        if units >= FIELD_LIMIT:
            score -= 10.0
        elif side == Side.SHADOW and units > 0:
            score += 0.5
        scores[Block.REGION + region] = score


@kernel
def score_by_need(side, mask, scores, board):
    """Scores regions of events by need: where the bot's side wants figures, or where the enemy is
    strongest."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            enemy = board.hits[1 - side, region]
            own = board.hits[side, region]
            scores[Block.REGION + region] = board.pull[region] + 0.3 * enemy + 0.1 * own


@kernel
def nazgul_goal(state, region, board):
    """Score of a Nazgul in a region: with a revealed Fellowship, or as leader of an army that fights."""
    score = 0.0
    if state.fellowship_region == region and state.mordor_step == 0:
        score += 9.0 if state.leader[region, Nation.SAURON] == 0 else 1.0
    units = int(state.units[region, Side.SHADOW])
    if units > 0:
        lacking = min(MAX_DICE, units) - board.leadership[Side.SHADOW, region]
        score += max(0.0, lacking) * (0.3 + 0.4 * min(1.0, board.pull[region]))
        if besieged(state, region):
            score += 0.5 * max(0.0, lacking)
    return score


@kernel
def score_minion_goal(state, mask, scores, board):
    """D16: prefers regions where Nazgul are useful."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            scores[Block.REGION + region] = nazgul_goal(state, region, board)
