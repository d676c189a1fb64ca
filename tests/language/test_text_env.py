"""A whole game between players in text: what they are told, how answers are read, and how it ends."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.text_players import names_in_prompt
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import BotError
from wotr_experiments.language import text_game
from wotr_experiments.language.text_env import Failure, TextEnv, names_in

NAMES = WAR_OF_THE_RING.actions.names


def rules(players=2, turns=1):
    return Ruleset.first_edition(players=players, max_turns=turns)


@pytest.fixture
def env():
    made = TextEnv(rules())
    made.reset(2, seed=5)
    yield made
    made.close()


def play(env, seed=1, most=5_000):
    """Random legal answers until the end."""
    dice = random.Random(seed)
    for _ in range(most):
        if env.done:
            return
        _, text = env.get_observation()
        done, info = env.step(f"Let me see.\n[{dice.choice(names_in_prompt(text))}]")
        assert done == env.done and not info["failure"] and info["decisions"] == 1
    raise AssertionError("the game did not end")


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("whole", [False, True])
def test_players_by_script_play_to_the_end(players, whole):
    env = TextEnv(rules(players), whole=whole)
    env.reset(num_players=players, seed=3)
    play(env)
    record = env.record({player: f"player {player}" for player in range(players)})
    assert record.verify() and record.players == tuple(f"player {player}" for player in range(players))
    rewards, info = env.close()
    assert set(rewards) == set(info) == set(range(players))
    assert sum(each["turn_count"] for each in info.values()) == len(record.actions)
    assert {each["answers"] - each["turn_count"] for each in info.values()} == {0}
    assert {each["role"] for each in info.values()} == {seat.title for seat in rules(players).seats}


def test_a_game_that_is_won_rewards_the_team():
    env = TextEnv(Ruleset.first_edition(players=4), bots={"isengard": "random"})
    env.reset(num_players=3, seed=12)
    dice = random.Random(1)
    while not env.done:  # without the prompts, which take most of the time
        assert env._game
        assert not env.step(f"[{NAMES[dice.choice(env._game.game.legal())]}]")[1]["failure"]
    rewards, info = env.close()
    winner = info[0]["winner"]
    assert winner in ("free_peoples", "shadow") and info[0]["end"] != "forfeit"
    seats = dict(enumerate(("gondor", "sauron", "rohan")))
    assert {number: each["seat"] for number, each in info.items()} == seats
    sign = 1 if winner == "free_peoples" else -1
    assert rewards == {0: sign, 1: -sign, 2: sign}
    assert set(info[0]["winners"]) <= {"gondor", "rohan"} or set(info[0]["winners"]) <= {"sauron", "isengard"}


def test_without_a_ruleset_as_many_play_as_are_asked_for():
    env = TextEnv(bots={"shadow": "scripted"})
    env.reset(1, seed=2)
    assert env.state.num_players == 1 and env.state.role_mapping == {-1: "GAME", 0: "Free Peoples"}
    env = TextEnv()
    env.reset(3, seed=2)
    assert env.state.role_mapping == {-1: "GAME", 0: "Free Peoples", 1: "Sauron", 2: "Isengard"}
    env.close()


def test_the_first_observation_tells_all_and_later_ones_the_news(env):
    player, text = env.get_observation()
    assert (player, text) == env.get_observation()
    assert (
        text.startswith("You are Free Peoples in a game of War of the Ring")
        and "Against you plays Shadow" in text
    )
    assert "in square brackets" in text and "Armies and characters" in text and "What happened" not in text
    env.step(f"[{names_in_prompt(text)[0]}]")
    player, text = env.get_observation()
    assert player == 0 and text.startswith("What happened:\nFree Peoples: ")
    assert "Armies and characters" not in text and "in square brackets" not in text and names_in_prompt(text)
    while player == 0:
        env.step(f"[{names_in_prompt(text)[0]}]")
        player, text = env.get_observation()
    assert text.startswith("You are Shadow") and "What happened:\nFree Peoples: " in text
    env.forget([1])
    assert "Armies and characters" in env.get_observation()[1]


def test_whole_observations_have_the_position_each_time():
    env = TextEnv(rules(), whole=True)
    env.reset(2, seed=5)
    for _ in range(5):
        _, text = env.get_observation()
        assert "in square brackets" in text and "Armies and characters" in text
        env.step(f"[{names_in_prompt(text)[0]}]")
    assert "What happened:" in env.get_observation()[1]
    env.close()


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("[face:army]", ["face:army"]),
        ("First [face:event]? No: [face:army].", ["face:army"]),
        ("[face:army] [plan:attack]", ["face:army", "plan:attack"]),
        (
            "so\n[face:army],\n[plan:attack][region:bree]\nand that is it",
            ["face:army", "plan:attack", "region:bree"],
        ),
        ("[face:army plan:attack, verb:done]", ["face:army", "plan:attack", "verb:done"]),
        ("**[ face:army ]** as the rules [1] say [see there]", ["face:army"]),
        ("[1] [face:army] [2]", ["face:army"]),
        ("[face:army] then [fly:mordor]", ["fly:mordor"]),
        ("[face:army please]", ["face:army", "please"]),
        ("face:army", []),
        ("[]", []),
        ("", []),
        ("[[[[", []),
        ("[face:army", []),
        ("[[face:army]]", ["face:army"]),
    ],
)
def test_the_last_row_of_brackets_is_the_answer(answer, names):
    assert names_in(answer, NAMES) == names


def test_a_long_answer_is_read_in_no_time():
    assert names_in("[" * 200_000, NAMES) == names_in("[a " * 60_000, NAMES) == []
    assert names_in("[1] " * 40_000 + "[face:army]", NAMES) == ["face:army"]


@pytest.mark.parametrize(
    "answer",
    [
        *("I pass.", "[fly:mordor]", "[verb:fight]", "[" + "x:" * 1000 + "]", "\x00"),
        *(None, b"[face:army]", 7, ["[face:army]"], {}, object()),
    ],
)
def test_what_is_not_legal_is_told_back_and_counted(env, answer):
    _, text = env.get_observation()
    before = env.record({0: "a", 1: "b"})
    done, info = env.step(answer)
    assert not done and info["failure"] == "illegal" and info["decisions"] == 0
    assert env.record({0: "a", 1: "b"}) == before
    player, again = env.get_observation()
    assert player == 0 and again.startswith("The last answer was refused: ") and "; legal: " in again
    assert names_in_prompt(again) == names_in_prompt(text) and len(again) < 2_000
    assert not env.step(f"[{names_in_prompt(again)[0]}]")[1]["failure"]
    assert "refused" not in env.get_observation()[1]
    assert env.game_info()[0]["illegal"] == 1 and env.game_info()[1]["illegal"] == 0


def test_one_more_than_the_allowance_loses_the_game(env):
    for _ in range(2):
        assert not env.step("no")[0]
    env.step(f"[{names_in_prompt(env.get_observation()[1])[0]}]")
    for _ in range(2):
        assert not env.step("no")[0]
    done, info = env.step("no")
    assert done and info["failure"] == "illegal" and env.state.done
    for call in (env.get_observation, lambda: env.step("[verb:pass]")):
        with pytest.raises(ValueError, match="the game is over"):
            call()
    assert env.record({0: "a", 1: "b"}).result is None
    rewards, info = env.close()
    assert rewards == {0: -1, 1: 1}
    assert info[0]["invalid_move"] and not info[1]["invalid_move"] and info[0]["illegal"] == 5
    assert info[0]["forfeit"] == "illegal" and info[1]["forfeit"] == ""
    assert info[0]["end"] == "forfeit" and info[0]["winner"] == "shadow" and info[0]["winners"] == ["shadow"]
    assert "Free Peoples forfeits (illegal): the answer has no action in square brackets" in info[0]["reason"]


def test_without_an_allowance_the_first_loses_it():
    env = TextEnv(rules(players=4), allowance=0)
    env.reset(4, seed=1)
    assert env.step("[king:g1]")[0]
    assert env.close()[0] == {0: -1, 1: 1, 2: 1, 3: -1}


def test_legal_actions_before_an_illegal_one_are_played(env):
    name = names_in_prompt(env.get_observation()[1])[0]
    _, info = env.step(f"[{name}] [king:g1]")
    assert info["failure"] == "illegal" and info["decisions"] == 1
    text = env.get_observation()[1]
    assert "What happened:\nFree Peoples: " in text and f"played before it: {name}" in text


def test_several_actions_are_played_until_somebody_else_is_asked(env):
    texts = {}
    while len(texts) < 2:
        player, text = env.get_observation()
        texts[player] = text
        done, info = env.step(f"[{names_in_prompt(text)[0]}]")
        assert not done
    env.reset(2, seed=5)
    names, player = [], 0
    while player == 0:  # the same once more, to know a whole row
        player, text = env.get_observation()
        names += [names_in_prompt(text)[0]] if player == 0 else []
        if player == 0:
            env.step(f"[{names[-1]}]")
    env.reset(2, seed=5)
    _, info = env.step(f"[{' '.join(names)}] [verb:pass verb:done]")
    assert info["decisions"] == len(names) and not info["failure"]
    player, text = env.get_observation()
    assert player == 1
    while player == 1:
        env.step(f"[{names_in_prompt(text)[0]}]")
        player, text = env.get_observation()
    assert "Not played, because another player was asked first: verb:pass verb:done." in text


def test_late_answers_and_failures_are_counted_apart(env):
    env.get_observation()
    done, info = env.fail(Failure.LATE, "The last answer came after 9 seconds.")
    assert not done and info == {
        "failure": "late",
        "message": "The last answer came after 9 seconds.",
        "decisions": 0,
    }
    assert env.get_observation()[1].startswith("The last answer came after 9 seconds.")
    env.step("no")
    done, _ = env.fail(Failure.CRASH, "There was no answer: it ended.")
    assert done
    rewards, info = env.close()
    assert rewards == {0: -1, 1: 1}
    assert [info[0][key] for key in ("illegal", "late", "crash", "answers")] == [1, 1, 1, 3]
    assert info[0]["forfeit"] == "crash" and not info[0]["invalid_move"]


def test_a_bot_that_fails_loses_the_game(monkeypatch):
    env = TextEnv(rules(), bots={"shadow": "scripted"})
    env.reset(1, seed=5)

    def fails(*_arguments):
        raise BotError("bot scripted failed: it is tired")

    monkeypatch.setattr(text_game, "ask", fails)
    while not env.done:
        env.step(f"[{names_in_prompt(env.get_observation()[1])[0]}]")
    assert env.forfeit == (1, "crash", "Shadow forfeits (crash): bot scripted failed: it is tired")
    assert env.close()[0] == {0: 1}


def test_the_same_seed_is_the_same_game():
    seen = []
    for _ in range(2):
        env = TextEnv(rules(), bots={"shadow": "random"}, whole=True)
        env.reset(1, seed=8)
        play(env)
        seen.append(env.record({0: "me"}))
        env.close()
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    ("make", "players", "message"),
    [
        ({"ruleset": rules(2)}, 3, "2 play in text: of 2 seats 0 have bots; not 3"),
        ({"bots": {"shadow": "scripted"}, "ruleset": rules(2)}, 2, "1 play in text"),
        ({"bots": {"gandalf": "scripted"}}, 1, "no player 'gandalf'"),
        ({"bots": {"shadow": "nobody"}}, 1, "unknown bot 'nobody'"),
        ({}, 7, "2 play in text"),
    ],
)
def test_wrong_players_are_refused(make, players, message):
    env = TextEnv(**make)
    with pytest.raises(ValueError, match=message):
        env.reset(players, seed=1)
    with pytest.raises(ValueError, match="no game has begun"):
        env.get_observation()
    assert env.close() == ({}, {})


def test_a_negative_allowance_is_refused():
    with pytest.raises(ValueError, match="from 0, not -1"):
        TextEnv(allowance=-1)


@pytest.mark.parametrize(("players", "whole"), [(2, True), (4, False)])
def test_nothing_is_told_that_the_seat_cannot_know(players, whole):
    """Observations, refusals too, are the same in every world that the seat holds possible."""
    env = TextEnv(rules(players), whole=whole)
    env.reset(players, seed=4)
    dice = random.Random(3)
    for number in range(60):
        if env.done:
            break
        assert env._game
        game = env._game.game
        truth, seat = game._states, env._players[env.state.current_player_id].seat
        if dice.random() < 0.3 and not env._players[env.state.current_player_id].in_a_row:
            env.step("[king:g1]")
        seen = env.get_observation()
        for seed in (1, 2):
            worlds = truth.copy()
            WAR_OF_THE_RING.kernels.sample_worlds(worlds, np.array([seat]), np.array([seed + 10 * number]))
            game._states = worlds
            assert env.get_observation() == seen
        game._states = truth
        env.step(f"[{dice.choice(names_in_prompt(seen[1]))}]")
    env.close()


@pytest.mark.parametrize("players", [2, 4])
def test_others_hear_the_same_of_what_tells_them_nothing(players):
    """What a reader hears of another's choice that it learns nothing from is the same in all its worlds."""
    env = TextEnv(rules(players), whole=True)
    env.reset(players, seed=6)
    dice, compared = random.Random(5), 0
    while not env.done:
        table = env._game
        assert table
        state, legal = table.game.state, table.game.legal()
        action = dice.choice(legal)
        learners = WAR_OF_THE_RING.who_learns(state, action)
        for reader in set(range(players)) - learners - {int(state["seat"])}:
            worlds = table.game._states.copy()
            WAR_OF_THE_RING.kernels.sample_worlds(worlds, np.array([reader]), np.array([len(legal)]))
            masks = np.zeros((1, len(NAMES)), dtype=np.bool_)
            WAR_OF_THE_RING.kernels.refresh(worlds, masks)
            if masks[0, action]:
                told = [
                    WAR_OF_THE_RING.step_of(each, action, reader).sentences for each in (state, worlds[0])
                ]
                assert list(told[0]) == list(told[1])
                compared += 1
        env.step(f"[{NAMES[action]}]")
    assert compared > 5
    env.close()
