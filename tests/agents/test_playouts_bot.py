"""Games played on by a network in kernels, and the bot that chooses by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.agents.test_network_in_kernels import CONFIGS, made
from tests.networks import write_network
from tests.searches import WOUND, Clock, one_game, some_games, wound
from wotr_agents import BotError, make_bot
from wotr_agents.compiled import ensure_searches
from wotr_agents.networks.advice import with_advice
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import make_network
from wotr_agents.networks.torch_inference import inference_of
from wotr_agents.search import playouts_bot
from wotr_agents.search.lines import Line
from wotr_agents.search.playouts_bot import Playouts, PlayoutsBot, PlayoutsParameters, _LineEstimates
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES
from wotr_env.games.war_of_the_ring.codes import Decision, Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.rules.chance import seed_chance, stream_word
from wotr_env.games.war_of_the_ring.rules.flow import apply, run
from wotr_env.play.bots import choose, view_of
from wotr_experiments.arena.check_bot import check_bot

TO_THE_END = 1_000
WORD = 2**32 - 1


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    """The bot with an untrained network and little effort."""
    return f"playouts:{write_network(tmp_path_factory.mktemp('network'))},playouts=12,actions=3,turns=1"


def play(inference, states, masks, last_turn=TO_THE_END, temperature=1.0, seed=5):
    """By the last legal action of each game."""
    ensure_searches()
    actions = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    seeds = np.random.default_rng(seed).integers(0, 2**62, size=len(states))
    playouts = Playouts(inference.in_kernels, temperature)
    return playouts.play(states, actions[:, None], seeds, last_turn), actions, seeds


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("temperature", [0.0, 1e-9])
def test_a_playout_without_chance_in_choices_is_the_game_that_torch_plays(config, temperature):
    """The likeliest action of every decision, with the same dice; the network's value after the next turn."""
    states, masks = some_games(3)
    inference = made(config)
    last = states["turn"] + 1
    for row in range(len(states)):
        state, mask = states[row : row + 1].copy(), masks[row : row + 1].copy()
        found, actions, seeds = play(inference, state, mask, last[row], temperature)
        seed_chance(state[0], stream_word(seeds[0] & WORD, seeds[0] >> 32, 0))
        apply(state[0], actions[0])
        run(state[0], mask[0])
        while state["winner"][0] == Winner.NONE:
            inputs = view_of(state, mask).observations
            if config.advice:
                inputs = with_advice(inputs, state, mask, WAR_OF_THE_RING)
            logits, values = inference.logits_and_values(inputs)
            if mask.sum() > 1 and state["turn"][0] > last[row]:
                assert found[0] == pytest.approx(values[0], abs=1e-5)
                break
            apply(state[0], int(np.where(mask, logits, -np.inf).argmax()))
            run(state[0], mask[0])
        else:
            assert found[0] == (state["winner"][0] == Winner.FREE_PEOPLES)


def test_what_a_game_comes_to_does_not_depend_on_those_beside_it():
    states, masks = some_games()
    inference = made(CONFIGS[-1])
    together, actions, seeds = play(inference, states, masks)
    assert set(together) <= {0.0, 0.5, 1.0}
    network: Any = inference.in_kernels
    playouts = Playouts(network, 1.0)
    alone = [
        playouts.play(states[[row]], actions[[row], None], seeds[[row]], TO_THE_END)[0]
        for row in reversed(range(len(states)))
    ]
    assert together.tolist() == alone[::-1]
    shared = Playouts(network, 1.0, threads=4)
    assert shared.play(states, actions[:, None], seeds, TO_THE_END).tolist() == together.tolist()


def test_dice_and_choices_follow_the_seed():
    """One position often: ends differ by the seed, and are the same for the same."""
    states, masks = (np.repeat(each, 40, axis=0) for each in some_games(1))
    inference = made(CONFIGS[0])
    first, again, other = (play(inference, states, masks, 3, seed=seed)[0] for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()
    assert len(set(first)) > 20


def bytes_played(states, masks):
    return [play(made(CONFIGS[-1]), states, masks, states["turn"].min())[0].tobytes().hex()]


def judged(**parameters):
    """Three actions, of which each is e times as likely as the next."""
    likely = np.array([-0.4, -1.4, -2.4])
    lines = [Line((action,), (), float(value)) for action, value in zip((7, 8, 9), likely, strict=True)]
    return _LineEstimates(PlayoutsParameters("x", **parameters), lines)


def test_without_playouts_the_network_is_believed():
    found = judged(prior=0.02)
    np.testing.assert_allclose(np.diff(found.worth()), -0.02)


def test_playouts_are_believed_the_more_the_more_there_are():
    """One of variance 1/4 against a spread of 4 points: 156 playouts weigh as much as what was expected."""
    few, many = judged(prior=0.0), judged(prior=0.0)
    for found, count in ((few, 156), (many, 15600)):
        found.add(np.array([0, 1, 2]), np.tile([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]], count // 2))
    assert few.worth().argmax() == many.worth().argmax() == 2
    few_gain, many_gain = (found.worth()[2] - found.worth()[0] for found in (few, many))
    assert 0.2 < few_gain < 0.3 and 0.48 < many_gain < 0.5


def test_actions_are_legal_and_follow_from_the_seed(spec):
    states, masks = some_games()
    actions = choose(make_bot(spec, 3), view_of(states, masks), spec)
    np.testing.assert_array_equal(actions, make_bot(spec, 3).act(view_of(states, masks)))


def test_a_win_at_once_is_found(spec, monkeypatch):
    monkeypatch.setattr(playouts_bot, "time", Clock(0.001))  # as on a fast machine
    states, masks = one_game(wound())
    for each in (f"{spec},every=true", f"{spec},every=true,time=0.2"):
        bot: Any = make_bot(each.replace("playouts=12", "playouts=400"), 1)
        action, chance = bot.explain(view_of(states, masks))[0][0]
        assert ACTION_NAMES[action] == f"card:{WOUND}" and chance > 0.8
        assert bot.act(view_of(states, masks))[0] == action


def test_only_the_choice_of_a_die_is_judged_unless_every_one_is(spec):
    states, masks = some_games(20)
    choices = masks.sum(axis=1) > 1
    dice = states["decision"] == Decision.ACTION_DIE
    assert 0 < (dice & choices).sum() < choices.sum()
    for each, wanted in ((spec, dice & choices), (f"{spec},every=true", choices)):
        bot: Any = make_bot(each, 1)
        bot.act(view_of(states, masks))
        assert 8 * wanted.sum() <= bot.simulations <= 12 * wanted.sum()


def test_a_time_limit_ends_the_playouts(spec, monkeypatch):
    monkeypatch.setattr(playouts_bot, "time", Clock(0.001))
    states, masks = some_games(2)
    quick: Any = make_bot(spec.replace("playouts=12", "playouts=100000,time=0.02,every=true"), 1)
    assert masks[np.arange(2), quick.act(view_of(states, masks))].all()
    assert quick.simulations <= 2 * 3 * 20 * playouts_bot._AT_ONCE  # two games, three actions, twenty looks


def test_the_bot_is_fair(spec):
    checks = check_bot(f"{spec},every=true", games=3, decisions=15)
    assert all(check.passed for check in checks), checks


@pytest.mark.parametrize(
    ("parameters", "message"),
    (
        ("playouts=0", "playouts must be at least 1, not 0"),
        ("actions=0", "actions must be at least 1, not 0"),
        ("temperature=-1", "temperature must be at least 0, not -1.0"),
        ("spread=0", "spread must be above 0, not 0.0"),
        ("turns=-1", "turns must be at least 0, not -1"),
        ("time=nan", "time must be at least 0, not nan"),
    ),
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(BotError, match=message):
        make_bot(f"playouts:x,{parameters}", 1)


def test_a_network_that_kernels_cannot_ask_is_refused():
    network = inference_of(make_network(NetworkConfig("entity", width=16, hidden=8)).eval())
    with pytest.raises(BotError, match="need a network of the kind mlp"):
        PlayoutsBot(PlayoutsParameters("x"), 1, network)
