"""The three immediate victories and the end by regions (D8)."""

from __future__ import annotations

from wotr_env.games.duel.components import NUM_RACES, NUM_REGIONS, SUMMIT, Token
from wotr_env.games.duel.kernels import kernel
from wotr_env.games.duel.state import DRAW, FELLOWSHIP, GOING_ON, SAURON, Ask, Reason, has_token


@kernel
def end_game(state, winner, reason):
    """Ends the game and drops all remaining effects."""
    state.winner = winner
    state.reason = reason
    state.decision = Ask.NOTHING
    state.stack[:, :] = 0
    state.stack_size = 0


@kernel
def present(state, side):
    """The number of regions in which a side has a fortress or units."""
    count = 0
    for region in range(NUM_REGIONS):
        if state.units[side, region] > 0 or state.fort[region] == 1 + side:
            count += 1
    return count


@kernel
def races_of(state, side):
    """The number of different races on the green cards of a side."""
    count = 0
    for race in range(NUM_RACES):
        if state.races[side, race] > 0:
            count += 1
    return count


@kernel
def check_victories(state):
    """Ends the game if a side has won; the side whose turn it is is checked first (D8.1-D8.4)."""
    for turn in range(2):
        side = int(state.seat) ^ turn
        if state.winner != GOING_ON:
            return
        if state.ring[side] >= SUMMIT:
            end_game(state, side, Reason.RING_DESTROYED + side)
        elif races_of(state, side) + has_token(state, side, Token.EAGLE) >= NUM_RACES:
            end_game(state, side, Reason.FELLOWSHIP_SUPPORT + side)
        elif present(state, side) == NUM_REGIONS:
            end_game(state, side, Reason.FELLOWSHIP_CONQUEST + side)


@kernel
def count_regions(state):
    """Ends the game by counting regions, after the third chapter or the last turn of a limit (D8.5,
    D10.2)."""
    fellowship = present(state, FELLOWSHIP)
    sauron = present(state, SAURON)
    if fellowship > sauron:
        end_game(state, FELLOWSHIP, Reason.FELLOWSHIP_REGIONS)
    elif sauron > fellowship:
        end_game(state, SAURON, Reason.SAURON_REGIONS)
    else:
        end_game(state, DRAW, Reason.SHARED)
