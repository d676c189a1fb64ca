"""Results of bots by seat in games of three and four players: as teams, and in drawn seats.

``python -m wotr_experiments.games.war_of_the_ring.reports.seats [--games N] [--seed S] [--workers N] [--out
FILE] [BOT BOT...]`` writes the section between its marks in ``docs/strength.md``, or appends it to the page.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wotr_env.core.values import read_text
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.arena import result_tables
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.arena.schedule import Seats, Tournament
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.pages import markdown_table, report_parser, write_page

COMMAND = "python -m wotr_experiments.games.war_of_the_ring.reports.seats"
PAGE = Path(__file__).parents[5] / "docs" / "strength.md"
PLAYERS = (3, 4)
BOTS = ("scripted", "random")
GAMES = 400
SEED = 20_261_122
_BEGIN, _END = "<!-- results by seat -->", "<!-- end of results by seat -->"
_TITLE = "# Strength of the bots\n"

_SECTION = """{begin}
## Bots by seat

This section is written by `{command}`: {bots} played {games:,} games each with seed {seed}. After
{longest} turns, a game was a draw. Brackets contain 95% intervals. For each number of players, there
were two tournaments:

1. Each bot played all seats of a side, on both sides in turn. The first table shows these games.
2. The bot of each seat was drawn at random, so that every bot played in every seat equally often
   (`wotr tournament --seats drawn`). The other tables show these games.

Ratings are in Elo. In each seat, the mean of the bots is 0. The rating of a side is the sum of the ratings
of its seats.
{parts}
{end}
"""


def tournaments(
    bots: Sequence[str], players: int, games: int, seed: int, crew: WorkerPool
) -> list[dict[str, Any]]:
    """The summaries of tournaments of the bots: as teams, then with drawn seats.

    Args:
        bots: the specs of the bots.
        players: the number of players, 3 or 4.
        games: number of games of each pairing, and of games with drawn seats.
        seed: seed of the games.
        crew: the workers that play.

    Raises:
        BotError: there is no such bot.
        CommandError: the number of games is not a number of whole rounds.
    """
    rules = WAR_OF_THE_RING.find_ruleset(f"first:players={players}")
    limited = WAR_OF_THE_RING.limited(rules, LONGEST)
    return [
        run_tournament(Tournament(tuple(bots), games, seed, limited, seats=seats), crew=crew)
        for seats in Seats
    ]


def section(played: dict[int, list[dict[str, Any]]], games: int, seed: int) -> str:
    """The section in Markdown, from the summaries by number of players."""
    parts = []
    for players, (by_team, drawn) in played.items():
        parts += [
            f"\n### {players} players\n",
            markdown_table(["bot", "wins", *_team_titles()], [_team_row(row) for row in by_team["results"]]),
            "",
            markdown_table(list(result_tables.SEAT_HEADS), result_tables.seat_rows(drawn)),
            "",
            _ratings(drawn),
        ]
    return _SECTION.format(
        begin=_BEGIN,
        end=_END,
        command=COMMAND,
        bots=" and ".join(f"`{row['bot']}`" for row in drawn["results"]),
        games=games,
        seed=seed,
        longest=LONGEST,
        parts="\n".join(parts),
    )


def put_into(page: str, written: str) -> str:
    """Returns a page with a new section in place of the old one, or at its end.

    Raises:
        CommandError: a mark of the section is missing.
    """
    if (_BEGIN in page) != (_END in page):
        raise CommandError(f"the page has one of {_BEGIN} and {_END}, and lacks the other")
    if _BEGIN not in page:
        return f"{page.rstrip()}\n\n{written}"
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return before + written.rstrip("\n") + after


def _team_titles() -> list[str]:
    return [f"as {team.title}" for team in WAR_OF_THE_RING.teams]


def _team_row(row: dict[str, Any]) -> list[str]:
    keys = ("wins", *(f"wins_as_{team.name}" for team in WAR_OF_THE_RING.teams))
    return [row["bot"], *(result_tables.share_text(row[key]) for key in keys)]


def _ratings(summary: dict[str, Any]) -> str:
    keys = result_tables.rating_keys(summary)
    rows = [
        [row["bot"], *(result_tables.elo_text(result_tables.rating_of(row, key)) for key in keys.values())]
        for row in summary["ratings"]["bots"]
    ]
    return markdown_table(["rating", *keys], rows)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = report_parser(COMMAND, __doc__, PAGE, games=GAMES, seed=SEED, workers=0)
    parser.add_argument("bots", nargs="*", default=BOTS, metavar="BOT")
    options = parser.parse_args(arguments)

    def make() -> str:
        crew = WorkerPool(workers=options.workers)
        played = {
            players: tournaments(options.bots, players, options.games, options.seed, crew)
            for players in PLAYERS
        }
        page = read_text(options.out) if options.out.exists() else _TITLE
        return put_into(page, section(played, options.games, options.seed))

    return write_page(options.out, make)


if __name__ == "__main__":
    sys.exit(main())
