"""Cards on the table outside the Hunt: what they forbid, when they lapse, how they are paid off (R6.5)."""

from __future__ import annotations

import pytest

from tests.positions import Position, attack, card, legal, legal_block, play
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Nation, Phase, Side, TurnStage

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
AXE, HORN, STAFF = "fp-char-06", "fp-char-07", "fp-char-08"
LAST_BATTLE, POWER, BOMBADIL = "fp-strat-01", "fp-strat-02", "fp-strat-03"
PALANTIR, WORMTONGUE, FOLLY, THREATS = "sh-char-21", "sh-char-22", "sh-strat-03", "sh-strat-05"
ARMY_CARDS = ("sh-strat-01", "sh-strat-02")  # with the Army icon
CHARACTER_CARDS = ("sh-char-05", "sh-char-06")
MUSTER_CARD = "sh-strat-24"


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


def on_table(game: Game, name: str) -> bool:
    return zone(game, name) == CardZone.TABLE


def shadow_turn(*table: str, dice: str = "army army", **options) -> Position:
    """The Shadow is about to act; all Shadow nations are At War."""
    position = Position(Ruleset(ask_single=True, **options)).dice("character", dice, acting=SH)
    return position.at_war("sauron", "isengard", "southrons").table(*table)


def plans(game: Game, face: str) -> set[str]:
    return legal_block(play(game, f"face:{face}"), "plan")


# --- A Power Too Great, The Power of Tom Bombadil (R7.8.8). ---

CLOSED = {POWER: ("lorien", "rivendell", "grey-havens"), BOMBADIL: ("old-forest", "the-shire", "buckland")}
NEXT_TO = {
    "lorien": "dimrill-dale",
    "rivendell": "trollshaws",
    "grey-havens": "tower-hills",
    "old-forest": "cardolan",
    "the-shire": "tower-hills",
    "buckland": "cardolan",
}
REGIONS = [(name, place) for name, places in CLOSED.items() for place in places]


@pytest.mark.parametrize(("name", "place"), REGIONS)
def test_R7_8_8_fp_strat_02_fp_strat_03_no_shadow_army_moves_there(name, place):
    def destinations(*table: str) -> set[str]:
        origin = NEXT_TO[place]
        game = shadow_turn(*table).army(origin, sauron=2, nazgul=1).game()
        return legal_block(play(game, "face:army", "plan:move-armies", f"region:{origin}"), "region")

    open_to_all, left = destinations(), destinations(name)
    assert place in open_to_all and left == open_to_all - set(CLOSED[name])


@pytest.mark.parametrize(("name", "place"), REGIONS)
def test_R7_8_8_fp_strat_02_fp_strat_03_no_shadow_army_attacks_there(name, place):
    def can_attack(*table: str) -> bool:
        position = shadow_turn(*table).army(NEXT_TO[place], sauron=2).army(place, elves=1)
        return "attack" in plans(position.game(), "army")

    assert can_attack() and not can_attack(name)


def test_R7_8_8_fp_strat_02_no_assault_but_the_siege_stays():
    position = shadow_turn(POWER).army("lorien", elves=2, sauron=5)
    game = position.game()
    assert plans(game, "army") == {"move-armies", "skip"}  # away from Lorien
    position = shadow_turn(POWER).army("lorien", elves=2, sauron=5).army("dimrill-dale", sauron=2)
    game = play(position.game(), "face:army", "plan:move-armies", "region:dimrill-dale")
    assert "lorien" not in legal_block(game, "region")  # nor a reinforcement of the siege


def test_fp_strat_02_no_relief_and_no_sortie_at_lorien():
    position = shadow_turn(POWER).control("lorien", SH).army("lorien", sauron=2, elves=3)
    position.army("dimrill-dale", sauron=2)
    assert "attack" not in plans(position.game(), "army")


def test_R7_8_8_nazgul_and_minions_alone_are_not_stopped():
    position = shadow_turn(BOMBADIL, dice="character").army("angmar", nazgul=1).place("witch-king", "angmar")
    position.place("mouth-of-sauron", "bree")
    game = play(position.game(), "face:character", "plan:move-minions", "character:witch-king")
    assert {"old-forest", "buckland"} <= legal_block(game, "region")
    play(game, "region:buckland", "character:mouth-of-sauron")
    assert "old-forest" in legal_block(game, "region")


def test_R7_8_8_other_regions_and_free_peoples_armies_are_not_stopped():
    position = Position().dice("army", "army").table(POWER, BOMBADIL).at_war("elves")
    game = position.army("tower-hills", elves=2).game()
    play(game, "face:army", "plan:move-armies", "region:tower-hills")
    assert {"grey-havens", "the-shire"} <= legal_block(game, "region")


def beaten(position: Position, origin: str, target: str) -> Game:
    """A battle without hits, to the defender's choice to retreat."""
    game = attack(position.dice("army", "army").game(1, 1, 1, 1, 1, 1), "army", origin, target)
    while game.decision != Decision.CEASE:
        play(game, "verb:decline")
    return play(game, "verb:continue")


def test_R7_8_8_R7_18_3_fp_strat_03_no_shadow_army_retreats_there():
    def retreats(*table: str) -> set[str]:
        position = Position().table(*table).at_war("north", "sauron")
        position.army("the-shire", north=3).army("old-forest", sauron=3)
        return legal_block(beaten(position, "the-shire", "old-forest"), "region")

    assert "buckland" in retreats() and retreats(BOMBADIL) == retreats() - {"buckland"}


def test_R7_8_8_R7_18_3_fp_strat_02_a_shadow_army_retreats_to_its_stronghold():
    position = Position().table(POWER).at_war("elves", "sauron").control("lorien", SH)
    game = beaten(
        position.army("fangorn", elves=3).army("parth-celebrant", sauron=3), "fangorn", "parth-celebrant"
    )
    assert "lorien" in legal_block(game, "region")


def test_R7_18_3_fp_strat_03_without_another_way_there_is_no_retreat():
    position = Position().table(BOMBADIL).at_war("north", "sauron").army("old-forest", sauron=3)
    position.army("cardolan", north=3).army("south-ered-luin", north=1)
    assert beaten(position, "cardolan", "old-forest").decision != Decision.RETREAT


# --- Paying off (R6.5.3, D20). ---


@pytest.mark.parametrize("name", [POWER, BOMBADIL])
def test_R6_5_3_fp_strat_02_fp_strat_03_the_shadow_pays_a_die_and_two_cards(name):
    hand = (*ARMY_CARDS, *CHARACTER_CARDS, MUSTER_CARD)
    game = shadow_turn(name, dice="character").hand(SH, *hand).game()
    assert "buy-off" in plans(game, "character")
    play(game, "plan:buy-off")
    assert game.decision == Decision.BUY_OFF_CARD and legal(game) == {f"card:{name}"}
    play(game, f"card:{name}")
    assert game.decision == Decision.BUY_OFF_COST and game.side == SH
    assert legal_block(game, "card") == set(ARMY_CARDS)
    play(game, "card:sh-strat-02")
    assert legal_block(game, "card") == set(CHARACTER_CARDS)
    play(game, "card:sh-char-05")
    assert zone(game, name) == zone(game, "sh-strat-02") == zone(game, "sh-char-05") == CardZone.DISCARD
    assert zone(game, "sh-strat-01") == zone(game, "sh-char-06") == CardZone.HAND + SH
    assert game.decision == Decision.ACTION_DIE and game.side == FP  # a whole action


@pytest.mark.parametrize("face", ["character", "army", "muster", "army_muster", "event"])
def test_R5_5_R6_5_3_any_die_of_the_shadow_will_do(face):
    position = shadow_turn(POWER, dice=face).hand(SH, "sh-strat-01", "sh-char-05")
    assert "buy-off" in plans(position.game(), face.replace("_", "-"))


@pytest.mark.parametrize("hand", [("sh-strat-01",), ("sh-char-05",), ("sh-char-05", MUSTER_CARD), ()])
def test_R6_5_3_RG45_both_cards_are_needed_and_no_other_icon(hand):
    position = shadow_turn(POWER).hand(SH, *hand)
    assert "buy-off" not in plans(position.game(), "army")


def free_peoples_turn(name: str, face: str) -> Position:
    position = Position().dice(face, "army").table(name).place("saruman", "orthanc")
    return position.army("minas-tirith", gondor=2, sauron=4)


@pytest.mark.parametrize("name", [PALANTIR, FOLLY])
def test_R6_5_3_R5_4_a_will_of_the_west_pays_for_both(name):
    game = free_peoples_turn(name, "will").rings(0, 0).game()
    play(game, "face:will", "plan:buy-off")
    assert legal(game) == {f"card:{name}"}
    play(game, f"card:{name}")
    assert zone(game, name) == CardZone.DISCARD and game.side == SH
    assert game.state.rings.tolist() == [0, 0]


@pytest.mark.parametrize("face", ["character", "muster", "army_muster", "event"])
def test_sh_char_21_R5_7_4_any_die_and_an_elven_ring(face):
    game = free_peoples_turn(PALANTIR, face).game()
    play(game, f"face:{face.replace('_', '-')}", "plan:buy-off", f"card:{PALANTIR}")
    assert zone(game, PALANTIR) == CardZone.DISCARD
    assert game.state.rings.tolist() == [2, 1] and game.state.ring_used[FP] == 1


def test_sh_char_21_R5_7_4_no_second_ring_in_a_turn():
    game = play(free_peoples_turn(PALANTIR, "character character").game(), "verb:use-ring")
    play(game, "face:character", "face:muster")
    assert "buy-off" not in plans(game, "character")
    assert "buy-off" not in plans(free_peoples_turn(PALANTIR, "muster").rings(0, 3).game(), "muster")


@pytest.mark.parametrize("name", ["gandalf-grey", "gandalf-white", "aragorn"])
def test_sh_strat_03_any_die_with_gandalf_or_aragorn_in_minas_tirith(name):
    game = free_peoples_turn(FOLLY, "event").place(name, "minas-tirith").fellowship(guide="strider").game()
    play(game, "face:event", "plan:buy-off", f"card:{FOLLY}")
    assert zone(game, FOLLY) == CardZone.DISCARD and game.state.rings[FP] == 3


def test_sh_strat_03_nobody_else_will_do():
    position = free_peoples_turn(FOLLY, "event").place("strider", "minas-tirith")
    position.place("gandalf-white", "pelargir")
    assert "buy-off" not in plans(position.game(), "event")


def test_R6_5_3_own_and_other_table_cards_are_not_paid_off():
    position = Position().dice("will", "army").table(POWER, HORN, THREATS)
    assert "buy-off" not in plans(position.game(), "will")


# --- Lapses at once (R6.5.4, RG19). ---


def test_R6_5_1_R6_5_4_a_table_card_stays_until_its_condition():
    position = Position().dice("character character", "army").table(HORN).fellowship("hollin")
    game = play(position.game(), "face:character", "plan:separate-companions", "character:gimli", "verb:done")
    play(game, "region:hollin", "character:gandalf-grey")
    assert on_table(game, HORN)
    play(game, "face:army", "plan:skip")
    play(game, "face:character", "plan:separate-companions", "character:boromir", "verb:done")
    assert on_table(game, HORN)
    play(game, "region:hollin")
    assert zone(game, HORN) == CardZone.DISCARD


@pytest.mark.parametrize(
    ("name", "gone", "stays"),
    [
        (AXE, (), True),
        (AXE, ("gimli",), True),
        (AXE, ("legolas",), True),
        (AXE, ("gimli", "legolas"), False),
        (HORN, ("boromir",), False),
        (HORN, ("gimli",), True),
        (STAFF, ("gandalf-grey",), False),
        (STAFF, ("strider",), True),
    ],
)
def test_R6_5_4_fp_char_06_fp_char_07_fp_char_08_lapse_with_their_companions(name, gone, stays):
    position = Position().dice("character", "army").table(name)
    everybody = ["gandalf-grey", "strider", "boromir", "legolas", "gimli", "meriadoc", "peregrin"]
    game = position.fellowship("hollin", companions=[who for who in everybody if who not in gone]).game()
    assert on_table(game, name) == stays


@pytest.mark.parametrize("name", [PALANTIR, WORMTONGUE])
def test_R6_5_4_sh_char_21_sh_char_22_lapse_without_saruman(name):
    position = Position().dice("character", "army").table(name)
    assert not on_table(position.game(), name)
    position = Position().dice("character", "army").table(name).place("saruman", "orthanc")
    assert on_table(position.game(), name)


def test_R6_5_4_sh_strat_03_lapses_when_minas_tirith_is_not_besieged():
    besieged = Position().dice("character", "army").table(FOLLY).army("minas-tirith", gondor=2, sauron=3)
    assert on_table(besieged.game(), FOLLY)
    free = Position().dice("character", "army").table(FOLLY).army("minas-tirith", gondor=2)
    assert not on_table(free.game(), FOLLY)
    reversed_siege = Position().dice("character", "army").table(FOLLY).control("minas-tirith", SH)
    assert not on_table(reversed_siege.army("minas-tirith", gondor=2, sauron=3).game(), FOLLY)


def test_sh_strat_03_lapses_when_the_besieger_leaves():
    game = shadow_turn(FOLLY).army("minas-tirith", gondor=2, sauron=3).game()
    moves = ("face:army", "plan:move-armies", "region:minas-tirith", "region:osgiliath")
    play(game, *moves, "figure:sauron-regular")
    assert on_table(game, FOLLY)
    play(game, "verb:done")
    assert on_table(game, FOLLY)  # two besiegers are left
    game = shadow_turn(FOLLY).army("minas-tirith", gondor=2, sauron=3).game()
    play(game, *moves, "verb:whole-army")
    assert not on_table(game, FOLLY)


@pytest.mark.parametrize("needed", [False, True])
def test_RG19_R6_5_6_fp_strat_01_by_option_the_playing_condition_must_hold(needed):
    def stays(where: str, **army: int) -> bool:
        position = Position(Ruleset(ask_single=True, table_cards_need_condition=needed))
        position.dice("character", "army").table(LAST_BATTLE).place("strider", "replaced")
        position.place("aragorn", where)
        if army:
            position.army(where, **army)
        return on_table(position.fellowship(guide="gandalf-grey").game(), LAST_BATTLE)

    assert stays("dagorlad", gondor=2)
    assert stays("dagorlad") is not needed  # no army
    assert stays("minas-tirith", gondor=2) is not needed  # in Gondor


def test_R9_5_5_fp_strat_01_lapses_on_any_declaration():
    position = Position().phase(Phase.FELLOWSHIP, TurnStage.DECLARE).table(LAST_BATTLE)
    game = position.fellowship("hollin", progress=1).game()
    assert on_table(game, LAST_BATTLE)
    assert not on_table(play(game, "region:hollin"), LAST_BATTLE)


# --- Wormtongue (R8.2.1). ---


def rohan_passive(position: Position) -> Position:
    return position.table(WORMTONGUE).place("saruman", "orthanc")


def test_R8_2_1_sh_char_22_wormtongue_a_shadow_army_does_not_activate_rohan():
    game = rohan_passive(shadow_turn()).army("fords-of-isen", isengard=2).game()
    play(game, "face:army", "plan:move-armies", "region:fords-of-isen", "region:westemnet", "verb:whole-army")
    assert game.state.active[Nation.ROHAN] == 0 and on_table(game, WORMTONGUE)


@pytest.mark.parametrize(("place", "active"), [("westemnet", 0), ("edoras", 1)])
def test_R8_2_1_sh_char_22_an_attack_on_edoras_activates_rohan(place, active):
    origin = "fords-of-isen" if place == "westemnet" else "westemnet"
    position = rohan_passive(shadow_turn()).army(origin, isengard=2).army(place, rohan=1)
    if place == "edoras":
        position.control("westemnet", SH)
    game = attack(position.game(), "army", origin, place)
    assert game.state.active[Nation.ROHAN] == active
    assert on_table(game, WORMTONGUE) is (active == 0)
    assert game.state.steps_to_war[Nation.ROHAN] == 2  # the advance is not stopped


def test_R8_2_1_sh_char_22_a_companion_activates_rohan():
    position = rohan_passive(Position().dice("character", "army")).fellowship("edoras")
    game = play(position.game(), "face:character", "plan:separate-companions", "character:boromir")
    play(game, "verb:done", "region:edoras")
    assert game.state.active[Nation.ROHAN] == 0  # Boromir moves only Gondor
    position = rohan_passive(Position().dice("character", "army")).fellowship("edoras")
    game = play(position.game(), "face:character", "plan:separate-companions", "character:meriadoc")
    play(game, "verb:done", "region:edoras")
    assert game.state.active[Nation.ROHAN] == 1 and not on_table(game, WORMTONGUE)


def test_R8_2_1_sh_char_22_a_declaration_in_edoras_activates_rohan():
    position = rohan_passive(Position().phase(Phase.FELLOWSHIP, TurnStage.DECLARE))
    game = play(position.fellowship("westemnet", progress=2).game(), "region:edoras")
    assert game.state.active[Nation.ROHAN] == 1 and not on_table(game, WORMTONGUE)


def test_R8_2_1_sh_char_22_the_witch_king_activates_all_but_rohan():
    position = rohan_passive(shadow_turn(dice="muster")).army("angmar", sauron=1)
    game = play(position.game(), "face:muster", "plan:bring-character", "character:witch-king")
    play(game, "region:angmar")
    assert game.state.active[:5].tolist() == [1, 1, 1, 1, 0]


# --- Threats and Promises (RG20). ---


def test_RG20_sh_strat_05_no_muster_advance_of_a_passive_nation():
    position = Position().dice("muster", "muster").table(THREATS)
    game = play(position.game(), "face:muster", "plan:advance-nation")
    assert legal_block(game, "nation") == {"elves"}  # the only active one
    assert on_table(play(game, "nation:elves"), THREATS)
    position = Position().dice("muster", "muster").table(THREATS).at_war("elves")
    assert "advance-nation" not in plans(position.game(), "muster")


@pytest.mark.parametrize("face", ["muster", "army-muster", "will"])
def test_RG20_R5_3_4_sh_strat_05_a_will_of_the_west_used_as_a_muster_is_bound_too(face):
    position = Position().dice(face.replace("-", "_"), "muster").table(THREATS).place("gimli", "erebor")
    position.state.active[Nation.NORTH] = 1
    game = position.game()
    assert {"advance-nation", "companion-advance"} <= plans(game.clone(), face)
    play(game, f"face:{face}", "plan:advance-nation")
    assert legal_block(game, "nation") == {"elves", "north"}
    bound = Position().dice(face.replace("-", "_"), "muster").table(THREATS).at_war("elves").game()
    assert "advance-nation" not in plans(bound, face)


def test_RG20_sh_strat_05_does_not_bind_the_shadow():
    game = Position().dice("muster", "muster", acting=SH).table(THREATS).game()
    assert "advance-nation" in plans(game, "muster")


def test_RG20_sh_strat_05_a_companions_ability_works_and_ends_it():
    position = Position().dice("muster", "muster").table(THREATS).place("gimli", "erebor")
    game = play(position.game(), "face:muster", "plan:companion-advance", "nation:dwarves")
    assert game.state.steps_to_war[Nation.DWARVES] == 2 and zone(game, THREATS) == CardZone.DISCARD


def test_sh_strat_05_lapses_when_an_attacked_free_peoples_nation_advances():
    def after_attack(*at_war: str, **defenders: int) -> bool:
        position = shadow_turn(THREATS).army("dagorlad", sauron=2).at_war(*at_war)
        position.army("north-ithilien", **defenders)
        return on_table(attack(position.game(), "army", "dagorlad", "north-ithilien"), THREATS)

    assert not after_attack(gondor=1)
    assert after_attack("gondor", gondor=1)  # At War already: no advance


def test_sh_strat_05_stays_when_a_shadow_nation_advances():
    position = Position().dice("army", "army").table(THREATS).at_war("gondor")
    game = position.army("osgiliath", gondor=2).army("north-ithilien", sauron=2).politics("sauron", 1).game()
    attack(game, "army", "osgiliath", "north-ithilien")
    assert game.state.steps_to_war[Nation.SAURON] == 0 and on_table(game, THREATS)


def test_R6_5_1_table_cards_do_not_count_in_the_hand():
    hand = (*ARMY_CARDS, *CHARACTER_CARDS, MUSTER_CARD, "sh-strat-23")
    game = shadow_turn(THREATS, dice="event").hand(SH, *hand).game()
    play(game, "face:event", "plan:draw-card", "verb:character-deck")
    assert game.decision == Decision.DISCARD_CARD and legal_block(game, "card") >= set(hand)
    assert f"card:{THREATS}" not in legal(game)


def test_R6_5_5_no_table_card_but_the_balrog_is_used_in_combat():
    position = shadow_turn("sh-char-15", "sh-char-16", "sh-char-17", THREATS, dice="army")
    position.army("moria", sauron=3).army("dimrill-dale", north=2)
    game = attack(position.game(), "army", "moria", "dimrill-dale")
    assert game.decision == Decision.COMBAT_CARD
    assert legal(game) == {"verb:decline", "card:sh-char-17"}  # Durin's Bane: the defender is near Moria
    position = shadow_turn("sh-char-17", dice="army", balrog_table_combat=False)
    position.army("moria", sauron=3).army("dimrill-dale", north=2)
    game = attack(position.game(), "army", "moria", "dimrill-dale")
    assert game.decision != Decision.COMBAT_CARD
