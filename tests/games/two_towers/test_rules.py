"""The rules of The Two Towers by number (docs/two-towers.md)."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from tests.games.two_towers.towers import TOWERS, Towers, kinds
from wotr_env.games.two_towers.components import COPIES, FANGORN, KIND_NAMES, LOCATIONS
from wotr_env.games.two_towers.ruleset import HOUSE_PATHS, HOUSE_QUALITIES, TwoTowersRuleset
from wotr_env.games.two_towers.scoring import end_game
from wotr_env.games.two_towers.state import Ask, Phase, reshuffle

PAGE = (Path(__file__).parents[3] / "docs" / "two-towers.md").read_text(encoding="utf-8")


def many(players: int, games: int = 400, **options: object) -> np.ndarray:
    """Games just set up."""
    return TOWERS.new_states(np.arange(games), TwoTowersRuleset(players, **options))[0]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_TT1_1_hands_and_display(players):
    state = Towers(players).state
    assert COPIES.sum() == 96 and COPIES[-1] == 16
    assert state["hand"].sum(axis=1).tolist() == [6] * players + [0] * (5 - players)
    assert state["display"].sum() == 4 and state["pile"].sum() == 96 - 6 * players - 4


def test_TT1_2_qualities_of_the_house():
    state = Towers().state
    for symbols, printed in zip(state["symbols"], HOUSE_QUALITIES, strict=True):
        names = ["strength", "wisdom", "perseverance", "resolution"]
        assert [names[symbol] for symbol in symbols if symbol >= 0] == list(printed)
    assert HOUSE_QUALITIES[FANGORN] == ("strength", "wisdom")


def test_TT1_2_qualities_drawn_anew():
    symbols = many(3, qualities="drawn")["symbols"]
    assert len(np.unique(symbols.reshape(400, -1), axis=0)) > 390
    counts = (symbols >= 0).sum(axis=2)
    assert set(counts[:, -1]) == {3} and set(counts[:, 0]) == {1, 2}
    assert {tuple(each) for each in symbols[:, FANGORN]} == {(0, 1, -1), (1, 0, -1)}
    firsts = np.bincount(symbols[:, 0, 0])
    assert firsts.size == 4 and firsts.min() > 60  # of 100 each


def test_TT1_2_qualities_given():
    state = Towers(qualities="wisdom/strength/wisdom/strength/wisdom/strength").state
    assert state["symbols"][:, 0].tolist() == [1, 0, 1, 0, 1, 0] and (state["symbols"][:, 1:] == -1).all()


def test_TT1_3_paths():
    paths = many(2)["path"]
    assert (np.sort(paths, axis=1) == HOUSE_PATHS).all() and len(np.unique(paths, axis=0)) > 60
    drawn = many(2, paths="drawn")["path"]
    assert drawn.min() == 2 and drawn.max() == 4 and len(np.unique(np.sort(drawn, axis=1), axis=0)) > 10
    assert sorted(Towers(paths="2+2+2+2+2+3").state["path"]) == [2, 2, 2, 2, 2, 3]


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize("spaces", [1, 5])
def test_TT1_3_given_paths_have_1_to_5_spaces(players, spaces):
    """Everybody draws once on each space, and then lays cards at Rohan."""
    towers = Towers(players, paths="+".join([str(spaces)] * 6)).refresh()
    assert (towers.state["path"] == spaces).all()
    for _ in range(players * spaces):
        assert towers.state["phase"] == Phase.WALK and towers.state["stage"] == 0
        towers.do("take:hidden")
    assert towers.state["phase"] == Phase.LAY and towers.state["turn"] == players * spaces
    told = "1 space;" if spaces == 1 else "5 spaces;"
    assert told in TOWERS.words.position(towers.state)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_TT1_4_tokens(players):
    tokens = many(players)["token"]
    assert ((tokens > 0).sum(axis=2) == players - 1).all()
    assert (tokens[:, -1].max(axis=1) == 5).all()
    assert (np.diff(tokens.astype(int), axis=2) <= 0).all()
    counts = np.array([(tokens == value).sum(axis=(1, 2)) for value in (2, 3, 4, 5)])
    assert counts.max() <= 6
    if players == 5:
        assert (counts == 6).all()


def test_TT1_4_the_booklets_set_up_for_four():
    """Three tokens at each location, a 5 at the last; six paths, hands of six, four open cards, the pile."""
    state = Towers(4).state
    assert LOCATIONS == ("Rohan", "Fangorn", "Edoras", "Orthanc", "Helm's Deep", "Minas Tirith")
    assert ((state["token"] > 0).sum(axis=1) == 3).all() and 5 in state["token"][-1]
    assert sorted(state["path"]) == sorted(HOUSE_PATHS) and state["stage"] == state["space"] == 0
    assert state["hand"].sum(axis=1).tolist() == [6, 6, 6, 6, 0]
    assert state["display"].sum() == 4 and state["pile"].sum() == 96 - 24 - 4 and state["discard"].sum() == 0
    assert not state["points"].any() and (state["quality"] == -1).all() and state["phase"] == Phase.WALK


def test_TT1_5_anybody_may_begin():
    states = many(5)
    assert np.bincount(states["starter"]).min() > 50 and (states["seat"] == states["starter"]).all()


def test_TT2_1_one_card_of_the_display_or_the_pile():
    towers = Towers().hand(0, "red-strength").display("red-wisdom", "gandalf").refresh()
    assert towers.legal() == {"take:red-wisdom", "take:gandalf", "take:hidden", "swap:red-strength"}
    towers.do("take:gandalf")
    assert towers.state["hand"][0, -1] == 1 and towers.state["seat"] == 1
    pile = int(towers.state["pile"].sum())
    towers.do("take:hidden")
    assert towers.state["pile"].sum() == pile - 1


def test_TT2_1_without_open_cards_only_the_pile_is_left():
    assert Towers().no_hands().display().refresh().legal() == {"take:hidden"}


def test_TT2_2_one_card_for_two():
    towers = Towers().hand(0, "red-strength").display("red-wisdom", "gandalf").refresh()
    towers.do("swap:red-strength", "take:red-wisdom")
    assert towers.state["decision"] == Ask.SECOND and towers.legal() == {"take:gandalf", "take:hidden"}
    towers.do("take:gandalf")
    assert towers.state["hand"][0].sum() == 2 and towers.state["seat"] == 1
    assert towers.state["display"].sum() == 1 and towers.state["display"][kinds("red-strength")[0]] == 1


def test_TT2_2_an_open_card_comes_before_a_hidden_one():
    towers = Towers().hand(0, "red-strength").display("red-wisdom").refresh()
    towers.do("swap:red-strength", "take:red-wisdom", "take:hidden")
    assert towers.state["hand"][0].sum() == 2 and towers.state["seat"] == 1


def test_TT2_3_two_hidden_cards_are_drawn_at_once():
    towers = Towers().hand(0, "red-strength").refresh().do("swap:red-strength", "take:hidden")
    assert towers.state["hand"][0].sum() == 2 and towers.state["seat"] == 1


def test_TT2_3_two_hidden_cards_need_two():
    towers = Towers().hand(0, "red-strength").hand(1).display("red-wisdom").refresh()
    state = towers.state
    state["discard"] = 0
    pile = state["pile"].copy()
    state["pile"] = 0
    state["pile"][-1] = 1
    pile[-1] -= 1
    state["hand"][1] = pile
    TOWERS.kernels.refresh(towers.states, towers.masks)
    towers.do("swap:red-strength")
    assert towers.legal() == {"take:red-wisdom"}
    assert towers.do("take:red-wisdom").legal() == {"take:hidden"}


@pytest.mark.parametrize("take_back", [False, True])
def test_TT2_4_the_card_put_there_is_not_taken_back(take_back):
    towers = Towers(take_back=take_back).hand(0, "red-strength").display("red-wisdom").refresh()
    assert ("take:red-strength" in towers.do("swap:red-strength").legal()) == take_back


def test_TT2_4_another_card_of_its_kind_may_be_taken():
    towers = Towers().hand(0, "red-strength").display("red-strength").refresh().do("swap:red-strength")
    assert towers.legal() == {"take:red-strength", "take:hidden"}
    assert towers.do("take:red-strength").legal() == {"take:hidden"}


@pytest.mark.parametrize("may_decline", [False, True])
def test_TT2_5_drawing_nothing(may_decline):
    assert ("end" in Towers(may_decline=may_decline).refresh().legal()) == may_decline


def test_TT2_6_each_player_draws_on_each_space():
    towers = Towers(3, paths="2+2+2+2+2+2").refresh()
    seats = []
    while towers.state["phase"] == Phase.WALK:
        seats.append(int(towers.state["seat"]))
        towers.do("take:hidden")
    assert seats == [0, 1, 2, 0, 1, 2] and towers.state["seat"] == 0


def test_TT2_7_the_display_is_not_refilled():
    towers = Towers().display("gandalf*2").refresh().do("take:gandalf", "take:gandalf")
    assert towers.state["display"].sum() == 0 and towers.state["pile"].sum() > 0


def test_TT3_1_any_number_of_cards_or_none_in_turn():
    towers = Towers(3).no_hands().hand(0, "red-strength*2").at("Fangorn", 3, 2).refresh()
    towers.do("lay:red-strength", "lay:red-strength", "end")
    assert towers.state["seat"] == 1 and towers.rows(0) == [2, 0, 0, 0]
    assert towers.legal() == {"end"}
    assert towers.do("end", "end").state["phase"] == Phase.WALK


def test_TT3_2_one_quality_in_a_row_and_equal_ones_in_several():
    towers = Towers().hand(0, "red-strength", "red-wisdom", "blue-strength").at("Fangorn", 3, 2).refresh()
    towers.do("lay:red-strength", "lay:blue-strength")
    assert towers.legal() == {"end"}  # the row of strength was begun in this turn


def test_TT3_3_gandalf_only_at_the_head_of_a_new_row():
    towers = Towers().hand(0, "red-strength*2", "gandalf*2").at("Fangorn", 3, 2).refresh()
    assert towers.legal() == {"lay:red-strength", "begin:red-strength", "end"}
    towers.do("begin:red-strength")
    assert towers.rows(0) == [2, 0, 0, 0] and towers.state["gandalf"][0, 0] == 1
    assert towers.legal() == {"lay:red-strength", "end"}


def test_TT3_3_not_in_a_row_that_lies():
    towers = Towers().hand(0, "red-strength", "gandalf").row(0, "red-strength", 1).at("Fangorn", 3, 2)
    assert towers.refresh().legal() == {"lay:red-strength", "end"}


def test_TT3_4_another_quality_gives_up_the_row():
    towers = Towers().hand(0, "red-wisdom*2", "gandalf").row(0, "red-strength", 3, gandalf=True)
    towers.at("Fangorn", 3, 2).refresh().do("begin:red-wisdom", "lay:red-wisdom")
    assert towers.rows(0) == [3, 0, 0, 0] and towers.state["quality"][0, 0] == 1
    discard = towers.state["discard"]
    assert discard[kinds("red-strength")[0]] == 3 and discard[-1] == 1


def test_TT4_the_booklets_example():
    """Seven cards before six before none at Fangorn: tokens, the ring, and three and two cards put aside."""
    towers = Towers(3).no_hands().at("Fangorn", 4, 2)
    fabien, jean, christine = 0, 1, 2
    towers.row(fabien, "red-wisdom", 2).row(fabien, "green-strength", 3, gandalf=True)
    towers.row(fabien, "blue-strength", 1).row(fabien, "yellow-perseverance", 2, gandalf=True)
    towers.row(christine, "red-resolution", 2)
    towers.row(jean, "blue-wisdom", 3).row(jean, "yellow-strength", 2, gandalf=True)
    towers.refresh().pass_all()
    assert towers.state["shown"][:3].tolist() == [7, 6, 0]
    assert towers.points() == [4, 2, 0] and towers.state["starter"] == fabien
    assert towers.rows(fabien) == [1, 3, 0, 3]
    assert towers.rows(jean) == [0, 0, 2, 2] and towers.rows(christine) == [2, 0, 0, 0]
    assert towers.state["discard"].sum() == 5


def test_TT4_1_qualities_asked_for_count_with_gandalf():
    towers = Towers(3).no_hands().row(0, "red-strength", 1, gandalf=True).row(0, "blue-wisdom", 2)
    towers.row(0, "green-resolution", 5).at("Fangorn", 5, 4).refresh().pass_all()
    assert towers.state["shown"][0] == 4


def test_TT4_2_who_shows_nothing_gets_nothing():
    towers = Towers(4).no_hands().row(2, "red-strength", 1).at("Fangorn", 5, 4, 3).refresh().pass_all()
    assert towers.points() == [0, 0, 5, 0]


def test_TT4_2_the_last_gets_nothing():
    towers = Towers(3).no_hands().at("Fangorn", 5, 4)
    for seat, cards in enumerate((1, 2, 3)):
        towers.row(seat, ("red-strength", "green-strength", "blue-strength")[seat], cards)
    assert towers.refresh().pass_all().points() == [0, 4, 5]


def test_TT4_3_who_laid_before_is_ahead():
    towers = Towers(3).no_hands().row(0, "red-strength", 2).row(2, "blue-wisdom", 2).at("Fangorn", 5, 4)
    towers.state["starter"] = towers.state["seat"] = 1  # in turn: 1, 2, 0
    assert towers.refresh().pass_all().points() == [4, 0, 5]
    assert towers.state["starter"] == 2 and towers.state["seat"] == 2


def test_TT4_3_the_ring_stays_where_nobody_shows_anything():
    towers = Towers(3).no_hands().at("Fangorn", 5, 4)
    towers.state["starter"] = towers.state["seat"] = 1
    assert towers.refresh().pass_all().state["starter"] == 1


def test_TT4_4_without_a_token_nothing_is_lost():
    towers = Towers(3).no_hands().at("Fangorn", 5, 4)
    for seat, colour in enumerate(("red", "green", "blue")):
        towers.row(seat, f"{colour}-strength", 3)
    towers.refresh().pass_all()
    assert [sum(towers.rows(seat)) for seat in range(3)] == [2, 2, 3]


def test_TT4_4_rows_of_other_qualities_keep_their_cards():
    towers = Towers(3).no_hands().row(0, "red-strength", 2).row(0, "blue-resolution", 2)
    assert towers.at("Fangorn", 5, 4).refresh().pass_all().rows(0) == [1, 0, 2, 0]


def test_TT4_5_a_gandalf_left_alone_is_put_aside():
    towers = Towers(3).no_hands().row(0, "red-strength", 1, gandalf=True).at("Fangorn", 5, 4)
    towers.refresh().pass_all()
    assert towers.rows(0) == [0, 0, 0, 0] and towers.state["discard"][-1] == 1


def test_TT4_6_the_ring_begins_the_next_round():
    towers = Towers(3).no_hands().row(2, "red-strength", 1).at("Fangorn", 5, 4).refresh().pass_all()
    assert (towers.state["seat"], towers.state["stage"], towers.state["space"]) == (2, 2, 0)


def test_TT5_1_the_cards_put_aside_are_the_new_pile():
    towers = Towers().refresh()
    state = towers.state
    state["discard"] = state["pile"]
    state["pile"] = 0
    last = int(np.flatnonzero(state["discard"])[0])
    state["discard"][last] -= 1
    state["pile"][last] = 1
    left = int(state["discard"].sum())
    TOWERS.kernels.refresh(towers.states, towers.masks)
    towers.do("take:hidden")
    assert state["pile"].sum() == left and state["discard"].sum() == 0


def test_TT5_2_who_can_draw_nothing_has_no_turn():
    towers = Towers(paths="2+2+2+2+2+2").display().refresh()
    state = towers.state
    state["hand"][1] += state["pile"]
    state["pile"] = 0
    TOWERS.kernels.refresh(towers.states, towers.masks)
    assert state["phase"] == Phase.LAY and state["seat"] == 0


def test_TT5_2_a_swap_needs_two_cards_to_be_there():
    towers = Towers().display("gandalf").refresh()
    state = towers.state
    state["hand"][1] += state["pile"]
    state["pile"] = 0
    TOWERS.kernels.refresh(towers.states, towers.masks)
    assert towers.legal() == {"take:gandalf"}


@pytest.mark.parametrize("take_back", [False, True])
def test_TT5_2_a_card_that_may_be_taken_back_is_one_of_the_two(take_back):
    towers = Towers(take_back=take_back).hand(0, "red-strength").display("gandalf").refresh()
    state = towers.state
    state["hand"][1] += state["pile"]
    state["pile"] = 0
    TOWERS.kernels.refresh(towers.states, towers.masks)
    assert ("swap:red-strength" in towers.legal()) == take_back
    if take_back:
        towers.do("swap:red-strength", "take:red-strength", "take:gandalf")
        assert state["hand"][0].sum() == 2 and state["display"].sum() == 0


def test_TT6_1_a_token_for_each_quality():
    states = many(2)
    assert ((states["token"] > 0).sum(axis=2) == (states["symbols"] >= 0).sum(axis=2)).all()
    assert (states["token"][:, -1].max(axis=1) == 5).all()


def test_TT6_2_each_quality_is_scored_by_itself_and_the_last_one_brings_the_ring():
    towers = Towers().no_hands().row(0, "red-strength", 4).row(1, "blue-wisdom", 1).at("Fangorn", 2, 5)
    towers.refresh().pass_all()
    assert towers.points() == [2, 5] and towers.state["starter"] == 1


def test_TT6_2_the_first_to_lay_is_ahead():
    towers = Towers().no_hands().row(0, "red-strength", 2).row(1, "blue-strength", 2).at("Fangorn", 3, 2)
    towers.state["starter"] = towers.state["seat"] = 1
    towers.refresh().pass_all()
    assert towers.points() == [0, 3] and towers.state["starter"] == 1  # nobody shows wisdom: the ring stays


@pytest.mark.parametrize(
    "losses, first, second",
    [
        ("all", [2, 1, 0, 0], [0, 0, 2, 0]),
        ("takers", [2, 1, 0, 0], [0, 0, 2, 0]),
        ("won", [2, 2, 0, 0], [0, 0, 2, 2]),
    ],
)
def test_TT6_3_what_is_lost(losses, first, second):
    """Player 1 takes the token of strength and not that of wisdom."""
    towers = Towers(losses=losses).no_hands().at("Fangorn", 3, 2)
    towers.row(0, "red-strength", 3).row(0, "green-wisdom", 2)
    towers.row(1, "blue-wisdom", 3).row(1, "yellow-strength", 1, gandalf=True)
    towers.refresh().pass_all()
    assert towers.points() == [3, 2] and towers.rows(0) == first and towers.rows(1) == second


@pytest.mark.parametrize("losses, left", [("all", 1), ("takers", 2), ("won", 2)])
def test_TT6_3_who_takes_no_token_loses_cards_too(losses, left):
    """As the booklet has it for two; rows of other qualities stay as they are."""
    towers = Towers(losses=losses).no_hands().at("Fangorn", 3, 2)
    towers.row(0, "red-strength", 3).row(0, "green-wisdom", 3)
    towers.row(1, "blue-wisdom", 2).row(1, "yellow-resolution", 2)
    towers.refresh().pass_all()
    assert towers.points() == [5, 0] and towers.rows(0) == [2, 2, 0, 0]
    assert towers.rows(1) == [0, 0, left, 2]


def test_TT6_3_the_booklets_text_is_the_default():
    assert TwoTowersRuleset().losses == "all" and "losses" not in TwoTowersRuleset().title
    assert TwoTowersRuleset(losses="won").title.endswith("losses won")


def test_TT7_1_most_points_win():
    towers = Towers(3).no_hands().row(2, "red-strength", 1).at("Minas Tirith", 5, 2)
    towers.state["points"][:3] = [4, 3, 0]
    towers.refresh().pass_all()
    assert TOWERS.result.of(towers.state).to_dict() == {
        "winner": 2,
        "reason": "player_3_points",
        "points": [4, 3, 5],
    }
    assert not towers.masks.any()


def test_TT7_2_then_most_cards_at_minas_tirith():
    towers = Towers(3).no_hands().at("Minas Tirith", 5, 2)
    towers.row(1, "red-strength", 1).row(2, "blue-strength", 2)
    towers.state["points"][:3] = [0, 3, 0]
    towers.refresh().pass_all()
    assert towers.points() == [0, 5, 5] and TOWERS.result.of(towers.state).reason == "player_3_cards"


def test_TT7_2_cards_settle_a_tie_that_was_settled_by_order():
    """All have as many points; of the two who show fewer one was ahead of the other, and lost."""
    towers = Towers(3).no_hands().at("Minas Tirith", 5, 2)
    for seat, name in enumerate(("red-strength", "green-strength", "blue-strength")):
        towers.row(seat, name, 2 if seat == 2 else 1)
    towers.state["points"][:3] = [3, 5, 0]
    towers.refresh().pass_all()
    assert towers.points() == [5, 5, 5] and TOWERS.result.of(towers.state).reason == "player_3_cards"
    told = "Player 3 has won by the cards at Minas Tirith, 2 to 1 and 1, with 5 points each"
    assert TOWERS.words.decision(towers.state) == told


def test_TT7_3_then_who_laid_first_there():
    towers = Towers(3).no_hands().at("Minas Tirith", 5, 2)
    towers.row(0, "red-strength", 1).row(2, "blue-strength", 1)
    towers.state["points"][:3] = [3, 0, 0]
    towers.state["starter"] = towers.state["seat"] = 2
    towers.refresh().pass_all()
    assert towers.points() == [5, 0, 5] and TOWERS.result.of(towers.state).reason == "player_3_order"
    told = "Player 3 has won by laying first at Minas Tirith, with 5 points and 1 card there, as Player 1"
    assert TOWERS.words.decision(towers.state) == told


@pytest.mark.parametrize("players", [2, 3, 4])
def test_TT7_the_reason_is_what_the_winner_is_ahead_by(players):
    """All points and cards at Minas Tirith: the reason is the first thing that sets the winner apart."""
    scores = list(itertools.product([(3, 1), (3, 2), (5, 1), (5, 2)], repeat=players))
    states = np.zeros(1, dtype=TOWERS.state)
    for first, score in itertools.product(range(players), scores):
        state = states[0]
        state["players"] = players
        for seat, (points, cards) in enumerate(score):
            state["points"][seat], state["shown"][seat] = points, cards
        end_game(state, first)
        winner, second = sorted(
            range(players), key=lambda seat: (*(-each for each in score[seat]), (seat - first) % players)
        )[:2]
        apart = [mine != other for mine, other in zip(score[winner], score[second], strict=True)]
        reason = ("points" if apart[0] else "cards") if any(apart) else "order"
        assert TOWERS.result.of(state).reason == f"player_{winner + 1}_{reason}"


def test_TT8_1_what_was_taken_openly_is_known():
    towers = Towers().hand(0, "red-strength").display("red-strength").refresh().do("take:red-strength")
    kind = kinds("red-strength")[0]
    worlds = np.repeat(towers.states, 200)
    seats = np.ones(200, dtype=np.int64)
    TOWERS.kernels.sample_worlds(worlds, seats, np.arange(200))
    assert towers.state["known"][0, kind] == 1
    assert (worlds["hand"][:, 0, kind] >= 1).all() and (worlds["hand"][:, 0, kind] >= 2).any()
    assert (worlds["hand"][:, 1] == towers.state["hand"][1]).all()


def test_TT8_1_a_card_laid_is_no_longer_known_to_be_in_the_hand():
    towers = Towers().no_hands().hand(0, "red-strength").at("Fangorn", 3, 2)
    towers.state["known"][0, kinds("red-strength")[0]] = 1
    towers.refresh().do("lay:red-strength")
    assert not towers.state["known"].any()


def test_TT8_2_worlds_deal_all_cards_not_seen_evenly():
    """Each card not seen is in the other hand as often as its share says."""
    towers = Towers().refresh()
    worlds = np.repeat(towers.states, 4000)
    TOWERS.kernels.sample_worlds(worlds, np.zeros(4000, dtype=np.int64), np.arange(4000))
    unseen = towers.state["pile"].astype(int) + towers.state["hand"][1]
    expected = 6 * unseen / unseen.sum()
    assert np.abs(worlds["hand"][:, 1].mean(axis=0) - expected).max() < 0.05
    assert len(KIND_NAMES) == 17 and len(LOCATIONS) == 6


def worlds_of(towers: Towers, seat: int, number: int = 200) -> np.ndarray:
    """Worlds that a seat holds possible, all of them valid positions."""
    worlds = np.repeat(towers.states, number)
    TOWERS.kernels.sample_worlds(worlds, np.full(number, seat), np.arange(number))
    TOWERS.kernels.check(worlds)
    return worlds


def renewed(*names: str, old: str = "blue-wisdom*5") -> Towers:
    """A game of four whose pile was just renewed with these cards; player 2 has others in hand."""
    towers = Towers(4).no_hands().display("gandalf*4")
    state = towers.state
    for name in (*names, *old.split()):
        state["hand"][3][kinds(name)] = 0
    state["pile"] = 0
    state["discard"] = np.bincount(kinds(*names), minlength=len(KIND_NAMES))
    towers.hand(1, *old.split())
    rest = COPIES - state["discard"] - state["display"] - state["hand"].sum(axis=0)
    state["known"] = 0
    state["hand"][3] = state["known"][3] = rest
    reshuffle(state)
    TOWERS.kernels.refresh(towers.states, towers.masks)
    TOWERS.kernels.check(towers.states)
    return towers


def test_TT8_3_the_cards_of_a_renewed_pile_are_in_it():
    towers = renewed("red-strength*3", "green-wisdom*2")
    assert (worlds_of(towers, 0)["pile"] == towers.state["pile"]).all()
    assert "renewed with 3 red strength, 2 green wisdom" in TOWERS.words.position(towers.state)


def test_TT8_3_who_draws_has_cards_of_it_and_the_others_have_not():
    towers = renewed("red-strength*3", "green-wisdom*2").do("take:hidden", "take:hidden", "take:hidden")
    red, green, blue = kinds("red-strength", "green-wisdom", "blue-wisdom")
    worlds = worlds_of(towers, 0)
    assert (worlds["hand"][:, 0] == towers.state["hand"][0]).all()
    for seat, old in ((1, 5), (2, 0)):
        hands = worlds["hand"][:, seat]
        assert (hands[:, blue] == old).all() and (hands[:, red] + hands[:, green] == 1).all()
        assert 0 < hands[:, green].sum() < 200
    assert (worlds["hand"][:, 3] == towers.state["hand"][3]).all()


def test_TT8_3_of_a_pile_of_one_kind_all_know_what_is_drawn():
    towers = renewed("red-strength*2").do("take:hidden")
    assert towers.state["known"][0].tolist() == towers.state["hand"][0].tolist()
    assert towers.state["known"][0, kinds("red-strength")[0]] == 1
    assert not towers.state["drew"].any() and towers.state["pile"].sum() == 1


def test_TT8_3_a_card_shown_can_be_of_either_sort():
    """Player 2 shows a kind of both sorts: it keeps both old cards, or one of them and a new one."""
    towers = renewed("red-strength*3", "green-wisdom*3", old="red-strength blue-wisdom")
    towers.do("take:hidden")
    red, green, blue = kinds("red-strength", "green-wisdom", "blue-wisdom")
    state = towers.state
    state["hand"][1, green] += 1
    state["drew"][1, green] += 1
    state["pile"][green] -= 1
    TOWERS.kernels.refresh(towers.states, towers.masks)
    towers.do("swap:red-strength")
    hands = worlds_of(towers, 0)["hand"][:, 1]
    assert (hands.sum(axis=1) == 2).all()
    assert {tuple(hand) for hand in hands[:, [red, green, blue]].tolist()} == {(1, 0, 1), (0, 1, 1)}


def test_every_rule_has_a_test():
    ids = set(re.findall(r"^- \*\*(TT\d+\.\d+)\*\*", PAGE, re.MULTILINE))
    assert {name.partition(".")[0] for name in ids} == {f"TT{number}" for number in range(1, 9)}
    written = Path(__file__).read_text(encoding="utf-8")
    tested = re.findall(r"^def test_TT(\d+)_(\d+)", written, re.MULTILINE)
    assert {f"TT{major}.{minor}" for major, minor in tested} == ids


def test_the_page_has_every_option():
    for name in TwoTowersRuleset().to_dict():
        assert f"| `{name}` |" in PAGE


def after_turns(games, turns):
    """The ends of random games of three players with a limit."""
    batch = TOWERS.games(games, 1, TOWERS.find_ruleset(f"three:max_turns={turns}"), auto_reset=False)
    while not batch.terminated.all():
        batch.random_steps(8)
    return batch.states


def test_TT7_4_after_the_last_turn_the_points_decide():
    ended = after_turns(64, 40)
    assert (ended["turn"] == 40).all() and (ended["stage"] < 5).all()
    points = ended["points"][:, :3]
    winners = points[np.arange(64), ended["winner"]]
    assert (winners == points.max(axis=1)).all()
    at_start = after_turns(8, 1)
    assert not at_start["points"].any()
    assert (at_start["winner"] == at_start["starter"]).all()  # all are equal: who has the ring
    assert "by laying first at the location scored last" in TOWERS.words.decision(at_start[0])
