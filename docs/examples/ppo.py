"""PPO in self-play in one file, read from top to bottom, on the batch of games that is written in place.

python ppo.py                                      # the Duel, half a minute on one core
python ppo.py --game war-of-the-ring --decisions 5e6 --games 64 --steps 128 --max-turns 40

One network plays all seats, each by what it sees. The value of a position is told from the eyes of the seat
that decides there, so it changes its sign where the other team decides next (``advantages_of``). A game pays
at its end alone: War of the Ring between two that know nothing mostly ends at the turn limit, undecided, so
it learns there only with many decisions. Much faster and stronger, with reports and bots as opponents:
``wotr train``.
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
    """Of two teams: duel or war-of-the-ring."""
    decisions: float = 250_000
    """All that are played, in all games together."""
    games: int = 32
    """Played side by side."""
    steps: int = 128
    """Decisions of each game between two updates."""
    max_turns: int = 20
    """Of a game, where the game counts turns."""
    hidden: int = 256
    """Units of each of the two layers."""
    learning_rate: float = 5e-4
    """At the start; it falls to nothing."""
    gamma: float = 1.0
    """By which what comes a decision later is discounted."""
    gae_lambda: float = 0.99
    """Near 1: trust what came of a choice; near 0: trust the values."""
    epochs: int = 2
    """Times that a decision is learned from."""
    minibatch: int = 512
    """Decisions per step of the optimiser."""
    clip: float = 0.2
    """How far the probability of an action may move in an update, as a ratio less 1."""
    entropy: float = 0.01
    """Pull towards the uniform policy."""
    value_weight: float = 0.5
    """Of the value's loss against the policy's."""
    gradient_norm: float = 0.5
    """Longer gradients are cut down to it."""
    seed: int = 1
    """Of the games, the network and the choices."""
    test_games: int = 200
    """Played against random play at the end."""
    save: str = ""
    """File for the network's weights."""


class Agent(nn.Module):
    """Logits of all actions and the value for the seat that decides."""

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
        """Of ``int8[B, D]`` and ``bool[B, A]``: a distribution over legal actions, and ``float[B]``."""
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
    """For the team that decides."""
    teams: np.ndarray
    """Who decides."""
    rewards: np.ndarray
    """What the step was worth to the team that decided."""
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
    """Fills a rollout; the games go on where they are. Returns the value and the team of what comes next."""
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
        reasons = np.where(ended, games.outcomes["reason"] - 1, 0)
        rollout.rewards[step] = np.where(ended, kind.worths[reasons, rollout.teams[step]], 0)
    with torch.no_grad():
        last = agent(torch.from_numpy(games.observations), torch.from_numpy(games.masks))[1].numpy()
    return last, team_of_seat[games.seats]


def advantages_of(rollout, last_values, last_teams, gamma, gae_lambda):
    """Generalised advantages ``float32[T, N]`` for those who decide (J. Schulman et al., 2016).

    What is good for the team that decides next is as bad for the other.
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
    """The epochs of one update; the means of what is worth watching."""
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
    """Plays and learns; the agent, and what was watched of each update."""
    kind = game_kind(settings.game)
    if len(kind.teams) != 2:
        raise SystemExit(f"{kind.title} has {len(kind.teams)} teams; here what one wins the other loses")
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
            print("no game ended in this update: it has learned from values alone")
    return agent, watched


def results(agent, kind, ruleset, games, seed):
    """How many games the agent wins, draws and loses against random play, half of them as either team."""
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
        points[rows] = kind.worths[batch.outcomes["reason"][rows] - 1, own[rows]]
        over |= batch.terminated
    return int((points > 0).sum()), int((points == 0).sum()), int((points < 0).sum())


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description="PPO in self-play.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
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
