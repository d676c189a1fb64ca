"""Random play of the Duel: invariants, leaks, determinism, compiled and interpreted play, worked examples."""

import pytest

from tests.duel.duels import DUEL, FELLOWSHIP, SAURON, Duel
from tests.golden import GOLDEN_KINDS, playthrough_of
from tests.kind_play import (
    check_positions,
    check_records,
    check_words,
    fingerprint,
    interpreted_fingerprint,
    play,
)

GAMES = 40


@pytest.mark.parametrize("ruleset", ["standard", "open", "standard:may_decline=false,revive_triggers=false"])
def test_invariants_and_leaks_in_every_position(ruleset):
    assert check_positions(DUEL, 1, GAMES, ruleset) > 100


def test_same_seed_same_bytes():
    assert fingerprint(DUEL, 5, GAMES) == fingerprint(DUEL, 5, GAMES) != fingerprint(DUEL, 6, GAMES)


def test_compiled_equals_interpreted():
    assert interpreted_fingerprint("duel", 9, 2) == fingerprint(DUEL, 9, 2)


def test_wrong_options_are_refused():
    with pytest.raises(ValueError, match="no option"):
        DUEL.ruleset.from_dict({"speed": True})
    with pytest.raises(ValueError, match="true or false"):
        DUEL.ruleset(may_decline=1)


def test_words_of_every_decision():
    check_words(DUEL, 2)


def test_words_of_choices_and_chains():
    game = Duel().offer("c3-01").own(SAURON, "c1-07", "c2-06", "c2-07", "c2-08").own(FELLOWSHIP, "c2-03")
    fellowship, sauron = DUEL.words.position(game.state).splitlines()[-2:]
    assert "skills: 2 ruse; chains: none;" in fellowship
    assert (
        "skills: 1 knowledge, knowledge or leadership, ruse or strength or courage; chains: chest;" in sauron
    )
    game = Duel().offer("c2-06")
    told = DUEL.words.action(game.state, DUEL.actions.names.index("play:c2-06"))
    assert told == "play grey c2-06 (knowledge or leadership) for 2 coins"


def test_foreign_states_are_refused():
    states = play(DUEL, 1, 2)
    for name, value in (("coins", 31), ("units", 9), ("place", 1), ("stack_size", 3), ("seat", 2)):
        wrong = states.copy()
        wrong[name] = value
        with pytest.raises(ValueError):
            DUEL.kernels.check(wrong)


def test_D1_1_set_up():
    game = Duel()
    assert game.state["coins"].tolist() == [3, 2] and game.state["seat"] == SAURON
    assert game.at("arnor") == [2, 0] and game.at("mordor") == [0, 2]
    assert (game.state["landmark"] == 1).sum() == 3 and game.state["up"].sum() == 12


def test_D5_3_the_booklets_example_of_the_ring_track():
    game = Duel().offer("c2-13")
    game.state["ring"][SAURON] = 2
    coins = 12 - 3 + 1
    assert game.refresh().do("play:c2-13").state["coins"][SAURON] == coins
    assert game.state["ring"][SAURON] == 4


def test_D6_3_the_booklets_example_of_three_moves():
    game = Duel().offer("c3-23").units(FELLOWSHIP, rohan=1).units(SAURON, enedwaith=2).do("play:c3-23")
    game.do("move:enedwaith:rohan")
    assert game.at("rohan") == [0, 0]
    game.do("move:enedwaith:rohan", "move:rohan:mordor")
    assert game.at("mordor") == [0, 1] and game.state["seat"] == FELLOWSHIP


def test_D6_2_conflict_leaves_units_of_one_side():
    game = Duel().offer("c3-13").units(FELLOWSHIP, arnor=2).units(SAURON, mordor=1)
    assert game.do("play:c3-13", "place:arnor").at("arnor") == [0, 1]


def test_D8_1_ring():
    game = Duel().offer("c3-07")
    game.state["ring"][SAURON] = 12
    game.refresh().do("play:c3-07")
    assert (game.state["winner"], game.state["reason"]) == (SAURON, 2) and not game.masks.any()


def test_D8_3_conquest():
    game = Duel().offer("c3-15").units(FELLOWSHIP)
    game.units(SAURON, arnor=1, rhovanion=1, enedwaith=1, rohan=1, gondor=1, mordor=1)
    game.refresh().do("play:c3-15", "place:lindon")
    assert (game.state["winner"], game.state["reason"]) == (SAURON, 6)


def test_the_golden_game_is_still_what_is_played():
    written = GOLDEN_KINDS["duel"].read_text(encoding="utf-8")
    told = "the Duel plays another game; if that is meant: python -m tests.golden --write"
    assert playthrough_of("duel") == written, told


@pytest.mark.parametrize("ruleset", ["standard", "open"])
def test_records_of_games_replay_to_the_same_bytes(tmp_path, ruleset):
    check_records(DUEL, tmp_path, ruleset)


@pytest.mark.slow
def test_20000_games():
    """Invariants in every position of the first thousand, at the end of all."""
    DUEL.kernels.check(play(DUEL, 100, 20_000))
    play(DUEL, 100, 1_000, look=lambda states, _masks: DUEL.kernels.check(states))
