"""Games whose kernels are compiled one after the other in one process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wotr_env.compiler.kernels import INTERPRETED, KernelSet
from wotr_env.compiler.types import Number

PREPARE = """
from wotr_env.play.games import game_kind
for name in ("duel", "two-towers"):
    game_kind(name).kernels.prepare()
    print(name)
"""


@pytest.mark.skipif(INTERPRETED, reason="compiled kernels only")
def test_one_process_compiles_two_games(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", PREPARE], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["duel", "two-towers"]


def doubled(number):
    return number * 2


@pytest.mark.skipif(INTERPRETED, reason="compiled kernels only")
def test_a_kernel_of_two_sets_has_one_type(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    sets = [
        KernelSet(Path(__file__).parent, (f"{name}.py",), name=name) for name in ("whole", "same", "part")
    ]
    sets[2].argument_types["number"] = Number.FLOAT64
    for each in sets:
        each.kernel(doubled)
        each.entry_point()(doubled_twice)
    for each in sets[:2]:
        each.ensure_compiled(lambda *_: None)
        assert next(iter(each.entry_points.values()))(3) == 12
    with pytest.raises(TypeError, match="doubled is compiled for other arguments; part needs a copy"):
        sets[2].ensure_compiled(lambda *_: None)


def doubled_twice(number):
    return doubled(doubled(number))


@pytest.mark.skipif(INTERPRETED, reason="nothing is kept")
def test_sets_of_equal_sources_keep_code_of_their_own():
    first, second = (KernelSet(Path(__file__).parent, ("*.py",), name=name) for name in ("first", "second"))
    assert first.build_id != second.build_id and first.sources_id == second.sources_id
