"""Statistics of games: intervals and spreads."""

from __future__ import annotations

import math

import numpy as np

Z_95 = 1.959963984540054
"""The 97.5% quantile of the normal distribution."""
_NORMAL = 1e6
"""Degrees of freedom above which Student's t equals the normal distribution in five digits."""
_STEPS = 100_000
"""Number of steps of the numerical integration of Student's t."""


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """The 95% Wilson score interval of a proportion (E. B. Wilson, 1927).

    Args:
        successes: number of successes, 0 to ``trials``; if draws count half, the interval is too wide.
        trials: number of trials; 0 gives the interval (0, 1).

    Returns:
        Low and high end, 0 <= low <= successes / trials <= high <= 1.
    """
    if trials == 0:
        return 0.0, 1.0
    z, share = Z_95, successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return min(max(low, 0.0), share), max(min(high, 1.0), share)


def student_t(freedom: float) -> float:
    """The 97.5% quantile of Student's t distribution.

    With t = sqrt(freedom) tan(angle), the density of the angle is proportional to cos(angle)^(freedom - 1).

    Args:
        freedom: the degrees of freedom, at least 1, not necessarily whole; infinite: the normal distribution.
    """
    if freedom > _NORMAL:
        return Z_95
    step = math.pi / 2 / _STEPS
    shares = np.cumsum(np.cos(step * (np.arange(_STEPS) + 0.5)) ** (freedom - 1))
    angle = step * (1 + np.interp(0.95, shares / shares[-1], np.arange(_STEPS)))
    return math.sqrt(freedom) * math.tan(angle)
