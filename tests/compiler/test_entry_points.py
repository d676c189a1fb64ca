"""The machine code of a set of kernels: kept in a file, loaded by the next process."""

import os
from pathlib import Path

import pytest

from tests.compiler.programs import Program
from wotr_env.compiler.kernels import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

MODULE = """
from pathlib import Path
import numpy as np
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.types import array_of

SET = KernelSet(Path(__file__).parent, ("*.py",))

@SET.kernel
def squared(number):
    if number < 0:
        raise ValueError("a negative number")
    return number * number

@SET.entry_point(numbers=array_of(np.int64))
def sum_of_squares(numbers):
    total = 0
    for place in range(numbers.size):
        total += squared(numbers[place])
    return total

@SET.entry_point(numbers=array_of(np.int64))
def square_all(numbers, least):
    for place in range(numbers.size):
        numbers[place] = max(least, squared(numbers[place]))

print("compiled" if SET.ensure_compiled(lambda *_: None) else "loaded")
three = np.arange(3)
print(sum_of_squares(three))
square_all(three, 2)
print(*three)
for wrong in (np.arange(3.0), -three):
    try:
        print(sum_of_squares(wrong))
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
"""
FOLLOWS = ["5", "2 2 4", "TypeError", "ValueError"]


def _run(folder: Path) -> list[str]:
    ended = Program(folder / "squares.py", {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}).ended()
    assert ended.code == 0, ended.errors
    return ended.out.splitlines()


def test_machine_code_is_loaded_by_the_next_process_until_its_source_changes(tmp_path):
    (tmp_path / "squares.py").write_text(MODULE)
    assert _run(tmp_path) == ["compiled", *FOLLOWS]
    assert _run(tmp_path) == ["loaded", *FOLLOWS]
    (tmp_path / "squares.py").write_text(MODULE.replace("number * number", "number * number + 1"))
    assert _run(tmp_path)[:2] == ["compiled", "8"]


def test_a_kernel_that_takes_an_integer_is_given_no_number_with_a_point(tmp_path):
    """It would lose what comes behind the point, and nobody would be told."""
    cut = MODULE.replace("squared(numbers[place])", "squared(0.5 * numbers[place])")
    (tmp_path / "squares.py").write_text(cut)
    with pytest.raises(AssertionError, match="argument 0 of squared is an integer and is given a float64"):
        _run(tmp_path)


ELSEWHERE = """
import subprocess, sys
class Other:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, __file__, "compile"], stdin=subprocess.PIPE)
    def is_compiling(self):
        return self.process.poll() is None
if "compile" not in sys.argv:
    KernelSet.background_compiler = Other()
else:
    sys.stdin.read()
three = np.arange(3)
print(sum_of_squares(three), SET.code is not None, flush=True)
if KernelSet.background_compiler:
    KernelSet.background_compiler.process.communicate()
    print(sum_of_squares(three), SET.code is not None, flush=True)
"""


def test_as_written_while_another_process_compiles(tmp_path):
    (tmp_path / "squares.py").write_text(MODULE[: MODULE.index('print("compiled"')] + ELSEWHERE)
    assert _run(tmp_path) == ["5 False", "5 True", "5 True"]


def test_compiled_here_where_the_other_process_has_failed(tmp_path):
    fails = ELSEWHERE.replace("sys.stdin.read()", "sys.exit()")
    (tmp_path / "squares.py").write_text(MODULE[: MODULE.index('print("compiled"')] + fails)
    assert _run(tmp_path)[-1] == "5 True"


def test_a_copy_elsewhere_has_the_same_machine_code(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "squares.py").write_text(MODULE)
        (tmp_path / name / "cache").symlink_to(tmp_path)
    assert _run(tmp_path / "first")[0] == "compiled"
    assert _run(tmp_path / "second")[0] == "loaded"
