"""The rules of docs/duel.md by number: those that no card's or token's own test shows."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.games.duel.duels import DUEL, FELLOWSHIP, SAURON, Duel
from tests.games.duel.test_cards import taken
from wotr_env.core.descriptions import Tone
from wotr_env.games.duel.actions import ACTION_NAMES
from wotr_env.games.duel.components import (
    CARD_IDS,
    LANDMARK_IDS,
    RACES,
    REGIONS,
    SLOT_COVER,
    TOKEN_IDS,
    TOKEN_RACE,
)
from wotr_env.games.duel.state import Place, Reason

FORTRESS = 1 + SAURON
ROOT = Path(__file__).parents[3]


def last_card(name: str, **options: bool) -> Duel:
    """A card that is the last of its chapter, before Sauron, rich, on a map without units."""
    game = Duel(**options).offer(name).units(FELLOWSHIP).units(SAURON)
    state = game.state
    deck = state["deck"][int(state["chapter"])]
    deck[0], deck[19] = deck[19], deck[0]
    state["place"][deck[1:20]] = Place.DISCARD
    state["left"] = 1
    return game.refresh()


def with_token_on_top(game: Duel, token: str, race: str) -> Duel:
    """The token is the first of its pile."""
    number, place = TOKEN_IDS.index(token), RACES.index(race)
    others = [each for each in game.state["pile"][place].tolist() if each != number]
    game.state["pile"][place] = [number, *others]
    return game.refresh()


def deal(game: Duel, name: str, slot: int) -> Duel:
    """A card of this chapter comes to a slot."""
    card, deck = CARD_IDS.index(name), game.state["deck"][int(game.state["chapter"])]
    at = deck.tolist().index(card)
    deck[at], deck[slot] = deck[slot], card
    return game.refresh()


def test_D1_2_tokens_and_landmarks():
    game = Duel()
    for race, name in enumerate(RACES):
        tokens = {TOKEN_IDS[token] for token in game.state["pile"][race]}
        assert len(tokens) == 3 and game.state["pile_seen"][race] == 0, name
    assert sorted(game.state["landmark"]) == [0, 0, 0, 0, 1, 1, 1]
    orders = {Duel(seed).state["landmark_order"].tobytes() for seed in range(10)}
    assert len(orders) > 5


def test_D1_3_a_chapter_is_dealt_face_up_and_face_down():
    game = Duel()
    assert sorted(game.state["deck"][0]) == list(range(23)) and game.state["left"] == (1 << 20) - 1
    assert game.state["up"].tolist() == [1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0]
    assert (game.state["place"] == Place.UNSEEN).all()


def test_D2_1_a_card_is_played_or_discarded_or_a_landmark_taken():
    game = Duel()
    game.state["coins"] = 12
    verbs = {name.partition(":")[0] for name in game.refresh().legal()}
    assert verbs == {"play", "sell", "landmark"}
    card = next(name for name in sorted(game.legal()) if name.startswith("sell"))
    game.do(card)
    assert game.state["place"][CARD_IDS.index(card[5:])] == Place.DISCARD and game.state["seat"] == FELLOWSHIP


def test_D2_2_D2_4_covered_cards_wait_and_are_turned_up():
    game = Duel()
    deck = game.state["deck"][0]
    sold = {name[5:] for name in game.legal() if name.startswith("sell")}
    assert sold == {CARD_IDS[card] for card in deck[14:20]}
    game.do(f"sell:{CARD_IDS[deck[14]]}")
    assert not game.state["up"][9]  # the card of slot 15 still covers it
    game.do(f"sell:{CARD_IDS[deck[15]]}")
    assert game.state["up"][9] and f"sell:{CARD_IDS[deck[9]]}" in game.legal()
    assert SLOT_COVER[0, 9] == 1 << 14 | 1 << 15


@pytest.mark.parametrize(("card", "coins"), [("c1-01", 1), ("c2-01", 2), ("c3-01", 3)])
def test_D2_3_discarding(card, coins):
    assert Duel().offer(card).do(f"sell:{card}").state["coins"][SAURON] == 12 + coins


def test_D2_5_the_next_chapter_and_its_landmarks():
    game = last_card("c1-09")
    shown = int(game.state["landmark_order"][0])
    game.refresh()
    tile = f"landmark:{LANDMARK_IDS[shown]}"
    assert tile in game.legal()
    game.state["landmark"][shown] = 2 + FELLOWSHIP
    assert tile not in game.refresh().legal()
    game.do("play:c1-09")
    assert game.state["chapter"] == 1 and game.state["left"] == (1 << 20) - 1
    assert (game.state["landmark"] == 1).sum() == 3 and game.state["landmarks_drawn"] == 4
    assert game.state["seat"] == FELLOWSHIP


def test_D2_5_a_landmark_is_not_replaced_within_a_chapter():
    game = taken("minas-tirith").do("landmark:minas-tirith")
    assert (game.state["landmark"] == 1).sum() == 2 and game.state["landmarks_drawn"] == 3


def test_D3_2_a_choice_gives_its_best_symbol_once():
    game = Duel().offer("c3-11").own(SAURON, "c2-06")  # CCKL: four symbols, one of K and L
    game.state["coins"][SAURON] = 2
    assert "play:c3-11" not in game.refresh().legal()
    game.state["coins"][SAURON] = 3
    assert game.refresh().do("play:c3-11").state["coins"][SAURON] == 0
    game = Duel().offer("c3-11").own(SAURON, "c2-06", "c2-07")
    assert game.do("play:c3-11").state["coins"][SAURON] == 10
    game = Duel().offer("c3-11").own(SAURON, "c1-07", "c2-06")
    assert game.do("play:c3-11").state["coins"][SAURON] == 10  # K has come: the choice is L


def test_D3_3_any_skill_is_one_more():
    bare = Duel().offer("c3-11").do("play:c3-11").state["coins"][SAURON]
    game = Duel().offer("c3-11").give(SAURON, "any-skill").do("play:c3-11")
    assert (bare, game.state["coins"][SAURON]) == (8, 9)
    free = Duel().offer("c2-08").give(SAURON, "any-skill").do("play:c2-08")
    assert free.state["coins"][SAURON] == 15  # nothing is lacking, nothing gained


def test_D4_2_a_fortress_that_is_removed_leaves_the_tile():
    game = Duel().offer("c3-07").units(FELLOWSHIP).units(SAURON)
    tile = int(game.state["landmark_order"][0])
    region = REGIONS.index(next(each for each in REGIONS if taken_region(tile) == each))
    game.state["landmark"][tile] = 2 + FELLOWSHIP
    game.state["fort"][region] = 1 + FELLOWSHIP
    game.state["ring"][SAURON] = 9
    game.refresh().do("play:c3-07")
    assert game.legal() == {f"raze:{REGIONS[region]}", "pass"}
    game.do(f"raze:{REGIONS[region]}")
    assert game.state["fort"][region] == 0 and game.state["landmark"][tile] == 2 + FELLOWSHIP
    other = next(name for name in sorted(game.legal()) if name.startswith("landmark"))
    coins = 12 - 6 + 5 * (other == "landmark:erebor")  # six symbols, no surcharge
    assert game.do(other).state["coins"][FELLOWSHIP] == coins


def taken_region(tile: int) -> str:
    homes = {"helms-deep": "rohan", "erebor": "rhovanion", "bree": "arnor", "grey-havens": "lindon"}
    homes |= {"minas-tirith": "gondor", "isengard": "enedwaith", "barad-dur": "mordor"}
    return homes[LANDMARK_IDS[tile]]


def test_D5_1_D9_1_the_card_then_tokens_by_their_number():
    game = Duel().offer("c2-09").give(SAURON, "step-yellow").give(SAURON, "again-yellow")
    game.state["ring"][SAURON] = 5
    game.refresh().do("play:c2-09")
    assert game.state["coins"][SAURON] == 16 and game.state["ring"][SAURON] == 6
    assert "place:lindon" in game.legal()  # the sixth step's unit; the further turn is asked for last
    assert game.do("pass").legal() == {"again", "pass"}


def test_D5_1_the_chain_token_comes_after_those_of_the_colour():
    game = Duel().offer("c2-11").own(SAURON, "c1-13").give(SAURON, "unit-blue").give(SAURON, "coins-chain")
    game.do("chain:c2-11")
    assert "place:lindon" in game.legal() and game.state["coins"][SAURON] == 12
    assert game.do("place:lindon").state["coins"][SAURON] == 15


@pytest.mark.parametrize(
    ("before", "card", "asked"),
    [(4, "c2-13", "unit"), (7, "c2-13", "again"), (10, "c2-13", "raze")],
)
def test_D5_3_bonuses_at_6_9_and_12(before, card, asked):
    game = Duel().offer(card).units(FELLOWSHIP).units(SAURON)
    tile = int(game.state["landmark_order"][0])
    game.state["landmark"][tile] = 2 + FELLOWSHIP
    game.state["fort"][REGIONS.index(taken_region(tile))] = 1 + FELLOWSHIP
    game.state["ring"] = [0, before]
    game.refresh().do(f"play:{card}")
    assert game.state["ring"].tolist() == [0, before + 2]
    legal = {
        "unit": {*(f"place:{region}" for region in REGIONS), "pass"},
        "again": {"again", "pass"},
        "raze": {f"raze:{taken_region(tile)}", "pass"},
    }[asked]
    assert game.legal() == legal
    game.do("pass")
    assert game.state["seat"] == FELLOWSHIP and game.state["turn"] == 1


def test_D5_3_each_bonus_once_and_each_side_for_itself():
    game = Duel().offer("c2-12")
    game.state["ring"] = [2, 3]
    game.refresh().do("play:c2-12")
    assert game.state["coins"][SAURON] == 10 and game.state["ring"].tolist() == [2, 4]
    game = Duel().offer("c2-13")
    game.state["ring"] = [6, 5]
    assert "place:arnor" in game.refresh().do("play:c2-13").legal()


def test_D5_6_isengard_takes_a_grey_card_of_choice():
    game = taken("isengard")
    game.own(FELLOWSHIP, "c1-03").do("landmark:isengard")
    assert game.legal() == {"strip:c1-01", "strip:c1-03", "pass"}
    game.do("strip:c1-03")
    assert game.state["place"][CARD_IDS.index("c1-03")] == Place.DISCARD
    assert game.state["skills"][FELLOWSHIP].tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize(("triggers", "steps"), [(True, 1), (False, 0)])
def test_D5_7_the_discard_is_free_and_no_chain(triggers, steps):
    game = Duel(revive_triggers=triggers)
    game.states[:] = taken("barad-dur").states
    game.state["options"][3] = triggers
    game.give(SAURON, "step-yellow").give(SAURON, "coins-chain")
    card = CARD_IDS.index("c1-09")
    deck = game.state["deck"][0]
    at = deck.tolist().index(card)
    spare = next(slot for slot in range(20) if game.state["place"][deck[slot]] == Place.DISCARD)
    if game.state["place"][card] != Place.DISCARD:
        game.state["place"][deck[spare]], game.state["place"][card] = Place.UNSEEN, Place.DISCARD
        deck[at], deck[spare] = deck[spare], deck[at]
    game.refresh().do("landmark:barad-dur", "revive:c1-09")
    assert game.state["coins"][SAURON] == 12 - 6 + 2 and game.state["ring"][SAURON] == steps
    assert game.state["place"][card] == Place.PLAYED + SAURON


def revived(card: str, token: str, triggers: bool) -> Duel:
    """Barad-dur brings a card of the first chapter back to Sauron, who has a token."""
    game = taken("barad-dur")
    game.state["options"][3] = triggers
    game.units(SAURON, mordor=1).give(SAURON, token)
    number = CARD_IDS.index(card)
    deck = game.state["deck"][0]
    at = deck.tolist().index(number)
    spare = next(slot for slot in range(20) if game.state["place"][deck[slot]] == Place.DISCARD)
    if game.state["place"][number] != Place.DISCARD:
        game.state["place"][deck[spare]], game.state["place"][number] = Place.UNSEEN, Place.DISCARD
        deck[at], deck[spare] = deck[spare], deck[at]
    return game.refresh().do("landmark:barad-dur", f"revive:{card}")


@pytest.mark.parametrize("triggers", [True, False])
def test_D5_7_tokens_for_each_time_a_card_is_played(triggers):
    assert revived("c1-09", "step-yellow", triggers).state["ring"][SAURON] == triggers
    blue = revived("c1-16", "unit-blue", triggers)
    assert ("place:lindon" in blue.legal()) == triggers
    green = revived("c1-18", "moves-green", triggers)
    assert any(name.startswith("move") for name in green.legal()) == triggers


@pytest.mark.parametrize("triggers", [True, False])
def test_D5_7_tokens_that_say_what_red_cards_do_always_apply(triggers):
    assert revived("c1-22", "unit-red", triggers).do("place:enedwaith").at("enedwaith") == [0, 2]
    anywhere = revived("c1-22", "any-banner", triggers).legal()
    assert anywhere == {f"place:{region}" for region in REGIONS}


def test_D6_1_units_enter_together_and_fortresses_stop_nobody():
    game = Duel().offer("c3-13").units(FELLOWSHIP, arnor=2).units(SAURON, mordor=1)
    tile = next(number for number, name in enumerate(LANDMARK_IDS) if name == "bree")
    order = game.state["landmark_order"].tolist()
    order.remove(tile)
    game.state["landmark_order"] = [tile, *order]
    game.state["landmark"] = 0
    game.state["landmark"][[*order[:2]]] = 1
    game.state["landmark"][tile] = 2 + FELLOWSHIP
    game.state["fort"][REGIONS.index("arnor")] = 1 + FELLOWSHIP
    game.refresh().do("play:c3-13", "place:arnor")
    assert game.at("arnor") == [0, 1] and game.state["fort"][REGIONS.index("arnor")] == 1 + FELLOWSHIP


def second_of_a_race(token: str) -> Duel:
    """Sauron plays his second card of the elves, whose first token is this one."""
    game = Duel().offer("c2-15").own(SAURON, "c1-17")
    return with_token_on_top(game, token, "elves").do("play:c2-15")


def test_D7_1_D7_2_two_of_a_race_show_two_tokens():
    game = second_of_a_race("any-skill")
    pile = game.state["pile"][RACES.index("elves")].tolist()
    assert game.legal() == {f"token:{TOKEN_IDS[token]}" for token in pile[:2]}
    game.do(f"token:{TOKEN_IDS[pile[1]]}")
    assert game.state["pile"][RACES.index("elves")].tolist() == [pile[0], pile[2], -1]
    assert game.state["token"][pile[1]] == 1 + SAURON and game.state["seat"] == FELLOWSHIP


def test_D7_1_D7_3_three_races_once_a_game():
    game = Duel().offer("c2-15").own(SAURON, "c1-18", "c1-19")
    piles = game.state["pile"].copy()
    game.do("play:c2-15")
    races = [RACES.index(race) for race in ("elves", "hobbits", "dwarves")]
    assert game.legal() == {f"token:{TOKEN_IDS[piles[race, 0]]}" for race in races}
    game.do(f"token:{TOKEN_IDS[piles[races[0], 0]]}")
    assert game.state["council"].tolist() == [0, 1]
    for race in races[1:]:
        assert game.state["pile"][race].tolist() == piles[race].tolist()
        assert game.state["pile_seen"][race] == 1
    game = Duel().offer("c2-15").own(SAURON, "c1-18", "c1-19")
    game.state["council"][SAURON] = 1
    assert game.refresh().do("play:c2-15").state["seat"] == FELLOWSHIP


def test_D7_4_tokens_put_back_stay_known_to_both():
    game = second_of_a_race("any-skill").do("token:any-skill")
    race = RACES.index("elves")
    assert game.state["pile_seen"][race] == 1
    for seat in (FELLOWSHIP, SAURON):
        for seed in range(20):
            world = game.states.copy()
            DUEL.kernels.sample_worlds(world, np.array([seat]), np.array([seed]))
            assert world["pile"][0, race, 0] == game.state["pile"][race, 0]


def test_D7_5_a_token_does_nothing_for_the_card_that_brought_it():
    game = Duel().offer("c2-16").own(SAURON, "c1-18")
    with_token_on_top(game, "moves-green", "dwarves").do("play:c2-16", "token:moves-green")
    assert game.state["seat"] == FELLOWSHIP  # no moves are asked for


def test_D8_2_support_without_the_eagle():
    mine = ("c1-17", "c1-18", "c1-19", "c1-20")
    game = Duel().offer("c3-10").own(SAURON, *mine)
    deal(game, "c3-08", 18).do("play:c3-10")
    assert game.state["winner"] == -1
    while game.state["seat"] == SAURON and game.state["acting"]:
        game.do(sorted(game.legal())[0])
    game.state["seat"] = SAURON
    game.state["coins"] = 12
    game.refresh().do("play:c3-08")
    assert (game.state["winner"], game.state["reason"]) == (SAURON, Reason.SAURON_SUPPORT)


def test_D8_3_a_fortress_is_presence():
    game = Duel().offer("c3-15").units(FELLOWSHIP)
    tile = int(game.state["landmark_order"][0])
    held = taken_region(tile)
    game.state["landmark"][tile] = 2 + SAURON
    game.state["fort"][REGIONS.index(held)] = FORTRESS
    game.units(SAURON, **{region: 1 for region in REGIONS if region not in (held, "lindon", "mordor")})
    game.state["units"][SAURON, REGIONS.index("mordor")] = held != "mordor"
    if held == "lindon":
        game.state["units"][SAURON, REGIONS.index("mordor")] = 0
    place = "mordor" if held == "lindon" else "lindon"
    game.refresh().do("play:c3-15", f"place:{place}")
    assert (game.state["winner"], game.state["reason"]) == (SAURON, Reason.SAURON_CONQUEST)


def test_D8_4_a_victory_ends_everything_at_once():
    game = Duel().offer("c2-13")
    game.state["ring"][SAURON] = 13
    game.give(SAURON, "unit-blue").do("play:c2-13")
    assert game.state["reason"] == Reason.RING_SEIZED and game.state["stack_size"] == 0
    assert not game.masks.any() and game.state["ring"][SAURON] == 14


@pytest.mark.parametrize(
    ("fellowship", "sauron", "winner", "reason"),
    [
        (("lindon", "arnor"), ("mordor",), FELLOWSHIP, Reason.FELLOWSHIP_REGIONS),
        (("lindon",), ("mordor", "gondor"), SAURON, Reason.SAURON_REGIONS),
        (("lindon", "arnor"), ("mordor", "gondor"), 2, Reason.SHARED),
        ((), (), 2, Reason.SHARED),
    ],
)
def test_D8_5_more_regions_or_shared(fellowship, sauron, winner, reason):
    game = last_card("c3-01")
    game.units(FELLOWSHIP, **dict.fromkeys(fellowship, 3)).units(SAURON, **dict.fromkeys(sauron, 1))
    game.refresh().do("sell:c3-01")
    assert (game.state["winner"], game.state["reason"]) == (winner, reason)
    result = DUEL.result.of(game.state)
    assert (result.winner, result.chapter) == (winner, 3)


def test_D8_5_a_fortress_counts_once_with_units():
    game = last_card("c3-01")
    tile = int(game.state["landmark_order"][0])
    game.state["landmark"][tile] = 2 + SAURON
    game.state["fort"][REGIONS.index(taken_region(tile))] = FORTRESS
    other = next(region for region in REGIONS if region != taken_region(tile))
    game.units(SAURON, **{taken_region(tile): 2}).units(FELLOWSHIP, **{other: 1})
    assert game.refresh().do("sell:c3-01").state["reason"] == Reason.SHARED


@pytest.mark.parametrize("declines", [True, False])
def test_D9_2_what_may_be_declined(declines):
    game = Duel(may_decline=declines).offer("c3-19").units(FELLOWSHIP, arnor=1, rohan=1)
    game.units(SAURON, mordor=1).refresh().do("play:c3-19")
    assert game.legal() == {"remove:arnor", "remove:rohan"} | ({"pass"} if declines else set())
    red = Duel(may_decline=declines).offer("c2-23").do("play:c2-23")
    assert "pass" not in red.legal()


def test_D3_5_the_booklets_example_of_chaining():
    """A card that costs nothing in chapter 1 makes one of chapter 2 free, else paid by its three skills."""
    game = last_card("c1-22").do("play:c1-22", "place:enedwaith")
    assert game.state["chapter"] == 1 and game.state["coins"][SAURON] == 12
    deal(deal(game, "c2-20", 19), "c2-09", 18).do("sell:c2-09")
    game.do("chain:c2-20", "place:lindon")
    assert game.state["coins"][SAURON] == 12 and game.at("lindon") == [0, 2]
    alone = last_card("c1-15").do("play:c1-15")
    assert alone.state["coins"][SAURON] == 11
    deal(deal(alone, "c2-20", 19), "c2-09", 18).do("sell:c2-09")
    assert "chain:c2-20" not in alone.legal()
    assert alone.do("play:c2-20", "place:lindon").state["coins"][SAURON] == 11 - 3


@pytest.mark.parametrize("free_order", [False, True])
def test_D5_5_the_coins_of_a_card_are_lost_together_and_without_a_question(free_order):
    """In printed order after the removals, also when these are declined."""
    game = Duel(free_order=free_order).offer("c3-20").units(FELLOWSHIP, arnor=2).refresh().do("play:c3-20")
    assert game.legal() == {"remove:arnor", "pass"}
    assert game.state["coins"][FELLOWSHIP] == (10 if free_order else 12)
    game.do("pass")
    assert game.state["coins"][FELLOWSHIP] == 10 and game.state["seat"] == FELLOWSHIP
    nobody = Duel(free_order=free_order).offer("c3-20").units(FELLOWSHIP).refresh().do("play:c3-20")
    assert nobody.state["coins"][FELLOWSHIP] == 10 and nobody.state["seat"] == FELLOWSHIP


def test_D9_2_what_has_one_answer_is_not_asked():
    """The last token of a race, which cannot be declined; the events tell it all the same."""
    game = Duel().offer("c2-15").own(SAURON, "c1-17")
    elves = [token for token in TOKEN_IDS if TOKEN_RACE[TOKEN_IDS.index(token)] == RACES.index("elves")]
    for token in elves[:2]:
        game.give(FELLOWSHIP, token)
    step = DUEL.step_of(game.state, ACTION_NAMES.index("play:c2-15"), None)
    game.do("play:c2-15")
    assert game.state["token"][TOKEN_IDS.index(elves[2])] == 1 + SAURON
    assert game.state["seat"] == FELLOWSHIP and game.state["pile_size"][RACES.index("elves")] == 0
    assert {"kind": "unasked", "seat": SAURON, "action": f"token:{elves[2]}"} in step.events
    assert (Tone.FORCED, SAURON) in [(each.tone, each.seat) for each in step.sentences]


def test_D9_2_without_declining_a_single_target_is_not_asked():
    game = Duel(may_decline=False).offer("c3-19").units(FELLOWSHIP, arnor=1).units(SAURON, lindon=1)
    game.refresh().do("play:c3-19")  # a removal, a coin and a move, each with one answer
    assert game.at("arnor") == [0, 1] and game.at("lindon") == [0, 0]
    assert game.state["coins"][FELLOWSHIP] == 11 and game.state["seat"] == FELLOWSHIP


def test_D9_2_all_further_turns_are_declined_together():
    game = (
        Duel(all_further_turns=True).offer("c2-09").give(SAURON, "again-yellow").give(SAURON, "step-yellow")
    )
    game.state["ring"][SAURON] = 8
    game.refresh().do("play:c2-09", "pass")
    assert game.state["seat"] == FELLOWSHIP and game.state["again"] == 0


def test_D9_2_the_open_ruleset_makes_maneuvers_in_any_order():
    game = Duel(free_order=True).offer("c3-19").units(FELLOWSHIP, arnor=1).units(SAURON, mordor=1)
    game.refresh().do("play:c3-19")
    assert game.state["coins"][FELLOWSHIP] == 11  # nobody is asked (D5.5)
    assert game.legal() == {"remove:arnor", "move:mordor:rohan", "move:mordor:gondor", "pass"}
    game.do("move:mordor:rohan")
    assert game.legal() == {"remove:arnor", "pass"}
    assert game.do("remove:arnor").state["seat"] == FELLOWSHIP
    assert Duel(free_order=True).state["options"].tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(("every", "turns"), [(False, 1), (True, 2)])
def test_D9_3_one_further_turn_or_all(every, turns):
    game = Duel(all_further_turns=every).offer("c2-09").give(SAURON, "again-yellow")
    game.give(SAURON, "step-yellow")
    game.state["ring"][SAURON] = 8
    game.refresh().do("play:c2-09")
    assert game.state["again"] == turns
    game.do("again")
    assert game.state["seat"] == SAURON and game.state["again"] == turns - 1


@pytest.mark.parametrize(("card", "begins"), [("c1-16", 1), ("c2-12", 2), ("c3-06", None)])
def test_D9_3_further_turns_across_chapters(card, begins):
    game = last_card(card)
    game.state["ring"][SAURON] = 8
    game.refresh().do(f"play:{card}")
    if begins is None:
        assert game.state["reason"] == Reason.SHARED and game.state["turn"] == 1  # the turn is lost
        return
    assert game.legal() == {"again", "pass"}
    game.do("again")
    assert game.state["chapter"] == begins and game.state["seat"] == SAURON


def test_D10_1_coins_of_the_bank():
    game = Duel().offer("c2-09")
    game.state["coins"] = [14, 14]
    game.refresh().do("play:c2-09")
    assert game.state["coins"].tolist() == [14, 16]
    game = Duel().offer("c3-20").units(FELLOWSHIP)
    game.state["coins"] = [1, 12]
    game.refresh().do("play:c3-20")
    assert game.state["coins"][FELLOWSHIP] == 0 and game.state["seat"] == FELLOWSHIP


def test_D10_1_units_of_the_supply():
    game = Duel().offer("c3-12").units(SAURON, mordor=14).refresh()
    assert game.do("play:c3-12", "place:rohan").at("rohan") == [0, 1]
    game = Duel().offer("c3-12").units(SAURON, mordor=15).refresh()
    assert game.do("play:c3-12").state["seat"] == FELLOWSHIP and game.at("rohan") == [0, 0]


def test_D10_1_no_fortress_is_no_target():
    game = Duel().offer("c3-07")
    game.state["ring"][SAURON] = 10
    game.refresh().do("play:c3-07")
    assert game.state["ring"][SAURON] == 13 and game.state["seat"] == FELLOWSHIP


def worlds(game: Duel, seat: int, count: int = 60) -> np.ndarray:
    made = np.repeat(game.states, count)
    DUEL.kernels.sample_worlds(made, np.full(count, seat), np.arange(count))
    return made


def test_D11_1_what_is_hidden_varies_and_what_is_shown_does_not():
    game = Duel()
    game.do(next(name for name in sorted(game.legal()) if name.startswith("sell")))
    made = worlds(game, FELLOWSHIP)
    up = np.flatnonzero(game.state["up"][:20])
    down = np.flatnonzero(game.state["up"][:20] == 0)
    assert (made["deck"][:, 0, up] == game.state["deck"][0, up]).all()
    assert all(len(set(made["deck"][:, 0, slot])) > 5 for slot in [*down, 20, 21, 22])
    assert all(len(set(made["deck"][:, chapter, 0])) > 5 for chapter in (1, 2))
    shown = game.state["landmark_order"][:3]
    assert (made["landmark_order"][:, :3] == shown).all() and len(set(made["landmark_order"][:, 6])) > 2
    assert len(set(made["pile"][:, 0, 0])) == 3


def test_D11_2_who_looked_at_the_discard_knows_the_removed():
    game = taken("barad-dur").do("landmark:barad-dur")
    removed = game.state["deck"][1, 20:]
    assert game.state["looked"].tolist() == [[0, 0, 0], [1, 1, 0]]
    assert (np.sort(worlds(game, SAURON)["deck"][:, 1, 20:]) == np.sort(removed)).all()
    assert len(set(worlds(game, FELLOWSHIP)["deck"][:, 1, 20])) > 3
    past = np.sort(game.state["deck"][0, 20:])
    assert (np.sort(worlds(game, FELLOWSHIP)["deck"][:, 0, 20:]) == past).all()


def rule_ids() -> set[str]:
    page = (ROOT / "docs" / "duel.md").read_text(encoding="utf-8")
    return set(re.findall(r"^- \*\*(D\d+\.\d+)\*\*", page, re.MULTILINE))


def test_every_rule_has_a_test():
    ids = rule_ids()
    assert {name.partition(".")[0] for name in ids} == {f"D{number}" for number in range(1, 12)}
    tested = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            tested |= {f"D{major}.{minor}" for major, minor in re.findall(r"D(\d+)_(\d+)", name)}
    assert tested == ids


def test_D10_2_after_the_last_turn_the_regions_decide():
    batch = DUEL.games(64, 1, DUEL.find_ruleset("standard:max_turns=9"), auto_reset=False)
    while not batch.terminated.all():
        batch.random_steps(8)
    ended = batch.states[batch.states["turn"] == 9]
    assert len(ended) > 50
    for state in ended:
        there = [(state["units"][side] > 0) | (state["fort"] == 1 + side) for side in (0, 1)]
        fellowship, sauron = (int(each.sum()) for each in there)
        assert state["winner"] == (2 if fellowship == sauron else int(sauron > fellowship))
