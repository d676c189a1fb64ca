"""One game between a person and bots, without any text: what all games share, and the match of any game."""

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
"""Between what a bot was and what it is since the game was resumed."""


@dataclasses.dataclass
class Players:
    """Who plays a game. Bots are made from spec and seed."""

    seat: int
    """Of the person."""
    bots: list[str]
    """The spec of who plays each seat; that of the person's is empty."""
    bot_seed: int
    identities: list[str] = dataclasses.field(default_factory=list, kw_only=True)
    """What the bot of each seat is beyond its spec (``wotr_agents.identity``), and what it was before if that
    has changed; empty for the person, and until the bot is made."""
    takeback: bool = dataclasses.field(default=True, kw_only=True)
    """Whether choices may be taken back after chance and the answers of bots: a casual game."""
    taken_back: int = dataclasses.field(default=0, kw_only=True)
    """How often that was done."""

    def __post_init__(self) -> None:
        self.identities = self.identities or [""] * len(self.bots)

    @property
    def full_takeback(self) -> bool:
        """Whether what was seen may be taken back."""
        return self.takeback

    @property
    def names(self) -> tuple[str, ...]:
        """Who played each seat, for a record; of the person how often something seen was taken back."""
        person = person_of_study(self.taken_back) if self.taken_back else PERSON
        return tuple(spec or person for spec in self.bots)


G = TypeVar("G", bound=Game)
Earlier = TypeVar("Earlier")


class BaseMatch(abc.ABC, Generic[G, Earlier]):
    """A person at one game, and bots at all other seats of it.

    Args:
        game: new or begun.
        players: who plays.
        isolation: which bots have processes of their own; they end when the match is closed.

    Attributes:
        changed: the specs of bots that are not what they were when the game was saved.

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
        """Ends the processes of the bots."""
        self._processes.close()

    @property
    def kind(self) -> GameKind:
        """The game that is played."""
        return self.game.kind

    @property
    def seat(self) -> int:
        """Of the person."""
        return self.players.seat

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.result is not None

    @property
    def persons_turn(self) -> bool:
        """Whether the person decides now."""
        return not self.over and int(self.game.state["seat"]) == self.seat

    @property
    def progress(self) -> tuple[Any, ...]:
        """What differs between two games that are worth saving."""
        return tuple(self.game.actions), self.players.taken_back

    def undo(self) -> Undone[Earlier] | None:
        """Takes the latest choice of the person back, with those joined to it; None if none can be.

        In a casual game also what chance and the bots have answered to it, which is counted.
        """
        undone = self._takeback.take()
        if undone is not None:
            self.players.taken_back += undone.seen
            self._go_back(undone.earlier)
        return undone

    def hint(self, spec: str) -> Hint:
        """What a bot would do in the person's place, and how it values its best actions.

        Args:
            spec: of the bot.

        Raises:
            BotError: there is no such bot, or it failed.
        """
        spec = settled(spec, self.kind.name)
        if spec not in self._hint_bots:
            self._hint_bots[spec] = self._make(spec)
        return hint_of(self._hint_bots[spec], self._view(), spec)

    @abc.abstractmethod
    def _go_back(self, earlier: Earlier) -> None:
        """The match is as it was before a choice of the person."""

    def _bots_action(self) -> int:
        """What the bot whose turn it is decides.

        Raises:
            BotError: the bot failed, or answered with something that is not legal; it may be asked again.
        """
        spec = self.players.bots[int(self.game.state["seat"])]
        return int(ask(self.bots[spec], self._view(), spec)[0])

    def _view(self) -> BotView:
        """What the seat that decides may see, as bots get it."""
        states = np.array([self.game.state], dtype=self.kind.state)
        masks = np.zeros((1, self.kind.actions.size), dtype=np.bool_)
        masks[0, self.game.legal()] = True
        return view_of(states, masks, self.kind, self._followed.past(self.game))

    def _make(self, spec: str) -> Bot:
        bots = self._processes.enter_context(Bots(self._isolation))
        bot = bots.seat([spec], [self.players.bot_seed], self.kind.name)[0]
        check_made(spec, bot)
        return bot

    def _note_identities(self) -> list[str]:
        """Notes what each bot is; returns those that were something else before."""
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
    """A person at a game that has words."""

    def play(self, action: int) -> list[Sentence]:
        """Plays a legal choice of the person; returns what came of it, as the person learns it."""
        self._takeback.chosen(self.game.clone())
        if self.seat in self.kind.who_learns(self.game.state, action):
            self._takeback.seen()
        return self._step(action)

    def answer(self) -> list[Sentence]:
        """Lets the bot whose turn it is decide once; returns what the person learns of it.

        Raises:
            BotError: the bot failed, or answered with something that is not legal.
        """
        action = self._bots_action()
        self._takeback.seen()
        return self._step(action)

    def save(self, path: Path) -> None:
        """Writes the record of the game; an existing file is replaced, or left as it was after an error.

        Raises:
            OSError: the file cannot be written.
        """
        record = GameRecord.from_game(self.game, self.players.names)
        record = dataclasses.replace(record, identities=tuple(self.players.identities))
        write_text(path, record.to_json() + "\n")

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
    """A game at its start.

    Args:
        kind: the game.
        seat: of the person.
        bots: the spec of the bot of each seat; that of the person's is not used.
        ruleset: by default the game's first.
        seed: of all chance and of the bots; by default a secret one.
        isolation: which bots have processes of their own.
        game: that begins elsewhere, by that ruleset; by default a new one.
        takeback: whether the person may take back what chance and the bots have answered.

    Raises:
        BotError: there is no such bot.
        ValueError: there is no such seat.
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
    """The record of a game that was saved here.

    Raises:
        CommandError: the file holds no such game.
        RecordError: it is damaged.
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
    """A saved game, played on.

    Args:
        record: of ``saved_record``.
        seat: of the person, if it is to be checked.
        bots: for each seat the spec of the bot that takes over there, or an empty text.
        isolation: which bots have processes of their own.
        takeback: whether the person may take back what chance and the bots answer from now on.

    Raises:
        BotError: there is no such bot.
        CommandError: the person played another seat, or the file names a program to be started.
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
