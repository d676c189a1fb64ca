"""The Shadow plays an event card: what the tests of those cards share."""

from __future__ import annotations

from tests.positions import Position, card, figures, legal, nation, only_acting_cards, play, region
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Side
from wotr_env.games.war_of_the_ring.components import SETTLEMENT_INDEX


def holding(*cards: str, dice: str = "event army muster", **options: object) -> Position:
    """The Shadow holds these cards and acts with these dice; the Free Peoples have no dice."""
    return Position(only_acting_cards(**options)).hand(Side.SHADOW, *cards).dice("", dice)


def offers(position: Position, face: str = "event") -> bool:
    """Whether a die may play a card of the hand."""
    return "plan:play-card" in legal(play(position.game(), f"face:{face}"))


def begin(position: Position, name: str, *tape: int, face: str = "event") -> Game:
    """Pays for a card and shows it."""
    return play(position.game(*tape), f"face:{face}", "plan:play-card", f"card:{name}")


def zone(game: Game, name: str) -> int:
    return int(game.state.card_zone[card(name)])


def is_over(game: Game, name: str) -> bool:
    """Whether the card is discarded face up and the next action begins, with nothing left of the event."""
    tidy = game.decision == Decision.ACTION_DIE and game.state.depth == 2 and game.state.tape_length == 0
    return tidy and zone(game, name) == CardZone.DISCARD


def reserve(game: Game, name: str) -> tuple[int, ...]:
    """Regulars, Elites and Leaders or Nazgul of a nation in the reinforcements."""
    index = nation(name)
    state = game.state
    units = int(state.reinforcement_regular[index]), int(state.reinforcement_elite[index])
    return (*units, int(state.reinforcement_leader[index])) if index <= nation("sauron") else units


def steps(game: Game, name: str) -> tuple[int, bool]:
    """Steps from war, and whether the nation is active."""
    return int(game.state.steps_to_war[nation(name)]), bool(game.state.active[nation(name)])


def controller(game: Game, place: str) -> Side:
    return Side(int(game.state.control[SETTLEMENT_INDEX[region(place)]]))


def board(game: Game, *places: str) -> list[dict[str, int]]:
    return [figures(game, place) for place in places]
