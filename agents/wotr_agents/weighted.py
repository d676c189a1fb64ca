"""Scripted policies that score by weights: what each needs besides its scores, made from its kernels.

A game brings ``score_legal_actions`` and ``value_of``; its bot ``scripted``, compiled play and what searches
ask of it (``Rollouts``) are made here.
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
from wotr_env.compiler.templates import copies_of
from wotr_env.compiler.types import Number, array_of, record_of, tuple_of
from wotr_env.core.chance import stream_word
from wotr_env.core.codes import GOING_ON

_WORD = 0xFFFFFFFF
_FLOATS = array_of(np.float64)


def _of_a_game(*_arguments):
    """Stands for a kernel of the game: a copy has that instead."""
    raise NotImplementedError


score_legal_actions = value_of = apply = run = _of_a_game


def choose(state, mask, scores, room, weights, noise, stream):
    """The action of the highest score, each raised by noise that follows from the stream."""
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
    """Plays each game on by the weights of its seats; returns the decisions made."""
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
    """Writes what the policy thinks of the legal actions; of others, anything."""
    score_legal_actions(scratch.states[0], scratch.mask, scores, scratch.tables.room, scratch.tables.weights)


def choose_action(scratch, noise, stream):
    """The action of the highest score, each raised by noise that follows from the stream."""
    tables = scratch.tables
    return choose(scratch.states[0], scratch.mask, scratch.scores, tables.room, tables.weights, noise, stream)


def value_position(scratch):
    """The chance that the first team wins, while the game goes on."""
    return value_of(scratch.states[0], scratch.tables.room, scratch.tables.weights)


def value_for(scratch, team):
    """The chance that a team wins, while the game goes on."""
    return value_of(scratch.states[0], team, scratch.tables.room, scratch.tables.weights)


class Tables(NamedTuple):
    """What the policy reads and writes."""

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
    """The scripted policy of a game, whose copies and pickles are itself.

    Args:
        place: where the policy is found, ``module:name``.
        kernels: the set of the policy's kernels, on top of those of the rules; entry points are made in it,
            and this file and ``scored.py`` must be among its sources.
        state: the dtype of a state.
        weights: ``float64[W]``.
        room: numbers that scores are made in, ``float64``.
        several: whether the game has more than two teams, and ``value_of`` a team.
        score_legal_actions: writes the score of every legal action, higher is better; of others, anything
            (state, mask, scores, room, weights).
        value_of: the chance that the first team wins a game that goes on (state, room, weights); or that a
            team does (state, team, room, weights).
        apply: the rules': a legal action (state, action).
        run: the rules': on to the next decision (state, mask).
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
        made = copies_of((choose, score_games, play_games, score_actions, choose_action, value), meanings)
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
            states: N of them, of which nothing is read that the deciding seat cannot know.
            masks: ``bool[N, A]``.
            scores: ``float64[N, A]``, written; ``NO_SCORE`` for illegal actions.
            weights: ``float64[W]``; by default the policy's own.
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
        """Plays games on by the policy, in place; returns the decisions made.

        Args:
            states: N of them, each with a pending decision.
            masks: ``bool[N, A]``.
            weights: ``float64[seats, W]``, of every seat.
            streams: ``int64[N]``, the positions of the noise's own streams, advanced.
            noise: uniform noise of this size on every score.
            decisions: at most, in each game.
        """
        scores, room = np.zeros(masks.shape[1]), np.zeros(self._room)
        return self._play(states, masks, np.array(weights), scores, room, float(noise), streams, decisions)

    def bot(self, parameters: WeightedParameters, seed: int) -> WeightedBot:
        """``scripted`` in this game."""
        return WeightedBot(self, parameters, seed)

    def rollouts(self) -> Rollouts:
        """What searches ask of the policy."""
        tables = tuple_of(Tables, _FLOATS, _FLOATS)
        own = (lambda: Tables(np.zeros(self._room), np.array(self.weights)), tables)
        return Rollouts(self.kernels, *self._asked, *own, several=self._several)


class WeightedBot(ScoredBot):
    """Plays the action of the highest score.

    Args:
        policy: of the game.
        parameters: see there.
        seed: of the noise; the same seed and views give the same actions.
    """

    def __init__(self, policy: WeightedPolicy, parameters: WeightedParameters, seed: int) -> None:
        super().__init__(seed, parameters.noise, policy.kernels.prepare)
        self.parameters = parameters
        self._policy = policy

    def _write_scores(self, worlds: np.ndarray, masks: np.ndarray, scores: np.ndarray) -> None:
        self._policy.score(worlds, masks, scores)


def read_weights(known: dict[str, float], names: tuple[str, ...]) -> np.ndarray:
    """``float64[W]``, read-only, of a file's numbers by name."""
    weights = np.array([float(known[name]) for name in names])
    weights.setflags(write=False)
    return weights
