"""Which games can be searched, and their compiled searches: made from a game's kernels and its policy.

A game needs ``GameKind.compiled``, no more; simulations are then guided and played on by its policy's
``Rollouts`` (``policies.py``), or without one by chance. Those of more than two teams have values of each
(``several.py``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wotr_agents.compiled import ensure_searches
from wotr_agents.policies import Rollouts, policy_of
from wotr_agents.search import plain, several
from wotr_agents.search.kernels import SEARCHES
from wotr_agents.search.simulations import COMMON_TEMPLATES, GAME_NAMES, SETTINGS, TEMPLATES, simulate
from wotr_agents.search.tree import TALLY, new_scratch
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.templates import copies_of
from wotr_env.compiler.types import TupleType, array_of, record_of, tuple_of
from wotr_env.core.kind import Compiled, GameKind
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.play.games import DEFAULT_GAME, game_kind

_SOURCES = (
    "search/games.py",
    "search/kernels.py",
    "search/plain.py",
    "search/several.py",
    "search/simulations.py",
    "search/tree.py",
)
_SHARED = ("tree", "selection", "scores", "legal", "tally", "outcome", "noise")
"""Arguments that are of one type in all games."""


class Scratch(NamedTuple):
    """What simulations write to, and what a policy reads and writes; A is the number of actions."""

    states: np.ndarray
    """``kind.state[1]``: the game of the simulation."""
    mask: np.ndarray
    """``bool[A]``: its legal actions."""
    scores: np.ndarray
    """``float64[A]``: of its legal actions; then the priors that are made of them."""
    legal: np.ndarray
    """``int64[A]``: the legal actions in order."""
    tally: np.ndarray
    """``TALLY[A]``: of the children at hand."""
    tables: tuple
    """The policy's own."""
    values: np.ndarray
    """``float64[T]``: of the position that is valued, for each team of more than two."""


class SearchGame(NamedTuple):
    """What a search needs of a game; there is one of each game, whose copies and pickles are itself."""

    name: str
    """Of the game."""
    simulate: Callable[..., None]
    """As ``simulations.simulate``."""
    new_scratch: Callable[[], tuple]
    """Room for the simulations of one thread."""
    prepare: Callable[[], object]
    """Makes sure that it is compiled."""
    team: Callable[[np.record], Any]
    """The team of the seat that decides in a state."""
    expect: Callable[..., float] | None = None
    """As ``simulations.expect``; None: the game has an expectation of its own."""
    several: bool = False
    """Whether values are those of the team that decides, not of the first: in games of more than two."""

    def __reduce__(self) -> tuple[Any, ...]:
        return search_game, (self.name,)


OWN_SEARCHES = {DEFAULT_GAME: SearchGame(DEFAULT_GAME, simulate, new_scratch, ensure_searches, deciding_side)}
"""Those that are compiled together with other searches."""


def can_search(game: str) -> bool:
    """Whether a game has kernels that a search can be compiled on top of."""
    return game in OWN_SEARCHES or game_kind(game).compiled is not None


@functools.cache
def search_game(game: str) -> SearchGame:
    """What a search needs of a game that can be searched; nothing is compiled yet."""
    if game in OWN_SEARCHES:
        return OWN_SEARCHES[game]
    kind = game_kind(game)
    if kind.compiled is None:
        raise ValueError(f"{kind.title} cannot be searched: its rules are not compiled")
    policy = policy_of(game)
    rollouts = None if policy is None or policy.rollouts is None else policy.rollouts()
    return _made_for(kind, kind.compiled, rollouts or _plain(kind, kind.compiled))


def compile_game(game: str) -> None:
    """Makes sure that the rules of a game, its policy and searches in it are compiled.

    Raises:
        BotError: its policy cannot be used.
    """
    game_kind(game).kernels.prepare()
    policy = policy_of(game)
    if policy is not None:
        policy.prepare()
    if can_search(game):
        search_game(game).prepare()


class _NoTables(NamedTuple):
    """Of those who play at random: one number that nobody reads, since a tuple has a member."""

    nothing: np.ndarray


def _plain(kind: GameKind, compiled: Compiled) -> Rollouts:
    several = len(kind.teams) > 2
    return Rollouts(
        compiled.kernels,
        plain.score_evenly,
        plain.choose_evenly,
        plain.value_evenly_for if several else plain.value_evenly,
        lambda: _NoTables(np.zeros(1)),
        tuple_of(_NoTables, array_of(np.float64)),
        several,
    )


def _made_for(kind: GameKind, compiled: Compiled, rollouts: Rollouts) -> SearchGame:
    """Copies of the kernels of ``simulations.py`` or ``several.py``, in a set of their own."""
    many = len(kind.teams) > 2
    assert many == rollouts.several, f"the policy of {kind.title} is one of another number of teams"
    kernels = KernelSet(
        Path(__file__).parents[1],
        _SOURCES,
        needs=rollouts.kernels,
        name=f"{rollouts.kernels.name}.{kind.name}.search",
    )
    scratch = _scratch_type(kind, rollouts.types)
    kernels.argument_types |= {name: SEARCHES.argument_types[name] for name in _SHARED}
    kernels.argument_types |= {
        "scratch": scratch,
        "state": record_of(kind.state),
        "mask": array_of(np.bool_),
    }
    own = copies_of(
        (*COMMON_TEMPLATES[:2], plain.list_legal, plain.choose_at_random),
        {},
    )
    policy = copies_of((rollouts.score, rollouts.choose, rollouts.value), {})
    for function in policy.values():
        function.__globals__.update(
            {name: each for name, each in own.items() if name in function.__globals__}
        )
    meanings: dict[str, Any] = {
        "apply": compiled.apply,
        "run": compiled.run,
        "seed_chance": compiled.seed_chance,
        "deciding_side": compiled.team,
        "list_legal": own["list_legal"],
        "choose_at_random": own["choose_at_random"],
        "score_scripted": policy[rollouts.score.__name__],
        "choose_scripted": policy[rollouts.choose.__name__],
        "value_position": policy[rollouts.value.__name__],
    }
    assert meanings.keys() == set(GAME_NAMES)
    templates = TEMPLATES
    if many:
        templates = several.TEMPLATES
        meanings["last_team"] = len(kind.teams) - 1
    *_, searching, expecting = templates
    made = copies_of(templates[2:], {**meanings, "stream_word": own["stream_word"]})
    entry, looked_at = made.pop(searching.__name__), made.pop(expecting.__name__)
    for function in (*own.values(), *policy.values(), *made.values()):
        kernels.kernel(function)
    search = kernels.entry_point(worlds=array_of(kind.state), settings=SETTINGS)(entry)
    expected = kernels.entry_point(worlds=array_of(kind.state))(looked_at)
    size = kind.actions.size

    def new() -> Scratch:
        return Scratch(
            np.zeros(1, dtype=kind.state),
            np.zeros(size, dtype=np.bool_),
            np.zeros(size),
            np.zeros(size, dtype=np.int64),
            np.zeros(size, dtype=TALLY),
            rollouts.tables(),
            np.zeros(len(kind.teams)),
        )

    return SearchGame(kind.name, search, new, kernels.ensure_compiled, compiled.team, expected, many)


def _scratch_type(kind: GameKind, tables: TupleType) -> Any:
    return tuple_of(
        Scratch,
        array_of(kind.state),
        array_of(np.bool_),
        array_of(np.float64),
        array_of(np.int64),
        array_of(TALLY),
        tables,
        array_of(np.float64),
    )
