"""A tournament from Python, as ``wotr tournament random scripted expectation --games 4`` plays it.

python tournament.py --games 4 --out first-games

If you run it again, it continues where it stopped. ``wotr replay first-games/games.sqlite`` shows the games.
"""

import argparse
from pathlib import Path

from wotr_env import Ruleset
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.tournament import run_tournament


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Plays a tournament of every bot against every other.")
    parser.add_argument("bots", nargs="*", default=["random", "scripted"])
    parser.add_argument(
        "--games",
        type=int,
        default=4,
        help="number of games per pair of bots; it must be even (default: %(default)s)",
    )
    parser.add_argument("--max-turns", type=int, default=20)
    parser.add_argument(
        "--workers",
        type=int,
        default=0,
        help="number of worker processes; 0 means one per core (default: %(default)s)",
    )
    parser.add_argument("--out", type=Path, help="folder for the games and the summary")
    given = parser.parse_args(arguments)

    played = Tournament(
        tuple(given.bots),
        games=given.games,
        seed=1,  # without one, chance comes from a secret that no bot can guess
        ruleset=Ruleset(max_turns=given.max_turns),
    )
    summary = run_tournament(played, out=given.out, crew=WorkerPool(workers=given.workers))
    for row in summary["results"]:
        print(f"{row['bot']}: won {row['wins']['count']} of {row['wins']['games']} games")
    return summary


if __name__ == "__main__":  # needed: the games are played by processes that read this file
    main()
