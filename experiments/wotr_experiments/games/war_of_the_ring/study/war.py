"""The figures of nations, characters, captures, battles and cards, and of the rush for Settlements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from wotr_env.games.war_of_the_ring.codes import (
    SIDE_IDS,
    BattleKind,
    Character,
    Deck,
    Nation,
    Reason,
    Region,
    Side,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_NAMES,
    CHARACTER_NAMES,
    CHARACTER_SIDE,
    NATION_NAMES,
    NATION_SIDE,
    NUM_CARDS,
    REGION_NAMES,
    REGION_SIDE,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, CARDS_PER_SIDE
from wotr_experiments.arena.summary import counts, share
from wotr_experiments.games.war_of_the_ring.study.event_history import EventHistory, Turn
from wotr_experiments.games.war_of_the_ring.study.measures import happened, mean, won

EARLY = 5
"""Number of first turns in which a rush happens."""
RUSHED = (Region.DALE, Region.WOODLAND_REALM, Region.PELARGIR, Region.HELMS_DEEP, Region.EREBOR)
"""The Settlements that fell in the rush that networks learned."""
_HUNTERS = ((0, 0), (1, 2), (3, 4), (5, None))
"""Ranges of the number of dice put into the Hunt Box in the early turns: lowest and highest number."""


def nation_statistics(courses: Sequence[EventHistory]) -> list[dict[str, Any]]:
    """The turns in which each nation becomes active and goes to war."""
    return [
        {
            "nation": NATION_NAMES[nation],
            "side": SIDE_IDS[NATION_SIDE[nation]],
            "active": happened([course.activated.get(nation) for course in courses]),
            "at_war": happened([course.at_war.get(nation) for course in courses]),
        }
        for nation in Nation
    ]


def character_statistics(courses: Sequence[EventHistory]) -> list[dict[str, Any]]:
    """The turns in which Minions, Gandalf the White and Aragorn come into play."""
    seen = [who for who in Character if any(who in course.came for course in courses)]
    return [
        {
            "character": CHARACTER_NAMES[who],
            "side": SIDE_IDS[CHARACTER_SIDE[who]],
            **happened([course.came.get(who) for course in courses]),
        }
        for who in seen
    ]


# --- War. ---


def capture_statistics(courses: Sequence[EventHistory]) -> dict[str, Any]:
    """For each City and Stronghold: how often and when it first falls to the enemy, and how often it is the
    first to fall."""
    worthy = [region for region in range(len(REGION_NAMES)) if VICTORY_POINTS[region]]
    rows = [
        {
            "region": REGION_NAMES[region],
            "side": SIDE_IDS[REGION_SIDE[region]],
            **happened([course.captures.get(region) for course in courses]),
            "first": share(
                sum(next(iter(course.captures), None) == region for course in courses), len(courses)
            ),
        }
        for region in worthy
    ]
    return {
        "regions": sorted(rows, key=lambda row: -row["count"]),
        "first": happened([next(iter(course.captures.values()), None) for course in courses]),
        "of_shadow": mean(_taken(course, Side.SHADOW) for course in courses),
        "of_free_peoples": mean(_taken(course, Side.FREE_PEOPLES) for course in courses),
    }


def _taken(course: EventHistory, side: Side) -> int:
    """Number of Cities and Strongholds that a side took from its enemy."""
    return sum(REGION_SIDE[region] != side for region in course.captures)


def battle_statistics(courses: Sequence[EventHistory]) -> list[dict[str, Any]]:
    """Attacks by side and kind: their number per game, the number of games with any, and the turn of the
    first one."""
    rows = []
    for side in Side:
        for kind in BattleKind:
            turns = [
                [turn for turn, who, which in course.battles if (who, which) == (side, kind)]
                for course in courses
            ]
            rows.append(
                {
                    "side": SIDE_IDS[side],
                    "kind": kind.name.lower(),
                    "in_game": mean(map(len, turns)),
                    **happened([each[0] if each else None for each in turns]),
                }
            )
    return rows


# --- Cards. ---


def card_statistics(courses: Sequence[EventHistory]) -> list[dict[str, Any]]:
    """For each card: the games in which it was drawn, played, and used as a Combat card; and how often its
    side won these games."""
    rows = []
    for card in range(NUM_CARDS):
        side = Side(card // CARDS_PER_SIDE)
        had = [course for course in courses if card in course.drawn or card in course.played]
        played = [course for course in courses if card in course.played]
        rows.append(
            {
                "card": CARD_NAMES[card],
                "side": SIDE_IDS[side],
                "deck": Deck(card // CARDS_PER_DECK).name.lower(),
                "drawn": happened([course.drawn.get(card) for course in courses]),
                "played": happened([course.played.get(card) for course in courses]),
                "fought": happened([course.fought.get(card) for course in courses]),
                "won_if_played": won(played, side),
                "won_if_kept": won([course for course in had if card not in course.played], side),
            }
        )
    return rows


# --- The rush. ---


def rush_statistics(courses: Sequence[EventHistory]) -> dict[str, Any]:
    """The Shadow's dice in the Hunt Box in the early turns, the games that the Free Peoples win by number of
    these dice, and the Settlements that fall."""
    lasted = [course for course in courses if course.length > EARLY]
    put = [sum(turn.allocated or 0 for turn in _early(course)) for course in lasted]
    eyes = [sum(turn.eyes for turn in _early(course)) for course in lasted]
    military = [course.length if course.reason == Reason.SHADOW_MILITARY else None for course in courses]
    return {
        "turns": EARLY,
        "lasted": share(len(lasted), len(courses)),
        "none_by_choice": share(sum(dice == 0 for dice in put), len(lasted)),
        "none_at_all": share(sum(dice + eye == 0 for dice, eye in zip(put, eyes, strict=True)), len(lasted)),
        "by_choice": {"mean": mean(put), "counts": counts(put)},
        "won_by_choice": [
            {
                "from": first,
                "to": last,
                **won(
                    [
                        course
                        for course, dice in zip(lasted, put, strict=True)
                        if first <= dice and (last is None or dice <= last)
                    ],
                    Side.FREE_PEOPLES,
                ),
            }
            for first, last in _HUNTERS
        ],
        "falls": [
            {"region": REGION_NAMES[region], **happened([course.captures.get(region) for course in courses])}
            for region in RUSHED
        ],
        "fallen": {
            str(number): share(count, len(courses))
            for number, count in sorted(
                Counter(sum(region in course.captures for region in RUSHED) for course in courses).items()
            )
        },
        "shadow_military": happened(military),
    }


def _early(course: EventHistory) -> list[Turn]:
    return [turn for turn in course.turns if turn.number <= EARLY]
