"""The compiled part of the searches: kernels on top of those of the other bots, kept by themselves."""

from __future__ import annotations

from pathlib import Path

from wotr_agents.kernels import AGENTS
from wotr_env.compiler.kernels import KernelSet

_SOURCES = (
    "networks/mlp.py",
    "search/kernels.py",
    "search/tree.py",
    "search/simulations.py",
    "search/guided.py",
    "search/playouts.py",
)

_MODULES = (
    "wotr_agents.search.guided",
    "wotr_agents.search.playouts",
    "wotr_agents.search.simulations",
)

SEARCHES = KernelSet(Path(__file__).parents[1], _SOURCES, _MODULES, needs=AGENTS, name="wotr_agents.search")
SEARCHES.argument_types |= AGENTS.argument_types

kernel = SEARCHES.kernel
entry_point = SEARCHES.entry_point
