"""Finds the random outcomes that a step needs, for people who roll their own dice.

The program tries a step with the known outcomes on a tape. The first missing outcome determines what must be
rolled or drawn.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_env.core.descriptions import Asked
from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import CardZone, Draw, Location, Roll, TileZone
from wotr_env.games.war_of_the_ring.components import (
    CARD_NAMES,
    CHARACTER_NAMES,
    DIE_FACES,
    IS_COMPANION,
    TILE_NAMES,
)
from wotr_env.games.war_of_the_ring.events.reading import purpose
from wotr_env.games.war_of_the_ring.events.trace import Trace, trace_of
from wotr_env.games.war_of_the_ring.seating import TEAMS, seats_of_side
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, TAPE_SIZE
from wotr_env.games.war_of_the_ring.words.names import FACE_NAMES

_DRAWN = (Roll.TILE, Roll.COMPANION, Roll.CARD)
_PIPS = tuple(range(1, 7))
_MAX_TAPE_VALUE = 127
_PROMPTS = {
    Roll.ACTION_DIE: "{dice} for the actions{whose}",
    Roll.COMBAT: "combat roll{whose}, {dice}{need}",
    Roll.COMBAT_REROLL: "re-roll by Leadership{whose}, {dice}{need}",
    Roll.COMBAT_CARD: "roll for the combat card{whose}, {dice}{need}",
    Roll.HUNT: "Hunt roll, {dice}{need}",
    Roll.HUNT_REROLL: "Hunt re-roll, {dice}{need}",
    Roll.HUNT_DAMAGE: "the die of the Hunt tile",
    Roll.TILE: "the Hunt tile drawn",
    Roll.COMPANION: "the Companion drawn at random",
    Roll.EVENT: "{dice} for the card{need}",
    Roll.CARD: "the card lost at random",
}


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The outcomes that a step needs next."""

    roll: Roll
    number: int
    possible: tuple[int, ...]
    """The possible values, in the form of a tape: 1 to 6 for dice, otherwise the index of the drawn
    object."""
    side: int
    needed: int
    """The lowest die value that succeeds; 0: the roll has no target."""
    asked_others: bool = False
    """Whether the step has passed a forced decision of another seat."""


def check_tape(values: Any) -> list[int]:
    """The outcomes as a list.

    Raises:
        ValueError: the outcomes are not a list of at most ``TAPE_SIZE`` integers from 0 to 127.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)):
        raise ValueError(f"a tape is a list of outcomes, such as [5, 6, 1], not {values!r}")
    values = list(values)
    if len(values) > TAPE_SIZE:
        raise ValueError(f"a tape holds {TAPE_SIZE} values at most, not {len(values)}; give the rest later")
    for value in values:
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or not 0 <= value <= _MAX_TAPE_VALUE:
            raise ValueError(f"a tape value is an integer from 0 to {_MAX_TAPE_VALUE}, not {value!r}")
    return [int(value) for value in values]


def with_tape(state: np.record, tape: Sequence[int]) -> np.record:
    """A copy of a position with the next outcomes on its tape, at most ``TAPE_SIZE``.

    Raises:
        ValueError: there are too many, or one is not an integer from 0 to 127.
    """
    tape = check_tape(tape)
    copied = np.array([state], dtype=state.dtype)
    copied["tape"] = 0
    copied["tape"][0, : len(tape)] = tape
    copied["tape_position"] = 0
    copied["tape_length"] = len(tape)
    return copied[0]


def used(before: np.record, after: np.record) -> tuple[int, ...]:
    """The outcomes of the tape that a step has used."""
    first, last = int(before["tape_position"]), int(before["tape_length"])
    if left(after):
        last = int(after["tape_position"])
    return tuple(before["tape"][first:last].tolist())


def left(state: np.record) -> bool:
    """Whether a position has unused outcomes on its tape."""
    return bool(state["tape_length"])


def next_outcomes(state: np.record, action: int, tape: Sequence[int]) -> Wanted | None:
    """The outcomes that a step needs after the outcomes on the tape; None if the tape suffices.

    Args:
        state: the state before the step, one record of dtype ``STATE``.
        action: a legal action.
        tape: the first outcomes.

    Raises:
        ValueError: an outcome of the tape is impossible.
    """
    trial = trace_of(with_tape(state, tape), action)
    draws = list(trial.draws())
    if len(draws) <= len(tape):
        return None
    move, first = draws[len(tape)]
    roll, side, _, needed = first
    others = trial.asks_others(move + 1)
    if roll in _DRAWN:
        earlier = draws[: len(tape)]
        in_hand = {value for place, (kind, _, value, _) in earlier if (place, kind) == (move, roll)}
        return Wanted(Roll(roll), 1, _drawable(trial, move, first, in_hand), side, needed, others)
    following = itertools.islice(draws, len(tape), None)
    together = itertools.takewhile(
        lambda draw: (draw[0], purpose(draw[1])) == (move, purpose(first)), following
    )
    return Wanted(Roll(roll), len(list(together)), _PIPS, side, needed, others)


def prompt_of(wanted: Wanted) -> str:
    """The question to a person about the next outcome."""
    return _PROMPTS[wanted.roll].format(
        dice=counted(wanted.number, "die", "dice"),
        whose=f" of {TEAMS[wanted.side].with_article}",
        need=f", {wanted.needed} or more" if wanted.needed else "",
    )


def names_of(wanted: Wanted) -> dict[int, str]:
    """The possible outcomes with their names; outcomes with the same name are equivalent."""
    if wanted.roll == Roll.ACTION_DIE:
        faces = DIE_FACES[wanted.side].tolist()
        return {value: FACE_NAMES[faces[value - 1]] for value in wanted.possible}
    names = {Roll.TILE: TILE_NAMES, Roll.COMPANION: CHARACTER_NAMES, Roll.CARD: CARD_NAMES}.get(wanted.roll)
    return {value: str(value) if names is None else names[value] for value in wanted.possible}


def explain_misfit(state: np.record, action: int) -> str:
    """A message about the value on a tape that does not fit a step, and about the outcome that the step needs
    instead.

    Args:
        state: the state before the step, one record of dtype ``STATE``.
        action: a legal action, which raises ValueError with this tape.
    """
    position, length = int(state["tape_position"]), int(state["tape_length"])
    tape = state["tape"][position:length].tolist()
    fitting = 0
    trial = trace_of(with_tape(state, []), action)
    for number in range(1, len(tape)):
        try:
            trial = trace_of(with_tape(state, tape[:number]), action)
        except ValueError:
            break
        fitting = number
    read = [draw[Draw.VALUE] for _, draw in itertools.islice(trial.draws(), fitting)]
    wanted = next_outcomes(state, action, tape[:fitting]) if read == tape[:fitting] else None
    where = f"value {tape[fitting]} at place {position + fitting + 1} of the tape of {length}"
    if wanted is None:
        return f"{where} does not fit what the step draws there"
    fits = "" if wanted.roll == Roll.CARD else f": one of {', '.join(map(str, wanted.possible))}"
    return f"{where} does not fit: the step needs {prompt_of(wanted)}{fits}"


def next_request(state: np.record, action: int, tape: Sequence[int]) -> Asked | None:
    """``next_outcomes`` in words. If a series is longer than a tape, the computer draws the rest of the
    series."""
    room = TAPE_SIZE - len(tape)
    if not room or (wanted := next_outcomes(state, action, tape)) is None:
        return None
    wanted = dataclasses.replace(wanted, number=min(wanted.number, room))
    secret = wanted.roll == Roll.CARD  # to name it would show the hand
    return Asked(prompt_of(wanted), wanted.number, names_of(wanted), secret, wanted.asked_others)


def _drawable(trial: Trace, move: int, draw: Sequence[int], in_hand: set[int]) -> tuple[int, ...]:
    """The tiles, Companions or cards that could have been drawn instead of the drawn one.

    Tiles in the hand were drawn in the same move, for example by Challenge of the King. After the move, they
    may be in the pool again. This is also true for the tile that Mithril Coat replaces, which was drawn
    before.
    """
    before, after = trial.states[move], trial.states[move + 1]
    roll, side, value = draw[Draw.KIND], draw[Draw.SIDE], draw[Draw.VALUE]
    if roll == Roll.TILE:
        there = np.flatnonzero(before["tile_zone"] == TileZone.POOL).tolist()
        left = np.flatnonzero(after["tile_zone"] == TileZone.POOL).tolist()
        was_last = value in left or there == [value]  # then the pool has been filled again
        return (value,) if was_last else tuple(sorted({value, *(set(there) & set(left)) - in_hand}))
    if roll == Roll.COMPANION:
        inside = np.flatnonzero(before["location"] == Location.IN_FELLOWSHIP).tolist()
        return tuple(who for who in inside if IS_COMPANION[who])
    hands = [CardZone.HAND + seat for seat in seats_of_side(before, int(side))]
    held = np.flatnonzero(np.isin(before["card_zone"], hands)).tolist()
    return tuple(card for card in held if card // CARDS_PER_DECK == value // CARDS_PER_DECK)
