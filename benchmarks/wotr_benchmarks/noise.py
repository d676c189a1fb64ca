"""Statistics of benchmarks: bootstrap intervals of medians, and tests for significant changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from wotr_benchmarks.harness import SECONDS, Measurement

FLOOR = 0.05
"""Changes of the median below this share are never called changes: so much differs between two processes."""

_RESAMPLES = 4_000
_SEED = 1


class Verdict(StrEnum):
    """What a comparison says."""

    FASTER = "faster"
    SAME = "same"
    SLOWER = "slower"


@dataclasses.dataclass(frozen=True)
class Change:
    """A measurement beside an earlier one of the same name."""

    earlier: float
    """The earlier median."""
    speed: float
    """How many times as fast as earlier, by the medians; below 1 is slower."""
    low: float
    high: float
    """The 99% bootstrap interval of ``speed``."""
    verdict: Verdict


def interval(runs: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """The bootstrap interval of the median of some runs; the same runs give the same interval."""
    low, high = np.quantile(_medians(runs), _tails(confidence))
    return float(low), float(high)


def compare(now: Measurement, earlier: Measurement) -> Change:
    """Whether a measurement differs from an earlier one by more than noise.

    It does where the 99% bootstrap interval of the ratio of the medians leaves out 1 and the ratio is 5% or
    more away from it. With five runs on each side that asks, nearly, for no overlap of the runs.
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
