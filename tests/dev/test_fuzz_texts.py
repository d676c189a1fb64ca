"""The fuzzer of texts: a short run, and that it finds what is wrong."""

import random

import pytest

from tests.tools import fuzz_texts
from tests.tools.fuzz_texts import FoundError, Parser, fuzz, main, mutated, round_trips


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Random games to the end have thousands of decisions, which are slow to tell in text."""
    rulesets = [f"{each}{',' if ':' in each else ':'}max_turns=2" for each in fuzz_texts._RULESETS[:-1]]
    monkeypatch.setattr(fuzz_texts, "_RULESETS", (*rulesets, fuzz_texts._RULESETS[-1]))


def test_a_short_run_is_clean(capsys):
    assert main(["--inputs", "350", "--games", "5", "--seed", "5"]) == 0
    out = capsys.readouterr().out
    assert out.count(" refused, ") == 7 and "5 games and 15 positions came back" in out


def refuse_in_two_lines(text):
    raise ValueError("two\nlines")


def fail(text):
    raise KeyError(text)


@pytest.mark.parametrize("read", [refuse_in_two_lines, fail])
def test_what_is_not_refused_in_a_line_is_found(monkeypatch, capsys, read):
    monkeypatch.setattr(fuzz_texts, "parsers", lambda seed: [Parser("mine", ["abc"], read, (ValueError,))])
    with pytest.raises(FoundError, match="mine"):
        fuzz(3, 1)
    assert main(["--inputs", "3", "--games", "0"]) == 2
    assert "mine" in capsys.readouterr().err


def test_a_game_that_comes_back_as_another_is_found(monkeypatch):
    monkeypatch.setattr(fuzz_texts.GameRecord, "from_text", lambda text: [])
    with pytest.raises(FoundError, match="came back as another"):
        round_trips(1, 1)


def test_mutations_change_texts():
    dice = random.Random(1)
    assert len({mutated("position 1 2 3", dice) for _ in range(50)}) > 30
    assert mutated("", dice) == ""
