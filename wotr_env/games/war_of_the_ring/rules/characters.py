"""Characters: whether they are in play, Leadership, elimination, and how they enter the game (R5.1, R14)."""

from __future__ import annotations

from wotr_env.compiler.memory import equal_flags_of_few
from wotr_env.core.errors import StateError
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import (
    Character,
    Decision,
    Face,
    Figure,
    Location,
    Nation,
    Plan,
    Region,
    Roll,
    Settlement,
    Side,
)
from wotr_env.games.war_of_the_ring.components import (
    CAPTAIN_OF_THE_WEST,
    CHARACTER_LEADERSHIP,
    CHARACTER_SIDE,
    CHARACTERS_OF,
    DIE_FACES,
    IS_COMPANION,
    NUM_REGIONS,
    REGION_NATION,
    SETTLEMENT,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import DieBonusTiming, Option, WitchKingEntry
from wotr_env.games.war_of_the_ring.rules.armies import (
    add_units,
    at_war,
    besieged,
    controller,
    recruit_figure,
)
from wotr_env.games.war_of_the_ring.rules.chance import roll_die
from wotr_env.games.war_of_the_ring.rules.politics import activate, all_at_war, companions_arrive
from wotr_env.games.war_of_the_ring.rules.seats import (
    controls_character,
    deciding_side,
    has_partners,
    own_characters,
)
from wotr_env.games.war_of_the_ring.rules.stack import ask_again
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_FACES, NUM_FREE_PEOPLES

BASE_POOL = (4, 7)


@kernel
def in_play(state, character):
    """Whether a character is on the board (R14.0)."""
    return state.location[character] >= 0


@kernel
def in_fellowship(state, character):
    return state.location[character] == Location.IN_FELLOWSHIP


@kernel
def gives_die(character):
    """Whether a character adds an action die; Aragorn, Gandalf the White and the Minions do (R5.1.1,
    R5.1.2)."""
    return (
        character == Character.ARAGORN
        or character == Character.GANDALF_WHITE
        or CHARACTER_SIDE[character] == Side.SHADOW
    )


@kernel
def action_pool(state, side):
    """The number of action dice of a side: 4 or 7, and one for each character in play that adds a die
    (R5.1)."""
    dice = BASE_POOL[side]
    for character in range(NUM_CHARACTERS):
        if CHARACTER_SIDE[character] == side and gives_die(character) and in_play(state, character):
            dice += 1
    return dice


@kernel
def roll_action_die(state, side):
    """Rolls one action die; an Eye of the Shadow goes into the Hunt Box immediately (R4.5, R5.3, R5.3.3,
    R5.3.5)."""
    face = DIE_FACES[side, roll_die(state, Roll.ACTION_DIE, side, 0) - 1]
    if face == Face.EYE:
        state.hunt_box[side] += 1
    else:
        state.dice[side, face] += 1


@kernel
def unused_dice(state, side):
    """The number of dice that can still be used; dice in the Hunt Box do not count (R4.6.6)."""
    total = 0
    for face in range(NUM_FACES):
        total += int(state.dice[side, face])
    return total


@kernel
def gain_die(state, side):
    """Adds a bonus die, which counts from the next turn; with an option, the die is rolled immediately
    (R5.1.4)."""
    if state.options[Option.DIE_BONUS_TIMING] == DieBonusTiming.AT_ONCE:
        state.pool[side] += 1
        roll_action_die(state, side)


@kernel
def enter_play(state, character, region):
    """Puts a character on the board and adds its action die (R5.1, R14)."""
    state.location[character] = region
    side = CHARACTER_SIDE[character]
    if side == Side.SHADOW:
        state.minions_seen = 1
    if gives_die(character):
        gain_die(state, side)
    if side == Side.FREE_PEOPLES:
        companions_arrive(state, region, 1 << character)


@kernel
def eliminate_character(state, character):
    """Eliminates a character; its action die is removed from the next turn on (R7.3.5, R5.1.3)."""
    state.location[character] = Location.ELIMINATED


@kernel
def characters_at(state, side, region):
    """The characters of a side in a region, one bit each."""
    return equal_flags_of_few(state.location, region, 8) & CHARACTERS_OF[side]


@kernel
def own_characters_at(state, side, region):
    """The characters of a side in a region that the deciding seat controls, one bit each (R13.5.2)."""
    there = characters_at(state, side, region)
    return there & own_characters(state, side) if there != 0 and has_partners(state) else there


@kernel
def first_of(characters):
    """The first character of a set (one bit each), which must not be empty."""
    for character in range(NUM_CHARACTERS):
        if characters >> character & 1:
            return character
    raise StateError("chosen_characters: nobody is chosen")


@kernel
def companions_in_fellowship(state):
    """The number of Companions in the Fellowship; Gollum does not count (R9.3.4)."""
    count = 0
    for character in range(NUM_CHARACTERS):
        if IS_COMPANION[character] and in_fellowship(state, character):
            count += 1
    return count


@kernel
def servants(state):
    """The nations whose Elites are also Leaders, one bit each (R14.13).

    If Saruman is in play, this is Isengard, and with three or four players also the Southrons (R13.5.3).
    """
    if not in_play(state, Character.SARUMAN):
        return 0
    isengard = 1 << Nation.ISENGARD
    return isengard | 1 << Nation.SOUTHRONS if has_partners(state) else isengard


@kernel
def nazgul_leadership(nazgul, characters):
    """The Leadership of Nazgul (1 each) and of the Witch-king (2) (R7.8.9, R7.3.2)."""
    witch_king = characters >> Character.WITCH_KING & 1
    return nazgul + CHARACTER_LEADERSHIP[Character.WITCH_KING] * witch_king


@kernel
def captains(characters):
    """The number of Captains of the West among the characters; each adds 1 to Combat strength (R14.0.1)."""
    count = 0
    for character in range(NUM_CHARACTERS):
        if characters >> character & 1:
            count += CAPTAIN_OF_THE_WEST[character]
    return count


@kernel
def leadership_of(characters):
    """The Leadership of the characters, without that of Nazgul (R7.8.9)."""
    total = 0
    for character in range(NUM_CHARACTERS):
        if characters >> character & 1 and character != Character.WITCH_KING:
            total += CHARACTER_LEADERSHIP[character]
    return total


# --- Entry of the upgrades and of the Minions (R14.8-R14.13). ---


@kernel
def can_bring(state, side, character):
    """Whether a Will of the West (FP) or Muster result (SH) may bring the character in (R14.8-R14.13).

    Also R13.5.2.
    """
    if CHARACTER_SIDE[character] != side or state.location[character] != Location.ASIDE:
        return False
    if has_partners(state) and not controls_character(state, side, character):
        return False
    if character == Character.GANDALF_WHITE:
        return (
            state.minions_seen == 1
            and not in_fellowship(state, Character.GANDALF_GREY)
            and has_entry_region(state, character)
        )
    if character == Character.ARAGORN:
        region = state.location[Character.STRIDER]
        crowning = region == Region.DOL_AMROTH or region == Region.MINAS_TIRITH or region == Region.PELARGIR
        return crowning and controller(state, region) == Side.FREE_PEOPLES
    if character == Character.WITCH_KING:
        if not at_war(state, Nation.SAURON):
            return False
        if state.options[Option.WITCH_KING_ENTRY] == WitchKingEntry.SAURON_AND_FREE_PEOPLES:
            some_at_war = False
            for nation in range(NUM_FREE_PEOPLES):
                some_at_war = some_at_war or at_war(state, nation)
            if not some_at_war:
                return False
        return has_entry_region(state, character)
    if character == Character.MOUTH_OF_SAURON:
        ready = state.mordor_step > 0 or all_at_war(state, Side.FREE_PEOPLES)
        return ready and has_entry_region(state, character)
    if character == Character.SARUMAN:
        return at_war(state, Nation.ISENGARD) and controller(state, Region.ORTHANC) == Side.SHADOW
    return False


@kernel
def is_entry_region(state, character, region):
    """Whether a character may enter the game in a region (R14.8, R14.9, R14.11-R14.13)."""
    if character == Character.GANDALF_WHITE:
        if in_play(state, Character.GANDALF_GREY):
            return region == state.location[Character.GANDALF_GREY]
        elven = REGION_NATION[region] == Nation.ELVES and SETTLEMENT[region] == Settlement.STRONGHOLD
        return region == Region.FANGORN or (elven and controller(state, region) == Side.FREE_PEOPLES)
    if character == Character.ARAGORN:
        return region == state.location[Character.STRIDER]
    if character == Character.WITCH_KING:
        return state.regular[region, Nation.SAURON] + state.elite[region, Nation.SAURON] > 0
    if character == Character.MOUTH_OF_SAURON:
        sauron = REGION_NATION[region] == Nation.SAURON and SETTLEMENT[region] == Settlement.STRONGHOLD
        return sauron and controller(state, region) == Side.SHADOW
    return region == Region.ORTHANC


@kernel
def has_entry_region(state, character):
    for region in range(NUM_REGIONS):
        if is_entry_region(state, character, region):
            return True
    return False


@kernel
def some_character_can_enter(state, side):
    for character in range(NUM_CHARACTERS):
        if can_bring(state, side, character):
            return True
    return False


@kernel
def legal_bring_character(state, mask):
    """D11, D18: a Minion, or Aragorn, or Gandalf the White."""
    side = deciding_side(state)
    for character in range(NUM_CHARACTERS):
        if can_bring(state, side, character):
            mask[Block.CHARACTER + character] = True


@kernel
def apply_bring_character(state, action):
    character = action - Block.CHARACTER
    state.chosen_characters = 1 << character
    ask_again(state, Decision.CHARACTER_REGION)


@kernel
def legal_character_region(state, mask):
    """D11, D18: the region in which the character enters."""
    character = first_of(int(state.chosen_characters))
    for region in range(NUM_REGIONS):
        if is_entry_region(state, character, region):
            mask[Block.REGION + region] = True


@kernel
def apply_character_region(state, action):
    """Places the character; an upgrade replaces its Companion, and the Witch-king activates all nations
    (R14.8-R14.14)."""
    character = first_of(int(state.chosen_characters))
    state.chosen_characters = 0
    if character == Character.ARAGORN:
        state.location[Character.STRIDER] = Location.REPLACED
    elif character == Character.GANDALF_WHITE and in_play(state, Character.GANDALF_GREY):
        state.location[Character.GANDALF_GREY] = Location.REPLACED
    enter_play(state, character, action - Block.REGION)
    if character == Character.WITCH_KING:
        for nation in range(NUM_FREE_PEOPLES):
            activate(state, nation)


# --- The Voice of Saruman (R14.13). ---


@kernel
def voice_works(state):
    """Whether the Voice of Saruman is available: the player controls Saruman, who is in play, and Orthanc,
    which is not besieged (R14.13, R13.5.2)."""
    return (
        in_play(state, Character.SARUMAN)
        and controls_character(state, Side.SHADOW, Character.SARUMAN)
        and controller(state, Region.ORTHANC) == Side.SHADOW
        and not besieged(state, Region.ORTHANC)
    )


@kernel
def can_raise_elites(state):
    """Whether the Voice (b) is possible: an Isengard Regular is in Orthanc and an Elite in the reinforcements
    (R14.13)."""
    return (
        voice_works(state)
        and state.regular[Region.ORTHANC, Nation.ISENGARD] > 0
        and state.reinforcement_elite[Nation.ISENGARD] > 0
    )


@kernel
def raise_elites(state):
    """Executes the Voice (b): replaces up to two Isengard Regulars in Orthanc by Elites (R14.13)."""
    for _ in range(2):
        if can_raise_elites(state):
            add_units(state, Region.ORTHANC, Nation.ISENGARD, Figure.REGULAR, -1)
            state.reinforcement_regular[Nation.ISENGARD] += 1
            recruit_figure(state, Region.ORTHANC, Nation.ISENGARD, Figure.ELITE)


@kernel
def messenger_ready(state):
    """Whether the Messenger is available: once per turn, a Muster result counts as Army while the Mouth is in
    play (R14.12).

    Only the player who controls the Mouth can use it (R13.5.2).
    """
    return (
        in_play(state, Character.MOUTH_OF_SAURON)
        and state.messenger_used == 0
        and controls_character(state, Side.SHADOW, Character.MOUTH_OF_SAURON)
    )


@kernel
def needs_messenger(face, plan):
    """Whether the plan is an Army action that is paid with a plain Muster result (R14.12)."""
    return face == Face.MUSTER and (plan == Plan.MOVE_ARMIES or plan == Plan.ATTACK)


@kernel
def mark_characters(mask, characters):
    """Marks each of the characters (bits) in a mask."""
    for character in range(NUM_CHARACTERS):
        if characters >> character & 1:
            mask[Block.CHARACTER + character] = True
