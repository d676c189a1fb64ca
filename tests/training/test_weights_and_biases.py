"""``wotr train --wandb``: what a module in the place of Weights & Biases is told."""

from __future__ import annotations

import json
import sys
import types

import pytest

from tests.tiny_training import timeless_metrics
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.training.run_folder import METRICS
from wotr_experiments.training.weights_and_biases import IDS, board, check_wandb

pytestmark = pytest.mark.usefixtures("short")

SIZES = "--width 16 --hidden 8 --games 8 --steps 8 --workers 2 --minibatch-size 32 --device cpu"
TIMES = "--decisions 192 --evaluate-games 2 --evaluate-every 3 --checkpoint-every 2 --anchor random"
OPTIONS = [*SIZES.split(), *TIMES.split()]


class FakeRun:
    def __init__(self, arguments, failing):
        self.arguments, self.failing = arguments, failing
        self.lines, self.defined, self.code = [], [], None

    def define_metric(self, name, step_metric):
        self.defined.append((name, step_metric))

    def log(self, line):
        if self.failing == "log" and len(self.lines) == 1:
            raise OSError("the line\nis cut")
        self.lines.append(line)

    def finish(self, exit_code):
        self.code = exit_code
        if self.failing == "finish":
            raise RuntimeError("no answer")


@pytest.fixture
def wandb(monkeypatch):
    """A module that remembers its runs, and fails where its ``failing`` says."""
    module = types.ModuleType("wandb")
    module.runs, module.failing = [], ""

    def init(**arguments):
        if module.failing == "init":
            raise RuntimeError("no API key\nconfigured")
        module.runs.append(FakeRun(arguments, module.failing))
        return module.runs[-1]

    module.init = init
    monkeypatch.setitem(sys.modules, "wandb", module)
    return module


def test_it_is_told_every_line(wandb, tmp_path, capsys):
    out = tmp_path / "run"
    assert cli.main(["train", str(out), *OPTIONS, "--wandb", "rings"]) == 0
    (run,) = wandb.runs
    assert run.arguments["project"] == "rings" and run.arguments["name"] == "run"
    assert run.arguments["config"]["ppo"]["decisions"] == 192
    assert run.arguments["dir"] == str(out)
    assert run.defined == [("*", "decisions")] and run.code == 0
    lines = list(map(json.loads, (out / METRICS).read_text().splitlines()))
    assert [line["decisions"] for line in run.lines] == [64, 128, 192, 192]
    assert run.lines[0]["update/policy_loss"] == lines[0]["policy_loss"]
    assert run.lines[0]["ends/turn_limit"] == lines[0]["ends"]["turn_limit"]
    assert run.lines[-1]["scores/random/shadow"] == lines[-1]["scores"]["random"]["shadow"]
    assert run.lines[-1]["evaluation/best"] == 1.0
    capsys.readouterr()


def test_a_run_goes_on_under_its_id(wandb, tmp_path, capsys):
    out = tmp_path / "run"
    resumed = [str(out), "--resume", "--device", "cpu"]
    assert cli.main(["train", str(out), *OPTIONS, "--wandb", "rings"]) == 0
    assert cli.main(["train", *resumed, "--decisions", "256", "--wandb", "rings"]) == 0
    assert cli.main(["train", *resumed, "--decisions", "320", "--wandb", "others"]) == 0
    assert cli.main(["train", *resumed, "--decisions", "384"]) == 0
    first, second, other = wandb.runs
    assert first.arguments["id"] == second.arguments["id"] != other.arguments["id"]
    assert all(run.arguments["resume"] == "allow" for run in wandb.runs)
    assert [line["decisions"] for line in second.lines] == [256, 256]
    assert second.arguments["config"]["ppo"]["decisions"] == 256
    capsys.readouterr()


def test_what_is_learned_is_the_same(wandb, tmp_path, capsys):
    assert cli.main(["train", str(tmp_path / "with"), *OPTIONS, "--wandb", "rings"]) == 0
    assert cli.main(["train", str(tmp_path / "without"), *OPTIONS]) == 0
    assert timeless_metrics(tmp_path / "with") == timeless_metrics(tmp_path / "without")
    capsys.readouterr()


@pytest.mark.parametrize("found", [None, types.ModuleType("wandb")])
def test_it_must_be_installed(monkeypatch, tmp_path, capsys, found):
    """A folder of its name, which it leaves where it ran, imports as an empty module."""
    monkeypatch.setitem(sys.modules, "wandb", found)
    with pytest.raises(CommandError):
        check_wandb()
    assert cli.main(["train", str(tmp_path / "run"), *OPTIONS, "--wandb", "rings"]) == 2
    shown = capsys.readouterr().err
    assert (
        shown
        == "wotr: wandb is not installed; install it with: pip install '.[wandb]' in a clone of wotr-env\n"
    )
    assert not (tmp_path / "run").exists()


def test_what_it_refuses_is_one_line_and_the_run_can_go_on(wandb, tmp_path, capsys):
    wandb.failing = "init"
    out = tmp_path / "run"
    assert cli.main(["train", str(out), *OPTIONS, "--wandb", "rings"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wotr: Weights & Biases: no API key configured; ")
    wandb.failing = ""
    assert cli.main(["train", str(out), "--resume", "--device", "cpu"]) == 0
    assert len(timeless_metrics(out)) == 4


@pytest.mark.parametrize(("failing", "told"), [("log", "the line is cut"), ("finish", "no answer")])
def test_what_fails_later_ends_no_training(wandb, tmp_path, capsys, failing, told):
    wandb.failing = failing
    out = tmp_path / "run"
    assert cli.main(["train", str(out), *OPTIONS, "--wandb", "rings"]) == 0
    shown = capsys.readouterr().err
    assert (
        shown.count(f"wotr: Weights & Biases: {told}; metrics are written only to the folder from now on")
        == 1
    )
    assert len(timeless_metrics(out)) == 4


def test_an_error_of_the_training_is_told(wandb, tmp_path):
    with pytest.raises(CommandError, match="stop"), board("rings", tmp_path, {}):
        raise CommandError("stop")
    assert wandb.runs[0].code == 1


@pytest.mark.parametrize("text", ["{", "[1]", '{"rings": 3}'])
def test_damaged_ids(wandb, tmp_path, text):
    (tmp_path / IDS).write_text(text)
    with pytest.raises(CommandError, match="damaged"), board("rings", tmp_path, {}):
        pass
    assert (tmp_path / IDS).read_text() == text and not wandb.runs


def test_without_a_project_nothing_is_imported(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with board("", tmp_path, {}) as shown:
        assert shown is None
    assert list(tmp_path.iterdir()) == []
