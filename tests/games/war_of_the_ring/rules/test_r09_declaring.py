"""The Fellowship is declared in phase 2, and the gates of Mordor (R9.5)."""

from __future__ import annotations

import pytest

from tests.positions import Position, legal, legal_block, play, region, tile
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Phase, Side, TurnStage

HELMS_DEEP_0 = {"helms-deep"}
HELMS_DEEP_1 = {"fords-of-isen", "westemnet"}
HELMS_DEEP_2 = {"druwaith-iaur", "eastemnet", "edoras", "fangorn", "folde", "gap-of-rohan", "orthanc"}


def options(**changed: str) -> Ruleset:
    return Ruleset(ask_single=True, **changed)


def phase_2(position: Position, *tape: int) -> Game:
    return position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game(*tape)


def stands(game: Game) -> tuple[int, int, int]:
    """Region, progress, revealed."""
    return int(game.state.fellowship_region), int(game.state.progress), int(game.state.revealed)


def test_R9_5_1_D02_a_Hidden_Fellowship_may_be_declared_or_not():
    game = phase_2(Position().fellowship("hollin", progress=1))
    assert game.decision == Decision.DECLARE_FELLOWSHIP and game.side == Side.FREE_PEOPLES
    near = {"hollin", "fords-of-bruinen", "moria", "north-dunland", "south-downs", "trollshaws"}
    assert legal(game) == {"verb:decline"} | {f"region:{name}" for name in near}
    play(game, "verb:decline")
    assert stands(game) == (region("hollin"), 1, 0)


def test_R9_5_1_RU11_R9_6_7_a_Revealed_Fellowship_is_not_declared():
    game = phase_2(Position().fellowship("lorien", revealed=True, corruption=3))
    assert game.decision == Decision.CHOOSE_GUIDE
    assert game.state.corruption == 3


def test_R9_5_1_nor_one_on_the_Mordor_Track():
    game = phase_2(Position().fellowship(mordor_step=1))
    assert game.decision == Decision.CHOOSE_GUIDE


def test_R9_5_1_RG8_there_is_one_declaration_in_a_phase():
    game = play(phase_2(Position().fellowship("hollin", progress=2)), "region:moria")
    assert game.decision == Decision.CHOOSE_GUIDE
    play(game, "character:strider")
    assert game.decision == Decision.HUNT_ALLOCATION


def test_R9_5_2_RU11_with_progress_0_it_is_declared_where_it_is_and_heals_each_turn():
    game = phase_2(Position().fellowship("lorien", corruption=3))
    assert legal(game) == {"verb:decline", "region:lorien"}
    play(game, "region:lorien", "character:strider", "count:0")
    assert game.state.corruption == 2
    assert stands(game) == (region("lorien"), 0, 0)
    # The next turn: 4 and 7 dice were rolled and are skipped.
    while game.decision != Decision.DECLARE_FELLOWSHIP:
        skip = game.decision == Decision.ACTION_PLAN
        play(game, "plan:skip" if skip else next(name for name in sorted(legal(game)) if "face:" in name))
    play(game, "region:lorien")
    assert game.state.corruption == 1


def test_GX13_RU24_R9_5_2_the_Fellowship_at_Helms_Deep_with_progress_2():
    game = phase_2(Position().fellowship("helms-deep", progress=2))
    assert legal_block(game, "region") == HELMS_DEEP_0 | HELMS_DEEP_1 | HELMS_DEEP_2
    game = phase_2(Position().fellowship("helms-deep", progress=1))
    assert legal_block(game, "region") == HELMS_DEEP_0 | HELMS_DEEP_1


def test_R9_5_2_armies_and_sieges_do_not_matter():
    position = Position().fellowship("fords-of-isen", progress=2).army("helms-deep", rohan=1, isengard=5)
    position.army("westemnet", isengard=5).control("westemnet", Side.SHADOW).at_war("isengard")
    game = phase_2(position)
    assert {"helms-deep", "westemnet", "edoras", "orthanc"} <= legal_block(game, "region")


def test_GX15_R9_5_3_RU12_from_Rivendell_to_Lorien_through_Moria():
    game = phase_2(Position().fellowship("rivendell", progress=5, corruption=2))
    play(game, "region:lorien")
    assert game.decision == Decision.CHOOSE_GUIDE  # no tile for Moria
    assert stands(game) == (region("lorien"), 0, 0)
    assert game.state.corruption == 1
    game = play(phase_2(Position().fellowship("rivendell", progress=5)), "region:lorien")
    assert game.state.corruption == 0
    game = phase_2(Position().fellowship("rivendell", progress=4))
    assert "lorien" not in legal_block(game, "region")


def test_R9_5_3_no_tile_in_a_Shadow_Stronghold_unless_by_option_R9_6_4_RU12():
    game = play(phase_2(Position().fellowship("hollin", progress=1, corruption=2)), "region:moria")
    assert game.decision == Decision.CHOOSE_GUIDE
    assert stands(game) == (region("moria"), 0, 0)
    position = Position(options(stronghold_tile_on="declare_or_reveal"))
    position.fellowship("hollin", progress=1, corruption=2)
    game = play(phase_2(position, tile("tile-1-r-1")), "region:moria")
    assert game.decision == Decision.HUNT_DAMAGE
    play(game, "verb:take-corruption")
    assert game.state.corruption == 3
    assert stands(game) == (region("moria"), 0, 0)  # the Reveal icon has no effect
    assert game.decision == Decision.CHOOSE_GUIDE


def test_GX15_by_option_a_tile_for_Moria_on_the_way():
    position = Position(options(stronghold_tile_on="declare_or_reveal"))
    position.fellowship("rivendell", progress=5, corruption=2)
    game = play(phase_2(position, tile("tile-2-1")), "region:lorien", "verb:take-corruption")
    assert game.state.corruption == 3  # healed by 1, then hurt by 2
    assert game.decision == Decision.CHOOSE_GUIDE


@pytest.mark.parametrize(
    ("place", "control", "besieged", "heals"),
    [
        ("minas-tirith", Side.FREE_PEOPLES, False, True),
        ("minas-tirith", Side.FREE_PEOPLES, True, True),  # besieged is not SH-controlled
        ("minas-tirith", Side.SHADOW, False, False),
        ("pelargir", Side.FREE_PEOPLES, False, True),
        ("pelargir", Side.SHADOW, False, False),
        ("lossarnach", Side.FREE_PEOPLES, False, False),  # a Town
        ("osgiliath", None, False, False),  # a Fortification
        ("minas-morgul", Side.FREE_PEOPLES, False, False),  # no FP nation
    ],
)
def test_R9_5_4_healing_in_a_City_or_Stronghold_of_an_FP_nation(place, control, besieged, heals):
    position = Position(options(mordor_entry="figure_present")).fellowship(
        "osgiliath", progress=2, corruption=5
    )
    if control is not None:
        position.control(place, control)
    if besieged:
        position.army(place, gondor=1, sauron=1).at_war("sauron")
    game = play(phase_2(position.politics("gondor", 2, active=False)), f"region:{place}")
    assert game.state.corruption == (4 if heals else 5)
    assert game.state.active[2] == heals


@pytest.mark.parametrize("gate", ["morannon", "minas-morgul"])
def test_R9_5_6_declaring_at_a_gate_enters_Mordor(gate):
    position = Position().fellowship("north-ithilien", progress=2, corruption=2)
    game = play(phase_2(position), f"region:{gate}")
    assert game.state.mordor_step == 1
    assert stands(game) == (-1, 0, 0)
    assert game.state.corruption == 2
    assert game.decision == Decision.CHOOSE_GUIDE


def test_R9_5_6_by_option_the_figure_at_a_gate_may_enter_Hidden_or_Revealed():
    by_presence = options(mordor_entry="figure_present", mordor_mandatory_declare="never")
    game = phase_2(Position(by_presence).fellowship("dagorlad", progress=1))
    play(game, "region:morannon")
    assert game.decision == Decision.ENTER_MORDOR
    assert legal(game) == {"verb:accept", "verb:decline"}
    stays = play(game.clone(), "verb:decline")
    assert stands(stays) == (region("morannon"), 0, 0)
    play(game, "verb:accept")
    assert game.state.mordor_step == 1
    game = phase_2(Position(by_presence).fellowship("minas-morgul", revealed=True))
    assert game.decision == Decision.ENTER_MORDOR
    play(game, "verb:accept")
    assert game.state.mordor_step == 1
    # By the first edition a Revealed Fellowship waits.
    game = phase_2(Position().fellowship("minas-morgul", revealed=True))
    assert game.decision == Decision.CHOOSE_GUIDE
    assert game.state.mordor_step == 0


def test_R9_5_6_by_option_no_Stronghold_tile_is_drawn_at_the_gate_R11_1_4():
    position = Position(options(stronghold_tile_on="declare_or_reveal")).fellowship("dagorlad", progress=1)
    game = play(phase_2(position), "region:morannon")
    assert game.state.mordor_step == 1
    assert game.decision == Decision.CHOOSE_GUIDE


def test_R9_5_7_RU6_RU37_a_Hidden_figure_at_a_gate_must_be_declared():
    game = phase_2(Position().fellowship("morannon", progress=1))
    assert legal(game) == {"region:morannon", "region:dagorlad"}
    play(game, "region:dagorlad")  # the destination is free
    assert game.state.mordor_step == 0
    game = phase_2(Position().fellowship("minas-morgul"))
    assert legal(game) == {"region:minas-morgul"}


def test_R9_5_7_RU6_progress_that_would_reach_a_gate_obliges_nobody():
    game = phase_2(Position().fellowship("dagorlad", progress=3))
    assert "verb:decline" in legal(game)


@pytest.mark.parametrize(
    ("rule", "place", "progress", "obliged"),
    [
        ("figure_there", "morannon", 0, True),
        ("figure_there", "dagorlad", 1, False),
        ("reachable", "morannon", 0, True),
        ("reachable", "dagorlad", 1, True),
        ("reachable", "north-ithilien", 1, True),
        ("reachable", "dagorlad", 0, False),
        ("never", "morannon", 0, False),
        ("never", "dagorlad", 3, False),
    ],
)
def test_R9_5_7_RU6_the_obligation_by_option(rule, place, progress, obliged):
    position = Position(options(mordor_mandatory_declare=rule)).fellowship(place, progress=progress)
    game = phase_2(position)
    assert ("verb:decline" not in legal(game)) == obliged
    assert f"region:{place}" in legal(game)


def test_GX42_R9_5_7_Revealed_at_the_Morannon_hide_first_declare_next_turn():
    game = phase_2(Position().fellowship("morannon", revealed=True))
    assert game.decision == Decision.CHOOSE_GUIDE
    # Four Character results; the Shadow rolls seven Eyes.
    game.with_tape([1] * 4 + [6] * 7)
    play(game, "character:gandalf-grey", "count:0", "face:character", "plan:hide-fellowship")
    for _ in range(3):
        play(game, "face:character", "plan:skip")
    assert game.state.turn == 2
    assert game.decision == Decision.DECLARE_FELLOWSHIP
    assert legal(game) == {"region:morannon"}
    play(game, "region:morannon")
    assert game.state.mordor_step == 1


def test_GX43_RU46_R9_5_8_nobody_walks_past_the_gates():
    game = phase_2(Position().fellowship("dagorlad", progress=3))
    reach = legal_block(game, "region")
    assert {"morannon", "minas-morgul"} <= reach
    assert not {"gorgoroth", "barad-dur", "nurn"} & reach
    for gate in ("morannon", "minas-morgul"):
        entered = play(game.clone(), f"region:{gate}")
        assert entered.state.mordor_step == 1


def test_RU46_R9_5_8_no_path_crosses_Gorgoroth():
    never = options(mordor_mandatory_declare="never")
    reach = legal_block(phase_2(Position(never).fellowship("morannon", progress=2)), "region")
    assert "minas-morgul" not in reach and "gorgoroth" not in reach
    assert "minas-morgul" in legal_block(
        phase_2(Position(never).fellowship("morannon", progress=3)), "region"
    )
    reach = legal_block(phase_2(Position().fellowship("dagorlad", progress=12)), "region")
    assert not {"gorgoroth", "barad-dur", "nurn"} & reach
