"""What Combat cards do: the windows of a round and the effects in them (R7.9.4, section 22.5).

A stage of the battle that is a window carries out the effects of both cards one by one.
"""

from __future__ import annotations

from wotr_env.cards.combat_programs import COMBAT_INITIATIVE, COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.codes import BattleStage, CombatColumn, Decision, Figure, Side
from wotr_env.compiler.codes import Codes
from wotr_env.components import CHARACTER_LEVEL, COMPANIONS
from wotr_env.data.combat_programs import (
    FIRST,
    LEVEL,
    MAX_EFFECTS,
    OP,
    SECOND,
    WHEN,
    WINDOW,
    Amount,
    CombatOp,
    When,
    Who,
)
from wotr_env.kernels import kernel
from wotr_env.rules.armies import END_NATION, FIRST_NATION, can_reduce
from wotr_env.rules.battle.combat_cards import forfeitable
from wotr_env.rules.battle.retreat import (
    can_retreat,
    can_withdraw,
)
from wotr_env.rules.battle.strength import (
    extra_attack,
    fighting_characters,
    fighting_elites,
    fighting_leaders,
    fighting_unit_kind,
    fighting_units,
    inflict,
    leadership,
    nazgul_points,
)
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
            choose_amount(state, 0, 0)
        if _acts(state, side, index, window):
            _execute(state, side, COMBAT_TITLE[state.combat_card[side]], index)
            return
    _end_window(state, window + 1)


@kernel
def _end_window(state, stage):
    put(state, STAGE, stage)
    put(state, BattleFrame.EFFECTS, 0)
    choose_amount(state, 0, 0)


@kernel
def leave_window(state):
    """An army escapes: no further effect of the window."""
    put(state, BattleFrame.EFFECTS, 0)


@kernel
def chosen_effect(state):
    """The effect whose choice is pending, as an index in its program."""
    return (get(state, BattleFrame.EFFECTS) - 1) % MAX_EFFECTS


@kernel
def choose_amount(state, amount, hit_points):
    """Notes what was chosen for the next effect of the card, and the hit points before it."""
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
            return min(chosen, hit_points - total_hit_points(state, side))
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
def total_hit_points(state, side):
    """Hits that the units of a side in the battle can take."""
    return fighting_units(state, side) + fighting_elites(state, side)


@kernel
def self_hits(state, side, limit):
    """Hits that a side can deal to itself without losing its last unit (RG33)."""
    kept = 2  # the hit points of the last unit: 1 if it can be a Regular
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if fighting_unit_kind(state, side, nation, Figure.REGULAR) > 0 or (
            fighting_unit_kind(state, side, nation, Figure.ELITE) > 0 and can_reduce(state, nation)
        ):
            kept = 1
    return min(limit, total_hit_points(state, side) - kept)


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
def _execute(state, side, title, index):
    """One effect of a Combat card (section 22.5); its choice is asked if it has one (R7.9.9)."""
    op = COMBAT_PROGRAM[title, index, OP]
    first = COMBAT_PROGRAM[title, index, FIRST]
    second = COMBAT_PROGRAM[title, index, SECOND]
    if (
        op == CombatOp.ROLL_MOD
        or op == CombatOp.REROLL_MOD
        or op == CombatOp.CAP
        or op == CombatOp.FEWER
        or op == CombatOp.NO_REROLL
    ):
        _change_dice(state, side, op, first, second)
    elif op == CombatOp.FORFEIT_CHARACTER or op == CombatOp.FORFEIT_ALL or op == CombatOp.FORFEIT_NAZGUL:
        _forfeit(state, side, op, first)
    elif (
        op == CombatOp.SELF_HITS
        or op == CombatOp.MUTE
        or op == CombatOp.SLAY
        or op == CombatOp.ABSORB_BY_DEATH
        or op == CombatOp.ESCAPE
    ):
        if _has_choice(state, side, op, title, index):
            ask(state, side, Decision.COMBAT_CHOICE)
    elif op == CombatOp.CANCEL:
        _void(state, 1 - side)
    else:
        _change_hits(state, side, op, first, second)


@kernel
def _change_dice(state, side, op, first, second):
    """Dice, modifiers and re-rolls of the round."""
    if op == CombatOp.ROLL_MOD:
        _change(state, side, CombatColumn.ROLL_MOD, first, _amount(state, side, second))
    elif op == CombatOp.REROLL_MOD:
        _change(state, side, CombatColumn.REROLL_MOD, first, _amount(state, side, second))
    elif op == CombatOp.CAP:
        _change(state, side, CombatColumn.CAP, first, second)
    elif op == CombatOp.FEWER:
        _change(state, side, CombatColumn.FEWER, first, _amount(state, side, second))
    else:
        _change(state, side, CombatColumn.NO_REROLL, first, 1)


@kernel
def _forfeit(state, side, op, first):
    """Leadership given up; the rest of the card has no effect if there is too little (R7.9.8)."""
    if op == CombatOp.FORFEIT_NAZGUL:
        if nazgul_points(state) < (1 if first == Amount.ANY else first):
            _void(state, side)
        elif first == Amount.ANY:
            ask(state, side, Decision.COMBAT_CHOICE)
        else:
            state.forfeited_nazgul += first
        return
    paying = forfeitable(state, side, first)
    if paying == 0:
        _void(state, side)
    elif op == CombatOp.FORFEIT_ALL:
        state.forfeited_characters |= paying
    else:
        ask(state, side, Decision.COMBAT_CHOICE)


@kernel
def _has_choice(state, side, op, title, index):
    """Whether there is anything to choose for an effect that is nothing but a choice (R7.9.9)."""
    if op == CombatOp.SELF_HITS:
        return self_hits(state, side, COMBAT_PROGRAM[title, index, FIRST]) > 0
    if op == CombatOp.MUTE:
        return fighting_characters(state, 1 - side) & COMPANIONS != 0
    if op == CombatOp.SLAY:
        return to_slay(state, side, title, index) != 0 or leaders_to_slay(state, side, title, index)
    if op == CombatOp.ABSORB_BY_DEATH:
        there = fighting_characters(state, side) & COMPANIONS
        return there != 0 or fighting_leaders(state, side) > 0
    return can_retreat(state, side) or can_withdraw(state, side)


@kernel
def _change_hits(state, side, op, first, second):
    """Hits dealt, added, or taken away."""
    enemy = 1 - side
    if op == CombatOp.EXTRA_ATTACK:
        extra_attack(state, side, _amount(state, side, first), second)
    elif op == CombatOp.BONUS:
        if get(state, STAGE) == BattleStage.AFTER_CASUALTIES:
            inflict(state, enemy, first)
        else:
            state.hits[side] += first
    elif op == CombatOp.CONVERT:
        misses = convertible(state, side, first)
        if misses > 1:
            ask(state, side, Decision.COMBAT_CHOICE)
        else:
            convert(state, side, misses)
    elif op == CombatOp.ABSORB:
        state.hits[enemy] -= first
    elif op == CombatOp.ONES:
        state.hits[side] += state.combat[enemy, CombatColumn.ONES]
        state.misses[enemy] -= state.combat[enemy, CombatColumn.ONES]


@kernel
def convertible(state, side, amount):
    return min(_amount(state, side, amount), int(state.misses[side]))


@kernel
def convert(state, side, misses):
    """Missed dice become hits without rolling."""
    state.hits[side] += misses
    state.misses[side] -= misses


@kernel
def leaders_to_slay(state, side, title, index):
    """Whether the re-roll hits reach an enemy Leader or Nazgul (section 22.5 SLAY)."""
    needed = COMBAT_PROGRAM[title, index, FIRST]
    return (
        0 < needed <= state.combat[side, CombatColumn.REROLL_HITS] and fighting_leaders(state, 1 - side) > 0
    )


@kernel
def to_slay(state, side, title, index):
    """The enemy Companions or Minions that the re-roll hits reach; the Witch-king is a Minion here."""
    needed = COMBAT_PROGRAM[title, index, SECOND]
    hits = int(state.combat[side, CombatColumn.REROLL_HITS])
    there = fighting_characters(state, 1 - side)
    found = 0
    for character in range(NUM_CHARACTERS):
        if hits >= (CHARACTER_LEVEL[character] if needed == LEVEL else needed):
            found |= there & 1 << character
    return found & COMPANIONS if side == Side.SHADOW else found
