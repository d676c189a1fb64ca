"""The palette of pages and drawings: colours on a light page, and their counterparts on a dark page."""

from __future__ import annotations

GROUND, PANEL, RAISED, EDGE = "#ece4d2", "#faf6ea", "#efe7d3", "#d0c4a6"
TEXT, FAINT, GOLD, LINE = "#2a2418", "#6b6250", "#8a6400", "#b3a27a"
BLUE, RED = "#2456a6", "#b3261e"
"""The colours of the Free Peoples and of their enemies."""
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
"""The colour on a dark page, by the colour on a light page; other colours are the same on both."""


def blend(colour: str, other: str, share: float) -> str:
    """Mixes two colours: ``share`` of the first, the rest of the second. Returns ``#rrggbb``."""
    mixed = [
        round(share * int(colour[at : at + 2], 16) + (1 - share) * int(other[at : at + 2], 16))
        for at in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def pale(colour: str, share: float = 0.3) -> str:
    """A pale version of a colour for unavailable things, on a light and on a dark page: ``share`` of the
    colour, mixed into the colour of panels."""
    light = blend(colour, PANEL, share)
    DARK[light] = blend(colour, DARK[PANEL], share)
    return light


def themed(colour: str) -> str:
    """A CSS colour that depends on whether the page is light or dark."""
    return f"light-dark({colour}, {DARK[colour]})" if colour in DARK else colour
