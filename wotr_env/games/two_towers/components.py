"""The components of The Two Towers: cards, qualities, locations, paths and tokens (TT1)."""

from __future__ import annotations

import numpy as np

MOST_PLAYERS, FEWEST_PLAYERS = 5, 2
COLOURS = ("red", "green", "blue", "yellow")
"""The colours have our own names, because the rulebook has four colours without names."""
QUALITIES = ("strength", "wisdom", "perseverance", "resolution")
NUM_COLOURS, NUM_QUALITIES = len(COLOURS), len(QUALITIES)
GANDALF = NUM_COLOURS * NUM_QUALITIES
"""The kind of the Gandalf cards; the kind of a quality card is ``NUM_QUALITIES * colour + quality``."""
NUM_KINDS = GANDALF + 1
KIND_NAMES = (*(f"{colour}-{quality}" for colour in COLOURS for quality in QUALITIES), "gandalf")
COPIES = np.array([5] * GANDALF + [16], dtype=np.int64)
"""The number of cards of each kind: ``int64[NUM_KINDS]``."""
NUM_CARDS = int(COPIES.sum())
HAND, DISPLAY = 6, 4

LOCATIONS = ("Rohan", "Fangorn", "Edoras", "Orthanc", "Helm's Deep", "Minas Tirith")
"""The locations that score; the journey begins at Amon Hen."""
NUM_LOCATIONS = len(LOCATIONS)
LAST_LOCATION = NUM_LOCATIONS - 1
FANGORN = LOCATIONS.index("Fangorn")
MOST_SYMBOLS = 3
MOST_TOKENS = 4
"""The maximal numbers of qualities (``MOST_SYMBOLS``) and of tokens of a location."""
SHORTEST, LONGEST = 1, 5
"""The smallest and the largest number of spaces of a path card in any source."""
SHORTEST_DRAWN, LONGEST_DRAWN = 2, 4
"""The same for drawn paths: the values in most sources."""
TOKEN_VALUES = np.repeat(np.array([2, 3, 4, 5], dtype=np.int64), 6)
"""``int64[24]``: the points of each token."""
NUM_TOKENS = len(TOKEN_VALUES)
BEST_TOKEN = 5
