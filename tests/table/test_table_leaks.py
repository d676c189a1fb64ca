"""Nothing that is hidden from a viewer changes a byte of what the server sends to it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.web_tables import PEOPLE
from wotr_env.kind import PUBLIC
from wotr_env.war_of_the_ring import WAR_OF_THE_RING
from wotr_experiments.table.game import Table
from wotr_experiments.table.messages import Odds
from wotr_experiments.table.store import Header, Played


def table_in_play(ruleset, seed, actions):
    """A table of people after random choices."""
    rules = WAR_OF_THE_RING.find_ruleset(ruleset)
    seats = dict.fromkeys((seat.name for seat in rules.seats), next(iter(PEOPLE.values())))
    header = Header(
        "table",
        WAR_OF_THE_RING.name,
        WAR_OF_THE_RING.rules_version,
        rules.to_dict(),
        seed,
        seats,
        False,
        b"s",
    )
    rng = np.random.default_rng(seed)
    game = WAR_OF_THE_RING.game(seed, rules)
    while game.result is None and len(game.actions) < actions:
        game.step(int(rng.choice(game.legal())))
    return Table(header, None, [Played(action, n) for n, action in enumerate(game.actions, start=1)])


def messages(table, viewer):
    """All that a viewer is sent of a position, after it was told the game."""
    sent = table.message(viewer, 0, set()), table.look(viewer, table.line.number, set())
    fought = WAR_OF_THE_RING.picture(table.line.state, PUBLIC)["battle"]
    return (*sent, table.odds(viewer, Odds(v=1, hash=table.hash)) if fought else None)


@pytest.mark.parametrize("ruleset", ["first", "second", "first:players=4", "second:players=3"])
@pytest.mark.parametrize("actions", [0, 25, 90, 200, 333])
def test_a_seat_is_sent_the_same_bytes_in_all_worlds_that_it_thinks_possible(ruleset, actions):
    changed = 0
    for seed in range(3):
        table = table_in_play(ruleset, seed, actions)
        truth = table.line._states.copy()
        for viewer in range(len(table.ruleset.seats)):
            while not table.has_told(viewer):
                table.tell_next(viewer)
            sent = messages(table, viewer)
            for world in range(4):
                states = truth.copy()
                seats, seeds = np.array([viewer]), np.array([1000 * seed + world])
                WAR_OF_THE_RING.kernels.sample_worlds(states, seats, seeds)
                changed += states.tobytes() != truth.tobytes()
                table.line._states = states
                assert messages(table, viewer) == sent
            table.line._states = truth
    assert changed > 10


def test_who_looks_on_is_sent_what_does_not_depend_on_any_hand():
    table = table_in_play("first:players=4", 5, 150)
    while not table.has_told(PUBLIC):
        table.tell_next(PUBLIC)
    sent, truth = messages(table, PUBLIC), table.line._states.copy()
    for viewer in range(4):
        states = truth.copy()
        WAR_OF_THE_RING.kernels.sample_worlds(states, np.array([viewer]), np.array([7]))
        table.line._states = states
        assert messages(table, PUBLIC) == sent


def test_the_hash_is_of_the_count_of_changes_and_a_secret():
    one, other = table_in_play("first", 1, 40), table_in_play("first", 2, 40)
    assert one.line.state.tobytes() != other.line.state.tobytes()
    assert one.hash == other.hash
    assert one.hash != table_in_play("first", 1, 41).hash
