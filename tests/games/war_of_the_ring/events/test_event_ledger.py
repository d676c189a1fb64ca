"""Events of play explain every difference between two positions, and nothing else."""

from __future__ import annotations

import json

import pytest

from tests.random_play import PARTNERS, PLAIN_STATE, PLAYS, traced_game
from wotr_env import Game
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Face, Roll, Side, TileZone
from wotr_env.games.war_of_the_ring.components import (
    NUM_SETTLEMENTS,
    SETTLEMENT_INDEX,
    SETTLEMENT_REGIONS,
)
from wotr_env.games.war_of_the_ring.events import EVENT_TYPES, events_of
from wotr_env.games.war_of_the_ring.events import types as ev
from wotr_env.games.war_of_the_ring.events.figures import figure_counts
from wotr_env.games.war_of_the_ring.events.types import CardPlace, Figures
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK

# --- A trace is the step. ---


def without_draws(state):
    state = state.copy()
    state["draws"] = 0
    state["num_draws"] = 0
    return state.tobytes()


@pytest.mark.parametrize("name", [*PLAYS, *PARTNERS])
def test_a_trace_ends_where_the_step_ends(name):
    """Byte for byte but for the draws, of which it has those of all moves."""
    for game, trace in traced_game(name, 1, 150):
        assert without_draws(trace.before) == without_draws(game.state)
        stepped = game.clone().step(trace.actions[0]).state
        assert without_draws(trace.after) == without_draws(stepped)
        assert len(list(trace.draws())) == int(stepped["counter"]) - int(game.state["counter"])


def test_the_last_step_of_a_game_can_be_asked_for():
    game = Game(1)
    assert game.events() == []
    before, action = game.state, game.legal()[0]
    other = game.step(action).clone()
    assert game.events() == other.events() == events_of(before, action)
    assert Game.from_bytes(game.to_bytes()).events() == []
    with pytest.raises(ValueError, match="the seats of this game are 0"):
        game.events(2)


# --- Events explain every difference. ---

_PLACES = {
    CardZone.TABLE: CardPlace.TABLE,
    CardZone.DISCARD: CardPlace.DISCARD,
    CardZone.IN_PLAY: CardPlace.IN_PLAY,
}
_SEATED = {
    CardZone.HAND: CardPlace.HAND,
    CardZone.FACE_DOWN: CardPlace.FACE_DOWN,
    CardZone.COMMITTED: CardPlace.COMMITTED,
}


def card_places(state):
    """Where each card is, and whose it is there."""
    places = []
    for zone in state["card_zone"].tolist():
        if zone < CardZone.HAND:
            places.append((CardPlace.DECK, None))
        elif zone in _PLACES:
            places.append((_PLACES[zone], None))
        else:
            first = max(each for each in _SEATED if each <= zone)
            places.append((_SEATED[first], zone - first))
    return places


def bits(words):
    """The bits of 32-bit words, lowest bit first."""
    return [word >> bit & 1 == 1 for word in words.tolist() for bit in range(32)]


def mixed_armies(state):
    words = state["mixed"]
    return [(side, region) for side in Side for region, mixed in enumerate(bits(words[side])) if mixed]


def takers(state):
    """By Settlement the second player of its side if his army took it."""
    return bits(state["taken_by_second"])[:NUM_SETTLEMENTS]


def leaders(state):
    players, turn = int(state["options"][Option.PLAYERS]), int(state["turn"])
    first = turn % 2 == 1
    return [0 if first or players < 4 else 3, 1 if first or players < 3 else 2]


def besieged(state):
    units = state["units"].tolist()
    return [place for place in SETTLEMENT_REGIONS.tolist() if all(units[place])]


class Ledger:
    """What events can change, of a position."""

    PLAIN = (
        "turn",
        "phase",
        "winner",
        "reason",
        "corruption",
        "guide",
        "mordor_step",
        "revealed",
        "progress",
    )

    def __init__(self, state):
        self.figures = figure_counts(state)
        self.cards = card_places(state)
        self.besieged = besieged(state)
        self.mixed = mixed_armies(state)
        self.takers = takers(state)
        self.leaders = leaders(state)
        self.offered = int(state["offered"])
        self.given = {card for card, given in enumerate(bits(state["given"])) if given}
        self.numbers = {name: int(state[name]) for name in (*self.PLAIN, "fellowship_region")}
        lists = (
            "location",
            "control",
            "active",
            "steps_to_war",
            "tile_zone",
            "pool",
            "hunt_box",
            "rings",
            "dice",
        )
        self.lists = {name: state[name].tolist() for name in lists}

    def apply(self, event):
        getattr(self, event.kind, lambda event: None)(event)

    def _shift(self, origin, destination, figures):
        for nation, *counts in figures:
            self.figures[origin, nation] -= counts
            self.figures[destination, nation] += counts

    def figures_moved(self, event):
        self._shift(event.origin, event.destination, event.figures)

    figures_returned = figures_moved

    def figures_recruited(self, event):
        self._shift(event.pool, event.region, event.figures)

    def figures_lost(self, event):
        self._shift(event.region, event.pool, event.figures)

    def elites_reduced(self, event):
        self._shift(event.region, event.elites_to, [Figures(event.nation, 0, event.count, 0)])
        self._shift(event.regulars_from, event.region, [Figures(event.nation, event.count, 0, 0)])

    def regulars_promoted(self, event):
        self._shift(event.region, event.regulars_to, [Figures(event.nation, event.count, 0, 0)])
        self._shift(event.elites_from, event.region, [Figures(event.nation, 0, event.count, 0)])

    def character_moved(self, event):
        assert self.lists["location"][event.character] == event.origin
        self.lists["location"][event.character] = event.destination

    def region_taken(self, event):
        assert event.seat in ((0, 3), (1, 2))[event.side]
        self.lists["control"][SETTLEMENT_INDEX[event.region]] = event.side
        self.takers[SETTLEMENT_INDEX[event.region]] = event.seat != event.side

    def siege_changed(self, event):
        assert event.besieged == (event.region not in self.besieged)
        self.besieged = sorted({*self.besieged} ^ {event.region}, key=SETTLEMENT_REGIONS.tolist().index)

    def card_moved(self, event):
        place, holder = self.cards[event.card]
        assert place == event.origin and holder in (None, event.seat)
        assert event.deck == event.card // CARDS_PER_DECK
        seated = event.destination in _SEATED.values()
        self.cards[event.card] = event.destination, event.seat if seated else None
        self.given.discard(event.card)
        if event.destination in (CardPlace.FACE_DOWN, CardPlace.COMMITTED) and event.origin == CardPlace.HAND:
            self.given -= {card for card in self.given if self.cards[card] == (CardPlace.HAND, event.seat)}

    def card_given(self, event):
        assert self.cards[event.card] == (CardPlace.HAND, event.giver)
        assert event.deck == event.card // CARDS_PER_DECK
        self.cards[event.card] = CardPlace.HAND, event.seat
        self.given.add(event.card)
        self.offered = 0

    def decided(self, event):
        if event.decision == Decision.OFFER_CARD:
            self.offered = event.action - Block.CARD + 1

    def leader_changed(self, event):
        self.leaders[int(event.seat in (1, 2))] = event.seat

    def armies_joined(self, event):
        self.mixed = sorted([*self.mixed, (event.side, event.region)])

    def armies_parted(self, event):
        self.mixed.remove((event.side, event.region))

    def nation_activated(self, event):
        self.lists["active"][event.nation] = 1

    def nation_advanced(self, event):
        assert self.lists["steps_to_war"][event.nation] == event.before
        self.lists["steps_to_war"][event.nation] = event.steps_to_war

    def tile_drawn(self, event):
        self.lists["tile_zone"][event.tile] = TileZone.DRAWN

    def tile_moved(self, event):
        self.lists["tile_zone"][event.tile] = event.destination

    def rolled(self, event):
        for face in event.faces:
            self.lists["dice"][event.side][face] += face != Face.EYE

    def die_used(self, event):
        self.lists["dice"][event.side][event.face] -= 1

    def die_gained(self, event):
        self.lists["dice"][event.side][event.face] += 1

    def die_turned(self, event):
        self.lists["dice"][event.side][event.face] -= 1
        self.lists["dice"][event.side][event.turned_to] += 1

    def hunt_box_changed(self, event):
        self.lists["hunt_box"][event.side] = event.dice

    def pool_changed(self, event):
        self.lists["pool"][event.side] = event.dice

    def rings_changed(self, event):
        self.lists["rings"][event.side] = event.rings

    def turn_began(self, event):
        assert event.turn == self.numbers["turn"] + 1
        self.numbers["turn"] = event.turn

    def phase_began(self, event):
        self.numbers["phase"] = event.phase

    def game_ended(self, event):
        self.numbers |= {"winner": event.winner, "reason": event.reason}

    def corruption_changed(self, event):
        assert self.numbers["corruption"] == event.before
        self.numbers["corruption"] = event.corruption

    def guide_changed(self, event):
        self.numbers["guide"] = event.character

    def fellowship_moved(self, event):
        self.numbers["progress"] = event.progress

    def fellowship_placed(self, event):
        self.numbers |= {"fellowship_region": event.region, "progress": event.progress}

    def fellowship_seen(self, event):
        self.numbers["revealed"] = event.revealed

    def mordor_step(self, event):
        self.numbers |= {"mordor_step": event.step, "fellowship_region": -1, "progress": 0}


_PARTS = ("cards", "besieged", "mixed", "takers", "leaders", "offered", "given", "numbers", "lists")


@pytest.mark.parametrize("name", [*PLAYS, *PARTNERS])
def test_events_explain_every_difference(name):
    """Move by move through a game: the position before, changed as the events say, is the one after."""
    for _, trace in traced_game(name, 2, 160):
        rows = trace.states.view(PLAIN_STATE)
        ledger = Ledger(rows[0])
        for after, events in zip(rows[1:], trace.moves, strict=True):
            for event in events:
                ledger.apply(event)
            wanted = Ledger(after)
            assert (ledger.figures == wanted.figures).all(), told(events)
            for part in _PARTS:
                assert getattr(ledger, part) == getattr(wanted, part), (part, told(events))
            ledger = wanted


def told(events):
    return json.dumps([event.to_dict() for event in events])


def test_random_games_have_every_kind_of_event_but_the_rarest():
    missing = set(EVENT_TYPES) - {ev.FiguresReturned, ev.DieGained, ev.MordorStep}
    for name, seed in (("four_sieges", 3), ("options", 1), ("three", 1)):
        for _, trace in traced_game(name, seed):
            missing -= {type(event) for event in trace.events()}
            if not missing:
                return
    raise AssertionError(f"never seen: {missing}")


@pytest.mark.parametrize("name", ["first", "cards_second"])
def test_dice_of_battles_score_what_the_state_counts(name):
    """Successes of the rolls of a move are the hits that it adds, where only dice change them."""
    for _, trace in traced_game(name, 4):
        for number, events in enumerate(trace.moves):
            rolls = [e for e in events if isinstance(e, ev.Rolled) and e.roll == Roll.COMBAT]
            for roll in rolls:
                assert trace.states[number + 1]["hits"][roll.side] == roll.successes
