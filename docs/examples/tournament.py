"""A tournament from Python: what ``wotr tournament random scripted expectation --games 4`` does.

python tournament.py --games 4 --out first-games

Run it again and it goes on where it stopped. ``wotr replay first-games/games.sqlite`` shows the games.
"""

import argparse
from pathlib import Path

from wotr_env import Ruleset
from wotr_experiments.arena.engines import Crew
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.tournament import run_tournament


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Every bot against every other.")
    parser.add_argument("bots", nargs="*", default=["random", "scripted"])
    parser.add_argument("--games", type=int, default=4, help="of each pair of bots, an even number")
    parser.add_argument("--max-turns", type=int, default=20)
    parser.add_argument("--workers", type=int, default=0, help="0: one for each core")
    parser.add_argument("--out", type=Path, help="folder of games and summary")
    given = parser.parse_args(arguments)

    played = Tournament(
        tuple(given.bots),
        games=given.games,
        seed=1,  # without one, chance comes from a secret that no bot can guess
        ruleset=Ruleset(max_turns=given.max_turns),
    )
    summary = run_tournament(played, out=given.out, crew=Crew(workers=given.workers))
    for row in summary["results"]:
        print(f"{row['bot']}: won {row['wins']['count']} of {row['wins']['games']} games")
    return summary


if __name__ == "__main__":  # needed: the games are played by processes that read this file
    main()
