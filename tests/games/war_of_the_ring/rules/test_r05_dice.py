"""R5.1-R5.3: pools of Action dice, Hunt allocation, faces. The Rings and the tables are in test_r05_*.py."""

from __future__ import annotations

import pytest

from tests.positions import Position, character, legal, legal_block, play
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Face, Phase, Side, TurnStage
from wotr_env.games.war_of_the_ring.components import DIE_FACES

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
SKIP = "plan:skip"
COMPANIONS = ("gandalf-grey", "strider", "boromir", "legolas", "gimli", "meriadoc", "peregrin")


def new_turn(ruleset=None):
    return Position(ruleset).phase(Phase.DRAW, TurnStage.DRAW)


def pools(position):
    """The dice of both sides at the start of a turn."""
    return position.phase(Phase.DRAW, TurnStage.DRAW).game().state.pool.tolist()


def allocating(companions, ruleset=None):
    """A game at the Hunt allocation."""
    position = Position(ruleset).phase(Phase.HUNT_ALLOCATION, TurnStage.ALLOCATE)
    game = position.fellowship(companions=companions).game()
    assert (game.decision, game.side) == (Decision.HUNT_ALLOCATION, SH)
    return game


def counts(*numbers):
    return {f"count:{number}" for number in numbers}


# --- R5.1: pools. ---


@pytest.mark.parametrize(
    ("places", "dice"),
    [
        ({}, [4, 7]),
        ({"aragorn": "minas-tirith"}, [5, 7]),
        ({"gandalf-white": "fangorn"}, [5, 7]),
        ({"aragorn": "minas-tirith", "gandalf-white": "fangorn"}, [6, 7]),
        ({"strider": "bree", "boromir": "edoras", "gollum": "aside"}, [4, 7]),
        ({"saruman": "orthanc"}, [4, 8]),
        ({"witch-king": "angmar"}, [4, 8]),
        ({"mouth-of-sauron": "barad-dur"}, [4, 8]),
        ({"saruman": "orthanc", "witch-king": "angmar", "mouth-of-sauron": "nurn"}, [4, 10]),
    ],
)
def test_R5_1_1_R5_1_2_a_die_for_each_great_character(places, dice):
    position = Position()
    for name, place in places.items():
        position.place(name, place)
    assert pools(position) == dice


def test_R5_1_3_the_die_of_a_dead_character_is_lost():
    position = Position().place("saruman", "eliminated").place("witch-king", "angmar")
    assert pools(position.place("aragorn", "eliminated")) == [4, 8]


def crowning(timing):
    """Strider may become Aragorn by a Will of the West result; the Shadow has one die left."""
    position = Position(Ruleset(die_bonus_timing=timing, ask_single=True)).place("strider", "minas-tirith")
    return position.fellowship(guide="gandalf-grey").dice("will", "muster")


BRING_ARAGORN = ("face:will", "plan:bring-character", "character:aragorn", "region:minas-tirith")


def test_R5_1_4_RG9_a_new_die_from_the_next_turn():
    game = play(crowning("next_turn").game(), *BRING_ARAGORN)
    assert (game.side, int(game.state.pool[FP]), int(game.state.dice[FP].sum())) == (SH, 4, 0)
    play(game, "face:muster", SKIP)
    assert (int(game.state.turn), int(game.state.pool[FP])) == (2, 5)


def test_R5_1_4_RG9_a_new_die_at_once():
    game = play(crowning("at_once").game(5), *BRING_ARAGORN)
    assert (game.side, int(game.state.pool[FP])) == (SH, 5)
    assert game.state.dice[FP].tolist() == [0, 0, 0, 0, 1, 0, 0]
    play(game, "face:muster", SKIP)
    assert "face:event" in legal(game)


def test_R5_1_4_a_new_shadow_die_at_once_may_be_an_eye():
    position = Position(Ruleset(die_bonus_timing="at_once", ask_single=True)).at_war("isengard")
    game = position.dice("muster", "muster", acting=SH).game(6)
    play(game, "face:muster", "plan:bring-character", "character:saruman", "region:orthanc")
    assert game.state.pool.tolist() == [4, 8]
    assert game.state.hunt_box.tolist() == [0, 1]
    assert game.side == FP


@pytest.mark.parametrize("timing", ["next_turn", "at_once"])
def test_R5_1_3_R5_1_4_a_die_already_rolled_stays_usable(timing):
    """Aragorn falls with the last unit in Osgiliath; his die is used all the same, and gone next turn."""
    position = Position(Ruleset(die_bonus_timing=timing, ask_single=True)).at_war("gondor", "sauron")
    position.place("aragorn", "osgiliath").place("strider", "replaced").fellowship(guide="gandalf-grey")
    position.army("osgiliath", gondor=1).army("south-ithilien", sauron=2)
    position.dice("muster muster muster muster muster", "army", acting=SH)
    game = position.game(6, 1, 1, 1, 1, 1)
    assert game.state.pool[FP] == 5
    play(game, "face:army", "plan:attack", "region:south-ithilien", "region:osgiliath", "verb:whole-army")
    play(game, "figure:gondor-regular", "verb:decline")
    assert game.state.location[character("aragorn")] < -1
    assert (int(game.state.pool[FP]), int(game.state.dice[FP, Face.MUSTER])) == (5, 5)
    for _ in range(5):
        assert game.side == FP
        play(game, "face:muster", SKIP)
    assert (int(game.state.turn), int(game.state.pool[FP])) == (2, 4)


# --- R5.2: Hunt allocation. ---


def test_GX1_R5_2_1_R5_2_2_as_many_dice_as_companions():
    assert legal(allocating(["legolas", "gimli", "meriadoc"])) == counts(0, 1, 2, 3)
    assert legal(allocating(COMPANIONS)) == counts(*range(8))


@pytest.mark.parametrize("edition", [Ruleset.first_edition, Ruleset.second_edition])
def test_GX2_R5_2_2_gollum_alone_counts_as_one(edition):
    """Gollum is there whenever no Companion is, so both editions allow one die."""
    ruleset = edition(ask_single=True)
    assert legal(allocating([], ruleset)) == counts(0, 1)
    assert legal(allocating(["peregrin"], ruleset)) == counts(0, 1)
    assert legal(allocating(["strider", "peregrin"], ruleset)) == counts(0, 1, 2)


@pytest.mark.parametrize(("option", "least"), [("zero", 0), ("one_after_move", 1)])
@pytest.mark.parametrize("plan", ["move-fellowship", "skip"])
def test_R5_2_3_hunt_alloc_min(option, least, plan):
    ruleset = Ruleset(hunt_alloc_min=option, ask_single=True)
    position = Position(ruleset).fellowship(companions=["gandalf-grey", "legolas"]).dice("character")
    game = play(position.game(), "face:character", f"plan:{plan}", "verb:decline")
    assert game.decision == Decision.HUNT_ALLOCATION
    moved = plan == "move-fellowship"
    assert legal(game) == counts(*range(least if moved else 0, 3))


def test_R5_2_3_only_the_previous_turn_counts():
    ruleset = Ruleset(hunt_alloc_min="one_after_move", ask_single=True)
    position = Position(ruleset).fellowship(companions=["gandalf-grey", "legolas"]).dice("character")
    game = play(position.game(1, 3, 3, 3, 3, *[6] * 6), "face:character", "plan:move-fellowship")
    game.with_tape([3, 3, 3, 3, *[6] * 6])
    play(game, "verb:decline", "count:1", *["face:muster", SKIP] * 4, "verb:decline")
    assert game.decision == Decision.HUNT_ALLOCATION
    assert legal(game) == counts(0, 1, 2)


def test_R5_2_4_eyes_go_beyond_the_cap():
    game = allocating([])
    game.with_tape([3, 3, 3, 3, *[6] * 5, 2])
    state = play(game, "count:1").state
    assert state.hunt_box.tolist() == [0, 6]


def test_RU2_R5_2_4_the_hunt_roll_is_not_capped_by_the_companions():
    """Gollum alone: one die was allocated, four are rolled."""
    position = Position().fellowship("trollshaws", companions=[]).dice("character", "eye eye eye eye")
    game = play(position.game(1, 2, 3, 4), "face:character", "plan:move-fellowship")
    assert game.state.tape_length == 0


def test_R5_2_5_allocated_dice_are_not_rolled():
    game = allocating(COMPANIONS)
    game.with_tape([1, 3, 4, 5])
    state = play(game, "count:7").state
    assert state.tape_length == 0
    assert state.hunt_box.tolist() == [0, 7]
    assert state.dice.tolist() == [[1, 0, 1, 1, 1, 0, 0], [0] * 7]


# --- R5.3: faces. ---


def rolled(free_peoples, shadow):
    """The state after an Action roll of six Free Peoples dice and six of eight Shadow dice."""
    position = Position().place("aragorn", "pelargir").place("gandalf-white", "lorien")
    position.place("strider", "replaced").place("gandalf-grey", "eliminated").place("saruman", "orthanc")
    position.state.guide = character("boromir")
    game = play(position.phase(Phase.DRAW, TurnStage.DRAW).game(), "verb:decline")
    play(game, "character:boromir").with_tape([*free_peoples, *shadow])
    return play(game, "count:2").state


def test_R5_3_1_faces_of_the_free_peoples_die():
    state = rolled([1, 2, 3, 4, 5, 6], [1] * 6)
    faces = {Face.CHARACTER: 2, Face.MUSTER: 1, Face.ARMY_MUSTER: 1, Face.EVENT: 1, Face.WILL: 1}
    assert state.dice[FP].tolist() == [faces.get(face, 0) for face in Face]
    assert state.hunt_box[FP] == 0
    assert Face.ARMY not in DIE_FACES[FP] and Face.EYE not in DIE_FACES[FP]


def test_R5_3_2_R5_3_5_faces_of_the_shadow_die():
    state = rolled([1] * 6, [1, 2, 3, 4, 5, 6])
    faces = (Face.CHARACTER, Face.ARMY, Face.MUSTER, Face.ARMY_MUSTER, Face.EVENT)
    assert state.dice[SH].tolist() == [int(face in faces) for face in Face]
    assert state.hunt_box[SH] == 3


def plans(position, face, side=FP):
    position.dice(*((face, "") if side == FP else ("", face)), acting=side)
    return legal_block(play(position.game(), f"face:{face.replace('_', '-')}"), "plan")


def at_the_border(*at_war):
    """A Gondor army and a Sauron army face each other, each with a Leader."""
    position = Position().at_war(*at_war).army("minas-tirith", gondor=2, gondor_leader=1)
    return position.army("osgiliath", sauron=2, nazgul=1)


@pytest.mark.parametrize(("side", "nations"), [(FP, "gondor"), (SH, "sauron")])
def test_R5_3_3_R5_6_2_army_muster_is_chosen_on_use(side, nations):
    army = plans(at_the_border(nations), "army", side)
    muster = plans(at_the_border(nations), "muster", side)
    assert {"move-armies", "attack"} <= army and {"advance-nation", "recruit"} <= muster
    assert plans(at_the_border(nations), "army_muster", side) == army | muster


def test_R5_3_3_army_muster_is_one_action_only():
    game = at_the_border("gondor").dice("army_muster", "muster").game()
    play(game, "face:army-muster", "plan:advance-nation", "nation:rohan")
    assert (game.side, int(game.state.dice[FP].sum())) == (SH, 0)


def test_R5_3_4_will_of_the_west_is_any_result():
    position = at_the_border("gondor")
    position.place("strider", "minas-tirith").fellowship(guide="gandalf-grey")
    everything = set()
    for face in ("character", "army", "muster", "army_muster", "event"):
        everything |= plans(position, face)
    assert plans(position, "will") == everything | {"bring-character"}


def test_R5_3_5_an_eye_is_never_an_action():
    game = Position().dice("muster muster", "army eye eye").game()
    play(game, "face:muster", SKIP)
    assert legal_block(game, "face") == {"army"}
    play(game, "face:army", SKIP, "face:muster", SKIP)
    assert game.state.turn == 2
