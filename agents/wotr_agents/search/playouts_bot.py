"""The playouts bot: a network proposes actions, and playouts by the same network evaluate them."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import time
from collections.abc import Sequence

import numpy as np

from wotr_agents.belief.model import belief_of, hands_of, open_belief
from wotr_agents.belief.worlds import draw_worlds
from wotr_agents.networks.bot import NetBot, NetParameters, game_of_network
from wotr_agents.networks.inference import Inference, weights_in_kernels
from wotr_agents.networks.mlp import MlpWeights, new_accumulators
from wotr_agents.networks.opening import open_network
from wotr_agents.ranges import check_above, check_at_least
from wotr_agents.search.games import SearchGame, can_search, search_game
from wotr_agents.search.lines import Line, draw_lines
from wotr_agents.search.playouts import new_tables
from wotr_env.compiler.vectors import FEW
from wotr_env.core.batches import Threads
from wotr_env.play.bots import BotError, BotView
from wotr_env.play.games import DEFAULT_GAME

_LAST_TURN = 10_000
"""A turn that no game reaches."""
_WORLDS = 64
"""Maximal number of worlds sampled for a decision; further playouts reuse them with other dice."""
_MOST_PLANNED = 4096
"""Maximal number of remembered choices; the oldest are dropped."""
_AT_ONCE = 16
"""Number of playouts of a line between checks of the clock."""


@dataclasses.dataclass(frozen=True)
class PlayoutsParameters:
    """Parameters of the playouts bot."""

    net: str
    """Network: a file, a folder of ``wotr train`` (its best network is used), or ``zoo/NAME``."""
    playouts: int = 256
    """Playouts per decision, shared by all actions; with a time limit, the maximum."""
    time: float = 0.0
    """Time limit in seconds per decision; 0 means no limit. With a limit, play depends on the machine's
    speed."""
    actions: int = 6
    """Number of actions to compare: the most likely ones by the network."""
    lines: int = 0
    """If positive, this number of lines is compared instead of actions. A line is everything that is done
    with one action die (or another main decision of the game) until new information is seen. Lines are drawn
    with the network's probabilities. 0 compares single actions."""
    width: float = 4.0
    """Temperature of the network's policy for drawing lines and for comparing their probabilities."""
    turns: int = 0
    """Number of turns that a playout goes on after the current turn; then the network evaluates the position.
    0 plays to the end of the game."""
    temperature: float = 0.0
    """Temperature of the network's policy in playouts. 0 plays the most likely action, as ``net`` does."""
    prior: float = 0.01
    """Prior: how much higher the winning chance of an action is expected to be if it is e times as likely."""
    spread: float = 0.04
    """Standard deviation of the actions' winning chances around the prior."""
    every: bool = False
    """Whether to use playouts for every decision. By default only for main decisions, such as the choice of
    an action die."""
    threads: int = 1
    """Number of threads that play the playouts of a decision. They change only the speed."""

    def __post_init__(self) -> None:
        if not self.net:
            raise ValueError("give the file of a network, such as playouts:zoo/NAME")
        check_at_least(1, self, "playouts", "actions", "threads")
        check_at_least(0, self, "time", "lines", "turns", "temperature", "prior")
        check_above(0, self, "spread", "width")


@dataclasses.dataclass(frozen=True)
class BelievingPlayoutsParameters(PlayoutsParameters):
    """Parameters of the playouts bot in games that support beliefs."""

    belief: str = ""
    """Belief about the other side's hand from which worlds are drawn, such as ``zoo/wide``. By default all
    worlds are equally likely."""


class Playouts:
    """Plays games to their ends, or to a turn, with a network.

    Args:
        network: weights for kernels.
        temperature: temperature of the logits; 0 for the most likely actions.
        threads: number of threads.
        game: the game; None: the default game.
    """

    def __init__(
        self,
        network: MlpWeights,
        temperature: float = 0.0,
        threads: int = 1,
        game: SearchGame | None = None,
    ) -> None:
        self._network = network
        self._temperature = float(temperature)
        self._game = game or search_game(DEFAULT_GAME)
        self._room = [
            (
                new_accumulators(network, FEW * self._game.seats, FEW),
                self._game.new_scratch(),
                new_tables(self._game.kind),
            )
            for _ in range(threads)
        ]
        self._pool = Threads(threads) if threads > 1 else None

    def play(
        self, states: np.ndarray, lines: np.ndarray, seeds: np.ndarray, last_turn: int, team: int = 0
    ) -> np.ndarray:
        """The results of playouts: ``float64[P]``, winning chances of a team; see ``playouts.play_out``."""
        states = np.ascontiguousarray(states)
        lines = np.ascontiguousarray(lines, dtype=np.int64)
        seeds = np.ascontiguousarray(seeds, dtype=np.int64)
        ends = np.zeros(len(seeds))

        def play(number: int) -> None:
            own = slice(len(seeds) * number // len(self._room), len(seeds) * (number + 1) // len(self._room))
            self._game.call["play_out"](
                self._network,
                *self._room[number],
                states[own],
                lines[own],
                seeds[own],
                ends[own],
                self._temperature,
                int(last_turn),
                int(team),
            )

        if self._pool is None:
            play(0)
        else:
            list(self._pool.map(play, range(len(self._room))))
        return ends


class _LineEstimates:
    """Estimates for the lines of one decision.

    The prior of a line's winning chance follows the network's policy (``prior``), with standard deviation
    ``spread``; playouts update it (the estimate is the mean of the normal posterior).

    Args:
        parameters: see ``PlayoutsParameters``.
        lines: the A lines.
    """

    def __init__(self, parameters: PlayoutsParameters, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.actions = np.full((len(lines), max(len(line.actions) for line in lines)), -1)
        for row, line in zip(self.actions, lines, strict=True):
            row[: len(line.actions)] = line.actions
        self.counts = np.zeros(len(lines))
        self._sums = np.zeros(len(lines))
        expected = np.array([line.log_probability for line in lines])
        self._expected = parameters.prior * (expected - expected.mean())
        self._spread = parameters.spread

    def add(self, places: np.ndarray, ends: np.ndarray) -> None:
        """Adds playouts of some lines: ``float64[len(places), N]``, winning chances of the bot's side."""
        self.counts[places] += ends.shape[1]
        self._sums[places] += ends.sum(axis=1)

    @property
    def means(self) -> np.ndarray:
        """The mean results of playouts: ``float64[A]``."""
        return self._sums / np.maximum(1, self.counts)

    def worth(self) -> np.ndarray:
        """The estimated winning chances of the lines: ``float64[A]``."""
        overall = (self._sums.sum() + 1) / (self.counts.sum() + 2)
        weights = self.counts * self._spread**2 / (overall * (1 - overall))
        center = np.average(self.means - self._expected, weights=np.maximum(weights, 1e-9))
        return (center + self._expected + weights * self.means) / (1 + weights)

    @property
    def best(self) -> Line:
        """The line with the highest estimate."""
        return self.lines[int(self.worth().argmax())]


class PlayoutsBot:
    """Compares lines by playouts where a line of its choices begins, and plays the best line; otherwise plays
    like the bot ``net``.

    Playouts start with all candidate lines (or single actions), then continue with the better half, and so on
    (sequential halving; Z. Karnin, T. Koren and O. Somekh, "Almost optimal exploration in multi-armed
    bandits", 2013). All candidates use the same worlds and dice. The bot continues the best line as long as
    its observations match the expected ones.

    Args:
        parameters: see ``PlayoutsParameters``.
        seed: seed of worlds and playouts; without a time limit the same seed and views give the same actions.
        network: network to use instead of the file in the parameters.
        game: name of the game of ``network``.

    Attributes:
        simulations: number of playouts so far.

    Raises:
        BotError: searches do not support the game, the network or the belief cannot be read, or kernels
            cannot evaluate the network.
    """

    def __init__(
        self,
        parameters: PlayoutsParameters,
        seed: int,
        network: Inference | None = None,
        game: str = DEFAULT_GAME,
    ) -> None:
        self._game = search_game(game if network else game_of_network(parameters.net))
        self._kind = self._game.kind
        network = network or open_network(parameters.net)
        weights = weights_in_kernels(network, self._kind)
        if weights is None:
            raise BotError(f"playouts need a network of the kind mlp, of {self._kind.title}")
        self.parameters = parameters
        self.simulations = 0
        self._net = NetBot(NetParameters(parameters.net), 0, network, self._kind)
        self._playouts = Playouts(weights, parameters.temperature, parameters.threads, self._game)
        self._generator = np.random.default_rng(seed)
        self._belief = open_belief(belief_of(parameters), self._kind.name)
        self._planned: dict[bytes, int] = {}
        self._game.prepare()

    def act(self, view: BotView) -> np.ndarray:
        """The best action of each game: ``int64[B]``."""
        likely = self._net.log_probabilities(view)
        chosen = likely.argmax(axis=1).astype(np.int64)
        several = view.masks.sum(axis=1) > 1
        begins = several & self._line_begins(view)
        wanted = several & (self.parameters.every | begins)
        if self._planned:
            for row in np.flatnonzero(several & ~begins).tolist():
                action = self._planned.get(_digest(view.observations[row].tobytes()), -1)
                if action >= 0 and view.masks[row, action]:
                    chosen[row], wanted[row] = action, False
        for row, judged in self._judge(view, likely, wanted):
            line = judged.best
            chosen[row] = line.actions[0]
            self._plan(line)
        return chosen

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """For each game the evaluated actions with the winning chance of the bot's side, best first."""
        found: list[list[tuple[int, float]]] = [[] for _ in view.seats]
        every = np.ones(len(view.seats), dtype=np.bool_)
        for row, judged in self._judge(view, self._net.log_probabilities(view), every):
            best: dict[int, float] = {}
            worth = judged.worth()
            for place in np.argsort(-worth):
                best.setdefault(judged.lines[place].actions[0], float(worth[place]))
            found[row] = list(best.items())
        return found

    def _line_begins(self, view: BotView) -> np.ndarray:
        """Games in which a line of choices begins (``bool[B]``); this is the same in all worlds."""
        worlds = view.worlds_from(1, np.zeros(len(view.seats), dtype=np.int64))[:, 0]
        return np.array([self._kind.opens(world) for world in worlds], dtype=np.bool_)

    def _plan(self, line: Line) -> None:
        """Stores the rest of a line."""
        for seen, action in list(zip(line.seen, line.actions, strict=False))[1:]:
            self._planned.pop(_digest(seen), None)
            self._planned[_digest(seen)] = action
        for oldest in list(self._planned)[: max(0, len(self._planned) - _MOST_PLANNED)]:
            del self._planned[oldest]

    def _judge(
        self, view: BotView, likely: np.ndarray, wanted: np.ndarray
    ) -> list[tuple[int, _LineEstimates]]:
        """Evaluates the actions of selected games (``bool[B]``)."""
        rows = np.flatnonzero(wanted)
        if not rows.size:
            return []
        worlds = draw_worlds(view, _WORLDS, self._generator, self._belief)
        found = []
        for row in rows.tolist():
            judged = _LineEstimates(
                self.parameters, self._lines(view.masks[row], likely[row], worlds[row][:1])
            )
            self._play_out(judged, worlds[row])
            found.append((row, judged))
        return found

    def _lines(self, mask: np.ndarray, likely: np.ndarray, world: np.ndarray) -> list[Line]:
        """The candidate lines of a decision."""
        if self.parameters.lines and mask.sum() > 1:
            parameters = self.parameters
            policy = self._net.log_probabilities
            return draw_lines(self._kind, policy, world, parameters.lines, self._generator, parameters.width)
        actions = np.argsort(-likely, kind="stable")[: self.parameters.actions]
        return [Line((int(action),), (), float(likely[action])) for action in actions if mask[action]]

    def _play_out(self, judged: _LineEstimates, worlds: np.ndarray) -> None:
        parameters, team = self.parameters, self._game.team(worlds[0])
        begun = time.perf_counter()
        alive = np.arange(len(judged.lines))
        rounds = max(1, math.ceil(math.log2(len(alive))))
        last_turn = int(worlds[0]["turn"]) + parameters.turns if parameters.turns else _LAST_TURN
        left, made = parameters.playouts, 0
        for number in range(rounds):
            until = begun + parameters.time * (number + 1) / rounds
            share = max(1, left // (rounds - number) // len(alive))
            left -= share * len(alive)
            while share > 0:
                some = min(share, _AT_ONCE) if parameters.time else share
                seeds = self._generator.integers(0, 2**62, size=some)
                which = np.tile((made + np.arange(some)) % len(worlds), len(alive))
                ends = self._playouts.play(
                    worlds[which],
                    np.repeat(judged.actions[alive], some, axis=0),
                    np.tile(seeds, len(alive)),
                    last_turn,
                    team,
                ).reshape(len(alive), some)
                judged.add(alive, ends)
                made += some
                share -= some
                self.simulations += ends.size
                if parameters.time and time.perf_counter() >= until:
                    break
            alive = alive[np.argsort(-judged.worth()[alive], kind="stable")[: -(-len(alive) // 2)]]


def playouts_parameters(game: str) -> type | None:
    """The parameters of the bot in a game; None if searches do not support the game."""
    if not can_search(game):
        return None
    return PlayoutsParameters if hands_of(game) is None else BelievingPlayoutsParameters


def _digest(seen: bytes) -> bytes:
    """A digest of an observation."""
    return hashlib.blake2b(seen, digest_size=16).digest()
