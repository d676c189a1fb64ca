"""The chosen part of an army, ``chosen_*``: choosing all of it, and moving it."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.codes import Character
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import END_NATION, FIRST_NATION
from wotr_env.games.war_of_the_ring.rules.characters import characters_at
from wotr_env.games.war_of_the_ring.rules.command import carry_mixture, part_if_alone
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_LEADER_NATIONS


@kernel
def clear_chosen(state):
    state.chosen_regular[:] = 0
    state.chosen_elite[:] = 0
    state.chosen_leader[:] = 0
    state.chosen_characters = 0


@kernel
def chosen_units(state):
    total = 0
    for nation in range(state.chosen_regular.size):
        total += int(state.chosen_regular[nation]) + int(state.chosen_elite[nation])
    return total


@kernel
def nothing_chosen(state):
    for nation in range(state.chosen_leader.size):
        if state.chosen_leader[nation] > 0:
            return False
    return state.chosen_characters == 0 and chosen_units(state) == 0


@kernel
def choose_whole_army(state, side, region):
    """Chooses all figures of an army except Saruman (R7.1.3, R7.18.3, RG4)."""
    clear_chosen(state)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        state.chosen_regular[nation] = state.regular[region, nation]
        state.chosen_elite[nation] = state.elite[region, nation]
        if nation < NUM_LEADER_NATIONS:
            state.chosen_leader[nation] = state.leader[region, nation]
    state.chosen_characters = characters_at(state, side, region) & ~(1 << Character.SARUMAN)


@kernel
def transfer_chosen(state, side, origin, destination):
    """Moves the chosen figures to their destination (R7.5.2, R13.6.1)."""
    _transfer(state, side, origin, destination)
    carry_mixture(state, side, origin, destination)


@kernel
def march_chosen(state, side, origin, destination):
    """Moves the chosen figures one region of a longer move; they do not join armies of partners there."""
    _transfer(state, side, origin, destination)
    part_if_alone(state, side, origin)


@kernel
def _transfer(state, side, origin, destination):
    """Moves the chosen figures and keeps the counts of units right."""
    state.units[origin, side] -= chosen_units(state)
    state.units[destination, side] += chosen_units(state)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        state.regular[origin, nation] -= state.chosen_regular[nation]
        state.regular[destination, nation] += state.chosen_regular[nation]
        state.elite[origin, nation] -= state.chosen_elite[nation]
        state.elite[destination, nation] += state.chosen_elite[nation]
        if nation < NUM_LEADER_NATIONS:
            state.leader[origin, nation] -= state.chosen_leader[nation]
            state.leader[destination, nation] += state.chosen_leader[nation]
    for character in range(NUM_CHARACTERS):
        if state.chosen_characters >> character & 1:
            state.location[character] = destination
