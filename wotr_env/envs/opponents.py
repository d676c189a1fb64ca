"""The bots in the other seats of an environment for one learner."""

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
    """The registry of bots, from the entry point group ``wotr.registry`` of an installed package.

    It has ``check_spec(spec, game)``, which returns the canonical spec, and ``make_bot(spec, seed, game)``.
    This package does not import any bot.
    """
    found = importlib.metadata.entry_points(group=REGISTRY)
    if not found:
        raise BotError("opponents by name need an installed package of bots; give a bot instead of a spec")
    return next(iter(found)).load()


class Opponent:
    """A bot in another seat.

    A bot given by its spec is created again by each ``reseed``; a bot given as an object keeps its own random
    stream.

    Args:
        bot: the spec of a registered bot, such as ``random``, or a ``Bot``.
        kind: the game.

    Raises:
        BotError: the bot is unknown, or a file that its spec names is missing.
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
        """Creates the bot of a spec again, with a seed."""
        if self._spec:
            self._bot = _registry().make_bot(self._spec, seed, self._kind.name)

    def act(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Returns the bot's actions ``int64[B]`` for B games that wait for this bot, from their states
        (``kind.state[B]``) and masks.

        Raises:
            BotError: the answer of the bot is not one legal action for each game.
        """
        return choose(self._bot, view_of(states, masks, self._kind), self._name)


class Opponents:
    """The bots in all seats but one.

    A spec makes one bot per seat, so that no bot remembers what another seat has seen. A bot given as an
    object plays all seats for which it is given.

    Args:
        given: the spec of a registered bot, a bot, or a mapping from the name of each other seat to one of
            these.
        seats: all seats of the game.
        own: the number of the learner's seat.
        kind: the game.

    Raises:
        ValueError: the keys of a mapping are not exactly the other seats.
        BotError: a bot is unknown.
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
        """Creates the bots that were given as specs again, each with a seed from ``generator``. If ``seeded``
        is false, these bots are created only if they do not exist yet."""
        if seeded or not self._made:
            self._made = True
            for bot in dict.fromkeys(self._bots.values()):
                bot.reseed(draw_seed(generator))

    def act(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Returns the bots' actions ``int64[B]`` for B games (``kind.state[B]``) that wait for one of the
        bots.

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
    """The number of a seat by its name (``wotr_env.core.spelling``); None means the first seat.

    Raises:
        ValueError: there is no seat with this name.
    """
    return 0 if seat is None else check_seat(seat, seats)
