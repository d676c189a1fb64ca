"""The events of play: one frozen dataclass for each kind."""

from __future__ import annotations

import dataclasses
import enum
import re
from typing import Any, ClassVar, NamedTuple

from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    Character,
    Decision,
    Deck,
    Face,
    HuntCause,
    Location,
    Nation,
    Phase,
    Reason,
    Roll,
    Side,
    TileZone,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    CHARACTER_SIDE,
    DIE_FACES,
    NUM_REGIONS,
    REGION_IDS,
    TILE_IDS,
)


class Secrecy(enum.IntEnum):
    """The information about an event that other seats get, including a partner."""

    OPEN = 0
    BACK = 1  # the back of the card
    FACT = 2  # only that it happened
    SECRET = 3  # nothing


class CardPlace(enum.IntEnum):
    """The place of a card, independent of its owner."""

    DECK = 0
    HAND = 1
    TABLE = 2
    DISCARD = 3
    FACE_DOWN = 4
    COMMITTED = 5
    IN_PLAY = 6


class Pool(enum.IntEnum):
    """The place of a figure that is in no region; the numbers continue the numbers of regions."""

    REINFORCEMENTS = NUM_REGIONS
    CASUALTIES = NUM_REGIONS + 1


class Figures(NamedTuple):
    """Figures of one nation; the Leaders of Sauron are Nazgul."""

    nation: Nation
    regulars: int
    elites: int
    leaders: int


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that happened. Regions, characters, cards and tiles are numbers, as in the state."""

    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.kind = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def seen_by(self, seat: int) -> Event | None:
        """The event from the view of a seat; None if the seat must not know about it."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The ``kind`` and the fields of the event for JSON, with ids instead of numbers."""
        fields = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return {"kind": self.kind, **{name: _plain(name, value) for name, value in fields}}


# --- Decisions. ---


@dataclasses.dataclass(frozen=True)
class Decided(Event):
    """A decision was taken."""

    seat: int
    decision: Decision
    action: int | None
    """The action; None if the viewer may not see it."""
    forced: bool | None
    """Whether it was the only legal action; None for other seats, because it may reveal information about the
    hand."""
    secrecy: Secrecy

    def seen_by(self, seat: int) -> Event | None:
        if seat == self.seat:
            return self
        if self.secrecy == Secrecy.SECRET:
            return None
        action = self.action if self.secrecy == Secrecy.OPEN else None
        return dataclasses.replace(self, action=action, forced=None)


# --- The turn. ---


@dataclasses.dataclass(frozen=True)
class TurnBegan(Event):
    """A new turn began."""

    turn: int


@dataclasses.dataclass(frozen=True)
class LeaderChanged(Event):
    """The other of two partners now leads their side (R13.1.2)."""

    seat: int


@dataclasses.dataclass(frozen=True)
class PhaseBegan(Event):
    """The next phase of the turn began."""

    phase: Phase


@dataclasses.dataclass(frozen=True)
class GameEnded(Event):
    """The game is over."""

    winner: Winner
    reason: Reason


# --- Chance. ---


@dataclasses.dataclass(frozen=True)
class Rolled(Event):
    """Dice that a side rolled together."""

    roll: Roll
    side: Side
    values: tuple[int, ...]
    needed: int
    """The lowest value that succeeds; 0 if the roll has no target."""

    @property
    def successes(self) -> int:
        """The number of dice with at least the needed value."""
        return sum(value >= self.needed for value in self.values) if self.needed else 0

    @property
    def faces(self) -> tuple[Face, ...]:
        """The results of action dice; empty for other dice."""
        if self.roll != Roll.ACTION_DIE:
            return ()
        return tuple(Face(int(DIE_FACES[self.side, value - 1])) for value in self.values)

    def to_dict(self) -> dict[str, Any]:
        """The event for JSON, with ``successes`` and ``faces``."""
        faces = [face.name.lower() for face in self.faces]
        return {**Event.to_dict(self), "successes": self.successes, "faces": faces}


@dataclasses.dataclass(frozen=True)
class TileDrawn(Event):
    """A Hunt tile was drawn at random."""

    side: Side
    tile: int


@dataclasses.dataclass(frozen=True)
class CompanionDrawn(Event):
    """A Companion of the Fellowship was drawn at random."""

    character: int


# --- Figures. ---


@dataclasses.dataclass(frozen=True)
class FiguresMoved(Event):
    """Figures went from one region to another."""

    origin: int
    destination: int
    figures: tuple[Figures, ...]


@dataclasses.dataclass(frozen=True)
class FiguresRecruited(Event):
    """Figures came onto the board."""

    region: int
    figures: tuple[Figures, ...]
    pool: Pool
    """The pool from which the figures came."""


@dataclasses.dataclass(frozen=True)
class FiguresLost(Event):
    """Figures left the board."""

    region: int
    figures: tuple[Figures, ...]
    pool: Pool
    """The pool to which the figures went."""
    disbanded: bool
    """Whether the figures were removed because of the stacking limit, and so are not casualties (R7.2.3)."""


@dataclasses.dataclass(frozen=True)
class ElitesReduced(Event):
    """Elites were replaced by Regulars."""

    region: int
    nation: Nation
    count: int
    elites_to: Pool
    regulars_from: Pool


@dataclasses.dataclass(frozen=True)
class RegularsPromoted(Event):
    """Regulars were replaced by Elites."""

    region: int
    nation: Nation
    count: int
    regulars_to: Pool
    elites_from: Pool


@dataclasses.dataclass(frozen=True)
class FiguresReturned(Event):
    """Figures that are not on the board changed their pool."""

    figures: tuple[Figures, ...]
    origin: Pool
    destination: Pool


@dataclasses.dataclass(frozen=True)
class CharacterMoved(Event):
    """A character moved from one place to another; each is a region or a ``Location``."""

    character: int
    origin: int
    destination: int

    @property
    def side(self) -> Side:
        """The side of the character."""
        return Side(int(CHARACTER_SIDE[self.character]))


@dataclasses.dataclass(frozen=True)
class RegionTaken(Event):
    """The control of a Settlement changed."""

    region: int
    side: Side
    seat: int
    """The seat whose army took the Settlement (R13.8.1)."""


@dataclasses.dataclass(frozen=True)
class ArmiesJoined(Event):
    """The units of both partners of a side in a region now form one army (R13.6.1)."""

    region: int
    side: Side


@dataclasses.dataclass(frozen=True)
class ArmiesParted(Event):
    """A common army ended, because one of the partners has no units left in it."""

    region: int
    side: Side


@dataclasses.dataclass(frozen=True)
class SiegeChanged(Event):
    """A siege began or ended."""

    region: int
    besieged: bool


# --- Battles. ---


@dataclasses.dataclass(frozen=True)
class BattleBegan(Event):
    """An army attacked."""

    side: Side
    battle: BattleKind
    origin: int
    region: int
    attackers: tuple[Figures, ...]
    defenders: tuple[Figures, ...]
    characters: tuple[tuple[int, ...], tuple[int, ...]]
    """The characters of the attacker and of the defender."""


@dataclasses.dataclass(frozen=True)
class BattleRound(Event):
    """A round of a battle began."""

    region: int
    round: int


@dataclasses.dataclass(frozen=True)
class HitsCounted(Event):
    """The hits that both sides have scored in the current round."""

    free_peoples: int
    shadow: int


@dataclasses.dataclass(frozen=True)
class BattleEnded(Event):
    """The battle is over."""

    side: Side
    """The side that attacked."""
    battle: BattleKind
    region: int
    round: int
    """The number of the last round."""


# --- Cards. ---


@dataclasses.dataclass(frozen=True)
class CardMoved(Event):
    """A card was drawn, played, laid down, discarded and so on."""

    seat: int | None
    """The seat that owns the card; None for a card that belongs to a side with two players and comes from no
    hand."""
    card: int | None
    """The number of the card; None if the viewer may not see it."""
    deck: int | None
    """The ``Deck``; None if the viewer may not see the back of the card."""
    origin: CardPlace
    destination: CardPlace
    at_random: bool
    """Whether the card was chosen at random."""
    secrecy: Secrecy

    def seen_by(self, seat: int) -> Event:
        if seat == self.seat or self.secrecy == Secrecy.OPEN:
            return self
        deck = self.deck if self.secrecy == Secrecy.BACK else None
        return dataclasses.replace(self, card=None, deck=deck)


@dataclasses.dataclass(frozen=True)
class CardGiven(Event):
    """A player gave a card to the partner, and the partner gave one back (R13.2.3); both know the cards."""

    giver: int
    seat: int
    """The seat that now has the card."""
    card: int | None
    """The number of the card; None if the viewer may not see it."""
    deck: int
    """The ``Deck``, which determines the back of the card."""

    def seen_by(self, seat: int) -> Event:
        return self if seat in (self.giver, self.seat) else dataclasses.replace(self, card=None)


# --- Politics. ---


@dataclasses.dataclass(frozen=True)
class NationActivated(Event):
    """A nation became active."""

    nation: Nation


@dataclasses.dataclass(frozen=True)
class NationAdvanced(Event):
    """A nation moved on the political track, rarely backwards."""

    nation: Nation
    before: int
    steps_to_war: int
    """The steps to war; 0: At War."""


# --- The Fellowship and the Hunt. ---


@dataclasses.dataclass(frozen=True)
class FellowshipMoved(Event):
    """The Fellowship moved, hidden."""

    progress: int


@dataclasses.dataclass(frozen=True)
class FellowshipPlaced(Event):
    """The figure of the Fellowship moved to another region: the Fellowship was declared, revealed or
    driven."""

    region: int
    progress: int


@dataclasses.dataclass(frozen=True)
class FellowshipSeen(Event):
    """The Fellowship was revealed or hidden."""

    revealed: bool


@dataclasses.dataclass(frozen=True)
class MordorStep(Event):
    """The Fellowship moved on the Mordor Track."""

    step: int


@dataclasses.dataclass(frozen=True)
class GuideChanged(Event):
    """Another character became the Guide of the Fellowship."""

    character: int


@dataclasses.dataclass(frozen=True)
class CorruptionChanged(Event):
    """The Ring-bearers gained or lost Corruption."""

    before: int
    corruption: int


@dataclasses.dataclass(frozen=True)
class HuntBegan(Event):
    """A Hunt for the Ring began."""

    cause: HuntCause


@dataclasses.dataclass(frozen=True)
class HuntDamage(Event):
    """The damage of the Hunt, and the remaining damage."""

    before: int
    damage: int


@dataclasses.dataclass(frozen=True)
class TileMoved(Event):
    """A Hunt tile moved, but not by a random draw."""

    tile: int
    origin: TileZone
    destination: TileZone


# --- Action dice. ---


@dataclasses.dataclass(frozen=True)
class DieUsed(Event):
    """An action die was spent."""

    side: Side
    face: Face


@dataclasses.dataclass(frozen=True)
class DieTurned(Event):
    """An action die was turned to another face."""

    side: Side
    face: Face
    turned_to: Face


@dataclasses.dataclass(frozen=True)
class DieGained(Event):
    """A side gained an unused action die without a roll."""

    side: Side
    face: Face


@dataclasses.dataclass(frozen=True)
class HuntBoxChanged(Event):
    """The number of a side's dice in the Hunt Box changed."""

    side: Side
    dice: int


@dataclasses.dataclass(frozen=True)
class PoolChanged(Event):
    """The total number of a side's action dice changed."""

    side: Side
    dice: int


@dataclasses.dataclass(frozen=True)
class RingsChanged(Event):
    """The number of a side's Elven Rings changed."""

    side: Side
    rings: int


EVENT_TYPES: tuple[type[Event], ...] = tuple(Event.__subclasses__())
"""All kinds of events."""

_CHARACTER_IDS = tuple(character.name.lower().replace("_", "-") for character in Character)
_REGION_FIELDS = ("region", "origin", "destination")
_IDS: dict[str, tuple[str, ...]] = {
    "action": ACTION_NAMES,
    "card": CARD_IDS,
    "character": _CHARACTER_IDS,
    "deck": tuple(deck.name.lower() for deck in Deck),
    "tile": TILE_IDS,
}


def _plain(name: str, value: Any) -> Any:
    """The value of a field for JSON: numbers of objects become ids."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, enum.Enum):
        return value.name.lower()
    if name == "characters":
        return [[_CHARACTER_IDS[who] for who in side] for side in value]
    if isinstance(value, tuple):
        if value and isinstance(value[0], Figures):
            return {figures.nation.name.lower(): list(figures[1:]) for figures in value}
        return list(value)
    if name in _REGION_FIELDS:
        return REGION_IDS[value] if value >= 0 else Location(value).name.lower()
    return _IDS[name][value] if name in _IDS else value
