"""The command ``wotr text-tournament``."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wotr_env.play.games import game_kind
from wotr_experiments.arena.time_limits import TimeLimit, read_time_limits
from wotr_experiments.cli import completion
from wotr_experiments.cli.arena import SecretGameOptions
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import BotProcesses, Json, print_json, print_tables
from wotr_experiments.errors import one_line
from wotr_experiments.language.players import TextPlayer, names_bot
from wotr_experiments.language.text_games import RECORDS, TextPlayed
from wotr_experiments.language.text_results import text_tables
from wotr_experiments.language.text_running import run_text_tournament
from wotr_experiments.language.text_tournament import TIME_LIMIT, TextTournament


class Prompts(StrEnum):
    """Options for the contents of a prompt."""

    whole = "whole"
    news = "news"


@dataclasses.dataclass(frozen=True)
class PromptOptions:
    """Options for prompts and answers."""

    time_limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[PLAYER=]SECONDS",
            help=f"Time limit for an answer in text, in seconds; {TIME_LIMIT:g} by default. A player that "
            "takes twice as long is stopped and restarted. PLAYER=SECONDS sets the limit of one "
            "player. Repeatable.",
            show_default=False,
        ),
    ] = None
    allowance: Annotated[
        int,
        typer.Option(
            help=(
                "Number of consecutive illegal or late answers that are allowed. The next one loses the game."
            )
        ),
    ] = TextTournament.allowance
    prompts: Annotated[
        Prompts,
        typer.Option(
            help="whole: each prompt contains the position and the instructions, for players without "
            "memory. news: only the first prompt contains them; later prompts contain the events since "
            "the previous prompt."
        ),
    ] = Prompts.whole
    legal_actions: Annotated[
        bool,
        typer.Option(
            "--legal-actions/--no-legal-actions",
            help=(
                "Whether each prompt lists the legal actions. Without this list, the instructions contain "
                "the names of all actions."
            ),
        ),
    ] = TextTournament.legal_actions
    renamed: Annotated[
        int | None,
        typer.Option(
            metavar="SEED",
            help="Seed of invented names for regions, cards, characters, nations and sides. They show "
            "whether a player reasons or recalls known games. By default the game's own names are "
            "used.",
            show_default=False,
        ),
    ] = None
    board: Annotated[bool, typer.Option("--map", help="Add the map in words to the instructions.")] = False


@grouped
def text_tournament(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER...",
            autocompletion=completion.bots,
            help="Two or more players: module:function (a Python function from text to text), "
            "text:COMMAND (a program), or the spec of a bot.",
        ),
    ],
    of: SecretGameOptions,
    talk: PromptOptions,
    processes: BotProcesses,
    games: Annotated[
        int, typer.Option(help="Games per pairing, an even number, because sides are exchanged.")
    ] = 10,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Play only the first player against each other player.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for games and results. A started tournament in this folder is continued."),
    ] = None,
    as_json: Json = False,
    workers: Annotated[int, typer.Option(min=1, help="Number of games that run at the same time.")] = 1,
) -> None:
    """Play language models, other programs that read text, and bots against each other."""
    rules, out = of.rules(), out and out.absolute()
    played = TextTournament(
        tuple(players),
        games,
        seed=of.seed,
        secret=of.secret,
        time_limit=_limits_of(talk.time_limit, players, of.game),
        allowance=talk.allowance,
        whole=talk.prompts == Prompts.whole,
        legal_actions=talk.legal_actions,
        renamed=talk.renamed,
        board=talk.board,
        gauntlet=gauntlet,
        ruleset=rules,
        game=of.game,
    )

    def told(ended: TextPlayed, number: int) -> None:
        print(f"wotr: game {number} of {played.total}: {_in_words(played, ended)}", file=sys.stderr)

    try:
        summary = run_text_tournament(played, out, processes.isolation(), workers, told)
    except KeyboardInterrupt:
        if out is not None:
            print(f"wotr: {out} keeps the games; the same command continues from there", file=sys.stderr)
        raise
    if as_json:
        print_json(summary)
    else:
        print_tables(*text_tables(summary), markup=False)
    if out is not None:
        print(
            f"wotr: games and results are in {out}; wotr replay {out / RECORDS} shows them", file=sys.stderr
        )


def _limits_of(given: Sequence[str] | None, players: Sequence[str], game: str) -> TimeLimit:
    """The time limits of players, as ``read_time_limits``; bots have none."""
    return read_time_limits(
        given or (),
        players,
        lambda name: TextPlayer.named(name, game).name,
        common=TIME_LIMIT,
        above=True,
        limited=lambda name: not names_bot(name),
    )


def _in_words(played: TextTournament, ended: TextPlayed) -> str:
    """The players and the result of a game in one line."""
    kind = game_kind(played.game)
    by_team = {
        team.title: played.names[ended.players[seat]]
        for number, team in enumerate(kind.teams_of(played.ruleset))
        for seat, each in enumerate(played.ruleset.seats)
        if each.team == number
    }
    who = " against ".join(f"{name} as {title}" for title, name in by_team.items())
    how = ended.message or ended.reason.replace("_", " ")
    return one_line(f"{who}: {kind.winner_name(ended.winner).replace('_', ' ')} ({how})", 300)
