"""The odds of battles (``analysis/odds.py``)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.positions import Position
from wotr_env import Game
from wotr_env.core.codes import PUBLIC
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_experiments.games.war_of_the_ring.odds import odds_of, odds_under_way


def shown(position: Position) -> dict:
    return picture(position.state, PUBLIC)


def test_one_regular_against_one_by_hand():
    position = Position().army("osgiliath", gondor=1).army("south-ithilien", sauron=1).at_war("sauron")
    found = odds_of(shown(position), "shadow", "south-ithilien", "osgiliath", None)
    # A Fortification: the attacker hits by 1/6 in the first round, by 1/3 after it; the defender by 1/3.
    later = (1 / 3) * (2 / 3) / (1 - (2 / 3) ** 2)
    assert found["win"] == pytest.approx((1 / 6) * (2 / 3) + (5 / 6) * (2 / 3) * later, abs=1e-4)
    assert found["attacker"] == {
        "dice": 1,
        "leadership": 0,
        "needed": 6,
        "hits": pytest.approx(1 / 6, abs=1e-3),
    }
    assert found["defender"]["needed"] == 5 and not found["withdraws"]


def test_who_stays_behind_does_not_fight():
    position = (
        Position()
        .army("osgiliath", gondor=2)
        .army("south-ithilien", sauron=5, sauron_elite=1, nazgul=2)
        .at_war("sauron")
    )
    whole = odds_of(shown(position), "shadow", "south-ithilien", "osgiliath", None)
    part = {"figure:sauron-regular": 2, "figure:sauron-nazgul": 1}
    few = odds_of(shown(position), "shadow", "south-ithilien", "osgiliath", part)
    assert (whole["attacker"]["dice"], whole["attacker"]["leadership"]) == (5, 2)
    assert (few["attacker"]["dice"], few["attacker"]["leadership"]) == (2, 1)
    assert few["win"] < whole["win"]


def test_a_stronghold_is_assaulted_on_sixes_and_its_army_may_withdraw():
    position = Position().army("minas-tirith", gondor=3).army("osgiliath", sauron=5)
    position.control("minas-tirith", Side.FREE_PEOPLES).at_war("sauron", "gondor")
    assert odds_of(shown(position), "shadow", "osgiliath", "minas-tirith", None)["withdraws"]
    siege = Position().army("minas-tirith", gondor=3).army("minas-tirith", sauron=5)
    siege.control("minas-tirith", Side.FREE_PEOPLES).at_war("sauron", "gondor")
    assault = odds_of(shown(siege), "shadow", "minas-tirith", "minas-tirith", None)
    sortie = odds_of(shown(siege), "free_peoples", "minas-tirith", "minas-tirith", None)
    assert assault["attacker"]["needed"] == 6 and sortie["attacker"]["needed"] == 5
    assert 0 < assault["win"] < assault["siege"] < 1 and sortie["siege"] is None


def test_r7_8_3_whoever_is_not_at_war_does_not_attack():
    position = Position().army("osgiliath", gondor=2).army("south-ithilien", sauron=3, isengard=2)
    position.at_war("sauron").politics("isengard", 1)
    found = odds_of(shown(position), "shadow", "south-ithilien", "osgiliath", None)
    assert found["attacker"]["dice"] == 3


def test_what_is_no_attack():
    position = shown(Position().army("osgiliath", gondor=1))
    nothing = odds_of(position, "free_peoples", "osgiliath", "south-ithilien", None)
    assert nothing["win"] is None and nothing["siege"] is None
    for origin, figures in (("nowhere", None), ("osgiliath", {"figure:gondor-wizard": 1})):
        with pytest.raises(ValueError):
            odds_of(position, "free_peoples", origin, "osgiliath", figures)
    with pytest.raises(ValueError, match="no battle"):
        odds_under_way(position)


def test_the_odds_of_battles_that_are_fought_do_not_depend_on_any_hand():
    told = 0
    for seed in range(2):
        game, rng = Game(seed), np.random.default_rng(seed)
        for _ in itertools.repeat(None, 1500):
            if game.over:
                break
            position = picture(game.state, PUBLIC)
            if position["battle"]:
                states = np.array([game.state])
                WAR_OF_THE_RING.kernels.sample_worlds(states, np.array([game.seat]), np.array([seed]))
                found = odds_under_way(position)
                assert found == odds_under_way(picture(states[0], PUBLIC))
                told += found["win"] is not None
                assert found["win"] is None or 0 <= found["win"] <= 1
            game.step(int(rng.choice(game.legal())))
    assert told > 5
