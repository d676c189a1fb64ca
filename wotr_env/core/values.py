"""Checks of external values, such as files and arguments. A function returns the value or raises an error of
one line."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

MOST_BYTES = 64 * 2**20
"""Maximal size of a document, or of a line of records, in bytes."""


def open_file(path: str | Path) -> io.BufferedReader:
    """Opens a regular file for reading; refuses pipes and devices, which may never end.

    Raises:
        OSError: the file cannot be opened, or it is a folder, a pipe or a device.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "folder" if stat.S_ISDIR(mode) else "pipe or a device"
        raise OSError(errno.EINVAL, f"it is a {what}, not a regular file", str(path))
    return open(descriptor, "rb")


def read_bytes(path: str | Path, most: int | None = None) -> bytes:
    """The contents of a file.

    Raises:
        OSError: as ``open_file``, or the file is larger than ``most`` bytes, by default ``MOST_BYTES``.
    """
    most = MOST_BYTES if most is None else most
    with open_file(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most // 2**20} MiB", str(path))
    return data


def read_text(path: str | Path) -> str:
    """The text of a file; raises as ``read_bytes``, and UnicodeDecodeError if it is not UTF-8."""
    return text_of(read_bytes(path))


def text_of(data: bytes) -> str:
    """Decodes UTF-8, without the byte-order mark that some programs write.

    Raises:
        UnicodeDecodeError: the data are not UTF-8.
    """
    return data.decode("utf-8-sig")


def without_mark(text: str) -> str:
    """A text without its byte-order mark."""
    return text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")


def check_seed(seed: Any) -> int:
    """The seed as an ``int``.

    Raises:
        ValueError: the seed is not an integer, or not in 0 <= seed < 2**63.
    """
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise ValueError(f"a seed is an integer with 0 <= seed < 2**63, not {seed!r}")
    return int(seed)


def check_bonus(bonus: Any) -> float:
    """The individual bonus in rewards as a ``float``.

    Raises:
        ValueError: the bonus is not a number, or not finite.
    """
    if isinstance(bonus, bool) or not isinstance(bonus, (int, float, np.number)) or not np.isfinite(bonus):
        raise ValueError(f"the individual bonus is a finite number, not {bonus!r}")
    return float(bonus)


def check_fields(values: Any, names: Sequence[str], what: str) -> None:
    """Raises ValueError unless ``values`` is a dict with exactly these keys; ``what`` names the dict in the
    message."""
    if not isinstance(values, dict):
        raise ValueError(f"a {what} is an object with {', '.join(names)}, not {values!r}")
    unknown = [name for name in values if name not in names]
    missing = [name for name in names if name not in values]
    if unknown:
        raise ValueError(f"unknown field {unknown[0]!r} in the {what}; known: {', '.join(names)}")
    if missing:
        raise ValueError(f"the {what} has no field {missing[0]!r}")


def check_integer(what: str, value: Any, low: int, high: int) -> int:
    """The value; raises ValueError unless it is an integer in the range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{what} is an integer from {low} to {high}, not {value!r}")
    return value


def check_member(codes: type[IntEnum], name: Any) -> Any:
    """The member with this name in lower case; raises ValueError if there is none."""
    names = [member.name.lower() for member in codes]
    if name not in names:
        raise ValueError(f"{codes.__name__.lower()} is one of {', '.join(names)}, not {name!r}")
    return codes[name.upper()]
