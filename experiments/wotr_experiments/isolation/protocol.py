"""What the arena and the process of a bot say to each other: frames of bytes on a socket.

A frame is a kind, the number of the question that it belongs to, the length of its body, and the body, all
numbers little-endian. Nothing is pickled, and the arena takes no frame that it does not wait for, of another
question or longer than it can be.

    the arena                                 the bot's process
    MAKE      spec, seed, game as JSON        MADE, REFUSED (a BotError) or RAISED
    ASK       B, A, s, K, seats, masks, past  any number of OBSERVE, WORLDS and EVENTS, then ANSWER, STRANGE
                                              or RAISED
    EXPLAIN   the same                        the same, but EXPLAINED for ANSWER
    GIVEN     int8[B, D]                      OBSERVE
    GIVEN     states [B, k]                   WORLDS    k, int64[B * k] seeds
    GIVEN     a list for each game, as JSON   EVENTS    1: all, 0: since the seat's last decision
"""

from __future__ import annotations

import struct
from enum import IntEnum

HEADER = struct.Struct("<BIQ")
"""Kind, number of the question, bytes of the body."""
SIZES = struct.Struct("<IIdi")
"""B, A, s, the seconds for all answers (0: no limit), and K, before the seats and masks of ASK.

Behind these: nothing if K is -1, or else ``Past``: its games and decisions, int64[B], and K games that are
over, each its number and its winner, int64.
"""
LENGTH = struct.Struct("<I")
"""Bytes of what the nursery is asked, which comes with the descriptors of a process."""
COUNT = struct.Struct("<I")
"""k, before the seeds of WORLDS."""
VALUE = struct.Struct("<qd")
"""An action and what the bot thinks of it, in EXPLAINED: for each game their number as COUNT, then those."""
MOST_TEXT = 2_000
"""Bytes of a text from the bot's process."""
MOST_WORLDS = 2**28
"""Bytes of worlds that are given at once."""
ABOUT = struct.Struct("<BIQ")
"""Before the actions of ANSWER: 1 if the bot wrote into what it was given, how many games it has begun from
seeds, and how many simulations it has made, if it counts them. The bot's own process says so: it shows what a
bot does, not what a bot hides."""


class Kind(IntEnum):
    """Of a frame."""

    MAKE = 1
    ASK = 2
    GIVEN = 3
    MADE = 4
    """Three lines: 1 if it explains itself, what its values mean, and its identity."""
    REFUSED = 5
    RAISED = 6
    OBSERVE = 7
    WORLDS = 8
    ANSWER = 9
    STRANGE = 10
    """The answer was no row of integers; the body says what it was."""
    EXPLAIN = 11
    EXPLAINED = 12
    EVENTS = 13
