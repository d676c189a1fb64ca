"""``wotr serve`` as a process: what was answered outlives kill -9, and errors are one line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import urllib.request

import pytest

pytest.importorskip("uvicorn", reason="needs the extra web")

import websockets.sync.client

from tests.browsers import new_page
from tests.table.forked_server import serve
from tests.table.pages import is_idle, wait_until
from wotr_experiments.cli import main as cli
from wotr_experiments.isolation.children import process_context
from wotr_experiments.table.server import Settings, make_app
from wotr_experiments.table.store import FILE
from wotr_experiments.table.workers import Workers

PEOPLE = {"free_peoples": "person", "shadow": "person"}
MOST_ANSWERS = 25
"""Between the start of a server and its end."""
PATIENCE = 60.0
"""Seconds for a server to answer, or to end with its processes; a test fails that waits for longer."""
COMPILING = 300.0
"""Seconds for a server to start, with the compiling it may wait for."""


@contextlib.contextmanager
def serving(folder):
    """``wotr serve`` in a process, killed at the end: its port, what kills it, and how it ended.

    No process that it started outlives it: the end of its standard error, which they hold, must come.
    """
    command = [sys.executable, "-m", "wotr_experiments.cli.main", "serve", "--port", "0", "--workers", "1"]
    process = subprocess.Popen([*command, "--folder", str(folder)], stderr=subprocess.PIPE, text=True)
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read():
        with process.stderr:
            for line in process.stderr:
                lines.put(line)
        lines.put("")

    threading.Thread(target=read, daemon=True).start()
    try:
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/", line := lines.get(timeout=COMPILING))):
            assert line, "it does not serve"
        yield int(found[1]), process.kill, process.wait
    finally:
        process.kill()
        process.wait()
    said = list(iter(lambda: lines.get(timeout=PATIENCE), ""))  # multiprocessing says something of kill -9
    assert not [line for line in said if "resource_tracker" not in line and "warnings.warn" not in line]


@contextlib.contextmanager
def serving_forked(folder, port=0):
    """The same of a process that has everything loaded: it serves at once, people only, at a free port or
    this one."""
    context = process_context("tests.table.forked_server")
    with socket.create_server(("127.0.0.1", port)) as listening:
        port = listening.getsockname()[1]
        process = context.Process(target=serve, args=(str(folder), listening))
        process.start()
        assert ask(port, "/api/tables")  # the child has the socket now

    def ended():
        process.join()
        return process.exitcode

    try:
        yield port, process.kill, ended
    finally:
        process.kill()
        process.join()


def ask(port, path, body=None, token=""):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.read().decode()


def play_until_killed(port, table, tokens, rng, kill, ended):
    """Plays random choices of all seats until the server is killed at some moment: what was answered."""
    answered = []
    last, moment = rng.randint(5, MOST_ANSWERS), rng.uniform(0.0, 0.05)
    with contextlib.suppress(websockets.exceptions.ConnectionClosed), contextlib.ExitStack() as stack:
        sockets, states = {}, {}
        for seat, token in tokens.items():
            connection = websockets.sync.client.connect(f"ws://127.0.0.1:{port}/ws", max_size=None)
            sockets[seat] = stack.enter_context(connection)
            sockets[seat].send(json.dumps({"type": "hello", "v": 1, "table": table, "token": token}))
            states[seat] = json.loads(sockets[seat].recv(PATIENCE))
        number = states[seat]["number"]
        while True:
            if len(answered) == last:
                threading.Timer(moment, kill).start()
            for seat, connection in sockets.items():
                while states[seat]["number"] < number:
                    states[seat] = json.loads(connection.recv(PATIENCE))
                    assert states[seat]["type"] == "state"
            asked = states[seat]["question"]["seat"]
            action = rng.choice(states[asked]["legal"])["id"]
            message = {"type": "act", "v": 1, "hash": states[asked]["hash"], "actions": [action]}
            sockets[asked].send(json.dumps(message))
            while states[asked]["number"] == number:
                states[asked] = json.loads(sockets[asked].recv(PATIENCE))
                assert states[asked]["type"] == "state", states[asked]
            answered.append((number, action))
            number += 1
    assert len(answered) >= last, "the server ended before it was killed"
    assert ended() == -signal.SIGKILL
    return answered


def number_of(port, table, tokens):
    """The number of actions that a table tells, which has replayed them."""
    token = next(iter(tokens.values()))
    with websockets.sync.client.connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as connection:
        connection.send(json.dumps({"type": "hello", "v": 1, "table": table, "token": token}))
        return json.loads(connection.recv(PATIENCE))["number"]


def actions_of(folder, table):
    """The actions of a table in the file."""
    with contextlib.closing(sqlite3.connect(folder / FILE)) as connection:
        rows = connection.execute("SELECT action FROM actions WHERE table_id = ? ORDER BY number", (table,))
        return [action for (action,) in rows]


def kill_and_look(folder, serving, kills, seed):
    """Each server must know, when it starts, all that the one before it answered."""
    rng = random.Random(seed)
    known: dict[int, int] = {}
    table, tokens = "", {}
    for killed in range(kills + 1):
        with serving(folder) as (port, kill, ended):
            if not table:
                wanted = {"seats": PEOPLE, "study": True, "ruleset": "first"}
                opened = json.loads(ask(port, "/api/tables", wanted))
                table, tokens = opened["table"], opened["tokens"]
            number, actions = number_of(port, table, tokens), actions_of(folder, table)
            assert len(actions) == number
            assert all(actions[place] == action for place, action in known.items())
            assert number <= len(known) + killed  # one each time may not have been answered
            if killed < kills:
                known.update(play_until_killed(port, table, tokens, rng, kill, ended))
    assert len(known) >= 5 * kills


def test_no_answered_action_is_lost_by_kill_9(tmp_path):
    kill_and_look(tmp_path, serving, 1, 1)


def test_no_answered_action_is_lost_by_kill_9_five_times(tmp_path):
    kill_and_look(tmp_path, serving_forked, 5, 2)


def test_a_resignation_that_was_told_outlives_kill_9(tmp_path):
    with serving_forked(tmp_path) as (port, kill, ended):
        opened = json.loads(ask(port, "/api/tables", {"seats": PEOPLE, "ruleset": "first"}))
        hello = {"type": "hello", "v": 1, "table": opened["table"], "token": opened["tokens"]["shadow"]}
        with websockets.sync.client.connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as connection:
            connection.send(json.dumps(hello))
            connection.recv(PATIENCE)
            connection.send(json.dumps({"type": "resign", "v": 1}))
            while (told := json.loads(connection.recv(PATIENCE)))["result"] is None:
                pass
            kill()
        assert ended() == -signal.SIGKILL
    with serving_forked(tmp_path) as (port, _, _):
        record = json.loads(ask(port, f"/api/tables/{opened['table']}/record", None, hello["token"]))
        assert record["ended"] == {"reason": "resigned", "seat": "shadow"}
        assert told["result"]["seats"] == ["free_peoples"]


def test_a_server_that_is_cancelled_ends_the_processes_of_bots(tmp_path, monkeypatch):
    """As by Ctrl-C; a process started by ``multiprocessing`` would wait for them forever."""
    closed: list[Workers] = []
    monkeypatch.setattr(Workers, "close", lambda self: closed.append(self))
    app = make_app(Settings(tmp_path, workers=0, prepare=False))

    async def serve_until_cancelled():
        async with app.router.lifespan_context(app):
            asyncio.current_task().cancel()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(serve_until_cancelled())
    assert len(closed) == 1


def fail(capsys, *arguments):
    assert cli.main(["serve", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_errors_of_the_command_are_one_line(tmp_path, capsys, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} of 127.0.0.1 is taken" in fail(capsys, "--port", str(port))
    assert "no address" in fail(capsys, "--host", "no.such.address.invalid", "--port", "0")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install '.[web]' in a clone of wotr-env" in fail(capsys)


def test_a_page_outlives_kill_9(tmp_path, browser):
    page = new_page(browser)
    question, answers = page.locator("#question"), page.locator("#act button.answer")
    lost = question.get_by_text("The connection is lost")
    with serving_forked(tmp_path) as (port, kill, ended):
        opened = json.loads(ask(port, "/api/tables", {"seats": PEOPLE, "ruleset": "first", "seed": 4}))
        page.goto(f"http://127.0.0.1:{port}/table/{opened['table']}#{opened['tokens']['free_peoples']}")
        answers.first.wait_for()
        asked = question.inner_text()
        kill()
        lost.wait_for()
        assert ended() == -signal.SIGKILL
    with serving_forked(tmp_path, port):
        lost.wait_for(state="detached")
        assert question.inner_text() == asked
        wait_until(page, lambda: is_idle(page), "a painted question")
        answers.first.click()
        wait_until(page, lambda: actions_of(tmp_path, opened["table"]), "an answer")
    page.close()
