"""Sharded optimiser: Adam and weight averages on slices of the weights, one slice per worker.

A gradient is computed in parts: by threads on CPUs, by processes on GPUs. DistributedDataParallel would
average the gradient in every process, and each process would make the same step. Here, each part receives the
sum of the gradients of its slice of the weights, makes the step for this slice, and sends its new weights to
the others (ZeRO, stage 1: S. Rajbhandari et al., 2020). The same number of bytes is sent, and the work of the
step is shared. Gradients are summed along a binary tree over the parts. So the result is bit-identical for
any distribution of the parts over processes, if each process has 1, 2, 4 or another power of two of them;
otherwise only rounding errors differ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

from wotr_experiments.training.processes import Processes

_ALIGNED = 16
"""Parameters and slices are aligned to multiples of this number, because matrix products may depend on the
alignment."""
_MOMENTS = ("exp_avg", "exp_avg_sq")
_STEP = "step"
_DECAYS = 0.9, 0.999
_ADAM_EPSILON = 1e-5
_EPSILON = 1e-6
"""Added to the norm of a gradient, so that a gradient of zero can be clipped."""


class ShardedAdam:
    """A network's weights as one vector, with their averages and Adam's moments.

    Args:
        network: the network; its parameters become views of the vector.
        averaged: a copy of the network, for the averages.
        parts: number of parts of the gradient that this process computes, the same in all processes.
        pool: a pool of threads for the parts.
        processes: the processes that compute the other parts.

    Attributes:
        gradients: for each part a tensor for each parameter; write them before a step.
    """

    def __init__(
        self,
        network: nn.Module,
        averaged: nn.Module,
        parts: int,
        pool: ThreadPoolExecutor,
        processes: Processes,
    ) -> None:
        self._parts, self._pool, self._processes = parts, pool, processes
        self._shapes = [parameter.shape for parameter in network.parameters()]
        unit = _ALIGNED * parts * processes.count
        total = sum(_aligned(shape.numel()) for shape in self._shapes)
        size = math.ceil(total / unit) * unit
        device = next(network.parameters()).device
        self._weights, self._averages = (torch.zeros(size, device=device) for _ in range(2))
        for module, flat in ((network, self._weights), (averaged, self._averages)):
            for parameter, view in zip(module.parameters(), self._views(flat), strict=True):
                view.copy_(parameter.data)
                parameter.data = view
        self._gradients = torch.zeros(parts, size, device=device)
        self.gradients = [self._views(row) for row in self._gradients]
        chunk = size // processes.count
        self._mine = slice(processes.rank * chunk, (processes.rank + 1) * chunk)
        self._slices = _split(self._weights[self._mine], parts)
        self._average_slices = _split(self._averages[self._mine], parts)
        self._state = [_no_moments(weights) for weights in self._slices]

    @torch.no_grad()
    def step(self, learning_rate: float, max_norm: float, decay: float) -> float:
        """Makes a step with the sum of the gradients of all parts.

        Args:
            learning_rate: the learning rate of the step.
            max_norm: the maximal norm; a longer gradient is scaled down to it.
            decay: decay of the averages: the share of the old averages that remains.

        Returns:
            The norm of the gradient before it was scaled down.
        """
        pieces = [_split(row, self._parts) for row in self._gradients]
        list(self._pool.map(_tree_sum, [list(rows) for rows in zip(*pieces, strict=True)]))
        received = self._processes.all_to_all(self._gradients[0].view(self._processes.count, -1))
        rows = [_split(row, self._parts) for row in received]
        slices = [list(each) for each in zip(*rows, strict=True)]
        squares = list(self._pool.map(_sum_and_square, slices))
        everywhere = self._processes.gather(torch.tensor(squares, dtype=torch.float64))
        norm = math.sqrt(float(torch.cat(everywhere).sum()))
        cut = min(1.0, max_norm / (norm + _EPSILON))

        def step(part: int) -> None:
            _adam(self._slices[part], slices[part][0].mul_(cut), self._state[part], learning_rate)
            self._average_slices[part].lerp_(self._slices[part], 1.0 - decay)

        list(self._pool.map(step, range(self._parts)))
        self._processes.all_gather_rows(self._weights.view(self._processes.count, -1))
        return norm

    def gather_averages(self) -> None:
        """Completes the averaged network, of which each process has only its slices between calls."""
        self._processes.all_gather_rows(self._averages.view(self._processes.count, -1))

    def moments(self) -> dict[str, torch.Tensor]:
        """Adam's moments as ``NUMBER.NAME`` for each parameter; empty before the first step."""
        if not self._state[0][_STEP]:
            return {}
        found = {}
        for name in _MOMENTS:
            mine = torch.cat([state[name] for state in self._state]).cpu()
            for number, values in enumerate(self._views(torch.cat(self._processes.gather(mine)))):
                found[f"{number}.{name}"] = values
        for number in range(len(self._shapes)):
            found[f"{number}.{_STEP}"] = self._state[0][_STEP].cpu().clone()
        return found

    def restore_moments(self, moments: Mapping[str, torch.Tensor]) -> None:
        """Continues with Adam's moments.

        Raises:
            KeyError, RuntimeError: the moments are of other weights.
        """
        if not moments:
            return
        flat = {name: torch.zeros(len(self._weights)) for name in _MOMENTS}
        for name, values in flat.items():
            for number, view in enumerate(self._views(values)):
                view.copy_(moments[f"{number}.{name}"])
        slices = {name: _split(values[self._mine], self._parts) for name, values in flat.items()}
        for part, state in enumerate(self._state):
            for name, values in slices.items():
                state[name].copy_(values[part])
            state[_STEP].copy_(moments[f"0.{_STEP}"])

    def _views(self, flat: torch.Tensor) -> list[torch.Tensor]:
        """Views of the parameters in a vector with the layout of the weights."""
        views, start = [], 0
        for shape in self._shapes:
            views.append(flat[start : start + shape.numel()].view(shape))
            start += _aligned(shape.numel())
        return views


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _split(vector: torch.Tensor, parts: int) -> Sequence[torch.Tensor]:
    return vector.view(parts, -1).unbind()


def _tree_sum(rows: list[torch.Tensor]) -> torch.Tensor:
    """The sum of vectors along a binary tree of neighbours; written to the first vector."""
    while len(rows) > 1:
        rows = [pair[0].add_(pair[1]) if len(pair) > 1 else pair[0] for pair in _pairs(rows)]
    return rows[0]


def _pairs(rows: list[torch.Tensor]) -> list[list[torch.Tensor]]:
    return [rows[first : first + 2] for first in range(0, len(rows), 2)]


def _sum_and_square(rows: list[torch.Tensor]) -> float:
    total = _tree_sum(rows)
    return float(total.dot(total))


def _no_moments(weights: torch.Tensor) -> dict[str, torch.Tensor]:
    """Adam's moments before the first step."""
    moments = {name: torch.zeros_like(weights) for name in _MOMENTS}
    return {**moments, _STEP: torch.zeros((), device=weights.device)}


def _adam(
    weights: torch.Tensor, gradient: torch.Tensor, state: Mapping[str, torch.Tensor], learning_rate: float
) -> None:
    """Makes a step of Adam with the operator that ``torch.optim.Adam`` calls if it is ``fused``.

    The class itself would load torch's compiler, which takes two seconds and is not needed.
    """
    state[_STEP].add_(1)
    torch.ops.aten._fused_adam_(
        [weights],
        [gradient],
        *([state[name]] for name in _MOMENTS),
        [],
        [state[_STEP]],
        lr=learning_rate,
        beta1=_DECAYS[0],
        beta2=_DECAYS[1],
        weight_decay=0.0,
        eps=_ADAM_EPSILON,
        amsgrad=False,
        maximize=False,
    )
