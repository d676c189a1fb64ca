"""The nations and armies on which a lone Free Peoples player spends actions: none twice in a row (R13.7.3).

An action is spent on the nations that it recruits, advances, names on a card, or moves and attacks with; on
an army of several nations it is spent as one mixed army, known by where it stands, and on none of its
nations. The first rows of ``spent_nations`` and ``spent_armies`` are of the last action, the second of the
present one.
"""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.command import nations_chosen
from wotr_env.games.war_of_the_ring.rules.seats import is_shared
from wotr_env.games.war_of_the_ring.state import ARMIES_MOVED

_LAST, _PRESENT = range(2)
_ARMIES = ARMIES_MOVED[Side.FREE_PEOPLES]


@kernel
def _counts(state, side):
    """Whether the rule is in force: one Free Peoples player against two (R13.7.1)."""
    return side == Side.FREE_PEOPLES and is_shared(state, Side.SHADOW) and not is_shared(state, side)


@kernel
def something_is_barred(state):
    """Whether the last action bars any nation or army from the present one."""
    return state.spent_nations[_LAST] != 0 or state.spent_armies[_LAST, 0] != 0


@kernel
def is_barred(state, nation):
    """Whether the last action was spent on a nation."""
    return int(state.spent_nations[_LAST]) >> nation & 1 == 1


@kernel
def some_is_barred(state, nations):
    """Whether the last action was spent on one of the nations, a bit each."""
    return int(state.spent_nations[_LAST]) & nations != 0


@kernel
def is_barred_army(state, nations, region):
    """Whether an army of the nations (a bit each) of a region is barred: a single nation, or that army."""
    if nations & (nations - 1) == 0:
        return some_is_barred(state, nations)
    for place in range(_ARMIES):
        if state.spent_armies[_LAST, place] == region + 1:
            return True
    return False


@kernel
def barred_armies(state):
    """The number of mixed armies on which the last action was spent."""
    count = 0
    while count < _ARMIES and state.spent_armies[_LAST, count] != 0:
        count += 1
    return count


@kernel
def barred_army(state, place):
    """The region of one of these armies."""
    return int(state.spent_armies[_LAST, place]) - 1


@kernel
def spend_nations(state, side, nations):
    """The present action is spent on nations, a bit each."""
    if _counts(state, side):
        state.spent_nations[_PRESENT] = int(state.spent_nations[_PRESENT]) | nations


@kernel
def spend_chosen(state, side, region):
    """The present action is spent on the chosen units, which are in a region now."""
    if not _counts(state, side):
        return
    nations = nations_chosen(state)
    if nations & (nations - 1) == 0:
        spend_nations(state, side, nations)
        return
    for place in range(_ARMIES):
        if state.spent_armies[_PRESENT, place] == 0:
            state.spent_armies[_PRESENT, place] = region + 1
            return


@kernel
def spent_army_goes(state, side, origin, target):
    """A mixed army that has attacked, or was used last, stands in another region now."""
    if _counts(state, side):
        for action in (_LAST, _PRESENT):
            for place in range(_ARMIES):
                if state.spent_armies[action, place] == origin + 1:
                    state.spent_armies[action, place] = target + 1


@kernel
def close_action(state, side):
    """The action is over and becomes the last one."""
    if _counts(state, side):
        state.spent_nations[_LAST] = state.spent_nations[_PRESENT]
        state.spent_nations[_PRESENT] = 0
        for place in range(_ARMIES):
            state.spent_armies[_LAST, place] = state.spent_armies[_PRESENT, place]
            state.spent_armies[_PRESENT, place] = 0


@kernel
def forget_spent(state):
    """A new turn begins a new sequence of actions."""
    state.spent_nations[:] = 0
    state.spent_armies[:] = 0
