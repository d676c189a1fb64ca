"""Kernels: functions of the rules and bots that are compiled together, and the sets that they form.

A kernel stays the Python function that it is: called by Python it runs as it is written. Compiled code is
what an entry point (``entry_points``) reaches. The machine code of each version of a set is kept under a hash
of everything that it depends on (``kept_code``); the compiler itself (``lowering``) is imported when there is
none.
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

from wotr_env.compiler.entry_points import OBJECT_SIZE, EntryPoint, MachineCode
from wotr_env.compiler.kept_code import KeptCode, say
from wotr_env.compiler.types import ArgumentType, Progress

INTERPRETED: bool = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
_BOUNDSCHECK = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")

Function = TypeVar("Function", bound=Callable[..., Any])


class Elsewhere(Protocol):
    """Another process that compiles everything."""

    def is_compiling(self) -> bool:
        """Whether it still does, so that nobody else need."""
        ...


class KernelSet:
    """The kernels of a package: compiled together, cached together.

    Args:
        package: the folder of the package.
        sources: patterns of the files that the machine code depends on.
        modules: those with entry points, which are imported before anything is compiled.
        needs: a set whose kernels are called by these.
        name: unlike that of any other; of a set that needs none, the name of the game. By default that of the
            folder.
    """

    interpreted = INTERPRETED
    elsewhere: ClassVar[Elsewhere | None] = None
    """A process that compiles everything; until it is done kernels run as they are written."""

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
        """Types of the arguments of these names; all others are int64."""
        self.code: MachineCode | None = None
        """Once it is loaded."""
        self._lock = threading.RLock()

    def kernel(self, function: Function) -> Function:
        """Makes a function part of the set: other kernels and entry points of the set may call it.

        It may be part of several whose arguments have the same types; others take copies of it
        (``templates.copies_of``).
        """
        self.kernels.append(function)
        return function

    def entry_point(self, **types_of: ArgumentType) -> Callable[[Callable[..., Any]], EntryPoint]:
        """Makes a function one that Python calls.

        Args:
            types_of: types of arguments, where ``argument_types`` has none or another.
        """

        def decorate(function: Callable[..., Any]) -> EntryPoint:
            entry_point = EntryPoint(self, function, types_of)
            self.entry_points[entry_point.name] = entry_point
            return entry_point

        return decorate

    def bound(self, entry_point: EntryPoint) -> Callable[..., Any] | None:
        """The machine code of an entry point, compiled if need be; None while another process compiles it."""
        if self._is_compiled_elsewhere():
            return None
        self.ensure_compiled()
        assert self.code is not None
        return self.code.call_of(entry_point.name, entry_point.types)

    @functools.cached_property
    def build_id(self) -> str:
        """A hash (16 hex digits) of the sources, the data and all else the machine code depends on."""
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
        """A hash (16 hex digits) of the sources and the data alone: the same on every machine."""
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
    def kept(self) -> KeptCode:
        """The machine code of this version."""
        return KeptCode(self.build_id)

    def is_compiled(self) -> bool:
        """Whether the machine code of this version is loaded or kept (always true when interpreted)."""
        return INTERPRETED or self.code is not None or self.kept.exists()

    def prepare(self) -> None:
        """Makes sure that everything is compiled, or that another process is compiling it."""
        if not self._is_compiled_elsewhere():
            self.ensure_compiled()

    def _is_compiled_elsewhere(self) -> bool:
        elsewhere = KernelSet.elsewhere
        if elsewhere is None or self.is_compiled():
            return False
        return elsewhere.is_compiling()

    def ensure_compiled(self, progress: Progress | None = None) -> float:
        """Compiles everything once per version and machine; other processes wait for the first.

        A set that this one needs is compiled in the same go, if it is to be compiled.

        Args:
            progress: by default two lines on stderr are printed.

        Returns:
            Seconds spent compiling; 0.0 if the machine code was there.
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
        """The sets that this one needs, and itself last."""
        if self.needs is not None:
            yield from self.needs.with_needed()
        yield self

    def _load(self) -> bool:
        """Loads the machine code, if it is there and whole."""
        if self.code is not None:
            return True
        code = self.kept.read()
        if code is None:
            return False
        try:
            self.code = MachineCode(code)
        except Exception:  # whatever LLVM and others make of what is none of ours
            self.kept.is_damaged()
            return False
        return True


def _compile(sets: Sequence[KernelSet], progress: Progress) -> list[bytes]:
    """The machine code of all entry points of each set, as it is kept; each is needed by the next."""
    from wotr_env.compiler.lowering.kernels import build

    for each in sets:
        for module in each.modules:
            importlib.import_module(module)
    return build(sets, progress)
