"""Effects without a choice, and the effects of choices (D5)."""

from __future__ import annotations

from wotr_env.compiler.dispatch import dispatch
from wotr_env.games.duel.actions import Act
from wotr_env.games.duel.components import (
    CARD_COLOR,
    CARD_RACE,
    CARD_SKILLS,
    EFFECTS,
    GREY_CARDS,
    NUM_SKILLS,
    Effect,
    Token,
)
from wotr_env.games.duel.conflict import move_unit, place_units
from wotr_env.games.duel.kernels import kernel
from wotr_env.games.duel.ring_track import advance
from wotr_env.games.duel.state import Opt, Place, gain, has_token, pop, push
from wotr_env.games.duel.tokens import push_row, push_triggers, rally, take_token


@kernel
def play_card(state, side, card, triggers):
    """Adds a card to the area of a side. The effect of the card comes first, then the effects of tokens that
    the side already had (D5.1, D7.5, D9.1).

    Args:
        triggers: whether the card counts as played for tokens. ``unit-red`` changes red cards and always
            applies.
    """
    state.place[card] = Place.PLAYED + side
    for skill in range(NUM_SKILLS):
        state.skills[side, skill] += CARD_SKILLS[card, skill]
    if CARD_RACE[card] >= 0:
        state.races[side, CARD_RACE[card]] += 1
    if triggers:
        push_triggers(state, side, CARD_COLOR[card])
    kind = EFFECTS[card, 0]
    if kind == Effect.BANNER:
        more = 1 if has_token(state, side, Token.UNIT_RED) else 0
        push(state, kind, EFFECTS[card, 1] + more, card, 0, 0)
    else:
        push_row(state, card)


@kernel
def _coins(state, side, a):
    """Gains coins (D5.2)."""
    gain(state, side, a)


@kernel
def _units_at(state, side, a, b):
    place_units(state, side, b, a)


@kernel
def _again(state):
    """Gains a further turn. By default, a side has at most one; with the option, all of them count (D9.3)."""
    if state.options[Opt.ALL_TURNS]:
        state.again += 1
    else:
        state.again = 1


@kernel
def _rally(state, side, a):
    rally(state, side, a)


@dispatch(
    kernel,
    {
        Effect.COINS: _coins,
        Effect.STEPS: advance,
        Effect.UNITS_AT: _units_at,
        Effect.AGAIN: _again,
        Effect.RALLY: _rally,
    },
)
def happen(kind, state, side, a, b):
    """Applies an effect without a choice."""


@kernel
def lose_coins(state, side, row):
    """Makes the opponent lose all coins of a card together, without a decision (D5.5)."""
    if row[2] > 0 and (row[1] == 0 or state.options[Opt.FREE_ORDER] != 0):
        state.coins[1 - side] -= min(int(row[2]), int(state.coins[1 - side]))
        row[2] = 0


@kernel
def _spend_maneuver(row, place):
    """Uses up one maneuver of this kind, or one of any kind if none of this kind remains."""
    if row[place] > 0:
        row[place] -= 1
    else:
        row[4] -= 1


@kernel
def _skip_maneuvers(state, row):
    """Declines the maneuvers of the next kind, or all remaining maneuvers if the order is free."""
    if state.options[Opt.FREE_ORDER] == 0:
        for place in range(1, 4):
            if row[place] > 0:
                row[place] = 0
                return
    for place in range(1, 5):
        row[place] = 0


@kernel
def _maneuver(state, side, row, action):
    other = 1 - side
    if action == Act.PASS:
        _skip_maneuvers(state, row)
    elif action == Act.DRAIN:
        state.coins[other] -= 1
        _spend_maneuver(row, 2)
    elif action >= Act.REMOVE and action < Act.RAZE:
        state.units[other, action - Act.REMOVE] -= 1
        _spend_maneuver(row, 1)
    else:
        move_unit(state, side, action - Act.MOVE)
        _spend_maneuver(row, 3)
    if row[1] + row[2] + row[3] + row[4] == 0:
        pop(state)


@kernel
def choose(state, side, action):
    """Applies a choice for the next effect. A removed fortress does not return to the supply (D4.2)."""
    row = state.stack[int(state.stack_size) - 1]
    kind = int(row[0])
    count = int(row[1])
    if kind == Effect.MANEUVERS:
        _maneuver(state, side, row, action)
        return
    if kind == Effect.UNITS and action != Act.PASS and count > 1:
        row[1] -= 1
        place_units(state, side, action - Act.PLACE, 1)
        return
    pop(state)
    if action == Act.PASS:
        if kind == Effect.ASK_AGAIN:
            state.again = 0
    elif kind == Effect.UNITS:
        place_units(state, side, action - Act.PLACE, 1)
    elif kind == Effect.BANNER:
        place_units(state, side, action - Act.PLACE, count)
    elif kind == Effect.RAZE:
        state.fort[action - Act.RAZE] = 0
    elif kind == Effect.LOOK_ANY:
        push(state, Effect.LOOK, action - Act.PILE, 0, 0, 0)
    elif kind == Effect.LOOK or kind == Effect.COUNCIL:
        take_token(state, side, action - Act.TOKEN)
    elif kind == Effect.STRIP:
        card = GREY_CARDS[action - Act.STRIP]
        state.place[card] = Place.DISCARD
        for skill in range(NUM_SKILLS):
            state.skills[1 - side, skill] -= CARD_SKILLS[card, skill]
    elif kind == Effect.REVIVE:
        play_card(state, side, action - Act.REVIVE, int(state.options[Opt.REVIVE_TRIGGERS]))
