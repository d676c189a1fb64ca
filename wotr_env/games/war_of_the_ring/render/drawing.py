"""A position for people: a text for the terminal, and a picture of the map.

Both are made only from ``picture()``, so they show no information that is hidden from the viewer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from PIL import Image

from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Nation, Settlement
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_NAMES,
    NATION_NAMES,
    REGION_IDS,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    TILE_IDS,
    TILE_NAMES,
)
from wotr_env.games.war_of_the_ring.picture import (
    BACKS,
    CHARACTER_IDS,
    FACE_IDS,
    NATION_IDS,
    role_words,
    seat_ids,
)
from wotr_env.games.war_of_the_ring.render.map import HEIGHT, WIDTH, draw_map
from wotr_env.games.war_of_the_ring.render.panels import (
    CARD_OF,
    REGION_OF,
    SIDE_OF,
    SIDE_WIDTH,
    STRIP_HEIGHT,
    battle_words,
    draw_side,
    draw_strip,
    headline,
    place_words,
)
from wotr_env.games.war_of_the_ring.words.names import FACE_NAMES, counts_words

IMAGE_SHAPE = (HEIGHT + STRIP_HEIGHT, WIDTH + SIDE_WIDTH, 3)
"""The shape of ``draw_picture``: height, width, RGB."""

_CHARACTER_OF = dict(zip(CHARACTER_IDS, CHARACTER_NAMES, strict=True))
_FACE_OF = dict(zip(FACE_IDS, FACE_NAMES, strict=True))
_TILE_OF = dict(zip(TILE_IDS, TILE_NAMES, strict=True))
_RULE_WIDTH = 78


def draw_picture(shown: dict[str, Any]) -> Image.Image:
    """The image of a ``picture()``: mode ``RGB``."""
    height, width, _ = IMAGE_SHAPE
    image = Image.new("RGB", (width, height))
    image.paste(draw_map(shown), (0, 0))
    draw_strip(image, shown, HEIGHT, WIDTH)
    draw_side(image, shown, WIDTH)
    return image


def text_of(shown: dict[str, Any]) -> str:
    """The lines of a ``picture()``."""
    return "\n".join([*_above_map(shown), _rule("Map"), *_map(shown), *_below_map(shown)])


def panel_lines(shown: dict[str, Any]) -> list[str]:
    """The lines of a ``picture()`` without the lines of the map, for people who see the drawn map."""
    return [*_above_map(shown), *_below_map(shown)]


def _above_map(shown: dict[str, Any]) -> list[str]:
    return [
        f"Turn {shown['turn']}, {shown['phase']} - {headline(shown)}",
        *([shown["decision"]] if shown["decision"] else []),
        *_resolving(shown),
        _rule("Fellowship and Hunt"),
        *_fellowship(shown),
        *_dice(shown),
        _rule("Nations"),
        *_politics(shown),
    ]


def _below_map(shown: dict[str, Any]) -> list[str]:
    return [_rule("Cards"), *_cards(shown)]


def _rule(words: str) -> str:
    return f"-- {words} ".ljust(_RULE_WIDTH, "-")


def _resolving(shown: dict[str, Any]) -> Iterable[str]:
    battle = shown["battle"]
    fought = battle["cards"] if battle else []
    if battle:
        free_peoples, shadow = battle["hits"]
        hits = f"hits: Free Peoples {free_peoples}, Shadow {shadow}"
        yield f"Battle, round {battle['round']}: {battle_words(battle)}; {hits}"
        for card in fought:
            yield f"  combat card: {CARD_OF[card]}"
    for side in SIDE_IDS:
        for card in shown["cards"][side]["in_play"]:
            if card not in fought:
                yield f"Event: {CARD_OF[card]}"


def _fellowship(shown: dict[str, Any]) -> Iterable[str]:
    fellowship, hunt = shown["fellowship"], shown["hunt"]
    yield f"Fellowship: {place_words(fellowship)}; Corruption {fellowship['corruption']} of 12"
    names = [_CHARACTER_OF[who] for who in fellowship["companions"] if who != fellowship["guide"]]
    yield f"  Guide {_CHARACTER_OF[fellowship['guide']]}; with {', '.join(names) or 'the Ring-bearers alone'}"
    boxes = ", ".join(f"{SIDE_OF[side]} {shown['dice'][side]['hunt_box']}" for side in SIDE_IDS)
    drawn = f"; tile {_TILE_OF[hunt['tile']]}" if hunt["tile"] else ""
    yield f"Hunt Box: {boxes}; {counted(len(hunt['pool']), 'tile')} in the Pool{drawn}"
    for key in ("drawn", "waiting"):
        if hunt[key]:
            yield f"  {key}: {', '.join(_TILE_OF[tile] for tile in hunt[key])}"


def _dice(shown: dict[str, Any]) -> Iterable[str]:
    for side in SIDE_IDS:
        dice = shown["dice"][side]
        faces = ", ".join(f"{count} {_FACE_OF[face]}" for face, count in dice["unused"].items()) or "none"
        rest = f"{dice['used']} used, pool {dice['pool']}; {counted(dice['rings'], 'Elven Ring')}"
        yield f"{SIDE_OF[side] + ' dice':18} {faces} ({rest})"


def _politics(shown: dict[str, Any]) -> Iterable[str]:
    for nation in Nation:
        standing = shown["politics"][NATION_IDS[nation]]
        steps = standing["steps_to_war"]
        words = f"{counted(steps, 'step')} from war" if steps else "At War"
        yield f"{NATION_NAMES[nation]:26} {words:16} {'active' if standing['active'] else 'passive'}"
    points = ", ".join(f"{SIDE_OF[side]} {shown['victory_points'][side]}" for side in SIDE_IDS)
    yield f"Victory points: {points}"


_REGIONS_OF = {int(nation): np.flatnonzero(REGION_NATION == nation).tolist() for nation in (*Nation, -1)}
"""The regions of each nation, and at last, by -1, those of no nation."""
_SIDE_OF_REGION = tuple(SIDE_IDS[side] for side in REGION_SIDE.tolist())
_SETTLEMENT_NAMES = tuple(
    Settlement(kind).name.capitalize() if kind != Settlement.NONE else "" for kind in SETTLEMENT.tolist()
)


def _map(shown: dict[str, Any]) -> Iterable[str]:
    """Regions by the nation to which they belong; empty regions only if an enemy controls them."""
    for nation, home in _REGIONS_OF.items():
        lines = []
        for region in home:
            content = shown["regions"].get(REGION_IDS[region])
            if content and (words := map_words(region, content)):
                lines.append(words)
        if lines:
            yield f"{NATION_NAMES[nation] if nation >= 0 else 'Free lands'}:"
            yield from lines


def map_words(region: int, content: dict[str, Any]) -> str:
    """The content of a region in a picture, in one line; empty if there is nothing to show."""
    words = [_army(army) for army in content["armies"]]
    words += [_CHARACTER_OF[who] for who in content["characters"]]
    notes = [_SETTLEMENT_NAMES[region]] if _SETTLEMENT_NAMES[region] else []
    if content["control"] not in (None, _SIDE_OF_REGION[region]):
        notes.append(f"taken by the {SIDE_OF[content['control']]}")
    if content["besieged"]:
        notes.append("besieged")
    if not words and len(notes) < 2:
        return ""
    name = REGION_OF[REGION_IDS[region]] + (f" ({', '.join(notes)})" if notes else "")
    return f"  {name:34} {'; '.join(words)}".rstrip()


def _army(army: dict[str, Any]) -> str:
    words = [
        f"{nation.capitalize()} {', '.join(counts_words(NATION_IDS.index(nation), counts))}"
        for nation, counts in army["figures"].items()
    ]
    one = " (one army)" if army["mixed"] else ""
    return f"{'garrison: ' if army['garrison'] else ''}{' + '.join(words)}{one}"


def _cards(shown: dict[str, Any]) -> Iterable[str]:
    for side in SIDE_IDS:
        cards, names = shown["cards"][side], seat_ids(shown, side)
        decks = f"decks {_backs(cards['deck_size'])}"
        if len(names) == 1:
            hand = shown["hands"][side]
            yield f"{SIDE_OF[side]}: {_held(hand)}; {decks}; {hand['face_down_size']} discarded face down"
            yield from _hand(hand)
            after = _face_down(hand)
        else:
            yield f"{SIDE_OF[side]}: {decks}"
            after = ()
            for name in names:
                seat, hand = shown["seats"][name], shown["hands"][name]
                face_down = f"{hand['face_down_size']} discarded face down"
                yield f"{seat['title']} ({role_words(seat)}): {_held(hand)}; {face_down}"
                yield from (*_hand(hand), *_face_down(hand))
        for key, words in (("table", "on the table"), ("discard", "discards")):
            if cards[key]:
                yield f"  {words}: {_names(cards[key])}"
        yield from after


def _hand(hand: dict[str, Any]) -> Iterable[str]:
    if hand["committed"]:
        yield "  a combat card is committed face down"
    if hand["hand"]:
        yield f"  hand: {_names(hand['hand'])}"
    if hand["given"]:
        yield f"  given by the partner: {_names(hand['given'])}"
    if hand["offered"]:
        yield f"  to be given to the partner: {_names([hand['offered']])}"


def _face_down(hand: dict[str, Any]) -> Iterable[str]:
    if hand["face_down"]:
        yield f"  face down: {_names(hand['face_down'])}"


def _held(hand: dict[str, Any]) -> str:
    return f"hand {_backs(hand['hand_size'])}"


def _backs(counts: dict[str, int]) -> str:
    return ", ".join(f"{counts[back]} {back.capitalize()}" for back in BACKS)


def _names(cards: Iterable[str]) -> str:
    return ", ".join(CARD_OF[card] for card in cards)
