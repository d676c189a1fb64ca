"""The bots of other packages are listed without loading one of them."""

from __future__ import annotations

import json
import sys

import pytest

from wotr_agents.registry import bot_plugins, built_in_kinds
from wotr_experiments.isolation import listing
from wotr_experiments.isolation.bots import Isolation

GOOD = {"bot": "mine", "summary": "a\x1b[2J b", "games": None, "parameters": [], "values": "v"}


def test_they_are_listed_as_they_list_themselves():
    bot_plugins.cache_clear()
    told = listing.listed_bots(Isolation())
    assert not bot_plugins.cache_info().currsize
    assert list(told)[: len(built_in_kinds())] == list(built_in_kinds())
    assert {"hostile", "oracle", "book"} < set(told)
    assert told == listing.listed_bots(Isolation("none"))


@pytest.mark.parametrize(
    "wrong",
    [b"", b"{", b"3", b"[3]", b"[" * 100_000, json.dumps([GOOD, {**GOOD, "games": 3}]).encode(), b"\xff"],
)
def test_nonsense_lists_nothing(monkeypatch, wrong):
    monkeypatch.setattr(listing, "_described_by_another_process", lambda: wrong)
    assert set(listing.listed_bots(Isolation())) == set(built_in_kinds())


def test_what_is_told_is_printable_and_takes_no_name(monkeypatch):
    told = json.dumps([GOOD, {**GOOD, "bot": "random"}]).encode()
    monkeypatch.setattr(listing, "_described_by_another_process", lambda: told)
    found = listing.listed_bots(Isolation())
    assert found["mine"].summary.isprintable()
    assert found["random"].summary == built_in_kinds()["random"].summary


def test_a_package_that_hangs_when_it_is_loaded_is_given_up(monkeypatch):
    monkeypatch.setattr(listing, "_MOST_SECONDS", 0.2)
    monkeypatch.setattr(listing, "_COMMAND", (sys.executable, "-S", "-c", "import time; time.sleep(60)"))
    assert set(listing.listed_bots(Isolation())) == set(built_in_kinds())
