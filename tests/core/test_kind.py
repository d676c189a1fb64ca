"""Every game keeps the contract of a game: one checklist for all kinds, and their registry."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest

from tests.toy_games import BANDIT, HUNT, HuntOnly
from wotr_env.core.codes import GOING_ON
from wotr_env.core.descriptions import Tone
from wotr_env.core.errors import IllegalAction
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.play import plugins
from wotr_env.play.games import DEFAULT_GAME, OWN_GAMES, game_kind, game_kinds, game_plugins
from wotr_env.play.record import GameRecord

KINDS = pytest.mark.parametrize("kind", [WAR_OF_THE_RING, HUNT, BANDIT], ids=lambda kind: kind.name)
GAMES = 6


def begun(kind, num_games=GAMES):
    """Games at their first decision: states, masks."""
    kind.kernels.prepare()
    states, masks = kind.new_states(np.arange(num_games), kind.limited(kind.find_ruleset(), 2))
    return states, masks


def random_actions(masks, generator):
    return (generator.random(masks.shape) * masks).argmax(axis=1)


def positions(kind, seed=1):
    """The states and masks of games played at random, before every step and at the end."""
    generator = np.random.default_rng(seed)
    states, masks = begun(kind)
    while True:
        yield states, masks
        if (states["winner"] != GOING_ON).all():
            return
        kind.kernels.step(states, masks, random_actions(masks, generator))


@KINDS
def test_an_outcome_says_how_a_game_ended(kind):
    *_, (states, _) = positions(kind)
    for state, end_record in zip(states, kind.conclude(states), strict=True):
        assert kind.end_of(state) == end_record
        end = kind.ends[end_record["reason"] - 1]
        assert end_record["winner"] == (kind.draw if end.worth == 0 else int(end.worth < 0))
        result = kind.result.of(state)
        assert kind.result.from_dict(json.loads(json.dumps(result.to_dict()))) == result
    assert all(kind.result.of(state) is None for state in begun(kind)[0])


@KINDS
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_step_is_told_as_a_seat_may_know_it(kind, seat):
    generator = np.random.default_rng(4)
    for states, masks in itertools.islice(positions(kind), 0, None, 5):
        before = states.copy()
        actions = random_actions(masks, generator)
        for row in np.flatnonzero(states["winner"] == GOING_ON).tolist():
            step = kind.step_of(states[row], int(actions[row]), seat)
            assert json.loads(json.dumps(step.events)) == step.events
            choices = [each for each in step.sentences if each.tone in (Tone.CHOICE, Tone.FORCED)]
            assert {told.seat for told in choices} <= set(range(len(kind.find_ruleset().seats)))
            assert choices or seat not in (None, states["seat"][row])
        assert before.tobytes() == states.tobytes()


@KINDS
def test_one_game_has_a_record_that_replays(kind):
    kind.kernels.prepare()
    game = kind.game(7, kind.limited(kind.find_ruleset(), 1))
    generator = np.random.default_rng(0)
    while game.result is None:
        game.step(int(generator.choice(game.legal())))
    seats = game.ruleset.seats
    record = GameRecord.from_game(game, tuple(seat.name for seat in seats))
    with pytest.raises(IllegalAction, match="over"):
        game.step(0)
    if kind.name in game_kinds():
        again = GameRecord.from_json(record.to_json())
        assert again == record and json.loads(record.to_json())["game"] == kind.name
        assert again.verify().hash() == game.hash()


@KINDS
def test_many_games_go_on_from_a_snapshot(kind):
    games, generator = kind.games(8, 5, kind.find_ruleset()), np.random.default_rng(2)
    for _ in range(40):
        games.step(random_actions(games.masks, generator))
    kept = games.snapshot()
    draws = [np.random.default_rng(4), np.random.default_rng(4)]
    seen = []
    for each, draw in zip((games, kind.games(8, 5, kind.find_ruleset()).restore(kept)), draws, strict=True):
        for _ in range(20):
            each.step(random_actions(each.masks, draw))
        seen.append((each.observations.tobytes(), each.masks.tobytes(), each.states.tobytes()))
    assert seen[0] == seen[1]
    with pytest.raises(ValueError, match="the snapshot's states"):
        kind.games(4, 5, kind.find_ruleset()).restore(kept)


@KINDS
def test_what_is_written_into_the_arrays_of_many_games_changes_none(kind):
    games, same = kind.games(4, 5, kind.find_ruleset()), kind.games(4, 5, kind.find_ruleset())
    with pytest.raises(ValueError, match="read-only"):
        games.states["seat"] = 0
    unknown = np.full(4, kind.actions.size - 1)
    for _ in range(3):
        games.masks[:] = True
        if not same.masks[:, unknown[0]].any():
            with pytest.raises(IllegalAction):
                games.step(unknown)
        legal = same.masks.argmax(axis=1)
        games.step(legal)
        same.step(legal)
        assert games.masks.tobytes() == same.masks.tobytes()


def test_rulesets_have_names_and_options():
    find = WAR_OF_THE_RING.find_ruleset
    assert find() == find("first") == Ruleset.first_edition()
    assert find("second") == find("second:") == Ruleset.second_edition()
    assert find(":max_turns=9") == Ruleset.first_edition(max_turns=9)
    assert find("second:mordor_idle=move,null_events=false") == Ruleset.second_edition(
        mordor_idle="move", null_events=False
    )
    assert HUNT.find_ruleset() == HUNT.find_ruleset("standard") == HUNT.ruleset()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("third", "War of the Ring has no ruleset 'third'; it has first, second"),
        ("second:speed=3", "no option 'speed'"),
        ("second:mordor_idle", "mordor_idle must be one of"),
        ("second:null_events=1", "null_events must be one of False, True, not '1'"),
        ("second:max_turns=-4", "max_turns must be an integer from 0"),
        ("second:max_turns=--4", "max_turns must be an integer from 0 to 10000, not '--4'"),
    ],
)
def test_a_ruleset_that_is_none_is_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        WAR_OF_THE_RING.find_ruleset(spec)


def test_records_that_name_no_game_are_of_war_of_the_ring():
    game = WAR_OF_THE_RING.game(1, WAR_OF_THE_RING.ruleset())
    fields = json.loads(GameRecord.from_game(game).to_json())
    assert fields.pop("game") == DEFAULT_GAME
    assert GameRecord.from_json(json.dumps(fields)).kind is WAR_OF_THE_RING


def test_walkers_are_two_seats_of_one_team():
    assert [seat.team for seat in HUNT.ruleset().seats] == [0, 1, 0]
    seats = {int(seat) for states, _ in positions(HUNT) for seat in states["seat"]}
    assert seats == {0, 1, 2}


# --- The registry ---


class EntryPoint:
    dist = None

    def __init__(self, name, kind):
        self.name = name
        self.kind = kind

    def load(self):
        if isinstance(self.kind, Exception):
            raise self.kind
        return self.kind


@pytest.fixture
def entry_points(monkeypatch):
    """Sets the entry points that other packages would have."""

    def install(*points):
        monkeypatch.setattr(plugins.importlib.metadata, "entry_points", lambda group: list(points))
        game_plugins.cache_clear()

    yield install
    monkeypatch.undo()
    game_plugins.cache_clear()


def test_games_of_other_packages_are_found(entry_points):
    entry_points(EntryPoint("hunt", HUNT))
    assert list(game_kinds()) == [*OWN_GAMES, "hunt-only"]
    assert game_kind("hunt-only") is HUNT is HuntOnly.of_kind()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (ImportError("no such module"), "cannot be loaded: ImportError: no such module"),
        (object, "must be a GameKind"),
        (dataclasses.replace(HUNT, name=DEFAULT_GAME), f"has the name {DEFAULT_GAME}, which is taken"),
    ],
)
def test_a_broken_entry_point_harms_nobody_else(entry_points, caplog, kind, message):
    entry_points(EntryPoint("odd", kind), EntryPoint("hunt", HUNT))
    assert list(game_kinds()) == [*OWN_GAMES, "hunt-only"]
    (warned,) = caplog.messages
    assert message in warned
    with pytest.raises(ValueError, match=f"entry point odd of wotr.games {message}"):
        game_kind("odd")


def test_unknown_games_are_refused_in_one_line():
    with pytest.raises(
        ValueError, match=r"unknown game 'war-of-the-rings'; .* did you mean war-of-the-ring\?"
    ):
        game_kind("war-of-the-rings")
