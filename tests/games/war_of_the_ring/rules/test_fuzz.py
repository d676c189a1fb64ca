"""A small sample of the fuzzing (``tests.tools.fuzz``), and that it finds faults."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.tools import fuzz as module
from tests.tools.fuzz import (
    COMMAND,
    POLICIES,
    RULESETS,
    FuzzError,
    Report,
    fuzz,
    fuzz_together,
    main,
)
from wotr_env.games.war_of_the_ring.actions import ACTION_IDS, Block
from wotr_env.games.war_of_the_ring.codes import Decision, Reason
from wotr_env.games.war_of_the_ring.engine import kernel

SAMPLE = 1


def short(name, turns=2):
    """A policy whose games are drawn after some turns: a batch takes as many steps as its longest game."""
    return dataclasses.replace(POLICIES[name], max_turns=turns)


@pytest.fixture(scope="module")
def sample():
    """Reports by policy and ruleset, of games that were played in one batch."""
    reports = {(name, ruleset): Report(short(name, 16), ruleset) for name in POLICIES for ruleset in RULESETS}
    fuzz_together(list(reports.values()), range(SAMPLE), 1)
    return reports


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("name", POLICIES)
def test_a_sample_of_games_keeps_the_invariants(sample, name, ruleset):
    report = sample[name, ruleset]
    assert report.games == SAMPLE
    assert sum(report.kinds.values()) == SAMPLE
    assert min(report.decisions) > 0


def test_games_of_many_policies_are_those_of_one(sample):
    alone = fuzz(short("suicidal", 16), range(SAMPLE), 1, "second")
    together = sample["suicidal", "second"]
    assert (alone.turns, alone.decisions, alone.kinds) == (together.turns, together.decisions, together.kinds)
    assert np.array_equal(alone.plays, together.plays)


def test_a_game_does_not_depend_on_those_beside_it():
    policy = short("fellowship", 6)
    together = fuzz(policy, range(3), seed=3)
    alone = [fuzz(policy, [game], seed=3) for game in range(3)]
    assert sorted(together.decisions) == sorted(report.decisions[0] for report in alone)


def test_preferences_point_at_actions():
    preferences = POLICIES["never_pass"].preferences()
    assert preferences.dtype == np.int8
    assert (preferences[:, ACTION_IDS["verb:pass"]] == -1).all()
    assert (preferences < 0).sum() == 4
    assert not POLICIES["uniform"].preferences().any()


def test_a_broken_invariant_names_the_game(monkeypatch, capsys):
    def check(states, masks):
        late = np.flatnonzero(states["turn"] > 1)
        if len(late):
            raise ValueError(f"game {late[0]}: a turn too many")

    monkeypatch.setattr(module, "check_batch", check)
    assert main(["--policy", "attack", "--games", "3", "--seed", "4"]) == 2
    message = capsys.readouterr().err
    assert "fuzz: first, policy attack, seed 4, game " in message
    assert f"a turn too many; again: {COMMAND} --ruleset first --policy attack --seed 4 --first " in message


def test_a_failing_rule_names_the_game(monkeypatch):
    step = kernel.step

    def broken(states, masks, actions):
        if (states["turn"] > 1).any():
            raise IndexError("out of bounds")
        step(states, masks, actions)

    monkeypatch.setattr(kernel, "step", broken)
    with pytest.raises(FuzzError, match=r"game \d+, step \d+: IndexError: out of bounds; again: "):
        fuzz(POLICIES["uniform"], range(3), seed=1)


def test_a_stuck_game_is_a_failure(monkeypatch):
    monkeypatch.setattr(module, "STUCK", 5)
    with pytest.raises(FuzzError, match="game 2, step 5: the game does not end"):
        fuzz(POLICIES["uniform"], [2], seed=1)


def test_an_empty_mask_is_a_failure(monkeypatch):
    step = kernel.step

    def emptied(states, masks, actions):
        step(states, masks, actions)
        masks[1] = False

    monkeypatch.setattr(kernel, "step", emptied)
    with pytest.raises(FuzzError, match="game 1, step 1: no legal action"):
        fuzz(POLICIES["uniform"], range(2), seed=1)


def test_choices_are_uniform_among_the_preferred():
    masks = np.zeros((30_000, 10), dtype=np.bool_)
    masks[:, [1, 2, 3, 9]] = True
    preferences = np.zeros((30_000, 10), dtype=np.int8)
    preferences[:, 1] = -1
    preferences[:, 7] = 5
    streams = np.arange(30_000, dtype=np.uint64)
    counts = np.bincount(module._choose(preferences, masks, module._scramble(streams), 4), minlength=10)
    assert counts[[2, 3, 9]].sum() == 30_000
    assert np.abs(counts[[2, 3, 9]] - 10_000).max() < 400  # 4.9 standard deviations


def test_the_quick_run_prints_a_line_for_each_policy(monkeypatch, capsys):
    quick = {name: short(name) for name in ("fellowship", "suicidal")}
    monkeypatch.setattr(module, "POLICIES", quick)
    monkeypatch.setattr(module, "QUICK_GAMES", 2)
    assert main(["--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    played = [f"{ruleset}, {name}: 2 games" for ruleset in RULESETS for name in quick]
    assert [line[: len(each)] for line, each in zip(lines, played, strict=False)] == played
    assert lines[8].split() == ["card", "event", "combat"] and len(lines) == 9 + 96 + 1
    for reason in Reason:
        assert reason == Reason.NONE or reason.name.lower() in lines[0]


def test_plays_of_both_halves_are_counted():
    cards = np.array([Block.CARD + 5, Block.CARD + 5, Block.CARD + 7, Block.REGION, Block.CARD + 5])
    decisions = np.array(
        [
            Decision.EVENT_CARD,
            Decision.COMBAT_CARD,
            Decision.COMBAT_CARD,
            Decision.EVENT_CARD,
            Decision.DISCARD_CARD,
        ]
    )
    plays = np.zeros((2, 96), dtype=np.int64)
    module._count_plays(decisions, cards, plays)
    assert plays.sum() == 3 and plays[0, 5] == plays[1, 5] == plays[1, 7] == 1
    table = module.plays_table(plays + 1).splitlines()
    assert table[6].split()[:3] == ["fp-char-06", "2", "2"]
    assert table[-1] == "least played: event fp-char-01 1 and combat half fp-char-01 1"


def test_the_full_run_demands_every_card(monkeypatch, capsys):
    monkeypatch.setattr(module, "POLICIES", {"fellowship": short("fellowship")})
    monkeypatch.setattr(module, "RULESETS", ("first",))
    monkeypatch.setattr(module, "BIASED_GAMES", 1)
    assert main([]) == 2
    assert "events and Combat halves were played fewer than 50 times" in capsys.readouterr().err
    monkeypatch.setattr(module, "LEAST_PLAYS", 0)
    assert main([]) == 0


def test_the_card_policies_reach_every_card():
    """In few games most cards; those left are reached in the full run."""
    reports = [Report(short(name, 20), "first") for name in POLICIES if "cards" in name]
    fuzz_together(reports, range(14), 2)
    plays = sum(report.plays for report in reports)
    assert (plays > 0).mean() > 0.85


@pytest.mark.parametrize(
    "arguments", [["--games", "0"], ["--first", "-1"], ["--seed", "-1"], ["--policy", "wise"]]
)
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
