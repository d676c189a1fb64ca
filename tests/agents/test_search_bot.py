"""The search guided by a network, and its bot."""

from __future__ import annotations

import numpy as np
import pytest

from tests.networks import write_network
from tests.positions import legal
from tests.searches import WOUND, one_game, some_games, wound
from wotr_agents import BotError, make_bot
from wotr_agents.compiled import ensure_searches
from wotr_agents.networks.advice import with_advice
from wotr_agents.search.guided import GuidedSettings
from wotr_agents.search.guided_search import GuidedSearch
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import choose, view_of
from wotr_experiments.arena.check_bot import check_bot

SEEDS = np.arange(20, dtype=np.int64)


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    """The bot with an untrained network and little effort."""
    return f"search:{write_network(tmp_path_factory.mktemp('network'))},sims=20,worlds=4,batch=8"


def plain(observations):
    """A network that likes all actions the same, and whose values depend on the position alone."""
    numbers = observations[:, ::7].astype(np.int64).sum(axis=1)
    return np.zeros((len(observations), NUM_ACTIONS), np.float32), (numbers * 37 % 101 / 101).astype(
        np.float32
    )


def search(states, masks, evaluate=plain, **settings):
    ensure_searches()
    worlds = view_of(states, masks).worlds(4, np.random.default_rng(1))
    return GuidedSearch(GuidedSettings(**settings), evaluate, worlds, SEEDS[: len(states)])


def test_actions_are_legal_and_follow_from_the_seed(spec):
    states, masks = some_games()
    actions = choose(make_bot(spec, 3), view_of(states, masks), spec)
    np.testing.assert_array_equal(actions, make_bot(spec, 3).act(view_of(states, masks)))


def test_visits_add_up_to_the_simulations():
    states, masks = some_games()
    found = search(states, masks, batch=8).run(20).run(13)
    visits = found.visits()
    assert visits.shape == masks.shape and visits.dtype == np.float32
    np.testing.assert_array_equal(visits.sum(axis=1), 33)
    assert not visits[~masks].any()
    assert ((found.values() >= 0) & (found.values() <= 1)).all()
    means = (found.action_values() * visits).sum(axis=1) / 33
    # the root has one visit more: its own value
    roots = plain(view_of(states, masks).observations)[1]
    np.testing.assert_allclose(found.values(), (33 * means + roots) / 34)


def test_a_game_is_searched_the_same_whatever_the_others():
    states, masks = some_games()
    worlds = view_of(states, masks).worlds(4, np.random.default_rng(1))
    together = GuidedSearch(GuidedSettings(), plain, worlds, SEEDS[: len(states)]).run(50)
    for game in range(len(states)):
        only = slice(game, game + 1)
        alone = GuidedSearch(GuidedSettings(), plain, worlds[only], SEEDS[only]).run(50)
        np.testing.assert_array_equal(alone.visits()[0], together.visits()[game])
        assert alone.values()[0] == together.values()[game]


def test_a_batch_of_one_waits_for_every_answer():
    """Then simulations in parts are the same as all at once."""
    states, masks = some_games(2)
    whole = search(states, masks, batch=1).run(30)
    parts = search(states, masks, batch=1).run(10).run(20)
    np.testing.assert_array_equal(whole.visits(), parts.visits())


def test_priors_lead_the_search():
    states, masks = some_games(4)
    liked = masks.argmax(axis=1)

    def likes_the_first(observations):
        scores = np.zeros((len(observations), NUM_ACTIONS), np.float32)
        scores -= np.arange(NUM_ACTIONS, dtype=np.float32)
        return scores, np.full(len(observations), 0.5, np.float32)

    np.testing.assert_array_equal(
        search(states, masks, likes_the_first).run(20).visits().argmax(axis=1), liked
    )


def test_values_lead_the_search_of_either_side():
    """A network that sees a win for the Shadow after one action: the Shadow plays it."""
    game = wound()
    states, masks = one_game(game)
    found = search(states, masks).run(60)
    best = int(found.visits()[0].argmax())
    assert ACTION_NAMES[best] == f"card:{WOUND}"
    assert found.action_values()[0, best] == 0.0  # the Free Peoples have lost


def test_a_win_at_once_is_found(spec):
    game = wound()
    assert legal(game) == {f"card:{WOUND}", "card:sh-char-18"}
    states, masks = one_game(game)
    bot = make_bot(spec.replace("sims=20", "sims=100"), 1)
    action, chance = bot.explain(view_of(states, masks))[0][0]
    assert (ACTION_NAMES[action], chance) == (f"card:{WOUND}", 1.0)
    assert bot.act(view_of(states, masks))[0] == action


def test_the_scripted_policy_advises_as_it_does_elsewhere(tmp_path):
    """The root's priors are those of the bot that plays by the same network."""
    states, masks = some_games(3)
    worlds = view_of(states, masks).worlds(1, np.random.default_rng(1))
    seen = []

    def remember(inputs):
        seen.append(inputs.copy())
        return plain(inputs)

    GuidedSearch(GuidedSettings(), remember, worlds, SEEDS[:3], advice=True)
    wanted = with_advice(view_of(states, masks).observations, worlds[:, 0].copy(), masks, WAR_OF_THE_RING)
    np.testing.assert_array_equal(seen[0], wanted)
    spec = f"search:{write_network(tmp_path, advice=True)},sims=20,worlds=4"
    assert all(check.passed for check in check_bot(spec, games=3, decisions=10))


def test_explain_orders_all_that_was_tried(spec):
    states, masks = some_games()
    for tried, mask in zip(make_bot(spec, 1).explain(view_of(states, masks)), masks, strict=True):
        actions = [action for action, _ in tried]
        assert mask[actions].all() and len(set(actions)) == len(actions)
        assert all(0 <= chance <= 1 for _, chance in tried)


def test_a_time_limit_ends_a_search(spec):
    states, masks = some_games(2)
    quick = make_bot(spec.replace("sims=20", "sims=1000000,time=0.02"), 1)
    assert masks[np.arange(2), quick.act(view_of(states, masks))].all()


def test_the_bot_is_fair(spec):
    checks = check_bot(spec, games=4, decisions=25)
    assert all(check.passed for check in checks), checks


@pytest.mark.parametrize(
    ("parameters", "message"),
    (
        ("sims=0", "sims must be at least 1, not 0"),
        ("batch=0", "batch must be at least 1, not 0"),
        ("c=0", "c must be above 0, not 0.0"),
        ("uniform=2", "uniform must be from 0 to 1, not 2.0"),
        ("time=-1", "time must be at least 0, not -1.0"),
        ("reduction=nan", "reduction must be at least 0, not nan"),
    ),
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(BotError, match=message):
        make_bot(f"search:x,{parameters}", 1)


def test_a_missing_network_is_named():
    with pytest.raises(BotError, match="zoo has no network 'zoo/nobody'"):
        make_bot("search:zoo/nobody", 1)
