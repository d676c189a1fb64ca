"""The display of positions on a replay page: drawings of the game, or descriptions in words.

A game that displays its positions in another way extends ``Stage`` in its folder.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from wotr_env.core.codes import GOING_ON
from wotr_env.core.descriptions import Sentence
from wotr_env.core.shapes import FONT, Drawing, element
from wotr_env.play.record import GameRecord
from wotr_experiments.reports.pages import template

_COLOURS = 5
"""Number of classes ``seat-0``, ``seat-1`` ... in ``replay_drawn.css``."""


class Stage:
    """The positions of one game in the page of a viewer.

    Args:
        record: the game.
        viewer: the viewer whose information the page contains; None: all information.
    """

    views: ClassVar[bool] = False
    """Whether readers of a page with all information can choose the view of a seat."""

    def __init__(self, record: GameRecord, viewer: int | None) -> None:
        self._kind, self._seats, self._viewer = record.kind, record.ruleset.seats, viewer
        self._elements: dict[str, int] = {}
        self._text: str | None = None

    def style(self) -> str:
        """A style sheet that is used after ``replay.css``."""
        return template("replay_drawn.css")

    def script(self) -> str:
        """A script that defines the class ``Stage`` for ``replay.js``."""
        return template("replay_drawn.js")

    def board(self) -> dict[str, Any]:
        """Data for the script that is the same in all games of the ruleset."""
        return {}

    def side(self, seat: int) -> str:
        """The class of a seat, which is also the name of its colour: ``seat-0``."""
        return f"seat-{seat % _COLOURS}"

    def position(self, state: np.record) -> dict[str, Any]:
        """A position for the script; the page stores only the differences of later positions.

        Returns:
            In this class, a dictionary with ``decision``: the pending decision, or the end of the game;
            ``over``; and either ``drawing``: ``[width, height, ground]`` and ``shapes``, the indices of its
            shapes in ``elements``; or ``text``: a description in words, None if it is hidden from the viewer.
        """
        shown = {"decision": self._kind.words.decision(state), "over": bool(state["winner"] != GOING_ON)}
        if self._kind.drawing is not None:
            drawing: Drawing = self._kind.drawing(state, self._viewer)
            places = self._elements
            shapes = [places.setdefault(element(each), len(places)) for each in drawing.shapes]
            return {**shown, "drawing": [drawing.width, drawing.height, drawing.ground], "shapes": shapes}
        if self._may_read(state):
            self._text = self._kind.words.position(state)
        return {**shown, "text": self._text}

    def _may_read(self, state: np.record) -> bool:
        """Whether the viewer may read the description, which uses the view of the deciding seat."""
        own = self._viewer == int(state["seat"]) and int(state["winner"]) == GOING_ON
        return self._viewer is None or own

    def found(self) -> dict[str, Any]:
        """Data for the script about all positions so far. In this class, ``elements``: every shape once as
        SVG; and ``font``."""
        return {"elements": list(self._elements), "font": FONT}

    def marks(self, sentence: Sentence) -> list[Any]:
        """Further data that the script needs to show a sentence."""
        return []
