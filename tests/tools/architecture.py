"""The picture of packages, rooms and what they import, drawn from the sources: ``docs/architecture.svg``."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator

from tests.tools.layers import MAY_IMPORT, PACKAGES, PLACES, ROOMS, rooms_imported

_WIDTH = 900
_ROW = 25
_TOP = 132
_LEFT = 210
"""Where the names of rooms begin; arcs are to the left of it."""
_STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #2b2620; }
    .small { font-size: 11px; fill: #6d6356; }
    rect { fill: #faf5e9; stroke: #b9a888; }
    path { fill: none; stroke: #9a6a1f; stroke-opacity: .55; stroke-width: 1.2; }
    circle { fill: #9a6a1f; }
    @media (prefers-color-scheme: dark) {
      text { fill: #ece6da; }
      .small { fill: #b3a894; }
      rect { fill: #2d2a25; stroke: #6f6350; }
      path { stroke: #e0b060; }
      circle { fill: #e0b060; }
    }
"""


def svg() -> str:
    """The picture as an SVG file that follows the reader's light or dark scheme."""
    height = _TOP + _ROW * len(ROOMS) + 8
    parts = [*_packages(), *_arcs(), *_rooms()]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
            "<title>Packages, rooms of wotr_env, and what they import</title>",
            f"<style>{_STYLE}</style>",
            *parts,
            "</svg>",
            "",
        ]
    )


def imports_shown() -> list[tuple[int, int]]:
    """Rows that import from others, by their places from the bottom; what follows from others is left out."""
    direct: dict[int, set[int]] = {row: set() for row in range(len(ROOMS))}
    for room, others in rooms_imported().items():
        direct[PLACES[room]] |= {PLACES[other] for other in others} - {PLACES[room]}
    reached: dict[int, set[int]] = {}
    shown = []
    for row, below in sorted(direct.items()):
        further = set().union(*(reached[other] for other in below))
        reached[row] = below | further
        shown += [(row, other) for other in sorted(below - further)]
    return shown


def _packages() -> Iterator[str]:
    """Each package above those that it may import."""
    width = _WIDTH / len(PACKAGES)
    for place, package in enumerate(reversed(PACKAGES)):
        x = place * width
        below = [name for name in PACKAGES if name in MAY_IMPORT[package]]
        yield f'<rect x="{x + 6:.0f}" y="6" width="{width - 12:.0f}" height="62" rx="6"/>'
        yield f'<text x="{x + 18:.0f}" y="30">{package}</text>'
        words = f"imports {', '.join(below)}".replace("wotr_", "") if below else "imports none of these"
        yield f'<text class="small" x="{x + 18:.0f}" y="50">{words}</text>'
    yield f'<text x="{_LEFT}" y="100">Rooms of wotr_env</text>'
    words = (
        "each imports from those below it only; an arc goes to what it imports, unless other arcs lead there"
    )
    yield f'<text class="small" x="{_LEFT}" y="117">{words}</text>'


def _middle(row: int) -> float:
    return _TOP + _ROW * (len(ROOMS) - 1 - row) + _ROW / 2


def _arcs() -> Iterator[str]:
    for row, other in imports_shown():
        above, below = _middle(row) + 3, _middle(other) - 3
        bend = 14 + (below - above) * 0.32
        x, far = _LEFT - 12, max(4.0, _LEFT - 12 - bend * 1.3)
        yield f'<path d="M{x} {above:.1f}C{far:.1f} {above:.1f} {far:.1f} {below:.1f} {x} {below:.1f}"/>'
        yield f'<circle cx="{x}" cy="{below:.1f}" r="2.2"/>'


def _rooms() -> Iterator[str]:
    for row, names in enumerate(ROOMS):
        y = _middle(row)
        yield f'<rect x="{_LEFT - 8}" y="{y - 11:.1f}" width="{_WIDTH - _LEFT + 2}" height="22" rx="5"/>'
        yield f'<text x="{_LEFT}" y="{y + 4.5:.1f}">{", ".join(names.split())}</text>'
        if " " not in names:
            words = html.escape(_about(names))
            yield f'<text class="small" x="{_LEFT + 190}" y="{y + 4:.1f}">{words}</text>'


def _about(room: str) -> str:
    """The first sentence of the room's docstring."""
    folder = PACKAGES["wotr_env"] / room.replace(".", "/")
    if not folder.parent.exists() or room.startswith("war_of_the_ring."):
        folder = PACKAGES["wotr_env"] / "games" / room.replace(".", "/")
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    words = " ".join(text.split("\n\n")[0].split()).replace("``", "")
    first = words.partition(". ")[0].rstrip(".")
    return first if len(first) < 90 else re.split(r"[;:,] | \(", first)[0]
