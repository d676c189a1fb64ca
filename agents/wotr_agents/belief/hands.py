"""The distribution of hands with a given number of cards of each deck, given the odds of each card.

The other side holds h of the cards of a deck that are unknown to a seat. The probability of a hand is
proportional to the product of the odds of its cards (the conditional Bernoulli distribution; S. Chen, A.
Dempster and J. Liu, "Weighted finite population sampling to maximize entropy", 1994). The sum of these
products over all hands is the elementary symmetric polynomial e_h of the odds. With equal odds all hands are
equally likely.

Odds are within exp(-``LIMIT``) and exp(``LIMIT``), so that polynomials of 24 odds stay within double
precision, and logarithms are needed only at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

LIMIT = 8.0
"""The largest log-odds; its negative is the smallest."""


class Hands(NamedTuple):
    """The hidden hands of a game, for beliefs (``wotr_agents.policies.Policy.hands``)."""

    cards: int
    """C, the number of cards; a belief has log-odds for each card."""
    hidden: int
    """H, the maximal number of cards unknown to a seat."""
    are_known: Callable[[np.ndarray], np.ndarray]
    """Returns whether beliefs apply to the games of states ``[W]``: ``bool[W]``."""
    lay: Callable[[np.ndarray, np.ndarray, np.ndarray], None]
    """Resamples the hands unknown to the deciding seats, in place: (worlds ``[W]``, log-odds of all cards
    ``float64[W, C]``, uniform random numbers in [0, 1) ``float64[W, H]``)."""


def polynomials(odds: np.ndarray, most: int) -> np.ndarray:
    """The elementary symmetric polynomials e_0 to e_most of the last cards: ``float64[R, C + 1, most + 1]``.

    Row i is for the cards from i on; the last row is for no cards.

    Args:
        odds: ``float64[R, C]``, 0 for a card that cannot be held.
        most: the highest degree.
    """
    rows, cards = odds.shape
    table = np.zeros((rows, cards + 1, most + 1))
    table[:, cards, 0] = 1.0
    for card in range(cards - 1, -1, -1):
        table[:, card] = table[:, card + 1]
        table[:, card, 1:] += odds[:, card, None] * table[:, card + 1, :-1]
    return table


def draw_hands(odds: np.ndarray, sizes: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """Draws hands with their exact probabilities: ``bool[R, C]``.

    Args:
        odds: ``float64[R, C]``, 0 for a card that cannot be held.
        sizes: ``int64[R]``: number of cards in each hand, at most the number of cards with odds above 0.
        uniforms: ``float64[R, C]``, uniform random numbers in [0, 1).
    """
    table = polynomials(odds, max(1, int(sizes.max(initial=0))))
    rows = np.arange(len(odds))
    left = sizes.copy()
    drawn = np.zeros(odds.shape, dtype=np.bool_)
    for card in range(odds.shape[1]):
        fewer = np.maximum(left - 1, 0)
        with_it = odds[:, card] * table[rows, card + 1, fewer]
        taken = (left > 0) & (uniforms[:, card] * table[rows, card, left] < with_it)
        drawn[:, card] = taken
        left -= taken
    return drawn


def log_likelihoods(odds: np.ndarray, held: np.ndarray) -> np.ndarray:
    """The logarithms of the probabilities of hands: ``float64[R]``, in nats.

    Args:
        odds: ``float64[R, C]``, 0 for a card that cannot be held.
        held: ``bool[R, C]``: the hands.
    """
    sizes = held.sum(axis=1)
    sums = polynomials(odds, max(1, int(sizes.max(initial=0))))[np.arange(len(odds)), 0, sizes]
    return np.log(np.where(held, odds, 1.0)).sum(axis=1) - np.log(sums)


def effective_shares(odds: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The effective share of uniformly drawn hands after weighting by their odds: ``float64[R]``.

    This is the effective sample size per sample, 1 / (1 + variance of the weights).

    Args:
        odds: ``float64[R, C]``, 0 for a card that cannot be held.
        sizes: ``int64[R]``: number of cards in each hand.
    """
    most, rows = max(1, int(sizes.max(initial=0))), np.arange(len(odds))
    ones, once, twice = (
        polynomials(each, most)[rows, 0, sizes] for each in (np.sign(odds), odds, odds * odds)
    )
    return once * once / (ones * twice)
