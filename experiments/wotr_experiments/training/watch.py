"""Runs training with progress on the screen, until it ends or is stopped."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import rich.console
import rich.live
import rich.table
import rich.text
import torch
import typer

from wotr_env.core.spelling import counted
from wotr_env.cuda import CudaError
from wotr_env.cuda.machines import Machine
from wotr_env.play.bots import BotError
from wotr_experiments.arena.engines import check_ray
from wotr_experiments.cli.options import PIPED_WIDTH, print_json
from wotr_experiments.errors import CommandError, Stopped
from wotr_experiments.files import CONFIG
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.reports.exploit import figure_text, write_exploit_report
from wotr_experiments.reports.training import write_train_report
from wotr_experiments.training.config import ExploitConfig, TrainConfig
from wotr_experiments.training.exploit import Exploit
from wotr_experiments.training.processes import ALONE, Processes, join
from wotr_experiments.training.progress import Deadline, Pace, curve_words, win_rates
from wotr_experiments.training.run_folder import RunFolder, read_metrics
from wotr_experiments.training.strength import elo_words, score_interval
from wotr_experiments.training.training import Change, Cluster, Training, open_run, unchanged
from wotr_experiments.training.weights_and_biases import Board, board, check_wandb
from wotr_experiments.training.worker import why_on_cpu

_FIRST_LINE, _LINE_EVERY = 10.0, 60.0
"""Without a terminal: seconds until the first line of progress, and between two lines."""
_SAVED = "stopped and saved; continue with: {}"


def train_in(
    out: Path,
    config: TrainConfig | None,
    device: str,
    as_json: bool,
    isolation: Isolation | None = None,
    engine: str = "threads",
    change: Change = unchanged,
    project: str = "",
) -> None:
    """Trains until the end of a run, Ctrl-C or SIGTERM, with progress on stderr, then writes the report.

    Args:
        out: the folder.
        config: the configuration of a new run; None: resume the run in the folder.
        device: ``cpu``, ``cuda``, ``auto`` or ``emulated``.
        as_json: whether to print the last evaluation as JSON on stdout.
        isolation: the settings for bots in separate processes.
        engine: the engine that plays the games: ``threads`` of this process, or ``ray``.
        change: as for ``open_run``.
        project: the project of Weights & Biases that also receives the metrics; empty: none.

    Raises:
        CommandError: an error of ``open_run`` or ``board``; there is no such cluster; or the device is not
            available.
        BotError: an error of ``open_run``.
        OSError: the folder cannot be written.
        Stopped: the training was stopped and is saved.
    """
    place = find_device(device)
    with join(place.device.type == "cuda") as processes:
        try:
            with _one_line_of_the_gpu():
                place = place.numbered()
                _train(
                    out, config, place, as_json, isolation or Isolation(), processes, engine, change, project
                )
        except (CommandError, BotError, OSError) as error:
            if processes.may_print_error(error):
                raise
            raise typer.Exit(2) from None


def _train(
    out: Path,
    config: TrainConfig | None,
    where: DevicePlacement,
    as_json: bool,
    isolation: Isolation,
    processes: Processes,
    engine: str,
    change: Change,
    project: str,
) -> None:
    find_machine = _finder(where, engine, processes)
    begun = _is_begun(out)
    if project and processes.is_first:
        check_wandb()  # before there is a folder
    with (
        cluster_of(engine, isolation, processes) as cluster,
        open_run(out, config, where.device, isolation, processes, cluster, find_machine, change) as training,
        board(project if processes.is_first else "", out, training.config.to_dict()) as shown,
        stop_on_signals(processes) as stop,
    ):
        if processes.is_first:
            _tell_start(training, begun)
        last = watch(training, _showing(training.run(stop.is_set), shown), processes.is_first)
        over = training.decisions >= training.config.ppo.decisions
        path = write_train_report(out) if processes.is_first else None
    if as_json and processes.is_first:
        print_json({"finished": over, "decisions": training.decisions, "evaluation": last})
    if over and processes.is_first:
        print(f"wotr: training finished; play the network as net:{out}; report: {path}", file=sys.stderr)
    if not over:
        raise Stopped(
            _SAVED.format(shlex.join(["wotr", "train", str(out), "--resume"])) if processes.is_first else ""
        )


def _showing(lines: Iterator[dict[str, Any]], shown: Board | None) -> Iterator[dict[str, Any]]:
    """Yields the lines, and shows each on the board if there is one."""
    for line in lines:
        if shown is not None:
            shown.log(line)
        yield line


def exploit_in(
    out: Path,
    bot: str,
    config: ExploitConfig | None,
    device: str,
    isolation: Isolation,
    change: Callable[[ExploitConfig], ExploitConfig] = lambda known: known,
) -> tuple[dict[str, Any], str]:
    """Trains and evaluates best responses to a bot until all are evaluated, Ctrl-C or SIGTERM, with progress
    on stderr, then writes the reports.

    Args:
        out: the folder.
        bot: the spec of the bot.
        config: the configuration of new responses; None: resume those in the folder.
        device: ``cpu``, ``cuda`` or ``auto``.
        isolation: the settings for bots in separate processes.
        change: as for ``Exploit``.

    Returns:
        The figures, as in the folder, and how to continue if they are not complete.

    Raises:
        CommandError, BotError, OSError: errors of ``Exploit`` and its methods.
    """
    place = find_device(device).numbered().device
    with Exploit(out, bot, config, place, isolation, change) as found, stop_on_signals(ALONE) as stop:
        for side in found.config.sides:
            if stop.is_set() or not found.missing_milestones(side):
                continue
            begun = _is_begun(out / side)
            with found.response(side) as training:
                _tell_start(training, begun)
                watch(training, found.run(side, training, stop.is_set), told=figure_text)
                if training.updates:
                    write_train_report(out / side)
        report = write_exploit_report(out)
        over = not any(map(found.missing_milestones, found.config.sides))
    if over:
        print(f"wotr: finished; report: {report}", file=sys.stderr)
    command = shlex.join(["wotr", "exploit", bot, "--out", str(out), "--resume"])
    return found.summary, "" if over else _SAVED.format(command)


def _is_begun(folder: Path) -> bool:
    """Whether a folder has a training run."""
    return (folder / CONFIG).exists()


def _tell_start(training: Training, begun: bool) -> None:
    """Prints the decision from which a training run resumes, and problems with its checkpoints."""
    for problem in training.problems:
        print(f"wotr: {problem}; continued from the previous checkpoint", file=sys.stderr)
    if training.decisions >= training.config.ppo.decisions or not begun:
        return
    where = training.folder.path
    if training.updates:
        made = f"update {training.updates:,}, after {training.decisions:,} decisions"
        print(f"wotr: {where}: resuming at {made}", file=sys.stderr)
    else:
        print(f"wotr: {where}: there is no checkpoint; starting from the beginning", file=sys.stderr)


@contextlib.contextmanager
def cluster_of(engine: str, isolation: Isolation, processes: Processes) -> Iterator[Cluster | None]:
    """The cluster of an engine; none for threads."""
    if engine != "ray":
        yield None
        return
    check_ray()
    if processes.count > 1:
        raise CommandError("--engine ray does not work with torchrun; leave it out")
    from wotr_experiments.arena.ray_engine import joined
    from wotr_experiments.training.ray_rollouts import RayCluster

    with joined(0):
        yield RayCluster(isolation)


@contextlib.contextmanager
def _one_line_of_the_gpu() -> Iterator[None]:
    """Converts errors of a GPU to one-line errors of the command."""
    try:
        yield
    except (CudaError, torch.OutOfMemoryError) as error:
        raise CommandError(
            f"the GPU: {str(error).splitlines()[0]}; fewer --games or --steps take less memory, and "
            "--resume continues from the last checkpoint, also with --device cpu"
        ) from None


class DevicePlacement(NamedTuple):
    """The device of a run."""

    device: torch.device
    """The device of the network."""
    emulated: bool = False
    """Whether a GPU is emulated on this machine."""

    def numbered(self) -> DevicePlacement:
        """The same place with the number of the GPU of this process, which other threads would not know."""
        if self.device.type != "cuda":
            return self
        return self._replace(device=torch.device("cuda", torch.cuda.current_device()))


def find_device(name: str) -> DevicePlacement:
    """The place with this name; ``auto`` is a GPU if there is one for each process on this machine.

    Raises:
        CommandError: the device is unknown or not available, or there are fewer GPUs than processes of
            torchrun.
    """
    if name in ("cpu", "emulated"):
        return DevicePlacement(torch.device("cpu"), emulated=name == "emulated")
    if name not in ("auto", "cuda"):
        raise CommandError(f"unknown device {name!r}; known: auto, cpu, cuda, emulated")
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    processes = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    if name == "auto":
        return DevicePlacement(torch.device("cuda" if processes <= gpus else "cpu"))
    if not gpus:
        raise CommandError("there is no GPU that torch can use; give --device cpu")
    if gpus < processes:  # nccl refuses two processes on one GPU
        raise CommandError(
            f"each process needs a GPU, and here are {processes} processes and {counted(gpus, 'GPU')}; "
            "start fewer processes or give --device cpu"
        )
    return DevicePlacement(torch.device("cuda"))


def _finder(
    place: DevicePlacement, engine: str, processes: Processes
) -> Callable[[TrainConfig], Machine | None]:
    """Returns a function that finds the GPU for the games of a run, and prints where games are played."""

    def find(config: TrainConfig) -> Machine | None:
        if place.device.type != "cuda" and not place.emulated:
            return None
        machine, why = None, "Ray plays them" if engine == "ray" else why_on_cpu(config)
        try:
            if not why and config.kind.device_machine is not None:
                machine = config.kind.device_machine(None if place.emulated else place.device.index)
        except (RuntimeError, ValueError) as error:
            why = str(error).splitlines()[0]
        if processes.any(bool(why)) and not why:  # what they learn from lies in one kind of memory
            machine, why = None, "games on another process's GPU are not supported"
        if processes.is_first:
            gpu_words = "an emulated GPU" if place.emulated else "the GPU"
            games = f"games on the CPU, because {why}" if why else "games too"
            print(f"wotr: the network is on {gpu_words}, {games}", file=sys.stderr)
        return machine

    return find


@contextlib.contextmanager
def stop_on_signals(processes: Processes) -> Iterator[threading.Event]:
    """A context with an event that Ctrl-C sets, so that the current update is finished and saved. A second
    Ctrl-C interrupts immediately.

    If several processes train together, each has an event, and all stop when one event is set. A process that
    trains alone also stops in this way at SIGTERM, which batch systems and containers send. If several
    processes train together, they do not handle SIGTERM in this way, because a process might wait for another
    process that is already gone (``processes.py``).
    """
    stop = threading.Event()

    def handle(number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            return
        stop.set()
        if processes.is_first:
            why = "" if number == signal.SIGINT else "asked to end (SIGTERM): "
            again = "Ctrl-C again" if number == signal.SIGINT else "Ctrl-C"
            print(f"wotr: {why}finishing the update; {again} stops at once", file=sys.stderr)

    numbers = (signal.SIGINT, signal.SIGTERM) if processes.count == 1 else (signal.SIGINT,)
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def watch(
    training: Training,
    lines: Iterator[dict[str, Any]],
    loud: bool = True,
    told: Callable[[dict[str, Any]], str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Any] | None:
    """Follows a training, and prints each evaluation on stderr. A terminal also shows the latest numbers;
    without a terminal, a line at the start and every minute reports the progress.

    Args:
        training: the training; it continues as lines are taken.
        lines: the lines of metrics of this training.
        loud: whether anything is shown.
        told: describes lines that are neither updates nor evaluations; they are printed too.
        clock: a clock in seconds, with any zero.

    Returns:
        The last evaluation.
    """
    console = rich.console.Console(stderr=True, quiet=not loud)
    if not console.is_terminal:
        console = rich.console.Console(stderr=True, width=PIPED_WIDTH, quiet=not loud)
    pace = Pace(training.decisions, training.config.ppo.decisions, clock)
    shown, deadline = Numbers(training, pace), Deadline(_FIRST_LINE, _LINE_EVERY, clock)
    live = rich.live.Live(
        console=console,
        refresh_per_second=2,
        transient=True,
        get_renderable=lambda: shown.table(blocks=not console.options.ascii_only),
    )
    if not console.is_terminal:
        console.print(shown.line(), highlight=False, markup=False)
    with live if console.is_terminal else contextlib.nullcontext():
        for line in lines:
            shown.note(line)
            if line["kind"] == "update":
                if deadline.is_due() and not console.is_terminal:
                    console.print(shown.line(), highlight=False, markup=False)
                    deadline.done()
            elif line["kind"] == "evaluation":
                console.print(evaluation_text(line), highlight=False, markup=False)
            elif told is not None:
                console.print(told(line), highlight=False, markup=False)
    return shown.evaluation


def evaluation_text(line: dict[str, Any]) -> str:
    """An evaluation in a line, with 95% intervals."""
    scores = "; ".join(
        f"{anchor} {', '.join(_score_text(team, score, line['games']) for team, score in row.items())}"
        for anchor, row in line["scores"].items()
    )
    new = "; the best so far" if line.get("best") else ""
    when = f"{line['decisions']:,} decisions, {line['seconds']:,.0f} s of updates"
    return f"{when}: against {scores}; Elo {elo_words(line['elo'], line.get('elo_interval_95'))}{new}"


def _score_text(team: str, score: float, games: int) -> str:
    low, high = score_interval(score, games)
    return f"as {team.replace('_', ' ').title()} {score:.0%} ({low:.0%} to {high:.0%})"


class Numbers:
    """The latest numbers of a training, as a table for the screen.

    Args:
        training: a training before it continues; its evaluations so far are part of the curve.
        pace: measures the decisions per second and the remaining time; by default from now on.
    """

    def __init__(self, training: Training, pace: Pace | None = None) -> None:
        self._training = training
        self._total = training.config.ppo.decisions
        self._pace = pace or Pace(training.decisions, self._total)
        self._update: dict[str, Any] | None = None
        self.evaluation: dict[str, Any] | None = None
        self._rates = win_rates(_earlier_lines(training))

    def note(self, line: dict[str, Any]) -> None:
        """Adds a line of metrics."""
        if line["kind"] == "update":
            self._update = line
            self._pace.note(line["decisions"])
        elif line["kind"] == "evaluation":
            self.evaluation = line
            self._rates += win_rates([line])

    def line(self) -> str:
        """The present numbers in a line."""
        return f"{self._done('decisions ')}, {self._pace.words()}"

    def _done(self, noun: str = "") -> str:
        """The number of decisions so far; the last update may exceed the wanted number."""
        made, total = self._training.decisions, self._total
        return f"{made:,} of {total:,} {noun}({min(1, made / total):.1%})"

    def table(self, blocks: bool = True) -> rich.table.Table:
        """The present numbers as a table.

        Args:
            blocks: whether the terminal supports the block characters of a curve; otherwise the curve is in
                ASCII.
        """
        table = rich.table.Table(show_header=False, box=None, padding=(0, 2))
        table.add_row("decisions", self._done())
        table.add_row("time", self._pace.words())
        if self._update is not None:
            _add_update(table, self._update)
        if self._rates:
            anchor = self._training.config.anchors[-1]
            table.add_row(rich.text.Text(f"against {anchor}"), curve_words(self._rates, blocks))
        if self.evaluation is not None:
            table.add_row("last evaluation", rich.text.Text(evaluation_text(self.evaluation)))
        return table


def _earlier_lines(training: Training) -> list[dict[str, Any]]:
    """The metrics of earlier sessions."""
    folder = training.folder
    if not isinstance(folder, RunFolder) or not training.updates:
        return []
    return read_metrics(folder.path)


def _add_update(table: rich.table.Table, update: dict[str, Any]) -> None:
    shares = ", ".join(f"{kind} {share:.0%}" for kind, share in update["shares"].items())
    table.add_row("decisions/s", f"{update['speed']:,} ({shares})")
    if "policy_loss" in update:  # the network made a decision
        table.add_row("losses", f"policy {update['policy_loss']:+.4f}, value {update['value_loss']:.4f}")
        what = "clip_fraction" if "clip_fraction" in update else "agreement"  # with the expert
        table.add_row("entropy", f"{update['entropy']:.3f}; {what.replace('_', ' ')} {update[what]:.1%}")
        table.add_row("explained variance", f"{update['explained_variance']:.1%}")
    table.add_row("ends", ", ".join(f"{end} {count}" for end, count in update["ends"].items()))
