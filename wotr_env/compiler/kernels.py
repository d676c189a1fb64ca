"""Compiling kernels: the ``@kernel`` decorator, and the one-time compilation.

The machine code of each version of a set of kernels is kept under a hash of everything that it depends on
(``kept_code``).
"""

from __future__ import annotations

import functools
import hashlib
import platform
import time
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding
import numba
import numpy as np
from numba.core import config

from wotr_env.compiler.entry_points import Signatures, compile_entry_points, load_entry_points
from wotr_env.compiler.kept_code import KeptCode, say
from wotr_env.compiler.lowering import RuleCompiler

INTERPRETED: bool = bool(vars(config)["DISABLE_JIT"])

Function = TypeVar("Function", bound=Callable[..., Any])
Progress = Callable[[int, int], object]
"""Told the number of kernels compiled so far and their total."""


class KernelSet:
    """The kernels of a package: compiled together, cached together.

    Args:
        package: the folder of the package.
        sources: patterns of the files that the machine code depends on.
        needs: a set whose kernels are called by these.
    """

    def __init__(self, package: Path, sources: tuple[str, ...], needs: KernelSet | None = None) -> None:
        self.package = package
        self.sources = sources
        self.needs = needs
        self.kernels: list[Any] = []
        self.entry_points: dict[Any, Mapping[str, Any]] = {}
        """With the types of those arguments that are not of ``argument_types``."""
        self.argument_types: dict[str, Any] = {}
        """numba types of the arguments of these names; all others are int64."""
        self._ready = INTERPRETED

    def kernel(self, function: Function) -> Function:
        """Compiles a function that only other kernels call; it becomes part of the entry points."""
        compiled: Any = numba.njit(nogil=True, error_model="numpy", pipeline_class=RuleCompiler)(function)
        self.kernels.append(compiled)
        return compiled

    def entry_point(self, **types_of: Any) -> Callable[[Function], Function]:
        """Compiles a function that Python calls, and keeps the machine code.

        Args:
            types_of: numba types of arguments, where ``argument_types`` has none or another.
        """

        def decorate(function: Function) -> Function:
            compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
            self.entry_points[compiled] = types_of
            return compiled

        return decorate

    @functools.cached_property
    def build_id(self) -> str:
        """A hash (16 hex digits) of the sources, the data and all else the machine code depends on."""
        digest = hashlib.sha256((self.needs.build_id if self.needs else "").encode())
        for pattern in self.sources:
            for path in sorted(self.package.glob(pattern)):
                if path.is_file():
                    digest.update(path.relative_to(self.package).as_posix().encode())
                    digest.update(path.read_bytes())
        environment = (
            numba.__version__,
            np.__version__,
            platform.python_version(),
            llvmlite.binding.get_host_cpu_name(),
            llvmlite.binding.get_host_cpu_features().flatten(),
            vars(config)["BOUNDSCHECK"],
        )
        digest.update(repr(environment).encode())
        return digest.hexdigest()[:16]

    @functools.cached_property
    def kept(self) -> KeptCode:
        """The machine code of this version."""
        return KeptCode(self.build_id)

    def is_compiled(self) -> bool:
        """Whether the machine code of this version is kept (always true when interpreted)."""
        return INTERPRETED or self.kept.exists()

    def ensure_compiled(self, progress: Progress | None = None) -> float:
        """Compiles everything once per version and machine; other processes wait for the first.

        All modules with kernels of the set must be imported.

        Args:
            progress: by default two lines on stderr are printed.

        Returns:
            Seconds spent compiling; 0.0 if the machine code was there.
        """
        if self._ready:
            return 0.0
        self._ready = True
        if self._load():
            return 0.0
        with self.kept.alone():
            if self._load():
                return 0.0
            what = "the rules" if self.needs is None else self.package.name
            if progress is None:
                say(f"compiling {what} (once per version) ...")
            start = time.perf_counter()
            self.compile_kernels(progress or (lambda _done, _total: None))
            self.kept.write(compile_entry_points(self.package.name, self._signatures()))
        seconds = time.perf_counter() - start
        if progress is None:
            say(f"compiled in {seconds:.0f} s")
        return seconds

    def _load(self) -> bool:
        """Loads the machine code, if it is there and whole."""
        code = self.kept.read()
        if code is None:
            return False
        try:
            load_entry_points(code, self._signatures())
        except Exception:  # whatever pickle and LLVM make of what is none of ours
            self.kept.is_damaged()
            return False
        return True

    def _signatures(self) -> Signatures:
        return {
            compiled: _types_of_arguments(compiled.py_func, {**self.argument_types, **types_of})
            for compiled, types_of in self.entry_points.items()
        }

    def compile_kernels(self, progress: Progress) -> None:
        """Compiles every kernel once, callees first, with int64 for all scalars.

        Left to itself numba would compile a function again for each mix of int8 fields, literals and int64
        that it is called with, three times on average; here such arguments are converted instead.
        """
        sets = list(self._with_needed())
        known = {id(compiled): kernels for kernels in sets for compiled in kernels.kernels}
        done: set[int] = set()

        def visit(compiled: Any) -> None:
            if id(compiled) in done:
                return
            done.add(id(compiled))
            for callee in _callees(compiled.py_func):
                if id(callee) in known:
                    visit(callee)
            if not compiled.overloads:
                compiled.compile(_types_of_arguments(compiled.py_func, known[id(compiled)].argument_types))
                compiled.disable_compile()
            progress(len(done), len(known))

        for kernels in sets:
            for compiled in kernels.kernels:
                visit(compiled)

    def _with_needed(self) -> Iterator[KernelSet]:
        if self.needs is not None:
            yield from self.needs._with_needed()
        yield self


def _types_of_arguments(function: Any, types_of: Mapping[str, Any]) -> tuple[Any, ...]:
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return tuple(types_of.get(name, numba.int64) for name in names)


def _callees(function: Any) -> Iterator[Any]:
    """What a function's names mean in its module, and in the modules that it names."""
    names = function.__code__.co_names
    for name in names:
        found = function.__globals__.get(name)
        yield found
        if isinstance(found, types.ModuleType):
            for other in names:
                yield getattr(found, other, None)
