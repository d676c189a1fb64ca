"""A game between a person and bots, without input and output: the base of all matches, and the match of any
game."""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from wotr_agents.registry import starts_program
from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.protocols import Game
from wotr_env.core.seats import check_seat
from wotr_env.core.telling import Sentence
from wotr_env.play.bots import Bot, BotView, view_of
from wotr_env.play.history import FollowedGame
from wotr_experiments.arena.schedule import settled
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_text
from wotr_experiments.isolation.bots import Bots, Isolation, ask, check_made, identity_of
from wotr_experiments.persons import PERSON, person_of_study, taken_back_by
from wotr_experiments.terminal.hints import Hint, hint_of
from wotr_experiments.terminal.takeback import Takeback, Undone

_THEN = ", then "
"""Separator between the old and the new identity of a bot in a resumed game."""


@dataclasses.dataclass
class Players:
    """The players of a game. Bots are made from spec and seed."""

    seat: int
    """The seat of the person."""
    bots: list[str]
    """The spec of each seat's bot; empty for the person."""
    bot_seed: int
    identities: list[str] = dataclasses.field(default_factory=list, kw_only=True)
    """The identity of each seat's bot (``wotr_agents.identity``), with the old identity if it has changed;
    empty for the person, and until the bot is made."""
    takeback: bool = dataclasses.field(default=True, kw_only=True)
    """Whether choices may be taken back after random outcomes and answers of bots (a casual game)."""
    taken_back: int = dataclasses.field(default=0, kw_only=True)
    """The number of takebacks of seen information."""

    def __post_init__(self) -> None:
        self.identities = self.identities or [""] * len(self.bots)

    @property
    def full_takeback(self) -> bool:
        """Whether choices may be taken back after information was seen."""
        return self.takeback

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players for a record; the person's name includes the number of takebacks."""
        person = person_of_study(self.taken_back) if self.taken_back else PERSON
        return tuple(spec or person for spec in self.bots)


G = TypeVar("G", bound=Game)
Earlier = TypeVar("Earlier")


class BaseMatch(abc.ABC, Generic[G, Earlier]):
    """A game of a person, with bots in all other seats.

    Args:
        game: a new or a continued game.
        players: the players.
        isolation: the settings for bots in separate processes; these processes end when the match is closed.

    Attributes:
        changed: the specs of bots that have changed since the game was saved.

    Raises:
        BotError: a bot cannot be made.
    """

    def __init__(self, game: G, players: Players, isolation: Isolation | None = None) -> None:
        self.game = game
        self.players = players
        self._isolation = isolation or Isolation()
        self._followed = FollowedGame(game.kind)
        self._takeback: Takeback[Earlier] = Takeback(players.full_takeback)
        self._processes = contextlib.ExitStack()
        self._hint_bots: dict[str, Bot] = {}
        with contextlib.ExitStack() as made:
            made.callback(self.close)
            self.bots = {spec: self._make(spec) for spec in dict.fromkeys(filter(None, players.bots))}
            self.changed = self._note_identities()
            made.pop_all()

    def close(self) -> None:
        """Stops the processes of the bots."""
        self._processes.close()

    @property
    def kind(self) -> GameKind:
        """The game that is played."""
        return self.game.kind

    @property
    def seat(self) -> int:
        """The seat of the person."""
        return self.players.seat

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.result is not None

    @property
    def persons_turn(self) -> bool:
        """Whether the person decides now."""
        return not self.over and int(self.game.state["seat"]) == self.seat

    def record(self) -> GameRecord:
        """The record of the game so far, with its players.

        Raises:
            RecordError: the game used the player's own dice, and an older version saved it without their
                outcomes.
        """
        record = GameRecord.from_game(self.game, self.players.names)
        return dataclasses.replace(record, identities=tuple(self.players.identities))

    @property
    def progress(self) -> tuple[Any, ...]:
        """A value that changes whenever the game is worth saving."""
        return tuple(self.game.actions), self.players.taken_back

    def undo(self) -> Undone[Earlier] | None:
        """Takes back the person's latest choice, with the choices joined to it; None if this is impossible.

        In a casual game, random outcomes and answers of bots are taken back too, and this is counted.
        """
        undone = self._takeback.take()
        if undone is not None:
            self.players.taken_back += undone.seen
            self._go_back(undone.earlier)
        return undone

    def hint(self, spec: str) -> Hint:
        """A bot's choice in the person's place, with its values.

        Args:
            spec: spec of the bot.

        Raises:
            BotError: the bot is unknown or failed.
        """
        spec = settled(spec, self.kind.name)
        if spec not in self._hint_bots:
            self._hint_bots[spec] = self._make(spec)
        return hint_of(self._hint_bots[spec], self._view(), spec)

    @abc.abstractmethod
    def _go_back(self, earlier: Earlier) -> None:
        """Restores the match before a choice of the person."""

    def _bots_action(self) -> int:
        """Returns the decision of the deciding bot.

        Raises:
            BotError: the bot failed or chose an illegal action; it may be asked again.
        """
        spec = self.players.bots[int(self.game.state["seat"])]
        return int(ask(self.bots[spec], self._view(), spec)[0])

    def _view(self) -> BotView:
        """The view of the deciding seat, for bots."""
        states = np.array([self.game.state], dtype=self.kind.state)
        return view_of(states, self.kind.masks(states), self.kind, self._followed.past(self.game))

    def _make(self, spec: str) -> Bot:
        bots = self._processes.enter_context(Bots(self._isolation))
        bot = bots.seat([spec], [self.players.bot_seed], self.kind.name)[0]
        check_made(spec, bot)
        return bot

    def _note_identities(self) -> list[str]:
        """Stores the identities of the bots; returns the bots whose identity has changed."""
        changed: list[str] = []
        identities = self.players.identities
        for place, spec in enumerate(self.players.bots):
            if not spec:
                continue
            now, before = identity_of(self.bots[spec], spec, self.kind.name), identities[place]
            if not before:
                identities[place] = now
            elif before.split(_THEN)[-1] != now:
                identities[place] = before + _THEN + now
                changed.append(spec)
        return list(dict.fromkeys(changed))


class Match(BaseMatch[Any, Game]):
    """A match of any game with ``Words``."""

    def play(self, action: int) -> list[Sentence]:
        """Plays a legal choice of the person; returns the consequences from the view of the person."""
        self._takeback.chosen(self.game.clone())
        if self.seat in self.kind.who_learns(self.game.state, action):
            self._takeback.seen()
        return self._step(action)

    def answer(self) -> list[Sentence]:
        """Lets the deciding bot decide once; returns the consequences from the view of the person.

        Raises:
            BotError: the bot failed or chose an illegal action.
        """
        action = self._bots_action()
        self._takeback.seen()
        return self._step(action)

    def save(self, path: Path) -> None:
        """Writes the record of the game. An existing file is replaced; after an error it is unchanged.

        Raises:
            OSError: the file cannot be written.
        """
        write_text(path, self.record().to_json() + "\n")

    def _go_back(self, earlier: Game) -> None:
        self.game = earlier

    def _step(self, action: int) -> list[Sentence]:
        told = list(self.kind.step_of(self.game.state, action, self.seat).told)
        self.game.step(action)
        return told


def new_match(
    kind: GameKind,
    seat: int,
    bots: Sequence[str],
    ruleset: Any = None,
    seed: int | None = None,
    isolation: Isolation | None = None,
    game: Any = None,
    takeback: bool = True,
) -> Match:
    """Starts a new match.

    Args:
        kind: the game.
        seat: the seat of the person.
        bots: the spec of the bot of each seat; the person's entry is not used.
        ruleset: the ruleset; by default the game's first.
        seed: seed of the game and of the bots; by default a secret seed.
        isolation: the settings for bots in separate processes.
        game: a game with this ruleset that starts from a position; by default a new game.
        takeback: whether the person may take back choices after random outcomes and answers of bots.

    Raises:
        BotError: a bot is unknown.
        ValueError: the seat is unknown.
    """
    ruleset = kind.find_ruleset() if ruleset is None else ruleset
    seat = check_seat(seat, ruleset.seats)
    specs = ["" if place == seat else spec for place, spec in enumerate(bots)]
    for spec in filter(None, specs):
        settled(spec, kind.name)
    seed = secrets.randbelow(2**63) if seed is None else seed
    players = Players(seat, specs, seed, takeback=takeback)
    return Match(game or kind.game(seed, ruleset), players, isolation)


def saved_record(kind: GameKind, path: Path) -> GameRecord:
    """The record of a saved game.

    Raises:
        CommandError: the file does not contain such a game.
        RecordError: the file is damaged.
    """
    records = GameRecord.load(path)
    if len(records) != 1:
        raise CommandError(f"{path} contains {len(records)} games; wotr play needs a file with one game")
    record = records[0]
    if record.game != kind.name:
        raise CommandError(f"{path} is a game of {record.kind.title}; give --game {record.game}")
    if (persons := sum(taken_back_by(player) is not None for player in record.players)) != 1:
        raise CommandError(f"{path} was not saved by wotr play: it has {persons} human players")
    return record


def resumed_match(
    record: GameRecord,
    seat: int | None,
    bots: Sequence[str],
    isolation: Isolation | None = None,
    takeback: bool = True,
) -> Match:
    """Continues a saved game.

    Args:
        record: the record from ``saved_record``.
        seat: the expected seat of the person.
        bots: for each seat the spec of a new bot, or an empty text.
        isolation: the settings for bots in separate processes.
        takeback: whether, from now on, the person may take back choices after random outcomes and answers of
            bots.

    Raises:
        BotError: a bot is unknown.
        CommandError: the person played another seat, or the file names a program to start.
        RecordError: the record does not replay.
    """
    counts = [taken_back_by(player) for player in record.players]
    person, taken_back = next((place, count) for place, count in enumerate(counts) if count is not None)
    if seat not in (None, person):
        raise CommandError(f"in this game you play {record.ruleset.seats[person].title}; leave out --as")
    specs = ["" if place == person else bots[place] or spec for place, spec in enumerate(record.players)]
    for place, spec in enumerate(specs):
        if spec and not bots[place] and starts_program(spec):  # the file may come from anybody
            raise CommandError(
                f"the record names a program, {spec}; to start it, give it again with --against"
            )
        if not spec and place != person:
            title = record.ruleset.seats[place].title
            raise CommandError(f"the record does not say who plays {title}; give a bot with --against")
        if spec:
            settled(spec, record.game)
    players = Players(person, specs, secrets.randbelow(2**63), takeback=takeback, taken_back=taken_back)
    return Match(record.verify(), players, isolation)
