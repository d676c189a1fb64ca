"""Improves the policy of a network with playouts.

``python -m wotr_experiments.training.distillation NETWORK OUT``:

1. The network plays games against itself. At some of the main decisions, such as the choice of an action die,
   playouts by the network estimate the winning chance after each of its most likely actions. The playouts of
   all actions of a decision use the same worlds and the same dice.
2. A copy of the network learns from these estimates. For each decision, the loss is the negative mean
   estimate under the policy plus ``temperature`` times the KL divergence from the policy of the network. Its
   minimum is the policy of the network times exp(estimate / temperature), one step of magnetic mirror descent
   (S. Sokota et al., 2023). The loss is linear in the estimates, so noise in them does not bias it. Decisions
   without playouts, and the value of each decision, only pull towards the network.

A tenth of the games is not learned from; there, the playouts measure how much better the new policy is. The
estimates are stored in OUT as they are made: a stopped run continues, and further runs with other settings of
the learner reuse them.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
import tqdm
import typer

from wotr_agents.identity import identity
from wotr_agents.networks.advice import with_advice
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.checkpoint import load_network, network_bytes
from wotr_agents.networks.files import find_network, read_network
from wotr_agents.networks.inference import weights_in_kernels
from wotr_agents.networks.opening import open_network
from wotr_agents.networks.playing_network import PlayingNetwork, legal_log_probabilities
from wotr_agents.networks.weight_files import SUFFIX
from wotr_agents.search.games import search_game
from wotr_agents.search.playouts_bot import Playouts
from wotr_env.core.kind import GameKind
from wotr_env.core.states import copy_states
from wotr_env.core.values import read_text
from wotr_env.play.bots import BotError, view_of
from wotr_experiments.arena.engines import cores
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.arena.playouts import new_games, play_to_end, sampled_worlds
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_bytes, write_json

SETTINGS = "settings.json"
NETWORK = "network" + SUFFIX
_SHARD = "estimates-{:05d}.npz"
_GAMES = 64
"""Number of games of a shard, all played to their ends."""
_HELD_OUT = 10
"""One of so many shards is not learned from."""
_NO_ACTION = -1
_CHECKED = 512
"""Number of decisions in a batch of the measurement."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of the estimates."""

    network: str
    ruleset: str
    playouts: int
    actions: int
    turns: int
    share: float
    others: int
    seed: int


class Estimates(NamedTuple):
    """P main decisions with the estimates of K actions, then Q decisions without estimates."""

    states: np.ndarray
    """``kind.state[P + Q]``"""
    masks: np.ndarray
    """``bool[P + Q, A]``: the legal actions."""
    actions: np.ndarray
    """``int64[P, K]``: the most likely actions; -1 if there are fewer."""
    chances: np.ndarray
    """``float32[P, K]``: for each action the mean winning chance of the deciding team in the playouts."""


class Improvement(NamedTuple):
    """How much better a new policy is than the policy of the network, by playouts."""

    likeliest: float
    """The mean gain in winning chance by a decision if the likeliest action is played."""
    likeliest_error: float
    """The standard error of ``likeliest``."""
    policy: float
    """The mean gain in winning chance by a decision if actions are drawn from the policy."""
    policy_error: float
    """The standard error of ``policy``."""
    same: float
    """The share of decisions with the same likeliest action."""


class Estimator:
    """Makes estimates by playouts of a network.

    Args:
        settings: the settings.
        workers: number of threads; they change only the speed.

    Raises:
        BotError: the network cannot be read, or kernels do not support it.
        ValueError: the game does not have the ruleset.
    """

    def __init__(self, settings: Settings, workers: int) -> None:
        inference = open_network(settings.network)
        self.settings, self.kind = settings, read_network(settings.network).kind
        self.rules = self.kind.limited(self.kind.find_ruleset(settings.ruleset), LONGEST)
        weights = weights_in_kernels(inference, self.kind)
        if weights is None:
            raise BotError(f"{settings.network}: playouts need a network of the kind mlp")
        self._inference = inference
        self._net = NetBot(NetParameters(settings.network), 0, inference, self.kind)
        self._game = search_game(self.kind.name)
        self._game.prepare()
        self._playouts = [Playouts(weights, game=self._game) for _ in range(workers)]
        self._pool = ThreadPoolExecutor(workers)

    def estimates(self, shard: int) -> Estimates:
        """Plays the games of a shard and estimates the winning chances; the same for the same number."""
        settings, kind = self.settings, self.kind
        generator = np.random.default_rng([settings.seed, shard])
        found: list[tuple[np.ndarray, np.ndarray]] = []
        others: list[tuple[np.ndarray, np.ndarray]] = []
        parameters = NetParameters(settings.network, temperature=1.0)
        drawing = NetBot(parameters, int(generator.integers(2**31)), self._inference, kind)

        def look(_games: np.ndarray, states: np.ndarray, masks: np.ndarray) -> None:
            """Selects some of the main decisions, and some others."""
            several = masks.sum(axis=1) > 1
            drawn = generator.random(len(states))
            for row in np.flatnonzero(several & (drawn < settings.share)).tolist():
                target = found if kind.opens(states[row]) else others
                target.append((copy_states(states, np.array([row])), masks[row].copy()))

        play_to_end(kind, drawing, new_games(kind, _GAMES, self.rules, generator), look)
        wanted = len(found) * settings.others
        if len(others) > wanted:
            others = [others[place] for place in generator.permutation(len(others))[:wanted]]
        states = [state for state, _ in found + others]
        masks = np.array([mask for _, mask in found + others]).reshape(-1, kind.actions.size)
        actions = np.full((len(found), settings.actions), _NO_ACTION)
        chances = np.zeros(actions.shape, dtype=np.float32)

        def estimate(worker: int) -> None:
            for place in range(worker, len(found), len(self._playouts)):
                tried, means = self._estimate(*found[place], (shard << 32) + place, self._playouts[worker])
                actions[place, : len(tried)], chances[place, : len(tried)] = tried, means

        list(self._pool.map(estimate, range(len(self._playouts))))
        return Estimates(np.concatenate([np.zeros(0, kind.state), *states]), masks, actions, chances)

    def _estimate(
        self, state: np.ndarray, mask: np.ndarray, number: int, playouts: Playouts
    ) -> tuple[np.ndarray, np.ndarray]:
        """The most likely actions of a decision (``int64[C]``), and the means of their playouts."""
        settings = self.settings
        likely = self._net.log_probabilities(view_of(state, mask[None], self.kind))[0]
        actions = np.argsort(-likely, kind="stable")[: min(settings.actions, int(mask.sum()))]
        (worlds,) = sampled_worlds(self.kind, state, settings.playouts, settings.seed + number)
        dice = np.random.default_rng([settings.seed, number]).integers(0, 2**62, size=settings.playouts)
        ends = playouts.play(
            np.tile(worlds, len(actions)),
            np.repeat(actions, settings.playouts)[:, None],
            np.tile(dice, len(actions)),
            int(state["turn"][0]) + settings.turns if settings.turns else LONGEST,
            self._game.team(worlds[0]),
        )
        return actions, ends.reshape(len(actions), -1).mean(axis=1)


def write_estimates(path: Path, estimates: Estimates) -> None:
    """Stores estimates; a stopped command leaves no partial file."""
    contents = io.BytesIO()
    np.savez_compressed(
        contents,
        states=estimates.states,
        masks=np.packbits(estimates.masks, axis=1),
        legal=np.array(estimates.masks.shape[1]),
        actions=estimates.actions,
        chances=estimates.chances,
    )
    write_bytes(path, contents.getvalue())


def read_estimates(path: Path) -> Estimates:
    """Reads what ``write_estimates`` wrote.

    Raises:
        OSError, ValueError: the file cannot be read.
    """
    with np.load(path) as found:
        masks = np.unpackbits(found["masks"], axis=1, count=int(found["legal"])).astype(np.bool_)
        return Estimates(found["states"], masks, found["actions"], found["chances"])


class Dataset:
    """The decisions of some estimates, as inputs of a network.

    Args:
        kind: the game.
        advice: whether the network uses advice.
        estimates: the estimates, at least one.
    """

    def __init__(self, kind: GameKind, advice: bool, estimates: Sequence[Estimates]) -> None:
        self._kind, self._advice = kind, advice

        def in_order(values: str) -> np.ndarray:
            """The decisions with estimates first."""
            parts = [(getattr(each, values), len(each.actions)) for each in estimates]
            return np.concatenate([part[:end] for part, end in parts] + [part[end:] for part, end in parts])

        self._states, self._masks = in_order("states"), in_order("masks")
        self.actions = np.concatenate([each.actions for each in estimates])
        self.chances = np.concatenate([each.chances for each in estimates])

    def __len__(self) -> int:
        return len(self._states)

    @property
    def judged(self) -> int:
        """P: the number of decisions with estimates; they come first."""
        return len(self.actions)

    def inputs(self, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """The inputs of some decisions, ``int8[B, I]``, and their legal actions, ``bool[B, A]``."""
        states, masks = copy_states(self._states, rows), self._masks[rows]
        inputs = np.ascontiguousarray(view_of(states, masks, self._kind).observations)
        if self._advice:
            inputs = with_advice(inputs, states, masks, self._kind)
        return torch.from_numpy(inputs), torch.from_numpy(masks)

    def gains(self, rows: np.ndarray, probabilities: torch.Tensor) -> torch.Tensor:
        """The estimates of all actions of some decisions minus the mean under a policy: ``float32[B, A]``.

        Actions without playouts count as the worst of the others. A decision without estimates has zeros.
        """
        gains = torch.zeros_like(probabilities)
        here = np.flatnonzero(rows < self.judged)
        if not here.size:
            return gains
        places, which = torch.from_numpy(here), rows[here]
        actions = torch.from_numpy(self.actions[which])
        known = actions >= 0
        chances = torch.from_numpy(self.chances[which])
        worst = chances.masked_fill(~known, math.inf).amin(dim=1, keepdim=True)
        absent = gains.shape[1]  # a column after those of the actions
        of_all = worst.expand(-1, absent + 1).clone()
        of_all = of_all.scatter_(1, torch.where(known, actions, absent), chances)[:, :absent]
        means = (probabilities[places] * of_all).sum(dim=1, keepdim=True)
        gains[places] = of_all - means
        return gains


def losses(
    network: PlayingNetwork,
    reference: PlayingNetwork,
    decisions: Dataset,
    rows: np.ndarray,
    temperature: float,
) -> torch.Tensor:
    """The mean loss of some decisions (``int64[B]``); see the module."""
    inputs, masks = decisions.inputs(rows)
    with torch.no_grad():
        logits, old_ends = reference(inputs)
        old = legal_log_probabilities(logits, masks)
        gains = decisions.gains(rows, old.exp())
    logits, ends = network(inputs)
    new = legal_log_probabilities(logits, masks)
    probabilities = new.exp()
    divergence = (probabilities * (new - old).masked_fill(~masks, 0.0)).sum(dim=1)
    missed = (old_ends.softmax(dim=1) * (old_ends.log_softmax(dim=1) - ends.log_softmax(dim=1))).sum(dim=1)
    return (-(probabilities * gains).sum(dim=1) + temperature * (divergence + missed)).mean()


@torch.no_grad()
def measure(network: PlayingNetwork, reference: PlayingNetwork, decisions: Dataset) -> Improvement:
    """How much better the policy of a network is than that of the reference, by the estimates."""
    likeliest, drawn, same = [], [], []
    for first in range(0, decisions.judged, _CHECKED):
        rows = np.arange(first, min(first + _CHECKED, decisions.judged))
        inputs, masks = decisions.inputs(rows)
        old, new = (legal_log_probabilities(each(inputs)[0], masks) for each in (reference, network))
        gains = decisions.gains(rows, old.exp())
        drawn.append((new.exp() * gains).sum(dim=1))
        before, after = old.argmax(dim=1, keepdim=True), new.argmax(dim=1, keepdim=True)
        likeliest.append((gains.gather(1, after) - gains.gather(1, before))[:, 0])
        same.append((before == after)[:, 0])
    by_choice, by_policy = torch.cat(likeliest).double(), torch.cat(drawn).double()
    root = math.sqrt(len(by_choice))
    return Improvement(
        float(by_choice.mean()),
        float(by_choice.std()) / root,
        float(by_policy.mean()),
        float(by_policy.std()) / root,
        float(torch.cat(same).double().mean()),
    )


def fit(
    network: PlayingNetwork,
    reference: PlayingNetwork,
    decisions: Dataset,
    *,
    temperature: float,
    epochs: int,
    batch: int,
    learning_rate: float,
    seed: int,
) -> Iterator[float]:
    """Trains a network, in place; yields the mean loss after each epoch.

    The learning rate falls linearly to 0.
    """
    generator = np.random.default_rng(seed)
    network.requires_grad_(True).train()
    optimizer = torch.optim.Adam(network.parameters(), lr=learning_rate)
    steps = max(1, len(decisions) // batch)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, epochs * steps)
    for _ in range(epochs):
        total = 0.0
        for rows in np.array_split(generator.permutation(len(decisions)), steps):
            loss = losses(network, reference, decisions, np.sort(rows), temperature)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        yield total / steps
    network.requires_grad_(False).eval()


def estimates_of(settings: Settings, out: Path, decisions: int, workers: int) -> list[Estimates]:
    """The stored estimates of a folder; makes more until there are enough.

    Raises:
        CommandError: the folder has estimates of other settings.
        BotError, OSError, ValueError: as in ``Estimator`` and ``read_estimates``.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / SETTINGS
    wanted = dataclasses.asdict(settings) | {"identity": identity(f"net:{settings.network}")}
    if path.exists():
        stored = json.loads(read_text(path))
        if not isinstance(stored, dict):
            raise CommandError(f"{path} does not contain settings")
        if other := [name for name, value in wanted.items() if stored.get(name) != value]:
            raise CommandError(f"{out} has estimates with another {other[0]}: {stored.get(other[0])}")
    else:
        write_json(path, wanted)
    found: list[Estimates] = []
    estimator: Estimator | None = None
    with tqdm.tqdm(total=decisions, desc="playouts", unit="decision", leave=False) as bar:
        while sum(len(each.actions) for each in found) < decisions or len(found) < 2:
            shard = out / _SHARD.format(len(found))
            if not shard.exists():
                estimator = estimator or Estimator(settings, workers)
                write_estimates(shard, estimator.estimates(len(found)))
            found.append(read_estimates(shard))
            bar.update(len(found[-1].actions))
    return found


def main(
    network: Annotated[str, typer.Argument(help="Network: a file, a folder of wotr train, or zoo/NAME.")],
    out: Annotated[Path, typer.Argument(help="Folder for the estimates and the new network.")],
    decisions: Annotated[int, typer.Option(min=1, help="Number of decisions with playouts.")] = 20_000,
    playouts: Annotated[int, typer.Option(min=1, help="Number of playouts of each action.")] = 12,
    actions: Annotated[int, typer.Option(min=2, help="Number of actions compared in a decision.")] = 6,
    turns: Annotated[
        int, typer.Option(min=0, help="Turns of a playout after the current turn; 0 plays to the end.")
    ] = 1,
    share: Annotated[
        float, typer.Option(min=1e-6, max=1, help="Share of the main decisions with playouts.")
    ] = 0.1,
    others: Annotated[
        int, typer.Option(min=0, help="Other decisions for each decision with playouts, which do not change.")
    ] = 3,
    ruleset: Annotated[str, typer.Option(help="Ruleset of the games.")] = "",
    temperature: Annotated[
        float, typer.Option(min=1e-6, help="Weight of the KL divergence from the network's policy.")
    ] = 0.02,
    epochs: Annotated[int, typer.Option(min=1, help="Number of passes over the decisions.")] = 4,
    batch: Annotated[int, typer.Option(min=1, help="Number of decisions in a batch.")] = 1024,
    learning_rate: Annotated[float, typer.Option(min=0, help="Learning rate at the start.")] = 2e-4,
    workers: Annotated[int, typer.Option(min=1, help="Number of threads for playouts.")] = cores(),
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of games and playouts.")] = 1,
) -> None:
    """Improve the policy of a network with playouts, and print how much better it is."""
    try:
        settings = Settings(network, ruleset, playouts, actions, turns, share, others, seed)
        found = estimates_of(settings, out, decisions, workers)
        loaded = load_network(find_network(network))
        reference, learner = loaded.network, load_network(find_network(network)).network
        learned = [each for place, each in enumerate(found) if place % _HELD_OUT != 0]
        held_out = Dataset(loaded.kind, loaded.config.advice, found[::_HELD_OUT])
        dataset = Dataset(loaded.kind, loaded.config.advice, learned)
        print(f"{dataset.judged:,} decisions to learn from, {held_out.judged:,} to measure")
        fitting: dict[str, Any] = {
            "temperature": temperature,
            "epochs": epochs,
            "batch": batch,
            "learning_rate": learning_rate,
        }
        for epoch, loss in enumerate(fit(learner, reference, dataset, seed=seed, **fitting), start=1):
            print(
                f"epoch {epoch}: loss {loss:.5f}, {_words(measure(learner, reference, held_out))}", flush=True
            )
        facts = {**loaded.facts, "distilled": dataclasses.asdict(settings) | fitting}
        data = network_bytes(learner.weights_to_play(), loaded.config, facts, kind=loaded.kind)
        write_bytes(out / NETWORK, data)
    except (BotError, CommandError, OSError, ValueError) as error:
        print(f"distillation: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    print(out / NETWORK)


def _words(found: Improvement) -> str:
    """An improvement in a line, in percentage points."""
    return (
        f"gain {100 * found.likeliest:+.2f} ± {196 * found.likeliest_error:.2f} for the likeliest action, "
        f"{found.same:.0%} the same; "
        f"{100 * found.policy:+.2f} ± {196 * found.policy_error:.2f} for the policy"
    )


if __name__ == "__main__":
    typer.run(main)
