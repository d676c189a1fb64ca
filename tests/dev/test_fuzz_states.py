"""A small sample of the fuzzing of states (``dev.fuzz_states``), and that it finds faults."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tests.tools import fuzz_states as module
from tests.tools.fuzz_states import Mark, Tally, main, mutated, run_chunk
from wotr_env import STATE

SAMPLE = 400


@pytest.fixture(scope="module")
def small():
    """The module with a corpus of few games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CORPUS_GAMES", 6)
        patch.setattr(module, "_CORPUS_STEPS", 150)
        patch.setattr(module, "DOORS_EVERY", 20)
        module.corpus.cache_clear()
        yield module
        module.corpus.cache_clear()


@pytest.fixture
def mark(tmp_path):
    return Mark(tmp_path / "mark", new=True)


def test_mutated_states_are_refused_in_a_line_or_played(small, mark, tmp_path):
    tally = run_chunk(1, 0, SAMPLE, mark, tmp_path)
    assert tally.tried == SAMPLE and mark.number == SAMPLE - 1
    assert tally.passed > SAMPLE // 10 and sum(tally.refused.values()) == SAMPLE - tally.passed
    assert tally.decisions > 10 * tally.passed and tally.worded > 0
    assert tally.doors == SAMPLE // 20 and 0 < tally.let_in < tally.doors
    assert f"{SAMPLE} mutated states" in str(tally)


def test_mutated_states_differ_from_those_of_play(small):
    states = small.corpus(1)
    assert len(np.unique(states["decision"])) > 25
    assert {2, 3, 4} <= set(states["options"][:, 0].tolist())
    known = {state.tobytes() for state in states}
    others = mutated(states, 100, np.random.default_rng(2))
    assert sum(state.tobytes() not in known for state in others) > 80
    assert {state.tobytes() for state in states} == known


def test_any_other_exception_is_a_failure_that_names_the_state(small, mark, tmp_path, monkeypatch):
    def broken(state, stream, tally):
        raise KeyError("a fault")

    monkeypatch.setattr(module, "play_on", broken)
    with pytest.raises(KeyError) as caught:
        run_chunk(1, 0, SAMPLE, mark, tmp_path)
    assert caught.value.__notes__ == [f"state {mark.number} of chunk 0"]
    assert np.frombuffer(mark.state, dtype=STATE)[0].tobytes() == mark.state


def test_a_refusal_of_two_lines_is_a_failure(small, mark, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "fault_in_words", lambda _state, _fault: "two\nlines")
    with pytest.raises(AssertionError, match="a refusal is one line"):
        run_chunk(1, 0, SAMPLE, mark, tmp_path)


def process(code: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", code])


def test_a_crash_is_found_and_its_state_kept(mark, tmp_path, monkeypatch):
    monkeypatch.setattr(module.tempfile, "gettempdir", lambda: str(tmp_path))
    state = np.zeros(1, dtype=STATE)
    state["turn"] = 7
    mark.set(5, state)
    code = module._wait(process("import os; os.kill(os.getpid(), 11)"), mark)
    assert code == -11
    words = module._failure(3, mark, code, "no word")
    assert words.startswith("chunk 3, state 5: it ended with code -11: no word; again: ")
    (kept,) = tmp_path.glob("wotr-state-*.bin")
    assert kept.read_bytes() == state.tobytes() and str(kept) in words


def test_a_process_that_hangs_is_ended(mark, monkeypatch):
    monkeypatch.setattr(module, "STUCK", 0.6)
    mark.set(5, np.zeros(1, dtype=STATE))
    assert module._wait(process("import time; time.sleep(60)"), mark) is None


def test_a_run_ends_at_the_first_failure(monkeypatch, capsys):
    def chunks(_seed, _states, _folder):
        yield Tally(tried=2)
        raise module.FuzzError("chunk 1, state 5: it hung")

    monkeypatch.setattr(module, "_chunks", chunks)
    assert main(["--states", "4"]) == 2
    assert "fuzz: chunk 1, state 5: it hung" in capsys.readouterr().err


def test_a_state_that_was_kept_can_be_tried_again(small, tmp_path, capsys):
    kept = tmp_path / "state.bin"
    kept.write_bytes(small.corpus(1)[5].tobytes())
    assert main(["--again", str(kept)]) == 0
    assert capsys.readouterr().out.startswith("1 mutated states: 0 refused")


@pytest.mark.parametrize("arguments", [["--states", "0"], ["--seed", "-1"]])
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
