"""Profiles the compiled rules by function and line: ``python -m wotr_benchmarks.lines``.

The rules are compiled once more with line tables, into a separate cache (this takes minutes, once per
version). Linux ``perf`` samples play, and ``llvm-symbolizer`` finds the function and line of each sample,
including functions that LLVM has inlined. ``docs/profiling.md`` explains the output.
"""

from __future__ import annotations

import collections
import enum
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast

import numpy as np
import platformdirs
import typer
from rich.console import Console
from rich.table import Table

from wotr_agents.compiled import SEARCHES
from wotr_agents.games.war_of_the_ring.kernels import AGENTS
from wotr_env.games.war_of_the_ring.kernels import RULES

TOOLS = ("perf", "llvm-symbolizer", "nm")
_GAMES = 256
_WARM_UP = 2_000
_STEPS = 500
_SEARCHED = 16
_SIMULATIONS = 64
_FREQUENCY = 2_000
_MODULE = "wotr_benchmarks.lines"
_MEASURE = "measure"
_SAMPLES, _FACTS = "perf.data", "facts.json"


class Play(enum.Enum):
    """The kinds of play to sample, and their units."""

    RANDOM = "random"
    """Random decisions without observations."""
    OBSERVED = "observed"
    """Single random decisions, each with its observation."""
    SCRIPTED = "scripted"
    """Decisions of the scripted policy."""
    MCTS = "mcts"
    """Simulations of ``mcts``."""
    SEARCH = "search"
    """Simulations of ``search`` with the network ``zoo/laptop``."""


_SPECS = {
    Play.MCTS: f"mcts:sims={_SIMULATIONS}",
    Play.SEARCH: f"search:zoo/laptop,sims={_SIMULATIONS}",
}


class Place(NamedTuple):
    """The location of a sample."""

    function: str
    line: str
    callers: tuple[str, ...]
    """The function itself, then the functions into which it is inlined."""


class Profile(NamedTuple):
    """Samples of compiled play."""

    nanoseconds: float
    """CPU time in nanoseconds for each unit."""
    places: collections.Counter[Place]

    def by(self, what: str) -> list[tuple[str, float]]:
        """Shares by ``function``, by ``line``, or by ``inlined``: a function including the functions inlined
        into it."""
        total = sum(self.places.values()) or 1
        found: collections.Counter[str] = collections.Counter()
        for place, samples in self.places.items():
            names = set(place.callers) if what == "inlined" else {getattr(place, what)}
            for name in names:
                found[name] += samples
        return [(name, samples / total) for name, samples in found.most_common()]


def missing_tools() -> list[str]:
    """The missing tools among ``TOOLS``."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def profile(seconds: float, play: Play) -> Profile:
    """Profiles compiled play for some seconds of CPU time, in a separate process.

    Raises:
        RuntimeError: ``perf`` cannot sample here.
    """
    cache = platformdirs.user_cache_path("wotr-env") / "lines"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", _MODULE, _MEASURE, folder, str(seconds), play.value]
        subprocess.run(command, env={**os.environ, "NUMBA_CACHE_DIR": str(cache)}, check=True)
        return _read(Path(folder))


def measure(folder: Path, seconds: float, play: Play) -> None:
    """Runs in the separate process: compiles with line tables, plays under ``perf``, and writes the
    samples."""
    _keep_lines()
    step = _player(play)
    step()
    options = ("-q", "-e", "cpu-clock:u", "-F", str(_FREQUENCY), "-o", str(folder / _SAMPLES))
    with subprocess.Popen(["perf", "record", *options, "-p", str(os.getpid())]) as perf:
        time.sleep(1.0)  # until it samples
        made, start = 0, time.process_time()
        while time.process_time() - start < seconds:
            made += step()
        spent = time.process_time() - start
        perf.send_signal(signal.SIGINT)
    bases = {}
    for kernels in (RULES, AGENTS, SEARCHES):
        if kernels.code is None:
            continue
        name = kernels.name
        (folder / name).write_bytes(kernels.code.object_file)
        entry_point, result = next(iter(kernels.code.results.items()))
        symbols = _output("nm", str(folder / name)).splitlines()
        offset = next(int(line.split()[0], 16) for line in symbols if line.endswith(f" {result.symbol}"))
        bases[name] = kernels.code.addresses[entry_point] - offset
    facts = json.dumps({"bases": bases, "nanoseconds": spent * 1e9 / made})
    (folder / _FACTS).write_text(facts, encoding="utf-8")


def _player(play: Play) -> Callable[[], int]:
    """A function that plays for a while, and returns the number of units."""
    from wotr_agents import make_bot
    from wotr_agents.games.war_of_the_ring.scripted.entry import play_scripted
    from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS
    from wotr_env import VectorGame
    from wotr_env.play.bots import view_of

    games = VectorGame(_GAMES, seed=1, observations=play is Play.OBSERVED)
    games.random_steps(_WARM_UP)
    if play is Play.RANDOM:
        return lambda: games.random_steps(_STEPS)
    if play is Play.OBSERVED:
        return lambda: sum(games.random_steps(1) for _ in range(_STEPS))
    bot = cast(Any, make_bot(_SPECS.get(play, "scripted"), 1))
    weights = np.broadcast_to(DEFAULT_WEIGHTS, (_GAMES, 2, DEFAULT_WEIGHTS.size)).copy()
    streams = np.arange(_GAMES)

    def script() -> int:
        return play_scripted(games.states.copy(), games.masks.copy(), weights, streams, decisions=_STEPS)

    def search() -> int:
        before = bot.simulations
        bot.act(view_of(games.states[:_SEARCHED], games.masks[:_SEARCHED]))
        return bot.simulations - before

    bot.act(view_of(games.states[:1], games.masks[:1]))  # compiles
    return script if play is Play.SCRIPTED else search


def _keep_lines() -> None:
    """Makes numba write line tables, without variables, which would prevent optimisations."""
    from numba.core.base import BaseContext
    from numba.core.debuginfo import DIBuilder

    def no_variable(*_arguments: Any, **_keywords: Any) -> None:
        pass

    BaseContext.enable_debuginfo = True
    DIBuilder.mark_variable = no_variable


def _read(folder: Path) -> Profile:
    """The samples of a folder by location."""
    facts = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
    script = _output("perf", "script", "-i", str(folder / _SAMPLES), "-F", "ip").split()
    samples = collections.Counter(int(address, 16) for address in script)
    places: collections.Counter[Place] = collections.Counter()
    for name, base in facts["bases"].items():
        machine_code = folder / name
        size = machine_code.stat().st_size
        inside = {address: count for address, count in samples.items() if 0 <= address - base < size}
        found = _places(machine_code, [address - base for address in inside])
        for (address, count), place in zip(inside.items(), found, strict=True):
            places[place] += count
            del samples[address]
    if not places:
        raise RuntimeError("perf recorded no samples of the rules; check that perf may sample processes here")
    places[Place("elsewhere", "elsewhere", ("elsewhere",))] += sum(samples.values())
    return Profile(facts["nanoseconds"], places)


def _places(machine_code: Path, addresses: Iterable[int]) -> list[Place]:
    command = ["llvm-symbolizer", f"--obj={machine_code}", "--inlines", "--output-style=JSON"]
    asked = "\n".join(map(hex, addresses))
    done = subprocess.run(command, input=asked, stdout=subprocess.PIPE, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        frames = json.loads(line).get("Symbol") or [{"FileName": "", "FunctionName": "?", "Line": 0}]
        names = tuple(f"{_short(frame['FileName'])}:{_bare(frame['FunctionName'])}" for frame in frames)
        found.append(Place(names[0], f"{_short(frames[0]['FileName'])}:{frames[0]['Line']}", names))
    return found


def _short(path: str) -> str:
    """The path within its package, or the name of a kernel made from a table."""
    for start in ("/site-packages/", "/wotr_env/", "/wotr_agents/", "games/", "<dispatch "):
        path = path.rpartition(start)[2]
    return path.rstrip(">")


def _bare(name: str) -> str:
    """The name of a function without its modules, arguments and numba's marks."""
    return name.partition("[abi")[0].partition("(")[0].rpartition("::")[2]


def _output(*command: str) -> str:
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True
    ).stdout


def _table(shown: Profile, what: str, top: int) -> Table:
    table = Table(title=f"{shown.nanoseconds:,.0f} ns each, by {what}")
    table.add_column(what)
    table.add_column("time", justify="right")
    table.add_column("ns", justify="right")
    for name, share in shown.by(what)[:top]:
        table.add_row(name, f"{share:.1%}", f"{share * shown.nanoseconds:,.1f}")
    return table


def main(
    play: Annotated[Play, typer.Option(help="Kind of play to sample.")] = Play.RANDOM,
    seconds: Annotated[float, typer.Option(min=0.1, help="CPU time to sample, in seconds.")] = 10.0,
    top: Annotated[int, typer.Option(min=1, help="Rows of each table.")] = 30,
) -> None:
    """Profile compiled play by function and line."""
    missing = missing_tools()
    if missing:
        print(f"lines: {' and '.join(missing)} must be installed (Linux only)", file=sys.stderr)
        raise typer.Exit(2)
    shown = profile(seconds, play)
    for what in ("function", "inlined", "line"):
        Console(width=None if sys.stdout.isatty() else 110).print(_table(shown, what, top))


if __name__ == "__main__":
    if sys.argv[1:2] == [_MEASURE]:
        measure(Path(sys.argv[2]), float(sys.argv[3]), Play(sys.argv[4]))
    else:
        typer.run(main)
