"""The layout of an observation: the visible information of a seat, as one vector of int8.

    | regions 105 x 38 | cards 96 x 4 | the turn, dice, politics, Fellowship, Hunt, battle | the decision |

It contains all public information (section 18 of the rules): the board, pools, dice, politics, the
Fellowship, the Hunt Pool, table cards and face-up discards, and the number of all other cards by back. Among
the hidden cards, a seat sees its own hand, its own face-down discards, its committed Combat card, and the
place of a card that it has given to its partner. The numbers of seats that do not play are 0. The question
and the progress of a choice are written only for the deciding seat, because a question can reveal cards of a
hand. The order of the sides is always the same, the Free Peoples first; ``side`` is the side of the viewer.
"""

from __future__ import annotations

from wotr_env.compiler.codes import TableCodes
from wotr_env.core.declared import places_of, size_of
from wotr_env.core.observation_layout import Field
from wotr_env.games.war_of_the_ring.codes import (
    BattleStage,
    CombatColumn,
    Decision,
    Frame,
    HuntCause,
    Phase,
    Plan,
)
from wotr_env.games.war_of_the_ring.components import NUM_CARDS, NUM_REGIONS, NUM_TILES
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS
from wotr_env.games.war_of_the_ring.state import (
    FRAME_SIZE,
    NUM_CHARACTERS,
    NUM_DECKS,
    NUM_FACES,
    NUM_FREE_PEOPLES,
    NUM_LEADER_NATIONS,
    NUM_NATIONS,
    NUM_SEATS,
    NUM_SIDES,
    STATE,
)

NUM_FIGURES = 10
"""The number of figures of characters in a region: an upgrade has the figure of its Companion, Gollum has
none."""
NUM_FRAMES = len(Frame)
SHOWN_FRAMES = 4
NO_LIMIT = 127


REGION_FIELDS = (
    Field("regular", (NUM_REGIONS, NUM_NATIONS), "Regulars by nation", scale=0.5),
    Field("elite", (NUM_REGIONS, NUM_NATIONS), "Elites by nation", scale=0.5),
    Field(
        "leader",
        (NUM_REGIONS, NUM_LEADER_NATIONS),
        "Leaders by nation; the last column is the Nazgul",
        scale=0.5,
    ),
    Field(
        "control",
        (NUM_REGIONS, 1),
        "Settlement of the Free Peoples 1, of the Shadow -1, no Settlement 0",
    ),
    Field(
        "besieged",
        (NUM_REGIONS, 1),
        "1: a Stronghold under siege; of three or four players 2 more if the Free Peoples' units are a mixed "
        "army, 4 more if the Shadow's are, 8 more if the last action moved or attacked with the mixed army",
    ),
    Field("fellowship", (NUM_REGIONS, 1), "1: the figure of the Fellowship stands here"),
    Field(
        "figures",
        (NUM_REGIONS, NUM_FIGURES),
        "1: the character stands here; Gandalf, Strider or Aragorn, Boromir, Legolas, Gimli, Meriadoc, "
        "Peregrin, Witch-king, Mouth of Sauron, Saruman",
    ),
    Field(
        "origin",
        (NUM_REGIONS, 1),
        "1: the origin of the chosen move or attack, or of the battle",
        "decider",
    ),
    Field(
        "target",
        (NUM_REGIONS, 1),
        "1: the target of the move or attack, a region on its way, or where figures are being lost",
        "decider",
    ),
    Field(
        "entered",
        (NUM_REGIONS, 1),
        "n: entered by armies or Nazgul in this action, as its n-th region",
        "decider",
    ),
)
"""The parts of the row of a region, one after another."""

CARD_FIELDS = (
    Field(
        "hand",
        (NUM_CARDS, 1),
        "1: in the own hand; 3: there, and the partner has given it; 2: in the partner's hand, to whom the "
        "seat has given it",
        "owner",
    ),
    Field("table", (NUM_CARDS, 1), "1: on the table"),
    Field(
        "in_play",
        (NUM_CARDS, 1),
        "1: being resolved, or a Combat card shown, or the own Combat card",
        "owner",
    ),
    Field("gone", (NUM_CARDS, 1), "1: discarded face up; 2: an own face-down discard", "owner"),
)
"""The parts of the row of a card, one after another. A row of zeros means that the seat cannot know the place
of the card."""

_PAIR = (NUM_SIDES,)
_BY_BACK = (NUM_SIDES, 2)
_BY_SEAT = (NUM_SEATS,)

GLOBAL_FIELDS = (
    Field("side", (1,), "the side of the observing seat: 0 the Free Peoples, 1 the Shadow"),
    Field("seat", _BY_SEAT, "one-hot: the observing seat"),
    Field("leads", _BY_SEAT, "1: the seat leads its side"),
    Field("next_seat", _BY_SEAT, "1: the seat takes the next action of its side"),
    Field("places_won", _BY_SEAT, "places taken minus places lost; partners are compared by this number"),
    Field("spent_nations", (NUM_FREE_PEOPLES,), "1: three players, the last action was spent on the nation"),
    Field("deciding", (1,), "1: the observing seat is the deciding seat"),
    Field("turn", (1,), "the turn, at most 127", scale=0.1),
    Field(
        "turns_left", (1,), "turns until the turn limit, at most 127; 127 if there is no limit", scale=1 / 127
    ),
    Field("phase", (len(Phase),), "one-hot: draw, Fellowship, Hunt allocation, roll, action, victory"),
    Field("acting", _PAIR, "one-hot: the side whose action die it is, in the action phase"),
    Field("victory_points", _PAIR, "points of enemy Settlements", scale=0.2),
    Field("dice", (NUM_SIDES, NUM_FACES), "unused action dice by result", scale=0.5),
    Field("dice_used", _PAIR, "used action dice", scale=0.3),
    Field("pool", _PAIR, "action dice of the side", scale=0.2),
    Field("hunt_box", _PAIR, "dice in the Hunt Box", scale=0.5),
    Field("rings", _PAIR, "Elven Rings"),
    Field("ring_used", _PAIR, "1: the side has used a Ring in this turn"),
    Field("messenger_used", (1,), "1: the Messenger of the Dark Tower was used in this turn"),
    Field(
        "fellowship_moved_last_turn",
        (1,),
        "1 until the allocation: dice of the Free Peoples hunted last turn",
    ),
    Field("steps_to_war", (NUM_NATIONS,), "steps to the box At War"),
    Field("active", (NUM_NATIONS,), "1: the nation is active"),
    Field("reinforcement_regular", (NUM_NATIONS,), "Regulars to recruit", scale=0.2),
    Field("reinforcement_elite", (NUM_NATIONS,), "Elites to recruit", scale=0.2),
    Field("reinforcement_leader", (NUM_LEADER_NATIONS,), "Leaders and Nazgul to recruit", scale=0.2),
    Field("casualty_regular", (NUM_FREE_PEOPLES,), "Regulars lost for good", scale=0.3),
    Field("casualty_elite", (NUM_FREE_PEOPLES,), "Elites lost for good", scale=0.3),
    Field("casualty_leader", (NUM_FREE_PEOPLES,), "Leaders lost for good", scale=0.3),
    Field("in_fellowship", (NUM_CHARACTERS,), "1: the character is in the Fellowship"),
    Field("on_board", (NUM_CHARACTERS,), "1: the character stands in a region"),
    Field("out_of_game", (NUM_CHARACTERS,), "1: eliminated, or replaced by his upgrade"),
    Field("minions_seen", (1,), "1: a Minion has been in play"),
    Field("progress", (1,), "the Fellowship's progress", scale=0.3),
    Field("revealed", (1,), "1: the Fellowship is Revealed"),
    Field("mordor_step", (1,), "step on the Mordor Track, 0 before", scale=0.5),
    Field("corruption", (1,), "Corruption, 0 to 12", scale=0.3),
    Field("move_attempted", (1,), "1: the Fellowship tried to move in this turn"),
    Field("hide_attempted", (1,), "1: the Fellowship tried to hide in this turn"),
    Field("guide", (NUM_CHARACTERS,), "one-hot: the Guide"),
    Field("tile_in_pool", (NUM_TILES,), "1: the tile is in the Hunt Pool"),
    Field("tile_waiting", (NUM_TILES,), "1: the tile waits for the Fellowship to enter Mordor"),
    Field("tile_drawn", (NUM_TILES,), "1: the tile was drawn"),
    Field("tile_removed", (NUM_TILES,), "1: the tile is out of the game"),
    Field("deck_size", (NUM_DECKS,), "cards in the draw decks", scale=0.05),
    Field(
        "hand_size",
        (NUM_SEATS, 2),
        "cards in hand by back: Character, Strategy; with them a Combat card whose back is not seen",
        scale=0.25,
    ),
    Field("face_down_size", _BY_BACK, "face-down discards by back", scale=0.1),
    Field("committed", _PAIR, "1: a Combat card lies face down"),
    Field("committed_back", _BY_BACK, "one-hot: the back of this card, if it is visible"),
    Field("hunt", (1,), "1: a Hunt is being resolved"),
    Field("hunt_cause", (len(HuntCause),), "one-hot: the cause of the Hunt"),
    Field("hunt_tile", (NUM_TILES,), "one-hot: the tile drawn"),
    Field("hunt_successes", (1,), "successes of the Hunt roll", scale=0.5),
    Field("hunt_damage", (1,), "Hunt damage left", scale=0.5),
    Field("hunt_reveals", (1,), "1: the Hunt will reveal the Fellowship"),
    Field("hunt_casualty", (1,), "1: a Companion has been taken"),
    Field("battle", (1,), "1: a battle is being fought"),
    Field("battle_attacker", _PAIR, "one-hot: the attacker"),
    Field("battle_kind", (3,), "one-hot: field, assault, sortie"),
    Field("battle_stage", (len(BattleStage),), "one-hot: the step of the battle", "decider"),
    Field("battle_round", (1,), "the round"),
    Field(
        "battle_flags",
        (7,),
        "White Rider used, withdrawn, retreated, card lock, fixed rounds of an assault, no ceasing and an "
        "advance for certain, Shadow "
        "dice fewer by the garrison",
    ),
    Field("hits", _PAIR, "hits scored by the side", scale=0.3),
    Field("misses", _PAIR, "misses rolled by the side", scale=0.3),
    Field(
        "combat",
        (NUM_SIDES, len(CombatColumn)),
        "what Combat cards changed and count in this round, see codes.CombatColumn",
        scale=0.5,
    ),
    Field("combat_void", _PAIR, "1: the side's Combat card has no further effect"),
    Field("forfeited_nazgul", (1,), "Nazgul Leadership given up in this round"),
    Field("party_regular", (NUM_NATIONS,), "the attacking part: Regulars", scale=0.3),
    Field("party_elite", (NUM_NATIONS,), "Elites", scale=0.3),
    Field("party_leader", (NUM_LEADER_NATIONS,), "Leaders and Nazgul", scale=0.3),
    Field("party_characters", (NUM_CHARACTERS,), "1: the character takes part"),
    Field("forfeited_characters", (NUM_CHARACTERS,), "1: without Leadership in this round"),
    Field("muted_characters", (NUM_CHARACTERS,), "1: without Leadership and abilities in this round"),
    Field("decision", (len(Decision),), "one-hot: the kind of the present decision", "decider"),
    Field("action_face", (NUM_FACES,), "one-hot: the die result being used", "decider"),
    Field("action_plan", (len(Plan),), "one-hot: the use of the die", "decider"),
    Field("chosen_regular", (NUM_NATIONS,), "figures picked so far: Regulars", "decider", scale=0.3),
    Field("chosen_elite", (NUM_NATIONS,), "Elites", "decider", scale=0.3),
    Field("chosen_leader", (NUM_LEADER_NATIONS,), "Leaders and Nazgul", "decider", scale=0.3),
    Field("chosen_characters", (NUM_CHARACTERS,), "1: the character is picked", "decider"),
    Field("moved_characters", (NUM_CHARACTERS,), "1: moved already in this action", "decider"),
    Field(
        "moved_figures",
        STATE["moved_figures"].shape,
        "figures that armies have moved to the regions entered, in their order: Regulars, Elites, Leaders of "
        "the nations of the side",
        "decider",
        scale=0.3,
    ),
    Field(
        "frame_kind",
        (SHOWN_FRAMES, NUM_FRAMES),
        "one-hot: the unfinished business on top, and below it",
        "decider",
    ),
    Field(
        "frame_numbers",
        (SHOWN_FRAMES, FRAME_SIZE - 1),
        "its stage and slots, see rules/frames.py",
        "decider",
        scale=0.05,
    ),
    Field(
        "options", (NUM_OPTIONS,), "the options of the ruleset, at the places of options.Option", scale=0.1
    ),
)


def _width(fields: tuple[Field, ...]) -> int:
    return sum(field.shape[1] for field in fields)


REGION_WIDTH = _width(REGION_FIELDS)
CARD_WIDTH = _width(CARD_FIELDS)
CARDS_AT = NUM_REGIONS * REGION_WIDTH
GLOBALS_AT = CARDS_AT + NUM_CARDS * CARD_WIDTH
OBSERVATION_SIZE = GLOBALS_AT + size_of(GLOBAL_FIELDS)

assert OBSERVATION_SIZE <= 5184


def _columns(name: str, fields: tuple[Field, ...]) -> type[TableCodes]:
    """The first column of each field in a row."""
    first = 0
    columns = {}
    for field in fields:
        columns[field.name.upper()] = first
        first += field.shape[1]
    return TableCodes.of(name, columns)


InRegion = _columns("InRegion", REGION_FIELDS)
"""The first column of each field in a region's row."""
InCard = _columns("InCard", CARD_FIELDS)
"""The column of each field in a card's row."""
At = places_of(GLOBAL_FIELDS, GLOBALS_AT)
"""The index of the first number of each global field in the observation."""
