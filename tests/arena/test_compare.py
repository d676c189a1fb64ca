"""Comparisons: the answer depends on the seed alone; they stop, go on, and are continued."""

from __future__ import annotations

import json

import pytest

from wotr_env import Ruleset
from wotr_experiments.arena.compare import CompareObserver, SprtProgress, compare_tournament, run_compare
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.store import GAMES, load_records
from wotr_experiments.arena.tournament import SUMMARY
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation

QUICK = Ruleset.first_edition(max_turns=2)
QUESTION = Sprt(0, 200)
HERE = Isolation("none")
ALONE = WorkerPool("threads", 1, HERE)


pytestmark = pytest.mark.usefixtures("bots")


def match(first="random", second="quitter:rate=0.05", max_games=400, batch=4, seed=1):
    return compare_tournament(first, second, max_games, batch, seed=seed, ruleset=QUICK)


def game(number, winner):
    """A game of which only the result matters."""
    winners = {"free_peoples": 0, "shadow": 1, "draw": 2}
    players = (1, 0) if number % 2 else (0, 1)
    return PlayedGame(0, number, players, 0, winners[winner], (), "", "", None, "", {}, 0, "")


def test_the_stronger_bot_passes_and_the_weaker_fails():
    passed = run_compare(match(), QUESTION, crew=ALONE)
    assert passed["sprt"]["decision"] == "stronger"
    assert passed["sprt"]["llr"] >= passed["sprt"]["bounds"][1]
    failed = run_compare(match("quitter:rate=0.05", "random"), QUESTION, crew=ALONE)
    assert failed["sprt"]["decision"] == "not stronger"
    assert failed["sprt"]["llr"] <= failed["sprt"]["bounds"][0]


def test_it_stops_at_the_deciding_pair():
    summary = run_compare(match(), QUESTION, crew=ALONE)
    pairs = summary["sprt"]["pairs"]
    assert 2 * pairs < 100
    assert summary["all"]["games"] == 2 * pairs == 2 * sum(summary["sprt"]["counts"].values())


@pytest.mark.parametrize("crew", [WorkerPool("threads", 3, HERE), WorkerPool("processes", 2, HERE)])
def test_the_answer_does_not_depend_on_the_workers(crew):
    assert run_compare(match(), QUESTION, crew=crew) == run_compare(match(), QUESTION, crew=ALONE)


def test_it_stays_undecided_when_the_games_are_played():
    summary = run_compare(match(max_games=8), QUESTION, crew=ALONE)
    assert summary["sprt"]["decision"] == "undecided"
    assert summary["sprt"]["pairs"] == 4


def test_games_are_rounded_up_to_whole_batches():
    assert match(max_games=10).games == 12
    assert match(max_games=1).games == 4


class Interrupting(CompareObserver):
    """Interrupts when so many pairs were judged."""

    def __init__(self, pairs):
        self.pairs = pairs

    def judged(self, trial):
        if trial.pairs >= self.pairs:
            raise KeyboardInterrupt


def test_a_stopped_comparison_goes_on(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_compare(match(), QUESTION, tmp_path, ALONE, Interrupting(4))
    assert len(load_records(tmp_path / GAMES)) == 8
    summary = run_compare(match(), QUESTION, tmp_path, ALONE)
    assert summary == run_compare(match(), QUESTION, crew=ALONE)
    assert json.loads((tmp_path / SUMMARY).read_text()) == summary
    games = len(load_records(tmp_path / GAMES))
    assert run_compare(match(), QUESTION, tmp_path, ALONE) == summary
    assert len(load_records(tmp_path / GAMES)) == games


def test_more_games_continue_an_undecided_comparison(tmp_path):
    run_compare(match(max_games=8), QUESTION, tmp_path, ALONE)
    more = run_compare(match(), QUESTION, tmp_path, ALONE)
    assert more == run_compare(match(), QUESTION, crew=ALONE)


def test_fewer_games_than_there_are_leave_the_rest_out(tmp_path):
    run_compare(match(max_games=8), QUESTION, tmp_path, ALONE)
    fewer = run_compare(match(max_games=4), QUESTION, tmp_path, ALONE)
    assert fewer == run_compare(match(max_games=4), QUESTION, crew=ALONE)
    assert len(load_records(tmp_path / GAMES)) == 8


def test_another_question_or_a_tournament_is_refused(tmp_path):
    run_compare(match(max_games=8), QUESTION, tmp_path, ALONE)
    with pytest.raises(CommandError, match="its elo1: 200, asked for: 100"):
        run_compare(match(max_games=8), Sprt(0, 100), tmp_path, ALONE)
    with pytest.raises(CommandError, match="its seed: 1, asked for: 2"):
        run_compare(match(max_games=8, seed=2), QUESTION, tmp_path, ALONE)


def test_pairs_are_judged_in_the_order_of_the_schedule():
    won, lost = [game(0, "free_peoples"), game(1, "shadow")], [game(2, "shadow"), game(3, "free_peoples")]
    drawn, shared = [game(4, "draw"), game(5, "draw")], [game(6, "free_peoples"), game(7, "draw")]
    trial = SprtProgress(QUESTION)
    trial.add(lost + shared)
    assert trial.pairs == 0
    trial.add(won[:1])
    assert trial.pairs == 0
    trial.add(won[1:])
    assert (trial.pairs, trial.counts) == (2, [1, 0, 0, 0, 1])
    trial.add(drawn)
    assert (trial.pairs, trial.counts) == (4, [1, 0, 1, 1, 1])


def test_pairs_behind_the_decision_do_not_count():
    games = [game(number, "free_peoples" if number % 2 == 0 else "shadow") for number in range(200)]
    trial, slowly = SprtProgress(QUESTION), SprtProgress(QUESTION)
    trial.add(games)
    for number in reversed(range(0, 200, 2)):
        slowly.add(games[number : number + 2])
    assert trial.passed
    assert trial.pairs < 30
    assert slowly.counts == trial.counts
