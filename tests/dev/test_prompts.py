"""Bot games typed again at a terminal: every choice can be said, and few lines are needed."""

from __future__ import annotations

import pytest

from tests.tools import prompts
from tests.tools.prompts import PromptError, count_game
from wotr_env import Ruleset

GOAL = 2.5
"""Lines for each action die."""


def test_a_line_or_two_for_each_action_die():
    counts = count_game("scripted", 20, Ruleset.first_edition(max_turns=6))
    assert {count.seat for count in counts} == {"Free Peoples", "Shadow"}
    for seat in ("Free Peoples", "Shadow"):
        own = [count for count in counts if count.seat == seat]
        dice = sum(count.dice for count in own)
        assert dice > 20
        assert sum(count.lines for count in own) <= GOAL * dice
        assert sum(count.choices for count in own) > GOAL * dice  # what typing them one by one would take


@pytest.mark.parametrize(("players", "seats"), [(2, 2), (3, 3), (4, 4)])
def test_whatever_is_played_can_be_typed(players, seats):
    """Random choices, which come to more questions than those of good players."""
    rules = Ruleset.first_edition(max_turns=2, players=players)
    counts = count_game("random", 5, rules)
    assert len(counts) == seats
    assert all(0 < count.lines <= count.choices for count in counts)


def test_a_line_that_is_not_understood_is_told(monkeypatch):
    monkeypatch.setattr(prompts, "_word", lambda asked, answer: "1")
    with pytest.raises(PromptError, match="does not say what was meant"):
        count_game("random", 5, Ruleset.first_edition(max_turns=2))


def test_the_figures_are_printed(capsys, monkeypatch):
    short = Ruleset.first_edition(max_turns=1)
    monkeypatch.setattr(prompts, "count_game", lambda bot, seed: count_game(bot, seed, short))
    prompts.main(games=1, bot="scripted", seed=3)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["Free Peoples", "Shadow"]
    assert all("lines for each of" in line and "in 1 games" in line for line in lines)
