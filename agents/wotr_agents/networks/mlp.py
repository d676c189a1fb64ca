"""Networks of the kind ``mlp`` inside kernels, so that a search evaluates a network without leaving machine
code.

The first layer is computed incrementally for each seat: the search stores the first position of the seat and
the sum of its first layer, and adds only the inputs that differ. So the result does not depend on positions
of other seats that are evaluated in between.

The sizes of layers are padded with zeros to a multiple of ``LANES``. The kernels are templates
(``wotr_env.compiler.templates``), of which the searches of each game have copies.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from wotr_env.compiler.memory import FLAGS_PER_WORD, lowest_bit, unequal_flags
from wotr_env.compiler.types import ArgumentType, Number, array_of, tuple_of
from wotr_env.compiler.vectors import FEW, add_rows, add_rows_to_few, dot, padded

NORM_EPSILON = 1e-5
"""The number that torch adds to the variance."""
_LEAST_ADVICE = 127


class MlpWeights(NamedTuple):
    """The weights of a network of L hidden layers; C kinds of decisions, A actions, E ends, T teams."""

    first: np.ndarray
    """``float32[I, W]``: the weights of the first layer, times the scale of each input."""
    first_bias: np.ndarray
    """``float32[W]``"""
    norm: np.ndarray
    """``float32[3, W]``: gain and bias of the normalisation after the first layer, and a mask with 1 for
    numbers that are not padding."""
    hidden: np.ndarray
    """``float32[W + (L - 1) * H, H]``: the weights of the layers after the first, one below the other, by
    their inputs."""
    hidden_bias: np.ndarray
    """``float32[L, H]``"""
    gain: np.ndarray
    """``float32[C, H]``: factors of the last layer for the policy head, by kind of decision."""
    policy: np.ndarray
    """``float32[A, H]``"""
    policy_bias: np.ndarray
    """``float32[C, A]``"""
    advice: np.ndarray
    """``float32[C]``: the factor of advice, by kind of decision; of size 0 without advice."""
    ends: np.ndarray
    """``float32[E, H]``"""
    end_bias: np.ndarray
    """``float32[E]``"""
    worth: np.ndarray
    """``float64[E, T]``: the value of each end for each team, as a winning chance."""
    width: int
    """The width of the first layer without padding."""


class Accumulators(NamedTuple):
    """The inputs and sums of the first layer for K seats, and scratch memory."""

    known: np.ndarray
    """``int64[K]``: whether a position of the seat has been stored."""
    inputs: np.ndarray
    """``int8[K, I]``: the stored position of each seat."""
    sums: np.ndarray
    """``float32[K, W]``: the sums of the first layer for the stored positions."""
    now: np.ndarray
    """``int8[I]``: the current inputs."""
    places: np.ndarray
    """``int64[max(I, W, H)]``: the places of the nonzero numbers of a layer."""
    factors: np.ndarray
    """``float32[I]``: the numbers at these places."""
    factors_of_few: np.ndarray
    """``float32[max(W, H), FEW]``: the numbers at these places, for ``FEW`` positions."""
    first: np.ndarray
    """``float32[B, W]``: the first layer of B positions."""
    hidden: np.ndarray
    """``float32[FEW, H]``: the current hidden layer of ``FEW`` positions."""
    ends: np.ndarray
    """``float64[E]``: the logits of the ends."""


_ROWS = ("first_bias", "advice", "end_bias")
"""The weights that are one-dimensional."""
_NUMBERS = array_of(np.float32)
_TABLE = array_of(np.float32, 2)
_WORDS = array_of(np.int64)

ARGUMENT_TYPES: dict[str, ArgumentType] = {
    "network": tuple_of(
        MlpWeights,
        _TABLE,
        _NUMBERS,
        _TABLE,
        _TABLE,
        _TABLE,
        _TABLE,
        _TABLE,
        _TABLE,
        _NUMBERS,
        _TABLE,
        _NUMBERS,
        array_of(np.float64, 2),
        Number.INT64,
    ),
    "accumulators": tuple_of(
        Accumulators,
        _WORDS,
        array_of(np.int8, 2),
        _TABLE,
        array_of(np.int8),
        _WORDS,
        _NUMBERS,
        _TABLE,
        _TABLE,
        _TABLE,
        array_of(np.float64),
    ),
    "numbers": _NUMBERS,
    "layer_inputs": _TABLE,
    "places": _WORDS,
    "factors": _NUMBERS,
    "advice": array_of(np.int8),
    "total": Number.FLOAT64,
}


def no_network() -> MlpWeights:
    """Empty weights, for a search without a network or with a network that is not in kernels."""
    table, numbers = np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.float32)
    of = {name: numbers if name in _ROWS else table for name in MlpWeights._fields}
    return MlpWeights(**{**of, "worth": np.zeros((0, 0)), "width": 0})


def new_accumulators(network: MlpWeights, seats: int, positions: int) -> Accumulators:
    """New memory for this number of seats, and for this number of positions at once."""
    inputs, width = max(network.first.shape[0], FLAGS_PER_WORD), network.first.shape[1]
    hidden = network.hidden.shape[1]
    most = max(width, hidden)
    return Accumulators(
        known=np.zeros(seats, dtype=np.int64),
        inputs=np.zeros((seats, inputs), dtype=np.int8),
        sums=np.zeros((seats, width), dtype=np.float32),
        now=np.zeros(inputs, dtype=np.int8),
        places=np.zeros(max(inputs, most), dtype=np.int64),
        factors=np.zeros(inputs, dtype=np.float32),
        factors_of_few=np.zeros((most, FEW), dtype=np.float32),
        first=np.zeros((padded(positions, FEW), width), dtype=np.float32),
        hidden=np.zeros((FEW, hidden), dtype=np.float32),
        ends=np.zeros(len(network.worth)),
    )


def pad_to_lanes(table: np.ndarray, rows: bool = False) -> np.ndarray:
    """The numbers as float32, with the last axis padded with zeros to a multiple of ``LANES``; with ``rows``,
    the first axis too."""
    widths = [(0, 0)] * (table.ndim - 1) + [(0, padded(table.shape[-1]) - table.shape[-1])]
    if rows:
        widths[0] = (0, padded(table.shape[0]) - table.shape[0])
    return np.ascontiguousarray(np.pad(table, widths), dtype=np.float32)


def write_legal_advice(legal, count, scores, advice):
    """Writes the advice for each legal action: the distance of its score to the best score, on a logarithmic
    scale.

    The best action gets 0, others a negative number down to -127. Illegal actions are not written.
    """
    best = -1e30
    for place in range(count):
        best = max(best, scores[legal[place]])
    for place in range(count):
        action = legal[place]
        if scores[action] < best:
            worse = 16.0 * math.log2(1.0 + 4.0 * (best - scores[action]))
            advice[action] = -min(_LEAST_ADVICE, int(worse + 0.5))
        else:
            advice[action] = 0


def _find_changes(accumulators, seat):
    """Finds the places where the current inputs differ from the stored position of the seat; returns their
    number."""
    now, before = accumulators.now, accumulators.inputs[seat]
    places, factors = accumulators.places, accumulators.factors
    found = 0
    for start in range(0, now.size, FLAGS_PER_WORD):
        changed = unequal_flags(now, before, start)
        while changed != 0:
            place = start + lowest_bit(changed)
            changed &= changed - 1
            places[found] = place
            factors[found] = int(now[place]) - int(before[place])
            found += 1
    return found


def _sum_first_layer(network, accumulators, seat, numbers, moves):
    """Writes the first layer of the current inputs, from the stored sums of the seat."""
    sums, places, factors = accumulators.sums[seat], accumulators.places, accumulators.factors
    found = _find_changes(accumulators, seat)
    if accumulators.known[seat] == 0:
        accumulators.known[seat] = 1
        for column in range(sums.size):
            sums[column] = network.first_bias[column]
        moves = 1
    if moves:
        add_rows(sums, network.first, places, factors, found)
        for number in range(found):
            accumulators.inputs[seat, places[number]] = accumulators.now[places[number]]
        found = 0
    for column in range(sums.size):
        numbers[column] = sums[column]
    add_rows(numbers, network.first, places, factors, found)


def _normalise(network, numbers):
    """Normalises a layer in place."""
    gain, bias, ones = network.norm[0], network.norm[1], network.norm[2]
    mean = np.float32(dot(numbers, ones) / network.width)
    for column in range(numbers.size):
        numbers[column] = (numbers[column] - mean) * ones[column]
    variance = dot(numbers, numbers) / network.width
    scale = np.float32(1.0 / math.sqrt(variance + NORM_EPSILON))
    for column in range(numbers.size):
        numbers[column] = numbers[column] * scale * gain[column] + bias[column]


def _relu(numbers):
    """Replaces negative numbers by zero."""
    for column in range(numbers.size):
        numbers[column] = max(numbers[column], np.float32(0.0))


def write_first_layer(network, accumulators, seat, position, moves):
    """Writes the first layer of a position.

    Args:
        network: the weights of the network, ``MlpWeights``.
        accumulators: ``Accumulators``, with the current inputs.
        seat: 0 <= seat < K, the seat of the position.
        position: 0 <= position < B.
        moves: whether this position is stored for the seat in place of the previous one, as along a game.
    """
    numbers = accumulators.first[position]
    _sum_first_layer(network, accumulators, seat, numbers, moves)
    _normalise(network, numbers)
    _relu(numbers)


def forget(accumulators, seat):
    """Clears the stored position of a seat; its next position is stored instead."""
    accumulators.known[seat] = 0
    for place in range(accumulators.now.size):
        accumulators.inputs[seat, place] = 0


def _find_inputs(accumulators, layer_inputs, first_row):
    """Finds the inputs of a layer that are above 0 in at least one of ``FEW`` positions; returns their
    number."""
    places, factors = accumulators.places, accumulators.factors_of_few
    found = 0
    for place in range(layer_inputs.shape[1]):
        total = np.float32(0.0)
        for which in range(FEW):
            factors[found, which] = layer_inputs[which, place]
            total += layer_inputs[which, place]
        places[found] = first_row + place
        found += int(total > 0.0)
    return found


def _apply_layer(network, accumulators, layer_inputs, layer, first_row):
    """Writes a hidden layer of ``FEW`` positions from its inputs; the weights begin in row ``first_row``."""
    hidden = accumulators.hidden
    found = _find_inputs(accumulators, layer_inputs, first_row)
    for which in range(FEW):
        for column in range(hidden.shape[1]):
            hidden[which, column] = network.hidden_bias[layer, column]
    add_rows_to_few(hidden, network.hidden, accumulators.places, accumulators.factors_of_few, found)
    for which in range(FEW):
        _relu(hidden[which])


def write_hidden_layers(network, accumulators, position):
    """Computes the last hidden layer of ``FEW`` consecutive positions, beginning with ``position``, from
    their first layers.

    All ``FEW`` positions are computed. A position that the caller does not use does not affect the others.
    """
    width, size = accumulators.first.shape[1], accumulators.hidden.shape[1]
    _apply_layer(network, accumulators, accumulators.first[position : position + FEW], 0, 0)
    for layer in range(1, network.hidden_bias.shape[0]):
        _apply_layer(network, accumulators, accumulators.hidden, layer, width + (layer - 1) * size)


def scale_by_decision(network, numbers, decision):
    """Turns a last hidden layer into the inputs of the policy head, in place."""
    gain = network.gain[decision]
    for column in range(numbers.size):
        numbers[column] *= gain[column]


def logit_of(network, numbers, decision, action):
    """The logit of an action from the inputs of the policy head, without advice."""
    return dot(numbers, network.policy[action]) + float(network.policy_bias[decision, action])


def weigh_ends(network, accumulators, which):
    """Writes the likelihood of each end of one of the ``FEW`` positions, up to a common factor; returns the
    sum."""
    hidden, ends = accumulators.hidden[which], accumulators.ends
    highest = -1e30
    for end in range(ends.size):
        ends[end] = dot(hidden, network.ends[end]) + float(network.end_bias[end])
        highest = max(highest, ends[end])
    total = 0.0
    for end in range(ends.size):
        ends[end] = math.exp(ends[end] - highest)
        total += ends[end]
    return total


def value_of_ends(network, accumulators, total, team):
    """The winning chance of a team, where a draw counts as one half, from the weights that ``weigh_ends``
    wrote."""
    ends = accumulators.ends
    value = 0.0
    for end in range(ends.size):
        value += ends[end] * network.worth[end, team]
    return value / total


TEMPLATES = (
    write_legal_advice,
    _find_changes,
    _sum_first_layer,
    _normalise,
    _relu,
    write_first_layer,
    forget,
    _find_inputs,
    _apply_layer,
    write_hidden_layers,
    scale_by_decision,
    logit_of,
    weigh_ends,
    value_of_ends,
)
