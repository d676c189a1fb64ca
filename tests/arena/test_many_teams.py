"""A game of three, each for itself: the arena, learning and data with more than two teams."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from tests.learners import learner_of, one_torch_thread, rollout_of
from tests.toy_race import GOAL, JUMP, RACE, SHARED, WALK
from wotr_agents import make_bot
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.files import find_network
from wotr_agents.networks.models import make_network
from wotr_env.core.codes import GOING_ON
from wotr_env.play.games import game_kind
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.evaluation import count_results
from wotr_experiments.arena.played_games import play
from wotr_experiments.arena.schedule import Tournament, batches
from wotr_experiments.arena.store import GAMES, load_records
from wotr_experiments.arena.summary import summarise
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.training.config import PpoConfig, TrainConfig
from wotr_experiments.training.worker import Worker

pytestmark = pytest.mark.usefixtures("toys")
ALONE = WorkerPool("threads", 1, Isolation("none"))
THREE, TWO = RACE.find_ruleset(), RACE.find_ruleset("two")
NAMES = [team.name for team in RACE.teams]


def races(bots=("leaper", "random", "random"), games=60, **options):
    return Tournament(bots, games, 5, batch=12, game="race", **{"seats": "drawn", **options})


def test_teams_worths_and_forfeits():
    assert RACE.teams_of(THREE) == RACE.teams and RACE.teams_of(TWO) == RACE.teams[:2]
    assert RACE.worths.tolist() == [[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1], [0, 0, 0]]
    assert RACE.draw == SHARED and RACE.winner_name(SHARED) == "draw"
    assert RACE.forfeit_result(1, THREE) == (SHARED, (0, 2))
    assert RACE.forfeit_result(1, TWO) == (0, (0,))


def test_ends_that_can_come():
    assert RACE.ends_of(THREE) == RACE.ends
    assert [end.name for end in RACE.ends_of(TWO)] == ["red", "green", "shared"]
    towers = game_kind("two-towers")
    assert len(towers.ends_of(towers.find_ruleset("five"))) == 15
    assert [end.name for end in towers.ends_of(towers.find_ruleset("two"))] == [
        f"player_{player}_{ahead}" for player in (1, 2) for ahead in ("points", "cards", "order")
    ]


# --- The arena. ---


def test_three_that_play_for_themselves(tmp_path):
    tournament = races()
    summary = run_tournament(tournament, tmp_path, ALONE)
    records, total = load_records(tmp_path / GAMES), summary["all"]
    states = np.array([record.replay().state for record in records], dtype=RACE.state)
    winners = RACE.winning_seats(states, THREE)
    assert total["draws"] == np.count_nonzero(~winners.any(axis=1))
    assert [total[f"{name}_wins"]["count"] for name in NAMES] == winners.sum(axis=0).tolist()
    assert (winners.sum(axis=1) > 1).any(), "wins are shared"
    seats = {(row["seat"], row["bot"]): row for row in summary["by_seat"]}
    for seat, name in enumerate(NAMES):
        assert seats[name, "all"]["wins"]["count"] == winners[:, seat].sum()
        assert seats[name, "all"]["alone"]["count"] == (winners[:, seat] & (winners.sum(axis=1) == 1)).sum()
    leaper, *others = summary["results"]
    assert sum(leaper[f"wins_as_{name}"]["games"] for name in NAMES) == leaper["wins"]["games"] == 60
    assert leaper["wins"]["share"] > max(other["wins"]["share"] for other in others)
    ratings = summary["ratings"]
    assert {f"{name}_advantage" for name in NAMES} <= set(ratings)
    assert sum(ratings[f"{name}_advantage"]["elo"] for name in NAMES) == pytest.approx(0, abs=0.2)
    assert ratings["bots"][0]["both"]["elo"] > max(row["both"]["elo"] for row in ratings["bots"][1:])


def test_tables_and_report_of_three(tmp_path, capsys):
    out = tmp_path / "out"
    arguments = ["tournament", "leaper", "random", "--game", "race", "--games", "20", "--workers", "1"]
    assert cli.main([*arguments, "--seats", "drawn", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    words = " ".join(printed.split())
    assert "R wins (95%)" in words and "B wins (95%)" in words and "advantage as Blue is" in words
    page = (out / "report.html").read_text()
    assert "as Blue" in page and "Green win (95%)" in page
    assert cli.main(["replay", str(out / GAMES), "--record", "1"]) == 0
    assert " against " in capsys.readouterr().out


def test_two_bots_meet_only_where_there_are_two_teams(tmp_path, capsys):
    with pytest.raises(CommandError, match="needs wotr tournament --seats drawn: Race, 3 racers, has 3"):
        races(("leaper", "random"), seats="teams")
    summary = summarise(races(("leaper", "random"), seats="teams", ruleset=TWO), [])
    assert "blue_wins" not in summary["all"]
    meeting = ["tournament", "leaper", "random", "--game", "race", "--ruleset", "two", "--games", "4"]
    assert cli.main([*meeting, "--workers", "1", "--out", str(tmp_path / "meeting")]) == 0
    shown = capsys.readouterr().out
    assert "green" in shown and "blue" not in shown.lower()
    assert (
        cli.main(["compare", "leaper", "random", "--game", "race", "--ruleset", "two", "--workers", "1"]) == 0
    )
    assert "leaper is stronger than random" in capsys.readouterr().out
    assert cli.main(["compare", "leaper", "random", "--game", "race"]) == 2
    assert cli.main(["text-tournament", "random", "random", "--game", "race", "--games", "2"]) == 2
    assert "a tournament in text needs a game of two teams: Race, 3 racers, has 3" in capsys.readouterr().err
    record = tmp_path / "game.jsonl"
    run_tournament(races(games=3), tmp_path / "some", ALONE)
    record.write_text(load_records(tmp_path / "some" / GAMES)[0].to_json() + "\n")
    assert cli.main(["analyse", str(record), "--bot", "random"]) == 2
    assert "the analysis needs a game of two teams" in capsys.readouterr().err


def test_the_others_share_a_game_that_one_forfeits():
    tournament = races(("leaper:quits=1", "random", "random"), games=12)
    games = [game for batch in batches(tournament) for game in play(tournament, batch)]
    lost = [game for game in games if game.forfeit]
    assert lost and {game.players[1] for game in lost} == {0}
    seats = THREE.seats
    for game in lost:
        assert (game.winner, game.winners, game.quitter) == (SHARED, (0, 2), 1)
        assert game.shares(seats) == [0.5, 0.0, 0.5]
    total = summarise(tournament, games)["all"]
    assert total["forfeits"]["illegal"] == len(lost) and total["kinds"].keys() == {*NAMES, "shared"}


def test_an_export_names_all_who_have_won(tmp_path):
    run_tournament(races(games=30), tmp_path / "some", ALONE)
    out = tmp_path / "data"
    assert cli.main(["export", str(tmp_path / "some"), "--out", str(out), "--format", "jsonl"]) == 0
    lines = [
        json.loads(line)
        for path in sorted(out.rglob("*games*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    assert len(lines) == 30
    records = load_records(tmp_path / "some" / GAMES)
    for line in lines:
        state = records[line["number"]].replay().state
        won = RACE.winning_seats(np.array([state], dtype=RACE.state), THREE)[0]
        assert line["winning_seats"] == [NAMES[seat] for seat in np.flatnonzero(won)]
        assert line["winner"] == ("draw" if state["winner"] == SHARED else NAMES[state["winner"]])


# --- Learning. ---


@pytest.fixture
def one_thread():
    with one_torch_thread():
        yield


def race_config(**changes):
    return TrainConfig(
        network=NetworkConfig(width=32, hidden=32),
        ppo=PpoConfig(decisions=10_000, games=64, steps=16, minibatch_size=256, workers=1),
        anchors=("random",),
        game="race",
        **changes,
    )


def test_advantages_are_those_of_the_team_that_decided(one_thread):
    """What an end is worth to each of three, not to one and its opposite."""
    torch.manual_seed(1)
    games = RACE.games(8, 1, THREE)
    learner = learner_of(make_network(NetworkConfig(width=16, hidden=16), RACE), gae_lambda=1.0)
    rollout = rollout_of(games, learner.network, steps=24)
    advantages = learner._decisions(rollout, rollout.actions).advantages.view(8, 24).T
    gains = (rollout.targets(1.0) - rollout.end_probabilities).double().numpy()
    assert set(rollout.teams.flatten().tolist()) == {0, 1, 2}
    for step in range(24):
        for game in range(8):
            wanted = gains[step, game] @ RACE.worths[:, int(rollout.teams[step, game])]
            assert float(advantages[step, game]) == pytest.approx(wanted, abs=1e-5)


def test_who_plays_whom():
    """A bot has one team by turns; against one that learns alone bots have all others."""
    both = race_config(opponents=("random",), opponents_share=0.5)
    alone = race_config(opponents=("random",), side="green")
    assert both.teams == (0, 1, 2) and alone.teams == (1,)
    found = {}
    for name, config in (("both", both), ("alone", alone)):
        worker = Worker.__new__(Worker)
        worker.config, worker.games = config, RACE.games(12, 1, THREE)
        worker.opponents = type("Seats", (), {"seat": lambda _self, specs, *_: [make_bot(specs[0], 1)]})()
        moment = type("RunProgress", (), {"past": ()})()
        _, found[name] = worker._opponents(moment, np.random.default_rng(1))
    against = found["both"][:6]
    assert (against >= 0).sum(axis=1).tolist() == [1] * 6 and (against >= 0).sum(axis=0).tolist() == [2, 2, 2]
    assert (found["both"][6:] < 0).all()
    assert (found["alone"][:, [0, 2]] == 0).all() and (found["alone"][:, 1] < 0).all()


def test_a_network_learns_the_race(tmp_path, one_thread, capsys):
    """It wins more than its third against two that play at random; one that knows nothing does not."""
    run = tmp_path / "run"
    sizes = "--width 32 --hidden 32 --games 128 --steps 32 --minibatch-size 1024 --learning-rate 3e-3"
    options = f"{sizes} --decisions 30000 --ema-decay 0.95 --workers 1 --evaluate-every 100 --seed 2"
    assert cli.main(["train", str(run), "--game", "race", *options.split()]) == 0
    capsys.readouterr()
    bot = make_bot(f"net:{find_network(str(run))}", 1, "race")
    won = 0
    for team in range(3):
        seeds = np.arange(200, dtype=np.uint64) + np.uint64(1000 * team)
        counts = count_results(bot, make_bot("random", team, "race"), team, seeds, RACE, THREE)
        assert sum(counts) == 200
        won += counts[0]
    assert won / 600 > 0.45
    assert (
        cli.main(
            [
                "exploit",
                f"net:{run}",
                "--game",
                "race",
                "--side",
                "blue",
                "--at",
                "4096",
                "--evaluate-games",
                "30",
                "--values-first",
                "0",
                "--games",
                "32",
                "--steps",
                "32",
                "--workers",
                "1",
                "--out",
                str(tmp_path / "response"),
                "--json",
            ]
        )
        == 0
    )
    (figures,) = json.loads(capsys.readouterr().out)["sides"].values()
    assert [figure["at"] for figure in figures] == [0, 4096]


def test_a_race_is_what_it_says():
    game = RACE.game(3, THREE)
    while game.result is None:
        game.step(JUMP if game.state["seat"] == 1 else WALK)
    state = game.state
    assert state["winner"] != GOING_ON
    steps = state["steps"].tolist()
    if state["winner"] < SHARED:
        assert steps[state["winner"]] == max(steps)
    assert (max(steps) >= GOAL) or state["turn"] == 12
