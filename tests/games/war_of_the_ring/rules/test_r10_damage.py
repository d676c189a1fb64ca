"""What a Hunt tile does: reactions, damage, casualties, being revealed (R10.5, R10.6)."""

from __future__ import annotations

import pytest

from tests.positions import Position, character, legal, legal_block, play, region, tile
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Location, Reason, Side, TileZone, Winner

EYE = "tile-eye-r-1"
HOBBITS = ("meriadoc", "peregrin")
NEAR_HELMS_DEEP = {"fords-of-isen", "westemnet", "helms-deep"}
WITHIN_2_OF_HELMS_DEEP = NEAR_HELMS_DEEP | {
    "druwaith-iaur",
    "eastemnet",
    "edoras",
    "fangorn",
    "folde",
    "gap-of-rohan",
    "orthanc",
}


def hunted(*inside: str, place: str = "rivendell", **options) -> Position:
    """A Fellowship about to move, with one Shadow die in the Hunt Box; all seven Companions by default."""
    position = Position(Ruleset(ask_single=True, **options)).dice("character character", "army")
    return position.hunt_box(0, 1).fellowship(place, companions=inside or None)


def move(position: Position, tile_id: str, *tape: int) -> Game:
    """The Fellowship moves, the Hunt succeeds with one die, and this tile is drawn."""
    return play(position.game(6, tile(tile_id), *tape), "face:character", "plan:move-fellowship")


def where(game: Game, name: str) -> int:
    return int(game.state.location[character(name)])


# --- The Guide's ability (R10.5.4), before the damage is settled (R10.5.5). ---


def test_R10_5_4_a_hobbit_who_guides_may_leave_and_lowers_the_damage():
    game = move(hunted(*HOBBITS, place="helms-deep").fellowship(guide="meriadoc"), "tile-2-1")
    assert legal(game) == {"verb:done", "verb:guide-ability", "verb:both-hobbits"}
    play(game, "verb:guide-ability")
    assert game.decision == Decision.SEPARATE_DESTINATION and game.side == Side.FREE_PEOPLES
    assert legal_block(game, "region") == WITHIN_2_OF_HELMS_DEEP  # progress 1 + Level 1
    play(game, "region:edoras")
    assert where(game, "meriadoc") == region("edoras")
    assert game.state.hunt_damage == 1 and game.state.guide == character("peregrin")


def test_R10_5_4_the_other_hobbit_may_follow_as_the_new_guide():
    game = move(hunted(*HOBBITS, place="helms-deep").fellowship(guide="peregrin"), "tile-3-1")
    play(game, "verb:guide-ability", "region:edoras")
    assert legal(game) == {"verb:done", "verb:guide-ability"}
    play(game, "verb:guide-ability", "region:westemnet")
    assert where(game, "peregrin") == region("edoras")
    assert where(game, "meriadoc") == region("westemnet")
    assert game.state.guide == character("gollum")


def test_R10_5_4_no_ability_without_damage_and_none_for_other_guides():
    game = move(hunted(*HOBBITS), "tile-0-r-1")
    assert game.decision == Decision.REVEAL_REGION
    game = move(hunted("legolas", *HOBBITS), "tile-2-1")
    assert game.decision == Decision.HUNT_DAMAGE


def test_R10_5_4_the_ability_may_be_declined():
    game = play(move(hunted(*HOBBITS), "tile-2-1"), "verb:done")
    assert legal(game) == {"verb:take-corruption", "verb:sacrifice-guide", "verb:sacrifice-random"}
    assert game.state.hunt_damage == 2


def test_RG27_both_hobbits_leave_as_one_group_for_two_points():
    game = move(hunted(*HOBBITS, place="helms-deep"), "tile-2-1")
    play(game, "verb:both-hobbits")
    assert legal_block(game, "region") == WITHIN_2_OF_HELMS_DEEP
    play(game, "region:fangorn")
    assert where(game, "meriadoc") == where(game, "peregrin") == region("fangorn")
    assert game.state.corruption == 0 and game.state.guide == character("gollum")


def test_RG27_the_second_hobbit_needs_damage_that_remains():
    game = move(hunted(*HOBBITS), "tile-1-1")
    assert legal(game) == {"verb:done", "verb:guide-ability"}
    play(game, "verb:guide-ability", "region:rivendell")
    assert game.decision == Decision.ACTION_DIE
    assert game.state.corruption == 0 and where(game, "peregrin") == Location.IN_FELLOWSHIP


def test_R10_5_4_a_hobbit_who_leaves_is_no_casualty():
    game = move(hunted(*HOBBITS), "tile-3-1")
    play(game, "verb:guide-ability", "region:rivendell", "verb:done")
    assert "verb:sacrifice-guide" in legal(game)
    play(game, "verb:sacrifice-guide", "verb:decline")
    assert where(game, "peregrin") == Location.ELIMINATED and game.state.corruption == 1


def test_R10_5_4_gollum_reveals_the_fellowship_to_lower_the_damage():
    game = move(hunted(place="helms-deep").fellowship(companions=[]), "tile-3-1")
    assert legal(game) == {"verb:done", "verb:guide-ability"}
    play(game, "verb:guide-ability")
    assert game.state.corruption == 2  # once only
    assert game.decision == Decision.REVEAL_REGION
    play(game, "region:fords-of-isen")
    assert game.state.revealed == 1 and game.state.fellowship_region == region("fords-of-isen")


def test_R10_5_5_the_ability_comes_before_the_damage():
    game = move(hunted(*HOBBITS), "tile-2-2")
    assert game.decision == Decision.HUNT_REACTION and game.state.corruption == 0
    play(game, "verb:done")
    assert game.decision == Decision.HUNT_DAMAGE and game.state.corruption == 0


@pytest.mark.parametrize("after_casualty", [False, True])
def test_R10_5_5_option_guide_ability_after_casualty(after_casualty):
    options = {"guide_ability_after_casualty": after_casualty}
    game = move(hunted("legolas", "meriadoc", **options), "tile-3-1")
    play(game, "verb:sacrifice-guide")  # Level 2: one point is left, and Meriadoc guides now
    if not after_casualty:
        assert game.state.corruption == 1 and game.decision == Decision.ACTION_DIE
        return
    assert game.state.corruption == 0
    assert legal(game) == {"verb:done", "verb:guide-ability"}
    declined = play(game.clone(), "verb:done")
    assert declined.state.corruption == 1 and declined.decision == Decision.ACTION_DIE
    play(game, "verb:guide-ability", "region:rivendell")
    assert game.state.corruption == 0 and where(game, "meriadoc") == region("rivendell")


def test_R10_5_5_option_guide_ability_after_casualty_for_gollum():
    game = play(
        move(hunted("legolas", guide_ability_after_casualty=True), "tile-3-1"), "verb:sacrifice-guide"
    )
    assert legal(game) == {"verb:done", "verb:guide-ability"}
    play(game, "verb:guide-ability")
    assert game.state.corruption == 0 and game.decision == Decision.REVEAL_REGION


# --- Damage (R10.6). ---


def test_R10_6_1_three_ways_to_take_damage():
    game = move(hunted(), "tile-2-1")
    assert game.side == Side.FREE_PEOPLES
    assert legal(game) == {"verb:take-corruption", "verb:sacrifice-guide", "verb:sacrifice-random"}
    corrupted = play(game.clone(), "verb:take-corruption")
    assert corrupted.state.corruption == 2
    assert (corrupted.state.location[:7] == Location.IN_FELLOWSHIP).all()
    play(game, "verb:sacrifice-guide")
    assert game.state.corruption == 0 and where(game, "gandalf-grey") == Location.ELIMINATED


def test_R10_6_1_no_choice_without_damage():
    game = move(hunted(place="eastemnet"), "tile-0-r-1")
    assert game.decision == Decision.REVEAL_REGION and game.state.corruption == 0


def test_R10_6_1_gollum_and_the_ring_bearers_are_no_casualties():
    game = move(hunted().fellowship(companions=[]), "tile-2-1")
    play(game, "verb:done")
    assert game.decision == Decision.ACTION_DIE and game.state.corruption == 2


def test_R10_6_1_RG7_one_casualty_for_one_tile():
    game = move(hunted("meriadoc", "legolas"), "tile-3-1")
    play(game, "verb:sacrifice-guide")
    assert game.state.corruption == 1 and where(game, "meriadoc") == Location.IN_FELLOWSHIP
    # The first Hobbit leaves by his ability, the casualty is the second, the rest is Corruption.
    game = play(move(hunted(*HOBBITS), "tile-3-1"), "verb:guide-ability", "region:rivendell", "verb:done")
    play(game, "verb:sacrifice-guide", "verb:decline")
    assert game.state.corruption == 1


def test_RG7_no_casualty_after_the_damage_is_gone():
    game = move(hunted(*HOBBITS), "tile-1-2")
    play(game, "verb:guide-ability", "region:rivendell")
    assert game.decision == Decision.ACTION_DIE


@pytest.mark.parametrize("name", ["gandalf-grey", "boromir", "peregrin"])
def test_RU33_the_random_companion_is_any_the_guide_included(name):
    game = move(hunted(), "tile-1-1", character(name))
    play(game, "verb:sacrifice-random")
    if name == "peregrin":
        play(game, "verb:decline")
    lost = [who for who in range(7) if game.state.location[who] == Location.ELIMINATED]
    assert lost == [character(name)]


def test_RU33_only_companions_in_the_fellowship_are_drawn():
    position = hunted("legolas", "gimli").place("boromir", "minas-tirith")
    drawn = set()
    for counter in range(40):
        position.state.counter = 500 + counter
        game = play(position.pool("tile-1-1").game(6), "face:character", "plan:move-fellowship")
        play(game, "verb:sacrifice-random")
        drawn |= {who for who in range(3, 5) if game.state.location[who] == Location.ELIMINATED}
        assert where(game, "boromir") == region("minas-tirith")
        assert (game.state.location[3:5] == Location.ELIMINATED).sum() == 1
    assert drawn == {character("legolas"), character("gimli")}


@pytest.mark.parametrize(
    ("guide", "name", "corruption"),
    [
        ("strider", "tile-3-1", 0),
        ("strider", "tile-1-1", 0),
        ("gimli", "tile-3-1", 1),
        ("gimli", "tile-1-1", 0),
    ],
)
def test_R10_6_2_the_excess_over_the_level_is_corruption(guide, name, corruption):
    game = play(move(hunted(guide), name), "verb:sacrifice-guide")
    assert where(game, guide) == Location.ELIMINATED and game.state.corruption == corruption
    assert game.state.guide == character("gollum")


def test_R10_6_2_then_a_new_guide():
    game = play(move(hunted("strider", "boromir", "gimli", "peregrin"), "tile-3-2"), "verb:sacrifice-guide")
    assert game.decision == Decision.CHOOSE_GUIDE
    assert legal_block(game, "character") == {"boromir", "gimli"}
    assert play(game, "character:gimli").state.guide == character("gimli")


def test_R10_6_3_a_hobbit_lost_may_be_taken_alive():
    game = move(hunted(*HOBBITS, place="helms-deep").fellowship(guide="peregrin"), "tile-2-1")
    play(game, "verb:done", "verb:sacrifice-guide")
    assert game.decision == Decision.TAKE_THEM_ALIVE and game.state.corruption == 1
    assert legal(game) == {"verb:accept", "verb:decline"}
    declined = play(game.clone(), "verb:decline")
    assert where(declined, "peregrin") == Location.ELIMINATED
    play(game, "verb:accept")
    assert legal_block(game, "region") == WITHIN_2_OF_HELMS_DEEP
    play(game, "region:edoras")
    assert where(game, "peregrin") == region("edoras")
    assert game.state.guide == character("meriadoc")


def test_R14_6_RG43_by_option_a_hobbit_lost_must_be_taken_alive():
    position = hunted(*HOBBITS, place="helms-deep", take_them_alive="forced").fellowship(guide="peregrin")
    game = play(move(position, "tile-2-1"), "verb:done", "verb:sacrifice-guide")
    assert game.decision == Decision.TAKE_THEM_ALIVE and legal(game) == {"verb:accept"}
    play(game, "verb:accept", "region:helms-deep")
    assert where(game, "peregrin") == region("helms-deep")


def test_R10_6_3_a_random_hobbit_may_be_taken_alive_too():
    position = hunted("legolas", "peregrin", place="helms-deep").politics("rohan", 3, active=False)
    game = play(move(position, "tile-1-1", character("peregrin")), "verb:sacrifice-random")
    play(game, "verb:accept", "region:edoras")
    assert where(game, "peregrin") == region("edoras") and game.state.guide == character("legolas")
    assert game.state.active[4] == 1  # placed as if separated: he rouses Rohan


def test_R10_6_4_corruption_of_12_ends_the_game_at_once():
    game = play(move(hunted().fellowship(corruption=10), "tile-2-r-1"), "verb:take-corruption")
    assert game.over and game.result.winner == Winner.SHADOW
    assert game.result.reason == Reason.CORRUPTION and game.state.revealed == 0


def test_R10_6_4_the_excess_over_a_casualty_corrupts_too():
    game = play(move(hunted("gimli").fellowship(corruption=11), "tile-3-1"), "verb:sacrifice-guide")
    assert game.over and game.result.reason == Reason.CORRUPTION


def test_R10_6_5_the_reveal_icon_comes_after_the_damage():
    game = move(hunted("legolas", place="helms-deep"), "tile-1-r-1")
    assert game.decision == Decision.HUNT_DAMAGE and game.state.revealed == 0
    play(game, "verb:take-corruption")
    assert game.decision == Decision.REVEAL_REGION and game.state.corruption == 1
    assert legal_block(game, "region") == {"fords-of-isen"}
    play(game, "region:fords-of-isen")
    assert (game.state.revealed, game.state.progress) == (1, 0)
    assert game.state.hunt_box.tolist() == [1, 1]


def test_R10_6_5_an_eye_reveals_as_well():
    game = play(move(hunted("legolas", place="eastemnet"), EYE), "verb:take-corruption")
    assert game.decision == Decision.REVEAL_REGION and game.state.corruption == 1


def test_R10_6_5_stronghold_tiles_follow_one_by_one():
    position = hunted("legolas", "gimli", place="dimrill-dale").fellowship(progress=1)
    position.hunt_box(0, 3)
    game = position.game(6, 6, 6, tile(EYE), tile("tile-eye-r-2"))
    play(game, "face:character", "plan:move-fellowship", "verb:take-corruption")
    assert game.state.corruption == 3
    play(game, "region:moria")  # a tile for Moria: an Eye of value 0, its Reveal without effect
    assert game.decision == Decision.ACTION_DIE
    assert game.state.corruption == 3 and game.state.revealed == 1
    assert game.state.tile_zone[tile("tile-eye-r-2")] == TileZone.DRAWN
    assert game.state.hunt_box.tolist() == [1, 3]


def test_R10_6_5_a_stronghold_tile_is_a_full_sequence():
    position = hunted("meriadoc", "peregrin", place="dimrill-dale").fellowship(progress=1)
    game = move(position, "tile-0-r-1", tile("tile-2-1"))
    play(game, "region:moria")
    assert game.decision == Decision.HUNT_REACTION and game.state.hunt_box.tolist() == [0, 1]
    play(game, "verb:guide-ability")
    # Progress is 0 now: one region from Moria.
    assert legal_block(game, "region") == {"moria", "dimrill-dale", "hollin", "north-dunland"}
    play(game, "region:hollin", "verb:done", "verb:sacrifice-guide", "verb:decline")
    assert game.state.corruption == 0 and game.state.hunt_box.tolist() == [1, 1]


def test_R10_6_5_corruption_by_a_stronghold_tile_ends_the_game():
    position = hunted("gimli", place="dimrill-dale").fellowship(corruption=10)
    game = move(position, "tile-0-r-1", tile("tile-2-1"))
    play(game, "region:moria", "verb:take-corruption")
    assert game.over and game.result.winner == Winner.SHADOW


# --- Gollum (R10.6.5, R14.10). ---


@pytest.mark.parametrize("name", ["tile-2-r-1", "tile-1-r-1", "tile-0-r-1"])
def test_R10_6_5_R14_10_gollum_ignores_the_reveal_icon_of_numbered_tiles(name):
    game = move(hunted(place="eastemnet").fellowship(companions=[]), name)
    if name != "tile-0-r-1":
        assert legal(game) == {"verb:done", "verb:guide-ability"}
        play(game, "verb:done")
    assert game.decision == Decision.ACTION_DIE
    assert game.state.revealed == 0 and game.state.corruption == int(name[5])


def test_R14_10_an_eye_reveals_gollum_who_then_has_no_choice():
    game = move(hunted(place="eastemnet").fellowship(companions=[]), EYE)
    assert game.decision == Decision.REVEAL_REGION and game.state.corruption == 1


def test_R14_10_gollum_who_became_guide_in_this_hunt_ignores_the_icon_at_the_end():
    game = play(move(hunted("legolas", place="eastemnet"), "tile-1-r-1"), "verb:sacrifice-guide")
    assert game.state.guide == character("gollum")
    assert game.decision == Decision.ACTION_DIE and game.state.revealed == 0


@pytest.mark.parametrize("name", ["tile-2-1", "tile-2-r-1"])
def test_R14_10_gollum_may_follow_the_last_hobbit(name):
    game = play(move(hunted("meriadoc", place="eastemnet"), name), "verb:guide-ability", "region:eastemnet")
    assert game.state.guide == character("gollum") and game.state.hunt_damage == 1
    assert legal(game) == {"verb:done", "verb:guide-ability"}
    stayed = play(game.clone(), "verb:done")
    assert stayed.state.corruption == 1 and stayed.decision == Decision.ACTION_DIE
    play(game, "verb:guide-ability")
    assert game.state.corruption == 0 and game.decision == Decision.REVEAL_REGION


def test_R14_10_no_second_reveal_for_a_stronghold_tile():
    position = hunted(place="dimrill-dale").fellowship(companions=[])
    game = play(move(position, "tile-2-1", tile("tile-1-1")), "verb:guide-ability", "region:moria")
    assert game.decision == Decision.ACTION_DIE
    assert game.state.corruption == 2 and game.state.revealed == 1


@pytest.mark.parametrize(("tiles", "revealed"), [("all_numbered", 0), ("standard_numbered", 1)])
def test_R14_10_option_gollum_tiles(tiles, revealed):
    position = hunted(gollum_tiles=tiles).fellowship(companions=[], mordor_step=2).pool("tile-sh-4")
    game = play(position.game(), "face:character", "plan:move-fellowship")
    if revealed == 0:
        play(game, "verb:done")
    assert game.state.corruption == 1 and game.state.revealed == revealed


@pytest.mark.parametrize("tiles", ["all_numbered", "standard_numbered"])
def test_R14_10_standard_tiles_never_reveal_gollum(tiles):
    position = hunted(gollum_tiles=tiles).fellowship(companions=[], mordor_step=2).pool("tile-1-r-2")
    game = play(position.game(), "face:character", "plan:move-fellowship", "verb:done")
    assert game.state.corruption == 1 and game.state.revealed == 0
