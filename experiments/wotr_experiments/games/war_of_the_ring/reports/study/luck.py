"""The part of a study's pages about luck."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS
from wotr_experiments.arena.result_tables import ADJUSTED_HEADS, NOTHING, adjusted_cells, share_text
from wotr_experiments.games.war_of_the_ring.reports.study.blocks import TITLES, Block, Plot, Table
from wotr_experiments.reports import charts


def luck_blocks(study: Mapping[str, Any]) -> list[Block]:
    """Results adjusted for luck, and the luck by source in games won and lost."""
    luck = study["luck"]
    heads = (f"Free Peoples: {ADJUSTED_HEADS[1]}", *ADJUSTED_HEADS[2:])
    results = Table(heads, [adjusted_cells(luck["adjusted"])])
    sources = [name for name, spread in luck["spread"].items() if spread]
    own = luck["sides"]
    head = (
        "luck by",
        "spread in a game",
        *(f"{TITLES[side]}, games {which}" for side in SIDE_IDS for which in ("won", "lost")),
    )
    rows = [
        [
            name,
            f"{100 * luck['spread'][name]:.1f}",
            *(_points(own[side][name][which]) for side in SIDE_IDS for which in ("won", "lost")),
        ]
        for name in sources
    ]
    chart = _chart(luck)
    return [
        f"Luck is measured with the values of `{luck['value']}`; each step with random events is replayed "
        f"{luck['again']} times with new random events. A point is one percentage point of winning chance. "
        "*Adjusted for luck* is the score less the measured luck; its mean is the same for any value "
        "function. A draw counts as one half. *Games saved* is the ratio of the variances: the plain score "
        "would need this many times as many games for an interval of the same width.",
        results,
        f"In {share_text(luck['favoured'])} of the decided games, the winner had more luck than the loser. "
        "The next table has the mean luck of a side in points, in the games that it won and lost, and the "
        "standard deviation in a game (*spread*). A side wins more often when it is lucky, so luck is mostly "
        "positive in the games that it won. What one side gains, the other side loses:",
        Table(head, rows),
        [Plot("luck", "Mean luck of the Free Peoples, in points of winning chance", chart, True)]
        if chart
        else "",
    ]


def _chart(luck: Mapping[str, Any]) -> str:
    """A chart of the luck of the Free Peoples by source, in games won by each side; empty without enough
    games."""
    marks = {}
    for name, spread in luck["spread"].items():
        own = luck["sides"]["free_peoples"][name]
        found = [
            (side, *_interval(own[which]), f"{name}, {TITLES[side]} won: {_points(own[which])}")
            for side, which in (("free_peoples", "won"), ("shadow", "lost"))
            if own[which]["error_95"] is not None
        ]
        if spread and found:
            marks[name] = found
    unit = "points; blue: the Free Peoples won, red: the Shadow won"
    return charts.intervals(marks, unit, 0.0) if marks else ""


def _interval(found: Mapping[str, Any]) -> tuple[float, float, float]:
    middle, error = 100 * found["mean"], 100 * found["error_95"]
    return middle, middle - error, middle + error


def _points(found: Mapping[str, Any]) -> str:
    """A number of points in words, such as ``+3.4 ± 0.8``."""
    if found["mean"] is None:
        return NOTHING
    error = "" if found["error_95"] is None else f" ± {100 * found['error_95']:.1f}"
    middle = f"{100 * found['mean']:+.1f}"
    return f"{'0.0' if float(middle) == 0 else middle}{error}"
