"""Runs the tests that a change can have touched, for a limited time: ``.ci/run --quick``.

A test file is touched if it imports a changed module, directly or through others. A changed file that is no
Python module counts as imported by every module that names it, and by all modules of its folder, or of the
nearest folder above that has some; a page of docs, or a file of the project's root, by ``tests/dev``.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.tools.layers import PACKAGES, imports_in, modules
from tests.tools.suite import ROOT, green_commit

_TESTS = "tests"
_UNTIL = "WOTR_TESTS_UNTIL"
"""The environment variable that tells the processes of tests when to begin no other one."""

Users = Mapping[Path, set[Path]]
"""For each module of a checkout, those that import it."""


def users_of_modules(packages: Mapping[str, Path]) -> Users:
    """Which modules import which, by their files.

    Imports inside functions count, and so do names of modules in strings, as entry points have them.

    Args:
        packages: the folders of top packages by their names.
    """
    paths: dict[str, Path] = {}
    for package, folder in packages.items():
        paths |= modules(package, folder)
    users: dict[Path, set[Path]] = defaultdict(set)
    naming = re.compile(rf"""["'](?:{"|".join(packages)})\.""")
    for module, path in paths.items():
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        nodes = ast.walk(tree) if naming.search(source) else ()  # which takes longer than parsing
        strings = (node.value for node in nodes if isinstance(node, ast.Constant))
        texts = (text.partition(":")[0] for text in strings if isinstance(text, str) and "." in text)
        for name in (*imports_in(tree, module, path.name == "__init__.py"), *texts):
            while name and name not in paths:  # of `from a import b`, b is a module or not
                name = name.rpartition(".")[0]
            if name:
                users[paths[name]].add(path)
    return users


def distances(changed: Iterable[Path], users: Users) -> dict[Path, int]:
    """How many imports lie between each module and the nearest that has changed."""
    found = dict.fromkeys(changed, 0)
    waiting = deque(found)
    while waiting:
        path = waiting.popleft()
        for user in users.get(path, ()):
            if user not in found:
                found[user] = found[path] + 1
                waiting.append(user)
    return found


def stand_ins(path: Path, root: Path) -> list[Path]:
    """The modules that count as changed with a file that is none, which may be deleted."""
    command = ["git", "-C", str(root), "grep", "-lF", "--untracked", path.name, "--", "*.py"]
    naming = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    folder = path.parent
    while folder != root and not list(folder.glob("*.py")):
        folder = folder.parent
    if folder in (root, root / "docs"):
        folder = root / _TESTS / "dev"
    return [*(root / name for name in naming), *folder.glob("*.py")]


def changed_files(root: Path, since: str) -> list[Path]:
    """Files that differ from a commit, whether committed, staged or neither, and new ones."""
    told = []
    for arguments in (["diff", "--name-only", since], ["ls-files", "--others", "--exclude-standard"]):
        command = ["git", "-C", str(root), *arguments]
        told += subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [root / name for name in dict.fromkeys(told)]


def touched_tests(root: Path, changed: Sequence[Path], users: Users) -> list[Path]:
    """The test files that a change can have touched: those of its rooms first, then the nearest.

    Args:
        root: of the checkout.
        changed: its files that have changed.
        users: of its modules.
    """
    begun: list[Path] = []
    for path in changed:
        begun += [path] if path.suffix == ".py" and path.exists() else stand_ins(path, root)
        if path.name == "conftest.py":
            begun += sorted(path.parent.rglob("test_*.py"))
    found = distances(begun, users)
    tests = (path for path in found if path.name.startswith("test_") and root / _TESTS in path.parents)
    rooms = {room for path in changed for room in path.relative_to(root).parts[:-1]} - {_TESTS}
    return sorted(tests, key=lambda path: (rooms.isdisjoint(path.parts), found[path], path))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Begins no other test when the time is over."""
    if time.time() > float(os.environ[_UNTIL]):
        pytest.skip("no time was left for it")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns pytest's exit code, and 0 if there is nothing to run."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.touched", description=__doc__)
    parser.add_argument("--since", help="commit to compare with; by default the last on which .ci/run passed")
    parser.add_argument("--seconds", type=float, default=150.0, help="begin no test after so many")
    options = parser.parse_args(arguments)
    since = options.since or green_commit(ROOT) or "HEAD"
    changed = changed_files(ROOT, since)
    tests = touched_tests(ROOT, changed, users_of_modules({**PACKAGES, _TESTS: ROOT / _TESTS}))
    print(
        f"quick: {len(changed)} files changed since {since[:9]}, {len(tests)} test files touched", flush=True
    )
    if not tests:
        return 0
    os.environ[_UNTIL] = str(time.time() + options.seconds)
    named = [str(path.relative_to(ROOT)) for path in tests]
    several = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    plugins = ["-p", __spec__.name, "-p", "no:cacheprovider"]
    code = pytest.main(["-q", *plugins, "-m", "not slow", *several, *named])
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else int(code)


if __name__ == "__main__":
    sys.exit(main())
