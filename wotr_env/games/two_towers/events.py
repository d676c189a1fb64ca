"""Events of a step of The Two Towers from the view of a viewer, and the seats that learn something."""

from __future__ import annotations

from typing import Any

import numpy as np

from wotr_env.core.codes import GOING_ON
from wotr_env.core.descriptions import Sentence, Step, Tone
from wotr_env.core.spelling import counted
from wotr_env.games.two_towers import words
from wotr_env.games.two_towers.actions import ACTION_NAMES, HIDDEN
from wotr_env.games.two_towers.batches import KERNELS
from wotr_env.games.two_towers.components import COLOURS, KIND_NAMES, LOCATIONS, NUM_COLOURS
from wotr_env.games.two_towers.ruleset import SEATS
from wotr_env.games.two_towers.state import Phase

_TITLES = [seat.title for seat in SEATS]


def learners(state: np.record, action: int) -> frozenset[int]:
    """The seats that learn something: all other seats see the choice, and the deciding seat sees the cards
    that it draws."""
    seats = set(range(int(state["players"])))
    return frozenset(seats if action == HIDDEN else seats - {int(state["seat"])})


def events(state: np.record, action: int, viewer: int | None) -> Step:
    """The effects of a legal action that a viewer may know.

    Args:
        viewer: a seat, ``PUBLIC``, or None for all effects.
    """
    seat, then = int(state["seat"]), KERNELS.after(state, action)
    done: list[dict[str, Any]] = [{"kind": "decided", "seat": seat, "action": ACTION_NAMES[action]}]
    told = [Sentence(Tone.CHOICE, seat, words.action(state, action), opens=True)]
    if action == HIDDEN:
        drawn = then["hand"][seat] - state["hand"][seat]
        seen = viewer is None or viewer == seat
        cards = [KIND_NAMES[kind] for kind in np.repeat(np.arange(drawn.size), drawn)] if seen else None
        done.append({"kind": "drew", "seat": seat, "number": int(drawn.sum()), "cards": cards})
        if seen:
            told.append(Sentence(Tone.EFFECT, seat, f"{_TITLES[seat]} draws {words.listed(drawn)}"))
    if state["phase"] == Phase.LAY and (then["phase"] == Phase.WALK or then["winner"] != GOING_ON):
        done.append(_scored(state, then))
        told += _score_told(state, then)
    if then["winner"] != GOING_ON:
        done.append({"kind": "ended", "winner": SEATS[then["winner"]].name})
        told.append(Sentence(Tone.MAJOR, None, words.decision(then)))
    elif (then["stage"], then["space"]) != (state["stage"], state["space"]):
        done.append({"kind": "moved", "location": int(then["stage"]), "space": int(then["space"])})
        told.append(Sentence(Tone.TURN, None, words.place(then)))
    return Step(done, told)


def _lost(state: np.record, then: np.record, seat: int) -> list[str]:
    """The colours of the rows from which a player puts a card aside."""
    return [
        COLOURS[colour]
        for colour in range(NUM_COLOURS)
        if then["row"][seat, colour] < state["row"][seat, colour]
    ]


def _scored(state: np.record, then: np.record) -> dict[str, Any]:
    players = range(int(state["players"]))
    return {
        "kind": "scored",
        "location": int(state["stage"]),
        "valid": [int(then["shown"][seat]) for seat in players],
        "points": [int(then["points"][seat] - state["points"][seat]) for seat in players],
        "ring": SEATS[then["starter"]].name,
        "lost": [_lost(state, then, seat) for seat in players],
    }


def _score_told(state: np.record, then: np.record) -> list[Sentence]:
    """Sentences about the cards that each player shows, the points taken, the cards lost, and the owner of
    the ring."""
    location = LOCATIONS[state["stage"]]
    said = []
    for seat in range(int(state["players"])):
        gained = int(then["points"][seat] - state["points"][seat])
        taken = counted(gained, "point") if gained else "no points"
        text = f"{location}: {_TITLES[seat]} shows {counted(then['shown'][seat], 'card')} and takes {taken}"
        if lost := _lost(state, then, seat):
            text += f", and loses a card of {', '.join(lost)}"
        said.append(Sentence(Tone.EFFECT, seat, text))
    if then["starter"] != state["starter"]:
        said.append(Sentence(Tone.EFFECT, int(then["starter"]), f"{_TITLES[then['starter']]} takes the ring"))
    return said
