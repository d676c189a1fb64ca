"""The replay of a recorded game of any kind as one self-contained HTML file.

The page contains the first position, and the changes of every later one. A page for a viewer contains only
information visible to this viewer. So it contains neither the record nor the seed, from which everything
could be replayed. A ``Stage`` shows the positions.
"""

from __future__ import annotations

import html
import json
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.descriptions import Sentence, Tone
from wotr_env.core.seats import check_viewer
from wotr_experiments import games
from wotr_experiments.analysis.costly import CostlyChoice
from wotr_experiments.errors import printable
from wotr_experiments.luck.report import LuckReport
from wotr_experiments.reports.luck import luck_dialog, luck_style
from wotr_experiments.reports.pages import as_script, table_file, template
from wotr_experiments.reports.replay_stage import Stage

REMOVED = "-"
"""The key of removed keys in a difference; no object of a position has this id."""

_TONES = tuple(tone for tone in Tone if tone != Tone.TEXT)
"""The tones of lines in the log, without the tone of texts of cards."""


class Curve(NamedTuple):
    """A bot's evaluation of a game, shown under the slider."""

    bot: str
    points: Sequence[tuple[int, float]]
    """Pairs of a number of actions and the winning chance of the first team, 0 to 1."""
    slips: Sequence[CostlyChoice] | None
    """The choices with the largest losses; None if they were not sought."""


Written = tuple[int, int, str, str]
"""A text of a player in text: the number of actions before it, the seat, the text, and the failure or an
empty text."""


def replay_page(
    record: GameRecord,
    viewer: int | None,
    title: str = "",
    curves: Sequence[Curve] = (),
    ended: str = "",
    answers: Iterable[Written] = (),
    luck: LuckReport | None = None,
) -> str:
    """The page as HTML.

    Args:
        record: a game, finished or not.
        viewer: the viewer whose information the page contains (``wotr_env.core.seats.check_viewer``); None:
            all information. If the stage of the game has ``views``, readers of a page with all information
            can choose a view.
        title: title of the page; by default the names of the players.
        curves: evaluations by bots, for a page with all information of a game of two teams. An evaluation of
            a seat's choices can reveal that seat's cards.
        ended: the end of a forfeited or stopped game, in words for the viewer.
        answers: the texts of players in text; the page of a seat contains only the texts of this seat.
        luck: the luck of the game, for a page with all information; shown with the costly choices of
            ``curves``.

    Raises:
        RecordError: the record does not replay to its result and hash.
        ValueError: there is no such viewer, or a page for a viewer has curves or luck.
    """
    if (curves or luck) and viewer is not None:
        raise ValueError("curves and luck reveal hidden information: they need a page that shows everything")
    stage = _stage_of(record, viewer)
    data = {
        **replay_data(record, viewer, answers),
        "ended": ended,
        "curves": [curve._asdict() for curve in curves],
    }
    parts = {
        "TITLE": html.escape(title or _players(record)),
        "STYLE": table_file("board.css") + template("replay.css") + stage.style() + luck_style(),
        "SCRIPT": as_script(table_file("elements.js"))
        + template("luck.js")
        + stage.script()
        + template("replay.js"),
        "LUCK": luck_dialog(luck, {curve.bot: curve.slips for curve in curves if curve.slips is not None}),
        "BOARD": json_in_html(stage.board()),
        "GAME": json_in_html(data),
    }
    return re.sub(r"\[\[([A-Z]+)\]\]", lambda place: parts[place[1]], template("replay.html"))


def replay_data(record: GameRecord, viewer: int | None, answers: Iterable[Written] = ()) -> dict[str, Any]:
    """The data of the page; for a viewer only information visible to the viewer.

    Returns:
        A dictionary with these keys:

        - ``viewer``: the viewer.
        - ``views``: whether readers can choose the view of a seat.
        - ``eyes``: the owner of the view, in words.
        - ``game``: the title of the game.
        - ``players``: the players in words.
        - ``seats``: for each seat ``id``, ``name``, ``short``, ``team`` and ``side`` (``Stage.side``).
        - ``teams``: the titles of the teams.
        - ``ruleset``: the ruleset in words.
        - ``tones``: the tones of lines in the log.
        - ``words``: every text once.
        - ``first``: the first ``Stage.position``.
        - ``answers``: by number of earlier steps, a list of ``[seat, text, failure]`` of players in text.
        - ``steps``: for each later position ``[seat, lines, difference]``: the deciding seat (-1 if the
          viewer does not know it), the log, and the changes, for ``apply_difference``.
        - The keys of ``Stage.found``.

        A line is ``[tone, seat, words, eyes, opens, *marks]``: indices in ``tones`` and ``words``; -1 or a
        seat (the first seat of a team for an action of the whole team); the readers of the line (one bit for
        each seat, and one more for those who see everything; all bits in the page of a viewer); 1 if an
        action begins with the line; and ``Stage.marks``.

    Raises:
        RecordError: the record does not replay to its result and hash.
        ValueError: there is no such viewer.
    """
    stage = _stage_of(record, viewer)
    record.verify()
    kind, seats = record.kind, record.ruleset.seats
    log = _Log(record, stage, viewer)
    game = record.begun()
    latest = stage.position(game.state)
    first, shown, steps = latest, latest, []
    written: dict[int, list[list[Any]]] = {}
    left = deque(answer for answer in answers if viewer in (None, answer[1]))
    for number, action in enumerate(record.actions):
        while left and left[0][0] <= number:
            written.setdefault(len(steps), []).append(list(left.popleft()[1:]))
        state = record.given(game.state, number)
        decider = int(state["seat"])
        seen, lines = log.step(state, action)
        game.step(action)
        if steps and not seen:
            steps[-1][1] += lines  # these eyes do not see that anything was chosen
        else:
            if steps:
                steps[-1].append(difference(shown, latest))
                shown = latest
            steps.append([decider if seen else -1, lines])
        latest = stage.position(game.state)
    if steps:
        steps[-1].append(difference(shown, latest))
    for _, *rest in left:
        written.setdefault(len(steps), []).append(rest)
    return {
        "viewer": viewer,
        "views": stage.views,
        "eyes": "everything" if viewer is None else "all" if viewer < 0 else seats[viewer].title,
        "game": kind.title,
        "players": list(record.players),
        "seats": _seats(record, stage),
        "teams": [team.title for team in kind.teams_of(record.ruleset)],
        "ruleset": record.ruleset.title,
        "tones": list(_TONES),
        "first": first,
        "steps": steps,
        "words": list(log.words),
        "answers": written,
        **stage.found(),
    }


def _stage_of(record: GameRecord, viewer: int | None) -> Stage:
    viewer = check_viewer(viewer, record.ruleset.seats)
    page = games.page_of(record.kind)
    return (Stage if page is None else page.stage)(record, viewer)


class _Log:
    """The lines of the log of a game."""

    def __init__(self, record: GameRecord, stage: Stage, viewer: int | None) -> None:
        self._kind, self._seats = record.kind, record.ruleset.seats
        self._stage, self._viewer = stage, viewer
        self.words: dict[str, int] = {}
        """The texts of all lines so far, with their indices."""
        everybody = [*range(len(self._seats)), None]
        self._eyes: list[tuple[int | None, int]] = [(viewer, (1 << len(everybody)) - 1)]
        """The views of the page, each with the bits of its lines."""
        if viewer is None and stage.views:
            self._eyes = [(eyes, 1 << bit) for bit, eyes in enumerate(everybody)]

    def step(self, state: np.record, action: int) -> tuple[bool, list[list[Any]]]:
        """Returns whether the viewer sees that there was a choice, and the lines of a step.

        A page with the views of all seats has the lines of every view.
        """
        told = [(self._kind.step_of(state, action, eyes), mask) for eyes, mask in self._eyes]
        decider = int(state["seat"])
        seen = self._viewer in (None, decider) or begins_with_choice(told[0][0].events)
        merged: list[tuple[Sentence, int]] = []
        for step, mask in told:
            place = 0
            for sentence in step.sentences:
                if sentence.tone not in _TONES:
                    continue
                same = next((n for n in range(place, len(merged)) if merged[n][0] == sentence), None)
                if same is None:
                    merged.insert(place, (sentence, mask))
                    place += 1
                else:
                    merged[same] = sentence, merged[same][1] | mask
                    place = same + 1
        return seen, [self._line(sentence, mask) for sentence, mask in merged]

    def _line(self, sentence: Sentence, mask: int) -> list[Any]:
        place = self.words.setdefault(sentence.text, len(self.words))
        seat = sentence.seat
        if seat is None and sentence.team is not None:
            seat = next(n for n, each in enumerate(self._seats) if each.team == sentence.team)
        opens, marks = int(sentence.opens), self._stage.marks(sentence)
        return [_TONES.index(sentence.tone), -1 if seat is None else seat, place, mask, opens, *marks]


def begins_with_choice(events: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the events of a step, in some view, include its choice."""
    return bool(events) and events[0]["kind"] == "decided"


def _seats(record: GameRecord, stage: Stage) -> list[dict[str, Any]]:
    seats, teams = record.ruleset.seats, record.kind.teams_of(record.ruleset)
    alone = len(seats) == len(teams)
    return [
        {
            "id": seat.name,
            "name": seat.title,
            "short": teams[seat.team].short if alone else seat.title,
            "team": seat.team,
            "side": stage.side(number),
        }
        for number, seat in enumerate(seats)
    ]


def _players(record: GameRecord) -> str:
    """The players by team: ``scripted (Shadow)``, or for two ``scripted (Sauron) and queller (Isengard)``."""
    seats = list(zip(record.players, record.ruleset.seats, strict=True))
    return " against ".join(
        " and ".join(
            f"{printable(name) or 'unknown'} ({seat.title})" for name, seat in seats if seat.team == team
        )
        for team in range(len(record.kind.teams_of(record.ruleset)))
    )


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The difference from ``old`` to ``new``: objects are compared key by key, other values as a whole."""
    changed: dict[str, Any] = {}
    for key, value in new.items():
        if key not in old:
            changed[key] = value
        elif value != old[key]:
            both = isinstance(value, dict) and isinstance(old[key], dict)
            changed[key] = difference(old[key], value) if both else value
    if removed := [key for key in old if key not in new]:
        changed[REMOVED] = removed
    return changed


def apply_difference(old: dict[str, Any], changed: dict[str, Any]) -> dict[str, Any]:
    """The inverse of ``difference``: a new object that shares unchanged parts with ``old``."""
    removed = changed.get(REMOVED, ())
    new = {key: value for key, value in old.items() if key not in removed}
    for key, value in changed.items():
        if key != REMOVED:
            both = isinstance(value, dict) and isinstance(old.get(key), dict)
            new[key] = apply_difference(old[key], value) if both else value
    return new


def json_in_html(value: Any) -> str:
    """JSON escaped for use inside an HTML element."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
