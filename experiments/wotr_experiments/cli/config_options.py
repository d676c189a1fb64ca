"""Options of a command, made from a configuration: a frozen dataclass of plain values and nested
configurations.

A field's name, type, default and docstring define the option, so a new field is a new option. Fields of a
nested configuration are options too; its field ``kind`` is named after the nested field (``--network``). A
tuple of words is a repeatable option, named in the singular. An integer may be written as a float, such as
2e8. ``PANELS`` of a configuration assigns fields to headings of the help; other fields are below ``PANEL``,
or, in a nested configuration without panels, below the nested field's name.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import itertools
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, TypeVar, cast, get_args, get_type_hints

import typer

Config = TypeVar("Config")
PANEL = "Run"


def options_of(config: type, **known: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Adds options for the fields of ``config`` to a command, which takes them as ``**settings``.

    Args:
        config: the dataclass.
        known: annotations that replace the generated annotations of single fields.
    """

    def add(command: Callable[..., None]) -> Callable[..., None]:
        argument, *others, _settings = inspect.signature(command, eval_str=True).parameters.values()
        parameters = [argument, *_options(config, known), *others]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        vars(command)["__signature__"] = inspect.Signature(parameters)
        return command

    return add


def config_from(config: type[Config], settings: Mapping[str, Any], called: str = "") -> Config:
    """Makes a configuration from the values of its options.

    Args:
        config: the dataclass.
        settings: the values, by the names of the options.
        called: the name of the field, if the configuration is nested.

    Raises:
        ValueError: the configuration refuses a value.
    """
    values: dict[str, Any] = {}
    for field, kind in _fields(config):
        if dataclasses.is_dataclass(kind):
            values[field.name] = config_from(cast(type, kind), settings, field.name)
        else:
            value = settings[_name(field, called)]
            values[field.name] = tuple(value) if isinstance(value, list) else value
    return config(**values)


def settings_of(config: Any, called: str = "") -> dict[str, Any]:
    """The values of the options of a configuration: the inverse of ``config_from``."""
    settings: dict[str, Any] = {}
    for field, kind in _fields(type(config)):
        value = getattr(config, field.name)
        if dataclasses.is_dataclass(kind):
            settings |= settings_of(value, field.name)
        else:
            settings[_name(field, called)] = value
    return settings


def field_words(config: type) -> dict[str, str]:
    """The docstrings of a dataclass's fields, without markup."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(config))).body
    assert isinstance(body, ast.ClassDef)
    words = {}
    for pair in itertools.pairwise(body.body):
        match pair:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                words[name] = " ".join(text.replace("``", "").split())
    return words


def _fields(config: type) -> Iterator[tuple[dataclasses.Field, Any]]:
    hints = get_type_hints(config)
    for field in dataclasses.fields(config):
        yield field, hints[field.name]


def _name(field: dataclasses.Field, called: str) -> str:
    return called if called and field.name == "kind" else field.name


def _options(
    config: type, known: Mapping[str, Any], called: str = "", within: Any = None
) -> Iterator[inspect.Parameter]:
    """The options of a configuration; ``within`` is the default value of a nested configuration."""
    words = field_words(config)
    for field, kind in _fields(config):
        if dataclasses.is_dataclass(kind):
            assert field.default_factory is not dataclasses.MISSING
            yield from _options(cast(type, kind), known, field.name, field.default_factory())
            continue
        name = _name(field, called)
        default = getattr(within, field.name) if called else field.default
        yield inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=list(default) if isinstance(default, tuple) else default,
            annotation=_below(
                _panel(config, field.name, called),
                known.get(name) or _annotation(name, kind, words.get(field.name, ""), default),
            ),
        )


def _panel(config: type, field: str, called: str) -> str:
    """The heading of a field in the help."""
    panels: Mapping[str, tuple[str, ...]] | None = getattr(config, "PANELS", None)
    if panels is None and called:
        return called.replace("_", " ").capitalize()
    return next((head for head, fields in (panels or {}).items() if field in fields), PANEL)


def _below(panel: str, annotation: Any) -> Any:
    """The annotation of an option, with its heading in the help."""
    kind, option = get_args(annotation)
    option = copy.copy(option)
    option.rich_help_panel = panel
    return Annotated[kind, option]


def _annotation(name: str, kind: Any, words: str, default: Any) -> Any:
    option = f"--{name.replace('_', '-')}"
    if default is True:
        option += f"/--no-{option.removeprefix('--')}"
    if kind is int:
        return Annotated[int, typer.Option(option, help=words, parser=whole, metavar="<int>")]
    if kind in (bool, float, str, float | None):
        return Annotated[kind, typer.Option(option, help=words)]
    return Annotated[list[str], typer.Option(option.removesuffix("s"), help=f"{words} Repeatable.")]


def option_name(name: str, value: Any) -> str:
    """The name of the option on the command line, given an example value."""
    return f"--{name.removesuffix('s') if isinstance(value, (list, tuple)) else name}".replace("_", "-")


def whole(given: str | int) -> int:
    """Parses an integer, which may be written as 2e8."""
    try:
        return int(given)
    except ValueError:
        pass
    try:
        number = float(given)
        if int(number) != number:
            raise ValueError(f"{given} is not a whole number")
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(str(error)) from None
    return int(number)
