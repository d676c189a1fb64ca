"""Events of a step of the Duel: the choice, and all changes until the next decision.

All events are public: they contain no hidden information.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wotr_env.core.descriptions import Sentence, Step, Tone
from wotr_env.games.duel import words
from wotr_env.games.duel.actions import ACTION_NAMES, Act
from wotr_env.games.duel.batches import KERNELS
from wotr_env.games.duel.components import (
    CARD_IDS,
    GREY_CARDS,
    LANDMARK_IDS,
    LANDMARK_NAMES,
    NUM_SLOTS,
    RACES,
    REGION_NAMES,
    REGIONS,
    SIDES,
    TOKEN_IDS,
)
from wotr_env.games.duel.ruleset import ENDS, SEATS
from wotr_env.games.duel.state import GOING_ON, Place, Tile

_TITLES = [seat.title for seat in SEATS]


def learners(state: np.record, action: int) -> frozenset[int]:
    """The seats that get new information from a step.

    The choice itself, and everything that a seat could predict from its own information, do not count.

    Both seats learn from cards that are turned up or shown, and from a decision of the other seat. A seat
    that looks through the discard learns which cards were removed.
    """
    after = KERNELS.after(state, action)
    shown = _turned_up(state, after) or _landmarks_shown(state, after) or any(_tokens_shown(state, after))
    unasked = any(True for _ in _unasked(state, after, action))
    if shown or unasked or after["chapter"] != state["chapter"] or after["seat"] != state["seat"]:
        return frozenset(range(len(SEATS)))
    looked = (after["looked"] != state["looked"]).any(axis=1)
    return frozenset(np.flatnonzero(looked).tolist())


def events(state: np.record, action: int, _viewer: int | None) -> Step:
    """A legal action and its effects; the same for every viewer, because all of them are public."""
    after, seat = KERNELS.after(state, action), int(state["seat"])
    happened: list[dict[str, Any]] = [{"kind": "decided", "seat": seat, "action": ACTION_NAMES[action]}]
    told = [Sentence(Tone.CHOICE, seat, words.action(state, action), opens=bool(state["acting"] == 0))]
    for event, sentence in (*_unasked(state, after, action), *_changes(state, after)):
        happened.append(event)
        told.append(sentence)
    return Step(happened, told)


_Change = tuple[dict[str, Any], Sentence]


def _effect(text: str, seat: int | None = None) -> Sentence:
    return Sentence(Tone.EFFECT, seat, text)


def _unasked(before: np.record, after: np.record, action: int) -> Iterator[_Change]:
    """Choices after the action that the rules made without asking, because each had only one answer
    (D9.2)."""
    seat = int(before["seat"])
    was, now = before["place"], after["place"]
    own, other = Place.PLAYED + seat, Place.PLAYED + 1 - seat
    taken = np.flatnonzero((before["token"] == 0) & (after["token"] != 0))
    done = [Act.TOKEN + int(token) for token in taken]
    done += [Act.REVIVE + int(card) for card in np.flatnonzero((was != own) & (now == own))]
    stripped = np.flatnonzero((was == other) & (now == Place.DISCARD))
    done += [Act.STRIP + GREY_CARDS.tolist().index(card) for card in stripped]
    chosen = ACTION_NAMES[action].partition(":")[2]
    for each in done:
        name = ACTION_NAMES[each]
        if name.partition(":")[2] != chosen:
            told = Sentence(Tone.FORCED, seat, words.action(before, each))
            yield {"kind": "unasked", "seat": seat, "action": name}, told


def _changes(before: np.record, after: np.record) -> Iterator[_Change]:
    for side in range(2):
        yield from _side_changes(before, after, side)
    yield from _fortress_changes(before, after)
    if cards := _turned_up(before, after):
        if after["chapter"] != before["chapter"]:
            number = int(after["chapter"]) + 1
            yield {"kind": "chapter", "number": number}, Sentence(Tone.TURN, None, f"Chapter {number}")
        listed = "; ".join(map(words.card_text, cards))
        verb = "is" if len(cards) == 1 else "are"
        yield (
            {"kind": "turned_up", "cards": [CARD_IDS[card] for card in cards]},
            _effect(f"{listed} {verb} face up now"),
        )
    if tiles := _landmarks_shown(before, after):
        names = [LANDMARK_IDS[tile] for tile in tiles]
        said = ", ".join(LANDMARK_NAMES[tile] for tile in tiles)
        yield {"kind": "landmarks_shown", "landmarks": names}, _effect(f"landmarks shown: {said}")
    for race, tokens in _tokens_shown(before, after):
        names = [TOKEN_IDS[token] for token in tokens]
        event = {"kind": "tokens_shown", "race": RACES[race], "tokens": names}
        said = ", ".join(map(words.token_text, tokens))
        yield event, _effect(f"tokens of the {RACES[race]} shown: {said}")
    if after["winner"] != GOING_ON:
        winner = int(after["winner"])
        event = {
            "kind": "ended",
            "winner": [*SIDES, "draw"][winner],
            "reason": ENDS[int(after["reason"]) - 1],
        }
        yield event, Sentence(Tone.MAJOR, None, words.decision(after))


def _side_changes(before: np.record, after: np.record, side: int) -> Iterator[_Change]:
    """Changes of the coins, steps, units and further turns of a side."""
    title, named = _TITLES[side], {"side": SIDES[side]}
    for field, noun in (("coins", "coins"), ("ring", "steps of the ring track")):
        was, now = int(before[field][side]), int(after[field][side])
        if was != now:
            event = {"kind": field, **named, "before": was, "after": now}
            yield event, _effect(f"{title}: {noun} {was} to {now}", side)
    for region, name in enumerate(REGIONS):
        was, now = int(before["units"][side, region]), int(after["units"][side, region])
        if was != now:
            event = {"kind": "units", **named, "region": name, "before": was, "after": now}
            yield event, _effect(f"{title}: units in {REGION_NAMES[region]} {was} to {now}", side)
    if side == before["seat"] and after["again"] > before["again"]:
        yield {"kind": "again", **named}, _effect(f"{title} gains a further turn", side)


def _fortress_changes(before: np.record, after: np.record) -> Iterator[_Change]:
    for region, name in enumerate(REGIONS):
        was, now = int(before["fort"][region]), int(after["fort"][region])
        if was == now:
            continue
        owner = (now or was) - 1
        event = {"kind": "fortress", "side": SIDES[owner], "region": name, "stands": bool(now)}
        verb = "builds" if now else "loses"
        yield event, _effect(f"{_TITLES[owner]} {verb} the fortress in {REGION_NAMES[region]}", owner)


def _turned_up(before: np.record, after: np.record) -> list[int]:
    """Cards that the step turned face up."""
    chapter = int(after["chapter"])
    new = chapter != before["chapter"]
    return [
        int(after["deck"][chapter, slot])
        for slot in range(NUM_SLOTS)
        if after["left"] >> slot & 1 and after["up"][slot] and (new or not before["up"][slot])
    ]


def _landmarks_shown(before: np.record, after: np.record) -> list[int]:
    return np.flatnonzero((before["landmark"] == Tile.STACK) & (after["landmark"] != Tile.STACK)).tolist()


def _tokens_shown(before: np.record, after: np.record) -> list[tuple[int, list[int]]]:
    """The tokens, by race, that became known to both seats."""
    shown = []
    for race in range(len(RACES)):
        known = set(before["pile"][race, : before["pile_seen"][race]].tolist())
        now = after["pile"][race, : after["pile_seen"][race]].tolist()
        if new := [token for token in now if token not in known]:
            shown.append((race, new))
    return shown
