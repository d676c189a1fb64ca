"""Hints over the wire: of every bot that is offered, and of whole gestures."""

from __future__ import annotations

from tests.clocks import LONG
from tests.web_tables import open_table, server, sit, table_of


def test_every_bot_that_is_offered_can_be_asked_for_a_hint(tmp_path):
    """With few simulations, since only the specs are tried."""
    quick = {"search": ",sims=4,worlds=2", "playouts": ",playouts=8", "mcts": ":sims=4,worlds=2"}
    with server(tmp_path) as asks:
        bots = asks.get("/api/options").json()["games"]["war-of-the-ring"]["bots"]
        specs = {spec: bot["name"] for bot in bots for spec in bot["specs"]}
        assert {"net:zoo/wide", "search:zoo/wide", "playouts:zoo/wide", "scripted"} <= set(specs)
        table, tokens = open_table(asks, seed=3)
        with sit(asks, table, tokens, "shadow") as shadow, sit(asks, table, tokens, "free_peoples") as free:
            person = free if free.decides() else shadow
            for spec, name in specs.items():
                person.say("hint", hash=person.state["hash"], bot=spec + quick.get(name, ""))
                hint = person.hear("hint")
                assert hint["actions"] and hint["line"][0]["id"] == hint["actions"][0]["id"]
            assert person.errors == []
        duel = asks.get("/api/options").json()["games"]["duel"]["bots"]
        specs = {bot["name"]: bot["specs"] for bot in duel}
        assert [specs[name] for name in ("net", "search")] == [["net:zoo/duel"], ["search:zoo/duel"]]
        assert all(specs.values())


def test_a_hint_names_the_whole_gesture_and_it_can_be_played(tmp_path, monkeypatch):
    """Its first action that reveals something is its last."""
    monkeypatch.setattr("wotr_experiments.table.tables._HINT", LONG)
    with server(tmp_path) as asks:
        opened = open_table(asks, seed=3)
        table, long = table_of(asks, *opened), 0
        with sit(asks, *opened, "shadow") as shadow, sit(asks, *opened, "free_peoples") as free:
            for _ in range(30):
                person = free if free.decides() else shadow
                person.say("hint", hash=person.state["hash"], bot="scripted")
                line = person.hear("hint")["line"]
                long += len(line) > 2
                number = person.state["number"]
                person.act(*(each["id"] for each in line))
                for each in (free, shadow):
                    each.at(number + len(line))
                assert table.line.actions[number : number + len(line)] == [each["id"] for each in line]
                quiet = [table._is_quiet(each) for each in range(number, number + len(line) - 1)]
                assert all(quiet)
        assert long > 2
