"""The legal actions of each decision. A function marks them in the mask one by one, and returns their
number."""

from __future__ import annotations

from wotr_env.games.two_towers.actions import HIDDEN, NUM_ACTIONS, Act
from wotr_env.games.two_towers.components import GANDALF, NUM_KINDS, NUM_QUALITIES
from wotr_env.games.two_towers.kernels import kernel
from wotr_env.games.two_towers.state import NONE, Ask, Opt, total


@kernel
def clear(mask):
    """Makes all actions illegal."""
    for action in range(NUM_ACTIONS):
        mask[action] = False


@kernel
def open_cards(state, kind):
    """The number of cards of a kind in the display that may be taken; a card that was just put there may not
    (TT2.4)."""
    cards = int(state.display[kind])
    if state.swapped == 1 + kind and state.options[Opt.TAKE_BACK] == 0:
        cards -= 1
    return cards


@kernel
def _takes(state, mask, least):
    """Allows to take a card of the display, or a card of a pile with at least ``least`` cards (TT2.1,
    TT2.3)."""
    count = 0
    for kind in range(NUM_KINDS):
        if open_cards(state, kind) > 0:
            mask[Act.TAKE + kind] = True
            count += 1
    if total(state.pile) + total(state.discard) >= least:
        mask[HIDDEN] = True
        count += 1
    return count


@kernel
def _draw(state, mask, seat):
    """Allows to take one card, or to put one card into the display and take two (TT2.1, TT2.2, TT5.2)."""
    count = _takes(state, mask, 1)
    if count == 0:
        return 0
    others = 1 if state.options[Opt.TAKE_BACK] else 2
    if total(state.display) + total(state.pile) + total(state.discard) >= others:
        for kind in range(NUM_KINDS):
            if state.hand[seat, kind] > 0:
                mask[Act.SWAP + kind] = True
                count += 1
    if state.options[Opt.MAY_DECLINE]:
        mask[Act.END] = True
        count += 1
    return count


@kernel
def _lay(state, mask, seat):
    """Allows to lay cards in rows of their colour. Each row has one quality, and a row is begun at most once
    a turn (TT3.1-TT3.4)."""
    count = 1
    mask[Act.END] = True
    for kind in range(GANDALF):
        if state.hand[seat, kind] == 0:
            continue
        colour = kind // NUM_QUALITIES
        goes_on = state.quality[seat, colour] == kind % NUM_QUALITIES
        if not goes_on and state.fresh[colour] != 0 and state.quality[seat, colour] != NONE:
            continue
        mask[Act.LAY + kind] = True
        count += 1
        if not goes_on and state.hand[seat, GANDALF] > 0:
            mask[Act.BEGIN + kind] = True
            count += 1
    return count


@kernel
def write_mask(state, mask):
    """Writes the legal actions of the pending decision, and returns their number."""
    clear(mask)
    seat = int(state.seat)
    if state.decision == Ask.DRAW:
        return _draw(state, mask, seat)
    if state.decision == Ask.LAY:
        return _lay(state, mask, seat)
    return _takes(state, mask, 2 if state.decision == Ask.FIRST else 1)
