"""The value of a position: the winning chance of the Free Peoples, from a logistic regression on a few
features.

The coefficients are fitted to scripted self-play
(``experiments/wotr_experiments/games/war_of_the_ring/fit_value.py``).
"""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path

import numpy as np

from wotr_agents.games.war_of_the_ring.kernels import kernel
from wotr_agents.games.war_of_the_ring.scripted.board import army_hits
from wotr_agents.games.war_of_the_ring.scripted.fellowship import way_left
from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.codes import CardZone, Character, Side, TileKind, TileZone, Winner
from wotr_env.games.war_of_the_ring.components import (
    MAX_CORRUPTION,
    NUM_CARDS,
    NUM_REGIONS,
    NUM_TILES,
    TILE_KIND,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.rules.armies import at_war, besieged
from wotr_env.games.war_of_the_ring.rules.characters import companions_in_fellowship, unused_dice
from wotr_env.games.war_of_the_ring.rules.victory import FREE_PEOPLES_POINTS, SHADOW_POINTS, victory_points
from wotr_env.games.war_of_the_ring.state import CARDS_PER_SIDE, NUM_FREE_PEOPLES, NUM_NATIONS, NUM_SEATS

COEFFICIENTS_FILE = Path(__file__).parent / "value.json"


class Feature(Codes):
    """The features of a position, each from 0 to about 1."""

    ONE = 0
    CORRUPTION = 1
    CORRUPTION_SQUARED = 2
    WAY = 3  # steps to the gates
    WAY_CORRUPTED = 4  # the same times Corruption
    IN_MORDOR = 5
    MORDOR_STEP = 6
    MORDOR_CORRUPTED = 7
    REVEALED = 8
    COMPANIONS = 9
    SHADOW_POINTS = 10
    SHADOW_POINTS_SQUARED = 11
    FREE_PEOPLES_POINTS = 12
    FREE_PEOPLES_HITS = 13
    SHADOW_HITS = 14
    MINIONS = 15
    GANDALF_WHITE = 16
    ARAGORN = 17
    SHADOW_WARS = 18
    FREE_PEOPLES_WARS = 19
    FREE_PEOPLES_DICE = 20
    SHADOW_DICE = 21
    HUNT_BOX = 22
    BLUE_TILES = 23
    RED_TILES = 24
    FREE_PEOPLES_TABLE = 25
    SHADOW_TABLE = 26
    SIEGES = 27
    FREE_PEOPLES_HAND = 28
    SHADOW_HAND = 29


NUM_FEATURES = len(Feature)


def load_coefficients() -> np.ndarray:
    """The fitted coefficients: ``float64[NUM_FEATURES]``; zeros if there are none."""
    return _read_coefficients().copy()


@functools.cache
def _read_coefficients() -> np.ndarray:
    found = np.zeros(NUM_FEATURES)
    if COEFFICIENTS_FILE.exists():
        known = json.loads(COEFFICIENTS_FILE.read_text(encoding="utf-8"))["coefficients"]
        for feature in Feature:
            found[feature] = known[feature.name.lower()]
    return found


@kernel
def _army_features(state, features):
    sieges = 0
    hits = 0
    enemy = 0
    for region in range(NUM_REGIONS):
        if state.units[region, Side.FREE_PEOPLES] > 0:
            hits += army_hits(state, Side.FREE_PEOPLES, region)
            if besieged(state, region):
                sieges += VICTORY_POINTS[region]
        if state.units[region, Side.SHADOW] > 0:
            enemy += army_hits(state, Side.SHADOW, region)
    features[Feature.FREE_PEOPLES_HITS] = hits / 60.0
    features[Feature.SHADOW_HITS] = enemy / 90.0
    features[Feature.SIEGES] = sieges / 10.0


@kernel
def _card_features(state, features):
    for card in range(NUM_CARDS):
        zone = int(state.card_zone[card])
        shadow = card >= CARDS_PER_SIDE
        if zone == CardZone.TABLE:
            features[Feature.SHADOW_TABLE if shadow else Feature.FREE_PEOPLES_TABLE] += 0.25
        elif CardZone.HAND <= zone < CardZone.HAND + NUM_SEATS:
            features[Feature.SHADOW_HAND if shadow else Feature.FREE_PEOPLES_HAND] += 1.0 / 6.0
    for tile in range(NUM_TILES):
        if state.tile_zone[tile] == TileZone.POOL or state.tile_zone[tile] == TileZone.WAITING:
            if TILE_KIND[tile] == TileKind.BLUE:
                features[Feature.BLUE_TILES] += 0.25
            elif TILE_KIND[tile] == TileKind.RED:
                features[Feature.RED_TILES] += 0.25


@kernel
def write_features(state, features):
    """Writes the features of a position (``float64[NUM_FEATURES]``)."""
    features[:] = 0.0
    corruption = state.corruption / MAX_CORRUPTION
    features[Feature.ONE] = 1.0
    features[Feature.CORRUPTION] = corruption
    features[Feature.CORRUPTION_SQUARED] = corruption * corruption
    if state.mordor_step > 0:
        features[Feature.IN_MORDOR] = 1.0
        features[Feature.MORDOR_STEP] = state.mordor_step / 6.0
        features[Feature.MORDOR_CORRUPTED] = corruption
    else:
        features[Feature.WAY] = way_left(state) / 12.0
        features[Feature.WAY_CORRUPTED] = corruption * way_left(state) / 12.0
    features[Feature.REVEALED] = state.revealed
    features[Feature.COMPANIONS] = companions_in_fellowship(state) / 7.0
    points = victory_points(state, Side.SHADOW) / SHADOW_POINTS
    features[Feature.SHADOW_POINTS] = points
    features[Feature.SHADOW_POINTS_SQUARED] = points * points
    features[Feature.FREE_PEOPLES_POINTS] = victory_points(state, Side.FREE_PEOPLES) / FREE_PEOPLES_POINTS
    for minion in range(Character.WITCH_KING, Character.SARUMAN + 1):
        if state.location[minion] >= 0:
            features[Feature.MINIONS] += 1.0 / 3.0
    features[Feature.GANDALF_WHITE] = 1.0 if state.location[Character.GANDALF_WHITE] >= 0 else 0.0
    features[Feature.ARAGORN] = 1.0 if state.location[Character.ARAGORN] >= 0 else 0.0
    for nation in range(NUM_NATIONS):
        if at_war(state, nation):
            if nation < NUM_FREE_PEOPLES:
                features[Feature.FREE_PEOPLES_WARS] += 0.2
            else:
                features[Feature.SHADOW_WARS] += 1.0 / 3.0
    features[Feature.FREE_PEOPLES_DICE] = unused_dice(state, Side.FREE_PEOPLES) / 6.0
    features[Feature.SHADOW_DICE] = unused_dice(state, Side.SHADOW) / 10.0
    features[Feature.HUNT_BOX] = state.hunt_box[Side.SHADOW] / 5.0
    _army_features(state, features)
    _card_features(state, features)


@kernel
def value_of(state, features, coefficients):
    """The winning chance of the Free Peoples; 0.5 for a draw."""
    if state.winner != Winner.NONE:
        if state.winner == Winner.DRAW:
            return 0.5
        return 1.0 if state.winner == Winner.FREE_PEOPLES else 0.0
    write_features(state, features)
    total = 0.0
    for feature in range(NUM_FEATURES):
        total += features[feature] * coefficients[feature]
    return 1.0 / (1.0 + math.exp(-total))
