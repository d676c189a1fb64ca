"""Files of weights: functions that find them and check the game that they are for; without torch."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotError

SUFFIX = ".safetensors"


def find_weights(name: str, what: str, zoo: Path, in_folder: Sequence[str]) -> Path:
    """The file of a network or belief given by ``zoo/NAME``, a path with or without its suffix, or a folder.

    Args:
        name: the name, the path or the folder.
        what: the kind of file in one word, for error messages.
        zoo: the folder that ``zoo/NAME`` refers to.
        in_folder: names of files; the first one that exists in a folder is used.

    Raises:
        BotError: there is no such file.
    """
    if name.startswith("zoo/"):
        path = zoo / (name.removeprefix("zoo/") + SUFFIX)
        if not path.is_file():
            known = ", ".join(zoo_names(zoo)) or "none"
            raise BotError(f"the zoo has no {what} {name!r}; known: {known}")
        return path
    path = Path(name).expanduser()
    for candidate in (path, path.with_name(path.name + SUFFIX), *(path / file for file in in_folder)):
        if candidate.is_file():
            return candidate
    raise BotError(f"there is no {what} {name}")


def zoo_names(zoo: Path) -> list[str]:
    """``zoo/NAME`` of each file in a folder of the package, sorted; no file is opened."""
    return [f"zoo/{file.stem}" for file in sorted(zoo.glob("*" + SUFFIX))]


def made_for(kind: GameKind) -> dict[str, str]:
    """The part of a header that identifies the game of the weights."""
    return {"game": kind.name, "rules_version": str(kind.rules_version), "layout": layout_hash(kind)}


def check_made_for(path: Path, header: Mapping[str, Any], kind: GameKind, keys: Sequence[str]) -> None:
    """Compares a header with ``made_for``; raises BotError if they differ."""
    wanted = made_for(kind)
    for key in keys:
        if header.get(key) != wanted[key]:
            what = key.replace("_", " ")
            raise BotError(
                f"{path} was trained with {what} {header.get(key)}; this package uses {wanted[key]}"
            )


@functools.cache
def layout_hash(kind: GameKind) -> str:
    """A hash of the layout of observations and of the names of actions: 16 hexadecimal digits."""
    fields = [(field.name, field.shape, field.scale) for field in kind.layout.fields]
    if kind.layout.fixed_scales:
        fields = [field[:2] for field in fields]
    text = json.dumps([kind.layout.size, fields, kind.actions.names])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
