"""Which package, and which room of ``wotr_env``, may import which: ``tests/dev/test_layers.py`` holds it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

from wotr_experiments.rulebook.coverage import statements

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "wotr_env": ROOT / "wotr_env",
    "wotr_agents": ROOT / "agents" / "wotr_agents",
    "wotr_benchmarks": ROOT / "benchmarks" / "wotr_benchmarks",
    "wotr_experiments": ROOT / "experiments" / "wotr_experiments",
}
MAY_IMPORT: dict[str, set[str]] = {
    "wotr_env": set(),
    "wotr_agents": {"wotr_env"},
    "wotr_benchmarks": {"wotr_env", "wotr_agents"},
    "wotr_experiments": {"wotr_env", "wotr_agents", "wotr_benchmarks"},
}
"""The packages, and what each may import."""
ROOMS = (
    "compiler",
    "core.codes core.errors core.spelling core.palette core.protocols",
    "core.values core.rows core.read_errors",
    "core.observation_layout core.seats core.states",
    "core.results core.rulesets core.descriptions core.luck core.notation",
    "core.kind core.game core.saved_game core.columns core.shapes",
    "core.chance core.raster core.declared",
    "core.batches core.seat_notation core.turns",
    "core.vector_arguments",
    "core.vector",
    "core.simple_drawing",
    "core.simple_game",
    "cuda",
    "war_of_the_ring.codes",
    "war_of_the_ring.data",
    "war_of_the_ring.components",
    "war_of_the_ring.actions",
    "war_of_the_ring.options",
    "war_of_the_ring.option_fields war_of_the_ring.ruleset",
    "war_of_the_ring.state",
    "war_of_the_ring.kernels",
    "war_of_the_ring.cards",
    "war_of_the_ring.rules",
    "war_of_the_ring.engine",
    "war_of_the_ring.seating war_of_the_ring.winners",
    "war_of_the_ring.events war_of_the_ring.words",
    "war_of_the_ring.given_chance war_of_the_ring.picture war_of_the_ring.luck",
    "war_of_the_ring.render",
    "war_of_the_ring.choice_tree war_of_the_ring.observation",
    "war_of_the_ring.columns war_of_the_ring.result",
    "war_of_the_ring.vector_arguments",
    "war_of_the_ring.device",
    "war_of_the_ring.vector",
    "war_of_the_ring.environments",
    "war_of_the_ring.game",
    "war_of_the_ring.setups",
    "duel two_towers",
    "play.plugins play.games",
    "play.game_text play.early_ends",
    "play.history play.record",
    "play.game_checks play.replaying",
    "play.bots",
    "envs",
)
"""The rooms of ``wotr_env``: each imports from those before it only. Modules on one line are one room.

``__init__.py`` is the front door and may import them all.
"""
PLACES = {name: place for place, room in enumerate(ROOMS) for name in room.split()}
NAME_GAMES: dict[str, str] = {
    "wotr_env": "the public names",
    "wotr_env.play.games": "the registry of games",
    "wotr_agents.policies": "the registry of scripted policies",
    "wotr_agents.registry": "the registry of bots",
    "wotr_experiments.cli.position": "the named positions of War of the Ring",
    "wotr_experiments.cli.rules": "the options of War of the Ring",
    "wotr_experiments.cli.sources": "the named positions of War of the Ring",
    "wotr_experiments.cli.study": "the command of a study of War of the Ring",
    "wotr_experiments.data.columns": "the columns of War of the Ring",
    "wotr_experiments.data.tables": "the table of turns of War of the Ring",
    "wotr_experiments.language.server": "the search in the cards of War of the Ring",
    "wotr_experiments.rulebook.coverage": "the coverage of War of the Ring's cards",
}
"""The modules outside the folders ``games`` that import from them, with what they take. No module may be
added."""
_HALLS = ("core", "play", "games", "games.war_of_the_ring")
"""Folders whose parts are rooms of their own."""


def modules(package: str, folder: Path) -> dict[str, Path]:
    """The modules of a package by their full names."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = (package, *path.relative_to(folder).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports(module: str, path: Path) -> tuple[str, ...]:
    """The full names that a module imports anywhere: ``from a import b`` is ``a.b``."""
    return _imports(module, path.name == "__init__.py", path.read_text(encoding="utf-8"))


@functools.cache
def _imports(module: str, is_package: bool, source: str) -> tuple[str, ...]:
    return tuple(imports_in(ast.parse(source), module, is_package))


def imports_in(tree: ast.Module, module: str, is_package: bool) -> Iterator[str]:
    """The full names that the tree of a module imports anywhere.

    Args:
        tree: its source, parsed.
        module: its full name.
        is_package: whether it is an ``__init__.py``.
    """
    for node in statements(tree.body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if is_package else module.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def room_of(name: str) -> str:
    """The room of a full name in ``wotr_env``; empty for the package itself and for halls."""
    _, *parts = name.split(".")
    length = 1
    while length <= len(parts) and ".".join(parts[:length]) in _HALLS:
        length += 1
    room = ".".join(parts[:length]).removeprefix("games.")
    return "" if len(parts) < length else room


def rooms_imported() -> dict[str, set[str]]:
    """For each room of ``wotr_env`` those that its modules import from."""
    found: dict[str, set[str]] = {room: set() for room in PLACES}
    for module, path in modules("wotr_env", PACKAGES["wotr_env"]).items():
        if room := room_of(module):
            names = [name for name in imports(module, path) if name.startswith("wotr_env.")]
            found[room] |= {room_of(name) for name in names} & PLACES.keys() - {room}
    return found
