"""The options of a ruleset in the form that rules read (section 16): ``state.options[Option.NAME]`` and its
values.

``ruleset`` explains the meaning of each value, and which editions have it.
"""

from __future__ import annotations

from wotr_env.compiler.codes import Codes


class DwarfSetup(Codes):
    FIRST = 0
    SECOND = 1


class HuntAllocMin(Codes):
    ZERO = 0
    ONE_AFTER_MOVE = 1


class HuntDiceCount(Codes):
    ALL_DICE = 0
    SHADOW_DICE = 1


class Switch(Codes):
    OFF = 0
    ON = 1


class HuntTableCards(Codes):
    UNLIMITED = 0
    ONE_PER_TILE = 1


class RevealForbidden(Codes):
    FP_SETTLEMENT = 0
    FP_CITY_OR_STRONGHOLD = 1


class RevealMoves(Codes):
    MAY_STAY = 0
    MUST_LEAVE = 1


class StrongholdTileOn(Codes):
    REVEAL = 0
    DECLARE_OR_REVEAL = 1


class StrongholdStay(Codes):
    FREE = 0
    TILE = 1


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
    EACH_MOVE = 0
    END_OF_ACTION = 1


class RetreatInto(Codes):
    FREE = 0
    FREE_FOR_MOVEMENT = 1


class BalrogShelter(Codes):
    FREE_PEOPLES = 0
    CONTROLLED = 1


class MouthStrongholds(Codes):
    STOP = 0
    BESIEGED_ONLY = 1


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
    """The index of each option in ``state.options``; unlisted indices are unused."""

    PLAYERS = 0
    HAND_LIMIT = 1
    ASK_SINGLE = 2
    DWARF_SETUP = 3
    HUNT_ALLOC_MIN = 4
    HUNT_DICE_COUNT = 6
    HUNT_ONE_FAILS = 7
    HUNT_TABLE_CARDS = 8
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
    GOLLUM_TILES = 33
    ENTS_EXTRA_CARD = 36
    BALROG_TABLE_COMBAT = 37
    CHARACTER_DIE_LEADER = 38
    MOUTH_STRONGHOLDS = 39
    STRONGHOLD_STAY = 40
    BALROG_SHELTER = 41
    CAPTURE_NEEDS_SURVIVOR = 42
    CARD_HITS_SPARE_CHARACTERS = 43
    REVEAL_MOVES = 48
    RETREAT_INTO = 49
    TAKE_THEM_ALIVE = 50


NUM_OPTIONS = 51
"""The size of ``state.options``, which observations contain unchanged."""
