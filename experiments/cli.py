"""The command line ``wotr``. Every error is one line on stderr and exit code 2."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import rich.console
import rich.progress
import tqdm
import typer

from agents import BotError, bot_kinds
from benchmarks.harness import Measurement, machine
from benchmarks.throughput import BENCHMARKS, run_benchmarks
from experiments import tables
from experiments.coverage import TESTS, card_coverage, coverage, rule_titles
from experiments.errors import CommandError
from experiments.play import verify_records
from experiments.replay_page import write_replay
from experiments.tournament import Tournament, run_tournament
from wotr_env import GameRecord, Ruleset, kernel
from wotr_env.codes import Side
from wotr_env.compile import ensure_compiled, is_compiled
from wotr_env.errors import RecordError

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""
PIPED_WIDTH = 200
"""Columns of tables that are not printed to a terminal."""

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="War of the Ring, first edition: bots, tournaments and the rules they play by.",
)


class Edition(StrEnum):
    """The rulesets that have a name."""

    first = "first"
    second = "second"


class Eyes(StrEnum):
    """Whose knowledge a page shows."""

    free_peoples = "free-peoples"
    shadow = "shadow"
    both = "both"


Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout instead of tables.")]
Seed = Annotated[
    int, typer.Option(min=0, max=2**63 - 1, help="Of all chance; the same seed gives the same games.")
]
Edit = Annotated[Edition, typer.Option("--ruleset", help="Edition of the rules.")]
Turns = Annotated[int, typer.Option(help="Turns after which a game is a draw; 0: no limit.")]


@app.command()
def demo(
    games: Annotated[int, typer.Option(help="Games to play, an even number.")] = 200,
    seed: Seed = 1,
    out: Annotated[
        Path | None, typer.Option(help="Folder for records and results; by default a new one.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compiles if need be, plays a small tournament of random bots and shows its table."""
    warmup()
    folder = out or Path(tempfile.mkdtemp(prefix="wotr-demo-"))
    _run_tournament(Tournament(("random", "random"), games, seed), folder, as_json)


@app.command()
def tournament(
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT...", help="Specs of two or more bots, such as random.")
    ],
    games: Annotated[int, typer.Option(help="Games per pairing, an even number: sides are exchanged.")] = 100,
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for records and results; continued if begun.")
    ] = None,
    as_json: Json = False,
    ruleset: Edit = Edition.first,
    max_turns: Turns = 0,
    batch: Annotated[int, typer.Option(min=1, help="Games played at once.")] = Tournament.batch,
) -> None:
    """Plays every bot against every other in seat-swapped pairs."""
    rules = _ruleset(ruleset, max_turns)
    _run_tournament(Tournament(tuple(bots), games, seed, rules, batch), out, as_json)


@app.command()
def bots(as_json: Json = False) -> None:
    """Lists every registered bot with its parameters."""
    kinds = list(bot_kinds().values())
    if as_json:
        _print_json([tables.bot_to_dict(kind) for kind in kinds])
    else:
        _print(tables.bots_table(kinds))


@app.command()
def bench(
    as_json: Json = False,
    only: Annotated[str | None, typer.Option(help="One benchmark by name; also the slow ones.")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Measured runs of each; by default 5.")] = None,
    against: Annotated[Path | None, typer.Option(help="Compare with this earlier output of --json.")] = None,
) -> None:
    """Measures the speed of the rules on this machine."""
    if only is not None and only not in BENCHMARKS:
        raise CommandError(f"unknown benchmark {only!r}; known: {', '.join(BENCHMARKS)}")
    names = [only] if only else [name for name, benchmark in BENCHMARKS.items() if not benchmark.slow]
    earlier = {} if against is None else _earlier_medians(against)
    with tqdm.tqdm(total=len(names), unit="benchmark", disable=None, leave=False) as bar:

        def on_done(done: Measurement) -> None:
            bar.set_postfix_str(done.name)
            bar.update()

        measurements = run_benchmarks(names, repeats, on_done)
    if as_json:
        _print_json({"machine": machine(), "measurements": [each.to_dict() for each in measurements]})
    else:
        _print(tables.bench_table(measurements, machine(), earlier))


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="Records of games, one JSON line each.")],
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
    records = GameRecord.load(file)
    if not records:
        raise CommandError(f"{file} holds no game")
    if game > len(records):
        raise CommandError(f"{file} has {len(records)} games, there is no game {game}")
    record = records[game - 1]
    if at is not None and at > len(record.actions):
        raise CommandError(f"game {game} has {len(record.actions)} decisions, there is no position {at}")
    for ruleset in {each.ruleset for each in records}:
        verify_records([each for each in records if each.ruleset == ruleset])
    count = (
        "1 record replays to its hash"
        if len(records) == 1
        else f"{len(records)} records replay to their hashes"
    )
    print(f"wotr: {count}", file=sys.stderr)
    if html is not None:
        viewer = {Eyes.free_peoples: int(Side.FREE_PEOPLES), Eyes.shadow: int(Side.SHADOW), Eyes.both: None}
        write_replay(html, record, viewer[eyes])
        print(f"wotr: {html} shows game {game} to any browser", file=sys.stderr)
        return
    shown = tables.game_to_dict(record) if at is None else tables.position_to_dict(record, at)
    if as_json:
        _print_json(shown)
    else:
        print(tables.game_text(shown) if at is None else tables.position_text(shown))


@app.command(name="warmup")
def warmup_command() -> None:
    """Compiles the rules for this machine, once per version."""
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
        _print_json([{**dataclasses.asdict(row), "missing": row.missing} for row in rows])
    else:
        _print(tables.cards_table(rows) if cards else tables.rules_table(rows))
    lacking = [f"{row.id} ({row.missing})" for row in rows if row.missing]
    if check and lacking:
        raise CommandError(
            f"{len(lacking)} of {len(rows)} ids lack a function or a test: {', '.join(lacking)}"
        )


def warmup() -> float:
    """Compiles with a progress bar on stderr if need be; returns the seconds."""
    if is_compiled():
        print("wotr: the rules are compiled already", file=sys.stderr)
        return 0.0
    print("wotr: compiling the rules (once, about a minute)", file=sys.stderr)
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
        seconds = ensure_compiled(
            kernel.compile_all, lambda done, total: bar.update(task, completed=done, total=total)
        )
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


def _run_tournament(tournament: Tournament, out: Path | None, as_json: bool) -> None:
    total = tournament.games * len(tournament.pairings)
    try:
        with tqdm.tqdm(total=total, unit="game", disable=None) as bar:
            summary = run_tournament(tournament, out, bar.update)
    except KeyboardInterrupt:
        if out is not None:
            print(f"wotr: {out} keeps the games so far; the same command goes on from there", file=sys.stderr)
        raise
    if as_json:
        _print_json(summary)
    else:
        _print(*tables.tournament_tables(summary))
    if out is not None:
        print(f"wotr: records and summary are in {out}", file=sys.stderr)


def _ruleset(edition: Edition, max_turns: int) -> Ruleset:
    make = Ruleset.first_edition if edition is Edition.first else Ruleset.second_edition
    try:
        return make(max_turns=max_turns)
    except ValueError as error:
        raise CommandError(f"--max-turns: {error}") from None


def _earlier_medians(path: Path) -> dict[str, float]:
    """The medians by name of an output of ``wotr bench --json``."""
    try:
        measurements = json.loads(path.read_text(encoding="utf-8"))["measurements"]
        return {each["name"]: float(each["median"]) for each in measurements}
    except (KeyError, TypeError, ValueError):
        raise CommandError(f"{path} is not the output of wotr bench --json") from None


def _print(*renderables: Any) -> None:
    console = rich.console.Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)
    console.print(*renderables)


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))


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
