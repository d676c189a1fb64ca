"""Runs that are killed or cannot write: the same command goes on, and the end is the same to the byte."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import safetensors.numpy

from wotr_experiments.dev.faults.files import damage_file
from wotr_experiments.dev.faults.table import Fault, expect
from wotr_experiments.training.run_folder import LAST, METRICS

_WOTR = (sys.executable, "-m", "wotr_experiments.cli.main")
_TOURNAMENT = (
    *("tournament", "random", "scripted", "random", "--games", "40", "--batch", "4", "--seed", "1"),
    *("--workers", "2", "--max-turns", "3", "--replays", "none", "--json", "--out"),
)
_TRAINING = (
    *("--width", "16", "--hidden", "8", "--games", "8", "--steps", "16", "--minibatch-size", "32"),
    *("--decisions", str(12 * 8 * 16), "--opponent", "random", "--anchor", "random"),
    *("--evaluate-every", "1000", "--evaluate-games", "2", "--ruleset", "first:max_turns=3"),
    *("--checkpoint-every", "2", "--past-every", "3", "--device", "cpu"),
)
_LONGEST = 180.0
"""Seconds that a run may take."""
_TIMES = ("seconds", "speed", "shares")
"""Of a line of metrics: what differs from run to run."""
_Result = tuple[dict[str, bytes], list[dict[str, object]]]
_GOES_ON = "goes on to the same bytes"


def _tournament(folder: Path, prepare: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
    """In a process group of its own, so that all of it can be killed."""
    command = [*_WOTR, *_TOURNAMENT, str(folder)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=prepare,
        start_new_session=True,
    )


def _training(folder: Path) -> subprocess.Popen[bytes]:
    """Of the folder, begun or to be gone on with."""
    begun = (folder / "config.json").exists()
    command = [*_WOTR, "train", str(folder), *(("--resume",) if begun else _TRAINING)]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def _ended(process: subprocess.Popen[bytes]) -> bytes:
    """What a run says that comes to its end."""
    out, errors = process.communicate(timeout=_LONGEST)
    expect(process.returncode == 0, f"exit code {process.returncode}: {(errors or b'').decode()[-300:]}")
    return out or b""


@functools.cache
def _summary() -> tuple[bytes, float]:
    """Of a tournament that nothing disturbs, and the seconds that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        return _ended(_tournament(Path(folder) / "out")), time.monotonic() - begun


@functools.cache
def _trained() -> tuple[_Result, float]:
    """The same of a training."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        _ended(_training(Path(folder) / "run"))
        return _result(Path(folder) / "run"), time.monotonic() - begun


def _result(folder: Path) -> _Result:
    """The network of a run and its metrics, but for times."""
    weights = safetensors.numpy.load_file(folder / LAST)
    lines = map(json.loads, (folder / METRICS).read_text().splitlines())
    metrics = [{key: value for key, value in line.items() if key not in _TIMES} for line in lines]
    return {name: array.tobytes() for name, array in weights.items()}, metrics


def _kill(process: subprocess.Popen[bytes], seconds: float) -> None:
    """After so many seconds, and those that it started."""
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)  # the first is not waited for yet, so its number is its own
    process.communicate()


def _children(process: int) -> list[int]:
    """Of a process that has not been waited for; of Linux alone."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(number) for number in listed.split()]


def killed_tournament(chance: random.Random, folder: Path) -> str:
    """All processes at once, at any moment."""
    summary, seconds = _summary()
    _kill(_tournament(folder / "out"), chance.uniform(0.2, 1.0) * seconds)
    expect(_ended(_tournament(folder / "out")) == summary, "another summary")
    return _GOES_ON


def killed_worker(chance: random.Random, folder: Path) -> str:
    """One of those that play, while the others go on."""
    summary, seconds = _summary()
    process = _tournament(folder / "out")
    time.sleep(chance.uniform(0.5, 1.0) * seconds)
    workers = _children(process.pid)
    if workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(workers), signal.SIGKILL)
    expect(_ended(process) == summary, "another summary")
    return "worker replaced" if workers else "over before"


def full_disk(chance: random.Random, folder: Path) -> str:
    """No file may grow beyond a size; then there is room again."""
    summary, _ = _summary()
    most = chance.randrange(1, 120_000)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing then fails as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    process = _tournament(folder / "out", limit)
    process.communicate(timeout=_LONGEST)
    expect(process.returncode in (0, 2), f"exit code {process.returncode}")
    expect(_ended(_tournament(folder / "out")) == summary, "another summary")
    return _GOES_ON


def killed_training(chance: random.Random, folder: Path) -> str:
    """At any moment."""
    result, seconds = _trained()
    _kill(_training(folder / "run"), chance.uniform(0.2, 1.0) * seconds)
    _ended(_training(folder / "run"))
    expect(_result(folder / "run") == result, "another network or other metrics")
    return _GOES_ON


@functools.cache
def _with_checkpoints() -> tempfile.TemporaryDirectory[str]:
    """The folder of a training that has ended, which goes with this process."""
    folder = tempfile.TemporaryDirectory(prefix="wotr-trained-")
    _ended(_training(Path(folder.name)))
    return folder


def damaged_checkpoint(chance: random.Random, folder: Path) -> str:
    """A run goes on from a checkpoint that is whole, or says in one line that there is none."""
    result, _ = _trained()
    shutil.copytree(_with_checkpoints().name, folder / "run")
    files = sorted(path for path in (folder / "run" / "checkpoints").rglob("*") if path.is_file())
    damage_file(chance.choice(files), chance)
    process = _training(folder / "run")
    _, errors = process.communicate(timeout=_LONGEST)
    if process.returncode:
        last = errors.decode().strip().splitlines()[-1]
        refused = process.returncode == 2 and last.startswith("wotr: ")
        expect(refused, f"exit code {process.returncode}: {last}")
        return "refused"
    expect(_result(folder / "run") == result, "another network or other metrics")
    return _GOES_ON


_RUNS: tuple[tuple[str, int, Callable[[random.Random, Path], str]], ...] = (
    ("kill -9 of a tournament", 12, killed_tournament),
    ("kill -9 of one of its workers", 10, killed_worker),
    ("no room for its files", 10, full_disk),
    ("kill -9 of a training", 8, killed_training),
    ("a damaged checkpoint", 10, damaged_checkpoint),
)
RUNS = [Fault(name, _GOES_ON, tries, inject) for name, tries, inject in _RUNS]
