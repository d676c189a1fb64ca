"""Positions of the Duel that tests set up by hand."""

from __future__ import annotations

import numpy as np

from wotr_env.games.duel.actions import ACTION_NAMES
from wotr_env.games.duel.components import (
    CARD_CHAPTER,
    CARD_IDS,
    CARD_RACE,
    CARD_SKILLS,
    REGIONS,
    SLOT_UP,
    TOKEN_IDS,
    TOKEN_RACE,
)
from wotr_env.games.duel.ruleset import DuelRuleset
from wotr_env.play.games import game_kind

DUEL = game_kind("duel")
FELLOWSHIP, SAURON = 0, 1


class Duel:
    """One game whose state can be changed before its next decision."""

    def __init__(self, seed: int = 1, **options: bool) -> None:
        self.states, self.masks = DUEL.new_states([seed], DuelRuleset(**options))

    @property
    def state(self) -> np.record:
        return self.states[0]

    def legal(self) -> set[str]:
        return {ACTION_NAMES[action] for action in np.flatnonzero(self.masks[0])}

    def refresh(self) -> Duel:
        DUEL.kernels.check(self.states)
        DUEL.kernels.refresh(self.states, self.masks)
        return self

    def do(self, *names: str) -> Duel:
        for name in names:
            action = ACTION_NAMES.index(name)
            assert self.masks[0, action], f"{name} is none of {sorted(self.legal())}"
            DUEL.kernels.step(self.states, self.masks, np.array([action], dtype=np.int64))
            DUEL.kernels.check(self.states)
        return self

    def offer(self, name: str) -> Duel:
        """Begins the chapter of a card, with it in the last slot, which is accessible, and the seat rich."""
        card = CARD_IDS.index(name)
        chapter = int(CARD_CHAPTER[card])
        state = self.state
        for past in range(chapter):
            state["place"][state["deck"][past, :20]] = 1
        state["chapter"] = chapter
        state["left"] = (1 << 20) - 1
        state["up"][:20] = SLOT_UP[chapter]
        deck = state["deck"][chapter]
        at = deck.tolist().index(card)
        deck[at], deck[19] = deck[19], card
        state["coins"] = 12
        return self.refresh()

    def own(self, side: int, *names: str) -> Duel:
        """Cards already played by a side; they are of a chapter that is over."""
        for name in names:
            card = CARD_IDS.index(name)
            assert CARD_CHAPTER[card] < self.state["chapter"]
            deck = self.state["deck"][CARD_CHAPTER[card]]
            at = deck.tolist().index(card)
            if at >= 20:
                spare = next(i for i in range(20) if self.state["place"][deck[i]] == 1)
                self.state["place"][deck[spare]] = 0
                deck[at], deck[spare] = deck[spare], card
            self.state["place"][card] = 2 + side
            self.state["skills"][side] += CARD_SKILLS[card].astype(np.int8)
            if CARD_RACE[card] >= 0:
                self.state["races"][side, CARD_RACE[card]] += 1
        return self.refresh()

    def give(self, side: int, name: str) -> Duel:
        """A token, from wherever it is in its pile."""
        token = TOKEN_IDS.index(name)
        race = TOKEN_RACE[token]
        pile = [each for each in self.state["pile"][race] if each not in (token, -1)]
        self.state["pile"][race] = [*pile, *[-1] * (3 - len(pile))]
        self.state["pile_size"][race] = len(pile)
        self.state["token"][token] = 1 + side
        return self.refresh()

    def units(self, side: int, **regions: int) -> Duel:
        """The units of a side, all of them."""
        self.state["units"][side] = [regions.get(region, 0) for region in REGIONS]
        return self

    def at(self, region: str) -> list[int]:
        return self.state["units"][:, REGIONS.index(region)].tolist()
