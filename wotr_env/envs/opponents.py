"""The bots at the other seats of an environment for one learner."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any

import numpy as np

from wotr_env.core.kind import GameKind
from wotr_env.core.seats import Seat, check_seat
from wotr_env.core.spelling import known_names
from wotr_env.core.states import copy_states
from wotr_env.envs.kind_game import draw_seed
from wotr_env.play.bots import BotError, choose, view_of

REGISTRY = "wotr.registry"


def _registry() -> Any:
    """The bots by name of an installed package: what its entry point of the group ``wotr.registry`` names.

    It offers ``check_spec(spec, game)``, which gives the spec in its canonical form, and
    ``make_bot(spec, seed, game)``; no game knows players.
    """
    found = importlib.metadata.entry_points(group=REGISTRY)
    if not found:
        raise BotError("opponents by name need an installed package of bots; give a bot instead of a spec")
    return next(iter(found)).load()


class Opponent:
    """A bot that plays another seat.

    A bot given by its spec is made anew by each ``reseed``; a bot given as an object keeps its own random
    numbers.

    Args:
        bot: the spec of a registered bot, such as ``random``, or a ``Bot``.
        kind: the game that it plays.

    Raises:
        BotError: there is no such bot, or what its spec names cannot be found.
    """

    def __init__(self, bot: Any, kind: GameKind) -> None:
        self._kind = kind
        self._spec = _registry().check_spec(bot, kind.name) if isinstance(bot, str) else None
        self._name = self._spec or type(bot).__name__
        self._bot: Any = None if self._spec else bot
        if not self._spec and not callable(getattr(bot, "act", None)):
            wanted = "an opponent is a bot or the spec of one, such as random"
            raise BotError(f"{wanted}, not {bot!r}")

    def reseed(self, seed: int) -> None:
        """Makes the bot of a spec anew with a seed."""
        if self._spec:
            self._bot = _registry().make_bot(self._spec, seed, self._kind.name)

    def act(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The bot's actions ``int64[B]`` for B games (``kind.state[B]``) that wait for it, and their masks.

        Raises:
            BotError: the bot's answer is not one legal action for each game.
        """
        return choose(self._bot, view_of(states, masks, self._kind), self._name)


class Opponents:
    """The bots at all seats but one.

    A spec makes a bot for each seat, so that none remembers what another has seen; a bot given as an object
    plays all the seats that it is given for.

    Args:
        given: the spec of a registered bot, a bot, or one of these for each other seat by its name.
        seats: all who play.
        own: the number of the seat that the bots leave.
        kind: the game that they play.

    Raises:
        ValueError: a mapping is not of just the other seats.
        BotError: there is no such bot.
    """

    def __init__(self, given: Any, seats: tuple[Seat, ...], own: int, kind: GameKind) -> None:
        names = {number: seat.name for number, seat in enumerate(seats) if number != own}
        if isinstance(given, Mapping):
            bots = {check_seat(name, seats): bot for name, bot in given.items()}
            if set(bots) != set(names) or len(bots) != len(given):
                wanted, found = known_names(names.values()), ", ".join(map(str, given))
                raise ValueError(f"a mapping of opponents has the seats {wanted}, not {found}")
            self._bots = {number: Opponent(bots[number], kind) for number in names}
        elif isinstance(given, str):
            self._bots = {number: Opponent(given, kind) for number in names}
        else:
            self._bots = dict.fromkeys(names, Opponent(given, kind))
        self._only = next(iter(self._bots.values())) if len(set(self._bots.values())) == 1 else None
        self._made = False

    def begin(self, generator: np.random.Generator, seeded: bool) -> None:
        """Makes the bots of specs anew, each with a seed; in a game without a seed only if there are none."""
        if seeded or not self._made:
            self._made = True
            for bot in dict.fromkeys(self._bots.values()):
                bot.reseed(draw_seed(generator))

    def act(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The bots' actions ``int64[B]`` for B games (``kind.state[B]``) that wait for one of them.

        Raises:
            BotError: an answer is not one legal action for each game.
        """
        if self._only is not None:
            return self._only.act(states, masks)
        seats = states["seat"]
        if len(seats) == 1:
            return self._bots[seats.item()].act(states, masks)
        actions = np.empty(len(seats), dtype=np.int64)
        for seat in np.unique(seats).tolist():
            rows = np.flatnonzero(seats == seat)
            actions[rows] = self._bots[seat].act(copy_states(states, rows), masks[rows])
        return actions


def seat_number(seat: Any, seats: tuple[Seat, ...]) -> int:
    """The number of a seat by its name (``wotr_env.core.spelling``); None is the first.

    Raises:
        ValueError: nobody of that name plays.
    """
    return 0 if seat is None else check_seat(seat, seats)
