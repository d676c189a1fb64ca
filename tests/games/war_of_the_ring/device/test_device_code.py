"""Code for a GPU: each operation on memory; the assembler of the GPU's maker takes the whole of the rules."""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wotr_env.compiler.device import SYMBOL
from wotr_env.compiler.device_code import SHORT_EXTREME
from wotr_env.games.war_of_the_ring.device import images

pytestmark = pytest.mark.slow

PROCESSOR = "sm_90"
PACKAGES = ("nvidia-cuda-nvcc", "nvidia-cuda-nvcc-cu12")
OPERATIONS = Path(__file__).parents[3] / "memory_on_device.py"


def assembler() -> str | None:
    """``ptxas``, from a package of extra ``cuda``: it takes most of a minute, so only for who asks for it."""
    for package in PACKAGES:
        try:
            files = importlib.metadata.files(package) or ()
        except importlib.metadata.PackageNotFoundError:
            continue
        found = [Path(str(file.locate())) for file in files if file.name == "ptxas"]
        if found:
            return str(found[0])
    return None


def test_ptx_has_all_kernels():
    text = images.ptx(PROCESSOR).decode()
    assert f".target {PROCESSOR}" in text and ".version 7.8" in text
    entries = re.findall(r"\.visible \.entry (\w+)", text)
    assert sorted(entries) == sorted(f"{SYMBOL}{kernel}" for kernel in images.KERNELS)
    assert ".extern" not in text


def test_no_extremes_of_short_numbers_are_left_to_the_assembler():
    """An H100 took other branches than the code said, behind such an instruction."""
    text = images.ptx(PROCESSOR).decode()
    assert SHORT_EXTREME.search("\tmax.s16 \t%rs4, %rs3, 0;")
    assert not SHORT_EXTREME.search(text)
    assert text.count(".reg .b32 one, other;") > 10


def test_the_assembler_takes_it(tmp_path):
    tool = assembler()
    if tool is None:
        pytest.skip("there is no ptxas")
    (tmp_path / "rules.ptx").write_bytes(images.ptx(PROCESSOR))
    command = [tool, "-v", f"-arch={PROCESSOR}", "rules.ptx", "-o", "rules.cubin"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    said = done.stderr
    for kernel in images.KERNELS:
        assert f"Compiling entry function '{SYMBOL}{kernel}' for '{PROCESSOR}'" in said
    assert "cannot be statically determined" not in said
    registers = [int(number) for number in re.findall(r"Used (\d+) registers", said)]
    assert len(registers) == len(images.KERNELS) and max(registers) <= 255
    assert (tmp_path / "rules.cubin").read_bytes().startswith(b"\x7fELF")


def test_operations_on_memory_at_any_address():
    """In a process of its own, which compiles for a GPU and for nothing else."""
    done = subprocess.run(
        [sys.executable, str(OPERATIONS)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "same"
