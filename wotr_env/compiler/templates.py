"""Kernels written once for the kernels of several games: copies in which names mean others.

A kernel calls what its names mean in its module. A copy of it has the same code and other meanings, so that
it is compiled for another game, and runs as it is written there too.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from typing import Any


def copies_of(functions: Iterable[Any], meanings: Mapping[str, Any]) -> dict[str, types.FunctionType]:
    """Copies of functions by name, which call each other, and what ``meanings`` has for other names.

    Raises:
        ValueError: two of them have one name, or none of them has a name that ``meanings`` replaces.
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
