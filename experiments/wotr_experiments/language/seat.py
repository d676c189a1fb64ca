"""A seat of a game for somebody who reads and writes text, with bots at all others."""

from __future__ import annotations

from typing import Any

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_env.core.seats import check_seat
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.isolation.bots import Isolation, ask, explanation
from wotr_experiments.language.text_game import ActionRefused, TextGame

_HINTS = 5


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
        """Of the seat."""
        return self._table.title_of(self.seat)

    def look(self) -> str:
        """The position in words, and what has to be decided."""
        if self.over:
            return self.end()
        return f"You are {self.title}.\n\n{self._table.position()}\n\n{self.asked()}"

    def asked(self) -> str:
        """What has to be decided, and the legal actions with what they mean."""
        return self._table.asked()

    def act(self, answer: Any) -> str:
        """Plays actions, one after the other as long as the seat is asked; tells all until it is asked again.

        Args:
            answer: names of actions with spaces between them, such as ``face:army plan:move-armies``; what is
                no text is refused.

        Raises:
            ActionRefused: one of them is not legal; those before it have been played and are told.
            BotError: the bot failed.
        """
        names = answer.split() if isinstance(answer, str) else []
        if self.over:
            raise ActionRefused(f"the game is over: {self.end()}")
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
        return f"{self.told()}\n\n{self.asked()}".strip()

    def told(self) -> str:
        """What has happened since it was told last."""
        news = self._table.news(self.seat)
        self._table.tell(self.seat)
        return news

    def hint(self) -> str:
        """What the bot would do in the seat's place."""
        if self.over:
            return self.end()
        bot, view = self._table.any_bot, self._table.view()
        values = explanation(bot, view, self.bot)
        if values is None:
            best = [int(ask(bot, view, self.bot)[0])]
        else:
            best = [action for action, _ in values[0][:_HINTS]]
        return "\n".join([f"{self.bot} would choose, the best first:", *self._table.in_words(best)])

    def end(self) -> str:
        """How the game ended, in words; empty while it goes on."""
        return self._table.end()

    def record(self, name: str) -> GameRecord:
        """The game, with the name of who had the seat."""
        return self._table.record({self.seat: name})
