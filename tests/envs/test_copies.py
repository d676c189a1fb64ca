"""Copies and pickles of games and environments go on from the same position with the same future."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

from tests.toy_race import RACE
from wotr_agents.registry import make_bot
from wotr_env import VectorGame
from wotr_env.core import vector
from wotr_env.envs.kind_pettingzoo import KindAEC
from wotr_env.games.duel.game import DUEL_FOR_MIDDLE_EARTH as DUEL

COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda each: pickle.loads(pickle.dumps(each))}
OPPONENTS = [
    ("WarOfTheRing-v0", "mcts:sims=8"),
    ("WarOfTheRing-v0", "mcts:sims=8,threads=2"),
    ("LotrDuel-v0", "mcts:sims=8"),
    ("LotrDuel-v0", "scripted"),
    ("LotrDuel-v0", "expectation:worlds=2,depth=2"),
    ("TwoTowers-v0", "mcts:sims=8"),
    ("TwoTowers-v0", "scripted"),
]
IN_ANOTHER_PROCESS = """
import pickle, sys, wotr_env
from tests.envs.test_copies import played_on
print(played_on(pickle.load(sys.stdin.buffer), 6))
"""


def played_on(env, steps):
    """A hash of all that comes of the last legal action each time."""
    digest = hashlib.blake2b(digest_size=8)
    for _ in range(steps):
        mask = env.unwrapped.action_masks()
        if not mask.any():
            env.reset()
            continue
        observation, reward, *ends, _ = env.step(int(np.flatnonzero(mask)[-1]))
        digest.update(observation.tobytes() + repr((reward, ends)).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_many_games(copied, threads):
    games = VectorGame(5, seed=2, threads=threads)
    games.random_steps(300)
    again = copied(games)
    kept = again.states.tobytes()
    for _ in range(2):
        games.random_steps(900)
    assert again.states.tobytes() == kept != games.states.tobytes()
    for _ in range(2):
        again.random_steps(900)
    for name in ("states", "observations", "masks", "seats", "rewards", "terminated", "end_records"):
        assert getattr(games, name).tobytes() == getattr(again, name).tobytes(), name
    chosen = games.masks.argmax(axis=1)
    assert games.step(chosen).states.tobytes() == again.step(chosen).states.tobytes()
    assert again.observations is again._buffers.observations
    again.close()
    games.close()
    assert copied(games).step(games.masks.argmax(axis=1)).num_games == 5


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize(("name", "opponent"), OPPONENTS)
def test_environments_with_bots(copied, name, opponent):
    env = gymnasium.make(name, opponent=opponent, disable_env_checker=True)
    env.reset(seed=3)
    played_on(env, 2)
    again = copied(env)
    assert played_on(env, 5) == played_on(again, 5)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_vector_environment_with_a_bot(copied):
    envs = gymnasium.make_vec("WarOfTheRing-v0", num_envs=3, opponent="mcts:sims=8", threads=2)
    _, infos = envs.reset(seed=4)
    again = copied(envs)
    for _ in range(3):
        chosen = infos["action_mask"].argmax(axis=1)
        observations, *_, infos = envs.step(chosen)
        assert observations.tobytes() == again.step(chosen)[0].tobytes()
    envs.close()
    again.close()


@pytest.mark.parametrize("opponent", ["mcts:sims=8", "scripted"])
def test_a_pickle_is_read_by_another_process(opponent):
    env = gymnasium.make("LotrDuel-v0", opponent=opponent, disable_env_checker=True)
    env.reset(seed=5)
    done = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS],
        input=pickle.dumps(env),
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().strip() == played_on(env, 6)


@pytest.mark.parametrize("kind", [RACE, dataclasses.replace(DUEL, title="Another")], ids=["toy", "same name"])
def test_a_game_that_is_not_registered_is_copied_and_not_pickled(kind):
    env, games = KindAEC(kind), vector.VectorGame(kind, 2, 1)
    env.reset(seed=1)
    env_again, games_again = copy.deepcopy(env), copy.deepcopy(games)
    assert env_again.game.kind is games_again.kind is kind
    env_again.step(int(env.game.masks[0].argmax()))
    assert env_again.game.states.tobytes() != env.game.states.tobytes()
    for each in (env, games):
        with pytest.raises(pickle.PicklingError, match=f"'{kind.name}' is not registered as this game"):
            pickle.dumps(each)


def test_copies_of_bots_share_what_is_compiled():
    bot = make_bot("mcts:sims=8", 1, "duel")
    assert copy.deepcopy(bot)._game is bot._game is pickle.loads(pickle.dumps(bot))._game
    policy = make_bot("scripted", 1, "two-towers")._policy
    assert copy.deepcopy(policy) is policy is pickle.loads(pickle.dumps(policy))
