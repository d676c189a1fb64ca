"""The layers of the project: which package, and which room of ``wotr_env``, may import which.

Imports are read from the sources, those inside functions and for type checkers too.
"""

import ast
import graphlib
from pathlib import Path

import pytest

from tests.tools.layers import MAY_IMPORT, NAME_GAMES, PACKAGES, PLACES, ROOMS, imports, modules, room_of


def foreign_imports(package: str, folder: Path) -> list[str]:
    """Imports of our packages, or of ``tests``, that this one may not know."""
    forbidden = {"tests", *PACKAGES} - MAY_IMPORT[package] - {package}
    return [
        f"{module} imports {name}"
        for module, path in modules(package, folder).items()
        for name in imports(module, path)
        if name.partition(".")[0] in forbidden
    ]


def downward_imports(folder: Path) -> list[str]:
    """Imports in ``wotr_env`` from a later room, and rooms that the order does not know."""
    wrong = []
    for module, path in modules("wotr_env", folder).items():
        room = room_of(module)
        if not room:
            continue
        if room not in PLACES:
            wrong.append(f"{module} is in no known room")
            continue
        for name in imports(module, path):
            other = room_of(name) if name.startswith("wotr_env.") else room
            if PLACES.get(other, len(ROOMS)) > PLACES[room]:
                wrong.append(f"{module} imports {name}")
    return wrong


def named_packages(folder: Path) -> list[str]:
    """Modules of ``wotr_env`` with a string or a docstring that names a package above it."""
    above = PACKAGES.keys() - {"wotr_env"}
    return [
        f"{module} names {package}"
        for module, path in modules("wotr_env", folder).items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for package in above
        if package in node.value
    ]


def naming_games(packages: dict[str, Path]) -> set[str]:
    """Modules outside the folders ``games`` of these packages that import from one of them."""
    folders = tuple(f"{package}.games." for package in packages)
    return {
        module
        for package, folder in packages.items()
        for module, path in modules(package, folder).items()
        if not f"{module}.".startswith(folders)
        and any(name.startswith(folders) for name in imports(module, path))
    }


def import_circle(packages: dict[str, Path]) -> list[str]:
    """Modules that import each other in a circle, anywhere; none if there is no circle.

    Packages import their own modules, and that a module imports what holds it is no circle.
    """
    known = {
        name: path for package, folder in packages.items() for name, path in modules(package, folder).items()
    }
    graph: dict[str, set[str]] = {}
    for module, path in known.items():
        named = {name if name in known else name.rpartition(".")[0] for name in imports(module, path)}
        graph[module] = {
            name for name in named & known.keys() - {module} if not module.startswith(f"{name}.")
        }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_import_only_those_below_them(package):
    assert foreign_imports(package, PACKAGES[package]) == []


def test_the_rules_name_no_bots_experiments_or_benchmarks():
    assert named_packages(PACKAGES["wotr_env"]) == []


def test_rooms_import_only_from_rooms_before_them():
    assert downward_imports(PACKAGES["wotr_env"]) == []
    assert {room_of(module) for module in modules("wotr_env", PACKAGES["wotr_env"])} == {"", *PLACES}


def test_code_for_all_games_imports_no_game():
    """A module that no longer imports a game is struck from the list, so that the list only gets shorter."""
    packages = {name: folder for name, folder in PACKAGES.items() if name != "wotr_benchmarks"}
    assert naming_games(packages) == NAME_GAMES.keys()


def test_no_modules_import_each_other_in_a_circle():
    assert import_circle(PACKAGES) == []


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    "text",
    [
        "import wotr_agents",
        "def later():\n    from wotr_experiments.arena import play",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import wotr_benchmarks.suite",
        "from tests.tools import layers",
    ],
)
def test_a_forbidden_package_is_found(tmp_path, text):
    folder = write(tmp_path, {"__init__.py": "", "rules/__init__.py": "", "rules/flow.py": text})
    (found,) = foreign_imports("wotr_env", folder)
    assert found.startswith("wotr_env.rules.flow imports ")


def test_a_package_named_in_a_string_is_found(tmp_path):
    folder = write(tmp_path, {"__init__.py": "", "game.py": 'OPPONENTS = "wotr_agents.registry"'})
    assert named_packages(folder) == ["wotr_env.game names wotr_agents"]


@pytest.mark.parametrize("text", ["from wotr_env.envs import env_game", "from ..envs import env_game"])
def test_a_room_that_imports_a_later_one_is_found(tmp_path, text):
    folder = write(tmp_path, {"__init__.py": "", "core/__init__.py": "", "core/kind.py": text})
    assert downward_imports(folder) == ["wotr_env.core.kind imports wotr_env.envs.env_game"]


def test_a_room_that_nobody_placed_is_found(tmp_path):
    folder = write(tmp_path, {"__init__.py": "", "attic.py": ""})
    assert downward_imports(folder) == ["wotr_env.attic is in no known room"]


def test_a_module_that_imports_a_game_is_found(tmp_path):
    files = {"games/__init__.py": "", "games/chess.py": "from a.games import go", "games/go.py": ""}
    files |= {"play.py": "def later():\n    from a.games.chess import CHESS", "kind.py": "import a.games"}
    assert naming_games({"a": write(tmp_path, files)}) == {"a.play"}


@pytest.mark.parametrize(
    "back",
    [
        "from wotr_env.game import Game",
        "def later():\n    from wotr_env.game import Game",
        "if TYPE_CHECKING:\n    from wotr_env.game import Game",
    ],
)
def test_an_import_circle_is_found_wherever_it_closes(tmp_path, back):
    files = {"__init__.py": "from wotr_env import game", "game.py": "from wotr_env import record"}
    folder = write(tmp_path, files | {"record.py": back})
    assert set(import_circle({"wotr_env": folder})) == {"wotr_env.game", "wotr_env.record"}
    write(tmp_path, {"record.py": "import wotr_env"})
    assert import_circle({"wotr_env": folder}) == []
