"""Round robins of bots in seat-swapped pairs, stored as they come and continued where they stopped.

Game 2k and game 2k + 1 of a pairing are played from the same seed with the sides exchanged. The schedule
lists the games of all pairings in order; ``games.jsonl`` holds the records of its first games,
``tournament.json`` what was asked for, and ``summary.json`` the results once all games are played.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import filelock
import numpy as np

from agents import canonical_spec, make_bot
from experiments.errors import CommandError
from experiments.files import drop_unfinished_line, write_json
from experiments.play import play_batch, records_of, verify_records
from experiments.statistics import wilson
from wotr_env import GameRecord, Ruleset, kernel
from wotr_env.codes import Reason, Side, Winner
from wotr_env.compile import ensure_compiled

_GAMES, _CONFIGURATION, _SUMMARY, _LOCK = "games.jsonl", "tournament.json", "summary.json", ".lock"


@dataclasses.dataclass(frozen=True)
class Tournament:
    """What is played: every bot against every other.

    Raises:
        CommandError: fewer than two bots, or a number that cannot be.
        BotError: a bot's spec is wrong.
    """

    bots: tuple[str, ...]
    """Specs in their canonical form; the same bot may come twice."""
    games: int
    """Per pairing, even: half of them with exchanged sides."""
    seed: int = 0
    ruleset: Ruleset = dataclasses.field(default_factory=Ruleset.first_edition)
    batch: int = 256
    """Games played at once, which bots may see in their speed and in their random numbers."""

    def __post_init__(self) -> None:
        if len(self.bots) < 2:
            raise CommandError(
                f"a tournament needs two bots or more, not {len(self.bots)}; a bot may come twice"
            )
        if self.games < 2 or self.games % 2:
            raise CommandError(f"games must be an even number from 2 (sides are exchanged), not {self.games}")
        if self.batch < 1:
            raise CommandError(f"the batch must be at least 1 game, not {self.batch}")
        object.__setattr__(self, "bots", tuple(canonical_spec(spec) for spec in self.bots))

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Pairs of places in ``bots``."""
        return list(itertools.combinations(range(len(self.bots)), 2))

    @property
    def names(self) -> list[str]:
        """The bots with a number where a spec comes again: ``random``, ``random (2)``."""
        names = []
        for place, spec in enumerate(self.bots):
            count = self.bots[: place + 1].count(spec)
            names.append(spec if count == 1 else f"{spec} ({count})")
        return names

    def to_dict(self) -> dict[str, Any]:
        """For JSON; two tournaments with equal dictionaries play the same games."""
        return {**dataclasses.asdict(self), "bots": list(self.bots), "ruleset": self.ruleset.to_dict()}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What the tables need to know of one game."""

    free_peoples: int
    """Place in ``Tournament.bots`` of the bot that played them."""
    shadow: int
    winner: Winner
    reason: Reason
    turn: int
    corruption: int
    decisions: int


def run_tournament(
    tournament: Tournament,
    out: Path | None = None,
    on_progress: Callable[[int], object] = lambda _games: None,
) -> dict[str, Any]:
    """Plays what is missing of a tournament and sums it up.

    Args:
        tournament: what to play.
        out: folder for records and summary, made if need be; games recorded there are not played again.
        on_progress: called with the number of games that were found or have just ended.

    Returns:
        The summary, as written to ``summary.json``.

    Raises:
        CommandError: ``out`` belongs to another tournament, or another process is writing there.
        RecordError: the records in ``out`` are damaged or do not replay.
        BotError: a bot answered with something other than legal actions.
        OSError: a file cannot be read or written; the games recorded before are kept.
    """
    ensure_compiled(kernel.compile_all)
    if out is None:
        return summarise(tournament, _play_missing(tournament, [], None, on_progress))
    with _own_folder(tournament, out):
        path = out / _GAMES
        recorded = _recorded(tournament, path)
        on_progress(len(recorded))
        summary = summarise(tournament, _play_missing(tournament, recorded, path, on_progress))
        write_json(out / _SUMMARY, summary)
    return summary


def summarise(tournament: Tournament, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The results by bot and by ordered pairing, with 95% Wilson intervals; ready for JSON."""
    names = tournament.names
    bots = []
    for place, name in enumerate(names):
        as_free_peoples = [outcome for outcome in outcomes if outcome.free_peoples == place]
        as_shadow = [outcome for outcome in outcomes if outcome.shadow == place]
        won = _wins(as_free_peoples, Winner.FREE_PEOPLES), _wins(as_shadow, Winner.SHADOW)
        bots.append(
            {
                "bot": name,
                "wins": _share(sum(won), len(as_free_peoples) + len(as_shadow)),
                "wins_as_free_peoples": _share(won[Side.FREE_PEOPLES], len(as_free_peoples)),
                "wins_as_shadow": _share(won[Side.SHADOW], len(as_shadow)),
            }
        )
    pairings = []
    for first, second in tournament.pairings:
        for free_peoples, shadow in ((first, second), (second, first)):
            played = [o for o in outcomes if (o.free_peoples, o.shadow) == (free_peoples, shadow)]
            pairings.append(
                {"free_peoples": names[free_peoples], "shadow": names[shadow], **_summary_of_games(played)}
            )
    return {**tournament.to_dict(), "results": bots, "pairings": pairings, "all": _summary_of_games(outcomes)}


@dataclasses.dataclass(frozen=True)
class _Batch:
    """Games ``first`` to ``last - 1`` of the schedule, all of one pairing."""

    first: int
    last: int
    pairing: int
    first_of_pairing: int
    """Number of game ``first`` inside its pairing."""


def _batches(tournament: Tournament) -> Iterator[_Batch]:
    for pairing in range(len(tournament.pairings)):
        start = pairing * tournament.games
        for game in range(0, tournament.games, tournament.batch):
            size = min(tournament.batch, tournament.games - game)
            yield _Batch(start + game, start + game + size, pairing, game)


def _numbers(*entropy: int) -> np.ndarray:
    """A seed from the numbers that it belongs to: ``uint64[1]``, below 2**63."""
    return np.random.SeedSequence(entropy).generate_state(1, np.uint64) >> np.uint64(1)


def _games_of(tournament: Tournament, batch: _Batch) -> tuple[np.ndarray, np.ndarray]:
    """The seeds ``uint64[B]`` and swapped sides ``bool[B]`` of a batch. All pairings play the same seeds."""
    games = np.arange(batch.first_of_pairing, batch.first_of_pairing + batch.last - batch.first)
    seeds = np.concatenate([_numbers(tournament.seed, game // 2) for game in games.tolist()])
    return seeds, games % 2 == 1


def _play_missing(
    tournament: Tournament, recorded: list[Outcome], path: Path | None, on_progress: Callable[[int], object]
) -> list[Outcome]:
    """The outcomes of all games; those not recorded are played, and appended to the file batch by batch.

    A batch of which only a part was recorded is played again as a whole, so that bots see the same games.
    """
    outcomes = recorded.copy()
    for batch in _batches(tournament):
        known = len(outcomes) - batch.first
        if known >= batch.last - batch.first:
            continue
        played = _play(tournament, batch, _after(known, on_progress))
        if path is not None:
            verify_records(played)
            with path.open("a", encoding="utf-8") as file:
                file.write("".join(record.to_json() + "\n" for record in played[known:]))
        outcomes += _outcomes(tournament, batch, played)[known:]
    return outcomes


def _play(tournament: Tournament, batch: _Batch, on_end: Callable[[int], object]) -> list[GameRecord]:
    places = tournament.pairings[batch.pairing]
    names = (tournament.bots[places[0]], tournament.bots[places[1]])
    bots = tuple(
        make_bot(name, int(_numbers(tournament.seed, batch.first, place)[0]))
        for name, place in zip(names, places, strict=True)
    )
    seeds, swapped = _games_of(tournament, batch)
    played = play_batch(bots, names, swapped, seeds, tournament.ruleset, on_end)
    return records_of(played, names, swapped, seeds, tournament.ruleset)


def _outcomes(tournament: Tournament, batch: _Batch, records: Sequence[GameRecord]) -> list[Outcome]:
    first, second = tournament.pairings[batch.pairing]
    _, swapped = _games_of(tournament, batch)
    return [
        Outcome(
            free_peoples=second if swap else first,
            shadow=first if swap else second,
            winner=record.result.winner,
            reason=record.result.reason,
            turn=record.result.turn,
            corruption=record.result.corruption,
            decisions=len(record.actions),
        )
        for record, swap in zip(records, swapped, strict=False)
    ]


@contextlib.contextmanager
def _own_folder(tournament: Tournament, out: Path) -> Iterator[None]:
    """Makes or takes the folder of a tournament, for this process alone."""
    if out.exists() and not out.is_dir():
        raise CommandError(f"{out} is a file; --out names a folder")
    out.mkdir(parents=True, exist_ok=True)
    configuration = json.loads(json.dumps(tournament.to_dict()))
    try:
        with filelock.FileLock(out / _LOCK, timeout=0):
            path = out / _CONFIGURATION
            if not path.exists():
                if (out / _GAMES).exists():
                    raise CommandError(f"{out} has {_GAMES} but no {_CONFIGURATION}; give another --out")
                write_json(path, configuration)
            elif (difference := _difference(path, configuration)) is not None:
                raise CommandError(f"{out} holds another tournament ({difference}); give another --out")
            yield
    except filelock.Timeout:
        raise CommandError(f"another process writes to {out}; wait for it, or give another --out") from None


def _difference(path: Path, configuration: dict[str, Any]) -> str | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise CommandError(f"{path} is damaged, not JSON; give another --out") from None
    if not isinstance(found, dict):
        raise CommandError(f"{path} is damaged, not a JSON object; give another --out")
    for key, value in configuration.items():
        if found.get(key) != value:
            return f"its {key}: {json.dumps(found.get(key))}, asked for: {json.dumps(value)}"
    return None


def _recorded(tournament: Tournament, path: Path) -> list[Outcome]:
    """The outcomes of the games played so far, each verified."""
    if not path.exists():
        return []
    drop_unfinished_line(path)
    outcomes: list[Outcome] = []
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = enumerate(file, start=1)
        for batch in _batches(tournament):
            size = batch.last - batch.first
            records = [
                GameRecord.from_json(line, f"{path}, line {number}")
                for number, line in itertools.islice(lines, size)
            ]
            _check_schedule(tournament, batch, records)
            verify_records(records)
            outcomes += _outcomes(tournament, batch, records)
        if next(lines, None) is not None:
            raise CommandError(f"{path} has more games than the tournament; give another --out")
    return outcomes


def _check_schedule(tournament: Tournament, batch: _Batch, records: Sequence[GameRecord]) -> None:
    first, second = (tournament.bots[place] for place in tournament.pairings[batch.pairing])
    for record, seed, swap in zip(records, *_games_of(tournament, batch), strict=False):
        players = (second, first) if swap else (first, second)
        expected = (tournament.ruleset, int(seed), players)
        if (record.ruleset, record.seed, record.players) != expected or record.result is None:
            raise CommandError(f"{record.source}: not the game of this tournament; give another --out")


def _after(known: int, on_progress: Callable[[int], object]) -> Callable[[int], None]:
    """Progress of a batch of which ``known`` games were counted before."""
    left = known

    def advance(games: int) -> None:
        nonlocal left
        counted = min(left, games)
        left -= counted
        on_progress(games - counted)

    return advance


def _wins(outcomes: Sequence[Outcome], winner: Winner) -> int:
    return sum(outcome.winner == winner for outcome in outcomes)


def _share(count: int, games: int) -> dict[str, Any]:
    share = count / games if games else None
    return {"count": count, "games": games, "share": share, "interval_95": list(wilson(count, games))}


def _summary_of_games(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    games = len(outcomes)
    turns = [outcome.turn for outcome in outcomes]
    return {
        "games": games,
        "free_peoples_wins": _share(_wins(outcomes, Winner.FREE_PEOPLES), games),
        "shadow_wins": _share(_wins(outcomes, Winner.SHADOW), games),
        "draws": _wins(outcomes, Winner.DRAW),
        "kinds": {
            reason.name.lower(): sum(outcome.reason == reason for outcome in outcomes)
            for reason in Reason
            if reason != Reason.NONE
        },
        "turns": {"median": float(np.median(turns)), "mean": float(np.mean(turns)), "most": max(turns)},
        "corruption_mean": float(np.mean([outcome.corruption for outcome in outcomes])),
        "decisions_mean": float(np.mean([outcome.decisions for outcome in outcomes])),
    }
