"""Bots among partners: whose armies they plan with, which cards they give, for whom positions are good."""

from __future__ import annotations

import numpy as np
import pytest

from tests.positions import Position, card, nation, region
from wotr_agents import make_bot
from wotr_agents.games.war_of_the_ring.scripted.entry import ensure_agents, play_scripted, score_views
from wotr_agents.games.war_of_the_ring.scripted.weights import DEFAULT_WEIGHTS
from wotr_agents.scores import NO_SCORE
from wotr_env import Ruleset, VectorGame
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS, Block
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Face, Frame, Plan, Side, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.play.bots import ExplainingBot, choose, view_of

SAURON, ISENGARD = 1, 2


@pytest.fixture(scope="module", autouse=True)
def compiled():
    ensure_agents()


@pytest.fixture(scope="module", params=[3, 4])
def games(request):
    """Games of three and of four, by the scripted policy to positions of all kinds."""
    found = VectorGame(48, seed=request.param, ruleset=Ruleset(players=request.param), observations=False)
    weights = np.broadcast_to(DEFAULT_WEIGHTS, (48, 2, DEFAULT_WEIGHTS.size)).copy()
    states, masks, kept = found.states.copy(), found.masks.copy(), []
    streams = np.arange(48)
    for _ in range(12):
        play_scripted(states, masks, weights, streams, 4.0, decisions=37)
        kept.append(states[states["winner"] == Winner.NONE].copy())
    return np.concatenate(kept)


def players_of(states):
    return int(states["options"][0, Option.PLAYERS])


def masks_of(states):
    masks = np.zeros((states.size, NUM_ACTIONS), dtype=np.bool_)
    kernel.refresh(states, masks)
    return masks


def scores_of(states):
    scores = np.zeros((states.size, NUM_ACTIONS))
    score_views(states, masks_of(states), scores)
    return scores


def best(state):
    """What the scripted policy answers, by name."""
    states = np.asarray(state).reshape(1).copy()
    return ACTION_NAMES[int(scores_of(states)[0].argmax())]


def test_every_legal_action_has_a_score_and_no_other(games):
    masks, scores = masks_of(games), scores_of(games)
    assert (scores[~masks] == NO_SCORE).all() and (scores[masks] > NO_SCORE).all()
    assert set(games["seat"].tolist()) == set(range(players_of(games)))


def test_scores_follow_from_what_the_seat_knows(games):
    worlds = games.copy()
    kernel.sample_worlds(worlds, worlds["seat"].astype(np.int64), np.arange(worlds.size))
    assert (worlds["card_zone"] != games["card_zone"]).any()
    assert (scores_of(worlds) == scores_of(games)).all()


@pytest.mark.parametrize(
    "spec", ["random", "scripted", "queller", "expectation:worlds=2", "mcts:sims=8,depth=5"]
)
def test_bots_play_at_every_seat(games, spec):
    bot = make_bot(spec, 1)
    some = games[:: 40 if ":" in spec else 1].copy()
    choose(bot, view_of(some, masks_of(some)), spec)


@pytest.mark.parametrize("spec", ["expectation:worlds=4", "mcts:sims=64,depth=0,rollout=none"])
def test_a_position_is_as_good_for_both_partners(spec):
    """With eleven Corruption in Mordor the Shadow's chances are good, whoever of it looks."""
    game = VectorGame(60, seed=2, ruleset=Ruleset(players=4), observations=False)
    game.random_steps(60)
    states = game.states.copy()
    states["corruption"] = 11
    values = {}
    for seat in range(4):
        some = states[states["seat"] == seat][:3].copy()
        assert len(some)
        bot = make_bot(spec, 3)
        assert isinstance(bot, ExplainingBot)
        told = bot.explain(view_of(some, masks_of(some)))
        values[seat] = np.mean([value for game in told for _, value in game])
    for seat, value in values.items():
        assert (value > 0.5) == (SEAT_SIDE[seat] == Side.SHADOW)


# --- Cards. ---


def exchanging(seat, *cards, stage=4, players=4):
    """A Shadow player holds cards and is asked for one; his partner has one, too."""
    position = Position(Ruleset(players=players, ask_single=True))
    state = position.state
    state["card_zone"][state["card_zone"] >= CardZone.HAND] = CardZone.DISCARD
    for name in cards:
        state["card_zone"][card(name)] = CardZone.HAND + seat
    state["turn"] = 2 - seat % 2
    position.waiting(Frame.SIDE_DRAWS, stage, side=Side.SHADOW)
    return state


def asked(state, decision, seat):
    state["decision"], state["seat"] = decision, seat
    return state


def test_the_card_that_only_the_partner_may_play_is_given():
    isengards, sauron, anybody = "sh-strat-02", "sh-strat-14", "sh-char-16"
    hand = (isengards, sauron, anybody)
    given = best(asked(exchanging(SAURON, *hand), Decision.OFFER_CARD, SAURON))
    assert given == f"card:{isengards}"


def test_of_cards_that_both_may_play_the_least_useful_is_given():
    hand = ("sh-char-01", "sh-char-15", "sh-char-13")
    assert best(asked(exchanging(SAURON, *hand), Decision.OFFER_CARD, SAURON)) == "card:sh-char-15"


def test_an_exchange_is_declined_only_by_who_has_nothing_to_give():
    useful, own = ("sh-strat-02", "sh-char-01"), ("sh-strat-02",)
    for seat, hand, answer in (
        (SAURON, useful, "verb:accept"),
        (ISENGARD, useful, "verb:accept"),
        (SAURON, own, "verb:accept"),
        (ISENGARD, own, "verb:decline"),
    ):
        state = asked(exchanging(seat, *hand, stage=3), Decision.EXCHANGE_CARD, seat)
        assert best(state) == answer


# --- Armies. ---


def test_a_player_plans_no_move_of_his_partner_s_army():
    """A Sauron army next to an empty Osgiliath tempts Sauron's player, not Isengard's."""
    position = Position(Ruleset(players=4, ask_single=True)).at_war("sauron", "southrons")
    position.army("south-ithilien", sauron=4).army("orthanc", isengard=1)
    position.army("minas-tirith", gondor=1)
    state = position.dice(shadow="army muster").state
    scores = {}
    for seat in (SAURON, ISENGARD):
        each = np.asarray(state).reshape(1).copy()
        each["charge"][0, Side.SHADOW] = each["next_seat"][0, Side.SHADOW] = seat
        scores[seat] = plan_score(each, seat)
    assert scores[SAURON] > scores[ISENGARD]


def plan_score(states, seat):
    """What moving armies by an Army die is worth to a seat."""
    states["acting"], states["action_face"] = Side.SHADOW, Face.ARMY
    states["decision"], states["seat"] = Decision.ACTION_PLAN, seat
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.bool_)
    masks[0, [Block.PLAN + Plan.MOVE_ARMIES, Block.PLAN + Plan.SKIP]] = True
    scores = np.zeros((1, NUM_ACTIONS))
    score_views(states, masks, scores)
    return scores[0, Block.PLAN + Plan.MOVE_ARMIES]


@pytest.mark.parametrize("seat", [SAURON, ISENGARD])
def test_partners_make_one_army_against_a_strong_enemy(seat):
    position = Position(Ruleset(players=4, ask_single=True)).at_war("sauron", "southrons", "gondor")
    position.army("osgiliath", sauron=5, southrons=4).army("minas-tirith", gondor=4, gondor_elite=1)
    position.waiting(Frame.ARMIES_MEET, side=Side.SHADOW, region=region("osgiliath"))
    assert best(asked(position.state, Decision.MERGE_ARMIES, seat)) == "verb:accept"
    assert position.state["regular"][region("osgiliath"), nation("southrons")] == 4


# --- Who wins. ---


def test_the_seats_that_win_are_of_the_winning_team(games):
    players = players_of(games)
    states = games.copy()
    for winner in (Winner.FREE_PEOPLES, Winner.SHADOW, Winner.DRAW):
        states["winner"] = winner
        won = WAR_OF_THE_RING.winning_seats(states, Ruleset(players=players))
        assert won.shape == (len(states), players)
        assert not won[:, SEAT_SIDE[:players] != winner].any()
        assert won.any(axis=1).all() == (winner != Winner.DRAW)
