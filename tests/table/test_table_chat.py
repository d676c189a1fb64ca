"""Names and chat: who reads them, their limits, and the next table of the same people."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.test_table_ends import ended
from tests.web_tables import PEOPLE, open_table, server, sit
from wotr_env.play.games import game_kind
from wotr_experiments.table.meeting import clean
from wotr_experiments.table.people import swapped_seats

FOUR = dict.fromkeys(("gondor", "sauron", "isengard", "rohan"), "person")


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    with server(tmp_path_factory.mktemp("tables"), workers=0) as made:
        yield made


def called(state, seat):
    return next(each["called"] for each in state["seats"] if each["name"] == seat)


def beside_states(person):
    """The next message that is no state."""
    while (message := person.hear())["type"] == "state":
        pass
    return message


def test_a_name_is_told_to_all_and_cleaned(asks):
    table, tokens = open_table(asks)
    with sit(asks, table, tokens, "shadow") as person, sit(asks, table, tokens, "watch") as onlooker:
        assert called(person.state, "shadow") is None
        person.say("call", name="  Saruman\u202e\n  the\u200b White ")
        onlooker.until(lambda state: called(state, "shadow"))
        assert called(onlooker.state, "shadow") == "Saruman the White"
        person.say("call", name="x" * 25)
        assert person.hear("error")["text"] == "a name has at most 24 characters"
        person.say("call", name="")
        onlooker.until(lambda state: called(state, "shadow") is None)
        onlooker.say("call", name="Nobody")
        assert onlooker.hear("error")["text"] == "only a seat may do that"


@pytest.mark.parametrize(("chat", "reads"), [("seats", False), ("all", True)])
def test_the_chat_is_for_seats_and_for_onlookers_if_that_is_allowed(asks, chat, reads):
    watch = [{"view": "public", "delay": 0}, {"view": "public", "delay": 3}]
    answer = asks.post("/api/tables", json={"seats": PEOPLE, "chat": chat, "watch": watch}).json()
    table, tokens = answer["table"], answer["tokens"] | {"watch": answer["watch"]}
    tokens["late"] = answer["links"][1]["token"]
    with (
        sit(asks, table, tokens, "shadow") as one,
        sit(asks, table, tokens, "free_peoples") as other,
        sit(asks, table, tokens, "watch") as onlooker,
        sit(asks, table, tokens, "late") as late,
    ):
        states = [each.state["chat"] for each in (one, onlooker, late)]
        assert states == [chat, chat if reads else "off", "off"]
        one.say("say", text=" <b>one\x07</b>\nmy Precious ")
        line = {"number": 0, "seat": "shadow", "text": "<b>one</b> my Precious"}
        assert other.hear("chat")["lines"] == one.hear("chat")["lines"] == [line]
        onlooker.say("say", text="let me")
        heard = beside_states(onlooker)
        if reads:
            assert heard["lines"] == [line]
            heard = beside_states(onlooker)
        assert heard["text"] == "only a seat may do that"
        late.say("look", number=0)
        assert beside_states(late)["type"] == "look"
        one.say("say", text="  ")
        assert one.hear("error")["text"] == "a line of chat is empty"
        one.say("say", text="x" * 301)
        assert one.hear("error")["text"] == "a line of chat has at most 300 characters"
        for number in range(5):
            one.say("say", text=str(number))
        assert one.hear("error")["text"] == "not so fast: wait a few seconds"
    with sit(asks, table, tokens, "free_peoples") as other:
        assert [each["text"] for each in other.hear("chat")["lines"]][:2] == ["<b>one</b> my Precious", "0"]


def test_a_spectator_with_a_delay_reads_the_chat_at_the_end(asks):
    watch = [{"view": "public", "delay": 3}]
    answer = asks.post("/api/tables", json={"seats": PEOPLE, "chat": "all", "watch": watch}).json()
    table, tokens = answer["table"], answer["tokens"] | {"watch": answer["watch"]}
    with sit(asks, table, tokens, "shadow") as one, sit(asks, table, tokens, "watch") as late:
        one.say("say", text="before the end")
        one.hear("chat")
        one.say("resign")
        one.until(ended)
        assert [each["text"] for each in late.hear("chat")["lines"]] == ["before the end"]
        assert late.state["result"] and late.state["chat"] == "all"
        one.say("say", text="after the end")
        assert [each["text"] for each in late.hear("chat")["lines"]] == ["after the end"]


def test_there_is_no_chat_by_default(asks):
    table, tokens = open_table(asks)
    with sit(asks, table, tokens, "shadow") as person:
        person.say("say", text="hello")
        assert person.hear("error")["text"] == "there is no chat at this table"


def again(asks, table, token, **body):
    headers = {"Authorization": f"Bearer {token}"}
    return asks.post(f"/api/tables/{table}/rematch", json=body, headers=headers)


@pytest.mark.parametrize("swap", [False, True])
def test_the_next_table_is_found_by_all_with_their_own_links(asks, swap):
    seats = {"free_peoples": "person", "shadow": "person"}
    table, tokens = open_table(asks, seats, chat="all", clock={"move": 60})
    with sit(asks, table, tokens, "shadow") as one, sit(asks, table, tokens, "watch") as onlooker:
        assert again(asks, table, tokens["shadow"]).status_code == 403
        one.say("resign")
        one.until(ended)
        onlooker.until(ended)
        answer = again(asks, table, tokens["watch"])
        assert (answer.status_code, answer.json()["error"]) == (
            403,
            "the players have not opened a next table",
        )
        mine = again(asks, table, tokens["shadow"], swap=swap).json()
        onlooker.until(lambda state: state["rematch"])
        assert onlooker.state["rematch"] == mine["table"] != table
    assert mine["seat"] == ("free_peoples" if swap else "shadow")
    assert again(asks, table, tokens["shadow"], swap=not swap).json() == mine
    others = again(asks, table, tokens["free_peoples"]).json()
    looks = again(asks, table, tokens["watch"]).json()
    found = {others["seat"]: others["token"], mine["seat"]: mine["token"], "watch": looks["token"]}
    assert looks["seat"] is None and len(set(found.values())) == 3
    assert not set(found.values()) & set(tokens.values())
    with (
        sit(asks, mine["table"], found, "shadow") as one,
        sit(asks, mine["table"], found, "watch") as onlooker,
    ):
        assert one.state["seat"] == "shadow" and onlooker.state["seat"] is None
        assert one.state["clock"]["move"] == 60 and one.state["chat"] == "all"


def test_a_rematch_needs_a_token_and_a_known_field(asks):
    table, tokens = open_table(asks)
    assert asks.post(f"/api/tables/{table}/rematch", json={}).status_code == 401
    assert again(asks, table, "wrong").status_code == 404
    answer = again(asks, table, tokens["shadow"], bots=3)
    assert answer.status_code == 400 and "there is no field bots" in answer.json()["error"]


class _Seated:
    def __init__(self, game, ruleset):
        self.ruleset = game_kind(game).find_ruleset(ruleset)


@pytest.mark.parametrize(
    ("game", "ruleset", "moves"),
    [
        ("duel", "", [1, 0]),
        ("two-towers", "three", [1, 2, 0]),
        ("war-of-the-ring", "first:players=3", [1, 2, 0]),
    ],
)
def test_who_moves_where_when_sides_are_swapped(game, ruleset, moves):
    assert list(swapped_seats(_Seated(game, ruleset))) == moves


def test_partners_stay_partners_when_sides_are_swapped():
    table = _Seated("war-of-the-ring", "first:players=4")
    teams = [seat.team for seat in table.ruleset.seats]
    moves = swapped_seats(table)
    assert sorted(moves) == [0, 1, 2, 3]
    assert all(teams[to] != teams[seat] for seat, to in enumerate(moves))


def test_a_text_of_nothing_to_see_is_empty():
    assert clean("\u200b\u202e \x00\n", 5, "a name") == ""
