"""The code of a process for bots: it computes answers for positions of tables."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from wotr_agents import Bot, BotError
from wotr_agents.policies import prepare_game
from wotr_agents.registry import has_plugin_bots, starts_program
from wotr_env.core.codes import GOING_ON
from wotr_env.play.bots import view_of
from wotr_env.play.games import game_kind
from wotr_experiments.chance import new_seed
from wotr_experiments.isolation.bots import (
    Bots,
    Isolate,
    IsolatedBot,
    Isolation,
    ask,
    check_made,
    explanation,
    identity_of,
    meaning_of_values,
)
from wotr_experiments.isolation.children import begin_child
from wotr_experiments.isolation.nursery import nursery

BEST = 8
"""Number of choices in a hint."""
_LONGEST_LINE = 12
"""Maximal number of actions of a hint."""
_NICE = 10
_BOTS = 4
"""Number of bots that a process keeps; networks are large."""


class _Kept(NamedTuple):
    """A cached bot."""

    bots: Bots
    """The ``Bots`` with the bot's process."""
    bot: Bot
    identity: str


_ISOLATION = Isolation()
_KEPT: dict[tuple[str, str], _Kept] = {}
"""Cached bots by spec and game, the most recently used last."""
_HELD = contextlib.ExitStack()
"""Resources held until the process ends."""


def begin(isolation: Isolation) -> None:
    """Initializes a process of bots; raises its niceness, so that the server has priority.

    Args:
        isolation: the settings for bots in separate processes below this one.
    """
    global _ISOLATION
    _ISOLATION = isolation
    begin_child(_NICE)


def warm(game: str) -> int:
    """Loads the compiled code; returns the process ID."""
    prepare_game(game)
    foreign = _ISOLATION.which == Isolate.FOREIGN and has_plugin_bots()
    if foreign or _ISOLATION.which == Isolate.ALL:
        _HELD.enter_context(nursery())
        with contextlib.closing(IsolatedBot("random", 0, game)) as first:
            first.make()
    return os.getpid()


def preload_bot(game: str, spec: str) -> None:
    """Makes a bot unless it is cached, so that loading does not count as thinking time."""
    with _asked(spec, game):
        pass


def take_turn(game: str, spec: str, state: bytes, patience: float) -> tuple[list[int], str]:
    """Returns the choices of a bot until another seat decides, or until ``patience`` seconds have passed.

    Args:
        game: name of the game.
        spec: spec of the bot.
        state: bytes of the position (``GameKind.state``).
        patience: seconds after which no further choice is started.

    Returns:
        The choices, and the identity of the bot.
    """
    kind = game_kind(game)
    states, masks = _position(game, state)
    seat, began, actions = int(states[0]["seat"]), time.monotonic(), []
    with _asked(spec, game) as kept:
        while int(states[0]["winner"]) == GOING_ON and int(states[0]["seat"]) == seat:
            action = ask(kept.bot, view_of(states, masks, kind), spec)
            actions.append(int(action[0]))
            kind.kernels.step(states, masks, action)
            if time.monotonic() - began >= patience:
                break
    return actions, kept.identity


class Advice(NamedTuple):
    """A bot's advice for the deciding seat."""

    best: list[tuple[int, float | None]]
    """The best choices with values, best first; for a bot without explanations, its choice without a
    value."""
    scale: str
    """The meaning of the values, in words."""
    line: list[int]
    """The best choice, and the bot's next choices, until there is new information for a seat."""


def advise(game: str, spec: str, state: bytes, patience: float) -> Advice:
    """A bot's advice for the deciding seat.

    Args:
        game: name of the game.
        spec: spec of the bot.
        state: bytes of the position.
        patience: seconds after which the line is not continued.
    """
    tried = review(game, spec, state, None)
    until = time.monotonic() + patience
    with _asked(spec, game) as kept:
        silent = all(value is None for _, value in tried)
        scale = "this bot gives no values" if silent else meaning_of_values(kept.bot, spec)
        line = _line(game, kept.bot, spec, state, tried[0][0], until)
    return Advice(tried, scale, line)


def _line(game: str, bot: Bot, spec: str, state: bytes, action: int, until: float) -> list[int]:
    kind = game_kind(game)
    states, masks = _position(game, state)
    seat, line = int(states[0]["seat"]), [action]
    while len(line) < _LONGEST_LINE and not kind.who_learns(states[0], line[-1]):
        kind.kernels.step(states, masks, np.array(line[-1:], dtype=np.int64))
        over = int(states[0]["winner"]) != GOING_ON or int(states[0]["seat"]) != seat
        if over or kind.opens(states[0]) or time.monotonic() > until:
            break
        line.append(int(ask(bot, view_of(states, masks, kind), spec)[0]))
    return line


def review(game: str, spec: str, state: bytes, played: int | None) -> list[tuple[int, float | None]]:
    """Returns a bot's best choices with values, then the played choice if the bot has evaluated it."""
    view = view_of(*_position(game, state), game_kind(game))
    with _asked(spec, game) as kept:
        told = explanation(kept.bot, view, spec)
        if told is None:
            return [(int(ask(kept.bot, view, spec)[0]), None)]
    (tried,) = told
    return [each for place, each in enumerate(tried) if place < BEST or each[0] == played]


@contextlib.contextmanager
def _asked(spec: str, game: str) -> Iterator[_Kept]:
    """A context with a bot, which is cached unless it fails; raises BotError if the bot cannot be made."""
    if starts_program(spec):  # whoever wrote the page or the file of tables shall start none
        raise BotError("a table starts no programs")
    kept = _KEPT.pop((spec, game), None)
    with contextlib.ExitStack() as failed:
        if kept is None:
            bots = failed.enter_context(Bots(_ISOLATION))
            (bot,) = bots.seat([spec], [new_seed()], game)
            check_made(spec, bot)
            kept = _Kept(bots, bot, identity_of(bot, spec, game))
        else:
            failed.enter_context(kept.bots)
        yield kept
        failed.pop_all()
    _KEPT[spec, game] = kept
    if len(_KEPT) > _BOTS:
        _KEPT.pop(next(iter(_KEPT))).bots.close()


def _position(game: str, state: bytes) -> tuple[Any, Any]:
    kind = game_kind(game)
    states = np.frombuffer(state, dtype=kind.state).copy()
    return states, kind.masks(states)
