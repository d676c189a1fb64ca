"""Combat strength, Leadership and rolls of the sides in a battle (R7.8.9, R7.9.5, R7.9.6, R7.11)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    Character,
    CombatColumn,
    Figure,
    Nation,
    Roll,
    Settlement,
    Side,
)
from wotr_env.games.war_of_the_ring.components import FORTIFICATION, MAX_DICE, SETTLEMENT
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import (
    ATTACKING_PART,
    DEFENDERS,
    END_LEADER_NATION,
    END_NATION,
    FIRST_NATION,
    LAST_UNIT_STAYS,
    eliminate_leader,
    is_garrison,
    suffer_hits,
    units_of,
)
from wotr_env.games.war_of_the_ring.rules.chance import roll_die
from wotr_env.games.war_of_the_ring.rules.characters import (
    captains,
    characters_at,
    eliminate_character,
    leadership_of,
    nazgul_leadership,
    servants,
)
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_NATIONS

HIT = 5
HIT_PROTECTED = 6


@kernel
def fighting_units(state, side):
    """The number of units of a side in the battle: the attacking part, or the whole defending army (R7.8.4,
    R7.8.5)."""
    if side != state.battle_attacker:
        return int(state.units[state.battle_target, side])
    total = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        total += int(state.party_regular[nation]) + int(state.party_elite[nation])
    return total


@kernel
def fighting_unit_kind(state, side, nation, figure):
    """The number of units of a nation and kind of a side in the battle."""
    if side != state.battle_attacker:
        return units_of(state, int(state.battle_target), nation, figure)
    return int(state.party_regular[nation]) if figure == Figure.REGULAR else int(state.party_elite[nation])


@kernel
def fighting_elites(state, side):
    """The number of Elite units of a side in the battle."""
    total = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        total += fighting_unit_kind(state, side, nation, Figure.ELITE)
    return total


@kernel
def fighting_leaders_of(state, side, nation):
    """The number of Leaders of a nation, or of Nazgul figures, of a side in the battle."""
    if side == state.battle_attacker:
        return int(state.party_leader[nation])
    return int(state.leader[state.battle_target, nation])


@kernel
def fighting_leaders(state, side):
    """The number of Leaders or Nazgul figures of a side in the battle."""
    total = 0
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        total += fighting_leaders_of(state, side, nation)
    return total


@kernel
def fighting_characters(state, side):
    """Characters of a side in the battle, one bit each."""
    if side == state.battle_attacker:
        return int(state.party_characters)
    return characters_at(state, side, int(state.battle_target))


@kernel
def combat_dice(state, side):
    """The number of dice from Combat strength: units, and Captains of the West, at most 5 dice (R7.8.9,
    R14.0.1, RU40, RG40).

    Then reductions apply, but not below 1, and then caps (R7.9.5, section 19.2 C4).
    """
    captains_there = captains(fighting_characters(state, side) & ~int(state.muted_characters))
    dice = min(MAX_DICE, fighting_units(state, side) + captains_there)
    fewer = int(state.combat[side, CombatColumn.FEWER])
    target = int(state.battle_target)
    if side == Side.SHADOW and state.battle_fewer_by_garrison and is_garrison(state, 1 - side, target):
        fewer += int(state.units[target, 1 - side])  # fp-strat-10
    if fewer > 0:
        dice = max(1, dice - fewer)
    cap = int(state.combat[side, CombatColumn.CAP])
    return min(dice, cap) if cap > 0 else dice


@kernel
def leading_characters(state, side):
    """The characters in the battle whose Leadership is neither forfeited nor muted (R0.9, R7.9.8)."""
    lost = int(state.forfeited_characters) | int(state.muted_characters)
    return fighting_characters(state, side) & ~lost


@kernel
def nazgul_points(state):
    """The Leadership of Nazgul in the battle, minus forfeits; none after The White Rider (R7.8.9, R14.8,
    RG39)."""
    if state.battle_white_rider == 1:
        return 0
    there = nazgul_leadership(fighting_leaders(state, Side.SHADOW), fighting_characters(state, Side.SHADOW))
    return max(0, there - int(state.forfeited_nazgul))


@kernel
def leadership(state, side):
    """The Leadership of a side, before the cap of 5 (R7.8.9, R14.8, R14.13, R7.9.8)."""
    characters = leading_characters(state, side)
    if side == Side.FREE_PEOPLES:
        if state.battle_white_rider == 1:
            characters &= ~(1 << Character.GANDALF_WHITE)
        return leadership_of(characters) + fighting_leaders(state, side)
    total = leadership_of(characters) + nazgul_points(state)
    leading = servants(state)
    for nation in range(Nation.ISENGARD, NUM_NATIONS):
        if leading >> nation & 1:
            total += fighting_unit_kind(state, side, nation, Figure.ELITE)
    return total


@kernel
def is_protected(state):
    """Whether the attacker hits only on 6: in an assault, or in round 1 at a City or Fortification (R7.11.1,
    R7.14.2).

    Also R7.11.2, RU34.
    """
    if state.battle_kind == BattleKind.ASSAULT:
        return True
    target = int(state.battle_target)
    walls = SETTLEMENT[target] == Settlement.CITY or FORTIFICATION[target] == 1
    return state.battle_kind == BattleKind.FIELD and state.battle_round == 1 and walls


@kernel
def hit_on(state, side):
    """The lowest number with which a die of a side hits (R7.9.5)."""
    return HIT_PROTECTED if side == state.battle_attacker and is_protected(state) else HIT


@kernel
def needed_roll(target, modifier):
    """The lowest roll that hits: a natural 1 misses, a natural 6 hits, modifiers are added (R7.9.5)."""
    return max(2, min(6, target - modifier))


@kernel
def roll_hits(state, kind, side, dice, needed):
    """Rolls a number of dice; returns the number of hits (R7.9.5)."""
    hits = 0
    for _ in range(dice):
        if roll_die(state, kind, side, needed) >= needed:
            hits += 1
    return hits


@kernel
def combat_roll(state, side):
    """The Combat roll of a side (R7.9.5)."""
    dice = combat_dice(state, side)
    needed = needed_roll(hit_on(state, side), int(state.combat[side, CombatColumn.ROLL_MOD]))
    hits = 0
    ones = 0
    for _ in range(dice):
        roll = roll_die(state, Roll.COMBAT, side, needed)
        if roll >= needed:
            hits += 1
        elif roll == 1:
            ones += 1
    state.hits[side] = hits
    state.misses[side] = dice - hits
    state.combat[side, CombatColumn.ONES] = ones


@kernel
def leader_reroll(state, side):
    """Re-rolls missed dice once, as many as the Leadership allows (R7.9.6)."""
    if state.combat[side, CombatColumn.NO_REROLL]:
        return
    dice = min(MAX_DICE, leadership(state, side), int(state.misses[side]))
    needed = needed_roll(hit_on(state, side), int(state.combat[side, CombatColumn.REROLL_MOD]))
    hits = roll_hits(state, Roll.COMBAT_REROLL, side, dice, needed)
    state.hits[side] += hits
    state.misses[side] -= hits
    state.combat[side, CombatColumn.REROLL_HITS] = hits


@kernel
def _inflict(state, side, hits, flags):
    if side == state.battle_attacker:
        suffer_hits(state, side, int(state.battle_origin), hits, ATTACKING_PART | flags)
    else:
        suffer_hits(state, side, int(state.battle_target), hits, DEFENDERS | flags)


@kernel
def inflict(state, side, hits):
    """Makes the army of a side in the battle suffer hits immediately (R7.9.7, R7.10.1)."""
    _inflict(state, side, hits, 0)


@kernel
def inflict_sparing(state, side, hits):
    """As ``inflict``, for hits that a side deals to itself: the last unit stays (RG33)."""
    _inflict(state, side, hits, LAST_UNIT_STAYS)


@kernel
def extra_attack(state, side, dice, target):
    """Executes an attack by a card, without modifiers and re-roll, and with casualties immediately (R7.9.7,
    RG34).

    ``target`` 0 means the base target of the battle.
    """
    needed = target if target > 0 else hit_on(state, side)
    hits = roll_hits(state, Roll.COMBAT_CARD, side, min(MAX_DICE, dice), needed)
    state.combat[side, CombatColumn.EARLY_HITS] += hits
    inflict(state, 1 - side, hits)


@kernel
def clear_round(state):
    """Resets the changes of cards in a round (R7.9.3)."""
    state.combat[:] = 0
    state.combat_void = 0
    state.forfeited_characters = 0
    state.muted_characters = 0
    state.forfeited_nazgul = 0


@kernel
def lose_leader(state, side, nation):
    """Eliminates a Leader or Nazgul in the battle (R7.3.5)."""
    if side == state.battle_attacker:
        state.party_leader[nation] -= 1
        eliminate_leader(state, int(state.battle_origin), nation)
    else:
        eliminate_leader(state, int(state.battle_target), nation)


@kernel
def lose_character(state, side, character):
    """Eliminates a character in the battle (R7.3.5)."""
    if side == state.battle_attacker:
        state.party_characters &= ~(1 << character)
    eliminate_character(state, character)


@kernel
def eliminate_leaderless(state, side):
    """Eliminates the Leaders and characters of a side in the battle whose units are all gone (R7.10.6)."""
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        for _ in range(fighting_leaders_of(state, side, nation)):
            lose_leader(state, side, nation)
    lost = fighting_characters(state, side)
    for character in range(NUM_CHARACTERS):
        if lost >> character & 1:
            lose_character(state, side, character)
