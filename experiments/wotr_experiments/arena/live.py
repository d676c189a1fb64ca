"""Live tables of a running tournament or comparison, on stderr in a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

import rich.console
import rich.live
from rich.console import Group, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from wotr_experiments.arena.compare import CompareObserver, SprtProgress
from wotr_experiments.arena.played_games import PlayedGame
from wotr_experiments.arena.result_tables import NOTHING
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.arena.sprt import elo_interval
from wotr_experiments.arena.statistics import wilson
from wotr_experiments.arena.summary import ratings_of
from wotr_experiments.arena.thinking_times import ThinkingTimes
from wotr_experiments.arena.tournament import add_thinking_times

_REFRESHES = 4
"""Refreshes of the tables per second."""
_BAR_WIDTH = 40
_RATED_EVERY = 2.0
"""Minimal seconds between fits of the ratings."""
_SHOWN_TABLES = 4
"""Maximal number of running batches that are listed."""


class LiveTournament(CompareObserver):
    """Counts and shows games during a run; use ``shown`` around the run.

    Attributes:
        stored_games: the number of stored games.
        thinking_times: the thinking times of the bots in this run.
    """

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.stored_games = 0
        self._running = 0
        self._teams = tournament.kind.teams_of(tournament.ruleset)
        self._wins = [[0] * len(self._teams) for _ in tournament.bots]
        self._games = [[0] * len(self._teams) for _ in tournament.bots]
        self._forfeits = [0 for _ in tournament.bots]
        self._played: list[PlayedGame] = []
        self._playing: dict[tuple[int, int], Batch] = {}
        self._ratings: list[float] = []
        self._rated, self._rated_at = 0, -_RATED_EVERY
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(_BAR_WIDTH),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self.thinking_times = ThinkingTimes()
        self._task = self._bar.add_task("games", total=tournament.total, speed="")
        self._measuring: TaskID | None = None
        self._begun, self._before = time.monotonic(), 0

    def measured(self, games: int, missing: int) -> None:
        """Shows a progress bar of the measurement of luck until it is done."""
        if self._measuring is None:
            self._measuring = self._bar.add_task("luck of stored games", total=missing, speed="")
        self._bar.update(self._measuring, completed=games)
        if games == missing:
            self._bar.remove_task(self._measuring)
            self._measuring = None

    def begin(self, found: list[PlayedGame]) -> None:
        """Adds games of an earlier run to the table, but not to the speed."""
        self._count(found)
        self._before = self.stored_games
        self._bar.reset(self._task, completed=self.stored_games, total=self.tournament.total)
        self._begun = time.monotonic()
        self._tell_total()

    def _tell_total(self) -> None:
        pairings = len(self.tournament.pairings)
        if pairings > 1:
            each = f"{pairings:,} pairings of {self.tournament.games:,} games"
            print(f"wotr: {each}, {self.tournament.total:,} games in all", file=sys.stderr)

    def taken(self, batch: Batch) -> None:
        """Shows a batch that is being played."""
        self._playing[batch.pairing, batch.first] = batch

    def over(self, batch: Batch) -> None:
        """Removes a batch that has been played."""
        self._playing.pop((batch.pairing, batch.first), None)

    def ended(self, games: int) -> None:
        """Advances the progress bar."""
        self._running += games
        self._advance()

    def stored(self, games: list[PlayedGame]) -> None:
        """Advances the progress bar and updates the table."""
        self._running = max(0, self._running - len(games))
        self._count(games)
        add_thinking_times(self.thinking_times, self.tournament, games)
        self._advance()

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """A context that shows the tables on stderr; does nothing if stderr is not a terminal."""
        console = rich.console.Console(stderr=True, markup=False)
        if not console.is_terminal:
            yield
            return
        with rich.live.Live(
            get_renderable=self.picture, console=console, refresh_per_second=_REFRESHES, transient=True
        ):
            yield

    def picture(self) -> RenderableType:
        """The current tables."""
        return Group(self._table(), *self._now(), self._bar.get_renderable())

    def _count(self, games: list[PlayedGame]) -> None:
        self.stored_games += len(games)
        self._played += games
        for game in games:
            for team, places in enumerate(game.of_teams(self.tournament.ruleset.seats)):
                for place in places:
                    self._games[place][team] += 1
                    self._wins[place][team] += game.has_won(team, self.tournament.ruleset.seats)
            if game.forfeited_by is not None:
                self._forfeits[game.forfeited_by] += 1

    def _advance(self) -> None:
        done = min(self.tournament.total, self.stored_games + max(0, self._running))
        seconds = time.monotonic() - self._begun
        speed = f"{(done - self._before) / seconds:.1f} per s" if seconds > 0 else ""
        self._bar.update(self._task, completed=done, speed=speed)

    def _now(self) -> list[str]:
        """A line for each running batch."""
        names = self.tournament.names
        batches = sorted(self._playing.copy().values())
        lines = []
        for batch in batches[:_SHOWN_TABLES]:
            bots = " against ".join(names[place] for place in self.tournament.pairings[batch.pairing])
            first, last = batch.first + 1, batch.first + batch.games
            lines.append(f"now: {bots}, games {first:,} to {last:,}")
        if len(batches) > _SHOWN_TABLES:
            lines.append(f"and {len(batches) - _SHOWN_TABLES} more")
        return lines

    def _elo(self) -> list[str]:
        """The Elo rating of each bot, if there are games; the mean is 0."""
        now, games = time.monotonic(), self._played.copy()
        if len(games) > self._rated and now - self._rated_at >= _RATED_EVERY:
            ratings = ratings_of(self.tournament, games, resamples=0)
            self._ratings = [estimate.value for estimate in ratings.both]
            self._rated, self._rated_at = len(games), now
        return [f"{rating:+.0f}" for rating in self._ratings] or [NOTHING] * len(self.tournament.bots)

    def _table(self) -> Table:
        table = Table()
        table.add_column("bot", overflow="fold")
        columns = ["games", "Elo", "wins (95%)", *(f"as {team.title}" for team in self._teams)]
        if any(self._forfeits):
            columns.append("forfeits")
        for column in columns:
            table.add_column(column, justify="right", no_wrap=True)
        elo = self._elo()
        for place, name in enumerate(self.tournament.names):
            wins, games = self._wins[place], self._games[place]
            each = (_rate(*counts) for counts in zip(wins, games, strict=True))
            row = [_rate(sum(wins), sum(games)), *each]
            forfeits = [f"{self._forfeits[place]:,}"] if any(self._forfeits) else []
            table.add_row(name, f"{sum(games):,}", elo[place], *row, *forfeits)
        return table


class LiveCompare(LiveTournament):
    """Like ``LiveTournament``, with the state of the test between its bounds."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self._trial: SprtProgress | None = None

    def judged(self, trial: SprtProgress) -> None:
        """Updates the state of the test."""
        self._trial = trial

    def picture(self) -> RenderableType:
        """The current tables."""
        return Group(self._table(), self._llr(), *self._now(), self._bar.get_renderable())

    def _llr(self) -> str:
        if self._trial is None or not self._trial.pairs:
            return ""
        low, high = self._trial.sprt.bounds
        ratio = self._trial.ratios[-1]
        elo, least, most = elo_interval(self._trial.counts)
        place = round((_BAR_WIDTH - 1) * min(1.0, max(0.0, (ratio - low) / (high - low))))
        bar = "─" * place + "●" + "─" * (_BAR_WIDTH - 1 - place)
        return (
            f"LLR {ratio:+.2f}  {low:.2f} {bar} {high:.2f}  "
            f"{self._trial.pairs:,} pairs, Elo {elo:+.1f} ({least:+.1f} to {most:+.1f})"
        )


def _rate(wins: int, games: int) -> str:
    if not games:
        return NOTHING
    low, high = wilson(wins, games)
    return f"{wins / games:.1%} ({100 * low:.0f}-{100 * high:.0f})"
