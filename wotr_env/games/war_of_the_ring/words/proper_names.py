"""The names of the world of War of the Ring. Terms of the rules, such as Hunt or Companion, are not among
them."""

from __future__ import annotations

from wotr_env.core.descriptions import ProperNames
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, Block
from wotr_env.games.war_of_the_ring.codes import Face
from wotr_env.games.war_of_the_ring.components import (
    CARD_NAMES,
    CHARACTER_NAMES,
    CHARACTER_WORDINGS,
    COMBAT_NAMES,
    REGION_NAMES,
)

_THE = "The "
_RULES_PARTS = ("", "Condition", "Enters", "As Guide", "Activates", "Action dice")
"""Parts of the wording of a character that are not names of abilities."""
_WORDS = (
    # sides, nations and peoples
    ("Free Peoples",),
    ("Shadow",),
    ("Fellowship",),
    ("Ring-bearers", "Ring-bearer"),
    ("Elven Rings", "Elven Ring"),
    ("Ring",),
    ("Dwarf", "Dwarves", "Dwarven"),
    ("Elf", "Elves", "Elven"),
    ("Hobbit", "Hobbits"),
    ("Nazgul",),
    ("Gondor",),
    ("North",),
    ("Rohan",),
    ("Sauron",),
    ("Isengard",),
    ("Southron", "Southrons"),
    ("Easterling", "Easterlings"),
    ("Dunlending", "Dunlendings"),
    ("Ent", "Ents"),
    # characters
    ("Gandalf",),
    ("Grey",),
    ("White",),
    ("Strider",),
    ("Boromir",),
    ("Legolas",),
    ("Gimli",),
    ("Meriadoc",),
    ("Brandybuck",),
    ("Peregrin",),
    ("Took",),
    ("Aragorn",),
    ("Heir",),
    ("Isildur",),
    ("Gollum",),
    ("Witch-king",),
    ("Mouth",),
    ("Saruman",),
    ("Balrog",),
    # things, and places that are no regions, or are called otherwise in texts
    ("Palantir",),
    ("Mordor",),
    ("Mirkwood",),
    ("Shire",),
)


def _named() -> dict[str, str]:
    """The cards, characters and die faces at which actions point."""
    named = {ACTION_NAMES[Block.CARD + card]: name for card, name in enumerate(CARD_NAMES)}
    named |= {ACTION_NAMES[Block.CHARACTER + who]: name for who, name in enumerate(CHARACTER_NAMES)}
    return named | {ACTION_NAMES[Block.FACE + Face.WILL]: "Will of the West"}


PROPER_NAMES = ProperNames(
    titles={
        "game": ("War of the Ring",),
        "region": tuple(name for name in REGION_NAMES if not name.startswith(_THE)),
        "card": CARD_NAMES,
        "combat card": tuple(dict.fromkeys(COMBAT_NAMES)),
        "ability": tuple(
            dict.fromkeys(
                part for wording in CHARACTER_WORDINGS for part in wording.parts if part not in _RULES_PARTS
            )
        ),
        "die face": ("Will of the West",),
    },
    words=_WORDS,
    actions=_named(),
)
