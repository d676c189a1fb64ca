"""Nazgul and Minions moving on their own (R7.7)."""

from __future__ import annotations

import pytest

from tests.positions import Position, character, figures_at, legal, legal_block, play, region
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Side
from wotr_env.games.war_of_the_ring.components import REGION_IDS

SHADOW = Side.SHADOW
FREE_PEOPLES = Side.FREE_PEOPLES
FREE_STRONGHOLDS = {
    "dol-amroth",
    "erebor",
    "grey-havens",
    "helms-deep",
    "lorien",
    "minas-tirith",
    "rivendell",
    "woodland-realm",
}
OPEN_TO_NAZGUL = set(REGION_IDS) - FREE_STRONGHOLDS


def flying(position: Position) -> Game:
    """The position with a Character result spent on moving Nazgul and Minions."""
    game = position.dice("event", "character character", acting=SHADOW).game()
    return play(game, "face:character", "plan:move-minions")


def is_at(game: Game, name: str, place: str) -> bool:
    return int(game.state.location[character(name)]) == region(place)


def action_is_over(game: Game) -> bool:
    return game.decision == Decision.ACTION_DIE and game.side == FREE_PEOPLES


def test_R7_7_1_each_nazgul_and_minion_once_to_its_own_destination():
    position = Position().army("barad-dur", nazgul=2).army("angmar", nazgul=1)
    position.place("witch-king", "angmar").place("mouth-of-sauron", "morannon").place("saruman", "orthanc")
    game = flying(position)
    everybody = {"region:barad-dur", "region:angmar", "character:witch-king", "character:mouth-of-sauron"}
    assert legal(game) == everybody
    play(game, "region:barad-dur", "region:angmar")
    assert legal(game) == everybody | {"verb:done"}
    play(game, "region:angmar", "region:edoras")
    assert legal(game) == everybody - {"region:angmar"} | {"verb:done"}  # the one there has just arrived
    play(game, "character:witch-king", "region:edoras", "character:mouth-of-sauron", "region:dagorlad")
    assert legal(game) == {"region:barad-dur", "verb:done"}
    play(game, "region:barad-dur", "region:dale")
    assert action_is_over(game)
    assert (
        figures_at(game, "angmar") == figures_at(game, "edoras") == figures_at(game, "dale") == {"nazgul": 1}
    )
    assert is_at(game, "witch-king", "edoras") and is_at(game, "mouth-of-sauron", "dagorlad")


def test_RG13_any_subset_of_the_nazgul_and_split_groups():
    game = flying(Position().army("barad-dur", nazgul=3))
    play(game, "region:barad-dur", "region:dale", "region:barad-dur", "region:bree", "verb:done")
    assert action_is_over(game)
    assert (
        figures_at(game, "barad-dur") == figures_at(game, "dale") == figures_at(game, "bree") == {"nazgul": 1}
    )


def test_RG13_at_least_one_moves_and_all_eight_may():
    game = flying(Position().army("barad-dur", nazgul=8))
    assert legal(game) == {"region:barad-dur"}
    play(game, *["region:barad-dur", "region:dale"] * 8)
    assert action_is_over(game)
    assert figures_at(game, "dale") == {"nazgul": 8}


def test_R7_7_1_the_next_action_moves_them_again():
    game = flying(Position().army("barad-dur", nazgul=1).place("witch-king", "barad-dur"))
    play(game, "region:barad-dur", "region:dale", "character:witch-king", "region:dale")
    play(game, "face:event", "plan:skip", "face:character", "plan:move-minions")
    assert legal(game) == {"region:dale", "character:witch-king"}


@pytest.mark.parametrize("face", ["army", "muster", "army_muster", "event"])
def test_R7_7_1_other_results_do_not_move_them(face):
    position = Position().army("barad-dur", nazgul=1).dice("event", face, acting=SHADOW)
    game = play(position.game(), f"face:{face.replace('_', '-')}")
    assert "plan:move-minions" not in legal(game)


def test_R7_7_1_R7_3_2_without_nazgul_or_minion_there_is_no_such_action():
    position = Position().army("barad-dur", sauron=3).dice("event", "character", acting=SHADOW)
    assert legal_block(play(position.game(), "face:character"), "plan") == {"skip"}


def test_GX38_R7_7_2_nazgul_fly_anywhere_but_to_free_strongholds():
    position = Position().army("barad-dur", nazgul=1).army("bree", north=5)
    game = flying(position)
    play(game, "region:barad-dur")
    assert legal_block(game, "region") == OPEN_TO_NAZGUL - {"barad-dur"}
    assert {"edoras", "bree"} <= legal_block(game, "region")


def test_R7_7_2_R7_3_2_the_witch_king_flies_like_a_nazgul():
    game = flying(Position().place("witch-king", "minas-morgul"))
    play(game, "character:witch-king")
    assert legal_block(game, "region") == OPEN_TO_NAZGUL - {"minas-morgul"}


@pytest.mark.parametrize("place", ["minas-tirith", "rivendell"])
def test_GX38_R7_7_2_they_join_the_besieger_of_a_free_stronghold(place):
    position = Position().at_war("sauron").army(place, elves=2, sauron=1).army("barad-dur", nazgul=1)
    game = flying(position)
    play(game, "region:barad-dur")
    assert legal_block(game, "region") == (OPEN_TO_NAZGUL | {place}) - {"barad-dur"}
    play(game, f"region:{place}", "face:event", "plan:skip", "face:character")
    assert {"plan:move-armies", "plan:attack"} <= legal(game)  # they lead the besieger


def test_R7_7_2_a_captured_free_stronghold_is_open_and_a_captured_shadow_stronghold_closed():
    position = Position().army("barad-dur", nazgul=1).control("helms-deep", SHADOW)
    game = flying(position.control("moria", FREE_PEOPLES))
    play(game, "region:barad-dur")
    assert legal_block(game, "region") == (OPEN_TO_NAZGUL | {"helms-deep"}) - {"barad-dur", "moria"}


def test_R7_7_2_a_shadow_stronghold_under_siege_is_open_both_ways():
    position = Position().at_war("sauron").army("moria", sauron=1, dwarves=3).army("barad-dur", nazgul=1)
    game = flying(position)
    play(game, "region:barad-dur", "region:moria", "face:event", "plan:skip", "face:character")
    assert "plan:attack" in legal(game)  # a sortie that he leads
    play(game, "plan:move-minions", "region:moria")
    assert "barad-dur" in legal_block(game, "region")


def test_R7_7_2_nazgul_may_leave_a_free_stronghold_and_not_return():
    game = flying(Position().army("minas-tirith", gondor=1, sauron=1, nazgul=2))
    play(game, "region:minas-tirith")
    assert legal_block(game, "region") == OPEN_TO_NAZGUL


def mouth_at(place: str) -> Position:
    return Position().place("mouth-of-sauron", place)


def test_R7_7_3_the_mouth_walks_up_to_three_regions():
    game = flying(mouth_at("forlindon").control("grey-havens", SHADOW).army("ered-luin", dwarves=4))
    play(game, "character:mouth-of-sauron")
    assert legal_block(game, "region") == {
        "grey-havens",
        "ered-luin",
        "harlindon",
        "tower-hills",
        "evendim",
        "north-ered-luin",
        "south-ered-luin",
        "the-shire",
    }


def test_R7_7_3_the_mouth_stops_at_free_strongholds_only():
    game = flying(mouth_at("forlindon"))
    play(game, "character:mouth-of-sauron")
    assert legal_block(game, "region") == {"grey-havens"}
    play(game, "region:grey-havens", "face:event", "plan:skip", "face:character", "plan:move-minions")
    play(game, "character:mouth-of-sauron")
    assert {"ered-luin", "harlindon", "tower-hills", "the-shire", "buckland"} <= legal_block(game, "region")
    game = flying(mouth_at("barad-dur"))
    play(game, "character:mouth-of-sauron")
    assert {"dagorlad", "north-ithilien", "south-ithilien"} <= legal_block(game, "region")


def test_R7_7_3_a_shadow_stronghold_under_siege_is_closed_to_the_mouth():
    position = Position().army("moria", sauron=1, dwarves=3).place("mouth-of-sauron", "dimrill-dale")
    game = flying(position)
    play(game, "character:mouth-of-sauron")
    assert not {"moria", "hollin"} & legal_block(game, "region")
    assert {"lorien", "rhosgobel", "dol-guldur"} <= legal_block(game, "region")


def test_R7_7_3_inside_a_besieged_stronghold_the_mouth_stays():
    position = Position().army("moria", sauron=1, dwarves=3, nazgul=1).place("mouth-of-sauron", "moria")
    assert legal(flying(position)) == {"region:moria"}


BESIEGED_ONLY = Ruleset(ask_single=True, mouth_strongholds="besieged_only")


def reach_of_mouth(position: Position) -> set[str]:
    return legal_block(play(flying(position), "character:mouth-of-sauron"), "region")


def test_R7_7_3_RG61_by_option_free_strongholds_are_closed_to_the_mouth():
    position = Position(BESIEGED_ONLY).place("mouth-of-sauron", "tower-hills")
    assert not {"grey-havens", "forlindon"} & reach_of_mouth(position)  # neither its end nor on its way
    assert {"grey-havens", "forlindon"} <= reach_of_mouth(position.control("grey-havens", SHADOW))
    taken = Position(BESIEGED_ONLY).place("mouth-of-sauron", "dimrill-dale").control("moria", FREE_PEOPLES)
    assert not {"moria", "lorien"} & reach_of_mouth(taken)


def test_R7_7_3_RG61_by_option_the_mouth_joins_a_besieger_and_stops_there():
    position = Position(BESIEGED_ONLY).army("grey-havens", elves=2, sauron=1)
    reached = reach_of_mouth(position.place("mouth-of-sauron", "tower-hills"))
    assert "grey-havens" in reached and "forlindon" not in reached


def test_R7_7_3_RG61_by_option_the_mouth_leaves_a_free_stronghold_and_does_not_return():
    position = Position(BESIEGED_ONLY).place("mouth-of-sauron", "minas-tirith")
    reached = reach_of_mouth(position)
    assert {"osgiliath", "lossarnach"} <= reached and "minas-tirith" not in reached
    shut_in = Position(BESIEGED_ONLY).place("mouth-of-sauron", "forlindon").army("barad-dur", nazgul=1)
    assert legal(flying(shut_in)) == {"region:barad-dur"}  # the Mouth has nowhere to go


def test_R7_7_3_RG61_by_option_the_mouth_enters_a_free_stronghold_with_an_army():
    position = Position(BESIEGED_ONLY).at_war("sauron").army("osgiliath", sauron=2)
    game = position.place("mouth-of-sauron", "osgiliath").dice("event", "army", acting=SHADOW).game()
    play(game, "face:army", "plan:move-armies", "region:osgiliath", "region:minas-tirith", "verb:whole-army")
    assert is_at(game, "mouth-of-sauron", "minas-tirith")


def test_R7_7_3_the_mouth_moves_with_an_army():
    position = mouth_at("morannon").at_war("sauron").army("morannon", sauron=2)
    game = position.dice("event", "character", acting=SHADOW).game()
    play(game, "face:character", "plan:move-armies", "region:morannon", "region:dagorlad", "verb:whole-army")
    assert is_at(game, "mouth-of-sauron", "dagorlad")
    assert figures_at(game, "dagorlad") == {"sauron": 2}


def test_R7_7_4_saruman_never_leaves_orthanc():
    position = Position().at_war("isengard").army("orthanc", isengard=2, nazgul=1).place("saruman", "orthanc")
    game = flying(position)
    assert legal(game) == {"region:orthanc"}
    game = position.dice("event", "army", acting=SHADOW).game()
    play(game, "face:army", "plan:move-armies", "region:orthanc", "region:gap-of-rohan")
    assert legal_block(game, "character") == set()
    play(game, "verb:whole-army")
    assert is_at(game, "saruman", "orthanc")
    assert figures_at(game, "gap-of-rohan") == {"isengard": 2, "nazgul": 1}


def test_R7_7_4_RG4_saruman_stays_behind_in_a_retreat():
    position = Position().at_war("isengard", "rohan").army("orthanc", isengard=2).place("saruman", "orthanc")
    position.army("fords-of-isen", rohan=2)
    game = position.dice("army", "event").game(1, 1, 1, 1, 1)
    play(game, "face:army", "plan:attack", "region:fords-of-isen", "region:orthanc", "verb:whole-army")
    play(game, "verb:fight", "verb:continue", "region:gap-of-rohan")
    assert figures_at(game, "gap-of-rohan") == {"isengard": 2}
    assert is_at(game, "saruman", "orthanc")
