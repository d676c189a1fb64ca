"""The board with its colours and names, for all pages that draw War of the Ring."""

from __future__ import annotations

from typing import Any

from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES
from wotr_env.games.war_of_the_ring.codes import Nation, Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    CARD_ICON,
    CARD_IDS,
    CARD_NAMES,
    CHARACTER_NAMES,
    CHARACTER_SIDE,
    COMBAT_NAMES,
    FORTIFICATION,
    NATION_NAMES,
    NATION_SIDE,
    NEIGHBOURS,
    NUM_CARDS,
    NUM_REGIONS,
    REGION_IDS,
    REGION_NAMES,
    REGION_NATION,
    REGION_XY,
    SETTLEMENT,
    TILE_IDS,
    TILE_NAMES,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.picture import BACKS, CHARACTER_IDS, NATION_IDS, SIDE_IDS
from wotr_env.games.war_of_the_ring.render import style as map_style
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK
from wotr_env.games.war_of_the_ring.words.cards import card_text, character_text, combat_text
from wotr_env.games.war_of_the_ring.words.names import SIDE_NAMES

NIGHT = "#14171c"
_LAND_SHARE = 0.22
_NATION_SHARE = 0.38
_SEA_SHARE = 0.3
_LINE_SHARE = 0.45
"""The share of a map colour in its version for dark pages; the rest is ``NIGHT``."""

_ICON_NAMES = ("Character", "Army", "Muster")


def board_data(ruleset: Ruleset) -> dict[str, Any]:
    """The data that are the same in every position: the map, the names of all objects in a picture, and the
    actions.

    A colour of the map is a pair: for light pages and for dark pages.
    """
    options = ruleset.encode()
    return {
        "size": map_style.MAP_SIZE,
        "sea": map_style.SEA,
        "regions": [_region_data(region) for region in range(NUM_REGIONS)],
        "nations": [
            {
                "id": NATION_IDS[nation],
                "name": NATION_NAMES[nation],
                "side": SIDE_IDS[NATION_SIDE[nation]],
                "colour": map_style.NATION_COLOURS[NATION_IDS[nation]],
                "ink": map_style.NATION_INKS[NATION_IDS[nation]],
                "letter": map_style.NATION_LETTERS[NATION_IDS[nation]],
            }
            for nation in Nation
        ],
        "sides": [
            {
                "id": SIDE_IDS[side],
                "name": SIDE_NAMES[side],
                "colour": map_style.SIDE_COLOURS[SIDE_IDS[side]],
            }
            for side in Side
        ],
        "characters": {
            name: {
                "name": CHARACTER_NAMES[who],
                "side": SIDE_IDS[CHARACTER_SIDE[who]],
                "letters": map_style.CHARACTER_LETTERS[name],
                "text": character_text(who, options),
            }
            for who, name in enumerate(CHARACTER_IDS)
        },
        "cards": {
            CARD_IDS[card]: {
                "name": CARD_NAMES[card],
                "text": card_text(card, options),
                "combatName": COMBAT_NAMES[card],
                "combatText": combat_text(card, options),
                "icon": _ICON_NAMES[CARD_ICON[card]],
                "deck": BACKS[card // CARDS_PER_DECK % len(BACKS)],
                "side": SIDE_IDS[card * len(SIDE_IDS) // NUM_CARDS],
            }
            for card in range(NUM_CARDS)
        },
        "tiles": dict(zip(TILE_IDS, TILE_NAMES, strict=True)),
        "shapes": map_style.SETTLEMENT_SHAPES,
        "radii": map_style.SETTLEMENT_RADIUS,
        "actions": list(ACTION_NAMES),
        "colours": {
            "sea": _pair(map_style.SEA_COLOUR, _SEA_SHARE),
            "coast": _pair(map_style.COAST_COLOUR, _LINE_SHARE),
            "border": _pair(map_style.BORDER_COLOUR, _LAND_SHARE / 2),
            "path": _pair(map_style.PATH_COLOUR, 2 * _LINE_SHARE),
        },
        "fellowship": map_style.FELLOWSHIP_COLOUR,
        "siege": map_style.SIEGE_COLOUR,
    }


def _region_data(region: int) -> dict[str, Any]:
    nation = NATION_IDS[REGION_NATION[region]] if REGION_NATION[region] >= 0 else None
    place = "fortification" if FORTIFICATION[region] else Settlement(int(SETTLEMENT[region])).name.lower()
    return {
        "id": REGION_IDS[region],
        "name": REGION_NAMES[region],
        "nation": nation,
        "place": None if place == "none" else place,
        "points": int(VICTORY_POINTS[region]),
        "xy": REGION_XY[region].tolist(),
        "cell": map_style.region_cells()[region],
        "colour": _land(nation),
        "neighbours": [REGION_IDS[other] for other in NEIGHBOURS[region] if other >= 0],
    }


def _land(nation: str | None) -> list[str]:
    """The colour of a region of this nation, or of no nation."""
    dark = (
        map_style.blend(map_style.LAND_COLOUR, NIGHT, _LAND_SHARE)
        if nation is None
        else map_style.blend(map_style.NATION_COLOURS[nation], NIGHT, _NATION_SHARE)
    )
    return [map_style.region_colour(nation), dark]


def _pair(colour: str, share: float) -> list[str]:
    """A colour of the map for light pages and for dark pages."""
    return [colour, map_style.blend(colour, NIGHT, share)]
