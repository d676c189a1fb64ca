"""Selection of the best network of a run, robust against noise in the evaluations.

The results of the last evaluations are pooled. The newest network becomes the best one if the lower end of
their 95% Wilson interval is above the pooled share of the best network, and if the newest evaluation alone is
not below this share. The last anchor decides. If it does not separate the two networks, and the new network
is not behind, the anchor before it decides in the same way.

The first evaluation may be lucky. So until there are enough evaluations for a pool, the share to beat is that
of all evaluations so far, without those that were significantly worse.

The pool lags behind rising strength, so a better network is selected a few evaluations later. Networks of
equal strength rarely alternate, however many evaluations there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from wotr_experiments.arena.statistics import wilson

POOLED = 4
"""Number of pooled evaluations: fewer detect less; more miss short peaks."""


class Results(NamedTuple):
    """Results of one network, or of several pooled, against the anchors."""

    points: tuple[float, ...]
    """Points against each anchor, for all learning sides together; a draw is half a point."""
    games: int
    """Number of games against each anchor."""

    def share(self, anchor: int) -> float:
        """Points per game against an anchor, 0..1."""
        return self.points[anchor] / self.games

    def interval(self, anchor: int) -> tuple[float, float]:
        """The 95% Wilson interval of the share."""
        return wilson(self.points[anchor], self.games)


class BestNetworkSelector:
    """The selection rule, with the last evaluations and the pooled results of the best network."""

    def __init__(self) -> None:
        self._best: Results | None = None
        self._recent: list[Results] = []

    def judge(self, points: Sequence[float], games: int) -> bool:
        """Adds an evaluation; returns whether its network is now the best.

        Args:
            points: points against each anchor, for all learning sides together; a draw is half a point.
            games: games against each anchor, at least one.
        """
        newest = Results(tuple(points), games)
        is_early = len(self._recent) < POOLED
        self._recent = [*self._recent, newest][-POOLED:]
        pool, best = pooled(self._recent), self._best
        taken = best is None or _is_better(pool, newest, best)
        if best is None or taken or (is_early and not _is_surely_worse(newest, best)):
            self._best = pool
        return taken

    def to_dict(self) -> dict[str, Any]:
        """The state of the selection for JSON."""
        return {
            "best": None if self._best is None else _to_list(self._best),
            "recent": [_to_list(each) for each in self._recent],
        }

    @classmethod
    def from_dict(cls, found: Mapping[str, Any], anchors: int) -> Self:
        """The inverse of ``to_dict``, for a number of anchors.

        Raises:
            KeyError, TypeError, ValueError: ``found`` is not from ``to_dict``, or is for another number of
                anchors.
        """
        rule = cls()
        rule._best = None if found["best"] is None else _from_list(found["best"])
        rule._recent = [_from_list(each) for each in found["recent"]]
        known = rule._recent if rule._best is None else [rule._best, *rule._recent]
        if any(len(each.points) != anchors for each in known):
            raise ValueError(f"the results must be against {anchors} anchors")
        return rule

    @classmethod
    def from_merit(cls, merit: float, anchors: int, games: int) -> Self:
        """Reads a checkpoint of an older version, which has one number for the best evaluation. Of the
        anchors, only the last one is then used.

        Args:
            merit: the share against the last anchor plus hundredths of the shares against earlier anchors;
                below 0 for none.
            anchors: number of anchors of the run, at least one.
            games: number of games of an evaluation against each anchor.
        """
        rule = cls()
        if merit >= 0:
            rule._best = Results((games,) * (anchors - 1) + (min(merit, 1.0) * games,), games)
        return rule


def pooled(results: Sequence[Results]) -> Results:
    """The sum of at least one result."""
    points = tuple(sum(each) for each in zip(*(result.points for result in results), strict=True))
    return Results(points, sum(result.games for result in results))


def _is_better(pool: Results, newest: Results, best: Results) -> bool:
    for anchor in reversed(range(len(best.points))):
        known = best.share(anchor)
        if min(pool.share(anchor), newest.share(anchor)) < known:
            return False
        if pool.interval(anchor)[0] > known:
            return True
    return False


def _is_surely_worse(newest: Results, best: Results) -> bool:
    """Whether the interval of one network against an anchor is entirely below that of the other."""
    return any(newest.interval(anchor)[1] < best.interval(anchor)[0] for anchor in range(len(best.points)))


def _to_list(results: Results) -> list[Any]:
    return [list(results.points), results.games]


def _from_list(found: Sequence[Any]) -> Results:
    points, games = found
    results = Results(tuple(map(float, points)), int(games))
    if games < 1 or not all(0 <= each <= games for each in results.points):
        raise ValueError(f"{points} points are impossible in {games} games")
    return results
