"""Rollouts: games played by the learning network, its opponents and experts, and the data for training.

The first axis is time, the second the games. A trajectory is a whole game, with the decisions of all seats.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from wotr_agents.networks.playing_network import PlayingNetwork
from wotr_agents.networks.sparse import IncrementalLinear, TrackedRows
from wotr_env.core.kind import GameKind
from wotr_env.core.protocols import Games
from wotr_env.play.bots import Bot
from wotr_env.play.games import DEFAULT_KIND
from wotr_experiments.training.tensors import DeviceGames, GameTensors, Opponent, tensors_of

LEARNER = -1
"""The number that stands for the learning network as a player of a team; other numbers stand for
opponents."""


class PhaseTimer:
    """Measures the seconds spent on each kind of work.

    Args:
        seconds: the seconds spent before.
        device: a GPU whose work counts for the code that started the work. Without this argument, the work
            counts for the code that waits for it.
    """

    def __init__(
        self, seconds: Mapping[str, float] | None = None, device: torch.device | None = None
    ) -> None:
        self.seconds = dict(seconds or {})
        self._device = device

    @contextlib.contextmanager
    def measure(self, kind: str) -> Iterator[None]:
        """Adds the time until the block ends."""
        start = time.perf_counter()
        yield
        if self._device is not None and self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
        self.seconds[kind] = self.seconds.get(kind, 0.0) + time.perf_counter() - start


@dataclasses.dataclass
class Rollout:
    """T decisions of each of N games, with their results.

    In memory, the observations and masks of a game are contiguous, because training reads them game by game.
    """

    observations: torch.Tensor
    """``int8[T, N, I]``"""
    masks: torch.Tensor
    """``bool[T, N, A]``"""
    actions: torch.Tensor
    """``int64[T, N]``"""
    labels: torch.Tensor
    """``int64[T, N]``: the actions of the expert; only with an expert"""
    teams: torch.Tensor
    """``int8[T, N]``: the deciding teams"""
    log_probabilities: torch.Tensor
    """``float32[T, N]``: log-probabilities of the played actions"""
    end_probabilities: torch.Tensor
    """``float32[T, N, E]``: the network's probabilities of the ends"""
    learned: torch.Tensor
    """``bool[T, N]``: whether the learning network decided"""
    reasons: torch.Tensor
    """``int64[T, N]``: the end of the game after the decision; 0: the game continues"""
    last_end_probabilities: torch.Tensor
    """``float32[1, N, E]``: the probabilities of the ends after the last decision"""
    others: torch.Tensor
    """``int8[T, N, K]``: inputs of the critic from the other seats (``critic.seen_by_others``); K = 0 without
    a critic"""
    chances: torch.Tensor
    """``float32[T, N]``: the critic's winning chance of the deciding team after the played action"""
    mean_chances: torch.Tensor
    """``float32[T, N]``: the mean of the critic's winning chances over the actions of the policy"""
    last_mean_chances: torch.Tensor
    """``float32[1, N]``: the mean chances after the last decision, for the team that decides then"""
    last_teams: torch.Tensor
    """``int8[1, N]``: the teams that decide after the last decision"""

    @classmethod
    def empty(
        cls,
        steps: int,
        num_games: int,
        inputs: int,
        actions: int,
        ends: int,
        others: int = 0,
        device: torch.device | str = "cpu",
    ) -> Rollout:
        """New memory for T = ``steps`` decisions of N games with I inputs, A actions, E ``ends`` and K
        ``others``."""
        rows = (steps, num_games)

        def room(shape: tuple[int, ...], dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        return cls(
            observations=room((num_games, steps, inputs), torch.int8).transpose(0, 1),
            masks=room((num_games, steps, actions), torch.bool).transpose(0, 1),
            actions=room(rows, torch.int64),
            labels=room(rows, torch.int64),
            teams=room(rows, torch.int8),
            log_probabilities=room(rows),
            end_probabilities=room((*rows, ends)),
            learned=room(rows, torch.bool),
            reasons=room(rows, torch.int64),
            last_end_probabilities=room((1, num_games, ends)),
            others=room((num_games, steps, others), torch.int8).transpose(0, 1),
            chances=room(rows),
            mean_chances=room(rows),
            last_mean_chances=room((1, num_games)),
            last_teams=room((1, num_games), torch.int8),
        )

    @property
    def device(self) -> torch.device:
        """The device of the tensors."""
        return self.actions.device

    def part(self, first: int, stop: int) -> Rollout:
        """The games ``first`` to ``stop - 1``, in the same memory."""
        values = {field.name: getattr(self, field.name)[:, first:stop] for field in dataclasses.fields(self)}
        return Rollout(**values)

    def bootstrap_early(self, strange: torch.Tensor) -> None:
        """In some games, bootstraps from the last decision of the network instead of the last state.

        If a team that the network never plays decides next, the value of this state is untrained.

        Args:
            strange: ``bool[N]``: whether a team that the network never plays decides next.
        """
        games = strange.nonzero()[:, 0]
        last = len(self.learned) - 1 - self.learned.flip(0).to(torch.int8).argmax(dim=0)[games]
        self.last_end_probabilities[0, games] = self.end_probabilities[last, games]
        self.last_mean_chances[0, games] = self.mean_chances[last, games]
        self.last_teams[0, games] = self.teams[last, games]

    def targets(self, gae_lambda: float) -> torch.Tensor:
        """Lambda-returns of the probabilities of each end: ``float32[T, N, E]``; defined for decisions
        of the learning network."""
        targets = torch.zeros_like(self.end_probabilities)
        returns = self.last_end_probabilities[0].clone()
        following = self.last_end_probabilities[0].clone()
        certain = torch.eye(targets.shape[2], device=self.device)
        for step in range(len(targets) - 1, -1, -1):
            over = (self.reasons[step] > 0)[:, None]
            end = certain[(self.reasons[step] - 1).clamp(min=0)]
            returns, following = torch.where(over, end, returns), torch.where(over, end, following)
            learned = self.learned[step][:, None]
            returns = torch.where(learned, torch.lerp(following, returns, gae_lambda), returns)
            targets[step] = returns
            following = torch.where(learned, self.end_probabilities[step], following)
        return targets

    def chance_targets(self, critic_lambda: float, worths: torch.Tensor) -> torch.Tensor:
        """Targets of the critic by Expected SARSA(lambda): ``float32[T, N]``; defined for decisions of the
        learning network.

        The return after a decision is the mean chance at the next decision, plus lambda times an error: the
        difference between the return after the next decision and the chance of its action. So sampling other
        actions adds no noise, and a target may be below 0 or above 1.

        Args:
            critic_lambda: lambda, from 0 to 1.
            worths: ``float32[E]``: the value of each end for team 0; for the other team it is the negative.
        """
        first = self.teams == 0
        chances, means = (torch.where(first, each, 1.0 - each) for each in (self.chances, self.mean_chances))
        last = self.last_mean_chances[0]
        following = torch.where(self.last_teams[0] == 0, last, 1.0 - last)
        missed = torch.zeros_like(following)
        ends = (1.0 + worths) / 2.0
        targets = torch.zeros_like(chances)
        for step in range(len(targets) - 1, -1, -1):
            over, learned = self.reasons[step] > 0, self.learned[step]
            following = torch.where(over, ends[(self.reasons[step] - 1).clamp(min=0)], following)
            missed = torch.where(over, 0.0, missed)
            targets[step] = following + critic_lambda * missed
            following = torch.where(learned, means[step], following)
            missed = torch.where(learned, targets[step] - chances[step], missed)
        return torch.where(first, targets, 1.0 - targets)


class Player:
    """Samples actions with a network's probabilities, with its own random stream.

    Args:
        network: the network.
        device: the device of the network.
        seed: seed of the random stream.
    """

    def __init__(self, network: PlayingNetwork, device: torch.device, seed: int) -> None:
        self.network = network
        self.device = device
        self.generator = torch.Generator().manual_seed(seed)
        self._follower: IncrementalLinear | None = None

    def begin(self, games: int) -> None:
        """Starts following games; ``sample`` continues with them until the weights change."""
        self._follower = self.network.follower(games)

    @torch.no_grad()
    def sample(
        self,
        observations: torch.Tensor,
        masks: torch.Tensor,
        games: torch.Tensor | None = None,
        others: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, ...]:
        """Samples actions: ``int64[B]``; also returns their log-probabilities, and the probabilities of each
        end.

        With a critic, also returns the winning chances after the actions, and their means (``Sampled``). All
        results are on the device of the observations.

        Args:
            observations: ``int8[B, I]``.
            masks: ``bool[B, A]``: the legal actions.
            games: ``int64[B]``: the numbers of the followed games.
            others: ``int8[B, K]``: the critic's inputs from the other seats.
        """
        home = observations.device
        uniforms = torch.rand(len(masks), generator=self.generator)
        followed = TrackedRows(self._follower, games) if self._follower and games is not None else None
        observations, masks = observations.to(self.device), masks.to(self.device)
        with autocast(self.device):
            seen = None if others is None else others.to(self.device)
            drawn = self.network.sample(observations, masks, uniforms.to(self.device), followed, seen)
        judged = [each.float() for each in (drawn.chance, drawn.mean_chance) if each is not None]
        found = drawn.actions, drawn.log_probabilities, drawn.end_logits.float().softmax(dim=1), *judged
        return tuple(each.to(home) for each in found)

    @torch.no_grad()
    def end_probabilities(self, observations: torch.Tensor) -> torch.Tensor:
        """The probabilities of each end: ``float32[B, E]``."""
        with autocast(self.device):
            end_logits = self.network.end_logits(observations.to(self.device))
        return end_logits.float().softmax(dim=1).to(observations.device)

    @torch.no_grad()
    def mean_chances(
        self, observations: torch.Tensor, masks: torch.Tensor, others: torch.Tensor
    ) -> torch.Tensor:
        """The mean chances of ``Sampled``, ``float32[B]``; takes no number from the random stream."""
        first, there = torch.zeros(len(masks), device=self.device), masks.to(self.device)
        with autocast(self.device):
            found = self.network.sample(
                observations.to(self.device), there, first, others=others.to(self.device)
            ).mean_chance
        assert found is not None  # only asked with a critic
        return found.float().to(observations.device)


def autocast(device: torch.device) -> Any:
    """A context with mixed precision on a GPU; without effect on a CPU."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


@dataclasses.dataclass
class Expert:
    """A bot that the network imitates."""

    bot: Bot
    follow: float
    """Share of the decisions in which the expert's action is played instead of the network's."""
    generator: np.random.Generator
    """The source of randomness that selects these decisions."""


def collect(
    games: Games | DeviceGames,
    player: Player,
    rollout: Rollout,
    players: np.ndarray,
    opponents: Sequence[Opponent],
    clock: PhaseTimer,
    expert: Expert | None = None,
    kind: GameKind = DEFAULT_KIND,
    ruleset: Any = None,
) -> None:
    """Continues the games and fills a rollout.

    Args:
        games: the games, at their present positions.
        player: the learning network.
        rollout: written; on the same device as the games.
        players: ``int64[N, T]``: the player of each team in each game, ``LEARNER`` or the number of an
            opponent.
        opponents: the players of the other teams; on a GPU bots are impossible.
        clock: measures the times.
        expert: labels the decisions of the network; None on a GPU.
        kind: the game.
        ruleset: the ruleset of the games; None: the default.
    """
    teams_of_seats = [seat.team for seat in (ruleset or kind.find_ruleset()).seats]
    played = tensors_of(games, kind, len(teams_of_seats))
    team_of = torch.tensor(teams_of_seats, dtype=torch.int8, device=rollout.device)
    owner_of = torch.from_numpy(players).to(rollout.device)
    judges = player.network.critic is not None
    written = [rollout.actions, rollout.log_probabilities, rollout.end_probabilities]
    written += [rollout.chances, rollout.mean_chances] if judges else []
    player.begin(games.num_games)
    for step in range(len(rollout.actions)):
        observations, masks = played.observations, played.masks
        teams = team_of[played.seats.long()]
        owners = owner_of.gather(1, teams.long()[:, None])[:, 0]
        mine = owners == LEARNER
        with clock.measure("storage"):
            rollout.observations[step] = observations
            rollout.masks[step] = masks
            rollout.teams[step] = teams
            rollout.learned[step] = mine
            if judges:
                rollout.others[step] = played.others
        with clock.measure("inference"):
            rows = mine.nonzero()[:, 0]
            if len(rows) < games.num_games:
                observations, masks = observations.index_select(0, rows), masks.index_select(0, rows)
            others = rollout.others[step].index_select(0, rows) if judges else None
            sampled = player.sample(observations, masks, rows, others)
            for target, values in zip(written, sampled, strict=True):
                target[step, rows] = values
        if expert is not None:
            with clock.measure("expert"):
                _ask_expert(expert, played, rows, rollout.labels[step], rollout.actions[step])
        with clock.measure("opponents"):
            _ask_opponents(opponents, played, owners, rollout.actions[step])
        with clock.measure("engine"):
            rollout.reasons[step] = played.step(rollout.actions[step])
    with clock.measure("inference"):
        rollout.last_end_probabilities[0] = player.end_probabilities(played.observations)
        if judges:
            rollout.last_mean_chances[0] = player.mean_chances(
                played.observations, played.masks, played.others
            )
            rollout.last_teams[0] = team_of[played.seats.long()]
    strange = ~(players == LEARNER).any(axis=0)
    if strange.any():
        teams = team_of[played.seats.long()].long()
        rollout.bootstrap_early(torch.from_numpy(strange).to(rollout.device)[teams])


def _ask_opponents(
    opponents: Sequence[Opponent], games: GameTensors, owners: torch.Tensor, actions: torch.Tensor
) -> None:
    """Writes the answers of the opponents for the games whose decisions they own."""
    for number, opponent in enumerate(opponents):
        rows = (owners == number).nonzero()[:, 0]
        if len(rows):
            actions[rows] = games.ask(opponent, rows)


def _ask_expert(
    expert: Expert, games: GameTensors, rows: torch.Tensor, labels: torch.Tensor, actions: torch.Tensor
) -> None:
    """Writes the expert's actions for some games as labels, and plays them in a share of the games."""
    answers = games.ask(expert.bot, rows)
    labels[rows] = answers
    played = torch.from_numpy(expert.generator.random(len(rows)) < expert.follow)
    actions[rows[played]] = answers[played]


def no_opponents(num_games: int, teams: int = 2) -> np.ndarray:
    """The players of pure self-play, for ``collect``."""
    return np.full((num_games, teams), LEARNER)
