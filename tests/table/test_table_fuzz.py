"""Whatever bytes a client sends, the server answers and goes on, and logs nothing; no log has a token."""

from __future__ import annotations

import json
import logging
import random
import string

import pytest
from starlette.websockets import WebSocketDisconnect

from tests.web_tables import PEOPLE, SHORT, open_table, server, sit

STRANGE = [
    None,
    True,
    -1,
    0,
    1,
    1e308,
    10**30,
    "",
    "\x00",
    "\ud800",
    "\U0001f409",
    "first",
    "first:max_turns=" + "9" * 40,
    "first:max_turns=-1",
    "first:players=0",
    "second:=,,=:",
    "scripted:x=" + "y" * 280,
    "net:../../etc/passwd",
    "public",
    "all",
    "person",
    "x" * 101,
    "x" * 3000,
    [],
    {},
    [[[]]],
    {"a": {"b": []}},
]


def mutated(value, rng):
    """JSON like this one, with something strange in it."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = rng.choice(list(value))
        kind = rng.random()
        if kind < 0.6:
            return value | {name: mutated(value[name], rng)}
        if kind < 0.75:
            return {other: value[other] for other in value if other != name}
        return value | {rng.choice(["more", "", "\ud800", "type", "v"]): rng.choice(STRANGE)}
    if isinstance(value, list) and value and rng.random() < 0.7:
        return [mutated(rng.choice(value), rng)] * rng.choice([1, 2, 70])
    return rng.choice(STRANGE)


def garbled(value, rng):
    """A text: mutated JSON, some of it cut or with a wrong character, or nothing of the kind."""
    text = json.dumps(mutated(value, rng), ensure_ascii=rng.random() < 0.7)
    text = text.encode("utf-8", "replace").decode()
    kind = rng.random()
    if kind < 0.1:
        return text[: rng.randrange(len(text) + 1)]
    if kind < 0.2:
        place = rng.randrange(len(text) + 1)
        return text[:place] + rng.choice(string.printable + "\x00\x7f\u2028\ufffe") + text[place + 1 :]
    if kind < 0.25:
        return "".join(chr(rng.randrange(1, 0xD800)) for _ in range(rng.randrange(50)))
    return text


def failures(caplog):
    """What is in the log besides notes for those who look for them."""
    return [each for each in caplog.records if each.levelno >= logging.WARNING or each.exc_info]


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    with server(tmp_path_factory.mktemp("tables"), host="0.0.0.0", tables=10_000) as asks:
        yield asks


def test_any_message_is_answered_or_ends_its_connection(asks, caplog):
    table, tokens = open_table(asks, study=True, chat="all")
    rng, ended = random.Random(1), 0
    with sit(asks, table, tokens, "free_peoples") as other:
        for number in range(40):
            with sit(asks, table, tokens, "shadow") as person:
                digits, legal = person.state["hash"], [each["id"] for each in person.state["legal"]] or [0]
                messages = [
                    {"type": "hello", "v": 1, "table": table, "token": tokens["shadow"], "after": 0},
                    {"type": "window", "v": 1, "form": "square"},
                    {"type": "act", "v": 1, "hash": digits, "actions": legal[:1]},
                    {"type": "undo", "v": 1, "hash": digits},
                    {"type": "hint", "v": 1, "hash": digits, "bot": "random"},
                    {"type": "choice_tree", "v": 1, "hash": digits},
                    {"type": "look", "v": 1, "number": 0, "eyes": "shadow", "after": 0},
                    {"type": "offer", "v": 1},
                    {"type": "answer", "v": 1, "proposal": 1, "agree": False},
                    {"type": "call", "v": 1, "name": "Ann"},
                    {"type": "say", "v": 1, "text": "hello"},
                ]
                try:
                    for _ in range(12):
                        person.socket.send_text(garbled(rng.choice(messages), rng))
                    if number % 10 == 0:
                        person.socket.send_bytes(rng.randbytes(20))
                    person.say("look", number=0)
                    person.hear("look")
                except WebSocketDisconnect:
                    ended += 1
                codes = {each["code"] for each in person.errors}
                assert "server" not in codes and "\n" not in "".join(each["text"] for each in person.errors)
        other.say("look", number=0)
        other.hear("look")
    assert ended
    assert not failures(caplog)


def test_any_first_message_is_answered(asks, caplog):
    table, tokens = open_table(asks)
    rng = random.Random(2)
    valid = {"type": "hello", "v": 1, "table": table, "token": tokens["watch"], "after": 0, "form": "wide"}
    for _ in range(60):
        with asks.websocket_connect("ws://localhost/ws") as socket:
            socket.send_text(garbled(valid, rng))
            answer = socket.receive_json()
            assert answer["type"] == "state" or answer["code"] in ("message", "table", "size")
    assert not failures(caplog)


def test_any_body_and_any_path_is_answered(asks, caplog):
    rng = random.Random(3)
    valid = {
        "ruleset": SHORT,
        "seats": PEOPLE | {"shadow": "random"},
        "seed": 1,
        "study": False,
        "watch": [{"view": "public", "delay": 1}],
        "pace": 0,
        "game": "war-of-the-ring",
        "clock": {"game": 60, "increment": 1},
        "chat": "seats",
        "lobby": ["free_peoples"],
    }
    headers = {"Content-Type": "application/json"}
    found = set()
    strange = [valid | {name: value} for name in valid for value in STRANGE]
    strange += [valid | {"seats": PEOPLE | {"shadow": value}} for value in STRANGE]
    strange += [valid | {"clock": {"game": value}, "study": False} for value in STRANGE]
    bodies = [json.dumps(each).encode() for each in strange]
    for body in bodies + [garbled(valid, rng).encode() for _ in range(150)]:
        answer = asks.post("/api/tables", content=body, headers=headers)
        assert answer.status_code in (201, 400, 413), (body, answer.text)
        found.add(answer.status_code)
        if answer.status_code == 400:
            assert "\n" not in answer.json()["error"]
    assert found >= {201, 400}
    for body in (b"\xff\xfe", b'{"seats": {"a": "\xed\xa0\x80"}}', b"\x00" * 100, b"[" * 10_000):
        assert asks.post("/api/tables", content=body, headers=headers).status_code == 400
    table, tokens = open_table(asks)
    token = {"Authorization": f"Bearer {tokens['shadow']}", **headers}
    for what, body in (("rematch", {"swap": False}), ("report", {"text": "x"}), ("join", {"seat": "shadow"})):
        bodies = [json.dumps({name: value}).encode() for name in body for value in STRANGE]
        for garbage in bodies + [garbled(body, rng).encode() for _ in range(20)]:
            answer = asks.post(f"/api/tables/{table}/{what}", content=garbage, headers=token)
            assert answer.status_code in (200, 400, 403, 413, 429), (what, garbage, answer.text)
            assert answer.status_code == 200 or "\n" not in answer.json()["error"]
    for path in ("%00", "%ED%A0%80", "..%2F..", "x" * 2000, "'%20OR%201=1"):
        assert asks.get(f"/api/tables/{path}/board").status_code == 404
        token = {"Authorization": b"Bearer \xff\x01"}
        assert asks.get(f"/api/tables/{path}/record", headers=token).status_code == 404
        assert asks.get(f"/api/tables?after={path}").status_code == 400
    for mark in ("1e999~x", "-inf~%00", "nan~", "1~" + "x" * 2000):
        assert asks.get(f"/api/tables?after={mark}").status_code == 200
    assert not failures(caplog)


def test_no_token_is_ever_logged(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    seats = {"free_peoples": "person", "shadow": "scripted"}
    with server(tmp_path) as asks:
        table, tokens = open_table(asks, seats, "first:max_turns=1")
        with sit(asks, table, tokens, "free_peoples") as person, sit(asks, table, tokens, "watch") as watcher:
            person.socket.send_text("nonsense")
            person.say("hello", table=table, token=tokens["free_peoples"])
            person.play_on(random.Random(1))
            watcher.until(lambda state: state["result"])
        for token in tokens.values():
            asks.get(f"/api/tables/{table}/record", headers={"Authorization": f"Bearer {token}"})
            asks.get(f"/api/tables/{table}/record", headers={"Authorization": f"Bearer {token}x"})
    assert caplog.records
    told = caplog.text + repr([(each.args, each.exc_text) for each in caplog.records])
    assert not [name for name, token in tokens.items() if token in told]
