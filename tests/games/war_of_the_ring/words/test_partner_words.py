"""Words of three and four players: seats have names, and nobody reads what a partner holds."""

from __future__ import annotations

import collections

import pytest

from tests.random_play import PARTNERS, positions_of_partners, traced_game
from wotr_env import Game, Ruleset
from wotr_env.core.descriptions import Tone
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Side, Verb, Winner
from wotr_env.games.war_of_the_ring.events import types as ev
from wotr_env.games.war_of_the_ring.words.decisions import decision_text, say
from wotr_env.games.war_of_the_ring.words.events import tell
from wotr_env.games.war_of_the_ring.words.positions import describe

TITLES = {3: ("Free Peoples", "Sauron", "Isengard"), 4: ("Gondor", "Sauron", "Isengard", "Rohan")}


@pytest.mark.parametrize("players", TITLES)
def test_decisions_and_positions_name_the_seat(players):
    asked = set()
    for state in positions_of_partners(players)[::2]:
        text, title = describe(state), TITLES[players][state["seat"]]
        if state["winner"] == Winner.NONE:
            assert decision_text(state).startswith(f"{title} to decide ")
            asked.add(title)
        for side in ("Shadow", "Free Peoples")[: players - 2]:
            line = next(each for each in text.split("\n") if each.startswith(f"{side} players: "))
            assert " leads, " in line and line.endswith(("won)", "lost)"))
        assert text.count(" in hand") >= players
    assert asked == set(TITLES[players])


def test_the_end_names_the_partner_who_has_done_better():
    state = Game(1, Ruleset(players=4)).state
    state["winner"], state["reason"] = Winner.SHADOW, 1
    assert "; Sauron and Isengard share the victory (Sauron: 0 places won, Isengard: 0 places won)." in (
        decision_text(state)
    )
    assert "share" not in decision_text(Game(1).state)


def test_answers_of_partners_say_what_they_do():
    state = Game(1, Ruleset(players=4)).state
    state["decision"] = Decision.EXCHANGE_CARD
    assert say(state, Block.VERB + Verb.ACCEPT) == "exchange a card with the partner"
    assert say(state, Block.VERB + Verb.DECLINE) == "exchange no card"
    state["decision"] = Decision.MERGE_ARMIES
    assert say(state, Block.VERB + Verb.DECLINE) == "keep the armies in the army apart"


@pytest.mark.parametrize("name", PARTNERS)
def test_what_happens_to_partners_is_told(name):
    met = collections.Counter()
    for game, trace in traced_game(name, 3, most=900):
        seats = game.ruleset.seats
        sentences = tell(trace, None)
        assert all(sentence.seat is None or sentence.seat < len(seats) for sentence in sentences)
        for sentence in sentences:
            if sentence.tone in (Tone.CHOICE, Tone.FORCED):
                assert sentence.team is None and sentence.seat is not None
            if sentence.team == Side.FREE_PEOPLES:
                assert len(seats) == 4, "a side that is one seat's has no team"
        text = " ".join(sentence.text for sentence in sentences)
        for event in trace.events():
            met[type(event)] += 1
            if isinstance(event, ev.LeaderChanged):
                assert f"{seats[event.seat].title} leads the " in text
            if isinstance(event, ev.CardGiven):
                assert f"{seats[event.giver].title} gives {seats[event.seat].title} " in text
    assert met[ev.LeaderChanged] and met[ev.CardGiven]
