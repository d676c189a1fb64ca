"""Modules by the names that they had in version 0.1."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from wotr_env.moved import MOVED

ROOT = Path(__file__).parents[2]
WRITTEN_BEFORE = """
import warnings
warnings.simplefilter("error")
try:
    import wotr_env.rules.armies
except DeprecationWarning as warning:
    assert "wotr_env.rules is now wotr_env.games.war_of_the_ring.rules" in str(warning), warning
warnings.simplefilter("ignore")
from wotr_env.codes import Side
from wotr_env.game import Game
from wotr_env.events import Trace
from wotr_env.games import game_kind
from wotr_agents.scripted.weights import DEFAULT_WEIGHTS
from wotr_env.cuda import DeviceGame
import wotr_env.rules.armies as armies
import wotr_env.games.war_of_the_ring.rules.armies as today
import wotr_env
assert armies is today and Game is wotr_env.Game
assert armies.__name__ == "wotr_env.games.war_of_the_ring.rules.armies"
try:
    from wotr_env.codes import Nobody
except ImportError as error:
    assert "Nobody" in str(error)
else:
    raise AssertionError
"""


@pytest.mark.parametrize("before", MOVED)
def test_a_former_name_gives_the_module_of_today(before, monkeypatch):
    monkeypatch.delitem(sys.modules, before, raising=False)
    with pytest.warns(DeprecationWarning, match=f"{before} is now {MOVED[before]}"):
        assert importlib.import_module(before) is importlib.import_module(MOVED[before])


def test_a_program_of_before_runs(tmp_path):
    """Also where a folder of before is left, with nothing but what Python keeps there."""
    (tmp_path / "wotr_env" / "rules" / "__pycache__").mkdir(parents=True)
    program = tmp_path / "program.py"
    spread = f"import wotr_env\nwotr_env.__path__.append({str(tmp_path / 'wotr_env')!r})\n"
    program.write_text(spread + WRITTEN_BEFORE)
    paths = [str(ROOT), str(ROOT / "agents"), str(ROOT / "experiments"), str(ROOT / "benchmarks")]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}; exec(open({str(program)!r}).read())"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
