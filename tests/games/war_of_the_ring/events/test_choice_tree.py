"""Where the choices of a question lead (``wotr_env/games/war_of_the_ring/choice_tree.py``)."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from wotr_env import Game
from wotr_env.games.war_of_the_ring.actions import ACTION_IDS, ACTION_NAMES
from wotr_env.games.war_of_the_ring.choice_tree import choice_tree
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING as KIND
from wotr_env.games.war_of_the_ring.observation import sample_world

POINTING = (Decision.ACTION_DIE, Decision.ACTION_PLAN, Decision.ARMY_ORIGIN, Decision.RECRUIT_FIGURE)


def pointing_positions(seed: int, spec: str = "first") -> Iterator[Game]:
    """The positions of a random game whose questions lead on."""
    game, rng = Game(seed, KIND.find_ruleset(spec)), random.Random(seed)
    while not game.over:
        if int(game.state["decision"]) in POINTING:
            yield game
        game.step(rng.choice(game.legal()))


def check(game: Game, choices: list[dict]) -> int:
    """Plays each choice, and the rules agree with it; returns how many there are."""
    assert [choice["id"] for choice in choices] == game.legal()
    number = len(choices)
    for choice in choices:
        if "asked" not in choice and "forced" not in choice:
            continue
        after, seat = game.clone(), game.seat
        told = KIND.step_of(game.state, choice["id"], seat).sentences
        after.step(choice["id"])
        forced = [line.text for line in told if line.tone == "forced"]
        assert len(choice.get("forced", [])) <= len(forced)
        if "asked" in choice:
            assert KIND.decision(after.state) == choice["asked"]
            assert not KIND.who_learns(game.state, choice["id"]), ACTION_NAMES[choice["id"]]
            assert after.seat == seat
        if "choices" in choice:
            number += check(after, choice["choices"])
    return number


@pytest.mark.parametrize("spec", ["first", "second", "first:players=4"])
def test_choices_are_what_the_rules_offer_and_teach_nobody_anything(spec):
    positions = list(zip(range(25), (game.clone() for game in pointing_positions(5, spec)), strict=False))
    assert len(positions) == 25
    assert sum(check(game, choice_tree(game.state)) for _, game in positions) > 1_000


def test_choices_reach_from_the_die_to_the_goal_of_an_army():
    game = next(game for game in pointing_positions(3) if "face:army" in names(game))
    die = next(each for each in choice_tree(game.state) if each["id"] == ACTION_IDS["face:army"])
    plan = next(each for each in die["choices"] if each["id"] == ACTION_IDS["plan:move-armies"])
    assert plan["asked"] == "army-origin"
    for army in plan["choices"]:
        goals = [goal["id"] for goal in army["choices"]] if "choices" in army else army["forced"][:1]
        assert all(ACTION_NAMES[action].startswith("region:") for action in (army["id"], *goals))


def test_who_does_not_declare_the_fellowship_chooses_the_guide_at_once():
    found = 0
    for seed in range(6):
        game, rng = Game(seed, KIND.find_ruleset("first:max_turns=4")), random.Random(seed)
        while not game.over:
            if int(game.state["decision"]) == Decision.DECLARE_FELLOWSHIP:
                choices = choice_tree(game.state)
                check(game, choices)
                led = {ACTION_NAMES[each["id"]] for each in choices if "choices" in each}
                assert led <= {"verb:decline"}
                found += len(led)
            game.step(rng.choice(game.legal()))
    assert found > 3


def test_a_position_is_left_as_it_is():
    game = next(pointing_positions(4))
    before = game.state.tobytes()
    choice_tree(game.state)
    assert game.state.tobytes() == before


def test_choices_do_not_depend_on_what_is_hidden():
    rng = np.random.default_rng(0)
    for _, game in zip(range(20), pointing_positions(6), strict=False):
        assert choice_tree(sample_world(game.state, game.seat, rng)) == choice_tree(game.state)


def names(game: Game) -> list[str]:
    return [ACTION_NAMES[action] for action in game.legal()]
