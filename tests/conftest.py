"""What all tests need: this checkout's packages in the processes they start, and compiled code early."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_PACKAGES = (_ROOT, _ROOT / "agents", _ROOT / "experiments", _ROOT / "benchmarks")

os.environ["PYTHONPATH"] = os.pathsep.join(map(str, _PACKAGES))


def pytest_configure(config: pytest.Config) -> None:
    """One process compiles the rules and the bots in one go; whoever needs them meanwhile waits for it."""
    if hasattr(config, "workerinput"):
        return
    command = [sys.executable, "-m", "wotr_experiments.cli.main", "warmup"]
    compiling = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end() -> None:
        compiling.terminate()
        compiling.wait()

    config.add_cleanup(end)
