"""Summaries of a tournament's games: rates with intervals, ratings, kinds of victory; for JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from wotr_env.core.columns import Column, Statistic
from wotr_env.core.kind import GameKind
from wotr_experiments.arena.adjusting import adjusted
from wotr_experiments.arena.play import ForfeitKind
from wotr_experiments.arena.played_games import STOPPED, PlayedGame, forfeit_kinds
from wotr_experiments.arena.ratings import BOOTSTRAPS, Estimate, Ratings, rate, rate_seats
from wotr_experiments.arena.referee import Referee
from wotr_experiments.arena.schedule import Tournament, players
from wotr_experiments.arena.statistics import wilson
from wotr_experiments.luck.measure import sources_of

_ByPlayers = Mapping[tuple[int, int], list[PlayedGame]]
"""Games by the indices of the bots of team 0 and team 1."""


def summarise(tournament: Tournament, games: Sequence[PlayedGame]) -> dict[str, Any]:
    """The results by bot and by ordered pairing, with 95% intervals.

    Args:
        tournament: the tournament.
        games: games in the order of the schedule; some may be missing.

    Returns:
        The fields of the tournament; ``results``, a list by bot, with ``disqualified`` (null, or the game)
            and ``first_forfeit`` (null, or the game, the kind and the message); ``by_seat``, by
        seat and bot, where a team has several seats or seats are drawn; ``ratings``; ``cross``, the score of
            the row's bot against the column's bot over both teams; ``cross_by_team``, the wins of the row's
            bot as team 0 against the column's bot as team 1; ``pairings``, a list by bots and teams; ``all``.
            The cross tables and the pairings are empty with drawn seats. Keys about a team or a seat contain
            its name.
    """
    names, places = tournament.names, range(len(tournament.bots))
    kind, teams = tournament.kind, tournament.kind.teams_of(tournament.ruleset)
    referee = Referee(len(names))
    referee.add(games)
    by_players = {} if tournament.drawn else _by_players(tournament, games)
    by_seat = tournament.drawn or len(tournament.ruleset.seats) > len(teams)
    measured = tournament.luck is not None
    return {
        **tournament.to_dict(),
        **({"luck": _luck(tournament, games)} if measured else {}),
        "results": [
            {
                **_result(tournament, place, name, games),
                **({"adjusted": adjusted(tournament, games, place)} if measured else {}),
                "disqualified": _out(tournament, place, referee.out.get(place)),
                "first_forfeit": _first_forfeit(tournament, place, games),
            }
            for place, name in enumerate(names)
        ],
        **({"by_seat": _by_seat(tournament, games)} if by_seat else {}),
        "ratings": _ratings(tournament, ratings_of(tournament, games)),
        "cross": [[_cross(row, column, by_players) for column in places] for row in places if by_players],
        "cross_by_team": [
            [_cross_by_team(by_players.get((row, column), [])) for column in places]
            for row in places
            if by_players
        ],
        "pairings": [
            {
                **{team.name: names[place] for team, place in zip(teams, each, strict=True)},
                **summary_of_games(kind, tournament.ruleset, played),
                **({"adjusted": adjusted(tournament, played, each[0], team=0)} if measured else {}),
            }
            for each, played in by_players.items()
        ],
        "all": summary_of_games(kind, tournament.ruleset, games, copies(tournament, games)),
    }


def copies(tournament: Tournament, games: Sequence[PlayedGame]) -> list[PlayedGame]:
    """The games that repeat an earlier one: a bot without random choices that meets itself, or that is given
    twice, plays the same game again in a round.

    A copy has the same bots in all seats, the same seed, and the same result and length.
    """
    if len(set(tournament.bots)) == len(tournament.bots):
        return []
    known, found = set(), []
    for game in games:
        bots = tuple(tournament.bots[place] for place in game.players)
        if (bots, game.fingerprint) in known:
            found.append(game)
        known.add((bots, game.fingerprint))
    return found


def _luck(tournament: Tournament, games: Sequence[PlayedGame]) -> dict[str, Any]:
    """The settings of the measurement of luck, and the standard deviation of luck in a game by source."""
    assert tournament.luck is not None
    sources = sources_of(tournament.kind)
    first = np.array([[by_team[0] for by_team in game.luck or ()] for game in games])
    spread = first.std(axis=0).tolist() if len(games) else [None] * len(sources)
    return {**tournament.luck.to_dict(), "spread": dict(zip(sources, spread, strict=True))}


def _by_players(tournament: Tournament, games: Sequence[PlayedGame]) -> _ByPlayers:
    """The games by the bots of team 0 and team 1: all pairings in order, in both directions."""
    found: dict[tuple[int, int], list[PlayedGame]] = {}
    for first, second in tournament.pairings:
        found |= {(first, second): [], (second, first): []}
    for game in games:
        found[players(tournament, game.pairing, game.number)].append(game)
    return found


def ratings_of(tournament: Tournament, games: Sequence[PlayedGame], resamples: int = BOOTSTRAPS) -> Ratings:
    """The ratings from some games, in whole rounds, and the number of resamples of their intervals."""
    if not tournament.drawn:
        return rate(len(tournament.bots), pair_scores(tournament, games), resamples=resamples)
    size, seats = tournament.round, tournament.ruleset.seats
    tables = np.array([game.players for game in games]).reshape(-1, size, len(seats))
    teams = [seat.team for seat in seats]
    scores = np.array([game.shares(seats) for game in games]).reshape(-1, size, 1 + max(teams))
    return rate_seats(len(tournament.bots), teams, tables, scores, resamples=resamples)


def _by_seat(tournament: Tournament, games: Sequence[PlayedGame]) -> list[dict[str, Any]]:
    """Results by seat: of all games, then of each bot."""
    rows, seats = [], tournament.ruleset.seats
    for number, seat in enumerate(seats):
        for place, name in [(None, "all"), *enumerate(tournament.names)]:
            own = [game for game in games if place is None or game.players[number] == place]
            rows.append(
                {
                    "seat": seat.name,
                    "bot": name,
                    "team_wins": share(sum(game.has_won(seat.team, seats) for game in own), len(own)),
                    "wins": share(sum(number in game.winners for game in own), len(own)),
                    "alone": share(sum(game.winners == (number,) for game in own), len(own)),
                }
            )
    return rows


def pair_scores(tournament: Tournament, games: Sequence[PlayedGame]) -> dict[tuple[int, int], np.ndarray]:
    """The scores of team 0 in each pair, in the form for ``ratings.rate``."""
    scores = {
        (first, second): np.full((tournament.games // 2, 2), np.nan) for first, second in tournament.pairings
    }
    for game in games:
        pair, swapped = divmod(game.number, 2)
        scores[players(tournament, game.pairing, 0)][pair, swapped] = game.score(0)
    return scores


def summary_of_games(
    kind: GameKind, ruleset: Any, games: Sequence[PlayedGame], repeated: Sequence[PlayedGame] = ()
) -> dict[str, Any]:
    """Results and lengths, and statistics of the columns that are specific to the board game, over games that
    were not forfeited.

    Args:
        kind: the board game.
        ruleset: its ruleset.
        games: the games.
        repeated: those of the games that are ``copies``; they do not narrow the intervals.
    """
    over = [game for game in games if not game.forfeit]
    ends = Counter(game.reason for game in games)
    forfeits = Counter(game.forfeit for game in games)
    wins = {
        f"{team.name}_wins": share(
            sum(game.has_won(number, ruleset.seats) for game in games), len(games), len(repeated)
        )
        for number, team in enumerate(kind.teams_of(ruleset))
    }
    return {
        "games": len(games),
        **({"repeated": len(repeated)} if repeated else {}),
        **wins,
        "draws": sum(not game.winners for game in games),
        "kinds": {end.name: ends[end.name] for end in kind.ends_of(ruleset)},
        "forfeits": {why: forfeits[why] for why in forfeit_kinds()},
        "stopped": ends[STOPPED],
        **_statistics(kind.columns, over, sum(not game.forfeit for game in repeated)),
        "decisions_mean": _mean([game.decisions for game in over]),
    }


def _statistics(columns: Sequence[Column], games: Sequence[PlayedGame], repeated: int) -> dict[str, Any]:
    """Statistics of the columns of a game, by their keys; ``repeated`` of the games are copies."""
    found: dict[str, Any] = {}
    for column in columns:
        numbers = [game.columns[column.name] for game in games]
        for key, statistic in column.statistics:
            *path, last = key.split(".")
            inner = found
            for name in path:
                inner = inner.setdefault(name, {})
            if statistic == Statistic.SHARE:
                inner[last] = share(sum(number != 0 for number in numbers), len(numbers), repeated)
            else:
                inner[last] = _STATISTICS[statistic](numbers)
    return found


def share(count: int, games: int, repeated: int = 0) -> dict[str, Any]:
    """A share of games with its 95% Wilson interval; None if there are no games. If some of the games are
    copies of others, the interval is that of the other games with this share."""
    different = games - repeated
    return {
        "count": count,
        "games": games,
        "share": count / games if games else None,
        "interval_95": list(wilson(count * different / games if games else 0, different)),
    }


def _forfeits_of(place: int, games: Sequence[PlayedGame]) -> dict[str, int]:
    counts = Counter(game.forfeit for game in games if game.forfeited_by == place)
    return {why: counts[why] for why in forfeit_kinds()}


def _result(tournament: Tournament, place: int, name: str, games: Sequence[PlayedGame]) -> dict[str, Any]:
    """The result of a bot; a game counts for each team in which the bot has a seat."""
    seats, teams = tournament.ruleset.seats, tournament.kind.teams_of(tournament.ruleset)
    own: list[list[PlayedGame]] = [[] for _ in teams]
    for game in games:
        for team, places in enumerate(game.of_teams(seats)):
            if place in places:
                own[team].append(game)
    played, again = [len(some) for some in own], [len(copies(tournament, some)) for some in own]
    won = [sum(game.has_won(team, seats) for game in some) for team, some in enumerate(own)]
    as_team = {
        f"wins_as_{team.name}": share(won[number], played[number], again[number])
        for number, team in enumerate(teams)
    }
    return {
        "bot": name,
        "wins": share(sum(won), sum(played), sum(again)),
        **as_team,
        "forfeits": _forfeits_of(place, games),
    }


def _out(tournament: Tournament, place: int, after: tuple[int, int] | None) -> dict[str, Any] | None:
    """The game (from 1) and the opponents after which a bot was disqualified; None if it was not."""
    if after is None:
        return None
    pairing, number = after
    others = [tournament.names[other] for other in tournament.pairings[pairing] if other != place]
    return {"against": others, "game": number + 1}


def _first_forfeit(tournament: Tournament, place: int, games: Sequence[PlayedGame]) -> dict[str, Any] | None:
    """The first game that a bot forfeited, and the message; None if there is none."""
    for game in games:
        if game.forfeited_by == place and game.forfeit != ForfeitKind.DISQUALIFIED:
            others = [tournament.names[other] for other in dict.fromkeys(game.players) if other != place]
            return {"against": others, "game": game.number + 1, "why": game.forfeit, "message": game.message}
    return None


def _cross(row: int, column: int, by_players: _ByPlayers) -> float | None:
    if row == column:
        return None
    scores = [game.score(0) for game in by_players.get((row, column), [])]
    scores += [game.score(1) for game in by_players.get((column, row), [])]
    return sum(scores) / len(scores) if scores else None


def _cross_by_team(games: Sequence[PlayedGame]) -> dict[str, Any] | None:
    """The wins of team 0; None if there are no games."""
    return share(sum(game.winner == 0 for game in games), len(games)) if games else None


def _ratings(tournament: Tournament, ratings: Ratings) -> dict[str, Any]:
    teams = tournament.kind.teams_of(tournament.ruleset)
    bots = []
    for place, name in enumerate(tournament.names):
        as_team = {team.name: _estimate(ratings.teams[number][place]) for number, team in enumerate(teams)}
        row = {"bot": name, "both": _estimate(ratings.both[place]), **as_team}
        if tournament.drawn:
            row["seats"] = {
                seat.name: _estimate(ratings.seats[number][place])
                for number, seat in enumerate(tournament.ruleset.seats)
            }
        bots.append(row)
    told = zip(teams, ratings.advantages, strict=False)  # of two teams the first one's
    return {
        "unit": "Elo",
        **{f"{team.name}_advantage": _estimate(advantage) for team, advantage in told},
        "bots": bots,
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    value, low, high = (round(number, 1) + 0.0 for number in dataclasses.astuple(estimate))
    return {"elo": value, "interval_95": [low, high]}


def _mean(numbers: Sequence[int]) -> float | None:
    return float(np.mean(numbers)) if numbers else None


def _median(numbers: Sequence[int]) -> float | None:
    return float(np.median(numbers)) if numbers else None


def counts(numbers: Iterable[int]) -> dict[str, int]:
    """How often each number occurs, in ascending order."""
    return {str(number): count for number, count in sorted(Counter(numbers).items())}


_STATISTICS: dict[Statistic, Callable[[list[int]], Any]] = {
    Statistic.MEAN: _mean,
    Statistic.MEDIAN: _median,
    Statistic.MOST: lambda numbers: max(numbers, default=None),
    Statistic.COUNTS: counts,
    Statistic.MEAN_WHERE: lambda numbers: _mean([number for number in numbers if number]),
}
