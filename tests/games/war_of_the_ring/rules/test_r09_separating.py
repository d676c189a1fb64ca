"""Companions separate from the Fellowship (R9.8)."""

from __future__ import annotations

import pytest

from tests.positions import Position, character, legal, legal_block, play, region
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Location, Side

SEPARATE = ("face:character", "plan:separate-companions")


def inside(game: Game) -> set[str]:
    """The Companions in the Fellowship."""
    members = range(Character.GANDALF_GREY, Character.GOLLUM)
    in_fellowship = (Character(who) for who in members if game.state.location[who] == Location.IN_FELLOWSHIP)
    return {who.name.lower().replace("_", "-") for who in in_fellowship}


def where(game: Game, name: str) -> int:
    return int(game.state.location[character(name)])


def guide(game: Game) -> str:
    return Character(int(game.state.guide)).name.lower().replace("_", "-")


def separated(position: Position, *companions: str) -> Game:
    """The choice of a destination for a group that leaves the Fellowship."""
    game = play(position.dice("character character").game(), *SEPARATE)
    return play(game, *(f"character:{name}" for name in companions), "verb:done")


@pytest.mark.parametrize("revealed", [False, True])
def test_R9_8_1_Companions_separate_Hidden_or_Revealed(revealed):
    position = Position().fellowship("hollin", revealed=revealed)
    game = play(separated(position, "gimli"), "region:moria")
    assert where(game, "gimli") == region("moria")
    assert game.state.revealed == revealed


def test_R9_8_1_D17_Character_or_Will_but_nobody_leaves_on_the_Mordor_Track():
    position = Position().fellowship("hollin").dice("character muster event will")
    for face, leaves in (("character", True), ("muster", False), ("event", False), ("will", True)):
        assert ("plan:separate-companions" in legal(play(position.game(), f"face:{face}"))) == leaves
    game = play(Position().fellowship(mordor_step=1).dice("character").game(), "face:character")
    assert legal(game) == {"plan:skip", "plan:move-fellowship"}


def test_GX18_R9_8_2_Legolas_and_Merry_get_as_far_as_the_Woodland_Realm():
    position = Position().fellowship("rivendell", progress=5)
    game = separated(position, "legolas", "meriadoc")
    assert "woodland-realm" in legal_block(game, "region")
    play(game, "region:woodland-realm")
    assert where(game, "legolas") == where(game, "meriadoc") == region("woodland-realm")
    # Exactly 7: one step less is not enough, nor is Merry alone.
    game = separated(Position().fellowship("rivendell", progress=4), "legolas", "meriadoc")
    assert "woodland-realm" not in legal_block(game, "region")
    game = separated(Position().fellowship("rivendell", progress=5), "meriadoc")
    assert "woodland-realm" not in legal_block(game, "region")


def test_R9_8_2_D17_the_group_is_chosen_one_by_one():
    position = Position().fellowship("rivendell", companions=["strider", "gimli", "peregrin"])
    game = play(position.dice("character character").game(), *SEPARATE)
    assert legal(game) == {"character:strider", "character:gimli", "character:peregrin"}
    play(game, "character:gimli")
    assert legal(game) == {"character:strider", "character:peregrin", "verb:done"}
    play(game, "character:strider", "verb:done")
    assert game.decision == Decision.SEPARATE_DESTINATION
    play(game, "region:rivendell")
    assert inside(game) == {"peregrin"}


@pytest.mark.parametrize(
    ("group", "progress", "reach"),
    [
        (["peregrin"], 0, {"grey-havens", "ered-luin", "forlindon", "harlindon", "tower-hills"}),
        (
            ["gimli", "peregrin"],  # the highest Level counts
            0,
            {
                *("grey-havens", "ered-luin", "forlindon", "harlindon", "tower-hills"),
                *("evendim", "north-ered-luin", "south-ered-luin", "the-shire"),
            },
        ),
        (
            ["peregrin"],
            1,
            {
                *("grey-havens", "ered-luin", "forlindon", "harlindon", "tower-hills"),
                *("evendim", "north-ered-luin", "south-ered-luin", "the-shire"),
            },
        ),
    ],
)
def test_R9_8_2_range_is_progress_and_the_highest_Level(group, progress, reach):
    game = separated(Position().fellowship("grey-havens", progress=progress), *group)
    assert legal(game) == {f"region:{name}" for name in reach}


def test_R9_8_2_they_stop_at_a_Shadow_Stronghold_unless_they_start_there():
    game = separated(Position().fellowship("hollin"), "gimli")
    assert "moria" in legal_block(game, "region")
    assert "dimrill-dale" not in legal_block(game, "region")
    game = separated(Position().fellowship("hollin").control("moria", Side.FREE_PEOPLES), "gimli")
    assert "dimrill-dale" in legal_block(game, "region")
    game = separated(Position().fellowship("moria"), "gimli")
    assert {"moria", "dimrill-dale", "lorien"} <= legal_block(game, "region")


def test_R9_8_2_RU47_a_besieged_Stronghold_is_closed():
    position = Position().fellowship("osgiliath").army("minas-tirith", gondor=1, sauron=1).at_war("sauron")
    game = separated(position, "gandalf-grey")
    reach = legal_block(game, "region")
    assert "minas-tirith" not in reach
    assert {"lossarnach", "druadan-forest", "edoras"} <= reach


def test_R9_8_2_RU47_who_separates_in_a_besieged_Stronghold_stays_inside():
    position = Position().fellowship("minas-tirith", progress=5).army("minas-tirith", gondor=1, sauron=1)
    game = separated(position.at_war("sauron"), "boromir", "gandalf-grey")
    assert legal(game) == {"region:minas-tirith"}


def test_R9_8_3_staying_at_distance_0_is_an_entry():
    position = Position().fellowship("minas-tirith").politics("gondor", 2, active=False)
    game = play(separated(position, "boromir"), "region:minas-tirith")
    assert game.state.active[2] == 1
    assert game.state.steps_to_war[2] == 2


def test_R9_8_4_the_Fellowship_keeps_its_counters_and_chooses_a_Guide():
    position = Position().fellowship("hollin", progress=4, corruption=3)
    game = play(separated(position, "gandalf-grey", "peregrin"), "region:moria")
    assert game.decision == Decision.ACTION_DIE
    assert guide(game) == "strider"
    assert inside(game) == {"strider", "boromir", "legolas", "gimli", "meriadoc"}
    state = game.state
    assert (state.fellowship_region, state.progress, state.corruption) == (region("hollin"), 4, 3)
    assert not state.revealed


def test_R9_8_4_nobody_comes_back():
    position = Position().fellowship("hollin", companions=["gimli"]).place("boromir", "hollin")
    game = position.dice("character character").game()
    play(game, *SEPARATE)
    assert legal(game) == {"character:gimli"}
    play(game, "character:gimli", "verb:done", "region:hollin")
    assert where(game, "gimli") == where(game, "boromir") == region("hollin")
    assert inside(game) == set()


def test_R9_8_5_a_second_group_needs_another_die():
    position = Position().fellowship("hollin", companions=["gandalf-grey", "boromir", "gimli"])
    position.dice("character character", "army")
    game = play(position.game(), *SEPARATE, "character:boromir", "verb:done", "region:moria")
    assert game.decision == Decision.ACTION_DIE and game.side == Side.SHADOW
    play(game, "face:army", "plan:skip", *SEPARATE)
    assert legal_block(game, "character") == {"gandalf-grey", "gimli"}
    play(game, "character:gimli", "verb:done", "region:trollshaws")
    assert where(game, "boromir") == region("moria")
    assert where(game, "gimli") == region("trollshaws")
