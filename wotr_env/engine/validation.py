"""Whether the rules can go on from a state that comes from outside: the compiled check of every state.

Kernels index without bounds and loop by counts, so a state that no game can be in could make them write over
other memory or never end. What each field may be is told in three tables (the relations here, the rest
in ``bounds``), and one kernel reads them in some ten microseconds a state:

    cells       the least and the most of every number of the record
    slots       the same of each kind of unfinished business, and which decisions it asks
    relations   what holds between fields: decks, figures, seats, figures being picked

``wotr_env.engine.invariants`` knows more of the rules and is slower. What passes here need be no position of
any game, but to play on from it ends in a decision, in the end of the game or in a ``StateError``.
"""

from __future__ import annotations

import numba
import numpy as np

from wotr_env.actions import FIGURES_PER_NATION
from wotr_env.cards.events import EVENT_OPS
from wotr_env.codes import (
    BattleStage,
    CardZone,
    Decision,
    Figure,
    Frame,
    Nation,
    Reason,
    Side,
    Winner,
)
from wotr_env.compiler.codes import Codes
from wotr_env.components import (
    NATION_SIDE,
    NUM_REGIONS,
    REGION_NATION,
    TOTAL_ELITE,
    TOTAL_LEADER,
    TOTAL_REGULAR,
)
from wotr_env.data.event_programs import MAX_OPS, Op
from wotr_env.engine.bounds import (
    EVENT_ASKS,
    EVENT_MOST,
    IS_BOUGHT_OFF,
    IS_ONCE,
    LEAST,
    MAY_ASK,
    MOST,
    OFFSETS,
    SIZE,
    SLOT_LEAST,
    SLOT_MOST,
    STEPS,
    ZONE_SIDE,
)
from wotr_env.errors import StateError
from wotr_env.kernels import RULES, entry_point, kernel
from wotr_env.options import Option
from wotr_env.rules import recruiting
from wotr_env.rules.armies import (
    ATTACKING_PART,
    CasualtyFrame,
    reinforcements_of,
)
from wotr_env.rules.battle.retreat import RetreatFrame, retreats_from
from wotr_env.rules.cards import HandFrame, card_side, is_given
from wotr_env.rules.command import MeetFrame
from wotr_env.rules.events.cards.dead_men_of_dunharrow import LEADERS, DeadMenStep
from wotr_env.rules.events.frame import EventFrame
from wotr_env.rules.frames import SLOTS
from wotr_env.rules.minions import minion_origin, moving_minion
from wotr_env.rules.mordor import ON_THE_TRACK
from wotr_env.rules.movement import moving_from
from wotr_env.rules.recruiting import RecruitFrame
from wotr_env.rules.seats import ALL_CHARACTERS, FEWEST_PLAYERS, PARTNER, SEAT_NATIONS, SEAT_SIDE
from wotr_env.rules.setup import ELVEN_RINGS
from wotr_env.rules.sharing import ShareFrame
from wotr_env.rules.stack import KIND, STAGE
from wotr_env.rules.table.play import (
    BuyOffFrame,
)
from wotr_env.rules.victory import LAST_TURN
from wotr_env.rules.walks import MoveFrame
from wotr_env.ruleset import MOST_TURNS
from wotr_env.state import (
    ARMIES_MOVED,
    CARDS_PER_DECK,
    FRAME_SIZE,
    MAX_DEPTH,
    NUM_CHARACTERS,
    NUM_DECKS,
    NUM_FREE_PEOPLES,
    NUM_LEADER_NATIONS,
    NUM_NATIONS,
    NUM_SEATS,
    NUM_SETTLEMENTS,
    NUM_SIDES,
    STATE,
)

_TURN, _MAX_TURNS, _CHARACTERS = (OFFSETS[name] for name in ("turn", "max_turns", "chosen_characters"))
_STACK = OFFSETS["stack"]
_FRAMES = len(Frame)


class Relation(Codes):
    """What does not fit together; ``_RELATIONS`` says it in words."""

    MIXED = 0
    TAKEN = 1
    TAPE = 2
    DECK = 3
    ZONE = 4
    GIVEN = 5
    OFFERED = 6
    COMBAT_CARD = 7
    FIGURES = 8
    UNITS = 9
    RINGS = 10
    TRACK = 11
    REASON = 12
    PLAYERS = 13
    SIDES = 14
    BOTTOM = 15
    TWICE = 16
    FIGURE = 17
    PRICE = 18
    SCOPE = 19
    MEETING = 20
    DECISION = 21
    EVENT = 22
    CHOSEN = 23
    PARTY = 24
    MINION = 25
    RECRUIT = 26
    DEAD_MEN = 27
    MOVES = 28
    PLAYED = 29


_RELATIONS = {
    Relation.MIXED: "mixed: it names a region that does not exist",
    Relation.TAKEN: "taken_by_second: it names a Settlement that does not exist",
    Relation.TAPE: "tape_position: it is not within tape_length",
    Relation.DECK: "card_zone: a draw deck has a gap or a double, or does not fit deck_size",
    Relation.ZONE: "card_zone: a card is where it cannot be",
    Relation.GIVEN: "given: a card that was given is in no hand",
    Relation.OFFERED: "offered: the card is not in the hand of the partner of who decides",
    Relation.COMBAT_CARD: "combat_card: a side has a card of the other, or one that it has not played",
    Relation.FIGURES: "regular, elite, leader: the figures of a nation do not add up to its total",
    Relation.UNITS: "units: they are not the sum of regular and elite",
    Relation.RINGS: "rings: there are more than three",
    Relation.TRACK: "fellowship_region: it and mordor_step disagree",
    Relation.REASON: "reason: it does not fit the winner",
    Relation.PLAYERS: "seat, charge, next_seat: one is of a seat that nobody plays",
    Relation.SIDES: "charge, next_seat: one is a seat of the other side",
    Relation.BOTTOM: "stack: its bottom is not the turn",
    Relation.TWICE: "stack: it holds twice what there can be once",
    Relation.FIGURE: "stack: a figure to recruit does not exist",
    Relation.PRICE: "stack: a card to discard from the table is none that can be bought off",
    Relation.SCOPE: "stack: hits fall on the attacking part of no battle",
    Relation.MEETING: "stack: partners meet or draw on a side that has one player",
    Relation.DECISION: "decision: it is none that the top of the stack asks",
    Relation.EVENT: "decision: it is none that the event on top of the stack asks",
    Relation.CHOSEN: "chosen_regular, chosen_elite, chosen_leader: more are picked than are there",
    Relation.PARTY: "party_regular, party_elite, party_leader: more attack than are there",
    Relation.MINION: "stack: the Nazgul or Minion who moves is not there",
    Relation.RECRUIT: "stack: the figure to recruit is not among the reinforcements",
    Relation.DEAD_MEN: "stack: nobody leads the Dead Men",
    Relation.PLAYED: "stack: the card of an event is not in play",
    Relation.MOVES: "moved_count: more armies have moved, or may, than an action moves",
}


@kernel
def _wrong_cell(record_bytes):
    """The first byte out of its range, or -1."""
    for place in range(SIZE):
        value = record_bytes[place]
        if value < LEAST[place] or value > MOST[place]:
            return place
    return -1


@kernel
def _wrong_word(state):
    """The place of the first number of two bytes that is out of its range, or -1."""
    if state.turn < 1 or state.turn > LAST_TURN:
        return _TURN
    if state.max_turns < 0 or state.max_turns > MOST_TURNS:
        return _MAX_TURNS
    sets = (
        int(state.chosen_characters),
        int(state.party_characters),
        int(state.moved_characters),
        int(state.forfeited_characters),
        int(state.muted_characters),
    )
    for place in range(len(sets)):
        if sets[place] < 0 or sets[place] > ALL_CHARACTERS:
            return _CHARACTERS + 2 * place
    return -1


@kernel
def _event_most(state, place, slot):
    """The most of a slot of an event, whose card and place in its program are right."""
    number = int(state.stack[place, STAGE])
    op = EVENT_OPS[int(state.stack[place, EventFrame.CARD]), number, 0] if number < MAX_OPS else Op.END
    return EVENT_MOST[op, slot]


@kernel
def _wrong_slot(state):
    """The place in the record of the first slot of a frame that is out of its range, or -1."""
    for place in range(MAX_DEPTH):
        kind = int(state.stack[place, KIND])
        for slot in range(FRAME_SIZE):
            value = int(state.stack[place, slot])
            if place >= state.depth:
                wrong = value != 0
            elif kind < 0 or kind >= _FRAMES:
                wrong = True
            else:
                wrong = value < SLOT_LEAST[kind, slot] or value > SLOT_MOST[kind, slot]
                if not wrong and kind == Frame.EVENT and slot > EventFrame.CARD:
                    wrong = value > _event_most(state, place, slot)
            if wrong:
                return _STACK + place * FRAME_SIZE + slot
    return -1


@kernel
def _wrong_cards(state):
    """Decks, hands, and cards that the state points at."""
    for deck in range(NUM_DECKS):
        places = 0
        cards = 0
        for card in range(deck * CARDS_PER_DECK, (deck + 1) * CARDS_PER_DECK):
            zone = int(state.card_zone[card])
            if zone < CARDS_PER_DECK:
                places |= 1 << zone
                cards += 1
            elif ZONE_SIDE[zone] != NUM_SIDES and ZONE_SIDE[zone] != card_side(card):
                return Relation.ZONE
            if is_given(state, card) and (zone < CardZone.HAND or zone >= CardZone.HAND + NUM_SEATS):
                return Relation.GIVEN
        if cards != state.deck_size[deck] or places != (1 << cards) - 1:
            return Relation.DECK
    for side in range(NUM_SIDES):
        card = int(state.combat_card[side])
        if card >= 0 and (card_side(card) != side or state.card_zone[card] < CardZone.COMMITTED):
            return Relation.COMBAT_CARD
    if state.offered > 0:
        partner = PARTNER[state.options[Option.PLAYERS] - FEWEST_PLAYERS, int(state.seat)]
        if state.card_zone[state.offered - 1] != CardZone.HAND + partner:
            return Relation.OFFERED
    return -1


@kernel
def _wrong_figures(state):
    """Every figure is in one place, and the sums of units are right."""
    for nation in range(NUM_NATIONS):
        regular = int(state.reinforcement_regular[nation])
        elite = int(state.reinforcement_elite[nation])
        leader = int(state.reinforcement_leader[nation]) if nation < NUM_LEADER_NATIONS else 0
        if nation < NUM_FREE_PEOPLES:
            regular += int(state.casualty_regular[nation])
            elite += int(state.casualty_elite[nation])
            leader += int(state.casualty_leader[nation])
        for region in range(NUM_REGIONS):
            regular += int(state.regular[region, nation])
            elite += int(state.elite[region, nation])
            if nation < NUM_LEADER_NATIONS:
                leader += int(state.leader[region, nation])
        if regular != TOTAL_REGULAR[nation] or elite != TOTAL_ELITE[nation]:
            return Relation.FIGURES
        if nation < NUM_LEADER_NATIONS and leader != TOTAL_LEADER[nation]:
            return Relation.FIGURES
    for region in range(NUM_REGIONS):
        free_peoples = 0
        shadow = 0
        for nation in range(NUM_NATIONS):
            units = int(state.regular[region, nation]) + int(state.elite[region, nation])
            if NATION_SIDE[nation] == Side.SHADOW:
                shadow += units
            else:
                free_peoples += units
        if state.units[region, 0] != free_peoples or state.units[region, 1] != shadow:
            return Relation.UNITS
    return -1


@kernel
def _wrong_seats(state):
    """Who plays, and for which side."""
    players = int(state.options[Option.PLAYERS]) - FEWEST_PLAYERS
    if SEAT_NATIONS[players, int(state.seat)] == 0:
        return Relation.PLAYERS
    for side in range(NUM_SIDES):
        for seat in (int(state.charge[side]), int(state.next_seat[side])):
            if SEAT_NATIONS[players, seat] == 0:
                return Relation.PLAYERS
            if SEAT_SIDE[seat] != side:
                return Relation.SIDES
    return -1


@kernel
def _find(state, kind):
    """The place of the business of a kind that there is once, or -1."""
    for place in range(state.depth):
        if state.stack[place, KIND] == kind:
            return place
    return -1


@kernel
def _is_played(state, card):
    """Whether a card lies where its event may have put it."""
    zone = state.card_zone[card]
    return zone == CardZone.IN_PLAY or zone == CardZone.TABLE or zone == CardZone.DISCARD


@kernel
def _wrong_frames(state):
    """What waits on the stack fits together, and the rest of the state."""
    players = int(state.options[Option.PLAYERS]) - FEWEST_PLAYERS
    seen = 0
    battle = _find(state, Frame.BATTLE)
    for place in range(state.depth):
        frame = state.stack[place]
        kind = int(frame[KIND])
        if (place == 0) != (kind == Frame.TURN):
            return Relation.BOTTOM
        if IS_ONCE[kind] == 1 and seen >> kind & 1 == 1:
            return Relation.TWICE
        seen |= 1 << kind
        if kind == Frame.RECRUIT:
            figure = int(frame[RecruitFrame.FIGURE])
            if (
                figure % FIGURES_PER_NATION == Figure.LEADER
                and figure // FIGURES_PER_NATION >= NUM_LEADER_NATIONS
            ):
                return Relation.FIGURE
        elif kind == Frame.EVENT and not _is_played(state, int(frame[EventFrame.CARD])):
            return Relation.PLAYED
        elif kind == Frame.BUY_OFF and IS_BOUGHT_OFF[frame[BuyOffFrame.CARD]] == 0:
            return Relation.PRICE
        elif kind == Frame.HAND_LIMIT and SEAT_NATIONS[players, frame[HandFrame.SEAT]] == 0:
            return Relation.PLAYERS
        elif kind == Frame.SIDE_DRAWS and PARTNER[players, frame[ShareFrame.SIDE]] < 0:
            return Relation.MEETING
        elif kind == Frame.ARMIES_MEET and PARTNER[players, frame[MeetFrame.SIDE]] < 0:
            return Relation.MEETING
        elif kind == Frame.CASUALTIES and frame[CasualtyFrame.SCOPE] & ATTACKING_PART != 0:
            if battle < 0 or frame[CasualtyFrame.SIDE] != state.battle_attacker:
                return Relation.SCOPE
            if frame[CasualtyFrame.REGION] != state.battle_origin:
                return Relation.SCOPE
        elif kind == Frame.MOVE_ARMIES:
            most = ARMIES_MOVED[int(state.acting)]
            if int(state.moved_count) + int(frame[MoveFrame.MOVES_LEFT]) > most:
                return Relation.MOVES
    return -1


@kernel
def _top(state, slot):
    """A number of the business on top of the stack."""
    return int(state.stack[state.depth - 1, slot])


@kernel
def _event_may_ask(state):
    """Whether the event on top of the stack asks the pending decision."""
    decision = int(state.decision)
    if MAY_ASK[decision, Frame.EVENT] == 1:
        return True
    place = _top(state, STAGE)
    if place == MAX_OPS:
        return False
    op = EVENT_OPS[_top(state, EventFrame.CARD), place, 0]
    return EVENT_ASKS[decision, op, min(_top(state, EventFrame.STEP), STEPS - 1)] == 1


@kernel
def _leads_the_dead(state):
    """Whether the Dead Men, if they have yet to march by the card on top of the stack, have a leader."""
    place = _top(state, STAGE)
    if place == MAX_OPS or EVENT_OPS[_top(state, EventFrame.CARD), place, 0] != Op.DEAD_MEN:
        return True
    if _top(state, EventFrame.STEP) > DeadMenStep.COMPANY:
        return True
    for character in range(NUM_CHARACTERS):
        region = int(state.location[character])
        if LEADERS >> character & 1 and region >= 0 and REGION_NATION[region] == Nation.ROHAN:
            return True
    return False


@kernel
def _wrong_decision(state):
    """The pending decision is one of what is on top of the stack, and can be carried out."""
    decision = int(state.decision)
    kind = _top(state, KIND)
    if kind == Frame.EVENT:
        if not _event_may_ask(state):
            return Relation.EVENT
        if not _leads_the_dead(state):
            return Relation.DEAD_MEN
    elif MAY_ASK[decision, kind] == 0:
        return Relation.DECISION
    if decision == Decision.MINION_DESTINATION:
        if minion_origin(state) < 0:
            return Relation.MINION
        if moving_minion(state) < 0 and state.leader[minion_origin(state), Nation.SAURON] == 0:
            return Relation.MINION
    if decision == Decision.RECRUIT_REGION and _top(state, RecruitFrame.KIND) == recruiting.MUSTER:
        figure = _top(state, RecruitFrame.FIGURE)
        if reinforcements_of(state, figure // FIGURES_PER_NATION, figure % FIGURES_PER_NATION) == 0:
            return Relation.RECRUIT
    return -1


@kernel
def _some_chosen(state):
    for nation in range(NUM_NATIONS):
        if state.chosen_regular[nation] > 0 or state.chosen_elite[nation] > 0:
            return True
    for nation in range(NUM_LEADER_NATIONS):
        if state.chosen_leader[nation] > 0:
            return True
    return False


@kernel
def _are_at(state, regular_units, elite_units, leader_figures, side, region):
    """Whether so many figures by nation are figures of a side in a region."""
    for nation in range(NUM_NATIONS):
        there = NATION_SIDE[nation] == side
        if int(regular_units[nation]) > (int(state.regular[region, nation]) if there else 0):
            return False
        if int(elite_units[nation]) > (int(state.elite[region, nation]) if there else 0):
            return False
        if nation < NUM_LEADER_NATIONS:
            if int(leader_figures[nation]) > (int(state.leader[region, nation]) if there else 0):
                return False
    return True


@kernel
def _are_of_party(state):
    """Whether the chosen figures are of the attacking part."""
    for nation in range(NUM_NATIONS):
        if state.chosen_regular[nation] > state.party_regular[nation]:
            return False
        if state.chosen_elite[nation] > state.party_elite[nation]:
            return False
        if nation < NUM_LEADER_NATIONS and state.chosen_leader[nation] > state.party_leader[nation]:
            return False
    return True


@kernel
def _wrong_parties(state):
    """Figures that are picked, and those that attack, are where they are taken from."""
    battle = _find(state, Frame.BATTLE)
    advances = state.decision == Decision.ADVANCE_FIGURES
    if battle < 0 or state.stack[battle, STAGE] != BattleStage.OVER or advances:
        # Without a battle nobody attacks, as nobody is of neither side.
        side = int(state.battle_attacker) if battle >= 0 else NUM_SIDES
        origin = int(state.battle_origin)
        if not _are_at(state, state.party_regular, state.party_elite, state.party_leader, side, origin):
            return Relation.PARTY
    if not _some_chosen(state):
        return -1
    if advances:
        return -1 if _are_of_party(state) else Relation.CHOSEN
    kind = _top(state, KIND)
    side = int(state.acting)
    region = -1
    if kind == Frame.MOVE_ARMIES:
        region = moving_from(state)
    elif kind == Frame.RETREAT:
        side = _top(state, RetreatFrame.SIDE)
        region = retreats_from(state)
    elif state.decision == Decision.ATTACK_FIGURES:
        region = int(state.battle_origin)
    elif kind == Frame.EVENT:
        region = _top(state, EventFrame.PLACE)
    if region >= 0 and _are_at(
        state, state.chosen_regular, state.chosen_elite, state.chosen_leader, side, region
    ):
        return -1
    return Relation.CHOSEN


@kernel
def _wrong_numbers(state):
    """The relations between single numbers."""
    for side in range(NUM_SIDES):
        if int(state.mixed[side, NUM_REGIONS // 32]) >> NUM_REGIONS % 32 != 0:
            return Relation.MIXED
    if int(state.taken_by_second[NUM_SETTLEMENTS // 32]) >> NUM_SETTLEMENTS % 32 != 0:
        return Relation.TAKEN
    if state.tape_position >= state.tape_length and state.tape_length + state.tape_position != 0:
        return Relation.TAPE
    if int(state.rings[0]) + int(state.rings[1]) > ELVEN_RINGS:
        return Relation.RINGS
    if (state.mordor_step > 0) != (state.fellowship_region == ON_THE_TRACK):
        return Relation.TRACK
    if (state.winner == Winner.NONE) != (state.reason == Reason.NONE):
        return Relation.REASON
    return -1


@kernel
def _fault(state, record_bytes):
    """The first thing wrong: the place of a number in the record, or SIZE and a ``Relation``; -1 for none."""
    fault = _wrong_cell(record_bytes)
    if fault < 0:
        fault = _wrong_word(state)
    if fault < 0:
        fault = _wrong_slot(state)
    if fault >= 0:
        return fault
    fault = _wrong_numbers(state)
    if fault < 0:
        fault = _wrong_seats(state)
    if fault < 0:
        fault = _wrong_cards(state)
    if fault < 0:
        fault = _wrong_figures(state)
    if fault < 0:
        fault = _wrong_frames(state)
    if fault < 0:
        fault = _wrong_decision(state)
    if fault < 0:
        fault = _wrong_parties(state)
    return SIZE + fault if fault >= 0 else -1


@entry_point(states=numba.from_dtype(STATE)[::1], cells=numba.int8[:, ::1], faults=numba.int64[::1])
def _find_faults(states, cells, faults):
    for game in range(states.size):
        faults[game] = _fault(states[game], cells[game])


RULES.argument_types |= {
    "record_bytes": numba.types.Array(numba.int8, 1, "C"),
    "leader_figures": numba.types.Array(numba.int8, 1, "A"),
}


def find_faults(states: np.ndarray) -> np.ndarray:
    """What is wrong with each of ``STATE[N]``: ``int64[N]``, -1 for nothing, else for ``fault_in_words``.

    The rules must have been compiled (``kernel.ensure_compiled``).
    """
    states = np.ascontiguousarray(states).reshape(-1)
    faults = np.empty(states.size, dtype=np.int64)
    _find_faults(states, states.view(np.int8).reshape(states.size, SIZE), faults)
    return faults


def check_states(states: np.ndarray) -> None:
    """Checks ``STATE[N]`` from outside; the rules must have been compiled.

    Raises:
        StateError: the rules cannot go on from one of them; the message names its field.
    """
    faults = find_faults(states)
    wrong = np.flatnonzero(faults >= 0)
    if wrong.size:
        game = int(wrong[0])
        words = fault_in_words(states.reshape(-1)[game], int(faults[game]))
        raise StateError(words if states.size == 1 else f"game {game} of the batch: {words}")


def fault_in_words(state: np.record, fault: int) -> str:
    """A fault of a state, with the name of the field."""
    if fault >= SIZE:
        return _RELATIONS[Relation(fault - SIZE)]
    name = max((name for name, at in OFFSETS.items() if at <= fault), key=OFFSETS.__getitem__)
    field = np.asarray(state[name])
    place = (fault - OFFSETS[name]) // field.itemsize
    index = np.unravel_index(place, field.shape)
    value = int(field[index])
    where = f"{name}[{', '.join(str(int(number)) for number in index)}]" if field.shape else name
    if name == "stack":
        return f"{where} is {value}, which {_slot_words(state, *map(int, index))}"
    if field.dtype == np.int8:
        return f"{where} is {value}, not from {LEAST[fault]} to {MOST[fault]}"
    return f"{where} is {value}, which it cannot be"


def _slot_words(state: np.record, place: int, slot: int) -> str:
    if place >= int(state["depth"]):
        return "is above the top of the stack"
    kind = int(state["stack"][place, KIND])
    if not 0 <= kind < _FRAMES:
        return "is no kind of business"
    names = {int(member): member.name.lower() for member in SLOTS.get(Frame(kind), ())} | {STAGE: "stage"}
    what = Frame(kind).name.lower().replace("_", " ")
    return f"cannot be the {names.get(slot, f'slot {slot}')} of the business {what}"
