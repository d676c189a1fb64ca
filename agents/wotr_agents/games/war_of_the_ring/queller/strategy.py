"""The choice of a strategy by the Queller-style Shadow.

Inspired by the Queller bot by Quitch; written independently.
"""

from __future__ import annotations

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.queller.reading import Strategy
from wotr_env.games.war_of_the_ring.codes import Face, Side
from wotr_env.games.war_of_the_ring.components import CARD_IDS
from wotr_env.games.war_of_the_ring.rules.victory import victory_points
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK

_STRATEGY_CARDS = CARD_IDS.index("sh-strat-01")
assert _STRATEGY_CARDS % CARDS_PER_DECK == 0


@kernel
def _game_coin(state, queller):
    """A random bit for the game: the bot's random number, combined with the first Strategy card that has left
    the deck."""
    first = 0
    for card in range(_STRATEGY_CARDS, _STRATEGY_CARDS + CARDS_PER_DECK):
        if state.card_zone[card] >= CARDS_PER_DECK:
            first = card
            break
    return ((queller.coin + 77 * first) * 40503 >> 7) & 1


@kernel
def read_strategy(state, queller):
    """Determines the current strategy: Corruption or points, whichever is ahead; otherwise the random bit of
    the game."""
    strategy = queller.wish
    points = victory_points(state, Side.SHADOW)
    corruption = int(state.corruption)
    if strategy == Strategy.AUTO:
        if points > corruption:
            strategy = Strategy.MILITARY
        elif corruption > points:
            strategy = Strategy.CORRUPTION
        else:
            strategy = Strategy.CORRUPTION if _game_coin(state, queller) else Strategy.MILITARY
    queller.strategy = strategy


@kernel
def is_preferred(queller, face):
    """Whether a die result serves the strategy."""
    if queller.strategy == Strategy.CORRUPTION:
        return face == Face.CHARACTER
    return face == Face.ARMY or face == Face.MUSTER or face == Face.ARMY_MUSTER
