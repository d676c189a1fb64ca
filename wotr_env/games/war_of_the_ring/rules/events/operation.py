"""The description of an operation of events: the row type of the tables of operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.choice import Choice, Kernel


class Operation(NamedTuple):
    """One operation, without the names of its parameters (``cards.event_programs``)."""

    is_possible: Kernel
    """``is_possible(state, card, place)``: whether the operation would change anything now (R6.4.4)."""
    run: Kernel
    """``run(state)`` executes the current step, or asks for a decision; the last step ends with
    ``next_op``."""
    choices: Mapping[Decision | tuple[Decision, Codes], Choice] = MappingProxyType({})
    """The choices of the operation, by the kind of decision; also by the step if several steps ask for the
    same kind of decision."""

    def questions(self) -> Iterator[tuple[Decision, tuple[Codes, ...], Choice]]:
        """The choices, each with its kind of decision, and its step if it has one."""
        for key, choice in self.choices.items():
            decision, *step = key if isinstance(key, tuple) else (key,)
            yield decision, tuple(step), choice

    def choice(self, decision: int, step: int) -> Choice | None:
        """The choice of a kind of decision at a step; None if there is none."""
        for asked, steps, choice in self.questions():
            if asked == decision and steps in ((), (step,)):
                return choice
        return None


@kernel
def always():
    """For operations that can always change something."""
    return True


@kernel
def never():
    """For operations that are no reason to play the card."""
    return False
