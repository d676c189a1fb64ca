"""Random play of a game that is no War of the Ring, looked at in every position."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np

from wotr_env.core.codes import GOING_ON
from wotr_env.core.kind import GameKind

Look = Callable[[np.ndarray, np.ndarray], object]


def play(
    kind: GameKind, seed: int, games: int, ruleset: str = "", look: Look = lambda _states, _masks: None
) -> np.ndarray:
    """Random games to their ends, the same for the same seed; each position is looked at."""
    states, masks = kind.new_states(np.arange(games) + seed, kind.find_ruleset(ruleset))
    rng = np.random.default_rng(seed)
    for _ in range(1000):
        going = states["winner"] == GOING_ON
        assert (masks.any(axis=1) == going).all()
        look(states, masks)
        if not going.any():
            return states
        kind.kernels.step(states, masks, np.where(masks, rng.random(masks.shape), -1).argmax(axis=1))
    raise AssertionError("a game does not end")


def fingerprint(kind: GameKind, seed: int, games: int, ruleset: str = "") -> str:
    """SHA-256 of the last states of random games."""
    return hashlib.sha256(play(kind, seed, games, ruleset).tobytes()).hexdigest()


def interpreted_fingerprint(name: str, seed: int, games: int, ruleset: str = "") -> str:
    """The same, in a process in which nothing is compiled."""
    code = (
        "from tests.kind_play import fingerprint\nfrom wotr_env.play.games import game_kind\n"
        f"print(fingerprint(game_kind({name!r}), {seed}, {games}, {ruleset!r}))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def texts_shown(kind: GameKind, state: np.record, mask: np.ndarray, seat: int) -> list[str]:
    """All that a seat reads of a position: in words, and in the drawing with its tips."""
    said = [kind.words.position(state), kind.words.decision(state)]
    said += [kind.words.action(state, action) for action in np.flatnonzero(mask).tolist()]
    assert kind.drawing is not None
    for shape in kind.drawing(state, seat).shapes:
        said += [text for text in (getattr(shape, "text", ""), getattr(shape, "tip", "")) if text]
    return said
