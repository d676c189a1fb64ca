"""The model of the other side's hand: it computes log-odds of the cards from an observation.

The network has a sparse, normalised first layer (most of an observation is 0), a second layer, and one output
for each card, bounded to ``LIMIT``. ``wotr_experiments.games.war_of_the_ring.belief`` trains it; play needs
only numpy.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

from wotr_agents.belief.hands import LIMIT, Hands
from wotr_agents.networks.weight_files import SUFFIX, check_made_for, find_weights, made_for
from wotr_agents.policies import policy_of
from wotr_env.core.kind import GameKind
from wotr_env.core.read_errors import reason
from wotr_env.play.bots import BotError
from wotr_env.play.games import DEFAULT_GAME, game_kind

ZOO = Path(__file__).parents[1] / "zoo" / "beliefs"
"""The beliefs that come with the package: ``zoo/NAME`` names ``NAME.safetensors`` in it."""
FILE = "belief" + SUFFIX
"""The file of a belief in a folder of ``python -m wotr_experiments.games.war_of_the_ring.belief``."""
NORM_EPSILON = 1e-5
_HEADER = "belief"
"""The key of the header. The header has only one key, because several would be written in arbitrary order."""
_FORMAT = "wotr-belief-1"
_MOST_WIDE = 4096


@dataclasses.dataclass(frozen=True)
class BeliefWeights:
    """The weights of a belief: D is the size of an observation, C the number of cards, W and H the widths of
    the layers.

    Raises:
        ValueError: a shape is wrong, or a number is not finite.
    """

    first: np.ndarray
    """``float32[D, W]``, inputs times their scales."""
    first_bias: np.ndarray
    """``float32[W]``"""
    norm: np.ndarray
    """``float32[W]``: the gain of the normalisation."""
    norm_bias: np.ndarray
    """``float32[W]``"""
    hidden: np.ndarray
    """``float32[W, H]``"""
    hidden_bias: np.ndarray
    """``float32[H]``"""
    cards: np.ndarray
    """``float32[H, C]``"""
    cards_bias: np.ndarray
    """``float32[C]``"""

    def __post_init__(self) -> None:
        width, hidden = self.hidden.shape if self.hidden.ndim == 2 else (0, 0)
        wanted = {
            "first": (self.first.size // max(1, width), width),
            "hidden": (width, hidden),
            "cards": (hidden, self.cards_bias.size),
            "first_bias": (width,),
            "norm": (width,),
            "norm_bias": (width,),
            "hidden_bias": (hidden,),
            "cards_bias": (self.cards_bias.size,),
        }
        if not (0 < width <= _MOST_WIDE and 0 < hidden <= _MOST_WIDE):
            raise ValueError(f"a layer is {width} or {hidden} wide, not 1 to {_MOST_WIDE}")
        for name, shape in wanted.items():
            given = getattr(self, name)
            if given.shape != shape or given.dtype != np.float32:
                raise ValueError(f"{name} is {given.dtype} of shape {given.shape}, not float32 of {shape}")
            if not np.isfinite(given).all():
                raise ValueError(f"some of {name} is not finite")


@dataclasses.dataclass(frozen=True)
class Belief:
    """A belief about the other side's hand."""

    weights: BeliefWeights
    facts: Mapping[str, Any]
    """Description of the training: the bots, games, seed and so on."""
    game: str = DEFAULT_GAME
    """The name of the game."""

    @property
    def hands(self) -> Hands:
        """The hands of the game."""
        found = hands_of(self.game)
        assert found is not None
        return found

    def log_odds(self, observations: np.ndarray) -> np.ndarray:
        """The log-odds that the other side holds each of its cards: ``float64[B, C]``. The numbers of all
        other cards have no meaning.

        The result for a game does not depend on the other games of the batch.

        Args:
            observations: ``int8[B, D]``.
        """
        found = np.empty((len(observations), self.weights.cards_bias.size))
        for row, observation in enumerate(observations):
            found[row] = self._log_odds_of(observation)
        return found

    def _log_odds_of(self, observation: np.ndarray) -> np.ndarray:
        weights = self.weights
        places = np.flatnonzero(observation)
        sums = observation[places].astype(np.float32) @ weights.first[places] + weights.first_bias
        sums = sums - sums.mean()
        layer = sums / np.sqrt(np.mean(sums * sums) + NORM_EPSILON) * weights.norm + weights.norm_bias
        layer = np.maximum(np.maximum(layer, 0) @ weights.hidden + weights.hidden_bias, 0)
        return LIMIT * np.tanh((layer @ weights.cards + weights.cards_bias).astype(np.float64) / LIMIT)


def belief_bytes(belief: Belief) -> bytes:
    """The file contents of a belief; numbers are stored in half precision."""
    tensors = {
        field.name: np.ascontiguousarray(getattr(belief.weights, field.name), dtype=np.float16)
        for field in dataclasses.fields(BeliefWeights)
    }
    header = {"format": _FORMAT, **made_for(game_kind(belief.game)), "facts": dict(belief.facts)}
    return safetensors.numpy.save(tensors, {_HEADER: json.dumps(header)})


def find_belief(name: str) -> Path:
    """The file of a belief given by ``zoo/NAME``, a path with or without its suffix, or a folder.

    Raises:
        BotError: there is no such file.
    """
    return find_weights(name, "belief", ZOO, (FILE,))


def hands_of(game: str) -> Hands | None:
    """The hidden hands of a game, by its name; None if there are none."""
    policy = policy_of(game)
    return None if policy is None else policy.hands


def belief_of(parameters: Any) -> str:
    """The name of the belief in a bot's parameters; empty if there is none."""
    return getattr(parameters, "belief", "")


def files_of_belief(name: str) -> list[Path]:
    """The files of the parameter ``belief``; raises the errors of ``find_belief``."""
    return [find_belief(name)] if name else []


def open_belief(name: str, game: str = DEFAULT_GAME) -> Belief | None:
    """Loads the belief that a bot's parameter names; None for an empty name. The belief is cached until its
    file changes.

    Args:
        name: the parameter.
        game: the name of the game.

    Raises:
        BotError: an error of ``find_belief`` or ``load_belief``, or the belief is for another game.
    """
    if not name:
        return None
    path = find_belief(name)
    belief = _read(path, path.stat().st_mtime_ns)
    if belief.game != game:
        raise BotError(f"belief={name} is for {belief.game}, not for {game}")
    return belief


@functools.lru_cache(maxsize=8)
def _read(path: Path, _written: int) -> Belief:
    return load_belief(path)


def load_belief(path: Path) -> Belief:
    """Reads a belief.

    Raises:
        BotError: the file cannot be read, is not a belief, is for a game without hands, other rules or
            another layout, or a number is not finite.
    """
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            header = json.loads((file.metadata() or {}).get(_HEADER, "{}"))
            if header.get("format") != _FORMAT:
                found = header.get("format")
                raise BotError(f"{path} is not a belief of this version (format {found!r}, not {_FORMAT!r})")
            kind = game_kind(header["game"])
            check_made_for(path, header, kind, ("rules_version", "layout"))
            names = [field.name for field in dataclasses.fields(BeliefWeights)]
            weights = BeliefWeights(**{name: file.get_tensor(name).astype(np.float32) for name in names})
        _check_size(weights, kind)
        facts = header["facts"]
        if not isinstance(facts, dict):
            raise BotError(f"{path} cannot be read as a belief: its facts are not an object")
    except BotError:
        raise
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RecursionError,
        safetensors.SafetensorError,
    ) as error:
        raise BotError(f"{path} cannot be read as a belief: {reason(error)}") from error
    return Belief(weights, facts, kind.name)


def _check_size(weights: BeliefWeights, kind: GameKind) -> None:
    """Raises ValueError if the sizes of the weights do not match the game."""
    hands = hands_of(kind.name)
    if hands is None:
        raise ValueError(f"{kind.title} does not support beliefs")
    found, wanted = (len(weights.first), weights.cards_bias.size), (kind.layout.size, hands.cards)
    if found != wanted:
        raise ValueError(f"it is for {found} numbers and cards, not for {wanted}")
