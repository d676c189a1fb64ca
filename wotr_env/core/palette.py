"""The house palette, in which the games' pages and drawings are painted: colours on a light page, and what
each becomes on a dark one."""

from __future__ import annotations

GROUND, PANEL, RAISED, EDGE = "#ece4d2", "#faf6ea", "#efe7d3", "#d0c4a6"
TEXT, FAINT, GOLD, LINE = "#2a2418", "#6b6250", "#8a6400", "#b3a27a"
BLUE, RED = "#2456a6", "#b3261e"
"""Of the Free Peoples and of their foes."""
DARK = {
    GROUND: "#0f1115",
    PANEL: "#171a20",
    RAISED: "#20242c",
    EDGE: "#2b313b",
    TEXT: "#d9d4c7",
    FAINT: "#9a9587",
    GOLD: "#e8c547",
    LINE: "#59606c",
}
"""Of a colour on a light page: that on a dark page; others are the same on both."""


def blend(colour: str, other: str, share: float) -> str:
    """``#rrggbb`` between two colours: ``share`` of the first, the rest of the second."""
    mixed = [
        round(share * int(colour[at : at + 2], 16) + (1 - share) * int(other[at : at + 2], 16))
        for at in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def pale(colour: str, share: float = 0.3) -> str:
    """What is out of reach: so much of a colour in that of a panel, on a light page and on a dark one."""
    light = blend(colour, PANEL, share)
    DARK[light] = blend(colour, DARK[PANEL], share)
    return light


def themed(colour: str) -> str:
    """A colour for CSS that follows the page."""
    return f"light-dark({colour}, {DARK[colour]})" if colour in DARK else colour
