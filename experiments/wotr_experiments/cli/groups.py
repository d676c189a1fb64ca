"""Groups of options shared by several commands: the fields of a dataclass, which a command takes as one
argument."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command in which each argument that is a dataclass is replaced by one option per field.

    A field's annotation and default define the option. The command receives the dataclass.
    """
    given = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, type] = {
        each.name: each.annotation
        for each in given
        if isinstance(each.annotation, type) and dataclasses.is_dataclass(each.annotation)
    }
    parameters: list[inspect.Parameter] = []
    for each in given:
        if each.name in groups:
            parameters += _options(groups[each.name])
        else:
            parameters.append(each.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def run(**values: Any) -> None:
        made = {
            name: group(**{field.name: values.pop(field.name) for field in dataclasses.fields(group)})
            for name, group in groups.items()
        }
        command(**values, **made)

    run.__annotations__ = {each.name: each.annotation for each in parameters}
    vars(run)["__signature__"] = inspect.Signature(parameters)
    return run


def _options(group: type) -> Iterator[inspect.Parameter]:
    annotations = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=annotations[field.name],
        )
