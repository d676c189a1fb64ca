"""Compiling the rules: the ``@kernel`` decorator, its cache, and the one-time compilation.

numba's own cache notices neither edits in imported modules nor changed tables, so each version of the rules
gets a cache folder of its own, named by a hash of everything that the machine code depends on.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import filelock
import llvmlite.binding
import numba
import numpy as np
import platformdirs

from wotr_env.rule_compiler import RuleCompiler

PACKAGE = Path(__file__).parent
_SOURCES = (
    "codes.py",
    "components.py",
    "event_programs.py",
    "combat_programs.py",
    "ruleset.py",
    "state.py",
    "actions.py",
    "compile.py",
    "rule_compiler.py",
    "layout.py",
    "encoding.py",
    "worlds.py",
    "buffers.py",
    "kernel.py",
    "rules/*.py",
    "data/*",
)


def build_id() -> str:
    """A hash (16 hex digits) of the kernel sources, the data and all else the machine code depends on.

    numba finds the code of an entry point by the path and age of its source, so these count too: of two
    copies of the same version each has its own.
    """
    digest = hashlib.sha256()
    source = PACKAGE / "kernel.py"
    digest.update(f"{source.resolve()} {source.stat().st_mtime_ns}".encode())
    for pattern in _SOURCES:
        for path in sorted(PACKAGE.glob(pattern)):
            if path.is_file():
                digest.update(path.relative_to(PACKAGE).as_posix().encode())
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


def cache_folder() -> Path:
    """The folder of this version's machine code, under ``NUMBA_CACHE_DIR`` or the user's cache directory."""
    base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("wotr-env")
    return Path(base) / f"kernels-{build_id()}"


INTERPRETED: bool = bool(numba.config.DISABLE_JIT)
if not INTERPRETED:
    numba.config.CACHE_DIR = str(cache_folder())

_KERNELS: list[Any] = []


def kernel(function: Callable) -> Any:
    """Compiles a rule. Rules become part of the entry points that call them, and only those are cached."""
    compiled = numba.njit(nogil=True, error_model="numpy", pipeline_class=RuleCompiler)(function)
    _KERNELS.append(compiled)
    return compiled


entry_point = numba.njit(nogil=True, error_model="numpy", cache=True)
"""Compiles a function that Python calls (``kernel.py``), and keeps the machine code."""


def is_compiled() -> bool:
    """Whether the machine code of this version is in the cache (always true with ``NUMBA_DISABLE_JIT=1``)."""
    return INTERPRETED or (cache_folder() / "complete").exists()


_ready = INTERPRETED


def compile_kernels(argument_types: dict[str, Any], progress: Callable[[int, int], None]) -> None:
    """Compiles every rule once, callees first, with int64 for all scalars.

    Left to itself numba would compile a function again for each mix of int8 fields, literals and int64 that
    it is called with, three times on average; here such arguments are converted instead.

    Args:
        argument_types: numba types of the arguments of these names; all others are int64.
        progress: told the number of rules compiled so far and their total.
    """
    done: set[int] = set()

    def visit(compiled: Any) -> None:
        if id(compiled) in done:
            return
        done.add(id(compiled))
        function = compiled.py_func
        known = function.__globals__
        for name in function.__code__.co_names:
            found = known.get(name)
            modules = [found] if isinstance(found, types.ModuleType) else []
            callees = [
                getattr(module, other, None) for module in modules for other in function.__code__.co_names
            ]
            for callee in [found, *callees]:
                if id(callee) in ids:
                    visit(callee)
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        compiled.compile(tuple(argument_types.get(name, numba.int64) for name in names))
        compiled.disable_compile()
        progress(len(done), len(_KERNELS))

    ids = {id(compiled) for compiled in _KERNELS}
    for compiled in _KERNELS:
        visit(compiled)


def ensure_compiled(
    compile_all: Callable[[Callable[[int, int], None]], None],
    progress: Callable[[int, int], None] | None = None,
) -> float:
    """Compiles everything once per version and machine; other processes wait for the first.

    Args:
        compile_all: compiles everything, given a progress callback.
        progress: told the rules compiled so far and their total; by default two lines on stderr are printed.

    Returns:
        Seconds spent compiling; 0.0 if the machine code was there.
    """
    global _ready
    if _ready:
        return 0.0
    _ready = True
    if is_compiled():
        return 0.0
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(folder / "lock"):
        if is_compiled():
            return 0.0
        if progress is None:
            print("wotr: compiling the rules (once, half a minute) ...", file=sys.stderr, flush=True)
        start = time.perf_counter()
        compile_all(progress or (lambda _done, _total: None))
        (folder / "complete").touch()
    seconds = time.perf_counter() - start
    if progress is None:
        print(f"wotr: compiled in {seconds:.0f} s", file=sys.stderr, flush=True)
    return seconds
