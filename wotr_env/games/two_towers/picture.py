"""A position of The Two Towers from the view of a viewer, as plain data (TT8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from wotr_env.core.seats import check_viewer
from wotr_env.games.two_towers import words
from wotr_env.games.two_towers.components import COLOURS, KIND_NAMES, LOCATIONS, QUALITIES
from wotr_env.games.two_towers.ruleset import SEATS
from wotr_env.games.two_towers.state import GOING_ON, NONE, Phase, valid_cards


def picture(state: np.record, viewer: int | None) -> dict[str, Any]:
    """Returns the information that a viewer sees (``wotr_env.core.kind.check_viewer``).

    Args:
        state: the state of a game.
        viewer: the viewer.

    Returns:
        ``turn`` (from 1); ``over``; ``seat``: the seat whose turn it is, if the game is not over; ``words``:
            the decision or the end; ``place``: the place of the marker; ``unprinted``: the values of
            locations and paths that are our own or drawn, in words; ``locations``: for each ``name``,
            ``qualities``, ``spaces``, ``tokens``, ``marker`` (the space of its path from 1, ``spaces`` + 1 at
            the location, 0 elsewhere); ``display`` and ``discard``: numbers of cards by kind; ``pile``: the
            number of its cards; ``players``: for each ``name``, ``title``, ``points``, ``ring``, ``valid``,
            ``rows`` (``colour``, ``quality``, ``cards``, ``gandalf``), ``hand`` (number of cards), and
            ``cards`` by kind: all cards of the hand for a viewer who may see them, otherwise the cards that
            everybody has seen.

    Raises:
        ValueError: there is no such viewer.
    """
    seats = SEATS[: int(state["players"])]
    viewer = check_viewer(viewer, seats)
    return {
        "turn": int(state["turn"]) + 1,
        "over": bool(state["winner"] != GOING_ON),
        "seat": seats[int(state["seat"])].name if state["winner"] == GOING_ON else None,
        "words": words.decision(state),
        "place": words.place(state),
        "unprinted": words.unprinted(state),
        "locations": [_location(state, number) for number in range(len(LOCATIONS))],
        "display": _by_kind(state["display"]),
        "discard": _by_kind(state["discard"]),
        "pile": int(state["pile"].sum()),
        "players": [
            {
                "name": seat.name,
                "title": seat.title,
                "points": int(state["points"][number]),
                "ring": bool(state["starter"] == number),
                "valid": int(valid_cards(state, number, int(state["stage"]))),
                "rows": _rows(state, number),
                "hand": int(state["hand"][number].sum()),
                "cards": _by_kind(state["hand" if viewer in (None, number) else "known"][number]),
            }
            for number, seat in enumerate(seats)
        ],
    }


def _by_kind(counts: np.ndarray) -> dict[str, int]:
    return {name: int(count) for name, count in zip(KIND_NAMES, counts, strict=True) if count}


def _location(state: np.record, number: int) -> dict[str, Any]:
    here = number == state["stage"]
    spaces = int(state["path"][number])
    on_path = int(state["space"]) + 1 if state["phase"] == Phase.WALK else spaces + 1
    return {
        "name": LOCATIONS[number],
        "qualities": [QUALITIES[each] for each in state["symbols"][number] if each != NONE],
        "spaces": spaces,
        "tokens": [int(token) for token in state["token"][number] if token],
        "marker": on_path if here else 0,
    }


def _rows(state: np.record, seat: int) -> list[dict[str, Any]]:
    return [
        {
            "colour": name,
            "quality": QUALITIES[state["quality"][seat, colour]],
            "cards": int(state["row"][seat, colour]),
            "gandalf": bool(state["gandalf"][seat, colour]),
        }
        for colour, name in enumerate(COLOURS)
        if state["quality"][seat, colour] != NONE
    ]
