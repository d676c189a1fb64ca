"""The invariants of positions of The Two Towers, also used to check external states."""

from __future__ import annotations

import numpy as np

from wotr_env.core.batches import Faults
from wotr_env.games.two_towers.components import (
    BEST_TOKEN,
    COPIES,
    GANDALF,
    LAST_LOCATION,
    MOST_PLAYERS,
    MOST_SYMBOLS,
    MOST_TOKENS,
    NUM_LOCATIONS,
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

_SEATS, _PLACES = np.arange(MOST_PLAYERS), np.arange(NUM_LOCATIONS)
_TOKENS, _SYMBOLS = np.arange(MOST_TOKENS), np.arange(MOST_SYMBOLS)
_VALUES = np.arange(TOKEN_VALUES.min(), BEST_TOKEN + 1)
_FLAGS = [Opt.MAY_DECLINE, Opt.TAKE_BACK, Opt.DRAWN_QUALITIES, Opt.DRAWN_PATHS]


def wrongs(states: np.ndarray) -> Faults:
    """Yields the faults of states (N) whose fields are all within their ranges."""
    yield from _wrong_cards(states)
    yield from _wrong_rows(states)
    yield from _wrong_journey(states)
    players, options = states["players"], states["options"]
    over = states["winner"] != GOING_ON
    yield "winner and decision do not fit", over != (states["decision"] == Ask.NOTHING)
    expected = np.where(over, states["winner"], NONE)
    named = (states["reason"].astype(np.int64) + NUM_REASONS - 1) // NUM_REASONS - 1
    yield "winner and reason do not fit", named != expected
    seats = np.array([states["seat"], states["starter"], states["winner"]])
    yield "somebody plays who does not take part", (seats >= players).any(axis=0)
    absent = players[:, None] <= _SEATS
    for name in ("points", "shown", "hand", "known", "drew", "revealed", "row", "gandalf"):
        has = states[name].reshape(len(states), MOST_PLAYERS, -1).any(axis=2)
        yield f"{name} of somebody who does not take part", (absent & has).any(axis=1)
    yield "the ruleset is for another number of players", options[:, Opt.PLAYERS] != players
    yield "an option is neither 0 nor 1", (options[:, _FLAGS] & ~1).any(axis=1)
    losses = options[:, Opt.LOSSES]
    yield "there is no such rule for losses", (losses < 0) | (losses >= len(Losses))


def _wrong_cards(states: np.ndarray) -> Faults:
    places = states["hand"].sum(axis=1, dtype=np.int64)
    for name in ("display", "pile", "discard"):
        places += states[name]
    places[:, GANDALF] += states["gandalf"].sum(axis=(1, 2))
    game, seat, colour = (states["quality"] != NONE).nonzero()
    kinds = NUM_QUALITIES * colour + states["quality"][game, seat, colour]
    np.add.at(places, (game, kinds), states["row"][game, seat, colour])
    yield "there are too few or too many cards of a kind", (places != COPIES).any(axis=1)
    known = (states["known"] > states["hand"]).any(axis=(1, 2))
    yield "cards are known that are not in the hand", known
    empty = ~states["pile"].any(axis=1)
    yield "the pile is empty, and cards are put aside", empty & states["discard"].any(axis=1)
    yield from _wrong_renewal(states)
    swapped = states["swapped"].astype(np.int64)
    chooses = (states["decision"] == Ask.FIRST) | (states["decision"] == Ask.SECOND)
    there = states["display"][np.arange(len(states)), swapped - 1] > 0
    gone = (swapped > 0) & ~(chooses & there) & (states["options"][:, Opt.TAKE_BACK] == 0)
    yield "a card was put into the display that is not there", gone
    yield "the decision does not fit the card put into the display", (swapped > 0) != chooses
    second = states["decision"] == Ask.SECOND
    yield "the decision does not fit the cards drawn", (states["drawn"] > 0) != second


def _wrong_renewal(states: np.ndarray) -> Faults:
    """Checks the stored information about the last renewed pile (TT8.3)."""
    drew, revealed, renewed = states["drew"], states["revealed"], states["renewed"]
    drawn, was_renewed = np.any(drew, axis=2), renewed.any(axis=1)
    differs = (renewed - drew.sum(axis=1) != states["pile"]).any(axis=1)
    yield "the pile is not what is left of the renewed one", was_renewed & differs
    yield "cards of a renewed pile were drawn, and none was renewed", ~was_renewed & np.any(drawn, axis=1)
    more = (drew > states["hand"] - states["known"] + revealed).any(axis=(1, 2))
    yield "cards drawn from the renewed pile are in no hand and were not shown", more
    shown = np.any(np.any(revealed, axis=2) & ~drawn, axis=1)
    yield "somebody has shown cards of a renewed pile without a draw", shown


def _wrong_rows(states: np.ndarray) -> Faults:
    empty = states["quality"] == NONE
    unlike = (empty != (states["row"] == 0)).any(axis=(1, 2))
    yield "a row has a quality without cards, or cards without a quality", unlike
    yield "a Gandalf is alone in a row", (empty & (states["gandalf"] > 0)).any(axis=(1, 2))
    begun = states["fresh"] > 0
    laying = states["decision"] == Ask.LAY
    yield "rows were begun, and nobody lays cards", begun.any(axis=1) & ~laying
    own = empty[np.arange(len(states)), states["seat"]]
    yield "a row was begun that is not there", (begun & own).any(axis=1)


def _wrong_print(states: np.ndarray) -> Faults:
    """Checks the printed values of the cards against the ruleset."""
    options = states["options"]
    symbols, paths = options[:, Opt.SYMBOLS : Opt.PATHS], options[:, Opt.PATHS :]
    others = (states["symbols"].reshape(symbols.shape) != symbols).any(axis=1)
    drawn = options[:, Opt.DRAWN_QUALITIES] != 0
    yield "the locations ask for other qualities than the ruleset says", ~drawn & others
    others = (np.sort(states["path"]) != np.sort(paths)).any(axis=1)
    drawn = options[:, Opt.DRAWN_PATHS] != 0
    yield "the paths are others than the ruleset says", ~drawn & others


def _wrong_journey(states: np.ndarray) -> Faults:
    location, players = states["stage"].astype(np.int64), states["players"].astype(np.int64)
    going = states["winner"] == GOING_ON
    laying = states["phase"] == Phase.LAY
    yield "the decision does not fit the phase", going & (laying != (states["decision"] == Ask.LAY))
    length = states["path"][np.arange(len(states)), location]
    at_end = states["space"] == length
    yield "the marker does not fit the phase", (at_end != laying) | (states["space"] > length)
    all_acted = states["acted"] >= players
    yield "everybody has acted", going & all_acted
    turn = (states["starter"] + states["acted"].astype(np.int64)) % players
    yield "it is another player's turn", going & ~all_acted & (turn != states["seat"])
    yield from _wrong_print(states)
    yield from _wrong_locations(states)
    past = location + (~going & ~((states["max_turns"] > 0) & (states["max_turns"] <= states["turn"])))
    tokens = states["token"]
    scored = (tokens.any(axis=2) & (past[:, None] > _PLACES)).any(axis=1)
    yield "tokens lie at a location that was scored", scored
    bare = (~tokens.any(axis=2) & (location[:, None] <= _PLACES)).any(axis=1)
    yield "no tokens lie at a location to come", going & bare
    counts = (tokens[..., None] == _VALUES).sum(axis=(1, 2))
    yield "there are too many tokens of a value", (counts > 6).any(axis=1)
    missing = ~(tokens[:, LAST_LOCATION] == BEST_TOKEN).any(axis=1)
    yield f"no {BEST_TOKEN} lies at the last location", going & missing


def _wrong_locations(states: np.ndarray) -> Faults:
    """Checks the qualities and the tokens of each location."""
    tokens, printed = states["token"], states["symbols"] != NONE
    asked = printed.sum(axis=2)
    gaps = (printed != (asked[..., None] > _SYMBOLS)).any(axis=2)
    ordered = np.sort(states["symbols"], axis=2)
    twice = ((ordered[:, :, 1:] == ordered[:, :, :-1]) & (ordered[:, :, 1:] != NONE)).any(axis=2)
    wrong = (asked == 0) | gaps | twice
    yield "a location asks for no quality, or for one twice", wrong.any(axis=1)
    players = states["players"].astype(np.int64)[:, None]
    room = np.where(players == 2, asked, players - 1)[..., None] > _TOKENS
    yield "there are too many tokens at a location", (~room & (tokens != 0)).any(axis=(1, 2))
    low = room & (tokens != 0) & (tokens < TOKEN_VALUES.min())
    yield "there is no such token", low.any(axis=(1, 2))
