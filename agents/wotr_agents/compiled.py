"""Compiling the kernels of the bots, once per version and machine.

``python -m wotr_agents.compiled`` compiles everything that is not compiled yet, unless another such process
is running. It has normal priority, because other processes wait for its lock.
"""

from __future__ import annotations

import subprocess
import sys
import time

from wotr_agents.search.games import search_game
from wotr_env.compiler.code_cache import CodeCache
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.types import Progress
from wotr_env.play.games import DEFAULT_GAME

SEARCHES = search_game(DEFAULT_GAME).kernels
"""The searches of the default game. They call the kernels of its rules and of its other bots."""


def ensure_searches() -> float:
    """Compiles the searches of the default game and all kernels that they need, if necessary; returns the
    seconds that this took."""
    return search_game(DEFAULT_GAME).prepare()


def everything_is_compiled() -> bool:
    """Whether the rules and the bots are compiled on this machine."""
    return all(each.is_compiled() for each in SEARCHES.with_needed())


def ensure_everything(progress: Progress | None = None) -> float:
    """Compiles the rules and the bots, if necessary; returns the seconds that this took."""
    return sum(each.ensure_compiled(progress) for each in reversed(list(SEARCHES.with_needed())))


class _BackgroundProcess:
    """The process that compiles everything in the background: a child of this process, or any other one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._begun = False
        self._looked_at, self._found = -_LOOK_AGAIN, False

    def begin(self) -> None:
        """Starts the process, unless another process is compiling."""
        self._begun = True
        if self._process is None and not self._another():
            nothing = subprocess.DEVNULL
            self._process = subprocess.Popen(
                [sys.executable, "-m", "wotr_agents.compiled"],
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                start_new_session=True,
            )

    def is_compiling(self) -> bool:
        """Whether a process is compiling; also true before the start. If no process runs any more, starts a
        new one."""
        if not self._begun or (self._process is not None and self._process.poll() is None):
            return True
        if self._another():
            return True
        if self._process is None:
            self.begin()
        return self._process is not None and self._process.poll() is None

    def _another(self) -> bool:
        """Whether another process is compiling. The result is cached for a while, because kernels ask
        often."""
        if time.monotonic() - self._looked_at >= _LOOK_AGAIN:
            missing = [each.kept for each in SEARCHES.with_needed() if not each.is_compiled()]
            self._found = _is_claimed(SEARCHES.kept, _BACKGROUND_CLAIM) or any(map(_is_claimed, missing))
            self._looked_at = time.monotonic()
        return self._found


_BACKGROUND_CLAIM = "behind"
"""The name of the claim of the background compiler."""
_LOOK_AGAIN = 0.5
"""Seconds between two checks of other processes' locks."""


def _is_claimed(kept: CodeCache, *what: str) -> bool:
    with kept.try_claim(*what) as free:
        return not free


def defer_compilation(game: str) -> bool:
    """Runs kernels as plain Python until ``start_background_compiler`` is called and its process is done.

    This is a thousand times slower, but fast enough for a game by hand. Does nothing for other games than the
    default one, whose rules are compiled in seconds. Returns whether any kernel must be compiled.
    """
    if game != DEFAULT_GAME or everything_is_compiled() or SEARCHES.kept.folder is None:
        return False
    KernelSet.background_compiler = KernelSet.background_compiler or _BackgroundProcess()
    return True


def start_background_compiler(game: str) -> bool:
    """Starts a process that compiles everything, if necessary; returns whether a process is compiling.

    The process continues when this process ends. Does nothing for other games than the default one.
    """
    if not defer_compilation(game):
        return False
    if isinstance(KernelSet.background_compiler, _BackgroundProcess):
        KernelSet.background_compiler.begin()
    return True


def compile_in_background() -> None:
    """Runs ``ensure_everything``, unless another process is already doing this."""
    with SEARCHES.kept.try_claim(_BACKGROUND_CLAIM) as free:
        if free:
            ensure_everything()


if __name__ == "__main__":
    compile_in_background()
