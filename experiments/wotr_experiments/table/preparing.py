"""Compiles the rules of all games in the background of the server, one after the other, in a separate
process."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import multiprocessing
from collections.abc import Iterable

from wotr_agents import BotError, make_bot
from wotr_env.play.bots import choose, view_of
from wotr_env.play.games import game_kind
from wotr_experiments.isolation.children import begin_child

_LOG = logging.getLogger(__name__)
_NICE = 5
_USUAL = "scripted"


def compile_rules(name: str) -> None:
    """Compiles the rules of a game and of its default bot, if needed."""
    kind = game_kind(name)
    states, masks = kind.new_states([0], kind.find_ruleset())
    try:
        bot = make_bot(_USUAL, 0, name)
    except BotError:  # this game has none
        return
    choose(bot, view_of(states, masks, kind), _USUAL)


class RulesCompiler:
    """The games whose rules are compiled in the background. An object uses the running event loop.

    Args:
        names: names of the games to compile, in order; other games count as compiled.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._waiting = {name: asyncio.Event() for name in names}
        self._task = asyncio.create_task(self._compile())

    def is_ready(self, name: str) -> bool:
        """Whether the rules of a game are compiled, or need not be compiled."""
        return name not in self._waiting or self._waiting[name].is_set()

    async def ready(self, name: str) -> None:
        """Waits until the rules of a game are compiled, or the compilation has failed."""
        if name in self._waiting:
            await self._waiting[name].wait()

    async def close(self) -> None:
        """Stops waiting for all games."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _compile(self) -> None:
        context = multiprocessing.get_context("spawn")
        pool = concurrent.futures.ProcessPoolExecutor(1, context, initializer=begin_child, initargs=(_NICE,))
        try:
            for name, event in self._waiting.items():
                try:
                    await asyncio.wrap_future(pool.submit(compile_rules, name))
                    await asyncio.to_thread(game_kind(name).kernels.prepare)
                except Exception:
                    _LOG.exception("the rules of %s cannot be compiled", name)
                event.set()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
