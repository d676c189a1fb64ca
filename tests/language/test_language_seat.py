"""A seat of a game in text: what it is told, what it may answer, and what it must not be told."""

from __future__ import annotations

import collections
import random

import numpy as np
import pytest

from wotr_env import Ruleset
from wotr_env.games.duel.game import DUEL_FOR_MIDDLE_EARTH
from wotr_env.games.two_towers.game import THE_TWO_TOWERS
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import BotError
from wotr_experiments.games.war_of_the_ring.lookup import look_up
from wotr_experiments.language import text_game
from wotr_experiments.language.seat import SeatGame
from wotr_experiments.language.text_game import ActionRefused
from wotr_experiments.rulebook.lookup import MOST, look_up_rules

KINDS = (WAR_OF_THE_RING, DUEL_FOR_MIDDLE_EARTH, THE_TWO_TOWERS)
SHORT = Ruleset.first_edition(max_turns=1)


@pytest.fixture
def game():
    made = SeatGame(0, "scripted", SHORT, seed=5)
    yield made
    made.close()


def test_it_looks_acts_and_plays_to_the_end(game):
    dice = random.Random(1)
    assert game.look().startswith("You are Free Peoples.")
    while not game.over:
        names = [WAR_OF_THE_RING.actions.names[each] for each in game.game.legal()]
        asked = game.asked()
        assert all(f"  {name}: " in asked for name in names)
        told = game.act(dice.choice(names))
        assert told
    assert "over" in game.end() and game.look() == game.end() == game.asked() == game.hint()
    with pytest.raises(ActionRefused, match="the game is over"):
        game.act("verb:pass")
    record = game.record("me")
    assert record.players == ("me", "scripted") and record.verify()


def test_several_actions_are_played_one_after_the_other(game):
    first = WAR_OF_THE_RING.actions.names[game.game.legal()[0]]
    with pytest.raises(ActionRefused, match=f"no action 'verb:shrug'; played before it: {first}; legal: "):
        game.act(f"{first} verb:shrug")
    assert game.illegal == 1 and len(game.game.actions) >= 1
    assert game.news()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_question_is_asked_once(kind):
    game = SeatGame(0, "scripted", kind.find_ruleset(), seed=2, kind=kind)
    for _ in range(5):
        question = kind.words.decision(game.game.state)
        assert game.look().count(question) == 1 and game.game.describe().endswith(f"\n\n{question}")
        game.act(kind.actions.names[game.game.legal()[-1]])
    game.close()


@pytest.mark.parametrize("answer", ["", "  ", "fly", "verb:fight", "face:army;", "\x00", None, 3])
def test_what_is_not_legal_changes_nothing_and_is_counted(game, answer):
    before = game.game.hash()
    with pytest.raises(ActionRefused, match="legal: "):
        game.act(answer)
    assert game.game.hash() == before and game.illegal == 1


@pytest.mark.parametrize("seat", [0, 1])
def test_nothing_is_told_that_the_seat_cannot_know(seat):
    """Positions, questions and hints are the same in every world that it holds possible."""
    game = SeatGame(seat, "expectation", Ruleset.first_edition(), seed=3)
    for _ in range(25):
        game.act(WAR_OF_THE_RING.actions.names[game.game.legal()[-1]])
    truth = game.game._states
    seen = game.look()
    for seed in (1, 2, 3):
        worlds = truth.copy()
        WAR_OF_THE_RING.kernels.sample_worlds(worlds, np.array([seat]), np.array([seed]))
        game.game._states = worlds
        assert game.look() == seen
    game.close()


def test_the_same_seed_is_the_same_game_and_partners_are_bots():
    rules = Ruleset.first_edition(players=4, max_turns=1)
    one, other = (SeatGame(1, "scripted", rules, seed=9) for _ in range(2))
    assert one.look() == other.look() and one.title == "Sauron"
    one.close()
    other.close()


def test_a_hint_is_what_the_bot_would_do(game):
    assert game.hint().startswith("scripted would choose, the best first:\n  ")


def test_hints_come_from_another_bot_than_the_opponent(monkeypatch):
    """The opponent sees no view of the reader, and hints do not change its random choices."""
    seen, ask = collections.defaultdict(set), text_game.ask

    def noted(bot, view, spec):
        seen[id(bot)].add(int(view.seats[0]))
        return ask(bot, view, spec)

    for module in ("seat", "text_game"):
        monkeypatch.setattr(f"wotr_experiments.language.{module}.ask", noted)
    monkeypatch.setattr("wotr_experiments.language.seat.explanation", lambda *_: None)
    games = [SeatGame(0, "random", seed=3, kind=DUEL_FOR_MIDDLE_EARTH) for _ in range(2)]
    for _ in range(10):
        for game in games:
            game.act(DUEL_FOR_MIDDLE_EARTH.actions.names[game.game.legal()[0]])
        assert games[0].hint().startswith("random would choose")
    assert list(games[0].game.actions) == list(games[1].game.actions)
    assert sorted(seen.values(), key=min) == [{0}, {1}, {1}]
    for game in games:
        game.close()


def test_a_bot_that_failed_is_asked_again_before_the_reader(monkeypatch):
    def fail(*_arguments):
        raise BotError("no")

    game = SeatGame(0, "random", seed=3, kind=DUEL_FOR_MIDDLE_EARTH)
    name = DUEL_FOR_MIDDLE_EARTH.actions.names[game.game.legal()[0]]
    with monkeypatch.context() as patched:
        patched.setattr(text_game, "ask", fail)
        with pytest.raises(BotError):
            game.act(name)
        actions = list(game.game.actions)
        assert game.game.state["seat"] == 1
        bots = DUEL_FOR_MIDDLE_EARTH.actions.names[game.game.legal()[0]]
        for call in (game.look, game.asked, game.hint, lambda: game.act(bots)):
            with pytest.raises(BotError):
                call()
        assert list(game.game.actions) == actions and game.illegal == 0
    with pytest.raises(ActionRefused, match="moved first, so nothing was played"):
        game.act(name)
    assert game.look() and game.game.state["seat"] == 0 and len(game.game.actions) == len(actions) + 1
    assert "Sauron: " in game.news()
    game.close()


def test_the_rules_are_looked_up_by_words():
    rules = Ruleset.first_edition()
    assert look_up("minas-tirith", rules).startswith(
        "region:minas-tirith Minas Tirith: Gondor, Stronghold, 2 points; next to"
    )
    assert any(line.startswith("The Witch-king: ") for line in look_up("witch king", rules).splitlines())
    many = look_up("the", rules)
    assert many.count("\n") == MOST and "more" in many.splitlines()[-1]
    assert "Nothing in the rules" in look_up("xyzzy", rules)
    assert look_up(" ", rules).startswith("Name a card")


def test_the_rules_of_smaller_games_are_looked_up_by_words():
    assert look_up_rules("discarding coins", "duel").startswith("D2.3 Discarding for coins: ")
    assert look_up_rules("begins next round", "two-towers").startswith("TT4.6 ")
    assert "Nothing in the rules" in look_up_rules("nazgul", "duel")
    assert look_up_rules(" ", "duel").startswith("Name a word")
