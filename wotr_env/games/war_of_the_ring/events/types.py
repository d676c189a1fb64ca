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
    """What the other seats learn, a partner's too."""

    OPEN = 0
    BACK = 1  # the back of the card
    FACT = 2  # only that it happened
    SECRET = 3  # nothing


class CardPlace(enum.IntEnum):
    """Where a card is, whosever it is."""

    DECK = 0
    HAND = 1
    TABLE = 2
    DISCARD = 3
    FACE_DOWN = 4
    COMMITTED = 5
    IN_PLAY = 6


class Pool(enum.IntEnum):
    """Where a figure is when it is in no region; numbered on from the regions."""

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
        """The event as a seat may know it, None if it must not know of it at all."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Its ``kind`` and its fields for JSON, with the ids of what is named."""
        fields = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return {"kind": self.kind, **{name: _plain(name, value) for name, value in fields}}


# --- Decisions. ---


@dataclasses.dataclass(frozen=True)
class Decided(Event):
    """A decision was taken."""

    seat: int
    decision: Decision
    action: int | None
    """None if it is not for these eyes."""
    forced: bool | None
    """Whether it was the only legal action; None to other seats, for it may tell of the hand."""
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
    """A new turn."""

    turn: int


@dataclasses.dataclass(frozen=True)
class LeaderChanged(Event):
    """Another of two partners leads their side (R13.1.2)."""

    seat: int


@dataclasses.dataclass(frozen=True)
class PhaseBegan(Event):
    """The next phase of the turn."""

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
    """The least value that succeeds, 0 if nothing is needed."""

    @property
    def successes(self) -> int:
        """Dice that show what was needed."""
        return sum(value >= self.needed for value in self.values) if self.needed else 0

    @property
    def faces(self) -> tuple[Face, ...]:
        """What action dice show; empty for other dice."""
        if self.roll != Roll.ACTION_DIE:
            return ()
        return tuple(Face(int(DIE_FACES[self.side, value - 1])) for value in self.values)

    def to_dict(self) -> dict[str, Any]:
        """With ``successes`` and ``faces``."""
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
    """Where they came from."""


@dataclasses.dataclass(frozen=True)
class FiguresLost(Event):
    """Figures left the board."""

    region: int
    figures: tuple[Figures, ...]
    pool: Pool
    """Where they went."""
    disbanded: bool
    """Whether they were removed as too many, and are no casualties (R7.2.3)."""


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
    """Figures off the board changed their pool."""

    figures: tuple[Figures, ...]
    origin: Pool
    destination: Pool


@dataclasses.dataclass(frozen=True)
class CharacterMoved(Event):
    """A character went from one place to another, each a region or a ``Location``."""

    character: int
    origin: int
    destination: int

    @property
    def side(self) -> Side:
        """Whose character it is."""
        return Side(int(CHARACTER_SIDE[self.character]))


@dataclasses.dataclass(frozen=True)
class RegionTaken(Event):
    """A Settlement changed its master."""

    region: int
    side: Side
    seat: int
    """Whose army took it (R13.8.1)."""


@dataclasses.dataclass(frozen=True)
class ArmiesJoined(Event):
    """The units of both partners of a side in a region are one army from now on (R13.6.1)."""

    region: int
    side: Side


@dataclasses.dataclass(frozen=True)
class ArmiesParted(Event):
    """They are no longer: one of the partners has no units there."""

    region: int
    side: Side


@dataclasses.dataclass(frozen=True)
class SiegeChanged(Event):
    """A siege began, or is over."""

    region: int
    besieged: bool


# --- Battles. ---


@dataclasses.dataclass(frozen=True)
class BattleBegan(Event):
    """An army attacks."""

    side: Side
    battle: BattleKind
    origin: int
    region: int
    attackers: tuple[Figures, ...]
    defenders: tuple[Figures, ...]
    characters: tuple[tuple[int, ...], tuple[int, ...]]
    """Those of the attackers, and those of the defenders."""


@dataclasses.dataclass(frozen=True)
class BattleRound(Event):
    """A round of a battle begins."""

    region: int
    round: int


@dataclasses.dataclass(frozen=True)
class HitsCounted(Event):
    """The hits that both sides have scored in the round so far."""

    free_peoples: int
    shadow: int


@dataclasses.dataclass(frozen=True)
class BattleEnded(Event):
    """The battle is over."""

    side: Side
    """Who attacked."""
    battle: BattleKind
    region: int
    round: int
    """The last one fought."""


# --- Cards. ---


@dataclasses.dataclass(frozen=True)
class CardMoved(Event):
    """A card was drawn, played, laid down, discarded and so on."""

    seat: int | None
    """Whose card it is; None if it is of a side that two players share, and comes from no hand."""
    card: int | None
    """None if these eyes do not see its face."""
    deck: int | None
    """``Deck``; None if these eyes do not see its back."""
    origin: CardPlace
    destination: CardPlace
    at_random: bool
    """Whether it was chosen by chance."""
    secrecy: Secrecy

    def seen_by(self, seat: int) -> Event:
        if seat == self.seat or self.secrecy == Secrecy.OPEN:
            return self
        deck = self.deck if self.secrecy == Secrecy.BACK else None
        return dataclasses.replace(self, card=None, deck=deck)


@dataclasses.dataclass(frozen=True)
class CardGiven(Event):
    """A card went to the hand of the partner, who gave one for it (R13.2.3); both know which."""

    giver: int
    seat: int
    """Who holds it now."""
    card: int | None
    """None if these eyes do not see its face."""
    deck: int
    """``Deck``: its back."""

    def seen_by(self, seat: int) -> Event:
        return self if seat in (self.giver, self.seat) else dataclasses.replace(self, card=None)


# --- Politics. ---


@dataclasses.dataclass(frozen=True)
class NationActivated(Event):
    """A nation became active."""

    nation: Nation


@dataclasses.dataclass(frozen=True)
class NationAdvanced(Event):
    """A nation moved on the political track, seldom back."""

    nation: Nation
    before: int
    steps_to_war: int
    """0: At War."""


# --- The Fellowship and the Hunt. ---


@dataclasses.dataclass(frozen=True)
class FellowshipMoved(Event):
    """The Fellowship moved, hidden."""

    progress: int


@dataclasses.dataclass(frozen=True)
class FellowshipPlaced(Event):
    """The figure of the Fellowship was placed anew: it was declared, revealed or driven."""

    region: int
    progress: int


@dataclasses.dataclass(frozen=True)
class FellowshipSeen(Event):
    """The Fellowship was revealed, or hides again."""

    revealed: bool


@dataclasses.dataclass(frozen=True)
class MordorStep(Event):
    """The Fellowship is on the Mordor Track."""

    step: int


@dataclasses.dataclass(frozen=True)
class GuideChanged(Event):
    """Another one guides the Fellowship."""

    character: int


@dataclasses.dataclass(frozen=True)
class CorruptionChanged(Event):
    """The Ring-bearers took Corruption, or lost some."""

    before: int
    corruption: int


@dataclasses.dataclass(frozen=True)
class HuntBegan(Event):
    """A Hunt for the Ring."""

    cause: HuntCause


@dataclasses.dataclass(frozen=True)
class HuntDamage(Event):
    """The damage of the Hunt, and what is left of it."""

    before: int
    damage: int


@dataclasses.dataclass(frozen=True)
class TileMoved(Event):
    """A Hunt tile went somewhere otherwise than by a random draw."""

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
    """A side has one more unused action die, without a roll."""

    side: Side
    face: Face


@dataclasses.dataclass(frozen=True)
class HuntBoxChanged(Event):
    """Dice of a side in the Hunt Box."""

    side: Side
    dice: int


@dataclasses.dataclass(frozen=True)
class PoolChanged(Event):
    """Action dice that a side has in all."""

    side: Side
    dice: int


@dataclasses.dataclass(frozen=True)
class RingsChanged(Event):
    """Elven Rings of a side."""

    side: Side
    rings: int


EVENT_TYPES: tuple[type[Event], ...] = tuple(Event.__subclasses__())
"""Every kind of event."""

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
    """The value of a field of this name for JSON: numbers of objects become their ids."""
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
