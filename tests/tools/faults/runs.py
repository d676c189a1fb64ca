"""Runs that are killed or cannot write: the same command goes on, and the end is the same to the byte."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import safetensors.numpy

from tests.tools.faults.commands import Command, expect_refusal
from tests.tools.faults.files import damage_file
from tests.tools.faults.table import Fault, expect
from wotr_experiments.training.run_folder import LAST, METRICS

_TOURNAMENT = (
    *("tournament", "random", "scripted", "random", "--games", "20", "--batch", "4", "--seed", "1"),
    *("--max-turns", "3", "--replays", "none", "--json"),
)
TRAINING = (
    *("--width", "16", "--hidden", "8", "--games", "8", "--steps", "16", "--minibatch-size", "32"),
    *("--decisions", str(12 * 8 * 16), "--opponent", "random", "--anchor", "random"),
    *("--evaluate-every", "1000", "--evaluate-games", "2", "--ruleset", "first:max_turns=3"),
    *("--checkpoint-every", "2", "--past-every", "3", "--device", "cpu"),
)
_TIMES = ("seconds", "speed", "shares")
"""Of a line of metrics: what differs from run to run."""
_Result = tuple[dict[str, bytes], list[dict[str, object]]]
_GOES_ON = "goes on to the same bytes"


def _tournament(folder: Path, workers: int = 1, largest_file: int = 0) -> Command:
    out = "--out", str(folder / "out"), "--workers", str(workers)
    return Command(folder / "said", *_TOURNAMENT, *out, largest_file=largest_file)


def _training(folder: Path) -> Command:
    """Of the folder, begun or to be gone on with."""
    run = folder / "run"
    begun = (run / "config.json").exists()
    return Command(folder / "said", "train", str(run), *(("--resume",) if begun else TRAINING))


@functools.cache
def _summary(workers: int) -> tuple[bytes, float]:
    """Of a tournament that nothing disturbs, and the seconds that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        return _tournament(Path(folder), workers).succeeds(), time.monotonic() - begun


class Trained(NamedTuple):
    """A training that has ended."""

    folder: tempfile.TemporaryDirectory[str]
    result: _Result
    seconds: float


@functools.cache
def trained() -> Trained:
    """A training whose folder goes with this process."""
    folder = tempfile.TemporaryDirectory(prefix="wotr-trained-")
    begun = time.monotonic()
    _training(Path(folder.name)).succeeds()
    seconds = time.monotonic() - begun
    return Trained(folder, _result(Path(folder.name) / "run"), seconds)


def _result(folder: Path) -> _Result:
    """The network of a run and its metrics, but for times."""
    weights = safetensors.numpy.load_file(folder / LAST)
    lines = map(json.loads, (folder / METRICS).read_text().splitlines())
    metrics = [{key: value for key, value in line.items() if key not in _TIMES} for line in lines]
    return {name: array.tobytes() for name, array in weights.items()}, metrics


def killed_tournament(chance: random.Random, folder: Path) -> str:
    """All processes at once, at any moment; another number of workers may go on."""
    workers = chance.choice((1, 1, 2))
    summary, seconds = _summary(workers)
    _tournament(folder, workers).killed_after(chance.uniform(0.1, 1.0) * seconds)
    expect(_tournament(folder).succeeds() == summary, "another summary")
    return _GOES_ON


def killed_worker(chance: random.Random, folder: Path) -> str:
    """One of those that play, while the others go on."""
    summary, seconds = _summary(2)
    tournament = _tournament(folder, 2)
    time.sleep(chance.uniform(0.5, 1.0) * seconds)
    workers = tournament.children
    if workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(workers), signal.SIGKILL)
    expect(tournament.succeeds() == summary, "another summary")
    return "worker replaced" if workers else "over before"


def full_disk(chance: random.Random, folder: Path) -> str:
    """No file may grow beyond a size; then there is room again."""
    summary, _ = _summary(1)
    ended = _tournament(folder, largest_file=chance.randrange(1, 120_000)).ended()
    if ended.code:
        expect_refusal(ended)
    expect(_tournament(folder).succeeds() == summary, "another summary")
    return _GOES_ON


def killed_training(chance: random.Random, folder: Path) -> str:
    """At any moment."""
    _, result, seconds = trained()
    _training(folder).killed_after(chance.uniform(0.1, 1.0) * seconds)
    _training(folder).succeeds()
    expect(_result(folder / "run") == result, "another network or other metrics")
    return _GOES_ON


def damaged_checkpoint(chance: random.Random, folder: Path) -> str:
    """A run goes on from a checkpoint that is whole, or says in one line that there is none."""
    done, result, _ = trained()
    shutil.copytree(Path(done.name) / "run", folder / "run")
    files = sorted(path for path in (folder / "run" / "checkpoints").rglob("*") if path.is_file())
    damage_file(chance.choice(files), chance)
    ended = _training(folder).ended()
    if ended.code:
        expect_refusal(ended)
        return "refused"
    expect(_result(folder / "run") == result, "another network or other metrics")
    return _GOES_ON


RUNS = (
    Fault("kill -9 of a tournament", _GOES_ON, 12, killed_tournament),
    Fault("kill -9 of one of its workers", _GOES_ON, 10, killed_worker),
    Fault("no room for its files", _GOES_ON, 10, full_disk),
    Fault("kill -9 of a training", _GOES_ON, 8, killed_training),
    Fault("a damaged checkpoint", _GOES_ON, 10, damaged_checkpoint),
)
