"""The Companions and their upgrades (R14.0-R14.9), Gollum and the Ring-bearers.

Gollum's tiles and the Hobbits' reactions to a Hunt are in ``test_r10_damage``.
"""

from __future__ import annotations

import pytest

from tests.positions import Position, character, legal, legal_block, nation, play, region, tile
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Face, Location, Side
from wotr_env.games.war_of_the_ring.components import DISTANCE, REGION_IDS

FREE_PEOPLES_FACES = ("character", "army", "muster", "army-muster", "event", "will")
FAR_AWAY = "forlindon"  # no Shadow Stronghold within 4 regions
PLACES = {
    "dwarves": ("erebor", "dale"),
    "elves": ("woodland-realm", "western-mirkwood"),
    "gondor": ("minas-tirith", "osgiliath"),
    "north": ("dale", "erebor"),
    "rohan": ("edoras", "westemnet"),
}
"""A City or Stronghold of each nation, and a region next to it."""


def outside(dice: str = "character character", shadow: str = "army", /, **places: str) -> Position:
    """These characters are on the board, one other Companion is left in the Fellowship."""
    names = {name.replace("_", "-"): place for name, place in places.items()}
    inside = next(name for name in ("peregrin", "meriadoc", "gimli") if name not in names)
    position = Position(Ruleset(ask_single=True)).dice(dice, shadow).fellowship(companions=[inside])
    for name, place in names.items():
        position.place(name, place)
    return position


def with_options(position: Position, **options) -> Position:
    position.state.options[:] = Ruleset(ask_single=True, **options).encode()
    return position


def unread(game: Game) -> list[int]:
    state = game.state
    return state.tape[state.tape_position : state.tape_length].tolist()


def walks(*names: str) -> set[str]:
    """Where a group goes from ``FAR_AWAY``."""
    game = outside(**{name.replace("-", "_"): FAR_AWAY for name in names}).game()
    play(game, "face:character", "plan:move-companions", *(f"character:{name}" for name in names))
    return legal_block(play(game, "verb:done"), "region")


def within(steps: int) -> set[str]:
    distances = DISTANCE[region(FAR_AWAY)]
    return {name for i, name in enumerate(REGION_IDS) if 0 < distances[i] <= steps}


def rouses(name: str) -> set[str]:
    """The nations that a Companion activates by walking into their City or Stronghold."""
    found = set()
    for people, (place, next_to_it) in PLACES.items():
        position = outside(**{name.replace("-", "_"): next_to_it}).politics(people, 3, active=False)
        game = play(position.game(), "face:character", "plan:move-companions", f"character:{name}")
        play(game, "verb:done", f"region:{place}")
        if game.state.active[nation(people)]:
            found.add(people)
    return found


def fight(units: int, *names: str) -> tuple[int, int]:
    """Combat dice and re-rolls of an FP army that attacks with these characters: every die misses."""
    position = outside(**{name.replace("-", "_"): "eastemnet" for name in names}).at_war("rohan")
    position.army("eastemnet", rohan=units).army("western-brown-lands", isengard=1)
    game = play(position.game(*[1] * 20), "face:character", "plan:attack", "region:eastemnet")
    play(game, "region:western-brown-lands", "verb:whole-army")
    if game.decision == Decision.WHITE_RIDER:
        play(game, "verb:decline")
    assert game.decision == Decision.CEASE
    dice = int(game.state.misses[Side.FREE_PEOPLES])
    return dice, 20 - len(unread(game)) - dice - 1


ALL = set(PLACES)
COMPANIONS = {
    "gandalf-grey": (3, 1, 1, ALL),  # Level, Leadership, Captain of the West, nations
    "strider": (3, 1, 1, {"north"}),
    "boromir": (2, 1, 1, {"gondor"}),
    "legolas": (2, 1, 1, {"elves"}),
    "gimli": (2, 1, 1, {"dwarves"}),
    "meriadoc": (1, 1, 0, ALL),
    "peregrin": (1, 1, 0, ALL),
    "gandalf-white": (4, 1, 0, ALL),  # Level 3, 4 when alone
    "aragorn": (3, 2, 1, ALL),
}


@pytest.mark.parametrize("name", COMPANIONS)
def test_R14_1_R14_2_R14_3_R14_4_R14_5_R14_6_R14_8_R14_9_numbers_of_the_companions(name):
    level, leadership, captain, nations = COMPANIONS[name]
    assert walks(name) == within(level)
    assert fight(2, name) == (2 + captain, leadership)
    assert rouses(name) == nations


# --- Board abilities and Captains (R14.0). ---


@pytest.mark.parametrize(
    ("units", "names", "dice"),
    [
        (1, ("boromir", "gimli"), 3),
        (1, ("boromir", "meriadoc", "peregrin", "gandalf-white"), 2),
        (3, ("gandalf-grey", "strider", "boromir", "legolas", "gimli"), 5),
        (7, ("aragorn",), 5),
    ],
)
def test_R14_0_1_captains_of_the_west_add_strength_up_to_5(units, names, dice):
    assert fight(units, *names)[0] == dice


def test_R14_0_1_a_captain_in_the_rearguard_or_elsewhere_adds_nothing():
    position = outside(boromir="eastemnet", gimli="fangorn", legolas="eastemnet").at_war("rohan")
    position.army("eastemnet", rohan=1).army("western-brown-lands", isengard=1)
    game = play(position.game(*[1] * 9), "face:character", "plan:attack", "region:eastemnet")
    play(game, "region:western-brown-lands", "figure:rohan-regular", "character:boromir", "verb:done")
    assert game.state.misses[Side.FREE_PEOPLES] == 2


def test_R14_0_no_board_ability_inside_the_fellowship():
    position = Position(Ruleset(ask_single=True)).dice("event", "army")
    game = play(position.fellowship("rivendell", companions=["legolas"]).game(), "face:event")
    assert legal_block(game, "plan") == {"skip", "draw-card"}


# --- Strider (R14.2). ---


@pytest.mark.parametrize("face", FREE_PEOPLES_FACES)
def test_R14_2_any_die_hides_the_fellowship_of_strider(face):
    position = Position(Ruleset(ask_single=True)).dice(f"{face.replace('-', '_')} event", "army")
    position.fellowship("rivendell", revealed=True, guide="strider")
    game = play(position.game(), f"face:{face}")
    assert "plan:hide-fellowship" in legal(game)
    play(game, "plan:hide-fellowship")
    assert game.state.revealed == 0 and game.state.hunt_box.tolist() == [0, 0]


@pytest.mark.parametrize(("face", "hides"), [("character", True), ("will", True), ("event", False)])
def test_R14_2_not_as_a_mere_member_of_the_fellowship(face, hides):
    position = Position(Ruleset(ask_single=True)).dice(face, "army")
    position.fellowship("rivendell", revealed=True, guide="gandalf-grey")
    assert ("plan:hide-fellowship" in legal(play(position.game(), f"face:{face}"))) == hides


def test_R14_2_a_hidden_fellowship_is_not_hidden_again():
    position = Position(Ruleset(ask_single=True)).dice("event", "army").fellowship(guide="strider")
    assert "plan:hide-fellowship" not in legal(play(position.game(), "face:event"))


# --- Boromir, Legolas, Gimli (R14.3-R14.5). ---


def advances(position: Position, face: str = "event") -> set[str]:
    """The nations that the Companions can advance by a die."""
    game = play(position.game(), f"face:{face}")
    if "plan:companion-advance" not in legal(game):
        return set()
    return legal_block(play(game, "plan:companion-advance"), "nation")


@pytest.mark.parametrize("face", FREE_PEOPLES_FACES)
def test_R14_3_R14_4_R14_5_any_die_advances_their_nations(face):
    places = {"boromir": "minas-tirith", "legolas": "lorien", "gimli": "erebor"}
    position = outside(f"{face.replace('-', '_')} event", **places)
    game = play(position.game(), f"face:{face}", "plan:companion-advance")
    assert legal(game) == {"nation:gondor", "nation:elves", "nation:dwarves"}
    for people, steps in (("gondor", 1), ("elves", 2), ("dwarves", 2)):
        assert play(game.clone(), f"nation:{people}").state.steps_to_war[nation(people)] == steps


@pytest.mark.parametrize(
    ("name", "place", "nations"),
    [
        ("boromir", "minas-tirith", {"gondor"}),
        ("boromir", "dol-amroth", {"gondor"}),
        ("boromir", "pelargir", {"gondor"}),
        ("boromir", "lamedon", set()),
        ("boromir", "osgiliath", set()),
        ("boromir", "helms-deep", set()),
        ("legolas", "rivendell", {"elves"}),
        ("legolas", "woodland-realm", {"elves"}),
        ("legolas", "grey-havens", {"elves"}),
        ("legolas", "erebor", set()),
        ("gimli", "erebor", {"dwarves"}),
        ("gimli", "iron-hills", set()),
        ("gimli", "lorien", set()),
        ("strider", "minas-tirith", set()),
    ],
)
def test_R14_3_R14_4_R14_5_only_in_their_places(name, place, nations):
    assert advances(outside("event", **{name: place})) == nations


def test_R14_3_R14_4_R14_5_not_where_the_shadow_rules():
    places = {"boromir": "pelargir", "legolas": "lorien", "gimli": "erebor"}
    position = outside("event", **places)
    for place in places.values():
        position.control(place, Side.SHADOW)
    assert advances(position) == set()


def test_R14_3_R14_4_R14_5_a_siege_does_not_matter():
    places = {"boromir": "minas-tirith", "legolas": "lorien", "gimli": "erebor"}
    position = outside("event", **places).army("minas-tirith", gondor=1, sauron=2)
    position.army("lorien", elves=1, sauron=2).army("erebor", dwarves=1, sauron=2)
    assert advances(position) == {"gondor", "elves", "dwarves"}


@pytest.mark.parametrize(
    ("steps", "active", "nations"), [(2, False, {"gondor"}), (1, False, set()), (1, True, {"gondor"})]
)
def test_R14_3_a_passive_nation_stops_before_war(steps, active, nations):
    position = outside("event", boromir="minas-tirith").politics("gondor", steps, active=active)
    assert advances(position) == nations


def test_R14_3_nothing_to_advance_at_war():
    assert advances(outside("event", boromir="minas-tirith").at_war("gondor")) == set()


# --- The Hobbits (R14.6). ---


def test_R14_6_taken_alive_as_if_separated():
    position = Position(Ruleset(ask_single=True)).dice("character character", "army").hunt_box(0, 1)
    position.fellowship("dimrill-dale", companions=["legolas", "meriadoc"])
    game = play(position.game(6, tile("tile-2-1"), character("meriadoc")), "face:character")
    play(game, "plan:move-fellowship", "verb:sacrifice-random")
    assert game.decision == Decision.TAKE_THEM_ALIVE
    play(game, "verb:accept")
    # Progress 1 and Level 1: two regions. Moria and Dol Guldur may be entered, not crossed.
    reached = legal_block(game, "region")
    assert {"moria", "dol-guldur", "lorien", "dimrill-dale", "fangorn"} <= reached
    assert not {"hollin", "north-dunland"} & reached
    play(game, "region:moria")
    assert game.state.location[character("meriadoc")] == region("moria")
    assert game.state.corruption == 1


def test_R14_6_only_hobbits_are_taken_alive():
    position = Position(Ruleset(ask_single=True)).dice("character character", "army").hunt_box(0, 1)
    position.fellowship(companions=["legolas", "meriadoc"]).pool("tile-2-1")
    game = play(position.game(6), "face:character", "plan:move-fellowship", "verb:sacrifice-guide")
    assert game.decision == Decision.ACTION_DIE


def test_R14_6_a_hobbit_lost_outside_the_fellowship_stays_dead():
    position = outside(meriadoc="eastemnet").at_war("isengard").army("eastemnet", rohan=1)
    position.army("western-brown-lands", isengard=5).dice("", "army event", acting=Side.SHADOW)
    game = play(position.game(6, 6, 6, 6, 6, 1, 1), "face:army", "plan:attack", "region:western-brown-lands")
    play(game, "region:eastemnet", "verb:whole-army", "figure:rohan-regular")
    assert game.decision == Decision.ADVANCE_FIGURES
    assert game.state.location[character("meriadoc")] == Location.ELIMINATED


# --- The upgrades (R14.7-R14.9). ---


def entries(position: Position, face: str = "will") -> set[str]:
    """The upgrades that a die can bring in."""
    game = play(position.game(), f"face:{face}")
    if "plan:bring-character" not in legal(game):
        return set()
    return legal_block(play(game, "plan:bring-character"), "character")


def minion_seen(position: Position) -> Position:
    """A Minion was in play once."""
    return position.place("witch-king", "angmar").place("witch-king", "eliminated")


def test_R14_7_without_strider_there_is_no_aragorn():
    assert entries(outside("will", strider="minas-tirith")) == {"aragorn"}
    assert entries(outside("will", strider="eliminated")) == set()


def test_R14_7_without_the_grey_there_may_be_the_white():
    assert entries(minion_seen(outside("will", gandalf_grey="eliminated"))) == {"gandalf-white"}


@pytest.mark.parametrize("face", FREE_PEOPLES_FACES)
def test_R14_8_R14_9_a_will_of_the_west_brings_them_in(face):
    position = minion_seen(outside(face.replace("-", "_"), gandalf_grey="bree", strider="pelargir"))
    expected = {"gandalf-white", "aragorn"} if face == "will" else set()
    assert entries(position, face) == expected


def test_R14_8_not_before_some_minion_came():
    assert entries(outside("will", gandalf_grey="bree")) == set()
    assert entries(outside("will", gandalf_grey="bree").place("saruman", "orthanc")) == {"gandalf-white"}


def test_R14_8_not_while_the_grey_is_in_the_fellowship():
    position = Position(Ruleset(ask_single=True)).dice("will", "army")
    assert entries(minion_seen(position)) == set()


def test_R14_8_the_white_stands_where_the_grey_stood():
    game = minion_seen(outside("will", gandalf_grey="bree")).game()
    play(game, "face:will", "plan:bring-character", "character:gandalf-white")
    assert legal(game) == {"region:bree"}
    play(game, "region:bree")
    assert game.state.location[character("gandalf-white")] == region("bree")
    assert game.state.location[character("gandalf-grey")] == Location.REPLACED


def test_R14_8_else_in_fangorn_or_an_elven_stronghold():
    position = minion_seen(outside("will event", gandalf_grey="eliminated"))
    position.control("rivendell", Side.SHADOW).army("lorien", elves=1, sauron=2)
    position.army("fangorn", isengard=3).politics("elves", 3, active=False)
    game = play(position.game(), "face:will", "plan:bring-character", "character:gandalf-white")
    assert legal_block(game, "region") == {"fangorn", "lorien", "grey-havens", "woodland-realm"}
    play(game, "region:lorien")
    assert game.state.location[character("gandalf-white")] == region("lorien")
    assert game.state.location[character("gandalf-grey")] == Location.ELIMINATED
    assert game.state.active[nation("elves")] == 1  # he entered a Stronghold of theirs (R8.2 d)


def test_R14_8_in_a_besieged_stronghold_he_is_inside():
    position = minion_seen(outside("will character", gandalf_grey="eliminated"))
    position.army("lorien", elves=1, sauron=2)
    game = play(position.game(), "face:will", "plan:bring-character", "character:gandalf-white")
    play(game, "region:lorien", "face:army", "plan:skip", "face:character")
    assert "plan:move-companions" not in legal(game)


def test_R14_8_he_comes_once():
    assert entries(minion_seen(outside("will", gandalf_white="bree"))) == set()
    assert entries(minion_seen(outside("will", gandalf_white="eliminated"))) == set()


@pytest.mark.parametrize(
    ("others", "level"), [((), 4), (("meriadoc",), 4), (("meriadoc", "peregrin"), 3), (("legolas",), 3)]
)
def test_R14_8_shadowfax_carries_him_alone_or_with_one_hobbit(others, level):
    names = ("gandalf-white", *others)
    position = Position(Ruleset(ask_single=True)).dice("character", "army").fellowship(companions=["gimli"])
    for name in names:
        position.place(name, FAR_AWAY)
    game = play(position.game(), "face:character", "plan:move-companions")
    play(game, *(f"character:{name}" for name in names), "verb:done")
    assert legal_block(game, "region") == within(level)


def white_rider(*choice: str) -> tuple[int, int]:
    """Re-rolls of both sides when the Witch-king, two Nazgul and the Mouth attack Gandalf the White."""
    position = outside("event", gandalf_white="westemnet", boromir="westemnet").at_war("isengard")
    position.army("westemnet", rohan=3, rohan_leader=1).army("fords-of-isen", isengard=5, nazgul=2)
    position.place("witch-king", "fords-of-isen").dice("event", "army army", acting=Side.SHADOW)
    game = play(position.game(*[1] * 25), "face:army", "plan:attack", "region:fords-of-isen")
    play(game, "region:westemnet", "verb:whole-army")
    assert game.decision == Decision.WHITE_RIDER and game.side == Side.FREE_PEOPLES
    assert legal(game) == {"verb:accept", "verb:decline"}
    rolls = []
    play(game, *choice)
    for _ in range(2):  # the choice is made once and lasts for the whole battle
        assert game.decision == Decision.CEASE
        rolls.append(25 - len(unread(game)))
        game.with_tape([1] * 25)
        play(game, "verb:continue", "verb:stay")
    assert rolls[0] == rolls[1]
    return rolls[0] - 5 - 4, rolls[0]


def test_R14_8_the_white_rider_cancels_all_nazgul_leadership_for_the_battle():
    # The Shadow: 2 Nazgul and the Witch-king 2. The Free Peoples: a Leader, Boromir, Gandalf.
    assert white_rider("verb:decline")[0] == 4 + 3
    assert white_rider("verb:accept")[0] == 0 + 2


def test_R14_8_the_white_rider_does_not_stop_other_minions():
    position = outside("event", gandalf_white="westemnet").at_war("isengard")
    position.army("westemnet", rohan=1).army("fords-of-isen", isengard=5, nazgul=1)
    position.place("mouth-of-sauron", "fords-of-isen").dice("event", "army army", acting=Side.SHADOW)
    game = play(position.game(*[1] * 15), "face:army", "plan:attack", "region:fords-of-isen")
    play(game, "region:westemnet", "verb:whole-army", "verb:accept")
    assert 15 - len(unread(game)) == 5 + 1 + 2


def test_R14_8_no_white_rider_in_a_battle_without_him():
    position = outside("event", gandalf_white="edoras").at_war("isengard")
    position.army("westemnet", rohan=1).army("fords-of-isen", isengard=1, nazgul=1)
    position.dice("event", "army army", acting=Side.SHADOW)
    game = play(position.game(1, 1, 1), "face:army", "plan:attack", "region:fords-of-isen")
    assert play(game, "region:westemnet", "verb:whole-army").decision == Decision.CEASE


@pytest.mark.parametrize("place", ["dol-amroth", "minas-tirith", "pelargir"])
def test_R14_9_aragorn_is_crowned_in_gondor(place):
    game = play(outside("will event", strider=place).game(), "face:will", "plan:bring-character")
    play(game, "character:aragorn")
    assert legal(game) == {f"region:{place}"}
    play(game, f"region:{place}")
    assert game.state.location[character("aragorn")] == region(place)
    assert game.state.location[character("strider")] == Location.REPLACED
    assert game.state.active[nation("gondor")] == 1


@pytest.mark.parametrize("place", ["lamedon", "osgiliath", "edoras", "rivendell"])
def test_R14_9_nowhere_else(place):
    assert entries(outside("will", strider=place)) == set()


def test_R14_9_a_siege_is_no_hindrance_but_capture_is():
    position = outside("will", strider="minas-tirith").army("minas-tirith", gondor=1, sauron=3)
    assert entries(position) == {"aragorn"}
    assert entries(outside("will", strider="pelargir").control("pelargir", Side.SHADOW)) == set()


def test_R14_9_not_while_strider_is_in_the_fellowship():
    position = Position(Ruleset(ask_single=True)).dice("will", "army").fellowship("minas-tirith")
    assert entries(position) == set()


# --- Their dice (R5.1, RG9). ---


def crowned(**options) -> Game:
    position = with_options(outside("will", strider="pelargir"), **options)
    game = play(position.game(5), "face:will", "plan:bring-character", "character:aragorn")
    return play(game, "region:pelargir")


def test_RG9_R14_9_his_die_comes_with_the_next_turn():
    game = crowned()
    assert game.state.pool[0] == 4 and game.state.dice[0].sum() == 0
    play(game, "face:army", "plan:skip")
    assert game.state.turn == 2 and game.state.pool.tolist() == [5, 7]


def test_RG9_R14_9_option_die_bonus_timing_at_once():
    game = crowned(die_bonus_timing="at_once")
    assert game.state.pool[0] == 5
    assert game.state.dice[0].tolist() == [int(face == Face.EVENT) for face in range(7)]
    play(game, "face:army", "plan:skip", "face:event", "plan:skip")
    assert game.state.turn == 2 and game.state.pool[0] == 5


@pytest.mark.parametrize(
    ("places", "pool"),
    [
        ({"gandalf_white": "bree"}, 5),
        ({"gandalf_white": "bree", "aragorn": "edoras"}, 6),
        ({"gandalf_white": "eliminated", "aragorn": "edoras"}, 5),
        ({"gandalf_grey": "bree", "strider": "edoras"}, 4),
    ],
)
def test_R14_8_R14_9_one_die_for_each_in_play(places, pool):
    game = play(
        outside("event", "army", **places).game(), "face:event", "plan:skip", "face:army", "plan:skip"
    )
    assert game.state.turn == 2 and game.state.pool[0] == pool


# --- Gollum and the Ring-bearers (R14.10, R14.15). ---


def test_R14_10_gollum_guides_when_the_last_companion_leaves():
    position = Position(Ruleset(ask_single=True)).dice("character", "army").fellowship(companions=["gimli"])
    game = play(position.game(), "face:character", "plan:separate-companions", "character:gimli")
    play(game, "verb:done", "region:rivendell")
    assert game.state.guide == character("gollum")
    assert game.state.location[character("gollum")] == Location.IN_FELLOWSHIP


def test_R14_15_R14_10_gollum_and_the_ring_bearers_never_separate():
    position = Position(Ruleset(ask_single=True)).dice("character", "army").fellowship(companions=[])
    game = play(position.game(), "face:character")
    assert legal_block(game, "plan") == {"skip", "move-fellowship"}
