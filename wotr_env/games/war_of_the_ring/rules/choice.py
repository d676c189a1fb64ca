"""The description of a choice in the rules: the row type of the tables of decisions."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NamedTuple

Kernel = Callable[..., Any]


class Asked(enum.Enum):
    """The player who makes a choice, in words; ``engine.invariants`` checks it in every position."""

    FREE_PEOPLES = "Free Peoples"
    SHADOW = "Shadow"
    ACTING = "the side whose action it is"
    OWNER = "the side of the army or hand"
    ATTACKER = "the attacker"
    DEFENDER = "the defender"
    FIGHTER = "either side of a battle"
    COMBATANT = "the side whose Combat card it is"
    EVENT = "as the event says"


class Choice(NamedTuple):
    """One kind of choice."""

    sources: str
    """The ids of the decision in the rules (D01, ...), or the rule that asks for it."""
    asked: Asked
    legal: Kernel
    """``legal(state, mask)`` marks the actions that may be chosen, in a mask of zeros."""
    apply: Kernel
    """``apply(state, action)`` executes one of these actions."""
    question: str
    """The question in words; the names in braces come from ``words.decisions``."""
    answer: str = "{}"
    """The meaning of an action; the name of its object replaces the braces."""
