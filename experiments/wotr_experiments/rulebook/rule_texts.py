"""The rules in words, by their ids, from pages of ``docs/`` that installed packages also contain."""

from __future__ import annotations

import functools
import re
from pathlib import Path

_HERE = Path(__file__).parent
_CHECKOUT = _HERE.parents[2]
_FOLDER = _CHECKOUT / "docs" if (_CHECKOUT / "pyproject.toml").is_file() else _HERE
PAGE = _FOLDER / "rules.md"
PAGES_OF_GAMES = (_FOLDER / "duel.md", _FOLDER / "two-towers.md")

_RULE = re.compile(
    r"^ *- \**((?:R|D|TT)\d+(?:\.\d+)+)\** (.*(?:\n +(?! *- \**(?:R|D|TT)\d).*)*)", re.MULTILINE
)
_ROW = re.compile(r"^\| ((?:RU|RG|GX|R)\d+(?:\.\d+)*) \| (.*) \|$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@functools.cache
def rule_texts() -> dict[str, str]:
    """The text of every rule, ruling and example by its id, without marks of Markdown."""
    pages = (PAGE, *PAGES_OF_GAMES)
    return {name: text for page in pages for name, text in texts_of(page.read_text(encoding="utf-8")).items()}


def texts_of(page: str) -> dict[str, str]:
    """The texts of a page by id; the cells of a table row are joined with ``;``."""
    texts = {name: " ".join(text.split()) for name, text in _RULE.findall(page)}
    for name, cells in _ROW.findall(page):
        texts.setdefault(name, "; ".join(re.split(r" (?<!\\)\| ", cells)))
    return {name: _plain(text) for name, text in texts.items()}


def _plain(text: str) -> str:
    return re.sub(r"[*`]|\\(?=\|)", "", _LINK.sub(r"\1", text))
