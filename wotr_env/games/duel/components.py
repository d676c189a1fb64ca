"""The components of the Duel as tables: cards, landmarks, tokens, layouts, the map (``components.toml``)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from wotr_env.compiler.codes import Codes

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("components.toml").read_text(encoding="utf-8"))
SIDES = ("fellowship", "sauron")
REGIONS: list[str] = DATA["regions"]
RACES: list[str] = DATA["races"]
SKILLS = "RSCKL"
SKILL_NAMES = ("ruse", "strength", "courage", "knowledge", "leadership")
NUM_REGIONS, NUM_RACES, NUM_SKILLS = len(REGIONS), len(RACES), len(SKILLS)
NUM_SLOTS, NUM_DEALT, NUM_CHAPTERS = 20, 23, 3
PILE = 3
SHOWN_LANDMARKS = 3
BANK, UNITS, SUMMIT = int(DATA["bank"]), int(DATA["units"]), int(DATA["summit"])

CARD_IDS: list[str] = [card["id"] for card in DATA["cards"]]
LANDMARK_IDS: list[str] = [each["id"] for each in DATA["landmarks"]]
TOKEN_IDS: list[str] = [each["id"] for each in DATA["tokens"]]
TOKEN_TITLES: list[str] = [each["title"] for each in DATA["tokens"]]
LANDMARK_NAMES: list[str] = [each["name"] for each in DATA["landmarks"]]
REGION_NAMES = [region.capitalize() for region in REGIONS]
"""The names of regions for people, in the order of their ids."""
NUM_CARDS, NUM_LANDMARKS, NUM_TOKENS = len(CARD_IDS), len(LANDMARK_IDS), len(TOKEN_IDS)


class Color(Codes):
    """Colours of cards."""

    GREY = 0
    YELLOW = 1
    BLUE = 2
    GREEN = 3
    RED = 4
    PURPLE = 5


class On(Codes):
    """The events that trigger the effects of a token, besides playing a card of a ``Color``."""

    LANDMARK = 6
    CHAIN = 7
    NOW = 8


class Effect(Codes):
    """Kinds of effects. An effect also has up to four numbers."""

    NONE = 0
    COINS = 1  # so many
    STEPS = 2  # so many
    UNITS_AT = 3  # so many, region
    UNITS = 4  # so many one by one, whether they may be declined
    BANNER = 5  # so many, card
    MANEUVERS = 6  # removals, coins, moves, any of them
    RAZE = 7
    AGAIN = 8
    RALLY = 9  # race
    LOOK = 10  # race
    LOOK_ANY = 11
    COUNCIL = 12  # races, a bit each
    STRIP = 13
    REVIVE = 14
    ASK_AGAIN = 15


class Token(Codes):
    """Tokens whose effects are not in the table."""

    ANY_BANNER = TOKEN_IDS.index("any-banner")
    ANY_SKILL = TOKEN_IDS.index("any-skill")
    EAGLE = TOKEN_IDS.index("eagle")
    UNIT_RED = TOKEN_IDS.index("unit-red")
    DOUBLE_DISCARD = TOKEN_IDS.index("double-discard")
    NO_SURCHARGE = TOKEN_IDS.index("no-surcharge")


ENTRY = 5
"""The size of an effect in the table: its kind and four numbers."""
_MOST_EFFECTS = 2
_NAMES = {
    "coins": Effect.COINS,
    "steps": Effect.STEPS,
    "units_at": Effect.UNITS_AT,
    "units": Effect.UNITS,
    "maneuvers": Effect.MANEUVERS,
    "raze": Effect.RAZE,
    "again": Effect.AGAIN,
    "look": Effect.LOOK_ANY,
    "strip": Effect.STRIP,
    "revive": Effect.REVIVE,
}


def _fixed(table: Any, dtype: Any = np.int64) -> np.ndarray:
    """A table in the form of a constant for kernels."""
    made = np.array(table, dtype=dtype)
    made.setflags(write=False)
    return made


def _entries(effects: list[list[Any]]) -> list[list[int]]:
    """Effects as ``_MOST_EFFECTS`` rows of numbers."""
    rows = []
    for name, *numbers in effects:
        values = [REGIONS.index(each) if isinstance(each, str) else each for each in numbers]
        rows.append([int(_NAMES[name]), *values])
    rows += [[0]] * (_MOST_EFFECTS - len(rows))
    return [row + [0] * (ENTRY - len(row)) for row in rows]


def _card_effect(number: int, card: dict[str, Any]) -> list[int]:
    row = [0]
    if "coins" in card:
        row = [Effect.COINS, card["coins"]]
    elif "steps" in card:
        row = [Effect.STEPS, card["steps"]]
    elif "race" in card:
        row = [Effect.RALLY, RACES.index(card["race"])]
    elif "units" in card:
        row = [Effect.BANNER, card["units"], number]
    elif "maneuvers" in card:
        row = [Effect.MANEUVERS, *card["maneuvers"]]
    return [int(value) for value in row] + [0] * (ENTRY - len(row))


def _skills(written: str) -> list[int]:
    return [written.count(letter) for letter in SKILLS]


_CARDS: list[dict[str, Any]] = DATA["cards"]
CARD_COLOR = _fixed([Color[card["color"].upper()] for card in _CARDS])
CARD_CHAPTER = _fixed([int(card["id"][1]) - 1 for card in _CARDS])
CARD_RACE = _fixed([RACES.index(card["race"]) if "race" in card else -1 for card in _CARDS])
CARD_SKILLS = _fixed(
    [_skills("" if "/" in card.get("skills", "") else card.get("skills", "")) for card in _CARDS]
)
CARD_BANNERS = _fixed(
    [sum(1 << REGIONS.index(region) for region in card.get("regions", ())) for card in _CARDS]
)
"""The regions of red cards, one bit each."""
CHOICE_CARDS = _fixed([number for number, card in enumerate(_CARDS) if "/" in card.get("skills", "")])
CHOICE_SKILLS = _fixed([[letter in _CARDS[card]["skills"] for letter in SKILLS] for card in CHOICE_CARDS])
assert CHOICE_SKILLS.sum(axis=0).max() == 1, "one choice must never take what another could give"
GIVER = _fixed(
    [
        next(
            (n for n, other in enumerate(_CARDS) if "chain" in card and other.get("gives") == card["chain"]),
            -1,
        )
        for card in _CARDS
    ]
)
"""The card whose chain symbol makes a card free; -1: none."""
CHAINED = _fixed(np.flatnonzero(GIVER >= 0))
CHAIN_PLACE = _fixed([CHAINED.tolist().index(card) if card in CHAINED else -1 for card in range(NUM_CARDS)])
GREY_CARDS = _fixed(np.flatnonzero(CARD_COLOR == Color.GREY))
FIRST_OF_CHAPTER = _fixed([0, NUM_DEALT, 2 * NUM_DEALT])

_PRICED = [*_CARDS, *DATA["landmarks"]]
COST_SKILLS = _fixed([_skills(each["cost"]) for each in _PRICED])
"""The skills in the costs of the cards, then of the landmarks."""
COST_COINS = _fixed([int((re.match(r"\d+", each["cost"]) or ["0"])[0]) for each in _PRICED])

LANDMARK_REGION = _fixed([REGIONS.index(each["region"]) for each in DATA["landmarks"]])
TOKEN_RACE = _fixed([RACES.index(each["race"]) for each in DATA["tokens"]])
TOKEN_ON = _fixed(
    [
        -1 if "on" not in each else int({**Color.__members__, **On.__members__}[each["on"].upper()])
        for each in DATA["tokens"]
    ]
)
BONUS_STEP = _fixed([each["step"] for each in DATA["bonuses"]])
NUM_BONUSES = len(BONUS_STEP)
_OTHERS = [*DATA["landmarks"], *DATA["tokens"], *DATA["bonuses"]]
EFFECTS = _fixed(
    [
        *(_card_effect(number, card) for number, card in enumerate(_CARDS)),
        *(row for each in _OTHERS for row in _entries(each.get("effects", []))),
    ]
)
"""The table of effects: one of each card, then two of each landmark, token and bonus. Each row is a kind and
four numbers."""
LANDMARK_EFFECT = NUM_CARDS
TOKEN_EFFECT = LANDMARK_EFFECT + _MOST_EFFECTS * NUM_LANDMARKS
BONUS_EFFECT = TOKEN_EFFECT + _MOST_EFFECTS * NUM_TOKENS
"""The first row of the effects of landmarks, of tokens and of bonuses."""
START_COINS = _fixed(DATA["start_coins"])
START_UNITS = _fixed(
    [[each[1] if region == each[0] else 0 for region in REGIONS] for each in DATA["start_units"]]
)

_PAIRS = [(REGIONS.index(a), REGIONS.index(b)) for a, b in DATA["connections"]]
MOVES = _fixed(sorted([*_PAIRS, *((b, a) for a, b in _PAIRS)]))
"""The moves between adjacent regions, as rows (from, to)."""
NUM_MOVES = len(MOVES)

SLOT_UP = _fixed([[slot[0] == "+" for slot in layout] for layout in DATA["layouts"]])
SLOT_COVER = _fixed(
    [[sum(1 << int(each) for each in slot[1:].split()) for slot in layout] for layout in DATA["layouts"]]
)
"""The slots that cover a slot, one bit each."""
