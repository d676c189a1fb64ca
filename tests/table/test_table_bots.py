"""Bots that fail at the web table: their people are told, and everybody else plays on."""

from __future__ import annotations

import asyncio
import os
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.clocks import LONG, HandClock
from tests.toy_bots import forget
from tests.web_tables import open_table, server, sit
from wotr_agents.registry import bot_plugins
from wotr_env import GameRecord
from wotr_env.play.plugins import package_version
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.table import bot_process, workers
from wotr_experiments.table.limits import Limits
from wotr_experiments.table.workers import BotFailed, Workers

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """``bad`` is among the bots."""
    tmp_path = tmp_path_factory.mktemp("bots")
    package = tmp_path / "bad-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[wotr.bots]\nbad = tests.table.bad_bots:BAD\n")
    paths = [str(tmp_path), *(str(ROOT / name) for name in ("", "agents", "experiments", "benchmarks"))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*paths, *sys.path])
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        forget()
        yield
        assert not bot_plugins.cache_info().currsize  # nothing of others was loaded in the server's process
    forget()


@pytest.fixture(scope="module")
def asks(tmp_path_factory, installed):
    """A server whose bots have minutes, as they have by default."""
    with server(tmp_path_factory.mktemp("tables")) as asks:
        yield asks


@pytest.fixture
def hasty(tmp_path, installed):
    """A server with little time, for a bot that uses it up anyway."""
    with server(tmp_path / "tables", think_seconds=2.0) as asks:
        yield asks


@pytest.mark.parametrize("how", ["raises", "hangs", "dies", "cheats"])
def test_a_bot_that_fails_is_started_anew_once_and_then_stuck(request, how):
    asks = request.getfixturevalue("hasty" if how == "hangs" else "asks")
    wanted = {"free_peoples": "person", "shadow": f"bad:how={how}"}
    table, tokens = open_table(asks, wanted, seed=1)  # the bot is asked after the person, who hears it fail
    with sit(asks, table, tokens, "free_peoples") as person:
        while len(person.errors) < 2:
            if person.decides():
                person.act(person.state["legal"][0]["id"])
            person.hear()
        assert [each["code"] for each in person.errors] == ["bot", "bot"]
        assert "restarted" in person.errors[0]["text"] and "stuck" in person.errors[1]["text"]
        assert not any("\n" in each["text"] for each in person.errors)
        person.until(lambda state: not state["seats"][1]["here"])


@pytest.mark.parametrize("how", ["raises", "hangs", "dies", "cheats"])
def test_a_bot_that_fails_once_plays_on(asks, tmp_path, monkeypatch, how):
    """The time is short only for the question at which it hangs."""
    once, minutes = tmp_path / "once", Limits.think_seconds
    short = property(lambda _: minutes if how != "hangs" or once.exists() else 2.0)
    monkeypatch.setattr(Workers, "_seconds", short, raising=False)
    wanted = {"free_peoples": f"bad:how={how},once={once}", "shadow": "person"}
    table, tokens = open_table(asks, wanted, "first:max_turns=1")
    with sit(asks, table, tokens, "shadow") as person:
        person.play_on(random.Random(1))
        assert [each["code"] for each in person.errors] == ["bot"] and person.state["result"]
        assert all(seat["here"] for seat in person.state["seats"])


def test_an_answer_that_came_in_time_counts_though_the_server_was_held_up():
    """Another table holds up the event loop, from before the answer until the time of the bot is over."""
    clock, asked = HandClock(), threading.Event()

    async def call(pool):
        loop = asyncio.get_running_loop()
        loop.time = clock
        process = object.__new__(workers._Process)
        process._pool, process._pid = pool, loop.create_future()
        process._pid.set_result(0)

        def held_up():
            asked.set()
            pool.submit(str).result()  # the only thread has given its answer before
            clock.move(LONG)

        def answer():
            loop.call_soon_threadsafe(held_up)
            asked.wait()
            return "in time"

        return await process.call(answer, (), LONG / 2)

    with ThreadPoolExecutor(1) as pool:
        assert asyncio.run(call(pool)) == "in time"


@pytest.mark.parametrize(("slow", "limit"), [(bot_process.preload_bot, 60), (bot_process.review, 10)])
def test_who_does_not_answer_in_time_is_told_with_the_limit_that_it_had(slow, limit):
    class Process:
        async def call(self, function, arguments, seconds):
            if function is slow:
                raise TimeoutError

        def kill(self):
            pass

    async def call():
        made = Workers(0, 10.0, Isolation("none"))
        made.closed = True  # no process is started for the one that failed
        made._free.put_nowait(Process())
        await made.call(bot_process.review, "duel", "random")

    with pytest.raises(BotFailed, match=f"^it did not answer in {limit} seconds$"):
        asyncio.run(call())


def test_a_bot_that_tells_no_values_gives_a_hint_without_them(asks, tmp_path):
    fine = tmp_path / "fine"
    fine.touch()
    table, tokens = open_table(asks, seed=1)
    with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
        actor = free if free.decides() else shadow
        actor.say("hint", hash=actor.state["hash"], bot=f"bad:once={fine}")
        (only,) = actor.hear("hint")["actions"]
        assert only["value"] is None and only["id"] == actor.state["legal"][0]["id"]


def test_what_died_is_told_as_its_own_process(asks):
    table, tokens = open_table(asks, {"free_peoples": "bad:how=dies", "shadow": "person"})
    with sit(asks, table, tokens, "shadow") as person:
        while not person.errors:
            person.hear()
    words = "bot bad:how=dies failed: its process ended with exit code 3; it is restarted"
    assert words in person.errors[0]["text"]


def test_a_bot_of_another_package_is_listed_and_checked(asks):
    bots = asks.get("/api/options").json()["games"]["war-of-the-ring"]["bots"]
    (bad,) = [bot for bot in bots if bot["name"] == "bad"]
    assert (bad["summary"], bad["chances"]) == ("for tests", False)
    assert [each["name"] for each in bad["parameters"]] == ["how", "once"]
    wanted = {"ruleset": "first", "seats": {"free_peoples": "worse", "shadow": "person"}}
    refused = asks.post("/api/tables", json=wanted)
    assert refused.status_code == 400
    assert refused.json()["error"].startswith("unknown bot 'worse'; known: random, ")


def test_a_page_starts_no_program(asks):
    bots = asks.get("/api/options").json()["games"]["war-of-the-ring"]["bots"]
    assert "stdio" not in [bot["name"] for bot in bots]
    wanted = {"ruleset": "first", "seats": {"free_peoples": "stdio:touch pwned", "shadow": "person"}}
    refused = asks.post("/api/tables", json=wanted)
    assert refused.status_code == 400 and "unknown bot 'stdio'" in refused.json()["error"]


def test_a_record_tells_what_each_bot_was(asks, tmp_path):
    once = tmp_path / "once"
    once.write_text("")
    wanted = {"free_peoples": f"bad:once={once}", "shadow": "random"}
    table, tokens = open_table(asks, wanted, "first:max_turns=1")
    with sit(asks, table, tokens, "watch") as watcher:
        watcher.until(lambda state: state["result"])
    answer = asks.get(f"/api/tables/{table}/record", headers={"authorization": f"Bearer {tokens['watch']}"})
    record = GameRecord.from_json(answer.text)
    assert record.identities == ("bad 1.0", package_version())
    record.verify()
