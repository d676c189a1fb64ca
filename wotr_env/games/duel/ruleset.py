"""The options of the Duel, and how a game of it ended."""

from __future__ import annotations

import dataclasses

import numpy as np

from wotr_env.core.results import PlainResult
from wotr_env.core.rulesets import Options
from wotr_env.core.seats import Seat, Team
from wotr_env.core.turns import check_max_turns
from wotr_env.games.duel.components import NUM_CHAPTERS
from wotr_env.games.duel.state import Opt, Reason

SEATS = (Seat("fellowship", "Fellowship", 0), Seat("sauron", "Sauron", 1))
TEAMS = (Team("fellowship", "Fellowship", "FE", "the"), Team("sauron", "Sauron", "SA"))
ENDS = tuple(reason.name.lower() for reason in Reason if reason != Reason.NONE)


@dataclasses.dataclass(frozen=True)
class DuelRuleset(Options):
    """Readings of the rules where two are sensible (docs/duel.md).

    Raises:
        ValueError: an option has a value that it cannot have.
    """

    game = "the Duel"

    all_further_turns: bool = False
    """Each further turn gained in a turn is played, not one at most (D9.3)."""
    may_decline: bool = True
    """Moves, removals, bonuses and further turns may be declined (D9.2)."""
    free_order: bool = False
    """The maneuvers of a card are made in any order, not as printed (D5.5)."""
    revive_triggers: bool = True
    """A card played from the discard counts as played for tokens with "each time you play": those for yellow,
    blue and green cards. ``any-banner`` and ``unit-red`` change red cards and always apply (D5.7)."""
    max_turns: int = 0
    """After so many turns of both sides together the regions are counted; 0: no limit (D10.2)."""

    def __post_init__(self) -> None:
        check_max_turns(self.max_turns)
        for name, value in self.to_dict().items():
            if name != "max_turns" and not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, not {value!r}")

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays."""
        return SEATS

    @property
    def title(self) -> str:
        """The options that differ from the default, in words."""
        default = DuelRuleset().to_dict()
        changed = [
            f"{'' if value else 'without '}{name.replace('_', ' ')}"
            for name, value in self.to_dict().items()
            if value != default[name]
        ]
        return ", ".join(changed) or "standard rules"

    def encode(self) -> np.ndarray:
        """By ``Opt``, ``int8[NUM_OPTIONS + 1]``."""
        options = np.zeros(len(Opt), dtype=np.int8)
        options[Opt.ALL_TURNS] = self.all_further_turns
        options[Opt.DECLINE] = self.may_decline
        options[Opt.FREE_ORDER] = self.free_order
        options[Opt.REVIVE_TRIGGERS] = self.revive_triggers
        options[Opt.MAX_TURNS] = self.max_turns
        return options

    @classmethod
    def of(cls, state: np.record) -> DuelRuleset:
        """The ruleset of a state (the inverse of ``write``)."""
        options = state["options"]
        return cls(
            all_further_turns=bool(options[Opt.ALL_TURNS]),
            may_decline=bool(options[Opt.DECLINE]),
            free_order=bool(options[Opt.FREE_ORDER]),
            revive_triggers=bool(options[Opt.REVIVE_TRIGGERS]),
            max_turns=int(state["max_turns"]),
        )


@dataclasses.dataclass(frozen=True)
class DuelResult(PlainResult):
    """How a game ended."""

    game = DuelRuleset.game
    ends = ENDS
    chapter: int
    """1 to 3."""

    @classmethod
    def more(cls, state: np.record) -> tuple[int]:
        """The chapter."""
        return (1 + int(state["chapter"]),)

    def fits(self) -> bool:
        """Whether there is such a winner, and such a chapter."""
        return 0 <= self.winner <= len(TEAMS) and 1 <= self.chapter <= NUM_CHAPTERS
