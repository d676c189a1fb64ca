"""A step of a game, played move by move, and the events of it."""

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
"""``STATE`` without attributes: numpy reads the fields of such a record five times as fast."""
_REMEMBERED = 64
"""Steps of which each viewer may ask."""


class Trace:
    """A step of a game, move by move.

    Args:
        states: ``STATE[K + 1]``: the position before the step, and after each of its moves; ``draws`` holds
            what was rolled and drawn in the move that led there.
        actions: ``int64[K]``: the action taken in each move, ``NO_ACTION`` where the rules went on.
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
        """The position after it."""
        return self.states[-1]

    @functools.cached_property
    def moves(self) -> list[list[Event]]:
        """The events of each move, with all that is hidden."""
        changed, rows = changed_fields(self.states), self.states.view(_PLAIN)
        return [
            list(events_of_move(rows[n], rows[n + 1], action, n > 0, changed[n]))
            for n, action in enumerate(self.actions)
        ]

    def moves_seen_by(self, seat: int | None) -> list[list[Event]]:
        """The events of each move as a seat may know them; None: all."""
        if seat is None:
            return self.moves
        return [[seen for event in move if (seen := event.seen_by(seat))] for move in self.moves]

    def events(self, seat: int | None = None) -> list[Event]:
        """The events of the step in their order, as a seat may know them; None: all."""
        return [event for move in self.moves_seen_by(seat) for event in move]

    def asks_others(self, moves: int | None = None) -> bool:
        """Whether the rules answered for a seat that did not decide the step, in the first so many moves."""
        seat, deciders = int(self.before["seat"]), self.states["seat"].tolist()
        taken = zip(self.actions[:moves], deciders, strict=False)
        return any(action != NO_ACTION and decider != seat for action, decider in taken)

    def draws(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """What was rolled and drawn: the number of the move, and a row of ``STATE`` field ``draws``."""
        for number, state in enumerate(self.states[1:]):
            for row in state["draws"][: int(state["num_draws"])].tolist():
                yield number, tuple(row)


def trace_of(state: np.record, action: int) -> Trace:
    """Plays a legal action on a copy of a position that waits for it.

    Args:
        state: one record of dtype ``STATE``.
        action: legal there.

    Raises:
        ValueError: the next outcome of a tape does not fit.
    """
    return Trace(*trace(state, action))


@functools.lru_cache(maxsize=_REMEMBERED)
def _trace_of_bytes(state: bytes, action: int) -> Trace:
    return trace_of(np.frombuffer(state, dtype=STATE)[0], action)


def shared_trace_of(state: np.record, action: int) -> Trace:
    """As ``trace_of``, and the same object for all who ask about a step in a while; not to be written to."""
    return _trace_of_bytes(state.tobytes(), action)


def events_of(state: np.record, action: int, seat: int | None = None) -> list[Event]:
    """What a legal action does, as a seat may know it; None: all. See ``trace_of``."""
    return trace_of(state, action).events(seat)
