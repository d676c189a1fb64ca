"""The course of a game of War of the Ring: the events that a study counts, collected in a replay."""

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
from wotr_env.games.war_of_the_ring.engine.layout import At
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
    """Rolled, without those rolled again."""
    successes: int = 0
    """With those rolled again."""
    tile: int = NO_TILE
    """The last that was drawn for it."""
    reveals: bool = False
    """Whether the Fellowship became Revealed in it."""


@dataclasses.dataclass
class Turn:
    """A turn, or what was played of the last one."""

    number: int
    allocated: int | None = None
    """Dice that the Shadow put into the Hunt Box; None: it did not come to that."""
    rolled: np.ndarray | None = None
    """``int64[sides, faces]``: of the roll of the turn; None: it did not come to that."""
    uses: list[tuple[Side, Face, Plan]] = dataclasses.field(default_factory=list)
    """Dice taken, the face shown then, and what for."""
    passes: list[Side] = dataclasses.field(default_factory=list)
    rings: list[tuple[Side, Face, Face]] = dataclasses.field(default_factory=list)
    """Elven Rings used: the face before and after."""
    walked: int = 0
    """Regions of progress, and steps on the Mordor Track."""
    corruption: int = 0
    """At the end of the turn, as all that follows."""
    points: tuple[int, int] = (0, 0)
    """Victory points by side."""
    revealed: bool = False
    mordor_step: int = 0
    companions: int = 0
    """In the Fellowship."""

    @property
    def eyes(self) -> int:
        """That the Shadow rolled for the turn."""
        return 0 if self.rolled is None else int(self.rolled[Side.SHADOW, Face.EYE])


@dataclasses.dataclass(frozen=True)
class Stop:
    """The Fellowship was shown on the map."""

    turn: int
    region: int
    declared: bool
    """Otherwise revealed."""


@dataclasses.dataclass(frozen=True)
class Leaving:
    """A Companion left the Fellowship."""

    turn: int
    character: Character
    separated: bool
    """Otherwise lost: eliminated, or taken."""


@dataclasses.dataclass
class Course:
    """What happened in a game. Regions, cards and tiles are numbers, as in the state."""

    decisions: int
    """Choices of the record."""
    winner: Winner = Winner.NONE
    reason: Reason = Reason.NONE
    turns: list[Turn] = dataclasses.field(default_factory=list)
    hunts: list[Hunt] = dataclasses.field(default_factory=list)
    stops: list[Stop] = dataclasses.field(default_factory=list)
    guides: list[tuple[int, Character]] = dataclasses.field(default_factory=list)
    """Turn, and who became Guide after the first one."""
    leavings: list[Leaving] = dataclasses.field(default_factory=list)
    entered_mordor: int | None = None
    """The turn; None: never."""
    companions_at_gate: int | None = None
    """In the Fellowship when it entered Mordor."""
    corruption_at_gate: int | None = None
    """Then."""
    activated: dict[Nation, int] = dataclasses.field(default_factory=dict)
    """The turn in which a nation became active."""
    at_war: dict[Nation, int] = dataclasses.field(default_factory=dict)
    """The turn in which it was first At War."""
    came: dict[Character, int] = dataclasses.field(default_factory=dict)
    """Minions, Gandalf the White and Aragorn: the turn in which they came into play."""
    captures: dict[int, int] = dataclasses.field(default_factory=dict)
    """By region with a City or Stronghold: the turn in which its enemy first took it, in the order of the
    captures."""
    battles: list[tuple[int, Side, BattleKind]] = dataclasses.field(default_factory=list)
    """Turn, attacker, kind."""
    drawn: dict[int, int] = dataclasses.field(default_factory=dict)
    """By card: the turn in which it was first drawn."""
    played: dict[int, int] = dataclasses.field(default_factory=dict)
    """By card: the turn in which it was first played as an event."""
    fought: dict[int, int] = dataclasses.field(default_factory=dict)
    """By card: the turn in which it was first a Combat card."""

    @property
    def length(self) -> int:
        """Turns begun."""
        return self.turns[-1].number

    @property
    def end(self) -> Turn:
        """The last turn, as the game ended."""
        return self.turns[-1]


def courses_of(records: Sequence[GameRecord]) -> list[Course]:
    """The courses of games, in their order.

    Args:
        records: of finished games of War of the Ring, all by one ruleset.

    Raises:
        RecordError: a record does not replay.
    """
    if not records:
        return []
    replay = Replay(records)
    courses = [Course(len(record.actions)) for record in replay.records]
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


def _begin(course: Course, state: np.record) -> None:
    """The first decision; the cards drawn before it are the events of no step."""
    course.turns.append(Turn(int(state["turn"])))
    in_hand = (state["card_zone"] >= CardZone.HAND) & (state["card_zone"] < CardZone.TABLE)
    course.drawn |= dict.fromkeys(np.flatnonzero(in_hand).tolist(), course.end.number)


def _follow(course: Course, trace: Trace) -> None:
    """A step of the game."""
    for number, events in enumerate(trace.moves):
        before, after = trace.states[number], trace.states[number + 1]
        if any(isinstance(event, PhaseBegan) and event.phase == Phase.ACTION for event in events):
            course.end.rolled = _rolled(events)
        for event in events:
            _note(course, event, before, after)


def _rolled(events: Sequence[Event]) -> np.ndarray:
    """The faces of the roll of a turn: ``int64[sides, faces]``."""
    faces = np.zeros((NUM_SIDES, NUM_FACES), dtype=np.int64)
    for event in events:
        if isinstance(event, Rolled):
            for face in event.faces:
                faces[event.side, face] += 1
    return faces


def _note(course: Course, event: Event, before: np.record, after: np.record) -> None:
    """What a study counts of an event, which is of the move between two positions."""
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


def _note_choice(course: Course, event: Decided, before: np.record) -> None:
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


def _note_reveal(course: Course, after: np.record) -> None:
    """The Fellowship became Revealed, on the map or on the Mordor Track."""
    if _is_hunting(after):
        course.hunts[-1].reveals = True
    if after["fellowship_region"] >= 0:
        stop = Stop(course.end.number, int(after["fellowship_region"]), declared=False)
        course.stops.append(stop)


def _note_character(course: Course, event: CharacterMoved) -> None:
    turn, who = course.end.number, Character(event.character)
    if event.origin == Location.IN_FELLOWSHIP and IS_COMPANION[who]:
        course.leavings.append(Leaving(turn, who, separated=event.destination >= 0))
    elif event.origin == Location.ASIDE and event.destination >= 0:
        course.came.setdefault(who, turn)


def _is_hunting(state: np.record) -> bool:
    """Whether a Hunt is not finished."""
    return bool((state["stack"][: int(state["depth"]), KIND] == Frame.HUNT).any())


def _companions(state: np.record) -> int:
    """In the Fellowship."""
    return int(((state["location"] == Location.IN_FELLOWSHIP) & (IS_COMPANION == 1)).sum())


def _close(turn: Turn, state: np.record) -> None:
    """The end of a turn, or of the game."""
    seen = observe(np.array([state]), Side.FREE_PEOPLES)
    free_peoples, shadow = seen[0, At.VICTORY_POINTS : At.VICTORY_POINTS + NUM_SIDES].tolist()
    turn.points = (free_peoples, shadow)
    turn.corruption = int(state["corruption"])
    turn.revealed = bool(state["revealed"])
    turn.mordor_step = int(state["mordor_step"])
    turn.companions = _companions(state)
