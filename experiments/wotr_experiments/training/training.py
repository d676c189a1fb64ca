"""A training run: games, opponents, evaluations and checkpoints around the learning of ``ppo.py``."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch

from wotr_agents.compiled import ensure_agents
from wotr_agents.identity import game_identity
from wotr_agents.networks.advice import ADVISED_SIZE
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.checkpoint import find_network, load_network, network_bytes
from wotr_agents.networks.inference import Inference
from wotr_agents.networks.models import PlayingNetwork, make_network
from wotr_agents.registry import parse_spec
from wotr_env.any_game import Games
from wotr_env.bots import Bot, BotError, BotView
from wotr_env.games import DEFAULT_GAME
from wotr_experiments.arena.evaluation import count_results
from wotr_experiments.arena.sprt import elo_of
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, Isolation, ask, check_made, identity_of
from wotr_experiments.training.advised_game import AdvisedGame
from wotr_experiments.training.config import TrainConfig
from wotr_experiments.training.ppo import (
    LEARNER,
    Clock,
    Expert,
    Learner,
    Player,
    Rollout,
    collect,
    no_opponents,
    worker_threads,
)
from wotr_experiments.training.run_folder import BEST, LAST, RunFolder, has_checkpoint, read_config

_SELF = "net=self"
_PAST_SHOWN = 12
"""Newest networks of the past that opponents are drawn from."""


@dataclasses.dataclass
class _Worker:
    """A part of the games."""

    games: Games
    player: Player
    rollout: Rollout
    opponents: Bots
    experts: Bots

    def close(self) -> None:
        """Ends the processes of its bots."""
        self.opponents.close()
        self.experts.close()


class _Patient:
    """Asks a bot anew once when it fails.

    Args:
        bot: of ``Bots.seat``.
        spec: of the bot.
    """

    def __init__(self, bot: Bot, spec: str) -> None:
        self.bot, self.spec = bot, spec

    def act(self, view: BotView) -> np.ndarray:
        """As of a ``Bot``; CommandError if it fails twice."""
        with contextlib.suppress(BotError):
            return ask(self.bot, view, self.spec)
        try:
            return ask(self.bot, view, self.spec)
        except BotError as error:
            raise CommandError(f"{error}; --resume goes on from the last checkpoint") from None


class Training:
    """A run in its folder, new or where it was stopped.

    Args:
        folder: of the run.
        config: of a new run, or that of the folder.
        network: of ``first_network``; a checkpoint's weights replace its own.
        device: where the network computes.
        isolation: which bots have processes of their own; they end when the run is closed.

    Raises:
        CommandError: the checkpoint cannot be used.
    """

    def __init__(
        self,
        folder: RunFolder,
        config: TrainConfig,
        network: PlayingNetwork,
        device: torch.device,
        isolation: Isolation,
    ) -> None:
        self.config = config
        self.kind = kind = config.kind
        self.folder = folder
        self.device = device
        found = folder.load()
        ppo = config.ppo
        seeds = _seeds(config)
        self.learner = Learner(network, ppo, device, seeds[1])
        inputs = ADVISED_SIZE if config.network.advice else kind.layout.size
        self.rollout = Rollout.empty(ppo.steps, ppo.games, inputs, kind.actions.size, len(kind.ends))
        share = ppo.games // ppo.workers
        self.workers = [
            _Worker(
                self._games(share, seeds[2 + 2 * number]),
                Player(network, device, seeds[3 + 2 * number]),
                self.rollout.part(share * number, share * (number + 1)),
                Bots(isolation),
                Bots(isolation),
            )
            for number in range(ppo.workers)
        ]
        self._anchors = Bots(isolation)
        self._pool = worker_threads(ppo.workers)
        self.updates = 0
        self.decisions = 0
        self.seconds = 0.0
        self.best = -1.0
        self.elo: float | None = None
        self.problems: list[str] = []
        if found is not None:
            self._resume(*found)
        if found is not None or _SELF in config.expert:
            # The file may be newer or older than the checkpoint, and an expert may play by it.
            folder.write_network(LAST, self.network_bytes())

    def close(self) -> None:
        """Ends the processes of the bots, and lets other processes use the folder."""
        for worker in self.workers:
            worker.close()
        self._anchors.close()
        self.folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def run(self, stopped: Callable[[], bool] = lambda: False) -> Iterator[dict[str, Any]]:
        """Trains on; yields each line of metrics after it was written.

        A checkpoint is written every so often, at the end, and when ``stopped`` says so after an update.

        Raises:
            OSError: the folder cannot be written; the last checkpoint is as it was.
            CommandError: a loss or a weight is no finite number any more, or a bot failed twice.
        """
        config = self.config
        while self.decisions < config.ppo.decisions:
            line = self._update()
            self.folder.log(line)
            yield line
            over = self.decisions >= config.ppo.decisions
            if self.updates % config.evaluate_every == 0 or over:
                line = self._evaluate()
                self.folder.log(line)
                yield line
            if self.updates % config.past_every == 0:
                self.folder.add_past(self.updates, self.network_bytes())
            stop = stopped()
            if self.updates % config.checkpoint_every == 0 or over or stop:
                self.save()
            if stop:
                return

    def save(self) -> None:
        """Writes a checkpoint and the averaged network.

        Raises:
            OSError: it cannot be written; the one before is as it was.
        """
        facts = {
            "updates": self.updates,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "best": self.best,
            "elo": self.elo,
        }
        self.folder.save(self.updates, self._tensors(), facts)
        self.folder.write_network(LAST, self.network_bytes())

    def network_bytes(self) -> bytes:
        """The file of the averaged network."""
        facts = {
            "updates": self.updates,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "elo": self.elo,
            "device": self.device.type,
            "config": self.config.to_dict(),
        }
        weights = self.learner.averaged.state_dict()
        return network_bytes(weights, self.config.network, facts, kind=self.kind)

    def _games(self, count: int, seed: int) -> Games:
        games = self.kind.games(count, seed, self.config.rules)
        return AdvisedGame(games) if self.config.network.advice else games

    def _update(self) -> dict[str, Any]:
        ppo = self.config.ppo
        start = time.perf_counter()
        clock = Clock()
        learn = self.learner.imitate if self._has_expert else self.learner.update
        for times in self._pool.map(self._play, range(ppo.workers)):
            for kind, spent in times.seconds.items():
                clock.seconds[kind] = clock.seconds.get(kind, 0.0) + spent / ppo.workers
        before = {name: values.clone() for name, values in self.learner.averaged.state_dict().items()}
        with clock.measure("update"):
            means = learn(self.rollout, self.decisions / ppo.decisions)
            self._check_finite(means, before)
        self.updates += 1
        self.decisions += ppo.games * ppo.steps
        seconds = time.perf_counter() - start
        self.seconds += seconds
        names = [end.name for end in self.kind.ends]
        ends = np.bincount(self.rollout.reasons.flatten().numpy(), minlength=len(names) + 1)[1:]
        return {
            "kind": "update",
            "update": self.updates,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "speed": round(ppo.games * ppo.steps / seconds),
            "shares": {kind: round(spent / seconds, 4) for kind, spent in clock.seconds.items()},
            **{name: round(value, 6) for name, value in means.items()},
            "games": int(ends.sum()),
            "ends": dict(zip(names, ends.tolist(), strict=True)),
        }

    def _check_finite(self, means: Mapping[str, float], before: Mapping[str, torch.Tensor]) -> None:
        """Keeps the averaged network ``before`` the update if that led to something that is no number.

        Raises:
            CommandError: it did.
        """
        wrong = [f"{name} {value}" for name, value in means.items() if not math.isfinite(value)]
        if not wrong and self.learner.is_finite:
            return
        self.learner.averaged.load_state_dict(before)
        self.folder.write_network(LAST, self.network_bytes())
        raise CommandError(
            f"update {self.updates + 1} led to what is no finite number ({', '.join(wrong) or 'a weight'}), "
            f"so the training has ended; {self.folder.path / LAST} is the network before it"
        )

    def _play(self, number: int) -> Clock:
        """Plays the games of a worker on; nothing random but its games and its player outlives the call."""
        worker = self.workers[number]
        generator = np.random.default_rng((self.config.seed, self.updates, number))
        opponents, players = self._opponents(worker, generator)
        clock = Clock()
        expert = self._expert(worker, generator)
        collect(
            worker.games,
            worker.player,
            worker.rollout,
            players,
            opponents,
            clock,
            expert,
            self.kind,
            self.config.rules,
        )
        return clock

    @property
    def _has_expert(self) -> bool:
        return self.decisions < self.config.expert_decisions

    def _expert(self, worker: _Worker, generator: np.random.Generator) -> Expert | None:
        config = self.config
        if not self._has_expert:
            return None
        spec = config.expert.replace(_SELF, f"net={self.folder.path / LAST}")
        (bot,) = worker.experts.seat([spec], [int(generator.integers(2**31))], self.kind.name)
        return Expert(_Patient(bot, spec), config.expert_follow, generator)

    def _opponents(self, worker: _Worker, generator: np.random.Generator) -> tuple[list[Bot], np.ndarray]:
        """Who the network meets until the next update, and who plays each team of each game."""
        config, games = self.config, worker.games.num_games
        seeds = [int(generator.integers(2**31)) for _ in config.opponents]
        seated = worker.opponents.seat(list(config.opponents), seeds, self.kind.name)
        bots: list[Bot] = [_Patient(*each) for each in zip(seated, config.opponents, strict=True)]
        players = no_opponents(games)
        alone = len(config.teams) == 1
        teams = [1 - config.teams[0]] if alone else [0, 1]
        against_bots = games if alone else round(games * config.opponents_share) if bots else 0
        for game in range(against_bots):
            players[game, teams[game % len(teams)]] = game // len(teams) % len(bots)
        past = self.folder.past(self.updates)[-_PAST_SHOWN:]
        if past and config.past_share > 0:
            chosen = past[int(generator.integers(len(past)))]
            bots.append(NetBot(NetParameters(str(chosen), 1.0), int(generator.integers(2**31))))
            for game in range(games - round(games * config.past_share), games):
                players[game] = LEARNER
                players[game, teams[game % len(teams)]] = len(bots) - 1
        return bots, players

    def _evaluate(self) -> dict[str, Any]:
        """Plays the averaged network, choosing the likeliest actions, against the anchors."""
        network = self.learner.averaged
        bot = NetBot(NetParameters("averaged"), 0, Inference(network.to("cpu").eval()))
        games = self.config.evaluate_games
        seeds = np.random.default_rng((self.config.seed, 1, self.updates)).integers(2**62, size=games)
        seeds = seeds.astype(np.uint64)
        scores: dict[str, dict[str, float]] = {}
        for anchor in self.config.anchors:
            row = {}
            for team in self.config.teams:
                (other,) = self._anchors.seat([anchor], [self.updates], self.kind.name)
                won, drawn, _ = count_results(bot, other, team, seeds, self.kind, self.config.rules)
                row[self.kind.teams[team].name] = (won + 0.5 * drawn) / games
            scores[anchor] = row
        network.to(self.device)
        last = list(scores[self.config.anchors[-1]].values())
        total = games * len(last)
        share = (sum(last) * games + 0.5) / (total + 1)
        self.elo = round(elo_of(share), 1)
        means = [sum(row.values()) / len(row) for row in reversed(scores.values())]
        merit = sum(mean / 100**place for place, mean in enumerate(means))
        if merit >= self.best:
            self.best = merit
            self.folder.write_network(BEST, self.network_bytes())
        return {
            "kind": "evaluation",
            "update": self.updates,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "games": games,
            "scores": scores,
            "elo": self.elo,
        }

    def _tensors(self) -> dict[str, torch.Tensor]:
        tensors = {f"network.{name}": value for name, value in self.learner.network.state_dict().items()}
        tensors |= {f"averaged.{name}": value for name, value in self.learner.averaged.state_dict().items()}
        for number, state in self.learner.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": value for name, value in state.items()}
        tensors["learner"] = self.learner.generator.get_state()
        for number, worker in enumerate(self.workers):
            tensors[f"worker{number}.player"] = worker.player.generator.get_state()
            for name, value in worker.games.snapshot().items():
                tensors[f"worker{number}.{name}"] = torch.from_numpy(value)
        return {name: value.detach().cpu().contiguous() for name, value in tensors.items()}

    def _resume(self, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        """Goes on from a checkpoint."""
        parts: dict[str, dict[str, torch.Tensor]] = {}
        for name, value in tensors.items():
            part, _, rest = name.partition(".")
            parts.setdefault(part, {})[rest] = value
        try:
            self.learner.network.load_state_dict(parts["network"])
            self.learner.averaged.load_state_dict(parts["averaged"])
            described = self.learner.optimizer.state_dict()
            described["state"] = {}
            for name, value in parts.get("optimizer", {}).items():
                number, _, rest = name.partition(".")
                described["state"].setdefault(int(number), {})[rest] = value
            self.learner.optimizer.load_state_dict(described)
            self.learner.generator.set_state(parts["learner"][""])
            for number, worker in enumerate(self.workers):
                found_parts = parts[f"worker{number}"]
                worker.player.generator.set_state(found_parts.pop("player"))
                worker.games.restore({name: value.numpy() for name, value in found_parts.items()})
            self.updates, self.decisions = int(facts["updates"]), int(facts["decisions"])
            self.seconds, self.best = float(facts["seconds"]), float(facts["best"])
            self.elo = facts["elo"]
        except (KeyError, ValueError, RuntimeError, TypeError) as error:
            why = str(error).splitlines()[0]
            raise CommandError(f"the checkpoint of {self.folder.path} does not fit its run: {why}") from None
        self.problems = list(facts["problems"])


def _seeds(config: TrainConfig) -> list[int]:
    """Of the first weights, the learner, and the games and the player of each worker."""
    sequence = np.random.SeedSequence(config.seed)
    return sequence.generate_state(2 + 2 * config.ppo.workers, np.uint32).tolist()


def first_network(config: TrainConfig, new: bool) -> PlayingNetwork:
    """The network that a run begins with, after all that its configuration names was found to fit.

    Args:
        config: of the run.
        new: whether there is no checkpoint; only then what it starts from is read.

    Raises:
        CommandError: the game has no such network, or the one to start from does not fit.
        BotError: the network to start from cannot be made.
    """
    kind = config.kind
    kind.kernels.prepare()
    ensure_agents()
    torch.manual_seed(_seeds(config)[0])
    try:
        network = make_network(config.network, kind)
    except ValueError as error:
        raise CommandError(str(error)) from None
    if config.start and new:
        found = load_network(find_network(config.start))
        if found.kind is not kind:
            raise CommandError(f"{config.start} is a network for {found.kind.title}")
        if found.config != config.network:
            raise CommandError(f"{config.start} is a network of another size: {found.config}")
        network.load_state_dict(found.network.state_dict())
    return network


def identities_of(config: TrainConfig, isolation: Isolation) -> dict[str, str]:
    """What each bot is that a configuration names, by spec, and the package of a game that is not ours.

    Raises:
        BotError: one cannot be made.
    """
    found = {} if config.game == DEFAULT_GAME else {f"game {config.game}": game_identity(config.game)}
    learned = config.expert if _SELF in config.expert else ""
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
    path: Path, config: TrainConfig | None, device: torch.device, isolation: Isolation | None = None
) -> Training:
    """A run to train on with: a new one, or the one of the folder.

    Args:
        path: of its folder.
        config: of a new run; None for the one that the folder holds.
        device: where the network computes.
        isolation: which bots have processes of their own.

    Raises:
        CommandError: the folder is of a run with another configuration, is of none, or is in use; or a bot is
            not what it was when the run began.
        BotError: a bot or network that the configuration names cannot be made.
        OSError: the folder cannot be written.
    """
    found = read_config(path)
    if found is not None:
        config = _known_config(path, found, config)
    if config is None:
        raise CommandError(f"there is no training run in {path}")
    isolation = isolation or Isolation()
    config.kind.kernels.prepare()
    identities = identities_of(config, isolation)
    network = first_network(config, new=not has_checkpoint(path))
    folder = RunFolder(path, config.kind)
    try:
        folder.check_identities(identities)
        training = Training(folder, config, network, device, isolation)
        if found is None:
            folder.write_config(config.to_dict())
        return training
    except BaseException:
        folder.close()
        raise


def _known_config(path: Path, found: Mapping[str, Any], config: TrainConfig | None) -> TrainConfig:
    """The configuration that a folder holds, which must be the one asked for, if one was."""
    try:
        known = TrainConfig.from_dict(found)
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from None
    if config is not None and config != known:
        names = [key for key, value in config.to_dict().items() if known.to_dict()[key] != value]
        raise CommandError(
            f"{path} holds a run with another {', '.join(names)}; resume it with --resume, "
            "or start in another folder"
        )
    return known
