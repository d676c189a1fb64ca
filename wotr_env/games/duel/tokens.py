"""Alliance tokens: the piles, the known tokens, and taking a token (D7)."""

from __future__ import annotations

from wotr_env.games.duel.components import (
    EFFECTS,
    NUM_RACES,
    NUM_TOKENS,
    PILE,
    TOKEN_EFFECT,
    TOKEN_ON,
    TOKEN_RACE,
    Effect,
    On,
)
from wotr_env.games.duel.kernels import kernel
from wotr_env.games.duel.state import has_token, push
from wotr_env.games.duel.victory import races_of


@kernel
def push_row(state, number):
    """Adds an effect of the table that comes before all others."""
    if EFFECTS[number, 0] != Effect.NONE:
        push(
            state,
            EFFECTS[number, 0],
            EFFECTS[number, 1],
            EFFECTS[number, 2],
            EFFECTS[number, 3],
            EFFECTS[number, 4],
        )


@kernel
def push_both(state, first):
    """Adds two consecutive effects of the table; the first one happens first."""
    push_row(state, first + 1)
    push_row(state, first)


@kernel
def push_triggers(state, side, event):
    """Adds the effects of a side's tokens that an event triggers, in the order of the tokens (D9.1)."""
    for back in range(NUM_TOKENS):
        token = NUM_TOKENS - 1 - back
        if TOKEN_ON[token] == event and has_token(state, side, token):
            push_both(state, TOKEN_EFFECT + 2 * token)


@kernel
def show(state, race, count):
    """Makes the first tokens of a pile known to both sides (D7.4)."""
    count = min(count, int(state.pile_size[race]))
    if state.pile_seen[race] < count:
        state.pile_seen[race] = count


@kernel
def take_token(state, side, token):
    """Takes a token from its pile; the tokens above it keep their order (D7.2)."""
    race = TOKEN_RACE[token]
    size = int(state.pile_size[race])
    found = 0
    for place in range(PILE):
        if state.pile[race, place] == token:
            found = place
    for place in range(found, size - 1):
        state.pile[race, place] = state.pile[race, place + 1]
    state.pile[race, size - 1] = -1
    state.pile_size[race] = size - 1
    state.pile_seen[race] -= 1
    state.token[token] = 1 + side
    if TOKEN_ON[token] == On.NOW:
        push_both(state, TOKEN_EFFECT + 2 * token)


@kernel
def rally(state, side, race):
    """Gives tokens to a side that has played a green card: for two of the same race, or for three different
    races (D7.1)."""
    if races_of(state, side) == 3 and state.council[side] == 0:
        state.council[side] = 1
        bits = 0
        for each in range(NUM_RACES):
            if state.races[side, each] > 0:
                bits |= 1 << each
        push(state, Effect.COUNCIL, bits, 0, 0, 0)
    if state.races[side, race] == 2:
        push(state, Effect.LOOK, race, 0, 0, 0)
