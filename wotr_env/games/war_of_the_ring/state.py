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

from wotr_env.games.war_of_the_ring.codes import CombatColumn, Draw
from wotr_env.games.war_of_the_ring.components import NUM_CARDS, NUM_REGIONS, NUM_SETTLEMENTS, NUM_TILES
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

STATE = np.dtype(
    (
        np.record,
        [
            # Chance (rules/chance.py).
            ("key", np.uint32, (2,)),
            ("counter", np.uint32),
            # Sets for three and four players, one bit each (rules/seats.py, rules/command.py).
            ("given", np.uint32, (NUM_CARDS // 32,)),  # cards in hand whose place the partner knows
            ("mixed", np.uint32, (NUM_SIDES, 4)),  # regions where the side's partners have one army
            ("taken_by_second", np.uint32, (2,)),  # Settlements that the second player of a side took
            # The turn.
            ("turn", np.int16),
            ("max_turns", np.int16),
            # Sets of characters, one bit each.
            ("chosen_characters", np.int16),
            ("party_characters", np.int16),
            ("moved_characters", np.int16),
            ("forfeited_characters", np.int16),  # without Leadership in this round of battle
            ("muted_characters", np.int16),  # without Leadership and abilities in this round of battle
            # Board.
            ("regular", np.int8, (NUM_REGIONS, NUM_NATIONS)),
            ("elite", np.int8, (NUM_REGIONS, NUM_NATIONS)),
            ("leader", np.int8, (NUM_REGIONS, NUM_LEADER_NATIONS)),
            ("units", np.int8, (NUM_REGIONS, NUM_SIDES)),  # regular + elite by side
            ("control", np.int8, (NUM_SETTLEMENTS,)),  # side, by SETTLEMENT_INDEX
            ("location", np.int8, (NUM_CHARACTERS,)),  # region or Location
            ("minions_seen", np.int8),  # 1 once any Minion has been in play
            # Pools.
            ("reinforcement_regular", np.int8, (NUM_NATIONS,)),
            ("reinforcement_elite", np.int8, (NUM_NATIONS,)),
            ("reinforcement_leader", np.int8, (NUM_LEADER_NATIONS,)),
            ("casualty_regular", np.int8, (NUM_FREE_PEOPLES,)),
            ("casualty_elite", np.int8, (NUM_FREE_PEOPLES,)),
            ("casualty_leader", np.int8, (NUM_FREE_PEOPLES,)),
            # Politics.
            ("steps_to_war", np.int8, (NUM_NATIONS,)),
            ("active", np.int8, (NUM_NATIONS,)),
            # Cards and tiles.
            ("card_zone", np.int8, (NUM_CARDS,)),  # CardZone
            ("deck_size", np.int8, (NUM_DECKS,)),
            ("tile_zone", np.int8, (NUM_TILES,)),  # TileZone
            # Action dice, by side.
            ("dice", np.int8, (NUM_SIDES, NUM_FACES)),  # unused results
            ("dice_used", np.int8, (NUM_SIDES,)),
            ("pool", np.int8, (NUM_SIDES,)),
            ("hunt_box", np.int8, (NUM_SIDES,)),
            ("rings", np.int8, (NUM_SIDES,)),
            ("ring_used", np.int8, (NUM_SIDES,)),
            ("messenger_used", np.int8),
            ("fellowship_moved_last_turn", np.int8),  # 1 if FP dice hunted last turn, until the allocation
            # The Fellowship.
            ("fellowship_region", np.int8),  # -1 on the Mordor Track
            ("progress", np.int8),
            ("revealed", np.int8),
            ("mordor_step", np.int8),  # 0: not on the Mordor Track
            ("corruption", np.int8),
            ("guide", np.int8),  # Character
            ("move_attempted", np.int8),
            ("hide_attempted", np.int8),
            # Who decides what.
            ("phase", np.int8),
            ("acting", np.int8),  # side to act in phase 5
            ("seat", np.int8),
            ("charge", np.int8, (NUM_SIDES,)),  # the seat that decides for each side in what is under way
            ("next_seat", np.int8, (NUM_SIDES,)),  # the seat whose turn is the side's next action
            ("offered", np.int8),  # 1 + the card that the first of two partners gives, until the other does
            (
                "spent_nations",
                np.int8,
                (2,),
            ),  # of the last FP action, of the present one (R13.7.3)
            ("spent_armies", np.int8, (2, ARMIES_MOVED[0])),  # the same: 1 + the regions of mixed armies
            ("decision", np.int8),
            ("winner", np.int8),
            ("reason", np.int8),
            ("stack", np.int8, (MAX_DEPTH, FRAME_SIZE)),
            ("depth", np.int8),
            # The action being resolved.
            ("action_face", np.int8),  # of the die in use, or of the one that a Ring is to change
            ("action_plan", np.int8),
            ("chosen_regular", np.int8, (NUM_NATIONS,)),
            ("chosen_elite", np.int8, (NUM_NATIONS,)),
            ("chosen_leader", np.int8, (NUM_LEADER_NATIONS,)),
            (
                "moved_to",
                np.int8,
                (MAX_NAZGUL,),
            ),  # regions that this action has dealt with, see rules/places
            ("moved_count", np.int8),
            # Figures that armies have moved to these regions: FIGURE_KINDS of the side by region.
            ("moved_figures", np.int8, (max(np.multiply(FIGURE_KINDS, ARMIES_MOVED)),)),
            # The battle being fought; the attacking part is party_*.
            ("battle_attacker", np.int8),
            ("battle_origin", np.int8),
            ("battle_target", np.int8),
            ("battle_kind", np.int8),  # BattleKind
            ("battle_round", np.int8),
            ("battle_white_rider", np.int8),
            ("battle_withdrawn", np.int8),
            ("battle_retreated", np.int8),
            ("battle_card_lock", np.int8),  # no FP Combat card in round 1 without a Companion
            ("battle_fixed_rounds", np.int8),  # rounds of an assault that need no reduced Elite
            ("battle_no_cease", np.int8),  # the attacker may not cease, and advances if he can
            ("battle_fewer_by_garrison", np.int8),  # SH Combat dice fewer: units besieged in the target
            ("party_regular", np.int8, (NUM_NATIONS,)),
            ("party_elite", np.int8, (NUM_NATIONS,)),
            ("party_leader", np.int8, (NUM_LEADER_NATIONS,)),
            ("combat_card", np.int8, (NUM_SIDES,)),  # -1: none
            ("hits", np.int8, (NUM_SIDES,)),  # scored by that side
            ("misses", np.int8, (NUM_SIDES,)),
            ("combat", np.int8, (NUM_SIDES, len(CombatColumn))),
            ("combat_void", np.int8),  # bit set of sides whose Combat card has no further effect
            ("forfeited_nazgul", np.int8),  # points of Nazgul Leadership given up in this round
            # The Hunt being resolved.
            ("hunt_cause", np.int8),  # HuntCause
            ("hunt_successes", np.int8),
            ("hunt_tile", np.int8),
            ("hunt_damage", np.int8),
            ("hunt_reveals", np.int8),  # Reveals
            ("hunt_casualty", np.int8),
            ("tile_number", np.int8),  # of a tile drawn by The Breaking of the Fellowship, until it is read
            # Constants of the game.
            ("options", np.int8, (NUM_OPTIONS,)),
            ("tape", np.int8, (TAPE_SIZE,)),
            ("tape_position", np.int8),
            ("tape_length", np.int8),
            ("draws", np.int8, (MAX_DRAWS, len(Draw))),  # outcomes of chance in the last step, the first ones
            ("num_draws", np.int8),
        ],
    )
)
"""The dtype of a whole game; see the picture above."""

assert STATE.itemsize <= 3328
