"""The odds of a battle without Combat cards, from what everybody sees of a position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from wotr_agents.scripted.odds import ASSAULT, FIELD, MAX_HITS, WALLS, battle_odds, hit_distribution
from wotr_env.codes import SIDE_IDS, Settlement, Side
from wotr_env.components import (
    CHARACTER_LEADERSHIP,
    CHARACTER_SIDE,
    FORTIFICATION,
    NATION_SIDE,
    REGION_IDS,
    SETTLEMENT,
)
from wotr_env.picture import CHARACTER_IDS, NATION_IDS, seat_ids
from wotr_env.rules.chance import MAX_DICE

_KINDS = ("regular", "elite", "leader")
_SARUMAN = "saruman"
_NEEDED = 5
"""A die hits with so much or more; against walls one more."""


class Force(NamedTuple):
    """An army in a battle."""

    units: int
    hits: int
    """A Regular 1, an Elite 2."""
    leadership: int

    @property
    def dice(self) -> int:
        """Rolled in a round."""
        return min(MAX_DICE, self.units)


def odds_of(
    shown: dict[str, Any], side: str, origin: str, target: str, chosen: Mapping[str, int] | None
) -> dict[str, Any]:
    """The odds of an attack of a side, as JSON data: the chance to win it (None without two armies), and
    the first round.

    Args:
        shown: a picture of the position.
        side: who attacks.
        origin: from which region.
        target: which region; ``origin`` itself for an assault or a sortie.
        chosen: the attackers by the names of actions (``figure:gondor-elite``); None: the whole army.

    Raises:
        ValueError: there is no such region or figure.
    """
    if not {origin, target} <= set(REGION_IDS):
        raise ValueError("there is no such region")
    foe = SIDE_IDS[1 - SIDE_IDS.index(side)]
    attacker = _force(shown, side, *(_all_of(shown, side, origin) if chosen is None else _parts(chosen)))
    defender = _force(shown, foe, *_all_of(shown, foe, target))
    besieged = origin == target
    holds = (shown["regions"].get(target) or {}).get("control") == foe
    assault = besieged and holds
    return _odds(attacker, defender, _kind(REGION_IDS.index(target), besieged, assault)) | {
        "withdraws": not besieged and holds and _is_stronghold(target)
    }


def odds_under_way(shown: dict[str, Any], fought: bool = False) -> dict[str, Any]:
    """The odds of the battle in a picture, from its present round on.

    Args:
        shown: a picture of the position.
        fought: whether the present round is over, so that it is the next one that counts.

    Raises:
        ValueError: there is none.
    """
    battle = shown["battle"]
    if battle is None:
        raise ValueError("there is no battle")
    side = battle["attacker"]
    foe = SIDE_IDS[1 - SIDE_IDS.index(side)]
    attacker = _force(shown, side, list(battle["party"]["figures"].items()), battle["party"]["characters"])
    defender = _force(shown, foe, *_all_of(shown, foe, battle["region"]))
    kind = _kind(REGION_IDS.index(battle["region"]), battle["kind"] != "field", battle["kind"] == "assault")
    return _odds(attacker, defender, FIELD if kind == WALLS and battle["round"] + fought > 1 else kind) | {
        "withdraws": False
    }


def _odds(attacker: Force, defender: Force, kind: int) -> dict[str, Any]:
    if not attacker.units or not defender.units:
        return {"win": None}
    sides = []
    for force, needed in ((attacker, _NEEDED + (kind != FIELD)), (defender, _NEEDED)):
        hits = hit_distribution(force.dice, min(MAX_DICE, force.leadership), needed)
        expected = float(hits @ range(len(hits)))
        sides.append(
            {"dice": force.dice, "leadership": force.leadership, "needed": needed, "hits": round(expected, 3)}
        )
    place = [kind]
    for force in (attacker, defender):
        place += [min(MAX_HITS, force.hits), force.dice - 1, min(MAX_DICE, force.leadership)]
    win = round(float(battle_odds()[tuple(place)]), 4)
    return {"win": win, "attacker": sides[0], "defender": sides[1]}


def _kind(region: int, besieged: bool, assault: bool) -> int:
    if besieged:
        return ASSAULT if assault else FIELD
    return WALLS if SETTLEMENT[region] == Settlement.CITY or FORTIFICATION[region] else FIELD


def _is_stronghold(region: str) -> bool:
    return bool(SETTLEMENT[REGION_IDS.index(region)] == Settlement.STRONGHOLD)


def _all_of(shown: dict[str, Any], side: str, region: str) -> tuple[list[tuple[str, list[int]]], list[str]]:
    """The figures of a side in a region by nation, and its characters."""
    place = shown["regions"].get(region) or {"armies": [], "characters": []}
    figures = [each for army in place["armies"] if army["side"] == side for each in army["figures"].items()]
    return figures, place["characters"]


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
            raise ValueError(f"{name} is no figure")
    return figures, characters


def _force(
    shown: dict[str, Any], side: str, figures: list[tuple[str, list[int]]], characters: list[str]
) -> Force:
    own = SIDE_IDS.index(side)
    leading = _leading_elites(shown)
    regulars = elites = leadership = 0
    for nation, counts in figures:
        if NATION_SIDE[NATION_IDS.index(nation)] != own:
            continue
        regulars += counts[0]
        elites += counts[1]
        leadership += counts[2] + counts[1] * (nation in leading)
    for number in map(CHARACTER_IDS.index, characters):
        if CHARACTER_SIDE[number] == own:
            leadership += int(CHARACTER_LEADERSHIP[number])
    return Force(regulars + elites, regulars + 2 * elites, leadership)


def _leading_elites(shown: dict[str, Any]) -> tuple[str, ...]:
    """The nations whose Elites are Leaders too: with Saruman in play (R14.13, R13.5.3)."""
    if not any(_SARUMAN in place["characters"] for place in shown["regions"].values()):
        return ()
    partners = len(seat_ids(shown, SIDE_IDS[Side.SHADOW])) > 1
    return ("isengard", "southrons") if partners else ("isengard",)
