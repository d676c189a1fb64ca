"""A game with one *reader* (a player in text), and bots in all other seats."""

from __future__ import annotations

import functools
from typing import Any

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import check_seat
from wotr_env.play.bots import Bot
from wotr_env.play.games import DEFAULT_KIND
from wotr_experiments.isolation.bots import Isolation, ask, explanation
from wotr_experiments.language.text_game import ActionRefused, TextGame

_HINTS = 5


class SeatGame:
    """A game with one reader. After a failure, the bot still decides; the next call asks it again.

    Args:
        seat: the name of the reader's seat.
        bot: spec of the bot in all other seats.
        ruleset: ruleset of the game; by default the first edition of War of the Ring.
        seed: seed of the game; by default a secret seed.
        kind: the game.
        isolation: the settings for bots in separate processes.

    Attributes:
        illegal: number of illegal answers.

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
        kind: GameKind = DEFAULT_KIND,
        isolation: Isolation | None = None,
    ) -> None:
        self.kind, self.bot = kind, bot
        ruleset = kind.read_ruleset(ruleset)
        self.seat = check_seat(seat, ruleset.seats)
        others = [each for each in range(len(ruleset.seats)) if each != self.seat]
        self._table = TextGame(dict.fromkeys(others, bot), ruleset, seed, kind, isolation)
        self.game: Any = self._table.game
        self.illegal = 0
        self._table.go_on()

    def close(self) -> None:
        """Ends the processes of bots."""
        self._table.close()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._table.over

    @property
    def title(self) -> str:
        """The title of the seat."""
        return self._table.title_of(self.seat)

    def look(self) -> str:
        """The position in words, and the pending decision; raises BotError if the bot failed."""
        self._table.go_on()
        if self.over:
            return self.end()
        return f"You are {self.title}.\n\n{self._table.position()}\n\n{self.asked()}"

    def asked(self) -> str:
        """The pending decision, and the legal actions with their meanings; raises BotError if the bot
        failed."""
        self._table.go_on()
        return self._table.asked()

    def act(self, answer: Any) -> str:
        """Plays actions in order while the seat decides; returns all news until the next decision of the
        seat.

        Args:
            answer: names of actions separated by spaces, such as ``face:army plan:move-armies``; other types
                are refused.

        Raises:
            ActionRefused: an action is illegal; the actions before it have been played. Or a bot that had
                failed has moved first, so that the question is another one.
            BotError: the bot failed.
        """
        names = answer.split() if isinstance(answer, str) else []
        has_moved = self._table.go_on()
        if self.over:
            raise ActionRefused(f"the game is over: {self.end()}")
        if has_moved:
            raise ActionRefused("the other player moved first, so nothing was played; look at the game again")
        try:
            if not names:
                raise self._table.refused("no action is named")
            if left := self._table.play(names):
                played = " ".join(names[: -len(left)])
                raise ActionRefused(
                    f"{left[0]!r} comes after the end of the game; played before it: {played}"
                )
        except ActionRefused:
            self.illegal += 1
            raise
        return f"{self.news()}\n\n{self.asked()}".strip()

    def news(self) -> str:
        """The news since the last call, in words."""
        news = self._table.news(self.seat)
        self._table.tell(self.seat)
        return news

    def hint(self) -> str:
        """The best choices for the seat according to the bot, in words; the result if the game is over.

        Raises:
            BotError: the bot failed.
        """
        self._table.go_on()
        if self.over:
            return self.end()
        bot, view = self._hint_bot, self._table.view()
        values = explanation(bot, view, self.bot)
        if values is None:
            best = [int(ask(bot, view, self.bot)[0])]
        else:
            best = [action for action, _ in values[0][:_HINTS]]
        return "\n".join([f"{self.bot} would choose, the best first:", *self._table.in_words(best)])

    @functools.cached_property
    def _hint_bot(self) -> Bot:
        """Another bot than the opponent, which must not see the reader's hidden information."""
        return self._table.further_bot(self.bot)

    def end(self) -> str:
        """The result in words; empty while the game is not over."""
        return self._table.end()

    def record(self, name: str) -> GameRecord:
        """The game as a record, with ``name`` as the name of the reader."""
        return self._table.record({self.seat: name})
