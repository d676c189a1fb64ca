"""The options of the Duel, and the result of a game."""

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
    """The options for rules with two sensible readings (docs/duel.md).

    Raises:
        ValueError: an option has an invalid value.
    """

    game = "the Duel"

    all_further_turns: bool = False
    """Whether all further turns that a side gains in a turn are played, instead of at most one (D9.3)."""
    may_decline: bool = True
    """Whether moves, removals, bonuses and further turns may be declined (D9.2)."""
    free_order: bool = False
    """Whether the maneuvers of a card are made in any order, instead of the printed order (D5.5)."""
    revive_triggers: bool = True
    """Whether a card played from the discard triggers tokens with "each time you play", for yellow, blue and
    green cards. ``any-banner`` and ``unit-red`` change red cards and always apply (D5.7)."""
    max_turns: int = 0
    """The number of turns of both sides together after which the regions are counted; 0: no limit (D10.2)."""

    def __post_init__(self) -> None:
        check_max_turns(self.max_turns)
        for name, value in self.to_dict().items():
            if name != "max_turns" and not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, not {value!r}")

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the game."""
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
        """The options in the order of ``Opt``, ``int8[NUM_OPTIONS + 1]``."""
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
    """The number of the chapter, 1 to 3."""

    @classmethod
    def more(cls, state: np.record) -> tuple[int]:
        """The chapter."""
        return (1 + int(state["chapter"]),)

    def fits(self) -> bool:
        """Whether there is such a winner, and such a chapter."""
        return 0 <= self.winner <= len(TEAMS) and 1 <= self.chapter <= NUM_CHAPTERS
