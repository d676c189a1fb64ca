"""Kernels that several processes lower together."""

from __future__ import annotations

import os
import threading

import pytest

from tests.compiler.programs import Program
from wotr_env.compiler.kernels import INTERPRETED

if INTERPRETED:
    pytest.skip("nothing is compiled", allow_module_level=True)

from wotr_env.compiler.lowering.sharing import MOST, processes_for, shares_of

CALLEES = [[], [], [0], [0, 1], [], [3], [2, 5], [4], [6, 7], [8]]
COSTS = [5, 1, 1, 30, 2, 2, 9, 9, 1, 1]

MODULE = """
import os, signal, sys
from pathlib import Path
import numpy as np
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.lowering import sharing
from wotr_env.compiler.types import array_of

SET = KernelSet(Path(__file__).parent, ("*.py",))

@SET.kernel
def kernel_0(number):
    return number + 1, number > 3

@SET.kernel
def kernel_1(number):
    more, large = kernel_0(number)
    return more * 2 if large else more

{kernels}

@SET.entry_point(numbers=array_of(np.int64))
def last_of_all(numbers):
    for place in range(numbers.size):
        numbers[place] = kernel_{last}(numbers[place])

def expected():
    numbers = np.arange(9)
    last_of_all.function(numbers)
    return numbers

def main(processes, disturb=lambda: None):
    sharing._cores, sharing._FEW = lambda: processes, 10
    lowered, begin = [], sharing.begin_share
    def begin_share(rank):
        disturb()
        begin(rank)
    sharing.begin_share = begin_share
    seconds = SET.ensure_compiled(lambda done, total: lowered.append((done, total)))
    numbers = np.arange(9)
    last_of_all(numbers)
    assert (numbers == expected()).all() and seconds > 0
    assert lowered[-1] == (len(SET.kernels),) * 2
    print("same")
"""
KERNELS = 40
ANOTHER = """
@SET.kernel
def kernel_{place}(number):
    return (kernel_{before}(number) * 3 + kernel_{other}(number)) % 1000
"""


def test_each_kernel_is_in_one_share_and_its_callees_come_before_it():
    for processes in (1, 2, 3):
        shares = shares_of(CALLEES, COSTS, processes)
        assert len(shares) == processes
        assert sorted(number for share in shares for number in share) == list(range(len(COSTS)))
        waiting, done = [list(share) for share in shares], set()
        while any(waiting):
            ready = [share for share in waiting if share and done.issuperset(CALLEES[share[0]])]
            assert ready
            done.update(share.pop(0) for share in ready)


def test_the_longest_chain_begins_first_and_the_work_is_shared():
    one, other = shares_of(CALLEES, COSTS, 2)
    assert one[0] == 0 and other[0] == 1
    assert {4, 7} <= set(other)


def test_few_kernels_or_threads_need_no_processes():
    assert processes_for(3) == 1
    assert processes_for(10_000) <= MOST
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    assert processes_for(10_000) == 1
    over.set()
    thread.join()


@pytest.fixture
def run(tmp_path):
    """Compiles a chain of kernels in a fresh process; gives its exit code, output and errors."""

    def run(call: str, more: str = "") -> tuple[int, str, str]:
        places = range(2, KERNELS)
        kernels = "".join(
            ANOTHER.format(place=each, before=each - 1, other=each // 2 or 1) for each in places
        )
        text = MODULE.format(kernels=kernels, last=KERNELS - 1)
        script = tmp_path / "many.py"
        script.write_text(f"{text}{more}\nif __name__ == '__main__':\n    {call}\n")
        ended = Program(script, {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}).ended()
        return ended.code, ended.out.strip(), ended.errors.strip()

    return run


@pytest.mark.parametrize("processes", [2, 3])
def test_processes_lower_what_one_would(run, processes):
    assert run(f"main({processes})") == (0, "same", "")


def test_a_process_that_is_killed_is_done_without(run):
    assert run("main(3, lambda: os.kill(os.getpid(), signal.SIGKILL))") == (0, "same", "")


def test_an_error_is_met_by_the_first_process(run):
    wrong = """
@SET.kernel
def wrong(number):
    return number.nothing
"""
    code, output, errors = run("main(2)", wrong)
    assert (code, output) == (1, "") and "nothing" in errors
