"""The odds of a battle without Combat cards, from public information only."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    CAPTAIN_OF_THE_WEST,
    CHARACTER_LEADERSHIP,
    CHARACTER_SIDE,
    FORTIFICATION,
    NATION_SIDE,
    REGION_IDS,
    SETTLEMENT,
)
from wotr_env.games.war_of_the_ring.picture import CHARACTER_IDS, NATION_IDS, seat_ids
from wotr_experiments.games.war_of_the_ring.battles import (
    NEEDED,
    Force,
    assault_action,
    battle_to_end,
    hits_of,
    prolonged_assault,
)

_KINDS = ("regular", "elite", "leader")
_SARUMAN = "saruman"


class _Kind(enum.Enum):
    """The kind of a battle, which determines the numbers with which the attacker hits."""

    FIELD = enum.auto()
    WALLS = enum.auto()
    """An attack on a City or Fortification: 6 in the first round (R7.11.1)."""
    ASSAULT = enum.auto()
    """An attack on a Stronghold: 6 (R7.14.2)."""


def odds_of(
    shown: dict[str, Any], side: str, origin: str, target: str, chosen: Mapping[str, int] | None
) -> dict[str, Any]:
    """The odds of an attack by a side, as JSON data: the winning chance, and the first round.

    ``win`` is the probability that a battle fought to its end leaves only the attacker, or that one action of
    an assault destroys the garrison; None without two armies. In an assault, ``siege`` is the probability
    that further actions destroy the garrison, if the siege continues until one side is destroyed and no Elite
    is spent on further rounds.

    Args:
        shown: a picture of the position.
        side: the attacking side.
        origin: the region of the attackers.
        target: the attacked region; ``origin`` itself for an assault or a sortie.
        chosen: the number of attackers by names of actions (``figure:gondor-elite``); None: the whole army.

    Raises:
        ValueError: there is no such region or figure.
    """
    if not {origin, target} <= set(REGION_IDS):
        raise ValueError("there is no such region")
    foe = SIDE_IDS[1 - SIDE_IDS.index(side)]
    whole = _at_war(shown, *_all_of(shown, side, origin))
    attacker = _force(shown, side, *(whole if chosen is None else _parts(chosen)))
    defender = _force(shown, foe, *_all_of(shown, foe, target))
    besieged = origin == target
    holds = (shown["regions"].get(target) or {}).get("control") == foe
    kind = _kind(REGION_IDS.index(target), besieged, besieged and holds)
    win = assault_action(attacker, defender) if kind == _Kind.ASSAULT else None
    return _odds(attacker, defender, kind, win) | {
        "withdraws": not besieged and holds and _is_stronghold(target)
    }


def odds_under_way(shown: dict[str, Any], fought: bool = False) -> dict[str, Any]:
    """The odds of the battle in a picture, from the present round to the end of the battle.

    Args:
        shown: a picture of the position.
        fought: whether the present round is over, so that the odds start with the next round.

    Raises:
        ValueError: there is no battle.
    """
    battle = shown["battle"]
    if battle is None:
        raise ValueError("there is no battle")
    side = battle["attacker"]
    foe = SIDE_IDS[1 - SIDE_IDS.index(side)]
    attacker = _force(shown, side, list(battle["party"]["figures"].items()), battle["party"]["characters"])
    defender = _force(shown, foe, *_all_of(shown, foe, battle["region"]))
    kind = _kind(REGION_IDS.index(battle["region"]), battle["kind"] != "field", battle["kind"] == "assault")
    if kind == _Kind.WALLS and battle["round"] + fought > 1:
        kind = _Kind.FIELD
    action = None
    if kind == _Kind.ASSAULT:
        action = (prolonged_assault if fought else assault_action)(attacker, defender)
    return _odds(attacker, defender, kind, action) | {"withdraws": False}


def _odds(attacker: Force, defender: Force, kind: _Kind, action: float | None) -> dict[str, Any]:
    """The odds as JSON data.

    Args:
        attacker: the attacking force before the next round.
        defender: the defending force before the next round.
        kind: the kind of the battle.
        action: in an assault, the probability that this action destroys the garrison; otherwise None.
    """
    if not attacker.units or not defender.units:
        return {"win": None, "siege": None}
    sides = []
    for force, needed in ((attacker, NEEDED + (kind != _Kind.FIELD)), (defender, NEEDED)):
        hits = hits_of(force.dice, force.leadership, needed)
        expected = float(hits @ range(len(hits)))
        sides.append(
            {"dice": force.dice, "leadership": force.leadership, "needed": needed, "hits": round(expected, 3)}
        )
    first = sides[0]["needed"]
    later = first if kind == _Kind.ASSAULT else NEEDED
    to_end = battle_to_end(attacker, defender, first, later, both=kind == _Kind.ASSAULT)
    return {
        "win": round(to_end if action is None else action, 4),
        "siege": None if action is None else round(to_end, 4),
        "attacker": sides[0],
        "defender": sides[1],
    }


def _kind(region: int, besieged: bool, assault: bool) -> _Kind:
    if besieged:
        return _Kind.ASSAULT if assault else _Kind.FIELD
    return _Kind.WALLS if SETTLEMENT[region] == Settlement.CITY or FORTIFICATION[region] else _Kind.FIELD


def _is_stronghold(region: str) -> bool:
    return bool(SETTLEMENT[REGION_IDS.index(region)] == Settlement.STRONGHOLD)


def _all_of(shown: dict[str, Any], side: str, region: str) -> tuple[list[tuple[str, list[int]]], list[str]]:
    """The figures of a side in a region by nation, and its characters."""
    place = shown["regions"].get(region) or {"armies": [], "characters": []}
    figures = [each for army in place["armies"] if army["side"] == side for each in army["figures"].items()]
    return figures, place["characters"]


def _at_war(
    shown: dict[str, Any], figures: list[tuple[str, list[int]]], characters: list[str]
) -> tuple[list[tuple[str, list[int]]], list[str]]:
    """The part of an army that may attack (R7.8.3)."""
    politics = shown["politics"]
    return [each for each in figures if politics[each[0]]["steps_to_war"] == 0], characters


def _parts(chosen: Mapping[str, int]) -> tuple[list[tuple[str, list[int]]], list[str]]:
    figures, characters = [], []
    for name, number in chosen.items():
        what, _, which = name.partition(":")
        nation, _, kind = which.rpartition("-")
        kind = kind.replace("nazgul", "leader")
        if what == "character" and which in CHARACTER_IDS:
            characters += [which] * (number > 0)
        elif what == "figure" and nation in NATION_IDS and kind in _KINDS:
            figures.append((nation, [number * (kind == each) for each in _KINDS]))
        else:
            raise ValueError(f"{name} is not a figure")
    return figures, characters


def _force(
    shown: dict[str, Any], side: str, figures: list[tuple[str, list[int]]], characters: list[str]
) -> Force:
    own = SIDE_IDS.index(side)
    leading = _leading_elites(shown)
    force = Force(0, 0, 0, 0)
    for nation, (regulars, elites, leaders) in figures:
        if NATION_SIDE[NATION_IDS.index(nation)] == own:
            leads = nation in leading
            more = (regulars, elites * (not leads), elites * leads, leaders, 0)
            force = Force(*(has + new for has, new in zip(force, more, strict=True)))
    there = [number for number in map(CHARACTER_IDS.index, characters) if CHARACTER_SIDE[number] == own]
    return force._replace(
        leaders=force.leaders + int(CHARACTER_LEADERSHIP[there].sum()),
        captains=int(CAPTAIN_OF_THE_WEST[there].sum()),
    )


def _leading_elites(shown: dict[str, Any]) -> tuple[str, ...]:
    """The nations whose Elites are also Leaders, because Saruman is in play (R14.13, R13.5.3)."""
    if not any(_SARUMAN in place["characters"] for place in shown["regions"].values()):
        return ()
    partners = len(seat_ids(shown, SIDE_IDS[Side.SHADOW])) > 1
    return ("isengard", "southrons") if partners else ("isengard",)
