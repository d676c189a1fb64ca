"""The figures of luck in a study: results adjusted for luck, and luck by side and source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.summary import share
from wotr_experiments.games.war_of_the_ring.study.measures import mean
from wotr_experiments.luck.adjusted import adjust
from wotr_experiments.luck.measure import LuckMethod, sources_of

ALL = "all"
"""The sum of all sources."""


def luck_statistics(games: Sequence[PlayedGame], method: LuckMethod) -> dict[str, Any]:
    """The luck of games, for JSON.

    Args:
        games: at least one game, with measured luck; each game has a different seed.
        method: the settings of the measurement.

    Returns:
        A dictionary. ``adjusted``: the score of the Free Peoples (``luck.adjusted``). ``spread``: the
        standard deviation of luck in a game by source. ``favoured``: the share of decided games in which the
        winner had more luck than the loser. ``sides``: for each side, by source, the mean luck in ``all``
        games, in games ``won`` and in games ``lost``. Luck is from -1 to 1; the source ``ALL`` is the sum.
    """
    luck = np.array([game.luck for game in games])  # [N, S, T]
    luck = np.concatenate([luck, luck.sum(axis=1, keepdims=True)], axis=1)
    names = (*sources_of(WAR_OF_THE_RING), ALL)
    winners = np.array([int(game.winner) for game in games])
    scores = np.array([game.score(0) for game in games])
    totals, decided = luck[:, -1], np.flatnonzero(winners != Winner.DRAW)
    favoured = totals[decided, winners[decided]] > 0
    return {
        **method.to_dict(),
        "adjusted": adjust(scores, luck[:, :-1, 0]).to_dict(),
        "spread": {name: float(luck[:, place, 0].std()) for place, name in enumerate(names)},
        "favoured": share(int(favoured.sum()), decided.size),
        "sides": {
            side: {
                name: {
                    "all": mean(luck[:, place, team]),
                    "won": mean(luck[winners == team, place, team]),
                    "lost": mean(luck[winners == 1 - team, place, team]),
                }
                for place, name in enumerate(names)
            }
            for team, side in enumerate(SIDE_IDS)
        },
    }
