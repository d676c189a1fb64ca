"""Games of a bot on one side against another, counted."""

from __future__ import annotations

import numpy as np

from wotr_agents import Bot
from wotr_env import Ruleset
from wotr_env.codes import Side, Winner
from wotr_experiments.arena.play import play_batch

LONGEST = 60
"""Turns after which a game is a draw; untrained networks wander."""


def count_results(bot: Bot, opponent: Bot, side: int, seeds: np.ndarray) -> tuple[int, int, int]:
    """Plays the first edition, a game for each seed (``uint64[B]``), with the bot on that side.

    Returns:
        How many games it won, drew and lost.
    """
    swapped = np.full(len(seeds), side == Side.SHADOW)
    played = play_batch((bot, opponent), swapped, seeds, Ruleset.first_edition(max_turns=LONGEST))
    winners = played.states["winner"]
    won, drawn = int((winners == side).sum()), int((winners == Winner.DRAW).sum())
    return won, drawn, len(seeds) - won - drawn
