"""The tree of a search, and the steps that every search makes on it.

Both searches are Monte Carlo tree searches over worlds that the deciding seat holds possible (SO-ISMCTS with
PUCT): each simulation walks one tree in another world with fresh dice, among the actions that are legal
there, and so averages over what is hidden and over chance (P. Cowling, E. Powley and D. Whitehouse,
"Information Set Monte Carlo Tree Search", 2012; for the selection D. Silver et al., "Mastering the game of Go
without human knowledge", 2017). A simulation selects actions down the tree, expands it by a node, evaluates
the position there and backs the value up. ``simulations.py`` evaluates by rollouts, ``guided.py`` by a
network.

All values are chances that the Free Peoples win, from 0 to 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from wotr_agents.games.war_of_the_ring.scripted.odds import battle_odds
from wotr_agents.games.war_of_the_ring.scripted.policy import score_legal_actions
from wotr_agents.games.war_of_the_ring.scripted.reading import new_readings
from wotr_agents.games.war_of_the_ring.scripted.value import NUM_FEATURES, load_coefficients
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS
from wotr_agents.kernels import FLOATS, READINGS, STATES, WORDS
from wotr_agents.scores import NO_SCORE
from wotr_agents.search.kernels import SEARCHES, kernel
from wotr_env import STATE
from wotr_env.compiler.memory import FLAGS_PER_WORD, flag_word, lowest_bit
from wotr_env.compiler.types import Number, array_of, tuple_of
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.rules.chance import seed_chance, stream_word
from wotr_env.games.war_of_the_ring.rules.flow import run
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.state import NUM_SIDES

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
    """``float32[N, A]``: a network's of the actions at a node; A is ``NUM_ACTIONS``, 0 without a network."""
    known: np.ndarray
    """``int64[N, A / 32]``: of which actions the logits are known, a bit each."""
    hidden: np.ndarray
    """``float32[N, H]``: the last layer of a network in kernels, that logits are made of; else H is 0."""
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
    """What simulations write to, and tables that the scripted policy and the value of positions read."""

    states: np.ndarray
    """``STATE[1]``: the game of the simulation."""
    mask: np.ndarray
    """``bool[NUM_ACTIONS]``: its legal actions."""
    scores: np.ndarray
    """``float64[NUM_ACTIONS]``: of its legal actions; then the priors that are made of them."""
    legal: np.ndarray
    """``int64[NUM_ACTIONS]``: the legal actions in order."""
    tally: np.ndarray
    """``TALLY[NUM_ACTIONS]``: of the children at hand."""
    readings: np.ndarray
    """``READING[NUM_SIDES]``: of the board, by the scripted policy for each side, and its weights."""
    features: np.ndarray
    """``float64[NUM_FEATURES]``: of the position that is valued."""
    odds: np.ndarray
    """``float32[...]``: of battles, see ``battle_odds``."""
    coefficients: np.ndarray
    """``float64[NUM_FEATURES]``: of the value."""


SEARCHES.argument_types |= {
    "tree": tuple_of(
        Tree, array_of(NODE), array_of(np.float32, 2), array_of(np.int64, 2), array_of(np.float32, 2), WORDS
    ),
    "selection": tuple_of(Selection, *[Number.FLOAT64] * len(Selection._fields)),
    "scratch": tuple_of(
        Scratch,
        STATES,
        array_of(np.bool_),
        FLOATS,
        WORDS,
        array_of(TALLY),
        READINGS,
        FLOATS,
        array_of(np.float32),
        FLOATS,
    ),
    "legal": WORDS,
    "tally": array_of(TALLY),
    "outcome": Number.FLOAT64,
}
_WORD = 0xFFFFFFFF


@kernel
def start_simulation(scratch, seed, simulation):
    """Goes on to the decision of the world in ``scratch``, with dice that follow from the seed."""
    state = scratch.states[0]
    seed_chance(state, stream_word(seed & _WORD, seed >> 32, simulation))
    run(state, scratch.mask)


@kernel
def find_child(tree, node, action, question):
    """The child that an action leads to, or ``NO_NODE``."""
    child = tree.nodes[node].first_child
    while child != NO_NODE and (tree.nodes[child].action != action or tree.nodes[child].question != question):
        child = tree.nodes[child].next_sibling
    return child


@kernel
def add_child(tree, node, action, question):
    """Adds a child, which must have room; returns it."""
    child = tree.used[0]
    tree.used[0] += 1
    tree.nodes[child].action = action
    tree.nodes[child].question = question
    tree.nodes[child].parent = node
    tree.nodes[child].first_child = NO_NODE
    tree.nodes[child].next_sibling = tree.nodes[node].first_child
    tree.nodes[node].first_child = child
    return child


@kernel
def score_scripted(scratch, scores):
    """Writes what the scripted policy thinks of the legal actions; of others, anything."""
    state = scratch.states[0]
    board = scratch.readings[deciding_side(state)]
    score_legal_actions(state, scratch.mask, scores, board, scratch.odds)


@kernel
def list_legal(mask, legal):
    """Writes the legal actions in order; returns how many there are."""
    count = 0
    for first in range(0, NUM_ACTIONS, FLAGS_PER_WORD):
        flags = flag_word(mask, first)
        while flags != 0:
            legal[count] = first + lowest_bit(flags)
            flags &= flags - 1
            count += 1
    return count


@kernel
def write_priors(legal, count, scores, selection):
    """Turns scores of legal actions into probabilities, of which a part is spread evenly."""
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


@kernel
def back_up(tree, node, outcome):
    """Adds the value that a simulation came to at a node and all above it."""
    while node != NO_NODE:
        tree.nodes[node].visits += 1
        tree.nodes[node].value_sum += outcome
        node = tree.nodes[node].parent


def new_tree(games: int, room: int, logits: int = 0, hidden: int = 0) -> Tree:
    """The roots of so many games.

    Args:
        games: G, how many.
        room: N >= G, nodes that there is room for.
        logits: columns of ``Tree.logits``.
        hidden: columns of ``Tree.hidden``.
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
        np.array([games], dtype=np.int64),
    )


def make_room(tree: Tree, more: int) -> Tree:
    """The tree with room for ``more`` further nodes; the same one, if it has it."""
    used, room = int(tree.used[0]), len(tree.nodes)
    if used + more <= room:
        return tree
    larger = new_tree(0, max(used + more, 2 * room), tree.logits.shape[1], tree.hidden.shape[1])
    for new, old in zip(larger[:-1], tree[:-1], strict=True):
        new[:used] = old[:used]
    return larger._replace(used=tree.used)


def new_scratch() -> Scratch:
    """Room for the simulations of one thread."""
    return Scratch(
        states=np.zeros(1, dtype=STATE),
        mask=np.zeros(NUM_ACTIONS, dtype=np.bool_),
        scores=np.zeros(NUM_ACTIONS),
        legal=np.zeros(NUM_ACTIONS, dtype=np.int64),
        tally=np.zeros(NUM_ACTIONS, dtype=TALLY),
        readings=new_readings(DEFAULT_WEIGHTS, NUM_SIDES),
        features=np.zeros(NUM_FEATURES),
        odds=battle_odds().reshape(-1),
        coefficients=load_coefficients(),
    )
