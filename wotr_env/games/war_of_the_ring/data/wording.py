"""The texts of cards and characters in parts, and the parts that an option of the ruleset changes."""

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
"""The heading of each part; the heading of an ability is its name."""
_ABILITIES = "abilities"
_DIE_BONUS = "die_bonus"


class Variant(NamedTuple):
    """The text that replaces a part if an option of the ruleset has a certain value."""

    option: str
    value: str
    """The value in the form of records: ``same_deck``, ``true``."""
    parts: Mapping[str, str]


class Wording(NamedTuple):
    """The text of a card or a character."""

    parts: Mapping[str, str]
    """The parts by their titles, in order; a part without a title is the first or the only one."""
    variants: tuple[Variant, ...] = ()


def load_wording(entry: Entry, *keys: str) -> Wording:
    """The wording of an entry: its fields that are not null, and its ``variants``.

    Args:
        entry: the entry of a card or a character.
        keys: the fields with text, in order; ``abilities`` is a list of names with effects, ``die_bonus`` a
            number.

    Raises:
        DataError: a field is not a text, or a variant is malformed or belongs to a part that the entry does
            not have.
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
