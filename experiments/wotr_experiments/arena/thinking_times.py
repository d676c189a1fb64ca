"""Thinking times of bots: seconds per decision, and simulations per second if bots count them."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class ThinkingTime:
    """The thinking time of some decisions, including the overhead of calls."""

    decisions: int = 0
    seconds: float = 0.0
    simulations: float = 0.0
    """Number of simulations, as counted by bots with an attribute ``simulations``; 0: none or unknown."""

    def __add__(self, other: ThinkingTime) -> ThinkingTime:
        return ThinkingTime(
            self.decisions + other.decisions,
            self.seconds + other.seconds,
            self.simulations + other.simulations,
        )

    def share(self, decisions: int) -> ThinkingTime:
        """The share of some of the decisions, assuming equal times."""
        part = decisions / self.decisions if self.decisions else 0.0
        return ThinkingTime(decisions, self.seconds * part, self.simulations * part)

    def to_dict(self) -> dict[str, Any]:
        """The times for JSON: ``decisions``, ``seconds``, ``ms_per_decision``, ``simulations_per_second`` or
        None."""
        known = self.seconds > 0
        rate = round(self.simulations / self.seconds, 1) if known and self.simulations else None
        each = round(1000 * self.seconds / self.decisions, 4) if self.decisions else None
        return {
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "ms_per_decision": each,
            "simulations_per_second": rate,
        }


class ThinkingTimes:
    """Accumulated thinking times by spec."""

    def __init__(self) -> None:
        self._by_name: dict[str, ThinkingTime] = {}

    def add(self, name: str, thinking: ThinkingTime) -> None:
        """Adds the thinking time of one bot."""
        self._by_name[name] = self._by_name.get(name, ThinkingTime()) + thinking

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """``ThinkingTime.to_dict`` of all bots that decided, by spec, for JSON."""
        return {name: each.to_dict() for name, each in self._by_name.items() if each.decisions}
