"""The Combat halves of the Free Peoples' cards (R7.9, section 22.6)."""

import pytest

from tests.battles import free_peoples_attack, hits, shadow_attacks
from tests.positions import card, figures, legal, play, where
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side


def cards(prefix, *numbers):
    return [f"{prefix}-{number:02}" for number in numbers]


def each(*names):
    return pytest.mark.parametrize("card", names)


def rohan(*played, sh=None, fp=None, **options):
    """Isengard attacks from Westemnet the army of Eastemnet, both of Rohan."""
    where = {"origin": "westemnet", "at": "eastemnet"}
    return shadow_attacks(sh or {"isengard": 1}, fp or {"rohan": 1}, *played, **where, **options)


@each(*cards("fp-char", 1, 2, 3, 4))
def test_combat_it_is_a_gift(card):
    """fp-char-01, fp-char-02, fp-char-03, fp-char-04."""
    position = shadow_attacks({"sauron": 1}, {"gondor": 1, "gondor_leader": 1}, card)
    assert not position.offers(card)
    position.fellowship("north-ithilien")
    assert position.offers(card)
    assert hits(position.fight(1, 4, cards=(card,))) == (1, 0)  # +1 to the Combat roll
    assert hits(position.fight(4, 3, 4, cards=(card,))) == (1, 0)  # and to the re-roll; not for the enemy
    assert hits(position.fight(1, 1, 1, cards=(card,))) == (0, 0)  # a natural 1 misses
    # The region of the defender counts, not that of the attacker.
    attack = free_peoples_attack({"gondor": 1}, {"southrons": 1}, card)
    assert not attack.fellowship("osgiliath").offers(card)
    assert attack.fellowship("south-ithilien").offers(card)


@each("fp-char-05")
def test_combat_blade_of_westernesse(card):
    """fp-char-05."""
    position = shadow_attacks({"sauron": 2, "nazgul": 1}, {"gondor": 2}, card)
    position.place("mouth-of-sauron", "dagorlad").place("witch-king", "dagorlad")
    assert not position.place("strider", "north-ithilien").offers(card)
    position.place("strider", "eliminated").place("meriadoc", "north-ithilien")
    game = position.fight(5, 5, 5, 1, 5, cards=(card,))
    assert game.side == Side.FREE_PEOPLES and game.decision == Decision.COMBAT_CHOICE
    assert legal(game) == {"character:mouth-of-sauron", "character:witch-king", "verb:decline"}
    play(game, "character:witch-king")
    assert where(game, "witch-king") == "eliminated"
    assert hits(game) == (1, 2)  # one of the two hits is spent
    game = play(position.fight(5, 5, 5, 1, 5, cards=(card,)), "verb:decline")
    assert hits(game) == (2, 2) and where(game, "witch-king") == "dagorlad"
    # A hit of the Combat roll is none of the re-roll.
    assert position.fight(5, 5, 5, 5, cards=(card,)).decision == Decision.CASUALTY


@each(*cards("fp-char", 6, 7))
def test_combat_mighty_attack(card):
    """fp-char-06, fp-char-07."""
    position = shadow_attacks({"sauron": 1}, {"gondor": 1, "gondor_leader": 1}, card)
    assert not position.offers(card)
    position.place("legolas", "north-ithilien").place("gimli", "north-ithilien")
    game = position.fight(1, 1, 2, 3, cards=(card,))
    assert legal(game) == {"character:legolas", "character:gimli"}
    game.with_tape([4, 4])  # one miss is a hit; Gimli and the Leader re-roll the two others
    assert hits(play(game, "character:legolas")) == (1, 0)
    assert hits(position.fight(1, 5, 5, 5, cards=(card,))) == (3, 0)  # nothing missed, nothing to choose


@each("fp-char-08")
def test_combat_servant_of_the_secret_fire(card):
    """fp-char-08."""
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}, card)
    assert not position.place("strider", "north-ithilien").offers(card)
    position.place("strider", "eliminated").place("gandalf-white", "north-ithilien")
    assert position.offers(card, "verb:decline")
    position.fellowship(companions=["legolas"])
    position.place("gandalf-white", "aside").place("gandalf-grey", "north-ithilien")
    # Combat dice 4 and 3, one re-roll: +1 to the Combat roll only.
    assert hits(position.fight(1, 4, 3, 4, cards=(card,))) == (1, 0)


@each("fp-char-09")
def test_combat_anduril(card):
    """fp-char-09."""
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}, card)
    assert not position.place("boromir", "north-ithilien").offers(card)
    position.place("boromir", "eliminated").place("strider", "north-ithilien")
    game = position.fight(1, 1, 2, cards=(card,))
    assert legal(game) == {"character:strider"}
    assert hits(play(game, "character:strider")) == (1, 0)  # no Leadership left for a re-roll

    position = shadow_attacks({"sauron": 1}, {"gondor": 2, "gondor_leader": 1}, card)
    position.place("aragorn", "north-ithilien").place("strider", "replaced")
    game = play(position.fight(1, 1, 2, 3, cards=(card,)), "character:aragorn")
    assert legal(game) == {"count:1", "count:2"}
    game.with_tape([5])  # the Leader's re-roll of the third die
    assert hits(play(game, "count:2")) == (3, 0)
    game = play(position.fight(1, 1, 2, 3, cards=(card,)), "character:aragorn")
    game.with_tape([1])
    assert hits(play(game, "count:1")) == (1, 0)


@each(*cards("fp-char", 10, 13, 18))
def test_combat_heroic_death(card):
    """fp-char-10, fp-char-13, fp-char-18."""
    assert not shadow_attacks({"sauron": 3}, {"gondor": 3}, card).offers(card)
    position = shadow_attacks({"sauron": 3}, {"gondor": 3, "gondor_leader": 1}, card)
    position.place("boromir", "north-ithilien").place("meriadoc", "north-ithilien")
    tape = (5, 5, 5, 1, 1, 1, 1, 1, 1, 1)
    game = position.fight(*tape, cards=(card,))
    assert legal(game) == {"figure:gondor-leader", "character:boromir", "character:meriadoc", "verb:decline"}
    play(game, "character:boromir")  # Level 2
    assert hits(game) == (0, 1) and where(game, "boromir") == "eliminated"
    game = play(position.fight(*tape, cards=(card,)), "figure:gondor-leader")
    assert hits(game) == (0, 2) and figures(game, "north-ithilien") == {"gondor": 3}
    assert game.state.casualty_leader.sum() == 1
    assert hits(play(position.fight(*tape, cards=(card,)), "verb:decline")) == (0, 3)
    # More Levels than hits: nothing below 0. No hits: no choice.
    game = play(position.fight(5, 1, 1, *tape[3:], cards=(card,)), "character:boromir")
    assert hits(game) == (0, 0)
    assert position.fight(1, 1, 1, *tape[3:], cards=(card,)).decision == Decision.CEASE


@each(*cards("fp-char", 11, 15, 16))
def test_combat_daring_defiance(card):
    """fp-char-11, fp-char-15, fp-char-16."""
    position = shadow_attacks({"sauron": 1}, {"gondor": 1, "gondor_leader": 1}, card, "sh-strat-01")
    assert not position.offers(card)
    position.place("strider", "north-ithilien").place("meriadoc", "north-ithilien")
    # Deadly Strife is void: 3 + 2 does not hit; of four Leadership only the Leader's is left.
    game = position.fight(3, 3, 3, 3, cards=(card, "sh-strat-01"))
    assert hits(game) == (0, 0)
    # Without an enemy card the Companions still forfeit.
    assert hits(position.fight(1, 1, 1, 6, cards=(card,))) == (1, 0)


@each("fp-char-12")
def test_combat_fateful_strike(card):
    """fp-char-12."""
    assert not shadow_attacks({"sauron": 3, "nazgul": 1}, {"gondor": 2}, card).offers(card)
    position = shadow_attacks({"sauron": 3, "nazgul": 1}, {"gondor": 2, "gondor_leader": 2}, card)
    position.place("mouth-of-sauron", "dagorlad")
    game = position.fight(5, 5, 5, 1, 1, 5, 1, cards=(card,))
    assert legal(game) == {"figure:sauron-nazgul"}  # one hit, and no choice to spare it
    play(game, "figure:sauron-nazgul")
    assert hits(game) == (1, 3) and figures(game, "dagorlad") == {"sauron": 3}  # the hit keeps its effect
    game = position.fight(5, 5, 5, 1, 1, 5, 5, cards=(card,))
    assert legal(game) == {"figure:sauron-nazgul", "character:mouth-of-sauron"}
    play(game, "character:mouth-of-sauron")
    assert hits(game) == (2, 3) and where(game, "mouth-of-sauron") == "eliminated"
    assert position.fight(5, 5, 5, 6, 1, 1, cards=(card,)).decision == Decision.CASUALTY

    # The Witch-king is a Minion here, no Nazgul; a Minion "may" be chosen.
    position = shadow_attacks({"sauron": 3}, {"gondor": 2, "gondor_leader": 2}, card)
    position.place("witch-king", "dagorlad")
    assert position.fight(5, 5, 5, 1, 1, 5, 1, cards=(card,)).decision == Decision.CASUALTY
    game = position.fight(5, 5, 5, 1, 1, 5, 5, cards=(card,))
    assert legal(game) == {"character:witch-king", "verb:decline"}


@each("fp-char-14", "fp-char-22", "fp-strat-11")
def test_combat_sudden_strike(card):
    """fp-char-14, fp-char-22, fp-strat-11."""
    assert not shadow_attacks({"sauron": 3}, {"gondor": 1}, card).offers(card)
    position = shadow_attacks({"sauron": 3, "sauron_elite": 1}, {"gondor": 1, "gondor_leader": 2}, card)
    position.place("meriadoc", "north-ithilien")
    game = position.fight(5, 5, 4, cards=(card,))  # 3 Leadership
    assert (game.side, game.decision) == (Side.SHADOW, Decision.CASUALTY)
    play(game, "figure:sauron-regular")
    game.with_tape([1, 1, 1, 5])  # the two units left roll; the Leadership still serves the re-roll
    play(game, "figure:sauron-regular")
    assert figures(game, "dagorlad") == {"sauron": 1, "sauron_elite": 1}
    assert hits(game) == (1, 0)


@each(*cards("fp-char", 17, 23, 24))
def test_combat_brave_stand(card):
    """fp-char-17, fp-char-23, fp-char-24."""
    position = shadow_attacks({"sauron": 4}, {"gondor": 1, "gondor_leader": 1}, card)
    assert not position.offers(card)
    position.place("meriadoc", "north-ithilien").place("peregrin", "north-ithilien")
    assert hits(position.fight(5, 5, 5, cards=(card,))) == (1, 2)  # 4 dice less 2
    position = shadow_attacks({"sauron": 2}, {"gondor": 1}, card)
    position.place("meriadoc", "north-ithilien").place("peregrin", "north-ithilien")
    assert hits(position.fight(5, 5, cards=(card,))) == (1, 1)  # never below 1


@each("fp-char-19")
def test_combat_ents_rage(card):
    """fp-char-19."""
    assert not shadow_attacks({"sauron": 1}, {"gondor": 1}, card).offers(card)
    # +2 to the Combat roll, not to the re-roll.
    assert hits(rohan(card, fp={"rohan": 2, "rohan_leader": 1}).fight(1, 3, 2, 4, cards=(card,))) == (1, 0)


@each(*cards("fp-char", 19, 20, 21))
def test_combat_ents_rage_huorn_dark_nameless_wood_places(card):
    """fp-char-19, fp-char-20, fp-char-21."""
    near = {"origin": "westemnet", "at": "fangorn"}
    assert shadow_attacks({"isengard": 1}, {"rohan": 1}, card, **near).offers(card)
    orthanc = {"origin": "fords-of-isen", "at": "orthanc"}
    assert free_peoples_attack({"rohan": 1}, {"isengard": 1}, card, **orthanc).offers(card, "verb:fight")
    gap = {"origin": "fords-of-isen", "at": "gap-of-rohan"}
    assert not free_peoples_attack({"rohan": 1}, {"isengard": 1}, card, **gap).offers(card)


@each("fp-char-20")
def test_combat_huorn_dark(card):
    """fp-char-20."""
    position = rohan(card, sh={"isengard": 5}, fp={"rohan": 3})
    assert hits(position.fight(5, 5, 1, 1, 1, cards=(card,))) == (0, 2)
    assert not shadow_attacks({"sauron": 1}, {"gondor": 1}, card).offers(card)


@each("fp-char-21")
def test_combat_nameless_wood(card):
    """fp-char-21."""
    assert hits(rohan(card, sh={"isengard": 4}).fight(1, 1, 1, 1, 5, cards=(card,))) == (3, 0)
    position = rohan(card, sh={"isengard": 4}, fp={"rohan": 1, "rohan_leader": 1})
    assert hits(position.fight(1, 1, 1, 1, 1, 5, cards=(card,))) == (3, 0)  # by the re-roll
    assert hits(rohan(card).fight(1, 1, cards=(card,))) == (0, 0)
    assert not shadow_attacks({"sauron": 1}, {"gondor": 1}, card).offers(card)


@each(*cards("fp-strat", 1, 15, 16))
def test_combat_daylight(card):
    """fp-strat-01, fp-strat-15, fp-strat-16."""
    position = shadow_attacks({"sauron": 5}, {"gondor": 4}, card)
    assert hits(position.fight(5, 5, 5, 1, 1, 1, 1, cards=(card,))) == (0, 3)
    position = shadow_attacks({"sauron": 2}, {"gondor": 4}, card)
    assert hits(position.fight(5, 5, 1, 1, 1, 1, cards=(card,))) == (0, 2)


@each(*cards("fp-strat", 2, 10))
def test_combat_no_quarter(card):
    """fp-strat-02, fp-strat-10."""
    position = shadow_attacks({"sauron": 3}, {"gondor": 1, "gondor_leader": 1}, card)
    assert hits(position.fight(1, 1, 1, 5, cards=(card,))) == (2, 0)
    assert hits(position.fight(1, 1, 1, 1, 5, cards=(card,))) == (2, 0)
    assert hits(position.fight(1, 1, 1, 1, 1, cards=(card,))) == (0, 0)


@each(*cards("fp-strat", 3, 4, 20, 21))
def test_combat_advantageous_position(card):
    """fp-strat-03, fp-strat-04, fp-strat-20, fp-strat-21."""
    assert not shadow_attacks({"sauron": 1}, {"gondor": 1}, card).offers(card)
    # 5 - 1 misses, a natural 6 hits; the re-roll is not changed.
    position = rohan(card, sh={"isengard": 3, "nazgul": 1})
    assert hits(position.fight(6, 5, 1, 1, 5, cards=(card,))) == (0, 2)
    # It also serves an attacker whose enemy stands in a Free Peoples nation.
    position = free_peoples_attack({"rohan": 1}, {"isengard": 1}, card, origin="eastemnet", at="westemnet")
    assert hits(position.fight(1, 5, cards=(card,))) == (0, 0)


@each(*cards("fp-strat", 5, 9, 17))
def test_combat_scouts(card):
    """fp-strat-05, fp-strat-09, fp-strat-17."""
    position = shadow_attacks({"sauron": 5}, {"gondor": 2, "gondor_leader": 1}, card)
    position.place("strider", "north-ithilien")
    game = position.fight(cards=(card,))
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.COMBAT_CHOICE)
    names = {"dead-marshes", "eastern-emyn-muil", "osgiliath", "south-ithilien"}
    assert legal(game) == {f"region:{name}" for name in names}
    play(game, "region:osgiliath", "verb:done")
    assert figures(game, "osgiliath") == {"gondor": 2, "gondor_leader": 1}
    assert where(game, "strider") == "osgiliath"
    assert game.decision == Decision.ADVANCE_FIGURES and zone(game, card) == CardZone.DISCARD
    play(game, "verb:whole-army")
    assert figures(game, "north-ithilien") == {"sauron": 5}


@each(*cards("fp-strat", 5, 9, 17))
def test_combat_scouts_withdraw_into_a_stronghold(card):
    """fp-strat-05, fp-strat-09, fp-strat-17."""
    position = shadow_attacks({"sauron": 2}, {"gondor": 2}, card, origin="osgiliath", at="minas-tirith")
    game = position.fight(cards=(card,), first=("verb:fight",))
    assert legal(game) == {"verb:withdraw", "region:druadan-forest", "region:lossarnach"}
    play(game, "verb:withdraw", "verb:whole-army")
    assert figures(game, "minas-tirith") == {"gondor": 2, "sauron": 2}
    assert game.decision == Decision.ACTION_DIE


@each(*cards("fp-strat", 5, 9, 17))
def test_combat_scouts_only_for_a_defender_in_the_field(card):
    """fp-strat-05, fp-strat-09, fp-strat-17."""
    assert not free_peoples_attack({"gondor": 1}, {"southrons": 1}, card).offers(card)
    siege = {"origin": "minas-tirith", "at": "minas-tirith"}
    assert not shadow_attacks({"sauron": 1}, {"gondor": 1}, card, **siege).offers(card)


@each(*cards("fp-strat", 6, 7, 18, 19))
def test_combat_shield_wall(card):
    """fp-strat-06, fp-strat-07, fp-strat-18, fp-strat-19."""
    position = shadow_attacks({"sauron": 3}, {"gondor": 3}, card)
    assert hits(position.fight(5, 5, 5, 1, 1, 1, cards=(card,))) == (0, 2)
    assert hits(position.fight(5, 5, 1, 1, 1, 1, cards=(card,))) == (0, 1)
    assert hits(position.fight(5, 1, 1, 1, 1, 1, cards=(card,))) == (0, 1)


@each(*cards("fp-strat", 8, 12))
def test_combat_confusion(card):
    """fp-strat-08, fp-strat-12."""
    position = shadow_attacks({"sauron": 4, "nazgul": 3}, {"gondor": 2}, card)
    # Two natural 1s hit the Shadow; only the 3 and the 4 may be re-rolled although there are 3 Nazgul.
    assert hits(position.fight(1, 1, 3, 4, 2, 2, 5, 2, cards=(card,))) == (2, 1)
    # A natural 1 of the re-roll, or of the Free Peoples, is only a miss.
    assert hits(position.fight(5, 5, 5, 4, 1, 1, 1, cards=(card,))) == (0, 3)


@each(*cards("fp-strat", 13, 14))
def test_combat_charge(card):
    """fp-strat-13, fp-strat-14."""
    assert not shadow_attacks({"sauron": 3}, {"gondor": 3}, card).offers(card)
    position = shadow_attacks({"sauron": 3}, {"gondor": 1, "gondor_elite": 2, "gondor_leader": 1}, card)
    game = position.fight(5, 4, cards=(card,))  # two Elites, no re-roll
    assert (game.side, game.decision) == (Side.SHADOW, Decision.CASUALTY)
    game.with_tape([6, 1, 6, 1, 1, 1])
    play(game, "figure:sauron-regular")
    assert figures(game, "dagorlad") == {"sauron": 2}
    assert hits(game) == (1, 1)


@each(*cards("fp-strat", 22, 23, 24))
def test_combat_valour(card):
    """fp-strat-22, fp-strat-23, fp-strat-24."""
    assert not shadow_attacks({"sauron": 3}, {"gondor": 3}, card).offers(card)
    position = shadow_attacks({"sauron": 1}, {"gondor": 1, "gondor_elite": 1, "gondor_leader": 1}, card)
    assert hits(position.fight(1, 4, 3, 4, cards=(card,))) == (1, 0)  # not the re-roll


def zone(game, name):
    return game.state.card_zone[card(name)]
