"""What runs in a process of bots: their answers to positions that a table sends."""

from __future__ import annotations

import functools
import multiprocessing
import os
import secrets
import signal
import threading
import time
from typing import Any

import numpy as np

from wotr_agents import Bot, bot_kinds, make_bot
from wotr_agents.compiled import ensure_agents
from wotr_env.bots import Explains, choose, view_of
from wotr_env.games import game_kind
from wotr_env.kind import GOING_ON

BEST = 8
"""Choices told in a hint."""
_NICE = 10
_BOTS = 4
"""That a process keeps; a network is large."""


def begin() -> None:
    """First of all in a process: it ends with the server, however that ends; Ctrl-C is for the server.

    The server, which people wait for, has the cores first.
    """
    if hasattr(os, "nice"):
        os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def warm(game: str) -> int:
    """Loads what was compiled; returns the number of the process."""
    game_kind(game).kernels.prepare()
    ensure_agents()
    return os.getpid()


def take_turn(game: str, spec: str, state: bytes, patience: float) -> list[int]:
    """What a bot does: its choices until another seat is asked, or it has thought for some time.

    Args:
        game: the name of its kind.
        spec: of the bot.
        state: bytes of the position, of ``GameKind.state``.
        patience: seconds after which no further choice is begun.
    """
    kind = game_kind(game)
    bot = _bot(spec, game)
    states, masks = _position(game, state)
    seat, began, actions = int(states[0]["seat"]), time.monotonic(), []
    while int(states[0]["winner"]) == GOING_ON and int(states[0]["seat"]) == seat:
        action = choose(bot, view_of(states, masks, kind), spec)
        actions.append(int(action[0]))
        kind.kernels.step(states, masks, action)
        if time.monotonic() - began >= patience:
            break
    return actions


def advise(game: str, spec: str, state: bytes) -> tuple[list[tuple[int, float | None]], str]:
    """What a bot would do in the place of who decides.

    Returns:
        Its best choices with their values, the best first, and what the values mean, in words. A bot that
        does not explain itself has one choice without a value.
    """
    tried = review(game, spec, state, None)
    explained = isinstance(_bot(spec, game), Explains)
    return tried, bot_kinds()[spec.partition(":")[0]].values if explained else "this bot gives no values"


def review(game: str, spec: str, state: bytes, played: int | None) -> list[tuple[int, float | None]]:
    """A bot's best choices with their values, and then the one that was played, if it tried that."""
    bot = _bot(spec, game)
    view = view_of(*_position(game, state), game_kind(game))
    if not isinstance(bot, Explains):
        return [(int(choose(bot, view, spec)[0]), None)]
    tried = [(int(action), float(value)) for action, value in bot.explain(view)[0]]
    return [each for place, each in enumerate(tried) if place < BEST or each[0] == played]


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


@functools.lru_cache(maxsize=_BOTS)
def _bot(spec: str, game: str) -> Bot:
    return make_bot(spec, secrets.randbelow(2**63), game)


def _position(game: str, state: bytes) -> tuple[Any, Any]:
    kind = game_kind(game)
    states = np.frombuffer(state, dtype=kind.state).copy()
    masks = np.zeros((1, kind.actions.size), dtype=np.bool_)
    kind.kernels.refresh(states, masks)
    return states, masks
