"""The effect of each disputed option of the rules: the same games with one value changed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.options import Switch
from wotr_env.games.war_of_the_ring.ruleset import EDITIONS, Ruleset
from wotr_experiments.arena.games import PlayedGame
from wotr_experiments.arena.statistics import Z_95, wilson
from wotr_experiments.arena.summary import share
from wotr_experiments.errors import CommandError

_NOT_DISPUTED = ("ask_single",)
"""Options with words for values that are none of the rules; those with numbers are house rules, too."""
EDITION = "edition"
"""Stands for an option in the row of another edition."""


@dataclasses.dataclass(frozen=True)
class Variant:
    """A ruleset that differs from a base in one option, or is another edition."""

    option: str
    """``EDITION`` for another edition."""
    value: str
    base_value: str
    ruleset: Ruleset

    @property
    def name(self) -> str:
        """For files: ``mordor_idle=move``."""
        return f"{self.option}={self.value}"


def variants(base: Ruleset, names: Sequence[str] = ()) -> list[Variant]:
    """All that differ from a ruleset in one disputed option, and the other editions.

    Args:
        base: the ruleset.
        names: of the options that are wanted, ``EDITION`` among them; none: all.

    Raises:
        CommandError: there is no such option.
    """
    found = [*_editions(base), *_single(base)]
    known = list(dict.fromkeys(variant.option for variant in found))
    for name in names:
        if name not in known:
            raise CommandError(f"there is no disputed option {name!r}; there are {', '.join(known)}")
    return [variant for variant in found if not names or variant.option in names]


def _editions(base: Ruleset) -> Iterator[Variant]:
    made = {name: make(max_turns=base.max_turns, players=base.players) for name, make in EDITIONS.items()}
    own = next((name for name, rules in made.items() if rules == base), base.title)
    for name, rules in made.items():
        if rules != base:
            yield Variant(EDITION, name, own, rules)


def _single(base: Ruleset) -> Iterator[Variant]:
    for field in dataclasses.fields(base):
        codes = field.metadata.get("values")
        if codes is None or field.name in _NOT_DISPUTED:
            continue
        own = getattr(base, field.name)
        for code in codes:
            value = bool(code) if codes is Switch else code.name.lower()
            if value != own:
                changed = dataclasses.replace(base, **{field.name: value})
                yield Variant(field.name, str(value).lower(), str(own).lower(), changed)


def option_row(variant: Variant, base: Sequence[PlayedGame], changed: Sequence[PlayedGame]) -> dict[str, Any]:
    """What an option changes, ready for JSON.

    Args:
        variant: which.
        base: games without the change.
        changed: the same games, from the same seeds, with it.

    Returns:
        The shares of games that the Free Peoples win in both; ``difference``, the mean over the pairs of one
        seed, with its 95% interval (normal, at least as wide as what no change in so many games leaves
        open); ``otherwise``: the share of games that went another way.
    """
    assert [game.seed for game in base] == [game.seed for game in changed]
    before, after = (np.array([_won(game) for game in games], dtype=float) for games in (base, changed))
    differences = after - before
    unseen = wilson(0, len(base))[1]  # games that change sides may be rarer than one in so many
    error = max(unseen, Z_95 * differences.std(ddof=1) / math.sqrt(len(base))) if len(base) > 1 else 1.0
    middle = float(differences.mean())
    other = sum(_course(old) != _course(new) for old, new in zip(base, changed, strict=True))
    return {
        "option": variant.option,
        "value": variant.value,
        "base_value": variant.base_value,
        "free_peoples": share(int(after.sum()), len(changed)),
        "base": share(int(before.sum()), len(base)),
        "difference": {"mean": middle, "interval_95": [middle - error, middle + error]},
        "otherwise": share(other, len(base)),
    }


def _won(game: PlayedGame) -> bool:
    """By the Free Peoples; a draw is no win."""
    return game.winner == Winner.FREE_PEOPLES


def _course(game: PlayedGame) -> tuple[Any, ...]:
    """What differs where two games went different ways."""
    return game.winner, game.reason, game.decisions, dict(game.columns)
