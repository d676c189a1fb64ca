"""What a network's inputs are multiplied by, to be of the order of 1."""

from __future__ import annotations

import math

import numpy as np

from wotr_env.components import NUM_CARDS, NUM_REGIONS
from wotr_env.engine.layout import CARD_FIELDS, GLOBAL_FIELDS, REGION_FIELDS
from wotr_env.kind import Field, GameKind
from wotr_env.war_of_the_ring import WAR_OF_THE_RING

_SCALES = {
    "regular": 0.5,
    "elite": 0.5,
    "leader": 0.5,
    "turn": 0.1,
    "turns_left": 1 / 127,
    "victory_points": 0.2,
    "dice": 0.5,
    "dice_used": 0.3,
    "pool": 0.2,
    "hunt_box": 0.5,
    "reinforcement_regular": 0.2,
    "reinforcement_elite": 0.2,
    "reinforcement_leader": 0.2,
    "casualty_regular": 0.3,
    "casualty_elite": 0.3,
    "casualty_leader": 0.3,
    "progress": 0.3,
    "mordor_step": 0.5,
    "corruption": 0.3,
    "deck_size": 0.05,
    "hand_size": 0.25,
    "face_down_size": 0.1,
    "hunt_successes": 0.5,
    "hunt_damage": 0.5,
    "hits": 0.3,
    "misses": 0.3,
    "combat": 0.5,
    "party_regular": 0.3,
    "party_elite": 0.3,
    "party_leader": 0.3,
    "chosen_regular": 0.3,
    "chosen_elite": 0.3,
    "chosen_leader": 0.3,
    "moved_figures": 0.3,
    "frame_numbers": 0.05,
    "options": 0.1,
}
"""What the numbers of a part of the observation are multiplied by, to be of the order of 1; others 1."""

ADVICE_SCALE = 1 / 64


def input_scale(kind: GameKind = WAR_OF_THE_RING, advice: bool = False) -> np.ndarray:
    """What each input is multiplied by: ``float32[D]`` of an observation, with advice more."""
    behind = np.full(kind.actions.size if advice else 0, ADVICE_SCALE)
    if kind is not WAR_OF_THE_RING:
        return np.concatenate([np.ones(kind.layout.size), behind]).astype(np.float32)
    regions = np.tile(_of_fields(REGION_FIELDS), NUM_REGIONS)
    cards = np.tile(_of_fields(CARD_FIELDS), NUM_CARDS)
    rest = [np.full(math.prod(field.shape), _SCALES.get(field.name, 1.0)) for field in GLOBAL_FIELDS]
    return np.concatenate([regions, cards, *rest, behind]).astype(np.float32)


def _of_fields(fields: tuple[Field, ...]) -> np.ndarray:
    return np.concatenate([np.full(field.shape[1], _SCALES.get(field.name, 1.0)) for field in fields])
