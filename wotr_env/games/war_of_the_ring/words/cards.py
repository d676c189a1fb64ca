"""The texts of cards and characters, as the options of a ruleset change them.

``options`` is ``int8[NUM_OPTIONS]``: ``state["options"]`` or ``Ruleset.encode()``.
"""

from __future__ import annotations

import numpy as np

from wotr_env.games.war_of_the_ring.cards.combat import COMBAT_INITIATIVE, COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.games.war_of_the_ring.components import (
    CARD_WORDINGS,
    CHARACTER_LEADERSHIP,
    CHARACTER_LEVEL,
    CHARACTER_WORDINGS,
    COMBAT_WORDINGS,
)
from wotr_env.games.war_of_the_ring.data.combat_programs import OP, CombatOp
from wotr_env.games.war_of_the_ring.data.wording import Wording
from wotr_env.games.war_of_the_ring.options import CombatCardOrder, Option
from wotr_env.games.war_of_the_ring.ruleset import option_code

_CODES = {
    (variant.option, variant.value): option_code(variant.option, variant.value)
    for wording in (*CARD_WORDINGS, *CHARACTER_WORDINGS)
    for variant in wording.variants
}


def card_text(card: int, options: np.ndarray) -> str:
    """Condition, effect and discard condition of an event."""
    return _text(CARD_WORDINGS[card], options)


def combat_text(card: int, options: np.ndarray) -> str:
    """The Combat half of a card, with its initiative if the initiative decides whose card acts first."""
    text = _text(COMBAT_WORDINGS[card], options)
    if options[Option.COMBAT_CARD_ORDER] != CombatCardOrder.INITIATIVE:
        return text
    title = COMBAT_TITLE[card]
    used = COMBAT_PROGRAM[title, :, OP] != CombatOp.NONE
    numbers = sorted(set(COMBAT_INITIATIVE[title, used].tolist()))
    return f"{text} Initiative {' and '.join(map(str, numbers))}."


def character_text(character: int, options: np.ndarray) -> str:
    """The Level of a character, its Leadership if it has any, how it enters, its action die, and its
    abilities."""
    numbers = {"Level": CHARACTER_LEVEL[character], "Leadership": CHARACTER_LEADERSHIP[character]}
    told = ", ".join(f"{name} {number}" for name, number in numbers.items() if number)
    return " ".join(filter(None, (told and f"{told}.", _text(CHARACTER_WORDINGS[character], options))))


def _text(wording: Wording, options: np.ndarray) -> str:
    parts = dict(wording.parts)
    for variant in wording.variants:
        option, code = _CODES[variant.option, variant.value]
        if options[option] == code:
            parts.update(variant.parts)
    return " ".join(_titled(title, text) for title, text in parts.items())


def _titled(title: str, text: str) -> str:
    whole = text if text.endswith(".") else f"{text}."
    return f"{title}: {whole}" if title else whole
