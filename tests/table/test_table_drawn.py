"""What the server tells of games that it draws: the board, questions, the end, rules compiled later."""

from __future__ import annotations

import asyncio
import dataclasses

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from tests.web_tables import Person, open_table, server, sit
from wotr_env.core.codes import PUBLIC
from wotr_env.core.descriptions import Form
from wotr_env.play.games import game_kind
from wotr_experiments.table import preparing
from wotr_experiments.table.preparing import RulesCompiler
from wotr_experiments.table.viewer_messages import drawn_board, sight
from wotr_experiments.table.viewers import Eyes

DRAWN = ["duel", "two-towers"]


@pytest.mark.parametrize("name", DRAWN)
def test_the_board_names_every_group_of_choices_and_what_is_seen(name):
    kind = game_kind(name)
    ruleset = kind.find_ruleset()
    board = drawn_board(kind, ruleset)
    assert board["positions"]
    assert set(board["groups"]) | set(board["finishing"]) == set(kind.actions.blocks)
    assert board["seats"] == [seat.name for seat in ruleset.seats]
    assert {form: width for form, (width, _) in board["sizes"].items()} == {
        "wide": 1060,
        "square": 680,
        "upright": 390,
    }
    entries = [entry for part in board["legend"] for entry in part["entries"]]
    assert len(entries) > 12 and all(entry["name"] and entry["text"] for entry in entries)
    assert sum(entry["drawing"] is not None for entry in entries) > 8


@pytest.mark.parametrize("spec", ["standard", "open", "standard:free_order=true,may_decline=false"])
def test_a_spec_finds_its_ruleset_again(spec):
    kind = game_kind("duel")
    ruleset = kind.find_ruleset(spec)
    assert kind.find_ruleset(kind.spec_of(ruleset)) == ruleset


def test_a_spec_names_players_and_values():
    kind = game_kind("two-towers")
    for spec in ("four", "drawn", "two:players=3,qualities=drawn"):
        assert kind.find_ruleset(kind.spec_of(kind.find_ruleset(spec))) == kind.find_ruleset(spec)


@pytest.mark.parametrize("name", DRAWN)
def test_who_is_asked_is_spoken_to_and_told_how_it_ended(name):
    kind = game_kind(name)
    ruleset = kind.find_ruleset()
    game, rng = kind.game(5, ruleset), np.random.default_rng(5)
    while game.result is None:
        seat = int(game.state["seat"])
        if len(game.actions) % 10 == 0:
            asked = sight(kind, ruleset, game.state, Eyes(seat, sits=True))["question"]["asked"]
            assert asked and not asked.startswith(ruleset.seats[seat].title)
            other = sight(kind, ruleset, game.state, Eyes(1 - seat, sits=True))
            assert "asked" not in other["question"] and other["legal"] == [] and other["verdict"] is None
        game.step(int(rng.choice(game.legal())))
    won = kind.winning_seats(np.array([game.state], dtype=kind.state), ruleset)[0]
    for seat in range(2):
        seen = sight(kind, ruleset, game.state, Eyes(seat, sits=True))
        assert seen["verdict"].startswith("You have won" if won[seat] else "You have lost")
        assert seen["drawing"] == sight(kind, ruleset, game.state, Eyes(None))["drawing"], "the end shows all"
    assert sight(kind, ruleset, game.state, Eyes(PUBLIC))["verdict"] is None
    if name == "two-towers":
        own, theirs = game.state["points"][:2]
        assert sight(kind, ruleset, game.state, Eyes(0, sits=True))["verdict"].endswith(
            f", {own} to {theirs}"
        )


@pytest.mark.parametrize("name", DRAWN)
def test_a_position_is_drawn_once_for_all_viewers_with_the_same_view_and_form(name):
    kind, drawn = game_kind(name), []

    def drawing(state, viewer, *, form):
        drawn.append((viewer, form))
        return game_kind(name).drawing(state, viewer, form=form)

    kind = dataclasses.replace(kind, drawing=drawing)
    ruleset = kind.find_ruleset()
    state = kind.game(1, ruleset).state
    seen = [
        sight(kind, ruleset, state, Eyes(view, sits, form=form))["drawing"]
        for form in (Form.SQUARE, Form.UPRIGHT)
        for view, sits in ((0, True), (0, False), (1, True), (PUBLIC, False), (PUBLIC, False))
    ]
    assert drawn == [(view, form) for form in (Form.SQUARE, Form.UPRIGHT) for view in (0, 1, PUBLIC)]
    assert [list(each) for each in seen] == [["square"]] * 5 + [["upright"]] * 5
    assert seen[0] == seen[1] and seen[3] == seen[4]
    assert len({each["square"] for each in seen[:5]}) == (1 if name == "duel" else 3)


def form_of(message):
    ((form, text),) = message["drawing"].items()
    width = {"wide": 1060, "square": 680, "upright": 390}[form]
    assert f'viewBox="0 0 {width} ' in text
    return form


def test_each_client_gets_drawings_in_the_form_that_it_names_and_else_wide_ones(tmp_path):
    with server(tmp_path) as asks:
        seats = dict.fromkeys(("fellowship", "sauron"), "person")
        table, tokens = open_table(asks, seats, "", game="duel")
        with sit(asks, table, tokens, "sauron") as own, sit(asks, table, tokens, "watch") as other:
            assert form_of(own.state) == form_of(other.state) == "wide"
            before = own.state
            own.say("window", form="upright")
            now = own.until(lambda state: "upright" in state["drawing"])
            assert form_of(now) == "upright" and now["hash"] == before["hash"]
            assert (now["after"], now["told"], now["legal"]) == (0, [], before["legal"])
            own.say("look", number=0)
            assert form_of(own.hear("look")) == "upright"
            own.act(own.state["legal"][0]["id"])
            assert form_of(own.at(1)) == "upright" and form_of(other.at(1)) == "wide"
            own.say("window", form="round")
            error = own.hear("error")
            assert (error["code"], error["about"]) == ("message", "window")
            assert error["text"] == "form is one of wide, square, upright, not 'round'"
            own.say("look", number=1)
            assert form_of(own.hear("look")) == "upright", "nothing has changed"


@pytest.mark.parametrize(("form", "code"), [("square", None), ("round", "message"), (7, "message")])
def test_the_first_message_may_name_the_form_of_drawings(tmp_path, form, code):
    with server(tmp_path) as asks:
        seats = {"player_1": "person", "player_2": "person"}
        table, tokens = open_table(asks, seats, "two", game="two-towers")
        with asks.websocket_connect("ws://localhost/ws") as socket:
            person = Person(socket)
            person.say("hello", table=table, token=tokens["player_1"], form=form)
            answer = person.hear()
            if code is None:
                assert form_of(answer) == form
            else:
                assert (answer["type"], answer["code"]) == ("error", code)
                assert "form is " in answer["text"] and "\n" not in answer["text"]


def test_rules_are_compiled_behind_the_server_one_game_after_the_other(monkeypatch):
    monkeypatch.setattr(preparing, "compile_rules", len)  # of a process of its own

    async def wait():
        later = RulesCompiler(["duel", "no-such-game", "two-towers"])
        assert later.is_ready("war-of-the-ring") and not later.is_ready("duel")
        for name in ("duel", "no-such-game", "two-towers"):
            await asyncio.wait_for(later.ready(name), 60)
            assert later.is_ready(name)
        await later.close()

    asyncio.run(wait())
