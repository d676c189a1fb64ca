"""Trainings whose games a GPU plays, with this machine in its place: the same bytes as on the CPU."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.device_machines import emulated
from tests.tiny_training import CPU, TINY, check_same, config_of
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import make_network
from wotr_env import Ruleset, VectorGame
from wotr_env.cuda import CudaError
from wotr_env.games.war_of_the_ring.device import emulation
from wotr_env.games.war_of_the_ring.device.game import DeviceGame
from wotr_experiments.cli import main as cli
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.training import watch
from wotr_experiments.training.processes import ALONE as ALONE_PROCESS
from wotr_experiments.training.processes import Processes
from wotr_experiments.training.rollouts import PhaseTimer, Player, Rollout, collect, no_opponents
from wotr_experiments.training.tensors import DeviceTensors, HostTensors
from wotr_experiments.training.training import open_run
from wotr_experiments.training.worker import RunProgress, Worker, empty_rollout, why_on_cpu

pytestmark = pytest.mark.usefixtures("short")

ROOT = Path(__file__).parents[2]
ALONE = {"opponents": (), "expert": "", "expert_decisions": 0}
SELF_PLAY = config_of(4, **ALONE, past_share=0.0)
AGAINST_THE_PAST = config_of(4, **ALONE, past_share=0.5, past_every=1)


def nowhere(_config):
    """The CPU plays the games."""


def on_device(_config):
    return emulated()


def train(folder, config, find_machine, until=None):
    """Trains to the end, or until a number of updates is made."""
    with open_run(folder, config, CPU, find_machine=find_machine) as run:
        for _ in run.run(lambda: until is not None and run.updates >= until):
            pass
    return run


# --- what a GPU can play, and what is said ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"network": NetworkConfig("entity", width=16, hidden=8)}, ""),
        ({"ruleset": "second:max_turns=3"}, ""),
        ({"network": NetworkConfig(advice=True)}, "the network takes the scripted policy's advice"),
        ({"opponents": ("random", "scripted", "random")}, "bots play in these games: random, scripted"),
        ({"expert": "scripted", "expert_decisions": 9}, "the expert is a bot: scripted"),
    ],
)
def test_why_games_are_played_on_the_cpu(changes, why):
    assert why_on_cpu(dataclasses.replace(SELF_PLAY, **changes)) == why


def test_other_games_are_played_on_the_cpu(toys):
    config = config_of(2, **ALONE, game="hunt-only")
    assert why_on_cpu(config) == f"no GPU plays {config.kind.title}"


SIZES = "--width 16 --hidden 8 --games 8 --steps 8 --workers 2 --minibatch-size 32 --decisions 128"
OPTIONS = [*SIZES.split(), "--evaluate-games", "1", "--anchor", "random"]


@pytest.mark.parametrize("options", [["--opponent", "random"], ["--advice"]])
def test_the_command_says_what_is_on_the_cpu(tmp_path, capsys, options):
    assert cli.main(["train", str(tmp_path / "run"), *OPTIONS, *options, "--device", "emulated"]) == 0
    lines = capsys.readouterr().err.splitlines()
    (said,) = [line for line in lines if "games" in line]
    with_advice = "the network takes the scripted policy's advice"
    why = "bots play in these games: random" if "random" in options else with_advice
    assert said == (f"wotr: the network is on an emulated GPU, games on the CPU, because {why}")


def test_a_gpu_that_cannot_play_is_said(tmp_path, capsys, monkeypatch):
    def broken():
        raise CudaError("cuLinkComplete: a PTX JIT compilation failed\nand a log")

    monkeypatch.setattr(emulation, "EmulatedMachine", broken)
    assert cli.main(["train", str(tmp_path / "run"), *OPTIONS, "--device", "emulated"]) == 0
    said = "games on the CPU, because cuLinkComplete: a PTX JIT compilation failed\n"
    assert said in capsys.readouterr().err


class WithoutGpu(Processes):
    """Two processes, of which the other one has no GPU that can play."""

    count = 2

    def any(self, condition):
        return True


def test_processes_agree_on_where_games_are_played(capsys, monkeypatch):
    monkeypatch.setattr(emulation, "EmulatedMachine", object)
    place = watch.find_device("emulated")
    assert watch._finder(place, "threads", ALONE_PROCESS)(SELF_PLAY) is not None
    assert watch._finder(place, "threads", WithoutGpu())(SELF_PLAY) is None
    assert watch._finder(place, "ray", ALONE_PROCESS)(SELF_PLAY) is None
    said = capsys.readouterr().err.splitlines()
    assert [line.partition("GPU, ")[2] for line in said] == [
        "games too",
        "games on the CPU, because games on another process's GPU are not supported",
        "games on the CPU, because Ray plays them",
    ]


@pytest.mark.parametrize("error", [CudaError, torch.OutOfMemoryError])
def test_a_gpu_that_fails_is_one_line(tmp_path, capsys, monkeypatch, error):
    def fails(*_arguments):
        raise error("out of memory\nand so on")

    monkeypatch.setattr(watch, "open_run", fails)
    assert cli.main(["train", str(tmp_path / "run"), *OPTIONS, "--device", "emulated"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("wotr: the GPU: out of memory; fewer --games or --steps take less memory")


def test_on_the_cpu_nothing_is_said(tmp_path, capsys):
    assert cli.main(["train", str(tmp_path / "run"), *OPTIONS, "--device", "cpu"]) == 0
    assert "games on" not in capsys.readouterr().err


# --- the same bytes --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mlp", "entity"])
@pytest.mark.parametrize("bots", [False, True])
def test_a_rollout_is_the_same_bytes(kind, bots):
    """In self-play, and against an opponent that answers alike on both."""
    torch.manual_seed(1)
    network = make_network(NetworkConfig(kind, width=16, hidden=8))

    class First:
        def act(self, view):
            return view.masks.argmax(axis=1)

        def sample(self, _observations, masks):
            return (masks.to(torch.int8).argmax(dim=1),)

    players, opponents = no_opponents(10), []
    if bots:
        players[4:7, 0], players[7:, 1], opponents = 0, 1, [First(), First()]
    found = []
    short = Ruleset(max_turns=1)
    for games in (VectorGame(10, 4, ruleset=short), DeviceGame(10, emulated(), 4, short)):
        rollout = Rollout.empty(80, 10, games.observations.shape[1], games.masks.shape[1], 5)
        player = Player(network, CPU, 2)
        for _ in range(2):
            collect(games, player, rollout, players, opponents, PhaseTimer())
        found.append((rollout, games.snapshot()))
    (here, ours), (there, theirs) = found
    for name, values in vars(here).items():
        assert values.numpy().tobytes() == getattr(there, name).numpy().tobytes(), name
    for name, values in ours.items():
        assert values.tobytes() == theirs[name].tobytes(), name
    assert here.reasons.any() and bool(here.learned.all()) is not bots
    assert emulated().misaligned == 0


@pytest.mark.slow
def test_tensors_of_a_device_are_its_memory():
    short = Ruleset(max_turns=1)
    games, others = DeviceGame(5, emulated(), 3, short), VectorGame(5, 3, ruleset=short)
    played, same = DeviceTensors(games), HostTensors(others, SELF_PLAY.kind, 2)
    seen = played.observations
    assert seen.data_ptr() == games.observations.address
    generator = np.random.default_rng(1)
    ended = 0
    for _ in range(800):
        assert torch.equal(seen, same.observations) and torch.equal(played.seats, same.seats)
        actions = torch.from_numpy(
            (generator.random(played.masks.shape) * played.masks.numpy()).argmax(axis=1)
        )
        reasons = played.step(actions)
        assert torch.equal(reasons, same.step(actions)) and reasons.dtype == torch.int64
        ended += int((reasons > 0).sum())
    assert ended > 5


@pytest.mark.slow
def test_a_training_is_the_same_bytes_wherever_its_games_are_played(tmp_path):
    train(tmp_path / "here", SELF_PLAY, nowhere)
    run = train(tmp_path / "there", SELF_PLAY, on_device)
    assert all(isinstance(worker.games, DeviceGame) for worker in run.workers)
    check_same(tmp_path / "there", tmp_path / "here")
    for until, find_machine in ((1, on_device), (2, nowhere), (None, on_device)):
        train(tmp_path / "both", SELF_PLAY, find_machine, until)
    check_same(tmp_path / "both", tmp_path / "here")


@pytest.mark.slow
def test_a_run_against_its_past_goes_on_to_the_same_bytes(tmp_path):
    train(tmp_path / "whole", AGAINST_THE_PAST, on_device)
    for until in (2, None):
        train(tmp_path / "parts", AGAINST_THE_PAST, on_device, until)
    check_same(tmp_path / "parts", tmp_path / "whole")


@pytest.mark.slow
def test_networks_of_the_past_play_on_the_device(tmp_path):
    run = train(tmp_path / "run", AGAINST_THE_PAST, on_device)
    config = AGAINST_THE_PAST
    past = tuple(sorted((tmp_path / "run" / "past").iterdir()))
    rollout = empty_rollout(config, 1)
    worker = Worker(config, 0, run.learner.network, CPU, rollout, Isolation(), emulated())
    moment = RunProgress(3, False, past, tmp_path)
    opponents, players = worker._opponents(moment, np.random.default_rng(1))
    assert [type(each) for each in opponents] == [Player] and (players >= 0).sum() == 2
    worker.play(moment)
    assert not rollout.learned.all() and rollout.learned.any()
    assert rollout.masks.gather(2, rollout.actions[:, :, None]).all()
    assert (rollout.log_probabilities[~rollout.learned] == 0).all()
    worker.close()


@pytest.mark.slow
def test_the_command_trains_the_same_bytes(tmp_path, capsys):
    for device in ("cpu", "emulated"):
        assert cli.main(["train", str(tmp_path / device), *OPTIONS, "--device", device]) == 0
    assert "the network is on an emulated GPU, games too" in capsys.readouterr().err
    check_same(tmp_path / "emulated", tmp_path / "cpu")


@pytest.mark.slow
def test_processes_with_a_device_each_train_the_same_bytes(tmp_path):
    options = [*OPTIONS, "--past-share", "0"]
    assert cli.main(["train", str(tmp_path / "one"), *options, "--device", "cpu"]) == 0
    command = [sys.executable, "-m", "tests.processes_training", "two", str(tmp_path / "two"), *options]
    done = subprocess.run([*command, "--device", "emulated"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    session = json.loads(done.stdout)
    assert session["codes"] == [0, 0]
    assert [errors.count("games too") for errors in session["errors"]] == [1, 0]
    check_same(tmp_path / "two", tmp_path / "one")


def test_the_tiny_run_cannot_be_played_by_a_gpu():
    assert why_on_cpu(TINY)
