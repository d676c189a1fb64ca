"""Runs the whole test suite and tells flaky tests from broken ones.

``python -m tests.tools.suite`` runs all tests on three processes. What failed, and what a crash left undone,
runs once more, alone and in order. A test that passes then is flaky: it is named, and mending it is the next
piece of work. A test that fails twice is broken, and fails the run. Nothing else is retried.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GREEN = "ci-green"
"""The file in the git directory that names the commit on which ``.ci/run`` passed last."""
MOST_REPEATED = 50
"""Failed tests that are repeated. So many failures at once are a fault of the change, not of the tests."""
_TOGETHER = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder", "--max-worker-restart", "3")
"""Three processes use two cores well: some tests wait for browsers, clocks and other processes."""
_ALONE = ("-n", "1", "--max-worker-restart", "3")  # in a process of its own, which may crash


class Outcomes:
    """A plugin of the process that hands out the tests: how each ended.

    Attributes:
        collected: the node ids of all tests, in order.
        passed: tests that passed; so with the next two.
        skipped: tests that were skipped, or failed as expected.
        failed: tests that failed in any phase, and modules that could not be collected.
    """

    def __init__(self) -> None:
        self.collected: list[str] = []
        self.passed: set[str] = set()
        self.skipped: set[str] = set()
        self.failed: set[str] = set()

    @property
    def bad(self) -> list[str]:
        """What failed or never ended, in the order of collection."""
        unknown = sorted(self.failed - set(self.collected))
        good = (self.passed | self.skipped) - self.failed
        return [*unknown, *(test for test in self.collected if test not in good)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self.collected = self.collected or list(ids)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:  # a crash is reported as a failed phase without a name
            self.failed.add(report.nodeid)
        elif report.skipped:
            self.skipped.add(report.nodeid)
        elif report.when == "call":
            self.passed.add(report.nodeid)


def run(arguments: Sequence[str] = ()) -> int:
    """Runs all tests, repeats those that failed, and prints what became of them.

    Args:
        arguments: for pytest, in both runs.

    Returns:
        0: all tests passed, flaky ones at their second try. Otherwise pytest's exit code.
    """
    began = time.monotonic()
    first = Outcomes()
    code = int(pytest.main([*_TOGETHER, *arguments], plugins=[first]))
    bad, flaky = first.bad, []
    if code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and 0 < len(bad) <= MOST_REPEATED:
        print(f"suite: repeating {len(bad)} of {len(first.collected)} tests alone", flush=True)
        second = Outcomes()
        code = int(pytest.main([*_ALONE, *arguments, *bad], plugins=[second]))
        flaky = [test for test in bad if test in second.passed | second.skipped and test not in second.failed]
    broken = [test for test in bad if test not in flaky]
    for test in flaky:
        print(f"FLAKY {test}: failed beside others, passed alone; mend it next")
    for test in broken[:MOST_REPEATED]:
        print(f"BROKEN {test}")
    passed, skipped = len(first.passed - first.failed), len(first.skipped - first.failed)
    counts = f"{passed} passed, {skipped} skipped, {len(flaky)} flaky, {len(broken)} broken"
    print(f"suite: {counts} in {time.monotonic() - began:.0f} s", flush=True)
    return code or int(bool(broken))


def clean_commit(root: Path) -> str | None:
    """The commit that a checkout is at; None if it differs from it, or is no git repository."""
    try:
        if _git(root, "status", "--porcelain"):
            return None
        return _git(root, "rev-parse", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return None


def green_commit(root: Path) -> str | None:
    """The commit on which ``.ci/run`` passed last, if that is known."""
    try:
        return _green_file(root).read_text(encoding="ascii").strip() or None
    except (OSError, subprocess.CalledProcessError):
        return None


def note_green(root: Path, tested: str | None) -> bool:
    """Writes the commit that was tested into the git directory; returns whether it did.

    Args:
        root: of the checkout.
        tested: ``clean_commit`` before the tests; nothing is written unless it is the same now.
    """
    if tested is None or clean_commit(root) != tested:
        return False
    _green_file(root).write_text(f"{tested}\n", encoding="ascii")
    return True


def _green_file(root: Path) -> Path:
    return Path(_git(root, "rev-parse", "--path-format=absolute", "--git-common-dir")) / GREEN


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: all other arguments are pytest's."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.suite", description=run.__doc__)
    parser.add_argument("--green", action="store_true", help=f"on success write the commit into {GREEN}")
    options, others = parser.parse_known_args(arguments)
    tested = clean_commit(ROOT)
    code = run(others)
    if options.green and code == 0:
        noted = note_green(ROOT, tested)
        said = f"{tested} is noted as green" if noted else "not noted as green: the tree has changes"
        print(f"suite: {said}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
