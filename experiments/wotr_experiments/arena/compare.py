"""Comparisons of two bots by a sequential test, which end as soon as the test decides.

Batches are played in any order, but the test takes the pairs one by one in the order of the schedule, and
stops at the first pair that decides. Later pairs are stored but do not count. So the result depends only on
the seed.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.luck_store import LuckStore
from wotr_experiments.arena.played_games import GameOfLuck, PlayedGame
from wotr_experiments.arena.schedule import Tournament, check_repeats, most_rounds
from wotr_experiments.arena.sprt import SCORES, Sprt, elo_interval, elo_of, normalised_elo
from wotr_experiments.arena.store import open_store
from wotr_experiments.arena.summary import summarise
from wotr_experiments.arena.tournament import (
    SUMMARY,
    TournamentObserver,
    add_played_games,
    load_stored_games,
    missing_batches,
    play_batches,
    with_bot_identities,
    with_luck,
)
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_json
from wotr_experiments.isolation.bots import Bots
from wotr_experiments.luck.adjusted import SequentialAdjustment
from wotr_experiments.provenance import recorded_session

BATCH = 32
"""Default number of games per batch; small, because games after the decision are wasted."""
_NO_LIMIT = 2**40
"""Maximal number of games of an earlier run."""


class SprtProgress:
    """The pairs of a match in the order of the schedule, up to the pair with which the test decides.

    If the luck of games is measured, the adjusted scores decide. The multiples of luck (``adjusted``) for a
    pair are estimated from earlier pairs, so later pairs cannot change the adjusted score of a pair.

    Attributes:
        counts: pairs with each of the ``SCORES``.
        ratios: the log-likelihood ratio after each pair.
        passed: whether the test accepts ``elo1``; None if it has not decided yet.
    """

    def __init__(self, sprt: Sprt) -> None:
        self.sprt = sprt
        self.counts = [0] * len(SCORES)
        self.ratios: list[float] = []
        self.passed: bool | None = None
        self._waiting: dict[int, PlayedGame] = {}
        self._adjusted = SequentialAdjustment()

    @property
    def pairs(self) -> int:
        """The number of pairs that count."""
        return len(self.ratios)

    def add(self, games: list[PlayedGame]) -> None:
        """Adds games in any order, and evaluates the next complete pairs."""
        self._waiting |= {game.number: game for game in games}
        while self.passed is None:
            number = 2 * self.pairs
            if number not in self._waiting or number + 1 not in self._waiting:
                return
            # The first bot is team 0 in the first game of a pair, team 1 in the second.
            pair = [self._waiting.pop(number + team) for team in (0, 1)]
            score = sum(game.score(team) for team, game in enumerate(pair)) / 2
            self.counts[SCORES.index(score)] += 1
            self.ratios.append(self._ratio(score, [game.luck for game in pair]))
            self.passed = self.sprt.decide(self.ratios[-1])

    def _ratio(self, score: float, lucks: Sequence[GameOfLuck | None]) -> float:
        first, second = lucks
        if first is None or second is None:
            return self.sprt.log_likelihood_ratio(self.counts)
        luck = (np.array(first)[:, 0] + np.array(second)[:, 1]) / 2
        self._adjusted.add(score, luck)
        return self.sprt.ratio_of_scores(*self._adjusted.moments)


class CompareObserver(TournamentObserver):
    """Observer of a comparison's progress; this base class does nothing."""

    def judged(self, trial: SprtProgress) -> None:
        """Called when the test has evaluated more pairs."""


def compare_tournament(first: str, second: str, max_games: int, batch: int = 0, **options: Any) -> Tournament:
    """The tournament of a comparison. ``max_games`` is rounded up to whole batches, so a larger ``max_games``
    only adds batches. If games from positions would be repeated, there is one pair for each position. Other
    arguments are those of ``Tournament``.

    Raises:
        CommandError, BotError: errors of ``Tournament``.
    """
    batch = batch or BATCH
    if batch < 0 or batch % 2:
        raise CommandError(f"the batch must be an even number (sides are exchanged), not {batch}")
    whole = -(-max_games // batch) * batch
    tournament = Tournament((first, second), whole, batch=batch, **options)
    pairs = most_rounds(tournament)
    return tournament if pairs is None else dataclasses.replace(tournament, games=min(whole, 2 * pairs))


def run_compare(
    tournament: Tournament,
    sprt: Sprt,
    out: Path | None = None,
    crew: WorkerPool | None = None,
    watch: CompareObserver | None = None,
) -> dict[str, Any]:
    """Plays a match until the test decides or all games are played.

    Args:
        tournament: a tournament of two bots, from ``compare_tournament``.
        sprt: the hypotheses and error rates.
        out: folder for games and summary; a started comparison is continued, also with another number of
            games.
        crew: the workers that play; by default one process per core.
        watch: observer of the progress.

    Returns:
        The summary of the games that count, with the fields of ``sprt_to_dict`` under ``sprt``, as written to
        ``summary.json``.

    Raises:
        CommandError, BotError, RecordError, OSError: errors of ``run_tournament``.
    """
    check_repeats(tournament)
    crew = crew or WorkerPool()
    out = out and out.absolute()  # a bot may change the folder
    watch = watch or CompareObserver()
    trial = SprtProgress(sprt)
    with contextlib.ExitStack() as stack:
        bots = stack.enter_context(Bots(crew.isolation))
        tournament = with_bot_identities(tournament, bots)
        played = {"kind": "compare", **tournament.to_dict(), **dataclasses.asdict(sprt)}
        del played["games"]
        store = None if out is None else stack.enter_context(open_store(out, played))
        tournament = tournament.begun(store.played["secret"] if store else None)
        any_number = dataclasses.replace(tournament, games=_NO_LIMIT)
        book = None if tournament.luck is None else LuckStore(tournament.luck, out)
        games = [game for game in load_stored_games(any_number, store) if game.number < tournament.games]
        games = with_luck(games, store, book, watch)
        trial.add(games)
        watch.begin(games)
        watch.judged(trial)
        todo = missing_batches(tournament, games) if trial.passed is None else []
        session = stack.enter_context(recorded_session(out if todo else None))
        with contextlib.closing(
            play_batches(tournament, list(games), todo, crew, store, watch, bots, book)
        ) as more:
            for batch in more:
                games += batch
                add_played_games(session, tournament, batch)
                trial.add(batch)
                watch.judged(trial)
                if trial.passed is not None:
                    break
        games.sort(key=lambda game: game.number)
        counted = [game for game in games if game.number < 2 * trial.pairs]
        summary = {"sprt": sprt_to_dict(trial), **summarise(tournament, counted)}
        if tournament.luck is not None:
            summary["sprt"]["adjusted"] = _adjusted_to_dict(summary["results"][0]["adjusted"])
        if out is not None:
            write_json(out / SUMMARY, summary)
    return summary


def sprt_to_dict(trial: SprtProgress) -> dict[str, Any]:
    """A trial for JSON: the hypotheses, the pairs by score, the ratio with its bounds, the decision
    (``stronger`` if the test accepts ``elo1``)."""
    elo, low, high = elo_interval(trial.counts)
    normalised, *interval = normalised_elo(trial.counts)
    return {
        **dataclasses.asdict(trial.sprt),
        "decision": {True: "stronger", False: "not stronger", None: "undecided"}[trial.passed],
        "pairs": trial.pairs,
        "counts": dict(zip([str(score) for score in SCORES], trial.counts, strict=True)),
        "llr": trial.ratios[-1] if trial.ratios else 0.0,
        "bounds": list(trial.sprt.bounds),
        "elo": _finite(elo),
        "elo_interval_95": [_finite(low), _finite(high)],
        "normalised_elo": normalised,
        "normalised_elo_interval_95": [_finite(each) for each in interval],
    }


def _adjusted_to_dict(adjusted: dict[str, Any]) -> dict[str, Any]:
    """The adjusted score of the first bot (``Adjusted.to_dict``), with the corresponding Elo difference."""
    low, high = (None if end is None else _finite(elo_of(end)) for end in adjusted["interval_95"])
    elo = None if adjusted["share"] is None else _finite(elo_of(adjusted["share"]))
    return {**adjusted, "elo": elo, "elo_interval_95": [low, high]}


def _finite(number: float) -> float | None:
    """Replaces infinity, which JSON does not support."""
    return number if abs(number) < float("inf") else None
