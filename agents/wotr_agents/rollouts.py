"""What a game's policy offers to searches (``search/games.py``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.types import TupleType


class Rollouts(NamedTuple):
    """How simulations are guided and played on.

    The functions are written like kernels and compiled with the search. Their ``scratch`` has the game in
    ``states[0]``, its legal actions in ``mask`` (``bool[A]``), room for ``scores`` (``float64[A]``) and the
    policy's own ``tables``. No two have the same name.
    """

    kernels: KernelSet
    """Those that they call, and those of the rules; the files of these functions are among its sources."""
    score: Callable[[Any, Any], None]
    """Writes scores of the legal actions (``scratch, scores``); of others, anything."""
    choose: Callable[[Any, float, int], int]
    """A legal action, by noise of a size and a stream that it follows from (``scratch, noise, stream``)."""
    value: Callable[..., float]
    """The chance that the first team wins a game that goes on (``scratch``); with ``several`` that a team
    does (``scratch, team``)."""
    tables: Callable[[], tuple]
    """A new named tuple of arrays for one thread."""
    types: TupleType
    """What it is."""
    several: bool = False
    """Whether ``value`` is asked for a team: in games of more than two."""
