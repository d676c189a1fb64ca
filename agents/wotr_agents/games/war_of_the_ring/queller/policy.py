"""The Queller-style Shadow: for every kind of decision of the Shadow, a score for each legal action.

Inspired by the Queller bot by Quitch (a solo automaton for the board game); an independent implementation of
its procedure. Where the procedure says nothing, and for the Free Peoples, the scripted policy decides.
"""

from __future__ import annotations

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.queller import battles, cards, figures, moves, musters
from wotr_agents.games.war_of_the_ring.queller.board import read_queller
from wotr_agents.games.war_of_the_ring.queller.moves import AttackStep, read_actions
from wotr_agents.games.war_of_the_ring.queller.reading import Intent, Strategy
from wotr_agents.games.war_of_the_ring.queller.strategy import is_preferred, read_strategy
from wotr_agents.games.war_of_the_ring.queller.walk import find_die, find_plan, minion_is_reserved
from wotr_agents.games.war_of_the_ring.scripted.board import read_as_needed
from wotr_agents.games.war_of_the_ring.scripted.policy import forbid_others, score_actions, score_as_read
from wotr_agents.games.war_of_the_ring.scripted.reading import ALL
from wotr_env.compiler.dispatch import dispatch
from wotr_env.games.war_of_the_ring.actions import MAX_COUNT, Block
from wotr_env.games.war_of_the_ring.codes import Decision, Face, Plan, Settlement, Side, Verb
from wotr_env.games.war_of_the_ring.components import (
    FELLOWSHIP_DISTANCE,
    SETTLEMENT,
    SETTLEMENT_REGIONS,
    Region,
)
from wotr_env.games.war_of_the_ring.rules.armies import controller
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.state import NUM_FACES

BASE_DICE = 7
"""The Shadow's dice without Minions."""


@kernel
def _rank_dice(state, mask, scores, queller):
    """D05, D06: prefers the die that the walk has chosen; if the walk finds nothing, a die that does not
    serve the strategy."""
    read_actions(state, queller)
    find_die(state, queller, mask[Block.VERB + Verb.PASS])
    nothing = queller.intent == Intent.NOTHING
    if mask[Block.VERB + Verb.USE_RING]:
        scores[Block.VERB + Verb.USE_RING] = 3000.0 if queller.intent == Intent.USE_RING else -500.0
    if mask[Block.VERB + Verb.PASS]:
        scores[Block.VERB + Verb.PASS] = 3000.0 if nothing or queller.intent == Intent.PASS else -500.0
    for face in range(NUM_FACES):
        if not mask[Block.FACE + face]:
            continue
        if nothing:
            scores[Block.FACE + face] = 1000.0 if is_preferred(queller, face) else 1100.0
            if minion_is_reserved(state) and (face == Face.MUSTER or face == Face.ARMY_MUSTER):
                scores[Block.FACE + face] = 900.0
        else:
            wanted = queller.intent == Intent.USE_DIE and queller.intent_face == face
            scores[Block.FACE + face] = 3000.0 if wanted else 0.0


@kernel
def _rank_ring_dice(mask, scores, queller):
    """D05: changes a die that does not serve the strategy."""
    for face in range(NUM_FACES):
        if mask[Block.FACE + face]:
            scores[Block.FACE + face] = 0.0 if is_preferred(queller, face) else 1.0


@kernel
def _rank_ring_faces(state, mask, scores, queller):
    """D05: changes the chosen die to the face that the walk needs."""
    read_actions(state, queller)
    find_die(state, queller, False)
    if queller.intent == Intent.USE_RING and mask[Block.FACE + queller.intent_face]:
        scores[Block.FACE + queller.intent_face] = 3000.0


@kernel
def _rank_plans(state, mask, scores, queller):
    """D06: prefers the plan of the walk for the die; otherwise nothing."""
    read_actions(state, queller)
    find_plan(state, queller)
    scores[Block.PLAN + Plan.SKIP] = 2000.0
    plan = queller.intent_plan
    if queller.intent == Intent.USE_DIE and queller.intent_face == state.action_face:
        if mask[Block.PLAN + plan]:
            scores[Block.PLAN + plan] = 3000.0


@kernel
def _rank_allocation(state, mask, scores, queller):
    """D04: puts dice into the Hunt Box according to the strategy and the progress of the Fellowship."""
    military = queller.strategy == Strategy.MILITARY
    progress = int(state.progress)
    start = state.fellowship_region == Region.RIVENDELL and progress == 0
    low = 1
    if state.mordor_step > 0:
        low = MAX_COUNT
    elif start:
        low = 0
    elif military:
        low = 2 if progress > 5 else 1
    elif _wins_soon(state, queller) or state.pool[Side.SHADOW] == BASE_DICE:
        low = 1
    elif progress > 4 or _near_stronghold(state):
        low = 2
    for count in range(MAX_COUNT + 1):
        if mask[Block.COUNT + count]:
            scores[Block.COUNT + count] = 1000.0 - abs(count - low)
            if start and not military and count == 1 and state.mordor_step == 0:
                scores[Block.COUNT + count] = 1000.0  # none or one, by lot


@kernel
def _wins_soon(state, queller):
    """Whether a mobile army stands next to a target that wins the game."""
    read_actions(state, queller)
    return queller.best_attack[0] >= AttackStep.WINNING


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


@dispatch(
    kernel,
    {
        # Cards and dice.
        Decision.DISCARD_CARD: cards.rank_discards,
        Decision.HUNT_ALLOCATION: _rank_allocation,
        Decision.ACTION_DIE: _rank_dice,
        Decision.RING_DIE: _rank_ring_dice,
        Decision.RING_FACE: _rank_ring_faces,
        Decision.ACTION_PLAN: _rank_plans,
        # What a die does.
        Decision.DRAW_DECK: cards.rank_decks,
        Decision.EVENT_CARD: cards.rank_events,
        Decision.ADVANCE_NATION: musters.rank_nations,
        Decision.RECRUIT_FIGURE: musters.rank_figures,
        Decision.RECRUIT_REGION: musters.rank_recruit_regions,
        Decision.BRING_CHARACTER: figures.rank_minions_to_bring,
        Decision.CHARACTER_REGION: figures.rank_entries,
        Decision.ARMY_ORIGIN: moves.rank_origins,
        Decision.ARMY_DESTINATION: moves.rank_destinations,
        Decision.MOVE_FIGURES: moves.rank_movers,
        Decision.ATTACK_ORIGIN: moves.rank_attackers,
        Decision.ATTACK_TARGET: moves.rank_targets,
        Decision.ATTACK_FIGURES: moves.rank_attacking_figures,
        Decision.MINION_TO_MOVE: figures.rank_minions,
        Decision.MINION_DESTINATION: figures.rank_minion_goals,
        # Battles.
        Decision.COMBAT_CARD: cards.rank_combat_cards,
        Decision.STRONGHOLD: battles.rank_withdrawal,
        Decision.ADVANCE_FIGURES: moves.rank_victors,
        Decision.CASUALTY: battles.rank_casualties,
        Decision.CEASE: battles.rank_ceasing,
        Decision.RETREAT: battles.rank_retreats,
        Decision.PROLONG_ASSAULT: battles.rank_prolonging,
        Decision.SORCERER: cards.rank_decks,
        # What events ask.
        Decision.LOSE_CARD: cards.rank_discards,
        Decision.PALANTIR_DRAW: cards.rank_decks,
    },
)
def _score_decision(decision, state, mask, scores, queller):
    """Scores a kind of decision that the procedure covers; other decisions keep their scripted scores."""


@kernel
def score_queller(state, mask, scores, queller, odds):
    """Writes the score of every action; higher is better, and illegal actions have ``NO_SCORE``."""
    if deciding_side(state) != Side.SHADOW:
        score_actions(state, mask, scores, queller.board, odds)
        return
    read_as_needed(state, Side.SHADOW, ALL, queller.board)
    score_as_read(state, Side.SHADOW, mask, scores, queller.board, odds)
    read_queller(state, queller)
    read_strategy(state, queller)
    _score_decision(int(state.decision), state, mask, scores, queller)
    forbid_others(mask, scores)
