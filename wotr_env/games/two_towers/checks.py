"""The invariants of positions of The Two Towers, also used to check external states."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wotr_env.games.two_towers.components import (
    BEST_TOKEN,
    COPIES,
    GANDALF,
    LAST_LOCATION,
    MOST_PLAYERS,
    NUM_COLOURS,
    NUM_QUALITIES,
    TOKEN_VALUES,
)
from wotr_env.games.two_towers.state import (
    GOING_ON,
    NONE,
    NUM_REASONS,
    Ask,
    Losses,
    Opt,
    Phase,
)


def wrongs(state: np.record) -> Iterator[str]:
    """Yields the faults of a state whose fields are all within their ranges."""
    yield from _wrong_cards(state)
    yield from _wrong_rows(state)
    yield from _wrong_journey(state)
    players = int(state["players"])
    over = state["winner"] != GOING_ON
    if over != (state["decision"] == Ask.NOTHING):
        yield "winner and decision do not fit"
    expected = state["winner"] if over else NONE
    if (int(state["reason"]) + NUM_REASONS - 1) // NUM_REASONS - 1 != expected:
        yield "winner and reason do not fit"
    if max(int(state["seat"]), int(state["starter"]), int(state["winner"])) >= players:
        yield "somebody plays who does not take part"
    for name in ("points", "shown", "hand", "known", "drew", "revealed", "row", "gandalf"):
        if state[name][players:].any():
            yield f"{name} of somebody who does not take part"
    if state["options"][Opt.PLAYERS] != players:
        yield "the ruleset is for another number of players"
    options = state["options"]
    if (options[[Opt.MAY_DECLINE, Opt.TAKE_BACK, Opt.DRAWN_QUALITIES, Opt.DRAWN_PATHS]] & ~1).any():
        yield "an option is neither 0 nor 1"
    if not 0 <= options[Opt.LOSSES] < len(Losses):
        yield "there is no such rule for losses"


def _wrong_cards(state: np.record) -> Iterator[str]:
    places = np.array([state["display"], state["pile"], state["discard"]], dtype=np.int64).sum(axis=0)
    places += state["hand"].astype(np.int64).sum(axis=0)
    for colour in range(NUM_COLOURS):
        places[GANDALF] += state["gandalf"][:, colour].sum()
        for seat in range(MOST_PLAYERS):
            if state["quality"][seat, colour] != NONE:
                places[NUM_QUALITIES * colour + state["quality"][seat, colour]] += state["row"][seat, colour]
    if (places != COPIES).any():
        yield "there are too few or too many cards of a kind"
    if (state["known"] > state["hand"]).any():
        yield "cards are known that are not in the hand"
    if not state["pile"].any() and state["discard"].any():
        yield "the pile is empty, and cards are put aside"
    yield from _wrong_renewal(state)
    swapped = int(state["swapped"])
    if swapped and (state["decision"] not in (Ask.FIRST, Ask.SECOND) or not state["display"][swapped - 1]):
        if state["options"][Opt.TAKE_BACK] == 0:
            yield "a card was put into the display that is not there"
    if (swapped > 0) != (state["decision"] in (Ask.FIRST, Ask.SECOND)):
        yield "the decision does not fit the card put into the display"
    if (state["drawn"] > 0) != (state["decision"] == Ask.SECOND):
        yield "the decision does not fit the cards drawn"


def _wrong_renewal(state: np.record) -> Iterator[str]:
    """Checks the stored information about the last renewed pile (TT8.3)."""
    drew, revealed = state["drew"], state["revealed"]
    if state["renewed"].any():
        if (state["renewed"] - drew.sum(axis=0) != state["pile"]).any():
            yield "the pile is not what is left of the renewed one"
    elif drew.any():
        yield "cards of a renewed pile were drawn, and none was renewed"
    if (drew > state["hand"] - state["known"] + revealed).any():
        yield "cards drawn from the renewed pile are in no hand and were not shown"
    if (revealed.any(axis=1) & ~drew.any(axis=1)).any():
        yield "somebody has shown cards of a renewed pile without a draw"


def _wrong_rows(state: np.record) -> Iterator[str]:
    empty = state["quality"] == NONE
    if (empty != (state["row"] == 0)).any():
        yield "a row has a quality without cards, or cards without a quality"
    if (empty & (state["gandalf"] > 0)).any():
        yield "a Gandalf is alone in a row"
    if state["fresh"].any() and state["decision"] != Ask.LAY:
        yield "rows were begun, and nobody lays cards"
    if (state["fresh"].astype(bool) & empty[state["seat"]]).any():
        yield "a row was begun that is not there"


def _wrong_print(state: np.record) -> Iterator[str]:
    """Checks the printed values of the cards against the ruleset."""
    options = state["options"]
    symbols, paths = options[Opt.SYMBOLS : Opt.PATHS], options[Opt.PATHS :]
    if not options[Opt.DRAWN_QUALITIES] and (state["symbols"].reshape(-1) != symbols).any():
        yield "the locations ask for other qualities than the ruleset says"
    if not options[Opt.DRAWN_PATHS] and (np.sort(state["path"]) != np.sort(paths)).any():
        yield "the paths are others than the ruleset says"


def _wrong_journey(state: np.record) -> Iterator[str]:
    location, players = int(state["stage"]), int(state["players"])
    over = state["winner"] != GOING_ON
    laying = state["phase"] == Phase.LAY
    if not over and laying != (state["decision"] == Ask.LAY):
        yield "the decision does not fit the phase"
    length = int(state["path"][location])
    if (state["space"] == length) != bool(laying) or state["space"] > length:
        yield "the marker does not fit the phase"
    if (state["acted"] >= players) != over and not over:
        yield "everybody has acted"
    elif not over and (int(state["starter"]) + int(state["acted"])) % players != state["seat"]:
        yield "it is another player's turn"
    yield from _wrong_print(state)
    for symbols, tokens in zip(state["symbols"], state["token"], strict=True):
        printed = [symbol for symbol in symbols if symbol != NONE]
        if not printed or len(set(printed)) != len(printed) or (symbols[len(printed) :] != NONE).any():
            yield "a location asks for no quality, or for one twice"
        room = len(printed) if players == 2 else players - 1
        if tokens[room:].any():
            yield "there are too many tokens at a location"
        if ((tokens[:room] != 0) & (tokens[:room] < TOKEN_VALUES.min())).any():
            yield "there is no such token"
    cut_off = 0 < state["max_turns"] <= state["turn"]
    past = location + (over and not cut_off)
    if state["token"][:past].any():
        yield "tokens lie at a location that was scored"
    if not over and (state["token"][location:].max(axis=1) == 0).any():
        yield "no tokens lie at a location to come"
    counts = np.bincount(state["token"].reshape(-1), minlength=BEST_TOKEN + 1)[2:]
    if (counts > 6).any():
        yield "there are too many tokens of a value"
    if not over and BEST_TOKEN not in state["token"][LAST_LOCATION]:
        yield f"no {BEST_TOKEN} lies at the last location"
