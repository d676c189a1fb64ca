"""Processes in which bots think, each for one bot at a time; one that fails is replaced."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator, Callable
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from wotr_env.play.bots import BotError
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.bot_errors import raised
from wotr_experiments.errors import one_line
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.table import thinking

_SOONER = 0.9
"""Part of its time after which a bot in a process of its own is given up, so that only that process ends."""
_MOST_MAKING = 60.0
"""Seconds for making a bot, at least."""
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class BotFailed(Exception):
    """A bot raised something, took too long, or its process died; the message is one line."""


class _Process:
    """One process."""

    def __init__(self, isolation: Isolation) -> None:
        self._pool = concurrent.futures.ProcessPoolExecutor(
            1, multiprocessing.get_context("spawn"), initializer=thinking.begin, initargs=(isolation,)
        )
        self._pid = asyncio.wrap_future(self._pool.submit(thinking.warm, DEFAULT_GAME))

    async def ready(self) -> None:
        """Returns when it has loaded everything."""
        await asyncio.shield(self._pid)

    async def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> Any:
        """The result of a function there, or what it raised; TimeoutError if it took too long."""
        await self.ready()
        answer = asyncio.wrap_future(self._pool.submit(function, *arguments))
        try:
            # Unlike wait_for, this takes an answer that came in time while others held up the event loop.
            done, _ = await asyncio.wait({answer}, timeout=seconds)
        finally:
            answer.cancel()
        if not done:
            raise TimeoutError
        return answer.result()

    def kill(self) -> None:
        """Ends the process, whatever it is doing."""
        if self._pid.done():
            self._end()
        else:
            self._pid.add_done_callback(lambda _: self._end())
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _end(self) -> None:
        if not self._pid.cancelled() and self._pid.exception() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid.result(), _KILL)


class Workers:
    """Processes for bots.

    Args:
        number: of processes.
        seconds: after which an answer is waited for no longer.
        isolation: which bots have processes of their own below these.

    It belongs to the running event loop.
    """

    def __init__(self, number: int, seconds: float, isolation: Isolation) -> None:
        self.closed = False
        self.number = number
        self._isolation = dataclasses.replace(isolation, watchdog=_SOONER * seconds)
        self._seconds = seconds
        self._all: set[_Process] = set()
        self._free: asyncio.Queue[_Process] = asyncio.Queue()
        for _ in range(number):
            self._start()

    async def ready(self) -> None:
        """Returns when all have loaded everything."""
        await asyncio.gather(*(process.ready() for process in self._all))

    async def call(self, function: Callable[..., Any], game: str, spec: str, *arguments: Any) -> Any:
        """The result of a function of ``thinking`` in the next process that is free.

        Args:
            function: there.
            game: the name of the game.
            spec: of the bot that is asked.
            arguments: the others.

        Raises:
            BotFailed: the bot failed; it raised something else, took too long, or the process died, which is
                then replaced.
        """
        async with self._taken() as process:
            try:
                await process.call(thinking.meet, (game, spec), max(_MOST_MAKING, self._seconds))
                result = await process.call(function, (game, spec, *arguments), self._seconds)
            except TimeoutError:
                raise BotFailed(f"it did not answer in {self._seconds:g} seconds") from None
            except BrokenProcessPool:
                raise BotFailed("its process died") from None
            except BotError as error:
                result = BotFailed(str(error))  # the process has let go of the bot, and goes on
            except Exception as error:
                raise BotFailed(one_line(raised(error))) from error
        if isinstance(result, BotFailed):
            raise result
        return result

    def close(self) -> None:
        """Ends all processes."""
        self.closed = True
        for process in self._all:
            process.kill()
        self._all.clear()

    def _start(self) -> None:
        process = _Process(self._isolation)
        self._all.add(process)
        self._free.put_nowait(process)

    @contextlib.asynccontextmanager
    async def _taken(self) -> AsyncIterator[_Process]:
        process = await self._free.get()
        try:
            yield process
        except BaseException:
            process.kill()
            if not self.closed:
                self._all.discard(process)
                self._start()
            raise
        self._free.put_nowait(process)
