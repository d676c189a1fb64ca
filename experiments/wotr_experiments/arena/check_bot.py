"""``wotr check-bot``: legal actions, fairness, determinism and time per decision, for authors of bots."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

import numpy as np

from wotr_agents import canonical_spec, make_bot
from wotr_env import STATE, Ruleset
from wotr_env.actions import NUM_ACTIONS
from wotr_env.bots import BotError, choose, view_of
from wotr_env.codes import Side, Winner
from wotr_env.engine import kernel

SEED = 1
PLAIN_SEED = 7_919


@dataclasses.dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    passed: bool
    found: str
    """What was found, in words."""


def check_bot(
    spec: str,
    games: int = 8,
    decisions: int = 400,
    seed: int = SEED,
    on_progress: Callable[[int], object] = lambda _decisions: None,
) -> list[Check]:
    """Lets a bot play both sides of some games against itself, and looks at its answers.

    A bot is fair if it decides the same when everything that its seat cannot know is drawn anew, and
    deterministic if a bot of the same seed decides the same for the same views.

    Args:
        spec: of the bot.
        games: played at once.
        decisions: at most, in each game.
        seed: of games and bots.
        on_progress: called with the decisions made in each step.

    Raises:
        BotError: there is no such bot.
    """
    name = canonical_spec(spec)
    first, again, blind = (make_bot(spec, seed) for _ in range(3))
    states = np.zeros(games, dtype=STATE)
    masks = np.zeros((games, NUM_ACTIONS), dtype=np.bool_)
    ruleset = Ruleset()
    seeds = np.arange(games) + seed
    kernel.new_games(states, masks, seeds, ruleset.encode(), ruleset.max_turns)
    draws = np.random.default_rng(seed + PLAIN_SEED)
    made, seconds, unlike, unfair = np.zeros(2, dtype=np.int64), np.zeros(2), 0, 0
    for _ in range(decisions):
        playing = np.flatnonzero(states["winner"] == Winner.NONE)
        if not playing.size:
            break
        actions = np.full(games, kernel.NO_ACTION, dtype=np.int64)
        for side in Side:
            rows = playing[states["seat"][playing] == side]
            if not rows.size:
                continue
            waiting, legal = states[rows], masks[rows]
            start = time.perf_counter()
            try:
                actions[rows] = choose(first, view_of(waiting, legal), name)
            except BotError as error:
                return [Check("legal actions", False, str(error))]
            seconds[side] += time.perf_counter() - start
            made[side] += rows.size
            unlike += int((choose(again, view_of(waiting, legal), name) != actions[rows]).sum())
            worlds = waiting.copy()
            drawn = draws.integers(0, kernel.MAX_SEED, size=rows.size, dtype=np.int64)
            kernel.sample_worlds(worlds, worlds["seat"].astype(np.int64), drawn)
            unfair += int((choose(blind, view_of(worlds, legal), name) != actions[rows]).sum())
        kernel.step(states, masks, actions)
        on_progress(playing.size)
    total = int(made.sum())
    each = [1000 * seconds[side] / max(1, made[side]) for side in Side]
    return [
        Check("legal actions", True, f"all {total:,} actions were legal"),
        Check("deterministic", not unlike, f"{unlike:,} of {total:,} actions differ for the same seed"),
        Check(
            "fair",
            not unfair or bool(unlike),
            f"{unfair:,} of {total:,} actions differ when what the seat cannot know is drawn anew"
            + ("; says nothing for a bot that is not deterministic" if unlike else ""),
        ),
        Check(
            "time",
            True,
            f"{each[Side.FREE_PEOPLES]:.3f} ms per decision of the Free Peoples, "
            f"{each[Side.SHADOW]:.3f} ms of the Shadow, asked {games} games at a time",
        ),
    ]
