"""Compiling kernels: the ``@kernel`` decorator, its cache, and the one-time compilation.

Each version of a set of kernels gets a cache folder of its own, named by a hash of everything that the
machine code depends on.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import filelock
import llvmlite.binding
import numba
import numpy as np
import platformdirs
from numba.core import config

from wotr_env.compiler.entry_points import Signatures, compile_entry_points, load_entry_points
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
        )
        digest.update(repr(environment).encode())
        return digest.hexdigest()[:16]

    @functools.cached_property
    def cache_folder(self) -> Path:
        """The folder of this version's machine code, under ``NUMBA_CACHE_DIR`` or the user's cache."""
        base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("wotr-env")
        return Path(base) / f"kernels-{self.build_id}"

    def is_compiled(self) -> bool:
        """Whether the machine code of this version is in the cache (always true when interpreted)."""
        return INTERPRETED or self._machine_code.exists()

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
        self.cache_folder.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(self.cache_folder / "lock"):
            if self._load():
                return 0.0
            what = "the rules" if self.needs is None else self.package.name
            if progress is None:
                print(f"wotr: compiling {what} (once per version) ...", file=sys.stderr, flush=True)
            start = time.perf_counter()
            self.compile_kernels(progress or (lambda _done, _total: None))
            machine_code = compile_entry_points(self.package.name, self._signatures())
            unfinished = self._machine_code.with_suffix(".unfinished")
            unfinished.write_bytes(machine_code)
            unfinished.replace(self._machine_code)
        seconds = time.perf_counter() - start
        if progress is None:
            print(f"wotr: compiled in {seconds:.0f} s", file=sys.stderr, flush=True)
        return seconds

    def _load(self) -> bool:
        """Loads the machine code, if it is there."""
        if not self.is_compiled():
            return False
        load_entry_points(self._machine_code.read_bytes(), self._signatures())
        return True

    @property
    def _machine_code(self) -> Path:
        return self.cache_folder / "machine_code"

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
