"""Results of a tournament in text, for JSON and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from wotr_experiments.arena.result_tables import NOTHING, fixed, number_columns, share_text, teams_of
from wotr_experiments.arena.summary import share
from wotr_experiments.language.text_env import Failure
from wotr_experiments.language.text_games import TextPlayed
from wotr_experiments.language.text_tournament import TextTournament

_Sides = Sequence[tuple[TextPlayed, int]]
"""Games, each with the team of the player."""


def summarise(tournament: TextTournament, games: Sequence[TextPlayed]) -> dict[str, Any]:
    """The results by player and by pairing, with 95% Wilson intervals.

    Args:
        tournament: the tournament.
        games: games of the tournament; some may be missing.

    Returns:
        The fields of the tournament; ``results``, a list by player, see ``_result``; ``pairings``, a list of
            pairs of players, with ``wins``, ``losses`` and ``draws`` of the first one; ``all``: ``games``,
            the wins of each team, ``draws``, and ``ends`` and ``forfeits`` by name.
    """
    kind, names = tournament.kind, tournament.names
    ends = Counter(game.reason for game in games)
    forfeits = Counter(game.forfeit for game in games)
    return {
        **tournament.to_dict(),
        "results": [_result(tournament, place, name, games) for place, name in enumerate(names)],
        "pairings": [
            {
                "players": [names[place] for place in places],
                **_outcomes([(game, game.team_of(places[0])) for game in games if game.pairing == number]),
            }
            for number, places in enumerate(tournament.pairings)
        ],
        "all": {
            "games": len(games),
            **{
                f"{team.name}_wins": share(sum(game.winner == number for game in games), len(games))
                for number, team in enumerate(kind.teams_of(tournament.ruleset))
            },
            "draws": sum(not game.winners for game in games),
            "ends": {end.name: ends[end.name] for end in kind.ends_of(tournament.ruleset)},
            "forfeits": {failure.value: forfeits[failure] for failure in Failure},
        },
    }


def _outcomes(sides: _Sides) -> dict[str, Any]:
    """Wins, losses and draws of a player, including forfeits."""
    count = len(sides)
    return {
        "games": count,
        "wins": share(sum(game.winner == team for game, team in sides), count),
        "losses": share(sum(game.winner == 1 - team for game, team in sides), count),
        "draws": share(sum(not game.winners for game, _ in sides), count),
    }


def _result(tournament: TextTournament, place: int, name: str, games: Sequence[TextPlayed]) -> dict[str, Any]:
    """The results of a player.

    Returns:
        ``games``, ``wins``, ``losses`` and ``draws`` of all games, including forfeits; ``by_the_rules``, the
            same for games played to the end, with ``wins_as_`` each team; ``wins_by_forfeit``; ``lost_by``,
            games lost by illegal answers, late answers or failures; counts ``answers``, ``illegal``, ``late``
            and ``crash``; ``decisions``; and the mean ``seconds`` per answer (null for a bot).
    """
    sides = [(game, game.team_of(place)) for game in games if place in game.players]
    ended = [(game, team) for game, team in sides if not game.forfeit]
    own = [(seat, game) for game, _ in sides for seat, player in enumerate(game.players) if player == place]
    counts = [found for seat, game in own if (found := game.counts[seat]) is not None]
    answers = sum(each.answers for each in counts)
    seconds = sum(game.seconds[team] for game, team in sides)
    lost = Counter(game.forfeit for game, team in sides if game.forfeit and game.winner != team)
    as_team = {
        f"wins_as_{team.name}": share(
            sum(game.winner == side == number for game, side in ended),
            sum(side == number for _, side in ended),
        )
        for number, team in enumerate(tournament.kind.teams_of(tournament.ruleset))
    }
    return {
        "player": name,
        **_outcomes(sides),
        "by_the_rules": {**_outcomes(ended), **as_team},
        "wins_by_forfeit": sum(bool(game.forfeit) and game.winner == team for game, team in sides),
        "lost_by": {failure.value: share(lost[failure], len(sides)) for failure in Failure},
        "answers": answers,
        **{failure.value: sum(getattr(each, failure.value) for each in counts) for failure in Failure},
        "decisions": sum(game.decisions[seat] for seat, game in own),
        "seconds": seconds / answers if answers else None,
    }


def text_tables(summary: Mapping[str, Any]) -> list[Table]:
    """The tables of a summary: games by the rules and all games, answers, and results by pairing."""
    return [_by_the_rules(summary), _all_games(summary), _answers(summary), *_pairings(summary)]


def _by_the_rules(summary: Mapping[str, Any]) -> Table:
    teams = teams_of(summary)
    heads = ["games", "won (95%)", *(f"as {team.title}" for team in teams), "lost (95%)", "drawn"]
    table = Table("player", *number_columns(heads), title="games played to their ends")
    for row in summary["results"]:
        rules = row["by_the_rules"]
        table.add_row(
            row["player"],
            f"{rules['games']:,}",
            share_text(rules["wins"]),
            *(share_text(rules[f"wins_as_{team.name}"]) for team in teams),
            share_text(rules["losses"]),
            f"{rules['draws']['count']:,}",
        )
    return table


def _all_games(summary: Mapping[str, Any]) -> Table:
    chance = "seeds from a secret" if summary["seed"] is None else f"seed {summary['seed']}"
    lost = [f"lost: {failure.value}" for failure in Failure]
    heads = number_columns(["games", "won (95%)", "of them by forfeit", *lost])
    table = Table("player", *heads, title=f"all {summary['all']['games']:,} games, {chance}")
    for row in summary["results"]:
        table.add_row(
            row["player"],
            f"{row['games']:,}",
            share_text(row["wins"]),
            f"{row['wins_by_forfeit']:,}",
            *(f"{row['lost_by'][failure.value]['count']:,}" for failure in Failure),
        )
    return table


def _answers(summary: Mapping[str, Any]) -> Table:
    heads = number_columns(
        ["answers", *(failure.value for failure in Failure), "decisions", "seconds (mean)"]
    )
    table = Table("player", *heads, title="answers")
    for row in summary["results"]:
        bot = row["seconds"] is None
        counts = [NOTHING if bot else f"{row[key]:,}" for key in ("answers", *Failure)]
        table.add_row(row["player"], *counts, f"{row['decisions']:,}", fixed(row["seconds"], 2))
    return table


def _pairings(summary: Mapping[str, Any]) -> list[Table]:
    if len(summary["pairings"]) < 2:
        return []
    heads = number_columns(["games", "won (95%)", "lost", "drawn"])
    table = Table("player", "against", *heads, title="pairings")
    for row in summary["pairings"]:
        others = [f"{row[key]['count']:,}" for key in ("losses", "draws")]
        table.add_row(*row["players"], f"{row['games']:,}", share_text(row["wins"]), *others)
    return [table]
