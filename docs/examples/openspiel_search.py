"""Plays a game of this package with a search of OpenSpiel against random play.

python openspiel_search.py --game duel --games 2 --simulations 20

The search is OpenSpiel's information set MCTS (P. Cowling, E. Powley and D. Whitehouse, 2012). Before each
simulation it samples a world that its seat cannot distinguish from the true one
(``resample_from_infostate``), so it does not see hidden cards. It needs open_spiel: pip install
'.[openspiel]' in a clone of the repository.
"""

import argparse

import numpy as np
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from wotr_env.envs import openspiel


def play(game, searcher, simulations, random):
    """Plays a game in which one seat searches and all others play at random; returns the returns of the
    seats."""
    evaluator = RandomRolloutEvaluator(n_rollouts=1, random_state=random)
    bot = ISMCTSBot(
        game,
        evaluator,
        uct_c=1.4,
        max_simulations=simulations,
        random_state=random,
        use_observation_string=True,  # the games have no information state with perfect recall
    )
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(random.choice(outcomes, p=chances)))
        elif state.current_player() == searcher:
            state.apply_action(int(bot.step(state)))
        else:
            state.apply_action(int(random.choice(state.legal_actions())))
    return state.returns()


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description="Plays OpenSpiel's information set MCTS against random play."
    )
    parser.add_argument("--game", default="duel")
    parser.add_argument("--ruleset", help="spec of the ruleset (default: the game's default)")
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--simulations", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)

    game = openspiel.load(given.game, given.ruleset)
    random, results = np.random.RandomState(given.seed), []
    for number in range(given.games):
        seat = number % game.num_players()
        results.append(play(game, seat, given.simulations, random)[seat])
        print(f"game {number + 1}: the search has seat {seat} and gets {results[-1]:g}")
    return results


if __name__ == "__main__":
    main()
