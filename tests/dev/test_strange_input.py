"""What users and files can hand in, and what must not come of it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import sqlite3

import numpy as np
import pytest

from wotr_env import Game, GameRecord, Ruleset
from wotr_env.core import values
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.files import write_text
from wotr_experiments.table.store import FILE
from wotr_experiments.table.store import open_store as open_tables
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


@pytest.mark.parametrize("kind", ["pipe", "device", "huge"])
def test_what_is_no_document_is_not_read(tmp_path, kind, capsys):
    """Neither waited for, nor read to the end of the memory."""
    path = tmp_path / "file"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(2**35)
    new = "--as", "shadow", "--against", "random", "--save", str(tmp_path / "new")
    for arguments in (
        ["replay", str(path)],
        ["play", "--load", str(path)],
        ["play", *new, "--script", str(path)],
        ["bench", "--from", str(path)],
    ):
        assert cli.main(arguments) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert ("64 MiB" if kind == "huge" else "it is a pipe or a device, not a regular file") in line


def test_a_document_may_be_large_but_not_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(values, "MOST_BYTES", 5)
    path = tmp_path / "file"
    path.write_text("12345")
    assert values.read_text(path) == "12345"
    path.write_text("123456")
    with pytest.raises(OSError, match="larger than 0 MiB"):
        values.read_text(path)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The folder of a tournament."""
    folder = tmp_path_factory.mktemp("stored")
    match = Tournament(("random", "random"), 2, seed=1, ruleset=Ruleset(max_turns=1))
    run_tournament(match, folder, WorkerPool("threads", 1))
    return folder


VIEW_WITHOUT_END = (
    "ALTER TABLE {0} RENAME TO t; CREATE VIEW {0} AS WITH RECURSIVE n(x) AS "
    "(SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT t.* FROM t, n"
)


@pytest.mark.parametrize(
    ("trick", "message"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END", "not the file of a tour"),
        (VIEW_WITHOUT_END.format("games"), "not the file of a tournament"),
        (VIEW_WITHOUT_END.format("played"), "not the file of a tournament"),
        ("CREATE INDEX i ON games (seed)", "not the file of a tournament"),
        ("ALTER TABLE games ADD COLUMN more", "its tables are not those of its game"),
        ("UPDATE games SET record = zeroblob(100000000)", "too big"),
        ("UPDATE played SET value = printf('%.*c', 100000, '[')", "is damaged"),
        ("UPDATE played SET value = '[]' WHERE key = 'ruleset'", "games.sqlite: "),
        ("UPDATE played SET value = '[]' WHERE key = 'game'", "games.sqlite: "),
    ],
)
def test_stores_that_somebody_has_prepared_are_refused(stored, tmp_path, trick, message):
    path = tmp_path / GAMES
    shutil.copy(stored / GAMES, path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(trick)
    with pytest.raises(CommandError, match=message), read_store(path) as store:
        store.games()


def test_tables_that_somebody_has_prepared_are_refused(tmp_path):
    with open_tables(tmp_path):
        pass
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON actions BEGIN DELETE FROM tables; END")
    with pytest.raises(CommandError, match="not a file of tables"), open_tables(tmp_path):
        pass


def test_saved_games_show_no_control_characters(tmp_path):
    path = tmp_path / "save.json"
    told = [("", f"hello{BELL}  there")]
    SavedGame(0, ["", "scripted"], 1, "scripted", False, Game(seed=1), told).write(path)
    assert SavedGame.read(path).log == [("", "hello\ufffd]0;owned\ufffd  there")]
