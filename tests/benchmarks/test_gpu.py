"""The command that proves the rules on a GPU: here with this machine in its place."""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from tests.device_machines import emulated
from wotr_benchmarks import gpu
from wotr_env import VectorGame
from wotr_env.games.war_of_the_ring.device import DeviceGame


def run(*arguments: str):
    app = typer.Typer()
    app.command()(gpu.main)
    return CliRunner().invoke(app, list(arguments))


def test_without_a_gpu_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu, "has_cuda", lambda: False)
    report = tmp_path / "report.json"
    done = run("--json", str(report))
    assert done.exit_code == 2 and "no GPU" in done.output
    assert "no GPU" in json.loads(report.read_text())["compiling"]["error"]


@pytest.mark.slow
def test_the_whole_command(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu, "EmulatedMachine", type(emulated()))
    monkeypatch.setattr(gpu, "BATCHES", (8,))
    monkeypatch.setattr(gpu, "EMULATED_TRAINING", gpu.EMULATED_TRAINING._replace(workers=1))
    monkeypatch.setattr(gpu, "_UPDATES", gpu._WARM_UP + 2)
    report = tmp_path / "report.json"
    done = run("--emulated", "--games", "6", "--seconds", "0.1", "--json", str(report))
    assert done.exit_code == 0, done.output
    found = json.loads(report.read_text())
    for part in ("lockstep", "lockstep_sorted"):
        assert found[part]["same"] and found[part]["games"] >= 6 and found[part]["misaligned"] == 0
    assert len(found["throughput"]["rows"]) == 4
    assert all(row["rate"] > 0 for row in found["throughput"]["rows"])
    (trained,) = found["training"]["rows"]
    assert trained["rate"] > 0 and sum(trained["shares"].values()) == pytest.approx(1)
    assert all(trained["shares"][part] > 0 for part in ("games", "inference", "updates"))


@pytest.mark.slow
def test_a_difference_is_found():
    here, there = VectorGame(4, seed=1), DeviceGame(4, emulated(), seed=1)
    gpu.compare(there, here, "nothing")
    rewards = here.rewards.copy()
    rewards[2, 1] = 1
    there.rewards.write(rewards)
    with pytest.raises(gpu.GpuMismatch, match="rewards after a while: 1 games differ, the first is 2"):
        gpu.compare(there, here, "a while")
    states = here.states.copy()
    states["turn"][3] = 7
    there.states.write(states)
    with pytest.raises(gpu.GpuMismatch, match="the first is 3; turn 7 for 1"):
        gpu.compare(there, here, "a while")


@pytest.mark.slow
def test_games_that_go_another_way_are_found(monkeypatch):
    play = DeviceGame.random_steps

    def one_more(games: DeviceGame, k: int, preferences: np.ndarray | None = None) -> int:
        return play(games, k + 1, preferences) - games.num_games

    monkeypatch.setattr(DeviceGame, "random_steps", one_more)
    with pytest.raises(gpu.GpuMismatch, match="states after 600 random decisions"):
        gpu.lockstep(emulated(), 3, False, lambda _line: None)
