"""PPO: near the optimum of toys whose optimum is known, and each part against something slower."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from tests.toy_games import HuntOnly, TwoStepBandit
from tests.toy_kind import WORTHS, ToyEnd
from tests.toy_learning import greedy, make_toy_network, network_policy
from wotr_agents import make_bot
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import (
    NUM_ENDS,
    PlayingNetwork,
    legal_log_probabilities,
    make_network,
)
from wotr_env import IllegalAction, VectorGame
from wotr_env.codes import Side
from wotr_env.war_of_the_ring import WAR_OF_THE_RING
from wotr_experiments.training.config import PpoConfig
from wotr_experiments.training.ppo import (
    LEARNER,
    Clock,
    Counts,
    Decisions,
    Learner,
    Player,
    Rollout,
    collect,
    no_opponents,
)

CPU = torch.device("cpu")
SMALL = (NetworkConfig(width=32, hidden=16), NetworkConfig("entity", width=16, hidden=8))


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def learner_of(network, seed=1, **changes):
    config = {"games": 8, "steps": 8, "workers": 1, "minibatch_size": 1024, "learning_rate": 3e-3} | changes
    return Learner(network, PpoConfig(**config), CPU, seed)


def room_for(games, steps):
    inputs, actions, ends = games.observations.shape[1], games.masks.shape[1], len(kind_of(games).ends)
    return Rollout.empty(steps, games.num_games, inputs, actions, ends)


def kind_of(games):
    return getattr(games, "kind", WAR_OF_THE_RING)


def rollout_of(games, network, steps, players=None, opponents=(), seed=1):
    rollout = room_for(games, steps)
    players = no_opponents(games.num_games) if players is None else players
    player = Player(network, CPU, seed)
    collect(games, player, rollout, players, list(opponents), Clock(), kind=kind_of(games))
    return rollout


def scattered_games(num_games=8, seed=5):
    """Games of War of the Ring at different points."""
    games = VectorGame(num_games, seed)
    games.random_steps(400)
    return games


def network_of(config, seed=0):
    torch.manual_seed(seed)
    return make_network(config)


def weights_of(network):
    return [parameter.detach().numpy().tobytes() for parameter in network.parameters()]


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
        reasons = games.outcomes["reason"]
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
    player, rollout, clock = Player(learner.network, CPU, 1), room_for(games, steps), Clock()
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
        now, _, ends = learner.network.evaluate_actions(batch.observations, batch.masks, batch.actions)
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
    assert float(parts["policy_loss"]) == pytest.approx(-1.15, abs=1e-5)
    assert float(parts["approx_kl"]) == pytest.approx(np.exp(0.5) - 1 - 0.5, abs=1e-5)
    gradients = torch.autograd.grad(
        parts["policy_loss"], learner.network.policy_head.weight, allow_unused=True
    )
    assert gradients[0] is None or not gradients[0].any()


@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.kind)
def test_one_batch_can_be_learned_by_heart(config):
    learner = learner_of(network_of(config))
    rollout = rollout_of(scattered_games(), learner.network, steps=4)
    count = rollout.actions.numel()
    targets = torch.distributions.Dirichlet(torch.ones(NUM_ENDS)).sample((count,))
    batch = batch_of(rollout, torch.ones(count), targets)
    optimizer = torch.optim.Adam(learner.network.parameters(), 1e-2)
    for _ in range(240):
        with torch.no_grad():
            now = learner.network.evaluate_actions(*batch[:3])[0]
        parts = losses_of(learner, batch._replace(log_probabilities=now))
        optimizer.zero_grad()
        (parts["policy_loss"] + parts["value_loss"]).backward()
        optimizer.step()
    entropy = -(targets * targets.log()).sum(dim=1).mean()
    assert float(parts["value_loss"]) == pytest.approx(float(entropy), abs=0.05)
    assert now.exp().min() > 0.8


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


# --- Choices. ---


class FixedScores(PlayingNetwork):
    """Scores that were given, for observations that are their row numbers."""

    def __init__(self, scores):
        super().__init__(SMALL[0])
        self.scores = scores

    def forward(self, observations):
        rows = observations[:, 0].long()
        return self.scores[rows], torch.zeros(len(rows), NUM_ENDS)


def random_masks(rows, actions, generator):
    """Masks with from one legal action to all."""
    masks = torch.rand(rows, actions, generator=generator) < torch.rand(rows, 1, generator=generator)
    masks[torch.arange(rows), torch.randint(actions, (rows,), generator=generator)] = True
    return masks


EXTREMES = (1e-3, 1.0, 30.0, 1e4, 1e30)
EDGES = torch.tensor([0.0, 1e-45, 1e-7, 0.5, 1 - 2**-24])
"""Draws at the ends of what ``torch.rand`` gives."""


@pytest.mark.parametrize("scale", EXTREMES)
def test_nothing_illegal_is_ever_drawn(scale):
    generator = torch.Generator().manual_seed(2)
    scores = torch.randn(100, 322, generator=generator) * scale
    observations = torch.arange(100, dtype=torch.int8)[:, None]
    network = FixedScores(scores)
    for number in range(40):
        masks = random_masks(100, 322, generator)
        uniforms = torch.rand(100, generator=generator) if number >= len(EDGES) else EDGES[number].repeat(100)
        actions, log_probabilities, _ = network.sample(observations, masks, uniforms)
        assert masks[torch.arange(100), actions].all()
        wanted = legal_log_probabilities(scores, masks)[torch.arange(100), actions]
        torch.testing.assert_close(log_probabilities, wanted)


@pytest.mark.parametrize("scale", EXTREMES[:-1])
def test_nothing_illegal_is_ever_drawn_from_legal_scores_alone(scale):
    generator = torch.Generator().manual_seed(2)
    games = HuntOnly(100, 1)
    network = make_toy_network(games)
    with torch.no_grad():
        network.policy_head.bias.copy_(torch.randn(5, generator=generator) * scale)
        network.context_bias.weight.copy_(torch.randn(2, 5, generator=generator) * scale)
    observations = torch.from_numpy(games.tables.all_observations[:100])
    with torch.no_grad():
        for number in range(100):
            masks = random_masks(100, 5, generator)
            uniforms = (
                torch.rand(100, generator=generator) if number >= len(EDGES) else EDGES[number].repeat(100)
            )
            actions, log_probabilities, _ = network.sample(observations, masks, uniforms)
            assert masks[torch.arange(100), actions].all()
            wanted = legal_log_probabilities(network(observations)[0], masks)[torch.arange(100), actions]
            torch.testing.assert_close(log_probabilities, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_actions_are_drawn_by_their_probabilities(sparse):
    torch.manual_seed(3)
    games = HuntOnly(1, 1)
    network = make_toy_network(games)
    torch.nn.init.normal_(network.policy_head.bias)
    observations = torch.from_numpy(games.observations).repeat(50_000, 1)
    mask = torch.tensor([True, False, True, True, False])
    masks = mask.repeat(50_000, 1)
    with torch.no_grad():
        given = (observations, masks, torch.rand(50_000))
        actions = (network.sample(*given) if sparse else PlayingNetwork.sample(network, *given))[0]
        wanted = legal_log_probabilities(network(observations[:1])[0], mask[None]).exp()[0]
    assert torch.bincount(actions, minlength=5) / 50_000 == pytest.approx(wanted, abs=0.01)


def test_sure_of_itself_a_network_still_plays_legal_actions():
    network = network_of(SMALL[0])
    with torch.no_grad():
        network.policy_head.weight.mul_(1e5)
    games = scattered_games(32)
    rollout = rollout_of(games, network, steps=100)  # an illegal action would raise
    assert rollout.masks.gather(2, rollout.actions[:, :, None]).all()


# --- Rollouts. ---


def random_rollout(generator, steps=14, games=6, mine=0.6, over=0.15):
    rollout = Rollout.empty(steps, games, 1, 1)
    rollout.end_probabilities[:] = torch.from_numpy(generator.dirichlet(np.ones(NUM_ENDS), (steps, games)))
    rollout.last_end_probabilities[0] = torch.from_numpy(generator.dirichlet(np.ones(NUM_ENDS), games))
    rollout.learned[:] = torch.from_numpy(generator.random((steps, games)) < mine)
    reasons = generator.integers(1, NUM_ENDS + 1, (steps, games))
    rollout.reasons[:] = torch.from_numpy(np.where(generator.random((steps, games)) < over, reasons, 0))
    return rollout


def slow_target(rollout, game, step, gae_lambda):
    """The mean of n-step returns, weights falling by lambda; only the learner's decisions count as steps."""
    seen = []
    for later in range(step, len(rollout.actions)):
        if later > step and rollout.learned[later, game]:
            seen.append(rollout.end_probabilities[later, game].numpy())
        reason = int(rollout.reasons[later, game])
        if reason:
            seen.append(np.eye(NUM_ENDS)[reason - 1])
            break
    else:
        seen.append(rollout.last_end_probabilities[0, game].numpy())
    weights = [(1 - gae_lambda) * gae_lambda**n for n in range(len(seen) - 1)] + [
        gae_lambda ** (len(seen) - 1)
    ]
    return sum(weight * ends for weight, ends in zip(weights, seen, strict=True))


@pytest.mark.parametrize("gae_lambda", [0.0, 0.5, 0.98, 1.0])
@pytest.mark.parametrize("mine", [0.2, 0.6, 1.0])
def test_targets_are_lambda_returns(gae_lambda, mine):
    generator = np.random.default_rng(4)
    ended_elsewhere = 0
    for _ in range(5):
        rollout = random_rollout(generator, mine=mine)
        targets = rollout.targets(gae_lambda)
        ended_elsewhere += int(((rollout.reasons > 0) & ~rollout.learned).sum())
        for step, game in itertools.product(*map(range, rollout.actions.shape)):
            if rollout.learned[step, game]:
                wanted = slow_target(rollout, game, step, gae_lambda)
                assert targets[step, game].numpy() == pytest.approx(wanted, abs=1e-5)
    assert ended_elsewhere > 0 or mine == 1.0


class Recorder:
    """A bot that remembers what it answered."""

    def __init__(self, bot):
        self.bot = bot
        self.answers = []

    def act(self, view):
        self.answers += self.bot.act(view).tolist()
        return np.array(self.answers[-len(view.seats) :])


def test_opponents_decisions_are_not_learned_from():
    network = network_of(SMALL[0])
    players = no_opponents(9)
    players[3:6, Side.SHADOW] = 0
    players[6:, Side.FREE_PEOPLES] = 1
    opponents = [Recorder(make_bot("random", 1)), Recorder(make_bot("random", 2))]
    games = scattered_games(9)
    rollout = rollout_of(games, network, 60, players, opponents)
    owners = players[np.arange(9), rollout.teams.numpy().astype(int)]
    assert set(np.unique(owners)) == {LEARNER, 0, 1}
    assert np.array_equal(rollout.learned.numpy(), owners == LEARNER)
    for number, opponent in enumerate(opponents):
        assert rollout.actions.numpy()[owners == number].tolist() == opponent.answers
    # What stands in their place makes no difference.
    other = Rollout(**{name: value.clone() for name, value in vars(rollout).items()})
    for values in (other.observations, other.log_probabilities, other.end_probabilities, other.actions):
        values[~other.learned] = 1
    learners = [learner_of(network_of(SMALL[0])) for _ in range(2)]
    means = [learner.update(each, 0.0) for learner, each in zip(learners, (rollout, other), strict=True)]
    assert means[0] == means[1]
    assert weights_of(learners[0].network) == weights_of(learners[1].network)


@pytest.mark.parametrize("side", list(Side))
def test_one_side_alone_records_that_side_alone(side):
    players = no_opponents(6)
    players[:, 1 - side] = 0
    rollout = rollout_of(scattered_games(6), network_of(SMALL[0]), 60, players, [make_bot("random", 1)])
    assert (rollout.teams[rollout.learned] == side).all() and rollout.learned.any()
    assert (rollout.teams[~rollout.learned] == 1 - side).all() and not rollout.learned.all()


def test_a_rollout_holds_what_was_played():
    games, again = scattered_games(4), scattered_games(4)
    rollout = rollout_of(games, network_of(SMALL[0]), 200)
    for step in range(200):
        assert rollout.observations[step].numpy().tobytes() == again.observations.tobytes()
        assert rollout.masks[step].numpy().tobytes() == again.masks.tobytes()
        assert rollout.teams[step].tolist() == again.seats.tolist()
        again.step(rollout.actions[step].numpy())
        reasons = np.where(again.terminated, again.outcomes["reason"], 0)
        assert rollout.reasons[step].tolist() == reasons.tolist()


def learned_weights(games, network, updates=3):
    learner = learner_of(network, epochs=2, minibatch_size=16)
    player, rollout = Player(network, CPU, 7), room_for(games, 8)
    for update in range(updates):
        collect(games, player, rollout, no_opponents(games.num_games), [], Clock())
        learner.update(rollout, update / updates)
    return weights_of(network) + weights_of(learner.averaged)


@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.kind)
def test_the_same_seeds_give_the_same_bytes(config):
    first, second = (learned_weights(scattered_games(), network_of(config)) for _ in range(2))
    assert first == second
    assert first != learned_weights(scattered_games(seed=6), network_of(config))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("games", 0),
        ("steps", 0),
        ("gae_lambda", 1.1),
        ("policy_share", -0.1),
        ("learning_rate", 0.0),
        ("entropy_coefficient", -1.0),
    ],
)
def test_a_number_out_of_range_is_refused(name, value):
    with pytest.raises(ValueError, match=name):
        dataclasses.replace(PpoConfig(), **{name: value})


def test_what_the_network_sees_for_a_team_that_it_never_plays_counts_for_nothing():
    """Its last decision in a game stands for what comes behind; other games keep what they have."""
    games = scattered_games(16)
    network = network_of(SMALL[0])
    bot = make_bot("random", 1)
    teams = np.array([seat.team for seat in WAR_OF_THE_RING.find_ruleset().seats])
    players = no_opponents(16)
    players[:, 1] = 0
    rollout = rollout_of(games, network, steps=12, players=players, opponents=[bot])
    deciders = teams[games.seats]
    seen = Player(network, CPU, 1).end_probabilities(torch.from_numpy(games.observations))
    assert set(deciders.tolist()) == {0, 1}
    for game, team in enumerate(deciders.tolist()):
        own = rollout.learned[:, game].nonzero()[:, 0]
        if team == 0:
            assert torch.equal(rollout.last_end_probabilities[0, game], seen[game])
        elif len(own):
            last = rollout.end_probabilities[own[-1], game]
            assert torch.equal(rollout.last_end_probabilities[0, game], last)
            assert torch.equal(rollout.targets(0.9)[own[-1], game], last) or rollout.reasons[:, game].any()
    players[3] = LEARNER  # it plays both teams somewhere, and learns what they see
    rollout = rollout_of(games, network, steps=12, players=players, opponents=[bot])
    seen = Player(network, CPU, 1).end_probabilities(torch.from_numpy(games.observations))
    assert torch.equal(rollout.last_end_probabilities[0], seen)
