"""Simulations with rollouts: the scripted policy gives the priors, and a rollout follows the tree.

A node stands for the actions from the root to it; all chance outcomes share the node. The priors are a
softmax of the scripted policy's scores in the sampled world. From the last node, a rollout policy plays on,
and the position at its end is evaluated.

The kernels are templates (``stand_ins.py``) for games of two teams. ``several.py`` replaces some of them in
games of more teams.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from wotr_agents.search.stand_ins import (
    apply,
    choose_action,
    choose_at_random,
    deciding_team,
    list_legal,
    run,
    score_actions,
    value_position,
)
from wotr_agents.search.tree import (
    ANY_QUESTION,
    ARGUMENT_TYPES,
    NO_NODE,
    Selection,
    add_child,
    back_up,
    find_child,
    start_simulation,
    write_priors,
)
from wotr_env.compiler.codes import Codes
from wotr_env.compiler.types import Number, tuple_of
from wotr_env.core.chance import stream_word
from wotr_env.core.codes import GOING_ON

_ROOT = 0
_FIRST_TEAM, _SECOND_TEAM = 0, 1
_ROLLOUT_NOISE = 0.5
"""The noise of the scripted policy in rollouts."""
_ROLLOUT_STREAM = 7
"""Separates the random numbers of rollouts from others with the same seed."""
_WORD = 0xFFFFFFFF


class Rollout(Codes):
    """The policy of rollouts."""

    NONE = 0
    RANDOM = 1
    SCRIPTED = 2


class SearchSettings(NamedTuple):
    """The settings of a search with rollouts."""

    selection: Selection = Selection(exploration=0.2, reduction=0.1, temperature=2.0, uniform=0.2)
    """The parameters of the selection; the temperature is in points of the scripted policy."""
    rollout: int = Rollout.SCRIPTED
    """A member of ``Rollout``."""
    depth: int = 150
    """Number of decisions of a rollout before the position is evaluated; a large number plays to the end."""
    nodes: int = 4096
    """Initial number of nodes of the tree; it grows with the simulations."""


def _select(tree, node, team, scratch, count, selection):
    """The legal action with the highest upper bound; an untried action has the reduced value of the
    position."""
    legal, tally, priors = scratch.legal, scratch.tally, scratch.scores
    for place in range(count):
        tally[legal[place]].visits = 0.0
    child = tree.nodes[node].first_child
    while child != NO_NODE:
        action = tree.nodes[child].action
        tally[action].visits = tree.nodes[child].visits
        tally[action].value_sum = tree.nodes[child].value_sum
        child = tree.nodes[child].next_sibling
    visits = max(1, tree.nodes[node].visits)
    own = tree.nodes[node].value_sum / visits
    if team == _SECOND_TEAM:
        own = 1.0 - own
    root = selection.exploration * math.sqrt(float(visits))
    best = -1
    best_bound = -1.0
    for place in range(count):
        action = legal[place]
        tries = tally[action].visits
        value = own - selection.reduction
        if tries > 0.0:
            value = tally[action].value_sum / tries
            if team == _SECOND_TEAM:
                value = 1.0 - value
        bound = value + root * priors[action] / (1.0 + tries)
        if bound > best_bound:
            best = action
            best_bound = bound
    return best


def _question_of(_team):
    """Nodes of different teams are not distinguished."""
    return ANY_QUESTION


def _descend(tree, scratch, selection):
    """Selects actions until one expands the tree or ends the game; returns the last node."""
    state = scratch.states[0]
    node = _ROOT
    expanded = False
    while state.winner == GOING_ON and not expanded:
        count = list_legal(scratch.mask, scratch.legal)
        score_actions(scratch, scratch.scores)
        write_priors(scratch.legal, count, scratch.scores, selection)
        team = deciding_team(state)
        action = _select(tree, node, team, scratch, count, selection)
        child = find_child(tree, node, action, _question_of(team))
        if child == NO_NODE:
            expanded = True
            child = add_child(tree, node, action, _question_of(team))
        apply(state, action)
        run(state, scratch.mask)
        node = child
    return node


def _roll_out(scratch, rollout, depth, stream):
    """Plays a rollout of up to ``depth`` decisions."""
    state = scratch.states[0]
    mask = scratch.mask
    for step in range(depth):
        if state.winner != GOING_ON:
            break
        if rollout == Rollout.RANDOM:
            word = stream_word(stream & _WORD, step, (stream >> 32) & _WORD)
            action = choose_at_random(mask, word)
        else:
            action = choose_action(scratch, _ROLLOUT_NOISE, stream + (step << 32))
        apply(state, action)
        run(state, mask)


def _value_for(scratch, _team):
    """The winning chance of the first team; at the end of the game 1, 0, or 0.5 for a draw."""
    winner = int(scratch.states[0].winner)
    if winner == GOING_ON:
        return value_position(scratch)
    if winner > _SECOND_TEAM:
        return 0.5
    return 1.0 - winner


def _back_up_result(tree, node, scratch):
    """Adds the value of the last position to a node and its ancestors."""
    back_up(tree, node, _value_for(scratch, _FIRST_TEAM))


SETTINGS = tuple_of(SearchSettings, ARGUMENT_TYPES["selection"], Number.INT64, Number.INT64, Number.INT64)


def simulate(tree, worlds, scratch, settings, seed, first, simulations):
    """Runs the simulations ``first`` to ``first + simulations - 1`` of one decision.

    Args:
        tree: ``Tree`` of one game, with room for ``simulations`` further nodes.
        worlds: ``kind.state[W]``, W >= 1, with the decision pending.
        scratch: the working memory, a ``Scratch``.
        settings: the settings, a ``SearchSettings``.
        seed: seed of all chance, 0 <= seed < 2**62.
        first: number of earlier simulations.
        simulations: number of simulations.
    """
    for simulation in range(first, first + simulations):
        scratch.states[0] = worlds[simulation % worlds.size]
        start_simulation(scratch, seed, simulation)
        leaf = _descend(tree, scratch, settings.selection)
        if settings.rollout != Rollout.NONE:
            stream = stream_word(simulation & _WORD, seed & _WORD, _ROLLOUT_STREAM)
            _roll_out(scratch, settings.rollout, settings.depth, stream)
        _back_up_result(tree, leaf, scratch)


def expect(worlds, scratch, action, depth, seed):
    """The mean value after an action and ``depth`` further decisions of the scripted policy: for the first
    team, or in games of more than two teams for the deciding team.

    The arguments are those of ``simulate``. Each action is followed by different random numbers.
    """
    total = 0.0
    for world in range(worlds.size):
        scratch.states[0] = worlds[world]
        number = action * worlds.size + world
        start_simulation(scratch, seed, number)
        team = deciding_team(scratch.states[0])
        apply(scratch.states[0], action)
        run(scratch.states[0], scratch.mask)
        stream = stream_word(number & _WORD, seed & _WORD, _ROLLOUT_STREAM)
        _roll_out(scratch, Rollout.SCRIPTED, depth, stream)
        total += _value_for(scratch, team)
    return total / worlds.size


TEMPLATES = (_select, _question_of, _descend, _roll_out, _value_for, _back_up_result, simulate, expect)
