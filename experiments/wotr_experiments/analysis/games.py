"""Analysis of a whole game by bots: the winning chance at each line of choices, and costly choices."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.play.game_text import turn_of
from wotr_experiments.analysis.evaluations import Evaluation, Evaluator, ends_line

CONFIRMATIONS = 5
"""Number of further evaluations of a probable costly choice by a bot."""
_T = {3: 4.303, 4: 3.182, 5: 2.776}
"""Student's t for a two-sided 95% interval, by the number of answers (degrees of freedom: one less)."""


@dataclasses.dataclass(frozen=True)
class EvaluatedDecision:
    """A decision of a game, with the evaluations of the bots."""

    number: int
    """The number of actions before the decision."""
    turn: int | None
    seat: int
    team: int
    state: np.record
    played: int | None
    """The played action; None at the end of an unfinished game."""
    evaluations: tuple[Evaluation, ...]
    """The evaluation by each bot."""

    def chance_of(self, bot: int, team: int) -> float:
        """The winning chance of a team, estimated by a bot."""
        chance = self.evaluations[bot].chance
        return chance if team == self.team else 1.0 - chance


Asked = tuple[int, np.record, int | None]
"""A position of a game: the number of actions before it, the state, and the played action (None at the
end)."""


def decision_positions(record: GameRecord, every: bool) -> list[Asked]:
    """The positions with more than one legal action.

    Args:
        record: a record of any game.
        every: whether all these positions are returned; otherwise only those of main decisions
            (``GameKind.openings``).
    """
    kind, game = record.kind, record.begun()
    found = []
    for number, action in enumerate([*record.actions, None]):
        if game.result is None and len(game.legal()) > 1:
            state = game.state
            if every or kind.opens(state):
                found.append((number, state, action))
        if action is not None:
            game.step(action)
    return found


def evaluate_game(
    record: GameRecord,
    positions: Sequence[Asked],
    evaluators: Sequence[Evaluator],
    on_done: Callable[[int], object] = lambda _positions: None,
) -> list[EvaluatedDecision]:
    """Lets bots evaluate the positions of a game.

    Args:
        record: a verified record.
        positions: the result of ``decision_positions``.
        evaluators: bots, at least one.
        on_done: called with the number of newly evaluated positions.

    Raises:
        BotError: a bot failed.
    """
    seats = record.ruleset.seats
    by_bot = [list(_evaluations(evaluator, record.kind, positions, on_done)) for evaluator in evaluators]
    return [
        EvaluatedDecision(
            number,
            turn_of(state),
            int(state["seat"]),
            seats[int(state["seat"])].team,
            state,
            played,
            tuple(evaluations),
        )
        for (number, state, played), *evaluations in zip(positions, *by_bot, strict=True)
    ]


def _evaluations(
    evaluator: Evaluator, kind: GameKind, positions: Sequence[Asked], on_done: Callable[[int], object]
) -> Iterator[Evaluation]:
    for _, state, played in positions:  # one at a time, since each may take seconds
        yield from evaluator.think(np.array([state], dtype=kind.state), [played])
        on_done(1)


def played_line(record: GameRecord, number: int) -> Iterator[tuple[np.record, int]]:
    """The line of choices played in a game from a position on: positions and choices."""
    game = record.begun()
    for action in record.actions[:number]:
        game.step(action)
    begun = game.state
    for place, action in enumerate(record.actions[number:], start=number):
        yield record.given(game.state, place), action
        game.step(action)
        if ends_line(record.kind, begun, game.state):
            return


@dataclasses.dataclass(frozen=True)
class ConfirmedCostlyChoice:
    """A confirmed costly choice: its loss is significantly above 0."""

    decision: EvaluatedDecision
    best: int
    """The best choice in the bot's first evaluation."""
    lost: float
    """The winning chance after the best choice minus that after the played choice: the mean of
    ``CONFIRMATIONS`` evaluations."""
    interval: tuple[float, float]
    """The 95% interval, by Student's t."""


def confirm_costly_choices(
    decisions: list[EvaluatedDecision],
    bot: int,
    again: Iterable[Evaluator],
    most: int,
    least: float,
    on_done: Callable[[int], object] = lambda _positions: None,
) -> list[ConfirmedCostlyChoice]:
    """The most costly choices, after a bot has evaluated probable costly choices again.

    The first evaluations only select candidates, because the largest of many estimates is usually too large.

    Args:
        decisions: the analysed positions of a game.
        bot: the index of the bot among the evaluators.
        again: ``CONFIRMATIONS`` evaluators of this bot, with different seeds.
        most: maximal number of costly choices.
        least: minimal loss, both in the first evaluation and in the mean of the later ones. The 95% interval
            of this mean must not contain 0.
        on_done: called with the number of newly evaluated positions.

    Raises:
        BotError: the bot failed.
    """
    asked = candidates(decisions, bot, most, least)
    best = [decision.evaluations[bot].best[0].action for decision in asked]
    answers: list[list[float]] = [[] for _ in asked]
    for evaluator in again if asked else ():
        for decision, choice, losses in zip(asked, best, answers, strict=True):
            assert decision.played is not None
            lost = evaluator.measure_loss(decision.state, decision.played, choice)
            losses += [] if lost is None else [lost]
            on_done(1)
    found = []
    for decision, choice, losses in zip(asked, best, answers, strict=True):
        if len(losses) not in _T:  # the bot hardly ever tells of both choices
            continue
        mean = float(np.mean(losses))
        half = _T[len(losses)] * float(np.std(losses, ddof=1)) / math.sqrt(len(losses))
        if mean >= least and mean - half > 0:
            found.append(ConfirmedCostlyChoice(decision, choice, mean, (mean - half, mean + half)))
    return sorted(found, key=lambda slip: -slip.lost)[:most]


def candidates(
    decisions: list[EvaluatedDecision], bot: int, most: int, least: float
) -> list[EvaluatedDecision]:
    """The candidates that ``confirm_costly_choices`` evaluates again: the choices with the largest loss, at
    least ``least``. There are up to ``2 * most``, because some candidates are noise."""
    found = [decision for decision in decisions if decision.evaluations[bot].lost >= least]
    return sorted(found, key=lambda decision: -decision.evaluations[bot].lost)[: 2 * most]
