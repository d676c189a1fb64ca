"""The command line ``wotr``. Every error is one line on stderr and exit code 2."""

from __future__ import annotations

import dataclasses
import os
import sys
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import rich.console
import rich.progress
import tqdm
import typer

from wotr_agents import BotError, bot_kinds
from wotr_agents.compiled import ensure_everything, everything_is_compiled
from wotr_benchmarks import suite
from wotr_benchmarks.report import markdown
from wotr_env.codes import Side
from wotr_env.errors import RecordError
from wotr_env.games import DEFAULT_GAME
from wotr_experiments.arena.check_bot import check_bot
from wotr_experiments.arena.engines import Crew
from wotr_experiments.arena.play import verify_records
from wotr_experiments.arena.running import hold_tournament
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import load_records
from wotr_experiments.cli import tables
from wotr_experiments.cli.arena import compare, show_results, tournament
from wotr_experiments.cli.options import GameName, Json, Seed, print_json, print_tables
from wotr_experiments.cli.train import train
from wotr_experiments.dev.coverage import TESTS, card_coverage, coverage, rule_titles
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.benchmark import check_can_plot, draw, read_report, slower_than, write_report
from wotr_experiments.reports.replay_page import write_replay
from wotr_experiments.reports.tournament import Replays
from wotr_experiments.terminal.command import play
from wotr_experiments.training.config import short_training

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""
_ZOO = "net:zoo/laptop"
_DEMO_SEARCH = "mcts:sims=32,depth=20"
"""Quick rather than strong."""

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="War of the Ring, first edition: bots, tournaments and the rules they play by.",
)


class Eyes(StrEnum):
    """Whose knowledge a page shows."""

    free_peoples = "free-peoples"
    shadow = "shadow"
    both = "both"


@app.command()
def demo(
    decisions: Annotated[
        float, typer.Option(min=1, help="Decisions that the fresh network is trained for.")
    ] = 2e6,
    games: Annotated[int, typer.Option(help="Games of each pairing, an even number.")] = 20,
    seed: Seed = 1,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the training run, records and results.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Trains a network for a minute, plays it against bots and the zoo, and writes the report."""
    from wotr_experiments.training.watch import train_in  # torch takes seconds to load

    warmup()
    folder = out or Path(tempfile.mkdtemp(prefix="wotr-demo-"))
    trained = folder / "training"
    train_in(trained, short_training(int(decisions), seed), "auto", as_json=False)
    players = "random", "scripted", _DEMO_SEARCH, f"net:{trained}", _ZOO
    played = Tournament(players, games, seed)
    show_results(played, hold_tournament(played, folder, Crew()), folder, Replays.FIRST, as_json)


app.command()(tournament)
app.command()(compare)


@app.command()
def bots(as_json: Json = False) -> None:
    """Lists every registered bot with its parameters."""
    kinds = list(bot_kinds().values())
    if as_json:
        print_json([tables.bot_to_dict(kind) for kind in kinds])
    else:
        print_tables(tables.bots_table(kinds))


@app.command(name="check-bot")
def check_bot_command(
    spec: Annotated[str, typer.Argument(metavar="BOT", help="Spec of the bot, such as scripted.")],
    games: Annotated[int, typer.Option(min=1, help="Games played at once.")] = 8,
    decisions: Annotated[int, typer.Option(min=1, help="Decisions per game, at most.")] = 200,
    seed: Seed = 1,
    as_json: Json = False,
    game: GameName = DEFAULT_GAME,
) -> None:
    """Checks a bot: legal actions, fairness, determinism for a seed, time per decision."""
    with tqdm.tqdm(total=games * decisions, unit="decision", file=sys.stderr, leave=False) as bar:
        checks = check_bot(spec, games, decisions, seed, bar.update, game)
    if as_json:
        print_json([dataclasses.asdict(check) for check in checks])
    else:
        print_tables(tables.checks_table(spec, checks))
    failed = [check.name for check in checks if not check.passed]
    if failed:
        raise CommandError(f"bot {spec} failed: {', '.join(failed)}")


@app.command()
def bench(
    as_json: Json = False,
    only: Annotated[
        str | None,
        typer.Option(
            help="One benchmark, slow or not; or a pattern of names or groups, such as 'observed_*'."
        ),
    ] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Measured runs of each; by default 5.")] = None,
    against: Annotated[
        Path | None,
        typer.Option(help="Compare with this output of --json; exit code 1 if anything is slower."),
    ] = None,
    slow: Annotated[bool, typer.Option("--slow", help="The slow benchmarks too.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown instead of tables.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option("--plot", help="Draw speed by batch and threads: a .png or .svg file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write baseline.json, table.md and throughput.svg into this folder.")
    ] = None,
    show: Annotated[
        Path | None, typer.Option("--from", help="Measure nothing: show this output of --json.")
    ] = None,
) -> None:
    """Measures the speed of the rules, and of other games beside them, on this machine."""
    if as_json and as_markdown:
        raise CommandError("give --json or --markdown, not both")
    chosen = suite.choose(only, slow)
    if not chosen:
        raise CommandError(f"unknown benchmark {only!r}; known: {', '.join(suite.BENCHMARKS)}")
    earlier = None if against is None else read_report(against)
    if picture is not None:
        check_can_plot(picture)
    if show is not None:
        report = read_report(show)
    else:
        with tqdm.tqdm(total=len(chosen), unit="benchmark", disable=None, leave=False) as bar:
            report = suite.run_benchmarks(chosen, repeats, bar.set_postfix_str, lambda _name: bar.update())
    if out is not None:
        write_report(out, report, list(suite.BENCHMARKS))
    if picture is not None:
        draw(report, picture)
    for name, why in report.skipped.items():
        print(f"wotr: {name} is skipped: {why}", file=sys.stderr)
    if as_json:
        print_json(report.to_dict())
    elif as_markdown:
        print(markdown(report), end="")
    else:
        print_tables(*tables.bench_tables(report, earlier))
    if earlier is None:
        return
    if not report.same_machine(earlier):
        print("wotr: the other measurements are of another machine; nothing is judged", file=sys.stderr)
    elif slower := slower_than(report, earlier):
        print(f"wotr: slower than before, beyond the noise: {', '.join(slower)}", file=sys.stderr)
        raise typer.Exit(1)


@app.command()
def replay(
    file: Annotated[
        Path, typer.Argument(help="Records of games: JSON Lines, or games.sqlite of a tournament.")
    ],
    at: Annotated[
        int | None, typer.Option(min=0, help="Show the position after this many decisions.")
    ] = None,
    game: Annotated[int, typer.Option(min=1, help="Number of the game in the file.")] = 1,
    as_json: Json = False,
    html: Annotated[Path | None, typer.Option(help="Write the game as a web page to this file.")] = None,
    eyes: Annotated[
        Eyes, typer.Option(help="Whose hand the page holds; the other hand is not in it.")
    ] = Eyes.both,
) -> None:
    """Checks every record of a file and shows one game, or one position of it, or makes a page of it."""
    if html is None and eyes is not Eyes.both:
        raise CommandError("--eyes is for the page that --html OUT writes")
    if html is not None and (at is not None or as_json):
        raise CommandError("--html writes the whole game as a page: leave out --at and --json")
    records = load_records(file)
    if not records:
        raise CommandError(f"{file} holds no game")
    if game > len(records):
        raise CommandError(f"{file} has {len(records)} games, there is no game {game}")
    record = records[game - 1]
    if at is not None and at > len(record.actions):
        raise CommandError(f"game {game} has {len(record.actions)} decisions, there is no position {at}")
    for played in {(each.game, each.ruleset) for each in records}:
        verify_records([each for each in records if (each.game, each.ruleset) == played])
    count = (
        "1 record replays to its hash"
        if len(records) == 1
        else f"{len(records)} records replay to their hashes"
    )
    print(f"wotr: {count}", file=sys.stderr)
    if record.game != DEFAULT_GAME:
        raise CommandError(f"game {game} is of {record.kind.title}, which this command cannot show")
    if html is not None:
        viewer = {Eyes.free_peoples: int(Side.FREE_PEOPLES), Eyes.shadow: int(Side.SHADOW), Eyes.both: None}
        write_replay(html, record, viewer[eyes])
        print(f"wotr: {html} shows game {game} to any browser", file=sys.stderr)
        return
    shown = tables.game_to_dict(record) if at is None else tables.position_to_dict(record, at)
    if as_json:
        print_json(shown)
    else:
        print(tables.game_text(shown) if at is None else tables.position_text(shown))


app.command()(play)
app.command()(train)


@app.command(name="warmup")
def warmup_command() -> None:
    """Compiles the rules and the bots for this machine, once per version."""
    warmup()


@app.command()
def rules(
    cards: Annotated[bool, typer.Option("--cards", help="The event cards instead of the rules.")] = False,
    as_json: Json = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit code 2 if an id lacks a function or a test.")
    ] = False,
) -> None:
    """Shows for every rule or card where or how it is implemented and which tests prove it."""
    rows = card_coverage() if cards else coverage(rule_titles())
    if not TESTS.is_dir():
        print("wotr: the tests are not part of this installation, only of a source checkout", file=sys.stderr)
    if as_json:
        print_json([{**dataclasses.asdict(row), "missing": row.missing} for row in rows])
    else:
        print_tables(tables.cards_table(rows) if cards else tables.rules_table(rows))
    lacking = [f"{row.id} ({row.missing})" for row in rows if row.missing]
    if check and lacking:
        raise CommandError(
            f"{len(lacking)} of {len(rows)} ids lack a function or a test: {', '.join(lacking)}"
        )


def warmup() -> float:
    """Compiles with a progress bar on stderr if need be; returns the seconds."""
    if everything_is_compiled():
        print("wotr: rules and bots are compiled already", file=sys.stderr)
        return 0.0
    print("wotr: compiling the rules, then the bots (once, about a minute)", file=sys.stderr)
    bar = rich.progress.Progress(
        rich.progress.SpinnerColumn(),
        rich.progress.BarColumn(),
        rich.progress.MofNCompleteColumn(),
        rich.progress.TimeElapsedColumn(),
        console=rich.console.Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("compile", total=None)
        seconds = ensure_everything(lambda done, total: bar.update(task, completed=done, total=total))
    print(f"wotr: compiled in {seconds:.0f} s", file=sys.stderr)
    return seconds


def main(arguments: list[str] | None = None) -> int:
    """The console command; returns the exit code.

    Args:
        arguments: by default those of the process.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        code = app(arguments or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        return _fail(error.format_message())
    except OSError as error:
        _drop_output()
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}")
    except (BotError, CommandError, RecordError) as error:
        return _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        print("wotr: stopped", file=sys.stderr)
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    print(f"wotr: {' '.join(message.split())}", file=sys.stderr)
    return 2


def _drop_output() -> None:
    """Keeps Python from failing again at exit on an output that cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
