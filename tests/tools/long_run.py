"""A long tournament and a long training in many short sessions, each of which ends in trouble.

``python -m tests.tools.long_run [--sessions N] [--seed S]`` goes on with both by the same command N
times. A session ends by one of the ``TROUBLES``; at the end both must have what they have when nothing
disturbs them, to the byte. The memory of all processes, their open files, and what is left behind in the
folder of temporary files are measured in each session and must not grow. For Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import rich.console
import rich.table
import safetensors.numpy
import tqdm

from tests.tools.faults.files import damage_file
from tests.tools.faults.table import LostError, expect
from wotr_experiments.arena.store import GAMES
from wotr_experiments.arena.tournament import SUMMARY
from wotr_experiments.training.run_folder import BEST, LAST, METRICS

COMMAND = "python -m tests.tools.long_run"
SITTINGS = 144
"""A day of 24 hours in which something happens every ten minutes."""
_KILL, _DRIVER, _WORKER, _STOP = "kill -9 of all", "kill -9 of the first", "kill -9 of a worker", "Ctrl-C"
_FULL, _DAMAGE, _CLOCK = "no room on the disk", "a damaged file", "the clock jumps"
TROUBLES = (_KILL, _DRIVER, _WORKER, _STOP, _FULL, _DAMAGE, _CLOCK)
"""Ways in which a session ends; after those that do not end it comes ``kill -9 of all``."""
_LONGEST = 300.0
"""Seconds that a session may take."""
_MOST_STARTING = 6.0
"""Seconds after which trouble comes at the latest, where it comes before anything is done."""
_MOST_ENDING = 30.0
"""Seconds that processes have whose first was killed."""
_POLL = 0.02
_YEARS = 3e8
"""Seconds that a clock jumps at most, either way."""
_JUMPING = f"""
import random, runpy, sys, time
real, chance = time.time, random.Random(sys.argv.pop(1))
time.time = lambda: real() + chance.uniform(-{_YEARS}, {_YEARS})
runpy.run_module("wotr_experiments.cli.main", run_name="__main__", alter_sys=True)
"""
_GROWTH, _SLACK = 1.1, 24.0
"""The last quarter of the sessions may take so much more memory than the first: a factor, and MiB."""
_TIMES = ("seconds", "speed", "shares")
"""Of a line of metrics: what differs from run to run."""


@dataclasses.dataclass(frozen=True)
class Work:
    """Something long."""

    name: str
    arguments: Callable[[Path, int], list[str]]
    """Of the command line, by its folder and how much is to be done."""
    done: Callable[[Path], int]
    """How much is done."""
    step: int
    """How much is done in a session, about."""
    unit: str
    result: Callable[[Path], Any]
    """What must be the same at the end."""
    damageable: Callable[[Path], list[Path]]
    """The files whose damage must be noticed."""


@dataclasses.dataclass
class Session:
    """What was measured in one; memory in MiB, each at its highest."""

    trouble: str
    ended: str
    """In words."""
    first: float = 0.0
    """Memory of the first process."""
    others: float = 0.0
    """Memory of the largest of those below it."""
    handles: int = 0
    """Open files of the first process."""
    left: int = 0
    """Temporary files that are there afterwards, of all sessions."""
    seconds: float = 0.0


def _tournament(folder: Path, games: int) -> list[str]:
    return [
        *("tournament", "random", "scripted", "--games", str(games), "--batch", "16", "--seed", "1"),
        *("--workers", "2", "--replays", "none", "--json", "--out", str(folder)),
    ]


def _stored(folder: Path) -> int:
    try:
        with _database(folder) as file:
            return file.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.Error:  # it is just being made, or damaged
        return 0


@contextlib.contextmanager
def _database(folder: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(f"{(folder / GAMES).as_uri()}?mode=ro", uri=True)) as file:
        yield file


def _games(folder: Path) -> Any:
    with _database(folder) as file:
        rows = file.execute("SELECT * FROM games ORDER BY pairing, number").fetchall()
    return rows, (folder / SUMMARY).read_bytes()


def _training(folder: Path, updates: int) -> list[str]:
    if (folder / "config.json").exists():
        return ["train", str(folder), "--resume", "--device", "cpu"]
    return [
        *("train", str(folder), "--width", "16", "--hidden", "8", "--games", "8", "--steps", "16"),
        *("--minibatch-size", "32", "--decisions", str(updates * 8 * 16), "--ruleset", "first:max_turns=3"),
        *("--opponent", "random", "--anchor", "random", "--evaluate-every", "25", "--evaluate-games", "2"),
        *("--checkpoint-every", "2", "--past-every", "20", "--device", "cpu"),
    ]


def _lines(folder: Path) -> int:
    path = folder / METRICS
    return path.read_bytes().count(b'"kind": "update"') if path.exists() else 0


def _trained(folder: Path) -> Any:
    lines = map(json.loads, (folder / METRICS).read_text().splitlines())
    metrics = [{key: value for key, value in line.items() if key not in _TIMES} for line in lines]
    newest = max((folder / "checkpoints").iterdir(), key=lambda path: int(path.name))
    files = (folder / LAST, folder / BEST, newest / "state.safetensors")
    return metrics, [
        {name: array.tobytes() for name, array in safetensors.numpy.load_file(path).items()} for path in files
    ]


WORKS = (
    Work("tournament", _tournament, _stored, 48, "games", _games, lambda folder: [folder / GAMES]),
    Work(
        "training",
        _training,
        _lines,
        14,
        "updates",
        _trained,
        lambda folder: sorted(
            path for part in ("checkpoints", "past") for path in (folder / part).rglob("*") if path.is_file()
        ),
    ),
)


def _start(
    work: Work, folder: Path, total: int, scratch: Path, jumping: int | None = None, most: int | None = None
) -> subprocess.Popen[bytes]:
    """The command, in a session of its own; its files may have at most so many bytes."""

    def limit() -> None:
        if most is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing then fails as on a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    run = ["-m", "wotr_experiments.cli.main"] if jumping is None else ["-c", _JUMPING, str(jumping)]
    with (scratch.parent / "errors").open("wb") as errors:
        return subprocess.Popen(
            [sys.executable, *run, *work.arguments(folder, total)],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={**os.environ, "TMPDIR": str(scratch)},
            preexec_fn=limit,
            start_new_session=True,
        )


def sit(work: Work, folder: Path, total: int, scratch: Path, trouble: str, chance: random.Random) -> Session:
    """Goes on with a work until there is trouble.

    Args:
        work: what is done.
        folder: of it.
        total: how much of it there is to do.
        scratch: for temporary files.
        trouble: one of the ``TROUBLES``.
        chance: when, and what of it.

    Raises:
        LostError: the session does not end as it should.
    """
    begun = time.monotonic()
    copy = scratch.parent / "copy"
    if trouble == _DAMAGE and (files := work.damageable(folder)):
        shutil.copytree(folder, copy)
        damage_file(chance.choice([path for path in files if path.stat().st_size]), chance)
    if trouble == _CLOCK:
        for path in folder.rglob("*"):
            os.utime(path, (then := max(0.0, time.time() + chance.uniform(-_YEARS, _YEARS)), then))
    largest = max((path.stat().st_size for path in folder.rglob("*") if path.is_file()), default=0)
    most = chance.randrange(largest + 100_000) if trouble == _FULL else None
    jumping = chance.randrange(2**31) if trouble == _CLOCK else None
    process = _start(work, folder, total, scratch, jumping, most)
    session = Session(trouble, "")
    try:
        early = trouble != _DAMAGE and chance.random() < 0.2  # damage is to be found before the trouble comes
        _watch(work, folder, process, session, chance, early)
        session.ended = _end(process, trouble, chance)
        _check_alone(process.pid)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if session.ended == "refused":
        last = (scratch.parent / "errors").read_text(errors="replace").strip().splitlines()[-1]
        expect(trouble in (_FULL, _DAMAGE) and last.startswith("wotr: "), f"{trouble}: {last}")
        if trouble == _DAMAGE:
            shutil.rmtree(folder)
            copy.rename(folder)
    shutil.rmtree(copy, ignore_errors=True)
    session.left = sum(1 for path in scratch.rglob("*") if path.is_file())
    session.seconds = time.monotonic() - begun
    return session


def _watch(
    work: Work,
    folder: Path,
    process: subprocess.Popen[bytes],
    session: Session,
    chance: random.Random,
    early: bool,
) -> None:
    """Until trouble comes: when so much is done, or early, soon after the start, or at the end of all."""
    begun = time.monotonic()
    until = begun + (chance.uniform(0, _MOST_STARTING) if early else _LONGEST)
    wanted = work.done(folder) + chance.randrange(1, 2 * work.step)
    while process.poll() is None and time.monotonic() < until:
        _measure(process.pid, session)
        if work.done(folder) >= wanted:
            time.sleep(chance.uniform(0, 0.2))
            break
        time.sleep(_POLL)
    expect(time.monotonic() - begun < _LONGEST, "nothing is done any more")


def _end(process: subprocess.Popen[bytes], trouble: str, chance: random.Random) -> str:
    """Ends a session; says how it ended."""
    workers = _children(process.pid) if process.poll() is None else []
    if trouble == _WORKER and workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(workers), signal.SIGKILL)
        time.sleep(chance.uniform(0, 1))
    if process.poll() is None:  # it is not waited for yet, so its number is its own
        if trouble in (_STOP, _WORKER):
            os.killpg(process.pid, signal.SIGINT)
        elif trouble == _DRIVER:
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    code = process.wait(_LONGEST)
    known = {0: "over", 2: "refused", 130: "stopped", -signal.SIGINT: "stopped", -signal.SIGKILL: "killed"}
    expect(code in known, f"{trouble}: exit code {code}")
    return known[code]


def _check_alone(group: int) -> None:
    """All processes that it has started end by themselves."""
    until = time.monotonic() + _MOST_ENDING
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(_POLL)
    raise LostError("processes are left behind")


def _children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(number) for number in text.split()]


def _measure(process: int, session: Session) -> None:
    session.first = max(session.first, _highest(process))
    session.others = max([session.others, *map(_highest, _children(process))])
    with contextlib.suppress(OSError):
        session.handles = max(session.handles, len(os.listdir(f"/proc/{process}/fd")))


def _highest(process: int) -> float:
    """MiB of memory that a process has had; 0 if it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


def run(work: Work, sessions: int, seed: int, step: int | None = None) -> list[Session]:
    """Does a work in many sessions and compares it with the same work that nothing disturbs.

    Args:
        work: what is done.
        sessions: how many end in trouble; one more goes on to the end.
        seed: of the trouble.
        step: how much is to be done for each of them; None: that of the work.

    Raises:
        LostError: something was lost, is left behind, or grows.
    """
    total = sessions * (step or work.step)
    chance = random.Random(f"{seed} {work.name}")
    troubles = [TROUBLES[number % len(TROUBLES)] for number in range(sessions)]
    chance.shuffle(troubles)
    with tempfile.TemporaryDirectory(prefix="wotr-long-") as name:
        scratch = Path(name, "temporary")
        scratch.mkdir()
        folder, other = Path(name, "disturbed"), Path(name, "undisturbed")
        folder.mkdir()
        found = [
            sit(work, folder, total, scratch, trouble, chance)
            for trouble in tqdm.tqdm(troubles, desc=work.name, disable=None)
        ]
        done = work.done(folder)
        print(f"{work.name}: {done:,} of {total:,} {work.unit} in the sessions", file=sys.stderr)
        for each in (folder, other):
            process = _start(work, each, total, scratch)
            expect(process.wait() == 0, f"exit code {process.returncode}")
        expect(work.result(folder) == work.result(other), "the end is not the same")
    _check_flat(found)
    return found


def _check_flat(sessions: Sequence[Session]) -> None:
    if len(sessions) < 4 * len(TROUBLES):  # a part in which nothing comes beyond its start says nothing
        return
    first, *_, last = quarters(sessions)
    for what in ("first", "others", "handles"):
        before, after = (max(getattr(each, what) for each in part) for part in (first, last))
        expect(after <= _GROWTH * before + _SLACK, f"{what} grew from {before:.0f} to {after:.0f}")


def quarters(sessions: Sequence[Session]) -> list[Sequence[Session]]:
    """The sessions in four parts, or in fewer if there are fewer."""
    size = -(-len(sessions) // 4)
    return [sessions[at : at + size] for at in range(0, len(sessions), size)]


def tables(name: str, sessions: Sequence[Session]) -> list[rich.table.Table]:
    """How the sessions of a work ended, and what they took."""
    ends = rich.table.Table(title=f"{name}: how sessions end")
    for head in ("trouble", "sessions", "ended"):
        ends.add_column(head)
    for trouble in TROUBLES:
        ended = Counter(each.ended for each in sessions if each.trouble == trouble)
        words = ", ".join(f"{word} {count}" for word, count in ended.most_common())
        ends.add_row(trouble, str(ended.total()), words)
    flat = rich.table.Table(title=f"{name}: what they take at most")
    heads = "sessions", "first process", "largest below it", "open files", "temporary files left", "seconds"
    for head in heads:
        flat.add_column(head, justify="right")
    number = 1
    for part in quarters(sessions):
        flat.add_row(
            f"{number} to {number + len(part) - 1}",
            *(f"{max(getattr(each, what) for each in part):.0f} MiB" for what in ("first", "others")),
            *(str(max(getattr(each, what) for each in part)) for what in ("handles", "left")),
            f"{sum(each.seconds for each in part):.0f}",
        )
        number += len(part)
    return [ends, flat]


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code: 1 if something is lost."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sessions", type=int, default=SITTINGS, help="of each work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[work.name for work in WORKS])
    options = parser.parse_args(arguments)
    if options.sessions < 1:
        parser.error("--sessions must be at least 1")
    console = rich.console.Console(width=None if sys.stdout.isatty() else 110)
    for work in WORKS:
        if options.only in (None, work.name):
            try:
                sessions = run(work, options.sessions, options.seed)
            except LostError as error:
                print(f"{work.name}: lost: {error}", file=sys.stderr)
                return 1
            console.print(*tables(work.name, sessions))
    return 0


if __name__ == "__main__":
    sys.exit(main())
