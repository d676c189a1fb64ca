"""How long bots think is measured, told and noted, and changes nothing else."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.clocks import HandClock, never
from wotr_agents.random import RandomBot, RandomParameters
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.play import by_team, play_batch
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.arena.thinking_times import ThinkingTime, ThinkingTimes
from wotr_experiments.arena.tournament import SUMMARY, run_tournament
from wotr_experiments.arena.watchdog import PendingCall
from wotr_experiments.cli.main import main
from wotr_experiments.isolation.bots import Bots, IsolatedBot, Isolation
from wotr_experiments.provenance import PROVENANCE, read_provenance

RULES = WAR_OF_THE_RING.limited(WAR_OF_THE_RING.find_ruleset(), 1)


class Thinker(RandomBot):
    """Takes its time for each question, by a clock."""

    def __init__(self, clock, seconds):
        super().__init__(RandomParameters(), 1)
        self.clock, self.seconds, self.asked = clock, seconds, 0

    def act(self, view):
        self.asked += 1
        self.clock.move(self.seconds)
        return super().act(view)


class Counter(Thinker):
    """Counts ten simulations for each decision."""

    simulations = 5  # before it is asked

    def act(self, view):
        self.simulations += 10 * len(view.seats)
        return super().act(view)


def played(bots, games=4, pending_call=None):
    seeds, seated = np.arange(games, dtype=np.uint64), by_team(RULES, np.arange(games) % 2 == 1)
    return play_batch(WAR_OF_THE_RING, bots, seated, seeds, RULES, pending_call=pending_call)


def test_decisions_are_counted_and_time_is_measured():
    clock = HandClock()
    bots = [Counter(clock, 2.0), Thinker(clock, 0.25)]
    batch = played(bots, pending_call=PendingCall(clock=clock, paused=never))
    slow, quick = batch.thinking
    assert slow.decisions + quick.decisions == batch.lengths.sum() == batch.decided.sum()
    assert batch.decided.sum(axis=1).tolist() == batch.lengths.tolist()
    assert slow.simulations == 10 * slow.decisions and quick.simulations == 0
    assert bots[0].asked > len(batch.history) / 4 and bots[1].asked > len(batch.history) / 4
    assert [slow.seconds, quick.seconds] == pytest.approx([2.0 * bots[0].asked, 0.25 * bots[1].asked])


class Loaded(IsolatedBot):
    """Takes half a minute to be made for each question, and two seconds to answer it."""

    def __init__(self, clock):
        super().__init__("random", 1, WAR_OF_THE_RING.name, clock=clock)
        self.move, self.asked = clock.move, 0

    def make(self):
        self.move(30.0)

    def _answer(self, view, seconds):
        self.asked += 1
        self.move(2.0)
        return view.masks.argmax(axis=1)


def test_starting_and_making_an_isolated_bot_is_not_thinking():
    clock = HandClock()
    bots = [Loaded(clock), Thinker(clock, 0.25)]
    batch = played(bots, pending_call=PendingCall(clock=clock, paused=never))
    assert bots[0].making == 30.0 * bots[0].asked > 0
    assert batch.thinking[0].seconds == pytest.approx(2.0 * bots[0].asked)


def test_shares_add_up_to_the_whole():
    whole = ThinkingTime(10, 2.0, 100.0)
    parts = whole.share(3) + whole.share(7)
    assert (parts.decisions, parts.seconds, parts.simulations) == (
        10,
        pytest.approx(2.0),
        pytest.approx(100.0),
    )
    assert ThinkingTime().share(0) == ThinkingTime()
    thinking_times = ThinkingTimes()
    thinking_times.add("a", whole)
    thinking_times.add("b", ThinkingTime())
    thinking_times.add("a", ThinkingTime(10, 0.0))
    assert thinking_times.to_dict() == {
        "a": {"decisions": 20, "seconds": 2.0, "ms_per_decision": 100.0, "simulations_per_second": 50.0}
    }
    assert ThinkingTime(1, 1.0).to_dict()["simulations_per_second"] is None


@pytest.mark.parametrize("which", ["none", "all"])
def test_simulations_are_counted_wherever_the_bot_plays(which):
    with Bots(Isolation(which)) as bots:
        batch = played(bots.seat(["mcts:sims=8,worlds=2", "random"], [1, 2]), 2)
        again = played(bots.seat(["mcts:sims=8,worlds=2", "random"], [1, 2]), 2)
    assert not batch.forfeits
    for each in (batch, again):
        mcts, random = each.thinking
        assert 0 < mcts.simulations <= 8 * mcts.decisions and not random.simulations
    assert batch.thinking[0].simulations == again.thinking[0].simulations


def test_what_no_seed_settles_is_not_in_the_store_or_the_summary(tmp_path):
    tournament = Tournament(("random", "scripted"), 4, 1, ruleset=RULES, batch=2)
    summaries = [
        run_tournament(tournament, tmp_path / name, WorkerPool(workers=1)) for name in ("one", "two")
    ]
    assert summaries[0] == summaries[1]
    assert (tmp_path / "one" / SUMMARY).read_bytes() == (tmp_path / "two" / SUMMARY).read_bytes()
    with read_store(tmp_path / "one" / GAMES) as store:
        assert all(game.thinking == () for game in store.games())


@pytest.mark.parametrize("engine", ["processes", "threads"])
def test_every_engine_tells_how_long_bots_took(tmp_path, engine):
    tournament = Tournament(("random", "scripted"), 4, 1, ruleset=RULES, batch=2)
    run_tournament(tournament, tmp_path, WorkerPool(engine, workers=2))
    (entry,) = read_provenance(tmp_path / PROVENANCE)
    assert sum(each["decisions"] for each in entry["bots"].values()) == entry["decisions"]
    assert set(entry["bots"]) == {"random", "scripted"}


def test_a_tournament_tells_it_in_all_its_forms(tmp_path, capsys):
    options = ["tournament", "random", "mcts:sims=4", "--games", "2", "--max-turns", "1", "--workers", "1"]
    assert main([*options, "--out", str(tmp_path)]) == 0
    assert "thinking time" in capsys.readouterr().out
    assert "simulations per second" in (tmp_path / "report.html").read_text()
    (entry,) = read_provenance(tmp_path / PROVENANCE)
    mcts = next(each for name, each in entry["bots"].items() if name.startswith("mcts"))
    assert mcts["simulations_per_second"] > 0 and entry["bots"]["random"]["simulations_per_second"] is None
    assert main([*options, "--out", str(tmp_path)]) == 0  # nothing is played
    assert "thinking time" not in capsys.readouterr().out
    assert main([*options, "--json"]) == 0
    assert "thinking" not in json.loads(capsys.readouterr().out)


def test_a_provenance_from_elsewhere_is_shown_as_it_can_be(tmp_path, capsys):
    bots = [{"<b>": {"ms_per_decision": "<i>", "decisions": None}}, [1], {"x": 3}]
    (tmp_path / PROVENANCE).write_text(json.dumps([{"begun": "now", "bots": each} for each in bots]))
    options = ["tournament", "random", "scripted", "--games", "2", "--max-turns", "1", "--workers", "1"]
    assert main([*options, "--out", str(tmp_path)]) == 0
    report = (tmp_path / "report.html").read_text()
    assert "<b>" not in report.replace("&lt;b&gt;", "") and "<i>" not in report
    capsys.readouterr()
