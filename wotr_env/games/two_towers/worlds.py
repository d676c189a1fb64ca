"""Sampled worlds: the information hidden from a seat is resampled (TT8).

Before the pile is renewed, a seat has the same information about all cards that it has not seen: each can be
in any hand or in the pile. After the renewal there are two sorts of cards. The cards of the renewed pile are
known, because all players have seen the cards that were put aside (TT8.3). These cards are in the pile, or in
hands that have drawn from it since. The other cards were in hands at the time of the renewal, and are still
in these hands. A card that a player has shown since can be of either sort. The sort of each such card is
sampled first, so that no player has shown more cards of a sort than existed.
"""

from __future__ import annotations

from wotr_env.compiler.memory import local_numbers
from wotr_env.games.two_towers.components import MOST_PLAYERS, NUM_KINDS
from wotr_env.games.two_towers.kernels import draw, kernel, seed_chance
from wotr_env.games.two_towers.state import NONE, take_any, total

_HUB, _SEATS, _KINDS = 0, 1, 1 + MOST_PLAYERS
_NODES = _KINDS + NUM_KINDS
"""The nodes of a circulation: it flows from a hub to seats, to kinds, and back to the hub. The flow is the
number of shown cards that come from the renewed pile."""
_EDGES = _NODES * _NODES
_CELLS = MOST_PLAYERS * NUM_KINDS


@kernel
def hidden_cards(state, seat):
    """The number of hidden cards in a hand."""
    return total(state.hand[seat]) - total(state.known[seat])


@kernel
def _take_of(state, pool):
    """Takes a card from a pool that is not empty; all cards are equally likely. Returns the kind of the
    card."""
    cards = 0
    for kind in range(NUM_KINDS):
        cards += pool[kind]
    place = draw(state, cards)
    for kind in range(NUM_KINDS):
        place -= pool[kind]
        if place < 0:
            pool[kind] -= 1
            return kind
    return NONE


@kernel
def _reroute(flow, lower, upper, start, goal):
    """Sends one more unit from a node to another, within the limits; returns whether a path exists."""
    came = local_numbers(_NODES)
    queue = local_numbers(_NODES)
    for node in range(_NODES):
        came[node] = NONE
    came[start] = start
    queue[0] = start
    size = 1
    done = 0
    while done < size and came[goal] == NONE:
        node = queue[done]
        done += 1
        for other in range(_NODES):
            there = node * _NODES + other
            back = other * _NODES + node
            if came[other] == NONE and (flow[there] < upper[there] or flow[back] > lower[back]):
                came[other] = node
                queue[size] = other
                size += 1
    if came[goal] == NONE:
        return False
    node = goal
    while node != start:
        before = came[node]
        there = before * _NODES + node
        if flow[there] < upper[there]:
            flow[there] += 1
        else:
            flow[node * _NODES + before] -= 1
        node = before
    return True


@kernel
def _keep_limits(flow, lower, upper):
    """Changes a circulation until every edge is within its limits, which is always possible."""
    for start in range(_NODES):
        for end in range(_NODES):
            edge = start * _NODES + end
            while flow[edge] > upper[edge]:
                if not _reroute(flow, lower, upper, start, end):
                    raise ValueError("no deal of the cards fits what all have seen")
                flow[edge] -= 1
            while flow[edge] < lower[edge]:
                if not _reroute(flow, lower, upper, end, start):
                    raise ValueError("no deal of the cards fits what all have seen")
                flow[edge] += 1


@kernel
def _split_shown(state, seat, fresh, old, split):
    """Samples the number of cards of each kind shown by other players that come from the renewed pile.

    Args:
        fresh: the cards of the renewed pile that the seat has not drawn itself, by kind.
        old: the other cards that were hidden from the seat when the pile was renewed, by kind.
        split: the result, by seat and kind.
    """
    flow = local_numbers(_EDGES)
    lower = local_numbers(_EDGES)
    upper = local_numbers(_EDGES)
    for edge in range(_EDGES):
        flow[edge] = 0
        lower[edge] = 0
        upper[edge] = 0
    for other in range(int(state.players)):
        shown = total(state.revealed[other])
        if other == seat or shown == 0:
            continue
        drawn = total(state.drew[other])
        held = hidden_cards(state, other)
        row = _HUB * _NODES + _SEATS + other
        lower[row] = max(0, drawn - held)
        upper[row] = min(drawn, shown)
        for kind in range(NUM_KINDS):
            count = int(state.revealed[other, kind])
            cell = (_SEATS + other) * _NODES + _KINDS + kind
            column = (_KINDS + kind) * _NODES + _HUB
            upper[cell] = count
            upper[column] += count
            for _ in range(count):
                new = drawn * fresh[kind]
                if draw(state, new + (held + shown - drawn) * old[kind]) < new:
                    flow[row] += 1
                    flow[cell] += 1
                    flow[column] += 1
    for kind in range(NUM_KINDS):
        column = (_KINDS + kind) * _NODES + _HUB
        lower[column] = max(0, upper[column] - old[kind])
        upper[column] = min(upper[column], fresh[kind])
    _keep_limits(flow, lower, upper)
    for other in range(int(state.players)):
        for kind in range(NUM_KINDS):
            split[other * NUM_KINDS + kind] = flow[(_SEATS + other) * _NODES + _KINDS + kind]


@kernel
def _deal_renewed(state, seat):
    """Resamples both sorts of cards after the pile was renewed (TT8.3)."""
    fresh = local_numbers(NUM_KINDS)
    old = local_numbers(NUM_KINDS)
    split = local_numbers(_CELLS)
    shown = 0
    for kind in range(NUM_KINDS):
        fresh[kind] = int(state.renewed[kind]) - int(state.drew[seat, kind])
        old[kind] = int(state.pile[kind]) - fresh[kind]
        for other in range(int(state.players)):
            split[other * NUM_KINDS + kind] = 0
            if other != seat:
                old[kind] += int(state.hand[other, kind]) - int(state.known[other, kind])
                old[kind] += int(state.revealed[other, kind])
                shown += int(state.revealed[other, kind])
    if shown > 0:
        _split_shown(state, seat, fresh, old, split)
    for other in range(int(state.players)):
        if other != seat:
            for kind in range(NUM_KINDS):
                new = split[other * NUM_KINDS + kind]
                fresh[kind] -= new
                old[kind] -= int(state.revealed[other, kind]) - new
    for other in range(int(state.players)):
        if other != seat:
            _deal_hand(state, other, fresh, old, split)
    for kind in range(NUM_KINDS):
        state.pile[kind] = fresh[kind]


@kernel
def _deal_hand(state, other, fresh, old, split):
    """Deals the hidden cards of a hand: the cards from the renewed pile that were not shown, and others."""
    held = hidden_cards(state, other)
    drawn = total(state.drew[other])
    for kind in range(NUM_KINDS):
        new = split[other * NUM_KINDS + kind]
        drawn -= new
        state.drew[other, kind] = new
        state.hand[other, kind] = state.known[other, kind]
    for card in range(held):
        if card < drawn:
            kind = _take_of(state, fresh)
            state.drew[other, kind] += 1
        else:
            kind = _take_of(state, old)
        state.hand[other, kind] += 1


@kernel
def _deal_unseen(state, seat):
    """Resamples all cards that the seat has not seen (TT8.2)."""
    pile = state.pile
    for other in range(int(state.players)):
        if other != seat:
            for kind in range(NUM_KINDS):
                pile[kind] += state.hand[other, kind] - state.known[other, kind]
    for other in range(int(state.players)):
        if other != seat:
            hidden = hidden_cards(state, other)
            for kind in range(NUM_KINDS):
                state.hand[other, kind] = state.known[other, kind]
            for _ in range(hidden):
                state.hand[other, take_any(state, pile)] += 1


@kernel
def resample(state, seat, seed):
    """Resamples the cards that a seat has not seen, consistent with everything that it has seen (TT8.2,
    TT8.3)."""
    seed_chance(state, seed)
    if total(state.renewed) > 0:
        _deal_renewed(state, seat)
    else:
        _deal_unseen(state, seat)
