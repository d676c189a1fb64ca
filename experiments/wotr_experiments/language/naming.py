"""Names in texts for players in text: the game's own names, or invented ones.

With invented names, players cannot use remembered knowledge of a game's world.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from wotr_env.core.descriptions import ProperNames
from wotr_env.core.kind import GameKind
from wotr_env.core.spelling import capital, without_accents

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 3
_ENDINGS = ("", "s", "n", "r", "l")
"""Endings of the forms of an invented word, in order; the part before the ending has the same length in all
names."""
_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")


class Naming:
    """The game's own names.

    Attributes:
        kind: the game.
        names: names of the actions, by id.

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
        """A text of the game as players receive it."""
        return text

    def original(self, text: str) -> str:
        """The inverse of ``text``, to read texts of players."""
        return text

    def find(self, name: str) -> int | None:
        """The id of the action with this name; None if there is no such action."""
        return self._ids.get(name)

    def seat(self, name: str) -> str:
        """The name of a seat as programs receive it."""
        return name

    def hello(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The first message of the protocol as programs receive it."""
        return dict(message)

    def grammar(self) -> str:
        """The names of all actions, one line per block, with the objects of actions where names do not show
        them.

        Invented names are sorted, so their order reveals nothing.
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
    """Replaces the names of the game's world (``GameKind.proper_names``) by invented names.

    The replacement is one-to-one: the same name always becomes the same invented name.

    Args:
        kind: the game.
        seed: seed of the names; they also depend on the game.

    Raises:
        ValueError: the game does not declare its proper names.
    """

    invented = True

    def __init__(self, kind: GameKind, seed: int) -> None:
        super().__init__(kind)
        if kind.proper_names is None:
            raise ValueError(f"{kind.title} cannot be renamed: it does not declare its proper names")
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
        """A text of the game with invented names, without accents."""
        return self._pattern.sub(lambda found: self._invented[found[0]], _plain(text))

    def original(self, text: str) -> str:
        """A text with the game's own names instead of invented ones."""
        return self._back_pattern.sub(lambda found: self._back[found[0]], text)

    def seat(self, name: str) -> str:
        """The name of a seat as programs receive it."""
        return self._slugged(name.replace("_", "-")).replace("-", "_")

    def hello(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The first message with the invented names of actions, sorted, and without names of parts of
        observations."""
        game = _slug(self.text(self.kind.title))
        return {**message, "game": game, "actions": sorted(self.names), "fields": []}

    def _action(self, name: str, known: ProperNames) -> str:
        block, colon, rest = name.partition(":")
        if name in known.actions:
            return f"{block}:{_slug(self.text(known.actions[name]))}"
        return block + colon + ":".join(map(self._slugged, rest.split(":")))

    def _slugged(self, part: str) -> str:
        """A part of an action's name, for one object or for words."""
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
    """A form itself; if it is in lower case, also its capitalised form."""
    if form[0].islower():
        yield form, other
        yield capital(form), other.capitalize()
    else:
        yield form, other.capitalize()


def _stem(dice: random.Random) -> str:
    return "".join(dice.choice(_CONSONANTS) + dice.choice(_VOWELS) for _ in range(_SYLLABLES))


def _any_of(names: dict[str, str]) -> re.Pattern[str]:
    """A pattern of the names as whole words, longest first."""
    longest = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest))})(?![^\W_])")


def _plain(text: str) -> str:
    """A text without accents."""
    return without_accents(text, "NFD").replace("\u2019", "'")


def _slug(title: str) -> str:
    """A name in the form of action names: ``helms-deep`` for ``Helm's Deep``."""
    return _NOT_IN_SLUGS.sub("-", _plain(title).lower().replace("'", "")).strip("-")


def naming_of(kind: GameKind, renamed: int | None) -> Naming:
    """The game's own names (None), or invented names from a seed.

    Raises:
        ValueError: the game does not declare its proper names.
    """
    return Naming(kind) if renamed is None else Renaming(kind, renamed)
