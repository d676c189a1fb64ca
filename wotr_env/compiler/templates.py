"""Kernels that are written once for several games: each game gets copies in which some names refer to its own
functions.

A kernel calls the functions that its names refer to in its module. A copy has the same code, but its names
may refer to other functions. So it can be compiled for another game, and it also runs there as plain Python.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from typing import Any


def specialize(functions: Iterable[Any], meanings: Mapping[str, Any]) -> dict[str, types.FunctionType]:
    """Returns copies of functions by name. The copies call each other, and other names refer to the objects
    in ``meanings``.

    Raises:
        ValueError: two functions have the same name, or none of them uses one of the names in ``meanings``.
    """
    made: dict[str, types.FunctionType] = {}
    used: set[str] = set()
    for function in functions:
        if function.__name__ in made:
            raise ValueError(f"there are two functions {function.__name__}")
        names = {**function.__globals__, **meanings}
        copy = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__)
        copy.__qualname__, copy.__doc__, copy.__module__ = (
            function.__qualname__,
            function.__doc__,
            function.__module__,
        )
        made[function.__name__] = copy
        used |= set(function.__code__.co_names)
    if unknown := meanings.keys() - used:
        raise ValueError(f"no function has the name {min(unknown)}")
    for copy in made.values():
        copy.__globals__.update({name: other for name, other in made.items() if name not in meanings})
    return made
