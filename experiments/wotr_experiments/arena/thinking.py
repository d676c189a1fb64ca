"""How long bots think: seconds a decision, and simulations a second of those that count theirs."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class Thinking:
    """What some decisions took, with what it takes to ask for them."""

    decisions: int = 0
    seconds: float = 0.0
    simulations: float = 0.0
    """As bots with an attribute ``simulations`` count them; 0: none, or nobody says."""

    def __add__(self, other: Thinking) -> Thinking:
        return Thinking(
            self.decisions + other.decisions,
            self.seconds + other.seconds,
            self.simulations + other.simulations,
        )

    def share(self, decisions: int) -> Thinking:
        """The part of so many of its decisions, each having taken as long."""
        part = decisions / self.decisions if self.decisions else 0.0
        return Thinking(decisions, self.seconds * part, self.simulations * part)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: ``decisions``, ``seconds``, ``ms_per_decision``, ``simulations_per_second`` or None."""
        known = self.seconds > 0
        rate = round(self.simulations / self.seconds, 1) if known and self.simulations else None
        each = round(1000 * self.seconds / self.decisions, 4) if self.decisions else None
        return {
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "ms_per_decision": each,
            "simulations_per_second": rate,
        }


class Thoughts:
    """What bots have thought so far, by their specs."""

    def __init__(self) -> None:
        self._by_name: dict[str, Thinking] = {}

    def add(self, name: str, thinking: Thinking) -> None:
        """So much more of one bot."""
        self._by_name[name] = self._by_name.get(name, Thinking()) + thinking

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """For JSON: ``Thinking.to_dict`` of all that decided, by spec."""
        return {name: each.to_dict() for name, each in self._by_name.items() if each.decisions}
