"""The command ``wotr warmup``."""

from __future__ import annotations

import sys
import time

import rich.console
import rich.progress

from wotr_agents.compiled import ensure_everything, everything_is_compiled
from wotr_agents.search.games import compile_game
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena.schedule import find_game
from wotr_experiments.cli.options import GameName


def warmup(game: GameName = DEFAULT_GAME) -> None:
    """Compile the rules and the bots for this machine. This is needed once per version."""
    if game != DEFAULT_GAME:
        title = find_game(game).title
        print(f"wotr: compiling the rules and the bots of {title} (once per version)", file=sys.stderr)
        begun = time.perf_counter()
        compile_game(game)
        print(f"wotr: compiled in {time.perf_counter() - begun:.0f} s", file=sys.stderr)
        return
    if everything_is_compiled():
        print("wotr: rules and bots are compiled already", file=sys.stderr)
        return
    print("wotr: compiling the rules and the bots (once per version)", file=sys.stderr)
    bar = rich.progress.Progress(
        rich.progress.SpinnerColumn(),
        rich.progress.BarColumn(),
        rich.progress.MofNCompleteColumn(),
        rich.progress.TimeElapsedColumn(),
        console=rich.console.Console(stderr=True),
        transient=True,
        auto_refresh=False,  # its thread would keep the compiler to one core
    )
    with bar:
        task = bar.add_task("compile", total=None)
        seconds = ensure_everything(
            lambda done, total: bar.update(task, completed=done, total=total, refresh=True)
        )
    print(f"wotr: compiled in {seconds:.0f} s", file=sys.stderr)
