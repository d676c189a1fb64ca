"""Training with progress on the screen, until it ends or Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import rich.console
import rich.live
import rich.table
import torch
import typer

from wotr_experiments.cli.options import PIPED_WIDTH, print_json
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.reports.training import write_train_report
from wotr_experiments.training.config import TrainConfig
from wotr_experiments.training.training import Training, open_run


def train_in(
    out: Path, config: TrainConfig | None, device: str, as_json: bool, isolation: Isolation | None = None
) -> None:
    """Trains to the end of a run or until Ctrl-C, with progress on stderr, then writes the report.

    Args:
        out: the folder.
        config: of a new run; None to resume the one of the folder.
        device: ``cpu``, ``cuda`` or ``auto``.
        as_json: print the last evaluation as JSON on stdout.
        isolation: which bots have processes of their own.

    Raises:
        CommandError: as ``open_run``, or the device cannot be had.
        BotError: as ``open_run``.
        OSError: the folder cannot be written.
    """
    training = open_run(out, config, find_device(device), isolation)
    with training, _stop_on_interrupt() as stop:
        for problem in training.problems:
            print(f"wotr: {problem}; went on from the checkpoint before", file=sys.stderr)
        last = _watch(training, stop)
        over = training.decisions >= training.config.ppo.decisions
        path = write_train_report(out)
    if as_json:
        print_json({"finished": over, "decisions": training.decisions, "evaluation": last})
    if over:
        print(f"wotr: trained; play it as net:{out}; report: {path}", file=sys.stderr)
    else:
        print(f"wotr: stopped and saved; go on with: wotr train {out} --resume", file=sys.stderr)
        raise typer.Exit(130)


def find_device(name: str) -> torch.device:
    """The device of that name; ``auto`` is a GPU if there is one.

    Raises:
        CommandError: it is unknown or not there.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name not in ("cpu", "cuda"):
        raise CommandError(f"unknown device {name!r}; known: auto, cpu, cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise CommandError("there is no GPU that torch can use; give --device cpu")
    return torch.device(name)


@contextlib.contextmanager
def _stop_on_interrupt() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, so that the update at hand is finished and saved; a second breaks off."""
    stop = threading.Event()

    def handle(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        print("wotr: finishing the update; Ctrl-C again breaks off", file=sys.stderr)

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _watch(training: Training, stop: threading.Event) -> dict[str, Any] | None:
    """Trains, shows the latest numbers, and prints each evaluation; returns the last one."""
    console = rich.console.Console(stderr=True)
    if not console.is_terminal:
        console = rich.console.Console(stderr=True, width=PIPED_WIDTH)
    update, evaluation = None, None
    with rich.live.Live(console=console, refresh_per_second=2, transient=True) as live:
        for line in training.run(stop.is_set):
            if line["kind"] == "update":
                update = line
            else:
                evaluation = line
                console.print(evaluation_text(line), highlight=False)
            live.update(_numbers(training, update, evaluation))
    return evaluation


def evaluation_text(line: dict[str, Any]) -> str:
    """An evaluation in a line."""
    scores = ", ".join(
        f"{anchor} {' / '.join(f'{score:.0%}' for score in row.values())}"
        for anchor, row in line["scores"].items()
    )
    when = f"{line['decisions']:,} decisions, {line['seconds']:,.0f} s"
    return f"{when}: against {scores}; Elo {line['elo']:+.0f}"


def _numbers(training: Training, update: dict[str, Any] | None, evaluation: dict[str, Any] | None) -> Any:
    table = rich.table.Table(show_header=False, box=None, padding=(0, 2))
    total = training.config.ppo.decisions
    table.add_row("decisions", f"{training.decisions:,} of {total:,} ({training.decisions / total:.1%})")
    if update is not None:
        shares = ", ".join(f"{kind} {share:.0%}" for kind, share in update["shares"].items())
        table.add_row("decisions/s", f"{update['speed']:,} ({shares})")
        table.add_row("losses", f"policy {update['policy_loss']:+.4f}, value {update['value_loss']:.4f}")
        what = "clip_fraction" if "clip_fraction" in update else "agreement"  # with the expert
        table.add_row("entropy", f"{update['entropy']:.3f}; {what.replace('_', ' ')} {update[what]:.1%}")
        table.add_row("values explain", f"{update['explained_variance']:.1%} of the returns")
        table.add_row("ends", ", ".join(f"{end} {count}" for end, count in update["ends"].items()))
    if evaluation is not None:
        table.add_row("last evaluation", evaluation_text(evaluation))
    return table
