"""The effect of each disputed option of the rules: the same games are played with one value changed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.options import Switch
from wotr_env.games.war_of_the_ring.ruleset import EDITIONS, Ruleset
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.statistics import Z_95, wilson
from wotr_experiments.arena.summary import share
from wotr_experiments.errors import CommandError

_NOT_DISPUTED = ("ask_single",)
"""Options with named values that are not disputed rules. Options with numbers are house rules and are also
left out."""
EDITION = "edition"
"""The name that stands for an option in the row of another edition."""


@dataclasses.dataclass(frozen=True)
class Variant:
    """A ruleset that differs from a base in one option, or is another edition."""

    option: str
    """The name of the option; ``EDITION`` for another edition."""
    value: str
    base_value: str
    ruleset: Ruleset

    @property
    def name(self) -> str:
        """A name for files, such as ``mordor_idle=move``."""
        return f"{self.option}={self.value}"


def variants(base: Ruleset, names: Sequence[str] = ()) -> list[Variant]:
    """All variants of a ruleset that differ in one disputed option, and the other editions.

    Args:
        base: the ruleset.
        names: the names of the requested options, which may include ``EDITION``; empty: all.

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
    """The effect of an option, for JSON.

    Args:
        variant: the variant.
        base: games without the change.
        changed: the games with the change, from the same seeds.

    Returns:
        The shares of games that the Free Peoples win without and with the change; ``difference``, the mean
            over the pairs of games with one seed, with its 95% interval (normal, but at least as wide as the
            interval for this number of games without any change); ``otherwise``: the share of seeds whose two
            games differ.
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
    """Whether the Free Peoples won; a draw is not a win."""
    return game.winner == Winner.FREE_PEOPLES


def _course(game: PlayedGame) -> tuple[Any, ...]:
    """A summary of a game that differs if two games took different courses."""
    return game.winner, game.reason, game.decisions, dict(game.columns)
