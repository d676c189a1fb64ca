"""The site of docs/: every page is in its navigation, it builds without a warning, no link is broken."""

import html
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from wotr_env.play.games import game_kind

ROOT = Path(__file__).parents[2]
DOCS, SITE = ROOT / "docs", ROOT / ".site" / "mkdocs.yml"


def test_every_page_is_in_the_navigation_once():
    written = SITE.read_text(encoding="utf-8").split("\nnav:\n")[1]
    pages = re.findall(r" ([\w-]+\.md)$", written, re.MULTILINE)
    outside = {"readme.md", "changelog.md", "contributing.md", "security.md"}
    assert sorted(set(pages) - outside) == sorted(page.name for page in DOCS.glob("*.md"))
    assert len(pages) == len(set(pages)) and outside <= set(pages)


@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="needs the extra docs")
def test_it_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", SITE, "-d", tmp_path / "site"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert built.returncode == 0, built.stdout + built.stderr
    api = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    assert 'id="wotr_env.VectorGame"' in api and "threads" in api
    environments = (tmp_path / "site" / "environments.html").read_text(encoding="utf-8")
    assert "Legal Actions Mask" in environments
    site = tmp_path / "site"
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
