"""Files of networks, and the bot that plays by a network."""

from __future__ import annotations

import dataclasses
import importlib.util

import numpy as np
import pytest
import safetensors.torch
import torch

from tests.networks import ENTITY, MLPS, SIZES, SMALL, decisions_of, inputs_for, network_of
from wotr_agents import BotError, BotView
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.checkpoint import load_network, network_bytes
from wotr_agents.networks.files import find_network, least_weights, network_header
from wotr_agents.networks.inference import MlpInference
from wotr_agents.networks.opening import open_network
from wotr_agents.networks.playing_network import legal_log_probabilities
from wotr_agents.networks.torch_inference import TorchInference, inference_of
from wotr_env import VectorGame
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING


@pytest.fixture(scope="module")
def decisions():
    return decisions_of(150, "first", "cards_second", "fellowship")


# --- Files. ---


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("config", SIZES[1:4], ids=str)
def test_a_network_survives_its_file(tmp_path, decisions, config, dtype):
    network = network_of(config)
    observations = inputs_for(config, decisions)
    path = tmp_path / "net.safetensors"
    path.write_bytes(network_bytes(network.state_dict(), config, {"decisions": 12, "elo": None}, dtype))
    found = load_network(path)
    assert found.config == config and found.facts == {"decisions": 12, "elo": None}
    assert not found.network.training
    for name, weights in network.state_dict().items():
        read = found.network.state_dict()[name]
        assert read.dtype == torch.float32
        assert torch.equal(read, weights.to(dtype).float())
    assert not any(parameter.requires_grad for parameter in found.network.parameters())
    log_probabilities = [
        legal_log_probabilities(each(observations)[0], decisions[1]).exp()
        for each in (network, found.network)
    ]
    torch.testing.assert_close(*log_probabilities, atol=0.01, rtol=0)


def test_half_precision_is_half_as_large():
    weights = network_of(SMALL).state_dict()
    full, half = (len(network_bytes(weights, SMALL, {}, dtype)) for dtype in (torch.float32, torch.float16))
    assert half < 0.51 * full


def write_with_header(path, **changes):
    header = network_header(SMALL, {}, WAR_OF_THE_RING) | changes
    weights = {name: value.contiguous() for name, value in network_of(SMALL).state_dict().items()}
    path.write_bytes(safetensors.torch.save(weights, header))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "not a network of this version .format 'other'"),
        ({"rules_version": "-1"}, "trained with rules version -1; this package uses"),
        ({"layout": "0" * 16}, "trained with layout 0000000000000000; this package uses"),
        ({"network": '{"kind": "cnn"}'}, "cannot be read as a network: unknown kind"),
        ({"network": '{"depth": 3}'}, "cannot be read as a network"),
        ({"network": '{"kind": "mlp", "width": 16, "hidden": 16}'}, "cannot be read as a network"),
        ({"facts": "["}, "cannot be read as a network"),
        ({"facts": "[]"}, "its facts are not an object"),
        ({"facts": "[" * 100_000}, "cannot be read as a network"),
    ],
)
def test_files_for_something_else_are_refused(tmp_path, changes, message):
    path = tmp_path / "net.safetensors"
    write_with_header(path)
    load_network(path)
    write_with_header(path, **changes)
    with pytest.raises(BotError, match=message):
        load_network(path)


def test_broken_files_are_refused(tmp_path):
    path = tmp_path / "net.safetensors"
    write_with_header(path)
    whole = path.read_bytes()
    for data in (b"", b"no network", whole[: len(whole) // 2], whole[:100]):
        path.write_bytes(data)
        with pytest.raises(BotError, match="cannot be read as a network"):
            load_network(path)
    path.write_bytes(safetensors.torch.save({"one": torch.zeros(1)}))
    with pytest.raises(BotError, match="not a network of this version .format None"):
        load_network(path)
    with pytest.raises(BotError, match="cannot be read as a network"):
        load_network(tmp_path / "missing.safetensors")


@pytest.mark.parametrize("config", SIZES, ids=str)
def test_the_least_size_of_a_network(config):
    for size in (config, dataclasses.replace(config, width=256, hidden=128)):
        numbers = sum(values.numel() for values in network_of(size).state_dict().values())
        assert least_weights(size, WAR_OF_THE_RING) <= numbers
    assert numbers < 20 * least_weights(size, WAR_OF_THE_RING)


@pytest.mark.parametrize("kind", ["mlp", "entity"])
def test_a_file_that_says_that_it_is_huge_asks_for_no_memory(tmp_path, kind):
    path = tmp_path / "net.safetensors"
    write_with_header(path, network=f'{{"kind": "{kind}", "width": 4096, "hidden": 4096, "layers": 4096}}')
    with pytest.raises(BotError, match="the file is truncated"):
        load_network(path)


def test_finding_files(tmp_path):
    (tmp_path / "best.safetensors").touch()
    (tmp_path / "other").touch()
    for name in (tmp_path, tmp_path / "best", tmp_path / "best.safetensors"):
        assert find_network(str(name)) == tmp_path / "best.safetensors"
    assert find_network(str(tmp_path / "other")) == tmp_path / "other"
    with pytest.raises(BotError, match="there is no network"):
        find_network(str(tmp_path / "nothing"))
    with pytest.raises(BotError, match="the zoo has no network 'zoo/nothing'"):
        find_network("zoo/nothing")


# --- The bot. ---


def view(decisions):
    observations, masks = (each.numpy() for each in decisions)
    return BotView(masks, np.zeros(len(masks), dtype=np.int8), observations)


def bot_of(network, temperature=0.0, seed=1):
    return NetBot(NetParameters("given", temperature), seed, inference_of(network.eval()))


@pytest.mark.parametrize("temperature", [0.0, 0.01, 1.0, 100.0])
def test_the_bot_plays_legally_and_the_same_again(decisions, temperature):
    network = network_of(SMALL)
    first, second = (bot_of(network, temperature) for _ in range(2))
    for _ in range(3):
        actions = first.act(view(decisions))
        assert actions.dtype == np.int64 and np.array_equal(actions, second.act(view(decisions)))
        assert decisions[1].numpy()[np.arange(len(actions)), actions].all()
    other = bot_of(network, temperature, seed=2).act(view(decisions))
    assert np.array_equal(actions, other) is (temperature == 0.0)


def test_the_bot_explains_what_it_does(decisions):
    bot = bot_of(network_of(ENTITY))
    actions, explained = bot.act(view(decisions)), bot.explain(view(decisions))
    for action, row, mask in zip(actions, explained, decisions[1].numpy(), strict=True):
        assert row[0][0] == action
        assert sorted(legal for legal, _ in row) == np.flatnonzero(mask).tolist()
        log_probabilities = [chance for _, chance in row]
        assert sum(log_probabilities) == pytest.approx(1, abs=1e-5) and log_probabilities == sorted(
            log_probabilities, reverse=True
        )


def test_at_temperature_one_the_bot_draws_by_its_probabilities(decisions):
    most = int(decisions[1].sum(dim=1).argmax())
    one = view([each[most : most + 1] for each in decisions])
    many = view([each[most : most + 1].repeat(4000, 1) for each in decisions])
    bot = bot_of(network_of(SMALL), temperature=1.0)
    drawn = np.bincount(bot.act(many), minlength=NUM_ACTIONS) / 4000
    for action, chance in bot.explain(one)[0]:
        assert drawn[action] == pytest.approx(chance, abs=0.04)


@pytest.mark.parametrize("config", MLPS, ids=str)
def test_without_torch_a_network_says_what_it_says_by_torch(decisions, config):
    network = network_of(config).eval()
    inputs, masks = inputs_for(config, decisions).numpy(), decisions[1].numpy()
    here, by_torch = inference_of(network), TorchInference(network)
    assert isinstance(here, MlpInference) and np.ptp(here.logits_and_values(inputs)[1]) > 0
    legal = masks.nonzero()
    found, wanted = (each.log_probabilities(inputs, masks) for each in (here, by_torch))
    np.testing.assert_allclose(found[legal], wanted[legal], atol=1e-4)
    assert (found == -np.inf).tolist() == (~masks).tolist()
    pairs = zip(here.logits_and_values(inputs), by_torch.logits_and_values(inputs), strict=True)
    for some, others in pairs:
        assert some.dtype == others.dtype == np.float32
        np.testing.assert_allclose(some, others, atol=1e-4)
    for each in (here, by_torch):
        together = each.log_probabilities_and_values(inputs, masks)
        alone = each.log_probabilities(inputs, masks), each.values(inputs)
        assert [one.tobytes() for one in together] == [one.tobytes() for one in alone]


def test_an_entity_network_without_torch_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "net.safetensors"
    path.write_bytes(network_bytes(network_of(ENTITY).state_dict(), ENTITY, {}))
    assert isinstance(open_network(str(path)), TorchInference)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(BotError, match=r"entity network and needs torch: pip install '.\[learn\]'"):
        open_network(str(path))


def test_the_bot_answers_no_games_and_many(decisions):
    bot = bot_of(network_of(SMALL))
    assert bot.act(view([each[:0] for each in decisions])).shape == (0,)
    repeated = [each.repeat(30, 1) for each in decisions]  # more than go through the network at once
    assert np.array_equal(bot.act(view(repeated)), np.tile(bot.act(view(decisions)), 30))


def test_weights_that_are_not_finite_are_reported(decisions):
    network = network_of(SMALL)
    with torch.no_grad():
        network.policy_head.bias[:] = torch.nan
    with pytest.raises(BotError, match="not finite"):
        bot_of(network).act(view(decisions))


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
def test_a_file_with_weights_that_are_not_finite_does_not_load(tmp_path, value):
    path, network = tmp_path / "net.safetensors", network_of(SMALL)
    with torch.no_grad():
        network.policy_head.bias[3] = value
    path.write_bytes(network_bytes(network.state_dict(), SMALL, {}))
    with pytest.raises(BotError, match=r"net\.safetensors cannot be used as a network.* not finite"):
        load_network(path)


def test_the_bot_plays_a_file(tmp_path):
    path = tmp_path / "net.safetensors"
    network = network_of(SMALL)
    path.write_bytes(network_bytes(network.state_dict(), SMALL, {}))
    games = VectorGame(4, seed=1)
    read, given = NetBot(NetParameters(str(path)), 1), bot_of(network)
    for _ in range(40):
        asked = BotView(games.masks, games.seats, games.observations)
        actions = read.act(asked)
        assert np.array_equal(actions, given.act(asked))
        games.step(actions)


@pytest.mark.parametrize("changes", [{"path": ""}, {"temperature": -1.0}, {"temperature": float("nan")}])
def test_parameters_of_the_bot_that_are_refused(changes):
    with pytest.raises(ValueError):
        NetParameters(**({"path": "zoo/any"} | changes))
