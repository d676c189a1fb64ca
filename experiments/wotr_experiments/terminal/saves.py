"""Saved games: one JSON file with the game, the players and the story.

The file contains the whole position, including information hidden from the person.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from pathlib import Path
from typing import Any

from wotr_env import GameRecord
from wotr_env.core.game import Game
from wotr_env.core.read_errors import reason
from wotr_env.core.seats import check_seat
from wotr_env.core.values import read_text
from wotr_env.play.games import game_kind
from wotr_experiments.chance import new_seed
from wotr_experiments.errors import CommandError, printable
from wotr_experiments.files import write_json
from wotr_experiments.persons import PERSON, person_of_study, taken_back_by

FORMAT = 2
_FIELDS = {
    "format": int,
    "seat": int,
    "bots": list,
    "hint_bot": str,
    "bot_seed": int,
    "own_dice": bool,
    "game": str,
    "log": list,
    "identities": list,
    "takeback": bool,
    "taken_back": int,
    "kind": str,
}
_LATER: dict[str, Any] = {"identities": [], "takeback": True, "taken_back": 0, "kind": "war-of-the-ring"}
"""Fields that older files do not have."""

Told = tuple[str, str]
"""A line of the story of a game: a style and a text."""


@dataclasses.dataclass
class SavedGame:
    """A game and its players: the data that ``wotr play --load`` needs. Bots are not saved; they are made
    again from spec and seed."""

    seat: int
    """The seat of the person."""
    bots: list[str]
    """The spec of each seat's bot; empty for the person."""
    bot_seed: int
    hint_bot: str
    """The spec of the bot for hints; may be empty in a game that an older version saved."""
    own_dice: bool
    """Whether the person rolls the dice."""
    game: Any
    """The game, a ``wotr_env.core.game.Game``."""
    log: list[Told]
    """The story so far."""
    identities: list[str] = dataclasses.field(default_factory=list, kw_only=True)
    """The identity of each seat's bot (``wotr_agents.identity``), with the old identity if it has changed;
    empty for the person, and until the bot is made."""
    takeback: bool = dataclasses.field(default=True, kw_only=True)
    """Whether choices may be taken back after random outcomes and answers of bots (a casual game)."""
    taken_back: int = dataclasses.field(default=0, kw_only=True)
    """The number of takebacks of seen information."""
    path: Path | None = dataclasses.field(default=None, kw_only=True)
    """The file from which the game was read."""

    def __post_init__(self) -> None:
        self.identities = self.identities or [""] * len(self.bots)

    @property
    def full_takeback(self) -> bool:
        """Whether choices may be taken back after information was seen, except for own dice."""
        return self.takeback and not self.own_dice

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players for a record; the person's name includes the number of takebacks."""
        person = person_of_study(self.taken_back) if self.taken_back else PERSON
        return tuple(spec or person for spec in self.bots)

    def write(self, path: Path) -> None:
        """Writes the file. An existing file is replaced; after an error it is unchanged.

        Raises:
            OSError: the file cannot be written.
        """
        data = {name: getattr(self, name) for name in _FIELDS if name not in ("format", "kind")}
        data["game"] = base64.b64encode(self.game.to_bytes()).decode()
        write_json(path, {"format": FORMAT, **data, "kind": self.game.kind.name})

    @classmethod
    def read(cls, path: Path) -> SavedGame:
        """The inverse of ``write``. Also reads a record, in which older versions saved most games.

        Raises:
            CommandError: the file is not a saved game, is damaged, or has another version.
            OSError: the file cannot be read.
        """
        try:
            text = read_text(path)
            saved = _of_records(GameRecord.load(path)) if _is_record(text) else _of_json(text)
        except OSError:
            raise
        except (TypeError, ValueError, RecursionError) as error:
            raise CommandError(f"{path} is not a game saved by wotr play: {reason(error)}") from None
        saved.path = path
        return saved


def _of_json(text: str) -> SavedGame:
    data = json.loads(text)
    if isinstance(data, dict):
        data = _LATER | data
    _check(data)
    game = Game.of_bytes(game_kind(data["kind"]), base64.b64decode(data["game"], validate=True))
    check_seat(data["seat"], game.ruleset.seats)
    _check_bots(data["bots"], data["seat"], len(game.ruleset.seats))
    if data["identities"]:
        _check_identities(data["identities"], len(game.ruleset.seats))
    log = [(printable(str(style)), printable(str(text))) for style, text in data["log"]]
    fields = {name: data[name] for name in _FIELDS if name not in ("format", "game", "log", "kind")}
    return SavedGame(**fields, game=game, log=log)


def _is_record(text: str) -> bool:
    """Whether the first line of a file is a ``GameRecord``."""
    try:
        data = json.loads(text.lstrip().partition("\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "players" in data


def _of_records(records: list[GameRecord]) -> SavedGame:
    """A game from its record, which tells neither its bots' seed nor its story.

    Raises:
        ValueError: the record was not made by ``wotr play``, or does not replay.
    """
    if len(records) != 1:
        raise ValueError(f"it contains {len(records)} games")
    counts = [taken_back_by(player) for player in records[0].players]
    persons = [seat for seat, count in enumerate(counts) if count is not None]
    if len(persons) != 1:
        raise ValueError(f"it has {len(persons)} human players")
    (seat,) = persons
    bots = ["" if place == seat else spec for place, spec in enumerate(records[0].players)]
    seed, taken_back = new_seed(), counts[seat] or 0
    return SavedGame(seat, bots, seed, "", False, records[0].verify(), [], taken_back=taken_back)


def _check(data: Any) -> None:
    if not isinstance(data, dict) or set(data) != set(_FIELDS):
        raise ValueError(f"it must have {', '.join(_FIELDS)}")
    for name, kind in _FIELDS.items():
        if type(data[name]) is not kind:
            raise ValueError(f"{name} must be of type {kind.__name__}")
    if data["format"] != FORMAT:
        raise ValueError(f"it has format {data['format']}; this package reads {FORMAT}")
    if not 0 <= data["bot_seed"] < 2**63:
        raise ValueError("the seed is out of range")
    if data["taken_back"] < 0:
        raise ValueError("taken_back is out of range")


def _check_identities(identities: list[Any], seats: int) -> None:
    if [type(each) for each in identities] != [str] * seats or not all(map(str.isprintable, identities)):
        raise ValueError(f"identities are {seats} printable texts, not {identities!r}")


def _check_bots(bots: list[Any], seat: int, seats: int) -> None:
    if [type(spec) for spec in bots] != [str] * seats or any(
        bool(spec) == (place == seat) for place, spec in enumerate(bots)
    ):
        raise ValueError(f"bots are {seats} specs, that of the person's seat empty, not {bots!r}")
