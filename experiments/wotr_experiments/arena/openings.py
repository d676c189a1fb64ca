"""Positions from which the games of a tournament start."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wotr_env.core.kind import GameKind
from wotr_env.core.notation import viewer_seat_of
from wotr_env.core.read_errors import reason
from wotr_env.core.spelling import some_of
from wotr_env.core.values import read_text
from wotr_env.play.games import game_kind
from wotr_experiments.errors import CommandError, one_line

MOST = 100_000
"""Maximal number of positions of a tournament."""
_COMMENT = "#"
_NAMED = 3
"""Maximal number of differing options in a message."""


def read_openings(path: Path) -> tuple[str, ...]:
    """The positions of a file, one per line; empty lines and lines that start with ``#`` are ignored.

    Raises:
        CommandError: there is no position, or the file is not a text.
        OSError: the file cannot be read.
    """
    try:
        lines = [line.strip() for line in read_text(path).splitlines()]
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} cannot be read as positions: {reason(error)}") from None
    found = tuple(line for line in lines if line and not line.startswith(_COMMENT))
    if not found:
        raise CommandError(f"{path} contains no position")
    return found


def check_openings(kind: GameKind, texts: Sequence[str]) -> Any:
    """Checks that games can start from the given positions; returns the ruleset of the positions.

    Raises:
        CommandError: the game has no text form of positions, a position is invalid or over, or the rulesets
            differ.
    """
    if kind.positions is None:
        raise CommandError(f"{kind.title} has no text form of positions")
    if len(texts) > MOST:
        raise CommandError(f"a tournament has at most {MOST:,} positions, not {len(texts):,}")
    rules = [_ruleset_of(kind.name, text, place) for place, text in enumerate(texts, start=1)]
    other = next((place for place, ruleset in enumerate(rules, start=1) if ruleset != rules[0]), None)
    if other is not None:
        raise CommandError(
            f"position {other} has other rules than the first one: {_difference(rules, other)}"
        )
    return rules[0]


def are_repeated(kind: GameKind, texts: Sequence[str]) -> bool:
    """Whether a further game from one of the checked positions is the same game, because a seed does not
    change a complete position of this game."""
    complete = next((text for text in texts if viewer_seat_of(text) is None), None)
    return complete is not None and _ignores_seeds(kind.name, complete)


def states_of(kind: GameKind, texts: Sequence[str], seeds: Sequence[int], ruleset: Any) -> np.ndarray:
    """The states of positions: ``kind.state[B]``.

    Args:
        kind: the game.
        texts: checked positions, one for each game.
        seeds: seeds of future chance, and of information hidden in a seat's position.
        ruleset: the ruleset of the positions, possibly with another turn limit.
    """
    assert kind.positions is not None
    states = np.empty(len(texts), dtype=kind.state)
    for place, (text, seed) in enumerate(zip(texts, seeds, strict=True)):
        states[place] = kind.positions.read(text, int(seed), ruleset).state
    return states


@functools.lru_cache(maxsize=4096)
def _ruleset_of(name: str, text: str, place: int) -> Any:
    kind = game_kind(name)
    assert kind.positions is not None
    try:
        game = kind.positions.read(text, None, None)
    except ValueError as error:
        raise CommandError(f"position {place}: {one_line(error)}") from None
    if game.result is not None:
        raise CommandError(f"position {place}: the game is over")
    return game.ruleset


@functools.lru_cache(maxsize=64)
def _ignores_seeds(name: str, text: str) -> bool:
    kind = game_kind(name)
    assert kind.positions is not None
    one, other = (kind.positions.read(text, seed, None).state for seed in (1, 2))
    return one.tobytes() == other.tobytes()


def _difference(rules: Sequence[Any], place: int) -> str:
    one, other = rules[0].to_dict(), rules[place - 1].to_dict()
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return some_of(names, _NAMED)
