"""Scripted policies of games: for the bot ``scripted``, and for rollouts and priors of searches.

Other packages add policies for their games through entry points of the group ``wotr.policies``; each is a
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
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_env.play.plugins import Plugins, find_plugins

ENTRY_POINTS = "wotr.policies"


@dataclasses.dataclass(frozen=True)
class Policy:
    """The scripted policy of a game."""

    name: str
    """The name of the game."""
    parameters: type
    """The parameters of ``scripted`` in this game, like ``BotKind.parameters``."""
    build: Callable[[Any, int], Bot]
    """Makes ``scripted`` from its parameters and a seed."""
    rollouts: Callable[[], Rollouts] | None = None
    """Rollouts for searches; None: searches use random rollouts."""
    score: Callable[[np.ndarray, np.ndarray, np.ndarray], None] | None = None
    """Writes scores of legal actions: (states ``[N]``, masks ``bool[N, A]``, scores ``float64[N, A]``). It
    must not read information hidden from the deciding seat. None: networks get no advice in this game."""
    prepare: Callable[[], object] = lambda: None
    """Compiles the kernels of ``score`` and ``expected``."""
    expected: Callable[[np.ndarray, np.ndarray, int, np.random.Generator], np.ndarray] | None = None
    """Computes the winning chances of the deciding team after some actions, ``float64[K]``: (worlds ``[W]``,
    actions ``int64[K]``, number of further decisions, random generator); None: ``rollouts`` are used."""
    hands: Hands | None = None
    """The hidden hands for beliefs; None: there are none."""


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
    """The usable policies, and the entry points that cannot be used."""

    def check(found: Any) -> str | None:
        fits = isinstance(found, Policy) and dataclasses.is_dataclass(found.parameters)
        return None if fits else f"must be a Policy, not {found!r}"

    return find_plugins(ENTRY_POINTS, OWN_POLICIES, check)


def policy_of(game: str) -> Policy | None:
    """The scripted policy of a game; None if the game has none. For a game of this package, no other package
    is loaded.

    Raises:
        BotError: the policy cannot be used.
    """
    if game in OWN_POLICIES:
        return OWN_POLICIES[game]
    kinds, broken, _ = policy_plugins()
    if game in broken and game not in kinds:
        raise BotError(broken[game])
    return kinds.get(game)


def prepare_game(game: str) -> None:
    """Compiles the rules of a game and its policy, if needed.

    Raises:
        BotError: the policy cannot be used.
    """
    game_kind(game).kernels.prepare()
    policy = policy_of(game)
    if policy is not None:
        policy.prepare()


def scripted_parameters(game: str) -> type | None:
    """The parameters of ``scripted`` in a game; None if ``scripted`` does not play the game."""
    policy = policy_of(game)
    return None if policy is None else policy.parameters


def scripted_bot(parameters: Any, seed: int, game: str) -> Bot:
    """Makes the bot ``scripted`` for a game that has a policy."""
    policy = policy_of(game)
    if policy is None:
        raise BotError(f"bot scripted does not play {game}")
    return policy.build(parameters, seed)
