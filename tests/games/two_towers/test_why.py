"""Why choices of The Two Towers are impossible: each reason is true by the rules, and enough."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from wotr_env.games.two_towers.actions import ACTION_NAMES
from wotr_env.games.two_towers.components import COLOURS, GANDALF, KIND_NAMES, QUALITIES
from wotr_env.games.two_towers.game import THE_TWO_TOWERS as TOWERS
from wotr_env.games.two_towers.state import Ask, Opt
from wotr_env.games.two_towers.why import reasons

RULESETS = ["two", "three", "two:take_back=true"]


class Facts:
    """What reasons depend on, of a position."""

    def __init__(self, state: np.record) -> None:
        self.ask = Ask(int(state["decision"]))
        seat = int(state["seat"])
        self.hidden = int(state["pile"].sum() + state["discard"].sum())
        self.swapped = int(state["swapped"])
        self.take_back = bool(state["options"][Opt.TAKE_BACK])
        self.display, self.fresh = state["display"].tolist(), state["fresh"].tolist()
        self.row, self.hand = state["quality"][seat].tolist(), state["hand"][seat].tolist()

    def check(self, name: str, code: str) -> None:
        """Fails if a reason is not true, or not enough."""
        verb, _, kind = name.partition(":")
        number = KIND_NAMES.index(kind) if kind in KIND_NAMES else None
        colour, quality = (None, None) if number in (None, GANDALF) else divmod(number, len(QUALITIES))
        row = None if colour is None else self.row[colour]
        taking = self.ask in (Ask.FIRST, Ask.SECOND)
        truths = {
            "later": (self.ask == Ask.LAY) == (verb in ("take", "swap")),
            "pile": self.hidden < (2 if self.ask == Ask.FIRST else 1),
            "too-few": sum(self.display) + self.hidden < (1 if self.take_back else 2),
            "swapped": taking and self.swapped > 0,
            "own": number is not None and self.swapped == 1 + number and self.display[number] == 1,
            "row": colour is not None and row == quality,
            "fresh": colour is not None and self.fresh[colour] and row != quality,
            "no-gandalf": self.hand[GANDALF] == 0,
        }
        assert truths[code], (name, code)


@pytest.mark.parametrize("spec", RULESETS)
def test_every_reason_is_true(spec):
    codes: collections.Counter[str] = collections.Counter()
    for seed in range(10):
        game, rng = TOWERS.game(seed, TOWERS.find_ruleset(spec)), np.random.default_rng(seed)
        while game.result is None:
            legal, state = game.legal(), game.state
            possible, facts = {ACTION_NAMES[action] for action in legal}, Facts(state)
            for name, why in reasons(state).items():
                assert name not in possible, (name, why)
                facts.check(name, why.code)
                codes[why.code] += 1
            game.step(int(rng.choice(legal)))
        assert reasons(game.state) == {}
    assert set(codes) >= {"later", "swapped", "row", "fresh", "no-gandalf"}, codes
    assert ("own" in codes) == ("take_back" not in spec)


def test_every_card_of_the_hand_that_cannot_be_laid_has_a_reason():
    for seed in range(8):
        game, rng = TOWERS.game(seed, TOWERS.find_ruleset("two")), np.random.default_rng(seed)
        while game.result is None:
            state = game.state
            if state["decision"] == Ask.LAY:
                told, possible = reasons(state), {ACTION_NAMES[action] for action in game.legal()}
                for kind in np.flatnonzero(state["hand"][int(state["seat"])][:GANDALF]):
                    for verb in ("lay", "begin"):
                        name = f"{verb}:{KIND_NAMES[kind]}"
                        assert (name in possible) != (name in told)
            game.step(int(rng.choice(game.legal())))


def test_a_row_that_was_begun_this_turn_is_named():
    for seed in range(40):
        game, rng = TOWERS.game(seed, TOWERS.find_ruleset("two")), np.random.default_rng(seed)
        while game.result is None:
            for name, why in reasons(game.state).items():
                if why.code == "fresh":
                    colour = name.partition(":")[2].partition("-")[0]
                    row = int(game.state["quality"][int(game.state["seat"]), COLOURS.index(colour)])
                    assert why.text.startswith(f"You have begun a {colour} row of {QUALITIES[row]} this turn")
                    return
            game.step(int(rng.choice(game.legal())))
    raise AssertionError("no row was begun")
