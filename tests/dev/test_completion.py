"""What shells are offered, as they ask for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from wotr_agents.networks.files import FIXED_NAMES, ZOO
from wotr_experiments.cli import main as cli

RUN = "import sys; sys.argv = ['wotr']; from wotr_experiments.cli.main import main; sys.exit(main())"


def asked(environment):
    """A process that a shell has started for completions."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", RUN],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "torch" not in {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert "compiling" not in ran.stderr
    return ran.stdout


@pytest.fixture
def bash(monkeypatch, capsys):
    """What is offered for the last word of a line, as bash divides it."""

    def offered(line):
        words = line.replace(":", " : ").replace("=", " = ").replace("  ", " ").split(" ")
        words = [word for number, word in enumerate(words) if word or number == len(words) - 1]
        if line.endswith((":", "=")):
            words = words[:-1]
        monkeypatch.setenv("_WOTR_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", " ".join(words))
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        monkeypatch.setattr(sys, "argv", ["wotr"])
        assert cli.main() == 0
        return capsys.readouterr().out.splitlines()

    return offered


def test_bash_and_zsh_are_answered_by_a_new_process(tmp_path):
    nothing = {"NUMBA_CACHE_DIR": str(tmp_path)}  # nothing is compiled here, and nothing is to be
    line = {"COMP_WORDS": "wotr play --against sc", "COMP_CWORD": "3"}
    assert asked({"_WOTR_COMPLETE": "complete_bash", **line, **nothing}) == "scripted\n"
    line = {"_TYPER_COMPLETE_ARGS": "wotr tournament mcts:rollout="}
    shown = asked({"_WOTR_COMPLETE": "complete_zsh", **line, **nothing})
    assert r'"mcts\\:rollout=random":"How the rollout after the tree is played."' in shown
    assert not list(tmp_path.glob("*/machine_code"))


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("wotr tournament sc", ["scripted"]),
        ("wotr tournament random se", ["search"]),
        ("wotr bots --game d", ["duel"]),
        ("wotr play --as ", ["free-peoples", "shadow"]),
        ("wotr play --game duel --as s", ["sauron"]),
        ("wotr play --ruleset first:players=4 --as ", ["gondor", "sauron", "isengard", "rohan"]),
        ("wotr play --ruleset s", ["second"]),
        ("wotr play --ruleset second:mordor_id", ["mordor_idle=move", "mordor_idle=move_or_hide"]),
        ("wotr play --ruleset second:null_events=", ["false", "true"]),
        ("wotr tournament mcts:si", ["sims=400"]),
        ("wotr tournament mcts:rollout=", ["scripted", "random", "none"]),
        ("wotr tournament mcts:rollout=random,si", ["random,sims=400"]),
        ("wotr tournament queller:strategy=m", ["military"]),
        ("wotr tournament nobody:si", []),
        ("wotr play --bot isen", []),
        ("wotr play --bot shadow=scr", ["scripted"]),
        ("wotr tournament scripted:level=2,no", ["2,noise=0.1"]),
    ],
)
def test_values_are_offered(bash, line, offered):
    assert bash(line) == offered


def test_networks_of_the_zoo_are_offered(bash):
    there = sorted(f"zoo/{file.stem}" for file in ZOO.glob("*.safetensors"))
    assert bash("wotr play --against net:zoo/") == [*FIXED_NAMES, *there]
    assert bash("wotr play --against search:net=zoo/") == [*FIXED_NAMES, *there]
    assert bash("wotr tournament mcts:belief=") == ["zoo/mixed", "zoo/wide"]


def test_parameters_that_are_given_are_not_offered_again(bash):
    assert not [each for each in bash("wotr tournament mcts:sims=9,") if "sims" in each.partition(",")[2]]
