"""Atomic writing of files, so that a stopped run leaves no partial file."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from pathlib import Path
from typing import Any


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
