"""Folders of tournaments that are not as they should be."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import sqlite3

import filelock
import numpy as np
import pytest

from tests.small_tournament import ALONE, SMALL, damage, rows
from tests.small_tournament import finished as finished
from tests.small_tournament import folder as folder
from wotr_env import Ruleset
from wotr_experiments.arena.store import GAMES, load_records, read_store
from wotr_experiments.arena.tournament import SUMMARY, missing_batches, run_tournament, with_stored_batch_size
from wotr_experiments.databases import schema_of
from wotr_experiments.errors import CommandError


def test_a_full_disk_leaves_no_half_written_summary(folder, monkeypatch):
    (folder / SUMMARY).write_text("old")

    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        run_tournament(SMALL, folder, ALONE)
    assert (folder / SUMMARY).read_text() == "old"
    assert not list(folder.glob("*.new"))


def test_a_full_disk_keeps_the_games_that_were_stored(finished, tmp_path, monkeypatch):
    connect = sqlite3.connect

    def small(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.execute("PRAGMA max_page_count = 6")
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(CommandError, match="the disk is full; the stored games are kept, and the same"):
        run_tournament(SMALL, tmp_path, ALONE)
    monkeypatch.undo()
    assert 0 < len(rows(tmp_path)) < 8
    run_tournament(SMALL, tmp_path, ALONE)
    assert rows(tmp_path) == rows(finished)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 6}, "its seed: 5, asked for: 6"),
        ({"games": 6}, "its games: 8, asked for: 6"),
        ({"games": 10, "seed": 6}, "its seed: 5, asked for: 6"),
        ({"games": 10, "batch": 4}, "its batch: 2, asked for: 4"),
        ({"bots": ("random",) * 3}, "its bots"),
        ({"ruleset": Ruleset.first_edition(max_turns=4)}, "its ruleset"),
        ({"batch": 4}, "its batch: 2, asked for: 4"),
        ({"time_limit": 1.0}, "its time_limit: 0.0, asked for: 1.0"),
    ],
)
def test_the_folder_of_another_tournament_is_refused(folder, change, message):
    before = (folder / GAMES).read_bytes()
    with pytest.raises(CommandError, match=message):
        run_tournament(dataclasses.replace(SMALL, **change), folder, ALONE)
    assert (folder / GAMES).read_bytes() == before


def test_a_tournament_becomes_longer_and_keeps_its_games(finished, folder, tmp_path):
    longer = dataclasses.replace(SMALL, games=14)
    summary = run_tournament(longer, folder, ALONE)
    assert summary["games"] == summary["all"]["games"] == 14
    assert rows(folder)[:8] == rows(finished)
    run_tournament(longer, tmp_path / "whole", ALONE)
    assert rows(folder) == rows(tmp_path / "whole")
    before = rows(folder)
    run_tournament(longer, folder, ALONE)
    assert rows(folder) == before
    with pytest.raises(CommandError, match="its games: 14, asked for: 8"):
        run_tournament(SMALL, folder, ALONE)


@pytest.mark.parametrize(("games", "batch"), [(6, 0), (6, 4), (10, 4)])
def test_a_tournament_becomes_longer_whatever_its_batch(tmp_path, games, batch):
    """The usual batch depends on the number of games, and the last batch may be a part of one."""
    short = dataclasses.replace(SMALL, games=games, batch=batch)
    run_tournament(short, tmp_path, ALONE)
    before = rows(tmp_path)
    for longer in (1002, 1004):
        longest = dataclasses.replace(SMALL, games=longer, batch=batch)
        assert batch or longest.batch != short.batch
        found = with_stored_batch_size(longest, tmp_path)
        assert found.batch == short.batch
        with read_store(tmp_path / GAMES) as store:
            missing = missing_batches(found, store.games())
        numbers = [number for each in missing for number in each.numbers]
        assert numbers == [*range(len(rows(tmp_path)), longer)]
    run_tournament(dataclasses.replace(short, games=games + 4), tmp_path, ALONE)
    assert rows(tmp_path)[:games] == before and len(rows(tmp_path)) == games + 4


def test_a_game_with_more_pairings_becomes_longer(tmp_path):
    played = dataclasses.replace(SMALL, bots=("random",) * 3, games=2, seed=None)
    run_tournament(played, tmp_path, ALONE)
    before = rows(tmp_path)
    run_tournament(dataclasses.replace(played, games=4), tmp_path, ALONE)
    after = rows(tmp_path, "pairing, number")
    assert after == [(pairing, number) for pairing in range(3) for number in range(4)]
    assert [row for row in rows(tmp_path) if row[1] < 2] == before


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE games SET turn = 2 WHERE number = 3", "game 3 of pairing 0 has changed since it was stored"),
        (
            "UPDATE games SET record = '{}' WHERE number = 3",
            "game 3 of pairing 0 has changed since it was stored",
        ),
        (
            "UPDATE games SET digest = '' WHERE number = 0",
            "game 0 of pairing 0 has changed since it was stored",
        ),
        ("DROP TABLE played", "is not the file of a tournament"),
        ("UPDATE played SET value = '[' WHERE key = 'seed'", "is damaged"),
        (
            "UPDATE played SET value = '0' WHERE key = 'format'",
            r"another version of this package \(format 0, this one reads and writes 5\)",
        ),
        ("ALTER TABLE games ADD COLUMN more", "its tables are not those of its game"),
        ("DROP VIEW named_games", "its tables are not those of its game"),
    ],
)
def test_games_that_are_damaged_stop_the_run(folder, statement, message):
    damage(folder, statement)
    before = (folder / GAMES).read_bytes()
    with pytest.raises(CommandError, match=message) as caught:
        run_tournament(SMALL, folder, ALONE)
    assert "\n" not in str(caught.value)
    assert (folder / GAMES).read_bytes() == before


def test_bots_have_names_in_the_file(folder):
    with contextlib.closing(sqlite3.connect(folder / GAMES)) as file:
        games = file.execute("SELECT * FROM named_games")
        columns = [each[0] for each in games.description]
        named = [dict(zip(columns, row, strict=True)) for row in games]
    assert columns[:4] == ["game", "free_peoples", "shadow", "winner"] and "record" not in columns
    assert [game["game"] for game in named] == list(range(1, 1 + len(named)))
    for game, numbers in zip(named, rows(folder, "free_peoples, shadow"), strict=True):
        assert (game["free_peoples"], game["shadow"]) == tuple(SMALL.names[number] for number in numbers)


def test_a_file_of_before_bots_had_names_is_read_and_gets_them(folder, finished):
    new = schema_in(folder)
    for statement in ("DROP VIEW named_games", "DROP TABLE bots", "DELETE FROM games WHERE number > 3"):
        damage(folder, statement)
    assert len(load_records(folder / GAMES)) == 4
    run_tournament(SMALL, folder, ALONE)
    assert rows(folder) == rows(finished) and schema_in(folder) == new
    test_bots_have_names_in_the_file(folder)


def schema_in(folder):
    with contextlib.closing(sqlite3.connect(folder / GAMES)) as file:
        return schema_of(file)


def test_games_of_another_schedule_stop_the_run(folder, monkeypatch):
    monkeypatch.setattr("wotr_experiments.arena.tournament.game_seed", lambda _tournament, number: number)
    with pytest.raises(CommandError, match="game 0 of pairing 0 does not belong to this tournament"):
        run_tournament(SMALL, folder, ALONE)


@pytest.mark.parametrize("place", [0, 40, 5_000])
def test_a_file_with_wrong_bytes_is_one_line(folder, place):
    data = bytearray((folder / GAMES).read_bytes())
    data[place : place + 4_000] = np.random.default_rng(0).bytes(4_000)
    (folder / GAMES).write_bytes(data)
    with pytest.raises(CommandError) as caught:
        run_tournament(SMALL, folder, ALONE)
    assert str(folder / GAMES) in str(caught.value)
    assert (folder / GAMES).read_bytes() == data


def test_a_truncated_file_is_one_line(folder):
    data = (folder / GAMES).read_bytes()
    (folder / GAMES).write_bytes(data[: len(data) // 2])
    with pytest.raises(CommandError, match="damaged"):
        run_tournament(SMALL, folder, ALONE)


def test_odd_folders_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="is a file; --out names a folder"):
        run_tournament(SMALL, tmp_path / "file", ALONE)


def test_two_processes_do_not_share_a_folder(folder):
    with filelock.FileLock(folder / ".lock"), pytest.raises(CommandError, match="another process writes"):
        run_tournament(SMALL, folder, ALONE)
