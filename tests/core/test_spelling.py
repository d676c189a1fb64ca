"""Sides are typed alike wherever they can be typed, and printed in one form."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import wotr_env
from wotr_env import Game, Ruleset
from wotr_env.core.codes import PUBLIC
from wotr_env.core.seats import check_seat, check_team, check_viewer
from wotr_env.core.spelling import canonical_name, known_names, match_name, some_of
from wotr_env.envs.gymnasium_env import WarOfTheRingEnv
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind
from wotr_experiments.cli.options import seat_named, viewer_named
from wotr_experiments.errors import CommandError
from wotr_experiments.table.messages import Refused
from wotr_experiments.table.viewers import view_of_name
from wotr_experiments.training.config import ExploitConfig, TrainConfig

TWO, FOUR = Ruleset().seats, Ruleset(players=4).seats
FREE_PEOPLES = (
    "free-peoples", "free_peoples", "Free Peoples", "FREE PEOPLES", "the Free Peoples", "free_peoples_0",
    "fp", "FP", "free", " free-peoples ",
)  # fmt: skip
SHADOW = ("shadow", "Shadow", "the Shadow", "shadow_0", "sh", "SH", "shad")
WRONG = ("", "s", "f", "elves", "both", "free-peoplesx", "0", "peoples", "-", "the", "shadowfax")


@pytest.mark.parametrize(("name", "seat"), [(name, 0) for name in FREE_PEOPLES] + [(n, 1) for n in SHADOW])
def test_a_name_is_read_alike_everywhere(name, seat):
    from wotr_experiments.language.server import ServerSettings, Table  # it takes a second

    rules = Ruleset()
    assert check_seat(name, TWO) == check_viewer(name, TWO) == seat
    assert check_team(name, WAR_OF_THE_RING.teams) == seat
    assert seat_named(name, TWO) == viewer_named(name, TWO) == view_of_name(name, rules) == seat
    assert WarOfTheRingEnv(seat=name)._seat == seat
    assert wotr_env.raw_env(viewer=name).viewer == ("free_peoples_0", "shadow_0")[seat]
    assert TrainConfig(side=name, opponents=("random",)).side == ("free-peoples", "shadow")[seat]
    assert ExploitConfig(side=name).sides == (("free-peoples",), ("shadow",))[seat]
    game = Game(1)
    assert game.position(name) == game.position(seat)
    assert (game.observe(name) == game.observe(seat)).all()
    assert game.render(name).html == game.render(seat).html
    game.step(game.legal()[0])
    assert game.events(name) == game.events(seat)
    table = Table(ServerSettings(("random",), rules, seed=1))
    assert f"You are {TWO[seat].title}." in table.new_game(name)
    table.close()


@pytest.mark.parametrize("name", WRONG)
def test_another_name_is_refused_in_the_same_words_everywhere(name):
    from wotr_experiments.language.server import ServerSettings, Table, ToolError

    words = f"there is no player {name!r}; this game has free-peoples, shadow"
    refusing = [
        (ValueError, lambda: check_seat(name, TWO)),
        (CommandError, lambda: seat_named(name, TWO)),
        (ValueError, lambda: Game(1).observe(name)),
        (ValueError, lambda: WarOfTheRingEnv(seat=name)),
        (ValueError, lambda: wotr_env.raw_env(viewer=name)),
    ]
    if name:  # without a name it is the first seat
        refusing.append(
            (ToolError, lambda: Table(ServerSettings(("random",), Ruleset(), seed=1)).new_game(name))
        )
    if name != "both":
        refusing += [
            (CommandError, lambda: viewer_named(name, TWO)),
            (Refused, lambda: view_of_name(name, Ruleset())),
        ]
    for error, call in refusing:
        with pytest.raises(error) as refused:
            call()
        assert words in str(refused.value)


def test_viewers_that_have_no_seat():
    for name, viewer in {"public": PUBLIC, "Public": PUBLIC, "all": None, "both": None}.items():
        assert check_viewer(name, TWO) == viewer
    game = Game(1)
    assert game.render("public").html == game.render().html
    assert game.render("all").html == game.render(None).html


def test_four_players_and_what_is_not_clear():
    assert [check_seat(name, FOUR) for name in ("Gondor", "sauron", "is", "ro")] == [0, 1, 2, 3]
    for name in ("fp", "shadow", "free-peoples"):
        with pytest.raises(ValueError, match="this game has gondor, sauron, isengard, rohan"):
            check_seat(name, FOUR)
    assert match_name("west", [("west-march",), ("west-fold",)]) is None
    assert match_name("west", [("west",), ("west-fold",)]) == 0
    assert match_name("wm", [("west-march",), ("west-fold",)]) == 0
    assert canonical_name("Free_Peoples") == "free-peoples"
    assert known_names(["free_peoples", "shadow"]) == "free-peoples, shadow"


def test_long_lists_are_cut():
    assert some_of(["Moria", "Rohan"], 2) == "Moria, Rohan"
    assert some_of(["Moria", "Rohan", "Gondor", "Dale"], 2, "; ") == "Moria; Rohan and 2 more"
    assert some_of([], 2) == ""


def test_opponents_by_any_name():
    env = gymnasium.make("WarOfTheRing-v0", seat="FP", opponent={"the Shadow": "random"})
    assert env.reset(seed=1)[0].dtype == np.int8
    with pytest.raises(ValueError, match="a mapping of opponents has the seats shadow, not shadow, sh"):
        gymnasium.make("WarOfTheRing-v0", seat="fp", opponent={"shadow": "random", "sh": "random"})


def test_a_name_that_ends_with_a_number_of_its_own():
    seats = game_kind("two-towers").find_ruleset("five").seats
    for number, seat in enumerate(seats):
        for name in (seat.name, seat.title, f"{seat.name}_0", f"player-{number + 1}"):
            assert check_seat(name, seats) == number
