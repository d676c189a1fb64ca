"""Chromium for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Names of Chromium. The first has the same engine without windows, and takes a third less time."""


def find_chromium() -> str:
    """The program that tests drive; without one the test is skipped."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        pytest.skip("needs Chromium, such as Debian's package chromium-headless-shell")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; without them tests are skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")
    chromium = find_chromium()
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def stop_clock(page) -> None:
    """What a page does after some time waits from now on, until ``page.clock`` is told to go on."""
    page.clock.install(time=0)
    page.clock.pause_at(1_000_000)
