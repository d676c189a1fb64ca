"""What bots are told of the games that they play: which they are, and what has happened in them."""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import random

import numpy as np
import pytest

from tests import arena_bots
from tests.games.war_of_the_ring.events.test_event_secrets import swapped
from tests.random_play import PARTNERS, traced_game
from tests.toy_games import HUNT
from wotr_agents.random import RandomBot, RandomParameters
from wotr_env import Game, Ruleset
from wotr_env.core.codes import GOING_ON
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import choose
from wotr_env.play.history import BatchHistory, SingleGameHistory
from wotr_experiments.arena.check_bot import check_bot
from wotr_experiments.arena.play import by_team, play_batch
from wotr_experiments.isolation.bots import Bots, Isolation
from wotr_experiments.language.seat import SeatGame

RULES = WAR_OF_THE_RING.limited(WAR_OF_THE_RING.find_ruleset(), 3)
SPEC = "noter"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The bots of ``arena_bots``, here and in the processes of bots."""
    arena_bots.install(tmp_path, monkeypatch)
    yield tmp_path
    arena_bots.bot_plugins.cache_clear()


class Notes(RandomBot):
    """Plays at random and keeps all that it is told."""

    def __init__(self, seed=1, every=1):
        super().__init__(RandomParameters(), seed)
        self.every, self.asked = every, 0
        self.told = collections.defaultdict(list)
        self.histories, self.ended, self.seats = {}, [], {}

    def act(self, view):
        self.asked += 1
        self.ended += view.past.ended
        games = view.past.games.tolist()
        self.seats |= dict(zip(games, view.seats.tolist(), strict=True))
        if self.asked % self.every == 0:
            for game, number, events in zip(
                games, view.past.decisions.tolist(), view.past.events(), strict=True
            ):
                self.told[game].append((number, events))
            self.histories |= dict(zip(games, view.past.history(), strict=True))
        return super().act(view)


def play(bots, games=4, rules=RULES, kind=WAR_OF_THE_RING, seated=None):
    seated = by_team(rules, np.arange(games) % 2 == 1) if seated is None else seated
    return play_batch(kind, bots, seated, np.arange(games, dtype=np.uint64), rules)


def replayed(batch, row, seat, kind=WAR_OF_THE_RING):
    """The events of a game for a seat, in lists that each begin with a decision of the seat."""
    game = kind.game(int(batch.seeds[row]), batch.ruleset)
    lists = [[]]
    for action in batch.history[: batch.lengths[row], row].tolist():
        if int(game.state["seat"]) == seat:
            lists.append([])
        lists[-1] += kind.step_of(game.state, action, seat).events
        game.step(action)
    return lists


# --- What is told. ---


@pytest.mark.parametrize(
    ("kind", "rules"), [(WAR_OF_THE_RING, RULES), (HUNT, HUNT.find_ruleset())], ids=["war", "toy"]
)
@pytest.mark.parametrize("every", [1, 5])
def test_a_seat_is_told_what_it_has_seen_since_its_last_decision(kind, rules, every):
    notes = [Notes(1, every), Notes(2, every)]
    batch = play(notes, 3, rules, kind)
    compared = 0
    for row, seats in enumerate(batch.seated.tolist()):
        for seat, place in enumerate(seats):
            expected = replayed(batch, row, seat, kind)
            game = len(seats) * row + seat
            told = notes[place].told[game]
            for number, events in told:
                assert events == (expected[number] if number else expected[0])
                compared += bool(events)
            if told:
                last = told[-1][0]
                assert notes[place].histories[game] == list(itertools.chain(*expected[: last + 1]))
            if every == 1:
                assert [number for number, _ in told] == list(range(len(expected) - 1))
    assert compared > (3 if kind is HUNT else 30)


def test_what_is_told_can_be_written_as_json():
    notes = Notes()
    play([notes, notes], 1)
    assert json.loads(json.dumps(notes.histories[0])) == notes.histories[0]
    assert all("kind" in event for event in notes.histories[0])


def test_each_seat_of_each_game_has_its_own_number():
    notes = Notes()
    batch = play([notes, RandomBot(RandomParameters(), 2)], 4, seated=np.zeros((4, 2), dtype=np.int64))
    assert set(notes.told) == set(range(8))
    assert notes.seats == {game: game % 2 for game in range(8)}
    lengths = [sum(len(notes.told[2 * row + seat]) for seat in range(2)) for row in range(4)]
    assert lengths == batch.lengths.tolist()


def test_ends_are_told_before_the_next_question_and_once():
    notes = Notes()
    batch = play([notes, RandomBot(RandomParameters(), 2)], 6)
    over_before = batch.lengths < batch.lengths.max()
    assert len(notes.ended) == len({each.game for each in notes.ended})
    told = {each.game // 2: each.winner for each in notes.ended}
    assert {row: batch.end_records["winner"][row] for row in told} == told
    assert over_before[list(told)].all()
    assert len(told) >= over_before.sum() - 1 > 1


def test_four_players_are_told_by_seat():
    rules = Ruleset.first_edition(players=4, max_turns=1)
    notes = Notes()
    batch = play([notes, notes], 2, rules, seated=np.zeros((2, 4), dtype=np.int64))
    for row, seat in itertools.product(range(2), range(4)):
        expected = replayed(batch, row, seat)
        assert [events for _, events in notes.told[4 * row + seat]] == expected[: len(expected) - 1]


@pytest.mark.parametrize("name", ["first", "cards_second", *PARTNERS])
def test_what_is_hidden_from_a_seat_does_not_change_its_past(name):
    """A step in two worlds that a seat cannot tell apart, before or after it: the same past."""
    rng = np.random.default_rng(7)
    compared = 0
    for step, (game, trace) in enumerate(traced_game(name, 6, 100)):
        draws = [row[2] for _, row in trace.draws()]
        if len(draws) > 30 or (trace.after["winner"] != GOING_ON):
            continue
        action = trace.actions[0]
        seats = len(game.ruleset.seats)
        for viewer in {step % seats, (step + seats // 2) % seats}:
            world = Game.from_state(swapped(game.state, viewer, rng))
            if action not in world.legal():
                continue
            pasts, seen = [], []
            for begun in (game, world):
                states = np.array([begun.with_tape(draws).state], dtype=WAR_OF_THE_RING.state)
                masks = np.zeros((1, WAR_OF_THE_RING.actions.size), dtype=np.bool_)
                courses, row = BatchHistory(WAR_OF_THE_RING, states, len(game.ruleset.seats)), np.array([0])
                courses.step(states, np.array([action]), row)
                WAR_OF_THE_RING.kernels.step(states, masks, np.array([action]))
                past = courses.past(row, np.array([viewer], dtype=np.int8))
                pasts.append((past.games[0], past.decisions[0], past.events(), past.history()))
                seen.append(Game.from_state(states[0]).observe(viewer).tobytes())
            if seen[0] == seen[1]:
                assert pasts[0] == pasts[1]
                compared += 1
    assert compared > 50


# --- Games that come and go, and those that are stepped by hand. ---


def test_a_place_that_begins_anew_is_another_game():
    kind = WAR_OF_THE_RING
    states, masks = kind.new_states(np.arange(2), RULES)
    courses, rng, both = BatchHistory(kind, states, 2), np.random.default_rng(1), np.arange(2)
    numbers = set()
    for number in range(300):
        if number % 100 == 99:
            renewed = kind.game(number, RULES).state
            states[1] = renewed
            kind.kernels.refresh(states[1:], masks[1:])
            courses.begin(both[1:], states[1:])
            past = courses.past(both[1:], states["seat"][1:])
            assert past.decisions.tolist() == [0] and past.history() == [[]]
            assert past.games[0] not in numbers
        numbers |= set(courses.past(both, states["seat"]).games.tolist())
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        courses.step(states, actions, both)
        kind.kernels.step(states, masks, actions)
    assert len(courses.past(both, states["seat"]).history()[0]) > 100


def test_steps_that_nobody_needs_are_dropped(monkeypatch):
    monkeypatch.setattr("wotr_env.play.history._MOST_LEFT", 10)
    kind = WAR_OF_THE_RING
    states, _ = kind.new_states([0], RULES)
    courses, row = BatchHistory(kind, states, 2), np.array([0])
    for _ in range(3):
        game = kind.game(5, RULES)
        states[0] = game.state
        courses.begin(row, states)
        expected = []
        for _ in range(30):
            action, seat = game.legal()[0], 0
            expected += kind.step_of(game.state, action, seat).events
            courses.step(states, np.array([action]), row)
            game.step(action)
            states[0] = game.state
            assert courses.past(row, np.zeros(1, dtype=np.int8)).history() == [expected]
    assert len(courses.actions) <= 30 + 11


def test_a_game_that_is_taken_back_is_read_again():
    game, followed = Game(seed=3), SingleGameHistory(WAR_OF_THE_RING)
    for _ in range(40):
        game.step(game.legal()[0])
    earlier = game.clone()
    before = followed.past(earlier).history()
    game.step(game.legal()[-1])
    game.step(game.legal()[-1])
    followed.past(game)
    assert followed.past(earlier).history() == before
    positioned = Game.from_position(earlier.position())
    assert SingleGameHistory(WAR_OF_THE_RING).past(positioned).history() == [[]]


def test_with_dice_of_ones_own_nothing_is_told():
    game, followed = Game(seed=3), SingleGameHistory(WAR_OF_THE_RING)
    assert followed.past(game) is not None
    game.step(game.legal()[0])
    game.with_tape([0])
    assert followed.past(game) is None


def test_with_dice_of_ones_own_what_was_given_is_told():
    pytest.importorskip("starlette", reason="needs the extra web")
    from tests.table.test_table_dice import played_line, tape_of

    def told(record, followed):
        game = record.replay()
        steps = list(record.steps(record.begun()))
        return followed.past(game).history(), [
            [event for step in steps for event in WAR_OF_THE_RING.step_of(*step, game.seat).events]
        ]

    line, followed = played_line(1, 120), SingleGameHistory(WAR_OF_THE_RING)
    number = max(line.tapes)
    earlier = line.shortened(number)
    for part in (earlier.shortened(number // 2), earlier, line):
        found, expected = told(part.record(["", ""]), followed)
        assert found == expected and found != [[]]
    action, rng = line.actions[number], random.Random(2)
    while (tape := tape_of(earlier, action, rng)) == line.tapes[number]:
        continue
    earlier.step(action, tape)  # taken back, and the same choice with other dice
    followed.past(line.shortened(number + 1).record(["", ""]).replay())
    found, expected = told(earlier.record(["", ""]), followed)
    assert found == expected


def test_the_bot_at_the_table_of_a_language_model_is_told(monkeypatch):
    found = []

    def ask(bot, view, spec):
        found.append((view.past.games[0], view.past.decisions[0], view.past.history()[0]))
        return choose(bot, view, spec)

    monkeypatch.setattr("wotr_experiments.language.text_game.ask", ask)
    with contextlib.closing(SeatGame(0, "random", seed=1)) as game:
        while len(found) < 20:
            game.act(game.kind.actions.names[game.game.legal()[0]])
    assert {number for number, _, _ in found} == {1}
    assert [number for _, number, _ in found] == list(range(len(found)))
    assert found[-1][2][: len(found[0][2])] == found[0][2]


# --- In processes of their own. ---


def test_the_same_is_told_in_a_process_of_its_own(installed):
    seeds, specs = [1, 2], [SPEC, SPEC]
    with Bots(Isolation("none")) as bots:
        here = play(bots.seat(specs, seeds), 4)
    with Bots(Isolation("all")) as bots:
        apart = play(bots.seat(specs, seeds), 4)
    assert not here.forfeits and not apart.forfeits
    assert apart.history.tobytes() == here.history.tobytes()


def test_after_its_process_is_lost_a_bot_finds_the_whole_past(installed):
    """It plays by all that it is told, and loses its process on the way."""
    spec = f"noter:{installed / 'flag'}"
    (installed / "flag").write_text("")
    with Bots(Isolation("all")) as bots:
        whole = play(bots.seat([spec, spec], [1, 2]), 2)
    (installed / "flag").unlink()
    with Bots(Isolation("all")) as bots:
        broken = play(bots.seat([spec, spec], [1, 2]), 2)
    assert (installed / "flag").exists()
    assert not broken.forfeits
    assert broken.history.tobytes() == whole.history.tobytes()


def test_check_bot_tells_what_memory_does(installed):
    checks = {check.name: check for check in check_bot(SPEC, 2, 60, 1, isolation=Isolation("none"))}
    assert all(check.passed for check in checks.values())
    assert "0 of" not in checks["needs no memory"].found
    checks = {check.name: check for check in check_bot("random", 2, 60, 1, isolation=Isolation("none"))}
    assert "0 of" in checks["needs no memory"].found


def test_check_bot_fails_who_cannot_do_without(installed):
    checks = check_bot("needy", 2, 10, 1, isolation=Isolation("all"))
    assert not checks[0].passed
    assert "no attribute 'games'" in checks[0].found
