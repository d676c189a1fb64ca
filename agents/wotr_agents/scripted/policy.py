"""The scripted policy: for every kind of decision, a score for each legal action."""

from __future__ import annotations

from wotr_agents.kernels import kernel
from wotr_agents.scripted import armies, cards, fellowship, plans
from wotr_agents.scripted.board import read_board
from wotr_env.actions import NUM_ACTIONS, Block
from wotr_env.codes import Decision, Verb
from wotr_env.rules.battle.strength import nazgul_points

NO_SCORE = -1000.0


@kernel
def score_actions(state, mask, scores, work, odds):
    """Writes the score of every action, ``NO_SCORE`` where it is illegal; higher is better."""
    side = int(state.seat)
    decision = int(state.decision)
    for action in range(NUM_ACTIONS):
        scores[action] = 0.0
    read_board(state, side, work)
    _score_verbs(scores)
    if decision <= Decision.SEPARATE_DESTINATION:
        _score_action(state, side, decision, mask, scores, work, odds)
    elif decision <= Decision.TRIM_ARMY:
        _score_battle(state, side, decision, mask, scores, work, odds)
    else:
        _score_other(state, side, decision, mask, scores, work)
    for action in range(NUM_ACTIONS):
        if not mask[action]:
            scores[action] = NO_SCORE


@kernel
def _score_verbs(scores):
    """What is sensible if nothing else is said: to use what is offered."""
    scores[Block.VERB + Verb.ACCEPT] = 1.0
    scores[Block.VERB + Verb.HUNT_ROLL] = 0.5
    scores[Block.VERB + Verb.DONE] = -0.5
    scores[Block.VERB + Verb.DECLINE] = -0.5


@kernel
def _score_action(state, side, decision, mask, scores, work, odds):
    """Decisions about dice and what they do."""
    if decision == Decision.DISCARD_CARD:
        cards.score_discards(state, mask, scores)
    elif decision == Decision.DECLARE_FELLOWSHIP:
        fellowship.score_declare(state, mask, scores, work)
    elif decision == Decision.CHOOSE_GUIDE:
        fellowship.score_guide(state, mask, scores)
    elif decision == Decision.HUNT_ALLOCATION:
        fellowship.score_allocation(state, mask, scores, work)
    elif decision == Decision.ACTION_DIE:
        plans.score_die(state, side, mask, scores, work, odds)
    elif decision == Decision.RING_DIE:
        plans.score_ring_die(state, side, mask, scores, work, odds)
    elif decision == Decision.RING_FACE:
        plans.score_ring_face(state, side, mask, scores, work, odds)
    elif decision == Decision.ACTION_PLAN:
        plans.score_plan(state, side, mask, scores, work, odds)
    elif decision == Decision.DRAW_DECK:
        cards.score_decks(state, side, scores)
    elif decision == Decision.EVENT_CARD:
        cards.score_events(state, mask, scores)
    elif decision == Decision.ADVANCE_NATION:
        plans.score_nations(state, side, mask, scores, work)
    elif decision == Decision.RECRUIT_FIGURE:
        plans.score_recruits(state, side, mask, scores)
    elif decision == Decision.RECRUIT_REGION:
        armies.score_recruit_region(state, side, mask, scores, work)
    elif decision == Decision.BRING_CHARACTER:
        plans.score_bring(state, mask, scores)
    elif decision == Decision.CHARACTER_REGION:
        plans.score_entry(state, side, mask, scores, work)
    elif decision == Decision.ARMY_ORIGIN:
        armies.score_origin(state, side, mask, scores, work)
    elif decision == Decision.ARMY_DESTINATION:
        armies.score_destination(state, side, mask, scores, work)
    elif decision == Decision.MOVE_FIGURES:
        armies.score_move_figures(state, side, mask, scores, work)
    elif decision == Decision.ATTACK_ORIGIN:
        armies.score_attack_origin(state, side, mask, scores, work, odds)
    elif decision == Decision.ATTACK_TARGET:
        armies.score_attack_target(state, side, mask, scores, work, odds)
    elif decision == Decision.ATTACK_FIGURES:
        armies.score_party(state, side, mask, scores, int(state.battle_origin), False)
    elif decision == Decision.COMPANION_GROUP or decision == Decision.SEPARATE_GROUP:
        fellowship.score_group(state, mask, scores)
    elif decision == Decision.COMPANION_DESTINATION or decision == Decision.SEPARATE_DESTINATION:
        fellowship.score_companion_goal(state, mask, scores, work)
    elif decision == Decision.MINION_TO_MOVE:
        plans.score_minion(state, mask, scores, work)
    else:
        armies.score_by_need(state, side, mask, scores, work, decision)


@kernel
def _score_battle(state, side, decision, mask, scores, work, odds):
    """Decisions inside battles."""
    if decision == Decision.COMBAT_CARD:
        cards.score_combat_cards(state, side, mask, scores, work)
    elif decision == Decision.STRONGHOLD:
        armies.score_stronghold(state, side, scores, work, odds)
    elif decision == Decision.ADVANCE_FIGURES:
        armies.score_advance(state, side, mask, scores, work)
    elif decision == Decision.CASUALTY or decision == Decision.TRIM_ARMY:
        armies.score_casualty(state, mask, scores)
    elif decision == Decision.CEASE:
        armies.score_cease(state, side, scores, work, odds)
    elif decision == Decision.RETREAT:
        armies.score_retreat(state, side, mask, scores, work, odds)
    elif decision == Decision.PROLONG_ASSAULT:
        armies.score_prolong(state, side, mask, scores, odds)
    elif decision == Decision.WHITE_RIDER:
        scores[Block.VERB + Verb.ACCEPT] = nazgul_points(state) - 1.5
        scores[Block.VERB + Verb.DECLINE] = 0.0
    elif decision == Decision.SORCERER:
        cards.score_decks(state, side, scores)


@kernel
def _score_other(state, side, decision, mask, scores, work):
    """Hunt, events, table cards."""
    if decision == Decision.HUNT_REACTION:
        fellowship.score_hunt_reaction(state, mask, scores, work)
    elif decision == Decision.HUNT_DAMAGE:
        fellowship.score_hunt_damage(state, scores, work)
    elif decision == Decision.REVEAL_REGION:
        fellowship.score_reveal(state, mask, scores, work)
    elif decision == Decision.LOSE_CARD or decision == Decision.BUY_OFF_COST:
        cards.score_discards(state, mask, scores)
    elif decision == Decision.GUIDE_DRAW or decision == Decision.PALANTIR_DRAW:
        cards.score_decks(state, side, scores)
    elif decision == Decision.EVENT_FIGURE:
        plans.score_recruits(state, side, mask, scores)
        _score_wholes(mask, scores)
    elif decision == Decision.EVENT_NATION:
        plans.score_nations(state, side, mask, scores, work)
    elif decision == Decision.EVENT_DIE:
        _score_dice_to_lose(mask, scores)
    elif decision == Decision.EVENT_CHARACTER:
        fellowship.score_group(state, mask, scores)
    elif decision == Decision.COMBAT_CHOICE:
        _score_small_counts(mask, scores)
        armies.score_by_need(state, side, mask, scores, work, decision)
    elif decision == Decision.EVENT_OPTION:
        fellowship.score_hunt_damage(state, scores, work)
    else:
        armies.score_by_need(state, side, mask, scores, work, decision)


@kernel
def _score_wholes(mask, scores):
    scores[Block.VERB + Verb.WHOLE_ARMY] = 10.0
    scores[Block.VERB + Verb.DONE] = 1.0
    for character in range(Block.CHARACTER, Block.NATION):
        if mask[character]:
            scores[character] = 4.0


@kernel
def _score_dice_to_lose(mask, scores):
    for action in range(Block.FACE, Block.REGION):
        if mask[action]:
            scores[action] = 1.0


@kernel
def _score_small_counts(mask, scores):
    """Small sacrifices: one or two."""
    for count in range(Block.COUNT, NUM_ACTIONS):
        if mask[count]:
            scores[count] = -abs(count - Block.COUNT - 1)
    for action in range(Block.CHARACTER, Block.NATION):
        if mask[action]:
            scores[action] = 0.5
    scores[Block.VERB + Verb.DECLINE] = 0.2
