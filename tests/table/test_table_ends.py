"""Resigning and agreeing to a draw: who must agree, what is told, stored and recorded."""

from __future__ import annotations

import random
import sqlite3
from types import SimpleNamespace

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.web_tables import PEOPLE, SHORT, Person, open_table, play_alternately, server, sit, table_of
from wotr_env.play.record import GameRecord
from wotr_experiments.table.people import People

GAMES = {"war-of-the-ring": (PEOPLE, SHORT), "duel": ({"fellowship": "person", "sauron": "person"}, "")}
FOUR = dict.fromkeys(("gondor", "sauron", "isengard", "rohan"), "person")


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    with server(tmp_path_factory.mktemp("tables")) as made:
        yield made


def record_of(asks, table, token):
    answer = asks.get(f"/api/tables/{table}/record", headers={"Authorization": f"Bearer {token}"})
    return GameRecord.from_json(answer.text) if answer.status_code == 200 else answer.status_code


def ended(state):
    return state is not None and state["result"] is not None


@pytest.mark.parametrize("game", GAMES)
def test_who_resigns_loses_and_everybody_is_told(asks, game):
    seats, ruleset = GAMES[game]
    first, second = seats
    table, tokens = open_table(asks, seats, ruleset, game=game, seed=5)
    with (
        sit(asks, table, tokens, first) as one,
        sit(asks, table, tokens, second) as other,
        sit(asks, table, tokens, "watch") as onlooker,
    ):
        play_alternately([one, other], random.Random(1), 6)
        assert record_of(asks, table, tokens[first]) == 403
        one.say("resign")
        for each in (one, other, onlooker):
            state = each.until(ended)
            assert state["result"] == {
                "winner": state["result"]["winner"],
                "reason": "resigned",
                "seats": [second],
            }
            assert state["question"] is None and state["legal"] == [] and state["undo"] is None
            assert state["ending"].endswith(" resigned")
            assert [line["text"] for line in state["deeds"]] == [state["ending"]]
        assert (one.state["verdict"], other.state["verdict"]) == ("You have lost", "You have won")
        assert onlooker.state["verdict"] is None
        number = one.state["number"]
        other.say("offer")
        assert other.hear("error")["text"] == "the game is over"
        other.act(0)
        assert other.hear("error")["code"] == "turn"
        one.say("look", number=number, eyes=second)
        assert one.hear("look")["result"]["reason"] == "resigned"
        one.say("look", number=number - 1)
        assert one.hear("look")["result"] is None
    record = record_of(asks, table, tokens[second])
    assert record.ended is not None and record.ended.reason == "resigned" and record.result is None
    assert record.verify().result is None
    assert GameRecord.from_text(record.to_text()) == [record]
    (listed,) = [each for each in asks.get("/api/tables").json()["tables"] if each["id"] == table]
    assert listed["over"]


def test_a_draw_needs_all_other_seats(asks):
    table, tokens = open_table(asks, FOUR, "first:players=4,max_turns=2", seed=3)
    with (
        sit(asks, table, tokens, "gondor") as gondor,
        sit(asks, table, tokens, "rohan") as rohan,
        sit(asks, table, tokens, "sauron") as sauron,
        sit(asks, table, tokens, "isengard") as isengard,
    ):
        everybody = [gondor, rohan, sauron, isengard]
        gondor.say("offer")
        for each in everybody:
            (offer,) = each.until(lambda state: state["proposals"])["proposals"]
            assert (offer["kind"], offer["seat"]) == ("draw", "gondor")
            assert sorted(offer["waits"]) == ["isengard", "rohan", "sauron"]
        sauron.say("offer")
        assert "a draw has already been offered" in sauron.hear("error")["text"]
        gondor.say("answer", proposal=offer["id"], agree=True)
        assert "no such offer for you" in gondor.hear("error")["text"]
        for each in (rohan, sauron):
            each.say("answer", proposal=offer["id"], agree=True)
        isengard.until(lambda state: state["proposals"][0]["waits"] == ["isengard"])
        isengard.say("answer", proposal=offer["id"], agree=False)
        for each in everybody:
            each.until(lambda state: not state["proposals"])
            assert each.state["deeds"][-1]["text"] == "Isengard declines the draw"
            assert each.state["result"] is None
        gondor.say("offer")
        assert gondor.hear("error")["text"] == "you may offer a draw again after 10 more actions"
        isengard.say("offer")
        (offer,) = gondor.until(lambda state: state["proposals"])["proposals"]
        for each in (gondor, rohan, sauron):
            each.say("answer", proposal=offer["id"], agree=True)
        for each in everybody:
            each.until(ended)
            assert each.state["result"] == {"winner": "draw", "reason": "agreed", "seats": []}
            assert each.state["verdict"] == "Nobody has won"
    record = record_of(asks, table, tokens["rohan"])
    assert record.ended.to_dict(record.ruleset.seats) == {"reason": "agreed", "seat": None}


def test_partners_resign_together_and_only_they_are_told_before(asks):
    table, tokens = open_table(asks, FOUR, "first:players=4,max_turns=2", seed=3)
    with (
        sit(asks, table, tokens, "gondor") as gondor,
        sit(asks, table, tokens, "rohan") as rohan,
        sit(asks, table, tokens, "sauron") as sauron,
    ):
        gondor.say("resign")
        (proposal,) = rohan.until(lambda state: state["proposals"])["proposals"]
        assert (proposal["kind"], proposal["waits"]) == ("resign", ["rohan"])
        gondor.say("resign")
        assert "your partners have not yet agreed" in gondor.hear("error")["text"]
        sauron.say("answer", proposal=proposal["id"], agree=True)
        assert "no such offer for you" in sauron.hear("error")["text"]
        assert sauron.state["proposals"] == [] and sauron.state["deeds"] == []
        rohan.say("resign")
        for each in (gondor, rohan, sauron):
            each.until(ended)
            assert each.state["result"]["seats"] == ["sauron", "isengard"]
        assert [line["text"] for line in sauron.state["deeds"]] == [sauron.state["ending"]]
        assert len(rohan.state["deeds"]) == 3


def test_a_bot_without_winning_chances_declines_a_draw(asks):
    table, tokens = open_table(asks, {"free_peoples": "person", "shadow": "random"})
    with sit(asks, table, tokens, "free_peoples") as person:
        person.say("offer")
        person.until(lambda state: len(state["deeds"]) == 2)
        assert [line["text"] for line in person.state["deeds"]] == [
            "Free Peoples offers a draw",
            "Shadow declines the draw",
        ]
        assert person.state["proposals"] == []


def test_an_offer_stands_if_the_answer_of_a_bot_cannot_be_stored(asks, monkeypatch):
    async def fail(people, table):
        raise sqlite3.OperationalError("the disk is full")

    table, tokens = open_table(asks, {"free_peoples": "person", "shadow": "random"})
    with sit(asks, table, tokens, "free_peoples") as person:
        with monkeypatch.context() as broken:
            broken.setattr(People, "_decline", fail)
            person.say("offer")
            person.until(lambda state: state["proposals"])
        assert person.errors == []
        while person.state["proposals"]:  # the bot declines before its next decision
            if person.decides():
                person.act(person.state["legal"][0]["id"])
            person.hear("state")
        assert person.state["deeds"][-1]["text"] == "Shadow declines the draw"


def test_a_clock_whose_start_cannot_be_stored_does_not_run(asks, monkeypatch):
    def fail(connection):
        raise sqlite3.OperationalError("the disk is full")

    table, tokens = open_table(asks, clock={"move": 60})
    monkeypatch.setattr("wotr_experiments.table.people.with_clock", lambda *arguments: fail)
    with sit(asks, table, tokens, "shadow"), asks.websocket_connect("ws://localhost/ws") as socket:
        person = Person(socket)
        person.say("hello", table=table, token=tokens["free_peoples"])
        assert "was not done" in person.hear("error")["text"]
    assert not table_of(asks, table, tokens).meeting.clock.begun


@pytest.mark.parametrize(
    ("chance", "words"), [(0.2, "a draw by agreement"), (0.7, "Sauron declines the draw")]
)
def test_a_bot_with_winning_chances_takes_a_draw_that_is_better_for_it(asks, monkeypatch, chance, words):
    async def value(*arguments):
        return [(0, chance)]

    monkeypatch.setattr(asks.app.state.people, "_workers", SimpleNamespace(call=value))
    seats = {"fellowship": "person", "sauron": "expectation"}
    table, tokens = open_table(asks, seats, "", game="duel", seed=3)
    with sit(asks, table, tokens, "fellowship") as person:
        person.until(lambda state: person.decides())
        person.say("offer")
        person.until(lambda state: state["proposals"])
        while len(person.state["deeds"]) == 1:
            if person.decides():
                number = person.state["number"]
                person.act(person.state["legal"][0]["id"])
                person.at(number + 1)
            else:
                person.hear("state")
        assert person.state["deeds"][-1]["text"] == words


def test_bots_move_with_the_sides(asks):
    table, tokens = open_table(asks, {"free_peoples": "person", "shadow": "random"})
    with sit(asks, table, tokens, "free_peoples") as person:
        person.say("resign")
        person.until(ended)
    headers = {"Authorization": f"Bearer {tokens['free_peoples']}"}
    answer = asks.post(f"/api/tables/{table}/rematch", json={"swap": True}, headers=headers)
    found = answer.json()
    with sit(asks, found["table"], {"shadow": found["token"]}, "shadow") as person:
        assert [each["kind"] for each in person.state["seats"]] == ["random", "person"]


def test_onlookers_may_do_nothing_of_that(asks):
    table, tokens = open_table(asks)
    with sit(asks, table, tokens, "watch") as onlooker:
        for kind, fields in (("resign", {}), ("offer", {}), ("answer", {"proposal": 1, "agree": True})):
            onlooker.say(kind, **fields)
            assert onlooker.hear("error")["text"] == "only a seat may do that"


def test_names_chat_offers_and_the_end_outlive_the_server(tmp_path):
    with server(tmp_path, workers=0) as asks:
        table, tokens = open_table(asks, seed=9, chat="seats")
        with sit(asks, table, tokens, "shadow") as person:
            person.say("call", name="Ann")
            person.say("say", text="hello")
            person.say("offer")
            person.until(lambda state: state["proposals"])
    with server(tmp_path, workers=0) as asks, sit(asks, table, tokens, "free_peoples") as person:
        (offer,) = person.state["proposals"]
        assert person.state["seats"][1]["called"] == "Ann"
        assert [line["text"] for line in person.hear("chat")["lines"]] == ["hello"]
        assert person.state["deeds"][0]["text"] == "Shadow offers a draw"
        person.say("answer", proposal=offer["id"], agree=True)
        person.until(ended)
        before = record_of(asks, table, tokens["shadow"])
    with server(tmp_path, workers=0) as asks, sit(asks, table, tokens, "watch") as onlooker:
        assert onlooker.state["result"]["reason"] == "agreed"
        assert record_of(asks, table, tokens["shadow"]) == before


def test_an_undo_moves_deeds_after_what_it_took_back(tmp_path):
    def deeds(person):
        return [(each["number"], each["text"]) for each in person.state["deeds"]]

    with server(tmp_path, workers=0) as asks:
        table, tokens = open_table(asks, seed=8, study=True, chat="all")
        with sit(asks, table, tokens, "shadow") as one, sit(asks, table, tokens, "free_peoples") as other:
            play_alternately([one, other], random.Random(2), 12)
            one.say("say", text="tired?")
            one.say("offer")
            (offer,) = other.until(lambda state: state["proposals"])["proposals"]
            other.say("answer", proposal=offer["id"], agree=False)
            one.until(lambda state: len(state["deeds"]) == 2)
            words = ["Shadow offers a draw", "Free Peoples declines the draw"]
            assert deeds(one) == [(12, text) for text in words]
            one.say("undo", hash=one.state["hash"])
            number = one.until(lambda state: state["number"] < 12)["number"]
            other.until(lambda state: state["number"] == number)
            assert deeds(one) == deeds(other) == [(number, text) for text in words]
            one.say("offer")
            assert one.hear("error")["text"] == "you may offer a draw again after 10 more actions"
            play_alternately([one, other], random.Random(3), 3)
    with server(tmp_path, workers=0) as asks, sit(asks, table, tokens, "shadow") as one:
        assert deeds(one) == [(number, text) for text in words]
        assert [line["number"] for line in one.hear("chat")["lines"]] == [number]
