"""Describes the luck of one game: by turn and source, its largest strokes (steps with much luck), and one
sentence."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from wotr_env.core.descriptions import Tone
from wotr_env.core.kind import GameKind
from wotr_env.play.record import GameRecord
from wotr_experiments.arena.schedule import check_two_teams
from wotr_experiments.luck.measure import SET_UP, GameLuck, LuckMethod, measure
from wotr_experiments.luck.values import default_value_network, open_value

SAMPLES = 64
"""Number of repetitions of each step for one game; more than in tournaments, because one game takes little
time."""
NONE = "none"
"""The value of ``--luck`` that stands for no network: luck is not measured."""
_LEAST = 0.005
"""Minimal luck that is shown: half a point."""
CAUTION = (
    "Sums are more reliable than single strokes, because the values of a network also depend on which side "
    "decides next."
)
"""A note for readers of single strokes."""
_OUTCOMES = (Tone.DEED, Tone.MAJOR)
"""Tones of the sentences shown for a stroke of luck."""


class Stroke(NamedTuple):
    """A stroke: the luck of one step."""

    number: int
    """The number of actions before the step."""
    turn: int
    """The turn; -1 in games without turns."""
    source: str
    team: int
    """The team that gained."""
    gained: float
    """Gained winning chance, from 0 to 1."""
    words: str
    """A description of the step."""


class LuckTable(NamedTuple):
    """The luck of the first team by turn and source."""

    heads: list[str]
    """The sources that occurred after the set-up, and ``all``."""
    rows: dict[str, np.ndarray]
    """By ``SET_UP``, the turns, and ``all``: the luck of each head, from -1 to 1. In a game without turns,
    ``game`` replaces the turns. The set-up has luck only in ``all``."""

    def in_points(self) -> dict[str, list[str]]:
        """The rows in points; a cell without luck is empty."""
        return {
            name: [points(float(luck)) if luck else "" for luck in row] for name, row in self.rows.items()
        }


class LuckSoFar(NamedTuple):
    """The luck of the first team up to some points of the game, from -1 to 1."""

    unit: str
    """The unit of points: ``turn`` or ``decision``."""
    at: np.ndarray
    """``int64[P]``: 0, after the set-up, and the ends of later turns; or numbers of decisions."""
    by_source: dict[str, np.ndarray]
    """``float64[P]`` for each source, without the set-up."""
    total: np.ndarray
    """The sum over all sources and the set-up: ``float64[P]``."""


@dataclasses.dataclass(frozen=True)
class LuckReport:
    """The description of the luck of a game of two teams."""

    record: GameRecord
    method: LuckMethod
    luck: GameLuck
    strokes: tuple[Stroke, ...]
    """The largest strokes of luck, in order of the game."""

    @property
    def favoured(self) -> int:
        """The team with positive luck in total."""
        return int(self.luck.total[0] < 0)

    @property
    def turns(self) -> list[int]:
        """The turns with luck, ascending."""
        return sorted({stage.turn for stage in self.luck.stages})

    def by_turn(self) -> dict[int, np.ndarray]:
        """The luck of team 0 by turn and source, without the set-up: ``float64[S]`` for each turn."""
        found = {turn: np.zeros(len(self.luck.sources) - 1) for turn in self.turns}
        for stage in self.luck.stages:
            found[stage.turn][stage.source] += stage.luck[0]
        return found

    def table(self) -> LuckTable:
        """The luck of team 0 by turn and source; the last row and the last column are sums."""
        by_turn = self.by_turn()
        used = np.any(list(by_turn.values()), axis=0).nonzero()[0] if by_turn else np.zeros(0, dtype=np.int64)
        set_up = float(self.luck.set_up[0])
        rows = {SET_UP: np.append(np.zeros(used.size), set_up)} if set_up else {}
        for turn, row in by_turn.items():
            rows[str(turn) if turn >= 0 else "game"] = np.append(row[used], row.sum())
        rows["all"] = np.append(self.luck.by_source[1:, 0][used], self.luck.total[0])
        return LuckTable([*(self.luck.sources[1 + place] for place in used), "all"], rows)

    def so_far(self) -> LuckSoFar:
        """The luck of team 0 up to the end of each turn; in games without turns, up to each decision with
        luck."""
        turns = all(stage.turn >= 0 for stage in self.luck.stages)
        after = [stage.turn if turns else stage.number + 1 for stage in self.luck.stages]
        at = np.arange(max(after, default=0) + 1) if turns else np.unique([0, *after])
        luck = np.zeros((len(self.luck.sources) - 1, at.size))
        for place, stage in zip(np.searchsorted(at, after), self.luck.stages, strict=True):
            luck[stage.source, place:] += stage.luck[0]
        total = luck.sum(axis=0) + self.luck.set_up[0]
        by_source = dict(zip(self.luck.sources[1:], luck, strict=True))
        return LuckSoFar("turn" if turns else "decision", at, by_source, total)

    def sentence(self) -> str:
        """A sentence about the favoured team, its total luck and the sources."""
        team = self.record.kind.teams_of(self.record.ruleset)[self.favoured].with_article
        by_source = self.luck.by_source[:, self.favoured]
        total = round(100 * float(by_source.sum()))
        if not total:
            return "Luck favoured nobody."
        order = np.argsort(-np.abs(by_source), kind="stable").tolist()
        parts = [
            f"{self.luck.sources[place]} {points(float(by_source[place]))}"
            for place in order
            if abs(by_source[place]) >= _LEAST
        ]
        gained = "1 point" if total == 1 else f"{total} points"
        return f"Luck gave {team} {gained} of winning chance: {', '.join(parts)}."

    def table_words(self) -> str:
        """A heading for ``table``."""
        team = self.record.kind.teams_of(self.record.ruleset)[0].with_article
        return f"The luck of {team}, in points of winning chance, by {self.method.value}:"

    def method_words(self) -> str:
        """Describes the meaning of the numbers of ``table``, and their measurement."""
        first, second = (team.title for team in self.record.kind.teams_of(self.record.ruleset))
        return (
            f"A point is one percentage point of winning chance. Positive numbers favour {first}, negative "
            f"numbers {second}. All numbers are rounded. Luck is measured with the values of "
            f"{self.method.value}; each step with random events is replayed {self.method.again} times with "
            "new random events."
        )

    def head_of(self, stroke: Stroke) -> str:
        """A heading for a stroke: its turn, source and gain, such as ``Turn 3, combat: +12 for the
        Shadow``."""
        teams = self.record.kind.teams_of(self.record.ruleset)
        turn = f"Turn {stroke.turn}, " if stroke.turn >= 0 else ""
        return f"{turn}{stroke.source}: {points(stroke.gained)} for {teams[stroke.team].with_article}"

    def to_dict(self) -> dict[str, Any]:
        """The story for JSON; numbers are the luck of the first team, from -1 to 1."""
        sources = self.luck.sources
        return {
            **self.method.to_dict(),
            "team": self.record.kind.teams[0].name,
            "total": float(self.luck.total[0]),
            "by_source": dict(zip(sources, self.luck.by_source[:, 0].tolist(), strict=True)),
            "by_turn": [
                {"turn": turn, **dict(zip(sources[1:], row.tolist(), strict=True))}
                for turn, row in self.by_turn().items()
            ],
            "strokes": [
                {**stroke._asdict(), "team": self.record.kind.teams[stroke.team].name}
                for stroke in self.strokes
            ],
            "sentence": self.sentence(),
        }


def method_of(network: str | None, kind: GameKind, ruleset: Any, seed: int = 0) -> LuckMethod | None:
    """The method for the luck of one game, from the option ``--luck``.

    Args:
        network: the name of a network; ``NONE``; or None for the usual network of this package.
        kind: the game.
        ruleset: ruleset of the game.
        seed: seed of the resampled chance.

    Returns:
        None if luck is not requested. None also if no network is named, and this package has none for the
        game or for the number of its players.

    Raises:
        CommandError: the ruleset has more than two teams; or an error of ``values.open_value``.
        BotError: an error of ``values.open_value``.
    """
    if network is None:
        trained = len(ruleset.seats) == len(kind.find_ruleset().seats)
        network = default_value_network(kind, ruleset) if trained else None
    if network in (None, NONE):
        return None
    check_two_teams(kind, ruleset, "luck needs a game of two teams")
    open_value(network, kind)
    return LuckMethod(network, SAMPLES, seed, all_views=True)


def points(chance: float) -> str:
    """A gain in percentage points of winning chance: ``+14``, ``-3`` or ``0``."""
    return f"{round(100 * chance):+d}".replace("+0", "0").replace("-0", "0")


def taken_back_words(times: int) -> str:
    """A sentence about the luck of a game in which a player took back at least one choice after seeing its
    consequences."""
    choices = "A choice was" if times == 1 else f"{times} choices were"
    return f"{choices} taken back after new information was seen, so not all of this was luck."


def luck_of(record: GameRecord, method: LuckMethod, most: int = 5) -> LuckReport:
    """Measures and describes the luck of a game.

    Args:
        record: the record of a game of two teams.
        method: the settings of the measurement.
        most: maximal number of strokes.

    Raises:
        CommandError, BotError: errors of ``values.open_value``.
        RecordError: the record does not replay.
    """
    (luck,) = measure([record], method)
    largest = sorted(luck.stages, key=lambda stage: -abs(stage.luck[0]))[:most]
    wanted = sorted(stage for stage in largest if abs(stage.luck[0]) >= _LEAST)
    strokes, game = [], record.begun()
    for number, action in enumerate(record.actions):
        for stage in wanted:
            if stage.number == number:
                told = record.kind.step_of(record.given(game.state, number), action).sentences
                words = [sentence.text for sentence in told if sentence.tone in _OUTCOMES]
                team = int(stage.luck[0] < 0)
                source = luck.sources[1 + stage.source]
                strokes.append(
                    Stroke(number, stage.turn, source, team, float(stage.luck[team]), "; ".join(words))
                )
        game.step(action)
    return LuckReport(record, method, luck, tuple(strokes))
