"""The flow of a game: resume the business on top of the stack until a player must decide.

Each kind of decision has a pair ``legal_<decision>`` and ``apply_<decision>`` in the module of its chapter;
each kind of frame has a ``resume_<frame>``. This module only finds them.
"""

from __future__ import annotations

from wotr_env.actions import NUM_ACTIONS
from wotr_env.codes import Decision, Frame, Winner
from wotr_env.kernels import kernel
from wotr_env.rules import (
    armies,
    cards,
    characters,
    companions,
    dice,
    fellowship,
    minions,
    mordor,
    movement,
    politics,
    recruiting,
    turn,
)
from wotr_env.rules.battle import battle, combat_cards, combat_effects, siege
from wotr_env.rules.chance import forget_draws
from wotr_env.rules.events import fellowship as event_fellowship
from wotr_env.rules.events import playing as events
from wotr_env.rules.hunt import dice as hunt_dice
from wotr_env.rules.hunt import hunt
from wotr_env.rules.stack import KIND, answered, get
from wotr_env.rules.table import play as table_play
from wotr_env.ruleset import Option

GOES_ON = -1
"""From ``advance``: no player is asked yet."""
WITHOUT_END = -1
"""For ``advance``: until a player is asked."""


@kernel
def resume(state):
    """Goes on with the business on top of the stack."""
    kind = get(state, KIND)
    if kind == Frame.TURN:
        turn.resume_turn(state)
    elif kind == Frame.ACTION:
        dice.resume_action(state)
    elif kind == Frame.GUIDE:
        fellowship.resume_guide(state)
    elif kind == Frame.MOVE_ARMIES:
        movement.resume_move_armies(state)
    elif kind == Frame.BATTLE:
        battle.resume_battle(state)
    elif kind == Frame.CASUALTIES:
        armies.resume_casualties(state)
    elif kind == Frame.TRIM:
        armies.resume_trim(state)
    elif kind == Frame.HUNT:
        hunt.resume_hunt(state)
    elif kind == Frame.REVEAL:
        fellowship.resume_reveal(state)
    elif kind == Frame.MOVE_COMPANIONS:
        companions.resume_move_companions(state)
    elif kind == Frame.MOVE_MINIONS:
        minions.resume_move_minions(state)
    elif kind == Frame.RECRUIT:
        recruiting.resume_recruit(state)
    elif kind == Frame.TAKE_THEM_ALIVE:
        companions.resume_take_them_alive(state)
    elif kind == Frame.HAND_LIMIT:
        cards.resume_hand_limit(state)
    elif kind == Frame.EVENT:
        events.resume_event(state)
    elif kind == Frame.LOSE_CARD:
        table_play.resume_lose_card(state)
    elif kind == Frame.BUY_OFF:
        table_play.resume_buy_off(state)
    elif kind == Frame.AFTER_EVENT:
        table_play.resume_after_event(state)


@kernel
def legal(state, mask):
    """Marks the legal actions of the pending decision in a mask of zeros."""
    decision = int(state.decision)
    if decision == Decision.DISCARD_CARD:
        cards.legal_discard_card(state, mask)
    elif decision == Decision.DECLARE_FELLOWSHIP:
        fellowship.legal_declare_fellowship(state, mask)
    elif decision == Decision.CHOOSE_GUIDE:
        fellowship.legal_choose_guide(state, mask)
    elif decision == Decision.HUNT_ALLOCATION:
        hunt_dice.legal_hunt_allocation(state, mask)
    elif decision == Decision.ACTION_DIE:
        dice.legal_action_die(state, mask)
    elif decision == Decision.RING_DIE:
        dice.legal_ring_die(state, mask)
    elif decision == Decision.RING_FACE:
        dice.legal_ring_face(state, mask)
    elif decision == Decision.ACTION_PLAN:
        dice.legal_action_plan(state, mask)
    elif decision == Decision.DRAW_DECK:
        cards.legal_draw_deck(state, mask)
    elif decision == Decision.EVENT_CARD:
        events.legal_event_card(state, mask)
    elif decision == Decision.ADVANCE_NATION:
        politics.legal_advance_nation(state, mask)
    elif decision == Decision.RECRUIT_FIGURE:
        recruiting.legal_recruit_figure(state, mask)
    elif decision == Decision.RECRUIT_REGION:
        recruiting.legal_recruit_region(state, mask)
    elif decision == Decision.BRING_CHARACTER:
        characters.legal_bring_character(state, mask)
    elif decision == Decision.CHARACTER_REGION:
        characters.legal_character_region(state, mask)
    elif decision == Decision.ARMY_ORIGIN:
        movement.legal_army_origin(state, mask)
    elif decision == Decision.ARMY_DESTINATION:
        movement.legal_army_destination(state, mask)
    elif decision == Decision.MOVE_FIGURES:
        movement.legal_move_figures(state, mask)
    elif decision == Decision.ATTACK_ORIGIN:
        battle.legal_attack_origin(state, mask)
    elif decision == Decision.ATTACK_TARGET:
        battle.legal_attack_target(state, mask)
    elif decision == Decision.ATTACK_FIGURES:
        battle.legal_attack_figures(state, mask)
    elif decision == Decision.COMPANION_GROUP:
        companions.legal_companion_group(state, mask)
    elif decision == Decision.COMPANION_DESTINATION:
        companions.legal_companion_destination(state, mask)
    elif decision == Decision.MINION_TO_MOVE:
        minions.legal_minion_to_move(state, mask)
    elif decision == Decision.MINION_DESTINATION:
        minions.legal_minion_destination(state, mask)
    elif decision == Decision.SEPARATE_GROUP:
        companions.legal_separate_group(state, mask)
    elif decision == Decision.SEPARATE_DESTINATION:
        companions.legal_companion_destination(state, mask)
    elif decision == Decision.COMBAT_CARD:
        combat_cards.legal_combat_card(state, mask)
    elif decision == Decision.COMBAT_CHOICE:
        combat_effects.legal_combat_choice(state, mask)
    elif decision == Decision.STRONGHOLD:
        siege.legal_stronghold(state, mask)
    elif decision == Decision.ADVANCE_FIGURES:
        battle.legal_advance_figures(state, mask)
    elif decision == Decision.CASUALTY:
        armies.legal_casualty(state, mask)
    elif decision == Decision.CEASE:
        battle.legal_cease(state, mask)
    elif decision == Decision.RETREAT:
        battle.legal_retreat(state, mask)
    elif decision == Decision.PROLONG_ASSAULT:
        siege.legal_prolong_assault(state, mask)
    elif decision == Decision.WHITE_RIDER:
        battle.legal_white_rider(state, mask)
    elif decision == Decision.SORCERER:
        battle.legal_sorcerer(state, mask)
    elif decision == Decision.TRIM_ARMY:
        armies.legal_trim_army(state, mask)
    elif decision == Decision.HUNT_REACTION:
        hunt.legal_hunt_reaction(state, mask)
    elif decision == Decision.HUNT_DAMAGE:
        hunt.legal_hunt_damage(state, mask)
    elif decision == Decision.TAKE_THEM_ALIVE:
        companions.legal_take_them_alive(state, mask)
    elif decision == Decision.REVEAL_REGION:
        fellowship.legal_reveal_region(state, mask)
    elif decision == Decision.ENTER_MORDOR:
        mordor.legal_enter_mordor(state, mask)
    elif decision == Decision.EVENT_DIE:
        event_fellowship.legal_event_die(state, mask)
    elif decision == Decision.EVENT_OPTION:
        events.legal_event_option(state, mask)
    elif decision == Decision.EVENT_CHARACTER:
        events.legal_event_character(state, mask)
    elif decision == Decision.EVENT_NATION:
        events.legal_event_nation(state, mask)
    elif decision == Decision.EVENT_FIGURE:
        events.legal_event_figure(state, mask)
    elif decision == Decision.EVENT_REGION:
        events.legal_event_region(state, mask)
    elif decision == Decision.FLOCKS_OF_CREBAIN:
        hunt.legal_use_card(state, mask)
    elif decision == Decision.WIZARDS_STAFF:
        hunt.legal_use_card(state, mask)
    elif decision == Decision.MITHRIL_COAT:
        hunt.legal_use_card(state, mask)
    elif decision == Decision.LOSE_CARD:
        table_play.legal_lose_card(state, mask)
    elif decision == Decision.BALROG:
        fellowship.legal_balrog(state, mask)
    elif decision == Decision.GUIDE_DRAW:
        table_play.legal_guide_draw(state, mask)
    elif decision == Decision.PALANTIR_DRAW:
        cards.legal_draw_deck(state, mask)
    elif decision == Decision.BUY_OFF_CARD:
        table_play.legal_buy_off_card(state, mask)
    elif decision == Decision.BUY_OFF_COST:
        table_play.legal_buy_off_cost(state, mask)


@kernel
def apply(state, action):
    """Carries out a legal action of the pending decision."""
    decision = int(state.decision)
    answered(state)
    forget_draws(state)
    if decision == Decision.DISCARD_CARD:
        cards.apply_discard_card(state, action)
    elif decision == Decision.DECLARE_FELLOWSHIP:
        fellowship.apply_declare_fellowship(state, action)
    elif decision == Decision.CHOOSE_GUIDE:
        fellowship.apply_choose_guide(state, action)
    elif decision == Decision.HUNT_ALLOCATION:
        hunt_dice.apply_hunt_allocation(state, action)
    elif decision == Decision.ACTION_DIE:
        dice.apply_action_die(state, action)
    elif decision == Decision.RING_DIE:
        dice.apply_ring_die(state, action)
    elif decision == Decision.RING_FACE:
        dice.apply_ring_face(state, action)
    elif decision == Decision.ACTION_PLAN:
        dice.apply_action_plan(state, action)
    elif decision == Decision.DRAW_DECK:
        cards.apply_draw_deck(state, action)
    elif decision == Decision.EVENT_CARD:
        events.apply_event_card(state, action)
    elif decision == Decision.ADVANCE_NATION:
        politics.apply_advance_nation(state, action)
    elif decision == Decision.RECRUIT_FIGURE:
        recruiting.apply_recruit_figure(state, action)
    elif decision == Decision.RECRUIT_REGION:
        recruiting.apply_recruit_region(state, action)
    elif decision == Decision.BRING_CHARACTER:
        characters.apply_bring_character(state, action)
    elif decision == Decision.CHARACTER_REGION:
        characters.apply_character_region(state, action)
    elif decision == Decision.ARMY_ORIGIN:
        movement.apply_army_origin(state, action)
    elif decision == Decision.ARMY_DESTINATION:
        movement.apply_army_destination(state, action)
    elif decision == Decision.MOVE_FIGURES:
        movement.apply_move_figures(state, action)
    elif decision == Decision.ATTACK_ORIGIN:
        battle.apply_attack_origin(state, action)
    elif decision == Decision.ATTACK_TARGET:
        battle.apply_attack_target(state, action)
    elif decision == Decision.ATTACK_FIGURES:
        battle.apply_attack_figures(state, action)
    elif decision == Decision.COMPANION_GROUP:
        companions.apply_companion_group(state, action)
    elif decision == Decision.COMPANION_DESTINATION:
        companions.apply_companion_destination(state, action)
    elif decision == Decision.MINION_TO_MOVE:
        minions.apply_minion_to_move(state, action)
    elif decision == Decision.MINION_DESTINATION:
        minions.apply_minion_destination(state, action)
    elif decision == Decision.SEPARATE_GROUP:
        companions.apply_separate_group(state, action)
    elif decision == Decision.SEPARATE_DESTINATION:
        companions.apply_companion_destination(state, action)
    elif decision == Decision.COMBAT_CARD:
        combat_cards.apply_combat_card(state, action)
    elif decision == Decision.COMBAT_CHOICE:
        combat_effects.apply_combat_choice(state, action)
    elif decision == Decision.STRONGHOLD:
        siege.apply_stronghold(state, action)
    elif decision == Decision.ADVANCE_FIGURES:
        battle.apply_advance_figures(state, action)
    elif decision == Decision.CASUALTY:
        armies.apply_casualty(state, action)
    elif decision == Decision.CEASE:
        battle.apply_cease(state, action)
    elif decision == Decision.RETREAT:
        battle.apply_retreat(state, action)
    elif decision == Decision.PROLONG_ASSAULT:
        siege.apply_prolong_assault(state, action)
    elif decision == Decision.WHITE_RIDER:
        battle.apply_white_rider(state, action)
    elif decision == Decision.SORCERER:
        battle.apply_sorcerer(state, action)
    elif decision == Decision.TRIM_ARMY:
        armies.apply_trim_army(state, action)
    elif decision == Decision.HUNT_REACTION:
        hunt.apply_hunt_reaction(state, action)
    elif decision == Decision.HUNT_DAMAGE:
        hunt.apply_hunt_damage(state, action)
    elif decision == Decision.TAKE_THEM_ALIVE:
        companions.apply_take_them_alive(state, action)
    elif decision == Decision.REVEAL_REGION:
        fellowship.apply_reveal_region(state, action)
    elif decision == Decision.ENTER_MORDOR:
        mordor.apply_enter_mordor(state, action)
    elif decision == Decision.EVENT_DIE:
        event_fellowship.apply_event_die(state, action)
    elif decision == Decision.EVENT_OPTION:
        events.apply_event_option(state, action)
    elif decision == Decision.EVENT_CHARACTER:
        events.apply_event_character(state, action)
    elif decision == Decision.EVENT_NATION:
        events.apply_event_nation(state, action)
    elif decision == Decision.EVENT_FIGURE:
        events.apply_event_figure(state, action)
    elif decision == Decision.EVENT_REGION:
        events.apply_event_region(state, action)
    elif decision == Decision.FLOCKS_OF_CREBAIN:
        hunt.apply_flocks_of_crebain(state, action)
    elif decision == Decision.WIZARDS_STAFF:
        hunt.apply_wizards_staff(state, action)
    elif decision == Decision.MITHRIL_COAT:
        hunt.apply_mithril_coat(state, action)
    elif decision == Decision.LOSE_CARD:
        table_play.apply_lose_card(state, action)
    elif decision == Decision.BALROG:
        fellowship.apply_balrog(state, action)
    elif decision == Decision.GUIDE_DRAW:
        table_play.apply_guide_draw(state, action)
    elif decision == Decision.PALANTIR_DRAW:
        cards.apply_draw_deck(state, action)
    elif decision == Decision.BUY_OFF_CARD:
        table_play.apply_buy_off_card(state, action)
    elif decision == Decision.BUY_OFF_COST:
        table_play.apply_buy_off_cost(state, action)


@kernel
def run(state, mask):
    """Runs to the next decision and writes its mask; returns the number of legal actions, 0 after the end.

    A decision with one legal action is taken without asking, unless the ruleset option
    ``ask_single`` wants all of them asked.
    """
    return advance(state, mask, WITHOUT_END)


@kernel
def advance(state, mask, moves):
    """The same for so many moves of the rules at most: businesses resumed, and decisions taken unasked.

    Returns ``GOES_ON`` if no player is asked by then; the mask of a decision taken unasked holds its action.
    """
    while moves != 0:
        moves -= 1
        mask[:] = False
        table_play.check_lapses(state)
        if state.winner != Winner.NONE:
            answered(state)
            return 0
        if state.decision == Decision.NONE:
            resume(state)
            continue
        legal(state, mask)
        count = 0
        for action in range(NUM_ACTIONS):
            count += mask[action]
        if count == 0:
            raise RuntimeError("a decision without a legal action")
        if count > 1 or state.options[Option.ASK_SINGLE] == 1:
            return count
        only = 0
        while not mask[only]:
            only += 1
        apply(state, only)
    return GOES_ON
