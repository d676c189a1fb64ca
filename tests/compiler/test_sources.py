"""Kept machine code is found by the sources that it was made of, so none of them may be left out."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

from tests.tools.layers import PACKAGES, modules
from wotr_agents.games.duel.kernels import DUELLISTS
from wotr_agents.games.two_towers.kernels import WALKERS
from wotr_agents.games.war_of_the_ring.kernels import AGENTS
from wotr_agents.search.games import search_game
from wotr_env.compiler.kernels import KernelSet
from wotr_env.games.duel.kernels import DUEL
from wotr_env.games.two_towers.kernels import TOWERS
from wotr_env.games.war_of_the_ring.kernels import RULES
from wotr_env.play.games import OWN_GAMES

SEARCHES = tuple(search_game(name).kernels for name in OWN_GAMES)
SETS = (RULES, DUEL, TOWERS, AGENTS, DUELLISTS, WALKERS, *SEARCHES)
OURS = {name: path for package, folder in PACKAGES.items() for name, path in modules(package, folder).items()}


def hashed(kernels: KernelSet | None) -> set[Path]:
    """The files that the name of a set's kept code depends on."""
    if kernels is None:
        return set()
    found = {pattern: set(kernels.package.glob(pattern)) for pattern in kernels.sources}
    assert all(found.values()), f"no file has the name of {[each for each in found if not found[each]]}"
    return set().union(*found.values()) | hashed(kernels.needs)


def names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


@functools.cache
def imported(path: Path) -> dict[str, str]:
    """By name, the module from which a file imports something."""
    return {
        alias.asname or alias.name: node.module or ""
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@pytest.mark.parametrize("kernels", SETS, ids=lambda kernels: kernels.name)
def test_every_file_that_compiled_code_is_made_of_is_hashed(kernels):
    for module in kernels.modules:
        importlib.import_module(module)
    files, missing = hashed(kernels), set()
    for function in kernels.kernels:
        path = Path(inspect.getfile(inspect.unwrap(function)))
        if path.name.startswith("<"):
            continue  # generated from tables of hashed modules
        if path not in files:
            missing.add(path)
        names = imported(path)
        used = {names[name] for name in names_in(function.__code__) if name in names}
        missing |= {OURS[module] for module in used & OURS.keys()} - files
    assert len(kernels.kernels) > 10
    assert missing == set()


def test_what_is_compiled_is_told_in_words():
    names = [each.name for each in SETS if each.needs is not None]
    assert len(set(names)) == len(names)
    assert all("_" not in name and "." not in name for name in names)
