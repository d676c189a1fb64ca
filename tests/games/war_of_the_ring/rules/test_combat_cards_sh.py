"""The Combat halves of the Shadow's cards (R7.9, section 22.6)."""

import pytest

from tests.battles import free_peoples_attack, hits, shadow_attacks
from tests.positions import figures, legal, nation, play, where
from wotr_env.games.war_of_the_ring.codes import Decision, Side


def cards(prefix, *numbers):
    return [f"{prefix}-{number:02}" for number in numbers]


def each(*names):
    return pytest.mark.parametrize("card", names)


@each(*cards("sh-char", 1, 2, 3, 4))
def test_combat_one_for_the_dark_lord(card):
    """sh-char-01, sh-char-02, sh-char-03, sh-char-04."""
    position = shadow_attacks({"sauron": 1, "nazgul": 1}, {"gondor": 2}, card)
    assert not position.offers(card)
    position.fellowship("north-ithilien")
    assert hits(position.fight(4, 4, 4, cards=(card,))) == (0, 1)
    assert hits(position.fight(3, 4, 4, 4, cards=(card,))) == (0, 1)
    # On the Mordor Track the Fellowship is in no region.
    position.fellowship(mordor_step=1)
    assert not position.offers(card)


@each(*cards("sh-char", 5, 6, 10, 21))
def test_combat_cruel_as_death(card):
    """sh-char-05, sh-char-06, sh-char-10, sh-char-21."""
    assert not shadow_attacks({"sauron": 1, "nazgul": 1}, {"gondor": 1}, card).offers(card)
    position = shadow_attacks({"sauron": 2, "nazgul": 3}, {"gondor": 1}, card)
    # 4 + 1 hits; of three points one is left for the re-roll, which has no +1.
    assert hits(position.fight(4, 1, 1, 4, cards=(card,))) == (0, 1)
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}, card).place("witch-king", "dagorlad")
    assert position.offers(card)
    # The Mouth of Sauron is no Nazgul.
    position = shadow_attacks({"sauron": 1}, {"gondor": 1}, card).place("mouth-of-sauron", "dagorlad")
    assert not position.offers(card)


@each(*cards("sh-char", 7, 13, 16))
def test_combat_they_are_terrible(card):
    """sh-char-07, sh-char-13, sh-char-16."""
    assert not shadow_attacks({"sauron": 2}, {"gondor": 1}, card).offers(card)
    position = shadow_attacks({"sauron": 2, "nazgul": 2}, {"gondor": 1}, card)
    assert hits(position.fight(4, 4, 1, 4, cards=(card,))) == (0, 1)  # one re-roll is left, with +1


@each(*cards("sh-char", 8, 14, 20))
def test_combat_dread_and_despair(card):
    """sh-char-08, sh-char-14, sh-char-20."""
    assert not shadow_attacks({"sauron": 1}, {"gondor": 4}, card).offers(card)
    position = shadow_attacks({"sauron": 1, "nazgul": 3}, {"gondor": 4}, card)
    game = position.fight(cards=(card,))
    assert (game.side, game.decision) == (Side.SHADOW, Decision.COMBAT_CHOICE)
    assert legal(game) == {"count:1", "count:2", "count:3"}
    game.with_tape([1, 5, 5, 5])  # two FP dice; one point left re-rolls the miss
    assert hits(play(game, "count:2")) == (2, 1)
    game = position.fight(cards=(card,))
    game.with_tape([1, 5])  # nothing left
    assert hits(play(game, "count:3")) == (1, 0)
    position = shadow_attacks({"sauron": 1, "nazgul": 3}, {"gondor": 2}, card)
    game = position.fight(cards=(card,))
    game.with_tape([1, 5])  # at least one die
    assert hits(play(game, "count:3")) == (1, 0)


@each(*cards("sh-char", 9, 22, 24))
def test_combat_foul_stench(card):
    """sh-char-09, sh-char-22, sh-char-24."""
    assert not shadow_attacks({"sauron": 1}, {"gondor": 1}, card).offers(card)
    position = shadow_attacks({"sauron": 1, "nazgul": 1}, {"gondor": 1, "gondor_leader": 1}, card)
    assert hits(position.fight(5, 1, cards=(card,))) == (0, 1)  # equal Leadership: no re-roll
    position.place("meriadoc", "north-ithilien")
    assert hits(position.fight(5, 1, 5, cards=(card,))) == (1, 1)


@each(*cards("sh-char", 11, 12))
def test_combat_black_breath(card):
    """sh-char-11, sh-char-12."""
    assert not shadow_attacks({"sauron": 1}, {"gondor": 1}, card).offers(card)
    position = shadow_attacks({"sauron": 2, "nazgul": 2}, {"gondor": 1, "gondor_leader": 1}, card)
    position.place("meriadoc", "north-ithilien").place("boromir", "north-ithilien")
    # Boromir adds a die; the Free Peoples roll two hits.
    game = position.fight(1, 1, 5, 5, 5, 1, cards=(card,))
    assert legal(game) == {"figure:gondor-leader", "character:meriadoc", "verb:decline"}
    play(game, "character:meriadoc")
    assert where(game, "meriadoc") == "eliminated" and hits(game) == (2, 1)
    game = position.fight(1, 1, 5, 5, 5, 5, cards=(card,))
    everybody = {"figure:gondor-leader", "character:meriadoc", "character:boromir", "verb:decline"}
    assert legal(game) == everybody
    play(game, "figure:gondor-leader")
    assert figures(game, "north-ithilien") == {"gondor": 1} and hits(game) == (2, 2)
    game = play(position.fight(1, 1, 5, 5, 5, 5, cards=(card,)), "verb:decline")
    assert figures(game, "north-ithilien") == {"gondor": 1, "gondor_leader": 1}
    # Hits of the Combat roll are none of the re-roll.
    assert position.fight(5, 5, 5, 5, cards=(card,)).decision == Decision.CASUALTY


@each(*cards("sh-char", 15, 18, 23))
def test_combat_words_of_power(card):
    """sh-char-15, sh-char-18, sh-char-23."""
    position = shadow_attacks({"sauron": 1, "nazgul": 1}, {"gondor": 1, "gondor_leader": 1}, card)
    assert hits(position.fight(5, 1, 5, cards=(card,))) == (1, 1)  # no Companion: nothing to choose
    position.place("strider", "north-ithilien").place("meriadoc", "north-ithilien")
    game = position.fight(cards=(card,))
    assert (game.side, game.decision) == (Side.SHADOW, Decision.COMBAT_CHOICE)
    assert legal(game) == {"character:strider", "character:meriadoc"}
    game.with_tape([5, 1, 5])  # Strider adds no die
    assert hits(play(game, "character:strider")) == (1, 1)
    assert not shadow_attacks({"sauron": 1}, {"gondor": 1}, card).offers(card)


def test_RG40_a_muted_captain_gives_no_strength_for_the_round():
    position = shadow_attacks({"sauron": 1, "nazgul": 1}, {"gondor": 2}, "sh-char-15")
    position.place("strider", "north-ithilien")
    game = position.fight(cards=("sh-char-15",))
    game.with_tape([1, 1, 1, 1])  # 2 FP dice and no FP re-roll
    play(game, "character:strider")
    assert game.decision == Decision.CEASE and hits(game) == (0, 0)
    play(game, "verb:continue")
    game.with_tape([1, 1, 1, 1, 1, 5])  # round 2: 3 dice and his re-roll
    assert hits(play(game, "verb:stay")) == (1, 0)


def test_RG39_words_of_power_on_the_white_rider():
    position = shadow_attacks({"sauron": 1, "nazgul": 2}, {"gondor": 1, "gondor_leader": 1}, "sh-char-15")
    position.fellowship(companions=["legolas"]).place("gandalf-grey", "eliminated")
    position.place("gandalf-white", "north-ithilien")
    game = position.fight(cards=("sh-char-15",), first=("verb:accept",))
    game.with_tape([1, 1, 5])  # no Nazgul re-roll; one re-roll by the Leader
    assert hits(play(game, "character:gandalf-white")) == (1, 0)


@each("sh-char-17")
def test_combat_durins_bane(card):
    """sh-char-17."""
    near = {"origin": "moria", "at": "dimrill-dale"}
    position = shadow_attacks({"sauron": 1}, {"elves": 3, "elves_leader": 1}, card, **near)
    game = position.fight(4, 5, 3, cards=(card,))
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.CASUALTY)
    play(game, "figure:elves-regular")
    game.with_tape([1, 6, 1])  # one unit each, and the Leader's re-roll is not needed
    play(game, "figure:elves-regular")
    assert figures(game, "dimrill-dale") == {"elves": 1, "elves_leader": 1}


@each("sh-char-17")
def test_combat_durins_bane_is_near_moria(card):
    """sh-char-17."""

    def offered(origin, at):
        return shadow_attacks({"sauron": 1}, {"elves_elite": 1}, card, origin=origin, at=at).offers(card)

    assert offered("moria", "hollin") and offered("dimrill-dale", "parth-celebrant")
    assert not offered("parth-celebrant", "fangorn") and not offered("dagorlad", "north-ithilien")


@each("sh-char-19", "sh-strat-03", "sh-strat-05")
def test_combat_devilry_of_orthanc(card):
    """sh-char-19, sh-strat-03, sh-strat-05."""
    siege = {"origin": "helms-deep", "at": "helms-deep"}
    position = shadow_attacks({"isengard": 1, "sauron": 1, "nazgul": 2}, {"rohan": 1}, card, **siege)
    assert hits(position.fight(5, 4, 1, 5, cards=(card,))) == (0, 1)  # 6 is needed; not the re-roll
    assert not shadow_attacks({"sauron": 1}, {"rohan": 1}, card, **siege).offers(card)
    field = {"origin": "westemnet", "at": "eastemnet"}
    assert not shadow_attacks({"isengard": 1}, {"rohan": 1}, card, **field).offers(card)


@each(*cards("sh-strat", 1, 10, 21))
def test_combat_deadly_strife(card):
    """sh-strat-01, sh-strat-10, sh-strat-21."""
    position = shadow_attacks({"sauron": 2, "nazgul": 1}, {"gondor": 2, "gondor_leader": 1}, card)
    assert hits(position.fight(3, 2, 2, 3, 3, 3, cards=(card,))) == (2, 2)
    assert hits(position.fight(1, 1, 1, 1, 2, 1, cards=(card,))) == (0, 0)


@each(*cards("sh-strat", 22, 23, 24))
def test_combat_desperate_battle(card):
    """sh-strat-22, sh-strat-23, sh-strat-24."""
    position = shadow_attacks({"sauron": 2, "nazgul": 1}, {"gondor": 2, "gondor_leader": 1}, card)
    assert hits(position.fight(4, 3, 3, 4, 4, 4, cards=(card,))) == (2, 2)
    assert hits(position.fight(3, 3, 3, 3, 3, 3, cards=(card,))) == (0, 0)


@each(*cards("sh-strat", 2, 19, 20))
def test_combat_onslaught(card):
    """sh-strat-02, sh-strat-19, sh-strat-20."""
    position = shadow_attacks({"sauron": 3, "sauron_elite": 1}, {"gondor": 4}, card)
    game = position.fight(1, 1, 1, 1, 1, 1, 1, 1, cards=(card,))
    assert (game.side, game.decision) == (Side.SHADOW, Decision.COMBAT_CHOICE)
    assert legal(game) == {f"count:{number}" for number in range(5)}
    play(game, "count:2", "figure:sauron-regular")
    game.with_tape([4, 3])
    play(game, "figure:sauron-regular")
    assert figures(game, "dagorlad") == {"sauron": 1, "sauron_elite": 1}
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.CASUALTY)
    play(game, "figure:gondor-regular")
    assert figures(game, "north-ithilien") == {"gondor": 3} and game.decision == Decision.CEASE
    game = play(position.fight(1, 1, 1, 1, 1, 1, 1, 1, cards=(card,)), "count:0")
    assert figures(game, "dagorlad") == {"sauron": 3, "sauron_elite": 1} and game.decision == Decision.CEASE


@each(*cards("sh-strat", 4, 11, 18))
def test_combat_relentless_assault(card):
    """sh-strat-04, sh-strat-11, sh-strat-18."""
    position = shadow_attacks({"sauron": 3}, {"gondor": 1}, card)
    game = position.fight(cards=(card,))
    assert legal(game) == {"count:0", "count:1", "count:2"}
    play(game, "count:2", "figure:sauron-regular")
    game.with_tape([3, 1])  # one unit is left, 3 + 2 hits
    assert hits(play(game, "figure:sauron-regular")) == (0, 1)
    game = position.fight(cards=(card,))
    game.with_tape([4, 4, 4, 1])
    assert hits(play(game, "count:0")) == (0, 0)


@each("sh-strat-02", "sh-strat-04")
def test_RG33_self_hits_may_not_remove_the_last_unit(card):
    def limit(**units):
        game = shadow_attacks(units, {"gondor": 1}, card).fight(1, 1, 1, 1, 1, 1, cards=(card,))
        return len(legal(game)) - 1 if game.decision == Decision.COMBAT_CHOICE else 0

    assert limit(sauron=1, nazgul=2) == 0
    assert limit(sauron=2) == 1
    assert limit(sauron_elite=1) == 1  # it can be reduced
    game = shadow_attacks({"sauron_elite": 1}, {"gondor": 1}, card).fight(1, 1, 1, cards=(card,))
    play(game, "count:1")
    assert legal(game) == {"nation:sauron"}
    game = shadow_attacks({"sauron": 1, "sauron_elite": 1}, {"gondor": 1}, card).fight(1, 1, 1, cards=(card,))
    play(game, "count:2", "figure:sauron-regular")
    assert legal(game) == {"nation:sauron"}


def test_RG33_an_elite_without_a_regular_to_replace_it():
    position = shadow_attacks({"isengard_elite": 1}, {"gondor": 1}, "sh-strat-04")
    position.army("orthanc", isengard=10).army("north-dunland", isengard=2)
    assert position.state.reinforcement_regular[nation("isengard")] == 0
    assert hits(position.fight(1, 1, cards=("sh-strat-04",))) == (0, 0)  # nothing to choose


@each(*cards("sh-strat", 6, 16, 17))
def test_combat_great_host(card):
    """sh-strat-06, sh-strat-16, sh-strat-17."""
    position = shadow_attacks({"sauron": 4}, {"gondor": 3}, card)
    game = position.fight(5, 1, 1, 1, 1, 1, 1, cards=(card,))
    play(game, "figure:gondor-regular")  # four against two after casualties: one more hit
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.CASUALTY)
    play(game, "figure:gondor-regular")
    assert figures(game, "north-ithilien") == {"gondor": 1} and game.decision == Decision.CEASE
    assert position.fight(1, 1, 1, 1, 1, 1, 1, cards=(card,)).decision == Decision.CEASE


@each(*cards("sh-strat", 7, 8))
def test_combat_mumakil(card):
    """sh-strat-07, sh-strat-08."""
    assert not shadow_attacks({"southrons": 2, "sauron_elite": 1}, {"gondor": 2}, card).offers(card)
    position = shadow_attacks({"southrons": 1, "southrons_elite": 1, "nazgul": 1}, {"gondor": 2}, card)
    assert hits(position.fight(4, 3, 1, 1, 4, cards=(card,))) == (0, 2)  # 4 hits, 4 re-rolled does not; +1
    assert hits(position.fight(4, 3, 5, 1, 4, cards=(card,))) == (1, 1)  # not more hits than the enemy
    # A hit of the enemy's extra attack counts for him.
    position = shadow_attacks(
        {"southrons": 2, "southrons_elite": 1}, {"gondor": 2, "gondor_elite": 1}, card, "fp-strat-13"
    )
    game = position.fight(5, cards=(card, "fp-strat-13"))
    game.with_tape([4, 3, 1, 1, 1])
    assert hits(play(game, "figure:southrons-regular")) == (0, 1)


@each(*cards("sh-strat", 9, 12))
def test_combat_swarm_of_bats(card):
    """sh-strat-09, sh-strat-12."""
    position = shadow_attacks({"sauron": 3, "nazgul": 1}, {"gondor": 2}, card, "fp-strat-01")
    # Daylight is void: three dice and more; no +1 to the re-roll.
    position.army("dagorlad", sauron=1)
    assert hits(position.fight(5, 5, 5, 3, 1, 1, 4, cards=(card, "fp-strat-01"))) == (0, 3)
    # The Free Peoples played none: +1 to the re-roll.
    assert hits(position.fight(5, 5, 5, 3, 1, 1, 4, cards=(card,))) == (0, 4)


@each(*cards("sh-strat", 13, 14, 15))
def test_combat_we_come_to_kill(card):
    """sh-strat-13, sh-strat-14, sh-strat-15."""
    assert not shadow_attacks({"sauron": 3}, {"gondor": 3}, card).offers(card)
    position = shadow_attacks({"sauron": 1, "sauron_elite": 2}, {"gondor": 3}, card)
    game = position.fight(1, 1, 1, 5, 1, 1, 5, cards=(card,))
    play(game, "nation:sauron")  # one Elite survives: one die
    assert (game.side, game.decision) == (Side.FREE_PEOPLES, Decision.CASUALTY)
    play(game, "figure:gondor-regular")
    assert figures(game, "north-ithilien") == {"gondor": 2} and game.decision == Decision.CEASE
    game = position.fight(1, 1, 1, 1, 1, 1, 4, 4, cards=(card,))
    assert game.decision == Decision.CEASE and hits(game) == (0, 0)


def test_the_shadow_uses_its_cards_as_a_defender_too():
    position = free_peoples_attack({"gondor": 1}, {"southrons": 1, "nazgul": 2}, "sh-char-05")
    assert hits(position.fight(1, 4, cards=("sh-char-05",))) == (0, 1)
