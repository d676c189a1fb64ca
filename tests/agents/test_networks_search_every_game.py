"""``search`` and ``playouts`` in every game with compiled rules: legal, fair, the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.agents.test_network_in_kernels import CONFIGS, made
from tests.agents.test_towers_bots import last_location
from tests.games.duel.duels import DUEL, Duel
from tests.games.two_towers.towers import TOWERS
from tests.networks import SMALL, write_network
from tests.toy_games import HUNT
from wotr_agents import BotError, make_bot, parse_spec
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.search.games import can_search, search_game
from wotr_agents.search.guided import GuidedSettings, OpponentModel
from wotr_agents.search.guided_search import GuidedSearch
from wotr_agents.search.playouts_bot import Playouts, PlayoutsBot, PlayoutsParameters
from wotr_env.core.codes import GOING_ON
from wotr_env.core.kind import GameKind
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import view_of
from wotr_env.play.games import OWN_GAMES, game_kinds
from wotr_experiments.arena.check_bot import check_bot

GAMES = (
    (WAR_OF_THE_RING, ""),
    (WAR_OF_THE_RING, "first:players=4"),
    (DUEL, ""),
    (TOWERS, "two"),
    (TOWERS, "five"),
)
ADVISED = CONFIGS[-1]
SEARCH = "search:{},sims=20,worlds=4,batch=8"
PLAYOUTS = "playouts:{},playouts=12,actions=3,turns=1"
every_game = pytest.mark.parametrize(
    ("kind", "ruleset"), GAMES, ids=[f"{kind.name}-{ruleset}" for kind, ruleset in GAMES]
)


def positions(kind: GameKind, ruleset: str, count: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Positions of random games, each with a choice, of all seats."""
    states, masks = kind.new_states(np.arange(count) + 3, kind.find_ruleset(ruleset))
    rng = np.random.default_rng(1)
    for step in range(12 * count):
        going = (masks.sum(axis=1) == 1) | (np.arange(count) * 12 > step)
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        moved, legal = states[going], masks[going]
        kind.kernels.step(moved, legal, actions[going])
        open_still = moved["winner"] == GOING_ON
        rows = np.flatnonzero(going)[open_still]
        states[rows], masks[rows] = moved[open_still], legal[open_still]
    several = masks.sum(axis=1) > 1
    assert several.sum() >= count // 2
    return states[several], masks[several]


def search(kind: GameKind, states: np.ndarray, masks: np.ndarray, **settings: Any) -> GuidedSearch:
    """With a network that is asked in kernels."""
    game = search_game(kind.name)
    game.prepare()
    inference = made(ADVISED, kind=kind)
    return GuidedSearch(
        GuidedSettings(**settings),
        inference.logits_and_values,
        view_of(states, masks, kind).worlds(4, np.random.default_rng(1)),
        np.arange(len(states), dtype=np.int64),
        inference.advice,
        inference.in_kernels,
        made(SMALL, seed=3, kind=kind).in_kernels
        if settings.get("versus") == OpponentModel.NETWORK
        else None,
        game,
    )


def play(kind: GameKind, states: np.ndarray, masks: np.ndarray, team: int = 0) -> np.ndarray:
    """Playouts of a few turns by the first legal action of each game."""
    game = search_game(kind.name)
    game.prepare()
    seeds = np.random.default_rng(5).integers(0, 2**62, size=len(states))
    weights: Any = made(ADVISED, kind=kind).in_kernels
    last = 4
    return Playouts(weights, 1.0, game=game).play(states, masks.argmax(axis=1)[:, None], seeds, last, team)


@every_game
def test_compiled_rules_are_what_searches_take_them_for(kind, ruleset):
    states, masks = positions(kind, ruleset)
    compiled, layout = kind.compiled, kind.layout
    assert len(kind.find_ruleset(ruleset).seats) <= compiled.seats and {"turn", "counter"} <= set(
        states.dtype.names
    )
    seen = view_of(states, masks, kind).observations
    for state, observation in zip(states, seen, strict=True):
        asked = observation[layout.decision.start : layout.decision.stop]
        assert np.flatnonzero(asked).tolist() == [state["decision"]]
        encoded = np.ones(layout.size, dtype=np.int8)
        compiled.encode(state, int(state["seat"]), encoded)
        np.testing.assert_array_equal(encoded, observation)


@every_game
@pytest.mark.parametrize("spec", [SEARCH, PLAYOUTS + ",every=true", PLAYOUTS + ",lines=6"])
def test_the_bots_are_legal_and_fair_and_follow_their_seed(kind, ruleset, spec, tmp_path):
    network = write_network(tmp_path, advice="every" in spec, kind=kind)
    checks = check_bot(spec.format(network), games=3, decisions=8, game=kind.name, ruleset=ruleset or None)
    assert all(check.passed for check in checks), checks


@every_game
@pytest.mark.parametrize("versus", list(OpponentModel))
def test_a_game_is_searched_to_the_same_bytes_whatever_the_others(kind, ruleset, versus):
    states, masks = positions(kind, ruleset)
    together = search(kind, states, masks, versus=versus).run(24).run(6)
    visits = together.visits()
    np.testing.assert_array_equal(visits.sum(axis=1), 30)
    assert not visits[~masks].any() and (visits > 0).sum(axis=1).max() > 1
    alone = search(kind, states[:1], masks[:1], versus=versus).run(24).run(6)
    assert alone.action_values()[0].tobytes() == together.action_values()[0].tobytes()
    values = together.action_values()[visits > 0]
    assert (values >= 0).all() and (values <= 1).all() and np.ptp(values) > 0


@every_game
def test_what_a_playout_comes_to_does_not_depend_on_those_beside_it(kind, ruleset):
    states, masks = positions(kind, ruleset)
    together = play(kind, states, masks)
    assert (together >= 0).all() and (together <= 1).all()
    assert play(kind, states[:1], masks[:1]) == together[:1]


@every_game
def test_chances_of_all_teams_add_up(kind, ruleset):
    states, masks = positions(kind, ruleset)
    teams = len(kind.teams)
    played = np.array([play(kind, states, masks, team) for team in range(teams)])
    np.testing.assert_allclose(played.sum(axis=0), 1.0, atol=1e-6)
    found = search(kind, states, masks).run(20)
    rows = [found.action_values(np.full(len(states), team)) for team in range(teams)]
    np.testing.assert_allclose(np.array(rows).sum(axis=0)[found.visits() > 0], 1.0, atol=1e-6)


@pytest.mark.parametrize(
    "spec", ["search:{},sims=300", "playouts:{},playouts=300,actions=9,turns=1,every=true"]
)
def test_a_win_at_once_is_found(spec, tmp_path):
    duel = Duel().offer("c3-07")
    duel.state["ring"][duel.state["seat"]] = 11
    duel.refresh()
    view = view_of(duel.states, duel.masks, DUEL)
    bot: Any = make_bot(spec.format(write_network(tmp_path, kind=DUEL)), 1, "duel")
    (action, chance), *_ = bot.explain(view)[0]
    assert DUEL.actions.names[action] == "play:c3-07" and chance > 0.7


def test_ends_of_a_game_of_three_are_worth_something_to_the_winner_alone():
    towers = last_location().do("lay:red-strength", "lay:red-strength", "end", "end")
    assert towers.state["seat"] == 2
    found = search(TOWERS, towers.states, towers.masks).run(10)
    end = TOWERS.actions.find("end")
    for team, value in enumerate((1.0, 0.0, 0.0)):
        assert found.action_values(np.array([team]))[0, end] == value
        assert play(TOWERS, towers.states, towers.masks, team) == [value]


def test_a_search_of_three_finds_what_wins_for_its_own_team():
    towers = last_location()
    found = search(TOWERS, towers.states, towers.masks).run(2000)
    assert TOWERS.actions.names[int(found.visits()[0].argmax())] == "lay:red-strength"


def test_playouts_by_a_network_that_knows_nothing_beat_it(tmp_path):
    games = 8
    network = made(SMALL, kind=TOWERS)
    parameters = PlayoutsParameters("x", playouts=24, actions=4, temperature=5.0, prior=0.0, every=True)
    won = 0
    for seat in range(2):
        states, masks = TOWERS.new_states(np.arange(games) + 100, TOWERS.ruleset())
        bots = [
            PlayoutsBot(parameters, 1, network, "two-towers"),
            NetBot(NetParameters("x", 5.0), 2, network, TOWERS),
        ]
        while (going := states["winner"] == GOING_ON).any():
            is_own = states["seat"] == seat
            for rows, bot in zip((going & is_own, going & ~is_own), bots, strict=True):
                if rows.any():
                    some, legal = states[rows], masks[rows]
                    TOWERS.kernels.step(some, legal, bot.act(view_of(some, legal, TOWERS)))
                    states[rows], masks[rows] = some, legal
        won += int((states["winner"] == seat).sum())
    assert won > 0.7 * 2 * games


def test_what_a_bot_cannot_play_is_named(tmp_path, monkeypatch):
    own, other = write_network(tmp_path, kind=DUEL), write_network(tmp_path)
    with pytest.raises(BotError, match="must be a network of the kind mlp for this game"):
        make_bot(f"search:{own},versus={other}", 1, "duel")
    for name in ("search", "playouts"):
        with pytest.raises(BotError, match="is for duel, not for two-towers"):
            make_bot(f"{name}:{own}", 1, "two-towers")
        with pytest.raises(BotError, match="unknown parameter 'belief'"):
            make_bot(f"{name}:{own},belief=zoo/wide", 1, "duel")
        monkeypatch.setitem(game_kinds(), HUNT.name, HUNT)
        with pytest.raises(BotError, match=f"bot {name} does not play hunt-only"):
            parse_spec(f"{name}:{own}", HUNT.name)
    assert all(map(can_search, OWN_GAMES))


def bytes_told() -> list[str]:
    """Of a search and playouts in a game of two teams, and in one of more."""
    told = []
    for kind, ruleset in GAMES[2::2]:
        states, masks = positions(kind, ruleset, 1)
        found = search(kind, states, masks, versus=OpponentModel.NETWORK, batch=2).run(4)
        told += [found.action_values().tobytes().hex(), play(kind, states, masks).tobytes().hex()]
    return told
