"""The weights of the scripted policy of the Duel: values in points, from the file ``weights.json``."""

from __future__ import annotations

import json
from pathlib import Path

from wotr_agents.weighted import read_weights
from wotr_env.compiler.codes import Codes
from wotr_env.games.duel.components import NUM_TOKENS, TOKEN_IDS


class Weight(Codes):
    """The index of each weight. The file of weights has these names in lower case, and the value of each
    token under the id of the token."""

    COIN = 0  # the first coin
    COIN_RANGE = 1  # coins after which another is worth 1/e of the first
    COIN_END = 2  # turns before the end from which coins lose their worth
    STEP = 3  # of the ring track
    STEP_CLOSE = 4  # more for each step made before
    RACE = 5  # a race on green cards
    RACE_CLOSE = 6  # more for each race there is
    REGION = 7  # presence in a region
    REGION_CLOSE = 8  # more for each region there is
    REGION_END = 9  # more at the end, when regions are counted
    UNIT = 10  # on the board
    FORT = 11  # a fortress, which cannot be beaten
    SKILL = 12  # a symbol, for each coin that it may save
    SKILL_LATER = 13  # the same, of cards of later chapters
    SKILL_TILE = 14  # the same, of landmarks
    CHAIN = 15  # a symbol that frees a card still to come
    AGAIN = 16  # a further turn
    TOKEN = 17  # an alliance token, before it is seen
    STRIP = 18  # part of what a grey card is worth that the opponent loses
    DENY = 19  # part of what the opponent could do next
    UNKNOWN = 20  # what a card may be worth that will be turned up
    DRAIN = 21  # a coin that the opponent loses, as a share of a coin gained
    LATER_MOVE = 22  # part of what a maneuver is worth after the first
    VALUE = 23  # of a point ahead, for the chance to win at the beginning
    VALUE_END = 24  # more at the end
    FIRST_TOKEN = 25  # and the others, in the order of their numbers


NUM_WEIGHTS = Weight.FIRST_TOKEN + NUM_TOKENS
NAMES = (
    *(weight.name.lower() for weight in Weight if weight != Weight.FIRST_TOKEN),
    *(f"token:{token}" for token in TOKEN_IDS),
)
"""The name of each weight in the file."""
WEIGHTS_FILE = Path(__file__).with_name("weights.json")
DEFAULT_WEIGHTS = read_weights(json.loads(WEIGHTS_FILE.read_text(encoding="utf-8")), NAMES)
"""``float64[NUM_WEIGHTS]``: tuned by self-play."""
