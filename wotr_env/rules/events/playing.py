"""Playing event cards: what may be played, and the interpreter of their programs (R6.4, sections 19.5, 22.2).

Frame EVENT: stage = operation of the program, A card, B step within the operation, C and D its own numbers,
E die result that paid for the card or ``NO_DIE``. An operation is finished by ``next_op``; one that waits for
something sets its next step first. The operations are in the ``event_*`` modules by what they work on.
"""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.cards.event_programs import EVENT_CONDITIONS, EVENT_OPS, MAX_CONDITIONS, MAX_OPS, Condition, Op
from wotr_env.codes import CardZone, Decision, Face, Frame, Icon, Side, Verb
from wotr_env.components import CARD_ICON, NUM_CARDS
from wotr_env.kernels import kernel
from wotr_env.rules.cards import die_pays_for
from wotr_env.rules.characters import messenger_ready
from wotr_env.rules.events import fellowship as event_fellowship
from wotr_env.rules.events import figures as event_figures
from wotr_env.rules.events import moves as event_moves
from wotr_env.rules.events import special as event_special
from wotr_env.rules.events.conditions import holds
from wotr_env.rules.events.frame import NO_DIE, current_op, is_event, next_op
from wotr_env.rules.stack import STAGE, A, B, E, ask, get, pop, push, put
from wotr_env.rules.table.play import after_event
from wotr_env.ruleset import Option
from wotr_env.state import CARDS_PER_DECK

# --- What may be played (R6.3, R6.4.1, R6.4.4). ---


@kernel
def condition_holds(state, card):
    """The printed condition (R6.4.1)."""
    for place in range(MAX_CONDITIONS):
        row = EVENT_CONDITIONS[card, place]
        if row[0] == Condition.POSSIBLE:
            if not _does_something(state, card):
                return False
        elif row[0] != 0 and not holds(state, row[0], row[1], row[2], row[3], row[4]):
            return False
    return True


@kernel
def _does_something(state, card):
    """Whether some operation has an effect now (R6.4.4, option null_events)."""
    skip = False
    for place in range(MAX_OPS):
        row = EVENT_OPS[card, place]
        op = row[0]
        if op == Op.IF:
            skip = not holds(state, row[1], row[2], row[3], row[4], row[5])
        elif skip:
            skip = False
        elif op != Op.END and op_is_possible(state, card, place):
            return True
    return False


@kernel
def op_is_possible(state, card, place):
    """Whether an operation of a card would change anything (R6.4.4)."""
    op = EVENT_OPS[card, place, 0]
    if op == Op.TILE or op == Op.TABLE:
        return True
    if op in (Op.RECRUIT, Op.PROMOTE_IN_ARMY, Op.PROMOTE_ANYWHERE, Op.HITS, Op.DREADFUL_SPELLS, Op.VALINOR):
        return event_figures.is_possible(state, card, place)
    if op in (Op.SEPARATE, Op.CARRY_GROUP, Op.MOVE_COMPANIONS, Op.ATTACK, Op.MOVE_ARMIES, Op.ARMY_ACTION):
        return event_moves.is_possible(state, card, place)
    if op in (Op.MOVE_NAZGUL, Op.SUMMON_OR_MOVE_NAZGUL, Op.WOSES, Op.CORSAIRS, Op.DUNLENDINGS):
        return event_moves.is_possible(state, card, place)
    if op in (Op.CHALLENGE, Op.EAGLES, Op.ENTS, Op.DEAD_MEN, Op.EXTRA_CARD, Op.STORMCROW):
        return event_special.is_possible(state, card, place)
    return event_fellowship.is_possible(state, card, place)


@kernel
def event_is_playable(state, card):
    """The condition holds, and the card would do something, unless null_events (R6.4.1, R6.4.4)."""
    return condition_holds(state, card) and (
        state.options[Option.NULL_EVENTS] == 1 or _does_something(state, card)
    )


@kernel
def needs_messenger_for_card(face, card):
    """A plain Muster result plays an Army-icon card only through the Messenger (R14.12)."""
    return face == Face.MUSTER and CARD_ICON[card] == Icon.ARMY


@kernel
def can_play_event(state, card, face):
    """The card is in the acting hand, the die pays for it, and it may be played (R6.3.1, R6.4.1)."""
    if state.card_zone[card] != CardZone.HAND + state.acting:
        return False
    by_messenger = (
        needs_messenger_for_card(face, card) and state.acting == Side.SHADOW and messenger_ready(state)
    )
    return (die_pays_for(face, card) or by_messenger) and event_is_playable(state, card)


@kernel
def some_event_is_playable(state, face):
    first = 2 * CARDS_PER_DECK * int(state.acting)
    for card in range(first, first + 2 * CARDS_PER_DECK):
        if can_play_event(state, card, face):
            return True
    return False


# --- Playing (R6.4.2). ---


@kernel
def legal_event_card(state, mask):
    """D08: a card of the hand that the die pays for; a further card of The Ents Awake is optional."""
    extra = is_event(state)
    face = int(Face.CHARACTER) if extra else int(state.action_face)
    for card in range(NUM_CARDS):
        if can_play_event(state, card, face):
            mask[Block.CARD + card] = True
    if extra:
        mask[Block.VERB + Verb.DECLINE] = True


@kernel
def apply_event_card(state, action):
    """The card leaves the hand before its effect (R6.2.4, R6.4.2)."""
    face = int(state.action_face)
    if is_event(state):  # the further card of The Ents Awake
        next_op(state)
        face = NO_DIE
    if action == Block.VERB + Verb.DECLINE:
        return
    card = action - Block.CARD
    if needs_messenger_for_card(face, card):
        state.messenger_used = 1
    state.card_zone[card] = CardZone.IN_PLAY
    push(state, Frame.EVENT)
    put(state, A, card)
    put(state, E, face)


@kernel
def resume_event(state):
    """The next operation; at the end the card is discarded or stays on the table (R6.4.2, R6.5.1)."""
    place = get(state, STAGE)
    card = get(state, A)
    if place == MAX_OPS or EVENT_OPS[card, place, 0] == Op.END:
        face = get(state, E)
        if state.card_zone[card] == CardZone.IN_PLAY:
            state.card_zone[card] = CardZone.DISCARD
        pop(state)
        if face != NO_DIE:
            after_event(state, card, face)
    else:
        _run_op(state, EVENT_OPS[card, place, 0])


@kernel
def _run_op(state, op):
    """Finds the operation; one that can do nothing is dropped (R6.4.4), ``if`` may skip the next one."""
    if (
        op != Op.IF
        and op != Op.EXTRA_CARD
        and get(state, B) == 0
        and not op_is_possible(state, get(state, A), get(state, STAGE))
    ):
        next_op(state)
    elif op == Op.IF:
        row = EVENT_OPS[get(state, A), get(state, STAGE)]
        if not holds(state, row[1], row[2], row[3], row[4], row[5]):
            next_op(state)
        next_op(state)
    elif op == Op.RECRUIT:
        event_figures.run_recruit(state)
    elif op == Op.PROMOTE_IN_ARMY or op == Op.PROMOTE_ANYWHERE:
        event_figures.run_promote(state)
    elif op == Op.HITS:
        event_figures.run_hits(state)
    elif op == Op.DREADFUL_SPELLS:
        event_figures.run_dreadful_spells(state)
    elif op == Op.VALINOR:
        event_figures.run_valinor(state)
    elif op == Op.SEPARATE or op == Op.CARRY_GROUP or op == Op.MOVE_COMPANIONS:
        event_moves.run_companions(state)
    elif op == Op.ATTACK:
        event_moves.run_attack(state)
    elif op == Op.MOVE_ARMIES:
        event_moves.run_move_armies(state)
    elif op == Op.ARMY_ACTION:
        event_moves.run_army_action(state)
    elif op == Op.MOVE_NAZGUL:
        event_moves.run_move_nazgul(state)
    elif op == Op.SUMMON_OR_MOVE_NAZGUL:
        event_moves.run_summon_or_move_nazgul(state)
    elif op == Op.WOSES:
        event_moves.run_woses(state)
    elif op == Op.CORSAIRS:
        event_moves.run_corsairs(state)
    elif op == Op.DUNLENDINGS:
        event_moves.run_dunlendings(state)
    elif op == Op.CHALLENGE:
        event_special.run_challenge(state)
    elif op == Op.EAGLES:
        event_special.run_eagles(state)
    elif op == Op.ENTS:
        event_special.run_ents(state)
    elif op == Op.EXTRA_CARD:
        _runis_event(state)
    elif op == Op.DEAD_MEN:
        event_special.run_dead_men(state)
    elif op == Op.STORMCROW:
        event_special.run_stormcrow(state)
    else:
        event_fellowship.run(state, op)


@kernel
def _runis_event(state):
    """The Ents Awake by option: a further Character-icon card without a die (22.4, ents_extra_card)."""
    if event_special.extra_card_allowed(state) and some_event_is_playable(state, int(Face.CHARACTER)):
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_CARD)
    else:
        next_op(state)


# --- The choices inside events (D44, D45): each belongs to the operation that is running. ---


@kernel
def legal_event_region(state, mask):
    """D44: a region, by the rules of the operation."""
    op = current_op(state)
    if op == Op.RECRUIT or op == Op.PROMOTE_ANYWHERE or op == Op.HITS or op == Op.DREADFUL_SPELLS:
        event_figures.legal_region(state, mask)
    elif op == Op.SHIFT_FIGURE:
        event_fellowship.legal_shift(state, mask)
    elif op == Op.WOSES or op == Op.CORSAIRS or op == Op.DUNLENDINGS:
        event_moves.legal_region(state, mask)
    else:
        event_special.legal_region(state, mask)


@kernel
def apply_event_region(state, action):
    op = current_op(state)
    if op == Op.RECRUIT or op == Op.PROMOTE_ANYWHERE or op == Op.HITS or op == Op.DREADFUL_SPELLS:
        event_figures.apply_region(state, action)
    elif op == Op.SHIFT_FIGURE:
        event_fellowship.apply_shift(state, action)
    elif op == Op.WOSES or op == Op.CORSAIRS or op == Op.DUNLENDINGS:
        event_moves.apply_region(state, action)
    else:
        event_special.apply_region(state, action)


@kernel
def legal_event_figure(state, mask):
    """D44, D45: a figure to recruit, move or lose."""
    op = current_op(state)
    if op == Op.RECRUIT:
        event_figures.legal_recruit(state, mask)
    elif op == Op.KILL_LEADER:
        event_fellowship.legal_kill_leader(state, mask)
    elif op == Op.WOSES or op == Op.CORSAIRS or op == Op.DUNLENDINGS:
        event_moves.legal_figure(state, mask)
    else:
        event_special.legal_figure(state, mask)


@kernel
def apply_event_figure(state, action):
    op = current_op(state)
    if op == Op.RECRUIT:
        event_figures.apply_recruit(state, action)
    elif op == Op.KILL_LEADER:
        event_fellowship.apply_kill_leader(state, action)
    elif op == Op.WOSES or op == Op.CORSAIRS or op == Op.DUNLENDINGS:
        event_moves.apply_figure(state, action)
    else:
        event_special.apply_figure(state, action)


@kernel
def legal_event_nation(state, mask):
    """D44: a nation for Wisdom of Elrond, The Grey Company or Stormcrow."""
    op = current_op(state)
    if op == Op.PROMOTE_IN_ARMY:
        event_figures.legal_promote(state, mask)
    elif op == Op.COUNSEL:
        event_fellowship.legal_counsel(state, mask)
    else:
        event_special.legal_stormcrow(state, mask)


@kernel
def apply_event_nation(state, action):
    op = current_op(state)
    if op == Op.PROMOTE_IN_ARMY:
        event_figures.apply_promote(state, action)
    elif op == Op.COUNSEL:
        event_fellowship.apply_counsel(state, action)
    else:
        event_special.apply_stormcrow(state, action)


@kernel
def legal_event_character(state, mask):
    """D44, D45: Companions who go with the Dead Men, or leave a breaking Fellowship."""
    if current_op(state) == Op.DEAD_MEN:
        event_special.legal_dead_men_companion(state, mask)
    else:
        event_fellowship.legal_breaking(state, mask)


@kernel
def apply_event_character(state, action):
    if current_op(state) == Op.DEAD_MEN:
        event_special.apply_dead_men_companion(state, action)
    else:
        event_fellowship.apply_breaking(state, action)


@kernel
def legal_event_option(state, mask):
    """D44, D45: one of several things that the text offers."""
    op = current_op(state)
    if op == Op.ARMY_ACTION or op == Op.SUMMON_OR_MOVE_NAZGUL:
        event_moves.legal_option(state, mask)
    else:
        event_fellowship.legal_option(state, mask)


@kernel
def apply_event_option(state, action):
    op = current_op(state)
    if op == Op.ARMY_ACTION or op == Op.SUMMON_OR_MOVE_NAZGUL:
        event_moves.apply_option(state, action)
    else:
        event_fellowship.apply_option(state, action)
