"""A training loop like AlphaZero's for games with hidden cards and dice, in one file.

python alphazero.py                                # the Duel
python alphazero.py --game war-of-the-ring --max-turns 5 --games 2

Self-play: before each decision, worlds are sampled that the seat cannot distinguish from the true one. Each
world gets a tree, which grows by the network's priors and values (PUCT). The visit counts of all trees
together choose the action. Learning: the network learns to predict the visit counts and the winner.

The world of a tree determines hands, decks and dice, so a tree plays as if it saw them. More worlds reduce
this error, but do not remove it. The bots ``mcts`` and ``search``, and ``wotr train --expert
search:net=self``, are compiled and much faster.
"""

import argparse
import dataclasses
import itertools

import numpy as np
import torch
from torch import nn

from wotr_env.core.codes import GOING_ON, MAX_SEED
from wotr_env.core.states import copy_states
from wotr_env.play.games import game_kind
from wotr_experiments.cli.config_options import field_words


@dataclasses.dataclass
class Settings:
    game: str = "duel"
    """Game of two teams: duel or war-of-the-ring."""
    iterations: int = 7
    """Number of iterations of self-play and learning."""
    games: int = 40
    """Games of self-play per iteration; with few games, the values overfit."""
    worlds: int = 2
    """Number of worlds sampled for each decision."""
    simulations: int = 12
    """Number of simulations in each world."""
    exploration: float = 1.5
    """Exploration constant of PUCT."""
    noise: float = 0.25
    """Share of Dirichlet noise in the priors of the roots in self-play."""
    max_turns: int = 20
    """Turn limit of a game, for games that count turns."""
    hidden: int = 128
    """Number of units in each of the two layers."""
    learning_rate: float = 1e-3
    """Learning rate of Adam."""
    minibatch: int = 128
    """Number of positions per step of the optimiser."""
    epochs: int = 1
    """Number of passes through the positions of the last iterations."""
    remembered: int = 6
    """Number of iterations whose positions are kept."""
    test_games: int = 60
    """Number of games against random play at the end."""
    seed: int = 1
    """Seed of the games, the network and the choices."""


class Network(nn.Module):
    """A network with logits of all actions, and the value for the deciding seat."""

    def __init__(self, observation, actions, hidden):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(observation, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)

    def forward(self, observations, masks):
        """Log-probabilities ``float[B, A]`` and values ``float[B]`` of observations ``int8[B, D]`` with masks
        ``bool[B, A]``."""
        seen = self.body(observations.float() / 4)
        logits = self.policy(seen).masked_fill(~masks, -1e9)
        return logits.log_softmax(dim=1), torch.tanh(self.value(seen))[:, 0]

    def judge(self, observations, masks):
        """The same in numpy, with probabilities."""
        with torch.no_grad():
            priors, values = self(torch.from_numpy(observations), torch.from_numpy(masks))
        return priors.exp().numpy(), values.numpy()


class Node:
    """A position of one world in the tree.

    Attributes:
        state: ``kind.state[1]``.
        mask: ``bool[1, A]``.
        team: the team that decides; None: the game is over.
        actions, priors, visits, totals: by legal action; totals are from the view of team 0.
        children: by the index of the action.
    """

    def __init__(self, state, mask, team):
        self.state, self.mask, self.team = state, mask, team
        self.actions = np.flatnonzero(mask[0])
        self.priors = np.ones(len(self.actions)) / max(len(self.actions), 1)
        self.visits, self.totals = np.zeros(len(self.actions)), np.zeros(len(self.actions))
        self.children = {}

    def select(self, exploration):
        """The index of the action to try next (PUCT); untried actions have the value 0."""
        sign = 1 if self.team == 0 else -1
        means = sign * self.totals / np.maximum(self.visits, 1)
        return int(
            (means + exploration * self.priors * np.sqrt(self.visits.sum() + 1) / (1 + self.visits)).argmax()
        )


class Search:
    """A search over sampled worlds, for one decision at a time.

    Args:
        kind: a game of two teams.
        ruleset: the ruleset of the game.
        network: gives priors and values.
        settings: the size of the search.
        generator: source of worlds and noise.
    """

    def __init__(self, kind, ruleset, network, settings, generator):
        self.kind, self.network, self.settings, self.generator = kind, network, settings, generator
        self.team_of_seat = np.array([seat.team for seat in ruleset.seats])

    def visits(self, states, noise=0.0):
        """The share of visits of each action in a position (``kind.state[1]``): ``float[A]``."""
        roots = self.roots(states, noise)
        for _ in range(self.settings.simulations):
            self.simulate(roots)
        counts = np.zeros(self.kind.actions.size)
        for root in roots:
            counts[root.actions] += root.visits
        return counts / counts.sum()

    def roots(self, states, noise):
        """A root for each sampled world that the deciding seat cannot distinguish from this position."""
        number, kind = self.settings.worlds, self.kind
        worlds = copy_states(states, np.zeros(number, dtype=np.int64))
        seeds = self.generator.integers(0, MAX_SEED, number, dtype=np.int64)
        kind.kernels.sample_worlds(worlds, worlds["seat"].astype(np.int64), seeds)
        roots = self.expanded(worlds, kind.masks(worlds))[0]
        for root in roots:
            drawn = self.generator.dirichlet(np.full(len(root.actions), 0.3))
            root.priors = (1 - noise) * root.priors + noise * drawn
        return roots

    def expanded(self, states, masks):
        """Nodes of positions, and their values from the view of team 0."""
        kind, over = self.kind, states["winner"] != GOING_ON
        seats = states["seat"].astype(np.int64)
        teams = self.team_of_seat[seats]
        priors, values = self.network.judge(kind.kernels.observe(states, seats), masks)
        ends = kind.worths[np.where(over, kind.conclude(states)["reason"], 1) - 1, 0]
        worths = np.where(over, ends, np.where(teams == 0, values, -values))
        nodes = []
        for row in range(len(states)):
            team = None if over[row] else int(teams[row])
            node = Node(copy_states(states, np.array([row])), masks[row : row + 1].copy(), team)
            node.priors = priors[row, node.actions].astype(float)
            nodes.append(node)
        return nodes, worths.tolist()

    def simulate(self, roots):
        """One simulation per tree: select, expand a leaf, and back up its value."""
        paths = [self.descend(root) for root in roots]
        parents = [path[-1][0] for path in paths]
        places = [path[-1][1] for path in paths]
        states = copy_states(np.concatenate([parent.state for parent in parents]))
        masks = np.concatenate([parent.mask for parent in parents])
        actions = [parent.actions[place] for parent, place in zip(parents, places, strict=True)]
        self.kind.kernels.step(states, masks, np.array(actions, dtype=np.int64))
        leaves, worths = self.expanded(states, masks)
        for path, leaf, worth in zip(paths, leaves, worths, strict=True):
            parent, place = path[-1]
            parent.children.setdefault(place, leaf)
            for node, tried in path:
                node.visits[tried] += 1
                node.totals[tried] += worth

    def descend(self, root):
        """Nodes and indices of actions from the root to a new leaf or to the end of the game."""
        path, node = [], root
        while True:
            place = node.select(self.settings.exploration)
            path.append((node, place))
            child = node.children.get(place)
            if child is None or child.team is None:
                return path
            node = child


def self_play(search, ruleset, seed, settings):
    """One game: rows of observation ``int8[D]``, mask ``bool[A]``, visit shares ``float[A]`` and result."""
    kind = search.kind
    states, masks = kind.new_states([seed], ruleset)
    rows, teams = [], []
    while states["winner"][0] == GOING_ON:
        visits = search.visits(states, settings.noise)
        seen = kind.kernels.observe(states, states["seat"].astype(np.int64))[0]
        rows.append((seen, masks[0].copy(), visits))
        teams.append(int(search.team_of_seat[states["seat"][0]]))
        action = search.generator.choice(len(visits), p=visits)
        kind.kernels.step(states, masks, np.array([action], dtype=np.int64))
    worths = kind.worths[kind.end_of(states[0])["reason"] - 1]
    return [(*row, worths[team]) for row, team in zip(rows, teams, strict=True)]


def learn(network, optimizer, rows, settings):
    """Fits the network to visits and results; returns the mean losses of policy and value."""
    columns = [torch.from_numpy(np.array(column)) for column in zip(*rows, strict=True)]
    losses = []
    for _ in range(settings.epochs):
        for chosen in torch.randperm(len(rows)).split(settings.minibatch):
            observations, masks, visits, worths = (column[chosen] for column in columns)
            log_probabilities, values = network(observations, masks)
            policy_loss = -(visits.float() * log_probabilities).sum(dim=1).mean()
            value_loss = (values - worths.float()).square().mean()
            optimizer.zero_grad()
            (policy_loss + value_loss).backward()
            optimizer.step()
            losses.append([policy_loss.item(), value_loss.item()])
    return np.mean(losses, axis=0).tolist()


def results(search, ruleset, games, seed):
    """Numbers of games that the search wins, draws and loses against random play, half of them as each
    team."""
    kind, points = search.kind, np.zeros(games)
    for game in range(games):
        states, masks = kind.new_states([seed + game], ruleset)
        while states["winner"][0] == GOING_ON:
            if search.team_of_seat[states["seat"][0]] == game % 2:
                action = search.visits(states).argmax()
            else:
                action = search.generator.choice(np.flatnonzero(masks[0]))
            kind.kernels.step(states, masks, np.array([action], dtype=np.int64))
        points[game] = kind.worths[kind.end_of(states[0])["reason"] - 1, game % 2]
    return int((points > 0).sum()), int((points == 0).sum()), int((points < 0).sum())


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description="Trains a network by self-play like AlphaZero, over sampled worlds.",
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

    kind = game_kind(settings.game)
    if len(kind.teams) != 2:
        raise SystemExit(f"{kind.title} has {len(kind.teams)} teams; this script needs a game of two teams")
    kind.kernels.prepare()
    ruleset = kind.limited(kind.find_ruleset(), settings.max_turns)
    torch.manual_seed(settings.seed)
    network = Network(kind.layout.size, kind.actions.size, settings.hidden)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    search = Search(kind, ruleset, network, settings, np.random.default_rng(settings.seed))
    memory, losses = [], []
    for iteration in range(settings.iterations):
        first = settings.seed + iteration * settings.games
        played = [self_play(search, ruleset, first + game, settings) for game in range(settings.games)]
        memory = [*memory, *played][-settings.remembered * settings.games :]
        rows = list(itertools.chain.from_iterable(memory))
        losses.append(learn(network, optimizer, rows, settings))
        decisions, (policy, value) = sum(map(len, played)), losses[-1]
        told = f"{decisions} decisions, losses {policy:.3f} (policy), {value:.3f} (value)"
        print(f"iteration {iteration + 1}: {told}")
    if settings.test_games:
        won, drawn, lost = results(search, ruleset, settings.test_games, 1_000_000)
        print(f"{settings.test_games} games against random play: {won} won, {drawn} drawn, {lost} lost")
    return losses


if __name__ == "__main__":
    main()
