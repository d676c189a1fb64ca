"""Errors that users of the library may want to catch by name."""

from __future__ import annotations


class IllegalAction(ValueError):
    """An action that the rules do not allow now; the game that refused it is unchanged."""


class RecordError(ValueError):
    """A record of a game that is damaged, of other rules, or does not replay to its end."""
