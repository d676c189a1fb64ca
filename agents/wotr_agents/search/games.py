"""The games that searches support, and their compiled searches, made from a game's kernels and policy.

A game needs only ``GameKind.compiled``. The ``Rollouts`` of its policy (``policies.py``) guide simulations
and play rollouts; without a policy, play is random. Games of more than two teams have a value for each team
(``several.py``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wotr_agents.networks import mlp
from wotr_agents.policies import policy_of, prepare_game
from wotr_agents.rollouts import Rollouts
from wotr_agents.search import guided, plain, playouts, several, simulations, tree
from wotr_agents.search.tree import TALLY, Scratch
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.masks import mask_kernels
from wotr_env.compiler.templates import specialize
from wotr_env.compiler.types import ArgumentType, TupleType, array_of, record_of, tuple_of
from wotr_env.core import chance
from wotr_env.core.kind import Compiled, GameKind
from wotr_env.play.bots import BotError
from wotr_env.play.games import OWN_GAMES, game_kind

_SOURCES = (
    "networks/mlp.py",
    "scores.py",
    "search/games.py",
    "search/guided.py",
    "search/plain.py",
    "search/playouts.py",
    "search/several.py",
    "search/simulations.py",
    "search/stand_ins.py",
    "search/tree.py",
)
_ENTRY_POINTS = ("simulate", "expect", "descend", "answer", "search", "play_out")


class SearchGame(NamedTuple):
    """The parts of a game for searches; one object per game, also after copying or pickling."""

    kind: GameKind
    kernels: KernelSet
    """The compiled searches."""
    call: Mapping[str, Callable[..., Any]]
    """The entry points of the searches by name: ``simulate`` and ``expect`` of ``simulations.py``, ``search``
    of ``guided.py``, also ``descend`` and ``answer`` in games of two teams, ``play_out`` of
    ``playouts.py``."""
    new_scratch: Callable[[], Scratch]
    """New working memory for the simulations of one thread."""
    has_policy: bool
    """Whether simulations use a policy instead of random play."""

    @property
    def seats(self) -> int:
        """The maximal number of seats."""
        return self._compiled.seats

    @property
    def several(self) -> bool:
        """Whether the game has more than two teams, with separate values."""
        return len(self.kind.teams) > 2

    def team(self, state: np.record) -> int:
        """The team of the deciding seat in a state."""
        return int(self._compiled.team(state))

    def prepare(self) -> float:
        """Compiles everything if needed; returns the seconds that this took."""
        self.new_scratch()  # tables of some policies take a moment, so not in the middle of a decision
        return self.kernels.ensure_compiled()

    @property
    def _compiled(self) -> Compiled:
        assert self.kind.compiled is not None
        return self.kind.compiled

    def __reduce__(self) -> tuple[Any, ...]:
        return search_game, (self.kind.name,)


def can_search(game: str) -> bool:
    """Whether searches support a game: the game must have kernels."""
    return game_kind(game).compiled is not None


@functools.cache
def search_game(game: str) -> SearchGame:
    """The parts of a game for searches; compiles nothing.

    Raises:
        BotError: searches do not support the game, or its policy cannot be used.
    """
    kind = game_kind(game)
    if kind.compiled is None:
        raise BotError(f"{kind.title} cannot be searched: its rules are not compiled")
    policy = policy_of(game)
    own = _basic_kernels(kind)
    if policy is None or policy.rollouts is None:
        return _made_for(kind, kind.compiled, _plain(kind, kind.compiled, own), own, has_policy=False)
    return _made_for(kind, kind.compiled, policy.rollouts(), own, has_policy=True)


def compile_game(game: str) -> None:
    """Compiles the rules of a game, its policy and its searches, if needed.

    Raises:
        BotError: its policy cannot be used.
    """
    prepare_game(game)
    if can_search(game):
        search_game(game).prepare()


class _NoTables(NamedTuple):
    """The empty tables of random play: one unused number, because a named tuple needs a member."""

    nothing: np.ndarray


def _basic_kernels(kind: GameKind) -> dict[str, Any]:
    """The kernels of random numbers and of masks, by the names of ``stand_ins.py``."""
    numbers = specialize((chance.mix, chance.stream_word), {})
    return {**numbers, **mask_kernels(kind.actions.size)._asdict()}


def _plain(kind: GameKind, compiled: Compiled, own: Mapping[str, Any]) -> Rollouts:
    """Rollouts for games without a policy."""
    many = len(kind.teams) > 2
    functions = (
        plain.score_evenly,
        plain.choose_evenly,
        plain.value_evenly_for if many else plain.value_evenly,
    )
    used = {name: own[name] for name in ("stream_word", "choose_at_random")}
    score, choose, value = specialize(functions, used).values()
    types = tuple_of(_NoTables, array_of(np.float64))
    return Rollouts(compiled.kernels, score, choose, value, lambda: _NoTables(np.zeros(1)), types, many)


def _templates(many: bool) -> Iterator[Any]:
    """The kernels of searches in games of two teams, or of more (``many``)."""
    yield from tree.TEMPLATES
    yield from several.TEMPLATES if many else simulations.TEMPLATES
    yield from mlp.TEMPLATES
    yield from guided.TEMPLATES
    yield from () if many else guided.EXTERNAL_NETWORK_TEMPLATES
    yield from playouts.TEMPLATES


def _argument_types(kind: GameKind, tables: TupleType) -> dict[str, ArgumentType]:
    """The types of the arguments of search kernels in a game; ``tables`` is the type of its policy's
    tables."""
    states, numbers = array_of(kind.state), array_of(np.float64)
    scratch = (states, array_of(np.bool_), numbers, array_of(np.int64), array_of(TALLY), tables, numbers)
    return {
        **tree.ARGUMENT_TYPES,
        **mlp.ARGUMENT_TYPES,
        **guided.ARGUMENT_TYPES,
        **playouts.ARGUMENT_TYPES,
        "scratch": tuple_of(Scratch, *scratch),
        "tables": playouts.tables_type(kind),
        "state": record_of(kind.state),
        "states": states,
    }


def _meanings(
    kind: GameKind, compiled: Compiled, own: Mapping[str, Any], score: Any, choose: Any, value: Any
) -> dict[str, Any]:
    """The functions and constants of a game, by the names of ``stand_ins.py``."""
    return {
        "stream_word": own["stream_word"],
        "list_legal": own["list_legal"],
        "choose_at_random": own["choose_at_random"],
        "apply": compiled.apply,
        "run": compiled.run,
        "seed_chance": compiled.seed_chance,
        "deciding_team": compiled.team,
        "encode": compiled.encode,
        "score_actions": score,
        "choose_action": choose,
        "value_position": value,
        "num_actions": kind.actions.size,
        "num_seats": compiled.seats,
        "observation_size": kind.layout.size,
        "last_team": len(kind.teams) - 1,
    }


def _made_for(
    kind: GameKind, compiled: Compiled, rollouts: Rollouts, own: Mapping[str, Any], *, has_policy: bool
) -> SearchGame:
    """Makes copies of the search kernels for a game, in a separate kernel set."""
    many = len(kind.teams) > 2
    assert many == rollouts.several, f"the policy of {kind.title} is for another number of teams"
    needed = rollouts.kernels
    title = kind.title if kind.name in OWN_GAMES else f"{kind.title} ({kind.name})"  # names must differ
    name = f"the search bots of {title}"
    kernels = KernelSet(Path(__file__).parents[1], _SOURCES, needs=needed, name=name)
    kernels.argument_types |= _argument_types(kind, rollouts.types)
    policy = specialize((rollouts.score, rollouts.choose, rollouts.value), {})
    made = specialize(_templates(many), _meanings(kind, compiled, own, *policy.values()))
    entries = {name: made.pop(name) for name in _ENTRY_POINTS if name in made}
    for function in (*own.values(), *policy.values(), *made.values()):
        kernels.kernel(function)
    one, together = array_of(kind.state), array_of(kind.state, 2)
    types_of: dict[str, dict[str, ArgumentType]] = {
        "simulate": {"worlds": one, "settings": simulations.SETTINGS},
        "expect": {"worlds": one},
        "descend": {"worlds": together, "settings": guided.SETTINGS},
        "search": {"worlds": together, "settings": guided.SETTINGS},
    }
    call = {name: kernels.entry_point(**types_of.get(name, {}))(entry) for name, entry in entries.items()}
    size = kind.actions.size

    def new_scratch() -> Scratch:
        return Scratch(
            states=np.zeros(1, dtype=kind.state),
            mask=np.zeros(size, dtype=np.bool_),
            scores=np.zeros(size),
            legal=np.zeros(size, dtype=np.int64),
            tally=np.zeros(size, dtype=TALLY),
            tables=rollouts.tables(),
            values=np.zeros(len(kind.teams)),
        )

    return SearchGame(kind, kernels, call, new_scratch, has_policy)
