"""The site of docs/ in a browser: its search finds pages, its theme is switched, on a phone it has a menu."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browsers import browser as browser
from tests.waiting import PATIENCE

SITE = Path(__file__).parents[2] / ".site" / "mkdocs.yml"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="needs the extra docs"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Where the site is served, from a process of its own: search does not work in files."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", SITE, "-d", folder]
    subprocess.run(command, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://[\d.:]+", server.stdout.readline())
        assert found is not None
        yield found[0]
        server.terminate()


@pytest.fixture
def open_page(browser, address):
    pages = []

    def open_page(width):
        page = browser.new_page(viewport={"width": width, "height": 800})
        pages.append(page)
        page.set_default_timeout(1000 * PATIENCE)
        page.route(re.compile(f"^(?!{re.escape(address)})"), lambda route: route.abort())  # no other host
        page.goto(f"{address}/index.html", wait_until="domcontentloaded")
        return page

    yield open_page
    for page in pages:
        page.close()


def test_a_search_finds_a_page(open_page):
    page = open_page(1280)
    page.locator(".md-search__input").click()
    page.get_by_text("Type to start searching").wait_for()  # before that, the index is not read
    page.locator(".md-search__input").press_sequentially("torch.export.load")  # each key is listened to
    page.locator(".md-search-result__link[href*='training.html']").first.wait_for()


def test_the_theme_is_switched(open_page):
    page = open_page(1280)
    before = page.locator("body").get_attribute("data-md-color-scheme")
    page.locator("label[for^='__palette']:not([hidden])").first.click()
    page.wait_for_function("before => document.body.dataset.mdColorScheme !== before", arg=before)


def test_a_phone_has_a_menu(open_page):
    page = open_page(400)
    shown = "document.querySelector('.md-nav--primary').getBoundingClientRect().left >= 0"
    assert not page.evaluate(shown)
    page.locator("label.md-header__button[for='__drawer']").click()
    page.wait_for_function(shown)
