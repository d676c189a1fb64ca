"""What somebody is shown: messages made of a position as it may see it, and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from wotr_env.kind import GameKind
from wotr_experiments.table.eyes import Eyes
from wotr_experiments.table.messages import to_json
from wotr_experiments.table.story import Told


def tell(kind: GameKind, ruleset: Any, state: np.record, action: int, number: int, view: int | None) -> Told:
    """What a view is told of an action.

    Args:
        kind: the game.
        ruleset: of the game.
        state: the position before it.
        action: legal there.
        number: of the action, from 1.
        view: a seat, ``PUBLIC``, or None: of all.
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
        for each in step.told
    ]
    events = msgspec.Raw(to_json({"number": number, "events": step.events})) if step.events else None
    return Told(tuple(msgspec.Raw(to_json(each)) for each in sentences), events)


def sight(kind: GameKind, ruleset: Any, state: np.record, eyes: Eyes) -> dict[str, Any]:
    """A position as somebody may see it: ``picture``, ``question``, ``legal``, ``result`` of the wire."""
    result = kind.result.of(state)
    decider = None if result is not None else int(state["seat"])
    knows = decider is not None and eyes.view in (decider, None)
    return {
        "picture": None if kind.picture is None else kind.picture(state, eyes.view),
        "question": None if decider is None else _question(kind, ruleset, state, knows),
        "legal": _legal(kind, state) if knows and eyes.sits else [],
        "result": None if result is None else result.to_dict(),
    }


def choice(kind: GameKind, state: np.record, action: int) -> dict[str, Any]:
    """A legal choice, for the wire."""
    return {"id": action, "name": kind.actions.names[action], "words": kind.words.action(state, action)}


def seats_shown(kind: GameKind, ruleset: Any, seats: Mapping[str, str]) -> list[dict[str, Any]]:
    """Seats with who plays them, for the wire."""
    return [
        {"name": each.name, "title": each.title, "team": kind.teams[each.team].name, "kind": seats[each.name]}
        for each in ruleset.seats
    ]


def _question(kind: GameKind, ruleset: Any, state: np.record, own: bool) -> dict[str, Any]:
    """What is asked; of another seat only that it decides, since questions tell of hands."""
    seat = ruleset.seats[int(state["seat"])]
    if not own:
        return {"seat": seat.name, "text": f"{seat.title} decides", "decision": None}
    name = None if kind.decision is None else kind.decision(state)
    return {"seat": seat.name, "text": kind.words.decision(state), "decision": name}


def _legal(kind: GameKind, state: np.record) -> list[dict[str, Any]]:
    states = np.array([state], dtype=kind.state)
    mask = np.zeros((1, kind.actions.size), dtype=np.bool_)
    kind.kernels.refresh(states, mask)
    return [choice(kind, state, action) for action in np.flatnonzero(mask[0]).tolist()]
