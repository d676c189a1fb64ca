"""Inference for bots, with numpy arrays as inputs and outputs. Networks of the kind ``mlp`` do not need
torch."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.mlp import NORM_EPSILON, MlpWeights, pad_to_lanes
from wotr_env.core.kind import GameKind

MOST = 4096
"""Maximal number of observations in one batch."""


def _kernels() -> Any:
    """The module of compiled functions. Only processes with a network load it, because numba takes long."""
    from wotr_agents.networks import sparse_kernels

    return sparse_kernels


class Inference(Protocol):
    """The interface of inference."""

    advice: bool
    """Whether the inputs include advice (``advice.py``)."""

    @property
    def in_kernels(self) -> MlpWeights | None:
        """The weights for kernels; None if the kernels do not support the network."""
        ...

    def log_probabilities(self, inputs: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Log-probabilities of the actions: ``float32[B, A]``, minus infinity for illegal ones.

        Args:
            inputs: ``int8[B, I]``.
            masks: ``bool[B, A]``, each row with a legal action.

        Raises:
            BotError: the network's weights are not finite.
        """
        ...

    def log_probabilities_and_values(
        self, inputs: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The results of ``log_probabilities`` and ``values`` for up to ``MOST`` positions, in about half of
        their time.

        Raises:
            BotError: the network's weights are not finite.
        """
        ...

    def logits_and_values(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The policy and the value of positions.

        Args:
            inputs: ``int8[B, I]``.

        Returns:
            Logits of all actions, ``float32[B, A]``, and winning chances of the first team, ``float32[B]``,
                where a draw counts as one half.

        Raises:
            BotError: the network's weights are not finite.
        """
        ...

    def values(self, inputs: np.ndarray) -> np.ndarray:
        """The winning chance of each team, where a draw counts as one half: ``float32[B, T]``.

        Args:
            inputs: ``int8[B, I]``.

        Raises:
            BotError: the network's weights are not finite.
        """
        ...


def weights_in_kernels(network: Inference, kind: GameKind) -> MlpWeights | None:
    """The weights of a network for the kernels of a game; None if there are none, or the network is for
    another game."""
    weights, actions = network.in_kernels, kind.actions.size
    if weights is None:
        return None
    found = len(weights.first), weights.policy_bias.shape, weights.worth.shape
    inputs = kind.layout.size + network.advice * actions
    return weights if found == (inputs, (len(kind.layout.decision), actions), kind.worths.shape) else None


class MlpInference:
    """An ``Inference`` with numpy and kernels; its results equal those of ``models.MlpNetwork`` up to
    rounding.

    Args:
        weights: ``float32``, all finite, by the names of ``files.mlp_shapes``.
        config: the size of the network.
        scale: ``float32[I]``, the scale of each input.
        contexts: the places of the inputs that encode the kind of decision (one-hot).
        worths: ``float64[E, T]``: the value of each end for each team, from -1 to 1.
    """

    def __init__(
        self,
        weights: Mapping[str, np.ndarray],
        config: NetworkConfig,
        scale: np.ndarray,
        contexts: range,
        worths: np.ndarray,
    ) -> None:
        _kernels()  # not in the middle of the first decision
        self.advice = config.advice
        self._weights, self._config, self._scale = weights, config, scale
        self._asked = slice(contexts.start, contexts.stop)
        self._worths = worths
        self._advice_weight = (
            weights["advice_weight.weight"] if config.advice else np.zeros((0, 1), np.float32)
        )
        self._advice_at = len(scale) - weights["policy_head.weight"].shape[0] if config.advice else len(scale)

    @property
    def in_kernels(self) -> MlpWeights | None:
        """See ``Inference.in_kernels``."""
        return self._in_kernels

    @functools.cached_property
    def _in_kernels(self) -> MlpWeights:
        given, width = self._weights, self._config.width
        layers = range(self._config.layers)
        norm = np.stack([given["norm.weight"], given["norm.bias"], np.ones(width)])
        return MlpWeights(
            first=pad_to_lanes(given["first.weight"] * self._scale[:, None]),
            first_bias=pad_to_lanes(given["first.bias"]),
            norm=pad_to_lanes(norm),
            hidden=np.concatenate(
                [pad_to_lanes(given[f"hidden.{layer}.weight"].T, rows=True) for layer in layers]
            ),
            hidden_bias=pad_to_lanes(np.stack([given[f"hidden.{layer}.bias"] for layer in layers])),
            gain=pad_to_lanes(given["context_gain.weight"]),
            policy=pad_to_lanes(given["policy_head.weight"]),
            policy_bias=given["context_bias.weight"] + given["policy_head.bias"],
            advice=np.ascontiguousarray(self._advice_weight[:, 0], dtype=np.float32),
            ends=pad_to_lanes(given["value_head.weight"]),
            end_bias=given["value_head.bias"],
            worth=0.5 + 0.5 * self._worths,
            width=width,
        )

    def log_probabilities(self, inputs: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """See ``Inference.log_probabilities``."""
        found = np.full(masks.shape, -np.inf, dtype=np.float32)
        for start in range(0, len(inputs), MOST):
            some = slice(start, start + MOST)
            hidden = self._hidden(inputs[some])
            self._write_log_probabilities(hidden, inputs[some], masks[some], found[some])
        return found

    def log_probabilities_and_values(
        self, inputs: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """See ``Inference.log_probabilities_and_values``."""
        found = np.full(masks.shape, -np.inf, dtype=np.float32)
        hidden = self._hidden(inputs)
        self._write_log_probabilities(hidden, inputs, masks, found)
        return found, self._values(hidden)

    def _write_log_probabilities(
        self, hidden: np.ndarray, inputs: np.ndarray, masks: np.ndarray, out: np.ndarray
    ) -> None:
        given, count = self._weights, len(inputs)
        contexts = inputs[:, self._asked].argmax(axis=1)
        hidden = hidden * given["context_gain.weight"][contexts]
        offsets = np.concatenate([[0], masks.sum(axis=1).cumsum()])
        legal, found = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.float32)
        taken, unused = np.zeros(count, np.int64), np.empty((count, 2), np.float32)
        _kernels().evaluate(
            hidden,
            given["policy_head.weight"],
            given["policy_head.bias"],
            given["context_bias.weight"],
            self._advice_weight,
            np.ascontiguousarray(inputs[:, self._advice_at :]),
            contexts,
            np.ascontiguousarray(masks),
            taken,
            offsets,
            legal,
            found,
            unused,
            0,
            count,
        )
        out[np.repeat(np.arange(count), np.diff(offsets)), legal] = found

    def logits_and_values(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See ``Inference.logits_and_values``."""
        given = self._weights
        contexts = inputs[:, self._asked].argmax(axis=1)
        hidden = self._hidden(inputs)
        logits = (hidden * given["context_gain.weight"][contexts]) @ given["policy_head.weight"].T
        logits += given["policy_head.bias"] + given["context_bias.weight"][contexts]
        if self.advice:
            logits += self._advice_weight[contexts] * inputs[:, self._advice_at :]
        return logits, self._values(hidden)[:, 0]

    def values(self, inputs: np.ndarray) -> np.ndarray:
        """See ``Inference.values``."""
        return self._values(self._hidden(inputs))

    def _values(self, hidden: np.ndarray) -> np.ndarray:
        ends = hidden @ self._weights["value_head.weight"].T + self._weights["value_head.bias"]
        chances = np.exp(ends - ends.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return (0.5 + 0.5 * (chances @ self._worths)).astype(np.float32)

    def _hidden(self, inputs: np.ndarray) -> np.ndarray:
        """The last hidden layer: ``float32[B, H]``."""
        given, count = self._weights, len(inputs)
        sums = np.empty((count, self._config.width), dtype=np.float32)
        _kernels().multiply(
            np.ascontiguousarray(inputs),
            np.arange(count),
            self._scale,
            given["first.weight"],
            given["first.bias"],
            np.array(False),
            np.array(False),
            np.empty(count, dtype=np.bool_),
            np.empty(count, dtype=np.int64),
            sums,
            0,
            count,
        )
        mean = sums.mean(axis=1, keepdims=True)
        deviation = np.sqrt(sums.var(axis=1, keepdims=True) + np.float32(NORM_EPSILON))
        x = np.maximum((sums - mean) / deviation * given["norm.weight"] + given["norm.bias"], 0)
        for weight, bias in self._layers:
            out = np.empty((count, weight.shape[1]), dtype=np.float32)
            _kernels().dense_relu(x, weight, bias, out)
            x = out
        return x

    @functools.cached_property
    def _layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The weights of the layers after the first, by their inputs, and the biases."""
        given = self._weights
        return [
            (np.ascontiguousarray(given[f"hidden.{layer}.weight"].T), given[f"hidden.{layer}.bias"])
            for layer in range(self._config.layers)
        ]
