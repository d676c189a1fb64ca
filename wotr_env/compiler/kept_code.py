"""Machine code that is kept between processes: where it lies, whether it is ours, and that it is whole.

Whoever can write what is kept runs code in our name. So it is read from a folder that is
ours and that nobody else can write to, and from nowhere else. Where no such folder can be had, a process
keeps its code in a temporary one, for itself and those that it starts, and says so in one line.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import filelock
import platformdirs

FOLDER_VARIABLE = "NUMBA_CACHE_DIR"
"""The environment variable that names the folder, for a process and those that it starts."""
LOCK_TIMEOUT = 900.0
"""Seconds after which a process no longer waits for another that compiles: on a network file system the lock
of a dead one may stay."""
_POLL = 0.05
"""Seconds between two tries for the lock."""
_SAID_AFTER = 0.3
"""Seconds of waiting for the lock that nobody is told of: it may be tried for a moment only (``claimed``)."""
_LOCK = "lock"
_MAGIC = b"WOTRCODE"
_DIGEST_SIZE = 16
_FILE = "machine_code"
_UNFINISHED = "unfinished-"
_STALE = 3600.0
"""Seconds after which what a process has not finished is swept away."""
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Neither through a link, nor waiting for somebody who writes into a pipe."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class _Refused(Exception):
    """Why a folder is not used."""


def say(line: str) -> None:
    """Tells the user; standard error may be closed."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(f"wotr: {line}", file=sys.stderr, flush=True)


def _usual_base() -> Path:
    """Where machine code is kept: ``NUMBA_CACHE_DIR``, or the user's cache."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Path(named).absolute()
    base = Path(platformdirs.user_cache_dir("wotr-env"))
    homeless = os.environ.get("HOME") == "" and not os.environ.get("XDG_CACHE_HOME")
    if homeless or not base.is_absolute():
        raise _Refused("there is no home folder")
    return base


def _check_ours(what: Path, found: os.stat_result) -> None:
    """Raises _Refused unless a folder or file is ours and nobody else can write to it."""
    if not hasattr(os, "getuid"):  # Windows: folders of a user are his own
        return
    if found.st_uid != os.getuid():
        raise _Refused(f"{what} belongs to another user")
    if found.st_mode & _OTHERS_WRITE:
        raise _Refused(f"others may write to {what}")


def _made(folder: Path) -> Path:
    """The folder, made if it is missing; raises _Refused if it cannot be used."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
        found = folder.lstat()
    except OSError as error:
        raise _Refused(f"{folder} cannot be made: {error.strerror or error}") from None
    if not stat.S_ISDIR(found.st_mode):
        raise _Refused(f"{folder} is no folder")
    _check_ours(folder, found)
    if not (folder / _FILE).exists() and not os.access(folder, os.W_OK):
        raise _Refused(f"{folder} cannot be written to")
    return folder


@functools.cache
def _temporary_base() -> Path | None:
    """A folder of this process and those that it starts, or None; it goes when the process ends."""
    try:
        base = Path(tempfile.mkdtemp(prefix="wotr-env-"))
    except OSError:
        return None
    os.environ[FOLDER_VARIABLE] = str(base)
    maker = os.getpid()

    def sweep() -> None:
        if os.getpid() == maker:  # not in a process forked from it
            shutil.rmtree(base, ignore_errors=True)

    atexit.register(sweep)
    return base


class KeptCode:
    """The machine code of one build of some kernels.

    Args:
        build: names everything that the code depends on.
    """

    def __init__(self, build: str) -> None:
        self._header = _MAGIC + hashlib.blake2b(build.encode(), digest_size=_DIGEST_SIZE).digest()
        self._name = f"kernels-{build}"
        self._said: set[str] = set()

    @functools.cached_property
    def folder(self) -> Path | None:
        """Where it is kept; None if nowhere."""
        try:
            return _made(_usual_base() / self._name)
        except _Refused as refused:
            why = str(refused)
        base = _temporary_base()
        try:
            folder = _made(base / self._name) if base is not None else None
        except _Refused:
            folder = None
        where = f"in {folder.parent} until this process ends" if folder else "nowhere"
        say(f"compiled code is kept {where}: {why}")
        return folder

    def exists(self) -> bool:
        """Whether there is some, whole or not."""
        return self.folder is not None and (self.folder / _FILE).exists()

    def read(self) -> bytes | None:
        """The code; None if there is none, or none that is ours, of this build and whole."""
        if self.folder is None:
            return None
        path = self.folder / _FILE
        try:
            with open(os.open(path, _OPEN), "rb") as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise _Refused(f"{path} is no file")
                _check_ours(path, found)
                data = file.read()
        except FileNotFoundError:
            return None
        except (OSError, _Refused) as error:
            self._say_once(f"the compiled code kept is not read ({error}); it is compiled anew")
            return None
        start = len(self._header) + _DIGEST_SIZE
        code = data[start:]
        if data[:start] != self._header + _digest(code):
            self.is_damaged()
            return None
        return code

    def is_damaged(self) -> None:
        """Says that what was read is of no use."""
        self._say_once(f"the compiled code kept in {self.folder} is damaged; it is compiled anew")

    def _say_once(self, line: str) -> None:
        """What is found before a process waits for the others is found again after it."""
        if line not in self._said:
            self._said.add(line)
            say(line)

    def write(self, code: bytes) -> None:
        """Keeps the code: all of it or none; what cannot be kept is said and compiled anew next time."""
        if self.folder is None:
            return
        try:
            handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self.folder)  # of mode 0600
        except OSError as error:
            say(f"the compiled code is not kept in {self.folder}: {error.strerror or error}")
            return
        unfinished = Path(name)
        try:
            with open(handle, "wb") as file:
                file.write(self._header + _digest(code) + code)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self.folder / _FILE)
        except OSError as error:
            say(f"the compiled code is not kept in {self.folder}: {error.strerror or error}")
            with contextlib.suppress(OSError):
                unfinished.unlink()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """While nobody else compiles this build, as far as the file system can say so.

        Whoever waits for another process is told so. It is no harm if two compile: each writes a file of its
        own, and the last one stays.
        """
        with contextlib.ExitStack() as stack:
            if self.folder is not None:
                lock = filelock.FileLock(self.folder / _LOCK, mode=0o600)
                with contextlib.suppress(filelock.Timeout, OSError, NotImplementedError):
                    stack.enter_context(self._waited_for(lock))
                self._sweep()
            yield

    def _waited_for(self, lock: filelock.BaseFileLock) -> filelock.AcquireReturnProxy:
        with contextlib.suppress(filelock.Timeout):
            return lock.acquire(timeout=min(_SAID_AFTER, LOCK_TIMEOUT), poll_interval=_POLL)
        say(f"waiting for another process that compiles (for {LOCK_TIMEOUT / 60:.0f} min at most) ...")
        return lock.acquire(timeout=LOCK_TIMEOUT, poll_interval=_POLL)

    @contextlib.contextmanager
    def claimed(self, what: str = _LOCK) -> Iterator[bool]:
        """Tells whether nobody else has claimed something of this build, which is claimed while it lasts.

        Nobody is waited for; where the file system has no locks, nobody has claimed anything.

        Args:
            what: by default to compile it, as ``alone`` does.
        """
        with contextlib.ExitStack() as stack:
            free = True
            if self.folder is not None:
                lock = filelock.FileLock(self.folder / what, mode=0o600)
                try:
                    stack.enter_context(lock.acquire(timeout=0))
                except filelock.Timeout:
                    free = False
                except (OSError, NotImplementedError):
                    pass
            yield free

    def _sweep(self) -> None:
        """Removes what processes that were ended have left unfinished."""
        if self.folder is None:
            return
        for unfinished in self.folder.glob(f"{_UNFINISHED}*"):
            with contextlib.suppress(OSError):
                if time.time() - unfinished.stat().st_mtime > _STALE:
                    unfinished.unlink()


def _digest(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_DIGEST_SIZE).digest()
