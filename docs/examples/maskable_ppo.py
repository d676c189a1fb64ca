"""MaskablePPO of sb3-contrib learns the Shadow against a bot.

pip install 'wotr-env' sb3-contrib
python maskable_ppo.py --decisions 200000 --opponent scripted

It asks ``action_masks()`` of the environment for the legal actions. One game at a time is slow; for many
decisions take ppo.py or ``wotr train``.
"""

import argparse

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

import wotr_env


def score(model, env, games, seed):
    """Mean reward of the learner in games of its most likely actions."""
    total = 0.0
    for game in range(games):
        observation, info = env.reset(seed=seed + game)
        over = False
        while not over:
            action, _ = model.predict(
                observation, action_masks=info["action_mask"].astype(bool), deterministic=True
            )
            observation, reward, terminated, truncated, info = env.step(int(action))
            over = terminated or truncated
            total += float(reward)
    return total / max(games, 1)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="MaskablePPO against a bot.")
    parser.add_argument("--decisions", type=int, default=200_000)
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--max-turns", type=int, default=12)
    parser.add_argument("--steps", type=int, default=1024, help="decisions between two updates")
    parser.add_argument("--games", type=int, default=10, help="played at the end to see what it learned")
    parser.add_argument("--save", help="file for the network")
    given = parser.parse_args(arguments)

    settings = {"seat": "shadow", "opponent": given.opponent, "max_turns": given.max_turns}
    env = gymnasium.make("WarOfTheRing-v0", **settings)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=given.steps,
        batch_size=min(256, given.steps),
        gamma=0.999,
        seed=1,
        policy_kwargs={"net_arch": [256]},
    )
    model.learn(given.decisions)
    if given.save:
        model.save(given.save)
    reached = score(model, env, given.games, seed=1_000_000)
    print(f"{model.num_timesteps} decisions; mean reward in {given.games} games: {reached:+.2f}")
    return model.num_timesteps, np.float64(reached)


if __name__ == "__main__":
    print(f"wotr-env {wotr_env.__version__}")
    main()
