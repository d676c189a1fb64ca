"""The Witch-king, the Mouth of Sauron and Saruman (R14.11-R14.14)."""

from __future__ import annotations

import pytest

from tests.positions import Position, card, character, figures, legal, legal_block, nation, play, region
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    BattleStage,
    CardZone,
    Decision,
    Face,
    Frame,
    Location,
    Side,
)
from wotr_env.games.war_of_the_ring.components import DISTANCE, REGION_IDS
from wotr_env.games.war_of_the_ring.rules.dice import FINISHED

SHADOW_FACES = ("character", "army", "muster", "army-muster", "event")
ISENGARD = ("north-dunland", "south-dunland", "orthanc")
FREE_PEOPLES = ("dwarves", "elves", "gondor", "north", "rohan")


def shadow_acts(dice: str = "muster event", **options) -> Position:
    """The Shadow acts with these dice; the Free Peoples have none."""
    return Position(Ruleset(ask_single=True, **options)).dice("", dice, acting=Side.SHADOW)


def plans(position: Position, face: str) -> set[str]:
    return legal_block(play(position.game(), f"face:{face}"), "plan")


def entries(position: Position, face: str = "muster") -> set[str]:
    """The Minions that a die can bring in."""
    game = play(position.game(), f"face:{face}")
    if "plan:bring-character" not in legal(game):
        return set()
    return legal_block(play(game, "plan:bring-character"), "character")


def enter(position: Position, name: str) -> Game:
    return play(position.game(), "face:muster", "plan:bring-character", f"character:{name}")


def unread(game: Game) -> list[int]:
    state = game.state
    return state.tape[state.tape_position : state.tape_length].tolist()


def regulars(game: Game, places: tuple[str, ...] = ISENGARD) -> list[int]:
    return [int(game.state.regular[region(place), nation("isengard")]) for place in places]


# --- Dice and entry in general (R14.14). ---


@pytest.mark.parametrize("face", SHADOW_FACES)
def test_R14_11_R14_12_R14_13_a_muster_result_brings_a_minion_in(face):
    position = shadow_acts(face.replace("-", "_")).at_war("sauron", "isengard").fellowship(mordor_step=1)
    position.army("morannon", sauron=1)
    muster = face in ("muster", "army-muster")
    assert entries(position, face) == ({"witch-king", "mouth-of-sauron", "saruman"} if muster else set())


@pytest.mark.parametrize("name", ["witch-king", "mouth-of-sauron", "saruman"])
def test_R14_11_R14_12_R14_13_each_comes_once(name):
    position = shadow_acts("muster").at_war("sauron", "isengard").fellowship(mordor_step=1)
    position.army("morannon", sauron=1).place(name, "eliminated")
    assert entries(position) == {"witch-king", "mouth-of-sauron", "saruman"} - {name}


@pytest.mark.parametrize(
    ("places", "pool"),
    [
        ({"saruman": "orthanc"}, 8),
        ({"saruman": "orthanc", "witch-king": "morannon"}, 9),
        ({"saruman": "orthanc", "witch-king": "morannon", "mouth-of-sauron": "barad-dur"}, 10),
        ({"saruman": "orthanc", "witch-king": "eliminated"}, 8),
    ],
)
def test_R14_11_R14_12_R14_13_one_die_for_each_in_play(places, pool):
    position = shadow_acts("event")
    for name, place in places.items():
        position.place(name, place)
    game = play(position.game(), "face:event", "plan:skip")
    assert game.state.turn == 2 and game.state.pool.tolist() == [4, pool]


@pytest.mark.parametrize("timing", ["next_turn", "at_once"])
def test_RG9_R14_13_option_die_bonus_timing(timing):
    position = shadow_acts("muster event", die_bonus_timing=timing).at_war("isengard")
    game = play(position.game(6), "face:muster", "plan:bring-character")
    play(game, "character:saruman", "region:orthanc")
    at_once = timing == "at_once"  # the new die shows an Eye, which goes to the Hunt Box
    assert game.state.pool[Side.SHADOW] == 7 + at_once
    assert game.state.hunt_box[Side.SHADOW] == at_once
    play(game, "face:event", "plan:skip")
    assert game.state.turn == 2 and game.state.pool.tolist() == [4, 8]


def test_RG9_option_die_bonus_timing_at_once_gives_a_die_to_use():
    position = shadow_acts("muster", die_bonus_timing="at_once").at_war("isengard")
    game = play(position.game(2), "face:muster", "plan:bring-character")
    play(game, "character:saruman", "region:orthanc")
    assert game.state.turn == 1 and game.decision == Decision.ACTION_DIE
    assert game.state.dice[Side.SHADOW, Face.ARMY] == 1 and game.state.pool[Side.SHADOW] == 8


def test_R14_14_no_stacking_and_no_other_nation_at_war():
    position = shadow_acts().at_war("sauron").army("morannon", sauron=10)
    game = play(enter(position, "witch-king"), "region:morannon")
    assert game.decision == Decision.ACTION_DIE
    assert game.state.location[character("witch-king")] == region("morannon")
    # The Mouth comes while Sauron is at peace.
    position = shadow_acts("muster").politics("sauron", 1).fellowship(mordor_step=1)
    assert entries(position) == {"mouth-of-sauron"}


# --- The Witch-king (R14.11). ---


def test_R14_11_he_joins_a_shadow_army_with_a_sauron_unit():
    position = shadow_acts().at_war("sauron").army("morannon", sauron=1, southrons=2)
    position.army("dagorlad", southrons=3).army("fangorn", sauron_elite=1).army("angmar", nazgul=1)
    position.army("moria", sauron=1, elves=1).army("lorien", elves=1, sauron=2)
    game = enter(position, "witch-king")
    assert legal_block(game, "region") == {"morannon", "fangorn", "moria", "lorien"}
    play(game, "region:lorien")
    assert game.state.location[character("witch-king")] == region("lorien")


def test_R14_11_sauron_must_be_at_war_and_have_an_army():
    assert entries(shadow_acts("muster").army("morannon", sauron=1)) == set()
    assert entries(shadow_acts("muster").at_war("sauron")) == set()
    assert entries(shadow_acts("muster").at_war("sauron").army("morannon", sauron=1)) == {"witch-king"}


@pytest.mark.parametrize(
    ("entry", "expected"), [("sauron", {"witch-king"}), ("sauron_and_free_peoples", set())]
)
def test_R14_11_option_witch_king_entry(entry, expected):
    position = shadow_acts("muster", witch_king_entry=entry).at_war("sauron").army("morannon", sauron=1)
    assert entries(position) == expected
    assert entries(position.at_war("rohan")) == {"witch-king"}


def test_R14_11_on_entry_all_free_peoples_become_active():
    position = shadow_acts().at_war("sauron").army("morannon", sauron=1)
    for people in FREE_PEOPLES:
        position.politics(people, 2, active=False)
    game = play(enter(position, "witch-king"), "region:morannon")
    assert game.state.active[:5].tolist() == [1] * 5
    assert game.state.steps_to_war[:5].tolist() == [2] * 5


def test_R14_11_he_flies():
    position = shadow_acts("character event").place("witch-king", "angmar")
    game = play(position.game(), "face:character", "plan:move-minions")
    assert legal(game) == {"character:witch-king"}
    closed = {"angmar", "minas-tirith", "dol-amroth", "helms-deep", "erebor", "rivendell", "lorien"}
    closed |= {"grey-havens", "woodland-realm"}
    assert legal_block(play(game, "character:witch-king"), "region") == set(REGION_IDS) - closed


def leadership(*names: str, **figures: int) -> int:
    """Re-rolls of five attacking units whose dice all miss."""
    position = shadow_acts("army event").at_war("isengard").army("western-brown-lands", **figures)
    position.army("eastemnet", rohan=1)
    for name in names:
        position.place(name, "western-brown-lands" if name != "saruman" else "orthanc")
    game = play(position.game(*[1] * 20), "face:army", "plan:attack", "region:western-brown-lands")
    play(game, "region:eastemnet", "verb:whole-army")
    assert game.decision == Decision.CEASE
    return 20 - len(unread(game)) - 5 - 1


def test_R14_11_R14_12_leadership_of_two_each():
    assert leadership(isengard=5) == 0
    assert leadership("witch-king", isengard=5) == 2
    assert leadership("mouth-of-sauron", isengard=5) == 2
    assert leadership("witch-king", "mouth-of-sauron", isengard=5, nazgul=1) == 5


# --- The Sorcerer (R14.11). ---


def sorcerer(used: str | None = "sh-char-10", turn: int = 1, king: str = "dagorlad", **options) -> Position:
    """Round ``turn`` of the Shadow's attack from Dagorlad, its Combat card (if any) just revealed."""
    position = shadow_acts("event event", **options).at_war("sauron").place("witch-king", king)
    position.army("dagorlad", sauron=2).army("eastern-emyn-muil", gondor=2)
    state = position.state
    position.waiting(Frame.ACTION, FINISHED).waiting(Frame.BATTLE, BattleStage.REVEALED_CARDS)
    state.battle_attacker = Side.SHADOW
    state.battle_origin = region("dagorlad")
    state.battle_target = region("eastern-emyn-muil")
    state.battle_kind = BattleKind.FIELD
    state.battle_round = turn
    state.party_regular[nation("sauron")] = 2
    if king == "dagorlad":
        state.party_characters = 1 << character("witch-king")
    if used:
        side = Side.SHADOW if used.startswith("sh") else Side.FREE_PEOPLES
        position.hand(side, used)
        state.card_zone[card(used)] = CardZone.IN_PLAY
        state.combat_card[side] = card(used)
    return position


def hand(game: Game, side: Side = Side.SHADOW) -> list[int]:
    return [int(i) for i in range(96) if game.state.card_zone[i] == CardZone.HAND + side]


@pytest.mark.parametrize(("choice", "deck"), [("character-deck", 2), ("strategy-deck", 3)])
def test_R14_11_RG24_a_combat_card_in_round_1_lets_him_draw(choice, deck):
    game = sorcerer().game(*[1] * 6)
    assert game.decision == Decision.SORCERER and game.side == Side.SHADOW
    assert legal(game) == {"verb:decline", "verb:character-deck", "verb:strategy-deck"}
    play(game, f"verb:{choice}")
    assert [drawn // 24 for drawn in hand(game)] == [deck]
    assert game.decision == Decision.CEASE
    assert game.state.card_zone[card("sh-char-10")] == CardZone.DISCARD


def test_R14_11_the_sorcerer_may_decline():
    game = play(sorcerer().game(*[1] * 6), "verb:decline")
    assert hand(game) == [] and game.decision == Decision.CEASE


@pytest.mark.parametrize(
    ("used", "turn", "king"),
    [
        (None, 1, "dagorlad"),
        ("fp-char-10", 1, "dagorlad"),
        ("sh-char-10", 2, "dagorlad"),
        ("sh-char-10", 1, "morannon"),
    ],
)
def test_R14_11_no_sorcery(used, turn, king):
    assert sorcerer(used, turn, king).game(*[1] * 6).decision == Decision.CEASE


@pytest.mark.parametrize(("used", "deck"), [("sh-char-10", "character"), ("sh-strat-10", "strategy")])
def test_R14_11_option_sorcerer_deck(used, deck):
    assert legal(sorcerer(used, sorcerer_deck="same").game()) == {"verb:decline", f"verb:{deck}-deck"}
    either = {"verb:decline", "verb:character-deck", "verb:strategy-deck"}
    assert legal(sorcerer(used, sorcerer_deck="either").game()) == either


def test_R14_11_a_draw_above_the_hand_limit_is_followed_by_a_discard():
    position = sorcerer().hand(Side.SHADOW, *(f"sh-strat-0{i}" for i in range(1, 7)))
    game = play(position.game(), "verb:character-deck")
    assert game.decision == Decision.DISCARD_CARD and len(hand(game)) == 7


# --- The Mouth of Sauron (R14.12). ---


def test_R14_12_he_comes_when_all_free_peoples_are_at_war_or_the_fellowship_is_in_mordor():
    assert entries(shadow_acts("muster").at_war(*FREE_PEOPLES)) == {"mouth-of-sauron"}
    assert entries(shadow_acts("muster").at_war(*FREE_PEOPLES[:4])) == set()
    assert entries(shadow_acts("muster").fellowship(mordor_step=1)) == {"mouth-of-sauron"}
    assert entries(shadow_acts("muster").fellowship("morannon")) == set()


def test_R14_12_he_enters_at_a_sauron_stronghold():
    position = shadow_acts().fellowship(mordor_step=1).control("moria", Side.FREE_PEOPLES)
    position.army("dol-guldur", sauron=1, elves=3)
    strongholds = {"barad-dur", "morannon", "minas-morgul", "dol-guldur", "mount-gundabad"}
    game = enter(position, "mouth-of-sauron")
    assert legal_block(game, "region") == strongholds
    play(game, "region:barad-dur")
    assert game.state.location[character("mouth-of-sauron")] == region("barad-dur")


def test_R14_12_he_walks_three_regions():
    position = shadow_acts("character event").place("mouth-of-sauron", "barad-dur")
    game = play(position.game(), "face:character", "plan:move-minions", "character:mouth-of-sauron")
    distances = DISTANCE[region("barad-dur")]
    assert legal_block(game, "region") == {REGION_IDS[i] for i in range(105) if 0 < distances[i] <= 3}


def messenger(dice: str) -> Position:
    position = shadow_acts(dice).at_war("sauron").army("dagorlad", sauron=2)
    return position.army("eastern-emyn-muil", gondor=1).place("mouth-of-sauron", "barad-dur")


def test_R14_12_the_messenger_uses_one_muster_result_in_a_turn_as_army():
    game = messenger("muster muster army_muster").game()
    play(game, "face:muster")
    assert {"plan:move-armies", "plan:attack"} <= legal(game)
    play(game, "plan:move-armies", "region:dagorlad", "region:noman-lands", "verb:whole-army")
    if game.decision == Decision.ARMY_ORIGIN:
        play(game, "verb:done")
    assert game.state.units[region("noman-lands"), Side.SHADOW] == 2
    play(game, "face:muster")
    assert not {"plan:move-armies", "plan:attack"} & legal(game)
    play(game, "plan:skip", "face:army-muster")
    assert "plan:move-armies" in legal(game)  # such a die needs no messenger


def test_R14_12_a_muster_or_an_army_muster_die_used_otherwise_keeps_the_messenger():
    game = messenger("muster muster army_muster").game()
    play(game, "face:muster", "plan:skip", "face:army-muster", "plan:move-armies")
    play(game, "region:dagorlad", "region:noman-lands", "verb:whole-army")
    if game.decision == Decision.ARMY_ORIGIN:
        play(game, "verb:done")
    assert "plan:move-armies" in legal(play(game, "face:muster"))


def test_R14_12_the_messenger_comes_back_next_turn():
    position = messenger("muster")
    position.state.messenger_used = 1
    assert "move-armies" not in plans(position, "muster")
    game = play(position.game(), "face:muster", "plan:skip")
    assert game.state.turn == 2 and game.state.messenger_used == 0


@pytest.mark.parametrize("where", ["aside", "eliminated"])
def test_R14_12_no_messenger_without_the_mouth(where):
    position = messenger("muster").place("mouth-of-sauron", where)
    assert not {"move-armies", "attack"} & plans(position, "muster")


# --- Saruman (R14.13). ---


def test_R14_13_he_comes_to_orthanc_when_isengard_is_at_war():
    game = enter(shadow_acts().at_war("isengard"), "saruman")
    assert legal(game) == {"region:orthanc"}
    assert play(game, "region:orthanc").state.location[character("saruman")] == region("orthanc")
    assert entries(shadow_acts("muster")) == set()
    assert entries(shadow_acts("muster").at_war("isengard").control("orthanc", Side.FREE_PEOPLES)) == set()


def test_R14_13_he_never_leaves():
    position = shadow_acts("character army").at_war("isengard").place("saruman", "orthanc")
    position.army("orthanc", isengard=2)
    assert "move-minions" not in plans(position, "character")
    game = play(position.game(), "face:army", "plan:move-armies", "region:orthanc", "region:gap-of-rohan")
    assert "character:saruman" not in legal(game)
    play(game, "verb:whole-army")
    assert game.state.location[character("saruman")] == region("orthanc")


def voice(dice: str = "muster event") -> Position:
    return shadow_acts(dice).at_war("isengard").place("saruman", "orthanc")


def test_R14_13_RG38_the_voice_recruits_in_every_isengard_settlement():
    game = play(voice().game(), "face:muster", "plan:voice-regulars")
    assert regulars(game) == [1, 1, 1]
    assert game.decision == Decision.ACTION_DIE  # the whole action
    assert legal_block(game, "face") == {"event"}


def test_RG38_captured_occupied_and_full_settlements_are_skipped():
    position = voice().army("south-dunland", isengard=9, isengard_elite=1)
    position.control("north-dunland", Side.FREE_PEOPLES)
    game = play(position.game(), "face:muster", "plan:voice-regulars")
    assert regulars(game) == [0, 9, 1]
    position = voice().at_war("rohan").control("north-dunland", Side.FREE_PEOPLES)
    position.army("north-dunland", rohan=1)
    assert regulars(play(position.game(), "face:muster", "plan:voice-regulars")) == [0, 1, 1]


@pytest.mark.parametrize("check", ["each_move", "end_of_action"])
def test_RG64_R14_13_by_option_the_voice_recruits_in_a_full_settlement_which_is_trimmed(check):
    position = shadow_acts(overstack_voluntary="disband", stacking_check=check).at_war("isengard")
    position.place("saruman", "orthanc").army("orthanc", isengard=2, southrons=8)
    game = play(position.game(), "face:muster", "plan:voice-regulars")
    assert regulars(game)[2] == 3 and game.decision == Decision.TRIM_ARMY
    play(game, "figure:southrons-regular")
    assert figures(game, "orthanc") == {"isengard": 3, "southrons": 7} and regulars(game) == [1, 1, 3]


def test_RG38_with_too_few_regulars_the_places_are_chosen():
    position = voice()
    left = int(position.state.reinforcement_regular[nation("isengard")])
    position.army("fangorn", isengard=10).army("gap-of-rohan", isengard=left - 11)
    game = play(position.game(), "face:muster", "plan:voice-regulars")
    assert legal(game) == {f"region:{place}" for place in ISENGARD}
    assert regulars(play(game, "region:south-dunland")) == [0, 1, 0]
    assert game.decision == Decision.ACTION_DIE


@pytest.mark.parametrize(("there", "raised"), [(1, 1), (2, 2), (4, 2)])
def test_R14_13_RG44_the_voice_raises_two_regulars_in_orthanc_to_elites(there, raised):
    game = voice().army("orthanc", isengard=there).game()
    before = int(game.state.reinforcement_regular[nation("isengard")])
    play(game, "face:muster", "plan:voice-elites")
    assert regulars(game, ("orthanc",)) == [there - raised]
    assert game.state.elite[region("orthanc"), nation("isengard")] == raised
    assert game.state.reinforcement_regular[nation("isengard")] == before + raised


@pytest.mark.parametrize("face", SHADOW_FACES)
def test_R14_13_a_muster_result_pays_for_the_voice(face):
    position = voice(face.replace("-", "_")).army("orthanc", isengard=2)
    both = {"voice-regulars", "voice-elites"}
    assert plans(position, face) & both == (both if face in ("muster", "army-muster") else set())


def test_R14_13_the_voice_needs_something_to_do():
    assert "voice-elites" not in plans(voice(), "muster")
    position = voice().army("orthanc", isengard=1).army("fangorn", isengard_elite=5)
    left = int(position.state.reinforcement_elite[nation("isengard")])
    position.army("gap-of-rohan", isengard_elite=left)
    assert "voice-elites" not in plans(position, "muster")


def test_R14_13_no_voice_out_of_a_siege_or_without_saruman():
    both = {"voice-regulars", "voice-elites"}
    besieged = voice().at_war("rohan").army("orthanc", isengard=2, rohan=1)
    assert not both & plans(besieged, "muster")
    dead = voice().army("orthanc", isengard=2).place("saruman", "eliminated")
    assert not both & plans(dead, "muster")


def test_R14_13_isengard_elites_lead():
    assert leadership(isengard=3, isengard_elite=2) == 0
    assert leadership("saruman", isengard=3, isengard_elite=2) == 2
    assert leadership("saruman", isengard=5) == 0
    assert leadership("saruman", isengard_elite=2, isengard=3, nazgul=1) == 3


def test_R14_13_an_elite_leads_a_move_and_stays_a_unit():
    position = voice("character event").army("fangorn", isengard=2, isengard_elite=1)
    position.army("gap-of-rohan", isengard=2).army("dagorlad", southrons_elite=1).at_war("southrons")
    game = play(position.game(), "face:character", "plan:move-armies")
    assert legal_block(game, "region") == {"fangorn"}  # Southron Elites lead in no two-player game
    play(game, "region:fangorn", "region:parth-celebrant", "figure:isengard-regular")
    assert "verb:done" not in legal(game)
    play(game, "figure:isengard-elite", "verb:done")
    assert game.state.units[region("parth-celebrant"), Side.SHADOW] == 2


def test_R14_13_saruman_or_an_elite_leads_an_attack():
    position = voice("character event").army("orthanc", isengard=2).army("fords-of-isen", rohan=1)
    position.army("fangorn", isengard=1, isengard_elite=1).army("western-brown-lands", isengard=3)
    position.army("eastemnet", rohan=1)
    game = play(position.game(), "face:character", "plan:attack")
    assert legal_block(game, "region") == {"orthanc", "fangorn"}
    play(game, "region:orthanc", "region:fords-of-isen", "figure:isengard-regular")
    assert "verb:done" not in legal(game)
    assert "verb:done" in legal(play(game, "character:saruman"))


@pytest.mark.parametrize("where", ["aside", "eliminated"])
def test_R14_13_no_servants_without_saruman(where):
    position = voice("character event").place("saruman", where).army("fangorn", isengard_elite=1)
    assert "move-armies" not in plans(position, "character")


@pytest.mark.parametrize("name", ["witch-king", "mouth-of-sauron", "saruman"])
def test_R14_11_R14_12_R14_13_a_minion_who_dies_is_gone(name):
    place = "orthanc" if name == "saruman" else "dagorlad"
    attacker = "gap-of-rohan" if name == "saruman" else "eastern-emyn-muil"
    position = Position(Ruleset(ask_single=True)).at_war("rohan").place(name, place)
    position.army(place, isengard=1).army(attacker, rohan=5).dice("army event", "event")
    game = play(position.game(*[6] * 5, *[1] * 3), "face:army", "plan:attack", f"region:{attacker}")
    play(game, f"region:{place}", "verb:whole-army")
    if game.decision == Decision.STRONGHOLD:
        play(game, "verb:fight")
    play(game, "figure:isengard-regular")
    assert game.state.location[character(name)] == Location.ELIMINATED
