"""Tree search guided by a network. The network evaluates positions in batches.

A node stands for a pending decision and the deciding seat. If chance leads to another decision, it leads to
another node. No rollout is played from a new node. The network estimates its value and the probability of
each action. The evaluation of a batch is much faster than that of single positions, so a search starts
further simulations while some positions wait. A waiting position counts as a visit, but adds nothing to the
values (A. Liu et al., "Watch the Unobserved", 2020).

The decisions of other teams may be searched like those of the deciding team, where each team maximises its
own value (``several.py``). Or a known opponent decides: the scripted policy or a network, whose input is the
information of its seat in the sampled world. The opponent's actions are then chance events, and the search
approaches a best response within its depth.

A node without visits has no logits yet: it is new, or its position waits for the network. A network in
kernels (``networks/mlp.py``) evaluates a position immediately. The search still uses the result only with the
rest of the batch, and has logits only for actions that were legal in a sampled world so far.

The kernels are templates (``stand_ins.py``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from wotr_agents.networks import mlp
from wotr_agents.networks.mlp import (
    logit_of,
    scale_by_decision,
    value_of_ends,
    weigh_ends,
    write_first_layer,
    write_hidden_layers,
    write_legal_advice,
)
from wotr_agents.search import tree as trees
from wotr_agents.search.stand_ins import (
    apply,
    choose_action,
    deciding_team,
    encode,
    last_team,
    list_legal,
    num_actions,
    num_seats,
    observation_size,
    run,
    score_actions,
)
from wotr_agents.search.tree import (
    KNOWN_PER_WORD,
    NO_NODE,
    Selection,
    add_child,
    back_up,
    find_child,
    start_simulation,
    write_priors,
)
from wotr_env.compiler.codes import Codes
from wotr_env.compiler.types import ArgumentType, Number, array_of, tuple_of
from wotr_env.compiler.vectors import FEW
from wotr_env.core.chance import stream_word
from wotr_env.core.codes import GOING_ON


class OpponentModel(Codes):
    """The policy that decides for the other teams in a simulation."""

    SEARCH = 0
    SCRIPTED = 1
    NETWORK = 2


class GuidedSettings(NamedTuple):
    """The settings of a search guided by a network."""

    selection: Selection = Selection(exploration=0.3, reduction=0.1, temperature=1.0, uniform=0.0)
    batch: int = 16
    """Simulations of each game that wait for the network together."""
    versus: int = OpponentModel.SEARCH
    """A member of ``OpponentModel``."""


class Requests(NamedTuple):
    """Up to R positions for the network to evaluate. Without advice, the arrays of advice are empty."""

    leaves: np.ndarray
    """``int64[R]``: the waiting nodes."""
    observations: np.ndarray
    """``int8[R, I]``: the observations of the deciding seats; the columns for advice are not written."""
    masks: np.ndarray
    """``bool[R, A]``, or ``[0, A]``: the legal actions."""
    scores: np.ndarray
    """``float64``, of the shape of ``masks``: the scripted policy's scores of the actions."""


class Waiting(NamedTuple):
    """The nodes of a batch whose positions wait for a network in kernels."""

    nodes: np.ndarray
    """``int64[B]``"""
    decisions: np.ndarray
    """``int64[B]``: the kinds of their decisions."""
    is_new: np.ndarray
    """``int64[B]``: whether the node is evaluated for the first time."""


_WORDS = array_of(np.int64)
ARGUMENT_TYPES: dict[str, ArgumentType] = {
    "waiting": tuple_of(Waiting, _WORDS, _WORDS, _WORDS),
    "requests": tuple_of(
        Requests, _WORDS, array_of(np.int8, 2), array_of(np.bool_, 2), array_of(np.float64, 2)
    ),
    "opponent": mlp.ARGUMENT_TYPES["network"],
    "opponent_accumulators": mlp.ARGUMENT_TYPES["accumulators"],
    "kept": Number.FLOAT64,
    "whole": Number.FLOAT64,
    "seeds": _WORDS,
    "leaves": _WORDS,
    "logits": array_of(np.float32, 2),
    "answers": array_of(np.float32),
}
"""Types of arguments that are the same in all games."""
SETTINGS = tuple_of(GuidedSettings, trees.ARGUMENT_TYPES["selection"], Number.INT64, Number.INT64)
_OVER = -1
"""The question at the end of a game."""
_OPPONENT_NOISE = 0.1
"""The noise of the scripted policy as an opponent: the default of the bot."""
_OPPONENT_STREAM = 11
"""Separates the random numbers of an opponent from others with the same seed."""
_WORD = 0xFFFFFFFF


def _question(state):
    """The pending decision and the deciding seat, as one number."""
    return _OVER if state.winner != GOING_ON else num_seats * int(state.decision) + int(state.seat)


def sum_for(tree, node, team):
    """The sum of the values at a node for one team; in games of two teams, for the first team."""
    return tree.values[node, team] if last_team > 1 else tree.nodes[node].value_sum


def seen_by(kept, whole, team):
    """A value of ``sum_for`` from the perspective of a team, where ``whole`` is the greatest possible
    value."""
    return whole - kept if last_team == 1 and team == 1 else kept


def back_up_values(tree, node, scratch):
    """Adds the values of the position in ``scratch`` to a node and its ancestors."""
    if last_team == 1:
        back_up(tree, node, scratch.values[0])
        return
    while node != NO_NODE:
        tree.nodes[node].visits += 1
        for team in range(last_team + 1):
            tree.values[node, team] += scratch.values[team]
        node = tree.nodes[node].parent


def _count_visits(tree, node, team, scratch, count):
    """Sums the visits and values of the children of each legal action; returns the number of all visits,
    including pending ones."""
    mask, legal, tally = scratch.mask, scratch.legal, scratch.tally
    for place in range(count):
        action = legal[place]
        tally[action].visits = 0.0
        tally[action].pending = 0.0
        tally[action].value_sum = 0.0
    total = 0
    child = tree.nodes[node].first_child
    while child != NO_NODE:
        action = tree.nodes[child].action
        if mask[action]:
            tally[action].visits += tree.nodes[child].visits
            tally[action].pending += tree.nodes[child].pending
            tally[action].value_sum += sum_for(tree, child, team)
            total += tree.nodes[child].visits + tree.nodes[child].pending
        child = tree.nodes[child].next_sibling
    return total


def _select_guided(tree, node, team, scratch, count, selection):
    """The legal action with the highest upper bound; an untried action has the reduced value of the
    position."""
    legal, tally = scratch.legal, scratch.tally
    total = _count_visits(tree, node, team, scratch, count)
    root = selection.exploration * math.sqrt(1.0 + total)
    untried = seen_by(sum_for(tree, node, team) / tree.nodes[node].visits, 1.0, team) - selection.reduction
    best = -1
    best_bound = -1e9
    for place in range(count):
        action = legal[place]
        visits = tally[action].visits
        value = untried
        if visits > 0.0:
            value = seen_by(tally[action].value_sum, visits, team) / visits
        bound = value + root * scratch.scores[action] / (1.0 + visits + tally[action].pending)
        if bound > best_bound:
            best = action
            best_bound = bound
    return best


def _read_logits(tree, network, node, scratch, decision, count):
    """Writes the logits of the legal actions at a node as scores; computes missing logits."""
    legal, scores, known = scratch.legal, scratch.scores, tree.known[node]
    for place in range(count):
        action = legal[place]
        word, bit = action // KNOWN_PER_WORD, action % KNOWN_PER_WORD
        if known[word] >> bit & 1 == 0:
            known[word] |= 1 << bit
            tree.logits[node, action] += logit_of(network, tree.hidden[node], decision, action)
        scores[action] = tree.logits[node, action]


def _likeliest(opponent, opponent_accumulators, scratch, first_seat):
    """The legal action with the highest probability under a network."""
    state, legal = scratch.states[0], scratch.legal
    decision = int(state.decision)
    write_inputs(opponent, opponent_accumulators, scratch, state)
    write_first_layer(opponent, opponent_accumulators, first_seat + int(state.seat), 0, 0)
    write_hidden_layers(opponent, opponent_accumulators, 0)
    scale_by_decision(opponent, opponent_accumulators.hidden[0], decision)
    advice = opponent_accumulators.now[observation_size:]
    best = -1
    best_logit = -1e30
    for place in range(list_legal(scratch.mask, legal)):
        action = legal[place]
        logit = logit_of(opponent, opponent_accumulators.hidden[0], decision, action)
        if opponent.advice.size > 0:
            logit += float(opponent.advice[decision]) * advice[action]
        if logit > best_logit:
            best = action
            best_logit = logit
    return best


def _respond(opponent, opponent_accumulators, scratch, versus, first_seat, stream):
    """The action of the known opponent in the sampled world."""
    if versus == OpponentModel.NETWORK:
        return _likeliest(opponent, opponent_accumulators, scratch, first_seat)
    return choose_action(scratch, _OPPONENT_NOISE, stream)


def _descend_guided(tree, network, opponent, opponent_accumulators, game, scratch, selection, versus, stream):
    """Selects and expands from a root down to a node without visits or to the end of the game; returns this
    node."""
    state = scratch.states[0]
    mask, legal, scores = scratch.mask, scratch.legal, scratch.scores
    node = game
    own = deciding_team(state)
    while state.winner == GOING_ON and tree.nodes[node].visits > 0:
        team = deciding_team(state)
        if versus != OpponentModel.SEARCH and team != own:
            stream += 1 << 32
            action = _respond(opponent, opponent_accumulators, scratch, versus, game * num_seats, stream)
        else:
            count = list_legal(mask, legal)
            _read_logits(tree, network, node, scratch, int(state.decision), count)
            write_priors(legal, count, scores, selection)
            action = _select_guided(tree, node, team, scratch, count, selection)
        apply(state, action)
        run(state, mask)
        question = _question(state)
        child = find_child(tree, node, action, question)
        if child == NO_NODE:
            child = add_child(tree, node, action, question)
        node = child
    return node


def _add_pending(tree, node, change):
    while node != NO_NODE:
        tree.nodes[node].pending += change
        node = tree.nodes[node].parent


def end_value(state, team):
    """The value of a finished game for a team; without a single winner all teams share it."""
    winner = int(state.winner)
    if winner > last_team:
        return 1.0 / (last_team + 1)
    return 1.0 if winner == team else 0.0


def _back_up_end(tree, leaf, scratch):
    """Backs up the values of a simulation that has reached the end of the game."""
    for team in range(last_team + 1):
        scratch.values[team] = end_value(scratch.states[0], team)
    back_up_values(tree, leaf, scratch)


def _write_request(requests, place, node, scratch):
    state = scratch.states[0]
    requests.leaves[place] = node
    encode(state, int(state.seat), requests.observations[place])
    if requests.scores.shape[0] > 0:
        for action in range(num_actions):
            requests.masks[place, action] = scratch.mask[action]
        score_actions(scratch, requests.scores[place])


def descend(
    tree,
    network,
    opponent,
    opponent_accumulators,
    worlds,
    seeds,
    requests,
    scratch,
    settings,
    first,
    simulations,
):
    """Starts the simulations ``first`` to ``first + simulations - 1`` of G games, up to the evaluation by the
    network.

    Simulations that reach the end of the game are finished. The others wait for the answers to their
    requests.

    Args:
        tree: ``Tree`` of the games, with room for G times ``simulations`` further nodes.
        network: ``no_network()``, because the network runs outside kernels.
        opponent: ``MlpWeights`` of the network that decides for the other side, or ``no_network()``.
        opponent_accumulators: ``Accumulators`` of the opponent, with G times ``num_seats`` seats and room for
            one position.
        worlds: ``kind.state[G, W]``, W >= 1, with the decision pending.
        seeds: ``int64[G]``: seeds of all chance, 0 <= seed < 2**62.
        requests: a ``Requests``, written, with room for G times ``simulations`` requests.
        scratch: the working memory, a ``Scratch``.
        settings: the settings, a ``GuidedSettings``.
        first: number of earlier simulations.
        simulations: number of simulations in each game.

    Returns:
        The number of requests.
    """
    state = scratch.states[0]
    selection, versus = settings.selection, settings.versus
    requested = 0
    for game in range(seeds.size):
        for simulation in range(first, first + simulations):
            scratch.states[0] = worlds[game, simulation % worlds.shape[1]]
            start_simulation(scratch, seeds[game], simulation)
            stream = stream_word(simulation & _WORD, seeds[game] & _WORD, _OPPONENT_STREAM)
            leaf = _descend_guided(
                tree, network, opponent, opponent_accumulators, game, scratch, selection, versus, stream
            )
            if state.winner != GOING_ON:
                _back_up_end(tree, leaf, scratch)
            else:
                _add_pending(tree, leaf, 1)
                _write_request(requests, requested, leaf, scratch)
                requested += 1
    return requested


def answer(tree, leaves, logits, answers):
    """Finishes the simulations that wait at R leaves (``int64[R]``) in a game of two teams.

    Args:
        tree: the trees of the games, a ``Tree``.
        leaves: the waiting nodes.
        logits: ``float32[R, A]``: the network's logits at these nodes.
        answers: ``float32[R]``: the network's values at these nodes.
    """
    for place in range(leaves.size):
        node = leaves[place]
        if tree.nodes[node].visits == 0:
            for action in range(num_actions):
                tree.logits[node, action] = logits[place, action]
            tree.known[node, :] = -1
        _add_pending(tree, node, -1)
        back_up(tree, node, answers[place])


def write_inputs(network, accumulators, scratch, state):
    """Writes the network's inputs for a position: the observation, and the advice if the network uses it.

    If the network uses advice, ``scratch`` must contain the same position.
    """
    now = accumulators.now
    encode(state, int(state.seat), now)
    if network.advice.size > 0:
        advice = now[observation_size:]
        for action in range(num_actions):
            advice[action] = 0
        score_actions(scratch, scratch.scores)
        count = list_legal(scratch.mask, scratch.legal)
        write_legal_advice(scratch.legal, count, scratch.scores, advice)


def _ask(tree, network, accumulators, waiting, place, node, scratch, seats):
    """Starts the evaluation of a position by the network; its node then waits. Stores the advice for a new
    node."""
    state = scratch.states[0]
    mask, legal = scratch.mask, scratch.legal
    seat, decision = int(state.seat), int(state.decision)
    is_new = tree.nodes[node].visits + tree.nodes[node].pending == 0
    write_inputs(network, accumulators, scratch, state)
    if network.advice.size > 0 and is_new:
        advice = accumulators.now[observation_size:]
        for number in range(list_legal(mask, legal)):
            action = legal[number]
            tree.logits[node, action] = network.advice[decision] * advice[action]
    write_first_layer(network, accumulators, seats + seat, place, 0)
    waiting.nodes[place] = node
    waiting.decisions[place] = decision
    waiting.is_new[place] = is_new
    _add_pending(tree, node, 1)


def _write_values(network, accumulators, which, scratch):
    """Writes the values of one of the ``FEW`` positions that the network has evaluated."""
    total = weigh_ends(network, accumulators, which)
    for team in range(last_team + 1 if last_team > 1 else 1):
        scratch.values[team] = value_of_ends(network, accumulators, total, team)


def _hear(tree, network, accumulators, waiting, count, scratch):
    """Finishes the waiting simulations."""
    for position in range(0, count, FEW):
        write_hidden_layers(network, accumulators, position)
        for which in range(min(FEW, count - position)):
            place = position + which
            node = waiting.nodes[place]
            _add_pending(tree, node, -1)
            _write_values(network, accumulators, which, scratch)
            back_up_values(tree, node, scratch)
            if waiting.is_new[place]:
                scale_by_decision(network, accumulators.hidden[which], waiting.decisions[place])
                for column in range(tree.hidden.shape[1]):
                    tree.hidden[node, column] = accumulators.hidden[which, column]


def search(
    tree,
    network,
    accumulators,
    opponent,
    opponent_accumulators,
    worlds,
    seeds,
    waiting,
    scratch,
    settings,
    first,
    simulations,
):
    """Runs the simulations ``first`` to ``first + simulations - 1`` of G games, with a network in kernels.

    For every batch, it does the same as ``descend`` followed by ``answer``.

    Args:
        tree: ``Tree`` of the games, with room for G times ``simulations`` further nodes.
        network: the weights of the network, ``MlpWeights``.
        accumulators: ``Accumulators``, with G times ``num_seats`` seats and room for a batch.
        opponent: see ``descend``.
        opponent_accumulators: see ``descend``.
        worlds: ``kind.state[G, W]``, W >= 1, with the decision pending.
        seeds: ``int64[G]``: seeds of all chance, 0 <= seed < 2**62.
        waiting: ``Waiting``, with room for a batch.
        scratch: the working memory, a ``Scratch``.
        settings: the settings, a ``GuidedSettings``.
        first: number of earlier simulations.
        simulations: number of simulations in each game.
    """
    state = scratch.states[0]
    selection, versus = settings.selection, settings.versus
    end = first + simulations
    for game in range(seeds.size):
        for start in range(first, end, settings.batch):
            asked = 0
            for simulation in range(start, min(end, start + settings.batch)):
                scratch.states[0] = worlds[game, simulation % worlds.shape[1]]
                start_simulation(scratch, seeds[game], simulation)
                stream = stream_word(simulation & _WORD, seeds[game] & _WORD, _OPPONENT_STREAM)
                leaf = _descend_guided(
                    tree, network, opponent, opponent_accumulators, game, scratch, selection, versus, stream
                )
                if state.winner != GOING_ON:
                    _back_up_end(tree, leaf, scratch)
                else:
                    _ask(tree, network, accumulators, waiting, asked, leaf, scratch, game * num_seats)
                    asked += 1
            _hear(tree, network, accumulators, waiting, asked, scratch)


TEMPLATES = (
    _question,
    sum_for,
    seen_by,
    back_up_values,
    _count_visits,
    _select_guided,
    _read_logits,
    _likeliest,
    _respond,
    _descend_guided,
    _add_pending,
    end_value,
    _back_up_end,
    write_inputs,
    _ask,
    _write_values,
    _hear,
    search,
)
EXTERNAL_NETWORK_TEMPLATES = (_write_request, descend, answer)
"""Kernels for networks that run outside kernels, in games of two teams."""
