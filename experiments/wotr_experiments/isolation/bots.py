"""Bots of the arena: in this process, or in separate processes that this module starts, replaces and
stops."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import math
import struct
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Self, TypeVar, cast

import numpy as np

from wotr_agents import Bot, BotError, BotView, make_bot, parse_spec
from wotr_agents.identity import identity
from wotr_agents.registry import is_built_in, starts_program
from wotr_env.core.codes import MAX_SEED
from wotr_env.play.bots import ExplainingBot, choose
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_experiments.bot_errors import raised
from wotr_experiments.errors import CommandError, one_line, printable
from wotr_experiments.isolation.nursery import Launch, nursery
from wotr_experiments.isolation.process import NEVER, BotProcess, BotProcessError, Frame, LateError
from wotr_experiments.isolation.protocol import ABOUT, COUNT, MOST_TEXT, MOST_WORLDS, SIZES, VALUE, Kind
from wotr_experiments.pauses import paused

_Answer = TypeVar("_Answer")

MOST_MAKING = 300.0
"""Seconds in which a process must start and make its bot."""
MOST_WARMING = 120.0
"""Limit of the warm-up in seconds."""
LONGEST_MESSAGE = 300
"""Maximal number of characters kept of an exception or of output."""
MEMORY = 4096
"""Default memory limit of a bot's process in MiB: enough for torch and large networks without a GPU."""
_LEAST_MEMORY = 512
WATCHDOG = 600.0
"""Default watchdog in seconds for bots without a time limit: minutes, because search bots need seconds."""
_FURTHER = 0.1
"""Share of the watchdog's seconds that is added for each further game in the call."""
_MOST_WATCHDOG = 1e6


class Isolate(StrEnum):
    """The choice of the bots that run in separate processes."""

    FOREIGN = "foreign"
    """Bots of other packages."""
    ALL = "all"
    NONE = "none"


@dataclasses.dataclass(frozen=True)
class Isolation:
    """Settings for the isolation and the watchdog of bots.

    Raises:
        CommandError: the memory or the watchdog is out of range.
    """

    which: str = Isolate.FOREIGN
    """A member of ``Isolate``."""
    memory: int = MEMORY
    """Memory limit of a bot's process in MiB; 0: no limit, needed for a GPU."""
    watchdog: float = WATCHDOG
    """Seconds after which a bot without a time limit forfeits, whether isolated or not; 0: no limit."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "which", Isolate(self.which))
        if self.memory and self.memory < _LEAST_MEMORY:
            raise CommandError(
                f"the memory of a bot must be 0 (no limit) or at least {_LEAST_MEMORY} MiB, not {self.memory}"
            )
        if not (math.isfinite(self.watchdog) and 0 <= self.watchdog <= _MOST_WATCHDOG):
            raise CommandError(
                f"the watchdog must be a number of seconds from 0 (no limit) to {_MOST_WATCHDOG:g}, not "
                f"{self.watchdog:g}"
            )

    def isolates(self, spec: str) -> bool:
        """Whether a bot runs in a separate process; an external program always does."""
        foreign = self.which == Isolate.FOREIGN and not is_built_in(spec)
        return self.which == Isolate.ALL or foreign or starts_program(spec)

    def call_timeout(self, games: int) -> float:
        """The limit in seconds for an answer of a bot without a time limit, for a number of games; 0: no
        limit."""
        return self.watchdog * (1 + _FURTHER * (games - 1))


class BotRaisedError(Exception):
    """An isolated bot raised an exception; the message is that of Python.

    Args:
        message: one line of text.
        traceback: the lines of the traceback; may be empty.
    """

    def __init__(self, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.traceback = traceback


class InvalidAnswerError(Exception):
    """The answer of an isolated bot was not a row of integers; the message describes it."""


class IsolatedBot:
    """A bot in a separate process, which is started at the first call, and restarted after a failure.

    Args:
        spec: spec of the bot.
        seed: seed of the bot's random stream; after each restart, a seed derived from it is used.
        game: the name of the game.
        isolation: the limits of the bot's process.
        clock: a clock in seconds.

    Attributes:
        warm: the warm-up view for each new process; None: no warm-up.
        tampered: whether the bot has written to arrays that it received.
        begun: number of games that the bot has started from seeds in its process, as far as known.
        simulations: number of simulations, if the bot counts them.
        making: seconds spent in starting processes, in warm-ups and in making the bot, within calls.
        printed: number of bytes that the bot's processes have printed.
        identity, explains, values: the identity of the bot, whether it has ``explain``, and the meaning of
            its values; its process reports them after it has made the bot.
    """

    def __init__(
        self,
        spec: str,
        seed: int,
        game: str,
        isolation: Isolation | None = None,
        clock: Callable[[], float] = paused.running_time,
    ) -> None:
        self._clock = clock
        self.spec, self.game, self.isolation = spec, game, isolation or Isolation()
        self._world_size = game_kind(game).state.itemsize
        self.warm: Callable[[], BotView] | None = None
        self.tampered, self.begun, self.simulations = False, 0, 0
        self._made_before, self.making = 0, 0.0
        self.identity, self.explains, self.values = "", False, ""
        self._printed = 0
        self._process: BotProcess | None = None
        self._is_warm, self._can_warm = False, True
        self._held = contextlib.ExitStack()
        self._launch: Launch | None = None
        self.begin(seed)

    @property
    def printed(self) -> int:
        """Number of bytes that the bot's processes have written to stdout and stderr."""
        return self._printed + (self._process.printed if self._process else 0)

    def begin(self, seed: int) -> None:
        """Makes a new bot at the next call, in the existing process."""
        self._seed, self._losses, self._made = seed, 0, False

    @paused.watched()
    def make(self) -> None:
        """Makes the bot if needed.

        Raises:
            BotError, BotRaisedError: the error that the bot's process reported.
            BotProcessError: the process has ended.
            CommandError: this system does not support such processes.
            OSError: the process cannot be started.
        """
        if self._launch is None:
            self._launch = self._held.enter_context(nursery())
        if self._process is None:
            self._process = BotProcess(self.isolation.memory, self._launch, self._clock)
            self._is_warm = False
        if self.warm is not None and self._can_warm and not self._is_warm:
            self._is_warm = True
            self._warm_up(self.warm())
        if not self._made:
            self._make(self._seed if not self._losses else _seed_after(self._seed, self._losses))
            self._made = True

    def act(self, view: BotView) -> np.ndarray:
        """Like ``Bot.act``, without a time limit; the errors are those of ``answer``."""
        return self.answer(view, self.isolation.call_timeout(len(view.seats)))

    def answer(self, view: BotView, seconds: float) -> np.ndarray:
        """Returns one action for each game of the view, unchecked: ``int64[B]``.

        Args:
            view: the view of the games.
            seconds: the time limit; 0: no limit.

        Raises:
            BotError, BotRaisedError, InvalidAnswerError: the bot cannot be made, raised an exception, or gave
                a wrong answer; its process continues.
            LateError: the time limit is exceeded; the process was killed.
            BotProcessError: the process ended or violated the protocol; it was killed.
        """
        return self._asked(view, seconds, self._answer)

    def explain(self, view: BotView) -> list[list[tuple[int, float]]]:
        """Like ``ExplainingBot.explain``; the errors are those of ``answer``."""
        return self._asked(view, self.isolation.call_timeout(len(view.seats)), self._explanation)

    @paused.watched()
    def _asked(self, view: BotView, seconds: float, ask: Callable[[BotView, float], _Answer]) -> _Answer:
        began = self._clock()
        try:
            self.make()
        except LateError:
            raise self._lost(BotProcessError(f"did not make the bot in {MOST_MAKING:g} s")) from None
        except BotProcessError as error:
            raise self._lost(error) from None
        finally:
            self.making += self._clock() - began
        try:
            return ask(view, seconds)
        except LateError:
            self._lost(BotProcessError(""))
            raise
        except BotProcessError as error:
            raise self._lost(error) from None

    def last_output(self) -> str:
        """The last output of the bot's process, in one printable line."""
        return self._process.last_output() if self._process else ""

    def close(self) -> None:
        """Stops the process; the bot is made again at the next call."""
        self._end()
        self._held.close()
        self._launch = None

    def _warm_up(self, view: BotView) -> None:
        """Warms up the bot, so that loading and compiling do not count as thinking time."""
        self._made = False
        try:
            self._make(0)
            self._answer(view, MOST_WARMING)
        except (BotError, BotRaisedError, InvalidAnswerError):
            pass
        except LateError:  # its clock will tell
            self._can_warm = False
            self._end()
            self.make()

    def _end(self) -> str:
        """Stops the process, if there is one; returns a description of how it ended."""
        if self._process is None:
            return ""
        how = self._process.end()
        self._printed += self._process.printed
        self._process, self._made = None, False
        return how

    def _make(self, seed: int) -> None:
        process = self._running()
        until = self._clock() + MOST_MAKING
        wanted = {"spec": self.spec, "seed": seed, "game": self.game}
        self._made_before = 0
        process.ask(Kind.MAKE, json.dumps(wanted).encode(), until=until)
        most = {Kind.MADE: MOST_TEXT, Kind.REFUSED: MOST_TEXT, Kind.RAISED: MOST_TEXT}
        came = process.receive(most, until)
        if came.kind == Kind.REFUSED:
            raise BotError(_text(came))
        if came.kind == Kind.RAISED:
            raise _raised(came)
        lines = came.body.decode(errors="replace").split("\n", 2)
        if len(lines) != 3:
            raise BotProcessError("has sent an unexpected message")
        self.explains = lines[0] == "1"
        self.values, self.identity = (one_line(line, LONGEST_MESSAGE) for line in lines[1:])

    def _answer(self, view: BotView, seconds: float) -> np.ndarray:
        games = len(view.seats)
        most = ABOUT.size + 8 * games
        return self._actions(self._reply(Kind.ASK, view, seconds, Kind.ANSWER, most), games)

    def _explanation(self, view: BotView, seconds: float) -> list[list[tuple[int, float]]]:
        games, actions = view.masks.shape
        most = games * (COUNT.size + VALUE.size * actions)
        return _values(self._reply(Kind.EXPLAIN, view, seconds, Kind.EXPLAINED, most), view.masks)

    def _reply(self, asked: Kind, view: BotView, seconds: float, wanted: Kind, most: int) -> bytearray:
        """The final reply of the bot, after its requests for data are answered."""
        process, (games, actions) = self._running(), view.masks.shape
        most_seeds = MOST_WORLDS // self._world_size
        until = self._clock() + seconds if seconds else NEVER
        ended = -1 if view.past is None else len(view.past.ended)
        parts = (
            SIZES.pack(games, actions, view.seconds or 0.0, ended),
            view.seats.tobytes(),
            view.masks.tobytes(),
        )
        process.ask(asked, *parts, *_past(view), until=until)
        while True:
            came = process.receive(
                {
                    Kind.OBSERVE: 0,
                    Kind.WORLDS: COUNT.size + 8 * most_seeds,
                    Kind.EVENTS: 1,
                    wanted: most,
                    Kind.STRANGE: MOST_TEXT,
                    Kind.RAISED: MOST_TEXT,
                },
                until,
            )
            if came.kind == Kind.OBSERVE:
                process.give(Kind.GIVEN, view.observations.tobytes(), until=until)
            elif came.kind == Kind.WORLDS:
                process.give(Kind.GIVEN, self._worlds(view, games, came.body), until=until)
            elif came.kind == Kind.EVENTS:
                process.give(Kind.GIVEN, _events(view, came.body), until=until)
            elif came.kind == wanted:
                return came.body
            elif came.kind == Kind.STRANGE:
                raise InvalidAnswerError(_text(came))
            else:
                raise _raised(came)

    def _worlds(self, view: BotView, games: int, body: bytearray) -> bytes:
        """The worlds that the bot requests."""
        (k,) = COUNT.unpack_from(body) if len(body) >= COUNT.size else (-1,)
        if k < 0 or len(body) != COUNT.size + 8 * games * k:
            raise BotProcessError("has sent an unexpected message")
        seeds = np.frombuffer(body, dtype="<i8", offset=COUNT.size).astype(np.int64)
        if len(seeds) and not 0 <= seeds.min() <= seeds.max() < MAX_SEED:
            raise BotProcessError("has sent an unexpected message")
        return view.worlds_from(k, seeds).tobytes()

    def _actions(self, body: bytearray, games: int) -> np.ndarray:
        if len(body) != ABOUT.size + 8 * games:
            raise BotProcessError("has sent an unexpected message")
        tampered, self.begun, made = ABOUT.unpack_from(body)
        self.simulations += max(0, made - self._made_before)
        self._made_before = made
        self.tampered |= bool(tampered)
        return np.frombuffer(body, dtype="<i8", offset=ABOUT.size).astype(np.int64)

    def _running(self) -> BotProcess:
        if self._process is None:
            raise BotProcessError("ended")
        return self._process

    def _lost(self, error: BotProcessError) -> BotProcessError:
        """Stops the process; returns an error that describes what happened to it."""
        words, process = str(error), self._process
        how = self._end()
        words = how if words == "ended" and how else words
        said = process.last_output() if process else ""
        words += f", having printed: {said[-LONGEST_MESSAGE:]}" if said else ""
        self._losses += 1
        return BotProcessError(f"its process {words}")


class Bots:
    """The bots of a worker: a process is kept for the next batch of the same bot.

    Args:
        isolation: the settings for bots in separate processes.
        clock: a clock in seconds.
    """

    def __init__(
        self, isolation: Isolation | None = None, clock: Callable[[], float] = paused.running_time
    ) -> None:
        self.isolation, self._clock = isolation or Isolation(), clock
        self._isolated: dict[tuple[str, str, int], IsolatedBot] = {}

    def seat(
        self,
        specs: list[str],
        seeds: list[int],
        game: str = DEFAULT_GAME,
        warm: Sequence[Callable[[], BotView] | None] = (),
    ) -> list[Bot]:
        """New bots for a batch; unused processes are stopped.

        Args:
            specs: specs of the bots.
            seeds: seeds of their random streams.
            game: the name of the game.
            warm: the warm-up view of each bot for a new process; None: no warm-up. By default there is none.
        """
        keys = [(spec, game, specs[:place].count(spec)) for place, spec in enumerate(specs)]
        for key in self._isolated.keys() - set(keys):
            self._isolated.pop(key).close()
        asked = warm or [None] * len(specs)
        return [self._bot(*each) for each in zip(keys, seeds, asked, strict=True)]

    def close(self) -> None:
        """Stops all processes."""
        for bot in self._isolated.values():
            bot.close()
        self._isolated.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _bot(self, key: tuple[str, str, int], seed: int, warm: Callable[[], BotView] | None) -> Bot:
        spec, game, _ = key
        if not self.isolation.isolates(spec):
            try:
                return make_bot(spec, seed, game)
            except Exception as error:
                return _UnmadeBot(error)
        if key not in self._isolated:
            self._isolated[key] = IsolatedBot(spec, seed, game, self.isolation, self._clock)
        bot = self._isolated[key]
        bot.warm = warm
        bot.begin(seed)
        return bot


class _UnmadeBot:
    """Placeholder for a bot that could not be made: it fails when called."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def act(self, view: BotView) -> np.ndarray:
        raise self.error


def ask(bot: Bot, view: BotView, spec: str) -> np.ndarray:
    """Returns the actions of a bot of ``Bots.seat`` after checking them: ``int64[B]``.

    Raises:
        BotError: the bot failed in any way; the message is one line.
    """
    return _answered(spec, lambda: choose(bot, view, spec))


def explanation(bot: Bot, view: BotView, spec: str) -> list[list[tuple[int, float]]] | None:
    """Returns a bot's values of its choices, best first; None if the bot has no ``explain``. The bot is from
    ``Bots.seat``.

    Raises:
        BotError: the bot failed in any way; the message is one line.
    """
    if not (bot.explains if isinstance(bot, IsolatedBot) else isinstance(bot, ExplainingBot)):
        return None
    found = _answered(spec, lambda: cast("ExplainingBot", bot).explain(view))
    return [[(int(action), float(value)) for action, value in row] for row in found]


def meaning_of_values(bot: Bot, spec: str) -> str:
    """The meaning of the values of a bot of ``Bots.seat``, in words."""
    return bot.values if isinstance(bot, IsolatedBot) else parse_spec(spec)[0].values


def _with_one_line_errors(what: str, late: str, asked: Callable[[], _Answer]) -> _Answer:
    """Runs a call and returns its result; raises BotError with an explanation, or ``late`` for a timeout."""
    try:
        return asked()
    except BotError:
        raise
    except LateError:
        raise BotError(f"{what}: {late}") from None
    except (CommandError, BotProcessError, BotRaisedError) as error:
        raise BotError(f"{what}: {error}") from None
    except InvalidAnswerError as error:
        raise BotError(f"{what}: it answered with {error}") from None
    except Exception as error:
        raise BotError(one_line(f"{what}: {raised(error)}")) from error


def _answered(spec: str, asked: Callable[[], _Answer]) -> _Answer:
    return _with_one_line_errors(f"bot {spec} failed", "it did not answer in time", asked)


def identity_of(bot: Bot, spec: str, game: str) -> str:
    """The identity of a bot of ``Bots.seat``; an isolated bot reports it after it is made.

    Raises:
        BotError: a file of the bot cannot be read.
    """
    return bot.identity if isinstance(bot, IsolatedBot) else identity(spec, game)


def check_made(spec: str, bot: Bot) -> None:
    """Checks that a bot of ``Bots.seat`` can be made.

    Raises:
        BotError: the bot cannot be made.
    """

    def make() -> None:
        if isinstance(bot, IsolatedBot):
            bot.make()
        elif isinstance(bot, _UnmadeBot):
            raise bot.error

    _with_one_line_errors(f"bot {spec} cannot be made", f"it took more than {MOST_MAKING:g} s", make)


def _past(view: BotView) -> list[bytes]:
    """The past of a view, appended to its masks."""
    if view.past is None:
        return []
    ended = np.array(view.past.ended, dtype="<i8")
    return [each.astype("<i8").tobytes() for each in (view.past.games, view.past.decisions, ended)]


def _events(view: BotView, body: bytearray) -> bytes:
    """The events that the bot requests."""
    if view.past is None or body not in (b"\0", b"\1"):
        raise BotProcessError("has sent an unexpected message")
    return json.dumps(view.past.tell(body == b"\1"), separators=(",", ":")).encode()


def _values(body: bytearray, masks: np.ndarray) -> list[list[tuple[int, float]]]:
    """The values of legal actions sent by a bot; raises BotProcessError for anything else."""
    found, place = [], 0
    try:
        for legal in masks:
            (count,) = COUNT.unpack_from(body, place)
            place += COUNT.size
            row = [VALUE.unpack_from(body, place + VALUE.size * number) for number in range(count)]
            place += VALUE.size * count
            if not all(0 <= action < len(legal) and legal[action] and math.isfinite(v) for action, v in row):
                raise BotProcessError("has sent an unexpected message")
            found.append(row)
    except struct.error:
        raise BotProcessError("has sent an unexpected message") from None
    if place != len(body):
        raise BotProcessError("has sent an unexpected message")
    return found


def _raised(frame: Frame) -> BotRaisedError:
    said, *lines = frame.body.decode(errors="replace").split("\n")
    return BotRaisedError(one_line(said, LONGEST_MESSAGE), "\n".join(map(printable, lines)))


def _text(frame: Frame) -> str:
    return one_line(frame.body.decode(errors="replace"), LONGEST_MESSAGE)


def _seed_after(seed: int, losses: int) -> int:
    """The seed of a bot that is made again."""
    words = f"{seed} anew {losses}".encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "little") >> 1
