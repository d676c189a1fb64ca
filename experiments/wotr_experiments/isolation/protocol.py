"""The protocol between the arena and the process of a bot: frames of bytes on a socket.

A frame has a kind, the number of its request, the length of its body, and the body; all numbers are
little-endian. Nothing is pickled. The arena accepts only frames that it waits for, of the current request and
within the size limit.

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
"""Kind, number of the request, size of the body in bytes."""
SIZES = struct.Struct("<IIdi")
"""B, A, s (the time limit in seconds for all answers, 0: none) and K, before the seats and masks of ASK.

After these: nothing if K is -1; otherwise ``GameHistory``: its games and decisions, int64[B], and K finished
games, each with its number and winner, int64.
"""
LENGTH = struct.Struct("<I")
"""Size in bytes of a request to the nursery, which is sent together with the descriptors of a process."""
COUNT = struct.Struct("<I")
"""The number k before the seeds of WORLDS."""
VALUE = struct.Struct("<qd")
"""An action and its value, in EXPLAINED. For each game: the number of pairs as COUNT, then the pairs."""
MOST_TEXT = 2_000
"""Maximal size in bytes of a text from the bot's process."""
MOST_WORLDS = 2**28
"""Maximal size in bytes of the worlds of one request."""
ABOUT = struct.Struct("<BIQ")
"""The numbers before the actions of ANSWER: 1 if the bot wrote to its input arrays, the number of games that
it has started from seeds, and its number of simulations, if it counts them. The bot's own process reports
them, so a malicious bot can falsify them."""


class Kind(IntEnum):
    """Kinds of frames."""

    MAKE = 1
    ASK = 2
    GIVEN = 3
    MADE = 4
    """Three lines: 1 if the bot has ``explain``, the meaning of its values, and its identity."""
    REFUSED = 5
    RAISED = 6
    OBSERVE = 7
    WORLDS = 8
    ANSWER = 9
    STRANGE = 10
    """The answer was not a row of integers; the body describes it."""
    EXPLAIN = 11
    EXPLAINED = 12
    EVENTS = 13
