"""Verifies and measures the rules on a GPU: ``python -m wotr_benchmarks.gpu``.

It reports the code's resources on the GPU, compares games with the CPU in lockstep, byte by byte, measures
decisions per second by batch size, and measures training. ``docs/gpu.md`` explains the output.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from wotr_env import VectorGame
from wotr_env.core.codes import NO_ACTION
from wotr_env.core.errors import IllegalAction
from wotr_env.cuda import DeviceArray
from wotr_env.cuda.machines import Machine
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.device import CudaMachine, DeviceGame, DeviceRules, has_cuda, images
from wotr_env.games.war_of_the_ring.device.driver import MOST_REGISTERS
from wotr_env.games.war_of_the_ring.device.emulation import EmulatedMachine
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE

SEED = 1
BATCHES = (1_024, 4_096, 16_384, 65_536, 131_072)
BLOCKS = (32, 64, 128, 256)
"""Numbers of threads per block to try with one batch."""
ARRAYS = ("states", "masks", "observations", "seats", "rewards", "terminated", "end_records")
_ROLLOUT = 16
_MIXED = 300
"""Number of decisions before measuring, so that games of a batch are at different turns."""
_STEPPED = 40
"""Number of steps with given actions in lockstep."""
_BLOCK_BATCH = 65_536
_SORTED = 500
"""Maximal number of games in lockstep that are sorted."""
_QUIET = 5.0
"""Seconds between progress lines of the lockstep."""

_COMMAND = "wotr_experiments.cli.main"
"""The command of training, which runs in a separate process."""
GOAL = 1_000_000
"""The goal of training on an H200, in decisions per second."""
_UPDATES = 16
_WARM_UP = 6
"""Number of warm-up updates: torch compiles in the first one, and in the first updates all games are at their
beginnings."""
_TIMES = {"engine": "games", "storage": "games", "inference": "inference", "update": "updates"}
"""The parts of an update's time, by the names that training uses."""


class Learning(NamedTuple):
    """A measured training."""

    games: int
    workers: int
    steps: int = 32
    minibatch_size: int = 65_536
    width: int = 256
    hidden: int = 256


TRAININGS = (Learning(16_384, 1), Learning(65_536, 1), Learning(65_536, 2))
EMULATED_TRAINING = Learning(8, 2, steps=8, minibatch_size=32, width=16, hidden=8)

Say = Callable[[str], None]


class GpuMismatch(Exception):
    """A byte on the GPU differs from the byte on the CPU."""


def facts(machine: Machine) -> dict[str, Any]:
    """Facts from the driver about the GPU and the kernels."""
    if not isinstance(machine, CudaMachine):
        return {"name": "this machine in its place"}
    return {
        "name": machine.name,
        "capability": machine.capability,
        "multiprocessors": machine.multiprocessors,
        "machine_code_bytes": len(machine.code),
        "kernels": {each: machine.facts(each)._asdict() for each in images.KERNELS},
    }


def lockstep(machine: Machine, games: int, sort: bool, say: Say) -> dict[str, Any]:
    """Plays games on CPU and GPU until the given number have ended; compares all bytes after each call.

    Tests random decisions inside the kernel, steps with given actions, a refused action, and worlds.

    Raises:
        GpuMismatch: a byte differs.
    """
    threads = os.cpu_count() or 1
    here = VectorGame(games, seed=SEED, threads=threads)
    there = DeviceGame(games, machine, seed=SEED, sort=sort)
    compare(there, here, "reset")
    made, start = 0, time.perf_counter()
    steps, said = 200, 0.0
    while here.statistics.games < games:
        ours, theirs = here.random_steps(steps), there.random_steps(steps)
        if ours != theirs:
            raise GpuMismatch(f"decisions made: {theirs:,} on the GPU and {ours:,} on the CPU")
        made += ours
        compare(there, here, f"{made:,} random decisions")
        if time.perf_counter() - said > _QUIET:
            said = time.perf_counter()
            say(f"lockstep: {made:,} decisions, {here.statistics.games:,} games ended, the same bytes")
    generator = np.random.default_rng(SEED)
    for number in range(_STEPPED):
        actions = _legal(here.masks, generator)
        there.step(there.rules.put(actions) if number % 2 else actions)
        here.step(actions)
        made += games
        compare(there, here, f"step {number}")
    _refused(there, here)
    _worlds(there.rules, here)
    seconds = time.perf_counter() - start
    found = {"games": here.statistics.games, "decisions": made, "seconds": seconds, "same": True}
    say(f"lockstep{' of sorted games' if sort else ''}: {json.dumps(found)}")
    return found


def compare(there: DeviceGame, here: VectorGame, when: str) -> None:
    """Compares all arrays.

    Raises:
        GpuMismatch: a byte differs.
    """
    for name in ARRAYS:
        ours, theirs = getattr(here, name), getattr(there, name).numpy()
        _same(theirs, ours, f"{name} after {when}")


def _same(theirs: np.ndarray, ours: np.ndarray, what: str) -> None:
    if theirs.tobytes() == ours.tobytes():
        return
    rows = [
        number
        for number, (one, other) in enumerate(zip(theirs, ours, strict=True))
        if one.tobytes() != other.tobytes()
    ]
    said = f"{what}: {len(rows):,} games differ, the first is {rows[0]}"
    if ours.dtype.names:
        one, other = theirs[rows[0]], ours[rows[0]]
        wrong = [name for name in ours.dtype.names if one[name].tobytes() != other[name].tobytes()]
        said += "; " + "; ".join(f"{each} {one[each]} for {other[each]}" for each in wrong)
    raise GpuMismatch(said)


def _legal(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """A legal action of each game."""
    scores = generator.random(masks.shape, dtype=np.float32) * masks
    return np.where(masks.any(axis=1), scores.argmax(axis=1), NO_ACTION)


def _refused(there: DeviceGame, here: VectorGame) -> None:
    """Checks that an illegal action gives the same message and changes nothing."""
    actions = here.masks.argmax(axis=1)
    actions[here.num_games // 2 :] = NUM_ACTIONS
    said = []
    for games in (there, here):
        try:
            games.step(actions)
        except IllegalAction as error:
            said.append(str(error))
    if len(said) != 2 or said[0] != said[1]:
        raise GpuMismatch(f"illegal actions: {said}")
    compare(there, here, "an illegal action")


def _worlds(rules: DeviceRules, here: VectorGame) -> None:
    """Compares worlds of each seat and their observations."""
    games = here.num_games
    for seat in range(2):
        states, seats = here.states.copy(), np.full(games, seat)
        seeds = kernel.episode_seeds(SEED, np.full(games, seat))
        on_device, seats_there = rules.put(states), rules.put(seats)
        seen_there = rules.array((games, OBSERVATION_SIZE), np.int8)
        seen = np.zeros((games, OBSERVATION_SIZE), dtype=np.int8)
        rules.sample_worlds(on_device, seats_there, rules.put(seeds))
        rules.observe(on_device, seats_there, seen_there)
        kernel.sample_worlds(states, seats, seeds)
        kernel.observe(states, seats, seen)
        _same(on_device.numpy(), states, f"worlds of seat {seat}")
        _same(seen_there.numpy(), seen, f"observations of worlds of seat {seat}")


def with_torch(machine: CudaMachine) -> dict[str, Any]:
    """Plays with actions that torch chooses on the GPU, without copies; returns the version of torch.

    Raises:
        GpuMismatch: torch reads different bytes.
    """
    try:
        import torch
    except ImportError:
        return {"torch": None}
    if not torch.cuda.is_available():
        return {"torch": torch.__version__, "cuda": None}
    games = DeviceGame(4_096, machine, seed=SEED)

    def tensor(array: DeviceArray) -> Any:
        return torch.as_tensor(array, device="cuda")

    masks, observations = tensor(games.masks), tensor(games.observations)
    if masks.data_ptr() != games.masks.address or observations.data_ptr() != games.observations.address:
        raise GpuMismatch("torch has made a copy")
    steps, start = 200, time.perf_counter()
    for _ in range(steps):
        games.step(torch.multinomial(masks.float(), 1).squeeze(1))
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    _same(observations.cpu().numpy(), games.observations.numpy(), "observations as torch sees them")
    return {
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "decisions_per_second": steps * games.num_games / seconds,
    }


def throughput(machine: Machine, batch: int, sort: bool, observed: bool, seconds: float) -> float:
    """Decisions per second of random play.

    Args:
        sort: whether to sort games by decision before each launch.
        observed: whether to play one decision per launch with observations, instead of 16 without
            observations.
    """
    games = DeviceGame(batch, machine, seed=SEED, observations=observed, sort=sort)
    games.random_steps(_MIXED)
    steps = 1 if observed else _ROLLOUT
    games.random_steps(steps)
    made, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        made += games.random_steps(steps)
    return made / (time.perf_counter() - start)


def _rates(machine: Machine, batches: tuple[int, ...], seconds: float, say: Say) -> list[dict[str, Any]]:
    rows = []
    for batch in batches:
        for observed in (False, True):
            for sort in (False, True):
                rate = throughput(machine, batch, sort, observed, seconds)
                rows.append({"batch": batch, "observed": observed, "sorted": sort, "rate": rate})
                what = f"{'observed' if observed else 'rollout'}{', sorted' if sort else ''}"
                say(f"{batch:,} games, {what}: {rate:,.0f} decisions/s")
    return rows


def training(wanted: Learning, device: str) -> dict[str, Any]:
    """Trains a network in self-play with ``wotr train``.

    Args:
        device: the device, as in the command.

    Returns:
        Decisions per second of the whole training, and the time shares of games, inference and updates.

    Raises:
        RuntimeError: the command failed, or played its games on the CPU.
    """
    numbers = wanted._asdict() | {"decisions": _UPDATES * wanted.games * wanted.steps, "evaluate_games": 1}
    options = [
        text for name, number in numbers.items() for text in (f"--{name.replace('_', '-')}", str(number))
    ]
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [sys.executable, "-m", _COMMAND, "train", str(run), "--device", device, *options]
        done = subprocess.run(
            [*command, "--anchor", "random"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        if done.returncode or "games too" not in done.stderr:
            raise RuntimeError(f"wotr train --device {device}: {done.stderr.strip()[-2000:]}")
        lines = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    updates = [line for line in map(json.loads, lines) if line["kind"] == "update"][_WARM_UP - 1 :]
    seconds = updates[-1]["seconds"] - updates[0]["seconds"]
    parts = dict.fromkeys((*_TIMES.values(), "others"), 0.0)
    for before, line in itertools.pairwise(updates):
        share = (line["seconds"] - before["seconds"]) / seconds
        for name, part in line["shares"].items():
            parts[_TIMES.get(name, "others")] += share * part
    parts["others"] = 1.0 - sum(part for name, part in parts.items() if name != "others")
    rate = (updates[-1]["decisions"] - updates[0]["decisions"]) / seconds
    return {**wanted._asdict(), "rate": rate, "goal": GOAL, "shares": parts}


def _trainings(wanted: Sequence[Learning], device: str, say: Say) -> list[dict[str, Any]]:
    rows = []
    for each in wanted:
        rows.append(training(each, device))
        shares = ", ".join(f"{name} {share:.0%}" for name, share in rows[-1]["shares"].items())
        what = f"training, {each.games:,} games, {each.workers} workers"
        say(f"{what}: {rows[-1]['rate']:,.0f} decisions/s ({shares}); the goal is {GOAL:,}")
    return rows


def _by_block(machine: CudaMachine, batch: int, seconds: float, say: Say) -> list[dict[str, Any]]:
    rows, usual = [], machine.threads_per_block
    most = machine.facts("play").most_threads
    with contextlib.ExitStack() as stack:
        stack.callback(setattr, machine, "threads_per_block", usual)
        for threads in (each for each in BLOCKS if each <= most):
            machine.threads_per_block = threads
            rate = throughput(machine, batch, False, False, seconds)
            rows.append({"batch": batch, "threads_per_block": threads, "rate": rate})
            say(f"{batch:,} games, {threads} threads per block: {rate:,.0f} decisions/s")
    return rows


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(title="decisions per second of random play")
    for column in ("games", "rollout", "sorted", "observed", "observed, sorted"):
        table.add_column(column, justify="right")
    by_batch: dict[int, list[str]] = {}
    for row in rows:
        by_batch.setdefault(row["batch"], []).append(f"{row['rate']:,.0f}")
    for batch, rates in by_batch.items():
        table.add_row(f"{batch:,}", *rates)
    return table


class _Report:
    """The results, written to a file after each part, so that an abort loses little."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self.found: dict[str, Any] = {"cpu": platform.processor(), "cpus": os.cpu_count()}

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator[dict[str, Any]]:
        part = self.found.setdefault(name, {})
        start = time.perf_counter()
        try:
            yield part
        except Exception as error:
            part["error"] = f"{type(error).__name__}: {error}"
            raise
        finally:
            part["part_seconds"] = time.perf_counter() - start
            if self._file is not None:
                self._file.write_text(json.dumps(self.found, indent=2) + "\n", encoding="utf-8")


def _can_train() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available() and importlib.util.find_spec(_COMMAND.partition(".")[0]) is not None


def _machine(emulated: bool, image: Path | None, registers: int) -> Machine:
    if emulated:
        return EmulatedMachine()
    if not has_cuda():
        raise typer.BadParameter("this machine has no GPU; use --emulated to emulate one on the CPU")
    return CudaMachine(image=image, max_registers=registers)


def main(
    games: Annotated[
        int, typer.Option(min=2, help="Number of games to play in lockstep with the CPU.")
    ] = 10_000,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds to measure each batch size.")] = 2.0,
    most: Annotated[int, typer.Option(min=1, help="Largest batch size to measure.")] = BATCHES[-1],
    image: Annotated[
        Path | None, typer.Option(help="File with code that was compiled elsewhere by --write-image.")
    ] = None,
    write_image: Annotated[
        Path | None, typer.Option(help="Only compile the code and write it to this file.")
    ] = None,
    processor: Annotated[str, typer.Option(help="GPU architecture for --write-image.")] = "sm_90",
    registers: Annotated[int, typer.Option(help="Maximal number of registers per thread.")] = MOST_REGISTERS,
    emulated: Annotated[bool, typer.Option(help="Emulate the GPU on the CPU.")] = False,
    report: Annotated[
        Path | None, typer.Option("--json", help="Write all measurements to this file as JSON.")
    ] = None,
) -> None:
    """Verify and measure the rules on a GPU."""
    console = Console()
    if write_image is not None:
        images.write_image(write_image, processor)
        return
    kept = _Report(report)

    def say(line: str) -> None:
        console.print(line, highlight=False)

    with kept.part("compiling") as part:
        start = time.perf_counter()
        machine = _machine(emulated, image, registers)
        part["gpu_seconds"] = time.perf_counter() - start
        part["cpu_seconds"] = kernel.ensure_compiled()
        say(
            f"compiled: {part['gpu_seconds']:.1f} s for the GPU, {part['cpu_seconds']:.1f} s for this machine"
        )
    with kept.part("facts") as part:
        part |= facts(machine)
        say(json.dumps(part))
    for sort in (False, True):
        with kept.part("lockstep_sorted" if sort else "lockstep") as part:
            part |= lockstep(machine, min(games, _SORTED) if sort else games, sort, say)
            if isinstance(machine, EmulatedMachine):
                part["misaligned"] = machine.misaligned
    if isinstance(machine, CudaMachine):
        with kept.part("torch") as part:
            part |= with_torch(machine)
            say(json.dumps(part))
    with kept.part("throughput") as part:
        part["rows"] = _rates(machine, tuple(each for each in BATCHES if each <= most), seconds, say)
        if isinstance(machine, CudaMachine):
            part["blocks"] = _by_block(machine, min(most, _BLOCK_BATCH), seconds, say)
        console.print(_table(part["rows"]))
    with kept.part("training") as part:
        if emulated:
            part["rows"] = _trainings([EMULATED_TRAINING], "emulated", say)
        elif found := [each for each in TRAININGS if each.games <= most] if _can_train() else []:
            part["rows"] = _trainings(found, "cuda", say)
        else:
            say("training was not measured: it needs torch with its CUDA libraries, and --most 16384 or more")


if __name__ == "__main__":
    typer.run(main)
