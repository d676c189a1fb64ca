"""When Combat cards may be played, in which order they act, and what ends them (R7.9.2-R7.9.9)."""

import pytest

from tests.battles import free_peoples_attack, hits, shadow_attacks
from tests.positions import attack, card, figures, legal, play, where
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side

MORIA = {"origin": "moria", "at": "dimrill-dale"}
SIEGE = {"origin": "helms-deep", "at": "helms-deep"}


def zone(game, name):
    return game.state.card_zone[card(name)]


def with_flags(game, **flags):
    """The same moment of a battle that a card has started."""
    state = game.state.copy()
    for name, value in flags.items():
        state[name] = value
    return Game.from_state(state)


# --- Committing (R7.9.2). ---


def test_RU22_RG30_R7_9_2_the_attacker_commits_face_down_before_the_defender():
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}, "sh-strat-01", "sh-strat-22", "fp-strat-02")
    game = attack(position.game(1, 1), *position.route)
    assert game.side == Side.SHADOW
    assert legal(game) == {"card:sh-strat-01", "card:sh-strat-22", "verb:decline"}
    play(game, "card:sh-strat-22")
    assert zone(game, "sh-strat-22") == CardZone.COMMITTED + Side.SHADOW
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.COMBAT_CARD)
    assert legal(game) == {"card:fp-strat-02", "verb:decline"}
    play(game, "verb:decline")
    assert zone(game, "sh-strat-22") == CardZone.DISCARD and zone(game, "fp-strat-02") == CardZone.HAND


def test_R7_9_2_cards_are_asked_again_in_each_round():
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}, "fp-strat-02")
    game = play(position.fight(1, 1), "verb:continue", "verb:stay")
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.COMBAT_CARD)
    game.with_tape([1, 5])
    assert hits(play(game, "card:fp-strat-02")) == (2, 0)


def test_RG25_the_balrog_may_be_committed_from_the_table():
    position = shadow_attacks({"sauron": 1}, {"elves": 4}, **MORIA)
    position.hand(Side.SHADOW, "sh-char-17").state.card_zone[card("sh-char-17")] = CardZone.TABLE
    game = position.fight(4, 1, 1, cards=("sh-char-17",))
    assert zone(game, "sh-char-17") == CardZone.IN_PLAY
    game.with_tape([1, 1, 1, 1])
    play(game, "figure:elves-regular")
    assert zone(game, "sh-char-17") == CardZone.DISCARD and figures(game, "dimrill-dale") == {"elves": 3}


def test_RG25_option_balrog_table_combat():
    position = shadow_attacks({"sauron": 1}, {"elves": 1}, **MORIA, balrog_table_combat=False)
    position.hand(Side.SHADOW, "sh-char-17")
    assert position.offers("sh-char-17")
    position.state.card_zone[card("sh-char-17")] = CardZone.TABLE
    assert not position.offers("sh-char-17")
    # Another card of the table is none to commit.
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}).hand(Side.SHADOW, "sh-strat-05", "sh-strat-03")
    position.state.card_zone[card("sh-strat-03")] = CardZone.TABLE
    assert not position.offers("sh-strat-03")


def test_R7_9_2_denethors_folly_at_minas_tirith():
    besieged = {"origin": "minas-tirith", "at": "minas-tirith"}
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}, "fp-strat-02", **besieged)
    position.hand(Side.SHADOW, "sh-strat-03")
    assert position.offers("fp-strat-02")
    position.state.card_zone[card("sh-strat-03")] = CardZone.TABLE
    assert not position.offers("fp-strat-02")
    elsewhere = shadow_attacks({"sauron": 1}, {"gondor": 1}, "fp-strat-02")
    elsewhere.army("minas-tirith", gondor=1, sauron=1).hand(Side.SHADOW, "sh-strat-03")
    elsewhere.state.card_zone[card("sh-strat-03")] = CardZone.TABLE
    assert elsewhere.offers("fp-strat-02")


# --- Battles started by a card (section 19.2 C2, C12). ---


def siege(companion, **flags):
    """An assault on Helm's Deep, the Shadow about to choose its card of round 1; 2 dice against 3."""
    position = shadow_attacks(
        {"isengard": 1, "isengard_elite": 1}, {"rohan": 3}, "sh-strat-01", "fp-strat-02", **SIEGE
    )
    if companion:
        position.place("strider", "helms-deep")
    return with_flags(attack(position.game(), *position.route), **flags)


@pytest.mark.parametrize("companion", [True, False])
def test_R7_9_2_card_lock_in_round_1_unless_a_companion_takes_part(companion):
    game = siege(companion, battle_card_lock=1, battle_fixed_rounds=3)
    game.with_tape([1] * (6 if companion else 5))
    play(game, "verb:decline")
    if companion:
        assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.COMBAT_CARD)
        game.with_tape([1] * 7)
        play(game, "verb:decline")
    assert game.state.battle_round == 2 and game.side == Side.SHADOW
    play(game, "verb:decline")
    assert legal(game) == {"card:fp-strat-02", "verb:decline"}  # the lock is of round 1


def test_RU30_three_rounds_of_an_assault_are_full_rounds_with_cards():
    game = siege(False, battle_fixed_rounds=3)
    for number in (1, 2, 3):
        assert game.state.battle_round == number
        game.with_tape([1] * 5)
        play(game, "verb:decline", "verb:decline")
    assert game.decision == Decision.PROLONG_ASSAULT  # and it may go on by reducing Elites
    play(game, "verb:cease")
    assert figures(game, "helms-deep") == {"isengard": 1, "isengard_elite": 1, "rohan": 3}
    assert game.state.battle_fixed_rounds == 0  # forgotten after the battle


def test_a_battle_that_may_not_be_ceased():
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}, "sh-strat-01")
    game = with_flags(attack(position.game(), *position.route), battle_no_cease=1).with_tape([1, 1])
    play(game, "verb:decline")
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.RETREAT)


def test_fewer_dice_by_the_besieged_garrison_in_all_rounds():
    position = free_peoples_attack(
        {"gondor": 1}, {"sauron": 4}, "fp-strat-02", origin="osgiliath", at="minas-tirith"
    )
    position.control("minas-tirith", Side.FREE_PEOPLES).army("minas-tirith", gondor=2)
    game = with_flags(attack(position.game(), *position.route), battle_fewer_by_garrison=1)
    game.with_tape([1, 1, 1])
    play(game, "verb:decline")
    assert game.decision == Decision.CEASE and hits(game) == (0, 0)
    play(game, "verb:continue", "verb:stay")
    game.with_tape([1, 1, 1])
    play(game, "verb:decline")
    assert game.decision == Decision.CEASE and hits(game) == (0, 0)


# --- The order of the effects (R7.9.4). ---


def test_GX6_RU8_scouts_before_the_extra_attack():
    position = shadow_attacks({"sauron": 3}, {"elves": 2}, "fp-strat-05", "sh-char-17", **MORIA)
    game = position.fight(cards=("fp-strat-05", "sh-char-17"))
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.COMBAT_CHOICE)
    counter = game.state.counter
    play(game, "region:lorien")
    assert figures(game, "lorien") == {"elves": 2} and game.state.counter == counter  # nothing was rolled
    assert zone(game, "sh-char-17") == zone(game, "fp-strat-05") == CardZone.DISCARD
    assert game.decision == Decision.ADVANCE_FIGURES


@pytest.mark.parametrize(("order", "escapes"), [("defender_first", True), ("initiative", False)])
def test_R7_9_4_scouts_of_the_defender_and_swarm_of_bats(order, escapes):
    played = ("fp-strat-05", "sh-strat-09")
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}, *played, combat_card_order=order)
    game = position.fight(*(() if escapes else (1, 1)), cards=played)
    assert game.decision == (Decision.COMBAT_CHOICE if escapes else Decision.CEASE)
    assert escapes or zone(game, "fp-strat-05") == CardZone.DISCARD  # R7.9.3: also a cancelled card


@pytest.mark.parametrize(("order", "struck"), [("defender_first", True), ("initiative", False)])
def test_RU8_R7_9_4_a_cancel_by_the_attacker_and_an_extra_attack_by_the_defender(order, struck):
    played = ("fp-char-11", "sh-char-17")
    position = free_peoples_attack(
        {"elves": 2}, {"sauron": 1}, *played, origin="hollin", at="moria", combat_card_order=order
    )
    position.place("meriadoc", "hollin")
    tape = (4, 1, 1) if struck else (1, 1, 1)
    game = position.fight(*tape, cards=played, first=("verb:fight",))
    assert game.decision == (Decision.CASUALTY if struck else Decision.CEASE)
    assert hits(game) == (0, 0)


@pytest.mark.parametrize("order", ["defender_first", "initiative"])
def test_R7_9_4_two_cancels_the_defenders_first(order):
    played = ("fp-char-11", "sh-strat-09")
    position = shadow_attacks(
        {"sauron": 1}, {"gondor": 1, "gondor_leader": 1}, *played, combat_card_order=order
    )
    position.place("meriadoc", "north-ithilien")
    assert hits(position.fight(1, 1, 5, cards=played)) == (1, 0)  # Merry forfeits
    played = ("fp-char-11", "sh-strat-09")
    position = free_peoples_attack({"gondor": 1}, {"southrons": 1}, *played, combat_card_order=order)
    position.place("meriadoc", "osgiliath")
    assert hits(position.fight(1, 1, 5, cards=played)) == (1, 0)  # he does not: his card is void


@pytest.mark.parametrize("order", ["defender_first", "initiative"])
def test_R7_9_4_hits_counted_after_the_defenders_card(order):
    mumakil = {"southrons_elite": 2}
    played = ("fp-strat-02", "sh-strat-07")
    position = shadow_attacks(mumakil, {"gondor": 1}, *played, combat_card_order=order)
    assert hits(position.fight(5, 5, 5, cards=played)) == (2, 2)  # No Quarter first: 2 are not more than 2
    position = free_peoples_attack({"gondor": 1}, mumakil, *played, combat_card_order=order)
    assert hits(position.fight(5, 5, 5, cards=played)) == (2, 3)  # Mumakil first: 2 against 1


# --- Rolls, extra attacks, forfeits (R7.9.5-R7.9.9). ---


def test_GX5_R7_9_5_modifiers_of_both_cards_add_up():
    played = ("fp-char-19", "sh-strat-01")
    battle = {"origin": "westemnet", "at": "eastemnet"}
    position = shadow_attacks({"isengard": 1}, {"rohan": 3}, *played, **battle)
    assert hits(position.fight(1, 1, 2, 1, cards=played)) == (1, 0)  # +4: only natural 1s miss
    played = ("fp-strat-03", "sh-strat-22")
    position = shadow_attacks({"isengard": 3}, {"rohan": 1}, *played, **battle)
    assert hits(position.fight(5, 4, 6, 1, cards=played)) == (0, 2)  # -1 and +1
    position = shadow_attacks({"isengard": 2}, {"rohan": 1}, "fp-strat-03", **battle)
    assert hits(position.fight(6, 5, 1, cards=("fp-strat-03",))) == (0, 1)


def test_R7_9_5_reductions_come_before_caps():
    played = ("fp-strat-01", "sh-char-08")
    position = shadow_attacks({"sauron": 7, "nazgul": 1}, {"gondor": 8}, *played)
    game = position.fight(cards=played)
    game.with_tape([5, 5, 5, 5, 5, 5, 5])  # 3 against 4 dice
    assert hits(play(game, "count:1")) == (4, 3)


def test_R7_9_7_an_army_destroyed_by_an_extra_attack_does_not_roll():
    position = shadow_attacks({"sauron": 1, "nazgul": 2}, {"gondor": 1, "gondor_leader": 1}, "fp-char-14")
    position.place("mouth-of-sauron", "dagorlad")
    game = play(position.fight(5, cards=("fp-char-14",)), "figure:sauron-regular")
    assert figures(game, "dagorlad") == {} and where(game, "mouth-of-sauron") == "eliminated"
    assert zone(game, "fp-char-14") == CardZone.DISCARD and game.decision == Decision.ACTION_DIE


def test_R7_9_7_an_extra_attack_after_the_casualties_may_destroy_an_army():
    position = shadow_attacks({"sauron_elite": 1}, {"gondor": 1, "gondor_leader": 1}, "sh-strat-13")
    game = play(position.fight(1, 1, 1, 5, cards=("sh-strat-13",)), "figure:gondor-regular")
    assert figures(game, "north-ithilien") == {} and game.decision == Decision.ADVANCE_FIGURES


def test_RG34_R7_9_7_an_extra_attack_has_the_base_target_of_the_battle():
    position = free_peoples_attack(
        {"rohan_elite": 1, "rohan": 1},
        {"isengard": 2},
        "fp-strat-13",
        "fp-strat-14",
        origin="folde",
        at="edoras",
    )
    game = position.fight(5, 1, 1, 1, 1, cards=("fp-strat-13",))  # a City: 6 in round 1
    assert game.decision == Decision.CEASE and hits(game) == (0, 0)
    play(game, "verb:continue").with_tape([5])
    play(game, "card:fp-strat-14")
    assert (game.side, game.decision) == (Side.SHADOW, Decision.CASUALTY)


def test_R7_9_8_a_cost_that_cannot_be_paid_voids_the_card():
    played = ("fp-char-06", "sh-char-15")
    position = shadow_attacks({"sauron": 1, "nazgul": 1}, {"gondor": 1, "gondor_leader": 1}, *played)
    position.place("meriadoc", "north-ithilien")
    game = position.fight(cards=played)
    game.with_tape([5, 1, 1])
    assert hits(play(game, "character:meriadoc")) == (0, 1)  # muted: he has nothing to forfeit


def test_R7_9_8_after_the_white_rider_nothing_is_left_to_forfeit():
    position = shadow_attacks({"sauron": 1, "nazgul": 2}, {"gondor": 1}, "fp-char-06", "sh-char-05")
    position.fellowship(companions=["legolas"]).place("gandalf-grey", "eliminated")
    position.place("gandalf-white", "north-ithilien")
    assert position.offers("fp-char-06", "verb:decline") and position.offers("sh-char-05", "verb:decline")
    assert not position.offers("fp-char-06", "verb:accept")
    assert not position.offers("sh-char-05", "verb:accept")


def test_R7_9_3_a_card_acts_in_its_round_only():
    position = shadow_attacks({"sauron": 4}, {"gondor": 1}, "fp-strat-01")
    game = play(position.fight(1, 1, 1, 1, cards=("fp-strat-01",)), "verb:continue", "verb:stay")
    assert game.state.tape_length == 0 and game.state.battle_round == 2
    assert zone(game, "fp-strat-01") == CardZone.DISCARD
    assert not game.state.combat.any()


def test_R7_9_9_choices_are_made_when_the_window_comes():
    played = ("fp-char-06", "sh-char-08")
    position = shadow_attacks({"sauron": 1, "nazgul": 2}, {"gondor": 3}, *played)
    position.place("legolas", "north-ithilien").place("meriadoc", "north-ithilien")
    game = position.fight(cards=played)
    assert (game.side, legal(game)) == (Side.SHADOW, {"count:1", "count:2"})
    game.with_tape([1, 1, 1, 1])
    play(game, "count:2")
    assert (game.side, legal(game)) == (Side.FREE_PEOPLES, {"character:legolas", "character:meriadoc"})
    assert "Mighty Attack" in game.describe()
