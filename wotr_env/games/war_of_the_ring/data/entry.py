"""Reading the component files entry by entry: every problem is a ``DataError`` that names file and entry."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from wotr_env.compiler.codes import Codes

AnyCodes = TypeVar("AnyCodes", bound=Codes)


class DataError(ValueError):
    """A component file contradicts itself or the rules; the message names the file and the entry."""


@dataclass(frozen=True)
class Entry:
    """One entry of a file, read field by field."""

    file: str
    name: str
    fields: Any

    def error(self, problem: str) -> DataError:
        return DataError(f"{self.file}: {self.name}: {problem}")

    def get(self, key: str, *kinds: type) -> Any:
        """The field ``key``, whose JSON type must be one of ``kinds`` (a bool is not an int)."""
        if not isinstance(self.fields, dict) or key not in self.fields:
            raise self.error(f"has no '{key}'")
        value = self.fields[key]
        if type(value) not in kinds:
            words = " or ".join("null" if kind is type(None) else kind.__name__ for kind in kinds)
            raise self.error(f"'{key}' must be {words}, not {value!r}")
        return value

    def number(self, key: str) -> int:
        value = self.get(key, int)
        if value < 0:
            raise self.error(f"'{key}' must be 0 or more, not {value}")
        return value

    def code(self, key: str, codes: type[AnyCodes]) -> AnyCodes:
        """The member of ``codes`` whose lower-case name is in the field."""
        word = self.get(key, str)
        if word.upper() not in codes.__members__ or word != word.lower():
            raise self.error(f"{key} '{word}' is not known")
        return codes[word.upper()]

    def optional_code(self, key: str, codes: type[Codes]) -> int:
        return -1 if self.get(key, str, type(None)) is None else self.code(key, codes)

    def strings(self, key: str) -> list[str]:
        values = self.get(key, list)
        if not all(type(value) is str for value in values):
            raise self.error(f"'{key}' must be a list of words, not {values!r}")
        return values

    def part(self, key: str) -> Entry:
        return Entry(self.file, f"{self.name}: {key}", self.get(key, dict))

    def parts(self, key: str) -> list[Entry]:
        """The entries of a list, by number."""
        return [
            Entry(self.file, f"{self.name}: {key} {number}", fields)
            for number, fields in enumerate(self.get(key, list))
        ]


def read(file: str) -> Any:
    """Returns the parsed JSON or TOML of a file of this folder.

    Raises:
        DataError: the file is missing or malformed.
    """
    parse = tomllib.loads if file.endswith(".toml") else json.loads
    try:
        return parse((Path(__file__).parent / file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise DataError(f"{file}: cannot be read: {problem}") from problem


def entries_of(file: str, parsed: Any) -> list[Entry]:
    """The entries of a list; each has a unique ``id``."""
    if type(parsed) is not list:
        raise DataError(f"{file}: must be a list of entries")
    entries = [Entry(file, f"entry {number}", fields) for number, fields in enumerate(parsed)]
    entries = [Entry(file, entry.get("id", str), entry.fields) for entry in entries]
    for name, count in Counter(entry.name for entry in entries).items():
        if count > 1:
            raise DataError(f"{file}: {name}: appears {count} times")
    return entries


def check_order(entries: list[Entry], codes: type[Codes]) -> None:
    """Checks that the entries are the members of ``codes``, complete and in order.

    Raises:
        DataError: an entry is not the expected member; the message names the first such entry.
    """
    for entry, member in zip(entries, codes, strict=True):
        expected = member.name.lower().replace("_", "-")
        if entry.name != expected:
            raise entry.error(f"'{expected}' was expected here")
