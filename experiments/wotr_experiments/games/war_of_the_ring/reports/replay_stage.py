"""The display of War of the Ring on a replay page: the map, the panels, and the cards and dice of the log."""

from __future__ import annotations

from typing import Any

import numpy as np

from wotr_env.core import descriptions
from wotr_env.games.war_of_the_ring.components import CARD_IDS
from wotr_env.games.war_of_the_ring.picture import SIDE_IDS, picture
from wotr_env.games.war_of_the_ring.words.events import Sentence
from wotr_env.play.record import GameRecord
from wotr_experiments.games.war_of_the_ring.board import board_data
from wotr_experiments.reports.pages import as_script, template, text_of
from wotr_experiments.reports.replay_stage import Stage

_HERE = "wotr_experiments.games.war_of_the_ring.reports"
_SHARED = ("map.js", "panels.js")
"""The modules of ``page`` that the replay shares with the table."""


class MapStage(Stage):
    """The positions of a game of War of the Ring in the page of a viewer."""

    views = True

    def __init__(self, record: GameRecord, viewer: int | None) -> None:
        super().__init__(record, viewer)
        self._ruleset = record.ruleset

    def style(self) -> str:
        return template("replay.css", _HERE)

    def script(self) -> str:
        game = "wotr_experiments.games.war_of_the_ring"
        shared = [as_script(text_of(game, "page", name)) for name in _SHARED]
        return "".join(shared) + template("replay.js", _HERE)

    def board(self) -> dict[str, Any]:
        return board_data(self._ruleset)

    def side(self, seat: int) -> str:
        return SIDE_IDS[self._seats[seat].team]

    def position(self, state: np.record) -> dict[str, Any]:
        """The ``picture`` of the position."""
        return picture(state, self._viewer)

    def found(self) -> dict[str, Any]:
        return {}

    def marks(self, sentence: descriptions.Sentence) -> list[Any]:
        """The card that a sentence shows; or None and its dice with the numbers that they needed."""
        assert isinstance(sentence, Sentence)
        if sentence.card is not None:
            return [CARD_IDS[sentence.card]]
        if sentence.rolled is not None and not sentence.rolled.faces:
            return [None, sentence.rolled.needed, list(sentence.rolled.values)]
        return []
