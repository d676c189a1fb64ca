"""Encoding: writes the information of a seat into an observation (``observation_layout.py``)."""

from __future__ import annotations

import numpy as np

from wotr_env.compiler.memory import copy_bytes
from wotr_env.games.war_of_the_ring.codes import (
    CardZone,
    Character,
    Decision,
    Frame,
    Location,
    Phase,
    Side,
    TileZone,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import NUM_CARDS, NUM_REGIONS, NUM_TILES, SETTLEMENT_REGIONS
from wotr_env.games.war_of_the_ring.engine.observation_layout import (
    CARD_WIDTH,
    CARDS_AT,
    NO_LIMIT,
    NUM_FRAMES,
    OBSERVATION_SIZE,
    REGION_WIDTH,
    SHOWN_FRAMES,
    At,
    InCard,
    InRegion,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.armies import casualty_region, trim_region
from wotr_env.games.war_of_the_ring.rules.battle.retreat import retreats_from, retreats_to
from wotr_env.games.war_of_the_ring.rules.cards import is_given, some_is_given
from wotr_env.games.war_of_the_ring.rules.command import is_mixed, meeting_region
from wotr_env.games.war_of_the_ring.rules.companions import group_region
from wotr_env.games.war_of_the_ring.rules.minions import minion_origin
from wotr_env.games.war_of_the_ring.rules.movement import is_on_its_way, moving_from, moving_to, set_out_from
from wotr_env.games.war_of_the_ring.rules.places import noted_place, places_noted
from wotr_env.games.war_of_the_ring.rules.regions import first_region, regions_with_units, without_first
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE, is_shared, leader_of, partner_of, side_of
from wotr_env.games.war_of_the_ring.rules.spent import barred_armies, barred_army, is_barred
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.rules.victory import places_won, victory_points
from wotr_env.games.war_of_the_ring.state import (
    CARDS_PER_DECK,
    FRAME_SIZE,
    NUM_CHARACTERS,
    NUM_DECKS,
    NUM_FREE_PEOPLES,
    NUM_SEATS,
    NUM_SIDES,
)


@kernel
def figure_of(character):
    """The column of a character in ``figures``, or -1 (R14.8, R14.9: an upgrade replaces a Companion)."""
    if character == Character.GANDALF_WHITE:
        return Character.GANDALF_GREY
    if character == Character.ARAGORN:
        return Character.STRIDER
    if character == Character.GOLLUM:
        return -1
    return character if character < Character.GANDALF_WHITE else character - 3


@kernel
def _shown(value):
    return min(NO_LIMIT, int(value))


@kernel
def _encode_bits(observation, at, bits):
    for character in range(NUM_CHARACTERS):
        observation[at + character] = (bits >> character) & 1


@kernel
def _find_frame(state, kind):
    """The index of the topmost business of a kind on the stack, or -1."""
    for place in range(state.depth - 1, -1, -1):
        if state.stack[place, KIND] == kind:
            return place
    return -1


@kernel
def _encode_regions(state, observation):
    for region in range(NUM_REGIONS):
        copy_bytes(observation, region * REGION_WIDTH + InRegion.LEADER, state.leader[region])
    free_low, free_high = regions_with_units(state, Side.FREE_PEOPLES)
    shadow_low, shadow_high = regions_with_units(state, Side.SHADOW)
    low, high = free_low | shadow_low, free_high | shadow_high
    while low | high != 0:
        region = first_region(low, high)
        low, high = without_first(low, high)
        row = region * REGION_WIDTH
        copy_bytes(observation, row + InRegion.REGULAR, state.regular[region])
        copy_bytes(observation, row + InRegion.ELITE, state.elite[region])
    low, high = free_low & shadow_low, free_high & shadow_high
    while low | high != 0:
        observation[first_region(low, high) * REGION_WIDTH + InRegion.BESIEGED] = _BESIEGED
        low, high = without_first(low, high)
    for index in range(SETTLEMENT_REGIONS.size):
        row = SETTLEMENT_REGIONS[index] * REGION_WIDTH
        observation[row + InRegion.CONTROL] = 1 if state.control[index] == Side.FREE_PEOPLES else -1
    if state.fellowship_region >= 0:
        observation[int(state.fellowship_region) * REGION_WIDTH + InRegion.FELLOWSHIP] = 1
    for character in range(NUM_CHARACTERS):
        location = int(state.location[character])
        if location >= 0:
            observation[At.ON_BOARD + character] = 1
            observation[location * REGION_WIDTH + InRegion.FIGURES + figure_of(character)] = 1
        elif location == Location.IN_FELLOWSHIP:
            observation[At.IN_FELLOWSHIP + character] = 1
        elif location != Location.ASIDE:
            observation[At.OUT_OF_GAME + character] = 1


# Values of ``besieged`` and ``hand``, see the layout.
_BESIEGED = 1
_MIXED = 2
_SPENT = 8
_GIVEN = 2
_RECEIVED = 3

_NUM_ZONES = 128  # a power of two: a zone under its mask is known not to be negative, a plain index
_COUNTED = 32  # more than the cards of a deck


def _card_rows() -> np.ndarray:
    """The encoding of a card: ``int8[NUM_SEATS, _NUM_ZONES, CARD_WIDTH]``, by viewer and zone."""
    rows = np.zeros((NUM_SEATS, _NUM_ZONES, CARD_WIDTH), dtype=np.int8)
    for seat in range(NUM_SEATS):
        rows[seat, CardZone.HAND + seat, InCard.HAND] = 1
        rows[seat, CardZone.FACE_DOWN + seat, InCard.GONE] = 2
        rows[seat, CardZone.COMMITTED + seat, InCard.IN_PLAY] = 1
    rows[:, CardZone.TABLE, InCard.TABLE] = 1
    rows[:, CardZone.DISCARD, InCard.GONE] = 1
    rows[:, CardZone.IN_PLAY, InCard.IN_PLAY] = 1
    return rows


def _card_counts() -> np.ndarray:
    """The contribution of a card to the packed counts of its deck, by zone: in each hand of its side, and
    face down."""
    counts = np.zeros(_NUM_ZONES, dtype=np.int64)
    for seat in range(NUM_SEATS):
        counts[CardZone.HAND + seat] = 1 if seat == SEAT_SIDE[seat] else _COUNTED
        counts[CardZone.FACE_DOWN + seat] = _COUNTED * _COUNTED
    return counts


_CARD_ROWS = _card_rows()
_CARD_COUNTS = _card_counts()


@kernel
def _encode_cards(state, seat, observation):
    for deck in range(NUM_DECKS):
        counts = 0
        for card in range(deck * CARDS_PER_DECK, (deck + 1) * CARDS_PER_DECK):
            zone = int(state.card_zone[card]) & (_NUM_ZONES - 1)
            copy_bytes(observation, CARDS_AT + card * CARD_WIDTH, _CARD_ROWS[seat, zone])
            counts += _CARD_COUNTS[zone]
        side = deck // 2
        observation[At.HAND_SIZE + 2 * side + deck % 2] = counts % _COUNTED
        observation[At.HAND_SIZE + 2 * (NUM_SEATS - 1 - side) + deck % 2] = counts // _COUNTED % _COUNTED
        observation[At.FACE_DOWN_SIZE + deck] = counts // (_COUNTED * _COUNTED)
    copy_bytes(observation, At.DECK_SIZE, state.deck_size)
    for side in range(NUM_SIDES):
        card = int(state.combat_card[side])
        owner = int(state.card_zone[card]) - CardZone.COMMITTED if card >= 0 else -1
        if owner < 0 or owner >= NUM_SEATS:
            continue
        deck = card // CARDS_PER_DECK
        observation[At.COMMITTED + side] = 1
        if owner == seat or state.options[Option.COMBAT_CARD_BACK_VISIBLE] == 1:
            observation[At.COMMITTED_BACK + deck] = 1
        else:
            observation[At.HAND_SIZE + 2 * owner + deck % 2] += 1  # as when the hand's backs were last seen
    if some_is_given(state):
        _encode_given(state, seat, observation)


@kernel
def _encode_given(state, seat, observation):
    """Writes the places of cards that a player has given to the partner: the player knows them, and the
    partner knows this (R13.2.3)."""
    for card in range(NUM_CARDS):
        holder = int(state.card_zone[card]) - CardZone.HAND
        if holder < 0 or holder >= NUM_SEATS:  # played without a question to its holder, as in no game
            continue
        if is_given(state, card) and (holder == seat or partner_of(state, holder) == seat):
            observation[CARDS_AT + card * CARD_WIDTH + InCard.HAND] = _RECEIVED if holder == seat else _GIVEN


@kernel
def _encode_turn(state, seat, observation):
    observation[At.SIDE] = side_of(seat)
    observation[At.SEAT + seat] = 1
    for side in range(NUM_SIDES):
        observation[At.LEADS + leader_of(state, side)] = 1
        observation[At.NEXT_SEAT + int(state.next_seat[side])] = 1
        if is_shared(state, side):
            _encode_partners(state, side, observation)
    observation[At.TURN] = _shown(state.turn)
    observation[At.TURNS_LEFT] = _shown(state.max_turns - state.turn) if state.max_turns > 0 else NO_LIMIT
    if state.phase >= Phase.DRAW:
        observation[At.PHASE + int(state.phase) - Phase.DRAW] = 1
    if state.phase == Phase.ACTION:
        observation[At.ACTING + int(state.acting)] = 1
    for side in range(NUM_SIDES):
        observation[At.VICTORY_POINTS + side] = victory_points(state, side)
    copy_bytes(observation, At.DICE, state.dice)
    copy_bytes(observation, At.DICE_USED, state.dice_used)
    copy_bytes(observation, At.POOL, state.pool)
    copy_bytes(observation, At.HUNT_BOX, state.hunt_box)
    copy_bytes(observation, At.RINGS, state.rings)
    copy_bytes(observation, At.RING_USED, state.ring_used)
    observation[At.MESSENGER_USED] = state.messenger_used
    observation[At.FELLOWSHIP_MOVED_LAST_TURN] = state.fellowship_moved_last_turn
    copy_bytes(observation, At.OPTIONS, state.options)


@kernel
def _encode_partners(state, side, observation):
    """Writes the fields for partners: places won, mixed armies, and the nations and armies that may not act
    again."""
    observation[At.PLACES_WON + side] = places_won(state, side)
    observation[At.PLACES_WON + NUM_SEATS - 1 - side] = places_won(state, NUM_SEATS - 1 - side)
    for region in range(NUM_REGIONS):
        if is_mixed(state, side, region):
            observation[region * REGION_WIDTH + InRegion.BESIEGED] += _MIXED << side
    for nation in range(NUM_FREE_PEOPLES):
        observation[At.SPENT_NATIONS + nation] = is_barred(state, nation)
    if side == Side.SHADOW:
        for place in range(barred_armies(state)):
            region = barred_army(state, place)
            observation[region * REGION_WIDTH + InRegion.BESIEGED] += _SPENT


@kernel
def _encode_nations(state, observation):
    copy_bytes(observation, At.STEPS_TO_WAR, state.steps_to_war)
    copy_bytes(observation, At.ACTIVE, state.active)
    copy_bytes(observation, At.REINFORCEMENT_REGULAR, state.reinforcement_regular)
    copy_bytes(observation, At.REINFORCEMENT_ELITE, state.reinforcement_elite)
    copy_bytes(observation, At.REINFORCEMENT_LEADER, state.reinforcement_leader)
    copy_bytes(observation, At.CASUALTY_REGULAR, state.casualty_regular)
    copy_bytes(observation, At.CASUALTY_ELITE, state.casualty_elite)
    copy_bytes(observation, At.CASUALTY_LEADER, state.casualty_leader)


@kernel
def _encode_fellowship(state, observation):
    observation[At.MINIONS_SEEN] = state.minions_seen
    observation[At.PROGRESS] = state.progress
    observation[At.REVEALED] = state.revealed
    observation[At.MORDOR_STEP] = state.mordor_step
    observation[At.CORRUPTION] = state.corruption
    observation[At.MOVE_ATTEMPTED] = state.move_attempted
    observation[At.HIDE_ATTEMPTED] = state.hide_attempted
    observation[At.GUIDE + int(state.guide)] = 1
    for tile in range(NUM_TILES):
        zone = state.tile_zone[tile]
        observation[At.TILE_IN_POOL + tile] = zone == TileZone.POOL
        observation[At.TILE_WAITING + tile] = zone == TileZone.WAITING
        observation[At.TILE_DRAWN + tile] = zone == TileZone.DRAWN
        observation[At.TILE_REMOVED + tile] = zone == TileZone.REMOVED


@kernel
def _encode_hunt(state, observation):
    observation[At.HUNT] = 1
    observation[At.HUNT_CAUSE + int(state.hunt_cause)] = 1
    if state.hunt_tile >= 0:
        observation[At.HUNT_TILE + int(state.hunt_tile)] = 1
    observation[At.HUNT_SUCCESSES] = state.hunt_successes
    observation[At.HUNT_DAMAGE] = state.hunt_damage
    observation[At.HUNT_REVEALS] = state.hunt_reveals
    observation[At.HUNT_CASUALTY] = state.hunt_casualty


@kernel
def _encode_battle(state, observation):
    observation[At.BATTLE] = 1
    observation[At.BATTLE_ATTACKER + int(state.battle_attacker)] = 1
    observation[At.BATTLE_KIND + int(state.battle_kind)] = 1
    observation[At.BATTLE_ROUND] = state.battle_round
    observation[At.BATTLE_FLAGS] = state.battle_white_rider
    observation[At.BATTLE_FLAGS + 1] = state.battle_withdrawn
    observation[At.BATTLE_FLAGS + 2] = state.battle_retreated
    observation[At.BATTLE_FLAGS + 3] = state.battle_card_lock
    observation[At.BATTLE_FLAGS + 4] = state.battle_fixed_rounds
    observation[At.BATTLE_FLAGS + 5] = state.battle_no_cease
    observation[At.BATTLE_FLAGS + 6] = state.battle_fewer_by_garrison
    copy_bytes(observation, At.HITS, state.hits)
    copy_bytes(observation, At.MISSES, state.misses)
    copy_bytes(observation, At.COMBAT, state.combat)
    for side in range(NUM_SIDES):
        observation[At.COMBAT_VOID + side] = (state.combat_void >> side) & 1
    observation[At.FORFEITED_NAZGUL] = state.forfeited_nazgul
    copy_bytes(observation, At.PARTY_REGULAR, state.party_regular)
    copy_bytes(observation, At.PARTY_ELITE, state.party_elite)
    copy_bytes(observation, At.PARTY_LEADER, state.party_leader)
    _encode_bits(observation, At.PARTY_CHARACTERS, int(state.party_characters))
    _encode_bits(observation, At.FORFEITED_CHARACTERS, int(state.forfeited_characters))
    _encode_bits(observation, At.MUTED_CHARACTERS, int(state.muted_characters))


@kernel
def _mark_region(observation, region, column):
    if region >= 0:
        observation[region * REGION_WIDTH + column] = 1


@kernel
def _encode_places(state, observation, in_battle):
    """Marks the regions to which the decision refers."""
    decision = int(state.decision)
    if decision == Decision.ARMY_DESTINATION:
        _mark_region(observation, set_out_from(state), InRegion.ORIGIN)
        if is_on_its_way(state):
            _mark_region(observation, moving_from(state), InRegion.TARGET)
    elif decision == Decision.MOVE_FIGURES:
        _mark_region(observation, moving_from(state), InRegion.ORIGIN)
        _mark_region(observation, moving_to(state), InRegion.TARGET)
    elif decision == Decision.STAY_BEHIND:
        _mark_region(observation, retreats_from(state), InRegion.ORIGIN)
        _mark_region(observation, retreats_to(state), InRegion.TARGET)
    elif decision == Decision.COMPANION_DESTINATION or decision == Decision.SEPARATE_DESTINATION:
        _mark_region(observation, group_region(state), InRegion.ORIGIN)
    elif decision == Decision.MINION_DESTINATION:
        _mark_region(observation, minion_origin(state), InRegion.ORIGIN)
    elif decision == Decision.CASUALTY:
        _mark_region(observation, casualty_region(state), InRegion.TARGET)
    elif decision == Decision.TRIM_ARMY:
        _mark_region(observation, trim_region(state), InRegion.TARGET)
    elif decision == Decision.MERGE_ARMIES:
        _mark_region(observation, meeting_region(state), InRegion.TARGET)
    elif in_battle or decision == Decision.ATTACK_TARGET or decision == Decision.ATTACK_FIGURES:
        _mark_region(observation, int(state.battle_origin), InRegion.ORIGIN)
        if decision != Decision.ATTACK_TARGET:
            _mark_region(observation, int(state.battle_target), InRegion.TARGET)
    for place in range(places_noted(state)):
        observation[noted_place(state, place) * REGION_WIDTH + InRegion.ENTERED] = place + 1


@kernel
def _encode_decision(state, observation):
    observation[At.DECIDING] = 1
    observation[At.DECISION + int(state.decision)] = 1
    if _find_frame(state, Frame.ACTION) >= 0:
        observation[At.ACTION_FACE + int(state.action_face)] = 1
        observation[At.ACTION_PLAN + int(state.action_plan)] = 1
    copy_bytes(observation, At.CHOSEN_REGULAR, state.chosen_regular)
    copy_bytes(observation, At.CHOSEN_ELITE, state.chosen_elite)
    copy_bytes(observation, At.CHOSEN_LEADER, state.chosen_leader)
    _encode_bits(observation, At.CHOSEN_CHARACTERS, int(state.chosen_characters))
    _encode_bits(observation, At.MOVED_CHARACTERS, int(state.moved_characters))
    copy_bytes(observation, At.MOVED_FIGURES, state.moved_figures)
    for below in range(min(SHOWN_FRAMES, int(state.depth))):
        frame = state.stack[state.depth - 1 - below]
        observation[At.FRAME_KIND + below * NUM_FRAMES + int(frame[KIND])] = 1
        copy_bytes(observation, At.FRAME_NUMBERS + below * (FRAME_SIZE - 1), frame[STAGE:])


@kernel
def encode(state, seat, observation):
    """Writes the observation of a seat (section 18 of the rules)."""
    for place in range(OBSERVATION_SIZE):
        observation[place] = 0
    _encode_regions(state, observation)
    _encode_cards(state, seat, observation)
    _encode_turn(state, seat, observation)
    _encode_nations(state, observation)
    _encode_fellowship(state, observation)
    if _find_frame(state, Frame.HUNT) >= 0:
        _encode_hunt(state, observation)
    battle = _find_frame(state, Frame.BATTLE)
    if battle >= 0:
        _encode_battle(state, observation)
    if state.winner == Winner.NONE and state.seat == seat:
        _encode_decision(state, observation)
        _encode_places(state, observation, battle >= 0)
        if battle >= 0:
            observation[At.BATTLE_STAGE + int(state.stack[battle, STAGE])] = 1
