"""The tree of a search, and the steps that every search performs on it.

Both searches are Monte Carlo tree searches over worlds, the states that the deciding seat cannot distinguish
(SO-ISMCTS with PUCT). Each simulation walks the same tree in another world with new dice, among the actions
that are legal there. So it averages over hidden information and chance (P. Cowling, E. Powley and D.
Whitehouse, "Information Set Monte Carlo Tree Search", 2012; for the selection D. Silver et al., "Mastering
the game of Go without human knowledge", 2017). A simulation selects actions down the tree, adds a node,
evaluates its position and backs the value up. ``simulations.py`` evaluates with rollouts, ``guided.py`` with
a network.

All values are winning chances, from 0 to 1; in games of two teams those of the first team.

The kernels are templates (``stand_ins.py``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from wotr_agents.scores import NO_SCORE
from wotr_agents.search.stand_ins import run, seed_chance
from wotr_env.compiler.types import ArgumentType, Number, array_of, tuple_of
from wotr_env.core.chance import stream_word

NO_NODE = -1
"""Stands for no node."""
NO_ACTION = -1
"""Stands for the action of a root, which has none."""
KNOWN_PER_WORD = 32
"""Number of actions in a word of ``Tree.known``."""
ANY_QUESTION = 0
"""The question of nodes that depend only on actions, not on the next decision."""

NODE = np.dtype(
    (
        np.record,
        [
            ("action", np.int16),  # that leads here from the parent, or NO_ACTION
            ("question", np.int16),  # what is asked here, and whom; or ANY_QUESTION
            ("parent", np.int32),  # or NO_NODE
            ("first_child", np.int32),  # or NO_NODE
            ("next_sibling", np.int32),  # or NO_NODE
            ("visits", np.int32),  # simulations whose values were backed up through it
            ("pending", np.int32),  # simulations through it whose values are waited for
            ("value_sum", np.float64),  # of the values that were backed up
        ],
    )
)
"""A node: a sequence of actions from its root. Its children form a linked list, the newest first."""


TALLY = np.dtype(
    (
        np.record,
        [
            ("visits", np.float64),
            ("pending", np.float64),
            ("value_sum", np.float64),
        ],
    )
)
"""Sums over all children of one action."""


class Tree(NamedTuple):
    """The trees of G searches in one table with room for N nodes; the first G nodes are the roots."""

    nodes: np.ndarray
    """``NODE[N]``"""
    logits: np.ndarray
    """``float32[N, A]``: the network's logits of the actions at a node; A is 0 without a network."""
    known: np.ndarray
    """``int64[N, A / 32]``: the actions whose logits are known, one bit each."""
    hidden: np.ndarray
    """``float32[N, H]``: the last layer of a network in kernels, from which logits are computed; otherwise H
    is 0."""
    values: np.ndarray
    """``float64[N, T]``: the sum of values for each team, in games of more than two teams; otherwise T is
    0."""
    used: np.ndarray
    """``int64[1]``: the number of nodes in use."""


class Selection(NamedTuple):
    """The parameters of the selection of actions (PUCT)."""

    exploration: float
    """The weight of the priors relative to the values."""
    reduction: float
    """The difference between the value of the position and the assumed value of an untried action."""
    temperature: float
    """The divisor of scores or logits before their softmax, which gives the priors."""
    uniform: float
    """The part of the priors that is spread evenly over the legal actions."""


class Scratch(NamedTuple):
    """Working memory of simulations, including the arrays of a policy; A is the number of actions."""

    states: np.ndarray
    """``kind.state[1]``: the game of the simulation."""
    mask: np.ndarray
    """``bool[A]``: the legal actions of the game."""
    scores: np.ndarray
    """``float64[A]``: the scores of the legal actions; then the priors computed from them."""
    legal: np.ndarray
    """``int64[A]``: the legal actions in order."""
    tally: np.ndarray
    """``TALLY[A]``: sums over the children of the current node, by action."""
    tables: tuple
    """The tables of the policy."""
    values: np.ndarray
    """``float64[T]``: the value of the evaluated position for each team."""


_FLOATS = array_of(np.float64)
_WORDS = array_of(np.int64)
ARGUMENT_TYPES: dict[str, ArgumentType] = {
    "tree": tuple_of(
        Tree,
        array_of(NODE),
        array_of(np.float32, 2),
        array_of(np.int64, 2),
        array_of(np.float32, 2),
        array_of(np.float64, 2),
        _WORDS,
    ),
    "selection": tuple_of(Selection, *[Number.FLOAT64] * len(Selection._fields)),
    "mask": array_of(np.bool_),
    "scores": _FLOATS,
    "noise": Number.FLOAT64,
    "legal": _WORDS,
    "tally": array_of(TALLY),
    "outcome": Number.FLOAT64,
}
"""Types of arguments that are the same in all games."""
_WORD = 0xFFFFFFFF


def start_simulation(scratch, seed, simulation):
    """Advances the world in ``scratch`` to its next decision; the seed and the simulation determine the
    dice."""
    state = scratch.states[0]
    seed_chance(state, stream_word(seed & _WORD, seed >> 32, simulation))
    run(state, scratch.mask)


def find_child(tree, node, action, question):
    """The child of a node for an action and a question, or ``NO_NODE``."""
    child = tree.nodes[node].first_child
    while child != NO_NODE and (tree.nodes[child].action != action or tree.nodes[child].question != question):
        child = tree.nodes[child].next_sibling
    return child


def add_child(tree, node, action, question):
    """Adds a child and returns it; the tree must have room."""
    child = tree.used[0]
    tree.used[0] += 1
    tree.nodes[child].action = action
    tree.nodes[child].question = question
    tree.nodes[child].parent = node
    tree.nodes[child].first_child = NO_NODE
    tree.nodes[child].next_sibling = tree.nodes[node].first_child
    tree.nodes[node].first_child = child
    return child


def write_priors(legal, count, scores, selection):
    """Turns the scores of legal actions into priors: a softmax, mixed with the uniform distribution."""
    best = NO_SCORE
    for place in range(count):
        best = max(best, scores[legal[place]])
    total = 0.0
    for place in range(count):
        action = legal[place]
        scores[action] = math.exp((scores[action] - best) / selection.temperature)
        total += scores[action]
    uniform = selection.uniform
    for place in range(count):
        action = legal[place]
        scores[action] = (1.0 - uniform) * scores[action] / total + uniform / count


def back_up(tree, node, outcome):
    """Adds the value of a simulation to a node and its ancestors."""
    while node != NO_NODE:
        tree.nodes[node].visits += 1
        tree.nodes[node].value_sum += outcome
        node = tree.nodes[node].parent


TEMPLATES = (start_simulation, find_child, add_child, write_priors, back_up)


def new_tree(games: int, room: int, logits: int = 0, hidden: int = 0, teams: int = 0) -> Tree:
    """A tree with the roots of G games.

    Args:
        games: G, the number of games.
        room: N >= G, the maximal number of nodes.
        logits: number of columns of ``Tree.logits``.
        hidden: number of columns of ``Tree.hidden``.
        teams: number of columns of ``Tree.values``.
    """
    nodes = np.zeros(room, dtype=NODE)
    nodes["action"][:games] = NO_ACTION
    for name in ("parent", "first_child", "next_sibling"):
        nodes[name][:games] = NO_NODE
    return Tree(
        nodes,
        np.zeros((room, logits), dtype=np.float32),
        np.zeros((room, -(-logits // KNOWN_PER_WORD)), dtype=np.int64),
        np.zeros((room, hidden), dtype=np.float32),
        np.zeros((room, teams)),
        np.array([games], dtype=np.int64),
    )


def make_room(tree: Tree, more: int) -> Tree:
    """A tree with room for ``more`` further nodes; the same object if it already has the room."""
    used, room = int(tree.used[0]), len(tree.nodes)
    if used + more <= room:
        return tree
    widths = (table.shape[1] for table in (tree.logits, tree.hidden, tree.values))
    larger = new_tree(0, max(used + more, 2 * room), *widths)
    for new, old in zip(larger[:-1], tree[:-1], strict=True):
        new[:used] = old[:used]
    return larger._replace(used=tree.used)
