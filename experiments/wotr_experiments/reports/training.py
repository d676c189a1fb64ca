"""The report of a training run: one HTML file with its configuration, charts and evaluations."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import safetensors

from wotr_env.core.kind import GameKind
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_experiments.arena.result_tables import words
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_text
from wotr_experiments.reports import charts, pages
from wotr_experiments.training.best import POOLED
from wotr_experiments.training.progress import time_text
from wotr_experiments.training.run_folder import BEST, LAST, METRICS, read_config, read_metrics
from wotr_experiments.training.strength import elo_words, percent, score_interval

REPORT = "report.html"
_MOST_POINTS = 400
"""Maximal number of points of a line; longer series are averaged in this many parts."""
_UNIT = "decisions"
_NUMBERS = {
    "update": ("update", "decisions", "seconds", "speed"),
    "evaluation": ("update", "decisions", "seconds", "games", "elo"),
}
_TABLES = {"update": ("shares", "ends"), "evaluation": ("scores",)}
_COLOURS = (
    "free_peoples",
    "shadow",
    "plain",
    "moss",
    "ring_destroyed",
    "forfeit",
    "turn_limit",
    "corruption",
)
_LOSSES = {
    "policy_loss": "policy loss",
    "value_loss": "value loss",
    "critic_loss": "critic loss",
    "foresight_loss": "foresight loss",
    "entropy": "entropy of the policy",
    "approx_kl": "approximate KL divergence from the previous policy",
    "clip_fraction": "clip fraction",
    "agreement": "agreement with the expert",
    "gradient_norm": "norm of the gradient",
    "explained_variance": "explained variance of the returns",
}
_BOUNDS = {"explained_variance": (-1.0, 1.0), "agreement": (0.0, 1.0)}

Line = Mapping[str, Any]


def write_train_report(out: Path) -> Path:
    """Writes ``report.html`` into the folder of a training run, which may still be running.

    Args:
        out: the folder with configuration and metrics.

    Returns:
        The path of the report.

    Raises:
        CommandError: the configuration or the metrics are missing or broken.
        OSError: the report cannot be written.
    """
    config = read_config(out)
    if config is None:
        raise CommandError(f"there is no training run in {out}")
    lines = read_metrics(out)
    for number, line in enumerate(lines, 1):
        if not _is_whole(line):
            raise CommandError(f"{out / METRICS}, line {number} is not a line of metrics of a training run")
    updates = [line for line in lines if line["kind"] == "update"]
    if not updates:
        raise CommandError(f"{out / METRICS} has no update yet")
    evaluations = [line for line in lines if line["kind"] == "evaluation"]
    page = train_page(config, _device(out), updates, evaluations)
    write_text(out / REPORT, page.encode(errors="replace").decode())  # of half a character in a name
    return out / REPORT


def train_page(
    config: Mapping[str, Any],
    device: str,
    updates: Sequence[Line],
    evaluations: Sequence[Line],
) -> str:
    """The report as HTML.

    Args:
        config: configuration of the run.
        device: the device of the network.
        updates: metrics of updates, at least one line.
        evaluations: metrics of evaluations.
    """
    kind = game_kind(str(config.get("game", DEFAULT_GAME)))
    parts = [
        _totals(config, device, updates, evaluations),
        _strength(kind, evaluations),
        _learning(updates),
        _speed(updates),
        _ends(updates),
        _table(evaluations),
        _configuration(config),
    ]
    return pages.page(f"training, {updates[-1]['decisions']:,} decisions", "".join(parts), kind.title)


def _is_whole(line: Line) -> bool:
    """Whether a line of metrics is complete."""
    kind = line.get("kind")
    if kind not in tuple(_NUMBERS):
        return False
    tables = [table for name in _TABLES[kind] if isinstance(table := line.get(name), dict)]
    if len(tables) < len(_TABLES[kind]):
        return False
    rows = [row for table in tables for row in (table.values() if kind == "evaluation" else [table])]
    if not all(isinstance(row, dict) and all(map(_is_number, row.values())) for row in rows):
        return False
    if not all(_is_number(line[name]) for name in _LOSSES if name in line):
        return False
    return all(_is_number(line.get(name)) and math.isfinite(line[name]) for name in _NUMBERS[kind])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _device(out: Path) -> str:
    """The device of the last checkpoint, if there is one."""
    try:
        with safetensors.safe_open(out / LAST, framework="np") as file:
            facts = json.loads((file.metadata() or {}).get("facts", "{}"))
        return str(facts["device"])
    except (OSError, ValueError, TypeError, KeyError, safetensors.SafetensorError):
        return "-"


def _totals(
    config: Mapping[str, Any],
    device: str,
    updates: Sequence[Line],
    evaluations: Sequence[Line],
) -> str:
    last = updates[-1]
    ppo = config["ppo"] if isinstance(config.get("ppo"), dict) else {}
    planned = ppo.get("decisions")
    of = f" of {planned:,} ({last['decisions'] / planned:.1%})" if _is_number(planned) and planned else ""
    rows = [
        ("decisions", f"{last['decisions']:,}{of}"),
        ("updates", f"{last['update']:,}"),
        ("games that ended", f"{sum(sum(line['ends'].values()) for line in updates):,}"),
        ("time", f"{time_text(last['seconds'])} ({last['seconds']:,.0f} s, without evaluations)"),
        ("decisions per second", f"{last['decisions'] / max(last['seconds'], 1e-9):,.0f}"),
        ("threads that play and learn", ppo.get("workers", "-")),
        ("device", device),
    ]
    if evaluations:
        best = max(evaluations, key=lambda line: line["elo"])
        anchor = _last_anchor(evaluations[-1])
        rows.append((f"Elo above {anchor}", _elo_text(evaluations[-1])))
        rows.append(
            (f"highest Elo above {anchor}", f"{_elo_text(best)} after {best['decisions']:,} decisions")
        )
        taken = [line for line in evaluations if line.get("best") is True]
        if taken:
            rows.append((BEST, f"the network after {taken[-1]['decisions']:,} decisions"))
    return pages.section("Totals", pages.table([], _escaped(rows)))


def _strength(kind: GameKind, evaluations: Sequence[Line]) -> str:
    if not evaluations:
        return pages.section("Strength", pages.note("There is no evaluation yet."))
    elo = _series(evaluations, lambda line: line["elo"])
    name = f"Elo above {_last_anchor(evaluations[-1])}"
    ends = {name: _elo_ends(evaluations)}
    parts = [_chart(name, {name: elo}, {name: "ink"}, dots=True, intervals=ends)]
    sides = {team.title: team.name for team in kind.teams}
    for anchor in dict.fromkeys(anchor for line in evaluations for anchor in line["scores"]):
        series = {
            side: _series(evaluations, lambda line, a=anchor, k=key: line["scores"].get(a, {}).get(k), 100.0)
            for side, key in sides.items()
        }
        ends = {side: _score_ends(evaluations, anchor, key) for side, key in sides.items()}
        title = f"score against {anchor}, %"
        parts.append(_chart(title, series, _colours(sides), dots=True, bounds=(0.0, 100.0), intervals=ends))
    note = (
        "The averaged network plays its most likely action on each side. A draw counts as half a win. Elo is "
        "computed from the score on the learning sides. Vertical lines and parentheses show 95% Wilson "
        "intervals of each evaluation."
    )
    return pages.section("Strength", _charts(parts) + pages.note(note))


def _learning(updates: Sequence[Line]) -> str:
    parts = []
    for key, name in _LOSSES.items():
        points = _series(updates, lambda line, key=key: line.get(key))
        parts.append(_chart(name, {name: points}, {name: "ink"}, bounds=_BOUNDS.get(key)))
    note = (
        f"Each point is the mean of one update, or of several if there are more than {_MOST_POINTS}. Values "
        "of explained variance below -100% are drawn at -100%."
    )
    return pages.section("Learning", _charts(parts) + pages.note(note))


def _speed(updates: Sequence[Line]) -> str:
    speed = _series(updates, lambda line: line["speed"])
    kinds = list(dict.fromkeys(kind for line in updates for kind in line["shares"]))
    series = {
        words(kind): _series(updates, lambda line, kind=kind: line["shares"].get(kind, 0.0), 100.0)
        for kind in kinds
    }
    series["rest"] = _series(updates, lambda line: max(0.0, 1.0 - sum(line["shares"].values())), 100.0)
    parts = [
        _chart("decisions per second", {"speed": speed}, {"speed": "ink"}),
        _chart("where the time goes, %", series, _colours(series), bounds=(0.0, 100.0)),
    ]
    return pages.section("Speed", _charts(parts))


def _ends(updates: Sequence[Line]) -> str:
    kinds = list(dict.fromkeys(kind for line in updates for kind in line["ends"]))

    def share(line: Line, kind: str) -> float | None:
        total = sum(line["ends"].values())
        return line["ends"].get(kind, 0) / total if total else None

    series = {words(kind): _series(updates, lambda line, k=kind: share(line, k), 100.0) for kind in kinds}
    classes = {
        words(kind): kind if kind in _COLOURS or kind.endswith("military") else "ink" for kind in kinds
    }
    games = _series(updates, lambda line: sum(line["ends"].values()))
    parts = [
        _chart("how games end, %", series, classes, bounds=(0.0, 100.0)),
        _chart("games that end in an update", {"games": games}, {"games": "ink"}),
    ]
    return pages.section("Ends of games", _charts(parts))


def _table(evaluations: Sequence[Line]) -> str:
    if not evaluations:
        return ""
    columns = list(
        dict.fromkeys(
            (anchor, side) for line in evaluations for anchor, row in line["scores"].items() for side in row
        )
    )
    head = ["decisions", "update", "time", "games"]
    head += [f"{anchor}, {words(side)}" for anchor, side in columns]
    rows = []
    for line in evaluations:
        scores = [line["scores"].get(anchor, {}).get(side) for anchor, side in columns]
        rows.append(
            [
                f"{line['decisions']:,}",
                f"{line['update']:,}",
                time_text(line["seconds"]),
                f"{line['games']:,}",
                *("-" if score is None else percent(score, line["games"]) for score in scores),
                _elo_text(line),
                "best" if line.get("best") is True else "",
            ]
        )
    note = (
        "Games: number of games against each anchor on each side. Elo: difference to "
        f"{_last_anchor(evaluations[-1])}. Best: this network was saved as {BEST}, because its results, "
        f"pooled with those of the {POOLED - 1} evaluations before, were better than those of the previous "
        "best network (lower end of the 95% interval)."
    )
    return pages.section("Evaluations", pages.table([*head, "Elo", ""], rows) + pages.note(note))


def _configuration(config: Mapping[str, Any]) -> str:
    return pages.section("Configuration", pages.table([], _escaped(list(_flat(config).items()))))


def _flat(config: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Values by dotted names, as text."""
    found = {}
    for name, value in config.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{before}{name}.")
        elif isinstance(value, (list, tuple)):
            found[f"{before}{name}"] = ", ".join(map(str, value)) or "-"
        else:
            found[f"{before}{name}"] = f"{value:,}" if _is_number(value) else str(value) or "-"
    return found


def _series(
    lines: Sequence[Line], value: Callable[[Line], float | None], factor: float = 1.0
) -> list[charts.Point]:
    """Points of a value by decisions, averaged in parts if there are too many."""
    found = [(line["decisions"], value(line)) for line in lines]
    points = [(x, y * factor) for x, y in found if y is not None and math.isfinite(y)]
    if len(points) <= _MOST_POINTS:
        return points
    parts = np.array_split(np.array(points, dtype=np.float64), _MOST_POINTS)
    return [(float(part[:, 0].mean()), float(part[:, 1].mean())) for part in parts]


def _chart(
    title: str,
    series: Mapping[str, list[charts.Point]],
    classes: Mapping[str, str],
    dots: bool = False,
    bounds: tuple[float, float] | None = None,
    intervals: Mapping[str, list[charts.Interval]] | None = None,
) -> str:
    """A chart with its title; empty if no line has points."""
    drawn = {name: points for name, points in series.items() if points}
    if not drawn:
        return ""
    ends = {name: found for name, found in (intervals or {}).items() if name in drawn}
    picture = charts.lines(drawn, classes, _UNIT, dots, bounds, ends)
    return f"<figure><figcaption>{html.escape(title)}</figcaption>{picture}</figure>"


def _score_ends(evaluations: Sequence[Line], anchor: str, side: str) -> list[charts.Interval]:
    """The intervals of a score in percent; none if there are too many points."""
    found = []
    for line in evaluations if len(evaluations) <= _MOST_POINTS else ():
        score = line["scores"].get(anchor, {}).get(side)
        if score is not None and math.isfinite(score):
            low, high = score_interval(score, line["games"])
            found.append((line["decisions"], 100 * low, 100 * high))
    return found


def _elo_ends(evaluations: Sequence[Line]) -> list[charts.Interval]:
    """The finite intervals of the Elo difference; otherwise as ``_score_ends``."""
    found = []
    for line in evaluations if len(evaluations) <= _MOST_POINTS else ():
        match line.get("elo_interval_95"):
            case [int() | float() as low, int() | float() as high] if math.isfinite(low + high):
                found.append((line["decisions"], low, high))
    return found


def _elo_text(line: Line) -> str:
    return elo_words(line["elo"], line.get("elo_interval_95"))


def _charts(parts: Sequence[str]) -> str:
    return f'<div class="charts">{"".join(parts)}</div>'


def _colours(series: Mapping[str, Any]) -> dict[str, str]:
    return {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(series)}


def _last_anchor(evaluation: Line) -> str:
    """The anchor to which the Elo difference refers."""
    return next(reversed(evaluation["scores"]), "nobody")


def _escaped(rows: Sequence[tuple[str, Any]]) -> list[list[str]]:
    return [[html.escape(name), html.escape(str(value))] for name, value in rows]
