"""``wotr play`` with bots of other packages: apart, asked anew when they fail, and told by what they are."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from tests import arena_bots
from tests.arena_bots import Killer
from tests.terminals import new_game, resumed_game
from tests.waiting import PATIENCE
from wotr_agents import registry
from wotr_agents.networks.files import ZOO
from wotr_env import GameRecord, Ruleset
from wotr_env.play.plugins import package_version
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation import process
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.start import play_in_terminal

pytestmark = pytest.mark.usefixtures("bots")
SHADOW = 1
SHORT = Ruleset.first_edition(max_turns=1)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """How a process ended is waited for, however long it takes to end."""
    monkeypatch.setattr(process, "_MOST_DYING", PATIENCE)


class Quiet:
    """A reader whose lines have run out."""

    def read(self, prompt, completions):
        raise EOFError


def game_against(spec, **options):
    return new_game(SHADOW, spec, seed=1, ruleset=SHORT, hint_bot="random", **options)


def test_a_bot_that_dies_is_asked_anew_once(tmp_path, capsys):
    """In its own process: this one lives on, and never loads its package."""
    registry.bot_plugins.cache_clear()
    spec = f"killer:path={tmp_path / 'died'}"
    save = tmp_path / "game.json"
    assert not play_in_terminal(game_against(spec), save=save, reader=Quiet())
    shown = "".join(capsys.readouterr().out.split())  # a long path is broken within a word
    words = f"bot {spec} failed: its process ended with exit code 7; it is asked anew"
    assert "".join(words.split()) in shown
    saved = SavedGame.read(save)
    assert saved.game.seat == SHADOW and saved.game.actions  # it has played
    assert saved.identities == ["arena-bots 1.0", ""]
    assert not registry.bot_plugins.cache_info().currsize


def test_a_bot_that_dies_always_costs_no_game(tmp_path):
    spec, save = "killer:always", tmp_path / "game.json"
    words = (
        "^bot killer:always failed: its process ended with exit code 7; another can play on with --against"
    )
    with pytest.raises(CommandError, match=words):
        play_in_terminal(game_against(spec), save=save, reader=Quiet())
    resumed = resumed_game(save, against="random")
    assert resumed.identities == ["", ""]
    assert not play_in_terminal(resumed, save=save, reader=Quiet())
    assert SavedGame.read(save).identities == [package_version(), ""]


def test_the_command_keeps_bots_apart_unless_told_otherwise(tmp_path, monkeypatch, capsys):
    """With ``none`` it would end this process."""

    def act(_self, _view):
        raise RuntimeError(f"here {os.getpid()}")

    monkeypatch.setattr(Killer, "act", act)
    arguments = ["play", "--as", "shadow", "--against", "killer:always", "--save", str(tmp_path / "game")]
    assert cli.main(arguments) == 2
    assert "its process ended with exit code 7; another can play on" in capsys.readouterr().err
    arguments[-1] = str(tmp_path / "other")
    assert cli.main([*arguments, "--isolate", "none"]) == 2
    error = capsys.readouterr().err
    assert f"RuntimeError: here {os.getpid()} (test_bots.py, line " in error
    assert "in act); another can play on" in error


def test_a_hint_of_a_bot_in_its_own_process(tmp_path, capsys):
    script = tmp_path / "lines"
    script.write_text("hint scripted\nhint killer:always\nhint nobody\n")
    saved = game_against("random")
    assert not play_in_terminal(
        saved, save=tmp_path / "game", script=script, reader=Quiet(), isolation=Isolation("all")
    )
    shown = " ".join(capsys.readouterr().out.split())
    assert "scripted would: " in shown
    assert "bot killer:always failed: its process ended with exit code 7" in shown
    assert "unknown bot 'nobody'" in shown


def test_saves_and_records_tell_by_which_bytes_a_network_played(tmp_path):
    path = ZOO / "laptop.safetensors"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:32]
    who = f"{package_version()}; {path.name} {digest}"
    save, out = tmp_path / "game.json", tmp_path / "record.json"
    saved = game_against("random", bots={0: f"net:{path}"})
    play_in_terminal(saved, save=save, reader=Quiet())
    assert SavedGame.read(save).identities == [who, ""]
    script = tmp_path / "lines"
    script.write_text("1\n" * 500)
    resumed = resumed_game(save, against="random")
    resumed.identities[0] = package_version()
    assert play_in_terminal(resumed, save=save, out=out, script=script, reader=Quiet())
    record = GameRecord.from_json(out.read_text())
    assert record.players == ("random", "person") and record.identities == (package_version(), "")


def test_who_is_another_than_before_is_told(tmp_path, capsys):
    save = tmp_path / "game.json"
    play_in_terminal(game_against("random"), save=save, reader=Quiet())
    data = json.loads(save.read_text())
    save.write_text(json.dumps({**data, "identities": ["wotr-env 0.0.1", ""]}))
    capsys.readouterr()
    play_in_terminal(resumed_game(save), save=save, reader=Quiet())
    assert "random is not what it was when the game was saved" in capsys.readouterr().out
    assert SavedGame.read(save).identities == [f"wotr-env 0.0.1, then {package_version()}", ""]
    play_in_terminal(resumed_game(save), save=save, reader=Quiet())
    assert "is not what it was" not in capsys.readouterr().out


def test_older_saves_have_no_identities(tmp_path):
    save = tmp_path / "game.json"
    game_against("random").write(save)
    data = json.loads(save.read_text())
    del data["identities"]
    save.write_text(json.dumps(data))
    assert SavedGame.read(save).identities == ["", ""]


def test_the_bots_here_are_those_of_another_package():
    assert registry.bot_plugins().packages["killer"] == "arena-bots 1.0"
    assert registry.bot_kinds()["killer"] is arena_bots.KILLER
