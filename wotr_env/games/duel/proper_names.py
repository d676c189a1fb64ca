"""The names of the world of the Duel."""

from __future__ import annotations

from wotr_env.core.descriptions import ProperNames
from wotr_env.games.duel.components import LANDMARK_NAMES, REGION_NAMES

PROPER_NAMES = ProperNames(
    titles={"game": ("Duel for Middle-earth",), "landmark": LANDMARK_NAMES},
    words=(
        *((name,) for name in REGION_NAMES),
        ("Fellowship",),
        ("Sauron",),
        ("ring",),
        ("eagle", "Eagles"),
        ("elf", "elves"),
        ("ent", "ents"),
        ("hobbit", "hobbits"),
        ("human", "humans"),
        ("dwarf", "dwarves"),
        ("wizard", "wizards"),
    ),
    actions={},
)
