"""The flow of a game: resumes the frame on top of the stack until a player must decide."""

from __future__ import annotations

from wotr_env.compiler.dispatch import dispatch
from wotr_env.core.errors import StateError
from wotr_env.games.war_of_the_ring.codes import Decision, Frame, Winner
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules import (
    armies,
    cards,
    command,
    companions,
    dice,
    fellowship,
    minions,
    movement,
    recruiting,
    sharing,
    turn,
)
from wotr_env.games.war_of_the_ring.rules.battle import battle, retreat
from wotr_env.games.war_of_the_ring.rules.chance import forget_draws
from wotr_env.games.war_of_the_ring.rules.decisions import DECISIONS
from wotr_env.games.war_of_the_ring.rules.events import program
from wotr_env.games.war_of_the_ring.rules.hunt import hunt
from wotr_env.games.war_of_the_ring.rules.masks import action_at, count_actions
from wotr_env.games.war_of_the_ring.rules.stack import KIND, answered, get
from wotr_env.games.war_of_the_ring.rules.table import play as table_play

FRAMES = {
    Frame.TURN: turn.resume_turn,
    Frame.ACTION: dice.resume_action,
    Frame.GUIDE: fellowship.resume_guide,
    Frame.MOVE_ARMIES: movement.resume_move_armies,
    Frame.BATTLE: battle.resume_battle,
    Frame.CASUALTIES: armies.resume_casualties,
    Frame.TRIM: armies.resume_trim,
    Frame.HUNT: hunt.resume_hunt,
    Frame.REVEAL: fellowship.resume_reveal,
    Frame.MOVE_COMPANIONS: companions.resume_move_companions,
    Frame.MOVE_MINIONS: minions.resume_move_minions,
    Frame.RECRUIT: recruiting.resume_recruit,
    Frame.TAKE_THEM_ALIVE: companions.resume_take_them_alive,
    Frame.HAND_LIMIT: cards.resume_hand_limit,
    Frame.EVENT: program.resume_event,
    Frame.LOSE_CARD: table_play.resume_lose_card,
    Frame.BUY_OFF: table_play.resume_buy_off,
    Frame.AFTER_EVENT: table_play.resume_after_event,
    Frame.RETREAT: retreat.resume_retreat,
    Frame.SIDE_DRAWS: sharing.resume_side_draws,
    Frame.ARMIES_MEET: command.resume_armies_meet,
}
"""The function that resumes each kind of frame."""
GOES_ON = -1
"""Result of ``advance``: no player is asked yet."""
_NOTHING = -1
"""Value of the only legal action if there is no legal action."""
MOST_MOVES = 100_000
"""Maximal number of moves of the rules between two decisions of players; real games have some hundreds."""


@kernel
def _business(state):
    """The kind of the business on top of the stack."""
    return get(state, KIND)


@kernel
def _pending(state):
    """The pending decision."""
    return int(state.decision)


@dispatch(kernel, FRAMES, by=(_business,))
def resume(state):
    """Continues the business on top of the stack."""


@dispatch(kernel, {decision: row.legal for decision, row in DECISIONS.items()}, by=(_pending,))
def legal(state, mask):
    """Marks the legal actions of the pending decision in a mask of zeros."""


@dispatch(kernel, {decision: row.apply for decision, row in DECISIONS.items()})
def _apply(decision, state, action):
    """Executes a legal action of a decision."""


@kernel
def _take(state, action):
    """Executes a legal action of the pending decision."""
    decision = int(state.decision)
    answered(state)
    _apply(decision, state, action)


@kernel
def apply(state, action):
    """Executes a player's legal action of the pending decision, which starts a step."""
    forget_draws(state)
    _take(state, action)


@kernel
def run(state, mask):
    """Runs the game to the next decision and writes its mask; returns the number of legal actions, 0 after
    the end of the game.

    A decision with one legal action is taken without asking, unless the ruleset option ``ask_single`` is on.

    Raises:
        StateError: the state is impossible: there is no legal action, or the rules reach no decision.
    """
    count = advance(state, mask, MOST_MOVES)
    if count == GOES_ON:
        raise StateError("stack: the rules go on without end")
    return count


@kernel
def advance(state, mask, moves):
    """As ``run``, but with a maximal number of moves of the rules. A move resumes a frame, or takes a
    decision without asking.

    Returns ``GOES_ON`` if the limit is reached before a player is asked. If a decision was taken without
    asking, its mask then contains only the action.
    """
    mask[:] = False
    only = _NOTHING
    while moves != 0:
        moves -= 1
        if only != _NOTHING:
            mask[only] = False
            only = _NOTHING
        table_play.check_lapses(state)
        if state.winner != Winner.NONE:
            answered(state)
            return 0
        if state.decision == Decision.NONE:
            resume(state)
            continue
        legal(state, mask)
        count = count_actions(mask)
        if count == 0:
            raise StateError("decision: it has no legal action")
        if count > 1 or state.options[Option.ASK_SINGLE] == 1:
            return count
        only = action_at(mask, 0)
        _take(state, only)
    return GOES_ON
