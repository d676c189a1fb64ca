"""Tables that wait for people, and reports to the person who runs the server."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.clocks import HandClock
from tests.table.test_table_ends import ended
from tests.web_tables import PEOPLE, SHORT, open_table, server, sit, table_of
from wotr_experiments.table import meeting_store, reports
from wotr_experiments.table.lobby import LAPSE

FOUR = dict.fromkeys(("gondor", "sauron", "isengard", "rohan"), "person")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def clock():
    return HandClock()


@pytest.fixture(scope="module")
def asks(folder, clock):
    with server(folder, workers=0, now=clock) as made:
        yield made


def waiting(asks, table):
    return next((each for each in asks.get("/api/lobby").json()["tables"] if each["id"] == table), None)


def join(asks, table, seat):
    return asks.post(f"/api/tables/{table}/join", json={"seat": seat})


def test_a_private_table_is_not_in_the_lobby_and_cannot_be_joined(asks):
    table, _ = open_table(asks)
    assert waiting(asks, table) is None
    answer = join(asks, table, "shadow")
    assert (answer.status_code, answer.json()["error"]) == (403, "this seat is not free, or not any more")
    assert join(asks, "none", "shadow").status_code == 404


def test_each_seat_of_the_lobby_is_taken_once_and_the_creator_gets_no_token_of_it(asks):
    rules = "first:players=4,max_turns=2"
    table, tokens = open_table(asks, FOUR, rules, lobby=["sauron", "isengard"], clock={"move": 60})
    assert set(tokens) == {"gondor", "rohan", "watch"}
    with sit(asks, table, tokens, "gondor") as gondor:
        gondor.say("call", name="Ann")
        gondor.until(lambda state: state["seats"][0]["called"])
        listed = waiting(asks, table)
        assert (listed["free"], listed["here"]) == (["sauron", "isengard"], 1)
        assert listed["clock"]["move"] == 60 and listed["seats"][0]["called"] == "Ann"
        assert not set(tokens.values()) & set(json.dumps(listed).split('"'))
        for seat in ("gondor", "shadow"):
            assert join(asks, table, seat).status_code == 403
        found = join(asks, table, "sauron").json()
        assert join(asks, table, "sauron").status_code == 403
        assert waiting(asks, table)["free"] == ["isengard"]
        with sit(asks, table, {"sauron": found["token"]}, "sauron") as sauron:
            assert sauron.state["seat"] == "sauron"
    assert join(asks, table, "isengard").status_code == 201
    assert waiting(asks, table) is None


def test_a_table_that_is_over_is_not_joined_and_the_next_one_is_private(asks):
    table, tokens = open_table(asks, lobby=["shadow"])
    with sit(asks, table, tokens, "free_peoples") as person:
        person.say("resign")
        person.until(ended)
    assert waiting(asks, table) is None and join(asks, table, "shadow").status_code == 403
    headers = {"Authorization": f"Bearer {tokens['free_peoples']}"}
    following = asks.post(f"/api/tables/{table}/rematch", json={}, headers=headers).json()
    assert waiting(asks, following["table"]) is None


def test_a_table_that_is_over_waits_for_nobody(asks):
    table, tokens = open_table(asks, lobby=["shadow"])
    sat_down(asks, table, "shadow")
    lobby = asks.app.state.lobby
    with sit(asks, table, tokens, "free_peoples") as person:
        assert waiting(asks, table) is None and (table, "shadow") in lobby._since
        person.say("resign")
        person.until(ended)
    assert waiting(asks, table) is None and (table, "shadow") not in lobby._since


def test_only_seats_of_people_are_offered(asks):
    seats = {"free_peoples": "person", "shadow": "random"}
    for lobby in (["shadow"], ["nobody"]):
        answer = asks.post("/api/tables", json={"ruleset": SHORT, "seats": seats, "lobby": lobby})
        assert answer.status_code == 400 and f"not {lobby[0]}" in answer.json()["error"]


def leave(asks, table, token):
    return asks.post(f"/api/tables/{table}/leave", headers={"Authorization": f"Bearer {token}"})


def sat_down(asks, table, seat):
    """The tokens of somebody who has taken a seat."""
    return {seat: join(asks, table, seat).json()["token"]}


def test_a_seat_at_which_nobody_was_ever_connected_is_free_again_after_a_while(asks, clock):
    table, _ = open_table(asks, lobby=["shadow"])
    late = sat_down(asks, table, "shadow")
    clock.move(LAPSE - 1)
    assert waiting(asks, table) is None and join(asks, table, "shadow").status_code == 403
    clock.move(1)
    assert waiting(asks, table)["free"] == ["shadow"]
    prompt = sat_down(asks, table, "shadow")
    assert waiting(asks, table) is None
    with asks.websocket_connect("ws://localhost/ws") as line:
        line.send_json({"type": "hello", "v": 1, "table": table, "token": late["shadow"]})
        assert line.receive_json()["code"] == "table"
    with sit(asks, table, prompt, "shadow") as person:
        assert person.state["seat"] == "shadow"


def test_who_was_connected_once_keeps_the_seat(asks, clock):
    table, _ = open_table(asks, lobby=["shadow"])
    own = sat_down(asks, table, "shadow")
    clock.move(LAPSE)
    with sit(asks, table, own, "shadow"):  # late, but nobody else was there before
        assert waiting(asks, table) is None
    clock.move(100 * LAPSE)
    assert waiting(asks, table) is None and join(asks, table, "shadow").status_code == 403


def test_a_server_that_starts_again_counts_again_from_its_start(tmp_path):
    clock = HandClock()
    with server(tmp_path, workers=0, now=clock) as asks:
        table, _ = open_table(asks, FOUR, "first:players=4", lobby=["sauron", "rohan"])
        sat_down(asks, table, "sauron")
        with sit(asks, table, sat_down(asks, table, "rohan"), "rohan"):
            pass
    clock.move(LAPSE)
    with server(tmp_path, workers=0, now=clock) as asks:
        assert waiting(asks, table) is None
        clock.move(LAPSE)
        assert waiting(asks, table)["free"] == ["sauron"]


def test_a_seat_is_given_back_until_its_first_choice(asks, monkeypatch):
    table, tokens = open_table(asks, lobby=["free_peoples"], clock={"move": 60})
    own = sat_down(asks, table, "free_peoples")
    with sit(asks, table, tokens, "shadow") as other, sit(asks, table, own, "free_peoples") as person:
        assert person.state["leave"] and not other.state["leave"]
        person.say("call", name="Gríma")
        person.say("offer")
        other.until(lambda state: state["proposals"] and state["clock"]["runs"])
        assert other.state["seats"][0]["called"] == "Gríma"
        assert leave(asks, table, tokens["shadow"]).status_code == 403
        assert leave(asks, table, tokens["watch"]).status_code == 403
        with monkeypatch.context() as broken:
            broken.setattr(meeting_store, "_DROP_TOKENS", "DELETE FROM nowhere")
            answer = leave(asks, table, own["free_peoples"])
        assert answer.status_code == 507 and "was not done" in answer.json()["error"]
        meeting = table_of(asks, table, tokens).meeting
        assert meeting.proposals and meeting.names == {"free_peoples": "Gríma"} and meeting.clock.begun
        kept = asks.portal.call(meeting_store.load_meeting, asks.app.state.lobby._store, table)
        assert (kept.names, len(kept.deeds), kept.clock) == (
            meeting.names,
            meeting.count,
            meeting.clock.to_json(),
        )
        assert leave(asks, table, own["free_peoples"]).status_code == 200
        other.until(lambda state: not state["seats"][0]["here"])
        assert person.hear("error")["code"] == "table"
        assert (other.state["proposals"], other.state["clock"]["runs"]) == ([], None)
        assert other.state["seats"][0]["called"] is None
        assert waiting(asks, table)["free"] == ["free_peoples"]
        assert leave(asks, table, own["free_peoples"]).status_code == 404
        with sit(asks, table, sat_down(asks, table, "free_peoples"), "free_peoples") as following:
            following.until(lambda state: state["clock"]["runs"])
            assert following.state["leave"]
            following.act(following.state["legal"][0]["id"])
            following.at(1)
            assert not following.state["leave"]


def test_a_seat_with_a_choice_and_a_seat_of_its_own_link_are_not_given_back(asks):
    table, tokens = open_table(asks, lobby=["free_peoples"])
    own = sat_down(asks, table, "free_peoples")
    with sit(asks, table, own, "free_peoples") as person:
        person.act(person.state["legal"][0]["id"])
        person.at(1)
    for token in (own["free_peoples"], tokens["shadow"]):
        answer = leave(asks, table, token)
        assert answer.status_code == 403 and "until its first choice" in answer.json()["error"]
    assert waiting(asks, table) is None


def report(asks, table, token, text="the map is upside down"):
    headers = {"Authorization": f"Bearer {token}"}
    return asks.post(f"/api/tables/{table}/report", json={"text": text}, headers=headers)


@pytest.mark.parametrize("seat", ["shadow", "watch"])
def test_a_report_holds_what_its_client_was_sent_and_no_more(asks, folder, seat):
    table, tokens = open_table(asks, PEOPLE, seed=8)
    with sit(asks, table, tokens, seat, after=0) as person:
        answer = report(asks, table, tokens[seat])
        stored = json.loads(answer.text)
        assert stored["state"] == person.state
        assert stored["text"] == "the map is upside down" and stored["game"] == "war-of-the-ring"
    (file,) = (folder / reports.FOLDER).glob(f"{table}-*.json")
    assert json.loads(file.read_text()) == stored
    assert not any(token in file.read_text() for token in tokens.values())


def test_reports_are_limited(asks, monkeypatch):
    table, tokens = open_table(asks)
    assert report(asks, table, "wrong").status_code == 404
    assert report(asks, table, tokens["shadow"], "").status_code == 400
    assert report(asks, table, tokens["shadow"], "x" * 2001).status_code == 400
    monkeypatch.setattr(reports, "MOST_REPORTS", 0)
    answer = report(asks, table, tokens["shadow"])
    assert answer.status_code == 429 and "0 reports wait already" in answer.json()["error"]
