"""Cross table of bots by side: ``python -m wotr_experiments.reports.cross FOLDER [FILE]``.

FOLDER is the folder of a tournament. Writes ``docs/cross.md``, or FILE.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wotr_env.core.values import read_text
from wotr_experiments.arena import result_tables
from wotr_experiments.arena.tournament import SUMMARY
from wotr_experiments.errors import CommandError
from wotr_experiments.provenance import PROVENANCE, read_provenance
from wotr_experiments.reports.pages import markdown_table, write_page

COMMAND = "python -m wotr_experiments.reports.cross"
PAGE = Path(__file__).parents[3] / "docs" / "cross.md"
_FEWEST = 3
"""Minimal number of bots of a cross table."""

_TEXT = """# Every bot against every other

This page is written by `{command}`, from a tournament that was played with `{played}`. It had {games:,}
games, {each:,} for each pair of bots. Games come in pairs with the same seed and exchanged sides. The rules
are: {rules}. A spec may leave out the name of the first parameter: `net:path=zoo/wide` is the bot
`net:zoo/wide`.

Ratings are in Elo; the mean rating of these bots is 0. Brackets contain 95% intervals. The intervals of
ratings come from resampling pairs of games. The intervals of shares come from Wilson's method. In the
table *By side*, a draw does not count as a win. In ratings and scores, a draw counts as half a win.

{ratings}

## By side

Each cell is the share of games that the bot of the row wins as {first}, against the bot of the column as
{second}.

{by_side}

## Both sides

Each cell is the score of the bot of the row against the bot of the column, in the games on both sides
together.

{both}

## How games ended

Each row shows the number of games for each kind of end. The last columns are statistics of these games
({note}).

{ends}
"""


def page(summary: Mapping[str, Any], played: str) -> str:
    """The page in Markdown.

    Args:
        summary: summary of a tournament of two teams.
        played: the command that played it.

    Raises:
        CommandError: the summary has no cross table.
    """
    if len(summary["cross"]) < _FEWEST:
        raise CommandError(f"a cross table needs at least {_FEWEST} bots that played in pairs")
    kind, teams = result_tables.kind_of(summary), result_tables.teams_of(summary)
    names = [f"`{row['bot']}`" for row in summary["results"]]
    first, second = teams
    keys = result_tables.rating_keys(summary)
    ranked = sorted(summary["ratings"]["bots"], key=lambda row: -row["both"]["elo"])
    ends = [
        [
            *(
                f"`{row[team.name]}`" if row[team.name] in summary["bots"] else row[team.name]
                for team in teams
            ),
            f"{row['games']:,}",
            *(f"{count:,}" for count in row["kinds"].values()),
            *(result_tables.cell_text(cell, row) for cell in kind.shown.wins),
        ]
        for row in result_tables.pairing_rows(summary)
    ]
    ruleset = kind.ruleset.from_dict(dict(summary["ruleset"]))
    return _TEXT.format(
        command=COMMAND,
        played=played,
        games=summary["all"]["games"],
        each=summary["games"],
        rules=ruleset.title,
        ratings=markdown_table(
            ["rating in Elo", *keys],
            [
                [
                    f"`{row['bot']}`",
                    *(result_tables.elo_text(result_tables.rating_of(row, key)) for key in keys.values()),
                ]
                for row in ranked
            ],
        ),
        first=first.title,
        second=second.title,
        by_side=_square(names, summary["cross_by_team"], result_tables.share_text),
        both=_square(names, summary["cross"], lambda score: f"{score:.1%}"),
        note=kind.shown.wins_note,
        ends=markdown_table(
            [
                *(team.title for team in teams),
                "games",
                *map(result_tables.words, summary["all"]["kinds"]),
                *(cell.head for cell in kind.shown.wins),
            ],
            ends,
        ),
    )


def _square(names: Sequence[str], cells: Sequence[Sequence[Any]], text: Callable[[Any], str]) -> str:
    """A table of the results of each row against each column."""
    rows = [
        [name, *(result_tables.NOTHING if cell is None else text(cell) for cell in row)]
        for name, row in zip(names, cells, strict=True)
    ]
    return markdown_table(["", *names], rows)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) not in (1, 2):
        print(f"usage: {COMMAND} FOLDER [FILE]", file=sys.stderr)
        return 2
    folder = Path(arguments[0])

    def make() -> str:
        try:
            summary = json.loads(read_text(folder / SUMMARY))
            played = next((each["command"] for each in read_provenance(folder / PROVENANCE)), "")
            return page(summary, played)
        except CommandError:
            raise
        except (KeyError, TypeError, ValueError):
            raise CommandError(f"{folder / SUMMARY} is not the summary of a tournament") from None

    return write_page(Path(arguments[1]) if len(arguments) == 2 else PAGE, make)


if __name__ == "__main__":
    sys.exit(main())
