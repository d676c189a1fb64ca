"""Random play of the Duel: invariants, leaks, determinism, compiled and interpreted play, worked examples."""

import os
import re

import numpy as np
import pytest

from tests.games.duel.duels import DUEL, FELLOWSHIP, SAURON, Duel
from tests.kind_play import (
    fingerprint,
    interpreted_fingerprint,
    play,
)
from wotr_env.core.shapes import Words
from wotr_env.games.duel.components import CARD_IDS, LANDMARK_IDS, LANDMARK_NAMES, TOKEN_IDS
from wotr_env.games.duel.state import Reason, Tile


def test_compiled_equals_interpreted():
    assert interpreted_fingerprint("duel", 9, 2) == fingerprint(DUEL, 9, 2)


def test_wrong_options_are_refused():
    with pytest.raises(ValueError, match="no option"):
        DUEL.ruleset.from_dict({"speed": True})
    with pytest.raises(ValueError, match="true or false"):
        DUEL.ruleset(may_decline=1)


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


def sold(game):
    """Cards that may be sold, and so are free."""
    return {each.removeprefix("sell:") for each in game.legal() if each.startswith("sell:")}


def test_words_tell_what_may_be_taken_and_what_that_frees_or_turns_up():
    """Against what the rules do: each free card is sold in a copy."""
    frees = turns = 0
    for seed in range(8):
        game = Duel(seed)
        for _ in range(8):
            before, free = game.state.copy(), sold(game)
            line = DUEL.words.position(before).splitlines()[1].removeprefix("Cards to take: ")
            told = {text.split()[1]: text for text in line.split("; ")}
            assert set(told) == free
            for card, text in told.items():
                after = Duel(seed)
                after.states[0] = before
                up = after.refresh().do(f"sell:{card}").state["up"].sum() - before["up"].sum()
                opened = {other for other in sold(after) - free if f" {other} (" in text}
                assert f"turns up {up}" in text if up else "turns up" not in text
                assert len(opened) + up == len(sold(after) - free) and text.count("frees") == len(opened)
                frees, turns = frees + len(opened), turns + up
            game.do(f"sell:{min(free)}")
    assert frees > 5 and turns > 5


def test_words_tell_what_landmarks_cost_each_side():
    game = Duel()
    game.state["coins"] = 9, 9
    told = DUEL.words.position(game.refresh().state).splitlines()[3].removeprefix("Landmarks: ")
    costs = dict(text.removesuffix(")").split(" (") for text in told.split("; "))
    assert list(costs) == [
        LANDMARK_NAMES[tile] for tile in np.flatnonzero(game.state["landmark"] == Tile.SHOWN)
    ]
    taken = {DUEL.words.action(game.state, action) for action in np.flatnonzero(game.masks[0])}
    for name, cost in costs.items():
        fellowship, sauron = cost.split(", ")
        assert sauron.startswith("Sauron ")
        own = (fellowship, sauron)[game.state["seat"]].split(" ", 1)[1]
        assert f"take {name} for {own}" in taken


def test_words_and_drawings_have_names_and_not_ids():
    """Of tokens, landmarks and regions; cards have no names."""
    ids = {name for name in (*TOKEN_IDS, *LANDMARK_IDS) if "-" in name}
    told = [DUEL.words.action(Duel().state, action) for action in range(DUEL.actions.size)]
    assert 'take the token "turn for landmark"' in told and "move a unit from Gondor to Mordor" in told
    assert any(text.startswith("take Grey Havens") for text in told)
    game = Duel().give(SAURON, "again-landmark").give(FELLOWSHIP, "double-discard")
    state = game.state
    state["pile_seen"] = state["pile_size"]
    told += [DUEL.words.position(state)]
    told += [shape.text for shape in DUEL.drawing(state, SAURON).shapes if isinstance(shape, Words)]
    assert 'tokens: "turn for landmark"' in DUEL.words.position(state) and "turn for landmark" in told
    for text in told:
        assert not ids.intersection(re.findall(r"[\w-]+", text)) and not re.search(
            r"\b(lindon|gondor)\b", text
        )


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


def fellowship_takes(card: str) -> Duel:
    """A card before the Fellowship, rich."""
    game = Duel().offer(card)
    game.state["seat"] = FELLOWSHIP
    return game.refresh()


def test_D8_1_the_fellowship_destroys_the_ring():
    game = fellowship_takes("c3-07")
    game.state["ring"][FELLOWSHIP] = 12
    game.refresh().do("play:c3-07")
    assert (game.state["winner"], game.state["reason"]) == (FELLOWSHIP, Reason.RING_DESTROYED)
    assert not game.masks.any()


def test_D8_2_the_fellowship_is_supported_by_six_races():
    game = fellowship_takes("c3-10").own(FELLOWSHIP, "c1-17", "c1-18", "c1-19", "c1-20")
    deck = game.state["deck"][2]
    at = deck.tolist().index(CARD_IDS.index("c3-08"))
    deck[at], deck[18] = deck[18], deck[at]
    game.refresh().do("play:c3-08")
    assert game.state["winner"] == -1  # five races
    game.state["seat"] = FELLOWSHIP
    game.refresh().do("play:c3-10")
    assert (game.state["winner"], game.state["reason"]) == (FELLOWSHIP, Reason.FELLOWSHIP_SUPPORT)


def test_D8_3_the_fellowship_conquers():
    game = fellowship_takes("c3-15").units(SAURON)
    game.units(FELLOWSHIP, arnor=1, rhovanion=1, enedwaith=1, rohan=1, gondor=1, mordor=1)
    game.refresh().do("play:c3-15", "place:lindon")
    assert (game.state["winner"], game.state["reason"]) == (FELLOWSHIP, Reason.FELLOWSHIP_CONQUEST)


@pytest.mark.slow
def test_many_games():
    """Invariants in every position of the first games, at the end of all; ``WOTR_GAMES=20000`` plays more."""
    games = int(os.environ.get("WOTR_GAMES", "800"))
    DUEL.kernels.check(play(DUEL, 100, games))
    play(DUEL, 100, games // 20, look=lambda states, _masks: DUEL.kernels.check(states))
