"""The arena with a game that it was not made for: three seats in two teams, ends and columns of its own."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import pytest

from tests.replays import frames_of
from tests.toy_games import BANDIT, HUNT, HuntOnly
from wotr_agents import BotError, canonical_spec, make_bot
from wotr_agents.networks.checkpoint import network_bytes
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import make_network
from wotr_env import GameRecord
from wotr_experiments.arena.check_bot import check_bot
from wotr_experiments.arena.compare import compare_tournament, run_compare
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.live import LiveTournament
from wotr_experiments.arena.played_games import play
from wotr_experiments.arena.schedule import Batch, Tournament, batches, game_seed, seated
from wotr_experiments.arena.sprt import Sprt
from wotr_experiments.arena.store import GAMES, load_records
from wotr_experiments.arena.summary import summarise
from wotr_experiments.arena.tournament import SUMMARY, TournamentObserver, run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Bots, Isolation
from wotr_experiments.reports.replay_page import replay_data
from wotr_experiments.reports.tournament import write_report

HERE = Isolation("none")
RULES = HUNT.find_ruleset()
ALONE = WorkerPool("threads", 1, HERE)


pytestmark = pytest.mark.usefixtures("toys")


def hunts(bots=("oracle", "random"), games=40, seed=3, batch=10, **options):
    return Tournament(bots, games, seed, batch=batch, game="hunt-only", **options)


def rows(folder):
    with contextlib.closing(sqlite3.connect(folder / GAMES)) as file:
        return file.execute("SELECT * FROM games ORDER BY pairing, number").fetchall()


def test_a_tournament_is_played_stored_and_summed_up(tmp_path):
    summary = run_tournament(hunts(("oracle", "random", "random")), tmp_path, ALONE)
    assert summary == json.loads((tmp_path / SUMMARY).read_text())
    assert (summary["game"], summary["all"]["games"]) == ("hunt-only", 120)
    total = summary["all"]
    assert total["walkers_wins"]["count"] + total["eye_wins"]["count"] == 120
    assert list(total["kinds"]) == ["lost", "won", "late", "early", "drawn"]
    assert total["kinds"]["won"] == total["walkers_wins"]["count"] > 0
    assert sum(total["turns"]["counts"].values()) == total["luck_share"]["games"] == 120
    best, other, _ = summary["results"]
    assert best["wins_as_walkers"]["share"] > other["wins_as_walkers"]["share"]
    assert best["wins_as_eye"]["share"] > other["wins_as_eye"]["share"]
    ratings = summary["ratings"]
    assert {"both", "walkers", "eye"} <= ratings["bots"][0].keys()
    assert ratings["walkers_advantage"]["elo"] < 0 < ratings["bots"][0]["both"]["elo"]
    assert {"walkers": "oracle", "eye": "random"}.items() <= summary["pairings"][0].items()


def test_the_store_has_the_columns_of_the_game(tmp_path):
    run_tournament(hunts(), tmp_path, ALONE)
    with contextlib.closing(sqlite3.connect(tmp_path / GAMES)) as file:
        names = [row[1] for row in file.execute("PRAGMA table_info(games)")]
        found = file.execute(
            "SELECT first, eye, second, winner, winners, reason FROM games ORDER BY number"
        ).fetchall()
    assert names == [
        *("pairing", "number", "first", "eye", "second", "seed"),
        *("winner", "winners", "reason", "forfeit", "quitter", "message"),
        *("turn", "luck", "decisions", "record", "digest"),
    ]
    assert [row[:3] for row in found[:2]] == [(0, 1, 0), (1, 0, 1)]
    assert all((winner == "walkers") == (reason == "won") for *_, winner, _, reason in found)
    assert {row[3:5] for row in found} == {("walkers", "first second"), ("eye", "eye")}


def test_records_name_the_game_and_the_player_of_each_seat(tmp_path):
    run_tournament(hunts(), tmp_path, ALONE)
    records = load_records(tmp_path / GAMES)
    for number, record in enumerate(records):
        assert record.game == "hunt-only" and record.kind is HUNT
        team = [("oracle", "random"), ("random", "oracle")][number % 2]
        assert record.players == (team[0], team[1], team[0])
        assert record.verify().result == record.result
    path = tmp_path / "games.jsonl"
    records[0].save(path)
    assert GameRecord.load(path) == records[:1]


@pytest.mark.parametrize("crew", [WorkerPool("threads", 2, HERE), WorkerPool("processes", 2, HERE)])
def test_every_engine_plays_the_same_games(crew, tmp_path):
    run_tournament(hunts(), tmp_path / "alone", ALONE)
    run_tournament(hunts(), tmp_path / "crew", crew)
    assert rows(tmp_path / "alone") == rows(tmp_path / "crew")
    assert (tmp_path / "alone" / SUMMARY).read_bytes() == (tmp_path / "crew" / SUMMARY).read_bytes()


@pytest.mark.parametrize(("seat", "team"), [(0, 0), (1, 1), (2, 0)])
def test_a_seat_that_forfeits_loses_the_game_for_its_team(seat, team):
    games = play(hunts((f"oracle:quits={seat}", "oracle")), Batch(0, 0, 10), bots=Bots(HERE))
    lost = [game for game in games if game.forfeit]
    assert {game.number % 2 for game in lost} == {team}
    for game in lost:
        assert (game.quitter, game.forfeited_by, game.winner) == (seat, 0, 1 - team)
        assert (game.score(1 - team), game.score(team)) == (1, 0)
        assert game.winners == ((1,) if team == 0 else (0, 2))
        assert game.forfeit == "illegal"
        assert game.message.startswith(
            f"illegal action 5 (bot oracle:quits={seat}, game {game.number + 1}, step "
        )
        assert game.message.endswith(f": {RULES.seats[seat].title} decides)")


def test_the_value_of_the_game_is_what_the_best_bots_get():
    summary = run_tournament(hunts(("oracle", "oracle"), games=600), crew=ALONE)
    won = summary["all"]["walkers_wins"]["share"]
    assert 2 * won - 1 == pytest.approx(HuntOnly(1, 1).optimal_value(), abs=0.12)


def test_a_comparison_finds_the_stronger_bot(tmp_path):
    match = compare_tournament("oracle", "random", 400, 4, seed=1, game="hunt-only")
    assert run_compare(match, Sprt(0, 100), tmp_path, ALONE)["sprt"]["decision"] == "stronger"


def test_a_report_has_the_game_s_own_words_and_pages_in_words(tmp_path):
    tournament = hunts()
    page = write_report(tmp_path, tournament, run_tournament(tournament, tmp_path, ALONE)).read_text()
    assert "<h1>HuntOnly: 40 games, seed 3, the only rules" in page
    assert "as Walkers" in page and "Shadow" not in page
    replays = sorted((tmp_path / "games").glob("*.html"))
    assert replays and all(f"games/{replay.name}" in page for replay in replays)
    assert "HuntOnly" in replays[0].read_text()


def test_random_passes_the_checks_of_a_bot():
    checks = check_bot("random", games=8, decisions=30, game="hunt-only")
    assert [check.name for check in checks if check.passed] == [
        "legal actions",
        "deterministic",
        "fair",
        "needs no memory",
        "time",
    ]
    assert "ms as Eye" in checks[-1].found and "ms as Second walker" in checks[-1].found


def test_bots_play_the_games_that_they_say():
    with pytest.raises(BotError, match="bot scripted does not play hunt-only; it plays war-of-the-ring"):
        hunts(("random", "scripted"))
    with pytest.raises(BotError, match="bot oracle does not play war-of-the-ring; it plays hunt-only"):
        make_bot("oracle", 1)
    with pytest.raises(BotError, match="bot oracle does not play two-step-bandit"):
        check_bot("oracle", game="two-step-bandit", isolation=HERE)
    with pytest.raises(CommandError, match="unknown game 'hunt'; known: war-of-the-ring, duel, two-tow"):
        Tournament(("random", "random"), 2, game="hunt")


def network_file(folder, kind):
    """The spec's part of a network for a toy that knows nothing yet."""
    config = NetworkConfig(width=8, hidden=8)
    path = folder / f"{kind.name}.safetensors"
    path.write_bytes(network_bytes(make_network(config, kind).state_dict(), config, {}, kind=kind))
    return str(path)


def test_a_network_plays_the_game_that_its_file_names(tmp_path, capsys):
    network = f"net:{network_file(tmp_path, HUNT)}"
    arguments = ["tournament", network, "random", "--games", "10", "--workers", "1"]
    assert cli.main([*arguments, "--game", "hunt-only", "--out", str(tmp_path / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["all"]["games"] == 10
    assert {record.players[1] for record in load_records(tmp_path / "out" / GAMES)} == {
        "random",
        network.replace("net:", "net:path="),
    }
    assert cli.main(["check-bot", network, "--game", "hunt-only", "--games", "2", "--decisions", "9"]) == 0


@pytest.mark.parametrize("spec", ["net:", "search:"])
def test_a_network_of_another_game_is_refused_in_a_line(tmp_path, capsys, spec):
    spec += network_file(tmp_path, BANDIT)
    arguments = ["tournament", spec, "random", "--out", str(tmp_path / "out"), "--workers", "1"]
    assert cli.main(arguments) == 2
    error = capsys.readouterr().err
    assert error == f"wotr: bot {canonical_spec(spec)} is for two-step-bandit, not for war-of-the-ring\n"
    assert not (tmp_path / "out").exists()
    with pytest.raises(BotError, match="hunt-only"):
        make_bot(spec, 1, "hunt-only")


def test_a_game_without_events_is_replayed_by_its_choices(tmp_path, capsys):
    run_tournament(hunts(), tmp_path, ALONE)
    file = str(tmp_path / GAMES)
    assert cli.main(["replay", file, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    record = load_records(tmp_path / GAMES)[0]
    actions = tuple(HUNT.actions.names.index(each["action"]) for each in shown["decisions"])
    assert actions == record.actions
    for each in shown["decisions"]:
        (event,) = each["events"]
        assert (event["kind"], event["action"]) == ("decided", each["action"])
    assert shown["decisions"][0]["told"] == [
        {"tone": "choice", "seat": "eye", "text": f"do {actions[0]}", "opens": True}
    ]
    assert cli.main(["replay", file]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("oracle (First walker) and oracle (Second walker) against random (Eye), ")
    assert "     1  Eye: do " in lines[1]
    assert lines[-1] == shown["position"]
    assert cli.main(["replay", file, "--at", "1"]) == 0
    assert "\n  do:3  do 3\n  do:4  do 4\n\nplayed: do:" in capsys.readouterr().out
    assert cli.main(["replay", file, "--positions"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["step"] for each in lines] == list(range(len(actions) + 1))
    assert [each["told"] for each in lines[1:]] == [each["told"] for each in shown["decisions"]]
    assert lines[0]["position"] is None
    assert cli.main(["replay", file, "--positions", "--eyes", "eye"]) == 2
    assert "HuntOnly has no view of a single seat" in capsys.readouterr().err
    assert cli.main(["replay", file, "--html", str(tmp_path / "page.html")]) == 0
    assert f"do {actions[0]}" in (tmp_path / "page.html").read_text(encoding="utf-8")
    for viewer in range(3):  # a seat reads the positions in which it decides, until the next of these
        data = replay_data(record, viewer)
        read = None
        for at, frame in enumerate(frames_of(data)):
            state = record.replay(at).state
            if at < len(actions) and state["seat"] == viewer:
                read = HUNT.words.position(state)
            assert frame["text"] == read and "shapes" not in frame


def test_bots_are_listed_with_the_games_they_play(capsys):
    assert cli.main(["bots"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("plays every game") == 2  # random and stdio
    assert printed.count("plays one game, which its parameters determine") == 1
    assert printed.count("plays hunt-only") == 2
    assert printed.count("war-of-the-ring, duel") == 5  # scripted and all that search
    assert cli.main(["bots", "--game", "hunt-only", "--json"]) == 0
    shown = {bot["bot"]: bot["games"] for bot in json.loads(capsys.readouterr().out)}
    everything = dict.fromkeys(("random", "net", "stdio"))
    assert shown == {**everything, "book": ["hunt-only"], "oracle": ["hunt-only"]}
    assert cli.main(["bots", "--game", "hunt"]) == 2
    assert "unknown game 'hunt'" in capsys.readouterr().err


def test_the_folder_of_another_game_is_refused(tmp_path):
    run_tournament(hunts(("random", "random")), tmp_path, ALONE)
    other = Tournament(("random", "random"), 40, 3, batch=10, game="two-step-bandit")
    with pytest.raises(CommandError, match='its game: "hunt-only", asked for: "two-step-bandit"'):
        run_tournament(other, tmp_path, ALONE)


def test_the_command_line_names_the_game(tmp_path, capsys):
    arguments = ["tournament", "oracle", "random", "--games", "10", "--game", "hunt-only", "--workers", "1"]
    assert cli.main([*arguments, "--out", str(tmp_path / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == "hunt-only"
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "HuntOnly: 10 games, seeds from a secret, the only rules" in printed and "W wins (95%)" in printed
    assert cli.main(["check-bot", "oracle", "--game", "hunt-only"]) == 0
    assert cli.main(["check-bot", "oracle"]) == 2
    assert "does not play war-of-the-ring" in capsys.readouterr().err
    assert cli.main([*arguments, "--max-turns", "3"]) == 2
    assert "HuntOnly has no turn limit" in capsys.readouterr().err


# --- Seats that are drawn. ---


def drawn(bots=("oracle", "random", "random"), games=60, **options):
    return hunts(bots, games=games, batch=12, seats="drawn", **options)


def test_every_bot_has_every_seat_once_in_a_round():
    tournament = drawn()
    games = [seated(tournament, 0, number) for number in range(tournament.games)]
    for first in range(0, len(games), 3):
        for places in zip(*games[first : first + 3], strict=True):
            assert sorted(places) == [0, 1, 2]
    assert len(set(games)) > 15, "drawn, not in turn"
    seeds = [game_seed(tournament, number) for number in range(6)]
    assert len(set(seeds[:3])) == len(set(seeds[3:])) == 1 and seeds[0] != seeds[3]
    assert games == [seated(drawn(), 0, number) for number in range(60)]
    other = [seated(drawn(seed=4), 0, number) for number in range(60)]
    assert games != other


def test_drawn_seats_are_played_and_stored(tmp_path):
    tournament = drawn()
    summary = run_tournament(tournament, tmp_path, ALONE)
    records = load_records(tmp_path / GAMES)
    for number, record in enumerate(records):
        assert record.players == tuple(tournament.bots[place] for place in seated(tournament, 0, number))
    assert {row["bot"]: row["wins"]["games"] for row in summary["by_seat"] if row["seat"] == "eye"} == {
        "all": 60,
        "oracle": 20,
        "random": 20,
        "random (2)": 20,
    }
    rows = {(row["seat"], row["bot"]): row for row in summary["by_seat"]}
    walkers = summary["all"]["walkers_wins"]["count"]
    assert rows["first", "all"]["team_wins"]["count"] == rows["second", "all"]["wins"]["count"] == walkers
    assert rows["first", "all"]["alone"]["count"] == 0, "walkers win together"
    assert rows["eye", "all"]["alone"]["count"] == rows["eye", "all"]["wins"]["count"] == 60 - walkers
    assert rows["eye", "oracle"]["wins"]["count"] == sum(
        record.players[1] == "oracle" and record.result.winner == 1 for record in records
    )
    assert summary["pairings"] == summary["cross"] == []


def test_a_drawn_tournament_goes_on_to_the_same_bytes(tmp_path):
    run_tournament(drawn(), tmp_path / "whole", ALONE)
    tournament = drawn()

    class StopError(Exception):
        pass

    class Stopper(TournamentObserver):
        def stored(self, games):
            raise StopError

    for _ in range(2):
        with pytest.raises(StopError):
            run_tournament(tournament, tmp_path / "parts", ALONE, Stopper())
    run_tournament(tournament, tmp_path / "parts", WorkerPool("threads", 2, HERE))
    assert rows(tmp_path / "whole") == rows(tmp_path / "parts")
    assert (tmp_path / "whole" / SUMMARY).read_bytes() == (tmp_path / "parts" / SUMMARY).read_bytes()
    with pytest.raises(CommandError, match='its seats: "drawn", asked for: "teams"'):
        run_tournament(hunts(drawn().bots, games=60, batch=12), tmp_path / "parts", ALONE)


def test_the_seat_that_forfeits_is_found_among_partners():
    tournament = drawn(("oracle:quits=2", "oracle"), games=24)
    games = [game for batch in batches(tournament) for game in play(tournament, batch)]
    lost = [game for game in games if game.forfeit]
    assert lost and {game.players[0] for game in lost} == {0, 1}
    assert all((game.quitter, game.forfeited_by, game.winners) == (2, 0, (1,)) for game in lost)
    summary = summarise(tournament, games)
    assert [row["forfeits"]["illegal"] for row in summary["results"]] == [len(lost), 0]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"games": 20}, "games must be a multiple of 3"),
        ({"batch": 4}, "the batch must be a multiple of 3"),
        ({"gauntlet": True}, "a gauntlet needs pairings"),
    ],
)
def test_a_drawn_tournament_has_whole_rounds(options, why):
    values = {"games": 60, "batch": 12, "game": "hunt-only", "seats": "drawn", **options}
    with pytest.raises(CommandError, match=why):
        Tournament(("oracle", "random", "random"), **values)


def test_the_command_draws_seats(tmp_path, capsys):
    arguments = ["tournament", "oracle", "random", "random", "--game", "hunt-only", "--seats", "drawn"]
    arguments += ["--games", "40", "--workers", "1", "--out", str(tmp_path)]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "HuntOnly: 42 games" in printed and "results by seat" in printed
    assert "in seat Second walker" in printed and "score of the row" not in printed
    page = (tmp_path / "report.html").read_text()
    assert "<h2>Seats</h2>" in page and "Cross table" not in page and "in seat Eye" in page
    assert cli.main([*arguments, "--json"]) == 0
    bots = json.loads(capsys.readouterr().out)["ratings"]["bots"]
    assert list(bots[0]["seats"]) == ["first", "eye", "second"]
    assert LiveTournament(drawn()).picture() is not None
