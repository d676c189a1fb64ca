"""The luck of a game in its replay page: a dialog with a sentence, a chart and tables, and separately a list
of costly choices.

Luck is measured with hidden information, so it belongs only to pages that show everything.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from wotr_env.core.kind import Team
from wotr_experiments.analysis.costly import CostlyChoice, costly_sentence
from wotr_experiments.luck.report import CAUTION, LuckReport
from wotr_experiments.reports import charts, pages
from wotr_experiments.reports.pages import template

_ALL = "luck-all"
_COLOURS = 7
"""Number of classes ``luck-0``, ``luck-1`` ... in ``luck.css``."""


def luck_style() -> str:
    """The style sheet of ``luck_dialog``."""
    chart = "\n".join(line for line in template("report.css").splitlines() if line.startswith("svg "))
    return f"{template('luck.css')}#luck {{\n{chart}\n}}\n"


def luck_dialog(story: LuckReport | None, costly: Mapping[str, Sequence[CostlyChoice]] | None = None) -> str:
    """The dialog as HTML; empty without a story.

    Elements with ``data-at`` lead to the position after this number of actions (``luck.js``).

    Args:
        story: the luck of the game.
        costly: costly choices, by the bot that found them.
    """
    if story is None:
        return ""
    teams = story.record.kind.teams_of(story.record.ruleset)
    costly = costly or {}
    sentences = [story.sentence(), *(costly_sentence(bot, found, teams) for bot, found in costly.items())]
    parts = [
        *(f'<p class="sum">{html.escape(sentence)}</p>' for sentence in sentences),
        f"<p>{html.escape(story.method_words())}</p>",
        f"<h3>Luck so far, in points</h3>{_chart(story)}",
        f"<h3>Luck by turn and source, in points</h3>{_table(story)}",
        _strokes(story),
        _costly(costly, teams),
    ]
    close = '<form method="dialog"><button aria-label="Close">✕</button></form>'
    inside = f'{close}<h2 id="luck-title">Luck</h2>{"".join(parts)}'
    return f'<dialog id="luck" aria-labelledby="luck-title">{inside}</dialog>'


def _chart(story: LuckReport) -> str:
    """A chart of the cumulative luck of the first team: in total, and for each source that occurred."""
    found = story.so_far()
    sources = [name for name in found.by_source if name in story.table().heads]
    series = {"all": found.total, **{name: found.by_source[name] for name in sources}}
    shown = {
        name: [(float(at), 100 * float(luck)) for at, luck in zip(found.at, lucks, strict=True)]
        for name, lucks in series.items()
    }
    colours = {name: f"luck-{place % _COLOURS}" for place, name in enumerate(sources)}
    return charts.lines(shown, {"all": _ALL, **colours}, found.unit)


def _table(story: LuckReport) -> str:
    """A table of the luck of the first team."""
    table = story.table()
    rows = [[name, *row] for name, row in table.in_points().items()]
    return pages.table(["turn", *map(html.escape, table.heads)], rows, last="all")


def _strokes(story: LuckReport) -> str:
    if not story.strokes:
        return ""
    lines = [_line(stroke.number + 1, story.head_of(stroke), stroke.words) for stroke in story.strokes]
    return f'<h3>Largest strokes of luck</h3><ul>{"".join(lines)}</ul><p class="note">{CAUTION}</p>'


def _costly(costly: Mapping[str, Sequence[CostlyChoice]], teams: Sequence[Team]) -> str:
    """The costly choices of each side; they are not luck."""
    if not costly:
        return ""
    parts = ["<h3>Costly choices</h3><p>These choices are not part of luck.</p>"]
    for bot, choices in costly.items():
        for number, team in enumerate(teams):
            own = [_line(choice.number, "", choice.words) for choice in choices if choice.team == number]
            found = f"<ul>{''.join(own)}</ul>" if own else "<p>none found</p>"
            parts.append(f"<h4>{html.escape(team.title)}, by {html.escape(bot)}</h4>{found}")
    return "".join(parts)


def _line(at: int, head: str, words: str) -> str:
    bold = f"<b>{html.escape(head)}</b> " if head else ""
    return f'<li><button data-at="{at}">{bold}{html.escape(words)}</button></li>'
