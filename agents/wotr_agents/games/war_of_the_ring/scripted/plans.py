"""Scores of action dice and their uses, of Elven Rings, politics, musters and Minions."""

from __future__ import annotations

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.scripted.armies import best_attack, best_move, nazgul_goal
from wotr_agents.games.war_of_the_ring.scripted.board import NEVER
from wotr_agents.games.war_of_the_ring.scripted.cards import best_card
from wotr_agents.games.war_of_the_ring.scripted.fellowship import (
    companions_worth,
    hide_worth,
    move_worth,
    separate_worth,
    way_left,
)
from wotr_agents.games.war_of_the_ring.scripted.weights import Weight
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Face, Figure, Nation, Plan, Side, Verb
from wotr_env.games.war_of_the_ring.components import NUM_REGIONS, REGION_NATION, SETTLEMENT_REGIONS
from wotr_env.games.war_of_the_ring.rules.armies import END_NATION, FIRST_NATION, at_war
from wotr_env.games.war_of_the_ring.rules.cards import hand_limit, hand_size
from wotr_env.games.war_of_the_ring.rules.characters import can_bring, unused_dice
from wotr_env.games.war_of_the_ring.rules.dice import NUM_PLANS, can_plan
from wotr_env.games.war_of_the_ring.rules.figures import figure_action
from wotr_env.games.war_of_the_ring.rules.politics import can_advance
from wotr_env.games.war_of_the_ring.rules.regions import (
    first_region,
    regions_of,
    regions_with_units,
    without_first,
)
from wotr_env.games.war_of_the_ring.rules.seats import controls_nation, seat_of
from wotr_env.games.war_of_the_ring.rules.spent import is_barred
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_FACES, NUM_NATIONS

# What the flexibility of a die result is worth while it lies unused, by side and face.
_KEPT = np.array(
    [
        [3.0, 0.5, 1.0, 1.5, 0.5, 6.0, 0.0],
        [2.0, 1.0, 2.0, 2.5, 0.5, 0.0, 0.0],
    ]
)
_CHARACTER_WORTH = np.zeros(NUM_CHARACTERS)
_CHARACTER_WORTH[Character.GANDALF_WHITE] = 75.0
_CHARACTER_WORTH[Character.ARAGORN] = 85.0
_CHARACTER_WORTH[Character.SARUMAN] = 62.0
_CHARACTER_WORTH[Character.WITCH_KING] = 52.0
_CHARACTER_WORTH[Character.MOUTH_OF_SAURON] = 48.0


@kernel
def advance_worth(state, side, nation, board):
    """Value of a step of a nation towards war; it grows with the armies that wait for the war."""
    steps = int(state.steps_to_war[nation])
    hits = 0.0
    threat = 0.0
    low, high = regions_of(nation)
    while low | high != 0:
        region = first_region(low, high)
        low, high = without_first(low, high)
        hits += board.hits[side, region]
        threat = max(threat, board.threat[region])
    if side == Side.SHADOW:
        worth = (
            board.weights[Weight.ADVANCE_SHADOW]
            - board.weights[Weight.ADVANCE_STEPS] * steps
            + 0.4 * min(20.0, hits)
        )
        return worth + (3.0 if nation == Nation.ISENGARD else 0.0)
    worth = board.weights[Weight.ADVANCE_FREE] + board.weights[Weight.ADVANCE_THREAT] * min(8.0, threat)
    return worth - 2.0 * steps + 0.15 * min(10.0, hits)


@kernel
def _is_for_player(state, side, nation):
    """Whether the player may act with a nation of his side (R13.5.1, R13.7.3)."""
    return controls_nation(state, side, nation) and not is_barred(state, nation)


@kernel
def best_advance(state, side, plan, board):
    """Value of the best step; a Companion advances nations of either partner (R13.5.1)."""
    best = NEVER
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        own = plan == Plan.COMPANION_ADVANCE or controls_nation(state, side, nation)
        if own and not is_barred(state, nation) and can_advance(state, nation):
            best = max(best, advance_worth(state, side, nation, board))
    return best


@kernel
def recruit_worth(state, side, board):
    """Value of a muster; for the Free Peoples it grows with the threat to their Settlements."""
    if side == Side.SHADOW:
        left = 0
        for nation in range(Nation.SAURON, NUM_NATIONS):
            if at_war(state, nation) and _is_for_player(state, side, nation):
                left += int(state.reinforcement_regular[nation]) + 2 * int(state.reinforcement_elite[nation])
        return board.weights[Weight.RECRUIT_SHADOW] + min(6.0, 0.3 * left)
    threat = 0.0
    for index in range(SETTLEMENT_REGIONS.size):
        region = SETTLEMENT_REGIONS[index]
        lack = board.threat[region] - board.hits[side, region]
        nation = REGION_NATION[region]
        if lack > threat and nation >= 0 and at_war(state, nation) and _is_for_player(state, side, nation):
            threat = lack
    return board.weights[Weight.RECRUIT_FREE] + board.weights[Weight.RECRUIT_THREAT] * min(6.0, threat)


@kernel
def nazgul_worth(state, board):
    """Value of flying the Nazgul."""
    best = nazgul_goal(state, int(state.fellowship_region), board) if state.fellowship_region >= 0 else 0.0
    low, high = regions_with_units(state, Side.SHADOW)
    while low | high != 0:
        best = max(best, nazgul_goal(state, first_region(low, high), board))
        low, high = without_first(low, high)
    return board.weights[Weight.NAZGUL] + board.weights[Weight.NAZGUL_GOAL] * best


@kernel
def _bring_worth(state, side):
    best = NEVER
    for character in range(NUM_CHARACTERS):
        if can_bring(state, side, character):
            best = max(best, _CHARACTER_WORTH[character])
    return best


@kernel
def plan_worth(state, side, face, plan, board, odds):
    """Value of a plan that a die result can pay for."""
    need = 1 if face == Face.CHARACTER else 0
    if plan == Plan.MOVE_FELLOWSHIP:
        return move_worth(state, board)
    if plan == Plan.HIDE_FELLOWSHIP:
        return hide_worth(state, board)
    if plan == Plan.SEPARATE_COMPANIONS:
        return separate_worth(state, board)
    if plan == Plan.MOVE_COMPANIONS:
        return companions_worth(state, board)
    if plan == Plan.MOVE_MINIONS:
        return nazgul_worth(state, board)
    if plan == Plan.MOVE_ARMIES:
        return best_move(state, side, need, board) + (2.0 if need == 0 else 0.0)
    if plan == Plan.ATTACK:
        return best_attack(state, side, need, board, odds)
    if plan == Plan.ADVANCE_NATION or plan == Plan.COMPANION_ADVANCE:
        return best_advance(state, side, plan, board)
    if plan == Plan.RECRUIT:
        return recruit_worth(state, side, board)
    if plan == Plan.BRING_CHARACTER:
        return board.weights[Weight.BRING] * _bring_worth(state, side)
    if plan == Plan.VOICE_REGULARS:
        return board.weights[Weight.VOICE]
    if plan == Plan.VOICE_ELITES:
        return 0.8 * board.weights[Weight.VOICE]
    if plan == Plan.DRAW_CARD:
        seat = seat_of(state, side)
        many = hand_size(state, seat) - hand_limit(state, seat) // 2
        return board.weights[Weight.DRAW] - 1.2 * max(0, many)
    if plan == Plan.PLAY_CARD:
        return board.weights[Weight.CARD] * best_card(state, side, face)
    return 4.0 if plan == Plan.BUY_OFF else 0.0


@kernel
def _score_faces(state, side, mask, scores, board, odds):
    """Scores every die result that may be chosen by the best plan that it can pay for now; at least 0."""
    for plan in range(1, NUM_PLANS):
        worth = 0.0
        known = -1
        for face in range(NUM_FACES):
            if not mask[Block.FACE + face] or not can_plan(state, side, face, plan):
                continue
            group = face if plan == Plan.PLAY_CARD else int(face == Face.CHARACTER)
            if group != known:  # other results pay for the same
                worth = plan_worth(state, side, face, plan, board, odds)
                known = group
            scores[Block.FACE + face] = max(scores[Block.FACE + face], worth)


@kernel
def score_die(state, side, mask, scores, board, odds):
    """D05, D06: scores each die by the value of its best plan less the value of keeping it, and scores
    passing."""
    _score_faces(state, side, mask, scores, board, odds)
    for face in range(NUM_FACES):
        scores[Block.FACE + face] -= board.weights[Weight.KEPT] * _KEPT[side, face]
    scores[Block.VERB + Verb.PASS] = board.weights[Weight.PASS]
    scores[Block.VERB + Verb.USE_RING] = _ring_worth(state, side)


@kernel
def _ring_worth(state, side):
    """Value of an Elven Ring: a Character die for a revealed or arrived Fellowship, or a Minion for the
    Shadow."""
    if side == Side.FREE_PEOPLES:
        able = state.dice[side, Face.CHARACTER] + state.dice[side, Face.WILL]
        if able > 0:
            return NEVER
        if state.mordor_step > 0:
            return 40.0
        return 12.0 if state.revealed == 1 and way_left(state) <= 4 else NEVER
    musters = state.dice[side, Face.MUSTER] + state.dice[side, Face.ARMY_MUSTER]
    if musters == 0 and _bring_worth(state, side) > 0:
        return 30.0
    return NEVER


@kernel
def score_ring_die(state, side, mask, scores, board, odds):
    """D05: changes the die with the least value."""
    _score_faces(state, side, mask, scores, board, odds)
    for face in range(NUM_FACES):
        scores[Block.FACE + face] = -scores[Block.FACE + face] - _KEPT[side, face]


@kernel
def score_ring_face(state, side, mask, scores, board, odds):
    """D05: prefers the result with the highest value."""
    _score_faces(state, side, mask, scores, board, odds)


@kernel
def score_plan(state, side, mask, scores, board, odds):
    """D06: scores the uses of the die."""
    face = int(state.action_face)
    for plan in range(NUM_PLANS):
        if mask[Block.PLAN + plan]:
            scores[Block.PLAN + plan] = plan_worth(state, side, face, plan, board, odds)
    scores[Block.PLAN + Plan.SKIP] = 1.5 if unused_dice(state, side) > 1 else 1.0


@kernel
def score_nations(state, side, mask, scores, board):
    """D09, D19: prefers the nation with the highest value of a step towards war; nations that step back come
    last."""
    for nation in range(NUM_NATIONS):
        if mask[Block.NATION + nation]:
            scores[Block.NATION + nation] = advance_worth(state, side, nation, board)


@kernel
def score_bring(state, mask, scores):
    """D11, D18: scores the characters that can enter."""
    for character in range(NUM_CHARACTERS):
        if mask[Block.CHARACTER + character]:
            scores[Block.CHARACTER + character] = _CHARACTER_WORTH[character]


@kernel
def score_entry(state, side, mask, scores, board):
    """D11, D18: enters with the strongest army near a goal."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            score = 0.2 * min(10.0, board.hits[side, region]) + board.pull[region]
            scores[Block.REGION + region] = score


@kernel
def score_recruits(state, mask, scores):
    """D10: prefers an Elite, otherwise Regulars, or Nazgul while there are few."""
    for nation in range(NUM_NATIONS):
        first = figure_action(nation, Figure.REGULAR)
        if mask[first + Figure.ELITE]:
            scores[first + Figure.ELITE] = 5.0 + (0.5 if nation == Nation.ISENGARD else 0.0)
        if mask[first + Figure.REGULAR]:
            scores[first + Figure.REGULAR] = 4.5 if state.reinforcement_elite[nation] == 0 else 3.0
        if mask[first + Figure.LEADER]:
            scores[first + Figure.LEADER] = 4.0 if nation == Nation.SAURON else 2.0


@kernel
def score_minion(state, mask, scores, board):
    """D16: moves Nazgul of little use first; the Mouth stays with his army."""
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            scores[Block.REGION + region] = 3.0 - nazgul_goal(state, region, board)
            if state.units[region, Side.SHADOW] == 0:
                scores[Block.REGION + region] += 3.0
    for character in range(NUM_CHARACTERS):
        if mask[Block.CHARACTER + character]:
            alone = state.units[int(state.location[character]), Side.SHADOW] == 0
            scores[Block.CHARACTER + character] = 7.0 if alone else 0.5
    scores[Block.VERB + Verb.DONE] = 2.5
