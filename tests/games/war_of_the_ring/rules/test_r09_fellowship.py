"""The Fellowship: parts, Corruption, Guide, moving, hiding (R9.1-R9.4, R9.7)."""

from __future__ import annotations

import pytest

from tests.positions import Position, character, legal, play, region, tile
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import (
    Character,
    Decision,
    Location,
    Phase,
    Reason,
    Side,
    TurnStage,
    Winner,
)

MOVE = ("face:character", "plan:move-fellowship")
HIDE = ("face:character", "plan:hide-fellowship")
SEPARATE = ("face:character", "plan:separate-companions")


def where(game: Game, name: str) -> int:
    return int(game.state.location[character(name)])


def guide(game: Game) -> str:
    return Character(int(game.state.guide)).name.lower().replace("_", "-")


def separated(position: Position, *companions: str) -> Game:
    """The choice of a destination for a group that leaves the Fellowship."""
    game = play(position.dice("character character").game(), *SEPARATE)
    return play(game, *(f"character:{name}" for name in companions), "verb:done")


# --- Parts and Corruption (R9.1, R9.2). ---


def test_R9_1_1_RG29_progress_goes_to_12_and_no_further():
    game = play(Position().fellowship("rivendell", progress=11).dice("character " * 3).game(), *MOVE)
    assert game.state.progress == 12
    play(game, *MOVE)
    assert game.state.progress == 12
    assert not game.state.revealed


def test_R9_1_1_Ring_bearers_never_separate_and_are_no_casualty():
    position = Position().fellowship("rivendell", companions=[]).hunt_box(shadow=1)
    game = play(position.dice("character character").game(6, tile("tile-3-1")), "face:character")
    assert "plan:separate-companions" not in legal(game)
    play(game, "plan:move-fellowship")
    assert legal(game) == {"verb:done", "verb:guide-ability"}  # Gollum's
    play(game, "verb:done")
    assert game.decision == Decision.ACTION_DIE
    assert game.state.corruption == 3


def test_R9_1_2_the_Fellowship_stops_no_army_and_captures_nothing():
    position = Position().fellowship("lossarnach", revealed=True).army("osgiliath", sauron=1)
    position.at_war("sauron").dice("character", "army army", acting=Side.SHADOW)
    game = play(position.game(), "face:army", "plan:move-armies", "region:osgiliath", "region:lossarnach")
    play(game, "verb:whole-army")
    assert game.decision == Decision.ACTION_DIE
    assert game.state.units[region("lossarnach"), Side.SHADOW] == 1
    assert game.state.fellowship_region == region("lossarnach")
    assert game.state.corruption == 0
    # A Fellowship declared in an enemy Town does not take it.
    position = Position().fellowship("hollin", progress=1).phase(Phase.FELLOWSHIP, TurnStage.DECLARE)
    game = play(position.game(), "region:north-dunland")
    assert (game.state.control == Position().state.control).all()
    assert game.state.steps_to_war.tolist() == Position().state.steps_to_war.tolist()


@pytest.mark.parametrize(("corruption", "healed"), [(0, 0), (1, 0), (5, 4)])
def test_R9_2_1_healing_never_goes_below_0(corruption, healed):
    position = Position().fellowship("rivendell", corruption=corruption)
    game = play(position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game(), "region:rivendell")
    assert game.state.corruption == healed


@pytest.mark.parametrize(("corruption", "over"), [(9, True), (8, False), (11, True)])
def test_R9_2_1_at_12_the_Shadow_wins_at_once(corruption, over):
    position = Position().fellowship("rivendell", corruption=corruption).hunt_box(shadow=1)
    game = play(position.dice("character character").game(6, tile("tile-3-1")), *MOVE)
    play(game, "verb:take-corruption")
    assert game.state.corruption == min(12, corruption + 3)
    assert game.over == over
    if over:
        assert (game.result.winner, game.result.reason) == (Winner.SHADOW, Reason.CORRUPTION)
        assert game.result.corruption == 12


# --- The Guide (R9.3). ---


def test_GX12_R9_3_1_in_turn_1_Strider_may_become_Guide():
    position = Position(setup=True).phase(Phase.FELLOWSHIP, TurnStage.DECLARE)
    game = play(position.game(), "verb:decline")
    assert game.decision == Decision.CHOOSE_GUIDE and game.side == Side.FREE_PEOPLES
    assert legal(game) == {"character:gandalf-grey", "character:strider"}
    play(game, "character:strider")
    assert guide(game) == "strider"
    assert game.decision == Decision.HUNT_ALLOCATION


@pytest.mark.parametrize(
    ("companions", "candidates"),
    [
        (["gandalf-grey", "boromir"], set()),
        (["boromir", "gimli", "peregrin"], {"character:boromir", "character:gimli"}),
        (["meriadoc", "peregrin"], {"character:meriadoc", "character:peregrin"}),
    ],
)
def test_R9_3_1_R9_3_2_the_Guide_is_chosen_at_the_end_of_phase_2(companions, candidates):
    position = Position().fellowship("rivendell", progress=2, companions=companions)
    game = play(position.phase(Phase.FELLOWSHIP, TurnStage.DECLARE).game(), "region:hollin")
    if candidates:
        assert game.decision == Decision.CHOOSE_GUIDE
        assert legal(game) == candidates
    else:
        assert game.decision == Decision.HUNT_ALLOCATION
        assert guide(game) == "gandalf-grey"


def test_R9_3_2_a_new_Guide_when_the_composition_changes():
    position = Position().fellowship("rivendell", companions=["boromir", "legolas", "gimli"], guide="boromir")
    game = play(separated(position, "boromir"), "region:trollshaws")
    assert game.decision == Decision.CHOOSE_GUIDE
    assert legal(game) == {"character:legolas", "character:gimli"}
    play(game, "character:legolas")
    assert guide(game) == "legolas"
    assert game.decision == Decision.ACTION_DIE
    # Also when another than the Guide leaves.
    position = Position().fellowship("rivendell", companions=["boromir", "legolas", "gimli"], guide="boromir")
    game = play(separated(position, "gimli"), "region:trollshaws")
    assert legal(game) == {"character:boromir", "character:legolas"}


def test_R9_3_2_the_Guide_stays_until_another_is_chosen():
    position = Position(setup=True).phase(Phase.FELLOWSHIP, TurnStage.DECLARE)
    game = play(position.game(), "verb:decline")
    assert game.decision == Decision.CHOOSE_GUIDE
    assert guide(game) == "gandalf-grey"
    assert guide(play(game, "character:gandalf-grey")) == "gandalf-grey"


def test_R9_3_2_a_casualty_changes_the_composition():
    position = Position().fellowship("rivendell", companions=["gandalf-grey", "legolas", "gimli"])
    position.hunt_box(shadow=1).dice("character character")
    game = play(position.game(6, tile("tile-3-1")), *MOVE, "verb:sacrifice-guide")
    assert legal(game) == {"character:legolas", "character:gimli"}
    assert guide(play(game, "character:gimli")) == "gimli"


def test_R9_3_2_a_move_or_a_reveal_is_no_occasion_to_change_the_Guide():
    position = Position().fellowship("rivendell", companions=["legolas", "gimli"], guide="gimli")
    game = position.hunt_box(shadow=1).dice("character character").game(6, tile("tile-0-r-1"))
    play(game, *MOVE, "region:trollshaws")
    assert game.decision == Decision.ACTION_DIE
    play(game, *HIDE)
    assert guide(game) == "gimli"


def test_R9_3_3_only_the_Guide_uses_his_ability():
    for leader, hides in (("strider", True), ("gandalf-grey", False)):
        position = Position().fellowship("hollin", revealed=True, guide=leader).dice("muster event")
        game = play(position.game(), "face:muster")
        assert ("plan:hide-fellowship" in legal(game)) == hides
    for companions, reacts in ((["meriadoc"], True), (["gimli", "meriadoc"], False)):
        position = Position().fellowship("hollin", companions=companions).hunt_box(shadow=1)
        game = play(position.dice("character character").game(6, tile("tile-1-1")), *MOVE)
        assert (game.decision == Decision.HUNT_REACTION) == reacts


def test_R9_3_3_the_board_abilities_of_Companions_inside_are_off():
    position = Position().fellowship("minas-tirith", companions=["boromir"], guide="boromir")
    game = play(position.politics("gondor", 2).dice("event").game(), "face:event")
    assert "plan:companion-advance" not in legal(game)


def test_R9_3_4_when_the_last_Companion_leaves_Gollum_is_Guide_at_once():
    position = Position().fellowship("rivendell", companions=["gimli"])
    game = separated(position, "gimli")
    assert where(game, "gollum") == Location.ASIDE
    play(game, "region:trollshaws")
    assert guide(game) == "gollum"
    assert where(game, "gollum") == Location.IN_FELLOWSHIP
    play(game, "face:character")
    assert "plan:separate-companions" not in legal(game)
    play(game, "plan:skip", "verb:decline")
    assert game.decision == Decision.HUNT_ALLOCATION  # no choice of a Guide
    assert legal(game) == {"count:0", "count:1"}


def test_R9_3_4_when_the_last_Companion_is_lost_Gollum_is_Guide_and_no_casualty():
    position = Position().fellowship("rivendell", companions=["gimli"]).hunt_box(shadow=1)
    position.dice("character character character")
    game = play(position.game(6, tile("tile-2-1")), *MOVE, "verb:sacrifice-random")
    assert guide(game) == "gollum"
    game.with_tape([6, 1, tile("tile-1-1")])
    play(game, *MOVE)
    assert legal(game) == {"verb:done", "verb:guide-ability"}
    play(game, "verb:done")
    assert game.state.corruption == 1


def test_R9_3_4_Gollum_as_Guide_at_once_ignores_the_icon_of_a_numbered_tile():
    """The icon comes last (R10.6.5): the casualty has made Gollum the Guide by then (R14.10)."""
    position = Position().fellowship("hollin", companions=["gimli"]).hunt_box(shadow=1)
    game = position.dice("character character").game(6, tile("tile-2-r-1"))
    play(game, *MOVE, "verb:sacrifice-guide")
    assert guide(game) == "gollum"
    assert game.decision == Decision.ACTION_DIE
    assert not game.state.revealed
    # An Eye is no number.
    game = position.game(6, tile("tile-eye-r-1"))
    play(game, *MOVE, "verb:sacrifice-guide")
    assert game.decision == Decision.REVEAL_REGION


def test_R9_3_4_Gollum_as_Guide_at_once_may_lower_what_a_Hobbit_left():
    """Merry leaves for -1; the icon no longer works, so that Gollum may have the Fellowship revealed."""
    position = Position().fellowship("hollin", companions=["meriadoc"]).hunt_box(shadow=1)
    game = position.dice("character character").game(6, tile("tile-2-r-1"))
    play(game, *MOVE, "verb:guide-ability", "region:hollin")
    assert guide(game) == "gollum"
    assert legal(game) == {"verb:guide-ability", "verb:done"}
    refused = play(game.clone(), "verb:done")
    assert (refused.state.corruption, refused.state.revealed) == (1, 0)
    play(game, "verb:guide-ability")
    assert game.decision == Decision.REVEAL_REGION
    assert game.state.corruption == 0


# --- Moving (R9.4). ---


def test_R9_4_1_D17_a_Character_result_or_Will_of_the_West_moves_a_Hidden_Fellowship():
    position = Position().fellowship("rivendell").dice("character army muster army_muster event will")
    for face, moves in (
        ("character", True),
        ("army", False),
        ("muster", False),
        ("army-muster", False),
        ("event", False),
        ("will", True),
    ):
        game = play(position.game(), f"face:{face}")
        assert ("plan:move-fellowship" in legal(game)) == moves
    game = play(position.game(), "face:character")
    assert legal(game) == {"plan:skip", "plan:move-fellowship", "plan:separate-companions"}
    game = play(position.fellowship(revealed=True).game(), "face:character")
    assert legal(game) == {"plan:skip", "plan:hide-fellowship", "plan:separate-companions"}


def test_R9_4_2_progress_rises_and_the_figure_stays():
    game = play(Position().fellowship("hollin", progress=2).dice("character character").game(), *MOVE)
    assert game.state.progress == 3
    assert game.state.fellowship_region == region("hollin")
    assert not game.state.revealed


def test_R9_4_2_on_the_Mordor_Track_progress_is_not_used():
    position = Position().fellowship(mordor_step=2).dice("character character").pool("tile-1-1")
    game = play(position.game(), *MOVE, "verb:take-corruption")
    assert (game.state.progress, game.state.mordor_step) == (0, 3)


def test_R9_4_3_R9_4_4_the_die_joins_the_Hunt_Box_after_its_own_Hunt():
    game = play(Position().fellowship("rivendell").dice("character " * 3).game(), *MOVE)
    assert game.decision == Decision.ACTION_DIE  # the box was empty: no roll
    assert game.state.hunt_box.tolist() == [1, 0]
    # One die in the box hunts now, with +1: a 5 is a success.
    play(game.with_tape([5, tile("tile-1-1")]), *MOVE)
    assert game.decision == Decision.HUNT_DAMAGE
    assert game.state.hunt_box.tolist() == [1, 0]
    play(game, "verb:take-corruption")
    assert game.state.hunt_box.tolist() == [2, 0]


def test_R9_4_4_the_dice_come_back_in_the_next_turn():
    game = play(Position().fellowship("rivendell").dice("character").game(), *MOVE)
    assert game.state.turn == 2
    assert game.state.hunt_box.tolist() == [0, 0]
    play(game, "verb:decline", "character:gandalf-grey", "count:0")
    assert game.state.dice[Side.FREE_PEOPLES].sum() == 4


def test_R9_4_4_only_a_move_puts_a_die_into_the_Hunt_Box():
    position = Position().fellowship("rivendell").dice("character character")
    game = play(position.game(), "face:character", "plan:skip")
    assert game.state.hunt_box.tolist() == [0, 0]
    game = play(separated(Position().fellowship("rivendell"), "gimli"), "region:rivendell")
    assert game.state.hunt_box.tolist() == [0, 0]


def test_R9_4_5_there_is_no_limit_on_moves_in_a_turn():
    position = Position().fellowship("rivendell").dice("character character will character event")
    game = play(position.game(), *MOVE)
    for face in ("character", "character", "will"):
        game.with_tape([1] * int(game.state.hunt_box[0]))
        play(game, f"face:{face}", "plan:move-fellowship")
    assert game.state.progress == 4
    assert game.state.hunt_box.tolist() == [4, 0]


def test_RU45_a_successful_Hunt_without_a_Reveal_icon_reveals_nobody():
    position = Position().fellowship("rivendell", progress=2).hunt_box(shadow=1)
    game = play(position.dice("character character").game(6, tile("tile-1-1")), *MOVE)
    play(game, "verb:take-corruption")
    assert game.decision == Decision.ACTION_DIE
    assert (game.state.revealed, game.state.progress) == (0, 3)
    assert game.state.fellowship_region == region("rivendell")


def test_RU38_a_besieged_or_occupied_region_does_not_hold_the_Fellowship():
    position = Position().fellowship("minas-tirith").army("minas-tirith", gondor=1, sauron=3)
    position.at_war("sauron", "gondor").dice("character character")
    game = play(position.game(), *MOVE)
    assert game.state.progress == 1
    assert game.state.corruption == 0


# --- Hiding (R9.7). ---


@pytest.mark.parametrize("face", ["character", "will"])
def test_R9_7_1_RU42_the_hiding_die_is_set_aside_and_nothing_moves(face):
    position = Position().fellowship("hollin", revealed=True, guide="gandalf-grey")
    position.hunt_box(shadow=2).dice(f"{face} event")
    game = position.game()
    used = int(game.state.dice_used[Side.FREE_PEOPLES])
    play(game, f"face:{face}", "plan:hide-fellowship")
    assert game.state.revealed == 0
    assert (game.state.progress, game.state.fellowship_region) == (0, region("hollin"))
    assert game.state.hunt_box.tolist() == [0, 2]
    assert game.state.dice_used[Side.FREE_PEOPLES] == used + 1


@pytest.mark.parametrize("face", ["muster", "army-muster", "event", "army"])
def test_R9_7_1_other_results_hide_only_behind_Strider(face):
    dice = f"{face.replace('-', '_')} event"
    game = Position().fellowship("hollin", revealed=True, guide="gandalf-grey").dice(dice).game()
    assert "plan:hide-fellowship" not in legal(play(game, f"face:{face}"))
    game = Position().fellowship("hollin", revealed=True, guide="strider").dice(dice).game()
    play(game, f"face:{face}", "plan:hide-fellowship")
    assert game.state.revealed == 0


def test_R9_7_1_a_Hidden_Fellowship_cannot_hide():
    game = play(
        Position().fellowship("hollin", guide="strider").dice("character will").game(), "face:character"
    )
    assert "plan:hide-fellowship" not in legal(game)


def test_R9_6_7_R9_7_1_a_Revealed_Fellowship_moves_only_after_hiding():
    game = Position().fellowship("hollin", revealed=True).dice("character character will").game()
    play(game, "face:character")
    assert "plan:move-fellowship" not in legal(game)
    play(game, "plan:hide-fellowship", *MOVE)
    assert game.state.progress == 1
