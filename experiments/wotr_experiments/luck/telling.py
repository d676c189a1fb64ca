"""The luck of one game in words: by turn and source, its largest strokes, and one sentence."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from wotr_env.core.kind import GameKind
from wotr_env.core.telling import Tone
from wotr_env.play.record import GameRecord
from wotr_experiments.arena.schedule import check_two_teams
from wotr_experiments.luck.measure import GameLuck, Method, measure
from wotr_experiments.luck.values import open_value, usual_value

SAMPLES = 64
"""Number of replays of each step for one game; one game takes little time."""
NONE = "none"
"""The name of no network: luck is not measured."""
_LEAST = 0.005
"""Minimal luck that is shown: half a point."""
_OUTCOMES = (Tone.DEED, Tone.MAJOR)
"""Tones of the sentences shown for a stroke of luck."""


class Stroke(NamedTuple):
    """Luck in one step."""

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


@dataclasses.dataclass(frozen=True)
class LuckStory:
    """The luck of a game of two teams."""

    record: GameRecord
    method: Method
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

    def sentence(self) -> str:
        """A sentence about the favoured team, its total luck and the sources."""
        team = self.record.kind.teams_of(self.record.ruleset)[self.favoured].title
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
        return f"Luck gave the {team} {gained} of winning chance: {', '.join(parts)}."

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


def method_of(network: str | None, kind: GameKind, ruleset: Any, seed: int = 0) -> Method | None:
    """The method for the luck of one game, from the option ``--luck``.

    Args:
        network: its name; ``NONE``; or None for the usual network of this package.
        kind: the game.
        ruleset: ruleset of the game.
        seed: as in ``Method``.

    Returns:
        None if luck is not requested. None also if no network is named, and this package has none for the
        game or for the number of its players.

    Raises:
        CommandError: the ruleset has more than two teams; as ``values.open_value``.
        BotError: as ``values.open_value``.
    """
    if network is None:
        trained = len(ruleset.seats) == len(kind.find_ruleset().seats)
        network = usual_value(kind, ruleset) if trained else None
    if network in (None, NONE):
        return None
    check_two_teams(kind, ruleset, "luck needs a game of two teams")
    open_value(network, kind)
    return Method(network, SAMPLES, seed)


def points(chance: float) -> str:
    """A gain in percentage points of winning chance: ``+14``, ``-3`` or ``0``."""
    return f"{round(100 * chance):+d}".replace("+0", "0").replace("-0", "0")


def luck_of(record: GameRecord, method: Method, most: int = 5) -> LuckStory:
    """Measures and tells the luck of a game.

    Args:
        record: of two teams.
        method: how luck is measured.
        most: maximal number of strokes.

    Raises:
        CommandError, BotError: as ``values.open_value``.
        RecordError: the record does not replay.
    """
    (luck,) = measure([record], method)
    largest = sorted(luck.stages, key=lambda stage: -abs(stage.luck[0]))[:most]
    wanted = sorted(stage for stage in largest if abs(stage.luck[0]) >= _LEAST)
    strokes, game = [], record.begun()
    for number, action in enumerate(record.actions):
        for stage in wanted:
            if stage.number == number:
                told = record.kind.step_of(record.given(game.state, number), action).told
                words = [sentence.text for sentence in told if sentence.tone in _OUTCOMES]
                team = int(stage.luck[0] < 0)
                source = luck.sources[1 + stage.source]
                strokes.append(
                    Stroke(number, stage.turn, source, team, float(stage.luck[team]), "; ".join(words))
                )
        game.step(action)
    return LuckStory(record, method, luck, tuple(strokes))
