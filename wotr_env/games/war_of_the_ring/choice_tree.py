"""The legal choices of a question as a tree of the questions that would follow, for choosing by pointing at
the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_env.core.codes import GOING_ON
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS, Block, code_name
from wotr_env.games.war_of_the_ring.codes import Decision, Verb
from wotr_env.games.war_of_the_ring.engine.kernel import NO_ACTION, refresh, step, trace
from wotr_env.games.war_of_the_ring.state import STATE

Node = dict[str, Any]

_NEXT: dict[Decision, tuple[Decision, ...]] = {
    Decision.ACTION_DIE: (Decision.ACTION_PLAN,),
    Decision.ACTION_PLAN: (
        Decision.ADVANCE_NATION,
        Decision.ARMY_ORIGIN,
        Decision.ATTACK_ORIGIN,
        Decision.BRING_CHARACTER,
        Decision.COMPANION_GROUP,
        Decision.DRAW_DECK,
        Decision.EVENT_CARD,
        Decision.MINION_TO_MOVE,
        Decision.RECRUIT_FIGURE,
        Decision.SEPARATE_GROUP,
    ),
    Decision.ARMY_ORIGIN: (Decision.ARMY_DESTINATION,),
    Decision.ATTACK_ORIGIN: (Decision.ATTACK_TARGET,),
    Decision.BRING_CHARACTER: (Decision.CHARACTER_REGION,),
    Decision.DECLARE_FELLOWSHIP: (Decision.CHOOSE_GUIDE,),
    Decision.MINION_TO_MOVE: (Decision.MINION_DESTINATION,),
    Decision.RECRUIT_FIGURE: (Decision.RECRUIT_REGION,),
}
"""The questions that may follow each question. No player learns anything from the choices on such a path."""
_DECLINE = int(Block.VERB + Verb.DECLINE)
_FOLLOWING = frozenset(each for following in _NEXT.values() for each in following)
_PICKING = {
    Decision.ARMY_DESTINATION: Decision.MOVE_FIGURES,
    Decision.ATTACK_TARGET: Decision.ATTACK_FIGURES,
}
"""The question that follows the choice of a goal."""

_UNCHANGED = ("seat", "turn", "counter", "tape_position")
"""Fields that stay the same if no other seat was asked, and nothing was rolled or drawn."""


def choice_tree(state: np.record) -> list[Node]:
    """The legal choices of a position, and the choices of the questions that would follow, as long as these
    questions ask for a place on the map.

    The tree contains no information that is hidden from the deciding seat.

    Args:
        state: one record of dtype ``STATE`` that waits for a decision.

    Returns:
        A dictionary for each choice: ``id``; ``forced``: the ids of the actions that the rules would take
            after it; ``asked``: the name of the decision that follows; ``choices``: the choices of this
            decision. Keys without a value are missing.
    """
    states = np.array([state], dtype=STATE)
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    refresh(states, masks)
    choices: list[Node] = []
    lists = [choices]
    while lists:
        states, masks, lists = _deeper(states, masks, lists)
    return choices


def _deeper(
    states: np.ndarray, masks: np.ndarray, lists: list[list[Node]]
) -> tuple[np.ndarray, np.ndarray, list[list[Node]]]:
    """Writes the choices of each position into its list. Returns the positions whose choices continue the
    tree, with their masks and lists."""
    parents, actions = np.nonzero(masks)
    made: list[Node] = [{"id": action} for action in actions.tolist()]
    for parent, node in zip(parents.tolist(), made, strict=True):
        lists[parent].append(node)
    decisions = states["decision"][parents]
    # a region is all one points at
    declared = (decisions == Decision.DECLARE_FELLOWSHIP) & (actions != _DECLINE)
    leading = np.flatnonzero(np.isin(decisions, list(_NEXT)) & ~declared)
    states, masks, actions = states[parents[leading]], masks[parents[leading]], actions[leading]
    before = states.copy()
    step(states, masks, actions)
    going, lists = [], []
    for place, node in enumerate(made[each] for each in leading.tolist()):
        _tell_next(before[place], states[place], node)
        if "choices" in node:
            going.append(place)
            lists.append(node["choices"])
    return states[going], masks[going], lists


def _tell_next(before: np.record, after: np.record, node: Node) -> None:
    """Adds to a choice the actions that the rules would take after it, and the decision that they would
    ask."""
    following = _NEXT[Decision(int(before["decision"]))]
    quiet = int(after["winner"]) == GOING_ON and all(before[name] == after[name] for name in _UNCHANGED)
    played = bool((before["card_zone"] != after["card_zone"]).any())  # a card may ask what a plan asks
    decision = Decision(int(after["decision"]))
    if played or not (quiet and decision in following):
        forced = _forced(before, node["id"], following)
        if not forced:
            return
        node["forced"] = [action for _, action in forced]
        last, _ = forced[-1]
        if not (quiet and (decision in _NEXT.get(last, ()) or decision == _PICKING.get(last))):
            return
    node["asked"] = code_name(decision)
    if decision in _FOLLOWING:
        node["choices"] = []


def _forced(before: np.record, action: int, following: Sequence[Decision]) -> list[tuple[Decision, int]]:
    """The choices that the rules make without asking after an action, as long as each may follow the previous
    one."""
    states, actions = trace(before, action)
    forced: list[tuple[Decision, int]] = []
    for state, taken in zip(states[1:-1], actions[1:].tolist(), strict=True):
        if taken == NO_ACTION:
            continue
        decision = Decision(int(state["decision"]))
        if int(state["seat"]) != int(before["seat"]) or decision not in following:
            break
        forced.append((decision, taken))
        following = _NEXT.get(decision, ())
    return forced
