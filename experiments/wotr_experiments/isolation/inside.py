"""The nursery process (``python -m``) and its children: a keeper, which is the parent of the process of a
bot.

Nursery and keeper load only this package. When the bot or the arena ends in any way, the keeper kills the bot
and all processes that it has started, in any session; so no process remains.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import json
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from wotr_experiments.bot_errors import own_traceback, raised
from wotr_experiments.isolation.protocol import (
    ABOUT,
    COUNT,
    HEADER,
    LENGTH,
    MOST_TEXT,
    MOST_WORLDS,
    SIZES,
    VALUE,
    Kind,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from wotr_env.play.bots import Bot, BotView

_SET_CHILD_SUBREAPER = 36
"""Constant of prctl: orphaned descendants become children of this process."""
_MOST_SAID = 400
"""Maximal number of characters of the message about a bot's exception."""
_LOOK_AGAIN = 0.05
"""Polling interval in seconds, if the system does not report the end of a process."""
_MOST_ENDING = 10.0
"""Seconds after which processes that cannot be killed are abandoned."""


# --- The nursery. ---


def main(requests: int) -> None:
    """Becomes the nursery.

    Args:
        requests: descriptor of the socket for requests; the nursery ends when the socket is closed.
    """
    if sys.platform == "linux":  # elsewhere what was loaded may not live on in a process that is forked
        with contextlib.suppress(Exception):  # the bot's process will tell
            _load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers end by themselves
    asked = socket.socket(fileno=requests)
    while True:
        head, descriptors, _, _ = socket.recv_fds(asked, LENGTH.size, 3)
        if len(head) < LENGTH.size:
            return
        wanted = json.loads(bytes(_exactly(asked, *LENGTH.unpack(head))))
        with contextlib.suppress(OSError):  # no more processes: the arena finds the sockets closed
            if os.fork() == 0:
                asked.close()
                data, control, output = descriptors
                _start(data, control, output, wanted)
        for each in descriptors:
            os.close(each)


def _load() -> None:
    for name in ("wotr_agents.identity", "wotr_env.play.games"):
        importlib.import_module(name)


def _start(data: int, control: int, output: int, wanted: dict[str, Any]) -> NoReturn:
    """Becomes a keeper, and starts the process of a bot below it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    with contextlib.suppress(OSError, AttributeError):  # elsewhere than on Linux
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    bot = os.fork()
    if bot:
        os.close(data)
        os.close(output)
        _keep(socket.socket(fileno=control), bot)
    try:
        os.close(control)
        os.setsid()
        for each in (1, 2):
            os.dup2(output, each)
        os.close(output)
        _settle(wanted)
        with contextlib.suppress(OSError):  # the arena is gone, or the bot has closed the socket
            _Server(socket.socket(fileno=data)).serve()
        os._exit(0)
    except BaseException as error:
        print(raised(error), file=sys.stderr, flush=True)
        os._exit(1)


def _settle(wanted: dict[str, Any]) -> None:
    """Sets the arena's import paths, the limits, and fresh random state in a new process."""
    os.environ.clear()
    os.environ.update(wanted["environment"])
    sys.path[:] = wanted["paths"]
    importlib.invalidate_caches()
    if wanted["folder"] is not None:
        with contextlib.suppress(OSError):
            os.chdir(wanted["folder"])
    logging.getLogger("wotr_env.play.plugins").setLevel(
        logging.ERROR
    )  # the arena warns; here it would be the bot
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    _limit(wanted["memory"])


# --- The keeper. ---


def _keep(control: socket.socket, bot: int) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    control.sendall(f"{bot} {os.getpid()}\n".encode())
    opened = [os.pidfd_open(bot)] if hasattr(os, "pidfd_open") else []
    told, status = False, None
    while not told and status is None:
        ready = select.select([control, *opened], [], [], None if opened else _LOOK_AGAIN)[0]
        told = control in ready
        ended, status = os.waitpid(bot, os.WNOHANG)
        status = status if ended else None
    _end_all(bot)
    with contextlib.suppress(OSError):
        control.sendall(f"{'was ended' if status is None else _words(status)}\n".encode())
    os._exit(0)


def _end_all(bot: int) -> None:
    """Kills everything below this process."""
    until = time.monotonic() + _MOST_ENDING
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            os.killpg(bot, signal.SIGKILL)
        for child in _children():
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def _children() -> list[int]:
    """The descendants of this process, if the system lists them."""
    found, own = [], os.getpid()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int(stat.read_bytes().rpartition(b")")[2].split()[1]) == own:
                found.append(int(stat.parent.name))
    return found


def _words(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


# --- The bot's own process. ---


def _limit(memory: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory and sys.platform != "darwin":  # macOS refuses a limit of address space
        resource.setrlimit(resource.RLIMIT_AS, (memory * 2**20, memory * 2**20))


class _Server:
    """Answers the arena until the connection closes."""

    def __init__(self, data: socket.socket) -> None:
        self._data = data
        self._talking = threading.Lock()
        self._number = 0
        self._bot: Bot | None = None
        self._kind: Any = None
        self._begun = 0

    def serve(self) -> None:
        """Runs until an OSError shows that the arena or the bot has closed the socket."""
        while True:
            kind, self._number, body = self._receive()
            if kind == Kind.MAKE:
                self._make(json.loads(bytes(body)))
            else:
                self._ask(body, self._explain if kind == Kind.EXPLAIN else self._act)

    def _make(self, wanted: dict[str, Any]) -> None:
        try:
            from wotr_agents import BotError, make_bot, parse_spec
            from wotr_agents.identity import identity
            from wotr_env.play.bots import ExplainingBot
            from wotr_env.play.games import game_kind
        except BaseException as error:
            self._send_raised(error)
            return
        try:
            if self._kind is None:
                self._kind = game_kind(wanted["game"])
                self._count_games()
            self._bot = make_bot(wanted["spec"], wanted["seed"], wanted["game"])
            values = parse_spec(wanted["spec"], wanted["game"])[0].values
            what = identity(wanted["spec"], wanted["game"])
        except BotError as error:
            self._send_text(Kind.REFUSED, str(error))
        except BaseException as error:
            self._send_raised(error)
        else:
            explains = int(isinstance(self._bot, ExplainingBot))
            self._send_text(Kind.MADE, "\n".join((str(explains), " ".join(values.split()), what)))

    def _count_games(self) -> None:
        """Starts counting the games that are started from seeds, in any way."""

        def counted(begin: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(begin)
            def begin_and_count(first: Any, second: Any, *rest: Any, **options: Any) -> Any:
                self._begun += len(second)
                return begin(first, second, *rest, **options)

            return begin_and_count

        for owner, name in self._kind.start_functions or ((self._kind.kernels, "start"),):
            setattr(owner, name, counted(getattr(owner, name)))

    def _ask(self, body: bytearray, answer: Callable[[Bot, BotView, Callable[[], bool]], None]) -> None:
        import numpy as np

        from wotr_env.play.bots import BotView, NoActionError
        from wotr_env.play.history import EndedGame, GameHistory

        games, actions, seconds, ended = SIZES.unpack_from(body)
        place = SIZES.size
        seats = np.frombuffer(body, dtype=np.int8, count=games, offset=place)
        place += games
        masks = np.frombuffer(body, dtype=np.bool_, count=games * actions, offset=place)
        masks = masks.reshape(games, actions)
        place += games * actions
        before, given = bytes(body), []
        number = self._number

        def observe() -> np.ndarray:
            shape = games, self._kind.layout.size
            seen = np.frombuffer(self._request(number, Kind.OBSERVE), dtype=np.int8).reshape(shape)
            given.append((seen, seen.tobytes()))
            return seen

        def imagine(k: int, seeds: np.ndarray) -> np.ndarray:
            if games * k * self._kind.state.itemsize > MOST_WORLDS:
                raise MemoryError(f"{k} worlds for {games} games are more than are given at once")
            got = self._request(number, Kind.WORLDS, COUNT.pack(k), seeds.tobytes())
            return np.frombuffer(got, dtype=self._kind.state).reshape(games, k)

        def tell(everything: bool) -> list[list[dict[str, Any]]]:
            return json.loads(bytes(self._request(number, Kind.EVENTS, bytes([everything]))))

        past = None
        if ended >= 0:
            told = np.frombuffer(body, dtype="<i8", offset=place)
            over = told[2 * games :].reshape(ended, 2).tolist()
            numbers = told[: 2 * games].reshape(2, games)
            past = GameHistory(numbers, tuple(EndedGame(*each) for each in over), tell)

        try:
            assert self._bot is not None
            answer(
                self._bot,
                BotView(masks, seats, observe, imagine, seconds or None, past),
                lambda: body != before or any(seen.tobytes() != was for seen, was in given),
            )
        except NoActionError as error:
            self._send_text(Kind.STRANGE, str(error))
        except BaseException as error:
            self._send_raised(error)

    def _act(self, bot: Bot, view: BotView, tampered: Callable[[], bool]) -> None:
        import numpy as np

        from wotr_env.play.bots import describe_invalid_answer

        answer = np.asarray(bot.act(view))
        if answer.shape != view.seats.shape or not np.issubdtype(answer.dtype, np.integer):
            self._send_text(Kind.STRANGE, describe_invalid_answer(answer, len(view.seats)))
            return
        chosen = np.minimum(answer, np.iinfo(np.int64).max).astype("<i8").tobytes()
        self._send(Kind.ANSWER, ABOUT.pack(tampered(), min(self._begun, 2**32 - 1), _counted(bot)), chosen)

    def _explain(self, bot: Any, view: BotView, _tampered: Callable[[], bool]) -> None:
        parts = []
        for values in bot.explain(view):
            parts.append(COUNT.pack(len(values)))
            parts += [VALUE.pack(int(action), float(value)) for action, value in values]
        self._send(Kind.EXPLAINED, *parts)

    def _request(self, number: int, kind: Kind, *parts: bytes) -> bytearray:
        with self._talking:
            if number != self._number:
                raise RuntimeError("a view is valid during one call of act")
            self._send(kind, *parts)
            return self._receive()[2]

    def _receive(self) -> tuple[int, int, bytearray]:
        kind, number, length = HEADER.unpack(_exactly(self._data, HEADER.size))
        return kind, number, _exactly(self._data, length)

    def _send(self, kind: Kind, *parts: bytes) -> None:
        body = b"".join(parts)
        self._data.sendall(HEADER.pack(kind, self._number, len(body)) + body)

    def _send_raised(self, error: BaseException) -> None:
        """Sends the exception of the bot in one line, followed by the traceback."""
        said = " ".join(raised(error).split())[:_MOST_SAID]
        self._send_text(Kind.RAISED, f"{said}\n{own_traceback(error)}")

    def _send_text(self, kind: Kind, text: str) -> None:
        self._send(kind, text.encode(errors="replace")[:MOST_TEXT])


def _counted(bot: Any) -> int:
    """The number of simulations that a bot reports; 0 if it reports no valid number."""
    made = getattr(bot, "simulations", 0)
    return made if isinstance(made, int) and 0 <= made < 2**63 else 0


def _exactly(source: socket.socket, length: int) -> bytearray:
    got = bytearray(length)
    view = memoryview(got)
    while view:
        count = source.recv_into(view)
        if not count:
            raise OSError("nobody is at the other end")
        view = view[count:]
    return got


if __name__ == "__main__":
    main(int(sys.argv[1]))
