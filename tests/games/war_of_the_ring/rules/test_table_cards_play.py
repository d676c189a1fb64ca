"""What table cards do by themselves: lost cards, the Balrog's tile, draws after an event (R6.4.2, R6.5)."""

from __future__ import annotations

import pytest

from tests.positions import Position, card, character, legal, legal_block, play, region, tile
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import (
    CardZone,
    Decision,
    Face,
    Frame,
    HuntCause,
    Phase,
    Side,
    TileZone,
    TurnStage,
)

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
COAT, HORN = "fp-char-05", "fp-char-07"
WORN, CREBAIN, BALROG, PALANTIR = "sh-char-15", "sh-char-16", "sh-char-17", "sh-char-21"
YES_OR_NO = {"verb:accept", "verb:decline"}
EYE = "tile-eye-r-1"


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


# --- sh-char-15, Worn with Sorrow and Toil (D39, R10.6.3). ---


def casualty(*hand: str, tape: tuple[int, ...] = ()) -> Game:
    """The Hunt of a move costs the Fellowship its Guide."""
    position = Position().dice("character character", "army").hunt_box(0, 1).table(WORN)
    position.fellowship("hollin", companions=["strider", "boromir", "peregrin"]).hand(FP, *hand)
    game = play(position.game(6, tile("tile-3-1"), *tape), "face:character", "plan:move-fellowship")
    return play(game, "verb:sacrifice-guide")


def test_sh_char_15_R10_6_3_a_random_character_card_of_the_hand():
    game = casualty("fp-char-09", "fp-char-10", "fp-strat-04", tape=(card("fp-char-10"),))
    assert game.decision == Decision.LOSE_CARD and game.side == SH
    assert legal(game) == {"verb:decline", "verb:random-card"}
    play(game, "verb:random-card")
    assert zone(game, "fp-char-10") == CardZone.DISCARD  # public
    assert zone(game, "fp-char-09") == zone(game, "fp-strat-04") == CardZone.HAND + FP
    assert zone(game, WORN) == CardZone.TABLE  # each casualty again


def test_sh_char_15_a_chosen_character_card_of_the_table():
    position = Position().dice("character character", "army").hunt_box(0, 1)
    position.table(WORN, COAT, HORN, "fp-strat-02").hand(FP, "fp-strat-04")
    position.fellowship("hollin", companions=["strider", "boromir"])
    game = play(position.game(6, tile("tile-3-1")), "face:character", "plan:move-fellowship")
    play(game, "verb:decline", "verb:done", "verb:sacrifice-guide")
    assert legal(game) == {"verb:decline", f"card:{COAT}", f"card:{HORN}"}
    play(game, f"card:{HORN}")
    assert zone(game, HORN) == CardZone.DISCARD and zone(game, COAT) == CardZone.TABLE


def test_sh_char_15_may_be_declined_and_is_not_asked_without_a_card():
    game = play(casualty("fp-char-09"), "verb:decline")
    assert game.decision == Decision.ACTION_DIE and zone(game, "fp-char-09") == CardZone.HAND + FP
    assert casualty("fp-strat-04").decision == Decision.ACTION_DIE


def test_sh_char_15_R10_6_3_comes_after_take_them_alive_and_before_the_new_guide():
    position = Position().dice("character character", "army").hunt_box(0, 1).table(WORN)
    position.fellowship("hollin").hand(FP, "fp-char-09")
    game = position.game(6, tile("tile-1-1"), character("peregrin"), card("fp-char-09"))
    play(game, "face:character", "plan:move-fellowship", "verb:sacrifice-random")
    assert game.decision == Decision.TAKE_THEM_ALIVE
    play(game, "verb:decline")
    assert game.decision == Decision.LOSE_CARD
    play(game, "verb:random-card")
    assert game.decision == Decision.CHOOSE_GUIDE


def test_sh_char_15_nothing_without_a_casualty():
    position = Position().dice("character character", "army").hunt_box(0, 1).table(WORN)
    position.fellowship("hollin", companions=["strider"]).hand(FP, "fp-char-09")
    game = play(position.game(6, tile("tile-3-1")), "face:character", "plan:move-fellowship")
    assert play(game, "verb:take-corruption").decision == Decision.ACTION_DIE


# --- Declarations (R9.5.5): sh-char-15 and sh-char-16 lapse. ---


def declared(position: Position, place: str, *tape: int) -> Game:
    return play(position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game(*tape), f"region:{place}")


@pytest.mark.parametrize("name", [WORN, CREBAIN])
@pytest.mark.parametrize(
    ("place", "control", "stays"),
    [
        ("lorien", FP, False),  # Stronghold
        ("edoras", FP, False),  # City
        ("lorien", SH, True),
        ("bree", FP, True),  # Town
        ("moria", SH, True),
    ],
)
def test_R9_5_5_R6_5_4_sh_char_15_sh_char_16_lapse_in_a_city_or_stronghold(name, place, control, stays):
    position = Position().table(name).fellowship(place).control(place, control)
    assert (zone(declared(position, place), name) == CardZone.TABLE) == stays


def test_R9_5_5_they_stay_when_the_fellowship_is_not_declared():
    position = Position().table(WORN, CREBAIN).fellowship("lorien")
    game = play(position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game(), "verb:decline")
    assert zone(game, WORN) == zone(game, CREBAIN) == CardZone.TABLE


# --- sh-char-17, Balrog of Moria (D41, R9.5.5, R9.6.5). ---


def through_moria(progress: int = 3, **options) -> Position:
    """From Hollin, two steps before Dimrill Dale."""
    position = Position(Ruleset(ask_single=True, **options)).table(BALROG)
    return position.fellowship("hollin", progress=progress, companions=["strider", "legolas"])


@pytest.mark.parametrize("place", ["moria", "dimrill-dale", "lorien"])
def test_R9_5_5_sh_char_17_a_declaration_through_moria_may_draw_a_tile(place):
    game = declared(through_moria(), place, tile("tile-2-1"))
    assert game.decision == Decision.BALROG and game.side == SH and legal(game) == YES_OR_NO
    play(game, "verb:accept")
    assert zone(game, BALROG) == CardZone.DISCARD and game.decision == Decision.HUNT_DAMAGE
    play(game, "verb:take-corruption")
    assert game.state.corruption == 2 and game.state.fellowship_region == region(place)


def test_sh_char_17_may_be_declined_and_stays():
    game = play(declared(through_moria(), "moria"), "verb:decline")
    assert zone(game, BALROG) == CardZone.TABLE and (game.state.tile_zone != TileZone.DRAWN).all()


@pytest.mark.parametrize("place", ["hollin", "fords-of-bruinen", "south-downs"])
def test_sh_char_17_not_on_another_way(place):
    assert declared(through_moria(), place).decision == Decision.HUNT_ALLOCATION


def test_sh_char_17_leaving_moria_counts_staying_does_not():
    position = Position().table(BALROG).fellowship("moria", progress=1, companions=["strider", "legolas"])
    assert declared(position, "dimrill-dale").decision == Decision.BALROG
    position = Position().table(BALROG).fellowship("moria", progress=1, companions=["strider", "legolas"])
    assert declared(position, "moria").decision == Decision.HUNT_ALLOCATION


def test_R9_6_5_a_declared_path_avoids_moria_if_it_is_short_enough():
    position = through_moria().fellowship("rivendell", progress=5)  # over the High Pass
    short = declared(position, "lorien")
    assert short.decision == Decision.BALROG
    long = declared(through_moria().fellowship("rivendell", progress=8), "lorien")
    assert long.decision == Decision.HUNT_ALLOCATION


def test_sh_char_17_the_eye_has_no_effect_and_reveal_works_outside_a_refuge():
    game = play(declared(through_moria(), "moria", tile(EYE)), "verb:accept")
    assert (game.state.revealed, game.state.corruption) == (0, 0)
    game = play(declared(through_moria(), "moria", tile("tile-0-r-1")), "verb:accept")
    assert game.state.revealed == 1 and game.state.fellowship_region == region("moria")


@pytest.mark.parametrize("control", [FP, SH])
def test_sh_char_17_the_reveal_icon_is_ignored_in_a_free_peoples_stronghold(control):
    position = through_moria().control("lorien", control)
    game = play(declared(position, "lorien", tile("tile-0-r-1")), "verb:accept")
    assert game.state.revealed == 0 and game.decision == Decision.HUNT_ALLOCATION


@pytest.mark.parametrize(("control", "revealed_there"), [(FP, 0), (SH, 1)])
def test_RG63_sh_char_17_by_option_only_a_stronghold_that_the_free_peoples_control_hides(
    control, revealed_there
):
    position = through_moria(balrog_shelter="controlled").control("lorien", control)
    game = play(declared(position, "lorien", tile("tile-0-r-1")), "verb:accept")
    assert game.state.revealed == revealed_there and game.decision == Decision.HUNT_ALLOCATION


def test_RG63_sh_char_17_by_option_a_besieged_stronghold_still_hides():
    position = through_moria(balrog_shelter="controlled").army("lorien", elves=1, sauron=2)
    game = play(declared(position, "lorien", tile("tile-0-r-1")), "verb:accept")
    assert game.state.revealed == 0


def at_the_gate(*tape: int) -> Game:
    """Declared at Morannon through Moria; two tiles were drawn before, a special one waits."""
    position = through_moria().fellowship("moria", progress=12)
    position.state.tile_zone[[tile("tile-1-1"), tile("tile-2-1")]] = TileZone.DRAWN
    position.state.tile_zone[tile("tile-sh-2")] = TileZone.WAITING
    return declared(position, "morannon", *tape)


def test_R9_5_6_R11_1_2_sh_char_17_mordor_is_entered_before_the_balrogs_tile():
    game = at_the_gate(tile("tile-1-1"))
    assert game.decision == Decision.BALROG
    assert (game.state.mordor_step, game.state.fellowship_region) == (1, -1)
    play(game, "verb:accept", "verb:take-corruption")
    assert game.state.mordor_step == 1 and game.state.corruption == 1
    assert game.state.tile_zone[tile("tile-1-1")] == TileZone.DRAWN  # out of Mordor's pool, where it was back
    assert game.state.tile_zone[tile("tile-2-1")] == TileZone.POOL
    assert game.decision == Decision.HUNT_ALLOCATION


def test_R10_2_2_sh_char_17_the_balrogs_tile_in_mordor_is_no_move_and_reveals_on_the_track():
    game = play(at_the_gate(tile("tile-0-r-1")), "verb:accept")
    assert (game.state.mordor_step, game.state.revealed) == (1, 1)
    game = play(at_the_gate(tile("tile-sh-2")), "verb:accept")
    assert game.state.mordor_step == 1 and game.state.tile_zone[tile("tile-sh-2")] == TileZone.DRAWN


def revealed(position: Position, place: str, *tape: int) -> Game:
    """A move of the Fellowship that is revealed by a tile of 0."""
    position.dice("character character", "army").hunt_box(0, 1)
    game = position.game(6, tile("tile-0-r-1"), *tape)
    return play(game, "face:character", "plan:move-fellowship", f"region:{place}")


def test_R10_6_5_sh_char_17_when_revealed_the_balrogs_tile_comes_before_the_stronghold_tiles():
    game = revealed(through_moria(), "moria", tile("tile-2-1"), tile("tile-3-1"))
    assert game.decision == Decision.BALROG
    play(game, "verb:accept", "verb:take-corruption")
    assert game.state.corruption == 2 and game.decision == Decision.HUNT_DAMAGE
    play(game, "verb:take-corruption")
    assert game.state.corruption == 5 and game.state.hunt_box[FP] == 1


def test_R9_6_5_sh_char_17_a_revealed_path_takes_fewer_strongholds_first():
    position = through_moria().fellowship("rivendell", progress=4).control("moria", FP)
    assert revealed(position, "dimrill-dale").decision == Decision.BALROG
    game = revealed(through_moria(), "south-downs")
    assert game.decision == Decision.ACTION_DIE


@pytest.mark.parametrize(("stay", "met"), [("free", False), ("tile", True)])
def test_RG62_sh_char_17_by_option_the_balrog_meets_a_fellowship_revealed_where_it_stays(stay, met):
    position = through_moria(stronghold_stay=stay).fellowship("moria")
    position.dice("character", "army").waiting(Frame.HUNT, cause=HuntCause.CARD_TILE)
    game = position.game(tile("tile-0-r-1"), tile("tile-2-1"), tile("tile-3-1"))
    assert (game.decision == Decision.BALROG) == met
    if met:
        play(game, "verb:accept", "verb:take-corruption", "verb:take-corruption")
        assert game.state.corruption == 5  # the Balrog's tile, then the Stronghold's
    assert game.decision == Decision.ACTION_DIE
    declared_there = declared(through_moria(stronghold_stay=stay).fellowship("moria"), "moria")
    assert declared_there.decision == Decision.HUNT_ALLOCATION


def test_sh_char_17_option_declared_paths_that_draw_tiles():
    position = through_moria(stronghold_tile_on="declare_or_reveal")
    game = declared(position, "moria", tile("tile-1-1"), tile("tile-2-1"))
    play(game, "verb:accept", "verb:take-corruption", "verb:take-corruption")
    assert game.state.corruption == 3


# --- After an event (R6.4.2, D42, D43). ---


def after_event(position: Position, name: str, face: Face, *tape: int) -> Game:
    """The card has just been played with a die of this face."""
    position.dice("character", "army")
    return position.waiting(Frame.AFTER_EVENT, card=card(name), face=face).game(*tape)


def guided(guide: str = "gandalf-grey", **options) -> Position:
    return Position(Ruleset(ask_single=True, **options)).fellowship("hollin", guide=guide)


@pytest.mark.parametrize("face", [Face.EVENT, Face.WILL])
def test_R14_1_R6_4_2_gandalf_the_grey_draws_after_a_character_card(face):
    game = after_event(guided(), "fp-char-09", face)
    assert game.decision == Decision.GUIDE_DRAW and game.side == FP and legal(game) == YES_OR_NO
    size = int(game.state.deck_size[0])
    play(game, "verb:accept")
    assert game.state.deck_size[0] == size - 1 and (game.state.card_zone == CardZone.HAND + FP).sum() == 1
    assert game.decision == Decision.ACTION_DIE


def test_R14_1_the_guide_draw_may_be_declined():
    game = play(after_event(guided(), "fp-char-09", Face.EVENT), "verb:decline")
    assert game.decision == Decision.ACTION_DIE and (game.state.card_zone == CardZone.HAND + FP).sum() == 0


@pytest.mark.parametrize(
    ("name", "face", "guide"),
    [
        ("fp-char-09", Face.CHARACTER, "gandalf-grey"),
        ("fp-strat-04", Face.EVENT, "gandalf-grey"),
        ("fp-char-09", Face.EVENT, "strider"),
        ("sh-char-05", Face.EVENT, "gandalf-grey"),
    ],
)
def test_R14_1_no_guide_draw(name, face, guide):
    assert after_event(guided(guide), name, face).decision == Decision.ACTION_DIE


def test_R14_1_R6_2_1_no_guide_draw_from_an_empty_deck():
    position = guided()
    position.state.card_zone[:24] = CardZone.DISCARD
    position.state.deck_size[0] = 0
    assert after_event(position, "fp-char-09", Face.EVENT).decision == Decision.ACTION_DIE


@pytest.mark.parametrize("face", [Face.EVENT, Face.WILL])
@pytest.mark.parametrize(("name", "deck"), [("fp-char-09", 0), ("fp-strat-04", 1)])
def test_R14_1_option_gandalf_draws_from_the_deck_of_any_card_by_an_event_die(name, deck, face):
    options = {"gandalf_grey_guide": "same_deck"}
    game = after_event(guided(**options), name, face)
    size = int(game.state.deck_size[deck])
    assert play(game, "verb:accept").state.deck_size[deck] == size - 1
    by_icon = Face.CHARACTER if deck == 0 else Face.ARMY_MUSTER
    assert after_event(guided(**options), name, by_icon).decision == Decision.ACTION_DIE


@pytest.mark.parametrize("rule", ["character_card", "same_deck"])
@pytest.mark.parametrize(("leaves", "draws"), [("gandalf-grey", False), ("strider", True)])
def test_R14_1_RG46_no_guide_draw_if_gandalf_leaves_by_the_card(leaves, draws, rule):
    position = guided(gandalf_grey_guide=rule).hand(FP, "fp-char-15").dice("event event", "army")
    game = play(position.game(), "face:event", "plan:play-card", "card:fp-char-15", f"character:{leaves}")
    play(game, "verb:done", "region:hollin")
    assert (game.decision == Decision.GUIDE_DRAW) == draws


def test_R6_2_3_a_draw_above_the_limit_is_followed_by_a_discard():
    hand = [f"fp-char-{number:02}" for number in range(10, 16)]
    game = play(after_event(guided().hand(FP, *hand), "fp-char-09", Face.EVENT), "verb:accept")
    assert game.decision == Decision.DISCARD_CARD and len(legal_block(game, "card")) == 7


def with_palantir() -> Position:
    return Position().table(PALANTIR).place("saruman", "orthanc")


@pytest.mark.parametrize(("verb", "deck"), [("verb:character-deck", 2), ("verb:strategy-deck", 3)])
def test_sh_char_21_R6_4_2_an_event_by_an_event_die_draws_from_either_deck(verb, deck):
    game = after_event(with_palantir(), "sh-strat-20", Face.EVENT)
    assert game.decision == Decision.PALANTIR_DRAW and game.side == SH
    assert legal(game) == {"verb:character-deck", "verb:strategy-deck"}
    size = int(game.state.deck_size[deck])
    play(game, verb)
    assert game.state.deck_size[deck] == size - 1 and game.decision == Decision.ACTION_DIE


@pytest.mark.parametrize(
    ("name", "face"),
    [(PALANTIR, Face.EVENT), ("sh-strat-20", Face.MUSTER), ("fp-strat-04", Face.EVENT)],
)
def test_sh_char_21_no_draw_for_itself_for_another_die_or_for_the_enemy(name, face):
    assert after_event(with_palantir(), name, face).decision == Decision.ACTION_DIE


def test_sh_char_21_no_draw_without_the_card_on_the_table():
    position = Position().place("saruman", "orthanc")
    assert after_event(position, "sh-strat-20", Face.EVENT).decision == Decision.ACTION_DIE
