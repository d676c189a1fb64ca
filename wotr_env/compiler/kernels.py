"""Kernels: functions of the rules and bots that are compiled together, and the sets that they form.

A kernel remains a plain Python function: if Python calls it directly, it runs as plain Python. Compiled code
runs only through an entry point (``entry_points``). The machine code of each version of a set is cached under
a hash of everything that it depends on (``code_cache``). The compiler itself (``lowering``) is imported only
if there is no cached code.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.metadata
import os
import platform
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import llvmlite.binding
import numpy as np

from wotr_env.compiler.code_cache import CodeCache, say
from wotr_env.compiler.entry_points import OBJECT_SIZE, EntryPoint, MachineCode
from wotr_env.compiler.types import ArgumentType, Progress

INTERPRETED: bool = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
_BOUNDSCHECK = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")

Function = TypeVar("Function", bound=Callable[..., Any])


class BackgroundCompiler(Protocol):
    """Another process that compiles everything."""

    def is_compiling(self) -> bool:
        """Whether the other process still compiles, so that this process does not have to."""
        ...


class KernelSet:
    """The kernels of a package: compiled together, cached together.

    Args:
        package: the folder of the package.
        sources: patterns of the files that the machine code depends on.
        modules: the modules with entry points, which are imported before the kernels are compiled.
        needs: a set whose kernels the kernels of this set call.
        name: a name that no other set has. The name of a set without ``needs`` is the name of the game. By
            default the name of the folder.
    """

    interpreted = INTERPRETED
    background_compiler: ClassVar[BackgroundCompiler | None] = None
    """Another process that compiles everything. Until it has finished, kernels run as plain Python."""

    def __init__(
        self,
        package: Path,
        sources: tuple[str, ...],
        modules: tuple[str, ...] = (),
        needs: KernelSet | None = None,
        name: str = "",
    ) -> None:
        self.package = package
        self.name = name or package.name
        self._given_name = name
        self.sources = sources
        self.modules = modules
        self.needs = needs
        self.kernels: list[Callable[..., Any]] = []
        self.entry_points: dict[str, EntryPoint] = {}
        self.argument_types: dict[str, ArgumentType] = {}
        """The types of arguments by argument name; all other arguments are int64."""
        self.code: MachineCode | None = None
        """The machine code, after it has been loaded."""
        self._lock = threading.RLock()

    def kernel(self, function: Function) -> Function:
        """Decorates a function that other kernels and entry points of the set may call, and returns the
        function.

        A function may be part of several sets if their arguments have the same types. Otherwise, the other
        sets use copies of the function (``templates.specialize``).
        """
        self.kernels.append(function)
        return function

    def entry_point(self, **types_of: ArgumentType) -> Callable[[Callable[..., Any]], EntryPoint]:
        """Decorates a function that Python calls.

        Args:
            types_of: types of arguments that differ from ``argument_types`` or are missing there.
        """

        def decorate(function: Callable[..., Any]) -> EntryPoint:
            entry_point = EntryPoint(self, function, types_of)
            self.entry_points[entry_point.name] = entry_point
            return entry_point

        return decorate

    def bound(self, entry_point: EntryPoint) -> Callable[..., Any] | None:
        """Returns the machine code of an entry point, and compiles it if needed; None while another process
        compiles it."""
        if self._is_compiling_in_background():
            return None
        self.ensure_compiled()
        assert self.code is not None
        return self.code.call_of(entry_point.name, entry_point.types)

    @functools.cached_property
    def build_id(self) -> str:
        """A hash (16 hex digits) of everything that determines the machine code: sources, data, versions and
        processor."""
        digest = hashlib.sha256((self.needs.build_id if self.needs else "").encode())
        self._hash_sources(digest)
        environment = (
            self._given_name,
            importlib.metadata.version("numba"),
            importlib.metadata.version("llvmlite"),
            np.__version__,
            platform.python_version(),
            llvmlite.binding.get_host_cpu_name(),
            llvmlite.binding.get_host_cpu_features().flatten(),
            _BOUNDSCHECK,
            OBJECT_SIZE,
        )
        digest.update(repr(environment).encode())
        return digest.hexdigest()[:16]

    @functools.cached_property
    def sources_id(self) -> str:
        """A hash (16 hex digits) of the sources and the data only; the same on every machine."""
        digest = hashlib.sha256((self.needs.sources_id if self.needs else "").encode())
        self._hash_sources(digest)
        return digest.hexdigest()[:16]

    def _hash_sources(self, digest: Any) -> None:
        for pattern in self.sources:
            for path in sorted(self.package.glob(pattern)):
                if path.is_file():
                    digest.update(path.relative_to(self.package).as_posix().encode())
                    digest.update(path.read_bytes())

    @functools.cached_property
    def kept(self) -> CodeCache:
        """The cached machine code of this version."""
        return CodeCache(self.build_id)

    def is_compiled(self) -> bool:
        """Whether the machine code of this version is loaded or cached (always true when kernels are
        interpreted)."""
        return INTERPRETED or self.code is not None or self.kept.exists()

    def prepare(self) -> None:
        """Ensures that everything is compiled, or that another process is compiling it."""
        if not self._is_compiling_in_background():
            self.ensure_compiled()

    def _is_compiling_in_background(self) -> bool:
        background_compiler = KernelSet.background_compiler
        if background_compiler is None or self.is_compiled():
            return False
        return background_compiler.is_compiling()

    def ensure_compiled(self, progress: Progress | None = None) -> float:
        """Compiles everything once per version and machine; other processes wait for the first one.

        If the set that this set needs is not compiled, it is compiled in the same run.

        Args:
            progress: a function that receives the progress; by default two lines are printed on stderr.

        Returns:
            Seconds spent compiling; 0.0 if the machine code existed.
        """
        if INTERPRETED or self.code is not None:
            return 0.0
        with self._lock:
            if self._load():
                return 0.0
        with contextlib.ExitStack() as stack:
            for each in self.with_needed():
                stack.enter_context(each._lock)
                if each is self or not each.is_compiled():
                    stack.enter_context(each.kept.alone())
            return self._load_or_compile(progress)

    def _load_or_compile(self, progress: Progress | None) -> float:
        if self._load():
            return 0.0
        missing = [each for each in self.with_needed() if each is self or not each.is_compiled()]
        if progress is None:
            names = (each.name if each.needs else f"the rules of {each.name}" for each in missing)
            say(f"compiling {', '.join(names)} (once per version) ...")
        start = time.perf_counter()
        codes = _compile(missing, progress or (lambda _done, _total: None))
        for each, code in zip(missing, codes, strict=True):
            each.kept.write(code)
            each.code = MachineCode(code)
        seconds = time.perf_counter() - start
        if progress is None:
            say(f"compiled in {seconds:.0f} s")
        return seconds

    def with_needed(self) -> Iterator[KernelSet]:
        """Yields the sets that this set needs, and then this set."""
        if self.needs is not None:
            yield from self.needs.with_needed()
        yield self

    def _load(self) -> bool:
        """Loads the machine code if it exists and is complete; returns whether it is loaded."""
        if self.code is not None:
            return True
        code = self.kept.read()
        if code is None:
            return False
        try:
            self.code = MachineCode(code)
        except Exception:  # whatever LLVM and others make of what is none of ours
            self.kept.report_damage()
            return False
        return True


def _compile(sets: Sequence[KernelSet], progress: Progress) -> list[bytes]:
    """Compiles all entry points of each set, and returns their machine code in the form that is cached. Each
    set needs the previous one."""
    from wotr_env.compiler.lowering.kernels import build

    for each in sets:
        for module in each.modules:
            importlib.import_module(module)
    return build(sets, progress)
