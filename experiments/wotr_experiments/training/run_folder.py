"""The folder of a training run: configuration, metrics and checkpoints that survive being killed.

    RUN/config.json           the configuration
    RUN/identities.json       the identities of the bots in it, and the package of the game
    RUN/metrics.jsonl         a line for each update and each evaluation
    RUN/checkpoints/N/        the complete state after update N: state.safetensors, state.json
    RUN/last.safetensors      the averaged network of the last checkpoint
    RUN/best.safetensors      the best averaged network in evaluations, by the rule of ``best.py``
    RUN/expert.safetensors    the averaged network that an expert ``net=self`` uses
    RUN/past/N.safetensors    past networks, which later ones play against
    RUN/tensorboard/          a copy of the metrics, if TensorBoard is installed
    RUN/wandb.json, wandb/    the same for Weights & Biases, if requested

A checkpoint is written under a temporary name, forced to the disk, and renamed. It has digests of everything
that a run resumes from, including past networks, so that changes on the disk are detected. Metrics after the
checkpoint of a resumed run are removed, because those updates are repeated.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import filelock
import safetensors
import safetensors.torch
import torch

from wotr_agents.networks.weight_files import SUFFIX, layout_hash
from wotr_env.core.kind import GameKind
from wotr_env.core.read_errors import reason
from wotr_env.core.values import read_bytes, read_text
from wotr_env.play.games import DEFAULT_KIND
from wotr_experiments.arena.store import GAMES
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.files import CONFIG, write_json

IDENTITIES = "identities.json"
FORMAT = "wotr-run-3"
"""The format of a run's files; it changes with the names in these files."""
METRICS = "metrics.jsonl"
LAST, BEST, EXPERT = "last" + SUFFIX, "best" + SUFFIX, "expert" + SUFFIX
_CHECKPOINTS, _PAST, _TENSORBOARD = "checkpoints", "past", "tensorboard"
_TENSORS, _FACTS = "state" + SUFFIX, "state.json"
_MOST_METRICS = 512 * 2**20
"""Maximal size of metrics in bytes, for about 500,000 updates."""
_KEPT = 2
"""Number of kept checkpoints, so that a damaged one does not end a run."""


class RunFolder:
    """A folder that one training run owns while it is open.

    Args:
        path: path of the folder; created if needed.
        kind: the game.

    Raises:
        CommandError: another process is training in the folder; or ``path`` is a file or the folder of a
            tournament.
        OSError: the folder cannot be made.
    """

    def __init__(self, path: Path, kind: GameKind = DEFAULT_KIND) -> None:
        if path.exists() and not path.is_dir():
            raise CommandError(f"{path} is a file; give a folder")
        if (path / GAMES).exists() and not (path / CONFIG).exists():
            raise CommandError(f"{path} holds a tournament or a study; give another folder")
        self.path = path
        self._known = {"rules_version": kind.rules_version, "layout": layout_hash(kind)}
        for folder in (path, path / _CHECKPOINTS, path / _PAST):
            folder.mkdir(parents=True, exist_ok=True)
        self._lock = filelock.FileLock(path / ".lock")
        try:
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            raise CommandError(f"another process trains in {path}") from None
        self._board: Any = None
        self._digests: dict[str, str] = {}
        """Digests of the past networks, by name."""

    def close(self) -> None:
        """Unlocks the folder."""
        if self._board:
            self._board.close()
        self._lock.release()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def write_config(self, config: Mapping[str, Any]) -> None:
        """Writes the configuration.

        Raises:
            OSError: the file cannot be written.
        """
        write_json(self.path / CONFIG, {"format": FORMAT, **config})

    def check_identities(self, identities: Mapping[str, str]) -> None:
        """Writes the identity of each bot, or checks that it has not changed.

        Raises:
            CommandError: a bot or the game has changed.
            OSError: the file cannot be written.
        """
        path = self.path / IDENTITIES
        if not path.exists():
            write_json(path, dict(identities))
            return
        try:
            before = dict(json.loads(read_text(path)))
        except (ValueError, TypeError, RecursionError) as error:
            raise CommandError(f"{path} is damaged: {reason(error)}") from None
        for name, now in identities.items():
            if before.get(name) != now:
                was = one_line(before.get(name))
                raise CommandError(
                    f"{name} has changed since the run started: it was {was} and is now {now}; restore "
                    "it, or start a new run in another folder"
                )

    def save(self, update: int, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
        """Writes the checkpoint of an update, and removes all but the last two.

        Raises:
            OSError: the checkpoint cannot be written, such as on a full disk; earlier checkpoints are
                unchanged.
        """
        folder = self.path / _CHECKPOINTS
        scratch = folder / f"{update}.new"
        with _removed_on_error(scratch):
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            if (self.path / METRICS).exists():
                _sync(self.path / METRICS)  # or a power failure could leave a gap before the checkpoint
            data = safetensors.torch.save(dict(tensors))
            write_durably(scratch / _TENSORS, data)
            text = json.dumps(
                {**self._known, **facts, "state": digest_of(data), "past": self._digests}, allow_nan=False
            )
            write_durably(scratch / _FACTS, f"{text}\n{digest_of(text.encode())}\n".encode())
            target = folder / str(update)
            shutil.rmtree(target, ignore_errors=True)
            scratch.rename(target)
            _sync(folder)
        for old in self._updates()[_KEPT:]:
            shutil.rmtree(folder / str(old), ignore_errors=True)

    def load(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]] | None:
        """The newest readable checkpoint, None if there is none; metrics after it are removed.

        Raises:
            CommandError: no checkpoint can be read, or the checkpoints have other rules or another layout; or
                a past network has changed.
        """
        problems = []
        for scratch in (self.path / _CHECKPOINTS).glob("*.new"):
            shutil.rmtree(scratch, ignore_errors=True)
        for update in self._updates():
            folder = self.path / _CHECKPOINTS / str(update)
            try:
                facts = _read_facts(folder / _FACTS)
                data = (folder / _TENSORS).read_bytes()
                if digest_of(data) != facts["state"]:
                    raise ValueError(f"{_TENSORS} has changed since it was written")
                tensors = safetensors.torch.load(data)
            except (OSError, ValueError, TypeError, RecursionError, safetensors.SafetensorError) as error:
                problems.append(f"{folder}: {error}")
                continue
            for key, wanted in self._known.items():
                if facts.get(key) != wanted:
                    what = key.replace("_", " ")
                    raise CommandError(
                        f"{folder} was trained with {what} {facts.get(key)}; this package uses {wanted}; "
                        "start a new run in another folder"
                    )
            past = facts.get("past")
            if not isinstance(past, dict):
                raise CommandError(f"{folder / _FACTS} does not list the past networks")
            self._check_past(past)
            self._cut_metrics(update)
            return tensors, facts | {"problems": problems}
        if problems:
            raise CommandError(f"no checkpoint can be read: {'; '.join(problems)}")
        self._cut_metrics(0)
        return None

    def write_network(self, name: str, data: bytes) -> None:
        """Replaces a network's file.

        Raises:
            OSError: the file cannot be written; the old file is unchanged.
        """
        scratch = self.path / (name + ".new")
        with _removed_on_error(scratch):
            write_durably(scratch, data)
            os.replace(scratch, self.path / name)

    def add_past(self, update: int, data: bytes) -> None:
        """Stores a past network as an opponent.

        Raises:
            OSError: the file cannot be written.
        """
        name = past_name(update)
        self.write_network(name, data)
        self._digests[Path(name).name] = digest_of(data)

    def past(self, until: int) -> list[Path]:
        """The past networks up to an update, oldest first."""
        return past_networks(self.path, until)

    def log(self, line: Mapping[str, Any]) -> None:
        """Adds a line of metrics, with its ``kind`` and ``update``.

        Raises:
            OSError: the file cannot be written.
        """
        path = self.path / METRICS
        before = path.stat().st_size if path.exists() else 0
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, allow_nan=False) + "\n")
        except OSError as error:
            with contextlib.suppress(OSError):
                os.truncate(path, before)
            error.filename = error.filename or str(path)
            raise
        self._show_on_board(line)

    def _updates(self) -> list[int]:
        names = [file.name for file in (self.path / _CHECKPOINTS).iterdir()]
        return sorted((int(name) for name in names if name.isdigit()), reverse=True)

    def _check_past(self, digests: dict[str, str]) -> None:
        """Takes the digests of past networks from a checkpoint, and checks the networks."""
        for name, digest in digests.items():
            path = self.path / _PAST / name
            if not path.exists() or digest_of(path.read_bytes()) != digest:
                raise CommandError(
                    f"{path}, which the run plays against, has changed since it was written; restore a "
                    "copy of it, or start a new run in another folder"
                )
        self._digests = dict(digests)

    def _cut_metrics(self, update: int) -> None:
        path = self.path / METRICS
        if not path.exists():
            return
        kept = []
        for line in read_bytes(path, _MOST_METRICS).split(b"\n"):
            with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
                if json.loads(line)["update"] <= update:
                    kept.append(line + b"\n")
        scratch = path.with_name(path.name + ".new")
        with _removed_on_error(scratch):
            write_durably(scratch, b"".join(kept))
            os.replace(scratch, path)

    def _show_on_board(self, line: Mapping[str, Any]) -> None:
        if self._board is None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                self._board = False
            else:
                self._board = SummaryWriter(str(self.path / _TENSORBOARD), purge_step=line["decisions"])
        if self._board is not False:
            for name, value in numbers_of(line):
                self._board.add_scalar(name, value, line["decisions"])


def _read_facts(path: Path) -> dict[str, Any]:
    """The facts of a checkpoint besides its tensors; raises ValueError if it has changed."""
    text, _, digest = read_text(path).partition("\n")
    if digest != digest_of(text.encode()) + "\n":
        raise ValueError(f"{path.name} has changed since it was written")
    return json.loads(text)


def past_name(update: int) -> str:
    """The path of a past network in a run's folder."""
    return f"{_PAST}/{update:08}{SUFFIX}"


def past_networks(folder: Path, until: int) -> list[Path]:
    """The past networks in a run's folder up to an update, oldest first."""
    files = sorted((folder / _PAST).glob("*" + SUFFIX))
    return [file for file in files if file.stem.isdigit() and int(file.stem) <= until]


def digest_of(data: bytes) -> str:
    """The digest that detects changes of a checkpoint."""
    return hashlib.sha256(data).hexdigest()[:32]


def read_config(folder: Path) -> dict[str, Any] | None:
    """The configuration in a run's folder, None if there is none; needs no lock.

    Raises:
        CommandError: the configuration cannot be read, or was written by another version.
    """
    path = folder / CONFIG
    if not path.exists():
        return None
    try:
        config = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is damaged: {reason(error)}") from None
    if not isinstance(config, dict):
        raise CommandError(f"{path} is not the configuration of a training run")
    found = config.pop("format", None)
    if found != FORMAT:
        raise CommandError(
            f"{path} was not written by this version (format {found!r}, not {FORMAT!r}); start a new run "
            "in another folder"
        )
    return config


def has_checkpoint(folder: Path) -> bool:
    """Whether a run's folder has a checkpoint; needs no lock."""
    return any(path.name.isdigit() for path in (folder / _CHECKPOINTS).glob("*"))


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """All complete lines of metrics in a run's folder; needs no lock.

    Raises:
        CommandError: there are no metrics, or they cannot be read.
    """
    path = folder / METRICS
    if not path.exists():
        raise CommandError(f"{folder} has no {METRICS}; is it the folder of a training run?")
    lines = read_bytes(path, _MOST_METRICS).split(b"\n")[:-1]
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise CommandError(f"{path}, line {number} is damaged: {reason(error)}") from None
        if not isinstance(found[-1], dict):
            raise CommandError(f"{path}, line {number} is not a line of metrics")
    return found


def seconds_until(folder: Path, update: int) -> float:
    """The training time of a run from its start to an update, in seconds, without evaluations. It is computed
    from the metrics.

    Raises:
        CommandError: an error of ``read_metrics``.
    """
    lines = read_metrics(folder) if update else []
    until = [line for line in lines if line.get("kind") == "update" and line["update"] <= update]
    return float(until[-1]["seconds"]) if until else 0.0


def numbers_of(line: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a line under names with slashes."""
    for name, value in line.items():
        if isinstance(value, Mapping):
            yield from numbers_of(value, f"{before}{name}/")
        elif isinstance(value, (int, float)) and name not in ("update", "decisions"):
            yield f"{before or str(line.get('kind', '')) + '/'}{name}", float(value)


@contextlib.contextmanager
def _removed_on_error(scratch: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if scratch.is_dir():
            shutil.rmtree(scratch, ignore_errors=True)
        else:
            scratch.unlink(missing_ok=True)
        error.filename = error.filename or str(scratch)
        raise


def write_durably(path: Path, data: bytes) -> None:
    """Writes a file and forces it to the disk.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    """Forces a file or the names in a folder to the disk; Windows cannot open folders."""
    folder = path.is_dir()
    try:
        handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)  # Windows syncs only what may be written
    except PermissionError:
        if not folder:
            raise
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
