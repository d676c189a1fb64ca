"""Bots compute the same bytes, whether their kernels are compiled or interpreted.

As a program it writes what all of them compute, as JSON: python -m tests.agents.test_interpreted FOLDER
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.agents import (
    test_duel_scripted,
    test_known_opponent,
    test_network_in_kernels,
    test_networks_search_every_game,
    test_playouts_bot,
    test_towers_bots,
)
from tests.searches import some_games
from wotr_env import STATE

ROOT = Path(__file__).parents[2]
PARTS = {
    "search": test_network_in_kernels.bytes_searched,
    "playouts": test_playouts_bot.bytes_played,
    "versus": test_known_opponent.bytes_searched,
    "other games": lambda _states, _masks: test_networks_search_every_game.bytes_told(),
    "duel": lambda _states, _masks: [each.tobytes().hex() for each in test_duel_scripted.positions(2, 40)],
    "two-towers": lambda _states, _masks: [test_towers_bots.scored(players) for players in ("two", "four")],
}


def load(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    return np.load(folder / "states.npy").view(STATE), np.load(folder / "masks.npy")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Positions, and what is computed from them without compiled code."""
    folder = tmp_path_factory.mktemp("interpreted")
    states, masks = some_games(2)
    np.save(folder / "states.npy", states.view(np.uint8))
    np.save(folder / "masks.npy", masks)
    command = [sys.executable, "-m", "tests.agents.test_interpreted", str(folder)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (folder / "found.json").write_text(run.stdout)
    return folder


@pytest.mark.parametrize("part", PARTS)
def test_compiled_and_interpreted_kernels_give_the_same_bytes(folder, part):
    found = json.loads((folder / "found.json").read_text())[part]
    assert found == PARTS[part](*load(folder)) and len(found) > 0


if __name__ == "__main__":
    given = load(Path(sys.argv[1]))
    print(json.dumps({name: compute(*given) for name, compute in PARTS.items()}))
