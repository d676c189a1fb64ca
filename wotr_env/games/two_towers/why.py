"""Reasons why choices of The Two Towers are impossible, for the deciding seat."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wotr_env.core.descriptions import Why
from wotr_env.games.two_towers.actions import ACTION_NAMES, BLOCKS
from wotr_env.games.two_towers.components import COLOURS, GANDALF, KIND_NAMES, QUALITIES
from wotr_env.games.two_towers.state import NONE, Ask, Opt
from wotr_env.games.two_towers.words import kind_title

Told = Iterator[tuple[str, Why]]

_LAY_LATER = "Cards are laid at a location; on the way to it cards are taken"
_TAKE_LATER = "Cards are taken on the way; at a location cards are laid"


def reasons(state: np.record) -> dict[str, Why]:
    """Why actions of the pending decision are illegal, by the names of actions.

    An action is left out if it is legal, or if no reason is known. Each reason is enough to make the action
    illegal, and contains only information that the deciding seat knows.
    """
    ask = Ask(int(state["decision"]))
    if ask == Ask.NOTHING:
        return {}
    return dict(_laying(state, int(state["seat"])) if ask == Ask.LAY else _taking(state, ask))


def _names(*blocks: str) -> Iterator[str]:
    return (ACTION_NAMES[action] for block in blocks for action in BLOCKS[block])


def _taking(state: np.record, ask: Ask) -> Told:
    """Reasons about taking a card of the display or of the pile, or exchanging one card for two (TT2)."""
    for name in _names("lay", "begin"):
        yield name, Why("later", _LAY_LATER)
    hidden = int(state["pile"].sum() + state["discard"].sum())
    if hidden < (2 if ask == Ask.FIRST else 1):
        left = "Only one card is" if hidden else "No card is"
        yield "take:hidden", Why("pile", f"{left} left in the pile")
    if ask == Ask.DRAW:
        needed = 1 if state["options"][Opt.TAKE_BACK] else 2
        if state["display"].sum() + hidden < needed:
            for name in _names("swap"):
                yield name, Why("too-few", "Too few cards are left to take two for this one")
        return
    for name in _names("swap"):
        yield name, Why("swapped", "You have put a card into the display already")
    kind = int(state["swapped"]) - 1
    if state["display"][kind] == 1 and not state["options"][Opt.TAKE_BACK]:
        text = f"You have just put {kind_title(kind)} into the display, and may not take it back"
        yield f"take:{KIND_NAMES[kind]}", Why("own", text)


def _laying(state: np.record, seat: int) -> Told:
    """Reasons about laying a card in the row of its colour (TT3)."""
    for name in _names("take", "swap"):
        yield name, Why("later", _TAKE_LATER)
    for kind, name in enumerate(KIND_NAMES[:GANDALF]):
        if not state["hand"][seat, kind]:
            continue
        colour, quality = divmod(kind, len(QUALITIES))
        row = int(state["quality"][seat, colour])
        if row == quality:
            text = f"Your {COLOURS[colour]} row is of {QUALITIES[quality]}, and Gandalf only begins a row"
            yield f"begin:{name}", Why("row", text)
        elif state["fresh"][colour] and row != NONE:
            why = Why(
                "fresh",
                f"You have begun a {COLOURS[colour]} row of {QUALITIES[row]} this turn; "
                "a row is begun once a turn in each colour",
            )
            yield from ((f"{verb}:{name}", why) for verb in ("lay", "begin"))
        elif not state["hand"][seat, GANDALF]:
            yield f"begin:{name}", Why("no-gandalf", "You have no Gandalf to begin a row with")
