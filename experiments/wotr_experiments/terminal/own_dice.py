"""Dice of one's own: the person is asked for the outcomes before a step is played."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable, Sequence

import numpy as np

from wotr_env import Game
from wotr_env.codes import CardZone, Draw, Face, Location, Roll, TileZone
from wotr_env.components import CHARACTER_NAMES, DIE_FACES, IS_COMPANION, TILE_NAMES
from wotr_env.events import Trace
from wotr_env.events.reading import purpose
from wotr_env.seating import seats_of_side
from wotr_env.state import CARDS_PER_DECK, TAPE_SIZE
from wotr_env.words.names import FACE_NAMES, SIDE_NAMES, counted
from wotr_experiments.terminal.answers import plain, words_begin

EXPLANATION = (
    "Own dice: you are asked for all dice of both sides, for Hunt tiles and for Companions lost at random. "
    "The order of the event decks was drawn by the computer when the game began, it draws a card of the hand "
    "that is lost at random, and it rolls where you only press Enter. "
    "A game with own dice has no record, as no seed leads to it; it can be saved and loaded."
)

_NAMES = {Roll.TILE: TILE_NAMES, Roll.COMPANION: CHARACTER_NAMES}
_DRAWN = (Roll.TILE, Roll.COMPANION, Roll.CARD)
_PIPS = tuple(range(1, 7))
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
}
_SHORT_FACES = {"c": Face.CHARACTER, "a": Face.ARMY, "m": Face.MUSTER, "am": Face.ARMY_MUSTER} | {
    "e": Face.EVENT,
    "w": Face.WILL,
    "eye": Face.EYE,
}

Ask = Callable[[str, Sequence[str]], str]
"""A prompt and completions to a typed line."""


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The next outcomes that a step needs."""

    roll: Roll
    number: int
    possible: tuple[int, ...]
    """As on a tape: 1..6 of dice, else the index of what can be drawn."""
    side: int
    needed: int
    """The least die that succeeds; 0: nothing is needed."""


def next_wanted(game: Game, action: int, tape: Sequence[int]) -> Wanted | None:
    """What a step needs after the outcomes of the tape; None if they are all.

    The step is played on a copy with these outcomes: the first further one says what it is for.

    Args:
        game: before the step.
        action: legal there.
        tape: the first outcomes.
    """
    trial = game.clone().with_tape(tape).trace(action)
    draws = list(trial.draws())
    if len(draws) <= len(tape):
        return None
    move, first = draws[len(tape)]
    roll, side, _, needed = first
    if roll in _DRAWN:
        earlier = draws[: len(tape)]
        in_hand = {value for place, (kind, _, value, _) in earlier if (place, kind) == (move, roll)}
        return Wanted(Roll(roll), 1, _drawable(trial, move, first, in_hand), side, needed)
    following = itertools.islice(draws, len(tape), None)
    together = itertools.takewhile(
        lambda draw: (draw[0], purpose(draw[1])) == (move, purpose(first)), following
    )
    return Wanted(Roll(roll), len(list(together)), _PIPS, side, needed)


def _drawable(trial: Trace, move: int, draw: Sequence[int], in_hand: set[int]) -> tuple[int, ...]:
    """What could have been drawn instead of a tile, Companion or card.

    Tiles in hand were drawn in the same move, such as those of Challenge of the King. They may be back in the
    pool after it, as is the tile that Mithril Coat replaces, which was drawn before.
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


def ask_outcomes(
    game: Game,
    action: int,
    ask: Ask,
    tell: Callable[[str], object],
    generator: random.Random,
    announce: Callable[[], object] = lambda: None,
) -> list[int]:
    """The tape of a step: empty if it needs none.

    Args:
        game: before the step.
        action: legal there.
        ask: asks the person.
        tell: says what was wrong with a line.
        generator: rolls what the person leaves to the computer.
        announce: called before the first question.

    Raises:
        EOFError, KeyboardInterrupt: from ``ask``; nothing has been played.
    """
    tape: list[int] = []
    while (following := next_wanted(game, action, tape)) is not None:
        # A tape is short; of a longer series the rest is the computer's.
        room = TAPE_SIZE - len(tape)
        if room == 0:
            break
        if not tape:
            announce()
        tape += _ask_group(following, ask, tell, generator)[:room]
    return tape


def read_outcomes(wanted: Wanted, text: str) -> tuple[int, ...]:
    """What a typed line says.

    Raises:
        ValueError: it names something else, or another number of outcomes; the message says what to type.
    """
    if wanted.roll not in _NAMES:
        return _read_dice(wanted, text)
    names = _NAMES[wanted.roll]
    known = {index: plain(names[index]) for index in wanted.possible}
    typed = plain(text)
    found = [index for index, name in known.items() if name == typed]
    found = found or [index for index, name in known.items() if words_begin(typed, name)]
    if len({known[index] for index in found}) != 1:
        choices = ", ".join(dict.fromkeys(names[index] for index in wanted.possible))
        raise ValueError(f"{text!r} is {'several' if found else 'none'} of: {choices}")
    return (found[0],)


def prompt_of(wanted: Wanted) -> str:
    """What the person is asked."""
    return _PROMPTS[wanted.roll].format(
        dice=counted(wanted.number, "die", "dice"),
        whose=f" of the {SIDE_NAMES[wanted.side]}",
        need=f", {wanted.needed} or more" if wanted.needed else "",
    )


def _ask_group(
    wanted: Wanted, ask: Ask, tell: Callable[[str], object], generator: random.Random
) -> list[int]:
    if wanted.roll == Roll.CARD:  # to name it would show the hand
        return [generator.choice(wanted.possible)]
    names = _NAMES.get(wanted.roll)
    completions = list(dict.fromkeys(names[index] for index in wanted.possible)) if names else []
    if wanted.roll == Roll.ACTION_DIE:
        completions = [FACE_NAMES[face].split()[0] for face in dict.fromkeys(DIE_FACES[wanted.side].tolist())]
    while True:
        line = ask(f"{prompt_of(wanted)} (Enter: computer)> ", completions)
        if not line.strip():
            return [generator.choice(wanted.possible) for _ in range(wanted.number)]
        try:
            return list(read_outcomes(wanted, line))
        except ValueError as error:
            tell(str(error))


def _read_dice(wanted: Wanted, text: str) -> tuple[int, ...]:
    """Numbers with or without spaces between them, or the results of action dice."""
    parts = text.replace(",", " ").split()
    if len(parts) == 1 and parts[0].isdigit():
        parts = list(parts[0])
    values = tuple(_read_die(wanted, part) for part in parts)
    if len(values) != wanted.number:
        raise ValueError(f"that is {counted(len(values), 'result')}, not {wanted.number}; Enter: computer")
    return values


def _read_die(wanted: Wanted, part: str) -> int:
    if part in ("1", "2", "3", "4", "5", "6"):
        return int(part)
    if wanted.roll != Roll.ACTION_DIE:
        raise ValueError(f"{part!r} is no die: type numbers from 1 to 6, such as 5 3 1, or only Enter")
    faces = DIE_FACES[wanted.side].tolist()
    known = {short: face for short, face in _SHORT_FACES.items() if face in faces}
    typed = part.casefold()
    face = known.get(typed)
    if face is None:
        beginning = [each for each in dict.fromkeys(faces) if FACE_NAMES[each].casefold().startswith(typed)]
        whole = [each for each in beginning if FACE_NAMES[each].casefold() == typed]
        face = (whole or beginning)[0] if whole or len(beginning) == 1 else None
    if face is None:
        names = ", ".join(f"{short} {FACE_NAMES[face]}" for short, face in known.items())
        raise ValueError(f"{part!r} is no result of the {SIDE_NAMES[wanted.side]} die: {names}, or 1 to 6")
    return faces.index(face) + 1
