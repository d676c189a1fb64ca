"""Scripted policies with weighted scores: the bot, compiled play and rollouts, made from a game's kernels.

A game provides ``score_legal_actions`` and ``value_of``. This module makes the bot ``scripted``, compiled
play and the ``Rollouts`` of searches.
"""

from __future__ import annotations

import dataclasses
import pkgutil
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from wotr_agents.ranges import check_within
from wotr_agents.rollouts import Rollouts
from wotr_agents.scored import ScoredBot
from wotr_agents.scores import NO_SCORE
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.templates import specialize
from wotr_env.compiler.types import Number, array_of, record_of, tuple_of
from wotr_env.core.chance import stream_word
from wotr_env.core.codes import GOING_ON

_WORD = 0xFFFFFFFF
_FLOATS = array_of(np.float64)


def _of_a_game(*_arguments):
    """Placeholder for a kernel of the game, which replaces it in a copy."""
    raise NotImplementedError


score_legal_actions = value_of = apply = run = _of_a_game


def choose(state, mask, scores, room, weights, noise, stream):
    """The action with the highest score, after noise from the stream is added to each score."""
    score_legal_actions(state, mask, scores, room, weights)
    best = -1
    best_score = 2.0 * NO_SCORE
    for action in range(mask.size):
        if mask[action]:
            word = stream_word(stream & _WORD, action, (stream >> 32) & _WORD)
            score = scores[action] + noise * word / _WORD
            if score > best_score:
                best = action
                best_score = score
    return best


def score_games(states, masks, scores, room, weights):
    """Scores the legal actions of each game; ``NO_SCORE`` for others."""
    for game in range(states.size):
        score_legal_actions(states[game], masks[game], scores[game], room, weights)
        for action in range(masks.shape[1]):
            if not masks[game, action]:
                scores[game, action] = NO_SCORE


def play_games(states, masks, table, scores, room, noise, streams, decisions):
    """Continues each game with the weights of its seats; returns the number of decisions made."""
    made = 0
    for game in range(states.size):
        state = states[game]
        for _ in range(decisions):
            if state.winner != GOING_ON:
                break
            own = table[int(state.seat)]
            action = choose(state, masks[game], scores, room, own, noise, streams[game])
            streams[game] += 1 << 32
            apply(state, action)
            run(state, masks[game])
            made += 1
    return made


def score_actions(scratch, scores):
    """Writes the policy's scores of the legal actions; scores of illegal actions are undefined."""
    score_legal_actions(scratch.states[0], scratch.mask, scores, scratch.tables.room, scratch.tables.weights)


def choose_action(scratch, noise, stream):
    """The action with the highest score, after noise from the stream is added to each score."""
    tables = scratch.tables
    return choose(scratch.states[0], scratch.mask, scratch.scores, tables.room, tables.weights, noise, stream)


def value_position(scratch):
    """The winning chance of the first team in an unfinished game."""
    return value_of(scratch.states[0], scratch.tables.room, scratch.tables.weights)


def value_for(scratch, team):
    """The winning chance of a team in an unfinished game."""
    return value_of(scratch.states[0], team, scratch.tables.room, scratch.tables.weights)


class Tables(NamedTuple):
    """The arrays of the policy."""

    room: np.ndarray
    """``float64[...]``"""
    weights: np.ndarray
    """``float64[W]``"""


@dataclasses.dataclass(frozen=True)
class WeightedParameters:
    """Parameters of the scripted bot in games other than War of the Ring."""

    noise: float = 0.1
    """Size of the uniform noise added to each score, so that ties are broken at random."""

    def __post_init__(self) -> None:
        check_within(0, 1000, self, "noise")


class WeightedPolicy:
    """The scripted policy of a game. Copying or unpickling it returns the same object.

    Args:
        place: the place of the policy, ``module:name``.
        kernels: the set of the policy's kernels, on top of the kernels of the rules. Entry points are made in
            it; this file and ``scored.py`` must be among its sources.
        state: the dtype of a state.
        weights: ``float64[W]``.
        room: size of the scratch array for scores, ``float64``.
        several: whether the game has more than two teams; then ``value_of`` takes a team.
        score_legal_actions: writes the score of every legal action, higher is better; the scores of illegal
            actions are undefined (state, mask, scores, room, weights).
        value_of: the winning chance of the first team in an unfinished game (state, room, weights); or of a
            team (state, team, room, weights).
        apply: the kernel of the rules for a legal action (state, action).
        run: the kernel of the rules that runs to the next decision (state, mask).
    """

    def __init__(
        self,
        place: str,
        kernels: KernelSet,
        state: np.dtype,
        weights: np.ndarray,
        room: int,
        *,
        several: bool = False,
        **meanings: Callable[..., Any],
    ) -> None:
        self._place = place
        self.kernels, self.weights = kernels, weights
        self._room = room
        self._several = several
        kernels.argument_types |= {
            "state": record_of(state),
            "states": array_of(state),
            "mask": array_of(np.bool_),
            "masks": array_of(np.bool_, 2),
            "scores": _FLOATS,
            "room": _FLOATS,
            "weights": _FLOATS,
            "table": array_of(np.float64, 2),
            "streams": array_of(np.int64),
            "noise": Number.FLOAT64,
        }
        value = value_for if several else value_position
        made = specialize((choose, score_games, play_games, score_actions, choose_action, value), meanings)
        self._asked = made[score_actions.__name__], made[choose_action.__name__], made[value.__name__]
        kernels.kernel(made[choose.__name__])
        self._score = kernels.entry_point(scores=array_of(np.float64, 2))(made[score_games.__name__])
        self._play = kernels.entry_point()(made[play_games.__name__])

    def __reduce__(self) -> tuple[Any, ...]:
        return pkgutil.resolve_name, (self._place,)

    def score(
        self, states: np.ndarray, masks: np.ndarray, scores: np.ndarray, weights: np.ndarray | None = None
    ) -> None:
        """Scores the legal actions of games.

        Args:
            states: N states; information hidden from the deciding seat is not read.
            masks: ``bool[N, A]``: the legal actions.
            scores: ``float64[N, A]``, written; ``NO_SCORE`` for illegal actions.
            weights: ``float64[W]``; by default the weights of the policy.
        """
        used = np.array(self.weights if weights is None else weights)
        room = np.zeros(self._room)
        self._score(np.ascontiguousarray(states), np.ascontiguousarray(masks), scores, room, used)

    def play(
        self,
        states: np.ndarray,
        masks: np.ndarray,
        weights: np.ndarray,
        streams: np.ndarray,
        noise: float = 0.1,
        decisions: int = 100_000,
    ) -> int:
        """Continues games with the policy, in place; returns the number of decisions made.

        Args:
            states: N states, each with a pending decision.
            masks: ``bool[N, A]``: the legal actions.
            weights: ``float64[seats, W]``: the weights of every seat.
            streams: ``int64[N]``, the positions of the noise streams; advanced.
            noise: size of the uniform noise on every score.
            decisions: maximal number of decisions in each game.
        """
        scores, room = np.zeros(masks.shape[1]), np.zeros(self._room)
        return self._play(states, masks, np.array(weights), scores, room, float(noise), streams, decisions)

    def bot(self, parameters: WeightedParameters, seed: int) -> WeightedBot:
        """Makes the bot ``scripted`` for this game."""
        return WeightedBot(self, parameters, seed)

    def rollouts(self) -> Rollouts:
        """The rollouts for searches."""
        tables = tuple_of(Tables, _FLOATS, _FLOATS)
        own = (lambda: Tables(np.zeros(self._room), np.array(self.weights)), tables)
        return Rollouts(self.kernels, *self._asked, *own, several=self._several)


class WeightedBot(ScoredBot):
    """Plays the action with the highest score.

    Args:
        policy: the policy of the game.
        parameters: see ``WeightedParameters``.
        seed: seed of the noise; the same seed and views give the same actions.
    """

    def __init__(self, policy: WeightedPolicy, parameters: WeightedParameters, seed: int) -> None:
        super().__init__(seed, parameters.noise, policy.kernels.prepare)
        self.parameters = parameters
        self._policy = policy

    def _write_scores(self, worlds: np.ndarray, masks: np.ndarray, scores: np.ndarray) -> None:
        self._policy.score(worlds, masks, scores)


def read_weights(known: dict[str, float], names: tuple[str, ...]) -> np.ndarray:
    """The weights of a file, by name, as a read-only ``float64[W]``."""
    weights = np.array([float(known[name]) for name in names])
    weights.setflags(write=False)
    return weights
