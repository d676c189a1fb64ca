"""The site of docs/: every page is in its navigation, it builds without a warning, no link is broken.

In a browser its search finds pages, its theme is switched, and on a phone it has a menu.
"""

import html
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.browsers import browser as browser
from tests.browsers import new_page
from tests.waiting import PATIENCE
from wotr_env.play.games import game_kind

ROOT = Path(__file__).parents[2]
DOCS, SITE = ROOT / "docs", ROOT / ".site" / "mkdocs.yml"


def test_every_page_is_in_the_navigation_once():
    written = SITE.read_text(encoding="utf-8").split("\nnav:\n")[1]
    pages = re.findall(r" ([\w-]+\.md)$", written, re.MULTILINE)
    outside = {"readme.md", "changelog.md", "contributing.md", "security.md"}
    assert sorted(set(pages) - outside) == sorted(page.name for page in DOCS.glob("*.md"))
    assert len(pages) == len(set(pages)) and outside <= set(pages)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, which builds without a warning."""
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", SITE, "-d", folder]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_it_has_what_pages_promise_and_no_broken_links(site):
    api = (site / "api.html").read_text(encoding="utf-8")
    assert 'id="wotr_env.VectorGame"' in api and "threads" in api
    environments = (site / "environments.html").read_text(encoding="utf-8")
    assert "Legal Actions Mask" in environments
    examples = (site / "examples.html").read_text(encoding="utf-8")
    assert 'href="examples/ppo.py.html"' in examples
    assert "class" in (site / "examples" / "ppo.py.html").read_text(encoding="utf-8")
    assert 'href="notebooks/data.ipynb.html"' in (site / "data.html").read_text(encoding="utf-8")
    assert 'href="zoo/wide.html"' in (site / "readme.html").read_text(encoding="utf-8")
    for card in (ROOT / "agents" / "wotr_agents" / "zoo").glob("*.md"):
        assert (site / "zoo" / f"{card.stem}.html").is_file()
    broken = [f"{page.name}: {link}" for page in site.rglob("*.html") for link in broken_links(page, site)]
    assert broken == []


def broken_links(page, site):
    """Links within the site that lead nowhere, and others that are no addresses."""
    for link in re.findall(r'(?:href|src)="([^"]*)"', page.read_text(encoding="utf-8")):
        parts = urlsplit(html.unescape(link))
        if parts.scheme in ("http", "https"):
            if not re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?|127\.0\.0\.1:\d+|localhost:\d+", parts.netloc):
                yield link
        elif parts.scheme not in ("", "mailto", "data"):
            yield link
        elif parts.path and page.name != "404.html" and not (page.parent / unquote(parts.path)).exists():
            yield link


def test_sizes_of_the_environments():
    page = (DOCS / "environments.md").read_text(encoding="utf-8")
    rows = {
        "war-of-the-ring": "war_of_the_ring/wotr-v0",
        "duel": "lotr_duel-v0",
        "two-towers": "two_towers-v0",
    }
    for name, environment in rows.items():
        kind = game_kind(name)
        row = next(line for line in page.splitlines() if f"`{environment}`" in line)
        assert f"`int8` ({kind.layout.size},)" in row and row.endswith(f"| {kind.actions.size} |")


# --- In a browser ---


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served, from a process of its own: search does not work in files."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", site]
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
        page = new_page(browser, viewport={"width": width, "height": 800})
        pages.append(page)
        page.set_default_timeout(1000 * PATIENCE)
        page.route(re.compile(f"^(?!{re.escape(address)})"), lambda route: route.abort())  # no other host
        page.goto(f"{address}/index.html", wait_until="domcontentloaded")
        return page

    yield open_page
    for page in pages:
        page.close()


@pytest.mark.slow
def test_a_search_finds_a_page(open_page):
    page = open_page(1280)
    page.locator(".md-search__input").click()
    page.get_by_text("Type to start searching").wait_for()  # before that, the index is not read
    page.locator(".md-search__input").press_sequentially("torch.export.load")  # each key is listened to
    page.locator(".md-search-result__link[href*='training.html']").first.wait_for()


@pytest.mark.slow
def test_the_theme_is_switched(open_page):
    page = open_page(1280)
    before = page.locator("body").get_attribute("data-md-color-scheme")
    page.locator("label[for^='__palette']:not([hidden])").first.click()
    page.wait_for_function("before => document.body.dataset.mdColorScheme !== before", arg=before)


@pytest.mark.slow
def test_a_phone_has_a_menu(open_page):
    page = open_page(400)
    shown = "document.querySelector('.md-nav--primary').getBoundingClientRect().left >= 0"
    assert not page.evaluate(shown)
    page.locator("label.md-header__button[for='__drawer']").click()
    page.wait_for_function(shown)
