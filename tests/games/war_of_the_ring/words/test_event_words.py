"""Events in sentences."""

from __future__ import annotations

import pytest

from tests.positions import card, character, region, tile
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    Face,
    HuntCause,
    Location,
    Nation,
    Roll,
    Side,
    TileZone,
)
from wotr_env.games.war_of_the_ring.components import DIE_FACES
from wotr_env.games.war_of_the_ring.events import EVENT_TYPES
from wotr_env.games.war_of_the_ring.events import types as ev
from wotr_env.games.war_of_the_ring.events.types import CardPlace, Figures, Pool, Secrecy
from wotr_env.games.war_of_the_ring.words.events import effects

SHADOW = Side.SHADOW

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


EXAMPLES_OF_FOUR = [
    (ev.LeaderChanged(3), "Rohan leads the Free Peoples"),
    (ev.ArmiesJoined(region("orthanc"), SHADOW), "the armies of Sauron and Isengard in Orthanc are one"),
    (ev.ArmiesParted(region("orthanc"), SHADOW), "the army in Orthanc is of one player again"),
    (ev.CardGiven(3, 0, card("fp-char-01"), 0), "Rohan gives Gondor Elven Cloaks"),
    (ev.CardGiven(3, 0, None, 1), "Rohan gives Gondor a Strategy card"),
    (
        ev.CardMoved(2, None, 3, CardPlace.DECK, CardPlace.HAND, False, Secrecy.BACK),
        "Isengard cards drawn: 1 Strategy",
    ),
    (
        ev.CardMoved(None, card("fp-char-01"), 0, CardPlace.TABLE, CardPlace.DISCARD, False, Secrecy.OPEN),
        "Elven Cloaks is discarded",
    ),
    (
        ev.RegionTaken(region("edoras"), SHADOW, 2),
        "Edoras falls to Isengard; victory points: Free Peoples 0 of 4, Shadow 0 of 10",
    ),
]


@pytest.mark.parametrize(("event", "text"), EXAMPLES_OF_FOUR, ids=lambda value: getattr(value, "kind", ""))
def test_an_event_of_partners_in_words(event, text):
    (sentence,) = effects([event], Game(1, Ruleset(players=4)).state)
    assert sentence.text == text


def test_an_army_that_goes_on_as_one_is_not_told_of():
    moved = [ev.ArmiesParted(region("dale"), SHADOW), ev.ArmiesJoined(region("erebor"), SHADOW)]
    assert not list(effects(moved, Game(1, Ruleset(players=4)).state))


@pytest.mark.parametrize(("event", "text"), EXAMPLES, ids=lambda value: getattr(value, "kind", ""))
def test_an_event_in_words(event, text):
    (sentence,) = effects([event], Game(1).state)
    assert sentence.text.endswith(text)


def test_events_that_other_words_tell_are_silent():
    told = {type(event) for event, _ in (*EXAMPLES, *EXAMPLES_OF_FOUR)} | {
        ev.BattleBegan,
        ev.RegionTaken,
        ev.GameEnded,
    }
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
