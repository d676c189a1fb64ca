"""Options of a ruleset as fields of a dataclass: functions that declare, check, encode and write them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.options import Switch


def switch(default: bool, about: str, *, off: str, on: str, second: bool | None = None) -> Any:
    """Declares an option that is True or False; ``second`` is the value of the second edition if it
    differs."""
    metadata = {"values": Switch, "second": second, "about": about, "meanings": {False: off, True: on}}
    return dataclasses.field(default=default, metadata=metadata)


def choice(codes: type[Codes], about: str, meanings: dict[str, str], second: Codes | None = None) -> Any:
    """Declares an option whose default is its first value; ``meanings`` explains each value."""
    words = [code.name.lower() for code in codes]
    if list(meanings) != words:
        raise ValueError(f"the values of {codes.__name__} are {words}, not {list(meanings)}")
    metadata = {
        "values": codes,
        "second": None if second is None else second.name.lower(),
        "about": about,
        "meanings": meanings,
    }
    return dataclasses.field(default=words[0], metadata=metadata)


def number(default: int, low: int, high: int, about: str, meanings: dict[str, str]) -> Any:
    """Declares an option that is an integer from ``low`` to ``high``; one entry of ``meanings`` may explain
    several values."""
    metadata = {"range": (low, high), "second": None, "about": about, "meanings": meanings}
    return dataclasses.field(default=default, metadata=metadata)


def checked(field: dataclasses.Field, value: Any) -> Any:
    """Returns the value of an option; raises ValueError if the value is invalid."""
    if "range" in field.metadata:
        low, high = field.metadata["range"]
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
            raise ValueError(
                f"ruleset option {field.name} must be an integer from {low} to {high}, not {value!r}"
            )
        return int(value)
    if field.metadata["values"] is Switch:
        allowed: tuple[Any, ...] = (False, True)
    else:
        allowed = tuple(member.name.lower() for member in field.metadata["values"])
    if type(value) is not type(allowed[0]) or value not in allowed:
        words = ", ".join(map(str, allowed))
        raise ValueError(f"ruleset option {field.name} must be one of {words}, not {value!r}")
    return value


def code_of(field: dataclasses.Field, value: Any) -> int:
    """The code of an option's value in a state."""
    return int(field.metadata["values"][value.upper()] if isinstance(value, str) else value)


def written(value: Any) -> str:
    """The value in the form of records and JSON."""
    return str(value).lower()
