"""Events of play: they explain every difference between two positions, and tell a seat no secrets."""

from __future__ import annotations

import collections
import functools
import itertools
import json

import numpy as np
import pytest

from tests.battles import Battle
from tests.positions import Position, attack, card, character, play, region, tile
from tests.random_play import PLAYS
from wotr_env import Game, sample_world
from wotr_env.actions import Block
from wotr_env.codes import (
    BattleKind,
    CardZone,
    Decision,
    Face,
    HuntCause,
    Location,
    Nation,
    Reason,
    Roll,
    Side,
    TileZone,
    Verb,
    Winner,
)
from wotr_env.components import DIE_FACES, NUM_CARDS, SETTLEMENT_INDEX, SETTLEMENT_REGIONS
from wotr_env.events import EVENT_TYPES, Event, events_of
from wotr_env.events import types as ev
from wotr_env.events.figures import figure_counts
from wotr_env.events.types import CardPlace, Figures, Pool, Secrecy
from wotr_env.state import CARDS_PER_DECK
from wotr_env.words.events import effects, tell
from wotr_experiments.dev.policies import POLICIES

FREE_PEOPLES, SHADOW = Side.FREE_PEOPLES, Side.SHADOW
MOST = 500
"""Decisions of each random game."""


def random_game(name, seed):
    """A game before each step, and the step's trace; like those of ``tests.random_play``."""
    rules = PLAYS[name]
    preferences = POLICIES[rules.policy].preferences()
    game, choices = Game(seed, rules.ruleset), np.random.default_rng(seed)
    for _ in range(MOST):
        if game.over:
            return
        legal = np.array(game.legal())
        liking = preferences[game.seat][legal]
        action = int(choices.choice(legal[liking == liking.max()]))
        trace = game.trace(action)
        yield game, trace
        game.step(action)


# --- A trace is the step. ---


def without_draws(state):
    state = state.copy()
    state["draws"] = 0
    state["num_draws"] = 0
    return state.tobytes()


@pytest.mark.parametrize("name", PLAYS)
def test_a_trace_ends_where_the_step_ends(name):
    """Byte for byte but for the draws, of which it has those of all moves."""
    for game, trace in random_game(name, 1):
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
    with pytest.raises(ValueError, match="the seat is 0"):
        game.events(2)


# --- Events explain every difference. ---

_PLACES = {
    CardZone.TABLE: CardPlace.TABLE,
    CardZone.DISCARD: CardPlace.DISCARD,
    CardZone.IN_PLAY: CardPlace.IN_PLAY,
}


def card_places(state):
    places = []
    for zone in state["card_zone"].tolist():
        if zone < CardZone.HAND:
            places.append(CardPlace.DECK)
        elif zone in _PLACES:
            places.append(_PLACES[zone])
        else:
            seated = {CardZone.HAND: CardPlace.HAND, CardZone.FACE_DOWN: CardPlace.FACE_DOWN}
            places.append(seated.get(zone & ~1, CardPlace.COMMITTED))
    return places


def besieged(state):
    return [int(place) for place in SETTLEMENT_REGIONS if state["units"][place].all()]


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
        self.lists["control"][SETTLEMENT_INDEX[event.region]] = event.side

    def siege_changed(self, event):
        assert event.besieged == (event.region not in self.besieged)
        self.besieged = sorted({*self.besieged} ^ {event.region}, key=SETTLEMENT_REGIONS.tolist().index)

    def card_moved(self, event):
        assert self.cards[event.card] == event.origin
        assert event.deck == event.card // CARDS_PER_DECK
        self.cards[event.card] = event.destination

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


@pytest.mark.parametrize("name", PLAYS)
def test_events_explain_every_difference(name):
    """Move by move through a game: the position before, changed as the events say, is the one after."""
    for _, trace in random_game(name, 2):
        for number, events in enumerate(trace.moves):
            ledger = Ledger(trace.states[number])
            for event in events:
                ledger.apply(event)
            wanted = Ledger(trace.states[number + 1])
            told = [event.to_dict() for event in events]
            assert (ledger.figures == wanted.figures).all(), told
            for part in ("cards", "besieged", "numbers", "lists"):
                assert getattr(ledger, part) == getattr(wanted, part), (part, told)


@functools.cache
def kinds_met():
    """How often each kind of event comes in random games."""
    met = collections.Counter()
    for name in PLAYS:
        for _, trace in random_game(name, 3):
            for event in trace.events():
                met[type(event)] += 1
                json.dumps(event.to_dict())
    return met


def test_random_games_have_every_kind_of_event_but_the_rarest():
    rare = {ev.FiguresReturned, ev.DieGained, ev.MordorStep}
    assert set(EVENT_TYPES) - set(kinds_met()) <= rare


@pytest.mark.parametrize("name", ["first", "cards_second"])
def test_dice_of_battles_score_what_the_state_counts(name):
    """Successes of the rolls of a move are the hits that it adds, where only dice change them."""
    for _, trace in random_game(name, 4):
        for number, events in enumerate(trace.moves):
            rolls = [e for e in events if isinstance(e, ev.Rolled) and e.roll == Roll.COMBAT]
            for roll in rolls:
                assert trace.states[number + 1]["hits"][roll.side] == roll.successes


# --- What a seat may know. ---


def swapped(state, viewer, rng):
    """The position with what the other seat holds, and how its decks lie, drawn anew."""
    world = sample_world(state, viewer, rng)
    own = slice(viewer * NUM_CARDS // 2, (viewer + 1) * NUM_CARDS // 2)
    world["card_zone"][own] = state["card_zone"][own]
    return world


@pytest.mark.parametrize("name", ["first", "cards", "cards_second", "options"])
def test_what_is_hidden_from_a_seat_does_not_change_what_it_is_told(name):
    """One step in two worlds that a seat cannot tell apart, before or after it: the same events and words."""
    rng = np.random.default_rng(5)
    compared = collections.Counter()
    for game, trace in itertools.islice(random_game(name, 5), 300):
        draws = [row for _, row in trace.draws()]
        if len(draws) > 30 or any(row[0] == Roll.CARD for row in draws):
            continue
        tape, action = [row[2] for row in draws], trace.actions[0]
        for viewer in Side:
            world = Game.from_state(swapped(game.state, viewer, rng))
            if action not in world.legal():
                continue
            other = world.with_tape(tape).trace(action)
            seen = Game.from_state(trace.after).observe(viewer)
            if not np.array_equal(seen, Game.from_state(other.after).observe(viewer)):
                continue
            assert trace.events(viewer) == other.events(viewer)
            assert tell(trace, viewer) == tell(other, viewer)
            for event, shown in zip(trace.events(), trace.events(viewer), strict=False):
                compared[event != shown] += 1
    assert compared[False] > 100
    assert compared[True] > 20


def test_a_hidden_choice_is_masked_or_left_out():
    drawn = ev.CardMoved(1, 50, 2, CardPlace.DECK, CardPlace.HAND, False, Secrecy.BACK)
    assert drawn.seen_by(1) is drawn
    assert drawn.seen_by(0) == ev.CardMoved(1, None, 2, CardPlace.DECK, CardPlace.HAND, False, Secrecy.BACK)
    laid = ev.CardMoved(1, 50, 2, CardPlace.HAND, CardPlace.COMMITTED, False, Secrecy.FACT)
    assert laid.seen_by(0).deck is None
    action = Block.CARD + 50
    committed = ev.Decided(1, Decision.COMBAT_CARD, action, True, Secrecy.FACT)
    assert committed.seen_by(0) == ev.Decided(1, Decision.COMBAT_CARD, None, None, Secrecy.FACT)
    declined = ev.Decided(1, Decision.COMBAT_CARD, Block.VERB + Verb.DECLINE, False, Secrecy.SECRET)
    assert declined.seen_by(0) is None
    assert declined.seen_by(1) is declined


# --- Single steps. ---


def last(game: Game, seat: int | None = None) -> list[Event]:
    """The events of the last step without its decisions."""
    return [event for event in game.events(seat) if not isinstance(event, ev.Decided)]


def of_kind(game: Game, *kinds: type[Event]) -> list[Event]:
    return [event for event in game.events() if isinstance(event, kinds)]


def test_a_hunt_is_told_with_its_dice_tile_and_damage():
    position = Position().dice("character character", "army").hunt_box(1, 2).fellowship("dagorlad")
    position = position.army("dagorlad", sauron=1)
    game = play(position.game(5, 1, 2, 3, tile("tile-1-1")), "face:character", "plan:move-fellowship")
    assert last(game) == [
        ev.FellowshipMoved(1),
        ev.HuntBegan(HuntCause.MOVE),
        ev.Rolled(Roll.HUNT, SHADOW, (5, 1, 2), 5),
        ev.Rolled(Roll.HUNT_REROLL, SHADOW, (3,), 5),
        ev.TileDrawn(SHADOW, tile("tile-1-1")),
        ev.HuntDamage(0, 1),
    ]
    play(game, "verb:take-corruption")
    assert last(game)[:2] == [ev.HuntDamage(1, 0), ev.CorruptionChanged(0, 1)]


def test_a_companion_lost_by_chance():
    game = Position().fellowship("rivendell").dice("character").hunt_box(0, 1).game(6, tile("tile-3-1"), 2)
    play(game, "face:character", "plan:move-fellowship", "verb:sacrifice-random")
    boromir = character("boromir")
    events = last(game)
    assert ev.CompanionDrawn(boromir) in events
    assert ev.CharacterMoved(boromir, Location.IN_FELLOWSHIP, Location.ELIMINATED) in events


def test_a_battle_is_told_from_the_attack_to_the_advance():
    position = Position().at_war("sauron", "gondor").army("dagorlad", sauron=3, nazgul=1)
    position.army("north-ithilien", gondor=1).dice("", "army army")
    game = attack(position.game(2, 6, 3, 4, 1), "army", "dagorlad", "north-ithilien")
    first = (Figures(Nation.SAURON, 3, 0, 1),), (Figures(Nation.GONDOR, 1, 0, 0),)
    dagorlad, ithilien = region("dagorlad"), region("north-ithilien")
    began = ev.BattleBegan(SHADOW, BattleKind.FIELD, dagorlad, ithilien, *first, ((), ()))
    assert last(game) == [
        began,
        ev.BattleRound(ithilien, 1),
        ev.Rolled(Roll.COMBAT, SHADOW, (2, 6, 3), 5),
        ev.Rolled(Roll.COMBAT, FREE_PEOPLES, (4,), 5),
        ev.HitsCounted(0, 1),
        ev.Rolled(Roll.COMBAT_REROLL, SHADOW, (1,), 5),
    ]
    play(game, "figure:gondor-regular")
    assert ev.FiguresLost(ithilien, (Figures(Nation.GONDOR, 1, 0, 0),), Pool.CASUALTIES, False) in last(game)
    play(game, "verb:whole-army")
    assert ev.FiguresMoved(dagorlad, ithilien, (Figures(Nation.SAURON, 3, 0, 1),)) in last(game)
    assert of_kind(game, ev.BattleEnded) == [ev.BattleEnded(SHADOW, BattleKind.FIELD, ithilien, 1)]


def test_an_elite_is_reduced():
    position = Position().at_war("sauron", "gondor").army("dagorlad", sauron=2)
    position.army("north-ithilien", gondor_elite=1, gondor=1).dice("", "army")
    game = attack(position.game(6, 1, 1, 1), "army", "dagorlad", "north-ithilien")
    play(game, "nation:gondor")
    place = region("north-ithilien")
    reduced = ev.ElitesReduced(place, Nation.GONDOR, 1, Pool.CASUALTIES, Pool.REINFORCEMENTS)
    assert reduced in last(game)


def test_cards_of_a_battle_are_revealed_together():
    battle = Battle(
        SHADOW,
        {"gondor": 2},
        {"sauron": 3, "nazgul": 1},
        "sh-char-01",
        "fp-strat-01",
        origin="north-ithilien",
        at="osgiliath",
    )
    game = attack(battle.game(), *battle.route)
    chosen = {f"card:{name}" for name in ("sh-char-01", "fp-strat-01")}
    while game.decision == Decision.COMBAT_CARD:
        names = {game.name_of(action) for action in game.legal()} & chosen
        play(game, *(names or {"verb:decline"}))
        if names:
            (moved, *_) = of_kind(game, ev.CardMoved)
            assert (moved.origin, moved.destination) == (CardPlace.HAND, CardPlace.COMMITTED)
            assert moved.seen_by(1 - moved.seat).card is None
    revealed = [e for e in of_kind(game, ev.CardMoved) if e.origin == CardPlace.COMMITTED]
    assert all(event.secrecy == Secrecy.OPEN for event in revealed)


def test_a_card_is_drawn_and_one_discarded_face_down():
    hand = [f"fp-strat-{number:02}" for number in range(1, 7)]
    position = Position().dice("event").hand(FREE_PEOPLES, *hand)
    game = play(position.game(), "face:event", "plan:draw-card", "verb:strategy-deck")
    own, other = ([event for event in game.events(seat) if isinstance(event, ev.CardMoved)] for seat in Side)
    assert own[0].card is not None
    assert other[0] == ev.CardMoved(0, None, 1, CardPlace.DECK, CardPlace.HAND, False, Secrecy.BACK)
    play(game, "card:fp-strat-03")
    thrown = next(event for event in game.events(SHADOW) if isinstance(event, ev.CardMoved))
    assert thrown == ev.CardMoved(0, None, 1, CardPlace.HAND, CardPlace.FACE_DOWN, False, Secrecy.BACK)
    decided = game.events(SHADOW)[0]
    assert decided == ev.Decided(0, Decision.DISCARD_CARD, None, None, Secrecy.FACT)


def test_a_card_lost_by_chance_is_open():
    position = Position().dice("character character", "army").hunt_box(0, 1).table("sh-char-15")
    position.fellowship("hollin", companions=["strider", "boromir"])
    position.hand(FREE_PEOPLES, "fp-char-09", "fp-char-10")
    dropped = card("fp-char-10")
    game = play(position.game(6, tile("tile-3-1"), dropped), "face:character", "plan:move-fellowship")
    play(game, "verb:sacrifice-guide", "verb:random-card")
    moved = of_kind(game, ev.CardMoved)[0]
    assert moved == ev.CardMoved(0, dropped, 0, CardPlace.HAND, CardPlace.DISCARD, True, Secrecy.OPEN)


def test_a_choice_that_the_rules_took_is_forced():
    game = Game(2)
    forced = []
    while not forced:
        game.step(game.legal()[-1])
        forced = [event for event in of_kind(game, ev.Decided) if event.forced]
    assert game.events(forced[0].seat).count(forced[0]) == 1
    assert forced[0] not in game.events(1 - forced[0].seat)


def test_politics_recruits_and_captures():
    game = Position().politics("gondor", 1).dice("muster").game()
    play(game, "face:muster", "plan:advance-nation", "nation:gondor")
    assert ev.NationAdvanced(Nation.GONDOR, 1, 0) in last(game)
    game = Position().at_war("sauron").dice("", "muster", acting=SHADOW).control("barad-dur", SHADOW).game()
    play(game, "face:muster", "plan:recruit", "figure:sauron-nazgul")
    play(game, "region:barad-dur")
    placed = (Figures(Nation.SAURON, 0, 0, 1),)
    assert ev.FiguresRecruited(region("barad-dur"), placed, Pool.REINFORCEMENTS) in last(game)
    position = Position().at_war("sauron", "gondor").army("osgiliath", sauron=2)
    game = position.dice("", "army", acting=SHADOW).control("pelargir", FREE_PEOPLES).game()
    play(game, "face:army", "plan:move-armies", "region:osgiliath", "region:lossarnach", "verb:whole-army")
    assert ev.RegionTaken(region("lossarnach"), SHADOW) in last(game)


def test_steps_on_the_mordor_track():
    position = Position().fellowship(mordor_step=1, revealed=False).dice("character")
    game = play(position.game(tile("tile-2-1")), "face:character", "plan:move-fellowship")
    play(game, "verb:take-corruption")
    assert ev.MordorStep(2) in last(game)


def test_the_end_of_a_game():
    position = Position().fellowship("rivendell", corruption=11).dice("character").hunt_box(0, 1)
    game = play(position.game(6, tile("tile-2-1")), "face:character", "plan:move-fellowship")
    play(game, "verb:take-corruption")
    assert game.over
    assert last(game)[-1] == ev.GameEnded(Winner.SHADOW, Reason.CORRUPTION)


def test_a_turn_begins_with_cards():
    game = play(Position().dice("muster").game(), "face:muster", "plan:skip")
    assert ev.TurnBegan(2) in last(game)
    drawn = [event for event in game.events(SHADOW) if isinstance(event, ev.CardMoved)]
    assert [(event.seat, event.deck, event.card is None) for event in drawn] == [
        (0, 0, True),
        (0, 1, True),
        (1, 2, False),
        (1, 3, False),
    ]


# --- Words. ---

EXAMPLES = [
    (ev.TurnBegan(3), "Turn 3"),
    (ev.Rolled(Roll.COMBAT, SHADOW, (6, 2, 1), 6), "Combat roll of the Shadow: 6 2 1 (6 or more): 1 hit"),
    (ev.Rolled(Roll.HUNT, SHADOW, (5, 6), 5), "Hunt roll of the Shadow: 5 6 (5 or more): 2 successes"),
    (ev.Rolled(Roll.HUNT_DAMAGE, SHADOW, (4,), 0), "Die for the Hunt damage of the Shadow: 4"),
    (ev.TileDrawn(SHADOW, tile("tile-3-1")), "Hunt tile: 3"),
    (ev.CompanionDrawn(character("boromir")), "Drawn at random: Boromir"),
    (
        ev.FiguresMoved(region("orthanc"), region("fords-of-isen"), (Figures(Nation.ISENGARD, 4, 2, 0),)),
        "Isengard 4 Regulars, 2 Elites move from Orthanc to Fords of Isen",
    ),
    (
        ev.FiguresRecruited(region("dale"), (Figures(Nation.NORTH, 0, 1, 1),), Pool.REINFORCEMENTS),
        "new in Dale: North 1 Elite, 1 Leader",
    ),
    (
        ev.FiguresLost(region("dale"), (Figures(Nation.NORTH, 2, 0, 0),), Pool.REINFORCEMENTS, True),
        "removed in Dale: North 2 Regulars",
    ),
    (
        ev.ElitesReduced(region("dale"), Nation.NORTH, 1, Pool.CASUALTIES, Pool.CASUALTIES),
        "reduced to Regulars in Dale: North 1 Elite",
    ),
    (
        ev.RegularsPromoted(region("dale"), Nation.NORTH, 2, Pool.REINFORCEMENTS, Pool.REINFORCEMENTS),
        "turned into Elites in Dale: North 2 Regulars",
    ),
    (
        ev.FiguresReturned((Figures(Nation.NORTH, 1, 0, 0),), Pool.CASUALTIES, Pool.REINFORCEMENTS),
        "North 1 Regular: now among the reinforcements",
    ),
    (
        ev.CharacterMoved(character("gimli"), Location.IN_FELLOWSHIP, region("dale")),
        "Gimli leaves the Fellowship and is in Dale",
    ),
    (ev.SiegeChanged(region("helms-deep"), True), "Helm's Deep is besieged"),
    (ev.BattleRound(region("dale"), 2), "round 2 of the battle for Dale"),
    (ev.HitsCounted(1, 3), "hits: Free Peoples 1, Shadow 3"),
    (
        ev.BattleEnded(SHADOW, BattleKind.FIELD, region("dale"), 1),
        "the battle for Dale is over after 1 round",
    ),
    (
        ev.CardMoved(0, card("fp-char-01"), 0, CardPlace.HAND, CardPlace.DISCARD, True, Secrecy.OPEN),
        "Elven Cloaks is by chance discarded",
    ),
    (ev.NationActivated(Nation.ROHAN), "Rohan: now active"),
    (ev.NationAdvanced(Nation.ROHAN, 2, 1), "Rohan: 1 step from war"),
    (ev.NationAdvanced(Nation.ROHAN, 1, 0), "Rohan: At War!"),
    (ev.FellowshipMoved(2), "The Fellowship moves: progress 2"),
    (ev.FellowshipPlaced(region("hollin"), 0), "The Fellowship is in Hollin"),
    (ev.FellowshipSeen(False), "The Fellowship is hidden again"),
    (ev.MordorStep(4), "The Fellowship is on step 4 of the Mordor Track"),
    (ev.GuideChanged(character("strider")), "New Guide: Strider"),
    (ev.CorruptionChanged(2, 5), "Corruption 2 -> 5"),
    (ev.HuntBegan(HuntCause.MORDOR_MOVE), "The Hunt for a move on the Mordor Track"),
    (ev.HuntDamage(3, 1), "Hunt damage 1 left"),
    (ev.TileMoved(tile("tile-sh-1"), TileZone.ASIDE, TileZone.WAITING), "waits for Mordor"),
    (ev.DieTurned(SHADOW, Face.EVENT, Face.ARMY), "Event die of the Shadow turned to Army"),
    (ev.DieGained(SHADOW, Face.ARMY), "one more Army die of the Shadow"),
    (ev.HuntBoxChanged(SHADOW, 3), "Shadow dice in the Hunt Box: 3"),
    (ev.PoolChanged(SHADOW, 8), "action dice of the Shadow: 8"),
    (ev.RingsChanged(SHADOW, 1), "Elven Rings of the Shadow: 1"),
]


@pytest.mark.parametrize(("event", "text"), EXAMPLES, ids=lambda value: getattr(value, "kind", ""))
def test_an_event_in_words(event, text):
    (sentence,) = effects([event], Game(1).state)
    assert sentence.text.endswith(text)


def test_events_that_other_words_tell_are_silent():
    told = {type(event) for event, _ in EXAMPLES} | {ev.BattleBegan, ev.RegionTaken, ev.GameEnded}
    assert set(EVENT_TYPES) - told == {ev.Decided, ev.PhaseBegan, ev.DieUsed}


def test_action_dice_are_told_by_their_faces():
    rolled = ev.Rolled(Roll.ACTION_DIE, SHADOW, (1, 2, 2), 0)
    faces = [int(DIE_FACES[SHADOW, value - 1]) for value in (1, 2, 2)]
    assert list(rolled.faces) == faces
    (sentence,) = effects([rolled], Game(1).state)
    assert sentence.text == "Action dice of the Shadow: 1 Character, 2 Army"


def test_figures_and_characters_of_an_army_go_together():
    origin, destination = region("orthanc"), region("fords-of-isen")
    moved = ev.FiguresMoved(origin, destination, (Figures(Nation.ISENGARD, 1, 0, 0),))
    along = ev.CharacterMoved(character("saruman"), origin, destination)
    (sentence,) = effects([moved, along], Game(1).state)
    assert sentence.text == "Isengard 1 Regular; Saruman move from Orthanc to Fords of Isen"
