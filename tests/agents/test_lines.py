"""Lines of a seat, drawn by a policy, and the bot that judges and plays them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.agents.test_network_in_kernels import CONFIGS, made
from tests.networks import write_network
from tests.searches import some_games
from wotr_agents import make_bot
from wotr_agents.compiled import ensure_searches
from wotr_agents.search.lines import _below, draw_lines
from wotr_agents.search.playouts_bot import Playouts
from wotr_env import Game
from wotr_env.core.states import copy_states
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import view_of


def wavering(view):
    """Some actions are likelier than others, whatever the position."""
    logits = np.where(view.masks, np.sin(np.arange(view.masks.shape[1])), -np.inf)
    return (logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)).astype(np.float32)


def at_dice(count=8):
    """Positions at which an action die is chosen: ``STATE[1]`` each."""
    states, _ = some_games(400)
    found = states[(states["decision"] == Decision.ACTION_DIE)]
    several = [found[[row]] for row in range(len(found)) if Game.from_state(found[row]).mask().sum() > 1]
    assert len(several) >= count
    return several[:count]


def follow(state, actions):
    """The game after a line, whose actions are taken where there is a choice."""
    game = Game.from_state(state[0])
    for action in actions:
        while game.mask().sum() == 1:
            game.step(int(game.legal()[0]))
        game.step(action)
    return game


def something_new(before, game):
    state = game.state
    return (
        game.result is not None
        or state["seat"] != before["seat"][0]
        or state["counter"] != before["counter"][0]
        or state["decision"] == Decision.ACTION_DIE
    )


def test_lines_are_played_up_to_something_new_and_not_beyond():
    for state in at_dice():
        for line in draw_lines(WAR_OF_THE_RING, wavering, state, 12, np.random.default_rng(1)):
            game = Game.from_state(state[0])
            for number, (action, seen) in enumerate(zip(line.actions, line.seen, strict=True)):
                while game.mask().sum() == 1:
                    game.step(int(game.legal()[0]))
                assert game.observe().tobytes() == seen
                assert number == 0 or not something_new(state, game)
                game.step(action)
            while game.result is None and not something_new(state, game) and game.mask().sum() == 1:
                game.step(int(game.legal()[0]))
            assert something_new(state, game)


def test_the_first_line_is_what_the_policy_plays_and_all_lead_elsewhere():
    for state in at_dice():
        lines = draw_lines(WAR_OF_THE_RING, wavering, state, 16, np.random.default_rng(2))
        (alone,) = draw_lines(WAR_OF_THE_RING, wavering, state, 1, np.random.default_rng(3))
        assert lines[0].actions == alone.actions and lines[0].log_probability >= alone.log_probability
        ends = {follow(state, line.actions).hash() for line in lines}
        assert len(ends) == len(lines) > 3
        assert np.logaddexp.reduce([line.log_probability for line in lines]) <= 1e-9


def test_a_high_temperature_makes_lines_alike_in_probability():
    (state, *_) = at_dice()
    spreads = []
    for temperature in (0.5, 50.0):
        lines = draw_lines(WAR_OF_THE_RING, wavering, state, 8, np.random.default_rng(4), temperature)
        spreads.append(np.ptp([line.log_probability / len(line.actions) for line in lines]))
    assert spreads[1] < spreads[0]


def test_where_few_lines_are_likely_they_have_nearly_all_the_probability():
    """Nothing is lost where branches end or meet."""
    for state in at_dice():
        lines = draw_lines(WAR_OF_THE_RING, wavering, state, 64, np.random.default_rng(5), temperature=0.03)
        total = np.exp(np.logaddexp.reduce([line.log_probability for line in lines]))
        assert 0.95 < total < 1 + 1e-6


def test_perturbed_scores_are_those_of_a_gumbel_given_its_maximum():
    """Of two actions of the same probability each is drawn first in half of the cases."""
    rng = np.random.default_rng(6)
    first = 0
    for _ in range(2000):
        maximum = rng.gumbel()
        scores = _below(maximum, np.log([0.5, 0.5]) + rng.gumbel(size=2))
        assert scores.max() == pytest.approx(maximum)
        first += scores.argmax() == 0
    assert 900 < first < 1100


def test_playouts_of_a_line_are_those_of_the_position_behind_its_beginning():
    ensure_searches()
    network: Any = made(CONFIGS[-1]).in_kernels
    playouts, checked = Playouts(network, 1.0), 0
    for state in at_dice():
        for line in draw_lines(WAR_OF_THE_RING, wavering, state, 6, np.random.default_rng(7)):
            if len(line.actions) < 2:
                continue
            last = np.array([[line.actions[-1]]])
            behind = follow(state, line.actions[:-1])
            if behind.mask().sum() == 1:
                continue
            seeds = np.array([11])
            states = copy_states(behind.state.reshape(1))
            padded = np.array([[*line.actions, -1, -1]])
            expected = playouts.play(states, last, seeds, 3)
            assert playouts.play(state, padded, seeds, 3) == expected
            checked += 1
    assert checked > 10


def test_a_line_is_left_where_it_is_not_legal():
    ensure_searches()
    network: Any = made(CONFIGS[-1]).in_kernels
    playouts = Playouts(network)
    for state in at_dice(4):
        first = int(Game.from_state(state[0]).legal()[0])
        plain = playouts.play(state, np.array([[first]]), np.array([3]), 3)
        assert playouts.play(state, np.array([[first, 321, 0]]), np.array([3]), 3) == plain


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    """The bot with an untrained network and little effort."""
    network = write_network(tmp_path_factory.mktemp("network"))
    return f"playouts:{network},playouts=24,lines=8,width=1,turns=1"


def test_the_bot_plays_the_line_that_it_judged_best(spec):
    followed = 0
    for state in at_dice(8):
        bot: Any = make_bot(spec, 1)
        game = Game.from_state(state[0])
        action = int(bot.act(view_of(state, game.mask()[None]))[0])
        planned = dict(bot._planned)
        made_before = bot.simulations
        game.step(action)
        for _ in planned:
            if something_new(state, game):
                break
            seen = view_of(game.state.reshape(1), game.mask()[None])
            action = int(bot.act(seen)[0])
            if game.mask().sum() > 1:
                assert action in planned.values()
                followed += 1
            game.step(action)
        assert bot.simulations == made_before
    assert followed > 2


def test_lines_follow_from_the_seed_and_what_is_remembered_is_bounded(spec, monkeypatch):
    (state, *_) = at_dice()
    view = view_of(state, Game.from_state(state[0]).mask()[None])
    first, again = (make_bot(spec, 5) for _ in range(2))
    assert first.act(view) == again.act(view)
    monkeypatch.setattr("wotr_agents.search.playouts_bot._MOST_PLANNED", 3)
    for state in at_dice():
        first.act(view_of(state, Game.from_state(state[0]).mask()[None]))
    assert 0 < len(first._planned) <= 3  # pyright: ignore[reportAttributeAccessIssue]


def test_explanations_tell_the_best_line_of_each_first_action(spec):
    (state, *_) = at_dice()
    mask = Game.from_state(state[0]).mask()
    bot: Any = make_bot(spec, 5)
    (told,) = bot.explain(view_of(state, mask[None]))
    actions = [action for action, _ in told]
    chances = [chance for _, chance in told]
    assert len(set(actions)) == len(actions) > 1 and mask[actions].all()
    assert chances == sorted(chances, reverse=True) and 0 <= chances[-1] <= chances[0] <= 1
