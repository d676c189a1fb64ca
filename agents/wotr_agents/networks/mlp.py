"""Networks of the kind ``mlp`` inside kernels: a search asks them without leaving machine code.

A position is followed from the first one that the same seat was asked about: the sum of the first layer is
that one's, and what differs is added. It is then no matter who else is asked in between, or how many.

The numbers of a layer are filled up with zeros to a multiple of ``LANES``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from wotr_agents.kernels import AGENTS, WORDS, kernel
from wotr_env.actions import NUM_ACTIONS
from wotr_env.compiler.memory import FLAGS_PER_WORD, flag_word, lowest_bit, unequal_flags
from wotr_env.compiler.types import Number, array_of, tuple_of
from wotr_env.compiler.vectors import add_rows, dot, padded

NORM_EPSILON = 1e-5
"""That torch adds to the variance."""
_LEAST_ADVICE = 127


class MlpWeights(NamedTuple):
    """The weights of a network of L hidden layers; C kinds of decisions, A actions, E ends."""

    first: np.ndarray
    """``float32[I, W]``: of the first layer, times the scale of each input."""
    first_bias: np.ndarray
    """``float32[W]``"""
    norm: np.ndarray
    """``float32[3, W]``: gain and bias behind the first layer; 1 for the layer's own numbers."""
    hidden: np.ndarray
    """``float32[W + (L - 1) * H, H]``: of the layers behind it, one below the other, by their inputs."""
    hidden_bias: np.ndarray
    """``float32[L, H]``"""
    gain: np.ndarray
    """``float32[C, H]``: what the policy head sees of the last layer, by the kind of decision."""
    policy: np.ndarray
    """``float32[A, H]``"""
    policy_bias: np.ndarray
    """``float32[C, A]``"""
    advice: np.ndarray
    """``float32[C]``: what advice is multiplied by; of size 0 without advice."""
    ends: np.ndarray
    """``float32[E, H]``"""
    end_bias: np.ndarray
    """``float32[E]``"""
    worth: np.ndarray
    """``float64[E]``: of each end, as a chance that the Free Peoples win."""
    width: int
    """Of the first layer, before it is filled up."""


class Followed(NamedTuple):
    """What the network has been asked about K seats, and room for one position."""

    known: np.ndarray
    """``int64[K]``: whether something is known of a seat."""
    inputs: np.ndarray
    """``int8[K, I]``: the first position that it was asked about."""
    sums: np.ndarray
    """``float32[K, W]``: of the first layer there."""
    now: np.ndarray
    """``int8[I]``: the inputs at hand."""
    places: np.ndarray
    """``int64[max(I, W, H)]``: which numbers of a layer count."""
    factors: np.ndarray
    """``float32[max(I, W, H)]``: those numbers."""
    first: np.ndarray
    """``float32[W]``: the first layer."""
    hidden: np.ndarray
    """``float32[H]``: the layer at hand."""
    scores: np.ndarray
    """``float64[NUM_ACTIONS]``: what the scripted policy thinks of the actions."""


_ROWS = ("first_bias", "advice", "end_bias")
"""The weights that are no tables."""
_NUMBERS = array_of(np.float32)
_TABLE = array_of(np.float32, 2)

AGENTS.argument_types |= {
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
        array_of(np.float64),
        Number.INT64,
    ),
    "followed": tuple_of(
        Followed,
        WORDS,
        array_of(np.int8, 2),
        _TABLE,
        array_of(np.int8),
        WORDS,
        _NUMBERS,
        _NUMBERS,
        _NUMBERS,
        array_of(np.float64),
    ),
    "numbers": _NUMBERS,
    "places": WORDS,
    "factors": _NUMBERS,
    "advice": array_of(np.int8),
}


def no_network() -> MlpWeights:
    """Weights of no size, where the network is none of these."""
    table, numbers = np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.float32)
    of = {name: numbers if name in _ROWS else table for name in MlpWeights._fields}
    return MlpWeights(**{**of, "worth": np.zeros(0), "width": 0})


def new_followed(network: MlpWeights, seats: int) -> Followed:
    """Room to follow so many seats."""
    inputs, width = network.first.shape
    most = max(inputs, *network.hidden.shape)
    return Followed(
        known=np.zeros(seats, dtype=np.int64),
        inputs=np.zeros((seats, inputs), dtype=np.int8),
        sums=np.zeros((seats, width), dtype=np.float32),
        now=np.zeros(inputs, dtype=np.int8),
        places=np.zeros(most, dtype=np.int64),
        factors=np.zeros(most, dtype=np.float32),
        first=np.zeros(width, dtype=np.float32),
        hidden=np.zeros(network.hidden.shape[1], dtype=np.float32),
        scores=np.zeros(NUM_ACTIONS),
    )


def fill_up(table: np.ndarray, rows: bool = False) -> np.ndarray:
    """The numbers as float32, their last axis filled up with zeros; so are the rows, if asked."""
    widths = [(0, 0)] * (table.ndim - 1) + [(0, padded(table.shape[-1]) - table.shape[-1])]
    if rows:
        widths[0] = (0, padded(table.shape[0]) - table.shape[0])
    return np.ascontiguousarray(np.pad(table, widths), dtype=np.float32)


@kernel
def write_legal_advice(mask, scores, advice):
    """How much worse than the best each legal action scores, on a scale that is fine near the best.

    0 for the best action, down to -127; nothing is written for illegal ones.
    """
    best = -1e30
    for first in range(0, NUM_ACTIONS, FLAGS_PER_WORD):
        legal = flag_word(mask, first)
        while legal != 0:
            best = max(best, scores[first + lowest_bit(legal)])
            legal &= legal - 1
    for first in range(0, NUM_ACTIONS, FLAGS_PER_WORD):
        legal = flag_word(mask, first)
        while legal != 0:
            action = first + lowest_bit(legal)
            legal &= legal - 1
            if scores[action] < best:
                worse = 16.0 * math.log2(1.0 + 4.0 * (best - scores[action]))
                advice[action] = -min(_LEAST_ADVICE, int(worse + 0.5))
            else:
                advice[action] = 0


@kernel
def _sum_first_layer(network, followed, seat):
    """Writes the first layer of the inputs at hand, from what is known of the seat."""
    now, first = followed.now, followed.first
    places, factors = followed.places, followed.factors
    before = followed.inputs[seat]
    fresh = followed.known[seat] == 0
    if fresh:
        for column in range(first.size):
            followed.sums[seat, column] = network.first_bias[column]
    found = 0
    for start in range(0, now.size, FLAGS_PER_WORD):
        changed = unequal_flags(now, before, start)
        while changed != 0:
            place = start + lowest_bit(changed)
            changed &= changed - 1
            places[found] = place
            factors[found] = int(now[place]) - int(before[place])
            found += 1
    if fresh:
        for number in range(found):
            followed.inputs[seat, places[number]] = now[places[number]]
        add_rows(followed.sums[seat], network.first, places, factors, found)
        followed.known[seat] = 1
    for column in range(first.size):
        first[column] = followed.sums[seat, column]
    if not fresh:
        add_rows(first, network.first, places, factors, found)


@kernel
def _normalise(network, numbers):
    """Layer normalisation of the first layer; then what is below zero is cut off."""
    gain, bias, ones = network.norm[0], network.norm[1], network.norm[2]
    mean = np.float32(dot(numbers, ones) / network.width)
    for column in range(numbers.size):
        numbers[column] = (numbers[column] - mean) * ones[column]
    variance = dot(numbers, numbers) / network.width
    scale = np.float32(1.0 / math.sqrt(variance + NORM_EPSILON))
    for column in range(numbers.size):
        numbers[column] = numbers[column] * scale * gain[column] + bias[column]
    _cut_off(numbers)


@kernel
def _cut_off(numbers):
    for column in range(numbers.size):
        numbers[column] = max(numbers[column], np.float32(0.0))


@kernel
def _apply_layer(network, followed, numbers, layer, first_row):
    """Writes a hidden layer behind these numbers; its weights begin in that row."""
    hidden, places, factors = followed.hidden, followed.places, followed.factors
    found = 0
    for place in range(numbers.size):
        places[found] = first_row + place
        factors[found] = numbers[place]
        found += numbers[place] > 0.0
    for column in range(hidden.size):
        hidden[column] = network.hidden_bias[layer, column]
    add_rows(hidden, network.hidden, places, factors, found)
    _cut_off(hidden)


@kernel
def evaluate_position(network, followed, seat):
    """The value of the inputs at hand; writes the last hidden layer.

    Args:
        network: ``MlpWeights``.
        followed: ``Followed``, with the inputs.
        seat: 0 <= seat < K, whose position it is.

    Returns:
        The chance that the Free Peoples win, half of draws included.
    """
    first, hidden = followed.first, followed.hidden
    _sum_first_layer(network, followed, seat)
    _normalise(network, first)
    _apply_layer(network, followed, first, 0, 0)
    for layer in range(1, network.hidden_bias.shape[0]):
        _apply_layer(network, followed, hidden, layer, first.size + (layer - 1) * hidden.size)
    highest = -1e30
    scores = followed.scores
    for end in range(network.worth.size):
        scores[end] = dot(hidden, network.ends[end]) + network.end_bias[end]
        highest = max(highest, scores[end])
    total = 0.0
    value = 0.0
    for end in range(network.worth.size):
        weight = math.exp(scores[end] - highest)
        total += weight
        value += weight * network.worth[end]
    return value / total
