"""What the server tells of games that it draws: the board, questions, the end, rules compiled later."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from wotr_env.core.codes import PUBLIC
from wotr_env.play.games import game_kind
from wotr_experiments.table import preparing
from wotr_experiments.table.eyes import Eyes
from wotr_experiments.table.preparing import Preparing
from wotr_experiments.table.sight import drawn_board, sight, spec_of

DRAWN = ["duel", "two-towers"]


@pytest.mark.parametrize("name", DRAWN)
def test_the_board_names_every_group_of_choices_and_what_is_seen(name):
    kind = game_kind(name)
    ruleset = kind.find_ruleset()
    board = drawn_board(kind, ruleset)
    assert set(board["groups"]) | set(board["finishing"]) == set(kind.actions.blocks)
    assert board["seats"] == [seat.name for seat in ruleset.seats]
    entries = [entry for part in board["legend"] for entry in part["entries"]]
    assert len(entries) > 12 and all(entry["name"] and entry["text"] for entry in entries)
    assert sum(entry["drawing"] is not None for entry in entries) > 8


@pytest.mark.parametrize("spec", ["standard", "open", "standard:free_order=true,may_decline=false"])
def test_a_spec_finds_its_ruleset_again(spec):
    kind = game_kind("duel")
    ruleset = kind.find_ruleset(spec)
    assert kind.find_ruleset(spec_of(kind, ruleset)) == ruleset


def test_a_spec_names_players_and_values():
    kind = game_kind("two-towers")
    for spec in ("four", "drawn", "two:players=3,qualities=drawn"):
        assert kind.find_ruleset(spec_of(kind, kind.find_ruleset(spec))) == kind.find_ruleset(spec)


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


def test_rules_are_compiled_behind_the_server_one_game_after_the_other(monkeypatch):
    monkeypatch.setattr(preparing, "compile_rules", len)  # of a process of its own

    async def wait():
        later = Preparing(["duel", "no-such-game", "two-towers"])
        assert later.is_ready("war-of-the-ring") and not later.is_ready("duel")
        for name in ("duel", "no-such-game", "two-towers"):
            await asyncio.wait_for(later.ready(name), 60)
            assert later.is_ready(name)
        await later.close()

    asyncio.run(wait())
