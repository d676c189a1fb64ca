"""Events of play: the effects of a step of a game, as a typed list for one seat, or for a viewer who sees
everything.

A step is one choice of a player, with everything that the rules do until the next choice: they resume
unfinished business, take decisions with one legal action, roll and draw. ``trace_of`` plays a step move by
move. The events are derived from the changes and draws of each move. An event contains the numbers of
regions, characters, cards and tiles, as the state does; ``to_dict`` gives their ids.

The list of a seat contains no information that is hidden from the seat (section 18 of the rules). A card that
another seat draws or lays face down has no number. If a player does not play a card of the hand, there is no
event. The list does not show whether another seat had a choice. A partner is another seat.
"""

from wotr_env.games.war_of_the_ring.events.learning import learners
from wotr_env.games.war_of_the_ring.events.trace import Trace, events_of, shared_trace_of, trace_of
from wotr_env.games.war_of_the_ring.events.types import EVENT_TYPES, Event

__all__ = ["EVENT_TYPES", "Event", "Trace", "events_of", "learners", "shared_trace_of", "trace_of"]
