"""A position of the Duel drawn, from ``picture`` alone: cards, regions, ring track, landmarks, both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from wotr_env.duel.components import (
    BONUS_STEP,
    DATA,
    NUM_CHAPTERS,
    RACES,
    REGIONS,
    SIDES,
    SKILL_NAMES,
    SKILLS,
    SUMMIT,
)
from wotr_env.duel.picture import picture
from wotr_env.shapes import Box, Disc, Drawing, Shape, Stroke, Words

WIDTH, HEIGHT = 1280, 800
ROWS = ((2, 3, 4, 5, 6), (6, 5, 4, 3, 2), (2, 3, 4, 2, 4, 3, 2))
"""Cards in each row of a chapter, from the far end."""
WIDE_ROW = (2, 3)
"""Chapter and row whose cards lie two places apart."""

_GROUND, _PANEL, _EDGE = "#20241f", "#2b302a", "#454c42"
_TEXT, _FAINT, _GOLD = "#ece6d6", "#a9a892", "#e3bf63"
_SIDE = {"fellowship": "#4f8fd6", "sauron": "#cf4a3c"}
_CARD = {
    "grey": ("#8b9096", "#14171a"),
    "yellow": ("#d9ab3a", "#221a04"),
    "blue": ("#3f74b5", "#ffffff"),
    "green": ("#4c8a4a", "#ffffff"),
    "red": ("#b5443a", "#ffffff"),
    "purple": ("#7d559e", "#ffffff"),
}
"""Of cards: their ground and the ink on it."""
_SKILL = {
    "ruse": ("#5b4a7d", "#ffffff"),
    "strength": ("#a6402f", "#ffffff"),
    "courage": ("#c9762b", "#ffffff"),
    "knowledge": ("#2f6fa3", "#ffffff"),
    "leadership": ("#3f7d4d", "#ffffff"),
}
_COIN, _COIN_INK = "#f0cf6a", "#3a2b05"
_BACK, _BACK_LINE = "#4b4437", "#786d58"
_CARD_WIDTH, _CARD_HEIGHT, _STEP_X, _STEP_Y = 97, 104, 103, 70
_LONG = 18
"""Letters of two regions that need smaller ones."""
_CARDS = {card["id"]: card for card in DATA["cards"]}
_LANDMARKS = {each["id"]: each for each in DATA["landmarks"]}
_PLACES = {
    "lindon": (716, 124),
    "arnor": (858, 124),
    "rhovanion": (1076, 124),
    "enedwaith": (858, 232),
    "rohan": (1006, 232),
    "gondor": (930, 340),
    "mordor": (1146, 310),
}
"""The middle of each region."""
_REGION_WIDTH, _REGION_HEIGHT = 118, 60


def draw(state: np.record, viewer: int | None) -> Drawing:
    """A position as a viewer may see it (``wotr_env.kind.check_viewer``).

    Raises:
        ValueError: there is no such viewer.
    """
    return drawing_of(picture(state, viewer))


def drawing_of(shown: dict[str, Any]) -> Drawing:
    """What ``picture`` tells, drawn."""
    headline = f"Chapter {shown['chapter']} of {NUM_CHAPTERS}, turn {shown['turn']}: {shown['words']}"
    shapes: list[Shape] = [
        Box(0, 0, WIDTH, 40, "#171a16"),
        Words(16, 20, headline, 17, _TEXT),
    ]
    for part in (_layout, _discard, _map, _ring, _tiles, _piles):
        shapes += part(shown)
    for number, name in enumerate(SIDES):
        shapes += _side(shown, name, 12 + number * 632, 612)
    return Drawing(WIDTH, HEIGHT, _GROUND, headline, tuple(shapes))


def slot_place(chapter: int, slot: int) -> tuple[float, float]:
    """The middle of a slot in places from the middle line of its chapter (0 to 2), and its row from 0."""
    row = 0
    while slot >= ROWS[chapter][row]:
        slot -= ROWS[chapter][row]
        row += 1
    apart = 2 if (chapter, row) == WIDE_ROW else 1
    return apart * (slot - (ROWS[chapter][row] - 1) / 2), row


def _layout(shown: dict[str, Any]) -> Iterator[Shape]:
    """The cards of the chapter, those at the far end behind the others."""
    chapter = shown["chapter"] - 1
    top = 52 if len(ROWS[chapter]) > len(ROWS[0]) else 96
    seat = SIDES.index(shown["seat"])
    for number, slot in enumerate(shown["slots"]):
        if slot is not None:
            across, row = slot_place(chapter, number)
            x = 322 + across * _STEP_X - _CARD_WIDTH / 2
            yield from _card(x, top + row * _STEP_Y, slot, seat)


def _card(x: float, y: float, slot: dict[str, Any], seat: int) -> Iterator[Shape]:
    """A card of the layout, with the price for the seat whose turn it is if it can be taken."""
    if slot["card"] is None:
        yield Box(x, y, _CARD_WIDTH, _CARD_HEIGHT, _BACK, _BACK_LINE, 7, 1.5)
        yield Box(x + 6, y + 6, _CARD_WIDTH - 12, _CARD_HEIGHT - 12, _BACK, _BACK_LINE, 4)
        yield Disc(x + _CARD_WIDTH / 2, y + 36, 13, _BACK, _BACK_LINE, 2)
        return
    card = _CARDS[slot["card"]]
    ground, ink = _CARD[card["color"]] if slot["up"] else (_BACK, _TEXT)
    edge, thick = (_GOLD, 2.5) if slot["accessible"] else ("#14160f", 1)
    yield Box(x, y, _CARD_WIDTH, _CARD_HEIGHT, ground, edge, 7, thick)
    yield Words(x + _CARD_WIDTH - 7, y + 13, card["id"], 10, ink, "end")
    yield from _cost(x + 12, y + 13, card["cost"])
    yield from _yield_of(x + _CARD_WIDTH / 2, y + 39, card, ink)
    if "gives" in card or "chain" in card:
        chains = [f"gives {card['gives']}"] if "gives" in card else []
        chains += [f"free: {card['chain']}"] if "chain" in card else []
        for number, chain in enumerate(chains):
            yield Words(x + 7, y + 60 + 16 * number, chain, 9.5, ink)
    if slot["accessible"] and slot["price"] is not None:
        yield from _coins(x + _CARD_WIDTH - 13, y + _CARD_HEIGHT - 13, slot["price"][seat])


def _cost(x: float, y: float, cost: str) -> Iterator[Shape]:
    """The printed cost: coins, then skills; from a middle to the right."""
    coins = "".join(each for each in cost if each.isdigit())
    if coins:
        yield Disc(x, y, 6.5, _COIN, "#7a5c10")
        yield Words(x, y, coins, 9.5, _COIN_INK, "middle")
        x += 14
    for letter in cost[len(coins) :]:
        yield from _symbol(x, y, letter, 5)
        x += 10.5


def _symbol(x: float, y: float, letter: str, radius: float) -> Iterator[Shape]:
    fill, ink = _SKILL[SKILL_NAMES[SKILLS.index(letter)]]
    yield Disc(x, y, radius, fill, "#f4efe2", 0.8)
    yield Words(x, y, letter, radius * 1.5, ink, "middle")


def _yield_of(x: float, y: float, card: dict[str, Any], ink: str) -> Iterator[Shape]:
    """What a card gives, around a middle."""
    if "skills" in card:
        letters = card["skills"].split("/") if "/" in card["skills"] else list(card["skills"])
        left = x - 12 * (len(letters) - 1)
        for number, letter in enumerate(letters):
            yield from _symbol(left + 24 * number, y, letter, 8.5)
            if "/" in card["skills"] and number:
                yield Words(left + 24 * number - 12, y, "/", 12, ink, "middle")
    elif "units" in card:
        yield Words(x, y - 8, _counted(card["units"], "unit"), 13, ink, "middle")
        regions = "/".join(card["regions"])
        yield Words(x, y + 7, regions, 9.5 if len(regions) < _LONG else 8.5, ink, "middle")
    elif "maneuvers" in card:
        removed, coins, moved = card["maneuvers"]
        parts = ((removed, "removal"), (coins, "coin lost"), (moved, "move"))
        lines = [
            f"{count} coins lost" if noun == "coin lost" and count > 1 else _counted(count, noun)
            for count, noun in parts
            if count
        ]
        for number, line in enumerate(lines):
            yield Words(x, y - 9 + 13 * number, line, 11, ink, "middle")
    else:
        text = card.get("race") or next(
            _counted(card[noun], noun[:-1]) for noun in ("coins", "steps") if noun in card
        )
        yield Words(x, y, text, 14, ink, "middle")


def _coins(x: float, y: float, coins: int) -> Iterator[Shape]:
    yield Disc(x, y, 9, _COIN, "#7a5c10", 1.5)
    yield Words(x, y, str(coins), 11.5, _COIN_INK, "middle")


def _discard(shown: dict[str, Any]) -> Iterator[Shape]:
    """The discard, by colours."""
    colours = [_CARDS[card]["color"] for card in shown["discard"]]
    yield Words(16, 566, f"Discard {len(colours)}", 12, _FAINT)
    x = 16.0
    for colour, (ground, ink) in _CARD.items():
        if count := colours.count(colour):
            yield Box(x, 580, 22, 18, ground, "", 3)
            yield Words(x + 11, 589, str(count), 10.5, ink, "middle")
            x += 25


def _map(shown: dict[str, Any]) -> Iterator[Shape]:
    """The seven regions with units and fortresses."""
    yield Box(644, 52, 624, 334, _PANEL, _EDGE, 8)
    for one, other in DATA["connections"]:
        yield Stroke(*_PLACES[one], *_PLACES[other], "#6d725f", 3)
    for name in REGIONS:
        region = shown["regions"][name]
        x, y = _PLACES[name]
        left, top = x - _REGION_WIDTH / 2, y - _REGION_HEIGHT / 2
        holder = region["fortress"] or next(
            (side for side, units in zip(SIDES, region["units"], strict=True) if units), None
        )
        edge = _SIDE[holder] if holder else _EDGE
        yield Box(left, top, _REGION_WIDTH, _REGION_HEIGHT, "#39402f", edge, 9, 2.5)
        yield Words(x, top + 15, _named(name), 13.5, _TEXT, "middle")
        at = left + 24
        for side, units in zip(SIDES, region["units"], strict=True):
            if units:
                yield Disc(at, top + 41, 12, _SIDE[side], "#ffffff", 1.2)
                yield Words(at, top + 41, str(units), 13.5, "#ffffff", "middle")
                at += 32
        if region["fortress"]:
            yield from _fortress(left + _REGION_WIDTH - 26, top + 41, _SIDE[region["fortress"]])


def _fortress(x: float, y: float, colour: str) -> Iterator[Shape]:
    """A tower with battlements."""
    for offset in (-10, -3, 4):
        yield Box(x + offset, y - 13, 6, 8, colour, "#ffffff", 0, 1)
    yield Box(x - 10, y - 7, 20, 19, colour, "#ffffff", 0, 1)
    yield Box(x - 3, y + 3, 6, 9, "#14160f")


def _ring(shown: dict[str, Any]) -> Iterator[Shape]:
    """The ring track: a cell a step, the bonuses ringed in gold."""
    yield Box(644, 394, 624, 64, _PANEL, _EDGE, 8)
    yield Words(654, 426, "Ring track", 12, _FAINT)
    for step in range(SUMMIT + 1):
        x = 744 + step * 36
        bonus = step in BONUS_STEP or step == SUMMIT
        yield Box(x - 16, 400, 32, 52, "#39402f", _GOLD if bonus else _EDGE, 5, 2 if bonus else 1)
        yield Words(x, 426, str(step), 9.5, _GOLD if bonus else _FAINT, "middle")
        for row, side in enumerate(SIDES):
            if shown["sides"][side]["ring"] == step:
                yield Disc(x, 410 + 32 * row, 7.5, _SIDE[side], "#ffffff", 1.5)


def _tiles(shown: dict[str, Any]) -> Iterator[Shape]:
    """The landmarks shown, with the price for the seat whose turn it is."""
    seat = SIDES.index(shown["seat"])
    for number, tile in enumerate(shown["landmarks"]):
        x, y, landmark = 644 + number * 210, 466, _LANDMARKS[tile["id"]]
        yield Box(x, y, 204, 66, "#4a4030", "#8d7a4f", 7, 1.5)
        yield Words(x + 10, y + 14, landmark["name"], 14, _TEXT)
        yield Words(x + 194, y + 14, _named(landmark["region"]), 11, _FAINT, "end")
        yield from _cost(x + 16, y + 34, landmark["cost"])
        yield Words(x + 10, y + 53, _effects(landmark["effects"]), 10, _TEXT)
        yield from _coins(x + 190, y + 36, tile["price"][seat])


def _effects(effects: Sequence[Sequence[Any]]) -> str:
    """The effects of a landmark in a few words."""
    said = []
    for name, *numbers in effects:
        if name == "maneuvers":
            said.append(_counted(numbers[2], "move"))
        elif name == "units_at":
            said.append(_counted(numbers[0], "unit"))
        elif name in ("coins", "steps"):
            said.append(_counted(numbers[0], name[:-1]))
        else:
            said.append(_EFFECTS[name])
    return ", ".join(said)


_EFFECTS = {"look": "an alliance token", "strip": "a grey card is lost", "revive": "a card of the discard"}


def _piles(shown: dict[str, Any]) -> Iterator[Shape]:
    """The tokens of each race: how many are left, and those that are known."""
    for number, race in enumerate(RACES):
        x, y, pile = 644 + number * 105, 540, shown["piles"][race]
        yield Box(x, y, 99, 62, _PANEL, _EDGE, 7)
        yield Words(x + 8, y + 12, _named(race), 12, _TEXT)
        yield Words(x + 91, y + 12, str(pile["left"]), 12, _GOLD, "end")
        for row, token in enumerate(pile["known"]):
            yield Words(x + 8, y + 27 + 12.5 * row, token, 10, _FAINT)


def _side(shown: dict[str, Any], name: str, x: float, y: float) -> Iterator[Shape]:
    """What a side has: coins, skills, races, chains, tokens, landmarks, its cards by colour."""
    side, colour = shown["sides"][name], _SIDE[name]
    turn = shown["seat"] == name and not shown["over"]
    yield Box(x, y, 624, 178, _PANEL, _GOLD if turn else _EDGE, 8, 2 if turn else 1)
    yield Box(x, y, 8, 178, colour, "", 4)
    yield Words(x + 22, y + 19, side["title"], 17, _TEXT)
    yield from _coins(x + 150, y + 19, side["coins"])
    yield Words(x + 165, y + 19, "coins", 12, _FAINT)
    regions = [r for r in shown["regions"].values() if r["units"][SIDES.index(name)] or r["fortress"] == name]
    yield Words(x + 225, y + 19, f"ring {side['ring']} of {SUMMIT}", 12, _FAINT)
    yield Words(x + 325, y + 19, f"regions {len(regions)} of {len(REGIONS)}", 12, _FAINT)
    kinds = sum(count > 0 for count in side["races"].values()) + ("eagle" in side["tokens"])
    yield Words(x + 435, y + 19, f"races {kinds} of {len(RACES)}", 12, _FAINT)
    at = x + 30
    for skill, letter in zip(SKILL_NAMES, SKILLS, strict=True):
        yield from _symbol(at, y + 48, letter, 10)
        yield Words(at + 15, y + 48, str(side["skills"][skill]), 14, _TEXT)
        at += 50
    cards = [_CARDS[card] for card in side["cards"]]
    for card in cards:
        if "/" in card.get("skills", ""):
            yield Words(at + 6, y + 48, card["skills"], 13, _TEXT)
            at += 58
    at = x + 430
    for kind, (ground, ink) in _CARD.items():
        count = sum(card["color"] == kind for card in cards)
        yield Box(at, y + 37, 24, 22, ground, "", 3)
        yield Words(at + 12, y + 48, str(count), 12, ink, "middle")
        at += 29
    races = [f"{race} {count}" for race, count in side["races"].items() if count]
    chains = [card["gives"] for card in cards if "gives" in card]
    tiles = [_LANDMARKS[tile]["name"] for tile in side["landmarks"]]
    for row, (title, parts) in enumerate(
        (("races", races), ("chains", chains), ("tokens", side["tokens"]), ("landmarks", tiles))
    ):
        height = y + 82 + 25 * row
        yield Words(x + 22, height, title, 12, _FAINT)
        yield Words(x + 100, height, ", ".join(parts) or "none", 12, _TEXT if parts else _FAINT)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _named(name: str) -> str:
    return name.capitalize()
