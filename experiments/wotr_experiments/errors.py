"""Errors of commands, shown in one line; and cleaning of external texts for the terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


class CommandError(ValueError):
    """A command cannot do what the user asked for. The message says what was given and what to do."""


@contextlib.contextmanager
def as_command_error(kinds: type[Exception] | tuple[type[Exception], ...] = ValueError) -> Iterator[None]:
    """Raises an error of its block of these kinds as a ``CommandError`` with the same message."""
    try:
        yield
    except kinds as error:
        raise CommandError(str(error)) from None


class Stopped(Exception):
    """The user has stopped a command, which has saved its work. The message says how to continue.

    The message is empty if another process prints it.
    """


def printable(text: str) -> str:
    """An external text without control characters, which could manipulate the terminal."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


def one_line(text: object, most: int = 1000) -> str:
    """A text as one printable line, shortened if necessary."""
    return printable(" ".join(str(text).split())[:most])
