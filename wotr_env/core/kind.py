"""The contract of a game: everything that the arena, records, the store, training and tables know about a
game.

A game is one ``GameKind``, known everywhere by its name. Two terms differ:

    seat    who decides and what it knows: 0, 1, ... in the order of ``Ruleset.seats``
    team    who wins: 0, 1, ...; each seat belongs to one, which may be its own

``wotr_env.games.war_of_the_ring.game`` is an example. A package adds another game through the entry point
group ``wotr.games`` (``wotr_env.play.games``).
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from wotr_env.compiler.kernels import KernelSet
from wotr_env.core.columns import Column, SummaryColumns
from wotr_env.core.descriptions import (
    Draw,
    GivenChance,
    Guide,
    Positions,
    ProperNames,
    Sentence,
    Step,
    Tone,
    Words,
)
from wotr_env.core.luck import Luck
from wotr_env.core.observation_layout import Layout
from wotr_env.core.protocols import Games
from wotr_env.core.rulesets import Ruleset, read_ruleset, ruleset_by_spec
from wotr_env.core.seats import Team


class End(NamedTuple):
    """A way in which a game can end."""

    name: str
    worth: float | tuple[float, ...]
    """The value of this end, from -1 to 1: one number for team 0, whose negative is the value for team 1; or
    one number for each team."""
    truncates: bool = False
    """Whether this end stops a game without a result by the rules, such as a turn limit; environments report
    a truncation."""


class Result(Protocol):
    """How a game ended, for records: a frozen dataclass."""

    @classmethod
    def of(cls, state: np.record) -> Self | None:
        """The result in a state; None if the game is not over."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The result as a dictionary for JSON."""
        ...

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """The inverse of ``to_dict``; raises ValueError for anything else."""
        ...


@dataclasses.dataclass(frozen=True)
class ActionSpace:
    """All actions of a game, with stable ids from 0."""

    names: tuple[str, ...]
    """Names such as ``region:minas-tirith``, by id."""
    blocks: Mapping[str, range]
    """The ids of the actions that name the same kind of object, by the name of the kind."""

    @property
    def size(self) -> int:
        """A, the number of actions."""
        return len(self.names)

    @functools.cached_property
    def ids(self) -> Mapping[str, int]:
        """The ids by name."""
        return {name: number for number, name in enumerate(self.names)}

    def find(self, action: Any) -> int:
        """The id of an action, given by its name or its id.

        Raises:
            ValueError: there is no such action; the message offers similar names.
        """
        if isinstance(action, str):
            if action in self.ids:
                return self.ids[action]
            close = difflib.get_close_matches(action, self.names, n=3) or self.names[:3]
            raise ValueError(f"there is no action {action!r}; names look like {', '.join(close)}")
        if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer)):
            raise ValueError(f"an action is given by its name or its integer id, not {action!r}")
        if not 0 <= action < self.size:
            raise ValueError(f"there is no action {action}: ids go from 0 to {self.size - 1}")
        return int(action)


class Kernels(Protocol):
    """Operations on N games, whose ``states`` are ``GameKind.state[N]`` and ``masks`` are ``bool[N, A]``.

    Both are written in place. A finished game has an empty mask, and a step does not change it.
    """

    def prepare(self) -> None:
        """Compiles the kernels, or loads them from the cache. Call it first in each process."""
        ...

    def start(self, states: np.ndarray, masks: np.ndarray, seeds: np.ndarray, ruleset: Any) -> None:
        """Sets up every game from its seed (integers of N) and runs it to its first decision."""
        ...

    def step(
        self,
        states: np.ndarray,
        masks: np.ndarray,
        actions: np.ndarray,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        """Applies a legal action (``int64[N]``) to games of a range, and runs each to its next decision."""
        ...

    def refresh(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Writes the masks of states that wait for a decision."""
        ...

    def observe(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """The observations of the seats (integers of N): a new ``int8[N, D]``."""
        ...

    def sample_worlds(self, states: np.ndarray, seats: np.ndarray, seeds: np.ndarray) -> None:
        """Resamples the information hidden from the seats (``int64[N]``), including future chance, from seeds
        (``int64[N]``)."""
        ...

    def note(self, states: np.ndarray, end_records: np.ndarray, rows: np.ndarray) -> None:
        """Stores results that the last states do not contain. Called after a step of the games in ``rows``
        (``int64[R]``)."""
        ...

    def conclude(self, states: np.ndarray, end_records: np.ndarray) -> None:
        """Writes ``GameKind.end_record[N]`` from the last states; unfinished games are allowed."""
        ...

    def check(self, states: np.ndarray) -> None:
        """Raises ValueError if a state breaks an invariant; the message names the first one."""
        ...


class Compiled(NamedTuple):
    """The rules as kernels, for code that compiles its own kernels on top of them, such as searches.

    The functions are kernels of the set. The first argument of each is one state. A state of a game with
    compiled rules also has the fields ``turn``, ``decision`` (the kind of the pending decision: its index in
    ``Layout.decision``) and those of ``wotr_env.core.chance``.
    """

    kernels: KernelSet
    apply: Callable[..., None]
    """Applies a legal action (int64)."""
    run: Callable[..., Any]
    """Runs the game to the next decision, and writes the mask of this decision (``bool[A]``)."""
    seed_chance: Callable[..., None]
    """Restarts the future chance from a seed (int64)."""
    team: Callable[..., Any]
    """The team of the deciding seat."""
    encode: Callable[..., None]
    """Writes the observation of a seat (int64) into the first D numbers of an ``int8`` array."""
    seats: int
    """The maximal number of seats."""


class Environments(NamedTuple):
    """Game-specific parts of the environments. None means the default for all games."""

    stepper: Callable[[np.ndarray, np.ndarray, np.ndarray], Callable[[np.ndarray], None]] | None = None
    """Takes the arrays of N games (states, masks, and observations ``int8[N, D]``), which are reused. Returns
    a function that plays legal actions (``int64[N]``) and writes the observations of the deciding seats."""
    end_info: Callable[[np.record, Any], dict[str, Any]] | None = None
    """The infos of a finished game with a ruleset; by default ``winner``, ``reason`` and
    ``winning_seats``."""
    text: Callable[[np.record, int | None], str] | None = None
    """A position from the view of a viewer (``check_viewer``), as text; by default from ``Words``."""
    image: Callable[[np.record, int | None], np.ndarray] | None = None
    """A position from the view of a viewer, as ``uint8[height, width, 3]``; by default the pixels of
    ``GameKind.drawing``."""


_AS_ALL = Environments()


@dataclasses.dataclass(frozen=True, eq=False)
class GameKind:
    """Everything that code outside the game's own package knows about a game."""

    name: str
    """The name in records, stores, commands and addresses, such as ``war-of-the-ring``."""
    title: str
    rules_version: int
    """Must change whenever the same seed and actions lead to a different game."""
    teams: tuple[Team, ...]
    """At least two teams. The seats of a ruleset may belong to only the first of them."""
    ends: tuple[End, ...]
    state: np.dtype
    """The dtype of a state: one record with everything. Every game has the fields ``seat`` (the deciding
    seat) and ``winner``; a game that counts turns also has ``turn``."""
    columns: tuple[Column, ...]
    shown: SummaryColumns
    ruleset: type[Ruleset]
    rulesets: Mapping[str, Any]
    """The named rulesets, such as ``first`` and ``second``; the first one is the default."""
    result: type[Result]
    actions: ActionSpace
    layout: Layout
    kernels: Kernels
    game: Callable[[int, Any], Any]
    """Makes a ``wotr_env.core.game.Game`` from a seed and a ruleset."""
    games: Callable[..., Games]
    """Makes a batch from the number of games, a seed and a ruleset; keyword arguments ``threads`` and
    ``auto_reset`` (``wotr_env.core.vector.Batch``)."""
    words: Words
    compiled: Compiled | None = None
    """The rules as kernels. None: the rules are not available as kernels, and search bots cannot play this
    game."""
    start_functions: Sequence[tuple[Any, str]] = ()
    """The functions that start games from seeds, each by its owner and its name, so that they can be counted;
    the second argument has one element per game. Empty: only ``kernels.start``."""
    device_games: Callable[[int, int, Any, Any], Any] | None = None
    """Makes ``games`` on a GPU, from the number of games, a seed, a ruleset and a result of
    ``device_machine``; None: this game does not run on a GPU."""
    device_machine: Callable[[int | None], Any] | None = None
    """The machine of ``wotr_env.cuda`` that plays ``device_games``: the GPU with a number; None: an emulated
    GPU, for tests."""
    endless: bool = False
    """Whether a game without a turn limit may go on forever. Tournaments, evaluation and training then set a
    limit."""
    environments: Environments = _AS_ALL
    """Game-specific parts of the environments."""
    events: Callable[[np.record, int, int | None], Step] | None = None
    """The events of a legal action that a viewer may see (``check_viewer``), first ``decided``. ``decided``
    is missing if the viewer may not even know that there was a choice. None: this game reports only its
    choices."""
    winners: Callable[[np.ndarray], np.ndarray] | None = None
    """The seats that win, alone or together, in states of one ruleset: ``bool[N, S]``. No seat of a team that
    has not won is among them. None: all seats of the winning team win."""
    picture: Callable[[np.record, int | None], dict[str, Any]] | None = None
    """A position from the view of a viewer (``check_viewer``), as plain data; None: no web page draws this
    game."""
    drawing: Draw | None = None
    """A position from the view of a viewer (``check_viewer``), as a ``wotr_env.core.shapes.Drawing``; None:
    this game is shown as text."""
    guide: Guide | None = None
    """Texts that web pages show next to the drawings; None: pages use only ``words``."""
    decision: Callable[[np.record], str] | None = None
    """The name of the kind of the pending decision, such as ``action-die``; None: kinds have no names."""
    openings: frozenset[str] = frozenset()
    """The kinds of decisions that start a line of choices, such as ``action-die``. The decisions after it
    carry out the choice. Empty: each choice is a line of its own."""
    choice_tree: Callable[[np.record], list[dict[str, Any]]] | None = None
    """The legal choices of a position, and the choices that would follow each
    (``wotr_env.games.war_of_the_ring.choice_tree``); None: tables do not show where a choice leads."""
    learners: Callable[[np.record, int], frozenset[int]] | None = None
    """The seats to which a legal action reveals new information: a random outcome, a card drawn or shown,
    another seat's choice or question; None: all seats always learn something."""
    given_chance: GivenChance | None = None
    """The random outcomes that a step needs, and how to give them; None: this game does not support given
    outcomes."""
    luck: Luck | None = None
    """The random outcomes of steps, and how to resample them. None: the luck of this game cannot be measured,
    and OpenSpiel cannot play it."""
    positions: Positions | None = None
    """Positions as one line of text; None: this game has no text form of positions."""
    proper_names: ProperNames | None = None
    """The names of the game's world; None: this game cannot be shown under other names."""

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        """The game itself: it holds functions and constants."""
        return self

    def find_ruleset(self, spec: str = "") -> Any:
        """The ruleset of a spec. A spec is the name of a ruleset and the options that differ from this
        ruleset. Without a name, the options differ from the default ruleset.

        Args:
            spec: such as ``second`` or ``second:mordor_idle=move,max_turns=40``; may be empty.

        Raises:
            ValueError: there is no such ruleset, option or value.
        """
        return ruleset_by_spec(spec, self.title, self.rulesets)

    def read_ruleset(self, given: Any = None) -> Any:
        """A ruleset from an object, its ``to_dict``, or a spec; None means the default.

        Raises:
            ValueError: it is not a ruleset of this game.
        """
        return read_ruleset(given, self.title, self.rulesets)

    def spec_of(self, ruleset: Any) -> str:
        """The spec of a ruleset: the named ruleset with the fewest different options, and these options."""

        def changes(name: str) -> list[str]:
            named = self.rulesets[name]
            pairs = [(field.name, getattr(ruleset, field.name)) for field in dataclasses.fields(ruleset)]
            return [
                f"{option}={_written(value)}" for option, value in pairs if value != getattr(named, option)
            ]

        name = min(self.rulesets, key=lambda each: len(changes(each)))
        return ":".join(filter(None, (name, ",".join(changes(name)))))

    def turn_limit(self, ruleset: Any) -> int:
        """The turn limit of a ruleset, its option ``max_turns``; 0: no limit."""
        return getattr(ruleset, "max_turns", 0)

    def limited(self, ruleset: Any, turns: int) -> Any:
        """The ruleset with a turn limit (0: no limit); unchanged if the game does not count turns.

        Raises:
            ValueError: the limit is not possible in this game.
        """
        if not hasattr(ruleset, "max_turns"):
            return ruleset
        return dataclasses.replace(ruleset, max_turns=turns)

    def with_turn_limit(self, ruleset: Any, turns: int) -> Any:
        """``limited``, for limits that a user gives.

        Raises:
            ValueError: the game has no turn limit, or the limit is not possible in this game.
        """
        limited = self.limited(ruleset, turns)
        if self.turn_limit(limited) != turns:
            raise ValueError(f"{self.title} has no turn limit")
        return limited

    @property
    def chance(self) -> Luck:
        """``luck`` of a game in which it is not None."""
        assert self.luck is not None
        return self.luck

    @property
    def draw(self) -> int:
        """The winner code of a game that no single team has won."""
        return len(self.teams)

    @property
    def counts_turns(self) -> bool:
        """Whether the game counts turns, in the field ``turn`` of its states."""
        return "turn" in (self.state.names or ())

    def teams_of(self, ruleset: Any) -> tuple[Team, ...]:
        """The teams of a ruleset that have seats."""
        return self.teams[: 1 + max(seat.team for seat in ruleset.seats)]

    def ends_of(self, ruleset: Any) -> tuple[End, ...]:
        """The ends that are possible with a ruleset: all except those that are best only for teams without a
        seat."""
        playing, worths = len(self.teams_of(ruleset)), self.worths
        can_come = worths[:, :playing].max(axis=1) == worths.max(axis=1)
        return tuple(end for end, comes in zip(self.ends, can_come.tolist(), strict=True) if comes)

    @functools.cached_property
    def end_record(self) -> np.dtype:
        """The dtype of an end record: ``winner``, ``reason`` (1 + the index in ``ends``; 0 if the game is not
        over), and the columns."""
        columns = [(column.name, column.dtype) for column in self.columns]
        return np.dtype([("winner", np.int8), ("reason", np.int8), *columns])

    @property
    def worths(self) -> np.ndarray:
        """The value of each end for each team: ``float64[E, T]``, from -1 to 1."""
        worths = [end.worth if isinstance(end.worth, tuple) else (end.worth, -end.worth) for end in self.ends]
        return np.array(worths, dtype=np.float64) + 0.0  # no -0.0

    def winning_seats(self, states: np.ndarray, ruleset: Any) -> np.ndarray:
        """The seats that win, alone or together, in states of a ruleset: ``bool[N, S]``."""
        if self.winners is not None:
            return self.winners(states)
        return states["winner"][:, None] == np.array([seat.team for seat in ruleset.seats])

    def new_states(self, seeds: npt.ArrayLike, ruleset: Any) -> tuple[np.ndarray, np.ndarray]:
        """New games of a ruleset at their first decisions, from seeds (integers of N): states, ``state[N]``,
        and masks, ``bool[N, A]``."""
        seeds = np.asarray(seeds)
        states = np.zeros(seeds.size, dtype=self.state)
        masks = np.zeros((seeds.size, self.actions.size), dtype=np.bool_)
        self.kernels.prepare()
        self.kernels.start(states, masks, seeds, ruleset)
        return states, masks

    def masks(self, states: np.ndarray) -> np.ndarray:
        """The legal actions of states that wait for a decision (``state[N]``): a new ``bool[N, A]``."""
        masks = np.zeros((len(states), self.actions.size), dtype=np.bool_)
        self.kernels.refresh(states, masks)
        return masks

    def conclude(self, states: np.ndarray) -> np.ndarray:
        """The end records of states, also of unfinished games: a new ``end_record[N]``, without what
        ``Kernels.note`` stores."""
        end_records = np.zeros(len(states), dtype=self.end_record)
        self.kernels.conclude(states, end_records)
        return end_records

    def end_of(self, state: np.record) -> np.record:
        """``conclude`` for one state: one record of ``end_record``."""
        return self.conclude(np.array([state], dtype=self.state))[0]

    def forfeit_result(self, seat: int, ruleset: Any) -> tuple[int, tuple[int, ...]]:
        """The winner, and the winning seats, if a seat forfeits: all seats of the other teams win."""
        loser = ruleset.seats[seat].team
        winners = tuple(number for number, each in enumerate(ruleset.seats) if each.team != loser)
        teams = {ruleset.seats[number].team for number in winners}
        return (teams.pop() if len(teams) == 1 else self.draw), winners

    def winner_name(self, winner: int) -> str:
        """The name of the winning team, or ``draw``."""
        return "draw" if winner == self.draw else self.teams[winner].name

    def reason_name(self, reason: int) -> str:
        """The name of an end, from the number in ``end_record["reason"]``."""
        return self.ends[reason - 1].name

    def opens(self, state: np.record) -> bool:
        """Whether the pending decision starts a line of choices; see ``openings``."""
        return self.decision is None or not self.openings or self.decision(state) in self.openings

    def who_learns(self, state: np.record, action: int) -> frozenset[int]:
        """The seats to which a legal action reveals new information; see ``learners``."""
        if self.learners is not None:
            return self.learners(state, action)
        return frozenset(range(len(self.ruleset().seats)))

    def step_of(self, state: np.record, action: int, seat: int | None = None) -> Step:
        """A legal action and its consequences, from the view of a seat or of ``PUBLIC``. If the view is None,
        all hidden information is included.

        In a game without ``events``, the step contains only the action, not its consequences.
        """
        if self.events is not None:
            return self.events(state, action, seat)
        decider = int(state["seat"])
        chosen = Sentence(Tone.CHOICE, decider, self.words.action(state, action), opens=True)
        return Step([{"kind": "decided", "seat": decider, "action": self.actions.names[action]}], [chosen])


def _written(value: Any) -> str:
    """The value of an option in a spec."""
    return str(value).lower() if isinstance(value, bool) else str(value)
