"""Observations: what a seat sees of a game, for bots and networks.

One vector of ``OBSERVATION_SIZE`` int8 (``layout.py``), with three views of the same bytes: the flat
vector, a dict of named arrays, and entities (regions, cards, everything else).
"""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import numpy as np

from wotr_env.actions import NUM_ACTIONS
from wotr_env.codes import Winner
from wotr_env.components import NUM_CARDS, NUM_REGIONS
from wotr_env.engine import kernel
from wotr_env.engine.layout import (
    CARD_FIELDS,
    CARD_WIDTH,
    CARDS_AT,
    GLOBAL_FIELDS,
    GLOBALS_AT,
    OBSERVATION_SIZE,
    REGION_FIELDS,
    REGION_WIDTH,
    At,
)
from wotr_env.errors import StateError
from wotr_env.kind import MAX_SEED, Field, check_seat
from wotr_env.options import Option
from wotr_env.rules.seats import FEWEST_PLAYERS
from wotr_env.ruleset import Ruleset
from wotr_env.state import STATE

LAYOUT: tuple[Field, ...] = REGION_FIELDS + CARD_FIELDS + GLOBAL_FIELDS
"""Every named part; those of regions and cards are columns of their rows."""

MAX_TRIES = 10_000


class Entities(NamedTuple):
    """An observation by the things it is about; views without a copy."""

    regions: np.ndarray
    """``int8[..., 105, 38]``: the columns are ``REGION_FIELDS``."""
    cards: np.ndarray
    """``int8[..., 96, 4]``: the columns are ``CARD_FIELDS``."""
    globals: np.ndarray
    """``int8[..., G]``: the ``GLOBAL_FIELDS`` one after another."""


def observe(states: np.ndarray, seats: Any, out: np.ndarray | None = None) -> np.ndarray:
    """What seats see of games.

    Args:
        states: ``STATE[N]``.
        seats: the seat that looks (``Ruleset.seats``): one for all games or one each (N,).
        out: ``int8[N, OBSERVATION_SIZE]``, C-contiguous, to write into.

    Returns:
        ``int8[N, OBSERVATION_SIZE]``: ``out``, or a new array.

    Raises:
        ValueError: shapes, dtypes or seats do not fit.
    """
    states = np.ascontiguousarray(np.atleast_1d(states))
    if states.dtype != STATE or states.ndim != 1:
        raise ValueError(f"states are an array of STATE, not {states.dtype} of shape {states.shape}")
    if not states.flags.writeable:
        states = states.copy()
    shape = (states.size, OBSERVATION_SIZE)
    if out is None:
        out = np.empty(shape, dtype=np.int8)
    elif out.shape != shape or out.dtype != np.int8 or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f"out is a contiguous int8 array of shape {shape}, not {out.dtype} of {out.shape}")
    looking = _check_seats(seats, states)
    kernel.observe(states, looking, out)
    return out


def as_dict(observation: np.ndarray) -> dict[str, np.ndarray]:
    """The named parts of observations: views without a copy, in the order of ``LAYOUT``.

    Args:
        observation: ``int8[..., OBSERVATION_SIZE]``.

    Returns:
        By name ``int8[..., *shape]``.
    """
    parts = {}
    rows = entities(observation)
    for fields, table in ((REGION_FIELDS, rows.regions), (CARD_FIELDS, rows.cards)):
        first = 0
        for field in fields:
            parts[field.name] = table[..., first : first + field.shape[1]]
            first += field.shape[1]
    for field in GLOBAL_FIELDS:
        first = At[field.name.upper()]
        part = observation[..., first : first + int(np.prod(field.shape))]
        parts[field.name] = part.reshape(*observation.shape[:-1], *field.shape)
    return parts


def entities(observation: np.ndarray) -> Entities:
    """Observations (``int8[..., OBSERVATION_SIZE]``) as regions, cards and globals.

    Raises:
        ValueError: they have another shape.
    """
    if not isinstance(observation, np.ndarray) or observation.shape[-1:] != (OBSERVATION_SIZE,):
        shape = f"of shape {observation.shape}" if isinstance(observation, np.ndarray) else repr(observation)
        raise ValueError(f"observations are arrays int8[..., {OBSERVATION_SIZE}], not {shape}")
    batch = observation.shape[:-1]
    return Entities(
        observation[..., :CARDS_AT].reshape(*batch, NUM_REGIONS, REGION_WIDTH),
        observation[..., CARDS_AT:GLOBALS_AT].reshape(*batch, NUM_CARDS, CARD_WIDTH),
        observation[..., GLOBALS_AT:],
    )


def sample_world(state: np.record, seat: int | str, rng: np.random.Generator) -> np.record:
    """A state that the seat cannot tell from the given one.

    Drawn anew are the hands and face-down cards of all others, a partner's too, a Combat card committed but
    not shown, the card that a partner is giving, the order of every deck and all future chance; each world
    that fits what the seat has seen is equally likely. If another seat is being asked something, that stays,
    and its hand leaves it an answer: a bot that shall not know what is asked looks at its own decisions only.

    Args:
        state: one record of dtype ``STATE``; unchanged.
        seat: who looks, one of ``Ruleset.seats``.
        rng: draws the world.

    Raises:
        ValueError: the state is no record of ``STATE``, there is no such seat, or ``rng`` draws nothing.
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng is a numpy generator, such as np.random.default_rng(0), not {rng!r}")
    if getattr(state, "dtype", None) != STATE or np.size(state) != 1:
        raise ValueError("a state is one record of dtype STATE, such as game.state")
    world = np.empty(1, dtype=STATE)
    world[0] = np.asarray(state).reshape(1)[0]
    seats = _check_seats(seat, world)
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    for _ in range(MAX_TRIES):
        world[0] = np.asarray(state).reshape(1)[0]
        kernel.sample_worlds(world, seats, rng.integers(0, MAX_SEED, size=1, dtype=np.int64))
        if world["winner"][0] != Winner.NONE or world["seat"][0] == seats[0]:
            return world[0]
        drawn = world.copy()
        with contextlib.suppress(StateError):  # a decision without a legal action
            kernel.refresh(world, masks)
            if (
                world.tobytes() == drawn.tobytes()
            ):  # with less than two answers the game would not have rested here
                return drawn[0]
    raise RuntimeError(f"no world leaves the seat that decides an answer in {MAX_TRIES} tries")


def layout_table() -> str:
    """The layout as a Markdown table."""
    lines = ["| part | shape | seen by | meaning |", "|---|---|---|---|"]
    for field in LAYOUT:
        shape = " x ".join(str(length) for length in field.shape)
        lines.append(f"| `{field.name}` | {shape} | {field.visible_to} | {field.meaning} |")
    return "\n".join(lines)


def _check_seats(seats: Any, states: np.ndarray) -> np.ndarray:
    """The seats as contiguous ``int64[N]``, one for each of ``STATE[N]``."""
    if isinstance(seats, str):
        seats = check_seat(seats, Ruleset(players=int(states["options"][0, Option.PLAYERS])).seats)
    array = np.asarray(seats)
    if array.dtype.kind not in "iu" or array.shape not in ((), states.shape):
        raise ValueError(f"seats are one for all or one for each of {states.size} games, not {seats!r}")
    if ((array < 0) | (array >= FEWEST_PLAYERS)).any():  # the others play in some games only
        array = np.broadcast_to(array, states.shape)
        players = states["options"][:, Option.PLAYERS]
        for game in np.flatnonzero((array < 0) | (array >= players)):
            check_seat(int(array[game]), Ruleset(players=int(players[game])).seats)
    return np.broadcast_to(array, states.shape).astype(np.int64)
