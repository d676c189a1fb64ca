"""Attacks by event cards: the armies that may attack, their targets, and their figures (R6.4.5, RG21)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import Face
from wotr_env.games.war_of_the_ring.data.event_programs import AttackTarget, Need, Op, columns
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import besieged, is_besieger
from wotr_env.games.war_of_the_ring.rules.events.conditions import army_holds
from wotr_env.games.war_of_the_ring.rules.events.frame import current_op, is_event, parameter

TARGET, ARMY, _ROUNDS, _LOCK = columns(Op.ATTACK, "target", "army", "rounds", "lock")
ACTING_ARMIES, NEED = columns(Op.ARMY_ACTION, "armies", "with")


@kernel
def army_may_attack_by_card(state, target_kind, army, side, origin, target):
    """Whether an army and its target are of the kind that the card requires."""
    if not army_holds(state, army, origin):
        return False
    if target_kind == AttackTarget.RELIEF:
        return origin != target and besieged(state, target) and is_besieger(state, 1 - side, target)
    if target_kind == AttackTarget.ASSAULT:
        return origin == target and is_besieger(state, side, origin)
    return True


@kernel
def card_allows_attack(state, side, origin, target):
    """Whether the running event, if it is an attack, allows this attack."""
    if not is_event(state) or current_op(state) != Op.ATTACK:
        return True
    return army_may_attack_by_card(
        state, parameter(state, TARGET), parameter(state, ARMY), side, origin, target
    )


@kernel
def attack_need(state):
    """The figures that an attack needs: a leader for a Character result, or the figures that a card names
    (R7.8.1, RU48)."""
    if is_event(state):
        return parameter(state, NEED) if current_op(state) == Op.ARMY_ACTION else int(Need.NOBODY)
    return int(Need.LEADER) if state.action_face == Face.CHARACTER else int(Need.NOBODY)


@kernel
def mark_card_battle(state):
    """Stores the changes that a card makes to the battle of its attack (fp-strat-10, sh-char-20,
    sh-strat-02)."""
    if is_event(state) and current_op(state) == Op.ATTACK:
        state.battle_fixed_rounds = parameter(state, _ROUNDS)
        state.battle_card_lock = parameter(state, _LOCK)
        state.battle_fewer_by_garrison = 1 if parameter(state, TARGET) == AttackTarget.RELIEF else 0
