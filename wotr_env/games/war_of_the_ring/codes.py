"""The terms of the game as integer codes, shared by the compiled rules and by code for people."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes


class Side(Codes):
    FREE_PEOPLES = 0
    SHADOW = 1


SIDE_IDS: tuple[str, ...] = tuple(side.name.lower() for side in Side)
"""The sides as words of files, options and pictures: ``free_peoples``, ``shadow``."""


class Nation(Codes):
    """The nations. The five nations of the Free Peoples come first, so ``nation < NUM_FREE_PEOPLES``
    determines the side."""

    DWARVES = 0
    ELVES = 1
    GONDOR = 2
    NORTH = 3
    ROHAN = 4
    SAURON = 5
    ISENGARD = 6
    SOUTHRONS = 7


class Region(Codes):
    """The regions of the board, in the order of ``regions.json``."""

    ANDRAST = 0
    ANFALAS = 1
    ANGMAR = 2
    ARNOR = 3
    ASH_MOUNTAINS = 4
    BARAD_DUR = 5
    BREE = 6
    BUCKLAND = 7
    CARDOLAN = 8
    CARROCK = 9
    DAGORLAD = 10
    DALE = 11
    DEAD_MARSHES = 12
    DIMRILL_DALE = 13
    DOL_AMROTH = 14
    DOL_GULDUR = 15
    DRUADAN_FOREST = 16
    DRUWAITH_IAUR = 17
    EAGLES_EYRIE = 18
    EAST_HARONDOR = 19
    EAST_RHUN = 20
    EASTEMNET = 21
    EASTERN_BROWN_LANDS = 22
    EASTERN_EMYN_MUIL = 23
    EASTERN_MIRKWOOD = 24
    EDORAS = 25
    ENEDWAITH = 26
    EREBOR = 27
    ERECH = 28
    ERED_LUIN = 29
    ETTENMOORS = 30
    EVENDIM = 31
    FANGORN = 32
    FAR_HARAD = 33
    FOLDE = 34
    FORDS_OF_BRUINEN = 35
    FORDS_OF_ISEN = 36
    FORLINDON = 37
    GAP_OF_ROHAN = 38
    GLADDEN_FIELDS = 39
    GOBLINS_GATE = 40
    GORGOROTH = 41
    GREY_HAVENS = 42
    HARLINDON = 43
    HELMS_DEEP = 44
    HIGH_PASS = 45
    HOLLIN = 46
    IRON_HILLS = 47
    KHAND = 48
    LAMEDON = 49
    LORIEN = 50
    LOSSARNACH = 51
    MINAS_MORGUL = 52
    MINAS_TIRITH = 53
    MINHIRIATH = 54
    MORANNON = 55
    MORIA = 56
    MOUNT_GRAM = 57
    MOUNT_GUNDABAD = 58
    NARROWS_OF_THE_FOREST = 59
    NEAR_HARAD = 60
    NOMAN_LANDS = 61
    NORTH_ANDUIN_VALE = 62
    NORTH_DOWNS = 63
    NORTH_DUNLAND = 64
    NORTH_ERED_LUIN = 65
    NORTH_ITHILIEN = 66
    NORTH_RHUN = 67
    NORTHERN_DORWINION = 68
    NORTHERN_MIRKWOOD = 69
    NORTHERN_RHOVANION = 70
    NURN = 71
    OLD_FORD = 72
    OLD_FOREST = 73
    OLD_FOREST_ROAD = 74
    ORTHANC = 75
    OSGILIATH = 76
    PARTH_CELEBRANT = 77
    PELARGIR = 78
    RHOSGOBEL = 79
    RIVENDELL = 80
    SOUTH_ANDUIN_VALE = 81
    SOUTH_DOWNS = 82
    SOUTH_DUNLAND = 83
    SOUTH_ERED_LUIN = 84
    SOUTH_ITHILIEN = 85
    SOUTH_RHUN = 86
    SOUTHERN_DORWINION = 87
    SOUTHERN_MIRKWOOD = 88
    SOUTHERN_RHOVANION = 89
    THARBAD = 90
    THE_SHIRE = 91
    TOWER_HILLS = 92
    TROLLSHAWS = 93
    UMBAR = 94
    VALE_OF_THE_CARNEN = 95
    VALE_OF_THE_CELDUIN = 96
    WEATHER_HILLS = 97
    WEST_HARONDOR = 98
    WESTEMNET = 99
    WESTERN_BROWN_LANDS = 100
    WESTERN_EMYN_MUIL = 101
    WESTERN_MIRKWOOD = 102
    WITHERED_HEATH = 103
    WOODLAND_REALM = 104


class Character(Codes):
    """Companions, upgrades, Gollum and Minions, in the order of ``characters.json``."""

    GANDALF_GREY = 0
    STRIDER = 1
    BOROMIR = 2
    LEGOLAS = 3
    GIMLI = 4
    MERIADOC = 5
    PEREGRIN = 6
    GANDALF_WHITE = 7
    ARAGORN = 8
    GOLLUM = 9
    WITCH_KING = 10
    MOUTH_OF_SAURON = 11
    SARUMAN = 12


class Location(Codes):
    """The location of a character that is in no region (a region is a number from 0)."""

    IN_FELLOWSHIP = -1
    ASIDE = -2
    ELIMINATED = -3
    REPLACED = -4


class Settlement(Codes):
    NONE = 0
    TOWN = 1
    CITY = 2
    STRONGHOLD = 3


class Face(Codes):
    """The results of an action die."""

    CHARACTER = 0
    ARMY = 1
    MUSTER = 2
    ARMY_MUSTER = 3
    EVENT = 4
    WILL = 5
    EYE = 6


class Deck(Codes):
    """Card ``c`` belongs to deck ``c // 24``; a side's decks are ``2 * side`` and ``2 * side + 1``."""

    FREE_PEOPLES_CHARACTER = 0
    FREE_PEOPLES_STRATEGY = 1
    SHADOW_CHARACTER = 2
    SHADOW_STRATEGY = 3


class Icon(Codes):
    """The icon of an event card: the die result with which it is played."""

    CHARACTER = 0
    ARMY = 1
    MUSTER = 2


class CardZone(Codes):
    """The zone of a card. Values 0..23 are the position in its draw deck; the card with the highest value is
    drawn next."""

    HAND = 32  # HAND + seat
    TABLE = 40
    DISCARD = 41  # face up, public
    FACE_DOWN = 48  # FACE_DOWN + seat: discarded face down by that seat
    COMMITTED = 56  # COMMITTED + seat: a combat card not yet revealed
    IN_PLAY = 64  # an event being resolved, or a combat card after the reveal


class TileKind(Codes):
    STANDARD = 0
    BLUE = 1
    RED = 2


class TileValue(Codes):
    """Tile values that are not numbers."""

    EYE = 100
    DIE = 101


class TileZone(Codes):
    ASIDE = 0  # a special tile not activated
    WAITING = 1  # activated, until the Fellowship enters Mordor
    POOL = 2
    DRAWN = 3
    REMOVED = 4


class Phase(Codes):
    DRAW = 1
    FELLOWSHIP = 2
    HUNT_ALLOCATION = 3
    ACTION_ROLL = 4
    ACTION = 5
    VICTORY = 6


class Winner(Codes):
    NONE = -1
    FREE_PEOPLES = 0
    SHADOW = 1
    DRAW = 2


class Reason(Codes):
    """The reason why a game ended."""

    NONE = 0
    CORRUPTION = 1
    RING_DESTROYED = 2
    SHADOW_MILITARY = 3
    FREE_PEOPLES_MILITARY = 4
    TURN_LIMIT = 5


class BattleKind(Codes):
    FIELD = 0  # against an army in the field of an adjacent region, relief included
    ASSAULT = 1  # by a besieging army against the garrison of its region
    SORTIE = 2  # by a garrison against the besieger of its region


class HuntCause(Codes):
    MOVE = 0
    MORDOR_MOVE = 1
    STRONGHOLD = 2  # a tile for a Shadow Stronghold on the path of a revealed Fellowship
    CARD_ROLL = 3
    CARD_TILE = 4


class Reveals(Codes):
    """The reasons to reveal the Fellowship at the end of a Hunt (``state.hunt_reveals``)."""

    NOTHING = 0
    ICON = 1
    GOLLUM = 2


class CardTile(Codes):
    """The change that a card makes to the tile drawn in a Hunt (section 22.4 of the rules)."""

    NORMAL = 0
    ORC_PATROL = 1  # Eye and blue tiles are dropped; so with the next two
    ISILDURS_BANE = 2  # Corruption only, nothing lowers it
    FOUL_THING = 3  # the first damage takes a random Companion
    BREAKING = 4  # only the number counts, and the card uses it
    BALROG = 5  # Eye tiles are dropped
    BALROG_UNSEEN = 6  # the same, and the Reveal icon has no effect


class Draw(Codes):
    """The information that is recorded about each random outcome: the columns of ``state.draws``."""

    KIND = 0  # Roll
    SIDE = 1  # who rolls or draws
    VALUE = 2  # the die, or the index of what was drawn
    NEEDED = 3  # the least die that succeeds, 0 if nothing is needed


class Roll(Codes):
    """The purpose of a random outcome."""

    NONE = 0
    ACTION_DIE = 1  # value: the die, see ``DIE_FACES``
    COMBAT = 2
    COMBAT_REROLL = 3
    COMBAT_CARD = 4  # dice of a Combat card
    HUNT = 5
    HUNT_REROLL = 6
    HUNT_DAMAGE = 7  # a die instead of the number of a tile
    TILE = 8  # value: the tile
    COMPANION = 9  # value: the character
    CARD = 10  # value: the card, dropped from a hand
    EVENT = 11  # dice of an event card


class CombatColumn(Codes):
    """The changes that Combat cards made in a round, and their counters: the columns of ``state.combat``."""

    ROLL_MOD = 0
    REROLL_MOD = 1
    CAP = 2  # Combat dice at most; 0: no cap
    FEWER = 3  # Combat dice
    NO_REROLL = 4
    REROLL_HITS = 5  # scored by the side in its Leader re-roll
    ONES = 6  # natural 1s of its Combat roll
    EARLY_HITS = 7  # scored by its extra attacks


class TurnStage(Codes):
    """The steps of a turn in their order (section 19.1 of the rules)."""

    DRAW = 0
    DECLARE = 1
    ENTER_MORDOR = 2
    GUIDE = 3
    ALLOCATE = 4
    ROLL = 5
    ACTIONS = 6
    END = 7


class BattleStage(Codes):
    """The steps of a battle in their order (section 19.2 of the rules)."""

    DECLARED = 0
    ROUND = 1
    ATTACKER_CARD = 2
    DEFENDER_CARD = 3
    REVEALED_CARDS = 4
    START_EFFECTS = 5  # window W0 of the Combat cards (R7.9.4)
    MODIFIERS = 6  # W1
    ROLLS = 7
    BEFORE_REROLL = 8  # W3
    REROLLS = 9
    AFTER_ROLLS = 10  # W5
    BEFORE_CASUALTIES = 11  # W6
    ATTACKER_CASUALTIES = 12
    DEFENDER_CASUALTIES = 13
    AFTER_CASUALTIES = 14  # W8
    LOSSES = 15
    END_OF_ROUND = 16
    DEFENDER_CHOICE = 17
    AFTERMATH = 18
    OVER = 19


class HuntStage(Codes):
    """The steps of a Hunt in their order (section 19.3 of the rules)."""

    BEGIN = 0
    ROLL = 1
    BEFORE_TILE = 2
    DRAW = 3
    TILE_SEEN = 4
    VALUE = 5
    REACT = 6
    DAMAGE = 7
    ADVANCE = 8
    REVEAL = 9
    END = 10


class Figure(Codes):
    """Kinds of figures of a nation. The leader figure of Sauron is the Nazgul."""

    REGULAR = 0
    ELITE = 1
    LEADER = 2


class Frame(Codes):
    """Kinds of unfinished business on the stack; ``rules.flow`` defines how each continues."""

    TURN = 0
    ACTION = 1
    GUIDE = 2
    MOVE_ARMIES = 3
    BATTLE = 4
    CASUALTIES = 5
    TRIM = 6
    HUNT = 7
    REVEAL = 8
    MOVE_COMPANIONS = 9
    MOVE_MINIONS = 10
    RECRUIT = 11
    TAKE_THEM_ALIVE = 12
    HAND_LIMIT = 13
    EVENT = 14
    LOSE_CARD = 15
    BUY_OFF = 16
    AFTER_EVENT = 17
    RETREAT = 18
    SIDE_DRAWS = 19
    ARMIES_MEET = 20


class Decision(Codes):
    """Kinds of decisions; the table ``rules.decisions`` has one row for each."""

    NONE = 0
    DISCARD_CARD = 1
    DECLARE_FELLOWSHIP = 2
    CHOOSE_GUIDE = 3
    HUNT_ALLOCATION = 4
    ACTION_DIE = 5
    RING_DIE = 6
    RING_FACE = 7
    ACTION_PLAN = 8
    DRAW_DECK = 9
    EVENT_CARD = 10
    ADVANCE_NATION = 11
    RECRUIT_FIGURE = 12
    RECRUIT_REGION = 13
    BRING_CHARACTER = 14
    CHARACTER_REGION = 15
    ARMY_ORIGIN = 16
    ARMY_DESTINATION = 17
    MOVE_FIGURES = 18
    ATTACK_ORIGIN = 19
    ATTACK_TARGET = 20
    ATTACK_FIGURES = 21
    COMPANION_GROUP = 22
    COMPANION_DESTINATION = 23
    MINION_TO_MOVE = 24
    MINION_DESTINATION = 25
    SEPARATE_GROUP = 26
    SEPARATE_DESTINATION = 27
    COMBAT_CARD = 28
    STRONGHOLD = 29
    ADVANCE_FIGURES = 30
    CASUALTY = 31
    CEASE = 32
    RETREAT = 33
    PROLONG_ASSAULT = 34
    WHITE_RIDER = 35
    SORCERER = 36
    TRIM_ARMY = 37
    HUNT_REACTION = 38
    HUNT_DAMAGE = 39
    TAKE_THEM_ALIVE = 40
    REVEAL_REGION = 41
    ENTER_MORDOR = 42
    EVENT_REGION = 43
    EVENT_FIGURE = 44
    EVENT_NATION = 45
    EVENT_CHARACTER = 46
    EVENT_OPTION = 47
    EVENT_DIE = 48
    COMBAT_CHOICE = 49
    FLOCKS_OF_CREBAIN = 50
    WIZARDS_STAFF = 51
    MITHRIL_COAT = 52
    LOSE_CARD = 53
    BALROG = 54
    GUIDE_DRAW = 55
    PALANTIR_DRAW = 56
    BUY_OFF_CARD = 57
    BUY_OFF_COST = 58
    STAY_BEHIND = 59
    EXCHANGE_CARD = 60
    OFFER_CARD = 61
    MERGE_ARMIES = 62


class Verb(Codes):
    """Actions that do not point at an object."""

    DONE = 0
    DECLINE = 1
    ACCEPT = 2
    PASS = 3
    USE_RING = 4
    WHOLE_ARMY = 5
    CEASE = 6
    CONTINUE = 7
    STAY = 8
    FIGHT = 9
    WITHDRAW = 10
    TAKE_CORRUPTION = 11
    SACRIFICE_GUIDE = 12
    SACRIFICE_RANDOM = 13
    GUIDE_ABILITY = 14
    BOTH_HOBBITS = 15
    CHARACTER_DECK = 16
    STRATEGY_DECK = 17
    HUNT_ROLL = 18
    RANDOM_CARD = 19


class Plan(Codes):
    """The possible uses of an action die (tables 5.4 and 5.5 of the rules)."""

    SKIP = 0
    MOVE_FELLOWSHIP = 1
    HIDE_FELLOWSHIP = 2
    SEPARATE_COMPANIONS = 3
    MOVE_COMPANIONS = 4
    MOVE_MINIONS = 5
    MOVE_ARMIES = 6
    ATTACK = 7
    ADVANCE_NATION = 8
    RECRUIT = 9
    BRING_CHARACTER = 10
    VOICE_REGULARS = 11
    VOICE_ELITES = 12
    COMPANION_ADVANCE = 13
    DRAW_CARD = 14
    PLAY_CARD = 15
    BUY_OFF = 16
