"""Short descriptions of choices: leaves out choices that their consequences show, and combines repeated
choices."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Plan, Verb

_WHOLE = frozenset(
    {
        Decision.CHOOSE_GUIDE,
        Decision.RING_DIE,
        Decision.RING_FACE,
        Decision.DRAW_DECK,
        Decision.EVENT_CARD,
        Decision.ADVANCE_NATION,
        Decision.RECRUIT_FIGURE,
        Decision.RECRUIT_REGION,
        Decision.BRING_CHARACTER,
        Decision.CHARACTER_REGION,
        Decision.ARMY_ORIGIN,
        Decision.ARMY_DESTINATION,
        Decision.MOVE_FIGURES,
        Decision.ATTACK_ORIGIN,
        Decision.ATTACK_TARGET,
        Decision.ATTACK_FIGURES,
        Decision.COMPANION_GROUP,
        Decision.COMPANION_DESTINATION,
        Decision.MINION_TO_MOVE,
        Decision.MINION_DESTINATION,
        Decision.SEPARATE_GROUP,
        Decision.SEPARATE_DESTINATION,
        Decision.CASUALTY,
        Decision.TRIM_ARMY,
        Decision.REVEAL_REGION,
    }
)
"""Decisions for which the consequences of every answer show the choice: a march, an attack, a recruit, a
loss."""
_OBJECTS = frozenset(
    {
        Decision.DECLARE_FELLOWSHIP,
        Decision.HUNT_ALLOCATION,
        Decision.ADVANCE_FIGURES,
        Decision.RETREAT,
        Decision.PROLONG_ASSAULT,
    }
)
"""Decisions for which the consequences show only choices of an object, not a refusal."""
_DAMAGE = (Verb.TAKE_CORRUPTION, Verb.SACRIFICE_GUIDE, Verb.SACRIFICE_RANDOM)
_UNSEEN_PLANS = (Plan.SKIP, Plan.BUY_OFF)
_ONE_FIGURE = re.compile(r"\ban? (Regular|Elite|Leader|Nazgul)\b")


def shows(decision: int, action: int) -> bool:
    """Whether the consequence of a choice describes the choice again, immediately or at the end of the seat's
    action."""
    if decision == Decision.ACTION_PLAN:
        return action - Block.PLAN not in _UNSEEN_PLANS
    if decision == Decision.HUNT_DAMAGE:
        return action - Block.VERB in _DAMAGE
    if decision in _OBJECTS:
        picked = action in (Block.VERB + Verb.WHOLE_ARMY, Block.VERB + Verb.DONE)
        return picked or (action >= Block.REGION and action != Block.COUNT)
    return decision in _WHOLE


def summed_up(texts: Iterable[str]) -> list[str]:
    """Choices of a seat in words, in order; repeated choices are combined.

    If ``take a Regular of Isengard along`` occurs twice, the result is ``take 2 Regulars of Isengard along``.
    Other repeated choices end with ``(2 times)``.
    """
    summed = []
    for text, group in itertools.groupby(texts):
        times = len(list(group))
        summed.append(text if times == 1 else _times(text, times))
    return summed


def _times(text: str, times: int) -> str:
    def many(found: re.Match[str]) -> str:
        return f"{times} {found[1]}{'' if found[1] == 'Nazgul' else 's'}"

    words, changed = _ONE_FIGURE.subn(many, text, count=1)
    return words if changed else f"{text} ({times} times)"
