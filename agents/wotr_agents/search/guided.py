"""Monte Carlo tree search guided by a network, whose positions wait for it in batches (SO-ISMCTS with PUCT).

As in ``tree.py`` each simulation walks its game's tree in another world with fresh dice. But a node is also
what is asked next, and whom: chance that leads to another question leads to another node. Behind a node that
is new nothing is played on; the network says how good it is and which actions are worth a look there (D.
Silver et al., "Mastering the game of Go without human knowledge", 2017). The network answers many positions
at once much faster than one by one, so more descents are made while some wait, and count those that wait
among the visits, not among the values (A. Liu et al., "Watch the Unobserved", 2020).

One table holds the trees of all games; node g is the root of game g. ``links[node]`` is its key (action and
question), first child, next sibling, visits, parent, and descents that wait for the network;
``values[node]`` is the sum of the values for the Free Peoples of its visits, ``advice[node]`` the network's
scores of all actions. A node without visits has no advice yet.
"""

from __future__ import annotations

import math

import numpy as np

from wotr_agents.kernels import entry_point, kernel
from wotr_agents.scripted.choice import load_weights
from wotr_agents.scripted.policy import score_actions
from wotr_agents.search.tree import (
    ACTION,
    FIRST_CHILD,
    NEXT_SIBLING,
    NO_NODE,
    VISITS,
    add_child,
    find_child,
    write_priors,
)
from wotr_env.actions import NUM_ACTIONS
from wotr_env.codes import Side, Winner
from wotr_env.engine.encoding import encode
from wotr_env.rules.chance import seed_chance, stream_word
from wotr_env.rules.flow import apply, run
from wotr_env.state import NUM_SIDES

PARENT, WAITING = 4, 5
LINKS = 6
"""Columns of ``links``; the first ones are those of ``tree.py``."""
TRIES, PENDING, SUM = range(3)
"""Columns of ``tally``, by action: visits, descents that wait, sum of the values."""
_WORD = 0xFFFFFFFF


@kernel
def _key(state, action):
    """An action together with the question that follows it, so that equal keys are one node."""
    question = 0 if state.winner != Winner.NONE else NUM_SIDES * int(state.decision) + int(state.seat)
    return action + NUM_ACTIONS * question


@kernel
def _count_tries(links, values, node, mask, tally):
    """Adds up for every legal action what its nodes hold; returns the visits and waits of all."""
    for action in range(NUM_ACTIONS):
        if mask[action]:
            tally[action, TRIES] = 0.0
            tally[action, PENDING] = 0.0
            tally[action, SUM] = 0.0
    total = 0
    child = links[node, FIRST_CHILD]
    while child != NO_NODE:
        action = links[child, ACTION] % NUM_ACTIONS
        if mask[action]:
            tally[action, TRIES] += links[child, VISITS]
            tally[action, PENDING] += links[child, WAITING]
            tally[action, SUM] += values[child]
            total += links[child, VISITS] + links[child, WAITING]
        child = links[child, NEXT_SIBLING]
    return total


@kernel
def _select_guided(links, values, node, side, mask, priors, tally, exploration, reduction):
    """The legal action of the highest upper bound; one not tried has its parent's value, reduced."""
    total = _count_tries(links, values, node, mask, tally)
    root = exploration * math.sqrt(1.0 + total)
    untried = values[node] / links[node, VISITS]
    if side == Side.SHADOW:
        untried = 1.0 - untried
    untried -= reduction
    best = -1
    best_bound = -1e9
    for action in range(NUM_ACTIONS):
        if not mask[action]:
            continue
        tries = tally[action, TRIES]
        pending = tally[action, PENDING]
        value = untried
        if tries > 0.0:
            value = tally[action, SUM] if side == Side.FREE_PEOPLES else tries - tally[action, SUM]
            value /= tries
        bound = value + root * priors[action] / (1.0 + tries + pending)
        if bound > best_bound:
            best = action
            best_bound = bound
    return best


@kernel
def _back_up(links, values, node, outcome):
    while node != NO_NODE:
        links[node, VISITS] += 1
        values[node] += outcome
        node = links[node, PARENT]


@kernel
def _wait(links, node, change):
    while node != NO_NODE:
        links[node, WAITING] += change
        node = links[node, PARENT]


@kernel
def _end_value(state):
    if state.winner == Winner.DRAW:
        return 0.5
    return 1.0 if state.winner == Winner.FREE_PEOPLES else 0.0


@entry_point
def _descend(
    worlds,
    seeds,
    scratch,
    masks,
    links,
    values,
    advice,
    priors,
    tally,
    observations,
    asked,
    scripted,
    board,
    odds,
    weights,
    leaves,
    used,
    first,
    simulations,
    exploration,
    reduction,
    temperature,
    uniform,
):
    """Makes the simulations ``first`` to ``first + simulations - 1`` of every game, up to the network.

    Those that reach the end of the game are done. Of the others the position is written, and in ``leaves``
    the node that waits for it; where ``scripted`` has rows also the legal actions and what the scripted
    policy thinks of them.

    Returns:
        The nodes in use and the positions written.
    """
    state = scratch[0]
    mask = masks[0]
    games = seeds.size
    spread = worlds.size // max(1, games)
    positions = 0
    for game in range(games):
        for simulation in range(first, first + simulations):
            scratch[0] = worlds[game * spread + simulation % spread]
            seed = seeds[game]
            seed_chance(state, stream_word(seed & _WORD, seed >> 32, simulation))
            run(state, mask)
            node = game
            # a node without visits is new, or waits: its position goes to the network (again)
            while state.winner == Winner.NONE and links[node, VISITS] > 0:
                for action in range(NUM_ACTIONS):
                    priors[action] = advice[node, action]
                write_priors(mask, priors, temperature, uniform)
                side = int(state.seat)
                action = _select_guided(
                    links, values, node, side, mask, priors, tally, exploration, reduction
                )
                apply(state, action)
                run(state, mask)
                key = _key(state, action)
                child = find_child(links, node, key)
                if child == NO_NODE:
                    child = used
                    used += 1
                    add_child(links, node, key, child)
                    links[child, PARENT] = node
                    links[child, WAITING] = 0
                node = child
            if state.winner != Winner.NONE:
                _back_up(links, values, node, _end_value(state))
            else:
                _wait(links, node, 1)
                leaves[positions] = node
                encode(state, int(state.seat), observations[positions])
                if scripted.shape[0] > 0:
                    for action in range(NUM_ACTIONS):
                        asked[positions, action] = mask[action]
                    load_weights(board, weights)
                    score_actions(state, mask, scripted[positions], board, odds)
                positions += 1
    return used, positions


@entry_point
def _store(links, values, advice, leaves, positions, scores, results):
    """Gives the positions that waited what the network says: scores of the actions, values from 0 to 1."""
    for position in range(positions):
        node = leaves[position]
        if links[node, VISITS] == 0:
            for action in range(NUM_ACTIONS):
                advice[node, action] = scores[position, action]
        _wait(links, node, -1)
        _back_up(links, values, node, results[position])


def new_trees(games: int, nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Trees of nothing but roots: ``links``, ``values`` and ``advice`` for so many nodes.

    Returns:
        ``int32[nodes, LINKS]``, ``float64[nodes]`` and ``float32[nodes, NUM_ACTIONS]``.
    """
    links = np.zeros((nodes, LINKS), dtype=np.int32)
    links[:games] = (-1, NO_NODE, NO_NODE, 0, NO_NODE, 0)
    return links, np.zeros(nodes), np.zeros((nodes, NUM_ACTIONS), dtype=np.float32)
