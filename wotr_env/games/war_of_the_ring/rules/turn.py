"""The six phases of a turn (R4)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import Decision, Frame, Phase, Side, TurnStage, Winner
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import MordorEntry, Option
from wotr_env.games.war_of_the_ring.rules.cards import draw_of_each_deck
from wotr_env.games.war_of_the_ring.rules.characters import (
    action_pool,
    companions_in_fellowship,
    roll_action_die,
    unused_dice,
)
from wotr_env.games.war_of_the_ring.rules.fellowship import can_declare, choose_guide, is_gate
from wotr_env.games.war_of_the_ring.rules.mordor import idle_in_mordor
from wotr_env.games.war_of_the_ring.rules.seats import is_shared, leader_of, leaders_take_over, other_of
from wotr_env.games.war_of_the_ring.rules.sharing import start_side_draws
from wotr_env.games.war_of_the_ring.rules.spent import forget_spent
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask_leader, get, push, put
from wotr_env.games.war_of_the_ring.rules.victory import check_military_victory, check_turn_limit
from wotr_env.games.war_of_the_ring.state import NUM_SIDES


@kernel
def resume_turn(state):
    """Runs the current stage of the turn, after it has stored the next stage (section 19.1 of the rules)
    (R4.1, R4.3, R4.4).

    In games with partners, the leader of each side takes the decisions that belong to no action (R13.3.1,
    R13.3.2).
    """
    stage = get(state, STAGE)
    put(state, STAGE, stage + 1)
    if stage == TurnStage.DRAW:
        _recover_and_draw(state)
    elif stage == TurnStage.DECLARE:
        state.phase = Phase.FELLOWSHIP
        if can_declare(state):
            ask_leader(state, Side.FREE_PEOPLES, Decision.DECLARE_FELLOWSHIP)
    elif stage == TurnStage.ENTER_MORDOR:
        by_presence = state.options[Option.MORDOR_ENTRY] == MordorEntry.FIGURE_PRESENT
        if by_presence and is_gate(state.fellowship_region):
            ask_leader(state, Side.FREE_PEOPLES, Decision.ENTER_MORDOR)
    elif stage == TurnStage.GUIDE:
        if companions_in_fellowship(state) > 0:
            choose_guide(state)
    elif stage == TurnStage.ALLOCATE:
        state.phase = Phase.HUNT_ALLOCATION
        ask_leader(state, Side.SHADOW, Decision.HUNT_ALLOCATION)
    elif stage == TurnStage.ROLL:
        _roll_dice(state)
    elif stage == TurnStage.ACTIONS:
        _next_action(state)
    else:
        _end_turn(state)


@kernel
def _recover_and_draw(state):
    """Phase 1: recovers the dice, updates the pools, and draws two cards for each player (R4.2, R5.1).

    Partners draw by other rules, the Free Peoples first (R13.2.1), and the leader changes (R13.1.2).
    """
    state.phase = Phase.DRAW
    leaders_take_over(state)
    forget_spent(state)
    state.fellowship_moved_last_turn = 1 if state.hunt_box[Side.FREE_PEOPLES] > 0 else 0
    state.move_attempted = 0
    state.hide_attempted = 0
    state.messenger_used = 0
    for side in range(NUM_SIDES):
        state.pool[side] = action_pool(state, side)
        state.dice[side, :] = 0
        state.dice_used[side] = 0
        state.hunt_box[side] = 0
        state.ring_used[side] = 0
        state.next_seat[side] = other_of(state, leader_of(state, side))
    _draw_for(state, Side.SHADOW)
    _draw_for(state, Side.FREE_PEOPLES)


@kernel
def _draw_for(state, side):
    """Draws for a side: partners draw one after another; a player without a partner draws as in a game of two
    players (R13.2.1, R13.7.2)."""
    if is_shared(state, side):
        start_side_draws(state, side)
    else:
        draw_of_each_deck(state, side)


@kernel
def _roll_dice(state):
    """Phase 4: rolls all dice that are not in the Hunt Box, the dice of the Free Peoples first (R4.5,
    R5.2.5)."""
    state.phase = Phase.ACTION_ROLL
    for side in range(NUM_SIDES):
        for _ in range(state.pool[side] - state.hunt_box[side]):
            roll_action_die(state, side)
    state.phase = Phase.ACTION
    state.acting = Side.FREE_PEOPLES


@kernel
def _next_action(state):
    """Phase 5: starts the next action; the players alternate until no player has an unused die (R4.6,
    R4.6.3)."""
    if unused_dice(state, 0) + unused_dice(state, 1) == 0:
        return
    put(state, STAGE, TurnStage.ACTIONS)
    push(state, Frame.ACTION)


@kernel
def _end_turn(state):
    """Phase 6: checks for an idle turn in Mordor, then for a victory; otherwise starts the next turn
    (R4.7)."""
    state.phase = Phase.VICTORY
    idle_in_mordor(state)
    if state.winner == Winner.NONE:
        check_military_victory(state)
    if state.winner == Winner.NONE:
        check_turn_limit(state)
    if state.winner == Winner.NONE:
        state.turn += 1
        put(state, STAGE, TurnStage.DRAW)
