"""Values of cards, landmarks, tokens and effects for a side of the Duel, in points, before their price."""

from __future__ import annotations

import numpy as np

from wotr_agents.games.duel.kernels import kernel
from wotr_agents.games.duel.weights import Weight
from wotr_agents.games.duel.worth import (
    WIN,
    best_move,
    best_placement,
    best_raze,
    best_removal,
    coins_worth,
    placement_worth,
    race_worth,
    region_slope,
    skill_worth,
    steps_worth,
)
from wotr_env.compiler.dispatch import dispatch
from wotr_env.games.duel.components import (
    CARD_BANNERS,
    CARD_COLOR,
    CARD_SKILLS,
    CHOICE_CARDS,
    CHOICE_SKILLS,
    EFFECTS,
    GIVER,
    GREY_CARDS,
    LANDMARK_EFFECT,
    LANDMARK_REGION,
    NUM_CARDS,
    NUM_RACES,
    NUM_REGIONS,
    NUM_TOKENS,
    TOKEN_EFFECT,
    TOKEN_ON,
    Color,
    Effect,
    On,
    Token,
)
from wotr_env.games.duel.state import Place, has_token
from wotr_env.games.duel.victory import present, races_of

_EVERYWHERE = (1 << NUM_REGIONS) - 1
_NUM_GREY = len(GREY_CARDS)
_MOST_FREED = 2


def _fixed(rows: list[list[int]] | list[int]) -> np.ndarray:
    made = np.array(rows, dtype=np.int64)
    made.setflags(write=False)
    return made


def _skills_of(card: int) -> list[int]:
    """The kinds of symbols of a card, one bit each, and the number of symbols."""
    choices = CHOICE_CARDS.tolist()
    kinds = CHOICE_SKILLS[choices.index(card)] if card in choices else CARD_SKILLS[card] > 0
    count = 1 if card in choices else int(CARD_SKILLS[card].sum())
    return [sum(1 << skill for skill in np.flatnonzero(kinds).tolist()), count]


_SKILLS_OF = _fixed([_skills_of(card) for card in range(NUM_CARDS)])
_FREED = _fixed(
    [(np.flatnonzero(GIVER == card).tolist() + [-1] * _MOST_FREED)[:_MOST_FREED] for card in range(NUM_CARDS)]
)
"""For each card, the cards that its symbol makes free; -1: none."""


@kernel
def _coins(state, side, a, weights):
    return coins_worth(state, int(state.coins[side]), a, weights)


@kernel
def _steps(state, side, a, weights):
    return steps_worth(state, side, a, weights)


@kernel
def _units_at(state, side, a, b, weights):
    return placement_worth(state, side, b, a, weights)


@kernel
def _units(state, side, a, weights):
    return a * best_placement(state, side, 1, _EVERYWHERE, weights)


@kernel
def _banner(state, side, a, b, weights):
    regions = CARD_BANNERS[b]
    if has_token(state, side, Token.ANY_BANNER):
        regions = _EVERYWHERE
    more = 1 if has_token(state, side, Token.UNIT_RED) else 0
    return best_placement(state, side, a + more, regions, weights)


@kernel
def _later(count, weights):
    """Value of ``count`` maneuvers as a multiple of the value of the first one."""
    return 0.0 if count == 0 else 1.0 + weights[Weight.LATER_MOVE] * (count - 1)


@kernel
def _maneuvers(state, side, a, b, c, d, weights):
    removal = best_removal(state, side, weights)
    move = best_move(state, side, weights)
    lost = min(b, int(state.coins[1 - side]))
    worth = removal * _later(a, weights) + move * _later(c, weights)
    worth += lost * weights[Weight.DRAIN] * coins_worth(state, int(state.coins[1 - side]) - lost, 1, weights)
    return worth + max(removal, move) * _later(d, weights)


@kernel
def _raze(state, side, weights):
    return best_raze(state, side, weights)


@kernel
def _again(weights):
    return weights[Weight.AGAIN]


@kernel
def _rally(state, side, a, weights):
    return race_worth(state, side, a, weights)


@kernel
def _look(weights):
    return weights[Weight.TOKEN]


@kernel
def grey_worth(state, side, card, weights):
    """Value of the symbols of a grey card for a side that gets the card, in points."""
    return skill_worth(state, side, _SKILLS_OF[card, 0], _SKILLS_OF[card, 1], weights)


@kernel
def strip_worth(state, side, card, weights):
    """Value for a side if the opponent loses a grey card, in points."""
    return weights[Weight.STRIP] * grey_worth(state, 1 - side, card, weights)


@kernel
def _strip(state, side, weights):
    best = 0.0
    for place in range(_NUM_GREY):
        card = GREY_CARDS[place]
        if state.place[card] == Place.PLAYED + 1 - side:
            best = max(best, strip_worth(state, side, card, weights))
    return best


@kernel
def _nothing():
    return 0.0


@dispatch(
    kernel,
    {
        Effect.COINS: _coins,
        Effect.STEPS: _steps,
        Effect.UNITS_AT: _units_at,
        Effect.UNITS: _units,
        Effect.BANNER: _banner,
        Effect.MANEUVERS: _maneuvers,
        Effect.RAZE: _raze,
        Effect.AGAIN: _again,
        Effect.RALLY: _rally,
        Effect.LOOK_ANY: _look,
        Effect.STRIP: _strip,
    },
    otherwise=_nothing,
)
def effect_worth(kind, state, side, a, b, c, d, weights):
    """Value of an effect for a side, in points; 0 for an effect that plays cards from the discard
    (``revive_worth``)."""


@kernel
def row_worth(state, side, number, weights):
    """Value of the effect in row ``number`` of the table ``EFFECTS`` for a side, in points."""
    return effect_worth(
        EFFECTS[number, 0],
        state,
        side,
        EFFECTS[number, 1],
        EFFECTS[number, 2],
        EFFECTS[number, 3],
        EFFECTS[number, 4],
        weights,
    )


@kernel
def _triggers_worth(state, side, event, weights):
    """Value of the effects of a side's tokens that an event triggers, in points."""
    worth = 0.0
    for token in range(NUM_TOKENS):
        if TOKEN_ON[token] == event and has_token(state, side, token):
            worth += row_worth(state, side, TOKEN_EFFECT + 2 * token, weights)
    return worth


@kernel
def card_worth(state, side, card, weights):
    """Value of a card for a side that plays it, in points, before its price."""
    worth = row_worth(state, side, card, weights)
    worth += _triggers_worth(state, side, CARD_COLOR[card], weights)
    if CARD_COLOR[card] == Color.GREY:
        worth += grey_worth(state, side, card, weights)
    for place in range(_MOST_FREED):
        freed = _FREED[card, place]
        if freed >= 0 and state.place[freed] == Place.UNSEEN:
            worth += weights[Weight.CHAIN]
    return worth


@kernel
def chain_worth(state, side, weights):
    """Value of the effects of a side's tokens when the side plays a card for free by its chain, in points."""
    return _triggers_worth(state, side, On.CHAIN, weights)


@kernel
def revive_worth(state, side, weights):
    """Value of the best card that is known to lie in the discard, in points."""
    best = 0.0
    for card in range(NUM_CARDS):
        if state.place[card] == Place.DISCARD:
            best = max(best, card_worth(state, side, card, weights))
    return best


@kernel
def landmark_worth(state, side, tile, weights):
    """Value of a landmark for a side, in points, before its price."""
    region = LANDMARK_REGION[tile]
    worth = weights[Weight.FORT] + _triggers_worth(state, side, On.LANDMARK, weights)
    if state.units[side, region] == 0:
        worth += region_slope(state, present(state, side), 1, weights)
    for number in range(LANDMARK_EFFECT + 2 * tile, LANDMARK_EFFECT + 2 * tile + 2):
        worth += row_worth(state, side, number, weights)
        if EFFECTS[number, 0] == Effect.REVIVE:
            worth += revive_worth(state, side, weights)
    return worth


@kernel
def token_worth(state, side, token, weights):
    """Value of a token for a side, in points: its weight and its immediate effects, or ``WIN`` for a
    victory."""
    if token == Token.EAGLE and races_of(state, side) + 1 >= NUM_RACES:
        return WIN
    worth = weights[Weight.FIRST_TOKEN + token]
    if TOKEN_ON[token] == On.NOW:
        worth += row_worth(state, side, TOKEN_EFFECT + 2 * token, weights)
        if EFFECTS[TOKEN_EFFECT + 2 * token, 0] == Effect.REVIVE:
            worth += revive_worth(state, side, weights)
    return worth
