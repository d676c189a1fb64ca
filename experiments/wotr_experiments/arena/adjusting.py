"""The results of a tournament adjusted for luck (``wotr_experiments.luck.adjusted``).

The unit is a round of games with exchanged seats. The games of a round share their seed in all pairings, so
only different rounds are independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.luck.adjusted import adjust


def units(
    tournament: Tournament, games: Sequence[PlayedGame], place: int, team: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the scores and the luck of a bot by round. Each team has the same weight, and so has each seat
    of a team.

    Args:
        tournament: the tournament.
        games: the games, with their luck.
        place: the index of the bot.
        team: the team whose games count; None: all teams.

    Returns:
        The mean scores ``float64[R]`` and the mean luck by source ``float64[R, S]`` of R rounds.
    """
    seats = tournament.ruleset.seats
    sizes = Counter(seat.team for seat in seats)
    rows: dict[int, list[tuple[float, float, list[float]]]] = {}
    for game in games:
        assert game.luck is not None
        shares = game.shares(seats)
        for player, seat in zip(game.players, seats, strict=True):
            if player == place and team in (None, seat.team):
                luck = [by_team[seat.team] for by_team in game.luck]
                row = (1 / sizes[seat.team], shares[seat.team], luck)
                rows.setdefault(game.number // tournament.round, []).append(row)
    found = [[np.array(each) for each in zip(*row, strict=True)] for row in rows.values()]
    if not found:
        return np.zeros(0), np.zeros((0, 1))
    scores = np.array([np.average(of_seats, weights=weights) for weights, of_seats, _ in found])
    return scores, np.array([np.average(luck, weights=weights, axis=0) for weights, _, luck in found])


def adjusted(
    tournament: Tournament, games: Sequence[PlayedGame], place: int, team: int | None = None
) -> dict[str, Any]:
    """Returns the adjusted score of a bot in all of its games, or in those as one team, for JSON. The
    arguments are those of ``units``."""
    return adjust(*units(tournament, games, place, team)).to_dict()
