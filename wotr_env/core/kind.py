"""The contract of a game: all that arena, registry, records, store, learning and tables know of one.

A game is one ``GameKind``, made once and named everywhere by its name. Two words are kept apart in it:

    seat    who decides and what it knows: 0, 1, ... in the order of ``Ruleset.seats``
    team    who wins: 0, 1, ...; each seat belongs to one, which may be its own

``wotr_env.games.war_of_the_ring.game`` is the first fulfilment. A package adds another through the entry
points of the group ``wotr.games`` (``wotr_env.play.games``).
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from wotr_env.compiler.kernels import KernelSet
from wotr_env.core.codes import (
    GOING_ON as GOING_ON,
)
from wotr_env.core.codes import (
    MAX_SEED as MAX_SEED,
)
from wotr_env.core.codes import (
    NO_ACTION as NO_ACTION,
)
from wotr_env.core.columns import Column, Shown
from wotr_env.core.layout import (
    Field as Field,
)
from wotr_env.core.layout import (
    Layout,
)
from wotr_env.core.luck import Luck
from wotr_env.core.protocols import Game, Games
from wotr_env.core.rulesets import (
    Ruleset,
    read_ruleset,
    ruleset_by_spec,
)
from wotr_env.core.seats import (
    VIEWS as VIEWS,
)
from wotr_env.core.seats import (
    Seat as Seat,
)
from wotr_env.core.seats import (
    Team,
)
from wotr_env.core.seats import (
    check_seat as check_seat,
)
from wotr_env.core.seats import (
    check_team as check_team,
)
from wotr_env.core.states import (
    bytes_of as bytes_of,
)
from wotr_env.core.states import (
    copy_states as copy_states,
)
from wotr_env.core.states import (
    state_hash as state_hash,
)
from wotr_env.core.telling import (
    Asked as Asked,
)
from wotr_env.core.telling import (
    Draw,
    Guide,
    Outcomes,
    Positions,
    ProperNames,
    Sentence,
    Step,
    Tone,
    Words,
)
from wotr_env.core.telling import (
    Entry as Entry,
)


class End(NamedTuple):
    """A way in which a game can end."""

    name: str
    worth: float | tuple[float, ...]
    """From -1 to 1: to team 0, and to team 1 the same with the other sign; or to each team."""
    truncates: bool = False
    """Whether the game was cut off, as by a turn limit: environments truncate it."""


class Result(Protocol):
    """What a record says of a game's end: a frozen dataclass."""

    @classmethod
    def of(cls, state: np.record) -> Self | None:
        """Of a state; None if the game is not over."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        ...

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """The inverse of ``to_dict``; ValueError for what is none."""
        ...


@dataclasses.dataclass(frozen=True)
class ActionSpace:
    """Every action that a game can ever offer, by a stable id from 0."""

    names: tuple[str, ...]
    """``region:minas-tirith``"""
    blocks: Mapping[str, range]
    """The ids of the actions that point at the same kind of thing."""

    @property
    def size(self) -> int:
        """A, the number of actions."""
        return len(self.names)

    @functools.cached_property
    def ids(self) -> Mapping[str, int]:
        """The ids by name."""
        return {name: number for number, name in enumerate(self.names)}

    def find(self, action: Any) -> int:
        """The id of an action given by its name or its id, legal now or not.

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
    """Work on N games at once: ``states`` are ``GameKind.state[N]``, ``masks`` ``bool[N, A]``.

    Both are written in place. A finished game has an empty mask, and a step leaves it as it is.
    """

    def prepare(self) -> None:
        """Compiles, or loads what was compiled; before the first other call in a process."""
        ...

    def start(self, states: np.ndarray, masks: np.ndarray, seeds: np.ndarray, ruleset: Any) -> None:
        """Sets every game up from its seed (integers of N) and runs it to its first decision."""
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
        """What a seat (integers of N) sees of each game: a new ``int8[N, D]``."""
        ...

    def sample_worlds(self, states: np.ndarray, seats: np.ndarray, seeds: np.ndarray) -> None:
        """Draws anew what the seats (``int64[N]``) do not know, future chance included, from ``int64[N]``."""
        ...

    def note(self, states: np.ndarray, outcomes: np.ndarray, rows: np.ndarray) -> None:
        """After a step of the games in ``rows`` (``int64[R]``): keeps what the last states will not tell."""
        ...

    def conclude(self, states: np.ndarray, outcomes: np.ndarray) -> None:
        """Writes into ``GameKind.outcome[N]`` what the last states tell, of unfinished games too."""
        ...

    def check(self, states: np.ndarray) -> None:
        """Raises ValueError with the first thing that no position can have."""
        ...


class Compiled(NamedTuple):
    """The rules as kernels, for those who have kernels of their own compiled on top of them, as searches do.

    The functions are kernels of the set; each takes one state first. A state of such a game also has the
    fields ``turn``, ``decision`` (what the deciding seat is asked: its place in ``Layout.decision``) and
    those of ``wotr_env.core.chance``.
    """

    kernels: KernelSet
    apply: Callable[..., None]
    """Applies a legal action (int64)."""
    run: Callable[..., Any]
    """Runs to the next decision, and writes its mask (``bool[A]``)."""
    seed_chance: Callable[..., None]
    """Starts the chance to come anew from a seed (int64)."""
    team: Callable[..., Any]
    """The team of the seat that decides."""
    encode: Callable[..., None]
    """Writes what a seat (int64) sees into the first D numbers of an ``int8`` array."""
    seats: int
    """The most seats that a game can have."""


class Environments(NamedTuple):
    """What the environments of a game do in its own way; None: in the way of all games."""

    stepper: Callable[[np.ndarray, np.ndarray, np.ndarray], Callable[[np.ndarray], None]] | None = None
    """From the arrays of N games, which stay the same (states, masks, and observations ``int8[N, D]``): the
    function that plays legal actions (``int64[N]``) in them, and writes what the seats that decide see."""
    end_info: Callable[[np.record, Any], dict[str, Any]] | None = None
    """What infos tell of a finished game of a ruleset; by default ``winner``, ``reason`` and
    ``winning_seats``."""
    text: Callable[[np.record, int | None], str] | None = None
    """A position for a viewer (``check_viewer``), as text; by default in the words of ``Words``."""
    image: Callable[[np.record, int | None], np.ndarray] | None = None
    """The same as ``uint8[height, width, 3]``; by default the pixels of ``GameKind.drawing``."""


_AS_ALL = Environments()


@dataclasses.dataclass(frozen=True, eq=False)
class GameKind:
    """All that anything outside a game's own rooms knows of it."""

    name: str
    """``war-of-the-ring``: in records, stores, commands and addresses."""
    title: str
    rules_version: int
    """Moves whenever the same seed and actions lead to another game."""
    teams: tuple[Team, ...]
    """Two or more; the seats of a ruleset may be of the first of them alone."""
    ends: tuple[End, ...]
    state: np.dtype
    """One record a game, everything in it. Fields ``seat`` (who decides) and ``winner`` can be read, and
    ``turn`` in a game that counts turns."""
    outcome: np.dtype
    """How a game ended: ``winner``, ``reason`` (1 + its place in ``ends``, 0: not over), and the columns."""
    columns: tuple[Column, ...]
    shown: Shown
    ruleset: type[Ruleset]
    rulesets: Mapping[str, Any]
    """Those that have a name, such as ``first`` and ``second`` edition; the first is played by default."""
    limited: Callable[[Any, int], Any]
    """A ruleset with its games over after so many turns, for players that wander."""
    result: type[Result]
    actions: ActionSpace
    layout: Layout
    kernels: Kernels
    game: Callable[[int, Any], Game]
    """From a seed and a ruleset."""
    games: Callable[..., Games]
    """From their number, a seed and a ruleset, and by name ``threads`` and ``auto_reset``
    (``wotr_env.core.vector.Batch``)."""
    words: Words
    compiled: Compiled | None = None
    """The rules as kernels; None: nothing is compiled on top of them, and no bot searches in this game."""
    device_games: Callable[[int, int, Any, Any], Any] | None = None
    """``games`` on a GPU: from their number, a seed, a ruleset and a machine of ``wotr_env.cuda``; None: this
    game runs on none."""
    turn_limit: Callable[[Any], int] = lambda _ruleset: 0
    """The turns after which the games of a ruleset are over; 0: it sets no limit."""
    environments: Environments = _AS_ALL
    """What the environments of this game do in its own way."""
    events: Callable[[np.record, int, int | None], Step] | None = None
    """What a legal action does, as a viewer may know it (``check_viewer``); None: this game tells choices
    alone."""
    winners: Callable[[np.ndarray], np.ndarray] | None = None
    """Of states of one ruleset, ended or not, the seats that win alone or share: ``bool[N, S]``, none of a
    team that has not won; None: all seats of the team."""
    picture: Callable[[np.record, int | None], dict[str, Any]] | None = None
    """A position as a viewer may see it (``check_viewer``), as plain data; None: no page draws this game."""
    drawing: Draw | None = None
    """A position as a viewer may see it (``check_viewer``), as a ``wotr_env.core.shapes.Drawing``; None: this
    game is shown as text."""
    guide: Guide | None = None
    """What a page tells besides its drawings; None: it tells choices and questions in the words of all."""
    decision: Callable[[np.record], str] | None = None
    """The name of the pending decision's kind, for programs: ``action-die``; None: they have no names."""
    openings: frozenset[str] = frozenset()
    """The kinds of decisions that a line of choices begins with, such as ``action-die``: those after it say
    how it is carried out. Empty: each choice is a line of its own."""
    ways: Callable[[np.record], list[dict[str, Any]]] | None = None
    """The legal choices of a position, and those that would be asked next
    (``wotr_env.games.war_of_the_ring.ways``); None: no table lights up where a choice of this game leads."""
    learners: Callable[[np.record, int], frozenset[int]] | None = None
    """The seats to which a legal action tells what they could not know: an outcome of chance, a card drawn or
    shown, another seat's choice or question; None: everybody always learns."""
    outcomes: Outcomes | None = None
    """What chance a step needs, and how to give it; None: this game is not played with dice of one's own."""
    luck: Luck | None = None
    """When chance decides, and how it decides again; None: the luck of this game cannot be measured, and
    OpenSpiel does not play it."""
    positions: Positions | None = None
    """Positions as one line of text; None: those of this game are not written."""
    proper_names: ProperNames | None = None
    """The names of its world; None: this game is not shown under other names."""

    def find_ruleset(self, spec: str = "") -> Any:
        """The ruleset of a spec: a name, and options that differ; without a name those of the default.

        Args:
            spec: such as ``second``, ``second:mordor_idle=move,max_turns=40`` or nothing.

        Raises:
            ValueError: there is no such ruleset, option or value.
        """
        return ruleset_by_spec(spec, self.title, self.rulesets)

    def read_ruleset(self, given: Any = None) -> Any:
        """The ruleset that is given: an object, its ``to_dict``, or a spec; None is the default.

        Raises:
            ValueError: it is none of this game.
        """
        return read_ruleset(given, self.title, self.rulesets)

    @property
    def draw(self) -> int:
        """The winner of a game that no single team has won."""
        return len(self.teams)

    def teams_of(self, ruleset: Any) -> tuple[Team, ...]:
        """The teams that have seats."""
        return self.teams[: 1 + max(seat.team for seat in ruleset.seats)]

    def ends_of(self, ruleset: Any) -> tuple[End, ...]:
        """The ends that can come: not those best for teams alone that have no seat."""
        playing, worths = len(self.teams_of(ruleset)), self.worths
        can_come = worths[:, :playing].max(axis=1) == worths.max(axis=1)
        return tuple(end for end, comes in zip(self.ends, can_come.tolist(), strict=True) if comes)

    @property
    def worths(self) -> np.ndarray:
        """What each end is worth to each team: ``float64[E, T]``."""
        worths = [end.worth if isinstance(end.worth, tuple) else (end.worth, -end.worth) for end in self.ends]
        return np.array(worths, dtype=np.float64) + 0.0  # no -0.0

    def winning_seats(self, states: np.ndarray, ruleset: Any) -> np.ndarray:
        """The seats that win alone or share, of states that a ruleset is played in: ``bool[N, S]``."""
        if self.winners is not None:
            return self.winners(states)
        return states["winner"][:, None] == np.array([seat.team for seat in ruleset.seats])

    def after_forfeit(self, seat: int, ruleset: Any) -> tuple[int, tuple[int, ...]]:
        """Who has won when a seat gives up: the winner, and the seats that win, which are those of all other
        teams."""
        loser = ruleset.seats[seat].team
        winners = tuple(number for number, each in enumerate(ruleset.seats) if each.team != loser)
        teams = {ruleset.seats[number].team for number in winners}
        return (teams.pop() if len(teams) == 1 else self.draw), winners

    def winner_name(self, winner: int) -> str:
        """A team's name or ``draw``."""
        return "draw" if winner == self.draw else self.teams[winner].name

    def reason_name(self, reason: int) -> str:
        """The name of an end, by ``outcome["reason"]``."""
        return self.ends[reason - 1].name

    def opens(self, state: np.record) -> bool:
        """Whether a line of choices begins with the pending decision; see ``openings``."""
        return self.decision is None or not self.openings or self.decision(state) in self.openings

    def who_learns(self, state: np.record, action: int) -> frozenset[int]:
        """The seats to which a legal action tells what they could not know; see ``learners``."""
        if self.learners is not None:
            return self.learners(state, action)
        return frozenset(range(len(self.ruleset().seats)))

    def step_of(self, state: np.record, action: int, seat: int | None = None) -> Step:
        """What a legal action of a position does, as a seat or ``PUBLIC`` may know it; None: all of it.

        A game without ``events`` tells the action, and nothing that came of it.
        """
        if self.events is not None:
            return self.events(state, action, seat)
        decider = int(state["seat"])
        chosen = Sentence(Tone.CHOICE, decider, self.words.action(state, action), opens=True)
        return Step([{"kind": "decided", "seat": decider, "action": self.actions.names[action]}], [chosen])
