"""Events of the Free Peoples' Character deck: tiles, healing, separations and moves of Companions.

fp-char-01 to 04 and 09 to 17 (sections 22.2-22.4); the table cards 05 to 08 are in ``test_table_cards``.
"""

from __future__ import annotations

import pytest

from tests.positions import (
    Position,
    card,
    character,
    legal,
    legal_block,
    nation,
    only_acting_cards,
    play,
    region,
    tile,
    where,
)
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Face, Phase, Side, TileZone
from wotr_env.games.war_of_the_ring.components import DISTANCE, REGION_IDS, TILE_IDS

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
FAR_AWAY = "forlindon"  # its only neighbour is grey-havens
WITHIN_2 = {"grey-havens", "ered-luin", "harlindon", "tower-hills"}
WITHIN_3 = WITHIN_2 | {"evendim", "north-ered-luin", "south-ered-luin", "the-shire"}
WITHIN_4 = WITHIN_3 | {"arnor", "buckland", "cardolan", "minhiriath", "north-downs", "old-forest"}


def holding(name: str, **options) -> Position:
    """The Free Peoples hold the card and two Character dice; other dice may be set afterwards."""
    position = Position(only_acting_cards(**options)).hand(FP, name)
    return position.dice("character character", "army")


def offered(position: Position, die: str = "character") -> bool:
    return "plan:play-card" in legal(play(position.game(), f"face:{die}"))


def event(position: Position, name: str, *tape: int, die: str = "character") -> Game:
    game = play(position.game(*tape), f"face:{die}", "plan:play-card")
    assert f"card:{name}" in legal(game)
    return play(game, f"card:{name}")


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


def is_over(game: Game, name: str) -> bool:
    """The card is in the public discards and the Shadow acts."""
    return zone(game, name) == CardZone.DISCARD and game.decision == Decision.ACTION_DIE and game.side == SH


def steps(game: Game, *names: str) -> list[tuple[int, bool]]:
    """Steps to war, and whether the nation is active."""
    return [(int(game.state.steps_to_war[nation(n)]), bool(game.state.active[nation(n)])) for n in names]


def within(place: str, distance: int) -> set[str]:
    return {name for i, name in enumerate(REGION_IDS) if DISTANCE[region(place), i] <= distance}


# --- fp-char-01 to 04: the special Hunt tiles. ---

TILE_CARDS = [(f"fp-char-0{number}", f"tile-fp-{number}") for number in range(1, 5)]


@pytest.mark.parametrize(("name", "special"), TILE_CARDS)
def test_fp_char_01_fp_char_02_fp_char_03_fp_char_04_R6_4_2_the_tile_waits(name, special):
    position = holding(name)
    before = position.state.tile_zone.copy()
    game = event(position, name)
    assert is_over(game, name)
    assert game.state.tile_zone[tile(special)] == TileZone.WAITING
    assert [TILE_IDS[i] for i in (game.state.tile_zone != before).nonzero()[0]] == [special]


@pytest.mark.parametrize(("name", "special"), TILE_CARDS)
def test_fp_char_01_fp_char_02_fp_char_03_fp_char_04_joins_the_pool_on_the_mordor_track(name, special):
    game = event(holding(name).fellowship(mordor_step=1), name)
    assert is_over(game, name) and game.state.tile_zone[tile(special)] == TileZone.POOL


def test_fp_char_01_elven_cloaks_the_tile_comes_in_when_the_fellowship_enters_mordor():
    position = holding("fp-char-01").dice("character").fellowship("morannon").pool("tile-1-1")
    game = event(position, "fp-char-01")
    assert game.state.phase == Phase.FELLOWSHIP  # of the next turn
    assert game.state.tile_zone[tile("tile-fp-1")] == TileZone.WAITING
    play(game, "region:morannon")
    assert game.state.mordor_step == 1 and game.state.tile_zone[tile("tile-fp-1")] == TileZone.POOL
    assert game.state.tile_zone[tile("tile-fp-2")] == TileZone.ASIDE


def test_fp_char_02_elven_rope_can_be_drawn_at_once():
    position = holding("fp-char-02").fellowship(mordor_step=1, corruption=3).pool("tile-3-1")
    game = play(event(position, "fp-char-02", tile("tile-fp-2")), "face:army", "plan:skip")
    play(game, "face:character", "plan:move-fellowship")
    assert game.state.corruption == 3 and game.state.mordor_step == 2
    assert game.state.tile_zone[tile("tile-fp-2")] == TileZone.DRAWN


@pytest.mark.parametrize(("name", "special", "healed"), [(*TILE_CARDS[2], 2), (*TILE_CARDS[3], 1)])
@pytest.mark.parametrize("corruption", [1, 5])
def test_fp_char_03_phial_fp_char_04_smeagol_the_tile_heals(name, special, healed, corruption):
    position = holding(name).fellowship(mordor_step=1, corruption=corruption).pool("tile-3-1")
    game = play(event(position, name, tile(special)), "face:army", "plan:skip")
    play(game, "face:character", "plan:move-fellowship")
    assert game.state.corruption == max(0, corruption - healed) and game.state.mordor_step == 2


# --- fp-char-09, Athelas. ---


@pytest.mark.parametrize(
    ("guide", "corruption", "rolls", "left"),
    [
        ("gandalf-grey", 7, (4, 4, 4), 7),
        ("gandalf-grey", 7, (5, 4, 6), 5),
        ("strider", 7, (3, 2, 4), 5),
        ("strider", 7, (2, 2, 1), 7),
        ("strider", 2, (6, 6, 6), 0),  # never below 0
    ],
)
def test_fp_char_09_athelas_heals_by_dice(guide, corruption, rolls, left):
    position = holding("fp-char-09").fellowship(corruption=corruption, guide=guide)
    game = event(position, "fp-char-09", *rolls)
    assert is_over(game, "fp-char-09") and game.state.corruption == left
    assert game.state.tape_position == game.state.tape_length == 0  # three dice


@pytest.mark.parametrize("name", ["fp-char-09", "fp-char-10", "fp-char-12"])
def test_fp_char_09_fp_char_10_fp_char_12_R6_4_4_nothing_to_heal(name):
    assert not offered(holding(name).fellowship(corruption=0))
    assert offered(holding(name).fellowship(corruption=1))
    game = event(holding(name, null_events=True).fellowship(corruption=0), name)
    assert is_over(game, name) and game.state.corruption == 0


# --- fp-char-10, There Is Another Way. ---


def gollum(corruption: int = 4, **where_it_is) -> Position:
    position = holding("fp-char-10").fellowship(companions=[], corruption=corruption, **where_it_is)
    return position.hunt_box(0, 1)


def test_fp_char_10_another_way_only_heals_without_gollum():
    position = holding("fp-char-10").fellowship(companions=["strider"], corruption=4)
    game = event(position, "fp-char-10")
    assert is_over(game, "fp-char-10") and game.state.corruption == 3 and game.state.progress == 0


def test_fp_char_10_R9_4_4_RU27_the_hidden_fellowship_moves_and_is_hunted_without_a_die():
    game = event(gollum(progress=1), "fp-char-10", 6, tile("tile-0-r-1"))
    assert game.side == FP and legal(game) == {"plan:move-fellowship", "verb:decline"}
    assert game.state.corruption == 3  # healed first
    play(game, "plan:move-fellowship")
    assert is_over(game, "fp-char-10")
    assert game.state.progress == 2 and list(game.state.hunt_box) == [0, 1]
    assert game.state.tile_zone[tile("tile-0-r-1")] == TileZone.DRAWN
    assert game.state.dice[FP, Face.CHARACTER] == 1


def test_fp_char_10_heals_before_the_hunt():
    game = play(event(gollum(11), "fp-char-10", 6, tile("tile-1-1")), "plan:move-fellowship")
    assert game.decision == Decision.HUNT_REACTION and game.state.corruption == 10
    play(game, "verb:done")
    assert game.state.corruption == 11 and is_over(game, "fp-char-10")


def test_fp_char_10_the_revealed_fellowship_hides():
    game = event(gollum(revealed=True), "fp-char-10")
    assert legal(game) == {"plan:hide-fellowship", "verb:decline"}
    play(game, "plan:hide-fellowship")
    assert is_over(game, "fp-char-10") and game.state.revealed == 0
    assert game.state.progress == 0 and game.state.corruption == 3


@pytest.mark.parametrize("revealed", [False, True])
def test_fp_char_10_R6_4_3_may_be_declined(revealed):
    game = play(event(gollum(revealed=revealed), "fp-char-10"), "verb:decline")
    assert is_over(game, "fp-char-10") and game.state.corruption == 3
    assert (game.state.progress, game.state.revealed) == (0, revealed)


def test_fp_char_10_R6_4_4_gollum_alone_is_reason_enough():
    game = event(gollum(corruption=0), "fp-char-10", 5)
    play(game, "plan:move-fellowship")
    assert is_over(game, "fp-char-10") and game.state.progress == 1 and game.state.corruption == 0


def test_fp_char_10_a_step_on_the_mordor_track():
    game = event(gollum(mordor_step=2).pool("tile-0-r-1"), "fp-char-10", tile("tile-0-r-1"))
    play(game, "plan:move-fellowship")
    assert game.state.mordor_step == 3 and game.state.move_attempted == 1
    assert list(game.state.hunt_box) == [0, 1]


# --- fp-char-11, I Will Go Alone. ---


def test_fp_char_11_i_will_go_alone_one_region_further_and_heals():
    position = holding("fp-char-11").fellowship(FAR_AWAY, companions=["strider", "meriadoc"], corruption=3)
    game = event(position, "fp-char-11")
    assert legal(game) == {"character:strider", "character:meriadoc"}
    play(game, "character:meriadoc")
    assert legal(game) == {"character:strider", "verb:done"}
    play(game, "verb:done")
    assert legal(game) == {f"region:{name}" for name in WITHIN_2 | {FAR_AWAY}}  # Level 1 + 1
    assert game.state.corruption == 3  # not yet
    play(game, "region:tower-hills")
    assert is_over(game, "fp-char-11") and game.state.corruption == 2
    assert where(game, "meriadoc") == "tower-hills" and where(game, "strider") == "in-fellowship"


def test_fp_char_11_R9_8_2_a_group_and_the_progress_then_a_new_guide():
    position = holding("fp-char-11").fellowship(FAR_AWAY, progress=1, corruption=0)
    position.fellowship(progress=1, companions=["strider", "boromir", "peregrin"])
    game = play(event(position, "fp-char-11"), "character:strider", "character:peregrin", "verb:done")
    assert legal_block(game, "region") == within(FAR_AWAY, 5)  # 1 + Level 3 + 1
    play(game, "region:bree")
    assert is_over(game, "fp-char-11") and where(game, "strider") == where(game, "peregrin") == "bree"
    assert game.state.guide == character("boromir") and game.state.progress == 1


def test_fp_char_11_R6_4_1_needs_a_companion_in_the_fellowship():
    position = holding("fp-char-11", null_events=True).fellowship(companions=[], corruption=5)
    assert not offered(position.place("strider", "bree"))


def test_fp_char_11_R11_3_1_on_the_mordor_track_he_is_eliminated():
    position = holding("fp-char-11").fellowship(
        companions=["strider", "meriadoc"], corruption=3, mordor_step=2
    )
    game = play(event(position, "fp-char-11"), "character:meriadoc", "verb:done")
    assert where(game, "meriadoc") == "eliminated" and game.state.corruption == 2
    assert is_over(game, "fp-char-11")


# --- fp-char-12, Bilbo's Song. ---


@pytest.mark.parametrize(
    ("companions", "corruption", "left"), [(["strider"], 4, 3), ([], 4, 2), ([], 1, 0), (["boromir"], 1, 0)]
)
def test_fp_char_12_bilbos_song_two_with_gollum(companions, corruption, left):
    position = holding("fp-char-12").fellowship(companions=companions, corruption=corruption)
    game = event(position, "fp-char-12")
    assert is_over(game, "fp-char-12") and game.state.corruption == left


# --- fp-char-13, Mirror of Galadriel. ---


def test_fp_char_13_mirror_turns_a_die_and_heals_in_lorien():
    position = holding("fp-char-13").dice("character character character army", "army")
    game = event(position.fellowship("lorien", corruption=2), "fp-char-13")
    assert is_over(game, "fp-char-13") and game.state.corruption == 1
    dice = game.state.dice[FP]
    assert (dice[Face.CHARACTER], dice[Face.WILL], dice[Face.ARMY]) == (1, 1, 1)


@pytest.mark.parametrize(("place", "control"), [("rivendell", FP), ("lorien", SH), ("parth-celebrant", FP)])
def test_fp_char_13_heals_only_in_a_lorien_not_held_by_the_shadow(place, control):
    position = holding("fp-char-13").fellowship(place, corruption=2).control("lorien", control)
    game = event(position, "fp-char-13")
    assert is_over(game, "fp-char-13") and game.state.corruption == 2
    assert game.state.dice[FP, Face.WILL] == 1


def test_fp_char_13_heals_in_a_besieged_lorien_without_a_die_to_turn():
    position = holding("fp-char-13").dice("event army", "army").army("lorien", elves=1, sauron=1)
    position.fellowship("lorien", corruption=2, companions=["strider"])
    game = event(position, "fp-char-13", die="event")
    assert is_over(game, "fp-char-13") and game.state.corruption == 1
    assert game.state.dice[FP, Face.WILL] == 0 and game.state.dice[FP, Face.ARMY] == 1


@pytest.mark.parametrize(("dice", "die"), [("event army", "event"), ("character army", "character")])
def test_fp_char_13_R6_4_4_not_offered_without_another_character_die(dice, die):
    """The die that pays is used; with nothing to heal either there is no effect."""
    for place, corruption in (("lorien", 0), ("rivendell", 2)):
        position = holding("fp-char-13").dice(dice, "army").fellowship(place, corruption=corruption)
        assert not offered(position, die)


# --- fp-char-15, Gwaihir, and fp-char-16, We Prove the Swifter. ---

BOTH = pytest.mark.parametrize("name", ["fp-char-15", "fp-char-16"])


@pytest.mark.parametrize(
    ("name", "progress", "group", "reached"),
    [
        ("fp-char-15", 0, ["meriadoc"], WITHIN_4),  # as Level 4
        ("fp-char-15", 0, ["strider", "gimli"], WITHIN_4),
        ("fp-char-16", 0, ["meriadoc"], WITHIN_3),  # Level 1 + 2
        ("fp-char-16", 0, ["gimli", "meriadoc"], WITHIN_4),  # Level 2 + 2
        ("fp-char-16", 1, ["meriadoc"], WITHIN_4),
        ("fp-char-15", 1, ["meriadoc"], within(FAR_AWAY, 5)),
    ],
)
def test_fp_char_15_gwaihir_fp_char_16_swifter_R9_8_2_separate_a_group(name, progress, group, reached):
    position = holding(name).fellowship(FAR_AWAY, progress=progress)
    position.fellowship(progress=progress, companions=["strider", "boromir", "gimli", "meriadoc"])
    names = [f"character:{who}" for who in group]
    game = play(event(position, name), *names, "verb:done")
    assert legal_block(game, "region") == reached | {FAR_AWAY}
    play(game, "region:tower-hills")
    assert {where(game, who) for who in group} == {"tower-hills"}
    assert where(game, "boromir") == "in-fellowship" and game.state.progress == progress
    if game.decision == Decision.CHOOSE_GUIDE:
        play(game, "character:boromir")
    assert is_over(game, name)


@pytest.mark.parametrize(
    ("name", "group", "reached"),
    [
        ("fp-char-15", ["meriadoc"], WITHIN_4),
        ("fp-char-15", ["strider", "meriadoc"], WITHIN_4),
        ("fp-char-16", ["meriadoc"], WITHIN_3),
        ("fp-char-16", ["gandalf-white"], within(FAR_AWAY, 6) - {FAR_AWAY}),  # Shadowfax
    ],
)
def test_fp_char_15_fp_char_16_R7_6_1_move_a_group_outside(name, group, reached):
    position = holding(name).fellowship("rivendell", progress=3, companions=["boromir"])
    for who in group:
        position.place(who, FAR_AWAY)
    game = play(event(position, name), *(f"character:{who}" for who in group), "verb:done")
    assert legal_block(game, "region") == reached  # they must go
    play(game, "region:tower-hills")
    assert {where(game, who) for who in group} == {"tower-hills"} and is_over(game, name)


@BOTH
def test_fp_char_15_fp_char_16_RG36_a_group_is_inside_or_in_one_region(name):
    position = holding(name).fellowship(companions=["boromir", "peregrin"])
    position.place("strider", "bree").place("meriadoc", "bree").place("gimli", "dale")
    game = event(position, name)
    everybody = {"boromir", "peregrin", "strider", "meriadoc", "gimli"}
    assert legal(game) == {f"character:{who}" for who in everybody}
    inside = play(game.clone(), "character:boromir")
    assert legal(inside) == {"character:peregrin", "verb:done"}
    assert legal(play(game, "character:meriadoc")) == {"character:strider", "verb:done"}
    play(game, "verb:done", "region:the-shire")
    assert is_over(game, name)  # one group only
    assert where(game, "meriadoc") == "the-shire" and where(game, "strider") == "bree"


@BOTH
def test_fp_char_15_fp_char_16_may_end_in_a_stronghold_under_siege(name):
    position = holding(name).fellowship(companions=["boromir"]).place("gimli", "dale")
    position.army("erebor", dwarves=1, sauron=3).politics("dwarves", 3, active=False)
    game = play(event(position, name), "character:gimli", "verb:done")
    assert "erebor" in legal_block(game, "region")
    play(game, "region:erebor")
    assert where(game, "gimli") == "erebor" and steps(game, "dwarves") == [(3, True)]  # R7.6.5
    assert is_over(game, name)


@BOTH
def test_fp_char_15_fp_char_16_R7_6_4_not_through_or_out_of_a_siege(name):
    """Forlindon lies behind Grey Havens; nobody leaves Grey Havens."""
    position = holding(name).fellowship(companions=["boromir"]).army("grey-havens", elves=1, sauron=3)
    position.place("gandalf-white", "tower-hills").place("legolas", "grey-havens")
    game = event(position, name)
    assert legal(game) == {"character:boromir", "character:gandalf-white"}
    reached = legal_block(play(game, "character:gandalf-white", "verb:done"), "region")
    assert "grey-havens" in reached and "harlindon" in reached and FAR_AWAY not in reached


@BOTH
def test_fp_char_15_fp_char_16_the_stronghold_under_siege_may_be_the_only_way(name):
    position = holding(name).fellowship(companions=[]).army("grey-havens", elves=1, sauron=3)
    game = event(position.place("gimli", FAR_AWAY), name)
    play(game, "character:gimli", "verb:done")
    assert legal_block(game, "region") == {"grey-havens"}


@BOTH
def test_fp_char_15_fp_char_16_R7_6_3_stop_at_a_shadow_stronghold(name):
    position = holding(name).fellowship(companions=["strider"]).place("gimli", "hollin")
    game = play(event(position, name), "character:gimli", "verb:done")
    reached = legal_block(game, "region")
    assert "moria" in reached and "dimrill-dale" not in reached and "rivendell" in reached


@BOTH
def test_fp_char_15_fp_char_16_R6_4_4_nobody_to_carry(name):
    assert not offered(holding(name).fellowship(companions=[]))
    inside = holding(name).fellowship(companions=[]).army("grey-havens", elves=1, sauron=3)
    assert not offered(inside.place("legolas", "grey-havens"))
    assert offered(holding(name).fellowship(companions=[]).place("legolas", "bree"))


# --- fp-char-17, There and Back Again. ---

ROUSED = ("dwarves", "elves", "north")


@pytest.mark.parametrize(("who", "place"), [("gimli", "dale"), ("legolas", "erebor"), ("gimli", "erebor")])
def test_fp_char_17_there_and_back_again_rouses_three_nations(who, place):
    position = holding("fp-char-17").fellowship("dale", companions=[who, "strider"])
    game = play(event(position, "fp-char-17"), f"character:{who}", "verb:done")
    assert legal_block(game, "region") == within("dale", 3)  # Level 2 + 1
    play(game, f"region:{place}")
    assert is_over(game, "fp-char-17") and where(game, who) == place
    assert steps(game, *ROUSED) == [(2, True)] * 3
    assert steps(game, "gondor", "rohan") == [(2, False), (3, False)]


def test_fp_char_17_R8_4_activates_first_but_not_the_elves():
    position = holding("fp-char-17").fellowship("rivendell", companions=["strider"])
    position.place("legolas", "woodland-realm")  # need not be the one who leaves
    position.politics("dwarves", 1, False).politics("north", 1, False).politics("elves", 1, False)
    game = play(event(position, "fp-char-17"), "character:strider", "verb:done", "region:trollshaws")
    assert is_over(game, "fp-char-17")
    assert steps(game, *ROUSED) == [(0, True), (1, False), (0, True)]


@pytest.mark.parametrize("place", ["iron-hills", "western-mirkwood"])
def test_fp_char_17_elsewhere_only_the_separation(place):
    position = holding("fp-char-17").fellowship("dale", companions=["gimli", "strider"])
    game = play(event(position, "fp-char-17"), "character:gimli", "verb:done", f"region:{place}")
    assert is_over(game, "fp-char-17") and where(game, "gimli") == place
    assert steps(game, *ROUSED) == [(3, False), (3, True), (3, False)]


def test_fp_char_17_who_stays_in_the_fellowship_does_not_count():
    position = holding("fp-char-17").fellowship("dale", companions=["gimli", "strider"])
    game = play(event(position, "fp-char-17"), "character:strider", "verb:done", "region:erebor")
    assert steps(game, *ROUSED) == [(3, False), (3, True), (3, False)]


def test_fp_char_17_R6_4_4_without_anybody_to_separate():
    def alone(place: str) -> Position:
        return holding("fp-char-17").fellowship(companions=[]).place("gimli", place)

    assert not offered(alone("iron-hills"))
    game = event(alone("erebor"), "fp-char-17")
    assert is_over(game, "fp-char-17") and steps(game, *ROUSED) == [(2, True)] * 3
    assert not offered(alone("erebor").at_war(*ROUSED))  # nothing to separate, nothing to advance
