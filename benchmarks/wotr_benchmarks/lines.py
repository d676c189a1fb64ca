"""Where the time goes by function and line of the compiled rules: ``python -m wotr_benchmarks.lines``.

The rules are compiled once more with line tables (into a cache of their own: minutes, once per version),
random play is sampled by Linux ``perf``, and ``llvm-symbolizer`` finds the function and line of each sample,
those that LLVM has inlined included. ``docs/profiling.md`` says how to read it.
"""

from __future__ import annotations

import collections
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Counter, Iterable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import platformdirs
import typer
from rich.console import Console
from rich.table import Table

TOOLS = ("perf", "llvm-symbolizer", "nm")
_GAMES = 256
_WARM_UP = 2_000
_STEPS = 500
_FREQUENCY = 2_000
_MEASURE = "measure"
_OBJECT, _SAMPLES, _FACTS = "rules.o", "perf.data", "facts.json"


class Place(NamedTuple):
    """Where a sample fell."""

    function: str
    line: str
    callers: tuple[str, ...]
    """The functions that this one is inlined into, itself first."""


class Profile(NamedTuple):
    """Samples of compiled play."""

    nanoseconds: float
    """Of CPU time, per decision."""
    places: Counter[Place]

    def by(self, what: str) -> list[tuple[str, float]]:
        """Shares by ``function``, by ``line``, or by ``inlined``: a function with what it inlines."""
        total = sum(self.places.values()) or 1
        found: Counter[str] = collections.Counter()
        for place, samples in self.places.items():
            names = set(place.callers) if what == "inlined" else {getattr(place, what)}
            for name in names:
                found[name] += samples
        return [(name, samples / total) for name, samples in found.most_common()]


def missing_tools() -> list[str]:
    """Those of ``TOOLS`` that are not installed."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def profile(seconds: float, *, observed: bool) -> Profile:
    """Profiles random play in a process of its own.

    Args:
        seconds: of CPU time.
        observed: one decision at a time, each with its observation; else without observations.

    Raises:
        RuntimeError: ``perf`` cannot sample here.
    """
    cache = platformdirs.user_cache_path("wotr-env") / "lines"
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "wotr_benchmarks.lines",
            _MEASURE,
            folder,
            str(seconds),
            str(int(observed)),
        ]
        subprocess.run(command, env={**os.environ, "NUMBA_CACHE_DIR": str(cache)}, check=True)
        return _read(Path(folder))


def measure(folder: Path, seconds: float, observed: bool) -> None:
    """What the process does: compiles with line tables, plays under ``perf``, leaves what it has found."""
    objects = _keep_lines()
    from wotr_env import VectorGame
    from wotr_env.engine import kernel

    if kernel.ensure_compiled():  # the code is at hand as it was kept only in a process that has read it
        os.execv(sys.executable, [sys.executable, "-m", "wotr_benchmarks.lines", *sys.argv[1:]])
    games = VectorGame(_GAMES, seed=1, observations=observed)
    games.random_steps(_WARM_UP)
    (folder / _OBJECT).write_bytes(objects["wotr_env"])
    options = ("-q", "-e", "cpu-clock:u", "-F", str(_FREQUENCY), "-o", str(folder / _SAMPLES))
    with subprocess.Popen(["perf", "record", *options, "-p", str(os.getpid())]) as perf:
        time.sleep(1.0)  # until it samples
        made, start = 0, time.process_time()
        while time.process_time() - start < seconds:
            if observed:
                made += sum(games.random_steps(1) for _ in range(_STEPS))
            else:
                made += games.random_steps(_STEPS)
        spent = time.process_time() - start
        perf.send_signal(signal.SIGINT)
    (result,) = kernel._drive.overloads.values()
    symbol = result.fndesc.llvm_func_name
    facts = {
        "symbol": symbol,
        "address": result.library.get_pointer_to_function(symbol),
        "nanoseconds": spent * 1e9 / made,
    }
    (folder / _FACTS).write_text(json.dumps(facts))


def _keep_lines() -> dict[str, bytes]:
    """Has numba write line tables, though no variables, which would keep it from optimising.

    Returns:
        The machine code of each package once it is loaded: an object file.
    """
    from numba.core.base import BaseContext
    from numba.core.debuginfo import DIBuilder

    from wotr_env.compiler import kernels

    def no_variable(*_arguments: Any, **_keywords: Any) -> None:
        pass

    BaseContext.enable_debuginfo = True
    DIBuilder.mark_variable = no_variable
    objects: dict[str, bytes] = {}
    load = kernels.load_entry_points

    def load_and_keep(code: bytes, signatures: Any) -> None:
        name, objects_code, *_ = pickle.loads(code)
        objects[name] = objects_code
        load(code, signatures)

    kernels.load_entry_points = load_and_keep
    return objects


def _read(folder: Path) -> Profile:
    """The samples of a folder by place."""
    facts = json.loads((folder / _FACTS).read_text())
    symbols = _output("nm", str(folder / _OBJECT)).splitlines()
    offset = next(int(line.split()[0], 16) for line in symbols if line.endswith(f" {facts['symbol']}"))
    base = facts["address"] - offset
    script = _output("perf", "script", "-i", str(folder / _SAMPLES), "-F", "ip").split()
    size = (folder / _OBJECT).stat().st_size
    samples = collections.Counter(int(address, 16) - base for address in script)
    inside = {address: count for address, count in samples.items() if 0 <= address < size}
    if not inside:
        raise RuntimeError("perf has no sample of the rules; may it sample processes here?")
    places: Counter[Place] = collections.Counter()
    for count, place in zip(inside.values(), _places(folder / _OBJECT, inside), strict=True):
        places[place] += count
    outside = sum(samples.values()) - sum(inside.values())
    places[Place("elsewhere", "elsewhere", ("elsewhere",))] += outside
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
    """The path within the package; the name of a table-made kernel."""
    return path.rpartition("wotr_env/")[2].rpartition("<dispatch ")[2].rstrip(">")


def _bare(name: str) -> str:
    """The name of a function without its modules, arguments and numba's marks."""
    return name.partition("[abi")[0].partition("(")[0].rpartition("::")[2]


def _output(*command: str) -> str:
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True
    ).stdout


def _table(shown: Profile, what: str, top: int) -> Table:
    table = Table(title=f"{shown.nanoseconds:,.0f} ns per decision, by {what}")
    table.add_column(what)
    table.add_column("time", justify="right")
    table.add_column("ns", justify="right")
    for name, share in shown.by(what)[:top]:
        table.add_row(name, f"{share:.1%}", f"{share * shown.nanoseconds:.1f}")
    return table


def main(
    seconds: Annotated[float, typer.Option(min=0.1, help="Of CPU time that are sampled.")] = 10.0,
    observed: Annotated[bool, typer.Option(help="With an observation after each decision.")] = False,
    top: Annotated[int, typer.Option(min=1, help="Rows of each table.")] = 30,
) -> None:
    """Shows where the time of compiled random play goes, by function and line."""
    missing = missing_tools()
    if missing:
        print(f"lines: {' and '.join(missing)} must be installed (Linux only)", file=sys.stderr)
        raise typer.Exit(2)
    shown = profile(seconds, observed=observed)
    for what in ("function", "inlined", "line"):
        Console(width=None if sys.stdout.isatty() else 110).print(_table(shown, what, top))


if __name__ == "__main__":
    if sys.argv[1:2] == [_MEASURE]:
        measure(Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4] == "1")
    else:
        typer.run(main)
