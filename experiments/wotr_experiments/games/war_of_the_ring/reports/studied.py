"""A network studied by a report: its play, and its values of positions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from wotr_agents.compiled import ensure_searches
from wotr_agents.networks.advice import with_advice
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.opening import open_network
from wotr_agents.search.playouts_bot import Playouts
from wotr_env.core.states import bytes_of, copy_states
from wotr_env.games.war_of_the_ring.codes import Decision, Side, Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.play.bots import view_of
from wotr_experiments.arena.engines import cores
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.arena.playouts import Positions, playout_results, sampled_worlds

NET = "zoo/laptop"


class Network:
    """The network that plays the games, and its evaluations of choices.

    Args:
        name: a file, a folder, or ``zoo/NAME``.

    Raises:
        BotError: the network cannot be read.
    """

    def __init__(self, name: str) -> None:
        self._inference = open_network(name)
        self.bot = NetBot(NetParameters(name), 0, self._inference)

    @functools.cached_property
    def _playouts(self) -> Playouts | None:
        """Playouts in kernels; None if kernels do not support the network."""
        if self._inference.in_kernels is None:
            return None
        ensure_searches()
        return Playouts(self._inference.in_kernels, threads=cores())

    def likeliest(self, positions: Positions) -> list[list[int]]:
        """The legal actions of each position, the most likely first."""
        ordered = self.bot.explain(view_of(positions.states, positions.masks))
        return [[action for action, _ in each] for each in ordered]

    def values(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The winning chance of the Free Peoples: ``float64[N]``; finished games have their results."""
        inputs = observe(states, states["seat"].astype(np.int64))
        if self._inference.advice:
            inputs = with_advice(inputs, states, masks, WAR_OF_THE_RING)
        values = self._inference.logits_and_values(inputs)[1].astype(np.float64)
        ends = {Winner.FREE_PEOPLES: 1.0, Winner.SHADOW: 0.0, Winner.DRAW: 0.5}
        for winner, value in ends.items():
            values[states["winner"] == winner] = value
        return values

    def outcomes(
        self,
        positions: Positions,
        choices: Sequence[Sequence[int]],
        playouts: int,
        seed: int,
        on_done: Callable[[int], object],
    ) -> list[np.ndarray]:
        """The results of playouts after choices, as in ``playout_results``.

        If kernels support the network, playouts run in kernels, which is several times as fast. Playouts in
        kernels use the same worlds, but other dice, than playouts without kernels.
        """
        kind = WAR_OF_THE_RING
        if self._playouts is None:
            rules = kind.limited(kind.ruleset(), LONGEST)
            return playout_results(kind, self.bot, positions, choices, playouts, rules, seed, on_done)
        found = []
        for place, tried in enumerate(choices):
            number = seed + int(positions.games[place])
            (worlds,) = sampled_worlds(kind, positions.states[place : place + 1], playouts, number)
            dice = np.random.default_rng([number, 1]).integers(0, 2**62, size=playouts)
            ends = self._playouts.play(
                np.tile(worlds, len(tried)),
                np.repeat(tried, playouts)[:, None],
                np.tile(dice, len(tried)),
                LONGEST,
            ).reshape(len(tried), playouts)
            free_peoples = SEAT_SIDE[positions.states["seat"][place]] == Side.FREE_PEOPLES
            found.append(ends if free_peoples else 1 - ends)
            on_done(1)
        return found

    def play_to_next_die(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Plays games until the next choice of an action die or their ends; changes the arguments."""
        while True:
            asked = states["decision"] != Decision.ACTION_DIE
            rows = np.flatnonzero((states["winner"] == Winner.NONE) & asked)
            if not rows.size:
                return
            some, legal = copy_states(states, rows), masks[rows]
            WAR_OF_THE_RING.kernels.step(some, legal, self.bot.act(view_of(some, legal)))
            bytes_of(states)[rows], masks[rows] = bytes_of(some), legal
