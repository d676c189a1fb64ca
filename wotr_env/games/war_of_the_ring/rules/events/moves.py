"""Events that move armies, Companions and Nazgul, and that attack (section 22.2, R6.4.5, R6.4.9)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import Decision, Plan, Side, Verb
from wotr_env.games.war_of_the_ring.components import NEIGHBOURS, NUM_NEIGHBOURS, NUM_REGIONS
from wotr_env.games.war_of_the_ring.data.event_programs import Op, columns
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.battle.attack import is_target, some_army_can_attack
from wotr_env.games.war_of_the_ring.rules.battle.card_attacks import (
    ACTING_ARMIES,
    ARMY,
    NEED,
    TARGET,
    army_may_attack_by_card,
)
from wotr_env.games.war_of_the_ring.rules.characters import companions_in_fellowship
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.companions import (
    CARD_GROUP,
    MOVING,
    SEPARATING,
    some_companion_can_be_carried,
    some_companion_can_move,
    start_card_companions,
)
from wotr_env.games.war_of_the_ring.rules.events.frame import (
    Step,
    current_step,
    go_to_step,
    next_op,
    parameter,
)
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.minions import some_nazgul, start_nazgul
from wotr_env.games.war_of_the_ring.rules.movement import some_army_can_move, start_card_moves
from wotr_env.games.war_of_the_ring.rules.parties import ATTACK, UNLIMITED, can_form
from wotr_env.games.war_of_the_ring.rules.places import forget_places
from wotr_env.games.war_of_the_ring.rules.stack import ask
from wotr_env.games.war_of_the_ring.rules.walks import some_walk_exists

# --- Companions: the cards change range and siege rules (fp-char-11, 15-17, fp-strat-04, 07). ---

(_EXTRA,) = columns(Op.SEPARATE, "extra")
_CARRIED_EXTRA, _LEVEL = columns(Op.CARRY_GROUP, "extra", "level")


@kernel
def some_companion_can_separate(state):
    return companions_in_fellowship(state) > 0


@kernel
def run_separate(state):
    extra = parameter(state, _EXTRA)
    next_op(state)
    start_card_companions(state, SEPARATING, extra, 0)


@kernel
def some_group_can_go(state):
    return companions_in_fellowship(state) > 0 or some_companion_can_be_carried(state)


@kernel
def run_carry_group(state):
    extra = parameter(state, _CARRIED_EXTRA)
    level = parameter(state, _LEVEL)
    next_op(state)
    start_card_companions(state, CARD_GROUP, extra, level)


@kernel
def run_move_companions(state):
    next_op(state)
    start_card_companions(state, MOVING, 0, 0)


# --- Nazgul. ---


@kernel
def run_move_nazgul(state):
    """Lets any or all Nazgul move, including the Witch-king; none of them has to move (22.4, RG13)."""
    next_op(state)
    start_nazgul(state)


# --- MOVE_ARMIES (R6.4.9). ---

_ARMIES, _RANGE, _WITH, _JOINING = columns(Op.MOVE_ARMIES, "armies", "range", "with", "joining")


@kernel
def some_army_can_go(state, card, place):
    row = EVENT_OPS[card, place]
    side = int(state.acting)
    if row[_RANGE] == 1 and row[_JOINING] == 0:
        return some_army_can_move(state, side, row[_WITH])
    return some_walk_exists(state, side, row[_WITH], row[_RANGE], row[_JOINING])


@kernel
def run_move_armies(state):
    """Moves a number of armies by a number of regions (R6.4.9)."""
    if current_step(state) == Step.START:
        go_to_step(state, Step.WAITING)
        start_card_moves(
            state,
            parameter(state, _ARMIES),
            parameter(state, _WITH),
            parameter(state, _RANGE),
            parameter(state, _JOINING),
        )
    else:
        forget_places(state)
        next_op(state)


# --- ARMY_ACTION: armies with the named figure move, or one attacks, or nothing (sh-char-23, 24). ---


@kernel
def some_army_can_act(state, card, place):
    need = EVENT_OPS[card, place, NEED]
    return some_army_can_move(state, Side.SHADOW, need) or some_army_can_attack(state, Side.SHADOW, need)


@kernel
def run_army_action(state):
    if current_step(state) == Step.START:
        ask(state, Side.SHADOW, Decision.EVENT_OPTION)
    else:
        forget_places(state)
        next_op(state)


@kernel
def legal_army_action(state, mask):
    """D44: move, attack or nothing."""
    need = parameter(state, NEED)
    if some_army_can_move(state, Side.SHADOW, need):
        mask[Block.PLAN + Plan.MOVE_ARMIES] = True
    if some_army_can_attack(state, Side.SHADOW, need):
        mask[Block.PLAN + Plan.ATTACK] = True
    mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_army_action(state, action):
    go_to_step(state, Step.WAITING)
    if action == Block.PLAN + Plan.MOVE_ARMIES:
        start_card_moves(state, parameter(state, ACTING_ARMIES), parameter(state, NEED), 1, 0)
    elif action == Block.PLAN + Plan.ATTACK:
        ask(state, Side.SHADOW, Decision.ATTACK_ORIGIN)


# --- ATTACK: relief of a siege, or an assault with three rounds (fp-strat-10, sh-char-20, sh-strat-02). ---


@kernel
def some_army_can_attack_by_card(state, card, place):
    target_kind = EVENT_OPS[card, place, TARGET]
    army = EVENT_OPS[card, place, ARMY]
    side = int(state.acting)
    for origin in range(NUM_REGIONS):
        if state.units[origin, side] == 0 or not can_form(state, ATTACK, side, origin, origin, 0, UNLIMITED):
            continue
        if is_target(state, side, origin, origin) and army_may_attack_by_card(
            state, target_kind, army, side, origin, origin
        ):
            return True
        for i in range(NUM_NEIGHBOURS[origin]):
            target = NEIGHBOURS[origin, i]
            if is_target(state, side, origin, target) and army_may_attack_by_card(
                state, target_kind, army, side, origin, target
            ):
                return True
    return False


@kernel
def run_attack(state):
    if current_step(state) == Step.START:
        go_to_step(state, Step.WAITING)
        ask(state, int(state.acting), Decision.ATTACK_ORIGIN)
    else:
        next_op(state)


OPERATIONS = {
    Op.SEPARATE: Operation(some_companion_can_separate, run_separate),
    Op.CARRY_GROUP: Operation(some_group_can_go, run_carry_group),
    Op.MOVE_COMPANIONS: Operation(some_companion_can_move, run_move_companions),
    Op.MOVE_NAZGUL: Operation(some_nazgul, run_move_nazgul),
    Op.MOVE_ARMIES: Operation(some_army_can_go, run_move_armies),
    Op.ARMY_ACTION: Operation(
        some_army_can_act,
        run_army_action,
        {
            Decision.EVENT_OPTION: Choice(
                "D44",
                Asked.SHADOW,
                legal_army_action,
                apply_army_action,
                "whether armies move or one attacks by {card}",
            )
        },
    ),
    Op.ATTACK: Operation(some_army_can_attack_by_card, run_attack),
}
