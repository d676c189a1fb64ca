"""The Queller-style Shadow: for every kind of decision of the Shadow, a score for each legal action.

Inspired by the Queller bot by Quitch (a solo automaton for the board game); an independent implementation of
its procedure. Where the procedure says nothing, and for the Free Peoples, the scripted policy decides.
"""

from __future__ import annotations

from wotr_agents.kernels import kernel
from wotr_agents.queller.battles import (
    rank_casualties,
    rank_ceasing,
    rank_prolonging,
    rank_retreats,
    rank_withdrawal,
)
from wotr_agents.queller.board import Fact, Strategy, fact, read_queller
from wotr_agents.queller.cards import rank_combat_cards, rank_decks, rank_discards, rank_events
from wotr_agents.queller.figures import rank_entries, rank_minion_goals, rank_minions
from wotr_agents.queller.moves import (
    WINNING,
    rank_attackers,
    rank_destinations,
    rank_movers,
    rank_origins,
    rank_party,
    rank_targets,
    rank_victors,
    read_actions,
)
from wotr_agents.queller.musters import STRONGEST_NATION, rank_figures, recruit_rank
from wotr_agents.queller.strategy import is_preferred, read_strategy
from wotr_agents.queller.walk import NOTHING, PASS, RING, find_intent, minion_is_reserved
from wotr_agents.scripted.policy import NO_SCORE, score_actions
from wotr_env.actions import MAX_COUNT, NUM_ACTIONS, Block
from wotr_env.codes import Character, Decision, Face, Plan, Settlement, Side, Verb
from wotr_env.components import FELLOWSHIP_DISTANCE, NUM_REGIONS, SETTLEMENT, SETTLEMENT_REGIONS, Region
from wotr_env.rules.armies import controller
from wotr_env.rules.minions import moving_minion
from wotr_env.state import NUM_FACES

BASE_DICE = 7


@kernel
def score_queller(state, mask, scores, work, odds):
    """Writes the score of every action, ``NO_SCORE`` where it is illegal; higher is better."""
    score_actions(state, mask, scores, work, odds)
    if state.seat != Side.SHADOW:
        return
    read_queller(state, work)
    read_strategy(state, work)
    decision = int(state.decision)
    if decision <= Decision.RECRUIT_REGION:
        _score_plans(state, decision, mask, scores, work)
    elif decision <= Decision.MINION_DESTINATION:
        _score_pieces(state, decision, mask, scores, work)
    else:
        _score_battles(state, decision, mask, scores, work)
    for action in range(NUM_ACTIONS):
        if not mask[action]:
            scores[action] = NO_SCORE


@kernel
def _score_plans(state, decision, mask, scores, work):
    """Cards, dice, musters."""
    if decision == Decision.DISCARD_CARD:
        rank_discards(state, mask, scores, work)
    elif decision == Decision.HUNT_ALLOCATION:
        _rank_allocation(state, mask, scores, work)
    elif decision == Decision.ACTION_DIE:
        _rank_dice(state, mask, scores, work)
    elif decision == Decision.RING_DIE:
        for face in range(NUM_FACES):
            if mask[Block.FACE + face]:
                scores[Block.FACE + face] = 0.0 if is_preferred(work, face) else 1.0
    elif decision == Decision.RING_FACE:
        _rank_ring_faces(state, mask, scores, work)
    elif decision == Decision.ACTION_PLAN:
        _rank_plans(state, mask, scores, work)
    elif decision == Decision.DRAW_DECK:
        rank_decks(scores, work)
    elif decision == Decision.EVENT_CARD:
        rank_events(state, mask, scores, work)
    elif decision == Decision.ADVANCE_NATION:
        for i in range(STRONGEST_NATION.size):
            scores[Block.NATION + STRONGEST_NATION[i]] = 1000.0 - i
    elif decision == Decision.RECRUIT_FIGURE:
        rank_figures(state, mask, scores, work)
    elif decision == Decision.RECRUIT_REGION:
        for region in range(NUM_REGIONS):
            if mask[Block.REGION + region]:
                scores[Block.REGION + region] = 1000.0 + recruit_rank(state, work, region)


@kernel
def _score_pieces(state, decision, mask, scores, work):
    """Minions, armies, attacks."""
    if decision == Decision.BRING_CHARACTER:
        scores[Block.CHARACTER + Character.SARUMAN] = 1003.0
        scores[Block.CHARACTER + Character.WITCH_KING] = 1002.0
        scores[Block.CHARACTER + Character.MOUTH_OF_SAURON] = 1001.0
    elif decision == Decision.CHARACTER_REGION:
        rank_entries(state, mask, scores, work)
    elif decision == Decision.ARMY_ORIGIN:
        rank_origins(state, mask, scores, work)
    elif decision == Decision.ARMY_DESTINATION:
        rank_destinations(state, mask, scores, work)
    elif decision == Decision.MOVE_FIGURES:
        rank_movers(state, mask, scores, work)
    elif decision == Decision.ATTACK_ORIGIN:
        rank_attackers(state, mask, scores, work)
    elif decision == Decision.ATTACK_TARGET:
        rank_targets(state, mask, scores, work)
    elif decision == Decision.ATTACK_FIGURES:
        rank_party(state, mask, scores, int(state.battle_origin), 0, 0)
    elif decision == Decision.MINION_TO_MOVE:
        rank_minions(state, mask, scores, work)
    elif decision == Decision.MINION_DESTINATION:
        rank_minion_goals(state, mask, scores, work, moving_minion(state))


@kernel
def _score_battles(state, decision, mask, scores, work):
    """Inside battles, and what events ask."""
    if decision == Decision.COMBAT_CARD:
        rank_combat_cards(state, mask, scores, work)
    elif decision == Decision.STRONGHOLD:
        rank_withdrawal(state, scores, work)
    elif decision == Decision.ADVANCE_FIGURES:
        rank_victors(state, mask, scores, work)
    elif decision == Decision.CASUALTY:
        rank_casualties(state, mask, scores)
    elif decision == Decision.CEASE:
        rank_ceasing(state, mask, scores, work)
    elif decision == Decision.RETREAT:
        rank_retreats(state, mask, scores, work)
    elif decision == Decision.PROLONG_ASSAULT:
        rank_prolonging(state, mask, scores, work)
    elif decision == Decision.SORCERER or decision == Decision.PALANTIR_DRAW:
        rank_decks(scores, work)
    elif decision == Decision.LOSE_CARD:
        rank_discards(state, mask, scores, work)


@kernel
def _rank_dice(state, mask, scores, work):
    """D05, D06: the die that the walk asks for; if it finds nothing, one that is not preferred goes."""
    read_actions(state, work)
    intent = find_intent(state, work, 1 if mask[Block.VERB + Verb.PASS] else 0)
    if mask[Block.VERB + Verb.USE_RING]:
        scores[Block.VERB + Verb.USE_RING] = 3000.0 if intent >= RING else -500.0
    if mask[Block.VERB + Verb.PASS]:
        scores[Block.VERB + Verb.PASS] = 3000.0 if intent == PASS or intent == NOTHING else -500.0
    for face in range(NUM_FACES):
        if not mask[Block.FACE + face]:
            continue
        if intent == NOTHING:
            scores[Block.FACE + face] = 1000.0 if is_preferred(work, face) else 1100.0
            if minion_is_reserved(state) and (face == Face.MUSTER or face == Face.ARMY_MUSTER):
                scores[Block.FACE + face] = 900.0
        else:
            scores[Block.FACE + face] = 3000.0 if intent // 32 == face and intent < PASS else 0.0


@kernel
def _rank_ring_faces(state, mask, scores, work):
    """D05: the die that the walk lacks."""
    read_actions(state, work)
    intent = find_intent(state, work, 0)
    for face in range(NUM_FACES):
        if mask[Block.FACE + face] and intent == RING + face:
            scores[Block.FACE + face] = 3000.0


@kernel
def _rank_plans(state, mask, scores, work):
    """D06: what the walk does with the die that was taken; otherwise nothing."""
    read_actions(state, work)
    intent = find_intent(state, work, -1)
    scores[Block.PLAN + Plan.SKIP] = 2000.0
    for plan in range(Plan.BUY_OFF + 1):
        if mask[Block.PLAN + plan] and intent == 32 * int(state.action_face) + plan:
            scores[Block.PLAN + plan] = 3000.0


@kernel
def _rank_allocation(state, mask, scores, work):
    """D04: dice for the Hunt by strategy and by how far the Fellowship is."""
    military = fact(work, Fact.STRATEGY) == Strategy.MILITARY
    progress = int(state.progress)
    start = state.fellowship_region == Region.RIVENDELL and progress == 0
    low = 1
    if state.mordor_step > 0:
        low = MAX_COUNT
    elif start:
        low = 0
    elif military:
        low = 2 if progress > 5 else 1
    elif _wins_soon(state, work) or state.pool[Side.SHADOW] == BASE_DICE:
        low = 1
    elif progress > 4 or _near_stronghold(state):
        low = 2
    for count in range(MAX_COUNT + 1):
        if mask[Block.COUNT + count]:
            scores[Block.COUNT + count] = 1000.0 - abs(count - low)
            if start and not military and count == 1 and state.mordor_step == 0:
                scores[Block.COUNT + count] = 1000.0  # none or one, by lot


@kernel
def _wins_soon(state, work):
    """Whether a mobile army stands next to a target that wins the game."""
    read_actions(state, work)
    return fact(work, Fact.ATTACK) >= WINNING


@kernel
def _near_stronghold(state):
    """Whether the Fellowship is near a Shadow Stronghold on its shortest way, or past it."""
    here = int(state.fellowship_region)
    for gate in (Region.MORANNON, Region.MINAS_MORGUL):
        for index in range(SETTLEMENT_REGIONS.size):
            region = SETTLEMENT_REGIONS[index]
            if SETTLEMENT[region] != Settlement.STRONGHOLD or controller(state, region) != Side.SHADOW:
                continue
            way = FELLOWSHIP_DISTANCE[here, region]
            through = way + FELLOWSHIP_DISTANCE[region, gate] == FELLOWSHIP_DISTANCE[here, gate]
            if through and region != gate and state.progress >= way - 2:
                return True
    return False
