"""What a game brings to the kernels of its searches, by the names that these use.

The kernels of searches are templates (``wotr_env.compiler.templates``): ``games.py`` has copies made for each
game, in which these names mean what the game brings.
"""

from __future__ import annotations


def _of_a_game(*_arguments):
    """Stands for a kernel of the game: a copy has that instead."""
    raise NotImplementedError


apply = run = seed_chance = deciding_team = encode = _of_a_game
"""Of ``kind.Compiled``."""
score_actions = choose_action = value_position = _of_a_game
"""Of ``rollouts.Rollouts``: ``score``, ``choose`` and ``value``."""
list_legal = choose_at_random = _of_a_game
"""Of ``wotr_env.compiler.masks``."""
num_actions = 0
"""A: ``GameKind.actions.size``."""
num_seats = 0
"""``Compiled.seats``."""
observation_size = 0
"""D: ``GameKind.layout.size``."""
last_team = 1
"""The number of the last team."""
