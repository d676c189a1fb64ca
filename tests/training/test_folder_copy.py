"""The temporary folders of processes that train together: gone with them, or at the next start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiny_training import open_tiny
from wotr_experiments.training.folder_copy import FolderCopy, remove_abandoned

ROOT = Path(__file__).parents[2]
HOLDER = """
import sys
from wotr_experiments.training.folder_copy import FolderCopy
folder = FolderCopy()
folder.add_past(3, b"weights")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The folder for temporary ones, of this process and its children."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


@pytest.fixture
def holder(temporary):
    """A process with such a folder, and the folder."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        path = Path(process.stdout.readline().strip())
        assert path.parent == temporary and (path / "past" / "00000003.safetensors").exists()
        yield process, path
        process.kill()


def test_a_closed_folder_is_gone(temporary):
    folder = FolderCopy()
    folder.add_past(3, b"weights")
    assert list(temporary.iterdir()) == [folder.path]
    folder.close()
    assert list(temporary.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next_start(holder, tmp_path, monkeypatch):
    """Of the user whose process it was."""
    process, path = holder
    remove_abandoned()
    assert (path / "past" / "00000003.safetensors").exists()  # its process is there
    process.send_signal(signal.SIGKILL)
    process.wait()
    if hasattr(os, "getuid"):
        with monkeypatch.context() as patch:
            patch.setattr("os.getuid", lambda: path.stat().st_uid + 1)
            remove_abandoned()
    assert path.exists()
    own = FolderCopy()
    open_tiny(tmp_path / "run").close()
    assert not path.exists() and own.path.exists()
    own.close()
    assert not own.path.exists()


def test_what_is_not_such_a_folder_stays(temporary, tmp_path):
    """Just made, a file, a link to another folder, a folder with a link for its lock."""
    (temporary / "wotr-training-new").mkdir()
    (temporary / "wotr-training-file").write_text("mine")
    other = tmp_path / "other"
    other.mkdir()
    (other / ".lock").write_text("")
    (temporary / "wotr-training-link").symlink_to(other)
    (temporary / "wotr-training-linked").mkdir()
    (temporary / "wotr-training-linked" / ".lock").symlink_to(other / ".lock")
    (temporary / "wotr-played-x").mkdir()
    (temporary / "wotr-played-x" / ".lock").write_text("")
    before = sorted(temporary.iterdir())
    remove_abandoned()
    assert sorted(temporary.iterdir()) == before and other.exists()
