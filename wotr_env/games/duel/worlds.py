"""Sampled worlds: the information hidden from a seat is resampled (D11)."""

from __future__ import annotations

from wotr_env.compiler.memory import local_numbers
from wotr_env.games.duel.components import (
    FIRST_OF_CHAPTER,
    NUM_CHAPTERS,
    NUM_DEALT,
    NUM_LANDMARKS,
    NUM_RACES,
    NUM_SLOTS,
    NUM_TOKENS,
    TOKEN_RACE,
)
from wotr_env.games.duel.kernels import draw, kernel, seed_chance
from wotr_env.games.duel.state import Place, Tile

_ROOM = 32


@kernel
def is_hidden(state, seat, chapter, place):
    """Whether the card dealt to a place of a chapter is unknown to a seat (D11.1, D11.2)."""
    if chapter > state.chapter:
        return True
    if state.place[int(state.deck[chapter, place])] != Place.UNSEEN:
        return False
    if chapter < state.chapter:
        return True  # those removed: known as a set, in no order
    if place >= NUM_SLOTS:
        return state.looked[seat, chapter] == 0
    return state.up[place] == 0


@kernel
def resample(state, seat, seed):
    """Resamples the hidden places from the seed alone; all arrangements are equally likely."""
    seed_chance(state, seed)
    pool = local_numbers(_ROOM)
    for chapter in range(NUM_CHAPTERS):
        bits = 0
        known = 0
        for place in range(NUM_DEALT):
            if is_hidden(state, seat, chapter, place):
                bits |= 1 << place
            else:
                known |= 1 << (int(state.deck[chapter, place]) - FIRST_OF_CHAPTER[chapter])
        size = 0
        for card in range(NUM_DEALT):
            if known >> card & 1 == 0:
                pool[size] = FIRST_OF_CHAPTER[chapter] + card
                size += 1
        for place in range(NUM_DEALT):
            if bits >> place & 1:
                chosen = draw(state, size)
                state.deck[chapter, place] = pool[chosen]
                size -= 1
                pool[chosen] = pool[size]
    size = 0
    for tile in range(NUM_LANDMARKS):
        if state.landmark[tile] == Tile.STACK:
            pool[size] = tile
            size += 1
    for place in range(int(state.landmarks_drawn), NUM_LANDMARKS):
        chosen = draw(state, size)
        state.landmark_order[place] = pool[chosen]
        size -= 1
        pool[chosen] = pool[size]
    for race in range(NUM_RACES):
        _resample_pile(state, pool, race)


@kernel
def _resample_pile(state, pool, race):
    seen = int(state.pile_seen[race])
    size = 0
    for token in range(NUM_TOKENS):
        if TOKEN_RACE[token] == race and state.token[token] == 0:
            known = False
            for place in range(seen):
                if state.pile[race, place] == token:
                    known = True
            if not known:
                pool[size] = token
                size += 1
    for place in range(seen, int(state.pile_size[race])):
        chosen = draw(state, size)
        state.pile[race, place] = pool[chosen]
        size -= 1
        pool[chosen] = pool[size]
