"""Why choices of the Duel are impossible: each reason is true by the rules, and enough."""

from __future__ import annotations

import collections
import re

import numpy as np

from tests.games.duel.duels import DUEL, FELLOWSHIP, SAURON, Duel
from tests.games.duel.test_events import steps, worlds_of
from wotr_env.core.descriptions import Why
from wotr_env.games.duel.actions import ACTION_NAMES
from wotr_env.games.duel.components import CARD_IDS, LANDMARK_IDS, RACES, REGIONS, SLOT_COVER
from wotr_env.games.duel.facts import CARDS, LANDMARKS
from wotr_env.games.duel.state import Ask, Opt, Tile
from wotr_env.games.duel.why import reasons
from wotr_env.games.duel.words import prices


def legal(state: np.record) -> set[str]:
    """The names of the legal actions."""
    masks = DUEL.masks(np.array([state], dtype=DUEL.state))
    return {ACTION_NAMES[action] for action in np.flatnonzero(masks[0])}


class Truth:
    """What the rules say about a position."""

    def __init__(self, state: np.record) -> None:
        self.state = state
        self.seat = int(state["seat"])
        self.ask = Ask(int(state["decision"]))
        self.legal = legal(state)
        self.pending = state["stack"][max(0, int(state["stack_size"]) - 1)].tolist()

    def check(self, name: str, why: Why) -> None:
        """Fails if a reason is not true, or not enough."""
        assert name not in self.legal, (name, why)
        getattr(self, why.code.replace("-", "_"))(name.split(":")[1:], why.text)

    def covered(self, names: list[str], text: str) -> None:
        chapter, left = int(self.state["chapter"]), int(self.state["left"])
        slot = self.state["deck"][chapter].tolist().index(CARD_IDS.index(names[0]))
        on = [other for other in range(20) if SLOT_COVER[chapter, slot] & left & 1 << other]
        assert on and text.count(" card ") == len(on)
        for other in on:
            card = CARD_IDS[int(self.state["deck"][chapter, other])]
            assert (f" {card}" in text) == bool(self.state["up"][other])

    def cost(self, names: list[str], text: str) -> None:
        tile = names[0] in LANDMARK_IDS
        item = len(CARD_IDS) + LANDMARK_IDS.index(names[0]) if tile else CARD_IDS.index(names[0])
        price, coins = int(prices(self.state)[self.seat, item]), int(self.state["coins"][self.seat])
        total, *parts, missing = map(int, re.findall(r"(\d+) (?:coin|printed|for)", text))
        assert total == price > coins and missing == price - coins and sum(parts) == price
        printed = re.match(r"\d*", (LANDMARKS if tile else CARDS)[names[0]]["cost"])
        assert printed is not None and int(printed[0] or 0) == (parts[0] if "printed" in text else 0)

    def later(self, _names: list[str], _text: str) -> None:
        assert self.ask == Ask.TURN and not self.state["acting"]

    def banner(self, names: list[str], text: str) -> None:
        own = CARDS[CARD_IDS[self.pending[2]]]["regions"]
        assert names[0] not in own and all(each.capitalize() in text for each in own)

    def no_removal(self, _names: list[str], _text: str) -> None:
        assert not any(name.startswith("remove:") for name in self.legal)

    def no_enemy(self, names: list[str], _text: str) -> None:
        assert not self.state["units"][1 - self.seat, REGIONS.index(names[0])]

    def no_move(self, _names: list[str], _text: str) -> None:
        assert not self.pending[3] + self.pending[4]

    def order(self, _names: list[str], _text: str) -> None:
        assert self.pending[1] + self.pending[2] and not self.state["options"][Opt.FREE_ORDER]

    def no_unit(self, names: list[str], _text: str) -> None:
        assert not self.state["units"][self.seat, REGIONS.index(names[0])]

    def no_coin(self, _names: list[str], _text: str) -> None:
        assert not self.state["coins"][1 - self.seat]

    def no_fortress(self, names: list[str], _text: str) -> None:
        assert self.state["fort"][REGIONS.index(names[0])] != 2 - self.seat

    def empty(self, names: list[str], _text: str) -> None:
        assert not self.state["pile_size"][RACES.index(names[0])]


def test_every_reason_is_true_and_the_common_ones_are_told():
    codes: collections.Counter[str] = collections.Counter()
    for state, _ in steps(range(24)):
        truth = Truth(state)
        for name, why in reasons(state).items():
            truth.check(name, why)
            codes[why.code] += 1
    assert set(codes) >= {
        "covered", "cost", "later", "banner", "no-removal", "no-enemy", "no-move", "order", "no-unit",
        "no-fortress",
    }, codes  # fmt: skip


def test_every_card_and_landmark_that_cannot_be_had_has_a_reason():
    for state, _ in steps(range(6)):
        if Ask(int(state["decision"])) != Ask.TURN:
            continue
        told, possible = reasons(state), legal(state)
        chapter = int(state["chapter"])
        for slot in range(20):
            name = CARD_IDS[int(state["deck"][chapter, slot])]
            if state["left"] >> slot & 1 and state["up"][slot]:
                assert (f"play:{name}" in possible) != (f"play:{name}" in told)
        for tile in np.flatnonzero(state["landmark"] == Tile.SHOWN):
            name = f"landmark:{LANDMARK_IDS[tile]}"
            assert (name in possible) != (name in told)


def test_a_price_tells_what_is_missing():
    game = Duel().offer("c2-13")
    game.state["coins"] = 1, 1
    assert reasons(game.refresh().state)["play:c2-13"].text == (
        "It costs 3 coins (3 for missing strength and 2 courage); you lack 2 coins"
    )


def test_what_the_seat_does_not_know_changes_no_reason():
    for state in [state for state, _ in steps(range(8))][::3]:
        for seat in (FELLOWSHIP, SAURON):
            if int(state["seat"]) == seat:
                told = reasons(state)
                assert all(reasons(world) == told for world in worlds_of(state, seat))
