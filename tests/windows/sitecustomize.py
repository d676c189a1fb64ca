"""Takes from a process of Linux what Windows does not have; Python imports this at its start.

The process has no signals but those of Windows, no processes by fork, no modules such as ``resource``. It
cannot open folders, nor replace or remove open files, nor make files with names that Windows forbids. Text
files that the package opens without an encoding are an error, because Windows would choose the encoding.
"""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
import warnings
from pathlib import Path

_LOADED = (
    "filelock multiprocessing.popen_spawn_posix platformdirs.unix prompt_toolkit shutil subprocess tempfile"
)
"""Modules of others that are different on Windows: they are loaded while nothing is missing."""
_MODULES = "fcntl grp pty pwd resource termios tty"
_SIGNALS = "SIGALRM SIGCHLD SIGHUP SIGPIPE SIGUSR1 SIGUSR2 getitimer setitimer"
_FUNCTIONS = (
    "fork forkpty getgid getloadavg getpgid getpriority getuid killpg mkfifo nice pidfd_open "
    "sched_getaffinity sched_setaffinity setsid sysconf wait4"
)
_FORBIDDEN = set('<>:"|?*')
_WRITES = os.O_WRONLY | os.O_RDWR


def _check_name(path: str | bytes) -> None:
    name = os.path.basename(os.fsdecode(path))
    if _FORBIDDEN & set(name) or name.endswith((" ", ".")):
        raise OSError(errno.EINVAL, "Windows forbids this name", name)


def _check_closed(path: str | bytes) -> None:
    """Raises PermissionError for a file that this process has open."""
    wanted = os.path.realpath(os.fsdecode(path))
    if wanted.startswith("/dev/shm/"):  # Python's own; shared memory has no file on Windows
        return
    for each in Path("/proc/self/fd").iterdir():
        try:
            found = os.readlink(each)
        except OSError:
            continue
        if found == wanted:
            raise PermissionError(errno.EACCES, "Windows keeps a file that is open", wanted)


def _check(event: str, arguments: tuple) -> None:
    if event == "open":
        path, _, flags = arguments
        if not isinstance(path, str | bytes):
            return
        if flags & os.O_CREAT:
            _check_name(path)
        if not flags & (_WRITES | os.O_DIRECTORY) and os.path.isdir(path):
            raise PermissionError(errno.EACCES, "Windows does not open folders", os.fsdecode(path))
    elif event == "os.rename":
        source, target = map(os.fspath, arguments[:2])
        _check_name(target)
        _check_closed(source)
        _check_closed(target)
    elif event == "os.remove":
        _check_closed(os.fspath(arguments[0]))
    elif event == "os.mkdir":
        _check_name(os.fspath(arguments[0]))


for module in _LOADED.split():
    importlib.import_module(module)
for module in _MODULES.split():
    sys.modules[module] = None  # type: ignore[assignment]
for owner, names in ((os, _FUNCTIONS), (signal, _SIGNALS)):
    for name in names.split():
        if hasattr(owner, name):
            delattr(owner, name)
if sys.flags.warn_default_encoding:
    warnings.filterwarnings("ignore", category=EncodingWarning)  # in packages of others
    warnings.filterwarnings("error", category=EncodingWarning, module="wotr_")
sys.addaudithook(_check)
