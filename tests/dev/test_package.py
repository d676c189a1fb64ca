"""What says who and what the package is agrees with itself."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

import wotr_env
from wotr_env.play.plugins import version_of

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE).group(1) == PROJECT["version"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {PROJECT['version']}\n" in changes


def test_the_package_tells_its_version():
    assert wotr_env.__version__ == importlib.metadata.version("wotr-env")
    assert version_of("no-such-package") == "unknown"


def test_tests_install_what_every_extra_that_they_need_brings():
    extras = PROJECT["optional-dependencies"]
    tested = set(extras["test"])
    for name in ("learn", "data", "mcp", "onnx", "web"):
        assert set(extras[name]) <= tested, name


def test_playing_needs_no_torch():
    assert not any(each.startswith("torch") for each in PROJECT["dependencies"])


def test_links_between_pages_lead_somewhere():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    assert len(pages) > 30
    for page in pages:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", text):
            if "://" in target:
                continue
            path = (page.parent / target) if target else page
            assert path.exists(), f"{page.name}: {target}"
            if anchor and path.suffix == ".md":
                assert anchor[1:] in _anchors(path), f"{page.name}: {target}{anchor}"


def _anchors(page: Path) -> set[str]:
    """Of the headings, as hosting platforms name them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_cites_as_the_citation_file_does():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited = (ROOT / "README.md").read_text(encoding="utf-8").partition("```bibtex")[2].partition("```")[0]
    for field, key in (
        ("title", "title: "),
        ("author", "  - name: "),
        ("version", "version: "),
        ("license", "license: "),
    ):
        (known,) = [
            line.removeprefix(key).strip('"') for line in citation.splitlines() if line.startswith(key)
        ]
        assert f"  {field} = {{{known}}}," in cited or f"  {field} = {{{{{known}}}}}," in cited
