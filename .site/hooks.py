"""Of the site alone: pages of what lies outside of docs/ or is no Markdown, and links to them.

Example programs become pages with their code, notebooks pages with their cells; cards of networks, the README
and its like are pages as they stand. A link to any other file is told as its name.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parents[1]
FENCES = {".py": "python", ".js": "javascript", ".toml": "toml"}
ZOO = "agents/wotr_agents/zoo"

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def _programs() -> Iterator[Path]:
    for folder in ("docs/examples", "docs/protocol"):
        yield from sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in FENCES)


def _code_page(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return f"# {path.name}\n\n`{_place(path)}`\n\n````{FENCES[path.suffix]}\n{text.rstrip()}\n````\n"


def _notebook_page(path: Path) -> str:
    """The cells without what they print, which the files do not keep."""
    parts = [f"`{_place(path)}`, to be opened in Jupyter; here are its cells."]
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"````python\n{text}\n````")
    title = next((part for part in parts if part.startswith("# ")), None)
    if title:
        parts.remove(title)
        parts.insert(0, title)
    return "\n\n".join(parts) + "\n"


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _pages() -> dict[str, tuple[str, str]]:
    """The further pages: their addresses and texts by the places of their sources in the repository."""
    pages = {}
    for path in _programs():
        place = _place(path)
        pages[place] = f"{place.removeprefix('docs/')}.md", _code_page(path)
    for path in sorted((ROOT / "docs").glob("*.ipynb")):
        pages[_place(path)] = f"notebooks/{path.name}.md", _notebook_page(path)
    for path in sorted((ROOT / ZOO).glob("*.md")):
        pages[_place(path)] = f"zoo/{path.name}", path.read_text(encoding="utf-8")
    for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY"):
        pages[f"{name}.md"] = f"{name.lower()}.md", (ROOT / f"{name}.md").read_text(encoding="utf-8")
    return pages


PAGES = _pages()
PLOT = "benchmarks/throughput.svg"
ADDRESSES = {place: address for place, (address, _) in PAGES.items()} | {PLOT: "throughput.svg"}
"""The addresses of what is further on the site by its place in the repository."""
SOURCES = {address: place for place, address in ADDRESSES.items()}


def on_files(files: Files, config: Any) -> Files:
    """Adds the further pages, and the picture outside of docs/ that one shows."""
    for address, text in PAGES.values():
        files.append(File.generated(config, address, content=text, inclusion=InclusionLevel.NOT_IN_NAV))
    files.append(File.generated(config, ADDRESSES[PLOT], abs_src_path=str(ROOT / PLOT)))
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """A link leads to the page of what it names, or becomes words and where the file lies."""
    address = page.file.src_uri
    source = SOURCES.get(address, f"docs/{address}")

    def told(found: re.Match[str]) -> str:
        picture, words, target, anchor = found.groups(default="")
        if "://" in target or target.startswith("mailto:"):
            return found[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        known = ADDRESSES.get(place, place.removeprefix("docs/") if place.startswith("docs/") else "")
        if files.get_file_from_path(known):
            return (
                f"{picture}[{words}]({posixpath.relpath(known, posixpath.dirname(address) or '.')}{anchor})"
            )
        return words if words.strip("`") in place else f"{words} (`{place}`)"

    pieces, end = [], 0
    for fence in [*_FENCE.finditer(markdown), None]:
        start = fence.start() if fence else len(markdown)
        pieces.append(_LINK.sub(told, markdown[end:start]))
        if fence:
            pieces.append(fence[0])
            end = fence.end()
    return "".join(pieces)
