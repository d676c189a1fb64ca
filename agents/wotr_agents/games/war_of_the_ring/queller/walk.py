"""The Queller-style Shadow's plan: the walk through the steps of the procedure that finds the next action.

Inspired by the Queller bot by Quitch; written independently. The walk starts again for each action and takes
the first step that some die can pay for. A step, and a page of steps, returns whether it is taken; the
reading then contains the intended action (``Intent``).
"""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.queller.board import leaders_at
from wotr_agents.games.war_of_the_ring.queller.cards import CardKind, has_card, holds_card, preferred_cards
from wotr_agents.games.war_of_the_ring.queller.figures import (
    WitchKingFilter,
    best_witch_king_place,
    figures_gain,
)
from wotr_agents.games.war_of_the_ring.queller.moves import AttackStep, MoveStep, best_attack_of
from wotr_agents.games.war_of_the_ring.queller.musters import isengard_first, threatened_can_muster
from wotr_agents.games.war_of_the_ring.queller.reading import Intent, RingUse, Strategy
from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.codes import Character, Face, Nation, Plan, Side
from wotr_env.games.war_of_the_ring.components import MAX_DICE, NUM_REGIONS, Region
from wotr_env.games.war_of_the_ring.rules.armies import besieged
from wotr_env.games.war_of_the_ring.rules.battle.attack import can_attack_from
from wotr_env.games.war_of_the_ring.rules.cards import hand_size
from wotr_env.games.war_of_the_ring.rules.characters import can_bring
from wotr_env.games.war_of_the_ring.rules.dice import can_plan
from wotr_env.games.war_of_the_ring.rules.rings import ring_ready
from wotr_env.games.war_of_the_ring.state import NUM_FACES


class Payment(Codes):
    """The dice that can pay for a step."""

    LEADER = 0
    ARMY = 1
    CHARACTER = 2
    CHARACTER_OR_EVENT = 3
    MUSTER = 4
    EVENT = 5
    ANY = 6


_NO_FACE = -1


def _paying_faces() -> np.ndarray:
    """The faces that can pay, in order of preference: ``int64[Payment, NUM_FACES]``, followed by
    ``_NO_FACE``."""
    found = np.full((len(Payment), NUM_FACES), _NO_FACE)
    for payment, faces in {
        Payment.LEADER: (Face.CHARACTER, Face.ARMY, Face.ARMY_MUSTER, Face.MUSTER),
        Payment.ARMY: (Face.ARMY, Face.ARMY_MUSTER, Face.MUSTER),
        Payment.CHARACTER: (Face.CHARACTER,),
        Payment.CHARACTER_OR_EVENT: (Face.CHARACTER, Face.EVENT),
        Payment.MUSTER: (Face.MUSTER, Face.ARMY_MUSTER),
        Payment.EVENT: (Face.EVENT,),
        Payment.ANY: (Face.MUSTER, Face.ARMY_MUSTER, Face.EVENT, Face.ARMY),
    }.items():
        found[payment, : len(faces)] = faces
    return found


_PAYING_FACES = _paying_faces()

FEW_CARDS = 4
"""With fewer cards than this, the Shadow draws cards before it plays any."""


# --- Steps. ---


@kernel
def _able(state, queller, face, plan, least):
    """Whether a die result can pay for a plan that is good enough: with at least this rank, or with cards of
    these kinds."""
    need = 1 if face == Face.CHARACTER else 0
    if plan == Plan.ATTACK and queller.best_attack[need] < least:
        return False
    if plan == Plan.MOVE_ARMIES and queller.best_move[need] < least:
        return False
    if not can_plan(state, Side.SHADOW, face, plan):
        return False
    return plan != Plan.PLAY_CARD or has_card(state, queller, face, least)


@kernel
def _step(state, queller, plan, least, payment, marked):
    """Tries one step of the walk; returns whether it is taken. In marked steps, an Elven Ring may provide the
    die.

    ``least`` is the least rank of an attack or move, or the kinds of a card; other plans ignore it.
    """
    for i in range(NUM_FACES):
        face = _PAYING_FACES[payment, i]
        if face == _NO_FACE:
            break
        if queller.dice[face] > 0 and _able(state, queller, face, plan, least):
            queller.intent = Intent.USE_DIE
            queller.intent_face = face
            queller.intent_plan = plan
            return True
    if queller.ring == RingUse.EVERY_STEP or (queller.ring == RingUse.MARKED_STEPS and marked):
        face = _PAYING_FACES[payment, 0]
        if _able(state, queller, face, plan, least):
            queller.intent = Intent.USE_RING
            queller.intent_face = face
            return True
    return False


@kernel
def minion_is_reserved(state):
    """Whether the first Minion must wait, because it would let the Free Peoples bring Gandalf the White with
    a Will of the West."""
    will = state.dice[Side.FREE_PEOPLES, Face.WILL] > 0
    return will and state.minions_seen == 0 and state.location[Character.GANDALF_WHITE] < 0


@kernel
def _minion_ready(state):
    for character in range(Character.WITCH_KING, Character.SARUMAN + 1):
        if can_bring(state, Side.SHADOW, character):
            return True
    return False


@kernel
def _witch_king_step(state, queller):
    """Moves the Witch-king to a mobile army."""
    home = int(state.location[Character.WITCH_KING])
    if home < 0 or queller.mobile[home]:
        return False
    if best_witch_king_place(state, queller) < WitchKingFilter.MOBILE:
        return False
    return _step(state, queller, Plan.MOVE_MINIONS, 0, Payment.CHARACTER, True)


@kernel
def _minion_step(state, queller):
    """Brings a Minion into play, unless the die for him is kept for last."""
    if minion_is_reserved(state) or not _minion_ready(state):
        return False
    return _step(state, queller, Plan.BRING_CHARACTER, 0, Payment.MUSTER, True)


@kernel
def _pass_step(queller):
    """Passes the turn, if that is allowed."""
    if queller.may_pass:
        queller.intent = Intent.PASS
        return True
    return False


@kernel
def _can_hurt_now(state):
    """Whether cards against the Fellowship can be used: it is in Mordor or revealed."""
    return (state.mordor_step > 0 or state.revealed == 1) and holds_card(state, CardKind.CHARACTER)


# --- Pages. ---


@kernel
def _lead_the_besieged(state, queller):
    """Moves the Witch-king to a threatened Stronghold under siege without enough leaders."""
    home = int(state.location[Character.WITCH_KING])
    if home < 0:
        return False
    for region in range(NUM_REGIONS):
        if queller.threatened[region] and besieged(state, region):
            if home != region and leaders_at(queller, region) < MAX_DICE:
                if _step(state, queller, Plan.MOVE_MINIONS, 0, Payment.CHARACTER, True):
                    return True
    return False


@kernel
def _danger_page(state, queller):
    """Deals with threatened Strongholds and undefended targets first."""
    if queller.threats > 0:
        if _step(state, queller, Plan.ATTACK, AttackStep.ON_THREAT, Payment.LEADER, True):
            return True
        if _step(state, queller, Plan.MOVE_ARMIES, MoveStep.TO_THREAT, Payment.LEADER, True):
            return True
        if threatened_can_muster(state, queller):
            if _step(state, queller, Plan.RECRUIT, 0, Payment.MUSTER, True):
                return True
        if _lead_the_besieged(state, queller):
            return True
    if queller.preys > 0:
        return _step(state, queller, Plan.MOVE_ARMIES, MoveStep.TO_PREY, Payment.ARMY, True)
    return False


@kernel
def _event_page(state, queller):
    """The page of an Event die: a card that serves the strategy, new cards, any card."""
    preferred = preferred_cards(queller)
    if _step(state, queller, Plan.PLAY_CARD, preferred, Payment.EVENT, False):
        return True
    if hand_size(state, int(state.seat)) < FEW_CARDS:
        if _step(state, queller, Plan.DRAW_CARD, 0, Payment.EVENT, False):
            return True
    if _step(state, queller, Plan.PLAY_CARD, CardKind.ANY, Payment.EVENT, False):
        return True
    return _step(state, queller, Plan.DRAW_CARD, 0, Payment.EVENT, False)


@kernel
def _leader_attacks(state, queller):
    """Whether an army with the Witch-king or full Leadership has an attack."""
    for region in range(NUM_REGIONS):
        units = queller.board.own_units[region]
        if units == 0 or not can_attack_from(state, Side.SHADOW, region, 1):
            continue
        full = queller.board.own_leadership[region] >= min(MAX_DICE, units)
        led = state.location[Character.WITCH_KING] == region or full
        if led and best_attack_of(state, queller, region) > 0:
            return True
    return False


@kernel
def _character_page(state, queller):
    """The page of a Character die: attack, march, or move Nazgul and Minions; otherwise a card."""
    if _leader_attacks(state, queller) or queller.mobiles > 0:
        if _step(state, queller, Plan.ATTACK, AttackStep.ON_WAY, Payment.CHARACTER, False):
            return True
    if queller.mobiles > 0:
        if _step(state, queller, Plan.MOVE_ARMIES, MoveStep.MARCH, Payment.CHARACTER, False):
            return True
    if figures_gain(state, queller):
        if _step(state, queller, Plan.MOVE_MINIONS, 0, Payment.CHARACTER, False):
            return True
    return _step(state, queller, Plan.PLAY_CARD, CardKind.CHARACTER, Payment.CHARACTER, False)


@kernel
def _army_page(state, queller):
    """The page of an Army die: a new attack, a capture, a merge, a march; without a mobile army any move."""
    if _step(state, queller, Plan.ATTACK, AttackStep.FRESH, Payment.ARMY, False):
        return True
    if _step(state, queller, Plan.MOVE_ARMIES, MoveStep.JOIN, Payment.ARMY, False):
        return True
    if _step(state, queller, Plan.ATTACK, AttackStep.ON_WAY, Payment.ARMY, False):
        return True
    return _step(state, queller, Plan.MOVE_ARMIES, MoveStep.DRIFT, Payment.ARMY, False)


@kernel
def _muster_page(state, queller):
    """The page of a Muster die: threatened walls, Minions, war, cards, troops, the Voice."""
    if threatened_can_muster(state, queller):
        if _step(state, queller, Plan.RECRUIT, 0, Payment.MUSTER, False):
            return True
    if _minion_step(state, queller):
        return True
    if _step(state, queller, Plan.ADVANCE_NATION, 0, Payment.MUSTER, False):
        return True
    if _step(state, queller, Plan.PLAY_CARD, CardKind.MUSTERING, Payment.MUSTER, False):
        return True
    if queller.threatened[Region.ORTHANC]:
        if _step(state, queller, Plan.VOICE_ELITES, 0, Payment.MUSTER, False):
            return True
    if isengard_first(state, queller):
        if state.reinforcement_regular[Nation.ISENGARD] >= 3:
            if _step(state, queller, Plan.VOICE_REGULARS, 0, Payment.MUSTER, False):
                return True
        if _step(state, queller, Plan.VOICE_ELITES, 0, Payment.MUSTER, False):
            return True
    return _step(state, queller, Plan.RECRUIT, 0, Payment.MUSTER, False)


@kernel
def _military_page(state, queller):
    """The page of the military strategy."""
    if _witch_king_step(state, queller) or _minion_step(state, queller):
        return True
    if _can_hurt_now(state):
        if _step(state, queller, Plan.PLAY_CARD, CardKind.REVEALED, Payment.CHARACTER_OR_EVENT, True):
            return True
    if _step(state, queller, Plan.ATTACK, AttackStep.URGENT, Payment.LEADER, True):
        return True
    if _step(state, queller, Plan.PLAY_CARD, CardKind.MUSTERING, Payment.ANY, False):
        return True
    if _pass_step(queller) or _event_page(state, queller):
        return True
    return _step(state, queller, Plan.ATTACK, AttackStep.ON_WAY, Payment.LEADER, False)


@kernel
def _hunting_steps(state, queller):
    """The steps for cards against the Fellowship, and for a Nazgul in its region."""
    if _can_hurt_now(state):
        kinds = CardKind.REVEALED | CardKind.HUNTING
        if _step(state, queller, Plan.PLAY_CARD, kinds, Payment.CHARACTER_OR_EVENT, True):
            return True
        if hand_size(state, int(state.seat)) < FEW_CARDS:
            if _step(state, queller, Plan.DRAW_CARD, 0, Payment.EVENT, True):
                return True
    home = int(state.fellowship_region)
    if home >= 0 and state.mordor_step == 0 and figures_gain(state, queller):
        if state.leader[home, Nation.SAURON] == 0:
            return _step(state, queller, Plan.MOVE_MINIONS, 0, Payment.CHARACTER, False)
    return False


@kernel
def _corruption_page(state, queller):
    """The page of the corruption strategy."""
    if _hunting_steps(state, queller):
        return True
    if _witch_king_step(state, queller) or _minion_step(state, queller):
        return True
    least = AttackStep.URGENT if state.mordor_step > 0 else AttackStep.WINNING
    if _step(state, queller, Plan.ATTACK, least, Payment.LEADER, True):
        return True
    if _pass_step(queller):
        return True
    if _step(state, queller, Plan.PLAY_CARD, CardKind.CHARACTER, Payment.CHARACTER_OR_EVENT, False):
        return True
    if _step(state, queller, Plan.ATTACK, AttackStep.FRESH, Payment.LEADER, False):
        return True
    return _event_page(state, queller)


# --- The walk. ---


@kernel
def _walk(state, queller):
    """Walks through the pages to the first step that can be taken."""
    queller.intent = Intent.NOTHING
    if _danger_page(state, queller):
        return True
    if queller.strategy == Strategy.MILITARY:
        if _military_page(state, queller):
            return True
    elif _corruption_page(state, queller):
        return True
    return _army_page(state, queller) or _character_page(state, queller) or _muster_page(state, queller)


@kernel
def _keep_minion_die(state, queller):
    """Removes the die for a reserved Minion from the usable dice; returns its face, or ``_NO_FACE``."""
    if not minion_is_reserved(state) or not _minion_ready(state):
        return _NO_FACE
    if state.action_face == Face.MUSTER or state.action_face == Face.ARMY_MUSTER:
        if state.dice[Side.SHADOW, Face.MUSTER] + state.dice[Side.SHADOW, Face.ARMY_MUSTER] > 0:
            return _NO_FACE
    for face in (Face.MUSTER, Face.ARMY_MUSTER):
        if queller.dice[face] > 0:
            queller.dice[face] -= 1
            return face
    return _NO_FACE


@kernel
def _no_die_is_left(queller):
    for face in range(NUM_FACES):
        if queller.dice[face] > 0:
            return False
    return True


@kernel
def _find_intent(state, queller):
    """Walks with the usable dice, then with an Elven Ring in every step, and last with the die of the
    reserved Minion."""
    kept = _keep_minion_die(state, queller)
    if _walk(state, queller):
        return
    if queller.ring == RingUse.MARKED_STEPS:
        queller.ring = RingUse.EVERY_STEP
        if _walk(state, queller):
            return
    if kept != _NO_FACE and _no_die_is_left(queller):
        queller.dice[kept] += 1
        _step(state, queller, Plan.BRING_CHARACTER, 0, Payment.MUSTER, False)


@kernel
def find_die(state, queller, may_pass):
    """Finds the next action of the Shadow with its unused dice."""
    for face in range(NUM_FACES):
        queller.dice[face] = state.dice[Side.SHADOW, face]
    queller.ring = RingUse.MARKED_STEPS if ring_ready(state, Side.SHADOW) else RingUse.NO_STEP
    queller.may_pass = may_pass
    _find_intent(state, queller)


@kernel
def find_plan(state, queller):
    """Finds the use of the die that the Shadow has taken."""
    for face in range(NUM_FACES):
        queller.dice[face] = 1 if face == state.action_face else 0
    queller.ring = RingUse.NO_STEP
    queller.may_pass = False
    _find_intent(state, queller)
