"""STATE: a whole game as one fixed-size numpy record.

    +-- board -----------------------------------------+-- cards and tiles --------+-- chance ---------+
    | regular[105, 8]  elite[105, 8]  leader[105, 6]   | card_zone[96]             | key[2] counter    |
    | units[105, 2] (sums)  control[36]  location[13]  | deck_size[4] tile_zone[24]| tape[32]          |
    +-- pools ----------------+-- politics ------------+-- dice -------------------+-- Fellowship -----+
    | reinforcement_*[8]      | steps_to_war[8]        | dice[2, 7] dice_used[2]   | region, progress, |
    | casualty_*[5]           | active[8]              | pool hunt_box rings [2]   | corruption, guide |
    +-- unfinished business --+------------------------+---------------------------+-------------------+
    | stack[10, 8] depth   seat decision   chosen_* (figures being picked)   party_* (attackers)       |
    | battle_*   hunt_*   moved_*   options[51]   winner reason   draws[32, 4] (of the last step)      |
    +--------------------------------------------------------------------------------------------------+

An *army* is (region, side): the figures of one side in a region. Nations never mix sides, so one row of
``regular`` can hold a besieging army and the besieged garrison at once: a Stronghold is besieged exactly when
both sides have units in its region, and the garrison is then the side that controls it (R2.11, R7.13.1). In
any other region at most one side has units (R7.1.2). Nazgul are the leader figures of Sauron (column 5).
"""

from __future__ import annotations

import numpy as np

from wotr_env.core.declared import CHANCE, StateField, state_of
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    CardZone,
    Character,
    CombatColumn,
    Decision,
    Draw,
    Face,
    HuntCause,
    Location,
    Phase,
    Plan,
    Reason,
    Reveals,
    Side,
    TileZone,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
    ELVEN_RINGS,
    LAST_STEP,
    MAX_CORRUPTION,
    MAX_DICE,
    MAX_PROGRESS,
    NATION_SIDE,
    NO_TILE,
    NUM_CARDS,
    NUM_REGIONS,
    NUM_SETTLEMENTS,
    NUM_TILES,
    ON_THE_TRACK,
    TOTAL_ELITE,
    TOTAL_LEADER,
    TOTAL_REGULAR,
)
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS

NUM_SIDES = 2
NUM_SEATS = 4
"""Maximal number of seats. In a game of two players, each side is played by the first of its seats."""
NUM_NATIONS = 8
NUM_FREE_PEOPLES = 5
NUM_LEADER_NATIONS = 6
NUM_CHARACTERS = 13
NUM_FACES = 7
NUM_DECKS = 4
CARDS_PER_DECK = 24
CARDS_PER_SIDE = 2 * CARDS_PER_DECK
MAX_DEPTH = 10
FRAME_SIZE = 8
TAPE_SIZE = 32
MAX_DRAWS = 32
MAX_NAZGUL = 8
FIGURE_KINDS = (15, 7)
"""The number of kinds of figures of each side: Regulars, then Elites of its nations, then Leaders of the
nations that have Leaders."""
ARMIES_MOVED = (2, 4)
"""The maximal number of armies of a side that one action moves: by an Army result, and by The Shadow Is
Moving."""

_MOST_HUNT = 40
"""The maximal damage or number of a Hunt tile; an Eye counts dice of both pools."""
_SIGNED = 64
"""The maximal sum of changes by Combat cards; the sums of real games are far inside it."""
_MOST = 127
_POOL = (6, 10)
"""The maximal number of action dice of each side (R5.1)."""


def _by_nation(figures: np.ndarray) -> tuple[int, ...]:
    return tuple(figures.tolist())


_REGULAR, _ELITE, _LEADER = map(_by_nation, (TOTAL_REGULAR, TOTAL_ELITE, TOTAL_LEADER))
_UNITS = tuple(int((TOTAL_REGULAR + TOTAL_ELITE)[NATION_SIDE == side].sum()) for side in Side)


def _bits(name: str, meaning: str, *shape: int) -> StateField:
    return StateField(name, None, None, f"{meaning}, one bit each", shape, np.uint32)


def _characters(name: str, meaning: str) -> StateField:
    return StateField(name, None, None, f"{meaning}, one bit each", (), np.int16)


FIELDS = (
    *CHANCE,
    # Sets for three and four players (rules/seats.py, rules/command.py).
    _bits("given", "cards in hand whose place the partner knows", NUM_CARDS // 32),
    _bits("mixed", "regions where the side's partners have one army", NUM_SIDES, 4),
    _bits("taken_by_second", "Settlements that the second player of a side took", 2),
    # The turn.
    StateField("turn", None, None, "the turn, from 1", (), np.int16),
    StateField("max_turns", None, None, "after which the game ends; 0: no limit", (), np.int16),
    _characters("chosen_characters", "characters being picked"),
    _characters("party_characters", "characters of the attacking part of an army"),
    _characters("moved_characters", "characters that this action has moved"),
    _characters("forfeited_characters", "characters without Leadership in this round of battle"),
    _characters("muted_characters", "characters without Leadership and abilities in this round of battle"),
    # Board.
    StateField("regular", 0, _REGULAR, "Regulars in each region", (NUM_REGIONS, NUM_NATIONS)),
    StateField("elite", 0, _ELITE, "Elites in each region", (NUM_REGIONS, NUM_NATIONS)),
    StateField("leader", 0, _LEADER, "Leaders and Nazgul in each region", (NUM_REGIONS, NUM_LEADER_NATIONS)),
    StateField(
        "units", 0, _UNITS, "Regulars and Elites of each side in each region", (NUM_REGIONS, NUM_SIDES)
    ),
    StateField("control", 0, 1, "the side that controls each Settlement", (NUM_SETTLEMENTS,)),
    StateField(
        "location",
        Location.REPLACED,
        NUM_REGIONS - 1,
        "of each character: a region or a Location",
        (NUM_CHARACTERS,),
    ),
    StateField("minions_seen", 0, 1, "a Minion has been in play"),
    # Pools.
    StateField("reinforcement_regular", 0, _REGULAR, "Regulars that can be recruited", (NUM_NATIONS,)),
    StateField("reinforcement_elite", 0, _ELITE, "Elites that can be recruited", (NUM_NATIONS,)),
    StateField("reinforcement_leader", 0, _LEADER, "Leaders that can be recruited", (NUM_LEADER_NATIONS,)),
    StateField(
        "casualty_regular", 0, _REGULAR[:NUM_FREE_PEOPLES], "Regulars out of the game", (NUM_FREE_PEOPLES,)
    ),
    StateField("casualty_elite", 0, _ELITE[:NUM_FREE_PEOPLES], "Elites out of the game", (NUM_FREE_PEOPLES,)),
    StateField(
        "casualty_leader", 0, _LEADER[:NUM_FREE_PEOPLES], "Leaders out of the game", (NUM_FREE_PEOPLES,)
    ),
    # Politics.
    StateField("steps_to_war", 0, 3, "of each nation", (NUM_NATIONS,)),
    StateField("active", 0, 1, "whether each nation is active", (NUM_NATIONS,)),
    # Cards and tiles.
    StateField("card_zone", 0, CardZone.IN_PLAY, "the CardZone of each card", (NUM_CARDS,)),
    StateField("deck_size", 0, CARDS_PER_DECK, "cards left in each draw deck", (NUM_DECKS,)),
    StateField("tile_zone", 0, TileZone.REMOVED, "the TileZone of each Hunt tile", (NUM_TILES,)),
    # Action dice, by side.
    StateField("dice", 0, tuple((most,) for most in _POOL), "unused results by Face", (NUM_SIDES, NUM_FACES)),
    StateField("dice_used", 0, _POOL, "Action dice used in this turn", (NUM_SIDES,)),
    StateField("pool", 0, _POOL, "Action dice of this turn, with those in the Hunt Box", (NUM_SIDES,)),
    StateField("hunt_box", 0, _POOL, "dice in the Hunt Box", (NUM_SIDES,)),
    StateField("rings", 0, ELVEN_RINGS, "Elven Rings", (NUM_SIDES,)),
    StateField("ring_used", 0, 1, "an Elven Ring was used in this turn", (NUM_SIDES,)),
    StateField("messenger_used", 0, 1, "the Mouth of Sauron has used a Muster result as Army in this turn"),
    StateField(
        "fellowship_moved_last_turn", 0, 1, "a Free Peoples die hunted in the last turn; until the allocation"
    ),
    # The Fellowship.
    StateField("fellowship_region", ON_THE_TRACK, NUM_REGIONS - 1, "-1 on the Mordor Track"),
    StateField("progress", 0, MAX_PROGRESS, "of the Fellowship since it was last declared or revealed"),
    StateField("revealed", 0, 1, "whether the Fellowship is revealed"),
    StateField("mordor_step", 0, LAST_STEP, "on the Mordor Track; 0: not on it"),
    StateField("corruption", 0, MAX_CORRUPTION, "Corruption of the Ring-bearers"),
    StateField("guide", 0, Character.GOLLUM, "the Character who guides the Fellowship"),
    StateField("move_attempted", 0, 1, "the Fellowship has tried to move in this turn"),
    StateField("hide_attempted", 0, 1, "the Fellowship has tried to hide in this turn"),
    # Who decides what.
    StateField("phase", 0, Phase.VICTORY, "a Phase"),
    StateField("acting", 0, 1, "the side to act in phase 5"),
    StateField("seat", 0, NUM_SEATS - 1, "the deciding seat"),
    StateField(
        "charge", 0, NUM_SEATS - 1, "the seat of each side that decides in what is under way", (NUM_SIDES,)
    ),
    StateField(
        "next_seat", 0, NUM_SEATS - 1, "the seat whose turn is the next action of each side", (NUM_SIDES,)
    ),
    StateField(
        "offered", 0, NUM_CARDS, "1 + the card that the first of two partners gives, until the other does"
    ),
    StateField(
        "spent_nations", 0, _MOST, "of the last Free Peoples action, and of the present one (R13.7.3)", (2,)
    ),
    StateField(
        "spent_armies", 0, NUM_REGIONS, "the same: 1 + the regions of mixed armies", (2, ARMIES_MOVED[0])
    ),
    StateField("decision", 0, len(Decision) - 1, "the kind of the pending decision, a Decision"),
    StateField("winner", Winner.NONE, Winner.DRAW, "a Winner"),
    StateField("reason", 0, len(Reason) - 1, "why the game ended, a Reason"),
    StateField(
        "stack", -128, _MOST, "unfinished business, the slots of a Frame each", (MAX_DEPTH, FRAME_SIZE)
    ),
    StateField("depth", 1, MAX_DEPTH, "frames on the stack"),
    # The action being resolved.
    StateField("action_face", 0, len(Face) - 1, "of the die in use, or of the one that a Ring is to change"),
    StateField("action_plan", 0, len(Plan) - 1, "what the die is used for, a Plan"),
    StateField("chosen_regular", 0, _REGULAR, "Regulars being picked", (NUM_NATIONS,)),
    StateField("chosen_elite", 0, _ELITE, "Elites being picked", (NUM_NATIONS,)),
    StateField("chosen_leader", 0, _LEADER, "Leaders being picked", (NUM_LEADER_NATIONS,)),
    StateField(
        "moved_to",
        0,
        NUM_REGIONS - 1,
        "regions that this action has dealt with (rules/places.py)",
        (MAX_NAZGUL,),
    ),
    StateField("moved_count", 0, MAX_NAZGUL, "regions in moved_to"),
    StateField(
        "moved_figures",
        0,
        max(_REGULAR),
        "figures that armies have moved to these regions: FIGURE_KINDS of the side by region",
        (max(np.multiply(FIGURE_KINDS, ARMIES_MOVED).tolist()),),
    ),
    # The battle being fought.
    StateField("battle_attacker", 0, 1, "the attacking side"),
    StateField("battle_origin", 0, NUM_REGIONS - 1, "the region of the attacker"),
    StateField("battle_target", 0, NUM_REGIONS - 1, "the region that is attacked"),
    StateField("battle_kind", 0, len(BattleKind) - 1, "a BattleKind"),
    StateField("battle_round", 0, _MOST, "the round of battle, from 1"),
    StateField("battle_white_rider", 0, 1, "Gandalf the White negates the Nazgul Leadership"),
    StateField("battle_withdrawn", 0, 1, "the defender has withdrawn into a siege"),
    StateField("battle_retreated", 0, 1, "the defender has retreated"),
    StateField("battle_card_lock", 0, 1, "no Free Peoples Combat card in round 1 without a Companion"),
    StateField("battle_fixed_rounds", 0, 3, "rounds of an assault that need no reduced Elite"),
    StateField("battle_no_cease", 0, 1, "the attacker may not cease, and advances if it can"),
    StateField("battle_fewer_by_garrison", 0, 1, "Shadow Combat dice fewer: units besieged in the target"),
    StateField("party_regular", 0, _REGULAR, "Regulars of the attacking part of an army", (NUM_NATIONS,)),
    StateField("party_elite", 0, _ELITE, "Elites of the attacking part of an army", (NUM_NATIONS,)),
    StateField("party_leader", 0, _LEADER, "Leaders of the attacking part of an army", (NUM_LEADER_NATIONS,)),
    StateField("combat_card", -1, NUM_CARDS - 1, "of each side; -1: none", (NUM_SIDES,)),
    StateField("hits", -_SIGNED, _SIGNED, "scored by each side", (NUM_SIDES,)),
    StateField("misses", -MAX_DICE, MAX_DICE, "dice of each side that can be rolled again", (NUM_SIDES,)),
    StateField(
        "combat",
        -_SIGNED,
        _SIGNED,
        "changes by Combat cards, by CombatColumn",
        (NUM_SIDES, len(CombatColumn)),
    ),
    StateField("combat_void", 0, 3, "sides whose Combat card has no further effect, one bit each"),
    StateField("forfeited_nazgul", 0, _MOST, "points of Nazgul Leadership given up in this round"),
    # The Hunt being resolved.
    StateField("hunt_cause", 0, len(HuntCause) - 1, "a HuntCause"),
    StateField("hunt_successes", 0, MAX_DICE, "dice of the Hunt roll that succeeded"),
    StateField("hunt_tile", NO_TILE, NUM_TILES - 1, "the tile drawn"),
    StateField("hunt_damage", 0, _MOST_HUNT, "damage that remains"),
    StateField("hunt_reveals", 0, len(Reveals) - 1, "why the Fellowship will be revealed, a Reveals"),
    StateField("hunt_casualty", 0, 1, "a Companion was lost in this Hunt"),
    StateField(
        "tile_number", 0, _MOST_HUNT, "of a tile drawn by The Breaking of the Fellowship, until it is read"
    ),
    # Constants of the game, own dice, and what chance brought.
    StateField("options", None, None, "of the ruleset, by Option", (NUM_OPTIONS,)),
    StateField("tape", 0, _MOST, "outcomes that chance takes before random ones", (TAPE_SIZE,)),
    StateField("tape_position", 0, TAPE_SIZE - 1, "of the next outcome"),
    StateField("tape_length", 0, TAPE_SIZE, "outcomes on the tape"),
    StateField(
        "draws",
        None,
        None,
        "outcomes of chance in the last step, the first ones, by Draw",
        (MAX_DRAWS, len(Draw)),
    ),
    StateField("num_draws", 0, _MOST, "outcomes of chance in the last step"),
)
"""The fields of the record of a game; ``engine/bounds.py`` has the ranges of ``options`` and ``draws``."""
STATE = state_of(FIELDS)
"""The dtype of a whole game; see the picture above."""

assert STATE.itemsize <= 3328
