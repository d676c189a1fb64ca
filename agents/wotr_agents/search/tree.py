"""Monte Carlo tree search over worlds that the deciding seat holds possible (SO-ISMCTS with PUCT).

One tree, whose nodes are sequences of actions: each simulation walks it in another world with fresh dice,
among the actions that are legal there, and so averages over what is hidden and over chance (P. Cowling,
E. Powley and D. Whitehouse, "Information Set Monte Carlo Tree Search", 2012; for the selection D. Silver et
al., "Mastering the game of Go without human knowledge", 2017). Priors are a softmax of the scripted policy's
scores. Behind the tree the game is played on by a rollout policy, then valued.

The tree is a table of nodes: ``links[node]`` is its action, first child, next sibling and visits,
``values[node]`` the sum of the values for the Free Peoples of the simulations through it.
"""

from __future__ import annotations

import math

import numpy as np

from wotr_agents.kernels import entry_point, kernel
from wotr_agents.scripted.choice import choose, load_weights
from wotr_agents.scripted.policy import NO_SCORE, score_actions
from wotr_agents.scripted.value import value_of
from wotr_env.actions import NUM_ACTIONS
from wotr_env.codes import Side, Winner
from wotr_env.compiler.codes import Codes
from wotr_env.rules.chance import seed_chance, stream_word
from wotr_env.rules.flow import apply, run

ACTION, FIRST_CHILD, NEXT_SIBLING, VISITS = range(4)
NO_NODE = -1
MAX_DEPTH = 256
UNIFORM = 0.2
"""The part of the priors that is spread evenly."""
_WORD = 0xFFFFFFFF


class Rollout(Codes):
    """How a simulation goes on behind the tree."""

    NONE = 0
    RANDOM = 1
    SCRIPTED = 2


@kernel
def find_child(links, node, action):
    child = links[node, FIRST_CHILD]
    while child != NO_NODE and links[child, ACTION] != action:
        child = links[child, NEXT_SIBLING]
    return child


@kernel
def add_child(links, node, action, child):
    links[child, ACTION] = action
    links[child, FIRST_CHILD] = NO_NODE
    links[child, NEXT_SIBLING] = links[node, FIRST_CHILD]
    links[child, VISITS] = 0
    links[node, FIRST_CHILD] = child


@kernel
def write_priors(mask, scores, temperature, uniform):
    """Turns scores into probabilities, of which a part is spread evenly; illegal actions get 0."""
    best = NO_SCORE
    legal = 0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            legal += 1
            best = max(best, scores[action])
    total = 0.0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            scores[action] = math.exp((scores[action] - best) / temperature)
            total += scores[action]
        else:
            scores[action] = 0.0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            scores[action] = (1.0 - uniform) * scores[action] / total + uniform / legal


@kernel
def _select(links, values, node, side, mask, priors, exploration):
    """The legal action of the highest upper bound (PUCT); an action not tried has its parent's value."""
    visits = max(1, links[node, VISITS])
    own = values[node] / visits
    if side == Side.SHADOW:
        own = 1.0 - own
    root = exploration * math.sqrt(float(visits))
    best = -1
    best_bound = -1.0
    for action in range(NUM_ACTIONS):
        if not mask[action]:
            continue
        child = find_child(links, node, action)
        tries = links[child, VISITS] if child != NO_NODE else 0
        value = own - 0.1
        if tries > 0:
            value = values[child] / tries
            if side == Side.SHADOW:
                value = 1.0 - value
        bound = value + root * priors[action] / (1.0 + tries)
        if bound > best_bound:
            best = action
            best_bound = bound
    return best


@kernel
def _random_action(mask, count, word):
    place = (word * count) >> 32
    for action in range(NUM_ACTIONS):
        if mask[action]:
            if place == 0:
                return action
            place -= 1
    return -1


@kernel
def _roll_out(state, mask, scores, board, odds, weights, kind, depth, stream):
    """Plays up to ``depth`` decisions behind the tree."""
    count = 0
    for action in range(NUM_ACTIONS):
        count += mask[action]
    for step in range(depth):
        if state.winner != Winner.NONE:
            break
        if kind == Rollout.RANDOM:
            word = stream_word(stream & _WORD, step, (stream >> 32) & _WORD)
            action = _random_action(mask, count, word)
        else:
            load_weights(board, weights)
            action = choose(state, mask, scores, board, odds, 0.5, stream + (step << 32))
        apply(state, action)
        count = run(state, mask)


@entry_point
def _search(
    worlds,
    scratch,
    masks,
    links,
    values,
    path,
    scores,
    board,
    features,
    odds,
    weights,
    coefficients,
    used,
    first,
    simulations,
    rollout,
    depth,
    exploration,
    temperature,
    seed,
):
    """Runs simulations ``first`` to ``first + simulations - 1`` of one decision; returns the nodes in use."""
    state = scratch[0]
    mask = masks[0]
    for simulation in range(first, first + simulations):
        scratch[0] = worlds[simulation % worlds.size]
        seed_chance(state, stream_word(seed & _WORD, seed >> 32, simulation))
        run(state, mask)
        node = 0
        path[0] = 0
        length = 1
        while state.winner == Winner.NONE and length < MAX_DEPTH:
            load_weights(board, weights)
            score_actions(state, mask, scores, board, odds)
            write_priors(mask, scores, temperature, UNIFORM)
            action = _select(links, values, node, int(state.seat), mask, scores, exploration)
            child = find_child(links, node, action)
            fresh = child == NO_NODE
            if fresh:
                if used == links.shape[0]:
                    break
                child = used
                used += 1
                add_child(links, node, action, child)
            apply(state, action)
            run(state, mask)
            node = child
            path[length] = node
            length += 1
            if fresh:
                break
        if rollout != Rollout.NONE:
            stream = stream_word(simulation & _WORD, seed & _WORD, 7)
            _roll_out(state, mask, scores, board, odds, weights, rollout, depth, stream)
        value = value_of(state, features, coefficients)
        for place in range(length):
            links[path[place], VISITS] += 1
            values[path[place]] += value
    return used


def new_tree(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """An empty tree: ``links`` int32[nodes, 4] and ``values`` float64[nodes], with the root as node 0."""
    links = np.zeros((nodes, 4), dtype=np.int32)
    links[0] = (-1, NO_NODE, NO_NODE, 0)
    return links, np.zeros(nodes)
