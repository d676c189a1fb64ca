"""Processes that tests start import the same packages as the tests: those of this checkout."""

from __future__ import annotations

import os
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_PACKAGES = (_ROOT, _ROOT / "agents", _ROOT / "experiments", _ROOT / "benchmarks")

os.environ["PYTHONPATH"] = os.pathsep.join(map(str, _PACKAGES))
