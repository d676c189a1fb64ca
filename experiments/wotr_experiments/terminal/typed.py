"""Comparisons of typed texts with names and words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from wotr_env.core.spelling import some_of

_NAMED = 4
"""Maximal number of listed meanings of an ambiguous text."""


def plain(text: str) -> str:
    """A text without case, accents and punctuation, for comparisons."""
    letters = unicodedata.normalize("NFKD", text).casefold()
    kept = "".join(letter for letter in letters if not unicodedata.combining(letter))
    kept = kept.replace("'", "").replace("\u2019", "")
    return " ".join(re.findall(r"\w+", kept))


def words_begin(wanted: str, text: str) -> bool:
    """Whether the wanted words are beginnings of words of the text, in order; both normalised."""
    words = iter(text.split())
    return all(any(word.startswith(part) for word in words) for part in wanted.split())


def has_symbols(text: str) -> bool:
    """Whether a typed text contains non-ASCII symbols, such as a snowman, and so is a typing error."""
    return any(not each.isascii() and unicodedata.category(each)[0] in "SC" for each in text)


def find_named(names: Sequence[str], text: str) -> list[int]:
    """The indices of the names that a text can mean: exact matches, otherwise matches at the beginning,
    otherwise matches of later words."""
    wanted, known = plain(text), [plain(name) for name in names]
    for fits in (str.__eq__, str.startswith, lambda name, begun: words_begin(begun, name)):
        if found := [place for place, name in enumerate(known) if wanted and fits(name, wanted)]:
            return found
    return []


def can_mean(text: str, meanings: Iterable[str]) -> str:
    """A message about an ambiguous text, with its first meanings."""
    return f"{text!r} can mean: {some_of(list(dict.fromkeys(meanings)), _NAMED)}"
