"""Events of the Shadow's Character deck that move and attack with armies: sh-char-20, 23, 24 (22.2-22.4)."""

from __future__ import annotations

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
    where,
)
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import BattleKind, CardZone, Decision, Side
from wotr_env.games.war_of_the_ring.components import REGION_IDS, SETTLEMENT_INDEX

FP, SH = Side.FREE_PEOPLES, Side.SHADOW
FREE_STRONGHOLDS = {
    "dol-amroth",
    "erebor",
    "grey-havens",
    "helms-deep",
    "lorien",
    "minas-tirith",
    "rivendell",
    "woodland-realm",
}


def holding(name: str, **options) -> Position:
    """The Shadow acts with a Character die and holds the card; all nations are At War."""
    position = Position(only_acting_cards(**options)).hand(SH, name)
    position.at_war("gondor", "sauron", "isengard", "southrons")
    return position.dice("event event event", "character", acting=SH)


def offered(position: Position) -> bool:
    return "plan:play-card" in legal(play(position.game(), "face:character"))


def event(position: Position, name: str, *tape: int) -> Game:
    game = play(position.game(*tape), "face:character", "plan:play-card")
    assert legal(game) == {f"card:{name}"}
    return play(game, f"card:{name}")


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


def is_over(game: Game, name: str) -> bool:
    """The card is in the public discards, the tape is used up and the Free Peoples act."""
    done = zone(game, name) == CardZone.DISCARD and game.state.tape_length == 0
    return done and game.decision == Decision.ACTION_DIE and game.side == FP


def control(game: Game, place: str) -> int:
    return int(game.state.control[SETTLEMENT_INDEX[region(place)]])


# --- sh-char-20, Grond, Hammer of the Underworld. ---

GROND = "sh-char-20"
DAYLIGHT = "fp-strat-01"  # a Combat card without a condition
A_ROUND = (1, 1, 1, 1, 1, 1)  # two dice each, the Witch-king's two re-rolls; no hit


def grond(**figures: int) -> Position:
    """Before Minas Tirith: two Regulars against two, or these figures, and the Witch-king."""
    position = holding(GROND).army("minas-tirith", **(figures or {"sauron": 2, "gondor": 2}))
    return position.place("witch-king", "minas-tirith")


def to_attack(position: Position, *tape: int) -> Game:
    game = event(position, GROND, *tape)
    assert game.decision == Decision.ATTACK_ORIGIN and legal(game) == {"region:minas-tirith"}
    play(game, "region:minas-tirith")
    assert game.decision == Decision.ATTACK_TARGET and legal(game) == {"region:minas-tirith"}
    return play(game, "region:minas-tirith")


def assault(position: Position, *tape: int) -> Game:
    return play(to_attack(position, *tape), "verb:whole-army")


def test_sh_char_20_R6_4_1_a_besieging_army_with_the_witch_king():
    assert offered(grond())
    assert not offered(grond().place("witch-king", "osgiliath"))
    assert not offered(holding(GROND).army("minas-tirith", sauron=2, gondor=2, nazgul=1))
    field = holding(GROND).army("osgiliath", sauron=2).place("witch-king", "osgiliath")
    assert not offered(field.army("minas-tirith", gondor=2))  # no siege
    garrison = holding(GROND).army("minas-morgul", sauron=2, gondor=2).place("witch-king", "minas-morgul")
    assert not offered(garrison)


def test_sh_char_20_R6_4_5_RG21_units_at_peace_do_not_attack():
    assert not offered(grond().politics("sauron", 1))
    game = to_attack(grond(sauron=1, southrons=1, gondor=2).politics("sauron", 1))
    assert legal(game) == {"verb:whole-army", "figure:southrons-regular", "character:witch-king"}


def test_sh_char_20_R7_8_8_not_in_a_place_closed_by_a_table_card():
    def position() -> Position:
        return holding(GROND).army("lorien", sauron=1, elves=1).place("witch-king", "lorien")

    assert offered(position()) and not offered(position().table("fp-strat-02"))


def test_sh_char_20_only_that_stronghold():
    position = grond(sauron=3, gondor=2).army("osgiliath", gondor=1).army("lorien", elves=1, southrons=1)
    game = to_attack(position)
    assert game.decision == Decision.ATTACK_FIGURES
    assert legal(game) == {"verb:whole-army", "figure:sauron-regular", "character:witch-king"}


def test_sh_char_20_RG22_R7_8_4_a_rearguard_may_stay_out():
    tape = (1, 1, 1, 1) * 3  # one die and its re-roll against two
    game = to_attack(grond(), *tape)
    play(game, "figure:sauron-regular", "character:witch-king", "verb:done")
    assert is_over(game, GROND) and figures_at(game, "minas-tirith") == {"gondor": 2, "sauron": 2}


def test_sh_char_20_grond_the_siege_lasts_three_rounds():
    game = assault(grond(), *A_ROUND * 3)
    assert is_over(game, GROND) and control(game, "minas-tirith") == FP
    assert figures_at(game, "minas-tirith") == {"gondor": 2, "sauron": 2}
    assert not game.state.battle_fixed_rounds and not game.state.battle_card_lock


def test_sh_char_20_R7_14_3_it_may_still_be_lengthened_by_reducing_elites():
    game = assault(grond(sauron_elite=2, gondor=2), *A_ROUND * 4)
    assert game.decision == Decision.PROLONG_ASSAULT and game.state.battle_round == 3
    assert legal(game) == {"nation:sauron", "verb:cease"}
    play(game, "nation:sauron")
    assert game.decision == Decision.PROLONG_ASSAULT and game.state.battle_round == 4
    assert is_over(play(game, "verb:cease"), GROND)
    assert figures_at(game, "minas-tirith") == {"gondor": 2, "sauron": 1, "sauron_elite": 1}


def test_sh_char_20_R7_14_5_a_garrison_destroyed_in_the_second_round():
    game = assault(grond(), *A_ROUND, 6, 6, 1, 1)  # no re-roll of hits
    play(game, "figure:gondor-regular", "figure:gondor-regular")
    assert is_over(game, GROND) and control(game, "minas-tirith") == SH
    assert figures_at(game, "minas-tirith") == {"sauron": 2}


def test_sh_char_20_R7_14_2_the_attackers_die_and_the_siege_ends():
    game = assault(grond(sauron=1, gondor=2), 1, 5, 1, 1)
    play(game, "figure:sauron-regular")
    assert is_over(game, GROND) and figures_at(game, "minas-tirith") == {"gondor": 2}


def test_sh_char_20_the_card_lock_of_round_one():
    game = assault(grond().hand(FP, DAYLIGHT), *A_ROUND)
    assert game.decision == Decision.COMBAT_CARD and game.side == FP
    assert game.state.battle_round == 2 and legal(game) == {f"card:{DAYLIGHT}", "verb:decline"}


def test_sh_char_20_the_card_lock_not_with_a_companion():
    game = assault(grond().hand(FP, DAYLIGHT).place("peregrin", "minas-tirith"))
    assert game.decision == Decision.COMBAT_CARD and game.side == FP
    assert game.state.battle_round == 1 and f"card:{DAYLIGHT}" in legal(game)


def test_sh_char_20_the_card_lock_does_not_bind_the_shadow():
    game = assault(grond().hand(FP, DAYLIGHT).hand(SH, "sh-char-18"))
    assert game.decision == Decision.COMBAT_CARD and game.side == SH and game.state.battle_round == 1


def test_sh_char_20_R7_8_7_activates_and_advances():
    game = assault(grond().politics("gondor", 2, active=False), *A_ROUND * 3)
    gondor = nation("gondor")
    assert (game.state.steps_to_war[gondor], game.state.active[gondor]) == (1, 1)


# --- sh-char-23, The Ringwraiths Are Abroad. ---

ABROAD = "sh-char-23"


def abroad() -> Position:
    """Nazgul in Barad-dur and with an army in Dagorlad; an army in Minas Morgul next to an enemy."""
    position = holding(ABROAD).army("barad-dur", nazgul=2).army("dagorlad", sauron=2, nazgul=1)
    return position.army("minas-morgul", sauron=2, isengard=1).army("south-ithilien", gondor=1)


def test_sh_char_23_RG13_the_ringwraiths_are_abroad_move_first():
    position = abroad().place("witch-king", "angmar").place("mouth-of-sauron", "morannon")
    game = event(position.place("saruman", "orthanc"), ABROAD)
    nazgul = {"region:barad-dur", "region:dagorlad", "character:witch-king", "verb:done"}
    assert game.decision == Decision.MINION_TO_MOVE and legal(game) == nazgul
    play(game, "region:barad-dur")
    assert legal_block(game, "region") == set(REGION_IDS) - FREE_STRONGHOLDS - {"barad-dur"}
    play(game, "region:edoras", "character:witch-king", "region:dale")
    assert legal(game) == nazgul - {"character:witch-king"}
    play(game, "verb:done", "verb:decline")
    assert is_over(game, ABROAD) and where(game, "witch-king") == "dale"
    assert figures_at(game, "barad-dur") == figures_at(game, "edoras") == {"nazgul": 1}


def test_sh_char_23_two_armies_with_a_nazgul_each_move_one_region():
    game = play(event(abroad(), ABROAD), "region:barad-dur", "region:minas-morgul", "verb:done")
    assert game.decision == Decision.EVENT_OPTION and game.side == SH
    assert legal(game) == {"plan:move-armies", "plan:attack", "verb:decline"}
    play(game, "plan:move-armies")
    assert legal(game) == {"region:dagorlad", "region:minas-morgul"}  # after the flight (22.4)
    play(game, "region:minas-morgul")
    assert legal(game) == {"region:gorgoroth", "region:north-ithilien"}
    play(game, "region:north-ithilien", "figure:sauron-regular")
    assert legal(game) == {"figure:sauron-regular", "figure:isengard-regular", "figure:sauron-nazgul"}
    play(game, "figure:sauron-nazgul", "verb:done")
    assert legal(game) == {"region:dagorlad", "verb:done"}  # none left in Minas Morgul, none moves twice
    play(game, "region:dagorlad", "region:noman-lands", "verb:whole-army")
    assert is_over(game, ABROAD)
    assert figures_at(game, "north-ithilien") == {"sauron": 1, "nazgul": 1}
    assert figures_at(game, "minas-morgul") == {"sauron": 1, "isengard": 1}
    assert figures_at(game, "noman-lands") == {"sauron": 2, "nazgul": 1}


def test_sh_char_23_R6_4_9_no_unit_moves_twice_and_the_second_may_be_left_out():
    position = holding(ABROAD).army("dagorlad", sauron=1, nazgul=1).army("north-ithilien", sauron=1, nazgul=1)
    game = play(event(position, ABROAD), "verb:done", "plan:move-armies")
    play(game, "region:dagorlad", "region:north-ithilien", "verb:whole-army")
    play(game, "region:north-ithilien", "region:dagorlad", "verb:whole-army")
    assert is_over(game, ABROAD) and figures_at(game, "dagorlad") == {"sauron": 1, "nazgul": 1}
    position = abroad().army("noman-lands", sauron=1, nazgul=1)
    game = play(event(position, ABROAD), "verb:done", "plan:move-armies")
    play(game, "region:dagorlad", "region:ash-mountains", "verb:whole-army")
    assert legal(game) == {"region:noman-lands", "verb:done"}
    assert is_over(play(game, "verb:done"), ABROAD)


def test_sh_char_23_R6_4_9_R8_5_units_at_peace_keep_their_borders():
    position = holding(ABROAD).army("minas-morgul", sauron=1, southrons=1, nazgul=1)
    position.politics("southrons", 2)
    game = play(event(position, ABROAD), "verb:done", "plan:move-armies", "region:minas-morgul")
    play(game, "region:gorgoroth")
    assert legal(game) == {"verb:whole-army", "figure:sauron-regular", "figure:sauron-nazgul"}


def test_sh_char_23_or_one_army_with_a_nazgul_attacks():
    game = play(event(abroad(), ABROAD, 6, 1, 1, 1), "region:barad-dur", "region:minas-morgul", "verb:done")
    play(game, "plan:attack")
    assert game.decision == Decision.ATTACK_ORIGIN and legal(game) == {"region:minas-morgul"}
    play(game, "region:minas-morgul")
    assert legal(game) == {"region:south-ithilien"}
    play(game, "region:south-ithilien", "figure:sauron-regular", "figure:sauron-regular")
    assert "verb:done" not in legal(game)
    play(game, "figure:sauron-nazgul", "verb:done", "figure:gondor-regular")
    assert game.decision == Decision.ADVANCE_FIGURES
    assert is_over(play(game, "verb:decline"), ABROAD)


def test_sh_char_23_R6_4_5_no_attack_by_units_at_peace():
    position = abroad().army("minas-morgul", nazgul=1).politics("sauron", 1).politics("isengard", 1)
    game = play(event(position, ABROAD), "verb:done")
    assert legal(game) == {"plan:move-armies", "verb:decline"}


def test_sh_char_23_only_armies_with_a_nazgul_the_witch_king_included():
    position = holding(ABROAD).army("morannon", sauron=1).army("orthanc", isengard_elite=1)
    position.place("mouth-of-sauron", "morannon").place("saruman", "orthanc").place("witch-king", "angmar")
    game = play(event(position.army("angmar", sauron=1), ABROAD), "verb:done", "plan:move-armies")
    assert legal(game) == {"region:angmar"}


def test_sh_char_23_R6_4_4_the_flight_alone_without_armies_and_not_without_nazgul():
    game = event(holding(ABROAD).army("barad-dur", nazgul=1).army("morannon", sauron=2), ABROAD)
    assert is_over(play(game, "region:barad-dur", "region:dale"), ABROAD)
    position = holding(ABROAD).army("morannon", sauron=2).place("mouth-of-sauron", "morannon")
    assert not offered(position)


# --- sh-char-24, The Black Captain Commands. ---

CAPTAIN = "sh-char-24"


def captain(place: str = "dagorlad", **figures: int) -> Position:
    """The Witch-king with an army, if there are figures."""
    return holding(CAPTAIN).army(place, **figures).place("witch-king", place)


def reserves(game: Game) -> int:
    return int(game.state.reinforcement_leader[nation("sauron")])


def test_sh_char_24_R6_4_1_the_witch_king_must_be_in_play():
    assert not offered(holding(CAPTAIN).army("dagorlad", sauron=1, nazgul=1))
    assert not offered(holding(CAPTAIN).army("dagorlad", nazgul=1).place("witch-king", "eliminated"))
    assert offered(captain())


def test_sh_char_24_R6_4_7_two_nazgul_come_to_him_and_his_army_moves():
    game = event(captain(sauron=2).army("morannon", sauron=1, nazgul=1), CAPTAIN)
    assert game.decision == Decision.EVENT_OPTION and legal(game) == {"plan:recruit", "plan:move-minions"}
    play(game, "plan:recruit")
    assert figures_at(game, "dagorlad") == {"sauron": 2, "nazgul": 2} and reserves(game) == 5
    assert legal(game) == {"plan:move-armies", "verb:decline"}
    play(game, "plan:move-armies")
    assert legal(game) == {"region:dagorlad"}  # his army only
    play(game, "region:dagorlad", "region:north-ithilien", "figure:sauron-regular", "figure:sauron-nazgul")
    assert "verb:done" not in legal(game)
    play(game, "character:witch-king", "verb:done")  # one move
    assert is_over(game, CAPTAIN) and where(game, "witch-king") == "north-ithilien"
    assert figures_at(game, "north-ithilien") == figures_at(game, "dagorlad") == {"sauron": 1, "nazgul": 1}


def test_sh_char_24_R6_4_4_only_as_many_as_there_are():
    game = play(event(captain(sauron=1).army("dale", nazgul=7), CAPTAIN), "plan:recruit", "verb:decline")
    assert is_over(game, CAPTAIN) and figures_at(game, "dagorlad") == {"sauron": 1, "nazgul": 1}
    game = event(captain(sauron=1).army("dale", nazgul=8), CAPTAIN)
    assert legal(game) == {"plan:move-minions"}


def test_sh_char_24_R6_4_7_not_among_enemies_nor_in_their_settlement_unless_he_besieges():
    assert legal(event(captain(gondor=1), CAPTAIN)) == {"plan:move-minions"}
    assert legal(event(captain("edoras"), CAPTAIN)) == {"plan:move-minions"}
    game = play(event(captain("helms-deep", sauron=1, rohan=1), CAPTAIN), "plan:recruit")
    assert figures_at(game, "helms-deep") == {"rohan": 1, "sauron": 1, "nazgul": 2}
    game = play(event(captain("minas-morgul", sauron=1, gondor=1), CAPTAIN), "plan:recruit")
    assert figures_at(game, "minas-morgul") == {"gondor": 1, "sauron": 1, "nazgul": 2}


def test_sh_char_24_or_all_nazgul_may_move_then_his_army_where_he_is_now():
    position = captain(sauron=1).army("barad-dur", nazgul=1).army("minas-morgul", sauron=2)
    game = play(event(position, CAPTAIN), "plan:move-minions")
    assert legal(game) == {"region:barad-dur", "character:witch-king", "verb:done"}
    play(game, "character:witch-king", "region:minas-morgul", "verb:done", "plan:move-armies")
    assert legal(game) == {"region:minas-morgul"}
    play(game, "region:minas-morgul", "region:gorgoroth", "verb:whole-army")
    assert is_over(game, CAPTAIN) and where(game, "witch-king") == "gorgoroth"


def test_sh_char_24_22_4_the_nazgul_move_may_be_empty_and_he_may_be_without_an_army():
    game = play(event(captain(), CAPTAIN), "plan:move-minions", "verb:done")
    assert is_over(game, CAPTAIN)
    game = play(event(captain().army("morannon", sauron=1, nazgul=1), CAPTAIN), "plan:recruit")
    assert is_over(game, CAPTAIN) and figures_at(game, "dagorlad") == {"nazgul": 2}


def test_sh_char_24_his_army_attacks():
    position = captain(sauron=2).army("north-ithilien", gondor=1).army("minas-morgul", sauron=1, nazgul=1)
    game = play(event(position, CAPTAIN, 6, 1, 1, 1), "plan:move-minions", "verb:done")
    assert legal(game) == {"plan:move-armies", "plan:attack", "verb:decline"}
    play(game, "plan:attack")
    assert legal(game) == {"region:dagorlad"}
    play(game, "region:dagorlad", "region:north-ithilien", "figure:sauron-regular", "figure:sauron-regular")
    assert "verb:done" not in legal(game)
    play(game, "character:witch-king", "verb:done", "figure:gondor-regular", "verb:whole-army")
    assert is_over(game, CAPTAIN) and figures_at(game, "north-ithilien") == {"sauron": 2}
    assert where(game, "witch-king") == "north-ithilien"


def test_sh_char_24_an_assault_and_a_sortie_are_attacks():
    tape = (1, 1, 1, 1)  # a die and its re-roll, the garrison's die
    game = event(captain("helms-deep", sauron=1, rohan=1), CAPTAIN, *tape[:3])
    play(game, "plan:move-minions", "verb:done", "plan:attack", "region:helms-deep", "region:helms-deep")
    play(game, "verb:whole-army")
    assert is_over(game, CAPTAIN)  # one round as usual
    game = event(captain("minas-morgul", sauron=1, gondor=1), CAPTAIN)
    play(game, "plan:move-minions", "verb:done")
    assert legal(game) == {"plan:attack", "verb:decline"}
    play(game, "plan:attack", "region:minas-morgul", "region:minas-morgul", "verb:whole-army")
    assert game.state.battle_kind == BattleKind.SORTIE
