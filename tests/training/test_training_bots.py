"""Bots of other packages in a training: apart, asked anew when they fail, and the same until its end."""

from __future__ import annotations

import hashlib
import json
import os
from typing import ClassVar

import numpy as np
import pytest
import torch

from tests.tiny_training import check_same, train_tiny
from tests.toy_bots import Oracle
from tests.toy_games import HUNT
from wotr_agents import make_bot
from wotr_agents.networks.config import NetworkConfig
from wotr_env.play.games import OWN_GAMES
from wotr_env.play.plugins import package_version
from wotr_experiments.arena.evaluation import count_results
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import IsolatedBot, Isolation
from wotr_experiments.isolation.process import BotProcessError, LateError
from wotr_experiments.training.config import PpoConfig, TrainConfig
from wotr_experiments.training.run_folder import IDENTITIES
from wotr_experiments.training.training import open_run

pytestmark = pytest.mark.usefixtures("toys")
CPU = torch.device("cpu")


def config_with(*opponents, updates=2):
    return TrainConfig(
        network=NetworkConfig(width=16, hidden=8),
        ppo=PpoConfig(decisions=updates * 8 * 8, games=8, steps=8, workers=1, minibatch_size=32),
        opponents=opponents,
        opponents_share=1.0,
        past_share=0.0,
        anchors=("random",),
        evaluate_every=1,
        evaluate_games=2,
        game="hunt-only",
    )


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book"
    path.write_bytes(b"one")
    return path


def test_opponents_are_apart_and_the_training_is_the_same(tmp_path, monkeypatch):
    config = config_with("oracle")
    train_tiny(tmp_path / "apart", config)
    with open_run(tmp_path / "here", config, CPU, Isolation("none")) as here:
        list(here.run())

    def act(_self, _view):
        raise RuntimeError(f"here {os.getpid()}")

    monkeypatch.setattr(Oracle, "act", act)
    train_tiny(tmp_path / "again", config)
    check_same(tmp_path / "apart", tmp_path / "here")
    check_same(tmp_path / "again", tmp_path / "here")
    with (
        open_run(tmp_path / "fails", config, CPU, Isolation("none")) as fails,
        pytest.raises(
            CommandError,
            match=rf"^bot oracle failed: RuntimeError: here {os.getpid()} \(.*, in act\); --resume",
        ),
    ):
        list(fails.run())


def test_an_opponent_that_answers_with_nonsense_ends_the_training_in_a_line(tmp_path):
    with (
        open_run(tmp_path / "run", config_with("oracle:quits=1"), CPU) as run,
        pytest.raises(
            CommandError, match="^bot oracle:quits=1 chose the illegal action .*; --resume continues"
        ),
    ):
        list(run.run())


def test_an_opponent_whose_process_is_lost_has_another(tmp_path, monkeypatch):
    with open_run(tmp_path / "run", config_with("oracle"), CPU) as run:
        answer, killed = IsolatedBot.answer, []

        def answer_or_die(bot, view, seconds):
            if not killed:
                bot.make()
                killed.append(bot.close())
                bot._process, bot._made = _Dead(), True
            return answer(bot, view, seconds)

        monkeypatch.setattr(IsolatedBot, "answer", answer_or_die)
        assert run.updates == 0
        list(run.run())
        assert run.updates == 2 and killed


class _Dead:
    """A process that has ended."""

    printed = 0

    def ask(self, *_parts, **_until):
        raise BotProcessError("ended")

    def end(self):
        return "was ended by SIGKILL"

    def last_output(self):
        return ""


def test_a_run_goes_on_with_the_same_opponents_only(tmp_path, book, capsys):
    config = config_with(f"book:{book}", updates=4)
    with open_run(tmp_path / "run", config, CPU) as run:
        list(run.run(lambda: run.updates == 2))
    named = json.loads((tmp_path / "run" / IDENTITIES).read_text())
    digest = hashlib.sha256(b"one").hexdigest()[:32]
    assert named == {
        "game hunt-only": "toys 1.0",
        f"book:{book}": f"toys 1.0; book {digest}",
        "random": package_version(),
    }
    book.write_bytes(b"two")
    assert cli.main(["train", str(tmp_path / "run"), "--resume", "--device", "cpu"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(
        f"wotr: book:{book} has changed since the run started: it was toys 1.0; book {digest}"
    )
    assert error.count("\n") == 1
    book.write_bytes(b"one")
    with open_run(tmp_path / "run", None, CPU) as run:
        assert run.updates == 2


@pytest.mark.parametrize("text", ["[1]", "{", "3"])
def test_damaged_identities_are_told(tmp_path, text):
    with open_run(tmp_path / "run", config_with(), CPU):
        (tmp_path / "run" / IDENTITIES).write_text(text)
    with pytest.raises(CommandError, match="identities.json is damaged: "):
        open_run(tmp_path / "run", None, CPU)


def test_who_forfeits_an_evaluation_has_lost_it():
    bots = make_bot("random", 1, HUNT.name), make_bot("oracle:quits=1", 1, HUNT.name)
    seeds = torch.arange(4).numpy().astype("uint64")
    assert count_results(*bots, 0, seeds, HUNT) == (4, 0, 0)


class Silent(IsolatedBot):
    """Answers no call: it is late if there is a limit."""

    waits: ClassVar = []

    def answer(self, view, seconds):
        self.waits.append(seconds)
        raise LateError if seconds else AssertionError


def test_the_watchdog_limits_evaluations(tmp_path, monkeypatch):
    silent = Silent("oracle", 1, HUNT.name)
    monkeypatch.setattr(Silent, "waits", [])
    seeds = np.arange(4, dtype=np.uint64)
    assert count_results(make_bot("random", 1, HUNT.name), silent, 0, seeds, HUNT) == (4, 0, 0)
    assert Silent.waits and set(Silent.waits) <= {Isolation().call_timeout(games) for games in range(1, 5)}
    Silent.waits.clear()
    with open_run(tmp_path / "run", config_with(), CPU, Isolation(watchdog=7.0)) as run:
        monkeypatch.setattr(run.workers[0].anchors, "seat", lambda *_arguments: [silent])
        run._evaluate()
    assert Silent.waits and min(Silent.waits) == 7.0


def test_the_package_of_a_foreign_game_belongs_to_a_tournament():
    assert Tournament(("random",) * 2, 2, game="hunt-only").to_dict()["game_package"] == "toys 1.0"
    for game in OWN_GAMES:
        assert "game_package" not in Tournament(("random",) * 2, 2, game=game).to_dict()
