"""The costly choices of each side in one sentence: the sums of the losses that are listed."""

from __future__ import annotations

import pytest

from wotr_env.play.games import game_kind
from wotr_experiments.analysis.costly import CostlyChoice, costly_sentence

TEAMS = game_kind("war-of-the-ring").teams[:2]


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ([], [], "No costly choice was found by mcts."),
        ([], [0.053], "By mcts, one choice of the Shadow cost 5 points of winning chance."),
        (
            [0.034, 0.034, 0.034],
            [0.08],
            "By mcts, three choices of the Free Peoples cost 10 points of winning chance, and one of the "
            "Shadow 8.",
        ),
        (
            [0.1],
            [0.05] * 12,
            "By mcts, one choice of the Free Peoples cost 10 points of winning chance, and 12 of the Shadow "
            "60.",
        ),
    ],
)
def test_the_sentence_has_the_sum_of_each_side(first, second, sentence):
    choices = [CostlyChoice(0, 0, "", lost) for lost in first]
    choices += [CostlyChoice(1, 1, "", lost) for lost in second]
    assert costly_sentence("mcts", choices, TEAMS) == sentence


def test_sides_without_an_article_are_named_as_within_a_sentence():
    teams = game_kind("duel").teams[:2]
    words = "By a, one choice of Sauron cost 4 points of winning chance."
    assert costly_sentence("a", [CostlyChoice(0, 1, "", 0.04)], teams) == words
