"""The weights of the scripted policy of The Two Towers, from the file ``weights.json``."""

from __future__ import annotations

import json
from pathlib import Path

from wotr_agents.weighted import read_weights
from wotr_env.compiler.codes import Codes


class Weight(Codes):
    """The index of each weight; the file has the names in lower case."""

    LATER = 0  # a card at a location, as part of one at the location before
    SECOND = 1  # the second token of a location, as part of the first
    GANDALF = 2  # a Gandalf, as part of a card of the quality needed most
    PAIR = 3  # more for each card of the same row that one has
    OTHER = 4  # a card of a colour of whose other qualities more are in the hand
    SWITCH = 5  # a card that would replace a row that is worth less
    BLOCKED = 6  # a card that would replace a row that is worth more
    SECRET = 7  # more for a card that nobody has seen
    GIFT = 8  # what a card put into the display is worth to the others
    KEEP = 9  # what a Gandalf in hand is worth when one could be laid, as GANDALF
    LOCK = 10  # what else the hand has of a colour, lost for a time when a row is begun
    GIVE_UP = 11  # cards of a row that is given up
    CARD = 12  # a card in hand, for the chance to win
    ROW = 13  # what lies in rows, for the chance to win
    VALUE = 14  # of a point ahead, for the chance to win at the beginning
    VALUE_END = 15  # more at the end


NUM_WEIGHTS = len(Weight)
NAMES = tuple(weight.name.lower() for weight in Weight)
WEIGHTS_FILE = Path(__file__).with_name("weights.json")
DEFAULT_WEIGHTS = read_weights(json.loads(WEIGHTS_FILE.read_text(encoding="utf-8")), NAMES)
"""``float64[NUM_WEIGHTS]``: tuned by self-play."""
