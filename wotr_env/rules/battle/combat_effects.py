"""What Combat cards do: the windows of a round, the effects in them, their choices (R7.9.4, R7.9.9, 22.5).

A stage of the battle that is a window carries out the effects of both cards one by one.
"""

from __future__ import annotations

from wotr_env.actions import Block
from wotr_env.cards.combat_programs import COMBAT_INITIATIVE, COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.codes import BattleStage, CombatColumn, Decision, Figure, Side, Verb
from wotr_env.compiler.codes import Codes
from wotr_env.components import CHARACTER_LEADERSHIP, CHARACTER_LEVEL, COMPANIONS
from wotr_env.data.combat_programs import (
    FIRST,
    FOURTH,
    LEVEL,
    MAX_EFFECTS,
    OP,
    SECOND,
    THIRD,
    WHEN,
    WINDOW,
    Amount,
    CombatOp,
    When,
    Who,
)
from wotr_env.kernels import kernel
from wotr_env.rules.armies import END_LEADER_NATION, END_NATION, FIRST_NATION, can_reduce
from wotr_env.rules.battle.combat_cards import forfeitable, spend_combat_cards
from wotr_env.rules.battle.retreat import (
    can_retreat,
    can_withdraw,
    mark_retreats,
    retreat_from_battle,
    withdraw_from_battle,
)
from wotr_env.rules.battle.strength import (
    extra_attack,
    fighting_characters,
    fighting_elites,
    fighting_leaders,
    fighting_leaders_of,
    fighting_unit_kind,
    fighting_units,
    inflict,
    inflict_sparing,
    leadership,
    lose_character,
    lose_leader,
    nazgul_points,
)
from wotr_env.rules.figures import figure_action, nation_of_figure
from wotr_env.rules.seats import deciding_side
from wotr_env.rules.stack import STAGE, ask, get, put
from wotr_env.ruleset import CombatCardOrder, Option
from wotr_env.state import NUM_CHARACTERS, NUM_SIDES

NO_NUMBER = 99


class BattleFrame(Codes):
    """Slots of the frame ``BATTLE``, which ``battle`` resumes; its stage is a ``BattleStage``."""

    EFFECTS = 2  # passed in this window: of the card that comes first, then of the other
    CHOSEN = 3  # the amount chosen for the next effect of the card
    HIT_POINTS = 4  # of the army before hits that it dealt to itself, 0 if it dealt none


# --- The order of the effects (R7.9.4). ---


@kernel
def is_window(stage):
    """Whether a stage of the battle is a window for effects of Combat cards (R7.9.4)."""
    return (
        stage == BattleStage.START_EFFECTS
        or stage == BattleStage.MODIFIERS
        or stage == BattleStage.BEFORE_REROLL
        or stage == BattleStage.AFTER_ROLLS
        or stage == BattleStage.BEFORE_CASUALTIES
        or stage == BattleStage.AFTER_CASUALTIES
    )


@kernel
def _number_in(state, side, window):
    """The printed number of a side's card in a window, or 99."""
    if state.combat_card[side] >= 0:
        title = COMBAT_TITLE[state.combat_card[side]]
        for index in range(MAX_EFFECTS):
            if COMBAT_PROGRAM[title, index, WINDOW] == window:
                return COMBAT_INITIATIVE[title, index]
    return NO_NUMBER


@kernel
def _first_side(state, window):
    """Whose card comes first: the defender's, by option the lower number's (R7.9.4, RU8)."""
    attacker = int(state.battle_attacker)
    lower = _number_in(state, attacker, window) < _number_in(state, 1 - attacker, window)
    if lower and state.options[Option.COMBAT_CARD_ORDER] == CombatCardOrder.INITIATIVE:
        return attacker
    return 1 - attacker


@kernel
def play_window(state, window):
    """Carries out the next effect of a window, or ends it; a destroyed army ends the round (R7.9.7)."""
    if fighting_units(state, 0) == 0 or fighting_units(state, 1) == 0:
        _end_window(state, BattleStage.LOSSES)
        return
    while get(state, BattleFrame.EFFECTS) < NUM_SIDES * MAX_EFFECTS:
        passed = get(state, BattleFrame.EFFECTS)
        index = passed % MAX_EFFECTS
        put(state, BattleFrame.EFFECTS, passed + 1)
        first = _first_side(state, window)
        side = first if passed < MAX_EFFECTS else 1 - first
        if index == 0:
            _choose_amount(state, 0, 0)
        if _acts(state, side, index, window):
            _execute(state, side, COMBAT_TITLE[state.combat_card[side]], index)
            return
    _end_window(state, window + 1)


@kernel
def _end_window(state, stage):
    put(state, STAGE, stage)
    put(state, BattleFrame.EFFECTS, 0)
    _choose_amount(state, 0, 0)


@kernel
def _choose_amount(state, amount, hit_points):
    put(state, BattleFrame.CHOSEN, amount)
    put(state, BattleFrame.HIT_POINTS, hit_points)


@kernel
def _acts(state, side, index, window):
    """Whether an effect is due: of a card that is not void, in this window, and its moment is right."""
    if state.combat_card[side] < 0 or state.combat_void >> side & 1 == 1:
        return False
    title = COMBAT_TITLE[state.combat_card[side]]
    if COMBAT_PROGRAM[title, index, WINDOW] != window:
        return False
    when = COMBAT_PROGRAM[title, index, WHEN]
    own = int(state.hits[side])
    enemy = int(state.hits[1 - side])
    if when == When.OWN_MISSES:
        return state.misses[side] > 0
    if when == When.OWN_HITS:
        return own >= 1
    if when == When.ENEMY_HITS:
        return enemy >= 1
    if when == When.TWO_ENEMY_HITS:
        return enemy >= 2
    if when == When.MORE_HITS:  # extra attacks before the roll count
        return (
            own + state.combat[side, CombatColumn.EARLY_HITS]
            > enemy + state.combat[1 - side, CombatColumn.EARLY_HITS]
        )
    if when == When.DOUBLE_UNITS:
        return fighting_units(state, side) >= 2 * fighting_units(state, 1 - side)
    if when == When.NAZGUL_LEAD:
        return nazgul_points(state) >= leadership(state, Side.FREE_PEOPLES)
    if when == When.NO_ENEMY_CARD:
        return state.combat_card[1 - side] < 0
    return True


# --- The effects (section 22.5). ---


@kernel
def _amount(state, side, amount):
    """A number, or what it stands for now."""
    if amount == Amount.CHOSEN:
        chosen = get(state, BattleFrame.CHOSEN)
        hit_points = get(state, BattleFrame.HIT_POINTS)
        if hit_points > 0:  # self-inflicted hits: those really taken
            return min(chosen, hit_points - _hit_points(state, side))
        return chosen
    if amount == Amount.LEADERSHIP:
        return leadership(state, side)
    if amount == Amount.ELITES:
        return fighting_elites(state, side)
    if amount == Amount.COMPANIONS:
        return _count(fighting_characters(state, side) & COMPANIONS)
    return amount


@kernel
def _count(characters):
    count = 0
    for character in range(NUM_CHARACTERS):
        count += characters >> character & 1
    return count


@kernel
def _hit_points(state, side):
    """Hits that the units of a side in the battle can take."""
    return fighting_units(state, side) + fighting_elites(state, side)


@kernel
def _self_hits(state, side, limit):
    """Hits that a side can deal to itself without losing its last unit (RG33)."""
    kept = 2  # the hit points of the last unit: 1 if it can be a Regular
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if fighting_unit_kind(state, side, nation, Figure.REGULAR) > 0 or (
            fighting_unit_kind(state, side, nation, Figure.ELITE) > 0 and can_reduce(state, nation)
        ):
            kept = 1
    return min(limit, _hit_points(state, side) - kept)


@kernel
def _change(state, side, column, who, amount):
    """Adds to what the dice of one or both sides meet."""
    for other in range(NUM_SIDES):
        if who == Who.BOTH or (who == Who.OWN) == (other == side):
            state.combat[other, column] += amount


@kernel
def _void(state, side):
    """The rest of a side's card has no effect: cancelled, or its cost is not paid (R7.9.4, R7.9.8)."""
    state.combat_void |= 1 << side


@kernel
def _ask_if(state, side, possible):
    """Asks for the choice of an effect if there is any (R7.9.9)."""
    if possible:
        ask(state, side, Decision.COMBAT_CHOICE)


@kernel
def _execute(state, side, title, index):
    """One effect of a Combat card (section 22.5); its choice is asked if it has one (R7.9.9)."""
    op = COMBAT_PROGRAM[title, index, OP]
    first = COMBAT_PROGRAM[title, index, FIRST]
    second = COMBAT_PROGRAM[title, index, SECOND]
    enemy = 1 - side
    if op == CombatOp.ROLL_MOD:
        _change(state, side, CombatColumn.ROLL_MOD, first, _amount(state, side, second))
    elif op == CombatOp.REROLL_MOD:
        _change(state, side, CombatColumn.REROLL_MOD, first, _amount(state, side, second))
    elif op == CombatOp.CAP:
        _change(state, side, CombatColumn.CAP, first, second)
    elif op == CombatOp.FEWER:
        _change(state, side, CombatColumn.FEWER, first, _amount(state, side, second))
    elif op == CombatOp.NO_REROLL:
        _change(state, side, CombatColumn.NO_REROLL, first, 1)
    elif op == CombatOp.EXTRA_ATTACK:
        extra_attack(state, side, _amount(state, side, first), second)
    elif op == CombatOp.BONUS:
        if get(state, STAGE) == BattleStage.AFTER_CASUALTIES:
            inflict(state, enemy, first)
        else:
            state.hits[side] += first
    elif op == CombatOp.CONVERT:
        misses = _convertible(state, side, first)
        if misses > 1:
            ask(state, side, Decision.COMBAT_CHOICE)
        else:
            _convert(state, side, misses)
    elif op == CombatOp.SELF_HITS:
        _ask_if(state, side, _self_hits(state, side, first) > 0)
    elif op == CombatOp.FORFEIT_CHARACTER or op == CombatOp.FORFEIT_ALL:
        paying = forfeitable(state, side, first)
        if paying == 0:
            _void(state, side)
        elif op == CombatOp.FORFEIT_ALL:
            state.forfeited_characters |= paying
        else:
            ask(state, side, Decision.COMBAT_CHOICE)
    elif op == CombatOp.FORFEIT_NAZGUL:
        if nazgul_points(state) < (1 if first == Amount.ANY else first):
            _void(state, side)
        elif first == Amount.ANY:
            ask(state, side, Decision.COMBAT_CHOICE)
        else:
            state.forfeited_nazgul += first
    elif op == CombatOp.CANCEL:
        _void(state, enemy)
    elif op == CombatOp.MUTE:
        _ask_if(state, side, fighting_characters(state, enemy) & COMPANIONS != 0)
    elif op == CombatOp.SLAY:
        in_reach = _to_slay(state, side, title, index) != 0
        _ask_if(state, side, in_reach or _leaders_to_slay(state, side, title, index))
    elif op == CombatOp.ABSORB:
        state.hits[enemy] -= first
    elif op == CombatOp.ABSORB_BY_DEATH:
        there = fighting_characters(state, side) & COMPANIONS
        _ask_if(state, side, there != 0 or fighting_leaders(state, side) > 0)
    elif op == CombatOp.ESCAPE:
        _ask_if(state, side, can_retreat(state, side) or can_withdraw(state, side))
    elif op == CombatOp.ONES:
        state.hits[side] += state.combat[enemy, CombatColumn.ONES]
        state.misses[enemy] -= state.combat[enemy, CombatColumn.ONES]


@kernel
def _convertible(state, side, amount):
    return min(_amount(state, side, amount), int(state.misses[side]))


@kernel
def _convert(state, side, misses):
    """Missed dice become hits without rolling."""
    state.hits[side] += misses
    state.misses[side] -= misses


@kernel
def _leaders_to_slay(state, side, title, index):
    """Whether the re-roll hits reach an enemy Leader or Nazgul (section 22.5 SLAY)."""
    needed = COMBAT_PROGRAM[title, index, FIRST]
    return (
        0 < needed <= state.combat[side, CombatColumn.REROLL_HITS] and fighting_leaders(state, 1 - side) > 0
    )


@kernel
def _to_slay(state, side, title, index):
    """The enemy Companions or Minions that the re-roll hits reach; the Witch-king is a Minion here."""
    needed = COMBAT_PROGRAM[title, index, SECOND]
    hits = int(state.combat[side, CombatColumn.REROLL_HITS])
    there = fighting_characters(state, 1 - side)
    found = 0
    for character in range(NUM_CHARACTERS):
        if hits >= (CHARACTER_LEVEL[character] if needed == LEVEL else needed):
            found |= there & 1 << character
    return found & COMPANIONS if side == Side.SHADOW else found


# --- The choices (D30). ---


@kernel
def _mark_count(mask, low, high):
    for count in range(low, high + 1):
        mask[Block.COUNT + count] = True


@kernel
def _mark_characters(mask, characters):
    for character in range(NUM_CHARACTERS):
        if characters >> character & 1:
            mask[Block.CHARACTER + character] = True


@kernel
def _mark_leaders(state, mask, side):
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        if fighting_leaders_of(state, side, nation) > 0:
            mask[figure_action(nation, Figure.LEADER)] = True


@kernel
def chosen_effect(state):
    """The effect whose choice is pending, as an index in its program."""
    return (get(state, BattleFrame.EFFECTS) - 1) % MAX_EFFECTS


@kernel
def legal_combat_choice(state, mask):
    """D30, R7.9.9: COUNT of points, hits or dice; FIGURE, CHARACTER; REGION or withdrawal for Scouts."""
    side = deciding_side(state)
    enemy = 1 - side
    title = COMBAT_TITLE[state.combat_card[side]]
    index = chosen_effect(state)
    op = COMBAT_PROGRAM[title, index, OP]
    first = COMBAT_PROGRAM[title, index, FIRST]
    if op == CombatOp.CONVERT:
        _mark_count(mask, 1, _convertible(state, side, first))
    elif op == CombatOp.SELF_HITS:
        _mark_count(mask, 0, _self_hits(state, side, first))
    elif op == CombatOp.FORFEIT_NAZGUL:
        _mark_count(mask, 1, nazgul_points(state))
    elif op == CombatOp.FORFEIT_CHARACTER:
        _mark_characters(mask, forfeitable(state, side, first))
    elif op == CombatOp.MUTE:
        _mark_characters(mask, fighting_characters(state, enemy) & COMPANIONS)
    elif op == CombatOp.SLAY:
        _mark_characters(mask, _to_slay(state, side, title, index))
        if _leaders_to_slay(state, side, title, index):
            _mark_leaders(state, mask, enemy)
            mask[Block.VERB + Verb.DECLINE] = COMBAT_PROGRAM[title, index, FOURTH] == 1
        else:  # characters only "may" be chosen
            mask[Block.VERB + Verb.DECLINE] = True
    elif op == CombatOp.ABSORB_BY_DEATH:
        _mark_characters(mask, fighting_characters(state, side) & COMPANIONS)
        _mark_leaders(state, mask, side)
        mask[Block.VERB + Verb.DECLINE] = True
    else:
        mark_retreats(state, mask, side)
        mask[Block.VERB + Verb.WITHDRAW] = can_withdraw(state, side)


@kernel
def _remove_chosen(state, side, action):
    """The chosen Leader, Nazgul or character of a side dies; returns the hits that Heroic Death absorbs."""
    if action >= Block.FIGURE:
        lose_leader(state, side, nation_of_figure(action))
        return 1
    lose_character(state, side, action - Block.CHARACTER)
    return CHARACTER_LEVEL[action - Block.CHARACTER]


@kernel
def apply_combat_choice(state, action):
    """D30: what was chosen for a Combat card happens (R7.9.9)."""
    side = deciding_side(state)
    enemy = 1 - side
    title = COMBAT_TITLE[state.combat_card[side]]
    index = chosen_effect(state)
    op = COMBAT_PROGRAM[title, index, OP]
    if action == Block.VERB + Verb.DECLINE:
        return
    if op == CombatOp.CONVERT:
        _convert(state, side, action - Block.COUNT)
    elif op == CombatOp.SELF_HITS:
        _choose_amount(state, action - Block.COUNT, _hit_points(state, side))
        inflict_sparing(state, side, action - Block.COUNT)
    elif op == CombatOp.FORFEIT_NAZGUL:
        put(state, BattleFrame.CHOSEN, action - Block.COUNT)
        state.forfeited_nazgul += action - Block.COUNT
    elif op == CombatOp.FORFEIT_CHARACTER:
        put(state, BattleFrame.CHOSEN, CHARACTER_LEADERSHIP[action - Block.CHARACTER])
        state.forfeited_characters |= 1 << (action - Block.CHARACTER)
    elif op == CombatOp.MUTE:
        state.muted_characters |= 1 << (action - Block.CHARACTER)
    elif op == CombatOp.SLAY:
        _remove_chosen(state, enemy, action)
        state.hits[side] -= COMBAT_PROGRAM[title, index, THIRD]
        state.combat[side, CombatColumn.REROLL_HITS] -= COMBAT_PROGRAM[title, index, THIRD]
    elif op == CombatOp.ABSORB_BY_DEATH:
        state.hits[enemy] -= min(int(state.hits[enemy]), _remove_chosen(state, side, action))
    else:
        put(state, BattleFrame.EFFECTS, 0)
        spend_combat_cards(state)
        if action == Block.VERB + Verb.WITHDRAW:
            withdraw_from_battle(state)
        else:
            retreat_from_battle(state, side, action - Block.REGION)
