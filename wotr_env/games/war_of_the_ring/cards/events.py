"""The programs of the event cards as constant tables for the rules (``data/event_programs.toml``)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.cards.tables import constant_table
from wotr_env.games.war_of_the_ring.data import entry, pieces
from wotr_env.games.war_of_the_ring.data.event_programs import FILE, load_event_programs

_cards = pieces.load_cards(entry.read("event_cards.json"))
_programs = load_event_programs(
    entry.read(FILE),
    _cards,
    pieces.load_tiles(entry.read("hunt_tiles.json"), _cards),
    pieces.load_characters(entry.read("characters.json")),
)

EVENT_OPS = constant_table([program.operations for program in _programs])
"""``int64[96, 4, 8]``: the operations of each card in order: ``Op`` (0: the end), parameters."""
EVENT_NATIONS = constant_table([program.nations for program in _programs])
"""``int64[96]``: the nations of its own side that a card names, one bit each (R13.2.5)."""
EVENT_CONDITIONS = constant_table([program.conditions for program in _programs])
"""``int64[96, 2, 8]``: the conditions for playing a card: ``Condition`` (0: none), parameters."""
