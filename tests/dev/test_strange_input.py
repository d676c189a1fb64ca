"""What users and files can hand in, and what must not come of it."""

from __future__ import annotations

import dataclasses
import json
import os

import numpy as np
import pytest

from wotr_env import Game, GameRecord, Ruleset
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.files import write_text
from wotr_experiments.terminal.saves import SavedGame

BELL = "\x1b]0;owned\x07"


def unfinished(players=()):
    return GameRecord.from_game(Game(seed=1, ruleset=Ruleset(max_turns=1)), players)


def test_control_characters_become_visible_ones():
    assert one_line(f"a\n b\t{BELL}c") == "a b \ufffd]0;owned\ufffdc"
    assert one_line("x" * 2000, 10) == "x" * 10


def test_the_command_line_repeats_no_control_characters(capsys):
    assert cli.main(["tournament", f"random{BELL}", "random"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "\x1b" not in line and "\x07" not in line and "owned" in line


def test_names_of_players_show_no_control_characters(tmp_path, capsys):
    path = tmp_path / "game.jsonl"
    unfinished((f"a{BELL}", "b")).save(path)
    assert cli.main(["replay", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "a\ufffd]0;owned\ufffd (Free Peoples)" in shown.replace("\n", " ")
    assert "\x1b]" not in shown


@pytest.mark.parametrize("write", [lambda path: write_text(path, "text")])
def test_outputs_are_files(tmp_path, write):
    folder, pipe = tmp_path / "folder", tmp_path / "pipe"
    folder.mkdir()
    os.mkfifo(pipe)
    with pytest.raises(IsADirectoryError):
        write(folder)
    with pytest.raises(OSError, match="a device, not a file"):
        write(pipe)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "pipe"]


def test_a_page_is_not_written_onto_a_device(tmp_path, capsys):
    record, pipe = tmp_path / "game.jsonl", tmp_path / "pipe"
    unfinished().save(record)
    os.mkfifo(pipe)
    assert cli.main(["replay", str(record), "--html", str(pipe)]) == 2
    assert "it is a device, not a file to write to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--decisions", "inf"], "infinity"),
        (["--decisions", "nan"], "NaN"),
        (["--decisions", "0"], "decisions must be at least 1, not 0"),
        (["--games", "3"], "games must be an even number"),
    ],
)
def test_demo_checks_its_arguments_before_it_trains(tmp_path, capsys, arguments, message):
    out = tmp_path / "demo"
    assert cli.main(["demo", *arguments, "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_demo_does_not_train_for_a_folder_that_cannot_be(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert cli.main(["demo", "--out", str(tmp_path / "file")]) == 2
    assert "file" in capsys.readouterr().err


def test_options_of_a_ruleset_may_be_numbers_of_numpy():
    plain, strange = Ruleset(max_turns=5, players=3), Ruleset(max_turns=np.int16(5), players=np.int64(3))
    assert strange == plain
    assert all(type(value) is not np.int64 for value in dataclasses.asdict(strange).values())
    assert json.dumps(strange.to_dict()) == json.dumps(plain.to_dict())


def test_an_empty_file_in_a_folder_of_a_tournament_is_begun(tmp_path, capsys):
    (tmp_path / GAMES).touch()
    with pytest.raises(CommandError), read_store(tmp_path / GAMES):
        pass
    arguments = ["tournament", "random", "random", "--games", "2", "--max-turns", "1", "--workers", "1"]
    assert cli.main([*arguments, "--out", str(tmp_path), "--replays", "none"]) == 0
    with read_store(tmp_path / GAMES) as store:
        assert len(store.games()) == 2


def test_saved_games_show_no_control_characters(tmp_path):
    path = tmp_path / "save.json"
    told = [("", f"hello{BELL}  there")]
    SavedGame(0, ["", "scripted"], "scripted", 1, False, Game(seed=1), told).write(path)
    assert SavedGame.read(path).log == [("", "hello\ufffd]0;owned\ufffd  there")]
