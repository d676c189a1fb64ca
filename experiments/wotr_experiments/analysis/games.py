"""What bots think of a whole game: the chance to win at each line of choices, and those that lost most."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.play.game_text import turn_of
from wotr_experiments.analysis.thoughts import Thinker, Thought, ends_line

AGAIN = 5
"""How often a bot is asked again about a choice that seems to have lost much."""
_T = {3: 4.303, 4: 3.182, 5: 2.776}
"""Student's t by the number of answers: two-sided 95%, one degree of freedom less."""


@dataclasses.dataclass(frozen=True)
class Moment:
    """A position of a game in which somebody decides, and what bots think of it."""

    number: int
    """Of the actions before."""
    turn: int | None
    seat: int
    team: int
    state: np.record
    played: int | None
    """None at the end of an unfinished game."""
    thoughts: tuple[Thought, ...]
    """Of each bot."""

    def chance_of(self, bot: int, team: int) -> float:
        """That a team wins, as a bot says."""
        chance = self.thoughts[bot].chance
        return chance if team == self.team else 1.0 - chance


Asked = tuple[int, np.record, int | None]
"""A position of a game: the number of actions before, the state, and what was played; None at the end."""


def positions_of(record: GameRecord, every: bool) -> list[Asked]:
    """The positions in which there is a choice.

    Args:
        record: of any game.
        every: whether all of them; else those that others follow from (``GameKind.openings``).
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


def think_of_game(
    record: GameRecord,
    positions: Sequence[Asked],
    thinkers: Sequence[Thinker],
    on_done: Callable[[int], object] = lambda _positions: None,
) -> list[Moment]:
    """What bots think of a game.

    Args:
        record: verified.
        positions: of ``positions_of``.
        thinkers: bots, at least one.
        on_done: told how many more positions a bot has thought of.

    Raises:
        BotError: one failed.
    """
    seats = record.ruleset.seats
    by_bot = [list(_thoughts(thinker, record.kind, positions, on_done)) for thinker in thinkers]
    return [
        Moment(
            number,
            turn_of(state),
            int(state["seat"]),
            seats[int(state["seat"])].team,
            state,
            played,
            tuple(thoughts),
        )
        for (number, state, played), *thoughts in zip(positions, *by_bot, strict=True)
    ]


def _thoughts(
    thinker: Thinker, kind: GameKind, positions: Sequence[Asked], on_done: Callable[[int], object]
) -> Iterator[Thought]:
    for _, state, played in positions:  # one at a time, since each may take seconds
        states = np.empty(1, dtype=kind.state)
        states[0] = state
        yield from thinker.think(states, [played])
        on_done(1)


def played_line(record: GameRecord, number: int) -> Iterator[tuple[np.record, int]]:
    """What was played in a game from a place on, as one line of choices: positions and choices."""
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
class Slip:
    """A choice that lost surely more than nothing."""

    moment: Moment
    best: int
    """The choice that a bot thought best when it was first asked."""
    lost: float
    """The chance that the best choice leaves, less that of what was played: the mean of ``AGAIN`` answers."""
    interval: tuple[float, float]
    """95%, by Student's t."""


def slips_of(
    moments: list[Moment],
    bot: int,
    again: Iterable[Thinker],
    most: int,
    least: float,
    on_done: Callable[[int], object] = lambda _positions: None,
) -> list[Slip]:
    """The choices that lost most, as a bot says when it is asked again about those that seemed to.

    The first answers only say which choices to ask about: the largest of many guesses is mostly too large.

    Args:
        moments: of a game.
        bot: its place among those that thought of them.
        again: ``AGAIN`` thinkers of this bot, with seeds of their own, one after the other.
        most: so many at most.
        least: what a choice must lose, in the first answer and in the mean of the others; the interval of the
            mean must not reach 0.
        on_done: told how many more positions a bot has thought of.

    Raises:
        BotError: it failed.
    """
    asked = candidates(moments, bot, most, least)
    best = [moment.thoughts[bot].best[0].action for moment in asked]
    answers: list[list[float]] = [[] for _ in asked]
    for thinker in again if asked else ():
        for moment, choice, losses in zip(asked, best, answers, strict=True):
            assert moment.played is not None
            lost = thinker.lost_by(moment.state, moment.played, choice)
            losses += [] if lost is None else [lost]
            on_done(1)
    found = []
    for moment, choice, losses in zip(asked, best, answers, strict=True):
        if len(losses) not in _T:  # the bot hardly ever tells of both choices
            continue
        mean = float(np.mean(losses))
        half = _T[len(losses)] * float(np.std(losses, ddof=1)) / math.sqrt(len(losses))
        if mean >= least and mean - half > 0:
            found.append(Slip(moment, choice, mean, (mean - half, mean + half)))
    return sorted(found, key=lambda slip: -slip.lost)[:most]


def candidates(moments: list[Moment], bot: int, most: int, least: float) -> list[Moment]:
    """The choices that ``slips_of`` asks again about: more than it tells of, since some are noise."""
    return worst(moments, bot, 2 * most, least)


def worst(moments: list[Moment], bot: int, most: int, least: float) -> list[Moment]:
    """The choices that lost most of the chance to win, as a bot says: at most so many, at least so bad."""
    found = [moment for moment in moments if moment.thoughts[bot].lost >= least]
    return sorted(found, key=lambda moment: -moment.thoughts[bot].lost)[:most]
