"""Events of the Free Peoples' Character deck beyond moves and healing (sections 22.2-22.4).

fp-char-14, 18 to 21, 23 and 24.
"""

from __future__ import annotations

import pytest

from tests.positions import (
    Position,
    card,
    figures_at,
    legal,
    legal_block,
    nation,
    only_acting_cards,
    play,
    region,
    tile,
    where,
)
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Face, Side, TileZone
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX, TILE_IDS

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
EYES = ("tile-eye-r-1", "tile-eye-r-2", "tile-eye-r-3", "tile-eye-r-4")


def holding(name: str, **options) -> Position:
    """The Free Peoples hold the card and two Character dice; Strider has left the Fellowship."""
    position = Position(only_acting_cards(**options)).hand(FP, name)
    position.fellowship(companions=["gandalf-grey", "peregrin"])
    return position.dice("character character", "army")


def offered(position: Position, die: str = "character") -> bool:
    return "plan:play-card" in legal(play(position.game(), f"face:{die}"))


def event(position: Position, name: str, *tape: int, die: str = "character") -> Game:
    game = play(position.game(*tape), f"face:{die}", "plan:play-card")
    assert f"card:{name}" in legal(game)
    return play(game, f"card:{name}")


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


def is_over(game: Game, name: str) -> bool:
    """The card is in the public discards, every outcome of the tape is used, and the Shadow acts."""
    assert zone(game, name) == CardZone.DISCARD and game.state.tape_length == 0
    return game.decision == Decision.ACTION_DIE and game.side == SH


def control(game: Game, place: str) -> int:
    return int(game.state.control[SETTLEMENT_INDEX[region(place)]])


def hand_sizes(game: Game) -> tuple[int, int]:
    """Cards of the Free Peoples' hand from their Character and Strategy decks."""
    held = game.state.card_zone == CardZone.HAND + FP
    return int(held[:24].sum()), int(held[24:48].sum())


def without_strategy_deck(position: Position) -> Position:
    position.state.card_zone[24:48] = CardZone.DISCARD
    position.state.deck_size[1] = 0
    return position


# --- fp-char-14, Challenge of the King. ---


def challenge(place: str = "pelargir", who: str = "strider") -> Position:
    position = holding("fp-char-14").place(who, place).army(place, gondor=2, gondor_leader=1)
    return position.place("strider", "replaced") if who == "aragorn" else position


def tiles_in(game: Game, where_they_are: int) -> set[str]:
    return {TILE_IDS[i] for i in (game.state.tile_zone == where_they_are).nonzero()[0]}


@pytest.mark.parametrize("drawn", [(EYES[0], "tile-3-1", EYES[3]), ("tile-1-1", "tile-2-1", EYES[0])])
def test_fp_char_14_challenge_of_the_king_eyes_leave_the_game(drawn):
    position = challenge()
    pool = {TILE_IDS[i] for i in (position.state.tile_zone == TileZone.POOL).nonzero()[0]}
    game = event(position, "fp-char-14", *(tile(name) for name in drawn))
    assert is_over(game, "fp-char-14") and where(game, "strider") == "pelargir"
    lost = set(drawn) & set(EYES)
    assert tiles_in(game, TileZone.REMOVED) == lost and tiles_in(game, TileZone.POOL) == pool - lost
    assert game.state.corruption == 0 and game.state.revealed == 0  # no effect of the others


@pytest.mark.parametrize("who", ["strider", "aragorn"])
def test_fp_char_14_three_eyes_cost_the_king(who):
    game = event(challenge(who=who), "fp-char-14", *(tile(name) for name in EYES[:3]))
    assert is_over(game, "fp-char-14") and where(game, who) == "eliminated"
    assert tiles_in(game, TileZone.REMOVED) == set() and set(EYES) <= tiles_in(game, TileZone.POOL)
    assert figures_at(game, "pelargir") == {"gondor": 2, "gondor_leader": 1}


def test_fp_char_14_a_special_eye_leaves_and_blue_tiles_stay():
    position = challenge().pool("tile-sh-2", "tile-fp-1", "tile-3-1", "tile-eye-r-1")
    game = event(position, "fp-char-14", tile("tile-sh-2"), tile("tile-fp-1"), tile("tile-3-1"))
    eye_value = {"tile-sh-2"}  # The Ring Is Mine!
    assert tiles_in(game, TileZone.REMOVED) == eye_value
    assert tiles_in(game, TileZone.POOL) == {"tile-fp-1", "tile-3-1", "tile-eye-r-1"}


def test_fp_char_14_R11_1_3_eyes_removed_do_not_come_back_in_mordor():
    position = challenge().dice("character").fellowship("morannon").pool(*EYES[:2], "tile-1-1")
    game = event(position, "fp-char-14", tile(EYES[0]), tile(EYES[1]), tile("tile-1-1"))
    play(game, "region:morannon")  # the next turn
    assert game.state.mordor_step == 1 and len(tiles_in(game, TileZone.POOL)) == 14
    assert tiles_in(game, TileZone.REMOVED) == set(EYES[:2])


@pytest.mark.parametrize("seed", range(8))
def test_fp_char_14_R10_1_1_the_drawn_tiles_come_back_for_the_third(seed):
    """Two tiles are in the pool and one Eye is drawn: no tile is drawn twice."""
    position = Position(Ruleset(ask_single=True), seed=seed).hand(FP, "fp-char-14")
    position.dice("character character", "army").fellowship(companions=["peregrin"])
    position.place("strider", "edoras").army("edoras", rohan=1).pool("tile-eye-r-1", "tile-3-1")
    for name in TILE_IDS[:16]:
        if name not in ("tile-eye-r-1", "tile-3-1", "tile-eye-r-2"):
            position.state.tile_zone[tile(name)] = TileZone.REMOVED
    game = event(position, "fp-char-14")
    assert game.state.tile_zone[tile("tile-eye-r-1")] == TileZone.REMOVED
    assert game.state.tile_zone[tile("tile-eye-r-2")] == TileZone.REMOVED
    assert tiles_in(game, TileZone.POOL) == {"tile-3-1"}


@pytest.mark.parametrize(
    ("who", "place", "figures", "can"),
    [
        ("strider", "pelargir", {"gondor": 1}, True),
        ("strider", "helms-deep", {"rohan": 1, "isengard": 3}, True),  # besieged
        ("aragorn", "westemnet", {"elves": 1}, True),
        ("strider", "pelargir", {}, False),  # no army
        ("strider", "osgiliath", {"gondor": 1}, False),  # of no nation
        ("strider", "fangorn", {"rohan": 1}, False),
        ("boromir", "pelargir", {"gondor": 1}, False),
        ("strider", "druadan-forest", {"isengard": 1}, False),  # an enemy army
    ],
)
def test_fp_char_14_R6_4_1_an_army_in_gondor_or_rohan_with_strider_or_aragorn(who, place, figures, can):
    assert offered(holding("fp-char-14", null_events=True).place(who, place).army(place, **figures)) == can


# --- fp-char-18, The Eagles Are Coming! ---

REFUGES = {"barad-dur", "dol-guldur", "minas-morgul", "morannon", "moria", "mount-gundabad"}


def eagles(**options) -> Position:
    """Gimli's army in Dale; a Shadow army with Nazgul in Erebor, besieging nobody."""
    position = holding("fp-char-18", **options).place("gimli", "dale").army("dale", north=1)
    return position.control("erebor", SH)


def test_fp_char_18_eagles_kill_and_the_nazgul_flee():
    position = eagles().army("erebor", sauron=2, nazgul=3).place("witch-king", "erebor")
    game = event(position, "fp-char-18", 5, 4, 6)
    assert game.decision == Decision.EVENT_REGION and legal(game) == {"region:erebor"}
    play(game, "region:erebor")
    assert game.side == SH and legal(game) == {f"region:{name}" for name in REFUGES}
    assert game.state.reinforcement_leader[nation("sauron")] == 7
    play(game, "region:dol-guldur")
    assert is_over(game, "fp-char-18")
    assert figures_at(game, "erebor") == {"sauron": 2} and figures_at(game, "dol-guldur") == {"nazgul": 1}
    assert where(game, "witch-king") == "erebor"


def test_fp_char_18_five_dice_at_most_and_all_must_flee():
    position = eagles().army("erebor", sauron=1, nazgul=7)
    game = play(event(position, "fp-char-18", 1, 2, 3, 4, 4), "region:erebor", "region:moria")
    assert is_over(game, "fp-char-18") and figures_at(game, "moria") == {"nazgul": 7}


def test_fp_char_18_nobody_is_left_to_flee():
    game = play(event(eagles().army("erebor", sauron=1, nazgul=1), "fp-char-18", 6), "region:erebor")
    assert is_over(game, "fp-char-18") and figures_at(game, "erebor") == {"sauron": 1}


def test_fp_char_18_no_refuge_in_a_stronghold_of_the_free_peoples():
    position = eagles().army("erebor", sauron=1, nazgul=1).control("moria", FP).army("moria", dwarves=1)
    position.army("dol-guldur", elves=2, sauron=1)  # besieged, still the Shadow's
    game = play(event(position, "fp-char-18", 1), "region:erebor")
    assert legal_block(game, "region") == REFUGES - {"moria"}
    play(game, "region:dol-guldur")
    assert figures_at(game, "dol-guldur") == {"elves": 2, "sauron": 1, "nazgul": 1}


def test_fp_char_18_RG12_one_of_several_armies_and_RG11_garrisons_count():
    position = eagles().army("withered-heath", southrons=1, nazgul=1).army("erebor", sauron=1, nazgul=1)
    position.army("minas-tirith", gondor=1, sauron=4, nazgul=2).place("boromir", "minas-tirith")
    position.army("moria", sauron=1, nazgul=1, dwarves=2).place("legolas", "moria")  # Shadow besieged
    position.army("osgiliath", sauron=1).army("fangorn", southrons=1, nazgul=1)  # not near
    game = event(position, "fp-char-18", 5, 5)
    assert game.side == FP
    assert legal_block(game, "region") == {"withered-heath", "erebor", "minas-tirith", "moria"}
    play(game, "region:minas-tirith")
    assert is_over(game, "fp-char-18")
    assert figures_at(game, "minas-tirith") == {"gondor": 1, "sauron": 4}


def test_fp_char_18_R6_4_1_needs_companion_army_and_nazgul():
    assert offered(eagles().army("erebor", sauron=1, nazgul=1))
    assert not offered(eagles().army("erebor", sauron=1).place("witch-king", "erebor"))
    assert not offered(eagles().army("erebor", nazgul=1))
    assert not offered(eagles().army("barad-dur", sauron=1, nazgul=1))
    near = holding("fp-char-18").army("withered-heath", sauron=1, nazgul=1)
    assert not offered(near.place("gimli", "dale"))  # without an army
    near = holding("fp-char-18").army("withered-heath", sauron=1, nazgul=1)
    assert not offered(near.army("dale", north=1, north_leader=1))


def test_fp_char_18_R6_4_1_the_printed_condition_holds_with_null_events_too():
    assert not offered(eagles(null_events=True).army("erebor", sauron=1))


# --- fp-char-19 to 21, The Ents Awake. ---

ENTS = pytest.mark.parametrize("name", ["fp-char-19", "fp-char-20", "fp-char-21"])


def ents(name: str, companion: str = "gandalf-white", **options) -> Position:
    position = holding(name, **options).place("gandalf-grey", "replaced").place("gandalf-white", "rivendell")
    position.fellowship(companions=["peregrin"])
    return position.place(companion, "fangorn")


@ENTS
def test_fp_char_19_treebeard_fp_char_20_huorns_fp_char_21_entmoot_R6_4_6_hits(name):
    position = ents(name).army("orthanc", isengard=2, isengard_elite=2).place("saruman", "orthanc")
    game = event(position, name, 4, 3, 6)
    assert game.side == SH and game.decision == Decision.CASUALTY
    assert legal(game) == {"figure:isengard-regular", "figure:isengard-elite", "nation:isengard"}  # 2 hits
    play(game, "nation:isengard", "figure:isengard-regular")
    assert is_over(game, name) and figures_at(game, "orthanc") == {"isengard": 2, "isengard_elite": 1}
    assert where(game, "saruman") == "orthanc"
    assert game.state.steps_to_war[nation("isengard")] == 1  # not attacked


@ENTS
def test_fp_char_19_fp_char_20_fp_char_21_the_retinue_dies_with_the_army(name):
    position = ents(name, "gimli").army("orthanc", isengard=1, nazgul=2)
    position.place("saruman", "orthanc").place("witch-king", "orthanc")
    game = play(event(position, name, 4, 5, 6), "figure:isengard-regular")
    assert is_over(game, name) and figures_at(game, "orthanc") == {}
    assert where(game, "saruman") == where(game, "witch-king") == "eliminated"
    assert game.state.reinforcement_leader[nation("sauron")] == 8
    assert control(game, "orthanc") == SH  # nobody is there to capture it


@ENTS
def test_fp_char_19_fp_char_20_fp_char_21_saruman_alone(name):
    position = ents(name).place("saruman", "orthanc").place("witch-king", "orthanc")
    position.army("orthanc", nazgul=1).army("gap-of-rohan", isengard=2)
    game = event(position, name)
    assert is_over(game, name) and where(game, "saruman") == "eliminated"
    assert where(game, "witch-king") == "orthanc"
    assert figures_at(game, "orthanc") == {"nazgul": 1}
    assert figures_at(game, "gap-of-rohan") == {"isengard": 2}


@ENTS
def test_fp_char_19_fp_char_20_fp_char_21_three_misses(name):
    position = ents(name).army("orthanc", isengard=1, nazgul=1).place("saruman", "orthanc")
    game = event(position, name, 3, 2, 1)
    assert is_over(game, name) and figures_at(game, "orthanc") == {"isengard": 1, "nazgul": 1}
    assert where(game, "saruman") == "orthanc"


@ENTS
def test_fp_char_19_fp_char_20_fp_char_21_R6_4_10_the_besieger_captures_orthanc(name):
    position = ents(name).army("orthanc", isengard=2, rohan=1).place("saruman", "orthanc")
    game = play(event(position, name, 4, 4, 1), "figure:isengard-regular", "figure:isengard-regular")
    assert is_over(game, name) and control(game, "orthanc") == FP
    assert figures_at(game, "orthanc") == {"rohan": 1} and where(game, "saruman") == "eliminated"


@ENTS
def test_fp_char_19_fp_char_20_fp_char_21_R6_4_1_R6_4_4_the_condition(name):
    def army(position: Position) -> Position:
        return position.army("orthanc", isengard=1)

    assert offered(army(ents(name))) and offered(army(ents(name, "gimli")))
    assert not offered(army(ents(name, null_events=True).place("gandalf-white", "westemnet")))
    assert not offered(army(ents(name, "gimli").place("gandalf-white", "eliminated")))
    grey = holding(name).fellowship(companions=["peregrin"]).place("gandalf-grey", "fangorn")
    assert not offered(army(grey))
    assert not offered(ents(name))  # nobody in Orthanc
    assert not offered(ents(name).army("orthanc", rohan=1).control("orthanc", FP))


EXTRA = "fp-char-12"  # Bilbo's Song


def entmoot(gandalf: str, *, option: bool = True) -> Game:
    position = ents("fp-char-21", "gimli", ents_extra_card=option).place("gandalf-white", gandalf)
    position.hand(FP, EXTRA, "fp-char-23", "fp-strat-15").fellowship(companions=["peregrin"], corruption=3)
    return event(position.army("orthanc", isengard=1), "fp-char-21", 1, 1, 1)


@pytest.mark.parametrize("gandalf", ["fangorn", "edoras", "westemnet"])
def test_fp_char_21_ents_extra_card_a_further_character_card_without_a_die(gandalf):
    game = entmoot(gandalf)
    assert game.side == FP and legal(game) == {f"card:{EXTRA}", "verb:decline"}
    play(game, f"card:{EXTRA}")
    assert game.state.corruption == 2 and zone(game, EXTRA) == CardZone.DISCARD
    assert is_over(game, "fp-char-21") and game.state.dice[FP, Face.CHARACTER] == 1


def test_fp_char_21_ents_extra_card_may_be_declined():
    game = play(entmoot("fangorn"), "verb:decline")
    assert is_over(game, "fp-char-21") and zone(game, EXTRA) == CardZone.HAND + FP


def test_fp_char_21_ents_extra_card_not_elsewhere_and_not_without_the_option():
    assert is_over(entmoot("rivendell"), "fp-char-21")
    assert is_over(entmoot("fangorn", option=False), "fp-char-21")


@ENTS
def test_fp_char_19_fp_char_20_fp_char_21_R6_4_4_the_extra_card_alone_is_reason_to_play(name):
    """Nobody stands in Orthanc, so that only the further card can be what it is played for."""

    def position(*hand: str, gandalf: str = "fangorn", **options) -> Position:
        options = {"ents_extra_card": True, "null_events": False, **options}
        ready = ents(name, "gimli", **options).place("gandalf-white", gandalf)
        return ready.hand(FP, *hand).fellowship(companions=["peregrin"], corruption=3)

    def playable(position: Position) -> bool:
        game = play(position.game(), "face:character")
        return "plan:play-card" in legal(game) and f"card:{name}" in legal(play(game, "plan:play-card"))

    game = event(position(EXTRA), name)
    assert game.side == FP and legal(game) == {f"card:{EXTRA}", "verb:decline"}
    assert is_over(play(game, f"card:{EXTRA}"), name) and game.state.corruption == 2
    assert not playable(position())  # no further card,
    assert not playable(position("fp-strat-15"))  # none of the Character deck,
    assert not playable(position("fp-char-23"))  # none that may be played
    assert playable(position(EXTRA)) and not playable(position(EXTRA, gandalf="rivendell"))
    assert not playable(position(EXTRA, ents_extra_card=False))
    other = "fp-char-19" if name != "fp-char-19" else "fp-char-20"
    assert not playable(position(other))  # it would need a third card itself
    game = play(event(position(other, EXTRA), name), f"card:{other}")
    assert legal(game) == {f"card:{EXTRA}", "verb:decline"}


# --- fp-char-23, House of the Stewards. ---


def stewards(place: str = "minas-tirith", **options) -> Position:
    return holding("fp-char-23", **options).place("boromir", place)


@pytest.mark.parametrize("kind", ["regular", "elite"])
@pytest.mark.parametrize("place", ["minas-tirith", "anfalas"])  # at peace, with and without a Settlement
def test_fp_char_23_house_of_the_stewards_R6_4_7_a_unit_and_two_cards(kind, place):
    position = stewards(place)
    left = int(position.state[f"reinforcement_{kind}"][nation("gondor")])
    game = event(position, "fp-char-23")
    assert legal(game) == {f"region:{place}"}
    play(game, f"region:{place}")
    assert game.side == FP and legal(game) == {"figure:gondor-regular", "figure:gondor-elite"}
    assert hand_sizes(game) == (0, 0)
    play(game, f"figure:gondor-{kind}")
    assert is_over(game, "fp-char-23") and hand_sizes(game) == (0, 2)
    assert sum(figures_at(game, place).values()) == 1
    assert game.state[f"reinforcement_{kind}"][nation("gondor")] == left - 1


def test_fp_char_23_R6_2_4_RG23_two_cards_to_a_full_hand():
    position = stewards().hand(FP, *(f"fp-char-0{number}" for number in range(1, 6)))
    game = play(event(position, "fp-char-23"), "region:minas-tirith", "figure:gondor-regular")
    assert game.decision == Decision.DISCARD_CARD and hand_sizes(game) == (5, 2)
    play(game, "card:fp-char-01")
    assert is_over(game, "fp-char-23") and hand_sizes(game) == (4, 2)
    assert zone(game, "fp-char-01") == CardZone.FACE_DOWN + FP


@pytest.mark.parametrize(("garrison", "room"), [(4, True), (5, False)])
def test_fp_char_23_GX40_R6_4_7_up_to_five_units_in_a_siege(garrison, room):
    position = stewards().army("minas-tirith", gondor=garrison, sauron=3)
    game = event(position, "fp-char-23")
    if room:
        play(game, "region:minas-tirith", "figure:gondor-elite")
    assert is_over(game, "fp-char-23") and hand_sizes(game) == (0, 2)
    assert game.state.units[region("minas-tirith"), FP] == 5


@pytest.mark.parametrize(
    ("place", "blocked"),
    [
        ("anfalas", lambda p: p.army("anfalas", sauron=1)),  # enemy units
        ("lossarnach", lambda p: p.control("lossarnach", SH)),  # an enemy Settlement
        ("lossarnach", lambda p: p.army("lossarnach", rohan=5, elves=5)),  # full
        ("lossarnach", lambda p: p.dead(gondor=15, gondor_elite=5)),  # nobody left
    ],
)
def test_fp_char_23_R6_4_4_only_the_cards_where_nobody_can_be_recruited(place, blocked):
    game = event(blocked(stewards(place)), "fp-char-23")
    assert is_over(game, "fp-char-23") and hand_sizes(game) == (0, 2)
    assert "gondor" not in figures_at(game, place) and "gondor_elite" not in figures_at(game, place)


def test_fp_char_23_R6_4_4_only_the_unit_and_of_the_kind_that_is_left():
    game = event(without_strategy_deck(stewards().dead(gondor_elite=5)), "fp-char-23")
    play(game, "region:minas-tirith")
    assert legal(game) == {"figure:gondor-regular"}
    play(game, "figure:gondor-regular")
    assert is_over(game, "fp-char-23") and hand_sizes(game) == (0, 0)


def test_fp_char_23_R6_4_1_R6_4_4_when_it_is_not_offered():
    assert offered(stewards("dol-amroth"))
    assert not offered(stewards("osgiliath", null_events=True))
    assert not offered(holding("fp-char-23", null_events=True).place("boromir", "aside"))
    blocked = without_strategy_deck(stewards("lossarnach").control("lossarnach", SH))
    assert not offered(blocked)
    wasted = without_strategy_deck(stewards("lossarnach", null_events=True).control("lossarnach", SH))
    assert is_over(event(wasted, "fp-char-23"), "fp-char-23")


# --- fp-char-24, The Grey Company. ---


def company(place: str = "edoras", who: str = "strider", **options) -> Position:
    position = holding("fp-char-24", **options)
    return position.place("strider", "replaced").place(who, place)


@pytest.mark.parametrize("who", ["strider", "aragorn"])
@pytest.mark.parametrize("people", ["rohan", "gondor"])
def test_fp_char_24_grey_company_a_regular_becomes_an_elite_and_two_cards(who, people):
    position = company(who=who).army("edoras", rohan=2, gondor=1, dwarves_elite=1)
    position.army("helms-deep", elves=1)  # another army
    elites = int(position.state.reinforcement_elite[nation(people)])
    regulars = int(position.state.reinforcement_regular[nation(people)])
    game = event(position, "fp-char-24")
    assert game.side == FP and legal(game) == {"nation:rohan", "nation:gondor"}
    play(game, f"nation:{people}")
    assert is_over(game, "fp-char-24") and hand_sizes(game) == (0, 2)
    expected = {"rohan": 2, "gondor": 1, "dwarves_elite": 1, f"{people}_elite": 1}
    expected[people] -= 1
    assert figures_at(game, "edoras") == {name: count for name, count in expected.items() if count}
    assert game.state.reinforcement_elite[nation(people)] == elites - 1
    assert game.state.reinforcement_regular[nation(people)] == regulars
    assert game.state.casualty_regular[nation(people)] == 1


def test_fp_char_24_in_a_besieged_garrison():
    position = company("helms-deep").army("helms-deep", rohan=5, rohan_leader=1, isengard=3)
    game = play(event(position, "fp-char-24"), "nation:rohan")
    assert is_over(game, "fp-char-24")
    assert figures_at(game, "helms-deep") == {"rohan": 4, "rohan_elite": 1, "rohan_leader": 1, "isengard": 3}


@pytest.mark.parametrize(("army", "dead"), [({"rohan_elite": 2}, {}), ({"elves": 1}, {"elves_elite": 10})])
def test_fp_char_24_R6_4_4_only_the_cards_without_a_regular_or_an_elite(army, dead):
    game = event(company().army("edoras", **army).dead(**dead), "fp-char-24")
    assert is_over(game, "fp-char-24") and hand_sizes(game) == (0, 2)
    assert not game.state.casualty_regular.any()


def test_fp_char_24_R6_4_1_R6_4_4_when_it_is_not_offered():
    assert not offered(company(null_events=True))  # no army
    assert not offered(company(null_events=True).army("westemnet", rohan=1))
    assert not offered(company(who="boromir", null_events=True).army("edoras", rohan=1))
    assert not offered(without_strategy_deck(company().army("edoras", rohan_elite=1)))
    assert offered(without_strategy_deck(company().army("edoras", rohan=1)))
    assert offered(company("barad-dur").control("barad-dur", FP).army("barad-dur", north=1))
