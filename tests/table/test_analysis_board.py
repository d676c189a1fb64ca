"""The analysis board over HTTP: lines, positions, what is told, records, bots, and what is refused."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest

from tests.table.test_table_dice import played_line
from tests.web_tables import server
from wotr_env.core.descriptions import Form
from wotr_env.core.shapes import svg
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_env.play.record import GameRecord
from wotr_experiments.table.analysis_board import answers as board_module
from wotr_experiments.table.analysis_board.answers import AnalysisBoard
from wotr_experiments.table.analysis_board.messages import AdviceRequest, PositionRequest, Start, TextsRequest
from wotr_experiments.table.line import Line
from wotr_experiments.table.messages import Refused, to_json
from wotr_experiments.table.viewer_messages import tell


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    with server(tmp_path_factory.mktemp("tables")) as asks:
        yield asks


DRAWN = [("duel", ""), ("two-towers", "three")]


def random_game(ruleset="first", seed=3, most=10_000, game=DEFAULT_GAME):
    """A record of random choices."""
    rng, kind = np.random.default_rng(seed), game_kind(game)
    game = kind.game(seed, kind.find_ruleset(ruleset))
    while game.result is None and len(game.actions) < most:
        game.step(int(rng.choice(game.legal())))
    return GameRecord.from_game(game)


def ask(asks, what, status=200, **body):
    answer = asks.post(f"/api/study/{what}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def line_of(opened):
    return {"start": opened["start"], "actions": opened["actions"]}


def test_a_request_waits_for_the_compiled_rules_of_its_game(asks, monkeypatch):
    waited = []

    async def ready(name):
        waited.append(name)

    monkeypatch.setattr(asks.app.state.preparing, "ready", ready)
    opened = ask(asks, "open", game="duel", seed="4")
    ask(asks, "position", **line_of(opened), number=0)
    ask(asks, "advice", **line_of(opened), numbers=[0], bot="random")
    ask(asks, "open", record=random_game("three", most=3, game="two-towers").to_json())
    ask(asks, "open")
    assert waited == ["duel", "duel", "duel", "two-towers", DEFAULT_GAME]
    ask(asks, "open", 400, record="no record")
    assert waited.pop() == ""
    asks.post("/api/study/open", content="{", headers={"Content-Type": "application/json"})
    assert len(waited) == 5  # what cannot be read waits for nothing


def test_a_record_is_opened_and_every_part_of_it_is_shown(asks):
    record = random_game("first:players=4")
    opened = ask(asks, "open", record=record.to_json())
    assert opened["actions"] == list(record.actions)
    assert opened["start"]["seed"] == str(record.seed)
    assert opened["number"] == len(record.actions) and opened["result"] is not None
    assert {mark["kind"] for mark in opened["marks"]} >= {"turn", "battle"}
    game = record.replay(7)
    shown = ask(asks, "position", **line_of(opened), number=7, after=4)
    assert [each["id"] for each in shown["legal"]] == list(game.legal())
    assert shown["picture"] == json.loads(json.dumps(WAR_OF_THE_RING.picture(game.state, None)))
    assert {each["number"] for each in shown["told"]} <= {5, 6, 7}
    last = ask(asks, "position", **line_of(opened), number=opened["number"])
    assert last["result"] is not None and last["legal"] == [] and last["asks"] is None
    text = asks.post("/api/study/record", json={**line_of(opened), "players": ["a", "b", "c", "d"]}).text
    assert GameRecord.from_json(text).verify().hash() == record.hash
    assert GameRecord.from_json(text).players == ("a", "b", "c", "d")


def test_with_own_dice_the_given_outcomes_are_told(asks):
    record = played_line(1, 60).record(["", ""])
    opened = ask(asks, "open", record=record.to_json())
    kind, rules = record.kind, record.ruleset
    steps = enumerate(record.steps(record.begun()), start=1)
    expected = [tell(kind, rules, state, action, number, None) for number, (state, action) in steps]
    sentences = [each for story in expected for each in story.sentences]
    events = [story.events for story in expected if story.events is not None]
    wanted = json.loads(to_json({"told": sentences, "events": events}))
    assert ask(asks, "told", **line_of(opened), after=0)["told"] == wanted["told"]
    shown = ask(asks, "position", **line_of(opened), number=60, after=0)
    assert {name: shown[name] for name in wanted} == wanted
    (number, tape), *_ = record.tapes
    for wrong in ((*tape[:-1], 99), (1,) * 1000, (-1,)):
        line = {**opened["start"], "tapes": [(number, wrong)]}
        error = ask(asks, "line", 400, start=line, actions=opened["actions"])["error"]
        assert (
            error.startswith(f"action number {number + 1}, {record.actions[number]}: ") and "\n" not in error
        )


def test_a_line_is_compared_once_with_the_record_whose_outcomes_it_has():
    class Played(list):
        asked = 0

        def __getitem__(self, place):
            self.asked += 1
            return super().__getitem__(place)

    line, seed = played_line(1, 60), "1"
    played, tapes = Played(line.actions), [(number, list(tape)) for number, tape in line.tapes.items()]
    start = Start(line.ruleset.to_dict(), seed, played=played, tapes=tapes)
    board = AnalysisBoard(SlowWorkers(), lambda spec, kind: "chances")
    again = board._line(start, line.actions)
    assert again.state.tobytes() == line.state.tobytes() and again.tapes == line.tapes
    assert played.asked < 20
    last = max(line.tapes)
    other = next(action for action in line.shortened(last).legal if action != line.actions[last])
    assert board._line(start, [*line.actions[:last], other]).tapes.keys() == line.tapes.keys() - {last}
    board.close()


@pytest.mark.parametrize(("game", "ruleset"), DRAWN)
def test_a_game_that_the_server_draws_is_opened_and_every_part_of_it_is_shown(asks, game, ruleset):
    record, kind = random_game(ruleset, game=game), game_kind(game)
    opened = ask(asks, "open", record=record.to_json())
    seats, last = record.ruleset.seats, len(record.actions)
    assert opened["board"]["drawn"] and opened["board"]["game"] == game
    assert [each["title"] for each in opened["teams"]] == [kind.teams[each.team].title for each in seats]
    states = [record.replay(number).state for number in range(last)]
    assert opened["openings"] == [number for number, state in enumerate(states) if kind.opens(state)]
    for form in Form:
        shown = ask(asks, "position", **line_of(opened), number=9, after=5, form=form)
        assert shown["drawing"] == {form: svg(kind.drawing(states[9], None, form=form), pointed=True)}
    assert [each["id"] for each in shown["legal"]] == list(record.replay(9).legal())
    why = kind.guide.why(states[9])
    assert {name for each in shown["why"] for name in each["names"]} == set(why)
    assert {each["number"] for each in shown["events"]} == {6, 7, 8, 9}
    for seat, each in enumerate(seats):
        seen = ask(asks, "position", **line_of(opened), number=9, eyes=each.name)
        assert seen["drawing"] == {"wide": svg(kind.drawing(states[9], seat), pointed=True)}
        assert bool(seen["legal"]) == (seen["asks"] == each.name)
    text = ask(asks, "notation", **line_of(opened), number=9)["text"]
    assert ask(asks, "open", record=text)["start"]["text"] == text
    assert ask(asks, "position", **line_of(opened), number=last)["result"] is not None
    (answer,) = ask(asks, "advice", **line_of(opened), numbers=[9], bot="scripted")["answers"]
    assert answer["played"]["id"] == record.actions[9]
    assert "cannot be set up" in ask(asks, "setup", 400, **line_of(opened), number=9)["error"]
    assert "cannot be set up" in ask(asks, "check", 400, start=opened["start"])["error"]
    saved = asks.post("/api/study/record", json={**line_of(opened), "players": list(record.players)}).text
    assert GameRecord.from_json(saved) == record


def test_an_empty_game_of_another_kind_branches(asks):
    opened = ask(asks, "open", game="duel", seed="4")
    actions = []
    for choice in (0, -1, 0):
        shown = ask(asks, "position", start=opened["start"], actions=actions, number=len(actions))
        actions.append(shown["legal"][choice]["id"])
    assert ask(asks, "line", start=opened["start"], actions=actions)["number"] == 3


def test_marks_and_openings_are_where_the_positions_say(asks):
    record = random_game(seed=8)
    opened = ask(asks, "open", record=record.to_json())
    kind, openings = WAR_OF_THE_RING, []
    game = kind.game(record.seed, record.ruleset)
    before, marks = game.state, []
    for number, action in enumerate([None, *record.actions]):
        if action is not None:
            game.step(action)
        state = game.state
        if game.result is None and kind.decision(state) == "action-die":
            openings.append(number)
        changes = {
            "turn": state["turn"] > before["turn"],
            "reveal": state["revealed"] > before["revealed"],
            "capture": (state["control"] != before["control"]).any(),
        }
        marks += [{"number": number, "kind": name} for name, found in changes.items() if found]
        before = state
    assert opened["openings"] == openings
    assert [mark for mark in opened["marks"] if mark["kind"] != "battle"] == marks


def test_an_empty_game_branches_and_goes_back(asks):
    opened = ask(asks, "open", ruleset="second", seed="9223372036854775807")
    assert opened["start"]["seed"] == "9223372036854775807" and opened["actions"] == []
    actions = []
    for choice in (0, -1, 0, 0, -1):
        shown = ask(asks, "position", start=opened["start"], actions=actions, number=len(actions))
        actions.append(shown["legal"][choice]["id"])
    long = ask(asks, "position", start=opened["start"], actions=actions, number=5, after=0)
    again = ask(asks, "position", start=opened["start"], actions=actions[:3], number=3, after=0)
    fresh = ask(asks, "position", start=opened["start"], actions=actions, number=3, after=0)
    assert again == fresh
    assert long["told"][: len(again["told"])] == again["told"]
    told = ask(asks, "told", start=opened["start"], actions=actions, after=0)
    assert told["told"] == long["told"]


def test_a_long_game_fits_and_no_step_of_it_replays_all(asks, monkeypatch):
    applied = []
    apply = Line._apply

    def count(line, *arguments):
        applied.append(line)
        return apply(line, *arguments)

    monkeypatch.setattr(Line, "_apply", count)
    record = random_game(seed=5)
    actions = list(record.actions)
    padded = json.dumps([1000] * 10_000)
    assert len(padded) < board_module.MOST_BYTES
    opened = ask(asks, "open", record=record.to_json())
    opening, last = len(applied), range(len(actions) - 25, len(actions))
    for number in last:
        ask(asks, "position", **line_of(opened), number=number)
    assert len(applied) - opening <= 100 * len(last) < 1000 * len(last) < len(actions) * len(last)
    start = len(actions) - 500
    told, after = [], start
    while after < len(actions):
        part = ask(asks, "told", **line_of(opened), after=after)
        told += part["told"]
        after = part["number"]
    assert {each["number"] for each in told} == set(range(start + 1, len(actions) + 1))


@pytest.mark.parametrize(
    ("what", "body", "status", "word"),
    [
        ("open", {"record": "nonsense"}, 400, "damaged"),
        ("open", {"record": '{"format": 1}'}, 400, "field"),
        ("open", {"ruleset": "ninth"}, 400, "no ruleset"),
        ("open", {"game": "chess"}, 400, "unknown game"),
        ("open", {"seed": "-1"}, 400, "seed"),
        ("open", {"seed": "9" * 19}, 400, "seed"),
        ("open", [], 400, "object"),
        ("line", {"actions": []}, 400, "start"),
        ("position", {"number": 1}, 400, "0 actions"),
        ("position", {"number": 0, "eyes": "sauron"}, 400, "eyes"),
        ("position", {"number": 0, "more": 1}, 400, "more"),
        ("position", {"number": 0, "form": "round"}, 400, "form is one of"),
        ("position", {"number": 0, "actions": [65_535]}, 400, "not legal"),
        ("position", {"number": 0, "actions": [-1]}, 400, "actions"),
        ("position", {"number": 0, "actions": [0] * 10_001}, 400, "length"),
        ("told", {"after": 3}, 400, "0 actions"),
        ("advice", {"numbers": [], "bot": "random"}, 400, "length"),
        ("advice", {"numbers": [0], "bot": "nobody"}, 400, "unknown bot"),
        ("advice", {"numbers": [0], "bot": "random", "start": {"ruleset": {"x": 1}, "seed": "1"}}, 400, "x"),
        ("record", {"players": ["x" * 301]}, 400, "length"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(asks, what, body, status, word):
    if isinstance(body, dict) and what != "open":
        ruleset = WAR_OF_THE_RING.find_ruleset().to_dict()
        defaults = {"start": {"ruleset": ruleset, "seed": "1"}, "actions": []}
        body = body if what == "line" else defaults | body
    answer = asks.post(f"/api/study/{what}", json=body)
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert word in error and "\n" not in error


def test_other_bodies_are_refused(asks):
    assert (
        asks.post("/api/study/open", content="{}", headers={"Content-Type": "text/plain"}).status_code == 400
    )
    long = json.dumps({"record": "x" * 300_000})
    headers = {"Content-Type": "application/json"}
    assert asks.post("/api/study/open", content=long, headers=headers).status_code == 413
    assert asks.post("/api/study/open", content=b"\xff" * 10, headers=headers).status_code == 400


# --- Eyes. ---


@pytest.mark.parametrize(
    ("game", "ruleset", "number"),
    [(DEFAULT_GAME, "first", 160), (DEFAULT_GAME, "second:players=3", 160), *((*each, 24) for each in DRAWN)],
)
def test_eyes_of_a_seat_see_the_same_bytes_in_all_worlds_that_it_thinks_possible(
    game, ruleset, number, monkeypatch
):
    record, kind = random_game(ruleset, 4, number, game), game_kind(game)
    study = AnalysisBoard.__new__(AnalysisBoard)
    study._known = board_module.collections.deque(maxlen=2)
    start = Start(record.ruleset.to_dict(), str(record.seed), game)
    line = study._line(start, record.actions)
    truth = line._states.copy()
    monkeypatch.setattr(study, "_line", lambda start, actions: line)
    changed = 0
    for seat, each in enumerate(record.ruleset.seats):

        def seen(eyes=each.name):
            asked = PositionRequest(start, list(record.actions), number, eyes, max(0, number - 40))
            told = study.told(TextsRequest(start, list(record.actions), 0, eyes))
            return board_module.to_json([study.position(asked), told])

        sent = seen()
        assert f'"eyes":"{each.name}"'.encode() in sent
        for world in range(2):
            states = truth.copy()
            kind.kernels.sample_worlds(states, np.array([seat]), np.array([world]))
            changed += states.tobytes() != truth.tobytes()
            line._states = states
            assert seen() == sent
        line._states = truth
    assert changed >= 4


def test_eyes_of_a_seat_see_what_the_table_shows_it(asks):
    record = random_game("first", seed=6, most=120)
    opened = ask(asks, "open", record=record.to_json())
    state = record.replay().state
    for seat, each in enumerate(record.ruleset.seats):
        shown = ask(asks, "position", **line_of(opened), number=120, eyes=each.name)
        assert shown["picture"] == json.loads(json.dumps(WAR_OF_THE_RING.picture(state, seat)))
        assert bool(shown["legal"]) == (shown["asks"] == each.name)


# --- Bots. ---


def test_bots_are_asked_about_positions(asks):
    record = random_game(seed=3, most=60)
    opened = ask(asks, "open", record=record.to_json())
    numbers = [*opened["openings"][:2], 60]
    told = ask(asks, "advice", **line_of(opened), numbers=numbers, bot="expectation")
    assert told["chances"] and [each["number"] for each in told["answers"]] == numbers
    for each in told["answers"]:
        values = [action["value"] for action in each["actions"]]
        assert values == sorted(values, reverse=True) and all(0 <= value <= 1 for value in values)
    first = told["answers"][0]
    assert first["played"]["id"] == record.actions[numbers[0]] and first["played"]["value"] is not None
    assert told["answers"][-1]["played"] is None
    other = ask(asks, "advice", **line_of(opened), numbers=numbers[:1], bot="scripted")
    assert not other["chances"] and other["values"] == "score by rules of thumb"
    even = ask(asks, "advice", **line_of(opened), numbers=numbers[:1], bot="random")
    values = [action["value"] for action in even["answers"][0]["actions"]]
    assert not even["chances"] and len(set(values)) == 1 and 0 < values[0] < 1


class SlowWorkers:
    """Processes of bots that never answer."""

    number = 1
    ended = False

    async def call(self, *arguments):
        try:
            await asyncio.sleep(60)
        finally:
            self.ended = True


def test_a_bot_is_ended_when_nobody_waits_for_it_any_more(monkeypatch):
    monkeypatch.setattr(board_module, "_GONE", 0.02)
    monkeypatch.setattr(board_module, "_GRACE", 0.02)
    record = random_game(seed=3, most=30)
    asked = AdviceRequest(Start(record.ruleset.to_dict(), "3"), list(record.actions), "scripted", [1, 2])
    looks = []

    async def gone():
        looks.append(None)
        return len(looks) > 3

    async def wait():
        workers = SlowWorkers()
        study = AnalysisBoard(workers, lambda spec, kind: "chances")
        with pytest.raises(Refused, match="no longer needed"):
            await asyncio.wait_for(study.advice(asked, gone), 10)
        assert workers.ended and study._asking == 0
        looks.append(None)
        assert (await study.advice(asked, gone))["answers"] == []
        study.close()

    asyncio.run(wait())


# --- Positions set up by hand. ---


def at_a_die(asks):
    """A line, and the number of its first question for a die."""
    opened = ask(asks, "open", record=random_game(seed=11).to_json())
    return opened, opened["openings"][0]


def test_a_position_is_changed_and_played_on(asks):
    opened, number = at_a_die(asks)
    before = ask(asks, "position", **line_of(opened), number=number)
    start = ask(asks, "setup", **line_of(opened), number=number)["start"]
    same = ask(asks, "check", start=start)
    assert same["why"] is None and same["picture"] == before["picture"]
    start["position"]["regions"]["edoras"] = {"rohan": [4, 0, 0]}
    changed = ask(asks, "position", start=start, actions=[], number=0)
    assert changed["picture"]["regions"]["edoras"]["armies"][0]["figures"] == {"rohan": [4, 0, 0]}
    actions = []
    for _ in range(6):
        shown = ask(asks, "position", start=start, actions=actions, number=len(actions), after=0)
        actions.append(shown["legal"][0]["id"])
    assert ask(asks, "line", start=start, actions=actions, board=True)["board"]["regions"]
    assert ask(asks, "advice", start=start, actions=[], numbers=[0], bot="expectation")["answers"]
    text = asks.post("/api/study/record", json={"start": start, "actions": actions}).text
    record = GameRecord.from_json(text)
    assert record.actions == tuple(actions)
    assert record.verify().state["regular"].sum() and record.position
    again = ask(asks, "open", record=text)
    assert again["actions"] == actions and again["start"]["text"] == record.position
    lines = ({"start": start, "actions": actions}, line_of(again))
    one, other = (ask(asks, "position", **line, number=6) for line in lines)
    assert one == other


def test_positions_and_games_as_text_are_opened_and_given(asks):
    record = random_game("second", seed=7, most=150)
    opened = ask(asks, "open", record=record.to_text())
    assert opened["actions"] == list(record.actions)
    game = record.replay(90)
    text = ask(asks, "notation", **line_of(opened), number=90)["text"]
    assert text == game.position()
    begun = ask(asks, "open", record=f"\n {text}\n")
    assert begun["actions"] == [] and begun["start"]["text"] == text
    there = ask(asks, "position", **line_of(opened), number=90)
    here = ask(asks, "position", **line_of(begun), number=0)
    assert there["picture"] == here["picture"] and there["legal"] == here["legal"]
    later = ask(asks, "position", start=begun["start"], actions=[here["legal"][0]["id"]], number=1)
    assert later["number"] == 1
    refused = {text[:-1]: "not a position", "chess:1": "unknown game", "[text 1]": "no field"}
    for words, message in refused.items():
        assert message in ask(asks, "open", 400, record=words)["error"]
    assert "contains 2 games" in ask(asks, "open", 400, record=record.to_text() * 2)["error"]
    forged = {**begun["start"], "text": "war-of-the-ring"}
    assert "not a position" in ask(asks, "position", 400, start=forged, actions=[], number=0)["error"]


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_s_position_as_text_tells_nothing_else(asks, seat):
    """The same text for every world that it holds possible."""
    game = random_game(seed=7, most=150).replay()
    name = game.ruleset.seats[seat].name
    texts = set()
    for seed in range(4):
        states = game.state.reshape(1).copy()
        if seed:
            WAR_OF_THE_RING.kernels.sample_worlds(states, np.array([seat]), np.array([seed]))
        begun = ask(asks, "open", record=WAR_OF_THE_RING.positions.write(states[0], None))
        texts.add(ask(asks, "notation", **line_of(begun), number=0, eyes=name)["text"])
    assert texts == {game.position(seat)}


def test_what_cannot_be_is_said_as_an_answer_while_it_is_set_up(asks):
    opened, number = at_a_die(asks)
    start = ask(asks, "setup", **line_of(opened), number=number)["start"]
    start["position"]["characters"]["aragorn"] = "minas-tirith"
    found = ask(asks, "check", start=start)
    assert "Strider" in found["why"] and found["picture"] is None
    assert "Strider" in ask(asks, "position", 400, start=start, actions=[], number=0)["error"]
    assert "chooses an action die" in ask(asks, "setup", 400, **line_of(opened), number=0)["error"]


@pytest.mark.parametrize("position", [{}, {"turn": [[[]]]}, {"x": 1}, {"regions": {"edoras": None}}])
def test_damaged_positions_are_refused(asks, position):
    start = {"ruleset": {}, "seed": "1", "position": position}
    error = ask(asks, "position", 400, start=start, actions=[], number=0)["error"]
    assert error and "\n" not in error
