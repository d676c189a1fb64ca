"""A training run: games, opponents, evaluations and checkpoints around the learning algorithm of
``ppo.py``."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import safetensors.torch
import torch

from wotr_agents.identity import foreign_game_identity
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.checkpoint import load_network, network_bytes
from wotr_agents.networks.files import find_network
from wotr_agents.networks.grow import can_grow, grow
from wotr_agents.networks.inference import Inference
from wotr_agents.networks.models import make_network
from wotr_agents.networks.playing_network import PlayingNetwork
from wotr_agents.networks.torch_inference import inference_of
from wotr_agents.policies import prepare_game
from wotr_agents.registry import parse_spec
from wotr_env.core.read_errors import reason
from wotr_env.cuda.machines import Machine
from wotr_experiments.arena.engines import cores
from wotr_experiments.arena.evaluation import count_results
from wotr_experiments.errors import CommandError, as_command_error
from wotr_experiments.isolation.bots import Bots, Isolation, check_made, identity_of
from wotr_experiments.provenance import recorded_session
from wotr_experiments.training.best import BestNetworkSelector
from wotr_experiments.training.config import TrainConfig, changes_of, options_text
from wotr_experiments.training.folder_copy import FolderCopy, remove_abandoned, share_past
from wotr_experiments.training.foresight import Foresight
from wotr_experiments.training.ppo import Learner, worker_threads
from wotr_experiments.training.processes import ALONE, Processes
from wotr_experiments.training.progress import Deadline
from wotr_experiments.training.rollouts import PhaseTimer
from wotr_experiments.training.run_folder import BEST, EXPERT, LAST, RunFolder, has_checkpoint, read_config
from wotr_experiments.training.strength import elo_above, intervals_of
from wotr_experiments.training.worker import (
    SELF,
    RunProgress,
    Worker,
    empty_rollout,
    redistribute_states,
    seeds_of,
)

Change = Callable[[TrainConfig], TrainConfig]
"""Converts the stored configuration to the one to continue with."""

FIRST_SAVED, SAVED_EVERY = 30.0, 120.0
"""Seconds until the first checkpoint after a start, and between two checkpoints."""
_PAST_SHOWN = 12
"""Number of the newest past networks from which opponents are drawn."""


class Cluster(Protocol):
    """Other machines that run workers."""

    def play(self, workers: list[Worker], network: PlayingNetwork, progress: RunProgress) -> list[PhaseTimer]:
        """Plays the games of the workers with this network on the cluster, as ``Worker.play`` does; their
        rollouts and states are updated here."""
        ...


class Training:
    """A training run in its folder, new or resumed.

    Several processes can train one run: each has some of the workers, with their games, and all have the same
    weights. The result does not depend on the number of processes.

    Args:
        folder: the folder of the run; a ``FolderCopy`` in all processes but the first.
        config: the configuration.
        network: the network from ``first_network``; weights of a checkpoint or of the first process replace
            its weights.
        device: the device of the network.
        isolation: the settings for bots in separate processes; these processes end when the run is closed.
        processes: the processes that train together.
        cluster: the cluster on which the workers play; by default they play in threads.
        machine: the GPU that plays the games, which is also the device of the network; by default the CPU
            plays.

    Attributes:
        clock: the clock for the times of checkpoints, in seconds, with any zero.

    Raises:
        CommandError: the checkpoint cannot be used.
    """

    def __init__(
        self,
        folder: RunFolder | FolderCopy,
        config: TrainConfig,
        network: PlayingNetwork,
        device: torch.device,
        isolation: Isolation,
        processes: Processes = ALONE,
        cluster: Cluster | None = None,
        machine: Machine | None = None,
    ) -> None:
        self.config = config
        self.kind = config.kind
        self.folder = folder
        self.device = device
        self.processes = processes
        self.clock: Callable[[], float] = time.monotonic
        self._cluster = cluster
        found = _share_found(folder.load(), network, processes)
        ppo = config.ppo
        seeds = seeds_of(config)
        foresight = Foresight.of(self.kind, ppo.foresees) if ppo.foresees else None
        self.learner = Learner(network, ppo, device, seeds[1], processes, foresight)
        mine = ppo.workers // processes.count
        self.rollout = empty_rollout(config, mine, "cpu" if machine is None else device)
        share = ppo.games // ppo.workers
        self.workers = [
            Worker(
                config,
                processes.rank * mine + place,
                network,
                device,
                self.rollout.part(share * place, share * (place + 1)),
                isolation,
                machine,
            )
            for place in range(mine)
        ]
        self._pool = worker_threads(min(mine, cores()) if cluster else mine)
        self.updates = 0
        self.decisions = 0
        self.seconds = 0.0
        self.best = BestNetworkSelector()
        self.elo: float | None = None
        self.problems: list[str] = []
        self._expert_weights: Mapping[str, torch.Tensor] = {}
        if found is not None:
            self._resume(*found)
            share_past(folder, self.updates, _PAST_SHOWN, processes)
            folder.write_network(LAST, self.network_bytes())  # it may be newer or older than the checkpoint
        if self._expert_is_self:
            if not self._expert_weights:
                self._renew_expert()
            self._write_expert()

    def close(self) -> None:
        """Stops the processes of the bots and unlocks the folder."""
        for worker in self.workers:
            worker.close()
        self.folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def run(self, stopped: Callable[[], bool] = lambda: False) -> Iterator[dict[str, Any]]:
        """Continues the training; yields each line of metrics after it is written.

        A checkpoint is written every ``checkpoint_every`` updates, after ``FIRST_SAVED`` and ``SAVED_EVERY``
        seconds, at the end, and if ``stopped`` returns true after an update.

        Raises:
            OSError: the folder cannot be written; the last checkpoint is unchanged.
            CommandError: a loss or a weight is not finite, a bot failed twice, or another process has ended.
        """
        config = self.config
        deadline = Deadline(FIRST_SAVED, SAVED_EVERY, self.clock)
        own = self.folder.path if isinstance(self.folder, RunFolder) else None
        with recorded_session(own if self.decisions < config.ppo.decisions else None) as session:
            while self.decisions < config.ppo.decisions:
                before = self.decisions
                line = self._update()
                session.add(decisions=self.decisions - before)
                self.folder.log(line)
                yield line
                over = self.decisions >= config.ppo.decisions
                if self.updates % config.evaluate_every == 0 or over:
                    line = self._evaluate()
                    self.folder.log(line)
                    yield line
                if self.updates % config.past_every == 0:
                    self.folder.add_past(self.updates, self.network_bytes())
                stop = self.processes.any(stopped())
                late = self.processes.any(deadline.is_due())
                regular = self.updates % config.checkpoint_every == 0
                if regular and self._expert_is_self:
                    self._renew_expert()
                    self._write_expert()
                if regular or over or stop or late:
                    self.save()
                    deadline.done()
                if stop:
                    return

    def save(self) -> None:
        """Writes a checkpoint and the averaged network.

        Raises:
            OSError: the checkpoint cannot be written; the previous one is unchanged.
        """
        facts = {
            "updates": self.updates,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "best": self.best.to_dict(),
            "elo": self.elo,
        }
        self.folder.save(self.updates, self._tensors(), facts)
        self.folder.write_network(LAST, self.network_bytes())

    def network_bytes(self) -> bytes:
        """The file contents of the averaged network; a collective call of all processes.

        The contents do not depend on the clock: the same training makes the same bytes.
        """
        facts = {
            "updates": self.updates,
            "decisions": self.decisions,
            "elo": self.elo,
            "device": self.device.type,
            "config": self.config.to_dict(),
        }
        weights = self.learner.gather_averages().weights_to_play()
        return network_bytes(weights, self.config.network, facts, kind=self.kind)

    def _update(self) -> dict[str, Any]:
        ppo = self.config.ppo
        start = time.perf_counter()
        clock = PhaseTimer()
        learn = self.learner.imitate if self._has_expert else self.learner.update
        for times in self._roll_out():
            for kind, spent in times.seconds.items():
                clock.seconds[kind] = clock.seconds.get(kind, 0.0) + spent / len(self.workers)
        with clock.measure("others"):
            ends = self._count_ends()  # when all have played
        before = {name: values.clone() for name, values in self.learner.averaged.state_dict().items()}
        with clock.measure("update"):
            means = learn(self.rollout, self.decisions / ppo.decisions)
            self._check_finite(means, before)
        self.updates += 1
        self.decisions += ppo.games * ppo.steps
        seconds = time.perf_counter() - start
        self.seconds += seconds
        return {
            "kind": "update",
            "update": self.updates,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "speed": round(ppo.games * ppo.steps / seconds),
            "shares": {kind: round(spent / seconds, 4) for kind, spent in clock.seconds.items()},
            **{name: round(value, 6) for name, value in means.items()},
            "games": sum(ends.values()),
            "ends": ends,
        }

    def _count_ends(self) -> dict[str, int]:
        """The number of ended games of all processes, by kind of end."""
        names = [end.name for end in self.kind.ends]
        ends = torch.bincount(self.rollout.reasons.flatten(), minlength=len(names) + 1)[1:]
        total = torch.stack(self.processes.gather(ends)).sum(dim=0)
        return dict(zip(names, total.tolist(), strict=True))

    def _check_finite(self, means: Mapping[str, float], before: Mapping[str, torch.Tensor]) -> None:
        """Checks that an update led to finite numbers. If not, restores the averaged network ``before`` the
        update.

        Raises:
            CommandError: a number is not finite.
        """
        wrong = [f"{name} {value}" for name, value in means.items() if not math.isfinite(value)]
        if not wrong and self.learner.is_finite:
            return
        self.learner.averaged.load_state_dict(before)
        self.folder.write_network(LAST, self.network_bytes())
        raise CommandError(
            f"update {self.updates + 1} led to a number that is not finite "
            f"({', '.join(wrong) or 'a weight'}), so the training has stopped; {self.folder.path / LAST} "
            "is the network before this update"
        )

    def _roll_out(self) -> Iterable[PhaseTimer]:
        """Lets the workers continue their games."""
        past = tuple(self.folder.past(self.updates)[-_PAST_SHOWN:])
        progress = RunProgress(self.updates, self._has_expert, past, self.folder.path / EXPERT)
        if self._cluster is not None:
            return self._cluster.play(self.workers, self.learner.network, progress)
        return self._pool.map(lambda worker: worker.play(progress), self.workers)

    @property
    def _has_expert(self) -> bool:
        return self.decisions < self.config.expert_decisions

    @property
    def _expert_is_self(self) -> bool:
        """Whether an expert uses a network of this run."""
        return self._has_expert and SELF in self.config.expert

    def _renew_expert(self) -> None:
        """From now on the expert ``net=self`` uses the present network. This happens after every
        ``checkpoint_every`` updates, and not at other checkpoints, whose times depend on the clock; so the
        same training makes the same bytes."""
        weights = self.learner.gather_averages().weights_to_play()
        self._expert_weights = {name: values.clone() for name, values in weights.items()}

    def _write_expert(self) -> None:
        data = network_bytes(self._expert_weights, self.config.network, {}, kind=self.kind)
        self.folder.write_network(EXPERT, data)

    def _evaluate(self) -> dict[str, Any]:
        """Plays the averaged network, with its most likely actions, against the anchors."""
        network = make_network(self.config.network, self.kind)
        network.load_state_dict(self.learner.gather_averages().weights_to_play())
        inference = inference_of(network.eval().requires_grad_(False))
        counts = self._pool.map(lambda worker: self._evaluate_part(worker, inference), self.workers)
        mine = torch.stack(list(counts)).sum(dim=0)
        points = torch.stack(self.processes.gather(mine)).sum(dim=0)
        games = self.config.evaluate_games
        teams = [self.kind.teams[team].name for team in self.config.teams]
        scores = {
            anchor: dict(zip(teams, (row / games).tolist(), strict=True))
            for anchor, row in zip(self.config.anchors, points, strict=True)
        }
        others = len(self.kind.teams_of(self.config.rules)) - 1
        self.elo, elo_ends = elo_above(float(points[-1].sum()), games * len(teams), others)
        is_best = self.best.judge(points.sum(dim=1).tolist(), games * len(teams))
        if is_best:
            self.folder.write_network(BEST, self.network_bytes())
        return {
            "kind": "evaluation",
            "update": self.updates,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "games": games,
            "scores": scores,
            "intervals_95": intervals_of(scores, games),
            "elo": self.elo,
            "elo_interval_95": elo_ends,
            "best": is_best,
        }

    def _evaluate_part(self, worker: Worker, inference: Inference) -> torch.Tensor:
        """The points of a worker's games of an evaluation: ``float64[anchors, teams]``."""
        config = self.config
        generator = np.random.default_rng((config.seed, 1, self.updates))
        seeds = generator.integers(2**62, size=config.evaluate_games).astype(np.uint64)
        seeds = np.array_split(seeds, config.ppo.workers)[worker.number]
        generator = np.random.default_rng((config.seed, 2, self.updates, worker.number))
        points = torch.zeros(len(config.anchors), len(config.teams), dtype=torch.float64)
        if not len(seeds):
            return points
        bot = NetBot(NetParameters("averaged"), 0, inference, self.kind)
        for row, anchor in zip(points, config.anchors, strict=True):
            for place, team in enumerate(config.teams):
                seated = worker.anchors.seat([anchor], [int(generator.integers(2**31))], self.kind.name)
                won, drawn, _ = count_results(
                    bot,
                    seated[0],
                    team,
                    seeds,
                    self.kind,
                    config.rules,
                    worker.anchors.isolation.call_timeout,
                )
                row[place] = won + 0.5 * drawn
        return points

    def _best_of(self, found: Mapping[str, Any] | float) -> BestNetworkSelector:
        """The selection of the best network from a checkpoint; checkpoints of earlier versions have only a
        number."""
        anchors = len(self.config.anchors)
        if isinstance(found, (int, float)):
            return BestNetworkSelector.from_merit(
                found, anchors, self.config.evaluate_games * len(self.config.teams)
            )
        return BestNetworkSelector.from_dict(found, anchors)

    def _tensors(self) -> dict[str, torch.Tensor]:
        """The complete state from which the run continues, of all processes."""
        tensors = self.learner.state()
        if self._expert_is_self:
            tensors |= {f"expert.{name}": value for name, value in self._expert_weights.items()}
        mine = {
            f"worker{worker.number}.{name}": value
            for worker in self.workers
            for name, value in worker.state().items()
        }
        for data in self.processes.gather_bytes(safetensors.torch.save(mine)):
            tensors |= safetensors.torch.load(data)
        return {name: value.detach().cpu().contiguous() for name, value in tensors.items()}

    def _resume(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        """Continues from a checkpoint."""
        parts: dict[str, dict[str, torch.Tensor]] = {}
        for name, value in tensors.items():
            part, _, rest = name.partition(".")
            parts.setdefault(part, {})[rest] = value
        try:
            self.learner.restore(parts)
            self._expert_weights = parts.get("expert", {})
            states = [parts[f"worker{number}"] for number in range(_count_workers(parts))]
            states = redistribute_states(states, self.config.ppo.workers)
            for worker in self.workers:
                worker.restore(states[worker.number])
            self.updates, self.decisions = int(facts["updates"]), int(facts["decisions"])
            self.seconds, self.elo = float(facts["seconds"]), facts["elo"]
            self.best = self._best_of(facts["best"])
        except (KeyError, ValueError, RuntimeError, TypeError, OverflowError) as error:
            why = reason(error)
            raise CommandError(f"the checkpoint of {self.folder.path} does not fit its run: {why}") from None
        self.problems = list(facts["problems"])
        ppo = self.config.ppo
        if self.decisions - ppo.games * ppo.steps >= ppo.decisions:
            raise CommandError(
                f"{self.folder.path} has made {self.decisions} decisions; --decisions must not be less, "
                f"not {ppo.decisions}"
            )


def unchanged(config: TrainConfig) -> TrainConfig:
    """The ``Change`` that changes nothing."""
    return config


def _count_workers(parts: Mapping[str, object]) -> int:
    """The number of workers whose state a checkpoint contains."""
    return next(number for number in itertools.count() if f"worker{number}" not in parts)


_Found = tuple[dict[str, torch.Tensor], dict[str, Any]]
"""A checkpoint: tensors and facts."""


def _share_found(found: _Found | None, network: PlayingNetwork, processes: Processes) -> _Found | None:
    """Shares the checkpoint that the first process found; without one, shares the weights of its network."""
    if processes.count == 1:
        return found
    tensors, facts = found or (network.state_dict(), None)
    tensors = safetensors.torch.load(processes.share(safetensors.torch.save(tensors)))
    facts = json.loads(processes.share(json.dumps(facts).encode()))
    if facts is not None:
        return tensors, facts
    network.load_state_dict(tensors)
    return None


def first_network(config: TrainConfig, new: bool) -> PlayingNetwork:
    """Makes the first network of a run, after checks of the configuration.

    Args:
        config: the configuration of the run.
        new: whether there is no checkpoint; only then the network of ``config.start`` is read.

    Raises:
        CommandError: the game has no such network, or the network to start from has an unsuitable size.
        BotError: the network to start from cannot be made.
    """
    kind = config.kind
    prepare_game(kind.name)
    torch.manual_seed(seeds_of(config)[0])
    with as_command_error():
        network = make_network(config.network, kind)
    if config.start and new:
        found = load_network(find_network(config.start))
        if found.kind is not kind:
            raise CommandError(f"{config.start} is a network for {found.kind.title}")
        if found.config == config.network:
            network.load_state_dict(found.network.state_dict())
        elif can_grow(found.config, config.network):
            grow(found.network, network)
        else:
            options = options_text(changes_of(found.config, config.network, "network"))
            raise CommandError(
                f"{config.start} cannot be enlarged to this size; give {options}, or multiples of its "
                "width and hidden width, and more layers"
            )
    if config.ppo.critic:
        network.add_critic(kind, len(config.rules.seats))
    if config.ppo.foresees:
        network.foresee(len(Foresight.of(kind, config.ppo.foresees).columns))
    if config.start_temperature != 1 and new:
        network.sharpen(config.start_temperature)
    return network


def identities_of(config: TrainConfig, isolation: Isolation) -> dict[str, str]:
    """The identities of the bots in a configuration, by spec, and of a game of another package.

    Raises:
        BotError: a bot cannot be made.
    """
    foreign = foreign_game_identity(config.game)
    found = {f"game {config.game}": foreign} if foreign else {}
    learned = config.expert if SELF in config.expert else ""
    if learned:  # it plays by a file of the run itself
        parse_spec(learned, config.game)
    others = [config.expert] if config.expert and not learned else []
    with Bots(isolation) as bots:
        for spec in dict.fromkeys((*config.opponents, *config.anchors, *others)):
            (bot,) = bots.seat([spec], [0], config.game)
            check_made(spec, bot)
            found[spec] = identity_of(bot, spec, config.game)
    return found


def open_run(
    path: Path,
    config: TrainConfig | None,
    device: torch.device,
    isolation: Isolation | None = None,
    processes: Processes = ALONE,
    cluster: Cluster | None = None,
    find_machine: Callable[[TrainConfig], Machine | None] = lambda _config: None,
    change: Change = unchanged,
) -> Training:
    """Opens a training run: a new one, or the one in the folder.

    Args:
        path: the path of the folder.
        config: the configuration of a new run; None: the one in the folder.
        device: the device of the network.
        isolation: the settings for bots in separate processes.
        processes: the processes that train together; only the first reads and writes the folder.
        cluster: the cluster on which the workers play; by default they play in threads.
        find_machine: returns the GPU that plays the games of a configuration; None: the CPU plays.
        change: changes the configuration in the folder, if no other is given.

    Raises:
        CommandError: the folder has a run with another configuration, has no run, or is in use; a bot has
            changed since the start of the run; or ``change`` fails. The run is unchanged.
        BotError: a bot or network in the configuration cannot be made.
        OSError: the folder cannot be written.
    """
    known = {"config": read_config(path), "new": not has_checkpoint(path)} if processes.is_first else None
    known = json.loads(processes.share(json.dumps(known).encode()))
    found = None if known["config"] is None else _known_config(path, known["config"], config)
    if found is not None:
        config = found if config is not None else change(found)
    if config is None:
        raise CommandError(f"there is no training run in {path}")
    if config.ppo.workers % processes.count:
        raise CommandError(
            f"{config.ppo.workers} workers cannot be shared evenly by {processes.count} processes; "
            "start that many of them, or a new run with other --workers"
        )
    isolation = isolation or Isolation()
    config.kind.kernels.prepare()
    identities = identities_of(config, isolation)
    if json.loads(processes.share(json.dumps(identities).encode())) != identities:
        raise CommandError("a bot or the game differs between the processes")
    network = first_network(config, new=known["new"] and processes.is_first)
    remove_abandoned()
    folder = RunFolder(path, config.kind) if processes.is_first else FolderCopy()
    try:
        if isinstance(folder, RunFolder):
            folder.check_identities(identities)
        training = Training(
            folder, config, network, device, isolation, processes, cluster, find_machine(config)
        )
        if isinstance(folder, RunFolder) and config != found:
            folder.write_config(config.to_dict())
        return training
    except BaseException:
        folder.close()
        raise


def _differing(known: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """The names of settings that differ; for nested settings, the names inside them."""
    names = []
    for name, value in given.items():
        if isinstance(value, Mapping):
            names += _differing(known[name], value)
        elif known[name] != value:
            names.append(name)
    return names


def _known_config(path: Path, found: Mapping[str, Any], config: TrainConfig | None) -> TrainConfig:
    """The stored configuration; it must equal the requested one, if one is given."""
    try:
        known = TrainConfig.from_dict(found)
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from None
    if config is not None and config != known:
        names = _differing(known.to_dict(), config.to_dict())
        raise CommandError(
            f"{path} already contains a run: continue it with --resume; for another {', '.join(names)}, "
            "start in another folder"
        )
    return known
