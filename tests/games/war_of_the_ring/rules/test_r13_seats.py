"""Who plays, who leads, and the order of play (R13.1, R13.3, R13.4)."""

from __future__ import annotations

import pytest

from tests.partners import GONDOR, ISENGARD, NATIONS, ROHAN, SAURON, SEATS, Table, asked
from tests.positions import character, legal, legal_block, play, tile, where
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Frame, HuntCause, Phase, Side, TurnStage
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE

FREE_PEOPLES, SHADOW = Side.FREE_PEOPLES, Side.SHADOW

# --- R13.1: the seats. ---


@pytest.mark.parametrize(
    ("players", "names"),
    [
        (2, ["free_peoples", "shadow"]),
        (3, ["free_peoples", "sauron", "isengard"]),
        (4, ["gondor", "sauron", "isengard", "rohan"]),
    ],
)
def test_R13_1_0_two_three_or_four_play(players, names):
    seats = Ruleset(players=players).seats
    assert [seat.name for seat in seats] == names
    assert [seat.team for seat in seats] == SEAT_SIDE[:players].tolist()


@pytest.mark.parametrize("players", [1, 5])
def test_R13_1_0_no_other_number(players):
    with pytest.raises(ValueError, match="players"):
        Ruleset(players=players)


NATIONS_OF = {
    GONDOR: {"gondor", "elves"},
    ROHAN: {"rohan", "north", "dwarves"},
    SAURON: {"sauron"},
    ISENGARD: {"isengard", "southrons"},
}


def at_peace() -> Table:
    table = Table()
    for name in NATIONS:
        table.politics(name, 2)
    return table


@pytest.mark.parametrize("seat", SEATS)
def test_R13_1_1_the_nations_of_each_seat(seat):
    game = at_peace().uses(seat, "muster", "plan:advance-nation")
    assert legal_block(game, "nation") == NATIONS_OF[seat]


def test_R13_1_1_a_lone_free_peoples_player_has_all_of_his_side():
    table = Table(3)
    for name in NATIONS:
        table.politics(name, 2)
    game = table.uses(GONDOR, "muster", "plan:advance-nation")
    assert legal_block(game, "nation") == set(NATIONS[:5])


@pytest.mark.parametrize(
    ("seat", "names"),
    [(SAURON, {"witch-king", "mouth-of-sauron"}), (ISENGARD, {"saruman"})],
)
def test_R13_1_1_R13_5_2_each_brings_his_minions(seat, names):
    table = Table().at_war(*NATIONS).fellowship(mordor_step=1).army("morannon", sauron=1)
    game = table.uses(seat, "muster", "plan:bring-character")
    assert legal_block(game, "character") == names


@pytest.mark.parametrize(("turn", "leaders"), [(1, (GONDOR, SAURON)), (2, (ROHAN, ISENGARD)), (3, (0, 1))])
def test_R13_1_2_the_leaders_change_each_turn(turn, leaders):
    game = Table().turn(turn).phase(Phase.FELLOWSHIP, TurnStage.DECLARE).fellowship(progress=1).game()
    assert asked(game) == ("DECLARE_FELLOWSHIP", leaders[0])
    play(game, "verb:decline")
    while game.decision != Decision.HUNT_ALLOCATION:
        assert asked(game) == ("CHOOSE_GUIDE", leaders[0])
        play(game, sorted(legal(game))[0])
    assert asked(game) == ("HUNT_ALLOCATION", leaders[1])


def test_R13_1_2_three_players_have_a_shadow_leader_only():
    for turn, leader in ((1, SAURON), (2, ISENGARD), (3, SAURON)):
        game = Table(3).turn(turn).phase(Phase.HUNT_ALLOCATION, TurnStage.ALLOCATE).game()
        assert asked(game) == ("HUNT_ALLOCATION", leader)


def test_R13_1_3_a_side_shares_its_dice_but_not_its_hands():
    table = (
        Table().hand(GONDOR, "fp-char-10").hand(ROHAN, "fp-char-12").fellowship(corruption=2, guide="strider")
    )
    game = table.acts(ROHAN, "event will", "event event").game()
    assert legal_block(game, "face") == {"event", "will"}
    play(game, "face:event", "plan:play-card")
    assert legal(game) == {"card:fp-char-12"}
    play(game, "card:fp-char-12", "face:event", "plan:skip")  # Corruption 1; Isengard skips
    assert game.seat == GONDOR and legal_block(game, "face") == {"will"}
    play(game, "face:will", "plan:play-card")
    assert legal(game) == {"card:fp-char-10"}


# --- R13.3: Fellowship and Hunt. ---


def test_R13_3_1_the_leader_chooses_the_guide_after_a_separation_by_his_partner():
    table = Table().fellowship(companions=["gandalf-grey", "boromir", "legolas"])
    game = table.uses(ROHAN, "character", "plan:separate-companions", "character:gandalf-grey", "verb:done")
    assert asked(game) == ("SEPARATE_DESTINATION", ROHAN)
    play(game, "region:rivendell")
    assert asked(game) == ("CHOOSE_GUIDE", GONDOR)


def test_R13_3_1_the_leader_suffers_the_hunt_of_his_partners_move():
    table = Table().fellowship(companions=["boromir"]).hunt_box(0, 1).pool("tile-2-1")
    game = table.acts(ROHAN, "character character", "event event").hunt_box(0, 1).game(6)
    play(game, "face:character", "plan:move-fellowship")
    assert asked(game) == ("HUNT_DAMAGE", GONDOR)
    play(game, "verb:take-corruption")
    assert asked(game) == ("ACTION_DIE", ISENGARD)


def test_R13_3_1_take_them_alive_is_the_leaders():
    table = Table().fellowship("dimrill-dale", companions=["legolas", "meriadoc"])
    table.acts(ROHAN, "character character", "event event").hunt_box(0, 1)
    game = table.game(6, tile("tile-2-1"), character("meriadoc"))
    play(game, "face:character", "plan:move-fellowship", "verb:sacrifice-random")
    assert asked(game) == ("TAKE_THEM_ALIVE", GONDOR)
    play(game, "verb:accept")
    assert asked(game)[1] == GONDOR
    play(game, "region:lorien")
    assert where(game, "meriadoc") == "lorien"


@pytest.mark.parametrize("turn", [1, 2])
def test_RG60_R13_3_1_a_card_of_the_shadow_is_suffered_by_the_leader(turn):
    table = Table().turn(turn).fellowship(revealed=True, companions=["boromir", "legolas"])
    game = table.hand(ISENGARD, "sh-char-13").acts(ISENGARD).game()
    play(game, "face:event", "plan:play-card", "card:sh-char-13")
    assert asked(game) == ("EVENT_OPTION", GONDOR if turn == 1 else ROHAN)


@pytest.mark.parametrize("seat", [GONDOR, ROHAN])
def test_R13_3_1_both_move_hide_separate_and_lead_companions(seat):
    table = Table().fellowship(companions=["boromir"]).place("legolas", "rivendell")
    game = table.uses(seat, "character")
    plans = {"move-fellowship", "separate-companions", "move-companions"}
    assert plans <= legal_block(game, "plan")
    game = Table().fellowship(companions=["boromir"], revealed=True).uses(seat, "character")
    assert "hide-fellowship" in legal_block(game, "plan")


@pytest.mark.parametrize("seat", [GONDOR, ROHAN])
def test_RG53_R13_3_1_both_bring_aragorn(seat):
    table = Table().place("strider", "minas-tirith").at_war(*NATIONS)
    game = table.uses(seat, "will", "plan:bring-character")
    assert legal(game) == {"character:aragorn"}


@pytest.mark.parametrize("turn", [1, 2])
def test_RG53_R13_3_2_table_cards_of_the_hunt_are_the_leaders(turn):
    table = Table().turn(turn).table("sh-char-16", "fp-char-05").hunt_box(0, 1)
    game = table.waiting(Frame.HUNT, cause=HuntCause.MOVE).acts(ROHAN).hunt_box(0, 2).game(6, 6)
    assert asked(game) == ("FLOCKS_OF_CREBAIN", SAURON if turn == 1 else ISENGARD)
    play(game, "verb:decline")
    assert asked(game) == ("MITHRIL_COAT", GONDOR if turn == 1 else ROHAN)


@pytest.mark.parametrize("seat", [SAURON, ISENGARD])
def test_R13_3_2_both_play_cards_of_the_hunt(seat):
    table = Table().fellowship("weather-hills").hand(seat, "sh-char-05").acts(seat)
    game = play(table.game(), "face:event", "plan:play-card")
    assert legal(game) == {"card:sh-char-05"}


# --- R13.4: the order of play. ---


def skip(game: Game) -> int:
    """Whoever acts skips a die; returns who it was."""
    seat = int(game.seat)
    assert game.decision == Decision.ACTION_DIE
    play(game, "face:event", "plan:skip")
    return seat


def test_R13_4_1_partners_who_do_not_lead_come_first():
    game = Table().acts(ROHAN, "event " * 4, "event " * 7).game()
    game.state.next_seat[SHADOW] = ISENGARD
    assert [skip(game) for _ in range(8)] == [ROHAN, ISENGARD, GONDOR, SAURON] * 2


@pytest.mark.parametrize(("turn", "order"), [(1, [3, 2, 0, 1]), (2, [0, 1, 3, 2])])
def test_R13_4_1_a_turn_begins_with_him_who_does_not_lead(turn, order):
    table = Table().turn(turn).phase(Phase.DRAW, TurnStage.DRAW).fellowship(companions=["boromir"])
    game = table.game()
    while game.decision != Decision.ACTION_DIE:
        play(game, min(legal(game)))
    seats = []
    while len(seats) < 4:
        seats.append(int(game.seat))
        play(game, f"face:{min(legal_block(game, 'face'))}", "plan:skip")
    assert seats == order


def test_R13_4_2_who_passes_keeps_his_turn():
    game = Table().acts(ROHAN, "event event", "event " * 4).game()
    game.state.next_seat[SHADOW] = ISENGARD
    play(game, "verb:pass")
    assert skip(game) == ISENGARD
    assert asked(game) == ("ACTION_DIE", ROHAN)
    assert [skip(game) for _ in range(3)] == [ROHAN, SAURON, GONDOR]


def test_R13_4_2_a_pass_asks_for_fewer_dice_of_the_side():
    game = Table().acts(ROHAN, "event event", "event event").game()
    assert "verb:pass" not in legal(game)


def test_R13_4_3_when_one_side_has_no_dice_the_others_go_on_in_turn():
    game = Table().acts(ISENGARD, "event", "event " * 5).game()
    game.state.next_seat[FREE_PEOPLES] = ROHAN
    order = [skip(game) for _ in range(6)]
    assert order == [ISENGARD, ROHAN, SAURON, ISENGARD, SAURON, ISENGARD]


def test_R13_4_4_one_ring_a_turn_for_both():
    game = Table().rings(3, 0).acts(ROHAN, "event event", "event event").game()
    game.state.next_seat[SHADOW] = ISENGARD
    play(game, "verb:use-ring", "face:event", "face:muster")
    assert asked(game) == ("ACTION_DIE", ROHAN)
    skip(game)
    skip(game)
    assert asked(game) == ("ACTION_DIE", GONDOR) and "verb:use-ring" not in legal(game)
    assert game.state.rings.tolist() == [2, 1]


def test_R13_4_4_the_ring_is_the_acting_players():
    game = Table().rings(3, 0).acts(GONDOR, "event event", "event event").game()
    assert game.seat == GONDOR and "verb:use-ring" in legal(game)
