"""The contract of a game: all that arena, registry, records, store, learning and tables know of one.

A game is one ``GameKind``, made once and named everywhere by its name. Two words are kept apart in it:

    seat    who decides and what it knows: 0, 1, ... in the order of ``Ruleset.seats``
    team    who wins: 0, 1, ...; each seat belongs to one, which may be its own

``wotr_env.games.war_of_the_ring.kind`` is the first fulfilment. A package adds another through the entry
points of the group ``wotr.games`` (``wotr_env.play.games``).
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import functools
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from wotr_env.compiler.kernels import KernelSet
from wotr_env.core.columns import Column, Shown
from wotr_env.core.protocols import Game, Games
from wotr_env.core.spelling import did_you_mean, find_spelled, known_names, spelled

GOING_ON = -1
"""The winner of a game that is not over; other winners are the number of a team or ``GameKind.draw``."""
NO_ACTION = -1
"""The action of a finished game, and of a mask without any."""
PUBLIC = -1
"""The viewer who has no seat and sees what everybody may see."""
VIEWS: Mapping[str, int | None] = {"public": PUBLIC, "all": None, "both": None}
"""Viewers by the words for them, besides the names of seats."""
MAX_SEED = 2**63 - 1
"""The largest seed of a game or a world."""


class Seat(NamedTuple):
    """One who decides."""

    name: str
    """``free_peoples``: in summaries and files."""
    title: str
    """``Free Peoples``: for people."""
    team: int


def check_seat(seat: Any, seats: Sequence[Seat]) -> int:
    """The number of a seat as an ``int``, given by that or by its name (``wotr_env.core.spelling``).

    Raises:
        ValueError: it is none of those who play.
    """
    if isinstance(seat, str):
        found = find_spelled(seat, [(each.name, each.title) for each in seats])
        if found is None:
            known = known_names(each.name for each in seats)
            raise ValueError(f"there is no player {seat!r}; this game has {known}")
        return found
    whole = isinstance(seat, (int, np.integer)) and not isinstance(seat, bool)
    if not whole or not 0 <= seat < len(seats):
        words = ", ".join(f"{number} ({each.title})" for number, each in enumerate(seats))
        raise ValueError(f"the seats of this game are {words}, not {seat!r}")
    return int(seat)


def check_viewer(viewer: Any, seats: Sequence[Seat]) -> int | None:
    """Who looks: the number of a seat, ``PUBLIC``, or None for somebody who may see all.

    Args:
        viewer: one of these, the name of a seat, ``public``, or ``all`` or ``both`` for all.
        seats: who play.

    Raises:
        ValueError: it is none of those.
    """
    if isinstance(viewer, str):
        word = spelled(viewer)
        return VIEWS[word] if word in VIEWS else check_seat(viewer, seats)
    return viewer if viewer is None or viewer == PUBLIC else check_seat(viewer, seats)


class Team(NamedTuple):
    """Those who win together."""

    name: str
    title: str
    short: str
    """``FP``: where there is little room."""


def check_team(team: str, teams: Sequence[Team]) -> int:
    """The number of a team by its name (``wotr_env.core.spelling``).

    Raises:
        ValueError: there is no such team.
    """
    found = find_spelled(team, [(each.name, each.title, each.short) for each in teams])
    if found is None:
        raise ValueError(f"there is no side {team!r}; this game has {known_names(t.name for t in teams)}")
    return found


class End(NamedTuple):
    """A way in which a game can end."""

    name: str
    worth: float | tuple[float, ...]
    """From -1 to 1: to team 0, and to team 1 the same with the other sign; or to each team."""
    truncates: bool = False
    """Whether the game was cut off, as by a turn limit: environments truncate it."""


class Ruleset(Protocol):
    """The options of a game: a frozen dataclass; made without arguments it is what is played by default."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays."""
        ...

    @property
    def title(self) -> str:
        """What is played, in a few words."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """For JSON; equal rulesets have equal dictionaries."""
        ...

    @classmethod
    def from_dict(cls, options: dict[str, Any]) -> Self:
        """The inverse of ``to_dict``; ValueError for what is none."""
        ...

    @classmethod
    def of(cls, state: np.record) -> Self:
        """That a game of this state is played by; ValueError if an option in it means nothing.

        This and ``write`` are asked of games that have ``GameKind.positions``.
        """
        ...

    def write(self, states: np.ndarray) -> None:
        """Lets the games of these states (``GameKind.state[N]``) be played by it from now on."""
        ...


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


@dataclasses.dataclass(frozen=True)
class Field:
    """A named part of the observation, ``int8`` of this shape."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    visible_to: str = "both"
    """``both``, ``owner`` (of the cards) or ``decider`` (zeros for the seat that does not decide)."""
    scale: float = 1.0
    """What learning multiplies its numbers by, for them to be of the order of 1."""

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


@dataclasses.dataclass(frozen=True)
class Layout:
    """An observation: D numbers of int8."""

    fields: tuple[Field, ...]
    decision: range
    """The places that tell one-hot which kind of decision the seat is asked; zeros if it is not."""
    split: Callable[[np.ndarray], dict[str, np.ndarray]] | None = None
    """As ``named``, if the fields do not follow one another."""
    fixed_scales: bool = False
    """Whether the scales never change, so that networks need not tell them: some are older than scales."""

    def named(self, observations: np.ndarray) -> dict[str, np.ndarray]:
        """The parts of observations, ``[..., D]``, by name: views, ``[..., *shape]``."""
        if self.split is not None:
            return self.split(observations)
        parts, place = {}, 0
        for field in self.fields:
            part = observations[..., place : place + field.size]
            parts[field.name] = part.reshape(*observations.shape[:-1], *field.shape)
            place += field.size
        return parts

    @property
    def size(self) -> int:
        """D."""
        return sum(field.size for field in self.fields)


class Draw(Protocol):
    """Draws positions."""

    def __call__(self, state: np.record, viewer: int | None, *, upright: bool = False) -> Any:
        """A position as a viewer may see it (``check_viewer``), as a ``wotr_env.core.shapes.Drawing``.

        Args:
            state: of a game.
            viewer: whose eyes.
            upright: for a page as wide as a phone, 390 pixels, rather than for a wide one.
        """
        ...


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


class Tone(enum.StrEnum):
    """What kind of sentence it is, for those who show it."""

    TURN = "turn"
    CHOICE = "choice"
    FORCED = "forced"  # the only legal choice, taken by the rules
    DEED = "deed"
    EFFECT = "effect"
    TEXT = "text"  # the rules text of a card
    MAJOR = "major"


@dataclasses.dataclass(frozen=True)
class Sentence:
    """A sentence about a step, without a full stop."""

    tone: Tone
    seat: int | None
    """Whose doing it is, if anybody's."""
    text: str
    opens: bool = False
    """Whether a new line of choices begins with it, rather than it going on with the seat's last one."""
    team: int | None = None
    """Whose doing it is, if it is a whole team's of several seats."""


class Step(NamedTuple):
    """An action, and all that the rules did until the next decision."""

    events: list[dict[str, Any]]
    """What happened, for JSON."""
    told: Sequence[Sentence]
    """The same in English, the action first."""


class Words(NamedTuple):
    """A game in English; the functions take a state."""

    position: Callable[[np.record], str]
    """As the seat that decides may see it."""
    decision: Callable[[np.record], str]
    """One sentence: who must decide what, or how the game ended."""
    action: Callable[[np.record, int], str]
    """An action of the pending decision."""
    layout: Callable[[np.record], str] | None = None
    """What lies on the table as a picture of letters, as the seat that decides may see it; may be empty."""
    parts: Callable[[np.record], Mapping[str, str]] | None = None
    """What can be looked up, as that seat may know it: by name a title, and after a line break the rest."""


class Asked(NamedTuple):
    """Outcomes of chance that a step needs next."""

    text: str
    """What is rolled or drawn, in words without a full stop."""
    number: int
    possible: Mapping[int, str]
    """The values that each may have, with their names; equal names are equally good."""
    secret: bool
    """Whether the values tell what is hidden, so that nobody may be asked for them."""
    asked_others: bool
    """Whether the step has asked another seat before, which had no choice: that tells of its hand."""


class Entry(NamedTuple):
    """A line of a legend."""

    name: str
    text: str
    """A sentence."""
    drawing: Any = None
    """How it looks, a small ``wotr_env.core.shapes.Drawing``; None: it has no looks of its own."""


class Guide(NamedTuple):
    """What a page that shows the ``drawing`` of a game tells besides."""

    question: Callable[[np.record], str]
    """The pending decision, said to who takes it: ``take a card or a landmark``."""
    legend: Callable[[Any], Mapping[str, Sequence[Entry]]]
    """Of a ruleset: what is seen in its drawings, by headings."""
    groups: Mapping[str, str]
    """Headings of choices, by the block of the actions (``ActionSpace.blocks``)."""
    finishing: frozenset[str] = frozenset()
    """The blocks of choices by which nothing more is done."""
    scores: Callable[[np.record], Sequence[int]] | None = None
    """Points of each seat at the end; None: the game has none."""


class Outcomes(NamedTuple):
    """Chance that comes from outside; the functions take a state, which they leave as it is."""

    asked: Callable[[np.record, int, Sequence[int]], Asked | None]
    """What a legal action needs after the first outcomes of its step; None: nothing more. ValueError if one
    of those does not fit."""
    check_tape: Callable[[Any], list[int]]
    """Outcomes as a list of integers; ValueError for what is none, or too long."""
    with_tape: Callable[[np.record, Sequence[int]], np.record]
    """The state with the next outcomes of its chance."""
    used: Callable[[np.record, np.record], tuple[int, ...]]
    """The outcomes that a step needed of those given, from the states before and after it."""
    left: Callable[[np.record], bool]
    """Whether outcomes that were given are still to come."""
    misfit: Callable[[np.record, int], str]
    """Why the outcomes given do not fit a legal action, in words."""


class Positions(NamedTuple):
    """Positions as one line of text (``wotr_env.core.notation``)."""

    write: Callable[[np.record, int | None], str]
    """Of a state that waits for a decision or is over, for the eyes of a seat; None: all of it."""
    read: Callable[[str, int | None, Any], Game]
    """A game that begins there, of whoever's eyes; ValueError for what is none. It has ``start``, the text of
    where it began for all eyes.

    From the text, a seed of the chance to come and of what those eyes do not see, and a ruleset to be played
    instead; None: as the text has it."""


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


_LONGEST_SHOWN = 100
"""Characters of what is no ruleset in an error."""


def read_ruleset(given: Any, title: str, rulesets: Mapping[str, Any]) -> Any:
    """A ruleset of a game, in any form that environments and games take.

    Args:
        given: an object, its ``to_dict``, or a spec as for ``GameKind.find_ruleset``; None is the default.
        title: of the game, for messages.
        rulesets: of the game, those that have a name; the first is the default.

    Raises:
        ValueError: it is none of this game.
    """
    default = next(iter(rulesets.values()))
    made_by = type(default)
    if given is None or isinstance(given, made_by):
        return default if given is None else given
    if isinstance(given, str):
        return _ruleset_by_spec(given, title, rulesets)
    if isinstance(given, Mapping):
        try:
            return made_by.from_dict(dict(given))
        except TypeError as error:
            raise ValueError(f"these are no options of a ruleset of {title}: {error}") from None
    shown = " ".join(repr(given).split())[:_LONGEST_SHOWN]
    wanted = f"a {made_by.__name__}, a dictionary of its options, or a spec such as {next(iter(rulesets))!r}"
    raise ValueError(f"a ruleset of {title} is {wanted}, not {shown}")


def _ruleset_by_spec(spec: str, title: str, rulesets: Mapping[str, Any]) -> Any:
    """See ``GameKind.find_ruleset``."""
    name, _, changes = spec.partition(":")
    name = name or next(iter(rulesets))
    if name not in rulesets:
        raise ValueError(f"{title} has no ruleset {name!r}; it has {', '.join(rulesets)}")
    ruleset = rulesets[name]
    options: dict[str, Any] = {}
    for change in filter(None, changes.split(",")):
        option, _, written = change.partition("=")
        known = [field.name for field in dataclasses.fields(ruleset)]
        if option not in known:
            raise ValueError(f"{title} has no option {option!r} of a ruleset{did_you_mean(option, known)}")
        options[option] = _read(written, type(getattr(ruleset, option)))
    return dataclasses.replace(ruleset, **options)


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

    positions: Positions | None = None
    """Positions as one line of text; None: those of this game are not written."""

    def find_ruleset(self, spec: str = "") -> Any:
        """The ruleset of a spec: a name, and options that differ; without a name those of the default.

        Args:
            spec: such as ``second``, ``second:mordor_idle=move,max_turns=40`` or nothing.

        Raises:
            ValueError: there is no such ruleset, option or value.
        """
        return _ruleset_by_spec(spec, self.title, self.rulesets)

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
        return np.array(worths, dtype=np.float64)

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


def _read(written: str, kind: type) -> Any:
    """The value of an option; what cannot be read as its type is left to the ruleset to refuse."""
    if kind is bool:
        return {"true": True, "false": False}.get(written, written)
    return int(written) if kind is int and written.removeprefix("-").isdecimal() else written


def bytes_of(records: np.ndarray) -> np.ndarray:
    """The memory of contiguous records, ``dtype[N]``, as ``uint8[N, bytes]``, which numpy copies faster."""
    return records.view(np.uint8).reshape(records.size, records.dtype.itemsize)


def copy_states(states: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
    """A copy of contiguous ``kind.state[N]``, or of some (int64[R])."""
    cells = bytes_of(states)
    copied = cells.copy() if rows is None else cells[rows]
    return copied.reshape(-1).view(states.dtype)


def state_hash(state: np.ndarray | np.record) -> str:
    """A fingerprint of a state's bytes, 32 hex digits; the same on every machine."""
    return hashlib.blake2b(state.tobytes(), digest_size=16).hexdigest()
