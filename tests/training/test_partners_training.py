"""Training for games of three and four: the learner in all seats of a team, rewards by team."""

from __future__ import annotations

import pytest

from tests.tiny_training import config_of, open_tiny, timeless_metrics, train_tiny
from wotr_agents import make_bot
from wotr_env import Ruleset, VectorGame
from wotr_env.games.war_of_the_ring.engine.observation_layout import At
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.play.bots import choose, view_of

pytestmark = pytest.mark.usefixtures("short")

PLAYERS = (3, 4)
SEAT_AT = int(At["SEAT"])


def rules(players):
    return f"first:players={players}"


@pytest.mark.parametrize("players", PLAYERS)
def test_a_network_learns_and_plays_at_every_seat(tmp_path, players):
    opened = train_tiny(tmp_path, config_of(6, 1, ruleset=rules(players), past_every=2, evaluate_every=3))
    lines = timeless_metrics(tmp_path)
    evaluations = [line for line in lines if line["kind"] == "evaluation"]
    assert [list(line["scores"]["random"]) for line in evaluations] == [["free_peoples", "shadow"]] * 2
    assert sum(line["kind"] == "update" for line in lines) == 6
    games = opened.workers[0].games
    assert isinstance(games, VectorGame) and games.rulesets[0] == Ruleset(players=players)
    bot, seats = make_bot(f"net:{tmp_path}", 1), set()
    for _ in range(200):
        seats |= set(games.seats.tolist())
        games.step(choose(bot, view_of(games.states, games.masks), "net"))
    assert seats == set(range(players))


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(("side", "team"), [("free-peoples", 0), ("shadow", 1)])
def test_one_team_learns_in_all_its_seats(tmp_path, players, side, team):
    config = config_of(16, 1, ruleset=rules(players), side=side, opponents=("random",), past_share=0.0)
    opened = open_tiny(tmp_path, config)
    own, others = set(), set()
    with opened:
        for number, _ in enumerate(opened.run()):
            learned = opened.rollout.learned
            assert set(opened.rollout.teams[learned].tolist()) <= {team}
            assert set(opened.rollout.teams[~learned].tolist()) <= {1 - team}
            seats = opened.rollout.observations[..., SEAT_AT : SEAT_AT + 4].argmax(dim=2)
            own |= set(seats[learned].tolist())
            others |= set(seats[~learned].tolist())
            if number == 5:
                break
    assert own == {seat for seat in range(players) if SEAT_SIDE[seat] == team}
    assert others == {seat for seat in range(players) if SEAT_SIDE[seat] != team}
