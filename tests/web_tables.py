"""Clients of the web table, for tests."""

from __future__ import annotations

import contextlib
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from starlette.testclient import TestClient

from tests.waiting import PATIENCE
from wotr_experiments.table.clocks import steady_time
from wotr_experiments.table.limits import Limits
from wotr_experiments.table.server import Settings, make_app

ADDRESS = "http://localhost"
SHORT = "first:max_turns=4"
PEOPLE = {"free_peoples": "person", "shadow": "person"}
_EARS = ThreadPoolExecutor(thread_name_prefix="ears")
"""Starlette's client waits for a message without an end."""


@contextlib.contextmanager
def server(folder, host="127.0.0.1", now=steady_time, workers=1, **limits):
    """A server in this process, with one process of bots or none; yields what asks it. ``now`` is the time
    of clocks."""
    limits = {"messages_per_second": 10_000.0, "tables_per_second": 1000.0, **limits}
    settings = Settings(folder, host, workers, Limits(**limits), now=now)
    with TestClient(make_app(settings), base_url=ADDRESS) as asks:
        yield asks


def open_table(asks, seats=PEOPLE, ruleset=SHORT, **more):
    """A new table: its id, and tokens by seat and ``watch``."""
    answer = asks.post("/api/tables", json={"ruleset": ruleset, "seats": seats, **more})
    assert answer.status_code == 201, answer.text
    found = answer.json()
    return found["table"], {**found["tokens"], "watch": found["watch"]}


def table_of(asks, table, tokens):
    """A table as the server has it."""
    found, _ = asks.portal.call(asks.app.state.tables.find, table, next(iter(tokens.values())))
    return found


class Person:
    """Somebody connected to a table."""

    def __init__(self, socket, seat=None):
        self.socket = socket
        self.seat = seat
        self.state = None
        self.told = []
        self.events = []
        self.errors = []

    def say(self, kind, **fields):
        self.socket.send_json({"type": kind, "v": 1, **fields})

    def hear(self, kind=None):
        """The next message, or the next of a type; states are kept."""
        while True:
            message = self._next()
            if message["type"] == "state":
                assert "v" in message
                self.state = message
                self.told = [each for each in self.told if each["number"] <= message["after"]]
                self.told += message["told"]
                self.events += message["events"]
            if message["type"] == "error":
                self.errors.append(message)
            if kind is None or message["type"] == kind:
                return message

    def _next(self):
        coming = _EARS.submit(self.socket.receive_json)
        try:
            return coming.result(PATIENCE)
        except TimeoutError:
            raise AssertionError(f"nothing comes any more; errors: {self.errors}") from None

    def until(self, wanted):
        """Hears states until one is as wanted."""
        while not wanted(self.state):
            self.hear("state")
        return self.state

    def at(self, number):
        """Hears states until the table has come so far."""
        return self.until(lambda state: state is not None and state["number"] >= number)

    def act(self, *actions, digits=None):
        self.say("act", hash=digits or self.state["hash"], actions=list(actions))

    def decides(self):
        question = self.state["question"]
        return question is not None and question["seat"] == self.seat

    def play_on(self, rng, most=10_000):
        """Plays random legal choices, one by one, to the end; waits for the others."""
        for _ in range(most):
            self.until(lambda state: state["result"] or self.decides())
            if self.state["result"]:
                return
            number = self.state["number"]
            self.act(rng.choice(self.state["legal"])["id"])
            self.at(number + 1)


@contextlib.contextmanager
def sit(asks, table, tokens, seat, after=None):
    """A person at a seat, or looking on as ``watch``, who has heard the first state."""
    with asks.websocket_connect("ws://localhost/ws") as socket:
        person = Person(socket, None if seat == "watch" else seat)
        person.say("hello", table=table, token=tokens[seat], after=after)
        person.hear("state")
        yield person


def play_alternately(people, rng, most=10_000):
    """Lets people play random choices in turn, with equal states at all; until the end or so many."""
    for _ in range(most):
        if people[0].state["result"]:
            return
        asked = people[0].state["question"]["seat"]
        number = people[0].state["number"]
        person = next(each for each in people if each.seat == asked)
        person.act(random.Random(rng.random()).choice(person.state["legal"])["id"])
        for each in people:
            each.at(number + 1)
