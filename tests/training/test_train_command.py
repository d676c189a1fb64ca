"""``wotr train``: what it leaves behind, its errors, and runs that go on to the same bytes."""

from __future__ import annotations

import dataclasses
import errno
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from tests import networks, tiny_training
from tests.clocks import HandClock
from tests.processes_training import HELD_AT, kill_held
from tests.tiny_training import (
    CPU,
    TINY,
    check_same,
    config_of,
    open_tiny,
    tensors_of,
    timeless_metrics,
    train_tiny,
)
from wotr_agents import make_bot
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.checkpoint import load_network
from wotr_agents.networks.files import find_network
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.vector import VectorGame
from wotr_env.play.bots import view_of
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.training.run_folder import METRICS, RunFolder, read_metrics, seconds_until
from wotr_experiments.training.training import FIRST_SAVED, SAVED_EVERY, open_run

UNSIZED = "--games 8 --steps 8 --workers 2 --minibatch-size 32 --device cpu"
TIMES = "--decisions 320 --evaluate-games 2 --evaluate-every 3 --checkpoint-every 2"
UNSIZED = [*UNSIZED.split(), *TIMES.split(), "--opponent", "random"]
OPTIONS = ["--width", "16", "--hidden", "8", *UNSIZED]
UPDATES = 5
"""That the options ask for."""


@pytest.fixture(autouse=True)
def short(monkeypatch):
    tiny_training.shorten_evaluations(monkeypatch.setattr)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The folder of a tiny run that nothing stopped."""
    with pytest.MonkeyPatch.context() as patch:
        tiny_training.shorten_evaluations(patch.setattr)
        train_tiny(tmp_path_factory.mktemp("run") / "undisturbed")
    return tmp_path_factory.getbasetemp() / "run0" / "undisturbed"


@pytest.fixture(scope="module")
def commanded(tmp_path_factory):
    """The folder of a run by the command line that nothing stopped."""
    out = tmp_path_factory.mktemp("command") / "run"
    with pytest.MonkeyPatch.context() as patch:
        tiny_training.shorten_evaluations(patch.setattr)
        assert cli.main(["train", str(out), *OPTIONS]) == 0
    return out


@pytest.fixture
def fail(capsys):
    """Runs a command that must fail as the console command would; returns its one line."""

    def fail(*arguments):
        assert cli.main(["train", *map(str, arguments)]) == 2
        errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("wotr: ")]
        assert len(errors) == 1
        return errors[0]

    return fail


# --- the command line ----------------------------------------------------------------------------------


def test_train_leaves_a_network_and_a_report(tmp_path, capsys):
    out = tmp_path / "run"
    assert cli.main(["train", str(out), *OPTIONS, "--json"]) == 0
    printed = capsys.readouterr()
    assert (
        f"wotr: training finished; play the network as net:{out}; report: {out / 'report.html'}"
        in printed.err
    )
    assert "320 decisions, " in printed.err
    shown = json.loads(printed.out)
    assert (shown["finished"], shown["decisions"]) == (True, 320)
    assert shown["evaluation"]["scores"].keys() == {"random", "scripted"}
    assert {path.name for path in out.iterdir()} >= {
        "config.json",
        METRICS,
        "checkpoints",
        "last.safetensors",
        "best.safetensors",
        "report.html",
    }
    lines = timeless_metrics(out)
    updates = [line["update"] for line in lines if line["kind"] == "update"]
    assert updates == list(range(1, UPDATES + 1))
    assert [line["update"] for line in lines if line["kind"] == "evaluation"] == [3, 5]


def test_the_folder_may_be_given_as_of_other_commands(tmp_path, fail, capsys):
    assert cli.main(["train", "--out", str(tmp_path / "run"), *OPTIONS]) == 0
    capsys.readouterr()
    assert (tmp_path / "run" / "report.html").exists()
    for arguments in ([], [tmp_path / "run", "--out", tmp_path / "other"]):
        assert "give the folder of the run once" in fail(*arguments, *OPTIONS)
    assert not (tmp_path / "other").exists()


def test_a_finished_run_has_nothing_left_to_do(commanded, capsys):
    before = timeless_metrics(commanded)
    assert cli.main(["train", str(commanded), "--resume", "--device", "cpu"]) == 0
    assert cli.main(["train", str(commanded), *OPTIONS]) == 0
    assert "wotr: training finished" in capsys.readouterr().err
    assert timeless_metrics(commanded) == before


def test_only_the_report(commanded, capsys):
    (commanded / "report.html").unlink()
    with RunFolder(commanded):  # someone may be training in it
        assert cli.main(["train", str(commanded), "--report"]) == 0
    assert str(commanded / "report.html") in capsys.readouterr().err
    assert (commanded / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--device", "abacus"], "unknown device 'abacus'; known: auto, cpu, cuda"),
        (["--opponent", "rando"], "unknown bot 'rando'"),
        (["--opponent", "random:x=1"], "unknown parameter 'x'"),
        (["--side", "elves"], "side must be both, free-peoples, shadow, not 'elves'"),
        (["--side", "shadow"], "give --opponent"),
        (["--network", "cnn"], "unknown kind of network 'cnn'; known: mlp, entity"),
        (["--width", "0"], "width must be from 1 to 4096, not 0"),
        (["--decisions", "0"], "decisions must be at least 1"),
        (["--decisions", "inf"], "infinity"),
        (["--decisions", "nan"], "NaN"),
        (["--learning-rate", "nan"], "learning_rate must be above 0"),
        (["--learning-rate", "inf"], "learning_rate must be finite"),
        (["--learning-rate", "2"], "learning_rate must be from 0 to 1"),
        (["--entropy-coefficient", "inf"], "entropy_coefficient must be finite"),
        (["--max-gradient-norm", "inf"], "max_gradient_norm must be finite"),
        (["--games", "1048576"], "more than 16777216 decisions at once"),
        (["--policy-share", "2"], "policy_share must be from 0 to 1"),
        (["--evaluate-every", "0"], "evaluate_every must be at least 1"),
        (["--opponent", "random", "--opponents-share", "0.9", "--past-share", "0.2"], "sum to at most 1"),
        (["--workers", "0"], "workers must be at least 1, not 0"),
        (["--workers", "3"], "1024 games cannot be shared evenly by 3 workers"),
        (["--expert", "scripted"], "give both an expert"),
        (["--expert", "rando", "--expert-decisions", "9"], "unknown bot 'rando'"),
        (["--seed", "-1"], "--seed must be at least 0, not -1"),
        (["--start", "nowhere"], "there is no network nowhere"),
        (["--start", "zoo/nobody"], "the zoo has no network 'zoo/nobody'"),
        (["--resume"], "there is no training run in"),
        (["--report"], "there is no training run in"),
    ],
)
def test_errors_are_one_line_and_leave_no_run(fail, tmp_path, arguments, message):
    device = [] if "--device" in arguments else ["--device", "cpu"]
    assert message in fail(tmp_path / "run", *device, *arguments)
    assert not (tmp_path / "run").exists()


def test_no_gpu_is_one_line(fail, tmp_path, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert fail(tmp_path / "run", "--device", "cuda").endswith("give --device cpu")


def test_a_cluster_needs_ray(fail, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    message = fail(tmp_path / "run", "--device", "cpu", "--engine", "ray")
    assert message.endswith(
        "the engine ray is not installed; install it with: pip install '.[ray]' in a clone of wotr-env"
    )
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--width", "17"], "give --width 16, or multiples"),
        (["--advice", "--width", "1"], "give --width 16 --no-advice, or"),
        (["--advice"], "give --no-advice, or"),
        (["--network", "entity"], "give --network mlp, or"),
    ],
)
def test_a_network_of_another_size_cannot_be_gone_on_from(fail, commanded, tmp_path, given, words):
    assert words in fail(tmp_path / "run", "--start", commanded, *given, "--device", "cpu")


def test_what_is_not_given_of_the_size_is_that_of_the_start(tmp_path, capsys):
    start, run = networks.write_network(tmp_path, advice=True), tmp_path / "run"
    assert cli.main(["train", str(run), *UNSIZED, "--start", str(start), "--layers", "2"]) == 0
    wanted = dataclasses.replace(networks.SMALL, advice=True, layers=2)
    assert load_network(find_network(str(run))).config == wanted
    capsys.readouterr()


def test_a_smaller_network_grows(commanded, tmp_path, capsys):
    run = tmp_path / "run"
    options = ["--start", str(commanded), *OPTIONS, "--width", "32", "--hidden", "24"]
    assert cli.main(["train", str(run), *options]) == 0
    assert load_network(find_network(str(run))).config.width == 32
    capsys.readouterr()


def test_another_configuration_in_the_folder(fail, commanded):
    before = timeless_metrics(commanded)
    message = fail(commanded, *OPTIONS, "--seed", "2", "--steps", "9")
    assert (
        f"{commanded} already contains a run: continue it with --resume; for another steps, seed" in message
    )
    assert timeless_metrics(commanded) == before


# --- options beside --resume ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seed", "2"], "--seed 1 (given: 2); with --resume, leave it out"),
        (["--games", "1024"], "--games 8 (given: 1024)"),  # the default, but given
        (["--advice"], "--advice no (given: yes)"),
        (["--opponent", "scripted"], "--opponent random (given: scripted)"),
        (["--anchor", "random"], "--anchor random and scripted (given: random)"),
        (["--side", "shadow"], "--side both (given: shadow)"),
        (["--expert", "scripted"], "--expert none (given: scripted)"),
        (["--network", "entity", "--clip-range", "0.5"], "--network mlp (given: entity), --clip-range 0.15"),
        (["--value-lambda", "0.5"], "--value-lambda none (given: 0.5)"),
        (["--decisions", "640", "--steps", "9"], "--steps 8 (given: 9)"),
    ],
)
def test_a_conflicting_option_is_refused_and_the_run_is_as_it_was(fail, commanded, arguments, words):
    before = {path: path.read_bytes() for path in commanded.rglob("*") if path.is_file()}
    message = fail(commanded, "--resume", "--device", "cpu", *arguments)
    assert words in message and f"{commanded} was started with " in message
    assert {path: path.read_bytes() for path in commanded.rglob("*") if path.is_file()} == before


def test_options_as_in_the_folder_are_no_conflict(commanded, capsys):
    before = (commanded / "config.json").read_bytes()
    assert cli.main(["train", str(commanded), "--resume", *OPTIONS]) == 0
    assert "wotr: training finished" in capsys.readouterr().err
    assert (commanded / "config.json").read_bytes() == before


def test_the_help_lists_what_may_change(capsys):
    assert cli.main(["train", "--help"]) == 0
    shown = re.sub(r"[\s│]+", " ", capsys.readouterr().out)
    assert (
        "--decisions, --workers, --evaluate-every, --evaluate-games, --checkpoint-every, --past-every"
        in shown
    )


def test_a_run_goes_on_for_longer_with_other_workers(tmp_path, capsys):
    out = tmp_path / "run"
    assert cli.main(["train", str(out), *OPTIONS]) == 0
    before = timeless_metrics(out)
    changes = "--decisions 512 --workers 4 --evaluate-every 2 --evaluate-games 3 --past-every 1"
    assert cli.main(["train", str(out), "--resume", "--device", "cpu", *changes.split()]) == 0
    lines = timeless_metrics(out)
    assert lines[: len(before)] == before
    assert [line["update"] for line in lines[len(before) :]] == [6, 6, 7, 8, 8]
    assert lines[-1]["games"] == 3 and lines[-2]["decisions"] == 512
    config = json.loads((out / "config.json").read_text())
    assert (config["ppo"]["decisions"], config["ppo"]["workers"], config["past_every"]) == (512, 4, 1)
    assert len(list((out / "past").iterdir())) == 3
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0  # by what was changed
    assert timeless_metrics(out) == lines
    capsys.readouterr()
    assert cli.main(["train", str(out), "--resume", "--device", "cpu", "--decisions", "448"]) == 2
    assert "has made 512 decisions; --decisions must not be less, not 448" in capsys.readouterr().err
    assert json.loads((out / "config.json").read_text()) == config


@pytest.mark.parametrize("workers", [1, 4, 8])
def test_other_workers_go_on_with_the_same_games(undisturbed, tmp_path, workers):
    shutil.copytree(undisturbed, tmp_path / "run")

    def change(config):
        return dataclasses.replace(config, ppo=dataclasses.replace(config.ppo, workers=workers))

    def states(training):
        return np.concatenate([worker.games.states for worker in training.workers])

    with open_tiny(tmp_path / "run", None) as training:
        before = states(training)
        players = [worker.player.generator.get_state() for worker in training.workers]
    with open_run(tmp_path / "run", None, CPU, change=change) as training:
        assert len(training.workers) == workers
        assert states(training).tobytes() == before.tobytes()
        for worker, player in zip(training.workers, players, strict=False):
            assert torch.equal(worker.player.generator.get_state(), player)


def test_other_workers_must_share_the_games(fail, commanded):
    before = (commanded / "config.json").read_bytes()
    message = fail(commanded, "--resume", "--device", "cpu", "--workers", "3")
    assert "8 games cannot be shared evenly by 3 workers" in message
    assert (commanded / "config.json").read_bytes() == before


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"network": 5}'])
def test_a_broken_configuration(fail, tmp_path, text):
    (tmp_path / "config.json").write_text(text)
    assert str(tmp_path) in fail(tmp_path, "--resume", "--device", "cpu")


@pytest.mark.parametrize(
    "change", [{"ruleset": 3}, {"anchors": [None]}, {"expert": True}, {"opponents": [[]]}]
)
def test_a_configuration_of_other_types(fail, commanded, tmp_path, change):
    config = json.loads((commanded / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | change))
    assert str(tmp_path) in fail(tmp_path, "--resume", "--device", "cpu")


def test_another_process_trains_in_the_folder(fail, commanded):
    with RunFolder(commanded):
        assert "another process trains in" in fail(commanded, "--resume", "--device", "cpu")


def test_a_folder_that_is_a_file(fail, tmp_path):
    (tmp_path / "file").write_text("")
    assert "file" in fail(tmp_path / "file", "--device", "cpu")


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
        assert cli.main(["train", str(out), *OPTIONS]) == cli.INTERRUPTED
    said = capsys.readouterr().err
    assert said.endswith(f"wotr: stopped and saved; continue with: wotr train {out} --resume\n")
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
    spent = sum(TINY.ppo.games * TINY.ppo.steps / line["speed"] for line in updates)
    assert spent == pytest.approx(updates[-1]["seconds"], rel=0.05)
    assert seconds_until(undisturbed, 0) == 0


def trained_slowly(folder, seconds, **changes):
    """The updates after which a checkpoint was written, if each update takes so many seconds."""
    clock, saved = HandClock(), []
    with open_tiny(folder, config_of(6, checkpoint_every=1000, **changes)) as training:
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


@pytest.mark.parametrize(
    ("seconds", "saved"), [(1, [6]), (10, [3, 6]), (29, [1, 5, 6]), (200, [*range(1, 7)])]
)
def test_checkpoints_are_written_by_time_too(tmp_path, seconds, saved):
    assert trained_slowly(tmp_path / "run", seconds) == saved
    assert FIRST_SAVED == 30 and SAVED_EVERY == 120


def test_no_clock_decides_which_network_an_expert_plays_by(tmp_path):
    """It plays by that of the last checkpoint, and the same training makes the same bytes."""
    expert = {
        "expert": "search:net=self,sims=2",
        "expert_decisions": 3 * 8 * 16,
        "start": "",
        "evaluate_games": 1,
    }
    assert trained_slowly(tmp_path / "run", 200, **expert) == [3, 4, 5, 6]


def test_a_run_that_goes_on_says_from_where(tmp_path, capsys):
    out = tmp_path / "run"
    with open_tiny(out, config_of(4)) as training:
        next(iter(training.run()))
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0
    assert f"wotr: {out}: there is no checkpoint; starting from the beginning\n" in capsys.readouterr().err
    assert [line["update"] for line in timeless_metrics(out) if line["kind"] == "update"] == [1, 2, 3, 4]
    assert cli.main(["train", str(out), "--resume", "--device", "cpu", "--decisions", "768"]) == 0
    said = capsys.readouterr().err
    assert f"wotr: {out}: resuming at update 4, after 512 decisions\n" in said and "anew" not in said


def test_a_new_run_says_nothing_of_going_on(tmp_path, capsys):
    assert cli.main(["train", str(tmp_path / "run"), *OPTIONS]) == 0
    said = capsys.readouterr().err
    assert "resuming" not in said and "anew" not in said


def test_a_second_ctrl_c_breaks_off(tmp_path, monkeypatch, capsys):
    def interrupted(_folder, _line):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RunFolder, "log", interrupted)
    assert cli.main(["train", str(tmp_path / "run"), *OPTIONS]) == cli.INTERRUPTED
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
        message = fail(out, *OPTIONS)
    assert message.startswith(f"wotr: {out}")
    assert message.endswith("No space left on device")
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0
    check_same(out, commanded)


def test_a_broken_checkpoint_is_said_and_the_one_before_goes_on(commanded, tmp_path, capsys):
    out = tmp_path / "run"
    assert cli.main(["train", str(out), *OPTIONS]) == 0
    state = out / "checkpoints" / str(UPDATES) / "state.safetensors"
    state.write_bytes(state.read_bytes()[:1000])
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0
    assert f"{state.parent}: " in capsys.readouterr().err
    check_same(out, commanded)


def test_no_readable_checkpoint_is_one_line(fail, tmp_path, capsys):
    out = tmp_path / "run"
    assert cli.main(["train", str(out), *OPTIONS]) == 0
    for state in out.glob("checkpoints/*/state.safetensors"):
        state.write_bytes(b"")
    capsys.readouterr()
    assert "no checkpoint can be read" in fail(out, "--resume", "--device", "cpu")


# --- what a run needs, and what it does not ------------------------------------------------------------


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


@pytest.mark.parametrize("side", ["shadow", "free-peoples"])
def test_one_side_alone_learns(tmp_path, side):
    train_tiny(tmp_path / "run", config_of(2, side=side, past_every=1))
    evaluation = timeless_metrics(tmp_path / "run")[-1]
    assert evaluation["scores"]["random"].keys() == {side.replace("-", "_")}


@pytest.fixture
def view():
    games = VectorGame(8, seed=4)
    games.random_steps(50)
    return view_of(games.states, games.masks)


def test_a_trained_network_plays_by_file_and_by_folder(undisturbed, view):
    names = ("", "best", "best.safetensors", "last.safetensors")
    answers = [NetBot(NetParameters(str(undisturbed / name)), 1).act(view) for name in names]
    for actions in answers:
        assert view.masks[np.arange(8), actions].all()
    for actions in answers[1:3]:
        np.testing.assert_array_equal(actions, answers[0])


def test_a_trained_network_is_a_bot_by_name(undisturbed, view):
    for name in (undisturbed, undisturbed / "last.safetensors"):
        expected = NetBot(NetParameters(str(name)), 1).act(view)
        np.testing.assert_array_equal(make_bot(f"net:{name}", 1).act(view), expected)


# --- runs that are killed ------------------------------------------------------------------------------


def run_program(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tests.tiny_training", *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_run_that_is_killed_three_times_goes_on_to_the_same_bytes(undisturbed, tmp_path):
    run_program(tmp_path / "run", 3, 2)
    check_same(tmp_path / "run", undisturbed)


@pytest.mark.slow
def test_the_command_is_killed_and_goes_on(commanded, tmp_path):
    """The same command goes on, as a user would."""
    out = tmp_path / "run"
    kill_held(["train", str(out), *OPTIONS], tmp_path / "held")
    assert HELD_AT <= tiny_training.lines_in(out) < tiny_training.lines_in(commanded)
    assert cli.main(["train", str(out), *OPTIONS]) == 0
    check_same(out, commanded)


def test_the_tiny_run_has_all_that_can_go_wrong():
    assert TINY.opponents and TINY.past_share and TINY.expert
    assert 1 < TINY.checkpoint_every < TINY.past_every < TINY.evaluate_every < tiny_training.UPDATES


def test_a_run_plays_its_ruleset(tmp_path):
    config = dataclasses.replace(TINY, ruleset="second:hand_limit=5")
    with open_tiny(tmp_path / "run", config):
        pass
    training = open_tiny(tmp_path / "run", None)
    with training:
        rulesets = [worker.games.rulesets for worker in training.workers]
    assert {each for some in rulesets for each in some} == {Ruleset.second_edition(hand_limit=5)}
