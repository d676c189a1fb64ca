"""Output on consoles whose encoding lacks some characters: each is replaced by what reads best."""

from __future__ import annotations

import codecs
import contextlib
import io
import sys
import unicodedata

_ERRORS = "wotr_experiments.plain"
_PLAIN = str.maketrans("■◆●▲·…─▁▂▃▄▅▆▇█", "#%o^..-_.:-=+*#")
_PLAIN |= str.maketrans({"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{FRACTION SLASH}": "/", "±": "+-"})
"""Marks of maps, bars and curves, each of the same width where it can be."""
_UNKNOWN = "?"


def fit_streams() -> None:
    """No character that is printed, or piped in, raises an error of encoding in this process from here on."""
    codecs.register_error(_ERRORS, _replaced)
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, _ERRORS), (sys.stderr, _ERRORS)):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):  # closed, or already read from
                stream.reconfigure(errors=errors)


def plain_character(character: str) -> str:
    """ASCII for a character: a letter without its accents, a mark that looks alike, or a question mark."""
    plain = unicodedata.normalize("NFKD", character.translate(_PLAIN)).translate(_PLAIN)
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    return letters if letters and letters.isascii() else _UNKNOWN


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """The handler of errors of encoding."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(plain_character, error.object[error.start : error.end])), error.end
