"""Which package, and which room of ``wotr_env``, may import which: ``tests/dev/test_layers.py`` holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

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
    "errors notation spelling",
    "values rows reasons",
    "kind any_game columns shapes house",
    "codes",
    "data",
    "components",
    "actions",
    "options",
    "ruleset",
    "state",
    "kernels",
    "cards",
    "rules",
    "streams batches kind_positions",
    "engine",
    "seating winners",
    "events words",
    "outcomes picture",
    "render",
    "ways observation",
    "game",
    "positions",
    "vector cuda",
    "war_of_the_ring",
    "duel two_towers",
    "plugins games",
    "game_text",
    "past record",
    "bots",
    "envs",
)
"""The rooms of ``wotr_env``: each imports from those before it only. Modules on one line are one room.

``__init__.py`` is the front door and may import them all.
"""
PLACES = {name: place for place, room in enumerate(ROOMS) for name in room.split()}


def modules(package: str, folder: Path) -> dict[str, Path]:
    """The modules of a package by their full names."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = (package, *path.relative_to(folder).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports(module: str, path: Path, tree: ast.AST | None = None) -> Iterator[str]:
    """The full names that a module imports anywhere: ``from a import b`` is ``a.b``."""
    for node in ast.walk(tree or ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def room_of(name: str) -> str:
    """The folder or top module of a full name in ``wotr_env``; empty for the package itself."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


def rooms_imported() -> dict[str, set[str]]:
    """For each room of ``wotr_env`` those that its modules import from."""
    found: dict[str, set[str]] = {room: set() for room in PLACES}
    for module, path in modules("wotr_env", PACKAGES["wotr_env"]).items():
        if room := room_of(module):
            names = [name for name in imports(module, path) if name.startswith("wotr_env.")]
            found[room] |= {room_of(name) for name in names} & PLACES.keys() - {room}
    return found
