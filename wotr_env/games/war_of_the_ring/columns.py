"""The columns stored for finished games, and how tables show them."""

from __future__ import annotations

import numpy as np

from wotr_env.core.columns import Cell, Column, Statistic, SummaryColumns

COLUMNS = (
    Column(
        "turn",
        (
            ("turns.median", Statistic.MEDIAN),
            ("turns.mean", Statistic.MEAN),
            ("turns.most", Statistic.MOST),
            ("turns.counts", Statistic.COUNTS),
        ),
        np.int16,
    ),
    Column("free_peoples_points", (("free_peoples_points_mean", Statistic.MEAN),)),
    Column("shadow_points", (("shadow_points_mean", Statistic.MEAN),)),
    Column("corruption", (("corruption_mean", Statistic.MEAN), ("corruption_counts", Statistic.COUNTS))),
    Column("mordor_step"),  # 0: the Fellowship never entered Mordor
    Column(
        "mordor_turn",  # in which it did
        (("mordor.entered", Statistic.SHARE), ("mordor.turn_mean", Statistic.MEAN_WHERE)),
        np.int16,
    ),
)
"""The points of a side are for the enemy Settlements that it controls."""

_TURNS = Cell("turns", "{turns.median:,.0f} ({turns.mean:,.1f})")
_CORRUPTION = Cell("corruption", "{corruption_mean:,.1f}")
SHOWN = SummaryColumns(
    wins=(_TURNS, _CORRUPTION),
    ends=(
        Cell("in Mordor", "{mordor.entered.share:.0%} (turn {mordor.turn_mean:,.1f})"),
        Cell("FP points", "{free_peoples_points_mean:,.1f}"),
        Cell("SH points", "{shadow_points_mean:,.1f}"),
    ),
    report=(
        _TURNS,
        _CORRUPTION,
        Cell("entered Mordor", "{mordor.entered.share:.1%}"),
        Cell("in turn", "{mordor.turn_mean:,.1f}"),
        Cell("points FP", "{free_peoples_points_mean:,.2f}"),
        Cell("points SH", "{shadow_points_mean:,.2f}"),
    ),
    game=(
        Cell("turn", "{turn}"),
        Cell("corruption", "{corruption}"),
        Cell("points FP - SH", "{free_peoples_points} - {shadow_points}"),
    ),
    histograms=(("turns.counts", "turns"), ("corruption_counts", "corruption at the end")),
    histograms_title="Length and corruption",
    wins_note="turns: median (mean); corruption at the end: mean",
    ends_note="in Mordor: games whose Fellowship entered it (mean turn); points of enemy Settlements: mean",
    report_note="Turns: median (mean). Points: of captured Settlements at the end, mean.",
)
