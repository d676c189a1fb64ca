"""Hostile bots: whatever one does costs its own games at most, and the tournament is played to its end."""

from __future__ import annotations

import contextlib
import functools
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.tools.faults.files import SHORT
from tests.tools.faults.table import Fault, expect
from wotr_agents.registry import bot_plugins
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.tournament import run_tournament

_DEEDS = {
    "exit": "died",
    "kill": "died",
    "leave": "crash",
    "interrupt": "crash",
    "memory": "crash",
    "hang": "time_out",
    "twice": "died",
    "shut": "died",
    "nonsense": "died",
    "talk": "",
    "move": "",
    "tamper": "",
}
"""How each is expected to forfeit; empty: not at all, since it harms nobody."""
_IN_PLAY = ("hang",)
"""Deeds that the first question, which is for nothing, shall not meet: its answer is waited for minutes."""
_TRIES = 5
_SECONDS = 0.3
_ENTRY_POINT = "[wotr.bots]\nhostile = tests.tools.faults.hostile:HOSTILE\n"


@contextlib.contextmanager
def _installed() -> Iterator[None]:
    """The bot is known as one of another package, to processes that are started too."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "hostile-1.0.dist-info"
        package.mkdir()
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
        (package / "entry_points.txt").write_text(_ENTRY_POINT)
        sys.path.insert(0, folder)
        bot_plugins.cache_clear()
        try:
            yield
        finally:
            sys.path.remove(folder)
            bot_plugins.cache_clear()


def _meet(deed: str, chance: random.Random, folder: Path) -> str:
    """It meets a bot that does nothing wrong."""
    seat = 1 if deed in _IN_PLAY else chance.choice((-1, 0, 1))
    with _installed():
        bots = (f"hostile:{deed},seat={seat}", "random")
        match = Tournament(bots, 4, seed=chance.randrange(2**31), ruleset=SHORT, time_limit=_SECONDS)
        summary = run_tournament(match, folder / "out", WorkerPool("threads", 1))
    forfeits = {why: count for why, count in summary["all"]["forfeits"].items() if count}
    _, innocent = summary["results"]
    expect(summary["all"]["games"] == 4, "games are missing")
    expect(not sum(innocent["forfeits"].values()), "the other bot forfeits")
    expected = _DEEDS[deed]
    if not expected:
        expect(not forfeits, f"forfeits: {forfeits}")
        return "harms nobody"
    expect(expected in forfeits, f"forfeits: {forfeits}")
    expect(forfeits.keys() <= {expected, "disqualified"}, f"forfeits: {forfeits}")
    return "loses its games"


BOTS = tuple(
    Fault(
        f"a bot in a process of its own: {deed}",
        f"loses its own games ({forfeit})" if forfeit else "harms nobody",
        _TRIES,
        functools.partial(_meet, deed),
    )
    for deed, forfeit in _DEEDS.items()
)
