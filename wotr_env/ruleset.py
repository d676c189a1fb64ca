"""Rulesets: the editions and their options as data (section 16 of the rules), carried inside every state.

The values of an option are the members of a ``Codes`` enum, which a ``Ruleset`` names in lower case, or a
number; a ``Switch`` is True or False there. Rules read ``state.options[Option.NAME]`` and compare it with a
member of the option's enum.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from wotr_env.codes import Side
from wotr_env.compiler.codes import Codes
from wotr_env.kind import Seat


class DwarfSetup(Codes):
    FIRST = 0
    SECOND = 1


class HuntAllocMin(Codes):
    ZERO = 0
    ONE_AFTER_MOVE = 1


class HuntAllocMax(Codes):
    COMPANIONS_OR_GOLLUM = 0
    COMPANIONS_AT_LEAST_ONE = 1


class HuntDiceCount(Codes):
    ALL_DICE = 0
    SHADOW_DICE = 1


class Switch(Codes):
    OFF = 0
    ON = 1


class HuntTableCards(Codes):
    UNLIMITED = 0
    ONE_PER_TILE = 1


class HuntSequence(Codes):
    ANY_ORDER = 0
    FIXED = 1


class RevealForbidden(Codes):
    FP_SETTLEMENT = 0
    FP_CITY_OR_STRONGHOLD = 1


class RevealMoves(Codes):
    MAY_STAY = 0
    MUST_LEAVE = 1


class StrongholdTileOn(Codes):
    REVEAL = 0
    DECLARE_OR_REVEAL = 1


class MordorEntry(Codes):
    DECLARE = 0
    FIGURE_PRESENT = 1


class MordorMandatoryDeclare(Codes):
    FIGURE_THERE = 0
    REACHABLE = 1
    NEVER = 2


class MordorPoolReset(Codes):
    ALL_STANDARD = 0
    EYE_ONLY = 1


class MordorIdle(Codes):
    MOVE = 0
    MOVE_OR_HIDE = 1


class CombatCardOrder(Codes):
    DEFENDER_FIRST = 0
    INITIATIVE = 1


class DieBonusTiming(Codes):
    NEXT_TURN = 0
    AT_ONCE = 1


class DieSkip(Codes):
    ALWAYS = 0
    FORCED_ONLY = 1


class OverstackVoluntary(Codes):
    ILLEGAL = 0
    DISBAND = 1


class StackingCheck(Codes):
    """When armies are trimmed under ``overstack_voluntary="disband"``; else no move exceeds the limit."""

    EACH_MOVE = 0
    END_OF_ACTION = 1


class RetreatInto(Codes):
    FREE = 0
    FREE_FOR_MOVEMENT = 1


class CompanionActivation(Codes):
    END_OF_MOVE = 0
    ANY_REGION_ENTERED = 1


class FpMilitary(Codes):
    STRONGHOLDS_AND_CITIES = 0
    STRONGHOLDS_ONLY = 1


class GandalfGreyGuide(Codes):
    CHARACTER_CARD = 0
    SAME_DECK = 1


class WitchKingEntry(Codes):
    SAURON = 0
    SAURON_AND_FREE_PEOPLES = 1


class SorcererDeck(Codes):
    EITHER = 0
    SAME = 1


class HobbitAbility(Codes):
    BEFORE_CASUALTY = 0
    FIXED_SEQUENCE = 1


class TakeThemAlive(Codes):
    OPTIONAL = 0
    FORCED = 1


class GollumTiles(Codes):
    ALL_NUMBERED = 0
    STANDARD_NUMBERED = 1


class CharacterDieLeader(Codes):
    GOES_ALONG = 0
    IN_ARMY = 1


class Option(Codes):
    """Index of each option in ``state.options``; the places left out are free."""

    PLAYERS = 0
    HAND_LIMIT = 1
    ASK_SINGLE = 2
    DWARF_SETUP = 3
    HUNT_ALLOC_MIN = 4
    HUNT_ALLOC_MAX = 5
    HUNT_DICE_COUNT = 6
    HUNT_ONE_FAILS = 7
    HUNT_TABLE_CARDS = 8
    HUNT_SEQUENCE = 9
    GUIDE_ABILITY_AFTER_CASUALTY = 10
    REVEAL_FORBIDDEN = 11
    STRONGHOLD_TILE_ON = 12
    MORDOR_ENTRY = 13
    MORDOR_MANDATORY_DECLARE = 14
    MORDOR_POOL_RESET = 15
    MORDOR_IDLE = 16
    BLUE_TILES_STOP = 17
    COMBAT_CARD_ORDER = 18
    COMBAT_CARD_BACK_VISIBLE = 19
    DIE_BONUS_TIMING = 20
    DIE_SKIP = 21
    NULL_EVENTS = 22
    TABLE_CARDS_NEED_CONDITION = 23
    OVERSTACK_VOLUNTARY = 24
    STACKING_CHECK = 25
    LEADERS_BOUND = 26
    COMPANION_ACTIVATION = 27
    FP_MILITARY = 28
    GANDALF_GREY_GUIDE = 29
    WITCH_KING_ENTRY = 30
    SORCERER_DECK = 31
    HOBBIT_ABILITY = 32
    GOLLUM_TILES = 33
    ENTS_EXTRA_CARD = 36
    BALROG_TABLE_COMBAT = 37
    CHARACTER_DIE_LEADER = 38
    CAPTURE_NEEDS_SURVIVOR = 42
    CARD_HITS_SPARE_CHARACTERS = 43
    REVEAL_MOVES = 48
    RETREAT_INTO = 49
    TAKE_THEM_ALIVE = 50


NUM_OPTIONS = 54
"""Places in ``state.options``, which observations show as they are."""


def _switch(default: bool) -> Any:
    return dataclasses.field(default=default, metadata={"values": Switch})


def _choice(codes: type[Codes], second: int | None = None) -> Any:
    """An option whose default is its first value; ``second`` is the second edition's value."""
    metadata = {"values": codes, "second": None if second is None else codes(second).name.lower()}
    return dataclasses.field(default=codes(0).name.lower(), metadata=metadata)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ruleset:
    """The rules a game is played by; ``Ruleset()`` is the first edition for two players.

    Each field is an option of section 16 of the rules: a word, a truth value or a number. Options with one
    value (``mordor_eye_counts``, ``extra_attack_casualties``, ``ring_on_eye_die``, ``last_battle_condition``,
    ``woses_condition``) are rules, not fields. Where the editions differ in words but not in play, the field
    says so; no rule reads it, but observations show it.

    Raises:
        ValueError: an option's value is not one of those allowed.
        TypeError: an option is unknown.
    """

    players: int = 2
    hand_limit: int = 6
    max_turns: int = 0
    """Turns after which the game is a draw; 0 for no limit (R12.7)."""
    ask_single: bool = _switch(False)
    """Also ask for decisions with one legal action, instead of taking it."""
    dwarf_setup: str = _choice(DwarfSetup, 1)
    hunt_alloc_min: str = _choice(HuntAllocMin, 1)
    hunt_alloc_max: str = _choice(HuntAllocMax, 1)
    """Both play alike: without Companions Gollum guides, and counts as one (R5.2.2)."""
    hunt_dice_count: str = _choice(HuntDiceCount, 1)
    hunt_one_fails: bool = _switch(True)
    hunt_table_cards: str = _choice(HuntTableCards, 1)
    hunt_sequence: str = _choice(HuntSequence, 1)
    """Both play alike: cards and the Guide's abilities never meet (R10.5.5)."""
    guide_ability_after_casualty: bool = _switch(False)
    reveal_forbidden: str = _choice(RevealForbidden, 1)
    stronghold_tile_on: str = _choice(StrongholdTileOn)
    """Both editions reveal; a reading of the second draws also for a declaration (R9.5.3, RU12)."""
    mordor_entry: str = _choice(MordorEntry, 1)
    mordor_mandatory_declare: str = _choice(MordorMandatoryDeclare, 2)
    mordor_pool_reset: str = _choice(MordorPoolReset, 1)
    mordor_idle: str = _choice(MordorIdle, 1)
    blue_tiles_stop: bool = _switch(False)
    combat_card_order: str = _choice(CombatCardOrder, 1)
    combat_card_back_visible: bool = _switch(False)
    die_bonus_timing: str = _choice(DieBonusTiming)
    die_skip: str = _choice(DieSkip)
    null_events: bool = _switch(False)
    table_cards_need_condition: bool = _switch(False)
    overstack_voluntary: str = _choice(OverstackVoluntary, 1)
    stacking_check: str = _choice(StackingCheck, 1)
    leaders_bound: bool = _switch(True)
    companion_activation: str = _choice(CompanionActivation)
    fp_military: str = _choice(FpMilitary)
    gandalf_grey_guide: str = _choice(GandalfGreyGuide, 1)
    """The Guide's draw after Character cards, or after any card from its own deck (R14.1)."""
    witch_king_entry: str = _choice(WitchKingEntry, 1)
    sorcerer_deck: str = _choice(SorcererDeck, 1)
    hobbit_ability: str = _choice(HobbitAbility, 1)
    """Both play alike, for the same reason."""
    gollum_tiles: str = _choice(GollumTiles, 1)
    ents_extra_card: bool = _switch(False)
    balrog_table_combat: bool = _switch(True)
    character_die_leader: str = _choice(CharacterDieLeader)
    """Where the Leader or character of a Character result must be (RU51): ``goes_along``, among those who
    move or attack; ``in_army``, in their army, and among those who move only if units stay behind."""
    reveal_moves: str = _choice(RevealMoves, 1)
    """A Fellowship revealed with progress may stay where its figure is, or must leave (R9.6.2, RG41)."""
    retreat_into: str = _choice(RetreatInto, 1)
    """A retreat needs a free region, or one free for movement: then it may capture (R7.18.3, RG42)."""
    take_them_alive: str = _choice(TakeThemAlive, 1)
    """Whether a Hobbit lost in the Fellowship may or must be taken alive (R14.6, RG43)."""
    capture_needs_survivor: bool = _switch(False)
    """Whether a Stronghold without defenders is captured only if a besieging unit is left (R7.14.5, RG6)."""
    card_hits_spare_characters: bool = _switch(False)
    """Whether Nazgul and characters survive when a card's hits destroy their army (R6.4.10, RG10)."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check(field, getattr(self, field.name))

    @classmethod
    def first_edition(cls, **options: Any) -> Ruleset:
        """The first edition (2004), with single options changed."""
        return cls(**options)

    @classmethod
    def second_edition(cls, **options: Any) -> Ruleset:
        """The second edition (2011) as far as section 16 of the rules lists its differences."""
        second = {
            field.name: field.metadata["second"]
            for field in dataclasses.fields(cls)
            if field.metadata.get("second") is not None
        }
        switches = {
            "guide_ability_after_casualty": True,
            "combat_card_back_visible": True,
            "table_cards_need_condition": True,
            "ents_extra_card": True,
            "capture_needs_survivor": True,
        }
        return cls(**{**second, **switches, **options})

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays: one seat on each side."""
        return _SEATS

    @property
    def title(self) -> str:
        """The edition, or the options that differ from the first, in a few words."""
        limit = f", at most {self.max_turns} turns" if self.max_turns else ""
        for name, make in (("first", Ruleset.first_edition), ("second", Ruleset.second_edition)):
            if self == make(max_turns=self.max_turns):
                return f"{name} edition{limit}"
        return "first edition with " + ", ".join(f"{name}={value}" for name, value in self.to_dict().items())

    def to_dict(self) -> dict[str, Any]:
        """The options that differ from the first edition's, for records."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }

    @classmethod
    def from_dict(cls, options: dict[str, Any]) -> Ruleset:
        """The inverse of ``to_dict``.

        Raises:
            ValueError: an option or its value is unknown.
        """
        known = {field.name for field in dataclasses.fields(cls)}
        for name in options:
            if name not in known:
                raise ValueError(f"unknown ruleset option {name!r}; known: {', '.join(sorted(known))}")
        return cls(**options)

    def encode(self) -> np.ndarray:
        """The options as ``int8[NUM_OPTIONS]``, indexed by ``Option`` (``max_turns`` has its own field)."""
        encoded = np.zeros(NUM_OPTIONS, dtype=np.int8)
        for field in dataclasses.fields(self):
            if field.name == "max_turns":
                continue
            encoded[Option[field.name.upper()]] = _code(field, getattr(self, field.name))
        return encoded

    @classmethod
    def decode(cls, encoded: np.ndarray, max_turns: int) -> Ruleset:
        """The inverse of ``encode``: the ruleset carried in a state.

        Raises:
            ValueError: an option has a code that means nothing.
        """
        options: dict[str, Any] = {"max_turns": max_turns}
        for field in dataclasses.fields(cls):
            if field.name == "max_turns":
                continue
            code = int(encoded[Option[field.name.upper()]])
            codes = field.metadata.get("values")
            if codes is None:
                options[field.name] = code
            elif code not in iter(codes):
                raise ValueError(f"ruleset option {field.name} has the unknown code {code}")
            else:
                options[field.name] = bool(code) if codes is Switch else codes(code).name.lower()
        return cls(**options)


_SEATS = (Seat("free_peoples", "Free Peoples", Side.FREE_PEOPLES), Seat("shadow", "Shadow", Side.SHADOW))
_NUMBERS = {"players": (2, 2), "hand_limit": (1, 12), "max_turns": (0, 10_000)}


def _check(field: dataclasses.Field, value: Any) -> None:
    if field.name in _NUMBERS:
        low, high = _NUMBERS[field.name]
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
            raise ValueError(
                f"ruleset option {field.name} must be an integer from {low} to {high}, not {value!r}"
            )
        return
    if field.metadata["values"] is Switch:
        allowed: tuple[Any, ...] = (False, True)
    else:
        allowed = tuple(member.name.lower() for member in field.metadata["values"])
    if type(value) is not type(allowed[0]) or value not in allowed:
        words = ", ".join(map(str, allowed))
        raise ValueError(f"ruleset option {field.name} must be one of {words}, not {value!r}")


def _code(field: dataclasses.Field, value: Any) -> int:
    return int(field.metadata["values"][value.upper()] if isinstance(value, str) else value)
