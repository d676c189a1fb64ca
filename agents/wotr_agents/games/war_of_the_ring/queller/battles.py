"""The Queller-style Shadow inside battles.

Inspired by the Queller bot by Quitch; written independently.
"""

from __future__ import annotations

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.queller.reading import Strategy
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import BattleKind, Figure, Nation, Settlement, Side, Verb
from wotr_env.games.war_of_the_ring.components import DISTANCE, MAX_DICE, NUM_REGIONS, SETTLEMENT
from wotr_env.games.war_of_the_ring.rules.armies import END_NATION, FIRST_NATION, casualty_region
from wotr_env.games.war_of_the_ring.rules.battle.strength import fighting_units, leadership
from wotr_env.games.war_of_the_ring.rules.figures import figure_action
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side


@kernel
def _attacking_value(state, side):
    """The value of the attacking part of the army."""
    hits = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        hits += int(state.party_regular[nation]) + 2 * int(state.party_elite[nation])
    units = fighting_units(state, side)
    value = hits + min(MAX_DICE, units) + min(MAX_DICE, units, leadership(state, side))
    return value // 2 if state.battle_kind == BattleKind.SORTIE else value


@kernel
def _still_stronger(state, queller):
    """Whether the Shadow's attacking army is still aggressive, or its defending army is stronger than the
    attackers."""
    target = int(state.battle_target)
    mine = _attacking_value(state, int(state.battle_attacker))
    if state.battle_attacker == Side.SHADOW:
        return mine >= queller.defence[target]
    return queller.garrison[target] > mine


@kernel
def rank_ceasing(state, mask, scores, queller):
    """D26: continues the battle while the army is aggressive, or the Fellowship is in Mordor."""
    field = state.battle_kind == BattleKind.FIELD
    willing = field or state.mordor_step > 0 or queller.strategy == Strategy.MILITARY
    go_on = willing and (state.mordor_step > 0 or _still_stronger(state, queller))
    scores[Block.VERB + Verb.CONTINUE] = 2000.0 if go_on else 1000.0
    scores[Block.VERB + Verb.CEASE] = 1500.0


@kernel
def rank_prolonging(state, mask, scores, queller):
    """D28: spends an Elite while the siege is worth the cost."""
    willing = state.mordor_step > 0 or queller.strategy == Strategy.MILITARY
    go_on = willing and (state.mordor_step > 0 or _still_stronger(state, queller))
    for nation in range(Nation.SAURON, Nation.SOUTHRONS + 1):
        if mask[Block.NATION + nation]:
            elites = int(state.party_elite[nation])
            scores[Block.NATION + nation] = 2000.0 + elites if go_on else 1000.0
    scores[Block.VERB + Verb.CEASE] = 1500.0


@kernel
def rank_withdrawal(state, scores, queller):
    """D23: withdraws into the Stronghold with an army that is not stronger and has fewer than eight units."""
    few = int(state.units[int(state.battle_target), Side.SHADOW]) < 8
    inside = few and not _still_stronger(state, queller)
    scores[Block.VERB + Verb.WITHDRAW] = 2000.0 if inside else 1000.0
    scores[Block.VERB + Verb.FIGHT] = 1500.0


@kernel
def rank_retreats(state, mask, scores, queller):
    """D27: retreats from the field if the army is not stronger, to the region where it helps most."""
    target = int(state.battle_target)
    goal = queller.target[target]
    scores[Block.VERB + Verb.STAY] = 4000.0 if _still_stronger(state, queller) else 1000.0
    for region in range(NUM_REGIONS):
        if not mask[Block.REGION + region]:
            continue
        score = 1500.0
        if not queller.threatened[target]:
            score += 1024
        if goal >= 0 and DISTANCE[region, goal] < DISTANCE[target, goal]:
            score += 512
        if queller.mobile[region]:
            score += 256
        if SETTLEMENT[region] != Settlement.NONE:
            score += 128
        scores[Block.REGION + region] = score + queller.value[region]


@kernel
def rank_casualties(state, mask, scores):
    """D25: prefers losses that reduce the value of the army least, then those that leave fewer units; takes
    the last unit of a nation last."""
    side = deciding_side(state)
    region = casualty_region(state)
    units = int(state.units[region, side])
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        there = int(state.regular[region, nation]) + int(state.elite[region, nation])
        last = 300.0 if there == 1 and units > 1 else 0.0
        if mask[Block.NATION + nation]:
            scores[Block.NATION + nation] = 1500.0 if units <= MAX_DICE else 1300.0
        first = figure_action(nation, Figure.REGULAR)
        if mask[first + Figure.REGULAR]:
            scores[first + Figure.REGULAR] = 1400.0 - last
        if mask[first + Figure.ELITE]:
            scores[first + Figure.ELITE] = 1050.0 - 0.1 * last
