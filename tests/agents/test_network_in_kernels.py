"""Networks inside kernels: a search by them finds what it finds by torch."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from tests.networks import SMALL
from tests.searches import some_games
from wotr_agents import BotError
from wotr_agents.compiled import ensure_searches
from wotr_agents.networks.advice import with_advice
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.inference import weights_in_kernels
from wotr_agents.networks.models import MlpNetwork, make_network
from wotr_agents.networks.torch_inference import inference_of
from wotr_agents.search.guided import GuidedSettings
from wotr_agents.search.guided_search import GuidedSearch
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import view_of

CONFIGS = (
    SMALL,
    NetworkConfig(width=7, hidden=5, layers=3),
    NetworkConfig(width=70, hidden=130, layers=2, advice=True),
)
SEEDS = np.arange(20, dtype=np.int64)


def made(config, seed=0, kind=WAR_OF_THE_RING):
    """A network that is sure of itself: without training all chances and all actions are much the same."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network: Any = make_network(config, kind).eval().requires_grad_(False)
        for layer in (*network.hidden, network.policy_head, network.value_head):
            torch.nn.init.normal_(layer.weight, std=2 / layer.in_features**0.5)
        torch.nn.init.normal_(network.context_bias.weight, std=0.4)
        torch.nn.init.normal_(network.context_gain.weight, 1.0, 0.3)
        torch.nn.init.normal_(network.norm.bias, std=0.3)
    return inference_of(network)


def search(inference, states, masks, in_kernels=True, **settings):
    ensure_searches()
    worlds = view_of(states, masks).worlds(4, np.random.default_rng(1))
    network = inference.in_kernels if in_kernels else None
    return GuidedSearch(
        GuidedSettings(**settings),
        inference.logits_and_values,
        worlds,
        SEEDS[: len(states)],
        inference.advice,
        network,
    )


@pytest.mark.parametrize("config", CONFIGS)
def test_the_value_of_a_position_is_that_of_torch(config):
    states, masks = some_games()
    inference = made(config)
    view = view_of(states, masks)
    worlds = view.worlds(4, np.random.default_rng(1))
    inputs = (
        with_advice(view.observations, worlds[:, 0].copy(), masks, WAR_OF_THE_RING)
        if config.advice
        else view.observations
    )
    wanted = inference.logits_and_values(inputs)[1]
    assert np.ptp(wanted) > 0.02
    np.testing.assert_allclose(search(inference, states, masks).values(), wanted, atol=1e-5)


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("batch", [1, 7])
def test_a_search_finds_what_it_finds_by_torch(config, batch):
    states, masks = some_games()
    inference = made(config)
    found, wanted = (
        search(inference, states, masks, in_kernels, batch=batch).run(120) for in_kernels in (True, False)
    )
    # Rounding decides where two actions are as good; from there on the searches differ a little.
    same = np.abs(found.visits() - wanted.visits()).max(axis=1) == 0
    assert same.mean() > 0.6
    np.testing.assert_allclose(found.values()[same], wanted.values()[same], atol=1e-4)
    np.testing.assert_allclose(found.values(), wanted.values(), atol=0.05)
    assert (wanted.visits() > 0).sum(axis=1).max() > 3


def test_a_game_is_searched_to_the_same_bytes_whatever_the_others():
    states, masks = some_games()
    inference = made(CONFIGS[-1])
    together = search(inference, states, masks).run(50)
    worlds = view_of(states, masks).worlds(4, np.random.default_rng(1))
    for game in range(len(states)):
        only = slice(game, game + 1)
        alone = GuidedSearch(
            GuidedSettings(),
            inference.logits_and_values,
            worlds[only],
            SEEDS[only],
            inference.advice,
            inference.in_kernels,
        )
        alone.run(50)
        assert alone.values().tobytes() == together.values()[only].tobytes()
        assert alone.action_values().tobytes() == together.action_values()[only].tobytes()


def test_simulations_in_parts_are_the_same_as_all_at_once():
    states, masks = some_games(3)
    inference = made(CONFIGS[-1])
    whole = search(inference, states, masks, batch=5).run(40)
    parts = search(inference, states, masks, batch=5).run(10).run(5).run(25)
    assert whole.action_values().tobytes() == parts.action_values().tobytes()


def test_weights_that_are_not_finite_are_reported():
    network: Any = make_network(SMALL).eval()
    with torch.no_grad():
        network.value_head.bias[1] = torch.nan
    with pytest.raises(BotError, match="not finite"):
        _ = inference_of(network).in_kernels


def test_an_entity_network_is_none_for_kernels():
    config = NetworkConfig("entity", width=16, hidden=8)
    assert inference_of(make_network(config).eval()).in_kernels is None


def test_a_network_of_another_game_is_none_for_kernels():
    """They would read and write beyond its ends."""
    known = np.array([OBSERVATION_SIZE, NUM_ACTIONS, len(Decision)])
    for fewer in (*np.eye(3, dtype=int), np.zeros(3, dtype=int)):
        inputs, actions, contexts = (known - fewer).tolist()
        network = MlpNetwork(SMALL, torch.ones(inputs), actions, range(contexts), WAR_OF_THE_RING.worths)
        found = weights_in_kernels(inference_of(network.eval()), WAR_OF_THE_RING)
        assert (found is None) == fewer.any()


def bytes_searched(states, masks):
    found = search(made(CONFIGS[-1]), states, masks, batch=3).run(8)
    return [found.action_values().tobytes().hex(), found.values().tobytes().hex()]


def test_a_network_of_other_numbers_is_filled_up_with_zeros():
    weights = made(dataclasses.replace(SMALL, width=70, hidden=65)).in_kernels
    assert weights is not None and weights.width == 70
    assert weights.first.shape[1] == 128 and weights.hidden.shape == (128, 128)
    assert not weights.first[:, 70:].any() and not weights.hidden[70:].any()
    assert weights.norm[2].tolist() == [1.0] * 70 + [0.0] * 58
