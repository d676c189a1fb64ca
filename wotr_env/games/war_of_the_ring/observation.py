"""Observations of War of the Ring, for bots and networks.

One vector of ``OBSERVATION_SIZE`` int8 (``engine/observation_layout.py``), with three views of the same
bytes: the flat vector, a dict of named arrays, and entities (regions, cards, everything else).
"""

from __future__ import annotations

import contextlib
import operator
from typing import Any, NamedTuple

import numpy as np

from wotr_env.core.codes import MAX_SEED
from wotr_env.core.errors import StateError
from wotr_env.core.observation_layout import EntitySet, Field
from wotr_env.core.seats import check_seat
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import (
    BattleStage,
    Character,
    Decision,
    HuntCause,
    Nation,
    Phase,
    Plan,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    NEIGHBOURS,
    NUM_CARDS,
    NUM_REGIONS,
    NUM_TILES,
    REGION_IDS,
    TILE_IDS,
)
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.observation_layout import (
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
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.seats import FEWEST_PLAYERS
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_NATIONS, STATE

LAYOUT: tuple[Field, ...] = REGION_FIELDS + CARD_FIELDS + GLOBAL_FIELDS
"""All named parts; the parts of regions and cards are columns of their rows."""

ENTITIES = (
    EntitySet(
        "regions",
        {field.name: 0 for field in REGION_FIELDS},
        {"region": range(NUM_REGIONS)},
        (NEIGHBOURS[:, :, None] == np.arange(NUM_REGIONS)).any(axis=1),
    ),
    EntitySet("cards", {field.name: 0 for field in CARD_FIELDS}, {"card": range(NUM_CARDS)}),
)
"""The objects of an observation for entity networks."""

MAX_TRIES = 10_000


class Entities(NamedTuple):
    """An observation as entities; views without a copy."""

    regions: np.ndarray
    """``int8[..., 105, 38]``: the columns are ``REGION_FIELDS``."""
    cards: np.ndarray
    """``int8[..., 96, 4]``: the columns are ``CARD_FIELDS``."""
    globals: np.ndarray
    """``int8[..., G]``: the ``GLOBAL_FIELDS`` one after another."""


def observe(states: np.ndarray, seats: Any, out: np.ndarray | None = None) -> np.ndarray:
    """The observations of seats.

    Args:
        states: ``STATE[N]``.
        seats: the observing seat (``Ruleset.seats``): one for all games, or one for each game (N,).
        out: ``int8[N, OBSERVATION_SIZE]``, C-contiguous, for the result.

    Returns:
        ``int8[N, OBSERVATION_SIZE]``: ``out``, or a new array.

    Raises:
        ValueError: a shape, a dtype or a seat is wrong.
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
        part = observation[..., first : first + field.size]
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
    """A sampled state that the seat cannot distinguish from the given one.

    The function resamples the hands and face-down cards of all other seats (including a partner's), a
    committed but hidden Combat card, the card that a partner is giving, the order of every deck and all
    future chance. All worlds that are consistent with the seat's knowledge are equally likely. If another
    seat decides, its decision stays pending, and its sampled hand allows an answer. A bot must therefore
    sample worlds only at its own decisions.

    Args:
        state: one record of dtype ``STATE``; unchanged.
        seat: the observing seat, one of ``Ruleset.seats``.
        rng: the random generator.

    Raises:
        ValueError: the state is not a record of ``STATE``, the seat is unknown, or ``rng`` is not a
            generator.
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
    raise RuntimeError(f"none of {MAX_TRIES} sampled worlds has a legal action for the deciding seat")


def name_of(place: int) -> str:
    """The name of one number in an observation, such as ``phase[1]: Fellowship`` or ``turn``.

    Args:
        place: the index of the number, from 0 to ``OBSERVATION_SIZE`` - 1.

    Raises:
        ValueError: there is no such index.
    """
    if not 0 <= operator.index(place) < OBSERVATION_SIZE:
        raise ValueError(f"places of an observation are from 0 to {OBSERVATION_SIZE - 1}, not {place}")
    name = next(name for name, part in _PLACES.items() if (part == place).any())
    ((*indices,),) = np.argwhere(_PLACES[name] == place).tolist()
    if _PLACES[name].shape == (1,):
        return name
    words = [axis[index] for axis, index in zip(_words(name), indices, strict=True) if axis]
    told = f"{name}[{', '.join(map(str, indices))}]"
    return f"{told}: {', '.join(words)}" if words else told


def place(name: str, *indices: int | str) -> int:
    """The index of one number in an observation: the inverse of ``name_of``.

    Args:
        name: the name of a part, see ``LAYOUT``.
        indices: indices in the part's shape, or words as in ``name_of`` (a region, card, nation, character,
            tile or value of a one-hot part). None for a part with one number.

    Raises:
        ValueError: there is no such part, or the indices are wrong.
    """
    if name not in _PLACES:
        raise ValueError(f"an observation has no part {name!r}; its parts: {', '.join(_PLACES)}")
    part, numbers = _PLACES[name], []
    given = indices or (0,) * (part.shape == (1,))
    for index, words in zip(given, _words(name), strict=False):
        numbers.append(words.index(index) if isinstance(index, str) and index in words else index)
    inside = [
        isinstance(each, int) and 0 <= each < most for each, most in zip(numbers, part.shape, strict=False)
    ]
    if len(given) != part.ndim or not all(inside):
        shape = " x ".join(map(str, part.shape))
        raise ValueError(f"{name} is of shape {shape}: it has no element {', '.join(map(str, indices))}")
    return int(part[tuple(numbers)])


def _words(name: str) -> list[tuple[str, ...]]:
    """The names of the indices along each axis of a part; empty for an axis whose indices have no names."""
    if name in _ONE_HOT:
        return [tuple(code.name.replace("_", " ").capitalize() for code in _ONE_HOT[name])]
    return [_BY_LENGTH.get(length, ()) for length in _PLACES[name].shape]


_PLACES = as_dict(np.arange(OBSERVATION_SIZE))
"""The indices of each part, in the shape of the part."""
_ONE_HOT: dict[str, Any] = {
    "phase": Phase,
    "decision": Decision,
    "action_plan": Plan,
    "battle_stage": BattleStage,
    "hunt_cause": HuntCause,
}
_BY_LENGTH: dict[int, tuple[str, ...]] = {
    NUM_REGIONS: REGION_IDS,
    NUM_CARDS: CARD_IDS,
    NUM_TILES: TILE_IDS,
    NUM_NATIONS: tuple(nation.name.lower() for nation in Nation),
    NUM_CHARACTERS: tuple(character.name.lower() for character in Character),
}
"""The names of the indices along an axis, by the length of the axis. Axes of these lengths have no other
meaning."""


def layout_table() -> str:
    """The layout as a Markdown table."""
    lines = ["| part | places | shape | seen by | meaning |", "|---|---|---|---|---|"]
    for field in LAYOUT:
        shape = " x ".join(str(length) for length in field.shape)
        where = _range_words(field)
        lines.append(f"| `{field.name}` | {where} | {shape} | {field.visible_to} | {field.meaning} |")
    return "\n".join(lines)


def _range_words(field: Field) -> str:
    """The columns of a field, such as ``38r + 16 to 21``: r is the number of a region, c of a card."""
    part = _PLACES[field.name]
    if field in GLOBAL_FIELDS:
        row, before = part, ""
    elif field in REGION_FIELDS:
        row, before = part[0], f"{REGION_WIDTH}r + "
    else:
        row, before = part[0], f"{CARD_WIDTH}c + "
    first, last = int(row.min()), int(row.max())
    return f"{before}{first:,}" + (f" to {last:,}" if last > first else "")


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
