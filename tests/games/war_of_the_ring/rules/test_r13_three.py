"""Three players: one for the Free Peoples against two (R13.7)."""

from __future__ import annotations

import pytest

from tests.partners import GONDOR, ISENGARD, NATIONS, SAURON, Table, asked
from tests.positions import figures_at, legal, legal_block, play, region
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import Phase, Side, TurnStage

FREE_PEOPLES, SHADOW = Side.FREE_PEOPLES, Side.SHADOW
FP = GONDOR


# --- R13.7.1, R13.7.2: order, draws, hands. ---


@pytest.mark.parametrize(
    ("turn", "order"), [(1, [FP, ISENGARD, FP, SAURON]), (2, [FP, SAURON, FP, ISENGARD])]
)
def test_R13_7_1_the_free_peoples_play_between_the_shadows_players(turn, order):
    table = Table(3).turn(turn).acts(FP, "event " * 4, "event " * 4)
    table.state.next_seat[SHADOW] = order[1]
    game = table.game()
    seats = []
    for _ in range(8):
        seats.append(int(game.seat))
        play(game, "face:event", "plan:skip")
    assert seats == order * 2


@pytest.mark.parametrize("turn", [1, 2])
def test_R13_7_2_the_free_peoples_draw_two_cards_each_turn(turn):
    table = Table(3).turn(turn).phase(Phase.DRAW, TurnStage.DRAW)
    table.hand(FP, *(f"fp-strat-{n:02}" for n in range(1, 6)))
    game = table.game()
    assert asked(game) == ("DISCARD_CARD", FP) and len(legal(game)) == 7
    play(game, "card:fp-strat-01")
    assert game.seat in (SAURON, ISENGARD)


# --- R13.7.3: no nation twice in a row. ---


def war() -> Table:
    return Table(3).at_war(*NATIONS).fellowship("rivendell", companions=["peregrin"])


def begin(table: Table, dice: str) -> Game:
    return table.acts(FP, dice, "event event event").game()


def pause(game: Game) -> Game:
    """The Shadow skips a die."""
    assert game.seat in (SAURON, ISENGARD)
    return play(game, "face:event", "plan:skip")


def after(table: Table, *first: str, dice: str = "army_muster will") -> Game:
    """The Free Peoples' second action, with a Will of the West, after these choices of the first."""
    game = pause(play(begin(table, dice), *first))
    return play(game, "face:will")


def gondor_and_rohan() -> Table:
    return war().army("osgiliath", gondor=3).army("edoras", rohan=3).army("fangorn", gondor=1, rohan=1)


MOVE_GONDOR = (
    "face:army-muster",
    "plan:move-armies",
    "region:osgiliath",
    "region:minas-tirith",
    "verb:whole-army",
)


def test_R13_7_3_a_nation_moved_does_not_move_again():
    game = after(gondor_and_rohan(), *MOVE_GONDOR, "verb:done")
    play(game, "plan:move-armies")
    assert legal_block(game, "region") == {"edoras", "fangorn"}


def test_R13_7_3_recruiting_then_moving():
    recruit = ("face:army-muster", "plan:recruit", "figure:gondor-elite", "region:minas-tirith")
    game = play(after(gondor_and_rohan(), *recruit), "plan:move-armies")
    assert legal_block(game, "region") == {"edoras", "fangorn"}


def test_R13_7_3_moving_then_recruiting():
    game = play(after(gondor_and_rohan(), *MOVE_GONDOR, "verb:done"), "plan:recruit")
    assert {name.split("-")[0] for name in legal_block(game, "figure")} == {
        "elves",
        "rohan",
        "north",
        "dwarves",
    }


def test_R13_7_3_moving_then_attacking():
    table = gondor_and_rohan().army("south-ithilien", sauron=1)
    table.army("fords-of-isen", sauron=1).army("westemnet", rohan=1)
    move = ("region:osgiliath", "region:minas-tirith", "figure:gondor-regular", "verb:done", "verb:done")
    game = after(table, "face:army-muster", "plan:move-armies", *move)
    play(game, "plan:attack")
    assert legal_block(game, "region") == {"westemnet", "fangorn"}
    play(game, "region:fangorn", "region:fords-of-isen", "figure:gondor-regular")
    assert legal(game) == {"figure:rohan-regular"}


def test_R13_7_3_attacking_then_moving():
    table = gondor_and_rohan().army("south-ithilien", sauron=5)
    attack = ("plan:attack", "region:osgiliath", "region:south-ithilien", "verb:whole-army")
    game = table.acts(FP, "army_muster will", "event event event").game(*[1] * 10)
    game = pause(play(game, "face:army-muster", *attack, "verb:cease"))
    play(game, "face:will", "plan:move-armies")
    assert legal_block(game, "region") == {"edoras", "fangorn"}


def test_R13_7_3_advancing_twice():
    table = Table(3).fellowship("rivendell", companions=["peregrin"])
    for name in NATIONS[:5]:
        table.politics(name, 3)
    game = after(table, "face:muster", "plan:advance-nation", "nation:gondor", dice="muster will")
    play(game, "plan:advance-nation")
    assert legal_block(game, "nation") == {"dwarves", "elves", "north", "rohan"}


def test_R13_7_3_a_companions_ability_counts():
    table = Table(3).place("boromir", "minas-tirith").politics("gondor", 2).politics("rohan", 2)
    game = after(table, "face:muster", "plan:advance-nation", "nation:gondor", dice="muster will")
    assert "companion-advance" not in legal_block(game, "plan")


def test_R13_7_3_two_nations_of_one_army_result_are_both_barred():
    second = ("region:edoras", "region:westemnet", "verb:whole-army")
    game = after(gondor_and_rohan(), *MOVE_GONDOR, *second)
    play(game, "plan:move-armies")
    assert legal_block(game, "region") == {"fangorn"}  # the mixed army


def test_GX34_R13_7_3_a_mixed_army_may_follow_one_of_its_nations_but_only_as_such():
    """The example of the rules: Gondor, then Gondor with Rohan."""
    game = after(gondor_and_rohan(), *MOVE_GONDOR, "verb:done")
    play(game, "plan:move-armies", "region:fangorn", "region:eastemnet")
    assert legal_block(game, "figure") == {"gondor-regular", "rohan-regular"}
    play(game, "figure:gondor-regular")
    assert legal(game) == {"figure:rohan-regular"}  # not Gondor alone
    play(game, "figure:rohan-regular")
    assert "verb:done" in legal(game)


MOVE_MIXED = ("face:army-muster", "plan:move-armies", "region:fangorn", "region:eastemnet", "verb:whole-army")


def test_R13_7_3_the_same_mixed_army_does_not_move_twice():
    game = play(after(gondor_and_rohan(), *MOVE_MIXED, "verb:done"), "plan:move-armies")
    assert legal_block(game, "region") == {"osgiliath", "edoras", "eastemnet"}
    play(game, "region:eastemnet", "region:fangorn")
    assert "verb:whole-army" not in legal(game)
    play(game, "figure:gondor-regular")  # a part of one nation is another army (the reverse)
    assert legal(game) == {"verb:done"}


def test_R13_7_3_a_different_mixed_army_may():
    table = gondor_and_rohan().army("westemnet", gondor=1, rohan=1)
    game = play(after(table, *MOVE_MIXED, "verb:done"), "plan:move-armies", "region:westemnet")
    play(game, "region:folde")
    assert "verb:whole-army" in legal(game)


def test_R13_7_3_a_mixed_army_that_advanced_is_the_same():
    table = war().army("fangorn", gondor=2, rohan=2, gondor_leader=1).army("eastemnet", sauron=1)
    game = table.acts(FP, "army_muster will", "event event event").game(6, 6, 6, 6, 1)
    play(game, "face:army-muster", "plan:attack", "region:fangorn", "region:eastemnet", "verb:whole-army")
    while "figure:sauron-regular" in legal(game):
        play(game, "figure:sauron-regular")
    play(game, "verb:whole-army")
    assert figures_at(game, "eastemnet") == {"gondor": 2, "rohan": 2, "gondor_leader": 1}
    play(pause(game), "face:will", "plan:move-armies", "region:eastemnet", "region:fangorn")
    assert "verb:whole-army" not in legal(game)


def test_R13_7_3_a_mixed_army_that_retreated_is_the_same():
    table = war().army("fangorn", gondor=2, rohan=2).army("western-brown-lands", sauron=5)
    table.acts(FP, "army_muster will", "army event event").state.next_seat[SHADOW] = SAURON
    game = table.game(*[1] * 10)
    play(
        game, "face:army-muster", "plan:move-armies", "region:fangorn", "region:eastemnet", "verb:whole-army"
    )
    play(
        game, "face:army", "plan:attack", "region:western-brown-lands", "region:eastemnet", "verb:whole-army"
    )
    play(game, "verb:continue")
    assert asked(game) == ("RETREAT", FP)
    play(game, "region:fangorn")
    play(game, "verb:decline")  # the Shadow does not advance
    assert game.seat == FP and game.state.spent_armies[0, 0] == region("fangorn") + 1
    play(game, "face:will", "plan:move-armies", "region:fangorn", "region:eastemnet")
    assert "verb:whole-army" not in legal(game)


@pytest.mark.parametrize("between", [("face:event", "plan:skip"), ("face:character", "plan:move-fellowship")])
def test_R13_7_3_an_action_without_a_nation_breaks_the_sequence(between):
    face = between[0][5:]
    game = pause(play(begin(gondor_and_rohan(), f"army_muster {face} will"), *MOVE_GONDOR, "verb:done"))
    game = pause(play(game, *between))
    play(game, "face:will", "plan:move-armies")
    assert "minas-tirith" in legal_block(game, "region")


def test_RG57_R13_7_3_a_pass_does_not():
    table = gondor_and_rohan().acts(FP, "army_muster will", "event " * 4)
    game = pause(play(table.game(), *MOVE_GONDOR, "verb:done"))
    pause(play(game, "verb:pass"))
    play(game, "face:will", "plan:move-armies")
    assert "minas-tirith" not in legal_block(game, "region")


def test_RU49_R13_7_3_a_card_that_names_the_nation_counts():
    table = gondor_and_rohan().hand(FP, "fp-strat-14", "fp-strat-18", "fp-strat-09", "fp-char-17")
    first = ("face:event", "plan:play-card", "card:fp-strat-14", "region:minas-tirith")
    first += ("figure:gondor-regular",)
    game = after(table, *first, dice="event will")
    play(game, "plan:play-card")
    assert legal(game) == {"card:fp-strat-09", "card:fp-char-17"}
    game = after(table, *MOVE_GONDOR, "verb:done")
    play(game, "plan:play-card")
    assert legal(game) == {"card:fp-strat-09", "card:fp-char-17"}


def test_R13_7_3_a_card_that_carries_an_army_is_spent_on_its_nations():
    """Paths of the Woses names Rohan and takes Gondor's units along from Edoras: a mixed army."""
    table = war().army("edoras", gondor=1, rohan=1, elves=1).hand(FP, "fp-strat-11")
    first = ("face:event", "plan:play-card", "card:fp-strat-11", "region:edoras", "region:minas-tirith")
    game = after(table, *first, "figure:gondor-regular", "verb:done", dice="event will")
    assert "minas-tirith" not in legal_block(play(game, "plan:move-armies"), "region")


def test_RG57_R13_7_3_nothing_is_barred_in_a_new_turn():
    game = begin(gondor_and_rohan(), "army_muster")
    play(game, *MOVE_GONDOR, "verb:done")
    while game.state.turn == 1:
        play(game, min(legal(game)))
    assert game.state.spent_nations.tolist() == [0, 0] and not game.state.spent_armies.any()


@pytest.mark.parametrize("players", [2, 4])
def test_R13_7_3_is_a_rule_of_three_players(players):
    table = Table(players).at_war(*NATIONS).fellowship("rivendell", companions=["peregrin"])
    table.army("osgiliath", gondor=3)
    game = begin(table, "army_muster will")
    play(game, *MOVE_GONDOR)
    assert not game.state.spent_nations.any()


def test_R13_7_3_the_shadow_may_use_a_nation_twice():
    table = war().army("dagorlad", sauron=2).acts(SAURON, "event", "army army army")
    game = play(table.game(), "face:army", "plan:move-armies", "region:dagorlad", "region:noman-lands")
    play(game, "verb:whole-army", "face:event", "plan:skip", "face:army", "plan:skip", "face:army")
    assert game.seat == SAURON
    assert "noman-lands" in legal_block(play(game, "plan:move-armies"), "region")


def test_R13_7_3_a_part_needs_room_for_the_other_nation():
    """Nine units stand there: there is room for one, and Gondor alone is barred."""
    table = war().army("osgiliath", gondor=3).army("fangorn", gondor=1, rohan=1).army("eastemnet", north=9)
    game = after(table, *MOVE_GONDOR, "verb:done")
    play(game, "plan:move-armies", "region:fangorn", "region:eastemnet")
    assert legal(game) == {"figure:rohan-regular"}


def test_R13_7_3_no_part_at_all():
    table = war().army("osgiliath", gondor=3).army("fangorn", gondor=2)
    game = after(table, *MOVE_GONDOR, "verb:done")
    assert "move-armies" not in legal_block(game, "plan")
