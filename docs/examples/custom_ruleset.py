"""A custom ruleset: changes options of the game, writes them as JSON, and plays.

python custom_ruleset.py --games 20

For the options and their values see docs/options.md, or run ``wotr rules --options``.
"""

import argparse
import dataclasses
import json

import numpy as np

from wotr_env import Ruleset, VectorGame

SECOND = Ruleset.second_edition()
SHORT_SECOND = dataclasses.replace(SECOND, hand_limit=8, max_turns=3)
"""The second edition with larger hands and a limit of three turns; see ``spec`` for use in commands."""


def spec(ruleset, base, name):
    """The spec of a ruleset for commands: its name and the options that differ."""
    given, usual = dataclasses.asdict(ruleset), dataclasses.asdict(base)
    changes = [f"{option}={value}" for option, value in given.items() if value != usual[option]]
    return f"{name}:{','.join(changes)}"


def play(ruleset, games, seed=1):
    """Plays random games to the end; returns ``Statistics`` (``VectorGame.statistics``)."""
    batch = VectorGame(games, seed=seed, ruleset=ruleset, auto_reset=False, observations=False)
    generator = np.random.default_rng(seed)
    while not batch.terminated.all():
        worth = np.where(batch.masks, generator.random(batch.masks.shape), -1)
        batch.step(np.where(batch.terminated, -1, worth.argmax(axis=1)))  # -1: a game that is over
    return batch.statistics


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Plays random games with a custom ruleset.")
    parser.add_argument("--games", type=int, default=20)
    given = parser.parse_args(arguments)

    kept = json.dumps(SHORT_SECOND.to_dict())
    assert Ruleset.from_dict(json.loads(kept)) == SHORT_SECOND
    print(f"--ruleset {spec(SHORT_SECOND, SECOND, 'second')}")
    found = play(SHORT_SECOND, given.games)
    print(f"{found.games} games, {found.turns:.1f} turns each, {found.draws} at the turn limit")
    return found


if __name__ == "__main__":
    main()
