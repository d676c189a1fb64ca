"""Scripted policies by the name of their game: the bot ``scripted`` in each, and what searches play on by.

Other packages add those of their games through entry points of the group ``wotr.policies``; each is a
``Policy``:

    [project.entry-points."wotr.policies"]
    mine = "my_package.policy:MINE"
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from wotr_agents.belief.hands import Hands
from wotr_agents.games.duel.entry import DUEL_POLICY
from wotr_agents.games.two_towers.entry import TOWERS_POLICY
from wotr_agents.games.war_of_the_ring.hands import HANDS
from wotr_agents.games.war_of_the_ring.scripted.bot import ScriptedBot, ScriptedParameters
from wotr_agents.games.war_of_the_ring.scripted.entry import ensure_agents, score_views
from wotr_agents.games.war_of_the_ring.scripted.expected import expected_chances
from wotr_agents.games.war_of_the_ring.scripted.rollouts import rollouts
from wotr_agents.rollouts import Rollouts
from wotr_agents.weighted import WeightedParameters
from wotr_env.play.bots import Bot, BotError
from wotr_env.play.games import DEFAULT_GAME
from wotr_env.play.plugins import Plugins, find_plugins

ENTRY_POINTS = "wotr.policies"


@dataclasses.dataclass(frozen=True)
class Policy:
    """How a game is played by rules of thumb."""

    name: str
    """Of the game."""
    parameters: type
    """Of ``scripted`` in this game: as ``BotKind.parameters``."""
    build: Callable[[Any, int], Bot]
    """Makes ``scripted`` from its parameters and a seed."""
    rollouts: Callable[[], Rollouts] | None = None
    """What it offers to searches; None: nothing, they play on at random."""
    score: Callable[[np.ndarray, np.ndarray, np.ndarray], None] | None = None
    """Writes what it thinks of the legal actions of states: (states ``[N]``, masks ``bool[N, A]``, scores
    ``float64[N, A]``), of which it reads nothing that the deciding seat cannot know; None: networks get no
    advice from it."""
    prepare: Callable[[], object] = lambda: None
    """Has compiled what ``score`` and ``expected`` need."""
    expected: Callable[[np.ndarray, np.ndarray, int, np.random.Generator], np.ndarray] | None = None
    """The chances of the team that decides to win after each of some actions, ``float64[K]``: (worlds
    ``[W]``, actions ``int64[K]``, decisions played on, generator of chance); None: by ``rollouts``."""
    hands: Hands | None = None
    """Hidden hands that beliefs are for; None: there are none."""


OWN_POLICIES = {
    policy.name: policy
    for policy in (
        Policy(
            DEFAULT_GAME,
            ScriptedParameters,
            ScriptedBot,
            rollouts,
            score_views,
            ensure_agents,
            expected_chances,
            HANDS,
        ),
        *(
            Policy(
                name,
                WeightedParameters,
                policy.bot,
                policy.rollouts,
                policy.score,
                policy.kernels.ensure_compiled,
            )
            for name, policy in (("duel", DUEL_POLICY), ("two-towers", TOWERS_POLICY))
        ),
    )
}


@functools.cache
def policy_plugins() -> Plugins[Policy]:
    """The policies that can be used, and the entry points that cannot."""

    def check(found: Any) -> str | None:
        fits = isinstance(found, Policy) and dataclasses.is_dataclass(found.parameters)
        return None if fits else f"must be a Policy, not {found!r}"

    return find_plugins(ENTRY_POINTS, OWN_POLICIES, check)


def policy_of(game: str) -> Policy | None:
    """The policy of a game; None if there is none.

    Nothing of another package is loaded for games of this one.

    Raises:
        BotError: it cannot be used.
    """
    if game in OWN_POLICIES:
        return OWN_POLICIES[game]
    kinds, broken, _ = policy_plugins()
    if game in broken and game not in kinds:
        raise BotError(broken[game])
    return kinds.get(game)


def scripted_parameters(game: str) -> type | None:
    """The parameters of ``scripted`` in a game; None if it does not play it."""
    policy = policy_of(game)
    return None if policy is None else policy.parameters


def scripted_bot(parameters: Any, seed: int, game: str) -> Bot:
    """``scripted`` in a game that has a policy."""
    policy = policy_of(game)
    if policy is None:
        raise BotError(f"bot scripted does not play {game}")
    return policy.build(parameters, seed)
