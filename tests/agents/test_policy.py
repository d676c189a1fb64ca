"""The scripted policy: exact odds, scores for every decision, fair and stronger than chance."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.positions import Position, legal, play, region, tile
from tests.random_play import positions
from wotr_agents import BotError, make_bot
from wotr_agents.games.war_of_the_ring.scripted.entry import (
    ensure_agents,
    features_of,
    play_scripted,
    score_views,
)
from wotr_agents.games.war_of_the_ring.scripted.odds import (
    ASSAULT,
    FIELD,
    WALLS,
    battle_odds,
    hit_distribution,
)
from wotr_agents.games.war_of_the_ring.scripted.value import COEFFICIENTS_FILE, Feature, load_coefficients
from wotr_agents.games.war_of_the_ring.scripted.weights import (
    DEFAULT_WEIGHTS,
    PLAIN_WEIGHTS,
    WEIGHTS_FILE,
    Weight,
    load_weights,
)
from wotr_agents.scores import NO_SCORE
from wotr_env import Ruleset, VectorGame
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Phase, Side, TurnStage, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.play.bots import view_of


@pytest.fixture(scope="module", autouse=True)
def compiled():
    ensure_agents()


# --- Odds. ---


def test_hits_of_one_die_and_its_reroll():
    assert hit_distribution(1, 0, 5) == pytest.approx([2 / 3, 1 / 3, 0, 0, 0, 0])
    assert hit_distribution(1, 1, 6)[1] == pytest.approx(1 / 6 + 5 / 6 * 1 / 6)
    assert hit_distribution(0, 3, 5)[0] == 1
    assert all(hit_distribution(dice, 2, 6).sum() == pytest.approx(1) for dice in range(6))


def test_one_against_one_by_hand():
    # Per round the attacker alone hits with 2/9, the defender alone with 2/9, both with 1/9.
    assert battle_odds()[FIELD, 1, 0, 0, 1, 0, 0] == pytest.approx((2 / 9) / (5 / 9))
    assert battle_odds()[ASSAULT, 1, 0, 0, 1, 0, 0] == pytest.approx((1 / 9) / (1 / 9 + 5 / 18 + 1 / 18))


def simulated(kind, attacker, defender, battles, generator):
    """The share of battles that the attacker wins; an army is (hit points, units, Leadership)."""
    hits = np.tile([attacker[0], defender[0]], (battles, 1))
    first = True
    while (going := (hits > 0).all(axis=1)).any():
        scored = []
        for side, army in enumerate((attacker, defender)):
            needed = 6 if side == 0 and (kind == ASSAULT or (kind == WALLS and first)) else 5
            dice = np.minimum(min(5, army[1]), hits[:, side])
            made = ((generator.integers(1, 7, (battles, 5)) >= needed) & (np.arange(5) < dice[:, None])).sum(
                axis=1
            )
            again = np.minimum(dice - made, army[2])
            more = (generator.integers(1, 7, (battles, 5)) >= needed) & (np.arange(5) < again[:, None])
            scored.append(made + more.sum(axis=1))
        hits = np.where(going[:, None], hits - np.stack(scored[::-1], axis=1), hits)
        first = False
    return (hits[:, 0] > 0).mean()


@pytest.mark.parametrize("kind", [FIELD, WALLS, ASSAULT])
@pytest.mark.parametrize(
    ("attacker", "defender"), [((5, 5, 0), (4, 3, 1)), ((9, 5, 3), (7, 5, 2)), ((3, 2, 1), (6, 4, 0))]
)
def test_odds_agree_with_simulated_battles(kind, attacker, defender):
    found = simulated(kind, attacker, defender, 4_000, np.random.default_rng(1))
    place = (attacker[0], attacker[1] - 1, attacker[2], defender[0], defender[1] - 1, defender[2])
    assert battle_odds()[(kind, *place)] == pytest.approx(found, abs=0.03)


def test_more_of_everything_is_never_worse():
    odds = battle_odds()
    assert (np.diff(odds, axis=1)[:, 1:] >= -1e-6).all() and (np.diff(odds, axis=4) <= 1e-6).all()
    assert (np.diff(odds, axis=3) >= -1e-6).all() and (np.diff(odds, axis=6) <= 1e-6).all()


# --- Scores. ---


@pytest.fixture(scope="module")
def states():
    return np.concatenate([positions(name) for name in ("first", "cards_second", "fellowship")])


def masks_of(states):
    masks = np.zeros((states.size, 322), dtype=np.bool_)
    kernel.refresh(states, masks)
    return masks


def test_every_legal_action_has_a_score_and_no_other(states):
    waiting = states[states["winner"] == Winner.NONE].copy()
    masks = masks_of(waiting)
    scores = np.zeros(masks.shape)
    for weights in (DEFAULT_WEIGHTS, PLAIN_WEIGHTS):
        score_views(waiting, masks, scores, weights)
        assert np.isfinite(scores).all()
        assert (scores[~masks] == NO_SCORE).all() and (scores[masks] > NO_SCORE).all()
    assert len(set(waiting["decision"].tolist())) > 40


@pytest.mark.parametrize("name", ["weights.json", "plain_weights.json"])
def test_a_file_of_weights_has_every_weight_by_name(name):
    known = json.loads(WEIGHTS_FILE.with_name(name).read_text(encoding="utf-8"))
    assert sorted(known) == sorted(weight.name.lower() for weight in Weight)
    loaded = load_weights(WEIGHTS_FILE.with_name(name))
    assert loaded[Weight.MOVE_BASE] == known["move_base"] and loaded[Weight.HOLD] == known["hold"]


def test_scores_follow_from_what_the_seat_knows(states):
    waiting = states[states["winner"] == Winner.NONE].copy()
    masks = masks_of(waiting)
    worlds = waiting.copy()
    seeds = np.arange(worlds.size, dtype=np.int64)
    kernel.sample_worlds(worlds, worlds["seat"].astype(np.int64), seeds)
    assert worlds.tobytes() != waiting.tobytes()
    scores, imagined = np.zeros(masks.shape), np.zeros(masks.shape)
    score_views(waiting, masks, scores)
    score_views(worlds, masks, imagined)
    assert np.array_equal(scores, imagined)


def best(game):
    """The name of the action that the policy likes best."""
    scores = np.zeros((1, 322))
    states = np.array([game.state])
    score_views(states, game.mask()[None], scores)
    return game.name_of(int(scores[0].argmax()))


def test_the_chance_to_crown_aragorn_is_taken():
    position = Position().army("minas-tirith", gondor=2).dice("will army", "army")
    position.state.location[Character.STRIDER] = region("minas-tirith")
    game = position.game()
    assert best(game) == "face:will"
    assert best(play(game, "face:will")) == "plan:bring-character"


@pytest.mark.parametrize("edition", [Ruleset.first_edition(), Ruleset.second_edition()])
def test_a_fellowship_that_reaches_a_gate_goes_into_mordor(edition):
    position = Position(edition).fellowship("dagorlad", progress=1, corruption=3)
    game = position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game()
    while game.state.mordor_step == 0 and game.decision in (
        Decision.DECLARE_FELLOWSHIP,
        Decision.ENTER_MORDOR,
    ):
        play(game, best(game))
    assert game.state.mordor_step == 1


def test_by_the_second_edition_a_fellowship_is_revealed_at_a_gate_from_where_it_enters():
    """By the first it would wait there until it is hidden, so that it is not worth the Stronghold's tile."""
    for edition, place in ((Ruleset.first_edition(), False), (Ruleset.second_edition(), True)):
        position = Position(edition).fellowship("north-ithilien", progress=1).dice("character", "army")
        game = position.hunt_box(shadow=1).game(6, tile("tile-0-r-1"))
        play(game, "face:character", "plan:move-fellowship")
        assert game.decision == Decision.REVEAL_REGION
        assert (best(game) in ("region:morannon", "region:minas-morgul")) == place


def test_armies_do_not_lose_units_where_they_may_enter_above_the_limit():
    """The second edition trims; whoever has no room stays behind (R7.2.2)."""
    position = Position(Ruleset.second_edition()).at_war("north").dice("army army", "army")
    game = (
        position.army("dale", north=6, north_elite=2).army("old-forest-road", north=4, north_elite=1).game()
    )
    play(game, "face:army", "plan:move-armies", "region:old-forest-road", "region:dale")
    assert "verb:whole-army" in legal(game) and best(game) == "figure:north-elite"
    play(game, "figure:north-elite", "figure:north-regular")
    assert best(game) == "verb:done"
    position = Position(Ruleset.second_edition()).at_war("north").dice("army army", "army")
    game = position.army("dale", north=6, north_elite=4).army("old-forest-road", north=4).game()
    play(game, "face:army", "plan:move-armies", "region:old-forest-road")
    assert "region:dale" in legal(game) and best(game) != "region:dale"


def test_a_revealed_fellowship_in_mordor_hides():
    position = Position().dice("character army", "army")
    position.state.mordor_step, position.state.fellowship_region, position.state.revealed = 2, -1, 1
    game = position.game()
    assert best(game) == "face:character"
    assert best(play(game, "face:character")) == "plan:hide-fellowship"


def test_R6_4_4_a_card_without_effect_is_kept():
    # Nobody is outside the Fellowship, so that Book of Mazarbul moves nobody.
    game = Position().dice("event", "army").hand(Side.FREE_PEOPLES, "fp-strat-04").game()
    play(game, "face:event")
    assert "plan:play-card" in legal(game) and best(game) == "plan:draw-card"
    shadow = Position().dice("", "event", acting=Side.SHADOW).hand(Side.SHADOW, "sh-strat-07").game()
    assert best(play(shadow, "face:event")) == "plan:draw-card"


# --- Bots. ---


def share_won(side, weights, games=100, rival=1e7):
    """The share won against a side that plays at random."""
    states = VectorGame(games, seed=17, ruleset=Ruleset(max_turns=60), observations=False).states.copy()
    noise = np.full((games, 2), 0.1)
    noise[:, 1 - side] = rival
    both = np.broadcast_to(weights, (games, 2, weights.size)).copy()
    play_scripted(states, masks_of(states), both, np.arange(games), noise)
    return (states["winner"] == side).mean()


@pytest.mark.parametrize(("side", "least"), [(0, 0.9), (1, 0.97)])
def test_the_scripted_policy_beats_random_play(side, least):
    assert share_won(side, DEFAULT_WEIGHTS) >= least


def test_noise_that_drowns_the_scores_is_random_play():
    assert share_won(0, DEFAULT_WEIGHTS, rival=0.1) < 0.9


def test_levels_differ_and_others_do_not_exist():
    games = VectorGame(32, seed=3)
    games.random_steps(200)
    view = view_of(games.states, games.masks)
    plain, tuned = (make_bot(f"scripted:level={level}", 1).act(view) for level in (1, 2))
    assert (plain != tuned).any()
    with pytest.raises(BotError, match="level must be from 1 to 2"):
        make_bot("scripted:level=3", 1)
    with pytest.raises(BotError, match="noise"):
        make_bot("scripted:noise=-1", 1)


def test_the_bot_explains_what_it_plays():
    games = VectorGame(16, seed=4)
    games.random_steps(100)
    view = view_of(games.states, games.masks)
    bot = make_bot("scripted:noise=0", 1)
    for row, (action, told) in enumerate(zip(bot.act(view), bot.explain(view), strict=True)):
        assert told[0][0] == action or told[0][1] == pytest.approx(dict(told)[int(action)])
        assert sorted(choice for choice, _ in told) == np.flatnonzero(games.masks[row]).tolist()
        assert [score for _, score in told] == sorted((score for _, score in told), reverse=True)


# --- Values. ---


def test_values_are_fitted_and_features_bounded(states):
    fitted = json.loads(COEFFICIENTS_FILE.read_text(encoding="utf-8"))
    assert fitted["brier"] < fitted["brier_of_the_mean"]
    assert (load_coefficients() != 0).all()
    features = features_of(states)
    assert (features[:, Feature.ONE] == 1).all() and np.abs(features).max() < 4
    assert (features.min(axis=0) >= 0).all()


def test_corruption_lowers_the_value_of_the_free_peoples():
    coefficients = load_coefficients()
    games = VectorGame(64, seed=5, observations=False)
    states = games.states.copy()
    before = features_of(states) @ coefficients
    states["corruption"] = 9
    assert (features_of(states) @ coefficients < before).all()
