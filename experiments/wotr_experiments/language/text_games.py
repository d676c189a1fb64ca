"""The stored games of a tournament in text: one line of JSON per game."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import filelock

from wotr_env import GameRecord
from wotr_env.core.errors import RecordError
from wotr_env.core.kind import GameKind
from wotr_env.core.values import open_file, read_text, text_of
from wotr_experiments.arena.schedule import new_secret
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.files import write_json
from wotr_experiments.language.text_env import Answer, Counts

PLAYED = "text-tournament.json"
"""File with the settings of the tournament."""
GAMES = "games.jsonl"
"""File with one line per game."""
RECORDS = "records.jsonl"
"""File with only the records, for ``wotr replay``; written after all games."""
SUMMARY = "summary.json"
_LOCK = ".lock"
_LATER = {"legal_actions": True, "renamed": None, "board": False}
"""Fields of a tournament that older folders lack, with the values that those tournaments used."""
_HELP = "restore a copy of it, or give another --out"


@dataclasses.dataclass(frozen=True)
class TextPlayed:
    """A game of a tournament in text."""

    pairing: int
    number: int
    """The number of the game in its pairing."""
    players: tuple[int, ...]
    """Indices of ``TextTournament.players``, by seat."""
    winner: int
    """The winning team, or ``GameKind.draw``."""
    winners: tuple[int, ...]
    """The winning seats."""
    reason: str
    """The kind of end: the name of an ``End``, or ``forfeit``."""
    forfeit: str
    """A ``Failure``, or empty."""
    quitter: int | None
    """The seat that forfeited."""
    message: str
    """The message of the forfeit."""
    decisions: tuple[int, ...]
    """Numbers of decisions by seat."""
    counts: tuple[Counts | None, ...]
    """Counts by seat; None for bots."""
    seconds: tuple[float, ...]
    """Waiting time for programs in seconds, by team."""
    record: GameRecord
    answers: tuple[Answer, ...] = ()
    """All texts that the players have written, in order; empty in games that were stored without them."""

    def to_json(self, kind: GameKind) -> str:
        """One line of JSON; seats have their names."""
        seats = self.record.ruleset.seats
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        changed = {
            "winner": kind.winner_name(self.winner),
            "winners": [seats[each].name for each in self.winners],
            "quitter": None if self.quitter is None else seats[self.quitter].name,
            "counts": [None if each is None else dataclasses.asdict(each) for each in self.counts],
            "record": self.record.fields(),
            "answers": [[at, seats[seat].name, text, failure] for at, seat, text, failure in self.answers],
        }
        told = {**fields, **changed}
        return json.dumps({**told, "digest": _digest(told)}, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str, kind: GameKind, source: str) -> TextPlayed:
        """The inverse of ``to_json``.

        Raises:
            RecordError: the record does not replay to its result.
            AttributeError, KeyError, TypeError, ValueError: the line is invalid.
        """
        fields = json.loads(line)
        if fields.pop("digest") != _digest(fields):
            raise ValueError("changed since it was stored")
        record = GameRecord.from_json(json.dumps(fields["record"]), source)
        record.verify()
        names = [seat.name for seat in record.ruleset.seats]
        answers = fields.get("answers", [])
        winners = [kind.winner_name(winner) for winner in range(len(kind.teams) + 1)]
        return cls(
            **{
                **fields,
                "players": tuple(fields["players"]),
                "winner": winners.index(fields["winner"]),
                "winners": tuple(names.index(name) for name in fields["winners"]),
                "quitter": None if fields["quitter"] is None else names.index(fields["quitter"]),
                "decisions": tuple(fields["decisions"]),
                "counts": tuple(None if each is None else Counts(**each) for each in fields["counts"]),
                "seconds": tuple(fields["seconds"]),
                "record": record,
                "answers": tuple(
                    Answer(at, names.index(seat), text, failure) for at, seat, text, failure in answers
                ),
            }
        )

    def team_of(self, place: int) -> int:
        """The team of a player in the game, by its index."""
        return self.record.ruleset.seats[self.players.index(place)].team


class TextStore:
    """The folder of a tournament, exclusive to this process; made by ``open_text_store``.

    Attributes:
        played: settings of the tournament, with the secret of its games if they have no seed.
    """

    def __init__(self, out: Path, played: Mapping[str, Any], kind: GameKind) -> None:
        self.out, self.played, self._kind = out, played, kind

    def games(self) -> list[TextPlayed]:
        """The stored games in order; removes an incomplete last line.

        Raises:
            CommandError: a line is damaged.
        """
        path, found = self.out / GAMES, []
        if not path.exists():
            return []
        with open_file(path) as file:
            text = file.read()
        *lines, rest = text.split(b"\n")
        for number, line in enumerate(lines, start=1):
            where = f"{path}, line {number}"
            try:
                found.append(TextPlayed.from_json(text_of(line), self._kind, where))
            except RecordError as error:
                raise CommandError(f"{error}; {_HELP}") from None
            except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
                raise CommandError(f"{where}: damaged, {one_line(error, 100)}; {_HELP}") from None
        if rest:
            os.truncate(path, len(text) - len(rest))
        return found

    def add(self, game: TextPlayed) -> None:
        """Stores a game; raises OSError if it cannot be written. Earlier games are kept."""
        path = self.out / GAMES
        line = game.to_json(self._kind).encode() + b"\n"
        before = path.stat().st_size if path.exists() else 0
        try:
            with path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                os.truncate(path, before)
            raise


def played_with(out: Path, record: GameRecord) -> TextPlayed | None:
    """The game of a tournament in text with a given record; None if there is none."""
    path, wanted = out / GAMES, record.fields()
    if not path.is_file():
        return None
    with open_file(path) as file:
        for number, line in enumerate(file, start=1):
            with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError, RecursionError):
                if json.loads(line)["record"] == json.loads(json.dumps(wanted)):
                    return TextPlayed.from_json(text_of(line), record.kind, f"{path}, line {number}")
    return None


def _digest(fields: Mapping[str, Any]) -> str:
    """A hash of the values, 32 hex digits."""
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@contextlib.contextmanager
def open_text_store(out: Path, played: Mapping[str, Any], kind: GameKind) -> Iterator[TextStore]:
    """Creates or opens the folder of a tournament in text.

    Args:
        out: the folder; it is created if needed.
        played: settings that identify the tournament, for JSON; ``secret`` is read from the folder if it and
            ``seed`` are None.
        kind: the game.

    Raises:
        CommandError: ``out`` contains something else, or another process writes there.
        OSError: the folder cannot be created, or a file cannot be written.
    """
    if out.exists() and not out.is_dir():
        raise CommandError(f"{out} is a file; --out names a folder")
    out.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(out / _LOCK, timeout=0):
            yield TextStore(out, _begun(out, played), kind)
    except filelock.Timeout:
        raise CommandError(f"another process writes to {out}; wait for it, or give another --out") from None


def _begun(out: Path, played: Mapping[str, Any]) -> Mapping[str, Any]:
    """Writes the settings, or compares them with the stored ones."""
    path, wanted = out / PLAYED, json.loads(json.dumps(played))
    any_secret = played["seed"] is None and played["secret"] is None
    if not path.exists():
        others = [each.name for each in out.iterdir() if each.name not in (_LOCK, f"{PLAYED}.new")]
        if others:
            raise CommandError(f"{out} contains {min(others)} but no tournament in text; give another --out")
        if any_secret:
            wanted["secret"] = new_secret()
        write_json(path, wanted)
        return wanted
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise CommandError(f"{path} is damaged: it is not a JSON object; {_HELP}")
    games = found.get("games")
    longer = isinstance(games, int) and games < wanted["games"]
    for key in {**wanted, **found}:
        if key == "games" and longer:
            continue
        there = found.get(key, _LATER.get(key))
        if there != wanted.get(key) and not (key == "secret" and any_secret):
            difference = f"its {key}: {json.dumps(there)}, asked for: {json.dumps(wanted.get(key))}"
            raise CommandError(f"{out} holds another tournament ({difference}); give another --out")
    if longer:
        found["games"] = wanted["games"]
        write_json(path, found)
    return found
