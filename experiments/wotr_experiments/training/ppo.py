"""Masked PPO by self-play with one network for all seats.

All decisions of a game, by all seats, form one sequence. The network's value head predicts the probabilities
of the ends, and its targets are lambda-returns of these probabilities (generalised advantage estimation),
bootstrapped from the next decision of any seat. The advantage of a decision is the gain in value for the
deciding team; with two teams, one team's gain is the other's loss.

So a trajectory is a whole game, not the decisions of one seat or team. Partners win and lose together, the
return of a decision includes the effects of the partner's later decisions, and the better partner (R13.8)
gets no extra reward. Each decision uses the observation of its own seat; partners do not communicate.

The measures against cycling in self-play follow S. Sokota et al. ("A Unified Approach to Reinforcement
Learning, Quantal Response Equilibria, and Two-Player Zero-Sum Games", 2023) and later work on games with
hidden information: a fading pull towards the uniform policy over the legal actions, a penalty on the distance
to the policy that played the games, a small clip range, updates from the decisions with the largest
advantages, past opponents, and averaged weights for play.

At first the network can imitate an expert, which may be any bot: the network plays, the expert gives its
actions, and the network learns these actions. With a scripted expert, the network starts from its skill. With
a search that uses the network, this is expert iteration (T. Anthony, Z. Tian and D. Barber, "Thinking Fast
and Slow with Deep Learning and Tree Search", 2017).
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, smooth_l1_loss

from wotr_agents.networks.playing_network import PlayingNetwork
from wotr_agents.networks.sparse import Chosen
from wotr_experiments.arena.engines import cores
from wotr_experiments.training.config import PpoConfig
from wotr_experiments.training.foresight import Foresight
from wotr_experiments.training.processes import ALONE, Processes
from wotr_experiments.training.rollouts import Rollout, autocast
from wotr_experiments.training.sharding import ShardedAdam


class Decisions(NamedTuple):
    """B decisions for an update."""

    observations: torch.Tensor | Chosen
    """``int8[B, I]``"""
    masks: torch.Tensor
    """``bool[B, A]``"""
    actions: torch.Tensor
    """``int64[B]``: the played actions; with an expert, its actions"""
    targets: torch.Tensor
    """``float32[B, E]``: the target probabilities of the ends"""
    policy_mask: torch.Tensor
    """``float32[B]``: 1 for decisions from which the policy learns"""
    value_mask: torch.Tensor
    """``float32[B]``: 1 for decisions from which the value learns"""
    log_probabilities: torch.Tensor
    """``float32[B]``: log-probabilities of the actions when they were played"""
    advantages: torch.Tensor
    """``float32[B]``: advantages of the actions, for the deciding seats"""
    others: torch.Tensor
    """``int8[B, K]``: additional inputs of the critic, from the other seats"""
    chances: torch.Tensor
    """``float32[B]``: the targets of the critic"""
    foreseen: torch.Tensor
    """``float32[B, K]``: the targets of foresight"""
    foreseen_mask: torch.Tensor
    """``float32[B]``: 1 if the target of foresight is known"""

    def rows(self, rows: torch.Tensor, device: torch.device) -> Decisions:
        """A selection of decisions, on a device; on a CPU the observations are not copied."""
        observations, *others = self
        assert isinstance(observations, torch.Tensor)  # they were not chosen before
        seen = Chosen(observations, rows)
        return Decisions(
            seen if device.type == "cpu" else seen.rows().to(device),
            *(values.index_select(0, rows).to(device) for values in others),
        )


class Counts(NamedTuple):
    """Numbers of decisions of a minibatch, over all processes."""

    policy: torch.Tensor
    value: torch.Tensor


Losses = Callable[[Decisions, Counts], dict[str, torch.Tensor]]
"""A function that returns the parts of a loss, and diagnostics: sums over decisions, divided by the counts of
the whole minibatch."""


@dataclasses.dataclass
class _Batch:
    """The decisions of this process, with global information about all decisions."""

    decisions: Decisions
    places: torch.Tensor
    """``int64[K]``: the indices of the decisions to learn from, in the flattened rollout of all processes"""
    policy_mask: torch.Tensor
    """``float32[T * N]``: as in ``Decisions``, for all decisions"""
    value_mask: torch.Tensor
    """``float32[T * N]``: as in ``Decisions``, for all decisions"""


class Learner:
    """A network, its averaged weights and its optimiser.

    Args:
        network: the network to train, in place.
        config: the settings.
        device: the device.
        seed: seed of the order of the decisions, the same in all processes.
        processes: the processes that train together, each with the games of its workers.
        foresight: the additional numbers that the network learns to predict (``foresight.py``); the network
            has a layer for them.

    Attributes:
        averaged: a network with the averaged weights, for play; complete after ``gather_averages``.
    """

    def __init__(
        self,
        network: PlayingNetwork,
        config: PpoConfig,
        device: torch.device,
        seed: int,
        processes: Processes = ALONE,
        foresight: Foresight | None = None,
    ) -> None:
        self.config = config
        self.foresight = foresight
        self.device = device
        self.processes = processes
        self.network = network.to(device)
        if device.type == "cuda":
            self.network.compile()
        self.averaged = copy.deepcopy(self.network).requires_grad_(False)
        self.generator = torch.Generator().manual_seed(seed)
        self._parameters: list[torch.Tensor] = list(self.network.parameters())
        self._parts = config.workers // processes.count if device.type == "cpu" else 1
        self._pool = worker_threads(min(self._parts, cores()))
        self._optimizer = ShardedAdam(self.network, self.averaged, self._parts, self._pool, processes)

    @property
    def is_finite(self) -> bool:
        """Whether all weights are finite."""
        return bool(torch.stack([values.isfinite().all() for values in self._parameters]).all())

    def gather_averages(self) -> PlayingNetwork:
        """The complete averaged network."""
        self._optimizer.gather_averages()
        return self.averaged

    def state(self) -> dict[str, torch.Tensor]:
        """The complete state of learning, the same in all processes."""
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        tensors |= {f"averaged.{name}": value for name, value in self.gather_averages().state_dict().items()}
        tensors |= {f"optimizer.{name}": value for name, value in self._optimizer.moments().items()}
        return tensors | {"learner": self.generator.get_state()}

    def restore(self, parts: Mapping[str, Mapping[str, torch.Tensor]]) -> None:
        """Continues from a result of ``state``. The names in it are split at the first dot.

        Raises:
            KeyError, RuntimeError: the state is of another network.
        """
        self.network.load_state_dict(parts["network"])
        self.averaged.load_state_dict(parts["averaged"])
        self._optimizer.restore_moments(parts.get("optimizer", {}))
        self.generator.set_state(parts["learner"][""])

    def update(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Learns from a rollout by PPO.

        Args:
            rollout: a rollout played by the current network.
            progress: the finished share of the training, from 0 to 1.

        Returns:
            Means over the update: losses, entropy, approximate KL divergence from the old policy, clip
                fraction, norm of the gradient, and the explained variance of the returns. Empty if the
                network made no decision.
        """
        learned = _flat_places(self._everywhere(rollout.learned))
        if not len(learned):
            return {}
        decisions = self._decisions(rollout, rollout.actions)
        own = self._everywhere(_by_step(decisions.advantages, rollout))[learned]
        bias = self._bias(rollout, own, learned)
        own = own - bias
        smallest = own.abs().sort().values[int((1.0 - self.config.policy_share) * (len(own) - 1))]
        everything = rollout.learned.numel() * self.processes.count
        policy_mask = torch.zeros(everything, dtype=torch.bool, device=rollout.device)
        if round(progress * self.config.decisions) >= self.config.values_first:
            policy_mask[learned] = own.abs() >= smallest
        drawn = torch.rand(everything, generator=self.generator) < self.config.value_share
        value_mask = drawn.to(rollout.device)
        decisions = decisions._replace(
            advantages=(decisions.advantages - bias) / (own.std(correction=0) + 1e-6),
            policy_mask=self._here(policy_mask, rollout).float(),
            value_mask=self._here(value_mask, rollout).float(),
        )
        places = learned[(policy_mask | value_mask)[learned]]
        batch = _Batch(decisions, places, policy_mask.float(), value_mask.float())
        means = self._optimise(batch, rollout, self.losses, progress)
        return means | self._explained_variance(rollout, decisions.targets, learned)

    def imitate(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Learns the actions of the expert and the ends of the games. Arguments and results are those of
        ``update``."""
        learned = _flat_places(self._everywhere(rollout.learned))
        if not len(learned):
            return {}
        decisions = self._decisions(rollout, rollout.labels)
        ones = torch.ones(rollout.learned.numel() * self.processes.count, device=rollout.device)
        batch = _Batch(decisions, learned, ones, ones)
        means = self._optimise(batch, rollout, self.imitation_losses, progress)
        return means | self._explained_variance(rollout, decisions.targets, learned)

    def _bias(self, rollout: Rollout, own: torch.Tensor, learned: torch.Tensor) -> torch.Tensor:
        """The offset that is subtracted from all advantages: their mean, if only one team decides.

        The mean is the overall error of the values. With two teams it cancels out. If a single team does
        worse than predicted, all its decisions look bad, which would push it towards random play and even
        worse results.
        """
        teams = self._everywhere(rollout.teams)[learned]
        return own.mean() if (teams == teams[0]).all() else own.new_zeros(())

    def _everywhere(self, values: torch.Tensor) -> torch.Tensor:
        """Converts ``[T, n]`` for the games of this process to ``[T * N]`` for all games."""
        return torch.cat(self.processes.gather(values), dim=1).flatten()

    def _here(self, values: torch.Tensor, rollout: Rollout) -> torch.Tensor:
        """Converts ``[T * N]`` for all games to ``[n * T]`` for the games of this process, game by game."""
        steps, games = rollout.learned.shape
        return _by_game(values.view(steps, self.processes.count, games)[:, self.processes.rank])

    def losses(self, decisions: Decisions, counts: Counts) -> dict[str, torch.Tensor]:
        """The ``Losses`` of PPO."""
        log_probabilities, parts = self._common_losses(decisions, counts)
        log_ratio = log_probabilities - decisions.log_probabilities
        ratio = log_ratio.exp()
        clip_range = self.config.clip_range
        clipped = ratio.clamp(1.0 - clip_range, 1.0 + clip_range)
        gains = torch.minimum(ratio * decisions.advantages, clipped * decisions.advantages)
        outside = ((ratio - 1.0).abs() > clip_range).float()
        return {
            "policy_loss": -_masked_sum(gains, decisions.policy_mask) / counts.policy,
            **parts,
            "approx_kl": _masked_sum(ratio - 1.0 - log_ratio, decisions.policy_mask) / counts.policy,
            "clip_fraction": _masked_sum(outside, decisions.policy_mask) / counts.policy,
        }

    def imitation_losses(self, decisions: Decisions, counts: Counts) -> dict[str, torch.Tensor]:
        """The ``Losses`` of imitating an expert; the actions are those of the expert."""
        log_probabilities, parts = self._common_losses(decisions, counts)
        return {
            "policy_loss": -_masked_sum(log_probabilities, decisions.policy_mask) / counts.policy,
            **parts,
            "agreement": _masked_sum(log_probabilities.exp(), decisions.policy_mask) / counts.policy,
        }

    def _common_losses(
        self, decisions: Decisions, counts: Counts
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The present log-probabilities of the actions; and the losses of the value and of foresight, and the
        entropy."""
        with autocast(self.device):
            found = self.network.evaluate_actions(
                decisions.observations, decisions.masks, decisions.actions, decisions.others
            )
        cross_entropy = -(decisions.targets * found.end_logits.float().log_softmax(dim=1)).sum(dim=1)
        parts = {
            "value_loss": _masked_sum(cross_entropy, decisions.value_mask) / counts.value,
            "entropy": _masked_sum(found.entropy, decisions.policy_mask) / counts.policy,
        }
        if found.action_logits is not None:
            missed = binary_cross_entropy_with_logits(
                found.action_logits.float(), decisions.chances, reduction="none"
            )
            parts["critic_loss"] = _masked_sum(missed, decisions.value_mask) / counts.value
        if self.foresight is not None:
            missed = smooth_l1_loss(found.foreseen.float(), decisions.foreseen, reduction="none").mean(dim=1)
            learned = decisions.value_mask * decisions.foreseen_mask
            parts["foresight_loss"] = _masked_sum(missed, learned) / counts.value
        return found.log_probabilities, parts

    def _decisions(self, rollout: Rollout, actions: torch.Tensor) -> Decisions:
        """All decisions of this process, game by game, with actions ``int64[T, N]`` to learn from."""
        returns = targets = rollout.targets(self.config.gae_lambda)
        if self.config.value_lambda is not None:
            targets = rollout.targets(self.config.value_lambda)
        if self.config.critic:
            worths = torch.tensor(self.network.worths[:, 0], dtype=torch.float32, device=rollout.device)
            chances = rollout.chance_targets(self.config.critic_lambda, worths)
            gains = chances - rollout.mean_chances  # the critic is too noisy to compare actions itself
            chances = chances.clamp(0.0, 1.0)
        else:
            chances = rollout.chances
            gains = self._worth_to(rollout.teams, returns - rollout.end_probabilities)
        everything = torch.ones(actions.numel(), device=rollout.device)
        foreseen, known = returns.new_zeros(*actions.shape, 0), torch.zeros_like(rollout.learned)
        if self.foresight is not None:
            foreseen, known = self.foresight.targets(rollout)
        return Decisions(
            observations=_by_game(rollout.observations),
            masks=_by_game(rollout.masks),
            actions=_by_game(actions),
            targets=_by_game(targets),
            policy_mask=everything,
            value_mask=everything,
            log_probabilities=_by_game(rollout.log_probabilities),
            advantages=_by_game(gains),
            others=_by_game(rollout.others),
            chances=_by_game(chances),
            foreseen=_by_game(foreseen),
            foreseen_mask=_by_game(known).float(),
        )

    def _explained_variance(
        self, rollout: Rollout, targets: torch.Tensor, learned: torch.Tensor
    ) -> dict[str, float]:
        first = torch.zeros_like(rollout.teams)
        values = self._everywhere(self._worth_to(first, rollout.end_probabilities))[learned]
        found = self._worth_to(_by_game(first), targets)
        returns = self._everywhere(_by_step(found, rollout))[learned]
        unexplained = (returns - values).var(correction=0) / (returns.var(correction=0) + 1e-8)
        return {"explained_variance": 1.0 - float(unexplained)}

    def _worth_to(self, teams: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        """The value of probabilities of ends, ``float32[..., E]``, for teams, ``int8[...]``."""
        worths = torch.tensor(self.network.worths.T, dtype=ends.dtype, device=ends.device)
        return (ends * worths[teams.long()]).sum(dim=-1)

    def _optimise(self, batch: _Batch, rollout: Rollout, losses: Losses, progress: float) -> dict[str, float]:
        """Runs steps of the optimiser over some decisions in random order; returns the means of the
        losses."""
        config = self.config
        annealed = max(0.1, 1.0 - progress)
        numbers = {
            "policy_loss": 1.0,
            "value_loss": config.value_coefficient,
            "entropy": -config.entropy_coefficient * annealed,
            "approx_kl": config.kl_coefficient,
            "critic_loss": config.critic_coefficient,
            "foresight_loss": config.foresight_coefficient,
        }
        coefficients = {name: torch.tensor(number, device=self.device) for name, number in numbers.items()}
        sums: list[dict[str, torch.Tensor]] = [{} for _ in range(self._parts)]
        norms = []
        for _ in range(config.epochs):
            drawn = torch.randperm(len(batch.places), generator=self.generator)
            order = batch.places[drawn.to(rollout.device)]
            for minibatch in order.tensor_split(max(1, round(len(order) / config.minibatch_size))):
                self._differentiate(minibatch, batch, rollout, losses, coefficients, sums)
                norms.append(
                    self._optimizer.step(
                        config.learning_rate * annealed, config.max_gradient_norm, config.ema_decay
                    )
                )
        of_parts = torch.stack([torch.stack(list(each.values())) for each in sums]).cpu()
        totals = torch.cat(self.processes.gather(of_parts)).sum(dim=0) / len(norms)
        means = dict(zip(sums[0], totals.tolist(), strict=True))
        return means | {"gradient_norm": sum(norms) / len(norms)}

    def _differentiate(
        self,
        places: torch.Tensor,
        batch: _Batch,
        rollout: Rollout,
        losses: Losses,
        coefficients: Mapping[str, torch.Tensor],
        sums: list[dict[str, torch.Tensor]],
    ) -> None:
        """Computes the gradient of a minibatch; each part uses its own games. Adds the losses to ``sums``."""
        masks = batch.policy_mask, batch.value_mask
        counts = Counts(*(mask[places].sum().clamp(min=1.0).to(self.device) for mask in masks))
        shares = self._shares(places, rollout)

        def differentiate(part: int) -> None:
            parts = losses(batch.decisions.rows(shares[part], self.device), counts)
            loss = torch.stack([parts[name] * by for name, by in coefficients.items() if name in parts]).sum()
            found = torch.autograd.grad(loss, self._parameters, materialize_grads=True)
            for target, gradient in zip(self._optimizer.gradients[part], found, strict=True):
                target.copy_(gradient)
            for name, value in parts.items():  # nothing waits for them before the last minibatch
                sums[part][name] = sums[part].get(name, 0.0) + value.detach().double()

        list(self._pool.map(differentiate, range(self._parts)))

    def _shares(self, places: torch.Tensor, rollout: Rollout) -> list[torch.Tensor]:
        """Splits indices in the flattened rollout of all games by part; returns them as indices of
        ``Decisions``."""
        games = rollout.learned.shape[1]
        steps, columns = places // (games * self.processes.count), places % (games * self.processes.count)
        part_of = columns.div(games // self._parts, rounding_mode="floor") - self.processes.rank * self._parts
        here = (columns - self.processes.rank * games) * len(rollout.learned) + steps
        return [here[part_of == part].sort().values for part in range(self._parts)]


def _by_game(values: torch.Tensor) -> torch.Tensor:
    """Converts ``[T, N, ...]`` to ``[N * T, ...]``, game by game."""
    return values.transpose(0, 1).flatten(0, 1)


def _by_step(values: torch.Tensor, rollout: Rollout) -> torch.Tensor:
    """Converts ``[N * T]``, game by game, to ``[T, N]``."""
    steps, games = rollout.learned.shape
    return values.view(games, steps).T


def _flat_places(chosen: torch.Tensor) -> torch.Tensor:
    """The indices of the true values of ``bool[T, N]`` after flattening: ``int64[K]``."""
    return chosen.flatten().nonzero()[:, 0]


def _masked_sum(values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The sum of the values whose mask is 1; both are ``float32[B]``."""
    return (values * mask).sum()


def worker_threads(workers: int) -> ThreadPoolExecutor:
    """A pool of threads, in each of which torch uses a single thread."""
    return ThreadPoolExecutor(workers, "worker", initializer=torch.set_num_threads, initargs=(1,))
