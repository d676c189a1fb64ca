"""Trains MaskablePPO of sb3-contrib for one seat against a bot.

pip install . sb3-contrib
python maskable_ppo.py                                              # Sauron in the Duel
python maskable_ppo.py --environment WarOfTheRing-v0 --seat shadow --opponent scripted --decisions 2000000

It gets the legal actions from ``action_masks()`` of the environment. One game at a time is slow; for many
decisions use ppo.py or ``wotr train``. Rewards come only at the end of a game, and War of the Ring against
random play mostly ends at the turn limit without a winner.
"""

import argparse

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import wotr_env


def results(model, env, games, seed):
    """Numbers of games that the learner wins, draws and loses with its most likely actions."""
    rewards = []
    for game in range(games):
        observation, info = env.reset(seed=seed + game)
        total, over = 0.0, False
        while not over:
            action, _ = model.predict(
                observation, action_masks=info["action_mask"].astype(bool), deterministic=True
            )
            observation, reward, terminated, truncated, info = env.step(int(action))
            over = terminated or truncated
            total += float(reward)
        rewards.append(total)
    return (
        sum(each > 0 for each in rewards),
        sum(each == 0 for each in rewards),
        sum(each < 0 for each in rewards),
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description="Trains MaskablePPO against a bot.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--environment", default="LotrDuel-v0", help="LotrDuel-v0 or WarOfTheRing-v0")
    parser.add_argument(
        "--seat",
        default="sauron",
        help="seat of the learner, such as shadow in War of the Ring",
    )
    parser.add_argument("--opponent", default="random", help="spec of the bot in the other seats")
    parser.add_argument("--decisions", type=int, default=20_000, help="number of decisions of the learner")
    parser.add_argument(
        "--max-turns",
        type=int,
        default=12,
        help="turn limit of a game of War of the Ring",
    )
    parser.add_argument("--steps", type=int, default=1024, help="number of decisions per update")
    parser.add_argument("--games", type=int, default=100, help="number of test games at the end")
    parser.add_argument("--save", help="file for the weights of the network")
    given = parser.parse_args(arguments)
    torch.set_num_threads(
        1
    )  # more would wait for each other on layers this small, most of all on shared cores

    settings = {"seat": given.seat, "opponent": given.opponent}
    if given.environment == "WarOfTheRing-v0":
        settings["max_turns"] = given.max_turns
    env = gymnasium.make(given.environment, **settings)
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
    won, drawn, lost = results(model, env, given.games, seed=1_000_000)
    print(
        f"{model.num_timesteps} decisions; {given.games} games against {given.opponent}: "
        f"{won} won, {drawn} drawn, {lost} lost"
    )
    return model.num_timesteps, (won, drawn, lost)


if __name__ == "__main__":
    print(f"wotr-env {wotr_env.__version__}")
    main()
