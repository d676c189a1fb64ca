"""Games that were not played to their ends: ``wotr replay`` and pages say who won, and why."""

from __future__ import annotations

import json
import re

import pytest

from tests import arena_bots
from tests.browsers import browser as browser
from tests.browsers import new_page
from wotr_env import GameRecord, Ruleset
from wotr_env.play.games import game_kind
from wotr_experiments.arena import endings, play
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES, read_store
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.cli.endings import ending_in
from wotr_experiments.files import write_text
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.language.text_running import run_text_tournament
from wotr_experiments.language.text_tournament import TextTournament
from wotr_experiments.reports.replay_page import replay_page
from wotr_experiments.reports.tournament import Replays, page_of, write_report

pytestmark = pytest.mark.usefixtures("bots")

ALONE = WorkerPool("threads", 1, Isolation("none"))
SIDES = ("Shadow", "Free Peoples")
SHORT = Ruleset.first_edition(max_turns=1)


def printed(capsys, *arguments):
    assert cli.main(["replay", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def games_by_end(folder):
    """The numbers from 1 of the games of a folder, by how they were forfeited."""
    found = {}
    with read_store(folder / GAMES) as store:
        for number, game in enumerate(store.games(), start=1):
            found.setdefault(game.forfeit, []).append(number)
    return found


def crashing(crasher="crasher", games=12):
    """With ``crashes`` the crasher loses its first batch, and is disqualified."""
    return Tournament(("random", crasher), games, 1, SHORT, batch=4)


@pytest.fixture
def crashes(tmp_path, monkeypatch):
    def fail(_bot, _view):
        raise RuntimeError("no idea")

    monkeypatch.setattr(arena_bots.Crasher, "act", fail)
    run_tournament(crashing(), tmp_path / "crashes", ALONE)
    return tmp_path / "crashes"


def test_a_forfeited_game_says_who_won_and_why(crashes, capsys):
    by_end = games_by_end(crashes)
    assert set(by_end) == {"crash", "disqualified"}
    for why in by_end:
        for number, (winner, quitter) in zip(
            by_end[why][:2], (("Free Peoples", "Shadow"), SIDES), strict=True
        ):
            words = f"{winner} won by forfeit of {quitter} ({why}: "
            shown = printed(capsys, crashes, "--record", number)
            assert words in shown.splitlines()[0] and "not over" not in shown
            assert words in printed(capsys, crashes, "--record", number, "--at", 0)


def test_a_game_that_was_played_to_its_end_says_nothing_of_forfeits(tmp_path, capsys):
    run_tournament(crashing("random", 2), tmp_path, ALONE)
    assert "forfeit" not in printed(capsys, tmp_path)
    assert "ended" not in json.loads(printed(capsys, tmp_path, "--json"))


def test_a_forfeited_game_as_json_says_who_won_and_why(crashes, capsys):
    by_end = games_by_end(crashes)
    for at in ([], ["--at", 0]):
        shown = json.loads(printed(capsys, crashes, "--record", by_end["crash"][0], "--json", *at))
        ended = shown["ended"]
        assert (ended["winners"], ended["quitter"]) == (["free_peoples"], "shadow")
        assert ended["forfeit"] == "crash" and "no idea" in ended["message"]


def unfinished_duel():
    kind = game_kind("duel")
    game = kind.game(3, kind.find_ruleset())
    for _ in range(6):
        game.step(game.legal()[0])
    return GameRecord.from_game(game, ("one", "other"))


def ended_of(page):
    (data,) = re.findall(r'<script id="game" type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(data)["ended"]


def test_pages_of_forfeited_games_say_who_won_and_why(crashes, tmp_path, capsys):
    summary = run_tournament(crashing(), crashes, ALONE)
    write_report(crashes, crashing(), summary, Replays.ALL)
    with read_store(crashes / GAMES) as store:
        for game in store.games():
            ended = ended_of((crashes / page_of(game)).read_text(encoding="utf-8"))
            sides = ("Free Peoples", "Shadow") if game.quitter else SIDES
            assert ended.startswith(f"{sides[0]} won by forfeit of {sides[1]} ({game.forfeit}: ")
    number, page = games_by_end(crashes)["crash"][0], tmp_path / "page.html"
    printed(capsys, crashes, "--record", number, "--html", page)
    assert "no idea" in ended_of(page.read_text(encoding="utf-8"))


def test_the_page_of_a_seat_does_not_tell_what_another_was_asked(crashes, tmp_path, capsys):
    number, page = games_by_end(crashes)["crash"][0], tmp_path / "page.html"
    for eyes in ("free-peoples", "shadow"):
        printed(capsys, crashes, "--record", number, "--html", page, "--eyes", eyes)
        text = page.read_text(encoding="utf-8")
        assert ended_of(text) == "Free Peoples won by forfeit of Shadow (crash)" and "no idea" not in text


def test_a_forfeited_game_of_another_kind_says_it_too(tmp_path, capsys, monkeypatch):
    record, page = unfinished_duel(), tmp_path / "page.html"
    record.save(tmp_path / "duel.jsonl")
    seats = record.ruleset.seats
    known = endings.Ending(seats, (0,), "illegal", 1, "odd")
    monkeypatch.setattr("wotr_experiments.cli.replay.ending_in", lambda *_: known)
    words = f"{seats[0].title} won by forfeit of {seats[1].title} (illegal: odd)"
    assert words in printed(capsys, tmp_path / "duel.jsonl").splitlines()[0]
    printed(capsys, tmp_path / "duel.jsonl", "--html", page)
    assert ended_of(page.read_text(encoding="utf-8")) == words


def test_a_stopped_game_is_a_draw(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(play, "MOST_DECISIONS", 20)
    run_tournament(crashing("random", 2), tmp_path, ALONE)
    assert "draw: the game was stopped" in printed(capsys, tmp_path).splitlines()[0]


def test_a_game_in_text_that_was_forfeited_says_it_too(tmp_path, capsys):
    played = TextTournament(("tests.text_players:fool", "random"), 4, seed=7, ruleset=SHORT)
    run_text_tournament(played, tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert any(line["forfeit"] for line in lines)
    for number, line in enumerate(lines, start=1):
        heading = printed(capsys, tmp_path, "--record", number).splitlines()[0]
        assert ("won by forfeit of" in heading) == bool(line["forfeit"])


def test_a_record_alone_of_an_unfinished_game_is_not_over(crashes, tmp_path, capsys):
    with read_store(crashes / GAMES) as store:
        record = store.record_at(games_by_end(crashes)["crash"][0] - 1)
    record.save(tmp_path / "records.jsonl")
    assert ending_in(tmp_path / "records.jsonl", 1, record) is None
    assert "not over" in printed(capsys, tmp_path / "records.jsonl")


def test_all_winners_are_named():
    seats = Ruleset.first_edition(players=4).seats
    ending = endings.Ending(seats, (0, 2), "time_out", 1, "")
    named = f"{seats[0].title} and {seats[2].title}"
    assert ending.text() == f"{named} won by forfeit of {seats[1].title} (time out)"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["war", "duel"])
def test_the_last_position_of_a_page_says_how_the_game_ended(browser, tmp_path, kind):
    if kind == "duel":
        record = unfinished_duel()
    else:
        run_tournament(crashing("quitter:rate=0.1", 2), tmp_path, ALONE)
        with read_store(tmp_path / GAMES) as store:
            record = store.record_at(0)
    write_text(tmp_path / "page.html", replay_page(record, None, ended="A won by forfeit of B (illegal)"))
    page = new_page(browser)
    page.goto((tmp_path / "page.html").as_uri() + f"#{len(record.actions)}")
    assert "Over: A won by forfeit of B (illegal)." in page.locator("#now").inner_text()
    page.keyboard.press("Home")
    assert ("Over" in page.locator("#now").inner_text()) == (not record.actions)
    page.close()
