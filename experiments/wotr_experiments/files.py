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
