"""Shows a battle in the terminal: both forces, their target numbers, cards, dice and losses, and the odds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import SIDE_IDS, Decision, Roll
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    CARD_NAMES,
    COMBAT_NAMES,
    NATION_SIDE,
    NUM_CARDS,
    REGION_IDS,
)
from wotr_env.games.war_of_the_ring.components import REGION_NAMES as NAMES
from wotr_env.games.war_of_the_ring.events import types as ev
from wotr_env.games.war_of_the_ring.events.types import Event
from wotr_env.games.war_of_the_ring.picture import NATION_IDS
from wotr_env.games.war_of_the_ring.words.names import SIDE_NAMES
from wotr_experiments.games.war_of_the_ring.odds import odds_of, odds_under_way
from wotr_experiments.games.war_of_the_ring.terminal.forces import (
    TONES,
    by_nation,
    names_of,
    of_side,
    strength,
)

_KEPT = (ev.BattleBegan, ev.BattleRound, ev.Rolled, ev.FiguresLost, ev.ElitesReduced)
_DICE = {Roll.COMBAT: "", Roll.COMBAT_REROLL: "again ", Roll.COMBAT_CARD: "by the card "}
_DEEDS = {
    "field": "{side} attack{s} {region} from {origin}",
    "assault": "{side} assault{s} the garrison of {region}",
    "sortie": "{side} sortie{s} from {region}",
}
_HITS_TO_COME = (Decision.CASUALTY, Decision.ADVANCE_FIGURES)
"""Decisions at which the picture still contains armies before their losses, so that odds would be wrong."""
_ROUND_OVER = (Decision.CEASE, Decision.RETREAT, Decision.PROLONG_ASSAULT)


def followed(fought: tuple[Event, ...], events: Iterable[Event]) -> tuple[Event, ...]:
    """The known course of the current battle.

    Args:
        fought: the course before the step.
        events: the events of a step, from the view of a seat.
    """
    for event in events:
        if isinstance(event, ev.BattleBegan | ev.BattleEnded):
            fought = ()
        if isinstance(event, _KEPT):
            fought = (*fought, event)
    return fought


def battle(shown: dict[str, Any], fought: Sequence[Event], decision: int) -> RenderableType | None:
    """A display of the battle in a picture, or of the attack that is being planned; None if there is neither.

    Args:
        shown: a picture, from the view of the deciding seat.
        fought: the course of the battle so far, from ``followed``.
        decision: the pending ``Decision``.
    """
    if shown["battle"] is not None:
        return _under_way(shown, fought, decision)
    if decision == Decision.ATTACK_FIGURES:
        return _planned(shown)
    return None


def win_words(odds: dict[str, Any]) -> str:
    """The attacker's winning chance, such as ``wins 62%``; empty if nobody is attacked."""
    if odds["win"] is None:
        return ""
    if odds["siege"] is None:
        return f"wins {odds['win']:.0%}"
    return f"falls {odds['win']:.0%}, in time {odds['siege']:.0%}"


def _under_way(shown: dict[str, Any], fought: Sequence[Event], decision: int) -> RenderableType:
    here = shown["battle"]
    attacker = SIDE_IDS.index(here["attacker"])
    place = shown["regions"].get(here["region"]) or {"armies": [], "characters": []}
    defenders = {
        nation: counts
        for army in place["armies"]
        if army["side"] == SIDE_IDS[1 - attacker]
        for nation, counts in army["figures"].items()
    }
    who = of_side(place["characters"], 1 - attacker)
    title = _DEEDS[here["kind"]].format(
        side=f"The {SIDE_NAMES[attacker]}",
        s="s" if attacker else "",
        region=NAMES[REGION_IDS.index(here["region"])],
        origin=NAMES[REGION_IDS.index(here["origin"])],
    )
    head = f"{title}, round {here['round']}" if here["round"] else title
    forces = [_force(here["party"]["figures"], here["party"]["characters"]), _force(defenders, who)]
    rows = [("", forces)]
    odds = None
    if decision not in _HITS_TO_COME:
        odds = odds_under_way(shown, decision in _ROUND_OVER)
        rows += _expected(odds)
    cards = {2 * CARD_IDS.index(card) // NUM_CARDS: CARD_IDS.index(card) for card in here["cards"]}
    rows.append(("card", [_card_words(cards.get(side)) for side in (attacker, 1 - attacker)]))
    rows += [(words, [told[attacker], told[1 - attacker]]) for words, told in _course(fought)]
    return _drawn(head, attacker, rows, odds)


def _planned(shown: dict[str, Any]) -> RenderableType | None:
    """An attack before it begins: with the selected figures, or with the whole army."""
    about, taken = shown["about"], shown["about"]["taken"]
    side = shown["seats"][shown["deciding"]]["side"]
    attacker = SIDE_IDS.index(side)
    origin, goal = about["origin"], about["goal"]
    if origin is None or goal is None:
        return None
    forces = []
    for region, who in ((origin, attacker), (goal, 1 - attacker)):
        place = shown["regions"].get(region) or {"armies": [], "characters": []}
        armies = [army["figures"] for army in place["armies"] if army["side"] == SIDE_IDS[who]]
        figures = {nation: counts for each in armies for nation, counts in each.items()}
        forces.append(_force(figures, of_side(place["characters"], who)))
    picked = _names(taken)
    if picked:
        forces[0] = _force(taken["figures"], taken["characters"])
    odds = odds_of(shown, side, origin, goal, picked or None)
    origin_name, goal_name = (NAMES[REGION_IDS.index(each)] for each in (origin, goal))
    head = f"{origin_name} against {goal_name}, with {'those picked' if picked else 'the whole army'}"
    return _drawn(head, attacker, [("", forces), *_expected(odds)], odds)


def _names(party: dict[str, Any]) -> dict[str, int]:
    """A part of an army, by the names of actions."""
    names = {f"character:{who}": 1 for who in party["characters"]}
    for nation, counts in party["figures"].items():
        kinds = ("regular", "elite", "nazgul" if nation == "sauron" else "leader")
        names |= {
            f"figure:{nation}-{kind}": count for kind, count in zip(kinds, counts, strict=True) if count
        }
    return names


def _drawn(
    head: str, attacker: int, rows: Sequence[tuple[str, list[str]]], odds: dict[str, Any] | None
) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for side, word in ((attacker, "attack"), (1 - attacker, "defend")):
        name = f"{SIDE_NAMES[side]} {word}{'s' if side else ''}"
        table.add_column(Text(name, style=f"bold {TONES[side]}"))
    for words, cells in rows:
        if any(cells):
            colours = (TONES[attacker], TONES[1 - attacker]) if not words else ("default", "default")
            texts = [Text(cell, style=colour) for cell, colour in zip(cells, colours, strict=True)]
            table.add_row(Text(words, style="dim"), *texts)
    parts: list[RenderableType] = [Text(head, style="bold"), table]
    if odds is not None and odds["win"] is not None:
        parts.append(Text(_chance(SIDE_NAMES[attacker], "s" if attacker else "", odds), style="bold"))
    return Group(*parts)


def _chance(side: str, s: str, odds: dict[str, Any]) -> str:
    """The attacker's winning chance as a sentence; ``s`` is the ending of verbs for the side."""
    if odds["siege"] is None:
        within = "; the defender may withdraw into the Stronghold" if odds["withdraws"] else ""
        fought = "If the battle is fought to the end without Combat cards"
        return f"{fought}, the chance that the {side} win{s} is {odds['win']:.0%}{within}."
    chance = f"Without Combat cards, the chance that the {side} destroy{s} the garrison is {odds['win']:.0%}"
    return f"{chance} in this action, and {odds['siege']:.0%} if the siege continues with further actions."


def _force(figures: dict[str, list[int]], characters: Iterable[str]) -> str:
    words = by_nation(figures) if len(figures) > 1 else strength(figures)
    return ", ".join(filter(None, (words, names_of(characters)))) or "nobody"


def _expected(odds: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """The expected rolls of both sides in the next round."""
    if odds["win"] is None:
        return []
    sides = [odds["attacker"], odds["defender"]]
    rolled = []
    for side in sides:
        again = f", {side['leadership']} again" if side["leadership"] else ""
        rolled.append(f"{counted(side['dice'], 'die', 'dice')}{again}, hits by {side['needed']} or more")
    return [("rolls", rolled), ("expects", [f"{side['hits']:.1f} hits in the round" for side in sides])]


def _card_words(card: int | None) -> str:
    return "" if card is None else f"{COMBAT_NAMES[card]} ({CARD_NAMES[card]})"


def _course(fought: Sequence[Event]) -> list[tuple[str, list[str]]]:
    """For each side: the dice of the last rolled round, its hits, and the losses in the whole battle."""
    number, dice, hits = 0, ([], []), [0, 0]
    rolled_in, lost = 0, ([], [])
    for event in fought:
        match event:
            case ev.BattleRound():
                number = event.round
            case ev.Rolled() if event.roll in _DICE:
                if rolled_in != number:
                    rolled_in, dice, hits = number, ([], []), [0, 0]
                needed = f" ({event.needed}+)" if event.needed else ""
                values = " ".join(map(str, event.values))
                dice[event.side].append(f"{_DICE[event.roll]}{values}{needed}")
                hits[event.side] += event.successes if event.roll != Roll.COMBAT_CARD else 0
            case ev.FiguresLost() if not event.disbanded:
                for nation, *counts in event.figures:
                    lost[int(NATION_SIDE[nation])].append((NATION_IDS[nation], counts))
            case ev.ElitesReduced():
                lost[int(NATION_SIDE[event.nation])].append(("reduced", [0, event.count, 0]))
    if not rolled_in:
        return []
    return [
        (f"round {rolled_in}", ["; ".join(each) for each in dice]),
        ("hits", [counted(each, "hit") for each in hits]),
        ("lost", [_losses(each) for each in lost]),
    ]


def _losses(lost: Sequence[tuple[str, list[int]]]) -> str:
    """The losses of a side in the battle: ``2r 1e, 1e reduced``."""
    totals: dict[str, list[int]] = {}
    for nation, counts in lost:
        before = totals.get(nation, [0, 0, 0])
        totals[nation] = [first + second for first, second in zip(before, counts, strict=True)]
    reduced = totals.pop("reduced", [0, 0, 0])[1]
    return ", ".join(filter(None, (strength(totals), f"{reduced}e reduced" if reduced else "")))
