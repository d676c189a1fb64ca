"""Machine code that is kept on machines without comfort: no folder, others' folders, damage, many at once.

Each process here compiles one tiny kernel.
"""

from __future__ import annotations

import os
import pickle
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import filelock
import pytest

from tests.compiler.programs import Program
from wotr_env.compiler import code_cache
from wotr_env.compiler.code_cache import CodeCache
from wotr_env.compiler.kernels import INTERPRETED

needs_users = pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owners here")
is_root = hasattr(os, "getuid") and os.getuid() == 0

MODULE = """
import sys
from pathlib import Path
import numpy as np
from wotr_env.compiler.kernels import KernelSet
from wotr_env.compiler.types import array_of

SET = KernelSet(Path(__file__).parent, ("tiny.py",))

@SET.kernel
def doubled(number):
    return 2 * number

@SET.entry_point(numbers=array_of(np.int64))
def double_all(numbers):
    for place in range(numbers.size):
        numbers[place] = doubled(numbers[place])

def main():
    word = "compiled" if SET.ensure_compiled(lambda *_: None) else "loaded"
    three = np.arange(3)
    double_all(three)
    print(word, *three)

if __name__ == "__main__":
    main()
"""
WORKS = ("compiled 0 2 4", "loaded 0 2 4")


@pytest.fixture
def tiny(tmp_path):
    """Runs a process with one kernel; gives its output and its errors. Variables need a new Python."""
    if INTERPRETED:
        pytest.skip("nothing is compiled")
    script = tmp_path / "tiny.py"
    script.write_text(MODULE)

    def run(cache: Path | None = None, **environment: str | None) -> tuple[str, str]:
        changed = {**os.environ, "NUMBA_CACHE_DIR": str(cache) if cache else None, **environment}
        changed = {name: value for name, value in changed.items() if value is not None}
        if not environment:
            ended = Program(script, changed).ended()
            assert ended.code == 0, ended.errors
            return ended.out.strip(), ended.errors.strip()
        ran = subprocess.run(
            [sys.executable, script],
            env=changed,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.strip(), ran.stderr.strip()

    return run


def code_in(cache: Path) -> Path:
    (found,) = cache.glob("kernels-*/machine_code")
    return found


# --- Damage. ---


def test_damaged_code_is_compiled_anew_and_heals(tiny, tmp_path, monkeypatch):
    """Once with a bit changed, once whole by its checksum, but nothing that this package has made."""
    cache = tmp_path / "cache"
    assert tiny(cache) == (WORKS[0], "")
    whole = code_in(cache).read_bytes()
    other = bytearray(whole)
    other[len(whole) // 2] ^= 1
    code_in(cache).write_bytes(other)
    output, errors = tiny(cache)
    assert output == WORKS[0]
    assert errors.count("\n") == 0 and "is damaged; it is compiled anew" in errors
    assert tiny(cache) == (WORKS[1], "")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache))
    CodeCache(code_in(cache).parent.name.removeprefix("kernels-")).write(b"no machine code")
    output, errors = tiny(cache)
    assert output == WORKS[0] and "is damaged; it is compiled anew" in errors


class Kept:
    """Kept code in a folder of this test."""

    def __init__(self, monkeypatch, folder: Path) -> None:
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
        self.code = CodeCache("0123456789abcdef")
        self.code.write(b"machine code")
        assert self.code.folder is not None
        self.folder = self.code.folder
        self.file = self.folder / "machine_code"


@pytest.fixture
def kept(monkeypatch, tmp_path):
    return Kept(monkeypatch, tmp_path / "cache")


def test_what_is_kept_is_ours_alone(kept):
    assert kept.code.exists() and kept.code.read() == b"machine code"
    for path in (kept.folder, kept.file):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("cut", [0, 1, 8, 24, 40, 45])
def test_truncated_code_is_no_code(kept, cut, capsys):
    kept.file.write_bytes(kept.file.read_bytes()[:cut])
    assert kept.code.read() is None
    assert capsys.readouterr().err.count("\n") == 1


def test_garbage_and_pickles_of_others_are_no_code(kept, capsys):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(kept.folder / "run"),)

    for garbage in (b"\0" * 1000, os.urandom(1000), pickle.dumps(Evil())):
        kept.file.write_bytes(garbage)
        assert kept.code.read() is None
    assert not (kept.folder / "run").exists()
    assert capsys.readouterr().err.count("is damaged") == 1  # said once


def test_code_of_another_build_is_no_code(kept, capsys):
    other = CodeCache("fedcba9876543210")
    other.write(b"other code")
    shutil.copy(kept.file, other.folder / "machine_code")
    assert other.read() is None and "is damaged" in capsys.readouterr().err
    assert kept.code.read() == b"machine code"


# --- Whose it is. ---


@needs_users
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_to_is_not_used(kept, mode, monkeypatch, capsys):
    kept.folder.chmod(mode)
    code_cache._temporary_base.cache_clear()
    code = CodeCache("0123456789abcdef")
    assert code.folder is not None and code.folder != kept.folder
    assert code.read() is None
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and f"others may write to {kept.folder}" in line


@needs_users
def test_a_file_that_others_may_write_to_is_not_read(kept, capsys):
    kept.file.chmod(0o666)
    assert kept.code.read() is None
    assert "others may write to" in capsys.readouterr().err


@needs_users
def test_what_another_user_owns_is_not_used(kept, monkeypatch, capsys):
    monkeypatch.setattr(os, "getuid", lambda: kept.folder.stat().st_uid + 1)
    assert kept.code.read() is None
    assert "belongs to another user" in capsys.readouterr().err
    code_cache._temporary_base.cache_clear()
    assert CodeCache("0123456789abcdef").folder != kept.folder
    assert f"{kept.folder} belongs to another user" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_what_is_no_file_is_not_read(kept, what, tmp_path, capsys):
    elsewhere = tmp_path / "elsewhere"
    kept.file.rename(elsewhere)
    if what == "link":
        kept.file.symlink_to(elsewhere)
    elif what == "folder":
        kept.file.mkdir()
    else:
        os.mkfifo(kept.file)
    assert kept.code.read() is None
    assert capsys.readouterr().err.count("\n") == 1


def test_a_link_to_a_folder_is_not_used(monkeypatch, tmp_path, capsys):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "kernels-0").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code_cache._temporary_base.cache_clear()
    assert CodeCache("0").folder != tmp_path / "kernels-0"
    assert "is no folder" in capsys.readouterr().err


# --- Nowhere to keep it. ---


def test_without_a_home_a_process_keeps_its_code_for_itself(tiny):
    nobody = {"HOME": "", "XDG_CACHE_HOME": None, "NUMBA_CACHE_DIR": None}
    output, errors = tiny(**nobody)
    assert output == WORKS[0]
    assert errors.count("\n") == 0
    assert (
        "compiled code is kept in" in errors and "until this process ends: there is no home folder" in errors
    )
    assert not Path(errors.split(" kept in ")[1].split(" until ")[0]).exists()  # it is gone


@pytest.mark.parametrize("where", ["a file", "/proc/nowhere"])
def test_where_nothing_can_be_kept_a_process_works_all_the_same(tiny, tmp_path, where):
    (tmp_path / "a file").write_text("in the way")
    output, errors = tiny(tmp_path / where)
    assert output == WORKS[0] and errors.count("\n") == 0 and "cannot be made" in errors


def test_processes_that_are_started_share_the_temporary_folder(tiny, tmp_path):
    """Such as the workers of a tournament: the first compiles for them."""
    (tmp_path / "parent.py").write_text(
        "import subprocess, sys, tiny\ntiny.main()\nsys.stdout.flush()\n"
        "subprocess.run([sys.executable, '-c', 'import tiny; tiny.main()'], check=True)\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": "/proc/nowhere", "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = Program(tmp_path / "parent.py", environment).ended()
    assert ended.out.splitlines() == list(WORKS)
    assert ended.code == 0 and ended.errors.count("\n") == 1


def test_without_any_folder_the_code_is_in_memory_alone(monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/proc/nowhere")
    monkeypatch.setattr(code_cache, "_temporary_base", lambda: None)
    code = CodeCache("0")
    with code.alone():
        code.write(b"machine code")
    assert code.folder is None and code.read() is None and not code.exists()
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and "kept nowhere" in line


@pytest.mark.parametrize("fails", ["write", "fsync", "replace", "make"])
def test_a_full_disk_costs_the_file_alone(kept, monkeypatch, capsys, fails):
    def full(*_arguments, **_named):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        if fails == "write":
            broken.setattr(code_cache, "_digest", lambda _code: _Full())
        elif fails == "fsync":
            broken.setattr(os, "fsync", full)
        elif fails == "replace":
            broken.setattr(Path, "replace", full)
        else:
            broken.setattr(code_cache.tempfile, "mkstemp", full)
        kept.code.write(b"newer code")
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and "is not kept in" in line and "No space left" in line
    assert kept.code.read() == b"machine code"
    assert sorted(path.name for path in kept.folder.iterdir()) == ["machine_code"]


class _Full:
    """What cannot be written for want of room."""

    def __radd__(self, _other):
        raise OSError(28, "No space left on device")


# --- Many at once. ---


def test_processes_that_start_together_compile_once(tiny, tmp_path):
    cache = tmp_path / "cache"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    started = [Program(tmp_path / "tiny.py", environment) for _ in range(3)]
    outputs = sorted(program.ended().out.strip() for program in started)
    assert outputs == [WORKS[0], WORKS[1], WORKS[1]]


def test_the_lock_of_a_dead_process_on_a_network_file_system_is_outwaited(kept, monkeypatch):
    ordinary = code_cache.LOCK_TIMEOUT
    monkeypatch.setattr(code_cache, "LOCK_TIMEOUT", 0.2)
    started = time.monotonic()
    with filelock.FileLock(kept.folder / "lock"), kept.code.alone():
        kept.code.write(b"newer code")
    assert 0.1 < time.monotonic() - started < ordinary
    assert kept.code.read() == b"newer code"


def test_who_waits_for_another_is_told_so(kept, monkeypatch, capsys):
    lock = filelock.FileLock(kept.folder / "lock")

    say = code_cache.say

    def say_and_let_go(words):
        say(words)
        lock.release()

    monkeypatch.setattr(code_cache, "say", say_and_let_go)
    lock.acquire()
    with kept.code.alone():
        pass
    assert (
        capsys.readouterr().err
        == "wotr: waiting for another process that compiles (for 15 min at most) ...\n"
    )
    with kept.code.alone():
        pass
    assert capsys.readouterr().err == ""


def test_what_is_claimed_is_free_again_afterwards(kept):
    with (
        kept.code.try_claim() as first,
        kept.code.try_claim() as second,
        kept.code.try_claim("other") as other,
    ):
        assert (first, second, other) == (True, False, True)
    with kept.code.try_claim() as again:
        assert again


@pytest.mark.parametrize("error", [OSError(37, "No locks available"), NotImplementedError("no flock")])
def test_a_file_system_without_locks_is_no_hindrance(kept, monkeypatch, error):
    def refuse(*_arguments, **_named):
        raise error

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    with kept.code.alone(), kept.code.try_claim() as free:
        kept.code.write(b"newer code")
    assert free and kept.code.read() == b"newer code"


def test_what_an_ended_process_left_unfinished_is_swept_away(kept):
    old, new = kept.folder / "unfinished-old", kept.folder / "unfinished-new"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    with kept.code.alone():
        pass
    assert new.exists() and not old.exists()


def test_a_line_to_a_closed_stream_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    code_cache.say("nobody hears it")
