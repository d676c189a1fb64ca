"""A cache of machine code for later processes: finds its folder, and checks the owner and completeness of
files.

Anybody who can write to the cache can run code with the rights of this user. So code is read only from a
folder that belongs to this user and that no other user can write to. If there is no such folder, a process
keeps its code in a temporary folder for itself and its child processes, and prints a message of one line.
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
"""The environment variable with the path of the cache folder, for a process and its child processes."""
LOCK_TIMEOUT = 900.0
"""Maximal number of seconds to wait for another process that compiles. On a network file system, the lock of
a dead process may remain."""
_POLL = 0.05
"""Seconds between two attempts to get the lock."""
_SAID_AFTER = 0.3
"""Seconds of waiting for the lock before a message is printed; another process may hold the lock only for a
moment (``try_claim``)."""
_LOCK = "lock"
_MAGIC = b"WOTRCODE"
_DIGEST_SIZE = 16
_FILE = "machine_code"
_UNFINISHED = "unfinished-"
_STALE = 3600.0
"""Age in seconds after which unfinished files of other processes are removed."""
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags for opening a file: does not follow a link, and does not wait for the writer of a pipe."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class _Refused(Exception):
    """The reason why a folder is not used."""


def say(line: str) -> None:
    """Prints a line for the user to standard error, which may be closed."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(f"wotr: {line}", file=sys.stderr, flush=True)


def _usual_base() -> Path:
    """Returns the folder for machine code: ``NUMBA_CACHE_DIR``, or the user's cache."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Path(named).absolute()
    base = Path(platformdirs.user_cache_dir("wotr-env"))
    homeless = os.environ.get("HOME") == "" and not os.environ.get("XDG_CACHE_HOME")
    if homeless or not base.is_absolute():
        raise _Refused("there is no home folder")
    return base


def _check_ours(what: Path, found: os.stat_result) -> None:
    """Raises _Refused unless a folder or file belongs to this user and no other user can write to it."""
    if not hasattr(os, "getuid"):  # Windows: folders of a user are his own
        return
    if found.st_uid != os.getuid():
        raise _Refused(f"{what} belongs to another user")
    if found.st_mode & _OTHERS_WRITE:
        raise _Refused(f"others may write to {what}")


def _made(folder: Path) -> Path:
    """Creates the folder if it is missing, and returns it; raises _Refused if the folder cannot be used."""
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
    """Returns a temporary folder for this process and its child processes; None if it cannot be created. The
    folder is removed when this process ends."""
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


class CodeCache:
    """The cached machine code of one build of some kernels.

    Args:
        build: an identifier that depends on everything that determines the code.
    """

    def __init__(self, build: str) -> None:
        self._header = _MAGIC + hashlib.blake2b(build.encode(), digest_size=_DIGEST_SIZE).digest()
        self._name = f"kernels-{build}"
        self._said: set[str] = set()

    @functools.cached_property
    def folder(self) -> Path | None:
        """The folder of the code; None if there is none."""
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
        """Whether cached code exists, complete or not."""
        return self.folder is not None and (self.folder / _FILE).exists()

    def read(self) -> bytes | None:
        """Returns the code; None if there is none, or if it belongs to another user or build or is
        incomplete."""
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
            self.report_damage()
            return None
        return code

    def report_damage(self) -> None:
        """Reports that the cached code is unusable."""
        self._say_once(f"the compiled code kept in {self.folder} is damaged; it is compiled anew")

    def _say_once(self, line: str) -> None:
        """Prints a line, unless it has been printed before. A process reads the cache before and after it
        waits for another process, and so finds the same fault twice."""
        if line not in self._said:
            self._said.add(line)
            say(line)

    def write(self, code: bytes) -> None:
        """Stores the code, completely or not at all. Prints a message if the code cannot be stored; it is
        then compiled again at the next start."""
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
        """A context in which no other process compiles this build, if the file system supports locks.

        A process that has to wait prints a message. Two processes that compile at the same time do no harm:
        each writes its own file, and the last file remains.
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
    def try_claim(self, what: str = _LOCK) -> Iterator[bool]:
        """A context in which this process tries to hold a claim on this build. Yields whether no other
        process holds the claim.

        It never waits for another process. If the file system does not support locks, the claim is always
        free.

        Args:
            what: the name of the claim; by default the claim to compile the build, which ``alone`` also uses.
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
        """Removes unfinished files of processes that were stopped."""
        if self.folder is None:
            return
        for unfinished in self.folder.glob(f"{_UNFINISHED}*"):
            with contextlib.suppress(OSError):
                if time.time() - unfinished.stat().st_mtime > _STALE:
                    unfinished.unlink()


def _digest(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_DIGEST_SIZE).digest()
