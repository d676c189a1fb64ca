"""Events derived from two positions: the changes, rolls and draws of one move of the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from wotr_env.core.codes import NO_ACTION
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    CardZone,
    Decision,
    Draw,
    Face,
    Figure,
    Frame,
    HuntCause,
    HuntStage,
    Nation,
    Phase,
    Reason,
    Roll,
    Side,
    TileZone,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import CHARACTER_SIDE, NATION_SIDE, SETTLEMENT_REGIONS
from wotr_env.games.war_of_the_ring.events.figures import (
    FIGURE_FIELDS,
    figure_counts,
    figure_events,
    figures_of,
)
from wotr_env.games.war_of_the_ring.events.secrecy import secrecy_of, secrecy_of_card
from wotr_env.games.war_of_the_ring.events.types import (
    ArmiesJoined,
    ArmiesParted,
    BattleBegan,
    BattleEnded,
    BattleRound,
    CardGiven,
    CardMoved,
    CardPlace,
    CharacterMoved,
    CompanionDrawn,
    CorruptionChanged,
    Decided,
    DieGained,
    DieTurned,
    DieUsed,
    Event,
    FellowshipMoved,
    FellowshipPlaced,
    FellowshipSeen,
    GameEnded,
    GuideChanged,
    HitsCounted,
    HuntBegan,
    HuntBoxChanged,
    HuntDamage,
    LeaderChanged,
    MordorStep,
    NationActivated,
    NationAdvanced,
    PhaseBegan,
    PoolChanged,
    RegionTaken,
    RingsChanged,
    Rolled,
    SiegeChanged,
    TileDrawn,
    TileMoved,
    TurnBegan,
)
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.seating import is_shared, leader_of, mixed_armies, taken_by
from wotr_env.games.war_of_the_ring.state import (
    CARDS_PER_DECK,
    MAX_DRAWS,
    NUM_NATIONS,
    NUM_SEATS,
    NUM_SIDES,
    STATE,
)

_FIELDS: tuple[str, ...] = STATE.names or ()


def _field_of_byte() -> np.ndarray:
    """The number of the field that each byte of a state belongs to: ``int64[STATE.itemsize]``."""
    numbers = np.zeros(STATE.itemsize, dtype=np.int64)
    for number, (field, offset, *_) in enumerate((STATE.fields or {}).values()):
        numbers[offset : offset + field.itemsize] = number
    return numbers


_FIELD_OF_BYTE = _field_of_byte()


def changed_fields(states: np.ndarray) -> list[set[str]]:
    """The names of the fields in which each state, from the second on, differs from the previous one.

    ``draws`` is among them if something was drawn.
    """
    raw = states.view(np.uint8).reshape(states.size, -1)
    changed: list[set[str]] = [set() for _ in range(states.size - 1)]
    moves, places = np.nonzero(raw[1:] != raw[:-1])
    codes = moves * len(_FIELDS) + _FIELD_OF_BYTE[places]
    for code in set(codes.tolist()):
        move, field = divmod(code, len(_FIELDS))
        changed[move].add(_FIELDS[field])
    for fields, count in zip(changed, states["num_draws"][1:].tolist(), strict=True):
        fields.discard("draws")
        if count:  # in two moves in succession the same may have been drawn
            fields.add("draws")
    return changed


def events_of_move(
    before: np.void, after: np.void, action: int, forced: bool, changed: set[str]
) -> Iterator[Event]:
    """The events of one move, with all hidden information.

    Args:
        before: the position before the move.
        after: the position after the move, with the draws of this move.
        action: the action of the move, or ``NO_ACTION``.
        forced: whether the rules took the action.
        changed: the names of the fields that differ.
    """
    decision = Decision.NONE
    if action != NO_ACTION:
        decision = Decision(int(before["decision"]))
        secrecy = secrecy_of(before, after, action)
        yield Decided(int(before["seat"]), decision, action, forced, secrecy)
    for fields, read in _BEFORE_FIGURES:
        if not fields.isdisjoint(changed):
            yield from read(before, after)
    if not FIGURE_FIELDS.isdisjoint(changed):
        yield from figure_events(before, after, decision)
    for fields, read in _AFTER_FIGURES:
        if not fields.isdisjoint(changed):
            yield from read(before, after)


# --- The turn. ---


def _turn(before: np.void, after: np.void) -> Iterator[Event]:
    if after["turn"] != before["turn"]:
        yield TurnBegan(int(after["turn"]))
        for side in Side:
            leader = leader_of(after, side)
            if leader != leader_of(before, side):
                yield LeaderChanged(leader)
    if after["phase"] != before["phase"]:
        yield PhaseBegan(Phase(int(after["phase"])))


def _end(before: np.void, after: np.void) -> Iterator[Event]:
    yield GameEnded(Winner(int(after["winner"])), Reason(int(after["reason"])))


# --- Chance. ---


def drawn_in(state: np.void) -> list[list[int]]:
    """The rows of ``draws`` that the last move wrote."""
    count = int(state["num_draws"])
    assert count <= MAX_DRAWS, "a move drew more than a state can note"
    return state["draws"][:count].tolist()


def _rolls(before: np.void, after: np.void) -> Iterator[Event]:
    dice: list[int] = []
    rows = drawn_in(after)
    for number, row in enumerate(rows):
        kind, side, value = Roll(row[Draw.KIND]), Side(row[Draw.SIDE]), row[Draw.VALUE]
        if kind == Roll.TILE:
            yield TileDrawn(side, value)
        elif kind == Roll.COMPANION:
            yield CompanionDrawn(value)
        elif kind != Roll.CARD:  # told with the card itself
            dice.append(value)
            if number + 1 == len(rows) or purpose(rows[number + 1]) != purpose(row):
                yield Rolled(kind, side, tuple(dice), row[Draw.NEEDED])
                dice = []


def purpose(row: Sequence[int]) -> tuple[int, int, int]:
    """The common properties of dice that are rolled together: kind, side and needed value."""
    return row[Draw.KIND], row[Draw.SIDE], row[Draw.NEEDED]


def _tiles(before: np.void, after: np.void) -> Iterator[Event]:
    """Changes of tiles that the random draws do not show; for example, a drawn tile may have been
    returned."""
    zones, new = before["tile_zone"].copy(), after["tile_zone"]
    for row in drawn_in(after):
        if row[Draw.KIND] == Roll.TILE:
            zones[row[Draw.VALUE]] = TileZone.DRAWN
    for tile in np.flatnonzero(zones != new).tolist():
        yield TileMoved(tile, TileZone(int(zones[tile])), TileZone(int(new[tile])))


# --- Places. ---


def _characters(before: np.void, after: np.void) -> Iterator[Event]:
    old, new = before["location"], after["location"]
    for who in np.flatnonzero(old != new).tolist():
        yield CharacterMoved(who, int(old[who]), int(new[who]))


def _control(before: np.void, after: np.void) -> Iterator[Event]:
    for settlement in np.flatnonzero(before["control"] != after["control"]).tolist():
        side = Side(int(after["control"][settlement]))
        yield RegionTaken(int(SETTLEMENT_REGIONS[settlement]), side, taken_by(after, settlement))


def _sieges(before: np.void, after: np.void) -> Iterator[Event]:
    was, now = (state["units"][SETTLEMENT_REGIONS].all(axis=1) for state in (before, after))
    for settlement in np.flatnonzero(was != now).tolist():
        yield SiegeChanged(int(SETTLEMENT_REGIONS[settlement]), bool(now[settlement]))


def _mixed(before: np.void, after: np.void) -> Iterator[Event]:
    for side in Side:
        was, now = (set(mixed_armies(state, side)) for state in (before, after))
        for region in sorted(was - now):
            yield ArmiesParted(region, side)
        for region in sorted(now - was):
            yield ArmiesJoined(region, side)


# --- Battles. ---


def _stage(state: np.void, kind: Frame) -> int | None:
    """The stage of the latest unfinished business of a kind; None if there is none."""
    for frame in reversed(state["stack"][: int(state["depth"])].tolist()):
        if frame[KIND] == kind:
            return frame[STAGE]
    return None


def _battle(before: np.void, after: np.void) -> Iterator[Event]:
    was, now = _stage(before, Frame.BATTLE), _stage(after, Frame.BATTLE)
    if was is None and now is not None:
        yield _declared(after)
    elif was is not None and now is None:
        yield BattleEnded(
            Side(int(before["battle_attacker"])),
            BattleKind(int(before["battle_kind"])),
            int(before["battle_target"]),
            int(before["battle_round"]),
        )
    elif after["battle_round"] > before["battle_round"]:
        yield BattleRound(int(after["battle_target"]), int(after["battle_round"]))
    elif now is not None and (after["hits"] != before["hits"]).any():
        yield HitsCounted(*after["hits"].tolist())


def _declared(state: np.void) -> BattleBegan:
    side, region = Side(int(state["battle_attacker"])), int(state["battle_target"])
    party = np.zeros((NUM_NATIONS, len(Figure)), dtype=np.int8)
    for figure in Figure:
        picked = state[f"party_{figure.name.lower()}"]
        party[: picked.size, figure] = picked
    defending = figure_counts(state)[region]
    defending[NATION_SIDE == side] = 0
    there = np.flatnonzero((state["location"] == region) & (CHARACTER_SIDE != side))
    attacking = [who for who in range(len(CHARACTER_SIDE)) if int(state["party_characters"]) >> who & 1]
    return BattleBegan(
        side,
        BattleKind(int(state["battle_kind"])),
        int(state["battle_origin"]),
        region,
        figures_of(party),
        figures_of(defending),
        (tuple(attacking), tuple(there.tolist())),
    )


# --- Cards. ---

_SEATED = {
    CardZone.HAND: CardPlace.HAND,
    CardZone.FACE_DOWN: CardPlace.FACE_DOWN,
    CardZone.COMMITTED: CardPlace.COMMITTED,
}
_HOLDERS = {zone + seat: (place, seat) for zone, place in _SEATED.items() for seat in range(NUM_SEATS)}
_OPEN: dict[int, CardPlace] = {
    CardZone.TABLE: CardPlace.TABLE,
    CardZone.DISCARD: CardPlace.DISCARD,
    CardZone.IN_PLAY: CardPlace.IN_PLAY,
}


def _cards(before: np.void, after: np.void) -> Iterator[Event]:
    old, new = before["card_zone"], after["card_zone"]
    drawn = {row[Draw.VALUE] for row in drawn_in(after) if row[Draw.KIND] == Roll.CARD}
    moved, given = [], []
    for card in np.flatnonzero(old != new).tolist():
        origin, giver = _place(int(old[card]))
        destination, holder = _place(int(new[card]))
        deck = card // CARDS_PER_DECK
        if origin != destination:
            secrecy = secrecy_of_card(after, origin, destination)
            side = deck // NUM_SIDES
            seat = giver if giver is not None else holder
            if seat is None and not is_shared(after, side):
                seat = side
            event = CardMoved(seat, card, deck, origin, destination, card in drawn, secrecy)
            # The order must not tell which of the cards of a hand it was.
            moved.append(((side, seat or 0, secrecy, card), event))
        elif giver is not None and holder is not None and giver != holder:
            given.append(CardGiven(giver, holder, card, deck))
    yield from (event for _, event in sorted(moved, key=lambda each: each[0]))
    yield from sorted(given, key=lambda event: event.giver)


def _place(zone: int) -> tuple[CardPlace, int | None]:
    """The place of a card in a zone, and its owner there."""
    return _HOLDERS.get(zone) or (_OPEN.get(zone, CardPlace.DECK), None)


# --- Politics, the Fellowship and the Hunt. ---


def _politics(before: np.void, after: np.void) -> Iterator[Event]:
    for nation in np.flatnonzero(after["active"] > before["active"]).tolist():
        yield NationActivated(Nation(nation))
    was, now = before["steps_to_war"], after["steps_to_war"]
    for nation in np.flatnonzero(was != now).tolist():
        yield NationAdvanced(Nation(nation), int(was[nation]), int(now[nation]))


def _fellowship(before: np.void, after: np.void) -> Iterator[Event]:
    region, progress = int(after["fellowship_region"]), int(after["progress"])
    if after["mordor_step"] != before["mordor_step"]:
        yield MordorStep(int(after["mordor_step"]))
    elif region != before["fellowship_region"] or progress < before["progress"]:
        yield FellowshipPlaced(region, progress)
    elif progress > before["progress"]:
        yield FellowshipMoved(progress)
    if after["revealed"] != before["revealed"]:
        yield FellowshipSeen(bool(after["revealed"]))


def _guide(before: np.void, after: np.void) -> Iterator[Event]:
    yield GuideChanged(int(after["guide"]))


def _corruption(before: np.void, after: np.void) -> Iterator[Event]:
    yield CorruptionChanged(int(before["corruption"]), int(after["corruption"]))


def _hunt(before: np.void, after: np.void) -> Iterator[Event]:
    was, now = _stage(before, Frame.HUNT), _stage(after, Frame.HUNT)
    if was == HuntStage.BEGIN and now is not None and now > HuntStage.BEGIN:
        yield HuntBegan(HuntCause(int(after["hunt_cause"])))
    if now is not None and after["hunt_damage"] != before["hunt_damage"]:
        yield HuntDamage(int(before["hunt_damage"]), int(after["hunt_damage"]))


# --- Action dice. ---


def _dice(before: np.void, after: np.void) -> Iterator[Event]:
    change = after["dice"].astype(np.int64) - before["dice"]
    for row in drawn_in(after):
        if row[Draw.KIND] == Roll.ACTION_DIE:
            (rolled,) = Rolled(Roll.ACTION_DIE, Side(row[Draw.SIDE]), (row[Draw.VALUE],), 0).faces
            change[row[Draw.SIDE], rolled] -= rolled != Face.EYE
    for side in Side:
        gone = [Face(face) for face in Face for _ in range(-change[side, face])]
        come = [Face(face) for face in Face for _ in range(change[side, face])]
        for face, turned_to in zip(gone, come, strict=False):
            yield DieTurned(side, face, turned_to)
        for face in gone[len(come) :]:
            yield DieUsed(side, face)
        for face in come[len(gone) :]:
            yield DieGained(side, face)


def _numbers_of_dice(before: np.void, after: np.void) -> Iterator[Event]:
    for side in Side:
        for field, kind in (("pool", PoolChanged), ("hunt_box", HuntBoxChanged), ("rings", RingsChanged)):
            if after[field][side] != before[field][side]:
                yield kind(side, int(after[field][side]))


_Reader = Callable[[np.void, np.void], Iterator[Event]]


def _readers(*rows: tuple[str, _Reader]) -> tuple[tuple[frozenset[str], _Reader], ...]:
    return tuple((frozenset(fields.split()), read) for fields, read in rows)


_BEFORE_FIGURES = _readers(
    ("turn phase", _turn),
    ("draws", _rolls),
    ("dice", _dice),
    ("pool hunt_box rings", _numbers_of_dice),
    ("stack depth battle_round hits", _battle),
    ("stack depth hunt_damage", _hunt),
    ("card_zone", _cards),
)
"""The readers of events that run if one of these fields has changed, in the order of the events."""

_AFTER_FIGURES = _readers(
    ("location", _characters),
    ("mixed", _mixed),
    ("units", _sieges),
    ("control", _control),
    ("active steps_to_war", _politics),
    ("mordor_step fellowship_region progress revealed", _fellowship),
    ("tile_zone draws", _tiles),
    ("guide", _guide),
    ("corruption", _corruption),
    ("winner", _end),
)
