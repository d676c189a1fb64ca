"""The critic: what it sees, its targets, that it is learned, and that nothing of it reaches the policy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from tests.learners import CPU, SMALL, network_of, rollout_of, scattered_games
from tests.tiny_training import TINY, check_that_it_goes_on, lasting, train_tiny
from wotr_agents.networks.critic import columns_of_owners, scale_of_others, seen_by_others
from wotr_agents.networks.playing_network import legal_log_probabilities
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind
from wotr_experiments.training.config import PpoConfig
from wotr_experiments.training.ppo import Learner
from wotr_experiments.training.rollouts import Rollout
from wotr_experiments.training.worker import why_on_cpu

pytestmark = pytest.mark.usefixtures("short")

CRITICAL = dataclasses.replace(
    TINY, ppo=dataclasses.replace(TINY.ppo, critic=True), expert="", expert_decisions=0
)
WORTHS = torch.tensor([1.0, -1.0, 0.0])
"""Of three ends: team 0 wins, team 1 wins, a draw."""


def critical_network(config):
    network = network_of(config)
    network.add_critic(WAR_OF_THE_RING, 2)
    return network


def seen(games):
    others = seen_by_others(WAR_OF_THE_RING, games.states, games.seats, 2)
    return tuple(torch.from_numpy(each) for each in (games.observations, games.masks, others))


@pytest.mark.parametrize(("game", "seats"), [("war-of-the-ring", 2), ("duel", 2), ("two-towers", 2)])
def test_the_critic_sees_what_only_the_other_seats_see(game, seats):
    kind = game_kind(game)
    games = kind.games(20, 3, kind.find_ruleset())
    for _ in range(40):
        games.step(games.masks.argmax(axis=1))
    others = seen_by_others(kind, games.states, games.seats, seats)
    columns = columns_of_owners(kind)
    owned = [field for field in kind.layout.fields if field.visible_to == "owner"]
    assert len(columns) == sum(field.size for field in owned) > 0
    assert np.array_equal(others, kind.kernels.observe(games.states, 1 - games.seats)[:, columns])
    assert len(scale_of_others(kind, seats)) == others.shape[1]
    assert game == "duel" or not np.array_equal(others, games.observations[:, columns])  # open cards


def test_with_more_players_the_next_seat_comes_first():
    kind = WAR_OF_THE_RING
    games = kind.games(6, 3, kind.find_ruleset(":players=4"))
    columns = columns_of_owners(kind)
    others = seen_by_others(kind, games.states, games.seats, 4).reshape(6, 3, len(columns))
    for after in range(3):
        expected = kind.kernels.observe(games.states, (games.seats + 1 + after) % 4)[:, columns]
        assert np.array_equal(others[:, after], expected)


@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.kind)
def test_the_policy_does_not_depend_on_what_the_critic_sees(config):
    network = critical_network(config)
    observations, masks, others = seen(scattered_games())
    uniforms = torch.rand(len(masks), generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        one = network.sample(observations, masks, uniforms, others=others)
        other = network.sample(observations, masks, uniforms, others=others.flip(0))
        actions = one.actions
        evaluated = [
            network.evaluate_actions(observations, masks, actions, each) for each in (others, others.flip(0))
        ]
    for mine, theirs in zip(one[:3], other[:3], strict=True):
        assert torch.equal(mine, theirs)
    assert not torch.equal(one.chance, other.chance)
    for mine, theirs in zip(evaluated[0][:4], evaluated[1][:4], strict=True):
        assert torch.equal(mine, theirs)
    assert not torch.equal(evaluated[0].action_logits, evaluated[1].action_logits)


@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.kind)
def test_chances_are_those_of_the_action_and_of_the_policy(config):
    network = critical_network(config)
    torch.nn.init.normal_(network.critic.head.weight)
    observations, masks, others = seen(scattered_games())
    uniforms = torch.rand(len(masks), generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        drawn = network.sample(observations, masks, uniforms, others=others)
        every = [
            network.evaluate_actions(
                observations, torch.ones_like(masks), torch.full((len(masks),), action), others
            ).action_logits.sigmoid()
            for action in range(masks.shape[1])
        ]
        policy = legal_log_probabilities(network(observations)[0], masks).exp()
    chances = torch.stack(every, dim=1)
    assert torch.allclose(drawn.chance, chances.gather(1, drawn.actions[:, None])[:, 0], atol=1e-5)
    assert torch.allclose(drawn.mean_chance, (policy * chances).sum(dim=1), atol=1e-5)


def rollout_of_one_game(teams, chances, means, learned=None):
    steps = len(teams)
    rollout = Rollout.empty(steps, 1, 1, 1, 3)
    rollout.teams[:, 0] = torch.tensor(teams)
    rollout.chances[:, 0] = torch.tensor(chances)
    rollout.mean_chances[:, 0] = torch.tensor(means)
    rollout.learned[:, 0] = True if learned is None else torch.tensor(learned)
    return rollout


def targets_of(rollout, critic_lambda):
    return rollout.chance_targets(critic_lambda, WORTHS)[:, 0].tolist()


def test_without_lambda_a_target_is_the_mean_chance_at_the_next_decision():
    rollout = rollout_of_one_game([0, 1, 0], [0.5, 0.6, 0.7], [0.4, 0.3, 0.8])
    rollout.last_mean_chances[0, 0], rollout.last_teams[0, 0] = 0.9, 1
    assert targets_of(rollout, 0.0) == pytest.approx([0.7, 0.2, 0.1])


def test_with_lambda_one_only_the_choices_of_the_policy_are_no_noise():
    rollout = rollout_of_one_game([0, 0], [0.5, 0.6], [0.4, 0.45])
    rollout.reasons[1, 0] = 1  # team 0 wins; its last action was 0.15 better than the mean
    assert targets_of(rollout, 1.0) == pytest.approx([0.45 + 1.0 - 0.6, 1.0])
    rollout.chances[1, 0] = 1.0  # the critic knew
    assert targets_of(rollout, 1.0) == pytest.approx([0.45, 1.0])
    rollout.mean_chances[1, 0] = 0.9
    rollout.chances[1, 0] = 0.4
    assert targets_of(rollout, 1.0) == pytest.approx([1.5, 1.0])


def test_decisions_of_others_are_passed_over_and_games_end():
    rollout = rollout_of_one_game([0, 1, 0, 1], [0.5] * 4, [0.4, 0.9, 0.3, 0.6], [True, False, True, True])
    rollout.reasons[2, 0] = 3  # a draw; then another game begins
    rollout.last_mean_chances[0, 0], rollout.last_teams[0, 0] = 0.9, 0
    found = targets_of(rollout, 0.5)
    assert [found[0], *found[2:]] == pytest.approx([0.3 + 0.5 * (0.5 - 0.5), 0.5, 0.1])


@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.kind)
def test_what_the_critic_predicts_is_learned(config):
    network = critical_network(config)
    rollout = rollout_of(scattered_games(), network, steps=24)
    assert (rollout.chances > 0).all() and (rollout.mean_chances > 0).all()
    rollout.reasons[:] = 1
    ppo = PpoConfig(games=8, steps=24, workers=1, minibatch_size=64, learning_rate=3e-3, critic=True)
    learner = Learner(network, ppo, CPU, 1)
    losses = [learner.update(rollout, 0.0)["critic_loss"] for _ in range(12)]
    assert losses[-1] < 0.7 * losses[0]


def test_an_advantage_is_the_return_minus_the_mean_of_the_policy():
    network = critical_network(SMALL[0])
    rollout = rollout_of(scattered_games(), network, steps=8)
    ppo = PpoConfig(games=8, steps=8, workers=1, critic=True)
    found = Learner(network, ppo, CPU, 1)._decisions(rollout, rollout.actions)
    returns = rollout.chance_targets(
        ppo.critic_lambda, torch.tensor(network.worths[:, 0], dtype=torch.float32)
    )
    gains = (returns - rollout.mean_chances).T.flatten()
    assert torch.equal(found.advantages, gains) and gains.abs().max() > 0
    assert torch.equal(found.chances, returns.clamp(0, 1).T.flatten())


def test_runs_with_a_critic_go_on_to_the_same_bytes(tmp_path):
    check_that_it_goes_on(tmp_path, CRITICAL, "critic")


def test_no_gpu_plays_the_games_of_a_critic():
    assert why_on_cpu(CRITICAL) == "the critic sees all hands" != why_on_cpu(TINY)


def test_games_of_four_players_have_a_critic(tmp_path):
    changes = {"ruleset": ":players=4", "expert": "", "expert_decisions": 0}
    train_tiny(tmp_path / "four", dataclasses.replace(lasting(CRITICAL, 1), **changes))
