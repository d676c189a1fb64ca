"""Statistics of benchmarks: bootstrap intervals of medians, and tests for significant changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from wotr_benchmarks.harness import SECONDS, Measurement

FLOOR = 0.05
"""Relative changes of the median below this are never reported: processes differ by this much."""

_RESAMPLES = 4_000
_SEED = 1


class Verdict(StrEnum):
    """The result of a comparison."""

    FASTER = "faster"
    SAME = "same"
    SLOWER = "slower"


@dataclasses.dataclass(frozen=True)
class Change:
    """A measurement compared with an earlier one of the same name."""

    earlier: float
    """The earlier median."""
    speed: float
    """Ratio of speeds by the medians; below 1 means slower."""
    low: float
    high: float
    """The 99% bootstrap interval of ``speed``."""
    verdict: Verdict


def interval(runs: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """The bootstrap interval of the median of runs; deterministic."""
    low, high = np.quantile(_medians(runs), _tails(confidence))
    return float(low), float(high)


def compare(now: Measurement, earlier: Measurement) -> Change:
    """Tests whether a measurement differs from an earlier one by more than noise.

    It does if the 99% bootstrap interval of the ratio of medians excludes 1, and the ratio differs from 1 by
    at least 5%. With five runs on each side, this nearly means that the runs do not overlap.
    """
    ratios = _medians(now.runs, _SEED) / _medians(earlier.runs, _SEED + 1)
    speed = now.median / earlier.median
    if now.unit == SECONDS:
        ratios, speed = 1 / ratios, 1 / speed
    low, high = (float(bound) for bound in np.quantile(ratios, _tails(0.99)))
    verdict = Verdict.SAME
    if low > 1 and speed >= 1 + FLOOR:
        verdict = Verdict.FASTER
    elif high < 1 and speed <= 1 - FLOOR:
        verdict = Verdict.SLOWER
    return Change(earlier.median, speed, low, high, verdict)


def _tails(confidence: float) -> tuple[float, float]:
    return (1 - confidence) / 2, (1 + confidence) / 2


def _medians(runs: Sequence[float], seed: int = _SEED) -> np.ndarray:
    """float64[_RESAMPLES]: medians of samples drawn from the runs with replacement."""
    generator = np.random.default_rng(seed)
    return np.median(generator.choice(np.asarray(runs), size=(_RESAMPLES, len(runs))), axis=1)
