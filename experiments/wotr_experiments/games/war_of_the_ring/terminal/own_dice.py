"""Own dice: asks the person for random outcomes before a step is played."""

from __future__ import annotations

import random
from collections.abc import Callable

from wotr_env.core.game import Game
from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import Face, Roll
from wotr_env.games.war_of_the_ring.components import CHARACTER_NAMES, DIE_FACES, TILE_NAMES
from wotr_env.games.war_of_the_ring.given_chance import Wanted, next_outcomes, prompt_of
from wotr_env.games.war_of_the_ring.seating import TEAMS
from wotr_env.games.war_of_the_ring.state import TAPE_SIZE
from wotr_env.games.war_of_the_ring.words.names import FACE_NAMES
from wotr_experiments.terminal.presenter import Ask
from wotr_experiments.terminal.typed import has_symbols, plain, words_begin

EXPLANATION = (
    "Own dice: you are asked for all dice of both sides, for Hunt tiles and for Companions lost at random. "
    "The order of the event decks was drawn by the computer when the game began, it draws a card of the hand "
    "that is lost at random, and it rolls where you only press Enter."
)

_NAMES = {Roll.TILE: TILE_NAMES, Roll.COMPANION: CHARACTER_NAMES}
_SHORT_FACES = {"c": Face.CHARACTER, "a": Face.ARMY, "m": Face.MUSTER, "am": Face.ARMY_MUSTER} | {
    "e": Face.EVENT,
    "w": Face.WILL,
    "eye": Face.EYE,
}


def ask_outcomes(
    game: Game,
    action: int,
    ask: Ask,
    tell: Callable[[str], object],
    generator: random.Random,
    announce: Callable[[], object] = lambda: None,
) -> list[int]:
    """Asks for the tape of a step; the tape is empty if the step needs no random outcomes.

    Args:
        game: the game before the step.
        action: a legal action.
        ask: asks the person.
        tell: prints the error in a line.
        generator: draws the outcomes that the person leaves to the computer.
        announce: called before the first question.

    Raises:
        EOFError, KeyboardInterrupt: from ``ask``; then nothing has been played.
    """
    tape: list[int] = []
    state = game.state
    while (following := next_outcomes(state, action, tape)) is not None:
        # A tape is short; of a longer series the rest is the computer's.
        room = TAPE_SIZE - len(tape)
        if room == 0:
            break
        if not tape:
            announce()
        tape += _ask_group(following, ask, tell, generator)[:room]
    return tape


def read_outcomes(wanted: Wanted, text: str) -> tuple[int, ...]:
    """Reads outcomes from a typed line.

    Raises:
        ValueError: the line is not a list of such outcomes, or has a wrong number of them; the message
            explains what to type.
    """
    if wanted.roll not in _NAMES:
        return _read_dice(wanted, text)
    names = _NAMES[wanted.roll]
    known = {index: plain(names[index]) for index in wanted.possible}
    typed = plain(text)
    found = [index for index, name in known.items() if name == typed]
    found = found or [index for index, name in known.items() if words_begin(typed, name)]
    found = [] if has_symbols(text) else found
    if len({known[index] for index in found}) != 1:
        choices = ", ".join(dict.fromkeys(names[index] for index in wanted.possible))
        raise ValueError(f"{text!r} is {'several' if found else 'none'} of: {choices}")
    return (found[0],)


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
    """Reads numbers with or without spaces between them, or the results of action dice."""
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
        raise ValueError(
            f"{part!r} is not a die roll: type numbers from 1 to 6, such as 5 3 1, or only Enter"
        )
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
        raise ValueError(
            f"{part!r} is not a face of {TEAMS[wanted.side].with_article} die: type {names}, or 1 to 6"
        )
    return faces.index(face) + 1
