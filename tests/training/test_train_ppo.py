"""PPO: near the optimum of toys whose optimum is known, and each part against something slower."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.learners import (
    CPU,
    SMALL,
    kind_of,
    learner_of,
    network_of,
    rollout_of,
    room_for,
    scattered_games,
    weights_of,
)
from tests.toy_games import HuntOnly, TwoStepBandit
from tests.toy_kind import WORTHS, ToyEnd
from tests.toy_learning import greedy, make_toy_network, network_policy
from wotr_env import IllegalAction
from wotr_experiments.training.ppo import Counts, Decisions
from wotr_experiments.training.rollouts import PhaseTimer, Player, collect, no_opponents

# --- The toys. ---


@pytest.mark.parametrize("toy", [TwoStepBandit, HuntOnly])
def test_every_position_of_a_toy_can_be_told_from_the_others(toy):
    games = toy(2, 1)
    seen = {row.tobytes() for row in games.tables.all_observations}
    assert len(seen) == len(games.tables.all_observations) and games.tables.all_masks.any(axis=1).all()
    contexts = games.tables.all_observations[:, : games.tables.decisions]
    assert (contexts.sum(axis=1) == 1).all()


@pytest.mark.parametrize("toy", [TwoStepBandit, HuntOnly])
def test_the_value_of_a_policy_is_what_games_bring(toy):
    games = toy(2000, 3)
    policy = games.tables.all_masks / games.tables.all_masks.sum(axis=1, keepdims=True)
    generator = np.random.default_rng(1)
    worths = []
    for _ in range(40):
        luck = generator.random(games.masks.shape) * games.masks
        games.step(luck.argmax(axis=1))
        reasons = games.end_records["reason"]
        assert np.array_equal(games.terminated, reasons > 0)
        worths += [WORTHS[reason - 1] for reason in reasons[reasons > 0]]
    # Long games are a little rarer among those that have ended.
    assert np.mean(worths) == pytest.approx(games.value(policy), abs=0.04)


def test_the_bandits_first_look_misleads():
    games = TwoStepBandit(1, 1)
    assert games.optimal_value() == pytest.approx(2 * 0.95 - 1)
    assert games.optimal_policy()[0].argmax() == 1
    means = [np.mean(list(wins.values())) for wins in games.CHANCES]
    assert np.argmax(means) == 0
    uniform = games.tables.all_masks / games.tables.all_masks.sum(axis=1, keepdims=True)
    assert games.value(uniform) == pytest.approx(2 * np.mean(means) - 1)


def test_the_hunts_last_decision_by_hand():
    # One step to go, no corruption, two eyes: only damage 3 stops the move, and a rest loses by time.
    class Last(HuntOnly):
        STEPS, TURNS, EYES = 1, 1, 2

    games = Last(1, 1)
    assert games.optimal_value() == pytest.approx(1 - 2 * 0.9 * 0.3)
    assert games.optimal_policy()[0].argmax() == 2
    assert set(games.optimal_policy()[1:].argmax(axis=1)) == {games.MOVE}


def test_the_optimum_of_the_hunt_cannot_be_improved_on():
    games = HuntOnly(1, 1)
    best = games.optimal_policy()
    assert games.value(best) == pytest.approx(games.optimal_value())
    assert games.regret(best, 0) == games.regret(best, 1) == 0
    generator = np.random.default_rng(0)
    for _ in range(5):
        other = generator.random(best.shape) * games.tables.all_masks
        other /= other.sum(axis=1, keepdims=True)
        teams = np.array([games.team_of(number) for number in range(len(best))])
        mixed = np.where(teams[:, None] == 1, other, best)
        assert games.value(mixed) > games.optimal_value()
        assert games.regret(other, 0) > 0.3 and games.regret(other, 1) > 0.1


def test_toys_refuse_illegal_actions():
    games = TwoStepBandit(3, 1)
    for action in (3, 5, -1):
        before = games.observations.tobytes()
        with pytest.raises(IllegalAction, match="game 1"):
            games.step(np.array([0, action, 0]))
        assert games.observations.tobytes() == before


# --- Learning. ---


TOY_LEARNING = {
    "learning_rate": 3e-3,
    "minibatch_size": 1024,
    "gae_lambda": 0.98,
    "policy_share": 0.5,
    "value_share": 0.5,
    "value_coefficient": 0.5,
    "ema_decay": 0.98,
}


def train(games, updates, steps, **changes):
    torch.manual_seed(1)
    learner = learner_of(make_toy_network(games), **(TOY_LEARNING | changes))
    player, rollout, clock = Player(learner.network, CPU, 1), room_for(games, steps), PhaseTimer()
    for update in range(updates):
        collect(games, player, rollout, no_opponents(games.num_games), [], clock, kind=kind_of(games))
        learner.update(rollout, update / updates)
    return learner


def test_it_finds_the_best_pair_of_arms():
    games = TwoStepBandit(128, 1)
    learner = train(games, 25, 16, entropy_coefficient=0.05)
    policy = network_policy(games, learner.network)
    assert games.value(greedy(policy)) == pytest.approx(games.optimal_value())
    assert games.regret(policy, 0) < 0.02


def test_it_nearly_solves_the_hunt_for_both_teams():
    games = HuntOnly(128, 1)
    learner = train(games, 100, 32, entropy_coefficient=0.1, policy_share=1.0)
    policy = network_policy(games, learner.averaged)
    assert games.regret(greedy(policy), 0) < 0.05
    assert games.regret(greedy(policy), 1) < 0.05
    assert games.value(policy) == pytest.approx(games.optimal_value(), abs=0.08)
    assert games.regret(policy, 0) < 0.08
    assert games.regret(policy, 1) < 0.08


@pytest.mark.parametrize("team", [0, 1])
def test_each_team_learns_what_is_good_for_itself(team):
    # Every game ends at once: action 0 loses it, action 1 wins it for team 0.
    torch.manual_seed(0)
    games = TwoStepBandit(64, 1)
    learner = learner_of(make_toy_network(games), entropy_coefficient=0.0)
    rollout = rollout_of(games, learner.network, steps=1)
    rollout.teams[:] = team
    rollout.actions[0] = torch.arange(64) % 2
    ends = torch.tensor([ToyEnd.LOST, ToyEnd.WON])
    rollout.reasons[0] = ends[rollout.actions[0]]
    decisions = rollout.observations[0], rollout.masks[0], rollout.actions[0]
    with torch.no_grad():
        before = rollout.log_probabilities[0] = learner.network.evaluate_actions(*decisions)[0]
    for _ in range(3):
        learner.update(rollout, 0.0)
    with torch.no_grad():
        change = learner.network.evaluate_actions(*decisions)[0] - before
    good = 0 if team == 1 else 1
    assert change[good] > 0.05 and change[1 - good] < -0.05


# --- The parts of an update. ---


def batch_of(rollout, advantages, targets=None):
    """A batch for ``Learner.losses`` of all decisions of a rollout."""
    everything = torch.ones(rollout.actions.numel())
    return Decisions(
        observations=rollout.observations.flatten(0, 1),
        masks=rollout.masks.flatten(0, 1),
        actions=rollout.actions.flatten(),
        targets=rollout.targets(0.98).flatten(0, 1) if targets is None else targets,
        policy_mask=everything,
        value_mask=everything,
        log_probabilities=rollout.log_probabilities.flatten(),
        advantages=advantages,
        others=rollout.others.flatten(0, 1),
        chances=rollout.chances.flatten(),
        foreseen=everything[:, None][:, :0],
        foreseen_mask=everything,
    )


def losses_of(learner, batch):
    """Its losses, with none of the minibatch in other hands."""
    return learner.losses(batch, Counts(batch.policy_mask.sum(), batch.value_mask.sum()))


@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.kind)
def test_an_update_sees_the_probabilities_of_the_rollout(config):
    learner = learner_of(network_of(config))
    rollout = rollout_of(scattered_games(), learner.network, steps=24)
    batch = batch_of(rollout, torch.zeros(0))
    before = batch.log_probabilities
    with torch.no_grad():
        now, _, ends = learner.network.evaluate_actions(batch.observations, batch.masks, batch.actions)[:3]
    assert before.min() < -1
    torch.testing.assert_close(now, before, atol=1e-5, rtol=0)
    torch.testing.assert_close(
        ends.softmax(dim=1), rollout.end_probabilities.flatten(0, 1), atol=1e-5, rtol=0
    )


@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.kind)
def test_losses_of_an_untouched_network(config):
    learner = learner_of(network_of(config))
    rollout = rollout_of(scattered_games(), learner.network, steps=8)
    advantages = torch.randn(64)
    batch = batch_of(rollout, advantages)
    parts = {name: float(part.detach()) for name, part in losses_of(learner, batch).items()}
    assert parts["clip_fraction"] == 0
    assert parts["approx_kl"] == pytest.approx(0, abs=1e-6)
    assert parts["policy_loss"] == pytest.approx(-float(advantages.mean()), abs=1e-5)
    with torch.no_grad():
        scores, ends = learner.network(batch.observations)
    policies = [row[mask].softmax(dim=0) for row, mask in zip(scores, batch.masks, strict=True)]
    entropy = np.mean([float(-(policy * policy.log()).sum()) for policy in policies])
    assert parts["entropy"] == pytest.approx(entropy, abs=1e-5)
    value = -(batch.targets * ends.log_softmax(dim=1)).sum(dim=1).mean()
    assert parts["value_loss"] == pytest.approx(float(value), abs=1e-5)


def test_losses_count_only_the_decisions_that_are_learned_from():
    learner = learner_of(network_of(SMALL[0]))
    rollout = rollout_of(scattered_games(), learner.network, steps=8)
    batch = batch_of(rollout, torch.randn(64))
    half = (torch.arange(64) % 2 == 0).float()
    found = losses_of(learner, batch._replace(policy_mask=half, value_mask=1 - half))
    even, odd = (losses_of(learner, Decisions(*(values[first::2] for values in batch))) for first in (0, 1))
    for name, part in found.items():
        wanted = (odd if name == "value_loss" else even)[name]
        torch.testing.assert_close(part, wanted, atol=1e-5, rtol=0)


def test_the_clip_ends_the_pull_on_the_policy():
    learner = learner_of(network_of(SMALL[0]))
    rollout = rollout_of(scattered_games(), learner.network, steps=8)
    rollout.log_probabilities -= 0.5  # as if every action had become likelier by more than the clip
    parts = losses_of(learner, batch_of(rollout, torch.ones(64)))
    assert float(parts["clip_fraction"]) == 1
    assert float(parts["policy_loss"].detach()) == pytest.approx(-1.15, abs=1e-5)
    assert float(parts["approx_kl"].detach()) == pytest.approx(np.exp(0.5) - 1 - 0.5, abs=1e-5)
    gradients = torch.autograd.grad(
        parts["policy_loss"], learner.network.policy_head.weight, allow_unused=True
    )
    assert gradients[0] is None or not gradients[0].any()


@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.kind)
def test_one_batch_can_be_learned_by_heart(config):
    learner = learner_of(network_of(config))
    rollout = rollout_of(scattered_games(), learner.network, steps=2)
    count = rollout.actions.numel()
    targets = torch.distributions.Dirichlet(torch.ones(learner.network.worths.shape[0])).sample((count,))
    batch = batch_of(rollout, torch.ones(count), targets)
    optimizer = torch.optim.Adam(learner.network.parameters(), 1e-2)
    for _ in range(150):
        with torch.no_grad():
            now = learner.network.evaluate_actions(*batch[:3])[0]
        parts = losses_of(learner, batch._replace(log_probabilities=now))
        optimizer.zero_grad()
        (parts["policy_loss"] + parts["value_loss"]).backward()
        optimizer.step()
    entropy = -(targets * targets.log()).sum(dim=1).mean()
    assert float(parts["value_loss"]) == pytest.approx(float(entropy), abs=0.05)
    assert now.exp().min() > 0.8


def test_values_may_learn_from_other_returns_than_advantages():
    """The returns of ``gae_lambda`` judge what was done; those of ``value_lambda`` are what values learn."""
    seen = {}
    for name, lambdas in {"one": (0.9, None), "same": (0.9, 0.9), "other": (0.9, 0.2)}.items():
        torch.manual_seed(1)
        games, (gae_lambda, value_lambda) = TwoStepBandit(16, 1), lambdas
        learner = learner_of(make_toy_network(games), gae_lambda=gae_lambda, value_lambda=value_lambda)
        rollout, kept = rollout_of(games, learner.network, steps=4), []
        losses = learner.losses
        learner.losses = lambda *batch, losses=losses, kept=kept: kept.append(batch[0]) or losses(*batch)
        learner.update(rollout, 0.0)
        decisions = kept[0]
        wanted = rollout.targets(0.2 if name == "other" else 0.9).transpose(0, 1).flatten(0, 1)
        found = {tuple(row) for row in decisions.targets.tolist()}
        assert found <= {tuple(row) for row in wanted.tolist()}
        seen[name] = decisions
    assert torch.equal(seen["one"].targets, seen["same"].targets)
    assert torch.equal(seen["one"].advantages, seen["other"].advantages)
    assert not torch.equal(seen["one"].targets, seen["other"].targets)


def test_imitation_puts_the_policy_on_the_labels():
    learner = learner_of(network_of(SMALL[0]), learning_rate=1e-2, entropy_coefficient=0.0)
    rollout = rollout_of(scattered_games(), learner.network, steps=4)
    draws = torch.rand(rollout.masks.shape) * rollout.masks
    rollout.labels[:] = draws.argmax(dim=2)
    for _ in range(100):
        means = learner.imitate(rollout, 0.0)
    assert means["agreement"] > 0.9


def one_team_of(rollout, team):
    """The rollout as if the network had decided for one team alone."""
    rollout.learned[:] = rollout.teams == team
    return rollout


def test_a_team_alone_is_not_pushed_from_all_that_it_does():
    """Values that promise too much make every decision look bad; what all share is taken off."""
    changes = []
    for teams in ((0,), (0, 1)):
        learner = learner_of(network_of(SMALL[0]), policy_share=1.0, value_share=0.0, entropy_coefficient=0.0)
        rollout = rollout_of(scattered_games(), learner.network, steps=8)
        if len(teams) == 1:
            one_team_of(rollout, 0)
        rollout.end_probabilities[:] = torch.tensor([0.0, 1.0, 0.0, 0.0, 0.0])  # a win
        rollout.last_end_probabilities[:] = torch.tensor([1.0, 0.0, 0.0, 0.0, 0.0])  # a defeat
        rollout.end_probabilities[::2] = rollout.last_end_probabilities
        own = rollout.learned
        decisions = learner._decisions(rollout, rollout.actions)
        gains = decisions.advantages.view(8, 8).T[own]
        bias = float(learner._bias(rollout, gains, own.flatten().nonzero()[:, 0]))
        changes.append((bias, float(gains.mean())))
    assert changes[0][0] == pytest.approx(changes[0][1]) and abs(changes[0][0]) > 0.05
    assert changes[1][0] == 0.0


def test_at_first_only_the_values_learn():
    learner = learner_of(network_of(SMALL[0]), decisions=1000, values_first=500, entropy_coefficient=0.1)
    rollout = rollout_of(scattered_games(), learner.network, steps=8)
    before = learner.network.policy_head.weight.clone(), learner.network.value_head.weight.clone()
    means = learner.update(rollout, 0.49)
    assert means["policy_loss"] == means["entropy"] == means["approx_kl"] == 0.0
    assert torch.equal(learner.network.policy_head.weight, before[0])
    assert not torch.equal(learner.network.value_head.weight, before[1])
    learner.update(rollout, 0.5)
    assert not torch.equal(learner.network.policy_head.weight, before[0])


def test_two_workers_learn_the_same_as_one():
    found = []
    for workers in (1, 2):
        learner = learner_of(network_of(SMALL[0]), workers=workers, policy_share=1.0, value_share=1.0)
        rollout = rollout_of(scattered_games(), learner.network, steps=8)
        learner.update(rollout, 0.0)
        found.append(list(learner.network.parameters()))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


def test_without_averaging_the_averaged_network_is_the_network():
    for ema_decay, same in ((0.0, True), (0.9, False)):
        learner = learner_of(network_of(SMALL[0]), ema_decay=ema_decay)
        learner.update(rollout_of(scattered_games(), learner.network, steps=4), 0.0)
        assert (weights_of(learner.network) == weights_of(learner.averaged)) is same
        given = rollout_of(scattered_games(), learner.network, steps=1)
        decisions = given.observations[0], given.masks[0], given.actions[0]
        now, averaged = (each.evaluate_actions(*decisions)[0] for each in (learner.network, learner.averaged))
        assert torch.equal(now, averaged) is same
