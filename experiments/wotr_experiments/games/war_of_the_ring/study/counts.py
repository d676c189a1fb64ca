"""The figures of a study: counts of events in N games, for JSON.

A share of games has a 95% Wilson interval. Dice of one game are not independent, so the interval of a share
of dice is computed from the differences between games. Games that ended before a turn do not count for this
turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Face, Plan, Reason, Side, Winner
from wotr_experiments.arena.summary import counts, share
from wotr_experiments.games.war_of_the_ring.study.event_history import NO_TILE, EventHistory, Turn
from wotr_experiments.games.war_of_the_ring.study.journey import (
    companion_statistics,
    fellowship_statistics,
    hunt_statistics,
)
from wotr_experiments.games.war_of_the_ring.study.measures import happened, mean, numbers, ratio
from wotr_experiments.games.war_of_the_ring.study.war import (
    battle_statistics,
    capture_statistics,
    card_statistics,
    character_statistics,
    nation_statistics,
    rush_statistics,
)

BANDS: tuple[tuple[int, int | None], ...] = ((1, 2), (3, 4), (5, 6), (7, 8), (9, None))
"""First and last turns of groups of turns; None: the last turn of the game."""
HUNT_BOX = "hunt_box"
"""The name of a die that the Shadow puts into the Hunt Box by choice, among the uses of dice."""
EYE = "eye"
"""The name of a die that shows an Eye, among the uses of dice."""


def game_statistics(courses: Sequence[EventHistory]) -> dict[str, Any]:
    """The figures of at least one game."""
    return {
        "games": len(courses),
        "ends": _ends(courses),
        "turns": _turns(courses),
        "dice": {side: _dice(courses, Side(number)) for number, side in enumerate(SIDE_IDS)},
        "hunt": hunt_statistics(courses),
        "fellowship": fellowship_statistics(courses),
        "companions": companion_statistics(courses),
        "nations": nation_statistics(courses),
        "characters": character_statistics(courses),
        "captures": capture_statistics(courses),
        "battles": battle_statistics(courses),
        "cards": card_statistics(courses),
        "rush": rush_statistics(courses),
    }


# --- Ends. ---


def _ends(courses: Sequence[EventHistory]) -> dict[str, Any]:
    by_winner = {
        winner.name.lower(): [course for course in courses if course.winner == winner]
        for winner in (Winner.FREE_PEOPLES, Winner.SHADOW, Winner.DRAW)
    }
    return {
        "winners": {name: share(len(won), len(courses)) for name, won in by_winner.items()},
        "reasons": {
            reason.name.lower(): happened(
                [course.length if course.reason == reason else None for course in courses]
            )
            for reason in Reason
            if reason != Reason.NONE
        },
        "lengths": {name: _lengths(some) for name, some in {"all": courses, **by_winner}.items()},
        "corruption": counts(course.end.corruption for course in courses),
        "points": {
            side: mean(course.end.points[number] for course in courses)
            for number, side in enumerate(SIDE_IDS)
        },
        "decisions": mean(course.decisions for course in courses),
    }


def _lengths(courses: Sequence[EventHistory]) -> dict[str, Any]:
    turns = [course.length for course in courses]
    return {
        **mean(turns),
        "median": float(np.median(turns)) if turns else None,
        "turns": counts(turns),
    }


# --- Turn by turn. ---


def _turns(courses: Sequence[EventHistory]) -> list[dict[str, Any]]:
    longest = max(course.length for course in courses)
    by_turn: list[list[tuple[EventHistory, Turn]]] = [[] for _ in range(longest)]
    for course in courses:
        for turn in course.turns:
            by_turn[turn.number - 1].append((course, turn))
    return [_turn(number, found) for number, found in enumerate(by_turn, start=1)]


def _turn(number: int, found: Sequence[tuple[EventHistory, Turn]]) -> dict[str, Any]:
    turns = [turn for _, turn in found]
    allocated = [turn.allocated for turn in turns if turn.allocated is not None]
    eyes = [turn.eyes for turn in turns if turn.rolled is not None]
    moves = [sum(plan == Plan.MOVE_FELLOWSHIP for _, _, plan in turn.uses) for turn in turns]
    walked = [sum(turn.walked for turn in course.turns[:number]) for course, _ in found]
    hunts = [[hunt for hunt in course.hunts if hunt.turn == number] for course, _ in found]
    return {
        "turn": number,
        "games": len(turns),
        "allocated": numbers(allocated),
        "eyes": numbers(eyes),
        "box": mean(
            turn.allocated + turn.eyes
            for turn in turns
            if turn.rolled is not None and turn.allocated is not None
        ),
        "fellowship_moves": numbers(moves),
        "walked": mean(walked),
        "hunts": mean(len(some) for some in hunts),
        "tiles": mean(sum(hunt.tile != NO_TILE for hunt in some) for some in hunts),
        "reveals": share(sum(any(hunt.reveals for hunt in some) for some in hunts), len(turns)),
        "revealed_at_end": share(sum(turn.revealed for turn in turns), len(turns)),
        "in_mordor": share(sum(turn.mordor_step > 0 for turn in turns), len(turns)),
        "corruption": mean(turn.corruption for turn in turns),
        "companions": mean(turn.companions for turn in turns),
        "points": {side: mean(turn.points[place] for turn in turns) for place, side in enumerate(SIDE_IDS)},
        "ended": share(sum(course.length == number for course, _ in found), len(turns)),
    }


# --- Action dice. ---


def band_name(band: tuple[int, int | None]) -> str:
    """The name of a group of turns: ``1 to 2``, or ``9 and on``."""
    first, last = band
    return f"{first} and on" if last is None else f"{first} to {last}"


def _dice(courses: Sequence[EventHistory], side: Side) -> dict[str, Any]:
    bands = {band_name(band): band for band in BANDS} | {"all": (1, None)}
    within = {name: [_within(course, band) for course in courses] for name, band in bands.items()}
    uses = {name: [_uses(turns, side) for turns in games] for name, games in within.items()}
    known = sorted({use for used in uses["all"] for use in used}, key=_order_of_use)
    rolled = [_rolled(turns, side) for turns in within["all"]]
    faces = [face for face in Face if any(each[face] for each in rolled)]
    return {
        "faces": {
            face.name.lower(): ratio([each[face] for each in rolled], [sum(each.values()) for each in rolled])
            for face in faces
        },
        "uses": {
            use: {
                name: ratio([used[use] for used in games], [sum(used.values()) for used in games])
                for name, games in uses.items()
            }
            for use in known
        },
        "by_face": _by_face(courses, side),
        "passes": mean(sum(turn.passes.count(side) for turn in course.turns) for course in courses),
        "rings": _rings(courses, side),
    }


def _within(course: EventHistory, band: tuple[int, int | None]) -> list[Turn]:
    first, last = band
    return [turn for turn in course.turns if first <= turn.number <= (last or course.length)]


def _rolled(turns: Sequence[Turn], side: Side) -> Counter[Face]:
    found: Counter[Face] = Counter()
    for turn in turns:
        if turn.rolled is not None:
            found += Counter({face: int(turn.rolled[side, face]) for face in Face})
    return found


def _uses(turns: Sequence[Turn], side: Side) -> Counter[str]:
    """Counts of the uses of a side's dice, including those of the Shadow in the Hunt Box."""
    found = Counter(plan.name.lower() for turn in turns for who, _, plan in turn.uses if who == side)
    if side == Side.SHADOW:
        found[HUNT_BOX] += sum(turn.allocated or 0 for turn in turns)
        found[EYE] += sum(turn.eyes for turn in turns)
    return found


def _order_of_use(use: str) -> int:
    """The position of a use in tables: the Hunt Box first, then the plans in order, and unused dice last."""
    if use in (HUNT_BOX, EYE):
        return -2 if use == HUNT_BOX else -1
    plan = Plan[use.upper()]
    return len(Plan) if plan == Plan.SKIP else int(plan)


def _by_face(courses: Sequence[EventHistory], side: Side) -> dict[str, dict[str, int]]:
    """Counts of the uses of dice, by the face that they showed."""
    found: dict[Face, Counter[str]] = {face: Counter() for face in Face}
    for course in courses:
        for turn in course.turns:
            for who, face, plan in turn.uses:
                if who == side:
                    found[face][plan.name.lower()] += 1
    return {
        face.name.lower(): dict(sorted(uses.items(), key=lambda item: _order_of_use(item[0])))
        for face, uses in found.items()
        if uses
    }


def _rings(courses: Sequence[EventHistory], side: Side) -> dict[str, Any]:
    """The Elven Rings of a side: the number of games with a Ring used, the turn of the first use, and the
    purpose."""
    used = [
        [
            (turn.number, before, after)
            for turn in course.turns
            for who, before, after in turn.rings
            if who == side
        ]
        for course in courses
    ]
    changes = Counter((before, after) for rings in used for _, before, after in rings)
    first = [rings[0][0] for rings in used if rings]
    return {
        **share(len(first), len(courses)),
        "turn": mean(first),
        "used": mean(len(rings) for rings in used),
        "changes": [
            {"from": before.name.lower(), "to": after.name.lower(), "count": count}
            for (before, after), count in changes.most_common()
        ],
    }
