"""The names of the world of The Two Towers."""

from __future__ import annotations

from wotr_env.core.descriptions import ProperNames
from wotr_env.games.two_towers.components import LOCATIONS

PROPER_NAMES = ProperNames(
    titles={"game": ("The Two Towers",), "location": LOCATIONS},
    words=(("gandalf",), ("ring",)),
    actions={},
)
