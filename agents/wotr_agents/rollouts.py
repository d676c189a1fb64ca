"""The rollouts that a game's policy provides for searches (``search/games.py``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.types import TupleType


class Rollouts(NamedTuple):
    """The kernels of a policy for priors and rollouts of simulations.

    The functions are written like kernels and compiled with the search. Their ``scratch`` has the game in
    ``states[0]``, its legal actions in ``mask`` (``bool[A]``), room for ``scores`` (``float64[A]``) and the
    policy's own ``tables``. All functions have different names.
    """

    kernels: KernelSet
    """The set of the kernels that the functions below call, including the rules; its sources include the
    files of these functions."""
    score: Callable[[Any, Any], None]
    """Writes scores of the legal actions (``scratch, scores``); other scores are undefined."""
    choose: Callable[[Any, float, int], int]
    """Chooses a legal action, with a size of the noise and a random stream (``scratch, noise, stream``)."""
    value: Callable[..., float]
    """The winning chance of the first team in an unfinished game (``scratch``); with ``several``, of a team
    (``scratch, team``)."""
    tables: Callable[[], tuple]
    """A new named tuple of arrays for one thread."""
    types: TupleType
    """The numba type of ``tables``."""
    several: bool = False
    """Whether ``value`` takes a team, for games of more than two teams."""
