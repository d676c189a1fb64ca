"""Output on consoles with limited encodings: unsupported characters are replaced by similar ones."""

from __future__ import annotations

import codecs
import contextlib
import io
import sys

from wotr_env.core.spelling import without_accents

_ERRORS = "wotr_experiments.plain"
_PLAIN = str.maketrans("■◆●▲·…─▁▂▃▄▅▆▇█", "#%o^..-_.:-=+*#")
_PLAIN |= str.maketrans({"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{FRACTION SLASH}": "/", "±": "+-"})
"""Replacements for marks of maps, bars and curves, of the same width if possible."""
_UNKNOWN = "?"


def fit_streams() -> None:
    """Sets up the standard streams so that no character raises an encoding error."""
    codecs.register_error(_ERRORS, _replaced)
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, _ERRORS), (sys.stderr, _ERRORS)):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):  # closed, or already read from
                stream.reconfigure(errors=errors)


def plain_character(character: str) -> str:
    """An ASCII replacement: a letter without accents, a similar mark, or a question mark."""
    letters = without_accents(character.translate(_PLAIN)).translate(_PLAIN)
    return letters if letters and letters.isascii() else _UNKNOWN


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """The handler of encoding errors."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(plain_character, error.object[error.start : error.end])), error.end
