"""Every alliance token, by what a step does."""

import pytest

from tests.games.duel.duels import FELLOWSHIP, SAURON, Duel
from tests.games.duel.test_cards import taken
from wotr_env.games.duel.components import CARD_IDS, LANDMARK_REGION, RACES, REGIONS, TOKEN_IDS

IMMEDIATE = ("again", "raze", "maneuvers", "steps", "units", "revive")


def lasting(token: str, card: str, *others: str) -> Duel:
    return Duel().offer(card).own(SAURON, *others).give(SAURON, token)


def test_again_yellow():
    game = lasting("again-yellow", "c2-09").do("play:c2-09")
    assert game.legal() == {"again", "pass"}
    assert game.do("again").state["seat"] == SAURON


def test_any_banner():
    game = lasting("any-banner", "c2-23").do("play:c2-23")
    assert game.legal() == {f"place:{region}" for region in REGIONS}


def test_any_skill():
    assert lasting("any-skill", "c2-23").do("play:c2-23").state["coins"][SAURON] == 10


def test_no_surcharge():
    game = taken("bree", 2)
    game.state["coins"][SAURON] = 6
    assert "landmark:bree" not in game.refresh().legal()
    assert "landmark:bree" in game.give(SAURON, "no-surcharge").legal()


def test_again_landmark():
    game = Duel().give(SAURON, "again-landmark")
    game.state["coins"] = 12
    tile = next(name for name in sorted(game.refresh().legal()) if name.startswith("landmark"))
    game.do(tile)
    while game.legal() != {"again", "pass"}:
        game.do(sorted(game.legal())[-1])
    assert game.do("pass").state["seat"] == FELLOWSHIP


def test_moves_green():
    game = lasting("moves-green", "c2-15").do("play:c2-15")
    assert game.do("move:mordor:rohan", "move:mordor:gondor").at("rohan") == [0, 1]
    assert game.state["seat"] == FELLOWSHIP


def test_eagle_D8_2():
    game = lasting("eagle", "c3-10", "c1-17", "c1-18", "c1-19", "c1-20")
    game.do("play:c3-10")
    assert (game.state["winner"], game.state["reason"]) == (SAURON, 4)
    game = Duel().offer("c3-10").own(SAURON, "c1-17", "c1-18", "c1-19", "c1-20").do("play:c3-10")
    assert game.state["winner"] == -1  # five races


def test_unit_blue():
    game = lasting("unit-blue", "c2-12").do("play:c2-12")
    assert game.do("place:lindon").at("lindon") == [0, 1]


def test_coins_chain():
    game = lasting("coins-chain", "c2-11", "c1-13").do("chain:c2-11")
    assert game.state["coins"][SAURON] == 15


def test_step_yellow():
    assert lasting("step-yellow", "c2-09").do("play:c2-09").state["ring"][SAURON] == 1


def test_unit_red():
    game = lasting("unit-red", "c2-19").do("play:c2-19", "place:mordor")
    assert game.at("mordor") == [0, 5]


def test_double_discard_D2_3():
    assert lasting("double-discard", "c2-01").do("sell:c2-01").state["coins"][SAURON] == 16
    assert Duel().offer("c3-01").do("sell:c3-01").state["coins"][SAURON] == 15


def offered(token: str) -> Duel:
    """Sauron is about to choose a token for two cards of its race, on a map without fortresses."""
    race = _race(token)
    game = Duel().offer("c3-11" if race == "ents" else "c3-09")
    number, place = TOKEN_IDS.index(token), RACES.index(race)
    pile = game.state["pile"][place].tolist()
    game.state["pile"][place] = [number, *(each for each in pile if each != number)]
    game.state["races"][SAURON, place] = 0
    card = {"ents": ("c3-10", "c3-11"), "wizards": ("c3-08", "c3-09")}[race]
    deck = game.state["deck"][2].tolist()
    first, at = _number(card[0]), deck.index(_number(card[0]))
    game.state["deck"][2, at], game.state["deck"][2, 18] = deck[18], first
    game.state["fort"][:] = 0
    game.refresh().do(f"play:{card[0]}")
    game.state["seat"] = SAURON
    game.refresh().do(f"play:{card[1]}")
    assert f"token:{token}" in game.legal() and len(game.legal()) == 2
    return game


@pytest.mark.parametrize("token", IMMEDIATE)
def test_D7_immediate(token):
    game = offered(token).do(f"token:{token}")
    match token:
        case "again":
            assert game.legal() == {"again", "pass"}
        case "raze":
            assert game.state["seat"] == FELLOWSHIP  # nothing to remove (D10.1)
        case "maneuvers":
            game.do("remove:arnor", "drain", "move:mordor:rohan")
            assert game.at("arnor") == [1, 0] and game.state["coins"][FELLOWSHIP] == 11
        case "steps":
            assert game.state["ring"][SAURON] == 2
        case "units":
            game.do("place:lindon", "place:rohan")
            assert game.at("lindon") == game.at("rohan") == [0, 1]
        case "revive":
            assert game.do("revive:c1-01").state["place"][_number("c1-01")] == 2 + SAURON
            assert game.state["skills"][SAURON].tolist() == [1, 0, 0, 0, 0]
            assert game.state["seat"] == FELLOWSHIP
    assert game.state["pile_seen"][RACES.index(_race(token))] == 1


def test_raze_removes_a_fortress():
    game = offered("raze")
    tile = int(game.state["landmark_order"][0])
    region = REGIONS[LANDMARK_REGION[tile]]
    game.state["landmark"][tile] = 2 + FELLOWSHIP
    game.state["fort"][LANDMARK_REGION[tile]] = 1 + FELLOWSHIP
    game.refresh().do("token:raze")
    assert game.legal() == {f"raze:{region}", "pass"}
    assert not game.do(f"raze:{region}").state["fort"].any() and game.state["seat"] == FELLOWSHIP


def _number(name: str) -> int:
    return CARD_IDS.index(name)


def _race(token: str) -> str:
    return "ents" if token in ("again", "raze", "maneuvers") else "wizards"


def test_every_token_has_a_test():
    names = " ".join(globals())
    assert all(token in IMMEDIATE or token.replace("-", "_") in names for token in TOKEN_IDS)
