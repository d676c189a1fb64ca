"""Worlds of The Two Towers never contradict what a seat has seen of a renewed pile (TT8.3).

An observer follows random games by what a seat sees, and counts on its own: the cards of the renewed pile,
the hidden cards that were in other hands then, what each player has drawn and shown since.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.games.two_towers.towers import TOWERS
from wotr_env.games.two_towers.actions import ACTION_NAMES, HIDDEN, Act
from wotr_env.games.two_towers.components import GANDALF, NUM_KINDS

WORLDS = 4


def hidden(state: np.record) -> np.ndarray:
    """Cards of each hand that not all have seen: ``int[players, kinds]``."""
    return state["hand"].astype(int) - state["known"]


class Observer:
    """What one seat can know of a game."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.renewals = 0

    def follow(self, before: np.record, action: int, after: np.record) -> None:
        """A step: who acts and what is drawn and shown is seen, of hidden cards only the seat's own."""
        actor = int(before["seat"])
        drawn = int(after["hand"][actor].sum()) - int(before["hand"][actor].sum())
        renewed = after["pile"].sum() > before["pile"].sum() or (
            before["discard"].any() and not after["discard"].any()
        )
        if self.renewals and action != HIDDEN:
            self._show(before, action, actor)
        if renewed:
            self.renewals += 1
            self.pile = (before["discard"] if action == HIDDEN else after["pile"]).astype(int)
            self.drew = np.zeros(len(after["hand"]), dtype=int)
            self.shown = np.zeros_like(after["hand"], dtype=int)
            self.own = np.zeros(NUM_KINDS, dtype=int)
            others = hidden(after)
            since = self.pile - after["pile"]  # the second of two hidden cards
            self._draw(before, after, actor, int(since.sum()), since)
            if np.count_nonzero(self.pile) > 1:
                others[actor] -= since
            others[self.seat] = 0
            self.old = others.sum(axis=0)
        elif self.renewals and action == HIDDEN:
            self._draw(before, after, actor, drawn, before["pile"].astype(int) - after["pile"])

    def _draw(self, before: np.record, after: np.record, actor: int, number: int, cards: np.ndarray) -> None:
        if np.count_nonzero(self.pile) == 1:
            self.pile -= cards  # all know which cards these are
            assert (after["known"][actor] - before["known"][actor] >= cards).all()
            return
        self.drew[actor] += number
        if actor == self.seat:
            self.own += cards

    def _show(self, before: np.record, action: int, actor: int) -> None:
        block = ACTION_NAMES[action].partition(":")[0]
        if block not in ("swap", "lay", "begin"):
            return
        firsts = {"swap": Act.SWAP, "lay": Act.LAY, "begin": Act.BEGIN}
        for kind in {action - firsts[block], GANDALF if block == "begin" else action - firsts[block]}:
            if before["known"][actor, kind] == 0:
                self.shown[actor, kind] += 1

    def check(self, world: np.record) -> None:
        """A world says where each card came from; the numbers of each sort are those that were seen."""
        drew = world["drew"].astype(int)
        assert drew.sum(axis=1).tolist() == self.drew.tolist()
        assert drew[self.seat].tolist() == self.own.tolist()
        assert (self.pile - drew.sum(axis=0) == world["pile"]).all()
        old = hidden(world) + self.shown - drew
        assert (old >= 0).all()
        old[self.seat] = 0
        assert old.sum(axis=0).tolist() == self.old.tolist()


@pytest.mark.parametrize("ruleset", ["four", "five", "five:paths=5+5+5+5+5+5"])
def test_worlds_fit_what_a_seat_has_seen(ruleset):
    seats = len(TOWERS.find_ruleset(ruleset).seats)
    rng = np.random.default_rng(7)
    looked = shown = 0
    for seed in range(2):
        game = TOWERS.game(seed, TOWERS.find_ruleset(ruleset))
        observers = [Observer(seat) for seat in range(seats)]
        while game.result is None:
            before, action = game.state.copy(), int(rng.choice(game.legal()))
            game.step(action)
            for observer in observers:
                observer.follow(before, action, game.state)
                if not observer.renewals or rng.random() > 0.2:
                    continue
                observer.check(game.state)
                worlds = np.repeat(np.array([game.state], dtype=TOWERS.state), WORLDS)
                TOWERS.kernels.sample_worlds(
                    worlds, np.full(WORLDS, observer.seat), rng.integers(0, 2**62, WORLDS)
                )
                TOWERS.kernels.check(worlds)
                for world in worlds:
                    observer.check(world)
                looked += 1
                shown += int(observer.shown.sum() > 0)
    assert looked > 20
    assert shown > 20 or ruleset == "four"
