"""Armies in short notation, as people type them, in the colours of the map: ``4r 1e 2n``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.text import Text

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS
from wotr_env.games.war_of_the_ring.components import CHARACTER_NAMES, CHARACTER_SIDE, REGION_IDS
from wotr_env.games.war_of_the_ring.picture import CHARACTER_IDS
from wotr_env.games.war_of_the_ring.render.style import FELLOWSHIP_COLOUR, SIDE_COLOURS, blend

_PAPER = "#ffffff"
_SHARE = 0.6
"""The share of a map colour in the text colour, which is legible on black and on white."""
TONES = tuple(blend(SIDE_COLOURS[side], _PAPER, _SHARE) for side in SIDE_IDS)
"""The text colours of the sides."""
RING = f"bold {FELLOWSHIP_COLOUR}"
"""The style of the Fellowship."""
_NAMES = dict(zip(CHARACTER_IDS, CHARACTER_NAMES, strict=True))
_SIDE_OF = {name: int(side) for name, side in zip(CHARACTER_IDS, CHARACTER_SIDE.tolist(), strict=True)}


def strength(figures: dict[str, list[int]]) -> str:
    """The figures of some nations, such as ``4r 1e 1l``; Leaders of Sauron (Nazgul) are ``n``."""
    regulars, elites = (sum(counts[kind] for counts in figures.values()) for kind in (0, 1))
    nazgul = figures.get("sauron", [0, 0, 0])[2]
    leaders = sum(counts[2] for counts in figures.values()) - nazgul
    parts = zip((regulars, elites, leaders, nazgul), "reln", strict=True)
    return " ".join(f"{count}{letter}" for count, letter in parts if count)


def by_nation(figures: dict[str, list[int]]) -> str:
    """The figures nation by nation: ``Sauron 3r 1n, Isengard 2r``."""
    return ", ".join(f"{nation.title()} {strength({nation: counts})}" for nation, counts in figures.items())


def names_of(characters: Iterable[str]) -> str:
    """The names of characters by their ids."""
    return ", ".join(_NAMES[who] for who in characters)


def of_side(characters: Iterable[str], side: int) -> list[str]:
    """The characters of a side."""
    return [who for who in characters if _SIDE_OF[who] == side]


def there(shown: dict[str, Any], region: int, side: int) -> Text:
    """The forces in a region from the view of a side: its own army and characters, then the enemy's.

    Empty if nobody is there. Without colours, the word ``enemy`` distinguishes the sides.
    """
    place = shown["regions"].get(REGION_IDS[region]) or {"armies": [], "characters": []}
    parts = []
    for who in (side, 1 - side):
        armies = [army for army in place["armies"] if army["side"] == SIDE_IDS[who]]
        words = [strength(army["figures"]) for army in armies]
        words += [names] if (names := names_of(of_side(place["characters"], who))) else []
        if words:
            shut_in = " besieged" if any(army["garrison"] for army in armies) else ""
            text = f"{'' if who == side else 'enemy '}{', '.join(words)}{shut_in}"
            parts.append(Text(text, style=TONES[who]))
    if shown["fellowship"]["region"] == REGION_IDS[region]:
        parts.append(Text("the Fellowship", style=RING))
    return Text("; ").join(parts)
