"""Rollouts: what is played and kept for learning, and what is drawn from a network."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from tests.learners import (
    CPU,
    SMALL,
    learner_of,
    network_of,
    rollout_of,
    room_for,
    scattered_games,
    weights_of,
)
from tests.toy_games import HuntOnly
from tests.toy_learning import make_toy_network
from wotr_agents import make_bot
from wotr_agents.networks.playing_network import PlayingNetwork, legal_log_probabilities
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.training.config import PpoConfig
from wotr_experiments.training.rollouts import LEARNER, PhaseTimer, Player, Rollout, collect, no_opponents

NUM_ENDS = len(WAR_OF_THE_RING.ends)

# --- Choices. ---


class FixedScores(PlayingNetwork):
    """Scores that were given, for observations that are their row numbers."""

    def __init__(self, scores):
        super().__init__(SMALL[0], WAR_OF_THE_RING.worths)
        self.scores = scores

    def _outputs(self, observations):
        rows = observations[:, 0].long()
        return self.scores[rows], torch.zeros(len(rows), NUM_ENDS), self.scores[rows]


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
        actions, log_probabilities, _ = network.sample(observations, masks, uniforms)[:3]
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
            actions, log_probabilities, _ = network.sample(observations, masks, uniforms)[:3]
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
    rollout = Rollout.empty(steps, games, 1, 1, NUM_ENDS)
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
        reasons = np.where(again.terminated, again.end_records["reason"], 0)
        assert rollout.reasons[step].tolist() == reasons.tolist()


def learned_weights(games, network, updates=3):
    learner = learner_of(network, epochs=2, minibatch_size=16)
    player, rollout = Player(network, CPU, 7), room_for(games, 8)
    for update in range(updates):
        collect(games, player, rollout, no_opponents(games.num_games), [], PhaseTimer())
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
