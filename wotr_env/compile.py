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
from collections.abc import Callable
from pathlib import Path

import filelock
import llvmlite.binding
import numba
import numpy as np
import platformdirs

PACKAGE = Path(__file__).parent
_SOURCES = (
    "codes.py",
    "components.py",
    "ruleset.py",
    "state.py",
    "actions.py",
    "kernel.py",
    "rules/*.py",
    "data/*",
)


def rules_version() -> str:
    """A hash (16 hex digits) of the kernel sources, the data and all else the machine code depends on."""
    digest = hashlib.sha256()
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
    return Path(base) / f"kernels-{rules_version()}"


INTERPRETED: bool = bool(numba.config.DISABLE_JIT)
if not INTERPRETED:
    numba.config.CACHE_DIR = str(cache_folder())

kernel = numba.njit(nogil=True, error_model="numpy")
"""Compiles a rule. Rules are compiled into the entry points that call them, and only those are cached."""

entry_point = numba.njit(nogil=True, error_model="numpy", cache=True)
"""Compiles a function that Python calls (``kernel.py``), and keeps the machine code."""


def is_compiled() -> bool:
    """Whether the machine code of this version is in the cache (always true with ``NUMBA_DISABLE_JIT=1``)."""
    return INTERPRETED or (cache_folder() / "complete").exists()


_ready = INTERPRETED


def ensure_compiled(compile_all: Callable[[], None]) -> float:
    """Compiles everything once per version and machine, with a message; other processes wait for the first.

    Args:
        compile_all: calls every entry point once.

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
        print("wotr: compiling the rules (once, about a minute) ...", file=sys.stderr, flush=True)
        start = time.perf_counter()
        compile_all()
        (folder / "complete").touch()
    seconds = time.perf_counter() - start
    print(f"wotr: compiled in {seconds:.0f} s", file=sys.stderr, flush=True)
    return seconds
