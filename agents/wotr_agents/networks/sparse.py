"""The two sparse ends of a network: observations, mostly zeros, and actions, mostly illegal.

About 230 of the 5,061 numbers of an observation differ from zero. On a CPU, adding up only the rows of the
weights that belong to them is several times faster than a dense product (as in the efficiently updatable
networks of chess and shogi engines, Y. Nasu, 2018). From one decision of a game to the next, about 20 of
these numbers change. If games are followed, only the changes are added. If consecutive decisions of a game
are given together, their common part is computed once. About five of the 322 actions are legal, so computing
only their logits takes a small part of the time. On other devices, and while PyTorch records operations for
an export or a compilation, networks use dense products, because PyTorch cannot record kernels.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.utils._python_dispatch import _get_current_dispatch_mode

from wotr_agents.networks import sparse_kernels as kernels

_FEW = 128
"""The number of samples below which a second thread does not save time."""


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="sparse")


def _share_slices(
    work: Callable[..., Any], tensors: Sequence[torch.Tensor], bounds: Sequence[int]
) -> list[Any]:
    """Calls a kernel for each slice between the bounds, which are its last two arguments; returns its
    results.

    All slices except the first run in other threads.
    """
    arrays = [tensor.detach().numpy() for tensor in tensors]
    calls = [(*arrays, first, stop) for first, stop in itertools.pairwise(bounds) if stop > first]
    others = [_pool().submit(work, *call) for call in calls[1:]]
    return [work(*call) for call in calls[:1]] + [other.result() for other in others]


def _threads(samples: int) -> int:
    return torch.get_num_threads() if samples >= _FEW else 1


def _share_rows(
    work: Callable[..., Any], tensors: Sequence[torch.Tensor], rows: int, threads: int | None = None
) -> list[Any]:
    """Calls a kernel for equal slices of its rows; returns its results."""
    return _share_slices(work, tensors, _row_bounds(rows, threads or _threads(rows)))


def _row_bounds(rows: int, threads: int) -> list[int]:
    return np.linspace(0, rows, threads + 1).astype(int).tolist()


def is_recorded() -> bool:
    """Whether PyTorch records operations: ``torch.export``, ``torch.onnx.export``, ``torch.jit.trace``,
    ``torch.compile``, ``make_fx`` and other modes that see every operation do."""
    tracing = torch.jit.is_tracing()  # pyright: ignore[reportPrivateImportUsage] (documented)
    return torch.compiler.is_compiling() or tracing or _get_current_dispatch_mode() is not None


class Chosen(NamedTuple):
    """B rows of a table, in an order in which consecutive rows are often similar."""

    table: torch.Tensor
    """``int8[M, inputs]``"""
    places: torch.Tensor
    """``int64[B]``: the rows"""

    def rows(self) -> torch.Tensor:
        """``int8[B, inputs]``"""
        return self.table.index_select(0, self.places)

    def columns(self, columns: slice) -> torch.Tensor:
        """Some columns of the rows."""
        return torch.from_numpy(self.table.numpy()[self.places.numpy(), columns])


class _SparseProduct(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        table: torch.Tensor,
        rows: torch.Tensor,
        scale: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor,
        chained: torch.Tensor,
    ) -> torch.Tensor:
        out = torch.empty(len(rows), weight.shape[1])
        fresh, ends = torch.empty(len(rows), dtype=torch.bool), torch.empty(len(rows), dtype=torch.int64)
        kept = torch.tensor(ctx.needs_input_grad[3])
        given = (table, rows, scale, weight, bias, chained, kept, fresh, ends, out)
        bounds = _row_bounds(len(rows), _threads(len(rows)))
        found = _share_slices(kernels.multiply, given, bounds)
        if kept:
            ctx.multiplied = _joined(found, ends.numpy(), bounds)
            ctx.save_for_backward(ends, fresh)
            ctx.shape = weight.shape
        return out

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        ends, fresh = ctx.saved_tensors
        places, factors = ctx.multiplied
        weight_gradient = torch.zeros(ctx.shape)
        gradient = grad_outputs[0].contiguous()
        later = gradient.clone()
        kernels.add_later(later.numpy(), fresh.numpy())
        given = (torch.from_numpy(places), torch.from_numpy(factors), ends, later, weight_gradient)
        bounds = _even_bounds(places, ctx.shape[0], _threads(len(ends)))
        _share_slices(kernels.multiply_backward, given, bounds)
        return None, None, None, weight_gradient, gradient.sum(dim=0), None


def _joined(
    found: list[tuple[np.ndarray, np.ndarray]], ends: np.ndarray, bounds: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Joins the results of ``multiply`` for all slices of samples; makes their ``ends`` relative to the first
    slice."""
    before = 0
    for first, stop in itertools.pairwise(bounds):
        if stop > first:
            ends[first:stop] += before
            before = ends[stop - 1]
    if len(found) == 1:
        return found[0]
    places, factors = zip(*found, strict=True) if found else ((), ())
    return (
        np.concatenate([np.zeros(0, np.int64), *places]),
        np.concatenate([np.zeros(0, np.float32), *factors]),
    )


def _even_bounds(places: np.ndarray, inputs: int, parts: int) -> list[int]:
    """Bounds of slices of the inputs with about equal numbers of entries in ``places``."""
    if parts == 1:
        return [0, inputs]
    so_far = np.bincount(places, minlength=inputs).cumsum()
    cuts = np.searchsorted(so_far, np.linspace(0, so_far[-1], parts + 1)[1:-1])
    return [0, *np.maximum.accumulate(cuts).tolist(), inputs]


class SparseLinear(nn.Module):
    """A linear layer on int8 inputs; on a CPU its time is proportional to the number of nonzero inputs.

    Args:
        scale: ``float32[inputs]``, the factor of each input.
        outputs: width of the result.

    Attributes:
        weight: ``float32[inputs, outputs]``.
        bias: ``float32[outputs]``.
    """

    scale: torch.Tensor

    def __init__(self, scale: torch.Tensor, outputs: int) -> None:
        super().__init__()
        self.register_buffer("scale", scale.float(), persistent=False)
        self.weight = nn.Parameter(torch.randn(len(scale), outputs) * 0.1)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, inputs: torch.Tensor | Chosen) -> torch.Tensor:
        """Computes ``float32[B, outputs]`` from ``int8[B, inputs]``.

        The rows of a ``Chosen`` are computed from the previous rows. This is faster if consecutive rows are
        similar, but rounding errors then depend on the previous rows.
        """
        chained = isinstance(inputs, Chosen)
        kernels_can = self.weight.device.type == "cpu" and self.weight.dtype == torch.float32
        if kernels_can and not is_recorded():
            table, rows = inputs if chained else (inputs, torch.arange(len(inputs)))
            given = table.contiguous(), rows, self.scale, self.weight, self.bias
            return _SparseProduct.apply(*given, torch.tensor(chained))
        return self.dense(inputs)

    def dense(self, inputs: torch.Tensor | Chosen) -> torch.Tensor:
        """Computes the same result with a dense product, on any device."""
        inputs = inputs.rows() if isinstance(inputs, Chosen) else inputs
        return inputs.to(self.weight.dtype) @ (self.scale[:, None] * self.weight) + self.bias


class IncrementalLinear:
    """The results of a ``SparseLinear`` for rows that change little from one call to the next, such as games.

    The weights must not change between calls. Rounding errors add up from call to call.

    Args:
        layer: a layer on the CPU, in single precision.
        rows: the number of rows that are followed.
    """

    def __init__(self, layer: SparseLinear, rows: int) -> None:
        self._layer = layer
        self._known = torch.zeros(rows, dtype=torch.bool)
        self._before = torch.zeros(rows, len(layer.scale), dtype=torch.int8)
        self._sums = torch.zeros(rows, layer.weight.shape[1])

    def __call__(self, inputs: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Returns the results for the current inputs of some rows.

        Args:
            inputs: ``int8[B, inputs]``.
            rows: ``int64[B]``: the numbers of the rows; each at most once.

        Returns:
            ``float32[B, outputs]``.
        """
        layer = self._layer
        given = (inputs.contiguous(), rows, layer.scale, layer.weight, layer.bias)
        _share_rows(kernels.follow, (*given, self._known, self._before, self._sums), len(inputs))
        return self._sums[rows]


class TrackedRows(NamedTuple):
    """B followed games, and the object that follows them."""

    follower: IncrementalLinear
    games: torch.Tensor
    """``int64[B]``: the numbers of the games, each at most once"""


class _Evaluation(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor,
        context_bias: torch.Tensor,
        advice_weight: torch.Tensor,
        advice: torch.Tensor,
        contexts: torch.Tensor,
        masks: torch.Tensor,
        actions: torch.Tensor,
    ) -> torch.Tensor:
        parameters = (weight, bias, context_bias, advice_weight)
        offsets = torch.zeros(len(masks) + 1, dtype=torch.int64)
        torch.cumsum(masks.sum(dim=1), 0, out=offsets[1:])
        legal = torch.empty(int(offsets[-1]), dtype=torch.int64)
        log_probabilities = torch.empty(len(legal))
        out = torch.empty(len(masks), 2)
        given = (
            hidden,
            *parameters,
            advice,
            contexts,
            masks,
            actions,
            offsets,
            legal,
            log_probabilities,
            out,
        )
        _share_rows(kernels.evaluate, given, len(masks))
        ctx.save_for_backward(
            hidden, *parameters, advice, contexts, actions, offsets, legal, log_probabilities, out
        )
        return out

    @staticmethod
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        hidden, *parameters, advice, contexts, actions, offsets, legal, log_probabilities, out = (
            ctx.saved_tensors
        )
        gradient = grad_outputs[0].contiguous()
        logit_gradients, hidden_back = torch.empty_like(log_probabilities), torch.empty_like(hidden)
        given = (parameters[0], actions, offsets, legal, log_probabilities, out, gradient)
        _share_rows(kernels.evaluate_backward, (*given, logit_gradients, hidden_back), len(hidden))
        backs = [torch.zeros_like(parameter) for parameter in parameters]
        given = (hidden, advice, contexts, offsets, legal, logit_gradients, *backs)
        _share_rows(kernels.evaluate_weights, given, hidden.shape[1], _threads(len(hidden)))
        return hidden_back, *backs, None, None, None, None


class PolicyInputs(NamedTuple):
    """The inputs of the policy head for B decisions."""

    hidden: torch.Tensor
    """``float32[B, H]``: the last hidden layer."""
    advice: torch.Tensor
    """``int8[B, A]``; without columns if there is no advice."""
    contexts: torch.Tensor
    """``int64[B]``: the kinds of the decisions."""


@dataclasses.dataclass(frozen=True)
class PolicyHead:
    """The layer that computes logits of A actions from the last hidden layer; its contexts are C kinds of
    decisions."""

    linear: nn.Linear
    """The linear layer from H numbers to A logits."""
    context_bias: nn.Embedding
    """The bias of the logits of all actions in each context: ``[C, A]``."""
    advice_weight: nn.Embedding | None
    """The factor of advice in each context, ``[C, 1]``; None without advice."""

    def logits(self, inputs: PolicyInputs) -> torch.Tensor:
        """The logits of all actions, legal or not: ``float32[B, A]``."""
        logits = self.linear(inputs.hidden) + self.context_bias(inputs.contexts)
        if self.advice_weight is None:
            return logits
        return logits + self.advice_weight(inputs.contexts) * inputs.advice

    def evaluate(
        self, inputs: PolicyInputs, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns log-probabilities of actions and entropies of policies; computes logits of legal actions
        only.

        Args:
            inputs: the inputs of the layer. All arguments must be on the CPU.
            masks: ``bool[B, A]``, each row with a legal action.
            actions: ``int64[B]``, legal ones.

        Returns:
            ``float32[B]`` each.
        """
        out = _Evaluation.apply(
            inputs.hidden, *self._parameters, inputs.advice, inputs.contexts, masks.contiguous(), actions
        )
        return out[:, 0], out[:, 1]

    def sample(
        self, inputs: PolicyInputs, masks: torch.Tensor, uniforms: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns actions drawn with their probabilities, ``int64[B]``, and their log-probabilities,
        ``float32[B]``.

        Args:
            inputs: the inputs of the layer. All arguments must be on the CPU.
            masks: ``bool[B, A]``, each row with a legal action.
            uniforms: ``float32[B]``, uniform random numbers in [0, 1).
        """
        actions, log_probabilities = torch.empty(len(masks), dtype=torch.int64), torch.empty(len(masks))
        given = (inputs.hidden, *self._parameters, inputs.advice, inputs.contexts, masks.contiguous())
        _share_rows(kernels.sample, (*given, uniforms, actions, log_probabilities), len(masks))
        return actions, log_probabilities

    @property
    def _parameters(self) -> tuple[torch.Tensor, ...]:
        advice_weight = torch.zeros(0, 1) if self.advice_weight is None else self.advice_weight.weight
        return self.linear.weight, self.linear.bias, self.context_bias.weight, advice_weight
