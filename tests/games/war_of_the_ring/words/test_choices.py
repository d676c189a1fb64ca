"""Choices told briefly (``words/choices.py``)."""

from __future__ import annotations

import pytest

from wotr_agents.registry import make_bot
from wotr_env import Game
from wotr_env.core.descriptions import Tone
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Plan, Verb
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.words.choices import shows
from wotr_env.games.war_of_the_ring.words.events import tell
from wotr_env.play.bots import view_of


def test_the_same_choice_is_summed_up():
    merge_repeats = WAR_OF_THE_RING.words.merge_repeats
    along = ["take a Regular of Isengard along"] * 3 + ["take an Elite of Isengard along"]
    assert merge_repeats(along) == ["take 3 Regulars of Isengard along", "take an Elite of Isengard along"]
    assert merge_repeats(["remove a Nazgul"] * 2) == ["remove 2 Nazgul"]
    assert merge_repeats(["pass", "pass", "no"]) == ["pass (2 times)", "no"]
    assert merge_repeats([]) == []


@pytest.mark.parametrize(
    ("decision", "action", "told"),
    [
        (Decision.ACTION_DIE, Block.FACE, False),
        (Decision.ACTION_PLAN, Block.PLAN + Plan.ATTACK, True),
        (Decision.ACTION_PLAN, Block.PLAN + Plan.SKIP, False),
        (Decision.DECLARE_FELLOWSHIP, Block.VERB + Verb.DECLINE, False),
        (Decision.HUNT_ALLOCATION, Block.COUNT, False),
        (Decision.HUNT_ALLOCATION, Block.COUNT + 2, True),
        (Decision.HUNT_DAMAGE, Block.VERB + Verb.GUIDE_ABILITY, False),
        (Decision.RETREAT, Block.VERB + Verb.STAY, False),
        (Decision.RETREAT, Block.REGION, True),
        (Decision.EVENT_OPTION, Block.VERB + Verb.ACCEPT, False),
    ],
)
def test_which_choices_their_outcome_tells(decision, action, told):
    assert shows(decision, action) is told


def test_an_outcome_follows_what_goes_without_saying():
    """In a game of bots, after choices that show and before the next question of another kind or seat."""
    followed = 0
    game, bots = Game(0), [make_bot("scripted", 0) for _ in range(2)]
    pending: tuple[int, int] | None = None
    while not game.over:
        states = game.state.reshape(1).copy()
        seat = game.seat
        action = int(bots[seat].act(view_of(states, game.mask()[None]))[0])
        sentences = tell(game.trace(action), 1 - seat)
        choices = [each for each in sentences if each.tone == Tone.CHOICE and each.seat == seat]
        if any(each.opens for each in choices[:1]):
            assert pending is None, f"nothing told what was chosen after {pending}"
        if choices and choices[0].shows and int(game.decision) == Decision.ACTION_PLAN:
            pending = seat, len(game.actions)
        if any(each.tone in (Tone.DEED, Tone.EFFECT, Tone.MAJOR) for each in sentences):
            followed += pending is not None
            pending = None
        game.step(action)
    assert followed > 50
