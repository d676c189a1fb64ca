"""The error that the command line shows as one line, and how texts of others are made fit for a terminal."""

from __future__ import annotations


class CommandError(ValueError):
    """What a user asked for cannot be done; the message says what was given and what to do."""


class Stopped(Exception):
    """The user has stopped a command, which has kept what was done; the message says how to go on.

    Empty where another process says so.
    """


def printable(text: str) -> str:
    """A text of others without the control characters by which it could do more than be read."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


def one_line(text: object, most: int = 1000) -> str:
    """A text as one printable line, cut short if need be."""
    return printable(" ".join(str(text).split())[:most])
