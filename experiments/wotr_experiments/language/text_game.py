"""A game with *readers* (players in text) in some or all seats, and bots in the others.

A reader receives only information visible to its seat: positions from the view of the seat, its own legal
actions, and the visible consequences of other seats' actions.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.descriptions import Tone
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import check_seat
from wotr_env.core.spelling import some_of
from wotr_env.play.bots import Bot, BotView, view_of
from wotr_env.play.games import DEFAULT_KIND
from wotr_env.play.history import SingleGameHistory
from wotr_experiments.chance import new_seed
from wotr_experiments.isolation.bots import Bots, Isolation, ask, check_made
from wotr_experiments.language.naming import Naming

_NAMED = 12
"""Maximal number of legal actions listed in a refusal."""
_LONGEST_NAME = 60
"""Maximal number of characters of an unknown action repeated in a refusal."""


class ActionRefused(ValueError):
    """An answer is illegal; the message lists the legal actions. Actions after the illegal one are not
    played."""


class Ending(NamedTuple):
    """The end of a game."""

    winner: int
    """The winning team, or ``GameKind.draw``."""
    winners: tuple[int, ...]
    """The winning seats."""
    reason: str
    """The kind of end, the name of an ``End`` of the game."""


class TextGame:
    """One game; ``go_on`` starts it.

    Args:
        bots: specs of bots by seat; all other seats have readers. One bot plays all seats of a team with the
            same spec.
        ruleset: ruleset; by default the first ruleset of the game.
        seed: seed of the game; by default a secret seed.
        kind: the game.
        isolation: the settings for bots in separate processes.
        bot_seed: seed of the bots' random numbers; by default derived from the seed, without revealing it.
        legal_actions: whether questions and refusals list the legal actions.
        naming: the names used in texts and answers; by default the game's own names.

    Attributes:
        readers: seats of readers, ascending.
        decided: number of decisions of each seat.

    Raises:
        BotError: there is no such bot.
        ValueError: there is no such seat.
    """

    def __init__(
        self,
        bots: Mapping[int, str],
        ruleset: Any = None,
        seed: int | None = None,
        kind: GameKind = DEFAULT_KIND,
        isolation: Isolation | None = None,
        bot_seed: int | None = None,
        legal_actions: bool = True,
        naming: Naming | None = None,
    ) -> None:
        self.kind = kind
        self.naming, self._listed = naming or Naming(kind), legal_actions
        ruleset = kind.read_ruleset(ruleset)
        self.bots = {check_seat(seat, ruleset.seats): spec for seat, spec in bots.items()}
        self.readers = tuple(seat for seat in range(len(ruleset.seats)) if seat not in self.bots)
        seed = new_seed() if seed is None else seed
        self.game: Any = kind.game(seed, ruleset)
        self.decided = [0] * len(ruleset.seats)
        self._isolation = isolation or Isolation()
        self._bot_seed = _hashed(seed, "bots") if bot_seed is None else bot_seed
        with contextlib.ExitStack() as closing:
            self._bots = self._made(closing.enter_context(Bots(self._isolation)), self._bot_seed)
            self._closing = closing.pop_all()
        kind.kernels.prepare()
        self._followed = SingleGameHistory(kind)
        self._told: dict[int, list[str]] = {reader: [] for reader in self.readers}

    def _made(self, bots: Bots, seed: int) -> dict[int, Bot]:
        """Makes the bots; returns them by seat."""
        teams = [seat.team for seat in self.game.ruleset.seats]
        wanted = list(dict.fromkeys((teams[seat], spec) for seat, spec in self.bots.items()))
        seeds = [_hashed(seed, f"{place}") for place in range(len(wanted))]
        found = dict(zip(wanted, bots.seat([spec for _, spec in wanted], seeds, self.kind.name), strict=True))
        for (_, spec), bot in found.items():
            check_made(spec, bot)
        return {seat: found[teams[seat], spec] for seat, spec in self.bots.items()}

    def close(self) -> None:
        """Ends the processes of bots."""
        self._closing.close()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.result is not None

    @property
    def deciding(self) -> int:
        """The deciding seat; undefined when the game is over."""
        return int(self.game.state["seat"])

    def further_bot(self, spec: str) -> Bot:
        """A new bot that plays no seat; its process ends with the game.

        Raises:
            BotError: the bot cannot be made.
        """
        bots = self._closing.enter_context(Bots(self._isolation))
        (bot,) = bots.seat([spec], [_hashed(self._bot_seed, "further")], self.kind.name)
        check_made(spec, bot)
        return bot

    def title_of(self, seat: int) -> str:
        """The title of a seat, for people."""
        return self.naming.text(self.game.ruleset.seats[seat].title)

    def go_on(self) -> bool:
        """Lets bots play until a reader decides or the game is over; returns whether a bot has played.

        Raises:
            BotError: a bot failed; the bot is still the deciding player.
        """
        before = len(self.game.actions)
        while not self.over and (seat := self.deciding) in self.bots:
            self._step(int(ask(self._bots[seat], self.view(), self.bots[seat])[0]))
        return len(self.game.actions) > before

    def position(self) -> str:
        """The position in words from the view of the deciding reader; the result if the game is over."""
        return self.end() if self.over else self.naming.text(self.kind.words.position(self.game.state))

    def asked(self) -> str:
        """The pending decision, and the legal actions with their meanings if they are listed."""
        if self.over:
            return self.end()
        question = self.naming.text(self.kind.words.decision(self.game.state))
        if not self._listed:
            return question
        return "\n".join([question, "Legal actions:", *self.in_words(self.game.legal())])

    def board(self) -> str:
        """The map in words, one line per place, sorted if names are invented; empty without a map."""
        lines = self.naming.text(self.kind.words.board() if self.kind.words.board else "").splitlines()
        return "\n".join(f"  {line}" for line in (sorted(lines) if self.naming.invented else lines))

    def play(self, names: Sequence[str]) -> list[str]:
        """Plays the given actions of the deciding reader in order, until another seat decides or the game is
        over.

        Args:
            names: names of actions, in the form that readers use.

        Returns:
            The names of actions that have not been played because another seat decides or the game is over.

        Raises:
            ActionRefused: an action is illegal; the actions before it have been played.
            BotError: a bot failed; the bot is still the deciding player.
        """
        reader = self.deciding
        for number, name in enumerate(names):
            if self.over or self.deciding != reader:
                return list(names[number:])
            played = " ".join(names[:number])
            since = f"; played before it: {played}" if played else ""
            shown = name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "..."
            action = self.naming.find(name)
            if action is None:
                raise self.refused(f"there is no action {shown!r}{since}")
            if action not in self.game.legal():
                raise self.refused(f"{shown!r} is not legal now{since}")
            self._step(action)
            self.go_on()
        return []

    def refused(self, why: str) -> ActionRefused:
        """The error with the given reason, and the legal actions if they are listed."""
        names = [self.naming.names[each] for each in self.game.legal()] if self._listed else []
        legal = f"; legal: {some_of(names, _NAMED)}" if names else ""
        return ActionRefused(f"{why}{legal}")

    def news(self, reader: int) -> str:
        """The events since the last call of ``tell`` for the reader, one per line."""
        return "\n".join(self._told[reader])

    def tell(self, reader: int) -> None:
        """Marks all news so far as received by the reader."""
        self._told[reader] = []

    def end(self) -> str:
        """The result in words; empty while the game is not over."""
        return self.naming.text(self.kind.words.decision(self.game.state)) if self.over else ""

    def ending(self) -> Ending:
        """The end of a finished game."""
        states = np.array([self.game.state], dtype=self.kind.state)
        (end,), (won,) = self.kind.conclude(states), self.kind.winning_seats(states, self.game.ruleset)
        winners = tuple(np.flatnonzero(won).tolist())
        return Ending(int(end["winner"]), winners, self.kind.reason_name(int(end["reason"])))

    def record(self, names: Mapping[int, str]) -> GameRecord:
        """The game as a record; ``names`` are the names of readers by seat."""
        players = tuple({**self.bots, **names}[seat] for seat in range(len(self.game.ruleset.seats)))
        return GameRecord.from_game(self.game, players)

    def in_words(self, actions: Sequence[int]) -> list[str]:
        """The actions of the pending decision, one per line."""
        state, naming = self.game.state, self.naming
        lines = [
            f"  {naming.names[action]}: {naming.text(self.kind.words.action(state, action))}"
            for action in actions
        ]
        return sorted(lines) if naming.invented else lines

    def view(self) -> BotView:
        """The view of the deciding seat."""
        states = np.array([self.game.state], dtype=self.kind.state)
        return view_of(states, self.kind.masks(states), self.kind, self._followed.past(self.game))

    def _step(self, action: int) -> None:
        state = self.game.state
        for reader, told in self._told.items():
            for sentence in self.kind.step_of(state, action, reader).sentences:
                if sentence.tone != Tone.TEXT:
                    who = "" if sentence.seat is None else f"{self.title_of(sentence.seat)}: "
                    plain = sentence.tone in (Tone.CHOICE, Tone.FORCED)
                    text = self.naming.text(sentence.text)
                    told.append(f"{who}{text}" if plain else text)
        self.decided[int(state["seat"])] += 1
        self.game.step(action)


def _hashed(seed: int, what: str) -> int:
    """A number below 2**63 derived from a seed by a one-way hash."""
    digest = hashlib.blake2b(f"{what} {seed}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1
