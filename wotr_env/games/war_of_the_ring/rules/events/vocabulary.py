"""The operations of events (section 22.2), collected from the modules that define them."""

from __future__ import annotations

from wotr_env.compiler.dispatch import dispatch
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.events import (
    dice_and_cards,
    fellowship,
    figures,
    moves,
    politics,
    recruiting,
)
from wotr_env.games.war_of_the_ring.rules.events.cards import (
    challenge_of_the_king,
    corsairs_of_umbar,
    cruel_weather,
    dead_men_of_dunharrow,
    denethors_folly,
    dreadful_spells,
    lure_of_the_ring,
    paths_of_the_woses,
    rage_of_the_dunlendings,
    return_to_valinor,
    stormcrow,
    the_black_captain_commands,
    the_breaking_of_the_fellowship,
    the_eagles_are_coming,
    the_ents_awake,
    the_lidless_eye,
    the_nazgul_strike,
    there_is_another_way,
    wisdom_of_elrond,
)
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, never

VOCABULARY: dict[Op, Operation] = {
    **fellowship.OPERATIONS,
    **politics.OPERATIONS,
    **dice_and_cards.OPERATIONS,
    **recruiting.OPERATIONS,
    **figures.OPERATIONS,
    **moves.OPERATIONS,
    **challenge_of_the_king.OPERATIONS,
    **corsairs_of_umbar.OPERATIONS,
    **cruel_weather.OPERATIONS,
    **dead_men_of_dunharrow.OPERATIONS,
    **denethors_folly.OPERATIONS,
    **dreadful_spells.OPERATIONS,
    **lure_of_the_ring.OPERATIONS,
    **paths_of_the_woses.OPERATIONS,
    **rage_of_the_dunlendings.OPERATIONS,
    **return_to_valinor.OPERATIONS,
    **stormcrow.OPERATIONS,
    **the_black_captain_commands.OPERATIONS,
    **the_breaking_of_the_fellowship.OPERATIONS,
    **the_eagles_are_coming.OPERATIONS,
    **the_ents_awake.OPERATIONS,
    **the_lidless_eye.OPERATIONS,
    **the_nazgul_strike.OPERATIONS,
    **there_is_another_way.OPERATIONS,
    **wisdom_of_elrond.OPERATIONS,
}
"""The operations that can be a reason to play a card."""


@kernel
def _op_at(card, place):
    """An operation of a card's program."""
    return EVENT_OPS[card, place, 0]


@dispatch(kernel, {op: row.is_possible for op, row in VOCABULARY.items()}, otherwise=never, by=(_op_at,))
def op_is_possible(state, card, place):
    """Whether an operation of a card would change anything (R6.4.4)."""
