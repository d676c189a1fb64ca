"""Writing result files so that a stopped run leaves nothing half-written."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Any) -> None:
    """Replaces a file by a JSON text, or leaves it as it was.

    Raises:
        OSError: the file cannot be written, such as on a full disk.
    """
    write_text(path, json.dumps(value, indent=2) + "\n")


def write_text(path: Path, text: str) -> None:
    """As ``write_bytes``, a text in UTF-8."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Replaces a file, or leaves it as it was.

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
