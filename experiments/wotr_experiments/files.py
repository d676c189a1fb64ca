"""Atomic writing of files, so that a stopped run leaves no partial file."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
from pathlib import Path
from typing import Any

from wotr_experiments.errors import CommandError

_READ = 256
"""Number of bytes of an existing file that are compared with a start."""


CONFIG = "config.json"
"""The file that every folder of a training run has."""
HTML_PAGE = "(?i)<!doctype html"
"""The start of an HTML page, for ``check_output``."""


def check_output(path: Path, start: str, what: str) -> None:
    """Checks before long work that its result can be written, and replaces no file of another kind.

    Args:
        path: the file to write.
        start: a pattern of the start of files that may be replaced.
        what: these files in words, such as ``a page``.

    Raises:
        CommandError: the folder does not exist, ``path`` is a folder, or a file there is not such a file.
        OSError: the file there cannot be read.
    """
    if not path.absolute().parent.is_dir():
        raise CommandError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.is_dir():
        raise CommandError(f"{path} is a folder, not a file to write to")
    if path.is_file():
        with path.open("rb") as file:
            found = file.read(_READ).decode("utf-8", "replace").lstrip("\ufeff \r\n")
        if found and not re.match(start, found):
            raise CommandError(f"{path} exists and is not {what}; give another file")


def write_json(path: Path, value: Any) -> None:
    """Writes a JSON file; after an error the old file is unchanged.

    Raises:
        OSError: the file cannot be written, such as on a full disk.
    """
    write_text(path, json.dumps(value, indent=2) + "\n")


def write_text(path: Path, text: str) -> None:
    """As ``write_bytes``, for a text in UTF-8."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file; after an error the old file is unchanged.

    Raises:
        OSError: the file cannot be written, such as on a full disk, or is a folder or a device.
    """
    if path.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is a device, not a file to write to", str(path))
    scratch = path.with_name(path.name + ".new")
    try:
        scratch.write_bytes(data)
        os.replace(scratch, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            scratch.unlink()
        if str(error.filename) == str(scratch):
            error.filename = str(path)
        raise
