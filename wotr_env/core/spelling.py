"""Reads names of players and sides in all usual spellings (``free-peoples``, ``Free Peoples``, ``FP``,
``free``), and prints lists and counts.

Case, hyphens, underscores and spaces are ignored, and so are a leading ``the`` and the number of a PettingZoo
agent (``shadow_0``). Initials or the beginning of a name suffice if they are unambiguous. Names are always
printed in one form: ``free-peoples``.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal, SupportsInt

_GAP = re.compile(r"[\s_-]+")
_AGENT = re.compile(r"-\d+$")
_FEWEST_LETTERS = 2
"""Minimal number of letters of an abbreviated name."""


def canonical_name(name: str) -> str:
    """The printed form of a name: ``free-peoples``."""
    return _GAP.sub("-", name.strip().lower())


def without_accents(text: str, form: Literal["NFD", "NFKD"] = "NFKD") -> str:
    """Replaces accented letters of a text by plain ones.

    Args:
        text: any text.
        form: how characters are decomposed; NFKD also replaces ligatures, fractions and the like.
    """
    letters = unicodedata.normalize(form, text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def match_name(given: str, names: Sequence[Sequence[str]]) -> int | None:
    """The index of the name that a person has typed; None if no name matches, or if several do.

    Args:
        given: what was typed.
        names: for each item all its names, the main name first.
    """
    whole = canonical_name(given).removeprefix("the-")
    forms = [{canonical_name(name) for name in each} for each in names]
    named = [place for place, known in enumerate(forms) if whole in known]
    if named:  # a name may end with a number of its own
        return named[0] if len(named) == 1 else None
    wanted = _AGENT.sub("", whole)
    initials = [{"".join(word[0] for word in form.split("-") if word) for form in each} for each in forms]
    beginnings = [
        {form[:length] for form in each for length in range(_FEWEST_LETTERS, len(form))} for each in forms
    ]
    for each in (forms, [{one for one in each if len(one) > 1} for each in initials], beginnings):
        found = [place for place, known in enumerate(each) if wanted in known]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def known_names(names: Iterable[str]) -> str:
    """Names for a message: ``free-peoples, shadow``."""
    return ", ".join(map(canonical_name, names))


def some_of(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """At most ``most`` of the names, and the number of the others: ``Moria, Rohan and 3 more``."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return separator.join(names[:most]) + more


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: ``; did you mean mordor_idle?``; empty if no known name is
    similar."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def capital(text: str) -> str:
    """The text with its first letter in upper case; unlike ``str.capitalize`` it keeps the others."""
    return text[:1].upper() + text[1:]


def counted(number: SupportsInt, one: str, many: str | None = None) -> str:
    """``1 coin``, ``2 coins``, ``2 dice``; ``many`` is by default ``one`` with an s."""
    return f"{int(number)} {one if int(number) == 1 else many or one + 's'}"
