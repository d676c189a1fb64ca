"""A shaped reward from progress and corruption of the Fellowship, and victory points.

python shaped_reward.py --games 4

The added rewards of a game sum to minus the potential of its first decision, whatever the actions. So the
best policy stays the same (``wotr_env/envs/shaping.py``). The learner must discount by the same gamma.
"""

import argparse

import gymnasium
import numpy as np

import wotr_env
from wotr_env.envs.shaping import Shaping
from wotr_env.games.war_of_the_ring.observation import as_dict


def potential(observations):
    """How near each seat is to a victory, ``float[N]``, by its observation (``int8[N, D]``)."""
    seen = {name: part.astype(float) for name, part in as_dict(observations).items()}
    road = seen["progress"][:, 0] / 12 + seen["mordor_step"][:, 0] / 5 - seen["corruption"][:, 0] / 12
    towns = seen["victory_points"][:, 0] / 4 - seen["victory_points"][:, 1] / 10
    sign = 1 - 2 * seen["side"][:, 0]  # what is good for the Free Peoples is bad for the Shadow
    return 0.3 * (1 + sign * (road + towns))


def play(env, seed, gamma):
    """Plays a random game; returns its discounted return, the first observation, and the number of rewarded
    decisions."""
    observation, info = env.reset(seed=seed)
    first, total, discount, rewarded, over = observation, 0.0, 1.0, 0, False
    generator = np.random.default_rng(seed)
    while not over:
        action = generator.choice(np.flatnonzero(info["action_mask"]))
        _, reward, terminated, truncated, info = env.step(int(action))
        total += discount * float(reward)
        discount *= gamma
        rewarded += reward != 0
        over = terminated or truncated
    return total, first, rewarded


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Random games with and without a shaped reward.")
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--gamma", type=float, default=0.999)
    parser.add_argument("--max-turns", type=int, default=3)
    given = parser.parse_args(arguments)

    settings = {"seat": "shadow", "opponent": "random", "max_turns": given.max_turns}
    plain = gymnasium.make("WarOfTheRing-v0", **settings)
    shaped = gymnasium.make("WarOfTheRing-v0", shaping=Shaping(potential, given.gamma), **settings)
    rows = []
    for seed in range(given.games):
        without, first, _ = play(plain, seed, given.gamma)
        total, _, rewarded = play(shaped, seed, given.gamma)
        moved, foretold = total - without, -potential(first[None])[0]
        rows.append((moved, foretold, rewarded))
        print(
            f"game {seed}: {rewarded} rewards; return {without:+.3f}, moved by {moved:+.3f} ({foretold:+.3f})"
        )
    return rows


if __name__ == "__main__":
    print(f"wotr-env {wotr_env.__version__}")
    main()
