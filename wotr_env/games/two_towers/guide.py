"""The texts of web pages of The Two Towers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_env.core.descriptions import Entry, Guide
from wotr_env.core.palette import EDGE, GOLD, PANEL, RAISED
from wotr_env.core.shapes import Box, Disc, Drawing, Shape, Words
from wotr_env.games.two_towers.components import QUALITIES
from wotr_env.games.two_towers.drawing import INKS
from wotr_env.games.two_towers.facts import GANDALF, LETTERS
from wotr_env.games.two_towers.state import Ask
from wotr_env.games.two_towers.why import reasons

_ASKED = {
    Ask.DRAW: "draw a card, or put one into the display for two",
    Ask.FIRST: "take the first of two cards, or two of the pile",
    Ask.SECOND: "take the second card",
    Ask.LAY: "lay cards, as many as you like",
}
_GROUPS = {
    "take": "Take a card",
    "swap": "Put a card into the display, for two others",
    "lay": "Lay a card",
    "begin": "Begin a row with Gandalf at its head",
}


def _question(state: np.record) -> str:
    return _ASKED[Ask(int(state["decision"]))]


def _scores(state: np.record) -> list[int]:
    return [int(points) for points in state["points"][: int(state["players"])]]


def _looks(*shapes: Shape) -> Drawing:
    return Drawing(32, 24, PANEL, "", shapes)


def _card(fill: str, letter: str, ink: str = "#ffffff") -> Drawing:
    return _looks(Box(7, 0, 18, 24, fill, EDGE, 3), Words(16, 12, letter, 13, ink, "middle"))


def _legend(ruleset: Any) -> dict[str, Sequence[Entry]]:
    two = ruleset.players == 2
    scored = (
        "Qualities are scored one by one. The player who shows more cards of a quality takes its token, and "
        "puts aside a card of each row of this quality."
        if two
        else "The player who shows the most cards of these qualities takes the best token, the second player "
        "the second token, and so on. Each puts aside a card of each row that counted."
    )
    return {
        "Cards": [
            *(
                Entry(
                    quality.capitalize(),
                    f"Counts at locations that ask for {quality}.",
                    _card("#4a4336", LETTERS[quality]),
                )
                for quality in QUALITIES
            ),
            Entry("Gandalf", GANDALF, _card("#dcdad2", "G", "#26282a")),
            *(
                Entry(colour.capitalize(), f"Lies in the {colour} row.", _card(ink, colour[0]))
                for colour, ink in INKS.items()
            ),
            Entry("Small number", "The number of these cards in the row or in the hand."),
        ],
        "Journey": [
            Entry(
                "Circles",
                "Spaces of the path: at each, every player takes cards.",
                _looks(Disc(16, 12, 8, RAISED, EDGE)),
            ),
            Entry(
                "Square",
                "The location: every player lays cards, and then tokens are given.",
                _looks(Box(8, 4, 16, 16, RAISED, EDGE, 2)),
            ),
            Entry("Golden disc", "The space that the journey has reached.", _looks(Disc(16, 12, 7, GOLD))),
            Entry("Letters", "The qualities that the location asks for."),
            Entry(
                "Coins with numbers",
                f"Tokens and their points. {scored}",
                _looks(Disc(16, 12, 11, "#f0cf6a", "#7a5c10"), Words(16, 12, "5", 13, "#3a2b05", "middle")),
            ),
        ],
        "Players": [
            Entry(
                "Golden ring",
                "The player with the ring begins. If players show the same number of cards, the one who laid "
                "first is ahead.",
                _looks(Disc(16, 12, 7, PANEL, GOLD, 3)),
            ),
            Entry(
                "Rows",
                "A player has one row of each colour. All its cards have one quality. To lay cards of "
                "another quality, the player first puts the row aside.",
            ),
            Entry("Count here", "The number of cards in rows of the qualities that this location asks for."),
            Entry("Seen", "Cards in the hand that all players saw when they were taken."),
        ],
    }


GUIDE = Guide(_question, _legend, _GROUPS, frozenset({"end"}), _scores, reasons)
