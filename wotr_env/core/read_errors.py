"""Short explanations of why external data could not be read, instead of Python's messages."""

from __future__ import annotations

import binascii
import json
import re
import zipfile

_UNKNOWN = re.compile(r"got an unexpected keyword argument '(\w+)'")
_MISSING = re.compile(r"missing \d+ required (?:positional|keyword-only) arguments?: (.+)$")
_SPEAKING = re.compile(
    r"argument after \*|object is not|object has no|object does not|indices must be|unhashable type"
    r"|unsupported operand|not supported between|\(\) (?:takes|argument)|must be .+, not |can't convert"
    r"|argument must be|object of type"
)
"""Python's messages about a value of the wrong type."""
_HEADER = re.compile(r"^Error while deserializing header: ?")


def reason(error: BaseException) -> str:
    """A clause to put after a colon: ``'seed' is missing``, ``it is not JSON (column 2)``.

    Messages of this package are not changed.
    """
    for kind, words in _WORDS.items():
        if isinstance(error, kind):
            return words
    if isinstance(error, json.JSONDecodeError):
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        return f"it is not JSON ({line}column {error.colno})"
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 text (byte {error.start + 1})"
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing" if error.args else "something is missing"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    text = str(error)
    if isinstance(error, TypeError):
        return _of_type(text)
    if type(error).__name__ == "SafetensorError":
        return f"it is damaged or of another format ({_HEADER.sub('', text)})"
    return text.splitlines()[0] if text else type(error).__name__


_WORDS: dict[type[BaseException], str] = {
    RecursionError: "it is nested too deeply",
    AttributeError: "a value in it has the wrong type",
    IndexError: "a part of it is missing",
    EOFError: "it ends too early",
    binascii.Error: "it is damaged",
    zipfile.BadZipFile: "it is damaged",
}


def _of_type(text: str) -> str:
    """An explanation of Python's own TypeErrors; other messages are kept."""
    if found := _UNKNOWN.search(text):
        return f"{found[1]!r} is unknown"
    if found := _MISSING.search(text):
        return f"{found[1]} {'are' if ' and ' in found[1] else 'is'} missing"
    return _WORDS[AttributeError] if _SPEAKING.search(text) else text
