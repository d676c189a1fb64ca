"""Formats the results of a tournament or a comparison as rich tables, and in words."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.table import Column, Table

from wotr_env.core.columns import Cell
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import Seat, Team
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_experiments.arena.play import MAX_CONSECUTIVE_FORFEITS, MOST_DECISIONS
from wotr_experiments.arena.schedule import Seats
from wotr_experiments.arena.summary import share

NOTHING = "-"
_LONG_PATH = re.compile(r'(?<![^=:\s"])/?(?=[^=:,\s"]{30})(?:[^/=:,\s"]+/)+(?=[^/=:,\s"]+/[^/=:,\s"]+)')
"""The beginning of a path of at least 30 characters, without its last two parts."""
_NUMBER = re.compile(r"{([^:{}]+)(?::([^{}]*))?}")
"""A key and a format in the braces of a ``Cell``."""


def words(name: str) -> str:
    """A code's name in words: ``ring_destroyed`` becomes ``ring destroyed``."""
    return name.lower().replace("_", " ")


def kind_of(summary: Mapping[str, Any]) -> GameKind:
    """The board game of a summary; a summary without the name of a game is for War of the Ring."""
    return game_kind(summary.get("game", DEFAULT_GAME))


def teams_of(summary: Mapping[str, Any]) -> tuple[Team, ...]:
    """The teams of a summary that have seats in its ruleset."""
    kind = kind_of(summary)
    return kind.teams_of(kind.ruleset.from_dict(dict(summary["ruleset"])))


def cell_text(cell: Cell, numbers: Mapping[str, Any]) -> str:
    """A cell with the numbers of a summary or a game; a dash if a number is missing."""
    lacking = False

    def number(found: re.Match[str]) -> str:
        nonlocal lacking
        value: Any = numbers
        for key in found[1].split("."):
            value = value[key]
        lacking |= value is None
        return "" if value is None else format(value, found[2] or "")

    text = _NUMBER.sub(number, cell.text)
    return NOTHING if lacking else text


def pairing_rows(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pairings of a summary, followed by the row of all games, with ``all`` instead of team 0."""
    first, *others = (team.name for team in teams_of(summary))
    return [*summary["pairings"], {first: "all", **dict.fromkeys(others, ""), **summary["all"]}]


def tournament_tables(summary: Mapping[str, Any]) -> list[Table]:
    """The tables of a summary of ``run_tournament``: pairings, kinds of victory, bots, seats, ratings."""
    kind = kind_of(summary)
    summary = _with_short_names(summary)
    return [
        _pairings(kind, summary),
        _ends(kind, summary),
        _bots(summary),
        *_adjusted(summary),
        *_by_seat(summary),
        *_cross(summary),
        _ratings(summary),
    ]


def short_names(names: Sequence[str]) -> list[str]:
    """Names of bots for tables, with only the end of long paths, unless two names would become equal."""
    short = [_LONG_PATH.sub("…/", name) for name in names]
    return list(names) if len(set(short)) < len(set(names)) else short


def _with_short_names(summary: Mapping[str, Any]) -> Mapping[str, Any]:
    """A summary in which all names of bots are replaced by ``short_names``."""
    short = dict(zip(summary["bots"], short_names(summary["bots"]), strict=True))

    def shortened(value: Any) -> Any:
        if isinstance(value, str):
            return short.get(value, value)
        if isinstance(value, Mapping):
            return {shortened(key): shortened(each) for key, each in value.items()}
        return [shortened(each) for each in value] if isinstance(value, list | tuple) else value

    return shortened(summary)


def thinking_tables(thinking: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """The table of thinking times of this run (``ThinkingTimes.to_dict``); empty if there are none."""
    if not thinking:
        return []
    heads = number_columns(["decisions", "ms per decision", "simulations per s"])
    table = Table("bot", *heads, title="thinking time")
    for name, each in zip(short_names(list(thinking)), thinking.values(), strict=True):
        rate = each["simulations_per_second"]
        simulations = NOTHING if rate is None else f"{rate:,.0f}"
        table.add_row(name, f"{each['decisions']:,}", f"{each['ms_per_decision']:,.3g}", simulations)
    table.caption = "in the games of this run, including the overhead of a call"
    return [table]


def number_columns(heads: Iterable[str]) -> list[Column]:
    """Columns of numbers, which are right-aligned, for a new table."""
    return [Column(head, justify="right") for head in heads]


def _pairings(kind: GameKind, summary: Mapping[str, Any]) -> Table:
    teams = teams_of(summary)
    wins = [f"{team.short} wins (95%)" for team in teams]
    heads = number_columns(["games", *wins, *(cell.head for cell in kind.shown.wins), "decisions"])
    table = Table(*(team.title for team in teams), *heads, title=f"{kind.title}: {title(summary)}")
    for row in _with_section(table, pairing_rows(summary)):
        table.add_row(
            *(row[team.name] for team in teams),
            f"{row['games']:,}",
            *(share_text(row[f"{team.name}_wins"]) for team in teams),
            *(cell_text(cell, row) for cell in kind.shown.wins),
            fixed(row["decisions_mean"], 0),
        )
    table.caption = "; ".join(filter(None, (kind.shown.wins_note, "decisions per game: mean")))
    return table


def _ends(kind: GameKind, summary: Mapping[str, Any]) -> Table:
    teams = teams_of(summary)
    ends = [words(end) for end in summary["all"]["kinds"]]
    heads = number_columns([*ends, "forfeits", *(cell.head for cell in kind.shown.ends)])
    table = Table(*(team.title for team in teams), *heads, title="kinds of victory")
    for row in _with_section(table, pairing_rows(summary)):
        table.add_row(
            *(row[team.name] for team in teams),
            *(f"{count:,}" for count in row["kinds"].values()),
            f"{sum(row['forfeits'].values()):,}",
            *(cell_text(cell, row) for cell in kind.shown.ends),
        )
    table.caption = kind.shown.ends_note
    return table


def _with_section(table: Table, rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Adds the rows to the table, with a line before the last one."""
    for number, row in enumerate(rows):
        if number == len(rows) - 1:
            table.add_section()
        yield row


def _bots(summary: Mapping[str, Any]) -> Table:
    teams = teams_of(summary)
    heads = number_columns(["wins (95%)", *(f"as {team.title}" for team in teams), "forfeits"])
    table = Table("bot", *heads, title="bots")
    keys = "wins", *(f"wins_as_{team.name}" for team in teams)
    for row in summary["results"]:
        table.add_row(row["bot"], *(share_text(row[key]) for key in keys), forfeits_text(row["forfeits"]))
    table.caption = "; ".join(unusual(summary)) or None
    return table


ADJUSTED_HEADS = ("bot", "score (95%)", "adjusted for luck (95%)", "games saved")
"""The headings of ``adjusted_rows``."""


def adjusted_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    """Plain and adjusted scores of each bot and of each pairing, in words; empty if luck was not measured."""
    if "luck" not in summary:
        return []
    teams = [team.name for team in teams_of(summary)]
    rows = [(row["bot"], row["adjusted"]) for row in summary["results"]]
    for row in summary["pairings"]:
        rows.append((" against ".join(row[team] for team in teams), row["adjusted"]))
    return [[name, *adjusted_cells(each)] for name, each in rows]


def adjusted_cells(adjusted: Mapping[str, Any]) -> list[str]:
    """An adjusted score (``Adjusted.to_dict``) in words, under ``ADJUSTED_HEADS`` without the first
    heading."""
    saved = adjusted["games_saved"]
    return [
        score_text(adjusted["plain"], adjusted["plain_interval_95"]),
        score_text(adjusted["share"], adjusted["interval_95"]),
        NOTHING if saved is None else f"{saved:.2f} times",
    ]


def luck_text(summary: Mapping[str, Any]) -> str:
    """The method of the measurement of luck, and the amount of luck, in a sentence."""
    luck = summary["luck"]
    spread = [f"{source} {100 * each:.0f}" for source, each in luck["spread"].items() if each]
    return (
        f"with the values of {luck['value']}, {luck['again']} samples per random step; standard deviation of "
        f"the luck of a game, in percentage points of winning chance: {', '.join(spread)}"
    )


def _adjusted(summary: Mapping[str, Any]) -> list[Table]:
    rows = adjusted_rows(summary)
    if not rows:
        return []
    table = Table(ADJUSTED_HEADS[0], *number_columns(ADJUSTED_HEADS[1:]), title="adjusted for luck")
    for place, row in enumerate(rows):
        if place == len(summary["results"]):
            table.add_section()
        table.add_row(*row)
    table.caption = luck_text(summary)
    return [table]


def first_forfeits(summary: Mapping[str, Any]) -> list[str]:
    """A line with the first message for each bot that forfeited, if the summary has it."""
    found = []
    for row in summary["results"]:
        if first := row.get("first_forfeit"):
            against = f" against {', '.join(first['against'])}" if first["against"] else ""
            why = f"by forfeit ({words(first['why'])}): {first['message']}"
            found.append(f"{row['bot']} lost game {first['game']:,}{against} {why}")
    return found


def unusual(summary: Mapping[str, Any]) -> list[str]:
    """Sentences about disqualified bots, stopped games and repeated games, without full stops."""
    found = []
    for row in summary["results"]:
        if after := row.get("disqualified"):
            found.append(
                f"{row['bot']} was disqualified after game {after['game']:,} against "
                f"{', '.join(after['against'])}: it forfeited {MAX_CONSECUTIVE_FORFEITS} games in a row, "
                "and all later games"
            )
    if stopped := summary["all"].get("stopped"):
        found.append(f"{stopped:,} games were stopped after {MOST_DECISIONS:,} decisions: draws")
    if repeated := summary["all"].get("repeated"):
        found.append(
            f"{repeated:,} of {summary['all']['games']:,} games repeat another game with the same bots and "
            "seed, and do not narrow the intervals"
        )
    return found


def seats_of(summary: Mapping[str, Any]) -> tuple[Seat, ...]:
    """The seats of the ruleset of a summary."""
    return kind_of(summary).ruleset.from_dict(dict(summary["ruleset"])).seats


SEAT_HEADS = ("seat", "bot", "games", "its side wins (95%)", "wins, alone or shared (95%)", "alone (95%)")
"""The headings of ``seat_rows``."""


def seat_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    """Results by seat and bot in words; empty if each seat is a team."""
    titles = {seat.name: seat.title for seat in seats_of(summary)}
    return [
        [
            titles[row["seat"]],
            row["bot"],
            f"{row['wins']['games']:,}",
            *(share_text(row[key]) for key in ("team_wins", "wins", "alone")),
        ]
        for row in summary.get("by_seat", [])
    ]


def _by_seat(summary: Mapping[str, Any]) -> list[Table]:
    rows = seat_rows(summary)
    if not rows:
        return []
    table = Table(*SEAT_HEADS[:2], *number_columns(SEAT_HEADS[2:]), title="results by seat")
    for place, row in enumerate(rows):
        if place and row[0] != rows[place - 1][0]:
            table.add_section()
        table.add_row(*row)
    return [table]


def rating_keys(summary: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The keys of ratings in a row, by the headings of their columns."""
    keys: dict[str, tuple[str, ...]] = {"both sides": ("both",)}
    keys |= {f"as {team.title}": (team.name,) for team in teams_of(summary)}
    if summary["seats"] == Seats.DRAWN:
        keys |= {f"in seat {seat.title}": ("seats", seat.name) for seat in seats_of(summary)}
    return keys


def rating_of(row: Mapping[str, Any], keys: tuple[str, ...]) -> Mapping[str, Any]:
    """The rating of a bot for one of the ``rating_keys``."""
    return functools.reduce(operator.getitem, keys, row)


def _cross(summary: Mapping[str, Any]) -> list[Table]:
    """The cross tables for three or more bots; for two bots the pairings suffice."""
    if len(summary["cross"]) < 3:
        return []
    by_team = [
        [None if cell is None else cell["share"] for cell in row] for row in summary.get("cross_by_team", [])
    ]
    titles = {"score of the row against the column, both sides": summary["cross"]}
    if by_team:
        titles[cross_title(summary)] = by_team
    names = [row["bot"] for row in summary["results"]]
    tables = []
    for title, rows in titles.items():
        table = Table("bot", *number_columns(names), title=title)
        for name, shares in zip(names, rows, strict=True):
            table.add_row(name, *(NOTHING if each is None else f"{each:.1%}" for each in shares))
        tables.append(table)
    return tables


def cross_title(summary: Mapping[str, Any]) -> str:
    """The title of ``cross_by_team``."""
    first, second = teams_of(summary)
    return f"games that the row wins as {first.title} against the column as {second.title}"


def both_sides(summary: Mapping[str, Any], bot: str, other: str) -> dict[str, Any]:
    """The wins of a bot against another over both sides; None if there are no games.

    Args:
        summary: a summary of ``run_tournament``, with pairings.
        bot, other: names of the bots.
    """
    first, second = (team.name for team in teams_of(summary))
    won = games = 0
    for row in summary["pairings"]:
        for own, against in ((first, second), (second, first)):
            if (row[own], row[against]) == (bot, other):
                won, games = won + row[f"{own}_wins"]["count"], games + row["games"]
    return share(won, games)


def _ratings(summary: Mapping[str, Any]) -> Table:
    ratings = summary["ratings"]
    keys = rating_keys(summary)
    table = Table("bot", *number_columns(keys), title="ratings in Elo (95%)")
    for row in sorted(ratings["bots"], key=lambda row: -row["both"]["elo"]):
        table.add_row(row["bot"], *(elo_text(rating_of(row, key)) for key in keys.values()))
    place = "in each seat" if summary["seats"] == Seats.DRAWN else "on each side"
    table.caption = (
        f"the mean rating of the bots {place} is 0; between equal bots, the {advantage_text(summary)}"
    )
    return table


def advantage_text(summary: Mapping[str, Any]) -> str:
    """The advantage of team 0, or of each team if there are more than two, between equal bots, in words."""
    told = {team.title: summary["ratings"].get(f"{team.name}_advantage") for team in teams_of(summary)}
    return " and ".join(
        f"advantage as {title} is {elo_text(advantage)}" for title, advantage in told.items() if advantage
    )


def compare_table(summary: Mapping[str, Any]) -> Table:
    """The test of a summary of ``run_compare``."""
    table = Table(title=decision_text(summary), show_header=False)
    for row in compare_rows(summary):
        table.add_row(*row)
    return table


def decision_text(summary: Mapping[str, Any]) -> str:
    """The decision of a test in a sentence.

    A test that passes shows an Elo difference above ``elo0``. A test that fails shows one below ``elo1``.
    """
    first, second = (row["bot"] for row in summary["results"])
    sprt = summary["sprt"]
    if sprt["decision"] == "not stronger":
        return f"{first} {_below(sprt['elo1']).format(second)}"
    above = f"{first} {_above(sprt['elo0']).format(second)}"
    return above if sprt["decision"] == "stronger" else f"undecided whether {above}"


def _above(elo: float) -> str:
    """Words for an Elo difference above a number; the braces stand for the other bot."""
    if elo < 0:
        return f"is not weaker than {{}} by {-elo:g} Elo"
    return f"is stronger than {{}} by more than {elo:g} Elo" if elo else "is stronger than {}"


def _below(elo: float) -> str:
    """Words for an Elo difference below a number, as in ``_above``."""
    if elo > 0:
        return f"is not stronger than {{}} by {elo:g} Elo"
    return f"is weaker than {{}} by more than {-elo:g} Elo" if elo else "is weaker than {}"


def compare_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A test in words: names and values."""
    sprt = summary["sprt"]
    low, high = sprt["bounds"]
    rows = [
        ("question", f"Elo difference of at least {sprt['elo1']:g}, or of at most {sprt['elo0']:g}?"),
        ("error rates", f"alpha {sprt['alpha']:g}, beta {sprt['beta']:g}"),
        ("log-likelihood ratio", f"{sprt['llr']:.2f} (bounds {low:.2f} and {high:.2f})"),
        ("pairs", f"{sprt['pairs']:,}"),
        ("pairs with 0, 0.5, 1, 1.5, 2 points", ", ".join(f"{each:,}" for each in sprt["counts"].values())),
        ("Elo difference (95%)", _elo_difference(sprt)),
        ("normalised Elo difference (95%)", _elo_difference(sprt, "normalised_elo")),
    ]
    if adjusted := sprt.get("adjusted"):
        rows.append(("Elo difference adjusted for luck (95%)", _elo_difference(adjusted)))
        rows.append(("decided by", "scores adjusted for luck"))
    return rows


def _elo_difference(found: Mapping[str, Any], key: str = "elo") -> str:
    numbers = (found[key], *found[f"{key}_interval_95"])
    elo, *interval = ("infinite" if each is None else f"{each:+.1f}" for each in numbers)
    return f"{elo} ({' to '.join(interval)})"


def forfeits_text(forfeits: Mapping[str, int]) -> str:
    """Forfeited games by kind: ``2 illegal, 1 crash``."""
    return ", ".join(f"{count:,} {words(kind)}" for kind, count in forfeits.items() if count) or NOTHING


def elo_text(estimate: Mapping[str, Any]) -> str:
    """A rating with its interval."""
    low, high = estimate["interval_95"]
    return f"{estimate['elo']:+.0f} ({low:+.0f} to {high:+.0f})"


def title(summary: Mapping[str, Any]) -> str:
    """The number of games, the seed and the rules, in one line."""
    rules = kind_of(summary).ruleset.from_dict(dict(summary["ruleset"])).title
    chance = "seeds from a secret" if summary["seed"] is None else f"seed {summary['seed']}"
    return f"{summary['all']['games']:,} games, {chance}, {rules}"


def share_text(share: Mapping[str, Any]) -> str:
    """A rate with its interval, or a dash."""
    low, high = share["interval_95"]
    return f"{share['share']:.1%} ({low:.1%} to {high:.1%})" if share["games"] else NOTHING


def score_text(mean: float | None, interval: Sequence[float | None]) -> str:
    """A mean score with its interval, or a dash."""
    if mean is None:
        return NOTHING
    low, high = interval
    return f"{mean:.1%}" if low is None or high is None else f"{mean:.1%} ({low:.1%} to {high:.1%})"


def fixed(value: float | None, digits: int) -> str:
    """A number with a fixed number of decimals, or a dash."""
    return NOTHING if value is None else f"{value:,.{digits}f}"
