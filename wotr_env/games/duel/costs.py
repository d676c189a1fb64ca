"""Costs of cards and landmarks (D3)."""

from __future__ import annotations

from wotr_env.games.duel.components import (
    CHOICE_CARDS,
    CHOICE_SKILLS,
    COST_COINS,
    COST_SKILLS,
    GIVER,
    NUM_CARDS,
    NUM_REGIONS,
    NUM_SKILLS,
    Token,
)
from wotr_env.games.duel.kernels import kernel
from wotr_env.games.duel.state import Place, has_token

_NUM_CHOICES = len(CHOICE_CARDS)


@kernel
def lacking(state, side, item):
    """The number of skill symbols of a cost that a side lacks, with the best choice of its skills (D3.2,
    D3.3)."""
    total = 0
    for skill in range(NUM_SKILLS):
        total += max(0, COST_SKILLS[item, skill] - int(state.skills[side, skill]))
    if total == 0:
        return 0
    for choice in range(_NUM_CHOICES):
        if state.place[CHOICE_CARDS[choice]] == Place.PLAYED + side:
            for skill in range(NUM_SKILLS):
                short = COST_SKILLS[item, skill] > state.skills[side, skill]
                if CHOICE_SKILLS[choice, skill] and short:
                    total -= 1
                    break
    if total > 0 and has_token(state, side, Token.ANY_SKILL):
        total -= 1
    return total


@kernel
def price(state, side, item):
    """The number of coins that a side pays for a card or a landmark (D3.1, D3.4).

    Args:
        item: the number of a card, or ``NUM_CARDS`` plus the number of a landmark.
    """
    coins = COST_COINS[item] + lacking(state, side, item)
    if item >= NUM_CARDS and not has_token(state, side, Token.NO_SURCHARGE):
        for region in range(NUM_REGIONS):
            if state.fort[region] == 1 + side:
                coins += 1
    return coins


@kernel
def is_free(state, side, card):
    """Whether a chain makes a card free (D3.5)."""
    giver = GIVER[card]
    return giver >= 0 and state.place[giver] == Place.PLAYED + side
