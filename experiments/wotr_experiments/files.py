"""Writing result files so that a stopped run leaves nothing half-written."""

from __future__ import annotations

import contextlib
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
    """Replaces a file by a text, or leaves it as it was.

    Raises:
        OSError: the file cannot be written, such as on a full disk.
    """
    scratch = path.with_name(path.name + ".new")
    try:
        scratch.write_text(text, encoding="utf-8")
        os.replace(scratch, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            scratch.unlink()
        if str(error.filename) == str(scratch):
            error.filename = str(path)
        raise


def drop_unfinished_line(path: Path) -> None:
    """Cuts a text file after its last line break; a run that was stopped while writing leaves such a rest.

    Raises:
        OSError: the file cannot be read or written.
    """
    with path.open("rb+") as file:
        data = file.read()
        file.truncate(data.rfind(b"\n") + 1)
