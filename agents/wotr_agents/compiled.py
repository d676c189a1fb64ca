"""Compiling the kernels of the bots, once per version and machine."""

from __future__ import annotations

from wotr_agents.kernels import AGENTS
from wotr_agents.queller import entry as _queller  # noqa: F401 (each module with entry points is needed)
from wotr_agents.scripted import entry as _scripted  # noqa: F401
from wotr_agents.scripted.odds import battle_odds
from wotr_agents.search import guided, simulations  # noqa: F401
from wotr_env.compiler.kernels import Progress
from wotr_env.engine import kernel
from wotr_env.kernels import RULES


def ensure_agents() -> float:
    """Makes sure that everything is compiled; returns the seconds it took."""
    battle_odds()  # takes a moment, so not in the middle of a decision
    return AGENTS.ensure_compiled()


def everything_is_compiled() -> bool:
    """Whether the rules and the bots need no compiling on this machine."""
    return RULES.is_compiled() and AGENTS.is_compiled()


def ensure_everything(progress: Progress) -> float:
    """Compiles the rules, then the bots, if need be; returns the seconds it took."""
    return kernel.ensure_compiled(progress) + AGENTS.ensure_compiled(progress)
