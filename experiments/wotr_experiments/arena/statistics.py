"""Statistics of games: intervals and spreads."""

from __future__ import annotations

import math

Z_95 = 1.959963984540054
"""The 97.5% quantile of the normal distribution."""


def wilson(successes: float, trials: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of a proportion (E. B. Wilson, 1927).

    Args:
        successes: number of successes, 0 to ``trials``; if draws count half, the interval is too wide.
        trials: number of trials; 0 gives the interval (0, 1).
        z: quantile of the normal distribution; the default gives a 95% interval.

    Returns:
        Low and high end, 0 <= low <= successes / trials <= high <= 1.
    """
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return min(max(low, 0.0), share), max(min(high, 1.0), share)
