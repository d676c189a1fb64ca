"""Describes a step of a game in sentences, from the view of one seat."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from wotr_env.core import kind
from wotr_env.core.codes import NO_ACTION
from wotr_env.core.descriptions import Tone
from wotr_env.core.spelling import capital, counted
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    Decision,
    HuntCause,
    Location,
    Roll,
    Side,
    TileZone,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_NAMES,
    CHARACTER_NAMES,
    COMBAT_NAMES,
    NATION_NAMES,
    NATION_SIDE,
    REGION_NAMES,
    REGION_SIDE,
    TILE_NAMES,
)
from wotr_env.games.war_of_the_ring.events import types as ev
from wotr_env.games.war_of_the_ring.events.secrecy import secrecy_of
from wotr_env.games.war_of_the_ring.events.trace import Trace
from wotr_env.games.war_of_the_ring.events.types import CardPlace, Event, Figures, Secrecy
from wotr_env.games.war_of_the_ring.seating import TEAMS, is_shared, seats_of_side, side_of
from wotr_env.games.war_of_the_ring.state import NUM_SIDES
from wotr_env.games.war_of_the_ring.words.actions import own_words, public_words
from wotr_env.games.war_of_the_ring.words.cards import card_text, combat_text
from wotr_env.games.war_of_the_ring.words.choices import shows
from wotr_env.games.war_of_the_ring.words.decisions import decision_text
from wotr_env.games.war_of_the_ring.words.names import (
    DECK_NAMES,
    FACE_NAMES,
    SIDE_NAMES,
    is_nazgul,
    kind_name,
    nation_name,
    seat_name,
    the_seat,
)
from wotr_env.games.war_of_the_ring.words.positions import victory_points


@dataclasses.dataclass(frozen=True)
class Sentence(kind.Sentence):
    """A sentence about a game; the choice of an action die starts a new line."""

    card: int | None = None
    """The card that the sentence shows."""
    rolled: ev.Rolled | None = None
    """The dice that the sentence describes."""
    shows: bool = False
    """Whether the consequence of a choice describes it again (``words.choices``), or the sentence is not
    about a choice."""


def tell(trace: Trace, viewer: int | None) -> list[Sentence]:
    """Describes a step in sentences: each choice and its consequences.

    Args:
        trace: the trace of the step.
        viewer: a seat, ``PUBLIC``, or None for a viewer who may see everything.
    """
    told: list[Sentence] = []
    for number, events in enumerate(trace.moves_seen_by(viewer)):
        told += _choice(trace, number, viewer)
        told += _joined(effects(events, trace.states[number + 1]))
    return told


def effects(events: Sequence[Event], after: np.record) -> Iterator[Sentence]:
    """Describes the events of one move of a step in sentences, except its decision.

    Args:
        events: the events from the view of a seat.
        after: the position after the move.
    """
    decision = next((event.decision for event in events if isinstance(event, ev.Decided)), Decision.NONE)
    context = _Context(decision, after, frozenset(type(event) for event in events))
    for teller, group in itertools.groupby(events, key=lambda event: _TELLERS[type(event)]):
        yield from teller(list(group), context)


@dataclasses.dataclass(frozen=True)
class _Context:
    """The information besides the events on which a sentence depends."""

    decision: Decision
    after: np.record
    kinds: frozenset[type[Event]]


def _choice(trace: Trace, number: int, viewer: int | None) -> Iterator[Sentence]:
    action = trace.actions[number]
    if action == NO_ACTION:
        return
    before, after = trace.states[number], trace.states[number + 1]
    seat = int(before["seat"])
    own = viewer in (None, seat)
    words = own_words(before, action) if own else public_words(before, after, action)
    if words is not None:
        opens = int(before["decision"]) == Decision.ACTION_DIE
        forced = number > 0 and secrecy_of(before, after, action) == Secrecy.OPEN
        again = forced or shows(int(before["decision"]), action)
        yield Sentence(Tone.FORCED if own and number else Tone.CHOICE, seat, words, opens, shows=again)


def _joined(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Combines consecutive effects into one sentence."""
    for tone, group in itertools.groupby(sentences, key=lambda sentence: sentence.tone):
        if tone == Tone.EFFECT:
            text = "; ".join(sentence.text for sentence in group)
            yield Sentence(tone, None, capital(text))
        else:
            yield from group


_Teller = Callable[[list[Any], _Context], Iterator[Sentence]]


def _silent(events: list[Event], context: _Context) -> Iterator[Sentence]:
    """No sentence: the choice or other events already describe these events."""
    yield from ()


def _effect(text: str) -> Sentence:
    return Sentence(Tone.EFFECT, None, text)


def _of_side(tone: Tone, side: int, text: str, context: _Context, **shown: Any) -> Sentence:
    """A sentence about an action of a side, which may have one player or two."""
    if is_shared(context.after, side):
        return Sentence(tone, None, text, team=int(side), **shown)
    return Sentence(tone, side, text, **shown)


# --- The turn, chance, dice. ---


def _turns(events: list[ev.TurnBegan], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield Sentence(Tone.TURN, None, f"Turn {event.turn}")


def _leads(events: list[ev.LeaderChanged], context: _Context) -> Iterator[Sentence]:
    for event in events:
        side = SIDE_NAMES[side_of(event.seat)]
        yield _effect(f"{seat_name(context.after, event.seat)} leads the {side}")


def _ends(events: list[ev.GameEnded], context: _Context) -> Iterator[Sentence]:
    yield Sentence(Tone.MAJOR, None, decision_text(context.after).rstrip("."))


_ROLLS = {
    Roll.COMBAT: "Combat roll",
    Roll.COMBAT_REROLL: "Re-roll by Leadership",
    Roll.COMBAT_CARD: "Roll for the Combat card",
    Roll.HUNT: "Hunt roll",
    Roll.HUNT_REROLL: "Hunt re-roll",
    Roll.HUNT_DAMAGE: "Die for the Hunt damage",
    Roll.EVENT: "Roll for the card",
}
_HUNTING = (Roll.HUNT, Roll.HUNT_REROLL)


def _rolls(events: list[ev.Rolled], context: _Context) -> Iterator[Sentence]:
    for event in events:
        whose = f" of {TEAMS[event.side].with_article}"
        if event.faces:
            counts = [
                f"{event.faces.count(face)} {FACE_NAMES[face]}" for face in sorted(dict.fromkeys(event.faces))
            ]
            text = f"Action dice{whose}: {', '.join(counts)}"
            yield _of_side(Tone.DEED, event.side, text, context, rolled=event)
            continue
        words = f"{_ROLLS[event.roll]}{whose}: {' '.join(map(str, event.values))}"
        if event.needed:
            hunting = event.roll in _HUNTING
            one, many = ("success", "successes") if hunting else ("hit", "hits")
            words += f" ({event.needed} or more): {counted(event.successes, one, many)}"
        yield _of_side(Tone.DEED, event.side, words, context, rolled=event)


def _tiles_drawn(events: list[ev.TileDrawn], context: _Context) -> Iterator[Sentence]:
    names = ", ".join(TILE_NAMES[event.tile] for event in events)
    yield _of_side(Tone.MAJOR, Side.SHADOW, f"Hunt tile: {names}", context)


def _companions_drawn(events: list[ev.CompanionDrawn], context: _Context) -> Iterator[Sentence]:
    names = ", ".join(CHARACTER_NAMES[event.character] for event in events)
    yield Sentence(Tone.MAJOR, None, f"Drawn at random: {names}")


def _dice_turned(events: list[ev.DieTurned], context: _Context) -> Iterator[Sentence]:
    for event in events:
        whose = f"{FACE_NAMES[event.face]} die of {TEAMS[event.side].with_article}"
        yield _effect(f"{whose} turned to {FACE_NAMES[event.turned_to]}")


def _dice_gained(events: list[ev.DieGained], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield _effect(f"one more {FACE_NAMES[event.face]} die of {TEAMS[event.side].with_article}")


def _boxes(events: list[ev.HuntBoxChanged], context: _Context) -> Iterator[Sentence]:
    for event in events:
        if event.dice:
            yield _effect(f"{SIDE_NAMES[event.side]} dice in the Hunt Box: {event.dice}")


def _pools(events: list[ev.PoolChanged], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield _effect(f"action dice of {TEAMS[event.side].with_article}: {event.dice}")


def _rings(events: list[ev.RingsChanged], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield _effect(f"Elven Rings of {TEAMS[event.side].with_article}: {event.rings}")


# --- Figures and characters. ---


def _figures_text(figures: Iterable[Figures], characters: Iterable[int] = ()) -> str:
    words = []
    for nation, *counts in figures:
        kinds = [
            counted(count, kind_name(nation, kind), "Nazgul" if is_nazgul(nation, kind) else None)
            for kind, count in enumerate(counts)
            if count
        ]
        words.append(f"{nation_name(nation)} {', '.join(kinds)}")
    return "; ".join([*words, *(CHARACTER_NAMES[who] for who in characters)])


_GOING = {
    Decision.RETREAT: "retreat",
    Decision.STAY_BEHIND: "retreat",
    Decision.ADVANCE_FIGURES: "advance",
}


def _journeys(events: list[Event], context: _Context) -> Iterator[Sentence]:
    """Sentences about moves of figures and characters; those with the same origin and destination share a
    sentence."""
    armies = [event for event in events if isinstance(event, ev.FiguresMoved)]
    characters = [event for event in events if isinstance(event, ev.CharacterMoved)]
    for army in armies:
        along = [each for each in characters if _way(each) == _way(army)]
        characters = [each for each in characters if each not in along]
        who = _figures_text(army.figures, [each.character for each in along])
        verb = _GOING.get(context.decision, "move")
        alone = not along and sum(sum(counts) for _, *counts in army.figures) == 1
        way = f"from {REGION_NAMES[army.origin]} to {REGION_NAMES[army.destination]}"
        yield _effect(f"{who} {verb}{'s' if alone else ''} {way}")
    for _, group in itertools.groupby(characters, key=_way):
        yield _characters(list(group), context)


def _way(event: ev.FiguresMoved | ev.CharacterMoved) -> tuple[int, int]:
    return event.origin, event.destination


def _characters(events: list[ev.CharacterMoved], context: _Context) -> Sentence:
    """A sentence about characters with the same origin and destination."""
    name = " and ".join(CHARACTER_NAMES[event.character] for event in events)
    side, old, new = events[0].side, events[0].origin, events[0].destination
    be, s = ("is", "s") if len(events) == 1 else ("are", "")
    if new == Location.ELIMINATED:
        return _of_side(Tone.MAJOR, side, f"{name} {be} lost", context)
    if new == Location.REPLACED:
        return _of_side(Tone.DEED, side, f"{name} give{s} way to his greater self", context)
    if new == Location.ASIDE:
        return _of_side(Tone.DEED, side, f"{name} leave{s} play", context)
    if new == Location.IN_FELLOWSHIP:
        return _of_side(Tone.DEED, side, f"{name} join{s} the Fellowship", context)
    if old == Location.IN_FELLOWSHIP:
        text = f"{name} leave{s} the Fellowship and {be} in {REGION_NAMES[new]}"
        return _of_side(Tone.DEED, side, text, context)
    if old < 0:
        return _of_side(Tone.DEED, side, f"{name} enter{s} play in {REGION_NAMES[new]}", context)
    go = "goes" if len(events) == 1 else "go"
    return _effect(f"{name} {go} from {REGION_NAMES[old]} to {REGION_NAMES[new]}")


def _recruits(events: list[ev.FiguresRecruited], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield _effect(f"new in {REGION_NAMES[event.region]}: {_figures_text(event.figures)}")


def _losses(events: list[ev.FiguresLost], context: _Context) -> Iterator[Sentence]:
    for event in events:
        word = "removed" if event.disbanded else "lost"
        yield _effect(f"{word} in {REGION_NAMES[event.region]}: {_figures_text(event.figures)}")


def _reduced(events: list[ev.ElitesReduced], context: _Context) -> Iterator[Sentence]:
    for event in events:
        elites, nation = counted(event.count, "Elite"), nation_name(event.nation)
        yield _effect(f"reduced to Regulars in {REGION_NAMES[event.region]}: {nation} {elites}")


def _promoted(events: list[ev.RegularsPromoted], context: _Context) -> Iterator[Sentence]:
    for event in events:
        regulars, nation = counted(event.count, "Regular"), nation_name(event.nation)
        yield _effect(f"turned into Elites in {REGION_NAMES[event.region]}: {nation} {regulars}")


def _returned(events: list[ev.FiguresReturned], context: _Context) -> Iterator[Sentence]:
    for event in events:
        pool = event.destination.name.lower()
        yield _effect(f"{_figures_text(event.figures)}: now among the {pool}")


def _taken(events: list[ev.RegionTaken], context: _Context) -> Iterator[Sentence]:
    points = victory_points(context.after)
    score = f"{SIDE_NAMES[0]} {points[0]} of 4, {SIDE_NAMES[1]} {points[1]} of 10"
    for event in events:
        verb = "is freed by" if REGION_SIDE[event.region] == event.side else "falls to"
        taker = the_seat(context.after, event.seat)
        text = f"{REGION_NAMES[event.region]} {verb} {taker}; victory points: {score}"
        yield Sentence(Tone.MAJOR, event.seat, text)


def _joined_armies(events: list[ev.ArmiesJoined], context: _Context) -> Iterator[Sentence]:
    """Sentences about armies that became one, unless a common army moved to the region."""
    for event in events:
        if ev.ArmiesParted not in context.kinds:
            names = " and ".join(
                seat_name(context.after, seat) for seat in seats_of_side(context.after, event.side)
            )
            yield _effect(f"the armies of {names} in {REGION_NAMES[event.region]} are one")


def _parted_armies(events: list[ev.ArmiesParted], context: _Context) -> Iterator[Sentence]:
    """Sentences about common armies that ended, if units of one partner remain."""
    for event in events:
        if context.after["units"][event.region, event.side]:
            yield _effect(f"the army in {REGION_NAMES[event.region]} is of one player again")


def _sieges(events: list[ev.SiegeChanged], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield _effect(f"{REGION_NAMES[event.region]} is {'besieged' if event.besieged else 'free of siege'}")


# --- Battles. ---

_ATTACKS = {
    BattleKind.FIELD: "attack{s} {region} from {origin}",
    BattleKind.ASSAULT: "assault{s} the garrison of {region}",
    BattleKind.SORTIE: "sortie{s} from {region}",
}


def _battles(events: list[ev.BattleBegan], context: _Context) -> Iterator[Sentence]:
    for event in events:
        deed = _ATTACKS[event.battle].format(
            region=REGION_NAMES[event.region],
            origin=REGION_NAMES[event.origin],
            s="s" if event.side == Side.SHADOW else "",
        )
        attackers, defenders = event.characters
        against = _figures_text(event.defenders, defenders) or "nobody"
        forces = f"{_figures_text(event.attackers, attackers)} against {against}"
        yield _of_side(
            Tone.DEED, event.side, f"{capital(TEAMS[event.side].with_article)} {deed}: {forces}", context
        )


def _rounds(events: list[ev.BattleRound], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield _effect(f"round {event.round} of the battle for {REGION_NAMES[event.region]}")


def _hits(events: list[ev.HitsCounted], context: _Context) -> Iterator[Sentence]:
    """Sentences about hits, only if no dice show them."""
    for event in events:
        if ev.Rolled not in context.kinds:
            yield _effect(f"hits: {SIDE_NAMES[0]} {event.free_peoples}, {SIDE_NAMES[1]} {event.shadow}")


def _battle_ends(events: list[ev.BattleEnded], context: _Context) -> Iterator[Sentence]:
    for event in events:
        rounds = f" after {counted(event.round, 'round')}" if event.round else ""
        yield _effect(f"the battle for {REGION_NAMES[event.region]} is over{rounds}")


# --- Cards. ---


def _cards(events: list[ev.CardMoved], context: _Context) -> Iterator[Sentence]:
    for seat in dict.fromkeys(event.seat for event in events):
        drawn = [event for event in events if event.seat == seat and event.origin == CardPlace.DECK]
        if drawn:
            yield from _cards_drawn(drawn, context)
    for event in events:
        if event.card is not None and event.origin != CardPlace.DECK:
            yield from _card(event, CARD_NAMES[event.card], context)


def _by_owner(tone: Tone, event: ev.CardMoved, text: str, context: _Context, **shown: Any) -> Sentence:
    """A sentence about an action with a card, by its seat or by its side."""
    if event.seat is not None:
        return Sentence(tone, event.seat, text, **shown)
    return _of_side(tone, _deck_of(event) // NUM_SIDES, text, context, **shown)


def _deck_of(event: ev.CardMoved) -> int:
    assert event.deck is not None, "a card that no seat holds is seen by all"
    return event.deck


def _cards_drawn(drawn: list[ev.CardMoved], context: _Context) -> Iterator[Sentence]:
    decks = [DECK_NAMES[event.deck] for event in drawn if event.deck is not None]
    counts = ", ".join(f"{decks.count(deck)} {deck}" for deck in dict.fromkeys(decks))
    seat = drawn[0].seat
    who = SIDE_NAMES[_deck_of(drawn[0]) // NUM_SIDES] if seat is None else seat_name(context.after, seat)
    yield _by_owner(Tone.DEED, drawn[0], f"{who} cards drawn: {counts}", context)
    names = [CARD_NAMES[event.card] for event in drawn if event.card is not None]
    if names:
        yield _effect(", ".join(names))


def _card(event: ev.CardMoved, name: str, context: _Context) -> Iterator[Sentence]:
    """Sentences about a visible card, with the information that the choice does not already contain."""
    assert event.card is not None
    options = context.after["options"]
    if event.destination == CardPlace.IN_PLAY and event.origin == CardPlace.HAND:
        yield _by_owner(Tone.DEED, event, f"Event: {name}", context, card=event.card)
        yield _by_owner(Tone.TEXT, event, card_text(event.card, options), context)
    elif event.destination == CardPlace.IN_PLAY:
        side = TEAMS[_deck_of(event) // NUM_SIDES].with_article
        whose = side if event.seat is None else the_seat(context.after, event.seat)
        words = f"Combat card of {whose}: {COMBAT_NAMES[event.card]} ({name})"
        yield _by_owner(Tone.DEED, event, words, context, card=event.card)
        yield _by_owner(Tone.TEXT, event, combat_text(event.card, options), context)
    elif event.destination == CardPlace.TABLE:
        yield _effect(f"{name} stays on the table")
    elif event.destination == CardPlace.DISCARD and event.origin != CardPlace.IN_PLAY:
        chance = "by chance " if event.at_random else ""
        yield _by_owner(Tone.DEED, event, f"{name} is {chance}discarded", context)


def _cards_given(events: list[ev.CardGiven], context: _Context) -> Iterator[Sentence]:
    for event in events:
        what = f"a {DECK_NAMES[event.deck]} card" if event.card is None else CARD_NAMES[event.card]
        giver, holder = (seat_name(context.after, seat) for seat in (event.giver, event.seat))
        yield Sentence(Tone.DEED, event.giver, f"{giver} gives {holder} {what}")


# --- Politics, the Fellowship and the Hunt. ---


def _awake(events: list[ev.NationActivated], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield _effect(f"{NATION_NAMES[event.nation]}: now active")


def _advances(events: list[ev.NationAdvanced], context: _Context) -> Iterator[Sentence]:
    for event in events:
        steps, name = event.steps_to_war, NATION_NAMES[event.nation]
        if steps == 0:
            text = f"{name}: At War!"
            yield _of_side(Tone.MAJOR, int(NATION_SIDE[event.nation]), text, context)
        else:
            back = " again" if steps > event.before else ""
            yield _effect(f"{name}: {counted(steps, 'step')} from war{back}")


_HUNTS = {
    HuntCause.MOVE: "for a move of the Fellowship",
    HuntCause.MORDOR_MOVE: "for a move on the Mordor Track",
    HuntCause.STRONGHOLD: "for a Shadow Stronghold on the way",
    HuntCause.CARD_ROLL: "by a card",
    HuntCause.CARD_TILE: "by a card, without a roll",
}


def _hunts(events: list[ev.HuntBegan], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield _of_side(Tone.DEED, Side.SHADOW, f"The Hunt {_HUNTS[event.cause]}", context)


def _damages(events: list[ev.HuntDamage], context: _Context) -> Iterator[Sentence]:
    for event in events:
        if event.damage > event.before:
            yield _effect(f"Hunt damage {event.damage}")
        else:
            yield _effect(f"Hunt damage {event.damage} left" if event.damage else "no Hunt damage left")


_TILES = {
    TileZone.WAITING: "waits for Mordor",
    TileZone.POOL: "is in the Hunt Pool",
    TileZone.DRAWN: "is laid aside",
    TileZone.REMOVED: "is removed from the game",
    TileZone.ASIDE: "is set aside",
}


def _tiles_moved(events: list[ev.TileMoved], context: _Context) -> Iterator[Sentence]:
    back = [event for event in events if (event.origin, event.destination) == (TileZone.DRAWN, TileZone.POOL)]
    if back:
        yield _effect(f"{counted(len(back), 'drawn tile')} back in the Hunt Pool")
    for event in events:
        if event not in back:
            yield _effect(f"tile {TILE_NAMES[event.tile]} {_TILES[event.destination]}")


def _fellowship(events: list[Event], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield _of_side(Tone.DEED, Side.FREE_PEOPLES, _of_fellowship(event), context)


def _of_fellowship(event: Event) -> str:
    match event:
        case ev.FellowshipMoved():
            return f"The Fellowship moves: progress {event.progress}"
        case ev.FellowshipPlaced():
            left = f", progress {event.progress}" if event.progress else ""
            return f"The Fellowship is in {REGION_NAMES[event.region]}{left}"
        case ev.FellowshipSeen():
            return f"The Fellowship is {'revealed' if event.revealed else 'hidden again'}"
        case ev.MordorStep():
            return f"The Fellowship is on step {event.step} of the Mordor Track"
        case ev.GuideChanged():
            return f"New Guide: {CHARACTER_NAMES[event.character]}"
    raise TypeError(f"{event!r} is not about the Fellowship")


def _corruption(events: list[ev.CorruptionChanged], context: _Context) -> Iterator[Sentence]:
    for event in events:
        yield Sentence(Tone.MAJOR, None, f"Corruption {event.before} -> {event.corruption}")


_TELLERS: dict[type[Event], _Teller] = {
    ev.Decided: _silent,
    ev.TurnBegan: _turns,
    ev.LeaderChanged: _leads,
    ev.PhaseBegan: _silent,
    ev.GameEnded: _ends,
    ev.Rolled: _rolls,
    ev.TileDrawn: _tiles_drawn,
    ev.CompanionDrawn: _companions_drawn,
    ev.FiguresMoved: _journeys,
    ev.FiguresRecruited: _recruits,
    ev.FiguresLost: _losses,
    ev.ElitesReduced: _reduced,
    ev.RegularsPromoted: _promoted,
    ev.FiguresReturned: _returned,
    ev.CharacterMoved: _journeys,
    ev.RegionTaken: _taken,
    ev.ArmiesJoined: _joined_armies,
    ev.ArmiesParted: _parted_armies,
    ev.SiegeChanged: _sieges,
    ev.BattleBegan: _battles,
    ev.BattleRound: _rounds,
    ev.HitsCounted: _hits,
    ev.BattleEnded: _battle_ends,
    ev.CardMoved: _cards,
    ev.CardGiven: _cards_given,
    ev.NationActivated: _awake,
    ev.NationAdvanced: _advances,
    ev.FellowshipMoved: _fellowship,
    ev.FellowshipPlaced: _fellowship,
    ev.FellowshipSeen: _fellowship,
    ev.MordorStep: _fellowship,
    ev.GuideChanged: _fellowship,
    ev.CorruptionChanged: _corruption,
    ev.HuntBegan: _hunts,
    ev.HuntDamage: _damages,
    ev.TileMoved: _tiles_moved,
    ev.DieUsed: _silent,
    ev.DieTurned: _dice_turned,
    ev.DieGained: _dice_gained,
    ev.HuntBoxChanged: _boxes,
    ev.PoolChanged: _pools,
    ev.RingsChanged: _rings,
}
