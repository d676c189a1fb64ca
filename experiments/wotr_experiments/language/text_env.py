"""A whole game between players in text, with the calls of TextArena's environments; nothing of it is needed.

    env.reset(num_players=2, seed=7)
    done = False
    while not done:
        player, observation = env.get_observation()
        done, info = env.step(action=players[player](observation))
    rewards, game_info = env.close()

Players are numbered in the order of the seats that no bot has.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import BotError
from wotr_experiments.cli.options import seat_named
from wotr_experiments.errors import one_line
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.language.naming import naming_of
from wotr_experiments.language.text_game import ActionRefused, Ending, TextGame

MOST_KEPT = 20_000
"""Characters of an answer that are kept."""
FORFEIT = "forfeit"
"""The reason of a game that was not played to its end."""
GAME = -1
"""Who the game is in ``TextState.role_mapping``."""
_ROW = re.compile(r"(?:\[[^\[\]]*\][\s,;]*)+")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_APART = re.compile(r"[\s,;]+")


class Failure(StrEnum):
    """Why an answer was no use."""

    ILLEGAL = "illegal"
    """It has no action, or one that is not legal."""
    LATE = "late"
    """It did not come in time."""
    CRASH = "crash"
    """There is none: the player failed."""


@dataclasses.dataclass
class Counts:
    """What is counted of a player in a game."""

    answers: int = 0
    """All of them, those that were no use too."""
    illegal: int = 0
    late: int = 0
    crash: int = 0

    def add(self, failure: Failure) -> None:
        """One more answer that was no use."""
        setattr(self, failure.value, getattr(self, failure.value) + 1)


class Answer(NamedTuple):
    """What a player has written, with all that it thought aloud."""

    decision: int
    """The decisions of the game before it."""
    seat: int
    text: str
    """As it was written, at most ``MOST_KEPT`` characters; empty if there was no text."""
    failure: str
    """A ``Failure``, or empty."""


@dataclasses.dataclass
class TextState:
    """What wrappers of TextArena look for in ``env.state``."""

    num_players: int
    role_mapping: dict[int, str]
    """The titles of players, and of the game itself."""
    current_player_id: int = 0
    done: bool = False


@dataclasses.dataclass
class _Player:
    """One who answers in text."""

    seat: int
    counts: Counts = dataclasses.field(default_factory=Counts)
    in_a_row: int = 0
    """Answers that were no use since the last that was."""
    knows: bool = False
    """Whether it was told the position and how to answer, and keeps it."""
    note: str = ""
    """What it is told of its last answer."""


class TextEnv:
    """One game at a time, begun by ``reset``.

    Args:
        ruleset: of the game; by default its first, for as many as play.
        bots: the specs of bots by names of seats, such as ``{"shadow": "scripted"}``.
        allowance: the answers in a row that may be no use; with one more the game is lost.
        whole: whether each observation has the position and how to answer, for players that keep nothing;
            otherwise the first has, and those after it have what happened since.
        kind: the game.
        isolation: which bots have processes of their own.
        legal_actions: whether each observation lists the legal actions; otherwise how to answer has the names
            of all actions, and a refusal does not tell what is legal.
        renamed: a seed of invented names, in observations and answers, for regions, cards, characters and
            others (``naming.Renaming``); None: the game's own names.
        board: whether how to answer has the map in words, if the game has one.

    Attributes:
        state: of type ``TextState``, for wrappers.
        naming: what things are called in observations and answers.
        answers: all that was answered in this game, in order.

    Raises:
        ValueError: the allowance is negative, there is no such ruleset, or the game does not tell its names.
    """

    def __init__(
        self,
        ruleset: Any = None,
        bots: Mapping[str, str] | None = None,
        allowance: int = 2,
        whole: bool = False,
        kind: GameKind = WAR_OF_THE_RING,
        isolation: Isolation | None = None,
        legal_actions: bool = True,
        renamed: int | None = None,
        board: bool = False,
    ) -> None:
        if allowance < 0:
            raise ValueError(f"the allowance is a number of answers from 0, not {allowance}")
        self.kind, self.allowance, self.whole = kind, allowance, whole
        self.naming, self._listed, self._board = naming_of(kind, renamed), legal_actions, board
        self.answers: list[Answer] = []
        self._ruleset = None if ruleset is None else kind.read_ruleset(ruleset)
        self._bots, self._isolation = dict(bots or {}), isolation
        self._game: TextGame | None = None
        self._players: list[_Player] = []
        self._ending: Ending | None = None
        self._forfeit: tuple[int, str, str] | None = None
        self.state = TextState(0, {})

    def reset(self, num_players: int, seed: int | None = None, bot_seed: int | None = None) -> None:
        """Begins a game, in place of the one that is played.

        Args:
            num_players: in text; bots have as many seats as they were given.
            seed: of all chance; by default a secret one.
            bot_seed: of the bots' own random numbers; by default it follows from the seed.

        Raises:
            ValueError: so many do not play, or a bot's seat is none of the game.
            BotError: there is no such bot.
        """
        self._end()
        ruleset = self._ruleset_for(num_players)
        bots = {seat_named(name, ruleset.seats): spec for name, spec in self._bots.items()}
        if num_players != len(ruleset.seats) - len(bots):
            raise ValueError(
                f"{len(ruleset.seats) - len(bots)} play in text: of {len(ruleset.seats)} seats "
                f"{len(bots)} have bots; not {num_players}"
            )
        self._game = TextGame(
            bots, ruleset, seed, self.kind, self._isolation, bot_seed, self._listed, self.naming
        )
        self.answers = []
        self._players = [_Player(seat) for seat in self._game.readers]
        self._ending = self._forfeit = None
        titles = {number: self._game.title_of(each.seat) for number, each in enumerate(self._players)}
        self.state = TextState(num_players, {GAME: "GAME", **titles})
        self._go(self._game.go_on)

    @property
    def done(self) -> bool:
        """Whether the game is over."""
        return self._ending is not None

    def get_observation(self) -> tuple[int, str]:
        """The player that is asked, and all that it is told; the same until it answers.

        Raises:
            ValueError: nobody is asked.
        """
        number, player, game = self._asked()
        parts = [] if player.knows and not self.whole else [self._how_to_answer(player.seat)]
        if news := game.news(player.seat):
            parts.append(f"What happened:\n{news}")
        if player.note:
            parts.append(player.note)
        if self.whole or not player.knows:
            parts.append(game.position())
        return number, "\n\n".join([*parts, game.asked()])

    def step(self, action: Any) -> tuple[bool, dict[str, Any]]:
        """Takes the answer of the player that is asked.

        Args:
            action: any text; the last row of brackets in it has the names of actions, ``names_in``. An answer
                that is no text, such as None, is an illegal answer.

        Returns:
            Whether the game is over; and for whoever plays the game ``failure`` (a ``Failure``, empty if it
            was none), ``message`` and ``decisions``, those that the answer has taken.

        Raises:
            ValueError: nobody is asked.
        """
        _, player, game = self._asked()
        before, at = game.decided[player.seat], sum(game.decided)
        self._answered(player)
        is_text, left = isinstance(action, str), []
        names = names_in(action, game.naming.names) if is_text else []

        def play() -> None:
            if not is_text:
                raise game.refused(f"the answer must be a text, not of type {type(action).__name__}")
            if not names:
                raise game.refused("the answer has no action in square brackets")
            left[:] = game.play(names)

        try:
            self._go(play)
        except ActionRefused as error:
            if game.decided[player.seat] > before:
                player.in_a_row = 0
            self._failed(player, Failure.ILLEGAL, f"{error}.", f"The last answer was refused: {error}.")
            self._keep(at, player, action, Failure.ILLEGAL)
            return self.done, self._info(player, before, Failure.ILLEGAL, str(error))
        self._keep(at, player, action)
        player.in_a_row = 0
        if left:
            player.note = f"Not played, because another player was asked first: {' '.join(left)}."
        return self.done, self._info(player, before)

    def fail(self, failure: Failure, message: str) -> tuple[bool, dict[str, Any]]:
        """The player that is asked has given no answer that can be read: it was late, or it failed.

        Args:
            failure: that is counted.
            message: that the player is told before it is asked again: a sentence.

        Returns:
            As ``step``.

        Raises:
            ValueError: nobody is asked.
        """
        _, player, game = self._asked()
        self._answered(player)
        self._keep(sum(game.decided), player, "", failure)
        self._failed(player, failure, message, message)
        return self.done, self._info(player, game.decided[player.seat], failure, message)

    def forget(self, players: Collection[int]) -> None:
        """Players have lost what they were told: they are told the position and how to answer once more."""
        for number in players:
            self._players[number].knows = False

    def close(self) -> tuple[dict[int, int], dict[int, dict[str, Any]]]:
        """Ends the game, and the processes of bots.

        Returns:
            By player 1 for a game that its team has won, -1 for one that it has lost, else 0; and by player
            what ``game_info`` has.
        """
        rewards, info = self.rewards(), self.game_info()
        self._end()
        return rewards, info

    def rewards(self) -> dict[int, int]:
        """As ``close``; zeros while the game goes on."""
        if self._game is None:
            return {}
        seats = self._game.game.ruleset.seats
        won = {seats[winner].team for winner in self._ending.winners} if self._ending else set()
        return {
            number: 0 if not won else (1 if seats[player.seat].team in won else -1)
            for number, player in enumerate(self._players)
        }

    def game_info(self) -> dict[int, dict[str, Any]]:
        """What is known of each player and of the game's end.

        Returns:
            By player ``role`` and ``seat``, ``turn_count`` (its decisions), ``answers``, ``illegal``,
            ``late`` and ``crash``, ``invalid_move`` (whether it lost by illegal answers), ``forfeit`` (a
            ``Failure`` by which it lost, or empty), ``reason`` (how the game ended, in words), ``end`` (the
            name of an ``End``, ``forfeit``, or empty), ``winner`` (a team, ``draw``, or empty) and
            ``winners`` (seats).
        """
        if self._game is None:
            return {}
        game, seats, ending = self._game, self._game.game.ruleset.seats, self._ending
        seat, failure, why = self._forfeit or (None, "", "")
        shared = {
            "reason": why or game.end(),
            "end": ending.reason if ending else "",
            "winner": self.kind.winner_name(ending.winner) if ending else "",
            "winners": [seats[each].name for each in ending.winners] if ending else [],
        }
        return {
            number: {
                "role": seats[player.seat].title,
                "seat": seats[player.seat].name,
                "turn_count": game.decided[player.seat],
                **dataclasses.asdict(player.counts),
                "invalid_move": player.seat == seat and failure == Failure.ILLEGAL,
                "forfeit": failure if player.seat == seat else "",
                **shared,
            }
            for number, player in enumerate(self._players)
        }

    @property
    def ending(self) -> Ending | None:
        """How the game ended; None while it goes on."""
        return self._ending

    @property
    def forfeit(self) -> tuple[int, str, str] | None:
        """Of a game that was not played to its end: the seat that lost it, a ``Failure``, and why."""
        return self._forfeit

    @property
    def decided(self) -> list[int]:
        """The decisions of each seat."""
        return [] if self._game is None else list(self._game.decided)

    @property
    def counts(self) -> list[Counts | None]:
        """By seat what is counted of its player; None of a bot."""
        found: list[Counts | None] = [None] * len(self.decided)
        for player in self._players:
            found[player.seat] = player.counts
        return found

    def record(self, names: Mapping[int, str]) -> GameRecord:
        """The game so far.

        Args:
            names: of the players, by their numbers.

        Raises:
            ValueError: no game has begun.
        """
        if self._game is None:
            raise ValueError("no game has begun: call reset")
        return self._game.record({self._players[number].seat: name for number, name in names.items()})

    def _ruleset_for(self, num_players: int) -> Any:
        """The ruleset; by default one for so many and the bots."""
        if self._ruleset is not None:
            return self._ruleset
        ruleset, seats = self.kind.find_ruleset(), num_players + len(self._bots)
        if seats != len(ruleset.seats):
            with contextlib.suppress(ValueError):
                return self.kind.find_ruleset(f":players={seats}")
        return ruleset

    def _asked(self) -> tuple[int, _Player, TextGame]:
        """The player that is asked, with its number."""
        if self._game is None:
            raise ValueError("no game has begun: call reset")
        if self.done:
            raise ValueError("the game is over: call close or reset")
        number = self.state.current_player_id
        return number, self._players[number], self._game

    def _answered(self, player: _Player) -> None:
        """It was told all, and has answered."""
        assert self._game is not None
        player.counts.answers += 1
        player.knows, player.note = True, ""
        self._game.tell(player.seat)

    def _keep(self, at: int, player: _Player, answer: Any, failure: str = "") -> None:
        """Keeps an answer that was given after so many decisions."""
        text = answer[:MOST_KEPT] if isinstance(answer, str) else ""
        self.answers.append(Answer(at, player.seat, text, str(failure)))

    def _failed(self, player: _Player, failure: Failure, why: str, note: str) -> None:
        player.counts.add(failure)
        player.in_a_row += 1
        player.note = note
        if player.in_a_row > self.allowance and not self.done:
            self._lose(player.seat, failure, why)

    def _go(self, play: Callable[[], None]) -> None:
        """Plays on until somebody is asked or the game is over; a bot that fails loses it."""
        assert self._game is not None
        game = self._game
        try:
            play()
        except BotError as error:
            self._lose(game.deciding, Failure.CRASH, str(error))
        finally:
            if game.over:
                self._ending = game.ending()
            elif not self.done and game.deciding in game.readers:
                self.state.current_player_id = game.readers.index(game.deciding)
            self.state.done = self.done

    def _lose(self, seat: int, failure: Failure, why: str) -> None:
        """The game is over by this seat's fault."""
        assert self._game is not None
        seats = self._game.game.ruleset.seats
        winner, winners = self.kind.after_forfeit(seat, self._game.game.ruleset)
        self._ending = Ending(winner, winners, FORFEIT)
        self._forfeit = seat, failure.value, one_line(f"{seats[seat].title} forfeits ({failure}): {why}")
        self.state.done = True

    def _info(self, player: _Player, before: int, failure: str = "", message: str = "") -> dict[str, Any]:
        assert self._game is not None
        decisions = self._game.decided[player.seat] - before
        return {"failure": str(failure), "message": message, "decisions": decisions}

    def _how_to_answer(self, seat: int) -> str:
        assert self._game is not None
        game, seats = self._game, self._game.game.ruleset.seats
        own = seats[seat]
        partners = [each.title for each in seats if each.team == own.team and each != own]
        others = [each.title for each in seats if each.team != own.team]
        team = f" With you plays {' and '.join(partners)}, against you" if partners else " Against you"
        verb = "play" if len(others) > 1 else "plays"
        one, other = game.naming.names[:2]
        rules = "" if game.naming.invented else f", {game.game.ruleset.title}"  # options tell names
        about = game.naming.text(
            f"You are {own.title} in a game of {self.kind.title}{rules}.{team} {verb} "
            f"{' and '.join(others)}.\n"
        )
        told = (
            "Answer in any words, and end with the name of a legal action in square brackets, such as "
            f"[{one}]. Several in a row, such as [{one}] [{other}], are played one after the other for as "
            "long as you are asked. Only the last row of brackets counts. An answer without an action, with "
            "one that is not legal, or that comes too late is told back to you; after more than "
            f"{self.allowance} of them in a row you lose the game."
        )
        parts = [about + told]
        if not self._listed:
            head = "The legal actions are not listed. These are the names of all actions:"
            parts.append(f"{head}\n{game.naming.grammar()}")
        if self._board and (board := game.board()):
            parts.append(f"The map:\n{board}")
        return "\n\n".join(parts)

    def _end(self) -> None:
        if self._game is not None:
            self._game.close()
        self._game, self._players = None, []


def names_in(answer: str, known: Collection[str]) -> list[str]:
    """The names of actions in the last row of brackets, ``[face:army] [plan:attack]``.

    Between the brackets of a row are spaces, line breaks, commas and semicolons, or nothing; so there are
    between several names in one pair. Brackets without a name, such as ``[1]``, are passed over.

    Args:
        answer: any text.
        known: the names of all actions; so is whatever has a colon.

    Returns:
        None if there is no such row.
    """
    for row in reversed(_ROW.findall(answer)):
        groups = [_APART.split(group.strip()) for group in _BRACKETS.findall(row)]
        names = [group for group in groups if any(":" in name or name in known for name in group)]
        if names:
            return [name for group in names for name in group if name]
    return []
