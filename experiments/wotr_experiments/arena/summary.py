"""What the games of a tournament say: rates with intervals, ratings, kinds of victory; ready for JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wotr_experiments.arena.games import PlayedGame, forfeit_kinds, reasons
from wotr_experiments.arena.ratings import Estimate, Ratings, rate
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.statistics import wilson

_SIDES = ("free_peoples", "shadow")


def summarise(tournament: Tournament, games: Sequence[PlayedGame]) -> dict[str, Any]:
    """The results by bot and by ordered pairing, with 95% intervals.

    Args:
        tournament: what was played.
        games: in the order of the schedule; some may be missing.

    Returns:
        The fields of the tournament; ``results``, a list by bot; ``ratings``; ``cross``, the score of the bot
        of a row against that of a column over both sides; ``pairings``, a list by bots and sides; ``all``.
    """
    names = tournament.names
    by_sides: dict[tuple[int, int], list[PlayedGame]] = {}
    for game in games:
        by_sides.setdefault((game.free_peoples, game.shadow), []).append(game)
    pairings = []
    for first, second in tournament.pairings:
        for free_peoples, shadow in ((first, second), (second, first)):
            played = by_sides.get((free_peoples, shadow), [])
            pairings.append(
                {"free_peoples": names[free_peoples], "shadow": names[shadow], **summary_of_games(played)}
            )
    ratings = rate(len(names), pair_scores(tournament, games), tournament.seed)
    return {
        **tournament.to_dict(),
        "results": [_result(place, name, by_sides) for place, name in enumerate(names)],
        "ratings": _ratings(names, ratings),
        "cross": [
            [_cross(row, column, by_sides) for column in range(len(names))] for row in range(len(names))
        ],
        "pairings": pairings,
        "all": summary_of_games(games),
    }


def pair_scores(tournament: Tournament, games: Sequence[PlayedGame]) -> dict[tuple[int, int], np.ndarray]:
    """The scores of the Free Peoples in each pair, as ``ratings.rate`` takes them."""
    scores = {pairing: np.full((tournament.games // 2, 2), np.nan) for pairing in tournament.pairings}
    for game in games:
        pair, swapped = divmod(game.number, 2)
        scores[tournament.pairings[game.pairing]][pair, swapped] = game.score(game.free_peoples)
    return {pairing: pairs[~np.isnan(pairs).all(axis=1)] for pairing, pairs in scores.items()}


def summary_of_games(games: Sequence[PlayedGame]) -> dict[str, Any]:
    """Results and lengths; turns, corruption, Mordor and Settlements are of the games not forfeited."""
    over = [game for game in games if not game.forfeit]
    ends = Counter(game.reason for game in games)
    forfeits = Counter(game.forfeit for game in games)
    turns = [game.turn for game in over]
    entries = [game.mordor_turn for game in over if game.mordor_step]
    return {
        "games": len(games),
        "free_peoples_wins": share(sum(game.winner == "free_peoples" for game in games), len(games)),
        "shadow_wins": share(sum(game.winner == "shadow" for game in games), len(games)),
        "draws": sum(game.winner == "draw" for game in games),
        "kinds": {reason: ends[reason] for reason in reasons()},
        "forfeits": {kind: forfeits[kind] for kind in forfeit_kinds()},
        "turns": {
            "median": _median(turns),
            "mean": _mean(turns),
            "most": max(turns, default=None),
            "counts": _counts(turns),
        },
        "corruption_mean": _mean([game.corruption for game in over]),
        "corruption_counts": _counts([game.corruption for game in over]),
        "mordor": {"entered": share(len(entries), len(over)), "turn_mean": _mean(entries)},
        "free_peoples_points_mean": _mean([game.free_peoples_points for game in over]),
        "shadow_points_mean": _mean([game.shadow_points for game in over]),
        "decisions_mean": _mean([game.decisions for game in over]),
    }


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
    return {kind: counts[kind] for kind in forfeit_kinds()}


def _result(place: int, name: str, by_sides: Mapping[tuple[int, int], list[PlayedGame]]) -> dict[str, Any]:
    won, played, forfeited = [0, 0], [0, 0], []
    for sides, games in by_sides.items():
        for side in range(len(_SIDES)):
            if sides[side] == place:
                won[side] += sum(game.winner == _SIDES[side] for game in games)
                played[side] += len(games)
                forfeited += games
    return {
        "bot": name,
        "wins": share(sum(won), sum(played)),
        "wins_as_free_peoples": share(won[0], played[0]),
        "wins_as_shadow": share(won[1], played[1]),
        "forfeits": _forfeits_of(place, forfeited),
    }


def _cross(row: int, column: int, by_sides: Mapping[tuple[int, int], list[PlayedGame]]) -> float | None:
    games = [*by_sides.get((row, column), []), *by_sides.get((column, row), [])]
    if row == column or not games:
        return None
    return sum(game.score(row) for game in games) / len(games)


def _ratings(names: Sequence[str], ratings: Ratings) -> dict[str, Any]:
    return {
        "unit": "Elo",
        "free_peoples_advantage": _estimate(ratings.advantage),
        "bots": [
            {
                "bot": name,
                "both": _estimate(ratings.both[place]),
                "free_peoples": _estimate(ratings.free_peoples[place]),
                "shadow": _estimate(ratings.shadow[place]),
            }
            for place, name in enumerate(names)
        ],
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
