"""Names that the kernels of searches use for the functions and constants of a game.

The kernels of searches are templates (``wotr_env.compiler.templates``). ``games.py`` makes a copy for each
game, in which these names stand for the functions and constants of that game.
"""

from __future__ import annotations


def _of_a_game(*_arguments):
    """Placeholder for a kernel of the game, which replaces it in a copy."""
    raise NotImplementedError


apply = run = seed_chance = deciding_team = encode = _of_a_game
"""Functions of ``kind.Compiled``."""
score_actions = choose_action = value_position = _of_a_game
"""The functions ``score``, ``choose`` and ``value`` of ``rollouts.Rollouts``."""
list_legal = choose_at_random = _of_a_game
"""Functions of ``wotr_env.compiler.masks``."""
num_actions = 0
"""A: ``GameKind.actions.size``."""
num_seats = 0
"""``Compiled.seats``."""
observation_size = 0
"""D: ``GameKind.layout.size``."""
last_team = 1
"""The number of the last team."""
