"""Playthroughs to read: a change of the rules, of action names or of chance shows in them as a diff.

``python -m tests.golden`` prints them, ``python -m tests.golden --write`` writes them anew.
"""

from __future__ import annotations

from pathlib import Path

from wotr_env.play.game_checks import playthrough
from wotr_env.play.games import game_kind

DECISIONS = 60
"""Of long games; the others are complete."""
_GAMES = {
    "first_edition": ("war-of-the-ring", "first", DECISIONS),
    "three_players": ("war-of-the-ring", "first:players=3", DECISIONS),
    "four_players": ("war-of-the-ring", "first:players=4", DECISIONS),
    "duel": ("duel", None, None),
    "two-towers": ("two-towers", None, None),
    "two-towers_five": ("two-towers", "five", DECISIONS),
    "second_edition": ("war-of-the-ring", "second", DECISIONS),
}
GAMES = {game for game, *_ in _GAMES.values()}
"""The games that have a playthrough."""
GOLDEN = {name: Path(__file__).parent / f"{name}_seed_1.txt" for name in _GAMES}
"""Their files."""


def written(name: str) -> str:
    """A playthrough as it is today."""
    game, ruleset, decisions = _GAMES[name]
    return playthrough(game_kind(game), ruleset, 1, decisions)
