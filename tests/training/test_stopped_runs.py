"""Training runs that are stopped, killed or disturbed: they go on to the same bytes."""

from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from tests import tiny_training
from tests.clocks import HandClock
from tests.processes_training import HELD_AT, kill_held
from tests.tiny_training import (
    COMMANDED,
    CPU,
    TINY,
    check_same,
    config_of,
    open_tiny,
    sharing,
    tensors_of,
    timeless_metrics,
    train_tiny,
)
from wotr_agents.networks.checkpoint import load_network
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.training.run_folder import RunFolder, read_metrics, seconds_until
from wotr_experiments.training.training import FIRST_SAVED, SAVED_EVERY, open_run

pytestmark = pytest.mark.usefixtures("short")


@pytest.mark.parametrize("workers", [1, 4, 8])
def test_other_workers_go_on_with_the_same_games(undisturbed, tmp_path, workers):
    shutil.copytree(undisturbed, tmp_path / "run")

    def states(training):
        return np.concatenate([worker.games.states for worker in training.workers])

    with open_tiny(tmp_path / "run", None) as training:
        before = states(training)
        players = [worker.player.generator.get_state() for worker in training.workers]
    with open_run(tmp_path / "run", None, CPU, change=lambda config: sharing(config, workers)) as training:
        assert len(training.workers) == workers
        assert states(training).tobytes() == before.tobytes()
        for worker, player in zip(training.workers, players, strict=False):
            assert torch.equal(worker.player.generator.get_state(), player)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_the_run_goes_on_to_the_same_bytes(commanded, tmp_path, monkeypatch, capsys, sent):
    """Ctrl-C, and what batch systems and containers send."""
    log = RunFolder.log

    def interrupted(folder, line):
        log(folder, line)
        if line["update"] == 3 and line["kind"] == "update":
            os.kill(os.getpid(), sent)

    out = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "log", interrupted)
        assert cli.main(["train", str(out), *COMMANDED]) == cli.INTERRUPTED
    said = capsys.readouterr().err
    assert said.endswith(f"wotr: stopped and saved; continue with: wotr train {out} --resume\n")
    assert "resuming" not in said and "anew" not in said
    assert ("asked to end (SIGTERM)" in said) == (sent == signal.SIGTERM)
    (entry,) = json.loads((out / "provenance.json").read_text())
    assert entry["ended"]
    assert (out / "checkpoints" / "3").is_dir()
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0
    check_same(out, commanded)


def test_the_same_training_leaves_the_same_files(undisturbed, tmp_path):
    train_tiny(tmp_path / "again")
    check_same(tmp_path / "again", undisturbed)
    names = ["last.safetensors", "best.safetensors", f"checkpoints/{tiny_training.UPDATES}/state.safetensors"]
    names += [str(path.relative_to(undisturbed)) for path in (undisturbed / "past").iterdir()]
    for name in names:
        assert (tmp_path / "again" / name).read_bytes() == (undisturbed / name).read_bytes(), name
    facts = load_network(undisturbed / "last.safetensors").facts
    updates = [line for line in read_metrics(undisturbed) if line["kind"] == "update"]
    assert seconds_until(undisturbed, facts["updates"]) == updates[-1]["seconds"] > 0
    assert seconds_until(undisturbed, 2) == updates[1]["seconds"] < updates[-1]["seconds"]
    decisions = TINY.ppo.games * TINY.ppo.steps
    for before, line in itertools.pairwise(updates):
        spent = line["seconds"] - before["seconds"]
        assert abs(decisions - line["speed"] * spent) <= 0.51 * spent + 1e-3 * line["speed"]  # both rounded
    assert seconds_until(undisturbed, 0) == 0


def trained_slowly(folder, seconds, **changes):
    """The updates after which a checkpoint was written, if each update takes so many seconds."""
    clock, saved = HandClock(), []
    with open_tiny(folder, config_of(6, 1, **({"checkpoint_every": 1000} | changes))) as training:
        training.clock = clock
        save = training.save

        def noted():
            saved.append(training.updates)
            save()

        training.save = noted
        for line in training.run():
            if line["kind"] == "update":
                clock.move(seconds)
    return saved


@pytest.mark.parametrize(("seconds", "saved"), [(10, [3, 6]), (29, [1, 5, 6])])
def test_checkpoints_are_written_by_time_too(tmp_path, seconds, saved):
    assert trained_slowly(tmp_path / "run", seconds) == saved
    assert FIRST_SAVED == 30 and SAVED_EVERY == 120


def test_neither_clock_nor_stop_decides_which_network_an_expert_plays_by(tmp_path):
    """In the slow run every update takes long enough for a checkpoint."""
    expert = {
        "expert": "search:net=self,sims=2",
        "expert_decisions": 5 * 8 * 16,
        "checkpoint_every": 3,
        "evaluate_games": 1,
    }
    config = config_of(6, 1, **expert)
    train_tiny(tmp_path / "whole", config)
    assert trained_slowly(tmp_path / "slow", 200, **expert) == [1, 2, 3, 4, 5, 6]
    for stop in (2, 4):
        with open_tiny(tmp_path / f"stopped{stop}", config) as training:
            for _ in training.run(lambda stop=stop: training.updates == stop):
                pass
        train_tiny(tmp_path / f"stopped{stop}", config)
    for other in ("slow", "stopped2", "stopped4"):
        check_same(tmp_path / other, tmp_path / "whole")


def test_a_run_that_goes_on_says_from_where(tmp_path, capsys):
    out = tmp_path / "run"
    with open_tiny(out, config_of(2)) as training:
        next(iter(training.run()))
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0
    assert f"wotr: {out}: there is no checkpoint; starting from the beginning\n" in capsys.readouterr().err
    assert [line["update"] for line in timeless_metrics(out) if line["kind"] == "update"] == [1, 2]
    assert cli.main(["train", str(out), "--resume", "--device", "cpu", "--decisions", "384"]) == 0
    said = capsys.readouterr().err
    assert f"wotr: {out}: resuming at update 2, after 256 decisions\n" in said and "anew" not in said


def test_a_second_ctrl_c_breaks_off(tmp_path, monkeypatch, capsys):
    def interrupted(_folder, _line):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RunFolder, "log", interrupted)
    assert cli.main(["train", str(tmp_path / "run"), *COMMANDED]) == cli.INTERRUPTED
    assert capsys.readouterr().err.endswith("wotr: stopped\n")


@pytest.mark.parametrize("calls", [4, 9])
def test_a_full_disk_is_one_line_and_the_run_goes_on(fail, commanded, tmp_path, monkeypatch, calls):
    """The disk is full from some call of fsync on: while a checkpoint or a network is written."""
    count, fsync = itertools.count(), os.fsync

    def full(handle):
        if next(count) >= calls:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    out = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        message = fail(out, *COMMANDED)
    assert message.startswith(f"wotr: {out}")
    assert message.endswith("No space left on device")
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0
    check_same(out, commanded)


def test_a_broken_checkpoint_is_said_and_the_one_before_goes_on(commanded, tmp_path, capsys):
    out = tmp_path / "run"
    shutil.copytree(commanded, out)
    state = out / "checkpoints" / "5" / "state.safetensors"
    state.write_bytes(state.read_bytes()[:1000])
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0
    assert f"{state.parent}: " in capsys.readouterr().err
    check_same(out, commanded)


def test_no_readable_checkpoint_is_one_line(fail, commanded, tmp_path):
    out = tmp_path / "run"
    shutil.copytree(commanded, out)
    for state in out.glob("checkpoints/*/state.safetensors"):
        state.write_bytes(b"")
    assert "no checkpoint can be read" in fail(out, "--resume", "--device", "cpu")


def test_a_checkpoint_of_another_network_does_not_fit(tmp_path):
    train_tiny(tmp_path / "run", config_of(2))
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    config["network"]["width"] = 17
    (tmp_path / "run" / "config.json").write_text(json.dumps(config))
    with pytest.raises(CommandError, match="the checkpoint of .* does not fit its run"):
        open_tiny(tmp_path / "run", None)
    RunFolder(tmp_path / "run").close()


def test_a_run_goes_on_without_the_network_it_started_from(undisturbed, tmp_path):
    start = tmp_path / "start.safetensors"
    start.write_bytes((undisturbed / "last.safetensors").read_bytes())
    config = config_of(2, start=str(start), expert="", expert_decisions=0)
    opened = open_tiny(tmp_path / "run", config)
    with opened:
        weights = opened.learner.network.state_dict()
        for name, value in tensors_of(start).items():
            assert weights[name].numpy().tobytes() == value
        next(opened.run())
        opened.save()
    start.unlink()
    open_tiny(tmp_path / "run", None).close()


def test_the_last_network_is_that_of_the_checkpoint(undisturbed, tmp_path):
    """An expert may play by it, so a run must go on with the one that it had."""
    train_tiny(tmp_path / "run", config_of(2))
    last = tmp_path / "run" / "last.safetensors"
    before = tensors_of(last)
    last.write_bytes((undisturbed / "last.safetensors").read_bytes())
    open_tiny(tmp_path / "run", None).close()
    assert tensors_of(last) == before


def run_program(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tests.tiny_training", *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_run_that_is_killed_twice_goes_on_to_the_same_bytes(undisturbed, tmp_path):
    run_program(tmp_path / "run", 2, 2)
    check_same(tmp_path / "run", undisturbed)


@pytest.mark.slow
def test_the_command_is_killed_and_goes_on(commanded, tmp_path):
    """The same command goes on, as a user would."""
    out = tmp_path / "run"
    kill_held(["train", str(out), *COMMANDED], tmp_path / "held")
    assert HELD_AT <= tiny_training.lines_in(out) < tiny_training.lines_in(commanded)
    assert cli.main(["train", str(out), *COMMANDED]) == 0
    check_same(out, commanded)


def test_the_tiny_run_has_all_that_can_go_wrong():
    assert TINY.opponents and TINY.past_share and TINY.expert
    assert 1 < TINY.checkpoint_every < TINY.past_every < TINY.evaluate_every < tiny_training.UPDATES
