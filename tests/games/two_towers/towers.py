"""Positions of The Two Towers that tests set up by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from wotr_env.games.two_towers.actions import ACTION_NAMES
from wotr_env.games.two_towers.components import (
    COLOURS,
    COPIES,
    GANDALF,
    KIND_NAMES,
    LOCATIONS,
    NUM_QUALITIES,
    QUALITIES,
)
from wotr_env.games.two_towers.ruleset import TwoTowersRuleset
from wotr_env.games.two_towers.state import Phase
from wotr_env.play.games import game_kind

TOWERS = game_kind("two-towers")


def kinds(*names: str) -> list[int]:
    """``red-strength*3`` is three of them."""
    found = []
    for name in names:
        name, _, count = name.partition("*")
        found += [KIND_NAMES.index(name)] * int(count or 1)
    return found


class Towers:
    """One game whose state can be changed before its next decision; player 0 has the ring."""

    def __init__(self, players: int = 2, seed: int = 1, **options: Any) -> None:
        self.states, self.masks = TOWERS.new_states([seed], TwoTowersRuleset(players, **options))
        self.state["starter"] = self.state["seat"] = 0

    @property
    def state(self) -> np.record:
        return self.states[0]

    def legal(self) -> set[str]:
        return {ACTION_NAMES[action] for action in np.flatnonzero(self.masks[0])}

    def refresh(self) -> Towers:
        """All cards that lie nowhere else are in the pile."""
        state = self.state
        used = state["hand"].astype(int).sum(axis=0) + state["display"] + state["discard"]
        for seat in range(len(state["quality"])):
            for colour in range(len(COLOURS)):
                if state["quality"][seat, colour] >= 0:
                    used[NUM_QUALITIES * colour + state["quality"][seat, colour]] += state["row"][
                        seat, colour
                    ]
                used[GANDALF] += state["gandalf"][seat, colour]
        state["pile"] = COPIES - used
        TOWERS.kernels.refresh(self.states, self.masks)
        TOWERS.kernels.check(self.states)
        return self

    def do(self, *names: str) -> Towers:
        for name in names:
            action = ACTION_NAMES.index(name)
            assert self.masks[0, action], f"{name} is none of {sorted(self.legal())}"
            TOWERS.kernels.step(self.states, self.masks, np.array([action], dtype=np.int64))
            TOWERS.kernels.check(self.states)
        return self

    def hand(self, seat: int, *names: str) -> Towers:
        """All cards of a hand."""
        self.state["hand"][seat] = np.bincount(kinds(*names), minlength=len(KIND_NAMES))
        return self

    def no_hands(self) -> Towers:
        self.state["hand"] = 0
        return self

    def display(self, *names: str) -> Towers:
        """All cards of the display."""
        self.state["display"] = np.bincount(kinds(*names), minlength=len(KIND_NAMES))
        return self

    def row(self, seat: int, name: str, cards: int, gandalf: bool = False) -> Towers:
        """A row of so many quality cards."""
        colour, quality = name.split("-")
        place = COLOURS.index(colour)
        self.state["row"][seat, place] = cards
        self.state["quality"][seat, place] = QUALITIES.index(quality)
        self.state["gandalf"][seat, place] = gandalf
        return self

    def at(self, location: str, *tokens: int) -> Towers:
        """Everybody is about to lay cards there, where these tokens lie."""
        state, place = self.state, LOCATIONS.index(location)
        state["stage"] = place
        state["phase"] = Phase.LAY
        state["space"] = state["path"][place]
        state["token"][:place] = 0
        state["token"][place] = [*tokens, *[0] * (4 - len(tokens))]
        if place + 1 < len(LOCATIONS):
            state["token"][-1, 0] = 5
        return self

    def pass_all(self) -> Towers:
        """Nobody lays anything more here."""
        location = int(self.state["stage"])
        while self.state["phase"] == Phase.LAY and self.state["stage"] == location and self.masks.any():
            self.do("end")
        return self

    def points(self) -> list[int]:
        return self.state["points"][: self.state["players"]].tolist()

    def rows(self, seat: int) -> list[int]:
        """Cards of each row, with a Gandalf."""
        return (self.state["row"][seat] + self.state["gandalf"][seat]).tolist()
