"""Kernels of the sparse ends of networks, see ``sparse.py``; each works on a slice of samples or inputs."""

from __future__ import annotations

import math

import numba
import numpy as np

_CHUNK = 256
"""Number of samples whose gradients are sorted by input together; they fit the second-level cache."""

_LINKS = 32
"""Number of samples in a chain; the limit keeps rounding errors small."""

_BLOCK = 64
"""Number of entries compared at once."""

_LOWEST = -1e30
"""Less than every logit; fast arithmetic has no infinity."""

_compile = numba.njit(nogil=True, cache=True, fastmath=True, error_model="numpy")


@_compile
def _find(row, places):
    """Writes the places of the nonzero numbers; returns their number."""
    found = 0
    whole = row.size - row.size % 8
    for first in range(0, whole, 8):
        if (
            row[first]
            | row[first + 1]
            | row[first + 2]
            | row[first + 3]
            | row[first + 4]
            | row[first + 5]
            | row[first + 6]
            | row[first + 7]
        ):
            for place in range(first, first + 8):
                if row[place] != 0:
                    places[found] = place
                    found += 1
    for place in range(whole, row.size):
        if row[place] != 0:
            places[found] = place
            found += 1
    return found


@_compile
def _find_changes(row, before, places):
    """Writes the places where two rows differ; returns their number."""
    found = 0
    whole = row.size - row.size % _BLOCK
    for first in range(0, whole, _BLOCK):
        now, then = row[first : first + _BLOCK], before[first : first + _BLOCK]
        differs = np.int8(0)
        for place in range(_BLOCK):
            differs |= now[place] ^ then[place]
        if differs != 0:
            for place in range(_BLOCK):
                if now[place] != then[place]:
                    places[found] = first + place
                    found += 1
    for place in range(whole, row.size):
        if row[place] != before[place]:
            places[found] = place
            found += 1
    return found


@_compile
def _add_rows(total, matrix, rows, factors, first, stop):
    """Adds rows of a matrix, each times its factor; four at a time, so that the sum is loaded and stored less
    often."""
    width = total.size
    at = first
    while at + 4 <= stop:
        row0, row1, row2, row3 = (
            matrix[rows[at]],
            matrix[rows[at + 1]],
            matrix[rows[at + 2]],
            matrix[rows[at + 3]],
        )
        factor0, factor1, factor2, factor3 = factors[at], factors[at + 1], factors[at + 2], factors[at + 3]
        for column in range(width):
            total[column] += (
                factor0 * row0[column]
                + factor1 * row1[column]
                + factor2 * row2[column]
                + factor3 * row3[column]
            )
        at += 4
    while at < stop:
        row0 = matrix[rows[at]]
        factor0 = factors[at]
        for column in range(width):
            total[column] += factor0 * row0[column]
        at += 1


@_compile
def multiply(table, rows, scale, weight, bias, chained, kept, fresh, ends, out, first, stop):
    """Multiplies rows of a table by weights. If ``chained``, a product is computed from the previous one when
    their rows are similar.

    Sets ``fresh[i]`` if sample i begins a chain. If ``kept``, returns the inputs that were multiplied and
    their factors; the entries of sample i end at index ``ends[i]``.
    """
    width = table.shape[1]
    room = width + (64 * (stop - first) if kept else 0)
    places, factors = np.empty(room, np.int64), np.empty(room, np.float32)
    usual = 0
    length = 0
    start = 0
    for sample in range(first, stop):
        if start + width > places.size:
            places, factors = _doubled(places, start), _doubled(factors, start)
        here, by = places[start:], factors[start:]
        row = table[rows[sample]]
        found = usual
        if chained and 0 < length < _LINKS:
            before = table[rows[sample - 1]]
            found = _find_changes(row, before, here)
        if found < usual:
            for number in range(found):
                place = here[number]
                by[number] = (np.float32(row[place]) - np.float32(before[place])) * scale[place]
            out[sample] = out[sample - 1]
            fresh[sample] = False
            length += 1
        else:
            found = _find(row, here)
            for number in range(found):
                by[number] = row[here[number]] * scale[here[number]]
            out[sample] = bias
            fresh[sample] = True
            usual = found
            length = 1
        _add_rows(out[sample], weight, here, by, 0, found)
        if kept:
            start += found
            ends[sample] = start
    return places[:start], factors[:start]


@_compile
def dense_relu(inputs, weight, bias, out):
    """Applies a dense layer with a rectifier to rows: ``max(inputs @ weight + bias, 0)``."""
    places, factors = np.empty(inputs.shape[1], np.int64), np.empty(inputs.shape[1], np.float32)
    for sample in range(inputs.shape[0]):
        found = 0
        for place in range(inputs.shape[1]):
            if inputs[sample, place] != 0:
                places[found] = place
                factors[found] = inputs[sample, place]
                found += 1
        row = out[sample]
        row[:] = bias
        _add_rows(row, weight, places, factors, 0, found)
        for column in range(row.size):
            row[column] = max(row[column], np.float32(0.0))


@_compile
def _doubled(values, used):
    """A copy of the used values, with room for twice as many values."""
    more = np.empty(2 * values.size, values.dtype)
    more[:used] = values[:used]
    return more


@_compile
def add_later(gradient, fresh):
    """Adds to the gradient of each sample the gradients of the later samples in its chain."""
    for sample in range(gradient.shape[0] - 2, -1, -1):
        if not fresh[sample + 1]:
            for column in range(gradient.shape[1]):
                gradient[sample, column] += gradient[sample + 1, column]


@_compile
def multiply_backward(places, factors, ends, gradient, weight_gradient, first, stop):
    """Adds the gradient of the weights of the inputs ``first`` to ``stop - 1``, from the results of
    ``multiply``.

    If ``gradient`` comes from ``add_later``, a sample contributes only through the inputs that differ from
    the previous sample of its chain. Samples are sorted by input in chunks, so that each row of the result is
    written once per chunk.
    """
    width = stop - first
    position = np.empty(width, np.int64)
    for begin in range(0, ends.size, _CHUNK):
        end = min(begin + _CHUNK, ends.size)
        low, high = ends[begin - 1] if begin > 0 else 0, ends[end - 1]
        samples, sorted_factors = np.empty(high - low, np.int64), np.empty(high - low, np.float32)
        position[:] = 0
        for number in range(low, high):
            if first <= places[number] < stop:
                position[places[number] - first] += 1
        start = 0
        for place in range(width):
            count = position[place]
            position[place] = start
            start += count
        number = low
        for sample in range(begin, end):
            while number < ends[sample]:
                if first <= places[number] < stop:
                    target = position[places[number] - first]
                    samples[target] = sample
                    sorted_factors[target] = factors[number]
                    position[places[number] - first] += 1
                number += 1
        start = 0
        for place in range(width):
            if position[place] > start:
                target_row = weight_gradient[first + place]
                _add_rows(target_row, gradient, samples, sorted_factors, start, position[place])
            start = position[place]


@_compile
def follow(inputs, rows, scale, weight, bias, known, before, sums, first, stop):
    """Updates the products of followed rows to their new inputs."""
    places = np.empty(inputs.shape[1], np.int64)
    factors = np.empty(inputs.shape[1], np.float32)
    for sample in range(first, stop):
        row = rows[sample]
        if known[row]:
            found = _find_changes(inputs[sample], before[row], places)
        else:
            found = _find(inputs[sample], places)
            known[row] = True
            before[row] = 0
            sums[row] = bias
        for number in range(found):
            place = places[number]
            change = np.float32(inputs[sample, place]) - np.float32(before[row, place])
            factors[number] = change * scale[place]
            before[row, place] = inputs[sample, place]
        _add_rows(sums[row], weight, places, factors, 0, found)


@_compile
def _legal_log_probabilities(
    hidden, weight, bias, context_bias, advice_weight, advice, context, mask, actions, log_probabilities
):
    """Writes the legal actions and their log-probabilities; returns their number."""
    count = 0
    highest = _LOWEST
    for action in range(mask.size):
        if mask[action]:
            row = weight[action]
            logit = bias[action] + context_bias[context, action]
            for column in range(hidden.size):
                logit += hidden[column] * row[column]
            if advice.size > 0:
                logit += advice_weight[context, 0] * advice[action]
            actions[count] = action
            log_probabilities[count] = logit
            highest = max(highest, logit)
            count += 1
    total = 0.0
    for place in range(count):
        total += math.exp(log_probabilities[place] - highest)
    shift = highest + math.log(total)
    for place in range(count):
        log_probabilities[place] -= shift
    return count


@_compile
def evaluate(
    hidden,
    weight,
    bias,
    context_bias,
    advice_weight,
    advice,
    contexts,
    masks,
    taken,
    offsets,
    legal,
    log_probabilities,
    out,
    first,
    stop,
):
    """Writes the log-probability of the action taken and the entropy for each sample, and the
    log-probabilities of all legal actions."""
    for sample in range(first, stop):
        begin = offsets[sample]
        count = _legal_log_probabilities(
            hidden[sample],
            weight,
            bias,
            context_bias,
            advice_weight,
            advice[sample],
            contexts[sample],
            masks[sample],
            legal[begin:],
            log_probabilities[begin:],
        )
        entropy = 0.0
        for place in range(begin, begin + count):
            entropy -= math.exp(log_probabilities[place]) * log_probabilities[place]
            if legal[place] == taken[sample]:
                out[sample, 0] = log_probabilities[place]
        out[sample, 1] = entropy


@_compile
def evaluate_backward(
    weight, taken, offsets, legal, log_probabilities, out, gradient, logit_gradients, back, first, stop
):
    """Computes the gradients of the logits of legal actions (``logit_gradients``) and of the hidden layer."""
    for sample in range(first, stop):
        for place in range(offsets[sample], offsets[sample + 1]):
            probability = math.exp(log_probabilities[place])
            logit_gradient = -gradient[sample, 1] * probability * (log_probabilities[place] + out[sample, 1])
            logit_gradient -= gradient[sample, 0] * probability
            if legal[place] == taken[sample]:
                logit_gradient += gradient[sample, 0]
            logit_gradients[place] = logit_gradient
        back[sample] = 0.0
        _add_rows(back[sample], weight, legal, logit_gradients, offsets[sample], offsets[sample + 1])


@_compile
def evaluate_weights(
    hidden,
    advice,
    contexts,
    offsets,
    legal,
    logit_gradients,
    weight_back,
    bias_back,
    context_bias_back,
    advice_weight_back,
    first,
    stop,
):
    """Computes gradients of columns of the weights; the first slice also computes those of parameters without
    columns."""
    for sample in range(hidden.shape[0]):
        row = hidden[sample, first:stop]
        for place in range(offsets[sample], offsets[sample + 1]):
            logit_gradient = logit_gradients[place]
            target = weight_back[legal[place], first:stop]
            for column in range(row.size):
                target[column] += logit_gradient * row[column]
            if first == 0:
                bias_back[legal[place]] += logit_gradient
                context_bias_back[contexts[sample], legal[place]] += logit_gradient
                if advice.shape[1] > 0:
                    advice_weight_back[contexts[sample], 0] += logit_gradient * advice[sample, legal[place]]


@_compile
def sample(
    hidden,
    weight,
    bias,
    context_bias,
    advice_weight,
    advice,
    contexts,
    masks,
    uniforms,
    actions,
    out,
    first,
    stop,
):
    legal = np.empty(masks.shape[1], np.int64)
    log_probabilities = np.empty(masks.shape[1], np.float32)
    for sample in range(first, stop):
        count = _legal_log_probabilities(
            hidden[sample],
            weight,
            bias,
            context_bias,
            advice_weight,
            advice[sample],
            contexts[sample],
            masks[sample],
            legal,
            log_probabilities,
        )
        left = uniforms[sample]
        place = 0
        while place < count - 1:
            left -= math.exp(log_probabilities[place])
            if left < 0.0:
                break
            place += 1
        actions[sample] = legal[place]
        out[sample] = log_probabilities[place]


@_compile
def write_advice(scores, masks, advice):
    """Writes the advice for each legal action: the distance of its score to the best score, on a logarithmic
    scale.

    The best action and illegal actions get 0, others a negative number down to -127.
    """
    for game in range(masks.shape[0]):
        best = _LOWEST
        for action in range(masks.shape[1]):
            if masks[game, action]:
                best = max(best, scores[game, action])
        for action in range(masks.shape[1]):
            if masks[game, action]:
                worse = 16.0 * math.log2(1.0 + 4.0 * (best - scores[game, action]))
                advice[game, action] = -min(127, round(worse))
            else:
                advice[game, action] = 0
