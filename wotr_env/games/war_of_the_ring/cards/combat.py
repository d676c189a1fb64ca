"""The Combat halves of the event cards as constant tables for the rules (``data/combat_programs.toml``).

A *title* is one of the 38 Combat effects; several cards share one.
"""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.cards.tables import constant_table
from wotr_env.games.war_of_the_ring.components import NUM_REGIONS
from wotr_env.games.war_of_the_ring.data import board, entry, pieces
from wotr_env.games.war_of_the_ring.data.combat_programs import FILE, load_combat_programs

_regions = board.load_regions(entry.read("regions.json"))
_programs, _titles = load_combat_programs(
    entry.read(FILE),
    entry.read("event_cards.json"),
    _regions,
    pieces.load_characters(entry.read("characters.json")),
)

COMBAT_TITLE = constant_table(_titles)
"""``int64[96]``: the title of each card."""
COMBAT_CONDITION = constant_table([program.condition for program in _programs])
"""``int64[38, 2, 3]``: tests that must all hold, each a ``CombatTest`` and two numbers."""
COMBAT_REGIONS = constant_table(
    [[region in program.regions for region in range(NUM_REGIONS)] for program in _programs]
)
"""``int64[38, 105]``: flag, the regions of the test ``DEFENDER_IN``."""
COMBAT_PROGRAM = constant_table([program.effects for program in _programs])
"""``int64[38, 2, 7]``: effects in order: ``BattleStage`` (-1: none), ``CombatOp``, ``When``, numbers."""
COMBAT_INITIATIVE = constant_table([program.initiative for program in _programs])
"""``int64[38, 2]``: the printed number of each effect (R7.9.4, second edition)."""
COMBAT_FROM_TABLE = constant_table([program.from_table for program in _programs])
"""``int64[38]``: flag, the card may be committed from the table (R6.5.5)."""
