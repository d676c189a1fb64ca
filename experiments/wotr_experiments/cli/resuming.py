"""Options of commands that resume a folder: some may change, the others must stay the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import typer

from wotr_experiments.cli.config_options import config_from, option_name, settings_of
from wotr_experiments.errors import CommandError

Config = TypeVar("Config")


def given_settings(context: typer.Context, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the options that were given on the command line, even if they equal the defaults."""
    return {name: value for name, value in settings.items() if _was_given(context, name)}


def changed_by(
    given: Mapping[str, Any], may_change: Iterable[str], folder: Path
) -> Callable[[Config], Config]:
    """Returns a function that applies command-line changes to the stored configuration.

    Args:
        given: values by the names of options.
        may_change: the names of the options that may change.
        folder: the folder, for messages.

    Returns:
        A function that raises CommandError if another option differs, or if the configuration refuses a
            value.
    """

    def change(known: Config) -> Config:
        before = settings_of(known)
        try:
            found = config_from(type(known), {**before, **given})
            after = settings_of(found)
        except ValueError as error:
            _check_same(before, given, may_change, folder)
            raise CommandError(str(error)) from None
        _check_same(before, {name: after[name] for name in given}, may_change, folder)
        return found

    return change


def resume_help(what: str, may_change: Iterable[str]) -> str:
    """The help of ``--resume``.

    Args:
        what: the kind of run that is continued, in words.
        may_change: the names of the options that may change; none is a list.
    """
    names = ", ".join(option_name(name, None) for name in may_change)
    return f"Continue {what} in the folder. You may change {names}; all other settings stay as they were."


def _was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _check_same(
    before: Mapping[str, Any], given: Mapping[str, Any], may_change: Iterable[str], folder: Path
) -> None:
    others = [name for name in given if name not in may_change and not _same(before[name], given[name])]
    if others:
        words = ", ".join(
            f"{option_name(name, before[name])} {_words(before[name])} (given: {_words(given[name])})"
            for name in others
        )
        raise CommandError(
            f"{folder} was started with {words}; with --resume, leave {_them(others)} out, or start in "
            "another folder"
        )


def _same(value: Any, other: Any) -> bool:
    return tuple(value) == tuple(other) if isinstance(value, tuple) else value == other


def _them(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return " and ".join(value) or "none"
    return "none" if value in ("", None) else str(value)
