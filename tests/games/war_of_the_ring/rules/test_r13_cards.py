"""Hands, draws, the exchange, and whose card may be played (R13.2)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.partners import GONDOR, ISENGARD, NATIONS, ROHAN, SAURON, Table, asked
from tests.positions import card, figures_at, legal, legal_block, nation, play
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Frame, Phase, Side, TurnStage
from wotr_env.games.war_of_the_ring.components import CARD_IDS
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE


def hand(game: Game, seat: int) -> set[str]:
    return {CARD_IDS[index] for index in np.flatnonzero(game.state.card_zone == CardZone.HAND + seat)}


def turn_begins(players: int = 4, turn: int = 2, **options: object) -> Table:
    return Table(players, **options).turn(turn).phase(Phase.DRAW, TurnStage.DRAW)


# --- Draws and the limit. ---


@pytest.mark.parametrize("players", [3, 4])
def test_R13_2_1_in_turn_1_each_draws_from_both_decks(players):
    game = turn_begins(players, turn=1).game()
    assert asked(game) == ("EXCHANGE_CARD", GONDOR if players == 4 else SAURON)
    if players == 4:  # the Free Peoples first
        play(game, "verb:decline")
        assert asked(game) == ("EXCHANGE_CARD", SAURON)
    backs = ["fp-char", "fp-strat"], ["sh-char", "sh-strat"]
    for seat in range(players):
        drawn = sorted(name.rsplit("-", 1)[0] for name in hand(game, seat))
        assert drawn == backs[SEAT_SIDE[seat]]


def test_RG49_R13_2_1_later_each_draws_one_from_the_deck_of_his_choice():
    game = turn_begins(turn=2).game()
    order = []
    while game.decision == Decision.DRAW_DECK:
        assert legal(game) == {"verb:character-deck", "verb:strategy-deck"}
        order.append(int(game.seat))
        play(game, "verb:character-deck" if game.seat < 2 else "verb:strategy-deck")
        if game.decision == Decision.EXCHANGE_CARD:
            play(game, "verb:decline")
    assert order == [ROHAN, GONDOR, ISENGARD, SAURON]  # the leader first
    assert [len(hand(game, seat)) for seat in range(4)] == [1, 1, 1, 1]
    assert min(hand(game, ROHAN)).startswith("fp-strat") and min(hand(game, SAURON)).startswith("sh-char")


def test_R13_2_1_the_deck_that_is_left_or_none():
    table = turn_begins(turn=2)
    table.state.card_zone[:24] = CardZone.DISCARD
    table.state.deck_size[0] = 0
    game = table.game()
    assert legal(game) == {"verb:strategy-deck"}
    table.state.card_zone[24:48] = CardZone.DISCARD
    table.state.deck_size[1] = 0
    assert asked(table.game()) == ("DRAW_DECK", ISENGARD)


@pytest.mark.parametrize(("limit", "kept"), [(6, 4), (3, 3)])
def test_R13_2_2_four_cards_are_kept_before_any_exchange(limit, kept):
    table = turn_begins(turn=3, hand_limit=limit)
    cards = [f"fp-strat-{n:02}" for n in range(1, kept + 1)]
    table.hand(GONDOR, *cards).hand(ROHAN, "fp-strat-20")
    game = play(table.game(), "verb:strategy-deck")
    assert asked(game) == ("DISCARD_CARD", GONDOR) and len(legal(game)) == kept + 1
    play(game, f"card:{cards[0]}")
    assert asked(game) == ("DRAW_DECK", ROHAN)
    assert game.state.card_zone[card(cards[0])] == CardZone.FACE_DOWN + GONDOR
    play(game, "verb:strategy-deck")
    assert asked(game) == ("EXCHANGE_CARD", GONDOR)


# --- The exchange. ---


def exchange() -> Game:
    table = turn_begins(turn=2)
    table.hand(ROHAN, "fp-strat-09").hand(GONDOR, "fp-strat-14")
    table.state.deck_size[:] = 0
    zones = table.state.card_zone
    zones[zones < 24] = CardZone.DISCARD
    return table.game()


def test_RG50_R13_2_3_both_agree_and_each_gives_one_card_unseen():
    game = exchange()
    assert asked(game) == ("EXCHANGE_CARD", ROHAN) and legal(game) == {"verb:accept", "verb:decline"}
    play(game, "verb:accept")
    assert asked(game) == ("EXCHANGE_CARD", GONDOR)
    play(game, "verb:accept")
    assert asked(game) == ("OFFER_CARD", ROHAN) and legal(game) == {"card:fp-strat-09"}
    play(game, "card:fp-strat-09")
    assert asked(game) == ("OFFER_CARD", GONDOR) and legal(game) == {"card:fp-strat-14"}
    play(game, "card:fp-strat-14")
    assert hand(game, ROHAN) == {"fp-strat-14"} and hand(game, GONDOR) == {"fp-strat-09"}
    assert game.decision != Decision.EXCHANGE_CARD  # once


@pytest.mark.parametrize("answers", [("verb:decline",), ("verb:accept", "verb:decline")])
def test_R13_2_3_one_refusal_ends_it(answers):
    game = play(exchange(), *answers)
    assert game.decision not in (Decision.EXCHANGE_CARD, Decision.OFFER_CARD)
    assert hand(game, ROHAN) == {"fp-strat-09"} and hand(game, GONDOR) == {"fp-strat-14"}


def test_R13_2_3_nobody_is_asked_if_one_has_no_card():
    table = turn_begins(turn=2).hand(ROHAN, "fp-strat-09")
    table.state.deck_size[:] = 0
    zones = table.state.card_zone
    zones[zones < 24] = CardZone.DISCARD
    game = table.game()
    assert game.decision not in (Decision.EXCHANGE_CARD, Decision.OFFER_CARD)


def test_RG50_R13_2_3_the_giver_remembers_until_a_card_is_put_face_down():
    game = play(exchange(), "verb:accept", "verb:accept", "card:fp-strat-09", "card:fp-strat-14")
    given = {index for index in range(96) if int(game.state.given[index // 32]) >> index % 32 & 1}
    assert given == {card("fp-strat-09"), card("fp-strat-14")}
    table = Table().hand(GONDOR, "fp-strat-09", "fp-strat-14", "fp-strat-15", "fp-strat-18")
    table.state.given[1] |= 1 << card("fp-strat-09") - 32
    game = table.uses(GONDOR, "event", "plan:draw-card", "verb:strategy-deck", "card:fp-strat-18")
    assert game.state.given.tolist() == [0, 0, 0]


def test_R13_2_3_three_players_exchange_on_the_shadow_side_only():
    game = turn_begins(3, turn=2).game()
    kinds = []
    while game.state.phase == Phase.DRAW:
        kinds.append(asked(game))
        play(game, "verb:accept" if game.decision == Decision.EXCHANGE_CARD else min(legal(game)))
    assert kinds == [
        ("DRAW_DECK", ISENGARD),
        ("DRAW_DECK", SAURON),
        ("EXCHANGE_CARD", ISENGARD),
        ("EXCHANGE_CARD", SAURON),
        ("OFFER_CARD", ISENGARD),
        ("OFFER_CARD", SAURON),
    ]


# --- Drawing and playing. ---


@pytest.mark.parametrize("seat", range(4))
def test_R13_2_4_an_event_die_draws_for_who_acts(seat):
    game = Table().uses(seat, "event", "plan:draw-card", "verb:strategy-deck")
    assert [len(hand(game, each)) for each in range(4)] == [each == seat for each in range(4)]


def ready() -> Table:
    """Everybody at war and in place, so that only R13.2.5 stands in the way."""
    table = Table().at_war(*NATIONS).fellowship("weather-hills", companions=["peregrin"])
    table.place("saruman", "orthanc").place("witch-king", "minas-morgul").place("boromir", "minas-tirith")
    return table.army("orthanc", isengard=2).army("minas-morgul", sauron=2).army("umbar", southrons=2)


G, R, S, I = {GONDOR}, {ROHAN}, {SAURON}, {ISENGARD}  # noqa: E741


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        ("fp-char-17", G | R),  # the Dwarves, the Elves and the North
        ("fp-char-23", G),
        ("fp-strat-02", G),  # the Elves
        ("fp-strat-03", R),  # the North
        ("fp-strat-04", R),  # the Dwarves
        ("fp-strat-08", G | R),  # one's own nation
        ("fp-strat-09", R),
        ("fp-strat-14", G),
        ("fp-strat-15", G),
        ("fp-strat-16", R),
        ("fp-strat-20", R),
        ("fp-strat-22", R),
        ("fp-char-09", G | R),  # no nation
        ("sh-char-18", S | I),
        ("sh-char-21", I),  # Saruman
        ("sh-char-22", I),
        ("sh-char-24", S),  # the Witch-king
        ("sh-strat-09", S | I),
        ("sh-strat-11", I),
        ("sh-strat-12", S),
        ("sh-strat-13", I),
        ("sh-strat-15", S),
        ("sh-strat-16", I),
        ("sh-strat-17", I),
        ("sh-strat-19", S),
        ("sh-strat-21", I),
        ("sh-strat-23", S | I),
        ("sh-strat-24", S),
    ],
)
def test_R13_2_5_cards_of_nations_and_characters_are_their_players(name, seats):
    players = {GONDOR, ROHAN} if name.startswith("fp") else {SAURON, ISENGARD}
    may = set()
    for seat in players:
        game = ready().hand(seat, name).uses(seat, "event")
        if "play-card" in legal_block(game, "plan"):
            may.add(seat)
    assert may == seats


@pytest.mark.parametrize(("seat", "place"), [(SAURON, "nurn"), (ISENGARD, "gorgoroth")])
def test_RU52_R13_2_5_R13_5_1_a_card_of_two_nations_recruits_for_the_players_own(seat, place):
    game = ready().hand(seat, "sh-strat-23").uses(seat, "event", "plan:play-card", "card:sh-strat-23")
    while game.decision == Decision.EVENT_REGION:
        play(game, min(legal(game)))
    recruits = {name: figures_at(game, name) for name in ("nurn", "gorgoroth")}
    own = {"nurn": {"sauron": 5}, "gorgoroth": {"southrons": 5}}
    assert recruits == {name: own[name] if name == place else {} for name in recruits}


@pytest.mark.parametrize(("seat", "moved"), [(GONDOR, {"elves"}), (ROHAN, {"dwarves", "north"})])
def test_RU52_R13_2_5_R13_5_1_a_card_advances_the_players_own_nations(seat, moved):
    table = Table().place("gimli", "dale").fellowship("rivendell").hand(seat, "fp-char-17")
    for name in ("dwarves", "elves", "north"):
        table.politics(name, 2, active=name == "elves")
    game = table.uses(seat, "event", "plan:play-card", "card:fp-char-17", "character:boromir", "verb:done")
    play(game, "region:rivendell")
    while game.decision != Decision.ACTION_DIE:
        play(game, min(legal(game)))
    for name in ("dwarves", "elves", "north"):
        assert game.state.steps_to_war[nation(name)] == (1 if name in moved else 2)
        assert game.state.active[nation(name)] == (name in moved or name == "elves")


@pytest.mark.parametrize(("seat", "names"), [(GONDOR, {"gondor", "elves"}), (ROHAN, {"rohan"})])
def test_R13_2_5_wisdom_of_elrond_is_for_ones_own_nation(seat, names):
    table = Table().hand(seat, "fp-strat-08").at_war("north", "dwarves")
    game = table.uses(seat, "event", "plan:play-card", "card:fp-strat-08")
    assert legal_block(game, "nation") == names


@pytest.mark.parametrize(
    ("more", "seat"), [({"sauron": 3, "isengard": 2}, SAURON), ({"isengard": 3}, ISENGARD)]
)
def test_RG52_R13_2_6_combat_cards_come_from_the_hand_of_who_commands(more, seat):
    table = (
        Table().at_war(*NATIONS).army("osgiliath", **{"sauron": 1, **more}).mixed(Side.SHADOW, "osgiliath")
    )
    table.army("minas-tirith", gondor=1, rohan=2)
    table.hand(SAURON, "sh-strat-01").hand(ISENGARD, "sh-strat-02")
    table.hand(GONDOR, "fp-strat-01").hand(ROHAN, "fp-strat-02")
    game = table.uses(
        seat, "army", "plan:attack", "region:osgiliath", "region:minas-tirith", "verb:whole-army"
    )
    play(game, "verb:fight")
    seats = []
    while game.decision == Decision.COMBAT_CARD:
        seats.append(int(game.seat))
        held = hand(game, int(game.seat))
        assert legal_block(game, "card") <= held
        play(game, "verb:decline")
    assert seats == [seat, ROHAN]


def test_R13_2_2_R13_7_2_the_hand_of_a_lone_player_has_the_limit_of_two_players():
    cards = [f"fp-strat-{n:02}" for n in range(1, 7)]
    game = Table(3).hand(GONDOR, *cards).uses(GONDOR, "event", "plan:draw-card", "verb:strategy-deck")
    assert asked(game) == ("DISCARD_CARD", GONDOR) and len(legal(game)) == 7
    cards = [f"sh-strat-{n:02}" for n in range(1, 5)]
    game = Table(3).hand(SAURON, *cards).uses(SAURON, "event", "plan:draw-card", "verb:strategy-deck")
    assert asked(game) == ("DISCARD_CARD", SAURON) and len(legal(game)) == 5


def test_RG59_R13_3_2_a_random_card_is_of_either_hand():
    lost = set()
    for seed in range(16):
        table = (
            Table(seed=seed).hand(GONDOR, "fp-char-10", "fp-strat-01").hand(ROHAN, "fp-char-12", "fp-char-13")
        )
        game = table.acts(GONDOR).waiting(Frame.LOSE_CARD).game()
        assert asked(game) == ("LOSE_CARD", SAURON)
        play(game, "verb:random-card")
        lost |= set(np.flatnonzero(game.state.card_zone == CardZone.DISCARD).tolist())
    assert lost == {card("fp-char-10"), card("fp-char-12"), card("fp-char-13")}
