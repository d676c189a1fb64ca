"""What happens in a game, told as one seat may know it.

An action is told in words, unless they would tell what is hidden: a card discarded face down, a Combat card
before the reveal, and that somebody with fitting cards plays none. What it brought about is read off what the
seat sees before and after (``picture``), and off the rolls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from wotr_env import Result
from wotr_env.actions import Block
from wotr_env.codes import SIDE_IDS, CardZone, Decision, Location, Reason, Side, Winner
from wotr_env.components import (
    CARD_IDS,
    CARD_NAMES,
    CARD_TEXTS,
    CHARACTER_NAMES,
    CHARACTER_SIDE,
    COMBAT_NAMES,
    COMBAT_TEXTS,
    DIE_FACES,
    NATION_NAMES,
    NUM_CARDS,
    REGION_IDS,
    REGION_NAMES,
    TILE_IDS,
    TILE_NAMES,
)
from wotr_env.picture import BACKS, CHARACTER_IDS, NATION_IDS, picture
from wotr_env.words.actions import PUBLIC_ZONES
from wotr_env.words.names import FACE_NAMES, FIGURE_NAMES, SIDE_NAMES, counted
from wotr_experiments.terminal.chance_trace import Roll

SIDE_STYLES = ("bold dodger_blue1", "bold red1")
EFFECT = "default"
TURN = "bold yellow"
IMPORTANT = "bold magenta"

Line = tuple[str, str]
"""A style and a text."""

_REGION_OF = dict(zip(REGION_IDS, REGION_NAMES, strict=True))
_CHARACTER_OF = dict(zip(CHARACTER_IDS, CHARACTER_NAMES, strict=True))
_TILE_OF = dict(zip(TILE_IDS, TILE_NAMES, strict=True))
_CARD_NUMBER = {name: number for number, name in enumerate(CARD_IDS)}
_ROLL_WORDS = {
    "combat": "combat roll",
    "reroll": "re-roll by Leadership",
    "hunt": "Hunt roll",
    "event": "roll for the card",
}

_REASONS = {
    Reason.CORRUPTION: "corrupts the Ring-bearers",
    Reason.RING_DESTROYED: "destroy the Ring",
    Reason.SHADOW_MILITARY: "conquers the Free Peoples",
    Reason.FREE_PEOPLES_MILITARY: "conquer the Shadow",
    Reason.TURN_LIMIT: "at the limit of turns",
}


def happened(
    before: np.record, after: np.record, viewer: int, rolls: Sequence[Roll] = (), action: int = -1
) -> list[Line]:
    """What one step brought about, line by line.

    Args:
        before: the position before the step, one record of dtype ``STATE``.
        after: the position after it.
        viewer: the seat that is told, 0 or 1.
        rolls: the chance outcomes of the step, in their order.
        action: what was played; a card that it names is not told of again.
    """
    old, new = picture(before, viewer), picture(after, viewer)
    played = action - Block.CARD if Block.CARD <= action < Block.CHARACTER else -1
    events = _events_played(before, after)
    lines = [
        *_combat_cards(before, after, played),
        *(line for card in events for line in _event(card)),
        *(line for roll in rolls for line in _roll(roll, before)),
        *_characters(before, after),
        *_fellowship(old, new),
        *_figures(old, new),
        *_control(old, new),
        *_politics(old, new),
        *_tiles(old, new),
        *_draws(old, new, viewer),
        *_discards(before, after, {played, *events}),
    ]
    if new["turn"] != old["turn"]:
        lines.append((TURN, f"Turn {new['turn']}"))
    return lines


def result_lines(result: Result, viewer: int, decisions: int) -> list[Line]:
    """How a game ended, told to a seat.

    Args:
        result: of the game.
        viewer: the seat that is told, 0 or 1.
        decisions: how many the game had.
    """
    words = "A draw"
    if result.winner != Winner.DRAW:
        mine = "You win" if result.winner == viewer else "You lose"
        words = f"{mine}: the {SIDE_NAMES[result.winner]}"
    free_peoples, shadow = result.victory_points
    points = f"victory points: Free Peoples {free_peoples}, Shadow {shadow}"
    return [
        (IMPORTANT, f"{words} {_REASONS[result.reason]}, in turn {result.turn}."),
        (EFFECT, f"Corruption {result.corruption}, {points}; {counted(decisions, 'decision')}"),
    ]


def _combat_cards(before: np.record, after: np.record, played: int) -> Iterator[Line]:
    """Combat cards that are shown in this step."""
    for card in range(NUM_CARDS):
        zones = int(before["card_zone"][card]), int(after["card_zone"][card])
        was_hidden = zones[0] in (CardZone.COMMITTED, CardZone.COMMITTED + 1)
        by_this = card == played and int(before["decision"]) == Decision.COMBAT_CARD
        if (was_hidden or by_this) and zones[1] in (CardZone.IN_PLAY, CardZone.DISCARD):
            side = 2 * card // NUM_CARDS
            name = f"{COMBAT_NAMES[card]} ({CARD_NAMES[card]})"
            yield SIDE_STYLES[side], f"Combat card of the {SIDE_NAMES[side]}: {name}"
            yield EFFECT, f"  {COMBAT_TEXTS[card]}"


def _events_played(before: np.record, after: np.record) -> list[int]:
    """Cards of a hand whose event has begun, and may be over already."""
    began = int(before["decision"]) in (Decision.EVENT_CARD, Decision.ACTION_PLAN, Decision.ACTION_DIE)
    in_hand = np.isin(before["card_zone"], (CardZone.HAND, CardZone.HAND + 1))
    shown = np.isin(after["card_zone"], PUBLIC_ZONES)
    return np.flatnonzero(in_hand & shown).tolist() if began else []


def _event(card: int) -> Iterator[Line]:
    yield SIDE_STYLES[2 * card // NUM_CARDS], f"Event: {CARD_NAMES[card]}"
    yield EFFECT, f"  {CARD_TEXTS[card]}"


def _roll(roll: Roll, before: np.record) -> Iterator[Line]:
    dice = " ".join(str(value) for value in roll.values)
    whose = f" of the {SIDE_NAMES[roll.side]}" if roll.side >= 0 else ""
    style = SIDE_STYLES[roll.side] if roll.side >= 0 else EFFECT
    if roll.kind == "action":
        faces = sorted(int(DIE_FACES[roll.side, value - 1]) for value in roll.values)
        counts = ", ".join(f"{faces.count(face)} {FACE_NAMES[face]}" for face in dict.fromkeys(faces))
        yield style, f"Action dice{whose}: {counts}"
    elif roll.kind == "tile":
        yield IMPORTANT, f"Hunt tile: {', '.join(TILE_NAMES[tile] for tile in roll.values)}"
    elif roll.kind == "tile-value":
        yield EFFECT, f"The die of the tile: {dice}"
    elif roll.kind == "companion":
        names = ", ".join(CHARACTER_NAMES[who] for who in roll.values)
        yield IMPORTANT, f"Drawn at random: {names}"
    elif roll.kind != "card":
        words = _ROLL_WORDS[roll.kind]
        result = ""
        if roll.needed:
            modified = f" with {roll.modifier:+d}" if roll.modifier else ""
            one = "success" if roll.kind == "hunt" else "hit"
            many = "successes" if roll.kind == "hunt" else None
            result = f" ({roll.needed} or more{modified}): {counted(roll.successes, one, many)}"
        yield style, f"{words[0].upper()}{words[1:]}{whose}: {dice}{result}"


def _characters(before: np.record, after: np.record) -> Iterator[Line]:
    for who, name in enumerate(CHARACTER_NAMES):
        old, new = int(before["location"][who]), int(after["location"][who])
        style = SIDE_STYLES[CHARACTER_SIDE[who]]
        if new == old:
            continue
        if new == Location.ELIMINATED:
            yield IMPORTANT, f"{name} is lost"
        elif new == Location.REPLACED:
            yield style, f"{name} gives way to his greater self"
        elif old == Location.ASIDE and new >= 0:
            yield style, f"{name} enters play in {REGION_NAMES[new]}"
        elif old == Location.IN_FELLOWSHIP and new >= 0:
            yield style, f"{name} leaves the Fellowship and is in {REGION_NAMES[new]}"
        elif new == Location.IN_FELLOWSHIP:
            yield style, f"{name} joins the Fellowship"
        elif old >= 0 and new >= 0:
            yield EFFECT, f"{name} goes from {REGION_NAMES[old]} to {REGION_NAMES[new]}"


def _fellowship(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Line]:
    was, now = old["fellowship"], new["fellowship"]
    style = SIDE_STYLES[Side.FREE_PEOPLES]
    if now["mordor_step"] != was["mordor_step"]:
        yield style, f"The Fellowship is on step {now['mordor_step']} of the Mordor Track"
    elif now["region"] != was["region"]:
        yield style, f"The Fellowship is in {_REGION_OF[now['region']]}"
    if now["progress"] > was["progress"]:
        yield style, f"The Fellowship moves: progress {now['progress']}"
    if now["revealed"] != was["revealed"]:
        yield style, "The Fellowship is revealed" if now["revealed"] else "The Fellowship is hidden again"
    if now["corruption"] != was["corruption"]:
        yield IMPORTANT, f"Corruption {was['corruption']} -> {now['corruption']}"
    if now["guide"] != was["guide"]:
        yield style, f"New Guide: {_CHARACTER_OF[now['guide']]}"
    if now["gollum"] and not was["gollum"]:
        yield style, "Gollum joins the Fellowship"


def _figures(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Line]:
    """Figures that left the board, came onto it, or moved."""
    were, are = _placed(old), _placed(new)
    moves: dict[str, dict[str, list[str]]] = {}
    for nation, name in zip(NATION_IDS, NATION_NAMES, strict=True):
        for kind, kind_name in enumerate(FIGURE_NAMES):
            one = "Nazgul" if (nation, kind) == ("sauron", 2) else kind_name
            many = "Nazgul" if one == "Nazgul" else None
            before, after = were.get((nation, kind), {}), are.get((nation, kind), {})
            change = sum(after.values()) - sum(before.values())
            if change == 0:
                left = [_REGION_OF[place] for place in before if after.get(place, 0) < before[place]]
                entered = [_REGION_OF[place] for place in after if before.get(place, 0) < after[place]]
                if entered:
                    count = sum(max(0, after[place] - before.get(place, 0)) for place in after)
                    way = f"{', '.join(left)} -> {', '.join(entered)}"
                    moves.setdefault(way, {}).setdefault(nation, []).append(counted(count, one, many))
                continue
            where = [
                _REGION_OF[region]
                for region in {**before, **after}
                if (after.get(region, 0) - before.get(region, 0)) * change > 0
            ]
            words = f"{name}: {counted(abs(change), one, many)}"
            if change < 0:
                yield EFFECT, f"  lost: {words} ({', '.join(where)})"
            else:
                yield EFFECT, f"  new: {words} ({', '.join(where)})"
    for way, nations in moves.items():
        figures = "; ".join(f"{nation.title()} {', '.join(counts)}" for nation, counts in nations.items())
        yield EFFECT, f"  moved: {figures} ({way})"


def _placed(shown: dict[str, Any]) -> dict[tuple[str, int], dict[str, int]]:
    """Number of figures by nation and kind, and by region."""
    placed: dict[tuple[str, int], dict[str, int]] = {}
    for region, content in shown["regions"].items():
        for army in content["armies"]:
            for nation, counts in army["figures"].items():
                for kind, count in enumerate(counts):
                    if count:
                        placed.setdefault((nation, kind), {})[region] = count
    return placed


def _control(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Line]:
    for region, content in new["regions"].items():
        was = old["regions"].get(region)
        if was is None:
            continue
        if content["control"] != was["control"]:
            side = SIDE_IDS.index(content["control"])
            points = new["victory_points"]
            yield (
                SIDE_STYLES[side],
                f"{_REGION_OF[region]} falls to the {SIDE_NAMES[side]}; victory points: "
                f"{SIDE_NAMES[0]} {points[SIDE_IDS[0]]} of 4, {SIDE_NAMES[1]} {points[SIDE_IDS[1]]} of 10",
            )
        if content["besieged"] != was["besieged"]:
            yield EFFECT, f"{_REGION_OF[region]} is {'besieged' if content['besieged'] else 'free of siege'}"


def _politics(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Line]:
    for nation, name in zip(NATION_IDS, NATION_NAMES, strict=True):
        was, now = old["politics"][nation], new["politics"][nation]
        if now["active"] and not was["active"]:
            yield EFFECT, f"{name}: now active"
        if now["steps_to_war"] != was["steps_to_war"]:
            steps = now["steps_to_war"]
            yield EFFECT, f"{name}: {counted(steps, 'step') + ' from war' if steps else 'At War!'}"


def _tiles(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Line]:
    known = {tile for key in ("pool", "drawn", "waiting") for tile in old["hunt"][key]}
    for key, words in (("waiting", "waits for Mordor"), ("pool", "is in the Hunt Pool")):
        for tile in new["hunt"][key]:
            if tile not in known or (key == "pool" and tile in old["hunt"]["waiting"]):
                yield EFFECT, f"Special tile {_TILE_OF[tile]} {words}"


def _draws(old: dict[str, Any], new: dict[str, Any], viewer: int) -> Iterator[Line]:
    for side, name in enumerate(SIDE_IDS):
        was, now = old["cards"][name], new["cards"][name]
        drawn = [(back, was["deck_size"][back] - now["deck_size"][back]) for back in BACKS]
        if not any(count > 0 for _, count in drawn):
            continue
        words = ", ".join(f"{count} {back.capitalize()}" for back, count in drawn if count > 0)
        yield SIDE_STYLES[side], f"{SIDE_NAMES[side]} cards drawn: {words}"
        if side == viewer:
            for card in now["hand"]:
                if card not in was["hand"]:
                    yield EFFECT, f"  {CARD_NAMES[_CARD_NUMBER[card]]}"


def _discards(before: np.record, after: np.record, told: set[int]) -> Iterable[Line]:
    """Cards that went from a hand or the table to the open discards without being named."""
    for card in range(NUM_CARDS):
        old, new = int(before["card_zone"][card]), int(after["card_zone"][card])
        in_hand = old in (CardZone.HAND, CardZone.HAND + 1)
        if card not in told and new == CardZone.DISCARD and (in_hand or old == CardZone.TABLE):
            side = 2 * card // NUM_CARDS
            yield SIDE_STYLES[side], f"{CARD_NAMES[card]} is discarded"
