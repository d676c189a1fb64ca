"""Tournaments: fair pairs, the same games by any engine, stopping and going on."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import tracemalloc

import pytest

from tests.small_tournament import ALONE, HERE, QUICK, SMALL, damage, rows
from tests.small_tournament import finished as finished
from tests.small_tournament import folder as folder
from tests.waiting import PATIENCE, eventually, eventually_by
from wotr_agents import BotError
from wotr_env.compiler.code_cache import say
from wotr_experiments.arena import live_runs, result_tables
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.live import LiveTournament
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.schedule import Batch, Tournament, batches, bot_seed, game_seed, players, seated
from wotr_experiments.arena.statistics import wilson
from wotr_experiments.arena.store import GAMES, load_records, open_store, read_store
from wotr_experiments.arena.summary import summarise
from wotr_experiments.arena.tournament import (
    SUMMARY,
    TournamentObserver,
    run_tournament,
    tournament_definition,
)
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.children import process_context


class Counts(TournamentObserver):
    """Notes what it is told; interrupts after so many batches."""

    def __init__(self, batches=None):
        self.found = self.ended_games = 0
        self.batches = []
        self.taken_batches, self.over_batches = [], []
        self.left = batches

    def begin(self, found):
        self.found = len(found)

    def taken(self, batch):
        self.taken_batches.append(batch)

    def over(self, batch):
        assert batch in self.taken_batches
        self.over_batches.append(batch)

    def ended(self, games):
        self.ended_games += games

    def stored(self, games):
        self.batches.append(len(games))
        if self.left is not None and len(self.batches) == self.left:
            raise KeyboardInterrupt


def test_the_games_of_a_store_take_little_memory(finished, tmp_path):
    """Records, which are long, are read one by one."""
    many = dataclasses.replace(SMALL, games=400)
    with read_store(finished / GAMES) as store:
        games = store.games()
        record = "x" * 20_000
    with open_store(tmp_path / "many", tournament_definition(many)) as store:
        store.add(
            [dataclasses.replace(games[number % 8], number=number, record=record) for number in range(400)]
        )
        tracemalloc.start()
        try:
            assert len(store.games()) == 400
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert most < 400 * 1_500


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


# --- The schedule ---


def test_pairs_have_one_seed_and_exchanged_sides(finished):
    games = rows(finished, "seed, free_peoples, shadow")
    seeds = [seed for seed, _, _ in games]
    assert seeds[0::2] == seeds[1::2]
    assert len(set(seeds)) == 4
    assert [places for _, *places in games] == [[0, 1], [1, 0]] * 4
    assert [players(SMALL, 0, number) for number in range(2)] == [(0, 1), (1, 0)]


def test_batches_cover_the_schedule_and_divide_no_pair():
    tournament = Tournament(("random",) * 3, 10, batch=4)
    assert list(batches(tournament))[:4] == [Batch(0, 0, 4), Batch(0, 4, 4), Batch(0, 8, 2), Batch(1, 0, 4)]
    played = [(batch.pairing, number) for batch in batches(tournament) for number in batch.numbers]
    assert played == [(pairing, number) for pairing in range(3) for number in range(10)]


def test_seeds_differ():
    tournament = Tournament(("random",) * 3, 64, seed=1, batch=8)
    seeds = {game_seed(tournament, number) for number in range(64)}
    bots = {bot_seed(tournament, batch, place) for batch in batches(tournament) for place in range(3)}
    assert len(seeds) == 32
    assert len(bots) == 3 * 8 * 3
    assert not seeds & bots
    assert all(0 <= seed < 2**63 for seed in seeds | bots)


@pytest.mark.parametrize(
    ("games", "batch"), [(2, 2), (10, 2), (100, 6), (1_000, 62), (10_000, 256), (100_000, 256)]
)
def test_the_batch_suits_the_number_of_games(games, batch):
    assert Tournament(("random", "random"), games).batch == batch


@pytest.mark.parametrize("slow", ["mcts:sims=2", "expectation", "search:zoo/wide", "playouts:zoo/wide"])
def test_bots_that_may_think_long_play_one_round_at_once(slow):
    """So that the bar moves, and a stop loses little."""
    assert Tournament((slow, "random"), 1_000).batch == 2
    assert Tournament((slow, "random", "random"), 9, seats="drawn").batch == 3
    assert Tournament((slow, "random"), 1_000, batch=10).batch == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bots": ("random",), "games": 2}, "two bots or more, not 1"),
        ({"bots": ("random", "random"), "games": 3}, "even number from 2"),
        ({"bots": ("random", "random"), "games": 0}, "even number from 2"),
        ({"bots": ("random", "random"), "games": 2, "batch": 3}, "batch must be an even number from 2"),
        (
            {"bots": ("random", "random"), "games": 2, "time_limit": -1},
            "time limit must be a number of seconds",
        ),
    ],
)
def test_tournaments_that_cannot_be(arguments, message):
    with pytest.raises(CommandError, match=message):
        Tournament(**arguments)


def test_unknown_bots_are_refused():
    with pytest.raises(BotError, match="unknown bot 'nobody'"):
        Tournament(("random", "nobody"), 2)


# --- The results ---


def test_the_same_tournament_gives_the_same_results_with_and_without_a_folder(finished):
    assert run_tournament(SMALL, crew=ALONE) == json.loads((finished / SUMMARY).read_text())


def test_another_seed_gives_other_games():
    summaries = [run_tournament(dataclasses.replace(SMALL, seed=seed), crew=ALONE)["all"] for seed in (5, 6)]
    assert summaries[0] != summaries[1]


def test_all_records_verify_one_by_one(finished):
    records = load_records(finished / GAMES)
    assert len(records) == 8
    for record in records:
        assert record.verify().over
        assert record.players == ("random", "random")


@pytest.mark.usefixtures("bots")
def test_the_summary_adds_up():
    tournament = Tournament(("random", "quitter:rate=0.01", "walker"), 2, 2)
    summary = run_tournament(tournament, crew=ALONE)
    total = summary["all"]
    assert total["games"] == sum(pairing["games"] for pairing in summary["pairings"]) == 6
    assert sum(total["kinds"].values()) + sum(total["forfeits"].values()) == 6
    wins = total["free_peoples_wins"]["count"] + total["shadow_wins"]["count"]
    assert wins + total["draws"] == 6 and wins > 3
    assert [each["bot"] for each in summary["results"]] == list(tournament.bots)
    assert sum(each["wins"]["count"] for each in summary["results"]) == wins
    assert summary["results"][1]["forfeits"]["illegal"] == total["forfeits"]["illegal"] > 0
    assert sum(summary["results"][0]["forfeits"].values()) == 0
    assert sum(total["turns"]["counts"].values()) == 6 - total["forfeits"]["illegal"]
    for row in range(3):
        for column in range(3):
            if row != column:
                assert summary["cross"][row][column] + summary["cross"][column][row] == pytest.approx(1)
                bots = summary["results"][row]["bot"], summary["results"][column]["bot"]
                (met,) = (
                    each for each in summary["pairings"] if (each["free_peoples"], each["shadow"]) == bots
                )
                assert summary["cross_by_team"][row][column] == met["free_peoples_wins"]
    ratings = {each["bot"]: each["both"]["elo"] for each in summary["ratings"]["bots"]}
    assert min(ratings, key=ratings.get) == "quitter:rate=0.01"
    json.dumps(summary, allow_nan=False)


def test_a_round_robin_plays_every_pair():
    summary = run_tournament(dataclasses.replace(SMALL, bots=("random",) * 3, games=2), crew=ALONE)
    places = {(each["free_peoples"], each["shadow"]) for each in summary["pairings"]}
    names = ["random", "random (2)", "random (3)"]
    assert places == {(a, b) for a in names for b in names if a != b}
    assert all(each["games"] == 1 for each in summary["pairings"])


def test_in_a_gauntlet_the_first_bot_plays_every_other():
    gauntlet = dataclasses.replace(SMALL, bots=("random",) * 3, games=2, gauntlet=True)
    summary = run_tournament(gauntlet, crew=ALONE)
    places = {(each["free_peoples"], each["shadow"]) for each in summary["pairings"]}
    first, *others = "random", "random (2)", "random (3)"
    assert places == {pair for other in others for pair in ((first, other), (other, first))}
    assert summary["cross"][1][2] is None and summary["all"]["games"] == 4
    assert summary["cross_by_team"][1][2] is None and summary["cross_by_team"][1][0]["games"] == 1


@pytest.mark.parametrize("repeats", [True, False])
def test_the_same_game_twice_is_one_observation(repeats):
    """A bot without random choices plays the same game in both seats; other games of a round differ."""
    columns = {column.name: 1 for column in SMALL.kind.columns}

    def game(tournament, pairing, number):
        seats, winner = seated(tournament, pairing, number), number // 4
        length = 9 if repeats else 9 + number + 10 * pairing
        how = (winner, (winner,), "end", "", None, "", columns, length, "")
        return PlayedGame(pairing, number, seats, number // 2, *how)

    def summary_of(tournament):
        pairings = range(len(tournament.pairings))
        games = [game(tournament, pairing, number) for pairing in pairings for number in range(8)]
        return summarise(tournament, games)

    mirror = summary_of(Tournament(("random", "random"), 8, 1))
    assert mirror["all"]["free_peoples_wins"]["interval_95"] == list(
        wilson(2, 4) if repeats else wilson(4, 8)
    )
    assert (mirror["all"]["games"], mirror["all"].get("repeated")) == (8, 4 if repeats else None)
    (told,) = result_tables.unusual(mirror) or ["none"]
    assert told.startswith("4 of 8 games repeat another game" if repeats else "none")
    twice = summary_of(Tournament(("scripted", "random", "random"), 8, 1, gauntlet=True))["results"]
    assert twice[0]["wins"]["interval_95"] == list(wilson(4, 8) if repeats else wilson(8, 16))
    assert twice[1]["wins"]["interval_95"] == list(wilson(4, 8))


# --- The engines ---


@pytest.mark.parametrize(
    "crew", [WorkerPool("threads", 2), WorkerPool("threads", 5), WorkerPool("processes", 2)]
)
def test_every_engine_plays_the_same_games(crew, finished, tmp_path):
    watch = Counts()
    run_tournament(SMALL, tmp_path, crew, watch)
    assert rows(tmp_path) == rows(finished)
    assert (tmp_path / SUMMARY).read_bytes() == (finished / SUMMARY).read_bytes()
    assert (watch.found, watch.ended_games, watch.batches) == (0, 8, [2] * 4)
    assert watch.taken_batches == sorted(watch.over_batches) == list(batches(SMALL))


@pytest.mark.parametrize("engine", ["threads", "processes"])
@pytest.mark.usefixtures("bots")
def test_forfeits_do_not_stop_a_tournament(engine, capsys):
    tournament = Tournament(("random", "crasher", "quitter"), 4, 1, QUICK, 2)
    summary = run_tournament(tournament, crew=WorkerPool(engine, 2, HERE), watch=LiveTournament(tournament))
    forfeits = {each["bot"]: each["forfeits"] for each in summary["results"]}
    none = dict.fromkeys(("illegal", "crash", "time_out", "died", "disqualified"), 0)
    assert forfeits["crasher"] == none | {"crash": 2}  # as Shadow of random
    assert forfeits["quitter"] == none | {"illegal": 8}
    crash, illegal = result_tables.first_forfeits(summary)
    assert crash.startswith(
        "crasher lost game 1 against random by forfeit (crash): RuntimeError: no idea what to do"
    )
    assert illegal.startswith("quitter lost game 1 against random by forfeit (illegal): illegal action")
    assert "12 games in all" in capsys.readouterr().err
    assert forfeits["random"] == none
    assert summary["all"]["games"] == 12


@pytest.mark.usefixtures("bots")
def test_workers_have_the_environment_of_their_parent(monkeypatch):
    """Also what was set after the process was started from which they are forked."""
    process_context()
    monkeypatch.setenv("WOTR_READER", "here")
    tournament = Tournament(("reader", "random"), 2, 1, QUICK, 2)
    summary = run_tournament(tournament, None, WorkerPool("processes", 1, HERE))
    assert not any(sum(row["forfeits"].values()) for row in summary["results"])


@pytest.mark.usefixtures("bots")
def test_the_batch_of_a_worker_that_died_is_played_again(tmp_path):
    tournament = Tournament((f"killer:path={tmp_path / 'flag'}", "random"), 8, 1, QUICK, 2)
    watch = Counts()
    killed = run_tournament(tournament, crew=WorkerPool("processes", 2, HERE), watch=watch)
    assert (tmp_path / "flag").exists()
    assert killed == run_tournament(tournament, crew=ALONE)
    assert (sum(watch.batches), watch.ended_games) == (8, 8)


@pytest.mark.usefixtures("bots")
def test_a_bot_that_kills_every_worker_ends_the_tournament_in_one_line(tmp_path):
    tournament = Tournament(("random", "random", "killer:path=always"), 2, 1, QUICK, 2)
    with pytest.raises(KeyboardInterrupt):  # after the games of the others
        run_tournament(tournament, tmp_path, ALONE, Counts(batches=1))
    with pytest.raises(
        CommandError, match=r"3 worker processes died \(exit code 7\) at games 0 to 1 of random"
    ):
        run_tournament(tournament, tmp_path, WorkerPool("processes", 2, HERE))
    assert len(rows(tmp_path)) == 2


def test_crews_that_cannot_be():
    with pytest.raises(CommandError, match="unknown engine 'steam'; known: processes, threads, ray"):
        WorkerPool("steam")
    with pytest.raises(CommandError, match="workers must be at least 1"):
        WorkerPool("threads", -1)


def test_bots_are_made_before_games_are_played(bots, tmp_path):
    assert Tournament(("random", "unmade"), 2)  # its spec is right
    tournament = Tournament(("random", "unmade"), 2, 1, QUICK)
    summary = run_tournament(tournament, crew=ALONE)  # made with seed 0, but not with others
    assert summary["results"][1]["forfeits"]["crash"] == 2


# --- Stopping and going on ---


@pytest.mark.parametrize("games", [0, 2, 6, 8])
def test_a_stopped_run_goes_on_where_it_was(finished, folder, games):
    damage(folder, f"DELETE FROM games WHERE number >= {games}")
    (folder / SUMMARY).unlink()
    watch = Counts()
    run_tournament(SMALL, folder, ALONE, watch)
    assert (watch.found, sum(watch.batches)) == (games, 8 - games)
    assert rows(folder) == rows(finished)
    assert (folder / SUMMARY).read_bytes() == (finished / SUMMARY).read_bytes()


@pytest.mark.parametrize("crew", [ALONE, WorkerPool("threads", 2), WorkerPool("processes", 2)])
def test_games_are_kept_when_a_run_is_interrupted(crew, finished, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_tournament(SMALL, tmp_path, crew, Counts(batches=3))
    assert len(rows(tmp_path)) == 6
    assert not (tmp_path / SUMMARY).exists()
    run_tournament(SMALL, tmp_path, crew)
    assert rows(tmp_path) == rows(finished)


# A process started in the background of a shell ignores Ctrl-C; here it shall not.
COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from wotr_experiments.cli.main import main
sys.exit(main())
"""


# It waits to be stopped once so many games are stored.
HELD = (
    """
import os, signal
from wotr_experiments.arena.store import Store

add = Store.add

def add_some(store, games):
    if store.count() >= int(os.environ["MOST_GAMES"]):
        signal.pause()
    add(store, games)

Store.add = add_some
"""
    + COMMAND
)


def test_a_run_that_is_stopped_at_random_moments_ends_with_the_same_table(tmp_path, capsys):
    """By kill -9, then by Ctrl-C."""
    arguments = ["tournament", "random", "random", "random", "--games", "12", "--batch", "4", "--seed", "3"]
    arguments += ["--max-turns", "3", "--json", "--replays", "none", "--out", str(tmp_path / "stopped")]
    undisturbed = run_tournament(
        Tournament(("random",) * 3, 12, 3, QUICK, 4), tmp_path / "undisturbed", WorkerPool("threads", 2)
    )
    chance, stopped = random.Random(0), tmp_path / "stopped"
    for cause, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        there = stored(stopped)
        wanted, environment = there + chance.randint(1, 12), {**os.environ, "MOST_GAMES": str(there + 12)}
        process = subprocess.Popen(
            [sys.executable, "-c", HELD, *arguments, "--engine", "threads", "--workers", "2"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert eventually_by(process, lambda wanted=wanted: stored(stopped) >= wanted, f"{wanted} games")
        time.sleep(chance.uniform(0, 0.3))
        process.send_signal(cause)
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == code
    assert f"keeps {len(rows(stopped))} of 36 games" in said
    assert 0 < len(rows(stopped)) < 36
    assert cli.main([*arguments, "--workers", "1"]) == 0
    assert json.loads(capsys.readouterr().out) == undisturbed
    assert rows(stopped) == rows(tmp_path / "undisturbed")


def test_ctrl_c_before_the_first_game_claims_no_folder(tmp_path, monkeypatch, capsys):
    def stopped(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(live_runs, "run_tournament", stopped)
    with pytest.raises(KeyboardInterrupt):
        live_runs.run_tournament_live(SMALL, tmp_path / "out", ALONE)
    assert capsys.readouterr().err == f"wotr: no game has been played; {tmp_path / 'out'} is unchanged\n"


def test_what_a_run_waits_for_is_told_above_the_live_table(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with LiveTournament(SMALL).shown():
        say("waiting for another process that compiles")
    told, _, table = capsys.readouterr().err.rpartition("wotr: waiting for another process that compiles\n")
    assert told and "games" in table


MANY = [sys.executable, "-c", COMMAND, "tournament", "random", "random", "--games", "20000"]
MANY += ["--batch", "2", "--workers", "2"]


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path):
    process = subprocess.Popen(
        [*MANY, "--out", str(tmp_path)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert eventually_by(process, lambda: stored(tmp_path), "the first games")
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: all processes get it
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    kept, stopped = said.splitlines()[-2:]
    assert kept == (
        f"wotr: {tmp_path} keeps {len(rows(tmp_path))} of 20,000 games; the same command continues from there"
    )
    assert stopped == "wotr: stopped"


def test_workers_end_with_the_process_that_started_them(tmp_path):
    process = subprocess.Popen([*MANY, "--out", str(tmp_path)], stderr=subprocess.DEVNULL)
    assert eventually_by(process, lambda: stored(tmp_path), "the first games")
    workers = below(process.pid)
    assert len(workers) >= 4  # with what they are forked from, and what watches over it
    process.kill()
    process.wait()
    eventually(
        lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers), "the end of the workers"
    )


def stored(folder):
    """How many games a folder has."""
    try:
        return len(rows(folder, "number")) if (folder / GAMES).exists() else 0
    except sqlite3.Error:  # not begun yet, or locked at the moment
        return 0


def below(parent):
    """The processes that this one has started, and those that they have started."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True)
    started = [int(each) for each in found.stdout.split()]
    return started + [each for child in started for each in below(child)]
