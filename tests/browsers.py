"""Chromium for tests of pages."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Names of Chromium. The first has the same engine without windows, and takes a third less time."""

_OPTIONS = ("--no-sandbox", "--disable-gpu", "--in-process-gpu")
"""Without a process that draws like a GPU, tests of pages take a seventh less processor time."""

_TRANSPARENT = """
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("html { opacity: 0 }");
    document.adoptedStyleSheets.push(sheet);
"""
"""A style that policies of pages allow."""


def find_chromium() -> str:
    """The program that tests drive; without one the test is skipped."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        pytest.skip("needs Chromium, such as Debian's package chromium-headless-shell")
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[tuple[Any, asyncio.AbstractEventLoop]]:
    """Chromium, driven by Playwright, one for all tests, and the event loop of Playwright; without them tests
    are skipped.

    Playwright marks its loop as the running one of this thread, where other tests run loops of their own.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")
    program = find_chromium()
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=_OPTIONS)
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture(scope="module")
def browser(chromium) -> Iterator[Any]:
    """Chromium for the tests of a module; its pages are closed after them."""
    browser, loop = chromium
    asyncio._set_running_loop(loop)
    try:
        yield browser
        for context in browser.contexts:
            context.close()
    finally:
        asyncio._set_running_loop(None)


def new_page(browser, **options: Any) -> Any:
    """A page in a context of its own, with options of the context. Everything in it is where it is for people
    and can be pressed, but it is transparent: nobody looks, and drawing takes a third of the processor time
    of Chromium. ``draw`` makes it opaque."""
    context = browser.new_context(**options)
    context.add_init_script(_TRANSPARENT)
    return context.new_page()


def draw(page) -> None:
    """Makes the open document of a page visible."""
    page.evaluate("document.adoptedStyleSheets = []")


def stop_clock(page) -> None:
    """What a page does after some time waits from now on, until ``page.clock`` is told to go on."""
    page.clock.install(time=0)
    page.clock.pause_at(1_000_000)


def stop_date(page) -> None:
    """For a page that is not yet open: its date stands still from now on while its timers run, so that it
    never waits too long for an answer."""
    page.clock.set_fixed_time(0)
