"""Playouts by a network in kernels, which estimate the values of actions.

Each row of weights is read once for ``FEW`` positions. So ``FEW`` games are played at the same time, each at
a *table*. The network is not evaluated where only one action is legal. The result of a game does not depend
on the games at the other tables. The kernels are templates (``stand_ins.py``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from wotr_agents.networks.mlp import (
    forget,
    logit_of,
    scale_by_decision,
    value_of_ends,
    weigh_ends,
    write_first_layer,
    write_hidden_layers,
)
from wotr_agents.search.guided import end_value, seen_by, write_inputs
from wotr_agents.search.stand_ins import (
    apply,
    last_team,
    list_legal,
    num_actions,
    num_seats,
    observation_size,
    run,
    seed_chance,
)
from wotr_env.compiler.types import ArgumentType, Number, TupleType, array_of, tuple_of
from wotr_env.compiler.vectors import FEW
from wotr_env.core.chance import stream_word
from wotr_env.core.codes import GOING_ON
from wotr_env.core.kind import GameKind

_WORD = 0xFFFFFFFF
_FREE = -1
"""Instead of the number of a playout: the table is free."""


class Tables(NamedTuple):
    """``FEW`` games that are played at the same time."""

    playouts: np.ndarray
    """``int64[FEW]``: the number of the playout at each table."""
    followed: np.ndarray
    """``int64[FEW]``: the place of each playout in its line; past the end of the line once the playout has
    left it."""
    drawn: np.ndarray
    """``int64[FEW]``: the count of random numbers that each playout has used for choices."""
    states: np.ndarray
    """``kind.state[FEW]``"""
    masks: np.ndarray
    """``bool[FEW, A]``"""
    advice: np.ndarray
    """``int8[FEW, A]``: advice for the legal actions, if the network uses advice."""


def new_tables(kind: GameKind) -> Tables:
    """Tables without games."""
    actions = kind.actions.size
    return Tables(
        playouts=np.zeros(FEW, dtype=np.int64),
        followed=np.zeros(FEW, dtype=np.int64),
        drawn=np.zeros(FEW, dtype=np.int64),
        states=np.zeros(FEW, dtype=kind.state),
        masks=np.zeros((FEW, actions), dtype=np.bool_),
        advice=np.zeros((FEW, actions), dtype=np.int8),
    )


def tables_type(kind: GameKind) -> TupleType:
    """The type of ``Tables`` in a game."""
    words = array_of(np.int64)
    flags, numbers = array_of(np.bool_, 2), array_of(np.int8, 2)
    return tuple_of(Tables, words, words, words, array_of(kind.state), flags, numbers)


ARGUMENT_TYPES: dict[str, ArgumentType] = {
    "lines": array_of(np.int64, 2),
    "ends": array_of(np.float64),
    "temperature": Number.FLOAT64,
}
"""Types of arguments that are the same in all games."""


def _begin(tables, table, accumulators, states, playout, action, seed):
    """Sets up a playout: a world, its dice and the first action of its line."""
    tables.states[table] = states[playout]
    state = tables.states[table]
    seed_chance(state, stream_word(seed & _WORD, seed >> 32, 0))
    apply(state, action)
    run(state, tables.masks[table])
    tables.playouts[table] = playout
    tables.followed[table] = 1
    tables.drawn[table] = 1
    for seat in range(num_seats):
        forget(accumulators, table * num_seats + seat)


def _next_of_line(tables, table, lines, mask):
    """The next action of a playout's line; -1 at its end or if the action is illegal, which ends the line."""
    playout, place = tables.playouts[table], tables.followed[table]
    if place >= lines.shape[1] or lines[playout, place] < 0:
        return -1
    action = lines[playout, place]
    if not mask[action]:
        tables.followed[table] = lines.shape[1]
        return -1
    tables.followed[table] = place + 1
    return action


def _play_to_choice(tables, table, lines, legal):
    """Plays until a choice that the line does not contain; returns whether the game continues."""
    state, mask = tables.states[table], tables.masks[table]
    while state.winner == GOING_ON:
        if list_legal(mask, legal) > 1:
            action = _next_of_line(tables, table, lines, mask)
            if action < 0:
                return True
        else:
            action = legal[0]
        apply(state, action)
        run(state, mask)
    return False


def _ask_at(network, accumulators, scratch, tables, table):
    """Starts the evaluation of the position at a table."""
    state, mask, legal = tables.states[table], tables.masks[table], scratch.legal
    if network.advice.size > 0:
        scratch.states[0] = state
        for action in range(num_actions):
            scratch.mask[action] = mask[action]
    write_inputs(network, accumulators, scratch, state)
    if network.advice.size > 0:
        advice = accumulators.now[observation_size:]
        for number in range(list_legal(mask, legal)):
            tables.advice[table, legal[number]] = advice[legal[number]]
    write_first_layer(network, accumulators, table * num_seats + int(state.seat), table, 1)


def _value_at(network, accumulators, table, team):
    """The network's estimate of the chance that a team wins the game at a table."""
    total = weigh_ends(network, accumulators, table)
    if last_team > 1:
        return value_of_ends(network, accumulators, total, team)
    return seen_by(value_of_ends(network, accumulators, total, 0), 1.0, team)


def _choose(network, accumulators, scratch, tables, table, seed, temperature):
    """Chooses an action with the network's policy: the most likely one, or a random one if the temperature is
    above 0."""
    decision = int(tables.states[table].decision)
    legal, scores = scratch.legal, scratch.scores
    scale_by_decision(network, accumulators.hidden[table], decision)
    count = list_legal(tables.masks[table], legal)
    best = 0
    for number in range(count):
        action = legal[number]
        logit = logit_of(network, accumulators.hidden[table], decision, action)
        if network.advice.size > 0:
            logit += float(network.advice[decision]) * int(tables.advice[table, action])
        scores[number] = logit
        if logit > scores[best]:
            best = number
    if temperature <= 0.0:
        return legal[best]
    highest = scores[best]
    total = 0.0
    for number in range(count):
        scores[number] = math.exp((scores[number] - highest) / temperature)
        total += scores[number]
    word = stream_word(seed & _WORD, seed >> 32, tables.drawn[table])
    tables.drawn[table] += 1
    left = total * word / (_WORD + 1)
    for number in range(count):
        left -= scores[number]
        if left < 0.0:
            return legal[number]
    return legal[count - 1]


def play_out(
    network, accumulators, scratch, tables, states, lines, seeds, ends, temperature, last_turn, team
):
    """Plays P games to their ends, each from a position and first along a line of actions.

    Args:
        network: the weights of the network, ``MlpWeights``.
        accumulators: ``Accumulators``, with ``FEW * num_seats`` seats and room for ``FEW`` positions.
        scratch: the working memory, a ``Scratch``.
        tables: the games at the tables, a ``Tables``.
        states: ``kind.state[P]``, each with a decision pending.
        lines: ``int64[P, L]``: the actions at the first choices with more than one legal action. If an action
            of a line is illegal, the playout leaves the line. A line has at least one action, and -1 after
            its end.
        seeds: ``int64[P]``: seeds of dice and choices, 0 <= seed < 2**62.
        ends: ``float64[P]``, written: the result for the team, or its winning chance in an unfinished game.
        temperature: the divisor of the logits; 0 for the most likely actions.
        last_turn: the last turn to play; afterwards the network evaluates the position.
        team: the team whose results are written.
    """
    begun = 0
    done = 0
    for table in range(FEW):
        tables.playouts[table] = _FREE
    while done < seeds.size:
        for table in range(FEW):
            while tables.playouts[table] != _FREE or begun < seeds.size:
                if tables.playouts[table] == _FREE:
                    _begin(tables, table, accumulators, states, begun, lines[begun, 0], seeds[begun])
                    begun += 1
                if _play_to_choice(tables, table, lines, scratch.legal):
                    _ask_at(network, accumulators, scratch, tables, table)
                    break
                ends[tables.playouts[table]] = end_value(tables.states[table], team)
                tables.playouts[table] = _FREE
                done += 1
        write_hidden_layers(network, accumulators, 0)
        for table in range(FEW):
            playout = tables.playouts[table]
            if playout == _FREE:
                continue
            if tables.states[table].turn > last_turn:
                ends[playout] = _value_at(network, accumulators, table, team)
                tables.playouts[table] = _FREE
                done += 1
            else:
                action = _choose(network, accumulators, scratch, tables, table, seeds[playout], temperature)
                apply(tables.states[table], action)
                run(tables.states[table], tables.masks[table])


TEMPLATES = (_begin, _next_of_line, _play_to_choice, _ask_at, _value_at, _choose, play_out)
