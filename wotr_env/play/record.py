"""GameRecord: a game of any kind as ruleset + seed + actions + final hash, in one line of JSON.

Random outcomes are not recorded: the seed and the actions reproduce the game, and the hash proves it. The
record of a game that starts from a position contains the position instead of the seed
(``wotr_env.core.notation``). The record of a game with given outcomes (own dice, cards or tiles) contains its
first position and these outcomes.
"""

from __future__ import annotations

import bisect
import codecs
import contextlib
import dataclasses
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from wotr_env.core.errors import IllegalAction, RecordError
from wotr_env.core.game import Game
from wotr_env.core.kind import GameKind
from wotr_env.core.read_errors import reason
from wotr_env.core.rows import Rows, flat
from wotr_env.core.values import (
    MOST_BYTES,
    check_fields,
    check_integer,
    check_seed,
    open_file,
    read_text,
    text_of,
)
from wotr_env.play.early_ends import EarlyEnd
from wotr_env.play.game_text import OPENS, read_games, turn_of, write_game
from wotr_env.play.games import DEFAULT_GAME, game_kind

FORMAT = 2
"""The format of JSON lines. It also changes when the layout of states changes, because the hash covers the
bytes of the last state."""

PUBLISHED = Path(__file__).parents[1] / "games" / "war_of_the_ring" / "data" / "published_game.jsonl"
"""The record of a complete published game of War of the Ring (second edition, eleven turns). The record
contains only facts. Where the publication does not give the order of a deck, the order is arbitrary."""

_LATER: dict[str, Any] = {"game": DEFAULT_GAME, "identities": [], "position": "", "tapes": [], "ended": None}
"""Fields that older records do not have."""
_FIELDS = ("format", "rules", "ruleset", "seed", "players", "actions", "result", "hash", *_LATER)
_HASH = re.compile("[0-9a-f]{32}")


@dataclasses.dataclass(frozen=True)
class GameRecord:
    """One game, finished or not.

    Reading a record checks only its form. ``verify`` checks that the game replays to its hash.
    """

    ruleset: Any
    """The ruleset, of the type ``kind.ruleset``."""
    seed: int
    """The seed; 0 if there is a position."""
    actions: tuple[int, ...]
    players: tuple[str, ...]
    """The player of each seat, such as a bot's spec; an empty name if unknown."""
    result: Any
    """The result, of the type ``kind.result``; None for an unfinished game."""
    hash: str
    """``state_hash`` after the last action."""
    game: str = DEFAULT_GAME
    """The name of its ``GameKind``."""
    identities: tuple[str, ...] = ()
    """The identity of each seat's player, such as a bot's package and files; empty if unknown."""
    position: str = ""
    """The start of the game as one line of text (``wotr_env.core.notation``); empty: the seed determines
    it."""
    tapes: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Given random outcomes, as pairs: the number of actions before an action, and the outcomes of this
    action. They require a position."""
    ended: EarlyEnd | None = None
    """How the players ended a game that the rules did not end; None otherwise."""
    source: str = dataclasses.field(default="record", compare=False)
    """The file and line of the record, for messages."""

    @property
    def kind(self) -> GameKind:
        """The game that was played."""
        return game_kind(self.game)

    @classmethod
    def from_game(cls, game: Game, players: tuple[str, ...] = ()) -> GameRecord:
        """The record of a game that started from its seed or from a position.

        Args:
            game: made by ``GameKind.game``, or from a position, if the game has a text form of positions.
            players: the player of each seat; empty if none is known.

        Raises:
            RecordError: the start of the game is unknown, its tape contains unused outcomes, or the number of
                players is not that of the seats.
        """
        position = "" if game.seed is not None else game.start
        if position is None:
            raise RecordError("the game cannot be recorded: its start is unknown")
        if game.tape_left:
            raise RecordError("the game cannot be recorded yet: its tape has unused outcomes")
        seats = len(game.ruleset.seats)
        players = tuple(players) or ("",) * seats
        if len(players) != seats:
            raise RecordError(f"players are {seats} names, one for each seat, not {len(players)}")
        return cls(
            game.ruleset,
            game.seed or 0,
            game.actions,
            players,
            game.result,
            game.hash(),
            game.kind.name,
            position=position,
            tapes=tuple(sorted(game.tapes.items())),
        )

    def to_json(self) -> str:
        """The record as one line of JSON, without a line break."""
        return json.dumps(self.fields(), separators=(",", ":"))

    def to_text(self, comments: bool = True) -> str:
        """The game as readable text, for ``from_text`` (``wotr_env.play.game_text``).

        Args:
            comments: whether comments show the consequences of the choices, including hidden information.

        Raises:
            RecordError: an action is illegal, or the text format cannot hold its name.
        """
        try:
            steps = self.steps(self.begun())
            return write_game(self.kind, self.fields(), self.ruleset.seats, steps, comments)
        except ValueError as error:
            raise RecordError(f"{self.source}: {error}") from None

    @classmethod
    def from_text(cls, text: str, source: str = "text") -> list[GameRecord]:
        """The games of a text of ``to_text``, in order; comments are ignored.

        Args:
            text: any number of games.
            source: the name of the source, for messages.

        Raises:
            RecordError: a line is damaged, or a game is unknown or has another version of the rules.
        """
        found = []
        try:
            for fields, names, begun in read_games(text, source):
                found.append(cls._from_text(fields, names, begun))
        except ValueError as error:
            raise RecordError(str(error)) from None
        return found

    @classmethod
    def _from_text(cls, fields: dict[str, Any], names: list[str], source: str) -> GameRecord:
        try:
            kind = game_kind(_game_named(fields.get("game", DEFAULT_GAME)))
            ids = {name: number for number, name in enumerate(kind.actions.names)}
            unknown = next((name for name in names if name not in ids), None)
            if unknown is not None:
                raise ValueError(f"{kind.title} has no action {unknown!r}")
            return _from_fields({**fields, "actions": [ids[name] for name in names]}, source)
        except (TypeError, ValueError) as error:
            raise RecordError(f"{source}: {error}") from None

    def fields(self) -> dict[str, Any]:
        """The record as a dictionary for JSON; ``position``, ``tapes`` and ``ended`` are left out if they are
        empty."""
        record = {
            "format": FORMAT,
            "game": self.game,
            "rules": self.kind.rules_version,
            "ruleset": self.ruleset.to_dict(),
            "seed": self.seed,
            "players": list(self.players),
            "identities": list(self.identities),
            "actions": list(self.actions),
            "result": None if self.result is None else self.result.to_dict(),
            "hash": self.hash,
        }
        if self.position:
            record["position"] = self.position
        if self.tapes:
            record["tapes"] = [[number, list(tape)] for number, tape in self.tapes]
        if self.ended is not None:
            record["ended"] = self.ended.to_dict(self.ruleset.seats)
        return record

    def row(self) -> dict[str, Any]:
        """The game as one row of a table: players, rules and result. Use ``Rows`` for many games."""
        seats = zip(self.ruleset.seats, self.players, strict=True)
        return {
            "game": self.game,
            "rules": self.ruleset.title,
            "seed": None if self.position else self.seed,
            **{seat.name: player for seat, player in seats},
            "decisions": len(self.actions),
            **({} if self.result is None else flat(self.result.to_dict())),
            **({} if self.ended is None else self._early_row(self.ended)),
        }

    def _early_row(self, ended: EarlyEnd) -> dict[str, Any]:
        winner = self.kind.winner_name(ended.winner(self.kind, self.ruleset))
        return {"winner": winner, "reason": ended.reason}

    def decisions(self) -> Rows:
        """Returns a row for each decision: its number, turn and seat, the kind of decision and the choice, as
        names and in words.

        Raises:
            RecordError: an action is illegal.
        """
        kind, seats, rows = self.kind, self.ruleset.seats, Rows()
        for number, (state, action) in enumerate(self.steps(self.begun()), start=1):
            rows.append(
                {
                    "number": number,
                    "turn": turn_of(state),
                    "seat": seats[int(state["seat"])].name,
                    "asked": kind.words.decision(state),
                    "action": kind.actions.names[action],
                    "words": kind.words.action(state, action),
                }
            )
        return rows

    @classmethod
    def from_json(cls, line: str, source: str = "record") -> GameRecord:
        """The inverse of ``to_json``. A line without the name of a game is a game of War of the Ring.

        Args:
            line: a line of JSON.
            source: the name of the source, for messages.

        Raises:
            RecordError: the line is damaged, or has an unknown game, another format or another version of the
                rules.
        """
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"{source}: damaged: {reason(error)}") from None
        try:
            return _from_fields(record, source)
        except (TypeError, ValueError) as error:
            raise RecordError(f"{source}: {error}") from None

    def save(self, path: str | Path) -> None:
        """Writes a file with this game; an existing file is replaced."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    def append(self, path: str | Path) -> None:
        """Appends this game to a file; the file is created if needed. If its last line is not complete (an
        earlier write was interrupted), the game begins a new line.

        Raises:
            OSError: the file cannot be written; it is as before.
        """
        path, line = Path(path), self.to_json().encode() + b"\n"
        before = path.stat().st_size if path.exists() else 0
        try:
            with path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    line = line if file.read() == b"\n" else b"\n" + line
                file.write(line)
        except OSError:
            with contextlib.suppress(OSError):
                os.truncate(path, before)
            raise

    @classmethod
    def load(cls, path: str | Path) -> list[GameRecord]:
        """The games of a file, in order: JSON lines, or text (``from_text``).

        Raises:
            RecordError: the file cannot be read or a line is damaged; the message names the line.
        """
        return list(cls.read(path))

    @classmethod
    def read(cls, path: str | Path) -> Iterator[GameRecord]:
        """As ``load``, one game after another; JSON lines are read one by one."""
        try:
            with open_file(path) as file:
                if file.peek(1).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == OPENS.encode():
                    yield from cls.from_text(read_text(path), str(path))
                    return
                lines = iter(lambda: file.readline(MOST_BYTES + 1), b"")
                for number, line in enumerate(lines, start=1):
                    if len(line) > MOST_BYTES:
                        raise RecordError(f"{path}, line {number}: longer than {MOST_BYTES // 2**20} MiB")
                    if text := text_of(line).strip():
                        yield cls.from_json(text, f"{path}, line {number}")
        except OSError as error:
            raise RecordError(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise RecordError(f"{path}: damaged: {reason(error)}") from None

    def replay(self, at: int | None = None) -> Any:
        """Returns the game after its first ``at`` actions, by default after all, made by ``GameKind.game``.

        The future random outcomes of the returned game come from its random stream, not from the ``tapes`` of
        later actions.

        Raises:
            RecordError: there are fewer actions, or an action is illegal.
        """
        at = len(self.actions) if at is None else at
        if isinstance(at, bool) or not isinstance(at, (int, np.integer)) or not 0 <= at <= len(self.actions):
            raise RecordError(f"{self.source}: the position is 0 to {len(self.actions)} actions, not {at!r}")
        game = self.begun()
        for number, action in enumerate(self.actions[:at], start=1):
            self._step(game, number, action)
        if self.tapes:
            game.follow({})
        return game

    def steps(self, game: Any) -> Iterator[tuple[np.record, int]]:
        """Plays all actions in a game made by ``begun``.

        Yields:
            Before each action: the state, with the outcomes given to the action, and the action.

        Raises:
            RecordError: an action is illegal.
        """
        for number, action in enumerate(self.actions):
            yield self.given(game.state, number), action
            self._step(game, number + 1, action)

    def given(self, state: np.record, number: int) -> np.record:
        """The state after ``number`` actions, in which the outcomes given to the next action are on the
        tape."""
        place = bisect.bisect_left(self.tapes, (number,))
        if self.kind.given_chance is None or place == len(self.tapes) or self.tapes[place][0] != number:
            return state
        return self.kind.given_chance.with_tape(state, self.tapes[place][1])

    def _step(self, game: Any, number: int, action: int) -> None:
        try:
            game.step(action)
        except (IllegalAction, ValueError) as error:
            raise RecordError(f"{self.source}: action number {number} cannot be played: {error}") from None

    def begun(self) -> Any:
        """The game before its first action, made by ``GameKind.game`` or from the position.

        Steps of this game use the random outcomes in the record (``tapes``), if it has any. To continue with
        other actions, use ``replay``.

        Raises:
            RecordError: the position is invalid or has another ruleset.
        """
        if not self.position:
            return self.kind.game(self.seed, self.ruleset)
        if self.kind.positions is None:
            raise RecordError(f"{self.source}: {self.kind.title} has no text form of positions")
        try:
            game = self.kind.positions.read(self.position, None, None)
        except ValueError as error:
            raise RecordError(f"{self.source}: {error}") from None
        if game.ruleset != self.ruleset:
            raise RecordError(f"{self.source}: the position and the record have different rulesets")
        if self.tapes:
            game.follow(dict(self.tapes))
        return game

    def verify(self) -> Any:
        """Replays the game and compares its end; returns the game at its end.

        Raises:
            RecordError: an action is illegal, or the result or the hash differs.
        """
        game = self.replay()
        if game.result != self.result:
            here, there = _words(game.result), _words(self.result)
            raise RecordError(f"{self.source}: the replay ends with {here}, the record with {there}")
        if (digits := game.hash()) != self.hash:
            raise RecordError(
                f"{self.source}: the replay ends with hash {digits}, the record with {self.hash}"
            )
        return game


def _game_named(name: Any) -> str:
    if not isinstance(name, str):
        raise ValueError(f"the game is a name, not {name!r}")
    return name


def _from_fields(record: Any, source: str) -> GameRecord:
    """Checks every field; raises ``ValueError`` or ``TypeError`` without the source."""
    if isinstance(record, dict):
        record = {**_LATER, **record}
    check_fields(record, _FIELDS, "record")
    kind = game_kind(_game_named(record["game"]))
    _check_version(record["format"], FORMAT, "format")
    _check_version(record["rules"], kind.rules_version, "version of the rules")
    if not isinstance(record["ruleset"], dict):
        raise ValueError(f"the ruleset is an object of options, not {record['ruleset']!r}")
    ruleset = kind.ruleset.from_dict(record["ruleset"])
    seats = len(ruleset.seats)
    players = _check_names("players", record["players"], seats)
    identities = _check_names("identities", record["identities"], seats) if record["identities"] != [] else ()
    actions = record["actions"]
    if not isinstance(actions, list):
        raise ValueError(f"actions are a list of ids, not {actions!r}")
    for action in actions:
        check_integer("an action", action, 0, kind.actions.size - 1)
    position = record["position"]
    if not isinstance(position, str) or (position and record["seed"] != 0):
        raise ValueError("a record has either no position, or a position as text and seed 0")
    tapes = _check_tapes(record["tapes"], kind, len(actions))
    if tapes and not position:
        raise ValueError("a record with tapes needs a position")
    ended = None if record["ended"] is None else EarlyEnd.from_dict(record["ended"], ruleset.seats)
    if ended is not None and record["result"] is not None:
        raise ValueError("a record has either a result by the rules, or an early end")
    digits = record["hash"]
    if not isinstance(digits, str) or not _HASH.fullmatch(digits):
        raise ValueError(f"the hash is 32 hex digits, not {digits!r}")
    return GameRecord(
        ruleset=ruleset,
        seed=check_seed(record["seed"]),
        actions=tuple(actions),
        players=players,
        result=None if record["result"] is None else kind.result.from_dict(record["result"]),
        hash=digits,
        game=kind.name,
        identities=identities,
        position=position,
        tapes=tapes,
        ended=ended,
        source=source,
    )


def _check_tapes(tapes: Any, kind: GameKind, actions: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    found = []
    if not isinstance(tapes, list) or not all(isinstance(each, list) and len(each) == 2 for each in tapes):
        raise ValueError("tapes are a list of pairs: the number of actions before, and the outcomes")
    if kind.given_chance is None:
        if tapes:
            raise ValueError(f"{kind.title} does not support given outcomes of chance")
        return ()
    for number, tape in tapes:
        check_integer("the number of a tape", number, found[-1][0] + 1 if found else 0, actions - 1)
        if tape == []:
            raise ValueError(f"the tape of action {number} holds no outcomes")
        found.append((number, tuple(kind.given_chance.check_tape(tape))))
    return tuple(found)


def _check_names(what: str, names: Any, seats: int) -> tuple[str, ...]:
    if not isinstance(names, list) or [type(name) for name in names] != [str] * seats:
        raise ValueError(f"{what} are {seats} names, one for each seat, not {names!r}")
    return tuple(names)


def _check_version(version: Any, known: int, what: str) -> None:
    if type(version) is not int or version != known:
        raise ValueError(f"{what} {version!r}, this package reads {known}")


def _words(result: Any) -> str:
    return "no result" if result is None else json.dumps(result.to_dict())
