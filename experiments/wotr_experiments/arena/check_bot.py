"""``wotr check-bot``: legal actions, fairness, determinism and time per decision, for authors of bots.

The games come from a secret, so that a bot cannot find their seed. The bot's process counts attempts to try
seeds.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from wotr_env.core.codes import GOING_ON, MAX_SEED
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import Bot, BotError, IllegalAnswerError, choose, view_of
from wotr_env.play.games import DEFAULT_GAME
from wotr_env.play.history import BatchHistory, EndedGame, GameHistory
from wotr_experiments.arena.schedule import canonical_bot_spec, find_game, find_ruleset
from wotr_experiments.bot_errors import own_traceback, raised
from wotr_experiments.errors import one_line
from wotr_experiments.isolation.bots import (
    BotRaisedError,
    Bots,
    InvalidAnswerError,
    IsolatedBot,
    Isolation,
    check_made,
)
from wotr_experiments.isolation.process import BotProcessError, LateError
from wotr_experiments.pauses import paused

_BOT_SEED = int.from_bytes(hashlib.blake2b(b"check-bot", digest_size=8).digest(), "little") >> 1
"""Seed of the bots if the games have a seed; it is unrelated to the seed of the games."""
_MOST_BEGUN = 4
"""Number of games from seeds that a bot may start, such as for compiling."""
CHECK_WATCHDOG = 60.0
"""Default of --watchdog in seconds; short, because the author of the bot is waiting."""
_SILENCE = 10.0
"""Seconds until the first message about a bot that has not answered; the time doubles after each message."""


@dataclasses.dataclass(frozen=True)
class Check:
    """A check and its result."""

    name: str
    passed: bool
    found: str
    """The result in words."""


def check_bot(
    spec: str,
    games: int = 8,
    decisions: int = 400,
    seed: int | None = None,
    on_progress: Callable[[int], object] = lambda _decisions: None,
    game: str = DEFAULT_GAME,
    ruleset: str | None = None,
    isolation: Isolation | None = None,
    on_silence: Callable[[str], object] = lambda _words: None,
) -> list[Check]:
    """Lets a bot play all seats of some games against itself, and checks its answers.

    A bot is fair if its decisions do not change when hidden information is resampled. It is deterministic if
    a second bot with the same seed decides the same for the same views. The bot receives the history of its
    games; a third bot without the history must also answer with legal actions. A bot could also start games
    from many seeds until one gives the same observation, and so find the seed and the hidden information.
    Such a bot would pass these checks. Therefore the seeds of the games come from a secret, and the games
    that an isolated bot starts from seeds are counted.

    Args:
        spec: spec of the bot.
        games: number of games in the batch.
        decisions: maximal number of decisions per game.
        seed: seed of the games, to repeat them; None: they come from a secret. The seed of the bots is
            unrelated.
        on_progress: called with the decisions made in each step.
        game: the name of the game.
        ruleset: spec of the ruleset.
        isolation: whether the bot runs in a separate process, where its output and its writes to arrays are
            observed; by default ``Isolation`` with ``CHECK_WATCHDOG``.
        on_silence: called, in another thread, with a line about a bot that has not answered for long.

    Raises:
        BotError: the bot is unknown, or it does not play the game.
        CommandError: the game or ruleset is unknown.
    """
    kind = find_game(game)
    rules = find_ruleset(kind, ruleset)
    kind.kernels.prepare()
    spec, isolation = canonical_bot_spec(spec, kind.name), isolation or Isolation(watchdog=CHECK_WATCHDOG)
    drawn = np.random.default_rng(secrets.randbits(128)).integers(0, MAX_SEED, games)
    states, masks = kind.new_states(drawn if seed is None else np.arange(games) + seed, rules)
    silence = _Silence(spec, isolation, on_silence)
    with Bots(isolation) as bots, silence.watched(), paused.watched():
        own = secrets.randbelow(MAX_SEED) if seed is None else _BOT_SEED
        four = bots.seat([spec] * 4, [own] * 4, kind.name)
        for bot in four:
            check_made(spec, bot)
        trial = _Trial(kind, spec, four)
        courses = BatchHistory(kind, states, len(rules.seats))
        ended: list[EndedGame] = []
        for step in range(1, decisions + 1):
            playing = np.flatnonzero(states["winner"] == GOING_ON)
            if not playing.size:
                break
            actions = np.zeros(games, dtype=np.int64)
            for seat in range(len(rules.seats)):
                rows = playing[states["seat"][playing] == seat]
                if not rows.size:
                    continue
                try:
                    past = courses.past(rows, states["seat"][rows], tuple(ended))
                    with silence.over(len(rows), functools.partial(_where, kind, states, rows, step)):
                        actions[rows] = trial.ask(seat, states[rows], masks[rows], past)
                    ended.clear()
                except Exception as error:
                    found = _told(kind, states, rows, step, error, isolation)
                    return [Check("legal actions", False, found), *trial.of_process()]
            courses.step(states, actions, playing)
            kind.kernels.step(states, masks, actions)
            ended += courses.ended(playing[states["winner"][playing] != GOING_ON], states["winner"])
            on_progress(playing.size)
        return trial.checks([seat.title for seat in rules.seats], games)


class _Silence:
    """Reports a bot that does not answer while the arena waits for it.

    Args:
        spec: spec of the bot.
        isolation: the settings that determine when the bot is stopped.
        tell: called with the line of the report.
        clock: a clock in seconds.
    """

    def __init__(
        self,
        spec: str,
        isolation: Isolation,
        tell: Callable[[str], object],
        clock: Callable[[], float] = paused.running_time,
    ) -> None:
        self._spec, self._isolation, self._tell, self._clock = spec, isolation, tell, clock
        self._asked: tuple[float, int, Callable[[], str]] | None = None

    @contextlib.contextmanager
    def over(self, games: int, where: Callable[[], str]) -> Iterator[None]:
        """A context for a call of the bot about a number of games; ``where`` describes them."""
        self._asked = self._clock(), games, where
        try:
            yield
        finally:
            self._asked = None

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """A context in which another thread watches the time that the bot takes."""
        done = threading.Event()
        thread = threading.Thread(target=self._watch, args=(done,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _watch(self, done: threading.Event) -> None:
        longest = _SILENCE
        while not done.wait(min(1.0, longest / 4)):
            asked = self._asked
            if asked is not None and self._clock() > asked[0] + longest:
                self._tell(self._words(longest, *asked[1:]))
                longest *= 2

    def _words(self, seconds: float, games: int, where: Callable[[], str]) -> str:
        until = "it runs in this process, and only Ctrl-C ends it"
        if self._isolation.isolates(self._spec):
            limit = self._isolation.call_timeout(games)
            until = f"it will be stopped after {limit:g} s (--watchdog {self._isolation.watchdog:g})"
            until = until if limit else "there is no time limit (--watchdog 0)"
        return f"bot {self._spec} has not answered for {seconds:g} s {where()}; {until}"


def _where(kind: GameKind, states: np.ndarray, rows: np.ndarray, step: int) -> str:
    """A description of the games of a call."""
    asked = kind.words.decision(states[int(rows[0])]).removesuffix(".")
    more = f" and {len(rows) - 1} others" if len(rows) > 1 else ""
    return f"(game {int(rows[0]) + 1}{more}, step {step}: {asked})"


def _told(
    kind: GameKind,
    states: np.ndarray,
    rows: np.ndarray,
    step: int,
    error: Exception,
    isolation: Isolation,
) -> str:
    """A description of a failure: what happened, in which games, and where in the bot's code."""
    lines, where = "", _where(kind, states, rows, step)
    if isinstance(error, IllegalAnswerError):
        names = kind.actions.names
        where = _where(kind, states, rows[error.row : error.row + 1], step)
        action = names[error.action] if 0 <= error.action < len(names) else "which is none"
        said = f"{error}, {action}"
    elif isinstance(error, LateError):
        said = f"no answer in {isolation.call_timeout(len(rows)):g} s"
    elif isinstance(error, InvalidAnswerError):
        said = f"act answered with {error}"
    elif isinstance(error, (BotError, BotRaisedError, BotProcessError)):
        said = str(error)
        lines = error.traceback if isinstance(error, BotRaisedError) else ""
    else:
        said, lines = one_line(raised(error)), own_traceback(error)
    return f"{said} {where}" + (f"\n{lines}" if lines else "")


class _Trial:
    """A bot and three further bots with the same seed.

    One of the three receives the same views, one receives views with resampled hidden information, and one
    receives no history.
    """

    def __init__(self, kind: GameKind, name: str, bots: Sequence[Bot]) -> None:
        self.kind = kind
        self.name = name
        self.first, self.again, self.blind, self.untold = bots
        self.draws = np.random.default_rng(secrets.randbits(128))
        self.made: dict[int, int] = {}
        self.seconds: dict[int, float] = {}
        self.unlike = self.unfair = self.forgetful = 0

    def ask(self, seat: int, states: np.ndarray, masks: np.ndarray, past: GameHistory) -> np.ndarray:
        """Returns the first bot's actions after comparing them with those of the others; raises BotError if
        an action is illegal."""
        start = time.perf_counter()
        actions = self._choose(self.first, states, masks, past)
        self.seconds[seat] = self.seconds.get(seat, 0.0) + time.perf_counter() - start
        self.made[seat] = self.made.get(seat, 0) + len(states)
        self.unlike += int((self._choose(self.again, states, masks, past) != actions).sum())
        worlds = states.copy()
        drawn = self.draws.integers(0, MAX_SEED, size=len(states), dtype=np.int64)
        self.kind.kernels.sample_worlds(worlds, worlds["seat"].astype(np.int64), drawn)
        self.unfair += int((self._choose(self.blind, worlds, masks, past) != actions).sum())
        self.forgetful += int((self._choose(self.untold, states, masks) != actions).sum())
        return actions

    def _choose(
        self, bot: Bot, states: np.ndarray, masks: np.ndarray, past: GameHistory | None = None
    ) -> np.ndarray:
        return choose(bot, view_of(states, masks, self.kind, past), self.name)

    def checks(self, titles: list[str], games: int) -> list[Check]:
        """The results of the checks; ``titles`` are the titles of the seats."""
        total, unlike = sum(self.made.values()), self.unlike
        times = ", ".join(
            f"{1000 * self.seconds.get(seat, 0.0) / max(1, self.made.get(seat, 0)):.3f} ms "
            f"{'as' if seat else 'per decision as'} {title}"
            for seat, title in enumerate(titles)
        )
        return [
            Check("legal actions", True, f"all {total:,} actions were legal"),
            Check(
                "deterministic",
                not unlike,
                f"{unlike:,} of {total:,} actions differ in a second run with the same seed",
            ),
            Check(
                "fair",
                not self.unfair or bool(unlike),
                f"{self.unfair:,} of {total:,} actions differ when hidden information is resampled"
                + ("; this proves nothing for a bot that is not deterministic" if unlike else ""),
            ),
            Check(
                "needs no memory",
                True,
                f"{self.forgetful:,} of {total:,} actions differ if the bot is not told where games begin "
                "and end; all are legal",
            ),
            *self.of_process(),
            Check("time", True, f"{times}, in calls for {games} games"),
        ]

    def of_process(self) -> list[Check]:
        """The checks that need the separate process of the first bot, if it has one."""
        bot = self.first
        if not isinstance(bot, IsolatedBot):
            return []
        begun = f"it has started {bot.begun:,} games of its own from seeds"
        guesses = bot.begun > _MOST_BEGUN
        begun += "; a bot that tries seeds may search for the seed of the game" if guesses else ""
        changed = "some of the arrays" if bot.tampered else "none of the arrays"
        said = f"{bot.printed:,} bytes; its output is discarded"
        said += f"; the last lines: {bot.last_output()}" if bot.printed else ""
        return [
            Check("tries no seeds", not guesses, begun),
            Check("changes no array", not bot.tampered, f"it has changed {changed} that it received"),
            Check("prints", True, said),
        ]
