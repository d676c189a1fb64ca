"""Compiling kernels: the ``@kernel`` decorator, its cache, and the one-time compilation.

numba's own cache notices neither edits in imported modules nor changed tables, so each version of a set of
kernels gets a cache folder of its own, named by a hash of everything that the machine code depends on.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import filelock
import llvmlite.binding
import numba
import numpy as np
import platformdirs
from numba.core import config

from wotr_env.compiler.lowering import RuleCompiler

_config: Any = config  # its names are made at run time

INTERPRETED: bool = bool(_config.DISABLE_JIT)

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
        self.entry_points: list[Any] = []
        self.argument_types: dict[str, Any] = {}
        """numba types of the arguments of these names; all others are int64."""
        self._ready = INTERPRETED

    def kernel(self, function: Function) -> Function:
        """Compiles a function that only other kernels call; it becomes part of the entry points."""
        compiled: Any = numba.njit(nogil=True, error_model="numpy", pipeline_class=RuleCompiler)(function)
        self.kernels.append(compiled)
        return compiled

    def entry_point(self, function: Function) -> Function:
        """Compiles a function that Python calls, and keeps the machine code."""
        if not INTERPRETED:
            _config.CACHE_DIR = str(self.cache_folder)
        compiled: Any = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
        self.entry_points.append(compiled)
        return compiled

    def close(self) -> None:
        """Lets the entry points take no arguments of other types than those they were used with."""
        if not INTERPRETED:
            for compiled in self.entry_points:
                compiled.disable_compile()

    @functools.cached_property
    def build_id(self) -> str:
        """A hash (16 hex digits) of the sources, the data and all else the machine code depends on.

        numba finds the code of an entry point by the path and age of its source, so these count too: of two
        copies of the same version each has its own.
        """
        digest = hashlib.sha256((self.needs.build_id if self.needs else "").encode())
        for pattern in self.sources:
            for path in sorted(self.package.glob(pattern)):
                if path.is_file():
                    digest.update(path.relative_to(self.package).as_posix().encode())
                    digest.update(path.read_bytes())
                    if b"entry_point" in path.read_bytes():
                        digest.update(f"{path.resolve()} {path.stat().st_mtime_ns}".encode())
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
        return INTERPRETED or (self.cache_folder / "complete").exists()

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
            function = compiled.py_func
            for callee in _callees(function):
                if id(callee) in known:
                    visit(callee)
            if not compiled.overloads:
                names = function.__code__.co_varnames[: function.__code__.co_argcount]
                types_of = known[id(compiled)].argument_types
                compiled.compile(tuple(types_of.get(name, numba.int64) for name in names))
                compiled.disable_compile()
            progress(len(done), len(known))

        for kernels in sets:
            for compiled in kernels.kernels:
                visit(compiled)

    def ensure_compiled(
        self, compile_all: Callable[[Progress], None], progress: Progress | None = None
    ) -> float:
        """Compiles everything once per version and machine; other processes wait for the first.

        Args:
            compile_all: loads everything, compiling what is not in the cache; given a progress callback.
            progress: by default two lines on stderr are printed.

        Returns:
            Seconds spent compiling; 0.0 if the machine code was there.
        """
        if self._ready:
            return 0.0
        self._ready = True
        silent = progress or (lambda _done, _total: None)
        if self.is_compiled():
            compile_all(silent)
            return 0.0
        self.cache_folder.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(self.cache_folder / "lock"):
            if self.is_compiled():
                compile_all(silent)
                return 0.0
            what = "the rules" if self.needs is None else self.package.name
            if progress is None:
                print(f"wotr: compiling {what} (once per version) ...", file=sys.stderr, flush=True)
            start = time.perf_counter()
            compile_all(silent)
            (self.cache_folder / "complete").touch()
        seconds = time.perf_counter() - start
        if progress is None:
            print(f"wotr: compiled in {seconds:.0f} s", file=sys.stderr, flush=True)
        return seconds

    def _with_needed(self) -> Iterator[KernelSet]:
        if self.needs is not None:
            yield from self.needs._with_needed()
        yield self


def _callees(function: Any) -> Iterator[Any]:
    """What a function's names mean in its module, and in the modules that it names."""
    names = function.__code__.co_names
    for name in names:
        found = function.__globals__.get(name)
        yield found
        if isinstance(found, types.ModuleType):
            for other in names:
                yield getattr(found, other, None)
