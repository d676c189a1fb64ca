"""The tree of a search, and the steps that every search makes on it.

Both searches are Monte Carlo tree searches over worlds that the deciding seat holds possible (SO-ISMCTS with
PUCT): each simulation walks one tree in another world with fresh dice, among the actions that are legal
there, and so averages over what is hidden and over chance (P. Cowling, E. Powley and D. Whitehouse,
"Information Set Monte Carlo Tree Search", 2012; for the selection D. Silver et al., "Mastering the game of Go
without human knowledge", 2017). A simulation selects actions down the tree, expands it by a node, evaluates
the position there and backs the value up. ``simulations.py`` evaluates by rollouts, ``guided.py`` by a
network.

All values are chances to win, from 0 to 1: in games of two teams those of the first.

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
"""In place of a node: there is none."""
NO_ACTION = -1
"""Instead of the action of a root."""
KNOWN_PER_WORD = 32
"""Actions in a word of ``Tree.known``."""
ANY_QUESTION = 0
"""The question of nodes that stand for actions alone, whatever is asked after them."""

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
"""A node: a sequence of actions from its root. Its children are a linked list, the newest first."""


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
"""What the children that an action leads to hold together."""


class Tree(NamedTuple):
    """The trees of G searches in one table, whose first G nodes are the roots; room for N nodes."""

    nodes: np.ndarray
    """``NODE[N]``"""
    logits: np.ndarray
    """``float32[N, A]``: a network's of the actions at a node; A is 0 without a network."""
    known: np.ndarray
    """``int64[N, A / 32]``: of which actions the logits are known, a bit each."""
    hidden: np.ndarray
    """``float32[N, H]``: the last layer of a network in kernels, that logits are made of; else H is 0."""
    values: np.ndarray
    """``float64[N, T]``: sums as ``value_sum`` for each team of more than two; else T is 0."""
    used: np.ndarray
    """``int64[1]``: how many nodes there are."""


class Selection(NamedTuple):
    """How actions are selected (PUCT)."""

    exploration: float
    """The weight of the priors against the values."""
    reduction: float
    """By how much an action not tried is worth less than the position."""
    temperature: float
    """That scores or logits are divided by before their softmax, which are the priors."""
    uniform: float
    """The part of the priors that is spread evenly over the legal actions."""


class Scratch(NamedTuple):
    """What simulations write to, and what a policy reads and writes; A is the number of actions."""

    states: np.ndarray
    """``kind.state[1]``: the game of the simulation."""
    mask: np.ndarray
    """``bool[A]``: its legal actions."""
    scores: np.ndarray
    """``float64[A]``: of its legal actions; then the priors that are made of them."""
    legal: np.ndarray
    """``int64[A]``: the legal actions in order."""
    tally: np.ndarray
    """``TALLY[A]``: of the children at hand."""
    tables: tuple
    """The policy's own."""
    values: np.ndarray
    """``float64[T]``: of the position that is valued, for each team."""


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
"""Of the same type in all games."""
_WORD = 0xFFFFFFFF


def start_simulation(scratch, seed, simulation):
    """Advances the world in ``scratch`` to its next decision; the dice follow from the seed."""
    state = scratch.states[0]
    seed_chance(state, stream_word(seed & _WORD, seed >> 32, simulation))
    run(state, scratch.mask)


def find_child(tree, node, action, question):
    """The child of an action, or ``NO_NODE``."""
    child = tree.nodes[node].first_child
    while child != NO_NODE and (tree.nodes[child].action != action or tree.nodes[child].question != question):
        child = tree.nodes[child].next_sibling
    return child


def add_child(tree, node, action, question):
    """Adds a child, for which there must be room; returns it."""
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
        room: N >= G, the number of nodes that fit.
        logits: columns of ``Tree.logits``.
        hidden: columns of ``Tree.hidden``.
        teams: columns of ``Tree.values``.
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
    """The tree with room for ``more`` further nodes; the same object if it has the room."""
    used, room = int(tree.used[0]), len(tree.nodes)
    if used + more <= room:
        return tree
    widths = (table.shape[1] for table in (tree.logits, tree.hidden, tree.values))
    larger = new_tree(0, max(used + more, 2 * room), *widths)
    for new, old in zip(larger[:-1], tree[:-1], strict=True):
        new[:used] = old[:used]
    return larger._replace(used=tree.used)
