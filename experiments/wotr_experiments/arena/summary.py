"""What the games of a tournament say: rates with intervals, ratings, kinds of victory; ready for JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from wotr_env.columns import Column, Statistic
from wotr_env.kind import DRAW, GameKind
from wotr_experiments.arena.games import PlayedGame, forfeit_kinds
from wotr_experiments.arena.ratings import Estimate, Ratings, rate
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.statistics import wilson

_ByPlayers = Mapping[tuple[int, int], list[PlayedGame]]
"""Games by the places of the bots that played team 0 and team 1."""


def summarise(tournament: Tournament, games: Sequence[PlayedGame]) -> dict[str, Any]:
    """The results by bot and by ordered pairing, with 95% intervals.

    Args:
        tournament: what was played.
        games: in the order of the schedule; some may be missing.

    Returns:
        The fields of the tournament; ``results``, a list by bot; ``ratings``; ``cross``, the score of the bot
        of a row against that of a column over both teams; ``pairings``, a list by bots and teams; ``all``.
        Keys that speak of a team have its name in them.
    """
    kind, names = tournament.kind, tournament.names
    by_players: dict[tuple[int, int], list[PlayedGame]] = {}
    for game in games:
        by_players.setdefault(game.players, []).append(game)
    pairings = []
    for first, second in tournament.pairings:
        for players in ((first, second), (second, first)):
            named = {team.name: names[place] for team, place in zip(kind.teams, players, strict=True)}
            pairings.append({**named, **summary_of_games(kind, by_players.get(players, []))})
    ratings = rate(len(names), pair_scores(tournament, games), tournament.seed)
    return {
        **tournament.to_dict(),
        "results": [_result(kind, place, name, by_players) for place, name in enumerate(names)],
        "ratings": _ratings(kind, names, ratings),
        "cross": [
            [_cross(row, column, by_players) for column in range(len(names))] for row in range(len(names))
        ],
        "pairings": pairings,
        "all": summary_of_games(kind, games),
    }


def pair_scores(tournament: Tournament, games: Sequence[PlayedGame]) -> dict[tuple[int, int], np.ndarray]:
    """The scores of team 0 in each pair, as ``ratings.rate`` takes them."""
    scores = {pairing: np.full((tournament.games // 2, 2), np.nan) for pairing in tournament.pairings}
    for game in games:
        pair, swapped = divmod(game.number, 2)
        scores[tournament.pairings[game.pairing]][pair, swapped] = game.score(game.players[0])
    return {pairing: pairs[~np.isnan(pairs).all(axis=1)] for pairing, pairs in scores.items()}


def summary_of_games(kind: GameKind, games: Sequence[PlayedGame]) -> dict[str, Any]:
    """Results and lengths; the statistics of the game's own columns are of the games not forfeited."""
    over = [game for game in games if not game.forfeit]
    ends = Counter(game.reason for game in games)
    forfeits = Counter(game.forfeit for game in games)
    wins = {
        f"{team.name}_wins": share(sum(game.winner == number for game in games), len(games))
        for number, team in enumerate(kind.teams)
    }
    return {
        "games": len(games),
        **wins,
        "draws": sum(game.winner == DRAW for game in games),
        "kinds": {end.name: ends[end.name] for end in kind.ends},
        "forfeits": {why: forfeits[why] for why in forfeit_kinds()},
        **_statistics(kind.columns, over),
        "decisions_mean": _mean([game.decisions for game in over]),
    }


def _statistics(columns: Sequence[Column], games: Sequence[PlayedGame]) -> dict[str, Any]:
    """What the columns of a game say, by their keys."""
    found: dict[str, Any] = {}
    for column in columns:
        numbers = [game.columns[column.name] for game in games]
        for key, statistic in column.statistics:
            *path, last = key.split(".")
            inner = found
            for name in path:
                inner = inner.setdefault(name, {})
            inner[last] = _STATISTICS[statistic](numbers)
    return found


def share(count: int, games: int) -> dict[str, Any]:
    """A number of games and its 95% Wilson interval; no share of no games."""
    return {
        "count": count,
        "games": games,
        "share": count / games if games else None,
        "interval_95": list(wilson(count, games)),
    }


def _forfeits_of(place: int, games: Sequence[PlayedGame]) -> dict[str, int]:
    counts = Counter(game.forfeit for game in games if game.forfeited_by == place)
    return {why: counts[why] for why in forfeit_kinds()}


def _result(kind: GameKind, place: int, name: str, by_players: _ByPlayers) -> dict[str, Any]:
    won, played, forfeited = [0, 0], [0, 0], []
    for players, games in by_players.items():
        for team in range(len(kind.teams)):
            if players[team] == place:
                won[team] += sum(game.winner == team for game in games)
                played[team] += len(games)
                forfeited += games
    as_team = {
        f"wins_as_{team.name}": share(won[number], played[number]) for number, team in enumerate(kind.teams)
    }
    return {
        "bot": name,
        "wins": share(sum(won), sum(played)),
        **as_team,
        "forfeits": _forfeits_of(place, forfeited),
    }


def _cross(row: int, column: int, by_players: _ByPlayers) -> float | None:
    games = [*by_players.get((row, column), []), *by_players.get((column, row), [])]
    if row == column or not games:
        return None
    return sum(game.score(row) for game in games) / len(games)


def _ratings(kind: GameKind, names: Sequence[str], ratings: Ratings) -> dict[str, Any]:
    bots = []
    for place, name in enumerate(names):
        as_team = {
            team.name: _estimate(ratings.teams[number][place]) for number, team in enumerate(kind.teams)
        }
        bots.append({"bot": name, "both": _estimate(ratings.both[place]), **as_team})
    return {
        "unit": "Elo",
        f"{kind.teams[0].name}_advantage": _estimate(ratings.advantage),
        "bots": bots,
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    value, low, high = (round(number, 1) + 0.0 for number in dataclasses.astuple(estimate))
    return {"elo": value, "interval_95": [low, high]}


def _mean(numbers: Sequence[int]) -> float | None:
    return float(np.mean(numbers)) if numbers else None


def _median(numbers: Sequence[int]) -> float | None:
    return float(np.median(numbers)) if numbers else None


def _counts(numbers: Sequence[int]) -> dict[str, int]:
    """How often each number comes, in ascending order."""
    return {str(number): count for number, count in sorted(Counter(numbers).items())}


_STATISTICS: dict[Statistic, Callable[[list[int]], Any]] = {
    Statistic.MEAN: _mean,
    Statistic.MEDIAN: _median,
    Statistic.MOST: lambda numbers: max(numbers, default=None),
    Statistic.COUNTS: _counts,
    Statistic.SHARE: lambda numbers: share(sum(number != 0 for number in numbers), len(numbers)),
    Statistic.MEAN_WHERE: lambda numbers: _mean([number for number in numbers if number]),
}
