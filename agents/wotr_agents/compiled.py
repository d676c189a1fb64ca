"""Compiling the kernels of the bots, once per version and machine.

``python -m wotr_agents.compiled`` compiles what is not compiled yet, behind everybody else.
"""

from __future__ import annotations

import os
import subprocess
import sys

from wotr_agents.kernels import AGENTS
from wotr_agents.scripted.odds import battle_odds
from wotr_agents.search.kernels import SEARCHES
from wotr_env.compiler.kernels import KernelSet, Progress
from wotr_env.kernels import RULES


def ensure_agents() -> float:
    """Makes sure that the bots are compiled, searches apart; returns the seconds it took."""
    battle_odds()  # takes a moment, so not in the middle of a decision
    return AGENTS.ensure_compiled()


def ensure_searches() -> float:
    """Makes sure that the searches are compiled, which need all else; returns the seconds it took."""
    battle_odds()
    return SEARCHES.ensure_compiled()


def prepare_agents() -> None:
    """``ensure_agents`` for bots that are quick enough while another process compiles."""
    battle_odds()
    AGENTS.prepare()


def everything_is_compiled() -> bool:
    """Whether the rules and the bots need no compiling on this machine."""
    return all(each.is_compiled() for each in SEARCHES.with_needed())


def ensure_everything(progress: Progress | None = None) -> float:
    """Compiles the rules and the bots, if need be; returns the seconds it took."""
    return sum(each.ensure_compiled(progress) for each in reversed(list(SEARCHES.with_needed())))


def compile_elsewhere() -> bool:
    """Has another process compile everything, unless it is there; returns whether it does.

    Until it is done the rules run as they are written: a thousand times slower, which who plays a game by
    hand does not notice. It goes on when this process ends.
    """
    if everything_is_compiled() or RULES.kept.folder is None:
        return False
    command = [sys.executable, "-m", "wotr_agents.compiled"]
    nothing = subprocess.DEVNULL
    KernelSet.elsewhere = subprocess.Popen(
        command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
    )
    return True


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)
    ensure_everything()
