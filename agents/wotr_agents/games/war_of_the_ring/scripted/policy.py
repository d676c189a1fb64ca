"""The scripted policy: for every kind of decision, a score for each legal action."""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.scripted import armies, cards, fellowship, plans
from wotr_agents.games.war_of_the_ring.scripted.board import read_as_needed
from wotr_agents.games.war_of_the_ring.scripted.reading import ALL, ARMIES, NOTHING
from wotr_agents.scores import NO_SCORE
from wotr_env.compiler.dispatch import dispatch
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS, Block
from wotr_env.games.war_of_the_ring.codes import Decision, Verb
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side


@kernel
def _score_event_figures(state, mask, scores):
    """D44: chooses figures as in a muster; otherwise whole armies, and characters."""
    plans.score_recruits(state, mask, scores)
    scores[Block.VERB + Verb.WHOLE_ARMY] = 10.0
    scores[Block.VERB + Verb.DONE] = 1.0
    for character in range(Block.CHARACTER, Block.NATION):
        if mask[character]:
            scores[character] = 4.0


@kernel
def _score_dice_to_lose(mask, scores):
    """D44: scores all dice equally."""
    for action in range(Block.FACE, Block.REGION):
        if mask[action]:
            scores[action] = 1.0


@kernel
def _score_combat_choices(side, mask, scores, board):
    """D30: makes small sacrifices, one or two; prefers regions by need."""
    for count in range(Block.COUNT, NUM_ACTIONS):
        if mask[count]:
            scores[count] = -abs(count - Block.COUNT - 1)
    for action in range(Block.CHARACTER, Block.NATION):
        if mask[action]:
            scores[action] = 0.5
    scores[Block.VERB + Verb.DECLINE] = 0.2
    armies.score_by_need(side, mask, scores, board)


@dispatch(
    kernel,
    {
        # Cards, Fellowship, dice.
        Decision.DISCARD_CARD: cards.score_discards,
        Decision.DECLARE_FELLOWSHIP: fellowship.score_declare,
        Decision.ENTER_MORDOR: fellowship.score_enter,
        Decision.CHOOSE_GUIDE: fellowship.score_guide,
        Decision.HUNT_ALLOCATION: fellowship.score_allocation,
        Decision.ACTION_DIE: plans.score_die,
        Decision.RING_DIE: plans.score_ring_die,
        Decision.RING_FACE: plans.score_ring_face,
        Decision.ACTION_PLAN: plans.score_plan,
        # What a die does.
        Decision.DRAW_DECK: cards.score_decks,
        Decision.EVENT_CARD: cards.score_events,
        Decision.ADVANCE_NATION: plans.score_nations,
        Decision.RECRUIT_FIGURE: plans.score_recruits,
        Decision.RECRUIT_REGION: armies.score_recruit_region,
        Decision.BRING_CHARACTER: plans.score_bring,
        Decision.CHARACTER_REGION: plans.score_entry,
        Decision.ARMY_ORIGIN: armies.score_origin,
        Decision.ARMY_DESTINATION: armies.score_destination,
        Decision.MOVE_FIGURES: armies.score_move_figures,
        Decision.ATTACK_ORIGIN: armies.score_attack_origin,
        Decision.ATTACK_TARGET: armies.score_attack_target,
        Decision.ATTACK_FIGURES: armies.score_attack_figures,
        Decision.COMPANION_GROUP: fellowship.score_group,
        Decision.COMPANION_DESTINATION: fellowship.score_companion_goal,
        Decision.MINION_TO_MOVE: plans.score_minion,
        Decision.MINION_DESTINATION: armies.score_minion_goal,
        Decision.SEPARATE_GROUP: fellowship.score_group,
        Decision.SEPARATE_DESTINATION: fellowship.score_companion_goal,
        # Battles.
        Decision.COMBAT_CARD: cards.score_combat_cards,
        Decision.COMBAT_CHOICE: _score_combat_choices,
        Decision.STRONGHOLD: armies.score_stronghold,
        Decision.ADVANCE_FIGURES: armies.score_advance,
        Decision.CASUALTY: armies.score_casualty,
        Decision.TRIM_ARMY: armies.score_casualty,
        Decision.CEASE: armies.score_cease,
        Decision.RETREAT: armies.score_retreat,
        Decision.STAY_BEHIND: armies.score_stay_behind,
        Decision.PROLONG_ASSAULT: armies.score_prolong,
        Decision.WHITE_RIDER: armies.score_white_rider,
        Decision.SORCERER: cards.score_decks,
        # The Hunt.
        Decision.HUNT_REACTION: fellowship.score_hunt_reaction,
        Decision.HUNT_DAMAGE: fellowship.score_hunt_damage,
        Decision.REVEAL_REGION: fellowship.score_reveal,
        # Events, and cards on the table.
        Decision.EVENT_FIGURE: _score_event_figures,
        Decision.EVENT_NATION: plans.score_nations,
        Decision.EVENT_CHARACTER: fellowship.score_group,
        Decision.EVENT_OPTION: fellowship.score_hunt_damage,
        Decision.EVENT_DIE: _score_dice_to_lose,
        Decision.LOSE_CARD: cards.score_discards,
        Decision.BUY_OFF_COST: cards.score_discards,
        Decision.GUIDE_DRAW: cards.score_decks,
        Decision.PALANTIR_DRAW: cards.score_decks,
        # Partners.
        Decision.EXCHANGE_CARD: cards.score_exchange,
        Decision.OFFER_CARD: cards.score_offers,
        Decision.MERGE_ARMIES: armies.score_merge,
    },
    otherwise=armies.score_by_need,
)
def _score_decision(decision, state, side, mask, scores, board, odds):
    """Scores the actions that are specific to a kind of decision, not all verbs; also writes to illegal
    actions."""


_NOT_READ = (
    Decision.DISCARD_CARD,
    Decision.DECLARE_FELLOWSHIP,
    Decision.ENTER_MORDOR,
    Decision.CHOOSE_GUIDE,
    Decision.HUNT_ALLOCATION,
    Decision.DRAW_DECK,
    Decision.EVENT_CARD,
    Decision.RECRUIT_FIGURE,
    Decision.BRING_CHARACTER,
    Decision.COMPANION_GROUP,
    Decision.SEPARATE_GROUP,
    Decision.COMBAT_CARD,
    Decision.STRONGHOLD,
    Decision.CASUALTY,
    Decision.TRIM_ARMY,
    Decision.CEASE,
    Decision.STAY_BEHIND,
    Decision.PROLONG_ASSAULT,
    Decision.WHITE_RIDER,
    Decision.SORCERER,
    Decision.HUNT_REACTION,
    Decision.HUNT_DAMAGE,
    Decision.REVEAL_REGION,
    Decision.EVENT_FIGURE,
    Decision.EVENT_CHARACTER,
    Decision.EVENT_OPTION,
    Decision.EVENT_DIE,
    Decision.LOSE_CARD,
    Decision.BUY_OFF_COST,
    Decision.GUIDE_DRAW,
    Decision.PALANTIR_DRAW,
    Decision.EXCHANGE_CARD,
    Decision.OFFER_CARD,
)
"""Decisions that are scored without reading the board, which takes most of the time."""
_ARMIES_READ = (
    Decision.ADVANCE_NATION,
    Decision.EVENT_NATION,
    Decision.MOVE_FIGURES,
    Decision.ATTACK_FIGURES,
)
"""Decisions that are scored without the pull on armies."""


def _readings() -> np.ndarray:
    readings = np.full(len(Decision), ALL)
    readings[list(_ARMIES_READ)] = ARMIES
    readings[list(_NOT_READ)] = NOTHING
    return readings


_READINGS = _readings()
"""The parts of the board that are read for each decision."""


@kernel
def score_actions(state, mask, scores, board, odds):
    """Writes the score of every action; higher is better, and illegal actions have ``NO_SCORE``.

    The parts of ``board`` that the decision needs are read first.
    """
    score_legal_actions(state, mask, scores, board, odds)
    forbid_others(mask, scores)


@kernel
def score_legal_actions(state, mask, scores, board, odds):
    """As ``score_actions``, but the scores of illegal actions are undefined."""
    side = deciding_side(state)
    extent = _READINGS[state.decision]
    if extent != NOTHING:
        read_as_needed(state, side, extent, board)
    score_as_read(state, side, mask, scores, board, odds)


@kernel
def score_as_read(state, side, mask, scores, board, odds):
    """Scores the legal actions with a board that has already been read."""
    for action in range(NUM_ACTIONS):
        scores[action] = 0.0
    _score_verbs(scores)
    _score_decision(int(state.decision), state, side, mask, scores, board, odds)


@kernel
def forbid_others(mask, scores):
    """Writes ``NO_SCORE`` for illegal actions."""
    for action in range(NUM_ACTIONS):
        if not mask[action]:
            scores[action] = NO_SCORE


@kernel
def _score_verbs(scores):
    """Writes scores for decisions without rules of their own: to accept what is offered."""
    scores[Block.VERB + Verb.ACCEPT] = 1.0
    scores[Block.VERB + Verb.HUNT_ROLL] = 0.5
    scores[Block.VERB + Verb.DONE] = -0.5
    scores[Block.VERB + Verb.DECLINE] = -0.5
