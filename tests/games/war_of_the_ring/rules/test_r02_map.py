"""R0 and R2: terms, the map, control of Settlements."""

from __future__ import annotations

import pytest

from tests.positions import Position, legal, legal_block, nation, play, region, tile
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Phase, Reason, Side, TileZone, TurnStage, Winner
from wotr_env.games.war_of_the_ring.components import (
    COASTAL,
    DISTANCE,
    EASTERN_EDGE,
    IN_MORDOR,
    REGION_IDS,
    REGION_NATION,
)

FP_STRONGHOLDS = {
    "erebor",
    "grey-havens",
    "rivendell",
    "woodland-realm",
    "lorien",
    "minas-tirith",
    "dol-amroth",
    "helms-deep",
}
ALL_NATIONS = ("dwarves", "elves", "gondor", "north", "rohan", "sauron", "isengard", "southrons")


def marked(flags):
    """The region ids with a flag."""
    return {name for name, flag in zip(REGION_IDS, flags, strict=True) if flag}


def destinations(position, side, origin):
    """Where an Army result may move the army of a region."""
    if side == Side.FREE_PEOPLES:
        game = position.dice("army").game()
    else:
        game = position.dice(shadow="army", acting=Side.SHADOW).game()
    return legal_block(play(game, "face:army", "plan:move-armies", f"region:{origin}"), "region")


def nazgul_flights(position):
    """Where the Nazgul of Barad-dur may fly."""
    position.army("barad-dur", nazgul=1).dice(shadow="character", acting=Side.SHADOW)
    game = play(position.game(), "face:character", "plan:move-minions", "region:barad-dur")
    return legal_block(game, "region")


# --- R0. ---


def test_R0_1_a_player_is_a_side():
    position = Position().phase(Phase.DRAW, TurnStage.DRAW)
    game = play(position.game(), "verb:decline", "character:strider")
    assert (game.decision, game.seat, game.side) == (Decision.HUNT_ALLOCATION, 1, Side.SHADOW)
    play(game, "count:0")
    assert (game.decision, game.seat, game.side) == (Decision.ACTION_DIE, 0, Side.FREE_PEOPLES)


def test_R0_2_R0_3_nazgul_and_characters_without_units_are_no_army():
    position = Position().at_war("sauron").army("dale", nazgul=2)
    position.place("witch-king", "dale").place("mouth-of-sauron", "dale")
    game = position.dice(shadow="army", acting=Side.SHADOW).game()
    assert legal_block(play(game, "face:army"), "plan") == {"skip"}


def test_R0_3_loose_figures_neither_block_nor_capture_nor_activate():
    position = Position().at_war("dwarves").politics("north", 3, active=False)
    position.army("dale", nazgul=2).place("witch-king", "dale").army("erebor", dwarves=1)
    assert destinations(position, Side.FREE_PEOPLES, "erebor") == {"dale", "iron-hills", "withered-heath"}
    state = position.game().state
    assert state.active[nation("north")] == 0
    assert state.control.tolist() == Position().state.control.tolist()


def test_R0_3_flying_into_a_city_captures_and_activates_nothing():
    position = Position().politics("gondor", 2, active=False).army("barad-dur", nazgul=1)
    game = position.dice(shadow="character", acting=Side.SHADOW).game()
    before = game.state.control.tolist()
    play(game, "face:character", "plan:move-minions", "region:barad-dur", "region:pelargir")
    assert game.state.leader[region("pelargir"), nation("sauron")] == 1
    assert game.state.active[nation("gondor")] == 0
    assert game.state.control.tolist() == before


def test_R0_4_declared_stays_hidden_revealed_does_not():
    declared = (
        Position().fellowship("rivendell", progress=1).phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game()
    )
    state = play(declared, "region:trollshaws").state
    assert (state.fellowship_region, state.progress, state.revealed) == (region("trollshaws"), 0, 0)

    revealed = Position().fellowship("rivendell").dice("character", "eye")
    game = play(revealed.game(6, tile("tile-0-r-1")), "face:character", "plan:move-fellowship")
    assert game.decision == Decision.REVEAL_REGION
    state = play(game, "region:trollshaws").state
    assert (state.fellowship_region, state.progress, state.revealed) == (region("trollshaws"), 0, 1)


def test_R0_5_RG29_progress_counts_from_the_last_known_position_to_12():
    game = Position().fellowship("rivendell", progress=10).dice("character character character").game()
    for expected in (11, 12, 12):
        state = play(game, "face:character", "plan:move-fellowship").state
        assert (state.progress, state.fellowship_region) == (expected, region("rivendell"))


def test_R0_6_R2_3_fortifications_are_no_settlements():
    position = Position().at_war("rohan", "gondor").army("minas-tirith", gondor=1).army("edoras", rohan=1)
    game = play(position.dice("muster").game(), "face:muster", "plan:recruit", "figure:rohan-regular")
    assert legal_block(game, "region") == {"edoras", "folde", "helms-deep", "westemnet"}

    game = play(position.dice("muster").game(), "face:muster", "plan:recruit", "figure:gondor-regular")
    assert legal_block(game, "region") == {"dol-amroth", "lamedon", "lossarnach", "minas-tirith", "pelargir"}


def test_R0_6_R2_3_entering_a_fortification_captures_nothing():
    position = Position().at_war("isengard").army("gap-of-rohan", isengard=1)
    game = position.dice(shadow="army", acting=Side.SHADOW).game()
    before = game.state.control.tolist()
    play(game, "face:army", "plan:move-armies", "region:gap-of-rohan", "region:fords-of-isen")
    state = play(game, "verb:whole-army").state
    assert state.units[region("fords-of-isen"), Side.SHADOW] == 1
    assert state.control.tolist() == before


def test_R0_7_hunt_box_and_hunt_pool_are_different_things():
    position = (
        Position().fellowship("rivendell").pool("tile-1-1", "tile-2-1").dice("character", "muster eye eye")
    )
    game = play(position.game(6, 1, tile("tile-1-1")), "face:character", "plan:move-fellowship")
    assert game.decision == Decision.HUNT_DAMAGE
    state = play(game, "verb:take-corruption").state
    assert state.hunt_box.tolist() == [1, 2]
    assert (state.tile_zone == TileZone.POOL).sum() == 1


def test_R0_10_the_same_seed_gives_the_same_outcomes():
    rolls = []
    for seed in (5, 5, 6):
        game = Position(seed=seed).phase(Phase.DRAW, TurnStage.DRAW).game()
        state = play(game, "verb:decline", "character:strider", "count:0").state
        rolls.append((state.dice.tolist(), state.hunt_box.tolist(), state.card_zone.tolist()))
    assert rolls[0] == rolls[1] != rolls[2]


def test_R0_11_only_the_possible_part_of_a_muster():
    """One Rohan Regular is left: the second figure is dropped."""
    position = Position().at_war("rohan").army("edoras", rohan=1).dice("muster", "muster")
    state = position.state
    state.reinforcement_elite[nation("rohan")] -= 5
    state.casualty_elite[nation("rohan")] += 5
    state.reinforcement_leader[nation("rohan")] -= 4
    state.casualty_leader[nation("rohan")] += 4
    left = int(state.reinforcement_regular[nation("rohan")]) - 1
    state.reinforcement_regular[nation("rohan")] -= left
    state.casualty_regular[nation("rohan")] += left
    game = play(position.game(), "face:muster", "plan:recruit")
    assert legal(game) == {"figure:rohan-regular"}
    play(game, "figure:rohan-regular", "region:folde")
    assert game.side == Side.SHADOW


# --- R2.1, R2.2: regions. ---


@pytest.mark.parametrize(
    ("origin", "neighbours"),
    [
        ("rivendell", {"fords-of-bruinen", "trollshaws"}),
        ("high-pass", {"fords-of-bruinen", "goblins-gate"}),
        ("lorien", {"dimrill-dale", "parth-celebrant"}),
        ("forlindon", {"grey-havens"}),
        ("minas-tirith", {"druadan-forest", "lossarnach", "osgiliath"}),
    ],
)
def test_R2_1_armies_move_to_listed_neighbours_only(origin, neighbours):
    position = Position().at_war("elves").army(origin, elves=1)
    assert destinations(position, Side.FREE_PEOPLES, origin) == neighbours


def test_R2_1_companions_go_around_the_mountains():
    game = Position().place("strider", "high-pass").dice("character").game()
    play(game, "face:character", "plan:move-companions", "character:strider", "verb:done")
    assert legal_block(game, "region") == {
        *("fords-of-bruinen", "goblins-gate"),
        *("rivendell", "trollshaws", "hollin", "old-ford"),
        *("ettenmoors", "south-downs", "weather-hills", "moria", "north-dunland"),
        *("carrock", "eagles-eyrie", "gladden-fields", "rhosgobel"),
    }


def test_R2_1_the_fellowship_goes_around_the_mountains():
    position = Position().fellowship("rivendell", progress=2).phase(Phase.FELLOWSHIP, TurnStage.DECLARE)
    assert legal_block(position.game(), "region") == {
        *("rivendell", "fords-of-bruinen", "trollshaws"),
        *("ettenmoors", "high-pass", "hollin", "south-downs", "weather-hills"),
    }


def test_R2_1_nazgul_ignore_borders():
    assert nazgul_flights(Position()) == set(REGION_IDS) - FP_STRONGHOLDS - {"barad-dur"}


def test_R2_2_osgiliath_belongs_to_no_nation():
    position = Position().politics("rohan", 1, active=False).army("minas-tirith", rohan=1)
    assert destinations(position, Side.FREE_PEOPLES, "minas-tirith") == {"osgiliath"}


@pytest.mark.parametrize(("destination", "active"), [("osgiliath", 0), ("pelargir", 1)])
def test_R2_2_an_army_in_a_region_of_no_nation_activates_nobody(destination, active):
    position = Position().at_war("southrons").politics("gondor", 2, active=False)
    position.army("west-harondor", southrons=1).dice(shadow="army", acting=Side.SHADOW)
    game = play(position.game(), "face:army", "plan:move-armies", "region:west-harondor")
    state = play(game, f"region:{destination}", "verb:whole-army").state
    assert state.active[nation("gondor")] == active


# --- R2.3-R2.6: Settlements and their control. ---

FOUR_STRONGHOLDS = ("erebor", "rivendell", "lorien", "minas-tirith")
FP_TOWNS = ("bree", "carrock", "ered-luin", "iron-hills", "lamedon", "lossarnach", "folde", "westemnet")


def end_of_turn(side, *places, max_turns=0):
    position = Position(Ruleset(max_turns=max_turns, ask_single=True)).phase(Phase.ACTION, TurnStage.END)
    for place in places:
        position.control(place, side)
    return position.game()


@pytest.mark.parametrize(
    ("places", "points"),
    [
        (("helms-deep",), 2),
        (("edoras",), 1),
        (FP_TOWNS, 0),
        (("dale", "the-shire", "pelargir", "dol-amroth", "bree"), 5),
        (FOUR_STRONGHOLDS, 8),
    ],
)
def test_R2_4_points_of_settlements(places, points):
    game = end_of_turn(Side.SHADOW, *places, max_turns=1)
    assert game.result.winner == Winner.DRAW
    assert game.result.victory_points == (0, points)


def test_R2_3_R2_4_settlements_of_the_shadow():
    game = end_of_turn(Side.FREE_PEOPLES, "angmar", "orthanc", "nurn", "near-harad", max_turns=1)
    assert game.result.victory_points == (3, 0)
    assert end_of_turn(Side.FREE_PEOPLES, "angmar", "far-harad", "umbar").result.reason == (
        Reason.FREE_PEOPLES_MILITARY
    )


def test_R2_4_two_cities_are_worth_a_stronghold():
    assert not end_of_turn(Side.SHADOW, *FOUR_STRONGHOLDS, "dale", *FP_TOWNS).over
    assert end_of_turn(Side.SHADOW, *FOUR_STRONGHOLDS, "dale", "edoras").result.winner == Winner.SHADOW
    assert end_of_turn(Side.SHADOW, *FOUR_STRONGHOLDS, "woodland-realm").result.winner == Winner.SHADOW


def test_R2_5_R2_6_a_control_marker_makes_a_stronghold_the_enemys():
    closed = FP_STRONGHOLDS | {"barad-dur"}
    position = Position().control("lorien", Side.SHADOW).control("moria", Side.FREE_PEOPLES)
    assert nazgul_flights(position) == (set(REGION_IDS) - closed - {"moria"}) | {"lorien"}


def test_R2_5_a_besieged_stronghold_is_still_its_defenders():
    position = Position().at_war("sauron").politics("gondor", 2, active=False)
    position.army("minas-tirith", gondor=1, sauron=5).fellowship("minas-tirith", corruption=3)
    state = play(position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game(), "region:minas-tirith").state
    assert (state.corruption, state.active[nation("gondor")]) == (2, 1)

    position = Position().politics("gondor", 2, active=False).control("minas-tirith", Side.SHADOW)
    position.army("minas-tirith", sauron=5).fellowship("minas-tirith", corruption=3)
    state = play(position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game(), "region:minas-tirith").state
    assert (state.corruption, state.active[nation("gondor")]) == (3, 0)


def test_R2_6_a_region_without_settlement_is_never_controlled():
    """A Shadow army crosses Fangorn; the Free Peoples may still retreat there."""
    position = Position().at_war("isengard", "rohan").army("fangorn", isengard=1).army("westemnet", rohan=1)
    position.army("fords-of-isen", isengard=1).dice(shadow="army army", acting=Side.SHADOW)
    game = play(
        position.game(1, 1), "face:army", "plan:move-armies", "region:fangorn", "region:parth-celebrant"
    )
    play(game, "verb:whole-army", "verb:done", "face:army", "plan:attack", "region:fords-of-isen")
    play(game, "region:westemnet", "verb:whole-army", "verb:continue")
    assert game.decision == Decision.RETREAT
    assert legal_block(game, "region") == {"eastemnet", "edoras", "fangorn", "folde", "helms-deep"}


# --- R2.7, R2.8: free regions. ---


def test_R2_7_RU15_units_block_movement_and_settlements_do_not():
    position = Position().at_war("isengard").army("fords-of-isen", isengard=3).army("fangorn", rohan=1)
    position.place("strider", "westemnet")
    assert destinations(position, Side.SHADOW, "fords-of-isen") == {
        *("druwaith-iaur", "gap-of-rohan", "orthanc", "helms-deep", "westemnet")
    }


def test_R2_7_a_siege_leaves_the_field_to_the_besieger():
    def siege():
        position = Position().at_war("isengard", "rohan").army("helms-deep", rohan=2, isengard=3)
        return position.army("fords-of-isen", isengard=1).army("westemnet", rohan=1)

    assert "helms-deep" in destinations(siege(), Side.SHADOW, "fords-of-isen")
    assert destinations(siege(), Side.FREE_PEOPLES, "westemnet") == {
        "eastemnet",
        "edoras",
        "fangorn",
        "folde",
    }


def test_R2_8_RU15_no_retreat_to_an_enemy_controlled_settlement():
    def attacked():
        position = Position().at_war("gondor", "sauron").army("osgiliath", gondor=2)
        position.army("south-ithilien", sauron=1).army("pelargir", sauron=1).control("pelargir", Side.SHADOW)
        return position.control("lossarnach", Side.SHADOW)

    free = {"dead-marshes", "druadan-forest", "minas-tirith", "north-ithilien", "west-harondor"}
    game = attacked().dice(shadow="army", acting=Side.SHADOW).game(1, 1, 1)
    play(game, "face:army", "plan:attack", "region:south-ithilien", "region:osgiliath", "verb:whole-army")
    assert game.decision == Decision.CEASE
    play(game, "verb:continue")
    assert legal(game) == {"verb:stay"} | {f"region:{place}" for place in free}
    assert destinations(attacked(), Side.FREE_PEOPLES, "osgiliath") == free | {"lossarnach"}


def test_R2_8_a_region_one_besieges_is_free():
    position = Position().at_war("gondor", "sauron").army("dagorlad", gondor=2)
    position.army("morannon", gondor=1, sauron=1).army("noman-lands", sauron=1)
    game = position.dice(shadow="army", acting=Side.SHADOW).game(1, 1, 1)
    play(game, "face:army", "plan:attack", "region:noman-lands", "region:dagorlad", "verb:whole-army")
    play(game, "verb:continue")
    assert legal_block(game, "region") == {"ash-mountains", "eastern-emyn-muil", "morannon", "north-ithilien"}


# --- R2.9-R2.11. ---


def test_R2_9_RU18_five_regions_inside_the_walls():
    assert marked(IN_MORDOR) == {"barad-dur", "gorgoroth", "minas-morgul", "morannon", "nurn"}
    assert (REGION_NATION == nation("sauron")).sum() == 11


def test_R2_9_the_fellowship_is_in_mordor_on_the_track_only():
    at_the_gate = Position().fellowship("morannon", revealed=True).dice("character").game()
    assert legal_block(play(at_the_gate, "face:character"), "plan") == {
        *("hide-fellowship", "separate-companions", "skip")
    }
    on_the_track = Position().fellowship(mordor_step=1, revealed=True).dice("character").game()
    assert legal_block(play(on_the_track, "face:character"), "plan") == {"hide-fellowship", "skip"}


def test_R2_9_a_move_from_the_gate_is_no_move_in_mordor():
    game = Position().fellowship("morannon").dice("character").game()
    state = play(game, "face:character", "plan:move-fellowship").state
    assert (state.progress, state.mordor_step) == (1, 0)
    assert (state.tile_zone == TileZone.DRAWN).sum() == 0


def test_R2_10_coast_eastern_edge_and_distances():
    coast = {
        *("forlindon", "grey-havens", "harlindon", "south-ered-luin", "minhiriath", "enedwaith"),
        *("druwaith-iaur", "andrast", "anfalas", "dol-amroth", "lamedon", "pelargir"),
        *("west-harondor", "umbar"),
    }
    assert marked(COASTAL) == coast
    assert marked(COASTAL.astype(bool) & (REGION_NATION == nation("gondor"))) == {
        *("anfalas", "dol-amroth", "lamedon", "pelargir")
    }
    assert marked(EASTERN_EDGE) == {"east-rhun", "south-rhun", "khand", "far-harad"}
    dunland = (DISTANCE[region("north-dunland")] <= 1) | (DISTANCE[region("south-dunland")] <= 1)
    assert marked(dunland) == {
        *("north-dunland", "south-dunland", "cardolan", "hollin", "moria", "south-downs", "tharbad"),
        *("enedwaith", "gap-of-rohan"),
    }
    assert (DISTANCE[region("moria")] <= 2).sum() == 15


def test_R2_11_a_garrison_is_in_the_region_for_the_hunt():
    """Moria besieged by Elves: Stronghold, Orcs and Nazgul inside give three re-rolls."""
    position = Position().at_war("elves").army("moria", elves=1, sauron=1, nazgul=1)
    position.fellowship("moria").dice("character", "eye eye eye eye")
    game = play(position.game(1, 2, 3, 4, 3, 4, 5), "face:character", "plan:move-fellowship")
    assert game.state.tape_length == 0
    assert game.state.corruption == 0
    assert (game.state.tile_zone == TileZone.DRAWN).sum() == 0


def test_R2_11_a_garrison_is_not_in_the_field():
    position = Position().at_war("gondor", "sauron").army("minas-tirith", gondor=3, sauron=3).dice("army")
    game = play(position.game(), "face:army")
    assert legal_block(game, "plan") == {"attack", "skip"}
    play(game, "plan:attack", "region:minas-tirith")
    assert legal_block(game, "region") == {"minas-tirith"}


def test_R2_3_every_nation_recruits_in_its_settlements():
    """16 Strongholds, 6 Cities and 14 Towns, all of them by their nations."""
    places = set()
    for name in ALL_NATIONS:
        position = Position().at_war(name)
        side = Side(nation(name) >= nation("sauron"))
        if side == Side.FREE_PEOPLES:
            game = play(position.dice("muster").game(), "face:muster", "plan:recruit")
        else:
            game = position.dice(shadow="muster", acting=Side.SHADOW).game()
            play(game, "face:muster", "plan:recruit")
        places |= legal_block(play(game, f"figure:{name}-regular"), "region")
    assert len(places) == 36
    assert places.isdisjoint({"fords-of-isen", "osgiliath"})
