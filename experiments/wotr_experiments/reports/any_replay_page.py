"""The replay of a recorded game of any kind as one self-contained HTML file.

Positions are drawn if the game has drawings (``GameKind.drawing``), and otherwise described in words. A page
for a seat contains only what this seat may know: neither the record nor the seed. War of the Ring has its own
page (``replay_page``), where the reader can change the view.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.codes import GOING_ON
from wotr_env.core.seats import check_viewer
from wotr_env.core.shapes import FONT, Drawing, element
from wotr_env.core.telling import Sentence, Tone
from wotr_experiments.errors import printable
from wotr_experiments.files import write_text
from wotr_experiments.games.war_of_the_ring.board import shared_text
from wotr_experiments.games.war_of_the_ring.reports.replay_page import Written, json_in_html
from wotr_experiments.luck.telling import LuckStory
from wotr_experiments.reports.luck import luck_dialog, luck_style
from wotr_experiments.reports.pages import template


def any_replay_page(
    record: GameRecord,
    viewer: int | None,
    title: str = "",
    ended: str = "",
    answers: Iterable[Written] = (),
    luck: LuckStory | None = None,
) -> str:
    """The page as HTML.

    Args:
        record: a game, finished or not.
        viewer: the viewer whose knowledge the page contains (``wotr_env.core.kind.check_viewer``); None for
            everything.
        title: title of the page; by default the names of the players.
        ended: the end of a forfeited or stopped game, in words for the viewer.
        answers: what players in text wrote; a seat's page has those of the seat.
        luck: for a page with everything.

    Raises:
        RecordError: the record does not replay to its result and hash.
        ValueError: there is no such viewer, or a page for a viewer has luck.
    """
    if luck and viewer is not None:
        raise ValueError("luck reveals hidden information: it needs a page that shows everything")
    parts = {
        "TITLE": html.escape(title or _players(record)),
        "STYLE": shared_text("board.css") + template("any_replay.css") + luck_style(),
        "SCRIPT": template("luck.js") + template("any_replay.js"),
        "LUCK": luck_dialog(luck),
        "GAME": json_in_html(any_replay_data(record, viewer, ended, answers)),
    }
    return re.sub(r"\[\[([A-Z]+)\]\]", lambda place: parts[place[1]], template("any_replay.html"))


def write_any_replay(
    path: Path,
    record: GameRecord,
    viewer: int | None,
    title: str = "",
    ended: str = "",
    answers: Iterable[Written] = (),
    luck: LuckStory | None = None,
) -> None:
    """Writes ``any_replay_page`` to a file; replaces an existing file, which stays unchanged after an error.

    Raises:
        OSError: the file cannot be written.
        RecordError, ValueError: as ``any_replay_page``.
    """
    write_text(path, any_replay_page(record, viewer, title, ended, answers, luck))


def any_replay_data(
    record: GameRecord, viewer: int | None, ended: str = "", answers: Iterable[Written] = ()
) -> dict[str, Any]:
    """The data of the page, for a seat only what the seat may know; for the arguments see
    ``any_replay_page``.

    Returns:
        ``game``, ``rules``, ``seats``: titles; ``eyes``: whose knowledge it is, in words; ``elements``: every
        shape of all drawings once, as SVG; ``words``: every text once; ``frames``: of the position after each
        number of actions ``[decision, drawing, text]``: a place in ``words``; the places in ``elements`` of
        its shapes, or None; a place in ``words``, or None; ``size``: of the drawings, with the ground's
        colour and the font, or None; ``steps``: of each action ``[seat, lines]``, a line being
        ``[tone, seat or -1, words, opens]``; ``ended``: how the game ended, if not as the last frame tells;
        ``answers``: by number of actions a list of ``[seat, text, failure]``, what was written there.

    Raises:
        RecordError, ValueError: as ``any_replay_page``.
    """
    record.verify()
    kind, seats = record.kind, record.ruleset.seats
    viewer = check_viewer(viewer, seats)
    game = record.begun()
    elements: dict[str, int] = {}
    words: dict[str, int] = {}
    frames, steps, size = [], [], None
    told: int | None = None
    for number in range(len(record.actions) + 1):
        state = game.state
        shapes: list[int] | None = None
        if kind.drawing is not None:
            drawing: Drawing = kind.drawing(state, viewer)
            size = [drawing.width, drawing.height, drawing.ground, FONT]
            shapes = [elements.setdefault(element(shape), len(elements)) for shape in drawing.shapes]
        elif _may_read(state, viewer):
            told = words.setdefault(kind.words.position(state), len(words))
        asked = words.setdefault(kind.words.decision(state), len(words))
        frames.append([asked, shapes, told])
        if number < len(record.actions):
            action = record.actions[number]
            told_of = kind.step_of(record.given(state, number), action, viewer).told
            lines = [_line(sentence, words) for sentence in told_of]
            steps.append([int(state["seat"]), lines])
            game.step(action)
    written: dict[int, list[list[Any]]] = {}
    for at, seat, text, failure in answers:
        if viewer in (None, seat):
            written.setdefault(at, []).append([seat, text, failure])
    eyes = "everything" if viewer is None else "what all may see" if viewer < 0 else seats[viewer].title
    return {
        "game": kind.title,
        "rules": record.ruleset.title,
        "seats": [seat.title for seat in seats],
        "eyes": eyes,
        "elements": list(elements),
        "words": list(words),
        "size": size,
        "frames": frames,
        "steps": steps,
        "ended": ended,
        "answers": written,
    }


def _may_read(state: np.record, viewer: int | None) -> bool:
    """Whether a viewer may read the description of a position, which is from the view of the deciding
    seat."""
    return viewer is None or (viewer == int(state["seat"]) and int(state["winner"]) == GOING_ON)


def _line(sentence: Sentence, words: dict[str, int]) -> list[Any]:
    place = words.setdefault(sentence.text, len(words))
    seat = -1 if sentence.seat is None else sentence.seat
    return [Tone(sentence.tone).value, seat, place, int(sentence.opens)]


def _players(record: GameRecord) -> str:
    seats = zip(record.players, record.ruleset.seats, strict=True)
    return " against ".join(f"{printable(name) or 'unknown'} ({seat.title})" for name, seat in seats)
