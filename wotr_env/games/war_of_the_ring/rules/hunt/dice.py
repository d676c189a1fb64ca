"""Dice of the Hunt: the number put into the Hunt Box, and the Hunt roll (R5.2, R10.3)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, HuntStage, Nation, Roll, Side, Verb
from wotr_env.games.war_of_the_ring.components import MAX_DICE
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import HuntAllocMin, HuntDiceCount, Option
from wotr_env.games.war_of_the_ring.rules.armies import holds_stronghold
from wotr_env.games.war_of_the_ring.rules.chance import roll_die
from wotr_env.games.war_of_the_ring.rules.characters import companions_in_fellowship
from wotr_env.games.war_of_the_ring.rules.hunt.frame import HuntFrame, HuntNote
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, get, put
from wotr_env.games.war_of_the_ring.rules.table.modifiers import Modifier, discard_from_table

SUCCESS = 6
CREBAIN_BONUS = 1

# --- Allocation (R5.2). ---


@kernel
def max_allocation(state):
    """The maximal number: as many dice as Companions, one for Gollum alone, and no more than the pool
    (R5.2.1, R5.2.2, R5.2.4)."""
    return min(int(state.pool[Side.SHADOW]), max(1, companions_in_fellowship(state)))


@kernel
def min_allocation(state):
    """The minimal number: 0, or with an option 1 after a turn in which the Fellowship moved (R5.2.3)."""
    rule = state.options[Option.HUNT_ALLOC_MIN]
    return 1 if rule == HuntAllocMin.ONE_AFTER_MOVE and state.fellowship_moved_last_turn == 1 else 0


@kernel
def legal_hunt_allocation(state, mask):
    """D04: the number of dice put into the Hunt Box (R5.2.1)."""
    for count in range(min_allocation(state), max_allocation(state) + 1):
        mask[Block.COUNT + count] = True


@kernel
def apply_hunt_allocation(state, action):
    state.hunt_box[Side.SHADOW] = action - Block.COUNT
    state.fellowship_moved_last_turn = 0


# --- The Hunt roll (R10.3). ---


@kernel
def hunt_level(state):
    """The number of dice of the Hunt: all dice in the box, or with an option only those of the Shadow
    (R10.3.1, RU1)."""
    dice = int(state.hunt_box[Side.SHADOW])
    if state.options[Option.HUNT_DICE_COUNT] == HuntDiceCount.ALL_DICE:
        dice += int(state.hunt_box[Side.FREE_PEOPLES])
    return dice


@kernel
def hunt_rerolls(state):
    """The number of re-rolls: one each for a Shadow Stronghold, a Shadow unit and a Nazgul in the figure's
    region (R10.3.4)."""
    region = int(state.fellowship_region)
    if region < 0:
        return 0
    rerolls = 1 if holds_stronghold(state, Side.SHADOW, region) else 0
    if state.units[region, Side.SHADOW] > 0:
        rerolls += 1
    if state.leader[region, Nation.SAURON] > 0 or state.location[Character.WITCH_KING] == region:
        rerolls += 1
    return rerolls


@kernel
def apply_flocks_of_crebain(state, action):
    """D33: adds 1 to all dice of this roll if the card is used (R10.3.5)."""
    if action == Block.VERB + Verb.ACCEPT:
        discard_from_table(state, Modifier.FLOCKS_OF_CREBAIN)
        put(state, HuntFrame.NOTE, HuntNote.FLOCKS_OF_CREBAIN)


@kernel
def roll_for_hunt(state):
    """Makes the Hunt roll; without a success, no tile is drawn (R10.3.3)."""
    helped = get(state, HuntFrame.NOTE) == HuntNote.FLOCKS_OF_CREBAIN
    state.hunt_successes = hunt_roll(state, CREBAIN_BONUS if helped else 0)
    if state.hunt_successes == 0:
        put(state, STAGE, HuntStage.ADVANCE)


@kernel
def hunt_dice(state):
    """The number of dice that are rolled, at most 5 (R10.3.1)."""
    return min(MAX_DICE, hunt_level(state))


@kernel
def least_success(state, bonus):
    """The lowest result that succeeds: each Free Peoples die in the box adds 1 to the roll; a natural 1 fails
    (R10.3.2)."""
    least = 2 if state.options[Option.HUNT_ONE_FAILS] == 1 else 1
    return max(least, SUCCESS - int(state.hunt_box[Side.FREE_PEOPLES]) - bonus)


@kernel
def _hunt_die(state, kind, bonus):
    needed = least_success(state, bonus)
    return 1 if roll_die(state, kind, Side.SHADOW, needed) >= needed else 0


@kernel
def hunt_roll(state, bonus):
    """Rolls at most 5 dice and re-rolls failures, each with the bonus; returns the number of successes
    (R10.3)."""
    dice = hunt_dice(state)
    successes = 0
    for _ in range(dice):
        successes += _hunt_die(state, Roll.HUNT, bonus)
    for _ in range(min(dice - successes, hunt_rerolls(state))):
        successes += _hunt_die(state, Roll.HUNT_REROLL, bonus)
    return successes
