"""Which network of a run is its best: one that noise in the evaluations does not make look so.

The results of the last evaluations are pooled, and the network of the newest takes the place of the best if
the lower end of their 95% Wilson interval is above the share that the best had in its own pool. The newest
evaluation must not be below that share itself. The last anchor decides; one before it does where those behind
it do not tell the two apart and the new one is not behind there.

The first evaluation is that of the best there is, and its luck would stand for long. So until as many are
there as are pooled, the share to beat becomes that of the pool, unless the newest surely did worse.

The pool lags where strength rises, so a better network is taken an evaluation or a few later, and networks
that are as strong as each other seldom take turns, however many evaluations there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from wotr_experiments.arena.statistics import wilson

POOLED = 4
"""Evaluations that are pooled: with fewer, less is seen; with more, a peak is over before it is."""


class Results(NamedTuple):
    """Of a network, or of some together, against the anchors."""

    points: tuple[float, ...]
    """Against each anchor on all sides that learn; a draw is half a point."""
    games: int
    """Against each anchor."""

    def share(self, anchor: int) -> float:
        """Points per game against an anchor, 0..1."""
        return self.points[anchor] / self.games

    def interval(self, anchor: int) -> tuple[float, float]:
        """The 95% Wilson interval of the share."""
        return wilson(self.points[anchor], self.games)


class Best:
    """The rule, with what it knows of the last evaluations and what it measures the best network by."""

    def __init__(self) -> None:
        self._best: Results | None = None
        self._recent: list[Results] = []

    def judge(self, points: Sequence[float], games: int) -> bool:
        """Takes an evaluation in; says whether its network is the best now.

        Args:
            points: against each anchor, on all sides that learn; a draw is half a point.
            games: against each anchor, at least one.
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
        """For JSON."""
        return {
            "best": None if self._best is None else _to_list(self._best),
            "recent": [_to_list(each) for each in self._recent],
        }

    @classmethod
    def from_dict(cls, found: Mapping[str, Any], anchors: int) -> Self:
        """From ``to_dict``, with so many anchors.

        Raises:
            KeyError, TypeError, ValueError: it is not.
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
        """From what checkpoints had before this rule: a number for the one best evaluation.

        Anchors before the last one then decide nothing.

        Args:
            merit: the share against the last anchor and hundredths of those before; below 0 for none.
            anchors: of the run, at least one.
            games: of an evaluation against each.
        """
        rule = cls()
        if merit >= 0:
            rule._best = Results((games,) * (anchors - 1) + (min(merit, 1.0) * games,), games)
        return rule


def pooled(results: Sequence[Results]) -> Results:
    """All games together, of at least one result."""
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
    """Whether the intervals against an anchor do not touch."""
    return any(newest.interval(anchor)[1] < best.interval(anchor)[0] for anchor in range(len(best.points)))


def _to_list(results: Results) -> list[Any]:
    return [list(results.points), results.games]


def _from_list(found: Sequence[Any]) -> Results:
    points, games = found
    results = Results(tuple(map(float, points)), int(games))
    if games < 1 or not all(0 <= each <= games for each in results.points):
        raise ValueError(f"{points} points are impossible in {games} games")
    return results
