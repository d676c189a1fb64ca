"""A game with readers (players in text) in some or all seats, and bots in the others.

A reader receives only what its seat may know: positions in its view, its own legal actions, and the visible
consequences of other seats' actions.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import check_seat
from wotr_env.core.telling import Tone
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import Bot, BotView, view_of
from wotr_env.play.history import FollowedGame
from wotr_experiments.isolation.bots import Bots, Isolation, ask, check_made
from wotr_experiments.language.naming import Naming

_NAMED = 12
"""Legal actions that a refusal names."""
_LONGEST_NAME = 60
"""Characters of what is no action that a refusal repeats."""


class ActionRefused(ValueError):
    """An answer is illegal; the message lists legal actions, and later actions are not played."""


class Ending(NamedTuple):
    """How a game ended."""

    winner: int
    """A team or ``GameKind.draw``."""
    winners: tuple[int, ...]
    """The seats that won, alone or together."""
    reason: str
    """The name of an ``End`` of the game."""


class TextGame:
    """One game; ``go_on`` starts it.

    Args:
        bots: the specs of bots by their seats; all other seats have readers. A bot has all seats of its team
            that name the same spec.
        ruleset: of the game; by default its first.
        seed: of all chance; by default a secret one.
        kind: the game.
        isolation: which bots have processes of their own.
        bot_seed: of the bots' own random numbers; by default it follows from the seed, and does not tell it.
        legal_actions: whether questions and refusals list the legal actions.
        naming: what things are called in all texts and answers; by default by their own names.

    Attributes:
        readers: their seats, ascending.
        decided: the decisions that each seat has taken.

    Raises:
        BotError: there is no such bot.
        ValueError: there is no such seat.
    """

    def __init__(
        self,
        bots: Mapping[int, str],
        ruleset: Any = None,
        seed: int | None = None,
        kind: GameKind = WAR_OF_THE_RING,
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
        seed = secrets.randbelow(2**63) if seed is None else seed
        self.game: Any = kind.game(seed, ruleset)
        self.decided = [0] * len(ruleset.seats)
        with contextlib.ExitStack() as closing:
            made = closing.enter_context(Bots(isolation or Isolation()))
            self._bots = self._made(made, _hashed(seed, "bots") if bot_seed is None else bot_seed)
            self._closing = closing.pop_all()
        kind.kernels.prepare()
        self._followed = FollowedGame(kind)
        self._told: dict[int, list[str]] = {reader: [] for reader in self.readers}

    def _made(self, bots: Bots, seed: int) -> dict[int, Bot]:
        """The bots by their seats."""
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
        """The seat that is asked; of no meaning when the game is over."""
        return int(self.game.state["seat"])

    @property
    def any_bot(self) -> Bot:
        """The first of them."""
        return next(iter(self._bots.values()))

    def title_of(self, seat: int) -> str:
        """Of a seat, for people."""
        return self.naming.text(self.game.ruleset.seats[seat].title)

    def go_on(self) -> None:
        """Bots play until a reader is asked, or the game is over.

        Raises:
            BotError: one failed; it is its turn still.
        """
        while not self.over and (seat := self.deciding) in self.bots:
            self._step(int(ask(self._bots[seat], self.view(), self.bots[seat])[0]))

    def position(self) -> str:
        """In words, as the reader that is asked sees it; how the game ended if it is over."""
        return self.end() if self.over else self.naming.text(self.kind.words.position(self.game.state))

    def asked(self) -> str:
        """What has to be decided, and the legal actions with what they mean if they are listed."""
        if self.over:
            return self.end()
        question = self.naming.text(self.kind.words.decision(self.game.state))
        if not self._listed:
            return question
        return "\n".join([question, "Legal actions:", *self.in_words(self.game.legal())])

    def board(self) -> str:
        """The map in words, a line for each place, sorted if names are invented; empty: the game has none."""
        lines = self.naming.text(self.kind.words.board() if self.kind.words.board else "").splitlines()
        return "\n".join(f"  {line}" for line in (sorted(lines) if self.naming.invented else lines))

    def play(self, names: Sequence[str]) -> list[str]:
        """Plays actions of the reader that is asked, one after the other, for as long as it is asked.

        Args:
            names: of actions, as readers know them.

        Returns:
            Those left when somebody else was asked, or the game was over.

        Raises:
            ActionRefused: one of them is not legal; those before it have been played and are told.
            BotError: a bot failed; it is its turn still.
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
        """The error that says why, and what is legal if that is listed."""
        names = [self.naming.names[each] for each in self.game.legal()] if self._listed else []
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        legal = f"; legal: {', '.join(names[:_NAMED])}{more}" if names else ""
        return ActionRefused(f"{why}{legal}")

    def news(self, reader: int) -> str:
        """What has happened since the reader was told last, a line for each thing."""
        return "\n".join(self._told[reader])

    def tell(self, reader: int) -> None:
        """The reader has been told the news."""
        self._told[reader] = []

    def end(self) -> str:
        """How the game ended, in words; empty while it goes on."""
        return self.naming.text(self.kind.words.decision(self.game.state)) if self.over else ""

    def ending(self) -> Ending:
        """How the game ended, that is over."""
        states = np.empty(1, dtype=self.kind.state)
        states[0] = self.game.state
        outcomes = np.zeros(1, dtype=self.kind.outcome)
        self.kind.kernels.conclude(states, outcomes)
        won = self.kind.winning_seats(states, self.game.ruleset)[0]
        winners = tuple(np.flatnonzero(won).tolist())
        winner, reason = int(outcomes[0]["winner"]), int(outcomes[0]["reason"])
        return Ending(winner, winners, self.kind.reason_name(reason))

    def record(self, names: Mapping[int, str]) -> GameRecord:
        """The game, with the names of its readers by their seats."""
        players = tuple({**self.bots, **names}[seat] for seat in range(len(self.game.ruleset.seats)))
        return GameRecord.from_game(self.game, players)

    def in_words(self, actions: Sequence[int]) -> list[str]:
        """A line for each action of the pending decision."""
        state, naming = self.game.state, self.naming
        lines = [
            f"  {naming.names[action]}: {naming.text(self.kind.words.action(state, action))}"
            for action in actions
        ]
        return sorted(lines) if naming.invented else lines

    def view(self) -> BotView:
        """What the seat that decides may see."""
        states = np.empty(1, dtype=self.kind.state)
        states[0] = self.game.state
        masks = np.zeros((1, self.kind.actions.size), dtype=np.bool_)
        masks[0, self.game.legal()] = True
        return view_of(states, masks, self.kind, self._followed.past(self.game))

    def _step(self, action: int) -> None:
        state = self.game.state
        for reader, told in self._told.items():
            for sentence in self.kind.step_of(state, action, reader).told:
                if sentence.tone != Tone.TEXT:
                    who = "" if sentence.seat is None else f"{self.title_of(sentence.seat)}: "
                    plain = sentence.tone in (Tone.CHOICE, Tone.FORCED)
                    text = self.naming.text(sentence.text)
                    told.append(f"{who}{text}" if plain else text)
        self.decided[int(state["seat"])] += 1
        self.game.step(action)


def _hashed(seed: int, what: str) -> int:
    """A number below 2**63 that follows from a seed, and from which it cannot be found but by trying."""
    digest = hashlib.blake2b(f"{what} {seed}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1
