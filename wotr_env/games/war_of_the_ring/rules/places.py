"""Regions that the current action, card or part of a card has used (``moved_to``, ``moved_figures``).

These are the destinations of armies, with the figures that do not move again (R7.5.6), the destinations of
Nazgul, which do not fly again (R7.7.1), and the places that have had their recruit (R14.13, R6.4.8).
"""

from __future__ import annotations

from wotr_env.core.errors import StateError
from wotr_env.games.war_of_the_ring.codes import Figure
from wotr_env.games.war_of_the_ring.components import NATION_SIDE
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import END_LEADER_NATION, END_NATION, FIRST_NATION
from wotr_env.games.war_of_the_ring.state import ARMIES_MOVED, FIGURE_KINDS, MAX_NAZGUL


@kernel
def note_place(state, region):
    """Records a region; it may be recorded several times."""
    if state.moved_count >= MAX_NAZGUL:
        raise StateError("moved_to: an action deals with more regions than any game has it do")
    state.moved_to[state.moved_count] = region
    state.moved_count += 1


@kernel
def places_noted(state):
    return int(state.moved_count)


@kernel
def noted_place(state, place):
    return int(state.moved_to[place])


@kernel
def times_noted(state, region):
    times = 0
    for i in range(state.moved_count):
        if state.moved_to[i] == region:
            times += 1
    return times


@kernel
def _place_of(state, region):
    """The index of a region among the recorded regions, or -1."""
    for place in range(state.moved_count):
        if state.moved_to[place] == region:
            return place
    return -1


@kernel
def is_noted(state, region):
    return _place_of(state, region) >= 0


@kernel
def _slot(place, nation, figure):
    """The index in ``moved_figures`` that counts the figures of a kind that have moved to a place."""
    side = NATION_SIDE[nation]
    nations = END_NATION[side] - FIRST_NATION[side]
    return place * FIGURE_KINDS[side] + figure * nations + nation - FIRST_NATION[side]


@kernel
def note_arrival(state, side, region):
    """Records that the chosen figures have moved to a region with their army; none of them moves again
    (R7.5.6)."""
    place = _place_of(state, region)
    if place < 0:
        place = places_noted(state)
        note_place(state, region)
    if place >= ARMIES_MOVED[side]:
        raise StateError("moved_count: an action moves more armies than any game has it do")
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        state.moved_figures[_slot(place, nation, Figure.REGULAR)] += state.chosen_regular[nation]
        state.moved_figures[_slot(place, nation, Figure.ELITE)] += state.chosen_elite[nation]
        if nation < END_LEADER_NATION[side]:
            state.moved_figures[_slot(place, nation, Figure.LEADER)] += state.chosen_leader[nation]
    state.moved_characters |= state.chosen_characters


@kernel
def figures_moved(state, region, nation, figure):
    """The number of figures of a kind that have moved to a region with armies, including figures removed
    since (R7.5.6)."""
    place = _place_of(state, region)
    if place < 0 or place >= ARMIES_MOVED[NATION_SIDE[nation]]:  # only armies come with figures
        return 0
    return int(state.moved_figures[_slot(place, nation, figure)])


@kernel
def forget_places(state):
    """Clears the records before the next action or the next part of a card."""
    state.moved_count = 0
    state.moved_to[:] = 0
    state.moved_figures[:] = 0
    state.moved_characters = 0
