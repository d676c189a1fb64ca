"""Battles with Combat cards for rules tests: two armies, a card for each side, fixed dice."""

from __future__ import annotations

from tests.positions import Position, attack, legal, play, region
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.codes import Decision, Side
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX

NATIONS = ("dwarves", "elves", "gondor", "north", "rohan", "sauron", "isengard", "southrons")


class Battle(Position):
    """A position in which ``attacker`` attacks from ``origin``; cards by id go to the hand of their side."""

    def __init__(
        self,
        attacker: Side,
        fp: dict[str, int],
        sh: dict[str, int],
        *cards: str | None,
        origin: str,
        at: str,
        **options: object,
    ) -> None:
        super().__init__(Ruleset(ask_single=True, **options))
        self.route = ("army" if attacker == Side.SHADOW else "army-muster", origin, at)
        self.at_war(*NATIONS)
        self.army(at if attacker == Side.SHADOW else origin, **fp)
        self.army(origin if attacker == Side.SHADOW else at, **sh)
        for place, side in ((origin, attacker), (at, Side(1 - attacker))):
            if origin != at and SETTLEMENT_INDEX[region(place)] >= 0:
                self.control(place, side)
        if attacker == Side.SHADOW:
            self.dice("", "army army army")
        else:
            self.dice("army_muster army_muster army_muster", "")
        for card in filter(None, cards):
            self.hand(side_of(card), card)

    def fight(self, *tape: int, cards: tuple[str, ...] = (), first: tuple[str, ...] = ()) -> Game:
        """Attacks; plays ``first``, then commits these cards and no others in round 1."""
        game = attack(self.game(*tape), *self.route)
        play(game, *first)
        return commit(game, *cards)

    def offers(self, card: str, *first: str) -> bool:
        """Whether its side is offered the card in round 1."""
        game = play(attack(self.game(), *self.route), *first)
        while game.decision == Decision.COMBAT_CARD:
            if game.side == side_of(card):
                return f"card:{card}" in legal(game)
            play(game, "verb:decline")
        return False


def side_of(card: str) -> Side:
    return Side.FREE_PEOPLES if card.startswith("fp") else Side.SHADOW


def shadow_attacks(
    sh: dict[str, int],
    fp: dict[str, int],
    *cards: str | None,
    origin: str = "dagorlad",
    at: str = "north-ithilien",
    **options: object,
) -> Battle:
    return Battle(Side.SHADOW, fp, sh, *cards, origin=origin, at=at, **options)


def free_peoples_attack(
    fp: dict[str, int],
    sh: dict[str, int],
    *cards: str | None,
    origin: str = "osgiliath",
    at: str = "south-ithilien",
    **options: object,
) -> Battle:
    return Battle(Side.FREE_PEOPLES, fp, sh, *cards, origin=origin, at=at, **options)


def commit(game: Game, *cards: str) -> Game:
    """Commits these cards when their sides are asked; other sides decline."""
    while game.decision == Decision.COMBAT_CARD:
        mine = [card for card in cards if side_of(card) == game.side]
        play(game, f"card:{mine[0]}" if mine else "verb:decline")
    return game


def hits(game: Game) -> tuple[int, int]:
    """The hits of the Free Peoples and of the Shadow in this round, with the tape used up."""
    assert game.state.tape_length == 0, "dice are left on the tape"
    return tuple(int(count) for count in game.state.hits)
