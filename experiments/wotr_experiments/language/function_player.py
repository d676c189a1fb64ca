"""Runs a Python function from text to text as a program of the text protocol.

    python -m wotr_experiments.language.function_player MODULE:FUNCTION

Output of the function goes to stderr, since stdout is for the protocol. This module does not import the
package.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any


def find_function(name: str) -> Callable[[str], Any]:
    """The function with a name, ``module:function``.

    Raises:
        ValueError: there is no such module or function, or the module cannot be imported.
    """
    module_name, _, function_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"module {module_name} cannot be imported: {why}") from error
    found = getattr(module, function_name, None)
    if not callable(found):
        raise ValueError(f"module {module_name} has no function {function_name}")
    return found


def source_of(name: str) -> str:
    """A hash of the file of a function's module, 16 hex digits; empty if there is no file."""
    path = getattr(sys.modules.get(name.partition(":")[0]), "__file__", None)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path else ""


def main(name: str) -> None:
    """Answers the messages on stdin until it ends."""
    protocol = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(**message: Any) -> None:
        print(json.dumps(message), file=protocol, flush=True)

    function: Callable[[str], Any] | None = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            try:
                function = find_function(name)
            except ValueError as error:
                say(type="error", message=str(error))
                return
            say(type="ready", version=1, name=source_of(name))
        elif message["type"] == "prompt" and function is not None:
            try:
                text = function(message["text"])
                if not isinstance(text, str):
                    raise TypeError(f"{name} must answer with a text, not with {text!r}")
            except Exception as error:
                traceback.print_exc()
                say(type="error", id=message["id"], message=f"{type(error).__name__}: {error}")
            else:
                say(type="answer", id=message["id"], text=text)
        elif message["type"] == "end":
            return


if __name__ == "__main__":
    main(sys.argv[1])
