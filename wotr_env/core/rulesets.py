"""The options of a game, and their text form."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np

from wotr_env.core.seats import Seat
from wotr_env.core.spelling import did_you_mean

_LONGEST_SHOWN = 100
"""Maximal number of characters that an error message shows of an invalid ruleset."""


class Ruleset(Protocol):
    """The options of a game: a frozen dataclass; without arguments it is the default ruleset."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats."""
        ...

    @property
    def title(self) -> str:
        """A short title."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The options as a dictionary for JSON; equal rulesets have equal dictionaries."""
        ...

    @classmethod
    def from_dict(cls, options: dict[str, Any]) -> Self:
        """The inverse of ``to_dict``; raises ValueError for anything else."""
        ...

    @classmethod
    def of(cls, state: np.record) -> Self:
        """The ruleset inside a state; raises ValueError if it has an unknown option.

        Only games with ``GameKind.positions`` need this method and ``write``.
        """
        ...

    def write(self, states: np.ndarray) -> None:
        """Writes this ruleset into states (``GameKind.state[N]``)."""
        ...


class Options:
    """The common part of the rulesets of games: a base class for frozen dataclasses.

    A subclass defines ``encode``. The result of ``encode`` begins with the contents of the field ``options``
    of a state.
    """

    game: ClassVar[str]
    """The name of the game in messages, such as "the Duel"."""

    def encode(self) -> np.ndarray:
        """The options as ``int8[...]``, for kernels that set up a game. The contents of the field ``options``
        of a state come first."""
        raise NotImplementedError

    def write(self, states: np.ndarray) -> None:
        """See ``Ruleset.write``."""
        options = states["options"]
        options[...] = self.encode()[: options.shape[-1]]
        if "max_turns" in (states.dtype.names or ()):
            states["max_turns"] = getattr(self, "max_turns")  # noqa: B009 (of the rulesets of such states)

    def to_dict(self) -> dict[str, Any]:
        """The options as a dictionary for JSON."""
        return {name: getattr(self, name) for name in self._names()}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Self:
        """The inverse of ``to_dict``.

        Raises:
            ValueError: the game has no such option or value.
        """
        known = cls._names()
        for name in options:
            if name not in known:
                similar = did_you_mean(str(name), known) or f"; it has {', '.join(known)}"
                raise ValueError(f"{cls.game} has no option {name!r}{similar}")
        return cls(**options)

    @classmethod
    def _names(cls) -> list[str]:
        return [field.name for field in dataclasses.fields(cast(Any, cls))]


def read_ruleset(given: Any, title: str, rulesets: Mapping[str, Any]) -> Any:
    """A ruleset of a game, from any form that environments and games accept.

    Args:
        given: a ruleset, the result of its ``to_dict``, or a spec as for ``GameKind.find_ruleset``; None
            means the default.
        title: the title of the game, for messages.
        rulesets: the named rulesets of the game; the first is the default.

    Raises:
        ValueError: it is not a ruleset of this game.
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
    """Reads the value of an option. A value of the wrong type is returned unchanged; the ruleset refuses
    it."""
    if kind is bool:
        return {"true": True, "false": False}.get(written, written)
    return int(written) if kind is int and written.removeprefix("-").isdecimal() else written
