"""Games over the wire of the web table."""

from __future__ import annotations

import contextlib
import json
import random
import time

import pytest

from tests.web_tables import PEOPLE, SHORT, open_table, play_alternately, server, sit, table_of
from wotr_env import GameRecord
from wotr_env.games.war_of_the_ring.actions import ACTION_IDS
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.cli.main import main


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    with server(tmp_path_factory.mktemp("tables")) as asks:
        yield asks


def test_a_whole_game_against_a_bot(asks):
    table, tokens = open_table(asks, {"free_peoples": "person", "shadow": "scripted"}, "first:max_turns=2")
    with sit(asks, table, tokens, "free_peoples") as person:
        early = asks.get(f"/api/tables/{table}/record", headers=bearer(tokens["free_peoples"]))
        assert early.status_code == 403
        person.play_on(random.Random(1))
        assert person.state["result"] == person.state["result"] | {"turn": 2}
        assert person.state["question"] is None
        assert [each["number"] for each in person.told] == sorted(each["number"] for each in person.told)
        assert not person.errors
    answer = asks.get(f"/api/tables/{table}/record", headers=bearer(tokens["watch"]))
    record = GameRecord.from_json(answer.text)
    assert record.verify().over
    assert record.players == ("person", "scripted")
    assert len(record.actions) == person.state["number"]


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("players", [2, 4])
def test_people_and_a_spectator_see_the_same_game_and_no_hand_of_another(asks, players):
    ruleset = f"first:max_turns=4,players={players}"
    names = [seat.name for seat in WAR_OF_THE_RING.find_ruleset(ruleset).seats]
    table, tokens = open_table(asks, dict.fromkeys(names, "person"), ruleset)
    rng = random.Random(3)
    with sit(asks, table, tokens, "watch", after=0) as watcher:
        assert watcher.state["seat"] is None
        with contextlib.ExitStack() as stack:
            people = [stack.enter_context(sit(asks, table, tokens, name)) for name in names]
            watch_a_while([*people, watcher], rng)
        watcher.until(lambda state: not any(seat["here"] for seat in state["seats"]))


def watch_a_while(everybody, rng):
    """Plays on, and looks at what each is shown."""
    for _ in range(40):
        play_alternately(everybody, rng, 1)
        for each in everybody:
            hands = each.state["picture"]["hands"]
            assert {name for name, hand in hands.items() if hand["hand"] is not None} == {each.seat} - {None}
            assert bool(each.state["legal"]) == (each.state["question"]["seat"] == each.seat)
        assert len({each.state["hash"] for each in everybody}) == 1
    assert everybody[-1].events
    assert all(each["here"] for each in everybody[-1].state["seats"])


def test_who_comes_back_is_told_what_came_since(asks):
    table, tokens = open_table(asks)
    with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
        play_alternately([shadow, free], random.Random(5), 8)
        known, told = shadow.state["number"], list(shadow.told)
        shadow.socket.close()
        with sit(asks, table, tokens, "shadow") as second:
            play_alternately([second, free], random.Random(6), 12)
            with sit(asks, table, tokens, "shadow", after=known) as again:
                assert again.state["after"] == known
                assert told + again.told == second.told
                assert again.events and all(each["number"] > known for each in again.events)
                play_alternately([again, second, free], random.Random(7), 3)
                assert again.state == second.state | {"told": again.state["told"]}


def test_a_second_tab_cannot_act_twice(asks):
    table, tokens = open_table(asks)
    with sit(asks, table, tokens, "free_peoples") as one, sit(asks, table, tokens, "free_peoples") as two:
        asked = one.state["question"]["seat"]
        with sit(asks, table, tokens, asked) as tab, sit(asks, table, tokens, asked) as other:
            action, digits = tab.state["legal"][0]["id"], tab.state["hash"]
            tab.act(action)
            tab.at(1)
            other.act(action, digits=digits)
            assert other.hear("error")["code"] == "stale"
            assert other.at(1)["number"] == 1
        assert {one.at(1)["number"], two.at(1)["number"]} == {1}


def open_study(asks, **more):
    return open_table(asks, study=True, **more)


def test_undo_is_free_until_somebody_learns_something_and_then_for_study_games(asks):
    for study in (False, True):
        table, tokens = open_table(asks, study=study, seed=8)
        with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
            kinds = set()
            for _ in range(120):
                actor = free if free.decides() else shadow
                other = shadow if actor is free else free
                number, before, told = actor.state["number"], actor.state, list(actor.told)
                actor.act(random.Random(number).choice(actor.state["legal"])["id"])
                for each in (free, shadow):
                    each.at(number + 1)
                offer = actor.state["undo"]
                if offer is None or offer in kinds:
                    continue
                kinds.add(offer)
                assert other.state["undo"] != "free"
                actor.say("undo", hash=actor.state["hash"])
                for each in (free, shadow):
                    each.until(lambda state, number=number: state["number"] == number)
                same = ("number", "picture", "question", "legal")
                assert [actor.state[name] for name in same] == [before[name] for name in same]
                assert actor.state["hash"] != before["hash"]
                assert actor.told == told
                actor.act(before["legal"][0]["id"], digits=before["hash"])
                assert actor.hear("error")["code"] == "stale"
                actor.until(lambda state, number=number: state["number"] == number)
            assert kinds == ({"free", "study"} if study else {"free"})
            if study:
                players = table_of(asks, table, tokens).record().players
                assert sorted(players) == ["person (study, 0 taken back)", "person (study, 1 taken back)"]
            else:
                loser = free if free.state["undo"] is None else shadow
                loser.say("undo", hash=loser.state["hash"])
                assert loser.hear("error")["code"] == "undo"


def test_a_second_undo_tells_nothing_again(asks):
    table, tokens = open_study(asks, seed=8)
    with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
        for _ in range(2):
            play_alternately([shadow, free], random.Random(2), 6)
            number = shadow.state["number"]
            actor = free if free.state["undo"] else shadow
            actor.say("undo", hash=actor.state["hash"])
            for each in (free, shadow):
                state = each.until(lambda state, number=number: state["number"] < number)
                assert (state["after"], state["told"]) == (state["number"], [])


def test_a_gesture_stops_where_somebody_learns_something_and_at_what_is_not_legal(asks):
    table, tokens = open_table(asks, ruleset="first:max_turns=3", seed=8)
    stopped = set()
    with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
        for _ in range(100):
            actor = free if free.decides() else shadow
            number = actor.state["number"]
            chosen = random.Random(number).choice(actor.state["legal"])["id"]
            rest = [ACTION_IDS.get("done", 0)] * 2
            actor.act(chosen, *rest)
            for each in (free, shadow):
                each.at(number + 1)
            steps = actor.state["number"] - number
            stopped.add((steps, actor.state["undo"]))
            assert 1 <= steps <= 3
            if steps > 1:
                assert actor.state["undo"] is None or actor.state["undo"] == "free"
        assert {steps for steps, _ in stopped} >= {1}


def test_one_undo_takes_a_whole_gesture_back(asks):
    table, tokens = open_table(asks, ruleset="first:max_turns=3", seed=8)
    rng = random.Random(11)
    with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
        for _ in range(400):
            actor = free if free.decides() else shadow
            number, state = actor.state["number"], actor.state
            tried = [rng.choice(state["legal"])["id"] for _ in range(1)]
            actor.act(*tried, *(each["id"] for each in state["legal"][:20]))
            for each in (free, shadow):
                each.at(number + 1)
            if actor.state["number"] - number >= 2 and actor.state["undo"] == "free":
                actor.say("undo", hash=actor.state["hash"])
                actor.until(lambda after, number=number: after["number"] == number)
                assert actor.state["picture"] == state["picture"]
                return
    raise AssertionError("no gesture of two choices")


def test_the_past_can_be_looked_at_as_the_seat_saw_it(asks):
    table, tokens = open_table(asks)
    with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
        pictures = {0: free.state["picture"]}
        for _ in range(40):
            play_alternately([shadow, free], random.Random(2), 1)
            pictures[free.state["number"]] = free.state["picture"]
        for number in (0, 1, 7, 31, 32, 33, 40):
            free.say("look", number=number)
            seen = free.hear("look")
            assert seen["number"] == number
            assert seen["picture"] == pictures[number]
            assert seen["legal"] == [] and seen["hash"] is None
        free.say("look", number=1000)
        assert free.hear("error")["code"] == "number"


def test_a_hint_tells_the_best_choices_with_their_values(asks):
    table, tokens = open_table(asks)
    with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
        actor, other = (free, shadow) if free.decides() else (shadow, free)
        for bot in ("scripted", "random"):
            actor.say("hint", hash=actor.state["hash"], bot=bot)
            hint = actor.hear("hint")
            assert hint["hash"] == actor.state["hash"]
            assert {each["id"] for each in hint["actions"]} <= {each["id"] for each in actor.state["legal"]}
            assert all(each["value"] is not None and each["words"] for each in hint["actions"])
            assert hint["scale"] and hint["bot"] == bot
            assert hint["line"][0]["id"] == hint["actions"][0]["id"]
        actor.say("hint", hash=actor.state["hash"], bot="nobody")
        assert actor.hear("error")["code"] == "bot"
        other.say("hint", hash=other.state["hash"], bot="scripted")
        assert other.hear("error")["code"] == "turn"


def test_tables_are_listed_without_secrets(asks):
    table, tokens = open_table(asks, {"free_peoples": "person", "shadow": "scripted"})
    text = asks.get("/api/tables").text
    assert not [token for token in tokens.values() if token in text]
    listed = {each["id"]: each for each in json.loads(text)["tables"]}[table]
    assert listed["over"] is False
    assert [seat["kind"] for seat in listed["seats"]] == ["person", "scripted"]
    options = asks.get("/api/options").json()["games"]["war-of-the-ring"]
    assert {"scripted", "random"} <= {bot["name"] for bot in options["bots"]}
    assert {number: len(seats) for number, seats in options["players"].items()} == {"2": 2, "3": 3, "4": 4}


def test_the_choice_tree_is_for_who_is_asked(tmp_path):
    with server(tmp_path) as asks:
        table, tokens = open_table(asks)
        with sit(asks, table, tokens, "free_peoples") as one, sit(asks, table, tokens, "shadow") as other:
            people = [one, other]
            while one.state["question"]["decision"] != "action-die":
                play_alternately(people, random.Random(1), most=1)
            one.say("choice_tree", hash=one.state["hash"])
            choices = one.hear()["choices"]
            assert [each["id"] for each in choices] == [each["id"] for each in one.state["legal"]]
            assert any("choices" in plan for die in choices for plan in die.get("choices", []))
            other.say("choice_tree", hash=other.state["hash"])
            assert other.hear("error")["code"] == "turn"


def test_links_show_what_was_wished_and_everybody_knows_of_them(asks):
    wished = [{"view": "shadow", "delay": 5}, {}]
    opened = asks.post("/api/tables", json={"ruleset": SHORT, "seats": PEOPLE, "watch": wished}).json()
    shown = [{"view": "shadow", "delay": 5}, {"view": "public", "delay": 0}]
    assert [{"view": each["view"], "delay": each["delay"]} for each in opened["links"]] == shown
    assert opened["watch"] == opened["links"][0]["token"]
    table, tokens = opened["table"], opened["tokens"] | {"watch": opened["watch"]}
    rng = random.Random(4)
    with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
        assert shadow.state["links"] == free.state["links"] == shown
        pictures = {0: shadow.state["picture"]}
        with sit(asks, table, tokens, "watch", after=0) as watcher:
            for _ in range(60):
                play_alternately([shadow, free], rng, 1)
                pictures[shadow.state["number"]] = shadow.state["picture"]
                watcher.at(shadow.state["number"] - 5)
                state = watcher.state
                assert state["number"] == max(0, shadow.state["number"] - 5)
                assert state["picture"] == pictures[state["number"]]
                assert (state["seat"], state["view"], state["delay"]) == (None, "shadow", 5)
                assert state["legal"] == [] and state["undo"] is None
            watcher.say("look", number=shadow.state["number"])
            assert watcher.hear("error")["code"] == "number"
            watcher.act(1)
            assert watcher.hear("error")["code"] in ("stale", "turn")
            assert free.state["seats"][1]["here"]
            shadow.socket.close()
            free.until(lambda state: not state["seats"][1]["here"])
        with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "watch") as watcher:
            play_alternately([shadow, free], rng)
            watcher.until(lambda state: state["result"])
            assert watcher.told == shadow.told


def test_a_finished_game_is_reviewed_with_all_open(asks):
    ruleset = "first:max_turns=1"
    table, tokens = open_table(asks, {"free_peoples": "person", "shadow": "scripted"}, ruleset)
    with sit(asks, table, tokens, "free_peoples") as person:
        person.say("look", number=0, eyes="all", after=0)
        assert person.hear("error")["code"] == "eyes"
        person.play_on(random.Random(1))
        last = person.state["number"]
        after = max(0, last - 30)  # a game may be as short
        for eyes, hands in (("all", 2), ("shadow", 1), ("public", 0), (None, 1)):
            person.say("look", number=last, eyes=eyes, after=after)
            seen = person.hear("look")
            shown = [hand["hand"] for hand in seen["picture"]["hands"].values()]
            assert sum(hand is not None for hand in shown) == hands
            assert seen["view"] == (eyes or "free_peoples") and seen["seat"] == "free_peoples"
            assert {each["number"] for each in seen["told"]} <= set(range(after + 1, last + 1))
            assert seen["events"] and seen["after"] == after
        assert seen["told"] == [each for each in person.told if each["number"] > after]
        person.say("look", number=last)
        assert person.hear("look")["told"] == []
        person.say("look", number=last, eyes="nobody")
        assert person.hear("error")["code"] == "message"


def test_bots_alone_play_to_the_end_at_once_or_at_a_pace_while_somebody_looks_on(asks):
    bots = {"free_peoples": "random", "shadow": "scripted"}
    table, tokens = open_table(asks, bots, "first:max_turns=1")
    with sit(asks, table, tokens, "watch") as watcher:
        watcher.until(lambda state: state["result"])
    table, tokens = open_table(asks, bots, "first", pace=0.3)
    for _ in range(2):
        time.sleep(0.5)
        with sit(asks, table, tokens, "watch") as watcher:
            began, turns, number = time.monotonic(), 0, watcher.state["number"]
            while turns < 3:
                watcher.hear("state")
                turns += watcher.state["number"] > number
                number = watcher.state["number"]
            assert time.monotonic() - began > 0.7
    with sit(asks, table, tokens, "watch") as watcher:
        last = watcher.state["number"]
        assert last >= number
    game, _ = asks.portal.call(asks.app.state.tables.find, table, tokens["watch"])
    seen = []  # one turn that was thought of is played yet, and nothing after that
    while len(seen) < 10 or len(set(seen[-10:])) > 1:
        assert not game.line.over
        time.sleep(0.2)
        seen.append(game.line.number)


def test_the_record_of_a_table_is_a_file_that_replay_opens(asks, tmp_path, capsys):
    over = open_table(asks, {"free_peoples": "random", "shadow": "random"}, "first:max_turns=1")
    with sit(asks, *over, "watch") as watcher:
        watcher.until(lambda state: state["result"])
    study = open_study(asks, ruleset="first:max_turns=1")
    with sit(asks, *study, "shadow") as shadow, sit(asks, *study, "free_peoples") as free:
        play_alternately([shadow, free], random.Random(1))
    for (table, tokens), number in ((over, watcher.state["number"]), (study, free.state["number"])):
        answer = asks.get(f"/api/tables/{table}/record", headers=bearer(tokens["watch"]))
        assert answer.headers["content-disposition"] == f'attachment; filename="wotr-{table}.jsonl"'
        file = tmp_path / f"wotr-{table}.jsonl"
        file.write_bytes(answer.content)
        assert main(["replay", str(file), "--json"]) == 0
        assert len(json.loads(capsys.readouterr().out)["decisions"]) == number


def test_a_table_comes_back_from_the_file_as_it_was(tmp_path):
    people = dict.fromkeys(("free_peoples", "shadow"), "person")
    with server(tmp_path) as asks:
        opened = open_table(asks, people, study=True, watch=[{"view": "shadow", "delay": 3}])
        with sit(asks, *opened, "shadow") as shadow, sit(asks, *opened, "free_peoples") as free:
            play_alternately([shadow, free], random.Random(1), 20)
            actor = free if free.state["undo"] else shadow
            actor.say("undo", hash=actor.state["hash"])
            actor.until(lambda state: state["number"] < 20)
            number = actor.state["number"]
            with sit(asks, *opened, "watch") as watcher:
                states = [each.until(lambda s: s["number"] <= number) for each in (shadow, free, watcher)]
    with server(tmp_path) as asks:
        for seat, before in zip(("shadow", "free_peoples", "watch"), states, strict=True):
            with sit(asks, *opened, seat) as again:
                same = ("number", "hash", "picture", "legal", "undo", "view", "delay", "links")
                assert [again.state[name] for name in same] == [before[name] for name in same]


def test_all_tables_are_listed_page_by_page(tmp_path):
    with server(tmp_path, listed=3) as asks:
        opened = [open_table(asks)[0] for _ in range(8)]
        found, following = [], ""
        while following is not None:
            page = asks.get(f"/api/tables?after={following}").json()
            found += [each["id"] for each in page["tables"]]
            following = page["next"]
        assert found == opened[::-1]
        assert asks.get("/api/tables?after=nonsense").status_code == 400
        assert asks.get("/api/tables?after=nan~x").json()["tables"] == []


def test_a_serious_game_takes_nothing_back_after_a_roll_and_its_record_says_person(asks):
    opened = open_table(asks, ruleset="first:max_turns=1", seed=8)
    with sit(asks, *opened, "shadow") as shadow, sit(asks, *opened, "free_peoples") as free:
        while free.state["result"] is None:
            play_alternately([shadow, free], random.Random(free.state["number"]), 1)
            offers = {free.state["undo"], shadow.state["undo"]}
            assert "study" not in offers
            if offers == {None}:
                free.say("undo", hash=free.state["hash"])
                assert free.hear("error")["code"] == "undo"
    answer = asks.get(f"/api/tables/{opened[0]}/record", headers=bearer(opened[1]["watch"]))
    assert GameRecord.from_json(answer.text).players == ("person", "person")


@pytest.mark.parametrize("seed", [7, "7", "9007199254740993", "9223372036854775807"])
def test_a_seed_may_be_a_number_or_its_digits(asks, seed):
    table = table_of(asks, *open_table(asks, seed=seed))
    assert table.line.seed == int(seed)


def test_an_error_names_the_message_that_it_is_about(asks):
    table, tokens = open_table(asks)
    with sit(asks, table, tokens, "free_peoples") as free:
        for kind, fields in (
            ("choice_tree", {}),
            ("odds", {}),
            ("hint", {"bot": "random"}),
            ("act", {"actions": [0]}),
        ):
            free.say(kind, hash="another", **fields)
            error = free.hear("error")
            assert (error["code"], error["about"]) == ("stale", kind)
        free.say("nothing")
        assert free.hear("error")["about"] is None
