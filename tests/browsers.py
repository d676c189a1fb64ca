"""Chromium for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; without them tests are skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("needs Chromium, such as Debian's package chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def stop_clock(page) -> None:
    """What a page does after some time waits from now on, until ``page.clock`` is told to go on."""
    page.clock.install(time=0)
    page.clock.pause_at(1_000_000)
