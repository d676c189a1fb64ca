"""Companions moving on their own (R7.6)."""

from __future__ import annotations

import pytest

from tests.positions import Position, character, legal, legal_block, nation, play, region
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Side

SHADOW = Side.SHADOW
ANY_REGION = Ruleset(ask_single=True, companion_activation="any_region_entered")


def company(ruleset: Ruleset | None = None, **places: str) -> Position:
    """Companions outside the Fellowship by name (``_`` for ``-``); Strider alone is inside."""
    position = Position(ruleset).fellowship("rivendell", companions=["strider"])
    for name, place in places.items():
        position.place(name.replace("_", "-"), place)
    return position


def moving(position: Position) -> Game:
    """The position with a Character result spent on moving Companions."""
    game = position.dice("character", "event").game()
    return play(game, "face:character", "plan:move-companions")


def reach(game: Game, *names: str) -> set[str]:
    """The destinations of a group."""
    return legal_block(play(game, *(f"character:{name}" for name in names), "verb:done"), "region")


def is_at(game: Game, name: str, place: str) -> bool:
    return int(game.state.location[character(name)]) == region(place)


GIMLI_FROM_EREBOR = {
    "dale",
    "iron-hills",
    "withered-heath",
    "northern-rhovanion",
    "old-forest-road",
    "vale-of-the-carnen",
    "woodland-realm",
    "east-rhun",
    "northern-mirkwood",
}


def test_R7_6_1_each_companion_moves_once_one_by_one():
    game = moving(company(peregrin="grey-havens", gimli="erebor"))
    assert legal(game) == {"character:peregrin", "character:gimli"}
    play(game, "character:peregrin")
    assert legal(game) == {"verb:done"}
    play(game, "verb:done")
    assert game.decision == Decision.COMPANION_DESTINATION
    assert legal(game) == {f"region:{at}" for at in ("ered-luin", "forlindon", "harlindon", "tower-hills")}
    play(game, "region:ered-luin")
    assert legal(game) == {"character:gimli", "verb:done"}
    assert reach(game, "gimli") == GIMLI_FROM_EREBOR
    play(game, "region:dale")
    assert game.decision == Decision.ACTION_DIE and game.side == SHADOW
    assert is_at(game, "peregrin", "ered-luin") and is_at(game, "gimli", "dale")


def test_R7_6_1_some_companions_may_stay():
    game = moving(company(peregrin="grey-havens", gimli="erebor"))
    play(game, "character:gimli", "verb:done", "region:dale", "verb:done")
    assert game.decision == Decision.ACTION_DIE and game.side == SHADOW
    assert is_at(game, "peregrin", "grey-havens")


def test_R7_6_1_a_group_has_the_range_of_its_highest_level():
    game = moving(company(peregrin="erebor", gimli="erebor", meriadoc="erebor"))
    play(game, "character:peregrin")
    assert legal(game) == {"character:gimli", "character:meriadoc", "verb:done"}
    play(game, "character:gimli", "verb:done")
    assert legal_block(game, "region") == GIMLI_FROM_EREBOR
    play(game, "region:east-rhun")
    assert is_at(game, "peregrin", "east-rhun") and is_at(game, "gimli", "east-rhun")
    assert legal(game) == {"character:meriadoc", "verb:done"}
    assert reach(game, "meriadoc") == {"dale", "iron-hills", "withered-heath"}


def test_R7_6_1_RG36_a_group_starts_in_one_region():
    game = moving(company(peregrin="dale", gimli="erebor", meriadoc="dale"))
    play(game, "character:peregrin")
    assert legal(game) == {"character:meriadoc", "verb:done"}


def test_R7_6_1_who_has_moved_does_not_join_a_second_group():
    game = moving(company(peregrin="dale", gimli="erebor"))
    play(game, "character:peregrin", "verb:done", "region:erebor")
    assert legal(game) == {"character:gimli", "verb:done"}
    play(game, "character:gimli")
    assert legal(game) == {"verb:done"}


def test_R7_6_1_companions_of_the_fellowship_do_not_move_so():
    game = play(company().dice("character", "event").game(), "face:character")
    assert "plan:move-companions" not in legal(game)
    assert "plan:separate-companions" in legal(game)


@pytest.mark.parametrize("face", ["muster", "army", "army_muster", "event"])
def test_R7_6_1_other_results_move_no_companions(face):
    name = f"face:{face.replace('_', '-')}"
    game = play(company(gimli="erebor").dice(face, "event").game(), name)
    assert "plan:move-companions" not in legal(game)


def test_R7_6_1_will_of_the_west_moves_them_too():
    game = play(company(gimli="erebor").dice("will", "event").game(), "face:will")
    assert "plan:move-companions" in legal(game)


def test_R7_6_2_enemy_armies_do_not_matter_black_borders_stop():
    position = company(peregrin="barad-dur", legolas="helms-deep").army("gorgoroth", sauron=5)
    position.army("westemnet", isengard=5).control("westemnet", SHADOW).army("fords-of-isen", isengard=5)
    game = moving(position)
    play(game, "character:legolas", "verb:done")
    assert legal_block(game, "region") == {
        "fords-of-isen",
        "westemnet",
        "druwaith-iaur",
        "gap-of-rohan",
        "orthanc",
        "fangorn",
        "eastemnet",
        "edoras",
        "folde",
    }
    play(game, "region:westemnet")
    assert reach(game, "peregrin") == {"gorgoroth"}


DIMRILL_DALE = {
    "gladden-fields",
    "lorien",
    "moria",
    "north-anduin-vale",
    "parth-celebrant",
    "south-anduin-vale",
    "old-ford",
    "rhosgobel",
    "dol-guldur",
    "narrows-of-the-forest",
    "eastemnet",
    "fangorn",
    "western-brown-lands",
}


def test_R7_6_3_they_stop_on_entering_a_shadow_stronghold():
    game = moving(company(legolas="dimrill-dale"))
    assert reach(game, "legolas") == DIMRILL_DALE


def test_R7_6_3_a_captured_stronghold_does_not_stop_them():
    position = company(legolas="dimrill-dale").control("moria", Side.FREE_PEOPLES)
    assert reach(moving(position), "legolas") == DIMRILL_DALE | {"hollin", "north-dunland"}


def test_R7_6_3_a_friendly_stronghold_in_enemy_hands_stops_them():
    position = company(legolas="forlindon")
    assert "ered-luin" in reach(moving(position), "legolas")
    position = company(legolas="forlindon").control("grey-havens", SHADOW)
    assert reach(moving(position), "legolas") == {"grey-havens"}


def test_R7_6_3_leaving_a_shadow_stronghold_is_free():
    game = moving(company(legolas="moria"))
    assert {"hollin", "south-downs", "dimrill-dale", "lorien"} <= legal_block(
        play(game, "character:legolas", "verb:done"), "region"
    )


def test_R7_6_4_RU47_the_region_of_a_besieged_friendly_stronghold_is_closed():
    position = company(peregrin="lossarnach", boromir="minas-tirith")
    position.army("minas-tirith", gondor=1, sauron=2)
    game = moving(position)
    assert legal(game) == {"character:peregrin"}
    assert reach(game, "peregrin") == {"osgiliath", "pelargir"}


def test_R7_6_4_nobody_passes_through_a_besieged_stronghold():
    position = company(gimli="dale").army("erebor", dwarves=1, southrons=2)
    assert "erebor" not in reach(moving(position), "gimli")
    position = company(legolas="harlindon").army("grey-havens", elves=1, sauron=2)
    assert reach(moving(position), "legolas") == {
        "south-ered-luin",
        "cardolan",
        "minhiriath",
        "old-forest",
        "the-shire",
        "tower-hills",
    }


def test_R7_6_4_those_inside_stay_inside():
    position = company(boromir="minas-tirith").army("minas-tirith", gondor=1, sauron=2)
    game = play(position.dice("character", "event").game(), "face:character")
    assert "plan:move-companions" not in legal(game)


def test_R7_6_4_RU47_who_separates_in_a_besieged_stronghold_stays_inside():
    position = Position().fellowship("minas-tirith", progress=2, companions=["strider", "legolas"])
    position.army("minas-tirith", gondor=1, sauron=2)
    game = play(position.dice("character", "event").game(), "face:character", "plan:separate-companions")
    play(game, "character:legolas", "verb:done")
    assert legal(game) == {"region:minas-tirith"}


def test_R7_6_4_a_besieged_shadow_stronghold_is_open():
    position = company(peregrin="hollin").army("moria", sauron=1, dwarves=3)
    assert "moria" in reach(moving(position), "peregrin")


@pytest.mark.parametrize(
    ("name", "start", "end", "people", "active"),
    [
        ("boromir", "osgiliath", "minas-tirith", "gondor", 1),  # Stronghold
        ("boromir", "osgiliath", "pelargir", "gondor", 1),  # City
        ("boromir", "osgiliath", "lossarnach", "gondor", 0),  # Town
        ("boromir", "folde", "edoras", "rohan", 0),  # not his people
        ("peregrin", "folde", "edoras", "rohan", 1),  # any people
        ("gimli", "dale", "erebor", "dwarves", 1),
    ],
)
def test_R7_6_5_ending_in_a_city_or_stronghold_activates(name, start, end, people, active):
    game = moving(company(**{name: start}))
    play(game, f"character:{name}", "verb:done", f"region:{end}")
    assert game.state.active[nation(people)] == active


def test_R7_6_5_not_in_a_city_held_by_the_shadow():
    game = moving(company(peregrin="folde").control("edoras", SHADOW))
    play(game, "character:peregrin", "verb:done", "region:edoras")
    assert game.state.active[nation("rohan")] == 0


def test_R7_6_5_RU19_passing_through_activates_nobody():
    game = moving(company(gimli="iron-hills"))
    play(game, "character:gimli", "verb:done", "region:withered-heath")  # by Erebor or by Dale
    assert game.decision == Decision.ACTION_DIE
    assert game.state.active[nation("dwarves")] == 0


def test_RU19_companion_activation_in_any_region_entered():
    game = moving(company(ANY_REGION, gimli="iron-hills"))
    play(game, "character:gimli", "verb:done")
    assert legal_block(game, "region") == {"dale", "east-rhun", "erebor", "vale-of-the-carnen"}
    play(game, "region:erebor")
    assert game.state.active[nation("dwarves")] == 1
    assert legal_block(game, "region") == {"erebor", "dale", "iron-hills", "withered-heath"}
    play(game, "region:withered-heath")
    assert game.decision == Decision.ACTION_DIE and is_at(game, "gimli", "withered-heath")


def test_RU19_step_by_step_a_group_may_stop_early_and_must_stop_at_a_shadow_stronghold():
    game = moving(company(ANY_REGION, gimli="iron-hills"))
    play(game, "character:gimli", "verb:done", "region:erebor", "region:erebor")
    assert game.decision == Decision.ACTION_DIE and is_at(game, "gimli", "erebor")
    game = moving(company(ANY_REGION, legolas="dimrill-dale"))
    play(game, "character:legolas", "verb:done", "region:moria")
    assert game.decision == Decision.ACTION_DIE and is_at(game, "legolas", "moria")


def test_RU19_step_by_step_a_group_keeps_its_range():
    game = moving(company(ANY_REGION, legolas="bree", peregrin="bree"))
    play(game, "character:legolas", "character:peregrin", "verb:done", "region:buckland", "region:the-shire")
    assert game.decision == Decision.ACTION_DIE
    assert is_at(game, "legolas", "the-shire") and is_at(game, "peregrin", "the-shire")


def test_R7_6_6_companions_move_with_an_army_whatever_their_level():
    position = company(peregrin="dale", gimli="dale").at_war("north").army("dale", north=1)
    position.army("erebor", north=1).place("meriadoc", "erebor")
    game = position.dice("army", "event").game()
    play(game, "face:army", "plan:move-armies", "region:dale", "region:old-forest-road")
    assert legal(game) == {
        "figure:north-regular",
        "character:gimli",
        "character:peregrin",
        "verb:whole-army",
    }
    play(game, "figure:north-regular", "character:peregrin", "verb:done")
    assert is_at(game, "peregrin", "old-forest-road") and is_at(game, "gimli", "dale")


def test_R7_6_6_a_companion_alone_with_an_army_pays_for_its_move():
    position = company(peregrin="dale").at_war("north").army("dale", north=1)
    game = play(position.dice("character", "event").game(), "face:character", "plan:move-armies")
    play(game, "region:dale", "region:old-forest-road", "verb:whole-army")
    assert is_at(game, "peregrin", "old-forest-road")


def test_R7_6_7_level_0_does_not_move_by_itself():
    position = company().place("saruman", "orthanc").dice("event", "character", acting=SHADOW)
    game = play(position.game(), "face:character")
    assert legal_block(game, "plan") == {"skip"}
