"""``wotr check-bot``: legal actions, fairness, determinism and time per decision, for authors of bots.

The games come from a secret, so that a bot which tries seeds finds none; and in its process is seen that it
tries.
"""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
import time
from collections.abc import Callable, Sequence

import numpy as np

from wotr_env.bots import Bot, BotError, IllegalAnswerError, choose, view_of
from wotr_env.games import DEFAULT_GAME
from wotr_env.kind import GOING_ON, MAX_SEED, GameKind
from wotr_env.past import Courses, Ended, Past
from wotr_experiments.arena.schedule import find_game, find_ruleset, settled
from wotr_experiments.errors import one_line
from wotr_experiments.isolation.bots import (
    BotRaisedError,
    Bots,
    IsolatedBot,
    Isolation,
    StrangeAnswerError,
    check_made,
)
from wotr_experiments.isolation.process import LateError, LostError
from wotr_experiments.raised import own_traceback, raised

_BOT_SEED = int.from_bytes(hashlib.blake2b(b"check-bot", digest_size=8).digest(), "little") >> 1
"""Of the bots where the games have a seed, which theirs says nothing of."""
_MOST_BEGUN = 4
"""Games from seeds that a bot may begin, as it may to have everything compiled."""


@dataclasses.dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    passed: bool
    found: str
    """What was found, in words."""


def check_bot(
    spec: str,
    games: int = 8,
    decisions: int = 400,
    seed: int | None = None,
    on_progress: Callable[[int], object] = lambda _decisions: None,
    game: str = DEFAULT_GAME,
    ruleset: str | None = None,
    isolation: Isolation | None = None,
) -> list[Check]:
    """Lets a bot play all seats of some games against itself, and looks at its answers.

    A bot is fair if it decides the same when everything that its seat cannot know is drawn anew, and
    deterministic if a bot of the same seed decides the same for the same views. It is told which games it
    plays and what has happened in them; another, which is not told, must answer with legal actions, too. A
    bot that finds the game's seed would pass all, since what its seat sees tells the seed; so games come from
    a secret, and in a process of its own it is counted how many games it begins from seeds.

    Args:
        spec: of the bot.
        games: played at once.
        decisions: at most, in each game.
        seed: of the games, for who wants them again; None: they come from a secret. That of the bots says
            nothing of it.
        on_progress: called with the decisions made in each step.
        game: the name of the game.
        ruleset: of the game, as a spec.
        isolation: whether the bot has a process of its own, where it is seen what it prints and writes into.

    Raises:
        BotError: there is no such bot, or it does not play the game.
        CommandError: there is no such game or ruleset.
    """
    kind = find_game(game)
    rules = find_ruleset(kind, ruleset)
    kind.kernels.prepare()
    spec, isolation = settled(spec, kind.name), isolation or Isolation()
    drawn = np.random.default_rng(secrets.randbits(128)).integers(0, MAX_SEED, games)
    states = np.zeros(games, dtype=kind.state)
    masks = np.zeros((games, kind.actions.size), dtype=np.bool_)
    kind.kernels.start(states, masks, drawn if seed is None else np.arange(games) + seed, rules)
    with Bots(isolation) as bots:
        own = secrets.randbelow(MAX_SEED) if seed is None else _BOT_SEED
        four = bots.seat([spec] * 4, [own] * 4, kind.name)
        for bot in four:
            check_made(spec, bot)
        trial = _Trial(kind, spec, four)
        courses = Courses(kind, states, len(rules.seats))
        ended: list[Ended] = []
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
                    actions[rows] = trial.ask(seat, states[rows], masks[rows], past)
                    ended.clear()
                except Exception as error:
                    found = _told(kind, states, rows, step, error)
                    return [Check("legal actions", False, found), *trial.of_process()]
            courses.step(states, actions, playing)
            kind.kernels.step(states, masks, actions)
            ended += courses.ended(playing[states["winner"][playing] != GOING_ON], states["winner"])
            on_progress(playing.size)
        return trial.checks([seat.title for seat in rules.seats], games)


def _told(kind: GameKind, states: np.ndarray, rows: np.ndarray, step: int, error: Exception) -> str:
    """What went wrong in which games, and where in the bot's code."""
    lines, first, others = "", 0, len(rows) - 1
    if isinstance(error, IllegalAnswerError):
        names, first, others = kind.actions.names, error.row, 0
        action = names[error.action] if 0 <= error.action < len(names) else "which is none"
        said = f"{error}, {action}"
    elif isinstance(error, (BotError, BotRaisedError, LateError, LostError, StrangeAnswerError)):
        said = str(error)
        lines = error.traceback if isinstance(error, BotRaisedError) else ""
    else:
        said, lines = one_line(raised(error)), own_traceback(error)
    game = int(rows[first])
    asked = kind.words.decision(states[game]).removesuffix(".")
    more = f" and {others} others" if others else ""
    return f"{said} (game {game + 1}{more}, step {step}: {asked})" + (f"\n{lines}" if lines else "")


class _Trial:
    """A bot and three of the same seed.

    One sees the same, one what its seat cannot tell from it, and one is not told what games these are.
    """

    def __init__(self, kind: GameKind, name: str, bots: Sequence[Bot]) -> None:
        self.kind = kind
        self.name = name
        self.first, self.again, self.blind, self.untold = bots
        self.draws = np.random.default_rng(secrets.randbits(128))
        self.made: dict[int, int] = {}
        self.seconds: dict[int, float] = {}
        self.unlike = self.unfair = self.forgetful = 0

    def ask(self, seat: int, states: np.ndarray, masks: np.ndarray, past: Past) -> np.ndarray:
        """The first bot's actions, compared with those of the others; raises BotError if one is illegal."""
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
        self, bot: Bot, states: np.ndarray, masks: np.ndarray, past: Past | None = None
    ) -> np.ndarray:
        return choose(bot, view_of(states, masks, self.kind, past), self.name)

    def checks(self, titles: list[str], games: int) -> list[Check]:
        """What was found; ``titles`` of the seats."""
        total, unlike = sum(self.made.values()), self.unlike
        times = ", ".join(
            f"{1000 * self.seconds.get(seat, 0.0) / max(1, self.made.get(seat, 0)):.3f} ms "
            f"{'of' if seat else 'per decision of'} the {title}"
            for seat, title in enumerate(titles)
        )
        return [
            Check("legal actions", True, f"all {total:,} actions were legal"),
            Check("deterministic", not unlike, f"{unlike:,} of {total:,} actions differ for the same seed"),
            Check(
                "fair",
                not self.unfair or bool(unlike),
                f"{self.unfair:,} of {total:,} actions differ when what the seat cannot know is drawn anew"
                + ("; says nothing for a bot that is not deterministic" if unlike else ""),
            ),
            Check(
                "does without memory",
                True,
                f"told nothing of the games, {self.forgetful:,} of {total:,} actions differ; all are legal",
            ),
            *self.of_process(),
            Check("time", True, f"{times}, asked {games} games at a time"),
        ]

    def of_process(self) -> list[Check]:
        """What its own process tells of the first bot, if it has one."""
        bot = self.first
        if not isinstance(bot, IsolatedBot):
            return []
        begun = f"it has begun {bot.begun:,} games of its own from seeds"
        guesses = bot.begun > _MOST_BEGUN
        begun += "; whoever tries seeds looks for that of the game" if guesses else ""
        changed = "some of them" if bot.tampered else "none of them"
        said = f"{bot.printed:,} bytes, which nobody sees"
        said += f"; at last: {bot.has_printed()}" if bot.printed else ""
        return [
            Check("tries no seeds", not guesses, begun),
            Check("writes into no array", not bot.tampered, f"it has changed {changed} that it was given"),
            Check("prints", True, said),
        ]
