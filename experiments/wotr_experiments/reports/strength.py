"""Plots the strength of a bot by one of its numeric parameters.

``python -m wotr_experiments.reports.strength FOLDER PARAMETER FILE``:

FOLDER is the folder of a gauntlet of one opponent against the same bot with several values of the parameter,
such as ``wotr tournament scripted mcts:sims=50 mcts:sims=100 mcts:sims=200 --gauntlet --out FOLDER``. FILE is
a .png or .svg file (needs the extra ``plots``).
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

from wotr_agents import BotError, parse_spec
from wotr_env.core.values import read_text
from wotr_experiments.arena.result_tables import teams_of
from wotr_experiments.arena.store import GAMES
from wotr_experiments.arena.tournament import SUMMARY
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.benchmark import check_can_plot

_COLOURS = ("#333333", "#4a7ab8", "#c4453d")
"""Colours of a bot's results in all games, as team 0 and as team 1: blue and red, as in reports."""
_USAGE = "usage: python -m wotr_experiments.reports.strength FOLDER PARAMETER FILE"


@dataclasses.dataclass(frozen=True)
class Strength:
    """Games won with one value of the parameter."""

    value: float
    results: dict[str, dict[str, Any]]
    """Results by name as in a summary: in all games, as team 0 and as team 1."""


def read_curve(folder: Path, parameter: str) -> tuple[str, list[Strength]]:
    """The opponent of a gauntlet, and the strengths of the other bots by ascending parameter value.

    Raises:
        CommandError: the folder contains no gauntlet, or a bot has no such numeric parameter.
        OSError: the summary cannot be read.
    """
    if not folder.is_dir():
        raise CommandError(f"there is no folder {folder}")
    if not (folder / SUMMARY).exists():
        begun = (folder / GAMES).exists()
        why = "is not finished; run its command again" if begun else "contains no tournament"
        raise CommandError(f"{folder} {why}")
    try:
        summary = json.loads(read_text(folder / SUMMARY))
        gauntlet, results = summary["gauntlet"], summary["results"]
        teams = teams_of(summary)
    except (KeyError, TypeError, ValueError):
        raise CommandError(f"{folder / SUMMARY} is not the summary of a tournament") from None
    if not gauntlet:
        raise CommandError(f"{folder} is not a gauntlet; play one with wotr tournament --gauntlet")
    opponent, *others = summary["bots"]
    keys = {"both sides": "wins"} | {team.title: f"wins_as_{team.name}" for team in teams}
    curve = []
    for spec, result in zip(others, results[1:], strict=True):
        value = getattr(parse_spec(spec)[1], parameter, None)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise CommandError(f"bot {spec} has no number called {parameter}")
        curve.append(Strength(value, {title: result[key] for title, key in keys.items()}))
    return opponent, sorted(curve, key=lambda each: each.value)


def draw_curve(opponent: str, curve: list[Strength], parameter: str, path: Path) -> None:
    """Draws the shares of games won; the share for both sides together has its 95% interval."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # pyright: ignore[reportMissingImports]
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    page = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(page)
    axes = page.subplots()
    values = [each.value for each in curve]
    for label, colour in zip(curve[0].results, _COLOURS, strict=True):
        shares = [each.results[label] for each in curve]
        heights = [100 * share["share"] for share in shares]
        if label == "both sides":
            low = [100 * (share["share"] - share["interval_95"][0]) for share in shares]
            high = [100 * (share["interval_95"][1] - share["share"]) for share in shares]
            axes.errorbar(values, heights, (low, high), color=colour, marker="o", capsize=3, label=label)
        else:
            axes.plot(values, heights, color=colour, marker=".", linestyle=":", label=label)
    axes.axhline(50, color="grey", linewidth=1, zorder=0)  # behind the curves
    axes.set_xscale("log", base=2)
    axes.set_xticks([each.value for each in curve], [f"{each.value:g}" for each in curve])
    axes.set_ylim(0, 103)
    axes.set_xlabel(parameter)
    axes.set_ylabel(f"games won against {opponent}, percent")
    axes.grid(alpha=0.3)
    axes.legend()
    page.savefig(path, dpi=110)


def main(arguments: list[str]) -> int:
    """The command line; returns the exit code."""
    if arguments in (["--help"], ["-h"]):
        print(f"{_USAGE}\n\n{__doc__}")
        return 0
    if len(arguments) != 3:
        print(_USAGE, file=sys.stderr)
        return 2
    folder, parameter, path = Path(arguments[0]), arguments[1], Path(arguments[2])
    try:
        check_can_plot(path, "it")
        opponent, curve = read_curve(folder, parameter)
        draw_curve(opponent, curve, parameter, path)
    except (BotError, CommandError, OSError) as error:
        print(f"wotr: {error}", file=sys.stderr)
        return 2
    for each in curve:
        won = each.results["both sides"]
        low, high = won["interval_95"]
        print(f"{parameter}={each.value:g}: {won['share']:.1%} of {won['games']} ({low:.1%} to {high:.1%})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
