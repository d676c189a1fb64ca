"""Compiles the rules for GPUs in a separate process.

A process that compiles for a GPU cannot compile for anything else (``compiler/lowering/form.py``).
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import wotr_env

_OTHER_PROCESS = """
import sys
from wotr_env.games.war_of_the_ring.device.build import build
build(*sys.argv[1:])
"""


def built(processor: str) -> bytes:
    """Returns LLVM's code of the rules for a processor such as ``sm_90``, compressed. Another process
    compiles it.

    Raises:
        RuntimeError: the code could not be compiled; the other process has printed the reason.
    """
    root = str(Path(wotr_env.__file__).parents[1])
    paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "0"}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "code"
        command = [sys.executable, "-P", "-c", _OTHER_PROCESS, processor, str(file)]
        done = subprocess.run(command, env=environment, check=False)
        if done.returncode:
            raise RuntimeError(f"compiling the rules for {processor} has failed")
        return file.read_bytes()


def build(processor: str, file: str) -> None:
    """Compiles the code and writes it to a file. Called in the process that ``built`` starts."""
    from wotr_env.compiler.lowering.device import build_device
    from wotr_env.games.war_of_the_ring.kernels import RULES

    for module in RULES.modules:
        importlib.import_module(module)
    from wotr_env.games.war_of_the_ring.engine.kernel import DEVICE_KERNELS

    code = build_device(RULES, DEVICE_KERNELS, processor, lambda _done, _total: None)
    Path(file).write_bytes(zlib.compress(code.encode()))
