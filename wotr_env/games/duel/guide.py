"""The texts of web pages of the Duel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_env.core.descriptions import Entry, Guide
from wotr_env.core.palette import EDGE, GOLD, PANEL, RAISED
from wotr_env.core.shapes import Box, Drawing, Shape, Words
from wotr_env.games.duel.components import RACES, SKILL_NAMES, SKILLS, SUMMIT
from wotr_env.games.duel.facts import BONUSES, COLOURS, LANDMARKS, TOKENS, landmark_tip, named
from wotr_env.games.duel.pieces import CARD, LETTER, coins, fortress, piece, symbol
from wotr_env.games.duel.ruleset import TEAMS
from wotr_env.games.duel.state import Ask
from wotr_env.games.duel.why import reasons

_ASKED = {
    Ask.TURN: "take a card or a landmark",
    Ask.BANNER: "choose the region of the units",
    Ask.UNITS: "place a unit",
    Ask.MANEUVERS: "make a maneuver",
    Ask.RAZE: "remove an enemy fortress, or none",
    Ask.TOKEN: "choose an alliance token",
    Ask.PILE: "choose the race whose tokens you look at",
    Ask.STRIP: "choose the grey card that the opponent discards",
    Ask.REVIVE: "play a card from the discard pile",
    Ask.AGAIN: "take another turn, or none",
}
_GROUPS = {
    "play": "Play a card",
    "chain": "Play for free, by a chain",
    "sell": "Discard a card for coins",
    "landmark": "Take a landmark",
    "revive": "Play from the discard pile",
    "place": "Units",
    "move": "Move a unit",
    "remove": "Remove a unit",
    "raze": "Remove a fortress",
    "drain": "Coins",
    "token": "Alliance token",
    "pile": "Tokens of a race",
    "strip": "Grey card to discard",
    "again": "Another turn",
}


def _question(state: np.record) -> str:
    return _ASKED[Ask(int(state["decision"]))]


def _looks(*shapes: Shape) -> Drawing:
    return Drawing(32, 24, PANEL, "", shapes)


def _card(colour: str) -> Drawing:
    ground, ink = CARD[colour]
    return _looks(Box(4, 1, 24, 22, ground, "", 4), Words(16, 12, LETTER[colour], 11, ink, "middle", True))


def _cards() -> list[Entry]:
    return [
        *(Entry(f"{named(colour)} card", f"It {text}.", _card(colour)) for colour, text in COLOURS.items()),
        Entry("Pale card", "Another card covers it, so it cannot be taken yet."),
        Entry(
            "Cost",
            "Coins and skills in the upper left corner. Each skill that you lack costs one coin.",
            _looks(*symbol(8, 12, "R", 7.5), *symbol(24, 12, "S", 7.5)),
        ),
        Entry(
            "Golden coin",
            "In the upper right corner: how many coins the player must pay for the card now.",
            _looks(*coins(16, 12, 2)),
        ),
        Entry("+ harp", "The player of the card gets the harp, a chaining symbol."),
        Entry("free: harp", "A player who has the harp plays the card for free."),
        Entry(
            "Coin with +",
            "Below a card on a wide page: discard the card for this many coins (1, 2 or 3, by chapter).",
            _looks(*coins(16, 12, "+1", 11)),
        ),
    ]


def _map() -> list[Entry]:
    cancel = "If both sides have units in a region, these are removed one for one."
    holds = "The player who took its landmark is present in the region, also without units."
    return [
        *(
            Entry(f"Units of {team.with_article}", cancel, _looks(*piece(16, 12, team.name, 10, "2", 13)))
            for team in TEAMS
        ),
        *(
            Entry(f"Fortress of {team.with_article}", holds, _looks(*fortress(16, 13, team.name, 1)))
            for team in TEAMS
        ),
        Entry("All seven regions", "A player who is present in all of them, with units or a fortress, wins."),
    ]


def _ring_track() -> list[Entry]:
    steps = [
        Entry(
            f"Step {step}",
            f"Gives {text}, once to each side.",
            _looks(Box(7, 1, 18, 22, RAISED, GOLD, 4, 2), Words(16, 12, str(step), 11, GOLD, "middle")),
        )
        for step, (_, text) in BONUSES.items()
        if step < SUMMIT
    ]
    return [*steps, Entry(f"Step {SUMMIT}", "A player who reaches it wins.")]


def _landmarks() -> list[Entry]:
    looks = _looks(Box(2, 2, 28, 20, "#e6d3a3", "#8d7a4f", 4))
    tiles = [
        Entry(tile["name"], landmark_tip(name).partition("\n")[2], looks) for name, tile in LANDMARKS.items()
    ]
    return [*tiles, Entry("Price", "One coin more for each of your fortresses on the map.")]


def _tokens() -> list[Entry]:
    first = Entry(
        "How to get tokens",
        "With two symbols of one race, you see two tokens of this race; with three different races, one of "
        "each race. You take one of them. Six different races win the game.",
    )
    looks = _looks(Box(2, 3, 28, 18, RAISED, EDGE, 4))
    return [first, *(Entry(named(title), text, looks) for title, text in TOKENS.values())]


def _legend(_ruleset: Any) -> dict[str, Sequence[Entry]]:
    pays = "Pays for cards and landmarks, in every turn."
    skills = zip(SKILL_NAMES, SKILLS, strict=True)
    return {
        "Cards": _cards(),
        "Skills": [Entry(named(name), pays, _looks(*symbol(16, 12, letter, 10))) for name, letter in skills],
        "Map": _map(),
        "Ring track": _ring_track(),
        "Landmarks": _landmarks(),
        "Alliance tokens": _tokens(),
        "Races": [Entry(named(race), "On green cards. Each race has its own tokens.") for race in RACES],
    }


GUIDE = Guide(_question, _legend, _GROUPS, frozenset({"pass"}), why=reasons)
