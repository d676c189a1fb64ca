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


def check(state: np.record, name: str, code: str) -> None:
    """Fails if a reason is not true, or not enough."""
    verb, _, kind = name.partition(":")
    number = KIND_NAMES.index(kind) if kind in KIND_NAMES else None
    seat, ask = int(state["seat"]), Ask(int(state["decision"]))
    hidden = state["pile"].sum() + state["discard"].sum()
    colour, quality = (None, None) if number in (None, GANDALF) else divmod(number, len(QUALITIES))
    row = None if colour is None else int(state["quality"][seat, colour])
    truths = {
        "later": (ask == Ask.LAY) == (verb in ("take", "swap")),
        "pile": hidden < (2 if ask == Ask.FIRST else 1),
        "too-few": state["display"].sum() + hidden < (1 if state["options"][Opt.TAKE_BACK] else 2),
        "swapped": ask in (Ask.FIRST, Ask.SECOND) and state["swapped"] > 0,
        "own": number is not None and state["swapped"] == 1 + number and state["display"][number] == 1,
        "row": colour is not None and row == quality,
        "fresh": colour is not None and state["fresh"][colour] and row != quality,
        "no-gandalf": state["hand"][seat, GANDALF] == 0,
    }
    assert truths[code], (name, code)


@pytest.mark.parametrize("spec", RULESETS)
def test_every_reason_is_true(spec):
    codes: collections.Counter[str] = collections.Counter()
    for seed in range(10):
        game, rng = TOWERS.game(seed, TOWERS.find_ruleset(spec)), np.random.default_rng(seed)
        while game.result is None:
            possible = {ACTION_NAMES[action] for action in game.legal()}
            for name, why in reasons(game.state).items():
                assert name not in possible, (name, why)
                check(game.state, name, why.code)
                codes[why.code] += 1
            game.step(int(rng.choice(game.legal())))
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
