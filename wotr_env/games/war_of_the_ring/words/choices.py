"""Short descriptions of choices: which choices their consequences show, and the names of pieces."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Plan, Verb

PIECES = {"Regular": "Regulars", "Elite": "Elites", "Leader": "Leaders", "Nazgul": "Nazgul"}
"""The names of pieces in choices, with their plurals."""
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
