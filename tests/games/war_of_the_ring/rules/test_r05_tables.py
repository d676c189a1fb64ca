"""R5.4-R5.6: what each result of an Action die can be used for."""

from __future__ import annotations

import pytest

from tests.positions import Position, legal, legal_block, play, region
from wotr_env.games.war_of_the_ring.codes import Side

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
FACES = ("character", "army", "muster", "army_muster", "event")


def plans(position, face, side=FP):
    """What a die result can be used for."""
    position.dice(*((face, "") if side == FP else ("", face)), acting=side)
    return legal_block(play(position.game(), f"face:{face.replace('_', '-')}"), "plan")


def free_peoples():
    """Everything is possible: Strider and Gimli are at their places, Gondor is At War with a Leader."""
    position = Position().at_war("gondor").army("minas-tirith", gondor=2, gondor_leader=1)
    position.army("osgiliath", sauron=2).place("strider", "minas-tirith").place("gimli", "erebor")
    return position.fellowship("rivendell", guide="gandalf-grey")


def shadow():
    """Everything is possible: Saruman and the Mouth are in play, Sauron and Isengard At War."""
    position = Position().at_war("sauron", "isengard").army("osgiliath", sauron=2, nazgul=1)
    position.army("minas-tirith", gondor=2).army("orthanc", isengard=2)
    return position.place("saruman", "orthanc").place("mouth-of-sauron", "barad-dur")


ARMY = {"move-armies", "attack"}
MUSTER = {"advance-nation", "recruit"}
CHARACTER = {"move-fellowship", "separate-companions", "move-companions"}
ENTRY = {"bring-character", "voice-regulars", "voice-elites"}
ALWAYS = {"companion-advance", "skip"}


@pytest.mark.parametrize(
    ("face", "expected"),
    [
        ("character", CHARACTER | ARMY | ALWAYS),
        ("army", ARMY | ALWAYS),
        ("muster", MUSTER | ALWAYS),
        ("army_muster", ARMY | MUSTER | ALWAYS),
        ("event", {"draw-card"} | ALWAYS),
        ("will", CHARACTER | ARMY | MUSTER | {"draw-card", "bring-character"} | ALWAYS),
    ],
)
def test_R5_4_results_of_the_free_peoples(face, expected):
    assert plans(free_peoples(), face) == expected


@pytest.mark.parametrize("face", ["character", "will"])
def test_R5_4_move_if_hidden_hide_if_revealed(face):
    hidden = plans(free_peoples(), face)
    revealed = plans(free_peoples().fellowship("trollshaws", revealed=True), face)
    assert hidden - revealed == {"move-fellowship"}
    assert revealed - hidden == {"hide-fellowship"}


@pytest.mark.parametrize("face", FACES)
def test_R5_4_any_result_hides_with_strider_as_guide(face):
    def revealed(guide):
        position = Position().fellowship("trollshaws", revealed=True, companions=["strider", "gandalf-grey"])
        return plans(position.fellowship("trollshaws", revealed=True, guide=guide), face)

    assert "hide-fellowship" in revealed("strider")
    assert ("hide-fellowship" in revealed("gandalf-grey")) == (face == "character")


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize(
    ("companion", "place", "advances"),
    [("boromir", "pelargir", "gondor"), ("legolas", "lorien", "elves"), ("gimli", "erebor", "dwarves")],
)
def test_R5_4_any_result_advances_by_boromir_legolas_gimli(face, companion, place, advances):
    position = Position().place(companion, place).dice(face)
    game = play(position.game(), f"face:{face.replace('_', '-')}", "plan:companion-advance")
    assert legal(game) == {f"nation:{advances}"}


def test_R5_4_a_character_result_moves_and_attacks_with_a_leader_only():
    """Army results take any army."""

    def position():
        armies = Position().at_war("gondor", "north").army("minas-tirith", gondor=2, gondor_leader=1)
        armies.army("bree", north=1).army("osgiliath", sauron=2).army("lossarnach", gondor=1)
        return armies.place("strider", "bree")

    for face, attackers in (("character", {"minas-tirith"}), ("army", {"minas-tirith", "lossarnach"})):
        game = play(position().dice(face).game(), f"face:{face}", "plan:attack")
        assert legal_block(game, "region") == attackers
    for face, movers in (
        ("character", {"minas-tirith", "bree"}),
        ("army", {"minas-tirith", "bree", "lossarnach"}),
    ):
        game = play(position().dice(face).game(), f"face:{face}", "plan:move-armies")
        assert legal_block(game, "region") == movers


@pytest.mark.parametrize("side", [FP, SH])
def test_R5_4_R5_5_without_leader_no_army_by_a_character_result(side):
    position = Position().at_war("gondor", "sauron").army("minas-tirith", gondor=2)
    position.army("osgiliath", sauron=2)
    assert ARMY.isdisjoint(plans(position, "character", side))
    assert plans(position, "army", side) == ARMY | {"skip"}


def test_R5_4_no_separation_on_the_mordor_track():
    position = free_peoples().fellowship(mordor_step=1)
    assert "separate-companions" not in plans(position, "character")
    assert "separate-companions" not in plans(position, "will")


def test_RU32_R5_4_upgrades_need_a_will_of_the_west():
    with_upgrade = {face for face in (*FACES, "will") if "bring-character" in plans(free_peoples(), face)}
    assert with_upgrade == {"will"}


@pytest.mark.parametrize(
    ("face", "expected"),
    [
        ("character", ARMY | {"move-minions", "skip"}),
        ("army", ARMY | {"skip"}),
        ("muster", MUSTER | ENTRY | ARMY | {"skip"}),  # an Army action by the Messenger
        ("army_muster", MUSTER | ENTRY | ARMY | {"skip"}),
        ("event", {"draw-card", "skip"}),
    ],
)
def test_R5_5_results_of_the_shadow(face, expected):
    assert plans(shadow(), face, SH) == expected


def test_R5_5_minions_by_a_muster_result():
    game = play(shadow().dice("", "muster", acting=SH).game(), "face:muster", "plan:bring-character")
    assert legal(game) == {"character:witch-king"}


def test_R5_5_a_muster_result_is_no_army_result_without_the_mouth():
    assert plans(shadow().place("mouth-of-sauron", "aside"), "muster", SH) == MUSTER | ENTRY | {"skip"}
    everything = ARMY | MUSTER | ENTRY | {"skip"}
    assert plans(shadow().place("mouth-of-sauron", "aside"), "army_muster", SH) == everything


def test_R5_5_the_messenger_once_per_turn():
    game = shadow().dice("", "muster muster army_muster", acting=SH).game()
    play(game, "face:muster", "plan:move-armies", "region:orthanc", "region:gap-of-rohan")
    play(game, "verb:whole-army", "verb:done")
    again = legal_block(play(game.clone(), "face:muster"), "plan")
    assert ARMY.isdisjoint(again)
    assert legal_block(play(game.clone(), "face:army-muster"), "plan") > ARMY


def test_R5_5_the_messenger_works_again_next_turn():
    position = shadow().fellowship(guide="gandalf-grey").dice("", "muster", acting=SH)
    game = play(position.game(), "face:muster", "plan:move-armies", "region:orthanc", "region:gap-of-rohan")
    play(game, "verb:whole-army", "verb:done", "verb:decline", "character:strider")
    game.with_tape([3, 3, 3, 3, *[3] * 9])
    play(game, "count:0", "face:muster", "plan:skip", "face:muster")
    assert legal_block(game, "plan") > ARMY


def test_R5_5_the_messenger_is_not_used_up_by_a_muster_action():
    game = shadow().dice("", "muster muster", acting=SH).game()
    play(game, "face:muster", "plan:voice-elites", "face:muster")
    assert legal_block(game, "plan") > ARMY


# --- R5.6: parts of an action. ---


def test_R5_6_1_one_of_two_armies_is_enough_none_is_not():
    position = Position().at_war("gondor").army("pelargir", gondor=2).army("dol-amroth", gondor=1)
    game = play(position.dice("army", "muster").game(), "face:army", "plan:move-armies")
    assert "verb:done" not in legal(game)
    play(game, "region:pelargir", "region:lamedon", "verb:whole-army")
    assert "verb:done" in legal(game)
    assert play(game, "verb:done").side == SH


def test_R5_6_1_one_of_two_recruits_is_enough_none_is_not():
    position = Position().at_war("gondor").dice("muster", "muster")
    game = play(position.game(), "face:muster", "plan:recruit")
    assert "verb:done" not in legal(game)
    play(game, "figure:gondor-regular", "region:pelargir")
    assert "verb:done" in legal(game)
    state = play(game, "verb:done").state
    assert (game.side, int(state.units[:, FP].sum())) == (SH, 1)


def test_R5_6_1_one_of_several_companions_is_enough_none_is_not():
    position = Position().place("strider", "bree").place("boromir", "edoras").dice("character", "muster")
    game = play(position.game(), "face:character", "plan:move-companions")
    assert legal(game) == {"character:strider", "character:boromir"}
    play(game, "character:boromir", "verb:done", "region:folde")
    assert legal(game) == {"character:strider", "verb:done"}
    assert play(game, "verb:done").side == SH


def test_R5_6_1_one_of_several_nazgul_is_enough_none_is_not():
    position = Position().army("barad-dur", nazgul=2).dice("muster", "character", acting=SH)
    game = play(position.game(), "face:character", "plan:move-minions")
    assert legal(game) == {"region:barad-dur"}
    play(game, "region:barad-dur", "region:moria")
    assert legal(game) == {"region:barad-dur", "verb:done"}
    state = play(game, "verb:done").state
    assert (game.side, int(state.leader[region("moria"), 5])) == (FP, 1)


def test_R5_6_1_one_die_is_one_action():
    position = Position().place("strider", "bree").dice("character character", "muster")
    game = play(position.game(), "face:character", "plan:move-fellowship")
    assert game.side == SH
    assert play(game, "face:muster", "plan:skip").side == FP


def test_R5_6_2_the_use_of_army_muster_differs_from_die_to_die():
    game = free_peoples().dice("army_muster army_muster", "event").game()
    play(game, "face:army-muster", "plan:advance-nation", "nation:rohan", "face:event", "plan:skip")
    assert legal_block(play(game, "face:army-muster"), "plan") == ARMY | MUSTER | ALWAYS
