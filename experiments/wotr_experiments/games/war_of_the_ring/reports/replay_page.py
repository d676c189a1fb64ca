"""The replay of a recorded game as one self-contained HTML file.

The page contains the first picture, and the changes of every later one. A page for a single seat contains
only what this seat may know: neither the record nor the seed, from which everything could be replayed.
"""

from __future__ import annotations

import html
import json
import re
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wotr_env import GameRecord
from wotr_env.core.seats import Seat, check_seat
from wotr_env.core.telling import Tone
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.components import CARD_IDS
from wotr_env.games.war_of_the_ring.events import Trace, trace_of
from wotr_env.games.war_of_the_ring.events.secrecy import secrecy_of
from wotr_env.games.war_of_the_ring.events.types import Secrecy
from wotr_env.games.war_of_the_ring.picture import SIDE_IDS, picture
from wotr_env.games.war_of_the_ring.words.events import Sentence, tell
from wotr_experiments.files import write_text
from wotr_experiments.games.war_of_the_ring.board import board_data, shared_script, shared_text
from wotr_experiments.luck.telling import LuckStory
from wotr_experiments.reports.luck import CostlyChoice, luck_dialog, luck_style
from wotr_experiments.reports.pages import template

REMOVED = "-"
"""The key of removed keys in a difference; no object of the game has this id."""

_TONES = tuple(tone for tone in Tone if tone not in (Tone.TURN, Tone.TEXT))
"""The tones in the log; turns have their own lines, and cards explain themselves."""
_SHARED = ("elements.js", "map.js", "panels.js")
"""The modules that the replay shares with the table."""


class Curve(NamedTuple):
    """A bot's evaluation of a game, shown under the slider."""

    bot: str
    points: Sequence[tuple[int, float]]
    """Numbers of actions, with the winning chance of the Free Peoples, 0 to 1."""
    slips: Sequence[CostlyChoice]
    """The choices with the largest losses."""


Written = tuple[int, int, str, str]
"""What a player in text wrote: the number of actions before, the seat, the text, a failure or nothing."""


def replay_page(
    record: GameRecord,
    viewer: int | None,
    title: str = "",
    curves: Sequence[Curve] = (),
    ended: str = "",
    answers: Iterable[Written] = (),
    luck: LuckStory | None = None,
) -> str:
    """The page as HTML.

    Args:
        record: a game, finished or not.
        viewer: the seat whose knowledge the page contains; None for everything. On a page with everything,
            readers can choose the view.
        title: title of the page; by default the names of the players.
        curves: for a page with everything; what they say of a seat's choices, that seat's cards tell.
        ended: the end of a forfeited or stopped game, in words for the viewer.
        answers: what players in text wrote; a seat's page has those of the seat.
        luck: for a page with everything; shown with the mistakes of ``curves``.

    Raises:
        RecordError: the record does not replay to its result and hash.
        ValueError: ``viewer`` is neither a seat nor None, or a page for a seat has curves or luck.
    """
    if (curves or luck) and viewer is not None:
        raise ValueError("curves and luck reveal hidden information: they need a page that shows everything")
    data = replay_data(record, viewer, answers)
    data["ended"] = ended
    data["curves"] = [curve._asdict() for curve in curves]
    title = title or " against ".join(_team_title(record, side) for side in Side)
    parts = {
        "TITLE": html.escape(title),
        "STYLE": shared_text("board.css") + template("replay.css") + luck_style(),
        "SCRIPT": shared_script(_SHARED) + template("luck.js") + template("replay.js"),
        "LUCK": luck_dialog(luck, {curve.bot: curve.slips for curve in curves}),
        "BOARD": json_in_html(board_data(record.ruleset)),
        "GAME": json_in_html(data),
    }
    return re.sub(r"\[\[([A-Z]+)\]\]", lambda place: parts[place[1]], template("replay.html"))


def _team_title(record: GameRecord, side: Side) -> str:
    """The players of a side: ``scripted (Shadow)``, or for two ``scripted (Sauron) and queller
    (Isengard)``."""
    seats = zip(record.players, record.ruleset.seats, strict=True)
    return " and ".join(f"{name or 'unknown'} ({seat.title})" for name, seat in seats if seat.team == side)


def write_replay(
    path: Path,
    record: GameRecord,
    viewer: int | None,
    title: str = "",
    curves: Sequence[Curve] = (),
    ended: str = "",
    answers: Iterable[Written] = (),
    luck: LuckStory | None = None,
) -> None:
    """Writes ``replay_page`` to a file; replaces an existing file, which stays unchanged after an error.

    Raises:
        OSError: the file cannot be written.
        RecordError, ValueError: as ``replay_page``.
    """
    write_text(path, replay_page(record, viewer, title, curves, ended, answers, luck))


def replay_data(record: GameRecord, viewer: int | None, answers: Iterable[Written] = ()) -> dict[str, Any]:
    """The data of the page; for a seat only what the seat may know.

    Returns:
        ``viewer``; ``players``; ``seats``: of each ``id``, ``name`` and ``side``; ``ruleset``: in words;
        ``tones``: of the lines of the log; ``words``: every text once; ``first``: the first ``picture``;
        ``answers``: by number of steps before it a list of ``[seat, text, failure]``, what was written;
        ``steps``: for each later picture ``[seat, lines, difference]``: who decided, the log, and what has
        changed, for ``apply_difference``. A line is ``[tone, seat, words, eyes, opens, card, needed, dice]``:
        places in ``tones`` and ``words``, -1 or a seat (the first of a side for what the whole side does),
        whose eyes it is for (a bit for each seat, the next for those that see all; all of them in the page of
        a seat), 1 if an action begins with it; then the card shown (or None), and dice with what they needed.

    Raises:
        RecordError, ValueError: as ``replay_page``.
    """
    record.verify()
    seats = record.ruleset.seats
    if viewer is not None:
        viewer = check_seat(viewer, seats)
    state = record.replay(0).state
    latest = picture(state, viewer)
    shown, steps = latest, []
    words: dict[str, int] = {}
    first = latest
    written: dict[int, list[list[Any]]] = {}
    left = deque(answer for answer in answers if viewer in (None, answer[1]))
    for number, action in enumerate(record.actions):
        while left and left[0][0] <= number:
            written.setdefault(len(steps), []).append(list(left.popleft()[1:]))
        trace = trace_of(record.given(state, number), action)
        lines = _lines(trace, viewer, seats, words)
        if viewer not in (None, int(state["seat"])) and _is_secret(trace):
            steps[-1][1] += lines  # these eyes do not see that anything was chosen
        else:
            if steps:
                steps[-1].append(difference(shown, latest))
                shown = latest
            steps.append([int(state["seat"]), lines])
        state = trace.after
        latest = picture(state, viewer)
    if steps:
        steps[-1].append(difference(shown, latest))
    for _, *rest in left:
        written.setdefault(len(steps), []).append(rest)
    return {
        "viewer": viewer,
        "players": list(record.players),
        "seats": [{"id": seat.name, "name": seat.title, "side": SIDE_IDS[seat.team]} for seat in seats],
        "ruleset": record.ruleset.title,
        "tones": list(_TONES),
        "first": first,
        "steps": steps,
        "words": list(words),
        "answers": written,
    }


_Line = list[Any]


def _lines(trace: Trace, viewer: int | None, seats: Sequence[Seat], words: dict[str, int]) -> list[_Line]:
    """The log of a step; a page with everything has the lines of every view."""
    merged: list[tuple[Sentence, int]] = []
    everybody = [*range(len(seats)), None]
    for bit, eyes in enumerate(everybody) if viewer is None else [(-1, viewer)]:
        mask = 1 << bit if bit >= 0 else (1 << len(everybody)) - 1
        place = 0
        for sentence in tell(trace, eyes):
            if sentence.tone not in _TONES:
                continue
            same = next((n for n in range(place, len(merged)) if merged[n][0] == sentence), None)
            if same is None:
                merged.insert(place, (sentence, mask))
                place += 1
            else:
                merged[same] = sentence, merged[same][1] | mask
                place = same + 1
    return [_line(sentence, eyes, words) for sentence, eyes in merged]


def _line(sentence: Sentence, eyes: int, words: dict[str, int]) -> _Line:
    place = words.setdefault(sentence.text, len(words))
    seat = next((each for each in (sentence.seat, sentence.team) if each is not None), -1)
    line: _Line = [_TONES.index(sentence.tone), seat, place, eyes, int(sentence.opens)]
    if sentence.card is not None:
        line.append(CARD_IDS[sentence.card])
    elif sentence.rolled is not None and not sentence.rolled.faces:
        line += [None, sentence.rolled.needed, list(sentence.rolled.values)]
    return line


def _is_secret(trace: Trace) -> bool:
    """Whether other seats do not even see that there was a choice."""
    return secrecy_of(trace.states[0], trace.states[1], trace.actions[0]) == Secrecy.SECRET


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
