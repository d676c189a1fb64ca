"""PPO in self-play in one file, on a batch of games that is updated in place.

python ppo.py                                      # the Duel, half a minute on one core
python ppo.py --game war-of-the-ring --decisions 5e6 --games 64 --steps 128 --max-turns 40

One network plays all seats, each by its observation. A value is from the view of the deciding seat, so its
sign changes when the other team decides next (``advantages_of``). Rewards come only at the end of a game.
Untrained networks mostly end War of the Ring at the turn limit without a winner, so learning there takes many
decisions. ``wotr train`` is much faster and stronger, and has reports and bots as opponents.
"""

import argparse
import dataclasses
import time

import numpy as np
import torch
from torch import nn

from wotr_env.play.games import game_kind
from wotr_experiments.cli.config_options import field_words


@dataclasses.dataclass
class Settings:
    game: str = "duel"
    """Game of two teams: duel or war-of-the-ring."""
    decisions: float = 250_000
    """Number of decisions in all games together."""
    games: int = 32
    """Number of games in the batch."""
    steps: int = 128
    """Number of decisions of each game per update."""
    max_turns: int = 20
    """Turn limit of a game, for games that count turns."""
    hidden: int = 256
    """Number of units in each of the two layers."""
    learning_rate: float = 5e-4
    """Learning rate at the start; it falls linearly to 0."""
    gamma: float = 1.0
    """Discount factor per decision."""
    gae_lambda: float = 0.99
    """Lambda of generalised advantage estimation: near 1 it trusts the results, near 0 the values."""
    epochs: int = 2
    """Number of passes through the decisions of an update."""
    minibatch: int = 512
    """Number of decisions per step of the optimiser."""
    clip: float = 0.2
    """Clip range of PPO: maximal change of a probability ratio from 1 in an update."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    value_weight: float = 0.5
    """Weight of the value loss relative to the policy loss."""
    gradient_norm: float = 0.5
    """Maximal norm of a gradient; longer gradients are scaled down."""
    seed: int = 1
    """Seed of the games, the network and the choices."""
    test_games: int = 200
    """Number of games against random play at the end."""
    save: str = ""
    """File for the network's weights."""


class Agent(nn.Module):
    """A network with logits of all actions and the value for the deciding seat."""

    def __init__(self, observation: int, actions: int, hidden: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(observation, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.policy = nn.Linear(hidden, actions)
        self.value = nn.Linear(hidden, 1)
        nn.init.zeros_(self.policy.weight)  # all legal actions are as likely at first
        nn.init.zeros_(self.policy.bias)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor):
        """A distribution over legal actions and values ``float[B]``, from observations ``int8[B, D]`` and
        masks ``bool[B, A]``."""
        seen = self.body(observations.float() / 4)
        logits = self.policy(seen).masked_fill(~masks, -1e9)
        return torch.distributions.Categorical(logits=logits), torch.tanh(self.value(seen))[:, 0]


@dataclasses.dataclass
class Rollout:
    """T decisions of N games; each array is ``[T, N, ...]``."""

    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    log_probabilities: np.ndarray
    values: np.ndarray
    """Values for the deciding team."""
    teams: np.ndarray
    """The deciding team."""
    rewards: np.ndarray
    """Rewards of the deciding team for the step."""
    ended: np.ndarray
    """Whether the game ended in the step."""


def new_rollout(settings, kind):
    shape = (settings.steps, settings.games)
    return Rollout(
        observations=np.zeros((*shape, kind.layout.size), dtype=np.int8),
        masks=np.zeros((*shape, kind.actions.size), dtype=np.bool_),
        actions=np.zeros(shape, dtype=np.int64),
        log_probabilities=np.zeros(shape, dtype=np.float32),
        values=np.zeros(shape, dtype=np.float32),
        teams=np.zeros(shape, dtype=np.int64),
        rewards=np.zeros(shape, dtype=np.float32),
        ended=np.zeros(shape, dtype=np.bool_),
    )


def play(rollout, games, agent, kind, team_of_seat):
    """Fills a rollout; the games continue where they are. Returns the value and the team of the next
    decision."""
    for step in range(len(rollout.actions)):
        observations, masks = torch.from_numpy(games.observations), torch.from_numpy(games.masks)
        with torch.no_grad():
            choices, values = agent(observations, masks)
            actions = choices.sample()
        rollout.observations[step], rollout.masks[step] = games.observations, games.masks
        rollout.actions[step], rollout.values[step] = actions.numpy(), values.numpy()
        rollout.log_probabilities[step] = choices.log_prob(actions).numpy()
        rollout.teams[step] = team_of_seat[games.seats]
        games.step(actions.numpy())
        ended = rollout.ended[step] = games.terminated
        reasons = np.where(ended, games.end_records["reason"] - 1, 0)
        rollout.rewards[step] = np.where(ended, kind.worths[reasons, rollout.teams[step]], 0)
    with torch.no_grad():
        last = agent(torch.from_numpy(games.observations), torch.from_numpy(games.masks))[1].numpy()
    return last, team_of_seat[games.seats]


def advantages_of(rollout, last_values, last_teams, gamma, gae_lambda):
    """Generalised advantages ``float32[T, N]`` for the deciding teams (J. Schulman et al., 2016).

    The game is zero-sum: values change their sign where the next decision is the other team's.
    """
    advantages = np.zeros_like(rollout.values)
    following, next_values, next_teams = np.zeros_like(last_values), last_values, last_teams
    for step in reversed(range(len(advantages))):
        sign = np.where(next_teams == rollout.teams[step], 1, -1) * ~rollout.ended[step]
        error = rollout.rewards[step] + gamma * sign * next_values - rollout.values[step]
        following = advantages[step] = error + gamma * gae_lambda * sign * following
        next_values, next_teams = rollout.values[step], rollout.teams[step]
    return advantages


def learn(agent, optimizer, rollout, advantages, settings):
    """Runs the epochs of one update; returns means of its metrics."""
    columns = (rollout.observations, rollout.masks, rollout.actions, rollout.log_probabilities)
    observations, masks, actions, old = (
        torch.from_numpy(each.reshape(-1, *each.shape[2:])) for each in columns
    )
    gained = torch.from_numpy(advantages.reshape(-1))
    returns = gained + torch.from_numpy(rollout.values.reshape(-1))
    watched = []
    for _ in range(settings.epochs):
        for rows in torch.randperm(len(actions)).split(settings.minibatch):
            choices, values = agent(observations[rows], masks[rows])
            log_ratio = choices.log_prob(actions[rows]) - old[rows]
            ratio = log_ratio.exp()
            gain = (gained[rows] - gained[rows].mean()) / (gained[rows].std(unbiased=False) + 1e-8)
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            policy_loss = -torch.min(gain * ratio, gain * clipped).mean()
            value_loss = (values - returns[rows]).square().mean()
            entropy = choices.entropy().mean()
            loss = policy_loss + settings.value_weight * value_loss - settings.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), settings.gradient_norm)
            optimizer.step()
            divergence = (ratio - 1 - log_ratio).mean()
            watched.append([value_loss.item(), entropy.item(), divergence.item()])
    value_loss, entropy, divergence = np.mean(watched, axis=0).tolist()
    return {"value_loss": value_loss, "entropy": entropy, "approximate_kl": divergence}


def train(settings):
    """Plays and learns; returns the agent, and the metrics of each update."""
    kind = game_kind(settings.game)
    if len(kind.teams) != 2:
        raise SystemExit(f"{kind.title} has {len(kind.teams)} teams; this script needs a game of two teams")
    torch.manual_seed(settings.seed)
    ruleset = kind.limited(kind.find_ruleset(), settings.max_turns)
    team_of_seat = np.array([seat.team for seat in ruleset.seats])
    games = kind.games(settings.games, settings.seed, ruleset)
    agent = Agent(kind.layout.size, kind.actions.size, settings.hidden)
    optimizer = torch.optim.Adam(agent.parameters(), lr=settings.learning_rate, eps=1e-5)
    rollout, watched = new_rollout(settings, kind), []
    updates = max(1, int(settings.decisions) // rollout.actions.size)
    for update in range(updates):
        began = time.perf_counter()
        optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - update / updates)
        last = play(rollout, games, agent, kind, team_of_seat)
        advantages = advantages_of(rollout, *last, settings.gamma, settings.gae_lambda)
        told = learn(agent, optimizer, rollout, advantages, settings)
        told["games_ended"] = int(rollout.ended.sum())
        told["decisions_per_second"] = rollout.actions.size / (time.perf_counter() - began)
        watched.append(told)
        print(f"update {update + 1}/{updates}", *(f"{name} {value:.3g}" for name, value in told.items()))
        if not told["games_ended"]:
            print("no game ended in this update, so it learned from values alone")
    return agent, watched


def results(agent, kind, ruleset, games, seed):
    """Numbers of games that the agent wins, draws and loses against random play, half of them as each
    team."""
    generator = np.random.default_rng(seed)
    torch.manual_seed(seed)
    team_of_seat = np.array([seat.team for seat in ruleset.seats])
    own = np.arange(games) % 2
    batch = kind.games(games, seed, ruleset)
    points, over = np.zeros(games), np.zeros(games, dtype=bool)
    while not over.all():
        actions = np.where(batch.masks, generator.random(batch.masks.shape), -1).argmax(axis=1)
        rows = np.flatnonzero((team_of_seat[batch.seats] == own) & ~over)
        if rows.size:
            with torch.no_grad():
                seen = torch.from_numpy(batch.observations[rows]), torch.from_numpy(batch.masks[rows])
                actions[rows] = agent(*seen)[0].sample().numpy()
        batch.step(actions)
        first = batch.terminated & ~over  # games that end are begun anew; the first in each place counts
        rows = np.flatnonzero(first)
        points[rows] = kind.worths[batch.end_records["reason"][rows] - 1, own[rows]]
        over |= batch.terminated
    return int((points > 0).sum()), int((points == 0).sum()), int((points < 0).sum())


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description="Trains a network by PPO in self-play.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    words = field_words(Settings)
    for field in dataclasses.fields(Settings):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(
            option, type=type(field.default), default=field.default, metavar="", help=words[field.name]
        )
    settings = Settings(**vars(parser.parse_args(arguments)))
    torch.set_num_threads(
        1
    )  # more would wait for each other on layers this small, most of all on shared cores
    agent, watched = train(settings)
    if settings.save:
        torch.save(agent.state_dict(), settings.save)
    if settings.test_games:
        kind = game_kind(settings.game)
        ruleset = kind.limited(kind.find_ruleset(), settings.max_turns)
        won, drawn, lost = results(agent, kind, ruleset, settings.test_games, settings.seed + 1)
        print(f"{settings.test_games} games against random play: {won} won, {drawn} drawn, {lost} lost")
    return watched


if __name__ == "__main__":
    main()
