"""Profiles random play: by kind of decision (compiled), by rule module (interpreted).

``python -m wotr_benchmarks.profile`` shows both; ``docs/profiling.md`` explains the output.
"""

from __future__ import annotations

import cProfile
import dataclasses
import json
import os
import pstats
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

import wotr_env
from wotr_benchmarks.throughput import midgame_batch
from wotr_env import VectorGame
from wotr_env.compiler.kernels import INTERPRETED
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE

SEED = 1

_BATCH = 256
_SAMPLES_EACH = 2_000
_ROOT = Path(wotr_env.__file__).parents[1]
_PACKAGE = "wotr_env"
_ELSEWHERE = "elsewhere"

_INTERPRETED = """
import json
from wotr_benchmarks.profile import profile_here
print(json.dumps(profile_here({num_games}, {decisions})))
"""


@dataclasses.dataclass(frozen=True)
class DecisionTime:
    """The compiled cost of one kind of decision."""

    decision: str
    frequency: float
    """Its share of all decisions of random play."""
    nanoseconds: float
    """Time from the choice to the mask of the next decision: choice, rules, next mask."""
    legal_nanoseconds: float
    """Time of its own mask alone."""
    share: float
    """Its share of the time of random play."""


def time_by_decision(num_games: int = 1_024, decisions: int = 4_000, repeats: int = 40) -> list[DecisionTime]:
    """Times each kind of decision on positions from random play, highest total cost first.

    Args:
        num_games: number of games in a batch, at all stages.
        decisions: number of decisions per game.
        repeats: number of timed batches of 256 positions per kind.
    """
    states, frequencies = _positions(num_games, decisions)
    generator = np.random.default_rng(SEED)
    rows = []
    for kind, frequency in frequencies.items():
        step, legal = _nanoseconds(states[kind], repeats, generator)
        rows.append((kind.name.lower(), frequency, step, legal))
    total = sum(frequency * step for _, frequency, step, _ in rows)
    timed = [DecisionTime(*row, share=row[1] * row[2] / total) for row in rows]
    return sorted(timed, key=lambda row: -row.share)


def observation_nanoseconds(repeats: int = 40) -> float:
    """Nanoseconds to write one observation of a midgame position, compiled."""
    games = midgame_batch(_BATCH, observations=False)
    seats = games.seats.astype(np.int64)
    out = np.zeros((_BATCH, OBSERVATION_SIZE), dtype=np.int8)
    states = games.states.copy()
    return _fastest(lambda: kernel.observe(states, seats, out), repeats)


def interpreted_profile(num_games: int = 4, decisions: int = 3_000) -> dict[str, Any]:
    """Runs ``profile_here`` in a new process with interpreted rules."""
    code = _INTERPRETED.format(num_games=num_games, decisions=decisions)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def profile_here(num_games: int, decisions: int) -> dict[str, Any]:
    """Measures the own time and the calls of every rule in random play from set-up, by function and by
    module.

    Args:
        num_games: number of games.
        decisions: number of decisions per game.

    Returns:
        ``decisions``, the number of all decisions; ``modules`` and ``functions``, the slowest first, with
            ``module``,
        ``function``, ``share`` of the time and ``calls`` per decision. Time in numpy or Python counts for the
            calling rule.

    Raises:
        RuntimeError: the rules are compiled in this process.
    """
    if not INTERPRETED:
        raise RuntimeError("profile_here needs the interpreted rules: set NUMBA_DISABLE_JIT=1")
    games = VectorGame(num_games, seed=SEED, observations=False)
    profiler = cProfile.Profile()
    made = profiler.runcall(games.random_steps, decisions)
    own, calls = _own_times(pstats.Stats(profiler))
    total = sum(own.values())
    functions = [
        {"module": module, "function": name, "share": seconds / total, "calls": calls[module, name] / made}
        for (module, name), seconds in own.items()
    ]
    return {"decisions": made, "modules": _by_module(functions), "functions": _by_share(functions)}


def _positions(num_games: int, decisions: int) -> tuple[dict[Decision, np.ndarray], dict[Decision, float]]:
    """Positions by the kind of the pending decision, and the frequency of each kind."""
    games = midgame_batch(num_games, observations=False)
    found: dict[int, list[np.ndarray]] = defaultdict(list)
    counts: dict[int, int] = defaultdict(int)
    for _ in range(decisions):
        games.random_steps(1)
        kinds = games.states["decision"]
        for kind, count in zip(*np.unique(kinds, return_counts=True), strict=True):
            counts[int(kind)] += int(count)
            if sum(part.size for part in found[int(kind)]) < _SAMPLES_EACH:
                found[int(kind)].append(games.states[kinds == kind])
    total = sum(counts.values())
    states = {Decision(kind): np.concatenate(parts) for kind, parts in found.items()}
    return states, {Decision(kind): count / total for kind, count in counts.items()}


def _nanoseconds(states: np.ndarray, repeats: int, generator: np.random.Generator) -> tuple[float, float]:
    """Nanoseconds of a random decision and of the mask alone in such positions."""
    masks = np.zeros((_BATCH, NUM_ACTIONS), dtype=np.bool_)
    uniform = np.zeros((2, NUM_ACTIONS), dtype=np.int8)
    steps, legals = [], []
    for _ in range(repeats):
        batch = states[generator.integers(states.size, size=_BATCH)]
        streams = generator.integers(2**32, size=_BATCH)
        start = time.perf_counter_ns()
        kernel.refresh(batch, masks)
        between = time.perf_counter_ns()
        kernel.random_steps(batch, masks, 1, streams, uniform)
        end = time.perf_counter_ns()
        legals.append((between - start) / _BATCH)
        steps.append((end - between) / _BATCH)
    return float(np.median(steps)), float(np.median(legals))


def _fastest(call: Callable[[], object], repeats: int) -> float:
    """Nanoseconds per game of a batch, the minimum of the repeats."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - start) / _BATCH)
    return min(times)


def _own_times(stats: pstats.Stats) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], int]]:
    """Own seconds and calls by (module, function); time in other packages counts for the calling rules."""
    entries = stats.stats  # type: ignore[attr-defined]
    own = {function: entry[2] for function, entry in entries.items()}
    for _ in range(8):  # rules are at most a few calls of numpy away
        for function, (_, _, _, _, callers) in entries.items():
            weight = sum(caller[2] for caller in callers.values())
            if own[function] and weight and _module(function[0]) is None:
                seconds, own[function] = own[function], 0.0
                for caller, (_, _, caller_seconds, _) in callers.items():
                    own[caller] += seconds * caller_seconds / weight
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    calls: dict[tuple[str, str], int] = defaultdict(int)
    for function, entry in entries.items():
        module = _module(function[0])
        if module is not None or own[function]:
            key = (module, function[2]) if module is not None else (_ELSEWHERE, "")
            seconds[key] += own[function]
            calls[key] += entry[1] if module is not None else 0
    return seconds, calls


def _module(path: str) -> str | None:
    """The module of a file of the rules; None for others."""
    try:
        parts = Path(path).resolve().relative_to(_ROOT).with_suffix("").parts
    except ValueError:
        return None
    return ".".join(parts) if parts[0] == _PACKAGE else None


def _by_module(functions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    modules: dict[str, dict[str, Any]] = {}
    for row in functions:
        module = modules.setdefault(row["module"], {"module": row["module"], "share": 0.0, "calls": 0.0})
        module["share"] += row["share"]
        module["calls"] += row["calls"]
    return _by_share(list(modules.values()))


def _by_share(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: -row["share"])


def _decisions_table(rows: list[DecisionTime], top: int) -> Table:
    mean = sum(row.frequency * row.nanoseconds for row in rows)
    legal = sum(row.frequency * row.legal_nanoseconds for row in rows)
    table = Table(
        title="compiled, by kind of decision",
        caption=f"{mean:,.0f} ns per decision on average, {legal:,.0f} of them for the mask; "
        f"an observation takes {observation_nanoseconds():,.0f} ns more",
    )
    table.add_column("decision")
    for column in ("time", "decisions", "ns each", "ns of its mask"):
        table.add_column(column, justify="right")
    for row in rows[:top]:
        figures = (f"{row.nanoseconds:,.0f}", f"{row.legal_nanoseconds:,.0f}")
        table.add_row(row.decision, f"{row.share:.1%}", f"{row.frequency:.1%}", *figures)
    return table


def _interpreted_tables(shown: dict[str, Any], top: int) -> list[Table]:
    tables = []
    for what in ("modules", "functions"):
        table = Table(title=f"interpreted, by {what[:-1]} ({shown['decisions']:,} decisions)")
        names = ("module", "function")[: 1 + (what == "functions")]
        for name in names:
            table.add_column(name)
        table.add_column("own time", justify="right")
        table.add_column("calls per decision", justify="right")
        for row in shown[what][:top]:
            table.add_row(*(row[name] for name in names), f"{row['share']:.1%}", f"{row['calls']:.2f}")
        tables.append(table)
    return tables


def main(
    form: Annotated[
        str, typer.Option(help="Form of the rules to profile: compiled, interpreted or both.")
    ] = "both",
    top: Annotated[int, typer.Option(min=1, help="Rows of each table.")] = 25,
    num_games: Annotated[
        int, typer.Option("--games", min=1, help="Number of games for the interpreted profile.")
    ] = 4,
    decisions: Annotated[int, typer.Option(min=1, help="Number of decisions per game.")] = 3_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout instead of tables.")] = False,
) -> None:
    """Profile random play."""
    if form not in ("compiled", "interpreted", "both"):
        raise typer.BadParameter(f"compiled, interpreted or both, not {form}", param_hint="--form")
    compiled = time_by_decision() if form != "interpreted" else None
    interpreted = interpreted_profile(num_games, decisions) if form != "compiled" else None
    if as_json:
        rows = None if compiled is None else [dataclasses.asdict(row) for row in compiled]
        print(json.dumps({"compiled": rows, "interpreted": interpreted}, indent=2))
        return
    console = Console()
    if compiled is not None:
        console.print(_decisions_table(compiled, top))
    if interpreted is not None:
        console.print(*_interpreted_tables(interpreted, top))


if __name__ == "__main__":
    typer.run(main)
