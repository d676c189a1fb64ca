"""``.ci/run``: flaky and broken tests are told apart, the green commit is known, a change finds its tests."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.tools import suite
from tests.tools.touched import changed_files, touched_tests, users_of_modules

ROOT = Path(__file__).parents[2]
TESTS = """
    import os
    import pathlib
    import pytest

    def first_time(name):
        seen = pathlib.Path(__file__).with_name(name)
        try:
            return not seen.exists()
        finally:
            seen.touch()

    def test_sound():
        first_time("sound-ran")

    def test_flaky():
        assert not first_time("flaky-ran")

    @pytest.mark.skip
    def test_skipped():
        pass

    @pytest.mark.xfail
    def test_expected_to_fail():
        raise AssertionError

    @pytest.fixture
    def left_behind():
        yield
        assert not first_time("left-ran")

    def test_flaky_at_its_end(left_behind):
        pass

    @pytest.mark.skipif("CRASH" not in os.environ, reason="asked for")
    def test_crash():
        if first_time("crash-ran"):
            os._exit(1)

    @pytest.mark.skipif("BROKEN" not in os.environ, reason="asked for")
    def test_broken():
        assert False
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the suite on a project of a few tests; returns its exit code, and what it printed by lines."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # loading the others takes most of the time
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tmp_path / "test_it.py").write_text(textwrap.dedent(TESTS), encoding="utf-8")

    def run(*asked):
        for name in asked:
            monkeypatch.setenv(name, "1")
        command = [sys.executable, "-m", "tests.tools.suite", "-q", "-p", "no:cacheprovider", "-p", "xdist"]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        return ended.returncode, ended.stdout.splitlines()

    return run


def named(lines, word):
    """The tests named by lines that begin with a word."""
    return {line.split()[1].rpartition("::")[2].rstrip(":") for line in lines if line.startswith(word)}


def test_a_broken_test_fails_the_run_and_is_told_from_flaky_ones(run):
    code, lines = run("BROKEN")
    assert code == 1
    assert named(lines, "FLAKY") == {"test_flaky", "test_flaky_at_its_end"}
    assert named(lines, "BROKEN") == {"test_broken"}
    assert "suite: repeating 3 of 7 tests alone" in lines
    assert lines[-1].startswith("suite: 1 passed, 3 skipped, 2 flaky, 1 broken in ")


def test_flaky_tests_are_named_and_a_crash_loses_no_test(run):
    code, lines = run("CRASH")
    assert code == 0
    assert named(lines, "FLAKY") >= {"test_flaky", "test_flaky_at_its_end", "test_crash"}
    assert not named(lines, "BROKEN")
    passed, skipped, flaky, broken = [int(word) for word in lines[-1].split() if word.isdigit()][:4]
    assert passed + skipped + flaky == 7 and broken == 0


def test_what_never_ended_is_bad():
    outcomes = suite.Outcomes()
    outcomes.pytest_xdist_node_collection_finished(["a", "b", "c"])
    outcomes.passed, outcomes.failed = {"a", "c"}, {"c", "of-no-worker"}
    assert outcomes.bad == ["of-no-worker", "b", "c"]


@pytest.fixture
def checkout(tmp_path):
    """A git repository with one commit: a package of three modules, and their tests."""
    files = {
        "engine/__init__.py": "from engine.rules import hit",
        "engine/rules.py": "import json\nTABLE = 'hits.json'",
        "data/hits.json": "{}",
        "engine/words.py": "def say():\n    from engine.rules import TABLE",
        "engine/plugins.py": "BOT = 'engine.words:say'",
        "tests/__init__.py": "",
        "tests/test_rules.py": "from engine.rules import TABLE",
        "tests/test_bots.py": "from engine import plugins",
        "tests/test_nothing.py": "import engine",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")


def test_the_green_commit_is_noted_only_if_it_was_tested(checkout):
    assert suite.green_commit(checkout) is None
    tested = suite.clean_commit(checkout)
    assert tested is not None and suite.note_green(checkout, tested)
    assert suite.green_commit(checkout) == tested
    (checkout / "new").touch()
    assert suite.clean_commit(checkout) is None
    assert not suite.note_green(checkout, None), "the tests ran on a changed tree"
    assert not suite.note_green(checkout, tested), "the tree has changed meanwhile"
    commit(checkout)
    assert not suite.note_green(checkout, tested), "there is another commit now"
    assert suite.green_commit(checkout) == tested
    assert suite.note_green(checkout, suite.clean_commit(checkout))
    assert suite.green_commit(checkout) == suite.clean_commit(checkout) != tested


def test_outside_a_repository_no_commit_is_green(tmp_path):
    assert suite.clean_commit(tmp_path) is None
    assert suite.green_commit(tmp_path) is None
    assert not suite.note_green(tmp_path, None)


def touched(folder, *changed):
    users = users_of_modules({"engine": folder / "engine", "tests": folder / "tests"})
    return [path.stem for path in touched_tests(folder, [folder / name for name in changed], users)]


def test_a_change_finds_the_tests_that_import_it_nearest_first(checkout):
    assert touched(checkout, "engine/rules.py") == ["test_rules", "test_nothing", "test_bots"]
    assert touched(checkout, "data/hits.json") == touched(checkout, "engine/rules.py"), "named there"
    assert touched(checkout, "engine/plugins.py") == ["test_bots"]
    assert touched(checkout, "engine/words.py") == ["test_bots"], "an entry point names it"
    assert touched(checkout, "tests/test_bots.py") == ["test_bots"]


def test_changes_are_found_whether_committed_or_not(checkout):
    base = suite.clean_commit(checkout)
    (checkout / "engine/words.py").write_text("", encoding="utf-8")
    commit(checkout)
    (checkout / "engine/rules.py").unlink()
    (checkout / "engine/new.py").touch()
    names = {path.relative_to(checkout).as_posix() for path in changed_files(checkout, base)}
    assert names == {"engine/words.py", "engine/rules.py", "engine/new.py"}


def test_pytest_finds_the_tests_of_every_changed_file():
    """A file of each kind in this checkout has tests."""
    from tests.tools.layers import PACKAGES

    users = users_of_modules({**PACKAGES, "tests": ROOT / "tests"})
    for name, test in {
        "wotr_env/games/duel/turn.py": "tests/games/duel/test_rules.py",
        "docs/duel.md": "tests/dev/test_documented.py",
        "experiments/wotr_experiments/table/static/drawn.js": "tests/table/test_table_drawn_browser.py",
        "pyproject.toml": "tests/dev/test_package.py",
        "agents/wotr_agents/zoo/wide.safetensors": "tests/agents/test_networks.py",
    }.items():
        assert ROOT / test in touched_tests(ROOT, [ROOT / name], users), name
