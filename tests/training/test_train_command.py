"""``wotr train``: what it leaves behind, its options and its errors."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil

import numpy as np
import pytest

from tests import networks
from tests.tiny_training import (
    COMMANDED,
    TINY,
    UNSIZED,
    config_of,
    open_tiny,
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
from wotr_experiments.training.run_folder import METRICS, RunFolder

pytestmark = pytest.mark.usefixtures("short")


# --- the command line ----------------------------------------------------------------------------------


def test_train_leaves_a_network_and_a_report(tmp_path, capsys):
    out = tmp_path / "run"
    assert cli.main(["train", str(out), *COMMANDED, "--json"]) == 0
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
    assert updates == list(range(1, 6))
    assert [line["update"] for line in lines if line["kind"] == "evaluation"] == [3, 5]


def test_the_folder_may_be_given_as_of_other_commands(tmp_path, fail, capsys):
    assert cli.main(["train", "--out", str(tmp_path / "run"), *COMMANDED, "--decisions", "64"]) == 0
    capsys.readouterr()
    assert (tmp_path / "run" / "report.html").exists()
    for arguments in ([], [tmp_path / "run", "--out", tmp_path / "other"]):
        assert "give the folder of the run once" in fail(*arguments, *COMMANDED)
    assert not (tmp_path / "other").exists()


def test_a_finished_run_has_nothing_left_to_do(commanded, capsys):
    before = timeless_metrics(commanded)
    assert cli.main(["train", str(commanded), "--resume", "--device", "cpu"]) == 0
    assert cli.main(["train", str(commanded), *COMMANDED]) == 0
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
        (["--expert", "scripted", "--expert-decisions", "9", "--critic"], "does not learn from the actions"),
        (["--game", "two-towers", "--ruleset", "three", "--critic"], "a critic needs a game of two teams"),
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
    options = [*UNSIZED, "--decisions", "64", "--start", str(start), "--layers", "2"]
    assert cli.main(["train", str(run), *options]) == 0
    wanted = dataclasses.replace(networks.SMALL, advice=True, layers=2)
    assert load_network(find_network(str(run))).config == wanted
    capsys.readouterr()


def test_a_smaller_network_grows(commanded, tmp_path, capsys):
    run = tmp_path / "run"
    options = ["--start", str(commanded), *COMMANDED, "--decisions", "64", "--width", "32", "--hidden", "24"]
    assert cli.main(["train", str(run), *options]) == 0
    assert load_network(find_network(str(run))).config.width == 32
    capsys.readouterr()


def test_another_configuration_in_the_folder(fail, commanded):
    before = timeless_metrics(commanded)
    message = fail(commanded, *COMMANDED, "--seed", "2", "--steps", "9")
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
    assert cli.main(["train", str(commanded), "--resume", *COMMANDED]) == 0
    assert "wotr: training finished" in capsys.readouterr().err
    assert (commanded / "config.json").read_bytes() == before


def test_the_help_lists_what_may_change(capsys):
    assert cli.main(["train", "--help"]) == 0
    shown = re.sub(r"[\s│]+", " ", capsys.readouterr().out)
    assert (
        "--decisions, --workers, --evaluate-every, --evaluate-games, --checkpoint-every, --past-every"
        in shown
    )


def test_a_run_goes_on_for_longer_with_other_workers(commanded, tmp_path, capsys):
    out = shutil.copytree(commanded, tmp_path / "run")
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


# --- what a run trains ---------------------------------------------------------------------------------


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


def test_a_run_plays_its_ruleset(tmp_path):
    config = dataclasses.replace(TINY, ruleset="second:hand_limit=5")
    with open_tiny(tmp_path / "run", config):
        pass
    training = open_tiny(tmp_path / "run", None)
    with training:
        rulesets = [worker.games.rulesets for worker in training.workers]
    assert {each for some in rulesets for each in some} == {Ruleset.second_edition(hand_limit=5)}
