"""The games of OpenSpiel: its own conformance checks, its playthroughs, and what this package promises."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")

from open_spiel.python import rl_environment  # noqa: E402

from tests.simple_games import KuhnPoker, TicTacToe  # noqa: E402
from tests.toy_race import RACE  # noqa: E402
from wotr_env import IllegalAction  # noqa: E402
from wotr_env.core.luck import NO_SOURCE  # noqa: E402
from wotr_env.core.states import copy_states  # noqa: E402
from wotr_env.envs import openspiel  # noqa: E402
from wotr_env.play.games import game_kind, game_kinds  # noqa: E402

KUHN = KuhnPoker().kind()
RULESETS = {
    "duel": ("", "open"),
    "two-towers": ("two", "three", "four", "five", "drawn"),
    "war-of-the-ring": (
        "first:max_turns=2",
        "second:max_turns=2",
        "first:max_turns=2,players=3",
        "first:max_turns=2,players=4",
        "second:max_turns=2,players=4",
    ),
}
GAMES = [(name, spec) for name, specs in RULESETS.items() for spec in specs]
by_game = pytest.mark.parametrize(("name", "spec"), GAMES, ids=lambda each: each.replace(",", "-") or "usual")


def begun(game, seed=5):
    """A state at the first decision."""
    state, rng = game.new_initial_state(), np.random.default_rng(seed)
    while state.is_chance_node():
        state.apply_action(int(rng.integers(game.chance_outcomes)))
    return state


def walk(game, seed=5):
    """The states of a random game, its end too."""
    state, rng = game.new_initial_state(), np.random.default_rng(seed)
    yield state
    while not state.is_terminal():
        state = state.clone()
        state.apply_action(int(rng.choice(state.legal_actions())))
        yield state


def decisions(game, every=7):
    """Some decisions of a random game."""
    states = [state for state in walk(game) if state.current_player() >= 0]
    return states[::every]


@by_game
def test_it_passes_the_checks_of_openspiel(name, spec):
    game = openspiel.load(name, spec)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.slow
def test_long_games_pass_the_checks_of_openspiel():
    game = openspiel.load("war-of-the-ring", "second:max_turns=4")
    pyspiel.random_sim_test(game, 1, serialize=True, verbose=False)


@pytest.mark.parametrize("kind", [KUHN, TicTacToe().kind()], ids=lambda kind: kind.name)
def test_a_game_of_ones_own_passes_too(kind):
    pyspiel.random_sim_test(openspiel.load(kind), num_sims=5, serialize=True, verbose=False)


def test_every_installed_game_is_here():
    assert RULESETS.keys() <= game_kinds().keys()
    assert {openspiel.register(kind) for kind in game_kinds().values()} <= set(pyspiel.registered_names())


def test_a_playthrough_is_the_same_twice():
    game = str(openspiel.load("two-towers", "two:max_turns=5"))
    from open_spiel.python.algorithms import generate_playthrough

    first, second = (generate_playthrough.playthrough(game, None, seed=3) for _ in range(2))
    assert first == second and "IsTerminal() = True" in first


@by_game
def test_the_first_outcomes_spell_the_seed_of_the_game(name, spec):
    game = openspiel.load(name, spec)
    state = game.new_initial_state()
    for digit in (1, 2, 3, 4):
        state.apply_action(digit)
    same = game_kind(name).game(((1 * 256 + 2) * 256 + 3) * 256 + 4, game.ruleset)
    assert state.states().tobytes() == same.state.tobytes()
    assert state.current_player() == same.seat and state.legal_actions() == same.legal()


@by_game
def test_players_see_what_the_environments_show(name, spec):
    game = openspiel.load(name, spec)
    for state in decisions(game):
        seats = np.arange(game.num_players())
        rows = game.kind.kernels.observe(np.repeat(state.states(), len(seats)), seats)
        for player, row in enumerate(rows):
            np.testing.assert_array_equal(state.observation_tensor(player), row)
            shown = game.make_py_observer()
            shown.set_from(state, player)
            parts = [part.reshape(-1) for part in shown.dict.values()]
            np.testing.assert_array_equal(np.concatenate(parts), row)


@by_game
def test_resampling_changes_nothing_that_a_player_sees(name, spec):
    game = openspiel.load(name, spec)
    random, changed = np.random.default_rng(2), 0
    for state in decisions(game):
        for player in range(game.num_players()):
            other = state.resample_from_infostate(player, random.random)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            assert other.current_player() == state.current_player()
            assert other.history() == state.history()
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()
                assert [other.action_to_string(each) for each in other.legal_actions()] == [
                    state.action_to_string(each) for each in state.legal_actions()
                ]
            changed += str(other) != str(state)
    assert changed


def test_a_chance_node_is_no_information_state():
    with pytest.raises(ValueError, match="chance node"):
        openspiel.load("duel").new_initial_state().resample_from_infostate(0, lambda: 0.5)
    with pytest.raises(ValueError, match="no player 2"):
        begun(openspiel.load("duel")).resample_from_infostate(2, lambda: 0.5)


@by_game
def test_history_leads_to_the_same_state_and_so_does_a_copy(name, spec):
    game = openspiel.load(name, spec)
    *_, last = walk(game)
    again = game.new_initial_state()
    for action in last.history():
        again.apply_action(action)
    assert str(again) == str(last) and again.returns() == last.returns()
    for state in decisions(game, 31):
        copied = pickle.loads(pickle.dumps(state))
        assert (str(copied), copied.history()) == (str(state), state.history())


def test_chance_comes_after_an_action_that_needs_it_and_outcomes_differ():
    game = openspiel.load("war-of-the-ring", "first:max_turns=2")
    waiting = next(state for state in walk(game) if state.is_chance_node() and state.begun)
    assert "chance of " in str(waiting)
    assert waiting.action_to_string(7) == "outcome 7"
    after = {str(waiting.child(outcome)) for outcome in range(40)}
    assert len(after) == 40  # another stream, if not other dice
    probabilities = [probability for _, probability in waiting.chance_outcomes()]
    assert len(probabilities) == 256 and sum(probabilities) == pytest.approx(1)


@by_game
def test_a_search_that_copies_a_state_reads_nothing_that_chance_decides(name, spec):
    """What comes of an action without a chance node is the same in whatever order decks lie and dice fall."""
    game, random = openspiel.load(name, spec), np.random.default_rng(3)
    luck = game.kind.luck
    assert any(state.begun and state.is_chance_node() for state in walk(game))
    for state in decisions(game, 5):
        other = state.states()
        luck.renew(other, random.integers(2**63, size=1).astype(np.uint64))
        for action in state.legal_actions():
            child = state.child(action)
            if child.is_chance_node():
                continue
            renewed, masks = copy_states(other), np.zeros((1, game.kind.actions.size), dtype=np.bool_)
            game.kind.kernels.step(renewed, masks, np.array([action]))
            assert (luck.stages(other, renewed) == NO_SOURCE).all()
            assert np.flatnonzero(masks[0]).tolist() == child.legal_actions()
            for player in range(game.num_players()):
                seen = game.kind.kernels.observe(renewed, np.array([player]))[0]
                np.testing.assert_array_equal(child.observation_tensor(player), seen)


@by_game
def test_returns_are_what_the_end_is_worth(name, spec):
    game = openspiel.load(name, spec)
    *_, last = walk(game)
    (end,) = game.kind.conclude(last.states())
    worths = game.kind.worths[int(end["reason"]) - 1]
    assert last.returns() == [worths[seat.team] for seat in game.ruleset.seats]
    assert last.current_player() == pyspiel.PlayerId.TERMINAL and last.legal_actions() == []


def test_utility_follows_from_the_ends():
    utility = pyspiel.GameType.Utility
    for name, spec, wanted, total in [
        ("duel", "", utility.ZERO_SUM, 0),
        ("two-towers", "five", utility.CONSTANT_SUM, -3),
        ("war-of-the-ring", "first:players=3", utility.GENERAL_SUM, None),
        ("war-of-the-ring", "first:players=4", utility.ZERO_SUM, 0),
    ]:
        game = openspiel.load(name, spec)
        assert (game.get_type().utility, game.utility_sum()) == (wanted, total)


def test_actions_are_told_in_the_words_of_the_game():
    state = begun(openspiel.load("duel"))
    name, _, meaning = state.action_to_string(state.legal_actions()[0]).partition(": ")
    assert name in game_kind("duel").actions.names and meaning
    illegal = next(action for action in range(314) if action not in state.legal_actions())
    assert state.action_to_string(illegal) == game_kind("duel").actions.names[illegal]


def test_illegal_actions_are_refused_and_change_nothing():
    state = begun(openspiel.load("duel"))
    before = str(state)
    for action in [*sorted({*range(314)} - {*state.legal_actions()})[:5], 314, 999]:
        with pytest.raises(IllegalAction, match=f"action {action} is illegal; legal: "):
            state.apply_action(action)
    start = openspiel.load("duel").new_initial_state()
    with pytest.raises(IllegalAction, match="chance outcomes are from 0 to 255, not 256"):
        start.apply_action(256)
    assert str(state) == before and not start.history()


@pytest.mark.parametrize("spec", ["second", "second:max_turns=5,players=4", "first:mordor_idle=move"])
def test_a_ruleset_is_kept_in_the_name_of_a_game(spec):
    wanted = game_kind("war-of-the-ring").find_ruleset(spec)
    game = openspiel.load("war-of-the-ring", wanted)
    assert game.ruleset == wanted == pyspiel.load_game(str(game)).ruleset
    assert openspiel.unescaped(openspiel.escaped(spec)) == spec


@pytest.mark.parametrize(("outcomes", "nodes"), [(2, 32), (256, 4), (1000, 4), (65_536, 2)])
def test_a_seed_has_so_many_digits_as_it_needs(outcomes, nodes):
    game = openspiel.load("duel", chance_outcomes=outcomes)
    state = begun(game)
    assert game.seed_nodes == nodes == len(state.history()) and outcomes**nodes >= 2**32
    assert game.max_chance_outcomes() == outcomes


def test_what_cannot_be_is_told():
    with pytest.raises(ValueError, match="from 2 to 65,536, not 1"):
        openspiel.load("duel", chance_outcomes=1)
    with pytest.raises(ValueError, match="no ruleset 'third'"):
        pyspiel.load_game("wotr_duel(ruleset=third)")
    with pytest.raises(ValueError, match="cannot resample its random outcomes: it has no GameKind.luck"):
        openspiel.register(RACE)
    with pytest.raises(ValueError, match="already knows another game as wotr_kuhn_poker"):
        openspiel.load(KUHN) and openspiel.register(KuhnPoker().kind())
    with pytest.raises(ValueError, match="no parameters, but got x"):
        openspiel.load("duel").make_py_observer(None, {"x": 1})
    assert openspiel.load("duel").make_py_observer(pyspiel.IIGObservationType(perfect_recall=True)) is None


def test_it_is_an_environment_of_openspiel():
    environment = rl_environment.Environment(
        openspiel.load("two-towers", "three"), observation_type=rl_environment.ObservationType.OBSERVATION
    )
    environment.seed(1)
    step, rng = environment.reset(), np.random.default_rng(1)
    while not step.last():
        player = step.observations["current_player"]
        assert len(step.observations["info_state"][player]) == 436
        step = environment.step([int(rng.choice(step.observations["legal_actions"][player]))])
    assert sum(step.rewards) == -1


def test_a_process_that_has_registered_games_ends_without_an_abort():
    code = "import pyspiel, wotr_env.envs.openspiel; pyspiel.load_game('wotr_duel').new_initial_state()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
