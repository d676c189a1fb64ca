"""The relations between the fields of a state, as kernels: decks, figures, seats and business.

``checks`` uses them; ``validation`` has the words of the errors.
"""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.types import array_of
from wotr_env.games.war_of_the_ring.actions import FIGURES_PER_NATION
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import (
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
from wotr_env.games.war_of_the_ring.components import (
    ELVEN_RINGS,
    NATION_SIDE,
    NUM_REGIONS,
    ON_THE_TRACK,
    REGION_NATION,
    TOTAL_ELITE,
    TOTAL_LEADER,
    TOTAL_REGULAR,
)
from wotr_env.games.war_of_the_ring.data.event_programs import MAX_OPS, Op
from wotr_env.games.war_of_the_ring.engine.bounds import (
    EVENT_ASKS,
    IS_BOUGHT_OFF,
    IS_ONCE,
    MAY_ASK,
    STEPS,
    ZONE_SIDE,
)
from wotr_env.games.war_of_the_ring.kernels import RULES, kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules import recruiting
from wotr_env.games.war_of_the_ring.rules.armies import ATTACKING_PART, CasualtyFrame, reinforcements_of
from wotr_env.games.war_of_the_ring.rules.battle.retreat import RetreatFrame, retreats_from
from wotr_env.games.war_of_the_ring.rules.cards import HandFrame, card_side, is_given
from wotr_env.games.war_of_the_ring.rules.command import MeetFrame
from wotr_env.games.war_of_the_ring.rules.events.cards.dead_men_of_dunharrow import LEADERS, DeadMenStep
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame
from wotr_env.games.war_of_the_ring.rules.minions import minion_origin, moving_minion
from wotr_env.games.war_of_the_ring.rules.movement import moving_from
from wotr_env.games.war_of_the_ring.rules.recruiting import RecruitFrame
from wotr_env.games.war_of_the_ring.rules.seats import FEWEST_PLAYERS, PARTNER, SEAT_NATIONS, SEAT_SIDE
from wotr_env.games.war_of_the_ring.rules.sharing import ShareFrame, ShareStage
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.rules.table.play import BuyOffFrame
from wotr_env.games.war_of_the_ring.rules.walks import MoveFrame
from wotr_env.games.war_of_the_ring.state import (
    ARMIES_MOVED,
    CARDS_PER_DECK,
    NUM_CHARACTERS,
    NUM_DECKS,
    NUM_FREE_PEOPLES,
    NUM_LEADER_NATIONS,
    NUM_NATIONS,
    NUM_SEATS,
    NUM_SETTLEMENTS,
    NUM_SIDES,
)


class Relation(Codes):
    """The broken relations; ``validation`` describes them in words."""

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
    EXCHANGE = 30


@kernel
def _wrong_cards(state):
    """Checks decks, hands, and cards to which the state refers. Returns the first broken relation, or -1."""
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
    """Checks that every figure is in one place, and that the sums of units are right."""
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
    """Checks the seats that play and the sides for which they decide."""
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
    """The index on the stack of the only frame of a kind, or -1."""
    for place in range(state.depth):
        if state.stack[place, KIND] == kind:
            return place
    return -1


@kernel
def _is_played(state, card):
    """Whether a card is in a zone in which its event may have put it."""
    zone = state.card_zone[card]
    return zone == CardZone.IN_PLAY or zone == CardZone.TABLE or zone == CardZone.DISCARD


@kernel
def _wrong_frames(state):
    """Checks that the frames on the stack fit together, and fit the rest of the state."""
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
    """Whether the Dead Men have a leader, if they still have to march by the card on top of the stack."""
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
    """Checks that the pending decision belongs to the frame on top of the stack, and can be executed."""
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
def _wrong_exchange(state):
    """Checks exchanges of cards between partners: a card is offered exactly while the second partner is asked
    for a card.

    A card that is offered for longer could leave the hand in which it is.
    """
    decision = int(state.decision)
    waits = False
    for place in range(state.depth):
        if state.stack[place, KIND] != Frame.SIDE_DRAWS:
            continue
        stage = int(state.stack[place, STAGE])
        asks = place == state.depth - 1
        if asks and decision == Decision.EXCHANGE_CARD:
            if stage != ShareStage.PARTNER_AGREES and stage != ShareStage.LEADER_GIVES:
                return Relation.EXCHANGE
        elif asks and decision == Decision.OFFER_CARD:
            waits = stage == ShareStage.OVER
            if not waits and stage != ShareStage.PARTNER_GIVES:
                return Relation.EXCHANGE
        elif stage > ShareStage.LEADER_AGREES and stage != ShareStage.OVER:
            return Relation.EXCHANGE
    return Relation.EXCHANGE if waits != (state.offered > 0) else -1


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
    """Whether a region contains these numbers of figures by nation, for a side."""
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
    """Whether the chosen figures belong to the attacking part."""
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
    """Checks that selected or attacking figures are in their origin region."""
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
    """Checks the relations between single numbers."""
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
def broken_relation(state):
    """The first ``Relation`` that does not hold, or -1. Cells and slots must be in their ranges."""
    relation = _wrong_numbers(state)
    if relation < 0:
        relation = _wrong_seats(state)
    if relation < 0:
        relation = _wrong_cards(state)
    if relation < 0:
        relation = _wrong_figures(state)
    if relation < 0:
        relation = _wrong_frames(state)
    if relation < 0:
        relation = _wrong_decision(state)
    if relation < 0:
        relation = _wrong_exchange(state)
    if relation < 0:
        relation = _wrong_parties(state)
    return relation


RULES.argument_types |= {"leader_figures": array_of(np.int8, strided=True)}
