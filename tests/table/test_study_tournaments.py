"""Folders of tournaments shown by the server: tables, games, games so far, and nothing else of a folder."""

from __future__ import annotations

import contextlib
import json

import pytest

pytest.importorskip("starlette", reason="needs the extra web")

from starlette.testclient import TestClient

from tests.web_tables import ADDRESS
from wotr_env import Ruleset
from wotr_env.play.games import game_kind
from wotr_env.play.record import GameRecord
from wotr_experiments.arena.compare import run_compare
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.played_games import play
from wotr_experiments.arena.schedule import Seats, Tournament, batches
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.store import GAMES, open_store
from wotr_experiments.arena.tournament import run_tournament, tournament_definition
from wotr_experiments.cli import main as cli
from wotr_experiments.table import tournaments
from wotr_experiments.table.server import Settings, make_app

SHORT = Ruleset(max_turns=2)


@contextlib.contextmanager
def shown(tmp_path, *folders):
    app = make_app(Settings(tmp_path / "tables", tournaments=folders))
    with TestClient(app, base_url=ADDRESS) as asks:
        yield asks


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("secret-place") / "out"
    run_tournament(Tournament(("random", "scripted", "queller"), 4, 7, SHORT), out, WorkerPool("threads", 1))
    return out


@pytest.fixture(scope="module")
def asks(tmp_path_factory, folder):
    with shown(tmp_path_factory.mktemp("served"), folder) as asks:
        yield asks


def test_its_tables_ratings_and_games_are_shown(asks, folder):
    (found,) = asks.get("/api/tournaments").json()["tournaments"]
    assert found["bots"] == ["random", "scripted", "queller"] and found["games"] == found["total"] == 12
    one = asks.get("/api/tournaments/1").json()
    summary = json.loads((folder / "summary.json").read_text())
    private = ("disqualified", "first_forfeit")  # they may tell folders of this machine
    told = [{name: each[name] for name in each if name not in private} for each in summary["results"]]
    assert one["results"] == told and one["cross"] == summary["cross"]
    assert one["ratings"] == summary["ratings"]["bots"]
    games = asks.get("/api/tournaments/1/games").json()
    assert len(games["games"]) == 12 and games["left"] == 0
    assert asks.get("/api/tournaments/1/games?after=10").json()["games"] == games["games"][10:]


def test_every_game_is_a_record_that_opens_on_the_board(asks):
    for game in asks.get("/api/tournaments/1/games").json()["games"]:
        text = asks.get(f"/api/tournaments/1/games/{game['pairing']}.{game['number']}").text
        record = GameRecord.from_json(text)
        record.verify()
        assert list(record.players) == [player["bot"] for player in game["players"]]
        opened = asks.post("/api/study/open", json={"record": text.strip()})
        assert opened.status_code == 200 and opened.json()["number"] == game["decisions"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/tournaments/2", 404),
        ("/api/tournaments/0", 404),
        ("/api/tournaments/1/games/9.0", 404),
        ("/api/tournaments/1/games/0.99", 404),
        ("/api/tournaments/1/games?after=-1", 400),
        ("/api/tournaments/1/games?after=x", 400),
        ("/api/tournaments/1/summary.json", 404),
        ("/api/tournaments/1/games/..%2f..%2fgames.sqlite", 404),
        ("/api/tournaments/../1", 404),
        ("/api/tournaments/x", 404),
        ("/static/../games.sqlite", 404),
    ],
)
def test_nothing_else_is_reachable(asks, path, status):
    assert asks.get(path).status_code == status


def test_names_of_files_reach_no_page(asks, tmp_path):
    (row, *_) = asks.get("/api/tournaments/1").json()["results"]
    assert {"bot", "wins", "forfeits"} <= row.keys() and not {"disqualified", "first_forfeit"} & row.keys()
    texts = [
        asks.get(path).text for path in ("/api/tournaments", "/api/tournaments/1", "/api/tournaments/1/games")
    ]
    assert not any("secret-place" in text for text in texts)
    broken = tmp_path / "hidden-folder"
    broken.mkdir()
    (broken / GAMES).write_bytes(b"nonsense")
    with shown(tmp_path, broken, tmp_path / "none") as other:
        for path in ("/api/tournaments/1", "/api/tournaments/2", "/api/tournaments/1/games"):
            answer = other.get(path)
            assert answer.status_code == 404 and "hidden-folder" not in answer.text
        assert other.get("/api/tournaments").json() == {"tournaments": []}


def test_files_in_the_specs_of_bots_are_shown_by_their_last_name():
    for spec, name in (
        ("net:path=/home/somebody/runs/good,temperature=0.5", "net:path=good,temperature=0.5"),
        ("search:net=zoo/laptop", "search:net=laptop"),
        ("mcts:sims=100 (2)", "mcts:sims=100 (2)"),
    ):
        assert tournaments._FOLDERS.sub("", spec) == name


def test_games_so_far_are_shown_while_it_is_played(tmp_path):
    out = tmp_path / "out"
    tournament = Tournament(("random", "scripted"), 6, 3, SHORT, batch=2)
    with open_store(out, tournament_definition(tournament)) as store, shown(tmp_path, out) as asks:
        assert asks.get("/api/tournaments").json()["tournaments"][0]["games"] == 0
        assert asks.get("/api/tournaments/1").json()["ratings"][0]["both"]["elo"] == pytest.approx(
            0, abs=1e-6
        )
        for done, batch in enumerate(batches(tournament), start=1):
            store.add(play(tournament, batch))
            found = asks.get("/api/tournaments/1").json()
            assert (found["games"], found["total"]) == (2 * done, 6)


def test_a_comparison_is_shown_alike(tmp_path):
    out = tmp_path / "out"
    run_compare(Tournament(("scripted", "random"), 4, 3, SHORT), Sprt(0, 5, 0.05, 0.05), out)
    with shown(tmp_path, out) as asks:
        found = asks.get("/api/tournaments/1").json()
        assert found["games"] == 4 and found["total"] is None
        assert len(asks.get("/api/tournaments/1/games").json()["games"]) == 4


def test_a_folder_without_games_is_refused_in_one_line(tmp_path, capsys):
    assert cli.main(["serve", "--tournament", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "contains no games" in error and error.count("\n") == 1


@pytest.mark.parametrize("players", [2, 3])
def test_a_tournament_names_the_teams_that_have_seats(tmp_path, players):
    rules = game_kind("two-towers").find_ruleset(f"two:players={players}")
    out = tmp_path / "out"
    played = Tournament(("random", "random"), 2, 7, rules, game="two-towers", seats=Seats.DRAWN)
    run_tournament(played, out, WorkerPool("threads", 1))
    with shown(tmp_path, out) as asks:
        found = asks.get("/api/tournaments/1").json()
    names = {team["name"] for team in found["teams"]}
    assert len(names) == players
    for row, rating in zip(found["results"], found["ratings"], strict=True):
        assert {f"wins_as_{name}" for name in names} == {key for key in row if key.startswith("wins_as_")}
        assert names <= rating.keys()
