"""Books of open positions: open by the values, one of a game, the same by the seed, and games begin there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.small_tournament import ALONE
from wotr_env import Ruleset
from wotr_env.play.games import game_kind
from wotr_experiments.arena.openings import read_openings
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.luck.open_positions import Openness, open_positions
from wotr_experiments.luck.values import open_value

KIND = game_kind("war-of-the-ring")
RULES = Ruleset.first_edition(max_turns=3)


@pytest.fixture
def few_at_once(monkeypatch):
    """A batch has fewer games, so that few are played in vain."""
    monkeypatch.setattr("wotr_experiments.luck.open_positions.AT_ONCE", 16)


def test_positions_are_open_and_begin_lines(few_at_once):
    found = open_positions(KIND, RULES, "zoo/laptop", 12, Openness(0.35, 0.65), seed=4)
    assert len(set(found)) == 12
    assert found == open_positions(KIND, RULES, "zoo/laptop", 12, Openness(0.35, 0.65), seed=4)
    value = open_value("zoo/laptop", KIND)
    for text in found:
        game = KIND.positions.read(text, None, None)
        chance = value.of(np.array([game.state]), game.mask()[None], RULES)[0, 0]
        assert 0.35 <= chance <= 0.65 and KIND.opens(game.state)
    tournament = Tournament(("random", "random"), 8, seed=1, positions=tuple(found))
    assert run_tournament(tournament, None, ALONE)["all"]["games"] == 8


def test_the_command_writes_what_tournaments_read(few_at_once, tmp_path, capsys):
    path = tmp_path / "book.txt"
    arguments = ["--positions", "3", "--ruleset", "first:max_turns=3", "--network", "zoo/laptop"]
    assert cli.main(["book", str(path), *arguments]) == 0
    assert "wrote 3 open positions" in capsys.readouterr().err
    assert len(read_openings(path)) == 3
    assert path.read_text().startswith(
        "# 3 open positions of War of the Ring, first edition, at most 3 turns"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--low", "0.6", "--high", "0.4"], "not 0.6 and 0.4"),
        (["--game", "two-towers", "--ruleset", "four"], "open positions need a game of two teams"),
        (["--network", "zoo/none"], "zoo/none"),
    ],
)
def test_what_cannot_be(tmp_path, capsys, arguments, message):
    path = tmp_path / "book.txt"
    assert cli.main(["book", str(path), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not path.exists()


def test_a_file_of_another_kind_is_kept(tmp_path, capsys):
    path = tmp_path / "notes.md"
    path.write_text("# Notes")
    assert cli.main(["book", str(path)]) == 2
    assert "notes.md exists and is not a file of open positions" in capsys.readouterr().err
    assert path.read_text() == "# Notes"
    assert cli.main(["book", str(tmp_path / "nowhere" / "book.txt")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_a_game_without_a_network_asks_for_one(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("wotr_experiments.cli.book.default_value_network", lambda *_: None)
    assert cli.main(["book", str(tmp_path / "book.txt"), "--game", "duel"]) == 2
    assert "this package has no network for Duel for Middle-earth: give --network" in capsys.readouterr().err


def test_no_open_position_is_told(monkeypatch):
    monkeypatch.setattr("wotr_experiments.luck.open_positions._MOST_BATCHES", 1)
    monkeypatch.setattr("wotr_experiments.luck.open_positions.AT_ONCE", 2)
    with pytest.raises(Exception, match=r"no position in 2 games has a winning chance from 0\.99\d* to 1"):
        open_positions(KIND, RULES, "zoo/laptop", 1, Openness(0.9999, 1.0))
