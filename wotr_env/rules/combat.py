"""Who fights in a battle and how strongly: strength, Leadership, rolls (R7.8.9, R7.9.5, R7.9.6, R7.11)."""

from __future__ import annotations

from wotr_env.codes import BattleKind, Character, Figure, Nation, Settlement, Side
from wotr_env.compile import kernel
from wotr_env.components import CHARACTER_LEADERSHIP, FORTIFICATION, SETTLEMENT
from wotr_env.rules.armies import END_NATION, FIRST_NATION, eliminate_leader, units_of
from wotr_env.rules.chance import die
from wotr_env.rules.characters import (
    captains,
    characters_at,
    eliminate_character,
    leadership_of,
    nazgul_leadership,
    servants_of_the_white_hand,
)
from wotr_env.state import NUM_CHARACTERS

MAX_DICE = 5
HIT = 5
HIT_PROTECTED = 6


@kernel
def fighting_units(state, side):
    """Units of a side in the battle: the attacking part, or the whole defending army (R7.8.4, R7.8.5)."""
    if side != state.battle_attacker:
        return int(state.units[state.battle_target, side])
    total = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        total += int(state.party_regular[nation]) + int(state.party_elite[nation])
    return total


@kernel
def fighting_unit_kind(state, side, nation, figure):
    """Units of a nation and kind of a side in the battle."""
    if side != state.battle_attacker:
        return units_of(state, int(state.battle_target), nation, figure)
    return int(state.party_regular[nation]) if figure == Figure.REGULAR else int(state.party_elite[nation])


@kernel
def fighting_leaders(state, side):
    """Leaders or Nazgul figures of a side in the battle."""
    total = 0
    for nation in range(FIRST_NATION[side], min(END_NATION[side], Nation.SAURON + 1)):
        if side == state.battle_attacker:
            total += int(state.party_leader[nation])
        else:
            total += int(state.leader[state.battle_target, nation])
    return total


@kernel
def fighting_characters(state, side):
    """Characters of a side in the battle, one bit each."""
    if side == state.battle_attacker:
        return int(state.party_characters)
    return characters_at(state, side, int(state.battle_target))


@kernel
def combat_dice(state, side):
    """Combat strength: units, and Captains of the West, at most 5 dice (R7.8.9, R14.0.1, RU40)."""
    return min(MAX_DICE, fighting_units(state, side) + captains(fighting_characters(state, side)))


@kernel
def leadership(state, side):
    """Leadership of a side, before the cap of 5 (R7.8.9, R14.8, R14.13, R7.9.8)."""
    characters = fighting_characters(state, side)
    total = leadership_of(characters)
    if side == Side.FREE_PEOPLES:
        if state.battle_white_rider == 1:
            total -= CHARACTER_LEADERSHIP[Character.GANDALF_WHITE]
        return total + fighting_leaders(state, side)
    if state.battle_white_rider == 0:
        total += nazgul_leadership(fighting_leaders(state, side), characters)
    if servants_of_the_white_hand(state):
        total += fighting_unit_kind(state, side, Nation.ISENGARD, Figure.ELITE)
    return total


@kernel
def is_protected(state):
    """The attacker hits on 6 only: an assault, or round 1 at a City or Fortification (R7.11.1, R7.14.2).

    Also R7.11.2, RU34.
    """
    if state.battle_kind == BattleKind.ASSAULT:
        return True
    target = int(state.battle_target)
    walls = SETTLEMENT[target] == Settlement.CITY or FORTIFICATION[target] == 1
    return state.battle_kind == BattleKind.FIELD and state.battle_round == 1 and walls


@kernel
def hit_on(state, side):
    """The number a side needs on a die (R7.9.5)."""
    return HIT_PROTECTED if side == state.battle_attacker and is_protected(state) else HIT


@kernel
def roll_hits(state, dice, target, modifier):
    """Hits of so many dice: a natural 1 misses, a natural 6 hits, modifiers are added (R7.9.5)."""
    hits = 0
    for _ in range(dice):
        roll = die(state)
        if roll == 6 or (roll != 1 and roll + modifier >= target):
            hits += 1
    return hits


@kernel
def combat_roll(state, side):
    """The Combat roll of a side (R7.9.5)."""
    dice = combat_dice(state, side)
    hits = roll_hits(state, dice, hit_on(state, side), 0)
    state.hits[side] = hits
    state.misses[side] = dice - hits


@kernel
def leader_reroll(state, side):
    """Missed dice are re-rolled once, as many as the Leadership allows (R7.9.6)."""
    dice = min(MAX_DICE, leadership(state, side), int(state.misses[side]))
    hits = roll_hits(state, dice, hit_on(state, side), 0)
    state.hits[side] += hits
    state.misses[side] -= hits


@kernel
def eliminate_leaderless(state, side):
    """All units of a side in the battle are gone: its Leaders and characters there die too (R7.10.6)."""
    attacking = side == state.battle_attacker
    region = int(state.battle_origin) if attacking else int(state.battle_target)
    for nation in range(FIRST_NATION[side], min(END_NATION[side], Nation.SAURON + 1)):
        figures = int(state.party_leader[nation]) if attacking else int(state.leader[region, nation])
        for _ in range(figures):
            eliminate_leader(state, region, nation)
        if attacking:
            state.party_leader[nation] = 0
    lost = fighting_characters(state, side)
    for character in range(NUM_CHARACTERS):
        if lost >> character & 1:
            eliminate_character(state, character)
    if attacking:
        state.party_characters = 0
