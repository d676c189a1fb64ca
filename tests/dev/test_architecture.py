"""The picture of the architecture shows every room, and the imports that there are."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from tests.tools import architecture
from tests.tools.layers import PACKAGES, PLACES, ROOMS, rooms_imported


def test_every_package_and_room_is_shown():
    root = ElementTree.fromstring(architecture.svg())
    texts = {"".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert texts >= {", ".join(row.split()) for row in ROOMS} | PACKAGES.keys()


def test_arcs_and_what_follows_from_them_are_the_imports():
    reached: dict[int, set[int]] = {row: set() for row in range(len(ROOMS))}
    for row, below in sorted(architecture.imports_shown()):
        assert below < row
        reached[row] |= {below} | reached[below]
    direct = {(PLACES[room], PLACES[other]) for room, below in rooms_imported().items() for other in below}
    assert all(other == row or other in reached[row] for row, other in direct)
    assert set(architecture.imports_shown()) <= direct


def test_it_follows_the_scheme_of_the_reader():
    assert "prefers-color-scheme: dark" in architecture.svg()
