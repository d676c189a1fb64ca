"""Politics: activation and the political track (R8.0-R8.4)."""

from __future__ import annotations

import pytest

from tests.positions import Position, character, legal, legal_block, nation, play, region
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Nation, Phase, Side, TurnStage
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX

FREE_PEOPLES = {"dwarves", "elves", "gondor", "north", "rohan"}
WANDERING = Ruleset(ask_single=True, companion_activation="any_region_entered")


def track(game: Game, name: str) -> tuple[int, bool]:
    """The steps to war of a nation, and whether it is active."""
    return int(game.state.steps_to_war[nation(name)]), bool(game.state.active[nation(name)])


def active(game: Game) -> set[str]:
    return {name for name in FREE_PEOPLES if game.state.active[nation(name)]}


def start(position: Position) -> Position:
    """Turn 1's politics: everybody but the Elves is passive."""
    for name in FREE_PEOPLES:
        assert position.state.active[nation(name)] == (name == "elves")
    return position


# --- States (R8.1, R8.3 a, R8.4). ---


def test_R8_1_states_at_the_start_and_At_War_is_for_ever():
    game = Position(setup=True).dice("muster").game()
    steps = {member.name.lower(): int(game.state.steps_to_war[member]) for member in Nation}
    assert steps == {
        "dwarves": 3,
        "elves": 3,
        "north": 3,
        "rohan": 3,
        "gondor": 2,
        "southrons": 2,
        "isengard": 1,
        "sauron": 1,
    }
    assert active(game) == {"elves"}
    assert game.state.active[5:].tolist() == [1, 1, 1]
    # A nation At War goes no further, and is At War in the next turn too.
    game = Position().at_war("elves").dice("muster").game()
    play(game, "face:muster", "plan:advance-nation")
    assert legal_block(game, "nation") == FREE_PEOPLES - {"elves"}
    play(game, "nation:north")
    assert game.state.turn == 2
    assert track(game, "elves") == (0, True)


def test_R8_3_a_a_Muster_result_advances_a_nation_of_the_own_side():
    game = start(Position(setup=True)).dice("muster army_muster will", "muster").game()
    play(game, "face:muster", "plan:advance-nation")
    assert legal_block(game, "nation") == FREE_PEOPLES
    assert legal(game) == {f"nation:{name}" for name in FREE_PEOPLES}
    play(game, "nation:gondor")
    assert track(game, "gondor") == (1, False)
    play(game, "face:muster", "plan:advance-nation")
    assert legal(game) == {"nation:sauron", "nation:isengard", "nation:southrons"}
    play(game, "nation:southrons")
    assert track(game, "southrons") == (1, True)
    play(game, "face:army-muster", "plan:advance-nation", "nation:elves")
    play(game, "face:will", "plan:advance-nation", "nation:elves")
    assert track(game, "elves") == (1, True)


@pytest.mark.parametrize("face", ["character", "event", "army"])
def test_R8_3_a_other_results_advance_nobody(face):
    game = Position(setup=True).dice(face).game()
    play(game, f"face:{face}")
    assert "plan:advance-nation" not in legal(game)


def test_R8_3_a_a_Shadow_nation_reaches_war_without_activation():
    game = Position(setup=True).dice("", "muster army_muster", acting=Side.SHADOW).game()
    play(game, "face:muster", "plan:advance-nation", "nation:isengard")
    assert track(game, "isengard") == (0, True)
    play(game, "face:army-muster", "plan:advance-nation")
    assert legal(game) == {"nation:sauron", "nation:southrons"}


def test_GX30_RU9_R8_4_a_passive_nation_one_step_from_war_is_not_offered():
    position = (
        Position().politics("rohan", 1, active=False).politics("gondor", 1).dice("muster muster muster")
    )
    game = play(position.game(), "face:muster", "plan:advance-nation")
    assert legal_block(game, "nation") == FREE_PEOPLES - {"rohan"}
    play(game, "nation:gondor")
    assert track(game, "gondor") == (0, True)
    play(game, "face:muster", "plan:advance-nation")
    assert legal_block(game, "nation") == FREE_PEOPLES - {"rohan", "gondor"}
    play(game, "nation:dwarves")
    assert track(game, "rohan") == (1, False)


def test_R8_4_advancing_is_offered_only_if_it_changes_something():
    position = Position().dice("muster muster")
    for name in FREE_PEOPLES - {"north"}:
        position.politics(name, 1, active=False)
    position.politics("north", 2, active=False)
    game = play(position.game(), "face:muster")
    assert legal(game) == {"plan:skip", "plan:advance-nation"}
    play(game, "plan:advance-nation", "nation:north", "face:muster")
    assert legal(game) == {"plan:skip"}


# --- Activation (R8.2). ---


def test_R8_2_a_a_Shadow_army_that_moves_into_a_region_activates_its_nation():
    position = start(Position()).army("western-emyn-muil", sauron=1).at_war("sauron")
    game = play(position.dice("", "army army", acting=Side.SHADOW).game(), "face:army", "plan:move-armies")
    assert active(game) == {"elves"}
    play(game, "region:western-emyn-muil", "region:druadan-forest", "verb:whole-army")
    assert active(game) == {"elves", "gondor"}
    assert track(game, "gondor") == (2, True)


def test_R8_2_a_an_advance_activates_and_staying_does_not():
    position = start(Position()).army("fangorn", isengard=1).army("eastemnet", gondor=1).at_war("isengard")
    position.dice("character", "army", acting=Side.SHADOW)
    game = play(position.game(6, 1), "face:army", "plan:attack", "region:fangorn", "region:eastemnet")
    play(game, "verb:whole-army", "figure:gondor-regular")
    assert game.decision == Decision.ADVANCE_FIGURES
    assert track(game, "gondor") == (1, True)  # its army was attacked
    assert track(game, "rohan") == (3, False)
    stayed = play(game.clone(), "verb:decline")
    assert track(stayed, "rohan") == (3, False)
    play(game, "verb:whole-army")
    assert track(game, "rohan") == (3, True)


def test_R8_2_a_a_Shadow_retreat_into_a_region_activates_its_nation():
    position = start(Position()).army("dead-marshes", gondor=1).army("western-emyn-muil", sauron=1)
    position.at_war("gondor").dice("army army")
    game = play(position.game(1, 1), "face:army", "plan:attack", "region:dead-marshes")
    play(game, "region:western-emyn-muil", "verb:whole-army", "verb:continue")
    assert game.decision == Decision.RETREAT
    assert active(game) == {"elves", "gondor"}
    play(game, "region:eastemnet")
    assert active(game) == {"elves", "gondor", "rohan"}


def test_R8_2_a_Nazgul_and_Minions_alone_are_no_army():
    position = start(Position()).army("fangorn", nazgul=1).place("mouth-of-sauron", "fangorn")
    position.dice("", "character character", acting=Side.SHADOW)
    game = play(position.game(), "face:character", "plan:move-minions", "region:fangorn", "region:edoras")
    play(game, "character:mouth-of-sauron", "region:westemnet")
    assert active(game) == {"elves"}
    assert (game.state.control == Position().state.control).all()


def test_R8_2_b_an_attacked_army_activates_the_nations_of_its_units():
    position = start(Position()).army("parth-celebrant", rohan=1, north=1).army("fangorn", isengard=1)
    position.at_war("isengard").dice("character", "army", acting=Side.SHADOW)
    game = play(position.game(1, 1, 1), "face:army", "plan:attack", "region:fangorn")
    play(game, "region:parth-celebrant")
    assert active(game) == {"elves"}
    play(game, "verb:whole-army")
    assert active(game) == {"elves", "north", "rohan"}


def test_R8_2_b_R8_3_c_a_garrison_is_attacked_too():
    position = start(Position()).army("minas-tirith", gondor=1, sauron=2).at_war("sauron")
    position.dice("character", "army army", acting=Side.SHADOW)
    game = play(position.game(1, 1, 1), "face:army", "plan:attack", "region:minas-tirith")
    play(game, "region:minas-tirith", "verb:whole-army")
    assert track(game, "gondor") == (1, True)
    play(game, "face:character", "plan:skip")
    # Another assault is another attack.
    game.with_tape([1, 1, 1])
    play(game, "face:army", "plan:attack", "region:minas-tirith", "region:minas-tirith", "verb:whole-army")
    assert track(game, "gondor") == (0, True)


def test_R8_2_1_nobody_owns_Osgiliath():
    position = start(Position()).army("north-ithilien", sauron=1).at_war("sauron")
    game = play(position.dice("", "army army", acting=Side.SHADOW).game(), "face:army", "plan:move-armies")
    play(game, "region:north-ithilien", "region:osgiliath", "verb:whole-army")
    assert active(game) == {"elves"}
    position = start(Position()).army("north-ithilien", sauron=1).army("osgiliath", gondor=1)
    position.at_war("sauron").dice("character", "army", acting=Side.SHADOW)
    game = play(position.game(1, 1), "face:army", "plan:attack", "region:north-ithilien", "region:osgiliath")
    play(game, "verb:whole-army")
    assert active(game) == {"elves", "gondor"}
    assert track(game, "gondor") == (1, True)


@pytest.mark.parametrize(
    ("place", "control", "awake"),
    [
        ("minas-tirith", Side.FREE_PEOPLES, {"elves", "gondor"}),  # a Stronghold
        ("pelargir", Side.FREE_PEOPLES, {"elves", "gondor"}),  # a City
        ("pelargir", Side.SHADOW, {"elves"}),
        ("lossarnach", Side.FREE_PEOPLES, {"elves"}),  # a Town
        ("osgiliath", None, {"elves"}),
    ],
)
def test_R8_2_c_the_Fellowship_is_declared_in_a_City_or_Stronghold(place, control, awake):
    position = start(Position()).fellowship("osgiliath", progress=1 + (place == "osgiliath"))
    if control is not None:
        position.control(place, control)
    game = play(position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game(), f"region:{place}")
    assert active(game) == awake
    assert track(game, "gondor")[0] == 2  # activation is no step


def test_RU39_Companions_in_the_Fellowship_activate_nobody():
    position = start(Position()).fellowship("minas-tirith").dice("character character")
    game = play(position.game(), "face:character", "plan:move-fellowship")
    assert active(game) == {"elves"}


@pytest.mark.parametrize(
    ("companion", "place", "awake"),
    [
        ("strider", "dale", {"elves", "north"}),
        ("strider", "carrock", {"elves"}),  # a Town
        ("strider", "erebor", {"elves"}),  # he has no say there
        ("gimli", "erebor", {"elves", "dwarves"}),
        ("gimli", "dale", {"elves"}),
        ("legolas", "dale", {"elves"}),
        ("boromir", "dale", {"elves"}),
        ("gandalf-grey", "dale", {"elves", "north"}),
        ("meriadoc", "erebor", {"elves", "dwarves"}),
        ("peregrin", "dale", {"elves", "north"}),
    ],
)
def test_R8_2_d_a_separated_Companion_activates_the_nations_he_can_influence(companion, place, awake):
    position = start(Position()).fellowship("withered-heath", progress=4, companions=[companion])
    game = play(position.dice("character character").game(), "face:character", "plan:separate-companions")
    play(game, f"character:{companion}", "verb:done", f"region:{place}")
    assert active(game) == awake
    assert track(game, "north")[0] == track(game, "dwarves")[0] == 3


def test_R8_2_d_a_moved_Companion_activates_a_captured_City_does_not():
    position = start(Position()).place("boromir", "lossarnach").dice("character character")
    game = play(position.game(), "face:character", "plan:move-companions", "character:boromir", "verb:done")
    assert active(play(game, "region:minas-tirith")) == {"elves", "gondor"}
    position = start(Position()).place("boromir", "lossarnach").control("pelargir", Side.SHADOW)
    game = position.dice("character character").game()
    play(game, "face:character", "plan:move-companions", "character:boromir", "verb:done", "region:pelargir")
    assert active(game) == {"elves"}


def test_R8_2_d_a_Companion_who_comes_with_an_army_activates():
    position = start(Position()).army("woodland-realm", elves=1).place("strider", "woodland-realm")
    game = play(position.at_war("elves").dice("army army").game(), "face:army", "plan:move-armies")
    play(game, "region:woodland-realm", "region:dale", "verb:whole-army")
    assert game.state.location[character("strider")] >= 0
    assert active(game) == {"elves", "north"}


def test_R8_2_d_RU19_passing_through_a_City_is_not_entering_it():
    position = start(Position()).place("strider", "iron-hills").dice("character character")
    game = play(position.game(), "face:character", "plan:move-companions", "character:strider", "verb:done")
    play(game, "region:woodland-realm")
    assert active(game) == {"elves"}


def test_R8_2_d_RU19_by_option_every_region_entered_counts():
    position = start(Position(WANDERING)).place("strider", "iron-hills").dice("character character")
    game = play(position.game(), "face:character", "plan:move-companions", "character:strider", "verb:done")
    assert legal_block(game, "region") == {"dale", "erebor", "east-rhun", "vale-of-the-carnen"}
    play(game, "region:dale")
    assert active(game) == {"elves", "north"}
    play(game, "region:woodland-realm", "region:western-mirkwood")  # Level 3: no step is left
    assert game.decision == Decision.ACTION_DIE


def test_R8_2_d_by_option_a_separated_Companion_activates_on_his_way():
    position = start(Position(WANDERING)).fellowship("iron-hills", companions=["strider", "gimli"])
    game = play(position.dice("character character").game(), "face:character", "plan:separate-companions")
    play(game, "character:strider", "verb:done")
    play(game, "region:dale")
    assert active(game) == {"elves", "north"}
    play(game, "region:old-forest-road", "region:rhosgobel")
    assert game.decision == Decision.ACTION_DIE
    assert active(game) == {"elves", "north"}


def test_R8_2_e_the_Witch_king_activates_all_nations():
    position = start(Position()).army("minas-morgul", sauron=1).at_war("sauron")
    position.dice("", "muster muster", acting=Side.SHADOW)
    game = play(position.game(), "face:muster", "plan:bring-character", "character:witch-king")
    play(game, "region:minas-morgul")
    assert active(game) == FREE_PEOPLES
    assert [track(game, name)[0] for name in ("dwarves", "gondor", "rohan")] == [3, 2, 3]


def test_R8_2_activation_is_permanent():
    position = start(Position()).place("strider", "withered-heath").dice("character character")
    game = play(position.game(), "face:character", "plan:move-companions", "character:strider", "verb:done")
    assert active(play(game, "region:dale")) == {"elves", "north"}
    play(game, "face:character", "plan:move-companions", "character:strider", "verb:done")
    play(game, "region:withered-heath")
    assert game.state.turn == 2
    assert active(game) == {"elves", "north"}


# --- Advancing by the enemy's doing, and the order (R8.0, R8.3). ---


def test_R8_0_R8_4_RU35_an_attack_activates_first_and_then_advances():
    position = Position().politics("rohan", 1, active=False).army("westemnet", rohan=1)
    position.army("fords-of-isen", isengard=1).at_war("isengard")
    position.dice("character", "army", acting=Side.SHADOW)
    game = play(position.game(1, 1), "face:army", "plan:attack", "region:fords-of-isen", "region:westemnet")
    assert track(game, "rohan") == (1, False)
    play(game, "verb:whole-army")
    assert track(game, "rohan") == (0, True)


def test_R8_0_a_captured_Town_activates_first_and_then_advances():
    position = Position().politics("rohan", 1, active=False).army("fords-of-isen", isengard=1)
    position.at_war("isengard").dice("", "army army", acting=Side.SHADOW)
    game = play(position.game(), "face:army", "plan:move-armies", "region:fords-of-isen")
    play(game, "region:westemnet", "verb:whole-army")
    assert track(game, "rohan") == (0, True)


def test_R8_0_R8_3_c_several_nations_of_one_army_advance():
    position = start(Position()).army("parth-celebrant", rohan=1, elves=1, gondor_leader=1)
    position.army("fangorn", isengard=1).at_war("isengard").dice("character", "army", acting=Side.SHADOW)
    game = play(position.game(1, 1, 1, 1), "face:army", "plan:attack", "region:fangorn")
    play(game, "region:parth-celebrant", "verb:whole-army")
    assert track(game, "rohan") == (2, True)
    assert track(game, "elves") == (2, True)
    assert track(game, "gondor") == (2, False)  # a Leader is no unit
    play(game, "verb:continue").with_tape([1, 1, 1, 1])
    play(game, "verb:stay")
    assert track(game, "rohan") == (2, True)  # a second round is no second attack


def test_R8_3_c_an_attacked_Shadow_nation_advances():
    position = Position().army("dead-marshes", gondor=1).army("north-ithilien", southrons=1, sauron=1)
    position.at_war("gondor").dice("army", "army")
    game = play(position.game(1, 1, 1), "face:army", "plan:attack", "region:dead-marshes")
    play(game, "region:north-ithilien", "verb:whole-army")
    assert track(game, "southrons") == (1, True)
    assert track(game, "sauron") == (0, True)
    assert track(game, "isengard") == (1, True)


def test_R8_3_d_a_captured_Settlement_advances_its_nation_a_retaken_one_does_not():
    position = start(Position()).army("osgiliath", sauron=1).army("minas-tirith", elves=2)
    position.at_war("sauron", "elves").dice("army army", "army", acting=Side.SHADOW)
    game = play(position.game(), "face:army", "plan:move-armies", "region:osgiliath", "region:lossarnach")
    play(game, "verb:whole-army")
    assert track(game, "gondor") == (1, True)
    # Its army destroyed, the Elves retake the Town.
    game.with_tape([6, 6, 1])
    play(game, "face:army", "plan:attack", "region:minas-tirith", "region:lossarnach", "verb:whole-army")
    play(game, "figure:sauron-regular", "verb:whole-army")
    assert game.state.control[SETTLEMENT_INDEX[region("lossarnach")]] == Side.FREE_PEOPLES
    assert track(game, "gondor") == (1, True)


def test_R8_3_d_the_Shadow_nations_advance_by_captures_too():
    position = Position().army("cardolan", elves=1).at_war("elves").dice("army", "army army")
    game = play(position.game(), "face:army", "plan:move-armies", "region:cardolan", "region:north-dunland")
    play(game, "verb:whole-army")
    assert track(game, "isengard") == (0, True)
    assert track(game, "southrons") == (2, True)


def test_R8_3_e_a_Companion_at_home_advances_his_nation_by_any_die():
    position = start(Position()).place("boromir", "pelargir").dice("event character")
    game = play(position.game(), "face:event", "plan:companion-advance")
    assert legal(game) == {"nation:gondor"}
    play(game, "nation:gondor")
    assert track(game, "gondor") == (1, False)
    play(game, "face:character")
    assert "plan:companion-advance" not in legal(game)  # passive: it stays one step from war (R8.4)
