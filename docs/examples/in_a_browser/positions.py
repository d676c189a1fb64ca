"""Writes positions of a game as JSON for the page play.html, which shows the moves of a network.

wotr export-network zoo/duel network.onnx && python positions.py zoo/duel positions.json
"""

import argparse
import json

from wotr_agents import make_bot
from wotr_agents.networks.advice import with_advice
from wotr_agents.networks.files import read_network
from wotr_env.play.bots import view_of


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Writes positions of a game for play.html.")
    parser.add_argument("network", nargs="?", default="zoo/duel", help="default: %(default)s")
    parser.add_argument("out", nargs="?", default="positions.json", help="default: %(default)s")
    parser.add_argument("--count", type=int, default=20, help="number of positions (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)

    network = read_network(given.network)
    kind = network.kind
    bot = make_bot(f"net:{given.network}", given.seed, kind.name)
    ruleset = kind.read_ruleset(None)
    games = kind.games(1, given.seed, ruleset, auto_reset=False)
    positions = []
    while len(positions) < given.count and games.masks.any():  # a finished game has no legal action
        state = games.states[0]
        inputs = games.observations
        if network.config.advice:  # the network reads the scores of the scripted bot after the observation
            inputs = with_advice(inputs, games.states, games.masks, kind)
        legal = games.masks[0].nonzero()[0]
        positions.append(
            {
                "question": kind.words.decision(state),
                "team": ruleset.seats[state["seat"]].team,
                "inputs": inputs[0].tolist(),
                "actions": {int(each): kind.words.action(state, each) for each in legal},
            }
        )
        games.step(bot.act(view_of(games.states, games.masks, kind)))
    played = {"game": kind.title, "end_values": kind.worths[:, 0].tolist(), "positions": positions}
    with open(given.out, "w", encoding="utf-8") as file:
        json.dump(played, file)
    print(f"{given.out} has {len(positions)} positions of {kind.title}")
    return played


if __name__ == "__main__":
    main()
