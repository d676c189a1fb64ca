"""Armies of partners: the commander of an army, and mixed armies (R13.5, R13.6).

A region contains either two separate armies of the partners of a side, each used only by its own player, or
one *mixed* army, which its commander uses. Two armies become a mixed army if both players agree when units
come together, or if they are attacked. A mixed army ends when one of the players has no units left in it.
"""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.memory import equal_flags_of_few
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Decision, Frame, Verb
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.seats import (
    ALL_NATIONS,
    NOBODY,
    has_partners,
    is_shared,
    leader_of,
    nations_of,
    other_of,
    own_nations,
    partner_of,
    seat_of,
)
from wotr_env.games.war_of_the_ring.rules.sets import is_member, set_member
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask_seat, get, pop, push, put
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES, NUM_LEADER_NATIONS, NUM_NATIONS, NUM_SIDES


@kernel
def is_mixed(state, side, region):
    """Whether the partners of a side have a mixed army in a region (R13.6.1)."""
    return is_member(state.mixed[side], region)


@kernel
def nations_among(regular_units, elite_units):
    """The nations that have units in counts by nation, one bit each."""
    neither = equal_flags_of_few(regular_units, 0, 8) & equal_flags_of_few(elite_units, 0, 8)
    return ALL_NATIONS & ~neither


@kernel
def nations_chosen(state):
    """The nations of the chosen units, one bit each."""
    return nations_among(state.chosen_regular, state.chosen_elite)


@kernel
def _both_present(state, side, region):
    """Whether both partners of a side have units in a region."""
    first = nations_of(state, side)
    second = nations_of(state, partner_of(state, side))
    there = nations_among(state.regular[region], state.elite[region])
    return there & first != 0 and there & second != 0


@kernel
def join(state, side, region):
    """Makes the units of both partners in a region a mixed army (R13.6.1)."""
    if is_shared(state, side) and _both_present(state, side, region):
        set_member(state.mixed[side], region, 1)


@kernel
def part_if_alone(state, side, region):
    """Ends a mixed army that has units of only one player (R13.6.1)."""
    if is_mixed(state, side, region) and not _both_present(state, side, region):
        set_member(state.mixed[side], region, 0)


@kernel
def _commander_of(state, side, regular_units, elite_units):
    """The commander of units by nation: the player with more units, then with more Elites, then the leader of
    the side (R13.6.2)."""
    partner = partner_of(state, side)
    if partner == NOBODY:
        return side
    first = nations_of(state, side)
    second = nations_of(state, partner)
    more_elites = 0
    more = 0
    for nation in range(NUM_NATIONS):
        sign = (first >> nation & 1) - (second >> nation & 1)
        more += sign * (int(regular_units[nation]) + int(elite_units[nation]))
        more_elites += sign * int(elite_units[nation])
    if more == 0:
        more = more_elites
    if more == 0:
        return leader_of(state, side)
    return side if more > 0 else partner


@kernel
def commander(state, side, region):
    """The commander of all units of a side in a region, whether they are one army or two (R13.6.2)."""
    return _commander_of(state, side, state.regular[region], state.elite[region])


@kernel
def commander_of_chosen(state, side):
    """The commander of the chosen units; if there are none, the deciding player of the side."""
    if nations_chosen(state) == 0:
        return seat_of(state, side)
    return _commander_of(state, side, state.chosen_regular, state.chosen_elite)


@kernel
def commander_in_battle(state, side):
    """The commander of the attacking part (or of its rearguard if the part is gone), or of the defender
    (R13.6.2)."""
    if side != state.battle_attacker:
        return commander(state, side, int(state.battle_target))
    if nations_among(state.party_regular, state.party_elite) == 0:
        return commander(state, side, int(state.battle_origin))
    return _commander_of(state, side, state.party_regular, state.party_elite)


@kernel
def commanders_take_over(state):
    """Makes the commanders decide and play cards in a battle; called after every change of the armies
    (R13.2.6, R13.6.2)."""
    if has_partners(state):
        for side in range(NUM_SIDES):
            state.charge[side] = commander_in_battle(state, side)


@kernel
def nations_to_move(state, side, region):
    """The nations whose units in a region the deciding seat may move, one bit each (R13.5.1, R13.6.3)."""
    own = own_nations(state, side)
    if own == ALL_NATIONS or not is_mixed(state, side, region):
        return own
    return ALL_NATIONS if commander(state, side, region) == seat_of(state, side) else own


@kernel
def nations_to_attack(state, side, region):
    """As ``nations_to_move``, for an attack; only its commander attacks with a mixed army (R13.6.2)."""
    own = own_nations(state, side)
    if own == ALL_NATIONS or not is_mixed(state, side, region):
        return own
    return ALL_NATIONS if commander(state, side, region) == seat_of(state, side) else 0


@kernel
def join_chosen(state, side, region):
    """Makes the chosen units and the units of a region a mixed army, if units of both partners are chosen
    (R13.6.1)."""
    if not is_shared(state, side):
        return
    first = nations_of(state, side)
    chosen = nations_chosen(state)
    if chosen & first != 0 and chosen & ~first != 0:
        join(state, side, region)


@kernel
def carry_mixture(state, side, origin, destination):
    """Keeps a mixed army mixed in its new region after the chosen units have moved (R13.6.1)."""
    if is_mixed(state, side, origin):
        join_chosen(state, side, destination)
        part_if_alone(state, side, origin)


# --- Two armies come together (R13.6.1). Frame ARMIES_MEET: the stage counts those who agree. ---


class MeetFrame(Codes):
    """Slots of the frame ``ARMIES_MEET``."""

    SIDE = 2
    REGION = 3


AGREED = 2


@kernel
def meet(state, side, region):
    """Handles units that have come to a region: if both partners have units there, they may form a mixed
    army."""
    if is_shared(state, side) and not is_mixed(state, side, region) and _both_present(state, side, region):
        push(state, Frame.ARMIES_MEET)
        put(state, MeetFrame.SIDE, side)
        put(state, MeetFrame.REGION, region)


@kernel
def meeting_region(state):
    """The region where two armies meet."""
    return get(state, MeetFrame.REGION)


@kernel
def resume_armies_meet(state):
    """Asks first the player whose units have arrived, and then the partner."""
    side = get(state, MeetFrame.SIDE)
    agreed = get(state, STAGE)
    if agreed == AGREED or not _both_present(state, side, get(state, MeetFrame.REGION)):
        pop(state)
    elif agreed == 0:
        ask_seat(state, seat_of(state, side), Decision.MERGE_ARMIES)
    else:
        ask_seat(state, other_of(state, seat_of(state, side)), Decision.MERGE_ARMIES)


@kernel
def apply_merge_armies(state, action):
    """R13.6.1: one army if both partners accept; otherwise two armies share the region."""
    if action == Block.VERB + Verb.DECLINE:
        pop(state)
        return
    put(state, STAGE, get(state, STAGE) + 1)
    if get(state, STAGE) == AGREED:
        join(state, get(state, MeetFrame.SIDE), get(state, MeetFrame.REGION))


# --- Leaders. ---


@kernel
def leads_along(state, nations, region, nation):
    """Whether a player who uses the units of some nations in a region takes the Leaders or Nazgul of a nation
    along.

    Both Shadow players move Nazgul (R13.5.2); Leaders without a unit of their player move with the army in
    the region.
    """
    if nations >> nation & 1 == 1 or nation == NUM_LEADER_NATIONS - 1:
        return True
    for other in range(NUM_FREE_PEOPLES):
        if nations >> other & 1 == 0 and state.regular[region, other] + state.elite[region, other] > 0:
            return False
    return True
