"""Games as text for people and programs: tags, then a line for each die or other choice.

::

    [text 1]
    [game "war-of-the-ring"]
    [seed 8985190263037729209]
    ...

    ; Turn 1
         1  free-peoples: verb:decline character:gandalf-grey
         3  shadow: count:7
              ; Shadow dice in the Hunt Box: 7

A tag is a field of a record (``wotr_env.play.record``) with its value as JSON. A line of actions has the
number of its first action, the deciding seat, and the names of the actions. Text after a ``;`` is a comment;
empty lines are ignored. ``[text 1]`` starts a game.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from wotr_env.core.descriptions import Tone
from wotr_env.core.kind import GameKind

OPENS = "["
"""The start of every text of games."""
FORMAT = 1
_TAG = re.compile(r"\[([a-z]{1,20}) (.*)\]")
_MOVES = re.compile(r"(\d{1,7}) +([\w-]{1,60}): +(.+)", re.ASCII)
_TEXT_FORMAT = "text"
_ACTIONS = "actions"
_NAME = re.compile(r"[^\s;]+")


def write_game(
    kind: GameKind,
    fields: Mapping[str, Any],
    seats: Sequence[Any],
    steps: Iterable[tuple[np.record, int]],
    comments: bool = True,
) -> str:
    """A game as text, ending with a line break.

    Args:
        kind: the game.
        fields: the fields of its record, as in JSON.
        seats: the seats of the game (``ruleset.seats``).
        steps: each action with the state before it (``GameRecord.steps``).
        comments: whether comments show the consequences of the choices: rolls, losses, cards, including
            hidden information.

    Raises:
        ValueError: the name of an action has a space or a semicolon.
    """
    lines = [_tag(_TEXT_FORMAT, FORMAT)]
    lines += [_tag(name, value) for name, value in fields.items() if name != _ACTIONS]
    lines.append("")
    choosing: int | None = None  # whose choices the last line holds
    for number, (state, action) in enumerate(steps, start=1):
        if number == 1 and comments and (turn := turn_of(state)) is not None:
            lines.append(f"; Turn {turn}")
        seat, name = int(state["seat"]), kind.actions.names[action]
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"the name {name!r} of {kind.title} has a space or a semicolon, which the text format "
                "does not allow"
            )
        sentences = kind.step_of(state, action).sentences
        if choosing == seat and not any(each.opens and each.tone == Tone.CHOICE for each in sentences[:1]):
            lines[-1] += f" {name}"
        else:
            lines.append(f"{number:>6}  {seats[seat].name.replace('_', '-')}: {name}")
        choosing = seat
        if comments and (below := _below(sentences, seats)):
            lines += below
            choosing = None
    return "\n".join(lines).rstrip("\n") + "\n"


def turn_of(state: np.record) -> int | None:
    """The turn number in a state; None in a game that does not count turns."""
    return int(state["turn"]) if "turn" in (state.dtype.names or ()) else None


def _tag(name: str, value: Any) -> str:
    return f"[{name} {json.dumps(value)}]"


def _below(sentences: Sequence[Any], seats: Sequence[Any]) -> list[str]:
    """The sentences about the consequences of a step, without the choice itself."""
    lines = []
    for sentence in sentences[1:]:
        text = " ".join(sentence.text.split())
        if sentence.tone == Tone.TURN:
            lines += ["", f"; {text}"]
        elif sentence.tone == Tone.FORCED and sentence.seat is not None:
            lines.append(f"          ; {seats[sentence.seat].title}: ({text})")
        elif sentence.tone != Tone.TEXT:
            lines.append(f"          ; {text}")
    return lines


def read_games(text: str, source: str) -> Iterator[tuple[dict[str, Any], list[str], str]]:
    """Reads the games of a text. Yields for each game the fields of the record without the actions, the names
    of the actions, and the place in the text.

    Args:
        text: any number of games in the form of ``write_game``.
        source: the name of the source, for messages.

    Raises:
        ValueError: a line is not in this form; the message names the line and the reason.
    """
    tags: dict[str, Any] | None = None
    names: list[str] = []
    begun = source
    for number, line in enumerate(text.splitlines(), start=1):
        here = f"{source}, line {number}"
        if line.startswith(OPENS):
            name, value = _read_tag(line.rstrip(), here)
            if name == _TEXT_FORMAT:
                if tags is not None:
                    yield tags, names, begun
                if value != FORMAT:
                    raise ValueError(
                        f"{here}: this package reads game texts of format {FORMAT}, not {value!r}"
                    )
                tags, names, begun = {}, [], here
            elif tags is None:
                raise ValueError(f"{here}: a game must begin with [{_TEXT_FORMAT} {FORMAT}]")
            elif name in tags or names:
                raise ValueError(f"{here}: the tag {name!r} is repeated, or comes after moves")
            else:
                tags[name] = value
        elif moves := line.partition(";")[0].strip():
            if tags is None:
                raise ValueError(f"{here}: a game must begin with [{_TEXT_FORMAT} {FORMAT}]")
            names += _read_moves(moves, len(names) + 1, here)
    if tags is not None:
        yield tags, names, begun


def _read_tag(line: str, here: str) -> tuple[str, Any]:
    found = _TAG.fullmatch(line)
    if found is None:
        raise ValueError(f"{here}: not a tag; a tag has the form [name value]")
    try:
        return found[1], json.loads(found[2])
    except (ValueError, RecursionError):
        raise ValueError(f"{here}: the value of the tag {found[1]!r} is not JSON") from None


def _read_moves(moves: str, expected: int, here: str) -> list[str]:
    found = _MOVES.fullmatch(moves)
    if found is None:
        raise ValueError(f"{here}: not a line of moves; it has the form NUMBER PLAYER: ACTION ACTION ...")
    number, _, names = found.groups()
    if int(number) != expected:
        raise ValueError(f"{here}: begins with action number {number}, but the next number is {expected}")
    return names.split()
