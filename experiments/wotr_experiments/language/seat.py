"""A seat of a game for somebody who reads and writes text, with bots at all others.

Everything that is told is what the seat may know: positions as it sees them, its own legal actions, and what
others did as far as it learns of it.
"""

from __future__ import annotations

import contextlib
import secrets
from typing import Any

import numpy as np

from wotr_env import GameRecord
from wotr_env.bots import BotView, view_of
from wotr_env.kind import GameKind, Tone, check_seat
from wotr_env.past import FollowedGame
from wotr_env.war_of_the_ring import WAR_OF_THE_RING
from wotr_experiments.isolation.bots import Bots, Isolation, ask, check_made, explanation

_NAMED = 12
"""Legal actions that a refusal names."""
_HINTS = 5


class ActionRefused(ValueError):
    """An answer that is not legal; the message says what is, and nothing after it was played."""


class SeatGame:
    """One game.

    Args:
        seat: who the reader is.
        bot: the spec of who plays all other seats.
        ruleset: of War of the Ring; by default the first edition.
        seed: of all chance; by default a secret one.
        kind: the game.
        isolation: which bots have processes of their own.

    Attributes:
        illegal: answers that were refused.

    Raises:
        BotError: there is no such bot.
        ValueError: there is no such seat.
    """

    def __init__(
        self,
        seat: int,
        bot: str,
        ruleset: Any = None,
        seed: int | None = None,
        kind: GameKind = WAR_OF_THE_RING,
        isolation: Isolation | None = None,
    ) -> None:
        self.kind, self.bot = kind, bot
        ruleset = ruleset or kind.find_ruleset()
        self.seat = check_seat(seat, ruleset.seats)
        seed = secrets.randbelow(2**63) if seed is None else seed
        self.game: Any = kind.game(seed, ruleset)
        self.illegal = 0
        self._closing = contextlib.ExitStack()
        bots = self._closing.enter_context(Bots(isolation or Isolation()))
        self._bot = bots.seat([bot], [seed], kind.name)[0]
        check_made(bot, self._bot)
        kind.kernels.prepare()
        self._told: list[str] = []
        self._followed = FollowedGame(kind)
        self._others_play()

    def close(self) -> None:
        """Ends the processes of bots."""
        self._closing.close()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.result is not None

    @property
    def title(self) -> str:
        """Of the seat."""
        return self.game.ruleset.seats[self.seat].title

    def look(self) -> str:
        """The position in words, and what has to be decided."""
        if self.over:
            return self.end()
        return f"You are {self.title}.\n\n{self.kind.words.position(self.game.state)}\n\n{self.asked()}"

    def asked(self) -> str:
        """What has to be decided, and the legal actions with what they mean."""
        if self.over:
            return self.end()
        return "\n".join(
            [self.kind.words.decision(self.game.state), "Legal actions:", *self._in_words(self.game.legal())]
        )

    def act(self, answer: str) -> str:
        """Plays actions, one after the other as long as the seat is asked; tells all until it is asked again.

        Args:
            answer: names of actions with spaces between them, such as ``face:army plan:move-armies``.

        Raises:
            ActionRefused: one of them is not legal; those before it have been played and are told.
            BotError: the bot failed.
        """
        names = answer.split()
        if self.over:
            raise ActionRefused(f"the game is over: {self.end()}")
        if not names:
            raise self._refused("no action is named")
        ids = {name: number for number, name in enumerate(self.kind.actions.names)}
        for number, name in enumerate(names):
            played = " ".join(names[:number])
            since = f"; played before it: {played}" if played else ""
            if self.over:
                raise self._refused(f"{name!r} comes after the end of the game{since}")
            if name not in ids:
                raise self._refused(f"there is no action {name!r}{since}")
            if ids[name] not in self.game.legal():
                raise self._refused(f"{name!r} is not legal now{since}")
            self._step(ids[name])
            self._others_play()
        return f"{self.told()}\n\n{self.asked()}".strip()

    def told(self) -> str:
        """What has happened since it was told last."""
        lines, self._told = self._told, []
        return "\n".join(lines)

    def hint(self) -> str:
        """What the bot would do in the seat's place."""
        if self.over:
            return self.end()
        view = self._view()
        values = explanation(self._bot, view, self.bot)
        if values is None:
            best = [int(ask(self._bot, view, self.bot)[0])]
        else:
            best = [action for action, _ in values[0][:_HINTS]]
        return "\n".join([f"{self.bot} would choose, the best first:", *self._in_words(best)])

    def end(self) -> str:
        """How the game ended, in words; empty while it goes on."""
        return self.kind.words.decision(self.game.state) if self.over else ""

    def record(self, name: str) -> GameRecord:
        """The game, with the name of who had the seat."""
        players = [self.bot] * len(self.game.ruleset.seats)
        players[self.seat] = name
        return GameRecord.from_game(self.game, tuple(players), self.kind.name)

    def _refused(self, why: str) -> ActionRefused:
        self.illegal += 1
        names = [self.kind.actions.names[each] for each in self.game.legal()]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        legal = f"; legal: {', '.join(names[:_NAMED])}{more}" if names else ""
        return ActionRefused(f"{why}{legal}")

    def _others_play(self) -> None:
        while not self.over and int(self.game.state["seat"]) != self.seat:
            self._step(int(ask(self._bot, self._view(), self.bot)[0]))

    def _in_words(self, actions: list[int]) -> list[str]:
        state, names = self.game.state, self.kind.actions.names
        return [f"  {names[action]}: {self.kind.words.action(state, action)}" for action in actions]

    def _view(self) -> BotView:
        """What the seat that decides may see."""
        states = np.empty(1, dtype=self.kind.state)
        states[0] = self.game.state
        masks = np.zeros((1, self.kind.actions.size), dtype=np.bool_)
        masks[0, self.game.legal()] = True
        return view_of(states, masks, self.kind, self._followed.past(self.game))

    def _step(self, action: int) -> None:
        for sentence in self.kind.step_of(self.game.state, action, self.seat).told:
            if sentence.tone != Tone.TEXT:
                who = "" if sentence.seat is None else f"{self.game.ruleset.seats[sentence.seat].title}: "
                plain = sentence.tone in (Tone.CHOICE, Tone.FORCED)
                self._told.append(f"{who}{sentence.text}" if plain else sentence.text)
        self.game.step(action)
