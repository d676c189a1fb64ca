"""Positions in words, from the view of the deciding seat (section 18)."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable

import numpy as np

from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    CardZone,
    Face,
    Frame,
    HuntCause,
    Icon,
    Location,
    Phase,
    Plan,
    Side,
    TileZone,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_ICON,
    CARD_NAMES,
    CHARACTER_NAMES,
    CHARACTER_SIDE,
    COMBAT_NAMES,
    NATION_NAMES,
    NATION_SIDE,
    NUM_CARDS,
    REGION_NAMES,
    REGION_SIDE,
    SETTLEMENT_INDEX,
    SETTLEMENT_REGIONS,
    TILE_NAMES,
)
from wotr_env.games.war_of_the_ring.rules import victory
from wotr_env.games.war_of_the_ring.rules.frames import frames
from wotr_env.games.war_of_the_ring.seating import (
    TEAMS,
    given_cards,
    is_shared,
    leader_of,
    mixed_armies,
    partner_of,
    seats_of_side,
)
from wotr_env.games.war_of_the_ring.state import CARDS_PER_SIDE
from wotr_env.games.war_of_the_ring.words.cards import card_text, combat_text
from wotr_env.games.war_of_the_ring.words.names import (
    DECK_NAMES,
    FACE_NAMES,
    PLAN_WORDS,
    SIDE_NAMES,
    face_name,
    figures_words,
    party_words,
    places_words,
    region_name,
    seat_name,
    tile_words,
)

_PHASES: dict[int, str] = {
    Phase.DRAW: "phase 1: cards",
    Phase.FELLOWSHIP: "phase 2: Fellowship",
    Phase.HUNT_ALLOCATION: "phase 3: Hunt allocation",
    Phase.ACTION_ROLL: "phase 4: action roll",
    Phase.ACTION: "phase 5: actions",
    Phase.VICTORY: "phase 6: victory check",
}

_ICONS: dict[int, str] = {Icon.CHARACTER: "Character", Icon.ARMY: "Army", Icon.MUSTER: "Muster"}

_BATTLES: dict[int, str] = {
    BattleKind.FIELD: "attacks from {origin} the army in {target}",
    BattleKind.ASSAULT: "assaults the garrison of {target}",
    BattleKind.SORTIE: "sorties from {target} against the besiegers",
}

_HUNTS: dict[int, str] = {
    HuntCause.MOVE: "for a move of the Fellowship",
    HuntCause.MORDOR_MOVE: "for a move on the Mordor Track",
    HuntCause.STRONGHOLD: "for a Shadow Stronghold on the way",
    HuntCause.CARD_ROLL: "by a card, with a roll",
    HuntCause.CARD_TILE: "by a card, without a roll",
}


def victory_points(state: np.record) -> tuple[int, int]:
    """The points for enemy Settlements controlled by the Free Peoples and by the Shadow (R12.3, R12.4)."""
    return _points_at(state["control"].tobytes(), state["options"].tobytes())


@functools.lru_cache(maxsize=16)
def _points_at(control: bytes, options: bytes) -> tuple[int, int]:
    """The same, computed from the two fields that determine the points; both rarely change, so results are
    cached."""
    state = types.SimpleNamespace(
        control=np.frombuffer(control, dtype=np.int8), options=np.frombuffer(options, dtype=np.int8)
    )
    free_peoples, shadow = (victory.victory_points(state, side) for side in Side)
    return int(free_peoples), int(shadow)


def describe(state: np.record) -> str:
    """The position in several lines of text: all public information, and the hand of the deciding seat.

    Args:
        state: one record of dtype ``STATE``.
    """
    return "\n".join(
        [
            f"Turn {int(state['turn'])}, {_PHASES.get(int(state['phase']), 'before phase 1')}",
            *_business(state),
            "",
            *_partners(state),
            *_fellowship(state),
            *_dice(state),
            *_hunt_pool(state),
            *_politics(state),
            *_control(state),
            "",
            "Armies and characters",
            *_board(state),
            *_characters_elsewhere(state),
            "",
            *_cards(state),
        ]
    )


def _business(state: np.record) -> Iterable[str]:
    """Lines about the current action, battle and Hunt."""
    if int(state["winner"]) != Winner.NONE:
        return
    plan = int(state["action_plan"])
    if plan != Plan.SKIP:
        side = SIDE_NAMES[int(state["acting"])]
        if is_shared(state, int(state["acting"])):
            side += f" ({seat_name(state, int(state['charge'][state['acting']]))})"
        yield f"Action of the {side} with the {face_name(state['action_face'])} die: {PLAN_WORDS[plan]}"
    waiting = list(frames(state))
    for frame in waiting:
        if frame.kind == Frame.EVENT:
            yield f"Event {CARD_NAMES[frame.card]}: {card_text(frame.card, state['options'])}"
    kinds = [frame.kind for frame in waiting]
    if Frame.BATTLE in kinds:
        yield from _battle(state)
    if Frame.HUNT in kinds:
        yield from _hunt(state)


def _battle(state: np.record) -> Iterable[str]:
    attacker = int(state["battle_attacker"])
    words = _BATTLES[int(state["battle_kind"])].format(
        origin=region_name(state["battle_origin"]), target=region_name(state["battle_target"])
    )
    yield f"Battle: {TEAMS[attacker].with_article} {words}; round {int(state['battle_round'])}"
    yield f"  attacking: {party_words(state, 'party') or 'nobody left'}"
    for side in Side:
        card = int(state["combat_card"][side])
        if 0 <= card < NUM_CARDS and int(state["card_zone"][card]) == CardZone.IN_PLAY:
            yield f"  combat card of {TEAMS[side].with_article}: {COMBAT_NAMES[card]} ({CARD_NAMES[card]})"
            yield f"    {combat_text(card, state['options'])}"
    hits, misses = state["hits"], state["misses"]
    for side in Side:
        if hits[side] or misses[side]:
            missed = counted(misses[side], "miss", "misses")
            yield f"  {SIDE_NAMES[side]}: {counted(hits[side], 'hit')}, {missed}"


def _hunt(state: np.record) -> Iterable[str]:
    successes = counted(state["hunt_successes"], "success", "successes")
    cause, damage = _HUNTS[int(state["hunt_cause"])], int(state["hunt_damage"])
    yield f"Hunt {cause}: {successes}, {tile_words(state)}, damage {damage}"


def _partners(state: np.record) -> Iterable[str]:
    """Lines about partners (leader, next action, comparison), and about the nations and armies of the last
    action, which a player without a partner may not use again (R13)."""
    for side in Side:
        if is_shared(state, side):
            places = ", ".join(places_words(state, seat) for seat in seats_of_side(state, side))
            leader = seat_name(state, leader_of(state, side))
            following = seat_name(state, int(state["next_seat"][side]))
            turns = f"{leader} leads, {following} has the next action"
            yield f"{SIDE_NAMES[side]} players: {turns} ({places})"
    last = int(state["spent_nations"][0])
    spent = [NATION_NAMES[nation] for nation in range(len(NATION_NAMES)) if last >> nation & 1]
    spent += [f"the army in {region_name(place - 1)}" for place in state["spent_armies"][0] if place > 0]
    if spent:
        yield f"The last action of {TEAMS[Side.FREE_PEOPLES].with_article} was spent on {', '.join(spent)}"


def _fellowship(state: np.record) -> Iterable[str]:
    step = int(state["mordor_step"])
    place = f"on step {step} of the Mordor Track" if step else f"in {region_name(state['fellowship_region'])}"
    progress = "" if step else f", progress {int(state['progress'])}"
    status = "revealed" if state["revealed"] else "hidden"
    yield f"Fellowship {place}{progress}, {status}; Corruption {int(state['corruption'])} of 12"
    guide = int(state["guide"])
    members = _characters_where(state, Location.IN_FELLOWSHIP)
    company = "; ".join(CHARACTER_NAMES[member] for member in members if member != guide)
    yield f"  Guide {CHARACTER_NAMES[guide]}; with {company or 'the Ring-bearers alone'}"


def _dice(state: np.record) -> Iterable[str]:
    for side in Side:
        dice = state["dice"][side]
        faces = [f"{int(dice[face])} {FACE_NAMES[face]}" for face in Face if dice[face]]
        rings = counted(state["rings"][side], "Elven Ring")
        used, pool = int(state["dice_used"][side]), int(state["pool"][side])
        yield f"{SIDE_NAMES[side]} dice: {', '.join(faces) or 'none'} ({used} used, pool {pool}); {rings}"
    boxes = [f"{int(state['hunt_box'][side])} {SIDE_NAMES[side]}" for side in Side]
    yield f"Hunt Box: {', '.join(boxes)}"


def _hunt_pool(state: np.record) -> Iterable[str]:
    zones = np.asarray(state["tile_zone"])
    yield f"Hunt Pool: {counted((zones == TileZone.POOL).sum(), 'tile')}"
    for zone in (TileZone.DRAWN, TileZone.WAITING, TileZone.REMOVED):
        tiles = [TILE_NAMES[tile] for tile in np.flatnonzero(zones == zone)]
        if tiles:
            yield f"  {zone.name.lower()}: {', '.join(tiles)}"


def _politics(state: np.record) -> Iterable[str]:
    steps_to_war, active = state["steps_to_war"].tolist(), state["active"].tolist()
    for side in Side:
        words = []
        for nation in _NATIONS[side]:
            steps = steps_to_war[nation]
            track = f"{counted(steps, 'step')} from war" if steps else "at war"
            words.append(f"{NATION_NAMES[nation]} {track}{'' if active[nation] else ', passive'}")
        yield f"{SIDE_NAMES[side]} nations: {'; '.join(words)}"


def _control(state: np.record) -> Iterable[str]:
    free_peoples, shadow = victory_points(state)
    yield f"Victory points: Free Peoples {free_peoples} of 4, Shadow {shadow} of 10"
    for side in Side:
        won = (np.asarray(state["control"]) == side) & (REGION_SIDE[SETTLEMENT_REGIONS] != side)
        taken = [REGION_NAMES[region] for region in SETTLEMENT_REGIONS[won].tolist()]
        if taken:
            yield f"  taken by {TEAMS[side].with_article}: {', '.join(taken)}"


def _board(state: np.record) -> Iterable[str]:
    mixed = [frozenset(mixed_armies(state, side)) for side in Side]
    units, control = state["units"].tolist(), state["control"].tolist()
    characters: dict[int, list[int]] = {}
    for who, place in enumerate(state["location"].tolist()):
        characters.setdefault(place, []).append(who)
    kinds = (state[kind].tolist() for kind in ("regular", "elite", "leader"))
    for region, figures in enumerate(zip(*kinds, strict=True)):
        there = characters.get(region, [])
        if not there and not any(map(any, figures)):
            continue
        siege = _SETTLEMENT_OF[region] >= 0 and min(units[region]) > 0
        keeper = control[_SETTLEMENT_OF[region]] if siege else -1
        words = []
        for side in Side:
            force = figures_words(figures, [who for who in there if _OWNER_OF[who] == side], _NATIONS[side])
            if force:
                role = "" if not siege else " garrison" if side == keeper else " besiegers"
                one = " (one army)" if region in mixed[side] else ""
                words.append(f"{SIDE_NAMES[side]}{role}: {force}{one}")
        if words:
            yield f"  {REGION_NAMES[region]}{' (besieged)' if siege else ''} - {' | '.join(words)}"


_NATIONS = [np.flatnonzero(NATION_SIDE == side).tolist() for side in Side]
"""The nations of each side."""
_OWNER_OF = tuple(CHARACTER_SIDE.tolist())
"""The side of each character."""
_SETTLEMENT_OF = tuple(SETTLEMENT_INDEX.tolist())
"""The index of the Settlement of each region, -1 if there is none."""


def _characters_elsewhere(state: np.record) -> Iterable[str]:
    for place, words in ((Location.ASIDE, "Not in play"), (Location.ELIMINATED, "Eliminated")):
        names = [CHARACTER_NAMES[character] for character in _characters_where(state, place)]
        if names:
            yield f"{words}: {'; '.join(names)}"


def _cards(state: np.record) -> Iterable[str]:
    """The hand of the deciding seat; for all other hidden cards only their numbers."""
    zones, options = np.asarray(state["card_zone"]), state["options"]
    owner = np.arange(NUM_CARDS) // CARDS_PER_SIDE
    for side in Side:
        decks = ", ".join(
            f"{DECK_NAMES[deck]} {state['deck_size'][deck]}" for deck in (2 * side, 2 * side + 1)
        )
        if is_shared(state, side):
            yield f"{SIDE_NAMES[side]} cards: decks {decks}"
            for seat in seats_of_side(state, side):
                held, thrown = _counts(zones, seat)
                yield f"{seat_name(state, seat)} cards: {held} in hand, {thrown} discarded face down"
                yield from _hand(state, zones, seat)
        else:
            held, thrown = _counts(zones, side)
            yield f"{SIDE_NAMES[side]} cards: {held} in hand, decks {decks}, {thrown} discarded face down"
            yield from _hand(state, zones, side)
        for card in np.flatnonzero((zones == CardZone.TABLE) & (owner == side)).tolist():
            yield f"  on the table: {CARD_NAMES[card]}: {card_text(card, options)}"
        discards = np.flatnonzero((zones == CardZone.DISCARD) & (owner == side))
        if len(discards):
            yield f"  discards: {', '.join(CARD_NAMES[card] for card in discards)}"


def hand_text(state: np.record, seat: int) -> str:
    """The names of the cards in the hand of a seat, which only this seat may read."""
    hand = np.flatnonzero(state["card_zone"] == CardZone.HAND + seat)
    return ", ".join(CARD_NAMES[card] for card in hand) or "nothing"


def _counts(zones: np.ndarray, seat: int) -> tuple[int, int]:
    """The numbers of a seat's cards in its hand and of those that it has discarded face down."""
    return int((zones == CardZone.HAND + seat).sum()), int((zones == CardZone.FACE_DOWN + seat).sum())


def _hand(state: np.record, zones: np.ndarray, seat: int) -> Iterable[str]:
    """The hand of the deciding seat; from the hand of its partner, only the cards that it has given."""
    options, own = state["options"], seat == int(state["seat"])
    hand = np.flatnonzero(zones == CardZone.HAND + seat).tolist()
    partner = partner_of(state, seat)
    given = [card for card in given_cards(state) if card in hand]
    over = int(state["winner"]) != Winner.NONE
    if own and not over and hand:
        yield "  hand:"
        for card in hand:
            icon = f"{_ICONS[CARD_ICON[card]]} card"
            if partner is not None and card in given:
                icon += f", given by {seat_name(state, partner)}"
            yield f"    {CARD_NAMES[card]} ({icon}): {card_text(card, options)}"
            yield f"      in battle, {COMBAT_NAMES[card]}: {combat_text(card, options)}"
    elif given and not over and partner == int(state["seat"]):
        names = ", ".join(CARD_NAMES[card] for card in given)
        yield f"  in hand, given by {seat_name(state, int(state['seat']))}: {names}"
    committed = np.flatnonzero(zones == CardZone.COMMITTED + seat)
    if len(committed):
        names = ", ".join(CARD_NAMES[card] for card in committed)
        yield f"  combat card committed: {names if own else 'face down'}"


def _characters_where(state: np.record, place: int) -> list[int]:
    return np.flatnonzero(np.asarray(state["location"]) == place).tolist()
