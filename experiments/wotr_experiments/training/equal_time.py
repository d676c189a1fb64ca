"""Compares training options at equal compute.

``python -m wotr_experiments.training.equal_time PLAN OUT``: a plan is a TOML file with the common ``options``
of ``wotr train``, and with further options by name in ``[variants]``; all variants are compared with the
first. Every variant trains for the same processor time, so other work on the machine changes little. The
number of decisions, which the learning rate schedule needs, is estimated from two short runs. Then the
averaged networks play against bots. With several runs of each variant, the interval of a difference contains
the spread between runs. A stopped run continues, and a finished run is not repeated.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from wotr_env.core.values import read_text
from wotr_experiments.arena.statistics import student_t, wilson
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_text
from wotr_experiments.training.run_folder import LAST, METRICS, read_config

_WOTR = (sys.executable, "-m", "wotr_experiments.cli.main")
_ALONE = ("--evaluate-every", "1000000", "--evaluate-games", "1", "--checkpoint-every", "100")
"""Options that suppress all evaluations except the last one, so that all runs have equal costs for
evaluations."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """The plan of a comparison.

    Raises:
        ValueError: there are fewer than two variants.
    """

    options: Sequence[str]
    variants: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        if len(self.variants) < 2:
            raise ValueError("a plan needs at least two variants")

    @classmethod
    def read(cls, path: Path) -> Plan:
        """Reads a plan from a file.

        Raises:
            OSError, ValueError: the file cannot be read, or is not a plan.
        """
        found = tomllib.loads(read_text(path))
        options, variants = found.pop("options", ""), found.pop("variants", {})
        if found:
            raise ValueError(f"unknown keys in the plan: {', '.join(found)}")
        if not isinstance(options, str):
            raise ValueError('options must be a text, such as options = "--games 64"')
        if not isinstance(variants, dict) or not all(isinstance(each, str) for each in variants.values()):
            raise ValueError('[variants] must have a line NAME = "OPTIONS" for each variant')
        if not all(name.replace("-", "").isalnum() for name in variants):
            raise ValueError("a name of a variant may have only letters, digits and -")
        return cls(shlex.split(options), {name: shlex.split(more) for name, more in variants.items()})


@dataclasses.dataclass(frozen=True)
class Trained:
    """A finished run."""

    variant: str
    seed: int
    decisions: int
    seconds: float
    """Processor time in seconds, including the start, of the last command of the run."""
    wins: Mapping[str, Mapping[str, tuple[int, int]]]
    """Games won and games played, by opponent and team."""


def main(
    plan: Annotated[Path, typer.Argument(help="File with the options and the variants to compare (TOML).")],
    out: Annotated[Path, typer.Argument(help="Folder for the runs and their results.")],
    seconds: Annotated[float, typer.Option(min=1, help="Processor time of each run, in seconds.")] = 300,
    seeds: Annotated[int, typer.Option(min=1, help="Number of runs of each variant.")] = 2,
    games: Annotated[
        int, typer.Option(min=2, help="Number of games of each run against each opponent.")
    ] = 1000,
    against: Annotated[
        list[str] | None, typer.Option(help="Spec of an opponent. By default scripted. Repeatable.")
    ] = None,
    first_seed: Annotated[
        int, typer.Option(min=0, help="Seed of the first run of each variant; each further run adds one.")
    ] = 1,
) -> None:
    """Train every variant for the same processor time, and print a table of how well the networks play."""
    try:
        if games % 2:
            raise ValueError(f"--games must be even, because sides are exchanged, not {games}")
        read = Plan.read(plan)
        opponents = tuple(against or ["scripted"])
        asked = {
            "options": list(read.options),
            "seconds": seconds,
            "games": games,
            "against": list(opponents),
        }
        results = Results(out / "results.json", asked, read.variants)
        for seed, (name, more) in itertools.product(
            range(first_seed, first_seed + seeds), read.variants.items()
        ):
            if results.has(name, seed):
                continue
            options = [*read.options, *more]
            if name not in results.paces:
                results.add_pace(name, pace(options))
            decisions = max(1, round(results.paces[name] * seconds))
            run = out / f"{name}-{seed}"
            spent = train(run, [*options, "--seed", str(seed), "--decisions", str(decisions)])
            wins = {each: strength(run, each, games, seed) for each in opponents}
            results.add(Trained(name, seed, decisions_of(run), round(spent, 1), wins))
            print(f"wotr: {run} is done", file=sys.stderr)
    except (OSError, ValueError, CommandError) as error:
        print(f"equal_time: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    table = table_of(results.runs, list(read.variants), opponents)
    write_text(out / "table.md", table)
    print(table, end="")


class Results:
    """The results so far, in a file that is always complete.

    Args:
        path: the file.
        asked: the settings that all runs have in common, for JSON.
        variants: the options of each variant; later plans may add variants.

    Raises:
        CommandError: the file has the results of other settings, or of other options of a variant.
        OSError, ValueError: the file cannot be read.
    """

    def __init__(self, path: Path, asked: Mapping[str, Any], variants: Mapping[str, Sequence[str]]) -> None:
        self._path = path
        found = json.loads(read_text(path)) if path.exists() else {"paces": {}, "runs": []}
        before = found.get("variants", {})
        known = {name: before[name] for name in before if name in variants}
        if found.get("asked", asked) != asked or known != {name: list(variants[name]) for name in known}:
            raise CommandError(f"{path} has results of another plan or of other options; give another folder")
        self._plan = {"asked": asked, "variants": {**before, **variants}}
        self.paces: dict[str, float] = found["paces"]
        """Decisions per second of processor time, by variant."""
        self.runs = [Trained(**each) for each in found["runs"]]

    def has(self, variant: str, seed: int) -> bool:
        """Whether a run has finished."""
        return any((each.variant, each.seed) == (variant, seed) for each in self.runs)

    def add_pace(self, variant: str, decisions: float) -> None:
        """Stores the speed of a variant."""
        self.paces[variant] = decisions
        self._write()

    def add(self, run: Trained) -> None:
        """Stores a run."""
        self.runs.append(run)
        self._write()

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        runs = [dataclasses.asdict(each) for each in self.runs]
        write_text(self._path, json.dumps({**self._plan, "paces": self.paces, "runs": runs}, indent=1) + "\n")


def pace(options: Sequence[str]) -> float:
    """Decisions per second of processor time of ``wotr train`` with some options, without the start.

    Args:
        options: options of the training.
    """
    short, long = 1, 8  # updates: the cost of the start, and more if they take little time compared with it
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        train(run, [*options, "--decisions", "1"])
        update = decisions_of(run)

        def session(updates: int) -> tuple[int, float]:
            before = decisions_of(run)
            wanted = str(before + update * updates)
            seconds = processor_seconds(
                ["train", str(run), "--resume", "--device", "cpu", "--decisions", wanted]
            )
            return decisions_of(run) - before, seconds

        few, start = session(short)
        many, seconds = session(long)
        while seconds < 1.3 * start:
            long *= 16
            many, seconds = session(long)
    return (many - few) / (seconds - start)


def train(run: Path, options: Sequence[str]) -> float:
    """Starts or continues a training run; returns the processor time in seconds."""
    return processor_seconds(["train", str(run), "--device", "cpu", *_ALONE, *options])


def processor_seconds(arguments: Sequence[str]) -> float:
    """Runs ``wotr``; returns its processor time.

    Raises:
        CommandError: the command failed; the message contains the last line of its output.
    """
    with subprocess.Popen([*_WOTR, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = process.stderr.read().decode(errors="replace").strip()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise CommandError(_last_line(said, process.returncode))
    return usage.ru_utime + usage.ru_stime


def _last_line(said: str, code: int) -> str:
    """The last line that a failed command has printed, or its exit code."""
    *_, last = said.strip().splitlines() or [f"exit code {code}"]
    return last.removeprefix("wotr: ")


def decisions_of(run: Path) -> int:
    """The number of decisions of a run."""
    lines = read_text(run / METRICS).splitlines()
    return json.loads(lines[-1])["decisions"]


def strength(run: Path, opponent: str, games: int, seed: int) -> dict[str, tuple[int, int]]:
    """Plays the averaged network against a bot by the rules of its training, half of the games on each side.
    Returns games won and games played by team.

    Raises:
        CommandError: the games cannot be played.
    """
    config = read_config(run) or {}
    rules = [f"--{name}={config[name]}" for name in ("game", "ruleset") if config.get(name)]
    command = [
        *_WOTR,
        "tournament",
        f"net:{run / LAST}",
        opponent,
        "--games",
        str(games),
        "--seed",
        str(seed),
        "--json",
    ]
    found = subprocess.run([*command, *rules], capture_output=True, text=True, check=False)
    if found.returncode:
        raise CommandError(_last_line(found.stderr, found.returncode))
    told = json.loads(found.stdout)
    (row,) = (each for each in told["results"] if each["bot"] == told["bots"][0])
    sides = {name.removeprefix("wins_as_"): each for name, each in row.items() if name.startswith("wins_as_")}
    return {name: (each["count"], each["games"]) for name, each in sides.items()}


def table_of(runs: Sequence[Trained], variants: Sequence[str], opponents: Sequence[str]) -> str:
    """A table of all runs of each variant together, in Markdown, with 95% intervals.

    If every variant has several runs, the interval of a difference contains the spread between runs (Welch's
    test); otherwise only the chance of the games, so it is about these networks and not about the options.
    """
    lines = []
    repeated = all(sum(each.variant == name for each in runs) > 1 for name in variants)
    gain_head = "more than the first" if repeated else "more than the first (these networks)"
    for opponent in opponents:
        estimate = _by_runs if repeated else _by_games
        first = estimate(runs, variants[0], opponent)
        teams = list(runs[0].wins[opponent])
        heads = ["", "decisions", f"wins against `{opponent}`", *teams, gain_head]
        lines += [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        for name in variants:
            pooled = _pooled(runs, name, opponent)
            won, games = (sum(each) for each in zip(*pooled.values(), strict=True))
            made = sum(each.decisions for each in runs if each.variant == name)
            sides = [f"{pooled[team][0] / pooled[team][1]:.1%}" for team in teams]
            gain = "" if name == variants[0] else _difference(first, estimate(runs, name, opponent))
            low, high = wilson(won, games)
            share = f"{won / games:.1%} ({low:.1%} to {high:.1%} of {games:,})"
            lines.append(f"| {' | '.join([name, f'{made / 1e6:.1f}M', share, *sides, gain])} |")
        lines.append("")
    return "\n".join(lines)


def _pooled(runs: Sequence[Trained], variant: str, opponent: str) -> dict[str, tuple[int, int]]:
    """Games won and games played in all runs of a variant, by team."""
    found: dict[str, tuple[int, int]] = {}
    for each in runs:
        if each.variant == variant:
            for team, (won, games) in each.wins[opponent].items():
                before = found.get(team, (0, 0))
                found[team] = before[0] + won, before[1] + games
    return found


class _Share(NamedTuple):
    """A share of won games."""

    mean: float
    variance: float
    """The variance of the mean."""
    freedom: float
    """The degrees of freedom of the variance."""


def _by_runs(runs: Sequence[Trained], variant: str, opponent: str) -> _Share:
    """The mean share of the runs of a variant, with the variance between these runs.

    The variance is at least that of independent games, because a few runs can agree by chance.
    """
    totals = [
        [sum(each) for each in zip(*run.wins[opponent].values(), strict=True)]
        for run in runs
        if run.variant == variant
    ]
    shares = [won / games for won, games in totals]
    between = statistics.variance(shares) / len(shares)
    within = _by_games(runs, variant, opponent).variance
    return _Share(statistics.fmean(shares), max(between, within), float(len(shares) - 1))


def _by_games(runs: Sequence[Trained], variant: str, opponent: str) -> _Share:
    """The share of all games of a variant together, with the variance of independent games.

    For the variance, one game is added, half won, so that it is not 0 if all games have the same result.
    """
    won, games = (sum(each) for each in zip(*_pooled(runs, variant, opponent).values(), strict=True))
    share = (won + 0.5) / (games + 1)
    return _Share(won / games, share * (1 - share) / games, math.inf)


def _difference(first: _Share, other: _Share) -> str:
    """The difference of two shares in percentage points, with its 95% interval.

    The degrees of freedom are those of B. L. Welch (1947).
    """
    gain, variance = 100 * (other.mean - first.mean), first.variance + other.variance
    parts = sum(each.variance**2 / each.freedom for each in (first, other))
    reach = 100 * student_t(variance**2 / parts if parts else math.inf) * math.sqrt(variance)
    return f"{gain:+.1f} ({gain - reach:+.1f} to {gain + reach:+.1f})"


if __name__ == "__main__":
    typer.run(main)
