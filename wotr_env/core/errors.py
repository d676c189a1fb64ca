"""Errors that users of the library can catch by name."""

from __future__ import annotations


class IllegalAction(ValueError):
    """An action is illegal. The game is unchanged."""


class StateError(ValueError):
    """A state breaks an invariant of the rules. The message names the field."""


class RecordError(ValueError):
    """A record of a game is damaged, was made with other rules, or does not replay to its end."""
