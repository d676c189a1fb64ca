"""The two ends of a network that are sparse: observations, mostly zeros, and actions, mostly illegal.

About 230 of the 5,061 numbers of an observation differ from zero, so on a CPU adding up the rows of the
weights that belong to them is several times faster than a dense product (as in the efficiently updatable
networks of chess and shogi engines, Y. Nasu, 2018). And of 322 actions about five are legal: computing their
logits alone takes a small part of the time. On other devices networks use dense products instead.
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

from wotr_agents.networks import sparse_kernels as kernels

_FEW = 128
"""Samples below which a second thread is not worth waking."""


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="sparse")


def _share_slices(work: Callable[..., Any], tensors: Sequence[torch.Tensor], bounds: Sequence[int]) -> None:
    """Calls a kernel for each slice between the bounds, which are its last two arguments.

    All slices but the first are worked on in other threads.
    """
    arrays = [tensor.detach().numpy() for tensor in tensors]
    calls = [(*arrays, first, stop) for first, stop in itertools.pairwise(bounds) if stop > first]
    others = [_pool().submit(work, *call) for call in calls[1:]]
    for call in calls[:1]:
        work(*call)
    for other in others:
        other.result()


def _threads(samples: int) -> int:
    return torch.get_num_threads() if samples >= _FEW else 1


def _share_rows(
    work: Callable[..., Any], tensors: Sequence[torch.Tensor], rows: int, threads: int | None = None
) -> None:
    """Calls a kernel for even slices of its rows."""
    bounds = np.linspace(0, rows, (threads or _threads(rows)) + 1).astype(int).tolist()
    _share_slices(work, tensors, bounds)


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
    def backward(ctx: Any, *grad_outputs: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        inputs, scale = ctx.saved_tensors
        weight_gradient = torch.zeros(ctx.shape)
        gradient = grad_outputs[0].contiguous()
        given = (inputs, scale, gradient, weight_gradient)
        bounds = _even_bounds(inputs.numpy(), _threads(len(inputs)))
        _share_slices(kernels.multiply_backward, given, bounds)
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

    scale: torch.Tensor

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
    """What the policy head sees of B decisions."""

    hidden: torch.Tensor
    """``float32[B, H]``: the last hidden layer."""
    advice: torch.Tensor
    """``int8[B, A]``, or without columns."""
    contexts: torch.Tensor
    """``int64[B]``: the kinds of the decisions."""


@dataclasses.dataclass(frozen=True)
class PolicyHead:
    """What turns the last hidden layer into logits of A actions; C kinds of decisions are its contexts."""

    linear: nn.Linear
    """From H numbers to A logits."""
    context_bias: nn.Embedding
    """What is added to the logits of all actions in each context: ``[C, A]``."""
    advice_weight: nn.Embedding | None
    """What advice is multiplied by in each context, before it is added too, ``[C, 1]``; None without it."""

    def logits(self, inputs: PolicyInputs) -> torch.Tensor:
        """The logits of all actions, legal or not: ``float32[B, A]``."""
        logits = self.linear(inputs.hidden) + self.context_bias(inputs.contexts)
        if self.advice_weight is None:
            return logits
        return logits + self.advice_weight(inputs.contexts) * inputs.advice

    def evaluate(
        self, inputs: PolicyInputs, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities of actions and entropies of policies; computes logits of legal actions only.

        Args:
            inputs: on the CPU like all.
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
        """Actions drawn by their probabilities, ``int64[B]``, and their log-probabilities ``float32[B]``.

        Args:
            inputs: on the CPU like all.
            masks: ``bool[B, A]``, each row with a legal action.
            uniforms: ``float32[B]``, from 0 up to 1, that the choices follow from.
        """
        actions, log_probabilities = torch.empty(len(masks), dtype=torch.int64), torch.empty(len(masks))
        given = (inputs.hidden, *self._parameters, inputs.advice, inputs.contexts, masks.contiguous())
        _share_rows(kernels.sample, (*given, uniforms, actions, log_probabilities), len(masks))
        return actions, log_probabilities

    @property
    def _parameters(self) -> tuple[torch.Tensor, ...]:
        advice_weight = torch.zeros(0, 1) if self.advice_weight is None else self.advice_weight.weight
        return self.linear.weight, self.linear.bias, self.context_bias.weight, advice_weight
