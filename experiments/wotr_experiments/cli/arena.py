"""The commands ``wotr tournament`` and ``wotr compare``."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from wotr_agents.networks.files import find_network
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena import result_tables
from wotr_experiments.arena.compare import compare_tournament
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.live_runs import (
    RunResults,
    run_compare_live,
    run_tournament_live,
    write_report_with_progress,
)
from wotr_experiments.arena.openings import check_openings, read_openings
from wotr_experiments.arena.schedule import (
    MOST_TURNS,
    Seats,
    Tournament,
    canonical_bot_spec,
    ending,
    find_game,
    find_ruleset,
)
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.time_limits import TimeLimit, read_time_limits
from wotr_experiments.cli import completion
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import (
    BotProcesses,
    GameName,
    Json,
    Rules,
    Seed,
    Watchdog,
    print_json,
    print_tables,
)
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import WATCHDOG
from wotr_experiments.luck.measure import DEFAULT_SAMPLES, LuckMethod
from wotr_experiments.luck.values import network_of
from wotr_experiments.reports.tournament import Replays


class Engines(StrEnum):
    """Options for the engine that plays the games of a tournament."""

    processes = "processes"
    threads = "threads"
    ray = "ray"


Out = Annotated[
    Path | None,
    typer.Option(
        help="Folder for games, summary and report. A started tournament in this folder is continued."
    ),
]
MostTurns = Annotated[
    int | None,
    typer.Option(
        help="Turn limit: after this many turns the game ends, War of the Ring as a draw. 0 means no limit. "
        f"By default the limit of --ruleset, or {MOST_TURNS:,} for a game that could go on forever.",
        show_default=False,
    ),
]
Engine = Annotated[
    Engines, typer.Option(help="Where games run: in processes, in threads, or on a Ray cluster.")
]
GamesSeed = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=2**63 - 1,
        help="Random seed. The same seed gives the same games, but a bot that guesses the seed can predict "
        "all dice and decks. By default the seeds of games come from a random secret that is stored "
        "with the games.",
    ),
]
Secret = Annotated[
    str | None,
    typer.Option(metavar="HEX", help="Secret of an earlier tournament, to play the same games again."),
]
Workers = Annotated[
    int, typer.Option(min=0, help="Number of batches that run at the same time. 0 means one per core.")
]
Pages = Annotated[
    Replays, typer.Option("--replays", help="Games that are written as web pages next to the report.")
]


@dataclasses.dataclass(frozen=True)
class GameOptions:
    """Options that define the games."""

    game: GameName = DEFAULT_GAME
    ruleset: Rules = None
    max_turns: MostTurns = None

    def rules(self, begun: Sequence[str] = ()) -> Any:
        """The ruleset, from ``rules_of``."""
        return rules_of(self.ruleset, self.max_turns, self.game, begun)


@dataclasses.dataclass(frozen=True)
class SeededGameOptions(GameOptions):
    """Reproducible games with a seed."""

    seed: Seed = 0


@dataclasses.dataclass(frozen=True)
class SecretGameOptions(GameOptions):
    """Games from a secret that bots cannot guess, unless a seed is given."""

    seed: GamesSeed = None
    secret: Secret = None


@dataclasses.dataclass(frozen=True)
class LuckOptions:
    """Options for results adjusted for luck."""

    luck: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORK",
            help="Also report results adjusted for luck. Luck is measured with the values of this network "
            "(such as zoo/wide). The network does not play.",
        ),
    ] = None
    luck_samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of replays of each step with random events, to measure luck with --luck. "
            f"By default {DEFAULT_SAMPLES}.",
            show_default=False,
        ),
    ] = None

    def method(self) -> LuckMethod | None:
        """The settings of the measurement of luck; None if it is not requested.

        Raises:
            BotError: there is no such network.
            CommandError: a number of samples is given without a network.
        """
        if self.luck is None:
            if self.luck_samples is not None:
                raise CommandError("--luck-samples needs --luck NETWORK")
            return None
        find_network(network_of(self.luck))
        return LuckMethod(self.luck, self.luck_samples or DEFAULT_SAMPLES)


@dataclasses.dataclass(frozen=True)
class ExecutionOptions(BotProcesses):
    """Options for the places where games and bots run."""

    engine: Engine = Engines.processes
    workers: Workers = 0
    watchdog: Watchdog = WATCHDOG

    def crew(self) -> WorkerPool:
        return WorkerPool(self.engine.value, self.workers, self.isolation(self.watchdog))


@dataclasses.dataclass(frozen=True)
class OutputOptions:
    """Options for results."""

    out: Out = None
    as_json: Json = False
    replays: Pages = Replays.FIRST

    def __post_init__(self) -> None:
        if self.replays is Replays.ALL and self.out is None:
            raise CommandError("--replays all needs --out FOLDER")

    def folder(self) -> Path | None:
        """The folder as an absolute path, because a bot in this process may change the working folder."""
        return self.out and self.out.absolute()


@dataclasses.dataclass(frozen=True)
class BatchOptions:
    """Options for the start and the limits of a tournament's games."""

    batch: Annotated[
        int,
        typer.Option(
            "--batch",
            min=0,
            help="Games in a batch, an even number. 0 chooses a suitable size. Use small batches for slow "
            "bots: a stopped run replays unfinished batches.",
        ),
    ] = 0
    time_limit: Annotated[
        list[str] | None,
        typer.Option(
            "--time-limit",
            metavar="[SPEC=]SECONDS",
            help="Time limit per decision in seconds, averaged over the decisions of one call. A slower bot "
            "forfeits. SPEC=SECONDS sets the limit of one bot. 0, the default, means no limit. "
            "Repeatable.",
            show_default=False,
        ),
    ] = None
    positions: Annotated[
        Path | None,
        typer.Option(
            "--positions",
            help=(
                "File with one position per line. Each pair of games starts from the next position, with new "
                "dice. In a game without dice, such as the Duel, each position is used once."
            ),
        ),
    ] = None

    def openings(self) -> tuple[str, ...]:
        """The positions; none by default."""
        return read_openings(self.positions) if self.positions else ()


@grouped
def tournament(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            autocompletion=completion.bots,
            help="Specs of two or more bots, such as scripted or mcts:sims=100.",
        ),
    ],
    played: SecretGameOptions,
    measured: LuckOptions,
    execution: ExecutionOptions,
    results: OutputOptions,
    batched: BatchOptions,
    games: Annotated[
        int,
        typer.Option(
            help="Games per pairing, an even number, because sides are exchanged. With --seats drawn: the "
            "total number of games, rounded up to a multiple of the number of bots."
        ),
    ] = 100,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Play only the first bot against each other bot.")
    ] = False,
    seats: Annotated[
        Seats,
        typer.Option(
            "--seats",
            help="teams: one bot plays all seats of a team. drawn: the bot of each seat is drawn at "
            "random, and bots are rated by seat.",
        ),
    ] = Seats.TEAMS,
) -> None:
    """Play every bot against every other bot, in pairs of games with exchanged sides."""
    begun = batched.openings()
    rules = played.rules(begun)
    if seats == Seats.DRAWN:
        games = -(-games // len(bots)) * len(bots)
    wanted = Tournament(
        tuple(bots),
        games,
        played.seed,
        rules,
        batched.batch,
        limits_of(batched.time_limit, bots, played.game),
        gauntlet,
        played.game,
        seats,
        played.secret,
        positions=begun,
        luck=measured.method(),
    )
    out = results.folder()
    held = run_tournament_live(wanted, out, execution.crew())
    show_results(wanted, held, out, results.replays, results.as_json)


@dataclasses.dataclass(frozen=True)
class SprtOptions:
    """Options of the sequential test."""

    elo0: Annotated[
        float, typer.Option(help="Elo difference of the null hypothesis, from -1000 to 1000.")
    ] = Sprt.elo0
    elo1: Annotated[
        float, typer.Option(help="Elo difference of the alternative hypothesis, from -1000 to 1000.")
    ] = Sprt.elo1
    alpha: Annotated[
        float,
        typer.Option(help="Maximal probability of accepting the first bot if its true difference is --elo0."),
    ] = Sprt.alpha
    beta: Annotated[
        float,
        typer.Option(help="Maximal probability of rejecting the first bot if its true difference is --elo1."),
    ] = Sprt.beta


@grouped
def compare(
    first: Annotated[
        str,
        typer.Argument(metavar="BOT", autocompletion=completion.bots, help="Spec of the bot under test."),
    ],
    second: Annotated[
        str,
        typer.Argument(
            metavar="BOT", autocompletion=completion.bots, help="Spec of the bot to compare it with."
        ),
    ],
    sure: SprtOptions,
    played: SecretGameOptions,
    measured: LuckOptions,
    execution: ExecutionOptions,
    results: OutputOptions,
    batched: BatchOptions,
    max_games: Annotated[
        int,
        typer.Option(
            min=2,
            help=(
                "Maximal number of games, rounded up to whole batches. If the test has not stopped by "
                "then, the result is undecided."
            ),
        ),
    ] = 20_000,
) -> None:
    """Test whether the first bot is stronger than the second (SPRT), in pairs of games with exchanged
    sides."""
    sprt = Sprt(**dataclasses.asdict(sure))
    begun = batched.openings()
    wanted = compare_tournament(
        first,
        second,
        max_games,
        batch=batched.batch,
        seed=played.seed,
        secret=played.secret,
        ruleset=played.rules(begun),
        time_limit=limits_of(batched.time_limit, (first, second), played.game),
        game=played.game,
        positions=begun,
        luck=measured.method(),
    )
    out = results.folder()
    held = run_compare_live(wanted, sprt, out, execution.crew())
    show_results(wanted, held, out, results.replays, results.as_json)


def limits_of(given: Sequence[str] | None, bots: Sequence[str], game: str) -> TimeLimit:
    """The time limits of bots, from ``read_time_limits``."""
    return read_time_limits(given or (), bots, lambda spec: canonical_bot_spec(spec, game), common=0.0)


def rules_of(spec: str | None, max_turns: int | None, game: str, begun: Sequence[str] = ()) -> Any:
    """The ruleset of a tournament, with a turn limit unless it is switched off.

    Args:
        spec: spec of the ruleset.
        max_turns: the turn limit; 0: no limit.
        game: the name of the game.
        begun: positions from which games start; if there are any, their rules are used.

    Raises:
        CommandError: the game or ruleset is unknown, the game has no such turn limit, both positions and a
            spec are given, or an error of ``check_openings``.
    """
    kind = find_game(game)
    if begun and spec:
        raise CommandError("positions have their own rules; leave out --ruleset")
    ruleset = check_openings(kind, begun) if begun else find_ruleset(kind, spec)
    if max_turns is None:
        return ending(kind, ruleset)
    try:
        return kind.with_turn_limit(ruleset, max_turns)
    except ValueError as error:
        raise CommandError(f"--max-turns: {error}") from None


def show_results(
    played: Tournament, held: RunResults, out: Path | None, replays: Replays, as_json: bool
) -> None:
    """Prints the results of a tournament or a comparison, and writes the report if there is a folder."""
    summary = held.summary
    if as_json:
        print_json(summary)
    else:
        test = [result_tables.compare_table(summary)] if "sprt" in summary else []
        thinking = result_tables.thinking_tables(held.thinking)
        failed = result_tables.first_forfeits(summary)
        print_tables(*test, *result_tables.tournament_tables(summary), *thinking, *failed, markup=False)
    sys.stdout.flush()
    if out is not None:
        write_report_with_progress(played, summary, out, replays)
