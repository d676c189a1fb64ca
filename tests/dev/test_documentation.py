"""The generated pages in docs/ are up to date."""

from __future__ import annotations

import pytest

from wotr_experiments.dev.documentation import DOCS, PAGES


@pytest.mark.parametrize("name", sorted(PAGES))
def test_pages_are_up_to_date(name):
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run python -m wotr_experiments.dev.documentation"
