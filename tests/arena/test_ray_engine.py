"""The Ray engine: the same games as any other, also when workers die. Needs the extra ``ray``."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3

import pytest

from tests import arena_bots
from wotr_agents.registry import bot_plugins
from wotr_env import Ruleset
from wotr_experiments.arena.engines import Crew
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES
from wotr_experiments.arena.tournament import Watch, run_tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow

QUICK = Ruleset.first_edition(max_turns=3)
HERE = Isolation("none")


def rows(folder):
    with contextlib.closing(sqlite3.connect(folder / GAMES)) as file:
        return file.execute("SELECT * FROM games ORDER BY pairing, number").fetchall()


def workers():
    """The process ids of the Ray workers that play games at the moment, below this process."""
    parents, found = {}, []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError):
                with open(f"/proc/{entry}/stat") as file:
                    parents[int(entry)] = int(file.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{entry}/cmdline") as file:
                    if file.read().startswith("ray::_play"):
                        found.append(int(entry))
    return [process for process in found if os.getpid() in ancestors(process, parents)]


def ancestors(process, parents):
    while process in parents:
        process = parents[process]
        yield process


class Killing(Watch):
    """Kills a worker when the first batch is stored."""

    killed = 0

    def stored(self, games):
        playing = workers()
        if not self.killed and playing:
            os.kill(playing[0], signal.SIGKILL)
            self.killed = playing[0]


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="finds the workers in /proc")
def test_a_thousand_games_with_a_worker_killed_are_those_of_an_undisturbed_run(tmp_path):
    tournament = Tournament(("random", "random"), 1_000, 7, QUICK, 20)
    watch = Killing()
    disturbed = run_tournament(tournament, tmp_path / "ray", Crew("ray", 2, HERE), watch)
    assert watch.killed
    assert not os.path.exists(f"/proc/{watch.killed}")
    assert disturbed == run_tournament(tournament, tmp_path / "threads", Crew("threads", 2, HERE))
    assert len(rows(tmp_path / "ray")) == 1_000
    assert rows(tmp_path / "ray") == rows(tmp_path / "threads")
    assert not ray.is_initialized()


def test_a_cluster_that_runs_is_used_and_left():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    try:
        tournament = Tournament(("random",) * 3, 8, 7, QUICK, 4)
        assert run_tournament(tournament, crew=Crew("ray", 0, HERE)) == run_tournament(
            tournament, crew=Crew("threads", 1, HERE)
        )
        assert ray.is_initialized()
    finally:
        ray.shutdown()


def test_a_bot_that_kills_every_worker_ends_the_tournament_in_one_line(tmp_path, monkeypatch):
    arena_bots.install(tmp_path, monkeypatch)
    try:
        tournament = Tournament(("random", "killer:path=always"), 2, 1, QUICK)
        with pytest.raises(CommandError, match="Ray: .*; the games stored before are kept") as caught:
            run_tournament(tournament, tmp_path / "out", Crew("ray", 2, HERE))
        assert "\n" not in str(caught.value)
    finally:
        monkeypatch.undo()
        bot_plugins.cache_clear()
