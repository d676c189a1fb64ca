"""The results of a tournament adjusted for luck (``wotr_experiments.luck.adjusted``).

The unit is a round of seat-swapped games. The games of a round share their seed in all pairings, so only
different rounds are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.luck.adjusted import adjust


def units(
    tournament: Tournament, games: Sequence[PlayedGame], place: int, team: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the scores and the luck of a bot by round.

    Args:
        tournament: a tournament of two teams.
        games: the games, with their luck.
        place: the index of the bot.
        team: the team whose games count; None: both teams.

    Returns:
        The mean scores ``float64[R]`` and the mean luck by source ``float64[R, S]`` of R rounds.
    """
    teams = [seat.team for seat in tournament.ruleset.seats]
    rows: dict[int, list[tuple[float, list[float]]]] = {}
    for game in games:
        assert game.luck is not None
        for own in (0, 1):
            if game.players[teams.index(own)] == place and team in (None, own):
                luck = [by_team[own] for by_team in game.luck]
                rows.setdefault(game.number // tournament.round, []).append((game.score(own), luck))
    if not rows:
        return np.zeros(0), np.zeros((0, 1))
    scores = np.array([np.mean([score for score, _ in row]) for row in rows.values()])
    return scores, np.array([np.mean([luck for _, luck in row], axis=0) for row in rows.values()])


def adjusted(
    tournament: Tournament, games: Sequence[PlayedGame], place: int, team: int | None = None
) -> dict[str, Any]:
    """Returns the adjusted score of a bot in all of its games, or in those as one team, for JSON. The
    arguments are those of ``units``."""
    return adjust(*units(tournament, games, place, team)).to_dict()
