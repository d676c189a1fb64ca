"""Reasons why choices of the Duel are impossible, for the deciding seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from wotr_env.core.descriptions import Why
from wotr_env.core.spelling import capital, counted
from wotr_env.games.duel.actions import ACTION_NAMES, BLOCKS
from wotr_env.games.duel.components import (
    CARD_IDS,
    COST_COINS,
    LANDMARK_IDS,
    NUM_CARDS,
    RACES,
    REGIONS,
    SIDES,
    SKILL_NAMES,
    SKILLS,
    Token,
)
from wotr_env.games.duel.facts import CARDS, LANDMARKS, cover_tip, named
from wotr_env.games.duel.picture import picture
from wotr_env.games.duel.ruleset import TEAMS
from wotr_env.games.duel.state import Ask, Opt

Told = Iterator[tuple[str, Why]]

_LATER = {
    "place": "Units come to a region by red cards, landmarks and tokens",
    "pile": "Tokens come with races: for two alike, or for three different ones",
    "token": "Tokens come with races: for two alike, or for three different ones",
    "strip": "A landmark makes the opponent discard a grey card",
    "revive": "A landmark or a token plays a card of the discard",
    "drain": "Purple cards take coins from the opponent",
}
"""Reasons why the actions of some blocks are no choices at the start of a turn."""


def reasons(state: np.record) -> dict[str, Why]:
    """Why actions of the pending decision are illegal, by the names of actions.

    An action is left out if it is legal, or if no reason is known. Each reason is enough to make the action
    illegal, and contains only information that the deciding seat knows.
    """
    tell = _TOLD.get(Ask(int(state["decision"])))
    return {} if tell is None else dict(tell(state, int(state["seat"])))


def _turn(state: np.record, seat: int) -> Told:
    shown = picture(state, seat)
    for slot in shown["slots"]:
        if slot is None or slot["card"] is None:
            continue
        name = slot["card"]
        if slot["covered_by"]:
            cover = [shown["slots"][other]["card"] for other in slot["covered_by"]]
            why = Why("covered", cover_tip(cover, "free to take").removesuffix("."))
            yield from ((f"{verb}:{name}", why) for verb in ("play", "chain", "sell"))
        elif why := _dear(state, seat, CARD_IDS.index(name), slot["price"][seat], CARDS[name]):
            yield f"play:{name}", why
    for tile in shown["landmarks"]:
        item = NUM_CARDS + LANDMARK_IDS.index(tile["id"])
        if why := _dear(state, seat, item, tile["price"][seat], LANDMARKS[tile["id"]]):
            yield f"landmark:{tile['id']}", why
    other = shown["sides"][SIDES[1 - seat]]
    seen = {
        "place": REGIONS,
        "pile": RACES,
        "token": [token for pile in shown["piles"].values() for token in pile["known"]],
        "strip": [name for name in other["cards"] if CARDS[name]["color"] == "grey"],
        "revive": shown["discard"],
    }
    for block, names in seen.items():
        yield from ((f"{block}:{name}", Why("later", _LATER[block])) for name in names)
    yield "drain", Why("later", _LATER["drain"])


def _dear(state: np.record, seat: int, item: int, price: int, priced: dict[str, Any]) -> Why | None:
    """The missing coins for a card or a landmark, with the parts of its price (D3); None if the seat has
    enough coins."""
    coins = int(state["coins"][seat])
    if price <= coins:
        return None
    spared = item < NUM_CARDS or state["token"][Token.NO_SURCHARGE] == 1 + seat
    surcharge = 0 if spared else int((state["fort"] == 1 + seat).sum())
    printed = int(COST_COINS[item])
    lacking = price - printed - surcharge
    parts = [f"{printed} printed"] if printed else []
    if lacking:
        parts.append(f"{lacking} for {_lacked(state, seat, priced['cost'], lacking)}")
    if surcharge:
        parts.append(f"{surcharge} for your {'fortress' if surcharge == 1 else 'fortresses'}")
    missing = counted(price - coins, "coin")
    return Why("cost", f"It costs {counted(price, 'coin')} ({', '.join(parts)}); you lack {missing}")


def _lacked(state: np.record, seat: int, cost: str, number: int) -> str:
    """The skills that coins replace. If cards or tokens leave a choice between skills, the text does not name
    them."""
    letters = Counter(each for each in cost if each in SKILLS)
    short = {
        name: letters[letter] - int(state["skills"][seat, place])
        for place, (name, letter) in enumerate(zip(SKILL_NAMES, SKILLS, strict=True))
        if letters[letter] > state["skills"][seat, place]
    }
    told = [name if count == 1 else f"{count} {name}" for name, count in short.items()]
    return f"missing {' and '.join(told)}" if sum(short.values()) == number else "missing skills"


def _banner(state: np.record, seat: int) -> Told:
    card = CARDS[CARD_IDS[int(_pending(state)[2])]]
    if state["token"][Token.ANY_BANNER] == 1 + seat:
        return
    text = f"The units of this card go to {' or '.join(map(named, card['regions']))}"
    for name in REGIONS:
        if name not in card["regions"]:
            yield f"place:{name}", Why("banner", text)


def _maneuvers(state: np.record, seat: int) -> Told:
    _, removals, coins, moves, any_kind = (int(each) for each in _pending(state))
    enemy = TEAMS[1 - seat].with_article
    for number, name in enumerate(REGIONS):
        if not removals + any_kind:
            yield f"remove:{name}", Why("no-removal", "No unit is removed now: units of yours move")
        elif not state["units"][1 - seat, number]:
            yield f"remove:{name}", Why("no-enemy", f"No unit of {enemy} is in {named(name)}")
    ordered = removals + coins and not state["options"][Opt.FREE_ORDER]
    for action in BLOCKS["move"]:
        start = ACTION_NAMES[action].split(":")[1]
        if not moves + any_kind:
            yield ACTION_NAMES[action], Why("no-move", "No unit moves now: units are removed")
        elif ordered:
            yield ACTION_NAMES[action], Why("order", "Units are removed first; yours move afterwards")
        elif not state["units"][seat, REGIONS.index(start)]:
            yield ACTION_NAMES[action], Why("no-unit", f"No unit of yours is in {named(start)}")
    if any_kind and not state["coins"][1 - seat]:
        yield "drain", Why("no-coin", f"{capital(enemy)} has no coin to lose")


def _raze(state: np.record, seat: int) -> Told:
    enemy = TEAMS[1 - seat].with_article
    for number, name in enumerate(REGIONS):
        if state["fort"][number] != 2 - seat:
            yield f"raze:{name}", Why("no-fortress", f"No fortress of {enemy} is in {named(name)}")


def _piles(state: np.record, _seat: int) -> Told:
    for number, race in enumerate(RACES):
        if not state["pile_size"][number]:
            yield f"pile:{race}", Why("empty", f"No token of the {race} is left")


def _pending(state: np.record) -> np.ndarray:
    """The effect that waits for a choice: its kind and four numbers."""
    return state["stack"][int(state["stack_size"]) - 1]


_TOLD = {
    Ask.TURN: _turn,
    Ask.BANNER: _banner,
    Ask.MANEUVERS: _maneuvers,
    Ask.RAZE: _raze,
    Ask.PILE: _piles,
}
