"""Worlds sampled with a belief: the model draws the other side's hand, and ``view.worlds`` everything
else."""

from __future__ import annotations

import numpy as np

from wotr_agents.belief.model import Belief
from wotr_env.core.states import copy_states
from wotr_env.play.bots import BotView


def draw_worlds(view: BotView, k: int, generator: np.random.Generator, belief: Belief | None) -> np.ndarray:
    """States that the deciding seats cannot distinguish from the true states: ``kind.state[B, k]``.

    Args:
        view: a view with worlds.
        k: number of worlds per game.
        generator: the random generator.
        belief: the belief for the other side's hand; None: plain ``view.worlds``, as for games without
            beliefs (``Hands.are_known``).

    Raises:
        BotError: the view has no worlds.
    """
    worlds = view.worlds(k, generator)
    if belief is None or worlds.size == 0:
        return worlds
    hands = belief.hands
    uniforms = generator.random((len(worlds), k, hands.hidden))
    games = np.flatnonzero(hands.are_known(worlds[:, 0]))
    if games.size:
        if not worlds.flags.writeable:  # as in the process of an isolated bot
            worlds = copy_states(worlds.reshape(-1)).reshape(worlds.shape)
        log_odds = np.repeat(belief.log_odds(view.observations[games]), k, axis=0)
        some = worlds[games].reshape(-1)
        hands.lay(some, log_odds, uniforms[games].reshape(-1, hands.hidden))
        worlds[games] = some.reshape(-1, k)
    return worlds
