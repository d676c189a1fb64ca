"""The frame of a battle, the chosen effect of Combat cards in it, and the row type of their table."""

from __future__ import annotations

from typing import NamedTuple

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.cards.combat import COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.games.war_of_the_ring.data.combat_programs import MAX_EFFECTS
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.choice import Choice, Kernel
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.rules.stack import get, put


class BattleFrame(Codes):
    """Slots of the frame ``BATTLE``, which ``battle`` resumes. The stage of the frame is a
    ``BattleStage``."""

    EFFECTS = 2  # passed in this window: of the card that comes first, then of the other
    CHOSEN = 3  # the amount chosen for the next effect of the card
    HIT_POINTS = 4  # of the army before hits that it dealt to itself, 0 if it dealt none


class Effect(NamedTuple):
    """One kind of effect of Combat cards."""

    run: Kernel
    """``run(state, side, first, second)`` with the side of the card and the two numbers of the effect."""
    choice: Choice | None = None


@kernel
def leave_window(state):
    """Ends the window without further effects, because an army escapes."""
    put(state, BattleFrame.EFFECTS, 0)


@kernel
def chosen_effect(state):
    """The effect whose choice is pending, as an index in its program."""
    return (get(state, BattleFrame.EFFECTS) - 1) % MAX_EFFECTS


@kernel
def chosen_number(state, column):
    """A number of the effect whose choice is pending."""
    title = COMBAT_TITLE[state.combat_card[deciding_side(state)]]
    return COMBAT_PROGRAM[title, chosen_effect(state), column]


@kernel
def choose_amount(state, amount, hit_points):
    """Stores the choice for the next effect of the card, and the hit points before it."""
    put(state, BattleFrame.CHOSEN, amount)
    put(state, BattleFrame.HIT_POINTS, hit_points)


@kernel
def void_card(state, side):
    """Makes the remaining effects of a side's card void: the card is cancelled, or its cost is not paid
    (R7.9.4, R7.9.8)."""
    state.combat_void |= 1 << side
