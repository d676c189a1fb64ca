"""Politics: what nations at peace may not do, and whom that does not bind (R8.5-R8.7)."""

from __future__ import annotations

import pytest

from tests.positions import Position, legal, legal_block, nation, play, region
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Side

UNBOUND = Ruleset(ask_single=True, leaders_bound=False)


def moving(position: Position, origin: str, face: str = "army") -> Game:
    """The choice of a destination for the army of a region."""
    return play(position.game(), f"face:{face}", "plan:move-armies", f"region:{origin}")


# --- Moving (R8.5 1, RU16). ---


def test_GX19_R8_5_RU16_at_peace_only_the_own_nation_and_no_nations_land_are_entered():
    position = Position().army("dale", north=2).dice("army army")
    own_and_nobodys = {"northern-rhovanion", "old-forest-road", "vale-of-the-carnen", "withered-heath"}
    assert legal_block(moving(position, "dale"), "region") == own_and_nobodys
    position = Position().army("dale", north=2).at_war("north").dice("army army")
    foreign = {"erebor", "iron-hills", "woodland-realm"}
    assert legal_block(moving(position, "dale"), "region") == own_and_nobodys | foreign


def test_R8_5_enemy_regions_are_closed_at_peace_as_well():
    position = Position().army("fords-of-isen", rohan=1).dice("army army")
    assert legal_block(moving(position, "fords-of-isen"), "region") == {
        "druwaith-iaur",
        "fangorn",
        "helms-deep",
        "westemnet",
    }
    position = Position().army("orthanc", isengard=1).dice("", "army army", acting=Side.SHADOW)
    assert legal_block(moving(position, "orthanc"), "region") == {"gap-of-rohan"}


def test_R8_5_units_at_peace_are_left_behind_to_be_free():
    position = Position().army("western-emyn-muil", gondor=2, rohan=2).at_war("rohan").dice("army army")
    game = play(moving(position, "western-emyn-muil"), "region:eastemnet")
    assert legal(game) == {"figure:rohan-regular", "verb:whole-army"}
    play(game, "verb:whole-army")
    assert game.state.regular[region("western-emyn-muil")].tolist() == [0, 0, 2, 0, 0, 0, 0, 0]
    assert game.state.regular[region("eastemnet")].tolist() == [0, 0, 0, 0, 2, 0, 0, 0]


def test_RU17_R8_5_the_Leaders_of_a_nation_at_peace_are_bound_like_its_units():
    position = Position().army("western-emyn-muil", gondor=2, rohan_leader=1).at_war("gondor")
    game = play(moving(position.dice("army army"), "western-emyn-muil"), "region:druadan-forest")
    assert legal(game) == {"figure:gondor-regular"}  # one unit stays with the Leader (R7.5.4)
    play(game, "figure:gondor-regular")
    assert legal(game) == {"verb:done"}
    play(game, "verb:done")
    assert game.state.leader[region("western-emyn-muil"), nation("rohan")] == 1


def test_RU17_by_option_Leaders_go_where_they_like():
    position = Position(UNBOUND).army("western-emyn-muil", gondor=2, rohan_leader=1).at_war("gondor")
    game = play(moving(position.dice("army army"), "western-emyn-muil"), "region:druadan-forest")
    assert legal(game) == {"figure:gondor-regular", "figure:rohan-leader", "verb:whole-army"}
    play(game, "verb:whole-army")
    assert game.state.leader[region("druadan-forest"), nation("rohan")] == 1


def test_RU17_a_Leader_at_peace_holds_back_the_last_unit():
    place = "western-emyn-muil"
    for ruleset, crosses in ((Ruleset(ask_single=True), False), (UNBOUND, True)):
        position = Position(ruleset).army(place, gondor=1, rohan_leader=1).at_war("gondor")
        game = moving(position.dice("army army"), place)
        assert ("druadan-forest" in legal_block(game, "region")) == crosses
        assert "dead-marshes" in legal_block(game, "region")


# --- Attacking (R8.5 2). ---


def test_R8_5_units_at_peace_never_attack_but_defend():
    position = Position().army("westemnet", rohan=2).army("fords-of-isen", isengard=2)
    game = play(position.dice("army", "army").game(), "face:army")
    assert "plan:attack" not in legal(game)
    position = Position().army("westemnet", rohan=2).army("fords-of-isen", isengard=2).at_war("isengard")
    game = position.dice("", "army army", acting=Side.SHADOW).game(1, 1, 6, 1)
    play(game, "face:army", "plan:attack", "region:fords-of-isen", "region:westemnet", "verb:whole-army")
    assert game.decision == Decision.CASUALTY and game.side == Side.SHADOW
    assert game.state.steps_to_war[nation("rohan")] == 2


def test_R8_5_units_at_peace_stay_in_the_rearguard():
    position = Position().army("westemnet", rohan=2, gondor=2).army("fords-of-isen", isengard=2)
    position.at_war("rohan").dice("army", "army")
    game = play(position.game(), "face:army", "plan:attack", "region:westemnet", "region:fords-of-isen")
    assert legal(game) == {"figure:rohan-regular", "verb:whole-army"}
    play(game, "verb:whole-army")
    assert game.state.party_regular.tolist() == [0, 0, 0, 0, 2, 0, 0, 0]


def test_RU17_a_Leader_at_peace_does_not_attack_unless_by_option():
    for ruleset, leaders in ((Ruleset(ask_single=True), set()), (UNBOUND, {"figure:gondor-leader"})):
        position = Position(ruleset).army("westemnet", rohan=2, gondor=1, gondor_leader=1)
        position.army("fords-of-isen", isengard=2).at_war("rohan").dice("army", "army")
        game = play(position.game(), "face:army", "plan:attack", "region:westemnet", "region:fords-of-isen")
        assert legal(game) == {"figure:rohan-regular", "verb:whole-army"} | leaders


# --- Recruiting (R8.5 3). ---


def test_R8_5_a_nation_at_peace_is_not_recruited_by_Muster():
    game = play(Position(setup=True).dice("muster muster").game(), "face:muster")
    assert legal(game) == {"plan:skip", "plan:advance-nation"}
    game = play(Position().at_war("gondor").dice("muster muster").game(), "face:muster", "plan:recruit")
    assert legal_block(game, "figure") == {"gondor-regular", "gondor-elite"}  # no unit for a Leader to join


# --- Retreating (R8.5, GX19). ---


def test_GX19_R8_5_a_retreat_crosses_any_border():
    position = Position().army("dale", north=3).army("vale-of-the-carnen", sauron=5).at_war("sauron")
    position.dice("army", "army", acting=Side.SHADOW)
    game = play(
        position.game(6, 1, 1, 1, 1, 1, 1, 1), "face:army", "plan:attack", "region:vale-of-the-carnen"
    )
    play(game, "region:dale", "verb:whole-army", "figure:north-regular", "verb:continue")
    assert game.decision == Decision.RETREAT
    assert game.state.steps_to_war[nation("north")] == 2  # still at peace
    nobodys = {"northern-rhovanion", "withered-heath"}
    assert legal_block(game, "region") == nobodys | {
        "old-forest-road",
        "erebor",
        "iron-hills",
        "woodland-realm",
    }
    play(game, "region:erebor")
    assert game.state.regular[region("erebor"), nation("north")] == 2


def test_R8_5_from_abroad_the_way_home_or_to_nobodys_land_is_open():
    position = Position().army("erebor", north=2).dice("army army")
    assert legal_block(moving(position, "erebor"), "region") == {"dale", "withered-heath"}


# --- Characters and Nazgul (R8.6). ---


def test_GX20_R8_6_Nazgul_fight_for_a_nation_At_War_though_Sauron_is_at_peace():
    position = Position().army("fords-of-isen", isengard=2, nazgul=1).army("westemnet", rohan=2)
    position.politics("sauron", 1).at_war("isengard").dice("", "character army", acting=Side.SHADOW)
    # Two Combat dice miss on each side; the Nazgul gives one re-roll, a hit.
    game = play(position.game(1, 1, 1, 1, 6), "face:character", "plan:attack", "region:fords-of-isen")
    play(game, "region:westemnet")
    assert legal(game) == {"figure:isengard-regular", "figure:sauron-nazgul", "verb:whole-army"}
    play(game, "verb:whole-army")
    assert game.decision == Decision.CASUALTY and game.side == Side.FREE_PEOPLES
    assert game.state.hits.tolist() == [0, 1]


def test_R8_6_Nazgul_and_characters_cannot_make_units_at_peace_attack():
    position = Position().army("north-ithilien", sauron=3, nazgul=1).place("witch-king", "north-ithilien")
    position.army("osgiliath", gondor=1).dice("", "character army", acting=Side.SHADOW)
    game = play(position.game(), "face:character")
    assert "plan:attack" not in legal(game)
    position = Position().army("osgiliath", gondor=1).place("boromir", "osgiliath")
    position.army("north-ithilien", sauron=3).dice("character army")
    game = play(position.game(), "face:character")
    assert "plan:attack" not in legal(game)


def test_R8_6_Nazgul_and_characters_do_not_restrict_a_move():
    position = Position().army("fords-of-isen", isengard=1, nazgul=1).at_war("isengard")
    position.place("mouth-of-sauron", "fords-of-isen").dice("", "army army", acting=Side.SHADOW)
    game = play(moving(position, "fords-of-isen"), "region:westemnet")
    assert legal_block(game, "figure") == {"isengard-regular", "sauron-nazgul"}
    assert legal_block(game, "character") == {"mouth-of-sauron"}
    play(game, "verb:whole-army")
    assert game.state.leader[region("westemnet"), nation("sauron")] == 1


def test_R8_6_Companions_act_as_if_At_War():
    position = Position().place("boromir", "osgiliath").dice("character character")  # Gondor is at peace
    game = play(position.game(), "face:character", "plan:move-companions", "character:boromir", "verb:done")
    assert {"minas-morgul", "west-harondor", "near-harad", "eastemnet"} <= legal_block(game, "region")


def test_R8_6_a_Companion_of_a_nation_at_peace_leads_an_army_At_War():
    position = Position().army("westemnet", rohan=2).place("boromir", "westemnet").at_war("rohan")
    position.army("fords-of-isen", isengard=2).dice("character character")
    game = play(position.game(), "face:character", "plan:attack", "region:westemnet", "region:fords-of-isen")
    assert legal_block(game, "character") == {"boromir"}


# --- Reaching At War (R8.7). ---


@pytest.mark.parametrize("steps", [1, 2])
def test_R8_7_reaching_At_War_removes_all_restrictions_at_once(steps):
    position = Position().army("westemnet", rohan=2).army("fords-of-isen", isengard=2)
    position.politics("rohan", steps).dice("muster army_muster army_muster")
    game = position.game()
    play(game, "face:army-muster")
    assert legal(game) == {"plan:skip", "plan:advance-nation", "plan:move-armies"}
    play(game, "plan:skip", "face:muster", "plan:advance-nation", "nation:rohan", "face:army-muster")
    now = {"plan:attack", "plan:recruit"} if steps == 1 else set()
    assert legal(game) == {"plan:skip", "plan:advance-nation", "plan:move-armies"} | now


def test_R8_7_a_nation_attacked_into_war_strikes_back_with_the_next_die():
    position = Position().army("westemnet", rohan=2).army("fords-of-isen", isengard=1).at_war("isengard")
    position.politics("rohan", 1, active=False).dice("army", "army", acting=Side.SHADOW)
    game = play(position.game(1, 1, 1), "face:army", "plan:attack", "region:fords-of-isen")
    play(game, "region:westemnet", "verb:whole-army", "verb:cease", "face:army", "plan:attack")
    assert legal_block(game, "region") == {"westemnet"}
