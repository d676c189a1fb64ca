"""The parameters of a bot, from their dataclass: type, choices, range, default and help."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import textwrap
import typing
from typing import Any, Literal

from wotr_agents.ranges import Range, ranges_of


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a bot."""

    name: str
    type: str
    """``bool``, ``int``, ``float`` or ``str``."""
    choices: tuple[str, ...]
    """The possible values, if the type is a ``Literal``; otherwise empty."""
    range: Range | None
    """The range of a number, if the dataclass checks it (``ranges``)."""
    required: bool
    default: Any
    """The default; None if the parameter is required."""
    help: str
    """The docstring of the field in one line; empty if there is none, or no source."""

    def to_dict(self) -> dict[str, Any]:
        """The parameter for JSON."""
        shown = None if self.range is None else self.range.to_dict()
        return {**dataclasses.asdict(self), "choices": list(self.choices), "range": shown}


def choices_of(wanted: Any) -> tuple[str, ...]:
    """The words of a ``Literal``; empty for another type."""
    return typing.get_args(wanted) if typing.get_origin(wanted) is Literal else ()


@functools.cache
def parameters_of(wanted: type) -> tuple[Parameter, ...]:
    """The parameters of a dataclass."""
    types, texts, ranges = typing.get_type_hints(wanted), _texts(wanted), ranges_of(wanted)
    return tuple(
        Parameter(
            field.name,
            "str" if choices_of(types[field.name]) else types[field.name].__name__,
            choices_of(types[field.name]),
            ranges.get(field.name),
            field.default is dataclasses.MISSING,
            None if field.default is dataclasses.MISSING else field.default,
            texts.get(field.name, ""),
        )
        for field in dataclasses.fields(wanted)
    )


def _texts(wanted: type) -> dict[str, str]:
    """The docstrings of the fields of a class and its base classes."""
    found: dict[str, str] = {}
    for each in reversed(wanted.__mro__[:-1]):
        try:
            (tree,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
        except (OSError, TypeError, SyntaxError, ValueError):
            continue
        if not isinstance(tree, ast.ClassDef):
            continue
        for field, below in zip(tree.body, tree.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
                and isinstance(below.value.value, str)
            ):
                found[field.target.id] = " ".join(below.value.value.replace("``", "").split())
    return found
