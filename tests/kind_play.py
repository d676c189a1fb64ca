"""Random play of a game that is no War of the Ring, looked at in every position."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.kind import GOING_ON, GameKind

Look = Callable[[np.ndarray, np.ndarray], object]


def play(
    kind: GameKind, seed: int, games: int, ruleset: str = "", look: Look = lambda _states, _masks: None
) -> np.ndarray:
    """Random games to their ends, the same for the same seed; each position is looked at."""
    states = np.zeros(games, dtype=kind.state)
    masks = np.zeros((games, kind.actions.size), dtype=np.bool_)
    kind.kernels.prepare()
    kind.kernels.start(states, masks, np.arange(games) + seed, kind.find_ruleset(ruleset))
    rng = np.random.default_rng(seed)
    for _ in range(1000):
        going = states["winner"] == GOING_ON
        assert (masks.any(axis=1) == going).all()
        look(states, masks)
        if not going.any():
            return states
        kind.kernels.step(states, masks, np.where(masks, rng.random(masks.shape), -1).argmax(axis=1))
    raise AssertionError("a game does not end")


def check_positions(kind: GameKind, seed: int, games: int, ruleset: str = "") -> int:
    """Invariants of every position and its worlds; that no seat gets anything of what is hidden from it.

    Returns the worlds that were other than the game.
    """
    rng = np.random.default_rng(3)
    seats = len(kind.find_ruleset(ruleset).seats)
    changed = 0

    def look(states: np.ndarray, masks: np.ndarray) -> None:
        nonlocal changed
        kind.kernels.check(states)
        deciders = states["seat"].astype(np.int64)
        for turn in range(seats):
            own = (deciders + turn) % seats
            first, second = (rng.integers(0, 2**62, len(states)) for _ in range(2))
            world, seen = states.copy(), masks.copy()
            kind.kernels.sample_worlds(world, own, first)
            kind.kernels.check(world)
            assert (kind.kernels.observe(world, own) == kind.kernels.observe(states, own)).all()
            for name in ("key", "counter"):  # of chance: always other
                states[name], world[name] = world[name], states[name].copy()
            changed += int((world != states).any())
            for name in ("key", "counter"):
                states[name], world[name] = world[name], states[name].copy()
            if turn == 0:
                kind.kernels.refresh(world, seen)
                assert (seen == masks).all()
            one, other = states.copy(), world.copy()
            kind.kernels.sample_worlds(one, own, second)
            kind.kernels.sample_worlds(other, own, second)
            assert one.tobytes() == other.tobytes()  # nothing hidden has a say

    play(kind, seed, games, ruleset, look)
    return changed


def check_words(kind: GameKind, seed: int, ruleset: str = "") -> None:
    """Every decision and choice of some games has words, the position the same for all that is hidden."""

    def look(states: np.ndarray, masks: np.ndarray) -> None:
        worlds = states.copy()
        deciders = states["seat"].astype(np.int64)
        kind.kernels.sample_worlds(worlds, deciders, deciders + 7)
        for state, world, mask in zip(states, worlds, masks, strict=True):
            assert kind.words.decision(state) == kind.words.decision(world)
            assert kind.words.position(state) == kind.words.position(world)
            for look in filter(None, (kind.words.layout, kind.words.parts)):
                assert look(state) == look(world)
            for action in np.flatnonzero(mask):
                assert kind.words.action(state, action) == kind.words.action(world, action)

    play(kind, seed, 3, ruleset, look)


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


def check_records(kind: GameKind, folder: Path, ruleset: str = "") -> None:
    """Games written as JSON and as text, read again and replayed to the same bytes; one is not over."""
    chosen = kind.find_ruleset(ruleset)
    assert kind.ruleset.from_dict(json.loads(json.dumps(chosen.to_dict()))) == chosen
    players = ("random", "a;b", "c", "d", "e")[: len(chosen.seats)]
    records, games = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        game = kind.game(seed, chosen)
        while game.result is None and len(game.actions) < (1000 if seed else 20):
            game.step(int(rng.choice(game.legal())))
        if game.result is not None:
            assert kind.result.from_dict(json.loads(json.dumps(game.result.to_dict()))) == game.result
        games.append(game)
        records.append(GameRecord.from_game(game, players, kind=kind.name))
        records[-1].append(folder / "games.jsonl")
    assert games[0].result is None and all(game.result is not None for game in games[1:])
    assert GameRecord.load(folder / "games.jsonl") == records
    for record, game in zip(records, games, strict=True):
        for told in (True, False):
            (again,) = GameRecord.from_text(record.to_text(told))
            assert again == record and again.to_text(told) == record.to_text(told)
        assert record.verify().state.tobytes() == game.state.tobytes()
        half = record.replay(len(record.actions) // 2)
        assert half.actions == game.actions[: len(half.actions)] and half.hash() != game.hash()


def texts_shown(kind: GameKind, state: np.record, mask: np.ndarray, seat: int) -> list[str]:
    """All that a seat reads of a position: in words, and in the drawing with its tips."""
    said = [kind.words.position(state), kind.words.decision(state)]
    said += [kind.words.action(state, action) for action in np.flatnonzero(mask).tolist()]
    assert kind.drawing is not None
    for shape in kind.drawing(state, seat).shapes:
        said += [text for text in (getattr(shape, "text", ""), getattr(shape, "tip", "")) if text]
    return said
