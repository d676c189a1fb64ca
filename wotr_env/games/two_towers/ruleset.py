"""The options of The Two Towers, and the result of a game."""

from __future__ import annotations

import dataclasses

import numpy as np

from wotr_env.core.results import PlainResult
from wotr_env.core.rulesets import Options
from wotr_env.core.seats import Seat
from wotr_env.core.spelling import counted
from wotr_env.core.turns import check_max_turns
from wotr_env.games.two_towers.components import (
    FEWEST_PLAYERS,
    LOCATIONS,
    LONGEST,
    MOST_PLAYERS,
    MOST_SYMBOLS,
    NUM_LOCATIONS,
    QUALITIES,
    SHORTEST,
)
from wotr_env.games.two_towers.state import NONE, NUM_OPTIONS, NUM_REASONS, Losses, Opt, Reason

SEATS = tuple(
    Seat(f"player_{number}", f"Player {number}", number - 1) for number in range(1, 1 + MOST_PLAYERS)
)
ENDS = tuple(f"{seat.name}_{reason.name.lower()}" for seat in SEATS for reason in Reason)
HOUSE, DRAWN = "house", "drawn"
HOUSE_QUALITIES = (
    ("perseverance",),
    ("strength", "wisdom"),
    ("resolution",),
    ("wisdom", "resolution"),
    ("strength", "perseverance"),
    ("strength", "perseverance", "resolution"),
)
"""The qualities of the locations. Only the qualities of Fangorn are known (from the rulebook's example); we
chose the others."""
HOUSE_PATHS = (2, 2, 3, 3, 4, 4)
"""The number of spaces of the six path cards. Most sources give 2 to 4 spaces; we chose the number for each
card."""


_PRINTED = ("qualities", "paths")
_UNPRINTED = {HOUSE: "house {}", DRAWN: "{} drawn anew"}
_READINGS = ("may_decline", "take_back")
LOSSES = tuple(each.name.lower() for each in Losses)


def _read_qualities(written: str) -> tuple[tuple[str, ...], ...]:
    """Reads qualities such as ``perseverance/strength+wisdom/...``, with one part for each location.

    Raises:
        ValueError: the text is invalid.
    """
    parts = tuple(tuple(part.split("+")) for part in written.split("/"))
    if len(parts) != NUM_LOCATIONS:
        raise ValueError(
            f"qualities must have {NUM_LOCATIONS} locations, as in strength+wisdom/resolution/..."
        )
    for location, part in zip(LOCATIONS, parts, strict=True):
        unknown = [quality for quality in part if quality not in QUALITIES]
        if unknown:
            raise ValueError(f"{location} asks for {', '.join(QUALITIES)}, not {unknown[0]!r}")
        if len(part) > MOST_SYMBOLS or len(set(part)) != len(part):
            raise ValueError(f"{location} asks for one to {MOST_SYMBOLS} different qualities")
    return parts


def _read_paths(written: str) -> tuple[int, ...]:
    """Reads paths such as ``2+2+3+3+4+4``.

    Raises:
        ValueError: the text is invalid.
    """
    parts = written.split("+")
    if len(parts) != NUM_LOCATIONS or not all(part.isdecimal() for part in parts):
        raise ValueError(f"paths must be {NUM_LOCATIONS} numbers of spaces, as in 2+2+3+3+4+4")
    paths = tuple(int(part) for part in parts)
    if min(paths) < SHORTEST or max(paths) > LONGEST:
        raise ValueError(f"a path has {SHORTEST} to {LONGEST} spaces")
    return paths


@dataclasses.dataclass(frozen=True)
class TwoTowersRuleset(Options):
    """The number of players, the printed values of the cards, and choices between readings of the rules.

    Raises:
        ValueError: an option has an invalid value.
    """

    game = "The Two Towers"

    players: int = 2
    """The number of players, 2 to 5."""
    qualities: str = HOUSE
    """The qualities that the locations score: ``house`` values, ``drawn`` (at random for each game), or given
    for each location as in ``perseverance/strength+wisdom/...`` (TT1.2)."""
    paths: str = HOUSE
    """The spaces of the path cards: ``house`` values, ``drawn`` (at random for each game), or given as in
    ``2+2+3+3+4+4`` (TT1.3)."""
    may_decline: bool = False
    """Whether a player may draw nothing (TT2.5)."""
    take_back: bool = False
    """Whether the card that was just put into the display may be taken back (TT2.4)."""
    losses: str = LOSSES[Losses.ALL]
    """Which of two players put cards aside: with ``all``, both players, from each row scored; with
    ``takers``, only a player who took a token; with ``won``, only from rows of the qualities whose token the
    player took (TT6.3)."""
    max_turns: int = 0
    """The number of turns of all players together after which the points are counted; 0: no limit (TT7.4)."""

    def __post_init__(self) -> None:
        whole = isinstance(self.players, int) and not isinstance(self.players, bool)
        if not whole or not FEWEST_PLAYERS <= self.players <= MOST_PLAYERS:
            raise ValueError(f"players must be {FEWEST_PLAYERS} to {MOST_PLAYERS}, not {self.players!r}")
        check_max_turns(self.max_turns)
        for name in _READINGS:
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, not {value!r}")
        if self.losses not in LOSSES:
            raise ValueError(f"losses must be {' or '.join(LOSSES)}, not {self.losses!r}")
        for name in _PRINTED:
            value = getattr(self, name)
            if not isinstance(value, str):
                raise ValueError(f"{name} must be {HOUSE}, {DRAWN} or what is printed, not {value!r}")
        self.encode()

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the game."""
        return SEATS[: self.players]

    @property
    def title(self) -> str:
        """The number of players, and the differences from the default; house values are named as such."""
        said = [f"{self.players} players"]
        for name in _PRINTED:
            value = getattr(self, name)
            said.append(_UNPRINTED.get(value, f"{{}} {value}").format(name))
        said += [name.replace("_", " ") for name in _READINGS if getattr(self, name)]
        said += [f"losses {self.losses}"] if self.losses != LOSSES[Losses.ALL] else []
        said += [f"at most {counted(self.max_turns, 'turn')}"] if self.max_turns else []
        return ", ".join(said)

    @property
    def unprinted(self) -> str:
        """The values that differ from the printed ones: ``house qualities, house paths``; may be empty."""
        values = ((name, getattr(self, name)) for name in _PRINTED)
        return ", ".join(_UNPRINTED[value].format(name) for name, value in values if value in _UNPRINTED)

    def encode(self) -> np.ndarray:
        """The options in the order of ``Opt``, ``int8[NUM_OPTIONS + 1]``.

        Raises:
            ValueError: the text of qualities or paths is invalid.
        """
        options = np.full(NUM_OPTIONS + 1, NONE, dtype=np.int8)
        options[Opt.PLAYERS] = self.players
        options[Opt.MAY_DECLINE] = self.may_decline
        options[Opt.TAKE_BACK] = self.take_back
        options[Opt.LOSSES] = LOSSES.index(self.losses)
        options[Opt.DRAWN_QUALITIES] = self.qualities == DRAWN
        options[Opt.DRAWN_PATHS] = self.paths == DRAWN
        own = self.qualities in (HOUSE, DRAWN)
        printed = HOUSE_QUALITIES if own else _read_qualities(self.qualities)
        for location, part in enumerate(printed):
            first = Opt.SYMBOLS + MOST_SYMBOLS * location
            options[first : first + len(part)] = [QUALITIES.index(quality) for quality in part]
        own = self.paths in (HOUSE, DRAWN)
        options[Opt.PATHS : Opt.MAX_TURNS] = HOUSE_PATHS if own else _read_paths(self.paths)
        options[Opt.MAX_TURNS] = self.max_turns
        return options

    @classmethod
    def of(cls, state: np.record) -> TwoTowersRuleset:
        """The ruleset of a state (the inverse of ``write``), with ``house`` for house values."""
        options = state["options"]
        symbols = options[Opt.SYMBOLS : Opt.PATHS].reshape(NUM_LOCATIONS, MOST_SYMBOLS)
        printed = tuple(tuple(QUALITIES[each] for each in row if each != NONE) for row in symbols.tolist())
        paths = tuple(options[Opt.PATHS :].tolist())
        written = HOUSE if printed == HOUSE_QUALITIES else "/".join("+".join(part) for part in printed)
        spaces = HOUSE if paths == HOUSE_PATHS else "+".join(map(str, paths))
        return cls(
            players=int(options[Opt.PLAYERS]),
            qualities=DRAWN if options[Opt.DRAWN_QUALITIES] else written,
            paths=DRAWN if options[Opt.DRAWN_PATHS] else spaces,
            may_decline=bool(options[Opt.MAY_DECLINE]),
            take_back=bool(options[Opt.TAKE_BACK]),
            losses=LOSSES[int(options[Opt.LOSSES])],
            max_turns=int(state["max_turns"]),
        )


@dataclasses.dataclass(frozen=True)
class TwoTowersResult(PlainResult):
    """How a game ended; the winner is the number of the seat."""

    game = TwoTowersRuleset.game
    ends = ENDS
    points: tuple[int, ...]
    """The points of each seat."""

    @classmethod
    def more(cls, state: np.record) -> tuple[tuple[int, ...]]:
        """The points of the players."""
        return (tuple(state["points"][: state["players"]].tolist()),)

    def fits(self) -> bool:
        """Whether the winner plays, and the end is one of the winner's."""
        players = len(self.points)
        own = self.reason in ENDS[NUM_REASONS * self.winner :][:NUM_REASONS]
        return FEWEST_PLAYERS <= players <= MOST_PLAYERS and 0 <= self.winner < players and own
