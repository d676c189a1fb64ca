"""The sparse first layer of networks against a dense one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.networks import torch_threads
from wotr_agents.networks import sparse_kernels as kernels
from wotr_agents.networks.sparse import Chosen, IncrementalLinear, SparseLinear


def random_inputs(samples, width, generator):
    """Mostly zeros, of both signs and up to the limits; every third row all zeros."""
    values = generator.integers(-128, 128, (samples, width))
    values *= generator.random((samples, width)) < 0.1
    values[::3] = 0 if samples > 1 else values[::3]
    return torch.from_numpy(values.astype(np.int8))


def check_layer(inputs, outputs, threads, chained=False):
    """The layer and its gradients against torch's dense ones; returns its bytes."""
    torch.manual_seed(1)
    layer = SparseLinear(torch.rand(inputs.shape[1]) + 0.1, outputs)
    torch.nn.init.normal_(layer.bias)
    pull = torch.randn(len(inputs), outputs)
    with torch_threads(threads):
        out = layer(Chosen(inputs, torch.arange(len(inputs))) if chained else inputs)
        (out * pull).sum().backward()
    weight, bias = (each.detach().double().requires_grad_() for each in (layer.weight, layer.bias))
    dense = inputs.double() * layer.scale.double() @ weight + bias
    (dense * pull).sum().backward()
    assert out.dtype == torch.float32 and out.shape == (len(inputs), outputs)
    for found, wanted in ((out, dense), (layer.weight.grad, weight.grad), (layer.bias.grad, bias.grad)):
        torch.testing.assert_close(found.double(), wanted, atol=1e-3, rtol=1e-4)
    return [each.detach().numpy().tobytes() for each in (out, layer.weight.grad, layer.bias.grad)]


@pytest.mark.parametrize("samples", [0, 1, 2, 127, 300, 513])
@pytest.mark.parametrize(("width", "outputs"), [(203, 13), (64, 32), (3, 1)])
def test_the_sparse_layer_is_the_dense_one(samples, width, outputs):
    inputs = random_inputs(samples, width, np.random.default_rng(samples))
    alone, together = (check_layer(inputs, outputs, threads) for threads in (1, 2))
    assert alone == together


def similar_inputs(samples, width, generator, part=0.05):
    """Rows that differ in a part of their numbers from the one before; every 70th in all of them."""
    rows = generator.integers(-128, 128, (samples, width)).astype(np.int8)
    keep = generator.random((samples, width)) >= part
    for number in range(1, samples):
        if number % 70:
            rows[number, keep[number]] = rows[number - 1, keep[number]]
    return torch.from_numpy(rows)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("samples", "width"), [(0, 9), (1, 200), (40, 64), (300, 203)])
def test_the_chained_layer_is_the_dense_one(samples, width, threads):
    generator = np.random.default_rng(samples)
    check_layer(similar_inputs(samples, width, generator), 13, threads, chained=True)
    check_layer(random_inputs(samples, width, generator), 13, threads, chained=True)


def test_a_chain_is_made_where_neighbours_are_alike_and_is_short():
    inputs = similar_inputs(200, 150, np.random.default_rng(1))
    given = np.arange(200), np.ones(150, np.float32), np.ones((150, 3), np.float32), np.zeros(3, np.float32)
    fresh, ends, out = np.zeros(200, np.bool_), np.zeros(200, np.int64), np.zeros((200, 3), np.float32)
    true = np.array(True)
    places, factors = kernels.multiply(inputs.numpy(), *given, true, true, fresh, ends, out, 0, 200)
    assert len(places) == len(factors) == ends[-1] and ends[-1] < 200 * 150 / 4
    starts = np.flatnonzero(fresh)
    assert starts[0] == 0 and len(starts) < 12
    assert np.diff(starts).max() == kernels._LINKS
    assert np.array_equal(out[:, 0], inputs.sum(dim=1).float().numpy())


def test_followed_rows_have_the_results_of_the_layer():
    generator = np.random.default_rng(2)
    layer = SparseLinear(torch.rand(203) + 0.1, 13)
    torch.nn.init.normal_(layer.bias)
    follower = IncrementalLinear(layer, 6)
    steps = [similar_inputs(30, 203, generator) for _ in range(6)]
    for step in range(30):
        rows = torch.from_numpy(np.flatnonzero(generator.random(6) < 0.7))
        inputs = torch.stack([each[step] for each in steps])[rows]
        with torch.no_grad():
            torch.testing.assert_close(follower(inputs, rows), layer(inputs), atol=1e-3, rtol=1e-5)


@pytest.mark.parametrize("samples", [1, 300])
def test_the_sparse_layer_of_nothing(samples):
    check_layer(torch.zeros(samples, 50, dtype=torch.int8), 6, threads=2)


def test_the_sparse_layer_takes_full_rows_and_slices():
    generator = np.random.default_rng(3)
    full = torch.from_numpy(generator.integers(1, 128, (300, 100)).astype(np.int8))
    check_layer(full, 5, threads=2)
    check_layer(full[:, 10:60], 5, threads=2)
    check_layer(full.T, 5, threads=1)


def test_the_sparse_layer_in_other_precisions_is_a_dense_one():
    inputs = random_inputs(9, 50, np.random.default_rng(3))
    layer = SparseLinear(torch.rand(50), 8)
    single = layer(inputs)
    torch.testing.assert_close(layer.double()(inputs).float(), single)
