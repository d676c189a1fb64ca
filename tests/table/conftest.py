"""What the tests of the page share: one server a module, and pages without errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browsers import browser as browser
from tests.browsers import new_page
from tests.waiting import PATIENCE


@pytest.fixture
def open_page(browser) -> Iterator[Callable[..., Any]]:
    """Opens a page; until the end of the test there may be no error, and no breach of the policy."""
    problems, contexts = [], []

    def open_page(url: str, **options: Any) -> Any:
        page = new_page(browser, **{"viewport": {"width": 1400, "height": 900}, **options})
        contexts.append(page.context)
        page.set_default_timeout(1000 * PATIENCE)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Any]:
    """The real server, in a thread of this process."""
    pytest.importorskip("starlette", reason="needs the extra web")
    pytest.importorskip("uvicorn", reason="needs the extra web")
    pytest.importorskip("websockets", reason="needs the extra web")
    from tests.tools.live_table import LiveServer

    with LiveServer(tmp_path_factory.mktemp("tables")).running() as server:
        yield server
