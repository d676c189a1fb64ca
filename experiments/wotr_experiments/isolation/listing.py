"""Lists registered bots in a separate process, so that the calling process loads no other package.

``python -m`` runs the separate process.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any, NamedTuple

from wotr_agents.registry import BotKind, bot_kinds, built_in_kinds, has_plugin_bots, is_built_in
from wotr_experiments.errors import one_line
from wotr_experiments.isolation.bots import Isolate, Isolation

_COMMAND = (sys.executable, "-P", "-m", "wotr_experiments.isolation.listing")
_MOST_SECONDS = 60.0
_MOST_BYTES = 2**20
_MOST_TEXT = 300


class ListedBot(NamedTuple):
    """A registered bot, as described by the other process."""

    name: str
    summary: str
    games: tuple[str, ...] | None
    """The names of its games; None: every game."""
    parameters: tuple[Mapping[str, Any], ...]
    """The parameters, as in ``BotKind.to_dict``."""
    values: str
    """``BotKind.values``."""

    def plays(self, game: str) -> bool:
        """Whether the bot plays a game."""
        return self.games is None or game in self.games


def listed_bots(isolation: Isolation) -> dict[str, ListedBot]:
    """The registered bots by name, those of this package first; then the bots of other packages that could be
    listed."""
    if isolation.which == Isolate.NONE:
        return {name: _listed(_described(kind)) for name, kind in bot_kinds().items()}
    found = {name: _listed(_described(kind)) for name, kind in built_in_kinds().items()}
    if has_plugin_bots():
        for bot in _believed(_described_by_another_process()):
            found.setdefault(bot.name, bot)
    return found


def _described(kind: BotKind) -> dict[str, Any]:
    return {**kind.to_dict(), "values": kind.values}


def _described_by_another_process() -> bytes:
    """The output of the other process, with a time limit; only valid entries are accepted."""
    paths = os.pathsep.join(os.path.abspath(path) for path in sys.path)
    with tempfile.TemporaryFile() as file:
        child = subprocess.Popen(
            _COMMAND,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": paths},
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_MOST_SECONDS)
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(child.pid, signal.SIGKILL)
        else:  # Windows
            child.kill()
        child.wait()
        file.seek(0)
        return file.read(_MOST_BYTES)


def _believed(text: bytes) -> list[ListedBot]:
    try:
        return [_listed(each) for each in json.loads(text)]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []


def _listed(fields: Mapping[str, Any]) -> ListedBot:
    """A bot from its dictionary; raises KeyError or TypeError if it is invalid."""
    games = fields["games"]
    return ListedBot(
        _text(fields["bot"]),
        _text(fields["summary"]),
        None if games is None else tuple(map(_text, games)),
        tuple(map(_parameter, fields["parameters"])),
        _text(fields["values"]),
    )


def _parameter(fields: Mapping[str, Any]) -> dict[str, Any]:
    default = fields["default"]
    return {
        "name": _text(fields["name"]),
        "type": _text(fields["type"]),
        "choices": list(map(_text, fields["choices"])),
        "required": bool(fields["required"]),
        "default": default if default is None or isinstance(default, (bool, int, float)) else _text(default),
        "help": _text(fields["help"]),
    }


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text is wanted, not {type(value).__name__}")
    return one_line(value, _MOST_TEXT)


def main() -> None:
    """Prints the bots of other packages on stdout; output of their packages is redirected."""
    told = os.dup(1)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    others = [_described(kind) for name, kind in bot_kinds().items() if not is_built_in(name)]
    with open(told, "w", encoding="utf-8") as file:
        json.dump(others, file)


if __name__ == "__main__":
    main()
