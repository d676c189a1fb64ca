"""What each player does with which armies, Minions and Nazgul; mixed armies (R13.5, R13.6)."""

from __future__ import annotations

import pytest

from tests.partners import GONDOR, ISENGARD, NATIONS, ROHAN, SAURON, SEATS, Table, asked, is_mixed
from tests.positions import figures_at, legal, legal_block, play
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side

FREE_PEOPLES, SHADOW = Side.FREE_PEOPLES, Side.SHADOW


def war(players: int = 4, **options: object) -> Table:
    """All nations At War; the Fellowship is out of the way."""
    return Table(players, **options).at_war(*NATIONS).fellowship("rivendell", companions=["peregrin"])


# --- R13.5.1: own nations only. ---


def four_armies() -> Table:
    table = war().army("osgiliath", gondor=2).army("edoras", rohan=2)
    return table.army("dagorlad", sauron=2).army("north-dunland", isengard=2)


HOMES = {GONDOR: "osgiliath", ROHAN: "edoras", SAURON: "dagorlad", ISENGARD: "north-dunland"}


@pytest.mark.parametrize("seat", SEATS)
def test_R13_5_1_each_moves_his_own_armies(seat):
    face = "army_muster" if seat in (GONDOR, ROHAN) else "army"
    game = four_armies().uses(seat, face, "plan:move-armies")
    assert legal_block(game, "region") == {HOMES[seat]}


@pytest.mark.parametrize(("seat", "origin"), [(SAURON, "dagorlad"), (ISENGARD, "west-harondor")])
def test_R13_5_1_each_attacks_with_his_own_armies(seat, origin):
    table = war().army("dagorlad", sauron=2).army("west-harondor", southrons=2)
    table.army("north-ithilien", gondor=1).army("south-ithilien", gondor=1)
    game = table.uses(seat, "army", "plan:attack")
    assert legal_block(game, "region") == {origin}


NATIONS_OF = {
    GONDOR: {"gondor", "elves"},
    ROHAN: {"rohan", "north", "dwarves"},
    SAURON: {"sauron"},
    ISENGARD: {"isengard", "southrons"},
}


@pytest.mark.parametrize("seat", SEATS)
def test_R13_5_1_each_recruits_for_his_own_nations(seat):
    game = war().uses(seat, "muster", "plan:recruit")
    assert {name.split("-")[0] for name in legal_block(game, "figure")} == NATIONS_OF[seat]


def test_R13_5_1_two_armies_share_a_region_and_each_uses_his_own():
    table = war().army("dagorlad", sauron=3, southrons=2).army("north-ithilien", gondor=1)
    game = table.uses(ISENGARD, "army", "plan:move-armies", "region:dagorlad", "region:noman-lands")
    assert legal_block(game, "figure") == {"southrons-regular"}
    play(game, "verb:whole-army")
    assert figures_at(game, "noman-lands") == {"southrons": 2} and figures_at(game, "dagorlad") == {
        "sauron": 3
    }
    table = war().army("dagorlad", sauron=3, southrons=2).army("north-ithilien", gondor=1)
    game = table.uses(ISENGARD, "army", "plan:attack", "region:dagorlad", "region:north-ithilien")
    assert legal_block(game, "figure") == {"southrons-regular"}
    play(game, "verb:whole-army")
    assert game.state.party_regular.sum() == 2


def test_R13_5_1_a_card_moves_own_armies_only():
    table = war().army("dagorlad", sauron=2).army("umbar", southrons=2).army("orthanc", isengard=2)
    game = table.hand(ISENGARD, "sh-strat-09").uses(ISENGARD, "event", "plan:play-card", "card:sh-strat-09")
    assert legal_block(game, "region") == {"umbar", "orthanc"}


@pytest.mark.parametrize("seat", [GONDOR, ROHAN])
def test_R13_5_1_a_companions_ability_advances_also_the_partners_nation(seat):
    table = Table().politics("gondor", 2).politics("dwarves", 2)
    table.place("boromir", "minas-tirith").place("gimli", "erebor")
    game = table.uses(seat, "event", "plan:companion-advance")
    assert legal_block(game, "nation") == {"gondor", "dwarves"}


@pytest.mark.parametrize(
    ("leader", "joins"), [({"gondor": 1, "gondor_leader": 1}, False), ({"gondor_leader": 1}, True)]
)
def test_RG54_R13_5_1_leaders_stay_with_their_players_units_or_go_with_the_army_there(leader, joins):
    table = war().army("edoras", rohan=2, **leader)
    game = table.uses(ROHAN, "army_muster", "plan:move-armies", "region:edoras", "region:westemnet")
    assert ("gondor-leader" in legal_block(game, "figure")) == joins


# --- R13.5.2: Nazgul and Minions. ---


def servants() -> Table:
    table = war().place("witch-king", "minas-morgul").place("mouth-of-sauron", "barad-dur")
    return (
        table.place("saruman", "orthanc").army("minas-morgul", sauron=2, nazgul=2).army("orthanc", isengard=2)
    )


def test_R13_5_2_both_move_nazgul_but_only_their_player_minions():
    game = servants().uses(ISENGARD, "character", "plan:move-minions")
    assert legal_block(game, "character") == set() and "region:minas-morgul" in legal(game)
    game = servants().uses(SAURON, "character", "plan:move-minions")
    assert legal_block(game, "character") == {"witch-king", "mouth-of-sauron"}


def test_R13_5_2_a_card_moves_the_nazgul_but_the_witch_king():
    table = servants().fellowship("bree", progress=1, companions=["boromir"]).hand(ISENGARD, "sh-char-09")
    game = table.uses(ISENGARD, "event", "plan:play-card", "card:sh-char-09")
    assert legal_block(game, "character") == set() and "region:minas-morgul" in legal(game)


def test_R13_5_2_nazgul_lead_the_armies_of_both():
    table = war().army("dagorlad", southrons=2, sauron=1, nazgul=1)
    game = table.uses(ISENGARD, "character", "plan:move-armies", "region:dagorlad", "region:noman-lands")
    play(game, "verb:whole-army")
    assert figures_at(game, "noman-lands") == {"southrons": 2, "nazgul": 1}
    assert figures_at(game, "dagorlad") == {"sauron": 1}


def test_R13_5_2_the_witch_king_leads_and_joins_his_players_army_only():
    table = war().army("dagorlad", southrons=2).place("witch-king", "dagorlad")
    game = table.uses(ISENGARD, "character")
    assert "move-armies" not in legal_block(game, "plan")
    table = war().army("dagorlad", southrons=2).place("witch-king", "dagorlad")
    game = table.uses(ISENGARD, "army", "plan:move-armies", "region:dagorlad", "region:noman-lands")
    assert legal_block(game, "character") == set()


def test_R13_5_2_only_the_sauron_player_recruits_nazgul():
    for seat in (SAURON, ISENGARD):
        game = war().uses(seat, "muster", "plan:recruit")
        assert ("sauron-nazgul" in legal_block(game, "figure")) == (seat == SAURON)


def test_R13_5_2_voice_and_messenger_are_their_players():
    table = servants().army("orthanc", isengard_elite=1)
    plans = {seat: legal_block(servants().uses(seat, "muster"), "plan") for seat in (SAURON, ISENGARD)}
    assert "voice-regulars" in plans[ISENGARD] and "voice-regulars" not in plans[SAURON]
    assert "move-armies" in plans[SAURON] and "move-armies" not in plans[ISENGARD]
    assert "voice-elites" not in legal_block(table.uses(SAURON, "muster"), "plan")


def test_RG51_R13_2_4_R13_5_2_the_sorcerers_draw_is_the_witch_kings_players():
    """He is in an army that is attacked and that the Isengard player commands: his card, Sauron's draw."""
    table = war().army("dagorlad", southrons=3, sauron=1).place("witch-king", "dagorlad")
    table.army("north-ithilien", gondor=2).hand(ISENGARD, "sh-strat-09")
    game = table.uses(GONDOR, "army_muster", "plan:attack", "region:north-ithilien", "region:dagorlad")
    play(game, "verb:whole-army")
    assert asked(game) == ("COMBAT_CARD", ISENGARD)
    play(game, "card:sh-strat-09")
    assert asked(game) == ("SORCERER", SAURON)
    play(game, "verb:strategy-deck")
    assert [(game.state.card_zone == CardZone.HAND + seat).sum() for seat in (SAURON, ISENGARD)] == [1, 0]


# --- R13.5.3: Elites that lead. ---


@pytest.mark.parametrize(
    ("players", "saruman", "leads"), [(4, True, True), (3, True, True), (4, False, False), (2, True, False)]
)
def test_R13_5_3_southron_elites_lead_with_saruman_in_play(players, saruman, leads):
    table = war(players).army("umbar", southrons=1, southrons_elite=1)
    if saruman:
        table.place("saruman", "orthanc")
    game = table.uses(SAURON if players == 2 else ISENGARD, "character")
    assert ("move-armies" in legal_block(game, "plan")) == leads
    if leads:
        play(game, "plan:move-armies", "region:umbar", "region:near-harad", "figure:southrons-regular")
        assert "verb:done" not in legal(game)
        play(game, "figure:southrons-elite")
        assert "verb:done" in legal(game)


@pytest.mark.parametrize(("saruman", "tape"), [("orthanc", (1, 1, 1, 5, 1)), ("eliminated", (1, 1, 1, 1))])
def test_R13_5_3_they_have_leadership_in_battle(saruman, tape):
    """Two Combat dice each; with Saruman one re-roll, which hits with a five."""
    table = war().army("west-harondor", southrons=1, southrons_elite=1).army("south-ithilien", gondor=2)
    table.place("saruman", saruman).acts(ISENGARD, "event event", "army army")
    game = play(
        table.game(*tape), "face:army", "plan:attack", "region:west-harondor", "region:south-ithilien"
    )
    play(game, "verb:whole-army")
    assert asked(game)[0] == ("CASUALTY" if saruman == "orthanc" else "CEASE")


# --- R13.6.1: two armies, or one. ---


def meet(*answers: str) -> Game:
    """The Isengard player's units come to those of Sauron, who are not his."""
    table = war().army("dagorlad", sauron=3).army("noman-lands", southrons=2)
    game = table.uses(ISENGARD, "army", "plan:move-armies", "region:noman-lands", "region:dagorlad")
    return play(game, "verb:whole-army", *answers)


def test_RG55_R13_6_1_both_agree_first_he_whose_units_come():
    game = meet()
    assert asked(game) == ("MERGE_ARMIES", ISENGARD) and legal(game) == {"verb:accept", "verb:decline"}
    play(game, "verb:accept")
    assert asked(game) == ("MERGE_ARMIES", SAURON) and not is_mixed(game, SHADOW, "dagorlad")
    play(game, "verb:accept")
    assert is_mixed(game, SHADOW, "dagorlad")


@pytest.mark.parametrize("answers", [("verb:decline",), ("verb:accept", "verb:decline")])
def test_R13_6_1_one_refusal_leaves_two_armies(answers):
    game = meet(*answers)
    assert game.decision != Decision.MERGE_ARMIES and not is_mixed(game, SHADOW, "dagorlad")


def test_R13_6_1_recruits_meet_too():
    table = war().army("minas-tirith", rohan=2)
    game = table.uses(GONDOR, "muster", "plan:recruit", "figure:gondor-elite", "region:minas-tirith")
    assert asked(game) == ("MERGE_ARMIES", GONDOR)
    play(game, "verb:accept", "verb:accept")
    assert is_mixed(game, FREE_PEOPLES, "minas-tirith")


def test_R13_6_1_an_attack_makes_one_army():
    table = war().army("dagorlad", sauron=3).army("north-ithilien", gondor=1, rohan=2)
    table.hand(GONDOR, "fp-strat-01").hand(ROHAN, "fp-strat-02")
    game = table.uses(
        SAURON, "army", "plan:attack", "region:dagorlad", "region:north-ithilien", "verb:whole-army"
    )
    assert is_mixed(game, FREE_PEOPLES, "north-ithilien")
    assert asked(game) == ("COMBAT_CARD", ROHAN)


def test_R13_6_1_the_armies_of_a_region_share_the_limit_of_ten():
    table = war().army("dagorlad", sauron=8).army("noman-lands", southrons=4)
    game = table.uses(ISENGARD, "army", "plan:move-armies", "region:noman-lands", "region:dagorlad")
    assert "verb:whole-army" not in legal(game)
    play(game, "figure:southrons-regular", "figure:southrons-regular")
    assert legal(game) == {"verb:done"}


@pytest.mark.parametrize(
    ("picks", "mixed"), [(("verb:whole-army",), True), (("figure:sauron-regular", "verb:done"), False)]
)
def test_RG55_R13_6_1_a_mixed_army_stays_one_where_units_of_both_go(picks, mixed):
    table = war().army("dagorlad", sauron=3, southrons=2).mixed(SHADOW, "dagorlad")
    game = table.uses(SAURON, "army", "plan:move-armies", "region:dagorlad", "region:noman-lands", *picks)
    assert is_mixed(game, SHADOW, "noman-lands") == mixed
    assert is_mixed(game, SHADOW, "dagorlad") != mixed


def test_R13_6_1_armies_that_a_mixed_army_passes_stay_two():
    table = war().army("dagorlad", sauron=3, southrons=2).mixed(SHADOW, "dagorlad")
    table.army("noman-lands", sauron=1, isengard=1).army("eastern-brown-lands", sauron=1)
    game = table.hand(SAURON, "sh-strat-07").uses(SAURON, "event", "plan:play-card", "card:sh-strat-07")
    play(game, "region:dagorlad", "region:noman-lands", "verb:whole-army", "region:eastern-brown-lands")
    if game.decision == Decision.ARMY_DESTINATION:
        play(game, "verb:done")
    assert is_mixed(game, SHADOW, "eastern-brown-lands") and not is_mixed(game, SHADOW, "noman-lands")


def test_R13_6_1_an_army_is_no_longer_mixed_when_one_has_no_units_left():
    table = war().army("dagorlad", sauron=1, southrons=3).army("north-ithilien", gondor=3)
    table.mixed(SHADOW, "dagorlad").acts(ISENGARD, "event event", "army army")
    game = table.game(1, 1, 1, 1, 6, 1, 1)
    play(game, "face:army", "plan:attack", "region:dagorlad", "region:north-ithilien", "verb:whole-army")
    assert asked(game) == ("CASUALTY", ISENGARD)
    play(game, "figure:sauron-regular")
    assert not is_mixed(game, SHADOW, "dagorlad")


def test_R13_6_1_a_retreating_mixed_army_stays_one():
    table = war().army("dagorlad", sauron=3).army("north-ithilien", gondor=2, rohan=2)
    table.acts(SAURON, "event event", "army army")
    game = table.game(1, 1, 1, 1, 1, 1, 1)
    play(game, "face:army", "plan:attack", "region:dagorlad", "region:north-ithilien", "verb:whole-army")
    play(game, "verb:continue")
    assert asked(game) == ("RETREAT", GONDOR)  # as many units, no Elites: the leader
    play(game, "region:osgiliath")
    assert is_mixed(game, FREE_PEOPLES, "osgiliath") and not is_mixed(game, FREE_PEOPLES, "north-ithilien")


# --- R13.6.2: who commands. ---


@pytest.mark.parametrize(
    ("turn", "army", "commander"),
    [
        (1, {"sauron": 3, "southrons": 2}, SAURON),
        (1, {"sauron": 1, "southrons": 1, "isengard": 1}, ISENGARD),
        (1, {"sauron": 2, "southrons": 1, "southrons_elite": 1}, ISENGARD),
        (1, {"sauron": 1, "sauron_elite": 1, "southrons": 2}, SAURON),
        (1, {"sauron": 2, "southrons": 2}, SAURON),
        (2, {"sauron": 2, "southrons": 2}, ISENGARD),
        (2, {"sauron": 2, "southrons": 2, "nazgul": 3}, ISENGARD),  # figures without strength do not count
    ],
)
def test_R13_6_2_more_units_then_more_elites_then_the_leader(turn, army, commander):
    for seat in (SAURON, ISENGARD):
        table = war().turn(turn).army("dagorlad", **army).mixed(SHADOW, "dagorlad")
        table.army("north-ithilien", gondor=1)
        game = table.uses(seat, "army")
        assert ("attack" in legal_block(game, "plan")) == (seat == commander)
        play(game, "plan:move-armies", "region:dagorlad", "region:noman-lands")
        nations = {name.split("-")[0] for name in legal_block(game, "figure")} - {
            "sauron" if "nazgul" in army else ""
        }
        both = {name for name in army if "_" not in name} - {"nazgul", "sauron" if "nazgul" in army else ""}
        assert nations == (both if seat == commander else both & NATIONS_OF[seat])


def test_R13_6_2_casualties_change_the_command():
    """Three units of the Isengard player attack with two of Sauron, until he loses two of his own."""
    table = war().army("dagorlad", sauron=2, southrons=3).mixed(SHADOW, "dagorlad")
    table.army("north-ithilien", gondor=5).acts(ISENGARD, "event event", "army army")
    table.hand(SAURON, "sh-strat-01").hand(ISENGARD, "sh-strat-02")
    game = table.game(1, 1, 1, 1, 1, 6, 6, 1, 1, 1)
    play(game, "face:army", "plan:attack", "region:dagorlad", "region:north-ithilien", "verb:whole-army")
    while game.decision == Decision.COMBAT_CARD:
        play(game, "verb:decline")
    assert asked(game) == ("CASUALTY", ISENGARD)
    play(game, "figure:southrons-regular")
    assert asked(game) == ("CASUALTY", SAURON)  # two each: the leader
    play(game, "figure:southrons-regular")
    assert asked(game) == ("CEASE", SAURON)


def test_R13_6_2_after_the_battle_it_is_the_acting_players_turn_again():
    table = war().army("dagorlad", sauron=1, southrons=3).mixed(SHADOW, "dagorlad")
    table.army("north-ithilien", gondor=3).acts(ISENGARD, "event event", "army army")
    game = table.game(1, 1, 1, 1, 6, 6, 6)
    play(game, "face:army", "plan:attack", "region:dagorlad", "region:north-ithilien", "verb:whole-army")
    for _ in range(3):
        play(game, "figure:southrons-regular")
    play(game, "verb:cease")
    assert int(game.state.next_seat[SHADOW]) == SAURON and asked(game)[0] == "ACTION_DIE"


@pytest.mark.parametrize(
    ("army", "seat"), [({"sauron": 3, "southrons": 2}, SAURON), ({"isengard": 3, "sauron": 1}, ISENGARD)]
)
def test_RG56_R13_6_2_hits_by_a_card_are_taken_by_him_of_more_units(army, seat):
    table = war().army("south-ithilien", **army).hand(GONDOR, "fp-strat-06")
    table.acts(GONDOR, "event event", "event event")
    game = play(
        table.game(5, 1, 1), "face:event", "plan:play-card", "card:fp-strat-06", "region:south-ithilien"
    )
    assert asked(game) == ("CASUALTY", seat)


def test_R13_6_2_the_defender_who_commands_withdraws():
    table = war().army("dagorlad", sauron=5).army("osgiliath", sauron=1)
    table.army("minas-tirith", rohan=3, gondor=1)
    game = table.uses(
        SAURON, "army", "plan:attack", "region:osgiliath", "region:minas-tirith", "verb:whole-army"
    )
    assert asked(game) == ("STRONGHOLD", ROHAN)


# --- Sieges. ---


def siege(*, mixed: bool = False) -> Table:
    """Both Free Peoples players in Minas Tirith, both Shadow players before it."""
    table = war().army("minas-tirith", gondor=2, rohan=2, sauron=3, southrons=2)
    return table.mixed(SHADOW, "minas-tirith") if mixed else table


def test_R13_6_1_an_assault_makes_one_garrison():
    game = siege().uses(SAURON, "army", "plan:attack", "region:minas-tirith", "region:minas-tirith")
    assert legal_block(game, "figure") == {"sauron-regular"}
    play(game, "verb:whole-army")
    assert is_mixed(game, FREE_PEOPLES, "minas-tirith") and not is_mixed(game, SHADOW, "minas-tirith")


def test_R13_5_1_a_sortie_with_own_units_makes_the_besiegers_one():
    game = siege().uses(ROHAN, "army_muster", "plan:attack", "region:minas-tirith", "region:minas-tirith")
    assert legal_block(game, "figure") == {"rohan-regular"}
    play(game, "verb:whole-army")
    assert is_mixed(game, SHADOW, "minas-tirith") and not is_mixed(game, FREE_PEOPLES, "minas-tirith")


def test_R13_6_2_an_assault_by_a_mixed_army_is_its_commanders():
    plans = {seat: legal_block(siege(mixed=True).uses(seat, "army"), "plan") for seat in (SAURON, ISENGARD)}
    assert "attack" in plans[SAURON] and "attack" not in plans[ISENGARD]


def test_R13_6_1_relief_by_one_player_alone():
    table = siege().army("osgiliath", rohan=2, gondor=1)
    game = table.uses(ROHAN, "army_muster", "plan:attack", "region:osgiliath", "region:minas-tirith")
    assert legal_block(game, "figure") == {"rohan-regular"}


@pytest.mark.parametrize("merged", [True, False])
def test_R13_6_2_corsairs_who_join_a_siege_assault_only_if_their_player_may(merged):
    table = (
        war().army("dol-amroth", gondor=2, sauron=5).army("umbar", southrons=3).hand(ISENGARD, "sh-strat-10")
    )
    table.control("dol-amroth", FREE_PEOPLES)
    game = table.uses(
        ISENGARD, "event", "plan:play-card", "card:sh-strat-10", "region:dol-amroth", "verb:whole-army"
    )
    assert asked(game) == ("MERGE_ARMIES", ISENGARD)
    play(game, *(("verb:accept", "verb:accept") if merged else ("verb:decline",)))
    assert (game.decision == Decision.ATTACK_FIGURES) != merged
    if not merged:
        assert legal_block(game, "figure") == {"southrons-regular"}


# --- R13.6.3: taking units out. ---


def test_R13_6_3_a_die_takes_the_own_units_to_another_region():
    table = war().army("dagorlad", sauron=3, southrons=2, nazgul=1).mixed(SHADOW, "dagorlad")
    game = table.uses(ISENGARD, "army", "plan:move-armies", "region:dagorlad", "region:noman-lands")
    assert legal_block(game, "figure") == {"southrons-regular", "sauron-nazgul"}
    play(game, "figure:southrons-regular", "verb:done", "verb:done")
    assert is_mixed(game, SHADOW, "dagorlad") and not is_mixed(game, SHADOW, "noman-lands")
    assert figures_at(game, "dagorlad") == {"sauron": 3, "southrons": 1, "nazgul": 1}


def test_R13_6_3_the_last_one_out_ends_the_mixed_army():
    table = war().army("dagorlad", sauron=3, southrons=2).mixed(SHADOW, "dagorlad")
    game = table.uses(ISENGARD, "army", "plan:move-armies", "region:dagorlad", "region:noman-lands")
    play(game, "verb:whole-army")
    assert not is_mixed(game, SHADOW, "dagorlad")
