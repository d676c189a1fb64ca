"""What all tests need, first of all this checkout's packages in the processes they start."""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browsers import chromium as chromium

_ROOT = Path(__file__).parents[1]
_PACKAGES = (_ROOT, _ROOT / "agents", _ROOT / "experiments", _ROOT / "benchmarks")

os.environ.pop("COLUMNS", None)  # which workers of pytest-xdist have
os.environ["PYTHONPATH"] = os.pathsep.join(map(str, _PACKAGES))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collects tests without the garbage collector, which would visit modules and tests again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()  # modules and tests live until the end


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, and those of rules last: at the end no worker waits long for the
    others."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path not in slow, item.path.parent.name == "rules"))


@pytest.fixture(scope="session", autouse=True)
def loaded_once() -> Iterator[None]:
    """Processes of bots come from one nursery in all tests, and other children from one process."""
    from wotr_experiments.isolation.children import PRELOADED
    from wotr_experiments.isolation.nursery import nursery

    PRELOADED.append("wotr_experiments.table.loaded")
    with nursery():
        yield


@pytest.fixture(autouse=True)
def same_games(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games without a given seed are the same each time a test runs, and others for each test, unless another
    process begins them."""
    from wotr_experiments import chance

    monkeypatch.setattr(chance, "GENERATOR", random.Random(request.node.nodeid))


@pytest.fixture
def toys(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy games and the bots for them are known (``tests.toy_bots``)."""
    from tests import toy_bots

    toy_bots.install(tmp_path_factory.mktemp("toys"), monkeypatch)
    yield
    monkeypatch.undo()
    toy_bots.forget()


@pytest.fixture
def bots(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Bots that misbehave are known (``tests.arena_bots``)."""
    from tests import arena_bots
    from wotr_agents.registry import bot_plugins

    arena_bots.install(tmp_path_factory.mktemp("bots"), monkeypatch)
    yield
    monkeypatch.undo()
    bot_plugins.cache_clear()
