"""Descriptions of the parts of The Two Towers for people."""

from __future__ import annotations

from collections.abc import Sequence

from wotr_env.core.spelling import counted
from wotr_env.games.two_towers.components import QUALITIES

LETTERS = {name: name[0].upper() for name in QUALITIES}
"""The letter of each quality."""
GANDALF = "A card without a colour: at the head of a new row it counts as one card more of the row's quality."


def card_title(name: str) -> str:
    """``Red strength``, ``Gandalf``."""
    return name.replace("-", " ").capitalize()


def card_tip(name: str, count: int) -> str:
    """The description of a kind of card: a title, and further text after a line break."""
    title = f"{card_title(name)}{f', {count} cards' if count > 1 else ''}"
    if name == "gandalf":
        return f"{title}\n{GANDALF}"
    colour, quality = name.split("-")
    return f"{title}\nCounts where {quality} is asked for, in a row of {colour} cards that all are of it."


def location_tip(name: str, spaces: int, qualities: Sequence[str], tokens: Sequence[int], at: int = 0) -> str:
    """The description of a location, in the form of ``card_tip``; ``at`` is the space of its path where the
    journey is, 0 for none."""
    worth = f"Tokens: {', '.join(map(str, tokens))} points." if tokens else "No tokens are left."
    path = f"{counted(spaces, 'space')} of the path {'leads' if spaces == 1 else 'lead'} here."
    here = "" if not at else "The journey is here. " if at > spaces else f"The journey is on space {at}. "
    return f"{name}\n{here}{path} Asks for {' and '.join(qualities)}. {worth}"
