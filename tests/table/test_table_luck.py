"""The luck of games at tables: measured in the background, and told after the end only."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.table.test_table_ends import ended
from tests.web_tables import PEOPLE, open_table, server, sit, table_of
from wotr_env.play.games import game_kind
from wotr_env.play.record import GameRecord
from wotr_experiments.luck.report import luck_of, method_of
from wotr_experiments.table.luck import LuckService
from wotr_experiments.table.messages import Refused
from wotr_experiments.table.workers import BotFailed

WATCH = [{"view": "public", "delay": 0}, {"view": "shadow", "delay": 0}, {"view": "public", "delay": 30}]


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    with server(tmp_path_factory.mktemp("tables")) as made:
        yield made


def luck(asks, table, token):
    return asks.get(f"/api/tables/{table}/luck", headers={"Authorization": f"Bearer {token}"})


def play(asks, table, tokens, seed=1, most=3000):
    """Plays random choices, so many or up to the end; returns the table."""
    found, rng = table_of(asks, table, tokens), np.random.default_rng(seed)
    while not found.over and found.line.number < most:
        asks.portal.call(found.play, [int(rng.choice(found.line.legal))])
    return found


def record_of(asks, table, token):
    return asks.get(f"/api/tables/{table}/record", headers={"Authorization": f"Bearer {token}"}).text


@pytest.mark.parametrize(
    ("game", "ruleset", "seats"),
    [
        ("war-of-the-ring", "first:max_turns=2", PEOPLE),
        ("duel", "", {"fellowship": "person", "sauron": "person"}),
        ("two-towers", "", {"player_1": "person", "player_2": "person"}),
    ],
)
def test_the_luck_is_that_of_the_record_and_the_same_for_all_links(asks, game, ruleset, seats):
    table, tokens = open_table(asks, seats, ruleset, game=game, seed=4)
    play(asks, table, tokens)
    (found,) = {luck(asks, table, token).text for token in tokens.values()}
    told = json.loads(found)["told"]
    record = GameRecord.from_json(record_of(asks, table, tokens["watch"]))
    story = luck_of(record, method_of(None, record.kind, record.ruleset))
    assert told["sentence"] == story.sentence() and told["heads"] == story.table().heads
    assert [row["name"] for row in told["rows"]] == list(story.table().rows)
    assert [each["number"] for each in told["strokes"]] == [each.number + 1 for each in story.strokes]
    assert story.strokes or game == "two-towers"


def test_before_the_end_nobody_is_told_anything_of_luck(asks):
    answer = asks.post("/api/tables", json={"seats": PEOPLE, "watch": WATCH, "study": True}).json()
    tokens = answer["tokens"] | {str(place): each["token"] for place, each in enumerate(answer["links"])}
    for most in (0, 60):
        play(asks, answer["table"], tokens, most=most)
        answers = {luck(asks, answer["table"], token).status_code for token in tokens.values()}
        assert answers == {403}
    assert luck(asks, answer["table"], "wrong").status_code == 404
    with sit(asks, answer["table"], tokens, "shadow") as person:
        person.say("resign")
        person.until(ended)
    found = {luck(asks, answer["table"], token).text for token in tokens.values()}
    assert len(found) == 1 and json.loads(found.pop())["why"] is None


def test_a_game_that_is_played_on_tells_nothing_of_luck_any_more(asks):
    table, tokens = open_table(asks, ruleset="first:max_turns=1", study=True)
    found = play(asks, table, tokens)
    assert luck(asks, table, tokens["shadow"]).json()["taken_back"] is None
    seat = found.line.deciders[-1]
    asks.portal.call(found.undo, seat)
    assert {luck(asks, table, token).status_code for token in tokens.values()} == {403}
    play(asks, table, tokens)
    words = luck(asks, table, tokens["shadow"]).json()["taken_back"]
    assert words.startswith("A choice was taken back after new information was seen")


@pytest.mark.parametrize(
    ("game", "ruleset", "why"),
    [
        ("war-of-the-ring", "first:players=3,max_turns=1", "no network for War of the Ring with 3 seats"),
        ("two-towers", "three", "no network for The Two Towers with 3 seats"),
    ],
)
def test_a_line_says_why_luck_is_not_measured(asks, game, ruleset, why):
    seats = dict.fromkeys((seat.name for seat in game_kind(game).find_ruleset(ruleset).seats), "person")
    table, tokens = open_table(asks, seats, ruleset, game=game)
    play(asks, table, tokens)
    answer = luck(asks, table, tokens["watch"]).json()
    assert answer["told"] is None
    assert answer["why"] == f"Luck is not measured: this package has {why}."


def test_the_analysis_board_measures_a_line_as_the_table_does(asks):
    table, tokens = open_table(asks, ruleset="first:max_turns=2", seed=9)
    play(asks, table, tokens)
    record = record_of(asks, table, tokens["watch"]).strip()
    opened = asks.post("/api/study/open", json={"record": record}).json()
    line = {"start": opened["start"], "actions": opened["actions"]}
    answer = asks.post("/api/study/luck", json={**line, "players": opened["players"]})
    assert answer.json() == luck(asks, table, tokens["watch"]).json()
    assert asks.post("/api/study/luck", json={**line, "actions": [9999]}).status_code == 400


def test_a_game_with_own_dice_has_luck(asks):
    table, tokens = open_table(asks, ruleset="first:max_turns=1", own_dice=True)
    found, rng = table_of(asks, table, tokens), np.random.default_rng(3)
    while not found.over:
        if found.pending is not None:
            asks.portal.call(found.enter, None)
        else:
            asks.portal.call(found.play, [int(rng.choice(found.line.legal))])
    assert found.line.tapes
    assert luck(asks, table, tokens["watch"]).json()["why"] is None


class _Workers:
    """Measures nothing until it may, and then fails as often as it shall."""

    def __init__(self, failures=0):
        self.may, self.calls, self.failures = asyncio.Event(), [], failures

    async def run(self, function, record):
        self.calls.append(record)
        await self.may.wait()
        self.failures -= 1
        if self.failures >= 0:
            raise BotFailed("its process died")
        return {"why": None, "told": record}


async def _settled():
    for _ in range(10):
        await asyncio.sleep(0)


def test_each_game_is_measured_once_and_one_after_the_other():
    async def measure():
        workers = _Workers()
        lucks = LuckService(workers)
        asked = [asyncio.create_task(lucks.of(record)) for record in ("one", "two", "one")]
        await _settled()
        assert workers.calls == ["one"]
        asked[0].cancel()  # this page is closed; another still waits
        workers.may.set()
        assert [(await task)["told"] for task in asked[1:]] == ["two", "one"]
        assert (await lucks.of("two"))["told"] == "two" and workers.calls == ["one", "two"]
        await lucks.close()

    asyncio.run(measure())


def test_a_failed_measurement_is_tried_again_and_only_so_many_wait(monkeypatch):
    async def measure():
        workers = _Workers(failures=1)
        lucks = LuckService(workers)
        monkeypatch.setattr("wotr_experiments.table.luck._WAITING", 2)
        asked = [asyncio.create_task(lucks.of(record)) for record in ("one", "two")]
        await _settled()
        with pytest.raises(Refused, match="busy"):
            await lucks.of("three")
        workers.may.set()
        with pytest.raises(BotFailed):
            await asked[0]
        assert (await asked[1])["told"] == "two"
        assert (await lucks.of("one"))["told"] == "one"
        await lucks.close()

    asyncio.run(measure())


def test_a_server_that_fails_to_measure_says_so(asks, monkeypatch):
    async def fail(*_):
        raise BotFailed("its process died")

    table, tokens = open_table(asks, ruleset="first:max_turns=1", seed=77)
    play(asks, table, tokens)
    monkeypatch.setattr(asks.app.state.lucks._workers, "run", fail)
    answer = luck(asks, table, tokens["watch"]).json()
    assert answer["why"] == "Luck is not measured: the measurement failed; the server's log says why."
    monkeypatch.undo()
    assert luck(asks, table, tokens["watch"]).json()["why"] is None
