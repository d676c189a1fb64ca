"""Bad messages, strangers, and limits of the web table."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import sqlite3

import pytest
from starlette.websockets import WebSocketDisconnect

from tests.clocks import HandClock
from tests.web_tables import PEOPLE, SHORT, Person, open_table, server, sit
from wotr_experiments.table.limits import Rate
from wotr_experiments.table.server import POLICY, is_local
from wotr_experiments.table.store import FILE, Store


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    with server(tmp_path_factory.mktemp("tables"), tables=8, connections_of_table=3) as asks:
        yield asks


@pytest.fixture(scope="module")
def opened(asks):
    return open_table(asks)


BAD = [
    "",
    "nonsense",
    "[]",
    "[" * 5000,
    '{"type": "act", "v": 1}',
    '{"type": "act", "v": 2, "hash": "x", "actions": [1]}',
    '{"type": "act", "v": 1, "hash": "x", "actions": []}',
    '{"type": "act", "v": 1, "hash": "x", "actions": [-1]}',
    '{"type": "act", "v": 1, "hash": "x", "actions": ["1"]}',
    '{"type": "act", "v": 1, "hash": "x", "actions": [1], "more": 1}',
    '{"type": "dance", "v": 1}',
    '{"type": "look", "v": 1, "number": 1e99}',
    '{"type": "window", "v": 1, "form": "round"}',
    json.dumps({"type": "act", "v": 1, "hash": "x", "actions": [1] * 65}),
]


@pytest.mark.parametrize("text", BAD)
def test_a_bad_message_is_told_in_one_line_and_nothing_happens(asks, opened, text):
    with sit(asks, *opened, "shadow") as person:
        person.socket.send_text(text)
        error = person.hear("error")
        assert error["code"] == "message"
        assert "\n" not in error["text"]
        person.say("look", number=0)
        assert person.hear("look")["number"] == 0


def test_a_question_for_a_sign_of_life_is_answered(asks, opened):
    with sit(asks, *opened, "watch") as person:
        person.say("beat")
        assert person.hear() == {"type": "beat", "v": 1}


def test_choices_that_may_not_be_made_are_refused(asks, opened):
    table, tokens = opened
    with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
        actor, other = (free, shadow) if free.decides() else (shadow, free)
        other.act(actor.state["legal"][0]["id"])
        assert other.hear("error")["code"] == "turn"
        legal = {each["id"] for each in actor.state["legal"]}
        for action in (next(n for n in range(400) if n not in legal), 10**6):
            actor.act(action)
            assert actor.hear("error")["code"] == "illegal"
        with sit(asks, table, tokens, "watch") as watcher:
            watcher.act(actor.state["legal"][0]["id"])
            assert watcher.hear("error")["code"] == "turn"
            watcher.say("undo", hash=watcher.state["hash"])
            assert watcher.hear("error")["code"] == "undo"


def refused(asks, first):
    """What a stranger is told before the connection is closed."""
    with asks.websocket_connect("ws://localhost/ws") as socket:
        socket.send_text(first)
        error = Person(socket).hear("error")
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert len(closed.value.reason.encode()) <= 123  # a close frame holds no more
        assert error["text"].startswith(closed.value.reason)
    return error["code"]


def test_strangers_learn_nothing(asks, opened):
    table, tokens = opened
    other, others = open_table(asks)
    for name, token in ((table, "x" * 22), ("none", tokens["shadow"]), (table, others["shadow"])):
        assert refused(asks, json.dumps({"type": "hello", "v": 1, "table": name, "token": token})) == "table"
    assert refused(asks, '{"type": "undo", "v": 1, "hash": "x"}') == "message"
    assert refused(asks, "x" * 20_000) == "size"
    hello = {"type": "hello", "v": 1, "table": table, "token": "x", "form": "ü" * 100}
    assert refused(asks, json.dumps(hello)) == "message"
    record = f"/api/tables/{other}/record"
    assert asks.get(record).status_code == 401
    assert asks.get(record, headers={"Authorization": f"Bearer {tokens['watch']}"}).status_code == 404
    assert asks.get(record, headers={"Authorization": f"Bearer {others['watch']}"}).status_code == 403


@pytest.mark.parametrize(
    ("wanted", "word"),
    [
        ({"seats": {"shadow": "person"}}, "seats are"),
        ({"seats": PEOPLE | {"shadow": "nobody"}}, "unknown bot"),
        ({"seats": PEOPLE, "ruleset": "ninth"}, "no ruleset"),
        ({"seats": PEOPLE, "ruleset": "first:players=9"}, "players"),
        ({"seats": PEOPLE, "game": "chess"}, "unknown game"),
        ({"seats": PEOPLE, "seed": -1}, "seed"),
        ({"seats": PEOPLE, "seed": "x"}, "seed"),
        ({"seats": PEOPLE, "seed": "9" * 19}, "seed"),
        ({"seats": PEOPLE, "study": "yes"}, "study"),
        ({"seats": PEOPLE, "watch": [{"view": "all"}]}, "public"),
        ({"seats": PEOPLE, "watch": [{"view": "gondor"}]}, "gondor"),
        ({"seats": PEOPLE, "watch": [{"delay": -1}]}, "delay"),
        ({"seats": PEOPLE, "watch": [{}] * 9}, "watch"),
        ({"seats": PEOPLE, "pace": 1}, "without people"),
        ({"seats": PEOPLE, "pace": 1e9}, "pace"),
        ({"ruleset": SHORT}, "seats"),
        ([], "object"),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_one_line(asks, wanted, word):
    answer = asks.post("/api/tables", json=wanted)
    assert answer.status_code == 400
    assert word in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_other_sites_and_other_kinds_of_bodies_are_refused(asks):
    body = json.dumps({"seats": PEOPLE})
    assert asks.post("/api/tables", content=body, headers={"Content-Type": "text/plain"}).status_code == 400
    assert asks.post("/api/tables", json={}, headers={"Origin": "http://elsewhere"}).status_code == 403
    assert asks.get("/api/tables", headers={"Host": "elsewhere:8000"}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        asks.websocket_connect("ws://localhost/ws", headers={"Origin": "http://elsewhere"}),
    ):
        pass
    long = {"seats": PEOPLE, "ruleset": "x" * 20_000}
    assert asks.post("/api/tables", json=long).status_code == 413


def test_every_document_has_a_strict_policy(asks):
    for path in ("/", "/table/x", "/api/options", "/static/none.js", "/nothing"):
        headers = asks.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in POLICY and "http" not in POLICY
    for part in ("main.js", "table.css"):  # the policy of a page applies to its parts
        headers = asks.get(f"/static/{part}").headers
        assert headers["x-content-type-options"] == "nosniff" and "content-security-policy" not in headers


def test_tables_and_connections_are_limited(asks, opened):
    for _ in range(8):
        answer = asks.post("/api/tables", json={"seats": PEOPLE, "ruleset": SHORT})
    assert answer.status_code == 429
    table, tokens = opened
    hello = json.dumps({"type": "hello", "v": 1, "table": table, "token": tokens["watch"]})
    with sit(asks, *opened, "watch"), sit(asks, *opened, "watch"), sit(asks, *opened, "watch"):
        assert refused(asks, hello) == "full"
    with sit(asks, *opened, "watch"):
        pass


def test_tables_that_nobody_uses_make_room_and_come_back(tmp_path):
    with server(tmp_path, tables=1, idle_seconds=0.0) as asks:
        first = open_table(asks)
        open_table(asks)
        with sit(asks, *first, "shadow") as person:
            assert person.state["number"] == 0


def test_a_rate_is_so_many_a_second_and_some_at_once():
    clock = HandClock()
    rate = Rate(2.0, 3.0, clock)
    assert [rate.take() for _ in range(4)] == [True, True, True, False]
    clock.move(0.4)
    assert not rate.take()
    clock.move(0.1)
    assert rate.take() and not rate.take()
    clock.move(60)
    assert [rate.take() for _ in range(4)] == [True, True, True, False]


def test_too_many_messages_end_a_connection(tmp_path, monkeypatch):
    """On a clock that stands still, so that a slow server hears too many as well."""
    monkeypatch.setattr("wotr_experiments.table.server.Rate", functools.partial(Rate, clock=HandClock()))
    with server(tmp_path, messages_per_second=3.0) as asks, sit(asks, *open_table(asks), "shadow") as person:
        for _ in range(10):
            person.say("look", number=0)
        assert person.hear("error")["code"] == "rate"


def test_where_others_can_connect_bots_name_no_files(tmp_path):
    assert is_local("127.0.0.1") and is_local("::1") and is_local("localhost")
    assert not is_local("0.0.0.0") and not is_local("example.org")
    with server(tmp_path, host="0.0.0.0") as asks:
        for spec, status in (("net:/etc/passwd", 400), ("net:zoo/../x", 400), ("net:zoo/laptop", 201)):
            answer = asks.post("/api/tables", json={"seats": {"free_peoples": "person", "shadow": spec}})
            assert answer.status_code == status


STRANGE_ROWS = (
    "UPDATE tables SET ruleset = '[]' WHERE id = ?",
    "UPDATE tables SET ruleset = printf('%.*c', 100000, '[') WHERE id = ?",
    "UPDATE tables SET seats = X'ff' WHERE id = ?",
    "UPDATE tables SET game = 'no game' WHERE id = ?",
    "UPDATE tables SET watch = '{\"a\": 1}' WHERE id = ?",
    "UPDATE tables SET seed = 'x' WHERE id = ?",
    "UPDATE tokens SET seat = 'nobody' WHERE table_id = ?",
    "INSERT INTO actions SELECT id, 1, 1e300, 'x', 'y' FROM tables WHERE id = ?",
    "INSERT INTO undos SELECT id, 1, 'x', 1, '7', 0 FROM tables WHERE id = ?",
)


def test_tables_whose_rows_are_strange_are_told_in_one_line(tmp_path):
    """Those that cannot be shown are not listed, and everything else is served."""
    with server(tmp_path) as asks:
        opened = [open_table(asks) for _ in range(len(STRANGE_ROWS) + 1)]
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        for change, (table, _) in zip(STRANGE_ROWS, opened, strict=False):
            connection.execute(change, (table,))
    with server(tmp_path) as asks:
        for change, (table, tokens) in zip((*STRANGE_ROWS, ""), opened, strict=True):
            headers = {"Authorization": f"Bearer {tokens['shadow']}"}
            answer = asks.get(f"/api/tables/{table}/record", headers=headers)
            assert answer.status_code in (400, 403, 404), change
            assert "\n" not in answer.json()["error"]
            assert asks.get(f"/api/tables/{table}/board").status_code in (200, 400, 404)
        listed = {each["id"] for each in asks.get("/api/tables").json()["tables"]}
        assert opened[-1][0] in listed and not listed & {table for table, _ in opened[:4]}


def test_a_file_that_cannot_be_read_now_is_no_wrong_link(tmp_path, monkeypatch):
    with server(tmp_path, workers=0) as asks:
        table, tokens = open_table(asks)
    with server(tmp_path, workers=0) as asks:
        hello = json.dumps({"type": "hello", "v": 1, "table": table, "token": tokens["shadow"]})
        for name in ("place_of", "load"):
            with monkeypatch.context() as patched:
                patched.setattr(Store, name, broken_disk)
                assert refused(asks, hello) == "server"
                record = asks.get(
                    f"/api/tables/{table}/record", headers={"Authorization": f"Bearer {tokens['shadow']}"}
                )
                assert (record.status_code, "cannot be read now" in record.json()["error"]) == (500, True)
        with sit(asks, table, tokens, "shadow") as person:
            assert person.state["number"] == 0


async def broken_disk(*_):
    raise sqlite3.OperationalError("disk I/O error")


def test_a_client_that_says_no_hello_in_time_is_told_so(tmp_path):
    with (
        server(tmp_path, workers=0, hello_seconds=0.0) as asks,
        asks.websocket_connect("ws://localhost/ws") as socket,
    ):
        assert Person(socket).hear("error")["code"] == "hello"


def test_files_are_compressed_and_kept_by_browsers(asks, opened):
    page = asks.get("/")
    assert page.headers["cache-control"] == "no-cache"
    path = re.findall(r'src="(static/[0-9a-f]{16}/main\.js)"', page.text)[0]
    packed = asks.get(path)  # the client accepts gzip
    assert packed.headers["content-encoding"] == "gzip" and "immutable" in packed.headers["cache-control"]
    plain = asks.get(path, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.content == packed.content
    assert not re.search(r"^ *//", plain.text, re.MULTILINE) and "import(" in plain.text
    assert int(packed.headers["content-length"]) < 0.6 * int(plain.headers["content-length"])
    assert asks.get(path, headers={"if-none-match": plain.headers["etag"]}).status_code == 304
    for other in ("/static/main.js", "/static/0123456789abcdef/main.js"):
        assert asks.get(other).headers["cache-control"] == "no-cache"
    assert asks.get(f"/api/tables/{opened[0]}/board").headers["content-encoding"] == "gzip"
