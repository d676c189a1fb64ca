"""Scores of the Fellowship's moves, of its Companions, and of choices in the Hunt."""

from __future__ import annotations

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.scripted.board import holds
from wotr_agents.games.war_of_the_ring.scripted.weights import Weight
from wotr_env.games.war_of_the_ring.actions import MAX_COUNT, Block
from wotr_env.games.war_of_the_ring.codes import Character, Location, Settlement, Side, Verb
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_LEVEL,
    DISTANCE,
    FELLOWSHIP_DISTANCE,
    MAX_CORRUPTION,
    MAX_DICE,
    NUM_REGIONS,
    SETTLEMENT,
    Region,
)
from wotr_env.games.war_of_the_ring.options import MordorEntry, Option
from wotr_env.games.war_of_the_ring.rules.characters import companions_in_fellowship, in_fellowship
from wotr_env.games.war_of_the_ring.rules.fellowship import enters_by_declaring, is_gate, path_cost
from wotr_env.games.war_of_the_ring.rules.mordor import idle_so_far
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS

GATE_REVEALED = 6.0
"""Value of a gate for a Fellowship that is revealed there and may enter Mordor from it."""


@kernel
def way_left(state):
    """Number of steps of the Fellowship to the nearer gate, less its progress; 0 in Mordor."""
    if state.mordor_step > 0:
        return 0
    here = int(state.fellowship_region)
    gate = min(FELLOWSHIP_DISTANCE[here, Region.MORANNON], FELLOWSHIP_DISTANCE[here, Region.MINAS_MORGUL])
    return max(0, gate - int(state.progress))


@kernel
def corruption_price(state, board):
    """Cost of a point of Corruption for the Free Peoples, in actions."""
    price = board.weights[Weight.CORRUPTION_BASE] + board.weights[Weight.CORRUPTION_SLOPE] * state.corruption
    return price + (board.weights[Weight.CORRUPTION_MORDOR] if state.mordor_step > 0 else 0.0)


@kernel
def companion_price(state, character, board):
    """Value of a Companion in the Fellowship, in actions."""
    if state.mordor_step > 0:
        return board.weights[Weight.COMPANION] * (0.5 + 0.1 * CHARACTER_LEVEL[character])
    if character == Character.GANDALF_GREY:
        return board.weights[Weight.COMPANION] * (1.2 if state.minions_seen == 1 else 2.5)
    if character == Character.STRIDER:
        return board.weights[Weight.COMPANION] * 4.0
    return board.weights[Weight.COMPANION] * (1.0 + 0.3 * CHARACTER_LEVEL[character])


@kernel
def hunt_strength(state):
    """Expected Corruption of one move of the Fellowship, from the dice in the Hunt Box (R10.3)."""
    if state.mordor_step > 0:
        return 1.6
    dice = min(MAX_DICE, int(state.hunt_box[Side.SHADOW]))
    if dice == 0:
        return 0.0
    miss = 1.0
    hit = min(5, 1 + int(state.hunt_box[Side.FREE_PEOPLES])) / 6.0
    for _ in range(dice):
        miss *= 1.0 - hit
    return 1.7 * (1.0 - miss)


@kernel
def move_worth(state, board):
    """Value of a move of the Fellowship."""
    if state.mordor_step > 0:
        return board.weights[Weight.MOVE_MORDOR] - (
            20.0 if state.corruption >= 11 and not idle_so_far(state) else 0.0
        )
    left = way_left(state)
    if left == 0:
        return 1.0  # it enters in the next Fellowship phase
    cost = board.weights[Weight.MOVE_COST] * hunt_strength(state) * corruption_price(state, board)
    return board.weights[Weight.MOVE_BASE] - cost + (board.weights[Weight.MOVE_NEAR] if left <= 2 else 0.0)


@kernel
def hide_worth(state, board):
    """Value of hiding the Fellowship."""
    return 50.0 if state.mordor_step > 0 else board.weights[Weight.HIDE]


@kernel
def separate_worth(state, board):
    """Value of separating Companions: high if Strider can reach a city of Gondor to be crowned (R9.8.2,
    R14.9)."""
    if not in_fellowship(state, Character.STRIDER) or state.mordor_step > 0:
        return 1.0
    reach = int(state.progress) + CHARACTER_LEVEL[Character.STRIDER]
    here = int(state.fellowship_region)
    for goal in (Region.MINAS_TIRITH, Region.DOL_AMROTH, Region.PELARGIR):
        if DISTANCE[here, goal] <= reach and holds(state, Side.FREE_PEOPLES, goal):
            return board.weights[Weight.SEPARATE]
    return 0.5


@kernel
def companions_worth(state, board):
    """Value of moving Companions: high while Strider is on his way to a city of Gondor (R7.6, R14.9)."""
    here = int(state.location[Character.STRIDER])
    if here < 0 or state.location[Character.ARAGORN] != Location.ASIDE:
        return 1.5
    return 1.0 if _crowning(here) else board.weights[Weight.STRIDER]


@kernel
def _crowning(region):
    return region == Region.MINAS_TIRITH or region == Region.DOL_AMROTH or region == Region.PELARGIR


@kernel
def score_group(state, mask, scores):
    """D15, D17: prefers Strider alone."""
    for character in range(NUM_CHARACTERS):
        if mask[Block.CHARACTER + character]:
            scores[Block.CHARACTER + character] = -CHARACTER_LEVEL[character]
    scores[Block.CHARACTER + Character.STRIDER] = 9.0
    scores[Block.VERB + Verb.DONE] = 3.0


@kernel
def score_companion_goal(state, mask, scores, board):
    """D15, D17: prefers the way to the cities of Gondor for Strider, otherwise regions where the Free Peoples
    need help."""
    strider = (state.chosen_characters >> Character.STRIDER) & 1
    for region in range(NUM_REGIONS):
        if not mask[Block.REGION + region]:
            continue
        score = 0.1 * min(5.0, board.hits[Side.FREE_PEOPLES, region]) + board.pull[region]
        if strider:
            way = min(DISTANCE[region, Region.MINAS_TIRITH], DISTANCE[region, Region.DOL_AMROTH])
            score = 10.0 - way + (0.5 if holds(state, Side.FREE_PEOPLES, region) else 0.0)
        scores[Block.REGION + region] = score
    scores[Block.VERB + Verb.STAY] = 0.5
    scores[Block.VERB + Verb.DONE] = 0.5


@kernel
def _enter_worth(state, board):
    """Value of entering Mordor; it falls with high Corruption."""
    much = max(0, int(state.corruption) - 6)
    return board.weights[Weight.ENTER] - board.weights[Weight.ENTER_CORRUPTION] * much


@kernel
def score_declare(state, mask, scores, board):
    """D02: declares at a gate of Mordor, or to heal in a City or Stronghold on the way; otherwise does not
    declare.

    If the Fellowship figure is already at a gate, it declares there only if the declaration lets it enter
    Mordor (R11.1.1).
    """
    here = int(state.fellowship_region)
    for region in range(NUM_REGIONS):
        if not mask[Block.REGION + region]:
            continue
        if is_gate(region) and (region != here or enters_by_declaring(state, region)):
            scores[Block.REGION + region] = _enter_worth(state, board)
            continue
        before = _to_gate(int(state.fellowship_region)) - int(state.progress)
        detour = _to_gate(region) - before
        walls = SETTLEMENT[region] == Settlement.CITY or SETTLEMENT[region] == Settlement.STRONGHOLD
        score = -6.0 - 5.0 * detour
        if walls and holds(state, Side.FREE_PEOPLES, region):
            score = board.weights[Weight.HEAL_SLOPE] * state.corruption - board.weights[Weight.HEAL_BASE]
            score -= board.weights[Weight.DETOUR] * max(0, detour)
        scores[Block.REGION + region] = score - (4.0 if state.corruption < 2 else 0.0)
    scores[Block.VERB + Verb.DECLINE] = 0.0


@kernel
def score_enter(state, scores, board):
    """D02: scores entering Mordor from the gate, if this is a separate decision (R11.1.1)."""
    scores[Block.VERB + Verb.ACCEPT] = _enter_worth(state, board)
    scores[Block.VERB + Verb.DECLINE] = 0.0


@kernel
def _to_gate(region):
    return min(FELLOWSHIP_DISTANCE[region, Region.MORANNON], FELLOWSHIP_DISTANCE[region, Region.MINAS_MORGUL])


@kernel
def score_reveal(state, mask, scores, board):
    """D40: prefers regions as near to the gates as possible, away from Shadow Strongholds and armies (R9.6.4,
    R10.3.4).

    If a revealed Fellowship may enter Mordor, the score of a gate is high enough to compensate for the Hunt
    tile (R11.1.1).
    """
    enters_revealed = state.options[Option.MORDOR_ENTRY] == MordorEntry.FIGURE_PRESENT
    for region in range(NUM_REGIONS):
        if mask[Block.REGION + region]:
            tiles = path_cost(state, region, 1)
            near = 0.0
            if state.units[region, Side.SHADOW] > 0:
                near += 1.0
            if holds(state, Side.SHADOW, region):
                near += 1.5
            if enters_revealed and is_gate(region):
                near -= GATE_REVEALED
            scores[Block.REGION + region] = -2.0 * _to_gate(region) - 3.0 * tiles - near


@kernel
def score_guide(state, mask, scores):
    """D03: prefers Gandalf, who draws cards, and Strider, who hides with any die."""
    for character in range(NUM_CHARACTERS):
        if mask[Block.CHARACTER + character]:
            scores[Block.CHARACTER + character] = CHARACTER_LEVEL[character]
    scores[Block.CHARACTER + Character.STRIDER] = 4.0 if state.revealed == 1 else 2.0


@kernel
def score_hunt_damage(state, scores, board):
    """D37: takes Corruption or loses a Companion, whichever costs less."""
    damage = int(state.hunt_damage)
    price = corruption_price(state, board)
    if state.corruption + damage >= MAX_CORRUPTION:
        price = 20.0
    scores[Block.VERB + Verb.TAKE_CORRUPTION] = -damage * price
    guide = int(state.guide)
    left = max(0, damage - CHARACTER_LEVEL[guide])
    scores[Block.VERB + Verb.SACRIFICE_GUIDE] = -left * price - companion_price(state, guide, board)
    total = 0.0
    for character in range(Character.GANDALF_WHITE):
        if in_fellowship(state, character):
            left = max(0, damage - CHARACTER_LEVEL[character])
            total += left * price + companion_price(state, character, board)
    scores[Block.VERB + Verb.SACRIFICE_RANDOM] = -total / max(1, companions_in_fellowship(state))


@kernel
def score_hunt_reaction(state, mask, scores, board):
    """D36: uses cards and abilities if the damage is high."""
    hurt = state.hunt_damage * corruption_price(state, board)
    for action in range(Block.CARD, Block.CHARACTER):
        if mask[action]:
            scores[action] = hurt - 1.0
    scores[Block.VERB + Verb.GUIDE_ABILITY] = hurt - 0.6 if state.guide == Character.GOLLUM else hurt
    scores[Block.VERB + Verb.BOTH_HOBBITS] = hurt - 2.0
    scores[Block.VERB + Verb.DONE] = 0.0


@kernel
def score_allocation(state, mask, scores, board):
    """D04: allocates as many dice as the expected Corruption justifies (R5.2, R10.3)."""
    moves = 1.6
    if state.mordor_step > 0:
        moves = 0.0
    elif state.progress == 0 and state.fellowship_region == Region.RIVENDELL and state.turn <= 1:
        moves = 1.0
    worth = board.weights[Weight.HUNT_BASE] + board.weights[Weight.HUNT_SLOPE] * state.corruption
    if state.mordor_step == 0 and way_left(state) <= 2:
        worth += 0.3
    die = board.weights[Weight.HUNT_DIE]
    miss = 1.0
    for count in range(MAX_COUNT + 1):
        if mask[Block.COUNT + count]:
            scores[Block.COUNT + count] = moves * 1.7 * (1.0 - miss) * worth - die * count
        miss *= 0.76
    if state.mordor_step > 0:  # Eyes count as tile values there
        for count in range(MAX_COUNT + 1):
            scores[Block.COUNT + count] = -abs(count - 4)
