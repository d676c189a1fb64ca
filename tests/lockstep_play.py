"""Plays games by seed; prints a line of digests of each, of every state and of what the seats see of some.

Run compiled and interpreted, the lines are compared.
"""

from __future__ import annotations

import hashlib
import sys
import warnings

import numpy as np

from wotr_env.games.war_of_the_ring.actions import ACTION_IDS, NUM_ACTIONS, Block
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.games.war_of_the_ring.state import STATE

RULESETS = {
    "first": Ruleset.first_edition(),
    "second": Ruleset.second_edition(),
    "options": Ruleset(
        die_bonus_timing="at_once",
        companion_activation="any_region_entered",
        leaders_bound=False,
        ask_single=True,
        die_skip="forced_only",
    ),
}
SEEN = 25
FAVOURED = ("plan:attack", "verb:whole-army", "verb:continue", "plan:move-fellowship", "plan:recruit")


def preferences(policy: str) -> np.ndarray:
    """Uniform play, or play that favours what random play seldom brings about."""
    favour = np.zeros((2, NUM_ACTIONS), dtype=np.int8)
    if policy == "eager":
        favour[:, [ACTION_IDS[name] for name in FAVOURED]] = 1
    elif policy == "cards":
        favour[:, Block.CARD : Block.CHARACTER] = 1
        favour[:, [ACTION_IDS[name] for name in ("face:event", "plan:play-card", "plan:buy-off")]] = 1
    return favour


def _seen(states: np.ndarray, number: int) -> bytes:
    """The observations of both seats, and a world that one of them holds possible."""
    seats = np.arange(2)
    observations = np.zeros((2, OBSERVATION_SIZE), dtype=np.int8)
    kernel.observe(states.repeat(2), seats, observations)
    worlds = states.copy()
    kernel.sample_worlds(worlds, seats[number // SEEN % 2 :], np.array([number]))
    return observations.tobytes() + worlds.tobytes()


def digests(edition: str, policy: str, seed: int, decisions: int, every: int) -> list[str]:
    """A digest of all states so far after each ``every`` decisions, until the game ends or they are made."""
    states = np.zeros(1, dtype=STATE)
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    ruleset = RULESETS[edition]
    kernel.new_games(states, masks, np.array([seed]), ruleset.encode(), ruleset.max_turns)
    streams = np.array([seed], dtype=np.int64)
    favour = preferences(policy)
    chain = hashlib.blake2b(digest_size=8)
    found = []
    for made in range(1, decisions + 1):
        chain.update(states.tobytes() + masks.tobytes())
        if made % SEEN == 0:
            chain.update(_seen(states, made))
        if made % every == 0:
            found.append(chain.hexdigest())
        if kernel.random_steps(states, masks, 1, streams, favour) == 0:
            found.append(chain.hexdigest())
            break
    return found


if __name__ == "__main__":
    warnings.simplefilter("error")
    np.seterr(over="raise")
    decisions, every, *games = sys.argv[1:]
    for edition, policy, seed in zip(games[::3], games[1::3], games[2::3], strict=True):
        print(*digests(edition, policy, int(seed), int(decisions), int(every)))
