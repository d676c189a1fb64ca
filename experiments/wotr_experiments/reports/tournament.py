"""The report of a tournament or comparison: one HTML file, with links to replays of games."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from wotr_experiments.arena.compare import Trial
from wotr_experiments.arena.games import PlayedGame
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.cli import tables
from wotr_experiments.files import write_text
from wotr_experiments.reports import charts, pages
from wotr_experiments.reports.replay_page import write_replay

REPORT = "report.html"
PAGES = "games"
"""The folder of the replays, next to the report."""
_MOST_FORFEITS = 20
"""Forfeited games that are listed."""
_SIDES = ("free_peoples", "shadow")


class Replays(StrEnum):
    """Which games become pages of the replay viewer."""

    NONE = "none"
    FIRST = "first"
    """Of each pairing, with either bot on either side."""
    ALL = "all"


def write_report(
    out: Path,
    tournament: Tournament,
    summary: dict[str, Any],
    replays: Replays = Replays.FIRST,
    on_page: Callable[[int, int], object] = lambda _done, _total: None,
) -> Path:
    """Writes ``report.html`` and the pages of games that are not there yet into the folder of a tournament.

    Args:
        out: the folder, with its games.
        tournament: what was played.
        summary: of ``run_tournament`` or ``run_compare``.
        replays: which games become pages.
        on_page: told the pages that are done, and how many there will be.

    Returns:
        The path of the report.

    Raises:
        CommandError: the games cannot be read.
        RecordError: a game does not replay.
        OSError: a file cannot be written.
    """
    with read_store(out / GAMES) as store:
        games = store.games()
        chosen = _chosen(games, replays)
        if chosen:
            (out / PAGES).mkdir(exist_ok=True)
        for done, game in enumerate(chosen):
            on_page(done, len(chosen))
            path = out / page_of(tournament, game)
            if not path.exists():
                record = store.record(game.pairing, game.number)
                write_replay(path, record, None, _game_name(tournament, game))
        on_page(len(chosen), len(chosen))
    write_text(out / REPORT, report_page(tournament, summary, games, chosen))
    return out / REPORT


def page_of(tournament: Tournament, game: PlayedGame) -> str:
    """Where the replay of a game is in the folder: its place in the schedule, from 1."""
    return f"{PAGES}/{game.pairing * tournament.games + game.number + 1:05}.html"


def report_page(
    tournament: Tournament,
    summary: dict[str, Any],
    games: Sequence[PlayedGame],
    linked: Sequence[PlayedGame],
) -> str:
    """The report as text; ``linked`` are the games that have a page."""
    parts = [_test(summary, games)] if "sprt" in summary else []
    parts += [
        _bots(summary),
        _ratings(summary),
        _cross(summary),
        _pairings(summary),
        _kinds(summary),
        _lengths(summary["all"]),
        _forfeits(tournament, games),
        _games(tournament, linked),
    ]
    return pages.page(tables.title(summary), "".join(parts))


def _chosen(games: Sequence[PlayedGame], replays: Replays) -> list[PlayedGame]:
    if replays is Replays.NONE:
        return []
    if replays is Replays.ALL:
        return list(games)
    first: dict[tuple[int, int], PlayedGame] = {}
    for game in games:
        first.setdefault((game.pairing, game.number % 2), game)
    return list(first.values())


def _test(summary: dict[str, Any], games: Sequence[PlayedGame]) -> str:
    sprt = summary["sprt"]
    table = tables.compare_rows(summary)
    trial = Trial(Sprt(sprt["elo0"], sprt["elo1"], sprt["alpha"], sprt["beta"]))
    trial.add(list(games))
    chart = charts.trace(trial.ratios, tuple(sprt["bounds"]), "pairs") if trial.ratios else ""
    note = "The log-likelihood ratio after each pair; at the upper bound the first bot passes."
    rows = [[html.escape(name), html.escape(value)] for name, value in table]
    return pages.section(tables.decision_text(summary), pages.table([], rows) + chart + pages.note(note))


def _bots(summary: dict[str, Any]) -> str:
    rows = [
        [
            html.escape(row["bot"]),
            *(tables.share_text(row[key]) for key in ("wins", "wins_as_free_peoples", "wins_as_shadow")),
            tables.forfeits_text(row["forfeits"]),
        ]
        for row in summary["results"]
    ]
    head = ["bot", "wins (95%)", "as Free Peoples", "as Shadow", "forfeits"]
    note = pages.note("Intervals of Wilson; a draw is no win.")
    return pages.section("Bots", pages.table(head, rows) + note)


def _ratings(summary: dict[str, Any]) -> str:
    ratings = summary["ratings"]
    ranked = sorted(ratings["bots"], key=lambda row: -row["both"]["elo"])
    keys = ("both", *_SIDES)
    rows = [[html.escape(row["bot"]), *(tables.elo_text(row[key]) for key in keys)] for row in ranked]
    marks = {
        row["bot"]: [
            (
                key,
                row[key]["elo"],
                *row[key]["interval_95"],
                f"{row['bot']}, {tables.words(key)}: {tables.elo_text(row[key])}",
            )
            for key in keys
        ]
        for row in ranked
    }
    key = (
        '<p class="key"><span>● both sides</span><span class="fp">● as Free Peoples</span>'
        '<span class="sh">● as Shadow</span></p>'
    )
    note = (
        "Bradley-Terry with a term for the side, in Elo; 0 is the mean of the bots on each side; there the "
        f"advantage of the Free Peoples is {tables.elo_text(ratings['free_peoples_advantage'])}. "
        "Intervals: 95%, by resampling of pairs."
    )
    if len(ranked) == 2:
        note += " Two bots that only met each other do not show on which side one is the stronger."
    head = ["bot", "both sides", "as Free Peoples", "as Shadow"]
    chart = key + charts.intervals(marks, "Elo", 0.0)
    return pages.section("Ratings", pages.table(head, rows) + chart + pages.note(note))


def _cross(summary: dict[str, Any]) -> str:
    names = [row["bot"] for row in summary["results"]]
    rows = []
    for name, scores in zip(names, summary["cross"], strict=True):
        cells = []
        for score in scores:
            if score is None:
                cells.append("<td>-</td>")
                continue
            colour = "var(--fp)" if score >= 0.5 else "var(--sh)"
            strength = f"color-mix(in srgb, {colour} {abs(score - 0.5) * 100:.0f}%, transparent)"
            cells.append(f'<td style="background:{strength}">{score:.1%}</td>')
        rows.append(f"<tr><td>{html.escape(name)}</td>{''.join(cells)}</tr>")
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ["", *names])
    table = (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )
    note = pages.note("Score of the row against the column over both sides.")
    return pages.section("Cross table", table + note)


def _pairings(summary: dict[str, Any]) -> str:
    head = ["Free Peoples", "Shadow", "games", "Free Peoples win (95%)", "draws", "turns", "corruption"]
    head += ["entered Mordor", "in turn", "points FP", "points SH", "decisions"]
    rows = []
    for row in [*summary["pairings"], {"free_peoples": "all", "shadow": "", **summary["all"]}]:
        entered = row["mordor"]["entered"]
        rows.append(
            [
                html.escape(row["free_peoples"]),
                html.escape(row["shadow"]),
                f"{row['games']:,}",
                tables.share_text(row["free_peoples_wins"]),
                f"{row['draws']:,}",
                f"{tables.fixed(row['turns']['median'], 0)} ({tables.fixed(row['turns']['mean'], 1)})",
                tables.fixed(row["corruption_mean"], 1),
                f"{entered['share']:.1%}" if entered["games"] else "-",
                tables.fixed(row["mordor"]["turn_mean"], 1),
                tables.fixed(row["free_peoples_points_mean"], 2),
                tables.fixed(row["shadow_points_mean"], 2),
                tables.fixed(row["decisions_mean"], 0),
            ]
        )
    marks = {
        f"{row['free_peoples']} - {row['shadow']}": [_win_mark(row)]
        for row in summary["pairings"]
        if row["games"]
    }
    chart = charts.intervals(marks, "% of the games won by the Free Peoples", 50.0) if marks else ""
    note = "Turns: median (mean). Points: of captured Settlements at the end, mean."
    return pages.section("Pairings and sides", pages.table(head, rows, last="all") + pages.note(note) + chart)


def _win_mark(row: dict[str, Any]) -> charts.Mark:
    wins = row["free_peoples_wins"]
    low, high = (100 * end for end in wins["interval_95"])
    words = f"{row['free_peoples']} as Free Peoples against {row['shadow']}: {tables.share_text(wins)}"
    return ("free_peoples", 100 * wins["share"], low, high, words)


def _kinds(summary: dict[str, Any]) -> str:
    rows = {}
    for row in [*summary["pairings"], {"free_peoples": "all", "shadow": "", **summary["all"]}]:
        name = f"{row['free_peoples']} - {row['shadow']}" if row["shadow"] else "all"
        rows[name] = {tables.words(kind): count for kind, count in row["kinds"].items()}
        rows[name]["forfeit"] = sum(row["forfeits"].values())
    classes = {tables.words(kind): kind for kind in summary["all"]["kinds"]} | {"forfeit": "forfeit"}
    note = pages.note("Free Peoples - Shadow.")
    return pages.section("Kinds of victory", charts.shares(rows, classes) + note)


def _lengths(games: dict[str, Any]) -> str:
    parts = []
    for counts, unit in (
        (games["turns"]["counts"], "turns"),
        (games["corruption_counts"], "corruption at the end"),
    ):
        if counts:
            parts.append(
                charts.histogram({int(number): count for number, count in counts.items()}, unit, "plain")
            )
    return pages.section("Length and corruption", "".join(parts)) if parts else ""


def _forfeits(tournament: Tournament, games: Sequence[PlayedGame]) -> str:
    rows = [
        [
            html.escape(_versus(tournament, game)),
            f"{game.number + 1:,}",
            html.escape(tournament.names[game.forfeited_by]),
            tables.words(game.forfeit),
            html.escape(game.message),
        ]
        for game in games
        if game.forfeited_by is not None
    ]
    if not rows:
        return ""
    content = pages.table(["pairing", "game", "lost by", "why", "message"], rows[:_MOST_FORFEITS])
    if len(rows) > _MOST_FORFEITS:
        content += pages.note(f"The first {_MOST_FORFEITS} of {len(rows):,}.")
    return pages.section("Forfeits", content)


def _games(tournament: Tournament, linked: Sequence[PlayedGame]) -> str:
    if not linked:
        return ""
    rows = [
        [
            f'<a href="{page_of(tournament, game)}">{html.escape(_game_name(tournament, game))}</a>',
            tables.words(game.winner),
            tables.words(game.reason),
            str(game.turn),
            str(game.corruption),
            f"{game.free_peoples_points} - {game.shadow_points}",
            f"{game.decisions:,}",
        ]
        for game in linked
    ]
    head = ["game (opens the replay)", "winner", "by", "turn", "corruption", "points FP - SH", "decisions"]
    return pages.section("Games", pages.table(head, rows))


def _versus(tournament: Tournament, game: PlayedGame) -> str:
    names = tournament.names
    return f"{names[game.free_peoples]} (Free Peoples) - {names[game.shadow]} (Shadow)"


def _game_name(tournament: Tournament, game: PlayedGame) -> str:
    return f"{_versus(tournament, game)}, game {game.number + 1}"
