"""``wotr serve`` as a process: what was answered outlives kill -9, and errors are one line."""

from __future__ import annotations

import contextlib
import json
import random
import re
import subprocess
import sys
import threading
import urllib.request

import pytest

pytest.importorskip("uvicorn", reason="needs the extra web")

import websockets.sync.client

from wotr_env import GameRecord
from wotr_experiments.cli import main as cli

PEOPLE = {"free_peoples": "person", "shadow": "person"}


@contextlib.contextmanager
def serving(folder):
    """A server in a process of its own, killed at the end: its process and the number of its port."""
    command = [sys.executable, "-m", "wotr_experiments.cli.main", "serve", "--port", "0", "--workers", "1"]
    process = subprocess.Popen([*command, "--folder", str(folder)], stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                yield process, int(found[1])
                break
        else:
            raise AssertionError("it does not serve")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def ask(port, path, body=None, token=""):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def play_until_killed(port, table, tokens, rng, seconds, process):
    """Plays random choices of all seats until the process is killed: the actions that were answered."""
    threading.Timer(seconds, process.kill).start()
    answered = []
    with contextlib.suppress(websockets.exceptions.ConnectionClosed), contextlib.ExitStack() as stack:
        sockets, states = {}, {}
        for seat, token in tokens.items():
            connection = websockets.sync.client.connect(f"ws://127.0.0.1:{port}/ws", max_size=None)
            sockets[seat] = stack.enter_context(connection)
            sockets[seat].send(json.dumps({"type": "hello", "v": 1, "table": table, "token": token}))
        number = None
        while True:
            for seat, socket in sockets.items():
                while seat not in states or (number is not None and states[seat]["number"] < number):
                    states[seat] = json.loads(socket.recv())
                    assert states[seat]["type"] == "state"
            asked = next(iter(states.values()))["question"]["seat"]
            number = states[asked]["number"]
            action = rng.choice(states[asked]["legal"])["id"]
            message = {"type": "act", "v": 1, "hash": states[asked]["hash"], "actions": [action]}
            sockets[asked].send(json.dumps(message))
            while states[asked]["number"] == number:
                states[asked] = json.loads(sockets[asked].recv())
                assert states[asked]["type"] == "state", states[asked]
            answered.append((number, action))
            number += 1
    return answered


def kill_and_look(folder, kills, seed):
    rng = random.Random(seed)
    with serving(folder) as (_, port):
        wanted = {"seats": PEOPLE, "study": True, "ruleset": "first"}
        opened = json.loads(ask(port, "/api/tables", wanted))
    table, tokens = opened["table"], opened["tokens"]
    known: dict[int, int] = {}
    for _ in range(kills):
        with serving(folder) as (process, port):
            for number, action in play_until_killed(port, table, tokens, rng, rng.uniform(0.2, 1.2), process):
                known[number] = action
        with serving(folder) as (_, port):
            record = GameRecord.from_json(ask(port, f"/api/tables/{table}/record", token=opened["watch"]))
        assert all(record.actions[number] == action for number, action in known.items())
        assert len(record.actions) <= len(known) + 1 + kills  # one each time may not have been answered
        record.verify()
    assert len(known) > 5 * kills


def test_no_answered_action_is_lost_by_kill_9(tmp_path):
    kill_and_look(tmp_path, 5, 1)


@pytest.mark.slow
def test_no_answered_action_is_lost_by_kill_9_twenty_times(tmp_path):
    kill_and_look(tmp_path, 20, 2)


def fail(capsys, *arguments):
    assert cli.main(["serve", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_errors_of_the_command_are_one_line(tmp_path, capsys, monkeypatch):
    with serving(tmp_path / "tables") as (_, port):
        assert f"port {port} of 127.0.0.1 is taken" in fail(capsys, "--port", str(port))
    assert "no address" in fail(capsys, "--host", "no.such.address.invalid", "--port", "0")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install 'wotr-env[web]'" in fail(capsys)
