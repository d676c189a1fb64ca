"""Of the site alone: links to files of the repository that are no pages are told as their names."""

from __future__ import annotations

import re
from typing import Any

_LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./|data\.ipynb|notebook\.ipynb|examples/|protocol/)[^)\s]*)\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A link out of the folder becomes the words of the link, and where the file lies."""

    def told(found: re.Match[str]) -> str:
        words, target = found.groups()
        path = target.partition("#")[0].removeprefix("../")
        return words if words.strip("`") in path else f"{words} (`{path}`)"

    return _LINK.sub(told, markdown)
