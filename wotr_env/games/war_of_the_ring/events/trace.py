"""A step of a game, played move by move, and its events."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from wotr_env.core.codes import NO_ACTION
from wotr_env.games.war_of_the_ring.engine.kernel import trace
from wotr_env.games.war_of_the_ring.events.reading import changed_fields, events_of_move
from wotr_env.games.war_of_the_ring.events.types import Event
from wotr_env.games.war_of_the_ring.state import STATE

_PLAIN = np.dtype([(name, STATE[name]) for name in STATE.names or ()])
"""``STATE`` without attribute access: numpy reads the fields of such a record five times as fast."""
_REMEMBERED = 64
"""The number of steps whose traces are cached."""


class Trace:
    """A step of a game, move by move.

    Args:
        states: ``STATE[K + 1]``: the position before the step, and after each move; ``draws`` holds the rolls
            and draws of the last move before each position.
        actions: ``int64[K]``: the action of each move, ``NO_ACTION`` if the rules continued without an
            action.
    """

    def __init__(self, states: np.ndarray, actions: np.ndarray) -> None:
        self.states = states
        self.actions = actions.tolist()

    @property
    def before(self) -> np.record:
        """The position before the step."""
        return self.states[0]

    @property
    def after(self) -> np.record:
        """The position after the step."""
        return self.states[-1]

    @functools.cached_property
    def moves(self) -> list[list[Event]]:
        """The events of each move, with all hidden information."""
        changed, rows = changed_fields(self.states), self.states.view(_PLAIN)
        return [
            list(events_of_move(rows[n], rows[n + 1], action, n > 0, changed[n]))
            for n, action in enumerate(self.actions)
        ]

    def moves_seen_by(self, seat: int | None) -> list[list[Event]]:
        """The events of each move from the view of a seat; None: all events."""
        if seat is None:
            return self.moves
        return [[seen for event in move if (seen := event.seen_by(seat))] for move in self.moves]

    def events(self, seat: int | None = None) -> list[Event]:
        """The events of the step in order, from the view of a seat; None: all events."""
        return [event for move in self.moves_seen_by(seat) for event in move]

    def asks_others(self, moves: int | None = None) -> bool:
        """Whether the rules took an action for a seat that is not the deciding seat of the step.

        Args:
            moves: only this number of first moves counts.
        """
        seat, deciders = int(self.before["seat"]), self.states["seat"].tolist()
        taken = zip(self.actions[:moves], deciders, strict=False)
        return any(action != NO_ACTION and decider != seat for action, decider in taken)

    def draws(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The rolls and draws: the number of the move, and a row of the ``STATE`` field ``draws``."""
        for number, state in enumerate(self.states[1:]):
            for row in state["draws"][: int(state["num_draws"])].tolist():
                yield number, tuple(row)


def trace_of(state: np.record, action: int) -> Trace:
    """Plays a legal action on a copy of a position that waits for a decision.

    Args:
        state: one record of dtype ``STATE``.
        action: a legal action.

    Raises:
        ValueError: the next outcome of a tape does not fit.
    """
    return Trace(*trace(state, action))


@functools.lru_cache(maxsize=_REMEMBERED)
def _trace_of_bytes(state: bytes, action: int) -> Trace:
    return trace_of(np.frombuffer(state, dtype=STATE)[0], action)


def shared_trace_of(state: np.record, action: int) -> Trace:
    """As ``trace_of``, but cached: repeated calls for the same step return the same object, which must not be
    changed."""
    return _trace_of_bytes(state.tobytes(), action)


def events_of(state: np.record, action: int, seat: int | None = None) -> list[Event]:
    """The events of a legal action from the view of a seat; None: all events. See ``trace_of``."""
    return trace_of(state, action).events(seat)
