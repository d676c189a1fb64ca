"""Improving a network's policy with playouts."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest
import torch

from tests import networks
from wotr_agents.networks.checkpoint import load_network
from wotr_agents.networks.playing_network import legal_log_probabilities
from wotr_env.play.games import game_kind
from wotr_experiments.training import distillation
from wotr_experiments.training.distillation import Dataset, Estimator, Settings

KIND = game_kind("duel")
FEW = ("--decisions", 8, "--playouts", 2, "--actions", 3, "--share", 0.2, "--epochs", 1, "--workers", 1)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return networks.write_network(tmp_path_factory.mktemp("network"), advice=True, kind=KIND)


@pytest.fixture(autouse=True)
def few_games(monkeypatch):
    monkeypatch.setattr(distillation, "_GAMES", 2)


def settings_of(path, **others):
    given = Settings(str(path), "", playouts=3, actions=4, turns=1, share=0.2, others=2, seed=5)
    return dataclasses.replace(given, **others)


@pytest.fixture(scope="module")
def estimates(path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distillation, "_GAMES", 2)
        return Estimator(settings_of(path), workers=1).estimates(3)


@pytest.fixture
def run(run_main):
    return functools.partial(run_main, distillation.main)


def same(first, second):
    return all(each.tobytes() == other.tobytes() for each, other in zip(first, second, strict=True))


def test_estimates_do_not_depend_on_the_number_of_threads(path, estimates):
    assert same(Estimator(settings_of(path), workers=3).estimates(3), estimates)
    assert not same(Estimator(settings_of(path), workers=1).estimates(4), estimates)


def test_estimates_are_of_the_likeliest_actions_of_main_decisions(path, estimates):
    judged = len(estimates.actions)
    assert judged > 0 and 0 < len(estimates.states) - judged <= 2 * judged
    several = estimates.masks.sum(axis=1)
    assert (several > 1).all()
    opens = [KIND.opens(state) for state in estimates.states]
    assert all(opens[:judged]) and not any(opens[judged:])
    network, dataset = load_network(path).network, Dataset(KIND, True, [estimates])
    inputs, masks = dataset.inputs(np.arange(judged))
    likely = legal_log_probabilities(network(inputs)[0], masks)
    for row, actions in enumerate(estimates.actions):
        tried = actions[actions >= 0]
        assert len(tried) == min(4, several[row])
        least = float(likely[row][torch.from_numpy(tried)].min())
        others = likely[row].clone()
        others[torch.from_numpy(tried)] = -torch.inf
        assert float(others.max()) <= least + 1e-4
    assert ((estimates.chances >= 0) & (estimates.chances <= 1)).all()


def test_playouts_to_the_end_are_won_lost_or_drawn(path):
    found = Estimator(settings_of(path, turns=0, playouts=1), workers=1).estimates(0)
    assert set(np.unique(found.chances)) <= {0.0, 0.5, 1.0}
    longer = Estimator(settings_of(path, turns=1, playouts=1), workers=1).estimates(0)
    assert not set(np.unique(longer.chances)) <= {0.0, 0.5, 1.0}


def test_stored_estimates_are_read_again(estimates, tmp_path):
    distillation.write_estimates(tmp_path / "some.npz", estimates)
    assert same(distillation.read_estimates(tmp_path / "some.npz"), estimates)
    assert [each.name for each in tmp_path.iterdir()] == ["some.npz"]


def test_gains_are_relative_to_the_policy_and_untried_actions_count_as_the_worst(estimates):
    dataset = Dataset(KIND, True, [estimates, estimates])
    rows = np.arange(dataset.judged - 1, dataset.judged + 2)
    assert dataset.judged == 2 * len(estimates.actions)
    actions, chances = estimates.actions[-1], estimates.chances[-1]
    tried = actions >= 0
    generator = torch.Generator().manual_seed(1)
    policy = torch.rand((3, KIND.actions.size), generator=generator).softmax(dim=1)
    gains = dataset.gains(rows, policy)
    assert not gains[1:].any()
    assert float((policy[0] * gains[0]).sum()) == pytest.approx(0.0, abs=1e-6)
    worst = chances[tried].min()
    untried = np.setdiff1d(np.arange(KIND.actions.size), actions)
    for action, chance in zip(actions[tried], chances[tried], strict=True):
        assert float(gains[0, action] - gains[0, untried[0]]) == pytest.approx(
            float(chance - worst), abs=1e-5
        )
    assert (gains[0, untried] == gains[0, untried[0]]).all()


def test_a_network_learns_what_playouts_show_and_keeps_everything_else(path, estimates):
    """The last of the tried actions is made the best one everywhere."""
    judged = len(estimates.actions)
    chances = np.full_like(estimates.chances, 0.3)
    several = (estimates.actions >= 0).sum(axis=1) - 1
    chances[np.arange(judged), several] = 0.9
    dataset = Dataset(KIND, True, [estimates._replace(chances=chances)])
    network, reference = load_network(path).network, load_network(path).network

    assert distillation.measure(network, reference, dataset) == pytest.approx((0, 0, 0, 0, 1), abs=1e-6)
    fitted = distillation.fit(
        network, reference, dataset, temperature=0.1, epochs=40, batch=16, learning_rate=3e-3, seed=1
    )
    passed = list(fitted)

    assert passed[-1] < passed[0] - 0.1
    found = distillation.measure(network, reference, dataset)
    assert found.likeliest > 0.3 and found.policy > 0.2 and found.same < 0.5
    assert found.likeliest_error > 0 and found.policy_error > 0
    rows = np.arange(judged, len(dataset))
    inputs, masks = dataset.inputs(rows)
    (new, new_ends), (old, old_ends) = network(inputs), reference(inputs)
    changed = (legal_log_probabilities(new, masks).exp() - legal_log_probabilities(old, masks).exp()).abs()
    assert float(changed.max(dim=1).values.mean()) < 0.15
    assert float((new_ends.softmax(1) - old_ends.softmax(1)).abs().max(dim=1).values.mean()) < 0.1


def test_the_loss_is_least_at_the_policy_times_the_exponential_of_the_gains(path, estimates):
    """Without the value, in one decision: a step of magnetic mirror descent."""
    dataset, reference = Dataset(KIND, True, [estimates]), load_network(path).network
    rows = np.array([0])
    inputs, masks = dataset.inputs(rows)
    old = legal_log_probabilities(reference(inputs)[0], masks)
    gains = dataset.gains(rows, old.exp())

    class Policy(torch.nn.Module):
        def __init__(self, logits):
            super().__init__()
            self.logits = torch.nn.Parameter(logits)

        def forward(self, inputs):
            return self.logits, reference(inputs)[1]

    best = Policy((old + gains / 0.05).masked_fill(~masks, 0.0))
    loss = distillation.losses(best, reference, dataset, rows, 0.05)
    loss.backward()
    assert best.logits.grad.abs().max() < 1e-6
    started = distillation.losses(Policy(old.masked_fill(~masks, 0.0)), reference, dataset, rows, 0.05)
    assert float(loss.detach()) < float(started.detach())


def test_a_command_continues_and_writes_a_network_that_plays(path, tmp_path, run):
    out = tmp_path / "out"
    code, text, error = run(path, out, *FEW)
    assert code == 0 and text.splitlines()[-1] == str(out / "network.safetensors"), error
    assert "epoch 1: loss" in text and "the same" in text
    stored = {each.name: each.read_bytes() for each in out.glob("*.npz")}
    assert len(stored) >= 2
    learned = load_network(out / "network.safetensors")
    assert learned.kind is KIND and learned.facts["distilled"]["playouts"] == 2
    out.joinpath("estimates-00001.npz").unlink()

    assert run(path, out, *FEW)[:2] == (0, text)

    assert {each.name: each.read_bytes() for each in out.glob("*.npz")} == stored
    again = load_network(out / "network.safetensors").network.state_dict()
    assert all(torch.equal(again[name], each) for name, each in learned.network.state_dict().items())


def test_estimates_of_other_settings_are_not_mixed(path, tmp_path, run):
    out = tmp_path / "out"
    assert run(path, out, *FEW)[0] == 0
    before = (out / "network.safetensors").read_bytes()
    code, _, error = run(path, out, *FEW, "--playouts", 5)
    assert (code, error) == (2, f"distillation: {out} has estimates with another playouts: 2\n")
    assert (out / "network.safetensors").read_bytes() == before
    out.joinpath("settings.json").write_text("[]")
    assert run(path, out, *FEW)[1:] == (
        "",
        f"distillation: {out / 'settings.json'} does not contain settings\n",
    )


def test_estimates_of_another_network_in_the_same_file_are_not_used(path, tmp_path, run):
    network = tmp_path / "network.safetensors"
    network.write_bytes(path.read_bytes())
    assert run(network, tmp_path / "out", *FEW)[0] == 0
    network.write_bytes(networks.write_network(tmp_path, seed=7, advice=True, kind=KIND).read_bytes())
    code, _, error = run(network, tmp_path / "out", *FEW)
    assert code == 2 and "has estimates with another identity" in error and error.count("\n") == 1


def test_a_shard_may_have_no_decision(path):
    empty = Estimator(settings_of(path, share=1e-9), workers=1).estimates(0)
    assert (empty.states.shape, empty.masks.shape) == ((0,), (0, KIND.actions.size))
    assert (empty.actions.shape, empty.chances.shape) == ((0, 4), (0, 4))


@pytest.mark.parametrize(
    ("network", "message"),
    [("nowhere", "there is no network nowhere"), ("entity", "playouts need a network of the kind mlp")],
)
def test_a_network_that_cannot_be_used_is_one_line(network, message, tmp_path, run):
    if network == "entity":
        config = networks.ENTITY
        network = tmp_path / "entity.safetensors"
        made = networks.network_of(config)
        network.write_bytes(distillation.network_bytes(made.state_dict(), config, {}))
    code, text, error = run(network, tmp_path / "out", *FEW)
    assert code == 2 and text == "" and error.count("\n") == 1 and message in error
