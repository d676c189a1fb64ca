"""From a batch of the schedule to games as they are stored, each with its verified record."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from wotr_agents import Bot, BotView, make_bot
from wotr_env import Ruleset
from wotr_env.codes import Reason, Side, Winner
from wotr_env.words.positions import victory_points
from wotr_experiments.arena.play import ForfeitKind, play_batch, records_of, verify_records, warm_up
from wotr_experiments.arena.schedule import Batch, Tournament, bot_seed, game_seed, sides


@dataclasses.dataclass(frozen=True)
class PlayedGame:
    """One game of a tournament: what the tables need to know of it, and its record."""

    pairing: int
    number: int
    """In its pairing; the odd ones have exchanged sides."""
    free_peoples: int
    """Place in ``Tournament.bots`` of the bot that played them."""
    shadow: int
    seed: int
    winner: str
    """``free_peoples``, ``shadow`` or ``draw``."""
    reason: str
    """A member of ``Reason`` in lower case, or ``forfeit``."""
    forfeit: str
    """A ``ForfeitKind``, or empty."""
    message: str
    """Of the forfeit."""
    turn: int
    free_peoples_points: int
    """Victory points of the enemy Settlements that they hold."""
    shadow_points: int
    corruption: int
    mordor_step: int
    """0: the Fellowship never entered Mordor."""
    mordor_turn: int
    """In which it did."""
    decisions: int
    record: str
    """The JSON of a ``GameRecord``, without a result if the game was forfeited."""

    @property
    def forfeited_by(self) -> int | None:
        """Place of the bot that forfeited the game."""
        if not self.forfeit:
            return None
        return self.free_peoples if self.winner == "shadow" else self.shadow

    def score(self, place: int) -> float:
        """1, 0.5 or 0 for a won, drawn or lost game of the bot at a place."""
        if self.winner == "draw":
            return 0.5
        return float((self.winner == "free_peoples") == (self.free_peoples == place))

    def digest(self) -> str:
        """32 hex digits that change with any of the fields."""
        text = "\0".join(str(value) for value in dataclasses.astuple(self))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


FIELDS = tuple(field.name for field in dataclasses.fields(PlayedGame))


class _UnmadeBot:
    """Stands for a bot that could not be made: it fails when asked."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def act(self, _view: BotView) -> np.ndarray:
        raise self.error


def play(
    tournament: Tournament, batch: Batch, on_end: Callable[[int], object] = lambda _games: None
) -> list[PlayedGame]:
    """Plays a batch and verifies its records.

    Args:
        tournament: of which the batch is.
        batch: what to play.
        on_end: called with the number of games that ended in a step.

    Raises:
        RecordError: a game does not replay, which would be an error of the rules.
    """
    places = tournament.pairings[batch.pairing]
    names = (tournament.bots[places[0]], tournament.bots[places[1]])
    if tournament.time_limit:
        for name in names:
            _warm_up(name, tournament.ruleset, tournament.time_limit)
    bots = tuple(
        _make(name, bot_seed(tournament, batch, place)) for name, place in zip(names, places, strict=True)
    )
    numbers = np.array(batch.numbers)
    swapped = numbers % 2 == 1
    seeds = np.array([game_seed(tournament, number) for number in batch.numbers], dtype=np.uint64)
    played = play_batch(bots, swapped, seeds, tournament.ruleset, tournament.time_limit, on_end)
    records = records_of(played, names, swapped, seeds, tournament.ruleset)
    verify_records(records)
    games = []
    for place, (number, record) in enumerate(zip(batch.numbers, records, strict=True)):
        free_peoples, shadow = sides(tournament, batch.pairing, number)
        state = played.states[place]
        forfeit = played.forfeits.get(place)
        if forfeit is None:
            winner, reason = record.result.winner, record.result.reason.name.lower()
        else:
            winner = Winner.SHADOW if forfeit.seat == Side.FREE_PEOPLES else Winner.FREE_PEOPLES
            reason = "forfeit"
        points = victory_points(state)
        games.append(
            PlayedGame(
                pairing=batch.pairing,
                number=number,
                free_peoples=free_peoples,
                shadow=shadow,
                seed=record.seed,
                winner=winner.name.lower(),
                reason=reason,
                forfeit="" if forfeit is None else forfeit.kind.value,
                message="" if forfeit is None else forfeit.message,
                turn=int(state["turn"]),
                free_peoples_points=points[Side.FREE_PEOPLES],
                shadow_points=points[Side.SHADOW],
                corruption=int(state["corruption"]),
                mordor_step=int(state["mordor_step"]),
                mordor_turn=int(played.mordor_turns[place]),
                decisions=len(record.actions),
                record=record.to_json(),
            )
        )
    return games


def reasons() -> list[str]:
    """The kinds of ends of a game that is not forfeited, as ``PlayedGame.reason`` has them."""
    return [reason.name.lower() for reason in Reason if reason != Reason.NONE]


def forfeit_kinds() -> list[str]:
    """As ``PlayedGame.forfeit`` has them."""
    return [kind.value for kind in ForfeitKind]


@functools.cache
def _warm_up(spec: str, ruleset: Ruleset, time_limit: float) -> None:
    """Once in each process."""
    warm_up(_make(spec, 0), ruleset, time_limit)


def _make(spec: str, seed: int) -> Bot | Any:
    try:
        return make_bot(spec, seed)
    except Exception as error:
        return _UnmadeBot(error)
