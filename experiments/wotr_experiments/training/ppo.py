"""Masked PPO by self-play with one network for both seats.

All decisions of a game, whoever makes them, form one sequence. A state's value is the expected worth of the
end for the Free Peoples, so a decision of the Shadow has the same advantage with the other sign, and the next
decision's value serves as the bootstrap whoever makes it. The network predicts how the game will end, and its
targets are lambda-returns of those chances.

What keeps self-play from going in circles follows S. Sokota et al. ("A Unified Approach to Reinforcement
Learning, Quantal Response Equilibria, and Two-Player Zero-Sum Games", 2023) and later work on games with
hidden information: a pull towards the uniform policy over the legal actions that fades, a penalty on the
distance to the policy that made the data, a small clip, an update from the decisions that mattered, opponents
from the past, and averaged weights to play with.

Instead of from its own games' ends the network can learn for a while from an expert, any bot: it plays, the
expert says what it would have done, and the network learns to do that. With a scripted expert this is a start
from its skill; with a search that uses the network it is expert iteration (T. Anthony, Z. Tian and D. Barber,
"Thinking Fast and Slow with Deep Learning and Tree Search", 2017).
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import nn

from wotr_agents.networks.models import NUM_ENDS, PlayingNetwork
from wotr_env.any_game import Games
from wotr_env.bots import Bot, BotView, view_of
from wotr_env.kind import GameKind
from wotr_env.war_of_the_ring import WAR_OF_THE_RING
from wotr_experiments.training.config import PpoConfig

LEARNER = -1
"""Who plays a team: the network that learns, or the opponent of that number."""


class Clock:
    """Seconds spent on each kind of work."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def measure(self, kind: str) -> Iterator[None]:
        """Adds the time until the block ends."""
        start = time.perf_counter()
        yield
        self.seconds[kind] = self.seconds.get(kind, 0.0) + time.perf_counter() - start


@dataclasses.dataclass
class Rollout:
    """T decisions of each of N games, and where they led."""

    observations: torch.Tensor
    """``int8[T, N, I]``"""
    masks: torch.Tensor
    """``bool[T, N, A]``"""
    actions: torch.Tensor
    """``int64[T, N]``"""
    labels: torch.Tensor
    """``int64[T, N]``: what the expert would have done; only with an expert"""
    teams: torch.Tensor
    """``int8[T, N]``: of the seat that decided"""
    log_probabilities: torch.Tensor
    """``float32[T, N]``: of the actions taken"""
    ends: torch.Tensor
    """``float32[T, N, NUM_ENDS]``: the chances of each end, as the network saw them"""
    learned: torch.Tensor
    """``bool[T, N]``: whether the network that learns decided"""
    reasons: torch.Tensor
    """``int64[T, N]``: the end of the game after the decision; 0: it goes on"""
    last_ends: torch.Tensor
    """``float32[1, N, NUM_ENDS]``: the chances of each end after the last decision"""

    @classmethod
    def empty(cls, steps: int, num_games: int, inputs: int, actions: int, ends: int = NUM_ENDS) -> Rollout:
        """Room for T = ``steps`` decisions of N games with I inputs, A actions and so many ends."""
        rows = (steps, num_games)
        return cls(
            observations=torch.zeros((*rows, inputs), dtype=torch.int8),
            masks=torch.zeros((*rows, actions), dtype=torch.bool),
            actions=torch.zeros(rows, dtype=torch.int64),
            labels=torch.zeros(rows, dtype=torch.int64),
            teams=torch.zeros(rows, dtype=torch.int8),
            log_probabilities=torch.zeros(rows),
            ends=torch.zeros((*rows, ends)),
            learned=torch.zeros(rows, dtype=torch.bool),
            reasons=torch.zeros(rows, dtype=torch.int64),
            last_ends=torch.zeros((1, num_games, ends)),
        )

    def part(self, first: int, stop: int) -> Rollout:
        """The games ``first`` to ``stop - 1``, in the same memory."""
        values = {field.name: getattr(self, field.name)[:, first:stop] for field in dataclasses.fields(self)}
        return Rollout(**values)

    def targets(self, trace: float) -> torch.Tensor:
        """Lambda-returns of the chances of each end: ``float32[T, N, NUM_ENDS]``, where learned."""
        targets = torch.zeros_like(self.ends)
        returns = self.last_ends[0].clone()
        following = self.last_ends[0].clone()
        certain = torch.eye(self.ends.shape[2])
        for step in range(len(targets) - 1, -1, -1):
            over = self.reasons[step] > 0
            if over.any():
                returns[over] = following[over] = certain[self.reasons[step][over] - 1]
            mine = self.learned[step][:, None]
            returns = torch.where(mine, torch.lerp(following, returns, trace), returns)
            targets[step] = returns
            following = torch.where(mine, self.ends[step], following)
        return targets


class Player:
    """Chooses actions by a network's probabilities, with random numbers of its own.

    Args:
        network: whose.
        device: where it computes.
        seed: of the choices.
    """

    def __init__(self, network: PlayingNetwork, device: torch.device, seed: int) -> None:
        self.network = network
        self.device = device
        self.generator = torch.Generator().manual_seed(seed)

    @torch.no_grad()
    def choose(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions ``int64[B]``, their log-probabilities, and the chances of each end."""
        luck = torch.rand(len(masks), generator=self.generator)
        given = [tensor.to(self.device) for tensor in (observations, masks, luck)]
        with autocast(self.device):
            actions, chances, ends = self.network.sample(*given)
        return actions.cpu(), chances.cpu(), ends.float().softmax(dim=1).cpu()

    @torch.no_grad()
    def foresee(self, observations: torch.Tensor) -> torch.Tensor:
        """The chances of each end: ``float32[B, NUM_ENDS]``."""
        with autocast(self.device):
            ends = self.network.foresee(observations.to(self.device))
        return ends.float().softmax(dim=1).cpu()


def autocast(device: torch.device) -> Any:
    """Mixed precision on a GPU, nothing on a CPU."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


@dataclasses.dataclass
class Expert:
    """A bot that the network learns from."""

    bot: Bot
    follow: float
    """Part of the decisions that are played as the expert says, not as the network does."""
    generator: np.random.Generator
    """Draws these decisions."""


def collect(
    games: Games,
    player: Player,
    rollout: Rollout,
    players: np.ndarray,
    opponents: list[Bot],
    clock: Clock,
    expert: Expert | None = None,
    kind: GameKind = WAR_OF_THE_RING,
) -> None:
    """Plays on and fills a rollout.

    Args:
        games: they go on where they are.
        player: the network that learns.
        rollout: written.
        players: ``int64[N, 2]``: who plays each team of each game, ``LEARNER`` or the number of an opponent.
        opponents: bots that play the other team.
        clock: told where the time goes.
        expert: labels the decisions of the network.
        kind: the game, by its default ruleset.
    """
    everyone = np.arange(games.num_games)
    team_of = np.array([seat.team for seat in kind.ruleset().seats], dtype=np.int8)
    for step in range(len(rollout.actions)):
        teams = team_of[games.seats]
        owners = players[everyone, teams]
        mine = owners == LEARNER
        with clock.measure("storage"):
            rollout.observations[step] = torch.from_numpy(games.observations)
            rollout.masks[step] = torch.from_numpy(games.masks)
            rollout.teams[step] = torch.from_numpy(teams)
            rollout.learned[step] = torch.from_numpy(mine)
        with clock.measure("inference"):
            rows = slice(None) if mine.all() else torch.from_numpy(np.flatnonzero(mine))
            chosen = player.choose(rollout.observations[step][rows], rollout.masks[step][rows])
            rollout.actions[step, rows], rollout.log_probabilities[step, rows], rollout.ends[step, rows] = (
                chosen
            )
        if expert is not None:
            with clock.measure("expert"):
                view = view_of(games.states[mine], games.masks[mine], kind)
                _ask_expert(expert, view, np.flatnonzero(mine), rollout.labels[step], rollout.actions[step])
        with clock.measure("opponents"):
            for number, bot in enumerate(opponents):
                rows = np.flatnonzero(owners == number)
                if len(rows):
                    answers = bot.act(view_of(games.states[rows], games.masks[rows], kind))
                    rollout.actions[step, torch.from_numpy(rows)] = torch.from_numpy(answers)
        with clock.measure("engine"):
            games.step(rollout.actions[step].numpy())
        ended = np.where(games.terminated, games.outcomes["reason"], 0).astype(np.int64)
        rollout.reasons[step] = torch.from_numpy(ended)
    with clock.measure("inference"):
        rollout.last_ends[0] = player.foresee(torch.from_numpy(games.observations))


def _ask_expert(
    expert: Expert, view: BotView, rows: np.ndarray, labels: torch.Tensor, actions: torch.Tensor
) -> None:
    """Writes the expert's answers for a view of some games, and lets it play a part of them."""
    answers = expert.bot.act(view)
    labels[torch.from_numpy(rows)] = torch.from_numpy(answers)
    played = expert.generator.random(len(rows)) < expert.follow
    actions[torch.from_numpy(rows[played])] = torch.from_numpy(answers[played])


class Learner:
    """A network, its averaged weights and its optimiser.

    Args:
        network: learns, in place.
        config: how.
        device: where.
        seed: of the order of the decisions.

    Attributes:
        averaged: a network of the averaged weights, to play with.
    """

    def __init__(self, network: PlayingNetwork, config: PpoConfig, device: torch.device, seed: int) -> None:
        self.config = config
        self.device = device
        self.network = network.to(device)
        if device.type == "cuda":
            self.network.compile()
        self.averaged = copy.deepcopy(self.network).requires_grad_(False)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), config.learning_rate, eps=1e-5, fused=True
        )
        self.generator = torch.Generator().manual_seed(seed)
        self._parameters = list(self.network.parameters())
        self._averages = list(self.averaged.parameters())
        self._workers = config.workers if device.type == "cpu" else 1
        self._pool = worker_threads(self._workers)
        self._end_values = torch.tensor(network.end_values)

    def update(self, rollout: Rollout, done: float) -> dict[str, float]:
        """Learns from a rollout.

        Args:
            rollout: played by this network as it is now.
            done: the part of the training that is over, from 0 to 1.

        Returns:
            Means over the update: losses, entropy, distance to the old policy, part clipped; and of the
            rollout the part of the returns' variance that the values explain. Nothing if the network made
            no decision.
        """
        config = self.config
        targets, advantages = self._judge(rollout)
        learned = rollout.learned.flatten().nonzero()[:, 0]
        own = advantages[learned]
        if not len(own):
            return {}
        cut = own.abs().sort().values[int((1.0 - config.keep) * (len(own) - 1))]
        matters = torch.zeros(len(advantages), dtype=torch.bool)
        matters[learned] = own.abs() >= cut
        valued = torch.rand(len(advantages), generator=self.generator) < config.value_share
        data = [
            rollout.observations.flatten(0, 1),
            rollout.masks.flatten(0, 1),
            rollout.actions.flatten(),
            rollout.log_probabilities.flatten(),
            advantages / (own.std(correction=0) + 1e-6),
            targets,
            matters.float(),
            valued.float(),
        ]
        weights = {
            "policy": 1.0,
            "value": config.value_weight,
            "entropy": -config.uniform * self._rate(done),
            "distance": config.previous,
        }
        samples = learned[(matters | valued)[learned]]
        means = self._learn(samples, data, self.losses, weights, done)
        return means | {"explained_variance": self._explained(rollout, targets, learned)}

    def imitate(self, rollout: Rollout, done: float) -> dict[str, float]:
        """Learns to answer as the expert of a rollout, and how the games go on; otherwise as ``update``."""
        targets, _ = self._judge(rollout)
        learned = rollout.learned.flatten().nonzero()[:, 0]
        if not len(learned):
            return {}
        data = [
            rollout.observations.flatten(0, 1),
            rollout.masks.flatten(0, 1),
            rollout.labels.flatten(),
            targets,
        ]
        weights = {
            "policy": 1.0,
            "value": self.config.value_weight,
            "entropy": -self.config.uniform * self._rate(done),
        }
        means = self._learn(learned, data, self.imitation_losses, weights, done)
        return means | {"explained_variance": self._explained(rollout, targets, learned)}

    def imitation_losses(self, batch: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        """The parts of the loss against an expert, as means.

        Args:
            batch: observations, masks, the expert's actions and the targets of the ends.
        """
        observations, masks, labels, targets = batch
        with autocast(self.device):
            chances, entropy, ends = self.network.decide(observations, masks, labels)
        return {
            "policy": -chances.mean(),
            "value": -(targets * ends.float().log_softmax(dim=1)).sum(dim=1).mean(),
            "entropy": entropy.mean(),
            "agreement": chances.exp().mean(),
        }

    def losses(self, batch: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        """The parts of the loss, as means over the decisions that they are learned from.

        Args:
            batch: observations, masks, actions, their log-probabilities when they were taken, advantages,
                targets, and for each decision whether the policy and whether the value learns from it.
        """
        observations, masks, actions, before, advantages, targets, matters, valued = batch
        with autocast(self.device):
            now, entropies, ends = self.network.decide(observations, masks, actions)
        ratio = (now - before).exp()
        clipped = ratio.clamp(1.0 - self.config.clip, 1.0 + self.config.clip)
        count = matters.sum().clamp(min=1.0)

        def mean(values: torch.Tensor) -> torch.Tensor:
            return (values * matters).sum() / count

        policy = -mean(torch.minimum(ratio * advantages, clipped * advantages))
        entropy = mean(entropies)
        distance = mean(ratio - 1.0 - (now - before))
        value = -((targets * ends.float().log_softmax(dim=1)).sum(dim=1) * valued).sum()
        value = value / valued.sum().clamp(min=1.0)
        outside = mean(((ratio - 1.0).abs() > self.config.clip).float())
        return {
            "policy": policy,
            "value": value,
            "entropy": entropy,
            "distance": distance,
            "clipped": outside,
        }

    def _rate(self, done: float) -> float:
        """What the learning rate and the pull towards uniform are multiplied by."""
        return max(0.1, 1.0 - done)

    def _judge(self, rollout: Rollout) -> tuple[torch.Tensor, torch.Tensor]:
        """Targets of the ends ``float32[T * N, NUM_ENDS]`` and advantages for the deciding teams."""
        targets = rollout.targets(self.config.trace).flatten(0, 1)
        gains = (targets - rollout.ends.flatten(0, 1)) @ self._end_values
        return targets, torch.where(rollout.teams.flatten() == 0, gains, -gains)

    def _explained(self, rollout: Rollout, targets: torch.Tensor, learned: torch.Tensor) -> float:
        values = rollout.ends.flatten(0, 1)[learned] @ self._end_values
        returns = targets[learned] @ self._end_values
        return 1.0 - float((returns - values).var(correction=0) / (returns.var(correction=0) + 1e-8))

    def _learn(
        self,
        samples: torch.Tensor,
        data: list[torch.Tensor],
        losses: Callable[[list[torch.Tensor]], dict[str, torch.Tensor]],
        weights: dict[str, float],
        done: float,
    ) -> dict[str, float]:
        """Steps of the optimiser over all samples in random order; returns the means of the losses."""
        config = self.config
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * self._rate(done)
        sums: dict[str, float] = {}
        steps = 0
        for _ in range(config.epochs):
            order = samples[torch.randperm(len(samples), generator=self.generator)]
            for rows in order.tensor_split(max(1, round(len(order) / config.minibatch))):
                shares = [share for share in rows.tensor_split(self._workers) if len(share)]
                found = list(
                    self._pool.map(lambda share: self._gradients(share, data, losses, weights), shares)
                )
                for parameter, *gradients in zip(self._parameters, *(each for each, _ in found), strict=True):
                    parameter.grad = sum(gradients[1:], gradients[0]) / len(gradients)
                size = nn.utils.clip_grad_norm_(self._parameters, config.max_gradient)
                self.optimizer.step()
                with torch.no_grad():
                    torch._foreach_lerp_(self._averages, self._parameters, 1.0 - config.average)
                for _, parts in found:
                    for name, part in (parts | {"gradient": size}).items():
                        sums[name] = sums.get(name, 0.0) + float(part.detach()) / len(found)
                steps += 1
        return {name: total / steps for name, total in sums.items()}

    def _gradients(
        self,
        rows: torch.Tensor,
        data: list[torch.Tensor],
        losses: Callable[[list[torch.Tensor]], dict[str, torch.Tensor]],
        weights: dict[str, float],
    ) -> tuple[tuple[torch.Tensor, ...], dict[str, torch.Tensor]]:
        """The gradients of the weighted losses of some samples, and the losses."""
        parts = losses([values[rows].to(self.device) for values in data])
        loss = sum(weight * parts[name] for name, weight in weights.items())
        return torch.autograd.grad(loss, self._parameters, materialize_grads=True), parts


def worker_threads(workers: int) -> ThreadPoolExecutor:
    """Threads in each of which torch uses no further ones."""
    return ThreadPoolExecutor(workers, "worker", initializer=torch.set_num_threads, initargs=(1,))


def no_opponents(num_games: int) -> np.ndarray:
    """The players of pure self-play, for ``collect``."""
    return np.full((num_games, 2), LEARNER)
