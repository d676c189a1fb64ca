"""Processes for bots, each for one bot at a time; a failed process is replaced."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from wotr_env.play.bots import BotError
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.bot_errors import raised
from wotr_experiments.errors import one_line
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.isolation.children import process_context
from wotr_experiments.table import bot_process

_SOONER = 0.9
"""Share of the time limit after which the separate process of a bot is ended, so that its parent process
survives."""
_MOST_MAKING = 60.0
"""Minimal time limit in seconds for making a bot."""
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class BotFailed(Exception):
    """A bot raised an error or took too long, or its process died; the message is one line."""


class _Process:
    """One process."""

    def __init__(self, isolation: Isolation) -> None:
        self._pool = concurrent.futures.ProcessPoolExecutor(
            1,
            process_context("wotr_experiments.table.loaded"),
            initializer=bot_process.begin,
            initargs=(isolation,),
        )
        self._pid = asyncio.ensure_future(self._warm())

    async def _warm(self) -> int:
        """Starts the process; returns its ID when everything is loaded."""
        submit = self._pool.submit  # starts the process, which may take seconds
        started = await asyncio.to_thread(submit, bot_process.warm, DEFAULT_GAME)
        return await asyncio.wrap_future(started)

    async def ready(self) -> None:
        """Waits until everything is loaded."""
        await asyncio.shield(self._pid)

    async def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> Any:
        """Calls a function in the process; re-raises its errors, and raises TimeoutError if it takes too
        long."""
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
        """Kills the process."""
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
    """Processes for bots. An object uses the running event loop.

    Args:
        number: number of processes.
        seconds: time limit for an answer.
        isolation: the settings for bots in separate processes below these.
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
        """Waits until all processes have loaded everything."""
        await asyncio.gather(*(process.ready() for process in self._all))

    async def call(self, function: Callable[..., Any], game: str, spec: str, *arguments: Any) -> Any:
        """Calls a function of ``bot_process`` in the next free process.

        Args:
            function: the function.
            game: name of the game.
            spec: spec of the bot.
            arguments: further arguments.

        Raises:
            BotFailed: the bot raised an error or took too long, or its process died; it is then replaced.
        """
        making = (bot_process.preload_bot, (game, spec), max(_MOST_MAKING, self._seconds))
        return await self._calls([making, (function, (game, spec, *arguments), self._seconds)])

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function that needs no bot in the next free process.

        Raises:
            BotFailed: the function raised an error or took too long, or the process died; it is then
                replaced.
        """
        return await self._calls([(function, arguments, self._seconds)])

    async def _calls(self, calls: Sequence[tuple[Callable[..., Any], tuple[Any, ...], float]]) -> Any:
        """Runs some calls, each with its time limit in seconds; returns the result of the last one."""
        result = None
        async with self._taken() as process:
            for function, arguments, seconds in calls:
                try:
                    result = await process.call(function, arguments, seconds)
                except TimeoutError:
                    raise BotFailed(f"it did not answer in {seconds:g} seconds") from None
                except BrokenProcessPool:
                    raise BotFailed("its process died") from None
                except BotError as error:
                    result = BotFailed(str(error))  # the process has let go of the bot, and goes on
                    break
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
