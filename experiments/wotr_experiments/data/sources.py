"""Sources of exported games: tournaments, files of records, and self-play."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wotr_env import GameRecord
from wotr_env.play.games import game_kind
from wotr_experiments.arena.play import Forfeit, by_team, play_batch, records_of
from wotr_experiments.arena.played_games import STOPPED
from wotr_experiments.arena.schedule import MOST_AT_ONCE, Batch, Tournament, bot_seed, game_seed
from wotr_experiments.arena.store import GAMES, is_store, read_store
from wotr_experiments.arena.watchdog import PendingCall, exit_if_hung
from wotr_experiments.data import read
from wotr_experiments.data.card import CARD
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, Isolation, check_made, identity_of
from wotr_experiments.provenance import PROVENANCE, read_provenance

FORFEIT = "forfeit"
UNFINISHED = "unfinished"
"""The reason of a game without a result and without a known forfeit."""
SELF_PLAY = "self-play"


@dataclasses.dataclass(frozen=True)
class SourceGame:
    """A game to export: its record, and further information from its source."""

    record: GameRecord
    source: str
    number: int
    """The number of the game in its file or pairing."""
    pairing: int | None = None
    forfeit: str = ""
    """A ``ForfeitKind``, or empty."""
    quitter: int | None = None
    """The seat that forfeited."""
    message: str = ""
    stopped: bool = False
    """Whether the game was stopped as too long, and became a draw."""


def games_of(path: Path) -> Iterator[SourceGame]:
    """The games of a tournament's folder or file, of a file of records, or of an export as Parquet.

    Raises:
        CommandError: there is no such file or folder, or it is damaged.
        RecordError: a record is damaged.
    """
    if path.is_dir() and (path / CARD).exists():
        yield from _exported(path)
        return
    if path.is_dir():
        if not (path / GAMES).exists():
            raise CommandError(f"{path} has no {GAMES}: it is neither a tournament nor an export")
        path /= GAMES
    if not path.exists():
        raise CommandError(f"{path}: there is no such file or folder")
    if is_store(path):
        yield from _stored(path)
        return
    for number, record in enumerate(GameRecord.read(path)):
        yield SourceGame(record, path.name, number)


def _stored(path: Path) -> Iterator[SourceGame]:
    with read_store(path) as store:
        for game in store.games():
            yield SourceGame(
                store.record(game.pairing, game.number),
                path.absolute().parent.name,
                game.number,
                game.pairing,
                game.forfeit,
                game.quitter,
                game.message,
                game.reason == STOPPED,
            )


def _exported(path: Path) -> Iterator[SourceGame]:
    """The games of an export, with new numbers, part after part."""
    told = ("source", "number", "pairing", "forfeit", "quitter", "message", "reason", "seats")
    for row, record in read.games(path, columns=told):
        quitter = row["seats"].index(row["quitter"]) if row["quitter"] else None
        yield SourceGame(
            record,
            row["source"],
            row["number"],
            row["pairing"],
            row["forfeit"],
            quitter,
            row["message"],
            row["reason"] == STOPPED,
        )


def origin_of(path: Path) -> dict[str, Any]:
    """Describes a source, for the card: its name, and the runs of commands that played its games.

    Raises:
        CommandError: the provenance of the source cannot be read.
    """
    if path.is_dir() and (path / CARD).exists():
        card = read.card(path)
        return {
            "name": path.absolute().name,
            "played": [],
            "exported": card["exported"],
            "origins": card["origins"],
        }
    folder = path.absolute() if path.is_dir() else path.absolute().parent
    noted = read_provenance(folder / PROVENANCE) if path.is_dir() or is_store(path) else []
    return {"name": folder.name if noted else path.name, "played": noted}


@dataclasses.dataclass(frozen=True)
class SelfPlay:
    """New games for an export, played in this process.

    Raises:
        CommandError: a number, the game or the ruleset is invalid.
        BotError: there is no such bot.
    """

    bot: str
    against: str | None
    """The opponent of ``bot`` in pairs of games with the same seed and exchanged sides; None: the bot plays
    itself."""
    games: int
    seed: int
    ruleset: Any
    game: str
    isolation: Isolation = dataclasses.field(default_factory=Isolation)

    def __post_init__(self) -> None:
        if self.games < 1 or (self.against is not None and self.games % 2):
            wanted = "at least 1" if self.against is None else "an even number, because sides are exchanged"
            raise CommandError(f"--games must be {wanted}, not {self.games}")
        bots = self._tournament.bots
        object.__setattr__(self, "bot", bots[0])
        object.__setattr__(self, "against", None if self.against is None else bots[1])

    @property
    def _tournament(self) -> Tournament:
        """The tournament that determines the seeds: each of its rounds has the seed of one game."""
        bots = (self.bot, self.against or self.bot)
        return Tournament(bots, 2 * self.games, self.seed, self.ruleset, game=self.game)

    def to_dict(self) -> dict[str, Any]:
        """The settings for the card."""
        return {"bot": self.bot, "against": self.against, "games": self.games, "seed": self.seed}

    def play(self, on_end: Callable[[int], object] = lambda _games: None) -> Iterator[SourceGame]:
        """Plays the games in batches, and yields each game.

        Args:
            on_end: called with the number of games that ended in a step.

        Raises:
            BotError: a bot cannot be made.
        """
        tournament, kind = self._tournament, game_kind(self.game)
        step = 2 if self.against is None else 1
        pending_call = PendingCall(self.isolation.call_timeout)
        with Bots(self.isolation) as bots, exit_if_hung(pending_call):
            for first in range(0, self.games, MOST_AT_ONCE):
                numbers = range(first, min(self.games, first + MOST_AT_ONCE))
                names = list(tournament.bots)
                own = [bot_seed(tournament, Batch(0, first, len(numbers)), place) for place in range(2)]
                players = bots.seat(names, own, self.game)
                for name, player in zip(names, players, strict=True):
                    check_made(name, player)
                pending_call.names, pending_call.numbers = names, numbers
                swapped = np.array([number % 2 == 1 and self.against is not None for number in numbers])
                seeds = np.array([game_seed(tournament, step * n) for n in numbers], dtype=np.uint64)
                seats = by_team(self.ruleset, swapped)
                played = play_batch(
                    kind, players, seats, seeds, self.ruleset, on_end=on_end, pending_call=pending_call
                )
                pairs = zip(names, players, strict=True)
                identities = [identity_of(player, name, self.game) for name, player in pairs]
                for place, record in enumerate(records_of(played, names, identities)):
                    forfeit = played.forfeits.get(place)
                    stopped = place in played.stopped
                    yield _played(record, numbers[place], forfeit, stopped)


def _played(record: GameRecord, number: int, forfeit: Forfeit | None, stopped: bool) -> SourceGame:
    if forfeit is None:
        return SourceGame(record, SELF_PLAY, number, stopped=stopped)
    return SourceGame(
        record, SELF_PLAY, number, None, forfeit.kind.value, forfeit.seat, forfeit.message, stopped
    )


@dataclasses.dataclass(frozen=True)
class Split:
    """The split of a data set by seeds, so that games with the same seed stay together.

    Raises:
        CommandError: the parts are not 1 to 3 shares that sum to 1.
    """

    shares: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        fits = all(share > 0 for share in self.shares) and abs(sum(self.shares) - 1) < 1e-9
        if not 1 <= len(self.shares) <= 3 or not fits:
            raise CommandError(
                "--split needs shares of train, validation and test, or of train and test, that sum to "
                f"1, such as 0.8,0.1,0.1, not {','.join(f'{share:g}' for share in self.shares)}"
            )

    @classmethod
    def read(cls, written: str) -> Split:
        """Reads shares such as ``0.8,0.1,0.1``; raises CommandError if the text is not a split."""
        try:
            return cls(tuple(float(share) for share in written.split(",")))
        except ValueError as error:
            if isinstance(error, CommandError):
                raise
            raise CommandError(
                f"--split needs shares separated by commas, such as 0.8,0.1,0.1, not {written}"
            ) from None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts; each part is a folder."""
        return {1: ("all",), 2: ("train", "test"), 3: ("train", "validation", "test")}[len(self.shares)]

    def part(self, record: GameRecord) -> str:
        """The part of a game, from a hash of its seed or of the position at its start."""
        key = record.position or str(record.seed)
        digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
        place, bound = int.from_bytes(digest, "little") / 2**64, 0.0
        for name, share in zip(self.names, self.shares, strict=True):
            bound += share
            if place < bound:
                return name
        return self.names[-1]


def numbered(sources: Sequence[Iterator[SourceGame]]) -> Iterator[tuple[int, SourceGame]]:
    """All games of all sources with their numbers; closes unfinished sources.

    Raises:
        CommandError: the records are of two different board games.
    """
    kind, number = None, 0
    with contextlib.ExitStack() as stack:
        for source in sources:
            for game in stack.enter_context(_closing(source)):
                if kind not in (None, game.record.game):
                    raise CommandError(
                        f"the sources contain games of {kind} and of {game.record.game}; export them "
                        "separately"
                    )
                kind = game.record.game
                yield number, game
                number += 1


@contextlib.contextmanager
def _closing(source: Iterator[SourceGame]) -> Iterator[Iterator[SourceGame]]:
    try:
        yield source
    finally:
        if hasattr(source, "close"):
            source.close()  # type: ignore[attr-defined]
