"""Messages for viewers, made only from positions in their views."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from wotr_env.core.codes import PUBLIC
from wotr_env.core.descriptions import Form, Tone
from wotr_env.core.kind import GameKind
from wotr_env.core.shapes import svg
from wotr_experiments import games
from wotr_experiments.table.messages import Refused, to_json
from wotr_experiments.table.story import Told
from wotr_experiments.table.viewers import Eyes

_KEPT = 64
"""Maximal number of drawings in memory, for viewers with the same view and form; each has about 50 KB."""


def tell(kind: GameKind, ruleset: Any, state: np.record, action: int, number: int, view: int | None) -> Told:
    """The texts about an action for a view.

    Args:
        kind: the game.
        ruleset: the ruleset of the game.
        state: the position before the action.
        action: a legal action.
        number: number of the action, from 1.
        view: a seat, ``PUBLIC``, or None for all information.
    """
    step = kind.step_of(state, action, view)
    sentences = [
        {
            "number": number,
            "tone": each.tone.value,
            "seat": None if each.seat is None else ruleset.seats[each.seat].name,
            "team": None if each.team is None else kind.teams[each.team].name,
            "text": each.text,
            "opens": each.opens,
        }
        for each in step.sentences
    ]
    events = msgspec.Raw(to_json({"number": number, "events": step.events})) if step.events else None
    return Told(tuple(msgspec.Raw(to_json(each)) for each in sentences), events)


def tell_hand(kind: GameKind, ruleset: Any, start: np.record, view: int | None) -> list[dict[str, Any]]:
    """A sentence with the first hand of a seat, for the view of this seat; its number is 0."""
    if kind.words.hand is None or view is None or view == PUBLIC:
        return []
    text = f"First hand of {ruleset.seats[view].title}: {kind.words.hand(start, view)}"
    seat = ruleset.seats[view].name
    return [{"number": 0, "tone": Tone.DEED.value, "seat": seat, "team": None, "text": text, "opens": False}]


def is_drawn(kind: GameKind) -> bool:
    """Whether the page shows drawings of the game, because the game has no page for its board."""
    return kind.picture is None and kind.drawing is not None


def is_shown(kind: GameKind) -> bool:
    """Whether a page shows the positions of the game."""
    return is_drawn(kind) or games.page_of(kind) is not None


def board_of(kind: GameKind, ruleset: Any) -> dict[str, Any]:
    """The data that a page loads once to show the positions of a game.

    Raises:
        Refused: no page shows the game.
    """
    if is_drawn(kind):
        return drawn_board(kind, ruleset)
    if (page := games.page_of(kind)) is None:
        raise Refused("message", f"no page draws the game {kind.title}")
    return page.board(ruleset)


def sight(
    kind: GameKind, ruleset: Any, state: np.record, eyes: Eyes, open_hands: bool = False
) -> dict[str, Any]:
    """A position for a view: the fields ``picture`` to ``result`` of the protocol.

    Args:
        kind: the game.
        ruleset: the ruleset of the game.
        state: the position.
        eyes: the view, and the form of the drawing.
        open_hands: whether a drawing shows all hands, as after the end of the game.
    """
    result = kind.result.of(state)
    decider = None if result is not None else int(state["seat"])
    knows = decider is not None and eyes.view in (decider, None)
    return {
        "picture": None if kind.picture is None else kind.picture(state, eyes.view),
        "drawing": _drawing(kind, state, eyes, open_hands or result is not None),
        "ending": None if result is None else kind.words.decision(state),
        "verdict": None if result is None else _verdict(kind, ruleset, state, eyes),
        "question": None if decider is None else _question(kind, ruleset, state, knows),
        "why": _why(kind, state) if knows and eyes.sits else [],
        "legal": _legal(kind, state) if knows and eyes.sits else [],
        "result": None if result is None else result.to_dict(),
    }


def choice(kind: GameKind, state: np.record, action: int) -> dict[str, Any]:
    """A legal choice, in the format of the protocol."""
    return {"id": action, "name": kind.actions.names[action], "words": kind.words.action(state, action)}


def choices_along(kind: GameKind, state: np.record, actions: Sequence[int]) -> list[dict[str, Any]]:
    """The choices of a gesture, each with its ``decision``, in the format of the protocol."""
    states = np.array([state], dtype=kind.state)
    masks = np.zeros((1, kind.actions.size), dtype=np.bool_)
    shown = []
    for action in actions:
        decision = None if kind.decision is None else kind.decision(states[0])
        shown.append({**choice(kind, states[0], action), "decision": decision})
        if len(shown) < len(actions):
            kind.kernels.step(states, masks, np.array([action], dtype=np.int64))
    return shown


def seats_shown(kind: GameKind, ruleset: Any, seats: Mapping[str, str]) -> list[dict[str, Any]]:
    """Seats and their players, in the format of the protocol."""
    return [
        {"name": each.name, "title": each.title, "team": kind.teams[each.team].name, "kind": seats[each.name]}
        for each in ruleset.seats
    ]


def _question(kind: GameKind, ruleset: Any, state: np.record, own: bool) -> dict[str, Any]:
    """The pending question. For other seats it contains only the deciding seat, because questions can reveal
    hands."""
    seat = ruleset.seats[int(state["seat"])]
    if not own:
        return {"seat": seat.name, "text": f"{seat.title} decides", "decision": None}
    name = None if kind.decision is None else kind.decision(state)
    asked = None if kind.guide is None else kind.guide.question(state)
    return {"seat": seat.name, "text": kind.words.decision(state), "asked": asked, "decision": name}


def _why(kind: GameKind, state: np.record) -> list[dict[str, Any]]:
    """The reasons why actions are illegal, each with the names of its actions."""
    if kind.guide is None or kind.guide.why is None:
        return []
    names: dict[str, list[str]] = {}
    for name, why in kind.guide.why(state).items():
        names.setdefault(why.text, []).append(name)
    return [{"text": text, "names": each} for text, each in names.items()]


def _verdict(kind: GameKind, ruleset: Any, state: np.record, eyes: Eyes) -> str | None:
    """The result for the viewer's seat, with its own points first: ``You have lost, 7 to 20``."""
    if not eyes.sits or eyes.view is None:
        return None
    won = kind.winning_seats(np.array([state], dtype=kind.state), ruleset)[0]
    said = "You have won" if won[eyes.view] else "You have lost" if won.any() else "Nobody has won"
    if kind.guide is None or kind.guide.scores is None:
        return said
    scores = list(kind.guide.scores(state))
    own = scores.pop(eyes.view)
    return f"{said}, {own} to {', '.join(map(str, sorted(scores, reverse=True)))}"


def _drawing(kind: GameKind, state: np.record, eyes: Eyes, open_hands: bool) -> dict[str, str] | None:
    """SVG with action names by the name of its form, of a game without its own board."""
    if not is_drawn(kind):
        return None
    view = None if open_hands else eyes.view
    return {eyes.form.value: _drawn(kind, state.tobytes(), view, eyes.form)}


@functools.lru_cache(_KEPT)
def _drawn(kind: GameKind, data: bytes, view: int | None, form: Form) -> str:
    """The SVG of a position, given as its bytes."""
    assert kind.drawing is not None
    return svg(kind.drawing(np.frombuffer(data, kind.state).copy()[0], view, form=form), pointed=True)


def drawn_board(kind: GameKind, ruleset: Any) -> dict[str, Any]:
    """The constant data of a drawn game: names, and descriptions of parts."""
    guide = kind.guide
    legend = {} if guide is None else guide.legend(ruleset)
    assert kind.drawing is not None
    states, _ = kind.new_states([0], ruleset)
    first = {form.value: kind.drawing(states[0], PUBLIC, form=form) for form in Form}
    return {
        "drawn": True,
        "game": kind.name,
        "title": kind.title,
        "spec": kind.spec_of(ruleset),
        "seats": [each.name for each in ruleset.seats],
        "positions": kind.positions is not None,
        "sizes": {form: [drawing.width, drawing.height] for form, drawing in first.items()},
        "groups": {} if guide is None else dict(guide.groups),
        "finishing": [] if guide is None else sorted(guide.finishing),
        "legend": [
            {
                "title": title,
                "entries": [
                    {
                        "name": each.name,
                        "text": each.text,
                        "drawing": None if each.drawing is None else svg(each.drawing, pointed=True),
                    }
                    for each in entries
                ],
            }
            for title, entries in legend.items()
        ],
    }


def _legal(kind: GameKind, state: np.record) -> list[dict[str, Any]]:
    (mask,) = kind.masks(np.array([state], dtype=kind.state))
    return [choice(kind, state, action) for action in np.flatnonzero(mask).tolist()]
