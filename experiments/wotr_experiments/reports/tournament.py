"""The report of a tournament or comparison: one HTML file, with links to replays of games."""

from __future__ import annotations

import functools
import html
import operator
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from wotr_env.core.kind import GameKind
from wotr_env.core.seats import Team
from wotr_experiments.arena import result_tables
from wotr_experiments.arena.compare import SprtProgress
from wotr_experiments.arena.endings import ending_of
from wotr_experiments.arena.luck_store import LuckStore
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.schedule import Seats, Tournament, players
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.files import write_text
from wotr_experiments.luck.report import luck_of
from wotr_experiments.provenance import PROVENANCE, read_provenance
from wotr_experiments.reports import charts, pages
from wotr_experiments.reports.replay_page import replay_page

REPORT = "report.html"
PAGES = "games"
"""The folder of replays, next to the report."""
_MOST_FORFEITS = 20
"""Maximal number of listed forfeited games."""
_TEAM_CLASSES = ("free_peoples", "shadow")
"""The classes of team 0 and team 1 in the style sheet."""


class Replays(StrEnum):
    """The choice of the games that get a replay page."""

    NONE = "none"
    FIRST = "first"
    """The first round of each pairing: each bot in each team, or each bot in each seat."""
    ALL = "all"


def write_report(
    out: Path,
    tournament: Tournament,
    summary: dict[str, Any],
    replays: Replays = Replays.FIRST,
    on_page: Callable[[int, int], object] = lambda _done, _total: None,
) -> Path:
    """Writes ``report.html`` and missing replay pages into the folder of a tournament. The report of a
    comparison is about the games that count.

    Args:
        out: the folder with the games.
        tournament: the tournament.
        summary: the summary by ``run_tournament`` or ``run_compare``.
        replays: the choice of the games that get a replay page, if pages support the game.
        on_page: called with the number of finished pages and their total.

    Returns:
        The path of the report.

    Raises:
        CommandError: the games cannot be read.
        RecordError: a game does not replay.
        OSError: a file cannot be written.
    """
    with read_store(out / GAMES) as store:
        games = store.games()
        if "sprt" in summary:
            games = [game for game in games if game.number < 2 * summary["sprt"]["pairs"]]
        if tournament.luck is not None:
            games = LuckStore(tournament.luck, out).fill(games, store.record)
        chosen = _chosen(tournament, games, replays)
        if chosen:
            (out / PAGES).mkdir(exist_ok=True)
        two_teams = len(tournament.kind.teams_of(tournament.ruleset)) == 2
        method = tournament.luck if two_teams else None  # pages tell luck for two teams only
        for done, game in enumerate(chosen):
            on_page(done, len(chosen))
            path = out / page_of(game)
            if not path.exists():
                record = store.record(game.pairing, game.number)
                ending = ending_of(game, tournament.ruleset.seats)
                ended = "" if ending is None else ending.text()
                luck = None if method is None else luck_of(record, method)
                write_text(
                    path, replay_page(record, None, _game_name(tournament, game), ended=ended, luck=luck)
                )
        on_page(len(chosen), len(chosen))
    sessions = read_provenance(out / PROVENANCE)
    write_text(out / REPORT, report_page(tournament, summary, games, chosen, sessions))
    return out / REPORT


def page_of(game: PlayedGame) -> str:
    """The path of a game's replay in the folder: the pairing from 0, and the game from 1. It stays the same
    if games are added to the tournament."""
    return f"{PAGES}/{game.pairing}-{game.number + 1:05}.html"


def report_page(
    tournament: Tournament,
    summary: dict[str, Any],
    games: Sequence[PlayedGame],
    linked: Sequence[PlayedGame],
    sessions: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The report as HTML; ``linked`` are the games with a page, ``sessions`` the provenance entries of the
    folder."""
    kind = tournament.kind
    parts = [_test(summary, games)] if "sprt" in summary else []
    parts += [
        _bots(summary),
        _adjusted(summary),
        _by_seat(summary),
        _ratings(summary),
        _cross(summary),
        _pairings(kind, summary),
        _ends(kind, summary),
        _histograms(kind, summary["all"]),
        _forfeits(tournament, games),
        _games(tournament, linked, len(games)),
        provenance_section(sessions),
    ]
    return pages.page(result_tables.title(summary), "".join(parts), kind.title)


def provenance_section(sessions: Sequence[Mapping[str, Any]]) -> str:
    """A section on the provenance of the games, from the entries in their folder; empty without entries."""
    if not sessions:
        return ""
    head = ["started", "seconds", "games", "decisions per second", "command", "version", "machine"]
    rows = [
        [
            _cell(each, "begun"),
            _cell(each, "seconds"),
            _cell(each, "games"),
            _cell(each, "decisions_per_second"),
            f'<span class="command">{_cell(each, "command")}</span>',
            ", ".join(filter(None, (_cell(each, name) for name in ("package", "commit", "python")))),
            _cell(each, "machine"),
        ]
        for each in sessions
    ]
    note = pages.note(
        'The column "version" lists the version of this package, its commit and the version of Python. The '
        "duration of a killed run is unknown."
    )
    thinking = [row for each in sessions for row in _thinking(each)]
    if thinking:
        head_of_bots = ["started", "bot", "decisions", "ms per decision", "simulations per second"]
        note += pages.table(head_of_bots, thinking)
    return pages.section("Provenance", pages.table(head, rows) + note)


def _thinking(session: Mapping[str, Any]) -> list[list[str]]:
    """The thinking time of each bot in one run of the command."""
    bots = session.get("bots")
    if not isinstance(bots, dict) or not all(isinstance(each, dict) for each in bots.values()):
        return []
    rows = []
    for name, each in bots.items():
        took = each.get("ms_per_decision")
        shown = f"{took:,.3g}" if isinstance(took, (int, float)) else ""
        numbers = [_cell(each, "decisions"), shown, _cell(each, "simulations_per_second")]
        rows.append([_cell(session, "begun"), html.escape(str(name)), *numbers])
    return rows


def _cell(session: Mapping[str, Any], name: str) -> str:
    value = session.get(name)
    if value is None:
        return ""
    whole = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value:,.0f}" if whole else html.escape(str(value))


def _chosen(tournament: Tournament, games: Sequence[PlayedGame], replays: Replays) -> list[PlayedGame]:
    if replays is Replays.NONE:
        return []
    if replays is Replays.ALL:
        return list(games)
    first: dict[tuple[int, int], PlayedGame] = {}
    for game in games:
        first.setdefault((game.pairing, game.number % tournament.round), game)
    return list(first.values())


def _test(summary: dict[str, Any], games: Sequence[PlayedGame]) -> str:
    sprt = summary["sprt"]
    table = result_tables.compare_rows(summary)
    trial = SprtProgress(Sprt(sprt["elo0"], sprt["elo1"], sprt["alpha"], sprt["beta"]))
    trial.add(list(games))
    chart = charts.trace(trial.ratios, tuple(sprt["bounds"]), "pairs") if trial.ratios else ""
    note = "The log-likelihood ratio after each pair; at the upper bound the first bot passes."
    rows = [[html.escape(name), html.escape(value)] for name, value in table]
    return pages.section(
        result_tables.decision_text(summary), pages.table([], rows) + chart + pages.note(note)
    )


def _bots(summary: dict[str, Any]) -> str:
    teams = result_tables.teams_of(summary)
    keys = "wins", *(f"wins_as_{team.name}" for team in teams)
    rows = [
        [
            html.escape(row["bot"]),
            *(result_tables.share_text(row[key]) for key in keys),
            result_tables.forfeits_text(row["forfeits"]),
        ]
        for row in summary["results"]
    ]
    head = ["bot", "wins (95%)", *(f"as {team.title}" for team in teams), "forfeits"]
    sentences = ["95% Wilson intervals; a draw does not count as a win", *result_tables.unusual(summary)]
    note = pages.note("; ".join(sentences) + ".")
    return pages.section("Bots", pages.table(head, rows) + note)


def _adjusted(summary: dict[str, Any]) -> str:
    rows = [[html.escape(cell) for cell in row] for row in result_tables.adjusted_rows(summary)]
    if not rows:
        return ""
    sentences = [
        "Luck is the winning chance that a side gained from random events, measured "
        + result_tables.luck_text(summary),
        "The adjusted score has the same mean as the plain score and usually a smaller variance",
        "Games saved: the plain score would need this many times as many games for an interval of the same "
        "width",
    ]
    note = pages.note(". ".join(sentences) + ".")
    return pages.section("Adjusted for luck", pages.table(list(result_tables.ADJUSTED_HEADS), rows) + note)


def _by_seat(summary: dict[str, Any]) -> str:
    rows = [[html.escape(cell) for cell in row] for row in result_tables.seat_rows(summary)]
    if not rows:
        return ""
    note = pages.note(
        '"Its side wins" counts the wins of the whole side. In a winning side, the seat with the best result '
        "wins; seats with equal best results share the win."
    )
    return pages.section("Seats", pages.table(list(result_tables.SEAT_HEADS), rows) + note)


def _ratings(summary: dict[str, Any]) -> str:
    ratings, teams = summary["ratings"], result_tables.teams_of(summary)
    drawn_teams = teams if len(teams) == len(_TEAM_CLASSES) else ()
    ranked = sorted(ratings["bots"], key=lambda row: -row["both"]["elo"])
    keys = ("both", *(team.name for team in drawn_teams))
    columns = result_tables.rating_keys(summary)
    rows = [
        [
            html.escape(row["bot"]),
            *(result_tables.elo_text(result_tables.rating_of(row, key)) for key in columns.values()),
        ]
        for row in ranked
    ]
    marks = {
        row["bot"]: [
            (
                look,
                row[key]["elo"],
                *row[key]["interval_95"],
                f"{row['bot']}, {result_tables.words(key)}: {result_tables.elo_text(row[key])}",
            )
            for key, look in zip(keys, ("both", *_TEAM_CLASSES), strict=False)
        ]
        for row in ranked
    }
    spans = "".join(
        f'<span class="{look}">● {html.escape(f"as {team.title}")}</span>'
        for team, look in zip(drawn_teams, _TEAM_CLASSES, strict=False)
    )
    key = f'<p class="key"><span>● {"both" if drawn_teams else "all"} sides</span>{spans}</p>'
    drawn = summary["seats"] == Seats.DRAWN
    place = "in each seat" if drawn else "on each side"
    note = (
        f"Bradley-Terry model with a term for the side, in Elo. The mean rating of the bots {place} is 0. "
        f"Between equal bots, the {result_tables.advantage_text(summary)}. Intervals: 95%, by resampling of "
        "rounds."
    )
    if drawn:
        note += " The rating of a side is the sum of the ratings of its seats."
    elif len(ranked) == 2:
        note += " With only two bots, the games cannot show on which side a bot is stronger."
    head = ["bot", *map(html.escape, columns)]
    chart = key + charts.intervals(marks, "Elo", 0.0)
    return pages.section("Ratings", pages.table(head, rows) + chart + pages.note(note))


def _cross(summary: dict[str, Any]) -> str:
    if not summary["cross"]:
        return ""
    names = [row["bot"] for row in summary["results"]]
    scores = []
    for name, row in zip(names, summary["cross"], strict=True):
        wins = [result_tables.both_sides(summary, name, other) for other in names]
        scores.append([_cross_cell(score, each) for score, each in zip(row, wins, strict=True)])
    content = _cross_table(names, scores)
    content += pages.note(
        "Score of the row against the column over both sides; a draw is half a win. Below it the 95% "
        "interval of the games won."
    )
    if by_team := summary.get("cross_by_team"):
        cells = [[_cross_cell(each and each["share"], each) for each in row] for row in by_team]
        content += _cross_table(names, cells) + pages.note(f"Above: {result_tables.cross_title(summary)}.")
    return pages.section("Cross table", content)


def _cross_table(names: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(name)}</td>{''.join(row)}</tr>" for name, row in zip(names, cells, strict=True)
    )
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ["", *names])
    inside = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    return f'<div class="wide"><table class="cross">{inside}</table></div>'


def _cross_cell(score: float | None, wins: Mapping[str, Any] | None) -> str:
    """A share with its colour, its interval, and the number of games as a tooltip."""
    if score is None or wins is None:
        return "<td>-</td>"
    colour = "var(--fp)" if score >= 0.5 else "var(--sh)"
    strength = f"color-mix(in srgb, {colour} {abs(score - 0.5) * 100:.0f}%, transparent)"
    low, high = wins["interval_95"]
    words = f"won {wins['count']:,} of {wins['games']:,} games: {result_tables.share_text(wins)}"
    return (
        f'<td style="background:{strength}" title="{html.escape(words)}">{score:.1%}'
        f'<span class="interval">{low:.0%} to {high:.0%}</span></td>'
    )


def _pairings(kind: GameKind, summary: dict[str, Any]) -> str:
    teams = result_tables.teams_of(summary)
    shown = teams[:1] if len(teams) == 2 else teams  # of two, the other has won the rest
    head = [team.title for team in teams]
    head += ["games", *(f"{team.title} win (95%)" for team in shown), "draws"]
    head += [cell.head for cell in kind.shown.report] + ["decisions"]
    rows = [
        [
            *(html.escape(row[team.name]) for team in teams),
            f"{row['games']:,}",
            *(result_tables.share_text(row[f"{team.name}_wins"]) for team in shown),
            f"{row['draws']:,}",
            *(result_tables.cell_text(cell, row) for cell in kind.shown.report),
            result_tables.fixed(row["decisions_mean"], 0),
        ]
        for row in result_tables.pairing_rows(summary)
    ]
    marks = {
        " - ".join(row[team.name] for team in teams): [_win_mark(teams, row)]
        for row in summary["pairings"]
        if row["games"]
    }
    chart = charts.intervals(marks, f"% of the games won as {teams[0].title}", 50.0) if marks else ""
    note = pages.note(kind.shown.report_note) if kind.shown.report_note else ""
    return pages.section("Pairings and sides", pages.table(head, rows, last="all") + note + chart)


def _win_mark(teams: Sequence[Team], row: dict[str, Any]) -> charts.Mark:
    first, second = teams
    wins = row[f"{first.name}_wins"]
    low, high = (100 * end for end in wins["interval_95"])
    words = f"{row[first.name]} as {first.title} against {row[second.name]}: {result_tables.share_text(wins)}"
    return (_TEAM_CLASSES[0], 100 * wins["share"], low, high, words)


def _ends(kind: GameKind, summary: dict[str, Any]) -> str:
    rows, teams = {}, result_tables.teams_of(summary)
    for row in result_tables.pairing_rows(summary):
        name = " - ".join(filter(None, (row[team.name] for team in teams)))
        rows[name] = {result_tables.words(end): count for end, count in row["kinds"].items()}
        rows[name]["forfeit"] = sum(row["forfeits"].values())
    classes = {result_tables.words(end.name): end.name for end in kind.ends} | {"forfeit": "forfeit"}
    note = pages.note(f"{' - '.join(team.title for team in teams)}.")
    return pages.section("Kinds of victory", charts.shares(rows, classes) + note)


def _histograms(kind: GameKind, games: dict[str, Any]) -> str:
    parts = []
    for key, unit in kind.shown.histograms:
        counts = functools.reduce(operator.getitem, key.split("."), games)
        if counts:
            bars = {int(number): count for number, count in counts.items()}
            parts.append(charts.histogram(bars, unit, "plain"))
    return pages.section(kind.shown.histograms_title, "".join(parts)) if parts else ""


def _forfeits(tournament: Tournament, games: Sequence[PlayedGame]) -> str:
    rows = [
        [
            html.escape(_versus(tournament, game)),
            f"{game.number + 1:,}",
            html.escape(tournament.names[game.forfeited_by]),
            result_tables.words(game.forfeit),
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


def _games(tournament: Tournament, linked: Sequence[PlayedGame], games: int) -> str:
    """The games with a page, and instructions for viewing other games."""
    if not games:
        return ""
    note = pages.note(_how_to_see_others(tournament, bool(linked))) if len(linked) < games else ""
    if not linked:
        return pages.section("Games", note)
    kind = tournament.kind
    rows = [
        [
            f'<a href="{page_of(game)}">{html.escape(_game_name(tournament, game))}</a>',
            result_tables.words(kind.winner_name(game.winner)),
            result_tables.words(game.reason),
            *(result_tables.cell_text(cell, game.columns) for cell in kind.shown.game),
            f"{game.decisions:,}",
        ]
        for game in linked
    ]
    head = ["game (opens the replay)", "winner", "by", *(cell.head for cell in kind.shown.game), "decisions"]
    return pages.section("Games", pages.table(head, rows) + note)


def _how_to_see_others(tournament: Tournament, some: bool) -> str:
    here, command = "", "wotr replay DIR --number N --html F"
    if some and tournament.drawn:
        here = "This page has the first round. "
    elif some:
        here = "This page has the first pair of each pairing. "
    numbers = "N counts from 0: N = 0 is game 1"
    if not tournament.drawn:
        command = command.replace("--number", "--pairing P --number")
        names = (" - ".join(tournament.names[place] for place in pair) for pair in tournament.pairings)
        known = ", ".join(f"{number}: {each}" for number, each in enumerate(names))
        numbers += f". P is the number of the pairing ({known})"
    return f"{here}To write the page of {'another' if some else 'a'} game: {command}. {numbers}."


def _versus(tournament: Tournament, game: PlayedGame) -> str:
    if tournament.drawn:
        seats = zip(game.players, tournament.ruleset.seats, strict=True)
    else:
        seats = zip(
            players(tournament, game.pairing, game.number),
            tournament.kind.teams_of(tournament.ruleset),
            strict=True,
        )
    return " - ".join(f"{tournament.names[place]} ({each.title})" for place, each in seats)


def _game_name(tournament: Tournament, game: PlayedGame) -> str:
    return f"{_versus(tournament, game)}, game {game.number + 1}"
