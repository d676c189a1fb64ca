"""Batches of games: bots that misbehave lose their games and nothing else; records are verified."""

from __future__ import annotations

import dataclasses
import re
import threading
import time

import numpy as np
import pytest

from tests import arena_bots
from tests.clocks import HandClock, never
from wotr_agents import make_bot
from wotr_env import GameRecord, Ruleset
from wotr_env.core.errors import RecordError
from wotr_env.games.war_of_the_ring.codes import Side, Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.replaying import verify_records
from wotr_experiments.arena import evaluation
from wotr_experiments.arena.play import ForfeitKind, by_team, play_batch, records_of
from wotr_experiments.arena.played_games import play
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.arena.watchdog import PendingCall
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, Isolation

QUICK = Ruleset.first_edition(max_turns=2)


pytestmark = pytest.mark.usefixtures("bots")


HERE = Bots(Isolation("none"))
MINUTES = 300.0
"""A time limit for who answers, on however busy a machine."""


def played(first, second, games=8, time_limit=0.0, ruleset=QUICK, pending_call=None):
    """By bots in this process; those in processes of their own have tests of their own."""
    tournament = Tournament((first, second), games, 3, ruleset, games, time_limit)
    return play(tournament, Batch(0, 0, games), bots=HERE, pending_call=pending_call)


def test_games_end_and_their_records_verify():
    games = played("random", "random")
    assert [game.number for game in games] == list(range(8))
    for game in games:
        record = GameRecord.from_json(game.record)
        assert record.verify().over
        assert (record.seed, len(record.actions)) == (game.seed, game.decisions)
        assert (game.winner, game.reason, game.forfeit) == (WAR_OF_THE_RING.draw, "turn_limit", "")
        assert game.forfeited_by is None


def test_an_illegal_action_loses_its_game_only():
    games = played("random", "quitter:rate=0.02", games=32)
    lost = [game for game in games if game.forfeit]
    assert 0 < len(lost) < 32
    for game in lost:
        assert (game.forfeit, game.reason) == ("illegal", "forfeit")
        where = f"(bot quitter:rate=0.02, game {game.number + 1}, step {game.decisions + 1}: "
        assert game.message.startswith(f"illegal action 322 {where}")
        assert game.forfeited_by == 1
        assert (game.players[game.winner], game.quitter) == (0, 1 - game.winner)
        assert game.winners == (game.winner,)
        assert game.score(game.winner) == 1
        assert game.score(1 - game.winner) == 0


def test_a_forfeited_game_keeps_its_partial_record():
    games = played("random", "quitter:rate=0.02", games=32)
    for game in games:
        record = GameRecord.from_json(game.record)
        assert (record.result is None) == bool(game.forfeit)
        assert record.verify().over != bool(game.forfeit)
        assert len(record.actions) == game.decisions
    assert len({game.decisions for game in games if game.forfeit}) > 5


def test_the_other_games_of_a_batch_are_played_to_their_end():
    """With and without a game that is forfeited at once, the opponent's answers apart."""
    seeds = np.arange(6, dtype=np.uint64)
    seated = by_team(QUICK, np.zeros(6, dtype=np.bool_))
    bots = (make_bot("random", 1), make_bot("quitter:rate=0.05", 2))
    batch = play_batch(WAR_OF_THE_RING, bots, seated, seeds, QUICK)
    assert 0 < len(batch.forfeits) < 6
    for game in range(6):
        over = batch.states[game]["winner"] != Winner.NONE
        assert over != (game in batch.forfeits)
    verify_records(records_of(batch, ("a", "b"), ("", "")))


def test_a_crash_loses_the_games_that_fail_alone():
    games = played("random", "crasher")
    for game in games:
        if game.players[Side.SHADOW] == 1:
            assert (game.forfeit, game.forfeited_by) == ("crash", 1)
            place = r"RuntimeError: no idea what to do \(arena_bots.py, line \d+, in act\) "
            assert re.match(rf"{place}\(bot crasher, game ", game.message), game.message
            assert game.message.endswith(")") and ": Shadow to " in game.message
        else:
            assert (game.forfeit, game.reason) == ("", "turn_limit")


def test_an_answer_of_another_kind_is_a_forfeit():
    games = played("mumbler", "random", games=2)
    assert {game.forfeit for game in games} == {"illegal"}
    assert games[0].message.startswith(
        "answered with float64 of shape (1,), not with 1 integers (bot mumbler,"
    )


def test_a_bot_that_cannot_be_made_forfeits():
    games = played("unmade", "random", games=2)
    assert {game.forfeit for game in games} == {"crash"}
    for game in games:
        assert game.message.startswith("FileNotFoundError: no weights (arena_bots.py, line ")
        assert " in __init__) (bot unmade" in game.message


def test_a_bot_that_is_late_is_stopped(monkeypatch):
    monkeypatch.setattr("wotr_experiments.arena.play._MOST_WARMING", 1)
    start = time.monotonic()
    games = played("random", "sleeper:rate=600", games=4, time_limit=(MINUTES, 0.05))
    assert time.monotonic() - start < MINUTES
    assert {(game.forfeit, game.forfeited_by) for game in games} == {("time_out", 1)}
    assert games[0].message.startswith("more than 0.05 s per decision in a call for ")


def test_in_threads_a_bot_is_found_late_when_it_answers():
    found = []
    arguments = ("random", "sleeper:rate=0.2", 2, (MINUTES, 0.05))
    thread = threading.Thread(target=lambda: found.extend(played(*arguments)))
    thread.start()
    thread.join()
    assert {(game.forfeit, game.forfeited_by) for game in found} == {(ForfeitKind.TIME_OUT.value, 1)}


def test_what_a_bot_does_once_in_a_process_is_not_thinking(monkeypatch):
    clock = HandClock()
    monkeypatch.setattr(arena_bots.Slowstarter, "started", False)
    monkeypatch.setattr(arena_bots.Slowstarter, "sleep", clock.move)
    pending_call = PendingCall(clock=clock, paused=never)
    games = played("random", "slowstarter:rate=1000", games=2, time_limit=MINUTES, pending_call=pending_call)
    assert clock.now > 1000 and {game.forfeit for game in games} == {""}


@pytest.mark.parametrize("late", [0, 1])
def test_a_bot_is_late_by_its_own_limit_and_not_by_that_of_another(late):
    """Each thinks for three seconds; the limit of one is two, of the other four."""
    clock, kind = HandClock(), WAR_OF_THE_RING
    bots = [Thinker(clock, 3.0), Thinker(clock, 3.0)]
    seated, seeds = by_team(QUICK, np.zeros(1, dtype=np.bool_)), np.zeros(1, dtype=np.uint64)
    limits = [4.0, 4.0]
    limits[late] = 2.0
    batch = play_batch(
        kind, bots, seated, seeds, QUICK, limits, pending_call=PendingCall(clock=clock, paused=never)
    )
    assert {(each.seat, each.kind) for each in batch.forfeits.values()} == {(late, ForfeitKind.TIME_OUT)}
    assert batch.forfeits[0].message == "more than 2 s per decision in a call for 1 decision"
    assert all(bot.told in (None, limit) for bot, limit in zip(bots, limits, strict=True))
    batch = play_batch(
        kind, bots, seated, seeds, QUICK, 4.0, pending_call=PendingCall(clock=clock, paused=never)
    )
    assert not batch.forfeits


class Thinker:
    """Takes the first legal action, after some time on a clock; keeps the limit that it was told."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds, self.told = clock, seconds, None

    def act(self, view):
        self.told = view.seconds / len(view.seats)
        self.clock.move(self.seconds)
        return view.masks.argmax(axis=1)


def test_each_bot_has_one_limit():
    seated, seeds = by_team(QUICK, np.zeros(1, dtype=np.bool_)), np.zeros(1, dtype=np.uint64)
    bots = (make_bot("random", 1), make_bot("random", 2))
    for wrong, words in (((1.0,), "one time limit each, or one for all, not 1"), (-1.0, "from 0, not -1")):
        with pytest.raises(CommandError, match=words):
            play_batch(WAR_OF_THE_RING, bots, seated, seeds, QUICK, wrong)


def test_bots_within_the_time_limit_are_not_disturbed():
    fast = played("random", "random", games=2, time_limit=60)
    assert [game.record for game in fast] == [game.record for game in played("random", "random", games=2)]


def test_the_turn_of_the_entry_into_mordor_is_noted():
    games = played("walker", "walker", games=64, ruleset=Ruleset.first_edition())
    entered = [game for game in games if game.columns["mordor_step"]]
    assert entered
    assert all(0 < game.columns["mordor_turn"] <= game.columns["turn"] for game in entered)
    assert all(game.columns["mordor_turn"] == 0 for game in games if not game.columns["mordor_step"])
    for game in entered[:3]:
        record = GameRecord.from_json(game.record)
        steps = [0, *(int(each.state["mordor_step"]) for each in positions(record))]
        turns = [0, *(int(each.state["turn"]) for each in positions(record))]
        assert turns[next(i for i, step in enumerate(steps) if step)] == game.columns["mordor_turn"]


def positions(record):
    replayed = record.replay(0)
    for action in record.actions:
        yield replayed.step(action)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: {"hash": "0" * 32}, "the replay ends with hash"),
        (lambda record: {"result": None}, "the record with no result"),
        (lambda record: {"actions": record.actions[:-1]}, "the replay ends with no result"),
        (lambda record: {"actions": (*record.actions, 0)}, "action number .* cannot be played"),
    ],
)
def test_batch_verification_finds_what_single_verification_finds(change, message):
    records = [GameRecord.from_json(game.record) for game in played("random", "random")]
    verify_records(records)
    records[3] = dataclasses.replace(records[3], **change(records[3]))
    with pytest.raises(RecordError, match=message):
        verify_records(records)


def test_no_records_verify():
    verify_records([])


@pytest.mark.parametrize(("own", "expected"), [(0, evaluation.LONGEST), (2, 2), (500, evaluation.LONGEST)])
def test_games_of_an_evaluation_end_by_their_ruleset_or_sooner(monkeypatch, own, expected):
    played = []

    def play(kind, bots, seats, seeds, ruleset, **_call):
        played.append(ruleset.max_turns)
        return play_batch(kind, bots, seats, seeds, dataclasses.replace(ruleset, max_turns=1))

    monkeypatch.setattr(evaluation, "play_batch", play)
    bots = make_bot("random", 1), make_bot("random", 2)
    ruleset = Ruleset(max_turns=own)
    assert sum(evaluation.count_results(*bots, 0, np.arange(2, dtype=np.uint64), ruleset=ruleset)) == 2
    assert played == [expected]
