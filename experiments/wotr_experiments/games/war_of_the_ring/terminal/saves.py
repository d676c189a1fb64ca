"""Saved games: one JSON file with the game, the players and the log.

The file contains the whole position, including information hidden from the person.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from pathlib import Path
from typing import Any

from wotr_env import Game
from wotr_env.core.read_errors import reason
from wotr_env.core.seats import check_seat
from wotr_env.core.values import read_text
from wotr_experiments.errors import CommandError, printable
from wotr_experiments.files import write_json
from wotr_experiments.terminal.match import Players

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
}
_LATER: dict[str, Any] = {"identities": [], "takeback": True, "taken_back": 0}
"""Fields that older files do not have."""


@dataclasses.dataclass
class SavedGame(Players):
    """The data that ``wotr play --load`` needs. Bots are not saved; they are made again from spec and
    seed."""

    hint_bot: str
    own_dice: bool
    game: Game
    log: list[tuple[str, str]]
    """The log: style and text of each line."""

    @property
    def full_takeback(self) -> bool:
        """Whether choices may be taken back after information was seen, except for own dice."""
        return self.takeback and not self.own_dice

    def write(self, path: Path) -> None:
        """Writes the file. An existing file is replaced; after an error it is unchanged.

        Raises:
            OSError: the file cannot be written.
        """
        data = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        data["game"] = base64.b64encode(self.game.to_bytes()).decode()
        write_json(path, {"format": FORMAT, **data})

    @classmethod
    def read(cls, path: Path) -> SavedGame:
        """The inverse of ``write``.

        Raises:
            CommandError: the file is not a saved game, is damaged, or has another version.
            OSError: the file cannot be read.
        """
        try:
            data = json.loads(read_text(path))
            if isinstance(data, dict):
                data = _LATER | data
            _check(data)
            game = Game.from_bytes(base64.b64decode(data["game"], validate=True))
            check_seat(data["seat"], game.ruleset.seats)
            _check_bots(data["bots"], data["seat"], len(game.ruleset.seats))
            if data["identities"]:
                _check_identities(data["identities"], len(game.ruleset.seats))
            log = [(printable(str(style)), printable(str(text))) for style, text in data["log"]]
        except OSError:
            raise
        except (TypeError, ValueError, RecursionError) as error:
            raise CommandError(f"{path} is not a game saved by wotr play: {reason(error)}") from None
        fields = {name: data[name] for name in _FIELDS if name not in ("format", "game", "log")}
        return cls(**fields, game=game, log=log)


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
