"""GameRecord: a game as ruleset + seed + actions + final hash, one JSON line each.

Chance needs no record: the seed and the actions lead to the same game again, and the hash proves it.
"""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from wotr_env.actions import NUM_ACTIONS
from wotr_env.codes import Reason, Winner
from wotr_env.compiler.codes import Codes
from wotr_env.errors import IllegalAction, RecordError
from wotr_env.game import RULES_VERSION, Game, Result, check_seed
from wotr_env.ruleset import Ruleset

FORMAT = 1
"""Of the JSON lines."""

_FIELDS = ("format", "rules", "ruleset", "seed", "players", "actions", "result", "hash")
_RESULT_FIELDS = tuple(field.name for field in dataclasses.fields(Result))
_HASH = re.compile("[0-9a-f]{32}")
_MAX_VICTORY_POINTS = 20


@dataclasses.dataclass(frozen=True)
class GameRecord:
    """One game, finished or not.

    A record that was read is well formed; only ``verify`` shows that it replays to its hash.
    """

    ruleset: Ruleset
    seed: int
    actions: tuple[int, ...]
    players: tuple[str, str]
    """Who played the Free Peoples and the Shadow, such as bot specs; empty if unknown."""
    result: Result | None
    """None for a game that is not over."""
    hash: str
    """``Game.hash()`` after the last action."""
    source: str = dataclasses.field(default="record", compare=False)
    """Where it was read, for messages: file and line."""

    @classmethod
    def from_game(cls, game: Game, players: tuple[str, str] = ("", "")) -> GameRecord:
        """The record of a game played from its seed.

        Raises:
            RecordError: the game had a tape or a position set up by hand, which no seed leads to.
        """
        if game.seed is None:
            raise RecordError("a game with a tape or from a position has no record: no seed leads to it")
        first, second = players
        return cls(game.ruleset, game.seed, game.actions, (first, second), game.result, game.hash())

    def to_json(self) -> str:
        """The record as one line of JSON, without a line break."""
        record = {
            "format": FORMAT,
            "rules": RULES_VERSION,
            "ruleset": self.ruleset.to_dict(),
            "seed": self.seed,
            "players": list(self.players),
            "actions": list(self.actions),
            "result": None if self.result is None else _result_to_json(self.result),
            "hash": self.hash,
        }
        return json.dumps(record, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str, source: str = "record") -> GameRecord:
        """The inverse of ``to_json``; ``source`` says in messages where the line comes from.

        Raises:
            RecordError: the line is damaged, or of another format or version of the rules.
        """
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"{source}: damaged, not a line of JSON ({error})") from None
        try:
            return _from_fields(record, source)
        except (TypeError, ValueError) as error:
            raise RecordError(f"{source}: {error}") from None

    def save(self, path: str | Path) -> None:
        """Writes a file with this one game; an existing file is replaced."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    def append(self, path: str | Path) -> None:
        """Adds this game to the end of a file, which is made if there is none."""
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | Path) -> list[GameRecord]:
        """The games of a file, in order.

        Raises:
            RecordError: the file cannot be read or a line of it is damaged; the message says which.
        """
        try:
            text = Path(path).read_bytes().decode("utf-8")
        except OSError as error:
            raise RecordError(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise RecordError(f"{path}: damaged, not a text of JSON lines ({error.reason})") from None
        lines = enumerate(text.split("\n"), start=1)
        return [cls.from_json(line, f"{path}, line {number}") for number, line in lines if line.strip()]

    def replay(self, at: int | None = None) -> Game:
        """The game after its first ``at`` actions, by default after all.

        Raises:
            RecordError: there are fewer actions, or one of them is illegal.
        """
        at = len(self.actions) if at is None else at
        if isinstance(at, bool) or not isinstance(at, (int, np.integer)) or not 0 <= at <= len(self.actions):
            raise RecordError(f"{self.source}: the position is 0 to {len(self.actions)} actions, not {at!r}")
        game = Game(self.seed, self.ruleset)
        for number, action in enumerate(self.actions[:at], start=1):
            try:
                game.step(action)
            except IllegalAction as error:
                raise RecordError(f"{self.source}: action number {number} does not fit: {error}") from None
        return game

    def verify(self) -> Game:
        """Replays the game and compares its end; returns the game at its end.

        Raises:
            RecordError: an action is illegal, or the result or the hash is another one.
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


def _from_fields(record: Any, source: str) -> GameRecord:
    """Checks every field; raises ``ValueError`` or ``TypeError`` without the source."""
    _check_fields(record, _FIELDS, "record")
    _check_version(record["format"], FORMAT, "format")
    _check_version(record["rules"], RULES_VERSION, "version of the rules")
    if not isinstance(record["ruleset"], dict):
        raise ValueError(f"the ruleset is an object of options, not {record['ruleset']!r}")
    players = record["players"]
    if not isinstance(players, list) or [type(name) for name in players] != [str, str]:
        raise ValueError(f"players are two names, not {players!r}")
    actions = record["actions"]
    if not isinstance(actions, list):
        raise ValueError(f"actions are a list of ids, not {actions!r}")
    for action in actions:
        _check_integer("an action", action, 0, NUM_ACTIONS - 1)
    digits = record["hash"]
    if not isinstance(digits, str) or not _HASH.fullmatch(digits):
        raise ValueError(f"the hash is 32 hex digits, not {digits!r}")
    return GameRecord(
        ruleset=Ruleset.from_dict(record["ruleset"]),
        seed=check_seed(record["seed"]),
        actions=tuple(actions),
        players=tuple(players),
        result=None if record["result"] is None else _result_from_json(record["result"]),
        hash=digits,
        source=source,
    )


def _result_to_json(result: Result) -> dict[str, Any]:
    return {
        **dataclasses.asdict(result),
        "winner": result.winner.name.lower(),
        "reason": result.reason.name.lower(),
        "victory_points": list(result.victory_points),
    }


def _result_from_json(result: Any) -> Result:
    _check_fields(result, _RESULT_FIELDS, "result")
    points = result["victory_points"]
    if not isinstance(points, list) or len(points) != 2:
        raise ValueError(f"victory points are two numbers, not {points!r}")
    first, second = (_check_integer("points", number, 0, _MAX_VICTORY_POINTS) for number in points)
    return Result(
        winner=_member(Winner, result["winner"]),
        reason=_member(Reason, result["reason"]),
        turn=_check_integer("the turn", result["turn"], 1, 2**15 - 1),
        victory_points=(first, second),
        corruption=_check_integer("corruption", result["corruption"], 0, 12),
        mordor_step=_check_integer("the Mordor step", result["mordor_step"], 0, 6),
    )


def _check_fields(values: Any, names: tuple[str, ...], what: str) -> None:
    if not isinstance(values, dict):
        raise ValueError(f"a {what} is an object with {', '.join(names)}, not {values!r}")
    unknown = [name for name in values if name not in names]
    missing = [name for name in names if name not in values]
    if unknown:
        raise ValueError(f"unknown field {unknown[0]!r} in the {what}; known: {', '.join(names)}")
    if missing:
        raise ValueError(f"the {what} has no field {missing[0]!r}")


def _check_version(version: Any, known: int, what: str) -> None:
    if type(version) is not int or version != known:
        raise ValueError(f"{what} {version!r}, this package reads {known}")


def _check_integer(what: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{what} is an integer from {low} to {high}, not {value!r}")
    return value


def _member(codes: type[Codes], name: Any) -> Any:
    names = [member.name.lower() for member in codes]
    if name not in names:
        raise ValueError(f"{codes.__name__.lower()} is one of {', '.join(names)}, not {name!r}")
    return codes[name.upper()]


def _words(result: Result | None) -> str:
    return "no result" if result is None else json.dumps(_result_to_json(result))
