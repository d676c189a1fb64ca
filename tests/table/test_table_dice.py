"""Own dice at the table: people enter what is rolled and drawn, of bots too."""

from __future__ import annotations

import asyncio
import itertools
import random

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.web_tables import PEOPLE, SHORT, open_table, server, sit
from wotr_env import GameRecord
from wotr_env.core.errors import IllegalAction
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING as KIND
from wotr_experiments.table.game import Table
from wotr_experiments.table.line import Line
from wotr_experiments.table.messages import Refused
from wotr_experiments.table.store import Header, Played, open_store
from wotr_experiments.table.viewers import Eyes

RULES = KIND.find_ruleset(SHORT)
WITH_BOT = {"free_peoples": "person", "shadow": "random"}


def header(study=False, seats=PEOPLE, ruleset=RULES):
    options = ruleset.to_dict()
    key, name = b"s" * 32, KIND.name
    return Header("dice", name, KIND.rules_version, options, 7, seats, study, (), 0.0, key, own_dice=True)


def tape_of(line, action, rng):
    """Outcomes of all that an action needs, each as likely."""
    tape = ()
    while (asked := KIND.given_chance.asked(line.state, action, tape)) is not None:
        tape += tuple(rng.choice(list(asked.possible)) for _ in range(asked.number))
    return tape


def played_line(seed, most):
    line, rng = Line(KIND, RULES, seed), random.Random(seed)
    while not line.over and line.number < most:
        action = rng.choice(line.legal)
        line.step(action, tape_of(line, action, rng))
    return line


def test_a_line_keeps_its_outcomes_wherever_it_is_played_anew():
    line = played_line(1, 150)
    assert len(line.tapes) > 5
    states = [state.tobytes() for state in line.states()]
    assert states == [line.at(number).tobytes() for number in range(line.number + 1)]
    again = Line(KIND, RULES, 1, line.actions, line.tapes)
    assert again.state.tobytes() == line.state.tobytes()
    assert line.copy().tapes == line.tapes
    number = max(line.tapes)
    shorter = line.shortened(number)
    assert shorter.tapes == {place: tape for place, tape in line.tapes.items() if place < number}
    assert shorter.state.tobytes() == states[number]
    shorter.step(line.actions[number], line.tapes[number])
    assert shorter.state.tobytes() == states[number + 1]
    record = line.record(["person", "person"])
    assert dict(record.tapes) == line.tapes
    assert record.verify().hash() == record.hash


def test_wrong_outcomes_leave_a_line_as_it_was():
    line = played_line(3, 150)
    number = min(line.tapes)
    earlier = line.shortened(number)
    before = earlier.state.tobytes()
    with pytest.raises(ValueError, match="does not fit"):
        earlier.step(line.actions[number], (99,))
    with pytest.raises(IllegalAction):
        earlier.step(-1, (1,))
    assert (earlier.state.tobytes(), earlier.number, earlier.tapes.get(number)) == (before, number, None)


def test_the_store_keeps_outcomes_of_a_table(tmp_path):
    line = played_line(7, 90)

    async def play(store):
        table = Table(header(), store)
        await store.add(table.header, {}, table.progress)
        for number, action in enumerate(line.actions):
            tape = line.tapes.get(number, ())
            await table.play([action])
            while table.pending is not None:
                assert table.line.number == number
                wanted = table.pending.asked.number
                given = len(table.pending.tape)
                await table.enter(tape[given : given + wanted])
        return table

    with open_store(tmp_path) as store:
        table = asyncio.run(play(store))
    with open_store(tmp_path) as store:
        loaded, played, undos, _ = asyncio.run(store.load("dice"))
    assert loaded == table.header
    again = Table(loaded, None, played, undos)
    assert again.line.state.tobytes() == table.line.state.tobytes()
    assert again.gestures == table.gestures
    assert again.line.tapes == table.line.tapes


def to_dice(people, wanted=lambda dice: True):
    """Plays on, the computer rolling, until such dice are asked for; returns who chose what needs them."""
    rng, first = random.Random(1), people[0]
    while True:
        state = first.until(lambda state: state["result"] or state["dice"] or waits_for(people, state))
        assert state["result"] is None, "the game is over"
        for each in people:
            each.until(lambda other, now=state["hash"]: other["hash"] == now)
        person = next((each for each in people if each.decides()), first)
        if state["dice"] and wanted(state["dice"]):
            return person
        if state["dice"]:
            person.say("dice", hash=state["hash"], outcomes=None)
        else:
            person.act(rng.choice(walking(person))["id"])
        first.until(lambda new, old=state["hash"]: new["hash"] != old)


def walking(person):
    """The choices by which the Fellowship moves, so that the Hunt rolls; all, if there are none."""
    legal = person.state["legal"]
    return [each for each in legal if each["name"] in ("face:character", "plan:move-fellowship")] or legal


def waits_for(people, state):
    return state["question"]["seat"] in [each.seat for each in people]


def test_a_person_and_a_bot_play_a_whole_game_with_entered_dice(tmp_path):
    rng, texts, seats = random.Random(1), set(), set()
    foretold: dict[int, str | None] = {}
    told: dict[int, dict] = {}
    with server(tmp_path) as asks:
        table, tokens = open_table(asks, WITH_BOT, own_dice=True)
        with sit(asks, table, tokens, "free_peoples") as person:
            while not person.until(lambda s: s["result"] or s["dice"] or s["legal"])["result"]:
                state = person.state
                if dice := state["dice"]:
                    assert state["legal"] == []
                    texts.add(dice["text"])
                    seats.add(dice["seat"])
                    foretold[state["number"] + 1] = dice["choice"]
                    values = [each["value"] for each in dice["possible"]]
                    outcomes = [rng.choice(values) for _ in range(dice["number"])]
                    person.say("dice", hash=state["hash"], outcomes=rng.choice([outcomes, None]))
                else:
                    person.act(rng.choice(walking(person))["id"])
                later = person.until(lambda new, old=state["hash"]: new["hash"] != old)
                for each in later["told"]:
                    told.setdefault(each["number"], each)
            assert person.errors == []
        answer = asks.get(
            f"/api/tables/{table}/record", headers={"authorization": f"Bearer {tokens['watch']}"}
        )
    assert answer.status_code == 200, "the game is over"
    assert GameRecord.from_json(answer.text).verify().result is not None
    assert seats == {"free_peoples", "shadow"}
    assert "4 dice for the actions of the Free Peoples" in texts
    assert any(text.startswith("Hunt roll") for text in texts)
    known = {number: each["text"] if each["tone"] == "choice" else None for number, each in told.items()}
    assert foretold == {number: known.get(number) for number in foretold}
    assert any(foretold.values())


def test_what_was_entered_is_what_was_rolled_and_told_to_all_who_sit_there(tmp_path):
    with server(tmp_path) as asks:
        table, tokens = open_table(asks, own_dice=True)
        with (
            sit(asks, table, tokens, "free_peoples") as free,
            sit(asks, table, tokens, "shadow") as shadow,
            sit(asks, table, tokens, "watch") as watch,
        ):
            assert to_dice([free, shadow]) is shadow
            dice = free.state["dice"]
            assert shadow.state["dice"] == dice
            assert dice["text"] == "4 dice for the actions of the Free Peoples"
            assert (dice["number"], dice["seat"]) == (4, "shadow")
            assert [each["words"] for each in dice["possible"]][-1] == "Will of the West"
            number = free.state["number"]
            shadow.act(1)
            assert shadow.hear("error")["code"] == "dice"
            shadow.say("hint", hash=shadow.state["hash"], bot="random")
            assert shadow.hear("error")["code"] == "dice"
            watch.until(lambda state: state["hash"] == free.state["hash"])
            assert watch.state["dice"] is None
            watch.say("dice", hash=free.state["hash"], outcomes=None)
            assert watch.hear("error")["code"] == "dice"
            for wrong, text in [([1, 2], "4 needed, not 2"), ([1, 2, 3, 7], "7 is none of")]:
                free.say("dice", hash=free.state["hash"], outcomes=wrong)
                error = free.hear("error")
                assert error["code"] == "dice"
                assert text in error["text"]
            old = free.state["hash"]
            free.say("dice", hash=old, outcomes=[6, 6, 6, 5])
            following = free.until(lambda state: state["hash"] != old)
            others = following["dice"]["number"]
            assert following["dice"]["text"] == f"{others} dice for the actions of the Shadow"
            assert following["number"] == number
            assert following["undo"] is None
            free.say("dice", hash=old, outcomes=[1] * 4)
            assert free.hear("error")["code"] == "stale"
            shadow.until(lambda state: state["hash"] == following["hash"])
            assert shadow.state["undo"] is None
            shadow.say("dice", hash=following["hash"], outcomes=[1] * others)
            state = free.at(number + 1)
            assert state["dice"] is None
            told = " ".join(each["text"] for each in state["told"])
            assert "Will of the West" in told
        with sit(asks, table, tokens, "free_peoples") as free:
            assert free.state["number"] == number + 1


def test_a_choice_that_waits_for_dice_is_taken_back_free_and_lost_with_the_server(tmp_path):
    with server(tmp_path) as asks:
        table, tokens = open_table(asks, WITH_BOT, own_dice=True)
        with sit(asks, table, tokens, "free_peoples") as person:
            to_dice([person], lambda dice: dice["text"].startswith("Hunt roll"))
            number, asked, dice = person.state["number"], person.state["hash"], person.state["dice"]
            assert person.state["undo"] == "free"
            person.say("undo", hash=asked)
            back = person.until(lambda state: state["dice"] is None)
            assert back["number"] == number
            assert back["legal"]
            person.say("dice", hash=back["hash"], outcomes=None)
            assert person.hear("error")["code"] == "dice"
            assert dice["seat"] == "free_peoples"
    with server(tmp_path) as asks, sit(asks, table, tokens, "free_peoples") as person:
        assert person.state["number"] == number
        assert person.state["dice"] is None
        assert person.state["legal"] == back["legal"]


def test_entered_dice_are_taken_back_in_study_games_only_and_asked_again(tmp_path):
    for study in (False, True):
        with server(tmp_path) as asks:
            table, tokens = open_table(asks, own_dice=True, study=study)
            with (
                sit(asks, table, tokens, "free_peoples") as free,
                sit(asks, table, tokens, "shadow") as shadow,
            ):
                assert to_dice([free, shadow]) is shadow
                asked = shadow.state
                shadow.say("dice", hash=asked["hash"], outcomes=[1] * 4)
                later = shadow.until(lambda state, old=asked["hash"]: state["hash"] != old)
                assert later["undo"] == ("study" if study else None)
                shadow.say("undo", hash=later["hash"])
                if not study:
                    assert shadow.hear("error")["code"] == "undo"
                    continue
                back = shadow.until(lambda state: state["dice"] is None)
                words = asked["dice"]["choice"]
                shadow.act(next(each["id"] for each in back["legal"] if each["words"] == words))
                again = shadow.until(lambda state: state["dice"])
                assert again["dice"] == asked["dice"]
                assert again["undo"] == "free"
                assert again["hash"] not in (asked["hash"], later["hash"])
                for _ in range(2):
                    shadow.say("dice", hash=shadow.state["hash"], outcomes=None)
                    shadow.until(lambda state, old=shadow.state["hash"]: state["hash"] != old)
                assert shadow.state["number"] == again["number"] + 1


def test_own_dice_need_a_person_and_a_table_without_them_asks_for_none(tmp_path):
    with server(tmp_path) as asks:
        bots = {"free_peoples": "random", "shadow": "random"}
        body = {"ruleset": SHORT, "seats": bots, "own_dice": True}
        answer = asks.post("/api/tables", json=body)
        assert (answer.status_code, "need a person" in answer.json()["error"]) == (400, True)
        table, tokens = open_table(asks)
        with sit(asks, table, tokens, "free_peoples") as free:
            assert (free.state["own_dice"], free.state["dice"]) == (False, None)
            free.say("dice", hash=free.state["hash"], outcomes=None)
            assert free.hear("error")["code"] == "dice"


def waiting_tables(ruleset, most, seed=7):
    """A table at each of its positions that wait for dice."""
    rules = KIND.find_ruleset(ruleset)
    seats = dict.fromkeys((seat.name for seat in rules.seats), "person")
    line, rng, stories = Line(KIND, rules, seed), random.Random(seed), {}
    while not line.over and line.number < most:
        action = rng.choice(line.legal)
        tape = tape_of(line, action, rng)
        if tape:
            played = [Played(each, n + 1, line.tapes.get(n, ())) for n, each in enumerate(line.actions)]
            table = Table(header(seats=seats, ruleset=rules), None, played)
            table.line, table._stories = line.copy(), stories  # what came before is told once
            asyncio.run(table.play([action]))
            if table.pending is not None:
                yield table, action
        line.step(action, tape)


@pytest.mark.parametrize("ruleset", ["first", "second", "first:players=4"])
def test_the_question_for_dice_tells_nobody_what_is_hidden(ruleset):
    """In each world that a seat thinks possible, where the choice can be made, the question is the same."""
    tried = 0
    for table, action in itertools.islice(waiting_tables(ruleset, 200), 0, None, 2):
        truth, key = table.line._states.copy(), table.pending.key
        for viewer in range(len(table.ruleset.seats)):
            eyes = Eyes(viewer, sits=True)
            while not table.has_told(viewer, table.line.number):
                table.tell_next(viewer)
            sent = table.message(eyes, 0, set())
            for world in range(2):
                states = truth.copy()
                KIND.kernels.sample_worlds(states, np.array([viewer]), np.array([world]))
                mask = KIND.masks(states)
                if not mask[0, action]:
                    continue
                other = table.line.copy()
                other._states = states
                pending, _ = table._tried(other, action, table.pending.gesture, ())
                chooses = viewer == int(truth[0]["seat"])
                if chooses and table.pending.is_fresh:
                    assert pending is not None and pending.asked == table.pending.asked
                elif pending is None or pending.asked != table.pending.asked:
                    continue  # what others have leads to another question
                tried += states.tobytes() != truth.tobytes()
                before = table.pending, table.line
                table.pending, table.line = pending._replace(key=key), other
                assert table.message(eyes, 0, set()) == sent
                table.pending, table.line = before
    assert tried > 10


def test_outcomes_are_refused_where_none_are_waited_for():
    table = Table(header(), None)
    with pytest.raises(Refused, match="no dice"):
        asyncio.run(table.enter(None))
