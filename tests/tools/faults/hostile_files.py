"""Files that wish ill: what is no file, what never ends, and documents with strange values."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import random
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXECUTED = "executed"
"""What exists in the folder of a hostile file if code in it was run."""
_DEEP = 100_000
_HUGE = 8 * 2**30
"""Bytes of a file of zeros, which takes no room on the disk."""
_PLACE = "\N{WHITE SQUARE} here \N{WHITE SQUARE}"

STRANGE = (
    *("null", "true", "[]", "{}", "-1", "0.5", '""', "1e400", "NaN", "-Infinity", "9223372036854775808"),
    *("1" + "0" * 4_000, "1" + "0" * 5_000, '"\\ud800"', '"\\u0000"', '"\\u001b]0;owned\\u0007"'),
    *('"' + "x" * 1_000_000 + '"', "[" * _DEEP, "[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900),
    '"/dev/zero"',
)
"""Values for a place in JSON, some of which make it no JSON any more."""


def strange_json(document: str, chance: random.Random) -> bytes:
    """A document with a strange value somewhere, a key more or fewer, or nothing but the value."""
    whole = json.loads(document)
    strange = chance.choice(STRANGE)
    if chance.random() < 0.1:
        return strange.encode()
    parent, key = chance.choice(list(_places(whole)))
    if isinstance(parent, dict) and chance.random() < 0.2:
        if chance.random() < 0.5:
            del parent[key]
            return json.dumps(whole).encode()
        key = "another"
    parent[key] = _PLACE
    return json.dumps(whole).replace(json.dumps(_PLACE), strange).encode()


def _places(value: Any) -> Any:
    """Containers and keys or places in them; of long lists some."""
    if isinstance(value, (dict, list)):
        keys = list(value) if isinstance(value, dict) else range(len(value))[:5]
        for key in keys:
            yield value, key
            yield from _places(value[key])


class _Executes:
    """As a pickle: runs a command where it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return os.mkdir, (str(self.path),)


def make_hostile(path: Path, document: str, chance: random.Random) -> str:
    """Puts something at a path where a document is expected; returns what it is.

    Args:
        path: where; its folder is there.
        document: in JSON.
        chance: chooses.
    """
    kinds: dict[str, Callable[[], object]] = {
        "nothing": lambda: None,
        "a folder": path.mkdir,
        "a pipe": lambda: os.mkfifo(path),
        "a device without end": lambda: path.symlink_to("/dev/zero"),
        "a device": lambda: path.symlink_to("/dev/null"),
        "a link to itself": lambda: path.symlink_to(path),
        "a link to nothing": lambda: path.symlink_to(path.with_name("nothing")),
        "zeros": lambda: _zeros(path),
        "noise": lambda: path.write_bytes(chance.randbytes(100_000)),
        "text of another encoding": lambda: path.write_bytes(document.encode("utf-16")),
        "half of a character": lambda: path.write_bytes(document.encode() + b"\xc3"),
        "a pickle": lambda: path.write_bytes(pickle.dumps(_Executes(path.with_name(EXECUTED)))),
        "a bomb": lambda: path.write_bytes(gzip.compress(bytes(50 * 2**20))),
        "a database": lambda: _database(path),
        "tensors": lambda: path.write_bytes(strange_tensors({}, chance)),
    }
    if chance.random() < 0.5:
        path.write_bytes(strange_json(document, chance))
        return "strange values"
    kind = chance.choice(list(kinds))
    kinds[kind]()
    return kind


def _zeros(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(_HUGE)


def _database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE other (value)")
    connection.close()


def strange_tensors(header: dict[str, Any], chance: random.Random) -> bytes:
    """A file of safetensors whose header says what cannot be.

    Args:
        header: of a whole file, with its ``__metadata__``.
        chance: chooses.
    """
    float32 = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    wrong: list[dict[str, Any]] = [
        {"data_offsets": [0, 2**62]},
        {"data_offsets": [8, 0]},
        {"shape": [2**32, 2**32]},
        {"shape": [-1]},
        {"shape": [2**63]},
        {"dtype": "I64", "shape": [1]},
        {"dtype": "BOOL", "shape": [8]},
        {"dtype": "F99"},
    ]
    tensors: dict[str, Any] = {name: float32 for name in header if name != "__metadata__"} or {"one": float32}
    tensors[chance.choice(list(tensors))] = {**float32, **chance.choice(wrong)}
    if chance.random() < 0.2:
        tensors["twice"] = float32
    written = json.dumps({"__metadata__": header.get("__metadata__", {}), **tensors}).encode()
    size = chance.choice((len(written), len(written), 0, 2**63, 2**31, 100))
    return struct.pack("<Q", size) + written + bytes(8)
