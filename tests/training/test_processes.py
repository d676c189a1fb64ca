"""Training by several processes: the same bytes as by one, and one line when one of them is lost."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.distributed import run

from tests import tiny_training
from tests.processes_training import FAILURE, HELD_AT, OPTIONS, UPDATES
from tests.tiny_training import CPU, TINY, check_same, lines_in
from tests.waiting import eventually_by
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.training.ppo import worker_threads
from wotr_experiments.training.processes import ALONE, Processes, join
from wotr_experiments.training.sharding import ShardedAdam
from wotr_experiments.training.training import open_run
from wotr_experiments.training.watch import cluster_of, find_device

LAUNCH = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
COMMAND = ["-m", "tests.processes_training", "command", "train"]
ROOT = Path(__file__).parents[2]
GONE = (
    "wotr: another process of the training has ended; the same command continues from the last checkpoint\n"
)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The folder of a run by one process."""
    out = tmp_path_factory.mktemp("alone") / "run"
    with tiny_training.short_evaluations():
        assert cli.main(["train", str(out), *OPTIONS]) == 0
    return out


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory):
    """The folder of a run by two processes, then four, and what came of its sessions."""
    out = tmp_path_factory.mktemp("disturbed") / "run"
    command = [sys.executable, "-m", "tests.processes_training", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out, json.loads(done.stdout)


def test_processes_train_to_the_same_bytes_as_one(alone, disturbed):
    out, sessions = disturbed
    assert sessions["finished"]["codes"] == [0] * 4
    check_same(out, alone)
    assert (out / "checkpoints" / str(UPDATES)).is_dir()


def test_only_the_first_process_speaks(disturbed):
    first, *others = disturbed[1]["finished"]["errors"]
    assert "wotr: training finished; play the network as net:" in first and others == [""] * 3


def test_an_error_of_one_process_is_said_once_and_ends_all(disturbed):
    failed = disturbed[1]["failed"]
    assert failed["codes"] == [2, 2]
    said = [line for text in failed["errors"] for line in text.splitlines() if line.startswith("wotr: ")]
    assert said == [f"wotr: {FAILURE}"]


def test_a_lost_process_ends_the_run_in_one_line(disturbed):
    """Told by the connection, which breaks at once: one that does not answer is waited for."""
    killed = disturbed[1]["killed"]
    assert killed["codes"] == [2, -signal.SIGKILL]
    assert killed["errors"][0].endswith(GONE) and killed["errors"][1] == ""
    assert disturbed[1]["failed"]["lines"] < killed["lines"] < disturbed[1]["finished"]["lines"]


def test_ctrl_c_under_torchrun_saves_and_one_process_goes_on_to_the_same_bytes(alone, tmp_path, monkeypatch):
    out, held = tmp_path / "run", tmp_path / "held"
    command, environment = [*LAUNCH, "2", *COMMAND, str(out), *OPTIONS], {**os.environ, "HELD": str(held)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert eventually_by(process, held.exists, "the third update")
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
    assert f"wotr: stopped and saved; continue with: wotr train {out} --resume" in said
    assert HELD_AT <= lines_in(out) < lines_in(alone)
    tiny_training.shorten_evaluations(monkeypatch.setattr)
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0
    check_same(out, alone)


def test_other_workers_go_on_to_the_same_bytes_in_one_process_and_in_two(disturbed):
    """Those that were not there go on with games that others had."""
    out, sessions = disturbed
    assert [each["codes"] for each in sessions["other workers"]] == [[0], [0], [0, 0]]
    one, two = Path(f"{out}.one"), Path(f"{out}.two")
    assert (one / "checkpoints" / "6").is_dir()
    check_same(one, two)


class Several(Processes):
    """Three processes, of which only this one is there."""

    count = 3


def test_workers_that_cannot_be_shared_evenly_are_refused(tmp_path):
    with pytest.raises(CommandError, match="2 workers cannot be shared evenly by 3 processes"):
        open_run(tmp_path / "run", TINY, CPU, processes=Several())
    assert not (tmp_path / "run").exists()


def test_processes_do_not_play_on_a_cluster(monkeypatch):
    monkeypatch.setattr("wotr_experiments.training.watch.check_ray", lambda: None)
    with (
        pytest.raises(CommandError, match="--engine ray does not work with torchrun"),
        cluster_of("ray", Isolation(), Several()),
    ):
        pass


def test_processes_that_were_not_started_together_are_alone(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    assert join(gpu=False) is ALONE
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "1")  # torchrun with one process
    assert join(gpu=False) is ALONE


@pytest.mark.parametrize(
    ("gpus", "processes", "auto", "refused"),
    [
        (0, "1", "cpu", "there is no GPU that torch can use"),
        (1, None, "cuda", None),
        (1, "1", "cuda", None),
        (1, "16", "cpu", "each process needs a GPU, and here are 16 processes and 1 GPU; start fewer"),
        (8, "8", "cuda", None),
    ],
)
def test_each_process_has_a_gpu_or_all_are_on_the_cpu(gpus, processes, auto, refused, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: gpus > 0)
    monkeypatch.setattr("torch.cuda.device_count", lambda: gpus)
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    if processes:
        monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
    assert find_device("auto").device.type == auto
    with pytest.raises(CommandError, match=refused) if refused else contextlib.nullcontext():
        assert find_device("cuda").device.type == "cuda"


def test_torchrun_leaves_options_like_its_own_to_training():
    documented = "--nproc-per-node 2 -m -- wotr_experiments.cli.main train runs/next --start zoo/wide"
    given = run.get_args_parser().parse_args(documented.split())
    assert [given.training_script, *given.training_script_args] == documented.split()[4:]


def test_processes_without_an_address_are_one_line(monkeypatch, tmp_path, capsys):
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert cli.main(["train", str(tmp_path / "run"), "--device", "cpu"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("wotr: the processes cannot connect to each other: ") and error.count("\n") == 1


# --- the optimiser --------------------------------------------------------------------------------------


def small_network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(7, 5), nn.Linear(5, 3))


@pytest.mark.parametrize("parts", [1, 3, 4])
def test_steps_in_slices_are_those_of_adam(parts):
    network, reference = small_network(), small_network()
    averaged, averages = (copy.deepcopy(each).requires_grad_(False) for each in (network, reference))
    sharded = ShardedAdam(network, averaged, parts, worker_threads(parts), ALONE)
    adam = torch.optim.Adam(reference.parameters(), 1e-2, eps=1e-5)
    for step in range(5):
        for parameter in reference.parameters():
            parameter.grad = torch.randn_like(parameter) * step
        whole = [parameter.grad.clone() for parameter in reference.parameters() if parameter.grad is not None]
        for number, views in enumerate(sharded.gradients):
            for view, gradient in zip(views, whole, strict=True):
                view.copy_(gradient * (2 * number + 1) / parts**2)  # they add up to it
        norm = sharded.step(1e-2, 4.0, 0.75)
        assert norm == pytest.approx(float(nn.utils.clip_grad_norm_(reference.parameters(), 4.0)), rel=1e-5)
        adam.step()
        for average, parameter in zip(averages.parameters(), reference.parameters(), strict=True):
            average.lerp_(parameter.detach(), 0.25)
    assert norm > 4.0  # some were cut
    sharded.gather_averages()
    for found, wanted in ((network, reference), (averaged, averages)):
        for one, other in zip(found.parameters(), wanted.parameters(), strict=True):
            torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-5)
    for number, parameter in enumerate(reference.parameters()):
        for name, value in adam.state[parameter].items():
            torch.testing.assert_close(sharded.moments()[f"{number}.{name}"], value, atol=1e-6, rtol=1e-4)


def test_moments_are_gone_on_with():
    runs = []
    for stopped in (False, True):
        network = small_network()
        averaged = copy.deepcopy(network).requires_grad_(False)
        sharded = ShardedAdam(network, averaged, 2, worker_threads(2), ALONE)
        for step in range(4):
            if stopped and step == 2:
                moments = {name: value.clone() for name, value in sharded.moments().items()}
                sharded = ShardedAdam(network, averaged, 2, worker_threads(2), ALONE)
                sharded.restore_moments(moments)
            for number, views in enumerate(sharded.gradients):
                for view in views:
                    view.fill_(0.1 * (step + number) - 0.2)
            sharded.step(1e-2, 1e9, 0.9)
        runs.append([value.clone() for value in (*network.parameters(), *averaged.parameters())])
    assert all(torch.equal(one, other) for one, other in zip(*runs, strict=True))
