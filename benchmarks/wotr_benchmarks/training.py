"""Benchmark of training: the whole command with games and checkpoints."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from wotr_benchmarks.harness import Benchmark

TRAINING = "training"

_COMMAND = "wotr_experiments.cli.main"
_THREADS = 2
_GAMES, _STEPS = 1024, 64
_UPDATES = 40
_WARM_UP = 8
"""Number of warm-up updates; in the first updates, all games are at their beginnings."""
_OPTIONS = ("--advice", "--hidden", "256", "--anchor", "random", "--evaluate-games", "1", "--seed", "1")


def _missing() -> str | None:
    for name in ("torch", "wotr_experiments"):
        if importlib.util.find_spec(name) is None:
            return f"{name} not installed"
    return None


def _train() -> Callable[[], float]:
    def run() -> float:
        decisions = _UPDATES * _GAMES * _STEPS
        numbers = {"decisions": decisions, "games": _GAMES, "steps": _STEPS, "workers": _THREADS}
        options = [text for name, number in numbers.items() for text in (f"--{name}", str(number))]
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", _COMMAND, "train", f"{folder}/run", *options, *_OPTIONS]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            lines = (Path(folder) / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        updates = [row for row in map(json.loads, lines) if row["kind"] == "update"][_WARM_UP - 1 :]
        first, last = updates[0], updates[-1]
        return (last["decisions"] - first["decisions"]) / (last["seconds"] - first["seconds"])

    return run


TRAINING_BENCHMARKS = (
    Benchmark(
        "train",
        "decisions/s",
        "wotr train with the network of zoo/laptop (advice, hidden 256) in self-play, all included: "
        f"updates {_WARM_UP + 1} to {_UPDATES} of {_GAMES * _STEPS:,} decisions",
        _train,
        _GAMES,
        _THREADS,
        slow=True,
        group=TRAINING,
        missing=_missing,
    ),
)
