"""Bots that attack whoever asks them are known to all tests of isolation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import hostile_bots, toy_bots


@pytest.fixture(scope="module", autouse=True)
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The hostile bots and the toys."""
    with pytest.MonkeyPatch.context() as patch:
        hostile_bots.install(tmp_path_factory.mktemp("hostile"), patch)
        yield
    toy_bots.forget()
