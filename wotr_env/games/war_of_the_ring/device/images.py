"""Cached code of the rules for GPUs, in the same cache as the machine code for the CPU."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from wotr_env.compiler.code_cache import CodeCache, say
from wotr_env.compiler.device import Sort
from wotr_env.compiler.device_code import host_code_of, ptx_of
from wotr_env.games.war_of_the_ring.device.build import built
from wotr_env.games.war_of_the_ring.engine.kernel import DEVICE_KERNELS
from wotr_env.games.war_of_the_ring.kernels import RULES

KERNELS = (*DEVICE_KERNELS, *Sort)
"""The names of all kernels."""
PROCESSORS = (70, 75, 80, 86, 89, 90)
"""The compute capabilities (times ten) for which PTX is made. A later GPU uses the PTX of the last one."""


def processor_for(capability: tuple[int, int]) -> str:
    """The processor whose PTX a GPU of a compute capability uses.

    Raises:
        ValueError: the GPU is too old.
    """
    number = 10 * capability[0] + capability[1]
    fitting = [each for each in PROCESSORS if each <= number]
    if not fitting:
        raise ValueError(f"a GPU of compute capability 7.0 or later is wanted, not {capability}")
    return f"sm_{fitting[-1]}"


def ptx(processor: str) -> bytes:
    """Returns the rules as PTX."""
    return kept("ptx", processor, lambda: ptx_of(_code(processor), processor).encode())


def host_code(processor: str) -> bytes:
    """Returns the code from which PTX is made, as an object file for this machine."""
    return kept("host", processor, lambda: host_code_of(_code(processor), KERNELS))


def kept(what: str, where: str, make: Callable[[], bytes]) -> bytes:
    """Returns cached code of this version of the rules; creates and caches it if it is missing.

    Args:
        what: a word for the kind of code.
        where: an identifier of the machine for which the code is made.
        make: creates the code.
    """
    environment = [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    name = hashlib.sha256(repr((what, where, RULES.sources_id, environment)).encode()).hexdigest()[:16]
    place = CodeCache(name)
    found = place.read()
    if found is None:
        with place.alone():
            found = place.read()
            if found is None:
                found = make()
                place.write(found)
    return found


def _code(processor: str) -> str:
    def make() -> bytes:
        say(f"compiling the rules for {processor} (once per version) ...")
        start = time.perf_counter()
        code = built(processor)
        say(f"compiled in {time.perf_counter() - start:.0f} s")
        return code

    return zlib.decompress(kept("code", processor, make)).decode()


def write_image(file: Path, processor: str) -> None:
    """Writes the rules as PTX into a file, for a machine that cannot or should not compile them."""
    header = {"sources": RULES.sources_id, "processor": processor}
    file.write_bytes(json.dumps(header).encode() + b"\n" + zlib.compress(ptx(processor)))


def cache_image(file: Path, processor: str) -> bytes:
    """Caches the PTX of an image file for a processor, so that later processes do not need the file. Returns
    the PTX.

    Raises:
        ValueError: for the same reasons as in ``read_image``.
    """
    code = read_image(file)
    return kept("ptx", processor, lambda: code)


def read_image(file: Path) -> bytes:
    """Returns the PTX of an image file.

    Raises:
        ValueError: the file is not an image, or contains another version of the rules.
    """
    header, _, data = file.read_bytes().partition(b"\n")
    try:
        sources, code = json.loads(header)["sources"], zlib.decompress(data)
    except (ValueError, KeyError, TypeError, zlib.error):
        raise ValueError(f"{file} holds no code of the rules") from None
    if sources != RULES.sources_id:
        raise ValueError(f"{file} holds the code of another version of the rules")
    return code
