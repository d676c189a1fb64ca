"""The figures of the Hunt, of the Fellowship and of the Companions."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from wotr_env.games.war_of_the_ring.codes import Character, HuntCause, Region, Side
from wotr_env.games.war_of_the_ring.components import CHARACTER_NAMES, IS_COMPANION, REGION_NAMES, TILE_NAMES
from wotr_experiments.arena.summary import counts, share
from wotr_experiments.games.war_of_the_ring.study.event_history import NO_TILE, EventHistory, Hunt
from wotr_experiments.games.war_of_the_ring.study.measures import happened, mean, ratio, won

_MOST_PATHS = 12
_MORDOR = "Mordor"
"""The last entry of a path that ends in Mordor."""


def hunt_statistics(courses: Sequence[EventHistory]) -> dict[str, Any]:
    """The Hunts by cause, the number of successful Hunts, and the tiles."""
    by_cause = {
        cause.name.lower(): mean(sum(hunt.cause == cause for hunt in course.hunts) for course in courses)
        for cause in HuntCause
    }
    tiles = [Counter(hunt.tile for hunt in course.hunts if hunt.tile != NO_TILE) for course in courses]
    drawn = sorted({tile for counts in tiles for tile in counts})
    named: dict[str, list[int]] = {}
    for tile in drawn:  # several tiles are the same
        named.setdefault(TILE_NAMES[tile], []).append(tile)
    rolled = [[hunt for hunt in course.hunts if hunt.cause == HuntCause.MOVE] for course in courses]
    most = max((hunt.dice for hunts in rolled for hunt in hunts), default=0)
    return {
        "causes": by_cause,
        "rolls": [_roll(rolled, dice) for dice in range(most + 1)],
        "hunts": mean(len(course.hunts) for course in courses),
        "tiles": mean(sum(counts.values()) for counts in tiles),
        "reveals": mean(sum(hunt.reveals for hunt in course.hunts) for course in courses),
        "drawn": {
            name: ratio(
                [sum(counts[tile] for tile in same) for counts in tiles],
                [sum(counts.values()) for counts in tiles],
            )
            for name, same in named.items()
        },
    }


def _roll(rolled: Sequence[Sequence[Hunt]], dice: int) -> dict[str, Any]:
    """Hunts for a move outside Mordor with this number of dice, and how many of them were successful."""
    found = [[hunt for hunt in hunts if hunt.dice == dice] for hunts in rolled]
    successes = ratio(
        [sum(hunt.successes > 0 for hunt in hunts) for hunts in found], [len(hunts) for hunts in found]
    )
    return {"dice": dice, **successes}


# --- The Fellowship. ---


def fellowship_statistics(courses: Sequence[EventHistory]) -> dict[str, Any]:
    """The regions where the Fellowship is shown, its paths, the turn in which it enters Mordor, its progress
    there, and its Guides."""
    entered = [course for course in courses if course.entered_mordor is not None]
    steps = Counter(course.end.mordor_step for course in entered)
    return {
        "entered": happened([course.entered_mordor for course in courses]),
        "won_if_entered": won(entered, Side.FREE_PEOPLES),
        "won_if_not": won([course for course in courses if course.entered_mordor is None], Side.FREE_PEOPLES),
        "corruption_at_gate": mean(
            course.corruption_at_gate for course in courses if course.corruption_at_gate is not None
        ),
        "companions_at_gate": mean(
            course.companions_at_gate for course in courses if course.companions_at_gate is not None
        ),
        "companions_at_gate_counts": counts(
            course.companions_at_gate for course in courses if course.companions_at_gate is not None
        ),
        "last_step": {str(step): share(count, len(entered)) for step, count in sorted(steps.items())},
        "declared": mean(sum(stop.declared for stop in course.stops) for course in courses),
        "revealed": mean(sum(not stop.declared for stop in course.stops) for course in courses),
        "regions": _regions(courses),
        "paths": _paths(courses),
        "guides": _guides(courses),
    }


def _regions(courses: Sequence[EventHistory]) -> list[dict[str, Any]]:
    """The regions in which the Fellowship was declared or revealed, sorted by number of games."""
    found = {stop.region for course in courses for stop in course.stops}
    rows = []
    for region in sorted(found):
        stops = [[stop for stop in course.stops if stop.region == region] for course in courses]
        turns = [each[0].turn for each in stops if each]
        rows.append(
            {
                "region": REGION_NAMES[region],
                **share(len(turns), len(courses)),
                "turn": mean(turns),
                "declared": share(sum(any(stop.declared for stop in each) for each in stops), len(courses)),
                "revealed": share(
                    sum(any(not stop.declared for stop in each) for each in stops), len(courses)
                ),
            }
        )
    return sorted(rows, key=lambda row: -row["count"])


def _paths(courses: Sequence[EventHistory]) -> dict[str, Any]:
    """The sequences of regions in which the Fellowship was shown, starting with Rivendell, sorted by
    frequency."""
    paths = Counter(_path(course) for course in courses)
    return {
        "different": len(paths),
        "most": [
            {"path": list(path), **share(count, len(courses))}
            for path, count in sorted(paths.items(), key=lambda item: (-item[1], item[0]))[:_MOST_PATHS]
        ],
    }


def _path(course: EventHistory) -> tuple[str, ...]:
    regions = [int(Region.RIVENDELL), *(stop.region for stop in course.stops)]
    names = [REGION_NAMES[region] for region, _ in itertools.groupby(regions)]
    return (*names, *([_MORDOR] if course.entered_mordor is not None else []))


def _guides(courses: Sequence[EventHistory]) -> list[dict[str, Any]]:
    """The Guides: the number of games in which each became Guide, and the first turn."""
    first = [_first_turns(course.guides) for course in courses]
    return [
        {"character": CHARACTER_NAMES[who], **happened([turns.get(who) for turns in first])}
        for who in Character
        if any(who in turns for turns in first)
    ]


def _first_turns(events: Iterable[tuple[int, Character]]) -> dict[Character, int]:
    """The first turn of each character, from pairs of turn and character in order."""
    found: dict[Character, int] = {}
    for turn, who in events:
        found.setdefault(who, turn)
    return found


# --- Companions. ---


def companion_statistics(courses: Sequence[EventHistory]) -> list[dict[str, Any]]:
    """For each Companion: the number of games in which he was separated from the Fellowship or lost, and the
    turns."""
    separated, lost = (
        [
            _first_turns(
                (leaving.turn, leaving.character) for leaving in course.leavings if leaving.separated == alive
            )
            for course in courses
        ]
        for alive in (True, False)
    )
    return [
        {
            "character": CHARACTER_NAMES[who],
            "separated": happened([turns.get(who) for turns in separated]),
            "lost": happened([turns.get(who) for turns in lost]),
        }
        for who in Character
        if IS_COMPANION[who] and any(who in turns for turns in (*separated, *lost))
    ]
