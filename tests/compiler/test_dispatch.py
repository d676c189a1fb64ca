"""Kernels that are made from tables of kernels."""

from __future__ import annotations

import inspect
import traceback
from pathlib import Path

import numpy as np
import pytest

from wotr_env.compiler.codes import Codes
from wotr_env.compiler.dispatch import dispatch
from wotr_env.compiler.kernels import INTERPRETED, KernelSet
from wotr_env.compiler.types import array_of


class Shape(Codes):
    SQUARE = 3
    RECTANGLE = 1
    LINE = 2
    POINT = 7


KERNELS = KernelSet(Path(__file__).parent, ())


@KERNELS.kernel
def square(width):
    return width * width


@KERNELS.kernel
def rectangle(width, height):
    return width * height


@KERNELS.kernel
def nothing(shape):
    return 100 + shape - shape


@dispatch(
    KERNELS.kernel,
    {Shape.SQUARE: square, Shape.RECTANGLE: rectangle, Shape.LINE: nothing, Shape.POINT: nothing},
    otherwise=nothing,
)
def area(shape, height, width):
    """The area of a shape."""


def test_each_code_calls_its_kernel_with_the_arguments_it_has_by_name():
    assert [area(shape, 2, 5) for shape in (*Shape, 50)] == [25, 10, 100, 100, 100]
    assert inspect.getsource(area).splitlines() == [
        "def area(shape, height, width):",
        "    if shape == Shape.SQUARE:",
        "        return square(width)",
        "    if shape == Shape.RECTANGLE:",
        "        return rectangle(width, height)",
        "    if shape == Shape.LINE or shape == Shape.POINT:",
        "        return nothing(shape)",
        "    return nothing(shape)",
    ]


def test_codes_that_are_read_from_the_arguments():
    def shape_of(figure):
        return figure[0]

    def other_of(figure):
        return figure[1]

    def twice(figure):
        return 2 * figure[2]

    def thrice(figure):
        return 3 * figure[2]

    def zero():
        return 0

    @dispatch(
        lambda function: function,
        {Shape.LINE: twice, (Shape.POINT, Shape.LINE): thrice, (Shape.POINT, Shape.POINT): twice},
        otherwise=zero,
        by=(shape_of, other_of),
    )
    def measure(figure):
        """A number."""

    assert inspect.getsource(measure).splitlines() == [
        "def measure(figure):",
        "    code = shape_of(figure)",
        "    code_2 = other_of(figure)",
        "    if code == Shape.LINE or code == Shape.POINT and code_2 == Shape.POINT:",
        "        return twice(figure)",
        "    if code == Shape.POINT and code_2 == Shape.LINE:",
        "        return thrice(figure)",
        "    return zero()",
    ]
    figures = [
        (Shape.LINE, Shape.POINT, 5),
        (Shape.POINT, Shape.LINE, 5),
        (Shape.POINT, Shape.POINT, 5),
        (Shape.POINT, Shape.SQUARE, 5),
    ]
    assert [measure(figure) for figure in figures] == [10, 15, 10, 0]


def test_the_kernel_keeps_name_module_and_docstring():
    chain = area
    assert (chain.__name__, chain.__module__, chain.__doc__) == ("area", __name__, "The area of a shape.")


@KERNELS.entry_point(areas=array_of(np.int64))
def write_areas(areas, height, width):
    areas[0] = area(3, height, width)
    areas[1] = area(1, height, width)
    areas[2] = area(2, height, width)
    areas[3] = area(50, height, width)


@pytest.mark.skipif(INTERPRETED, reason="compiled kernels only")
def test_compiled_after_the_kernels_of_its_table(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    KERNELS.kernels.reverse()  # the chain first: what it calls is found by its names
    compiled, interpreted = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    write_areas(compiled, 2, 5)
    write_areas.function(interpreted, 2, 5)
    assert compiled.tolist() == interpreted.tolist() == [25, 10, 100, 100]


def test_without_otherwise_other_codes_do_nothing():
    calls = []

    def note(value):
        calls.append(value)

    @dispatch(lambda function: function, {Shape.LINE: note})
    def act(shape, value):
        """Notes a value."""

    assert act(Shape.LINE, 4) is None
    assert act(Shape.POINT, 5) is None
    assert calls == [4]


def test_tracebacks_show_the_line_of_the_chain():
    def fail(value):
        raise RuntimeError(value)

    @dispatch(lambda function: function, {Shape.LINE: fail})
    def act(shape, value):
        """Fails."""

    with pytest.raises(RuntimeError) as caught:
        act(Shape.LINE, 4)
    lines = [(frame.name, frame.line) for frame in traceback.extract_tb(caught.tb)]
    assert ("act", "return fail(value)") in lines


def test_an_argument_that_is_not_there():
    with pytest.raises(ValueError, match=r"rectangle\(width, height\) needs more than act\(shape, width\)"):

        @dispatch(lambda function: function, {Shape.LINE: rectangle})
        def act(shape, width):
            """Lacks the height."""


def test_a_kernel_of_the_name_of_the_chain():
    with pytest.raises(ValueError, match="square would mean both"):

        @dispatch(lambda function: function, {Shape.SQUARE: globals()["square"]})
        def square(shape, width):
            """Would call itself."""


def test_two_kernels_of_one_name():
    def other(width):
        return width

    other.__name__ = "square"
    with pytest.raises(ValueError, match="square would mean both"):

        @dispatch(lambda function: function, {Shape.LINE: square, Shape.POINT: other})
        def act(shape, width):
            """Ambiguous."""
