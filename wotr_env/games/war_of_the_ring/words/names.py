"""Names and short phrases for sentences about the game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import SupportsInt

import numpy as np

from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import Character, Figure, Nation, Plan, Side
from wotr_env.games.war_of_the_ring.components import CHARACTER_NAMES, NUM_REGIONS, REGION_NAMES, TILE_NAMES
from wotr_env.games.war_of_the_ring.seating import TEAMS, seats_of, side_of
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS
from wotr_env.games.war_of_the_ring.winners import places_won

SIDE_NAMES = tuple(team.title for team in TEAMS)
FACE_NAMES = ("Character", "Army", "Muster", "Army/Muster", "Event", "Will of the West", "Eye")
DECK_NAMES = ("Character", "Strategy", "Character", "Strategy")
FIGURE_NAMES = ("Regular", "Elite", "Leader")

_SHORT_NAMES = tuple(nation.name.title() for nation in Nation)

PLAN_WORDS: dict[int, str] = {
    Plan.SKIP: "discard the die without effect",
    Plan.MOVE_FELLOWSHIP: "move the Fellowship",
    Plan.HIDE_FELLOWSHIP: "hide the Fellowship",
    Plan.SEPARATE_COMPANIONS: "separate Companions from the Fellowship",
    Plan.MOVE_COMPANIONS: "move Companions",
    Plan.MOVE_MINIONS: "move Nazgul and Minions",
    Plan.MOVE_ARMIES: "move armies",
    Plan.ATTACK: "attack with an army",
    Plan.ADVANCE_NATION: "advance a nation",
    Plan.RECRUIT: "recruit",
    Plan.BRING_CHARACTER: "bring a character into play",
    Plan.VOICE_REGULARS: "recruit Regulars by the Voice of Saruman",
    Plan.VOICE_ELITES: "raise Elites by the Voice of Saruman",
    Plan.COMPANION_ADVANCE: "advance a nation by a Companion",
    Plan.DRAW_CARD: "draw a card",
    Plan.PLAY_CARD: "play an event card",
    Plan.BUY_OFF: "discard a card from the table",
}


def seat_name(state: np.void, seat: int) -> str:
    """``Isengard``; ``Shadow`` if the seat plays the whole side."""
    return seats_of(state)[seat].title


def the_seat(state: np.void, seat: int) -> str:
    """The name of a seat within a sentence: ``Isengard``, ``the Shadow``."""
    name = seat_name(state, seat)
    return next((team.with_article for team in TEAMS if team.title == name), name)


def places_words(state: np.void, seat: int) -> str:
    """The number by which partners are compared, in words: ``Rohan: 2 places lost`` (R13.8.1)."""
    won = int(places_won(np.asarray(state).reshape(1))[0, seat])
    lost = side_of(seat) == Side.FREE_PEOPLES
    return f"{seat_name(state, seat)}: {counted(-won if lost else won, 'place')} {'lost' if lost else 'won'}"


def characters_words(characters: int) -> str:
    return " and ".join(CHARACTER_NAMES[character] for character in Character if characters >> character & 1)


def region_name(number: SupportsInt) -> str:
    return REGION_NAMES[int(number)] if 0 <= int(number) < NUM_REGIONS else "nowhere"


def face_name(number: SupportsInt) -> str:
    return FACE_NAMES[int(number)] if 0 <= int(number) < len(FACE_NAMES) else "chosen"


def nation_name(number: int) -> str:
    """The short name of a nation."""
    return Nation(number).name.title()


def is_nazgul(nation: int, kind: int) -> bool:
    return (nation, kind) == (Nation.SAURON, Figure.LEADER)


def kind_name(nation: int, kind: int) -> str:
    return "Nazgul" if is_nazgul(nation, kind) else FIGURE_NAMES[kind]


def figure_name(code: int) -> str:
    """The name of a figure, by its index in the block ``FIGURE``."""
    nation, kind = divmod(code, len(Figure))
    if is_nazgul(nation, kind):
        return "a Nazgul"
    return f"{'an' if kind == Figure.ELITE else 'a'} {FIGURE_NAMES[kind]} of {nation_name(nation)}"


def tile_words(state: np.record) -> str:
    drawn = int(state["hunt_tile"])
    return f"tile {TILE_NAMES[drawn]}" if 0 <= drawn < len(TILE_NAMES) else "no tile yet"


def party_words(state: np.record, name: str) -> str:
    """The figures in the fields ``chosen_*`` or ``party_*``."""
    figures = [state[f"{name}_{kind}"].tolist() for kind in ("regular", "elite", "leader")]
    members = [who for who in range(NUM_CHARACTERS) if int(state[f"{name}_characters"]) >> who & 1]
    return figures_words(figures, members, Nation)


_KIND_NAMES = [
    [(kind_name(nation, kind), "Nazgul" if is_nazgul(nation, kind) else None) for kind in Figure]
    for nation in Nation
]


def counts_words(nation: int, counts: Iterable[int]) -> list[str]:
    """The figures of a nation in words, from the numbers of Regulars, Elites and Leaders."""
    return [counted(count, *_KIND_NAMES[nation][kind]) for kind, count in enumerate(counts) if count]


def figures_words(figures: Sequence[Sequence[int]], characters: Iterable[int], nations: Iterable[int]) -> str:
    """The figures, given by kind and nation, and the characters, in words; empty if there are none."""
    words = []
    for nation in nations:
        counts = [of_kind[nation] for of_kind in figures if nation < len(of_kind)]
        if any(counts):
            words.append(f"{_SHORT_NAMES[nation]} {', '.join(counts_words(nation, counts))}")
    words += [CHARACTER_NAMES[character] for character in characters]
    return "; ".join(words)
