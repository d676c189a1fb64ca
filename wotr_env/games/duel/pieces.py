"""The elements of drawings of the Duel: symbols, cards, regions, landmarks, chips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from wotr_env.core.palette import BLUE, EDGE, FAINT, PANEL, RAISED, RED, TEXT, pale
from wotr_env.core.shapes import Box, Disc, Shape, Words
from wotr_env.core.spelling import counted
from wotr_env.games.duel.actions import ACTION_NAMES
from wotr_env.games.duel.components import REGIONS, SIDES, SKILL_NAMES, SKILLS
from wotr_env.games.duel.facts import (
    CARDS,
    LANDMARKS,
    card_tip,
    cover_tip,
    effects,
    landmark_tip,
    maneuvers,
    named,
)
from wotr_env.games.duel.ruleset import TEAMS

SIDE = {"fellowship": BLUE, "sauron": RED}
CARD = {
    "grey": ("#8b9096", "#14171a"),
    "yellow": ("#d9ab3a", "#221a04"),
    "blue": ("#3f74b5", "#ffffff"),
    "green": ("#3f7f45", "#ffffff"),
    "red": ("#b5443a", "#ffffff"),
    "purple": ("#7d559e", "#ffffff"),
}
"""The colours of cards: background and ink."""
_COVERED = {colour: pale(ground, 0.42) for colour, (ground, _) in CARD.items()}
"""The background colours of cards that cannot be taken."""
SKILL = {
    "ruse": ("#5b4a7d", "#ffffff"),
    "strength": ("#a6402f", "#ffffff"),
    "courage": ("#b5631d", "#ffffff"),
    "knowledge": ("#2f6fa3", "#ffffff"),
    "leadership": ("#3f7d4d", "#ffffff"),
}
LETTER = {"grey": "Gy", "yellow": "Ye", "blue": "Bl", "green": "Gn", "red": "Re", "purple": "Pu"}
"""Letters of colours, for cards on which nothing else identifies the colour."""
SIDE_LETTER = {"fellowship": "F", "sauron": "S"}
SMALLEST = 11
"""The size of the smallest letters."""
_COIN, _COIN_INK, _COIN_LINE = "#f0cf6a", "#3a2b05", "#7a5c10"
_LETTER = 0.56
"""The mean width of a letter, as a fraction of the font size."""
_IN_REGION = {name: tuple(each for each in ACTION_NAMES if name in each.split(":")[1:]) for name in REGIONS}
"""The actions that are chosen at a region."""


def by(verbs: Sequence[str], names: Sequence[str], seats: Sequence[int] = (0, 1)) -> tuple[str, ...]:
    """The choices of seats in the form of ``Box.came``."""
    return tuple(f"{seat}/{verb}:{name}" for seat in seats for verb in verbs for name in names)


def coins(x: float, y: float, number: int | str, radius: float = 10) -> Iterator[Shape]:
    """A coin with a number on it."""
    yield Disc(x, y, radius, _COIN, _COIN_LINE, 1.5)
    yield Words(x, y, str(number), max(SMALLEST, radius * 1.2), _COIN_INK, "middle", True)


def symbol(x: float, y: float, letter: str, radius: float) -> Iterator[Shape]:
    """A skill, by its letter."""
    fill, ink = SKILL[SKILL_NAMES[SKILLS.index(letter)]]
    yield Disc(x, y, radius, fill, "#f4efe2", 0.8)
    yield Words(x, y, letter, max(SMALLEST, radius * 1.4), ink, "middle", True)


def piece(x: float, y: float, side: str, radius: float, text: str, size: float) -> Iterator[Shape]:
    """A piece of a side on the map or the ring track: round for the Fellowship, square for Sauron."""
    if side == "fellowship":
        yield Disc(x, y, radius, SIDE[side], "#ffffff", 1.2)
    else:
        yield Box(x - radius, y - radius, 2 * radius, 2 * radius, SIDE[side], "#ffffff", 2, 1.2)
    yield Words(x, y, text, size, "#ffffff", "middle", True)


def printed_cost(x: float, y: float, cost: str, radius: float = 7.5) -> Iterator[Shape]:
    """Coins, then skills, from the left edge to the right."""
    number = "".join(each for each in cost if each.isdigit())
    step = 2 * radius + 0.5
    x += radius
    if number:
        yield Disc(x, y, radius, _COIN, _COIN_LINE)
        yield Words(x, y, number, SMALLEST, _COIN_INK, "middle", True)
        x += step
    for letter in cost[len(number) :]:
        yield from symbol(x, y, letter, radius)
        x += step


class Place(NamedTuple):
    """The position of a card, and the visible part of it."""

    x: float
    y: float
    width: float
    height: float
    strip: float
    """The height that remains visible below a card in front."""


def card(
    place: Place, slot: dict[str, Any], cover: Sequence[str | None], seat: int, chapter: int, sale: int
) -> Iterator[Shape]:
    """A card of the layout. A card that can be taken shows the price for the seat whose turn it is.

    Covered cards are paler, and show only the parts that fit into their visible area.

    Args:
        place: the position of the card.
        slot: the data of the slot, from ``picture``.
        cover: the cards that lie on this card; None: a card that the viewer does not know.
        seat: the seat whose turn it is.
        chapter: the number of the chapter, from 1.
        sale: the number of coins that this seat gets for discarding the card. A large card shows a coin for
            this at its lower edge. On a small card, a click anywhere offers all choices.
    """
    x, y, width, height, strip = place
    large = height > 80
    if slot["card"] is None:
        tip = f"A card of chapter {chapter}, face down\n{cover_tip(cover, 'turned up')}"
        yield Box(x, y, width, height, RAISED, EDGE, 7, 1.5, tip=tip)
        yield Disc(x + width / 2, y + strip / 2 + 2, min(13, strip / 3), RAISED, EDGE, 2)
        return
    name = slot["card"]
    shown, free = CARDS[name], not cover
    ground, ink = CARD[shown["color"]] if free else (_COVERED[shown["color"]], TEXT)
    if not slot["up"]:
        ground, ink = RAISED, TEXT
    sold = large and free and slot["price"] is not None
    actions = tuple(f"{verb}:{name}" for verb in ("play", "chain", *(() if sold else ("sell",))))
    yield Box(
        x,
        y,
        width,
        height,
        ground,
        "#14160f" if free else EDGE,
        7,
        1,
        actions,
        tip=" ".join(filter(None, (card_tip(name, slot["price"]), cover_tip(cover, "free to take")))),
    )
    seen, radius = height if free else strip, 7.5 if strip > 30 else 6.5
    yield from printed_cost(x + 4, y + radius + 3, shown["cost"], radius)
    middle = y + (39 if large and seen > 50 else 2 * radius + 13)
    yield from _yield_of(x + width / 2, middle, shown, ink, large and seen > 56)
    if large and free:
        notes = [f"free: {shown['chain']}"] if "chain" in shown else []
        notes += [f"+ {shown['gives']}"] if "gives" in shown else []
        for number, note in enumerate(notes):
            yield Words(x + 5, y + height - 12 - 15 * (len(notes) - 1 - number), note, SMALLEST, ink)
    if free and slot["price"] is not None:
        middle = y + 13 if large else y + height - 12
        yield from coins(x + width - 13, middle, slot["price"][seat], 10 if large else 9)
    if sold:
        yield from _discarding(x + width / 2, y + height + 3, name, sale)


def _discarding(x: float, y: float, name: str, sale: int) -> Iterator[Shape]:
    """The coin that a player clicks to discard a card."""
    told = f"Discard card {name} for {counted(sale, 'coin')}\nInstead of playing it."
    yield Box(x - 16, y - 11, 32, 22, _COIN, _COIN_LINE, 11, 1.5, (f"sell:{name}",), tip=told)
    yield Words(x, y, f"+{sale}", 12, _COIN_INK, "middle", True)


def _yield_of(x: float, y: float, shown: dict[str, Any], ink: str, roomy: bool) -> Iterator[Shape]:
    """The symbols of the gains from a card, around a centre; in one line if there is little space."""
    size = 13 if roomy else SMALLEST
    if "skills" in shown:
        letters = shown["skills"].split("/") if "/" in shown["skills"] else list(shown["skills"])
        radius = 10.5 if roomy else 7
        left = x - (radius + 2) * (len(letters) - 1)
        for number, letter in enumerate(letters):
            at = left + 2 * (radius + 2) * number
            yield from symbol(at, y, letter, radius)
            if "/" in shown["skills"] and number:
                yield Words(at - radius - 2, y, "/", size, ink, "middle")
    elif "units" in shown:
        yield Words(x, y - 8 if roomy else y, counted(shown["units"], "unit"), size, ink, "middle", True)
        if roomy:
            for number, region in enumerate(shown["regions"]):
                yield Words(x, y + 6 + 12.5 * number, named(region), SMALLEST, ink, "middle")
    elif "maneuvers" in shown:
        lines = maneuvers(shown["maneuvers"])
        for number, line in enumerate(lines if roomy else [counted(sum(shown["maneuvers"]), "maneuver")]):
            yield Words(x, y - 9 + 13 * number if roomy else y, line, SMALLEST, ink, "middle")
    elif "coins" in shown:
        yield from coins(x, y, shown["coins"], 13 if roomy else 8)
    else:
        text = named(shown["race"]) if "race" in shown else counted(shown["steps"], "step")
        yield Words(x, y, text, size, ink, "middle", True)


def region(name: str, shown: dict[str, Any], box: tuple[float, float, float, float]) -> Iterator[Shape]:
    """A region with units and a fortress; its edge has the colour of the side that is present."""
    left, top, width, height = box
    counts = zip(TEAMS, shown["units"], strict=True)
    said = [f"{team.with_article}: {counted(units, 'unit')}" for team, units in counts if units]
    if shown["fortress"]:
        said.append(f"a fortress of {TEAMS[SIDES.index(shown['fortress'])].with_article}")
    told = "; ".join(said)
    holder = shown["fortress"] or next(
        (side for side, units in zip(SIDES, shown["units"], strict=True) if units), ""
    )
    came = tuple(f"{seat}/{each}" for seat in (0, 1) for each in _IN_REGION[name])
    at_home = [tile["id"] for tile in LANDMARKS.values() if tile["region"] == name]
    yield Box(
        left, top, width, height, RAISED, SIDE[holder] if holder else FAINT, 9, 2.5 if holder else 1.2,
        _IN_REGION[name], (*came, *by(("landmark",), at_home)), f"{named(name)}\n{told or 'Nobody is here'}.",
    )  # fmt: skip
    size = 13 if height > 50 else SMALLEST
    radius, middle = (11, top + height - 17) if height > 50 else (8.5, top + height - 12)
    yield Words(left + width / 2, top + (14 if height > 50 else 11), named(name), size, TEXT, "middle", True)
    at = left + radius + 8
    for side, units in zip(SIDES, shown["units"], strict=True):
        if units:
            yield from piece(at, middle, side, radius, str(units), size)
            at += 2 * radius + 6
    if shown["fortress"]:
        yield from fortress(left + width - radius - 9, middle, shown["fortress"], radius / 11)


def fortress(x: float, y: float, side: str, scale: float) -> Iterator[Shape]:
    """A tower with battlements and the letter of its side."""
    colour = SIDE[side]
    for offset in (-10, -3, 4):
        yield Box(x + offset * scale, y - 12 * scale, 6 * scale, 8 * scale, colour, "#ffffff", 0, 1)
    yield Box(x - 10 * scale, y - 6 * scale, 20 * scale, 17 * scale, colour, "#ffffff", 0, 1)
    yield Words(x, y + 3 * scale, SIDE_LETTER[side], SMALLEST, "#ffffff", "middle", True)


def landmark(shown: dict[str, Any], box: tuple[float, float, float, float], seat: int) -> Iterator[Shape]:
    """A landmark that can be taken, with the price for the seat whose turn it is."""
    x, y, width, height = box
    tile, roomy = LANDMARKS[shown["id"]], width > 140
    action = f"landmark:{shown['id']}"
    tip = landmark_tip(shown["id"], shown["price"])
    yield Box(x, y, width, height, "#e6d3a3", "#8d7a4f", 7, 1.5, (action,), tip=tip)
    ink = _COIN_INK
    yield Words(x + 8, y + 13, tile["name"], 13 if roomy else 12, ink, bold=True)
    if roomy:
        yield Words(x + width - 8, y + 13, named(tile["region"]), SMALLEST, "#5d4a1e", "end")
    yield from printed_cost(x + 6, y + 33, tile["cost"], 7.5 if roomy else 6.5)
    for number, effect in enumerate(effects(tile)):
        yield Words(x + 8, y + height - 23 + 14 * number, effect, SMALLEST, ink)
    yield from coins(x + width - 14, y + 34, shown["price"][seat], 10 if roomy else 9)


class Chip(NamedTuple):
    """A small label."""

    text: str
    tip: str = ""
    actions: tuple[str, ...] = ()
    came: tuple[str, ...] = ()


def chips(x: float, y: float, width: float, given: Sequence[Chip], lines: int = 1) -> Iterator[Shape]:
    """Labels one after another, in a number of lines; the last label counts those that do not fit."""
    height, size, gap = 19, 11.5, 4
    left, line = x, 0
    for number, chip in enumerate(given):
        wide = min(_LETTER * size * len(chip.text) + 14, width)
        rest = given[number:]
        more = 34 if line == lines - 1 and len(rest) > 1 else 0
        if left + wide + more > x + width and left > x:
            if line < lines - 1:
                left, line = x, line + 1
            else:
                chip = Chip(
                    f"+{len(rest)}", "\n".join(["And more", ", ".join(each.text for each in rest)]),
                    tuple(name for each in rest for name in each.actions),
                    tuple(name for each in rest for name in each.came),
                )  # fmt: skip
                wide, rest = 30, rest[:1]
        top = y + line * (height + gap)
        yield Box(left, top, wide, height, RAISED, EDGE, 4, 1, chip.actions, chip.came, chip.tip)
        yield Words(left + wide / 2, top + height / 2, chip.text, size, TEXT, "middle")
        left += wide + gap
        if chip.text.startswith("+"):
            return


def lines_of(width: float, given: Sequence[Chip], most: int) -> int:
    """The number of lines that ``chips`` needs for all labels, at most ``most``."""
    left, line = 0.0, 1
    for chip in given:
        wide = min(_LETTER * 11.5 * len(chip.text) + 14, width)
        if left and left + wide > width:
            left, line = 0.0, line + 1
        left += wide + 4
    return min(line, most)


def faint(x: float, y: float, text: str) -> Words:
    """A label in a faint colour."""
    return Words(x, y, text, 12, FAINT)


def panel(x: float, y: float, width: float, height: float, **more: Any) -> Box:
    """The background of a part of the drawing."""
    return Box(x, y, width, height, PANEL, more.pop("line", EDGE), 8, **more)
