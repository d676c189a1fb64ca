"""The panels beside and below the map: turn, Fellowship, dice, Hunt, politics, points, battle, cards."""

from __future__ import annotations

from typing import Any

from PIL import Image, ImageDraw

from wotr_env.core.spelling import capital, counted
from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Nation, TileKind, TileValue
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    CARD_NAMES,
    COMBAT_NAMES,
    MAX_CORRUPTION,
    REGION_IDS,
    REGION_NAMES,
    TILE_IDS,
    TILE_KIND,
    TILE_NAMES,
    TILE_REVEAL,
    TILE_VALUE,
)
from wotr_env.games.war_of_the_ring.picture import BACKS, NATION_IDS, role_words, seat_ids
from wotr_env.games.war_of_the_ring.render import sprites as sprites
from wotr_env.games.war_of_the_ring.render.style import (
    INK_COLOUR,
    NATION_COLOURS,
    NATION_INKS,
    PANEL_COLOUR,
    SIDE_COLOURS,
    SIEGE_COLOUR,
    blend,
)
from wotr_env.games.war_of_the_ring.rules.victory import FREE_PEOPLES_POINTS, SHADOW_POINTS
from wotr_env.games.war_of_the_ring.words.names import SIDE_NAMES

SIDE_WIDTH = 300
STRIP_HEIGHT = 144

CARD_OF = {name: CARD_NAMES[number] for number, name in enumerate(CARD_IDS)}
COMBAT_OF = {name: COMBAT_NAMES[number] for number, name in enumerate(CARD_IDS)}
REGION_OF = {name: REGION_NAMES[number] for number, name in enumerate(REGION_IDS)}
SIDE_OF = dict(zip(SIDE_IDS, SIDE_NAMES, strict=True))
_TILE_NUMBER = {name: number for number, name in enumerate(TILE_IDS)}
_TILE_WORDS: dict[int, str] = {TileValue.EYE: "eye", TileValue.DIE: "D"}
_POINTS_TO_WIN = dict(zip(SIDE_IDS, (FREE_PEOPLES_POINTS, SHADOW_POINTS), strict=True))

_MARGIN = 10
_FAINT = "#8b7d61"
_RULE = "#d6c7a1"
_CARD_GAP = 4
_MORDOR_STEPS = 6
_WAR_STEPS = 3


class _Pen:
    """Draws on an image from the top down; ``y`` is the next free line."""

    def __init__(self, image: Image.Image, left: int, width: int, y: int) -> None:
        self.image, self.left, self.width, self.y = image, left, width, y
        self.draw = ImageDraw.Draw(image)

    def write(
        self, x: float, y: float, words: str, size: float = 11.5, colour: str = INK_COLOUR, anchor: str = "lm"
    ) -> None:
        sprites.write(self.image, (x, y), sprites.plain(words), size, colour, anchor)

    def title(self, words: str, note: str = "") -> None:
        self.draw.line((self.left, self.y, self.left + self.width, self.y), _RULE)
        self.write(self.left, self.y + 12, words, 13.5)
        self.write(self.left + self.width, self.y + 12, note, 11, _FAINT, "rm")
        self.y += 24

    def lines(self, words: str, size: float = 11.5, colour: str = INK_COLOUR, most: int = 4) -> None:
        for line in sprites.wrap(words, size, self.width)[:most]:
            self.write(self.left, self.y + 7, line, size, colour)
            self.y += round(size) + 4

    def paste(self, sprite: Image.Image, x: float, y: float) -> None:
        self.image.paste(sprite, (round(x), round(y)), sprite)


def draw_side(image: Image.Image, shown: dict[str, Any], left: int) -> None:
    """Draws the panel right of ``left``, ``SIDE_WIDTH`` wide and as high as the image."""
    draw = ImageDraw.Draw(image)
    draw.rectangle((left, 0, left + SIDE_WIDTH, image.height), PANEL_COLOUR)
    draw.line((left, 0, left, image.height), INK_COLOUR, 2)
    _header(image, shown, left)
    pen = _Pen(image, left + _MARGIN + 2, SIDE_WIDTH - 2 * _MARGIN - 2, 64)
    _decision(pen, shown)
    for section in (_fellowship, _dice, _hunt, _politics, _points):
        section(pen, shown)
        pen.y += 6
    _resolving(pen, shown)


def _header(image: Image.Image, shown: dict[str, Any], left: int) -> None:
    side = shown["winner"] if shown["over"] else shown["seats"][shown["deciding"]]["side"]
    colour = blend(SIDE_COLOURS.get(side, "#666666"), "#000000", 0.75)
    ImageDraw.Draw(image).rectangle((left + 2, 0, left + SIDE_WIDTH, 56), colour)
    sprites.write(image, (left + 14, 20), f"Turn {shown['turn']}", 24, "#ffffff")
    sprites.write(image, (left + SIDE_WIDTH - 12, 20), shown["phase"], 14, "#f3e6c2", "rm")
    sprites.write(image, (left + 14, 44), headline(shown), 12.5, "#f3e6c2")


def headline(shown: dict[str, Any]) -> str:
    """The deciding seat, or the winner and the reason."""
    if not shown["over"]:
        return f"{shown['seats'][shown['deciding']]['title']} to decide"
    reason = shown["reason"].replace("_", " ")
    won = " and ".join(seat["title"] for seat in shown["seats"].values() if seat["won"])
    return f"{won} won: {reason}" if won else f"Draw: {reason}"


def _decision(pen: _Pen, shown: dict[str, Any]) -> None:
    asked = f"{headline(shown)} "
    words = shown["decision"].removeprefix(asked)
    pen.lines(capital(words), 11.5, most=4)
    pen.y = 64 + 4 * 15


def _fellowship(pen: _Pen, shown: dict[str, Any]) -> None:
    fellowship = shown["fellowship"]
    pen.title("Fellowship", place_words(fellowship))
    step = (pen.width - 4) / (MAX_CORRUPTION + 1)
    for number in range(MAX_CORRUPTION + 1):
        x, y = pen.left + number * step, pen.y
        filled = 0 < number <= fellowship["corruption"]
        colour = blend("#5b1010", PANEL_COLOUR, 0.35 + 0.05 * number) if filled else "#fffdf6"
        pen.draw.rectangle((x, y, x + step - 2, y + 18), colour, _RULE)
        pen.write(x + step / 2 - 1, y + 9, str(number), 10, "#ffffff" if filled else _FAINT, "mm")
    at = pen.left + fellowship["corruption"] * step + step / 2 - 1
    pen.paste(sprites.ring(22, str(fellowship["corruption"])), at - 11, pen.y - 2)
    pen.y += 24
    pen.write(pen.left, pen.y + 6, "Corruption", 10.5, _FAINT)
    _mordor_track(pen, fellowship["mordor_step"])
    pen.y += 22
    x = pen.left
    for who in fellowship["companions"]:
        pen.paste(sprites.token(who, "free_peoples", who == fellowship["guide"]), x, pen.y)
        x += sprites.TOKEN_SIZE + 3
    if fellowship["gollum"]:
        pen.paste(sprites.token("gollum", "free_peoples", fellowship["guide"] == "gollum"), x, pen.y)
        x += sprites.TOKEN_SIZE + 3
    if x == pen.left:
        pen.write(x, pen.y + 8, "the Ring-bearers alone", 11, _FAINT)
    pen.y += sprites.TOKEN_SIZE + 4


def _mordor_track(pen: _Pen, reached: int) -> None:
    left = pen.left + pen.width - 24 * _MORDOR_STEPS
    pen.write(left - 8, pen.y + 6, "Mordor", 10.5, _FAINT, "rm")
    for step in range(1, _MORDOR_STEPS + 1):
        x = left + 24 * (step - 1)
        pen.draw.ellipse((x + 4, pen.y - 3, x + 22, pen.y + 15), "#e9c9c0" if step < 6 else "#f2a65a", _FAINT)
        if step == reached:
            pen.paste(sprites.ring(22, str(step)), x + 2, pen.y - 5)
        else:
            pen.write(x + 13, pen.y + 6, str(step), 10, INK_COLOUR, "mm")


def place_words(fellowship: dict[str, Any]) -> str:
    """The place of the Fellowship, and whether it is hidden."""
    status = "revealed" if fellowship["revealed"] else "hidden"
    if fellowship["region"] is None:
        return f"Mordor Track {fellowship['mordor_step']}, {status}"
    progress = f" +{fellowship['progress']}" if fellowship["progress"] else ""
    return f"{REGION_OF[fellowship['region']]}{progress}, {status}"


def _dice(pen: _Pen, shown: dict[str, Any]) -> None:
    pen.title("Action dice")
    for side in SIDE_IDS:
        dice = shown["dice"][side]
        faces = [face for face, count in dice["unused"].items() for _ in range(count)]
        faces += [""] * dice["used"]
        step = min(sprites.DIE_SIZE + 3, (pen.width - 62) / max(1, len(faces)))
        for place, face in enumerate(faces):
            pen.paste(sprites.die(side, face), pen.left + place * step, pen.y)
        if not faces:
            pen.write(pen.left, pen.y + 11, f"{dice['pool']} to roll", 11, _FAINT)
        for place in range(dice["rings"]):
            pen.paste(sprites.ring(16), pen.left + pen.width - 16 - 18 * place, pen.y + 3)
        pen.y += sprites.DIE_SIZE + 5


def _hunt(pen: _Pen, shown: dict[str, Any]) -> None:
    hunt = shown["hunt"]
    pen.title("Hunt for the Ring", f"{counted(len(hunt['pool']), 'tile')} in the Pool")
    pen.write(pen.left, pen.y + 10, "Hunt Box", 11)
    x = pen.left + 58.0
    boxed = [side for side in reversed(SIDE_IDS) for _ in range(shown["dice"][side]["hunt_box"])]
    step = min(sprites.DIE_SIZE + 2, (pen.width - 58 - 66) / max(1, len(boxed)))
    for side in boxed:
        pen.paste(sprites.die(side, "eye" if side == "shadow" else "character"), x, pen.y)
        x += step
    if not boxed:
        pen.write(x, pen.y + 10, "empty", 11, _FAINT)
    if hunt["tile"] is not None:
        pen.write(pen.left + pen.width - 22, pen.y + 11, "drawn", 11, anchor="rm")
        _tile(pen, hunt["tile"], pen.left + pen.width - sprites.TILE_SIZE, pen.y + 2, False)
    pen.y += sprites.DIE_SIZE + 4
    tiles = [(name, False) for name in hunt["pool"]] + [(name, True) for name in hunt["drawn"]]
    x = pen.left
    for name, faded in tiles:
        if x + sprites.TILE_SIZE > pen.left + pen.width:
            x, pen.y = pen.left, pen.y + sprites.TILE_SIZE + 2
        _tile(pen, name, x, pen.y, faded)
        x += sprites.TILE_SIZE + 1
    pen.y += sprites.TILE_SIZE + 4
    if hunt["waiting"]:
        names = ", ".join(TILE_NAMES[_TILE_NUMBER[name]] for name in hunt["waiting"])
        pen.lines(f"For Mordor: {names}", 10.5, _FAINT, 2)


def _tile(pen: _Pen, name: str, x: float, y: float, faded: bool) -> None:
    number = _TILE_NUMBER[name]
    value = int(TILE_VALUE[number])
    words = _TILE_WORDS.get(value, str(value))
    kind = (TileKind.STANDARD, TileKind.BLUE, TileKind.RED).index(int(TILE_KIND[number]))
    pen.paste(sprites.tile(words, bool(TILE_REVEAL[number]), kind, faded), x, y)


def _politics(pen: _Pen, shown: dict[str, Any]) -> None:
    pen.title("Politics")
    name_width, high = 84, 20
    step = (pen.width - name_width) / (_WAR_STEPS + 1)
    for steps in range(_WAR_STEPS + 1):
        words = str(steps) if steps else "At War"
        x = pen.left + name_width + (_WAR_STEPS - steps + 0.5) * step
        pen.write(x, pen.y - 12, words, 10, _FAINT, "mm")
    for nation in Nation:
        name = NATION_IDS[nation]
        standing = shown["politics"][name]
        y, colour = pen.y, NATION_COLOURS[name]
        pen.write(pen.left, y + high / 2, name.capitalize(), 11.5)
        for place in range(_WAR_STEPS + 1):
            x = pen.left + name_width + place * step
            fill = "#fffdf6" if place < _WAR_STEPS else "#f3d3c2"
            pen.draw.rectangle((x, y, x + step - 2, y + high - 2), fill, _RULE)
        x = pen.left + name_width + (_WAR_STEPS - standing["steps_to_war"]) * step
        box = (x + 2, y + 2, x + step - 4, y + high - 4)
        if standing["active"]:
            pen.draw.rounded_rectangle(box, 4, colour, INK_COLOUR)
        else:
            pen.draw.rounded_rectangle(box, 4, "#fffdf6", colour, 2)
        words, ink = ("active", NATION_INKS[name]) if standing["active"] else ("passive", INK_COLOUR)
        pen.write((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, words, 9.5, ink, "mm")
        pen.y += high


def _points(pen: _Pen, shown: dict[str, Any]) -> None:
    pen.title("Victory points")
    for side in SIDE_IDS:
        points, needed = shown["victory_points"][side], _POINTS_TO_WIN[side]
        pen.write(pen.left, pen.y + 8, SIDE_OF[side], 11.5)
        left = pen.left + 84
        step = (pen.width - 84 - 40) / needed
        for place in range(needed):
            x = left + place * step
            fill = SIDE_COLOURS[side] if place < points else "#fffdf6"
            pen.draw.rectangle((x, pen.y + 2, x + step - 2, pen.y + 14), fill, _RULE)
        pen.write(pen.left + pen.width, pen.y + 8, f"{points} / {needed}", 11.5, anchor="rm")
        pen.y += 18


def _resolving(pen: _Pen, shown: dict[str, Any]) -> None:
    """Draws the battle, and the cards in play except Combat cards."""
    battle = shown["battle"]
    fought = battle["cards"] if battle else []
    if battle:
        pen.title(f"Battle, round {battle['round']}", battle["kind"])
        pen.lines(battle_words(battle), 11, SIEGE_COLOUR, 2)
        for side, hits in zip(SIDE_IDS, battle["hits"], strict=True):
            cards = [COMBAT_OF[card] for card in fought if card.startswith(_prefix(side))]
            committed = any(shown["hands"][name]["committed"] for name in seat_ids(shown, side))
            hidden = "card committed" if committed else ""
            words = ", ".join(filter(None, [counted(hits, "hit"), *cards, hidden]))
            pen.lines(f"{SIDE_OF[side]}: {words}", 11, SIDE_COLOURS[side], 2)
    events = [card for side in SIDE_IDS for card in shown["cards"][side]["in_play"] if card not in fought]
    if events:
        pen.title("Event")
        for card in events:
            pen.lines(CARD_OF[card], 11.5, most=2)


def _prefix(side: str) -> str:
    """The prefix of the ids of the side's cards."""
    return ("fp-", "sh-")[SIDE_IDS.index(side)]


def battle_words(battle: dict[str, Any]) -> str:
    """The attacker and the place of a battle."""
    attacker, region = SIDE_OF[battle["attacker"]], REGION_OF[battle["region"]]
    if battle["kind"] == "field":
        return f"Attack of the {attacker} on {region} from {REGION_OF[battle['origin']]}"
    if battle["kind"] == "assault":
        return f"Assault of the {attacker} on the garrison of {region}"
    return f"Sortie of the {attacker} from {region}"


def draw_strip(image: Image.Image, shown: dict[str, Any], top: int, width: int) -> None:
    """Draws the cards of all seats below ``top``, ``STRIP_HEIGHT`` high and ``width`` wide."""
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, top, width - 1, top + STRIP_HEIGHT), blend(PANEL_COLOUR, "#cdb98a", 0.6))
    half = width // 2
    for place, side in enumerate(SIDE_IDS):
        names = seat_ids(shown, side)
        each = half // len(names)
        for number, name in enumerate(names):
            left = place * half + number * each
            _hand(image, shown, name, left, top, each)
            if number:
                draw.line((left, top, left, top + STRIP_HEIGHT), _RULE)
    draw.line((0, top, width, top), INK_COLOUR, 2)
    draw.line((half, top, half, top + STRIP_HEIGHT), INK_COLOUR, 2)


def _hand(image: Image.Image, shown: dict[str, Any], name: str, left: int, top: int, width: int) -> None:
    """Draws the cards of a seat; for the first seat of a side, also the cards on the table of the side."""
    seat, held = shown["seats"][name], shown["hands"][name]
    side = seat["side"]
    cards, names = shown["cards"][side], seat_ids(shown, side)
    pen = _Pen(image, left + _MARGIN, width - 2 * _MARGIN, top + 4)
    committed = ", one committed" if held["committed"] else ""
    decks = ", ".join(f"{cards['deck_size'][back]} {back.capitalize()}" for back in BACKS)
    note = f"{sum(held['hand_size'].values())} in hand{committed}"
    thrown = f"{held['face_down_size']} face down"
    if len(names) == 1:
        note += f"; decks: {decks}; discards {len(cards['discard'])} + {thrown}"
    elif held["face_down_size"]:
        note += f", {thrown}"
    pen.write(pen.left, pen.y + 11, seat["title"], 13.5, SIDE_COLOURS[side])
    if role := role_words(seat):
        pen.write(pen.left + sprites.font(13.5).getlength(seat["title"]) + 8, pen.y + 11, role, 10.5, _FAINT)
    pen.write(pen.left + pen.width, pen.y + 11, note, 10.5, _FAINT, "rm")
    pen.y += 23
    if held["hand"] is None:
        faces = [("", back) for back in BACKS for _ in range(held["hand_size"][back])]
    else:
        faces = [(CARD_OF[card], BACKS["-strat-" in card]) for card in held["hand"]]
    widest = sprites.CARD_WIDTH if held["hand"] is not None else sprites.BACK_WIDTH
    wide = min(widest, pen.width // max(1, len(faces)) - _CARD_GAP)
    for place, (words, back) in enumerate(faces):
        pen.paste(sprites.card(words, back, side, wide), pen.left + place * (wide + _CARD_GAP), pen.y)
    if not faces:
        pen.write(pen.left, pen.y + 36, "no cards in hand", 11, _FAINT)
    pen.y += sprites.CARD_HEIGHT + 4
    if held["hand"] is None and held["given"]:
        pen.lines("In hand: " + ", ".join(CARD_OF[card] for card in held["given"]), 11, most=1)
    if name == names[0] and cards["table"]:
        pen.lines("On the table: " + ", ".join(CARD_OF[card] for card in cards["table"]), 11, most=2)
    if name != names[0]:
        pen.lines(f"Decks: {decks}; discards {len(cards['discard'])}", 10.5, _FAINT, 1)
