"""The Queller-style Shadow's plan: the strategy, and the walk through the steps that finds the next action.

Inspired by the Queller bot by Quitch; written independently. Each action starts the walk anew: the first step
that some die can pay for is taken. An intent is ``32 * face + plan``, or one of the codes below.
"""

from __future__ import annotations

import numpy as np

from wotr_agents.kernels import kernel
from wotr_agents.queller.board import FACTS_AT, Fact, Mark, Strategy, fact, leaders_at, mark
from wotr_agents.queller.cards import (
    ANY_CARD,
    CHARACTER_CARD,
    HUNTING,
    MUSTERING,
    REVEALED,
    has_card,
    holds_card,
    preferred_cards,
)
from wotr_agents.queller.figures import best_witch_king_place, figures_gain
from wotr_agents.queller.moves import (
    DRIFT,
    FRESH,
    MARCH,
    ON_THREAT,
    ON_WAY,
    TO_PREY,
    TO_THREAT,
    URGENT,
    WINNING,
    best_attack_of,
)
from wotr_agents.queller.musters import isengard_first, threatened_can_muster
from wotr_env.codes import Character, Face, Nation, Plan, Side
from wotr_env.components import NUM_REGIONS, Region
from wotr_env.rules.armies import besieged
from wotr_env.rules.battle.attack import can_attack_from
from wotr_env.rules.cards import hand_size
from wotr_env.rules.characters import can_bring
from wotr_env.rules.dice import can_plan
from wotr_env.rules.rings import ring_ready
from wotr_env.state import NUM_FACES

PASS = 1000
NOTHING = 1001
RING = 2000  # + the face wanted
# Which dice pay for a step, in this order.
_NO = -1
_ORDERS = np.array(
    [
        [Face.CHARACTER, Face.ARMY, Face.ARMY_MUSTER, Face.MUSTER],
        [Face.ARMY, Face.ARMY_MUSTER, Face.MUSTER, _NO],
        [Face.CHARACTER, _NO, _NO, _NO],
        [Face.CHARACTER, Face.EVENT, _NO, _NO],
        [Face.MUSTER, Face.ARMY_MUSTER, _NO, _NO],
        [Face.EVENT, _NO, _NO, _NO],
        [Face.MUSTER, Face.ARMY_MUSTER, Face.EVENT, Face.ARMY],
    ]
)
BY_LEADER = 0
BY_ARMY = 1
BY_CHARACTER = 2
BY_CHARACTER_OR_EVENT = 3
BY_MUSTER = 4
BY_EVENT = 5
BY_ANY = 6


@kernel
def _able(state, work, face, plan, least):
    """Whether a die result can pay for a plan that is good enough: a rank, or kinds of cards."""
    need = 1 if face == Face.CHARACTER else 0
    if plan == Plan.ATTACK and fact(work, Fact.ATTACK + need) < least:
        return False
    if plan == Plan.MOVE_ARMIES and fact(work, Fact.MOVE + need) < least:
        return False
    if not can_plan(state, Side.SHADOW, face, plan):
        return False
    return plan != Plan.PLAY_CARD or has_card(state, work, face, least)


@kernel
def _step(state, work, plan, least, order, marked):
    """One step of the walk: its intent, or -1. In marked steps an Elven Ring may make the die."""
    for i in range(4):
        face = _ORDERS[order, i]
        if face >= 0 and fact(work, Fact.DICE + face) > 0 and _able(state, work, face, plan, least):
            return 32 * face + plan
    ring = fact(work, Fact.RING)
    if ring == 2 or (ring == 1 and marked):
        face = _ORDERS[order, 0]
        if _able(state, work, face, plan, least):
            return RING + face
    return -1


@kernel
def minion_is_reserved(state):
    """The first Minion waits: it would let the Free Peoples' Will of the West call Gandalf the White."""
    will = state.dice[Side.FREE_PEOPLES, Face.WILL] > 0
    return will and state.minions_seen == 0 and state.location[Character.GANDALF_WHITE] < 0


@kernel
def _minion_ready(state):
    for character in range(Character.WITCH_KING, Character.SARUMAN + 1):
        if can_bring(state, Side.SHADOW, character):
            return True
    return False


@kernel
def _danger(state, work):
    """Threatened Strongholds and undefended targets come first."""
    if fact(work, Fact.THREATS) > 0:
        intent = _step(state, work, Plan.ATTACK, ON_THREAT, BY_LEADER, 1)
        if intent < 0:
            intent = _step(state, work, Plan.MOVE_ARMIES, TO_THREAT, BY_LEADER, 1)
        if intent < 0 and threatened_can_muster(state, work):
            intent = _step(state, work, Plan.RECRUIT, 0, BY_MUSTER, 1)
        if intent >= 0:
            return intent
        home = int(state.location[Character.WITCH_KING])
        for region in range(NUM_REGIONS):
            if mark(work, Mark.THREATENED, region) > 0 and besieged(state, region) and home >= 0:
                if home != region and leaders_at(work, region) < 5:
                    intent = _step(state, work, Plan.MOVE_MINIONS, 0, BY_CHARACTER, 1)
                    if intent >= 0:
                        return intent
    if fact(work, Fact.PREYS) > 0:
        return _step(state, work, Plan.MOVE_ARMIES, TO_PREY, BY_ARMY, 1)
    return -1


@kernel
def _witch_king_step(state, work):
    """The Witch-king joins a mobile army."""
    home = int(state.location[Character.WITCH_KING])
    if home < 0 or mark(work, Mark.MOBILE, home) > 0 or best_witch_king_place(state, work) < 512:
        return -1
    return _step(state, work, Plan.MOVE_MINIONS, 0, BY_CHARACTER, 1)


@kernel
def _minion_step(state, work):
    """A Minion enters, unless his die is kept for last."""
    if minion_is_reserved(state) or not _minion_ready(state):
        return -1
    return _step(state, work, Plan.BRING_CHARACTER, 0, BY_MUSTER, 1)


@kernel
def _can_hurt_now(state):
    """Cards against the Fellowship have their time: it is in Mordor or revealed."""
    return (state.mordor_step > 0 or state.revealed == 1) and holds_card(state, CHARACTER_CARD)


@kernel
def _event_page(state, work):
    """An Event die: a card that serves the strategy, new cards, any card."""
    preferred = preferred_cards(work)
    intent = _step(state, work, Plan.PLAY_CARD, preferred, BY_EVENT, 0)
    if intent < 0 and hand_size(state, Side.SHADOW) < 4:
        intent = _step(state, work, Plan.DRAW_CARD, 0, BY_EVENT, 0)
    if intent < 0:
        intent = _step(state, work, Plan.PLAY_CARD, ANY_CARD, BY_EVENT, 0)
    if intent < 0:
        intent = _step(state, work, Plan.DRAW_CARD, 0, BY_EVENT, 0)
    return intent


@kernel
def _leader_attacks(state, work):
    """An attack by an army with the Witch-king or full Leadership."""
    for region in range(NUM_REGIONS):
        units = int(state.units[region, Side.SHADOW])
        if units == 0 or not can_attack_from(state, Side.SHADOW, region, 1):
            continue
        led = state.location[Character.WITCH_KING] == region or leaders_at(work, region) >= min(5, units)
        if led and best_attack_of(state, work, region) > 0:
            return True
    return False


@kernel
def _character_page(state, work):
    """A Character die: attack, march, or move Nazgul and Minions; else a card."""
    intent = -1
    if _leader_attacks(state, work):
        intent = _step(state, work, Plan.ATTACK, ON_WAY, BY_CHARACTER, 0)
    if intent < 0 and fact(work, Fact.MOBILES) > 0:
        intent = _step(state, work, Plan.ATTACK, ON_WAY, BY_CHARACTER, 0)
        if intent < 0:
            intent = _step(state, work, Plan.MOVE_ARMIES, MARCH, BY_CHARACTER, 0)
    if intent < 0 and figures_gain(state, work):
        intent = _step(state, work, Plan.MOVE_MINIONS, 0, BY_CHARACTER, 0)
    if intent < 0:
        intent = _step(state, work, Plan.PLAY_CARD, CHARACTER_CARD, BY_CHARACTER, 0)
    return intent


@kernel
def _army_page(state, work):
    """An Army die: attack what is fresh, take, join, march; without a mobile army move any."""
    intent = _step(state, work, Plan.ATTACK, FRESH, BY_ARMY, 0)
    if intent < 0:
        intent = _step(state, work, Plan.MOVE_ARMIES, 4000, BY_ARMY, 0)
    if intent < 0:
        intent = _step(state, work, Plan.ATTACK, ON_WAY, BY_ARMY, 0)
    if intent < 0:
        intent = _step(state, work, Plan.MOVE_ARMIES, DRIFT, BY_ARMY, 0)
    return intent


@kernel
def _muster_page(state, work):
    """A Muster die: walls in danger, Minions, war, cards, troops, the Voice."""
    intent = -1
    if threatened_can_muster(state, work):
        intent = _step(state, work, Plan.RECRUIT, 0, BY_MUSTER, 0)
    if intent < 0:
        intent = _minion_step(state, work)
    if intent < 0:
        intent = _step(state, work, Plan.ADVANCE_NATION, 0, BY_MUSTER, 0)
    if intent < 0:
        intent = _step(state, work, Plan.PLAY_CARD, MUSTERING, BY_MUSTER, 0)
    if intent < 0 and mark(work, Mark.THREATENED, Region.ORTHANC) > 0:
        intent = _step(state, work, Plan.VOICE_ELITES, 0, BY_MUSTER, 0)
    if intent < 0 and isengard_first(state, work):
        if state.reinforcement_regular[Nation.ISENGARD] >= 3:
            intent = _step(state, work, Plan.VOICE_REGULARS, 0, BY_MUSTER, 0)
        if intent < 0:
            intent = _step(state, work, Plan.VOICE_ELITES, 0, BY_MUSTER, 0)
    if intent < 0:
        intent = _step(state, work, Plan.RECRUIT, 0, BY_MUSTER, 0)
    return intent


@kernel
def _keep_minion_die(state, work):
    """Takes the die for a reserved Minion out of the usable ones."""
    if not minion_is_reserved(state) or not _minion_ready(state):
        return False
    if state.action_face == Face.MUSTER or state.action_face == Face.ARMY_MUSTER:
        if state.dice[Side.SHADOW, Face.MUSTER] + state.dice[Side.SHADOW, Face.ARMY_MUSTER] > 0:
            return False
    for face in (Face.MUSTER, Face.ARMY_MUSTER):
        if fact(work, Fact.DICE + face) > 0:
            work[FACTS_AT + Fact.DICE + face] -= 1
            return True
    return False


@kernel
def _military(state, work):
    """The walk of the military strategy."""
    intent = _witch_king_step(state, work)
    if intent < 0:
        intent = _minion_step(state, work)
    if intent < 0 and _can_hurt_now(state):
        intent = _step(state, work, Plan.PLAY_CARD, REVEALED, BY_CHARACTER_OR_EVENT, 1)
    if intent < 0:
        intent = _step(state, work, Plan.ATTACK, URGENT, BY_LEADER, 1)
    if intent < 0:
        intent = _step(state, work, Plan.PLAY_CARD, MUSTERING, BY_ANY, 0)
    if intent < 0 and fact(work, Fact.MAY_PASS) > 0:
        return PASS
    if intent < 0:
        intent = _event_page(state, work)
    if intent < 0:
        intent = _step(state, work, Plan.ATTACK, ON_WAY, BY_LEADER, 0)
    return intent


@kernel
def _corruption(state, work):
    """The walk of the corruption strategy."""
    intent = -1
    if _can_hurt_now(state):
        intent = _step(state, work, Plan.PLAY_CARD, REVEALED + HUNTING, BY_CHARACTER_OR_EVENT, 1)
        if intent < 0 and hand_size(state, Side.SHADOW) < 4:
            intent = _step(state, work, Plan.DRAW_CARD, 0, BY_EVENT, 1)
    home = int(state.fellowship_region)
    if intent < 0 and home >= 0 and state.mordor_step == 0 and figures_gain(state, work):
        if state.leader[home, Nation.SAURON] == 0:
            intent = _step(state, work, Plan.MOVE_MINIONS, 0, BY_CHARACTER, 0)
    if intent < 0:
        intent = _witch_king_step(state, work)
    if intent < 0:
        intent = _minion_step(state, work)
    if intent < 0:
        least = URGENT if state.mordor_step > 0 else WINNING
        intent = _step(state, work, Plan.ATTACK, least, BY_LEADER, 1)
    if intent < 0 and fact(work, Fact.MAY_PASS) > 0:
        return PASS
    if intent < 0:
        intent = _step(state, work, Plan.PLAY_CARD, CHARACTER_CARD, BY_CHARACTER_OR_EVENT, 0)
    if intent < 0:
        intent = _step(state, work, Plan.ATTACK, FRESH, BY_LEADER, 0)
    if intent < 0:
        intent = _event_page(state, work)
    return intent


@kernel
def _walk(state, work):
    """The first step that can be taken, or ``NOTHING``."""
    intent = _danger(state, work)
    if intent < 0:
        if fact(work, Fact.STRATEGY) == Strategy.MILITARY:
            intent = _military(state, work)
        else:
            intent = _corruption(state, work)
    if intent < 0:
        intent = _army_page(state, work)
    if intent < 0:
        intent = _character_page(state, work)
    if intent < 0:
        intent = _muster_page(state, work)
    return intent if intent >= 0 else NOTHING


@kernel
def _nothing_but_reserve(state, work):
    """Whether the reserved die is the only one left."""
    left = 0
    for face in range(NUM_FACES):
        left += int(fact(work, Fact.DICE + face))
    return left == 0


@kernel
def find_intent(state, work, may_pass):
    """What the Shadow does next with its unused dice, or with the die it has taken."""
    taken = may_pass < 0
    for face in range(NUM_FACES):
        dice = int(state.dice[Side.SHADOW, face])
        if taken:
            dice = 1 if face == state.action_face else 0
        work[FACTS_AT + Fact.DICE + face] = dice
    work[FACTS_AT + Fact.MAY_PASS] = max(0, may_pass)
    ring = 0 if taken or not ring_ready(state, Side.SHADOW) else 1
    work[FACTS_AT + Fact.RING] = ring
    reserved = _keep_minion_die(state, work)
    intent = _walk(state, work)
    if intent == NOTHING and ring == 1:
        work[FACTS_AT + Fact.RING] = 2
        intent = _walk(state, work)
    if intent == NOTHING and reserved and _nothing_but_reserve(state, work):
        for face in (Face.MUSTER, Face.ARMY_MUSTER):
            work[FACTS_AT + Fact.DICE + face] = int(state.dice[Side.SHADOW, face])
            if taken and face == state.action_face:
                work[FACTS_AT + Fact.DICE + face] = 1
        intent = _step(state, work, Plan.BRING_CHARACTER, 0, BY_MUSTER, 0)
    return intent if intent >= 0 else NOTHING
