"""The course of a game of War of the Ring: the events that a study counts, collected by a replay."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from wotr_env import GameRecord
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    CardZone,
    Character,
    Decision,
    Face,
    Frame,
    HuntCause,
    Location,
    Nation,
    Phase,
    Plan,
    Reason,
    Roll,
    Side,
    Verb,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import IS_COMPANION, REGION_SIDE, VICTORY_POINTS
from wotr_env.games.war_of_the_ring.engine.observation_layout import At
from wotr_env.games.war_of_the_ring.events.trace import Trace, trace_of
from wotr_env.games.war_of_the_ring.events.types import (
    BattleBegan,
    CardMoved,
    CardPlace,
    CharacterMoved,
    Decided,
    Event,
    FellowshipMoved,
    FellowshipSeen,
    GuideChanged,
    HuntBegan,
    MordorStep,
    NationActivated,
    NationAdvanced,
    PhaseBegan,
    RegionTaken,
    Rolled,
    TileDrawn,
    TurnBegan,
)
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.games.war_of_the_ring.rules.stack import KIND
from wotr_env.games.war_of_the_ring.seating import side_of
from wotr_env.games.war_of_the_ring.state import NUM_FACES, NUM_SIDES
from wotr_env.play.replaying import Replay

NO_TILE = -1


@dataclasses.dataclass
class Hunt:
    """A Hunt for the Ring."""

    turn: int
    cause: HuntCause
    dice: int = 0
    """Number of dice rolled, not counting dice rolled again."""
    successes: int = 0
    """Number of successes, including dice rolled again."""
    tile: int = NO_TILE
    """The last tile that was drawn in the Hunt."""
    reveals: bool = False
    """Whether the Hunt revealed the Fellowship."""


@dataclasses.dataclass
class Turn:
    """A turn; the last turn may be incomplete."""

    number: int
    allocated: int | None = None
    """Number of dice that the Shadow put into the Hunt Box; None: the game ended before."""
    rolled: np.ndarray | None = None
    """``int64[sides, faces]``: the action dice rolled in the turn; None: the game ended before."""
    uses: list[tuple[Side, Face, Plan]] = dataclasses.field(default_factory=list)
    """The dice used: the side, the face at that time, and the plan."""
    passes: list[Side] = dataclasses.field(default_factory=list)
    rings: list[tuple[Side, Face, Face]] = dataclasses.field(default_factory=list)
    """The Elven Rings used: the side, the face before, and the face after."""
    walked: int = 0
    """Regions of progress, and steps on the Mordor Track, in this turn."""
    corruption: int = 0
    """Corruption at the end of the turn; the following fields are also for the end of the turn."""
    points: tuple[int, int] = (0, 0)
    """Victory points by side."""
    revealed: bool = False
    mordor_step: int = 0
    companions: int = 0
    """Number of Companions in the Fellowship."""

    @property
    def eyes(self) -> int:
        """Number of Eyes that the Shadow rolled in the turn."""
        return 0 if self.rolled is None else int(self.rolled[Side.SHADOW, Face.EYE])


@dataclasses.dataclass(frozen=True)
class Stop:
    """A place where the Fellowship was shown on the map."""

    turn: int
    region: int
    declared: bool
    """Whether the Fellowship was declared there; otherwise it was revealed."""


@dataclasses.dataclass(frozen=True)
class CompanionDeparture:
    """The departure of a Companion from the Fellowship."""

    turn: int
    character: Character
    separated: bool
    """Whether the Companion was separated; otherwise he was lost: eliminated, or taken."""


@dataclasses.dataclass
class EventHistory:
    """The events of a game. Regions, cards and tiles are numbers, as in the state."""

    decisions: int
    """Number of decisions in the record."""
    winner: Winner = Winner.NONE
    reason: Reason = Reason.NONE
    turns: list[Turn] = dataclasses.field(default_factory=list)
    hunts: list[Hunt] = dataclasses.field(default_factory=list)
    stops: list[Stop] = dataclasses.field(default_factory=list)
    guides: list[tuple[int, Character]] = dataclasses.field(default_factory=list)
    """The Guides after the first one, each with the turn of the change."""
    leavings: list[CompanionDeparture] = dataclasses.field(default_factory=list)
    entered_mordor: int | None = None
    """The turn in which the Fellowship entered Mordor; None: never."""
    companions_at_gate: int | None = None
    """Number of Companions in the Fellowship when it entered Mordor."""
    corruption_at_gate: int | None = None
    """Corruption when the Fellowship entered Mordor."""
    activated: dict[Nation, int] = dataclasses.field(default_factory=dict)
    """By nation: the turn in which it became active."""
    at_war: dict[Nation, int] = dataclasses.field(default_factory=dict)
    """By nation: the turn in which it was first At War."""
    came: dict[Character, int] = dataclasses.field(default_factory=dict)
    """By character (Minions, Gandalf the White and Aragorn): the turn in which he came into play."""
    captures: dict[int, int] = dataclasses.field(default_factory=dict)
    """By region with a City or Stronghold: the turn in which the enemy first took it, in order of the
    captures."""
    battles: list[tuple[int, Side, BattleKind]] = dataclasses.field(default_factory=list)
    """The battles: turn, attacker, kind."""
    drawn: dict[int, int] = dataclasses.field(default_factory=dict)
    """By card: the turn in which it was first drawn."""
    played: dict[int, int] = dataclasses.field(default_factory=dict)
    """By card: the turn in which it was first played as an event."""
    fought: dict[int, int] = dataclasses.field(default_factory=dict)
    """By card: the turn in which it was first used as a Combat card."""

    @property
    def length(self) -> int:
        """Number of turns that have begun."""
        return self.turns[-1].number

    @property
    def end(self) -> Turn:
        """The last turn, in its state at the end of the game."""
        return self.turns[-1]


def event_histories(records: Sequence[GameRecord]) -> list[EventHistory]:
    """The courses of games, in the order of their records.

    Args:
        records: records of finished games of War of the Ring, all with one ruleset.

    Raises:
        RecordError: a record does not replay.
    """
    if not records:
        return []
    replay = Replay(records)
    courses = [EventHistory(len(record.actions)) for record in replay.records]
    for course, state in zip(courses, replay.states, strict=True):
        _begin(course, state)
    for number in range(int(replay.lengths[0])):
        for game, action in enumerate(replay.chosen(number).tolist()):
            _follow(courses[game], trace_of(replay.states[game], action))
        replay.step(number)
    replay.check()
    for course, state in zip(courses, replay.states, strict=True):
        course.winner, course.reason = Winner(int(state["winner"])), Reason(int(state["reason"]))
        _close(course.end, state)
    by_place = sorted(zip(replay.order, courses, strict=True), key=lambda pair: pair[0])
    return [course for _, course in by_place]


def _begin(course: EventHistory, state: np.record) -> None:
    """Starts a course at the first decision. The cards drawn before it belong to no step."""
    course.turns.append(Turn(int(state["turn"])))
    in_hand = (state["card_zone"] >= CardZone.HAND) & (state["card_zone"] < CardZone.TABLE)
    course.drawn |= dict.fromkeys(np.flatnonzero(in_hand).tolist(), course.end.number)


def _follow(course: EventHistory, trace: Trace) -> None:
    """Adds a step of the game."""
    for number, events in enumerate(trace.moves):
        before, after = trace.states[number], trace.states[number + 1]
        if any(isinstance(event, PhaseBegan) and event.phase == Phase.ACTION for event in events):
            course.end.rolled = _rolled(events)
        for event in events:
            _note(course, event, before, after)


def _rolled(events: Sequence[Event]) -> np.ndarray:
    """The faces of the action dice roll of a turn: ``int64[sides, faces]``."""
    faces = np.zeros((NUM_SIDES, NUM_FACES), dtype=np.int64)
    for event in events:
        if isinstance(event, Rolled):
            for face in event.faces:
                faces[event.side, face] += 1
    return faces


def _note(course: EventHistory, event: Event, before: np.record, after: np.record) -> None:
    """Adds an event of the move between two positions to the course, if a study counts it."""
    turn = course.end
    match event:
        case Decided():
            _note_choice(course, event, before)
        case TurnBegan():
            _close(turn, after)
            course.turns.append(Turn(event.turn))
        case FellowshipMoved(progress):
            turn.walked += progress - int(before["progress"])
        case MordorStep(step):
            turn.walked += step - int(before["mordor_step"])
            if not before["mordor_step"]:
                course.entered_mordor = turn.number
                course.companions_at_gate = _companions(after)
                course.corruption_at_gate = int(after["corruption"])
        case FellowshipSeen(revealed=True):
            _note_reveal(course, after)
        case GuideChanged(character):
            course.guides.append((turn.number, Character(character)))
        case HuntBegan(cause):
            course.hunts.append(Hunt(turn.number, cause))
        case Rolled(roll=Roll.HUNT | Roll.HUNT_REROLL):
            hunt = course.hunts[-1]
            hunt.dice += len(event.values) if event.roll == Roll.HUNT else 0
            hunt.successes += event.successes
        case TileDrawn(_, tile) if _is_hunting(before) or _is_hunting(after):
            course.hunts[-1].tile = tile
        case CharacterMoved():
            _note_character(course, event)
        case NationActivated(nation):
            course.activated.setdefault(nation, turn.number)
        case NationAdvanced(nation, _, 0):
            course.at_war.setdefault(nation, turn.number)
        case RegionTaken(region, side) if VICTORY_POINTS[region] and REGION_SIDE[region] != side:
            course.captures.setdefault(region, turn.number)
        case BattleBegan(side, battle):
            course.battles.append((turn.number, side, battle))
        case CardMoved(card=int(card), origin=CardPlace.DECK, destination=CardPlace.HAND):
            course.drawn.setdefault(card, turn.number)


def _note_choice(course: EventHistory, event: Decided, before: np.record) -> None:
    turn, side = course.end, Side(side_of(event.seat))
    assert event.action is not None, "with all that is hidden"
    match event.decision:
        case Decision.HUNT_ALLOCATION:
            turn.allocated = event.action - Block.COUNT
        case Decision.ACTION_DIE if event.action == Block.VERB + Verb.PASS:
            turn.passes.append(side)
        case Decision.ACTION_PLAN:
            turn.uses.append((side, Face(int(before["action_face"])), Plan(event.action - Block.PLAN)))
        case Decision.RING_FACE:
            faces = Face(int(before["action_face"])), Face(event.action - Block.FACE)
            turn.rings.append((side, *faces))
        case Decision.DECLARE_FELLOWSHIP if event.action != Block.VERB + Verb.DECLINE:
            course.stops.append(Stop(turn.number, event.action - Block.REGION, declared=True))
        case Decision.EVENT_CARD | Decision.COMBAT_CARD if Block.CARD <= event.action < Block.CHARACTER:
            used = course.played if event.decision == Decision.EVENT_CARD else course.fought
            used.setdefault(event.action - Block.CARD, turn.number)


def _note_reveal(course: EventHistory, after: np.record) -> None:
    """Notes that the Fellowship was revealed, on the map or on the Mordor Track."""
    if _is_hunting(after):
        course.hunts[-1].reveals = True
    if after["fellowship_region"] >= 0:
        stop = Stop(course.end.number, int(after["fellowship_region"]), declared=False)
        course.stops.append(stop)


def _note_character(course: EventHistory, event: CharacterMoved) -> None:
    turn, who = course.end.number, Character(event.character)
    if event.origin == Location.IN_FELLOWSHIP and IS_COMPANION[who]:
        course.leavings.append(CompanionDeparture(turn, who, separated=event.destination >= 0))
    elif event.origin == Location.ASIDE and event.destination >= 0:
        course.came.setdefault(who, turn)


def _is_hunting(state: np.record) -> bool:
    """Whether a Hunt is in progress."""
    return bool((state["stack"][: int(state["depth"]), KIND] == Frame.HUNT).any())


def _companions(state: np.record) -> int:
    """Number of Companions in the Fellowship."""
    return int(((state["location"] == Location.IN_FELLOWSHIP) & (IS_COMPANION == 1)).sum())


def _close(turn: Turn, state: np.record) -> None:
    """Writes the fields of a turn at its end, or at the end of the game."""
    seen = observe(np.array([state]), Side.FREE_PEOPLES)
    free_peoples, shadow = seen[0, At.VICTORY_POINTS : At.VICTORY_POINTS + NUM_SIDES].tolist()
    turn.points = (free_peoples, shadow)
    turn.corruption = int(state["corruption"])
    turn.revealed = bool(state["revealed"])
    turn.mordor_step = int(state["mordor_step"])
    turn.companions = _companions(state)
