"""A view of a position: in a notebook a drawn map with its words, elsewhere text, SVG or pixels."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import numpy as np

from wotr_env.games.war_of_the_ring.picture import picture
from wotr_env.games.war_of_the_ring.render.drawing import draw_picture, map_words, panel_lines, text_of
from wotr_env.games.war_of_the_ring.render.svg import svg_map

_PANEL = "font:12px/1.35 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap;margin:0.5em 0"


class View:
    """A position from the view of a viewer; it contains no other data of the game.

    Args:
        state: one record of dtype ``STATE``.
        viewer: a seat, ``PUBLIC`` for public information, None for all hands.

    Raises:
        ValueError: ``viewer`` is none of these.
    """

    __slots__ = ("shown",)

    def __init__(self, state: np.record, viewer: int | None) -> None:
        self.shown: dict[str, Any] = picture(state, viewer)
        """The position as plain data (``picture``)."""

    @property
    def svg(self) -> str:
        """The map as an SVG element."""
        return svg_map(self.shown, map_words)

    @property
    def html(self) -> str:
        """The map with all other information in words below it, as a self-contained HTML element."""
        title, *lines = panel_lines(self.shown)
        words = html.escape("\n".join(lines))
        return (
            f"<div><div><b>{html.escape(title)}</b></div>{self.svg}<pre style='{_PANEL}'>{words}</pre></div>"
        )

    @property
    def text(self) -> str:
        """The position as lines of text."""
        return text_of(self.shown)

    @property
    def image(self) -> np.ndarray:
        """The map with panels as pixels: ``uint8[height, width, 3]``."""
        return np.asarray(draw_picture(self.shown)).copy()

    def save(self, path: str | Path) -> None:
        """Writes a file in the format of its ending ``.svg``, ``.html``, ``.png`` or ``.txt``; an existing
        file is replaced.

        Raises:
            ValueError: the file has another ending.
            OSError: the file cannot be written.
        """
        path = Path(path)
        texts = {".svg": "svg", ".html": "html", ".txt": "text"}
        if path.suffix == ".png":
            draw_picture(self.shown).save(path)
        elif path.suffix in texts:
            path.write_text(getattr(self, texts[path.suffix]) + "\n", encoding="utf-8")
        else:
            raise ValueError(f"a view is saved as .svg, .html, .png or .txt, not as {path.name!r}")

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<View of turn {self.shown['turn']}>"
