"""Searches that know who decides for the other side: its actions are those of the opponent."""

from __future__ import annotations

import numpy as np
import pytest

from tests.agents.test_network_in_kernels import CONFIGS, made
from tests.networks import SMALL, write_network
from tests.searches import WOUND, one_game, some_games, wound
from wotr_agents import BotError, make_bot
from wotr_agents.compiled import ensure_searches
from wotr_agents.identity import identity
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.checkpoint import network_bytes
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.models import make_network
from wotr_agents.registry import canonical_spec
from wotr_agents.search.guided import GuidedSettings, OpponentModel
from wotr_agents.search.guided_search import GuidedSearch
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES
from wotr_env.games.war_of_the_ring.codes import Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE
from wotr_env.games.war_of_the_ring.state import NUM_SEATS
from wotr_env.play.bots import choose, view_of
from wotr_experiments.arena.check_bot import check_bot

SEEDS = np.arange(20, dtype=np.int64)
ADVISED = CONFIGS[-1]


def search(states, masks, opponent=None, in_kernels=True, versus=OpponentModel.NETWORK, worlds=1, **settings):
    """With a network that has no part in what the opponent does."""
    ensure_searches()
    inference = made(SMALL, seed=5)
    return GuidedSearch(
        GuidedSettings(versus=versus, **settings),
        inference.logits_and_values,
        view_of(states, masks).worlds(worlds, np.random.default_rng(1)),
        SEEDS[: len(states)],
        inference.advice,
        inference.in_kernels if in_kernels else None,
        opponent.in_kernels if opponent else None,
    )


def answers_of_the_other_side(found, games):
    """For each game the own actions that lead to a further decision, with all that is done there."""
    nodes = found._tree.nodes[: found._tree.used[0]]
    answers = [{} for _ in range(games)]
    for place in np.flatnonzero((nodes["parent"] >= 0) & (nodes["parent"] < games) & (nodes["question"] > 0)):
        node = nodes[place]
        children = nodes["action"][nodes["parent"] == place]
        if len(children):
            asked = int(node["action"]), int(node["question"])
            answers[int(node["parent"])][asked] = set(children.tolist())
    return answers


def positions_after(world, mask, asked):
    """The position after an action, as a batch; None if chance has a part in it."""
    action, question = asked
    states, masks = world.reshape(1).copy(), mask.reshape(1, -1).copy()
    WAR_OF_THE_RING.kernels.step(states, masks, np.array([action]))
    if states["winner"][0] != Winner.NONE or states["counter"][0] != world["counter"]:
        return None
    assert NUM_SEATS * int(states["decision"][0]) + int(states["seat"][0]) == question
    return states, masks


def agreement(found, states, masks, bot):
    """How often the other side does what the bot does alone, and how often it was asked."""
    worlds = view_of(states, masks).worlds(1, np.random.default_rng(1))[:, 0]
    same = total = 0
    for game, answers in enumerate(answers_of_the_other_side(found, len(states))):
        for asked, actions in answers.items():
            if SEAT_SIDE[asked[1] % NUM_SEATS] == SEAT_SIDE[states["seat"][game]]:
                continue
            reached = positions_after(worlds[game], masks[game], asked)
            if reached is not None:
                total += 1
                same += actions == {int(bot.act(view_of(*reached))[0])}
    return same, total


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("in_kernels", [True, False])
def test_the_other_side_does_what_its_network_would(config, in_kernels):
    states, masks = some_games(20)
    opponent = made(config, seed=3)
    bot = NetBot(NetParameters("opponent"), 0, opponent)
    found = search(states, masks, opponent, in_kernels, batch=1).run(60)
    same, total = agreement(found, states, masks, bot)
    assert total >= 5 and same == total
    same, total = agreement(
        search(states, masks, versus=OpponentModel.SEARCH, batch=1).run(60), states, masks, bot
    )
    assert total >= 5 and same < 0.5 * total


def test_the_other_side_does_what_the_scripted_policy_would():
    states, masks = some_games(20)
    found = search(states, masks, versus=OpponentModel.SCRIPTED, batch=1).run(60)
    same, total = agreement(found, states, masks, make_bot("scripted", 1))
    assert total >= 5 and same >= 0.7 * total  # equal actions are chosen by lot


def test_the_own_side_is_searched_as_ever():
    states, masks = some_games()
    opponent = made(ADVISED, seed=3)
    found = search(states, masks, opponent, worlds=4, batch=8).run(40)
    visits = found.visits()
    np.testing.assert_array_equal(visits.sum(axis=1), 40)
    assert not visits[~masks].any() and (visits > 0).sum(axis=1).max() > 3
    whole = search(states, masks, opponent, worlds=4, batch=5).run(40)
    parts = search(states, masks, opponent, worlds=4, batch=5).run(10).run(30)
    assert whole.action_values().tobytes() == parts.action_values().tobytes()


def test_a_win_at_once_is_found():
    states, masks = one_game(wound())
    for versus, opponent in ((OpponentModel.SCRIPTED, None), (OpponentModel.NETWORK, made(SMALL))):
        visits = search(states, masks, opponent, versus=versus).run(60).visits()
        assert ACTION_NAMES[int(visits[0].argmax())] == f"card:{WOUND}"


@pytest.mark.parametrize("versus", ["scripted", "network"])
def test_the_bot_is_fair(tmp_path, versus):
    known = write_network(tmp_path, seed=3, advice=True) if versus == "network" else versus
    spec = f"search:{write_network(tmp_path)},sims=20,worlds=4,batch=8,versus={known}"
    checks = check_bot(spec, games=4, decisions=15)
    assert all(check.passed for check in checks), checks
    states, masks = some_games()
    actions = choose(make_bot(spec, 3), view_of(states, masks), spec)
    np.testing.assert_array_equal(actions, make_bot(spec, 3).act(view_of(states, masks)))


def test_a_bot_is_what_both_networks_are(tmp_path):
    own, known = write_network(tmp_path), write_network(tmp_path, seed=3)
    spec = canonical_spec(f"search:{own},versus={known},sims=7")
    assert spec == f"search:net={own},sims=7,versus={known}"
    assert known.name in identity(spec) and own.name in identity(spec)
    known.write_bytes(own.read_bytes())
    assert identity(spec).count(identity(f"net:{own}").rpartition(" ")[2]) == 2


def test_networks_that_a_search_cannot_know_are_named(tmp_path):
    own = write_network(tmp_path)
    with pytest.raises(BotError, match="there is no network nowhere"):
        make_bot(f"search:{own},versus=nowhere", 1)
    config = NetworkConfig("entity", width=16, hidden=8)
    entity = tmp_path / "entity.safetensors"
    entity.write_bytes(network_bytes(make_network(config).state_dict(), config, {}))
    with pytest.raises(BotError, match="must be a network of the kind mlp"):
        make_bot(f"search:{own},versus={entity}", 1)


def bytes_searched(states, masks):
    """By both ways to know the opponent."""
    told = []
    for versus, opponent in ((OpponentModel.SCRIPTED, None), (OpponentModel.NETWORK, made(ADVISED))):
        found = search(states, masks, opponent, versus=versus, batch=3).run(4)
        told += [found.action_values().tobytes().hex(), found.values().tobytes().hex()]
    return told
