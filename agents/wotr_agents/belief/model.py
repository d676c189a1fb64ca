"""The model of the other side's hand: log-odds of its cards from an observation, read from a file.

A sparse first layer (most of an observation is 0), normalised, one layer behind it, and a number for each of
the 96 cards, bounded to ``LIMIT``. ``wotr_experiments.training.belief`` trains it; playing takes numpy alone.
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

from wotr_agents.belief.hands import LIMIT
from wotr_agents.networks.layout import SUFFIX, check_made_for, find_weights, made_for
from wotr_env.core.kind import GameKind
from wotr_env.core.read_errors import reason
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.engine.layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.kind import WAR_OF_THE_RING
from wotr_env.play.bots import BotError

ZOO = Path(__file__).parents[1] / "zoo" / "beliefs"
"""The beliefs that come with the package: ``zoo/NAME`` names ``NAME.safetensors`` in it."""
FILE = "belief" + SUFFIX
"""In a folder of ``python -m wotr_experiments.training.belief``."""
NORM_EPSILON = 1e-5
_HEADER = "belief"
"""One text for all that is said, since several would be written in any order."""
_FORMAT = "wotr-belief-1"
_MOST_WIDE = 4096


@dataclasses.dataclass(frozen=True)
class BeliefWeights:
    """What a belief computes by; W and H are the widths of its layers.

    Raises:
        ValueError: shapes do not fit, or a number is not finite.
    """

    first: np.ndarray
    """``float32[OBSERVATION_SIZE, W]``, inputs times their scales."""
    first_bias: np.ndarray
    """``float32[W]``"""
    norm: np.ndarray
    """``float32[W]``: what normalised sums are multiplied by."""
    norm_bias: np.ndarray
    """``float32[W]``"""
    hidden: np.ndarray
    """``float32[W, H]``"""
    hidden_bias: np.ndarray
    """``float32[H]``"""
    cards: np.ndarray
    """``float32[H, 96]``"""
    cards_bias: np.ndarray
    """``float32[96]``"""

    def __post_init__(self) -> None:
        width, hidden = self.hidden.shape if self.hidden.ndim == 2 else (0, 0)
        wanted = {
            "first": (OBSERVATION_SIZE, width),
            "hidden": (width, hidden),
            "cards": (hidden, NUM_CARDS),
            "first_bias": (width,),
            "norm": (width,),
            "norm_bias": (width,),
            "hidden_bias": (hidden,),
            "cards_bias": (NUM_CARDS,),
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
    """What a seat believes of the other side's hand."""

    weights: BeliefWeights
    facts: Mapping[str, Any]
    """How it came about: the bots that were watched, games, seed and so on."""

    def log_odds(self, observations: np.ndarray) -> np.ndarray:
        """The log-odds of all cards to be held: ``float64[B, 96]``; read those of the other side.

        What is said of a game does not depend on the others of the batch.

        Args:
            observations: ``int8[B, OBSERVATION_SIZE]``.
        """
        found = np.empty((len(observations), NUM_CARDS))
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
    """The file of a belief, with numbers in half precision."""
    tensors = {
        field.name: np.ascontiguousarray(getattr(belief.weights, field.name), dtype=np.float16)
        for field in dataclasses.fields(BeliefWeights)
    }
    header = {"format": _FORMAT, **made_for(WAR_OF_THE_RING), "facts": dict(belief.facts)}
    return safetensors.numpy.save(tensors, {_HEADER: json.dumps(header)})


def find_belief(name: str) -> Path:
    """The file that a bot's parameter names: ``zoo/NAME``, a path with or without its suffix, or a folder.

    Raises:
        BotError: there is no such file.
    """
    return find_weights(name, "belief", ZOO, (FILE,))


def files_of_belief(name: str) -> list[Path]:
    """The files that a bot plays by whose parameter ``belief`` this is; raises what ``find_belief`` does."""
    return [find_belief(name)] if name else []


def open_belief(name: str, kind: GameKind = WAR_OF_THE_RING) -> Belief | None:
    """The belief of a bot's parameter, read once as long as the file does not change; None for no name.

    Raises:
        BotError: as ``find_belief`` and ``load_belief``, or the bot plays another game.
    """
    if not name:
        return None
    if kind is not WAR_OF_THE_RING:
        raise BotError(f"belief={name} is for {WAR_OF_THE_RING.title}, not for {kind.title}")
    path = find_belief(name)
    return _read(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _read(path: Path, _written: int) -> Belief:
    return load_belief(path)


def load_belief(path: Path) -> Belief:
    """Reads a belief.

    Raises:
        BotError: the file cannot be read, is no belief, or one for other rules or another layout, or a number
            is not finite.
    """
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            header = json.loads((file.metadata() or {}).get(_HEADER, "{}"))
            if header.get("format") != _FORMAT:
                found = header.get("format")
                raise BotError(f"{path} is no belief of this version (format {found!r}, not {_FORMAT!r})")
            check_made_for(path, header, WAR_OF_THE_RING, ("game", "rules_version", "layout"))
            names = [field.name for field in dataclasses.fields(BeliefWeights)]
            weights = BeliefWeights(**{name: file.get_tensor(name).astype(np.float32) for name in names})
        facts = header["facts"]
        if not isinstance(facts, dict):
            raise BotError(f"{path} is no readable belief: its facts are no object")
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
        raise BotError(f"{path} is no readable belief: {reason(error)}") from error
    return Belief(weights, facts)
