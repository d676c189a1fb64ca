"""The legal actions of each decision. A function marks them in the mask one by one, and returns their
number."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.dispatch import dispatch
from wotr_env.games.duel.actions import NUM_ACTIONS, Act
from wotr_env.games.duel.components import (
    CARD_BANNERS,
    CHAIN_PLACE,
    GREY_CARDS,
    MOVES,
    NUM_CARDS,
    NUM_DEALT,
    NUM_LANDMARKS,
    NUM_MOVES,
    NUM_RACES,
    NUM_REGIONS,
    NUM_SLOTS,
    SLOT_COVER,
    Effect,
    Token,
)
from wotr_env.games.duel.costs import is_free, price
from wotr_env.games.duel.kernels import kernel
from wotr_env.games.duel.state import Ask, Opt, Place, Tile, has_token, supply

_NUM_GREY = len(GREY_CARDS)


@kernel
def clear(mask):
    """Makes all actions illegal."""
    for action in range(NUM_ACTIONS):
        mask[action] = False


@kernel
def accessible(state, slot):
    """Whether a slot has a card that no other card covers (D2.2)."""
    left = int(state.left)
    return left >> slot & 1 == 1 and SLOT_COVER[int(state.chapter), slot] & left == 0


@kernel
def turn_mask(state, mask):
    """Allows to play a card, to play it free, to discard it, or to take a landmark (D2.1)."""
    side = int(state.seat)
    coins = int(state.coins[side])
    chapter = int(state.chapter)
    count = 0
    for slot in range(NUM_SLOTS):
        if accessible(state, slot):
            card = int(state.deck[chapter, slot])
            mask[Act.SELL + card] = True
            count += 1
            if price(state, side, card) <= coins:
                mask[Act.PLAY + card] = True
                count += 1
            if is_free(state, side, card):
                mask[Act.CHAIN + CHAIN_PLACE[card]] = True
                count += 1
    for tile in range(NUM_LANDMARKS):
        if state.landmark[tile] == Tile.SHOWN and price(state, side, NUM_CARDS + tile) <= coins:
            mask[Act.LANDMARK + tile] = True
            count += 1
    return count


@kernel
def _banner(state, mask, side, b):
    """Allows the two regions of the card, or all regions with a token (D5.4, D6.1)."""
    if supply(state, side) == 0:
        return 0
    bits = CARD_BANNERS[b]
    if has_token(state, side, Token.ANY_BANNER):
        bits = (1 << NUM_REGIONS) - 1
    count = 0
    for region in range(NUM_REGIONS):
        if bits >> region & 1:
            mask[Act.PLACE + region] = True
            count += 1
    return count


@kernel
def _may_pass(state, mask, count):
    """Also allows to pass if there is a choice and choices may be declined (D9.2)."""
    if count > 0 and state.options[Opt.DECLINE]:
        mask[Act.PASS] = True
        return count + 1
    return count


@kernel
def _units(state, mask, side, b):
    if supply(state, side) == 0:
        return 0
    for region in range(NUM_REGIONS):
        mask[Act.PLACE + region] = True
    return _may_pass(state, mask, NUM_REGIONS) if b else NUM_REGIONS


@kernel
def _removals(state, mask, other):
    count = 0
    for region in range(NUM_REGIONS):
        if state.units[other, region] > 0:
            mask[Act.REMOVE + region] = True
            count += 1
    return count


@kernel
def _moves(state, mask, side):
    count = 0
    for move in range(NUM_MOVES):
        if state.units[side, MOVES[move, 0]] > 0:
            mask[Act.MOVE + move] = True
            count += 1
    return count


@kernel
def settle(state, side, row):
    """Drops removals without a target, because no target can appear later (D10.1)."""
    units = 0
    for region in range(NUM_REGIONS):
        units += int(state.units[1 - side, region])
    if units == 0:
        row[1] = 0


@kernel
def _maneuvers(state, mask, side, a, b, c, d):
    """Allows removals, lost coins and moves: one kind after another as printed, or in any order. Some
    maneuvers may be of any kind (D5.5)."""
    free = state.options[Opt.FREE_ORDER] != 0
    count = 0
    if a + d > 0:
        count += _removals(state, mask, 1 - side)
    if d > 0 and state.coins[1 - side] > 0:
        mask[Act.DRAIN] = True
        count += 1
    if c + d > 0 and (free or a + b == 0):
        count += _moves(state, mask, side)
    return _may_pass(state, mask, count)


@kernel
def _raze(state, mask, side):
    count = 0
    for region in range(NUM_REGIONS):
        if state.fort[region] == 2 - side:
            mask[Act.RAZE + region] = True
            count += 1
    return _may_pass(state, mask, count)


@kernel
def _look(state, mask, a):
    """Allows the first two tokens of a pile (D7.2)."""
    count = min(2, int(state.pile_size[a]))
    for place in range(count):
        mask[Act.TOKEN + int(state.pile[a, place])] = True
    return count


@kernel
def _council(state, mask, a):
    """Allows the first token of each of three piles (D7.3)."""
    count = 0
    for race in range(NUM_RACES):
        if a >> race & 1 and state.pile_size[race] > 0:
            mask[Act.TOKEN + int(state.pile[race, 0])] = True
            count += 1
    return count


@kernel
def _piles(state, mask):
    count = 0
    for race in range(NUM_RACES):
        if state.pile_size[race] > 0:
            mask[Act.PILE + race] = True
            count += 1
    return _may_pass(state, mask, count)


@kernel
def _strip(state, mask, side):
    """Allows each grey card of the opponent (D5.6)."""
    count = 0
    for place in range(_NUM_GREY):
        if state.place[GREY_CARDS[place]] == Place.PLAYED + 1 - side:
            mask[Act.STRIP + place] = True
            count += 1
    return _may_pass(state, mask, count)


@kernel
def _revive(state, mask):
    """Allows each card of the discard, including the cards that were removed from the chapters so far
    (D5.7)."""
    count = 0
    for card in range(NUM_CARDS):
        if state.place[card] == Place.DISCARD:
            mask[Act.REVIVE + card] = True
            count += 1
    for chapter in range(int(state.chapter) + 1):
        for slot in range(NUM_SLOTS, NUM_DEALT):
            card = int(state.deck[chapter, slot])
            if state.place[card] == Place.UNSEEN:
                mask[Act.REVIVE + card] = True
                count += 1
    return _may_pass(state, mask, count)


@kernel
def _ask_again(mask):
    mask[Act.AGAIN] = True
    mask[Act.PASS] = True
    return 2


_CHOICES = {
    Effect.BANNER: (Ask.BANNER, _banner),
    Effect.UNITS: (Ask.UNITS, _units),
    Effect.MANEUVERS: (Ask.MANEUVERS, _maneuvers),
    Effect.RAZE: (Ask.RAZE, _raze),
    Effect.LOOK: (Ask.TOKEN, _look),
    Effect.COUNCIL: (Ask.TOKEN, _council),
    Effect.LOOK_ANY: (Ask.PILE, _piles),
    Effect.STRIP: (Ask.STRIP, _strip),
    Effect.REVIVE: (Ask.REVIVE, _revive),
    Effect.ASK_AGAIN: (Ask.AGAIN, _ask_again),
}
"""The effects with a choice: the kind of decision, and the kernel that writes the mask."""
ASK_OF = np.array([_CHOICES[kind][0] if kind in _CHOICES else Ask.NOTHING for kind in Effect], dtype=np.int64)
"""The kind of decision of each effect; ``Ask.NOTHING`` for an effect without a choice."""


@dispatch(
    kernel,
    {kind: mask for kind, (_, mask) in _CHOICES.items() if kind != Effect.ASK_AGAIN},
    otherwise=_ask_again,
)
def effect_mask(kind, state, mask, side, a, b, c, d):
    """Writes the choices of an effect, and returns their number. If there are none, the effect does
    nothing."""
