"""A worker of a training run: a part of the games, with the network's opponents."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from wotr_agents.networks.advice import size_with_advice
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.checkpoint import load_network
from wotr_agents.networks.critic import scale_of_others
from wotr_agents.networks.playing_network import PlayingNetwork
from wotr_env.core.protocols import Games
from wotr_env.cuda.machines import Machine
from wotr_env.play.bots import Bot, BotError, BotView
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, Isolation, ask
from wotr_experiments.training.advised_game import AdvisedGame
from wotr_experiments.training.config import TrainConfig
from wotr_experiments.training.rollouts import (
    LEARNER,
    Expert,
    PhaseTimer,
    Player,
    Rollout,
    collect,
    no_opponents,
)
from wotr_experiments.training.tensors import DeviceGames, Opponent, on_device

SELF = "net=self"
"""A text in the spec of an expert that stands for the network after the last ``checkpoint_every`` updates."""


@dataclasses.dataclass(frozen=True)
class RunProgress:
    """The progress of a run, for its workers."""

    updates: int
    expert: bool
    """Whether the network learns from the expert."""
    past: tuple[Path, ...]
    """The past networks from which opponents are drawn."""
    expert_network: Path
    """The network of the expert ``net=self``."""


class Worker:
    """A part of the games of a run. The result does not depend on the machine or process that plays them.

    Args:
        config: the configuration of the run.
        number: the number of the worker, from 0.
        network: the learning network.
        device: the device of the network.
        rollout: the rollout to fill.
        isolation: the settings for bots in separate processes.
        machine: a GPU that plays the games, if ``why_on_cpu`` returns an empty text; by default the CPU
            plays.
    """

    def __init__(
        self,
        config: TrainConfig,
        number: int,
        network: PlayingNetwork,
        device: torch.device,
        rollout: Rollout,
        isolation: Isolation,
        machine: Machine | None = None,
    ) -> None:
        self.config, self.number, self.rollout = config, number, rollout
        games_seed, player_seed = seeds_of(config)[2 + 2 * number :][:2]
        self.games = _games(config, games_seed, machine)
        self.player = Player(network, device, player_seed)
        self.opponents, self.experts, self.anchors = (Bots(isolation) for _ in range(3))

    def close(self) -> None:
        """Stops the processes of its bots."""
        for bots in (self.opponents, self.experts, self.anchors):
            bots.close()

    def play(self, progress: RunProgress) -> PhaseTimer:
        """Continues the games and fills the rollout. Only the games and the player keep random state."""
        generator = np.random.default_rng((self.config.seed, progress.updates, self.number))
        opponents, players = self._opponents(progress, generator)
        clock = PhaseTimer(device=self.rollout.device)
        expert = self._expert(progress, generator)
        collect(
            self.games,
            self.player,
            self.rollout,
            players,
            opponents,
            clock,
            expert,
            self.config.kind,
            self.config.rules,
        )
        return clock

    def state(self) -> dict[str, torch.Tensor]:
        """The complete state of the worker."""
        games = {name: torch.from_numpy(value) for name, value in self.games.snapshot().items()}
        return {"player": self.player.generator.get_state()} | games

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Continues from a result of ``state`` or of ``redistribute_states``. If it has no ``player``, the
        random generator of the player is not restored.

        Raises:
            KeyError, ValueError: the state is of other games.
        """
        if "player" in state:
            self.player.generator.set_state(state["player"])
        self.games.restore({name: value.numpy() for name, value in state.items() if name != "player"})

    def _expert(self, progress: RunProgress, generator: np.random.Generator) -> Expert | None:
        config = self.config
        if not progress.expert:
            return None
        spec = config.expert.replace(SELF, f"net={progress.expert_network}")
        (bot,) = self.experts.seat([spec], [int(generator.integers(2**31))], config.game)
        return Expert(_RetryingBot(bot, spec), config.expert_follow, generator)

    def _opponents(
        self, progress: RunProgress, generator: np.random.Generator
    ) -> tuple[list[Opponent], np.ndarray]:
        """The opponents of the network until the next update, and the player of each team in each game."""
        config, games = self.config, self.games.num_games
        seeds = [int(generator.integers(2**31)) for _ in config.opponents]
        seated = self.opponents.seat(list(config.opponents), seeds, config.game)
        bots: list[Opponent] = [_RetryingBot(*each) for each in zip(seated, config.opponents, strict=True)]
        teams = len(config.kind.teams_of(config.rules))
        players, alone = no_opponents(games, teams), len(config.teams) == 1
        others = [team for team in range(teams) if team not in config.teams]
        played = [others] if alone else [[team] for team in range(teams)]
        against_bots = games if alone else round(games * config.opponents_share) if bots else 0
        for game in range(against_bots):
            players[game, played[game % len(played)]] = game // len(played) % len(bots)
        if progress.past and config.past_share > 0:
            chosen = progress.past[int(generator.integers(len(progress.past)))]
            bots.append(self._past(chosen, int(generator.integers(2**31))))
            for game in range(games - round(games * config.past_share), games):
                players[game] = LEARNER
                players[game, played[game % len(played)]] = len(bots) - 1
        return bots, players

    def _past(self, path: Path, seed: int) -> Opponent:
        """A past network that samples its actions, on the device of the games."""
        if not on_device(self.games):
            return NetBot(NetParameters(str(path), 1.0), seed)
        device = self.player.device
        return Player(load_network(path).network.to(device), device, seed)


class _RetryingBot:
    """A bot that is asked a second time when it fails.

    Args:
        bot: a bot from ``Bots.seat``.
        spec: the spec of the bot.
    """

    def __init__(self, bot: Bot, spec: str) -> None:
        self.bot, self.spec = bot, spec

    def act(self, view: BotView) -> np.ndarray:
        """Like ``Bot.act``; raises CommandError if the bot fails twice."""
        with contextlib.suppress(BotError):
            return ask(self.bot, view, self.spec)
        try:
            return ask(self.bot, view, self.spec)
        except BotError as error:
            raise CommandError(f"{error}; --resume continues from the last checkpoint") from None


def redistribute_states(
    states: Sequence[Mapping[str, torch.Tensor]], workers: int
) -> Sequence[Mapping[str, torch.Tensor]]:
    """Divides the states of workers among another number of workers, which continue the same games.

    Args:
        states: the states of all earlier workers, in order.
        workers: the present number of workers, a divisor of the number of games.

    Returns:
        ``states`` if the number is the same; otherwise new states. The states of additional workers have no
            ``player``.
    """
    if workers == len(states):
        return states
    names = [name for name in states[0] if name != "player"]
    games = {name: torch.cat([state[name] for state in states]) for name in names}
    parts = {name: values.chunk(workers) for name, values in games.items()}
    return [
        {name: values[number] for name, values in parts.items()}
        | ({"player": states[number]["player"]} if number < len(states) else {})
        for number in range(workers)
    ]


def why_on_cpu(config: TrainConfig) -> str:
    """The reason why no GPU can play the games of a run; empty if a GPU can."""
    if config.kind.device_games is None:
        return f"no GPU plays {config.kind.title}"
    if config.ppo.critic:
        return "the critic sees all hands"
    if config.network.advice:
        return "the network takes the scripted policy's advice"
    if config.opponents:
        return f"bots play in these games: {', '.join(dict.fromkeys(config.opponents))}"
    if config.expert:
        return f"the expert is a bot: {config.expert}"
    return ""


def _games(config: TrainConfig, seed: int, machine: Machine | None) -> Games | DeviceGames:
    """The games of a worker."""
    number = config.ppo.games // config.ppo.workers
    if machine is not None and config.kind.device_games is not None:
        return config.kind.device_games(number, seed, config.rules, machine)
    games = config.kind.games(number, seed, config.rules)
    return AdvisedGame(games, config.kind) if config.network.advice else games


def empty_rollout(config: TrainConfig, workers: int, device: torch.device | str = "cpu") -> Rollout:
    """New memory for the decisions of some workers between two updates, on the device of their games."""
    kind, ppo = config.kind, config.ppo
    inputs = size_with_advice(kind) if config.network.advice else kind.layout.size
    games = ppo.games // ppo.workers * workers
    others = len(scale_of_others(kind, len(config.rules.seats))) if ppo.critic else 0
    return Rollout.empty(ppo.steps, games, inputs, kind.actions.size, len(kind.ends), others, device)


def seeds_of(config: TrainConfig) -> list[int]:
    """The seeds of the first weights, of the learner, and of the games and the player of each worker."""
    sequence = np.random.SeedSequence(config.seed)
    return sequence.generate_state(2 + 2 * config.ppo.workers, np.uint32).tolist()
