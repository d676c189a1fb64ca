"""The Queller-style Shadow: its steps in positions set up by hand, fair, and stronger than chance."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.positions import Position, legal, play
from tests.random_play import positions
from wotr_agents import BotError, make_bot
from wotr_agents.games.war_of_the_ring.queller.entry import score_queller_views
from wotr_agents.games.war_of_the_ring.queller.reading import Strategy
from wotr_agents.games.war_of_the_ring.scripted.entry import ensure_agents, score_views
from wotr_agents.scores import NO_SCORE
from wotr_env import Ruleset, VectorGame
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS
from wotr_env.games.war_of_the_ring.codes import Phase, Side, TurnStage, Winner
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.play.bots import view_of

ROOT = Path(__file__).parents[2]
PLAYED = ("first", "cards_second", "sieges", "fellowship")
ASK = Ruleset(ask_single=True)


@pytest.fixture(scope="module", autouse=True)
def compiled():
    ensure_agents()


@pytest.fixture(scope="module")
def waiting():
    states = np.concatenate([positions(name) for name in PLAYED])
    return states[states["winner"] == Winner.NONE].copy()


def masks_of(states):
    masks = np.zeros((states.size, NUM_ACTIONS), dtype=np.bool_)
    kernel.refresh(states, masks)
    return masks


def scores_of(states, masks, strategy=Strategy.AUTO, coin=5):
    scores = np.zeros(masks.shape)
    score_queller_views(states, masks, scores, strategy, coin)
    return scores


def best(game, strategy=Strategy.MILITARY):
    """The name of the action that the procedure takes."""
    states = np.array([game.state], dtype=game.state.dtype)
    return ACTION_NAMES[int(scores_of(states, game.mask()[None], strategy)[0].argmax())]


def best_line(game, length, strategy=Strategy.MILITARY):
    """The names of the next actions of the procedure."""
    names = []
    for _ in range(length):
        names.append(best(game, strategy))
        play(game, names[-1])
    return names


# --- Every decision. ---


def test_every_legal_action_has_a_score_and_no_other(waiting):
    masks = masks_of(waiting)
    for strategy in Strategy:
        scores = scores_of(waiting, masks, strategy)
        assert np.isfinite(scores).all()
        assert (scores[~masks] == NO_SCORE).all() and (scores[masks] > NO_SCORE).all()


def test_scores_follow_from_what_the_seat_knows(waiting):
    masks = masks_of(waiting)
    worlds = waiting.copy()
    seeds = np.arange(worlds.size, dtype=np.int64)
    kernel.sample_worlds(worlds, worlds["seat"].astype(np.int64), seeds)
    assert worlds.tobytes() != waiting.tobytes()
    assert np.array_equal(scores_of(waiting, masks), scores_of(worlds, masks))


def test_the_free_peoples_play_as_scripted(waiting):
    theirs = waiting[waiting["seat"] == Side.FREE_PEOPLES]
    masks = masks_of(theirs)
    scripted = np.zeros(masks.shape)
    score_views(theirs, masks, scripted)
    assert np.array_equal(scores_of(theirs, masks), scripted)


def test_compiled_and_interpreted_scores_agree(waiting, tmp_path):
    ours = waiting[waiting["seat"] == Side.SHADOW]
    chosen = ours[:: max(1, ours.size // 30)].copy()
    masks = masks_of(chosen)
    np.save(tmp_path / "states.npy", chosen.view(np.uint8))
    np.save(tmp_path / "masks.npy", masks)
    program = (
        "import sys, numpy as np\n"
        "from wotr_agents.games.war_of_the_ring.queller.entry import score_queller_views\n"
        "from wotr_env import STATE\n"
        "states = np.load(sys.argv[1] + '/states.npy').view(STATE)\n"
        "masks = np.load(sys.argv[1] + '/masks.npy')\n"
        "scores = np.zeros(masks.shape)\n"
        "score_queller_views(states, masks, scores, 2, 5)\n"
        "np.save(sys.argv[1] + '/scores.npy', scores)\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", program, str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "overflow" not in run.stderr
    assert np.allclose(np.load(tmp_path / "scores.npy"), scores_of(chosen, masks), atol=1e-9)


# --- The steps. ---


def allocation(**fellowship):
    position = Position(ASK, setup=True).phase(Phase.HUNT_ALLOCATION, TurnStage.ALLOCATE)
    return position.fellowship(**fellowship).game()


def test_hunt_dice_of_the_military_strategy():
    assert best(allocation(place="rivendell", progress=0)) == "count:0"
    assert best(allocation(place="rivendell", progress=1)) == "count:1"
    assert best(allocation(place="rivendell", progress=6)) == "count:2"
    game = allocation(mordor_step=1)
    assert best(game) == f"count:{max(game.legal()) - ACTION_NAMES.index('count:0')}"


def test_hunt_dice_of_the_corruption_strategy():
    game = allocation(place="lorien", progress=5)
    assert best(game, Strategy.CORRUPTION) == "count:1"  # seven dice only
    position = Position(ASK, setup=True).phase(Phase.HUNT_ALLOCATION, TurnStage.ALLOCATE)
    position.state.pool[Side.SHADOW] = 9
    assert best(position.fellowship("lorien", progress=5).game(), Strategy.CORRUPTION) == "count:2"


def drawing(corruption, *, points=False):
    position = Position(ASK).dice("character", "event event", Side.SHADOW)
    if points:
        position.control("edoras", Side.SHADOW)
    return play(position.fellowship(corruption=corruption).game(), "face:event")


def test_the_strategy_follows_what_is_ahead():
    assert best_line(drawing(3), 2, Strategy.AUTO) == ["plan:draw-card", "verb:character-deck"]
    assert best_line(drawing(0, points=True), 2, Strategy.AUTO) == ["plan:draw-card", "verb:strategy-deck"]


def test_the_coin_decides_at_the_start():
    game = play(drawing(0), "plan:draw-card")
    states, masks = np.array([game.state]), game.mask()[None]
    found = {int(scores_of(states, masks, Strategy.AUTO, coin)[0].argmax()) for coin in range(64)}
    assert {ACTION_NAMES[action] for action in found} == {"verb:character-deck", "verb:strategy-deck"}


def test_a_mobile_army_fights_its_way_to_its_target():
    position = Position(ASK, setup=True).at_war("isengard", "rohan").army("orthanc", isengard=4)
    game = position.dice("character", "army army", Side.SHADOW).game()
    line = best_line(game, 5)
    assert line[:4] == ["face:army", "plan:attack", "region:orthanc", "region:fords-of-isen"]
    assert line[4] == "verb:whole-army"


def test_a_weak_army_does_not_attack():
    position = Position(ASK).at_war("isengard", "rohan").army("orthanc", isengard=3)
    position.army("fords-of-isen", isengard=2).army("helms-deep", rohan=4, rohan_elite=2)
    game = position.dice("character", "army army", Side.SHADOW).game()
    assert best_line(game, 2)[1] != "plan:attack"


def test_an_undefended_city_is_walked_into():
    position = Position(ASK).at_war("southrons", "north").army("erebor", dwarves=4)
    position.army("vale-of-the-carnen", southrons=4)
    game = position.dice("character", "army", Side.SHADOW).game()
    line = best_line(game, 4)
    assert line == ["face:army", "plan:move-armies", "region:vale-of-the-carnen", "region:dale"]


def test_isengard_goes_to_war_before_sauron():
    game = Position(ASK, setup=True).dice("character", "muster muster", Side.SHADOW).game()
    assert best_line(game, 3) == ["face:muster", "plan:advance-nation", "nation:isengard"]


def with_saruman(dice):
    position = Position(ASK).at_war("isengard").army("orthanc", isengard=2)
    return position.dice(dice, "muster muster", Side.SHADOW).game()


def test_a_minion_enters_at_once():
    assert best_line(with_saruman("character character"), 2) == ["face:muster", "plan:bring-character"]


def test_the_first_minion_waits_for_the_last_die_while_the_will_of_the_west_shows():
    game = with_saruman("will character")
    line = best_line(game, 2)
    assert line[0] == "face:muster" and line[1] != "plan:bring-character"
    last = Position(ASK).at_war("isengard").army("orthanc", isengard=2)
    game = last.dice("will", "muster", Side.SHADOW).game()
    assert best_line(game, 2) == ["face:muster", "plan:bring-character"]


def test_a_ring_makes_the_muster_die_for_a_minion():
    position = Position(ASK, setup=True).at_war("isengard").rings(0, 1)
    game = position.dice("character character", "character event", Side.SHADOW).game()
    line = best_line(game, 5)
    assert line[0] == "verb:use-ring" and line[2] == "face:muster"
    assert line[3:] == ["face:muster", "plan:bring-character"]


def test_cards_for_a_revealed_fellowship_are_played_then():
    position = Position(ASK, setup=True).hand(Side.SHADOW, "sh-char-12", "sh-strat-15")
    position.fellowship("lorien", revealed=True).dice("character", "character event", Side.SHADOW)
    assert best_line(position.game(), 2) == ["face:character", "plan:play-card"]


def test_one_nazgul_joins_the_fellowship_under_the_corruption_strategy():
    position = Position(ASK, setup=True).fellowship("lorien", progress=1)
    game = position.dice("character", "character", Side.SHADOW).game()
    line = best_line(game, 2, Strategy.CORRUPTION)
    assert line == ["face:character", "plan:move-minions"]
    best_line(game, 2, Strategy.CORRUPTION)
    # Lorien is a Stronghold of the Free Peoples, where no Nazgul may fly: an army gets a leader instead.
    position = Position(ASK, setup=True).fellowship("goblins-gate", progress=1)
    game = position.dice("character", "character", Side.SHADOW).game()
    assert best_line(game, 4, Strategy.CORRUPTION)[3] == "region:goblins-gate"


def attacked_orthanc(**defenders):
    position = Position(ASK).at_war("isengard", "rohan").army("orthanc", **defenders)
    game = position.army("fords-of-isen", rohan=4).dice("army", "army", Side.FREE_PEOPLES).game()
    play(game, "face:army", "plan:attack", "region:fords-of-isen", "region:orthanc", "verb:whole-army")
    while game.seat == Side.FREE_PEOPLES:
        play(game, "verb:decline")
    return game


def test_a_weak_army_withdraws_into_its_stronghold_and_a_strong_one_fights():
    assert best(attacked_orthanc(isengard=1)) == "verb:withdraw"
    assert best(attacked_orthanc(isengard=6, isengard_elite=3)) == "verb:fight"


def test_the_witch_king_plays_a_strategy_card_in_round_one():
    position = Position(ASK).at_war("sauron", "gondor").place("witch-king", "osgiliath")
    position = position.army("osgiliath", sauron=5, sauron_elite=4).army("minas-tirith", gondor=1)
    position.hand(Side.SHADOW, "sh-char-12", "sh-strat-22")
    game = position.dice("army", "army", Side.SHADOW).game()
    play(game, "face:army", "plan:attack", "region:osgiliath", "region:minas-tirith", "verb:whole-army")
    while game.seat == Side.FREE_PEOPLES:
        play(game, "verb:fight")
    assert best(game) == "card:sh-strat-22"


def test_casualties_keep_the_combat_dice():
    position = Position(ASK).at_war("sauron", "gondor").army("osgiliath", sauron=1, sauron_elite=2)
    position = position.army("minas-tirith", gondor=5)
    game = position.dice("army", "army", Side.FREE_PEOPLES).game(6, 6, 6, 6, 6, 1, 1, 1)
    play(game, "face:army", "plan:attack", "region:minas-tirith", "region:osgiliath", "verb:whole-army")
    while "nation:sauron" not in legal(game):
        play(game, sorted(legal(game))[0])
    assert best(game) == "nation:sauron"  # three units, three dice


# --- The bot. ---


def test_an_unknown_strategy_is_refused():
    with pytest.raises(BotError, match="strategy is one of auto, military, corruption, not 'guess'"):
        make_bot("queller:guess", 1)
    make_bot("queller:strategy=corruption", 1)


def test_the_same_seed_plays_the_same(waiting):
    chosen = waiting[:50]
    view = view_of(chosen, masks_of(chosen))
    assert np.array_equal(make_bot("queller", 4).act(view), make_bot("queller", 4).act(view))
    rows = make_bot("queller", 4).explain(view)
    assert [len(row) for row in rows] == view.masks.sum(axis=1).tolist()


def test_it_beats_chance_as_the_shadow():
    games = VectorGame(num_games=40, seed=3)
    bots = (make_bot("random", 1), make_bot("queller", 2))
    wins = ended = 0
    open_games = np.ones(40, dtype=bool)
    while open_games.any():
        states, masks, seats = games.states, games.masks, games.seats.copy()
        actions = np.zeros(40, dtype=np.int64)
        for seat in range(2):
            rows = np.flatnonzero(seats == seat)
            if rows.size:
                actions[rows] = bots[seat].act(view_of(states[rows], masks[rows]))
        games.step(actions)
        over = games.terminated.astype(bool) & open_games
        wins += int((games.rewards[over, Side.SHADOW] > 0).sum())
        ended += int(over.sum())
        open_games &= ~over
    assert ended == 40 and wins >= 38
