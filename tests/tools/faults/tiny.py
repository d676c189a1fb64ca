"""A program with one kernel, which says whether its machine code was there: for faults of the cache."""

import sys
from pathlib import Path

import numpy as np

from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.types import array_of

TINY = KernelSet(Path(__file__).parent, ("tiny.py",))


@TINY.kernel
def _doubled(number: int) -> int:
    return 2 * number


@TINY.entry_point(numbers=array_of(np.int64))
def double_all(numbers: np.ndarray) -> None:
    """Doubles each number."""
    for place in range(numbers.size):
        numbers[place] = _doubled(numbers[place])


def main() -> int:
    """Doubles some numbers; 0: with code that was kept, 1: with code compiled now, 3: wrongly."""
    seconds = TINY.ensure_compiled(lambda _done, _total: None)
    numbers = np.arange(3)
    double_all(numbers)
    if numbers.tolist() != [0, 2, 4]:
        return 3
    return 1 if seconds else 0


if __name__ == "__main__":
    sys.exit(main())
