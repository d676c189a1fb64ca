"""The nations and armies on which a Free Peoples player without a partner spends actions: none twice in a row
(R13.7.3).

An action is spent on the nations that it recruits, advances, names on a card, or moves and attacks with. If
an army has several nations, the action is spent on this mixed army, identified by its region, and not on its
nations. The first rows of ``spent_nations`` and ``spent_armies`` belong to the last action, the second rows
to the current action.
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
    """Whether the rule applies: one Free Peoples player against two Shadow players (R13.7.1)."""
    return side == Side.FREE_PEOPLES and is_shared(state, Side.SHADOW) and not is_shared(state, side)


@kernel
def something_is_barred(state):
    """Whether the last action bars any nation or army from the current action."""
    return state.spent_nations[_LAST] != 0 or state.spent_armies[_LAST, 0] != 0


@kernel
def is_barred(state, nation):
    """Whether the last action was spent on a nation."""
    return int(state.spent_nations[_LAST]) >> nation & 1 == 1


@kernel
def some_is_barred(state, nations):
    """Whether the last action was spent on one of the nations (one bit each)."""
    return int(state.spent_nations[_LAST]) & nations != 0


@kernel
def is_barred_army(state, nations, region):
    """Whether an army of some nations (one bit each) in a region is barred: its single nation, or the mixed
    army."""
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
    """Spends the current action on nations, one bit each."""
    if _counts(state, side):
        state.spent_nations[_PRESENT] = int(state.spent_nations[_PRESENT]) | nations


@kernel
def spend_chosen(state, side, region):
    """Spends the current action on the chosen units, which are now in a region."""
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
    """Updates the region of a mixed army that has attacked, or was used last, and has moved."""
    if _counts(state, side):
        for action in (_LAST, _PRESENT):
            for place in range(_ARMIES):
                if state.spent_armies[action, place] == origin + 1:
                    state.spent_armies[action, place] = target + 1


@kernel
def close_action(state, side):
    """Ends the action, which becomes the last action."""
    if _counts(state, side):
        state.spent_nations[_LAST] = state.spent_nations[_PRESENT]
        state.spent_nations[_PRESENT] = 0
        for place in range(_ARMIES):
            state.spent_armies[_LAST, place] = state.spent_armies[_PRESENT, place]
            state.spent_armies[_PRESENT, place] = 0


@kernel
def forget_spent(state):
    """Clears the records at the start of a turn."""
    state.spent_nations[:] = 0
    state.spent_armies[:] = 0
