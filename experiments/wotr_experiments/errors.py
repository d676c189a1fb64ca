"""The error that the command line shows as one line."""

from __future__ import annotations


class CommandError(ValueError):
    """What a user asked for cannot be done; the message says what was given and what to do."""
