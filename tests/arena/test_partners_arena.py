"""Tournaments of three and four players, from the command to the folder."""

from __future__ import annotations

import json

import pytest

from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_experiments.arena.store import GAMES, load_records, read_store
from wotr_experiments.cli import main as cli

PLAYERS = (3, 4)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("seats", ["teams", "drawn"])
def test_a_tournament_of_partners(tmp_path, capsys, players, seats):
    arguments = ["tournament", "random", "random", "--games", "6", "--workers", "1", "--seats", seats]
    arguments += ["--ruleset", f"first:players={players},max_turns=2", "--out", str(tmp_path), "--json"]
    assert cli.main([*arguments, "--replays", "none"]) == 0
    summary = json.loads(capsys.readouterr().out)
    names = [seat.name for seat in Ruleset(players=players).seats]
    assert [row["seat"] for row in summary["by_seat"] if row["bot"] == "all"] == names
    assert {row["bot"] for row in summary["by_seat"]} == {"all", "random", "random (2)"}
    for record in load_records(tmp_path / GAMES):
        assert len(record.players) == players
        assert record.verify().over
    with read_store(tmp_path / GAMES) as store:
        for game in store.games():
            assert all(SEAT_SIDE[seat] == game.winner for seat in game.winners)
    page = (tmp_path / "report.html").read_text()
    assert "<h2>Seats</h2>" in page and "<td>Isengard</td>" in page


@pytest.mark.parametrize("players", PLAYERS)
def test_bots_are_compared_and_checked_among_partners(capsys, players):
    rules = f"first:players={players},max_turns=2"
    arguments = ["compare", "random", "random", "--max-games", "32", "--workers", "1", "--ruleset", rules]
    assert cli.main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sprt"]["pairs"] == 16
    assert cli.main(["check-bot", "random", "--ruleset", rules, "--games", "2", "--decisions", "60"]) == 0
    assert "as Isengard" in capsys.readouterr().out
