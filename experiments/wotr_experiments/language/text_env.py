"""A game between players in text, with the interface of TextArena's environments; TextArena is not needed.

    env.reset(num_players=2, seed=7)
    done = False
    while not done:
        player, observation = env.get_observation()
        done, info = env.step(action=players[player](observation))
    rewards, game_info = env.close()

Players are numbered in order of the seats without bots.
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
from wotr_env.play.bots import BotError
from wotr_env.play.games import DEFAULT_KIND
from wotr_experiments.cli.options import seat_named
from wotr_experiments.errors import one_line
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.language.naming import naming_of
from wotr_experiments.language.text_game import ActionRefused, Ending, TextGame

MOST_KEPT = 20_000
"""Maximal number of stored characters of an answer."""
FORFEIT = "forfeit"
"""The reason of a forfeited game."""
GAME = -1
"""The key of the game in ``TextState.role_mapping``."""
_ROW = re.compile(r"(?:\[[^\[\]]*\][\s,;]*)+")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_APART = re.compile(r"[\s,;]+")


class Failure(StrEnum):
    """Kinds of failed answers."""

    ILLEGAL = "illegal"
    """The answer contains no action, or an illegal one."""
    LATE = "late"
    """The answer was late."""
    CRASH = "crash"
    """There is no answer: the player failed."""


@dataclasses.dataclass
class Counts:
    """Counts of a player's answers in a game."""

    answers: int = 0
    """All answers, including failed ones."""
    illegal: int = 0
    late: int = 0
    crash: int = 0

    def add(self, failure: Failure) -> None:
        """Adds a failed answer."""
        setattr(self, failure.value, getattr(self, failure.value) + 1)


class Answer(NamedTuple):
    """An answer of a player, with its whole text."""

    decision: int
    """The number of decisions before it."""
    seat: int
    text: str
    """The text of the answer, at most ``MOST_KEPT`` characters; empty if there was none."""
    failure: str
    """A ``Failure``, or empty."""


@dataclasses.dataclass
class TextState:
    """The parts of ``env.state`` that wrappers of TextArena use."""

    num_players: int
    role_mapping: dict[int, str]
    """The titles of players, and of the game itself."""
    current_player_id: int = 0
    done: bool = False


@dataclasses.dataclass
class _Player:
    """A player that answers in text."""

    seat: int
    counts: Counts = dataclasses.field(default_factory=Counts)
    in_a_row: int = 0
    """Number of failed answers in a row."""
    knows: bool = False
    """Whether the player has received the position and the instructions."""
    note: str = ""
    """The message about the player's last answer."""


class TextEnv:
    """One game at a time, started by ``reset``.

    Args:
        ruleset: the ruleset; by default the game's first for the number of players.
        bots: the specs of bots by names of seats, such as ``{"shadow": "scripted"}``.
        allowance: the number of failed answers in a row that are allowed; one more loses the game.
        whole: whether each observation has the position and the instructions, for players without memory;
            otherwise only the first observation has them, and later ones contain only the events since then.
        kind: the game.
        isolation: the settings for bots in separate processes.
        legal_actions: whether each observation lists the legal actions; otherwise the instructions have the
            names of all actions, and refusals do not list legal actions.
        renamed: seed of invented names for regions, cards, characters and others (``naming.Renaming``), in
            observations and answers; None: the game's own names.
        board: whether the instructions have the map in words, if the game has one.

    Attributes:
        state: a ``TextState``, for wrappers.
        naming: the names used in observations and answers.
        answers: all answers of this game, in order.

    Raises:
        ValueError: the allowance is negative, the ruleset is unknown, or the game cannot be renamed.
    """

    def __init__(
        self,
        ruleset: Any = None,
        bots: Mapping[str, str] | None = None,
        allowance: int = 2,
        whole: bool = False,
        kind: GameKind = DEFAULT_KIND,
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
        """Starts a new game; the current game is discarded.

        Args:
            num_players: the number of players in text; bots have the seats given to them.
            seed: seed of the game; by default a secret seed.
            bot_seed: seed of the bots; by default derived from the seed.

        Raises:
            ValueError: the number of players is wrong, or a bot's seat does not exist.
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
        """The player to ask, and its observation; unchanged until it answers.

        Raises:
            ValueError: no answer is expected.
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
        """Processes the answer of the current player.

        Args:
            action: any text; its last row of brackets has the names of actions (see ``names_in``). An answer
                that is not a text, such as None, is illegal.

        Returns:
            Whether the game is over; and a dictionary with ``failure`` (a ``Failure``, or empty), ``message``
                and ``decisions`` (the number of decisions of this answer).

        Raises:
            ValueError: no answer is expected.
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
        """Reports that the current player gave no answer: it was late, or it failed.

        Args:
            failure: kind of failure.
            message: message for the player before its next prompt, a sentence.

        Returns:
            The same as ``step``.

        Raises:
            ValueError: no answer is expected.
        """
        _, player, game = self._asked()
        self._answered(player)
        self._keep(sum(game.decided), player, "", failure)
        self._failed(player, failure, message, message)
        return self.done, self._info(player, game.decided[player.seat], failure, message)

    def forget(self, players: Collection[int]) -> None:
        """Marks players as having lost their memory: they receive the position and the instructions again."""
        for number in players:
            self._players[number].knows = False

    def close(self) -> tuple[dict[int, int], dict[int, dict[str, Any]]]:
        """Ends the game and the processes of bots.

        Returns:
            Rewards by player (1 for a win of its team, -1 for a loss, otherwise 0), and ``game_info`` by
                player.
        """
        rewards, info = self.rewards(), self.game_info()
        self._end()
        return rewards, info

    def rewards(self) -> dict[int, int]:
        """Rewards as in ``close``; zeros while the game is not over."""
        if self._game is None:
            return {}
        seats = self._game.game.ruleset.seats
        won = {seats[winner].team for winner in self._ending.winners} if self._ending else set()
        return {
            number: 0 if not won else (1 if seats[player.seat].team in won else -1)
            for number, player in enumerate(self._players)
        }

    def game_info(self) -> dict[int, dict[str, Any]]:
        """Information about each player and the end of the game.

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
        """The ending of the game; None while the game is not over."""
        return self._ending

    @property
    def forfeit(self) -> tuple[int, str, str] | None:
        """For a forfeited game: the seat that lost, a ``Failure``, and the message."""
        return self._forfeit

    @property
    def decided(self) -> list[int]:
        """The number of decisions of each seat."""
        return [] if self._game is None else list(self._game.decided)

    @property
    def counts(self) -> list[Counts | None]:
        """Counts by seat; None for bots."""
        found: list[Counts | None] = [None] * len(self.decided)
        for player in self._players:
            found[player.seat] = player.counts
        return found

    def record(self, names: Mapping[int, str]) -> GameRecord:
        """Returns a record of the game so far.

        Args:
            names: names of the players by their numbers.

        Raises:
            ValueError: no game has been started.
        """
        if self._game is None:
            raise ValueError("no game has begun: call reset")
        return self._game.record({self._players[number].seat: name for number, name in names.items()})

    def _ruleset_for(self, num_players: int) -> Any:
        """The ruleset; by default one for this number of players and bots."""
        if self._ruleset is not None:
            return self._ruleset
        ruleset, seats = self.kind.find_ruleset(), num_players + len(self._bots)
        if seats != len(ruleset.seats):
            with contextlib.suppress(ValueError):
                return self.kind.find_ruleset(f":players={seats}")
        return ruleset

    def _asked(self) -> tuple[int, _Player, TextGame]:
        """The deciding player with its number, and the game."""
        if self._game is None:
            raise ValueError("no game has begun: call reset")
        if self.done:
            raise ValueError("the game is over: call close or reset")
        number = self.state.current_player_id
        return number, self._players[number], self._game

    def _answered(self, player: _Player) -> None:
        """Notes that the player has received everything and has answered."""
        assert self._game is not None
        player.counts.answers += 1
        player.knows, player.note = True, ""
        self._game.tell(player.seat)

    def _keep(self, at: int, player: _Player, answer: Any, failure: str = "") -> None:
        """Stores an answer that was given after ``at`` decisions."""
        text = answer[:MOST_KEPT] if isinstance(answer, str) else ""
        self.answers.append(Answer(at, player.seat, text, str(failure)))

    def _failed(self, player: _Player, failure: Failure, why: str, note: str) -> None:
        player.counts.add(failure)
        player.in_a_row += 1
        player.note = note
        if player.in_a_row > self.allowance and not self.done:
            self._lose(player.seat, failure, why)

    def _go(self, play: Callable[[], object]) -> None:
        """Plays until a player decides or the game is over; a failing bot loses the game."""
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
        """Ends the game: the given seat loses by forfeit."""
        assert self._game is not None
        seats = self._game.game.ruleset.seats
        winner, winners = self.kind.forfeit_result(seat, self._game.game.ruleset)
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
    """The names of actions in the last row of brackets of an answer, such as ``[face:army] [plan:attack]``.

    The brackets of a row, and names inside one pair, are separated by spaces, line breaks, commas, semicolons
    or nothing. Brackets without a name, such as ``[1]``, are ignored.

    Args:
        answer: any text.
        known: the names of all actions; texts with a colon count as names, too.

    Returns:
        The names, in order; an empty list if no row of brackets contains a name.
    """
    for row in reversed(_ROW.findall(answer)):
        groups = [_APART.split(group.strip()) for group in _BRACKETS.findall(row)]
        names = [group for group in groups if any(":" in name or name in known for name in group)]
        if names:
            return [name for group in names for name in group if name]
    return []
