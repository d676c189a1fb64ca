"""What things are called for those who read and write text: by their own names, or by invented ones.

With invented names a player cannot use what it remembers of the world of a game, only what it is told.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from wotr_env.core.kind import GameKind
from wotr_env.core.telling import ProperNames

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 3
_ENDINGS = ("", "s", "n", "r", "l")
"""Of the forms of a word, in their order; all names before them are of the same length."""
_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")


class Naming:
    """The game's own names.

    Attributes:
        kind: the game.
        names: of the actions, by id.

    Args:
        kind: the game.
    """

    invented = False
    """Whether the names are invented."""

    def __init__(self, kind: GameKind) -> None:
        self.kind = kind
        self.names: tuple[str, ...] = kind.actions.names
        self._ids = kind.actions.ids

    def text(self, text: str) -> str:
        """What a player is told in place of a text of the game."""
        return text

    def original(self, text: str) -> str:
        """The inverse of ``text``, for those who read what a player wrote."""
        return text

    def find(self, name: str) -> int | None:
        """The id of the action of a name; None: no action has it."""
        return self._ids.get(name)

    def seat(self, name: str) -> str:
        """What programs are told in place of the name of a seat."""
        return name

    def hello(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """What programs are told in place of the first message of the protocol."""
        return dict(message)

    def grammar(self) -> str:
        """The names of all actions, a line for each block, with what they point at where that is not plain.

        Invented names are sorted, so that their places tell nothing.
        """
        blocks: dict[str, list[str]] = {}
        known = {} if self.kind.proper_names is None else self.kind.proper_names.actions
        for own, name in zip(self.kind.actions.names, self.names, strict=True):
            block, colon, member = name.partition(":")
            title = self.text(known.get(own, ""))
            plain = not title or _slug(title) == member
            if block != "unused":
                told = f"{member if plain else f'{member} ({title})'}"
                blocks.setdefault(f"{block}{colon}", []).append(told)
        for members in blocks.values():
            if self.invented and not members[0].isdigit():
                members.sort()
        return "\n".join(f"  {block} {', '.join(members)}".rstrip() for block, members in blocks.items())


class Renaming(Naming):
    """Invented names in place of those of the game's world (``GameKind.proper_names``).

    The same name always becomes the same other one, and no two become the same.

    Args:
        kind: the game.
        seed: from which the names follow, together with the game.

    Raises:
        ValueError: the game does not tell its names.
    """

    invented = True

    def __init__(self, kind: GameKind, seed: int) -> None:
        super().__init__(kind)
        if kind.proper_names is None:
            raise ValueError(f"{kind.title} does not tell its names, so it cannot be renamed")
        self._invented = _invent(kind.proper_names, random.Random(f"{kind.name} {seed}"))
        self._pattern = _any_of(self._invented)
        self._slugs = {_slug(own): _slug(other) for own, other in self._invented.items()}
        back = {other: own for own, other in reversed(self._invented.items())}
        self._back = {**{_slug(other): _slug(own) for other, own in back.items()}, **back}
        self._back_pattern = _any_of(self._back)
        self.names = tuple(self._action(name, kind.proper_names) for name in kind.actions.names)
        self._ids = {name: number for number, name in enumerate(self.names)}
        if len(self._ids) < len(self.names):
            raise ValueError(f"two actions of {kind.title} have the same invented name")

    def text(self, text: str) -> str:
        """What a player is told in place of a text of the game; it has no accents."""
        return self._pattern.sub(lambda found: self._invented[found[0]], _plain(text))

    def original(self, text: str) -> str:
        """A text with invented names, with the game's own in place of them."""
        return self._back_pattern.sub(lambda found: self._back[found[0]], text)

    def seat(self, name: str) -> str:
        """What programs are told in place of the name of a seat."""
        return self._slugged(name.replace("_", "-")).replace("-", "_")

    def hello(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """What programs are told in place of the first message: the invented names of actions, sorted; no
        names of parts of observations."""
        game = _slug(self.text(self.kind.title))
        return {**message, "game": game, "actions": sorted(self.names), "fields": []}

    def _action(self, name: str, known: ProperNames) -> str:
        block, colon, rest = name.partition(":")
        if name in known.actions:
            return f"{block}:{_slug(self.text(known.actions[name]))}"
        return block + colon + ":".join(map(self._slugged, rest.split(":")))

    def _slugged(self, part: str) -> str:
        """A part of an action's name: of one thing, or of words."""
        return self._slugs.get(part) or "-".join(self._slugs.get(word, word) for word in part.split("-"))


def _invent(known: ProperNames, dice: random.Random) -> dict[str, str]:
    """An invented name for each name and each form of it, without accents."""
    taken: set[str] = set()
    found: dict[str, str] = {}
    titles = [(_plain(title),) for titles in known.titles.values() for title in titles]
    for forms in [*dict.fromkeys(titles), *(tuple(map(_plain, forms)) for forms in known.words)]:
        stem = _stem(dice)
        while stem in taken:
            stem = _stem(dice)
        taken.add(stem)
        for form, ending in zip(forms, _ENDINGS, strict=False):
            for own, other in _cases(form, stem + ending):
                found.setdefault(own, other)
    return found


def _cases(form: str, other: str) -> Iterator[tuple[str, str]]:
    """A form as it is, and one in lower case with a capital too."""
    if form[0].islower():
        yield form, other
        yield form[0].upper() + form[1:], other.capitalize()
    else:
        yield form, other.capitalize()


def _stem(dice: random.Random) -> str:
    return "".join(dice.choice(_CONSONANTS) + dice.choice(_VOWELS) for _ in range(_SYLLABLES))


def _any_of(names: dict[str, str]) -> re.Pattern[str]:
    """Any of the names as whole words, the longest first."""
    longest = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest))})(?![^\W_])")


def _plain(text: str) -> str:
    """Without accents."""
    parts = unicodedata.normalize("NFD", text)
    return "".join(part for part in parts if not unicodedata.combining(part)).replace("\u2019", "'")


def _slug(title: str) -> str:
    """``Helm's Deep`` as actions have it: ``helms-deep``."""
    return _NOT_IN_SLUGS.sub("-", _plain(title).lower().replace("'", "")).strip("-")


def naming_of(kind: GameKind, renamed: int | None) -> Naming:
    """The game's own names (None), or those invented from a seed.

    Raises:
        ValueError: the game does not tell its names.
    """
    return Naming(kind) if renamed is None else Renaming(kind, renamed)
