"""Tournaments: fair pairs, stored records, stopping and going on."""

from __future__ import annotations

import dataclasses
import errno
import json
import shutil

import filelock
import numpy as np
import pytest

from agents import BotError
from experiments import tournament as module
from experiments.errors import CommandError
from experiments.play import verify_records
from experiments.statistics import wilson
from experiments.tournament import Tournament, run_tournament
from wotr_env import GameRecord, Ruleset
from wotr_env.errors import RecordError

QUICK = Ruleset.first_edition(max_turns=3)
SMALL = Tournament(("random", "random"), games=8, seed=5, ruleset=QUICK, batch=3)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of the small tournament, played to its end."""
    out = tmp_path_factory.mktemp("tournament")
    run_tournament(SMALL, out)
    return out


@pytest.fixture
def folder(finished, tmp_path):
    """A copy to damage."""
    return shutil.copytree(finished, tmp_path / "copy")


def stopped(folder, games):
    """Leaves the records of the first games only, as if the run had been stopped."""
    lines = (folder / "games.jsonl").read_text().splitlines(keepends=True)
    (folder / "games.jsonl").write_text("".join(lines[:games]))
    (folder / "summary.json").unlink()


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_wilson_intervals(successes, trials, low, high):
    assert wilson(successes, trials) == pytest.approx((low, high), abs=1e-4)


def test_the_same_tournament_gives_the_same_results_with_and_without_a_folder(finished):
    assert run_tournament(SMALL) == json.loads((finished / "summary.json").read_text())


def test_another_seed_gives_other_games():
    summaries = [run_tournament(dataclasses.replace(SMALL, seed=seed))["all"] for seed in (5, 6)]
    assert summaries[0] != summaries[1]


def test_pairs_have_one_seed_and_exchanged_sides(finished):
    records = GameRecord.load(finished / "games.jsonl")
    seeds = [record.seed for record in records]
    assert seeds[0::2] == seeds[1::2]
    assert len(set(seeds)) == 4


def test_all_records_verify_one_by_one(finished):
    records = GameRecord.load(finished / "games.jsonl")
    assert len(records) == 8
    for record in records:
        assert record.verify().over
        assert record.players == ("random", "random")


def test_the_summary_adds_up(finished):
    summary = json.loads((finished / "summary.json").read_text())
    records = GameRecord.load(finished / "games.jsonl")
    total = summary["all"]
    assert total["games"] == sum(pairing["games"] for pairing in summary["pairings"]) == 8
    assert sum(total["kinds"].values()) == 8
    wins = total["free_peoples_wins"]["count"] + total["shadow_wins"]["count"] + total["draws"]
    assert wins == 8
    assert total["turns"]["median"] == np.median([record.result.turn for record in records])
    assert total["decisions_mean"] == np.mean([len(record.actions) for record in records])
    assert [each["bot"] for each in summary["results"]] == ["random", "random (2)"]
    assert sum(each["wins"]["count"] for each in summary["results"]) == wins - total["draws"]


def test_a_round_robin_plays_every_pair():
    summary = run_tournament(dataclasses.replace(SMALL, bots=("random",) * 3, games=2))
    sides = {(each["free_peoples"], each["shadow"]) for each in summary["pairings"]}
    names = ["random", "random (2)", "random (3)"]
    assert sides == {(a, b) for a in names for b in names if a != b}
    assert all(each["games"] == 1 for each in summary["pairings"])


@pytest.mark.parametrize("games", [0, 3, 4, 8])
def test_a_stopped_run_goes_on_where_it_was(finished, folder, games):
    stopped(folder, games)
    counted = []
    run_tournament(SMALL, folder, counted.append)
    assert counted[0] == games
    assert sum(counted) == 8
    for name in ("games.jsonl", "summary.json"):
        assert (folder / name).read_bytes() == (finished / name).read_bytes()


def test_a_half_written_line_is_dropped(finished, folder):
    stopped(folder, 4)
    with (folder / "games.jsonl").open("a") as file:
        file.write('{"format": 1, "ru')
    run_tournament(SMALL, folder)
    assert (folder / "games.jsonl").read_bytes() == (finished / "games.jsonl").read_bytes()


def test_games_are_kept_when_a_run_is_interrupted(tmp_path, monkeypatch):
    play, calls = module._play, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(module, "_play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_tournament(SMALL, tmp_path)
    assert len(GameRecord.load(tmp_path / "games.jsonl")) == 6
    assert not (tmp_path / "summary.json").exists()
    run_tournament(SMALL, tmp_path)
    assert len(GameRecord.load(tmp_path / "games.jsonl")) == 8


def test_a_full_disk_leaves_no_half_written_summary(folder, monkeypatch):
    (folder / "summary.json").write_text("old")

    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        run_tournament(SMALL, folder)
    assert (folder / "summary.json").read_text() == "old"
    assert not list(folder.glob("*.new"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 6}, "its seed: 5, asked for: 6"),
        ({"games": 10}, "its games: 8, asked for: 10"),
        ({"bots": ("random",) * 3}, "its bots"),
        ({"ruleset": Ruleset.first_edition(max_turns=4)}, "its ruleset"),
        ({"batch": 4}, "its batch: 3, asked for: 4"),
    ],
)
def test_the_folder_of_another_tournament_is_refused(folder, change, message):
    before = (folder / "games.jsonl").read_bytes()
    with pytest.raises(CommandError, match=message):
        run_tournament(dataclasses.replace(SMALL, **change), folder)
    assert (folder / "games.jsonl").read_bytes() == before


def test_records_that_are_damaged_stop_the_run(folder):
    lines = (folder / "games.jsonl").read_text().splitlines(keepends=True)
    record = json.loads(lines[2])
    record["hash"] = "0" * 32
    lines[2] = json.dumps(record) + "\n"
    (folder / "games.jsonl").write_text("".join(lines))
    with pytest.raises(RecordError, match="line 3: the replay ends with hash"):
        run_tournament(SMALL, folder)
    lines[2] = "{}\n"
    (folder / "games.jsonl").write_text("".join(lines))
    with pytest.raises(RecordError, match="line 3"):
        run_tournament(SMALL, folder)


def test_records_of_other_games_stop_the_run(folder):
    lines = (folder / "games.jsonl").read_text().splitlines(keepends=True)
    (folder / "games.jsonl").write_text("".join([lines[2], *lines[1:]]))
    with pytest.raises(CommandError, match="line 1: not the game of this tournament"):
        run_tournament(SMALL, folder)
    (folder / "games.jsonl").write_text("".join([*lines, lines[0]]))
    with pytest.raises(CommandError, match="more games than the tournament"):
        run_tournament(SMALL, folder)


def test_odd_folders_are_refused(tmp_path, folder):
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="is a file; --out names a folder"):
        run_tournament(SMALL, tmp_path / "file")
    (folder / "tournament.json").write_text("[")
    with pytest.raises(CommandError, match="damaged, not JSON"):
        run_tournament(SMALL, folder)
    (folder / "tournament.json").write_text("[]")
    with pytest.raises(CommandError, match="damaged, not a JSON object"):
        run_tournament(SMALL, folder)
    (folder / "tournament.json").unlink()
    with pytest.raises(CommandError, match="no tournament.json"):
        run_tournament(SMALL, folder)


def test_two_processes_do_not_share_a_folder(folder):
    with filelock.FileLock(folder / ".lock"), pytest.raises(CommandError, match="another process writes"):
        run_tournament(SMALL, folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bots": ("random",), "games": 2}, "two bots or more, not 1"),
        ({"bots": ("random", "random"), "games": 3}, "even number from 2"),
        ({"bots": ("random", "random"), "games": 0}, "even number from 2"),
        ({"bots": ("random", "random"), "games": 2, "batch": 0}, "batch must be at least 1"),
    ],
)
def test_tournaments_that_cannot_be(arguments, message):
    with pytest.raises(CommandError, match=message):
        Tournament(**arguments)


def test_unknown_bots_are_refused():
    with pytest.raises(BotError, match="unknown bot 'nobody'"):
        Tournament(("random", "nobody"), 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: {"hash": "0" * 32}, "the replay ends with hash"),
        (lambda record: {"result": None}, "the record with no result"),
        (lambda record: {"actions": record.actions[:-1]}, "the replay ends with no result"),
        (lambda record: {"actions": (*record.actions, 0)}, "action number .* does not fit"),
    ],
)
def test_batch_verification_finds_what_single_verification_finds(finished, change, message):
    records = GameRecord.load(finished / "games.jsonl")
    verify_records(records)
    records[3] = dataclasses.replace(records[3], **change(records[3]))
    with pytest.raises(RecordError, match=message):
        verify_records(records)


def test_no_records_verify():
    verify_records([])
