"""Seats and sides: hands and decisions belong to seats, dice, table and Fellowship to sides (R13.1.3).

Seat 0 is the Free Peoples' first player (Gondor and the Elves), seat 1 the Shadow's (Sauron); seat 2 plays
Isengard and the Southrons for the Shadow, seat 3 Rohan, the North and the Dwarves. In a game of two players,
seats 0 and 1 each play a whole side; a game of three players also has seat 2.
"""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.cards.tables import constant_table
from wotr_env.games.war_of_the_ring.codes import Character, Nation, Side
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.state import NUM_SEATS, NUM_SIDES

FEWEST_PLAYERS = 2
NOBODY = -1
ALL_NATIONS = (1 << len(Nation)) - 1
ALL_CHARACTERS = (1 << len(Character)) - 1

SEAT_SIDE = constant_table([Side.FREE_PEOPLES, Side.SHADOW, Side.SHADOW, Side.FREE_PEOPLES])
"""``int64[NUM_SEATS]``: the side of each seat; the first seat of a side has the number of the side."""

_GONDOR = 1 << Nation.GONDOR | 1 << Nation.ELVES
_ROHAN = 1 << Nation.ROHAN | 1 << Nation.NORTH | 1 << Nation.DWARVES
_SAURON = 1 << Nation.SAURON
_ISENGARD = 1 << Nation.ISENGARD | 1 << Nation.SOUTHRONS
_SARUMAN = 1 << Character.SARUMAN

# The first axis of these tables is the number of players less FEWEST_PLAYERS.
PARTNER = constant_table([[NOBODY] * NUM_SEATS, [NOBODY, 2, 1, NOBODY], [3, 2, 1, 0]])
"""``int64[3, NUM_SEATS]``: the other seat of the side, or ``NOBODY``."""
SEAT_NATIONS = constant_table(
    [
        [ALL_NATIONS, ALL_NATIONS, 0, 0],
        [ALL_NATIONS, _SAURON, _ISENGARD, 0],
        [_GONDOR, _SAURON, _ISENGARD, _ROHAN],
    ]
)
"""``int64[3, NUM_SEATS]``: the nations that a seat controls, one bit each (R13.1.1)."""
SEAT_CHARACTERS = constant_table(
    [
        [ALL_CHARACTERS, ALL_CHARACTERS, 0, 0],
        [ALL_CHARACTERS, ALL_CHARACTERS & ~_SARUMAN, _SARUMAN, 0],
        [ALL_CHARACTERS, ALL_CHARACTERS & ~_SARUMAN, _SARUMAN, ALL_CHARACTERS],
    ]
)
"""``int64[3, NUM_SEATS]``: the characters that a seat controls, one bit each; both Free Peoples players
control Companions (R13.1.1, R13.3.1)."""


@kernel
def side_of(seat):
    return SEAT_SIDE[seat]


@kernel
def seat_of(state, side):
    """The seat that currently decides for a side."""
    return int(state.charge[side])


@kernel
def deciding_side(state):
    """The side of the deciding seat."""
    return side_of(int(state.seat))


@kernel
def _row(state):
    """The row of the tables for the number of players."""
    return int(state.options[Option.PLAYERS]) - FEWEST_PLAYERS


@kernel
def has_partners(state):
    """Whether a side has two players; checking this first keeps games of two players fast."""
    return state.options[Option.PLAYERS] != FEWEST_PLAYERS


@kernel
def partner_of(state, seat):
    """The seat of the other player of the side, or ``NOBODY``."""
    return PARTNER[_row(state), seat]


@kernel
def is_shared(state, side):
    """Whether two players share a side. The seat of the first player has the number of the side."""
    return partner_of(state, side) != NOBODY


@kernel
def leader_of(state, side):
    """The seat that leads a side: its first player in odd turns, then both players alternate (R13.1.2)."""
    partner = partner_of(state, side)
    return side if partner == NOBODY or state.turn & 1 == 1 else partner


@kernel
def other_of(state, seat):
    """The partner, or the seat itself if it has none."""
    partner = partner_of(state, seat)
    return seat if partner == NOBODY else partner


@kernel
def nations_of(state, seat):
    """The nations that a seat controls, one bit each (R13.1.1)."""
    return SEAT_NATIONS[_row(state), seat]


@kernel
def own_nations(state, side):
    """The nations of the seat that currently decides for a side, one bit each (R13.5.1)."""
    return SEAT_NATIONS[_row(state), int(state.charge[side])]


@kernel
def controls_nation(state, side, nation):
    """Whether the seat that currently decides for a side controls a nation (R13.5.1)."""
    return own_nations(state, side) >> nation & 1 == 1


@kernel
def own_characters(state, side):
    """The characters of the seat that currently decides for a side, one bit each (R13.5.2)."""
    return SEAT_CHARACTERS[_row(state), int(state.charge[side])]


@kernel
def controls_character(state, side, character):
    """Whether the seat that currently decides for a side controls a character (R13.5.2)."""
    return own_characters(state, side) >> character & 1 == 1


@kernel
def owner_of(state, side, nation):
    """The seat of a side that controls a nation."""
    partner = partner_of(state, side)
    return side if partner == NOBODY or nations_of(state, side) >> nation & 1 == 1 else partner


@kernel
def leaders_take_over(state):
    """Makes the leader of each side decide, as between actions (R13.3)."""
    for side in range(NUM_SIDES):
        state.charge[side] = leader_of(state, side)


@kernel
def acting_seat_takes_over(state):
    """Makes the acting player decide for its side, and the leader for the other side, as in an action
    (R13.4.1)."""
    side = int(state.acting)
    state.charge[side] = state.next_seat[side]
    state.charge[1 - side] = leader_of(state, 1 - side)
