"""Measures the luck of a game, in a separate process for bots."""

from __future__ import annotations

from typing import Any

from wotr_env.core.errors import RecordError
from wotr_env.play.bots import BotError
from wotr_env.play.record import GameRecord
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.luck.report import CAUTION, LuckReport, luck_of, method_of


def luck_told(text: str) -> dict[str, Any]:
    """The luck of a game, in words and numbers for a page.

    Args:
        text: the record of the game as JSON.

    Returns:
        The fields of an answer about luck (``docs/table-protocol.md``), without ``taken_back``.
    """
    try:
        record = GameRecord.from_json(text)
        method = method_of(None, record.kind, record.ruleset)
        if method is None:
            seats = len(record.ruleset.seats)
            return not_told(f"this package has no network for {record.kind.title} with {seats} seats")
        return _shown(luck_of(record, method))
    except (BotError, CommandError, RecordError) as error:
        return not_told(one_line(error))


def not_told(why: str) -> dict[str, Any]:
    """The answer if luck cannot be measured."""
    return {"why": f"Luck is not measured: {why}.", "told": None}


def _shown(story: LuckReport) -> dict[str, Any]:
    table = story.table()
    return {
        "why": None,
        "told": {
            "sentence": story.sentence(),
            "method": story.method_words(),
            "heads": table.heads,
            "rows": [{"name": name, "points": row} for name, row in table.in_points().items()],
            "strokes": [
                {"number": stroke.number + 1, "head": story.head_of(stroke), "text": stroke.words}
                for stroke in story.strokes
            ],
            "caution": CAUTION,
        },
    }
