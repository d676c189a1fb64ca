"""Networks: sparse ends against dense ones, shapes, scales and growth."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
import torch

from tests.networks import (
    ADVISED,
    ENTITY,
    MLPS,
    SIZES,
    SMALL,
    decisions_of,
    inputs_for,
    network_of,
    torch_threads,
)
from wotr_agents.networks import sparse
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.entity_network import EntityNetwork
from wotr_agents.networks.grow import can_grow, grow
from wotr_agents.networks.models import MlpNetwork, make_network
from wotr_agents.networks.playing_network import PlayingNetwork, legal_log_probabilities, values_of
from wotr_agents.networks.scales import input_scale
from wotr_agents.networks.torch_inference import inference_of
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Decision, Reason
from wotr_env.games.war_of_the_ring.components import NEIGHBOURS, NUM_REGIONS
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE, At
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind

GAMES = ("war-of-the-ring", "duel", "two-towers")


@pytest.fixture(scope="module")
def decisions():
    return decisions_of(150, "first", "cards_second", "fellowship")


# --- Scores of legal actions alone. ---


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("config", MLPS, ids=str)
def test_scores_of_legal_actions_alone_give_the_same(decisions, config, threads):
    observations, masks = inputs_for(config, decisions), decisions[1]
    network = network_of(config)
    generator = torch.Generator().manual_seed(1)
    actions = (torch.rand(masks.shape, generator=generator) * masks).argmax(dim=1)
    pulls = torch.randn(2, len(masks), generator=generator)
    assert len(masks) >= sparse._FEW
    found = []
    for evaluate in (type(network).evaluate_actions, PlayingNetwork.evaluate_actions):
        with torch_threads(threads):
            log_probabilities, entropy, ends = evaluate(network, observations, masks, actions)[:3]
            loss = (pulls[0] * log_probabilities + pulls[1] * entropy).sum() + ends.square().sum()
            gradients = torch.autograd.grad(loss, list(network.parameters()))
        found.append([log_probabilities, entropy, ends, *gradients])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, atol=2e-4, rtol=1e-3)


@pytest.mark.parametrize("config", SIZES, ids=str)
def test_samples_and_ends_alone_agree_with_the_logits(decisions, config):
    observations, masks = inputs_for(config, decisions), decisions[1]
    network = network_of(config)
    uniforms = torch.rand(len(masks), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        logits, ends = network(observations)
        actions, log_probabilities, sampled_ends = network.sample(observations, masks, uniforms)[:3]
        ends_alone = network.end_logits(observations)
    wanted = legal_log_probabilities(logits, masks)
    assert masks.gather(1, actions[:, None]).all()
    torch.testing.assert_close(
        log_probabilities, wanted.gather(1, actions[:, None])[:, 0], atol=1e-5, rtol=1e-5
    )
    sums = wanted.double().exp().cumsum(dim=1)
    after = sums.gather(1, actions[:, None])[:, 0]
    assert (after > uniforms - 1e-5).all() and (after - log_probabilities.exp() < uniforms + 1e-5).all()
    torch.testing.assert_close(sampled_ends, ends)
    torch.testing.assert_close(ends_alone, ends)


# --- Networks. ---


@pytest.mark.parametrize("config", SIZES, ids=str)
@pytest.mark.parametrize("batch", [0, 1, 40])
def test_shapes(decisions, config, batch):
    observations = inputs_for(config, decisions)[:batch]
    logits, ends = network_of(config)(observations)
    assert logits.shape == (batch, NUM_ACTIONS) and logits.dtype == torch.float32
    assert ends.shape == (batch, len(WAR_OF_THE_RING.ends)) and ends.dtype == torch.float32
    assert torch.isfinite(logits).all() and torch.isfinite(ends).all()


@pytest.mark.parametrize("config", SIZES, ids=str)
def test_a_game_is_scored_alike_alone_and_among_others(decisions, config):
    observations = inputs_for(config, decisions)
    network = network_of(config)
    with torch.no_grad():
        together = network(observations)
        alone = [torch.cat(each) for each in zip(*map(network, observations.split(1)), strict=True)]
    for one, other in zip(together, alone, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("config", SIZES, ids=str)
def test_every_weight_can_learn(decisions, config):
    observations, masks = inputs_for(config, decisions), decisions[1]
    network = network_of(config)
    actions = masks.int().argmax(dim=1)
    log_probabilities, entropy, ends = network.evaluate_actions(observations, masks, actions)[:3]
    loss = log_probabilities.mean() + entropy.mean() + ends.square().mean()
    gradients = torch.autograd.grad(loss, list(network.parameters()))
    for (name, _), gradient in zip(network.named_parameters(), gradients, strict=True):
        assert gradient.any(), name
        assert torch.isfinite(gradient).all(), name


@pytest.mark.parametrize("game", GAMES)
def test_every_action_of_an_entity_network_is_scored_by_what_it_names(game):
    kind = game_kind(game)
    torch.manual_seed(1)
    network: Any = make_network(ENTITY, kind)
    named = {}
    for entities in kind.layout.entities:
        for block, objects in entities.actions.items():
            for action, place in zip(kind.actions.blocks[block], objects, strict=True):
                if place >= 0:
                    named[action] = entities.name, int(place)
    unnamed = sorted(set(range(kind.actions.size)) - named.keys())
    assert network.others.actions.tolist() == unnamed
    named |= {action: ("others", place) for place, action in enumerate(unnamed)}
    tables = {
        each.name: torch.randn(1, len(kind.layout.columns(each)), ENTITY.width, requires_grad=True)
        for each in kind.layout.entities
    }
    logits = network._point(tables, torch.randn(1, ENTITY.width))[0]
    tables["others"] = network.others.embeddings
    for action in range(kind.actions.size):
        gradients = torch.autograd.grad(logits[action], list(tables.values()), None, True, allow_unused=True)
        touched = {
            (name, place)
            for name, gradient in zip(tables, gradients, strict=True)
            if gradient is not None
            for place in gradient.reshape(-1, gradient.shape[-1]).abs().sum(dim=1).nonzero()[:, 0].tolist()
        }
        assert touched == {named[action]}, kind.actions.names[action]
    assert len(set(logits.tolist())) == kind.actions.size


@pytest.mark.parametrize("game", GAMES)
def test_entity_networks_of_every_game_see_every_number_and_learn(game):
    kind = game_kind(game)
    kind.kernels.prepare()
    games, generator = kind.games(48, 1, kind.find_ruleset()), np.random.default_rng(1)
    for _ in range(25):
        games.step((generator.random(games.masks.shape) * games.masks).argmax(axis=1))
    observations = torch.from_numpy(games.observations.copy())
    torch.manual_seed(2)
    network: Any = make_network(dataclasses.replace(ENTITY, layers=2), kind)
    columns = [kind.layout.columns(each).ravel() for each in kind.layout.entities]
    seen = np.concatenate([*columns, network.rest_columns.numpy()])
    assert sorted(seen.tolist()) == list(range(kind.layout.size))
    all_legal = torch.ones(48, kind.actions.size, dtype=torch.bool)
    actions = torch.from_numpy(generator.integers(0, kind.actions.size, 48))
    log_probabilities, entropy, ends = network.evaluate_actions(observations, all_legal, actions)[:3]
    assert ends.shape == (48, len(kind.ends)) and torch.isfinite(log_probabilities).all()
    loss = log_probabilities.mean() + entropy.mean() + ends.square().mean()
    gradients = torch.autograd.grad(loss, list(network.parameters()))
    for (name, _), gradient in zip(network.named_parameters(), gradients, strict=True):
        assert gradient.any() and torch.isfinite(gradient).all(), name


def test_an_entity_network_of_version_0_1_is_read():
    network = network_of(dataclasses.replace(ENTITY, layers=2, advice=True))
    present = {name: value.clone() for name, value in network.state_dict().items()}
    former = {}
    for name, value in present.items():
        for here, before in (
            ("seen.regions.embeddings", "region_embeddings"),
            ("seen.cards.embeddings", "card_embeddings"),
            ("others.embeddings", "other_embeddings"),
            ("inputs.regions", "regions_in"),
            ("inputs.cards", "cards_in"),
            ("keys.regions", "region_key"),
            ("keys.cards", "card_key"),
            ("hearing.regions.own", "own"),
            ("hearing.regions.near", "near"),
            ("hearing.regions.rest", "region_rest"),
            ("hearing.cards.own", "card"),
            ("hearing.cards.rest", "card_rest"),
            ("norms.regions", "region_norm"),
            ("norms.cards", "card_norm"),
        ):
            name = name.replace(here, before)
        former[name] = value + 1.0
    assert {"rounds.1.card.bias", "rounds.0.rest_norm.weight", "region_embeddings"} < former.keys()
    network.load_state_dict(former)
    for name, value in network.state_dict().items():
        assert torch.equal(value, present[name] + 1.0), name
    later = {re.sub(r"seen\.(\w+)\.", r"\1_", name): value + 2.0 for name, value in present.items()}
    assert "regions_embeddings" in later
    network.load_state_dict(later)
    assert torch.equal(network.seen["cards"].embeddings, present["seen.cards.embeddings"] + 2.0)


@pytest.mark.parametrize("config", [ADVISED, SIZES[-1]], ids=str)
def test_advice_is_a_start_for_the_scores(decisions, config):
    observations = inputs_for(config, decisions)
    network = network_of(config)
    with torch.no_grad():
        trusting = network(observations)[0]
        network.advice_weight.weight += 0.5
        more = network(observations)[0]
    advice = observations[:, OBSERVATION_SIZE:].float()
    torch.testing.assert_close(more - trusting, 0.5 * advice, atol=1e-4, rtol=1e-4)


def test_adjacent_regions_share_what_a_region_hears():
    shares = network_of(ENTITY).seen["regions"].shares
    assert shares.sum(dim=1).tolist() == pytest.approx([1.0] * NUM_REGIONS)
    assert torch.equal(shares > 0, shares.T > 0) and not shares.diagonal().any()
    for region, row in enumerate(NEIGHBOURS):
        assert set(shares[region].nonzero()[:, 0].tolist()) == {int(near) for near in row if near >= 0}


def test_the_kind_of_decision_is_found(decisions):
    observations, _ = decisions
    asked = observations[:, At.DECISION : At.DECISION + len(Decision)]
    assert (asked.sum(dim=1) == 1).all() and (asked >= 0).all()
    for config in (SMALL, ENTITY):
        network = network_of(config)
        habits = network_of(config)
        with torch.no_grad():
            habits.context_bias.weight += torch.arange(len(Decision))[:, None]
            change = habits(observations)[0] - network(observations)[0]
        assert torch.allclose(change, asked.argmax(dim=1)[:, None].float(), atol=1e-3)


def test_every_input_has_a_scale():
    scale = torch.from_numpy(input_scale(WAR_OF_THE_RING))
    assert scale.shape == (OBSERVATION_SIZE,) and scale.dtype == torch.float32
    assert (scale > 0).all() and (scale <= 1).all()
    assert scale[At.CORRUPTION] < 1
    assert (scale[At.DECISION : At.DECISION + len(Decision)] == 1).all()


@pytest.mark.parametrize("name", ["duel", "two-towers"])
def test_scaled_inputs_of_other_games_are_small(name):
    kind = game_kind(name)
    kind.kernels.prepare()
    games, generator = kind.games(64, 1, kind.find_ruleset()), np.random.default_rng(1)
    seen = []
    for _ in range(60):
        games.step((generator.random(games.masks.shape) * games.masks).argmax(axis=1))
        seen.append(games.observations * input_scale(kind))
    spread = np.concatenate(seen).std(axis=0)
    assert spread.max() < 1.2 and np.abs(seen).max() <= 8


def test_scaled_inputs_are_small(decisions):
    sizes = (decisions[0].float() * torch.from_numpy(input_scale(WAR_OF_THE_RING))).abs()
    assert sizes.max() <= 8 and (sizes > 2.5).float().mean() < 0.001


def test_ends_and_their_values():
    worths = WAR_OF_THE_RING.worths
    assert dict(zip(list(Reason)[1:], worths[:, 0].tolist(), strict=True)) == {
        Reason.CORRUPTION: -1,
        Reason.RING_DESTROYED: 1,
        Reason.SHADOW_MILITARY: -1,
        Reason.FREE_PEOPLES_MILITARY: 1,
        Reason.TURN_LIMIT: 0,
    }
    sure = torch.full((len(worths), len(worths)), -50.0).fill_diagonal_(50.0)
    np.testing.assert_allclose(values_of(sure, worths), worths, atol=1e-6)
    assert values_of(torch.zeros(1, len(worths)), worths[:, 0]).tolist() == pytest.approx([0.0])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("config", [SMALL, ENTITY], ids=lambda config: config.kind)
def test_networks_of_every_game_give_the_chances_of_its_ends(game, config):
    kind = game_kind(game)
    torch.manual_seed(1)
    network = make_network(config, kind).eval()
    inputs = np.random.default_rng(1).integers(0, 2, (3, kind.layout.size)).astype(np.int8)
    with torch.no_grad():
        ends = network.end_logits(torch.from_numpy(inputs)).softmax(dim=1).numpy()
    wanted = 0.5 + 0.5 * (ends @ kind.worths)
    inference = inference_of(network)
    np.testing.assert_allclose(inference.values(inputs), wanted, atol=1e-5)
    np.testing.assert_allclose(inference.logits_and_values(inputs)[1], wanted[:, 0], atol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "cnn"}, "unknown kind of network 'cnn'; known: mlp, entity"),
        ({"width": 0}, "width must be from 1 to 4096, not 0"),
        ({"hidden": 4097}, "hidden must be from 1 to 4096"),
        ({"layers": -1}, "layers must be from 1 to 4096"),
    ],
)
def test_sizes_that_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        NetworkConfig(**change)


def test_kinds():
    assert isinstance(make_network(SMALL), MlpNetwork) and isinstance(make_network(ENTITY), EntityNetwork)


# --- Growth. ---


@pytest.mark.parametrize(
    "change", [{"width": 96}, {"hidden": 32}, {"layers": 3}, {"width": 64, "hidden": 48, "layers": 2}]
)
@pytest.mark.parametrize("config", MLPS, ids=str)
def test_a_network_that_has_grown_plays_as_before_and_its_copies_learn_to_differ(decisions, config, change):
    observations, masks = inputs_for(config, decisions), decisions[1]
    small, large = network_of(config), network_of(dataclasses.replace(config, **change), seed=1)
    if not can_grow(config, large.config):
        with pytest.raises(ValueError, match="cannot grow"):
            grow(small, large)
        return
    grow(small, large)
    for before, after in zip(small(observations), large(observations), strict=True):
        torch.testing.assert_close(after, before, atol=1e-4, rtol=1e-4)
    actions = masks.to(torch.int8).argmax(dim=1)
    found = large.evaluate_actions(observations, masks, actions)
    sum(part.sum() for part in found[:4]).backward()
    gradient = large.hidden[0].weight.grad
    copies = gradient[: config.hidden], gradient[config.hidden : 2 * config.hidden]
    if large.config.hidden > config.hidden:
        assert not torch.allclose(*copies)


def test_sizes_that_a_network_does_not_grow_to():
    config = NetworkConfig(width=32, hidden=16, layers=2)
    grown = dataclasses.replace
    assert can_grow(config, grown(config, width=64, hidden=48, layers=3))
    for change in ({"width": 48}, {"hidden": 8}, {"layers": 1}, {"advice": True}, {"kind": "entity"}):
        assert not can_grow(config, grown(config, **change))
    entity = grown(config, kind="entity")
    assert not can_grow(entity, grown(entity, width=64))
