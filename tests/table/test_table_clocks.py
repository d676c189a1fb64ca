"""Clocks of tables, with a clock of the test: what is counted, when it runs, and that time runs out."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.test_table_ends import ended, record_of
from tests.web_tables import PEOPLE, SHORT, open_table, server, sit, table_of
from wotr_experiments.table.clocks import Clock, ClockRule

DUEL = {"fellowship": "person", "sauron": "person"}
GAME = {"game": 600, "increment": 5}


class Now:
    """A time that moves only when it is told to."""

    def __init__(self):
        self.seconds = 1_000_000.0

    def __call__(self):
        return self.seconds

    def wait(self, seconds):
        self.seconds += seconds


@pytest.fixture(scope="module")
def now():
    return Now()


@pytest.fixture(scope="module")
def asks(tmp_path_factory, now):
    with server(tmp_path_factory.mktemp("tables"), now=now) as made:
        yield made


def left(person):
    return person.state["clock"]["left"]


def play(people):
    """Plays a first legal choice of whoever decides; both hear of it."""
    asked = people[0].state["question"]["seat"]
    person = next(each for each in people if each.seat == asked)
    number = person.state["number"]
    person.act(person.state["legal"][0]["id"])
    for each in people:
        each.at(number + 1)


def test_the_clock_of_the_game_counts_the_decider_alone_and_adds_the_increment(asks, now):
    table, tokens = open_table(asks, DUEL, "", game="duel", seed=4, clock=GAME)
    with sit(asks, table, tokens, "fellowship") as one:
        now.wait(50)
        one.say("look", number=0)
        one.hear("look")
        assert one.state["clock"]["runs"] is None
        with sit(asks, table, tokens, "sauron") as other:
            one.until(lambda state: state["clock"]["runs"])
            other.until(lambda state: state["clock"]["runs"])
            asked = one.state["question"]["seat"]
            spent = 0
            while one.state["question"]["seat"] == asked:
                now.wait(7)
                spent += 7
                play([one, other])
            following = one.state["question"]["seat"]
            assert left(one) == left(other) == {asked: 600 - spent + 5, following: 600}
            assert one.state["clock"]["runs"] == following
            assert sum(each["seconds"] for each in other.state["times"]) == 7
            now.wait(11)
            one.say("offer")
            one.until(lambda state: state["proposals"])
            assert left(one)[following] == 589


def test_the_clock_of_a_move_starts_again_for_each_turn(asks, now):
    table, tokens = open_table(asks, DUEL, "", game="duel", seed=4, clock={"move": 30})
    with sit(asks, table, tokens, "fellowship") as one, sit(asks, table, tokens, "sauron") as other:
        for each in (one, other):
            each.until(lambda state: state["clock"]["runs"])
        first = one.state["question"]["seat"]
        while one.state["question"]["seat"] == first:
            now.wait(3)
            play([one, other])
        assert left(one)[one.state["question"]["seat"]] == 30
        second = one.state["question"]["seat"]
        while one.state["question"]["seat"] == second:
            play([one, other])
        assert left(one)[first] == 30


def test_who_runs_out_of_time_loses_and_can_play_no_more(asks, now):
    table, tokens = open_table(asks, clock={"game": 60})
    with (
        sit(asks, table, tokens, "free_peoples") as one,
        sit(asks, table, tokens, "shadow") as other,
        sit(asks, table, tokens, "watch") as onlooker,
    ):
        one.until(lambda state: state["clock"]["runs"])
        other.until(lambda state: state["clock"]["runs"])
        asked, winner = (one, other) if one.decides() else (other, one)
        action = asked.state["legal"][0]["id"]
        now.wait(60)
        asked.act(action)
        for each in (one, other, onlooker):
            each.until(ended)
            assert each.state["result"]["reason"] == "out_of_time"
            assert each.state["result"]["seats"] == [winner.seat]
            assert each.state["deeds"][-1]["text"].endswith(" ran out of time")
        assert one.state["number"] == 0 and left(one)[asked.seat] == 0
        assert winner.state["verdict"] == "You have won"
    assert record_of(asks, table, tokens["shadow"]).ended.reason == "out_of_time"


def test_the_time_of_a_bot_is_its_own(asks, now):
    table, tokens = open_table(
        asks, {"fellowship": "person", "sauron": "random"}, "", game="duel", clock=GAME
    )
    with sit(asks, table, tokens, "fellowship") as person:
        for _ in range(6):
            person.until(lambda state: state["clock"]["runs"] and person.decides())
            now.wait(2)
            number = person.state["number"]
            person.act(person.state["legal"][0]["id"])
            person.at(number + 1)
        person.until(lambda state: person.decides())
        assert left(person)["sauron"] >= 600
        assert {each["seconds"] for each in person.state["times"]} <= {0.0, 2.0}


def test_times_outlive_the_server_and_its_absence_does_not_count(tmp_path):
    now = Now()
    with server(tmp_path, now=now, workers=0) as asks:
        table, tokens = open_table(asks, DUEL, "", game="duel", seed=4, clock={"game": 600})
        with sit(asks, table, tokens, "fellowship") as one, sit(asks, table, tokens, "sauron") as other:
            for each in (one, other):
                each.until(lambda state: state["clock"]["runs"])
            now.wait(100)
            play([one, other])
            before = left(one)
            assert sorted(before.values()) == [500, 600]
    now.wait(10_000)
    with server(tmp_path, now=now, workers=0) as asks, sit(asks, table, tokens, "sauron") as other:
        assert left(other) == before and other.state["clock"]["runs"] is not None
        running = other.state["clock"]["runs"]
        now.wait(before[running])
        other.until(ended)
        assert other.state["result"]["reason"] == "out_of_time"
    with server(tmp_path, now=now, workers=0) as asks, sit(asks, table, tokens, "watch") as onlooker:
        assert onlooker.state["result"]["reason"] == "out_of_time"


def test_times_of_what_was_taken_back_do_not_outlive_the_server(tmp_path):
    now = Now()
    with server(tmp_path, now=now, workers=0) as asks:
        table, tokens = open_table(asks, seed=8, clock=GAME)
        with sit(asks, table, tokens, "shadow") as one, sit(asks, table, tokens, "free_peoples") as other:
            for each in (one, other):
                each.until(lambda state: state["clock"]["runs"])
            meeting = table_of(asks, table, tokens).meeting
            while not (undoes := [each for each in (one, other) if each.state["undo"] == "free"]):
                number, before = one.state["number"], dict(meeting.times)
                now.wait(7)
                play([one, other])
            assert meeting.times.keys() - before.keys() == {number + 1}
            undoes[0].say("undo", hash=undoes[0].state["hash"])
            undoes[0].until(lambda state: state["number"] == number)
            assert meeting.times == before
    with server(tmp_path, now=now, workers=0) as asks:
        assert table_of(asks, table, tokens).meeting.times == before


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"clock": {}}, "a clock has a time for the game or for each move"),
        ({"clock": {"game": 60, "move": 5}}, "a clock has a time for the game or for each move"),
        ({"clock": {"move": 5, "increment": 1}}, "only the former has an increment"),
        ({"clock": {"game": -1}}, "clock.game is at least 0"),
        ({"clock": {"game": 60}, "study": True}, "have no clock"),
        ({"clock": {"game": 60}, "own_dice": True}, "have no clock"),
        ({"clock": {"game": 60}, "seats": dict.fromkeys(PEOPLE, "random")}, "a clock needs a person"),
        ({"chat": "loud"}, "chat cannot be 'loud'"),
        ({"chat": "all", "seats": dict.fromkeys(PEOPLE, "random")}, "a chat needs a person"),
    ],
)
def test_settings_that_do_not_fit_are_refused_in_a_line(asks, more, words):
    answer = asks.post("/api/tables", json={"ruleset": SHORT, "seats": PEOPLE, **more})
    assert answer.status_code == 400 and words in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_a_system_clock_that_was_set_back_gives_nobody_time():
    now = Now()
    kept = Clock(ClockRule(60), 2, now)
    kept.begin()
    now.wait(-4000)
    clock = Clock(ClockRule(60), 2, now, kept.to_json(), awake=now())
    clock.resume(0)
    assert clock.left(0) == 60
    now.wait(10)
    assert clock.left(0) == 50


def test_a_clock_adds_no_increment_at_the_end_and_never_goes_below_zero():
    now = Now()
    clock = Clock(ClockRule(10, 5), 2, now)
    clock.resume(0)
    now.wait(99)
    assert clock.left(0) == 10 and clock.fallen is None
    clock.begin()
    now.wait(4)
    assert clock.pass_on(1) == 4 and (clock.left(0), clock.left(1)) == (11, 10)
    now.wait(12)
    assert clock.fallen == 1
    clock.pass_on(None)
    assert (clock.left(0), clock.left(1), clock.fallen) == (11, 0, None)
