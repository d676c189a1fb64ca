"""Events of play: what a step of a game did, as a typed list for one seat, or for somebody who sees all.

A step is one choice of a player with all that the rules do until the next: they resume what is unfinished,
take decisions with one legal action, roll and draw. ``trace_of`` plays it move by move; the events are read
off what each move changed and drew. An event names regions, characters, cards and tiles by their numbers, as
the state does; ``to_dict`` gives their ids.

What is hidden from a seat (section 18 of the rules) is in no event of its list: a card drawn or laid face
down by another seat has no number, that somebody plays no card of his hand is no event, and whether another
seat had a choice is not told. A partner is another seat.
"""

from wotr_env.games.war_of_the_ring.events.learning import learners
from wotr_env.games.war_of_the_ring.events.trace import Trace, events_of, shared_trace_of, trace_of
from wotr_env.games.war_of_the_ring.events.types import EVENT_TYPES, Event

__all__ = ["EVENT_TYPES", "Event", "Trace", "events_of", "learners", "shared_trace_of", "trace_of"]
