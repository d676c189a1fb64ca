"""How a game ended, for records: a base class for the results of games."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, ClassVar, Self, cast

import numpy as np

from wotr_env.core.codes import GOING_ON


@dataclasses.dataclass(frozen=True)
class PlainResult:
    """The winner and the end of a game, as ``kind.Result``.

    A frozen dataclass that derives from it may add fields, integers or tuples of integers; it then defines
    ``more`` and ``fits``.
    """

    game: ClassVar[str]
    """The name of the game in messages, such as "the Duel"."""
    ends: ClassVar[tuple[str, ...]]
    winner: int
    """The number of a team, or the number of teams if no single team has won."""
    reason: str
    """One of ``ends``."""

    @classmethod
    def of(cls, state: np.record) -> Self | None:
        """The result of a state; None if the game is not over."""
        if state["winner"] == GOING_ON:
            return None
        return cls(int(state["winner"]), cls.ends[int(state["reason"]) - 1], *cls.more(state))

    @classmethod
    def more(cls, state: np.record) -> tuple[Any, ...]:
        """The further fields of the result of a last state, in their order."""
        return ()

    def fits(self) -> bool:
        """Whether the fields of a result with a known end can go together."""
        return True

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = vars(self).items()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """The inverse of ``to_dict``.

        Raises:
            ValueError: it is no result of the game.
        """
        with contextlib.suppress(KeyError, TypeError, ValueError):
            _, _, *further = (field.name for field in dataclasses.fields(cast(Any, cls)))
            more = (_numbers(values[name]) for name in further)
            made = cls(int(values["winner"]), str(values["reason"]), *more)
            if made.reason in cls.ends and made.fits():
                return made
        raise ValueError(f"this is no result of {cls.game}: {values!r}")


def _numbers(value: Any) -> Any:
    return tuple(map(int, value)) if isinstance(value, list) else int(value)
