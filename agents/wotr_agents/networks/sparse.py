"""The two ends of a network that are sparse: observations, mostly zeros, and actions, mostly illegal.

About 230 of the 5,061 numbers of an observation differ from zero, so on a CPU adding up the rows of the
weights that belong to them is several times faster than a dense product (as in the efficiently updatable
networks of chess and shogi engines, Y. Nasu, 2018). And of 322 actions about five are legal: computing their
scores alone takes a small part of the time. On other devices networks use dense products instead.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import nn

from wotr_agents.networks import sparse_kernels as kernels

_FEW = 128
"""Samples below which a second thread is not worth waking."""


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="sparse")


def _share(work: Callable[[int, int], Any], bounds: Sequence[int]) -> None:
    """Calls ``work`` for each slice between the bounds, all but the first in other threads."""
    slices = [(first, stop) for first, stop in itertools.pairwise(bounds) if stop > first]
    others = [_pool().submit(work, *bounds) for bounds in slices[1:]]
    for bounds in slices[:1]:
        work(*bounds)
    for other in others:
        other.result()


def _threads(samples: int) -> int:
    return torch.get_num_threads() if samples >= _FEW else 1


def _share_rows(
    work: Callable[..., Any], tensors: Sequence[torch.Tensor], rows: int, threads: int | None = None
) -> None:
    """Calls a kernel on arrays for slices of its rows, whose bounds are its last two arguments."""
    arrays = [tensor.detach().numpy() for tensor in tensors]
    bounds = np.linspace(0, rows, (threads or _threads(rows)) + 1).astype(int).tolist()
    _share(lambda first, stop: work(*arrays, first, stop), bounds)


class _SparseProduct(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, scale: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        out = torch.empty(len(inputs), weight.shape[1])
        _share_rows(kernels.multiply, (inputs, scale, weight, bias, out), len(inputs))
        ctx.save_for_backward(inputs, scale)
        ctx.shape = weight.shape
        return out

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        inputs, scale = ctx.saved_tensors
        weight_gradient = torch.zeros(ctx.shape)
        gradient = gradient.contiguous()
        arrays = [tensor.numpy() for tensor in (inputs, scale, gradient, weight_gradient)]
        bounds = _even_bounds(arrays[0], _threads(len(inputs)))
        _share(lambda first, stop: kernels.multiply_backward(*arrays, first, stop), bounds)
        return None, None, weight_gradient, gradient.sum(dim=0)


def _even_bounds(inputs: np.ndarray, parts: int) -> list[int]:
    """Bounds between which the inputs hold about as many numbers other than zero."""
    if parts == 1:
        return [0, inputs.shape[1]]
    so_far = np.count_nonzero(inputs[:64], axis=0).cumsum()
    cuts = np.searchsorted(so_far, np.linspace(0, so_far[-1], parts + 1)[1:-1])
    return [0, *np.maximum.accumulate(cuts).tolist(), inputs.shape[1]]


class SparseLinear(nn.Module):
    """A linear layer on int8 inputs; on a CPU its time grows with the inputs other than zero.

    Args:
        scale: ``float32[inputs]``, what each input is multiplied by.
        outputs: width of the result.

    Attributes:
        weight: ``float32[inputs, outputs]``.
        bias: ``float32[outputs]``.
    """

    def __init__(self, scale: torch.Tensor, outputs: int) -> None:
        super().__init__()
        self.register_buffer("scale", scale.float(), persistent=False)
        self.weight = nn.Parameter(torch.randn(len(scale), outputs) * 0.1)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """``int8[B, inputs]`` to ``float32[B, outputs]``."""
        if inputs.device.type == "cpu" and self.weight.dtype == torch.float32:
            return _SparseProduct.apply(inputs.contiguous(), self.scale, self.weight, self.bias)
        return inputs.to(self.weight.dtype) * self.scale @ self.weight + self.bias


class _Decision(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor,
        habit: torch.Tensor,
        trust: torch.Tensor,
        advice: torch.Tensor,
        contexts: torch.Tensor,
        masks: torch.Tensor,
        taken: torch.Tensor,
    ) -> torch.Tensor:
        ends = torch.zeros(len(masks) + 1, dtype=torch.int64)
        torch.cumsum(masks.sum(dim=1), 0, out=ends[1:])
        legal = torch.empty(int(ends[-1]), dtype=torch.int64)
        chances = torch.empty(len(legal))
        out = torch.empty(len(masks), 2)
        inputs = (hidden, weight, bias, habit, trust, advice, contexts, masks, taken, ends, legal, chances)
        _share_rows(kernels.decide, (*inputs, out), len(masks))
        ctx.save_for_backward(
            hidden, weight, bias, habit, trust, advice, contexts, taken, ends, legal, chances, out
        )
        return out

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        hidden, weight, bias, habit, trust, advice, contexts, taken, ends, legal, chances, out = (
            ctx.saved_tensors
        )
        slopes, back = torch.empty_like(chances), torch.empty_like(hidden)
        given = (weight, taken, ends, legal, chances, out, gradient.contiguous(), slopes, back)
        _share_rows(kernels.decide_backward, given, len(hidden))
        backs = [torch.zeros_like(parameter) for parameter in (weight, bias, habit, trust)]
        given = (hidden, advice, contexts, ends, legal, slopes, *backs)
        _share_rows(kernels.decide_weights, given, hidden.shape[1], _threads(len(hidden)))
        return back, *backs, None, None, None, None


@dataclasses.dataclass(frozen=True)
class PolicyLayer:
    """What turns the last hidden layer into scores of A actions; C kinds of decisions are its contexts."""

    layer: nn.Linear
    """From H numbers to A scores."""
    habit: nn.Embedding
    """What is added to the scores of all actions in each context: ``[C, A]``."""
    trust: nn.Embedding | None
    """What advice is multiplied by in each context, before it is added too, ``[C, 1]``; None without it."""

    def score(self, hidden: torch.Tensor, advice: torch.Tensor, contexts: torch.Tensor) -> torch.Tensor:
        """The scores of all actions, ``float32[B, A]``; arguments as for ``decide``."""
        scores = self.layer(hidden) + self.habit(contexts)
        return scores if self.trust is None else scores + self.trust(contexts) * advice

    def decide(
        self,
        hidden: torch.Tensor,
        advice: torch.Tensor,
        contexts: torch.Tensor,
        masks: torch.Tensor,
        taken: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities of actions and entropies of policies; computes scores of legal actions only.

        Args:
            hidden: ``float32[B, H]``, on the CPU like all.
            advice: ``int8[B, A]``, or without columns.
            contexts: ``int64[B]``.
            masks: ``bool[B, A]``, each row with a legal action.
            taken: ``int64[B]``, legal actions.

        Returns:
            ``float32[B]`` each.
        """
        out = _Decision.apply(hidden, *self._weights, advice, contexts, masks.contiguous(), taken)
        return out[:, 0], out[:, 1]

    def sample(
        self,
        hidden: torch.Tensor,
        advice: torch.Tensor,
        contexts: torch.Tensor,
        masks: torch.Tensor,
        luck: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Actions drawn by their probabilities, ``int64[B]``, and their log-probabilities ``float32[B]``.

        Arguments as for ``decide``; ``luck`` is ``float32[B]``, from 0 up to 1.
        """
        actions, out = torch.empty(len(masks), dtype=torch.int64), torch.empty(len(masks))
        given = (hidden, *self._weights, advice, contexts, masks.contiguous(), luck, actions, out)
        _share_rows(kernels.sample, given, len(masks))
        return actions, out

    @property
    def _weights(self) -> tuple[torch.Tensor, ...]:
        trust = torch.zeros(0, 1) if self.trust is None else self.trust.weight
        return self.layer.weight, self.layer.bias, self.habit.weight, trust
