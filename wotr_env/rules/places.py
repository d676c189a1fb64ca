"""Regions that the action, card or part of it under way remembers (``moved_to``).

Where an army has moved, which does not move again (R7.5.6); where a Nazgul has landed, who does not fly again
(R7.7.1); what has had its recruit (R14.13, R6.4.8).
"""

from __future__ import annotations

from wotr_env.kernels import kernel


@kernel
def note_place(state, region):
    """Remembers a region, as often as it is noted."""
    state.moved_to[state.moved_count] = region
    state.moved_count += 1


@kernel
def times_noted(state, region):
    times = 0
    for i in range(state.moved_count):
        if state.moved_to[i] == region:
            times += 1
    return times


@kernel
def is_noted(state, region):
    return times_noted(state, region) > 0


@kernel
def forget_places(state):
    state.moved_count = 0
    state.moved_to[:] = 0
