"""Descriptions of the parts of the Duel for people: skills, cards, landmarks, tokens, ring track."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wotr_env.core.spelling import counted
from wotr_env.games.duel.components import DATA, SKILL_NAMES, SKILLS, SUMMIT, TOKEN_IDS, TOKEN_TITLES

COLOURS = {
    "grey": "gives skills, which pay for later cards and landmarks",
    "yellow": "gives coins",
    "blue": "gives steps of the ring track",
    "green": "has a race. Two of one race or three different races give a token; six different races win",
    "red": "places units in one of two regions",
    "purple": "makes maneuvers: it removes enemy units, takes coins from the opponent, or moves your units",
}
"""The effect of the cards of each colour."""
_TOKENS = {
    "again-yellow": "Each time you play a yellow card: another turn.",
    "any-banner": "The units of your red cards go to any region.",
    "any-skill": "You have one more skill of any kind for each cost.",
    "again": "Once, immediately: you have another turn.",
    "raze": "Once, immediately: remove an enemy fortress.",
    "maneuvers": "Once, immediately: three maneuvers, each of any kind.",
    "eagle": "Counts as one more race for the six that win.",
    "unit-blue": "Each time you play a blue card: a unit in any region.",
    "coins-chain": "Each time you play a card for free by its chain: three coins.",
    "step-yellow": "Each time you play a yellow card: a step of the ring track.",
    "unit-red": "Each of your red cards places one unit more.",
    "double-discard": "Cards that you discard pay twice as many coins.",
    "no-surcharge": "Your fortresses do not make landmarks more expensive.",
    "again-landmark": "Each time you take a landmark: another turn.",
    "moves-green": "Each time you play a green card: two moves.",
    "steps": "Once, immediately: two steps of the ring track.",
    "units": "Once, immediately: two units, each in any region.",
    "revive": "Once, immediately: play a card from the discard pile for free.",
}
TOKENS = {name: (title, _TOKENS[name]) for name, title in zip(TOKEN_IDS, TOKEN_TITLES, strict=True)}
"""A title and a sentence of each token."""
BONUSES = {3: ("coin", "a coin"), 6: ("unit", "a unit in any region"), 9: ("turn", "another turn")} | {
    12: ("fort", "an enemy fortress is removed"),
    SUMMIT: ("win", "the game is won"),
}
"""The bonuses of the steps of the ring track: a short and a long description."""
LANDMARKS = {each["id"]: each for each in DATA["landmarks"]}
CARDS = {card["id"]: card for card in DATA["cards"]}


def named(name: str) -> str:
    """The words, beginning with a capital letter."""
    return name.capitalize()


def maneuvers(numbers: Sequence[int]) -> list[str]:
    """The maneuvers of a card: ``2 removals``, ``1 coin lost``, ``1 move``."""
    removed, coins, moved = numbers
    parts = (counted(removed, "removal"), f"{counted(coins, 'coin')} lost", counted(moved, "move"))
    return [part for part, number in zip(parts, numbers, strict=True) if number]


def effects(landmark: dict[str, Any]) -> list[str]:
    """The effects of a landmark, each in a few words."""
    said = []
    for name, *numbers in landmark["effects"]:
        if name == "maneuvers":
            said.append(counted(numbers[2], "move"))
        elif name == "units_at":
            said.append(counted(numbers[0], "unit"))
        elif name in ("coins", "steps"):
            said.append(counted(numbers[0], name[:-1]))
        else:
            said.append(_EFFECTS[name])
    return said


_EFFECTS = {
    "look": "an alliance token",
    "strip": "a grey card is lost",
    "revive": "a discarded card",
}
_SENTENCES = {
    "look": "you look at the tokens of a race and take one",
    "strip": "the opponent discards a grey card of your choice",
    "revive": "you play a card from the discard pile for free",
}


def cost(written: str) -> str:
    """A printed cost: ``1 coin, ruse, ruse``."""
    coins = "".join(each for each in written if each.isdigit())
    parts = [counted(int(coins), "coin")] if coins else []
    return ", ".join(parts + [SKILL_NAMES[SKILLS.index(each)] for each in written[len(coins) :]]) or "nothing"


def gives(card: dict[str, Any]) -> str:
    """The skills or units that a card gives: ``knowledge or leadership``, ``2 units in Gondor or Mordor``."""
    if "skills" in card:
        names = [SKILL_NAMES[SKILLS.index(each)] for each in card["skills"] if each in SKILLS]
        return (" or " if "/" in card["skills"] else " and ").join(names)
    if "units" in card:
        return f"{counted(card['units'], 'unit')} in {' or '.join(map(named, card['regions']))}"
    if "maneuvers" in card:
        return ", ".join(maneuvers(card["maneuvers"]))
    if "race" in card:
        return f"the {card['race']}"
    return next(counted(card[noun], noun[:-1]) for noun in ("coins", "steps") if noun in card)


def _prices(price: Sequence[int]) -> str:
    return f"Now {counted(price[0], 'coin')} for the Fellowship, {price[1]} for Sauron."


def card_tip(name: str, price: Sequence[int] | None = None) -> str:
    """The description of a card: its title, and further text after a line break.

    Args:
        name: the name of the card.
        price: the number of coins that each side would pay for the card now; None: the card is not for sale.
    """
    card = CARDS[name]
    said = [f"Cost: {cost(card['cost'])}."]
    if "chain" in card:
        said.append(f"Free for a player who has the {card['chain']}.")
    if "gives" in card:
        said.append(f"It gives the {card['gives']}, which makes a later card free.")
    if price is not None:
        said.append(_prices(price))
    return f"{named(card['color'])} card {name}: {gives(card)}\n{' '.join(said)}"


def cover_tip(cover: Sequence[str | None], becomes: str) -> str:
    """The description of the cards that cover a card; empty if there are none.

    Args:
        cover: the names of the covering cards; None: an unknown card.
        becomes: the state of the covered card after these cards have been taken.
    """
    if not cover:
        return ""
    on = [f"the {CARDS[name]['color']} card {name}" if name else "a card face down" for name in cover]
    return f"Covered by {' and '.join(on)}; {becomes} when {'they are' if len(on) > 1 else 'it is'} taken."


def landmark_tip(name: str, price: Sequence[int] | None = None) -> str:
    """The description of a landmark, in the form of ``card_tip``."""
    tile = LANDMARKS[name]
    said = [f"A fortress in {named(tile['region'])}"]
    for effect, short in zip(tile["effects"], effects(tile), strict=True):
        said.append(_SENTENCES.get(effect[0], f"{short} there" if effect[0] == "units_at" else short))
    end = f" {_prices(price)}" if price else ""
    return f"{tile['name']}\n{', '.join(said)}. Cost: {cost(tile['cost'])}.{end}"


def token_tip(name: str) -> str:
    """The description of a token, in the form of ``card_tip``."""
    title, sentence = TOKENS[name]
    return f"Token: {title}\n{sentence}"
