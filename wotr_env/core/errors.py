"""Errors that users of the library may want to catch by name."""

from __future__ import annotations


class IllegalAction(ValueError):
    """An action that the rules do not allow now; the game that refused it is unchanged."""


class StateError(ValueError):
    """A state that no game can be in; the message names the field that says so."""


class RecordError(ValueError):
    """A record of a game that is damaged, of other rules, or does not replay to its end."""
