"""The words of cards and characters in parts, and which part an option of the ruleset changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from wotr_env.games.war_of_the_ring.data.entry import Entry

_TITLES = {
    "precondition": "Condition",
    "effect": "",
    "discard_condition": "Discarded",
    "entry_condition": "Enters",
    "guide_ability": "As Guide",
    "activates": "Activates",
    "die_bonus": "Action dice",
}
"""How a part begins; of an ability its name."""
_ABILITIES = "abilities"
_DIE_BONUS = "die_bonus"


class Variant(NamedTuple):
    """What is printed instead where an option of the ruleset has a value."""

    option: str
    value: str
    """As records write it: ``same_deck``, ``true``."""
    parts: Mapping[str, str]


class Wording(NamedTuple):
    """What a card says."""

    parts: Mapping[str, str]
    """By their titles, in order; a part without a title comes first or stands alone."""
    variants: tuple[Variant, ...] = ()


def load_wording(entry: Entry, *keys: str) -> Wording:
    """The wording of an entry: those of its fields that are not null, and of its ``variants``.

    Args:
        entry: of a card or a character.
        keys: fields with text, in their order; ``abilities`` is a list of names with effects, ``die_bonus``
            a number.

    Raises:
        DataError: a field is no text, or a variant is malformed or of a part that the entry does not have.
    """
    parts = _parts(entry, keys)
    variants = []
    for variant in entry.parts("variants") if "variants" in entry.fields else ():
        option, _, value = variant.get("when", str).partition("=")
        changes = _parts(variant, tuple(key for key in keys if key in variant.fields))
        if not (option and value and changes) or not changes.keys() <= parts.keys():
            raise entry.error("a variant must have 'when', as option=value, and change parts of the entry")
        variants.append(Variant(option, value, changes))
    return Wording(parts, tuple(variants))


def _parts(entry: Entry, keys: tuple[str, ...]) -> dict[str, str]:
    parts = {}
    for key in keys:
        if key == _ABILITIES:
            parts.update({each.get("name", str): each.get("effect", str) for each in entry.parts(key)})
        elif key == _DIE_BONUS:
            if entry.number(key):
                parts[_TITLES[key]] = f"{entry.number(key)} more while in play"
        elif text := entry.get(key, str, type(None)):
            parts[_TITLES[key]] = text
    return parts
