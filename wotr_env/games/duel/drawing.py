"""Drawings of the Duel, made only from ``picture``: cards, regions, ring track, landmarks, both sides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wotr_env.core.descriptions import Form
from wotr_env.core.palette import EDGE, FAINT, GOLD, GROUND, LINE, PANEL, RAISED, TEXT
from wotr_env.core.shapes import Box, Drawing, Frame, Shape, Stroke, Words
from wotr_env.core.spelling import counted
from wotr_env.games.duel.components import (
    DATA,
    NUM_CHAPTERS,
    RACES,
    REGIONS,
    SIDES,
    SKILL_NAMES,
    SKILLS,
    SUMMIT,
)
from wotr_env.games.duel.facts import BONUSES, CARDS, LANDMARKS, TOKENS, gives, landmark_tip, named, token_tip
from wotr_env.games.duel.picture import picture
from wotr_env.games.duel.pieces import (
    CARD,
    LETTER,
    SIDE,
    SIDE_LETTER,
    SMALLEST,
    Chip,
    Place,
    by,
    card,
    chips,
    coins,
    faint,
    landmark,
    lines_of,
    panel,
    piece,
    region,
    symbol,
)

WIDTH, HEIGHT = 1060, 840
SQUARE = 680, 646
UPRIGHT = 390, 662
ROWS = ((2, 3, 4, 5, 6), (6, 5, 4, 3, 2), (2, 3, 4, 2, 4, 3, 2))
"""The number of cards in each row of a chapter, from the far end."""
WIDE_ROW = (2, 3)
"""The chapter and the row in which cards lie two places apart."""

_PLACES = {
    "lindon": (0.115, 0.17),
    "arnor": (0.345, 0.17),
    "rhovanion": (0.69, 0.17),
    "enedwaith": (0.345, 0.5),
    "rohan": (0.59, 0.5),
    "gondor": (0.46, 0.83),
    "mordor": (0.83, 0.74),
}
"""The centre of each region, as fractions of the width and height of the map."""
_PLAYED = ("play", "chain", "revive")
"""The actions that place a card in front of a side."""


def draw(state: np.record, viewer: int | None, *, form: Form = Form.WIDE) -> Drawing:
    """Draws a position from the view of a viewer (``wotr_env.core.kind.Draw``).

    Raises:
        ValueError: there is no such viewer.
    """
    return drawing_of(picture(state, viewer), form)


def drawing_of(shown: dict[str, Any], form: Form = Form.WIDE) -> Drawing:
    """Draws the data of ``picture``."""
    headline = f"Chapter {shown['chapter']} of {NUM_CHAPTERS}, turn {shown['turn']}"
    make, (width, height) = _FORMS[form]
    shapes = list(make(shown, headline))
    return Drawing(width, height, GROUND, f"{headline}: {shown['words']}", tuple(shapes))


def _wide(shown: dict[str, Any], headline: str) -> Iterator[Shape]:
    yield Words(14, 18, headline, 15, TEXT, bold=True)
    x = WIDTH - 14 - 5 * 100.0
    for name, letter in zip(SKILL_NAMES, SKILLS, strict=True):
        yield from symbol(x + 10, 18, letter, 8.5)
        yield faint(x + 24, 18, name)
        x += 102
    yield from _layout(shown, Frame(8, 40, 534, 424), 86, 104)
    yield from _map(shown, Frame(550, 36, 502, 272), 108, 54)
    yield from _ring(shown, Frame(550, 314, 502, 68))
    for number, tile in enumerate(shown["landmarks"]):
        yield from landmark(tile, (550 + number * 169, 388, 164, 84), SIDES.index(shown["seat"]))
    yield from _discard(shown, Frame(8, 480, 150, 104))
    for number, race in enumerate(RACES):
        yield from _pile(shown, race, Frame(164 + number * 148.6, 480, 145, 104))
    for number, name in enumerate(SIDES):
        yield from _side(shown, name, Frame(8 + number * 526, 592, 518, 240))


def _upright(shown: dict[str, Any], headline: str) -> Iterator[Shape]:
    """An upright drawing: coins, cards, map and ring track above, and the possessions of the sides below."""
    for number, name in enumerate(SIDES):
        yield from _purse(shown, name, Frame(4 + number * 193, 4, 189, 50))
    yield from _layout(shown, Frame(4, 60, 382, 206), 60, 60)
    yield from _map(shown, Frame(4, 270, 382, 146), 84, 42)
    yield from _ring(shown, Frame(4, 420, 382, 54))
    for number, tile in enumerate(shown["landmarks"]):
        yield from landmark(tile, (4 + number * 129, 478, 124, 72), SIDES.index(shown["seat"]))
    for number, race in enumerate(RACES):
        yield from _short_pile(shown, race, Frame(4 + number * 64, 554, 62, 24))
    for number, name in enumerate(SIDES):
        yield from _belongings(shown, name, Frame(4 + number * 193, 582, 189, 54))
    yield from _short_discard(shown, Frame(4, 640, 382, 18))


def _square(shown: dict[str, Any], headline: str) -> Iterator[Shape]:
    """The parts of an upright drawing, with the landmarks and the piles beside cards and map."""
    for number, name in enumerate(SIDES):
        yield from _purse(shown, name, Frame(4 + number * 338, 4, 334, 50))
    yield from _layout(shown, Frame(4, 60, 408, 268), 64, 76)
    for number, tile in enumerate(shown["landmarks"]):
        yield from landmark(tile, (418, 60 + number * 91, 258, 86), SIDES.index(shown["seat"]))
    yield from _map(shown, Frame(4, 334, 408, 168), 92, 44)
    for number, race in enumerate(RACES):
        yield from _short_pile(shown, race, Frame(418 + number % 2 * 131, 334 + number // 2 * 57, 127, 53))
    yield from _ring(shown, Frame(4, 506, 672, 54))
    for number, name in enumerate(SIDES):
        yield from _belongings(shown, name, Frame(4 + number * 338, 564, 334, 54))
    yield from _short_discard(shown, Frame(4, 622, 672, 20))


_FORMS = {
    Form.WIDE: (_wide, (WIDTH, HEIGHT)),
    Form.SQUARE: (_square, SQUARE),
    Form.UPRIGHT: (_upright, UPRIGHT),
}


def slot_place(chapter: int, slot: int) -> tuple[float, float]:
    """The centre of a slot: its distance in places from the centre line of its chapter (0 to 2), and its row
    from 0."""
    row = 0
    while slot >= ROWS[chapter][row]:
        slot -= ROWS[chapter][row]
        row += 1
    apart = 2 if (chapter, row) == WIDE_ROW else 1
    return apart * (slot - (ROWS[chapter][row] - 1) / 2), row


def _layout(shown: dict[str, Any], frame: Frame, width: float, height: float) -> Iterator[Shape]:
    """The cards of the chapter; cards at the far end lie behind the others."""
    chapter = shown["chapter"] - 1
    most = max(ROWS[chapter])
    step = frame.width / most
    width *= 1 if most == max(map(max, ROWS)) else 1.35  # fewer in a row
    down = min((frame.height - height) / (len(ROWS[chapter]) - 1), height - 26)
    middle = frame.x + frame.width / 2
    sale = (chapter + 1) * (2 if "double-discard" in shown["sides"][shown["seat"]]["tokens"] else 1)
    for number, slot in enumerate(shown["slots"]):
        if slot is not None:
            across, row = slot_place(chapter, number)
            x = middle + across * step - width / 2
            place = Place(x, frame.y + row * down, width, height, down)
            cover = [shown["slots"][other]["card"] for other in slot["covered_by"]]
            yield from card(place, slot, cover, SIDES.index(shown["seat"]), shown["chapter"], sale)


def _map(shown: dict[str, Any], frame: Frame, width: float, height: float) -> Iterator[Shape]:
    """The seven regions with units and fortresses."""
    yield panel(*frame)
    places = {
        name: (frame.x + across * frame.width, frame.y + down * frame.height)
        for name, (across, down) in _PLACES.items()
    }
    for one, other in DATA["connections"]:
        yield Stroke(*places[one], *places[other], LINE, 3)
    for name in REGIONS:
        x, y = places[name]
        yield from region(name, shown["regions"][name], (x - width / 2, y - height / 2, width, height))


def _ring(shown: dict[str, Any], frame: Frame) -> Iterator[Shape]:
    """The ring track: one cell for each step. The cell of a step with a bonus has a golden edge and a
    word."""
    roomy = frame.width > 450
    left = 76 if roomy else 3
    at = "; ".join(f"{side['title']} at step {side['ring']} of {SUMMIT}" for side in shown["sides"].values())
    yield panel(*frame, tip=f"Ring track\n{at}.")
    if roomy:
        yield faint(frame.x + 10, frame.y + frame.height / 2 - 7, "Ring")
        yield faint(frame.x + 10, frame.y + frame.height / 2 + 7, "track")
    cell = (frame.width - left - 3) / (SUMMIT + 1)
    radius, edge = (8, 12) if roomy else (6.5, 9)
    for step in range(SUMMIT + 1):
        x, top, tall = frame.x + left + step * cell, frame.y + 3, frame.height - 6
        word, sentence = BONUSES.get(step, ("", "nothing"))
        tip = f"Step {step} of the ring track\nGives {sentence}, once to each side." if word else ""
        yield Box(x + 1, top, cell - 2, tall, RAISED, GOLD if word else EDGE, 4, 2 if word else 1, tip=tip)
        middle = top + tall / 2
        yield Words(
            x + cell / 2, middle - (6 if word else 0), str(step), SMALLEST, GOLD if word else FAINT, "middle"
        )
        if word:
            yield Words(x + cell / 2, middle + 6, word, SMALLEST, GOLD, "middle")
        for side, y in zip(SIDES, (top + edge, top + tall - edge), strict=True):
            if shown["sides"][side]["ring"] == step:
                yield from piece(x + cell / 2, y, side, radius, SIDE_LETTER[side], SMALLEST)


def _discard(shown: dict[str, Any], frame: Frame) -> Iterator[Shape]:
    """The discard, by colours."""
    names = shown["discard"]
    yield panel(*frame, tip=_discard_tip(names))
    yield Words(frame.x + 10, frame.y + 15, "Discard", 13, TEXT, bold=True)
    yield Words(frame.x + frame.width - 10, frame.y + 15, counted(len(names), "card"), 12, FAINT, "end")
    yield from _colours(
        names,
        frame.x + 10,
        frame.y + 34,
        3,
        actions=lambda _colour, cards: tuple(f"revive:{name}" for name in cards),
        came=lambda _colour, cards: by(("sell", "strip"), cards),
    )


def _short_discard(shown: dict[str, Any], frame: Frame) -> Iterator[Shape]:
    told = f"Discard: {counted(len(shown['discard']), 'card')}"
    names = shown["discard"]
    actions = tuple(f"revive:{name}" for name in names)
    came = by(("sell", "strip"), names)
    yield Box(*frame, RAISED, EDGE, 5, actions=actions, came=came, tip=_discard_tip(names))
    yield Words(frame.x + frame.width / 2, frame.y + frame.height / 2, told, SMALLEST, TEXT, "middle")


def _discard_tip(names: list[str]) -> str:
    listed = "; ".join(f"{CARDS[name]['color']}: {gives(CARDS[name])}" for name in names)
    return f"Cards that were discarded\n{listed or 'None yet.'}"


def _colours(names: list[str], x: float, y: float, across: int, **marks: Any) -> Iterator[Shape]:
    """The number of cards of each colour that occurs."""
    held = [(colour, [n for n in names if CARDS[n]["color"] == colour]) for colour in CARD]
    for number, (colour, cards) in enumerate([each for each in held if each[1]]):
        ground, ink = CARD[colour]
        left, top = x + number % across * 38, y + number // across * 30
        listed = "; ".join(gives(CARDS[name]) for name in cards)
        marked = {name: make(colour, cards) for name, make in marks.items()}
        yield Box(
            left,
            top,
            33,
            24,
            ground,
            "",
            4,
            tip=f"{counted(len(cards), f'{colour} card')}\n{listed}",
            **marked,
        )
        yield Words(left + 16.5, top + 12, f"{LETTER[colour]} {len(cards)}", 12, ink, "middle", True)


def _pile(shown: dict[str, Any], race: str, frame: Frame) -> Iterator[Shape]:
    """The tokens of a race: the number of remaining tokens, and the known tokens."""
    pile = shown["piles"][race]
    yield panel(*frame, actions=(f"pile:{race}",), tip=_pile_tip(race, pile))
    yield Words(frame.x + 9, frame.y + 15, named(race), 13, TEXT, bold=True)
    yield Words(frame.x + frame.width - 9, frame.y + 15, counted(pile["left"], "token"), 12, FAINT, "end")
    for row, token in enumerate(pile["known"]):
        known = Chip(TOKENS[token][0], token_tip(token), (f"token:{token}",))
        yield from chips(frame.x + 7, frame.y + 30 + 23 * row, frame.width - 14, [known])


def _short_pile(shown: dict[str, Any], race: str, frame: Frame) -> Iterator[Shape]:
    pile = shown["piles"][race]
    actions = (f"pile:{race}", *(f"token:{token}" for token in pile["known"]))
    yield Box(*frame, RAISED, EDGE, 5, actions=actions, tip=_pile_tip(race, pile))
    told = f"{named(race)} {pile['left']}"
    yield Words(frame.x + frame.width / 2, frame.y + frame.height / 2, told, SMALLEST, TEXT, "middle")


def _pile_tip(race: str, pile: dict[str, Any]) -> str:
    known = " ".join(f"{named(TOKENS[token][0])}: {TOKENS[token][1]}" for token in pile["known"])
    return f"Tokens of the {race}: {pile['left']} left\n{known or 'None of them is known yet.'}"


def _purse(shown: dict[str, Any], name: str, frame: Frame) -> Iterator[Shape]:
    """The coins and skills of a side, for a narrow page."""
    side, turn = shown["sides"][name], shown["seat"] == name and not shown["over"]
    yield panel(*frame, line=GOLD if turn else EDGE, thick=2 if turn else 1, tip=_side_tip(shown, name))
    yield Box(frame.x, frame.y, 5, frame.height, SIDE[name], "", 3)
    yield Words(frame.x + 12, frame.y + 14, side["title"], 12, TEXT, bold=True)
    yield from _coins(shown, name, frame.x + frame.width - 16, frame.y + 15, 11)
    races = f"races {_races(side)} of {len(RACES)}"
    yield Words(frame.x + frame.width - 34, frame.y + 14, races, SMALLEST, FAINT, "end")
    for number, (skill, letter) in enumerate(zip(SKILL_NAMES, SKILLS, strict=True)):
        yield from symbol(frame.x + 18 + 35 * number, frame.y + 36, letter, 8)
        yield Words(frame.x + 30 + 35 * number, frame.y + 36, str(side["skills"][skill]), 12, TEXT)


def _coins(shown: dict[str, Any], name: str, x: float, y: float, radius: float) -> Iterator[Shape]:
    """The coins of a side; an opponent may be able to take one."""
    side = shown["sides"][name]
    actions = ("drain",) if shown["seat"] != name else ()
    tip = f"Coins: {side['title']} has {side['coins']}"
    yield Box(x - radius, y - radius, 2 * radius, 2 * radius, RAISED, "", radius, 1, actions, tip=tip)
    yield from coins(x, y, side["coins"], radius)


def _side_tip(shown: dict[str, Any], name: str) -> str:
    side = shown["sides"][name]
    skills = ", ".join(f"{skill} {side['skills'][skill]}" for skill in SKILL_NAMES)
    return (
        f"{side['title']}\n{counted(side['coins'], 'coin')}; {skills}; "
        f"step {side['ring']} of {SUMMIT} of the ring track; "
        f"{_regions(shown, name)} of {len(REGIONS)} regions; {_races(side)} of {len(RACES)} races."
    )


def _regions(shown: dict[str, Any], name: str) -> int:
    """The regions with a unit or a fortress of a side."""
    seat = SIDES.index(name)
    return sum(bool(each["units"][seat]) or each["fortress"] == name for each in shown["regions"].values())


def _races(side: dict[str, Any]) -> int:
    """The races that count for the victory by six races."""
    return sum(count > 0 for count in side["races"].values()) + ("eagle" in side["tokens"])


def _chips_of(shown: dict[str, Any], name: str) -> list[tuple[str, list[Chip], int]]:
    """Races, chains, tokens and landmarks of a side, each with the number of lines that it may use."""
    side, seat = shown["sides"][name], SIDES.index(name)
    green = {race: [n for n in side["cards"] if CARDS[n].get("race") == race] for race in RACES}
    races = [
        Chip(
            f"{race} {count}",
            f"{counted(count, 'symbol')} of the {race}",
            came=by(_PLAYED, green[race], [seat]),
        )
        for race, count in side["races"].items()
        if count
    ]
    chains = [
        Chip(CARDS[card]["gives"], f"Chain: {CARDS[card]['gives']}\nMakes a later card free.")
        for card in side["cards"]
        if "gives" in CARDS[card]
    ]
    tokens = [Chip(TOKENS[t][0], token_tip(t), came=by(("token",), [t], [seat])) for t in side["tokens"]]
    tiles = [
        Chip(LANDMARKS[tile]["name"], landmark_tip(tile), came=by(("landmark",), [tile], [seat]))
        for tile in side["landmarks"]
    ]
    return [("races", races, 1), ("chains", chains, 2), ("tokens", tokens, 2), ("landmarks", tiles, 1)]


def _cards_of(shown: dict[str, Any], name: str, x: float, y: float) -> Iterator[Shape]:
    """The cards of a side by colour; a grey card may be a possible discard."""
    seat = SIDES.index(name)
    struck = "grey" if shown["seat"] != name else ""
    yield from _colours(
        shown["sides"][name]["cards"],
        x,
        y,
        6,
        came=lambda _colour, cards: by(_PLAYED, cards, [seat]),
        actions=lambda colour, cards: tuple(f"strip:{each}" for each in cards) if colour == struck else (),
    )


def _side(shown: dict[str, Any], name: str, frame: Frame) -> Iterator[Shape]:
    """The possessions of a side: coins, skills, cards by colour, races, chains, tokens, landmarks."""
    side, turn = shown["sides"][name], shown["seat"] == name and not shown["over"]
    x, y = frame.x, frame.y
    yield panel(*frame, line=GOLD if turn else EDGE, thick=2 if turn else 1, tip=_side_tip(shown, name))
    yield Box(x, y, 8, frame.height, SIDE[name], "", 4)
    yield Words(x + 22, y + 22, side["title"], 17, TEXT, bold=True)
    yield from _coins(shown, name, x + 148, y + 22, 13)
    yield faint(x + 165, y + 22, "coins")
    yield faint(x + 222, y + 22, f"ring {side['ring']} of {SUMMIT}")
    yield faint(x + 314, y + 22, f"regions {_regions(shown, name)} of {len(REGIONS)}")
    yield faint(x + 425, y + 22, f"races {_races(side)} of {len(RACES)}")
    at = x + 33
    for skill, letter in zip(SKILL_NAMES, SKILLS, strict=True):
        tip = f"{side['title']}: {skill} {side['skills'][skill]}"
        yield Box(at - 13, y + 43, 44, 26, PANEL, "", 6, tip=tip)
        yield from symbol(at, y + 56, letter, 11.5)
        yield Words(at + 18, y + 56, str(side["skills"][skill]), 15, TEXT)
        at += 53
    for held in (CARDS[each] for each in side["cards"]):
        if "/" in held.get("skills", ""):
            yield Words(at + 4, y + 56, held["skills"], 14, TEXT)
            at += 62
    yield faint(x + 22, y + 92, "cards")
    if side["cards"]:
        yield from _cards_of(shown, name, x + 96, y + 80)
    else:
        yield faint(x + 96, y + 92, "none")
    top = y + 114
    for title, given, most in _chips_of(shown, name):
        yield faint(x + 22, top + 10, title)
        lines = lines_of(frame.width - 106, given, most)
        if given:
            yield from chips(x + 96, top, frame.width - 106, given, lines)
        else:
            yield faint(x + 96, top + 10, "none")
        top += 23 * lines


def _belongings(shown: dict[str, Any], name: str, frame: Frame) -> Iterator[Shape]:
    """Cards, tokens and landmarks of a side, for a narrow page."""
    yield panel(*frame)
    yield Box(frame.x, frame.y, 5, frame.height, SIDE[name], "", 3)
    held = shown["sides"][name]["cards"]
    for number, colour in enumerate(CARD):
        cards = [each for each in held if CARDS[each]["color"] == colour]
        ground, ink = CARD[colour]
        seat, struck = SIDES.index(name), shown["seat"] != name and colour == "grey"
        listed = "; ".join(gives(CARDS[each]) for each in cards)
        yield Box(
            frame.x + 11 + 29 * number, frame.y + 5, 26, 20, ground, "", 4,
            actions=tuple(f"strip:{each}" for each in cards) if struck else (),
            came=by(_PLAYED, cards, [seat]),
            tip=f"{counted(len(cards), f'{colour} card')}\n{listed or 'None.'}",
        )  # fmt: skip
        told = f"{LETTER[colour]}{len(cards)}"
        yield Words(frame.x + 24 + 29 * number, frame.y + 15, told, SMALLEST, ink, "middle", True)
    groups = [(title, given) for title, given, _ in _chips_of(shown, name) if title != "races" and given]
    made = [
        Chip(
            f"{title} {len(given)}", f"{named(title)}\n{', '.join(each.text for each in given)}",
            came=tuple(mark for each in given for mark in each.came),
        )
        for title, given in groups
    ]  # fmt: skip
    yield from chips(frame.x + 11, frame.y + 30, frame.width - 16, made)
