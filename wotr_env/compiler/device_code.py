"""Emits the code that ``lowering/device.py`` has produced from kernels: as PTX, or for this machine.

The same LLVM code that becomes PTX can also be emitted for this machine. A launch then runs one thread after
another, and each memory access checks that its address is aligned as a GPU requires. Tests use this emulation
to play games.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm

from wotr_env.compiler.device import SYMBOL

SPECIAL = "llvm.nvvm.read.ptx.sreg."
"""The prefix of the names of functions that read special registers."""
EMULATED = "emulated."
MISALIGNED = "emulated.misaligned"
"""In code for this machine: the number of accesses to misaligned addresses, int64."""
_TRIPLE = "nvptx64-nvidia-cuda"
_PTX_VERSION = "+ptx78"
"""The PTX version of CUDA 11.8, the first that supports compute capability 9.0."""
_ACCESS = re.compile(
    r"^(?P<indent> +)(?:%\S+ = load (?:volatile )?[^,]+|store (?:volatile )?.+), "
    r"ptr (?P<address>%[^,\s]+), align (?P<align>\d+)",
    re.MULTILINE,
)
_COPY = re.compile(r"^(?P<indent> +)(?:tail )?call void @llvm\.mem[^(]+\((?P<arguments>.+)$", re.MULTILINE)
_COPIED = re.compile(r"ptr [^,]*?align (?P<align>\d+) (?P<address>%[^,\s]+)")
SHORT_EXTREME = re.compile(
    r"\b(?P<which>min|max)\.(?P<sign>[su])16[ \t]+(?P<result>%\w+), (?P<one>[^,]+), (?P<other>[^;]+);"
)
"""Matches the minimum or maximum of two 16-bit numbers in PTX."""


def gpu_machine(processor: str) -> Any:
    """LLVM's target machine for a GPU, such as ``sm_90``."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(_TRIPLE)
    return target.create_target_machine(cpu=processor, features=_PTX_VERSION, opt=3)


def as_of(machine: Any, code: str) -> Any:
    """Parses code as a module for another machine."""
    module = llvm.parse_assembly(code)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return module


def ptx_of(code: str, processor: str) -> str:
    """Returns the PTX of the code that ``lowering/device.py`` has produced for the processor."""
    written = gpu_machine(processor).emit_assembly(llvm.parse_assembly(code))
    return SHORT_EXTREME.sub(_with_32_bits, written)


def _with_32_bits(found: re.Match[str]) -> str:
    """Replaces the minimum or maximum of two 16-bit numbers by an operation on 32-bit numbers.

    NVIDIA's assembler (12.9, 13.0, and the one of driver 580; not 13.5) compares 16-bit numbers for compute
    capability 9.0 in pairs (``VIMNMX.S16x2``). Both comparisons write the same predicate, and the assembler
    uses it for a branch in place of a comparison that follows. So an H100 took other branches than the code
    requires.
    """
    which, sign, result, one, other = found.groups()
    return (
        f"{{ .reg .b32 one, other; cvt.{sign}32.{sign}16 one, {one}; cvt.{sign}32.{sign}16 other, {other}; "
        f"{which}.{sign}32 one, one, other; cvt.u16.u32 {result}, one; }}"
    )


def host_code_of(code: str, kernels: Sequence[str]) -> bytes:
    """Returns the same code as an object file for this machine.

    For each kernel, the object file has a function ``emulated.<name>(words, threads)``, which runs the
    threads of a launch one after another. ``words`` is the address of the parameters, and
    ``emulated.<name>.parameters`` is the number of parameters.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, codemodel="jitdefault", jit=True)
    text = re.sub(r"^target (datalayout|triple) = .*$", "", code, flags=re.MULTILINE)
    text = text.replace("ptx_kernel ", "").replace(f"@{SPECIAL}", f"@{EMULATED}")
    text = re.sub(rf"^declare .*@{re.escape(EMULATED)}.*$", "", text, flags=re.MULTILINE)
    text = _COPY.sub(_check_copy, _ACCESS.sub(_check_access, text))
    module = as_of(machine, text + _emulator(code, kernels))
    module.verify()
    return machine.emit_object(module)


def _check(indent: str, address: str, align: str) -> str:
    if int(align) == 1:
        return ""
    return f"{indent}call void @{EMULATED}expect(ptr {address}, i64 {int(align) - 1})\n"


def _check_access(found: re.Match[str]) -> str:
    return _check(found["indent"], found["address"], found["align"]) + found[0]


def _check_copy(found: re.Match[str]) -> str:
    checks = (
        _check(found["indent"], each["address"], each["align"])
        for each in _COPIED.finditer(found["arguments"])
    )
    return "".join(checks) + found[0]


def _emulator(code: str, kernels: Sequence[str]) -> str:
    """LLVM code that emulates launches on this machine, with blocks of one thread, in order."""
    parts = [
        f"""
@{EMULATED}block = internal global i32 0
@{MISALIGNED} = global i64 0
define internal i32 @{EMULATED}ctaid.x() noinline {{
  %block = load i32, ptr @{EMULATED}block
  ret i32 %block
}}
define internal i32 @{EMULATED}ntid.x() noinline {{
  ret i32 1
}}
define internal i32 @{EMULATED}tid.x() noinline {{
  ret i32 0
}}
define internal void @{EMULATED}expect(ptr %address, i64 %bits) {{
  %number = ptrtoint ptr %address to i64
  %odd = and i64 %number, %bits
  %wrong = icmp ne i64 %odd, 0
  %one = zext i1 %wrong to i64
  %before = load i64, ptr @{MISALIGNED}
  %after = add i64 %before, %one
  store i64 %after, ptr @{MISALIGNED}
  ret void
}}
"""
    ]
    for kernel in kernels:
        found = re.search(rf"^define .*@{SYMBOL}{kernel}\((?P<parameters>.*?)\)", code, re.MULTILINE)
        assert found is not None, kernel
        words = range(found["parameters"].count("i64 "))
        loads = "".join(
            f"  %p{word} = getelementptr i64, ptr %words, i64 {word}\n  %w{word} = load i64, ptr %p{word}\n"
            for word in words
        )
        given = ", ".join(f"i64 %w{word}" for word in words)
        parts.append(f"""
@{EMULATED}{kernel}.parameters = constant i64 {len(words)}
define void @{EMULATED}{kernel}(ptr %words, i64 %threads) {{
entry:
{loads}  %any = icmp sgt i64 %threads, 0
  br i1 %any, label %thread, label %done
thread:
  %number = phi i64 [ 0, %entry ], [ %next, %thread ]
  %short = trunc i64 %number to i32
  store i32 %short, ptr @{EMULATED}block
  call void @{SYMBOL}{kernel}({given})
  %next = add i64 %number, 1
  %more = icmp slt i64 %next, %threads
  br i1 %more, label %thread, label %done
done:
  ret void
}}
""")
    return "".join(parts)
