"""Searches made from a game's kernels: the Duel's, by its policy and without one; who cannot be searched."""

import dataclasses
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from tests.agents.test_duel_scripted import positions
from tests.compiled_games import GOAL, walk
from tests.games.duel.duels import DUEL, Duel
from tests.toy_games import HUNT
from wotr_agents import BotError, make_bot, parse_spec
from wotr_agents.search.games import SearchGame, can_search, search_game
from wotr_agents.search.search import Search
from wotr_agents.search.simulations import Rollout, SearchSettings
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.templates import specialize
from wotr_env.core.kind import GameKind
from wotr_env.games.duel.actions import ACTION_NAMES
from wotr_env.play.bots import ExplainingBot, choose, view_of
from wotr_env.play.games import game_kinds

QUICK = "mcts:sims=60,worlds=4,depth=20"


def some_duels(count: int = 12) -> tuple[np.ndarray, np.ndarray]:
    states, masks = positions(20, 9)
    return states[::7][:count].copy(), masks[::7][:count].copy()


def search(rollout: int, simulations: int) -> list[tuple[int, int, float]]:
    states, masks = some_duels(1)
    game = search_game("duel")
    game.prepare()
    worlds = view_of(states, masks, DUEL).worlds(4, np.random.default_rng(1))
    made = Search(SearchSettings(rollout=rollout, depth=1_000_000), worlds[0], 5, game)
    return list(made.run(simulations // 2).run(simulations - simulations // 2).children())


@pytest.mark.parametrize("rollout", list(Rollout))
def test_visits_add_up_to_the_simulations(rollout):
    found = search(rollout, 63)
    mask = some_duels(1)[1][0]
    assert sum(visits for _, visits, _ in found) == 63
    assert all(mask[action] and 0 <= value <= 1 for action, _, value in found)


@pytest.mark.parametrize("rollout", [Rollout.RANDOM, Rollout.SCRIPTED])
def test_games_played_to_the_end_are_won_lost_or_drawn(rollout):
    wins = sum(visits * value for _, visits, value in search(rollout, 40))
    assert 2 * wins == pytest.approx(round(2 * wins))


@pytest.mark.parametrize("rollout", ["scripted", "random", "none"])
def test_a_win_at_once_is_found(rollout):
    duel = Duel().offer("c3-07")
    duel.state["ring"][duel.state["seat"]] = 11
    duel.refresh()
    bot = make_bot(f"mcts:sims=300,rollout={rollout}", 1, "duel")
    assert isinstance(bot, ExplainingBot)
    (action, chance), *_ = bot.explain(view_of(duel.states, duel.masks, DUEL))[0]
    assert (ACTION_NAMES[action], chance) == ("play:c3-07", 1.0)


def test_actions_are_legal_and_follow_from_the_seed():
    view = view_of(*some_duels(), DUEL)
    actions = choose(make_bot(QUICK, 3, "duel"), view, QUICK)
    np.testing.assert_array_equal(actions, make_bot(QUICK, 3, "duel").act(view))
    np.testing.assert_array_equal(actions, make_bot(QUICK + ",threads=2", 3, "duel").act(view))


def test_what_is_hidden_has_no_say():
    states, masks = some_duels()
    others = states.copy()
    DUEL.kernels.sample_worlds(others, states["seat"].astype(np.int64), np.arange(len(states)) + 7)
    assert (others["deck"] != states["deck"]).any()
    told = []
    for seen in (states, others):
        bot = make_bot(QUICK, 5, "duel")
        assert isinstance(bot, ExplainingBot)
        told.append(bot.explain(view_of(seen, masks, DUEL)))
    assert told[0] == told[1]


def keep(kernels: KernelSet, *names: str) -> None:
    """Drops the other entry points of a search, and what only these call: compiling it takes long."""
    entries = {each.name: each for each in kernels.entry_points.values() if each.__name__ in names}
    known = {id(kernel): kernel for kernel in kernels.kernels}
    found = [each.function for each in entries.values()]
    for function in found:
        named = {id(function.__globals__.get(name)) for name in function.__code__.co_names}
        found += [known.pop(each) for each in named & known.keys()]
    kernels.kernels, kernels.entry_points = found[len(entries) :], entries


@pytest.fixture(scope="module")
def other() -> Iterator[SearchGame]:
    """The search of a compiled game of another package, which has the title of a game of this one.

    A step wins at once; in half of the games the die shows nothing, and the other seat wins.
    """
    kind = dataclasses.replace(walk(2), name="other", title=DUEL.title)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(game_kinds(), kind.name, kind)
        game = search_game(kind.name)
        keep(game.kernels, "simulate", "expect")
        yield game


def last_step(kind: GameKind) -> tuple[np.ndarray, np.ndarray]:
    """A position in which a step wins, and its legal actions."""
    states, _ = kind.new_states([1], kind.find_ruleset())
    states["steps"] = GOAL - 1
    return states, kind.masks(states)


def test_a_game_without_a_policy_is_searched_with_random_play(other):
    assert not other.has_policy
    states, masks = last_step(other.kind)
    worlds = view_of(states, masks, other.kind).worlds(2, np.random.default_rng(1))
    for rollout in Rollout:
        made = Search(SearchSettings(rollout=rollout), worlds[0], 5, other).run(800)
        best = max(made.children(), key=lambda each: each.visits)
        assert (other.kind.actions.names[best.action], best.value) == ("step", 1.0)


def test_games_that_cannot_be_searched_are_refused(monkeypatch):
    assert can_search("war-of-the-ring") and can_search("duel")
    monkeypatch.setitem(game_kinds(), HUNT.name, HUNT)
    with pytest.raises(
        BotError, match="bot mcts does not play hunt-only; it plays war-of-the-ring, duel, two-towers"
    ):
        parse_spec("mcts", HUNT.name)
    with pytest.raises(ValueError, match="cannot be searched: its rules are not compiled"):
        search_game.__wrapped__(HUNT.name)


@pytest.mark.parametrize("spec", [QUICK, "expectation:worlds=3,depth=0"])
def test_a_compiled_game_of_another_package_is_searched(spec, other):
    kind = other.kind
    assert other.kernels.name != search_game(DUEL.name).kernels.name
    (action,) = make_bot(spec, 1, kind.name).act(view_of(*last_step(kind), kind))
    assert kind.actions.names[action] == "step"


def test_beliefs_are_of_war_of_the_ring():
    with pytest.raises(BotError, match="unknown parameter 'belief'"):
        parse_spec("mcts:belief=zoo/mixed", "duel")
    assert parse_spec("mcts:sims=7", "duel")[1].sims == parse_spec("mcts:sims=7")[1].sims == 7


def test_another_process_compiles_nothing():
    make_bot(QUICK, 3, "duel")
    code = (
        "from wotr_agents import make_bot\nfrom wotr_agents.search.games import search_game\n"
        f"make_bot({QUICK!r}, 3, 'duel')\nprint(search_game('duel').prepare())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "0.0\n" and "compiling" not in run.stderr


def twice(number):
    return 2 * number


def twice_and(number):
    return twice(number) + more(number)


def more(number):
    return number


def test_copies_call_each_other_and_what_names_shall_mean():
    made = specialize((twice, twice_and), {"more": lambda number: 100 * number})
    assert made["twice_and"](3) == 306 and twice_and(3) == 9
    assert made["twice_and"].__globals__["twice"] is made["twice"]
    with pytest.raises(ValueError, match="no function has the name less"):
        specialize((twice,), {"less": abs})
    with pytest.raises(ValueError, match="there are two functions twice"):
        specialize((twice, twice), {})


@pytest.mark.parametrize("depth", [0, 5])
def test_expectation_is_fair_and_finds_a_win(depth):
    spec = f"expectation:worlds=3,depth={depth}"
    states, masks = some_duels()
    others = states.copy()
    DUEL.kernels.sample_worlds(others, states["seat"].astype(np.int64), np.arange(len(states)) + 7)
    told = []
    for seen in (states, others):
        bot = make_bot(spec, 5, "duel")
        assert isinstance(bot, ExplainingBot)
        told.append(bot.explain(view_of(seen, masks, DUEL)))
    assert told[0] == told[1]
    for row, mask in zip(told[0], masks, strict=True):
        assert sorted(action for action, _ in row) == np.flatnonzero(mask).tolist()
        assert all(0 <= chance <= 1 for _, chance in row)
    duel = Duel().offer("c3-07")
    duel.state["ring"][duel.state["seat"]] = 11
    duel.refresh()
    bot = make_bot(spec, 1, "duel")
    assert isinstance(bot, ExplainingBot)
    (action, chance), *_ = bot.explain(view_of(duel.states, duel.masks, DUEL))[0]
    assert (ACTION_NAMES[action], chance) == ("play:c3-07", 1.0)
