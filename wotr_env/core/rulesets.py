"""The options of a game, and how people write them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np

from wotr_env.core.seats import Seat
from wotr_env.core.spelling import did_you_mean

_LONGEST_SHOWN = 100
"""Characters of what is no ruleset in an error."""


class Ruleset(Protocol):
    """The options of a game: a frozen dataclass; made without arguments it is what is played by default."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays."""
        ...

    @property
    def title(self) -> str:
        """What is played, in a few words."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """For JSON; equal rulesets have equal dictionaries."""
        ...

    @classmethod
    def from_dict(cls, options: dict[str, Any]) -> Self:
        """The inverse of ``to_dict``; ValueError for what is none."""
        ...

    @classmethod
    def of(cls, state: np.record) -> Self:
        """That a game of this state is played by; ValueError if an option in it means nothing.

        This and ``write`` are asked of games that have ``GameKind.positions``.
        """
        ...

    def write(self, states: np.ndarray) -> None:
        """Lets the games of these states (``GameKind.state[N]``) be played by it from now on."""
        ...


def read_ruleset(given: Any, title: str, rulesets: Mapping[str, Any]) -> Any:
    """A ruleset of a game, in any form that environments and games take.

    Args:
        given: an object, its ``to_dict``, or a spec as for ``GameKind.find_ruleset``; None is the default.
        title: of the game, for messages.
        rulesets: of the game, those that have a name; the first is the default.

    Raises:
        ValueError: it is none of this game.
    """
    default = next(iter(rulesets.values()))
    made_by = type(default)
    if given is None or isinstance(given, made_by):
        return default if given is None else given
    if isinstance(given, str):
        return ruleset_by_spec(given, title, rulesets)
    if isinstance(given, Mapping):
        try:
            return made_by.from_dict(dict(given))
        except TypeError as error:
            raise ValueError(f"these are not options of a ruleset of {title}: {error}") from None
    shown = " ".join(repr(given).split())[:_LONGEST_SHOWN]
    wanted = f"a {made_by.__name__}, a dictionary of its options, or a spec such as {next(iter(rulesets))!r}"
    raise ValueError(f"a ruleset of {title} is {wanted}, not {shown}")


def ruleset_by_spec(spec: str, title: str, rulesets: Mapping[str, Any]) -> Any:
    """See ``GameKind.find_ruleset``."""
    name, _, changes = spec.partition(":")
    name = name or next(iter(rulesets))
    if name not in rulesets:
        raise ValueError(f"{title} has no ruleset {name!r}; it has {', '.join(rulesets)}")
    ruleset = rulesets[name]
    options: dict[str, Any] = {}
    for change in filter(None, changes.split(",")):
        option, _, written = change.partition("=")
        known = [field.name for field in dataclasses.fields(ruleset)]
        if option not in known:
            raise ValueError(f"{title} has no option {option!r} of a ruleset{did_you_mean(option, known)}")
        options[option] = _read(written, type(getattr(ruleset, option)))
    return dataclasses.replace(ruleset, **options)


def _read(written: str, kind: type) -> Any:
    """The value of an option; what cannot be read as its type is left to the ruleset to refuse."""
    if kind is bool:
        return {"true": True, "false": False}.get(written, written)
    return int(written) if kind is int and written.removeprefix("-").isdecimal() else written
